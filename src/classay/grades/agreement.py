"""How far runs agree: the share of answers to the same case that have the same grade, and Cohen's kappa."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.comparison.cases.graded import Grades
from classay.grades.estimates import dependent
from classay.grades.joining import JoinedGrades
from classay.inference.estimate import Estimate
from classay.measures.matrices import cohen_kappa
from classay.shown import frame_of

Array = NDArray[Any]
MOST_LEVELS = 10
"""Different grades beyond which equal grades say little."""
_AGREEMENT = "agreement"


@dataclass(frozen=True)
class RunPair:
    """Two runs, the share of answers to the same case with the same grade, and kappa, NaN where it is not defined."""

    first: str
    second: str
    agreement: Estimate
    kappa: float


@dataclass(frozen=True, eq=False)
class RunAgreement:
    """How far every two of several runs agree.

    Attributes
    ----------
    runs : tuple of str
        The runs.
    shares, kappa : numpy.ndarray
        Share of equal grades and Cohen's kappa of each pair, `(runs, runs)`.
    reason : str or None
        Why there is no agreement, if grades have many values.
    """

    runs: tuple[str, ...]
    shares: Array
    kappa: Array
    reason: str | None
    level: float
    _levels: Array
    """Share of the answers of each run to each case that have each grade, `(grades, runs, cases)`."""
    _sizes: Array
    _cluster: Array | None = None
    """The cluster of each case; None where every case is one of its own."""

    @property
    def places(self) -> list[tuple[int, int]]:
        """The pairs by the places of their runs."""
        return (
            []
            if self.reason
            else [*zip(*map(np.ndarray.tolist, np.triu_indices(len(self.runs), 1)), strict=True)]
        )

    @property
    def mean(self) -> float:
        """Mean share over all pairs."""
        return float(np.mean([self.shares[pair] for pair in self.places])) if self.places else np.nan

    def pair(self, first: int, second: int) -> RunPair:
        """Return a pair of runs, by their places, with the interval of its share."""
        return self._against(first, [second])[0]

    @property
    def extremes(self) -> list[RunPair]:
        """The pairs that agree least and most."""
        ordered = sorted(self.places, key=lambda pair: self.shares[pair])
        return [self.pair(*places) for places in (ordered[0], ordered[-1])]

    def pairs(self) -> list[RunPair]:
        """Return all pairs."""
        last = len(self.runs) if self.places else 0
        return [pair for first in range(last - 1) for pair in self._against(first, range(first + 1, last))]

    def _against(self, first: int, others: Any) -> list[RunPair]:
        same = {self.runs[k]: (self._levels[:, first] * self._levels[:, k]).sum(0) for k in others}
        weight = None if np.ptp(self._sizes) == 0 else self._sizes.astype(float)
        _, alone = Grades(same, weight, None, self._cluster, _AGREEMENT, 1, (0.0, 1.0)).joint()
        return [
            RunPair(self.runs[first], name, alone(name, self.level), float(self.kappa[first, k]))
            for k, name in zip(others, same, strict=True)
        ]

    def frame(self) -> Any:
        """Return a row for each pair of runs, as a PyArrow table.

        Columns: first, second, agreement, low, high, level, method, kappa.

        Returns
        -------
        pyarrow.Table
            The pairs of runs.
        """
        names = ("first", "second", "agreement", "low", "high", "level", "method", "kappa")
        rows = [
            dict(zip(names, (pair.first, pair.second, *_plain(pair.agreement), pair.kappa), strict=True))
            for pair in self.pairs()
        ]
        return frame_of(rows, names)


def _plain(estimate: Estimate) -> tuple[Any, ...]:
    return estimate.value, estimate.low, estimate.high, estimate.level, estimate.method


def run_agreement(rows: JoinedGrades, cluster: Array, level: float) -> RunAgreement:
    """Return how far runs agree whose answers all have a grade; `cluster` is the number of that of each answer.

    Of cases with several answers, every answer of a run is compared with every answer of another run: which epoch is
    which says nothing.
    """
    table, sizes = np.stack([*rows.values.values()]), np.bincount(rows.code)
    of_case = np.empty(sizes.size, np.int64)
    of_case[rows.code] = cluster
    grades = np.unique(table)
    names, runs = tuple(rows.values), len(table)
    if grades.size > MOST_LEVELS:
        none = np.full((runs, runs), np.nan)
        reason = f"grades have more than {MOST_LEVELS} different values"
        return RunAgreement(names, none, none, reason, level, np.empty((0, runs, sizes.size)), sizes)
    levels = np.stack([rows.by_case(table == grade) for grade in grades])
    hits = np.stack([(part * sizes) @ part.T for part in levels], -1)
    totals = (levels * sizes).sum(2).T
    shape = (runs, runs, grades.size)
    first, second = np.broadcast_to(totals[:, None], shape), np.broadcast_to(totals[None], shape)
    kappa = np.asarray(cohen_kappa(hits, first, second), float)
    return RunAgreement(
        names, hits.sum(2) / sizes.sum(), kappa, None, level, levels, sizes, dependent(of_case)
    )
