"""How scores rank the cases of each tag, and all pairs of a case and a tag: areas, and what each case adds to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.compiled import core_count, workers
from classay.measures.registry import ratio
from classay.once import once
from classay.tables.tag_scores import TagEntries, TagScores, sparse_columns

Array = NDArray[Any]


class RankedTag(NamedTuple):
    """The AUC and the average precision of one ranking, and what one more of each entry adds, `(entries,)` each.

    `rest_auc` and `rest_ap` are those of the cases without an entry; `squares` is the sum of the squared influences on
    the AUC, times the squares of weights. All are NaN without both classes.
    """

    auc: float
    ap: float
    of_auc: Array
    of_ap: Array
    rest_auc: float
    rest_ap: float
    positives: float
    negatives: float


def ranked(score: Array, true: Array, weight: Array, rest: float = 0.0) -> RankedTag:
    """The areas of a ranking and their influences; `rest` is the weight of negatives with a score of 0 beside these.

    With P and N the weight of both classes, V the share of the other class that a case is ranked rightly against,
    T the positives and M all that score as high or higher: an entry adds y (V - A) / P + (1 - y)(V - A) / N to the AUC,
    and (y (T / M - AP) + y G - H) / P to average precision, G and H being the sums of p / M and p T / M² over the
    positives p that score as high or lower. (DeLong et al. 1988, Biometrics 44:837; for the second see
    `average_precision_influence`.)

    >>> found = ranked(np.array([0.9, 0.4, 0.4, 0.1]), np.array([True, True, False, False]), np.ones(4))
    >>> print(found.auc, round(found.ap, 4), found.of_auc.round(4).tolist())
    0.875 0.8333 [0.0625, -0.0625, -0.0625, 0.0625]
    """
    down = np.argsort(-score, kind="stable")
    if rest > 0:  # one place more, of score 0
        first = int(np.searchsorted(-score[down], 0.0, side="left"))
        down = np.insert(down, first, score.size)
        score, true, weight = np.append(score, 0.0), np.append(true, False), np.append(weight, rest)
    in_order, held = score[down], weight[down]
    plus = np.where(true[down], held, 0.0)
    starts = np.ones(down.size, bool)
    starts[1:] = in_order[1:] != in_order[:-1]
    group, at = np.cumsum(starts) - 1, np.flatnonzero(starts)
    p, both = np.add.reduceat(plus, at), np.add.reduceat(held, at)
    n = both - p
    positives, negatives = float(p.sum()), float(n.sum())
    if not (positives > 0 and negatives > 0):
        none = np.full(score.size - (rest > 0), np.nan)
        return RankedTag(np.nan, np.nan, none, none, np.nan, np.nan, positives, negatives)
    hits, falls = np.cumsum(p), np.cumsum(n)
    below = (negatives - falls + n / 2) / negatives
    above = (hits - p / 2) / positives
    auc = float((p * below).sum() / positives)
    reached = hits + falls
    precision = ratio(hits, reached)
    ap = float((p * precision).sum() / positives)
    gain = np.cumsum((p / reached)[::-1])[::-1]
    loss = np.cumsum((p * precision / reached)[::-1])[::-1]
    of_plus = np.stack([(below - auc) / positives, (precision - ap + gain - loss) / positives])
    of_minus = np.stack([(above - auc) / negatives, -loss / positives])
    each = np.empty((2, down.size))
    each[:, down] = np.where(true[down], of_plus[:, group], of_minus[:, group])
    of_auc, of_ap = each[:, : down.size - (rest > 0)]
    ends = each[:, -1] if rest > 0 else (0.0, 0.0)
    return RankedTag(auc, ap, of_auc, of_ap, float(ends[0]), float(ends[1]), positives, negatives)


@dataclass(frozen=True, eq=False)
class Pooled:
    """The areas of one ranking of all pairs of a case and a tag, and what each case adds to them, `(cases,)`."""

    auc: float
    ap: float
    of_auc: Array
    of_ap: Array


@dataclass(frozen=True, eq=False)
class TagRanking:
    """The areas of each tag, `(tags,)`, and what each case adds to their means, `(cases,)`; one ranking of all pairs.

    `influences` are those on the AUC of each tag, `(cases, tags)`, as an array, or as a sparse matrix beside the
    influence of cases without a score, `rests`, `(tags,)`.
    """

    table: TagScores
    aucs: Array
    aps: Array
    positives: Array
    negatives: Array
    of_aps: Array
    influences: Any
    rests: Array

    @property
    def pooled(self) -> tuple[float, float]:
        """The weight of all positive and negative pairs."""
        return float(self.positives.sum()), float(self.negatives.sum())

    @property
    def micro(self) -> Pooled:
        """One ranking of all pairs of a case and a tag."""
        return _micro(self.table)

    def of_mean(self, each: Array) -> Array:
        """What each case adds to the sum of the tags' AUCs times `each`, `(cases,)`."""
        return np.asarray(self.influences @ each + self.rests @ each)


def tag_ranking(table: TagScores) -> TagRanking:
    """The areas of the tags of a table, found once."""
    kept = _kept(table)
    if not kept:
        kept.append(_ranking(table))
    return TagRanking(table, *kept[0])


@once
def _kept(table: TagScores) -> list[Any]:
    return []


def _ranking(table: TagScores) -> tuple[Any, ...]:
    weights, tags = table.weights, len(table.labels)

    def one(entries: TagEntries) -> tuple[Array, RankedTag]:
        return entries.rows, ranked(entries.score, entries.true, weights[entries.rows], entries.rest)

    of_aps, rests = np.zeros(table.rows), np.zeros(tags)
    areas = np.zeros((4, tags))
    kind = np.float32 if table.rows * tags > MOST_EXACT else np.float64
    dense = None if table.is_sparse else np.empty((table.rows, tags), kind, "F")
    held: list[tuple[Array, Array]] = []
    with workers(core_count() if table.rows * tags > 200_000 else 1) as run:
        entries = table.entries()
        for first in range(0, tags, TOGETHER):
            some = [each for _, each in zip(range(TOGETHER), entries, strict=False)]
            for at, (rows, found) in enumerate(run(one, some), first):
                areas[:, at] = found.auc, found.ap, found.positives, found.negatives
                rests[at] = found.rest_auc
                if dense is not None:
                    dense[:, at] = found.of_auc
                    of_aps += found.of_ap
                    continue
                held.append((rows, found.of_auc - found.rest_auc))
                of_aps += found.rest_ap
                of_aps[rows] += found.of_ap - found.rest_ap
    influences = dense if dense is not None else sparse_columns(held, table.rows)
    return (*areas, of_aps / tags, influences, rests)


TOGETHER = 16
"""Tags that are ranked together, in threads."""
MOST_EXACT = 20_000_000
"""Scores beyond which influences are kept in 32 bits."""


@once
def _micro(table: TagScores) -> Pooled:
    """One ranking of all pairs: the entries of all tags together, and all pairs without one."""
    weights = table.weights
    parts = [*table.entries()]
    rows, score, true = (np.concatenate([each[i] for each in parts]) for i in range(3))
    found = ranked(score, true, weights[rows], sum(each.rest for each in parts))
    tags, n = len(parts), table.rows
    entered = np.bincount(rows, minlength=n)
    of_auc, of_ap = (
        np.bincount(rows, each, n) + (tags - entered) * rest
        for each, rest in ((found.of_auc, found.rest_auc), (found.of_ap, found.rest_ap))
    )
    return Pooled(found.auc, found.ap, of_auc, of_ap)
