"""Tables from rows: count coded rows into cells; sort scores and add up what ties, on several threads."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import kernel, thread_count, workers
from classay.tables.sorting import (
    count_buckets,
    count_ties,
    extremes,
    order_ties,
    pair_ties,
    scatter,
    sort_buckets,
    sum_ties,
)

Array = NDArray[Any]
CODES = "every code is in 0 to before k, and all columns are of one length"


def _count_cells(predicted: Array, true: Array, k: int) -> Array:
    return np.bincount(predicted.astype(np.intp) * k + true, minlength=k * k)


@kernel(twin=_count_cells, assumes=CODES, nanoseconds=5)
def count_cells(predicted: Array, true: Array, k: int) -> Array:
    """Cases in each cell of a `[predicted, true]` matrix, flat, from codes below k."""
    # Four tables in turn: neighbouring rows often share a cell, and would wait for each other's store. Of thousands of
    # classes they seldom do, and four tables would take gigabytes.
    turns = 4 if k <= 1000 else 1
    second, third, fourth = 1 % turns, 2 % turns, 3 % turns
    tables = np.zeros((turns, k * k), np.int64)
    n = predicted.shape[0]
    n_unrolled = n - n % 4
    for i in range(0, n_unrolled, 4):
        tables[0, np.int64(predicted[i]) * k + true[i]] += 1
        tables[second, np.int64(predicted[i + 1]) * k + true[i + 1]] += 1
        tables[third, np.int64(predicted[i + 2]) * k + true[i + 2]] += 1
        tables[fourth, np.int64(predicted[i + 3]) * k + true[i + 3]] += 1
    for i in range(n_unrolled, n):
        tables[0, np.int64(predicted[i]) * k + true[i]] += 1
    total: Array = tables[0]
    for turn in range(1, turns):
        total = total + tables[turn]
    return total


def _sum_cells(predicted: Array, true: Array, weight: Array, k: int) -> Array:
    cells = np.zeros(k * k, weight.dtype)
    np.add.at(cells, predicted.astype(np.intp) * k + true, weight)
    return cells


@kernel(twin=_sum_cells, assumes=CODES, nanoseconds=8)
def sum_cells(predicted: Array, true: Array, weight: Array, k: int) -> Array:
    """Sum of `weight` in each cell of a `[predicted, true]` matrix, flat, in the order of the rows."""
    cells = np.zeros(k * k, weight.dtype)
    for i in range(predicted.shape[0]):
        cells[np.int64(predicted[i]) * k + true[i]] += weight[i]
    return cells


def _count_triples(true: Array, first: Array, second: Array, k: int) -> Array:
    return np.bincount((true.astype(np.intp) * k + first) * k + second, minlength=k**3)


@kernel(twin=_count_triples, assumes=CODES)
def count_triples(true: Array, first: Array, second: Array, k: int) -> Array:
    """Cases in each cell of a `[true, first, second]` table, flat, from codes below k."""
    turns = 4 if k <= 60 else 1  # four in turn, as in count_cells
    other, third, fourth = 1 % turns, 2 % turns, 3 % turns
    tables = np.zeros((turns, k * k * k), np.int64)
    n = true.shape[0]
    n_unrolled = n - n % 4
    for i in range(0, n_unrolled, 4):
        tables[0, (np.int64(true[i]) * k + first[i]) * k + second[i]] += 1
        tables[other, (np.int64(true[i + 1]) * k + first[i + 1]) * k + second[i + 1]] += 1
        tables[third, (np.int64(true[i + 2]) * k + first[i + 2]) * k + second[i + 2]] += 1
        tables[fourth, (np.int64(true[i + 3]) * k + first[i + 3]) * k + second[i + 3]] += 1
    for i in range(n_unrolled, n):
        tables[0, (np.int64(true[i]) * k + first[i]) * k + second[i]] += 1
    total: Array = tables[0]
    for turn in range(1, turns):
        total = total + tables[turn]
    return total


def _sum_triples(true: Array, first: Array, second: Array, weight: Array, k: int) -> Array:
    cells = np.zeros(k**3, weight.dtype)
    np.add.at(cells, (true.astype(np.intp) * k + first) * k + second, weight)
    return cells


@kernel(twin=_sum_triples, assumes=CODES)
def sum_triples(true: Array, first: Array, second: Array, weight: Array, k: int) -> Array:
    """Sum of `weight` in each cell of a `[true, first, second]` table, flat, in the order of the rows."""
    cells = np.zeros(k * k * k, weight.dtype)
    for i in range(true.shape[0]):
        cells[(np.int64(true[i]) * k + first[i]) * k + second[i]] += weight[i]
    return cells


def _interleave(a: Array, b: Array) -> tuple[Array, int, Array]:
    before = a.size - np.searchsorted(a[::-1], b, side="right")  # how many of a are above each of b
    alone = np.ones(b.size, np.int64)
    inside = before < a.size
    alone[inside] = a[before[inside]] != b[inside]
    of = np.zeros(a.size + b.size, np.uint8)
    of[before + np.cumsum(alone) - alone] = 2
    of[np.arange(a.size) + np.cumsum(np.bincount(before, alone, a.size + 1)[: a.size]).astype(np.int64)] += 1
    scores = np.zeros(of.size, a.dtype)
    scores[of & 1 == 1], scores[of == 2] = a, b[alone == 1]
    return of, int(a.size + alone.sum()), scores


@kernel(twin=_interleave, assumes="both descend, without equal scores in one of them", nanoseconds=45)
def interleave(a: Array, b: Array) -> tuple[Array, int, Array]:
    """For each score of two tables, descending: 1 if of the first, 2 of the second, 3 of both; how many; and which."""
    n, m = a.shape[0], b.shape[0]
    of, scores = np.zeros(n + m, np.uint8), np.zeros(n + m, a.dtype)
    i = j = k = np.int64(0)
    while i < n and j < m:  # without branches, which would be guessed wrong half the time
        behind, ahead = np.int64(b[j] <= a[i]), np.int64(b[j] >= a[i])
        of[k] = behind + 2 * ahead
        scores[k] = a[i] if behind else b[j]
        i += behind
        j += ahead
        k += 1
    while i < n:
        of[k], scores[k] = 1, a[i]
        i += 1
        k += 1
    while j < m:
        of[k], scores[k] = 2, b[j]
        j += 1
        k += 1
    return of, int(k), scores


def _add_merged(of: Array, one: Array, other: Array, total: Array) -> None:
    total[..., of & 1 == 1] = one
    total[..., of > 1] += other


@kernel(twin=_add_merged, assumes="of says which of both has the next score; none is empty", nanoseconds=15)
def add_merged(of: Array, one: Array, other: Array, total: Array) -> None:
    """Add values of two tables, at the scores that `interleave` puts in order, to zeros."""
    i = j = np.int64(0)
    for k in range(of.shape[0]):  # without branches, as there
        first, second = np.int64(of[k] & 1), np.int64(of[k] >> 1)
        total[k] += one[min(i, one.shape[0] - 1)] * first
        total[k] += other[min(j, other.shape[0] - 1)] * second
        i += first
        j += second


def merge(a: Array, b: Array, *sums: tuple[Array, Array]) -> tuple[Array, ...]:
    """The distinct scores of two tables, descending, and sums of both (`[..., m]` each), added up where scores tie."""
    of, size, scores = interleave.for_rows(a.size + b.size)(a, b)
    of = of[:size]
    scores = scores if size == scores.size else scores[:size].copy()
    added = [np.zeros((*one.shape[:-1], size), _type_of_sums(one, other)) for one, other in sums]
    add = add_merged if a.size and b.size else add_merged.twin
    for total, (one, other) in zip(added, sums, strict=True):
        add(of, one, other, total)
    return scores, *added


def _type_of_sums(one: Array, other: Array) -> Any:
    """Return the type of sums of two arrays: of unsigned numbers the narrowest that holds the greatest sum."""
    if one.dtype.kind == other.dtype.kind == "u":
        return np.min_scalar_type(int(one.max(initial=0)) + int(other.max(initial=0)))
    return np.result_type(one, other)


MANY = 2000
"""Scores from which on it is quicker to sort twice, by value and then ties by row, than once and stably."""


def falling(score: Array) -> Array:
    """The order of scores without NaN, `(rows,)`, from the greatest to the least; ties stay in the order of rows.

    >>> falling(np.array([0.2, 0.9, 0.2, 0.5])).tolist()
    [1, 3, 0, 2]
    """
    return rising(-score)


def rising(keys: Array) -> Array:
    """The order of numbers without NaN, `(rows,)`, from the least to the greatest; ties stay in the order of rows.

    NumPy sorts plain numbers many times as quickly as it sorts stably, so ties are put in order afterwards.
    """
    if not MANY <= keys.shape[0] < 1 << 31:
        return np.argsort(keys, kind="stable")
    order = np.argsort(keys)
    ordered = keys[order]
    ties = ordered[1:] == ordered[:-1]
    if ties.any():
        order[1:] |= np.cumsum(~ties) << 32
        order.sort()
        order &= (1 << 32) - 1
    return order


def group(score: Array, *sums: Array) -> tuple[Array, ...]:
    """Distinct scores, descending, and each of `sums` (`[..., rows]`) added up within them."""
    order = falling(score)
    ordered = score[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if order.size else order
    zero = score.dtype.type(0)
    if starts.size == score.shape[0]:  # none comes twice, so that nothing is added up
        return ordered + zero, *(values[..., order] for values in sums)
    return ordered[starts] + zero, *(np.add.reduceat(values[..., order], starts, axis=-1) for values in sums)


def _leave_out(
    scores: Array, positives: Array, negatives: Array, at: Array, fewer_p: Array, fewer_n: Array
) -> tuple[Array, Array, Array]:
    positives, negatives = positives.copy(), negatives.copy()
    positives[at] -= fewer_p
    negatives[at] -= fewer_n
    has_cases = np.ones(scores.size, bool)
    has_cases[at] = (positives[at] > 0) | (negatives[at] > 0)
    return scores[has_cases], positives[has_cases], negatives[has_cases]


@kernel(twin=_leave_out, assumes="at rise and are places of scores; nothing is taken that is not there")
def leave_out(
    scores: Array, positives: Array, negatives: Array, at: Array, fewer_p: Array, fewer_n: Array
) -> tuple[Array, Array, Array]:
    """Return a table of scores with fewer cases at the indices `at`, and without scores that have no case left."""
    gone: Any = 0
    for i in range(at.shape[0]):
        gone += np.int64(positives[at[i]] == fewer_p[i] and negatives[at[i]] == fewer_n[i])
    m = scores.shape[0] - gone
    left, p, n = np.empty(m, scores.dtype), np.empty(m, positives.dtype), np.empty(m, negatives.dtype)
    to = start = 0
    for i in range(at.shape[0] + 1):
        end = at[i] if i < at.shape[0] else scores.shape[0]
        size = end - start
        for j in range(size):  # slices that are assigned to would take three seconds to compile
            left[to + j] = scores[start + j]
            p[to + j] = positives[start + j]
            n[to + j] = negatives[start + j]
        to += size
        start = end + 1
        if i < at.shape[0] and (positives[end] != fewer_p[i] or negatives[end] != fewer_n[i]):
            left[to] = scores[end]
            p[to] = positives[end] - fewer_p[i]
            n[to] = negatives[end] - fewer_n[i]
            to += 1
    return left, p, n


ROWS_PER_BUCKET = 4096
"""Rows per bucket to aim for: a bucket must fit the cache to be sorted, and the ends of all to be filled."""

FIRST_BITS = 10
"""Bits of a depth that choose how finely its range is split."""

MOST_ROWS = 2**31
"""Rows from which NumPy sorts instead: the kernels count in 32 bits."""

LEAST_ROWS = 10_000
"""Rows below which NumPy sorts sooner, however many tables are made together."""

SAMPLE = 8192
"""Size of the sample of rows from which the number of rows in each range is estimated."""


@dataclass(frozen=True)
class BucketPlan:
    """How depths below `most`, the greatest ordered integer, are split into buckets: see `sorting`."""

    low: int
    most: int
    table: Array
    shift: int
    buckets: int
    half: int

    @property
    def scale(self) -> tuple[int, int, int]:
        """What kernels need to turn keys back into scores."""
        return self.half, self.low, self.most

    @property
    def of_row(self) -> tuple[int, int, Array, int]:
        """The arguments by which kernels find a row's bucket."""
        return self.low, self.most, self.table, self.shift


