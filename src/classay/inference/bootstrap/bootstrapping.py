"""The bootstrap of any statistic of a table, all replicates in one call as a leading axis, and its intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import inf, sqrt
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError
from classay.inference.bootstrap import label_samples, score_samples
from classay.inference.bootstrap.label_samples import LabelledRows, Statistic
from classay.inference.bootstrap.sampling import Sample
from classay.inference.bootstrap.score_samples import ScoredRows
from classay.inference.draws import DRAWS, seed_of, stream
from classay.inference.estimate import Estimate, IntervalResult
from classay.inference.proportions import PLAIN, normal_quantile, scale_of
from classay.measures.registry import Measure
from classay.tables import BinaryCounts, ConfusionMatrix, ScoreTable

Array = NDArray[Any]
How = Literal["percentile", "basic", "BCa", "normal"]

USUAL = 0.95
"""The level at which it is decided which interval the replicates tell, whatever level is asked for."""
MOST_UNDEFINED = 0.05
"""Share of undefined replicates beyond which those left say little of the whole."""


NEAR = 1e-12
"""Replicates closer to the value than this are ties with it, computed in another order; a share of their size."""

OFTEN_AT_END = 0.2
"""Share of replicates at the end of the range beyond which no scale makes them nearly normal."""

MAXIMUM = 1 / (2 ** (2 / 3) - 1)
"""The bias of a maximum over thresholds, in units of its bootstrap bias.

