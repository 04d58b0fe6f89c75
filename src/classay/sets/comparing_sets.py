"""`compare_sets`: two methods of prediction sets on the same cases, in size and coverage together."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from classay.columns.opened import RawColumn
from classay.errors import InputError
from classay.inference.estimate import Estimate, level_text
from classay.inference.phrasing import number_with_interval
from classay.inference.proportions import tango
from classay.kinds import checked, is_mapping
from classay.sets.reading import are_columns, read_sets
from classay.sets.set_assessment import SetAssessment, refuse_unfit, spread_of_mean, table_of
from classay.shown import Reportable
from classay.tables import PairedCounts
from classay.texts import some
from classay.warned import Warned


@dataclass(frozen=True, eq=False)
class SetComparison(Reportable):
    """Two methods of prediction sets on the same cases.

    Attributes
    ----------
    methods : mapping of SetAssessment
        The assessments of both methods by name.
    size_difference : Estimate
        Mean size of the first method minus that of the second.
    coverage_difference : Estimate
        Coverage of the first method minus that of the second.
    level : float
        Confidence level of the intervals.
    """

    methods: Mapping[str, SetAssessment]
    size_difference: Estimate
    coverage_difference: Estimate
    level: float

    @property
    def names(self) -> tuple[str, str]:
        """The names of both methods."""
        first, second = self.methods
        return first, second

    @property
    def n(self) -> int:
        """Number of cases."""
        return next(iter(self.methods.values())).n

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings of both methods, with their names."""
        return tuple(
            replace(warning, concerns=(name,)) for name, a in self.methods.items() for warning in a.warnings
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """The main result in sentences."""
        first, second = self.names
        size, coverage = self.size_difference, self.coverage_difference
        a, b = (f"{self.methods[name]['mean_size'].value:.3f}" for name in self.names)
        gap = f"{a} versus {b} labels, a difference of {number_with_interval(size)}"
        is_open = size.has_interval and size.low <= 0 <= size.high
        if is_open:
            lead = f"No difference in mean size was detected: {gap}."
        elif size.value:
            kind = "smaller" if size.value < 0 else "larger"
            lead = f"The sets of {first} are {kind} than the sets of {second}: {gap}."
        else:
            lead = f"The sets of {first} and {second} have the same mean size of {a} labels."
        lines = [lead, f"The coverage of {first} minus that of {second} is {_in_points(coverage)}."]
        smaller = first if size.value < 0 else second
        loses = coverage.high < 0 if size.value < 0 else coverage.low > 0
        if size.value and not is_open:
            lines.append(
                "Smaller sets with a lower coverage are not an improvement."
                if loses
                else f"No lower coverage of {smaller} was detected."
            )
        return tuple(lines)

    def __repr__(self) -> str:
        return (
            f"SetComparison({' and '.join(self.names)}, {self.n:,} cases; print it, or see .size_difference)"
        )


@checked
def compare_sets(
    y_true: Any,
    sets: Mapping[str, RawColumn],
    *,
    labels: Sequence[Hashable] | None = None,
    separator: str | None = None,
    target: float | None = None,
    calibration: int | None = None,
    level: float = 0.95,
) -> SetComparison:
    """Compare two methods of prediction sets on the same cases.

    Parameters
    ----------
    y_true : array-like, shape `(cases,)`
        True labels.
    sets : mapping of two methods
        The sets of both methods by their names, in any form of `assess_sets`.
    labels : sequence, optional
        Labels of the columns of a matrix, or all labels.
    separator : str, optional
        Text between the labels of a set, such as "|".
    target : float, optional
        Coverage that the sets should have.
    calibration : int, optional
        Number of calibration cases of both thresholds.
    level : float, default 0.95
        Confidence level of the intervals.

    Returns
    -------
    SetComparison
        Paired differences of size and of coverage.

    Raises
    ------
    InputError
        If there are not two methods, or one cannot be assessed.

    Notes
    -----
    Smaller sets with a lower coverage are not an improvement, so both differences are given.

    Examples
    --------
    >>> import classay as ca
    >>> y = ["a", "b", "b", "c"] * 10
    >>> wide, narrow = [["a", "b", "c"]] * 40, [["a"], ["a", "b"], ["b"], ["b", "c"]] * 10
    >>> ca.compare_sets(y, {"narrow": narrow, "wide": wide}).sentences[2]
    'No lower coverage of narrow was detected.'
    """
    if not is_mapping(sets) or len(sets) != 2:
        names = some([str(name) for name in sets]) if is_mapping(sets) else type(sets).__name__
        raise InputError(
            f"Two methods are compared, but sets has {names}. Pass {{'new': sets, 'old': sets}}."
        )
    refuse_unfit(target, calibration)
    are_text = {name: not are_columns(values) for name, values in sets.items()}
    read = {
        str(name): read_sets(
            y_true, values, labels, separator if are_text[name] or not any(are_text.values()) else None
        )
        for name, values in sets.items()
    }
    methods = {
        name: SetAssessment(table_of(rows), level, target, calibration, None, rows.blank)
        for name, rows in read.items()
    }
    first, second = read.values()
    size_gaps = (first.sizes - second.sizes).astype(float)
    value = float(size_gaps.mean())
    spread = spread_of_mean(size_gaps - value, np.ones(size_gaps.size))
    if spread.is_none(max(1.0, abs(value))):
        size = Estimate.bare(value, "the sizes of all cases differ by the same number")
    else:
        half = spread.half(level)
        size = Estimate(value, value - half, value + half, level, "t")
    return SetComparison(methods, size, _coverage(first.covered, second.covered, level), level)


def _coverage(first: Any, second: Any, level: float) -> Estimate:
    """Return the paired difference of coverage."""
    counts = PairedCounts(
        *(float(((first == a) & (second == b)).sum()) for a, b in ((1, 1), (1, 0), (0, 1), (0, 0)))
    )
    low, high = tango(counts, level)
    return Estimate(float((first - second).mean()), float(low), float(high), level, "Tango")


def _in_points(difference: Estimate) -> str:
    """Return a difference of shares in percentage points, with its interval."""
    value, low, high = (f"{100 * end:.1f}" for end in (difference.value, difference.low, difference.high))
    return f"{value} percentage points ({level_text(difference.level)} {low} to {high})"
