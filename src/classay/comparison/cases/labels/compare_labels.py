"""Any measure of labels of two classifiers on the same cases, from their joint table with the truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import isinf, isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.comparison.cases.difference import (
    How,
    Units,
    draws_for,
    few_decide,
    of_clusters,
    of_replicates,
    of_variance,
    undefined,
)
from classay.comparison.cases.labels.draws import MOST_DRAWN, bootstrap_differences, posterior_differences
from classay.comparison.cases.labels.pair import (
    LabelPair,
    canonical,
    influence_difference,
    paired_counts,
    proportion_of,
    table_of,
    values_of,
)
from classay.comparison.cases.proportions import CLUSTERED_PROPORTIONS, PROPORTIONS
from classay.comparison.comparison import Comparison
from classay.comparison.registry import ONE_TEST_SET, TESTS, Of, find, test
from classay.errors import InputError
from classay.inference.draws import DRAWS
from classay.inference.labels.delta import delta_variance
from classay.measures import Measure
from classay.measures.registry import ratio
from classay.tables import PairedTable

Array = NDArray[Any]
Values = tuple[float, float]
LABELS = Of[LabelPair, Comparison]("labels")
"""What tests of any measure of labels are of."""

FEW_DISCORDANT = 30
"""Cases that the classifiers label differently below which the delta method rests on too little."""
FEW_OF_CELL = 20
"""Cases in a cell of either matrix of two classes, the same."""

DELTA = How("delta", "delta method z", ("agresti2013",))
POSTERIOR = How("posterior", "posterior tail", ("gelman2013",))
LINEARISED = How("linearised", "linearised z", ("binder1983",))
CLUSTERS = How("clusters, t", "t over clusters", ("binder1983", "rao1992"))


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
    case in each. `method` names one of "delta", "bootstrap" and "posterior" instead, or of McNemar's tests.
    Sampling weights get the linearised variance, clusters the variance between clusters and Student's t with
    Satterthwaite's degrees of freedom, at most one fewer than clusters. Of a `family` of many comparisons more than
    2,000 draws are made where so few would limit a small p-value. Raises InputError for a measure that is
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
        return _of_clusters(pair, measure, models, values, method, level)
    if pair.table.squares is not None:
        return _by_weights(pair, measure, models, values, level)
    of_proportions = find(ONE_TEST_SET, method or "mid-p", PROPORTIONS)
    if of_proportions is not None:
        counts = paired_counts(pair, measure)
        if counts is not None:
            of = _units(pair, measure)
            return of_proportions(counts, models, measure=measure.name, level=level, units=of)
        if method is not None:
            raise InputError(
                f"{measure.name} is no proportion of the same cases for both: McNemar's test has no say."
            )
        method = "posterior" if _is_sparse(pair.table) else "delta"
    of_labels = find(ONE_TEST_SET, method, LABELS)
    if of_labels is None:
        known = sorted({each.name for each in TESTS if each.of in (LABELS, PROPORTIONS)})
        raise InputError(f"no method for labels is named {method!r}: pass one of {', '.join(known)}.")
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
    how = How(f"percentile, bootstrap of {count:,}", "bootstrap tail", ("efron1993",))
    return of_replicates(
        models, measure.name, values, draws, Units(float(pair.table.total)), how, level=level
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
    units = Units(float(pair.table.total))
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
    proportion = None if known is None else proportion_of(pair, measure)
    rows = pair.rows
    assert rows is not None
    if known is None or proportion is None or rows.weight is not None:
        return _by_clusters(pair, measure, models, values, level)
    inside, hit = proportion
    true, first, second = np.unravel_index(rows.cell, pair.table.counts.shape)
    kept = inside[true]
    cluster = np.unique(rows.cluster[kept], return_inverse=True)[1]
    right = hit[first, true][kept], hit[second, true][kept]
    found: Comparison = known(*right, cluster, models, measure=measure.name, level=level)
    return found


@test("delta", "delta method z", where=ONE_TEST_SET, of=LABELS, references=("agresti2013",))
def by_delta(
    pair: LabelPair, measure: Measure, models: tuple[str, str], values: Values, *, level: float
) -> Comparison:
    """The delta method on the joint cells of the truth and both predictions."""
    pair = canonical(pair)
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
    pair: LabelPair, measure: Measure, models: tuple[str, str], values: Values, level: float
) -> Comparison:
    pair = canonical(pair)
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
    pair: LabelPair, measure: Measure, models: tuple[str, str], values: Values, level: float
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


def _why_undefined(
    pair: LabelPair, measure: Measure, models: tuple[str, str], values: tuple[float, float]
) -> str | None:
    for name, value, matrix in zip(models, values, (pair.table.first, pair.table.second), strict=True):
        if isnan(value):
            return f"of {name}: {measure.why_undefined(table_of(matrix, pair, measure)) or '0 / 0'}"
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
