"""How scores rank the cases of each tag, and all pairs of a case and a tag: areas, and what each case adds to them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.compiled import KernelStep, core_count, kernel, workers
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


LEADING = 11
"""Bits of a key by which entries are dealt into stretches, each of which is sorted within the cache."""
DIGITS = 11
"""Most bits of a key for one pass within a stretch."""
FEW = 24
"""Entries that insertion sorts quickest."""


@KernelStep
def narrow_key(score: Any) -> Any:
    """The integer from 0 on that sorts as a score of 32 bits does, -0 as +0."""
    bits = np.int64(np.float32(score + np.float32(0)).view(np.int32))
    return bits + 2147483648 if bits >= 0 else -1 - bits


def _narrow_keys(score: Array) -> Array:
    bits = np.ascontiguousarray(score + np.float32(0)).view(np.int32).astype(np.int64)
    return np.where(bits >= 0, bits + 2147483648, -1 - bits)


def _deal_entries(score: Array, true: Array, packed: Array, starts: Array) -> int:
    keys = _narrow_keys(score).ravel()
    low, shift = int(keys.min()), 0
    while (int(keys.max()) - low) >> shift >> LEADING:
        shift += 1
    leading = (keys - low) >> shift
    starts[1:] = np.cumsum(np.bincount(leading, minlength=1 << LEADING))
    order = np.argsort(leading, kind="stable")
    rows = order // score.shape[1]
    packed[:] = ((keys[order] - low) << 32 | rows << 1 | true.ravel()[order]).astype(np.uint64)
    return shift


@kernel(
    twin=_deal_entries,
    assumes="packed is as long as there are entries, of fewer than 2^31 rows; starts are 0; no score is NaN",
    nanoseconds=250,
)
def deal_entries(score: Array, true: Array, packed: Array, starts: Array) -> Any:
    """Write key, row and class of entries, `(rows, entries)`, to stretches of keys with the same leading bits.

    `starts` becomes where each stretch begins. Returns how many bits of a key are not leading.
    """
    rows, columns = score.shape
    low, most = np.int64(4294967296), np.int64(0)
    for row in range(rows):
        for j in range(columns):
            key = narrow_key(score[row, j])
            low, most = min(low, key), max(most, key)
    shift = np.int64(0)
    while (most - low) >> shift >> LEADING:
        shift += 1
    for row in range(rows):
        for j in range(columns):
            starts[((narrow_key(score[row, j]) - low) >> shift) + 1] += 1
    for at in range(starts.shape[0] - 1):
        starts[at + 1] += starts[at]
    heads = starts.copy()
    for row in range(rows):
        for j in range(columns):
            key = narrow_key(score[row, j]) - low
            head = heads[key >> shift]
            packed[head] = np.uint64(key << 32 | row << 1 | np.int64(true[row, j]))
            heads[key >> shift] = head + 1
    return shift


def _sort_stretches(packed: Array, starts: Array, shift: int, first: int, last: int) -> None:
    for at in range(first, last):
        part = packed[starts[at] : starts[at + 1]]
        part[:] = part[np.argsort(part >> np.uint64(32), kind="stable")]


@KernelStep
def insert_entries(run: Array) -> None:
    """Sort few entries by their keys."""
    for i in range(1, run.shape[0]):
        entry = run[i]
        j = i
        while j > 0 and run[j - 1] >> np.uint64(32) > entry >> np.uint64(32):
            run[j] = run[j - 1]
            j -= 1
        run[j] = entry


@KernelStep
def deal_digit(run: Array, spare: Array, heads: Array, by: Any) -> None:
    """Sort entries by some bits, from bit `by` on; `heads` has a place for each value of these."""
    mask = np.uint64(heads.shape[0] - 1)
    heads[:] = 0
    for entry in run:
        heads[np.int64(entry >> by & mask)] += 1
    ends = np.int64(0)
    for at in range(heads.shape[0]):
        count = heads[at]
        heads[at] = ends
        ends += count
    for entry in run:
        value = np.int64(entry >> by & mask)
        spare[heads[value]] = entry
        heads[value] += 1
    for i in range(run.shape[0]):
        run[i] = spare[i]


@kernel(twin=_sort_stretches, assumes="starts rise and end within packed", nanoseconds=100)
def sort_stretches(packed: Array, starts: Array, shift: int, first: int, last: int) -> None:
    """Sort the entries of some stretches by the bits of their keys that are not leading, equal ones as they come."""
    largest = np.int64(0)
    for at in range(first, last):
        largest = max(largest, starts[at + 1] - starts[at])
    spare = np.empty(largest, np.uint64)
    heads = np.empty(1 << DIGITS, np.int64)
    for at in range(first, last):
        run = packed[starts[at] : starts[at + 1]]
        if run.shape[0] <= FEW:
            insert_entries(run)
            continue
        width = np.int64(5)
        while width < DIGITS and run.shape[0] >> width:
            width += 1
        for digit in range(0, shift, width):
            deal_digit(run, spare, heads[: 1 << width], np.uint64(32 + digit))


def _sweep_entries(packed: Array, positives: float, negatives: float, sums: Array) -> tuple[float, float]:
    keys, true = packed >> np.uint64(32), (packed & np.uint64(1)) > 0
    rows = ((packed & np.uint64(0xFFFFFFFF)) >> np.uint64(1)).astype(np.int64)
    group = np.concatenate([[0], np.cumsum(keys[1:] != keys[:-1])])
    plus = np.bincount(group, true, group[-1] + 1)
    found = RankedEntries.of_places(plus, np.bincount(group) - plus, 0)
    areas = [found.auc / negatives, 0, found.auc / positives, found.ap / positives]
    at = found.at + np.array(areas)
    for area in range(2):
        sums[:, area] += np.bincount(rows, at[group, np.where(true, 2 + area, area)], sums.shape[0])
    return found.auc, found.ap


@kernel(
    twin=_sweep_entries,
    assumes="packed rise in their upper 32 bits; both classes occur; rows are below the length of sums",
    nanoseconds=100,
)
def sweep_entries(packed: Array, positives: float, negatives: float, sums: Array) -> tuple[float, float]:
    """The areas of sorted entries; what those of each case add to both, `(cases, 2)`, but for the areas themselves.

    The formulas are those of `RankedEntries.of_places`.
    """
    hits, passed = np.int64(positives), np.int64(0)
    auc, ap, gain, loss = 0.0, 0.0, 0.0, 0.0
    per_positive, per_negative = 1 / positives, 1 / negatives
    begin, size = 0, packed.shape[0]
    while begin < size:
        key = packed[begin] >> np.uint64(32)
        end, plus = begin, np.int64(0)
        while end < size and packed[end] >> np.uint64(32) == key:
            plus += np.int64(packed[end] & np.uint64(1))
            end += 1
        minus = end - begin - plus
        of_minus, of_plus, precise = (hits - plus / 2) * per_positive * per_negative, 0.0, 0.0
        if plus:
            below = (passed + minus / 2) * per_negative
            share = 1.0 / (size - begin)
            precision = hits * share
            auc += plus * below
            ap += plus * precision
            gain += plus * share
            loss += plus * share * precision
            of_plus, precise = below * per_positive, (precision + gain - loss) * per_positive
        lost = loss * per_positive
        for i in range(begin, end):
            row = np.int64((packed[i] & np.uint64(4294967295)) >> np.uint64(1))
            if packed[i] & np.uint64(1):
                sums[row, 0] += of_plus
                sums[row, 1] += precise
            else:
                sums[row, 0] += of_minus
                sums[row, 1] -= lost
        hits -= plus
        passed += minus
        begin = end
    return auc * per_positive, ap * per_positive


def is_sortable(table: TagScores) -> bool:
    """Whether scores of 32 bits, their rows and classes fit into one number each, of cases that count alike."""
    return (
        not table.is_sparse
        and table.scores.dtype == np.float32
        and table.weight is None
        and table.frequency is None
        and table.rows < 2**31
    )


def ranked_by_sorting(score: Array, true: Array, threads: int = 1) -> tuple[RankedEntries, Array]:
    """What `ranked` finds, of entries that count alike and have scores of 32 bits, by sorting them all.

    Each score is in one number with its row and class, and a sweep over the sorted ones finds it all.
    """
    columns = score.shape[1]
    own = true[:, 0].view(np.int8) if columns == 1 else np.count_nonzero(true, axis=1)
    positives = float(own.sum(dtype=np.int64))
    negatives = float(score.size) - positives
    if not (positives and negatives):
        return ranked(score, true, np.ones(score.shape[0]))
    packed, starts = np.empty(score.size, np.uint64), np.zeros((1 << LEADING) + 1, np.int64)
    shift = deal_entries.compiled(score, true, packed, starts)
    ends = np.searchsorted(starts, np.linspace(0, score.size, threads + 1)[1:-1]).tolist()
    with workers(threads) as run:
        run(
            lambda part: sort_stretches.compiled(packed, starts, shift, *part),
            [*pairwise([0, *ends, 1 << LEADING])],
        )
    sums = np.zeros((score.shape[0], 2))
    auc, ap = sweep_entries.compiled(packed, positives, negatives, sums)
    numbers = np.arange(columns + 1)
    of_areas = np.stack(
        [auc * (numbers / positives + (columns - numbers) / negatives), ap * numbers / positives], 1
    )
    sums -= of_areas[own]
    return RankedEntries(auc, ap, np.empty((0, 4)), np.zeros(2), positives, negatives), sums


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
    sorting = _sorts(table)

    def one(entries: TagEntries) -> tuple[Array, RankedEntries, Array]:
        if sorting:
            return entries.rows, *ranked_by_sorting(entries.score[:, None], entries.true[:, None])
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


def _sorts(table: TagScores) -> bool:
    """Whether to rank by loops that sort, once they pay."""
    return is_sortable(table) and deal_entries.is_ready(table.rows * len(table.labels), loops=3)


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
        if _sorts(table):
            found, sums = ranked_by_sorting(table.scores, true, core_count())
        else:
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
