"""Estimates from drawn labels, against 40-digit scalar code (mpmath) and R survey 4.1-1 (`svyratio`, `svymean`)."""

from dataclasses import replace

import numpy as np
import pytest

import classay as ca
from classay.errors import InputError
from classay.inference.proportions import normal_quantile, wilson
from classay.label.expected import tool_of
from classay.label.planning import LabelPlan, Stratum
from command import as_json
from support.strata import NONE_BELOW, OF_STRATA

SIZES, LABELS, POSITIVES = (80000, 15000, 3000, 1400, 600), (60, 40, 40, 40, 40), (1, 3, 9, 17, 31)


def drawn(positives=POSITIVES, labels=LABELS, sizes=SIZES, above=2, **changed):
    """A plan with these strata, and the labels of its rows."""
    n = len(sizes)
    edges = [None, *(np.arange(1, n) / n).tolist(), None]
    strata = tuple(
        Stratum(edges[k], edges[k + 1], k >= n - above, sizes[k], labels[k], (k + 0.5) / n, share)
        for k, share in enumerate(np.divide(positives, labels).tolist())
    )
    places = np.repeat(np.arange(n), labels)
    starts = np.cumsum([0, *sizes[:-1]])
    rows = np.concatenate([start + np.arange(m) for start, m in zip(starts, labels, strict=True)])
    scores = (places + 0.5) / n
    truth = np.concatenate([np.arange(m) < y for y, m in zip(positives, labels, strict=True)])
    plan = LabelPlan(
        rows, places, scores, strata, (n - above) / n, ("recall",), 0.95, 0, "", (rows.size,), {}, {}
    )
    return replace(plan, **changed), truth


def limits(estimate):
    return estimate.value, estimate.low, estimate.high


def assessed(plan, truth, **how):
    return ca.assess_labeled(truth, rows=plan.rows, plan=plan, **how)


@pytest.mark.parametrize("name", OF_STRATA)
def test_measures_of_all_cases(name):
    assert limits(assessed(*drawn())[name]) == pytest.approx(OF_STRATA[name], abs=1e-9)


OF_SURVEY = {
    "prevalence": 0.0149290126533344,
    "precision": 0.057950022676485,
    "recall": 0.0920695509067469,
    "f1": 0.0879179438648008,
    "specificity": 0.00120751810694813,
    "accuracy": 0.0149290126533344,
}
"""Standard errors of R survey 4.1-1, `svyratio` and `svymean`, with strata and finite population correction."""


@pytest.mark.parametrize("name", OF_SURVEY)
def test_slopes_give_the_standard_errors_of_survey(name):
    sizes, labels, positives = (np.array(part, float) for part in (SIZES, LABELS, POSITIVES))
    shares = positives / labels
    tool = tool_of(name, sizes, np.array([False] * 3 + [True] * 2), shares, labels)
    variances = shares * (1 - shares) / (labels - 1) * (1 - labels / sizes)
    assert np.sqrt((tool.slopes(shares) ** 2 * variances).sum()) == pytest.approx(OF_SURVEY[name], abs=1e-9)


@pytest.mark.parametrize("name", NONE_BELOW)
def test_measures_where_no_positive_was_found_below(name):
    a = assessed(*drawn((0, 0, 0, 17, 31)))
    assert limits(a[name]) == pytest.approx(NONE_BELOW[name], abs=1e-9)
    assert a[name].method == "stratified, Wilson along the way"


@pytest.mark.parametrize(
    ("labels", "exact"), [(5, 1), (20, 1), (30, 1), (36, 0.8), (45, 0.5), (60, 0), (90, 0)]
)
def test_the_limit_of_one_positive_in_few_labels_is_exact(labels, exact):
    """The limit of 1 in m at an error a is 1 - (1 - a)^(1 / m), and one negative is its mirror."""

    def ends(positives):
        sizes, m = np.array([1e9]), np.array([float(labels)])
        tool = tool_of("prevalence", sizes, np.array([True]), positives / m, m, is_finite=False)
        return [float(end) for end in tool.limits(normal_quantile(0.95))]

    low, high = ends(1)
    by_wilson = [float(end) for end in wilson(1, labels, 0.95)]
    wanted = exact * (1 - 0.95 ** (1 / labels)) + (1 - exact) * by_wilson[0]
    assert low == pytest.approx(wanted, rel=1e-6)
    assert high == pytest.approx(by_wilson[1])
    assert ends(labels - 1) == pytest.approx([1 - high, 1 - low])
    assert ends(0) == pytest.approx([float(end) for end in wilson(0, labels, 0.95)])


