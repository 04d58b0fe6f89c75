"""Power and sample size of tests of AUCs, before there are any data."""

from __future__ import annotations

from math import exp, sqrt

from classay.errors import InputError
from classay.inference.proportions.binomial import normal_quantile
from classay.inference.sample_size import (
    USUAL_POWER,
    SampleSize,
    either,
    positives_among,
    refuse_power,
    whole,
)
from classay.kinds import checked

METHOD = "Obuchowski"


def obuchowski_variance_of_design(auc: float, negatives_per_positive: float) -> float:
    """Variance of the AUC times the number of positives, of normal scores with equal spread.

    0.0099 exp(-A² / 2) ((5 A² + 8) + (A² + 8) / k) with A = 1.414 · Φ⁻¹(AUC) and k negatives a positive. Obuchowski
    2004, Clinical Chemistry 50:1118.

    >>> round(obuchowski_variance_of_design(0.8, 1), 4)
    0.1195
    """
    from scipy.special import ndtri

    a = 1.414 * float(ndtri(auc))
    return 0.0099 * exp(-a * a / 2) * (5 * a * a + 8 + (a * a + 8) / negatives_per_positive)


def positives_needed(
    apart: float, variance: float, variance_if_equal: float, power: float, level: float
) -> float:
    """Positives, not rounded, at which a two-sided z test of a difference has this power.

    (z_α/2 sqrt(V₀) + z_β sqrt(V))² / d², where V / positives is the variance of the difference d, and V₀ /
    positives that if there is none. Obuchowski & McClish 1997, Statistics in Medicine 16:1529.

    >>> round(positives_needed(0.1, 0.2, 0.2, 0.8, 0.95), 1)
    157.0
    """
    from scipy.special import ndtri

    root = normal_quantile(level) * sqrt(variance_if_equal) + float(ndtri(power)) * sqrt(variance)
    return (root / apart) * (root / apart)  # a power of floats raises where a product is infinite


@checked
def auc_difference_power(
    first: float,
    second: float,
    positives: int,
    negatives: int,
    correlation: float | None = None,
    *,
    level: float = 0.95,
) -> float:
    """Power of the test that tells two AUCs apart, on so many positives and negatives; see `for_auc_difference`.

    >>> round(auc_difference_power(0.80, 0.85, 300, 300, 0.5), 3)
    0.716
    """
    from scipy.special import ndtr

    _refuse_correlation(correlation)
    if not (positives > 0 and negatives > 0):
        raise InputError(f"positives is {positives!r}, negatives {negatives!r}: pass some of each.")
    variance, if_equal = _variances(first, second, correlation, negatives / positives)
    apart = abs(first - second)
    return float(ndtr((apart * sqrt(positives) - normal_quantile(level) * sqrt(if_equal)) / sqrt(variance)))


@checked
def for_auc_difference(
    first: float,
    second: float,
    correlation: float | None = None,
    prevalence: float = 0.5,
    power: float | None = None,
    *,
    cases: int | None = None,
    level: float = 0.95,
) -> SampleSize:
    """Cases on which two AUCs are told apart with this power, 0.8; or the power on so many cases.

    Of classifiers on the same cases `correlation` is that of the two estimated AUCs, often 0.3 to 0.7; None means that
    each has a test set of its own, and the cases are those of each. The variance if there is no difference is taken at
    the first AUC, that of the classifier in use. Raises InputError for AUCs that are equal, or not between 0 and 1, for
    a correlation outside [-1, 1), for cases all of one class, and where both power and cases are passed. Obuchowski &
    McClish 1997, Statistics in Medicine 16:1529.

    >>> for_auc_difference(0.80, 0.85, 0.5).cases, for_auc_difference(0.80, 0.85).cases
    (732, 1460)
    >>> round(for_auc_difference(0.80, 0.85, 0.5, cases=600).reached, 3)
    0.716
    """
    _refuse_correlation(correlation)
    if first == second:
        raise InputError(f"both AUCs are {first!r}: pass the difference that the test should find.")
    ratio = (1 - prevalence) / prevalence
    variance, if_equal = _variances(first, second, correlation, ratio)

    def least(wanted: float) -> int:
        refuse_power(wanted, level)
        needed = whole(positives_needed(abs(first - second), variance, if_equal, wanted, level) - 1e-9)
        return max(whole(needed / prevalence - 1e-9), needed + 1)

    n = either(USUAL_POWER if power is None is cases else power, "power", cases, least)
    positives = positives_among(n, prevalence)
    drawn = "each on its own cases" if correlation is None else f"same cases, correlation {correlation:g}"
    reached = auc_difference_power(first, second, positives, n - positives, correlation, level=level)
    return SampleSize(n, positives, n - positives, "power", reached, f"{METHOD}, {drawn}", level)


def _refuse_correlation(correlation: float | None) -> None:
    if correlation is not None and not -1 <= correlation < 1:
        raise InputError(f"correlation is {correlation!r}: pass one from -1 to below 1, or none.")


def _variances(
    first: float, second: float, correlation: float | None, negatives_per_positive: float
) -> tuple[float, float]:
    """Variance of the difference times the positives, and the same if both AUCs were the first."""
    a, b = (obuchowski_variance_of_design(each, negatives_per_positive) for each in (first, second))
    together = correlation or 0.0
    return a + b - 2 * together * sqrt(a * b), 2 * a * (1 - together)
