"""Critical-difference diagrams: one layout, drawn as SVG or with matplotlib."""

from __future__ import annotations

from html import escape
from typing import Any, Literal, NamedTuple

from classay.comparison.datasets.critical_difference import Clique, CriticalDifference
from classay.errors import MissingExtraError
from classay.report.colours import COLOURS

INK, QUIET, RULE = "ink", "quiet", "rule"
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


class Layout(NamedTuple):
    """All marks of a diagram, and its height."""

    lines: list[Line]
    dots: list[Dot]
    texts: list[Text]
    height: float


def layout(made: CriticalDifference) -> Layout:
    """Where everything stands: the axis, the bars of cliques under it, the names at both sides, best on the left."""
    k = len(made.models)
    span = WIDTH - 2 * SIDE

    def at(rank: float) -> float:
        return SIDE + span * (rank - 1) / (k - 1)

    lines, texts = _axis(made, at)
    axis = TOP + (30 if made.distance is not None else 0)
    ranks = dict(zip(made.models, made.ranks, strict=True))
    levels = _levels(made, ranks)
    dots = []
    for clique, level in zip(made.cliques, levels, strict=True):
        y = axis + 14 + BAR * level
        lines.append(Line(at(ranks[clique[0]]), y, at(ranks[clique[-1]]), y, INK, 3.5))
        dots += [Dot(at(ranks[model]), y) for model in clique]
    first = axis + 24 + BAR * (max(levels, default=-1) + 1)
    left = (k + 1) // 2
    for i, model in enumerate(made.models):
        x, on_left = at(ranks[model]), i < left
        y = first + ROW * (i if on_left else k - 1 - i)
        edge = SIDE - 14 if on_left else WIDTH - SIDE + 14
        lines += [Line(x, axis, x, y, QUIET, 1.0), Line(x, y, edge, y, QUIET, 1.0)]
        name, anchor = f"{_cut(model)}  {ranks[model]:.2f}", "end"
        if not on_left:
            name, anchor = f"{ranks[model]:.2f}  {_cut(model)}", "start"
        texts.append(Text(edge + (-5 if on_left else 5), y, name, anchor))  # type: ignore[arg-type]
    bottom = first + ROW * max(left - 1, 0) + 26
    note = (
        f"A bar joins models not told apart at {1 - made.level:.3g}: {made.method}; {made.datasets} data sets"
    )
    texts.append(Text(WIDTH / 2, bottom, note, "middle", QUIET))
    return Layout(lines, dots, texts, bottom + 14)


def _axis(made: CriticalDifference, at: Any) -> tuple[list[Line], list[Text]]:
    k = len(made.models)
    lines, texts, axis = [], [Text(WIDTH / 2, 10, "mean rank (1 is best)", "middle", QUIET)], TOP
    if made.distance is not None:
        axis += 30
        end, y = min(1 + made.distance, float(k)), TOP - 8
        ends = [Line(x, y - 4, x, y + 4, INK, 1.2) for x in (at(1), at(end))]
        lines += [Line(at(1), y, at(end), y, INK, 1.2), *ends]
        beyond = ", wider than the axis" if 1 + made.distance > k else ""
        texts.append(Text(at(end) + 8, y, f"critical difference {made.distance:.2f}{beyond}", "start", QUIET))
    lines.append(Line(at(1), axis, at(k), axis, INK, 1.2))
    for rank in range(1, k + 1):
        lines.append(Line(at(rank), axis - 5, at(rank), axis, INK, 1.2))
        texts.append(Text(at(rank), axis - 12, str(rank), "middle", QUIET))
    return lines, texts


def _levels(made: CriticalDifference, ranks: dict[str, float]) -> list[int]:
    """The first free row for each bar, so that no two touch."""
    rows: list[float] = []
    found = []
    for clique in made.cliques:
        start, end = ranks[clique[0]], ranks[clique[-1]]
        free = next((i for i, taken in enumerate(rows) if start > taken + 0.08), len(rows))
        rows[free : free + 1] = [end]
        found.append(free)
    return found


def _cut(name: str) -> str:
    most = int((SIDE - 66) / LETTER)
    return name if len(name) <= most else name[: most - 1] + "…"


def ranks_svg(made: CriticalDifference) -> str:
    """The diagram as one SVG element, without scripts, its texts in the colours of the page around it."""
    marks = layout(made)
    colour = COLOURS["light"]
    parts = [
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour[name]}" '
        f'stroke-width="{width}" stroke-linecap="round"/>'
        for x1, y1, x2, y2, name, width in marks.lines
    ]
    parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour[INK]}"/>' for x, y in marks.dots]
    parts += [
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" dominant-baseline="central" '
        f'xml:space="preserve" fill="{colour[name]}">{escape(text)}</text>'
        for x, y, text, anchor, name in marks.texts
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {marks.height:g}" width="{WIDTH:g}" '
        f'role="img" aria-label="{escape(_said(made))}" font-family="system-ui, sans-serif" font-size="13">'
        + "".join(parts)
        + "</svg>"
    )


def plot_ranks(made: CriticalDifference, ax: Any = None) -> Any:
    """The diagram on matplotlib axes, new or given. Raises MissingExtraError without matplotlib."""
    marks = layout(made)
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
    for x, y, text, anchor, name in marks.texts:
        ax.text(x, y, text, ha=sides[anchor], va="center", color=colour[name], fontsize=9.5, parse_math=False)
    ax.set_xlim(0, WIDTH)
    ax.set_ylim(marks.height, 0)
    ax.axis("off")
    return ax


def _said(made: CriticalDifference) -> str:
    """The diagram in words, for those who hear it."""
    ranks = ", ".join(f"{model} {rank:.2f}" for model, rank in zip(made.models, made.ranks, strict=True))
    groups = "; ".join(map(_together, made.cliques)) or "none"
    return f"Mean ranks: {ranks}. Not told apart: {groups}."


def _together(clique: Clique) -> str:
    return " and ".join(clique)
