"""Columns of human labels and a judge's grades, checked once and reduced to cells."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from classay.assessment.drawn import LabelDesign
from classay.assessment.parts import Sampling
from classay.columns import code_labels
from classay.columns.labels import match_label, positive_among, refuse_kinds
from classay.columns.numbers import as_array, placed
from classay.columns.values import Coded, listing, sort_labels
from classay.errors import InputError
from classay.judge.cells import MIN_LABELS, Cells, Units
from classay.texts import hint, quote

Array = NDArray[Any]
MOST_GRADES = 10
"""Different numbers of a judge up to which they are grades; more of them are a score, divided at quantiles."""
MOST_CELLS = 5


class JudgedColumns(TypedDict, total=False):
    """Further columns of judged cases, one value for each case."""

    by: Any
    cluster: Any
    chance: Any
    stratum: Any
    y_pred: Any
    second: Any
    time: Any
    design: Any


def with_design(human: Any, judge: Any, columns: JudgedColumns) -> JudgedColumns:
    """Return the columns with the strata of a design, which drew cases for human labels by the judge's scores.

    Raises InputError for the scores of another pool, for labels of cases that were not drawn, and for a plan that may
    stop early.
    """
    columns = columns.copy()
    design = Sampling(design=columns.pop("design", None)).design
    if design is None:
        return columns
    if not isinstance(design, LabelDesign):
        raise InputError('design="flagged" cannot be used with a judge. Use a plan of the judge\'s scores.')
    if design.half_width is not None:
        raise InputError(
            "The plan may stop at a half-width, which a judge's intervals do not allow for. Use a plan without a "
            "half-width, or `assess`."
        )
    for name in ("stratum", "chance"):
        if columns.get(name) is not None:
            option = hint(f"{name}=", f"--{name}")
            raise InputError(
                f"{option} cannot be combined with a design, which has the strata. Remove {option}."
            )
    columns["stratum"] = design.strata_of(judge)
    others = np.asarray(code_labels(human, "human").codes) >= 0
    if others.size == design.n_cases:
        others[design.rows] = False
        if others.any():
            raise InputError(
                f"The design did not draw {placed(others)}, but there is a human label. Remove labels of other cases."
            )
    return columns


@dataclass(frozen=True, eq=False)
class Truths:
    """Human labels: the place of each among the `grades`, -1 without one, and what was found on the way."""

    codes: Array
    grades: tuple[Hashable, ...]
    unsure: int = 0
    agreed: tuple[int, int] | None = None
    """Cases with two human labels, and how many of these agree."""


@dataclass(frozen=True, eq=False)
class Grades:
    """Grades of the judge: the place of each among the `grades`, the last one that of a missing grade if there is any.

    Of a score, `numbers` are its values, and `edges` the scores from which a cell begins.
    """

    codes: Array
    grades: tuple[Hashable, ...]
    missing: int
    edges: tuple[float, ...] = ()
    numbers: Array | None = None

    @property
    def is_score(self) -> bool:
        """Whether the cells are ranges of a score."""
        return self.numbers is not None

    @property
    def cells(self) -> int:
        """The number of cells: a missing grade is a cell of its own, the lowest."""
        return len(self.edges) + 2 if self.is_score else len(self.grades) + 1


@dataclass(frozen=True, eq=False)
class Rows:
    """Checked rows of one judge and its human labels."""

    truths: Truths
    grades: Grades
    weight: Array | None
    cluster: Array | None
    stratum: Array | None
    calls: Coded | None
    groups: Coded | None

    @property
    def labelled(self) -> Array:
        """Which cases have a human label."""
        return np.asarray(self.truths.codes >= 0)

    @property
    def excluded(self) -> Array:
        """Which cases say nothing: those without a grade, if fewer than 3 of these have a human label."""
        ungraded = np.asarray(self.grades.codes == 0)
        is_few = (ungraded & self.labelled).sum() < MIN_LABELS < self.labelled.sum()
        return ungraded if is_few else np.zeros(ungraded.size, bool)

    def only(self, cases: Array) -> Rows:
        """Return some of the rows."""

        def part(coded: Coded | None) -> Coded | None:
            return None if coded is None else replace(coded, codes=coded.codes[cases])

        def some(column: Array | None) -> Array | None:
            return None if column is None else column[cases]

        grades = replace(self.grades, codes=self.grades.codes[cases], numbers=some(self.grades.numbers))
        return Rows(
            replace(self.truths, codes=self.truths.codes[cases]),
            grades,
            some(self.weight),
            some(self.cluster),
            some(self.stratum),
            part(self.calls),
            part(self.groups),
        )

    @property
    def parts(self) -> int:
        """The number of parts: all cases, then each group."""
        return 1 if self.groups is None else 1 + len(self.groups.labels)

    def cells(self, mark: Array, marks: int, *, by_group: bool = True) -> Cells:
        """Return the cells of all cases, and of each group, by a code of each case below `marks`."""
        complete = self._cells(np.zeros(mark.size, np.int64), 1, mark, marks)
        if self.groups is None or not by_group:
            return complete
        groups = self._cells(self.groups.codes.astype(np.int64), len(self.groups.labels), mark, marks)
        units = complete.units
        if units is not None and groups.units is not None:
            units += replace(groups.units, part=groups.units.part + 1)
        return Cells(
            np.concatenate([complete.sizes, groups.sizes]),
            np.concatenate([complete.counts, groups.counts]),
            np.concatenate([complete.weights, groups.weights]),
            np.concatenate([complete.squares, groups.squares]),
            units,
            complete.heaviest,
        )

    def _cells(self, part: Array, parts: int, mark: Array, marks: int) -> Cells:
        """Return the cells by part and mark; a part of -1 is of no group."""
        inside = part >= 0
        rows = np.flatnonzero(self.labelled & inside)
        human = self.truths.codes[rows]
        shape = (parts, marks, len(self.truths.grades))
        place = (part * marks + mark)[rows] * shape[2] + human
        sizes = np.bincount((part * marks + mark)[inside], minlength=parts * marks).reshape(parts, marks)
        counts = sums_at(place, shape)
        weights, squares, heaviest = counts, counts, 0.0
        if self.weight is not None:
            weight = self.weight[rows]
            heaviest = float(self.weight.max()) if np.ptp(self.weight[self.labelled]) else 0.0
            weights, squares = sums_at(place, shape, weight), sums_at(place, shape, weight * weight)
        units = None
        if self.cluster is not None:
            used = part * (int(self.cluster.max(initial=0)) + 1) + self.cluster
            known, unit = np.unique(used[inside], return_inverse=True)
            of_unit = np.full(mark.size, -1)
            of_unit[inside] = unit
            first = np.zeros(known.size, np.int64)
            first[unit] = part[inside]
            of_units = np.bincount(unit * marks + mark[inside], minlength=known.size * marks)
            labelled, label = np.unique(of_unit[rows], return_inverse=True)
            labels = sums_at(
                (label * marks + mark[rows]) * shape[2] + human,
                (labelled.size, marks, shape[2]),
                None if self.weight is None else weight,
            )
            units = Units(first, of_units.reshape(known.size, marks).astype(float), labelled, labels)
        return Cells(sizes.astype(float), counts, weights, squares, units, heaviest)


def sums_at(place: Array, shape: tuple[int, ...], weight: Array | None = None) -> Array:
    """Return the sums of weights, or numbers, of cases at each place of an array."""
    size = int(np.prod(shape))
    return np.bincount(place, weights=weight, minlength=size).astype(float).reshape(shape)


def read_rows(
    human: Any, judge: Any, unsure: Hashable | None, columns: JudgedColumns, *, needs_labels: bool = True
) -> Rows:
    """Check the columns of one judge. Raises InputError for those that cannot be used."""
    if human is judge:
        raise InputError(
            "human and judge are the same column. "
            + hint(
                "Pass the human labels and the judge's grades.", "Name two columns with --human and --judge."
            )
        )
    truths = _truths(human, columns.get("second"), unsure)
    n_labels = int((truths.codes >= 0).sum())
    if needs_labels and not n_labels:
        raise InputError(
            "No case has a human label. Label some cases, or use another column of human labels."
        )
    grades = _grades(judge, n_labels)
    n = truths.codes.size
    named = [("judge", grades.codes)]
    groups = column_of(columns.get("by"), "by")
    cluster = column_of(columns.get("cluster"), "cluster", is_whole=True)
    stratum = column_of(columns.get("stratum"), "stratum", is_whole=True)
    calls = column_of(columns.get("y_pred"), "y_pred", is_whole=True)
    named += [
        (name, column.codes)
        for name, column in (("by", groups), ("cluster", cluster), ("stratum", stratum), ("y_pred", calls))
        if column is not None
    ]
    if calls is not None and not {*calls.labels} & {*truths.grades}:
        raise InputError(
            f"No predicted label ({listing(calls.labels)}) is a human label ({listing(truths.grades)}). Use predicted "
            "labels with the same values."
        )
    weight = weights_of(columns.get("chance"), truths.codes >= 0)
    named += [] if weight is None else [("chance", weight)]
    for name, column in named:
        if column.size != n:
            raise InputError(
                f"human has {n:,} rows, but {name} has {column.size:,}. Use columns of equal length."
            )
    if not grades.is_score:
        refuse_kinds([("human", truths.grades), ("judge", grades.grades)])
    return Rows(
        truths,
        grades,
        weight,
        None if cluster is None else cluster.codes.astype(np.int64),
        None if stratum is None else stratum.codes.astype(np.int64),
        calls,
        groups,
    )


def column_of(values: Any, name: str, *, is_whole: bool = False) -> Coded | None:
    """Code a column that may be absent, without gaps where it must be whole."""
    if values is None:
        return None
    coded = code_labels(values, name if name == "by" else f"group {name}" if name == "cluster" else name)
    if is_whole and coded.missing:
        raise InputError(f"{name} is missing in {placed(coded.codes < 0)}. Every case needs a value.")
    return coded


def _truths(human: Any, second: Any, unsure: Hashable | None) -> Truths:
    """Return the human labels, where there are two the first one, without those that are unsure."""
    coded = [code_labels(human, "human")]
    if second is not None:
        coded.append(code_labels(second, "second"))
        if coded[1].codes.size != coded[0].codes.size:
            raise InputError("human and second have different lengths. Use columns of equal length.")
        refuse_kinds([("human", coded[0].labels), ("second", coded[1].labels)])
    labels = sort_labels({label for column in coded for label in column.labels})
    if coded[0].order is not None:
        labels = tuple(coded[0].order)
    places = {label: k for k, label in enumerate(labels)}
    codes = [np.array([*(places[label] for label in column.labels), -1])[column.codes] for column in coded]
    n_unsure = 0
    if unsure is not None:
        place = places[match_label(unsure, labels)]
        n_unsure = int(np.any([column == place for column in codes], axis=0).sum())
        codes = [
            np.where(column == place, -1, np.where(column > place, column - 1, column)) for column in codes
        ]
        labels = tuple(label for label in labels if label != labels[place])
    agreed = None
    if second is not None:
        twice = (codes[0] >= 0) & (codes[1] >= 0)
        agreed = int(twice.sum()), int((codes[0] == codes[1])[twice].sum())
        codes[0] = np.where(codes[0] >= 0, codes[0], codes[1])
    return Truths(codes[0].astype(np.int64), labels, n_unsure, agreed)


def _grades(judge: Any, n_labels: int) -> Grades:
    """Return the grades of the judge, or the ranges of a score between quantiles of all cases; ties stay together."""
    try:
        coded = code_labels(judge, "judge")
    except InputError:
        return _score_grades(as_array(judge, "judge").astype(float), n_labels)
    if coded.kind == "number" and len(coded.labels) > MOST_GRADES:
        return _score_grades(as_array(judge, "judge").astype(float), n_labels)
    if not coded.labels:
        raise InputError("The judge gave no grade. Use another column of grades.")
    return Grades((coded.codes + 1).astype(np.int64), coded.order or coded.labels, coded.missing)


def _score_grades(scores: Array, n_labels: int) -> Grades:
    known = np.isfinite(scores)
    if not known.any():
        raise InputError("The judge gave no grade. Use another column of grades.")
    number = min(MOST_CELLS, max(2, n_labels // 20))
    edges = np.unique(np.quantile(scores[known], np.arange(1, number) / number, method="higher"))
    edges = edges[edges > scores[known].min()]
    codes = np.where(known, np.searchsorted(edges, scores, side="right") + 1, 0)
    return Grades(codes.astype(np.int64), (), int((~known).sum()), tuple(map(float, edges)), scores)


def weights_of(chance: Any, labelled: Array) -> Array | None:
    """Return one over the chance of each label, 0 for cases without one."""
    if chance is None:
        return None
    chances = as_array(chance, "chance").astype(float)
    if chances.size != labelled.size:
        return chances
    bad = labelled & ~((chances > 0) & (chances <= 1))
    if bad.any():
        raise InputError(
            f"chance is not above 0 and at most 1 in {placed(bad)}. Every case with a human label needs its chance."
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(labelled, 1 / chances, 0.0)


def are_numbers(labels: Sequence[Hashable]) -> bool:
    """Check whether labels are numbers, which have a mean."""
    return all(isinstance(label, (int, float)) and not isinstance(label, bool) for label in labels)


def checked_bounds(bounds: tuple[float, float], labels: Sequence[Hashable]) -> tuple[float, float]:
    """Return the bounds of grades. Raises InputError for those that are no range of the human labels."""
    if not are_numbers(labels):
        raise InputError("bounds need numeric human labels. Use numbers as labels, or remove bounds.")
    low, high = (float(end) for end in bounds)
    if not -np.inf < low < high < np.inf:
        raise InputError(f"bounds must be a lower and a higher number, but are {low:g} and {high:g}.")
    outside = [label for label in labels if not low <= float(label) <= high]  # type: ignore[arg-type]
    if outside:
        raise InputError(
            f"The human label {outside[0]} is outside the bounds {low:g} to {high:g}. Use wider bounds."
        )
    return low, high


def positive_grade(
    truths: Truths, grades: Grades, passing: Hashable | None, bounds: tuple[float, float] | None = None
) -> Hashable | None:
    """Return the positive label; None of more than two without a named one, and of grades with bounds.

    Raises InputError where it is not clear.
    """
    if bounds is not None:
        if passing is None:
            return None
        names = hint("positive= and bounds=", "--positive and --bounds")
        raise InputError(f"{names} cannot be combined. A share has no bounds. Remove one of them.")
    labels = sort_labels({*truths.grades, *(() if grades.is_score else grades.grades)})
    if passing is not None:
        return positive_among(labels, passing)
    if len(truths.grades) > 2:
        return None
    results = positive_among(labels, None) or positive_among(truths.grades, None)
    if results is None:
        ways = [hint(f"positive={label!r}", f"--positive {label}") for label in truths.grades]
        raise InputError(f"The positive class is not set. {hint('Pass', 'Use')} {' or '.join(ways)}.")
    return results


def with_strata(rows: Rows) -> tuple[Rows, Array, int]:
    """Return the rows, with weights if strata need them, and the cell of each case and the number of cells.

    Cells are a stratum and a grade each if every one has 3 labels, else grades, with labels weighted by strata.
    """
    mark, marks = rows.grades.codes, rows.grades.cells
    if rows.stratum is None:
        return rows, mark, marks
    strata = int(rows.stratum.max(initial=0)) + 1
    fine = rows.stratum * marks + mark
    cells = rows.cells(fine, strata * marks)
    if ((cells.sizes == 0) | (cells.labels >= MIN_LABELS)).all():
        return rows, fine, strata * marks
    if rows.weight is not None:
        return rows, mark, marks
    sizes = np.bincount(rows.stratum)
    labels = np.bincount(rows.stratum[rows.labelled], minlength=strata)
    if (lacking := (labels == 0) & (sizes > 0)).any():
        raise InputError(
            f"{int(lacking.sum())} of {strata} strata have no human label. "
            "Label cases of every stratum, or combine strata."
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.where(rows.labelled, (sizes / labels)[rows.stratum], 0.0)
    return replace(rows, weight=weight), mark, marks


def shown_range(grades: Grades, cell: int) -> str:
    """Return a cell in words: the grade, the range of a score, or that there is none."""
    if cell == 0:
        return "no grade"
    if not grades.is_score:
        return quote(grades.grades[cell - 1])
    edges: Sequence[float] = grades.edges
    low, high = (None if cell == 1 else edges[cell - 2]), (None if cell > len(edges) else edges[cell - 1])
    if low is None:
        return "all scores" if high is None else f"below {high:.3g}"
    return f"{low:.3g} or more" if high is None else f"{low:.3g} to below {high:.3g}"
