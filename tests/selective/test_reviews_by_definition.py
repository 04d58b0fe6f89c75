"""Reviews with a price by their definition: numbers, sentences, table and JSON, recomputed case by case."""

import math

import numpy as np
import pytest

import classay as ca
from classay.decision.costs import Costs
from classay.decision.cut_costs import ScoredClasses, expected_cost_of_cuts
from classay.errors import InputError
from classay.inference.estimate import format_estimate, number
from classay.inference.phrasing import percent
from classay.selective.reviewing import dearest_guess

PRICES = [
    {"fp": 1, "fn": 5, "review": 0.3},
    {"fp": 4, "fn": 1, "tp": -0.5, "review": 0.6},
    {"fp": 2, "fn": 3, "tn": 0.1, "tp": 0.2, "review": 0.9},
    {"fp": 1, "fn": 1, "review": 0.05},
    {"fp": 1, "fn": 1, "review": 0.499},
    {"fp": 6, "fn": 6, "tp": -1, "review": 1.2},
]
FORMS = ("rows", "frequency", "weight")


def made(form, k):
    """A review of random cases, with their labels, scores and weights."""
    rng = np.random.default_rng(50 + k)
    n = (40, 90, 150)[k % 3]
    p = np.round(rng.beta(0.8, 1.2, n), 1 if k % 2 else 3)
    y = (rng.random(n) < p).astype(int)
    weight = {"rows": np.ones(n), "frequency": rng.integers(1, 4, n), "weight": rng.gamma(3, 1, n)}[form]
    how = {"level": 0.9, "seed": k} | ({} if form == "rows" else {form: weight})
    return ca.assess(y, p, **how).threshold(cost=PRICES[k]), y, p, weight


def cost_of(called, y, weight, prices):
    """The mean cost of calls, where -1 is a review."""
    of = {(0, 0): "tn", (0, 1): "fn", (1, 0): "fp", (1, 1): "tp"}
    each = [prices["review"] if c < 0 else prices.get(of[c, t], 0) for c, t in zip(called, y, strict=True)]
    return np.average(each, weights=weight)


def called_by(p, low, high):
    return np.where(p < low, 0, np.where(p < high, -1, 1))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("k", range(len(PRICES)))
def test_a_review_is_what_its_definition_gives(form, k):
    r, y, p, weight = made(form, k)
    prices, score = PRICES[k], np.unique(p)
    halves = [-math.inf, *((score[:-1] + score[1:]) / 2), math.inf]
    assert min(abs(r.low - np.array(halves)), default=0) == pytest.approx(0, abs=1e-12) or r.low in halves
    assert r.low <= r.high
    called = called_by(p, r.low, r.high)
    assert r.counts == pytest.approx(
        np.array([[weight[(called == c) & (y == t)].sum() for t in (0, 1)] for c in (0, -1, 1)])
    )
    assert r.cost == pytest.approx(cost_of(called, y, weight, prices))
    assert r.without == pytest.approx(
        min(cost_of(called_by(p, cut, cut), y, weight, prices) for cut in halves)
    )
    least = min(
        cost_of(called_by(p, a, b), y, weight, prices) for a in halves[::5] for b in halves[::5] if a <= b
    )
    assert r.cost <= least + 1e-12
    assert r.saving == pytest.approx(r.without - r.cost)
    assert r.total == pytest.approx(weight.sum())
    assert r.share == pytest.approx(weight[called < 0].sum() / weight.sum())
    assert (r.levels, r.level, r.seed, r.review) == (score.size, 0.9, k, prices["review"])
    assert r.number == pytest.approx(
        weight.sum() if form != "weight" else weight.sum() ** 2 / (weight**2).sum()
    )
    assert r.decisions(p) == [None if c < 0 else int(c) for c in called]
    if math.isfinite(r.low + r.high):
        assert r.decisions([r.low, r.high]) == [1 if r.low == r.high else None, 1]
    table = [[prices.get("tn", 0), prices["review"], prices["fn"]], [prices["review"]] * 3]
    priced = Costs.from_array(
        [*table, [prices["fp"], prices["review"], prices.get("tp", 0)]], (0, 1, 2), rows="predicted"
    )
    cases = ScoredClasses.of(p, 2 * y, weight.astype(float), 3, is_sampled=form == "weight")
    ends = np.searchsorted(score, [r.low, r.high])
    wanted = expected_cost_of_cuts(cases, ends, priced, (0, 1, 2), 0.9, k)
    assert (r.expected.value, r.expected.low, r.expected.high) == pytest.approx(
        (wanted.value, wanted.low, wanted.high), rel=1e-9
    )


