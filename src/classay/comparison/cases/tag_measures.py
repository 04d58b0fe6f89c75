"""Measures of cases with several labels each, compared between models on the same cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.comparison.cases.difference import (
    CLUSTERED_PROPORTIONS,
    PROPORTIONS,
    How,
    of_spread,
    undefined,
)
from classay.comparison.cases.score_measures import LOSSES_OF_CASES, compare_losses
from classay.comparison.cases.tag_panel import TagPanel
from classay.comparison.comparison import Comparison
from classay.comparison.named_tests import ONE_TEST_SET, find
from classay.inference.design import Design
from classay.measures import Measure
from classay.tables import PairedCounts
from classay.tables.sums import rounded_difference

Array = NDArray[Any]
SOURCES = ("binder1983", "satterthwaite1946")
INFLUENCE = How("influence, t", "influence t", SOURCES)
OF_WEIGHTS = How("linearised, t", "linearised t", SOURCES)
OF_CLUSTERS = How("clusters, t", "t over clusters", SOURCES)


def compare_tags(
    panel: TagPanel,
    measure: Measure,
    pairs: Sequence[tuple[str, str]],
    method: str | None,
    level: float,
    seed: int,
) -> list[Comparison]:
    """Pairs of models in a measure of all tags; the case is what was drawn, so that its tags vary together.

    Exact match is a proportion of the same cases and gets McNemar's test, means over the same cases (the Hamming loss,
    measures of ranks) get the paired t; others, whose cases or counts differ between models, the influence of each case
    on the difference, with degrees of freedom by moments: rare tags show in few cases. A `method` holds for the
    measures that have it.
    """
    found = []
    for a, b in pairs:
        values = _values_of_same_cases(panel, measure, (a, b))
        if values is None:
            found.append(_by_influence(panel, measure, (a, b), level))
        elif measure.name == "exact_match" and panel.weight is None:
            found.append(_of_shares(panel, measure, (a, b), values, method, level))
        else:
            found.append(_of_means(panel, measure, (a, b), values, method, level, seed))
    return found


def _values_of_same_cases(
    panel: TagPanel, measure: Measure, models: tuple[str, str]
) -> tuple[Array, Array] | None:
    """The values of the cases by two models, where the same cases have one; None of other measures."""
    first, second = (panel.values_of_cases(name, measure) for name in models)
    if first is None or second is None or not (np.isnan(first) == np.isnan(second)).all():
        return None
    return None if np.isnan(first).all() else (first, second)


def _of_shares(
    panel: TagPanel,
    measure: Measure,
    models: tuple[str, str],
    right: tuple[Array, Array],
    method: str | None,
    level: float,
) -> Comparison:
    """A proportion of the same cases, of which each is right or wrong."""
    if panel.cluster is not None:
        of_clusters = find(ONE_TEST_SET, method, CLUSTERED_PROPORTIONS)
        if of_clusters is None or panel.frequency is not None:
            return _by_influence(panel, measure, models, level)
        found: Comparison = of_clusters(*right, panel.cluster, models, measure=measure.name, level=level)
        return found
    first, second = (each > 0 for each in right)
    times = np.ones(first.size, np.int64) if panel.frequency is None else panel.frequency
    parts = (first & second, first & ~second, ~first & second, ~first & ~second)
    counts = PairedCounts(*(int(times[each].sum()) for each in parts))
    known = find(ONE_TEST_SET, method, PROPORTIONS) or find(ONE_TEST_SET, "mid-p", PROPORTIONS)
    assert known is not None
    made: Comparison = known(counts, models, measure=measure.name, level=level)
    return made


def _of_means(
    panel: TagPanel,
    measure: Measure,
    models: tuple[str, str],
    values: tuple[Array, Array],
    method: str | None,
    level: float,
    seed: int,
) -> Comparison:
    """A mean over the same cases by the paired t, or by sign flips."""
    rows = np.flatnonzero(~np.isnan(values[0]))
    part = panel.first.take(rows)
    test = find(ONE_TEST_SET, method, LOSSES_OF_CASES) or compare_losses
    low, high = measure.bounds
    width = float(high - low) if np.isfinite(high) else len(panel.labels) - low
    found: Comparison = test(
        values[0][rows],
        values[1][rows],
        models,
        measure=measure.name,
        design=Design.of_rows(rows.size, frequency=part.frequency, weight=part.weight, cluster=part.cluster),
        level=level,
        width=width,
        seed=seed,
    )
    return found


def _by_influence(panel: TagPanel, measure: Measure, models: tuple[str, str], level: float) -> Comparison:
    """By how far one more of each case moves the difference."""
    first, second = (panel.on_rows(name, measure) for name in models)
    for name, found in zip(models, (first, second), strict=True):
        if isinstance(found, str):
            return undefined(models, measure.name, f"{name} has no value ({found})")
    assert not isinstance(first, str)
    assert not isinstance(second, str)
    values, design = (first[0], second[0]), panel.design
    if design.number < 2:
        return undefined(models, measure.name, f"one of the {design.units.name} shows no spread", values)
    how = OF_CLUSTERS if panel.cluster is not None else OF_WEIGHTS if panel.weight is not None else INFLUENCE
    spread = design.spread(rounded_difference(first[1], second[1]), degrees="moments")
    low, high = measure.bounds
    return of_spread(models, measure.name, values, spread, how, level=level, width=float(high - low))
