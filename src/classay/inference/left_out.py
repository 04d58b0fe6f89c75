"""Measures with some of the cases left out: those of a group, or a block, for every one of them in one pass.

A table of the others for each group would cost groups times cases. A mean is that of all cases less the sums of the
group. For the AUC, between two cases of a group its own cases add the same to the placement of every other case, so the
powers of these placements follow from running sums over all cases, and a group costs as much as it has cases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from classay.compiled import KernelStep, kernel
from classay.inference.design import VarianceEstimate
from classay.inference.estimate import IntervalResult
from classay.inference.proportions import scale_of
from classay.inference.scores.auc import AucVariance, placed_interval
from classay.inference.scores.linearised import ONE_MORE, LossMoments
from classay.measures import Measure
from classay.measures.ranking import LARGEST_WHOLE, concordance
from classay.tables import CaseTable, ConfusionMatrix, ScoreTable
from classay.tables.paired import BLOCKS, BlockSums, is_positive

Array = NDArray[Any]
POWERS = 5
"""The number of sums: of the powers 0 to 4 of placements."""
SURE = 1e-8
"""Share of the sums over all cases below which a difference of them may be rounding."""


@KernelStep
def add_shifted(sums: Array, group: int, code: int, upto: Array, shift: Any) -> None:
    """Add sums of powers 0 to 4 of x - shift; those of x are the last of the sums `upto`, less those of the group."""
    # Single cells: each slice or expression of arrays takes Numba a second more to compile.
    end = upto.shape[0] - 1
    a, b = upto[end, code, 0] - upto[group, code, 0], upto[end, code, 1] - upto[group, code, 1]
    c, d = upto[end, code, 2] - upto[group, code, 2], upto[end, code, 3] - upto[group, code, 3]
    e = upto[end, code, 4] - upto[group, code, 4]
    sums[group, code, 0] += a
    sums[group, code, 1] += b - shift * a
    sums[group, code, 2] += c - shift * (2.0 * b - shift * a)
    sums[group, code, 3] += d - shift * (3.0 * c - shift * (3.0 * b - shift * a))
    sums[group, code, 4] += e - shift * (4.0 * d - shift * (6.0 * c - shift * (4.0 * b - shift * a)))


@KernelStep
def add_powers(sums: Array, group: int, code: int, weight: Any, value: Any) -> None:
    """Add weight times the powers 0 to 4 of a value to the sums of a group and class."""
    for k in range(POWERS):
        sums[group, code, k] += weight
        weight *= value


@KernelStep
def copy_powers(sums: Array, group: int, to: Array, other: int) -> None:
    """Copy the sums of `group` over those of `other` in `to`, which may be the same array."""
    for code in range(2):
        for k in range(POWERS):
            to[other, code, k] = sums[group, code, k]


@KernelStep
def meet(
    starts: Array,
    group: Array,
    positives: Array,
    negatives: Array,
    at: int,
    at_score: Array,
    met: Array,
    met_at: Array,
) -> tuple[Any, Any, Any]:
    """Add the cases at a score to their groups; the number of these groups (kept in `met`), positives, negatives."""
    count, p, q = 0, 0.0, 0.0
    for i in range(starts[at], starts[at + 1]):
        g = group[i]
        if met_at[g] != at:
            met_at[g] = at
            met[count] = g
            count += 1
        at_score[g, 0] += positives[i]
        at_score[g, 1] += negatives[i]
        p += positives[i]
        q += negatives[i]
    return count, p, q


@KernelStep
def add_up(
    starts: Array, group: Array, positives: Array, negatives: Array, totals: Array
) -> tuple[Any, Any, Any]:
    """Add up cases by group and class; return all positives, all negatives, and twice the concordant pairs."""
    twice = above = below = 0.0
    for b in range(starts.shape[0] - 1):
        p = q = 0.0
        for i in range(starts[b], starts[b + 1]):
            p += positives[i]
            q += negatives[i]
            totals[group[i], 0] += positives[i]
            totals[group[i], 1] += negatives[i]
        twice += q * (2.0 * above + p)
        above += p
        below += q
    return above, below, twice


def _sum_others(
    starts: Array, group: Array, positives: Array, negatives: Array, pairs: Array, sums: Array, between: Any
) -> float:
    blocks = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    p, n = (np.bincount(blocks, weight, starts.size - 1) for weight in (positives, negatives))
    above, below = np.cumsum(p) - p / 2, n.sum() - np.cumsum(n) + n / 2
    auc = float((p * below).sum() / p.sum() / n.sum())
    for g in range(pairs.size):
        in_group = group == g
        own_p, own_n = (
            np.bincount(blocks[in_group], part[in_group], starts.size - 1) for part in (positives, negatives)
        )
        own_above, own_below = np.cumsum(own_p) - own_p / 2, own_n.sum() - np.cumsum(own_n) + own_n / 2
        pairs[g] = (2 * (p - own_p) * (below - own_below)).sum()
        for k in range(POWERS):
            sums[g, 0, k] = ((p - own_p) * ((below - own_below) / n.sum() - auc) ** k).sum()
            sums[g, 1, k] = ((n - own_n) * ((above - own_above) / p.sum() - auc) ** k).sum()
    return auc


@kernel(
    twin=_sum_others,
    assumes="starts rise and end with the rows; groups are places of pairs; `between` is of `_room`",
    nanoseconds=400,
)
def sum_others(
    starts: Array,
    group: Array,
    positives: Array,
    negatives: Array,
    pairs: Array,
    sums: Array,
    between: tuple[Array, Array, Array],
) -> Any:
    """For each group, twice the concordant pairs of the other cases, and sums of powers of their placements.

    Rows come by falling score, those of a score from one of `starts` to the next. `sums`, `[group, class, power]`, are
    over the other positives and negatives; a placement is here a share of all cases of the other class, less the AUC of
    all cases, which is returned. `between` is room for what is needed on the way: to make it here takes Numba longer.
    """
    groups = pairs.shape[0]
    # The weight of each class in a group, that seen, and that at a score; the sums over all cases where a group was met
    # last, and after the last group so far; groups met at a score, and the score where each was met last.
    weight, last, places = between
    totals, seen, at_score, met, met_at = weight[0], weight[1], weight[2], places[0], places[1]
    all_p, all_n, twice = add_up(starts, group, positives, negatives, totals)
    auc = 0.5 * twice / all_p / all_n
    for g in range(groups):
        met_at[g], pairs[g] = -1, twice
        copy_powers(last, groups, sums, g)
    ranked_p = ranked_n = 0.0
    for b in range(starts.shape[0]):
        count, p, q = groups, 0.0, 0.0
        if b < starts.shape[0] - 1:
            count, p, q = meet(starts, group, positives, negatives, b, at_score, met, met_at)
        else:  # after the last score every group has a stretch to end
            for g in range(groups):
                met[g] = g
        of_positive = (all_n - ranked_n - 0.5 * q) / all_n - auc
        of_negative = (ranked_p + 0.5 * p) / all_p - auc
        for j in range(count):
            g = met[j]
            left, own_p, own_n = totals[g, 1] - seen[g, 1], at_score[g, 0], at_score[g, 1]
            pairs[g] -= (last[groups, 0, 0] - last[g, 0, 0]) * 2.0 * left
            pairs[g] -= (p - own_p) * (2.0 * left - own_n)
            pairs[g] -= own_p * (2.0 * (all_n - ranked_n) - q)
            for c in range(2):
                add_shifted(sums, g, c, last, left / all_n if c == 0 else seen[g, 0] / all_p)
                if c == 0:
                    add_powers(sums, g, c, p - own_p, of_positive - (left - 0.5 * own_n) / all_n)
                else:
                    add_powers(sums, g, c, q - own_n, of_negative - (seen[g, 0] + 0.5 * own_p) / all_p)
            seen[g, 0] += own_p
            seen[g, 1] += own_n
            at_score[g, 0] = at_score[g, 1] = 0.0
        ranked_p += p
        ranked_n += q
        for c in range(2):
            add_powers(last, groups, c, p if c == 0 else q, of_positive if c == 0 else of_negative)
        for j in range(count):
            copy_powers(last, groups, last, met[j])
    return auc


class Others(Protocol):
    """A measure of the cases outside a group: its value and its interval."""

    @property
    def value(self) -> float:
        """The value."""

    def interval(self, measure: Measure, level: float) -> IntervalResult:
        """Return the measure's default interval."""


