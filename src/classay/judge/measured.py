"""One measure of judged cases: corrected, from the labels only, by the judge alone, and with more labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import UnknownMeasureError, nearest
from classay.inference.along_the_way import METHOD
from classay.inference.estimate import Estimate
from classay.judge.cells import Cells, Values, finite_factor
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
    compute: Callable[..., Values]
    is_finite: bool
    width: float = 1.0

    @property
    def cells(self) -> Cells:
        """The cells of the part."""
        return self.of_all.only(np.array([self.part]))

    def half_width(self, labels: float, level: float) -> float:
        """Return the expected half-width with so many labels, drawn as those at hand, at most all cases of a cell."""
        cells = self.cells
        values, number = self.compute(cells), float(cells.counts.sum())
        grown = _up_to(cells.sizes, cells.labels, labels) / np.maximum(cells.labels, 1.0)
        counts = self.compute(replace(cells, units=None), is_finite=False).tool.counts * grown
        if self.is_finite:
            counts = counts * finite_factor(cells.effective * grown, cells.sizes)
        degrees = (values.degrees + 1) * labels / number - 1
        if cells.units is not None:
            degrees = np.minimum(degrees, cells.units.part.size - 1)
        tool = replace(values.tool, counts=counts / values.wider[:, None])
        low, high = replace(values, tool=tool, degrees=degrees).limits(level)
        return float(high[0] - low[0]) / 2 * self.width

    @property
    def effective_labels(self) -> float:
        """The labels, drawn as those at hand, that would say as much without the judge."""
        cells = self.cells
        values, one, local = self.compute(cells), self.compute(cells.in_one), float(cells.counts.sum())
        if cells.counts.shape[-1] == 2:
            with np.errstate(divide="ignore"):
                spread = values.value * (1 - values.value) / one.tool.counts.sum(-1)
        else:
            spread = one.errors**2
        variance = values.errors**2
        if not (spread[0] > 0 and variance[0] > 0):
            return local
        of_cases = 1 / float(cells.sizes.sum()) if self.is_finite else 0.0
        return float(1 / (of_cases + (1 / local - of_cases) * (variance / spread)[0]))


def _up_to(sizes: Array, labels: Array, number: float) -> Array:
    """Return `number` labels in cells in proportion to `labels`; what is beyond the cases of a cell goes to others.

    >>> _up_to(np.array([[60.0, 940.0]]), np.array([[60.0, 60.0]]), 500).tolist()
    [[60.0, 440.0]]
    """
    most = np.where(labels > 0, sizes, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        full_at = np.where(labels > 0, most / labels, 0.0)
    full = np.sort(full_at[labels > 0])
    filled = np.array([np.minimum(labels * scale, most).sum() for scale in full])
    # the total grows linearly between the scales at which cells become full
    return np.asarray(np.minimum(labels * np.interp(number, [0.0, *filled], [0.0, *full]), most))


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
