"""Curves as figures for plotly.js: plain dictionaries, whose colours the page adds (light or dark)."""

import json
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from classay.curves.curve import Curve
from classay.report.wording import clean, shorten

# Pictures that mean little without the line to compare with; a curve of kind "reference" takes its place.
_DIAGONALS = {"roc": "no skill", "calibration": "perfect calibration"}
_SQUARE = frozenset(_DIAGONALS)
_DIGITS = 6  # significant; a screen has no room for more, and the page stays small


def pictures(curves: Sequence[Curve]) -> list[dict[str, Any]]:
    """One picture for every name among the curves, in order of appearance: title, note, traces and axes."""
    named: dict[str, list[Curve]] = {}
    for curve in curves:
        named.setdefault(curve.name, []).append(curve)
    return [_picture(name, together) for name, together in named.items()]


def script_json(content: object) -> str:
    """JSON that can stand inside a script element, whatever texts it holds."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _picture(name: str, curves: list[Curve]) -> dict[str, Any]:
    first = curves[0]
    proper = [curve for curve in curves if curve.kind != "reference"]
    references = [curve for curve in curves if curve.kind == "reference"]
    bands = [_band(curve, rank) for rank, curve in enumerate(proper) if curve.low is not None]
    traces = [_trace(curve, rank) for rank, curve in enumerate(proper)] + [
        _trace(curve, -1) for curve in references
    ]
    if name in _DIAGONALS and not references:
        traces.append(_reference([0, 1], [0, 1], _DIAGONALS[name]))
    return {
        "title": clean(first.title),
        "note": _note(curves),
        "square": name in _SQUARE,
        "legend": [shorten(curve.series) for curve in proper] if len(proper) > 1 else [],
        "x": _literal(first.x_title),
        "y": _literal(first.y_title),
        "bands": bands,
        "traces": traces,
    }


def _note(curves: list[Curve]) -> str:
    """What the bands are, or why there is none, and what drawing fewer points changed."""
    sentences = [
        f"Shaded: {text}." if shaded else f"{text[:1].upper()}{text[1:]}."
        for text, shaded in dict.fromkeys((curve.band, curve.low is not None) for curve in curves)
        if text
    ]
    error = max(curve.error for curve in curves)
    if error > 0:
        sentences.append(f"Drawn with fewer points; at most {error:.2g} off vertically.")
    return clean(" ".join(sentences))


def _band(curve: Curve, rank: int) -> dict[str, Any]:
    """The area between the lower and the upper bound, as one outline."""
    return {
        "type": "scatter",
        "mode": "lines",
        "x": _numbers(np.concatenate([curve.x, curve.x[::-1]])),
        "y": _numbers(np.concatenate([curve.high, curve.low[::-1]])),  # type: ignore[index]
        "fill": "toself",
        "hoverinfo": "skip",
        "rank": rank,
    }


def _trace(curve: Curve, rank: int) -> dict[str, Any]:
    x, y, name = _numbers(curve.x), _numbers(curve.y), _literal(shorten(curve.series or curve.title))
    if curve.kind == "reference":
        return _reference(x, y, name)
    if curve.kind == "bars":
        return {"type": "bar", "x": x, "y": y, "name": name, "offset": 0, "width": curve.width, "rank": rank}
    shape = "hv" if curve.kind == "steps" else "linear"
    trace = {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "name": name,
        "line": {"shape": shape},
        "rank": rank,
    }
    if curve.threshold is not None:
        trace["text"] = [_threshold(value) for value in curve.threshold.tolist()]
    return trace


def _reference(x: list[Any], y: list[Any], name: str) -> dict[str, Any]:
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "name": name, "rank": -1}


def _numbers(values: Any) -> list[float | None]:
    return [float(f"{v:.{_DIGITS}g}") if np.isfinite(v) else None for v in np.asarray(values, float).tolist()]


def _threshold(value: float) -> str:
    if np.isnan(value):
        return ""
    return "above every score" if value == np.inf else f"score ≥ {value:.4g}"


def _literal(text: str) -> str:
    """The text for plotly.js, which reads some HTML in names and titles, and fills in %{...}."""
    return escape(clean(text), quote=False).replace("%{", "%\u200b{")
