"""Kernels of draws: how often each unit or cell is drawn, what that says of a ranking, and sums of random signs.

A ranking is laid out class by class: `drawn[r]` holds first the `split` cells of the positives, then those of
the negatives, each from the highest score down. `ends`, `above` and `through` describe its steps, the
distinct scores at which there are positives: step k holds the cells `ends[k]` to `ends[k + 1]` of the
positives, `above[k]` cells of negatives score higher, and `through[k]` as high or higher. Between two steps
no ranking measure looks, so nothing else of the scores is needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.kernels import GOLDEN, mixed
from classay.compiled import KernelStep, kernel

Array = NDArray[Any]
STEPS = 256
"""Steps of a ranking that are looked at together."""


def _draw_units(keys: Array, totals: Array, starts: Array, bits: Array, drawn: Array) -> None:
    fields = np.arange(0, 64, 16, dtype=np.uint64)
    needed = (totals + 3) // 4
    used = np.cumsum(needed, axis=1) - needed
    rows = np.arange(keys.shape[0])[:, None]
    for b, (start, width) in enumerate(zip(starts, bits, strict=True)):
        size = 1 << int(width)
        pool = mixed(
            keys[:, None] + (used[:, b, None] + np.arange(needed[:, b].max())).astype(np.uint64) * GOLDEN
        )
        at = ((pool[:, :, None] >> fields) & np.uint64(size - 1)).reshape(rows.size, -1).astype(np.intp)
        is_needed = np.arange(at.shape[1]) < totals[:, b, None]
        counted = np.bincount((rows * size + at)[is_needed], minlength=rows.size * size)
        drawn[:, start : start + size] = counted.reshape(-1, size)


@kernel(
    twin=_draw_units,
    assumes="each block, 2^bits units from its start on, ends within drawn",
    nanoseconds=1,
)
def draw_units(keys: Array, totals: Array, starts: Array, bits: Array, drawn: Array) -> None:
    """How often each unit is drawn, `[replicate, unit]`, in `totals[r, b]` draws from each block b.

    A block of 2^bits units from `starts` on takes that many bits of a random word a draw (at most 16, four
    draws a word), so every unit is exactly equally likely: there is no range reduction and no bias. Counts
    fit a byte: more than 255 draws of one unit have probability under 1e-500.
    """
    pool = np.empty(256, np.uint64)
    for r in range(keys.shape[0]):
        state = np.uint64(keys[r])
        drawn[r, :] = 0
        for b in range(starts.shape[0]):
            size = np.int64(1) << bits[b]
            mask = np.uint64(size - 1)
            into = drawn[r, starts[b] : starts[b] + size]
            left = totals[r, b]
            while left > 0:
                count = min(256, (left + 3) // 4)
                for i in range(count):
                    pool[i] = mixed(state + np.uint64(i) * GOLDEN)
                state += np.uint64(count) * GOLDEN
                full_words = min(count, left // 4)
                for i in range(full_words):
                    z = pool[i]
                    into[z & mask] += 1
                    into[(z >> np.uint64(16)) & mask] += 1
                    into[(z >> np.uint64(32)) & mask] += 1
                    into[(z >> np.uint64(48)) & mask] += 1
                left -= 4 * full_words
                if full_words < count:
                    z = pool[full_words]
                    for _ in range(left):
                        into[z & mask] += 1
                        z >>= np.uint64(16)
                    left = 0


def _heights(cells: Array) -> Array:
    """Weight of the cells before each place, `[replicate, cells + 1]`."""
    running = np.float64 if cells.dtype.kind == "f" else np.int64
    zero = np.zeros((cells.shape[0], 1), running)
    return np.concatenate([zero, np.cumsum(cells, -1, dtype=running)], -1)


def _ranking_areas(
    drawn: Array,
    split: int,
    ends: Array,
    above: Array,
    through: Array,
    tied: Array,
    scratch: Array,
    out: Array,
) -> None:
    tp, fp = _heights(drawn[:, :split]), _heights(drawn[:, split:])
    weight = np.diff(tp[:, ends])
    reached, called = tp[:, ends[1:]], tp[:, ends[1:]] + fp[:, through]
    below = 2 * fp[:, -1:] - fp[:, above] - fp[:, through]
    out[:, 0] = (weight.astype(np.float64) * below).sum(-1)  # pairs of huge counts are too many for int64
    out[:, 1] = (weight * (reached / np.where(called > 0, called, 1))).sum(-1)
    out[:, 2], out[:, 3] = tp[:, -1], fp[:, -1]


@kernel(
    twin=_ranking_areas,
    assumes="ends, above and through are places of scratch, each within its class",
    nanoseconds=40,
)
def ranking_areas(
    drawn: Array,
    split: int,
    ends: Array,
    above: Array,
    through: Array,
    tied: Array,
    scratch: Array,
    out: Array,
) -> None:
    """Per replicate: twice the concordant pairs, ties once; summed precision; weight of each class.

    `tied` are the steps at whose score there are negatives too. `scratch` holds running sums: as many places as there
    are cells, and two more.
    """
    steps, u = through.shape[0], np.uint32
    reached, called = np.empty(STEPS + 1, scratch.dtype), np.empty(STEPS, scratch.dtype)
    sums, products = np.empty(STEPS // 4), np.empty(STEPS // 4)
    for r in range(drawn.shape[0]):
        positives, negatives = drawn[r, :split], drawn[r, split:]
        scratch[0] = sums[:] = products[:] = 0
        tp = fp = scratch[0]  # a zero of the kind of the sums
        first, at, ties = u(0), 0, 0.0
        for start in range(0, steps, STEPS):
            size = min(STEPS, steps - start)
            if steps == split:
                tp = add_up(positives[start : start + size], tp, reached)
            else:
                tp = add_up_runs(positives, ends[start : start + size + 1], tp, reached)
            lower = through[start : start + size]
            part = negatives[first : lower[size - 1]]
            fp = add_up(part, fp, scratch)
            for k in range(size):
                called[k] = scratch[lower[k] - first]
            while at < tied.shape[0] and tied[at] < start + size:
                k = tied[at] - start
                weight = np.float64(reached[k + 1] - reached[k])
                ties += weight * np.float64(called[k] - scratch[above[start + k] - first])
                at += 1
            first = lower[size - 1]
            for k in range(size):
                if reached[k + 1] + called[k] > 0:
                    break
                called[k] = 1  # nothing is drawn down to here
            reached[size + 1 :] = tp
            called[size:] = 1
            add_steps(reached[:STEPS], reached[1:], called, sums, products)
        for i in range(first, negatives.shape[0]):
            fp += negatives[i]
        p, n = np.float64(tp), np.float64(fp)
        out[r, 0], out[r, 1] = 2 * (p * n - products.sum()) + ties, sums.sum()
        out[r, 2], out[r, 3] = p, n


@KernelStep
def add_up(cells: Array, run: Any, sums: Array) -> Any:
    """Running sums, begun at one; and the last."""
    sums[0] = run
    for i in range(cells.shape[0]):
        run += cells[i]
        sums[i + 1] = run
    return run


@KernelStep
def add_up_runs(cells: Array, ends: Array, run: Any, sums: Array) -> Any:
    """Running sums at the end of each run of cells, begun at one; and the last."""
    sums[0] = run
    for k in range(ends.shape[0] - 1):
        for i in range(ends[k], ends[k + 1]):
            run += cells[i]
        sums[k + 1] = run
    return run


@KernelStep
def add_steps(before: Array, after: Array, called: Array, sums: Array, products: Array) -> None:
    """Add precision times weight, and weight times what is called, of some steps, four by four.

    The four precisions are brought over a common denominator: a division takes as long as many products.
    """
    size = STEPS // 4
    for k in range(size):
        ta, tb = np.float64(after[k]), np.float64(after[k + size])
        tc, td = np.float64(after[k + 2 * size]), np.float64(after[k + 3 * size])
        fa, fb = np.float64(called[k]), np.float64(called[k + size])
        fc, fd = np.float64(called[k + 2 * size]), np.float64(called[k + 3 * size])
        wa, wb = ta - before[k], tb - before[k + size]
        wc, wd = tc - before[k + 2 * size], td - before[k + 3 * size]
        products[k] += (wa * fa + wb * fb) + (wc * fc + wd * fd)
        a, b, c, d = ta + fa, tb + fb, tc + fc, td + fd
        ab, cd = a * b, c * d
        sums[k] += ((wa * ta * b + wb * tb * a) * cd + (wc * tc * d + wd * td * c) * ab) / (ab * cd)


def _curve_shapes(
    drawn: Array,
    split: int,
    ends: Array,
    above: Array,
    through: Array,
    max_fpr: float,
    scratch: Array,
    out: Array,
) -> None:
    tp, fp = _heights(drawn[:, :split]), _heights(drawn[:, split:])
    p, n = tp[:, -1:], fp[:, -1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        lower, upper = tp[:, ends[:-1]] / p, tp[:, ends[1:]] / p
        left, right = fp[:, above] / n, fp[:, through] / n
        out[:, 0] = np.maximum(np.abs(lower - left), np.abs(upper - right)).max(-1, initial=0)
        last = np.concatenate([np.zeros_like(p, float), right[:, :-1]], -1)
        flat = (np.minimum(left, max_fpr) - np.minimum(last, max_fpr)) * lower
        stop = np.minimum(right, max_fpr)
        rise = np.where(right > left, (stop - left) / np.where(right > left, right - left, 1), 0) * (
            upper - lower
        )
        sloped = np.where(left < max_fpr, (stop - left) * (2 * lower + rise) / 2, 0)
        end = np.minimum(right, max_fpr).max(-1, initial=0)
        out[:, 1] = (flat + sloped).sum(-1) + (max_fpr - end)
        out[:, 2] = (2 * tp[:, ends[1:]] / (tp[:, ends[1:]] + fp[:, through] + p)).max(-1, initial=0)
        out[:, 3] = np.where(right <= max_fpr, upper, 0).max(-1, initial=0)
        out[(p[:, 0] == 0) | (n[:, 0] == 0)] = np.nan
        out[:, 4], out[:, 5] = p[:, 0], n[:, 0]


@kernel(
    twin=_curve_shapes,
    assumes="ends, above and through are places of scratch, each within its class",
    nanoseconds=75,
)
def curve_shapes(
    drawn: Array,
    split: int,
    ends: Array,
    above: Array,
    through: Array,
    max_fpr: float,
    scratch: Array,
    out: Array,
) -> None:
    """Per replicate: largest gap of the rates; area up to max_fpr; best F1; TPR at max_fpr; class weights.

    The area takes the curve as straight lines between thresholds, to the cut too.
    """
    tps, fps = scratch[: split + 1], scratch[split + 1 :]
    for r in range(drawn.shape[0]):
        positives, negatives = drawn[r, :split], drawn[r, split:]
        tps[0] = fps[0] = 0
        run = tps[0]  # a zero of the kind of the sums
        for i in range(negatives.shape[0]):
            run += negatives[i]
            fps[i + 1] = run
        n = np.float64(run)
        run = tps[0]
        for i in range(split):
            run += positives[i]
            tps[i + 1] = run
        p = np.float64(run)
        out[r, 4], out[r, 5] = p, n
        if p == 0 or n == 0:
            out[r, :4] = np.nan
            continue
        gap = area = best = reached = lower = last = 0.0
        for k in range(above.shape[0]):
            tp = np.float64(tps[ends[k + 1]])
            upper = tp / p
            left, right = fps[above[k]] / n, fps[through[k]] / n
            gap = max(gap, abs(lower - left), abs(upper - right))
            best = max(best, 2 * tp / (tp + fps[through[k]] + p))
            area += (min(left, max_fpr) - min(last, max_fpr)) * lower
            if left < max_fpr and right > left:
                stop = min(right, max_fpr)
                area += (stop - left) * (lower + (stop - left) / (right - left) * (upper - lower) / 2)
            if right <= max_fpr:
                reached = upper
            lower, last = upper, right
        out[r, 0], out[r, 1] = gap, area + (max_fpr - min(last, max_fpr))
        out[r, 2], out[r, 3] = best, reached


def _weighted_sums(drawn: Array, values: Array, out: Array) -> None:
    out[:] = drawn @ values


@kernel(twin=_weighted_sums, nanoseconds=1.5)
def weighted_sums(drawn: Array, values: Array, out: Array) -> None:
    """Sum of the values of the units drawn, `[replicate]`."""
    n = drawn.shape[1]
    unrolled = n - n % 4
    for r in range(drawn.shape[0]):
        a = b = c = d = 0.0  # four sums: additions need not wait for each other
        for i in range(0, unrolled, 4):
            a += drawn[r, i] * values[i]
            b += drawn[r, i + 1] * values[i + 1]
            c += drawn[r, i + 2] * values[i + 2]
            d += drawn[r, i + 3] * values[i + 3]
        for i in range(unrolled, n):
            a += drawn[r, i] * values[i]
        out[r] = (a + b) + (c + d)


def _sum_cells_drawn(drawn: Array, cell: Array, weight: Array, out: Array) -> None:
    for times, into in zip(drawn, out, strict=True):
        into[:] = np.bincount(cell, weights=times * weight, minlength=out.shape[1])


@kernel(
    twin=_sum_cells_drawn,
    assumes="every cell is in 0 to before the cells of out",
    nanoseconds=5,
)
def sum_cells_drawn(drawn: Array, cell: Array, weight: Array, out: Array) -> None:
    """Weight of the rows drawn in each cell, `[replicate, cell]`, from the cell and weight of each row."""
    out[:] = 0
    for r in range(drawn.shape[0]):
        for i in range(drawn.shape[1]):
            out[r, cell[i]] += drawn[r, i] * weight[i]


def _flipped_sums(keys: Array, values: Array, out: Array) -> None:
    words = np.arange((values.size + 63) // 64, dtype=np.uint64) * GOLDEN
    for r, key in enumerate(keys):
        bits = np.unpackbits(mixed(key + words).astype("<u8").view(np.uint8), bitorder="little")
        out[r] = (values * (1.0 - 2.0 * bits[: values.size])).sum()


@kernel(twin=_flipped_sums, nanoseconds=8)
def flipped_sums(keys: Array, values: Array, out: Array) -> None:
    """Per replicate: the sum of the values, each with a random sign; `keys` start its stream of bits."""
    n = values.shape[0]
    for r in range(keys.shape[0]):
        state = np.uint64(keys[r])
        total = 0.0
        for start in range(0, n, 64):
            word = mixed(state)
            state += GOLDEN
            part = 0.0
            for i in range(start, min(start + 64, n)):
                part += values[i] * (1.0 - 2.0 * np.float64(word & np.uint64(1)))
                word >>= np.uint64(1)
            total += part
        out[r] = total


OTHER = np.uint64(0xD1B54A32D192ED03)
"""What makes of the key of a replicate that of its second stream, which draws what tables leave over."""
FEW_CASES = 1000
"""Cases of a block below which all of them are drawn one by one."""
NUMBERS = 8
"""Numbers that have places in the table of a single case, from 0 on."""
BITS = 10
"""Bits that choose a place in the table of several cases."""
WORDS = 64
"""Random words that are made at a time."""
HALVES = np.arange(0, 64, 32, dtype=np.uint64)
"""Where the halves of a word begin."""


class _Stream:
    """The words of a stream, some at a time."""

    def __init__(self, state: Any) -> None:
        self.state = int(state)

    def seen(self, count: int) -> Array:
        """Return the next words, which stay the next ones."""
        return np.asarray(mixed(np.uint64(self.state) + np.arange(count, dtype=np.uint64) * GOLDEN))

    def skip(self, count: int) -> None:
        self.state = (self.state + count * int(GOLDEN)) % 2**64

    def take(self, count: int) -> Array:
        words = self.seen(count)
        self.skip(count)
        return words

    def uniform(self, count: int) -> Array:
        return (self.take(count) >> np.uint64(11)) * 2.0**-53


def _draw_cells(
    keys: Array,
    totals: Array,
    edges: Array,
    case_edges: Array,
    holder: Array,
    single: Array,
    more: Array,
    more_edges: Array,
    kind: Array,
    tables: Array,
    least: Array,
    left_over: Array,
    large: Array,
    large_edges: Array,
    drawn: Array,
) -> None:
    for r, key in enumerate(keys):
        words, rest = _Stream(key), _Stream(key ^ OTHER)
        for b in range(edges.size - 1):
            first, cells = edges[b], edges[b + 1] - edges[b]
            cases = holder[case_edges[b] : case_edges[b + 1]]
            part, of = slice(more_edges[b], more_edges[b + 1]), large[large_edges[b] : large_edges[b + 1]]
            counts = np.zeros(cells, np.int64)
            while cases.size >= FEW_CASES:
                bits = words.take(-(-int(cells) // (4 * WORDS)) * WORDS).view(np.uint16)[:cells]
                counts = np.searchsorted(single, bits, side="right")
                at = np.flatnonzero(counts == NUMBERS)
                counts[at] = least[0] + np.searchsorted(left_over[0], rest.uniform(at.size), side="right")
                counts[of - first] = 0
                kinds = kind[part]
                bits = words.take(-(-kinds.size // (4 * WORDS)) * WORDS).view(np.uint16)[: kinds.size]
                others = tables[(kinds.astype(np.int64) << BITS) | (bits >> np.uint16(16 - BITS))].astype(
                    np.int64
                )
                at = np.flatnonzero(others < 0)
                t = kinds[at].astype(np.int64) + 1
                others[at] = least[t] + (left_over[t] <= rest.uniform(at.size)[:, None]).sum(1)
                counts[more[part]] += others
                if counts.sum() <= totals[r, b]:
                    break
            missing = totals[r, b] - counts.sum()
            mask = np.uint64((1 << int(max(cases.size - 1, 0)).bit_length()) - 1)
            while missing > 0:  # a word has two cases, of which at least every other one is there
                bits = ((words.seen(int(missing))[:, None] >> HALVES) & mask).ravel()
                at = np.flatnonzero(bits < cases.size)[:missing]
                counts += np.bincount(cases[bits[at].astype(np.int64)], minlength=cells)
                words.skip(int(at[-1]) // 2 + 1 if at.size == missing else int(missing))
                missing -= at.size
            drawn[r, first : first + cells] = counts
        drawn[r, large] = totals[r, edges.size - 1 :]


@KernelStep
def make_words(state: Any, words: Array) -> None:
    """The next words of a stream."""
    for i in range(words.size):
        words[i] = mixed(state + np.uint64(i) * GOLDEN)


@KernelStep
def leftover(states: Array, least: int, chances: Array) -> int:
    """Return a number of what a table leaves over."""
    uniform = np.float64(mixed(states[1]) >> np.uint64(11)) * 2.0**-53
    states[1] += GOLDEN
    low, high = 0, chances.size - 1
    while low < high:
        middle = (low + high) // 2
        if uniform < chances[middle]:
            high = middle
        else:
            low = middle + 1
    return least + low


@KernelStep
def draw_firsts(states: Array, single: Array, least: int, chances: Array, words: Array, into: Array) -> None:
    """The Poisson number of the first case of every cell: how many of the table's eight edges a number is past."""
    bits = words.view(np.uint16)
    a, b, c, d = single[0], single[1], single[2], single[3]
    e, f, g, h = single[4], single[5], single[6], single[7]
    for start in range(0, into.size, bits.size):
        make_words(states[0], words)
        states[0] += np.uint64(words.size) * GOLDEN
        part = into[start : start + bits.size]
        met = False
        for i in range(part.size):  # in narrow types, of which the processor compares many at a time
            x = bits[i]
            four = np.uint8(x >= a) + np.uint8(x >= b) + np.uint8(x >= c) + np.uint8(x >= d)
            part[i] = np.uint16(four + np.uint8(x >= e) + np.uint8(x >= f) + np.uint8(x >= g))
            met |= x >= h
        if met:
            for i in range(part.size):
                if bits[i] >= h:
                    part[i] = leftover(states, least, chances)


