"""The detection error trade-off curve of a score table."""

from __future__ import annotations

import numpy as np

from classay.curves.curve import Curve
from classay.curves.registry import Look, curve
from classay.measures.registry import ratio
from classay.tables import ScoreTable
from classay.tables.running import difference


@curve("DET curve", look=Look(square=True))
def det(table: ScoreTable) -> Curve:
    """False negative against false positive rate at every distinct threshold, for axes of normal quantiles.

    On these axes normally distributed scores give a straight line, and good classifiers are told apart. NaN
    rates where a class has no cases. Martin, Doddington, Kamm, Ordowski & Przybocki 1997, Eurospeech 1895.

    >>> curve = det(ScoreTable.from_rows(np.array([0.9, 0.4, 0.1]), np.array([True, True, False])))
    >>> curve.x, curve.y, curve.x_scale
    (array([0., 0., 0., 1.]), array([1. , 0.5, 0. , 0. ]), 'normal')
    """
    fp, fn = np.cumsum(table.negatives), difference(table.n_positive, np.cumsum(table.positives))
    return Curve(
        "det",
        "Detection error trade-off",
        np.concatenate([[0.0], ratio(fp, table.n_negative)]),
        np.concatenate([[1.0], ratio(fn, table.n_positive)]),
        "false positive rate",
        "false negative rate",
        threshold=np.concatenate([[np.inf], table.thresholds.astype(np.float64)]),
        x_scale="normal",
        y_scale="normal",
    )
