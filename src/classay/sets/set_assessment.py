"""`assess_sets`: coverage and size of prediction sets, by class, group and size, and what calibration promises."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import code_labels
from classay.columns.numbers import counted
from classay.errors import InputError, MergeError
from classay.files.writing import saved_path
from classay.inference.design import VarianceEstimate, corrected
from classay.inference.estimate import Estimate, format_estimate, p_equation
from classay.inference.labels.smooth import degrees_of_squares
from classay.inference.measures_by_name import MeasuresByName
from classay.inference.phrasing import share_with_interval
from classay.inference.proportions import clopper_pearson, scale_of, wilson
from classay.kinds import checked
from classay.sets.conformal import CalibrationRange, calibration_range, promise_p
from classay.sets.reading import ReadSets, read_sets
from classay.sets.saving import load_sets, save_sets
from classay.sets.table import COVERED, GROUP, SIZE, TRUE, SetTable
from classay.texts import hint, quote
from classay.warned import Warned

Array = NDArray[Any]
JOINTLY = "Clopper-Pearson, jointly for all rows"
LEAST = "least of the Clopper-Pearson limits"
TITLES = {
    "coverage": "Coverage",
    "mean_size": "Mean size",
    "empty_sets": "Empty sets",
    "singletons": "Sets of one label",
    "singleton_error": "Error rate of sets of one label",
    "least_covered_class": "Coverage of the least covered class",
    "least_covered_group": "Coverage of the least covered group",
}
"""The measures of sets by name."""


@dataclass(frozen=True, eq=False)
class SetAssessment(MeasuresByName):
    """How often sets of labels have the true label, and how large they are.

    `a["coverage"]` is an estimate, `a.estimates` has all by name. `a + b` adds the cases of two results.

    Attributes
    ----------
    table : SetTable
        Cases by true label, size, covered or not, and group.
    level : float
        Confidence level of the intervals.
    target : float or None
        Coverage that the sets should have.
    calibration : int or None
        Number of calibration cases that the threshold of the sets was computed from.
    by : str or None
        Name of the groups.
    n_blank : int
        Empty cells of text, which count as empty sets.
    """

    table: SetTable
    level: float
    target: float | None = None
    calibration: int | None = None
    by: str | None = None
    n_blank: int = 0

    @property
    def labels(self) -> tuple[Hashable, ...]:
        """The labels of cases and sets."""
        return self.table.labels

    @property
    def n(self) -> int:
        """Number of cases."""
        return self.table.n

    @cached_property
    def estimates(self) -> Mapping[str, Estimate]:
        """All measures by name, with their intervals."""
        cells = self.table.cells
        empty, single, covered = cells[:, SIZE] == 0, cells[:, SIZE] == 1, cells[:, COVERED] == 1
        total = self.table.total
        measures = {
            "coverage": self._share(total(covered), self.n),
            "mean_size": self._mean_size(),
            "empty_sets": self._share(total(empty), self.n),
            "singletons": self._share(total(single), self.n),
            "singleton_error": self._share(total(single & ~covered), total(single), "no set has one label"),
            "least_covered_class": self._least(TRUE),
        }
        return (
            measures if self.table.groups is None else measures | {"least_covered_group": self._least(GROUP)}
        )

    def _range_of(self, name: str) -> tuple[float, float]:
        return 0.0, float(len(self.labels)) if name == "mean_size" else 1.0

    def _share(self, x: float, n: float, reason: str = "there are no cases") -> Estimate:
        if not n:
            return Estimate.undefined(reason)
        low, high = wilson(float(x), float(n), self.level)
        return Estimate(x / n, float(low), float(high), self.level, "Wilson")

    def _mean_size(self) -> Estimate:
        """The mean size, with its interval on the scale of the logarithm."""
        sizes, cases, n = self.table.cells[:, SIZE], self.table.cases, self.n
        mean = float(sizes @ cases / n)
        spread = spread_of_mean(sizes - mean, cases)
        if mean == 0 or spread.is_none(mean):
            return Estimate.bare(mean, "all sets have the same size")
        low, high = scale_of((0.0, np.inf)).interval(mean, spread.half(self.level), 1.0)
        return Estimate(
            mean, low, min(high, float(len(self.labels))), self.level, "influence function, logarithm"
        )

    def _least(self, column: int) -> Estimate:
        """Return the least coverage of classes or groups, with the least of their lower and joint upper limits."""
        _, covered, cases = self.table.covered_by(column)
        low = clopper_pearson(covered, cases, self.level)[0].min()
        high = clopper_pearson(covered, cases, 1 - (1 - self.level) / covered.size)[1].min()
        return Estimate(float((covered / cases).min()), float(low), float(high), self.level, LEAST)

    def _rows(self, column: int) -> tuple[Array, Array, tuple[Estimate, ...]]:
        """Return the values of a column that occur, their cases, and the coverage of each, jointly valid."""
        values, covered, cases = self.table.covered_by(column)
        low, high = clopper_pearson(covered, cases, 1 - (1 - self.level) / values.size)
        rows = zip((covered / cases).tolist(), low.tolist(), high.tolist(), strict=True)
        return values, cases, tuple(Estimate(*row, self.level, JOINTLY) for row in rows)

    def _named_rows(self, column: int, names: Sequence[Hashable]) -> tuple[CoverageOf, ...]:
        values, cases, estimates = self._rows(column)
        return tuple(
            CoverageOf(names[value], n, estimate)
            for value, n, estimate in zip(values.tolist(), map(int, cases), estimates, strict=True)
        )

    @cached_property
    def by_class(self) -> tuple[CoverageOf, ...]:
        """Coverage of the cases of every true label, with jointly valid limits."""
        return self._named_rows(TRUE, self.labels)

    @cached_property
    def by_group(self) -> tuple[CoverageOf, ...]:
        """Coverage of every group, with jointly valid limits; empty without groups."""
        return () if self.table.groups is None else self._named_rows(GROUP, self.table.groups)

    @cached_property
    def by_size(self) -> tuple[CoverageOf, ...]:
        """Coverage of the sets of every size, with jointly valid limits."""
        return self._named_rows(SIZE, range(len(self.labels) + 1))

    @cached_property
    def sizes(self) -> Mapping[int, Estimate]:
        """The share of sets of every size that occurs."""
        return {int(str(row.name)): self._share(row.cases, self.n) for row in self.by_size}

    @cached_property
    def calibration_range(self) -> CalibrationRange | None:
        """The coverage that a threshold from so many calibration cases has."""
        if self.calibration is None or self.target is None:
            return None
        return calibration_range(self.calibration, self.target)

    @cached_property
    def p(self) -> float | None:
        """The p-value of the promised coverage, None without calibration cases."""
        if self.calibration is None or self.target is None:
            return None
        return promise_p(
            self.table.total(self.table.cells[:, COVERED] == 1), self.n, self.calibration, self.target
        )

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """Facts about the sets, as names with texts."""
        facts = [("cases", f"{self.n:,}"), ("labels", f"{len(self.labels):,}")]
        if self.table.groups is not None:
            facts.append(("groups", f"{len(self.table.groups):,}" + (f" of {self.by}" if self.by else "")))
        if self.target is not None:
            facts.append(("target coverage", f"{100 * self.target:g}%"))
        if self.calibration is not None:
            facts.append(("calibration cases", f"{self.calibration:,}"))
        return tuple(facts)

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings that a reader must know before acting."""
        return tuple(Warned("note", text) for text in self._warned())

    def _warned(self) -> Iterator[str]:
        empty = self.table.total(self.table.cells[:, SIZE] == 0)
        if empty:
            verb = "set is empty and counts as a miss" if empty == 1 else "sets are empty and count as misses"
            blank = f" {counted(self.n_blank, 'cell')} without text {'is' if self.n_blank == 1 else 'are'} among them."
            yield f"{empty:,} {verb}.{blank if self.n_blank else ''}"
        never = [label for label in self.labels if label not in {row.name for row in self.by_class}]
        if never:
            verb = "is" if len(never) == 1 else "are"
            of = counted(len(self.labels), "label")
            yield f"{len(never)} of {of} {verb} not the true label of any case, such as {quote(never[0])}."
        lost = [row.name for row in self.by_class if row.coverage.value == 0]
        if lost:
            first, others = quote(lost[0]), len(lost) - 1
            more = (
                ""
                if not others
                else " 1 more label is in no set of its cases."
                if others == 1
                else f" {others:,} more labels are in no set of their cases."
            )
            yield f"No set of a case with true label {first} contains {first}.{more}"
        if self.target is not None and self.calibration is None:
            option = hint("`calibration=`", "`--calibration`")
            yield f"A test of the promised coverage needs the number of calibration cases ({option})."

    @property
    def sentences(self) -> tuple[str, ...]:
        """The main result in sentences."""
        coverage, size = self["coverage"], self["mean_size"]
        lines = [
            f"The coverage is {share_with_interval(coverage, self.n)}, at a mean size of {format_estimate(size)}."
        ]
        if self.target is None or self.p is None:
            return tuple(lines)
        words = "differs from" if self.p < 1 - self.level else "is compatible with"
        share = f"{100 * self.target:g}%"
        lines.append(
            f"The coverage {words} the promise of {share} from {self.calibration:,} calibration cases "
            f"({p_equation(self.p)}, beta-binomial test)."
        )
        limits = self.calibration_range
        assert limits is not None
        lines.append(
            f"With {limits.cases:,} calibration cases, 90% of thresholds have a coverage of {100 * limits.low:.1f}% to "
            f"{100 * limits.high:.1f}%. The coverage is below {share} for {100 * limits.below:.0f}% of thresholds."
        )
        return tuple(lines)

    def __add__(self, other: SetAssessment) -> SetAssessment:
        """Add the cases of another result of the same level, target and calibration."""
        if not isinstance(other, SetAssessment):
            return NotImplemented
        mine, others = ((a.level, a.target, a.calibration, a.by) for a in (self, other))
        if mine != others:
            raise MergeError(
                "The results have different levels, targets, calibration cases or groups. Compute both with the same."
            )
        return SetAssessment(self.table + other.table, *mine, self.n_blank + other.n_blank)

    def save(self, path: str | Path) -> None:
        """Write the table of sets to a file, in one step.

        Raises
        ------
        FileError
            If the file cannot be written.
        """
        save_sets(self, saved_path(path))

    @classmethod
    def load(cls, path: str | Path) -> SetAssessment:
        """Load what `save` wrote, without executing anything.

        Raises
        ------
        FileError
            If the file holds no assessment of sets.
        """
        return load_sets(path, cls)

    def __repr__(self) -> str:
        return f"SetAssessment({self.n:,} cases: coverage {self['coverage']!r})"


