"""Cost curves of several models on the same cases: at which costs and prevalence which is best, and how surely."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from classay.columns.numbers import score_array, unscored
from classay.columns.opened import RawColumn
from classay.curves.acting import cost_curve, probability_cost
from classay.curves.curve import Curve
from classay.decision.costs import Costs
from classay.errors import InputError
from classay.inference.bootstrap.label_samples import ClusterSums
from classay.inference.bootstrap.sampling import UnitDraws, blocks
from classay.inference.draws import OrderedRows, stream
from classay.inference.estimate import Estimate
from classay.inference.proportions import normal_quantile
from classay.kinds import real_number, shown
from classay.predictions import Predictions
from classay.renamed import former
from classay.shown import Reportable
from classay.tables import ScoreTable
from classay.tables.sums import ROUNDING, at_most, equal_cases, rounded_difference, settled
from classay.texts import as_sentence, clean, listed, some
from classay.warned import Warned

Array = NDArray[Any]
TRIVIAL = "all or nothing"
DRAWS = 2000
NOTHING = 1e-12
"""A standard deviation below which a difference does not vary."""


@dataclass(frozen=True)
class Range:
    """A range of probability costs in which one model, or a trivial rule, costs least.

    `wins` says whether it costs significantly less than every other one throughout the range. This holds for all
    probability costs and all pairs at once, at the level of the whole. `dearer` are the models that cost significantly
    more than the best one, each with where in the range it does: (model, from, to). `alike` are the other models that
    cost as little as it, but for rounding.
    """

    low: float
    high: float
    best: str
    wins: bool
    dearer: tuple[tuple[str, float, float], ...] = ()
    alike: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """What costs least here, and how surely, as a clause."""
        if self.best == TRIVIAL:
            return "predicting all or none positive costs no more than any model"
        if self.alike:
            return f"{listed([self.best, *self.alike])} have the same lowest cost"
        if self.wins:
            return f"{self.best} has a significantly lower expected cost than every alternative"
        return (
            f"{self.best} has the lowest estimated cost, but not significantly lower than every alternative"
        )

    def dearer_said(self, at: float | None = None) -> str:
        """The models that cost significantly more, at one place or in most of the range, as the end of a sentence.

        It is empty where there are none, or where each of the others does.
        """
        if self.wins:
            return ""
        dearer = []
        for name in dict.fromkeys(name for name, _, _ in self.dearer):
            stretches = [(low, high) for model, low, high in self.dearer if model == name]
            if at is not None:
                dearer += [name] if any(low <= at <= high for low, high in stretches) else []
            elif sum(high - low for low, high in stretches) > (self.high - self.low) / 2:
                is_part = stretches != [(self.low, self.high)]
                where = listed([f"{low:.2f} to {high:.2f}" for low, high in stretches])
                dearer.append(f"{name} (from {where})" if is_part else name)
        verb = "costs" if len(dearer) == 1 else "cost"
        return f", and {some(dearer)} {verb} significantly more" if dearer else ""


@dataclass(frozen=True, eq=False)
class CostSpread:
    """The normalised costs of models at each x, `[model, x]`, and their covariance over samples of the cases.

    `covariance` is `[model · x, model · x]`, each cost linearised as a sum over independent units. `rests_on` is how
    many units alike would make the difference of each pair, `[pair, x]`: those in which the two differ, few at extreme
    costs, where hardly any case is called otherwise, and never more than the rarer class has. It is not the units that
    are unlike others of their class: of a model that hardly errs these are its errors, and the better it is, the fewer.
    `left` is the number of units less the means subtracted from them. `if_equal` is the standard deviation of each
    difference if both models cost as much, `[pair, x]`. `one_case` is what one case of each class judged otherwise
    would change, `[x]`: no difference is surer.
    """

    names: tuple[str, ...]
    costs: Array
    covariance: Array
    rests_on: Array
    left: int
    if_equal: Array
    one_case: Array

    @classmethod
    def of(cls, sums: Mapping[str, Array], shares: Array, one_case: Array | float = 0.0) -> CostSpread:
        """From what each unit adds to the costs, `[unit, x]`, and its share in each class, `[unit, 2]`.

        A rate is a mean over the cases of its class, so the part of each unit in both rates is subtracted. Each mean
        takes a degree of freedom: of two clusters that hold both classes nothing is left.
        """
        number, rank = shares.shape[0], int(np.linalg.matrix_rank(shares))
        inverse = np.linalg.pinv(shares.T @ shares)
        parts = [influence - shares @ (inverse @ (shares.T @ influence)) for influence in sums.values()]
        off = np.concatenate(parts, 1)
        covariance = off.T @ off * number / max(number - rank, 1)
        squares = [(second - first) ** 2 for first, second in combinations(sums.values(), 2)]
        of_class = equal_cases(shares.sum(0), (shares**2).sum(0))
        most = of_class[of_class > 0].min(initial=np.inf)
        rests_on = [np.minimum(equal_cases(square.sum(0), (square**2).sum(0)), most) for square in squares]
        costs = np.stack([unit_sums.sum(0) for unit_sums in sums.values()])
        return cls(
            tuple(sums),
            costs,
            covariance,
            np.array(rests_on),
            number - rank,
            np.sqrt([square.sum(0) for square in squares]),
            np.broadcast_to(one_case, costs.shape[1:]),
        )

    def differences(self) -> tuple[Array, Array, Array]:
        """Pairs of models `[pair, 2]`, their differences of costs, second minus first, and standard deviations.

        `[pair, x]` both.
        """
        m, g = self.costs.shape
        pairs = np.array([*combinations(range(m), 2)])
        by_model = self.covariance.reshape(m, g, m, g)
        same = np.einsum("aibi->abi", by_model)
        first, second = pairs.T
        variance = same[first, first] + same[second, second] - 2 * same[first, second]
        return pairs, self.costs[second] - self.costs[first], np.sqrt(np.maximum(variance, 0.0))

    def critical(self, level: float, rng: np.random.Generator) -> float:
        """Return how many standard deviations no difference exceeds with chance `level`, of all pairs at all x at once.

        It is the quantile of the greatest difference in normal draws with this covariance. Montiel Olea &
        Plagborg-Møller 2019, Journal of Applied Econometrics 34:1.
        """
        pairs, _, sd = self.differences()
        varies = sd > NOTHING
        alone = normal_quantile(level)
        if not varies.any():
            return alone
        values, vectors = np.linalg.eigh(self.covariance)
        kept = values > NOTHING * values[-1]
        root = vectors[:, kept] * np.sqrt(values[kept])
        drawn = (rng.standard_normal((DRAWS, int(kept.sum()))) @ root.T).reshape(DRAWS, *self.costs.shape)
        greatest = np.zeros(DRAWS)
        for (a, b), sds, here in zip(pairs.tolist(), sd, varies, strict=True):
            if here.any():
                deviation = np.abs(drawn[:, b, here] - drawn[:, a, here]) / sds[here]
                greatest = np.maximum(greatest, deviation.max(1))
        return max(alone, float(np.quantile(greatest, level)))

    def edges(self, critical: float) -> Array:
        """Critical values of each pair at each x, `[pair, x]`, by Student's t: few units may tell a pair apart.

        They are exceeded as rarely as the critical value of normal draws; the degrees of freedom are those of the units
        that the difference rests on, and no more than are left of all units.
        """
        degrees = np.maximum(np.minimum(self.rests_on - 1, self.left), 1.0)
        return np.asarray(stdtrit(degrees, ndtr(critical)))

    def needed(self, level: float, rng: np.random.Generator) -> Array:
        """Return how great a difference has to be, `[pair, x]`: by its spread, and by what it would be of equal models.

        Units that all say the same show no spread, however few they are. Of equal models each would as likely say the
        opposite, so that the difference varies by the root of its sum of squares, as in McNemar's test: of m units
        alike it is at most √m of these. Where nothing is left of the units no difference is enough. McNemar 1947,
        Psychometrika 12:153.
        """
        if self.left < 1:
            return np.full_like(self.rests_on, np.inf)
        critical = self.critical(level, rng)
        sd = np.maximum(self.differences()[2], self.one_case)
        return np.asarray(np.maximum(self.edges(critical) * sd, normal_quantile(level) * self.if_equal))


def cost_ranges(x: Array, spread: CostSpread, level: float, rng: np.random.Generator) -> tuple[Range, ...]:
    """Return the stretches of x with one best model, and whether it wins there against each other."""
    costs, names = spread.costs, spread.names
    alike, trivial = at_most(costs, costs.min(0)), names.index(TRIVIAL)
    best = np.where(alike[trivial], trivial, alike.argmax(0))
    alike &= (best != trivial) & (best != np.arange(len(names))[:, None])
    pairs, gaps, _ = spread.differences()
    dearer = np.zeros(costs.shape, bool)
    for (a, b), difference, needed in zip(pairs.tolist(), gaps, spread.needed(level, rng), strict=True):
        dearer[b] |= (best == a) & (difference > needed)
        dearer[a] |= (best == b) & (-difference > needed)
    wins = dearer.sum(0) == len(names) - 1
    kinds = np.concatenate([[best], [wins], alike])
    starts = [0, *(np.flatnonzero((np.diff(kinds) != 0).any(0)) + 1).tolist()]
    edges = np.concatenate([x[:1], (x[:-1] + x[1:]) / 2, x[-1:]]).tolist()

    def stretches(model: int, start: int, stop: int) -> list[tuple[str, float, float]]:
        turns = np.flatnonzero(np.diff(np.concatenate([[0], dearer[model, start:stop], [0]]))) + start
        return [(names[model], edges[i], edges[j]) for i, j in turns.reshape(-1, 2).tolist()]

    return tuple(
        Range(
            edges[start],
            edges[stop],
            names[best[start]],
            bool(wins[start]),
            tuple(span for k in range(len(names)) if k != trivial for span in stretches(k, start, stop)),
            tuple(name for name, also in zip(names, alike[:, start], strict=True) if also),
        )
        for start, stop in pairwise([*starts, x.size])
    )


def by_unit(values: Array, units: Array, number: int) -> Array:
    """Sums over the cases of each unit, `[unit, …]`."""
    if number == values.shape[0]:
        return values
    return np.stack([np.bincount(units, column, number) for column in values.T], 1)


GRID = 101
REPLICATES = 200
FOLDS = 5


@dataclass(frozen=True, eq=False)
class CostCurves(Reportable):
    """Cost curves of several models, with their bands and the ranges of the best.

    x is the probability cost PC(+) = c_FN π / (c_FN π + c_FP (1 - π)). y is the normalized expected cost of
    the best threshold for it.

    Attributes
    ----------
    curves : tuple of Curve
        Lower envelopes, with bands from the same resamples of the cases for all models.
    expected : tuple of Curve
        Cost of thresholds that were chosen on other cases, by 5 folds.
    ranges : tuple of Range
        Ranges of x with the model, or the trivial rule, that costs least.
    level : float
        Confidence level of the bands.
    seed : int
        Start of all random numbers.
    facts : tuple of (str, str)
        Facts of what was compared.
    at : float or None
        Probability cost of the given costs.
    notes : tuple of str
        Remarks for the reader.
    choices : tuple of (str, Estimate, Estimate)
        At the given costs, each model with its threshold and its expected cost per case on new cases.
    warnings : tuple of Warned
        Warnings on columns that may have been misread.
    """

    honest = former("CostCurves.honest", "expected")
    curves: tuple[Curve, ...]
    expected: tuple[Curve, ...]
    ranges: tuple[Range, ...]
    level: float
    seed: int
    facts: tuple[tuple[str, str], ...] = ()
    at: float | None = None
    notes: tuple[str, ...] = ()
    choices: tuple[tuple[str, Estimate, Estimate], ...] = ()
    warnings: tuple[Warned, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(curve.series for curve in self.curves)

    @property
    def advice(self) -> tuple[str, ...]:
        """Best model of each range, in sentences."""
        return tuple(
            f"At probability costs from {span.low:.2f} to {span.high:.2f}, {span.said}{span.dearer_said()}."
            for span in self.ranges
        )

    def best_at(self, x: float) -> Range:
        """Return the range that holds a probability cost.

        Raises
        ------
        InputError
            If `x` is outside [0, 1].
        """
        try:
            place = real_number(x)
        except (TypeError, ValueError):
            place = nan
        if not 0 <= place <= 1:
            raise InputError(f"probability cost must be a number from 0 to 1, but is {shown(x)}.")
        return next((span for span in self.ranges if span.low <= place <= span.high), self.ranges[-1])

    def __repr__(self) -> str:
        return clean(f"CostCurves({', '.join(self.models)}; print it for the advice)")


def answered_by_all(models: Mapping[str, RawColumn]) -> Mapping[str, RawColumn]:
    """Return the scores of the cases that every model answered, so that all models are judged on the same cases."""
    scores = {name: score_array(score) for name, score in models.items()}
    if len({score.shape for score in scores.values()}) > 1:
        return models  # whose lengths are refused where they are checked
    gone = [lacks for score in scores.values() if (lacks := unscored(score)) is not None]
    lost = np.logical_or.reduce(gone) if gone else None
    return scores if lost is None else {name: np.where(lost, np.nan, score) for name, score in scores.items()}


def curves_of(
    models: Mapping[str, Predictions],
    *,
    cost: Costs | None = None,
    prevalence: float | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> CostCurves:
    """Return the cost curves of checked rows of the same cases, by model; see `cost_curves` of `assessment`."""
    rows = next(iter(models.values()))
    stakes = np.ones(rows.rows) if cost is None else _stakes(cost, rows)
    at = None if cost is None else _place(stakes, rows, prevalence)
    times = (
        np.arange(rows.rows) if rows.frequency is None else np.repeat(np.arange(rows.rows), rows.frequency)
    )
    units = None if rows.cluster is None else np.unique(rows.cluster, return_inverse=True)[1][times]
    scores = {name: np.asarray(predictions.score)[times] for name, predictions in models.items()}
    weights = _weights(stakes, rows.is_positive)
    row_weights = (weights if rows.weight is None else weights * rows.weight)[times]
    facts = [
        ("models", ", ".join(scores)),
        ("cases", f"{times.size:,}"),
        ("positive class", f"{rows.positive}"),
        *([] if cost is None else [("costs", str(cost).removeprefix("Costs(").removesuffix(")"))]),
        *([] if prevalence is None else [("prevalence", f"{100 * prevalence:.4g}% (assumed)")]),
        ("confidence level", f"{100 * level:g}%"),
        ("seed", str(seed)),
    ]
    curves = _of_rows(scores, rows.is_positive[times], row_weights, units, level, seed)
    number = times.size if units is None else int(units.max()) + 1
    notes = (
        "" if cost is None else cost.unnamed,
        _too_few(number, "cases" if units is None else "clusters", level),
    )
    return replace(
        curves, facts=tuple(facts), at=at, notes=tuple(as_sentence(note) for note in notes if note)
    )


def _too_few(number: int, units: str, level: float) -> str:
    """Return a clause on so few cases or clusters that no difference is enough; empty where there are more."""
    least = int(max(2.0, normal_quantile(level) ** 2)) + 1
    return "" if number >= least else f"no range can be significant with fewer than {least} {units}"


def refuse_names(models: Iterable[str]) -> None:
    """Refuse names of models that are the same as texts, or that of the trivial rule. Raises InputError."""
    names = [str(name) for name in models]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"Two models have the name {twice!r}. Rename one of them.")
    if TRIVIAL in names:
        raise InputError(f"The name {TRIVIAL!r} is reserved for the trivial rule. Rename the model.")


def _stakes(costs: Costs, rows: Predictions) -> Array:
    """Return what a wrong decision on each case costs more than a right one, `(rows,)`."""
    labels = tuple(sorted(rows.labels, key=lambda label: label == rows.positive))
    (tn, fn), (fp, tp) = costs.array(labels, rows.amount_names)
    z = np.ones((rows.rows, 1))
    if rows.amounts is not None:
        z = np.concatenate([z, rows.amounts], 1)
    wrong, right = (
        np.where(rows.is_positive[:, None], z * of_positive, z * of_negative)
        for of_positive, of_negative in ((fn, fp), (tp, tn))
    )
    terms = rounded_difference(wrong, right)
    return np.asarray(settled(terms.sum(1), np.abs(terms).sum(1)))


def _weights(stakes: Array, positive: Array) -> Array:
    """What is at stake as weights of the cases: 1 where it is the same for all of a class, which changes no rate.

    Raises InputError where a right decision costs more than a wrong one of some cases of a class, and not of others.
    """
    weights = np.ones(stakes.size)
    errors = ((positive, "A false negative"), (~positive, "A false positive"))
    for in_class, name in errors:
        class_stakes = stakes[in_class]
        if class_stakes.size and class_stakes.min() < class_stakes.max():
            if class_stakes.min() < 0:
                raise InputError(
                    f"{name} costs less than the correct decision for some cases, but cost curves need errors "
                    "that cost more. Choose a threshold for one score, or change the costs."
                )
            weights[in_class] = class_stakes
    return weights


def _place(stakes: Array, rows: Predictions, prevalence: float | None) -> float | None:
    """The probability cost of costs: the share of the positives in what is at stake; None where an error pays."""
    weight = np.ones(rows.rows) if rows.weight is None else rows.weight
    weight = weight if rows.frequency is None else rows.frequency
    positive = rows.is_positive
    if positive.all() or not positive.any():
        return None
    negative_mean, positive_mean = (
        float(np.average(stakes[in_class], weights=weight[in_class])) for in_class in (~positive, positive)
    )
    share = float((weight * positive).sum() / weight.sum()) if prevalence is None else prevalence
    cost_share = float(probability_cost(share, negative_mean, positive_mean))
    return cost_share if 0 <= cost_share <= 1 else None


def _of_rows(
    scores: Mapping[str, Array], positive: Array, w: Array, cluster: Array | None, level: float, seed: int
) -> CostCurves:
    if positive.all() or not positive.any():
        raise InputError("All cases are of one class. Cost curves need both classes.")
    x = np.linspace(0, 1, GRID)
    rng = stream(seed, "cost curves")
    rows = OrderedRows(positive, w, cluster=cluster)
    order, cluster = rows.in_order({name: [score] for name, score in scores.items()})
    scores = {name: score[order] for name, score in scores.items()}
    positive, w = positive[order], w[order]
    units = np.arange(positive.size) if cluster is None else cluster[order]
    fold = rng.permutation(np.arange(int(units.max()) + 1) % FOLDS)[units]
    ranges, honest = honest_ranges(x, scores, positive, w, units, fold, level, seed)
    curves = [_banded(name, score, positive, w, units, x, level, rng) for name, score in scores.items()]
    titles = "probability cost, PC(+)", "normalized expected cost"
    honestly = tuple(
        Curve("cost", "Cost curve", x, honest[name], *titles, series=f"{name}, on other cases")
        for name in scores
    )
    return CostCurves(tuple(curves), honestly, ranges, level, seed)


def honest_ranges(
    x: Array,
    scores: Mapping[str, Array],
    positive: Array,
    w: Array,
    units: Array,
    fold: Array,
    level: float,
    seed: int,
) -> tuple[tuple[Range, ...], dict[str, Array]]:
    """Where which model wins, and their costs at each x, by thresholds chosen on the other folds of the units."""
    number = int(units.max()) + 1
    rates = {name: _honest_calls(score, positive, w, fold, x) for name, score in scores.items()}
    rates[TRIVIAL] = np.broadcast_to(x > 0.5, (positive.size, x.size))
    # what a case costs at each x: called or not, over the weight of its class
    losses = {name: _losses(calls, positive, w, x) for name, calls in rates.items()}
    sums = {name: by_unit(loss, units, number) for name, loss in losses.items()}
    of_class = _of_class(positive, w)
    one_case = np.hypot(*(np.stack([x, 1 - x]) * (of_class**2).sum(0)[:, None]))
    spread = CostSpread.of(sums, by_unit(of_class, units, number), one_case)
    ranges = cost_ranges(x, spread, level, stream(seed, "ranges of costs"))
    return ranges, {name: loss.sum(0) for name, loss in losses.items()}


def _honest_calls(score: Array, positive: Array, w: Array, fold: Array, x: Array) -> Array:
    """Check whether each case is called positive at each x, by thresholds chosen on the other folds, `[case, x]`."""
    called = np.zeros((score.size, x.size), bool)
    for k in range(FOLDS):
        rest, is_left_out = fold != k, fold == k
        if not is_left_out.any():
            continue
        if positive[rest].all() or not positive[rest].any():
            called[is_left_out] = x > 0.5
            continue
        table = ScoreTable.from_rows(score[rest], positive[rest], weight=w[rest])
        thresholds = _thresholds(table, x)
        called[is_left_out] = score[is_left_out][:, None] >= thresholds[None, :]
    return called


def _thresholds(table: ScoreTable, x: Array) -> Array:
    """Return the best threshold at each probability cost; infinite where calling nobody is best."""
    curve = cost_curve(table)
    assert curve.threshold is not None
    at = np.searchsorted(curve.x * (1 - ROUNDING), x, side="right") - 1
    return np.asarray(curve.threshold[np.clip(at, 0, curve.x.size - 1)])


def _losses(called: Array, positive: Array, w: Array, x: Array) -> Array:
    """Return what each case adds to the normalised cost at each x: x · FNR + (1 - x) · FPR."""
    share = _of_class(positive, w).sum(1)[:, None]
    return np.asarray(share * np.where(positive[:, None], x * ~called, (1 - x) * called))


def _of_class(positive: Array, w: Array) -> Array:
    """Return the share of each case in the positives and in the negatives, `[case, 2]`; 0 in the other class."""
    p, n = w[positive].sum(), w[~positive].sum()
    return np.stack([np.where(positive, w / p, 0.0), np.where(positive, 0.0, w / n)], 1)


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
    """Return the envelope at the points of the grid with the percentiles of those of resampled units."""
    table = ScoreTable.from_rows(score, positive, weight=w)
    curve = cost_curve(table)
    at = np.searchsorted(-table.scores, -score)
    m, number = table.scores.size, int(units.max()) + 1
    cell = at + np.where(positive, 0, m)
    sums, resampled = ClusterSums.of(units, cell, w, number, 2 * m), []
    for times in blocks(UnitDraws(number), REPLICATES, rng, sums.width):
        for both in sums.drawn(times):
            resampled_curve = cost_curve(replace(table, positives=both[:m], negatives=both[m:]))
            resampled.append(np.interp(x, resampled_curve.x, resampled_curve.y))
    drawn = np.stack(resampled)
    low, high = np.nanquantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    y = np.interp(x, curve.x, curve.y)
    return Curve(
        "cost",
        "Cost curve",
        x,
        y,
        "probability cost, PC(+)",
        "normalized expected cost",
        threshold=_thresholds(table, x),
        series=name,
        low=np.minimum(low, y),
        high=np.maximum(high, y),
        band=f"pointwise percentile bootstrap, {100 * level:g}%",
    )
