"""The leading model against the one that follows, over the same folds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from classay.comparison.comparison import Comparison
from classay.comparison.folds.t_tests import pairwise
from classay.inference.folds.resampled import CORRECTED, by_repeat
from classay.resampling.naming import BASELINE

if TYPE_CHECKING:
    from classay.resampling.evaluation import Resampled, Summary


def lead(found: list[Summary], folds: Resampled, *, level: float = 0.95) -> Comparison | None:
    """The best model less the second best in a measure that is best when high, p adjusted over all pairs.

    By the corrected resampled t; None where the estimates are not by it, or a model has folds without a value.
    """
    by_value = sorted(
        (each for each in found if each.model != BASELINE and each.estimate.value == each.estimate.value),
        key=lambda each: -each.estimate.value,
    )
    if len(by_value) < 2 or any(each.estimate.method != CORRECTED for each in by_value):
        return None
    repeated = by_repeat(folds.contributions, folds.repeat, folds.fold)
    rows = dict(zip(folds.models, repeated, strict=True))
    values = {each.model: rows[each.model] for each in by_value}
    if not all(np.isfinite(each).all() for each in values.values()):
        return None
    return pairwise(values, test_over_train=folds.test_over_train, measure=folds.measure, level=level)[0]