@dataclass(frozen=True)
class OtherAuc:
    """The AUC of the cases outside a group, and the spread of their placements."""

    value: float
    placed: AucVariance

    def interval(self, measure: Measure, level: float) -> IntervalResult:
        """Return the interval of the AUC."""
        return placed_interval(self.value, self.value, self.placed, level)


@dataclass(frozen=True)
class OtherMean:
    """The mean loss of the cases outside a group, and the moments of their losses."""

    value: float
    moments: LossMoments

    def interval(self, measure: Measure, level: float) -> IntervalResult:
        """Student's interval on the scale of the loss, the upper end with one more case."""
        words = f"t, {scale_of(measure.bounds).name}, {ONE_MORE}"
        return *self.moments.one_more_case(level, measure.bounds), words


def _room(groups: int) -> tuple[Array, Array, Array]:
    """Working arrays of `sum_others`."""
    return np.zeros((3, groups, 2)), np.zeros((groups + 1, 2, POWERS)), np.zeros((2, groups), np.int64)


def aucs_of_others(tables: Sequence[ScoreTable]) -> list[OtherAuc | None]:
    """For each of the tables of a partition of cases, counted alike, the AUC of the cases of all others.

    None where sums would not tell it: without two cases of a class, without spread, or with so little that rounding
    may hide it, and for a group of more than half of the cases, whose part of the sums hides that of the others.
    """
    positives, negatives = (
        np.concatenate([getattr(table, name) for table in tables], dtype=np.float64)
        for name in ("positives", "negatives")
    )
    totals = np.array([[int(table.n_positive), int(table.n_negative)] for table in tables])
    p, n = totals.sum(0).tolist()
    if not 0 < 2.0 * p * n < LARGEST_WHOLE:
        return [None] * len(tables)
    score = np.concatenate([table.scores for table in tables])
    order = np.argsort(-score)
    score = score[order]
    starts = np.flatnonzero(np.concatenate([[True], score[1:] != score[:-1], [True]]))
    group = np.repeat(np.arange(len(tables)), [table.scores.size for table in tables])[order]
    pairs, sums = np.empty(len(tables)), np.empty((len(tables), 2, POWERS))
    run = sum_others.for_rows(order.size * len(tables))
    auc = run(starts, group, positives[order], negatives[order], pairs, sums, _room(len(tables)))
    return [
        _other_auc(group_sums, np.array([p, n]), left, twice, auc)
        if 2 * group_totals.sum() <= p + n and min(left) > 1
        else None
        for group_sums, group_totals, left, twice in zip(
            sums, totals, np.array([p, n]) - totals, pairs.tolist(), strict=True
        )
    ]


