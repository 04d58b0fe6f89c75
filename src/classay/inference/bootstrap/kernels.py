"""Kernels of draws: how often each unit is drawn, what the draws say of a ranking, and sums of random signs.

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

from classay.compiled import Part, kernel

Array = NDArray[Any]
GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
STEPS = 256
"""Steps of a ranking that are looked at together."""


@Part
def mixed(state: Any) -> Any:
    """A random 64-bit word of SplitMix64 from each of its states (Steele, Lea & Flood 2014, OOPSLA)."""
    z = (state ^ (state >> np.uint64(30))) * MIX_1
    z = (z ^ (z >> np.uint64(27))) * MIX_2
    return z ^ (z >> np.uint64(31))


def _draw_units(keys: Array, totals: Array, starts: Array, bits: Array, drawn: Array) -> None:
    fields = np.arange(0, 64, 16, dtype=np.uint64)
    needed = (totals + 3) // 4
    used = np.cumsum(needed, axis=1) - needed
    rows = np.arange(keys.shape[0])[:, None]
    for b, (start, width) in enumerate(zip(starts, bits, strict=True)):
        size = 1 << int(width)
        pool = mixed(
            keys[:, None] + (used[:, b, None] + np.arange(needed[:, b].max())).astype(np.uint64) * GAMMA
        )
        at = ((pool[:, :, None] >> fields) & np.uint64(size - 1)).reshape(rows.size, -1).astype(np.intp)
        asked = np.arange(at.shape[1]) < totals[:, b, None]
        counted = np.bincount((rows * size + at)[asked], minlength=rows.size * size)
        drawn[:, start : start + size] = counted.reshape(-1, size)


@kernel(
    twin=_draw_units,
    assumes="each block, 2^bits units from its start on, ends within drawn",
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
                    pool[i] = mixed(state + np.uint64(i) * GAMMA)
                state += np.uint64(count) * GAMMA
                whole = min(count, left // 4)
                for i in range(whole):
                    z = pool[i]
                    into[z & mask] += 1
                    into[(z >> np.uint64(16)) & mask] += 1
                    into[(z >> np.uint64(32)) & mask] += 1
                    into[(z >> np.uint64(48)) & mask] += 1
                left -= 4 * whole
                if whole < count:
                    z = pool[whole]
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


@Part
def add_up(cells: Array, run: Any, sums: Array) -> Any:
    """Running sums, begun at one; and the last."""
    sums[0] = run
    for i in range(cells.shape[0]):
        run += cells[i]
        sums[i + 1] = run
    return run


@Part
def add_up_runs(cells: Array, ends: Array, run: Any, sums: Array) -> Any:
    """Running sums at the end of each run of cells, begun at one; and the last."""
    sums[0] = run
    for k in range(ends.shape[0] - 1):
        for i in range(ends[k], ends[k + 1]):
            run += cells[i]
        sums[k + 1] = run
    return run


@Part
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


@kernel(twin=_weighted_sums)
def weighted_sums(drawn: Array, values: Array, out: Array) -> None:
    """Sum of the values of the units drawn, `[replicate]`."""
    n = drawn.shape[1]
    whole = n - n % 4
    for r in range(drawn.shape[0]):
        a = b = c = d = 0.0  # four sums: additions need not wait for each other
        for i in range(0, whole, 4):
            a += drawn[r, i] * values[i]
            b += drawn[r, i + 1] * values[i + 1]
            c += drawn[r, i + 2] * values[i + 2]
            d += drawn[r, i + 3] * values[i + 3]
        for i in range(whole, n):
            a += drawn[r, i] * values[i]
        out[r] = (a + b) + (c + d)


def _sum_cells_drawn(drawn: Array, cell: Array, weight: Array, out: Array) -> None:
    for each, into in zip(drawn, out, strict=True):
        into[:] = np.bincount(cell, weights=each * weight, minlength=out.shape[1])


@kernel(
    twin=_sum_cells_drawn,
    assumes="every cell is in 0 to before the cells of out",
)
def sum_cells_drawn(drawn: Array, cell: Array, weight: Array, out: Array) -> None:
    """Weight of the rows drawn in each cell, `[replicate, cell]`, from the cell and weight of each row."""
    out[:] = 0
    for r in range(drawn.shape[0]):
        for i in range(drawn.shape[1]):
            out[r, cell[i]] += drawn[r, i] * weight[i]


def _flipped_sums(keys: Array, values: Array, out: Array) -> None:
    words = np.arange((values.size + 63) // 64, dtype=np.uint64) * GAMMA
    for r, key in enumerate(keys):
        bits = np.unpackbits(mixed(key + words).astype("<u8").view(np.uint8), bitorder="little")
        out[r] = (values * (1.0 - 2.0 * bits[: values.size])).sum()


@kernel(twin=_flipped_sums)
def flipped_sums(keys: Array, values: Array, out: Array) -> None:
    """Per replicate: the sum of the values, each with a random sign; `keys` start its stream of bits."""
    n = values.shape[0]
    for r in range(keys.shape[0]):
        state = np.uint64(keys[r])
        total = 0.0
        for start in range(0, n, 64):
            word = mixed(state)
            state += GAMMA
            part = 0.0
            for i in range(start, min(start + 64, n)):
                part += values[i] * (1.0 - 2.0 * np.float64(word & np.uint64(1)))
                word >>= np.uint64(1)
            total += part
        out[r] = total
