"""Forest pictures: one measure in every group with its interval, and that of all cases as a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from classay.errors import MissingExtraError
from classay.inference.estimate import Estimate
from classay.report.colours import COLOURS
from classay.report.document import Found, Label, Table
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
    ax.set_yticks(range(len(labels)), list(map(shorten, labels)), parse_math=False)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.set_title(table.title, loc="left", color=ink, fontsize=12, parse_math=False)
    ax.set_xlabel(f"all cases {value(overall)} {interval(overall)}".rstrip(), color=quiet)
    ax.grid(axis="x", color=rule, lw=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(colors=quiet, length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(rule)
    return ax
