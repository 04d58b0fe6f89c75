"""What an assessment shows beside its measures: a gain over the baseline, confusions, bins, what intervals cover."""

from __future__ import annotations

from math import isnan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment import views
from classay.columns.numbers import counted
from classay.inference.design import Design
from classay.inference.estimate import certain
from classay.inference.significance import mid_p
from classay.measures import macro_roc_auc, roc_auc
from classay.tables import ConfusionMatrix
from classay.tables.bins import BinnedClassScoreTable, BinnedScoreTable
from classay.tables.confusion import Confusion, Order
from classay.tables.sparse import SparseConfusionMatrix
from classay.tables.sums import are_greatest, equal_cases

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment

Array = NDArray[Any]


def is_above_baseline(a: Assessment) -> bool:
    """Check whether accuracy is shown to be above the share of the largest class, at the level of the assessment.

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
    """Check whether accuracy is shown to be above that of always giving one answer, of weighted or clustered cases."""
    cells = SparseConfusionMatrix.of_matrix(matrix)
    predicted, true, weight = cells.occupied
    gain = (predicted == true).astype(np.float64) - (true == answer)
    total = float(weight.sum())
    mean = float((weight * gain).sum()) / total
    return mean > 0 and _p_value(a, cells, gain - mean, mean * total) <= 1 - a.level


def _p_value(a: Assessment, cells: SparseConfusionMatrix, off: Array, gained: float) -> float:
    """Two-sided p of the sum of a gain whose deviations from its mean by cell are `off`; 1 without a spread."""
    from scipy.special import stdtr

    matrix = a.confusion_matrix
    assert matrix is not None
    row_cells = views.sampled_table(a, matrix).cells
    if a.coded is not None and row_cells is not None:
        clusters = len(a.coded.clusters)
        squares = float((row_cells.sums(a.coded, _by_cell(matrix, cells, off)) ** 2).sum())
        if clusters < 2 or squares == 0:
            return 1.0
        alike = Design.of_coded(a.coded).equal_units
        return 2 * float(stdtr(alike - 1, -gained / sqrt(squares * clusters / (clusters - 1))))
    assert cells.held_squares is not None, "cases that count alike have an exact test"
    squares = float((cells.held_squares * off**2).sum())
    units = equal_cases(cells.total, cells.held_squares.sum())
    if units <= 1 or squares == 0:
        return 1.0
    return 2 * float(stdtr(units - 1, -gained / sqrt(squares * units / (units - 1))))


def _by_cell(matrix: ConfusionMatrix, cells: SparseConfusionMatrix, off: Array) -> Array:
    """Return the values of occupied cells as an array over all cells that the matrix keeps; 0 in empty ones."""
    if isinstance(matrix, SparseConfusionMatrix):
        return off
    by_cell = np.zeros(matrix.counts.size)
    by_cell[cells.places] = off
    return by_cell


def top_confusions(a: Assessment, most: int = 5, by: Order = "cases") -> tuple[Confusion, ...]:
    """The most frequent confusions of three classes or more, see `ConfusionMatrix.confusions`; none of two classes.

    >>> from classay import assess
    >>> (first, *_) = top_confusions(assess(list("aabbbc"), y_pred=list("abbcca")))
    >>> first
    Confusion(true='b', predicted='c', cases=2.0, share=0.6666666666666666)
    """
    if a.confusion_matrix is None or len(a.labels) < 3:
        return ()
    return a.confusion_matrix.confusions(by, most)


def how_scores_are_kept(a: Assessment) -> str:
    """A note that scores were counted in bins, and what is certain of their order; empty where they are exact."""
    if isinstance(a.class_scores, BinnedClassScoreTable):
        bins, what = (sum(each.keys.size for each in a.class_scores.bins), "mean one-vs-rest AUC")
        ends = None if a.raw_scores else certain(macro_roc_auc, a.class_scores)
    elif isinstance(a.scores, BinnedScoreTable):
        bins, what = a.scores.bins.keys.size, "AUC"
        ends = certain(roc_auc, a.scores)
    else:
        return ""
    width = (ends[1] - ends[0]) / 2 if ends is not None else float("nan")
    sure = ""
    if width == 0:
        sure = f". The {what} is exact"
    elif not isnan(width):
        sure = f". The exact {what} is within ±{width:.1g}, and intervals are widened by the same amount"
    return f"stored in {bins:,} bin{'' if bins == 1 else 's'}{sure}"


def what_is_random(a: Assessment) -> str:
    """Return which uncertainty the intervals include, and which not."""
    cases = f"the {counted(a.n, 'test case')}"
    if a.clusters is not None:
        cases = f"the {counted(len(a.clusters), 'cluster')} ({counted(a.n, 'test case')})"
    if a.kind_of_weight == "sampling":
        cases += " with their sampling weights"
    return (
        f"The {100 * a.level:g}% confidence intervals reflect sampling variability of {cases}, assumed independent. "
        "The trained model is held fixed. Retraining and other populations are not covered."
    )


def share_of_answered_pairs(a: Assessment) -> float:
    """Return the share of the pairs of a case of either of two classes in which the model answered both.

    A case without an answer that counts as wrong loses all its pairs, so that the AUC is this share of the AUC of the
    answered cases.
    """
    if a.no_answer is None:
        return 1.0
    totals = zip(np.asarray(a.no_answer).tolist(), a.class_totals, strict=True)
    return float(np.prod([1 - missing / float(total) for missing, total in totals if total]))
