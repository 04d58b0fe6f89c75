"""Whether a classifier is right more often than the answer that is always the largest class, on the same cases."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment import views
from classay.inference.proportions.mcnemar import mid_p
from classay.tables import ConfusionMatrix
from classay.tables.running import are_greatest, equal_cases
from classay.tables.sparse import SparseConfusionMatrix

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment

Array = NDArray[Any]


def is_above_baseline(a: Assessment) -> bool:
    """Whether accuracy is shown to be above the share of the largest class, at the level of the assessment.

    Both are of the same cases, so their difference is that of two classifiers, one of which always gives the same
    answer: McNemar's mid-P test of the cases that only one gets right; with sampling weights z, with clusters t,
    of the linearised difference. The answer is chosen on these cases, which can only make it look better. Of classes
    that are equally large, each is such an answer.
    """
    answers = np.flatnonzero(are_greatest(a.class_totals))
    matrix = a.confusion_matrix
    assert matrix is not None
    if a.coded is None and not matrix.is_weighted:
        hits, _, true = matrix.margins
        right, wrong = hits.sum() - hits[answers], true[answers] - hits[answers]
        # of many classes that are equally large, many are called alike
        pairs = np.unique(np.stack([right, wrong], 1), axis=0).tolist()
        return all(first > second and float(mid_p(first, second)) <= 1 - a.level for first, second in pairs)
    return all(_is_above(a, matrix, int(answer)) for answer in answers)


def _is_above(a: Assessment, matrix: ConfusionMatrix, answer: int) -> bool:
    """Whether accuracy is shown to be above that of always giving one answer, of weighted or clustered cases."""
    cells = SparseConfusionMatrix.of_matrix(matrix)
    predicted, true, weight = cells.occupied
    gain = (predicted == true).astype(np.float64) - (true == answer)
    total = float(weight.sum())
    mean = float((weight * gain).sum()) / total
    return mean > 0 and _p_value(a, cells, gain - mean, mean * total) <= 1 - a.level


def _p_value(a: Assessment, cells: SparseConfusionMatrix, off: Array, gained: float) -> float:
    """Two-sided p of the sum of a gain whose deviations from its mean by cell are `off`; 1 without a spread."""
    from scipy.special import ndtr, stdtr

    view = views.of_matrix(a)
    if a.coded is not None and view.cells is not None:
        clusters = len(a.coded.clusters)
        squares = float((view.cells.sums(a.coded, _by_cell(view.table, cells, off)) ** 2).sum())
        if clusters < 2 or squares == 0:
            return 1.0
        return 2 * float(stdtr(clusters - 1, -gained / sqrt(squares * clusters / (clusters - 1))))
    assert cells.held_squares is not None, "cases that count alike have an exact test"
    squares = float((cells.held_squares * off**2).sum())
    units = equal_cases(cells.total, cells.held_squares.sum())
    if units <= 1 or squares == 0:
        return 1.0
    return 2 * float(ndtr(-gained / sqrt(squares * units / (units - 1))))


def _by_cell(matrix: ConfusionMatrix, cells: SparseConfusionMatrix, off: Array) -> Array:
    """Values of the cells that hold a case as those of all cells that a matrix keeps."""
    if isinstance(matrix, SparseConfusionMatrix):
        return off
    found = np.zeros(matrix.counts.size)
    found[cells.places] = off
    return found
