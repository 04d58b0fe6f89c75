"""Estimates of one run: the mean grade, pass@k and pass^k, how answers vary, and what more data would bring."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.comparison.cases.graded import Better, Grades
from classay.errors import InputError
from classay.inference.bounded_means import mean_between
from classay.inference.design import Design, VarianceEstimate, student_quantile
from classay.inference.estimate import Estimate
from classay.kinds import TypedFields
from classay.texts import hint

Array = NDArray[Any]
NO_PASSES = "pass@k needs grades that pass or fail, such as 0 and 1"
ONE_ANSWER = "every case has one answer"


@dataclass(frozen=True)
class PassRate(TypedFields):
    """How often k answers to a case pass, over the cases with at least k answers.

    Attributes
    ----------
    k : int
        The number of answers.
    any_passes : Estimate
        pass@k, the probability that at least one of k answers passes.
    all_pass : Estimate
        pass^k, the probability that all k answers pass.
    n_cases : int
        The cases with at least k answers.
    """

    k: int
    any_passes: Estimate
    all_pass: Estimate
    n_cases: int


@dataclass(frozen=True)
class ExpectedError(TypedFields):
    """The standard error of the mean that more cases or more answers to each case would bring.

    Attributes
    ----------
    cases : int
        Factor of the number of cases.
    answers : int
        Factor of the number of answers to a case.
    error : float
        Expected standard error of the mean.
    half_width : float
        Expected half of the width of a t interval.
    """

    cases: int
    answers: int
    error: float
    half_width: float


@dataclass(frozen=True, eq=False)
class Answers:
    """The grades of one run that count, with the number of the case and of the cluster of each."""

    name: str
    grade: str
    values: Array
    case: Array
    cluster: Array
    bounds: tuple[float, float] | None
    better: Better
    level: float

    @cached_property
    def n_of_case(self) -> Array:
        """How many answers each case has."""
        return np.bincount(self.case)

    @cached_property
    def cluster_of_case(self) -> Array:
        """The cluster of each case."""
        clusters = np.empty(self.n_of_case.size, np.int64)
        clusters[self.case] = self.cluster
        return clusters

    @cached_property
    def design(self) -> Design:
        """How the answers were drawn."""
        return Design.of_rows(self.values.size, cluster=dependent(self.cluster))

    @cached_property
    def mean(self) -> Estimate:
        """The mean over all answers.

        Between bounds, the values are the means of cases, and the further value at the farther bound is a whole case:
        answers to a case may fail together.
        """
        if self.bounds is None or dependent(self.cluster) is None:
            return self._mean(self.values, self.cluster, self.bounds)
        of_cases = np.bincount(self.case, self.values) / self.n_of_case
        weight = None if self.n_of_case.min() == self.n_of_case.max() else self.n_of_case.astype(float)
        design = Design.of_rows(of_cases.size, weight=weight, cluster=dependent(self.cluster_of_case))
        low, high, method = mean_between(of_cases, self.bounds, design, self.spread, self.level)
        return Estimate(float(self.values.mean()), low, high, self.level, f"clusters, {method}")

    @cached_property
    def spread(self) -> VarianceEstimate:
        """The variance of the mean over clusters."""
        return self.design.spread((self.values - self.values.mean()) / self.values.size, degrees="units")

    @property
    def error(self) -> float:
        """The standard error of the mean, NaN of one cluster."""
        return sqrt(self.spread.variance)

    def _mean(self, values: Array, cluster: Array, bounds: tuple[float, float] | None) -> Estimate:
        """Return a mean with its interval."""
        sign = 1 if self.better == "higher" else -1
        columns = Grades({self.name: values}, None, None, dependent(cluster), self.grade, sign, bounds)
        return columns.joint()[1](self.name, self.level)

    def of_cases(self, values: Array, has: Array) -> Estimate:
        """Return the mean of shares of cases, of those cases that have one."""
        return self._mean(values[has], self.cluster_of_case[has], (0.0, 1.0))

    @cached_property
    def passed(self) -> Array | None:
        """How many answers to each case pass; None where grades do not pass or fail."""
        if self.bounds is None or not np.isin(self.values, self.bounds).all():
            return None
        best = self.bounds[self.better == "higher"]
        return np.bincount(self.case, self.values == best)

    def passing(self, k: int) -> PassRate:
        """Return pass@k and pass^k. Raises InputError where grades do not pass or fail."""
        if self.passed is None:
            how = hint("Pass map= with 0 or 1 for every grade.", "Use --map with 0 or 1 for every grade.")
            raise InputError(f"{NO_PASSES}. {how}")
        has = self.n_of_case >= k
        if not has.any():
            most = f"no case has {k:,} answers"
            return PassRate(k, Estimate.undefined(most), Estimate.undefined(most), 0)
        if k == 1 and self.n_of_case.min() == self.n_of_case.max():
            return PassRate(k, self.mean, self.mean, self.n_of_case.size)
        at_least_one, every = pass_at(self.n_of_case, self.passed, k)
        return PassRate(k, self.of_cases(at_least_one, has), self.of_cases(every, has), int(has.sum()))

    @property
    def default_k(self) -> tuple[int, ...]:
        """The numbers of answers that are shown: 2, and as many as every case has."""
        fewest = int(self.n_of_case.min())
        return () if self.passed is None or fewest < 2 else tuple(sorted({2, fewest}))

    @cached_property
    def varying(self) -> Estimate:
        """The share of cases with differing grades, of those with several answers."""
        least, most = np.full(self.n_of_case.size, np.inf), np.full(self.n_of_case.size, -np.inf)
        np.minimum.at(least, self.case, self.values)
        np.maximum.at(most, self.case, self.values)
        has = self.n_of_case > 1
        if not has.any():
            return Estimate.undefined(ONE_ANSWER)
        return self.of_cases((most > least).astype(float), has)

    @cached_property
    def within(self) -> float:
        """The variance of the mean from answers to the same case, σ²_w / answers; NaN of one answer each."""
        freedom = self.values.size - self.n_of_case.size
        if not freedom:
            return float("nan")
        means = np.bincount(self.case, self.values) / self.n_of_case
        return float(((self.values - means[self.case]) ** 2).sum() / freedom / self.values.size)

    def expected(self) -> tuple[ExpectedError, ...]:
        """Return the standard errors of more cases and more answers; none where nothing varies.

        With σ²_b between cases and σ²_w within, Q cases of K answers have the variance σ²_b / Q + σ²_w / (Q K). More
        cases bring as many more degrees of freedom of Student's t.
        """
        variance = self.error**2
        if not variance > 0:
            return ()
        has_repeats = self.within == self.within
        within = min(self.within, variance) if has_repeats else 0.0
        units = self.spread.degrees + 1
        sizes = [(1, 1), *([(1, 2), (1, 4)] if has_repeats else []), (2, 1), (4, 1)]
        errors = [
            (cases, answers, sqrt((variance - within + within / answers) / cases)) for cases, answers in sizes
        ]
        return tuple(
            ExpectedError(cases, answers, error, student_quantile(self.level, units * cases - 1) * error)
            for cases, answers, error in errors
        )

    def only(self, rows: Array) -> Answers:
        """Return some of the answers, whose cases and clusters are numbered without gaps."""
        case, cluster = (np.unique(code[rows], return_inverse=True)[1] for code in (self.case, self.cluster))
        return replace(self, values=self.values[rows], case=case, cluster=cluster)


def dependent(cluster: Array) -> Array | None:
    """Return the clusters; None where every answer is one of its own."""
    return cluster if int(cluster.max()) + 1 < cluster.size else None


def pass_at(n: Array, c: Array, k: int) -> tuple[Array, Array]:
    """Return pass@k = 1 - C(n - c, k) / C(n, k) and pass^k = C(c, k) / C(n, k) of c passes in n; NaN where n < k.

    Chen et al. 2021, arXiv 2107.03374; Yao et al. 2024, arXiv 2406.12045.

    >>> one, every = pass_at(np.array([5, 5, 1]), np.array([3, 5, 1]), 2)
    >>> one.round(3).tolist(), every.round(3).tolist()
    ([0.9, 1.0, nan], [0.3, 1.0, nan])
    """
    n, c = (np.asarray(counts, np.float64) for counts in (n, c))
    none, every = np.ones(n.size), np.ones(n.size)
    for i in range(k):
        left = np.maximum(n - i, 1)
        none *= np.maximum(n - c - i, 0) / left
        every *= np.maximum(c - i, 0) / left
    none, every = (np.where(n >= k, share, np.nan) for share in (none, every))
    return 1 - none, every
