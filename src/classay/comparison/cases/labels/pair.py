"""Two classifiers' labels on the same cases: their joint table, and what measures make of it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError
from classay.inference.bootstrap.canonical import order_of_joint_classes
from classay.inference.labels.influence import of_counts, of_matrix
from classay.measures import Measure
from classay.measures.registry import ratio
from classay.tables import BinaryCounts, ConfusionMatrix, PairedCounts, PairedTable

Array = NDArray[Any]


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


def values_of(pair: LabelPair, measure: Measure) -> tuple[float, float]:
    """The measure of both classifiers."""
    first, second = table_of(pair.table.first, pair, measure), table_of(pair.table.second, pair, measure)
    return float(measure(first)), float(measure(second))


def paired_counts(pair: LabelPair, measure: Measure) -> PairedCounts | None:
    """The counts that McNemar's test is about, where the measure is a proportion of the same cases for both."""
    found = proportion_of(pair, measure)
    if found is None:
        return None
    inside, hit = found
    counts = pair.table.of_classes(inside).agreement(hit)
    n = sum(counts)
    shares = float(ratio(counts.both + counts.first, n)), float(ratio(counts.both + counts.second, n))
    return counts if np.allclose(shares, values_of(pair, measure), rtol=1e-9, atol=0) else None


def proportion_of(pair: LabelPair, measure: Measure) -> tuple[Array, Array] | None:
    """Which true classes a proportion is of, and which `[predicted, true]` count as hits; None for other measures.

    It is one of the same cases for both when a case counts among its denominator whatever it is called: found out by
    asking the measure about single cases.
    """
    if measure.parts is None:
        return None
    if measure.needs == "counts" and pair.positive is None:
        table_of(pair.table.first, pair, measure)  # says what is missing
    numerator, denominator = _parts_of_one_case(measure, pair)
    if (denominator != denominator[:1]).any() or not np.isin(denominator, (0, 1)).all():
        return None
    return (denominator[0] == 1, numerator == 1) if np.isin(numerator, (0, 1)).all() else None


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


def table_of(matrix: ConfusionMatrix, pair: LabelPair, measure: Measure) -> BinaryCounts | ConfusionMatrix:
    """What the measure needs of a matrix."""
    if measure.needs in ("margins", "matrix"):
        return matrix
    if measure.needs != "counts":
        raise InputError(f"{measure.name} is no measure of labels: compare scores in it.")
    if pair.positive is None:
        raise InputError(
            f"{measure.name} is of one class against the rest, and none is named: "
            f"pass {measure.name}[LABEL], macro_{measure.name}, say, or a positive class."
        )
    return matrix.one_vs_rest(pair.positive)


def order_of(pair: LabelPair) -> int:
    """1 where the joint table is the order that is drawn from, -1 where the other order is, 0 where both are one."""
    order = order_of_cells(pair)
    counts = pair.table.counts[np.ix_(order, order, order)]
    here, turned = counts.ravel(), counts.swapaxes(1, 2).ravel()
    unlike = np.flatnonzero(here != turned)
    return 0 if not unlike.size else 1 if here[unlike[0]] < turned[unlike[0]] else -1


def order_of_cells(pair: LabelPair) -> Array:
    """The codes of the classes in an order without names: the positive class last, several by their joint cells."""
    if pair.positive is not None and len(pair.table.labels) == 2:
        return np.argsort(np.arange(2) == pair.table.index(pair.positive))
    return order_of_joint_classes(pair.table.counts)


def canonical(pair: LabelPair) -> LabelPair:
    """The pair, or the same with the classifiers in the other order; without the rows of clusters."""
    return LabelPair(pair.table.swapped() if order_of(pair) < 0 else pair.table, pair.positive)
