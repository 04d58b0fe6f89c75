"""Kernels that sort scores and then add up the rows of each distinct score.

Kernels that sort scores: one pass scatters them into buckets, then each bucket is sorted within the cache.

A score's bits, read as an integer, become its *depth* below the greatest score: 0 for that one, more for
lower scores. A *key* is twice the depth plus a tag bit (the class), which never decides the order. Doubling
loses the depth's top bit, but the number of the bucket implies it.

Buckets are ranges of depths. A table, looked up by a depth's first bits, holds how finely their range is
split and where its buckets start, so that crowded ranges are split more finely: half of all probabilities may
share an exponent. The split only decides the speed, never the result.

Kernels that add up the rows of each distinct score, once `sorting` has put the keys in order.

They write what belongs to buckets `first` to before `last`, to the output from `outs[b]` on for bucket b.
`scale` is `half`, the first bucket of depths with the top bit that keys lack, and the least and the greatest integer.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import KernelStep, kernel

Array = NDArray[Any]

FEW = 16
"""Rows that insertion sorts quickest."""

MAX_DIGITS = 12
"""Most bits of a key for one pass within a bucket: the nearest cache must hold a counter for each value."""


def _ordered(bits: Array, low: int) -> Array:
    return np.where(bits >= 0, bits.astype(np.int64), np.int64(low) - bits)


@KernelStep
def ordered(bits: Any, low: int) -> Any:
    """Return the integer that sorts as the float of these bits does, -0 with +0; `low` is the least integer."""
    value = np.int64(bits)
    return value if value >= 0 else low - value


def _bucket(depth: Array, table: Array, shift: int) -> Array:
    code = table[(depth >> np.uint64(shift)).astype(np.intp)]
    return (depth >> (code & 63).astype(np.uint64)).astype(np.int64) + (code >> 6)


@KernelStep
def bucket(depth: Any, table: Array, shift: int) -> Any:
    """Number of the bucket of a depth: the entry of its first bits holds a shift (6 bits) and an offset."""
    code = table[depth >> np.uint64(shift)]
    return np.uint64(np.int64(depth >> np.uint64(code & 63)) + (code >> 6))


def _extremes(bits: Array, low: int) -> tuple[int, int]:
    values = _ordered(bits, low)
    return int(values.min()), int(values.max())


@kernel(twin=_extremes, nanoseconds=30)
def extremes(bits: Array, low: int) -> tuple[int, int]:
    """Least and greatest ordered integer."""
    least = ordered(bits[0], low)
    most = least
    for i in range(bits.shape[0]):
        value = ordered(bits[i], low)
        least = min(least, value)
        most = max(most, value)
    return least, most


def _count_buckets(bits: Array, low: int, most: int, table: Array, shift: int, buckets: int) -> Array:
    depth = (np.int64(most) - _ordered(bits, low)).view(np.uint64)
    return np.bincount(_bucket(depth, table, shift), minlength=buckets).astype(np.int32)


@kernel(twin=_count_buckets, assumes="the bits are none of NaN; table has a bucket for every key")
def count_buckets(bits: Array, low: int, most: int, table: Array, shift: int, buckets: int) -> Array:
    """Rows in each bucket."""
    counts = np.zeros(buckets, np.int32)
    for i in range(bits.shape[0]):
        depth = np.uint64(most - ordered(bits[i], low))
        counts[bucket(depth, table, shift)] += np.int32(1)
    return counts


def _scatter(
    bits: Array,
    tag: Array,
    weight: Any,
    low: int,
    most: int,
    table: Array,
    shift: int,
    at: Array,
    keys: Array,
    weights: Any,
) -> None:
    depth = (np.int64(most) - _ordered(bits, low)).view(np.uint64)
    into = _bucket(depth, table, shift)
    order = np.argsort(into, kind="stable")
    into = into[order]
    places = at[into] + np.arange(into.size) - np.searchsorted(into, into)
    keys[places] = ((depth << np.uint64(1)) | tag)[order].astype(keys.dtype)
    if weights is not None:
        weights[places] = weight[order]
    at += np.bincount(into, minlength=at.size)


@kernel(twin=_scatter, assumes="at are the starts that count_buckets gave for the same rows")
def scatter(
    bits: Array,
    tag: Array,
    weight: Any,
    low: int,
    most: int,
    table: Array,
    shift: int,
    at: Array,
    keys: Array,
    weights: Any,
) -> None:
    """Write rows' keys, and weights if any, into their buckets; `at`, each bucket's next place, moves on."""
    for i in range(bits.shape[0]):
        depth = np.uint64(most - ordered(bits[i], low))
        b = bucket(depth, table, shift)
        place = at[b]
        at[b] = place + 1
        keys[np.uint64(place)] = (depth << np.uint64(1)) | np.uint64(tag[i])
        if weights is not None:
            weights[np.uint64(place)] = weight[i]


@KernelStep
def varying_bits(run: Array) -> int:
    """Number of bits, counted from the lowest and without the tag, in which some keys differ."""
    head = run[0]
    differing = head ^ head
    for i in range(run.shape[0]):
        differing |= run[i] ^ head
    rest = np.uint64(differing) >> np.uint64(1)
    bits = 0
    while rest:
        rest >>= np.uint64(1)
        bits += 1
    return bits


@KernelStep
def deal(run: Array, weights: Any, out: Array, out_weights: Any, ends: Array, high: int, digits: int) -> Any:
    """Copy keys in the stable order of their top `digits` of `high` bits, the end of each digit's to `ends`.

    Returns the most keys that share a digit.
    """
    drop, mask = np.uint64(high - digits + 1), np.uint64((1 << digits) - 1)
    ends[: 1 << digits] = 0
    for i in range(run.shape[0]):
        ends[(np.uint64(run[i]) >> drop) & mask] += np.int32(1)
    place, most = np.int32(0), np.int32(0)
    for digit in range(1 << digits):
        here = ends[digit]
        ends[digit] = place
        place += here
        most = max(most, here)
    for i in range(run.shape[0]):
        key = run[i]
        d = (np.uint64(key) >> drop) & mask
        place = ends[d]
        ends[d] = place + np.int32(1)
        out[np.uint64(place)] = key
        if weights is not None:
            out_weights[np.uint64(place)] = weights[i]
    return most


@KernelStep
def sweep(near: Array, run: Array) -> Any:
    """Copy nearly sorted keys, two passes of bubble sort on the way; whether that left any out of order.

    No branch depends on the data, so unlike insertion it costs the same for keys that no predictor can guess.
    """
    n = near.shape[0]
    most, second = max(near[0], near[1]), min(near[0], near[1])
    for i in range(2, n):
        key = near[i]
        passed = min(most, key)
        most = max(most, key)
        run[i - 2] = min(second, passed)
        second = max(second, passed)
    run[n - 2] = second
    run[n - 1] = most
    disorder = np.int64(0)
    for i in range(1, n):
        disorder += np.int64((np.uint64(run[i]) | np.uint64(1)) < run[i - 1])
    return disorder > 0


@KernelStep
def insert(run: Array, weights: Any) -> None:
    """Insertion sort, stable: for nearly sorted keys."""
    for i in range(1, run.shape[0]):
        key = run[i]
        last = np.uint64(key) | np.uint64(1)
        if weights is not None:
            weight = weights[i]
        j = i
        while j > 0:
            other = run[j - 1]
            if other <= last:
                break
            run[j] = other
            if weights is not None:
                weights[j] = weights[j - 1]
            j -= 1
        run[j] = key
        if weights is not None:
            weights[j] = weight


@KernelStep
def copy_to(to: Array, run: Array) -> None:
    """Copy keys or weights. A slice that is assigned to would take three seconds to compile, for its error message."""
    for i in range(run.shape[0]):
        to[i] = run[i]


@KernelStep
def settle(near: Array, near_weights: Any, run: Array, weights: Any) -> None:
    """Copy nearly sorted keys, sorting them."""
    if weights is None:
        if near.shape[0] < 2:
            copy_to(run, near)
        elif sweep(near, run):
            insert(run, weights)
    else:
        copy_to(run, near)
        copy_to(weights, near_weights)
        insert(run, weights)


@KernelStep
def sort_run(keys: Array, weights: Any, spare: Array, spare_weights: Any, ends: Array, stack: Array) -> None:
    """Sort keys, weights with them, by the first bits that vary, what shares those by the next, and so on.

    A pass uses up 5 bits or more of a key's, so that no input takes more than 13 passes.
    """
    stack[0, 0], stack[0, 1] = 0, keys.shape[0]
    depth = 1
    while depth:
        depth -= 1
        start, stop = stack[depth, 0], stack[depth, 1]
        run = keys[start:stop]
        run_weights: Any = None if weights is None else weights[start:stop]
        n = stop - start
        if n <= FEW:
            insert(run, run_weights)
            continue
        high = varying_bits(run)
        if high == 0:
            continue
        digits = 5
        while digits < MAX_DIGITS and n >> (digits - 1):
            digits += 1
        digits = min(digits, high)
        near = spare[:n]
        near_weights = None if weights is None else spare_weights[:n]
        most = deal(run, run_weights, near, near_weights, ends, high, digits)
        if most <= FEW or digits == high:
            settle(near, near_weights, run, run_weights)
            continue
        copy_to(run, near)
        if weights is not None:
            copy_to(run_weights, near_weights)
        begin = start
        for digit in range(1 << digits):
            end = start + ends[digit]
            if end - begin > 1:
                stack[depth, 0], stack[depth, 1] = begin, end
                depth += 1
            begin = end


def _sort_buckets(keys: Array, weights: Any, starts: Array, distinct: Array, first: int, last: int) -> None:
    for b in range(first, last):
        run = slice(starts[b], starts[b + 1])
        order = np.argsort(keys[run] >> 1, kind="stable")
        keys[run] = keys[run][order]
        if weights is not None:
            weights[run] = weights[run][order]
        distinct[b] = np.unique(keys[run] >> 1).size


@kernel(twin=_sort_buckets, assumes="starts rise and end within keys")
def sort_buckets(keys: Array, weights: Any, starts: Array, distinct: Array, first: int, last: int) -> None:
    """Sort the keys of buckets `first` to before `last`, weights with them; count distinct depths of each."""
    largest = 0
    for b in range(first, last):
        largest = max(largest, starts[b + 1] - starts[b])
    spare = np.empty(largest, keys.dtype)
    spare_weights = None if weights is None else np.empty(largest, weights.dtype)
    ends = np.empty(1 << MAX_DIGITS, np.int32)
    stack = np.empty((largest // 2 + 2, 2), np.int64)
    for b in range(first, last):
        run = keys[starts[b] : starts[b + 1]]
        run_weights = None if weights is None else weights[starts[b] : starts[b + 1]]
        sort_run(run, run_weights, spare, spare_weights, ends, stack)
        changes = np.int64(run.shape[0] > 0)
        for i in range(1, run.shape[0]):
            changes += np.int64((run[i] ^ run[i - 1]) > 1)
        distinct[b] = changes


@KernelStep
def score_bits(value: Any, low: int) -> Any:
    """Return the bits of the float that `sorting.ordered` gave this integer: it undoes itself."""
    return value if value >= 0 else low - value


def _heads(keys: Array, starts: Array, rows: slice, scale: tuple[int, int, int]) -> tuple[Array, Array]:
    half, low, most = scale
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
    scale: tuple[int, int, int],
    scores: Array,
    positives: Array,
    negatives: Array,
) -> None:
    into, rows = slice(outs[first], outs[last]), slice(starts[first], starts[last])
    bits, heads = _heads(keys, starts, rows, scale)
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
    scale: tuple[int, int, int],
    scores: Array,
    positives: Array,
    negatives: Array,
) -> None:
    """Distinct scores (as bits) and each class's rows there. `positives` may overwrite keys if none tie."""
    half, low, most = scale
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
    scale: tuple[int, int, int],
    scores: Array,
    sums: Array,
) -> None:
    into, rows = slice(outs[first], outs[last]), slice(starts[first], starts[last])
    bits, heads = _heads(keys, starts, rows, scale)
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
    scale: tuple[int, int, int],
    scores: Array,
    sums: Array,
) -> None:
    """Distinct scores (as bits) and each class's weight there, then its squares if `sums` has four rows."""
    half, low, most = scale
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
    scale: tuple[int, int, int],
    true: Array,
    weight: Any,
    squares: Any,
    scores: Array,
    classes: Array,
    sums: Array,
    squared: Any,
    went: Array,
) -> int:
    bits, _ = _heads(keys, starts, slice(None), scale)
    codes = true[rows]
    new = np.concatenate([[True], (bits[1:] != bits[:-1]) | (codes[1:] != codes[:-1])])[: bits.size]
    heads = np.flatnonzero(new)
    m = heads.size
    scores[:m], classes[:m] = bits[heads], codes[heads]
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
    scale: tuple[int, int, int],
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
    half, low, most = scale
    m: Any = np.int64(-1)
    for b in range(starts.shape[0] - 1):
        top = most + (low if b >= half else 0)
        previous, last = np.uint64(0), true[0]
        for i in range(starts[b], starts[b + 1]):
            depth = np.uint64(keys[i]) >> np.uint64(1)
            row = rows[i]
            row_class = true[row]
            if i == starts[b] or depth != previous or row_class != last:
                m += 1
                scores[m] = score_bits(top - np.int64(depth), low)
                classes[m] = row_class
                sums[m] = 0
                if squares is not None:
                    squared[m] = 0
            previous, last = depth, row_class
            if weight is None:
                sums[m] += 1
            else:
                sums[m] += weight[row]
            if squares is not None:
                squared[m] += squares[row]
            went[row] = m
    return m + 1
