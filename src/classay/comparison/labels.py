"""Any measure of labels of two classifiers on the same cases, from their joint table with the truth."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from math import isinf, isnan
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from classay.comparison.comparison import Comparison
from classay.comparison.proportions import mcnemar, undefined
from classay.comparison.spread import How, Units, of_clusters, of_replicates, of_variance
from classay.errors import InputError
from classay.inference.delta import delta_variance
from classay.inference.draws import DRAWS, posterior_draws, stream
from classay.inference.influence import of_counts, of_matrix
from classay.measures import Measure
from classay.measures.registry import ratio
from classay.tables import BinaryCounts, ConfusionMatrix, PairedCounts, PairedTable

Array = NDArray[Any]
Method = Literal["delta", "bootstrap", "posterior", "mid-p", "exact", "asymptotic", "continuity-corrected"]
TESTS = {
    "mid-p": "mid-P",
    "exact": "exact",
    "asymptotic": "asymptotic",
    "continuity-corrected": "continuity-corrected",
}
"""McNemar's tests by the names of methods."""

FEW_DISCORDANT = 30
"""Cases that the classifiers label differently below which the delta method rests on too little."""
FEW_OF_CELL = 20
"""Cases in a cell of either matrix of two classes, the same."""
MOST_DRAWN = 10_000
"""Occupied cells up to which draws of all of them are made."""

DELTA = How("delta", "delta method z", ("agresti2013",))
POSTERIOR = How("posterior", "posterior tail", ("gelman2013",))
BOOTSTRAP = How(f"percentile, bootstrap of {DRAWS:,}", "bootstrap tail", ("efron1993",))
LINEARISED = How("linearised", "linearised z", ("binder1983",))
CLUSTERS = How("clusters, t", "t over clusters", ("binder1983", "rao1992"))


@dataclass(frozen=True, eq=False)
class LabelPair:
    """Two classifiers' labels on the same cases: their joint table, and for clusters their rows.

    `positive` is the class of measures of one class against the rest, None among several classes.
    """

    table: PairedTable
    positive: Hashable | None = None
    rows: ClusterRows | None = None


@dataclass(frozen=True, eq=False)
class ClusterRows:
    """Which cell of the joint table each row is in, flat, and which cluster, whole numbers from 0 without gaps.

    `(rows,)` each; `weight` are sampling weights or numbers of identical rows, or None.
    """

    cell: Array
    cluster: Array
    weight: Array | None = None