def _around(sums: Array, shift: float) -> Array:
    """Return the sums of the powers of x - shift, given those of x."""
    shifted = np.zeros((1, 1, POWERS))
    add_shifted(shifted, 0, 0, np.stack([0 * sums, sums])[:, None], shift)
    return shifted[0, 0]  # type: ignore[no-any-return]


def _other_auc(sums: Array, totals: Array, left: Array, twice: float, auc_of_all: float) -> OtherAuc | None:
    """Return the AUC of the cases left, from sums of the powers of their placements among all cases."""
    auc = float(twice / (2.0 * left[0] * left[1]))
    squares, fourths = [], []
    for code, other in ((0, 1), (1, 0)):
        among = left[other] / totals[other]
        around = _around(sums[code], auc * among - auc_of_all)
        if around[4] <= SURE * left[code]:  # no placement is farther from another than 1
            return None
        squares.append(float(around[2] / (among * left[code]) ** 2))
        fourths.append(float(around[4] / (among * left[code]) ** 4))
    placed = AucVariance.of_sums(left.astype(float).tolist(), squares, fourths)
    return OtherAuc(auc, placed) if not placed.is_none and 0 < auc < 1 else None


def briers_of_others(tables: Sequence[ScoreTable]) -> list[OtherMean | None]:
    """`aucs_of_others` for the Brier score; None too without two other cases, or with hardly any spread."""
    p, n = (np.concatenate([getattr(table, name) for table in tables]) for name in ("positives", "negatives"))
    score = np.concatenate([table.scores for table in tables]).astype(np.float64)
    group = np.repeat(np.arange(len(tables)), [table.scores.size for table in tables])

    def sums(on_positive: Array, on_negative: Array) -> Array:
        return np.bincount(group, p * on_positive + n * on_negative, len(tables))

    losses = (1 - score) ** 2, score**2
    cases = np.bincount(group, p + n, len(tables))
    mean = float(sums(*losses).sum() / cases.sum())
    powers = np.stack([sums(*((loss - mean) ** k for loss in losses)) for k in range(POWERS)], -1)
    most = np.zeros(len(tables))  # the greatest loss of each group
    np.maximum.at(most, group, np.maximum(np.where(p > 0, losses[0], 0), np.where(n > 0, losses[1], 0)))
    return [
        _other_mean(
            powers.sum(0) - group_powers, powers.sum(0), mean, float(np.delete(most, i).max(initial=0.5))
        )
        if 2 * n_cases <= cases.sum() and cases.sum() - n_cases > 1
        else None
        for i, (group_powers, n_cases) in enumerate(zip(powers, cases, strict=True))
    ]


