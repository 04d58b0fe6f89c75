"""The risk–coverage curve of a score table of probabilities."""

from __future__ import annotations

import numpy as np

from classay.curves.curve import Curve
from classay.curves.registry import UNIT, Look, curve
from classay.errors import InputError
from classay.measures.registry import ratio
from classay.measures.selective import confidences
from classay.tables import ScoreTable


@curve("risk–coverage curve", needs="probabilities", look=Look(UNIT, y_from_zero=True))
def risk_coverage(table: ScoreTable) -> Curve:
    """The error rate on the cases of at least each distinct confidence max(p, 1 - p), against their share.

    Positive is predicted from p = 0.5; `threshold` is the confidence. What a classifier that may decline
    gains by it; the mean over coverages is the area under the curve (AURC), ties averaged. Raises InputError
    unless the scores are probabilities; NaN without cases. El-Yaniv & Wiener 2010, Journal of Machine
    Learning Research 11:1605.

    >>> rows = np.array([0.9, 0.6, 0.2, 0.1]), np.array([True, False, False, False])
    >>> curve = risk_coverage(ScoreTable.from_rows(*rows))
    >>> curve.x, curve.y.round(2), curve.threshold
    (array([0.5 , 0.75, 1.  ]), array([0.  , 0.  , 0.25]), array([0.9, 0.8, 0.6]))
    """
    if not table.are_probabilities:
        raise InputError("the risk–coverage curve needs probabilities: the scores are not all in [0, 1].")
    confidence, cases, errors = confidences(table)
    covered = np.cumsum(cases)
    return Curve(
        "risk_coverage",
        "Risk–coverage curve",
        ratio(covered, covered[-1:]),
        ratio(np.cumsum(errors), covered),
        "coverage: share of cases decided",
        "risk: error rate on them",
        threshold=confidence,
    )
