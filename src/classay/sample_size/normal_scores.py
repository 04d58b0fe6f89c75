"""Exact variance and covariance of AUCs of normal scores, by Owen's T: what plans of AUCs rest on."""

from __future__ import annotations

from math import atan2, copysign, pi, sqrt


def joint_normal_excess(h: float, k: float, correlation: float) -> float:
    """P(X <= h, Y <= k) - P(X <= h) P(Y <= k) of standard normal X and Y with this correlation, inside (-1, 1).

    By Owen's T (Owen 1956, Annals of Mathematical Statistics 27:1075). Both signs are turned where the limits are high:
    the excess is the same there, and small probabilities keep their digits.

    >>> round(joint_normal_excess(0.0, 0.0, 0.5), 6)  # 1/3 - 1/4
    0.083333
    """
    from scipy.special import ndtr, owens_t

    if h + k > 0:
        h, k = -h, -k
    root = sqrt((1 - correlation) * (1 + correlation))

    def wedge(limit: float, opposite: float) -> float:
        if limit == 0:
            if opposite == 0:
                return atan2(1 - correlation, root) / (2 * pi)
            return copysign(0.25, opposite)
        return float(owens_t(limit, (opposite - correlation * limit) / (limit * root)))

    low, high = float(ndtr(h)), float(ndtr(k))
    correction = 0.0 if h * k > 0 or h == k == 0 else 0.5
    return (low + high) / 2 - wedge(h, k) - wedge(k, h) - correction - low * high


def normal_auc_variance(auc: float, positives: float, negatives: float, spread: float = 1.0) -> float:
    """Variance of the AUC of normal scores, exactly; `spread` is the standard deviation of positives over negatives'.

    [A(1 - A) + (n₁ - 1) f(1 / (1 + σ²)) + (n₀ - 1) f(σ² / (1 + σ²))] / (n₁ n₀), where f(ρ) is the excess of
    `joint_normal_excess` at z = Φ⁻¹(A): two positives share a negative, or two negatives a positive.

    >>> round(normal_auc_variance(0.8, 50, 50), 7), round(normal_auc_variance(0.7, 40, 160, 1.5), 7)
    (0.0019123, 0.0027328)
    """
    from scipy.special import ndtri

    z = float(ndtri(min(auc, 1 - auc)))  # the variance of 1 - AUC, of which no digit is lost next to 1
    shared = 1 / (1 + spread * spread)
    of_positives, of_negatives = (
        joint_normal_excess(z, z, correlation) for correlation in (shared, 1 - shared)
    )
    total = auc * (1 - auc) + (positives - 1) * of_positives + (negatives - 1) * of_negatives
    return max(total, 0.0) / (positives * negatives)


def normal_auc_covariance(
    first: float,
    second: float,
    positives: float,
    negatives: float,
    of_positives: float,
    of_negatives: float | None = None,
) -> float:
    """Covariance of two AUCs of normal scores of equal spread on the same cases.

    `of_positives` and `of_negatives` are the correlations of the two scores within each class, the same where one is
    passed. [f((ρ₁ + ρ₀) / 2) + (n₀ - 1) f(ρ₁ / 2) + (n₁ - 1) f(ρ₀ / 2)] / (n₁ n₀), f as in `normal_auc_variance`.

    >>> round(normal_auc_covariance(0.8, 0.85, 240, 240, 0.6), 9)
    0.000185355
    """
    from scipy.special import ndtri

    rho_1, rho_0 = of_positives, of_positives if of_negatives is None else of_negatives
    limits = float(ndtri(first)), float(ndtri(second))
    same_pair = joint_normal_excess(*limits, (rho_1 + rho_0) / 2)
    same_positive = (negatives - 1) * joint_normal_excess(*limits, rho_1 / 2)
    same_negative = (positives - 1) * joint_normal_excess(*limits, rho_0 / 2)
    return (same_pair + same_positive + same_negative) / (positives * negatives)
