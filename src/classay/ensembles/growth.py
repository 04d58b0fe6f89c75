"""Growth: the error of an ensemble against the number of its members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.curves.curve import Curve
from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.inference.intervals import estimate, weighted
from classay.measures import error_rate
from classay.tables import ConfusionMatrix

Array = NDArray[Any]
Cases = Literal["training", "out of bag", "out of fold", "test"]
CURVE = "ensemble_growth"
DRAWN = 60
"""Sizes that a picture shows with their intervals."""


@dataclass(frozen=True, eq=False)
class Plateau:
    """From `members` on, the error stays within `margin`, one standard error, of the error of all `of` members."""

    members: int
    of: int
    margin: float

    @property
    def is_reached(self) -> bool:
        """Whether at least the second half of the members changed nothing beyond the margin."""
        return 2 * self.members <= self.of


@dataclass(frozen=True, eq=False)
class Growth:
    """Wrongly classified cases of the ensembles of the first 1, 2, … members, each `(members,)`.

    `total` is the weight of the cases that have a vote, `unvoted` the number of those without one: they are left out,
    as an ensemble that says nothing of a case is not wrong about it. `tied` is the number of cases that the whole
    ensemble leaves to the rule for ties. `no_interval` says why the errors have no intervals, where they have none.
    The intervals are of the error of this very ensemble on new cases: the cases are random, the members are not.
    """

    cases: Cases
    wrong: Array
    total: Array
    wrong_squares: Array | None
    total_squares: Array | None
    unvoted: Array
    tied: int = 0
    no_interval: str = ""

    @property
    def members(self) -> int:
        """Number of members of the whole ensemble."""
        return int(self.wrong.shape[0])

    @property
    def errors(self) -> Array:
        """The error of the first 1, 2, … members, `(members,)`; NaN where no case has a vote."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.wrong / self.total)

    def estimate(self, members: int | None = None, level: float = 0.95) -> Estimate:
        """The error of the ensemble of the first members, of all by default.

        Raises InputError for more members than there are, or fewer than one.
        """
        wanted = self.members if members is None else members
        if not 1 <= wanted <= self.members:
            raise InputError(
                f"members is {members}: the ensemble has {self.members}, pass 1 to {self.members}."
            )
        at = wanted - 1
        if not self.total[at] > 0:
            return Estimate.undefined(f"no case has a vote {self.cases}")
        if self.no_interval:
            return Estimate.bare(float(self.errors[at]), self.no_interval)
        counts = _table(self.total[at] - self.wrong[at], self.wrong[at])
        if self.wrong_squares is None or self.total_squares is None:
            return estimate(error_rate, counts, level=level)
        squares = _table(self.total_squares[at] - self.wrong_squares[at], self.wrong_squares[at])
        return weighted(error_rate, counts, squares, level)

    def plateau(self) -> Plateau | None:
        """The least size from which on the error stays within one standard error of that of all members.

        The standard error is that of the whole ensemble's error, sqrt(e (1 - e) / n) with n = (Σw)² / Σw². None where
        the error is undefined. It describes this curve, and tests nothing.
        """
        last = float(self.errors[-1])
        if np.isnan(last):
            return None
        n = float(self.total[-1])
        if self.total_squares is not None:
            n = n * n / float(self.total_squares[-1])
        margin = float(np.sqrt(last * (1 - last) / n))
        apart = ~(np.abs(self.errors - last) <= margin + 1e-12)
        first = int(np.flatnonzero(apart).max(initial=-1)) + 2
        return Plateau(first, self.members, margin)

    def curve(self, level: float = 0.95) -> Curve:
        """The error against the number of members, with its intervals as a band."""
        sizes = shown_sizes(self.members, DRAWN)
        found = [self.estimate(int(size), level) for size in sizes]
        band = {} if self.no_interval else {"low": _column(found, "low"), "high": _column(found, "high")}
        method = "" if self.no_interval else f"{100 * level:g} %, each size for itself; the cases are random"
        return Curve(
            CURVE,
            "Error against the number of members",
            sizes.astype(float),
            _column(found, "value"),
            "members",
            "error",
            series=self.cases,
            band=method,
            **band,  # type: ignore[arg-type]
        )

    def frame(self, level: float = 0.95) -> Any:
        """A row for each size, as a PyArrow table: members, error, low, high, unvoted."""
        import pyarrow as pa

        found = [self.estimate(size, level) for size in range(1, self.members + 1)]
        columns = {name: _column(found, name) for name in ("value", "low", "high")}
        return pa.table(
            {"members": np.arange(1, self.members + 1)}
            | {"error" if name == "value" else name: column for name, column in columns.items()}
            | {"unvoted": self.unvoted}
        )


def shown_sizes(members: int, most: int) -> Array:
    """At most so many sizes from 1 to all members, evenly spaced on the scale of ratios.

    >>> shown_sizes(100, 7).tolist()
    [1, 2, 5, 10, 22, 46, 100]
    """
    return np.unique(np.geomspace(1, members, min(members, most)).round().astype(int))


def _table(right: float, wrong: float) -> ConfusionMatrix:
    counts = np.array([[right, wrong], [0, 0]])
    whole = counts.astype(np.int64)
    return ConfusionMatrix(whole if (whole == counts).all() else counts, ("right", "wrong"))


def _column(found: list[Estimate], name: str) -> Array:
    return np.array([getattr(each, name) for each in found])
