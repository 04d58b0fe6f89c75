"""The bootstrap of any statistic of a table: replicates are a leading axis, evaluated all in one call."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError, check_word
from classay.inference.bootstrap import label_samples, score_samples
from classay.inference.bootstrap.label_samples import LabelledRows, Statistic
from classay.inference.bootstrap.limits import METHODS, Found, How, interval, shape_of
from classay.inference.bootstrap.sampling import Sample, Scheme
from classay.inference.bootstrap.score_samples import ScoredRows
from classay.inference.draws import DRAWS, seed_of, stream
from classay.inference.estimate import Estimate
from classay.measures.registry import Measure
from classay.tables import BinaryCounts, ConfusionMatrix, ScoreTable

Array = NDArray[Any]
Table = BinaryCounts | ConfusionMatrix | ScoreTable | LabelledRows | ScoredRows

OF_SCORES: tuple[How, ...] = ("normal", "BCa")
OF_OTHERS: tuple[How, ...] = ("BCa", "normal")
"""The intervals of measures of scores, and of all other statistics: the first that there is.

In simulations (tests/simulations/test_bootstrap_coverage.py) normal intervals on the measure's scale, corrected for
bias, cover best for AUC, average precision, KS, partial AUC, best F1, TPR at an FPR, skills and
Hand-Till; BCa for MCC, kappa and macro F1.
"""

__all__ = ["LabelledRows", "ScoredRows", "bootstrap", "bootstrap_all", "bootstrap_replicates"]


def bootstrap(
    table: Table,
    statistic: Statistic,
    *,
    replicates: int = DRAWS,
    scheme: Scheme = "cohort",
    how: How | None = None,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    threads: int | None = None,
) -> Estimate:
    """The value of a statistic with its bootstrap interval.

    `table` says what is resampled: the cases of counts, a matrix or a score table; the clusters of a matrix
    whose leading axis they are; the rows, or clusters of rows, of ScoredRows and LabelledRows,
    each keeping its weight. `statistic` is a measure, or a function of a table with a leading axis that gives
    one value for each place on it.

    A "cohort" keeps the number of cases; "stratified" keeps that of each true class, and is right only where
    the design fixed it: otherwise it hides the part of the uncertainty that comes from the prevalence. `how`
    is the interval: "percentile", "basic", "BCa" or "normal" (on the measure's own scale, bias-corrected); by
    default normal for measures, and BCa where that has none and for other functions.

    Only the chance of the test cases is in the interval, not that of training. There is none, with the
    reason, when more than 5 % of the resamples are undefined, or when they do not differ. The same seed gives
    the same bytes on any number of threads. Statistics of one table see the same resamples, asked for
    alone or together; in score tables of thousands of cases, measures of the order of scores (AUC, average
    precision, KS, ...) see some, and all others see some of their own.

    Raises InputError for a statistic that does not fit the table, or fewer than 100 replicates.

    >>> from classay.measures import f1
    >>> bootstrap(BinaryCounts(60, 10, 40, 890), f1, how="percentile")
    Estimate(0.706 [0.619, 0.780] 95 %, percentile, cohort bootstrap of 2,000)
    """
    return bootstrap_all(
        table,
        [statistic],
        replicates=replicates,
        scheme=scheme,
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
    scheme: Scheme = "cohort",
    how: How | None = None,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    threads: int | None = None,
) -> list[Estimate]:
    """The values of several statistics with their intervals, from the same resamples; see `bootstrap`.

    >>> from classay.measures import accuracy, matthews_correlation
    >>> matrix = ConfusionMatrix.from_array([[90, 10], [20, 80]], ("a", "b"), rows="true")
    >>> for each in bootstrap_all(matrix, [accuracy, matthews_correlation], how="percentile"):
    ...     print(each)
    Estimate(0.850 [0.795, 0.895] 95 %, percentile, cohort bootstrap of 2,000)
    Estimate(0.704 [0.599, 0.797] 95 %, percentile, cohort bootstrap of 2,000)
    """
    if replicates < 100:
        raise InputError(f"{replicates} replicates show no interval: ask for 100 at least, 2,000 are usual.")
    if how is not None and how not in METHODS:
        raise InputError(f"no bootstrap interval is named {how!r}: pass one of {', '.join(METHODS)}.")
    number = seed_of(seed)
    estimates: dict[int, Estimate] = {}
    for places, sample in _samples(table, statistics, scheme):
        observed = sample.value().tolist()
        drawn = sample.replicates(replicates, _stream(number, scheme), threads)
        used = f"{'cluster' if sample.clusters else scheme} bootstrap of {replicates:,}"
        skewness = cache(sample.acceleration)
        for i, (place, value) in enumerate(zip(places, observed, strict=True)):
            statistic = statistics[place]
            if np.isnan(value):
                estimates[place] = Estimate.undefined(_why_undefined(statistic, table))
                continue
            found: Found = ""
            for each in (how,) if how else usual(statistic):
                a = float(skewness()[i]) if each == "BCa" else 0.0
                found = interval(each, drawn[i], value, level, shape_of(statistic), a)
                if not isinstance(found, str):
                    break
            estimates[place] = (
                Estimate.bare(value, found)
                if isinstance(found, str)
                else Estimate(value, found[0], found[1], level, f"{found[2]}, {used}")
            )
    return [estimates[place] for place in range(len(statistics))]


def bootstrap_replicates(
    table: Table,
    statistics: Sequence[Statistic],
    *,
    replicates: int = DRAWS,
    scheme: Scheme = "cohort",
    seed: int | np.random.Generator = 0,
    threads: int | None = None,
) -> Array:
    """The statistics of every resample themselves, `[statistic, replicate]`; see `bootstrap`.

    >>> from classay.measures import accuracy
    >>> matrix = ConfusionMatrix.from_array([[90, 10], [20, 80]], ("a", "b"), rows="true")
    >>> bootstrap_replicates(matrix, [accuracy], replicates=500).shape
    (1, 500)
    """
    number = seed_of(seed)
    values = np.empty((len(statistics), replicates))
    for places, sample in _samples(table, statistics, scheme):
        values[places] = sample.replicates(replicates, _stream(number, scheme), threads)
    return values


def _stream(seed: int, scheme: Scheme) -> np.random.Generator:
    """One stream for all statistics: alone, together or in any order, they see the same resamples."""
    return stream(seed, f"{scheme} bootstrap")


def _samples(table: Table, statistics: Sequence[Statistic], scheme: Scheme) -> list[tuple[list[int], Sample]]:
    """Samples of the table, each with the places of its statistics.

    Statistics of the order of scores alone are drawn from fewer cells than others, where that pays: then they
    get a sample of their own, so that company changes nothing.
    """
    check_word("scheme", scheme, get_args(Scheme))
    if not statistics:
        raise InputError("no statistic was given: pass at least one measure or function of the table.")
    if scheme not in ("cohort", "stratified"):
        raise InputError(f"no scheme is named {scheme!r}: pass 'cohort' or 'stratified'.")
    groups = [list(range(len(statistics)))]
    if isinstance(table, ScoreTable) and score_samples.joining_pays(table):
        by_order = [score_samples.is_of_order(each) for each in statistics]
        groups = [[i for i, each in enumerate(by_order) if each is kind] for kind in (True, False)]
    return [(group, _sample(table, [statistics[i] for i in group], scheme)) for group in groups if group]


def _sample(table: Table, statistics: Sequence[Statistic], scheme: Scheme) -> Sample:
    if isinstance(table, BinaryCounts):
        return label_samples.of_counts(table, statistics, scheme)
    if isinstance(table, ConfusionMatrix):
        return label_samples.of_matrix(table, statistics, scheme)
    if isinstance(table, LabelledRows):
        return label_samples.of_rows(table, statistics, scheme)
    if isinstance(table, ScoreTable):
        return score_samples.of_table(table, statistics, scheme)
    if isinstance(table, ScoredRows):
        return score_samples.of_rows(table, statistics, scheme)
    raise InputError(
        f"{type(table).__name__} cannot be resampled: pass counts, a matrix, a score table or rows."
    )


def usual(statistic: Statistic) -> tuple[How, ...]:
    """The intervals to try, best first.

    >>> from classay.measures import cohen_kappa
    >>> usual(cohen_kappa)
    ('BCa', 'normal')
    """
    of_labels = not isinstance(statistic, Measure) or statistic.needs in ("counts", "margins", "matrix")
    return OF_OTHERS if of_labels else OF_SCORES


def _why_undefined(statistic: Statistic, table: Table) -> str:
    known = isinstance(table, BinaryCounts | ConfusionMatrix | ScoreTable)
    reason = statistic.why_undefined(table) if known and isinstance(statistic, Measure) else None
    return reason or "0 / 0"