def range_of(low, high):
    """The scores of reviewed cases in words."""
    if math.isinf(low):
        return "of any value" if math.isinf(high) else f"below {number(high)}"
    return f"from {number(low)} on" if math.isinf(high) else f"from {number(low)} to below {number(high)}"


def sentences_of(r):
    cost, without = number(r.cost), number(r.without)
    if r.share > 0:
        yield f"Review cases with scores {range_of(r.low, r.high)}: {percent(r.share, int(r.total))} of the cases."
    else:
        at = {math.inf: "No case is predicted positive.", -math.inf: "All cases are predicted positive."}
        yield f"Reviews lower the cost for no case. {at.get(r.high, f'The threshold is {number(r.high)}.')}"
    if math.isnan(r.expected.value):
        yield f"The expected cost on new cases cannot be estimated: {r.expected.reason}."
    else:
        yield f"The expected cost on new cases is {format_estimate(r.expected)} per case."
    yield (
        f"On these cases, the cost is {cost} per case, and that of the best threshold without reviews {without} "
        "(both optimistic)."
    )


def reviews():
    """Reviews of all kinds of ranges, and none."""
    y, p = np.array([0, 0, 1, 1] * 20), np.array([0.1, 0.6, 0.4, 0.9] * 20)
    for k in range(len(PRICES)):
        yield made("rows", k)[0], PRICES[k]
    dear, cheap = {"fp": 1, "fn": 1, "review": 0.45}, {"fp": 1, "fn": 1, "review": 0.01}
    for labels, score, prices in (
        (y, np.full(80, 0.5), dear),  # all reviewed
        (np.ones(80, int), p, dear),
        (np.zeros(80, int), p, dear),
        (y, np.where(y, p, 0.2), {"fp": 50, "fn": 1, "review": 0.9}),
        (y, np.where(y, 0.9, p), {"fp": 1, "fn": 50, "review": 0.9}),
        (y, y * 0.8, dear),  # divided by one threshold
        (y, 1 - p, cheap),
        (np.array([0] * 40 + [0, 1] * 20), np.repeat([0.2, 0.8], 40), dear),
        (np.array([0, 1] * 20), np.repeat([0.3, 0.7], 20), cheap),
        (np.array([0, 1] * 19 + [0] * 10), np.repeat([0.3, 0.7], [38, 10]), cheap),
        (np.array([0, 1] * 19 + [1] * 10), np.repeat([0.3, 0.7], [38, 10]), cheap),
    ):
        yield ca.assess(labels, score, labels=[0, 1]).threshold(cost=prices), prices
    yield ca.assess([1], [0.4], labels=[0, 1]).threshold(cost=dear), dear


