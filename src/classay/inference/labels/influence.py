"""Influence: how much one more case moves a measure; the one idea behind weighted and clustered variances.

With z_r the derivative of a measure by the weight of row r (the z_r w_r sum to zero, because no measure changes when
all weights are scaled), rows drawn independently give the variance sum w_r² z_r², which needs only the sums of squared
weights in each cell of a table; clusters drawn independently give I / (I - 1) · sum over clusters of (sum w_r z_r)².
(Binder 1983, International Statistical Review 51:279; Demnati & Rao 2004, Survey Methodology 30:17.)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.labels.delta import counts_influence, slopes_at
from classay.measures import Measure
from classay.tables import BinaryCounts, ConfusionMatrix

Array = NDArray[Any]


def of_counts(measure: Measure, counts: BinaryCounts) -> Array:
    """Influence of one more true positive, false positive, false negative, true negative, `(4,)`."""
    return counts_influence(measure, counts)[1]


def of_matrix(measure: Measure, matrix: ConfusionMatrix) -> Array:
    """Influence of one more case at each `[predicted, true]`, `(classes, classes)`."""
    at = np.arange(len(matrix.labels))
    return slopes_at(measure, matrix, at[:, None], at[None, :])
