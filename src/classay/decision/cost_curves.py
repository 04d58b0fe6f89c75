"""Cost curves of several models on the same cases: at which costs and prevalence which is best, and how surely."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.curves.cost import cost_curve, probability_cost
from classay.curves.curve import Curve
from classay.decision.costs import Costs
from classay.errors import InputError
from classay.inference.draws import stream
from classay.inference.proportions.binomial import normal_quantile
from classay.kinds import checked
from classay.predictions import Missing, Predictions, check
from classay.shown import Shown
from classay.tables import ScoreTable

Array = NDArray[Any]
GRID = 101
REPLICATES = 200
FOLDS = 5
TRIVIAL = "all or nothing"


@dataclass(frozen=True)
class Range:
    """A stretch of probability costs where one model, or a trivial rule, costs least.

    `wins` says whether it costs significantly less than every other there (pointwise, at the level of the whole).
    """

    low: float
    high: float
    best: str
    wins: bool


@dataclass(frozen=True, eq=False)
class CostCurves(Shown):
    """The lower envelopes of several models with their bands, and where each is best.

    x is the probability cost PC(+) = c_FN π / (c_FN π + c_FP (1 - π)), y the normalised expected cost of the best
    threshold for it. The bands are those of the same resamples of the cases for all models; `honest` is the cost of
    thresholds chosen on other cases, by 5 folds. `ranges` say which model costs least, a trivial rule among them.
    """

    curves: tuple[Curve, ...]
    honest: tuple[Curve, ...]
    ranges: tuple[Range, ...]
    level: float
    seed: int
    facts: tuple[tuple[str, str], ...] = ()
    at: float | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models."""
        return tuple(each.series for each in self.curves)

    @property
    def advice(self) -> tuple[str, ...]:
        """Which model where, in sentences."""
        said = []
        for each in self.ranges:
            where = f"From a probability cost of {each.low:.2f} to {each.high:.2f}"
            if each.best == TRIVIAL:
                said.append(f"{where} calling all or nobody positive costs as little as any model.")
            elif each.wins:
                said.append(f"{where} {each.best} costs significantly less than any other.")
            else:
                said.append(f"{where} {each.best} costs least, by no more than chance explains.")
        return tuple(said)

    def best_at(self, x: float) -> Range:
        """The range that holds a probability cost from 0 to 1."""
        return next((each for each in self.ranges if each.low <= x <= each.high), self.ranges[-1])

    def __repr__(self) -> str:
        return f"CostCurves({', '.join(self.models)}; print it for the advice)"


@checked
def cost_curves(
    models: Mapping[str, Any],
    y_true: Any,
    *,
    positive: Hashable | None = None,
    cost: Costs | Mapping[str, Any] | None = None,
    prevalence: float | None = None,
    weight: Any = None,
    frequency: Any = None,
    cluster: Any = None,
    missing: Missing = "refuse",
    level: float = 0.95,
    seed: int = 0,
) -> CostCurves:
    """Cost curves of several models' scores for the same cases, with the ranges of costs where each is best.

    `models` are scores by name; columns and options are those of `assess`. With a `cost` of numbers, its place on the
    axis is marked, at the prevalence of the cases or another. The cost at each x is honest: thresholds are
    chosen on four fifths of the cases (or clusters) and judged on the last. Two models, or a model and the trivial
    rule, are told apart where the normal interval of the difference of their honest costs excludes 0; its standard
    deviation is that of resampled cases at the thresholds so chosen. Raises InputError unless both classes occur.

    >>> y = np.arange(400) % 4 == 0
    >>> found = cost_curves({"good": y + np.arange(400) % 7 / 4, "poor": np.arange(400) % 7 / 4}, y)
    >>> found.best_at(0.5).best
    'good'
    """
    roles = {"weight": weight, "frequency": frequency, "cluster": cluster, "missing": missing}
    checked_models = {
        str(name): check(y_true, each, positive=positive, **roles) for name, each in models.items()
    }
    if not checked_models:
        raise InputError("no model is given: pass scores by the models' names.")
    rows = next(iter(checked_models.values()))
    if rows.positive is None or any(each.score is None for each in checked_models.values()):
        raise InputError(
            "cost curves are of one class's scores: pass a score a row of each model, of two classes."
        )
    at = None if cost is None else _place(Costs.of(cost), rows, prevalence)
    times = (
        np.arange(rows.rows) if rows.frequency is None else np.repeat(np.arange(rows.rows), rows.frequency)
    )
    units = None if rows.cluster is None else np.unique(rows.cluster, return_inverse=True)[1][times]
    scores = {name: np.asarray(each.score)[times] for name, each in checked_models.items()}
    own = None if rows.weight is None else rows.weight[times]
    facts = [
        ("models", ", ".join(scores)),
        ("cases", f"{times.size:,}"),
        ("positive", f"{rows.positive}"),
        ("level", f"{100 * level:g} %, seed {seed}"),
    ]
    return replace(
        _of_rows(scores, rows.is_positive[times], own, units, level, seed), facts=tuple(facts), at=at
    )


