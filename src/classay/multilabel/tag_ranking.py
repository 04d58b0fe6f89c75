"""How scores rank the cases of each tag, and all pairs of a case and a tag: areas, and what each case adds to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.compiled import KernelStep, core_count, kernel, thread_count, workers
from classay.measures.class_pairs import find_places
from classay.multilabel.tag_scores import MultilabelScores, TagEntries, sparse_columns
from classay.once import memoize
from classay.tables.tabulating import sorted_run

Array = NDArray[Any]


class Ranked(NamedTuple):
    """The AUC and the average precision of one ranking, and the weight of its positive and negative entries.

    `rest`, of both areas, is what a case without an entry adds, whose score is 0. All are NaN without both classes.
    """

    auc: float
    ap: float
    rest: tuple[float, float]
    positives: float
    negatives: float


def areas_of_places(plus: Array, minus: Array, zero: int) -> tuple[float, float, Array]:
    """Both areas of a ranking, the weight of each class at rising places, and what one more entry at each place adds.

    The last, `(places, 4)`, holds what a negative entry adds to AUC and average precision, then what a positive one
    does. With P and N the weight of both classes, V the share of the other class that a case is ranked rightly against,
    T the positives and M all that score as high or higher: an entry adds y (V - A) / P + (1 - y)(V - A) / N to the AUC,
    and (y (T / M - AP) + y G - H) / P to average precision, G and H being the sums of p / M and p T / M² over the
    positives p that score as high or lower. (DeLong et al. 1988, Biometrics 44:837; for the second see
    `average_precision_influence`.)

    >>> auc, ap, at = areas_of_places(np.array([0.0, 1, 0, 1, 0]), np.array([1.0, 1, 0, 0, 0]), 0)
    >>> print(auc, round(ap, 4), at[[0, 1], 0].tolist(), at[[1, 3], 2].tolist())
    0.875 0.8333 [0.0625, -0.0625] [-0.0625, 0.0625]
    """
    positives, negatives = float(plus.sum()), float(minus.sum())
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
    return auc, ap, at


def _rank_entries(
    places: Array, true: Array, weight: Any, size: int, rest: float, zero: int, of_auc: Array, of_ap: Array
) -> tuple[float, float, float, float]:
    weights = np.ones(places.size) if weight is None else weight
    plus = np.bincount(places[true], weights[true], 2 * size + 1)
    minus = np.bincount(places[~true], weights[~true], 2 * size + 1)
    minus[zero] += rest
    auc, ap, at = areas_of_places(plus, minus, zero)
    of_auc[:], of_ap[:] = at[places, 2 * true], at[places, 2 * true + 1]
    return auc, ap, float(at[zero, 0]), float(at[zero, 1])


@kernel(
    twin=_rank_entries,
    assumes="places are below 2 size + 1, of true entries odd; both classes have some weight",
    nanoseconds=60,
)
def rank_entries(
    places: Array, true: Array, weight: Any, size: int, rest: float, zero: int, of_auc: Array, of_ap: Array
) -> tuple[float, float, float, float]:
    """Return both areas of entries at their places among `size` scores of true ones, and what each entry adds to both.

    `rest` is the weight of negatives without an entry, at the place `zero`; what one of these adds comes last. The
    formulas are those of `areas_of_places`.
    """
    last = 2 * size
    counts = np.zeros((last + 1, 2))
    for i in range(places.shape[0]):
        counts[places[i], np.int64(true[i])] += 1.0 if weight is None else weight[i]
    counts[zero, 0] += rest
    positives, negatives = 0.0, 0.0
    for place in range(last + 1):
        negatives += counts[place, 0]
        positives += counts[place, 1]
    at = np.empty((3 * size + 1, 2))  # of negatives at each place, then of positives at each odd one
    hits, falls, auc, ap, gain, loss = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for place in range(last, -1, -1):
        minus, plus = counts[place, 0], counts[place, 1]
        at[place, 0] = (hits + plus / 2) / positives
        hits += plus
        falls += minus
        if place & 1:
            reached = hits + falls
            share = 1.0 / reached if reached > 0 else 1.0
            below, precision = (negatives - falls + minus / 2) / negatives, hits * share
            at[last + 1 + place // 2, 0] = below
            at[last + 1 + place // 2, 1] = precision - gain + loss
            auc += plus * below / positives
            ap += plus * precision / positives
        at[place, 1] = loss
        if place & 1:
            gain += plus * share
            loss += plus * share * precision
    for place in range(last + 1):
        at[place, 0] = (at[place, 0] - auc) / negatives
        at[place, 1] = (at[place, 1] - loss) / positives
    for place in range(last + 1, 3 * size + 1):
        at[place, 0] = (at[place, 0] - auc) / positives
        at[place, 1] = (at[place, 1] - ap + gain - loss) / positives
    for i in range(places.shape[0]):
        entry_place: Any = np.int64(places[i])
        where = last + 1 + entry_place // 2 if true[i] else entry_place
        of_auc[i] = at[where, 0]
        of_ap[i] = at[where, 1]
    return auc, ap, at[zero, 0], at[zero, 1]


def ranked(
    score: Array,
    true: Array,
    weight: Array | None,
    rest: float,
    of_auc: Array,
    of_ap: Array,
    in_all: int = 0,
) -> Ranked:
    """Return the ranking of entries, `(entries,)`; what each adds to both areas is written to `of_auc` and `of_ap`.

    No scores are sorted but those of positives, among which the others find their place; `rest` is the weight of
    negatives with a score of 0 beside the entries. `in_all` are the entries of all rankings that are made together.
    """
    true_levels = np.unique(score[true])
    positives = float(true.sum() if weight is None else weight[true].sum())
    negatives = float(true.size - true.sum() if weight is None else weight[~true].sum()) + rest
    if not (positives > 0 and negatives > 0):
        of_auc[:] = of_ap[:] = np.nan
        return Ranked(np.nan, np.nan, (np.nan, np.nan), positives, negatives)
    places = np.empty(score.size, np.int32)
    find, rank = (function.for_rows(score.size, in_all) for function in (find_places, rank_entries))
    find(score, true_levels, places)
    zero = 2 * int(np.searchsorted(true_levels, 0)) + int((true_levels == 0).any())
    auc, ap, *of_rest = rank(places, true, weight, true_levels.size, rest, zero, of_auc, of_ap)
    return Ranked(auc, ap, (of_rest[0], of_rest[1]), positives, negatives)


GROUPS, AND_PER_ROOT = 5000, 2e7
"""Groups of neighbouring scores, at least, of each class of very many pairs: this many, or that by the root of pairs.

