"""Forest pictures: one measure in every group with its interval, and that of all cases as a line."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from classay.errors import MissingExtraError
from classay.inference.estimate import Estimate
from classay.report.pictures import literal
from classay.report.report import SliceRow, SliceTable
from classay.report.wording import clean, count, interval, shorten, value

_DIGITS = 6


def forest(table: SliceTable) -> dict[str, Any] | None:
    """The picture for plotly.js, the first group on top; None where no group has a value."""
    shown = table.rows
    if not any(isfinite(row.estimate.value) for row in shown):
        return None
    traces = [interval_marks([row.estimate for row in shown], [_pointed_at(row) for row in shown])]
    if isfinite(table.overall.value):
        x, ends = number(table.overall.value), _ends(len(shown))
        traces.append(
            {"type": "scatter", "mode": "lines", "x": [x, x], "y": ends, "name": "all cases", "rank": -1}
        )
    return on_rows(table.title, [row.label for row in shown], traces)


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
    return f"{literal(shorten(row.label))}, {count(row.cases)} cases<br>{found}"


def number(x: float) -> float | None:
    """The number as a picture needs it, None where it is not finite."""
    return float(f"{x:.{_DIGITS}g}") if isfinite(x) else None
