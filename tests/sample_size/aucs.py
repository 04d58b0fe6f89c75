"""Variances and covariances of AUCs as they are printed, or by quadrature over the case that two pairs share."""

from functools import cache
from math import sqrt

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy import stats
from scipy.integrate import quad

NODES, WEIGHTS = hermegauss(80)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


@cache
def covariances_of_pairs(first, second, correlation):
    """Covariance of two orders of a positive and a negative: of the same pair, and of pairs that share one case."""

    def beaten(auc, scores):
        return stats.norm.cdf(sqrt(2) * stats.norm.ppf(auc) - scores)

    other = correlation * NODES[:, None] + sqrt(1 - correlation**2) * NODES
    both_beaten = beaten(first, NODES)[:, None] * beaten(second, other)
    sharing = float((WEIGHTS[:, None] * WEIGHTS * both_beaten).sum()) - first * second
    same = min(first, second)
    if correlation < 1:
        limits = stats.norm.ppf([first, second])
        slope = sqrt(1 - correlation**2)

        def density(z):
            return stats.norm.pdf(z) * stats.norm.cdf((limits[1] - correlation * z) / slope)

        same = quad(density, -12, limits[0], epsabs=1e-13)[0]
    return same - first * second, sharing


def covariance_of_aucs(first, second, positives, negatives, correlation):
    same, sharing = covariances_of_pairs(first, second, correlation)
    return (same + (positives + negatives - 2) * sharing) / (positives * negatives)


def normal_variance(auc, positives, negatives):
    return covariance_of_aucs(auc, auc, positives, negatives, 1.0)


def exponential_variance(auc, positives, negatives):
    """Hanley and McNeil 1982 as printed: Q1 = A / (2 - A), Q2 = 2 A² / (1 + A)."""
    q1, q2 = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    total = auc * (1 - auc) + (positives - 1) * (q1 - auc**2) + (negatives - 1) * (q2 - auc**2)
    return total / (positives * negatives)


def rating_variance(auc, positives, negatives):
    a = 1.414 * stats.norm.ppf(auc)
    ratio = negatives / positives
    return 0.0099 * np.exp(-(a**2) / 2) * (5 * a**2 + 8 + (a**2 + 8) / ratio) / positives
