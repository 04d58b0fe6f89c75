"""The cost of cut points on new cases: cut points chosen again in resamples, judged on the cases left out."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from math import inf, isfinite, nan

import numpy as np
from numpy.typing import NDArray

from classay.decision.costs import Costs
from classay.decision.expected_cost import Moments, expected_cost
from classay.inference.bootstrap.sampling import CellDraws, blocks
from classay.inference.design import CellWeights, Design
from classay.inference.draws import stream
from classay.inference.estimate import Estimate
from classay.inference.proportions import normal_quantile, scale_of
from classay.inference.scores.linearised import ONE_MORE, LossMoments
from classay.measures.probability_bins import mass_cuts
from classay.tables import ConfusionMatrix
from classay.tables.sums import ROUNDING, equal_cases

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
REPLICATES = 200
GROUPS = 1000
"""Resamples; distinct scores beyond which neighbors are one group, each 1 / 1,000 of the classes' shares."""
OUT_OF_BAG = "out-of-bag"
TWO = 2 - 1e-9
"""How both values are found; and cases of which one can be left out, but for rounding."""
FLAT = 0.25
"""Of the greatest difference of costs, the part below which those of one call hardly depend on the truth."""
NEVER = -800.0
"""The logarithm of a chance that is none."""


def least_ends(cost_up_to: Array) -> tuple[Ints, Array]:
    """Where each class but the highest ends, as numbers of scores, `[..., class]`, and the least cost in all, `[...]`.

    `cost_up_to` is what calling the lowest scores a class costs, `[..., class, scores]`, from none of them on.
    """
    best, sources = cost_up_to[..., 0, :], []
    rounding = 0.0 if (cost_up_to == np.rint(cost_up_to)).all() else ROUNDING
    indices = np.arange(best.shape[-1])
    for place in range(1, cost_up_to.shape[-2]):
        cost = cost_up_to[..., place, :]
        gain = best - cost
        lowest = np.minimum.accumulate(gain, -1)
        slack = rounding * (abs(best) + abs(cost))[..., 1:] if rounding else 0.0
        is_new = np.ones(gain.shape, bool)
        is_new[..., 1:] = gain[..., 1:] < lowest[..., :-1] - slack
        sources.append(np.maximum.accumulate(np.where(is_new, indices, 0), -1))
        best = cost + lowest
    ends = [np.full(best.shape[:-1], best.shape[-1] - 1)]
    for source in reversed(sources):
        ends.append(np.take_along_axis(source, ends[-1][..., None], -1)[..., 0])
    return np.stack(ends[:0:-1], -1), best[..., -1]


def sums_up_to(weight: Array) -> Array:
    """Return the sums over the lowest scores, from none of them on: `[..., scores]`, one more than there are."""
    sums = np.zeros((*weight.shape[:-1], weight.shape[-1] + 1))
    np.cumsum(weight, -1, out=sums[..., 1:])
    return sums


