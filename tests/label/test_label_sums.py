"""Assessments from drawn labels computed again: cells, bounds of missing labels, sums, ROC AUC, costs, warnings."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

import classay as ca
from classay.errors import InputError, MergeError
from classay.inference.phrasing import percent
from classay.inference.proportions import wilson
from classay.label.cells import LabeledCells
from classay.label.expected import LabeledShares, counts_of
from classay.label.flagged import paired_ratio
from documented import other_defaults
from label.test_labeled import drawn, limits

Z = norm.ppf(0.975)
N = 600
RNG = np.random.default_rng(7)
SCORES = RNG.beta(0.6, 3, N)
TRUTH = RNG.random(N) < SCORES
PLAN = ca.plan_labels(SCORES, budget=120, threshold=0.4)
CALLED = SCORES >= 0.4


def assessed(rows, *, plan=PLAN, known=(), truth=TRUTH, **how):
    """The assessment of labels of some rows, and of others that another process labeled."""
    labels, marks = np.full(N, np.nan), np.zeros(N, int)
    labels[rows] = truth[rows]
    known = np.array(known, int)
    labels[known], marks[known] = truth[known], 1
    return ca.assess_labeled(
        labels, SCORES, plan=plan, known=marks if known.size else None, positive=1, **how
    )


def codes(a):
    return [code for code, _ in a.warnings]


def text_of(a, code):
    return next(text for name, text in a.warnings if name == code)


def subset(seed, kind):
    """Rows of the plan with a label, and rows of another process."""
    rng = np.random.default_rng(seed)
    rows, places = PLAN.rows, PLAN.stratum
    if kind == "one is missing":
        return np.delete(rows, 5), []
    if kind == "some strata lack all":
        return rows[~np.isin(places, rng.choice(4, 2, replace=False)) & (rng.random(rows.size) < 0.9)], []
    if kind == "one side":
        return rows[(places >= 4) & (rng.random(rows.size) < 0.8)], []
    if kind == "others":
        return rows[(places < 4) & (rng.random(rows.size) < 0.8)], []
    if kind == "known":
        return rows[rng.random(rows.size) < 0.7], rng.choice(N, 60, replace=False)
    return rows[rng.random(rows.size) < 0.7], []


KINDS = ("one is missing", "some strata lack all", "one side", "others", "known", "many are missing")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [0, 1])
def test_values_are_those_of_the_shares_of_strata(kind, seed):
    """A stratum without a label has the share of the nearest one on its side; known labels count for themselves."""
    rows, known = subset(seed, kind)
    rows = np.setdiff1d(rows, known)
    a = assessed(rows, known=known)
    codes_of_all = PLAN.places_of(SCORES)
    is_known = np.isin(np.arange(N), known)
    sizes = np.bincount(codes_of_all[~is_known], minlength=6)
    labels, positives = (np.bincount(codes_of_all[rows], by, 6) for by in (np.ones(rows.size), TRUTH[rows]))
    of = np.arange(6)
    for k in range(6):
        side = [j for j in range(6) if (j >= 4) == (k >= 4) and labels[j]]
        if not labels[k] and side:
            of[k] = min(side, key=lambda j, k=k: (abs(j - k), j))
    m, y = np.bincount(of, labels, 6), np.bincount(of, positives, 6)
    with np.errstate(invalid="ignore"):
        shares = (y / m)[of]
    above = np.arange(6) >= 4
    hits = (sizes * shares)[above].sum() + (TRUTH & CALLED & is_known).sum()
    misses = (sizes * shares)[~above].sum() + (TRUTH & ~CALLED & is_known).sum()
    flagged = CALLED.sum()
    values = {
        "recall": hits / (hits + misses),
        "precision": hits / flagged,
        "f1": 2 * hits / (flagged + hits + misses),
        "prevalence": (hits + misses) / N,
        "specificity": 1 - (flagged - hits) / (N - hits - misses),
        "accuracy": (hits + N - flagged - misses) / N,
    }
    assert [*a.estimates] == [*values]
    for name, value in values.items():
        assert a[name].value == pytest.approx(value, nan_ok=True)
        if a[name].has_interval:
            assert 0 <= a[name].low <= a[name].value <= a[name].high <= 1
            assert a[name].level == 0.95
        else:
            side = "predicted positive" if kind == "others" else "other"
            assert a[name].reason == f"no {side} case has a label"
    assert a["precision"].has_interval is (kind != "others")
    assert a.n_labels == rows.size + len(known)
    assert a.n_cases == N
    assert [one.labels for one in a.strata] == labels.tolist()
    assert [one.positives for one in a.strata] == positives.tolist()
    assert a.is_of_flagged is (kind == "one side")
    if kind == "one side":
        assert a.recall_bounds == (pytest.approx(hits / (hits + (~CALLED).sum())), 1.0)
    else:
        assert a.recall_bounds is None
    wanted = {
        "only_flagged": kind == "one side",
        "empty_strata": kind in ("some strata lack all", "others"),
        "not_labeled": True,
        "known": kind == "known",
    }
    found = [code for code in codes(a) if not code.startswith("refuted")]
    assert found == [code for code, is_wanted in wanted.items() if is_wanted]
    if "empty_strata" in found:
        empty = int((labels == 0).sum())
        assert text_of(a, "empty_strata").startswith(f"{empty} of 6 strata have no label.")
    if kind == "known":
        assert text_of(a, "known").startswith("60 labels are from another process.")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [0, 1])
def test_bounds_of_missing_labels_are_reached_by_labels(kind, seed):
    """The bounds are the estimates of the drawn cases with missing labels all positive, or none, by side."""
    rows, known = subset(seed, kind)
    rows = np.setdiff1d(rows, known)
    a = assessed(rows, known=known)
    missing = np.setdiff1d(PLAN.rows, [*rows, *known])
    text = text_of(a, "not_labeled")
    assert a.not_labeled == missing.size
    number = f"{missing.size} of 120 drawn cases "
    assert text.startswith(number + ("has" if missing.size == 1 else "have") + " no label.")
    which = "the case" if missing.size == 1 else "these cases"
    assert text.endswith(f" Label {which}, or state the reason.")
    assert f"Depending on the missing label{'' if missing.size == 1 else 's'}, " in text
    names = ("precision",) if kind == "one side" else ("recall", "precision")
    assert ("recall" in text) is (kind != "one side")
    found = []
    for name in names:
        values = []
        for above in (0, 1):
            for below in (0, 1):
                truth = TRUTH.copy()
                truth[missing] = np.where(CALLED[missing], above, below)
                full = np.setdiff1d(PLAN.rows, known)
                values.append(assessed(full, known=known, truth=truth)[name].value)
        values = [value for value in values if not np.isnan(value)]
        low, high = (percent(end, a.n_labels) for end in (min(values), max(values)))
        found.append(f"{name} is {low}" + (f" to {high}" if low != high else ""))
    assert f", {', and '.join(found)}. Label" in text


def test_a_bound_that_no_label_moves_is_one_number():
    """Where every predicted positive case has a label, precision does not depend on the others."""
    rows = PLAN.rows[(PLAN.stratum >= 4) | (np.arange(120) % 3 > 0)]
    text = text_of(assessed(rows), "not_labeled")
    value = percent(assessed(PLAN.rows)["precision"].value, rows.size)
    assert f", and precision is {value}. Label" in text


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("finite", [True, False])
def test_observed_shares_have_wilsons_interval(level, finite):
    """Of these cases, with as many labels as say as much of endless cases."""
    rows = PLAN.rows[PLAN.stratum != 2]
    a = assessed(rows, level=level, finite=finite)
    assert (a.level, a.is_finite) == (level, finite)
    for one in a.strata:
        y, m, size = one.positives, one.labels, one.stratum.cases
        if not m:
            assert one.observed.reason == "no label"
            continue
        count = m * (size - 1) / (size - m) if finite else m
        low, high = wilson(y / m * count, count, level)
        assert limits(one.observed) == pytest.approx((y / m, low, high))
        assert (one.observed.level, one.observed.method) == (level, "Wilson")


def test_defaults_of_an_assessment():
    usual, spelled = assessed(PLAN.rows), assessed(PLAN.rows, level=0.95, finite=True)
    assert usual.to_dict() == spelled.to_dict()
    flagged = assessed(
        np.flatnonzero(CALLED),
        plan=ca.assess(np.where(CALLED, TRUTH, np.nan), SCORES, threshold=0.4, design="flagged").plan,
    )
    assert (usual.is_finite, flagged.is_finite) == (True, False)
    labels = np.where(SCORES >= 0.5, TRUTH, np.nan)
    at_half, default = (
        ca.assess(labels, SCORES, design="flagged", **how) for how in ({"threshold": 0.5}, {})
    )
    assert default.to_dict() == at_half.to_dict()
    assert (default.level, default.plan.threshold) == (0.95, 0.5)


def test_the_design_of_chosen_labels():
    labels = np.where(CALLED, TRUTH, np.nan)
    a = ca.assess(labels, SCORES, threshold=0.4, design="flagged", level=0.9)
    plan, edge, rows = a.plan, SCORES[CALLED].min(), np.flatnonzero(CALLED)
    below, above = plan.strata
    assert (below.low, below.high, above.low, above.high) == (None, edge, edge, None)
    assert (below.is_called, above.is_called) == (False, True)
    assert (below.cases, below.labels) == (N - rows.size, 0)
    assert (above.cases, above.labels) == (rows.size, rows.size)
    assert [one.mean_score for one in plan.strata] == pytest.approx(
        [SCORES[~CALLED].mean(), SCORES[CALLED].mean()]
    )
    assert (below.planned, above.planned, plan.planned_prevalence) == (None, None, None)
    assert plan.rows.tolist() == rows.tolist()
    assert plan.stratum.tolist() == [1] * rows.size
    assert plan.scores.tolist() == SCORES[rows].tolist()
    assert (plan.threshold, plan.measures, plan.level, plan.seed, plan.waves) == (
        0.4,
        ("precision",),
        0.95,
        0,
        (rows.size,),
    )
    assert (plan.expected, plan.others, plan.models, plan.half_width) == ({}, {}, (), None)
    assert plan.is_of_flagged
    assert a["precision"].method == a.method == "Wilson"
    low, high = wilson(TRUTH[rows].sum(), rows.size, 0.9)
    assert limits(a["precision"]) == pytest.approx((TRUTH[rows].mean(), low, high))
    share = percent(a.recall_bounds[0], N)
    assert a.sentences[0] == f"Recall cannot be estimated. Recall is between {share} and 100%."
    assert len(a.sentences) == 2
    assert "Draw others by a plan (`classay label`)." in text_of(a, "only_flagged")
    assert "Label the drawn ones too." in text_of(assessed(PLAN.rows[PLAN.stratum >= 4]), "only_flagged")


def test_strata_are_either_side_of_a_threshold_that_a_score_equals():
    scores = np.array([0.1, 0.3, 0.3, 0.6])
    a = ca.assess([None, 1, 0, 1], scores, threshold=0.3, design="flagged", positive=1)
    assert [one.cases for one in a.plan.strata] == [1, 3]


def test_the_area_under_the_curve_is_that_of_weighted_pairs():
    many = drawn((0, 0, 1, 1, 2, 2, 3, 5, 12, 18), (20,) * 10, (2000,) * 8 + (300, 200))
    plan, truth = many
    truth = truth.astype(bool)
    plan = replace(plan, scores=np.round(plan.scores + np.random.default_rng(1).normal(0, 0.1, 200), 1))
    weight = (np.array((2000,) * 8 + (300, 200)) / 20)[plan.stratum]
    s = plan.scores
    above = (s[truth][:, None] > s[~truth]) + 0.5 * (s[truth][:, None] == s[~truth])
    pairs = np.outer(weight[truth], weight[~truth])
    value = (above * pairs).sum() / pairs.sum()
    sizes, shares = plan.arrays[0].astype(float), np.bincount(plan.stratum, truth) / 20

    def of_strata(p):
        yes, no = sizes * p, sizes * (1 - p)
        over = np.tri(10, k=-1) + 0.5 * np.eye(10)
        return np.einsum("...i,ij,...j->...", yes, over, no) / (yes.sum(-1) * no.sum(-1))

    def slopes(p):
        step = 1e-6 * np.eye(10)
        return (of_strata(p + step) - of_strata(p - step)) / 2e-6

    for finite in (True, False):
        a = ca.assess_labeled(truth, rows=plan.rows, plan=plan, finite=finite)
        m = np.full(10, 20.0)
        tool = LabeledShares(
            shares,
            counts_of(m, sizes) if finite else m,
            lambda p: of_strata(p) + value - of_strata(shares),
            slopes,
            labels=m,
        )
        low, high = (float(end) for end in tool.limits(Z))
        assert limits(a["roc_auc"]) == pytest.approx((value, low, high), abs=1e-6)
    seven = drawn((0, 0, 1, 1, 2, 2, 3, 5, 12), (20,) * 9, (2000,) * 7 + (300, 200))
    one = drawn((0, 0, 1, 1, 2, 2, 3, 5, 12), (20,) * 9, (2000,) * 8 + (300,), above=1)
    for (plan, truth), counts in ((seven, "7 and 2"), (one, "8 and 1")):
        auc = ca.assess_labeled(truth, rows=plan.rows, plan=plan)["roc_auc"]
        assert f"needs 8 strata below the threshold and 2 above, but there are {counts};" in auc.reason
        assert "roc_auc" not in auc.reason
    none = assessed(PLAN.rows, truth=np.zeros(N))["roc_auc"]
    assert none.reason == "the labels contain one class only"
    assert assessed(PLAN.rows[3:], known=PLAN.rows[:3])["roc_auc"].reason == (
        "labels of another process have no scores here"
    )
    assert assessed(PLAN.rows[PLAN.stratum >= 4])["roc_auc"].reason == "no other case has a label"


COSTS = ({"fn": 3, "fp": 1}, {"fn": 2, "fp": 1, "tp": 0.5, "tn": -0.25}, {"fp": 4}, {"fn": 7})


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("positive", [1, 0])
def test_costs_per_case_are_those_of_the_four_counts(costs, positive):
    a = ca.assess_labeled(TRUTH[PLAN.rows].astype(int), rows=PLAN.rows, plan=PLAN, positive=positive)
    found = a[ca.Costs(**{"fn": 0, "fp": 0} | costs)]
    prevalence, recall, precision = (a[name].value for name in ("prevalence", "recall", "precision"))
    tp = prevalence * recall
    fp = tp / precision - tp
    shares = {"tp": tp, "fp": fp, "fn": prevalence - tp, "tn": 1 - prevalence - fp}
    value = sum(cost * shares[name] for name, cost in costs.items())
    assert found.value == pytest.approx(value)
    assert found.low < found.value < found.high
    assert found.level == 0.95


@pytest.mark.parametrize("finite", [True, False])
def test_costs_of_errors_are_one_minus_accuracy(finite):
    a = assessed(PLAN.rows, finite=finite)
    value, low, high = limits(a["accuracy"])
    assert limits(a[ca.Costs(fn=1, fp=1)]) == pytest.approx((1 - value, 1 - high, 1 - low), abs=1e-9)
    one_side = assessed(PLAN.rows[PLAN.stratum >= 4])
    assert one_side[ca.Costs(fn=1, fp=1)].reason == "no other case has a label"


def test_costs_of_a_class_named_other():
    words = np.where(TRUTH[PLAN.rows], "other", "no")
    a = ca.assess_labeled(words, rows=PLAN.rows, plan=PLAN, positive="other")
    assert limits(a[ca.Costs(fn=3, fp=1)]) == limits(assessed(PLAN.rows)[ca.Costs(fn=3, fp=1)])


@pytest.mark.parametrize(("value", "kind"), [(1, "positive"), (0, "negative")])
def test_labels_of_one_kind_are_told(value, kind):
    a = assessed(PLAN.rows, truth=np.full(N, value))
    assert text_of(a, "one_kind") == f"All 120 labels are {kind}. Check the labels."
    assert "one_kind" not in codes(assessed(PLAN.rows))


def test_refutations_are_those_of_the_numbers():
    """The planned prevalence against its interval, and the stratum whose share is furthest from the planned one."""
    for seed, turn in ((0, 0.0), (1, 0.3), (2, 0.9)):
        rng = np.random.default_rng(seed)
        truth = np.where(rng.random(N) < turn, rng.random(N) < 0.5, TRUTH)
        a = assessed(PLAN.rows, truth=truth)
        prevalence, planned = a["prevalence"], PLAN.planned_prevalence
        is_off = not prevalence.low <= planned <= prevalence.high
        assert ("refuted_prevalence" in codes(a)) is is_off
        if is_off:
            numbers = re.findall(r"0\.\d+", text_of(a, "refuted_prevalence"))
            wanted = [planned, prevalence.value, prevalence.low, prevalence.high]
            assert [float(one) for one in numbers] == pytest.approx(wanted, abs=6e-4)
        if "refuted_scores" in codes(a):
            text = text_of(a, "refuted_scores")
            shares = [one.positives / one.labels for one in a.strata]
            off = [abs(share - one.stratum.planned) for share, one in zip(shares, a.strata, strict=True)]
            number = int(re.match(r"Labels differ from the scores in (\d) of 6 strata.", text).group(1))
            assert 1 <= number <= 6
            named = [
                one
                for one in a.strata
                if f"stratum {one.stratum.range}, {one.positives} of {one.labels}" in text
            ]
            assert named
            assert f"a share of {named[0].stratum.planned:.2g}." in text
            if number == 6:
                assert off[a.strata.index(named[0])] == max(off)
        assert [one.code for one in a.refutations] == [c for c in codes(a) if c.startswith("refuted")]
    assert turn == 0.9
    assert {"refuted_prevalence", "refuted_scores"} <= {*codes(a)}


def test_sentences_have_the_numbers_of_the_estimates():
    a = assessed(PLAN.rows)
    lead, recall, precision, f1 = a.sentences
    assert lead == "120 of 600 cases have a label."
    assert repr(a) == f"LabeledAssessment({lead})"
    for text, name, decimals in ((recall, "recall", 1), (precision, "precision", 1)):
        numbers = [float(one) for one in re.findall(r"([\d.]+)%", text)]
        value, low, high = (100 * end for end in limits(a[name]))
        assert numbers == pytest.approx([value, 95, low, high], abs=0.6 * 10**-decimals)
    assert recall.startswith("At threshold 0.4, the scores detect ")
    assert recall.endswith(" of '1' cases (recall).") or " of 1 cases (recall)." in recall
    numbers = [float(one) for one in re.findall(r"0\.\d+", f1)]
    assert numbers == pytest.approx(limits(a["f1"]), abs=6e-4)


# sums

HALF = assessed(PLAN.rows[:60])
REST = assessed(PLAN.rows[60:])
WHOLE = assessed(PLAN.rows)
MORE = WHOLE.more(SCORES, budget=30)


def words(rows, unsure=(), plan=PLAN, extra=()):
    """An assessment of a list of words, some of which are unsure, and of rows that were not drawn."""
    rows = np.array([*rows, *extra], int)
    labels = np.where(np.isin(rows, unsure), "?", np.where(TRUTH[rows], "yes", "no"))
    how = {"unsure": "?"} if len(unsure) else {}
    return ca.assess_labeled(labels, rows=rows, plan=plan, positive="yes", **how)


def test_sums_do_not_depend_on_the_order_or_the_division():
    assert (HALF + REST).to_dict() == (REST + HALF).to_dict() == WHOLE.to_dict()
    assert (HALF + HALF).to_dict() == HALF.to_dict()
    assert (WHOLE + HALF).to_dict() == WHOLE.to_dict()
    later = assessed(MORE.rows[120:], plan=MORE)
    together = assessed(MORE.rows, plan=MORE)
    for both in (WHOLE + later, later + WHOLE):
        assert both.estimates == together.estimates
        assert both.plan is MORE
        assert both.n_labels == 150


def test_sums_count_what_was_excluded():
    others = np.setdiff1d(np.arange(N), PLAN.rows)
    a = words(PLAN.rows[:50], unsure=PLAN.rows[:5], extra=others[:3])
    b = words(PLAN.rows[50:], unsure=PLAN.rows[60:67], extra=others[:7])
    for both in (a + b, b + a):
        assert (both.matched.not_drawn, both.matched.unsure, both.n_labels, both.not_labeled) == (
            7,
            12,
            108,
            12,
        )
    decided = a + words(PLAN.rows[:5])
    assert (decided.matched.unsure, decided.n_labels) == (5, 50)  # as many drawn cases lack a label
    whole = words(PLAN.rows[:50], unsure=PLAN.rows[:5]) + words([*PLAN.rows[:3], *PLAN.rows[50:]])
    assert (whole.matched.unsure, whole.not_labeled) == (2, 2)


def other_pool(seed=5, **how):
    rng = np.random.default_rng(seed)
    scores = rng.beta(0.6, 3, 400)
    truth = rng.random(400) < scores
    return scores, truth, ca.plan_labels(scores, **{"budget": 100, "threshold": 0.4} | how)


def test_sums_of_two_pools_are_those_of_their_strata():
    scores, truth, plan = other_pool()
    known = np.zeros(400, int)
    outside = np.setdiff1d(np.arange(400), plan.rows)
    known[outside[:20]] = 1
    labels = np.full(400, np.nan)
    labels[plan.rows[4:]] = truth[plan.rows[4:]]
    labels[outside[:30]] = truth[outside[:30]]
    a = assessed(PLAN.rows[2:], known=[*PLAN.rows[:2], *np.setdiff1d(np.arange(N), PLAN.rows)[:5]])
    b = ca.assess_labeled(labels, scores, plan=plan, known=known, positive=1)
    for one, other in ((a, b), (b, a)):
        both = one + other
        for name in ("n_cases", "n_labels", "not_labeled"):
            assert getattr(both, name) == getattr(a, name) + getattr(b, name)
        assert both.matched.not_drawn == 10
        assert [one.labels for one in both.strata] == [part.labels for x in (one, other) for part in x.strata]
        assert [one.positives for one in both.strata] == [
            part.positives for x in (one, other) for part in x.strata
        ]
        assert both["prevalence"].value * 1000 == pytest.approx(
            a["prevalence"].value * N + b["prevalence"].value * 400
        )
        hits = [x["prevalence"].value * x["recall"].value * x.n_cases for x in (a, b)]
        assert both["recall"].value * both["prevalence"].value * 1000 == pytest.approx(sum(hits))
        # each stratum is at its place; known labels of one side are one cell
        cells = LabeledCells.of(both.plan, both.matched)
        assert cells.sizes.sum() == 1000
        assert cells.labels[-2:].sum() == 27
        joined = both.plan
        assert joined.rows.tolist() == [*one.plan.rows, *(other.plan.rows + one.n_cases)]
        assert joined.scores.tolist() == [*one.plan.scores, *other.plan.scores]
        assert joined.waves == (*one.plan.waves, *other.plan.waves)
        assert joined.pools == (one.plan.pool, other.plan.pool)
        assert (joined.expected, joined.others, joined.expected_if_not_calibrated, joined.warnings) == (
            {},
            {},
            {},
            (),
        )
        assert both.matched.known_rows.tolist() == [
            *one.matched.known_rows,
            *(other.matched.known_rows + one.n_cases),
        ]
        assert both.matched.truths.tolist() == [*one.matched.truths, *other.matched.truths]
    measures = (
        assessed(PLAN.rows)
        + ca.assess_labeled(
            truth[plan.rows], rows=plan.rows, plan=other_pool(measures=("prevalence", "recall"))[2]
        )
    ).plan.measures
    assert measures == ("recall", "precision", "f1", "prevalence")


def of_other(**how):
    _, truth, plan = other_pool(**{k: v for k, v in how.items() if k in ("threshold", "half_width")})
    given = {k: v for k, v in how.items() if k in ("level", "finite")}
    return ca.assess_labeled(truth[plan.rows], rows=plan.rows, plan=plan, **given)


FLAGGED = ca.assess(np.where(CALLED, TRUTH, np.nan), SCORES, threshold=0.4, design="flagged", positive=1)
OTHER_FLAGGED = ca.assess(
    np.where(other_pool()[0] >= 0.4, other_pool()[1], np.nan),
    other_pool()[0],
    threshold=0.4,
    design="flagged",
)
SUMS_REFUSED = {
    "another kind": (WHOLE, 3, "Only assessments from plans of labels can be added. Pass two of them."),
    "level": (WHOLE, assessed(PLAN.rows, level=0.9), "level is 0.95 and 0.9. Use the same for both"),
    "finite": (WHOLE, assessed(PLAN.rows, finite=False), "is_finite is True and False."),
    "positive": (WHOLE, words(PLAN.rows), "positive is 1 and yes."),
    "another seed": (
        WHOLE,
        assessed(p.rows, plan=p)
        if (p := ca.plan_labels(SCORES, budget=120, threshold=0.4, seed=1))
        else None,
        "different plans of one pool",
    ),
    "known": (
        WHOLE,
        assessed(PLAN.rows[3:], known=PLAN.rows[:3]),
        "Labels of another process cannot be added",
    ),
    "known before": (
        assessed(PLAN.rows[3:], known=PLAN.rows[:3]),
        WHOLE,
        "Labels of another process cannot be added",
    ),
    "other labels": (
        HALF,
        assessed(PLAN.rows[59:], truth=~TRUTH),
        f"Row {PLAN.rows[59]} has two different labels. Keep one of them.",
    ),
    "threshold": (
        WHOLE,
        of_other(threshold=0.3),
        "threshold of the plans is 0.4 and 0.3. Use plans that agree.",
    ),
    "half-width": (WHOLE, of_other(half_width=0.1), "half_width of the plans is None and 0.1."),
    "flagged": (
        assessed(PLAN.rows, finite=False),
        OTHER_FLAGGED,
        "is_of_flagged of the plans is False and True.",
    ),
    "a pool twice": (WHOLE + of_other(), of_other(), "Both assessments have the cases of one pool."),
    "a pool twice before": (of_other(), of_other() + WHOLE, "Both assessments have the cases of one pool."),
}


@pytest.mark.parametrize("case", SUMS_REFUSED)
def test_refused_sums(case):
    first, second, text = SUMS_REFUSED[case]
    with pytest.raises(MergeError) as error:
        first + second
    assert text in str(error.value)


def test_flagged_cases_of_two_pools_add_up():
    both = FLAGGED + OTHER_FLAGGED
    assert both.is_of_flagged
    hits = sum(one.positives for x in (FLAGGED, OTHER_FLAGGED) for one in x.strata)
    cases = sum(one.labels for x in (FLAGGED, OTHER_FLAGGED) for one in x.strata)
    assert both["precision"].value == pytest.approx(hits / cases)


# ratios of recalls

SECOND = np.clip(SCORES * np.random.default_rng(2).uniform(0.4, 1.6, N), 0, 1)
UNION = CALLED | (SECOND >= 0.4)


def flagged_by(scores, labels=None, threshold=0.4, **how):
    labels = np.where(UNION, TRUTH * 1.0, np.nan) if labels is None else labels
    return ca.assess(labels, scores, threshold=threshold, design="flagged", **{"positive": 1} | how)


def bonett_price(both, first, second, level):
    """Bonett and Price 2006, with one half of a case added to each cell, of the two Wilson intervals."""
    n, a, b = both + first + second, both + first, both + second
    p, q = (a + 1) / (n + 2), (b + 1) / (n + 2)
    z = norm.ppf((1 + level) / 2)
    spread = np.sqrt((first + second + 2) / ((a + 1) * (b + 1)))
    z *= spread / (np.sqrt((1 - p) / (n + 2) / p) + np.sqrt((1 - q) / (n + 2) / q))

    def ends(x):
        middle, off = x + z * z / 2, z * np.sqrt(x * (1 - x / n) + z * z / 4)
        return (middle - off) / (n + z * z), (middle + off) / (n + z * z)

    return ends(a)[0] / ends(b)[1], ends(a)[1] / ends(b)[0]


@pytest.mark.parametrize("counts", [(43, 8, 1), (5, 0, 9), (1, 1, 1), (200, 30, 50), (0, 3, 4)])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_limits_of_ratios(counts, level):
    assert paired_ratio(*counts, level) == pytest.approx(bonett_price(*counts, level), rel=1e-9)


def test_no_detected_case_has_no_upper_limit():
    low, high = paired_ratio(0, 4, 0, 0.95)
    assert high == np.inf
    assert low > 0
    nothing = flagged_by(SECOND, np.where(UNION, TRUTH & ~(SECOND >= 0.4), np.nan))
    some = flagged_by(SCORES, np.where(UNION, TRUTH & ~(SECOND >= 0.4), np.nan))
    assert some.recall_ratio(nothing).reason == "the other model detects no positive case"
    zero = nothing.recall_ratio(some)
    assert (zero.value, zero.low) == (0, 0)


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_ratios_count_positive_cases(level):
    first, second = TRUTH & CALLED, TRUTH & (SECOND >= 0.4)
    both = int((first & second).sum())
    a, b = flagged_by(SCORES, level=level), flagged_by(SECOND, level=level)
    found = a.recall_ratio(b)
    low, high = bonett_price(both, int(first.sum()) - both, int(second.sum()) - both, level)
    assert limits(found) == pytest.approx((first.sum() / second.sum(), low, high))
    assert (found.level, found.method) == (level, "Bonett-Price, paired ratio")


LABELS = np.where(UNION, TRUTH * 1.0, np.nan)
GONE = np.where(np.arange(N) == np.flatnonzero(SECOND >= 0.4)[0], np.nan, LABELS)
TURNED = LABELS.copy()
TURNED[np.flatnonzero(CALLED & (SECOND >= 0.4))[3]] = 1 - TURNED[np.flatnonzero(CALLED & (SECOND >= 0.4))[3]]
RATIOS_REFUSED = {
    "other cases": (
        lambda: flagged_by(SECOND[1:], LABELS[1:]),
        "The assessments differ in cases, positive class",
    ),
    "other class": (
        lambda: flagged_by(SECOND, positive=0),
        "The assessments differ in cases, positive class",
    ),
    "other level": (
        lambda: flagged_by(SECOND, level=0.9),
        "The assessments differ in cases, positive class or level",
    ),
    "a plan": (lambda: WHOLE, "needs the labels of all predicted positive cases of both models"),
    "no label": (
        lambda: flagged_by(SECOND, GONE),
        "needs the labels of all predicted positive cases of both models",
    ),
    "other labels": (
        lambda: flagged_by(SECOND, TURNED),
        f"Row {np.flatnonzero(CALLED & (SECOND >= 0.4))[3]} has two different labels.",
    ),
}


@pytest.mark.parametrize("case", RATIOS_REFUSED)
def test_refused_ratios(case):
    make, text = RATIOS_REFUSED[case]
    for one, other in ((flagged_by(SCORES), make()), (make(), flagged_by(SCORES))):
        with pytest.raises(InputError) as error:
            one.recall_ratio(other)
        assert text in str(error.value)


NONE, FEW = np.full(4, np.nan), np.array([0.1, 0.2, 0.6, 0.9])
FLAGGED_REFUSED = {
    "no scores": ([1, 0], None, None, "needs the scores of all cases"),
    "lengths": ([1, 0, 1], [0.1, 0.9], None, "score has 2 values, but there are 3 labels"),
    "all": ([1, 0, 1, 1], FEW, 0.1, "All scores reach the threshold 0.1. Use another threshold."),
    "none": ([1, 0, 1, 1], FEW, 0.91, "No scores reach the threshold 0.91."),
    "no label": (
        [1, 0, None, None],
        FEW,
        0.5,
        "No predicted positive case has a label. Use a plan of labels",
    ),
}


@pytest.mark.parametrize("case", FLAGGED_REFUSED)
def test_refused_labels_of_predicted_positives(case):
    labels, scores, threshold, text = FLAGGED_REFUSED[case]
    with pytest.raises(InputError) as error:
        ca.assess(labels, scores, threshold=threshold, design="flagged", positive=1)
    assert text in str(error.value)


@pytest.mark.parametrize("threshold", [0.11, 0.9])
def test_one_case_on_a_side_is_enough(threshold):
    a = ca.assess([1, 0, 1, 1], FEW, threshold=threshold, design="flagged", positive=1)
    assert [one.cases for one in a.plan.strata] == ([1, 3] if threshold < 0.5 else [3, 1])


def test_stopping_counts_labels_up_to_the_last_one():
    plan = replace(PLAN, half_width=0.2)
    a = assessed(np.delete(PLAN.rows[:80], [3, 9]), plan=plan)
    assert a.not_labeled == 2
    assert a.matched.lacking(plan).tolist() == np.bincount(PLAN.stratum[[3, 9]], minlength=6).tolist()
    assert assessed(np.delete(PLAN.rows[:80], [3, 9])).not_labeled == 42
    both = a + of_other(half_width=0.2)
    assert both.not_labeled == 42  # the last label of two pools is of the second
    assert a.limits_level == pytest.approx(0.98)
    assert a["recall"].method.startswith(
        "stratified, Wilson along the way, 98% limits because labeling stops by width"
    )


def test_calls_have_the_defaults_of_their_docstrings():
    assert other_defaults(ca.assess_labeled, ca.plan_labels) == {}