def _other_mean(sums: Array, of_all: Array, mean_of_all: float, more: float) -> OtherMean | None:
    """The mean loss of other cases, from sums over them and over all of the powers of losses minus the mean of all.

    `more` is the loss of one more case.
    """
    cases, offset = float(sums[0]), float(sums[1] / sums[0])
    around = _around(sums, offset)
    if (around[[2, 4]] <= SURE * of_all[[2, 4]]).any():
        return None
    value = mean_of_all + offset
    squares, cubes, fourths = (float(power_sum) for power_sum in around[2:5])
    moments = LossMoments(cases, value, squares, cubes, fourths, more)
    return OtherMean(value, moments) if not VarianceEstimate(moments.variance).is_none(value) else None


OF_OTHERS: dict[str, Callable[[Sequence[ScoreTable]], Sequence[Others | None]]] = {
    "roc_auc": aucs_of_others,
    "brier_score": briers_of_others,
}
"""For each measure, the function that finds it, with its interval, for the cases outside each group."""


def of_labels(measure: Measure, blocks: ConfusionMatrix, positive: Any) -> Array:
    """Return a measure of labels without each block in turn, `(64,)`, from the matrix of each block."""
    counts = blocks.counts.sum(0) - blocks.counts
    matrix = ConfusionMatrix(counts, blocks.labels)
    table = matrix.one_vs_rest(positive) if measure.needs == "counts" else matrix
    with np.errstate(all="ignore"):
        return np.asarray(measure(table), np.float64)


def of_cases(measure: Measure, cases: CaseTable, blocks: BlockSums) -> Array:
    """Return a mean over cases without each block in turn, `(64,)`; NaN where it is undefined or infinite.

    The measure must not rest on the top labels, which stay those of all cases.
    """
    with np.errstate(all="ignore"):
        values = [measure(replace(cases, cases=int(sums.true.sum()), sums=sums)) for sums in blocks.without()]
    return np.where(np.isfinite(values), values, np.nan)


def of_scores(measure: Measure, scores: ScoreTable, blocks: Array) -> Array:
    """Return a measure of scores without each block in turn, `(64,)`, from the block of each case.

    The AUC and the average precision take one pass for all blocks, mean losses one sum; other measures are
    computed 64 times.
    """
    if measure.name in ("roc_auc", "gini"):
        auc = deleted_auc(scores, blocks)
        return auc if measure.name == "roc_auc" else 2 * auc - 1
    if measure.name == "average_precision":
        return deleted_average_precision(scores, blocks)
    if measure.name in ("brier_score", "log_loss"):
        return _deleted_mean(measure, scores, blocks)
    return np.array([measure(_without(scores, blocks, block)) for block in range(BLOCKS)])


