"""Coefficients of agreement as functions of the ratings of cases by label, with how far each case moves them.

With n_c the ratings of a case in category c, m their sum, and π the mean over cases of n_c/m. A case with one rating
agrees with nothing: it counts in π, and nowhere in alpha. A difference of categories is (v_c - v_d)², with v the
number of an interval scale, or of an ordinal one the mean rank: then all sums are those of v and v².
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
MOST_ORDERED = 500
"""Ordered categories up to which the ranks without each case are computed."""
_BLOCK = 1_000_000
"""Cells of patterns and categories that are looked at together."""


@dataclass(frozen=True, eq=False)
class CategoryCounts:
    """Ratings by category of patterns of cases, sparse `(patterns, categories)`, and the cases of each pattern.

    `per_pair` is what a pair of ratings of a pattern counts: 1/(m - 1), so that a case counts its ratings; 0 of a case
    with one rating. A case whose raters draw their labels at random has the ratings m π, of which pairs count 1/m.
    """

    counts: Any
    cases: Array
    per_pair: Array

    @classmethod
    def of(cls, counts: Any, cases: Array) -> CategoryCounts:
        """Count the ratings that people gave."""
        sizes = np.asarray(counts.sum(axis=1)).ravel()
        return cls(counts, cases.astype(float), np.where(sizes > 1, 1 / np.maximum(sizes - 1, 1), 0.0))

    @cached_property
    def sizes(self) -> Array:
        """The ratings of each pattern, m."""
        return np.asarray(self.counts.sum(axis=1)).ravel()

    @cached_property
    def is_rated_twice(self) -> Array:
        """The patterns with two ratings or more."""
        return np.asarray(self.per_pair > 0)

    @property
    def rated_twice(self) -> CategoryCounts:
        """Only the cases with two ratings or more."""
        if self.is_rated_twice.all():
            return self
        return CategoryCounts(
            self.counts[self.is_rated_twice],
            self.cases[self.is_rated_twice],
            self.per_pair[self.is_rated_twice],
        )

    @cached_property
    def number(self) -> float:
        """The cases."""
        return float(self.cases.sum())

    @cached_property
    def totals(self) -> Array:
        """The ratings in each category."""
        return np.asarray(self.counts.T @ self.cases)

    @cached_property
    def shares(self) -> Array:
        """The mean over cases of the share of their ratings in each category, π."""
        return np.asarray(self.counts.T @ (self.cases / self.sizes)) / self.number

    def with_unanimous(self, category: int, ratings: float) -> CategoryCounts:
        """Return the same with one more case, whose ratings are all in one category."""
        row = np.zeros((1, self.counts.shape[1]))
        row[0, category] = ratings
        return self._with(row, 1 / (ratings - 1))

    def with_random(self, ratings: float) -> CategoryCounts:
        """Return the same with one more case, whose raters draw their labels at random."""
        return self._with(ratings * self.shares[None], 1 / ratings)

    def _with(self, row: Array, per_pair: float) -> CategoryCounts:
        from scipy.sparse import csr_array, vstack

        counts = vstack([self.counts, csr_array(row)]).tocsr()
        return CategoryCounts(counts, np.append(self.cases, 1.0), np.append(self.per_pair, per_pair))


class Coefficient(NamedTuple):
    """A value, and how far one more case of each pattern moves it; `cases` are those of the patterns.

    `by_chance` is the agreement by chance of a coefficient that is linear in the agreement of cases.
    """

    value: float
    influence: Array
    cases: Array
    by_chance: float = np.nan


OfTable = Callable[[CategoryCounts], Coefficient]


def _squares(table: CategoryCounts) -> Array:
    """Return the sum of squared ratings of each pattern."""
    return np.asarray(table.counts.power(2).sum(axis=1)).ravel()


def agreeing(table: CategoryCounts) -> Array:
    """Return the share of agreeing pairs of ratings in each pattern; 0 of cases with one rating.

    >>> from scipy.sparse import csr_array
    >>> agreeing(CategoryCounts.of(csr_array([[2.0, 1.0], [3.0, 0.0]]), np.ones(2))).round(3).tolist()
    [0.333, 1.0]
    """
    sizes = table.sizes
    return np.where(table.is_rated_twice, 1 - table.per_pair * (sizes - _squares(table) / sizes), 0.0)


def agreement_by_weights(table: CategoryCounts, values: Array, power: int) -> Array:
    """Return the weighted agreement of pairs in each pattern: 1 - (distance of the labels / the greatest)^power."""
    if power == 2:
        return np.where(
            table.is_rated_twice, 1 - _differing(table, values) / table.sizes / np.ptp(values) ** 2, 0
        )
    # of ascending values, the distance of two is the sum of the gaps between them: each gap parts the ratings in two
    gaps = np.diff(values)
    rows, gap_sums = table.counts.shape[0], np.zeros(table.counts.shape[0])
    for start in range(0, rows, max(1, _BLOCK // max(values.size, 1))):
        block = slice(start, start + max(1, _BLOCK // max(values.size, 1)))
        below = table.counts[block].toarray().cumsum(1)[:, :-1]
        gap_sums[block] = (2 * below * (table.sizes[block, None] - below)) @ gaps
    share = gap_sums * table.per_pair / table.sizes / np.ptp(values)
    return np.where(table.is_rated_twice, 1 - share, 0.0)


def chance_corrected(table: CategoryCounts, agreement: Array, by_chance: float, moved: Array) -> Coefficient:
    """Return (P - P_e) / (1 - P_e), P the mean agreement of cases with two ratings or more.

    `by_chance` is P_e, `moved` how far each pattern moves it, times the number of cases.
    """
    twice = float(table.cases[table.is_rated_twice].sum())
    mean = float((table.cases * agreement).sum() / twice)
    if not by_chance < 1:
        return Coefficient(np.nan, moved, table.cases)
    value = (mean - by_chance) / (1 - by_chance)
    counted = np.where(table.is_rated_twice, agreement - mean, 0.0) * table.number / twice
    return Coefficient(
        value, (counted - (1 - value) * moved) / (1 - by_chance) / table.number, table.cases, by_chance
    )


def fleiss_kappa(table: CategoryCounts) -> Coefficient:
    """Agreement beyond that of raters who draw labels by their shares, P_e = Σπ²; of two raters Scott's pi.

    Fleiss 1971, Psychological Bulletin 76:378; Scott 1955, Public Opinion Quarterly 19:321.
    """
    shares = table.shares
    moved = 2 * (np.asarray(table.counts @ shares) / table.sizes - (shares**2).sum())
    return chance_corrected(table, agreeing(table), float((shares**2).sum()), moved)


def gwet_ac1(table: CategoryCounts) -> Coefficient:
    """Agreement beyond P_e = Σπ(1 - π)/(k - 1). Gwet 2008, British J Mathematical and Statistical Psychology 61:29."""
    return _gwet(table, agreeing(table), 1.0)


def _gwet(table: CategoryCounts, agreement: Array, weight: float) -> Coefficient:
    shares, k = table.shares, table.counts.shape[1]
    if k < 2:
        return Coefficient(np.nan, np.zeros(table.cases.size), table.cases)
    by_chance = weight * float((shares * (1 - shares)).sum()) / (k - 1)
    slope = 1 - 2 * shares
    moved = weight * (np.asarray(table.counts @ slope) / table.sizes - (slope * shares).sum()) / (k - 1)
    return chance_corrected(table, agreement, by_chance, moved)


def gwet_ac2(table: CategoryCounts, values: Array, power: int) -> Coefficient:
    """AC1 with partial agreement of near labels: 1 - (distance / the greatest)^power."""
    if values.size < 2:
        return _gwet(table, agreeing(table), 1.0)
    weights = 1 - (np.abs(values[:, None] - values) / np.ptp(values)) ** power
    return _gwet(table, agreement_by_weights(table, values, power), float(weights.mean() * values.size))


def brennan_prediger(table: CategoryCounts) -> Coefficient:
    """(k P - 1)/(k - 1), which of two categories is PABAK. Brennan & Prediger 1981, Educ Psychol Measurement 41:687."""
    k = table.counts.shape[1]
    if k < 2:
        return Coefficient(np.nan, np.zeros(table.cases.size), table.cases)
    return chance_corrected(table, agreeing(table), 1 / k, np.zeros(table.cases.size))


def _differing(table: CategoryCounts, values: Array) -> Array:
    """Return Σ n_c n_d (v_c - v_d)² per pattern, each pair counted as `per_pair`."""
    sums, squares = (np.asarray(table.counts @ power) for power in (values, values**2))
    return np.asarray(2 * table.per_pair * (table.sizes * squares - sums**2))


def nominal_alpha(table: CategoryCounts) -> Coefficient:
    """Krippendorff's alpha of labels without an order, jackknifed over cases.

    1 - (n - 1) A/B, A = Σ n_c n_d/(m - 1) of differing labels within cases, B the same of all n ratings. Krippendorff
    2011, Computing Krippendorff's alpha-reliability.
    """
    squares, totals = _squares(table), table.totals
    within = table.per_pair * (table.sizes**2 - squares)
    all_within, n, both = float((table.cases * within).sum()), totals.sum(), float((totals**2).sum())
    left = n - table.sizes
    between = left**2 - (both - 2 * np.asarray(table.counts @ totals) + squares)
    return _jackknifed(table, (all_within, n**2 - both), all_within - within, between)


def interval_alpha(table: CategoryCounts, values: Array) -> Coefficient:
    """Krippendorff's alpha of numbers, whose labels differ by their squared distance; see `nominal_alpha`."""
    values = values - values.mean()
    within, totals = _differing(table, values), table.totals
    n, first, second = totals.sum(), float(totals @ values), float(totals @ values**2)
    sums, squares = (np.asarray(table.counts @ power) for power in (values, values**2))
    left = n - table.sizes
    all_within = float((table.cases * within).sum())
    between = 2 * (left * (second - squares) - (first - sums) ** 2)
    return _jackknifed(table, (all_within, 2 * (n * second - first**2)), all_within - within, between)


