"""The value of single cases, for measures that are plain means over cases."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from classay.columns.numbers import TOLERANCE
from classay.resampling.data import Cases
from classay.resampling.fold_result import FoldResult
from classay.resampling.splits import Array

CaseValue = Callable[[Cases, Array, FoldResult], Array | None]
"""From the cases, the codes of their true classes and a result to one value a case; None where it has none."""


def hits(cases: Cases, truth: Array, result: FoldResult) -> Array | None:
    """1 where the predicted class is the true one."""
    return np.asarray(result.predicted == truth, np.float64)


def misses(cases: Cases, truth: Array, result: FoldResult) -> Array | None:
    """1 where the predicted class is another one."""
    return np.asarray(result.predicted != truth, np.float64)


def log_loss(cases: Cases, truth: Array, result: FoldResult) -> Array | None:
    """Minus the logarithm of the probability of the true class."""
    given = probabilities(cases, result)
    if given is None:
        return None
    with np.errstate(divide="ignore"):
        found: Array = -np.log(given[np.arange(truth.size), truth])
    return found


def brier(cases: Cases, truth: Array, result: FoldResult) -> Array | None:
    """Squared distance of the positive class's probability from 1 where it is true, from 0 elsewhere."""
    given = probabilities(cases, result)
    code = cases.positive_code
    if given is None or code is None:
        return None
    found: Array = (given[:, code] - (truth == code)) ** 2
    return found


def multiclass_brier(cases: Cases, truth: Array, result: FoldResult) -> Array | None:
    """Sum over classes of the squared distance of the probability from 1 where true, from 0 elsewhere."""
    given = probabilities(cases, result)
    if given is None:
        return None
    one = np.arange(given.shape[1]) == truth[:, None]
    found: Array = ((given - one) ** 2).sum(1)
    return found


CASE_VALUES: dict[str, CaseValue] = {
    "accuracy": hits,
    "error_rate": misses,
    "log_loss": log_loss,
    "brier_score": brier,
    "multiclass_brier_score": multiclass_brier,
}


def probabilities(cases: Cases, result: FoldResult) -> Array | None:
    """A column for each class; None where the scores are no probabilities."""
    scores: Any = result.scores
    if scores is None or result.kind_of_score != "probability":
        return None
    scores = scores.astype(np.float64)
    if scores.size and (scores.min() < 0 or scores.max() > 1):
        return None
    if scores.ndim == 2:
        return scores if (np.abs(scores.sum(1) - 1) <= TOLERANCE).all() else None
    both = np.empty((scores.size, 2))
    code = cases.positive_code
    assert code is not None
    both[:, code], both[:, 1 - code] = scores, 1 - scores
    return both
