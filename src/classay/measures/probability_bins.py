"""Bins of probabilities, made when asked for, never kept; and how measures of probabilities take every table."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Concatenate, Literal, ParamSpec, get_args

import numpy as np
from numpy.typing import NDArray

from classay.compiled import kernel, one_after_another
from classay.errors import InputError, check_word
from classay.measures.registry import ratio
from classay.once import memoize
from classay.tables import ScoreTable
from classay.tables.sums import equal_cases, settled

P = ParamSpec("P")


def of_probabilities(
    function: Callable[Concatenate[ScoreTable, P], Any],
) -> Callable[Concatenate[ScoreTable, P], Any]:
    """Make a function of a score table NaN, of the leading shape, where the scores are no probabilities."""

    @functools.wraps(function)
    def checked(scores: ScoreTable, /, *options: P.args, **named: P.kwargs) -> Any:
        if not scores.are_probabilities:
            return np.full(scores.positives.shape[:-1], np.nan)[()]
        return function(scores, *options, **named)

    return checked


def table_by_table(
    function: Callable[Concatenate[ScoreTable, P], Any],
) -> Callable[Concatenate[ScoreTable, P], Any]:
    """Make a function of one table take tables with leading axes, one after another."""

    @functools.wraps(function)
    def value(scores: ScoreTable, /, *options: P.args, **named: P.kwargs) -> Any:
        lead = scores.positives.shape[:-1]
        if not lead:
            return np.float64(function(scores, *options, **named))
        tables = each_of(scores)
        with one_after_another(len(tables)):
            values = [function(one, *options, **named) for one in tables]
        return np.array(values, np.float64).reshape(lead)

    return value


@memoize
def each_of(scores: ScoreTable) -> list[ScoreTable]:
    """Return the tables of all leading places: the same for every measure, so that what several need is found once."""
    return [one_of(scores, at) for at in np.ndindex(scores.positives.shape[:-1])]


def one_of(scores: ScoreTable, at: tuple[int, ...]) -> ScoreTable:
    """Return the table at one index of the leading axes."""
    squares = scores.positive_squares, scores.negative_squares
    plus, minus = (None if part is None else part[at] for part in squares)
    return replace(
        scores,
        positives=scores.positives[at],
        negatives=scores.negatives[at],
        positive_squares=plus,
        negative_squares=minus,
    )


Array = NDArray[Any]
Closed = Literal["right", "left"]
BINS = 15
"""Bins of the registered calibration errors (Guo et al. 2017)."""
AT_EDGE = 1e-12
"""How far below the edge of a bin a sum of weights may round what lies on it."""
GROUPED_FROM = 50_000
"""Distinct scores from which what need not be exact to the last digit is computed of groups of neighbours.