Near the best threshold the curve is a parabola plus a random walk of spread s; the expected maximum grows as
s^(4/3). A resample adds a second walk like the first to it, so its bias is 2^(2/3) b, that is, only (2^(2/3)
- 1) b more than the bias b of the sample (cube-root asymptotics: Kim & Pollard 1990, Annals of Statistics
18:191).
"""


NOISE = 1 / (2**0.5 - 1)
"""The same where no threshold is better than another, as of scores that know nothing: the maximum grows as s."""

MAXIMA = ("kolmogorov_smirnov", "max_f1", "hull_auc")
"""Measures that are a maximum over thresholds, whose bias no resample shows in full."""


@dataclass(frozen=True)
class Shape:
    """What an interval has to know of a statistic.

    `bounds` is its range, `ends` the range whose scale makes it nearly normal, `bias` by how much the
    bootstrap's bias is multiplied to give that of the statistic.
    """

    bounds: tuple[float, float] = (-inf, inf)
    ends: tuple[float, float] = (-inf, inf)
    bias: float = 1.0


def shape_of(statistic: Any) -> Shape:
    """Return the shape of a measure; of any other function nothing is known.

    >>> from classay.measures import kolmogorov_smirnov
    >>> shape_of(kolmogorov_smirnov).ends
    (-1.0, 1.0)
    """
    if not isinstance(statistic, Measure):
        return Shape()
    bias = MAXIMUM if statistic.name in ("kolmogorov_smirnov", "max_f1") else 1.0
    ends = (-1.0, 1.0) if statistic.name == "kolmogorov_smirnov" else statistic.bounds
    return Shape(statistic.bounds, ends, bias)


def interval(
    how: How, values: Array, value: float, level: float, shape: Shape | None = None, acceleration: float = 0.0
) -> IntervalResult:
    """Return the interval a name asks for, from the replicates of a statistic, its value and its shape.

    >>> interval("percentile", np.arange(101), 50, 0.5)
    (25.0, 75.0, 'percentile')
    """
    shape = shape or Shape()
    near = _near(values, value, shape.bounds)
    values, value = _to_ends(values, shape.bounds, near), float(_to_ends(np.array(value), shape.bounds, near))
    undefined = float(np.isnan(values).mean())
    if undefined > MOST_UNDEFINED:
        return f"not defined in {100 * undefined:.2g}% of the resamples"
    values = np.sort(values[~np.isnan(values)])
    if np.isinf(value):
        return "the value is infinite"
    if values[0] == values[-1] or values[-1] - values[0] <= near:
        return "no variation between resamples"
    limits = METHODS[how](values, value, level, shape, acceleration)
    if isinstance(limits, str):
        return limits
    low, high = max(limits[0], shape.bounds[0]), min(limits[1], shape.bounds[1])
    if not high > low:
        return "too little variation between resamples"
    left_out = f", {100 * undefined:.2g}% undefined resamples excluded" if undefined else ""
    return low, high, limits[2] + left_out


def _near(values: Array, value: float, bounds: tuple[float, float]) -> float:
    """The distance below which values are equal: a share of their range, and of their size where that has no end.

    So it does not depend on the unit of what has one.
    """
    finite = np.abs(bounds if np.isfinite(bounds).all() else np.append(values, value))
    return float(NEAR * finite[np.isfinite(finite)].max(initial=0.0))


def _to_ends(values: Array, bounds: tuple[float, float], near: float) -> Array:
    """Values within a range, those next to its ends at them: sums of weights are rounded.

    A perfect ranking of weighted cases has an AUC of 1 or 1 - 1e-16, as its sums happen to round, and on the logit
    scale these lie far apart.
    """
    low, high = bounds
    with np.errstate(invalid="ignore"):  # an end may be infinite
        values = np.where(np.abs(values - low) <= near, low, values)
        return np.clip(np.where(np.abs(high - values) <= near, high, values), low, high)


def bca_levels(bias: float, acceleration: float, level: float) -> tuple[float, float]:
    """Return the shares of replicates below the ends of the BCa interval, from z0 and a (Efron 1987, JASA 82:171).

    >>> low, high = bca_levels(-0.0651939584472, -0.0688247201612, 0.95)
    >>> print(round(low, 6), round(high, 6))
    0.007796 0.946409
    """
    from scipy.special import ndtr

    z, levels = normal_quantile(level), []
    for side in (bias - z, bias + z):
        left = (
            1 - acceleration * side
        )  # beyond 0 the end is the last replicate on its side, which it tends to
        levels.append(float(ndtr(bias + side / left)) if left > 0 else float(side > 0))
    low, high = levels
    return low, high


def median_bias(values: Array, value: float, near: float = 0.0) -> float:
    """z0, the normal quantile of the share of replicates below the value, those as near as `near` counting half."""
    from scipy.special import ndtri

    below = (values < value - near).mean() + ((np.abs(values - value) <= near).mean()) / 2
    return float(ndtri(below))


def _percentile(
    values: Array, value: float, level: float, shape: Shape, acceleration: float
) -> IntervalResult:
    return *ends_of(values, (1 - level) / 2, (1 + level) / 2)[:2], "percentile"


def _basic(values: Array, value: float, level: float, shape: Shape, acceleration: float) -> IntervalResult:
    low, high, _ = ends_of(values, (1 - level) / 2, (1 + level) / 2)
    return 2 * value - high, 2 * value - low, "basic"


def _bca(values: Array, value: float, level: float, shape: Shape, acceleration: float) -> IntervalResult:
    bias = median_bias(values, value, _near(values, value, shape.bounds))
    if np.isinf(bias):
        return "all resamples are on one side of the value"
    if not np.isfinite(acceleration):
        return "the value is not defined or does not change when a case is excluded"
    if (
        abs(acceleration) * (abs(bias) + normal_quantile(USUAL)) >= 1
    ):  # of whatever level, for intervals to be nested
        return "the value depends too much on single cases"
    return *ends_of(values, *bca_levels(bias, acceleration, level))[:2], "BCa"


def _normal(values: Array, value: float, level: float, shape: Shape, acceleration: float) -> IntervalResult:
    """Normal on the scale of the measure, with the spread and the bias that the replicates have there."""
    if value in shape.ends:
        return "the estimate is at the boundary of its range"
    if np.isinf(shape.ends).all():
        scale, used = PLAIN, "normal, bias-corrected"
    else:
        scale = scale_of(shape.ends)
        used = f"normal on the {scale.name} scale, bias-corrected"
    with np.errstate(divide="ignore"):
        moved, centre = scale.to(values), scale.to(value)  # type: ignore[arg-type]
    inside = moved[np.isfinite(moved)]  # type: ignore[index]
    if inside.size < (1 - OFTEN_AT_END) * values.size:
        return (
            f"{100 - 100 * inside.size / values.size:.2g}% of the resamples are at the boundary of the range"
        )
    centre -= shape.bias * (float(inside.mean()) - centre)
    half = normal_quantile(level) * float(inside.std(ddof=1))
    return float(scale.back(centre - half)), float(scale.back(centre + half)), used


METHODS = {"percentile": _percentile, "basic": _basic, "BCa": _bca, "normal": _normal}


class Ends(NamedTuple):
    """Two quantiles of draws, and the Monte-Carlo standard error of each."""

    low: float
    high: float
    noise: tuple[float, float]


def ends_of(values: Array, low: float, high: float) -> Ends:
    """Return the quantiles of draws below which shares `low` and `high` lie.

    The upper one is found as the lower of the negated draws, so that what is negated mirrors its interval to the last
    bit. The noise is half the distance of the order statistics one standard error of the binomial count away.

    >>> ends_of(np.arange(101.0), 0.25, 0.75)[:2]
    (25.0, 75.0)
    """
    (below, of_low), (turned, of_high) = _end(values, low), _end(-values, 1 - high)
    return Ends(below, -turned, (of_low, of_high))


def _end(values: Array, tail: float) -> tuple[float, float]:
    """Return a quantile and its noise; in between two draws only where all are finite."""
    off = sqrt(tail * (1 - tail) / values.size)
    how: Literal["linear", "nearest"] = "linear" if np.isfinite(values).all() else "nearest"
    at = np.quantile(values, [tail, max(tail - off, 0.0), min(tail + off, 1.0)], method=how)
    # a threshold may be infinite in most draws: no distance lies between two of these
    return float(at[0]), 0.0 if at[1] == at[2] else float(at[2] - at[1]) / 2


Table = BinaryCounts | ConfusionMatrix | ScoreTable | LabelledRows | ScoredRows

OF_SCORES: tuple[How, ...] = ("normal", "BCa")
OF_OTHERS: tuple[How, ...] = ("BCa", "normal")
"""The intervals of measures of scores, and of all other statistics: the first that there is.