def _place(costs: Costs, rows: Predictions, prevalence: float | None) -> float | None:
    """The probability cost of costs that are numbers: by what a wrong decision costs more than a right one."""
    if costs.names:
        return None
    (tn, fn), (fp, tp) = (tuple(each.constant for each in row) for row in costs.forms((0, 1)))
    weight = np.ones(rows.rows) if rows.weight is None else rows.weight
    weight = weight if rows.frequency is None else rows.frequency
    share = float((weight * rows.is_positive).sum() / weight.sum()) if prevalence is None else prevalence
    found = float(probability_cost(share, fp - tn, fn - tp))
    return found if 0 <= found <= 1 else None


def _of_rows(
    scores: Mapping[str, Array],
    positive: Array,
    weight: Array | None,
    cluster: Array | None,
    level: float,
    seed: int,
) -> CostCurves:
    if positive.all() or not positive.any():
        raise InputError("all cases are of one class: a cost curve needs both.")
    x = np.linspace(0, 1, GRID)
    w = np.ones(positive.size) if weight is None else np.asarray(weight, float)
    rng = stream(seed, "cost curves")
    units = np.arange(positive.size) if cluster is None else cluster
    number = int(units.max()) + 1
    fold = rng.permutation(np.arange(number) % FOLDS)[units]
    rates = {name: _honest_calls(score, positive, w, fold, x) for name, score in scores.items()}
    rates[TRIVIAL] = np.broadcast_to(x > 0.5, (positive.size, GRID))
    names = list(rates)
    # what a case costs at each x: called or not, over the weight of its class
    losses = {name: _losses(calls, positive, w, x) for name, calls in rates.items()}
    honest = {name: each.sum(0) for name, each in losses.items()}
    sums = {name: _by_unit(each, units, number) for name, each in losses.items()}
    ranges = _ranges(x, names, honest, sums, normal_quantile(level), positive, w, units)
    curves = [_banded(name, score, positive, w, units, x, level, rng) for name, score in scores.items()]
    titles = "probability cost, PC(+)", "normalised expected cost"
    honestly = tuple(
        Curve("cost", "Cost curve", x, honest[name], *titles, series=f"{name}, on other cases")
        for name in scores
    )
    return CostCurves(tuple(curves), honestly, tuple(ranges), level, seed)


def _honest_calls(score: Array, positive: Array, w: Array, fold: Array, x: Array) -> Array:
    """Whether each case is called positive at each x, by thresholds chosen on the other folds, `[case, x]`."""
    called = np.zeros((score.size, x.size), bool)
    for each in range(FOLDS):
        rest, own = fold != each, fold == each
        if not own.any():
            continue
        if positive[rest].all() or not positive[rest].any():
            called[own] = x > 0.5
            continue
        table = ScoreTable.from_rows(score[rest], positive[rest], weight=w[rest])
        thresholds = _thresholds(table, x)
        called[own] = score[own][:, None] >= thresholds[None, :]
    return called


