"""Any measure of labels of two classifiers on the same cases, from their joint table with the truth."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isinf, isnan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.columns.labels import OfClasses
from classay.comparison.cases.difference import (
    CLUSTERED_PROPORTIONS,
    PROPORTIONS,
    ComparisonMethod,
    draws_for,
    few_decide,
    of_replicates,
    of_spread,
    undefined,
)
from classay.comparison.comparison import Comparison
from classay.comparison.named_tests import ONE_TEST_SET, ComparedInput, find, names, test
from classay.errors import InputError
from classay.inference.bootstrap.sampling import CellDraws, blocks
from classay.inference.design import Degrees, Design, SamplingUnits
from classay.inference.draws import DRAWS, order_of_joint_classes, posterior_draws, stream
from classay.inference.labels.delta import of_counts, of_matrix
from classay.measures import Measure
from classay.measures.registry import ratio
from classay.tables import BinaryCounts, ConfusionMatrix, PairedCounts, PairedTable
from classay.tables.rows import RowCells, RowClusters
from classay.texts import hint

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class LabelPair(OfClasses):
    """Two classifiers' labels on the same cases: their joint table, and for clusters their rows.

    `positive` is the class of measures of one class against the rest, None among several classes.
    """

    table: PairedTable
    positive: Hashable | None = None
    rows: ClusterRows | None = None

    @cached_property
    def design(self) -> Design:
        """How the cases were drawn."""
        if self.rows is None:
            return Design(self.table)
        return Design(
            self.table, rows=RowClusters(self.rows.cluster, self.rows.weight), cells=RowCells(self.rows.cell)
        )


@dataclass(frozen=True, eq=False)
class ClusterRows:
    """Which cell of the joint table each row is in, flat, and which cluster, whole numbers from 0 without gaps.

    `(rows,)` each; `weight` are sampling weights or numbers of identical rows, or None.
    """

    cell: Array
    cluster: Array
    weight: Array | None = None


def values_of(pair: LabelPair, measure: Measure) -> tuple[float, float]:
    """Return the measure of both classifiers."""
    first, second = (table_of(matrix, pair, measure) for matrix in (pair.table.first, pair.table.second))
    return float(measure(first)), float(measure(second))


def paired_counts(pair: LabelPair, measure: Measure) -> PairedCounts | None:
    """Return the counts that McNemar's test is about, where the measure is a proportion of the same cases for both."""
    proportion = _proportion(pair, measure)
    if proportion is None:
        return None
    inside, hit = proportion
    counts = pair.table.of_classes(inside).agreement(hit)
    n = sum(counts)
    shares = float(ratio(counts.both + counts.first, n)), float(ratio(counts.both + counts.second, n))
    equal = np.allclose(shares, values_of(pair, measure), rtol=1e-9, atol=0, equal_nan=True)
    return counts if equal else None


def methods_of_labels(pair: LabelPair, measure: Measure) -> set[str]:
    """Return the names of the tests that a measure of two classifiers' labels has.

    Weights and clusters have variances by the delta method, and no resampling.
    """
    of: set[str] = {PROPORTIONS, LABELS} if pair.rows is None else {CLUSTERED_PROPORTIONS}
    if paired_counts(pair, measure) is None:
        of &= {LABELS}
    is_weighted = pair.table.squares is not None or (pair.rows is not None and pair.rows.weight is not None)
    return {"delta"} if is_weighted else {"delta", *names(ONE_TEST_SET, of)}


MOST_IN_ORDER = 50
"""Classes in an order up to which every pair of them is asked about."""


class ProportionOfCells(NamedTuple):
    """Which true classes a proportion is of, `(classes,)`, and which `[predicted, true]` count, of booleans."""

    inside: Array
    hit: Array


def _proportion(pair: LabelPair, measure: Measure) -> ProportionOfCells | None:
    if measure.needs == "counts":
        table_of(pair.table.first, pair, measure)  # says what is missing
    return proportion_of(measure, pair.table.labels, pair)


def proportion_of(
    measure: Measure, labels: Sequence[Hashable], models: OfClasses
) -> ProportionOfCells | None:
    """Return a measure as a proportion of the same cases for all classifiers; None for other measures.

    It is one if a case counts in its denominator whatever it is called. That is found out by evaluating the measure on
    single cases.
    """
    if measure.parts is None or not measure.is_of_matrix:
        return None
    if measure.needs_order and len(labels) > MOST_IN_ORDER:
        return None
    if measure.needs == "counts" and not models.is_binary:
        return None
    numerator, denominator = _parts_of_one_case(measure, labels, models.positive)
    if (denominator != denominator[:1]).any() or not np.isin(denominator, (0, 1)).all():
        return None
    return (
        ProportionOfCells(denominator[0] == 1, numerator == 1) if np.isin(numerator, (0, 1)).all() else None
    )


