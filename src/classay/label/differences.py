"""Two models on one sample of labels: strata by what they predict, and limits of differences with Student's t."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import in_precision
from classay.errors import InputError
from classay.inference.along_the_way import (
    CalledCells,
    of_counts,
    share_of_sizes,
    sizes_error,
)
from classay.inference.proportions import normal_quantile
from classay.label.expected import LabeledShares, Planned, counts_of
from classay.label.in_order import ScoresInOrder
from classay.label.strata import Pool, checked_scores, planned_shares
from classay.measures import get
from classay.texts import hint

Array = NDArray[Any]
FLOORS = (5, 15)
"""Labels that strata get at least: those that no model predicts positive, and the others."""
PARTS = 3
"""Strata by score of cases that no model predicts positive."""
DISAGREEMENT = 2.0
"""How many times the labels strata of disagreement get."""
_MOST_T = 1e6


@dataclass(frozen=True, eq=False)
class WithStudent(LabeledShares):
    """The same with Student's t in place of z, of degrees of freedom by Satterthwaite at the point reached."""

    def quantile(self, z: Array, offs: Array, length: Array) -> Array:
        """Return the quantile of t, which is z where all cases of the cells that move are labeled."""
        from scipy.special import ndtr, stdtrit

        with np.errstate(divide="ignore", invalid="ignore"):
            df = length**4 / (offs**4 / np.maximum(self.labels - 1, 1)).sum(-1)
        t = np.abs(stdtrit(np.where(df > 0, df, 1.0), ndtr(-z)))  # inf at 0, of either sign
        return np.where(np.isfinite(df), np.where(t < _MOST_T, t, _MOST_T), z)


def difference_of(
    name: str,
    sizes: Array,
    calls: Array,
    shares: Array,
    labels: Array,
    *,
    is_finite: bool,
    with_t: bool = True,
) -> LabeledShares:
    """Return a measure of the first model minus that of the second, from the shares of strata, with its limits."""
    measure = get(name)
    cells = [CalledCells(sizes, calls[:, k]) for k in (0, 1)]

    def value(at: Array) -> Array:
        first, second = (of_counts(measure, *one.totals(at)) for one in cells)
        return np.asarray(first - second)

    def slopes(at: Array, place: int = 0) -> Array:
        first, second = (one.slopes(measure, at)[place] for one in cells)
        return np.asarray(first - second)

    counts = counts_of(labels, sizes) if is_finite else labels.astype(float)
    error = sizes_error(share_of_sizes(sizes), slopes(shares, 1), np.maximum(sizes.sum(-1), 1.0))
    low, high = measure.bounds
    basic = (shares, counts, value, slopes, 0.0 * error if is_finite else error, (low - high, high - low))
    return (WithStudent if with_t else LabeledShares)(*basic, labels=labels)


@dataclass(frozen=True, eq=False)
class PlannedPair:
    """Strata of two models: what each predicts, `(strata, 2)`, cases and planned shares."""

    calls: Array
    sizes: Array
    shares: Array

    def half_widths(self, labels: Array, measures: tuple[str, ...], level: float) -> dict[str, Array]:
        """Return the half-widths of intervals of differences that labels, `(…, strata)`, give if shares are correct."""
        return self._halves(labels, measures, level, with_t=True)

    def of_random(self, budget: int, measures: tuple[str, ...], level: float) -> dict[str, float]:
        """Return those of a simple random sample that is divided into the same strata afterwards."""
        labels = budget * self.sizes / self.sizes.sum()
        halves = self._halves(labels, measures, level, with_t=False)
        return {name: float(half) for name, half in halves.items()}

    def _halves(
        self, labels: Array, measures: tuple[str, ...], level: float, *, with_t: bool
    ) -> dict[str, Array]:
        z, halves = normal_quantile(level), {}
        shares = np.broadcast_to(self.shares, labels.shape)
        for name in measures:
            tool = difference_of(name, self.sizes, self.calls, shares, labels, is_finite=True, with_t=with_t)
            low, high = tool.limits(z)
            halves[name] = (high - low) / 2
        return halves


