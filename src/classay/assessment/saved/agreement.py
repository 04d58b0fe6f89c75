"""What the tables of one assessment have in common: whatever cannot be of the same cases is no assessment."""

from __future__ import annotations

from typing import Any

import numpy as np

from classay.assessment.assessment import Assessment
from classay.columns.numbers import FARTHEST, FURTHEST_APART
from classay.files.fields import hold
from classay.tables import ClassScoreTable
from classay.tables.binned.classes import BinnedClassScoreTable
from classay.tables.binned.table import BinnedScoreTable
from classay.tables.classes import ClassRun
from classay.tables.scores import ScoreTable
from classay.tables.sparse import SparseConfusionMatrix

_NEAR = 1e-6
"""Sums of sampling weights are added in another order in each table, and round differently."""
GREATEST_WEIGHT = 2.0 ** (FARTHEST + 1)
LEAST_WEIGHT = 1 / GREATEST_WEIGHT / FURTHEST_APART
"""Sampling weights are scaled before they are counted, see `weight_scale`; others would overflow in products."""


def agree(a: Assessment) -> None:
    """Check that the tables of an assessment can be of the same cases. Raises Damaged."""
    binary = a.positive is not None
    hold(
        a.confusion_matrix is not None or a.scores is not None or a.cases is not None,
        "it holds no table of the cases",
    )
    hold((a.cases is None) == (a.class_scores is None), "it holds one of two tables of class scores")
    hold(a.scores is None or binary, "it holds scores of two classes, and there are others")
    hold(a.cases is None or not binary, "it holds scores of several classes, and there are two")
    hold(a.cutoff is None or a.scores is not None, "it holds a threshold, and no scores")
    is_called = a.cutoff is not None or a.cases is not None
    hold(
        a.confusion_matrix is not None or not is_called, "it says how cases were called, and holds no matrix"
    )
    hold(a.improper <= a.rows, f"it holds {a.rows} rows and {a.improper} improper ones")
    totals = a.class_totals
    _no_empty_scores(a)
    if a.kind_of_weight == "none":
        hold(int(totals.sum()) == a.rows, f"the cases are {int(totals.sum()):,}, and the rows {a.rows:,}")
    _tables(a, totals)
    _no_answer(a)
    _squares(a)
    if a.coded is not None:
        _coded(a, totals)
    if a.blocks is not None:
        _blocks(a, totals)


def _no_answer(a: Assessment) -> None:
    """Cases without an answer are among those that the matrix has as wrong."""
    if a.no_answer is None or a.confusion_matrix is None:
        return
    counts, k = a.confusion_matrix.counts, len(a.labels)
    none = np.asarray(a.no_answer)
    if a.positive is None:
        _same(
            counts[k].astype(np.float64), np.append(none, 0.0), "the matrix and the cases without an answer"
        )
        return
    wrong = counts.sum(0) - counts.diagonal()
    hold(bool((none <= wrong * (1 + _NEAR)).all()), "more cases have no answer than are wrong")


def _same(here: Any, there: Any, what: str) -> None:
    a, b = np.asarray(here), np.asarray(there)
    hold(a.shape == b.shape, f"{what} disagree")
    hold(np.allclose(a, b, _NEAR, 0) if a.dtype.kind == "f" else (a == b).all(), f"{what} disagree")


def _tables(a: Assessment, totals: Any) -> None:
    if a.scores is not None:
        scores = a.scores.class_totals
        _same(scores if a.scores.labels == a.labels else scores[::-1], totals, "the scores and the cases")
        if a.cutoff is not None and a.confusion_matrix is not None and _tells(a.scores, a.cutoff):
            matrix = a.scores.at(a.cutoff).restrict(a.labels)
            _same(matrix.counts, a.confusion_matrix.counts, "the matrix and the scores at the threshold")
    if a.scores is not None and a.confusion_matrix is not None:
        here, there = a.scores.amounts, a.confusion_matrix.amounts
        if here is not None and there is not None:
            totals_here, totals_there = here.sums.sum((-2, -1)), there.sums.sum((-2, -1))
            least = _NEAR * np.sqrt(here.products[1:].sum((-2, -1)).diagonal())
            near = np.abs(totals_here - totals_there) <= np.maximum(least, _NEAR * np.abs(totals_here))
            leasts = [None if each.least is None else each.least.tolist() for each in (here, there)]
            hold(
                bool(near.all()) and leasts[0] == leasts[1],
                "the amounts of the scores and of the matrix disagree",
            )
    if a.cases is None or a.class_scores is None:
        return
    _same(a.cases.true, totals, "the losses and the cases")
    _same(a.cases.ranks.sum(), totals.sum(), "the ranks and the cases")
    _same(a.cases.top.class_totals.sum(), totals.sum(), "the highest scores and the cases")
    hold(
        max(a.cases.tied, a.cases.improper) <= a.cases.cases, "more cases are tied or improper than there are"
    )
    if a.kind_of_weight != "sampling":
        hold(a.cases.cases == int(totals.sum()), "the number of cases and their sums disagree")
    if isinstance(a.class_scores, BinnedClassScoreTable):
        _class_bins(a, a.class_scores, totals)
        return
    dtypes = {run.scores.dtype for run in _runs(a)} | {a.cases.top.scores.dtype}
    hold(len(dtypes) == 1, "the class scores differ in precision")
    for run in _runs(a):
        own = np.bincount(run.true, run.weight, len(a.labels))
        _same(own, totals.astype(np.float64), "the scores of a class and the cases")


