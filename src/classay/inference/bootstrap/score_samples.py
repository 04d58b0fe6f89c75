"""Scores made ready for resampling: tables, rows with weights or clusters; the cases behind a curve."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import weight_scale
from classay.errors import InputError
from classay.inference.bootstrap.draw_kernels import curve_shapes, ranking_areas, weighted_sums
from classay.inference.bootstrap.label_samples import ClusterSums, Statistic, checked, unit_draws
from classay.inference.bootstrap.sampling import MANY, CellDraws, Evaluate, Sample, UnitDraws, blocks
from classay.inference.draws import order_of_clusters, ranks, row_numbers, stream
from classay.measures.probability import entropy
from classay.measures.probability_bins import mass_cuts
from classay.measures.ranking import MAX_FPR
from classay.measures.registry import Measure, ratio
from classay.tables import ScoreTable
from classay.tables.sums import equal_cases

Array = NDArray[Any]

CELL_COST = 50
"""How many times longer NumPy takes to draw the number of cases in a cell than it takes to draw and count one case."""

AREAS = ("roc_auc", "gini", "average_precision")
SHAPES = ("kolmogorov_smirnov", "partial_roc_auc", "standardized_partial_roc_auc", "max_f1", "tpr_at_fpr")
LOSSES = ("log_loss", "log_loss_skill", "brier_score", "brier_skill")


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """Rows with a score, for what a ScoreTable cannot say: weights of rows, and which belong together.

    `cluster` are whole numbers from 0 without gaps; all of shape `(rows,)`.
    """

    score: Array
    positive: Array
    weight: Array | None = None
    cluster: Array | None = None


@dataclass(frozen=True, eq=False)
class Ranking:
    """Cells of positives, then of negatives, each by descending score, and the steps they make.

    `p_edges` and `n_edges`, `(m + 1,)`, say which cells belong to each of the `scores`, `(m,)`.
    """

    scores: Array
    p_edges: Array
    n_edges: Array
    labels: tuple[Any, Any]

    @property
    def cells(self) -> int:
        """The number of all cells."""
        return int(self.p_edges[-1] + self.n_edges[-1])

    @property
    def split(self) -> int:
        """The number of cells of positives."""
        return int(self.p_edges[-1])

    def steps(self) -> tuple[Array, Array, Array]:
        """Return where the positives of each step end, the negatives above it, and those down through it."""
        at = np.flatnonzero(np.diff(self.p_edges))
        ends, above, through = np.append(self.p_edges[at], self.split), self.n_edges[at], self.n_edges[at + 1]
        return ends.astype(np.uint32), above.astype(np.uint32), through.astype(np.uint32)

    def table(self, drawn: Array, squares: Squares | None) -> ScoreTable:
        """Return the score tables of draws, `[replicate, score]`, with the squared weights of weighted ones."""
        kind = np.float64 if drawn.dtype.kind == "f" else np.int64

        def by_score(cells: Array, edges: Array) -> Array:
            heights = np.zeros((cells.shape[0], cells.shape[1] + 1), kind)
            np.cumsum(cells, axis=-1, dtype=kind, out=heights[:, 1:])
            return np.diff(heights[:, edges])

        def parts(cells: Array) -> tuple[Array, Array]:
            return by_score(cells[:, : self.split], self.p_edges), by_score(
                cells[:, self.split :], self.n_edges
            )

        of_squares = (None, None) if squares is None else parts(squares())
        return ScoreTable(self.scores, *parts(drawn), self.labels, *of_squares)

    def of_cells(self, values_of_positive: Array, values_of_negative: Array) -> Array:
        """Values of a positive and a negative case at each score, as those of the cells."""
        return np.concatenate(
            [
                np.repeat(values_of_positive, np.diff(self.p_edges)),
                np.repeat(values_of_negative, np.diff(self.n_edges)),
            ]
        )


def of_table(table: ScoreTable, statistics: Sequence[Statistic]) -> Sample:
    """Cases resampled by score and class: drawn by cells where these are fewer, else one by one.

    Where all statistics look at the order alone, the negatives between two positives are one cell: of cells
    that are joined, a multinomial distribution stays one.
    """
    if table.positives.ndim > 1 or table.is_weighted:
        raise InputError("Resampling needs one table of whole cases. Pass weighted rows as ScoredRows.")
    if not table.scores.size:
        raise InputError("The table has no cases to resample.")
    if all(is_of_order(statistic) for statistic in statistics):
        table = joined(table)
    counts = np.concatenate([table.positives[table.positives > 0], table.negatives[table.negatives > 0]])
    total, split = int(counts.sum()), int((table.positives > 0).sum())
    draws: CellDraws | UnitDraws
    if _has_cells(table):
        parts = [np.cumsum(column > 0) for column in (table.positives, table.negatives)]
        runs = (0, split), (split, counts.size)
        draws = CellDraws(counts)
    else:
        parts = [np.cumsum(column) for column in (table.positives, table.negatives)]
        p = int(table.n_positive)
        runs = (0, p), (p, total)
        draws = UnitDraws(total)
    p_edges, n_edges = (np.concatenate([[0], part]) for part in parts)
    ranking = Ranking(table.scores, p_edges, n_edges, table.labels)
    return Sample(draws, _evaluator(ranking, statistics), draws.observed.size, runs)


def is_of_order(statistic: Statistic) -> bool:
    """Check whether the statistic is known to look at the order of the scores alone."""
    return _name(statistic) in (*AREAS, *SHAPES)


def is_drawn_apart(table: ScoreTable) -> bool:
    """Check whether statistics of the order alone are drawn from other cells than those of the scores."""
    if not table.scores.size or table.positives.ndim > 1:
        return False
    return _has_cells(joined(table)) or _has_cells(
        table
    )  # else both are drawn case by case, which is one thing


def _has_cells(table: ScoreTable) -> bool:
    """Whether cells are drawn sooner than cases: few that hold many, or so many that they are drawn from tables."""
    cells = np.count_nonzero(table.positives) + np.count_nonzero(table.negatives)
    cases = table.n_positive + table.n_negative
    return bool(cells * CELL_COST < cases or MANY <= cells < cases)


def joined(table: ScoreTable) -> ScoreTable:
    """Return the table with the negatives between two scores of positives put together, at their last score."""
    alone = table.positives == 0
    last = np.append(~(alone[:-1] & alone[1:]), True)
    starts = np.concatenate([[0], np.flatnonzero(last)[:-1] + 1])
    negatives = np.add.reduceat(table.negatives, starts)
    return ScoreTable(table.scores[last], table.positives[last], negatives, table.labels)


def of_rows(rows: ScoredRows, statistics: Sequence[Statistic]) -> Sample:
    """Rows resampled with their weights, or clusters of them whole."""
    positive = np.asarray(rows.positive, bool)
    if rows.cluster is not None:
        return _of_clusters(rows, positive, rows.cluster, statistics)
    weight = _weight(rows)
    order, evaluate = _laid_out(rows.score, positive, statistics, weight)
    positive = positive[order]
    weighing = DrawnWeights(None if weight is None else weight[order], is_sampling(rows.weight))
    p = int(positive.sum())
    draws, width = unit_draws(order.size, None)
    return Sample(
        draws,
        lambda drawn: evaluate(*weighing.of(drawn)),
        width,
        ((0, p), (p, order.size)),
    )


def is_sampling(weight: Array | None) -> bool:
    """Check whether weights are those of sampling, which are floats, and not numbers of identical cases."""
    return weight is not None and np.asarray(weight).dtype.kind == "f"


@dataclass(frozen=True, eq=False)
class DrawnWeights:
    """What rows that were drawn so many times weigh, and where they are weighted, their squared weights."""

    weight: Array | None
    is_sampling: bool

    def of(self, drawn: Array) -> tuple[Array, Squares | None]:
        """Return the weights of draws, `[replicate, row]`, and what gives the squared ones."""
        weight = self.weight
        if weight is None:
            return drawn, None
        return drawn * weight, (lambda: drawn * weight**2) if self.is_sampling else None


def _weight(rows: ScoredRows) -> Array | None:
    """Return the weights of rows, near enough to 1 for products of their sums: only their ratios mean anything."""
    if rows.weight is None:
        return None
    weight = np.asarray(rows.weight, np.float64)
    return weight * weight_scale(weight) if weight.any() else weight


def _of_clusters(
    rows: ScoredRows, positive: Array, cluster: Array, statistics: Sequence[Statistic]
) -> Sample:
    """Clusters of rows drawn whole: what looks at the order alone by sums over joined cells, the others row by row."""
    weight = _weight(rows)
    cluster = order_of_clusters(cluster, row_numbers([positive, ranks(rows.score)]), weight)
    draws, width = unit_draws(positive.size, cluster)
    of_order = [is_of_order(statistic) for statistic in statistics]
    parts: list[tuple[list[int], Evaluate]] = []
    if any(of_order):
        places = [i for i, is_ordered in enumerate(of_order) if is_ordered]
        ranking, cell = _joined_cells(np.asarray(rows.score), positive)
        row_weights = np.ones(positive.size) if weight is None else weight
        sums = ClusterSums.of(cluster, cell, row_weights, draws.units, ranking.cells)
        evaluate = _evaluator(ranking, [statistics[i] for i in places])
        width = max(sums.width, 0 if all(of_order) else width)
        squares: ClusterSums | None = None
        if weight is not None and is_sampling(rows.weight):
            squares = ClusterSums.of(cluster, cell, weight**2, draws.units, ranking.cells)

        def of_cells(drawn: Array) -> Array:
            return evaluate(sums.drawn(drawn), None if squares is None else lambda: squares.drawn(drawn))

        parts.append((places, of_cells))
    if not all(of_order):
        places = [i for i, is_ordered in enumerate(of_order) if not is_ordered]
        order, by_row = _laid_out(rows.score, positive, [statistics[i] for i in places])
        ordered_clusters = cluster[order]
        weighing = DrawnWeights(None if weight is None else weight[order], is_sampling(rows.weight))

        def of_rows(drawn: Array) -> Array:
            return by_row(*weighing.of(drawn[:, ordered_clusters]))

        parts.append((places, of_rows))

    def values(drawn: Array) -> Array:
        estimates = np.empty((len(statistics), drawn.shape[0]))
        for places, evaluate in parts:
            estimates[places] = evaluate(drawn)
        return estimates

    return Sample(draws, values, width, ((0, draws.units),), clusters=True)


def _joined_cells(score: Array, positive: Array) -> tuple[Ranking, Array]:
    """Cells that say the order of positives and negatives, and that of each row; see `joined`."""
    code = np.unique(-score, return_inverse=True)[1]
    has_positive = np.zeros(int(code.max()) + 1, bool)
    has_positive[code[positive]] = True
    # the negatives of a score without positives go with those of the next one below, if that has none either
    starts = np.concatenate([[True], has_positive[1:] | has_positive[:-1]])
    group = (np.cumsum(starts) - 1)[code]
    counts = [np.zeros(int(group.max()) + 1, bool) for _ in range(2)]
    for kind, of in zip(counts, (group[positive], group[~positive]), strict=True):
        kind[of] = True
    p_edges, n_edges = (np.concatenate([[0], np.cumsum(kind)]) for kind in counts)
    cell = np.where(positive, p_edges[group], p_edges[-1] + n_edges[group])
    # of scores only the order counts here
    return Ranking(-np.arange(p_edges.size - 1.0), p_edges, n_edges, (False, True)), cell


def of_models(
    scores: Sequence[Array],
    positive: Array,
    statistics: Sequence[Statistic],
    *,
    weight: Array | None = None,
    cluster: Array | None = None,
) -> Sample:
    """Rows scored by several models, resampled once for all of them; the statistics are `[model * statistic]`.

    No replicate sorts anything: how often each row is drawn is carried into the order of each model's scores.
    """
    layouts = [_laid_out(score, positive, statistics) for score in scores]

    def evaluate(drawn: Array) -> Array:
        times = drawn if cluster is None else drawn[:, cluster]
        estimates = []
        for order, values in layouts:
            weighing = DrawnWeights(None if weight is None else weight[order], is_sampling(weight))
            estimates.append(values(*weighing.of(np.take(times, order, axis=1))))
        return np.concatenate(estimates)

    draws, width = unit_draws(positive.size, cluster)
    return Sample(draws, evaluate, width, ((0, draws.units),))


def _laid_out(
    score: Array, positive: Array, statistics: Sequence[Statistic], weight: Array | None = None
) -> tuple[Array, Evaluator]:
    """Return the rows in the order of a Ranking of cells of one row each, and what gives the statistics of draws."""
    positive = np.asarray(positive, bool)
    order = np.lexsort((*([] if weight is None else [weight]), -score, ~positive))
    scores, code = np.unique(-score, return_inverse=True)
    p = int(positive.sum())
    p_edges, n_edges = (
        np.searchsorted(code[order[part]], np.arange(scores.size + 1))
        for part in (slice(0, p), slice(p, None))
    )
    return order, _evaluator(Ranking(-scores, p_edges, n_edges, (False, True)), statistics)


def _name(statistic: Statistic) -> str | None:
    return statistic.name if isinstance(statistic, Measure) else None


Squares = Callable[[], Array]
"""What gives the squared weights of draws, which few statistics want."""


class Evaluator(Protocol):
    """What gives the statistics of draws, `[statistic, replicate]`."""

    def __call__(self, drawn: Array, squares: Squares | None = None) -> Array:
        """Of the weights of cells drawn, and of the squared weights where there are any."""


def _evaluator(ranking: Ranking, statistics: Sequence[Statistic]) -> Evaluator:
    """Return what gives the statistics of draws: a pass for areas, one for shapes, one a loss; tables for others."""
    names = [_name(statistic) for statistic in statistics]
    steps = ranking.steps()
    tied = np.flatnonzero(steps[1] < steps[2])
    losses = {
        loss: _losses_of_cells(ranking, loss)
        for loss in ("log_loss", "brier")
        if any(name in LOSSES and name.startswith(loss) for name in names if name)
    }

    def evaluate(drawn: Array, squares: Squares | None = None) -> Array:
        known: dict[str, Array] = {}
        if any(name in AREAS for name in names):
            known |= _areas(ranking, steps, tied, drawn)
        if any(name in SHAPES for name in names):
            known |= _shapes(ranking, steps, drawn, squares)
        for loss, of_cells in losses.items():
            known |= _losses(ranking, loss, of_cells, drawn)
        table = ranking.table(drawn, squares) if any(name not in known for name in names) else None
        return np.stack(
            [
                known[name] if name in known else checked(statistic(table), statistic, drawn)
                for name, statistic in zip(names, statistics, strict=True)
            ]
        )

    return evaluate


def _scratch(drawn: Array) -> Array:
    """Room for running sums: int32 holds those of one or two bytes, and is quicker to pass over."""
    kind = np.float64 if drawn.dtype.kind == "f" else np.int32 if drawn.dtype.itemsize <= 2 else np.int64
    return np.empty(drawn.shape[1] + 2, kind)


def _areas(
    ranking: Ranking, steps: tuple[Array, Array, Array], tied: Array, drawn: Array
) -> dict[str, Array]:
    out = np.empty((drawn.shape[0], 4))
    ranking_areas.for_draws(drawn.shape[1])(drawn, ranking.split, *steps, tied, _scratch(drawn), out)
    pairs, precision, p, n = out.T
    auc = ratio(pairs, 2 * p * n)
    return {"roc_auc": auc, "gini": 2 * auc - 1, "average_precision": ratio(precision, p)}


def _shapes(
    ranking: Ranking, steps: tuple[Array, Array, Array], drawn: Array, squares: Squares | None
) -> dict[str, Array]:
    out = np.empty((drawn.shape[0], 6))
    curve_shapes.for_draws(drawn.shape[1])(drawn, ranking.split, *steps, MAX_FPR, _scratch(drawn), out)
    gap, area, best, reached, _, n = out.T
    cases = n if squares is None else equal_cases(n, squares()[:, ranking.split :].sum(-1))
    area = np.where(cases * MAX_FPR < 1, np.nan, area)
    least = MAX_FPR * MAX_FPR / 2
    standard = (1 + (area - least) / (MAX_FPR - least)) / 2
    return dict(zip(SHAPES, (gap, area, standard, best, reached), strict=True))


def _losses_of_cells(ranking: Ranking, loss: str) -> Array | None:
    """Return the loss of a case in each cell; None where the scores are no probabilities."""
    score = ranking.scores.astype(np.float64)
    if not (score.size and score[0] <= 1 and score[-1] >= 0):
        return None
    if loss == "brier":
        return ranking.of_cells((1 - score) ** 2, score**2)
    with np.errstate(divide="ignore"):
        return ranking.of_cells(-np.log(score), -np.log1p(-score))


def _losses(ranking: Ranking, loss: str, losses: Array | None, drawn: Array) -> dict[str, Array]:
    wide = np.float64 if drawn.dtype.kind == "f" else np.int64
    p = drawn[:, : ranking.split].sum(-1, dtype=wide).astype(np.float64)
    n = p + drawn[:, ranking.split :].sum(-1, dtype=wide)
    mean = ratio(np.nan if losses is None else _loss_sums(drawn, losses), n)
    share = ratio(p, n)
    if loss == "log_loss":
        return {
            "log_loss": mean,
            "log_loss_skill": 1 - ratio(mean, entropy(np.stack([share, 1 - share], -1))),
        }
    return {"brier_score": mean, "brier_skill": 1 - ratio(mean, share * (1 - share))}


def _loss_sums(drawn: Array, losses: Array) -> Array:
    """Sum of the losses of the cases drawn; one that is infinite counts nothing where it is not drawn."""
    add = weighted_sums.for_draws(drawn.shape[1])
    total = np.empty(drawn.shape[0])
    infinite = np.isinf(losses)
    if not infinite.any():
        add(drawn, losses, total)
        return total
    add(drawn, np.where(infinite, 0.0, losses), total)
    met = np.empty(drawn.shape[0])
    add(drawn, infinite.astype(np.float64), met)
    return np.where(met > 0, np.inf, total)


GROUPS = 20_000
"""Distinct scores beyond which neighbours are resampled together: in a group is 1 / 20,000 of both classes' shares."""
FEW_CLUSTERS = 20
"""Clusters below which resampling them shows too little of how they differ."""