def _thresholds(table: ScoreTable, x: Array) -> Array:
    """The best threshold at each probability cost; infinite where calling nobody is best."""
    curve = cost_curve(table)
    assert curve.threshold is not None
    at = np.searchsorted(curve.x, x, side="right") - 1
    return np.asarray(curve.threshold[np.clip(at, 0, curve.x.size - 1)])


def _losses(called: Array, positive: Array, w: Array, x: Array) -> Array:
    """What each case adds to the normalised cost at each x: x · FNR + (1 - x) · FPR."""
    p, n = w[positive].sum(), w[~positive].sum()
    share = np.where(positive, w / p, w / n)[:, None]
    return np.asarray(share * np.where(positive[:, None], x * ~called, (1 - x) * called))


def _by_unit(values: Array, units: Array, number: int) -> Array:
    if number == values.shape[0]:
        return values
    return np.stack([np.bincount(units, column, number) for column in values.T], 1)


def _ranges(
    x: Array,
    names: list[str],
    honest: Mapping[str, Array],
    sums: Mapping[str, Array],
    z: float,
    positive: Array,
    w: Array,
    units: Array,
) -> list[Range]:
    """The stretches of x with one best model, and whether it wins there against each other."""
    means = np.stack([honest[name] for name in names])
    best = means.argmin(0)
    trivial = names.index(TRIVIAL)
    best = np.where(means[trivial] <= means.min(0) * (1 + 1e-12), trivial, best)
    number = next(iter(sums.values())).shape[0]
    p, n = w[positive].sum(), w[~positive].sum()
    shares = _by_unit(
        np.stack([np.where(positive, w / p, 0), np.where(positive, 0, w / n)], 1), units, number
    )
    wins = np.zeros(x.size, bool)
    for j in range(x.size):
        first = names[best[j]]
        sure = True
        for other in names:
            if other == first:
                continue
            apart = sums[other][:, j] - sums[first][:, j]
            # a rate is a mean over the cases of its class: from each unit its part of both is taken off
            coefficients, *_ = np.linalg.lstsq(shares.T @ shares, shares.T @ apart, rcond=None)
            off = apart - shares @ coefficients
            sd = float(np.sqrt((off**2).sum() * number / max(number - 1, 1)))
            sure &= bool(apart.sum() > z * sd)
        wins[j] = sure
    found: list[Range] = []
    start = 0
    for j in range(1, x.size + 1):
        if j == x.size or best[j] != best[start] or wins[j] != wins[start]:
            end = x[-1] if j == x.size else (x[j - 1] + x[j]) / 2
            low = 0.0 if not found else found[-1].high
            found.append(Range(low, float(end), names[best[start]], bool(wins[start])))
            start = j
    return found


def _banded(
    name: str,
    score: Array,
    positive: Array,
    w: Array,
    units: Array,
    x: Array,
    level: float,
    rng: np.random.Generator,
) -> Curve:
    """The envelope at the points of the grid with the percentiles of those of resampled units."""
    table = ScoreTable.from_rows(score, positive, weight=w)
    curve = cost_curve(table)
    at = np.searchsorted(-table.scores, -score)
    m, number = table.scores.size, int(units.max()) + 1
    cell = at + np.where(positive, 0, m)
    drawn = np.empty((REPLICATES, x.size))
    for i in range(REPLICATES):
        times = np.bincount(rng.integers(0, number, number), minlength=number)[units] * w
        both = np.bincount(cell, times, 2 * m)
        made = cost_curve(replace(table, positives=both[:m], negatives=both[m:]))
        drawn[i] = np.interp(x, made.x, made.y)
    low, high = np.nanquantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    y = np.interp(x, curve.x, curve.y)
    return Curve(
        "cost",
        "Cost curve",
        x,
        y,
        "probability cost, PC(+)",
        "normalised expected cost",
        threshold=_thresholds(table, x),
        series=name,
        low=np.minimum(low, y),
        high=np.maximum(high, y),
        band=f"pointwise percentile bootstrap, {100 * level:g} %",
    )
