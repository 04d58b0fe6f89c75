"""Variance and interval of average precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from classay.compiled import kernel
from classay.tables import ScoreTable


def _influence_squares(positives: Any, negatives: Any, ap: float) -> float:
    up_p, up_n = positives[::-1], negatives[::-1]  # from the lowest score upwards
    p, n = positives.sum(), negatives.sum()
    share = p / (p + n)
    tp = p - np.cumsum(up_p) + up_p
    called = tp + n - np.cumsum(up_n) + up_n
    precision = tp / called
    gain = np.cumsum(up_p / called)
    loss = np.cumsum(up_p * precision / called)
    of_positive = (precision - ap + gain - loss) / share
    of_negative = -loss / share
    return float((up_p * of_positive**2 + up_n * of_negative**2).sum())


@kernel(twin=_influence_squares)
def influence_squares(positives: Any, negatives: Any, ap: float) -> float:
    """Sum over cases of the squared influence on average precision."""
    p, n = 1.0 * positives.sum(), 1.0 * negatives.sum()
    share = p / (p + n)
    tp, called = p, p + n
    gain = loss = squares = 0.0
    for i in range(positives.shape[0] - 1, -1, -1):
        if positives[i] > 0:
            precision = tp / called
            gain += positives[i] / called
            loss += positives[i] * precision / called
            squares += positives[i] * ((precision - ap + gain - loss) / share) ** 2
        squares += negatives[i] * (loss / share) ** 2
        tp -= positives[i]
        called -= positives[i] + negatives[i]
    return squares


def influence_variance(table: ScoreTable, ap: float) -> float:
    r"""Variance of average precision by its influence function, in one pass over the sorted table.

    With AP = E[Prec(S) | Y = 1] and Prec(t) = P(Y = 1 | S >= t), adding a case (y, s) moves AP by

        IF(y, s) = ( y (Prec(s) - AP) + y·G(s) - H(s) ) / pi,
        G(s) = E[Y 1(S <= s) / P(S >= S)],   H(s) = E[Y 1(S <= s) Prec(S) / P(S >= S)]

    where the last P is the share of all cases scoring at least S; the variance is E[IF²] / n.
    (von Mises expansion of the definition; Serfling 1980, Approximation Theorems of Mathematical Statistics, ch. 6.)
    """
    n = float(table.n_positive + table.n_negative)
    return float(influence_squares(table.positives, table.negatives, ap)) / n**2
