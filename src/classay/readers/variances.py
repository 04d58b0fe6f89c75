"""Several readers of the same cases: how their means vary with readers and cases, and how far readers agree.

Each is a function of all cases, whose influence says how far one more case moves it; so its interval knows how the
cases were drawn, and that the same cases tell of all pairs of readers.

Obuchowski & Rockette's model (1995, Communications in Statistics - Simulation 24:285): the value of reader j in
modality i, such as an AUC, is a mean of the modality, what the reader adds, what both add together, and an error by the
cases. How far the errors vary together is estimated from the cases alone, what readers add from the spread of the
values. The degrees of freedom are those of Hillis (2007, Statistics in Medicine 26:596).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.design import Design, SamplingUnits, VarianceEstimate
from classay.inference.estimate import Estimate
from classay.inference.proportions import scale_of
from classay.tables.sums import is_rounding

Array = NDArray[Any]
FLEISS, COHEN = "Fleiss' kappa", "Cohen's kappa"


def kappa(called: Array) -> tuple[str, float, Array]:
    """Which kappa it is, its value, and how much one more case moves it, `(cases,)`; `called` are `(readers, cases)`.

    (P - E) / (1 - E), with P the share of pairs of readers that agree on a case and E what chance would give: of two
    readers by the share of positive calls of each (Cohen 1960, Educational and Psychological Measurement 20:37), of
    more by that of all (Fleiss 1971, Psychological Bulletin 76:378). NaN where all calls are alike.

    >>> kappa(np.array([[1, 1, 0, 0], [1, 0, 0, 0]], bool))[:2]
    ("Cohen's kappa", 0.5)
    """
    readers, cases = called.shape
    shares = called.mean(1)
    yes = called.sum(0)
    agree = 1 - 2.0 * yes * (readers - yes) / (readers * (readers - 1))
    if readers == 2:
        name, chance = COHEN, shares[0] * shares[1] + (1 - shares[0]) * (1 - shares[1])
        slopes = 2 * shares[::-1] - 1
    else:
        mean_share = float(shares.mean())
        name, chance = FLEISS, mean_share**2 + (1 - mean_share) ** 2
        slopes = np.full(readers, (4 * mean_share - 2) / readers)
    observed, left = agree.mean(), 1 - chance
    if not left > 0:
        return name, float("nan"), np.full(cases, np.nan)
    by_chance = (slopes[:, None] * (called - shares[:, None])).sum(0)
    influence = ((agree - observed) / left - (1 - observed) / left**2 * by_chance) / cases
    return name, float((observed - chance) / left), influence


def rank_correlation(scores: Array) -> tuple[float, Array]:
    """The mean of Spearman's correlations of all pairs of readers, `(readers, cases)`, and how much a case moves it.

    That of mid-ranks; a case counts itself, and moves the ranks of all others (Croux & Dehon 2010, Statistical Methods
    & Applications 19:497). NaN where a reader scores all cases alike.

    >>> rank_correlation(np.array([[1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0]]))[0].__round__(3)
    0.8
    """
    cases = scores.shape[1]
    groups = [np.unique(score, return_inverse=True)[1] for score in scores]
    ranks = [1 - _above(group, np.ones(cases)) for group in groups]
    by_reader = [_moved(group, group, rank, rank) for group, rank in zip(groups, ranks, strict=True)]
    values, influences = [], []
    for i, j in combinations(range(len(scores)), 2):
        together, (a, b) = _moved(groups[i], groups[j], ranks[i], ranks[j]), (by_reader[i], by_reader[j])
        scale = float(np.sqrt(a[0] * b[0]))
        if not scale > 0:
            return float("nan"), np.full(cases, np.nan)
        value = together[0] / scale
        values.append(value)
        influences.append(together[1] / scale - value / 2 * (a[1] / a[0] + b[1] / b[0]))
    return float(np.mean(values)), np.mean(influences, axis=0) / cases


def _above(group: Array, values: Array) -> Array:
    """Return the mean over all cases of the values of those that stand above each case, ties half."""
    sums = np.bincount(group, values)
    return np.asarray((sums[::-1].cumsum()[::-1] - sums / 2)[group] / group.size)


def _moved(group: Array, other: Array, rank: Array, beside: Array) -> tuple[float, Array]:
    """Return the covariance of two columns of ranks, and how much each case moves it, times the number of cases."""
    product = float((rank * beside).mean())
    influence = rank * beside + _above(group, beside) + _above(other, rank) - 3 * product
    return product - 0.25, influence


def agreement(value: float, influence: Array, design: Design, level: float) -> Estimate:
    """Return the estimate of a kappa or a correlation, on the scale of Fisher's z, with Student's t for few units."""
    if np.isnan(value):
        return Estimate.undefined("all predicted labels are equal")
    spread = design.spread(influence)
    if abs(value) >= 1 or not spread.variance > 0 or is_rounding(spread.se, 1.0):
        return Estimate.bare(value, "these cases show no variation")
    low, high = scale_of((-1, 1)).interval(value, spread.half(level), 1.0)
    return Estimate(value, low, high, level, f"{design.before}Fisher z")


MOST_TRIPLES = 50_000_000
"""Triples of a reader, a positive and a negative case up to which the one-shot variance is computed."""
BLOCK = 2_000_000
"""Triples that are looked at together."""


@dataclass(frozen=True, eq=False)
class ReaderVariances:
    """Values of readers who read in all modalities, `[modality, reader]`, and the covariance of their errors by cases.

    `covariance` is `[modality, reader, modality, reader]`; zeros say that the cases are fixed.

    >>> variances = ReaderVariances(np.array([[0.8, 0.7, 0.9], [0.85, 0.8, 0.9]]), np.zeros((2, 3, 2, 3)))
    >>> round(variances.f, 3), round(variances.degrees, 3)
    (3.0, 2.0)
    """

    values: Array
    covariance: Array

    @property
    def modalities(self) -> int:
        """How many modalities there are."""
        return int(self.values.shape[0])

    @property
    def readers(self) -> int:
        """How many readers there are."""
        return int(self.values.shape[1])

    @cached_property
    def components(self) -> tuple[float, float, float, float]:
        """The mean variance of an error, and the mean covariances Cov1, Cov2 and Cov3 of two.

        Those of one reader in two modalities, of two readers in one, and of two readers in two.
        """
        modality, reader = (indices.ravel() for indices in np.indices(self.values.shape))
        s = self.covariance.reshape(self.values.size, -1)
        other, another = modality[:, None] != modality, reader[:, None] != reader
        kinds = (~other & ~another, other & ~another, ~other & another, other & another)
        var, cov1, cov2, cov3 = (float(s[kind].mean()) if kind.any() else nan for kind in kinds)
        return var, cov1, cov2, cov3

    @cached_property
    def mean_squares(self) -> tuple[float, float, float]:
        """Those of the modalities, of the readers, and of both together, what is left of the values."""
        values, (i, j) = self.values, self.values.shape
        of_modality, of_reader, overall = values.mean(1), values.mean(0), values.mean()
        left = values - of_modality[:, None] - of_reader + overall
        sums = (
            j * ((of_modality - overall) ** 2).sum(),
            i * ((of_reader - overall) ** 2).sum(),
            (left**2).sum(),
        )
        degrees = (i - 1, j - 1, (i - 1) * (j - 1))
        a, b, c = (float(mean_sum / by) if by else nan for mean_sum, by in zip(sums, degrees, strict=True))
        return a, b, c

    @property
    def error(self) -> float:
        """What the mean square of the modalities is compared with: MS(TR) + max(J (Cov2 - Cov3), 0)."""
        _, _, cov2, cov3 = self.components
        return self.mean_squares[2] + max(self.readers * (cov2 - cov3), 0.0)

    @property
    def degrees(self) -> float:
        """Hillis' degrees of freedom of that: its square (I - 1)(J - 1) / MS(TR)²."""
        left = self.mean_squares[2]
        by = (self.modalities - 1) * (self.readers - 1)
        return by * (self.error / left) ** 2 if left > 0 else inf

    @property
    def f(self) -> float:
        """The F of no difference between modalities, on I - 1 and `degrees`."""
        return self.mean_squares[0] / self.error if self.error > 0 else nan

    @property
    def p(self) -> float:
        """The p-value of F."""
        from scipy.special import chdtrc, fdtrc

        first = self.modalities - 1
        if self.degrees == inf:
            return float(chdtrc(first, first * self.f))
        return float(fdtrc(first, self.degrees, self.f))

    @property
    def difference(self) -> VarianceEstimate:
        """The spread of the difference of two modalities' means."""
        return VarianceEstimate(
            2 * self.error / self.readers, self.degrees, SamplingUnits(self.readers, "readers")
        )


