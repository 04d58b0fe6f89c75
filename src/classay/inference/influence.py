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

from classay.inference.delta import margin_partials, partials, weighted_kappa_influence
from classay.measures import Measure
from classay.measures.registry import ratio
from classay.tables import BinaryCounts, ConfusionMatrix, ScoreTable

Array = NDArray[Any]


def of_counts(measure: Measure, counts: BinaryCounts) -> Array:
    """Influence of one more true positive, false positive, false negative, true negative, `(4,)`."""
    cells = np.array([float(each) for each in counts])
    return partials(lambda c: measure.function(*np.moveaxis(c, -1, 0)), [cells])[0]


def of_matrix(measure: Measure, matrix: ConfusionMatrix) -> Array:
    """Influence of one more case at each `[predicted, true]`, `(classes, classes)`."""
    if measure.needs == "matrix":
        return weighted_kappa_influence(measure, matrix)
    by_hit, by_predicted, by_true = margin_partials(measure, matrix)
    return np.asarray(by_predicted[:, None] + by_true[None, :] + np.diag(by_hit))


def of_scores(measure: Measure, table: ScoreTable, value: float) -> tuple[Array, Array] | None:
    """Influence of one more positive and negative case at each distinct score, `(m,)` each; None where not known."""
    if measure.name in ("roc_auc", "gini"):
        on_positive, on_negative = auc_influence(table)
        factor = 2 if measure.name == "gini" else 1
        return factor * on_positive, factor * on_negative
    if measure.name == "average_precision":
        return average_precision_influence(table, value)
    if measure.name in ("log_loss", "brier_score"):
        p = table.scores.astype(np.float64)
        n = float(table.n_positive + table.n_negative)
        with np.errstate(divide="ignore"):
            losses = (-np.log(p), -np.log1p(-p)) if measure.name == "log_loss" else ((1 - p) ** 2, p**2)
        return (losses[0] - value) / n, (losses[1] - value) / n
    return None


def auc_influence(table: ScoreTable) -> tuple[Array, Array]:
    """(placement - AUC) / weight of the class, for a positive and a negative case (DeLong et al. 1988, weighted)."""
    p, n = float(table.n_positive), float(table.n_negative)
    above = np.cumsum(table.positives) - table.positives
    below = n - np.cumsum(table.negatives)
    of_positive = (below + table.negatives / 2) / n
    of_negative = (above + table.positives / 2) / p
    auc = float((table.positives * of_positive).sum() / p)
    return (of_positive - auc) / p, (of_negative - auc) / n


def average_precision_influence(table: ScoreTable, ap: float) -> tuple[Array, Array]:
    """For a positive and a negative case; the formula stands in `average_precision.influence_variance`."""
    up_p, up_n = table.positives[::-1], table.negatives[::-1]
    p, n = float(table.n_positive), float(table.n_negative)
    tp = p - np.cumsum(up_p) + up_p
    called = tp + n - np.cumsum(up_n) + up_n
    precision = ratio(tp, called)
    gain = np.cumsum(ratio(1.0 * up_p, called))
    loss = np.cumsum(ratio(up_p * precision, called))
    return ((precision - ap + gain - loss) / p)[::-1], (-loss / p)[::-1]