@dataclass(frozen=True)
class CoverageOf:
    """The coverage of the cases of a class, group or size."""

    name: Hashable
    cases: int
    coverage: Estimate


def spread_of_mean(deviations: Array, cases: Array) -> VarianceEstimate:
    """Return the variance of a mean from the deviations of cells and their cases, and its degrees of freedom."""
    n = float(cases.sum())
    if n < 2:
        return VarianceEstimate(0.0)
    squares, fourths = (float(cases @ deviations**power) for power in (2, 4))
    return VarianceEstimate(squares / n**2 * corrected(n), degrees_of_squares(squares, fourths, n))


def refuse_unfit(target: float | None, calibration: int | None) -> None:
    """Refuse calibration cases without a target, or too few for it."""
    if calibration is None:
        return
    if target is None:
        raise InputError(
            f"Calibration cases need a target coverage. Use {hint('target=0.9', '--target 0.9')}, for example."
        )
    calibration_range(calibration, target)


@checked
def assess_sets(
    y_true: Any,
    sets: Any,
    *,
    labels: Sequence[Hashable] | None = None,
    separator: str | None = None,
    by: Any = None,
    target: float | None = None,
    calibration: int | None = None,
    level: float = 0.95,
) -> SetAssessment:
    """Assess prediction sets, such as those of conformal prediction.

    Parameters
    ----------
    y_true : array-like, shape `(cases,)`
        True labels.
    sets : matrix, frame or column
        A Boolean matrix of cases and labels (also sparse), a frame of Boolean columns by label, a list of
        labels for every case, or text with a `separator`. [] is an empty set.
    labels : sequence, optional
        Labels of the columns of a matrix, or all labels. The default is the sorted true labels.
    separator : str, optional
        Text between the labels of a set, such as "|". Empty text is an empty set.
    by : array-like, shape `(cases,)`, optional
        Group of every case.
    target : float, optional
        Coverage that the sets should have.
    calibration : int, optional
        Number of calibration cases of the threshold. It adds the range of coverage of such thresholds, and a
        test of the promise.
    level : float, default 0.95
        Confidence level of the intervals.

    Returns
    -------
    SetAssessment
        Coverage by class, group and size, sizes, empty sets, and the error rate of sets of one label.

    Raises
    ------
    InputError
        If a true label or a group is missing, or a set has a label twice.
        If sets are scores, or have labels that are not declared.
        If `calibration` is too small for `target`.

    Notes
    -----
    An empty set is a miss. Limits by size, true label or group are jointly valid within their table
    (Clopper-Pearson, Bonferroni). The coverage of the threshold from n calibration cases is
    Beta(k, n + 1 - k), k = ⌈(n + 1) target⌉.

    References
    ----------
    Vovk 2012, Conditional validity of inductive conformal predictors, PMLR 25:475.

    Examples
    --------
    >>> import classay as ca
    >>> a = ca.assess_sets(["a", "b", "b", "c"], [["a"], ["a", "b"], ["a"], ["b", "c"]])
    >>> a["coverage"], a["mean_size"].value
    (Estimate(0.750 [0.301, 0.954] 95%, Wilson), 1.5)
    """
    refuse_unfit(target, calibration)
    read = read_sets(y_true, sets, labels, separator)
    group, groups, name = _groups(by, read)
    return SetAssessment(table_of(read, group, groups), level, target, calibration, name, read.blank)


def table_of(
    read: ReadSets, group: Array | None = None, groups: Sequence[Hashable] | None = None
) -> SetTable:
    """Return the table of checked sets, with the code of the group of every case."""
    codes = np.full(read.true.size, -1) if group is None else group
    return SetTable.of_rows(read.labels, groups, (read.true, read.sizes, read.covered, codes))


def _groups(by: Any, read: ReadSets) -> tuple[Array | None, tuple[Hashable, ...] | None, str | None]:
    """Return the code of the group of each case, the groups and their name."""
    if by is None:
        return None, None, None
    coded = code_labels(by, "by")
    if coded.codes.size != read.true.size:
        raise InputError(
            f"by has {coded.codes.size:,} groups for {read.true.size:,} cases. Pass one for each case."
        )
    if coded.missing:
        raise InputError(f"by is missing in {counted(coded.missing, 'case')}. Name the group of every case.")
    name = getattr(by, "name", None)
    return coded.codes.astype(np.int64), coded.labels, None if name is None else str(name)