def _whole(scores: ScoreTable) -> tuple[Array, Array]:
    """Return the numbers of positive and of negative cases at each score."""
    return tuple(counts.astype(np.int64, copy=False) for counts in (scores.positives, scores.negatives))  # type: ignore[return-value]


def deleted_auc(scores: ScoreTable, of_scores: Array) -> Array:
    """Return the AUC without each block: the pairs of all, less those with a case of the block at either end.

    Pairs are counted twice over, in whole numbers, so that ties count one: exact up to 2^62 pairs.
    """
    positives, negatives = _whole(scores)
    lost, p, n = pair_sums(of_scores, positives, negatives, BLOCKS)
    total = int(concordance(positives, negatives)[0])
    pairs = (p.sum() - p).astype(np.float64) * (n.sum() - n)
    with np.errstate(all="ignore"):
        return np.asarray((total - lost) / (2 * pairs))


def _plain_pair_sums(
    of_scores: Array, positives: Array, negatives: Array, blocks: int
) -> tuple[Array, Array, Array]:
    counts = np.stack([positives, negatives], 1).ravel()
    at = np.repeat(np.arange(positives.size), positives + negatives)
    negative = np.repeat(np.tile([0, 1], positives.size), counts).astype(bool)
    above, below = np.cumsum(positives), np.cumsum(negatives[::-1])[::-1]
    twice_above, twice_below = 2 * above - positives, 2 * below - negatives
    p = np.bincount(of_scores[~negative], minlength=blocks)
    n = np.bincount(of_scores[negative], minlength=blocks)
    lost = np.zeros(blocks, np.int64)
    for block in range(blocks):
        in_block = of_scores == block
        here, there = at[in_block & ~negative], at[in_block & negative]
        lost[block] = twice_below[here].sum() + twice_above[there].sum()
        own_above = np.bincount(here, minlength=positives.size)
        lost[block] -= (2 * np.cumsum(own_above) - own_above)[there].sum()
    return lost, p, n


@kernel(
    twin=_plain_pair_sums,
    assumes="of_scores has as many cases as the counts add up to, each in 0 to before blocks",
    nanoseconds=500,
)
def pair_sums(
    of_scores: Array, positives: Array, negatives: Array, blocks: int
) -> tuple[Array, Array, Array]:
    """Twice the won pairs with a case of each block at either end; the positive and negative cases of each."""
    lost, p, n = np.zeros(blocks, np.int64), np.zeros(blocks, np.int64), np.zeros(blocks, np.int64)
    tied = np.zeros(blocks, np.int64)
    total, above, through, row = negatives.sum(), 0, 0, 0
    for i in range(positives.shape[0]):
        first = row
        through += negatives[i]
        for _ in range(positives[i]):
            block = of_scores[row]
            lost[block] += 2 * (total - through) + negatives[i]
            tied[block] += 1
            row += 1
        for _ in range(negatives[i]):
            block = of_scores[row]
            lost[block] += 2 * above + positives[i] - 2 * p[block] - tied[block]
            n[block] += 1
            row += 1
        for place in range(first, first + positives[i]):
            block = of_scores[place]
            p[block] += 1
            tied[block] = 0
        above += positives[i]
    return lost, p, n


def deleted_average_precision(scores: ScoreTable, of_scores: Array) -> Array:
    """Return the average precision without each block: Σ (precision at each score) · (positives there) / positives."""
    positives, negatives = _whole(scores)
    sums, remaining = precision_sums(of_scores, positives, negatives, BLOCKS)
    with np.errstate(all="ignore"):
        return np.asarray(sums / remaining)


def _plain_precision_sums(
    of_scores: Array, positives: Array, negatives: Array, blocks: int
) -> tuple[Array, Array]:
    counts = np.stack([positives, negatives], 1).ravel()
    at = np.repeat(np.arange(positives.size), positives + negatives)
    negative = np.repeat(np.tile([0, 1], positives.size), counts).astype(bool)
    sums, remaining = np.zeros(blocks), np.zeros(blocks, np.int64)
    for block in range(blocks):
        in_block = of_scores == block
        here = positives - np.bincount(at[in_block & ~negative], minlength=positives.size)
        there = negatives - np.bincount(at[in_block & negative], minlength=positives.size)
        hits = np.cumsum(here)
        sums[block] = (here * (hits / np.maximum(hits + np.cumsum(there), 1))).sum()
        remaining[block] = hits[-1] if hits.size else 0
    return sums, remaining


