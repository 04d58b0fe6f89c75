"""What a page shows of the folds: the models by one measure with each fold, and curves of single folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from classay.curves.curve import Curve
from classay.curves.display import for_display
from classay.errors import InputError
from classay.report.forest import interval_marks, number, on_rows
from classay.report.pictures import literal, pictures
from classay.report.report import FoldCurves, Group, Row
from classay.report.wording import interval, shorten, value
from classay.resampling.naming import BASELINE

if TYPE_CHECKING:
    from classay.resampling.evaluation import Evaluation
    from classay.resampling.parts import Parts

FOLDS = 10
"""Folds whose curves are drawn: more lines than these are a cloud."""
NEAR = 0.002
"""Greatest vertical error of a curve that is drawn thin among many."""
MOST_DOTS = 200
FEWEST_VALUES = 3
"""Different values below which folds are not drawn: those of single cases are 0 or 1."""


def of_models(group: Group) -> dict[str, Any] | None:
    """The models by one measure for plotly.js: each with its interval, its folds as dots, its training as a diamond.

    None where no model has a value.
    """
    rows = group.rows
    if not any(isfinite(row.estimate.value) for row in rows):
        return None
    marks = interval_marks([row.estimate for row in rows], [_pointed_at(row) for row in rows])
    traces = [
        _dots(row, place)
        for place, row in enumerate(rows)
        if len({*filter(isfinite, row.folds)}) >= FEWEST_VALUES
    ]
    shown = [(row, place) for place, row in enumerate(rows) if row.title != BASELINE]
    training = [(row, place) for row, place in shown if row.training is not None]
    seen = {
        "type": "scatter",
        "mode": "markers",
        "x": [number(row.training.value) for row, _ in training if row.training is not None],
        "y": [place for _, place in training],
        "marker": {"symbol": "diamond-open", "size": 9, "line": {"width": 1.5}},
        "line": {},
        "rank": -1,
    }
    drawn = [*traces, *_baseline(rows), seen, marks]
    return on_rows(group.title, [row.title for row in rows], drawn)


def _baseline(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The line that models have to pass."""
    values = [row.estimate.value for row in rows if row.title == BASELINE]
    if not values or not isfinite(values[0]):
        return []
    x, ends = number(values[0]), [-0.5, len(rows) - 0.5]
    return [{"type": "scatter", "mode": "lines", "x": [x, x], "y": ends, "name": BASELINE, "rank": -1}]


def _dots(row: Row, place: int) -> dict[str, Any]:
    """One dot a fold, in three lines below the interval, so that equal values do not hide each other."""
    shown = row.folds[:MOST_DOTS]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [number(each) for each in shown],
        "y": [round(place + 0.2 + 0.07 * (k % 3), 2) for k in range(len(shown))],
        "marker": {"size": 3.5, "opacity": 0.45, "line": {"width": 0}},
        "line": {},
        "hovertemplate": "a fold: %{x}<extra></extra>",
        "rank": 0,
    }


def _pointed_at(row: Row) -> str:
    training = "" if row.training is None else f"<br>training {value(row.training)}"
    found = f"{value(row.estimate)} {interval(row.estimate)}".rstrip()
    return f"{literal(shorten(row.title))}<br>{found}{training}"


def pictured(e: Evaluation) -> tuple[tuple[Curve, ...], tuple[FoldCurves, ...]]:
    """The calibration of each model over all folds together, and its ROC curves in the first folds.

    A probability means the same whichever fold's model says it, so that calibration may be pooled; scores of
    different models have no common order, so that ROC curves may not.
    """
    calibration: list[Curve] = []
    by_fold: list[FoldCurves] = []
    for run, model, parts in e.parts():
        if model == BASELINE or run.cases.positive is None or not parts.places:
            continue
        name = f"{model} on {run.cases.name}" if len(e.runs) > 1 else model
        calibration += (
            replace(each, series=name, title="Calibration, all folds") for each in _calibration(parts)
        )
        curves = [each for i in range(min(FOLDS, len(parts.places))) for each in _roc(parts, i)]
        if curves:
            by_fold.append(FoldCurves(f"ROC curves of {name}", tuple(curves)))
    return tuple(calibration), tuple(by_fold)


def _calibration(parts: Parts) -> list[Curve]:
    if parts.results[0].kind_of_score != "probability":
        return []
    try:
        return [for_display(parts.whole.calibration.curve, NEAR, few=50)]
    except InputError:  # there is no such curve of these cases
        return []


def _roc(parts: Parts, fold: int) -> list[Curve]:
    try:
        return [for_display(parts.assessments[fold].roc.curve, NEAR, few=50)]
    except InputError:
        return []


def of_folds(found: FoldCurves) -> dict[str, Any]:
    """The picture of thin curves, without a legend: which fold is which tells nothing."""
    bare = [replace(each, threshold=None, series="") for each in found.curves]
    (picture,) = pictures(bare)
    traces = [
        each | {"line": each["line"] | {"width": 1.1}, "opacity": 0.7, "rank": 0}
        if each["rank"] >= 0
        else each
        for each in picture["traces"]
    ]
    about = {
        "title": shorten(found.title, 44),
        "note": f"One for each of the first {len(bare)} folds: scores of different folds have no common order.",
    }
    return picture | about | {"legend": [], "traces": traces}
