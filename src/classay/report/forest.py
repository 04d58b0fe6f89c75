"""Forest pictures: one measure in every group with its interval, and that of all cases as a line."""

from __future__ import annotations

from html import escape
from math import isfinite
from typing import Any

from classay.errors import MissingExtraError
from classay.report.report import SliceRow, SliceTable
from classay.report.wording import clean, count, interval, shorten, value

_DIGITS = 6


def forest(table: SliceTable) -> dict[str, Any] | None:
    """The picture for plotly.js, the first group on top; None where no group has a value."""
    shown = table.rows
    if not any(isfinite(row.estimate.value) for row in shown):
        return None
    places = list(range(len(shown)))
    ends = [-0.5, len(shown) - 0.5]
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "markers",
            "x": [_number(row.estimate.value) for row in shown],
            "y": places,
            "error_x": {
                "type": "data",
                "symmetric": False,
                "array": [_number(row.estimate.high - row.estimate.value) for row in shown],
                "arrayminus": [_number(row.estimate.value - row.estimate.low) for row in shown],
                "thickness": 2.25,
                "width": 0,
            },
            "hovertemplate": [_pointed_at(row) for row in shown],
            "line": {},
            "rank": 0,
        }
    ]
    if isfinite(table.overall.value):
        x = _number(table.overall.value)
        traces.append(
            {"type": "scatter", "mode": "lines", "x": [x, x], "y": ends, "name": "all cases", "rank": -1}
        )
    return {
        "title": clean(table.title),
        "square": False,
        "legend": [],
        "x": "",
        "y": "",
        "x_axis": {},
        "y_axis": {
            "range": ends[::-1],
            "tickvals": places,
            "ticktext": [_literal(shorten(row.label, 18)) for row in shown],
        },
        "traces": traces,
    }


def plot(table: SliceTable, ax: Any = None) -> Any:
    """Draw with matplotlib on new axes, or on those given; returns the axes."""
    from classay.report.html import COLOURS

    ink, quiet, rule, accent = (COLOURS["light"][name] for name in ("ink", "quiet", "rule", "accent"))
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise MissingExtraError("drawing slices", "plot") from error
        _, ax = pyplot.subplots(figsize=(6.4, 1.3 + 0.32 * len(table.rows)), layout="constrained")
    for place, row in enumerate(table.rows):
        if row.estimate.has_interval:
            ax.plot([row.estimate.low, row.estimate.high], [place, place], color=accent, lw=2, zorder=3)
        ax.plot([row.estimate.value], [place], "o", color=accent, ms=6, zorder=4)
    if not table.overall.is_undefined:
        ax.axvline(table.overall.value, color=quiet, ls=(0, (5, 4)), lw=1.25, zorder=2, label="all cases")
    ax.set_yticks(range(len(table.rows)), [shorten(row.label).replace("$", r"\$") for row in table.rows])
    ax.set_ylim(len(table.rows) - 0.4, -0.6)
    ax.set_title(table.title, loc="left", color=ink, fontsize=12)
    ax.set_xlabel(f"all cases {value(table.overall)} {interval(table.overall)}".rstrip(), color=quiet)
    ax.grid(axis="x", color=rule, lw=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(colors=quiet, length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(rule)
    return ax


def _pointed_at(row: SliceRow) -> str:
    found = f"{value(row.estimate)} {interval(row.estimate)}".rstrip()
    return f"{_literal(shorten(row.label))}, {count(row.cases)} cases<br>{found}<extra></extra>"


def _number(x: float) -> float | None:
    return float(f"{x:.{_DIGITS}g}") if isfinite(x) else None


def _literal(text: str) -> str:
    return escape(clean(text), quote=False).replace("%{", "%\u200b{")
