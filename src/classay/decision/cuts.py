"""Cuts: what every threshold of a score does, in one pass; the one of least cost; the top of the list; resamples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.compiled import kernel, thread_count, workers
from classay.curves import acting
from classay.curves.curve import written
from classay.errors import InputError
from classay.inference.bootstrap.label_samples import ClusterSums, unit_draws
from classay.inference.bootstrap.sampling import CellDraws, blocks
from classay.inference.bootstrap.score_samples import ScoredCases
from classay.inference.draws import order_of_clusters, row_numbers, stream
from classay.inference.estimate import Estimate
from classay.inference.proportions import normal_quantile, scale_of
from classay.inference.readings import design_of, tops_of_list
from classay.measures.probability_bins import mass_cuts
from classay.shown import frame_of
from classay.tables import ScoreTable
from classay.tables.sums import (
    ROUNDING,
    at_least,
    at_most,
    difference,
    rounded_difference,
    settled,
    whole_if_near,
)

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class SumTable:
    """Sums of z over the positives and the negatives at each score, `[..., 1 + amount, score]`.

    z is the constant 1, which counts cases or their weight, followed by the amounts that rows carry.
    """

    positive: Array
    negative: Array

    @classmethod
    def of(cls, table: ScoreTable) -> SumTable:
        """Return those of a score table."""
        counts = table.negatives, table.positives
        if table.amounts is None:
            return cls(table.positives[None], table.negatives[None])
        negative, positive = (
            np.concatenate([np.asarray(count, np.float64)[None], table.amounts.sums[:, i]])
            for i, count in enumerate(counts)
        )
        return cls(positive, negative)

    def factors(self, prevalence: float | None) -> Array:
        """Return what negatives and positives are multiplied by for a share `prevalence` of positives, `[..., 2]`."""
        n, p = (class_sums[..., 0, :].sum(-1) for class_sums in (self.negative, self.positive))
        if prevalence is None:
            return np.ones((*p.shape, 2))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.stack([(1 - prevalence) * (p + n) / n, prevalence * (p + n) / p], -1)

    def at_prevalence(self, prevalence: float | None) -> SumTable:
        """Return the same with a share `prevalence` of positives, of as many cases in all."""
        if prevalence is None:
            return self
        by_negative, by_positive = np.moveaxis(self.factors(prevalence), -1, 0)[..., None, None]
        with np.errstate(invalid="ignore"):  # of a class without cases: nothing times infinity
            return SumTable(self.positive * by_positive, self.negative * by_negative)


@dataclass(frozen=True, eq=False)
class CutCounts:
    """Counts and mean cost of "positive" down to each of m scores: `[..., m + 1]`, from none called to all.

    `positives` and `negatives` are the totals, `[..., 1]`; `cost` is None where nothing has a cost.
    """

    tp: Array
    fp: Array
    positives: Array
    negatives: Array
    cost: Array | None = None

    @classmethod
    def of(cls, sums: SumTable, cost: Array | None = None) -> CutCounts:
        """From the sums by score; `cost` is `[predicted, true, 1 + amount]`, the negative class first."""
        tp, fp = (_running(class_sums[..., 0, :]) for class_sums in (sums.positive, sums.negative))
        p, n = tp[..., -1:], fp[..., -1:]
        if cost is None:
            return cls(tp, fp, p, n)
        return cls(tp, fp, p, n, mean_costs(sums, cost))

    @property
    def counts(self) -> tuple[Array, Array, Array, Array]:
        """True and false positives, false and true negatives, `[..., m + 1]`."""
        return self.tp, self.fp, difference(self.positives, self.tp), difference(self.negatives, self.fp)

    @property
    def called(self) -> Array:
        """Cases called positive, `[..., m + 1]`."""
        return self.tp + self.fp

    def take(self, cut: Array) -> CutCounts:
        """Return one cut of each leading place, `[..., 1]`."""
        at = np.asarray(cut)[..., None]
        tp, fp = (np.take_along_axis(counts, at, -1) for counts in (self.tp, self.fp))
        cost = None if self.cost is None else np.take_along_axis(self.cost, at, -1)
        return CutCounts(tp, fp, self.positives, self.negatives, cost)


def mean_costs(sums: SumTable, cost: Array) -> Array:
    """Return the mean cost of a case at every cut, `[..., m + 1]`; `cost` is `[predicted, true, 1 + amount]`."""
    change = dot(cost[1, 1] - cost[0, 1], sums.positive) + dot(cost[1, 0] - cost[0, 0], sums.negative)
    costs = _running(change)
    none, cases = none_called(sums, cost)
    costs += none[..., None]
    # costs and benefits that balance leave nothing but rounding
    costs = np.asarray(settled(costs, (np.abs(none) + np.abs(change).sum(-1))[..., None]))
    with np.errstate(divide="ignore", invalid="ignore"):
        costs /= cases[..., None]
    return costs


def upto(sums: SumTable, cut: Array) -> Array:
    """Return the sums down to one cut of each leading place, of negatives and of positives, `[..., 2, z]`."""
    both = sums.negative, sums.positive
    if not np.ndim(cut):
        return np.stack([class_sums[..., :cut].sum(-1) for class_sums in both], -2)
    above = (np.arange(sums.positive.shape[-1]) < np.asarray(cut)[..., None])[..., None, :]
    return np.stack([np.where(above, class_sums, 0.0).sum(-1) for class_sums in both], -2)


def mean_cost_at(sums: SumTable, cost: Array, cut: Array) -> Array:
    """Return the mean cost of a case at one cut of each leading place, `[...]`."""
    none, cases = none_called(sums, cost)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((none + ((cost[1] - cost[0]) * upto(sums, cut)).sum((-2, -1))) / cases)


def none_called(sums: SumTable, cost: Array) -> tuple[Array, Array]:
    """Return what it costs to call nobody, and the number of cases, `[...]`."""
    positive, negative = sums.positive.sum(-1), sums.negative.sum(-1)
    return positive @ cost[0, 1] + negative @ cost[0, 0], positive[..., 0] + negative[..., 0]


def threshold_of(scores: Array, cut: int) -> float:
    """The threshold of a cut of descending scores: infinite for none called, the lowest called, -infinite for all.

    No score is too low for "call everybody", those of new cases below all that were seen included.

    >>> [threshold_of(np.array([0.9, 0.4]), cut) for cut in (0, 1, 2)]
    [inf, 0.9, -inf]
    """
    return inf if cut == 0 else -inf if cut == scores.size else float(scores[cut - 1])


def _running(values: Array) -> Array:
    sums = np.zeros((*values.shape[:-1], values.shape[-1] + 1))
    np.cumsum(values, -1, out=sums[..., 1:])
    return sums


def dot(factors: Array, sums: Array) -> Array:
    """Sum over z of factor times sum, `[..., score]`, without those that are nothing."""
    total = np.zeros(())
    for i, factor in enumerate(factors):
        if factor:
            total = total + factor * sums[..., i, :]
    return np.broadcast_to(total, (*sums.shape[:-2], sums.shape[-1]))


BLOCK = 1 << 14
"""Scores whose costs are added up together: they stay in the fastest cache."""


def least_cost_cut(sums: SumTable, cost: Array) -> int:
    """The first of the cuts of least cost but for rounding, 0 where calling nobody is; `cost` is as in `CutCounts.of`.

    >>> sums = SumTable(np.array([[2.0, 1.0, 0.0]]), np.array([[0.0, 3.0, 5.0]]))
    >>> least_cost_cut(sums, np.array([[[0.0], [5.0]], [[1.0], [0.0]]])), least_cost_cut(
    ...     sums, np.array([[[0.0], [2.0]], [[1.0], [0.0]]])
    ... )
    (2, 1)
    """
    (up, by_positive), (down, by_negative) = (
        _change(sums.positive, cost[1, 1] - cost[0, 1]),
        _change(sums.negative, cost[1, 0] - cost[0, 0]),
    )
    blocks = -(-up.size // BLOCK)
    totals, lowest = np.zeros(blocks), np.zeros(blocks)
    parts = np.linspace(0, blocks, thread_count(up.size) + 1).astype(np.int64)
    add = block_costs.for_rows(up.size)
    with workers(parts.size - 1) as run:
        run(
            lambda first, last: add(up, down, by_positive, by_negative, first, last, totals, lowest),
            parts[:-1],
            parts[1:],
        )
    before = np.cumsum(totals) - totals
    least = min(float((before + lowest).min(initial=0.0)), 0.0)
    none = float(none_called(sums, cost)[0])
    terms = abs(none) + abs(by_positive) * np.abs(up).sum() + abs(by_negative) * np.abs(down).sum()
    bound = least + ROUNDING * (abs(none + least) + float(terms))
    if bound >= 0:
        return 0
    at = int(np.argmax(before + lowest <= bound))
    in_block = slice(at * BLOCK, (at + 1) * BLOCK)
    inside = before[at] + np.cumsum(by_positive * up[in_block] + by_negative * down[in_block])
    return at * BLOCK + int(np.argmax(inside <= max(bound, inside.min()))) + 1


def _change(sums: Array, factors: Array) -> tuple[Array, float]:
    """Return what calling the cases of a class at each score changes, as an array times a factor."""
    if factors.size == 1:
        return sums[0], float(factors[0])
    return np.ascontiguousarray(dot(factors, sums)), 1.0


def _block_costs(
    up: Array, down: Array, a: float, b: float, first: int, last: int, totals: Array, lowest: Array
) -> None:
    for block in range(first, last):
        in_block = slice(block * BLOCK, (block + 1) * BLOCK)
        running = np.cumsum(a * up[in_block] + b * down[in_block])
        totals[block], lowest[block] = running[-1], running.min()


@kernel(twin=_block_costs, assumes="totals and lowest have a place for every block of up and down")
def block_costs(
    up: Array, down: Array, a: float, b: float, first: int, last: int, totals: Array, lowest: Array
) -> None:
    """The sum of a · up + b · down over each block of scores, and the least of its running sums."""
    for block in range(first, last):
        running, low = 0.0, np.inf
        for i in range(block * BLOCK, min((block + 1) * BLOCK, up.shape[0])):
            running += a * up[i] + b * down[i]
            low = min(low, running)
        totals[block], lowest[block] = running, low


REPLICATES = 1000
GROUPS = 1000
"""Distinct scores beyond which neighbours are resampled together, each group 1 / 1,000 of both classes' shares."""
MOST_ROWS_DRAWN = 10**8
FEWEST = 200
NEVER = -800.0
"""The logarithm of a chance that is none."""
LEFT_OUT = float(np.exp(-1))
"""The share of cases that a resample leaves out."""


