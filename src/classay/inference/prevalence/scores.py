"""Measures of scores where positives are rarer or more common: both classes reweighted (label shift)."""

from __future__ import annotations

from dataclasses import replace
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.inference.intervals import find
from classay.inference.prevalence.labels import check_prevalence
from classay.inference.sampling_units import Units
from classay.measures.conditions import NOT_PROBABILITIES
from classay.measures.registry import Measure
from classay.tables import ScoreTable
from classay.tables.rows import CodedRows

Array = NDArray[Any]
UNSURE = "integrated_calibration_index"
"""Its interval covers 82 to 86 % at some prevalences, as reweighted cases are smoothed over too few of a class."""
MOST_WORTH = 5
"""Positives that a negative may weigh at the other prevalence for a measure of the ranking to have an interval."""


def table_at_prevalence(table: ScoreTable, prevalence: float) -> ScoreTable:
    """The table as it would be with a share `prevalence` of positives, for measures that need scores.

    The cases of each class are reweighted to one total; the result holds sampling weights, and has the table's
    leading axes. Raises InputError for a prevalence outside (0, 1), or a table without one of the classes.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.4, 0.1]), np.array([True, True, False, False]))
    >>> there = table_at_prevalence(table, 0.25)
    >>> there.positives, there.negatives
    (array([0.5, 0.5, 0. ]), array([0. , 1.5, 1.5]))
    """
    check_prevalence(prevalence)
    p, n = np.asarray(table.n_positive)[..., None], np.asarray(table.n_negative)[..., None]
    if not p.all() or not n.all():
        raise InputError(
            f"no case is {'negative' if p.all() else 'positive'}: its rate is unknown at any prevalence."
        )
    up, down = prevalence * (p + n) / p, (1 - prevalence) * (p + n) / n
    plus = table.positives if table.positive_squares is None else table.positive_squares
    minus = table.negatives if table.negative_squares is None else table.negative_squares
    return replace(
        table,
        positives=table.positives * up,
        negatives=table.negatives * down,
        positive_squares=plus * up**2,
        negative_squares=minus * down**2,
    )


def scores_at_prevalence(
    measure: Measure,
    table: ScoreTable,
    prevalence: float,
    *,
    level: float = 0.95,
    rows: CodedRows | None = None,
    code: int = 1,
) -> Estimate:
    """A measure of scores where a share `prevalence` of the cases is positive, with its interval.

    The scores stay as they are in each class (label shift), probabilities too: nothing is recalibrated. The interval is
    the measure's own, of the reweighted cases, with both classes drawn apart; of clusters with the `rows` in which
    `code` is the positive class. Measures of the ranking get none where negatives weigh over five times what
    positives do: they then rest on the few that rank first, and no method tried covered more than 90 %. Undefined
    without positives or without negatives, or where the measure is. Raises InputError for a prevalence outside (0, 1).

    >>> from classay.measures import brier_score
    >>> truth = np.array([True, True, False, True, False, False])
    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.6, 0.5, 0.3, 0.1]), truth)
    >>> scores_at_prevalence(brier_score, table, 0.1)
    Estimate(0.148 [0.000, 0.476] 95 %, reweighted, t)
    """
    check_prevalence(prevalence)
    p, n = float(table.n_positive), float(table.n_negative)
    if not p or not n:
        return Estimate.undefined(f"no case is {'negative' if p else 'positive'}")
    there = table_at_prevalence(table, prevalence)
    value = float(measure(there))
    if isnan(value):
        return Estimate.undefined(measure.why_undefined(there) or "0 / 0")
    worth = p * (1 - prevalence) / (n * prevalence)
    if worth > MOST_WORTH and NOT_PROBABILITIES not in measure.undefined:
        return Estimate.bare(
            value, f"it rests on the few negatives that rank first, each worth {worth:.3g} positives"
        )
    if measure.name == UNSURE:
        return Estimate.bare(value, "none is known to be valid at another prevalence")
    if rows is not None and len(rows.clusters) < 2:
        return Estimate.bare(value, "one cluster shows no spread")
    if rows is None:
        units = replace(Units.of_cases(there), by_class=True)
    else:
        worth_of = np.where(rows.true == code, prevalence / p, (1 - prevalence) / n) * (p + n)
        weight = worth_of if rows.weight is None else rows.weight * worth_of
        units = replace(Units.of_clusters(there, replace(rows, weight=weight), code), by_class=True)
    found = find(measure, there, value, units, level, "weighted" if rows is None else "clustered")
    return (
        Estimate.bare(value, found)
        if isinstance(found, str)
        else Estimate(value, *found[:2], level, found[2])
    )
