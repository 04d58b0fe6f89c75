"""Drawn with matplotlib, the extra `plot`: curves, and which case is in which fold."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np

from classay.curves.curve import Curve, CurveStyle
from classay.curves.display import for_display
from classay.errors import InputError, MissingExtraError
from classay.report.pictures.picture import (
    COLOURS,
    SERIES,
    deviates,
    inches,
    lone,
    look_of,
    named_places,
    on_scale,
    quantile_edge,
    starts_at,
    ticks,
    y_range,
)

INK, QUIET, RULE, PAPER, ACCENT = (
    COLOURS["light"][name] for name in ("ink", "quiet", "rule", "paper", "accent")
)
DASHES = ("-", (0, (6, 2)), (0, (2, 1.5)))
REFERENCE_DASHES = ((0, (5, 4)), (0, (1.5, 2.5)), (0, (9, 3, 2, 3)))
CURVE, REFERENCE = "classay curve", "classay reference"  # how lines already on given axes are told
IN_PICTURE = 3
"""Entries of a legend that have room among the curves."""
BELOW = 34
"""Points from axes to a legend below them."""
TWO_COLUMNS = 28
"""Letters up to which entries stand side by side."""
NARROW = 3.2
"""Inches of axes up to which a legend is small: those of one column."""
LARGE, SMALL = 9, 7
"""Points of the letters of a legend."""
LETTERS = 11
"""Small letters of a legend that have room in an inch."""
BESIDE = ("reference", "band", "cross")
"""The kinds of curves that are drawn beside others."""
DRAW_STYLES = {"steps": "steps-post", "steps_back": "steps-pre"}


def plot(curves: Curve | Sequence[Curve], ax: Any = None, width: str = "screen") -> Any:
    """Draw one curve, or several of one name in one picture, on new axes or on those given; returns the axes.

    On axes that hold curves already, further ones get their own colours, and what both compare with is drawn
    once. Draws and computes nothing: `curve.frame()` is the data behind the picture. Long curves are simplified as
    by `for_display`. Raises MissingExtraError without matplotlib, InputError for curves of different names.

    >>> from classay.curves.of_scores import roc
    >>> from classay.tables import ScoreTable
    >>> curve = roc(ScoreTable.from_rows(np.array([0.9, 0.4, 0.1]), np.array([True, True, False])))
    >>> from matplotlib.figure import Figure
    >>> axes = plot([curve.of("forest"), curve.of("logistic")], Figure().subplots())
    >>> [line.get_label() for line in axes.get_lines()]
    ['forest', 'logistic', 'no skill']
    """
    together = [curves] if isinstance(curves, Curve) else list(curves)
    together += [each for curve in together for each in curve.beside]
    names = sorted({curve.name for curve in together})
    if len(names) != 1:
        raise InputError(
            f"A picture shows curves of one name, but these are {', '.join(names) or 'none'}. Draw them "
            "separately."
        )
    look, is_own = look_of(names[0]), ax is None
    ax = _new_axes(look, width) if is_own else ax
    edge = quantile_edge(together)
    before = sum(line.get_gid() == CURVE for line in ax.get_lines()) + len(ax.containers)
    crosses = {curve.series: curve for curve in together if curve.kind == "cross"}
    proper = [curve for curve in together if curve.kind not in BESIDE]
    for rank, curve in enumerate(proper, before):
        _draw(ax, look, for_display(curve), rank, edge, crosses.get(curve.series))
    for curve in together:
        if curve.kind == "band":
            _fill(ax, curve, SERIES["light"][before % len(SERIES["light"])], edge)
    references = [curve for curve in together if curve.kind == "reference"]
    for rank, curve in enumerate(references):
        x, y = on_scale(curve.x, curve.x_scale, edge), on_scale(curve.y, curve.y_scale, edge)
        _reference(ax, x, y, curve.series, rank, proper[0].series if proper else "")
    if look.diagonal and not references:
        _reference(ax, [0, 1], [0, 1], look.diagonal, 0)
    _dress(ax, look, together, edge, is_new=before == 0)
    if is_own and len(proper) == 1 and proper[0].below:
        strip(ax, proper[0].below)
    return ax


def strip(ax: Any, bars: Sequence[Curve], bottom: float = -0.36) -> None:
    """Draw which share of each class stands where, in a strip below axes: bars of one class up, of the other down."""
    strip = ax.inset_axes((0, bottom, 1, 0.2), sharex=ax)
    for curve, side, colour in zip(bars, (1, -1), SERIES["light"], strict=False):
        strip.bar(curve.x, side * curve.y, curve.width, align="edge", color=colour, alpha=0.55)
        place = {"va": "top", "y": 0.98} if side > 0 else {"va": "bottom", "y": 0.02}
        strip.text(
            0.99, s=curve.series, ha="right", color=INK, fontsize=SMALL, transform=strip.transAxes, **place
        )
    strip.axhline(0, color=RULE, lw=0.8)
    strip.set_yticks([])
    strip.set_ylabel("share\nof class", color=QUIET, fontsize=SMALL, parse_math=False)
    strip.tick_params(colors=QUIET, length=0, labelbottom=False)
    strip.spines[:].set_visible(False)


def _new_axes(look: CurveStyle, width: str) -> Any:
    paper_width = inches(width)
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise MissingExtraError("drawing a curve", "plot") from error
    wide, high = (5.2, 5.2) if look.square else (6.4, 4.4)
    scale = (paper_width or wide) / wide
    _, ax = pyplot.subplots(figsize=(scale * wide, scale * high), layout="constrained")
    return ax


def _draw(
    ax: Any, look: CurveStyle, curve: Curve, rank: int, edge: float, cross: Curve | None = None
) -> None:
    colours = SERIES["light"]
    colour, dash = colours[rank % len(colours)], DASHES[rank // len(colours) % len(DASHES)]
    label = curve.label or curve.series or curve.title
    if curve.kind == "bars":
        bars = ax.bar(curve.x, curve.y, curve.width, align="edge", color=colour, alpha=0.55, label=label)
        for bar in bars:
            bar.set_gid(CURVE)
        return
    drawn = starts_at(look, curve)
    x, y = on_scale(drawn.x, drawn.x_scale, edge), on_scale(drawn.y, drawn.y_scale, edge)
    style = DRAW_STYLES.get(curve.kind, "default")
    alone = curve.kind == "points"
    single = [] if alone else np.flatnonzero(lone(x, y)).tolist()  # no line leads to these
    marker = "o" if alone or single else ""
    size = (
        {"ls": "", "ms": 3.5, "alpha": 0.6} if alone else {"ls": dash, "lw": 2, "markevery": single or None}
    )
    (line,) = ax.plot(x, y, color=colour, drawstyle=style, label=label, marker=marker, zorder=3, **size)
    if cross is not None:
        line.set(lw=1, alpha=0.5, label=f"_{label}")
        points = np.flatnonzero(lone(cross.x, cross.y)).tolist()
        (line,) = ax.plot(
            cross.x, cross.y, color=colour, lw=2, marker="o", markevery=points, label=label, zorder=4
        )
    line.set_gid(CURVE)
    if drawn.low is not None:
        _fill(ax, drawn, colour, edge)


def _fill(ax: Any, curve: Curve, colour: str, edge: float) -> None:
    x = on_scale(curve.x, curve.x_scale, edge)
    low, high = (on_scale(each, curve.y_scale, edge) for each in (curve.low, curve.high) if each is not None)
    step = {"steps": "post", "steps_back": "pre"}.get(curve.kind)
    ax.fill_between(x, low, high, color=colour, alpha=0.16, lw=0, step=step, label=curve.band or None)


def _reference(ax: Any, x: Any, y: Any, label: str, rank: int, owner: str = "") -> None:
    """A line that curves are compared with, once; where those of two curves differ, each says whose it is."""
    drawn = [line for line in ax.get_lines() if line.get_gid() == REFERENCE]
    if any(np.array_equal(line.get_xydata(), np.c_[x, y], equal_nan=True) for line in drawn):
        return
    name, others = label, [line for line in drawn if getattr(line, "classay_name", "") == label]
    if others and owner:
        rank, name = len(drawn), f"{label}, {owner}"
        for line in others:
            line.set_label(f"{label}, {line.classay_owner}" if line.classay_owner else label)
    elif others:
        name = f"_{label}"  # matplotlib leaves it out of the legend
    dash = REFERENCE_DASHES[rank % len(REFERENCE_DASHES)]
    (line,) = ax.plot(x, y, color=QUIET, ls=dash, lw=1.25, label=name, zorder=2)
    line.set_gid(REFERENCE)
    line.classay_name, line.classay_owner = label, owner


def _dress(ax: Any, look: CurveStyle, curves: Sequence[Curve], edge: float, *, is_new: bool) -> None:
    first = curves[0]
    ax.set_title(first.title, loc="left", color=INK, fontsize=12, parse_math=False)
    ax.set_xlabel(first.x_title, color=QUIET, parse_math=False)
    ax.set_ylabel(first.y_title, color=QUIET, parse_math=False)
    for axis, scale in ((ax.xaxis, first.x_scale), (ax.yaxis, first.y_scale)):
        marks = ticks(scale, edge)
        if marks is not None:
            if is_new or deviates(np.array([0.0]), edge)[0] < axis.get_view_interval()[0]:
                axis.set_ticks(*marks)
            axis.set_view_interval(*deviates(np.array([0.0, 1.0]), edge), ignore=is_new)
    if first.x_names and is_new:
        ax.set_xticks(*zip(*named_places(first.x_names), strict=True), parse_math=False)
    y = y_range(look, curves)
    if look.x is not None:
        ax.set_xlim(look.x[0] - 0.01, look.x[1] + 0.01)
    if y is not None:
        room = 0.01 * (y[1] - y[0])
        low, high = y[0] - room, y[1] + room
        shown = (low, high) if is_new else ax.get_ylim()
        ax.set_ylim(min(low, shown[0]), max(high, shown[1]))
    if look.square:
        ax.set_aspect("equal" if look.y is None or y == look.y else "auto", adjustable="box")
    ax.grid(color=RULE, lw=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(colors=QUIET, length=0)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(RULE)
    legend(ax)


def legend(ax: Any) -> None:
    """Name curves and their bands first, then what they are compared with; below the picture where they are many."""
    entries = sorted(named_in(ax), key=lambda entry: _gid(entry[0]) == REFERENCE)
    if len(entries) < 2:
        return
    many = len(entries) > IN_PICTURE
    handles, labels = zip(*entries, strict=True)
    columns = 2 if max(map(len, labels)) <= TWO_COLUMNS else 1
    place = {"loc": "upper left", "ncols": columns, **_below(ax)} if many else {}
    wide = ax.get_position().width * ax.figure.get_size_inches()[0]
    size = LARGE if wide > NARROW else SMALL
    letters = int(LETTERS * wide * SMALL / size)
    drawn = ax.legend(handles, [""] * len(labels), frameon=False, labelcolor=INK, fontsize=size, **place)
    for text, label in zip(drawn.get_texts(), labels, strict=True):
        text.set(text=broken(label, letters), parse_math=False)


def _below(ax: Any) -> dict[str, Any]:
    """Return the place below the numbers and the title of an axis, however high the axes are."""
    from matplotlib.transforms import ScaledTranslation

    away = ScaledTranslation(0, -BELOW / 72, ax.figure.dpi_scale_trans)
    return {"bbox_to_anchor": (0, 0), "bbox_transform": ax.transAxes + away}


def broken(label: str, letters: int) -> str:
    """Return a name in lines of at most this many letters, its area in a line of its own.

    >>> broken("CA-125 (U/ml), AUC 0.843 [0.783, 0.887]", 32)
    'CA-125 (U/ml)\\nAUC 0.843 [0.783, 0.887]'
    """
    if len(label) <= letters:
        return label
    name, area, value = label.rpartition(", A")
    lines = [*textwrap.wrap(name, letters), f"A{value}"] if area else textwrap.wrap(label, letters)
    return "\n".join(lines)


def named_in(ax: Any) -> list[tuple[Any, str]]:
    """What has a name in the legend: matplotlib leaves out names that begin with an underscore, as models' may."""
    mine = [each for each in (*ax.get_lines(), *ax.containers) if _gid(each) == CURVE]
    others = [each for each in ax.get_legend_handles_labels()[0] if each not in mine]
    return [(each, each.get_label()) for each in (*mine, *others)]


def _gid(drawn: Any) -> Any:
    """Return the mark of a line, or of the first of the bars."""
    first = drawn[0] if isinstance(drawn, tuple) and drawn else drawn
    return getattr(first, "get_gid", str)()