def _class_bins(a: Assessment, in_bins: BinnedClassScoreTable, totals: Any) -> None:
    assert a.cases is not None
    hold(
        isinstance(a.cases.top, BinnedScoreTable),
        "the scores of classes are in bins, and the highest are not",
    )
    top = [a.cases.top.bins] if isinstance(a.cases.top, BinnedScoreTable) else []
    hold(len({each.dtype for each in (*in_bins.bins, *top)}) == 1, "the class scores differ in precision")
    for each, total in zip(in_bins.bins, totals, strict=True):
        _same(each.cases.sum(1), [totals.sum() - total, total], "the scores of a class and the cases")


def _tells(scores: ScoreTable, threshold: float) -> bool:
    """Whether the scores say how many cases lie above a threshold: bins do not always."""
    return not isinstance(scores, BinnedScoreTable) or scores.tells(threshold)


def _runs(a: Assessment) -> tuple[ClassRun, ...]:
    """The exact scores of several classes, if there are any."""
    return a.class_scores.sorted_scores().runs if isinstance(a.class_scores, ClassScoreTable) else ()


def _no_empty_scores(a: Assessment) -> None:
    """A score is in a table because a case has it: rows that count nothing are left out."""
    runs = _runs(a)
    counts = [run.weight for run in runs]
    tables = [a.scores, None if a.cases is None else a.cases.top]
    counts += [table.positives + table.negatives for table in tables if table is not None]
    hold(all((each > 0).all() for each in counts), "no case has a score of its tables")


def _squares(a: Assessment) -> None:
    """A sum of squares is at most the square of the sum, weights being positive, and of n weights at least its nth."""
    pairs: list[tuple[Any, Any]] = []
    if a.confusion_matrix is not None:
        matrix = a.confusion_matrix
        if isinstance(matrix, SparseConfusionMatrix):
            pairs.append((matrix.held, matrix.held_squares))
        else:
            pairs.append((matrix.counts, matrix.squares))
    for table in (a.scores, None if a.cases is None else a.cases.top):
        if isinstance(table, ScoreTable):
            pairs += [(table.positives, table.positive_squares), (table.negatives, table.negative_squares)]
    pairs += [(run.weight, run.squares) for run in _runs(a)]
    if isinstance(a.class_scores, BinnedClassScoreTable):
        pairs += [(each.cases, each.squares) for each in a.class_scores.bins]
    if a.cases is not None and a.cases.squares is not None:
        pairs.append((a.cases.sums.true, a.cases.squares.true))
    for sums, squares in pairs:
        if squares is not None:
            held = sums[sums > 0]
            hold(
                ((held >= LEAST_WEIGHT) & (held <= GREATEST_WEIGHT * a.rows)).all(),
                "it holds weights that no cases have",
            )
            least, most = sums * sums / a.rows * (1 - _NEAR), sums * sums * (1 + _NEAR)
            hold(((squares >= least) & (squares <= most)).all(), "squared weights and weights disagree")


def _coded(a: Assessment, totals: Any) -> None:
    coded, k = a.coded, len(a.labels)
    assert coded is not None
    hold(coded.cluster.size == a.rows, f"the coded rows are {coded.cluster.size:,}, and the rows {a.rows:,}")
    hold(
        (coded.weight is not None) == (a.kind_of_weight != "none"), "the coded rows and the weights disagree"
    )
    has_scores = a.scores is not None or a.cases is not None
    hold(has_scores or coded.predicted is not None, "the coded rows say nothing of what was predicted")
    hold(coded.predicted is None or a.confusion_matrix is not None, "coded.predicted is there, and no matrix")
    hold((coded.score is not None) == has_scores, "coded.score and the scores disagree")
    if coded.score is not None:
        known: list[Any] = [] if a.scores is None else [a.scores]
        known += _runs(a)
        columns = coded.score.reshape(coded.score.shape[0], -1).T
        for column, table in zip(columns, known, strict=True):
            same = column.dtype == table.scores.dtype and np.isin(column, table.scores).all()
            hold(bool(same), "coded.score holds scores that the tables do not")
    _same(np.bincount(coded.true, coded.weight, k), totals.astype(np.float64), "the coded rows and the cases")
    if coded.predicted is not None and a.confusion_matrix is not None:
        cells = SparseConfusionMatrix.of_matrix(a.confusion_matrix)
        own = coded.predicted.astype(np.int64) * len(a.confusion_matrix.labels) + coded.true
        places, place = np.unique(own, return_inverse=True)
        _same(places, cells.places, "the coded rows and the matrix")
        weight = np.bincount(place, coded.weight, places.size).astype(np.float64)
        _same(weight, cells.held.astype(np.float64), "the coded rows and the matrix")
    if a.scores is not None and coded.score is not None:
        _same(np.unique(coded.score)[::-1], a.scores.scores, "the coded rows and the scores")


def _blocks(a: Assessment, totals: Any) -> None:
    blocks = a.blocks
    assert blocks is not None
    hold(a.kind_of_weight == "none", "it holds blocks of weighted cases")
    hold((blocks.of_scores is not None) == (a.scores is not None), "blocks.of_scores and the scores disagree")
    hold((blocks.sums is not None) == (a.cases is not None), "the sums of blocks and the losses disagree")
    if blocks.of_scores is not None and a.scores is not None:
        hold(blocks.of_scores.size == int(totals.sum()), "blocks.of_scores and the cases disagree")
    if blocks.matrix is not None and a.confusion_matrix is not None:
        _same(
            blocks.matrix.counts.sum(0), a.confusion_matrix.counts, "the matrices of blocks and the whole one"
        )
    if blocks.sums is not None:
        _same(blocks.sums.true.sum(0), totals, "the sums of blocks and the cases")
        _same(blocks.sums.ranks.sum(1), blocks.sums.true.sum(1), "the ranks of blocks and their cases")