What a group's mean is off varies within a case as chance has it, so that it matters less the more cases there are.
"""
WIDER = 0.004
"""The share of what scores higher that a group may be."""
NARROW = 7000
"""Groups of a class that are narrower than most, at most: 250, and then ones that grow with what scores higher."""


@KernelStep
def is_wide(in_group: float, above: float, class_total: float, groups: int) -> Any:
    """Check whether a class has enough entries in a group for it to end, by those above it and all."""
    return in_group > 0 and in_group >= min(class_total / groups, WIDER * above)


@KernelStep
def add_score(at: Array, group: int, in_group: Array, of: Array, minus: float, plus: float) -> None:
    """Add to a group the entries of both classes at a score, and its influences, negatives' then positives'."""
    in_group[0] += minus
    in_group[1] += plus
    at[group, 0] += minus * of[0]
    at[group, 1] += minus * of[1]
    at[group, 2] += plus * of[2]
    at[group, 3] += plus * of[3]


@KernelStep
def end_group(at: Array, group: int, in_group: Array, of: Array, above: Array) -> None:
    """Turn the sums of a group to means; a class without entries there has its influence at the last score."""
    for area in range(4):
        at[group, area] = at[group, area] / in_group[area // 2] if in_group[area // 2] > 0 else of[area]
    for which in range(2):
        above[which] += in_group[which]
        in_group[which] = 0.0


def _sweep_pairs(
    keys: Array,
    starts: Array,
    scale: tuple[int, int, int],
    class_totals: tuple[float, float],
    rest: float,
    groups: int,
) -> tuple[float, float, float, float, Array, Array]:
    half, low, most = scale
    bottom = np.where(np.arange(keys.size) >= starts[half], np.int64(low), np.int64(0))
    value = np.int64(most) + bottom - (keys >> 1).astype(np.int64)
    levels, places = np.unique(np.append(value, 0), return_inverse=True)
    zero, places = int(places[-1]), places[:-1]
    true = (keys & 1) > 0
    plus = np.bincount(places[true], minlength=levels.size)
    minus = np.bincount(places[~true], minlength=levels.size).astype(np.float64)
    here = np.flatnonzero(np.bincount(places, minlength=levels.size))[::-1]
    counts = np.stack([minus, plus])[:, here]
    minus[zero] += rest
    auc, ap, at = areas_of_places(plus, minus, zero)
    begins, start, above = [], 0, [0.0, 0.0]
    for end in range(1, here.size + 1):
        in_group = counts[:, start:end].sum(1).tolist()
        if end == here.size or any(map(is_wide, in_group, above, class_totals, 2 * [groups])):
            begins.append(start)
            start, above = end, [one + other for one, other in zip(above, in_group, strict=True)]
    ends = np.append(begins[1:], here.size) - 1
    totals = np.add.reduceat(counts, begins, 1)
    of = at[here[ends]]
    for area in range(4):
        sums = np.add.reduceat(counts[area // 2] * at[here, area], begins)
        held_by = totals[area // 2] > 0
        of[held_by, area] = sums[held_by] / totals[area // 2][held_by]
    return auc, ap, float(at[zero, 0]), float(at[zero, 1]), levels[here[ends]], of


@kernel(
    twin=_sweep_pairs,
    assumes="keys and starts are of a Run; whole are the entries of both classes, which have some weight",
    nanoseconds=100,
)
def sweep_pairs(
    keys: Array,
    starts: Array,
    scale: tuple[int, int, int],
    class_totals: tuple[float, float],
    rest: float,
    groups: int,
) -> tuple[float, float, float, float, Array, Array]:
    """Both areas of sorted entries, what an absent one adds to both, and what one more adds in groups of neighbours.

    As `areas_of_places`, from the highest score down. `scale` are half, low and most of the plan by which entries were
    sorted (see `tables.sorting`), `class_totals` how many entries are negative, and positive. Of each group comes the
    integer of its lowest score, and the mean of each class: `(groups,)`, `(groups, 4)`. So that intervals are those of
    all scores, a group has but a part in `groups` of each class, and a small share of what scores higher.
    """
    half, low, most = scale
    positives, negatives = class_totals[1], class_totals[0] + rest
    per_positive, per_negative = 1 / positives, 1 / negatives
    hits, falls, auc, ap, gain, loss = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    is_above, higher, lost = True, 0.0, 0.0
    limit = min(keys.shape[0], 2 * (groups + NARROW))
    ends, at, m = np.empty(limit, np.int64), np.zeros((limit, 4)), 0
    in_group, above, of = np.zeros(2), np.zeros(2), np.zeros(4)
    for b in range(starts.shape[0] - 1):
        top, begin = most + (low if b >= half else 0), starts[b]
        while begin < starts[b + 1]:
            value = top - np.int64(np.uint64(keys[begin]) >> np.uint64(1))
            end, plus, minus = begin, 0.0, 0.0
            while end < starts[b + 1] and (keys[end] ^ keys[begin]) <= 1:
                truth = np.int64(keys[end] & 1)
                plus += truth
                minus += 1 - truth
                end += 1
            begin, mine = end, minus
            if is_above and value <= 0:
                is_above, lost, higher = False, loss, hits + (plus / 2 if value == 0 else 0.0)
                falls += rest if value < 0 else 0.0
                minus += rest if value == 0 else 0.0
            of[0], of[1] = hits + plus / 2, loss
            hits += plus
            falls += minus
            below = negatives - falls + minus / 2
            share = 1 / (hits + falls) if hits + falls > 0 else 1.0
            precision = hits * share
            of[2], of[3] = below, precision - gain + loss
            auc += plus * below
            ap += plus * precision
            gain += plus * share
            loss += plus * share * precision
            add_score(at, m, in_group, of, mine, plus)
            wide = is_wide(in_group[0], above[0], class_totals[0], groups) or is_wide(
                in_group[1], above[1], class_totals[1], groups
            )
            if wide or end == keys.shape[0]:
                end_group(at, m, in_group, of, above)
                ends[m] = value
                m += 1
    if is_above:
        lost, higher = loss, hits
    auc *= per_positive * per_negative
    ap *= per_positive
    for group in range(m):
        at[group, 0] = (at[group, 0] * per_positive - auc) * per_negative
        at[group, 1] = (at[group, 1] - loss) * per_positive
        at[group, 2] = (at[group, 2] * per_negative - auc) * per_positive
        at[group, 3] = (at[group, 3] - ap + gain - loss) * per_positive
    return (
        auc,
        ap,
        (higher * per_positive - auc) * per_negative,
        (lost - loss) * per_positive,
        ends[:m],
        at[:m],
    )


def _add_groups(places: Array, true: Array, rows: Array, at: Array, sums: Array) -> None:
    influences = at[(places + 1) // 2 - 1]
    for area in range(2):
        added = np.where(true, influences[:, 2 + area], influences[:, area])
        sums[:, area] += np.bincount(rows, added, sums.shape[0])


@kernel(
    twin=_add_groups,
    assumes="places are above 0 and of groups by their lowest score; rows are below the length of sums",
    nanoseconds=30,
)
def add_groups(places: Array, true: Array, rows: Array, at: Array, sums: Array) -> None:
    """Add to the sums of rows, `(rows, 2)`, what entries at places among rising groups add, `at`, `(groups, 4)`."""
    for i in range(places.shape[0]):
        group, of = np.uint64((places[i] + 1) // 2 - 1), np.uint64(2 * np.int64(true[i]))
        row = np.uint64(rows[i])
        sums[row, 0] += at[group, of]
        sums[row, 1] += at[group, of + np.uint64(1)]


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
    influence of cases without a score, `rests`, `(tags,)`. `ap_squares`, `(tags,)`, are the sums over cases of
    the squares of what each adds to a tag's average precision.
    """

    table: MultilabelScores
    aucs: Array
    aps: Array
    positives: Array
    negatives: Array
    of_aps: Array
    influences: Any
    rests: Array
    ap_squares: Array

    @property
    def pooled(self) -> tuple[float, float]:
        """The weight of all positive and negative pairs."""
        return float(self.positives.sum()), float(self.negatives.sum())

    @property
    def micro(self) -> Pooled:
        """One ranking of all pairs of a case and a tag."""
        return _micro(self.table)

    def of_mean(self, factors: Array) -> Array:
        """Return what each case adds to the sum of the tags' AUCs times `factors`, `(cases,)`."""
        if self.table.is_sparse:
            return np.asarray(self.influences @ factors + self.rests @ factors)
        sums = np.zeros(self.table.rows)
        for at, factor in enumerate(factors.tolist()):  # of narrow influences, no wide copy is made of all
            sums += factor * self.influences[:, at]
        return sums


