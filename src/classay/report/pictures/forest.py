"""Forest pictures: one measure in every group with its interval, and that of all cases as a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from classay.errors import MissingExtraError
from classay.inference.estimate import Estimate
from classay.report.colours import COLOURS
from classay.report.document import Found, Label, Scale, Table
from classay.report.pictures.looks import inches
from classay.report.pictures.picture import REFERENCE, Marks, Picture
from classay.report.words import interval, shorten, value
from classay.texts import clean


def _rows(table: Table) -> tuple[list[str], list[Estimate]]:
    return [each.text for each in table.column(Label)], [each.estimate for each in table.column(Found)]


def interval_marks(estimates: Sequence[Estimate], said: Sequence[str]) -> Marks:
    """Estimates, one below the other, each with its interval and what to say where it is pointed at."""
    value, low, high = (
        np.array([getattr(each, name) for each in estimates]) for name in ("value", "low", "high")
    )
    rows = np.arange(len(estimates), dtype=float)
    return Marks("dots", value, rows, said="{text}", texts=said, low=low, high=high)


def line_down(x: float, rows: int, name: str) -> Marks:
    """A line through all rows, at what they are compared with."""
    return Marks("line", np.array([x, x]), np.array([-0.5, rows - 0.5]), name, REFERENCE)


def on_rows(title: str, labels: Sequence[str], marks: Sequence[Marks]) -> Picture:
    """The picture whose y-axis names a row for each label, the first on top."""
    return Picture(clean(title), tuple(marks), rows=tuple(labels))


def plot(table: Table, overall: Estimate, ax: Any = None) -> Any:
    """One measure of groups with matplotlib, and that of all cases as a line; returns the axes."""
    labels, found = _rows(table)
    ax = draw(list(zip(labels, found, strict=True)), table.title, None, ax)
    if not overall.is_undefined:
        _line(ax, overall.value, "all cases")
    ax.set_xlabel(f"all cases {value(overall)} {interval(overall)}".rstrip(), color=COLOURS["light"]["quiet"])
    return ax


def draw(
    found: Sequence[tuple[str, Estimate]],
    title: str,
    scale: Scale | None = None,
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
        _, ax = pyplot.subplots(figsize=(inches(width) or 6.4, 1.3 + 0.32 * len(found)), layout="constrained")
    for place, (_, each) in enumerate(found):
        if each.has_interval:
            ax.plot([each.low, each.high], [place, place], color=accent, lw=2, zorder=3)
        ax.plot([each.value], [place], "o", color=accent, ms=6, zorder=4)
    if scale is not None and scale.zero is not None:
        _line(ax, scale.zero, "_")
    ax.set_yticks(range(len(found)), [shorten(name) for name, _ in found], parse_math=False)
    ax.set_ylim(len(found) - 0.4, -0.6)
    ax.set_title(clean(title), loc="left", color=ink, fontsize=12, parse_math=False)
    ax.grid(axis="x", color=rule, lw=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(colors=quiet, length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(rule)
    return ax


def _line(ax: Any, x: float, label: str) -> None:
    ax.axvline(x, color=COLOURS["light"]["quiet"], ls=(0, (5, 4)), lw=1.25, zorder=2, label=label)
