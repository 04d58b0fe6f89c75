"""The models by one measure with each fold, and thin curves of single folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from classay.inference.estimate import Estimate
from classay.report.document import Figure, Found, Label, Table, Value
from classay.report.pictures.curves import pictures
from classay.report.pictures.forest import interval_marks, literal, number, on_rows
from classay.report.words import interval, shorten, value
from classay.resampling.baseline import BASELINE

MOST_DOTS = 200
FEWEST_VALUES = 3
"""Different values below which folds are not drawn: those of single cases are 0 or 1."""


def of_models(title: str, table: Table, folds: Sequence[Sequence[float]]) -> dict[str, Any] | None:
    """The models by one measure for plotly.js: each with its interval, its folds as dots, its training as a diamond.

    None where no model has a value.
    """
    models = [each.text for each in table.column(Label)]
    found = [each.estimate for each in table.column(Found)]
    training = [None if each is None else each.estimate for each in table.column(Value)]
    if not any(isfinite(each.value) for each in found):
        return None
    marks = interval_marks(found, [_pointed_at(*each) for each in zip(models, found, training, strict=True)])
    traces = [
        _dots(values, place)
        for place, values in enumerate(folds)
        if len({*filter(isfinite, values)}) >= FEWEST_VALUES
    ]
    shown = [(each, k) for k, each in enumerate(training) if each is not None and models[k] != BASELINE]
    seen = {
        "type": "scatter",
        "mode": "markers",
        "x": [number(each.value) for each, _ in shown],
        "y": [place for _, place in shown],
        "marker": {"symbol": "diamond-open", "size": 9, "line": {"width": 1.5}},
        "line": {},
        "rank": -1,
    }
    return on_rows(title, models, [*traces, *_baseline(models, found), seen, marks])


def _baseline(models: Sequence[str], found: Sequence[Estimate]) -> list[dict[str, Any]]:
    """The line that models have to pass."""
    values = [each.value for model, each in zip(models, found, strict=True) if model == BASELINE]
    if not values or not isfinite(values[0]):
        return []
    x, ends = number(values[0]), [-0.5, len(models) - 0.5]
    return [{"type": "scatter", "mode": "lines", "x": [x, x], "y": ends, "name": BASELINE, "rank": -1}]


def _dots(values: Sequence[float], place: int) -> dict[str, Any]:
    """One dot a fold, in three lines below the interval, so that equal values do not hide each other."""
    shown = values[:MOST_DOTS]
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


def _pointed_at(model: str, found: Estimate, training: Estimate | None) -> str:
    seen = "" if training is None else f"<br>training {value(training)}"
    shown = f"{value(found)} {interval(found)}".rstrip()
    return f"{literal(shorten(model))}<br>{shown}{seen}"


def thin(figure: Figure) -> dict[str, Any]:
    """The picture of thin curves, without a legend: which fold is which tells nothing."""
    bare = [replace(each, threshold=None, series="") for each in figure.curves]
    (picture,) = pictures(bare)
    traces = [
        each | {"line": each["line"] | {"width": 1.1}, "opacity": 0.7, "rank": 0}
        if each["rank"] >= 0
        else each
        for each in picture["traces"]
    ]
    about = {
        "title": shorten(figure.title, 44),
        "note": f"One for each of the first {len(bare)} folds: scores of different folds have no common order.",
    }
    return picture | about | {"legend": [], "traces": traces}