def _parts_of_one_case(
    measure: Measure, labels: Sequence[Hashable], positive: Hashable | None
) -> tuple[Array, Array]:
    """Numerator and denominator of the measure of one case alone, by `[predicted, true]`.

    A measure of a whole matrix that rests on no order of the classes is told by one hit and one error.
    """
    assert measure.parts is not None
    k = len(labels)
    right = np.eye(k, dtype=bool)
    if measure.needs == "counts":
        is_positive = np.arange(k) == [*labels].index(positive)
        called, true = is_positive[:, None], is_positive[None, :]
        cells = (
            marks.astype(np.int64)
            for marks in (called & true, called & ~true, ~called & true, ~(called | true))
        )
        parts = measure.parts(*cells)
        numerator, denominator = (np.broadcast_to(marks, (k, k)) for marks in parts)
        return numerator, denominator
    if measure.needs_order:
        single = np.eye(k * k, dtype=np.int64).reshape(k * k, k, k)
        parts = measure.parts(ConfusionMatrix(single, tuple(labels)))
        numerator, denominator = (np.broadcast_to(marks, (k * k,)).reshape(k, k) for marks in parts)
        return numerator, denominator
    single = np.zeros((2, k, k), np.int64)
    single[0, 0, 0] = single[1, -1, 0] = 1
    of_two = (
        np.broadcast_to(marks, (2,))
        for marks in measure.parts(*measure.read((ConfusionMatrix(single, tuple(labels)),)))
    )
    numerator, denominator = (np.where(right, pair_[0], pair_[1]) for pair_ in of_two)
    return numerator, denominator


def influence_difference(pair: LabelPair, measure: Measure) -> Array:
    """Return how one more case at each `[true, first, second]` moves the difference of the measure."""
    first, second = (
        influence_of(matrix, pair.positive, measure) for matrix in (pair.table.first, pair.table.second)
    )
    return first.T[:, :, None] - second.T[:, None, :]


def influence_of(matrix: ConfusionMatrix, positive: Hashable | None, measure: Measure) -> Array:
    """Return how one more case at each `[predicted, true]` moves a measure of labels."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if measure.needs != "counts":
            return of_matrix(measure, matrix)
        tp, fp, fn, tn = of_counts(measure, matrix.one_vs_rest(positive))
    is_positive = np.arange(len(matrix.labels)) == matrix.index(positive)
    called, true = is_positive[:, None], is_positive[None, :]
    return np.asarray(np.where(called, np.where(true, tp, fp), np.where(true, fn, tn)))


def table_of(matrix: ConfusionMatrix, models: OfClasses, measure: Measure) -> BinaryCounts | ConfusionMatrix:
    """Return what the measure needs of the matrix of one of the models."""
    if measure.needs in ("margins", "matrix"):
        return matrix
    if measure.needs != "counts":
        raise InputError(f"{measure.name} is not a threshold measure, so it needs scores instead of labels.")
    if not models.is_binary:
        raise InputError(
            f"{measure.name} needs one class, but none is set. Use {measure.name}[LABEL] or "
            f"macro_{measure.name}, or set the positive class."
        )
    return matrix.one_vs_rest(models.positive)


def order_of(pair: LabelPair) -> int:
    """Which order of the classifiers is drawn from: 1 for the table's own, -1 for the other, 0 if both are the same."""
    order = order_of_cells(pair)
    counts = pair.table.counts[np.ix_(order, order, order)]
    here, turned = counts.ravel(), counts.swapaxes(1, 2).ravel()
    unlike = np.flatnonzero(here != turned)
    return 0 if not unlike.size else 1 if here[unlike[0]] < turned[unlike[0]] else -1


def order_of_cells(pair: LabelPair) -> Array:
    """The codes of the classes in an order without names: the positive class last, several by their joint cells."""
    if pair.is_binary and len(pair.table.labels) == 2:
        return np.argsort(np.arange(2) == pair.table.index(pair.positive))
    return order_of_joint_classes(pair.table.counts)


def canonical(pair: LabelPair) -> LabelPair:
    """Return the pair, or the same with the classifiers in the other order; without the rows of clusters."""
    return LabelPair(pair.table.swapped() if order_of(pair) < 0 else pair.table, pair.positive)