@KernelStep
def add_others(
    states: Array,
    more: Array,
    kind: Array,
    tables: Array,
    least: Array,
    left_over: Array,
    words: Array,
    into: Array,
) -> None:
    """The Poisson numbers of all other cases of the cells that hold several."""
    bits = words.view(np.uint16)
    for start in range(0, more.size, bits.size):
        make_words(states[0], words)
        states[0] += np.uint64(words.size) * GOLDEN
        cells, kinds = more[start : start + bits.size], kind[start : start + bits.size]
        for i in range(cells.size):
            number = tables[
                (np.uint32(kinds[i]) << np.uint32(BITS)) | (np.uint32(bits[i]) >> np.uint32(16 - BITS))
            ]
            if number < 0:
                t = np.int64(kinds[i]) + 1
                number = leftover(states, least[t], left_over[t])
            into[cells[i]] += number


@KernelStep
def add_cases(states: Array, missing: Any, holder: Array, into: Array) -> None:
    """So many cases, each equally likely."""
    size, mask = np.uint64(holder.size), np.uint64(1)
    while mask < size:
        mask <<= np.uint64(1)
    mask -= np.uint64(1)
    while missing > 0:
        z = mixed(states[0])
        states[0] += GOLDEN
        for _ in range(2):
            case = z & mask
            z >>= np.uint64(32)
            taken = np.int64(case < size) & np.int64(
                missing > 0
            )  # without a branch, which nobody could foresee
            into[holder[case * np.uint64(taken)]] += taken
            missing -= taken