@dataclass(frozen=True, eq=False)
class Groups:
    """The scores in groups of neighbours: where each starts and ends, and its lowest score, descending."""

    starts: Array
    lowest: Array

    @classmethod
    def of(cls, table: ScoreTable, cut: int) -> Groups:
        """Groups of which one ends at a cut of the table: all scores where they are few."""
        m = table.scores.size
        if m <= GROUPS:
            cuts = np.arange(m + 1)
        else:
            parts = table.positives, table.negatives
            shares = (np.asarray(counts, float) / max(float(counts.sum()), 1e-300) for counts in parts)
            cuts = mass_cuts(*shares, GROUPS).astype(np.int64)
        cuts = np.unique(np.concatenate([cuts, [0, min(max(cut, 0), m), m]]))
        return cls(cuts[:-1], table.thresholds[cuts[1:] - 1].astype(np.float64))

    def sums(self, values: Array) -> Array:
        """Sums over each group of values by score, `[..., score]`."""
        return np.add.reduceat(values, self.starts, axis=-1).astype(np.float64)

    def grouped(self, sums: SumTable) -> SumTable:
        """Return the sums by group."""
        return SumTable(self.sums(sums.positive), self.sums(sums.negative))


def resamples(
    cases: ScoredCases, groups: Groups, amounts: Array | None = None
) -> Iterator[tuple[SumTable, SumTable]]:
    """Batches of resamples: the sums of the cases drawn, and of those left out, `[replicate, z, group]`.

    Cases are drawn with replacement, or whole clusters. Several cases in one group and class are drawn as one
    multinomial distribution; of those left out there are as many as are expected, and their amounts are
    those of the group, less what the amounts drawn are above it. `amounts` are those of the rows of clusters.
    """
    rng = stream(cases.seed, "resampled thresholds")
    if cases.rows is not None:
        yield from _of_clusters(cases, groups, amounts, rng)
    else:
        yield from _of_cases(cases.table, groups, rng)


