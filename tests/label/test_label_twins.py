"""Plans computed again from their definitions: strata, labels, expected half-widths and what is said of them."""

import re
from itertools import pairwise, product

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import expit, logit
from scipy.stats import norm

import classay as ca
from classay.label.differences import difference_of
from classay.label.doubts import FirstLabels, contradicted, misjudged
from classay.label.expected import tool_of
from classay.label.planning import Stratum, in_digits

RANDOM = "simple random"
ALL = ("recall", "precision", "f1")
N = 700


def scores_of(kind, seed=1):
    rng = np.random.default_rng(seed)
    scores = rng.beta(0.6, 3, N)
    return {
        "plain": scores,
        "ties": np.round(scores, 1),
        "32 bits": scores.astype(np.float32),
        "ranks": np.round(logit(np.clip(scores, 1e-4, 1 - 1e-4)), 1),
    }[kind]


def planned_shares(scores, prevalence):
    """Scores moved on the logit to the prevalence, if there is one, and 20% of the way to their mean."""
    scores = scores.astype(float)
    if prevalence is None:
        return 0.8 * scores + 0.2 * scores.mean()
    with np.errstate(divide="ignore"):
        at = logit(scores)
    shift = brentq(lambda by: expit(at + by).mean() - prevalence, -40, 40)
    return 0.8 * expit(at + shift) + 0.2 * prevalence