@dataclass(frozen=True, eq=False)
class ScoredCases:
    """The table of a score, the level and the seed of intervals; and the rows, where they belong to clusters.

    Clusters are then what is resampled, each with all its rows. `number` is how many cases there are, where weights do
    not say it.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.1]), np.array([True, True, False]))
    >>> [int(each.n_positive + each.n_negative) for each in ScoredCases(table).resamples(3, "example")]
    [3, 3, 3]
    """

    table: ScoreTable
    rows: ScoredRows | None = None
    level: float = 0.95
    seed: int = 0
    number: int | None = None

    @property
    def weight_per_case(self) -> float:
        """The mean weight of a case: 1 where all count alike."""
        if self.number is None:
            return 1.0
        return float(self.table.n_positive + self.table.n_negative) / self.number

    @property
    def why_not_resampled(self) -> str | None:
        """Why no interval can be had by resampling, or None."""
        if self.rows is None:
            return None
        assert self.rows.cluster is not None
        clusters = int(self.rows.cluster.max(initial=-1)) + 1
        return f"only {clusters} clusters to resample" if clusters < FEW_CLUSTERS else None

    @property
    def unit(self) -> str:
        """What a resample draws, as the name of its bootstrap."""
        if self.rows is not None:
            return "cluster"
        return "Bayesian" if self.table.is_weighted else "cohort"

    def resamples(self, replicates: int, name: str) -> Iterator[ScoreTable]:
        """Tables of as many cases, or clusters, drawn with replacement; the stream depends on seed and name.

        Cases with sampling weights are all kept, each with its weight times a draw from the exponential distribution:
        the Bayesian bootstrap (Rubin 1981, Annals of Statistics 9:130), whose sums at a score are gamma distributed.
        Beyond 20,000 distinct scores, those of groups of neighbours, at the lowest score of each group.
        """
        groups, rng = grouped(self.table), stream(self.seed, name)
        if self.rows is None and groups.is_weighted:
            return _of_weights(groups, replicates, rng)
        draws, tables = _of_cells(groups) if self.rows is None else _draws_of_clusters(groups, self.rows)
        blocked = blocks(draws, replicates, rng, 2 * groups.scores.size)
        return (table for drawn in blocked for table in tables(drawn))


