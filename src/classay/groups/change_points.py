"""A change of a measure at some period: the largest contrast of means before and after, and what chance gives."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment.assessment import Assessment
from classay.assessment.main_measures import resting_on, too_few
from classay.inference.draws import stream
from classay.inference.estimate import (
    Estimate,
    format_distinct,
    level_text,
    signed,
)
from classay.inference.proportions import normal_quantile
from classay.kinds import FiniteOrNone, TypedFields
from classay.measures import Measure
from classay.tables.sums import is_rounding

Array = NDArray[Any]

FEWEST = 3
"""Periods below which there is nothing to find: of two, their difference says all."""
DRAWS = 9_999
"""Draws of the largest contrast where nothing changed."""
CELLS = 2_000_000
"""Values that are drawn at once."""
PLENTY = 100
"""Hits and misses of a period, expected, from which shares are drawn as normal variables."""
MOST_PERMUTED = 10**9
"""Cases from which hits are no longer dealt out to periods one by one."""
EDGE = 1e-9
"""What two equal contrasts may differ by, for rounding."""


@dataclass(frozen=True, eq=False)
class LargestContrast(FiniteOrNone, TypedFields):
    """One measure on both sides of the contrast that is largest beside its error, of all that were looked at.

    Of a break, `at` is the first period behind it and `last` the last one before that has a value, `before` and `after`
    are the means of both sides, weighted by the cases they rest on; of the period that differs most, `at` is this
    period, and `before` the mean of the others. The limits of `difference`, after minus before, hold for all contrasts
    together, so that the choice is paid for; `p` is the chance of a contrast as large if nothing changes, NaN where
    there is none.
    """

    at: Hashable | None
    before: float
    after: float
    difference: Estimate
    statistic: float
    p: float
    last: Hashable | None = None

    @property
    def between(self) -> str:
        """Where a break is: periods without a value are passed over."""
        return f"between {self.last} and {self.at}"

    @property
    def said(self) -> str:
        """All periods of both sides together, and the limits of their difference."""
        before, after = format_distinct(self.before, self.after)
        value, low, high = signed(self.difference)
        ends = f"simultaneous {level_text(self.difference.level)} {low} to {high}"
        return f"from {before} (before {self.at}) to {after} (from {self.at}; difference {value}, {ends})"

    @classmethod
    def undefined(cls, reason: str) -> LargestContrast:
        """Return where nothing can be found, with the reason."""
        nan = float("nan")
        return cls(None, nan, nan, Estimate.undefined(reason), nan, nan)


@dataclass(frozen=True, eq=False)
class Series:
    """The values of periods in their order, the cases that each rests on, and the variance of a value times its cases.

    `hits` are those of a proportion of independent cases that count alike; they can be dealt out over the periods
    again.
    """

    names: tuple[Hashable, ...]
    values: Array
    cases: Array
    variance: float
    hits: Array | None = None

    @classmethod
    def of(
        cls,
        measure: Measure,
        periods: Sequence[tuple[Hashable, Assessment]],
        estimates: Sequence[Estimate],
        pooled: Callable[[Measure], tuple[Estimate, float]],
    ) -> Series | str:
        """Return the series of a measure whose estimates were found, or why there is none.

        Under the hypothesis that nothing changes, the variance differs between periods only by their numbers of cases.
        For a proportion p of all cases it is p (1 - p), else what the interval of all cases together implies. `pooled`
        gives this estimate, and the cases that it rests on.
        """
        if (shares := _shares(measure, periods)) is not None:
            hits, of = shares
            kept = of > 0
            if kept.sum() < FEWEST:
                return _too_few(int(kept.sum()))
            hits, of = hits[kept], of[kept]
            p = hits.sum() / of.sum()
            names = tuple(name for (name, _), has_cases in zip(periods, kept, strict=True) if has_cases)
            return cls(names, hits / of, of, float(p * (1 - p)), hits)
        known = [
            (name, estimate.value, resting_on(measure, a))
            for (name, a), estimate in zip(periods, estimates, strict=True)
            if estimate.has_interval and not too_few(measure, a, "")
        ]
        if len(known) < FEWEST:
            return _too_few(len(known))
        together, cases = pooled(measure)
        if not together.has_interval:
            return f"of all periods together: {together.reason}"
        error = (together.high - together.low) / (2 * normal_quantile(together.level or 0.95))
        names, values, period_cases = zip(*known, strict=True)
        return cls(names, np.array(values), np.array(period_cases, np.float64), error**2 * cases)


def _too_few(periods: int) -> str:
    return f"only {periods} periods have enough cases, but a change point needs {FEWEST}"


def _shares(measure: Measure, periods: Sequence[tuple[Hashable, Assessment]]) -> tuple[Array, Array] | None:
    """Hits and cases of each period, of a proportion of independent cases that count alike."""
    if measure.parts is None or any(
        a.kind_of_weight == "sampling" or a.coded is not None for _, a in periods
    ):
        return None
    counts = []
    for _, a in periods:
        table = a.table(measure)
        if isinstance(table, str):
            return None
        counts.append([float(count) for count in measure.parts(*measure.read((table,)))])
    hits, of = np.array(counts).T
    is_counted = np.array_equal(hits, hits.round()) and np.array_equal(of, of.round())
    return (hits, of) if is_counted else None


def changes_of(
    series: Series | str, name: str, *, level: float, seed: int, reach: float = np.inf
) -> tuple[LargestContrast, LargestContrast]:
    """Return the break and the period that differs most, of a series; `name` is that of its random stream.

    Of the splits into early and late periods, and of the periods against all others, the largest contrast beside its
    standard error, with the variance that holds if nothing changed. Its distribution then is drawn: the hits of a
    proportion dealt out over the periods anew, with the cases of each (multivariate hypergeometric), where fewer than
    100 of them are expected in a period; else normal values. `reach` is the largest difference that the measure can
    have. Hawkins 1977, JASA 72:180 (one shift of a normal mean); the draws are a Monte-Carlo test (Barnard 1963).

    >>> hits = np.array([360, 364, 356, 368, 360, 344, 340, 348, 344, 336, 348, 340.0])
    >>> of, p = np.full(12, 400.0), hits.sum() / 4800
    >>> shift = changes_of(Series(tuple(range(12)), hits / of, of, p * (1 - p), hits), "", level=0.95, seed=0)[0]
    >>> shift.at, round(shift.statistic, 3), shift.p
    (5, 4.867, 0.0001)
    """
    if isinstance(series, str):
        return LargestContrast.undefined(series), LargestContrast.undefined(series)
    x, m, names = series.values, series.cases, series.names
    if series.variance <= 0 or is_rounding(float(np.ptp(x)), float(np.abs(x).max())):
        why = "all periods have the same value"
        return LargestContrast.undefined(why), LargestContrast.undefined(why)
    scale = series.variance**0.5
    largest = [np.abs(contrast).max(-1) / scale for contrast in contrasts(x, m)]
    null = _null_of(series, name, seed)
    (early, late), (others, single) = sides(x, m)
    errors = errors_of(m)
    picked = []
    for at, before, after, error, top, draws in (
        (1, early, late, errors[0], largest[0], null[0]),
        (0, others, single, errors[1], largest[1], null[1]),
    ):
        k = int(np.abs((after - before) / error).argmax())
        value = float(after[k] - before[k])
        half = float(np.quantile(draws, level, method="higher") * scale * error[k])
        method = "largest contrast, for all together"
        difference = Estimate(value, max(value - half, -reach), min(value + half, reach), level, method)
        p = (1 + int((draws >= top - EDGE).sum())) / (1 + draws.size)
        sides_of = float(before[k]), float(after[k])
        last = names[k] if at else None
        picked.append(LargestContrast(names[k + at], *sides_of, difference, float(top), p, last))
    return picked[0], picked[1]


def sides(x: Array, m: Array) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """The means before and behind each split, and of all others and of each period: weighted by cases, `[..., k]`."""
    sums, cases = np.cumsum(m * x, -1), np.cumsum(m)
    total, all_cases = sums[..., -1:], cases[-1]
    split = sums[..., :-1] / cases[:-1], (total - sums[..., :-1]) / (all_cases - cases[:-1])
    return split, ((total - m * x) / (all_cases - m), x)


def errors_of(m: Array) -> tuple[Array, Array]:
    """Return the standard errors of the differences of `sides`, with a variance of 1 a case."""
    cases = np.cumsum(m)
    rest = cases[-1] - cases[:-1]
    return np.sqrt(1 / cases[:-1] + 1 / rest), np.sqrt(1 / m + 1 / (cases[-1] - m))


def contrasts(x: Array, m: Array) -> tuple[Array, Array]:
    """Return the differences of `sides` beside their standard errors with a variance of 1 a case, `[..., k]`.

    >>> splits, singles = contrasts(np.array([0.0, 0.0, 1.0, 1.0]), np.full(4, 50.0))
    >>> splits.round(3).tolist()
    [4.082, 7.071, 4.082]
    """
    (early, late), (others, single) = sides(x, m)
    of_split, of_single = errors_of(m)
    return (late - early) / of_split, (single - others) / of_single


def _null_of(series: Series, name: str, seed: int) -> tuple[Array, Array]:
    """Return the largest contrasts if nothing changes, of splits and of single periods, `(draws,)` each."""
    m, hits = series.cases, series.hits
    p = None if hits is None else hits.sum() / m.sum()
    if p is None or min(p, 1 - p) * m.min() >= PLENTY or m.sum() >= MOST_PERMUTED:
        return _normal_null(tuple(m / m.max()), seed)
    assert hits is not None
    draws = _draws(m.size)
    cases, all_hits = m.astype(np.int64), int(hits.sum())
    rng, scale = stream(seed, f"breaks in {name}"), series.variance**0.5
    maxima: list[list[Array]] = [[], []]
    for count in blocks(draws, m.size):
        dealt = rng.multivariate_hypergeometric(cases, all_hits, size=count)
        for kept, contrast in zip(maxima, contrasts(dealt / m, m), strict=True):
            kept.append(np.abs(contrast).max(-1) / scale)
    return np.concatenate(maxima[0]), np.concatenate(maxima[1])


@lru_cache(maxsize=32)
def _normal_null(shares: tuple[float, ...], seed: int) -> tuple[Array, Array]:
    """Return the same of normal values, whose distribution depends only on the numbers of cases in the periods."""
    m = np.array(shares)
    rng = stream(seed, "breaks")
    maxima: list[list[Array]] = [[], []]
    for count in blocks(_draws(m.size), m.size):
        values = rng.standard_normal((count, m.size)) / np.sqrt(m)
        for kept, contrast in zip(maxima, contrasts(values, m), strict=True):
            kept.append(np.abs(contrast).max(-1))
    return np.concatenate(maxima[0]), np.concatenate(maxima[1])


def _draws(periods: int) -> int:
    """Return how many draws: fewer of very many periods, which are slow and settle no more."""
    return max(999, min(DRAWS, 10 * CELLS // periods))


def blocks(draws: int, periods: int) -> Iterator[int]:
    """Yield how many draws are made at once."""
    step = max(1, CELLS // periods)
    for start in range(0, draws, step):
        yield min(step, draws - start)