def test_what_a_review_says_and_writes_are_its_numbers():
    ranges, thresholds = set(), set()
    for r, prices in reviews():
        assert list(r.sentences) == list(sentences_of(r))
        (ranges if r.share else thresholds).add((math.isinf(r.low), math.isinf(r.high)))
        priced = {name: prices[name] for name in ("fp", "fn", "tp", "tn", "review") if prices.get(name)}
        assert dict(r.facts)["costs"] == ", ".join(f"{name}={value:g}" for name, value in priced.items())
        assert dict(r.facts)["cases"] == f"{r.total:,.6g}"
        assert (dict(r.facts)["confidence level"], dict(r.facts)["seed"]) == (
            f"{100 * r.level:g}%",
            str(r.seed),
        )
        written = r.to_dict()
        assert written["costs"] == priced
        assert (written["reviewed"], written["cost"], written["cost_without_reviews"]) == (
            r.share,
            r.cost,
            r.without,
        )
        cuts = [None if math.isinf(cut) else cut for cut in (r.low, r.high)]
        assert [row["from"] for row in written["calls"]] == [None, *cuts]
        assert [row["call"] for row in written["calls"]] == ["negative", "review", "positive"]
        assert [row["cases"] for row in written["calls"]] == r.counts.tolist()
        document = r.document()
        calls, costs = (section.parts[0] for section in document.sections[:2])
        froms = [
            "no score" if cut == math.inf else "any score" if cut == -math.inf else number(cut)
            for cut in (r.low, r.high)
        ]
        assert [row[1].text for row in calls.rows] == ["below", *froms]
        assert [row[0].text for row in calls.rows] == ["predicted negative", "reviewed", "predicted positive"]
        assert [[cell.value for cell in row[2:]] for row in calls.rows] == r.counts.tolist()
        assert [column.head for column in calls.columns] == ["", "from score", "true 0", "true 1"]
        shown = [row[1].estimate.value for row in costs.rows]
        assert shown == pytest.approx([r.cost, r.without, r.expected.value], nan_ok=True)
        methods = " ".join(document.methods)
        assert ("No case is reviewed." in methods) == (r.share == 0)
        assert (f"Cases with scores {range_of(r.low, r.high)} are reviewed" in methods) == (r.share > 0)
        assert (
            "the expected cost contains it"
            in " ".join(methods.split()).replace("The interval of the expected", "the expected")
        ) == r.expected.has_interval
        assert (f"({percent(r.share, int(r.total))} of the cases)" in methods) == (r.share > 0)
    assert ranges >= {(True, True), (False, False), (True, False), (False, True)}
    assert len(thresholds) == 2


@pytest.mark.parametrize(
    ("cases", "levels", "is_warned"), [(59, 10, True), (60, 10, False), (59, 11, False), (60, 11, False)]
)
def test_few_cases_with_few_scores_are_warned_of(cases, levels, is_warned):
    y, p = np.arange(cases) % 2, np.arange(cases) % levels / levels
    r = ca.assess(y, p).threshold(cost={"fp": 1, "fn": 1, "review": 0.3})
    said = [
        f"There are {cases} cases with {levels} distinct scores. The interval of the expected cost "
        "may miss the true cost in 1 of 10 samples."
    ]
    assert [one.text for one in r.warnings] == (said if is_warned else [])


@pytest.mark.parametrize("seed", range(20))
def test_no_price_above_the_dearest_guess_and_none_below_a_correct_decision_is_taken(seed):
    """A review pays at a price below the most, over all probabilities, of what the cheaper decision costs."""
    rng = np.random.default_rng(seed)
    tn, tp, fn, fp = np.round(rng.random(4) * [1, 1, 5, 5] * (rng.random(4) < 0.7), 2)
    fn, fp = max(tn, tp) + fn + 0.1, max(tn, tp) + fp + 0.1
    share = np.linspace(0, 1, 100_001)
    most = np.minimum((1 - share) * tn + share * fn, (1 - share) * fp + share * tp).max()
    assert dearest_guess(np.array([[tn, fn], [fp, tp]])) == pytest.approx(most, abs=1e-3)
    a = ca.assess([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])
    prices = dict(zip(("tn", "fn", "fp", "tp"), map(float, (tn, fn, fp, tp)), strict=True))
    for price, said in (
        (most + 0.002, "nothing would be reviewed"),
        (min(tn, tp), "everything would be reviewed, because a correct decision"),
        (most - 0.002, None),
        (min(tn, tp) + 0.001, None),
    ):
        if said is None:
            assert a.threshold(cost=prices | {"review": price}).review == price
            continue
        with pytest.raises(InputError, match=said):
            a.threshold(cost=prices | {"review": price})


def test_a_review_at_the_very_price_of_a_guess_is_refused():
    a = ca.assess([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])
    with pytest.raises(
        InputError, match=r"review=0\.5 nothing would be reviewed, .* at most 0\.5 on average"
    ):
        a.threshold(cost={"fp": 1, "fn": 1, "review": 0.5})
    for value in (True, math.nan, math.inf, "0.1"):
        for name in ("fp", "review"):
            with pytest.raises(InputError, match=f"{name} is .* Use a number"):
                a.threshold(cost={"fp": 1, "fn": 1, "review": 0.1} | {name: value})