In simulations (tests/simulations/test_bootstrap_coverage.py) normal intervals on the measure's scale, corrected for
bias, cover best for AUC, average precision, KS, partial AUC, best F1, TPR at an FPR, skills and
Hand-Till; BCa for MCC, kappa and macro F1.
"""


def bootstrap(
    table: Table,
    statistic: Statistic,
    *,
    replicates: int = DRAWS,
    how: How | None = None,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    threads: int | None = None,
) -> Estimate:
    """Return the value of a statistic with its bootstrap interval.

    `table` says what is resampled: the cases of counts, a matrix or a score table; the clusters of a matrix
    whose leading axis they are; the rows, or clusters of rows, of ScoredRows and LabelledRows,
    each keeping its weight. `statistic` is a measure, or a function of a table with a leading axis that gives
    one value for each place on it.

    Resamples keep the number of cases, not that of each true class, which would hide the part of the uncertainty
    that comes from the prevalence. `how` is the interval: "percentile", "basic",
    "BCa" or "normal" (on the measure's own scale, bias-corrected); by
    default normal for measures, and BCa where that has none and for other functions.

    Only the chance of the test cases is in the interval, not that of training. There is none, with the
    reason, when more than 5% of the resamples are undefined, or when they do not differ. The same seed gives
    the same bytes on any number of threads. Statistics of one table see the same resamples, asked for
    alone or together; in score tables of thousands of cases, measures of the order of scores (AUC, average
    precision, KS, ...) see some, and all others see some of their own.

    Raises InputError for a statistic that does not fit the table, or fewer than 100 replicates.

    >>> from classay.measures import f1
    >>> bootstrap(BinaryCounts(60, 10, 40, 890), f1, how="percentile")
    Estimate(0.706 [0.619, 0.780] 95%, percentile, cohort bootstrap of 2,000)
    """
    return bootstrap_all(
        table,
        [statistic],
        replicates=replicates,
        how=how,
        level=level,
        seed=seed,
        threads=threads,
    )[0]


def bootstrap_all(
    table: Table,
    statistics: Sequence[Statistic],
    *,
    replicates: int = DRAWS,
    how: How | None = None,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    threads: int | None = None,
) -> list[Estimate]:
    """Return the values of several statistics with their intervals, from the same resamples; see `bootstrap`.

    >>> from classay.measures import accuracy, matthews_correlation
    >>> matrix = ConfusionMatrix.from_array([[90, 10], [20, 80]], ("a", "b"), rows="true")
    >>> for estimate in bootstrap_all(matrix, [accuracy, matthews_correlation], how="percentile"):
    ...     print(estimate)
    Estimate(0.850 [0.795, 0.895] 95%, percentile, cohort bootstrap of 2,000)
    Estimate(0.704 [0.599, 0.797] 95%, percentile, cohort bootstrap of 2,000)
    """
    if replicates < 100:
        raise InputError(
            "A bootstrap interval needs at least 100 replicates (usually 2,000), but replicates "
            f"is {replicates}."
        )
    if how is not None and how not in METHODS:
        raise InputError(f"Unknown bootstrap interval {how!r}. Intervals: {', '.join(METHODS)}.")
    number = seed_of(seed)
    estimates: dict[int, Estimate] = {}
    for places, sample in _samples(table, statistics):
        observed = sample.value().tolist()
        drawn = sample.replicates(replicates, _stream(number), threads)
        used = f"{'cluster' if sample.clusters else 'cohort'} bootstrap of {replicates:,}"
        skewness = cache(sample.acceleration)
        for i, (place, value) in enumerate(zip(places, observed, strict=True)):
            statistic = statistics[place]
            if np.isnan(value):
                estimates[place] = Estimate.undefined(_why_undefined(statistic, table))
                continue
            limits: IntervalResult = ""
            for method in (how,) if how else usual(statistic):
                a = float(skewness()[i]) if method == "BCa" else 0.0
                at = partial(interval, method, drawn[i], value, shape=shape_of(statistic), acceleration=a)
                limits = at(level)
                # which kind it is does not depend on the level, for intervals to be nested
                if not isinstance(limits if level == USUAL else at(USUAL), str):
                    break
            estimates[place] = (
                Estimate.bare(value, limits)
                if isinstance(limits, str)
                else Estimate(value, limits[0], limits[1], level, f"{limits[2]}, {used}")
            )
    return [estimates[place] for place in range(len(statistics))]


def _stream(seed: int) -> np.random.Generator:
    """Return one stream for all statistics: alone, together or in any order, they see the same resamples."""
    return stream(seed, "cohort bootstrap")


def _samples(table: Table, statistics: Sequence[Statistic]) -> list[tuple[list[int], Sample]]:
    """Samples of the table, each with the places of its statistics.

    Statistics of the order of scores alone are drawn from fewer cells than others, or case by case where others are
    drawn by cells: then they get a sample of their own, so that company changes nothing.
    """
    if not statistics:
        raise InputError("No statistic was passed. Pass at least one measure or function of the table.")
    groups = [list(range(len(statistics)))]
    if isinstance(table, ScoreTable) and score_samples.is_drawn_apart(table):
        by_order = [score_samples.is_of_order(statistic) for statistic in statistics]
        groups = [[i for i, of_order in enumerate(by_order) if of_order is kind] for kind in (True, False)]
    return [(group, _sample(table, [statistics[i] for i in group])) for group in groups if group]


def _sample(table: Table, statistics: Sequence[Statistic]) -> Sample:
    if isinstance(table, BinaryCounts):
        return label_samples.of_counts(table, statistics)
    if isinstance(table, ConfusionMatrix):
        return label_samples.of_matrix(table, statistics)
    if isinstance(table, LabelledRows):
        return label_samples.of_rows(table, statistics)
    if isinstance(table, ScoreTable):
        return score_samples.of_table(table, statistics)
    if isinstance(table, ScoredRows):
        return score_samples.of_rows(table, statistics)
    raise InputError(
        f"{type(table).__name__} cannot be resampled. Pass counts, a matrix, a score table or rows."
    )


def usual(statistic: Statistic) -> tuple[How, ...]:
    """Return the intervals to try, best first.

    >>> from classay.measures import cohen_kappa
    >>> usual(cohen_kappa)
    ('BCa', 'normal')
    """
    of_labels = not isinstance(statistic, Measure) or statistic.is_of_matrix
    return OF_OTHERS if of_labels else OF_SCORES


def _why_undefined(statistic: Statistic, table: Table) -> str:
    known = isinstance(table, BinaryCounts | ConfusionMatrix | ScoreTable)
    reason = statistic.why_undefined(table) if known and isinstance(statistic, Measure) else None
    return reason or "0 / 0"
