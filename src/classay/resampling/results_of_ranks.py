"""Mean ranks over data sets: critical-difference diagrams as SVG and with matplotlib, their part and JSON."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from classay.errors import MissingExtraError
from classay.report.document import Diagram
from classay.report.pictures.picture import COLOURS
from classay.report.pictures.shapes import INK, QUIET
from classay.report.results.compared_shapes import RANKS
from classay.resampling.compare_datasets import Clique, CriticalDifference

if TYPE_CHECKING:
    from classay.report.drawings import Drawing


WIDTH, SIDE, TOP, ROW, BAR = 800.0, 230.0, 46.0, 22.0, 13.0
LETTER = 7.0
"""Width of a letter, by which names too long for the margin are cut."""


class Line(NamedTuple):
    """A line in points from the upper left corner."""

    x1: float
    y1: float
    x2: float
    y2: float
    colour: str
    width: float


class Dot(NamedTuple):
    """A mark where a model stands on a bar."""

    x: float
    y: float


class Text(NamedTuple):
    """A text whose start, middle or end is at x, and its middle at y."""

    x: float
    y: float
    text: str
    anchor: Literal["start", "middle", "end"]
    colour: str = INK


class RanksLayout(NamedTuple):
    """All marks of a diagram, and its height."""

    lines: list[Line]
    dots: list[Dot]
    texts: list[Text]
    height: float


def layout(diagram: CriticalDifference) -> RanksLayout:
    """Where everything stands: the axis, the bars of cliques under it, the names at both sides, best on the left."""
    k = len(diagram.models)
    span = WIDTH - 2 * SIDE

    def at(rank: float) -> float:
        return SIDE + span * (rank - 1) / (k - 1)

    lines, dots, texts, axis, first, ranks, places = _above(diagram, at)
    left = (k + 1) // 2
    for i, model in enumerate(diagram.models):
        x, on_left = places[model], i < left
        y = first + ROW * (i if on_left else k - 1 - i)
        edge = SIDE - 14 if on_left else WIDTH - SIDE + 14
        lines += [Line(x, axis, x, y, QUIET, 1.0), Line(x, y, edge, y, QUIET, 1.0)]
        name, anchor = f"{_cut(model)}  {ranks[model]:.2f}", "end"
        if not on_left:
            name, anchor = f"{ranks[model]:.2f}  {_cut(model)}", "start"
        texts.append(Text(edge + (-5 if on_left else 5), y, name, anchor))  # type: ignore[arg-type]
    bottom = first + ROW * max(left - 1, 0) + 26
    texts.append(Text(WIDTH / 2, bottom, _note(diagram), "middle", QUIET))
    return RanksLayout(lines, dots, texts, bottom + 14)


def _note(diagram: CriticalDifference) -> str:
    """Return what the dots of a bar say."""
    return (
        f"Dots on one bar mark models with no difference detected at {1 - diagram.level:.3g}: {diagram.method}; "
        f"{diagram.datasets} data sets"
    )


TELEPHONE, MARGIN, IN_A_LINE = 340.0, 12.0, 50
"""Of the diagram on a telephone: its width, what is left at both sides, and the letters of a line of its note."""


def narrow_layout(diagram: CriticalDifference) -> RanksLayout:
    """The same in the width of a telephone: a row for each model, its name on the side of its mark with more room."""
    k, span = len(diagram.models), TELEPHONE - 2 * MARGIN

    def at(rank: float) -> float:
        return MARGIN + span * (rank - 1) / (k - 1)

    lines, dots, texts, axis, y, ranks, places = _above(diagram, at, TELEPHONE)
    for model in diagram.models:
        x = places[model]
        is_left = x <= TELEPHONE / 2
        room = int((TELEPHONE - x if is_left else x) / LETTER) - 8
        name = model if len(model) <= room else model[: room - 1] + "…"
        lines.append(Line(x, axis, x, y, QUIET, 1.0))
        text = f"{ranks[model]:.2f}  {name}" if is_left else f"{name}  {ranks[model]:.2f}"
        texts.append(Text(x + (6 if is_left else -6), y, text, "start" if is_left else "end"))
        y += ROW
    for line in wrap(_note(diagram), IN_A_LINE):
        texts.append(Text(MARGIN, y + 4, line, "start", QUIET))
        y += 18
    return RanksLayout(lines, dots, texts, y + 4)


class Above(NamedTuple):
    """The marks of the axis and of the bars under it; where the axis stands, and what comes below; ranks and places."""

    lines: list[Line]
    dots: list[Dot]
    texts: list[Text]
    axis: float
    below: float
    ranks: dict[str, float]
    places: dict[str, float]


BESIDE = 10.0
"""Points between the marks of two models at least: a dot on a bar is that of one model, also where ranks are tied."""


def _places(diagram: CriticalDifference, at: Callable[[float], float]) -> dict[str, float]:
    """Where each model is marked: at its mean rank, or beside others of about the same rank, around their middle."""
    least = min(BESIDE, (at(len(diagram.models)) - at(1)) / (2 * len(diagram.models)))
    runs: list[list[float]] = []  # where each model of a run would have its first model
    for i, rank in enumerate(diagram.ranks):
        runs.append([at(rank) - i * least])
        while len(runs) > 1 and sum(runs[-2]) / len(runs[-2]) > sum(runs[-1]) / len(runs[-1]):
            runs[-2:] = [runs[-2] + runs[-1]]
    starts = [sum(run) / len(run) for run in runs for _ in run]
    return {
        model: start + i * least for i, (model, start) in enumerate(zip(diagram.models, starts, strict=True))
    }


def _above(diagram: CriticalDifference, at: Callable[[float], float], width: float = WIDTH) -> Above:
    """Return the axis, and the bars of cliques under it."""
    lines, texts = _axis(diagram, at, width)
    axis = TOP + (30 if diagram.distance is not None else 0)
    ranks = dict(zip(diagram.models, diagram.ranks, strict=True))
    places = _places(diagram, at)
    levels = _levels(diagram, places)
    dots = []
    for clique, level in zip(diagram.cliques, levels, strict=True):
        y = axis + 14 + BAR * level
        lines.append(Line(places[clique[0]], y, places[clique[-1]], y, INK, 3.5))
        dots += [Dot(places[model], y) for model in clique]
    return Above(lines, dots, texts, axis, axis + 24 + BAR * (max(levels, default=-1) + 1), ranks, places)


def _axis(diagram: CriticalDifference, at: Any, width: float = WIDTH) -> tuple[list[Line], list[Text]]:
    k = len(diagram.models)
    lines, texts, axis = [], [Text(width / 2, 10, "mean rank (1 is best)", "middle", QUIET)], TOP
    if diagram.distance is not None:
        axis += 30
        end, y = min(1 + diagram.distance, float(k)), TOP - 8
        ends = [Line(x, y - 4, x, y + 4, INK, 1.2) for x in (at(1), at(end))]
        lines += [Line(at(1), y, at(end), y, INK, 1.2), *ends]
        beyond = ", wider than the axis" if 1 + diagram.distance > k else ""
        distance_text = f"critical difference {diagram.distance:.2f}{beyond}"
        has_room = at(end) + 8 + LETTER * len(distance_text) <= width
        place = (
            (at(end) + 8, y, distance_text, "start") if has_room else (at(end), y - 12, distance_text, "end")
        )
        texts.append(Text(*place, QUIET))  # type: ignore[arg-type]
    lines.append(Line(at(1), axis, at(k), axis, INK, 1.2))
    for rank in range(1, k + 1):
        lines.append(Line(at(rank), axis - 5, at(rank), axis, INK, 1.2))
        texts.append(Text(at(rank), axis - 12, str(rank), "middle", QUIET))
    return lines, texts


def _levels(diagram: CriticalDifference, places: dict[str, float]) -> list[int]:
    """Return the first free row for each bar, so that no two touch."""
    rows: list[float] = []
    levels = []
    for clique in diagram.cliques:
        start, end = places[clique[0]], places[clique[-1]]
        free = next((i for i, taken in enumerate(rows) if start > taken + BESIDE), len(rows))
        rows[free : free + 1] = [end]
        levels.append(free)
    return levels


def _cut(name: str) -> str:
    most = int((SIDE - 66) / LETTER)
    return name if len(name) <= most else name[: most - 1] + "…"


def svg_of_ranks(diagram: CriticalDifference) -> str:
    """Return the diagram as one SVG element, without scripts, its texts in the colours of the page around it."""
    return _ranks_svg(diagram, layout(diagram), WIDTH)


def narrow_ranks_svg(diagram: CriticalDifference) -> str:
    """Return the same in the width of a telephone."""
    return _ranks_svg(diagram, narrow_layout(diagram), TELEPHONE)


def _ranks_svg(diagram: CriticalDifference, marks: RanksLayout, wide: float) -> str:
    colour = COLOURS["light"]
    # on a telephone lines pass behind names
    halo = f'stroke="{colour["paper"]}" stroke-width="5" paint-order="stroke"' if wide == TELEPHONE else ""
    parts = [
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour[name]}" '
        f'stroke-width="{width}" stroke-linecap="round"/>'
        for x1, y1, x2, y2, name, width in marks.lines
    ]
    parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour[INK]}"/>' for x, y in marks.dots]
    parts += [
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" dominant-baseline="central" '
        f'xml:space="preserve" fill="{colour[name]}" {halo}>{escape(text)}</text>'
        for x, y, text, anchor, name in marks.texts
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {marks.height:g}" width="{wide:g}" '
        f'role="img" aria-label="{escape(_said(diagram))}" font-family="system-ui, sans-serif" font-size="13">'
        + "".join(parts)
        + "</svg>"
    )


NARROW = 5.0
"""Inches of axes up to which a diagram is that of a telephone, whose texts have room."""


def plot_ranks(diagram: CriticalDifference, ax: Any = None, inches: float | None = None) -> Any:
    """Return the diagram on new matplotlib axes, or on axes of a width. Raises MissingExtraError without matplotlib."""
    is_narrow = inches is not None and inches <= NARROW
    marks, wide = (narrow_layout(diagram), TELEPHONE) if is_narrow else (layout(diagram), WIDTH)
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise MissingExtraError("drawing a diagram", "plot") from error
        _, ax = pyplot.subplots(figsize=(WIDTH / 90, marks.height / 90), layout="constrained")
    colour = COLOURS["light"]
    for x1, y1, x2, y2, name, width in marks.lines:
        ax.plot([x1, x2], [y1, y2], color=colour[name], lw=0.8 * width, solid_capstyle="round", zorder=2)
    if marks.dots:
        across, down = zip(*marks.dots, strict=True)
        ax.plot(across, down, "o", color=colour[INK], ms=5.5, zorder=3)
    sides = {"start": "left", "middle": "center", "end": "right"}
    texts = [
        ax.text(x, y, text, ha=sides[anchor], va="center", color=colour[name], fontsize=9.5, parse_math=False)
        for x, y, text, anchor, name in marks.texts
    ]
    if is_narrow:  # lines pass behind names
        from matplotlib.patheffects import withStroke

        for text in texts:
            text.set_path_effects([withStroke(linewidth=3, foreground=colour["paper"])])
    ax.set_xlim(0, wide)
    ax.set_ylim(marks.height, 0)
    ax.axis("off")
    return ax


def _said(diagram: CriticalDifference) -> str:
    """Return the diagram in words, for those who hear it."""
    ranks = ", ".join(
        f"{model} {rank:.2f}" for model, rank in zip(diagram.models, diagram.ranks, strict=True)
    )
    groups = "; ".join(map(_together, diagram.cliques)) or "none"
    return f"Mean ranks: {ranks}. No difference detected: {groups}."


def _together(clique: Clique) -> str:
    return " and ".join(clique)


def part_of_ranks(diagram: CriticalDifference) -> Diagram:
    """Return the diagram as a part of a report, with its marks for a terminal."""
    lines = tuple(
        (model, f"{rank:.2f}", " ".join("│" if model in clique else " " for clique in diagram.cliques))
        for model, rank in zip(diagram.models, diagram.ranks, strict=True)
    )
    notes = (
        f"A line joins models with no difference detected at {1 - diagram.level:.3g}: {diagram.method}."
        if diagram.cliques
        else "",
        ""
        if diagram.distance is None
        else f"Critical difference: {diagram.distance:.3f}. Models with a larger difference of mean ranks "
        "differ significantly.",
    )
    return Diagram(
        svg_of_ranks(diagram),
        lines,
        " ".join(filter(None, notes)),
        narrow=narrow_ranks_svg(diagram),
        name="ranks",
        draw=partial(plot_ranks, diagram),
    )


as_dict_of_ranks = RANKS.json


def draw_ranks(ranks: CriticalDifference, ax: Any, _: Drawing) -> Any:
    """Draw mean ranks over data sets."""
    return plot_ranks(ranks, ax)
