"""How scores rank the cases of each tag, and all pairs of a case and a tag: areas, and what each case adds to them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.compiled import core_count, kernel, workers
from classay.measures.class_pairs import find_places
from classay.once import once
from classay.tables.tag_scores import TagEntries, TagScores, sparse_columns

Array = NDArray[Any]


class RankedEntries(NamedTuple):
    """The AUC and the average precision of one ranking, and what one more entry at each place adds to them.

    `at`, `(places, 4)`, holds what a negative entry adds to both, then what a positive one does; `rest`, `(2,)`, what a
    case without an entry does. All are NaN without both classes.
    """

    auc: float
    ap: float
    at: Array
    rest: Array
    positives: float
    negatives: float

    @classmethod
    def of_places(cls, plus: Array, minus: Array, zero: int) -> RankedEntries:
        """The areas of a ranking of both classes, the weight of each at rising places; at `zero` is a score of 0.

        With P and N the weight of both classes, V the share of the other class that a case is ranked rightly against,
        T the positives and M all that score as high or higher: an entry adds y (V - A) / P + (1 - y)(V - A) / N to the
        AUC, and (y (T / M - AP) + y G - H) / P to average precision, G and H being the sums of p / M and p T / M² over
        the positives p that score as high or lower. (DeLong et al. 1988, Biometrics 44:837; for the second see
        `average_precision_influence`.)

        >>> found = RankedEntries.of_places(np.array([0.0, 1, 0, 1, 0]), np.array([1.0, 1, 0, 0, 0]), 0)
        >>> print(found.auc, round(found.ap, 4), found.at[[0, 1], 0].tolist(), found.at[[1, 3], 2].tolist())
        0.875 0.8333 [0.0625, -0.0625] [-0.0625, 0.0625]
        """
        positives, negatives = float(plus.sum()), float(minus.sum())
        if not (positives > 0 and negatives > 0):
            none = np.full((plus.size, 4), np.nan)
            return cls(np.nan, np.nan, none, none[0, :2], positives, negatives)
        hits, falls = np.cumsum(plus[::-1])[::-1], np.cumsum(minus[::-1])[::-1]
        below = (negatives - falls + minus / 2) / negatives
        above = (hits - plus / 2) / positives
        auc = float((plus * below).sum() / positives)
        reached = hits + falls
        reached[reached == 0] = 1.0  # above all entries
        precision, share = hits / reached, plus / reached
        ap = float((plus * precision).sum() / positives)
        gain, loss = np.cumsum(share), np.cumsum(share * precision)
        at = np.empty((plus.size, 4))
        at[:, 0] = (above - auc) / negatives
        at[:, 1] = -loss / positives
        at[:, 2] = (below - auc) / positives
        at[:, 3] = (precision - ap + gain - loss) / positives
        return cls(auc, ap, at, at[zero, :2], positives, negatives)


def _add_negatives(places: Array, true: Array, weight: Array, minus: Array) -> None:
    minus += np.bincount(places.ravel(), np.where(true, 0.0, weight[:, None]).ravel(), minus.size)


@kernel(
    twin=_add_negatives, assumes="places are below the length of minus; weight is as long as places has rows"
)
def add_negatives(places: Array, true: Array, weight: Array, minus: Array) -> None:
    """Add the weight of negative entries, `(cases, entries)`, to that at their places."""
    for row in range(places.shape[0]):
        for j in range(places.shape[1]):
            minus[places[row, j]] += 0.0 if true[row, j] else weight[row]


def _sum_cases(places: Array, true: Array, at: Array, sums: Array) -> None:
    for area in range(2):
        sums[:, area] = at[places, np.where(true, 2 + area, area)].sum(1)


@kernel(twin=_sum_cases, assumes="places are below the length of at")
def sum_cases(places: Array, true: Array, at: Array, sums: Array) -> None:
    """What the entries of each case add to both areas, `(cases, 2)`."""
    for row in range(places.shape[0]):
        of_auc, of_ap = 0.0, 0.0
        for j in range(places.shape[1]):
            where = 2 if true[row, j] else 0
            of_auc += at[places[row, j], where]
            of_ap += at[places[row, j], where + 1]
        sums[row, 0], sums[row, 1] = of_auc, of_ap


PARTS = 4
"""Parts of many pairs, whatever the number of threads, that find their places at a time."""


def ranked(score: Array, true: Array, weight: Array, rest: float = 0.0) -> tuple[RankedEntries, Array]:
    """The ranking of entries, `(cases, entries)`, and what those of each case add to both areas, `(cases, 2)`.

    No scores are sorted but those of positives, among which the others find their place; `rest` is the weight of
    negatives with a score of 0 beside the entries.
    """
    own = np.unique(score[true])
    places, sums = np.zeros(score.shape, np.int32), np.empty((weight.size, 2))
    many = score.size > MOST_EXACT
    ends = np.linspace(0, weight.size, (PARTS if many else 1) + 1).astype(np.int64).tolist()
    parts = [slice(*each) for each in pairwise(ends)]
    find, add, look_up = (each.for_rows(score.size) for each in (find_places, add_negatives, sum_cases))

    def placed(part: slice) -> Array:
        minus = np.zeros(2 * own.size + 1)
        if own.size:
            find(score[part].reshape(-1), own, places[part].reshape(-1))
        add(places[part], true[part], weight[part], minus)
        return minus

    with workers(core_count() if many else 1) as run:
        minus = sum(run(placed, parts))
        of_true = np.broadcast_to(weight[:, None], score.shape)[true]
        plus = np.bincount(places[true], of_true, 2 * own.size + 1)
        zero = 2 * int(np.searchsorted(own, 0)) + int((own == 0).any())
        minus[zero] += rest
        found = RankedEntries.of_places(plus, minus, zero)
        run(lambda part: look_up(places[part], true[part], found.at, sums[part]), parts)
    return found, sums


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

    def one(entries: TagEntries) -> tuple[Array, RankedEntries, Array]:
        of = entries.score[:, None], entries.true[:, None], weights[entries.rows]
        return entries.rows, *ranked(*of, entries.rest)

    of_aps, rests = np.zeros(table.rows), np.zeros(tags)
    areas = np.zeros((4, tags))
    kind = np.float32 if table.rows * tags > MOST_EXACT else np.float64
    dense = None if table.is_sparse else np.empty((table.rows, tags), kind, "F")
    held: list[tuple[Array, Array]] = []
    with workers(core_count() if table.rows * tags > 200_000 else 1) as run:
        entries = table.entries()
        for first in range(0, tags, TOGETHER):
            some = [each for _, each in zip(range(TOGETHER), entries, strict=False)]
            for at, (rows, found, sums) in enumerate(run(one, some), first):
                areas[:, at] = found.auc, found.ap, found.positives, found.negatives
                if dense is not None:
                    dense[:, at] = sums[:, 0]
                    of_aps += sums[:, 1]
                    continue
                rests[at] = found.rest[0]
                held.append((rows, sums[:, 0] - found.rest[0]))
                of_aps += found.rest[1]
                of_aps[rows] += sums[:, 1] - found.rest[1]
    influences = dense if dense is not None else sparse_columns(held, table.rows)
    return (*areas, of_aps / tags, influences, rests)


TOGETHER = 16
"""Tags that are ranked together, in threads."""
MOST_EXACT = 20_000_000
"""Scores beyond which influences are kept in 32 bits."""


@once
def _micro(table: TagScores) -> Pooled:
    """One ranking of all pairs: of sparse scores the entries of all tags together, and all pairs without one."""
    weights, tags, n = table.weights, len(table.labels), table.rows
    if not table.is_sparse:
        true = np.zeros((n, tags), bool)
        true[np.repeat(np.arange(n), np.diff(table.truth.indptr)), table.truth.indices] = True
        found, sums = ranked(table.scores, true, weights)
        return Pooled(found.auc, found.ap, *sums.T)
    parts = [*table.entries()]
    rows, score, true = (np.concatenate([each[i] for each in parts]) for i in range(3))
    found, sums = ranked(score[:, None], true[:, None], weights[rows], sum(each.rest for each in parts))
    absent = tags - np.bincount(rows, minlength=n)
    of_auc, of_ap = (
        np.bincount(rows, each, n) + absent * rest for each, rest in zip(sums.T, found.rest, strict=True)
    )
    return Pooled(found.auc, found.ap, of_auc, of_ap)
