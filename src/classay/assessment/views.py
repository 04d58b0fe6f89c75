"""Views: the estimates of the measures of an assessment, from its tables and how their cases were drawn."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import chain
from math import isfinite
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from classay.columns import is_ordinal, place_from
from classay.columns.labels import NO_ORDER
from classay.columns.numbers import in_precision, is_same_threshold
from classay.compiled import thread_count, workers
from classay.errors import InputError
from classay.inference.design import cells_of_scores
from classay.inference.estimate import Estimate, certain, settled
from classay.inference.intervals import SampledTable
from classay.inference.methods import LABELS, Method, Table, named
from classay.measures import Measure
from classay.measures.ordinal import NO_DISTRIBUTIONS
from classay.measures.vocabulary import NOT_PROBABILITIES
from classay.once import memoize
from classay.tables import BinaryCounts, ConfusionMatrix, ScoreTable
from classay.tables.bins import BinnedClassScoreTable, BinnedScoreTable
from classay.tables.class_scores import summed_from
from classay.tables.rows import CodedRows, RowCells
from classay.tables.sparse import SparseConfusionMatrix
from classay.texts import quote

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment
    from classay.assessment.task import TwoClasses

Array = NDArray[Any]


def one_class(a: Assessment, measure: Measure) -> Assessment | str:
    """The class that a measure names against all others, or why it has no such score; else the assessment itself.

    Raises InputError, listing the labels, for a name that is none of them.
    """
    try:
        place = place_from(measure.label, a.labels)
    except InputError:
        if is_ordinal(a.labels):
            raise
        return NO_ORDER
    if place is not None:
        cut = a.at_least(a.labels[place])
        is_scored = a.class_scores is not None and measure.needs in ("scores", "probabilities")
        return NO_DISTRIBUTIONS.text if is_scored and cut.scores is None else cut
    label = measure.class_among(a.labels, a.positive)
    if measure.needs != "counts" and a.is_binary and label != a.positive:
        return f"the scores are those of class {quote(a.positive)}"
    assert label is not None
    return a.one_vs_rest(label)


def called(a: Assessment, measure: Measure) -> Assessment | str:
    """Return the assessment with the predicted labels of the measure's own threshold, if it has one.

    Or the reason why bins do not tell these labels. Scores that are no probabilities have no such threshold.
    """
    threshold = measure.threshold
    if threshold is None or is_same_threshold(threshold, a.cutoff) or not a.is_binary or a.scores is None:
        return a
    if not a.scores.are_probabilities:
        return a
    try:
        return a.at(threshold)
    except InputError as error:
        return str(error)


def one_decision(a: Assessment) -> int | None:
    """0 or 1 if an infinite threshold calls all cases negative or positive, else None."""
    if a.cutoff is None or isfinite(a.cutoff) or a.scores is None:
        return None
    if a.cutoff < 0:
        return 1
    return None if np.isposinf(a.scores.scores[:1]).any() else 0


def sampled_table(a: Assessment, table: Table, label: Hashable | None = None) -> SampledTable:
    """Return a table of the assessment with how its cases were drawn; counts and scores are those of a class, `label`.

    That of a score table stays the same object as long as it is in use, so that what several measures need is found
    once.
    """
    squares: Table | None = None
    cells: RowCells | None = None
    if isinstance(table, ScoreTable):
        if (known := _known_sampled(a).get(table)) is not None:
            return known
        if a.coded is not None and a.coded.score is not None:
            cells = cells_of_scores(table, a.coded, a.labels.index(label))
    elif isinstance(table, LABELS):
        matrix, is_of_class = a.confusion_matrix, isinstance(table, BinaryCounts)
        assert matrix is not None
        squares = matrix.of_squares
        if matrix.of_squares is not None and is_of_class:
            squares = matrix.of_squares.one_vs_rest(label)
        cells = _cells(a, matrix, matrix.index(label) if is_of_class else None)
    sampled = SampledTable(table, a.drawn, squares, a.coded, cells, a.seed)
    return _known_sampled(a).setdefault(table, sampled) if isinstance(table, ScoreTable) else sampled


@memoize
def _known_sampled(a: Assessment) -> WeakValueDictionary[Table, SampledTable]:
    return WeakValueDictionary()


CellsKey = tuple[int | None, float | None, type]
"""The class, or None for the whole matrix; the threshold, and its type, by which equal scores reach it or do not."""


@memoize
def _known_cells(rows: CodedRows) -> dict[CellsKey, RowCells]:
    """Return the cells of rows by the class, or None for the whole matrix, and by the threshold."""
    return {}


def _cells(a: Assessment, matrix: ConfusionMatrix, i: int | None) -> RowCells | None:
    """The cell of each row of clusters, in the whole matrix or among the counts of class i; None without clusters."""
    if a.coded is None:
        return None
    known, key = _known_cells(a.coded), (i, a.cutoff, type(a.cutoff))
    if key not in known:
        predicted, true = predicted_codes(a, a.coded), a.coded.true
        known[key] = RowCells.of(a.coded, *_cells_of_codes(matrix, predicted, true, i))
    return known[key]


def _cells_of_codes(
    matrix: ConfusionMatrix, predicted: Array, true: Array, i: int | None
) -> tuple[Array, int]:
    """Return the cell of each pair of codes, and how many cells there are; a sparse matrix has only occupied ones."""
    if i is not None:
        called, is_of_class = predicted == i, true == i
        return np.where(called, np.where(is_of_class, 0, 1), np.where(is_of_class, 2, 3)), 4
    k = len(matrix.labels)
    places = predicted.astype(np.intp) * k + true
    if isinstance(matrix, SparseConfusionMatrix):
        return np.searchsorted(matrix.places, places), matrix.places.size
    return places, k * k


def coded_one_vs_rest(a: Assessment, label: Hashable, rest: Hashable) -> CodedRows:
    """Return the rows of clusters with a class as 1 and all others as 0."""
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


def coded_at_least(a: Assessment, place: int, task: TwoClasses) -> CodedRows:
    """Return the rows of clusters with the ordered classes from index `place` on as 1 and those below as 0."""
    rows = a.coded
    assert rows is not None
    predicted = None if a.confusion_matrix is None else (predicted_codes(a, rows) >= place).astype(np.int8)
    score = None if task.scores is None or rows.score is None else summed_from(rows.score, place)
    return replace(
        rows, labels=task.labels, true=(rows.true >= place).astype(np.int8), predicted=predicted, score=score
    )


def predicted_codes(a: Assessment, rows: CodedRows) -> Array:
    """Return the predicted class of each row: as given, or by the threshold."""
    if a.cutoff is None:
        assert rows.predicted is not None
        return rows.predicted
    assert rows.score is not None
    positive = a.labels.index(a.positive)
    return np.where(rows.score >= in_precision(a.cutoff, rows.score.dtype), positive, 1 - positive)


def _sampled_scores(a: Assessment, measures: Sequence[Measure]) -> SampledTable | None:
    """Return the score table's SampledTable, kept alive while these measures are estimated; None without one."""
    for measure in measures:
        if measure.is_of_matrix or measure.plain is not None:
            continue
        table = a.table(measure)
        if isinstance(table, ScoreTable):
            return sampled_table(a, table, measure.class_among(a.labels, a.positive))
    return None