def tag_ranking(table: MultilabelScores) -> TagRanking:
    """Return the areas of the tags of a table, found once."""
    kept = _kept(table)
    if not kept:
        kept.append(_ranking(table))
    return TagRanking(table, *kept[0])


def computed_aucs(table: MultilabelScores) -> Array | None:
    """Return the AUC of each tag, `(tags,)`, where the tags of the table have been ranked before."""
    kept = _kept(table)
    return kept[0][0] if kept else None


@memoize
def _kept(table: MultilabelScores) -> list[Any]:
    return []


def _ranking(table: MultilabelScores) -> tuple[Any, ...]:
    row_weights, tags, squares = table.given, len(table.labels), table.squares
    kind = np.float32 if table.rows * tags > MOST_EXACT else np.float64

    def one(entries: TagEntries) -> tuple[Any, Ranked, Array, Array]:
        weight = None if row_weights is None else entries.of_rows(row_weights)
        of_auc, of_ap = np.empty((2, entries.score.size), kind)
        ranking = ranked(entries.score, entries.true, weight, entries.rest, of_auc, of_ap, size)
        return entries.rows, ranking, of_auc, of_ap

    size = table.held.rows.size if table.is_sparse else table.rows * tags
    of_aps, rests = np.zeros(table.rows), np.zeros(tags)
    areas, ap_squares = np.zeros((4, tags)), np.zeros(tags)
    dense = None if table.is_sparse else np.empty((table.rows, tags), kind, "F")
    columns: list[tuple[Any, Array]] = []
    with workers(core_count() if not table.is_sparse and table.rows * tags > 200_000 else 1) as run:
        entries = table.entries()
        for first in range(0, tags, TOGETHER):
            some = [tag_entries for _, tag_entries in zip(range(TOGETHER), entries, strict=False)]
            for at, (rows, ranking, of_auc, of_ap) in enumerate(run(one, some), first):
                areas[:, at] = ranking.auc, ranking.ap, ranking.positives, ranking.negatives
                ap_squares[at] = _sum_of_squares(of_ap, squares if rows is None else squares[rows])
                if dense is not None:
                    dense[:, at] = of_auc
                    of_aps += of_ap
                    continue
                absent = squares.sum() - squares[rows].sum()
                ap_squares[at] += absent * ranking.rest[1] ** 2
                rests[at] = ranking.rest[0]
                columns.append((rows, of_auc - ranking.rest[0]))
                of_aps += ranking.rest[1]
                of_aps[rows] += of_ap - ranking.rest[1]
    influences = dense if dense is not None else sparse_columns(columns, table.rows)
    return (*areas, of_aps / tags, influences, rests, ap_squares)


