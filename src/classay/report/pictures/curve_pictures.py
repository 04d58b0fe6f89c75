"""Curves, intervals in every group (forests) and models with each of their folds, as pictures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle
from math import isfinite
from typing import Any

import numpy as np

from classay.comparison.comparison import BASELINE
from classay.curves.curve import Curve, Scale
from classay.errors import MissingExtraError
from classay.inference.estimate import Estimate
from classay.report.document import AxisScale, EstimateCell, Figure, Label, Table, Value
from classay.report.pictures.picture import (
    COLOURS,
    REFERENCE,
    Axis,
    Form,
    Marks,
    Picture,
    deviates,
    inches,
    look_of,
    named_places,
    on_scale,
    quantile_edge,
    starts_at,
    ticks,
    y_range,
)
from classay.report.words import interval, shorten, value, with_limits
from classay.texts import clean

SOLID = "1 0"
"""The dash of several lines that are one mark, with gaps between them: dashes would run into each other."""
REFERENCE_DASHES = ("5 4", "1.5 2.5", "9 3 2 3")
FORMS: dict[str, Form] = {
    "bars": "bars",
    "steps": "steps",
    "steps_back": "steps_back",
    "points": "specks",
    "mark": "mark",
}
BESIDE = ("reference", "band", "mark", "cross")
"""The kinds of curves that are drawn beside others."""


def pictures(curves: Sequence[Curve]) -> list[Picture]:
    """Return one picture for every name among the curves, in order of appearance.

    A curve's band is a mark of its own, after all lines, so that the k-th line is the k-th of the legend.
    """
    named: dict[str, list[Curve]] = {}
    for curve in [*curves, *(each for one in curves for each in one.beside)]:
        if not any(_are_one(curve, known) for known in named.setdefault(curve.name, [])):
            named[curve.name].append(curve)
    return [_picture(name, together) for name, together in named.items()]


def _are_one(curve: Curve, other: Curve) -> bool:
    """Check whether two lines that curves are compared with are the same line under the same name."""
    if (curve.kind, other.kind) != ("reference", "reference") or curve.series != other.series:
        return False
    return np.array_equal(curve.x, other.x, equal_nan=True) and np.array_equal(
        curve.y, other.y, equal_nan=True
    )


def script_json(content: object) -> str:
    """JSON that can stand inside a script element, whatever texts it holds."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _picture(name: str, curves: list[Curve]) -> Picture:
    first, look = curves[0], look_of(name)
    crosses = {curve.series: curve for curve in curves if curve.kind == "cross"}
    proper = [starts_at(look, curve) for curve in curves if curve.kind not in BESIDE]
    references = [curve for curve in curves if curve.kind == "reference"]
    marked = [curve for curve in curves if curve.kind == "mark"]
    listed, edge = [*proper, *references, *marked], quantile_edge(curves)
    is_one = len(listed) - len(marked) == 1
    marks = [
        replace(_marks(curve, rank, edge, is_one=is_one), is_thin=curve.series in crosses)
        for rank, curve in enumerate(proper)
    ]
    marks += [
        replace(_marks(curve, REFERENCE, edge), dash=SOLID, is_thin=True)
        if np.isnan(curve.x).any()
        else replace(_marks(curve, REFERENCE, edge), dash=dash)
        for curve, dash in zip(references, cycle(REFERENCE_DASHES), strict=False)
    ]
    marks += [_marks(curve, REFERENCE, edge) for curve in marked]
    if look.diagonal and not references:
        ends = np.array([0.0, 1.0])
        marks.append(Marks("line", ends, ends, look.diagonal, REFERENCE))
    marks += [
        _marks(crosses[curve.series], rank, edge, is_one=is_one)
        for rank, curve in enumerate(proper)
        if curve.series in crosses
    ]
    marks += [_band(curve, rank, edge) for rank, curve in enumerate(proper) if curve.low is not None]
    marks += [_band(curve, 0, edge) for curve in curves if curve.kind == "band"]
    y = y_range(look, curves)
    return Picture(
        clean(first.title),
        tuple(marks),
        _named(first) if first.x_names else _axis(first.x_title, first.x_scale, look.x, edge),
        _axis(first.y_title, first.y_scale, y, edge),
        note=" ".join(_notes(curves)),
        legend=tuple(shorten(curve.series or curve.title) for curve in listed) if len(listed) > 1 else (),
        is_square=look.square and first.x_scale == "linear" and y == look.y,
        name=name,
        below=tuple(_marks(bars, rank, edge) for rank, bars in enumerate(proper[0].below))
        if len(proper) == 1
        else (),
    )


def _notes(curves: Sequence[Curve]) -> list[str]:
    bands = dict.fromkeys((clean(curve.band), curve.low is not None) for curve in curves if curve.band)
    notes = [f"Band: {band}." if drawn else f"{band[:1].upper()}{band[1:]}." for band, drawn in bands]
    error = max(curve.error for curve in curves)
    if error <= ROUNDING:
        return notes
    return [*notes, f"Curve simplified for display (maximum vertical error {error:.2g})."]