@kernel(
    twin=_plain_precision_sums,
    assumes="of_scores has as many cases as the counts add up to, each in 0 to before blocks",
    nanoseconds=1300,
)
def precision_sums(of_scores: Array, positives: Array, negatives: Array, blocks: int) -> tuple[Array, Array]:
    """Sums of precisions without each block, and its positives left."""
    hits, alarms = np.zeros(blocks), np.zeros(blocks)  # cases of the block so far
    here, sums = np.zeros(blocks), np.zeros(blocks)
    above, false, row = 0.0, 0.0, 0
    for i in range(positives.shape[0]):
        here[:] = positives[i]
        for _ in range(positives[i]):
            block = of_scores[row]
            here[block] -= 1
            hits[block] += 1
            row += 1
        for _ in range(negatives[i]):
            alarms[of_scores[row]] += 1
            row += 1
        above += positives[i]
        false += negatives[i]
        if positives[i] > 0:
            for block in range(blocks):
                called = above + false - hits[block] - alarms[block]
                if called > 0:
                    sums[block] += here[block] * (above - hits[block]) / called
    return sums, (above - hits).astype(np.int64)


def _plain_loss_sums(
    of_scores: Array, positives: Array, negatives: Array, of_positive: Array, of_negative: Array, blocks: int
) -> tuple[Array, Array]:
    counts = np.stack([positives, negatives], 1).ravel()
    losses = np.repeat(np.stack([of_positive, of_negative], 1).ravel(), counts)
    return np.bincount(of_scores, losses, blocks), np.bincount(of_scores, minlength=blocks)


@kernel(
    twin=_plain_loss_sums,
    assumes="of_scores has as many cases as the counts add up to, each in 0 to before blocks",
    nanoseconds=40,
)
def loss_sums(
    of_scores: Array, positives: Array, negatives: Array, of_positive: Array, of_negative: Array, blocks: int
) -> tuple[Array, Array]:
    """Sum of the losses of the cases of each block, and how many there are."""
    sums, cases, row = np.zeros(blocks), np.zeros(blocks, np.int64), 0
    for i in range(positives.shape[0]):
        for _ in range(positives[i]):
            sums[of_scores[row]] += of_positive[i]
            cases[of_scores[row]] += 1
            row += 1
        for _ in range(negatives[i]):
            sums[of_scores[row]] += of_negative[i]
            cases[of_scores[row]] += 1
            row += 1
    return sums, cases


def _deleted_mean(measure: Measure, scores: ScoreTable, of_scores: Array) -> Array:
    """Return a mean loss without each block, from the losses of a positive and a negative case at each score."""
    s = scores.scores.astype(np.float64, copy=False)
    with np.errstate(divide="ignore"):
        losses = ((s - 1) ** 2, s**2) if measure.name == "brier_score" else (-np.log(s), -np.log(1 - s))
    counts = _whole(scores)
    sums, cases = loss_sums(of_scores, *counts, *losses, BLOCKS)
    with np.errstate(all="ignore"):
        if not np.isfinite(sums).all():
            return np.full(BLOCKS, np.nan)
        return np.asarray((sums.sum() - sums) / (cases.sum() - cases))


def _without(scores: ScoreTable, of_scores: Array, block: int) -> ScoreTable:
    """Return the score table of all cases but those of a block."""
    in_block = of_scores == block
    counts = (scores.positives + scores.negatives).astype(np.int64)
    at = np.repeat(np.arange(scores.scores.size), counts)[in_block]
    positive, m = is_positive(scores)[in_block].astype(bool), scores.scores.size
    return ScoreTable(
        scores.scores,
        scores.positives - np.bincount(at[positive], minlength=m),
        scores.negatives - np.bincount(at[~positive], minlength=m),
        scores.labels,
    ).read_like(scores)
