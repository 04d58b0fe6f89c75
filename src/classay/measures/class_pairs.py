"""Where the cases of all classes stand among those of each class, by its score; the AUC of every pair of classes.

No class's scores are sorted but those of its own cases. Every other case finds its place among them in a table of the
leading bits of scores, and a short search.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import COMPILE_FROM, KernelStep, core_count, kernel, workers
from classay.measures.registry import ratio
from classay.once import memoize
from classay.tables import ClassScoreTable
from classay.tables.class_scores import ClassRows, ClassRun
from classay.tables.sums import total

Array = NDArray[Any]
FIRST_BITS = 10
"""Bits of a score that choose how finely its range is split."""


@KernelStep
def key_of(score: Any) -> Any:
    """Return the integer that sorts as the score does."""
    bits = np.float64(score).view(np.int64)
    return bits if bits >= 0 else np.int64(-9223372036854775808) - bits


@KernelStep
def split_range(ranked: Array) -> Any:
    """How the range of rising, distinct scores is split into stretches of about half of one, and where each begins.

    Returns how far to shift a depth to get the number of its range, a code for each range, which holds a shift (6 bits)
    and an offset for the stretches within it, and the first score of each stretch.
    """
    first = key_of(ranked[0])
    span = np.uint64(key_of(ranked[-1]) - first)
    shift = np.uint64(0)
    while (span >> shift) >> np.uint64(FIRST_BITS):
        shift += np.uint64(1)
    counts = np.zeros(np.int64(span >> shift) + 1, np.int64)
    for score in ranked:
        counts[np.uint64(key_of(score) - first) >> shift] += 1
    codes = np.empty(counts.size, np.int64)
    stretches = np.int64(0)
    for at in range(counts.size):
        split = np.int64(0)
        while split < np.int64(shift) and (np.int64(1) << split) < 2 * counts[at]:
            split += 1
        codes[at] = (stretches - (np.int64(at) << split)) << 6 | (np.int64(shift) - split)
        stretches += np.int64(1) << split
    begins = np.zeros(stretches + 1, np.int32)
    for score in ranked:
        depth = np.uint64(key_of(score) - first)
        code = codes[depth >> shift]
        begins[np.int64(depth >> np.uint64(code & 63)) + (code >> 6) + 1] += np.int32(1)
    for at in range(stretches):
        begins[at + 1] += begins[at]
    return shift, codes, begins


def _find_places(column: Array, ranked: Array, places: Array) -> None:
    below = np.searchsorted(ranked, column)
    places[:] = 2 * below + (ranked[np.minimum(below, ranked.size - 1)] == column)


@kernel(
    twin=_find_places,
    assumes="ranked rise, and are at least one; no score is NaN, none is -0",
    nanoseconds=15,
)
def find_places(column: Array, ranked: Array, places: Array) -> None:
    """The place of each score among rising, distinct ones: twice those below it, and one more where it equals one."""
    shift, codes, begins = split_range(ranked)
    first, last, size = key_of(ranked[0]), key_of(ranked[-1]), ranked.shape[0]
    ended = np.empty(
        size + 1, ranked.dtype
    )  # with an end that no score passes, so that few branches are guessed
    for at in range(size):
        ended[at] = ranked[at]
    ended[size] = np.inf
    for i in range(column.shape[0]):
        score = column[i]
        depth = np.uint64(min(max(key_of(score), first), last) - first)
        code = codes[depth >> shift]
        stretch = np.int64(depth >> np.uint64(code & 63)) + (code >> 6)
        low, high = np.int64(begins[stretch]), np.int64(begins[stretch + 1])
        while high - low > 8:
            middle = (low + high) // 2
            if ranked[middle] < score:
                low = middle + 1
            else:
                high = middle
        low += np.int64(ended[low] < score)
        while ended[low] < score:
            low += 1
        places[i] = 2 * low + (np.int64(ended[low] == score) & np.int64(low < size))


def _add_places(
    places: Array,
    starts: Array,
    weight: Any,
    target: int,
    factor: Array,
    values: Array,
    case_values: Array,
    above: Array,
    sums: Array,
) -> None:
    case_values[:] = values[places]
    for code, (start, end) in enumerate(pairwise(starts.tolist())):
        if code == target:
            case_values[start:end] = 0
            continue
        at = places[start:end]
        case_weights = np.ones(at.size) if weight is None else weight[start:end].astype(np.float64)
        above[code] = total(case_weights * case_values[start:end])
        here = np.bincount(at, case_weights, values.size)
        sums[:, 0] += here
        sums[:, 1] += here * factor[code]


@kernel(
    twin=_add_places,
    assumes="places are below the length of values and held; starts rise and end within places",
    nanoseconds=1,
)
def add_places(
    places: Array,
    starts: Array,
    weight: Any,
    target: int,
    factor: Array,
    values: Array,
    case_values: Array,
    above: Array,
    sums: Array,
) -> None:
    """Add up other classes' cases by their place among those of the class `target`.

    `case_values` is filled with the value at each case's place, 0 of a case of `target`, and `above` with what these
    add up to over the cases of each class; to `sums`, `(places, 2)`, the weight of the cases at each place is added,
    and that times the `factor` of their class.
    """
    for code in range(starts.shape[0] - 1):
        added, times = 0.0, factor[code]
        for i in range(starts[code], starts[code + 1]):
            if code == target:
                case_values[i] = 0.0
                continue
            at = places[i]
            case_weight = 1.0 if weight is None else np.float64(weight[i])
            value = values[at]
            case_values[i] = value
            added += case_weight * value
            sums[at, 0] += case_weight
            sums[at, 1] += case_weight * times
        above[code] = added


def _add_times(values: Array, factors: Array, sums: Array) -> None:
    sums += factors[:, None] * values


@kernel(twin=_add_times, assumes="sums are as long as values", nanoseconds=5)
def add_times(values: Array, factors: Array, sums: Array) -> None:
    """Add the value of each case, times some factors, to as many sums of the case, `(factors, cases)`."""
    for start in range(0, values.shape[0], 1024):  # what the nearest cache holds
        end = min(start + 1024, values.shape[0])
        for j in range(factors.shape[0]):
            factor, row = factors[j], sums[j]
            for i in range(start, end):
                row[i] += factor * values[i]


@dataclass(frozen=True)
class ClassPlacements:
    """How each class's score ranks its cases among those of other classes.

    For own class c and other class d, by the score of c, `above[c, d]` adds up, over the cases of d, twice the weight
    of the cases of c that score higher, equal ones counting once; sampling weights as shares of all of c.

    Of each case, in the order of its `ClassRows`: `below`, `(2, cases)`, the weight of the cases of other classes that
    score lower by the score of its own, half of equal ones, and the same in shares of their class; `rates`, `(4,
    cases)`, four sums over all other classes c of the share of c that scores higher by the score of c (the placement
    values of DeLong et al. 1988, Biometrics 44:837): each times what `rate_factors` says of c.
    """

    above: Array
    below: Array
    rates: Array


def rate_factors(totals: Array) -> Array:
    """Return what the shares above cases are summed with for each class, `(classes, 4)`: 1 / N, n / N, 1 and n.

    n is the weight of the class, N that of all others.
    """
    rest, ones = totals.sum() - totals, np.ones(totals.size)
    return np.stack([ratio(ones, rest), ratio(totals, rest), ones, totals], 1)


@memoize
def placements(rows: ClassRows) -> ClassPlacements:
    """Return where the cases of all classes stand among those of each."""
    k, n = rows.scores.shape
    totals = rows.totals.astype(np.float64)
    class_placements = ClassPlacements(np.zeros((k, k)), np.zeros((2, n)), np.zeros((4, n)))
    factors = rate_factors(totals)
    if not rows.is_weighted:  # the values to add are twice a weight, because whole numbers add up exactly
        factors = ratio(factors, 2 * totals[:, None])
    threads = core_count() if rows.scores.size >= COMPILE_FROM else 1
    edges = np.linspace(0, n, threads + 1).astype(np.int64).tolist()
    add = add_times.for_rows(rows.scores.size)
    with workers(threads) as run:
        for some in _waves(np.flatnonzero(totals).tolist(), threads, n):
            placed = run(lambda target: _place(rows, totals, target, class_placements), some)
            waiting = list(zip(placed, some, strict=True))

            def add_part(part: tuple[int, int], waiting: list[tuple[Array, int]] = waiting) -> None:
                at = slice(*part)
                for rates, code in waiting:  # in the order of the classes, whatever the threads
                    add(rates[at], factors[code], class_placements.rates[:, at])

            run(add_part, pairwise(edges))
    return class_placements


def _waves(codes: list[int], threads: int, n: int) -> Iterator[list[int]]:
    """Classes to place at once: so many that a wave is worth starting threads, and its places are no burden."""
    width = max(threads, min(32, 1_000_000 // max(1, n)))
    yield from (codes[first : first + width] for first in range(0, len(codes), width))


def _place(rows: ClassRows, totals: Array, target: int, class_placements: ClassPlacements) -> Array:
    """Place all cases among those of a class, and keep what is found of pairs and of the own cases.

    Returns the share of the class above each case, 0 of its own ones; its weight, twice, where cases are counted.
    """
    mine, column = rows.own(target), rows.scores[target]
    ranked = np.unique(column[mine])
    places = np.empty(column.size, np.int32)
    find_places.for_rows(rows.scores.size)(column, ranked, places)
    at = places[mine] >> 1
    of_own = np.bincount(at, None if rows.weight is None else rows.weight[mine], ranked.size)
    higher = np.concatenate([np.cumsum(of_own[::-1])[::-1], [0.0]])
    values = np.empty(2 * ranked.size + 1)
    values[::2] = 2 * higher
    values[1::2] = 2 * higher[1:] + of_own
    if rows.is_weighted:
        values /= values[0]
    sums, above = np.zeros((values.size, 2)), np.empty(column.size)
    factor = 1 / np.where(totals > 0, totals, 1)
    add = add_places.for_rows(rows.scores.size)
    add(places, rows.starts, rows.weight, target, factor, values, above, class_placements.above[target], sums)
    beaten = np.cumsum(sums, 0) - sums / 2
    class_placements.below[:, mine] = beaten[2 * at + 1].T
    return above


@dataclass(frozen=True)
class RankedPairs:
    """For each own class and each other one, by the own class's score, `[own, other]`.

    `above` adds up, over the cases of the other class, twice the weight of the own cases that score higher, equal ones
    counting once; `own` is the weight of the own cases, twice, `(classes,)`, and `other` that of the other cases.
    Sampling weights are shares in `above`, and `own` is 1 (0 without cases): so that a perfect ranking is exactly 1.
    """

    above: Array
    own: Array
    other: Array

    @property
    def aucs(self) -> Array:
        """The AUC of each own class against each other one; 0 of a class against itself, NaN without cases."""
        return np.asarray(ratio(self.above, self.own[:, None] * self.other))

    @property
    def against_rest(self) -> Array:
        """The AUC of each class against all others, `(classes,)`."""
        rest = np.where(np.eye(self.own.size, dtype=bool), 0.0, self.other).sum(1)
        return np.asarray(ratio(self.above.sum(1), self.own * rest))


def _ranked_above(scores: Array, true: Array, weight: Array, target: int, classes: int, unit: float) -> Array:
    group = np.cumsum(np.concatenate([[True], scores[1:] != scores[:-1]])[: scores.size]) - 1
    of_own = np.bincount(group, np.where(true == target, weight, 0.0))
    rate = (2 * np.cumsum(of_own) - of_own) / unit
    above = np.bincount(true, weight * rate[group], classes)
    above[target] = 0.0
    return above


@kernel(
    twin=_ranked_above,
    assumes="scores fall; every class is in 0 to before classes, and occurs once at each score",
)
def ranked_above(scores: Array, true: Array, weight: Array, target: int, classes: int, unit: float) -> Array:
    """For each class the sum over its cases of twice the weight of `target` above, and once beside, over `unit`."""
    sums = np.zeros(classes)
    above = 0.0
    n = scores.shape[0]
    start = 0
    while start < n:
        score = scores[start]
        here = 0.0
        end = start
        while end < n and scores[end] == score:
            if true[end] == target:
                here = np.float64(weight[end])
            end += 1
        rate = (2 * above + here) / unit
        for i in range(start, end):
            if true[i] != target:
                sums[true[i]] += weight[i] * rate
        above += here
        start = end
    return sums


@memoize
def ranked_pairs(class_scores: ClassScoreTable) -> RankedPairs:
    """Return how each class's score ranks its cases among those of each other class."""
    if class_scores.rows is None:
        return _of_runs(class_scores.sorted_scores().runs)
    totals = class_scores.class_totals.astype(np.float64)
    divisors = (totals > 0).astype(np.float64) if class_scores.is_weighted else 2 * totals
    return RankedPairs(placements(class_scores.rows).above, divisors, np.tile(totals, (totals.size, 1)))


def _of_runs(runs: Sequence[ClassRun]) -> RankedPairs:
    """Return the same of the sorted scores of each class, where it is not known which are of one case."""
    k, rows = len(runs), sum(run.scores.size for run in runs)

    def of_class(target: int) -> tuple[Array, float, Array]:
        run = runs[target]
        other = np.bincount(run.true, run.weight, k).astype(np.float64)
        is_shares = run.weight.dtype.kind == "f"
        unit = 2 * other[target] if is_shares and other[target] else 1.0
        above = ranked_above.for_rows(rows)(run.scores, run.true, run.weight, target, k, unit)
        return above, float(other[target] > 0) if is_shares else 2 * other[target], other

    above, divisors, other = zip(*map(of_class, range(k)), strict=True)
    return RankedPairs(np.array(above), np.array(divisors), np.array(other))