def of_table(a: Assessment, measures: Sequence[Measure], method: str | None = None) -> list[Estimate]:
    """Estimates of measures of one table, or undefined ones where there is a reason why it is missing.

    `method` is that of all intervals; without one it is the assessment's, where it serves, and else each measure's own.
    """
    measures = [adapted_to_task(a, measure) for measure in measures]
    first = measures[0]
    if first.plain is not None:
        one = one_class(a, first)
        if isinstance(one, str):
            return [Estimate.undefined(one)] * len(measures)
        return of_table(one, [measure.plain or measure for measure in measures], method)
    there = called(a, first)
    table = there if isinstance(there, str) else there.task.table(first)
    if isinstance(there, str) or isinstance(table, str):
        return [Estimate.undefined(table)] * len(measures)
    sampled = sampled_table(there, table, first.class_among(a.labels, a.positive))
    estimates = sampled.estimates(measures, a.level, method, preferred=a.interval)
    if (predicted := one_decision(there)) is not None:
        estimates = [
            settled(measure, predicted, estimate, a.level)
            for measure, estimate in zip(measures, estimates, strict=True)
        ]
    return [
        _with_certain_range(a, measure, table, estimate)
        for measure, estimate in zip(measures, estimates, strict=True)
    ]


def adapted_to_task(a: Assessment, measure: Measure) -> Measure:
    """Return the measure as this task needs it: of a matrix that may hold cases without an answer, or of tags."""
    return a.task.read(measure)


def of_measures(a: Assessment, measures: Sequence[Measure]) -> list[Estimate]:
    """Estimates of measures with the assessment's method, or their defaults, in threads where there are many scores.

    Measures of one table are estimated together, of many scores only those whose method shares its work.
    """
    measures = [adapted_to_task(a, each) for each in measures]
    threads = thread_count(0 if a.scores is None else a.scores.scores.size)
    together: dict[Hashable, list[int]] = {}
    for i, measure in enumerate(measures):
        together.setdefault(_group(a, measure, threads) or i, []).append(i)
    alive = _sampled_scores(a, measures)
    with workers(threads) as run:
        groups = run(lambda indices: of_table(a, [measures[i] for i in indices]), together.values())
    del alive
    estimates = dict(zip(chain(*together.values()), chain(*groups), strict=True))
    return [estimates[i] for i in range(len(measures))]


def _group(a: Assessment, measure: Measure, threads: int) -> str | None:
    """Return the table that a measure shares with others of which it is estimated together; None if it stands alone."""
    if measure.plain is not None or measure.threshold is not None:
        return None
    if measure.is_of_matrix:
        return "counts" if measure.needs == "counts" else "matrix"
    if threads == 1 and a.scores is not None and measure.needs in ("scores", "probabilities"):
        return "scores"
    table = None if a.interval is None else a.table(measure)
    return str(id(table)) if table is not None and _is_shared(a, measure, table) else None


def _is_shared(a: Assessment, measure: Measure, table: Any) -> bool:
    """Check whether the assessment's method gives intervals of several measures of the table in one pass."""
    if isinstance(table, str) or a.interval is None:
        return False
    method = named(measure, table, a.interval, a.drawn)
    return isinstance(method, Method) and method.several is not None


def of_bins(measure: Measure, table: Table, estimate: Estimate) -> Estimate:
    """Return the estimate, with the range that is certain if the scores are in bins."""
    ends = certain(measure, table) if isinstance(table, BinnedScoreTable | BinnedClassScoreTable) else None
    return estimate if ends is None else estimate.within(ends, measure.bounds)


def _with_certain_range(a: Assessment, measure: Measure, table: Table, estimate: Estimate) -> Estimate:
    """The estimate, with the certain range of scores in bins, and with the reason where scores are no probabilities."""
    estimate = of_bins(measure, table, estimate)
    return replace(estimate, reason=a.why_improper) if estimate.reason == NOT_PROBABILITIES.text else estimate