def spread_of_mean(values: Array, covariance: Array) -> VarianceEstimate:
    """That of the mean of several readers in one modality; `covariance` is that of their errors, `(readers, readers)`.

    (MS(R) + max(J Cov2, 0)) / J, on (J - 1) times the square of what MS(R) is a share of.

    >>> spread_of_mean(np.array([0.8, 0.7, 0.9]), np.zeros((3, 3))).degrees
    2.0
    """
    return _summed([values], max(values.size * _between(covariance), 0.0) / values.size)


def spread_of_two_groups(first: Array, second: Array, covariance: Array) -> VarianceEstimate:
    """Return that of the difference of the means of two groups of readers, each of which read in a modality of its own.

    `covariance` is that of the errors of the first group's, then the second's. Hillis 2014, Statistics in Medicine
    33:330, with a mean square of readers for each group; degrees by Satterthwaite.
    """
    k = first.size
    shared = (
        _between(covariance[:k, :k]) + _between(covariance[k:, k:]) - 2 * float(covariance[:k, k:].mean())
    )
    return _summed([first, second], max(shared, 0.0))


def _between(covariance: Array) -> float:
    """Return the mean covariance of two different readers."""
    n = len(covariance)
    return float((covariance.sum() - np.trace(covariance)) / (n * (n - 1))) if n > 1 else nan


