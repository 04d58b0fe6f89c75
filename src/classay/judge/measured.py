"""One measure of judged cases: corrected, from the labels only, by the judge alone, and with more labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import UnknownMeasureError, nearest
from classay.inference.along_the_way import METHOD, finite_counts
from classay.inference.estimate import Estimate
from classay.judge.cells import Cells, Values
from classay.texts import listed

Array = NDArray[Any]
NO_LABELS = "no human labels"
TOO_FEW = "the labels are too few for an interval"
NOT_DEFINED = "no labeled case is in the denominator"


@dataclass(frozen=True, eq=False)
class Plan:
    """How a measure of one part follows from the cells of all, so that it can be computed for more labels."""

    of_all: Cells
    part: int
    compute: Callable[[Cells], Values]
    is_finite: bool
    width: float = 1.0

    @property
    def cells(self) -> Cells:
        """The cells of the part."""
        return self.of_all.only(np.array([self.part]))

    def half_width(self, labels: float, level: float) -> float:
        """Return the expected half-width with so many labels, drawn as those at hand."""
        cells = self.cells
        values, number = self.compute(cells), float(cells.counts.sum())
        if self.is_finite:
            grown = np.minimum(cells.labels * labels / number, cells.sizes)
            counts = finite_counts(grown, cells.sizes) / values.wider[:, None]
        else:
            counts = values.tool.counts * labels / number
        degrees = (values.degrees + 1) * labels / number - 1
        planned = replace(values, tool=replace(values.tool, counts=counts), degrees=degrees)
        low, high = planned.limits(level)
        return float(high[0] - low[0]) / 2 * self.width

    @property
    def effective_labels(self) -> float:
        """The labels that would say as much without the judge: θ (1 - θ) / V."""
        cells = self.cells
        values, local = self.compute(cells), float(cells.counts.sum())
        if cells.counts.shape[-1] == 2:
            spread = values.value * (1 - values.value)
        else:
            spread = local * self.compute(cells.in_one).errors ** 2
        variance = values.errors**2
        return float((spread / variance)[0]) if spread[0] > 0 and variance[0] > 0 else local


@dataclass(frozen=True, eq=False)
class Measured:
    """One measure: corrected, from the human labels only, and as the judge alone has it, NaN where it has none."""

    estimate: Estimate
    labels_alone: Estimate
    judge_alone: float = float("nan")
    is_share: bool = True
    plan: Plan | None = None


class NamedEstimates(Mapping[str, Estimate]):
    """Estimates by the names of their measures; some have further names."""

    def __init__(self, estimates: Mapping[str, Estimate], others: Mapping[str, str]) -> None:
        self._estimates, self._others = dict(estimates), others

    def __getitem__(self, name: str) -> Estimate:
        estimate = self._estimates.get(self._others.get(name, name))
        if estimate is None:
            raise unknown(name, self._estimates)
        return estimate

    def __iter__(self) -> Iterator[str]:
        return iter(self._estimates)

    def __len__(self) -> int:
        return len(self._estimates)

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {estimate!r}" for name, estimate in self._estimates.items())


def unknown(name: str, names: Mapping[str, object]) -> UnknownMeasureError:
    """Return the error of a measure that a result does not have."""
    near = nearest(str(name), [*names]) or "."
    return UnknownMeasureError(f"This result has no measure {name!r}. Measures: {listed([*names])}{near}")


def estimates(
    values: Values, labels: Array, level: float, bounds: tuple[float, float] = (0.0, 1.0)
) -> list[Estimate]:
    """Return the measure of each part; `bounds` are the numbers of the least and the greatest grade."""
    low, high = values.limits(level)
    results = []
    for k, (value, start, end, number) in enumerate(zip(values.value, low, high, labels, strict=True)):
        if not number:
            results.append(Estimate.undefined(NO_LABELS))
        elif np.isnan(value):
            results.append(Estimate.undefined(NOT_DEFINED))
        elif np.isnan(start) or np.isnan(end):
            results.append(Estimate.bare(in_range(value, bounds), NOT_DEFINED))
        elif start == end and np.isfinite(values.tool.counts).all():  # a sample is never without an error
            results.append(Estimate.bare(in_range(value, bounds), TOO_FEW))
        else:
            ends = [in_range(end, bounds) for end in (value, min(start, value), max(end, value))]
            results.append(Estimate(ends[0], ends[1], ends[2], level, _method(values, k)))
    return results


def _method(values: Values, part: int) -> str:
    """Return the name of the interval of a part: Wilson where there is one cell, of clusters with their quantile."""
    counts = np.broadcast_to(values.tool.counts, values.tool.shares.shape)[part]
    name = METHOD if (counts > 0).sum() > 1 else "Wilson"
    return f"clusters, {name}, t" if np.isfinite(values.degrees[part]) else name


def in_range(value: float, bounds: tuple[float, float]) -> float:
    """Return a share of the range as a number of grades.

    >>> in_range(0.25, (1.0, 5.0))
    2.0
    """
    return float(bounds[0] + (bounds[1] - bounds[0]) * value)