def test_one_label_more_moves_no_limit_by_far():
    """Where a stratum of most cases has one positive label, limits of recall change by less than 3% with one more."""
    sizes, called = np.array(SIZES, float), np.array([False] * 3 + [True] * 2)
    ends = []
    for labels in np.arange(20.0, 80):
        m = np.array([labels, 30, 30, 40, 40])
        tool = tool_of("recall", sizes, called, np.array([1, 2, 6, 17, 31]) / m, m)
        ends.append([float(end) for end in tool.limits(normal_quantile(0.95))])
    steps = np.diff(np.log(ends), axis=0)
    assert (steps > 0).all()
    assert (steps[:, 1] < 0.03).all()


def test_methods_name_exact_limits():
    a = assessed(*drawn((1, 3, 9, 17, 31), labels=(20, 40, 40, 40, 40)))
    assert a["recall"].method == "stratified, Wilson along the way, binomial limit in 1 stratum"
    assert a["precision"].method == "stratified, Wilson along the way"
    a = assessed(*drawn((1, 2, 9, 17, 31), labels=(20, 20, 40, 40, 40)))
    assert a["f1"].method == "stratified, Wilson along the way, binomial limit in 2 strata"


def test_new_cases_have_wider_intervals():
    plan, truth = drawn()
    these, new = (assessed(plan, truth, finite=finite)["precision"] for finite in (True, False))
    assert these.value == new.value
    assert these.high - these.low < new.high - new.low


def test_where_all_cases_have_a_label_the_interval_is_the_value():
    a = assessed(*drawn((1, 2, 3), (20, 10, 5), (20, 10, 5), above=1))
    assert limits(a["recall"]) == pytest.approx((0.5, 0.5, 0.5))
    assert limits(a["precision"]) == pytest.approx((0.6, 0.6, 0.6))
    assert limits(a.strata[0].observed) == (0.05, 0.05, 0.05)
    new = assessed(*drawn((1, 2, 3), (20, 10, 5), (20, 10, 5), above=1), finite=False)
    for one in new.strata:
        low, high = wilson(one.positives, one.labels, 0.95)
        assert limits(one.observed) == pytest.approx((one.positives / one.labels, low, high))


def test_auc_has_a_value_and_with_many_strata_an_interval():
    plan, truth = drawn()
    auc = assessed(plan, truth)["roc_auc"]
    yes = np.array(SIZES) * np.array(POSITIVES) / LABELS
    no = np.array(SIZES) - yes
    assert auc.value == pytest.approx((yes * (np.cumsum(no) - no / 2)).sum() / (yes.sum() * no.sum()))
    assert auc.reason.startswith(
        "an interval needs 8 strata below the threshold and 2 above, but there are 3 and 2;"
    )
    many = drawn((0, 0, 1, 1, 2, 2, 3, 5, 12, 18), (20,) * 10, (2000,) * 8 + (300, 200))
    a = assessed(*many)
    low, high = a["roc_auc"].low, a["roc_auc"].high
    assert low < a["roc_auc"].value < high
    assert "roc_auc" in a.to_dict()["measures"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("expected_calibration_error", "biased upward"),
        ("log_loss", "Single scores have too much weight"),
        ("calibration_slope", "Compare observed shares"),
        ("brier_score", "Available: measures of predicted labels"),
    ],
)
def test_measures_that_such_labels_do_not_give(name, reason):
    with pytest.raises(InputError, match=reason):
        assessed(*drawn())[name]


def test_any_measure_of_the_four_counts():
    a = assessed(*drawn())
    estimate = a["mcc"]
    assert estimate.low < estimate.value < estimate.high
    assert a["npv"].low < a["npv"].value


def test_stopping_by_width_raises_the_level_of_the_limits():
    plan, truth = drawn()
    usual, stopped = assessed(plan, truth), assessed(replace(plan, half_width=0.15), truth)
    at_98 = assessed(plan, truth, level=0.98)
    assert limits(stopped["recall"]) == limits(at_98["recall"])
    assert stopped["recall"].level == usual["recall"].level == 0.95
    assert stopped["recall"].method == (
        "stratified, Wilson along the way, 98% limits because labeling stops by width"
    )


def test_labels_after_the_last_one_are_not_missing_where_labeling_may_stop():
    plan, truth = drawn()
    order = np.random.default_rng(0).permutation(truth.size)
    plan = replace(plan, rows=plan.rows[order], stratum=plan.stratum[order], scores=plan.scores[order])
    labels = [*truth[order][:150].tolist(), *[None] * 70]
    assert codes(assessed(plan, labels)) == ["not_labeled"]
    assert codes(assessed(replace(plan, half_width=0.2), labels)) == []