def compare_labels(
    pair: LabelPair,
    measure: Measure,
    models: tuple[str, str] = ("first", "second"),
    *,
    method: Method | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """Compare two classifiers in a measure of labels: accuracy, recall, F1, MCC, kappa, a macro average.

    Proportions whose cases are the same for both, accuracy, recall, specificity and their complements, get
    McNemar's mid-P test and Tango's interval. Others get the delta method on the joint cells, so that pairing
    counts, or, where few cases tell the two apart, draws from the posterior of the joint cells with half a
    case in each. `method` names one of "delta", "bootstrap" and "posterior" instead, or of McNemar's tests.
    Sampling weights get the linearised variance, clusters the variance between clusters and Student's t with
    Satterthwaite's degrees of freedom, at most one fewer than clusters. Raises InputError for a measure that is
    none of labels.

    >>> from classay.measures import f1
    >>> cells = np.array([[[126, 3], [6, 5]], [[8, 4], [8, 40]]])
    >>> compare_labels(LabelPair(PairedTable(cells, (0, 1)), 1), f1, method="delta")
    Comparison(f1 of first less second: 0.021 [-0.061, 0.103] 95 %, delta; p = 0.61, delta method z)
    """
    values = values_of(pair, measure)
    why = _why_undefined(pair, measure, models, values)
    if why is not None:
        return undefined(models, measure.name, why, values)
    if pair.rows is not None:
        return _by_clusters(pair, measure, models, values, level)
    if pair.table.squares is not None:
        return _by_weights(pair, measure, models, values, level)
    if method is None or method in TESTS:
        counts = paired_counts(pair, measure)
        if counts is not None:
            test, of = TESTS[method or "mid-p"], _units(pair, measure)
            return mcnemar(counts, models, measure=measure.name, test=test, level=level, units=of)
        if method is not None:
            raise InputError(
                f"{measure.name} is no proportion of the same cases for both: McNemar's test has no say."
            )
        method = "posterior" if _is_sparse(pair.table) else "delta"
    if method == "delta":
        return _by_delta(pair, measure, models, values, level)
    if method not in ("bootstrap", "posterior"):
        raise InputError(
            f"no method for labels is named {method!r}: pass one of {', '.join(get_args(Method))}."
        )
    if method == "bootstrap":
        draws, how = bootstrap_differences(pair, measure, seed=seed), BOOTSTRAP
    else:
        draws, how = posterior_differences(pair, measure, seed=seed), POSTERIOR
    units = Units(float(pair.table.total))
    return of_replicates(models, measure.name, values, draws, units, how, level=level)


def values_of(pair: LabelPair, measure: Measure) -> tuple[float, float]:
    """The measure of both classifiers."""
    first, second = _table(pair.table.first, pair, measure), _table(pair.table.second, pair, measure)
    return float(measure(first)), float(measure(second))


def paired_counts(pair: LabelPair, measure: Measure) -> PairedCounts | None:
    """The counts that McNemar's test is about, where the measure is a proportion of the same cases for both.

    It is when a case counts among its denominator whatever it is called: found out by asking the measure about
    single cases.
    """
    if measure.parts is None:
        return None
    if measure.needs == "counts" and pair.positive is None:
        _table(pair.table.first, pair, measure)  # says what is missing
    numerator, denominator = _parts_of_one_case(measure, pair)
    if (denominator != denominator[:1]).any() or not np.isin(denominator, (0, 1)).all():
        return None
    if not np.isin(numerator, (0, 1)).all():
        return None
    counts = pair.table.of_classes(denominator[0] == 1).agreement(numerator == 1)
    n = sum(counts)
    found = float(ratio(counts.both + counts.first, n)), float(ratio(counts.both + counts.second, n))
    return counts if np.allclose(found, values_of(pair, measure), rtol=1e-9, atol=0) else None


def _parts_of_one_case(measure: Measure, pair: LabelPair) -> tuple[Array, Array]:
    """Numerator and denominator of the measure of one case alone, by `[predicted, true]`.

    A measure of a whole matrix does not depend on the order of the classes, so that one hit and one error tell all.
    """
    assert measure.parts is not None
    k = len(pair.table.labels)
    right = np.eye(k, dtype=bool)
    if measure.needs == "counts":
        own = np.arange(k) == pair.table.index(pair.positive)
        called, true = own[:, None], own[None, :]
        cells = (
            each.astype(np.int64)
            for each in (called & true, called & ~true, ~called & true, ~(called | true))
        )
        parts = measure.parts(*cells)
        numerator, denominator = (np.broadcast_to(each, (k, k)) for each in parts)
        return numerator, denominator
    single = np.zeros((2, k, k), np.int64)
    single[0, 0, 0] = single[1, -1, 0] = 1
    of_two = (
        np.broadcast_to(each, (2,))
        for each in measure.parts(*measure.read((ConfusionMatrix(single, pair.table.labels),)))
    )
    numerator, denominator = (np.where(right, each[0], each[1]) for each in of_two)
    return numerator, denominator


def bootstrap_differences(
    pair: LabelPair, measure: Measure, *, replicates: int = DRAWS, seed: int = 0
) -> Array:
    """The difference in resamples of the cases, `(replicates,)`: of their joint cells, so at a cost without n."""
    return _mirrored(pair, lambda canonical: _resampled(canonical, measure, replicates, seed))


def posterior_differences(pair: LabelPair, measure: Measure, *, seed: int = 0) -> Array:
    """The difference in draws from the posterior of the joint shares, `(draws,)`.

    Half a case in each cell of two classes (Jeffreys); of more classes, one case shared by all cells (Perks).
    """
    return _mirrored(pair, lambda canonical: _of_posterior(canonical, measure, seed))


def _resampled(pair: LabelPair, measure: Measure, replicates: int, seed: int) -> Array:
    counts = pair.table.counts.ravel()
    cells = np.flatnonzero(counts > 0)
    observed, rng = counts[cells], stream(seed, "paired labels, bootstrap")
    total, shares, block = int(observed.sum()), observed / observed.sum(), _block(pair, cells)
    draws = (
        rng.multinomial(total, shares, size=min(block, replicates - start))
        for start in range(0, replicates, block)
    )
    return _differences(pair, measure, cells, draws)


def _of_posterior(pair: LabelPair, measure: Measure, seed: int) -> Array:
    counts = pair.table.counts.ravel()
    prior = 0.5 if len(pair.table.labels) == 2 else 1 / counts.size
    rng, cells = stream(seed, "paired labels, posterior"), np.arange(counts.size)
    draws = posterior_draws(counts, prior, rng, _block(pair, cells))
    return _differences(pair, measure, cells, draws)


def _mirrored(pair: LabelPair, differences: Callable[[LabelPair], Array]) -> Array:
    """Draws of the difference that change nothing but their sign where the classifiers change places.

    They belong to the table in one order of the two. A table that is the same in both orders has differences that are
    symmetric about 0, and so are its draws: each is taken with both signs.
    """
    found, order = differences(_canonical(pair)), _order(pair)
    return np.concatenate([found, -found]) if order == 0 else order * found


def _order(pair: LabelPair) -> int:
    """1 where the joint table is the order that is drawn from, -1 where the other order is, 0 where both are one."""
    counts = pair.table.counts
    here, turned = counts.ravel(), counts.swapaxes(1, 2).ravel()
    unlike = np.flatnonzero(here != turned)
    return 0 if not unlike.size else 1 if here[unlike[0]] < turned[unlike[0]] else -1


def _canonical(pair: LabelPair) -> LabelPair:
    """The pair, or the same with the classifiers in the other order; without the rows of clusters."""
    return LabelPair(pair.table.swapped() if _order(pair) < 0 else pair.table, pair.positive)


def _block(pair: LabelPair, cells: Array) -> int:
    """How many draws are made at a time."""
    if cells.size > MOST_DRAWN:
        raise InputError(f"{cells.size:,} cells are too many to draw from: pass method='delta'.")
    return max(1, 2_000_000 // max(cells.size, len(pair.table.labels) ** 2))


def _differences(pair: LabelPair, measure: Measure, cells: Array, draws: Iterable[Array]) -> Array:
    k = len(pair.table.labels)
    true, first, second = np.unravel_index(cells, pair.table.counts.shape)
    to_matrix = [_indicator(said * k + true, k * k) for said in (first, second)]
    found = []
    for drawn in draws:
        tables = [ConfusionMatrix((drawn @ each).reshape(-1, k, k), pair.table.labels) for each in to_matrix]
        a, b = (measure(_table(each, pair, measure)) for each in tables)
        found.append(a - b)
    return np.concatenate(found)


def _indicator(cell: Array, cells: int) -> Array:
    return np.equal(cell[:, None], np.arange(cells)).astype(np.float64)


def influence_difference(pair: LabelPair, measure: Measure) -> Array:
    """How one more case at each `[true, first, second]` moves the difference of the measure."""
    first, second = (_influence(each, pair, measure) for each in (pair.table.first, pair.table.second))
    return first.T[:, :, None] - second.T[:, None, :]


def _influence(matrix: ConfusionMatrix, pair: LabelPair, measure: Measure) -> Array:
    """By `[predicted, true]`."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if measure.needs != "counts":
            return of_matrix(measure, matrix)
        tp, fp, fn, tn = of_counts(measure, matrix.one_vs_rest(pair.positive))
    own = np.arange(len(matrix.labels)) == matrix.index(pair.positive)
    called, true = own[:, None], own[None, :]
    return np.asarray(np.where(called, np.where(true, tp, fp), np.where(true, fn, tn)))


def _by_delta(
    pair: LabelPair, measure: Measure, models: tuple[str, str], values: tuple[float, float], level: float
) -> Comparison:
    pair = _canonical(pair)
    at = pair.table.counts != 0
    cells, slopes = pair.table.counts[at].astype(float), influence_difference(pair, measure)[at]
    return of_variance(
        models,
        measure.name,
        values,
        delta_variance(cells, slopes),
        Units(float(cells.sum())),
        DELTA,
        level=level,
        width=_width(measure),
    )


def _by_weights(
    pair: LabelPair, measure: Measure, models: tuple[str, str], values: tuple[float, float], level: float
) -> Comparison:
    pair = _canonical(pair)
    squares = pair.table.squares
    assert squares is not None
    units = float(pair.table.total) ** 2 / float(squares.sum())
    variance = float((squares * influence_difference(pair, measure) ** 2).sum())
    variance *= float(ratio(units, units - 1))
    return of_variance(
        models,
        measure.name,
        values,
        variance,
        Units(units, "effective cases"),
        LINEARISED,
        level=level,
        width=_width(measure),
    )


def _by_clusters(
    pair: LabelPair, measure: Measure, models: tuple[str, str], values: tuple[float, float], level: float
) -> Comparison:
    rows = pair.rows
    assert rows is not None
    each = influence_difference(pair, measure).ravel()[rows.cell]
    sums = np.bincount(rows.cluster, each if rows.weight is None else each * rows.weight)
    if sums.size < 2:
        return undefined(models, measure.name, "one cluster shows no spread", values)
    return of_variance(
        models,
        measure.name,
        values,
        *of_clusters(sums),
        CLUSTERS,
        level=level,
        width=_width(measure),
    )


def _table(matrix: ConfusionMatrix, pair: LabelPair, measure: Measure) -> BinaryCounts | ConfusionMatrix:
    """What the measure needs of a matrix."""
    if measure.needs in ("margins", "matrix"):
        return matrix
    if measure.needs != "counts":
        raise InputError(f"{measure.name} is no measure of labels: compare scores in it.")
    if pair.positive is None:
        raise InputError(
            f"{measure.name} is of one class against the rest, and none is named: "
            f"pass macro_{measure.name}, say, or a positive class."
        )
    return matrix.one_vs_rest(pair.positive)


def _why_undefined(
    pair: LabelPair, measure: Measure, models: tuple[str, str], values: tuple[float, float]
) -> str | None:
    for name, value, matrix in zip(models, values, (pair.table.first, pair.table.second), strict=True):
        if isnan(value):
            return f"of {name}: {measure.why_undefined(_table(matrix, pair, measure)) or '0 / 0'}"
        if isinf(value):
            return f"of {name} it is infinite"
    return None


def _is_sparse(table: PairedTable) -> bool:
    """Whether few cases tell the classifiers apart, or a cell of one of two classes is nearly empty.

    Of many classes the joint cells are too many to draw, and the delta method stays.
    """
    if table.counts.size > MOST_DRAWN:
        return False
    apart = table.counts.sum() - np.einsum("taa->", table.counts)
    if apart < FEW_DISCORDANT:
        return True
    return len(table.labels) == 2 and min(table.first.counts.min(), table.second.counts.min()) < FEW_OF_CELL


def _units(pair: LabelPair, measure: Measure) -> str:
    """What the denominator of a proportion counts: all cases, or those of a class."""
    if measure.needs != "counts":
        return "cases"
    of_positive = measure.name in ("recall", "false_negative_rate")
    return "positive cases" if of_positive else "negative cases" if measure.name in RATES else "cases"


RATES = ("specificity", "false_positive_rate")


def _width(measure: Measure) -> float:
    return float(measure.bounds[1] - measure.bounds[0])