def _sum_of_squares(values: Array, weight: Array) -> float:
    wide = values.astype(np.float64, copy=False)
    return float(weight @ (wide * wide))


TOGETHER = 16
"""Tags that are ranked together, in threads."""
MOST_EXACT = 20_000_000
"""Scores beyond which influences are kept in 32 bits."""


@memoize
def _micro(table: MultilabelScores) -> Pooled:
    """Return one ranking of all pairs: of sparse scores the entries of all tags together, and all pairs without one."""
    n, tags = table.rows, len(table.labels)
    if table.is_sparse:
        rows, score, true, _, rests = table.held
        rest = float(rests.sum())
    else:
        rows, score, rest = None, table.scores.reshape(-1), 0.0
        true = np.zeros((n, tags), bool)
        true[np.repeat(np.arange(n), np.diff(table.truth.indptr)), table.truth.indices] = True
        true = true.reshape(-1)
    ranking, sums = pooled(score, true, rows, table.given, rest, n)
    of_auc, of_ap = sums.T
    if table.is_sparse:
        absent = tags - np.bincount(table.held.rows, minlength=n)
        of_auc, of_ap = (area + absent * of_rest for area, of_rest in zip(sums.T, ranking.rest, strict=True))
    return Pooled(ranking.auc, ranking.ap, of_auc, of_ap)