@dataclass(frozen=True, eq=False)
class ScoredClasses:
    """Cases by class and distinct score, or group of neighbors, ascending: their `weight`, and `squares` of it.

    `[class, score]` each; `lowest` and `highest` are the ends of the groups.
    """

    weight: Array
    squares: Array
    lowest: Array
    highest: Array
    is_sampled: bool = False

    @classmethod
    def of(cls, score: Array, true: Ints, weight: Array, classes: int, *, is_sampled: bool) -> ScoredClasses:
        """Of cases; weights of cases that were not sampled by them are frequencies."""
        distinct, index = np.unique(score, return_inverse=True)
        cells = true * distinct.size + index.ravel()
        sums, squares = (
            np.bincount(cells, values, classes * distinct.size).reshape(classes, -1).astype(np.float64)
            for values in (weight, weight * weight if is_sampled else weight)
        )
        return cls(sums, squares, distinct, distinct, is_sampled)

    @property
    def numbers(self) -> Array:
        """Cases of each class at each score; of unequal weight as many alike as say as much."""
        return np.divide(
            self.weight**2, self.squares, out=np.zeros(self.weight.shape), where=self.squares > 0
        )

    def called(self, ends: Ints, labels: tuple[Hashable, ...]) -> ConfusionMatrix:
        """Return the cases by predicted and true class, where so many scores lie below each cut."""
        size, calls = len(labels), np.searchsorted(ends, np.arange(self.lowest.size), side="right")
        counts, squares = (
            np.stack([np.bincount(calls, values, size) for values in table], 1)
            for table in (self.weight, self.squares)
        )
        return ConfusionMatrix(counts, labels, squares if self.is_sampled else None)

    def grouped(self, ends: Ints) -> ScoredClasses:
        """Return the same in groups of neighbors where there are very many scores; groups end at the cuts `ends`."""
        size = self.lowest.size
        if size <= GROUPS:
            return self
        shares = self.weight / np.maximum(self.weight.sum(1, keepdims=True), 1e-300)
        edges = np.unique([*mass_cuts(shares.sum(0), np.zeros(size), GROUPS), *ends, 0, size]).astype(
            np.int64
        )
        weight, squares = (
            np.add.reduceat(values, edges[:-1], axis=1) for values in (self.weight, self.squares)
        )
        lowest, highest = self.lowest[edges[:-1]], self.highest[edges[1:] - 1]
        return replace(self, weight=weight, squares=squares, lowest=lowest, highest=highest)

    def calls(self, ends: Ints, drawn: Array) -> Ints:
        """Return the class that cuts chosen in resamples give to each score, `[resample, score]`.

        A cut lies halfway between two scores that were drawn; scores between these were not.
        """
        size = self.lowest.size
        following = np.where(drawn > 0, np.arange(size), size)
        following = np.minimum.accumulate(following[:, ::-1], 1)[:, ::-1]
        following = np.concatenate([following, np.full((len(drawn), 1), size)], 1)
        upper = np.take_along_axis(following, ends, 1)
        below, above = self.highest[np.maximum(ends - 1, 0)], np.append(self.lowest, inf)[upper]
        # scores on a grid lie exactly halfway, and on which side another unit would put them is rounding
        rounding = 8 * np.finfo(np.float64).eps * np.maximum(abs(below), abs(above))
        with np.errstate(invalid="ignore"):
            half = below / 2 + above / 2 - rounding
        places = np.searchsorted(self.lowest, np.where(np.isfinite(half), half, above))
        places = np.where(ends == 0, 0, np.clip(places, ends, upper))
        starts = np.zeros((len(drawn), size + 1), np.int64)
        np.add.at(starts, (np.arange(len(drawn))[:, None], places), 1)
        return starts.cumsum(1)[:, :-1]