def _of_cases(
    table: ScoreTable, groups: Groups, rng: np.random.Generator
) -> Iterator[tuple[SumTable, SumTable]]:
    sums = groups.grouped(SumTable.of(table))
    z = np.stack([sums.positive, sums.negative], 1)  # [z, class, group]
    counts, spread = _cells(table, groups, z)
    is_filled = counts > 0
    per_case = np.divide(z, counts, out=np.zeros_like(z), where=is_filled)
    missed = np.where(counts > 1, np.log1p(-1 / np.maximum(counts, 2.0)), NEVER)
    cells = CellDraws(counts[is_filled].astype(np.int64))
    for replicates in blocks(cells, REPLICATES, rng, z.size):
        drawn = np.zeros((len(replicates), *counts.shape))
        drawn[:, is_filled] = replicates
        left = np.exp(drawn * missed)
        left *= counts
        inside, outside = (every[:, None] * per_case for every in (drawn, left))
        if spread.any():
            noise = spread * np.sqrt(drawn)[:, None] * rng.standard_normal((drawn.shape[0], *spread.shape))
            inside[:, 1:] += noise
            outside[:, 1:] -= LEFT_OUT * noise
        yield SumTable(inside[:, :, 0], inside[:, :, 1]), SumTable(outside[:, :, 0], outside[:, :, 1])


