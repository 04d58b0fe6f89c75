"""Means over units, cases or clusters, of many models: their differences, and what resamples of the units give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.comparison.cases.case_values import RowValues
from classay.errors import InputError
from classay.inference.bootstrap.sampling import UnitDraws, blocks
from classay.inference.design import equal_units
from classay.inference.draws import OrderedRows, stream
from classay.tables.sums import is_rounding

Array = NDArray[Any]
REPLICATES = 1000
SELDOM = 0.01
"""Share of the resamples without spread beyond which a model has no bootstrap of t."""
TOO_EVEN = "the {} do not vary in too many of the resamples"


class Resample(NamedTuple):
    """What models have in some resamples, `(replicates, models)` each; NaN where a resample gives no value.

    `drawn` is their value in the resample, `errors` its standard error there.
    """

    drawn: Array
    errors: Array


@dataclass(frozen=True, eq=False)
class UnitMeans:
    """Means of values: sums over the values of each unit, `(units, models)`, and the weight of each unit.

    A unit is a case of weight 1, a case with its sampling weight, or a cluster. The variance of a mean is that of a
    ratio of sums over units, linearised: G / (G - 1) Σ (s - w·mean)² / (Σ w)².
    """

    names: tuple[str, ...]
    sums: Array
    size: Array

    @classmethod
    def of_values(cls, values: Mapping[str, ArrayLike]) -> UnitMeans:
        """Of one value a case, `(cases,)` of each model. Raises InputError for other shapes and missing values."""
        columns = {name: np.asarray(column, np.float64) for name, column in values.items()}
        shapes = {column.shape for column in columns.values()}
        if len(columns) < 2 or len(shapes) != 1 or len(next(iter(shapes))) != 1 or next(iter(shapes))[0] < 2:
            raise InputError(
                f"The values of {len(columns)} models have shapes {sorted(shapes)}. Use at least two models "
                "with one value for each of the same cases."
            )
        table = np.stack([*columns.values()], 1)
        bad = int((~np.isfinite(table)).any(1).sum())
        if bad:
            raise InputError(
                f"{bad} cases have a value that is infinite or not defined. Exclude these cases or the model."
            )
        order, _ = OrderedRows(np.zeros(len(table), int)).in_order(
            {name: [column] for name, column in columns.items()}
        )
        return cls(tuple(columns), table[order], np.ones(len(table)))

    @classmethod
    def of_rows(cls, rows: RowValues) -> UnitMeans:
        """Of the values of rows in canonical order, each row, or each whole cluster, a unit."""
        table = np.stack([*rows.values.values()], 1)
        if rows.unit is None:
            return cls._scaled(tuple(rows.values), table * rows.weight[:, None], rows.weight)
        groups = int(rows.unit.max()) + 1
        sums = np.stack([np.bincount(rows.unit, column * rows.weight, groups) for column in table.T], 1)
        return cls._scaled(tuple(rows.values), sums, np.bincount(rows.unit, rows.weight, groups))

    @classmethod
    def _scaled(cls, names: tuple[str, ...], sums: Array, size: Array) -> UnitMeans:
        """With the greatest weight 1, so that the unit of weights changes nothing."""
        return cls(names, sums / size.max(), size / size.max())

    @property
    def units(self) -> int:
        """Number of units."""
        return self.size.size

    @property
    def degrees(self) -> float:
        """Of Student's t: see `Design.equal_units`."""
        return float(equal_units(self.units, self.size.sum(), (self.size**2).sum())) - 1

    @property
    def is_even(self) -> bool:
        """Whether each unit is one case."""
        return bool((self.size == 1).all())

    @property
    def values(self) -> Array:
        """The mean of each model."""
        return np.asarray(_totals(self.sums) / self.size.sum())

    @property
    def errors(self) -> Array:
        """The standard error of each mean; 0 of one unit, and of values that are the same but for rounding."""
        residuals = self.sums - self.size[:, None] * self.values
        residuals = np.where(is_rounding(np.abs(residuals).max(0), np.abs(self.sums).max(0)), 0.0, residuals)
        larger = self.units / max(self.units - 1, 1)
        return np.asarray(np.sqrt(_totals(residuals**2) * larger) / self.size.sum())

    def less(self, control: str) -> UnitMeans:
        """Return the means of all other models minus that of a control, without a spread that is rounding."""
        at = self.names.index(control)
        others = [i for i in range(len(self.names)) if i != at]
        values, of_control = self.sums[:, others], self.sums[:, [at]]
        differences = values - of_control
        size = np.maximum(np.abs(values).max(0), np.abs(of_control).max())
        same = is_rounding(np.abs(differences).max(0), size)
        level = self.size[:, None] * (_totals(differences) / self.size.sum())
        even = is_rounding(np.abs(differences - level).max(0), size)
        differences = np.where(even, level, differences)
        return UnitMeans(tuple(self.names[i] for i in others), np.where(same, 0.0, differences), self.size)

    def resampled(self, counts: Array) -> Resample:
        """Return the means where each unit was drawn so many times."""
        with np.errstate(divide="ignore", invalid="ignore"):
            total = (counts @ self.size)[:, None]
            drawn = counts @ self.sums / total
            if self.is_even:
                variances = np.maximum(counts @ self.sums**2 / total - drawn**2, 0) / (self.units - 1)
            else:
                squares = counts @ self.sums**2 - 2 * drawn * (counts @ (self.sums * self.size[:, None]))
                squares += drawn**2 * (counts @ self.size**2)[:, None]
                variances = np.maximum(squares, 0) * self.units / (self.units - 1) / total**2
            return Resample(drawn, np.sqrt(variances))

    def deviations(self, resample: Resample) -> Array:
        """The |t| of each mean in each resample; a mean without spread is infinitely far off, unless it is the same."""
        drawn, variances = resample.drawn, resample.errors**2
        varies = variances > 1e-14 * drawn**2 / self.units
        distances = np.abs(drawn - self.values)
        most = np.abs(self.sums).max(0, initial=0.0) / max(float(self.size.mean()), 1e-300)
        off = np.where(distances > 1e-12 * most, np.inf, 0.0)
        deviations = np.where(varies, distances / np.sqrt(np.where(varies, variances, 1.0)), off)
        return np.asarray(np.where(np.isnan(drawn), np.inf, deviations))


def _totals(values: Array) -> Array:
    """Sums over units, `(models,)`, each the same whatever other models there are."""
    return np.asarray(np.ascontiguousarray(values.T).sum(1))


def draws(units: int, seed: int, purpose: str) -> Iterator[tuple[slice, Array]]:
    """Blocks of bootstrap counts of the units, `(replicates, units)`, with the places of the replicates."""
    start = 0
    for drawn in blocks(UnitDraws(units), REPLICATES, stream(seed, purpose)):
        yield slice(start, start + len(drawn)), drawn.astype(np.float64)
        start += len(drawn)


def vary_enough(deviations: Array) -> Array:
    """Return which models have a t in nearly every replicate."""
    return np.asarray(np.isinf(deviations).mean(0) <= SELDOM)


def critical(extreme: Array, level: float) -> float:
    """Return the quantile of the greatest |t|; infinite where one of both replicates that it lies between is."""
    top = np.quantile(extreme, level, method="higher")
    return float(np.quantile(np.minimum(extreme, top), level)) if np.isfinite(top) else float("inf")
