"""Whether a classifier is right more often than the answer that is always the largest class, on the same cases."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment import views
from classay.inference.proportions.mcnemar import mid_p
from classay.tables.running import are_greatest, equal_cases

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
    return all(_is_above(a, int(answer)) for answer in np.flatnonzero(are_greatest(a.class_totals)))


def _is_above(a: Assessment, answer: int) -> bool:
    """Whether accuracy is shown to be above that of always giving one answer."""
    matrix = a.confusion_matrix
    assert matrix is not None
    own = np.eye(len(a.labels))
    gain = own - (np.arange(len(a.labels)) == answer)  # by [predicted, true]
    if a.coded is None and matrix.squares is None:
        first, second = (float(matrix.counts[gain == sign].sum()) for sign in (1, -1))
        return first > second and float(mid_p(first, second)) <= 1 - a.level
    total = float(matrix.total)
    mean = float((matrix.counts * gain).sum()) / total
    return mean > 0 and _p_value(a, gain - mean, mean * total) <= 1 - a.level


def _p_value(a: Assessment, off: Array, gained: float) -> float:
    """Two-sided p of the sum of a gain whose deviations from its mean by cell are `off`; 1 without a spread."""
    from scipy.special import ndtr, stdtr

    view = views.of_matrix(a)
    if a.coded is not None and view.cells is not None:
        clusters = len(a.coded.clusters)
        squares = float((view.cells.sums(a.coded, off) ** 2).sum())
        if clusters < 2 or squares == 0:
            return 1.0
        return 2 * float(stdtr(clusters - 1, -gained / sqrt(squares * clusters / (clusters - 1))))
    assert view.squares is not None, "cases that count alike have an exact test"
    squares = float((view.squares.counts * off**2).sum())
    units = equal_cases(view.table.total, view.squares.total)
    if units <= 1 or squares == 0:
        return 1.0
    return 2 * float(ndtr(-gained / sqrt(squares * units / (units - 1))))