def _plan(bits: Array, low: int, least: int, most: int) -> BucketPlan:
    sample = bits[:: max(1, bits.size // SAMPLE)].astype(np.int64)
    depth = (np.int64(most) - np.where(sample >= 0, sample, np.int64(low) - sample)).view(np.uint64)
    span = most - least
    shift = max(0, span.bit_length() - FIRST_BITS)
    ranges = (span >> shift) + 1
    share = np.bincount((depth >> np.uint64(shift)).astype(np.intp), minlength=ranges) / depth.size
    splits = np.ceil(np.log2(np.maximum(share * bits.size / ROWS_PER_BUCKET, 1))).astype(np.int64)
    splits = np.minimum(splits, shift)
    ends = np.cumsum(1 << splits)
    begins = ends - (1 << splits)
    offsets = begins - (np.arange(ranges) << splits)
    table = (offsets << 6 | shift - splits).astype(np.int32)
    top = -low >> shift
    return BucketPlan(
        low, most, table, shift, int(ends[-1]), int(begins[top]) if top < ranges else int(ends[-1])
    )


@dataclass(frozen=True)
class Run:
    """Sorted keys, and weights if any; where each bucket starts among them, and among the distinct scores."""

    plan: BucketPlan
    keys: Array
    weights: Array | None
    starts: Array
    outs: Array
    pieces: list[tuple[int, int]]

    @property
    def of_piece(self) -> Iterator[tuple[Any, ...]]:
        """For each piece of buckets, the arguments by which kernels find its distinct scores."""
        for piece in self.pieces:
            yield self.starts, self.outs, *piece, self.plan.scale


def _sort(score: Array, positive: Array, weight: Array | None, threads: int, pmap: Callable[..., Any]) -> Run:
    n = score.shape[0]
    bits = score.view(np.int64 if score.dtype.itemsize == 8 else np.int32)
    low = -1 << (8 * bits.itemsize - 1)
    edges = [n * i // threads for i in range(threads + 1)]
    parts = [slice(a, b) for a, b in pairwise(edges)]
    bounds = pmap(lambda part: extremes.compiled(bits[part], low), parts)
    plan = _plan(bits, low, min(least for least, _ in bounds), max(most for _, most in bounds))
    counts = np.array(
        pmap(lambda part: count_buckets.compiled(bits[part], *plan.of_row, plan.buckets), parts)
    )
    starts = np.concatenate([[0], np.cumsum(counts.sum(0, np.int64))])
    at = starts[:-1] + np.cumsum(counts, 0, np.int64) - counts
    keys = np.empty(n, np.dtype(f"u{bits.dtype}"))
    if weight is not None:
        weight = weight.view(f"i{weight.itemsize}")  # only moved, so one compiled loop serves all of a size
    weights = None if weight is None else np.empty_like(weight)

    def scatter_part(part: slice, places: Array) -> None:
        part_weight = None if weight is None else weight[part]
        scatter.compiled(bits[part], positive[part], part_weight, *plan.of_row, places, keys, weights)

    pmap(scatter_part, parts, at)
    # More pieces than threads: ties make some quick, and the machine may be busy with other things.
    count = 4 * threads if threads > 1 else 1
    cuts = np.searchsorted(starts, [n * i // count for i in range(count)]).tolist()
    pieces = list(pairwise([*cuts, plan.buckets]))
    distinct = np.empty(plan.buckets, np.int64)
    pmap(lambda piece: sort_buckets.compiled(keys, weights, starts, distinct, *piece), pieces)
    return Run(plan, keys, weights, starts, np.concatenate([[0], np.cumsum(distinct)]), pieces)


def _tabulate(score: Array, positive: Array) -> tuple[Array, Array, Array]:
    keyed_scores = _keyed(score, positive)
    if keyed_scores is None:
        scores, positives, negatives = group(score, positive.astype(np.int64), (~positive).astype(np.int64))
        return scores, positives, negatives
    keys, top, least = keyed_scores
    keys.sort()
    depth = keys >> 1
    keys &= 1
    new = np.empty(keys.size, bool)
    new[0] = True
    np.not_equal(depth[1:], depth[:-1], out=new[1:])
    if new.all():
        positives, negatives = keys, 1 - keys
    else:
        starts = np.flatnonzero(new)
        depth, positives = depth[starts], np.add.reduceat(keys, starts)
        negatives = np.diff(starts, append=keys.size) - positives
    bits = np.subtract(top, depth, out=depth)
    if least < 0:
        bits = np.where(bits >= 0, bits, np.iinfo(f"i{score.itemsize}").min - bits)
    return bits.astype(f"i{score.itemsize}", copy=False).view(score.dtype), positives, negatives


def _keyed(score: Array, positive: Array) -> tuple[Array, int, int] | None:
    """Keys that sort as rows of falling scores do: 2 · (greatest - score, as integers) + 1 if positive.

    As in `sorting`, with the integers of the greatest score and of the least. None for other numbers than floats, and
    where depths need too many bits, as those of scores do that reach far on both sides of 0.
    """
    if not score.size or score.dtype not in (np.float32, np.float64):
        return None
    bits = score.view(f"i{score.itemsize}")
    least = int(bits.min())
    if least < 0:
        bits = np.where(bits >= 0, bits.astype(np.int64), np.iinfo(bits.dtype).min - bits.astype(np.int64))
        least = int(bits.min())
    top = int(bits.max())
    if top - least >= 1 << 62:
        return None
    depth = top - bits.astype(np.int64, copy=False)
    depth <<= 1
    depth |= positive
    return depth, top, least


def _tabulate_weights(score: Array, positive: Array, weight: Array, sums: int) -> tuple[Array, ...]:
    zero = weight.dtype.type(0)
    parts = [np.where(positive, weight, zero), np.where(positive, zero, weight)]
    parts += [part * part for part in parts]
    return group(score, *parts[:sums])


def _is_long(score: Array, in_all: int = 0, least: int = 1) -> bool:
    return (
        0 < score.shape[0] < MOST_ROWS
        and score.dtype in (np.float32, np.float64)
        and extremes.is_ready(score.shape[0], in_all, loops=5, least=least)
    )


def _outputs(columns: int, m: int, dtype: Any, score: np.dtype[Any]) -> tuple[Array, Array]:
    # In one block: the system hands out a large one more quickly, and takes it back so.
    block, size = np.empty(m * (8 * columns + score.itemsize), np.uint8), 8 * columns * m
    return block[:size].view(dtype).reshape(columns, m), block[size:].view(f"i{score.itemsize}")


def tabulate(score: Array, positive: Array, in_all: int = 0) -> tuple[Array, Array, Array]:
    """Distinct scores, descending, with the number of positive and of other rows at each.

    `score`, floats without NaN, and `positive`, boolean, have shape `(rows,)`. A score of -0 counts as +0. The number
    of threads does not change the result. `in_all`, the number of scores in all tables that are made together, chooses
    the kernels.
    """
    if not _is_long(score, in_all, LEAST_ROWS):
        return _tabulate(score, positive)
    threads = thread_count(score.shape[0])
    with workers(threads) as pmap:
        run = _sort(np.ascontiguousarray(score), positive, None, threads, pmap)
        m = int(run.outs[-1])
        # Where no scores tie, the counts of the positives fit the memory of the keys.
        fits = m == run.keys.size and run.keys.dtype.itemsize == 8
        counts, scores = _outputs(1 if fits else 2, m, np.int64, score.dtype)
        positives, negatives = (run.keys.view(np.int64), counts[0]) if fits else counts
        pmap(lambda args: count_ties.compiled(run.keys, *args, scores, positives, negatives), run.of_piece)
    return scores.view(score.dtype), positives, negatives


def tabulate_weights(
    score: Array, positive: Array, weight: Array, sums: int, in_all: int = 0
) -> tuple[Array, ...]:
    """Distinct scores, descending, with the weight of positive and of other rows at each.

    `sums` is 2, or 4 to get the sums of the squared weights too. Rows are added up in their order. `in_all` as above.
    """
    if not _is_long(score, in_all, LEAST_ROWS) or weight.dtype not in (np.float64, np.int64):
        return _tabulate_weights(score, positive, weight, sums)
    threads = thread_count(score.shape[0])
    with workers(threads) as pmap:
        run = _sort(np.ascontiguousarray(score), positive, np.ascontiguousarray(weight), threads, pmap)
        m = int(run.outs[-1])
        added, scores = _outputs(sums, m, weight.dtype, score.dtype)
        weights = run.weights.view(weight.dtype)  # type: ignore[union-attr]
        pmap(lambda args: sum_ties.compiled(run.keys, weights, *args, scores, added), run.of_piece)
    return scores.view(score.dtype), *added


def tabulate_blocks(score: Array, positive: Array, block: Array, many: int) -> Array:
    """Return the block of each row, numbers below `many` as bytes, in the order of the table that `tabulate` makes.

    Scores descend; at each the positive rows come first, and those of a class by their block.
    """
    if not _is_long(score):
        return block[np.lexsort((block, ~positive, -score))].astype(np.uint8)
    threads = thread_count(score.shape[0])
    with workers(threads) as pmap:
        run = _sort(np.ascontiguousarray(score), positive, block.astype(np.int64), threads, pmap)
        ordered = np.empty(score.shape[0], np.uint8)
        pmap(
            lambda piece: order_ties.compiled(run.keys, run.weights, run.starts, *piece, many, ordered),
            run.pieces,
        )
    return ordered


def sorted_run(score: Array, positive: Array) -> Run | None:
    """Rows sorted by falling scores; None for so few rows that this does not pay."""
    if not _is_long(score):
        return None
    threads = thread_count(score.shape[0])
    with workers(threads) as pmap:
        return _sort(np.ascontiguousarray(score), positive, None, threads, pmap)


def _tabulate_pairs(
    score: Array, true: Array, weight: Array | None, squares: Array | None, went: Array
) -> tuple[Array, ...]:
    order = falling(score)
    scores, classes = score[order] + score.dtype.type(0), true[order]
    new = np.concatenate([[True], (scores[1:] != scores[:-1]) | (classes[1:] != classes[:-1])])
    new = new[: scores.size]
    heads = np.flatnonzero(new)
    went[order] = np.cumsum(new) - 1
    row_weights = np.ones(score.size, np.int64) if weight is None else weight
    added = [part[order] for part in (row_weights, squares) if part is not None]
    return (
        scores[heads],
        classes[heads],
        *(np.add.reduceat(part, heads) if heads.size else part for part in added),
    )


def tabulate_pairs(
    score: Array, true: Array, weight: Array | None, squares: Array | None, went: Array, in_all: int = 0
) -> tuple[Array, ...]:
    """Distinct pairs of score, descending, and class, ascending; the weight of each, and its sum of `squares` if given.

    Rows, `(rows,)`, are in the order of their class, `true`; without `weight` each counts once. `went` is filled with
    where each row is counted. `in_all`, the number of scores of all classes, chooses the kernels.
    """
    if not _is_long(score, in_all):
        return _tabulate_pairs(score, true, weight, squares, went)
    n = score.shape[0]
    run = _sort(score, np.zeros(n, bool), np.arange(n), 1, lambda f, *values: list(map(f, *values)))
    scores, classes = np.empty(n, f"i{score.itemsize}"), np.empty(n, true.dtype)
    sums = np.empty(n, np.int64 if weight is None else weight.dtype)
    squared = None if squares is None else np.empty(n, squares.dtype)
    m = pair_ties.compiled(
        run.keys, run.weights, run.starts, run.plan.scale, true, weight, squares,
        scores, classes, sums, squared, went,
    )  # fmt: skip
    columns = [scores.view(score.dtype), classes, sums, *([] if squared is None else [squared])]
    return tuple(column if m == n else column[:m].copy() for column in columns)
