"""Intervals and tests of calibration."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite, isinf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError
from classay.inference.estimate import Found
from classay.inference.proportions.binomial import clopper_pearson, normal_quantile
from classay.inference.registry import ANYHOW, ON_REQUEST, SCORES, interval, refuse
from classay.inference.sampling_units import Units
from classay.inference.scales import exp
from classay.inference.scores.influence import INFLUENCES
from classay.inference.scores.linearised import linearised
from classay.measures.calibration.binned import effective_cases
from classay.measures.calibration.recalibration import certain_cases, cox_recalibration, offset_recalibration
from classay.measures.calibration.sums import cumulative_extremes, expected_positives, spiegelhalter_sums
from classay.measures.registry import Measure
from classay.tables import ScoreTable

Array = NDArray[Any]


RECALIBRATION = ("calibration_slope", "calibration_intercept", "calibration_in_the_large")


def _without_certain(found: Found, table: ScoreTable, units: Units) -> Found:
    """With how many cases of probability 0 or 1 are left out; of weighted ones, which share of the weight."""
    left_out = certain_cases(table)
    if isinstance(found, str) or left_out <= 1e-12 * units.total:
        return found
    if table.is_weighted:  # a share, because weights have no scale
        what = f"{100 * left_out / units.total:.3g} % of the weight,"
    else:
        what = f"{left_out:,.6g} {'case' if left_out == 1 else 'cases'}"
    return *found[:2], f"{found[2]}, without {what} of probability 0 or 1"


def _in_doubt(table: ScoreTable) -> ScoreTable:
    """The table without the scores of exactly 0 and 1."""
    kept = (table.scores > 0) & (table.scores < 1)
    if kept.all():
        return table
    columns = ("scores", "positives", "negatives", "positive_squares", "negative_squares")
    parts = {name: getattr(table, name) for name in columns}
    return ScoreTable(**{name: each[kept] for name, each in parts.items() if each is not None})


@interval(
    "sandwich",
    of=RECALIBRATION,
    tables=SCORES,
    drawn=ANYHOW,
    references=("cox1958", "white1982", "satterthwaite1946"),
)
def recalibration(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """value ± t · se by the influence of the cases, which needs no logistic model to be right.

    The information matrix (`wald`) takes the recalibrated probabilities for the right ones. Where they are not, it
    covers too little: 80 to 84 % of the slope of heavy-tailed scores, and of calibration in the large where the slope
    is 2. (White 1982, Econometrica 50:1.)
    """
    if not isfinite(value):
        return "it is infinite"
    if units.rows is None:  # in clusters, those of certain cases alone are units too
        units = replace(units, table=_in_doubt(units.table))
    spread = units.spread(*INFLUENCES[measure.name](units.table, value))
    if not spread.variance > 0:
        return "the estimated variance is zero"
    half = spread.half(level)
    how = "" if units.how == "influence" else f"{units.how}, "
    return _without_certain((value - half, value + half, f"{how}sandwich, t"), table, units)


@interval("Wald", of=RECALIBRATION, tables=SCORES, when=ON_REQUEST, references=("cox1958",))
def wald(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """value ± z · se by the information matrix, as logistic regression has it."""
    large = measure.name == "calibration_in_the_large"
    fit = offset_recalibration(table) if large else cox_recalibration(table)
    variance = fit.slope_variance if measure.name == "calibration_slope" else fit.intercept_variance
    if not variance > 0:
        return "the estimated variance is zero"
    half = normal_quantile(level) * float(np.sqrt(variance))
    return _without_certain((value - half, value + half, "Wald"), table, units)


@interval("log", of=("observed_expected_ratio",), tables=SCORES, drawn=ANYHOW, references=("cochran1977",))
def observed_expected(measure: Measure, table: ScoreTable, value: float, units: Units, level: float) -> Found:
    """On the log scale, by the variance of a ratio of two means of the same cases.

    With O positives, R = O/E and E = sum p: var(log R) = sum (y - R p)² / O². (Cochran 1977, Sampling
    Techniques, 3rd ed., section 6.3.) Without positives, from 0 to the exact bound of the prevalence over the
    mean probability.
    """
    n = float(table.n_positive + table.n_negative)
    expected = float(expected_positives(table))
    if expected == 0:
        return "every probability is 0"
    if isinf(value):
        return "it is infinite: every probability is next to 0"
    if value == 0:
        cases = min(units.number, float(effective_cases(table)))
        return (
            0.0,
            float(clopper_pearson(0, cases, level)[1]) * n / expected,
            "Clopper-Pearson on the prevalence",
        )
    if units.rows is not None or units.by_class:
        return linearised(measure, table, value, units, level)
    variance = ratio_variance(units.table, value)
    if not variance > 0:
        return "the estimated variance is zero"
    half = normal_quantile(level) * float(np.sqrt(variance))
    return value * float(exp(-half)), value * float(exp(half)), "log, linearised"


def ratio_variance(table: ScoreTable, value: float) -> float:
    """Variance of the logarithm of the observed/expected ratio, linearised; sampling weights as they are."""
    plus = table.positives if table.positive_squares is None else table.positive_squares
    minus = table.negatives if table.negative_squares is None else table.negative_squares
    p = value * table.scores.astype(np.float64)
    return float((plus * (1 - p) ** 2 + minus * p**2).sum()) / float(table.n_positive) ** 2


refuse(("expected_calibration_error_null",), "it is what chance alone would give, and no estimate")
refuse(("spiegelhalter_z",), "it is a test statistic: see its p-value")


class CalibrationTest(NamedTuple):
    """A test of whether the probabilities are right: statistic, two-sided p-value, how it was found."""

    statistic: float
    p_value: float
    method: str


def spiegelhalter(table: ScoreTable) -> CalibrationTest:
    """Spiegelhalter's test: z against the standard normal, two-sided.

    z in (-inf, inf), p in [0, 1]; both NaN when every probability is 0, 1/2 or 1, or the scores are no
    probabilities. Spiegelhalter 1986, Statistics in Medicine 5:421.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> test = spiegelhalter(table)
    >>> round(test.statistic, 4), round(test.p_value, 4)
    (1.2326, 0.2177)
    """
    from scipy.special import ndtr

    total, variance = (
        (float(each) for each in spiegelhalter_sums(table)) if table.are_probabilities else (0.0, 0.0)
    )
    z = total / variance**0.5 if variance > 0 else float("nan")
    return CalibrationTest(z, float(2 * ndtr(-abs(z))), "Spiegelhalter z")


def cumulative_test(table: ScoreTable) -> CalibrationTest:
    """Test of the greatest cumulative calibration error against the maximum of Brownian motion.

    Statistic max |sum (y - p)| / sqrt(sum p (1 - p)); P(max |B| > x) = 1 - 4/π sum (-1)^k / (2k + 1) ·
    exp(-(2k + 1)² π² / (8 x²)). No bins. NaN when every probability is 0 or 1, or the scores are no
    probabilities. Arrieta-Ibarra, Gujral, Tannen, Tygert & Xu 2022, JMLR 23(351).

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False]))
    >>> test = cumulative_test(table)
    >>> round(test.statistic, 4), round(test.p_value, 4)
    (0.635, 0.9403)
    """
    sigma = _walk_deviation(table)
    low, high = cumulative_extremes(table.scores, table.positives, table.negatives)
    statistic = max(-float(low), float(high)) / sigma if sigma > 0 else float("nan")
    return CalibrationTest(statistic, brownian_exceedance(statistic), "cumulative calibration error")


def _walk_deviation(table: ScoreTable) -> float:
    if not table.are_probabilities:
        return 0.0
    p = table.scores.astype(np.float64)
    weight = table.positives + table.negatives
    if table.positive_squares is not None and table.negative_squares is not None:
        weight = table.positive_squares + table.negative_squares
    return float(np.sqrt((weight * p * (1 - p)).sum()))


def brownian_exceedance(x: float) -> float:
    """P(max |B(t)| > x over t in [0, 1]) of Brownian motion B.

    >>> round(brownian_exceedance(2.2414), 4)
    0.05
    """
    if not x > 0:
        return 1.0 if x == 0 else float("nan")
    k = 2 * np.arange(50) + 1
    if x < 1:
        return float(
            1 - 4 / np.pi * ((-1.0) ** np.arange(50) / k * np.exp(-((k * np.pi / x) ** 2) / 8)).sum()
        )
    from scipy.special import ndtr

    # by reflections, exact in the far tail too: 4 sum (-1)^j P(B(1) > (2j + 1) x)
    return float(min(1.0, 4 * ((-1.0) ** np.arange(50) * ndtr(-k * x)).sum()))


class HosmerLemeshow(NamedTuple):
    """The Hosmer-Lemeshow test: chi-squared, its degrees of freedom and p-value."""

    statistic: float
    degrees: int
    p_value: float


def hosmer_lemeshow(table: ScoreTable, groups: int = 10, *, fitted: int = 0) -> HosmerLemeshow:
    """Chi-squared over groups of equal size: the sum of (O - E)² / (E (1 - E / n_g)).

    Only for compatibility: it depends on the groups, has little power, and rejects every model when n is
    large. `fitted` is 2 for the data that a model was fitted to, 0 for others: groups - fitted degrees of
    freedom. Cases that share a score on a border are shared out to both groups in proportion. Raises
    InputError for sampling weights, fewer than two groups, or scores that are no probabilities. Hosmer &
    Lemeshow 1980, Comm. Statistics A 9:1043.

    >>> score, truth = np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False])
    >>> test = hosmer_lemeshow(ScoreTable.from_rows(score, truth), groups=2)
    >>> round(test.statistic, 4), test.degrees, round(test.p_value, 4)
    (2.5882, 2, 0.2741)
    """
    if table.is_weighted:
        raise InputError("the Hosmer-Lemeshow test is for cases that count alike, not for sampling weights.")
    if not table.are_probabilities or groups < 2 or not 0 <= fitted < groups:
        raise InputError(
            f"groups is {groups!r}, fitted {fitted!r}: pass probabilities, two groups or more, fewer fitted."
        )
    from scipy.special import chdtrc

    weight = (table.positives + table.negatives)[::-1]
    up_to = np.concatenate([[0], np.cumsum(weight)])
    cuts = np.arange(groups + 1) * (up_to[-1] / groups)

    def between(each: Array) -> Array:
        return np.diff(np.interp(cuts, up_to, np.concatenate([[0], np.cumsum(each)])))

    n, observed = between(weight), between(table.positives[::-1])
    expected = between(weight * table.scores[::-1].astype(np.float64))
    spread = expected * (1 - expected / n)
    off = (observed - expected) ** 2
    statistic = float(np.divide(off, spread, out=np.where(off > 1e-24, np.inf, 0.0), where=spread > 0).sum())
    return HosmerLemeshow(statistic, groups - fitted, float(chdtrc(groups - fitted, statistic)))