ROUNDING = 1e-12
"""An error of a curve drawn with fewer points that is none but rounding."""


def _marks(curve: Curve, rank: int, edge: float, *, is_one: bool = False) -> Marks:
    name = shorten(curve.series or curve.title)
    template, texts = _said(curve, "" if is_one else name)
    return Marks(
        FORMS.get(curve.kind, "line"),
        on_scale(curve.x, curve.x_scale, edge),
        on_scale(curve.y, curve.y_scale, edge),
        name,
        rank,
        template if rank != REFERENCE else "",
        texts,
        width=curve.width,
    )


def _said(curve: Curve, name: str) -> tuple[str, tuple[str | float | None, ...]]:
    """Return what to read where the curve is pointed at: whose it is, the axes with their numbers, the threshold.

    On an axis of normal quantiles the share itself, which is not where the point stands.
    """
    titles = [
        f"{clean(title)} {{{axis}}}" for title, axis in ((curve.x_title, "x"), (curve.y_title, "y")) if title
    ]
    lines = [name, "\n".join(titles)]
    if curve.x_scale != "linear" or curve.y_scale != "linear":
        shares = zip(curve.x.tolist(), curve.y.tolist(), strict=True)
        return "\n".join(filter(None, [lines[0], "{text}"])), tuple(
            f"{clean(curve.x_title)} {x:.3g}\n{clean(curve.y_title)} {y:.3g}" for x, y in shares
        )
    if curve.threshold is None or np.array_equal(curve.threshold[1:], curve.x[1:]):
        return "\n".join(filter(None, lines)), ()
    return "\n".join(filter(None, [*lines, "{text}"])), tuple(map(_threshold, curve.threshold.tolist()))


def _band(curve: Curve, rank: int, edge: float) -> Marks:
    """Return the outline of the band, along its upper side and back along the lower."""
    if curve.low is None or curve.high is None:
        raise ValueError(f"Band {curve.band!r} of {curve.name!r} needs low and high limits.")
    sides = [_stairs(replace(curve, y=side)) for side in (curve.high, curve.low)]
    x = np.concatenate([sides[0].x, sides[1].x[::-1]])
    y = np.concatenate([sides[0].y, sides[1].y[::-1]])
    return Marks(
        "area", on_scale(x, curve.x_scale, edge), on_scale(y, curve.y_scale, edge), clean(curve.band), rank
    )


def _stairs(curve: Curve) -> Curve:
    """Return a curve of steps with the corners between its points, so that straight lines draw it."""
    if curve.kind not in ("steps", "steps_back") or curve.x.size < 2:
        return curve
    hold, move = np.repeat(curve.x, 2), np.repeat(curve.y, 2)
    if curve.kind == "steps":
        return replace(curve, x=hold[1:], y=move[:-1])
    return replace(curve, x=hold[:-1], y=move[1:])


def _named(curve: Curve) -> Axis:
    """Return an axis over things in an order, from 1 on, some of which are named, at equal steps from the first."""
    count = len(curve.x_names)
    room = 0.04 * (count - 1) or 0.5
    return Axis(curve.x_title, (1 - room, count + room), named_places(curve.x_names))


def _axis(title: str, scale: Scale, limits: tuple[float, float] | None, edge: float) -> Axis:
    marks = ticks(scale, edge)
    if marks is not None:
        low, high = deviates(np.array([0.0, 1.0]), edge).tolist()
        return Axis(title, (low, high), tuple(zip(*marks, strict=True)))
    if limits is None:
        return Axis(title)
    room = 0.01 * (limits[1] - limits[0])
    return Axis(title, (limits[0] - room, limits[1] + room))


def _threshold(value: float) -> str | float | None:
    """A threshold as a number, which the script of the page puts into words: a text each would be most of the page."""
    if np.isnan(value):
        return None
    return (
        "above every score"
        if value == np.inf
        else float(f"{value:.4g}")
        if value > -np.inf
        else "every score"
    )


def _rows(table: Table) -> tuple[list[str], list[Estimate]]:
    return [each.text for each in table.column(Label)], [each.estimate for each in table.column(EstimateCell)]


def interval_marks(estimates: Sequence[Estimate], texts: Sequence[str]) -> Marks:
    """Estimates, one below the other, each with its interval and what to say where it is pointed at."""
    value, low, high = (
        np.array([getattr(estimate, name) for estimate in estimates]) for name in ("value", "low", "high")
    )
    rows = np.arange(len(estimates), dtype=float)
    return Marks("dots", value, rows, said="{text}", texts=texts, low=low, high=high)


def line_down(x: float, rows: int, name: str) -> Marks:
    """Return a line through all rows, at what they are compared with."""
    return Marks("line", np.array([x, x]), np.array([-0.5, rows - 0.5]), name, REFERENCE)