def codes(a):
    return [code for code, _ in a.warnings]


def test_only_predicted_positives_with_a_label_never_give_recall():
    plan, truth = drawn()
    a = assessed(
        plan, [value if place >= 3 else None for value, place in zip(truth, plan.stratum, strict=True)]
    )
    assert limits(a["precision"]) == pytest.approx(OF_STRATA["precision"], abs=1e-9)
    assert a["recall"].reason == "no other case has a label"
    assert a.recall_bounds == (1060 / (1060 + 98000), 1.0)
    assert a.sentences[0] == "Recall cannot be estimated. Recall is between 1.07% and 100%."
    assert codes(a)[0] == "only_flagged"


def test_a_stratum_without_labels_is_combined():
    plan, truth = drawn()
    a = assessed(
        plan, [None if place == 1 else value for value, place in zip(truth, plan.stratum, strict=True)]
    )
    merged = assessed(*drawn((1, 9, 17, 31), (60, 40, 40, 40), (95000, 3000, 1400, 600)))
    assert limits(a["recall"]) == pytest.approx(limits(merged["recall"]), abs=1e-9)
    assert codes(a) == ["empty_strata", "not_labeled"]


def test_drawn_cases_without_a_label_are_told_with_their_worst_effect():
    plan, truth = drawn()
    labels = truth.tolist()
    labels[0], labels[-1] = (
        None,
        None,
    )  # the one positive of the lowest stratum, and a negative of the highest
    a = assessed(plan, labels)
    (warning,) = a.warnings
    assert warning.code == "not_labeled"
    low = limits(assessed(plan, truth)["recall"])[0]
    assert f"the missing labels, recall is {100 * low:.1f}% to " in warning.text
    assert "2 of 220 drawn cases have no label." in warning.text


def test_labels_of_other_cases_are_excluded():
    plan, truth = drawn()
    rows = [*plan.rows.tolist(), 99_999, 70]
    a = ca.assess_labeled([*truth.tolist(), True, True], rows=rows, plan=plan)
    assert limits(a["recall"]) == pytest.approx(OF_STRATA["recall"], abs=1e-9)
    assert codes(a) == ["not_drawn"]


def test_unsure_labels_count_as_missing():
    plan, truth = drawn()
    words = ["yes" if value else "no" for value in truth]
    words[5] = "?"
    a = assessed(plan, words, positive="yes", unsure="?")
    assert codes(a) == ["not_labeled", "unsure"]
    assert a.n_labels == 219
    words[5] = "'=?"  # as a list for a spreadsheet writes the label =?
    for typed in ("=?", "'=?"):
        again = assessed(plan, words, positive="yes", unsure=typed)
        assert (again.n_labels, again.estimates) == (219, a.estimates)


def test_the_whole_pool_and_its_list_agree():
    rng = np.random.default_rng(0)
    scores = rng.beta(0.3, 4, 5000)
    truth = rng.random(5000) < scores
    plan = ca.plan_labels(scores, budget=200, threshold=0.3)
    full = np.full(5000, np.nan)
    full[plan.rows] = truth[plan.rows]
    of_pool = ca.assess_labeled(full, scores, plan=plan)
    order = rng.permutation(200)
    of_list = ca.assess_labeled(
        truth[plan.rows][order], scores[plan.rows][order], rows=plan.rows[order], plan=plan
    )
    assert of_pool.estimates == of_list.estimates
    with pytest.raises(InputError, match="differ from those of the plan"):
        ca.assess_labeled(full, scores + 1e-9, plan=plan)
    with pytest.raises(InputError, match="differs from that of the plan"):
        ca.assess_labeled(truth[plan.rows], scores[plan.rows] / 2, rows=plan.rows, plan=plan)


def test_later_labels_are_added_to_the_same_design():
    rng = np.random.default_rng(0)
    scores = rng.beta(0.3, 4, 20_000)
    truth = rng.random(20_000) < scores
    first = ca.plan_labels(scores, budget=200, threshold=0.3)
    a = ca.assess_labeled(truth[first.rows], rows=first.rows, plan=first)
    more = a.more(scores, budget=200)
    b = ca.assess_labeled(truth[more.rows], rows=more.rows, plan=more)
    assert (b.n_labels, b.warnings) == (400, ())
    assert b["recall"].high - b["recall"].low < a["recall"].high - a["recall"].low