def ordinal_alpha(table: CategoryCounts) -> Coefficient:
    """Krippendorff's alpha of ordered labels, whose distance is that of their mean ranks; see `nominal_alpha`.

    The ranks are those of the ratings, so that they move where a case is left out. Of many categories there is no
    jackknife.
    """
    totals = table.totals
    n, k = totals.sum(), totals.size
    ranks = totals.cumsum() - totals / 2 - n / 2
    within = _differing(table, ranks)
    all_within, between = float((table.cases * within).sum()), _spread(totals, ranks)
    if k > MOST_ORDERED:
        return Coefficient(_alpha(n, all_within, between), np.full(table.cases.size, np.nan), table.cases)
    pairs = _pairs(table)
    left_within, left_between = np.empty(table.cases.size), np.empty(table.cases.size)
    step = max(1, _BLOCK // k)
    for start in range(0, table.cases.size, step):
        block = slice(start, start + step)
        rows = table.counts[block].toarray()
        moved = ranks - (rows.cumsum(1) - rows / 2)
        alone = table.sizes[block] * (rows * moved**2).sum(1) - (rows * moved).sum(1) ** 2
        left_within[block] = (moved @ pairs * moved).sum(1) - 2 * table.per_pair[block] * alone
        left_between[block] = _spread(totals - rows, moved)
    return _jackknifed(table, (all_within, between), left_within, left_between)


def _pairs(table: CategoryCounts) -> Array:
    """Return the matrix by which ranks r have the sum r' M r of differences within all cases."""
    weight = 2 * table.cases * table.per_pair
    together = (table.counts.T @ table.counts.multiply(weight[:, None])).toarray()
    return np.asarray(np.diag(np.asarray(table.counts.T @ (weight * table.sizes))) - together)


def _spread(totals: Array, ranks: Array) -> Any:
    """Return Σ n_c n_d (r_c - r_d)² of all ratings."""
    n = totals.sum(-1)
    return 2 * (n * (totals * ranks**2).sum(-1) - (totals * ranks).sum(-1) ** 2)


def _alpha(n: Any, within: Any, between: Any) -> Any:
    """Return alpha; NaN where all ratings are one."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(between > 1e-12 * n * n, 1 - (n - 1) * within / between, np.nan)[()]


def _jackknifed(
    table: CategoryCounts, sums: tuple[float, float], left_within: Array, left_between: Array
) -> Coefficient:
    """Return alpha with the influence of each case, from alpha without it.

    Without a case whose ratings alone differ, all ratings are one and agree: that alpha counts as 1.
    """
    n, number = table.totals.sum(), table.number
    value = float(_alpha(n, *sums))
    without = np.nan_to_num(_alpha(n - table.sizes, left_within, left_between), nan=1.0)
    mean = float((table.cases * without).sum() / number)
    return Coefficient(value, (number - 1) / number * (mean - without), table.cases)