MOST_DRAWN = 10_000
"""Occupied cells up to which draws of all of them are made."""


def bootstrap_differences(
    pair: LabelPair, measure: Measure, *, replicates: int = DRAWS, seed: int = 0
) -> Array:
    """Return the difference in resamples of the joint cells, `(replicates,)`; its cost does not grow with the cases."""
    return _mirrored(pair, lambda canonical: _resampled(canonical, measure, replicates, seed))


def posterior_differences(pair: LabelPair, measure: Measure, *, draws: int = DRAWS, seed: int = 0) -> Array:
    """Return the difference in draws from the posterior of the joint shares, `(draws,)`.

    With two classes the prior adds half a case to each cell (Jeffreys). With more classes, the cells in which only the
    first classifier is right share one prior case, and so do those in which only the second is, as with two classes;
    every other cell has its part of one case that all cells share (Perks). With Perks' prior alone, equal models that
    few cases tell apart differed in 8 to 11% of samples.
    """
    return _mirrored(pair, lambda canonical: _of_posterior(canonical, measure, draws, seed))


def _resampled(pair: LabelPair, measure: Measure, replicates: int, seed: int) -> Array:
    cells = _cells(pair)
    counts = pair.table.counts.ravel()[cells]
    cells, counts = cells[counts > 0], counts[counts > 0]
    _block(pair, cells)
    draws = CellDraws(counts)
    drawn = blocks(draws, replicates, stream(seed, "paired labels, bootstrap"))
    return _differences(pair, measure, cells, drawn)


def _of_posterior(pair: LabelPair, measure: Measure, count: int, seed: int) -> Array:
    cells = _cells(pair)
    counts = pair.table.counts.ravel()[cells]
    prior = _prior(cells, len(pair.table.labels))
    rng = stream(seed, "paired labels, posterior")
    draws = posterior_draws(counts, prior, rng, _block(pair, cells), count)
    return _differences(pair, measure, cells, draws)


def _prior(cells: Array, classes: int) -> Array:
    """Return the part of a case that each joint cell has before any is seen."""
    if classes == 2:
        return np.full(cells.size, 0.5)
    true, first, second = np.unravel_index(cells, (classes,) * 3)
    prior = np.full(cells.size, 1 / cells.size)
    for right, wrong in ((first, second), (second, first)):
        only = (right == true) & (wrong != true)
        prior[only] = 1 / only.sum()
    return prior


def _cells(pair: LabelPair) -> Array:
    """Return the flat places of the joint cells in an order that no name of a class decides."""
    order = order_of_cells(pair)
    return np.ravel_multi_index(np.ix_(order, order, order), pair.table.counts.shape).ravel()


def _mirrored(pair: LabelPair, differences: Callable[[LabelPair], Array]) -> Array:
    """Draws of the difference that only change their sign if the classifiers change places.

    They are made for the table in one order of the two. A table that is the same in both orders has differences that
    are symmetric about 0, so each of its draws is taken with both signs.
    """
    values, order = differences(canonical(pair)), order_of(pair)
    return np.concatenate([values, -values]) if order == 0 else order * values


