"""Wilson's limits of a mean over classes or tags by the variance of each, as of a share of so many cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.labels.shares import Correlations, shared_student
from classay.measures.registry import ratio
from classay.tables.sums import is_rounding

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class ClassValues:
    """What each class has in [0, 1], its variance, and how the values go together, `(classes,)` each.

    `slopes`, `(4, classes)`, are what one more TP, FP, FN and TN of a class adds to its value, `counts` those of the
    classes. `sizes` are the equal cases that a value is found from, `together` the correlations, none negative.
    """

    values: Array
    variances: Array
    slopes: Array
    counts: tuple[Array, ...]
    sizes: Array
    together: Correlations

    @property
    def cases(self) -> Array:
        """The cases that each value stands for, F (1 - F) / V, at least 1.

        A class without an error stands for its true cases, one without a hit for the errors that one hit would weigh
        against. Where the kind of error that counts more was not seen, the few others that count less show too little
        spread: such a class stands for no more cases than it has.
        """
        tp, fp, fn, _ = self.counts
        varies = ~is_rounding(np.sqrt(np.maximum(self.variances, 0.0)), 1.0)
        of_spread = ratio(self.values * (1 - self.values), np.where(varies, self.variances, 1.0))
        is_hidden = np.where(self.slopes[1] < self.slopes[2], fp, fn) == 0
        of_spread = np.where(is_hidden, np.minimum(of_spread, self.sizes), of_spread)
        # one hit more than none moves the value by its slope, as it does among so many cases; weights may have any unit
        of_none = ratio(self.sizes, self.slopes[0] * (tp + fp + fn))
        certain = np.where(self.values > 0.5, self.sizes, of_none)
        return np.asarray(np.maximum(np.nan_to_num(np.where(varies, of_spread, certain)), 1.0))

    def limits(self, level: float, by: Array, wider: float = 1.0) -> tuple[float, float]:
        """Return the limits of the sum of the values times `by`, at Student's quantile times `wider`."""
        cases = self.cases
        return shared_student(
            self.values * cases,
            cases,
            level,
            together=self.together,
            by=by,
            wider=wider,
            sizes=self.sizes,
        )
