"""Variances of the AUC of exponential scores: what its value and the class sizes alone say of its spread.

Hanley and McNeil 1982, Radiology 143:29.
"""

from __future__ import annotations

from typing import Any


def hanley_mcneil_variance(auc: float, positives: float, negatives: float) -> float:
    """Variance of the AUC from its value and the class sizes, for exponential scores.

    >>> round(hanley_mcneil_variance(0.8, 50, 50), 6)
    0.00198
    """
    of_positives, of_negatives = placement_variances(auc)
    total: float = auc * (1 - auc) + (negatives - 1) * of_positives + (positives - 1) * of_negatives
    return total / (positives * negatives)


def placement_variances(auc: Any) -> tuple[Any, Any]:
    """Variances of the share of negatives that a positive outranks, and of positives that outrank a negative.

    Those of exponential scores: 2 A² / (1 + A) - A² and A / (2 - A) - A², for AUCs of any shape.

    >>> [round(each, 4) for each in placement_variances(0.8)]
    [0.0711, 0.0267]
    """
    return auc**2 * (1 - auc) / (1 + auc), auc * (1 - auc) ** 2 / (2 - auc)
