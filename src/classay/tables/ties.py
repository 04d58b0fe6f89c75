"""Kernels that add up the rows of each distinct score, once `sorting` has put the keys in order.

They write what belongs to buckets `first` to before `last`, to the output from `outs[b]` on for bucket b.
`half` is the first bucket of depths with the top bit that keys lack.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import Part, kernel

Array = NDArray[Any]


@Part
def score_bits(value: Any, low: int) -> Any:
    """The bits of the float that `sorting.ordered` gave this integer: it undoes itself."""
    return value if value >= 0 else low - value


def _heads(keys: Array, starts: Array, rows: slice, half: int, low: int, most: int) -> tuple[Array, Array]:
    top = np.where(np.arange(keys.size) >= starts[half], np.int64(low), np.int64(0))
    values = (np.int64(most) + top - (keys >> 1).astype(np.int64))[rows]
    bits = np.where(values >= 0, values, np.int64(low) - values)
    return bits, np.flatnonzero(np.concatenate([[True], bits[1:] != bits[:-1]])[: bits.size])


def _count_ties(
    keys: Array,
    starts: Array,
    outs: Array,
    first: int,
    last: int,
    half: int,
    low: int,
    most: int,
    scores: Array,
    positives: Array,
    negatives: Array,
) -> None:
    into, rows = slice(outs[first], outs[last]), slice(starts[first], starts[last])
    bits, heads = _heads(keys, starts, rows, half, low, most)
    if heads.size:
        tags = (keys[rows] & 1).astype(np.int64)
        scores[into] = bits[heads]
        positives[into] = np.add.reduceat(tags, heads)
        negatives[into] = np.add.reduceat(1 - tags, heads)


@kernel(twin=_count_ties, assumes="starts and outs rise, and end within keys and the outputs")
def count_ties(
    keys: Array,
    starts: Array,
    outs: Array,
    first: int,
    last: int,
    half: int,
    low: int,
    most: int,
    scores: Array,
    positives: Array,
    negatives: Array,
) -> None:
    """Distinct scores (as bits) and each class's rows there. `positives` may overwrite keys if none tie."""
    one = np.uint64(1)
    for b in range(first, last):
        run = keys[starts[b] : starts[b + 1]]
        n = run.shape[0]
        if n == 0:
            continue
        top = most + (low if b >= half else 0)
        to_scores, to_positives, to_negatives = (
            scores[outs[b] : outs[b + 1]],
            positives[outs[b] : outs[b + 1]],
            negatives[outs[b] : outs[b + 1]],
        )
        if to_scores.shape[0] == n:
            for i in range(n):
                to_scores[i] = score_bits(top - np.int64(np.uint64(run[i]) >> one), low)
                to_negatives[i] = 1 - np.int64(run[i] & one)
            for i in range(n):
                to_positives[i] = np.int64(run[i] & one)
            continue
        m, p, q = np.int64(-1), np.int64(0), np.int64(0)
        previous = ~(np.uint64(run[0]) >> one)
        for i in range(n):
            depth = np.uint64(run[i]) >> one
            again = np.int64(depth == previous)
            previous = depth
            tag = np.int64(run[i] & one)
            p = (p & -again) + tag
            q = (q & -again) + 1 - tag
            m += 1 - again
            to_scores[m] = score_bits(top - np.int64(depth), low)
            to_positives[m] = p
            to_negatives[m] = q


def _sum_ties(
    keys: Array,
    weights: Array,
    starts: Array,
    outs: Array,
    first: int,
    last: int,
    half: int,
    low: int,
    most: int,
    scores: Array,
    sums: Array,
) -> None:
    into, rows = slice(outs[first], outs[last]), slice(starts[first], starts[last])
    bits, heads = _heads(keys, starts, rows, half, low, most)
    if heads.size:
        scores[into] = bits[heads]
        weight, tags = weights[rows], keys[rows] & 1 == 1
        parts = [np.where(tags, weight, 0), np.where(tags, 0, weight)]
        parts += [part * part for part in parts]
        sums[:, into] = np.add.reduceat(parts[: sums.shape[0]], heads, axis=1)


