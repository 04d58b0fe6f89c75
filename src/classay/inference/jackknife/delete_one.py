"""Measures with one block of cases left out after the other, from the tables of an assessment and its blocks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import kernel
from classay.measures import Measure
from classay.measures.ranking import concordance
from classay.tables import CaseTable, ConfusionMatrix, ScoreTable
from classay.tables.blocks import BLOCKS, BlockSums, is_positive

Array = NDArray[Any]


def of_labels(measure: Measure, blocks: ConfusionMatrix, positive: Any) -> Array:
    """A measure of labels without each block in turn, `(64,)`, from the matrix of each block."""
    counts = blocks.counts.sum(0) - blocks.counts
    matrix = ConfusionMatrix(counts, blocks.labels)
    table = matrix.one_vs_rest(positive) if measure.needs == "counts" else matrix
    with np.errstate(all="ignore"):
        return np.asarray(measure(table), np.float64)


def of_cases(measure: Measure, cases: CaseTable, blocks: BlockSums) -> Array:
    """A mean over cases without each block in turn, `(64,)`; NaN where it is undefined or infinite.

    The measure must not rest on the top labels, which stay those of all cases.
    """
    with np.errstate(all="ignore"):
        found = [measure(replace(cases, cases=int(sums.true.sum()), sums=sums)) for sums in blocks.without()]
    return np.where(np.isfinite(found), found, np.nan)


def of_scores(measure: Measure, scores: ScoreTable, blocks: Array) -> Array:
    """A measure of scores without each block in turn, `(64,)`, from the block of each case.

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
    """The numbers of positive and of negative cases at each score."""
    return tuple(each.astype(np.int64, copy=False) for each in (scores.positives, scores.negatives))  # type: ignore[return-value]


def deleted_auc(scores: ScoreTable, of_scores: Array) -> Array:
    """The AUC without each block: the pairs of all, less those with a case of the block at either end.

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
        own = of_scores == block
        here, there = at[own & ~negative], at[own & negative]
        lost[block] = twice_below[here].sum() + twice_above[there].sum()
        own_above = np.bincount(here, minlength=positives.size)
        lost[block] -= (2 * np.cumsum(own_above) - own_above)[there].sum()
    return lost, p, n


@kernel(
    twin=_plain_pair_sums,
    assumes="of_scores has as many cases as the counts add up to, each in 0 to before blocks",
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
    """The average precision without each block: Σ (precision at each score) · (positives there) / positives."""
    positives, negatives = _whole(scores)
    sums, found = precision_sums(of_scores, positives, negatives, BLOCKS)
    with np.errstate(all="ignore"):
        return np.asarray(sums / found)


def _plain_precision_sums(
    of_scores: Array, positives: Array, negatives: Array, blocks: int
) -> tuple[Array, Array]:
    counts = np.stack([positives, negatives], 1).ravel()
    at = np.repeat(np.arange(positives.size), positives + negatives)
    negative = np.repeat(np.tile([0, 1], positives.size), counts).astype(bool)
    sums, found = np.zeros(blocks), np.zeros(blocks, np.int64)
    for block in range(blocks):
        own = of_scores == block
        here = positives - np.bincount(at[own & ~negative], minlength=positives.size)
        there = negatives - np.bincount(at[own & negative], minlength=positives.size)
        hits = np.cumsum(here)
        sums[block] = (here * (hits / np.maximum(hits + np.cumsum(there), 1))).sum()
        found[block] = hits[-1] if hits.size else 0
    return sums, found


@kernel(
    twin=_plain_precision_sums,
    assumes="of_scores has as many cases as the counts add up to, each in 0 to before blocks",
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
    """A mean loss without each block, from the losses of a positive and a negative case at each score."""
    s = scores.scores.astype(np.float64, copy=False)
    with np.errstate(divide="ignore"):
        losses = ((s - 1) ** 2, s**2) if measure.name == "brier_score" else (-np.log(s), -np.log(1 - s))
    counts = _whole(scores)
    each, cases = loss_sums(of_scores, *counts, *losses, BLOCKS)
    with np.errstate(all="ignore"):
        if not np.isfinite(each).all():
            return np.full(BLOCKS, np.nan)
        return np.asarray((each.sum() - each) / (cases.sum() - cases))


def _without(scores: ScoreTable, of_scores: Array, block: int) -> ScoreTable:
    """The score table of all cases but those of a block."""
    own = of_scores == block
    at = np.repeat(np.arange(scores.scores.size), (scores.positives + scores.negatives).astype(np.int64))[own]
    positive, m = is_positive(scores)[own].astype(bool), scores.scores.size
    return ScoreTable(
        scores.scores,
        scores.positives - np.bincount(at[positive], minlength=m),
        scores.negatives - np.bincount(at[~positive], minlength=m),
        scores.labels,
    )