def _summed(groups: list[Array], by_cases: float) -> VarianceEstimate:
    """Return the sum of the variances of means of two or more readers each, and of what the cases add."""
    number = SamplingUnits(sum(group.size for group in groups), "readers")
    parts = np.array([group.var(ddof=1) / group.size for group in groups])
    variance = float(parts.sum()) + by_cases
    uneven = float((parts**2 / (np.array([group.size for group in groups]) - 1)).sum())
    return VarianceEstimate(variance, variance**2 / uneven if uneven > 0 else inf, number)


def one_shot_variance(positives: Array, negatives: Array) -> float:
    """The variance of an AUC averaged over readers, or of a difference of two, with readers and cases both random.

    `positives` and `negatives` are scores, `[modality, reader, case]`, of one modality or of two; the kernel k of a
    reader, a positive and a negative case is 1, ½ or 0 as the positive one is ranked, that of the second modality
    taken off. The variance is mean(k)² minus the mean of k k' over triples that share nothing, which is unbiased, and
    may be negative: NaN then, and with fewer than two of anything. Gallas 2006, Academic Radiology 13:353.

    >>> one_shot_variance(np.array([[[3, 4], [2, 5]]]), np.array([[[1, 3], [2, 2]]])).__round__(4)
    0.0352
    """
    readers, p, n = positives.shape[1], positives.shape[2], negatives.shape[2]
    if min(readers, p, n) < 2:
        return nan
    step = max(1, BLOCK // (readers * n))
    of_pairs, of_readers = 0.0, 0.0
    by_positive, by_negative = np.zeros((readers, p)), np.zeros((readers, n))
    for start in range(0, p, step):
        part = slice(start, start + step)
        kernel = np.zeros((readers, min(step, p - start), n))
        for sign, above, below in zip((1, -1), positives, negatives, strict=False):
            gap = above[:, part, None] - below[:, None, :]
            kernel += sign * (np.sign(gap) + 1) / 2
        of_pairs += float((kernel**2).sum())
        of_readers += float((kernel.sum(0) ** 2).sum())
        by_positive[:, part] = kernel.sum(2)
        by_negative += kernel.sum(1)
    squares = {
        (1, 1, 1): of_pairs,
        (0, 1, 1): of_readers,
        (1, 1, 0): float((by_positive**2).sum()),
        (1, 0, 1): float((by_negative**2).sum()),
        (1, 0, 0): float((by_positive.sum(1) ** 2).sum()),
        (0, 1, 0): float((by_positive.sum(0) ** 2).sum()),
        (0, 0, 1): float((by_negative.sum(0) ** 2).sum()),
        (0, 0, 0): float(by_positive.sum() ** 2),
    }
    excess = sum((-1) ** sum(same) * square for same, square in squares.items())
    sizes = np.array([readers, p, n], np.float64)
    variance = squares[0, 0, 0] / (sizes**2).prod() - excess / (sizes * (sizes - 1)).prod()
    return float(variance) if variance > 0 else nan