def grouped(table: ScoreTable, groups: int = GROUPS) -> ScoreTable:
    """Return the table with neighbouring scores together, at the lowest of each group, where it has more scores.

    Every group holds about the same part of the two classes' shares, so no rate jumps by more than 2 / groups
    unless one score alone makes it.

    >>> table = ScoreTable.from_rows(np.arange(1000) / 1000, np.arange(1000) % 3 == 0)
    >>> grouped(table, 10).scores.size
    10
    """
    if table.scores.size <= groups:
        return table
    shares = (column / (float(column.sum()) or 1.0) for column in (table.positives, table.negatives))
    cuts = np.unique(mass_cuts(*shares, groups)).astype(np.int64)
    starts, ends = cuts[:-1], cuts[1:] - 1
    counts = table.positives, table.negatives, table.positive_squares, table.negative_squares
    sums = [None if column is None else np.add.reduceat(column, starts) for column in counts]
    return ScoreTable(table.scores[ends], sums[0], sums[1], table.labels, *sums[2:])  # type: ignore[arg-type]


Tables = Callable[[Array], Iterator[ScoreTable]]
"""From draws, `[replicate, unit]`, to the table of each replicate."""


def _of_cells(table: ScoreTable) -> tuple[CellDraws, Tables]:
    """Cases drawn by score and class: one draw from a multinomial distribution."""
    both = np.concatenate([table.positives, table.negatives])
    occupied, m = np.flatnonzero(both), table.scores.size

    def tables(drawn: Array) -> Iterator[ScoreTable]:
        for cell_counts in drawn:
            counts = np.zeros(both.size, np.int64)
            counts[occupied] = cell_counts
            yield replace(table, positives=counts[:m], negatives=counts[m:])

    return CellDraws(both[occupied]), tables


