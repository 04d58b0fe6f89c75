"""Kernels that add up the rows of each distinct score, once they are in order.

Rows that only count are dealt to a run for each class and piece of the scores, which NumPy sorts, and both runs of a
piece are merged. Rows that carry something are put in order by `sorting`: what belongs to buckets `first` to before
`last` is written to the output from `outs[b]` on for bucket b, and `half` is the first bucket of depths with the top
bit that keys lack.
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


def _piece_of(score: Array, cuts: Array) -> Array:
    return np.asarray((score[:, None] < cuts).sum(1))


@Part
def piece_of(score: Any, cuts: Array) -> Any:
    """The piece that a score belongs to: how many of the cuts it is below."""
    piece = np.int64(0)
    for k in range(cuts.shape[0]):
        piece += np.int64(score < cuts[k])
    return piece


def _count_pieces(score: Array, positive: Array, cuts: Array) -> Array:
    return np.bincount(2 * _piece_of(score, cuts) + ~positive, minlength=2 * cuts.size + 2)


@kernel(twin=_count_pieces, assumes="positive is true or false")
def count_pieces(score: Array, positive: Array, cuts: Array) -> Array:
    """Rows of each piece and class, the positive ones first."""
    counts = np.zeros(2 * cuts.shape[0] + 2, np.int64)
    for i in range(score.shape[0]):
        counts[2 * piece_of(score[i], cuts) + 1 - np.int64(positive[i])] += 1
    return counts


def _deal_pieces(score: Array, positive: Array, cuts: Array, at: Array, dealt: Array) -> None:
    into = 2 * _piece_of(score, cuts) + ~positive
    order = np.argsort(into, kind="stable")
    into = into[order]
    dealt[at[into] + np.arange(into.size) - np.searchsorted(into, into)] = score[order]


@kernel(twin=_deal_pieces, assumes="at are the starts that count_pieces gave for the same rows")
def deal_pieces(score: Array, positive: Array, cuts: Array, at: Array, dealt: Array) -> None:
    """Write each row's score to the run of its piece and class."""
    at = at.copy()
    for i in range(score.shape[0]):
        run = 2 * piece_of(score[i], cuts) + 1 - np.int64(positive[i])
        place = at[run]
        at[run] = place + 1
        dealt[np.uint64(place)] = score[i]


def _merge_ties(own: Array, others: Array, scores: Array, positives: Array, negatives: Array) -> int:
    distinct = np.unique(np.concatenate([own, others]))
    m = distinct.size

    def count(run: Array) -> Array:
        upto = np.searchsorted(run, distinct, side="right").astype(np.int64)
        counts: Array = np.diff(upto, prepend=0)[::-1]
        return counts

    scores[:m], positives[:m], negatives[:m] = distinct[::-1] + own.dtype.type(0), count(own), count(others)
    return int(m)


@kernel(twin=_merge_ties, assumes="both runs ascend; the outputs have a place for every row of both")
def merge_ties(own: Array, others: Array, scores: Array, positives: Array, negatives: Array) -> Any:
    """The distinct scores of two ascending runs, descending, and the rows of each run there; how many scores."""
    i, j = own.shape[0] - 1, others.shape[0] - 1
    m, p, q = np.int64(-1), np.int64(0), np.int64(0)
    zero = scores.dtype.type(0)
    previous = zero
    # No branch depends on which run has the greater score, because no predictor can guess that.
    while i >= 0 and j >= 0:
        one, other = own[i], others[j]
        from_own, from_other = np.int64(one >= other), np.int64(other >= one)
        score = max(one, other)
        again = np.int64(score == previous) & np.int64(m >= 0)
        previous = score
        p = (p & -again) + from_own
        q = (q & -again) + from_other
        m += 1 - again
        scores[m], positives[m], negatives[m] = score + zero, p, q
        i -= from_own
        j -= from_other
    rest, is_own = (own, np.int64(1)) if i >= 0 else (others, np.int64(0))
    for k in range(max(i, j), -1, -1):
        score = rest[k]
        again = np.int64(score == previous) & np.int64(m >= 0)
        previous = score
        p = (p & -again) + is_own
        q = (q & -again) + 1 - is_own
        m += 1 - again
        scores[m], positives[m], negatives[m] = score + zero, p, q
    return m + 1


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
