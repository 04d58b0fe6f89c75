"""The pictures of a validation: rates by grade, Gini coefficients over periods, and the scores of both samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan, nan

import numpy as np

from classay.curves.curve import Curve
from classay.inference.estimate import Estimate
from classay.validation.validating import Validation

BINS = 20
"""Bars of a sample, all of one width."""
SHORT = 6
"""Letters of the names of grades that have room below an axis; longer ones are numbered as in the table."""
NOW, DEVELOPMENT = "new cases", "development sample"


def grade_curves(v: Validation) -> tuple[Curve, ...]:
    """Return the observed rates of the grades with their intervals, and the predicted rates; nothing without grades."""
    rows = [row for row in v.grades if not isnan(row.predicted)]
    if not rows:
        return ()
    names = [row.grade for row in rows]
    if max(map(len, names)) > SHORT:
        names = [str(k) for k in range(1, len(rows) + 1)]
    about = ("grades", "Rates by grade", "grade, from low to high predicted rate", "share of positive cases")
    observed = _with_intervals(about, names, [row.observed for row in rows], "observed")
    predicted = np.array([row.predicted for row in rows])
    return *observed, replace(observed[0], y=predicted, kind="reference", series="predicted")


def gini_curves(v: Validation) -> tuple[Curve, ...]:
    """Return the Gini coefficients of the periods with intervals, and that of development; nothing without periods."""
    rows = [row for row in v.discrimination if row.part == "period" and not row.now.is_undefined]
    if not rows:
        return ()
    about = ("gini", "Gini coefficient over time", "period", "Gini coefficient")
    now = _with_intervals(about, [row.name for row in rows], [row.now for row in rows], NOW)
    then = np.full(len(rows), v.discrimination[0].development.value)
    return *now, replace(now[0], y=then, kind="reference", series=DEVELOPMENT)


def _with_intervals(
    about: tuple[str, str, str, str], names: Sequence[str], estimates: Sequence[Estimate], series: str
) -> tuple[Curve, Curve]:
    """Return estimates in their order as points, and their intervals as upright lines."""
    name, title, x_title, y_title = about
    x, y = np.arange(1.0, len(names) + 1), np.array([one.value for one in estimates])
    points = Curve(name, title, x, y, x_title, y_title, "points", series=series, x_names=tuple(names))
    across = np.repeat(x, 5)
    along = np.array([(one.low, one.high, nan, one.value, nan) for one in estimates]).ravel()
    across[np.isnan(along)] = nan
    return points, replace(points, x=across, y=along, kind="cross")


def score_curves(v: Validation) -> tuple[Curve, ...]:
    """Return which share of each sample has scores in each of equally wide bins; nothing if all scores are equal."""
    samples = {NOW: v.now.scores, DEVELOPMENT: v.development.scores}
    tables = {name: table for name, table in samples.items() if table is not None}
    every = np.concatenate([np.asarray(table.scores, np.float64) for table in tables.values()])
    low, high = float(every.min()), float(every.max())
    if not low < high:
        return ()
    edges = np.linspace(low, high, BINS + 1)
    curves = []
    for name, table in tables.items():
        cases = np.asarray(table.positives + table.negatives, np.float64)
        counts, _ = np.histogram(table.scores, edges, weights=cases)
        curves.append(
            Curve(
                "scores",
                "Scores of both samples",
                edges[:-1],
                counts / cases.sum(),
                "score",
                "share of sample",
                "bars",
                width=float(edges[1] - edges[0]),
                series=name,
            )
        )
    return tuple(curves)