def _of_weights(table: ScoreTable, replicates: int, rng: np.random.Generator) -> Iterator[ScoreTable]:
    """Sums of weights times exponential draws: their mean the weight, their variance the sum of squares."""
    weight = np.concatenate([table.positives, table.negatives])
    assert table.positive_squares is not None
    assert table.negative_squares is not None
    squares = np.concatenate([table.positive_squares, table.negative_squares])
    occupied, m = np.flatnonzero(weight), table.scores.size
    scale = squares[occupied] / weight[occupied]
    # of one case exactly 1: gamma draws differ near it
    shape = equal_cases(weight[occupied], squares[occupied])
    for _ in range(replicates):
        sums, squared = np.zeros((2, weight.size))
        sums[occupied] = scale * rng.standard_gamma(shape)
        squared[occupied] = scale * sums[occupied]
        drawn = ScoreTable(table.scores, sums[:m], sums[m:], table.labels, squared[:m], squared[m:])
        yield drawn.read_like(table)


def _draws_of_clusters(table: ScoreTable, rows: ScoredRows) -> tuple[UnitDraws, Tables]:
    """Clusters drawn whole, their rows with their weights."""
    assert rows.cluster is not None
    m = table.scores.size
    cell = np.searchsorted(-table.scores, -rows.score) + np.where(rows.positive, 0, m)
    weight = np.ones(cell.size) if rows.weight is None else rows.weight
    cluster = order_of_clusters(rows.cluster, cell, weight)
    draws, _ = unit_draws(cell.size, cluster)
    sums = ClusterSums.of(cluster, cell, weight, draws.units, 2 * m)

    squares = None
    if rows.weight is not None and table.is_weighted:
        squares = ClusterSums.of(cluster, cell, weight * weight, draws.units, 2 * m)

    def tables(drawn: Array) -> Iterator[ScoreTable]:
        squared = None if squares is None else squares.drawn(drawn)
        for i, weights in enumerate(sums.drawn(drawn)):
            pp, nn = (None, None) if squared is None else (squared[i, :m], squared[i, m:])
            yield ScoreTable(table.scores, weights[:m], weights[m:], table.labels, pp, nn).read_like(table)

    return draws, tables