def _cells(table: ScoreTable, groups: Groups, z: Array) -> tuple[Array, Array]:
    """Cases in each class and group, `[class, group]`, and the spread of their amounts, `[amount, class, group]`.

    Cases with sampling weights count as equally many alike, one at least where there is any.
    """
    counts = z[0]
    if table.positive_squares is not None and table.negative_squares is not None:
        squares = np.stack([groups.sums(table.positive_squares), groups.sums(table.negative_squares)])
        counts = np.divide(z[0] ** 2, squares, out=np.zeros_like(squares), where=squares > 0)
        counts = np.where(counts > 0, np.maximum(np.rint(counts), 1.0), 0.0)
    if table.amounts is None:
        return counts, np.zeros((0, *counts.shape))
    q = len(table.amounts.names)
    at = np.arange(q)
    products = groups.sums(table.amounts.products[1 + at, at])[:, ::-1]  # positives first
    mean = np.divide(z[1:], counts, out=np.zeros_like(z[1:]), where=counts > 0)
    variance = np.divide(products, counts, out=np.zeros_like(mean), where=counts > 0) - mean**2
    rounding = 1e-9 * mean**2
    return counts, np.sqrt(np.where(variance > rounding, variance, 0.0))


def _of_clusters(
    cases: ScoredCases, groups: Groups, amounts: Array | None, rng: np.random.Generator
) -> Iterator[tuple[SumTable, SumTable]]:
    rows = cases.rows
    assert rows is not None
    assert rows.cluster is not None
    g = groups.lowest.size
    cell = np.searchsorted(-groups.lowest, -rows.score.astype(np.float64)) + np.where(rows.positive, 0, g)
    amount_columns = [] if amounts is None else [*amounts.T]
    weight = np.ones(cell.size) if rows.weight is None else rows.weight
    z = np.stack([np.ones(cell.size), *amount_columns]) * weight
    cluster = order_of_clusters(rows.cluster, row_numbers([cell, *amount_columns]), weight)
    units, _ = unit_draws(cell.size, cluster)
    sums = [ClusterSums.of(cluster, cell, amount, units.units, 2 * g) for amount in z]
    replicates = int(np.clip(MOST_ROWS_DRAWN // max(1, rows.score.size), FEWEST, REPLICATES))
    for drawn in blocks(units, replicates, rng, max(4 * g * len(z), *(each.width for each in sums))):
        inside, outside = (
            SumTable(every[..., :g], every[..., g:])
            for every in (np.stack([each.drawn(times) for each in sums], 1) for times in (drawn, drawn == 0))
        )
        yield inside, outside


Unit = Literal["cases", "weight"]
READINGS = acting.precision_at_k, acting.recall_at_k, acting.lift_at_k
RARE = 0.1
"""Share of positives below which tenths of the cases say little: the first holds nearly all that can be found."""
ROUNDED = 1 - 1e-9
LEAST, MOST = 0.4, 100
"""The smallest and the largest part of a list of rare positives, over their share."""


@dataclass(frozen=True)
class TopPart:
    """The cases down to one row of a gain table: the k highest scores, and what they hold of the positives.

    `in_part` is the share of positives in this part alone, expected over the order of ties; `captured` is the share of
    the positives' amount that the k highest scores hold, None without an amount. `text` is the threshold, with as many
    digits as call the same cases positive, and `name` what the row is, beside a share of the cases.
    """

    k: float
    share: float
    threshold: float
    in_part: float
    precision: Estimate
    recall: Estimate
    lift: Estimate
    captured: Estimate | None = None
    text: str = ""
    name: str = ""


@dataclass(frozen=True)
class GainTable:
    """The parts of a list in the order of their scores; each row holds all parts above it too.

    >>> import classay as ca
    >>> a = ca.assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
    >>> [round(top_part.recall.value, 2) for top_part in a.gain_table(4).parts]
    [0.5, 0.75, 0.75, 1.0]
    """

    parts: tuple[TopPart, ...]
    amount: str | None = None

    def frame(self) -> Any:
        """Return the table as a PyArrow table, a row for each part, values with their intervals beside them."""
        names = ("precision", "recall", "lift", "captured")
        rows = []
        for top_part in self.parts:
            row: dict[str, Any] = {
                name: getattr(top_part, name) for name in ("k", "share", "threshold", "in_part")
            }
            for name in names:
                estimate = getattr(top_part, name)
                if estimate is not None:
                    row |= {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
            rows.append(row)
        return frame_of(rows)


def gain_table(
    cases: ScoredCases, parts: int = 10, amount: str | None = None, amounts: Array | None = None
) -> GainTable:
    """Return the gain table of a number of parts of equal size; `amounts` are those of the rows of clusters.

    Ties at an edge are in any order: values are expected over it. Raises InputError where a part would hold less than
    one case, or the rows do not carry the amount.
    """
    n = number_of(cases)
    if not 1 <= parts <= n:
        raise InputError(
            f"{parts} parts of {n:,.6g} cases have less than one case per part. Use fewer parts."
        )
    return gain_at(cases, np.arange(1, parts + 1) / parts, amount, amounts)


def number_of(cases: ScoredCases) -> float:
    """Return how many cases there are."""
    return whole_if_near(float(cases.table.n_positive + cases.table.n_negative) / cases.weight_per_case)


def gain_at(
    cases: ScoredCases,
    shares: Array,
    amount: str | None = None,
    amounts: Array | None = None,
    names: Mapping[float, str] = MappingProxyType({}),
) -> GainTable:
    """Return the same at rising shares of the cases, whatever they are; `names` say what some of them are."""
    table = cases.table
    weight = float(table.n_positive + table.n_negative)
    captured = [None] * len(shares) if amount is None else captured_at(cases, shares, amount, amounts)
    top_parts: list[TopPart] = []
    units, before, above = design_of(cases), 0.0, 0.0
    for share, value in zip(shares.tolist(), captured, strict=True):
        k = share * number_of(cases)
        precision, recall, lift = tops_of_list(cases, k, READINGS, units)
        hits = recall.value * float(table.n_positive)
        threshold = threshold_at(table, share * weight)
        in_part = float(rounded_difference(hits, before)) / (weight * (share - above))
        text = written(table.thresholds, threshold)
        top_parts.append(
            TopPart(k, share, threshold, in_part, precision, recall, lift, value, text, names.get(share, ""))
        )
        before, above = hits, share
    return GainTable(tuple(top_parts), amount)


def telling_shares(cases: ScoredCases, top: float | None = None) -> tuple[Array, dict[float, str]]:
    """Shares of the cases that tell most, and the names of some: tenths; of rare positives 1, 2, 5, 10, … of them.

    The first part then holds about as many cases as there are positives. A capacity has a row of its own.
    """
    table, n = cases.table, number_of(cases)
    rate = float(table.n_positive) / float(table.n_positive + table.n_negative)
    parts = min(10, int(n))
    shares = (np.arange(1, parts + 1) / parts).tolist()
    if 0 < rate < RARE:
        steps = [float(f"{digit}e{power}") for power in range(-12, 0) for digit in (1, 2, 5)]
        shares = [
            step
            for step in steps
            if ROUNDED * LEAST * rate <= step and at_most(step, MOST * rate) and at_least(step * n, 1)
        ] + [1.0]
    if top is None or not 1 <= top < n:
        return np.array(shares), {}
    capacity = top / n
    others = [share for share in shares if abs(share - capacity) > 1e-9 * capacity]
    return np.array(sorted([*others, capacity])), {capacity: "capacity"}


def threshold_at(table: ScoreTable, k: float) -> float:
    """Return the score of the k-th case."""
    called = np.cumsum(table.positives + table.negatives)
    at = min(int(np.searchsorted(called, k * (1 - ROUNDING))), table.scores.size - 1)
    return float(table.thresholds[at])


def captured_at(
    cases: ScoredCases, shares: Array, amount: str, amounts: Array | None = None
) -> list[Estimate]:
    """Return the share of the positives' amount that the highest scores hold, at shares of the cases.

    Normal on the logit scale with the standard deviation of resamples of cases, or clusters, each ranked again.

    >>> table = ScoreTable.from_rows(
    ...     np.array([0.9, 0.4]), np.array([True, True]), amounts=np.array([[3.0], [1.0]]), names=("amount",)
    ... )
    >>> captured_at(ScoredCases(table), np.array([0.5]), "amount")[0].value
    0.75
    """
    names = () if cases.table.amounts is None else cases.table.amounts.names
    if amount not in names:
        raise InputError(
            f"Rows have {', '.join(names) or 'no amounts'}, not {amount!r}. Pass amounts= when assessing."
        )
    place = 1 + names.index(amount)
    values = _captured(SumTable.of(cases.table), shares, place)
    groups = Groups.of(cases.table, 0)
    drawn = np.concatenate(
        [_captured(inside, shares, place) for inside, _ in resamples(cases, groups, amounts)]
    )
    estimates = []
    scale, z = scale_of((0, 1)), normal_quantile(cases.level)
    for value, replicates in zip(values.tolist(), drawn.T, strict=True):
        inside = replicates[(replicates > 0) & (replicates < 1)]
        if np.isnan(value):
            estimates.append(Estimate.undefined(f"{amount} is 0 in every positive case"))
        elif not value > 0 or at_least(value, 1):
            estimates.append(Estimate.bare(value, f"the share is {round(value)} in every resample"))
        elif inside.size < 0.9 * replicates.size or why_not(cases):
            estimates.append(Estimate.bare(value, why_not(cases) or "the share is 0 or 1 in many resamples"))
        else:
            sd = float(np.std(scale.to(inside)))
            low, high = (float(scale.back(scale.to(value) + side * z * sd)) for side in (-1, 1))
            estimates.append(Estimate(value, low, high, cases.level, "logit, resampled cases"))
    return estimates


def why_not(cases: ScoredCases) -> str:
    """Return why resamples say too little, or nothing."""
    return cases.why_not_resampled or ""


def _captured(sums: SumTable, shares: Array, place: int) -> Array:
    """Captured shares, `[..., shares]`; ties at the edge are taken in proportion."""
    counts = sums.positive[..., 0, :] + sums.negative[..., 0, :]
    called = np.concatenate([np.zeros((*counts.shape[:-1], 1)), np.cumsum(counts, -1)], -1)
    of = sums.positive[..., place, :]
    captured = np.concatenate([np.zeros((*of.shape[:-1], 1)), np.cumsum(of, -1)], -1)
    flat_called, flat_held = called.reshape(-1, called.shape[-1]), captured.reshape(-1, captured.shape[-1])
    captured_shares = np.stack(
        [
            np.interp(shares * every[-1], every, gain) / gain[-1]
            if gain[-1]
            else np.full(shares.size, np.nan)
            for every, gain in zip(flat_called, flat_held, strict=True)
        ]
    )
    return np.asarray(captured_shares.reshape(*counts.shape[:-1], shares.size))