def edges_of(scores, shares, threshold, budget):
    """The least scores of all strata but the first, from scores in order."""
    order = np.argsort(scores, kind="stable")
    scores = scores[order]
    below, n = int((scores < threshold).sum()), scores.size
    above, under = (1, 2) if budget < 100 else (2, 4)
    if shares is None:
        called, behind = n - below, 0
        places = [below + called * k // above for k in range(above)]
        for k in range(under - 1):
            behind += called * 2 ** (k + 1)
            places += [below - behind] if behind < below else []
    else:
        spread, places = np.sqrt(shares * (1 - shares))[order], [below]
        for begin, end, parts in ((0, below, under), (below, n, above)):
            sums = np.cumsum(spread[begin:end])
            places += [begin + int((sums < sums[-1] * k / parts).sum()) for k in range(1, parts)]
    return [edge for edge in sorted({float(scores[place]) for place in places}) if edge != scores[0]]


def neyman(sizes, called, shares, spreads, measures):
    """Labels that make the errors of the measures least, by differences of each measure in each share."""

    def value(name, p):
        true, positives = (sizes * p)[called].sum(), (sizes * p).sum()
        flagged = sizes[called].sum()
        return {
            "recall": true / positives,
            "precision": true / flagged,
            "f1": 2 * true / (flagged + positives),
            "prevalence": positives / sizes.sum(),
        }[name]

    squares = np.zeros(sizes.size)
    for name in measures:
        steps = 1e-6 * np.eye(sizes.size)
        slopes = np.array([(value(name, shares + by) - value(name, shares - by)) / 2e-6 for by in steps])
        errors = slopes / sizes * spreads
        squares += errors**2 / (errors**2).sum()
    return np.sqrt(squares) / np.sqrt(squares).sum()


def are_shared_out(labels, weights, sizes, budget, least):
    """Whether whole labels are the weights times one number, within bounds, the greatest remainders rounded up."""
    low = np.minimum(least, sizes)
    scale = brentq(lambda by: np.clip(by * weights, low, sizes).sum() - budget, 0, 1e7, xtol=1e-12)
    exact = np.clip(scale * weights, low, sizes)
    up = labels - np.floor(exact + 1e-6)
    rest = exact - np.floor(exact + 1e-6)
    assert labels.sum() == budget
    assert ((up == 0) | (up == 1)).all()
    assert rest[up == 1].min(initial=1) >= rest[up == 0].max(initial=0) - 1e-6


def half(name, sizes, called, shares, labels, level=0.95):
    low, high = tool_of(name, sizes, called, shares, labels).limits(norm.ppf((1 + level) / 2))
    return float(high - low) / 2


def random_half(name, sizes, called, shares, budget, level):
    """The half-width of Wilson's interval of the labels that a measure is about, with the effective number of them."""
    true, flagged = (sizes * shares)[called].sum(), sizes[called].sum()
    positives, cases, z = (sizes * shares).sum(), sizes.sum(), norm.ppf((1 + level) / 2)
    of, part = {
        "recall": (positives, true / positives),
        "precision": (flagged, true / flagged),
        "f1": (flagged + positives - true, true / (flagged + positives - true)),
        "prevalence": (cases, positives / cases),
    }[name]
    m = budget * of / cases
    m *= (max(of, m + 1) - 1) / (max(of, m + 1) - m)
    middle, off = part + z * z / (2 * m), z * np.sqrt(part * (1 - part) / m + z * z / (4 * m * m))
    low, high = (np.array([middle - off, middle + off])) / (1 + z * z / m)
    return (2 * high / (1 + high) - 2 * low / (1 + low)) / 2 if name == "f1" else (high - low) / 2


def ways_of(sizes, called, shares, *, is_known):
    """Shares of smaller prevalences: of the same logits but for a shift, or of scores that claim too little."""
    prevalence, flagged, ways = (sizes * shares).sum() / sizes.sum(), sizes[called].sum(), [shares]
    for times in (1 / 3, 1.0) if is_known else (1 / 30, 1 / 5, 1.0):
        shift = brentq(
            lambda by, times=times: (
                (sizes * expit(logit(shares) + by)).sum() / sizes.sum() - times * prevalence
            ),
            -40,
            40,
        )
        ways.append(expit(logit(shares) + shift))
        positives = times * prevalence * sizes.sum()
        for precision, recall in product((0.5, 0.8), (0.5, 0.9)):
            true = min(precision * flagged, recall * positives)
            others = min((positives - true) / sizes[~called].sum(), 1)
            ways.append(np.clip(np.where(called, true / flagged, others), 1e-9, 1 - 1e-9))
    return np.array(ways)


PLANS = {
    "usual": ("plain", {"budget": 150}),
    "small": ("plain", {"budget": 99, "measures": ("recall", "prevalence")}),
    "first of many strata": ("plain", {"budget": 100, "threshold": 0.2}),
    "one measure": ("ties", {"budget": 60, "measures": ("precision",), "level": 0.8}),
    "prevalence": ("plain", {"budget": 120, "prevalence": 0.05, "half_width": 0.2}),
    "prevalence as it is": ("32 bits", {"budget": 200, "threshold": 0.25, "seed": 4}),
    "ties": ("ties", {"budget": 150, "threshold": 0.3, "measures": ("f1", "prevalence")}),
    "ranks": ("ranks", {"budget": 150, "threshold": -0.2}),
    "few ranks": ("ranks", {"budget": 60, "threshold": -0.2}),
    "many ranks below": ("ranks", {"budget": 150, "threshold": 0.5}),
    "nearly all": ("plain", {"budget": 690}),
    "a random sample wins": (
        "ties",
        {"budget": 150, "threshold": 0.7, "measures": ("precision", "prevalence", "f1")},
    ),
}


@pytest.fixture(scope="module", params=PLANS)
def planned(request):
    kind, how = PLANS[request.param]
    how = {"threshold": 0.5, "measures": ALL, "level": 0.95, "prevalence": None, "seed": 0} | how
    return scores_of(kind), how, ca.plan_labels(scores_of(kind), **how)


def test_strata_are_those_of_the_definition(planned):
    scores, how, plan = planned
    is_ranked = scores.min() < 0
    shares = None if is_ranked else planned_shares(scores, how["prevalence"])
    edges = edges_of(scores, shares, how["threshold"], how["budget"])
    ends = [None, *edges, None]
    assert [(one.low, one.high) for one in plan.strata] == [*pairwise(ends)]
    codes = np.digitize(scores, edges)
    sizes = np.bincount(codes)
    assert [one.cases for one in plan.strata] == sizes.tolist()
    assert [one.is_called for one in plan.strata] == [
        bool(scores[codes == k].min() >= np.asarray(how["threshold"], scores.dtype))
        for k in range(sizes.size)
    ]
    means = np.bincount(codes, scores) / sizes
    assert [one.mean_score for one in plan.strata] == pytest.approx(means, rel=1e-6)
    called, labels = np.array([one.is_called for one in plan.strata]), plan.arrays[1]
    if is_ranked:
        assert [one.planned for one in plan.strata] == [None] * sizes.size
        weights = np.where(called, 0.4 / called.sum(), 0.6 / (~called).sum())
        assert plan.planned_prevalence is None
    else:
        parts = np.bincount(codes, shares) / sizes
        assert [one.planned for one in plan.strata] == pytest.approx(parts, rel=1e-5)
        weights = neyman(
            sizes, called, parts, np.bincount(codes, np.sqrt(shares * (1 - shares))), how["measures"]
        )
        assert plan.planned_prevalence == pytest.approx(how["prevalence"] or scores.mean(), rel=1e-5)
    are_shared_out(labels, weights, sizes, how["budget"], 5)
    assert plan.stratum.tolist() == codes[plan.rows].tolist()
    assert plan.scores.tolist() == scores[plan.rows].tolist()
    assert np.bincount(plan.stratum).tolist() == labels.tolist()
    assert np.unique(plan.rows).size == how["budget"]
    assert (
        plan.threshold,
        plan.measures,
        plan.level,
        plan.seed,
        plan.waves,
        plan.half_width,
        plan.models,
    ) == (
        *(how[name] for name in ("threshold", "measures", "level", "seed")),
        (how["budget"],),
        how.get("half_width"),
        (),
    )


def test_expected_half_widths_are_those_of_the_definition(planned):
    scores, how, plan = planned
    if scores.min() < 0:
        assert (plan.expected, plan.others, plan.expected_if_not_calibrated) == ({}, {}, {})
        assert [code for code, _ in plan.warnings] == ["no_probabilities"]
        return
    sizes, labels, calls = plan.arrays
    sizes, labels, called = sizes.astype(float), labels.astype(float), calls[:, 0]
    shares, level = np.array([one.planned for one in plan.strata]), how["level"]
    ways = ways_of(sizes, called, shares, is_known=how["prevalence"] is not None)
    assert misjudged(shares, sizes, called, is_known=how["prevalence"] is not None) == pytest.approx(
        ways, abs=1e-7
    )
    designs = {**({} if len(plan.measures) == 1 else dict.fromkeys(plan.measures)), RANDOM: None}
    assert {*plan.others} == {*designs}
    assert [*plan.expected] == [*plan.expected_if_not_calibrated] == [*plan.measures]
    for name in plan.measures:
        assert plan.expected[name] == pytest.approx(
            half(name, sizes, called, shares, labels, level), abs=1e-9
        )
        wide = max(half(name, sizes, called, way, labels, level) for way in ways)
        assert plan.expected_if_not_calibrated[name] == pytest.approx(wide, abs=1e-6)
        alone = random_half(name, sizes, called, shares, how["budget"], level)
        assert plan.others[RANDOM][name] == pytest.approx(alone, abs=1e-6)
        if len(plan.measures) > 1:
            single = ca.plan_labels(scores, **how | {"measures": [name]})
            for other in plan.measures:
                wanted = half(other, sizes, called, shares, single.arrays[1].astype(float), level)
                assert plan.others[name][other] == pytest.approx(wanted, abs=1e-9)
            assert plan.others[name][name] == pytest.approx(single.expected[name], abs=1e-9)


def named(halves):
    return [f"{in_digits(one)} for {'F1' if name == 'f1' else name}" for name, one in halves.items()]


def test_sentences_and_warnings_are_those_of_the_half_widths(planned):
    _, how, plan = planned
    assert plan.sentences[0] == (
        f"The plan draws {how['budget']} of {N} cases from {len(plan.strata)} strata by score."
    )
    assert repr(plan) == f"LabelPlan({plan.sentences[0]})"
    if not plan.expected:
        assert len(plan.sentences) == 1
        return
    expected, *others = plan.sentences[1:]
    usual, wide = expected.split(" If not, ")
    assert usual.startswith(
        f"If the scores are calibrated, the expected half-widths of the {100 * how['level']:g}% CIs"
    )
    about = [
        (usual, plan.expected),
        (wide, plan.expected_if_not_calibrated),
        (others[0], plan.others[RANDOM]),
    ]
    if len(plan.measures) > 1:
        about.append((others[1], {name: plan.others[name][name] for name in plan.measures}))
    assert len(others) == len(about) - 2
    for text, halves in about:
        assert re.findall(r"[\d.]+ for \w+", text) == named(halves)
    better = [name for name in plan.measures if plan.others[RANDOM][name] < plan.expected[name]]
    texts = [text for code, text in plan.warnings if code == "random_is_better"]
    assert len(texts) == bool(better)
    assert all(name in texts[0].split(". ")[0] for name in better)
    assert all(name in better or name not in texts[0].split(". ")[0] for name in plan.measures if texts)


def pair_of(seed=0, n=N):
    rng = np.random.default_rng(seed)
    first = rng.beta(0.6, 3, n)
    return first, np.clip(first * np.exp(rng.normal(0, 0.7, n)), 0, 1)


@pytest.mark.parametrize(
    "how",
    [
        {"budget": 150},
        {"budget": 120, "threshold": 0.3, "measures": ("recall",), "level": 0.9, "half_width": 0.2},
        {"budget": 200, "threshold": 0.4, "prevalence": 0.08, "measures": ("f1", "precision"), "seed": 2},
    ],
)
def test_a_plan_of_two_models_is_that_of_the_definition(how):
    how = {
        "threshold": 0.5,
        "measures": ALL,
        "level": 0.95,
        "prevalence": None,
        "seed": 0,
        "half_width": None,
    } | how
    first, second = pair_of()
    plan = ca.plan_labels({"a": first, "b": second}, **how)
    scores, mean = np.column_stack([first, second]), (first + second) / 2
    shares = planned_shares(mean, how["prevalence"])
    calls = scores >= how["threshold"]
    none = ~calls.any(1)
    order = np.sort(mean[none])
    sums = np.cumsum(np.sqrt(shares * (1 - shares))[none][np.argsort(mean[none])])
    edges = [float(order[int((sums < sums[-1] * k / 3).sum())]) for k in (1, 2)]
    kinds = [(False, True), (True, False), (True, True)]
    codes = np.digitize(mean, edges)
    for k, kind in enumerate(kinds):
        codes[(calls == kind).all(1)] = 3 + k
    sizes = np.bincount(codes)
    ends = [None, *edges, None]
    assert [(one.low, one.high) for one in plan.strata] == [
        *pairwise(ends),
        *[(None, None)] * 3,
    ]
    assert [one.called_by for one in plan.strata] == [(), (), (), ("b",), ("a",), ("a", "b")]
    assert [one.range for one in plan.strata] == [
        f"below {edges[0]:.4g}",
        f"{edges[0]:.4g} to below {edges[1]:.4g}",
        f"{edges[1]:.4g} or more",
        "only b",
        "only a",
        "both models",
    ]
    assert [one.is_called for one in plan.strata] == [False] * 3 + [True] * 3
    assert [one.cases for one in plan.strata] == sizes.tolist()
    parts, spreads = np.bincount(codes, shares) / sizes, np.bincount(codes, np.sqrt(shares * (1 - shares)))
    assert [one.planned for one in plan.strata] == pytest.approx(parts, rel=1e-6)
    assert [one.mean_score for one in plan.strata] == pytest.approx(np.bincount(codes, mean) / sizes)
    by_model = np.array([[False] * 3 + [False, True, True], [False] * 3 + [True, False, True]])
    weights = np.mean([neyman(sizes, called, parts, spreads, how["measures"]) for called in by_model], 0)
    weights[3:5] *= 2
    labels = plan.arrays[1]
    are_shared_out(labels, weights / weights.sum(), sizes, how["budget"], np.array([5] * 3 + [15] * 3))
    assert plan.stratum.tolist() == codes[plan.rows].tolist()
    assert plan.scores.tolist() == scores[plan.rows].tolist()
    assert (plan.models, plan.waves, plan.half_width, plan.seed) == (
        ("a", "b"),
        (how["budget"],),
        how["half_width"],
        how["seed"],
    )
    assert [*plan.others] == [RANDOM]
    z, m = norm.ppf((1 + how["level"]) / 2), labels.astype(float)

    def width(name, shares, labels, with_t=True):
        tool = difference_of(
            name, sizes.astype(float), by_model.T, shares, labels, is_finite=True, with_t=with_t
        )
        low, high = tool.limits(z)
        return float(high - low) / 2

    ways = ways_of(sizes.astype(float), np.arange(6) >= 3, parts, is_known=how["prevalence"] is not None)
    for name in plan.measures:
        assert plan.expected[name] == pytest.approx(width(name, parts, m), abs=1e-7)
        assert plan.others[RANDOM][name] == pytest.approx(
            width(name, parts, how["budget"] * sizes / N, with_t=False), abs=1e-7
        )
        wide = max(width(name, way, m) for way in ways)
        assert plan.expected_if_not_calibrated[name] == pytest.approx(wide, abs=1e-5)
    assert plan.sentences[0].endswith("Differences of a and b can be estimated.")


@pytest.mark.parametrize("gone", [0, 7, 40])
@pytest.mark.parametrize("budget", [1, 90])
def test_more_labels_follow_the_first_ones(gone, budget):
    """Each share is that of its labels and of one planned label, moved to the prevalence of the labels."""
    scores = scores_of("plain")
    truth = np.random.default_rng(3).random(N) < scores
    plan = ca.plan_labels(scores, budget=100)
    rows = plan.rows[gone:]
    a = ca.assess_labeled(truth[rows], rows=rows, plan=plan)
    more = a.more(scores, budget=budget, seed=5)
    sizes, labels, calls = plan.arrays
    are_shared_out(more.arrays[1], labels / labels.sum(), sizes, 100 + budget, labels)
    assert more.waves == (100, budget)
    m, y = (np.bincount(plan.stratum[gone:], by, sizes.size) for by in (np.ones(rows.size), truth[rows]))
    shares = np.array([one.planned for one in plan.strata])
    has = m > 0
    prevalence = (sizes * y / np.maximum(m, 1))[has].sum() / sizes[has].sum()
    shift = brentq(lambda by: (sizes * expit(logit(shares) + by)).sum() / sizes.sum() - prevalence, -40, 40)
    moved = (y + expit(logit(shares) + shift)) / (m + 1)
    assert [one.planned for one in more.strata] == pytest.approx(moved, rel=1e-6)
    assert more.labels_used == rows.size
    useful = np.maximum(more.arrays[1] - (labels - m), np.minimum(more.arrays[1], 1)).astype(float)
    called = calls[:, 0]
    z = 1.0
    ends = []
    for share, of in zip(y / np.maximum(m, 1), np.maximum(m, 1), strict=True):
        middle, off = share + z / (2 * of), np.sqrt(share * (1 - share) / of + 1 / (4 * of * of))
        ends.append(((middle - off) / (1 + z / of), (middle + off) / (1 + z / of)))
    low, high = np.array(ends).T
    low, high = np.where(y == 0, 0, low), np.where(y == m, np.where(m > 0, 1, high), high)
    options = [np.clip(part, 1e-9, 1 - 1e-9) for part in (low, moved, high)]
    ways = [np.where(called, above, below) for above in options for below in options]
    for name in more.measures:
        assert more.expected[name] == pytest.approx(
            half(name, sizes.astype(float), called, moved, useful), abs=1e-7
        )
        wide = max(half(name, sizes.astype(float), called, way, useful) for way in ways)
        assert more.expected_if_not_calibrated[name] == pytest.approx(wide, abs=1e-6)
        alone = random_half(name, sizes.astype(float), called, moved, 100 + budget - gone, 0.95)
        assert more.others[RANDOM][name] == pytest.approx(alone, abs=1e-6)
    texts = [text for code, text in more.warnings if code == "not_labeled"]
    assert [text.split()[0] for text in texts] == [str(gone)] * bool(gone)
    assert more.sentences[1].startswith(f"By the {100 - gone} labels so far, ")
    assert "Within the errors of these labels, half-widths may reach " in more.sentences[1]
    names = plan.more(scores, budget=budget, prevalence=0.05)
    assert names.planned_prevalence == pytest.approx(0.05, rel=1e-6)
    assert plan.more(scores, budget=budget).planned_prevalence == pytest.approx(plan.planned_prevalence)


def test_another_seed_draws_other_cases_of_the_later_draw_only():
    scores = scores_of("plain")
    plan = ca.plan_labels(scores, budget=100)
    assert plan.rows.tolist() == ca.plan_labels(scores, budget=100, seed=0).rows.tolist()
    usual, same, other = plan.more(scores, budget=50), *(plan.more(scores, budget=50, seed=s) for s in (0, 1))
    assert usual.rows.tolist() == same.rows.tolist()
    assert other.rows[:100].tolist() == plan.rows.tolist()
    assert other.rows[100:].tolist() != usual.rows[100:].tolist()
    again = usual.more(scores, budget=50)
    assert again.waves == (100, 50, 50)
    assert np.unique(again.rows).size == 200


def test_defaults_of_a_plan():
    scores = scores_of("plain")
    usual = ca.plan_labels(scores, budget=120)
    spelled = ca.plan_labels(scores, budget=120, measures=ALL, threshold=0.5, level=0.95, seed=0)
    assert usual.to_dict() == spelled.to_dict()
    twice = ca.plan_labels(scores, budget=120, measures=[*ALL, "recall"])
    assert twice.to_dict() == usual.to_dict()


def test_strata_are_refuted_by_exact_limits():
    """Clopper-Pearson at a level that all strata share, against the range from the score to the planned share."""
    from scipy.stats import binom

    sizes, planned = np.array([900.0, 80, 20, 10]), np.array([0.05, 0.3, 0.7, 0.5])
    mean = (sizes * planned).sum() / sizes.sum()
    score = (planned - 0.2 * mean) / 0.8
    rng = np.random.default_rng(0)
    times = np.zeros(2, int)
    for level in [0.8, 0.95] * 20:
        labels = np.array([rng.integers(1, 80), rng.integers(1, 40), rng.integers(1, 20), 0])
        positives = rng.binomial(labels, rng.uniform(0, 1, 4))
        error = (1 - level) / 4 / 2
        least, most = np.minimum(planned, score), np.maximum(planned, score)
        # a limit is below a share where so few, and above where so many positives are rarer than the error
        is_refuted = (binom.cdf(positives, labels, least) < error) | (
            binom.sf(positives - 1, labels, most) < error
        )
        found = contradicted(planned, sizes, labels, positives, level)
        assert found.tolist() == is_refuted.tolist()
        times += np.bincount(found, minlength=2)
    assert times.min() > 20


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1449, "0.14"),
        (0.145001, "0.15"),
        (0.099, "0.099"),
        (1e-8, "0.000000010"),
        (1e-10, "0"),
        (0.01, "0.010"),
    ],
)
def test_half_widths_have_two_digits(value, text):
    assert in_digits(value) == text


