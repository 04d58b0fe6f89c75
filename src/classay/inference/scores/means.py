"""Intervals for the mean of a per-case loss, which is never negative and often skewed."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.proportions.binomial import wilson
from classay.inference.scales import scale_of
from classay.tables.cases import LossTail

Array = NDArray[Any]


def t_interval(
    total: float, squares: float, n: float, level: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """mean ± t · s / sqrt(n) with n - 1 degrees of freedom, on the scale of the loss's range: log, or logit.

    `total` and `squares` are the sums of the losses and of their squares. Student 1908, Biometrika 6:1.

    >>> low, high = t_interval(6.0, 14.0, 3, 0.95, (0, float("inf")))
    >>> print(round(low, 4), round(high, 4))
    0.5776 6.9255
    """
    mean = total / n
    variance = max(0.0, (squares - n * mean * mean) / (n - 1))
    return scale_of(bounds).interval(mean, float(np.sqrt(variance / n)), _student(level, n - 1))


LEAST_LOG_LOSS = log(2)
"""The loss of a case of even odds, which one more case has at least; half the range of a loss that has an end."""


TAILS = {"log_loss": "log_loss_tail", "multiclass_brier_score": "brier_tail"}
"""Where sums over cases keep the tail of a loss."""
ONE_MORE = "one more case"
WITHOUT_TAIL = "saved without the greatest loss"
"""What the methods say of the intervals with the tail of the losses, and of those without."""


@dataclass(frozen=True)
class LossMoments:
    """How many cases there are, the sums of their losses, of their squares, cubes and fourth powers, the greatest."""

    n: float
    total: float
    squares: float
    cubes: float
    fourths: float
    most: float

    @classmethod
    def of(cls, n: float, total: float, squares: float, tail: LossTail) -> LossMoments:
        """From sums and the tail of the losses."""
        return cls(n, total, squares, tail.cubes.value, tail.fourths.value, tail.most)

    @property
    def mean(self) -> float:
        """The mean loss."""
        return self.total / self.n

    @property
    def centred(self) -> float:
        """The sum of squares around the mean."""
        return max(0.0, self.squares - self.total * self.mean)

    @property
    def degrees(self) -> float:
        """Degrees of freedom of the variance from the fourth moment, 2 V² / var(V) (Satterthwaite 1946); 1 to n - 1."""
        m = self.mean
        fourth = self.fourths - 4 * m * self.cubes + 6 * m * m * self.squares - 3 * self.n * m**4
        uneven = fourth - self.centred**2 / self.n
        return max(1.0, min(self.n - 1, 2 * self.centred**2 / uneven if uneven > 0 else self.n - 1))

    def with_one_more(self, bounds: tuple[float, float]) -> LossMoments:
        """The same with one more case of the greatest loss, at least ln 2, or half the range of a loss with an end."""
        more = max(self.most, LEAST_LOG_LOSS if np.isinf(bounds[1]) else (bounds[1] - bounds[0]) / 2)
        return LossMoments(
            self.n + 1,
            self.total + more,
            self.squares + more**2,
            self.cubes + more**3,
            self.fourths + more**4,
            more,
        )

    def t_interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Student's interval of the mean on the scale of the loss's range, with the degrees of the fourth moment."""
        se = float(np.sqrt(self.centred / (self.n - 1) / self.n))
        return scale_of(bounds).interval(self.mean, se, _student(level, self.degrees))

    def one_more_case(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """The lower end of Student's interval, and the upper end of that with one more case of the greatest loss.

        The few cases that a good classifier errs in make up most of its mean loss: a sample that has none of them, or
        one less, shows too little spread.

        >>> losses = np.array([0.1] * 18 + [0.9, 2.1])
        >>> powers = [float((losses**k).sum()) for k in range(5)]
        >>> low, high = LossMoments(*powers, 2.1).one_more_case(0.95, (0, float("inf")))
        >>> print(round(low, 3), round(high, 3))
        0.062 0.871
        """
        return self.t_interval(level, bounds)[0], self.with_one_more(bounds).t_interval(level, bounds)[1]


@dataclass(frozen=True)
class ClassMean:
    """The mean loss of the cases of a class, and the sums of squares and of cubes around it."""

    cases: float
    mean: float
    squares: float
    cubes: float

    @classmethod
    def of(cls, weight: Array, losses: Array) -> ClassMean:
        """Of so many cases with each loss, one or more in all."""
        held = weight > 0  # what no case has may be infinite
        weight, losses = weight[held], losses[held]
        cases = float(weight.sum())
        mean = float(weight @ losses) / cases
        apart = losses - mean
        return cls(cases, mean, float(weight @ apart**2), float(weight @ apart**3))

    @property
    def se(self) -> float:
        """Standard error of the mean of two cases or more."""
        return float(np.sqrt(self.squares / (self.cases - 1) / self.cases))

    def on_log_scale(self, level: float) -> tuple[float, float]:
        """Student's interval on the log scale, which few cases suffice for."""
        if not self.squares > 0:
            return self.mean, self.mean
        return scale_of((0, np.inf)).interval(self.mean, self.se, _student(level, self.cases - 1))

    def without_skewness(self, level: float) -> tuple[float, float]:
        """Student's interval after the cubic transformation that takes the skewness out of the studentized mean.

        T + a T² / 3 + a² T³ / 27 + a / 6 with a = skewness / sqrt(n) is nearly Student's, and rises with T. (Hall 1992,
        JRSS B 54:221.) The skewness needs many cases.
        """
        if not self.squares > 0:
            return self.mean, self.mean
        skewness = self.cubes / self.cases / (self.squares / self.cases) ** 1.5
        a, quantile = skewness / np.sqrt(self.cases), _student(level, self.cases - 1)

        def back(x: float) -> float:
            return float(x if abs(a) < 1e-9 else 3 / a * (np.cbrt(1 + a * (x - a / 6)) - 1))

        low, high = self.mean - back(quantile) * self.se, self.mean - back(-quantile) * self.se
        return max(0.0, min(low, self.mean)), max(high, self.mean)


def two_class_interval(positive: ClassMean, negative: ClassMean, level: float) -> tuple[float, float]:
    """Interval of the mean loss of all cases from its three parts: how many are positive, and each class's mean loss.

    The rare class's losses are large, and how many of its cases came is chance: their product is skewed, and Student's
    upper end is passed too often. Each part has an interval of its own, Wilson's for the share, on the log scale for
    the mean of the smaller class, Hall's for that of the larger, and their distances are squared and added (Zou &
    Donner 2008, Statistics in Medicine 27:1693). Both classes have two cases or more.

    >>> rare, common = ClassMean(10, 2.0, 9.0, 8.0), ClassMean(190, 0.1, 1.9, 0.4)
    >>> low, high = two_class_interval(rare, common, 0.95)
    >>> print(round(low, 3), round(high, 3))
    0.141 0.283
    """
    small, large = sorted([positive, negative], key=lambda each: (each.cases, each.squares))
    total = small.cases + large.cases
    share = small.cases / total
    mean = share * small.mean + (1 - share) * large.mean
    least, most = (float(each) for each in wilson(small.cases, total, level))
    apart = small.mean - large.mean
    fewer, more = (share - least, most - share) if apart > 0 else (most - share, share - least)
    (low_small, high_small), (low_large, high_large) = (
        small.on_log_scale(level),
        large.without_skewness(level),
    )
    below = np.hypot(
        apart * fewer, np.hypot(share * (small.mean - low_small), (1 - share) * (large.mean - low_large))
    )
    above = np.hypot(
        apart * more, np.hypot(share * (high_small - small.mean), (1 - share) * (high_large - large.mean))
    )
    return max(0.0, mean - float(below)), mean + float(above)


def _student(level: float, degrees: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(degrees, 0.5 + level / 2))
