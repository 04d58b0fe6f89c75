"""Measures of many groups of cases at once: their sums in a few passes over all groups, not in a pass for each.

The numbers are those that each group has by itself, to rounding. It is for groups of cases that are drawn alike, and
for the default intervals of shares and of some measures of scores; for all others there is nothing here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import one_after_another, thread_count, workers
from classay.inference.design import Spread
from classay.inference.estimate import Estimate, Found
from classay.inference.intervals import AskedInterval, shown_interval
from classay.inference.methods import Method, default
from classay.inference.proportions import wilson
from classay.inference.scores.auc import AucVariance, placed_interval
from classay.inference.scores.calibration_tests import sandwich
from classay.inference.scores.linearised import around
from classay.measures import Measure
from classay.measures.probability_bins import GROUPED_FROM
from classay.tables import BinaryCounts, ConfusionMatrix, ScoreTable

Array = NDArray[Any]
At = Callable[[float], "Estimate | None"]
"""The estimate of a group at a level; None where it must be made by itself, for its reason."""
Interval = Callable[[float], Found]
"""The interval of a group at a level."""
PART = 1 << 18
"""Scores that are summed in one pass."""


def shares_at_once(
    measure: Measure, counts: BinaryCounts | ConfusionMatrix, level: float
) -> list[Estimate | None] | None:
    """The estimates of a share in groups, `counts` with these as their leading axis; None where it is no Wilson's.

    >>> from classay.measures import recall
    >>> shares_at_once(recall, BinaryCounts(*np.array([[6, 3], [1, 0], [4, 1], [89, 9]])), 0.95)
    [Estimate(0.600 [0.313, 0.832] 95 %, Wilson), Estimate(0.750 [0.301, 0.954] 95 %, Wilson)]
    """
    asked = AskedInterval(measure, 0.5)
    other = asked.of_complement(counts).measure
    chosen = default(other, counts, 0.5, None, level, "alike") if other.parts is not None else ""
    if not isinstance(chosen, Method) or chosen.name != "Wilson":
        return None
    assert other.parts is not None
    values = np.asarray(measure(counts), np.float64)
    x, m = (np.asarray(each, np.float64) for each in other.parts(*other.read((counts,))))
    with np.errstate(divide="ignore", invalid="ignore"):
        lows, highs = wilson(x, m, level)
    return [
        None
        if isnan(value)
        else _made(
            value,
            AskedInterval(measure, value).mirrored(shown_interval((low, high, chosen.name))),
            level,
        )
        for value, low, high in zip(values.tolist(), lows.tolist(), highs.tolist(), strict=True)
    ]


def _made(value: float, found: Found, level: float) -> Estimate:
    if isinstance(found, str):
        return Estimate.bare(value, found)
    return Estimate(value, found[0], found[1], level, found[2])


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
        sizes = [each.scores.size for each in tables]
        scores, positives, negatives = (
            np.concatenate([getattr(each, name) for each in tables]).astype(np.float64)
            for name in ("scores", "positives", "negatives")
        )
        starts = np.concatenate([[0], np.cumsum(sizes)])
        of = np.repeat(np.arange(len(sizes)), sizes)
        return cls(tables, scores, positives, negatives, starts, of)

    def sums(self, values: Array) -> Array:
        """The sum of each group."""
        return np.add.reduceat(values, self.starts[:-1])

    def through(self, counts: Array) -> Array:
        """Running sums within each group; of whole numbers, so that nothing is rounded."""
        running = np.cumsum(counts)
        before = np.concatenate([[0.0], running])[self.starts[:-1]]
        return np.asarray(running - before[self.of])

    def powers(self, cases: Array, influence: Array) -> tuple[Array, Array]:
        """Sums of the squares and of the fourth powers of the influences of so many cases at each score."""
        squared = influence * influence
        each = cases * squared
        return self.sums(each), self.sums(each * squared)


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
    for value, own in zip(values.tolist(), np.moveaxis(sums, -1, 0).tolist(), strict=True):
        placed = AucVariance.of_sums(*own)
        yield partial(placed_interval, value, value, placed)


def _in_the_large(g: GroupScores, values: Array) -> Iterator[Interval]:
    """As `scores.calibration_tests` has it: certain cases move nothing."""
    p = g.scores
    doubt = (p > 0) & (p < 1)
    with np.errstate(over="ignore"):
        odds = np.exp(-values)[g.of]
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(doubt, p / (p + (1 - p) * odds), 0.0)
    cases = (g.positives + g.negatives) * doubt
    with np.errstate(divide="ignore"):
        direction = (1 / g.sums(cases * q * (1 - q)))[g.of]
    of_classes = (
        g.powers(g.positives * doubt, (1 - q) * direction),
        g.powers(g.negatives * doubt, q * direction),
    )
    sums = np.stack([*np.sum(of_classes, axis=0), g.sums(cases)], 1).tolist()
    for table, value, (squares, fourths, number) in zip(g.tables, values.tolist(), sums, strict=True):
        spread = Spread.of_sums(squares, fourths, number, number)
        yield partial(sandwich, value, spread, table, total=number)


def _mean_of(who: str, measure: Measure) -> Callable[[GroupScores, Array], Iterator[Interval]]:
    """As `scores.linearised` has the mean probability of one class."""

    def found(g: GroupScores, values: Array) -> Iterator[Interval]:
        own = g.positives if who == "positives" else g.negatives
        z = (g.scores - values[g.of]) / g.sums(own)[g.of]
        sums = np.stack([*g.powers(own, z), g.sums(g.positives + g.negatives)], 1).tolist()
        for value, (squares, fourths, number) in zip(values.tolist(), sums, strict=True):
            spread = Spread.of_sums(squares, fourths, number, number)
            yield partial(around, measure, value, spread)

    return found


def _of_scores(measure: Measure) -> Callable[[GroupScores, Array], Iterator[Interval]] | None:
    """How the intervals of a measure of scores are found in many groups at once."""
    if measure.name == "roc_auc":
        return _aucs
    if measure.name == "calibration_in_the_large":
        return _in_the_large
    who = measure.name.removeprefix("mean_probability_of_")
    return _mean_of(who, measure) if who in ("positives", "negatives") else None


def scores_at_once(measure: Measure, tables: Sequence[ScoreTable]) -> list[At] | None:
    """What gives the estimate of a measure of scores in each group at any level; None where it is no such measure."""
    find = _of_scores(measure)
    if find is None:
        return None
    with one_after_another(len(tables)):
        values = np.array([float(measure(each)) for each in tables])
    found: list[At] = [_nothing] * len(tables)
    parts = [*_parts(tables, np.isfinite(values))]

    def of_part(places: list[int]) -> list[Interval]:
        return [*find(GroupScores.joined([tables[place] for place in places]), values[places])]

    with workers(thread_count(sum(each.scores.size for each in tables))) as run:
        for places, own in zip(parts, run(of_part, parts), strict=True):
            for place, at in zip(places, own, strict=True):
                found[place] = _at(float(values[place]), at)
    return found


def _nothing(level: float) -> None:
    return None


def _at(value: float, at: Interval) -> At:
    return lambda level: _made(value, shown_interval(at(level)), level)


def _parts(tables: Sequence[ScoreTable], are_known: Array) -> Iterator[list[int]]:
    """The places of tables that are counted case by case, so many that their sums are found in one pass."""
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
