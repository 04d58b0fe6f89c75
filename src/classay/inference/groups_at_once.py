"""Many groups of cases at once: their measures in a few passes.

The numbers are those that each group has by itself, to rounding. It is for groups of cases that are drawn alike, and
for the default intervals of shares and of some measures of scores; for all others there is nothing here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import one_after_another, thread_count, workers
from classay.inference.design import INFLUENCE, VarianceEstimate
from classay.inference.estimate import Estimate, IntervalResult
from classay.inference.intervals import IntervalRequest, estimate_of, shown_interval
from classay.inference.methods import Method, default
from classay.inference.proportions import wilson
from classay.inference.scores.auc import AucVariance, placed_interval
from classay.inference.scores.calibration import in_the_large_found, moved, score_ends, without_certain
from classay.inference.scores.linearised import EVEN, LossMoments, mean_of_class
from classay.measures import Measure
from classay.measures.probability_bins import GROUPED_FROM
from classay.tables import BinaryCounts, ConfusionMatrix, ScoreTable

Array = NDArray[Any]
At = Callable[[float], "Estimate | None"]
"""The estimate of a group at a level; None where it must be made by itself, for its reason."""
Interval = Callable[[float], IntervalResult]
"""The interval of a group at a level."""
PART = 1 << 18
"""Scores that are summed in one pass."""


def shares_at_once(
    measure: Measure, counts: BinaryCounts | ConfusionMatrix, level: float
) -> list[Estimate | None] | None:
    """The estimates of a share in groups, `counts` with these as their leading axis; None where it is no Wilson's.

    >>> from classay.measures import recall
    >>> shares_at_once(recall, BinaryCounts(*np.array([[6, 3], [1, 0], [4, 1], [89, 9]])), 0.95)
    [Estimate(0.600 [0.313, 0.832] 95%, Wilson), Estimate(0.750 [0.301, 0.954] 95%, Wilson)]
    """
    request = IntervalRequest(measure, 0.5)
    other = request.of_complement(counts).measure
    chosen = default(other, counts, 0.5, None, level, "alike") if other.parts is not None else ""
    if not isinstance(chosen, Method) or chosen.name != "Wilson":
        return None
    assert other.parts is not None
    values = np.asarray(measure(counts), np.float64)
    x, m = (np.asarray(column, np.float64) for column in other.parts(*other.read((counts,))))
    with np.errstate(divide="ignore", invalid="ignore"):
        lows, highs = wilson(x, m, level)
    return [
        None
        if isnan(value)
        else estimate_of(
            value,
            IntervalRequest(measure, value).mirrored(shown_interval((low, high, chosen.name))),
            level,
        )
        for value, low, high in zip(values.tolist(), lows.tolist(), highs.tolist(), strict=True)
    ]


@dataclass(frozen=True, eq=False)
class GroupScores:
    """The scores of some groups, one behind another: from `starts`, `(groups + 1,)`, on; `of` is the group of each."""

    tables: Sequence[ScoreTable]
    scores: Array
    positives: Array
    negatives: Array
    starts: Array
    of: Array

    @classmethod
    def joined(cls, tables: Sequence[ScoreTable]) -> GroupScores:
        """Put them behind each other."""
        sizes = [table.scores.size for table in tables]
        scores, positives, negatives = (
            np.concatenate([getattr(table, name) for table in tables]).astype(np.float64)
            for name in ("scores", "positives", "negatives")
        )
        starts = np.concatenate([[0], np.cumsum(sizes)])
        of = np.repeat(np.arange(len(sizes)), sizes)
        return cls(tables, scores, positives, negatives, starts, of)

    def sums(self, values: Array) -> Array:
        """Return the sum of each group."""
        return np.add.reduceat(values, self.starts[:-1], axis=-1)

    def through(self, counts: Array) -> Array:
        """Running sums within each group; of whole numbers, so that nothing is rounded."""
        running = np.cumsum(counts)
        before = np.concatenate([[0.0], running])[self.starts[:-1]]
        return np.asarray(running - before[self.of])

    def powers(self, cases: Array, influence: Array) -> tuple[Array, Array]:
        """Sums of the squares and of the fourth powers of the influences of so many cases at each score."""
        squared = influence * influence
        squares = cases * squared
        return self.sums(squares), self.sums(squares * squared)

    def moments(self, cases: Array, influence: Array) -> tuple[Array, Array, Array]:
        """Return the same with the sums of their cubes, which stand second."""
        squares, fourths = self.powers(cases, influence)
        return squares, self.sums(cases * influence**3), fourths


def _aucs(g: GroupScores, values: Array) -> Iterator[Interval]:
    """As `scores.auc` has them, from the placements of all groups."""
    p, n = g.sums(g.positives), g.sums(g.negatives)
    above = g.through(g.positives) - g.positives / 2
    below = n[g.of] - g.through(g.negatives) + g.negatives / 2
    auc, p_of, n_of = values[g.of], p[g.of], n[g.of]
    of_positive = g.powers(g.positives, (below / n_of - auc) / p_of)
    of_negative = g.powers(g.negatives, (above / p_of - auc) / n_of)
    sums = np.array(
        [(p, n), *zip(of_positive, of_negative, strict=True)]
    )  # sizes, squares and fourths of classes
    for value, class_sums in zip(values.tolist(), np.moveaxis(sums, -1, 0).tolist(), strict=True):
        placed = AucVariance.of_sums(*class_sums)
        yield partial(placed_interval, value, value, placed)


def _in_the_large(g: GroupScores, values: Array) -> Iterator[Interval]:
    """As `scores.calibration` has it: certain cases move nothing."""
    doubt = (g.scores > 0) & (g.scores < 1)
    positives, negatives = g.positives * doubt, g.negatives * doubt
    number = g.sums(positives + negatives)

    def residuals(at: Array) -> tuple[Array, Array]:
        p = np.where(doubt, moved(g.scores, at[..., g.of]), 0.5)
        return 1 - p, -p

    on_positive, on_negative = residuals(values)
    information = -g.sums((positives + negatives) * on_positive * on_negative)
    classes = (positives, on_positive), (negatives, on_negative)
    squares, fourths = np.sum([g.powers(of, off) for of, off in classes], axis=0)
    spreads = [VarianceEstimate.of_sums(*sums) for sums in zip(squares, fourths, number, number, strict=True)]
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.sqrt([spread.variance for spread in spreads]) / information
        corrections = number / (number - 1)

    def equation(at: Array) -> tuple[Array, Array]:
        on_positive, on_negative = residuals(at)
        total = g.sums(positives * on_positive + negatives * on_negative)
        return total, corrections * g.sums(positives * on_positive**2 + negatives * on_negative**2)

    @lru_cache(2)
    def ends(level: float) -> tuple[Array, Array]:
        quantiles = np.array([spread.quantile(level) for spread in spreads])
        return score_ends(equation, values, quantiles * errors, quantiles)

    def limits_at(place: int, level: float) -> IntervalResult:
        if not errors[place] > 0:
            return "the estimated variance is zero"
        low_high, is_there = ends(level)
        return without_certain(
            in_the_large_found(low_high[:, place], is_there[:, place]), g.tables[place], float(number[place])
        )

    return (partial(limits_at, place) for place in range(len(g.tables)))


def _mean_of(who: str) -> Callable[[GroupScores, Array], Iterator[Interval]]:
    """As `scores.linearised` has the mean probability of one class."""

    def intervals(g: GroupScores, values: Array) -> Iterator[Interval]:
        cases = g.positives if who == "positives" else g.negatives
        sums = np.stack([g.sums(cases), *g.moments(cases, g.scores - values[g.of])], 1).tolist()
        for value, (number, squares, cubes, fourths) in zip(values.tolist(), sums, strict=True):
            from_end, sign = (value, 1) if value < EVEN else (1 - value, -1)
            units = LossMoments(number, from_end, squares, sign * cubes, fourths, EVEN)
            yield partial(mean_of_class, value, units, how=INFLUENCE)

    return intervals


def _of_scores(measure: Measure) -> Callable[[GroupScores, Array], Iterator[Interval]] | None:
    """Return how the intervals of a measure of scores are found in many groups at once."""
    if measure.name == "roc_auc":
        return _aucs
    if measure.name == "calibration_in_the_large":
        return _in_the_large
    who = measure.name.removeprefix("mean_probability_of_")
    return _mean_of(who) if who in ("positives", "negatives") else None


def scores_at_once(measure: Measure, tables: Sequence[ScoreTable]) -> list[At] | None:
    """What gives the estimate of a measure of scores in each group at any level; None where it is no such measure."""
    find = _of_scores(measure)
    if find is None:
        return None
    with one_after_another(len(tables)):
        values = np.array([float(measure(table)) for table in tables])
    estimates: list[At] = [_nothing] * len(tables)
    parts = [*_parts(tables, np.isfinite(values))]

    def of_part(places: list[int]) -> list[Interval]:
        return [*find(GroupScores.joined([tables[place] for place in places]), values[places])]

    with workers(thread_count(sum(table.scores.size for table in tables))) as run:
        for places, intervals in zip(parts, run(of_part, parts), strict=True):
            for place, at in zip(places, intervals, strict=True):
                estimates[place] = _at(float(values[place]), at)
    return estimates


def _nothing(level: float) -> None:
    return None


def _at(value: float, at: Interval) -> At:
    return lambda level: estimate_of(value, shown_interval(at(level)), level)


def _parts(tables: Sequence[ScoreTable], are_known: Array) -> Iterator[list[int]]:
    """Yield the places of tables that are counted case by case, so many that their sums are found in one pass."""
    places: list[int] = []
    size = 0
    for place, (table, is_known) in enumerate(zip(tables, are_known.tolist(), strict=True)):
        if not is_known or not 1 < table.scores.size <= GROUPED_FROM:
            continue
        places.append(place)
        size += table.scores.size
        if size >= PART:
            yield places
            places, size = [], 0
    if places:
        yield places