@kernel(
    twin=_draw_cells,
    assumes="what CellCounts makes of cells that hold a case each, and totals of 0 where a block holds none",
    nanoseconds=60,
)
def draw_cells(
    keys: Array,
    totals: Array,
    edges: Array,
    case_edges: Array,
    holder: Array,
    single: Array,
    more: Array,
    more_edges: Array,
    kind: Array,
    tables: Array,
    least: Array,
    left_over: Array,
    large: Array,
    large_edges: Array,
    drawn: Array,
) -> None:
    """How often each cell is drawn, `[replicate, cell]`; see CellCounts."""
    words, states = np.empty(WORDS, np.uint64), np.empty(2, np.uint64)
    blocks = edges.size - 1
    for r in range(keys.size):
        states[0], states[1] = keys[r], keys[r] ^ OTHER
        for b in range(blocks):
            first = edges[b]
            into = drawn[r, first : edges[b + 1]]
            cases = holder[case_edges[b] : case_edges[b + 1]]
            low, high = more_edges[b], more_edges[b + 1]
            missing = totals[r, b]
            if cases.size < FEW_CASES:
                into[:] = 0
            else:
                missing = -1
                while missing < 0:
                    draw_firsts(states, single, least[0], left_over[0], words, into)
                    for i in range(large_edges[b], large_edges[b + 1]):
                        into[large[i] - first] = 0
                    add_others(states, more[low:high], kind[low:high], tables, least, left_over, words, into)
                    missing = totals[r, b]
                    for i in range(into.size):
                        missing -= into[i]
            add_cases(states, missing, cases, into)
        for i in range(large.size):
            drawn[r, large[i]] = totals[r, blocks + i]