def test_strata_in_words():
    def range_of(low, high, called_by=None):
        return Stratum(low, high, True, 9, 1, 0.5, None, called_by).range

    assert range_of(None, None) == "all"
    assert range_of(None, 0.25) == "below 0.25"
    assert range_of(0.123456, None) == "0.1235 or more"
    assert range_of(0.0, 0.5) == "0 to below 0.5"
    assert range_of(None, None, ("a", "b")) == "both models"
    assert range_of(0.1, 0.2, ("b",)) == "only b"
    assert range_of(0.1, 0.2, ()) == "0.1 to below 0.2"
    assert Stratum(None, None, False, 9, 1, 0.5, None).calls(("a",)) == [False]


def test_first_labels_of_strata_without_any():
    first = FirstLabels(np.array([0, 10, 40]), np.array([0, 5, 4]), np.array([7, 0, 0]))
    sizes, shares = np.array([100.0, 100, 800]), np.array([0.2, 0.3, 0.1])
    prevalence = (100 * 0.5 + 800 * 0.1) / 900
    shift = brentq(lambda by: (sizes * expit(logit(shares) + by)).sum() / 1000 - prevalence, -9, 9)
    moved = expit(logit(shares) + shift)
    wanted = [moved[0], (5 + moved[1]) / 11, (4 + moved[2]) / 41]
    assert first.anchored(shares, sizes) == pytest.approx(wanted, rel=1e-6)
    ways = first.ways(shares, np.array([False, False, True]))
    assert ways.shape == (9, 3)
    assert {*np.round(ways[:, 2], 12)} == {*np.round([ways[0, 2], 0.1, ways[-1, 2]], 12)}
    assert (ways[4] == shares).all()