Groups are never so many, so that none are made of groups.
"""
GROUPS = 10_000
"""Those groups, and narrower ones where a class has few cases above or below."""
ALONE, WIDER = 250, 0.005
"""How many of the first and last cases of a class are a group each; what share of those beyond one a group may hold."""


def _sum_stretches(scores: Array, positives: Array, negatives: Array, cuts: Array) -> Array:
    used = np.flatnonzero(cuts[1:] > cuts[:-1])
    sums = np.zeros((4, *positives.shape[:-1], cuts.size - 1))
    if used.size:
        weight, scores = positives + negatives, scores.astype(np.float64)
        for i, part in enumerate((weight, positives, weight * scores, positives * scores)):
            sums[i][..., used] = np.add.reduceat(part[..., : cuts[-1]], cuts[:-1][used], axis=-1)
    return sums


@kernel(twin=_sum_stretches, assumes="cuts rise and end within the table")
def sum_stretches(scores: Array, positives: Array, negatives: Array, cuts: Array) -> Array:
    """Weight, positives, sum of scores, and of those of positives, between each two places, `(4, stretches)`."""
    sums = np.zeros((4, cuts.shape[0] - 1))
    for j in range(cuts.shape[0] - 1):
        for start in range(cuts[j], cuts[j + 1], 1024):  # short partial sums keep the rounding error small
            weight = hits = expected = of_hits = 0.0
            for i in range(start, min(start + 1024, cuts[j + 1])):
                cases = positives[i] + negatives[i]
                weight += cases
                hits += positives[i]
                expected += cases * np.float64(scores[i])
                of_hits += positives[i] * np.float64(scores[i])
            sums[0, j] += weight
            sums[1, j] += hits
            sums[2, j] += expected
            sums[3, j] += of_hits
    return sums


def _mass_cuts(positives: Array, negatives: Array, bins: int) -> Array:
    weight = positives[::-1] + negatives[::-1]
    above = np.cumsum(weight)
    middle = (2 * above - weight) * (bins / (2 * above[-1:])) + AT_EDGE
    counts = np.bincount(np.minimum(middle.astype(np.int64), bins - 1), minlength=bins)
    return np.concatenate([[0], np.cumsum(counts[::-1])])


@kernel(twin=_mass_cuts, assumes="weights are not negative, and their sum is above 0")
def mass_cuts(positives: Array, negatives: Array, bins: int) -> Array:
    """Places that part a table into bins of nearly equal weight, each score where its middle case falls."""
    m = positives.shape[0]
    above = positives[0] - positives[0]
    for i in range(m):
        above += positives[i] + negatives[i]
    per_half = bins / (2 * above)
    cuts = np.zeros(bins + 1, np.int64)
    above = positives[0] - positives[0]
    for i in range(m - 1, -1, -1):
        weight = positives[i] + negatives[i]
        above += weight
        cuts[bins - min(int((2 * above - weight) * per_half + AT_EDGE), bins - 1)] += 1
    return np.cumsum(cuts)


@dataclass(frozen=True, eq=False)
class ProbabilityBins:
    """The cases of a table in bins of their probability, from the lowest bin up, each part `[..., bin]`.

    `weight` is that of the cases, `positives` of those that are positive, `expected` the sum of the
    probabilities, `effective` the number of cases, or of equally weighted cases that would say as much: (sum
    w)² / sum w².
    """

    weight: Array
    positives: Array
    expected: Array
    effective: Array

    @property
    def share(self) -> Array:
        """Share of all cases."""
        return np.asarray(ratio(self.weight, self.weight.sum(-1, keepdims=True)))

    @property
    def observed(self) -> Array:
        """Share of positives; NaN in an empty bin."""
        return np.asarray(ratio(self.positives, self.weight))

    @property
    def mean_score(self) -> Array:
        """Mean probability; NaN in an empty bin."""
        return np.asarray(ratio(self.expected, self.weight))

    @property
    def gap(self) -> Array:
        """Share of positives minus mean probability; 0 in an empty bin, and where it is nothing but rounding."""
        excess = settled(self.positives - self.expected, self.weight)
        return np.asarray(ratio(excess, np.where(self.weight == 0, 1, self.weight)))


def equal_width_bins(table: ScoreTable, bins: int = BINS, closed: Closed = "right") -> ProbabilityBins:
    """Bins of equal width over [0, 1]: (k/B, (k+1)/B] closed right, with 0 in the first, or [k/B, (k+1)/B).

    The edges are k/B rounded once to the scores' own precision, so that 0.6 is an edge of 5 bins. The side
    that is closed can change the result a lot. Raises InputError for anything but a positive number of bins,
    and for another word than "right" or "left".

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.5, 0.1]), np.array([True, True, False]))
    >>> equal_width_bins(table, bins=2).weight, equal_width_bins(table, bins=2, closed="left").weight
    (array([2., 1.]), array([1., 2.]))
    """
    if bins == BINS and closed == "right":
        return standard_bins(table)[1]
    return bins_between(table, width_cuts(table, bins, closed))


def width_cuts(table: ScoreTable, bins: int, closed: Closed) -> Array:
    """Places that part a table into bins of equal width, from the highest score."""
    check_word("closed", closed, get_args(Closed))
    edges = (np.arange(1, _positive(bins)) / bins).astype(table.scores.dtype)
    # bins that are closed right hold scores equal to their upper edge, which so belong to the bin below
    side: Literal["left", "right"] = "right" if closed == "right" else "left"
    inner = table.scores.size - np.searchsorted(table.scores[::-1], edges, side)
    return np.concatenate([[0], inner[::-1], [table.scores.size]]).astype(np.int64)


@memoize
def standard_bins(table: ScoreTable) -> tuple[Array, ProbabilityBins]:
    """Return the bins of the registered measures, 15 of equal width, and the places that part the table into them."""
    cuts = width_cuts(table, BINS, "right")
    return cuts, bins_between(table, cuts)


def parted(table: ScoreTable, bins: int) -> tuple[Array, ProbabilityBins]:
    """Bins of equal width, and the places that part the table into them."""
    if bins == BINS:
        return standard_bins(table)
    cuts = width_cuts(table, bins, "right")
    return cuts, bins_between(table, cuts)


def mass_parted(table: ScoreTable, bins: int) -> tuple[Array, ProbabilityBins]:
    """Bins of equal mass, and the places that part the table into them."""
    if bins == BINS:
        return standard_mass_bins(table)
    cuts = mass_cuts(table.positives, table.negatives, bins)
    return cuts, bins_between(table, cuts)


@memoize
def standard_mass_bins(table: ScoreTable) -> tuple[Array, ProbabilityBins]:
    """Return the bins of the registered measure, 15 of equal mass, and the places that part the table into them."""
    cuts = mass_cuts(table.positives, table.negatives, BINS)
    return cuts, bins_between(table, cuts)


def equal_mass_bins(table: ScoreTable, bins: int = BINS) -> ProbabilityBins:
    """Bins of as nearly equal weight as whole ties allow: a score belongs where its middle case falls.

    Raises InputError for anything but a positive number of bins, or for a table with leading axes.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.5, 0.5, 0.1]), np.array([True, True, False, False]))
    >>> equal_mass_bins(table, bins=4).weight
    array([1., 0., 2., 1.])
    """
    if table.positives.ndim > 1:
        raise InputError("Equal-mass bins need a table without leading axes. Pass one table at a time.")
    if bins == BINS:
        return standard_mass_bins(table)[1]
    return bins_between(table, mass_cuts(table.positives, table.negatives, _positive(bins)))


def bins_between(table: ScoreTable, cuts: Array) -> ProbabilityBins:
    """Return the bins between places of a table, `cuts` rising from 0 to its length."""
    cuts = cuts.astype(np.int64)
    sums = sum_stretches(table.scores, table.positives, table.negatives, cuts)
    weight, positives, expected = (part[..., ::-1] for part in sums[:3])
    if table.positive_squares is None or table.negative_squares is None:
        return ProbabilityBins(weight, positives, expected, weight)
    squares = sum_stretches(table.scores, table.positive_squares, table.negative_squares, cuts)[0][..., ::-1]
    return ProbabilityBins(weight, positives, expected, np.asarray(equal_cases(weight, squares)))


def grouped(table: ScoreTable) -> ScoreTable:
    """Return the table itself; of more than 50,000 distinct scores, groups of neighbours at their mean score.

    For what only needs to be near, the spread of a measure and where to start a search from: no value is taken from it.
    """
    # outside of what is kept for the table, which would keep the table for ever
    return table if table.scores.size <= GROUPED_FROM else _groups_of(table)


@dataclass(frozen=True, eq=False)
class _Groups:
    """Groups of neighbouring scores between places of a table, and their sums of weight, positives and scores.

    `expected` is the sum of the scores of all cases, `of_positives` that of the positives.
    """

    cuts: Array
    weight: Array
    positives: Array
    expected: Array
    of_positives: Array

    def within(self, table: ScoreTable, mean: Array) -> Array:
        """Mean scores of groups of the table, within their group: rounding may have moved them."""
        first, last = table.scores[self.cuts[:-1]], table.scores[self.cuts[1:] - 1]
        return np.clip(mean, last, first)


@memoize
def _sums_of_groups(table: ScoreTable) -> _Groups:
    cuts = _group_cuts(table)
    return _Groups(cuts, *sum_stretches(table.scores, table.positives, table.negatives, cuts))


@memoize
def _groups_of(table: ScoreTable) -> ScoreTable:
    groups = _sums_of_groups(table)
    used = groups.weight > 0
    positives, negatives = groups.positives[used], (groups.weight - groups.positives)[used]
    mean = np.divide(groups.expected, groups.weight, out=np.zeros_like(groups.weight), where=used)
    group_table = ScoreTable(groups.within(table, mean)[used], positives, negatives, table.labels)
    if table.positive_squares is None or table.negative_squares is None:
        return group_table
    squares = table.positive_squares, table.negative_squares
    total, plus, *_ = sum_stretches(table.scores, *squares, groups.cuts)
    return replace(group_table, positive_squares=plus[used], negative_squares=(total - plus)[used])


def group_of_score(table: ScoreTable) -> Array:
    """Return the place of each score of a table in the table of its groups, `(m,)`; any where there is no case."""
    groups = _sums_of_groups(table)
    return np.repeat(np.maximum(np.cumsum(groups.weight > 0) - 1, 0), np.diff(groups.cuts))


def smooth_groups(table: ScoreTable) -> ScoreTable:
    """The table itself; of more than 50,000 distinct scores, groups of neighbours, each class at its own mean score.

    For what changes smoothly with the score, as a loss does. The means make the error of a spread one of second order,
    below a millionth of the half-width (`tests/inference/test_smooth_groups.py`). Cases of unequal weights, of which
    groups do not tell the fourth moments, are those of `grouped`.
    """
    if table.is_weighted:
        return grouped(table)
    return table if table.scores.size <= GROUPED_FROM else _smooth_groups_of(table)


@memoize
def _smooth_groups_of(table: ScoreTable) -> ScoreTable:
    groups = _sums_of_groups(table)
    weight = np.stack([groups.positives, groups.weight - groups.positives])
    expected = np.stack([groups.of_positives, groups.expected - groups.of_positives])
    used = weight > 0
    mean = np.divide(expected, weight, out=np.zeros_like(weight), where=used)
    scores, at = np.unique(groups.within(table, mean)[used], return_inverse=True)
    code = np.nonzero(used)[0]
    positives, negatives = (np.bincount(at[code == c], weight[c][used[c]], scores.size)[::-1] for c in (0, 1))
    return ScoreTable(scores[::-1], positives, negatives, table.labels)


def _scores_within(counts: Array, most: Array, step: int) -> Array:
    above = np.cumsum(counts[::step], dtype=np.float64)
    return np.searchsorted(above, most, "right")


@kernel(twin=_scores_within, nanoseconds=10, assumes="`most` rises")
def scores_within(counts: Array, most: Array, step: int) -> Array:
    """How many of the first scores, or by steps of -1 of the last, hold at most so many cases, for each of rising ones.

    It looks at no more scores than it must.
    """
    m, wanted = counts.shape[0], most.shape[0]
    indices = np.full(wanted, m, np.int64)
    first = 0 if step > 0 else m - 1
    i, j, upto = 0, 0, 0.0
    while i < m and j < wanted:
        end = min(i + 32, m)
        if (
            end == i + 32
        ):  # stretches without a wanted place are many; four sums at once do not wait for each other
            one = two = three = four = 0.0
            for k in range(i, end, 4):
                at = first + step * k
                one += counts[at]
                two += counts[at + step]
                three += counts[at + 2 * step]
                four += counts[at + 3 * step]
            after = upto + ((one + two) + (three + four))
            if after <= most[j]:
                upto = after
                i = end
                continue
        for k in range(i, end):
            upto += counts[first + step * k]
            while j < wanted and upto > most[j]:
                indices[j] = k
                j += 1
        i = end
    return indices


def _group_cuts(table: ScoreTable) -> Array:
    """Places that part a table into groups of neighbouring scores, rising from 0 to its length.

    A group holds few scores, and of each class few of the cases above it, and below it: what a case moves depends on
    how many of the other class lie beyond it, and where these are few, so that ranks change much, each is a group. No
    group lies on both sides of one half.
    """
    m = table.scores.size
    places: list[Array] = [np.linspace(0, m, GROUPS + 1), np.array([float(table.reached(0.5))])]
    parts = (table.positives, table.n_positive, table.positive_squares)
    others = (table.negatives, table.n_negative, table.negative_squares)
    for counts, of_class, squares in (parts, others):
        if not of_class > 0:
            continue
        case = 1.0 if squares is None else float(squares.sum() / of_class)
        # where more lie beyond, so few scores hold few of them, whatever each of them holds
        in_group = float(counts.max()) * -(-m // GROUPS)
        most = min(float(of_class), in_group / WIDER) / case
        wider = ALONE * (1 + WIDER) ** np.arange(np.log(max(1.0, most / ALONE)) / np.log1p(WIDER))
        beyond = case * np.concatenate([np.arange(ALONE), np.floor(wider)])
        # the last score with so many cases above or at it, or below it, and the next
        wanted = np.stack([beyond * (1 - AT_EDGE), beyond * (1 + AT_EDGE)], -1).ravel()
        for step in (1, -1):
            before, after = scores_within(counts, wanted, step).reshape(-1, 2).T
            one = slice(ALONE)
            cuts = [before[one], after[one], before[one] + 1, after[one] + 1, (before + after + 1) // 2]
            places += cuts if step > 0 else [m - cut for cut in cuts]
    starts = np.zeros(m + 1, bool)
    starts[np.clip(np.concatenate(places), 0, m).astype(np.int64)] = True
    return np.flatnonzero(starts)


def with_two_cases(bins: ProbabilityBins) -> ProbabilityBins:
    """Return the bins of one table without empty ones, and those of fewer than two cases joined to a neighbour.

    Bins of fewer than two effective cases join the next lower one, the lowest the next higher one.
    """
    joined: list[Array] = []
    used = bins.weight > 0
    squares = bins.weight[used] ** 2 / bins.effective[used]
    for sums in np.stack([bins.weight[used], bins.positives[used], bins.expected[used], squares], -1):
        if joined and min(equal_cases(one[0], one[3]) for one in (sums, joined[-1])) < 2:
            joined[-1] = joined[-1] + sums
        else:
            joined.append(sums)
    parts = np.array(joined).reshape(-1, 4)
    return ProbabilityBins(
        parts[:, 0], parts[:, 1], parts[:, 2], np.asarray(equal_cases(parts[:, 0], parts[:, 3]))
    )


def _positive(bins: int) -> int:
    if isinstance(bins, bool) or not isinstance(bins, int | np.integer) or bins < 1:
        raise InputError(f"bins must be a whole number of at least 1, but is {bins!r}.")
    return int(bins)
