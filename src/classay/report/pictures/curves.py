"""Curves as figures for plotly.js: plain dictionaries, whose colours the page adds (light or dark)."""

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle
from typing import Any

import numpy as np

from classay.curves.curve import Curve, Scale
from classay.report.pictures.forest import literal
from classay.report.pictures.looks import deviates, look_of, quantile_edge, starts_at, ticks, y_range
from classay.report.words import shorten
from classay.texts import clean

REFERENCE_DASHES = ("5px,4px", "1.5px,2.5px", "9px,3px,2px,3px")
_DIGITS = 6  # significant; a screen has no room for more, and the page stays small


def pictures(curves: Sequence[Curve]) -> list[dict[str, Any]]:
    """One picture for every name among the curves, in order of appearance: title, note, traces and axes.

    A curve's band is a trace of its own, after all lines, so that the k-th line is the k-th of the legend.
    """
    named: dict[str, list[Curve]] = {}
    for curve in curves:
        named.setdefault(curve.name, []).append(curve)
    return [_picture(name, together) for name, together in named.items()]


def script_json(content: object) -> str:
    """JSON that can stand inside a script element, whatever texts it holds."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _picture(name: str, curves: list[Curve]) -> dict[str, Any]:
    first, look = curves[0], look_of(name)
    proper = [starts_at(look, curve) for curve in curves if curve.kind not in ("reference", "band")]
    references = [curve for curve in curves if curve.kind == "reference"]
    listed, edge = [*proper, *references], quantile_edge(curves)
    traces = [_trace(curve, rank, edge) for rank, curve in enumerate(proper)]
    traces += [
        _trace(curve, -1, edge) | {"line": {"dash": dash}}
        for curve, dash in zip(references, cycle(REFERENCE_DASHES), strict=False)
    ]
    if look.diagonal and not references:
        traces.append(_reference([0, 1], [0, 1], look.diagonal))
    traces += [_band(curve, rank, edge) for rank, curve in enumerate(proper) if curve.low is not None]
    traces += [_band(curve, 0, edge) for curve in curves if curve.kind == "band"]
    y = y_range(look, curves)
    return {
        "title": clean(first.title),
        "note": " ".join(_notes(curves)),
        "square": look.square and first.x_scale == "linear" and y == look.y,
        "legend": [shorten(curve.series or curve.title) for curve in listed] if len(listed) > 1 else [],
        "x": literal(first.x_title),
        "y": literal(first.y_title),
        "x_axis": _axis(first.x_scale, look.x, edge),
        "y_axis": _axis(first.y_scale, y, edge),
        "traces": traces,
    }


def _notes(curves: Sequence[Curve]) -> list[str]:
    bands = dict.fromkeys((clean(curve.band), curve.low is not None) for curve in curves if curve.band)
    notes = [f"Band: {band}." if drawn else f"{band[:1].upper()}{band[1:]}." for band, drawn in bands]
    error = max(curve.error for curve in curves)
    return [*notes, f"Drawn with fewer points; at most {error:.2g} off vertically."] if error > 0 else notes


def _trace(curve: Curve, rank: int, edge: float) -> dict[str, Any]:
    x, y = _numbers(_placed(curve.x, curve.x_scale, edge)), _numbers(_placed(curve.y, curve.y_scale, edge))
    name = literal(shorten(curve.series or curve.title))
    if curve.kind == "reference":
        return _reference(x, y, name)
    if curve.kind == "bars":
        return {"type": "bar", "x": x, "y": y, "name": name, "offset": 0, "width": curve.width, "rank": rank}
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "lines" if len(x) > 1 and curve.kind != "points" else "markers",
        "x": x,
        "y": y,
        "name": name,
        "line": {"shape": {"steps": "hv", "steps_back": "vh"}.get(curve.kind, "linear")},
        "rank": rank,
    }
    if curve.kind == "points":
        trace["marker"] = {"size": 4, "opacity": 0.5, "line": {"width": 0}}
    if curve.threshold is not None:
        trace["text"] = [_threshold(value) for value in curve.threshold.tolist()]
    if (
        curve.x_scale != "linear" or curve.y_scale != "linear"
    ):  # what a reader who points at the curve wants to see
        trace["customdata"] = list(zip(_numbers(curve.x), _numbers(curve.y), strict=True))
    return trace


def _band(curve: Curve, rank: int, edge: float) -> dict[str, Any]:
    """The outline of the band, along its upper side and back along the lower."""
    if curve.low is None or curve.high is None:
        raise ValueError(f"the band {curve.band!r} of {curve.name!r} has no low and high.")
    sides = [_stairs(replace(curve, y=side)) for side in (curve.high, curve.low)]
    x = np.concatenate([sides[0].x, sides[1].x[::-1]])
    y = np.concatenate([sides[0].y, sides[1].y[::-1]])
    return {
        "type": "scatter",
        "mode": "none",
        "fill": "toself",
        "x": _numbers(_placed(x, curve.x_scale, edge)),
        "y": _numbers(_placed(y, curve.y_scale, edge)),
        "name": literal(clean(curve.band)),
        "rank": rank,
    }


def _stairs(curve: Curve) -> Curve:
    """A curve of steps with the corners between its points, so that straight lines draw it."""
    if curve.kind not in ("steps", "steps_back") or curve.x.size < 2:
        return curve
    hold, move = np.repeat(curve.x, 2), np.repeat(curve.y, 2)
    if curve.kind == "steps":
        return replace(curve, x=hold[1:], y=move[:-1])
    return replace(curve, x=hold[:-1], y=move[1:])


def _placed(values: Any, scale: Scale, edge: float) -> Any:
    return deviates(values, edge) if scale == "normal" else values


def _axis(scale: Scale, limits: tuple[float, float] | None, edge: float) -> dict[str, Any]:
    """What plotly.js must be told of an axis beyond its title."""
    marks = ticks(scale, edge)
    if marks is not None:
        ends = deviates(np.array([0.0, 1.0]), edge)
        return {"range": _numbers(ends), "tickvals": _numbers(marks[0]), "ticktext": marks[1]}
    if limits is None:
        return {}
    room = 0.01 * (limits[1] - limits[0])
    return {"range": _numbers([limits[0] - room, limits[1] + room])}


def _reference(x: list[Any], y: list[Any], name: str) -> dict[str, Any]:
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "name": name, "rank": -1}


def _numbers(values: Any) -> list[float | None]:
    return [float(f"{v:.{_DIGITS}g}") if np.isfinite(v) else None for v in np.asarray(values, float).tolist()]


def _threshold(value: float) -> str:
    if np.isnan(value):
        return ""
    return "above every score" if value == np.inf else f"score ≥ {value:.4g}"
