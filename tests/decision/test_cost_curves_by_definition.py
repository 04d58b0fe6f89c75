"""Cost curves recomputed by loops: costs on other folds, spreads, ranges; and what is said of each range."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from scipy.special import ndtr, stdtrit
from scipy.stats import norm

import classay as ca
from classay.decision.cost_curves import TRIVIAL, CostCurves, CostSpread, Range, cost_ranges, honest_ranges
from classay.errors import InputError

X = np.linspace(0, 1, 11)
LEVEL = 0.9


def units_of(seed, models=3, units=40, points=6):
    """What each unit adds to the normalised cost of each model, and its share of each class."""
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 4, units)
    positive = rng.random(units) < 0.4
    positive[:2] = True, False
    shares = np.stack([np.where(positive, size, 0), np.where(positive, 0, size)], 1)
    shares = shares / shares.sum(0)
    names = [TRIVIAL, *"abc"][:models] if seed % 2 else [*"abc"[: models - 1], TRIVIAL]
    wrong = {name: rng.random((units, points)) < rng.uniform(0.1, 0.5) for name in names}
    return {name: one * shares.sum(1)[:, None] / 2 for name, one in wrong.items()}, shares


@pytest.mark.parametrize("seed", range(4))
def test_the_spread_of_a_difference_is_that_of_units_less_the_means_of_their_classes(seed):
    sums, shares = units_of(seed)
    one_case = np.linspace(0.01, 0.05, 6)
    spread = CostSpread.of(sums, shares, one_case)
    n = len(shares)
    assert spread.names == tuple(sums)
    assert spread.left == n - 2
    pairs, gaps, sd = spread.differences()
    needed = spread.needed(LEVEL, np.random.default_rng(3))
    critical = spread.critical(LEVEL, np.random.default_rng(3))
    assert critical >= norm.ppf(0.5 + LEVEL / 2)
    edges = spread.edges(critical)
    fewest = min(1 / (shares[:, k] ** 2).sum() for k in range(2))
    for row, (a, b) in enumerate(combinations(range(3), 2)):
        assert pairs[row].tolist() == [a, b]
        first, second = ([*sums.values()][k] for k in (a, b))
        apart = second - first
        for at in range(6):
            assert gaps[row, at] == pytest.approx(apart[:, at].sum())
            fitted = shares @ np.linalg.lstsq(shares, apart[:, at], rcond=None)[0]
            assert sd[row, at] == pytest.approx(np.sqrt(((apart[:, at] - fitted) ** 2).sum() * n / (n - 2)))
            square = apart[:, at] ** 2
            rests = min(square.sum() ** 2 / (square**2).sum(), fewest) if square.any() else 0
            assert spread.rests_on[row, at] == pytest.approx(rests)
            equal = np.sqrt(square.sum())
            assert spread.if_equal[row, at] == pytest.approx(equal)
            edge = stdtrit(max(1, min(rests - 1, n - 2)), ndtr(critical))
            assert edges[row, at] == pytest.approx(edge)
            size = max(edge * max(sd[row, at], one_case[at]), norm.ppf(0.5 + LEVEL / 2) * equal)
            assert needed[row, at] == pytest.approx(size)
    gone = CostSpread(
        spread.names, spread.costs, spread.covariance, spread.rests_on, 0, spread.if_equal, one_case
    )
    assert np.isinf(gone.needed(LEVEL, np.random.default_rng(3))).all()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("units", [40, 400])
def test_ranges_are_where_one_model_is_the_best_and_which_cost_more(seed, units):
    sums, shares = units_of(seed, models=4 if seed > 2 else 3, units=units)
    if seed == 1:
        sums["b"] = sums["a"]
    x = np.linspace(0, 1, 6)
    spread = CostSpread.of(sums, shares)
    names, costs = [*sums], {name: one.sum(0) for name, one in sums.items()}
    needed = spread.needed(LEVEL, np.random.default_rng(2))
    pairs = [*combinations(names, 2)]
    places = []
    for at in range(6):
        least = min(costs[name][at] for name in names)
        lowest = [name for name in names if costs[name][at] <= least + 1e-12]
        best = TRIVIAL if TRIVIAL in lowest else lowest[0]
        alike = () if best == TRIVIAL else tuple(name for name in lowest if name != best)
        dearer = []
        for name in names:
            if name == best:
                continue
            row = next(k for k, pair in enumerate(pairs) if {*pair} == {name, best})
            if costs[name][at] - costs[best][at] > needed[row, at]:
                dearer.append(name)
        places.append((best, len(dearer) == len(names) - 1, alike, dearer))
    found = cost_ranges(x, spread, LEVEL, np.random.default_rng(2))
    between = [0, *(x[:-1] + x[1:]) / 2, 1]
    assert (found[0].low, found[-1].high) == (0, 1)
    for at, (best, wins, alike, dearer) in enumerate(places):
        (span,) = [
            one
            for one in found
            if one.low < x[at] < one.high or (x[at] in (0, 1) and x[at] in (one.low, one.high))
        ]
        assert (span.best, span.wins, span.alike) == (best, wins, alike)
        here = [name for name, low, high in span.dearer if low <= between[at] and between[at + 1] <= high]
        assert here == [name for name in names if name in dearer and name != TRIVIAL]
    for one, other in pairwise(found):
        assert one.high == other.low
        assert (one.best, one.wins, one.alike) != (other.best, other.wins, other.alike)
    for span in found:
        for name, low, high in span.dearer:
            assert span.low <= low < high <= span.high
            assert {low, high} <= {*between}
            assert name != TRIVIAL


@pytest.mark.parametrize("weighted", [False, True])
def test_costs_on_other_cases_are_of_thresholds_chosen_on_the_other_folds(weighted):
    rng = np.random.default_rng(5)
    n = 50
    y = np.arange(n) % 3 == 0
    score = (y + rng.normal(size=n)).round(1)
    w = rng.integers(1, 4, n) * 1.0 if weighted else np.ones(n)
    fold = np.arange(n) % 5
    _, costs = honest_ranges(X, {"m": score}, y, w, np.arange(n), fold, LEVEL, 0)
    wanted = np.zeros(X.size)
    for at, x in enumerate(X):
        for k in range(5):
            rest, own = fold != k, fold == k
            rules = [np.inf, *np.unique(score[rest])[::-1]]
            rates = []
            for threshold in rules:
                called = score[rest] >= threshold
                miss = (w[rest] * (~called & y[rest])).sum() / (w[rest] * y[rest]).sum()
                alarm = (w[rest] * (called & ~y[rest])).sum() / (w[rest] * ~y[rest]).sum()
                rates.append(x * miss + (1 - x) * alarm)
            least = min(rates)
            # where two thresholds cost the same, a little more weight on misses decides
            best = [k for k, rate in enumerate(rates) if rate <= least + 1e-12]
            called = score[own] >= rules[best[-1]]
            missed = w[own] * (~called & y[own]) / (w * y).sum()
            alarms = w[own] * (called & ~y[own]) / (w * ~y).sum()
            wanted[at] += (x * missed + (1 - x) * alarms).sum()
    inner = slice(1, -1)
    np.testing.assert_allclose(costs["m"][inner], wanted[inner], atol=1e-9)
    np.testing.assert_allclose(costs[TRIVIAL], np.minimum(X, 1 - X), atol=1e-9)


def span_of(best="a", *, wins=False, dearer=(), alike=()):
    return Range(0.25, 0.75, best, wins, dearer, alike)


@pytest.mark.parametrize(
    ("span", "said", "more", "at"),
    [
        (span_of(TRIVIAL), "predicting all or none positive costs no more than any model", "", ""),
        (span_of(alike=("b",)), "a and b have the same lowest cost", "", ""),
        (span_of(wins=True), "a has a significantly lower expected cost than every alternative", "", ""),
        (
            span_of(),
            "a has the lowest estimated cost, but not significantly lower than every alternative",
            "",
            "",
        ),
        (span_of(dearer=(("b", 0.25, 0.75),)), None, ", and b costs significantly more", "b costs"),
        (
            span_of(dearer=(("b", 0.25, 0.51),)),
            None,
            ", and b (from 0.25 to 0.51) costs significantly more",
            "b costs",
        ),
        (span_of(dearer=(("b", 0.25, 0.5),)), None, "", "b costs"),
        (
            span_of(dearer=(("b", 0.25, 0.35), ("b", 0.51, 0.75))),
            None,
            ", and b (from 0.25 to 0.35 and 0.51 to 0.75) costs significantly more",
            "b costs",
        ),
        (
            span_of(dearer=(("b", 0.25, 0.75), ("c", 0.25, 0.75), ("d", 0.6, 0.75))),
            None,
            ", and b and c cost significantly more",
            "b and c cost",
        ),
        (span_of(wins=True, dearer=(("b", 0.25, 0.75),)), None, "", ""),
    ],
)
def test_a_range_is_told_by_its_best_model_and_those_that_cost_more(span, said, more, at):
    assert said is None or span.said == said
    assert span.dearer_said() == more
    assert span.dearer_said(0.3) == (f", and {at} significantly more" if at else "")
    found = CostCurves((), (), (span,), 0.95, 0)
    assert found.advice == (f"At probability costs from 0.25 to 0.75, {span.said}{more}.",)


def test_at_the_border_of_two_ranges_the_first_one_is_told():
    spans = Range(0.0, 0.25, TRIVIAL, wins=False), Range(0.25, 1.0, "a", wins=True)
    found = CostCurves((), (), spans, 0.95, 0)
    for place, span in ((0, 0), (0.25, 0), (0.2500001, 1), (1, 1)):
        assert found.best_at(place) is spans[span]
    for place in (-1e-9, 1 + 1e-9, np.nan, "x"):
        with pytest.raises(InputError, match="probability cost must be a number from 0 to 1, but is"):
            found.best_at(place)


Y = np.arange(24) % 3 == 0
SCORES = {"one": np.sin(np.arange(24.0)) + Y, "two": np.cos(np.arange(24.0))}


@pytest.mark.parametrize(
    ("n", "level", "said"),
    [(3, 0.95, True), (4, 0.95, False), (7, 0.99, False), (6, 0.99, True), (2, 0.5, True), (3, 0.5, False)],
)
def test_so_few_units_that_none_can_win_are_told(n, level, said):
    """More than z² units, and more than the two whose means are taken."""
    found = ca.cost_curves(SCORES, Y, cluster=np.arange(24) % n, level=level)
    least = int(max(2, norm.ppf(0.5 + level / 2) ** 2)) + 1
    text = f"No range can be significant with fewer than {least} clusters."
    assert found.notes == ((text,) if said else ())


@pytest.mark.parametrize("how", [{}, {"cost": {"fp": 1, "fn": 5}}, {"cost": {"fn": 5}, "prevalence": 0.125}])
def test_facts_and_curves_are_those_of_the_call(how):
    found = ca.cost_curves(SCORES, Y, level=0.9, seed=4, **how)
    cost = how.get("cost")
    facts = {"models": "one, two", "cases": "24", "positive class": "True"}
    if cost:
        facts["costs"] = ", ".join(f"{name}={size}" for name, size in cost.items())
    if "prevalence" in how:
        facts["prevalence"] = "12.5% (assumed)"
    facts |= {"confidence level": "90%", "seed": "4"}
    assert dict(found.facts) == facts
    assert found.models == ("one", "two")
    share = how.get("prevalence", Y.mean())
    at = {0: None, 2: 5 * share / (5 * share + 1 - share), 1: 1.0}[len(cost or {})]
    assert found.at == (None if at is None else pytest.approx(at))
    unset = "The costs of false positives (fp) are not set, so 0 is used."
    assert found.notes == ((unset,) if cost and "fp" not in cost else ())
    for curve, expected in zip(found.curves, found.expected, strict=True):
        assert curve.band == "pointwise percentile bootstrap, 90%"
        assert expected.series == f"{curve.series}, on other cases"
        y = SCORES[curve.series]
        lines = []
        for threshold in [np.inf, *np.unique(y)]:
            called = y >= threshold
            lines.append(curve.x * (~called[Y]).mean() + (1 - curve.x) * called[~Y].mean())
        np.testing.assert_allclose(curve.y, np.min(lines, 0), atol=1e-12)
    again = ca.cost_curves(SCORES, Y, **how)
    assert (again.level, again.seed) == (0.95, 0)
    assert repr(found) == "CostCurves(one, two; print it for the advice)"


def test_weights_and_what_is_at_stake_are_multiplied():
    rng = np.random.default_rng(3)
    weight, amount = rng.uniform(0.5, 2, 24), rng.uniform(1, 3, 24)
    cost = ca.Costs(fp=1, fn="amount")
    found = ca.cost_curves(SCORES, Y, cost=cost, amounts={"amount": amount}, weight=weight)
    again = ca.cost_curves(SCORES, Y, weight=np.where(Y, weight * amount, weight))
    for one, other in zip(found.expected + found.curves, again.expected + again.curves, strict=True):
        np.testing.assert_allclose(one.y, other.y, atol=1e-12)
    stakes = (weight * amount)[Y].sum(), weight[~Y].sum()
    assert found.at == pytest.approx(stakes[0] / sum(stakes))