def on_rows(title: str, labels: Sequence[str], marks: Sequence[Marks]) -> Picture:
    """Return the picture whose y-axis names a row for each label, the first on top."""
    return Picture(clean(title), tuple(marks), rows=tuple(labels))


def plot_forest(table: Table, overall: Estimate, ax: Any = None) -> Any:
    """Return one measure of groups with matplotlib, and that of all cases as a line; returns the axes."""
    labels, estimates = _rows(table)
    ax = draw(list(zip(labels, estimates, strict=True)), table.title, None, ax)
    if not overall.is_undefined:
        _line(ax, overall.value, "all cases")
    ax.set_xlabel(
        with_limits(f"all cases {value(overall)}", interval(overall)), color=COLOURS["light"]["quiet"]
    )
    return ax


def draw(
    rows: Sequence[tuple[str, Estimate]],
    title: str,
    scale: AxisScale | None = None,
    ax: Any = None,
    width: str = "screen",
) -> Any:
    """Named estimates with their intervals, one below the other, with matplotlib; returns the axes.

    On new axes, or on those given. The middle line of a scale is what they are compared with.
    """
    ink, quiet, rule, accent = (COLOURS["light"][name] for name in ("ink", "quiet", "rule", "accent"))
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise MissingExtraError("drawing intervals", "plot") from error
        _, ax = pyplot.subplots(figsize=(inches(width) or 6.4, 1.3 + 0.32 * len(rows)), layout="constrained")
    for place, (_, estimate) in enumerate(rows):
        if estimate.has_interval:
            ax.plot([estimate.low, estimate.high], [place, place], color=accent, lw=2, zorder=3)
        ax.plot([estimate.value], [place], "o", color=accent, ms=6, zorder=4)
    if scale is not None and scale.zero is not None:
        _line(ax, scale.zero, "_")
    ax.set_yticks(range(len(rows)), [shorten(name) for name, _ in rows], parse_math=False)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_title(clean(title), loc="left", color=ink, fontsize=12, parse_math=False)
    ax.grid(axis="x", color=rule, lw=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(colors=quiet, length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(rule)
    return ax


def _line(ax: Any, x: float, label: str) -> None:
    ax.axvline(x, color=COLOURS["light"]["quiet"], ls=(0, (5, 4)), lw=1.25, zorder=2, label=label)


MOST_DOTS = 200
FEWEST_VALUES = 3
"""Different values below which folds are not drawn: those of single cases are 0 or 1."""


def of_models(title: str, table: Table, folds: Sequence[Sequence[float]]) -> Picture | None:
    """Return the models by one measure: each with its interval, its folds as specks, its training as a diamond.

    None where no model has a value.
    """
    models = [each.text for each in table.column(Label)]
    values = [each.estimate for each in table.column(EstimateCell)]
    training = [None if each is None else each.estimate for each in table.column(Value)]
    if not any(isfinite(each.value) for each in values):
        return None
    specks = [
        _specks(values, place)
        for place, values in enumerate(folds)
        if len({*filter(isfinite, values)}) >= FEWEST_VALUES
    ]
    shown = [(each.value, k) for k, each in enumerate(training) if each is not None and models[k] != BASELINE]
    x, y = np.array(shown, float).reshape(-1, 2).T
    seen = Marks("diamonds", x, y, "training", REFERENCE)
    texts = [_said_of_folds(*each) for each in zip(models, values, training, strict=True)]
    return on_rows(title, models, [*specks, *_baseline(models, values), seen, interval_marks(values, texts)])


def _baseline(models: Sequence[str], estimates: Sequence[Estimate]) -> list[Marks]:
    """Return the line that models have to pass."""
    values = [each.value for model, each in zip(models, estimates, strict=True) if model == BASELINE]
    return [line_down(values[0], len(models), BASELINE)] if values and isfinite(values[0]) else []


def _specks(values: Sequence[float], place: int) -> Marks:
    """Return one speck a fold, in three lines below the interval, so that equal values do not hide each other."""
    shown = np.array(values[:MOST_DOTS], float)
    return Marks("specks", shown, place + 0.2 + 0.07 * (np.arange(shown.size) % 3), said="a fold: {x}")


def _said_of_folds(model: str, estimate: Estimate, training: Estimate | None) -> str:
    seen = "" if training is None else f"\ntraining {value(training)}"
    shown = with_limits(value(estimate), interval(estimate))
    return f"{shorten(model)}\n{shown}{seen}"


def thin(figure: Figure) -> Picture:
    """Return the picture of thin curves, without a legend: which fold is which tells nothing."""
    bare = [replace(curve, threshold=None, series="") for curve in figure.curves]
    (picture,) = pictures(bare)
    marks = tuple(
        each if each.rank == REFERENCE else replace(each, rank=0, is_thin=True) for each in picture.marks
    )
    note = f"Curves of the first {len(bare)} folds. Scores of different folds are not comparable."
    return replace(picture, title=shorten(figure.title, 44), note=note, legend=(), marks=marks)
