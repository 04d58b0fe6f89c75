"""Forest pictures: one measure in every group with its interval, and that of all cases as a line."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import isfinite
from typing import Any

from classay.errors import MissingExtraError
from classay.inference.estimate import Estimate
from classay.report.colours import COLOURS
from classay.report.document import Count, Found, Label, Table
from classay.report.words import count, interval, shorten, value
from classay.texts import clean

_DIGITS = 6


def forest(table: Table, overall: Estimate) -> dict[str, Any] | None:
    """The picture for plotly.js of the first estimates of a table, the first row on top; None where there are none."""
    labels, found = _rows(table)
    if not any(isfinite(each.value) for each in found):
        return None
    traces = [
        interval_marks(
            found, [_pointed_at(*each) for each in zip(labels, found, _counts(table), strict=True)]
        )
    ]
    if isfinite(overall.value):
        x, ends = number(overall.value), _ends(len(labels))
        traces.append(
            {"type": "scatter", "mode": "lines", "x": [x, x], "y": ends, "name": "all cases", "rank": -1}
        )
    return on_rows(table.title, labels, traces)


def _rows(table: Table) -> tuple[list[str], list[Estimate]]:
    return [each.text for each in table.column(Label)], [each.estimate for each in table.column(Found)]


def _counts(table: Table) -> list[float]:
    return [each.value for each in table.column(Count)]


def interval_marks(estimates: Sequence[Estimate], pointed_at: Sequence[str]) -> dict[str, Any]:
    """The trace of estimates, one below the other, each with its interval and what to say when it is pointed at."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [number(each.value) for each in estimates],
        "y": list(range(len(estimates))),
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [number(each.high - each.value) for each in estimates],
            "arrayminus": [number(each.value - each.low) for each in estimates],
            "thickness": 2.25,
            "width": 0,
        },
        "hovertemplate": [f"{each}<extra></extra>" for each in pointed_at],
        "line": {},
        "rank": 0,
    }


def on_rows(title: str, labels: Sequence[str], traces: list[dict[str, Any]]) -> dict[str, Any]:
    """The picture whose y-axis names a row for each label, the first on top."""
    return {
        "title": clean(title),
        "square": False,
        "legend": [],
        "x": "",
        "y": "",
        "x_axis": {},
        "y_axis": {
            "range": _ends(len(labels))[::-1],
            "tickvals": list(range(len(labels))),
            "ticktext": [literal(shorten(each, 18)) for each in labels],
        },
        "traces": traces,
    }


def _ends(rows: int) -> list[float]:
    return [-0.5, rows - 0.5]


def plot(table: Table, overall: Estimate, ax: Any = None) -> Any:
    """Draw with matplotlib on new axes, or on those given; returns the axes."""
    ink, quiet, rule, accent = (COLOURS["light"][name] for name in ("ink", "quiet", "rule", "accent"))
    labels, found = _rows(table)
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise MissingExtraError("drawing slices", "plot") from error
        _, ax = pyplot.subplots(figsize=(6.4, 1.3 + 0.32 * len(labels)), layout="constrained")
    for place, each in enumerate(found):
        if each.has_interval:
            ax.plot([each.low, each.high], [place, place], color=accent, lw=2, zorder=3)
        ax.plot([each.value], [place], "o", color=accent, ms=6, zorder=4)
    if not overall.is_undefined:
        ax.axvline(overall.value, color=quiet, ls=(0, (5, 4)), lw=1.25, zorder=2, label="all cases")
    ax.set_yticks(range(len(labels)), [shorten(each).replace("$", r"\$") for each in labels])
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.set_title(table.title, loc="left", color=ink, fontsize=12)
    ax.set_xlabel(f"all cases {value(overall)} {interval(overall)}".rstrip(), color=quiet)
    ax.grid(axis="x", color=rule, lw=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(colors=quiet, length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(rule)
    return ax


def _pointed_at(label: str, found: Estimate, cases: float) -> str:
    shown = f"{value(found)} {interval(found)}".rstrip()
    return f"{literal(shorten(label))}, {count(cases)} cases<br>{shown}"


def number(x: float) -> float | None:
    """The number as a picture needs it, None where it is not finite."""
    return float(f"{x:.{_DIGITS}g}") if isfinite(x) else None


def literal(text: str) -> str:
    """The text for plotly.js, which reads some HTML in names and titles, and fills in %{...}."""
    return escape(clean(text), quote=False).replace("%{", "%\u200b{")