@kernel(twin=_sum_ties, assumes="starts and outs rise, and end within keys and the outputs")
def sum_ties(
    keys: Array,
    weights: Array,
    starts: Array,
    outs: Array,
    first: int,
    last: int,
    half: int,
    low: int,
    most: int,
    scores: Array,
    sums: Array,
) -> None:
    """Distinct scores (as bits) and each class's weight there, then its squares if `sums` has four rows."""
    one = np.uint64(1)
    zero = weights.dtype.type(0)
    with_squares = sums.shape[0] == 4
    for b in range(first, last):
        m = outs[b] - 1
        run, weight = keys[starts[b] : starts[b + 1]], weights[starts[b] : starts[b + 1]]
        top = most + (low if b >= half else 0)
        previous = np.uint64(0)
        p, q, pp, qq = zero, zero, zero, zero
        for i in range(run.shape[0]):
            depth = np.uint64(run[i]) >> one
            w = weight[i]
            if i == 0 or depth != previous:
                p, q, pp, qq = zero, zero, zero, zero
                m += 1
                scores[m] = score_bits(top - np.int64(depth), low)
            previous = depth
            of_positive = w if run[i] & one else zero
            of_negative = zero if run[i] & one else w
            p += of_positive
            q += of_negative
            sums[0, m] = p
            sums[1, m] = q
            if with_squares:
                pp += of_positive * of_positive
                qq += of_negative * of_negative
                sums[2, m] = pp
                sums[3, m] = qq


def _order_ties(
    keys: Array, blocks: Array, starts: Array, first: int, last: int, many: int, ordered: Array
) -> None:
    for b in range(first, last):
        rows = slice(starts[b], starts[b + 1])
        depth, tag = keys[rows] >> keys.dtype.type(1), keys[rows] & keys.dtype.type(1)
        ordered[rows] = blocks[rows][np.lexsort((blocks[rows], 1 - tag.astype(np.int8), depth))]


@kernel(twin=_order_ties, assumes="starts rise and end within keys; every block is in 0 to before many")
def order_ties(
    keys: Array, blocks: Array, starts: Array, first: int, last: int, many: int, ordered: Array
) -> None:
    """The block of each row of sorted buckets: of equal scores positive rows first, each class by block.

    `blocks` are numbers below `many`, `ordered` the output.
    """
    counts = np.zeros((2, many), np.int64)
    for b in range(first, last):
        i, end = starts[b], starts[b + 1]
        while i < end:
            after = i + 1
            while after < end and (keys[after] ^ keys[i]) <= 1:
                after += 1
            if after == i + 1:
                ordered[i] = blocks[i]
                i = after
                continue
            counts[:] = 0
            for row in range(i, after):
                counts[1 - np.int64(keys[row] & 1), blocks[row]] += 1
            for which in range(2):
                for block in range(many):
                    for _ in range(counts[which, block]):
                        ordered[i] = block
                        i += 1


def _pair_ties(
    keys: Array,
    rows: Array,
    starts: Array,
    half: int,
    low: int,
    most: int,
    true: Array,
    weight: Any,
    squares: Any,
    scores: Array,
    classes: Array,
    sums: Array,
    squared: Any,
    went: Array,
) -> int:
    bits, _ = _heads(keys, starts, slice(None), half, low, most)
    own = true[rows]
    new = np.concatenate([[True], (bits[1:] != bits[:-1]) | (own[1:] != own[:-1])])[: bits.size]
    heads = np.flatnonzero(new)
    m = heads.size
    scores[:m], classes[:m] = bits[heads], own[heads]
    sums[:m] = np.diff(heads, append=rows.size) if weight is None else np.add.reduceat(weight[rows], heads)
    if squares is not None:
        squared[:m] = np.add.reduceat(squares[rows], heads)
    went[rows] = np.cumsum(new) - 1
    return m


@kernel(
    twin=_pair_ties,
    assumes="rows are in the order of the keys and below the length of true; outputs are as long as rows",
)
def pair_ties(
    keys: Array,
    rows: Array,
    starts: Array,
    half: int,
    low: int,
    most: int,
    true: Array,
    weight: Any,
    squares: Any,
    scores: Array,
    classes: Array,
    sums: Array,
    squared: Any,
    went: Array,
) -> Any:
    """Distinct pairs of score (as bits) and class, with the weight and its squares there; how many there are.

    Rows of one score come by rising class. `went` says where each row is counted; without `weight` each counts once.
    """
    m: Any = np.int64(-1)
    for b in range(starts.shape[0] - 1):
        top = most + (low if b >= half else 0)
        previous, last = np.uint64(0), true[0]
        for i in range(starts[b], starts[b + 1]):
            depth = np.uint64(keys[i]) >> np.uint64(1)
            row = rows[i]
            own = true[row]
            if i == starts[b] or depth != previous or own != last:
                m += 1
                scores[m] = score_bits(top - np.int64(depth), low)
                classes[m] = own
                sums[m] = 0
                if squares is not None:
                    squared[m] = 0
            previous, last = depth, own
            if weight is None:
                sums[m] += 1
            else:
                sums[m] += weight[row]
            if squares is not None:
                squared[m] += squares[row]
            went[row] = m
    return m + 1