def _block(pair: LabelPair, cells: Array) -> int:
    """Return how many draws are made at a time."""
    if cells.size > MOST_DRAWN:
        way = hint("method='delta'", "--method delta")
        raise InputError(f"{cells.size:,} cells are too many for resampling. Use {way}.")
    return max(1, 2_000_000 // max(cells.size, len(pair.table.labels) ** 2))


def _differences(pair: LabelPair, measure: Measure, cells: Array, draws: Iterable[Array]) -> Array:
    k = len(pair.table.labels)
    true, first, second = np.unravel_index(cells, pair.table.counts.shape)
    to_matrix = [_indicator(codes * k + true, k * k) for codes in (first, second)]
    changes = []
    for drawn in draws:
        tables = [
            ConfusionMatrix((drawn @ to_cells).reshape(-1, k, k), pair.table.labels) for to_cells in to_matrix
        ]
        a, b = (measure(table_of(table, pair, measure)) for table in tables)
        changes.append(a - b)
    return np.concatenate(changes)


def _indicator(cell: Array, cells: int) -> Array:
    return np.equal(cell[:, None], np.arange(cells)).astype(np.float64)


Values = tuple[float, float]
LABELS = ComparedInput[LabelPair, Comparison]("labels")
"""What tests of any measure of labels are of."""

FEW_DISCORDANT = 30
"""Cases that the classifiers label differently below which the delta method rests on too little."""
FEW_OF_CELL = 20
"""Cases in a cell of either matrix of two classes, the same."""

DELTA = ComparisonMethod("delta", "delta method z", ("agresti2013",))
POSTERIOR = ComparisonMethod("posterior", "posterior tail", ("gelman2013",))
LINEARISED = ComparisonMethod("linearised", "linearised t", ("binder1983", "satterthwaite1946"))
CLUSTERS = ComparisonMethod("clusters, t", "t over clusters", ("binder1983", "rao1992", "satterthwaite1946"))


def compare_labels(
    pair: LabelPair,
    measure: Measure,
    models: tuple[str, str] = ("first", "second"),
    *,
    method: str | None = None,
    level: float = 0.95,
    seed: int = 0,
    family: int = 1,
) -> Comparison:
    """Compare two classifiers in a measure of labels: accuracy, recall, F1, MCC, kappa, a macro average.

    Proportions whose cases are the same for both, accuracy, recall, specificity and their complements, get
    McNemar's mid-P test and Tango's interval. Others get the delta method on the joint cells, so that pairing
    counts, or, where few cases tell the two apart, draws from the posterior of the joint cells with half a
    case in each. `method` names another test, where it is one of `methods_of_labels`.
    Sampling weights get the linearised variance, clusters the variance between clusters, both with Student's t, whose
    degrees of freedom are Satterthwaite's, of what each true class adds. Of a `family` of many comparisons more than
    2,000 draws are made where so few would limit a small p-value. Raises InputError for a measure that is
    none of labels.

    >>> from classay.measures import f1
    >>> cells = np.array([[[126, 3], [6, 5]], [[8, 4], [8, 40]]])
    >>> compare_labels(LabelPair(PairedTable(cells, (0, 1)), 1), f1, method="delta")
    Comparison(f1 of first minus second: 0.021 [-0.061, 0.103] 95%, delta; p = 0.61, delta method z)
    """
    values = values_of(pair, measure)
    why = _why_undefined(pair, measure, models, values)
    if why is not None:
        return undefined(models, measure.name, why, values)
    method = method if method and method in methods_of_labels(pair, measure) else None
    if pair.rows is not None:
        return _of_clusters(pair, measure, models, values, method, level)
    if pair.table.squares is not None:
        return _by_influence(canonical(pair), measure, models, values, LINEARISED, level)
    of_proportions = find(ONE_TEST_SET, method or "mid-p", PROPORTIONS)
    counts = None if of_proportions is None else paired_counts(pair, measure)
    if of_proportions is not None and counts is not None:
        of = _units(pair, measure)
        return of_proportions(counts, models, measure=measure.name, level=level, units=of)
    of_labels = find(ONE_TEST_SET, method or ("posterior" if _is_sparse(pair.table) else "delta"), LABELS)
    assert of_labels is not None
    return of_labels(pair, measure, models, values, level=level, seed=seed, family=family)


@test("bootstrap", "bootstrap of the joint cells", where=ONE_TEST_SET, of=LABELS, references=("efron1993",))
def by_bootstrap(
    pair: LabelPair,
    measure: Measure,
    models: tuple[str, str],
    values: Values,
    *,
    level: float,
    seed: int,
    family: int = 1,
) -> Comparison:
    """Percentiles of the difference in resamples of the cases."""
    count, draws = _enough(
        lambda count: bootstrap_differences(pair, measure, replicates=count, seed=seed), family, level
    )
    how = ComparisonMethod(f"percentile, bootstrap of {count:,}", "bootstrap tail", ("efron1993",))
    return of_replicates(
        models, measure.name, values, draws, SamplingUnits(float(pair.table.total)), how, level=level
    )


@test("posterior", "posterior of the joint cells", where=ONE_TEST_SET, of=LABELS, references=("gelman2013",))
def by_posterior(
    pair: LabelPair,
    measure: Measure,
    models: tuple[str, str],
    values: Values,
    *,
    level: float,
    seed: int,
    family: int = 1,
) -> Comparison:
    """The central share of draws from the posterior of the joint shares."""
    count, draws = _enough(
        lambda count: posterior_differences(pair, measure, draws=count, seed=seed), family, level
    )
    how = replace(POSTERIOR, interval=f"posterior, {count:,} draws") if count > DRAWS else POSTERIOR
    units = SamplingUnits(float(pair.table.total))
    return of_replicates(models, measure.name, values, draws, units, how, level=level)


def _enough(draw: Callable[[int], Array], family: int, level: float) -> tuple[int, Array]:
    """2,000 draws, or more where a family of tests needs them, and how many."""
    drawn, most = draw(DRAWS), draws_for(family, level)
    return (most, draw(most)) if most > DRAWS and few_decide(drawn) else (DRAWS, drawn)


def _of_clusters(
    pair: LabelPair,
    measure: Measure,
    models: tuple[str, str],
    values: Values,
    method: str | None,
    level: float,
) -> Comparison:
    """By the variance between clusters, or by a test of clustered proportions that was asked for."""
    known = find(ONE_TEST_SET, method, CLUSTERED_PROPORTIONS)
    rows = pair.rows
    assert rows is not None
    if known is None or (proportion := _proportion(pair, measure)) is None:
        return _by_influence(pair, measure, models, values, CLUSTERS, level)
    inside, hit = proportion
    true, first, second = np.unravel_index(rows.cell, pair.table.counts.shape)
    kept = inside[true]
    cluster = np.unique(rows.cluster[kept], return_inverse=True)[1]
    right = hit[first, true][kept], hit[second, true][kept]
    return known(*right, cluster, models, measure=measure.name, level=level)


@test("delta", "delta method z", where=ONE_TEST_SET, of=LABELS, references=("agresti2013",))
def by_delta(
    pair: LabelPair, measure: Measure, models: tuple[str, str], values: Values, *, level: float
) -> Comparison:
    """The delta method on the joint cells of the truth and both predictions, its variance multiplied by n / (n - 1).

    With this factor, equal weights give the z that no weights give. They are read by Student's t, with degrees of
    freedom by the cases of each class; in clusters each class has its own factor besides.
    """
    return _by_influence(canonical(pair), measure, models, values, DELTA, level)


def _by_influence(
    pair: LabelPair,
    measure: Measure,
    models: tuple[str, str],
    values: Values,
    how: ComparisonMethod,
    level: float,
) -> Comparison:
    """By how far one more case in each joint cell moves the difference."""
    if pair.design.rows is not None and pair.design.number < 2:
        return undefined(models, measure.name, "one cluster shows no variation", values)
    share = proportion_of(measure, pair.table.labels, pair)
    is_of_all_cases = share is not None and share.inside.all()
    degrees: Degrees = "normal" if how is DELTA else "moments" if is_of_all_cases else "classes"
    spread = pair.design.spread(influence_difference(pair, measure), degrees=degrees)
    if isnan(spread.variance) and degrees == "classes":
        where = "one case" if pair.design.rows is None else "one cluster"
        return undefined(
            models, measure.name, f"a class occurs in only {where}, which shows no variation", values
        )
    return of_spread(models, measure.name, values, spread, how, level=level, width=_width(measure))


def _why_undefined(
    pair: LabelPair, measure: Measure, models: tuple[str, str], values: tuple[float, float]
) -> str | None:
    for name, value, matrix in zip(models, values, (pair.table.first, pair.table.second), strict=True):
        if isnan(value):
            why = measure.why_undefined(table_of(matrix, pair, measure)) or "0 / 0"
            return f"{name} has no value ({why})"
        if isinf(value):
            return f"the value of {name} is infinite"
    return None


def _is_sparse(table: PairedTable) -> bool:
    """Whether few cases tell the classifiers apart, or a cell of one of two classes, or a class of several, is small.

    Of many classes the joint cells are too many to draw, and the delta method stays.
    """
    if table.counts.size > MOST_DRAWN:
        return False
    discordant = table.counts.sum() - np.einsum("taa->", table.counts)
    if discordant < FEW_DISCORDANT:
        return True
    if len(table.labels) == 2:
        return bool(min(table.first.counts.min(), table.second.counts.min()) < FEW_OF_CELL)
    by_class = table.counts.sum((1, 2))
    return bool(by_class[by_class > 0].min() < FEW_OF_CELL)


def _units(pair: LabelPair, measure: Measure) -> str:
    """Return what the denominator of a proportion counts: all cases, or those of a class."""
    return kept_cases(measure) or "cases"


def kept_cases(measure: Measure) -> str | None:
    """The cases of one class that a proportion is of; None for all cases, and where they differ between classifiers."""
    return measure.among if measure.among in ("positive cases", "negative cases") else None


def _width(measure: Measure) -> float:
    return float(measure.bounds[1] - measure.bounds[0])