def test_labels_that_refute_the_planned_prevalence_anchor_the_expected_widths():
    rng = np.random.default_rng(0)
    scores = rng.beta(0.6, 3, 20_000)
    truth = rng.random(20_000) < scores / 6
    plan = ca.plan_labels(scores, budget=300, threshold=0.3)
    a = ca.assess_labeled(truth[plan.rows], rows=plan.rows, plan=plan)
    more = a.more(scores, budget=100)
    assert codes(more)[0] == "refuted_prevalence"
    assert more.planned_prevalence == pytest.approx(a["prevalence"].value, rel=0.01)
    assert [one.low for one in more.strata] == [one.low for one in plan.strata]
    assert more.expected["recall"] > plan.expected["recall"]


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.filterwarnings("error")
def test_more_labels_after_labels_of_one_class(label):
    scores = np.random.default_rng(0).beta(3, 2, 5_000)
    plan = ca.plan_labels(scores, budget=100, threshold=0.5)
    a = ca.assess_labeled([label] * 100, rows=plan.rows, plan=plan, positive=1)
    more = a.more(scores, budget=50)
    assert codes(more)[0] == "refuted_prevalence"
    assert more.planned_prevalence == pytest.approx(label, abs=1e-8)
    assert np.isfinite(
        [*more.expected.values(), *(x for each in more.others.values() for x in each.values())]
    ).all()


BAD = {
    "no label": ({"y_true": [None] * 220}, "No case has a label"),
    "no positive": ({"y_true": ["a", "b"] * 110}, "The positive class is not set"),
    "three labels": ({"y_true": ["a", "b"] * 100 + ["c"] * 20}, "The positive class is not set"),
    "wrong positive": ({"positive": "yes"}, "does not occur"),
    "wrong unsure": ({"unsure": "maybe"}, "does not occur"),
    "not the pool": ({"rows": None}, "There are 220 labels, but the plan is for 100,000 cases"),
    "fewer rows": ({"rows": [0, 1]}, "rows has 2 values, but there are 220 labels"),
    "row twice": ({"rows": [7] * 220}, "Row 7 of the pool occurs twice"),
    "row beyond": ({"rows": np.arange(220) + 99_900}, "rows must be row numbers of the pool"),
    "half row": ({"rows": np.arange(220) + 0.5}, "rows must be row numbers of the pool"),
    "none drawn": ({"rows": np.arange(220) + 1000}, "None of the cases that the plan drew has a label"),
}


@pytest.mark.parametrize("case", BAD)
def test_refusals(case):
    changed, text = BAD[case]
    plan, truth = drawn()
    arguments = {"y_true": truth, "rows": plan.rows, "plan": plan} | changed
    with pytest.raises(InputError, match=text):
        ca.assess_labeled(arguments.pop("y_true"), **arguments)


def test_requirements_and_json():
    a = assessed(*drawn())
    assert [str(outcome.verdict.value) for outcome in a.check("recall >= 0.1 and recall >= 0.9")] == [
        "pass",
        "fail",
    ]
    written = as_json(a)
    assert written["measures"]["recall"]["low"] == pytest.approx(0.106709840962549)
    assert [stratum["positives"] for stratum in written["strata"]] == list(POSITIVES)


@pytest.mark.slow
@pytest.mark.parametrize(("shift", "budget"), [(-5.1, 100), (-5.1, 300), (-7, 300)])
def test_coverage_of_drawn_labels(shift, budget):
    rng = np.random.default_rng(11)
    scores = 1 / (1 + np.exp(-rng.normal(shift, 1.6, 100_000)))
    truth = rng.random(scores.size) < scores
    called = scores >= np.quantile(scores, 0.98)
    threshold = float(scores[called].min())
    values = {
        "recall": truth[called].sum() / truth.sum(),
        "precision": truth[called].mean(),
        "prevalence": truth.mean(),
    }
    values["f1"] = 2 / (1 / values["recall"] + 1 / values["precision"])
    held = dict.fromkeys(values, 0)
    samples = 1000
    for seed in range(samples):
        plan = ca.plan_labels(scores, budget=budget, threshold=threshold, seed=seed)
        a = ca.assess_labeled(truth[plan.rows], rows=plan.rows, plan=plan)
        for name, value in values.items():
            held[name] += a[name].low <= value <= a[name].high
    for name, count in held.items():
        assert 0.93 <= count / samples <= 0.99, (name, count / samples)


def test_a_bound_outside_the_range_is_refused():
    a = assessed(*drawn())
    with pytest.raises(InputError, match="recall >= 2 never holds"):
        a.check("recall >= 2")
