"""Areas under the ROC curves of several models over the same units, and what they are in resamples of whole units."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.comparison.cases.choice.means import Resample
from classay.comparison.cases.panel.panel import Panel
from classay.inference.scales import scale_of

Array = NDArray[Any]
LOGIT = scale_of((0.0, 1.0))


class _Ranked(NamedTuple):
    """The rows of a model by rising score: their places, and where each run of equal scores begins and ends."""

    order: Array
    start: Array
    end: Array

    @classmethod
    def of(cls, scores: Array) -> _Ranked:
        order = np.argsort(scores, kind="stable")
        ranked = scores[order]
        first = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))
        lengths = np.diff(np.append(first, ranked.size))
        return cls(order, np.repeat(first, lengths), np.repeat(first + lengths, lengths))


@dataclass(frozen=True, eq=False)
class Areas:
    """The areas of models by their scores, `(models, rows)`: P(s⁺ > s⁻) + ½ P(s⁺ = s⁻), each row with its weight.

    `unit` says which rows were drawn together, from 0 without gaps. The variance is that of the placements of the rows,
    summed over the units (DeLong 1988; Obuchowski 1997 for clusters). Intervals are on the logit scale.
    """

    names: tuple[str, ...]
    scores: Array
    positive: Array
    weight: Array
    unit: Array

    @classmethod
    def of_panel(cls, panel: Panel) -> Areas:
        """Of the models of a panel that have scores; rows with a frequency are repeated, each a unit of its own."""
        panel = panel.canonical()
        rows = np.arange(panel.truth.size)
        if panel.frequency is not None and panel.cluster is None:
            rows = np.repeat(rows, panel.frequency.astype(np.int64))
        weight = panel.weight if panel.frequency is None or panel.cluster is None else panel.frequency
        unit = np.arange(rows.size) if panel.cluster is None else panel.cluster
        scores = np.stack([np.asarray(each, np.float64)[rows] for each in panel.scores.values()])
        known = np.ones(rows.size) if weight is None else np.asarray(weight, np.float64)[rows]
        return cls(tuple(panel.scores), scores, panel.is_positive[rows], known, unit)

    @property
    def units(self) -> int:
        """Number of units."""
        return int(self.unit.max()) + 1

    @cached_property
    def _ranked(self) -> list[_Ranked]:
        return [_Ranked.of(each) for each in self.scores]

    @cached_property
    def _whole(self) -> Resample:
        return self.resampled(np.ones((1, self.units)))

    @property
    def values(self) -> Array:
        """The area of each model."""
        return np.asarray(self._whole.drawn[0])

    @property
    def errors(self) -> Array:
        """The standard error of each area."""
        return np.asarray(self._whole.errors[0])

    def resampled(self, counts: Array) -> Resample:
        """The areas where each unit was drawn so many times; NaN where one class is not drawn."""
        drawn, errors, left_out = (np.empty((len(counts), len(self.names))) for _ in range(3))
        times = counts[:, self.unit] * self.weight
        others = (counts == 0)[:, self.unit] * self.weight
        for k, ranked in enumerate(self._ranked):
            drawn[:, k], placed = self._area(times, ranked)
            errors[:, k] = self._error(placed, counts, ranked)
            left_out[:, k] = self._area(others, ranked)[0]
        return Resample(drawn, errors, left_out)

    def _area(self, times: Array, ranked: _Ranked) -> tuple[Array, Array]:
        """Areas, `(replicates,)`, and the influence of a row of each place on them, `(replicates, rows)`."""
        is_positive, own = self.positive[ranked.order], times[:, ranked.order]
        below, above = (_cumulated(own * each) for each in (~is_positive, is_positive))
        with np.errstate(divide="ignore", invalid="ignore"):
            under = (below[:, ranked.start] + below[:, ranked.end]) / 2 / below[:, -1:]
            over = 1 - (above[:, ranked.start] + above[:, ranked.end]) / 2 / above[:, -1:]
            area = (own * is_positive * under).sum(1) / above[:, -1]
            of_row = np.where(
                is_positive, (under - area[:, None]) / above[:, -1:], (over - area[:, None]) / below[:, -1:]
            )
        return area, of_row * self.weight[ranked.order]

    def _error(self, of_row: Array, counts: Array, ranked: _Ranked) -> Array:
        unit = self.unit[ranked.order]
        if self.units < unit.size:
            order = np.argsort(unit, kind="stable")
            ends = np.append(0, np.cumsum(np.bincount(unit))[:-1])
            of_unit, drawn = np.add.reduceat(of_row[:, order], ends, axis=1), counts
        else:
            of_unit, drawn = of_row, counts[:, unit]
        return np.asarray(np.sqrt((drawn * of_unit**2).sum(1) * self.units / (self.units - 1)))

    def deviations(self, resample: Resample) -> Array:
        """The |t| of the logit of each area; infinite where a resample has no area, no spread, or one of 0 or 1."""
        drawn, errors = resample.drawn, resample.errors
        known = (drawn > 0) & (drawn < 1) & (errors > 0)
        inside, error = np.where(known, drawn, 0.5), np.where(known, errors, 1.0)
        with np.errstate(divide="ignore"):
            apart = np.abs(LOGIT.to(inside) - LOGIT.to(self.values))  # type: ignore[arg-type]
        return np.asarray(np.where(known, apart / (error * LOGIT.slope(inside)), np.inf))  # type: ignore[arg-type]

    def limits(self, value: float, error: float, critical: float) -> tuple[float, float]:
        """On the logit scale; the value itself where it is 0 or 1."""
        return LOGIT.interval(value, error, critical) if 0 < value < 1 else (value, value)


def _cumulated(weights: Array) -> Array:
    """Sums of all before each place, `(replicates, rows + 1)`."""
    return np.concatenate([np.zeros((len(weights), 1)), np.cumsum(weights, 1)], 1)
