"""The ROC curve of a score table, and its convex hull."""

from __future__ import annotations

import numpy as np

from classay.curves.curve import Curve
from classay.curves.registry import UNIT, Look, curve
from classay.curves.thresholds import thresholds_of
from classay.measures.hull import hull
from classay.measures.ranking import rates
from classay.measures.registry import ratio
from classay.tables import ScoreTable


@curve("ROC curve", look=Look(UNIT, UNIT, square=True, diagonal="no skill"))
def roc(table: ScoreTable) -> Curve:
    """True against false positive rate at every distinct threshold, from (0, 0) to (1, 1).

    NaN rates where a class has no cases. Fawcett 2006, Pattern Recognition Letters 27:861.

    >>> curve = roc(ScoreTable.from_rows(np.array([0.9, 0.4, 0.1]), np.array([True, True, False])))
    >>> curve.x, curve.y
    (array([0., 0., 0., 1.]), array([0. , 0.5, 1. , 1. ]))
    """
    fpr, tpr = rates(table)
    return Curve(
        "roc",
        "ROC curve",
        np.concatenate([[0.0], fpr]),
        np.concatenate([[0.0], tpr]),
        "false positive rate",
        "true positive rate",
        threshold=np.concatenate([[np.inf], table.thresholds.astype(np.float64)]),
    )


def convex_hull(table: ScoreTable) -> Curve:
    """The corners of the upper convex hull of the ROC curve: the ROC curve of isotonically calibrated scores.

    A line of slope (cost of a false positive · N) / (cost of a false negative · P) touches it at the
    threshold that is cheapest on these cases, so the area under it is too good on new ones. NaN rates where a
    class has no cases. Fawcett & Niculescu-Mizil 2007, Machine Learning 68:97.

    >>> rows = np.array([0.9, 0.8, 0.4, 0.3, 0.1]), np.array([True, False, True, False, False])
    >>> curve = convex_hull(ScoreTable.from_rows(*rows))
    >>> curve.x.round(2), curve.y, curve.threshold
    (array([0.  , 0.  , 0.33, 1.  ]), array([0. , 0.5, 1. , 1. ]), array([inf, 0.9, 0.4, 0.1]))
    """
    corners = hull(table)
    return Curve(
        "roc",
        "ROC curve",
        ratio(corners.fp, table.n_negative),
        ratio(corners.tp, table.n_positive),
        "false positive rate",
        "true positive rate",
        threshold=thresholds_of(table, corners.point),
        series="convex hull",
    )