def add_case_at_random(table: MultilabelScores) -> tuple[float, float]:
    """What one more case adds to both areas of one ranking of all pairs, its scores drawn without regard to its tags.

    Such a case is true of each tag as often as cases are, and has the score of any of them: the sum over tags of
    y · mean(a1) + (1 - y) · mean(a0), with y the share of cases that have the tag, a1 and a0 what a positive and a
    negative entry at the score of a case add.
    """
    n, tags, weights = table.rows, len(table.labels), table.weights
    shares = np.asarray(table.truth.T @ weights, np.float64) / weights.sum()
    absent = np.zeros(tags)
    if table.is_sparse:  # an absent score is 0
        rows, score, true, starts, _ = table.held
        tag = np.repeat(np.arange(tags), np.diff(starts))
        absent = weights.sum() - np.bincount(tag, weights[rows], tags)
    else:
        rows, tag = np.repeat(np.arange(n), tags), np.tile(np.arange(tags), n)
        score, true = table.scores.reshape(-1), table.truth.toarray().astype(bool).reshape(-1)
    levels, places = np.unique(np.append(score, 0), return_inverse=True)
    zero, places, weight = int(places[-1]), places[:-1], weights[rows]

    def sums(of_entries: Array, of_absent: Array) -> Array:
        at_levels = np.bincount(places, of_entries, levels.size)
        at_levels[zero] += of_absent.sum()
        return at_levels

    plus, minus = sums(weight * true, np.zeros(1)), sums(weight * ~true, absent)
    at = areas_of_places(plus, minus, zero)[2]
    as_true = sums(weight * shares[tag], absent * shares)
    as_false = plus + minus - as_true
    of_auc, of_ap = (as_false @ at[:, area] + as_true @ at[:, 2 + area] for area in (0, 1))
    return float(of_auc / weights.sum()), float(of_ap / weights.sum())


