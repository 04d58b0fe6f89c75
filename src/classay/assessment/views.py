"""Views: a table of an assessment with what a variance of weighted or clustered rows needs beside it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import in_precision
from classay.errors import InputError
from classay.inference.registry import Table
from classay.inference.sampling_units import Units
from classay.measures import Measure
from classay.once import once
from classay.tables import BinaryCounts, ConfusionMatrix, ScoreTable
from classay.tables.rows import CodedRows, RowCells
from classay.tables.sparse import SparseConfusionMatrix

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment

Array = NDArray[Any]
T_co = TypeVar("T_co", bound=Table, covariant=True)


@dataclass(frozen=True, eq=False)
class View(Generic[T_co]):
    """A table; the counts of labels with squared weights; and how a value at each cell becomes one at each row."""

    table: T_co
    squares: T_co | None = None
    cells: RowCells | None = None


def of_measure(a: Assessment, measure: Measure, table: Table) -> View[Table]:
    """The table that a measure needs of an assessment."""
    there = called(a, measure)
    a = a if isinstance(there, str) else there
    label = measure.class_among(a.labels, a.positive)
    if measure.needs == "counts":
        assert label is not None
        return of_class(a, label)
    if measure.needs in ("margins", "matrix"):
        return of_matrix(a)
    if isinstance(table, ScoreTable):
        assert label is not None
        return of_scores(a, table, label)
    return View(table)


def one_class(a: Assessment, measure: Measure) -> Assessment | str:
    """The class that a measure names against all others, or why there is no such score; of each table itself.

    Raises InputError, listing the labels, for a name that is none of them.
    """
    label = measure.class_among(a.labels, a.positive)
    if measure.needs != "counts" and a.positive is not None and label != a.positive:
        return f"the scores are those of class {a.positive!r}"
    assert label is not None
    return a.one_vs_rest(label)


def called(a: Assessment, measure: Measure) -> Assessment | str:
    """The assessment with the labels that a measure rests on: those of its own threshold, if it has one.

    Or why bins do not tell them. Scores that are no probabilities have no such threshold.
    """
    own = measure.threshold
    if own is None or own == a.cutoff or a.positive is None or a.scores is None:
        return a
    if not a.scores.are_probabilities:
        return a
    try:
        return a.at(own)
    except InputError as error:
        return str(error)


def of_matrix(a: Assessment) -> View[ConfusionMatrix]:
    """The whole confusion matrix."""
    matrix = a.confusion_matrix
    assert matrix is not None
    if a.coded is None:
        return View(matrix, matrix.of_squares)
    return View(matrix, matrix.of_squares, _cells(a.coded, (None, a.cutoff), partial(_cell_of_matrix, a)))


def of_class(a: Assessment, label: Hashable) -> View[BinaryCounts]:
    """The counts of one class against the rest."""
    matrix = a.confusion_matrix
    assert matrix is not None
    squares = matrix.of_squares
    view = View(matrix.one_vs_rest(label), None if squares is None else squares.one_vs_rest(label))
    if a.coded is None:
        return view
    i = matrix.index(label)
    return View(view.table, view.squares, _cells(a.coded, (i, a.cutoff), partial(_cell_of_class, a, i)))


@once
def _known_cells(rows: CodedRows) -> dict[tuple[int | None, float | None], RowCells]:
    """The cells of rows by the class, or None for the whole matrix, and by the threshold."""
    return {}


def _cells(
    rows: CodedRows, key: tuple[int | None, float | None], find: Callable[[], tuple[Array, int]]
) -> RowCells:
    known = _known_cells(rows)
    if key not in known:
        known[key] = RowCells.of(rows, *find())
    return known[key]


def _cell_of_matrix(a: Assessment) -> tuple[Array, int]:
    """Where each row is counted in the whole matrix, among the cells that it keeps, and how many these are."""
    assert a.coded is not None
    assert a.confusion_matrix is not None
    k = len(a.confusion_matrix.labels)
    places = predicted_codes(a, a.coded).astype(np.intp) * k + a.coded.true
    if isinstance(a.confusion_matrix, SparseConfusionMatrix):
        return np.searchsorted(a.confusion_matrix.places, places), a.confusion_matrix.places.size
    return places, k * k


def _cell_of_class(a: Assessment, i: int) -> tuple[Array, int]:
    """Where each row is among the true and false positives and negatives of a class."""
    assert a.coded is not None
    called, true = predicted_codes(a, a.coded) == i, a.coded.true == i
    return np.where(called, np.where(true, 0, 1), np.where(true, 2, 3)), 4


def of_scores(a: Assessment, table: ScoreTable, label: Hashable) -> View[ScoreTable]:
    """The score table of a class: its own cases against all others, by its own score."""
    if a.coded is None or a.coded.score is None:
        return View(table)
    return View(table, cells=Units.of_clusters(table, a.coded, a.labels.index(label)).cells)


def coded_one_vs_rest(a: Assessment, label: Hashable, rest: Hashable) -> CodedRows:
    """The rows of clusters with a class as 1 and all others as 0."""
    rows, i = a.coded, a.labels.index(label)
    assert rows is not None
    predicted = None if a.confusion_matrix is None else (predicted_codes(a, rows) == i).astype(np.int8)
    score = rows.score
    if score is not None:
        score = score[:, i] if score.ndim == 2 else None  # one score of two classes is the other class's
    return CodedRows(
        rows.clusters,
        (rest, label),
        rows.cluster,
        (rows.true == i).astype(np.int8),
        predicted,
        score,
        rows.weight,
        rows.amounts,
    )


def predicted_codes(a: Assessment, rows: CodedRows) -> Array:
    """The predicted class of each row: as given, or by the threshold."""
    if a.cutoff is None:
        assert rows.predicted is not None
        return rows.predicted
    assert rows.score is not None
    positive = a.labels.index(a.positive)
    return np.where(rows.score >= in_precision(a.cutoff, rows.score.dtype), positive, 1 - positive)