@dataclass(frozen=True, eq=False)
class PairStrata:
    """Strata of two models, those that no model predicts positive first, and the stratum of each case."""

    names: tuple[str, str]
    places: Array
    ends: tuple[tuple[float | None, float | None], ...]
    called_by: tuple[tuple[str, ...], ...]
    sizes: Array
    means: Array
    shares: Array
    spreads: Array

    @property
    def least(self) -> Array:
        """The labels that each stratum gets at least."""
        return np.minimum([FLOORS[bool(called)] for called in self.called_by], self.sizes).astype(np.int64)

    def weights(self, measures: tuple[str, ...]) -> Array:
        """Return the mean of the shares of labels that serve each model, twice as much where they disagree."""
        calls = np.array([[name in called for name in self.names] for called in self.called_by])
        of_each = [
            Planned(self.sizes, calls[:, k], self.shares, self.spreads).weights(measures) for k in (0, 1)
        ]
        weights = np.mean(of_each, 0) * np.where(calls[:, 0] != calls[:, 1], DISAGREEMENT, 1.0)
        return np.asarray(weights / weights.sum())


def checked_pair(scores: Any) -> tuple[tuple[str, str], Array]:
    """Return the names of two models and their scores, one column each. Raises InputError for others."""
    if not isinstance(scores, Mapping) or len(scores) != 2:
        number = len(scores) if isinstance(scores, Mapping) else 1
        raise InputError(
            f"A plan compares two models, but there are {number}. Plans for more models are not available yet. "
            + hint("Pass the scores of two models by their names.", "Use --scores A,B.")
        )
    columns = [checked_scores(column) for column in scores.values()]
    if columns[0].size != columns[1].size:
        raise InputError(
            f"The models have {columns[0].size:,} and {columns[1].size:,} scores. Pass the scores of the same cases."
        )
    first, second = map(str, scores)
    return (first, second), np.column_stack(columns)


def strata_of_pair(
    names: tuple[str, str], values: Array, threshold: float, prevalence: float | None
) -> PairStrata:
    """Return the strata. Raises InputError where scores are no probabilities, or the models never disagree."""
    if values.min() < 0 or values.max() > 1:
        raise InputError(
            "Plans for two models need scores in [0, 1]. Ranks are not available yet. Convert the scores to "
            "probabilities."
        )
    calls = values >= in_precision(threshold, values.dtype)
    kind = calls[:, 0] + 2 * calls[:, 1]
    if not ((kind == 1) | (kind == 2)).any():
        raise InputError(
            f"Both models predict the same cases positive at threshold {threshold:g}. Their measures are equal. "
            f"Change {hint('threshold=', '--threshold')}, or plan for one model."
        )
    if not (kind == 0).any() or not calls.any(0).all():
        raise InputError(
            f"A model predicts no case positive, or every case has a positive prediction, at threshold {threshold:g}. "
            "Use a threshold between the scores."
        )
    mean = values.mean(1, dtype=float)
    planned = planned_shares(ScoresInOrder.of(mean), prevalence)
    none = mean[kind == 0]
    edges = Pool(ScoresInOrder.of(none), none.size, planned).edges(PARTS)
    places = np.searchsorted(edges, mean, side="right").astype(np.uint8)
    ends: list[tuple[float | None, float | None]] = []
    bounds = [None, *edges.tolist(), None]
    ends += [(bounds[k], bounds[k + 1]) for k in range(edges.size + 1)]
    called: list[tuple[str, ...]] = [()] * len(ends)
    for code, who in ((2, (names[1],)), (1, (names[0],)), (3, names)):
        if (kind == code).any():
            places[kind == code] = len(called)
            called.append(who)
            ends.append((None, None))
    shares = planned(mean)
    sizes = np.bincount(places).astype(float)
    totals = (np.bincount(places, weights=by) for by in (mean, shares, np.sqrt(shares * (1 - shares))))
    means, positives, spreads = totals
    return PairStrata(
        names, places, tuple(ends), tuple(called), sizes, means / sizes, positives / sizes, spreads
    )


def places_of_pairs(
    strata: tuple[Any, ...], models: tuple[str, ...], scores: Array, threshold: float
) -> Array:
    """Return the stratum of cases by the scores of two models."""
    calls = scores >= in_precision(threshold, scores.dtype)
    none = [one for one in strata if not one.called_by]
    edges = np.array([one.low for one in none[1:]], float)
    places = np.searchsorted(edges, scores.mean(1, dtype=float), side="right").astype(np.uint8)
    for place, one in enumerate(strata):
        if one.called_by:
            places[(calls == np.array(one.calls(models))).all(1)] = place
    return np.asarray(places)
