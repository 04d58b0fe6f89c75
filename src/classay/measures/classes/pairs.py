"""The AUC of every ordered pair of classes, found in one pass over each class's scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import kernel
from classay.measures.classes.placements import placements
from classay.measures.registry import ratio
from classay.once import once
from classay.tables import ClassScoreTable
from classay.tables.classes import ClassRun

Array = NDArray[Any]


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


def _ranked_above(scores: Array, true: Array, weight: Array, own: int, classes: int, unit: float) -> Array:
    group = np.cumsum(np.concatenate([[True], scores[1:] != scores[:-1]])[: scores.size]) - 1
    of_own = np.bincount(group, np.where(true == own, weight, 0.0))
    rate = (2 * np.cumsum(of_own) - of_own) / unit
    above = np.bincount(true, weight * rate[group], classes)
    above[own] = 0.0
    return above


@kernel(
    twin=_ranked_above,
    assumes="scores fall; every class is in 0 to before classes, and occurs once at each score",
)
def ranked_above(scores: Array, true: Array, weight: Array, own: int, classes: int, unit: float) -> Array:
    """For each class the sum over its cases of twice the own weight above, own weight beside once, over `unit`."""
    found = np.zeros(classes)
    above = 0.0
    n = scores.shape[0]
    start = 0
    while start < n:
        score = scores[start]
        here = 0.0
        end = start
        while end < n and scores[end] == score:
            if true[end] == own:
                here = np.float64(weight[end])
            end += 1
        rate = (2 * above + here) / unit
        for i in range(start, end):
            if true[i] != own:
                found[true[i]] += weight[i] * rate
        above += here
        start = end
    return found


@once
def ranked_pairs(class_scores: ClassScoreTable) -> RankedPairs:
    """How each class's score ranks its cases among those of each other class."""
    if class_scores.rows is None:
        return _of_runs(class_scores.sorted_scores().runs)
    totals = class_scores.class_totals.astype(np.float64)
    own = (totals > 0).astype(np.float64) if class_scores.is_weighted else 2 * totals
    return RankedPairs(placements(class_scores.rows).above, own, np.tile(totals, (totals.size, 1)))


def _of_runs(runs: Sequence[ClassRun]) -> RankedPairs:
    """The same of the sorted scores of each class, where it is not known which are of one case."""
    k, rows = len(runs), sum(run.scores.size for run in runs)

    def of_class(own: int) -> tuple[Array, float, Array]:
        run = runs[own]
        other = np.bincount(run.true, run.weight, k).astype(np.float64)
        is_shares = run.weight.dtype.kind == "f"
        unit = 2 * other[own] if is_shares and other[own] else 1.0
        above = ranked_above.for_rows(rows)(run.scores, run.true, run.weight, own, k, unit)
        return above, float(other[own] > 0) if is_shares else 2 * other[own], other

    above, own, other = zip(*map(of_class, range(k)), strict=True)
    return RankedPairs(np.array(above), np.array(own), np.array(other))