def expected_cost_of_cuts(
    cases: ScoredClasses, ends: Ints, priced: Costs, labels: tuple[Hashable, ...], level: float, seed: int
) -> Estimate:
    """Return the mean cost of a new case by cut points at `ends`, which cost least on these cases.

    The value is out of bag: cut points are chosen again in 200 resamples, and each case costs what it does on average
    in those that leave it out. The interval is Student's of the cost on these cases, with the degrees of freedom of the
    fourth moment, on the logit scale between the least and the greatest cost, moved there to the value. Where some call
    costs nearly the same whatever is true, the apparent cost hardly varies: the interval is wider by the move then, and
    holds the apparent one and that with one more case of the greatest cost among the calls made, without which no error
    seen at a score would mean that there is none. Frequencies count as repeated rows, cases of sampling weights as
    equally many alike.
    """
    if not (n := float(equal_cases(cases.weight.sum(), cases.squares.sum()))) >= TWO:
        return Estimate.undefined("one case cannot both choose and assess cut points")
    cost = priced.array(labels)[..., 0]
    value = _out_of_bag(cases.grouped(ends), cost, seed)
    if np.isnan(value):
        return Estimate.undefined("every resample contains all cases")
    matrix = cases.called(ends, labels)
    design = Design(CellWeights(matrix.counts, matrix.counts if matrix.squares is None else matrix.squares))
    apparent = float((matrix.counts * cost).sum() / design.total)
    spread = design.spread((cost - apparent) / design.total)
    scale = scale_of((float(cost.min()), float(cost.max())))
    with np.errstate(divide="ignore"):
        start, centre = scale.to(np.float64(apparent)), scale.to(np.float64(value))
    if spread.is_none(float(abs(cost).max())) or not (isfinite(start) and isfinite(centre)):
        return _without_spread(value, matrix, priced, level, seed)
    half, limit = spread.half(level) * scale.slope(apparent), -inf
    low, high, how = centre - half, centre + half, f"{design.before}t, {scale.name}"
    if (np.ptp(cost, axis=1) < FLAT * np.ptp(cost)).any():
        wider = float(np.hypot(half, centre - start))
        worst, squares = float(cost[matrix.counts.sum(1) > 0].max()), spread.variance * n * (n - 1)
        more = LossMoments(n, apparent, squares, 0.0, 0.0, worst).with_one_more()
        limit = scale.to(more.mean) + normal_quantile(level) * more.variance**0.5 * scale.slope(more.mean)
        low, high = min(centre - wider, start - half), max(centre + wider, start + half, limit)
        how = f"{how}, {ONE_MORE}"
    if spread.degrees < TWO:  # one case has nearly all of the spread, on which no t can rest
        return _without_spread(value, matrix, priced, level, seed, float(scale.back(limit)))
    return Estimate(value, float(scale.back(low)), float(scale.back(high)), level, f"{OUT_OF_BAG}; {how}")


def _without_spread(
    value: float, matrix: ConfusionMatrix, priced: Costs, level: float, seed: int, least: float = -inf
) -> Estimate:
    """Where all cases but one cost the same: an interval of their posterior, beyond the value and up to `least`."""
    moments, cases = Moments.of(matrix), float(matrix.counts.sum())
    apparent = expected_cost(moments, priced, matrix.labels, (), cases=cases, level=level, seed=seed).per_case
    if not apparent.has_interval:
        return Estimate.bare(value, apparent.reason or "")
    high = max(apparent.high, apparent.high + value - apparent.value)
    how = f"{OUT_OF_BAG}; {apparent.method}{f', {ONE_MORE}' if least > high else ''}"
    return Estimate(value, min(apparent.low, value), max(high, least), level, how)


def _out_of_bag(cases: ScoredClasses, cost: Array, seed: int) -> float:
    """The mean over cases of what each costs on average in the resamples that leave it out; NaN if none is left out.

    Of several cases of a class and score as many are left out as are expected.
    """
    numbers = np.where(cases.weight > 0, np.maximum(np.rint(cases.numbers.round(9)), 1.0), 0.0)
    is_occupied = numbers > 0
    per_case = np.divide(cases.weight, numbers, out=np.zeros_like(numbers), where=is_occupied)
    missed = np.where(numbers > 1, np.log1p(-1 / np.maximum(numbers, 2.0)), NEVER)
    left_out, paid = np.zeros((2, *numbers.shape))
    draws, rng = CellDraws(numbers[is_occupied].astype(np.int64)), stream(seed, "cut points")
    for occupied in blocks(draws, REPLICATES, rng):
        drawn = np.zeros((len(occupied), *numbers.shape))
        drawn[:, is_occupied] = occupied
        ends, _ = least_ends(cost @ sums_up_to(drawn * per_case))
        calls = cases.calls(ends, drawn.sum(1))
        shares = np.exp(drawn * missed)
        left_out += shares.sum(0)
        paid += np.einsum("rts,rst->ts", shares, cost[calls])
    is_judged = left_out > 0
    if not is_judged.any():
        return nan
    weight = cases.weight[is_judged]
    return float((weight * paid[is_judged] / left_out[is_judged]).sum() / weight.sum())
