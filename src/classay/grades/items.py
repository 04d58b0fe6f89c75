"""Cases by the grades that several runs have: those on which all pass, all fail, or runs differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.grades.joining import JoinedGrades
from classay.shown import frame_of
from classay.texts import cut

Array = NDArray[Any]
Outcome = Literal["all pass", "all fail", "same grade", "runs differ"]
OUTCOMES: tuple[Outcome, ...] = ("all pass", "all fail", "same grade", "runs differ")
SAME = 1e-9
"""Means that differ by no more are equal but for rounding."""


@dataclass(frozen=True, eq=False)
class CaseGrades:
    """The cases that several runs answered.

    Attributes
    ----------
    cases : tuple of str
        The cases, sorted.
    means : numpy.ndarray
        Mean grade of each run in each case, `(runs, cases)`.
    outcomes : tuple of str
        "all pass" if every answer of every run has the best grade, "all fail" the worst, "same grade" if the
        means are equal otherwise, "runs differ" if they are not.
    """

    cases: tuple[str, ...]
    means: Array
    outcomes: tuple[Outcome, ...]

    @cached_property
    def spread(self) -> Array:
        """Standard deviation of the means of the runs, of each case: how much the case separates runs."""
        return np.where(np.ptp(self.means, 0) > SAME, self.means.std(0, ddof=1), 0.0)

    @cached_property
    def discrimination(self) -> Array:
        """Correlation, over runs, of the grade of each case with the mean of all others; NaN without variation.

        It is negative where better runs have worse grades, as with a wrong target.
        """
        rest = self.means.sum(1, keepdims=True) - self.means
        ours, others = (part - part.mean(0) for part in (self.means, rest))
        varies = (self.spread > 0) & (np.ptp(rest, 0) > SAME * len(self.cases))
        with np.errstate(invalid="ignore", divide="ignore"):
            correlation = (ours * others).sum(0) / np.sqrt((ours**2).sum(0) * (others**2).sum(0))
        return np.where(varies, correlation, np.nan)

    def named(self, outcome: Outcome) -> list[str]:
        """Return the cases with an outcome; those on which runs differ by how much they differ."""
        at = np.flatnonzero([known == outcome for known in self.outcomes])
        return [self.cases[k] for k in at[np.argsort(-self.spread[at], kind="stable")].tolist()]

    def frame(self) -> Any:
        """Return a row for each case, as a PyArrow table.

        Columns: case, outcome, mean (of all runs), spread (standard deviation between runs), discrimination
        (correlation with the mean of the other cases, over runs; null without variation).

        Returns
        -------
        pyarrow.Table
            The cases, sorted.
        """
        return frame_of(self.rows(), kinds={"case": "text", "outcome": "text"})

    def rows(self) -> list[dict[str, Any]]:
        """Return the cases as plain values."""
        columns = (self.means.mean(0), self.spread, self.discrimination)
        return [
            {
                "case": case,
                "outcome": outcome,
                "mean": mean,
                "spread": spread,
                "discrimination": None if isnan(correlation) else correlation,
            }
            for case, outcome, mean, spread, correlation in zip(
                self.cases, self.outcomes, *(column.tolist() for column in columns), strict=True
            )
        ]


CASES_SHOWN = 5


def shown_cases(names: Sequence[str]) -> str:
    """Return the first of some cases, and how many more there are.

    >>> shown_cases(["a", "b"]), shown_cases([*"abcdefg"]), shown_cases([])
    ('a, b', 'a, b, c, d and 3 more', '')
    """
    shown = names if len(names) <= CASES_SHOWN else names[: CASES_SHOWN - 1]
    more = f" and {len(names) - len(shown):,} more" if len(names) > len(shown) else ""
    return ", ".join(cut(name, 24) for name in shown) + more


def case_grades(rows: JoinedGrades) -> CaseGrades:
    """Return the cases of runs whose answers all have a grade."""
    means = rows.by_case(np.stack([*rows.values.values()]))
    return CaseGrades(rows.cases, means, _outcomes(means, rows))


def _outcomes(means: Array, rows: JoinedGrades) -> tuple[Outcome, ...]:
    """Return the outcome of each case; without bounds, no grade is known to be the best or worst."""
    is_same = np.ptp(means, 0) <= SAME
    outcome = np.where(is_same, OUTCOMES.index("same grade"), OUTCOMES.index("runs differ"))
    if rows.bounds is not None:
        worst_first = rows.bounds if rows.better == "higher" else rows.bounds[::-1]
        for number, end in enumerate(worst_first[::-1]):
            outcome[is_same & (np.abs(means[0] - end) <= SAME)] = number
    return tuple(OUTCOMES[k] for k in outcome.tolist())
