"""The models by one measure with each fold, and thin curves of single folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

import numpy as np

from classay.inference.estimate import Estimate
from classay.report.document import Figure, Found, Label, Table, Value
from classay.report.pictures.curves import pictures
from classay.report.pictures.forest import interval_marks, line_down, on_rows
from classay.report.pictures.picture import REFERENCE, Marks, Picture
from classay.report.words import interval, shorten, value
from classay.resampling.baseline import BASELINE

MOST_DOTS = 200
FEWEST_VALUES = 3
"""Different values below which folds are not drawn: those of single cases are 0 or 1."""


def of_models(title: str, table: Table, folds: Sequence[Sequence[float]]) -> Picture | None:
    """The models by one measure: each with its interval, its folds as specks, its training as a diamond.

    None where no model has a value.
    """
    models = [each.text for each in table.column(Label)]
    found = [each.estimate for each in table.column(Found)]
    training = [None if each is None else each.estimate for each in table.column(Value)]
    if not any(isfinite(each.value) for each in found):
        return None
    specks = [
        _specks(values, place)
        for place, values in enumerate(folds)
        if len({*filter(isfinite, values)}) >= FEWEST_VALUES
    ]
    shown = [(each.value, k) for k, each in enumerate(training) if each is not None and models[k] != BASELINE]
    x, y = np.array(shown, float).reshape(-1, 2).T
    seen = Marks("diamonds", x, y, "training", REFERENCE)
    said = [_said(*each) for each in zip(models, found, training, strict=True)]
    return on_rows(title, models, [*specks, *_baseline(models, found), seen, interval_marks(found, said)])


def _baseline(models: Sequence[str], found: Sequence[Estimate]) -> list[Marks]:
    """The line that models have to pass."""
    values = [each.value for model, each in zip(models, found, strict=True) if model == BASELINE]
    return [line_down(values[0], len(models), BASELINE)] if values and isfinite(values[0]) else []


def _specks(values: Sequence[float], place: int) -> Marks:
    """One speck a fold, in three lines below the interval, so that equal values do not hide each other."""
    shown = np.array(values[:MOST_DOTS], float)
    return Marks("specks", shown, place + 0.2 + 0.07 * (np.arange(shown.size) % 3), said="a fold: {x}")


def _said(model: str, found: Estimate, training: Estimate | None) -> str:
    seen = "" if training is None else f"\ntraining {value(training)}"
    shown = f"{value(found)} {interval(found)}".rstrip()
    return f"{shorten(model)}\n{shown}{seen}"


def thin(figure: Figure) -> Picture:
    """The picture of thin curves, without a legend: which fold is which tells nothing."""
    bare = [replace(each, threshold=None, series="") for each in figure.curves]
    (picture,) = pictures(bare)
    marks = tuple(
        each if each.rank == REFERENCE else replace(each, rank=0, is_thin=True) for each in picture.marks
    )
    note = f"One for each of the first {len(bare)} folds: scores of different folds have no common order."
    return replace(picture, title=shorten(figure.title, 44), note=note, legend=(), marks=marks)