def pooled(
    score: Array, true: Array, rows: Array | None, weight: Array | None, rest: float, n: int
) -> tuple[Ranked, Array]:
    """Return the ranking of entries of n rows, and what those of each row add to both areas, `(n, 2)`.

    Without `rows` all have as many, which follow each other; `weight` is that of each row. Many entries that count
    alike are all sorted, and have the mean influence of a group of neighbours, which is at hand: their own would be
    sought all over memory.
    """
    run = sorted_run(score, true) if weight is None else None
    if run is None:
        rows = np.repeat(np.arange(n), score.size // max(n, 1)) if rows is None else rows
        of_auc, of_ap = np.empty((2, score.size))
        ranking = ranked(score, true, None if weight is None else weight[rows], rest, of_auc, of_ap)
        return ranking, np.stack([np.bincount(rows, influences, n) for influences in (of_auc, of_ap)], 1)
    plus = int(true.sum())
    minus = true.size - plus
    if not (plus > 0 and minus + rest > 0):
        return Ranked(np.nan, np.nan, (np.nan, np.nan), plus, minus + rest), np.full((n, 2), np.nan)
    groups = max(GROUPS, int(AND_PER_ROOT / score.size**0.5))
    auc, ap, *of_rest, ends, at = sweep_pairs.compiled(
        run.keys, run.starts, run.plan.scale, (minus, plus), rest, groups
    )
    bits = np.where(ends >= 0, ends, run.plan.low - ends).astype(f"i{score.itemsize}")
    sums = _sums_of_groups(score, true, rows, bits.view(score.dtype)[::-1].copy(), at[::-1].copy(), n)
    return Ranked(auc, ap, (of_rest[0], of_rest[1]), plus, minus + rest), sums


AT_ONCE = 100_000
"""Entries that find their groups together, so that their places stay in the cache."""


def _sums_of_groups(score: Array, true: Array, rows: Array | None, lowest: Array, at: Array, n: int) -> Array:
    sums = np.zeros((n, 2))
    wide = score.size // n if rows is None else 1
    step = max(1, AT_ONCE // wide)
    of_step = np.repeat(np.arange(step, dtype=np.int32), wide)

    def add(first: int) -> None:
        part = slice(first * wide, (first + step) * wide)
        places = np.empty(score[part].size, np.int32)
        find_places.compiled(score[part], lowest, places)
        row, to = (of_step[: places.size], sums[first : first + step]) if rows is None else (rows[part], sums)
        add_groups.compiled(places, true[part], row, at, to)

    with workers(thread_count(score.size) if rows is None else 1) as run:
        run(add, range(0, score.size // wide, step))
    return sums
