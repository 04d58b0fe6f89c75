"""Critical-difference diagrams, losses as stacked parts, confusion matrices: as SVG, with matplotlib, or in marks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from math import isfinite, isnan, nan
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from classay.comparison.compare_datasets import Clique, CriticalDifference
from classay.errors import MissingExtraError
from classay.inference.estimate import Estimate, number
from classay.report.document import Diagram, Matrix
from classay.report.pictures.picture import COLOURS, marks_of
from classay.report.words import counts, interval, shorten
from classay.texts import clean

if TYPE_CHECKING:
    from classay.assessment.class_views import ConfusionTree

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


class RanksLayout(NamedTuple):
    """All marks of a diagram, and its height."""

    lines: list[Line]
    dots: list[Dot]
    texts: list[Text]
    height: float


def layout(made: CriticalDifference) -> RanksLayout:
    """Where everything stands: the axis, the bars of cliques under it, the names at both sides, best on the left."""
    k = len(made.models)
    span = WIDTH - 2 * SIDE

    def at(rank: float) -> float:
        return SIDE + span * (rank - 1) / (k - 1)

    lines, dots, texts, axis, first, ranks = _above(made, at)
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
    return RanksLayout(lines, dots, texts, bottom + 14)


TELEPHONE, MARGIN, IN_A_LINE = 340.0, 12.0, 50
"""Of the diagram on a telephone: its width, what is left at both sides, and the letters of a line of its note."""


def narrow_layout(made: CriticalDifference) -> RanksLayout:
    """The same in the width of a telephone: a row for each model, its name on the side of its mark with more room."""
    k, span = len(made.models), TELEPHONE - 2 * MARGIN

    def at(rank: float) -> float:
        return MARGIN + span * (rank - 1) / (k - 1)

    lines, dots, texts, axis, y, ranks = _above(made, at, TELEPHONE)
    for model in made.models:
        x = at(ranks[model])
        is_left = x <= TELEPHONE / 2
        room = int((TELEPHONE - x if is_left else x) / LETTER) - 8
        name = model if len(model) <= room else model[: room - 1] + "…"
        lines.append(Line(x, axis, x, y, QUIET, 1.0))
        text = f"{ranks[model]:.2f}  {name}" if is_left else f"{name}  {ranks[model]:.2f}"
        texts.append(Text(x + (6 if is_left else -6), y, text, "start" if is_left else "end"))
        y += ROW
    note = (
        f"A bar joins models not told apart at {1 - made.level:.3g}: {made.method}; {made.datasets} data sets"
    )
    for line in wrap(note, IN_A_LINE):
        texts.append(Text(MARGIN, y + 4, line, "start", QUIET))
        y += 18
    return RanksLayout(lines, dots, texts, y + 4)


class Above(NamedTuple):
    """The marks of the axis and of the bars under it; where the axis stands, and what comes below; the ranks."""

    lines: list[Line]
    dots: list[Dot]
    texts: list[Text]
    axis: float
    below: float
    ranks: dict[str, float]


def _above(made: CriticalDifference, at: Callable[[float], float], width: float = WIDTH) -> Above:
    """The axis, and the bars of cliques under it."""
    lines, texts = _axis(made, at, width)
    axis = TOP + (30 if made.distance is not None else 0)
    ranks = dict(zip(made.models, made.ranks, strict=True))
    levels = _levels(made, ranks)
    dots = []
    for clique, level in zip(made.cliques, levels, strict=True):
        y = axis + 14 + BAR * level
        lines.append(Line(at(ranks[clique[0]]), y, at(ranks[clique[-1]]), y, INK, 3.5))
        dots += [Dot(at(ranks[model]), y) for model in clique]
    return Above(lines, dots, texts, axis, axis + 24 + BAR * (max(levels, default=-1) + 1), ranks)


def _axis(made: CriticalDifference, at: Any, width: float = WIDTH) -> tuple[list[Line], list[Text]]:
    k = len(made.models)
    lines, texts, axis = [], [Text(width / 2, 10, "mean rank (1 is best)", "middle", QUIET)], TOP
    if made.distance is not None:
        axis += 30
        end, y = min(1 + made.distance, float(k)), TOP - 8
        ends = [Line(x, y - 4, x, y + 4, INK, 1.2) for x in (at(1), at(end))]
        lines += [Line(at(1), y, at(end), y, INK, 1.2), *ends]
        beyond = ", wider than the axis" if 1 + made.distance > k else ""
        said = f"critical difference {made.distance:.2f}{beyond}"
        has_room = at(end) + 8 + LETTER * len(said) <= width
        place = (at(end) + 8, y, said, "start") if has_room else (at(end), y - 12, said, "end")
        texts.append(Text(*place, QUIET))  # type: ignore[arg-type]
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
    return _ranks_svg(made, layout(made), WIDTH)


def narrow_ranks_svg(made: CriticalDifference) -> str:
    """The same in the width of a telephone."""
    return _ranks_svg(made, narrow_layout(made), TELEPHONE)


def _ranks_svg(made: CriticalDifference, marks: RanksLayout, wide: float) -> str:
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


LOOKS = {"noise": ("quiet", "░"), "bias": ("alarm", "█"), "variance": ("accent", "▒")}
"""Colour and mark of each part."""
STACKS_WIDTH, SHOWN_WIDTH, LEFT, RIGHT, LINE, STACK_ROW, STACK_BAR = 440.0, 540.0, 4.0, 14.0, 18.0, 46.0, 18.0
"""Of the SVG: as narrow as a telephone, so that nothing has to be scrolled; names stand above their bars."""
MOST_TICKS = 5
MARKS = 50
"""Marks of the longest bar in text."""


class StackedBar(NamedTuple):
    """One bar: its name, the loss, the parts that add up to it, and what variance takes off at biased rows."""

    label: str
    loss: Estimate
    parts: tuple[tuple[str, float], ...]
    taken: float = 0.0


def diagram(stacks: Sequence[StackedBar], head: str) -> Diagram | None:
    """The bars below each other; None where a loss is infinite."""
    if not all(isfinite(each.loss.value) and each.parts for each in stacks):
        return None
    end = _end(stacks)
    lines = tuple((each.label, number(each.loss.value), _marks(each, end)) for each in stacks)
    seen = [part for part in LOOKS if any(part in dict(each.parts) for each in stacks)]
    note = ", ".join(f"{LOOKS[part][1]} {_name(part, stacks)}" for part in seen) + "; │ is the loss."
    return Diagram(_svg(stacks, seen, end), lines, note, (head, "loss"))


def _name(part: str, stacks: Sequence[StackedBar]) -> str:
    """What a part is called: where variance reduces the loss, only that of rows without bias adds to it."""
    has_taken = part == "variance" and any(each.taken > 0 for each in stacks)
    return f"{part} (beyond the mark it cancels bias)" if has_taken else part


def _end(stacks: Sequence[StackedBar]) -> float:
    """The end of the scale, a little beyond the longest bar and the highest interval."""
    ends = [sum(value for _, value in each.parts) for each in stacks]
    ends += [each.loss.high for each in stacks if isfinite(each.loss.high)]
    return max(1.02 * max(ends), 1e-9)


def _marks(stack: StackedBar, end: float) -> str:
    """The bar in marks; the loss is marked where it ends before the parts do."""
    shown, so_far = "", 0.0
    for part, value in stack.parts:
        so_far += value
        shown += LOOKS[part][1] * (round(MARKS * so_far / end) - len(shown))
    at = round(MARKS * stack.loss.value / end)
    return shown[:at] + "│" + shown[at:]


def _svg(stacks: Sequence[StackedBar], seen: Sequence[str], end: float) -> str:
    """The bars as one SVG element, without scripts, in the colours of the page around it."""
    colour = COLOURS["light"]
    span = STACKS_WIDTH - LEFT - RIGHT
    top = LINE * len(seen) + 8
    bottom = top + STACK_ROW * len(stacks)

    def at(x: float) -> float:
        return LEFT + span * min(max(x / end, 0.0), 1.0)

    parts = []
    for k, part in enumerate(seen):
        y = LINE * (k + 0.5)
        parts.append(_rect(LEFT, y - 6, 12, 12, colour[LOOKS[part][0]]))
        parts.append(_text(LEFT + 18, y, _name(part, stacks), "start", colour["ink"]))
    for tick, text in marks_of(0.0, end, MOST_TICKS):
        parts.append(_line(at(tick), top, at(tick), bottom, colour["rule"], 1))
        parts.append(_text(max(at(tick), LEFT + 4), bottom + 12, text, "middle", colour["quiet"]))
    for k, each in enumerate(stacks):
        y = top + STACK_ROW * k + LINE + 4
        middle, so_far = y + STACK_BAR / 2, 0.0
        parts.append(_text(LEFT, y - LINE / 2 - 1, shorten(each.label, 50), "start", colour["ink"]))
        for part, value in each.parts:
            parts.append(
                _rect(at(so_far), y, at(so_far + value) - at(so_far), STACK_BAR, colour[LOOKS[part][0]])
            )
            so_far += value
        parts.append(
            _line(at(each.loss.value), y - 4, at(each.loss.value), y + STACK_BAR + 4, colour["ink"], 2.5)
        )
        if each.loss.has_interval:
            parts.append(_line(at(each.loss.low), middle, at(each.loss.high), middle, colour["ink"], 1.25))
    said = "; ".join(_said_of_stack(each) for each in stacks)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {STACKS_WIDTH:g} {bottom + 24:g}" '
        f'width="{SHOWN_WIDTH:g}" '
        f'style="min-width: 0" role="img" aria-label="{escape(said)}" font-family="system-ui, sans-serif" '
        'font-size="12">' + "".join(parts) + "</svg>"
    )


def _rect(x: float, y: float, width: float, height: float, colour: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width:g}"/>'


def _text(x: float, y: float, text: str, anchor: str, colour: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" dominant-baseline="central" '
        f'fill="{colour}">{escape(text)}</text>'
    )


def _said_of_stack(stack: StackedBar) -> str:
    parts = ", ".join(f"{part} {number(value)}" for part, value in stack.parts)
    taken = f", less {number(stack.taken)} at biased rows" if stack.taken > 0 else ""
    return f"{stack.label}: loss {number(stack.loss.value)} {interval(stack.loss)}, {parts}{taken}"


def plot_tree(tree: ConfusionTree, ax: Any = None) -> Any:
    """How classes join, the most confused furthest from the stem. Raises MissingExtraError without matplotlib."""
    colour = COLOURS["light"]
    leaves = tree.joins[-1].labels
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise MissingExtraError("drawing a tree", "plot") from error
        _, ax = pyplot.subplots(figsize=(6.4, 1.2 + 0.3 * len(leaves)), layout="constrained")
    at = {
        frozenset([label]): (float(k), max(each.rate for each in tree.joins))
        for k, label in enumerate(leaves)
    }
    for each in tree.joins:
        ends = [at.pop(group) for group in [*at] if group <= {*each.labels}]
        (low, of_low), (high, of_high) = sorted(ends)
        ax.plot([of_low, each.rate, each.rate, of_high], [low, low, high, high], color=colour["ink"], lw=1.25)
        at[frozenset(each.labels)] = (low + high) / 2, each.rate
    ax.set_yticks(range(len(leaves)), [shorten(clean(str(each))) for each in leaves], parse_math=False)
    ax.set_ylim(len(leaves) - 0.5, -0.5)
    ax.set_xlabel("share of the cases of both that are taken for the other", color=colour["quiet"])
    ax.grid(axis="x", color=colour["rule"], lw=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(colors=colour["quiet"], length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(colour["rule"])
    return ax


def plot_stacks(stacks: Sequence[StackedBar], ax: Any = None) -> Any:
    """The same on matplotlib axes, new or given. Raises MissingExtraError without matplotlib."""
    colour = COLOURS["light"]
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise MissingExtraError("drawing a decomposition", "plot") from error
        _, ax = pyplot.subplots(figsize=(7.2, 1.5 + 0.42 * len(stacks)), layout="constrained")
    drawn = set()
    for k, each in enumerate(stacks):
        so_far = 0.0
        for part, value in each.parts:
            name = "_" if part in drawn else _name(part, stacks)
            ax.barh(k, value, 0.55, left=so_far, color=colour[LOOKS[part][0]], label=name)
            drawn.add(part)
            so_far += value
        if isfinite(each.loss.value):
            ax.plot([each.loss.value] * 2, [k - 0.38, k + 0.38], color=colour["ink"], lw=2.5)
        if each.loss.has_interval:
            ax.plot([each.loss.low, each.loss.high], [k, k], color=colour["ink"], lw=1.25)
    ax.set_yticks(range(len(stacks)), [shorten(each.label) for each in stacks], parse_math=False)
    ax.set_ylim(len(stacks) - 0.4, -0.6)
    ax.set_xlabel("loss; the line is its interval", color=colour["quiet"])
    ax.grid(axis="x", color=colour["rule"], lw=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(colors=colour["quiet"], length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(colour["rule"])
    ax.legend(
        frameon=False, fontsize=9, ncols=3, loc="lower left", bbox_to_anchor=(0, 1), labelcolor=colour["ink"]
    )
    return ax


WRITTEN = 20
"""Classes up to which the cells of a picture hold their numbers."""
NARROW = 6
"""Classes up to which a picture is narrower than what is said below it."""
OF = {
    "true": "share of the true class",
    "predicted": "share of the predicted class",
    "all": "share of all cases",
}


def plot_matrix(matrix: Matrix, share: str | None = None, ax: Any = None) -> Any:
    """A confusion matrix on matplotlib axes, new or given: what is right in one colour, what is wrong in another.

    The darkness is the square root of the share, so that a few per cent are seen. Raises MissingExtraError without
    matplotlib.
    """
    try:
        from matplotlib import pyplot
        from matplotlib.colors import to_rgb
    except ImportError as error:
        raise MissingExtraError("drawing a confusion matrix", "plot") from error
    cells = np.array(matrix.counts)
    rows, k = cells.shape
    if ax is None:
        side = min(max(3.4 + 0.42 * k, 4.2), 13.0)
        _, ax = pyplot.subplots(figsize=(side, side * 0.62 + 1.4), layout="constrained")
    axis: Any = {"predicted": 1, "all": None}.get(share or "", 0)
    whole = cells.sum(axis, keepdims=True)
    shares = np.divide(
        cells, whole, out=np.full(cells.shape, np.nan), where=np.broadcast_to(whole > 0, cells.shape)
    )
    top = float(np.nanmax(shares, initial=0.0)) or 1.0
    right = np.eye(rows, k, dtype=bool)
    inks = np.where(right[..., None], to_rgb(COLOURS["light"]["accent"]), to_rgb(COLOURS["light"]["alarm"]))
    if matrix.rest:
        inks[k - 1, k - 1] = to_rgb(COLOURS["light"][QUIET])  # neither right nor wrong
    dark = np.sqrt(np.nan_to_num(shares) / (top if share == "all" else 1.0))[..., None]
    ax.imshow(1 - dark * (1 - inks), aspect="auto", interpolation="nearest")
    if k <= WRITTEN:
        _write_cells(ax, cells, shares if share else None, dark[..., 0])
    names = [shorten(name, 18) for name in matrix.predicted]
    size = 9 if k <= WRITTEN else 7
    is_long = max(map(len, names[:k])) * k > 60
    turned: dict[str, Any] = {"rotation": 90} if is_long else {}
    ax.set_xticks(range(k), names[:k], parse_math=False, fontsize=size, **turned)
    ax.set_yticks(range(rows), names, parse_math=False, fontsize=size)
    ax.set_xticks(np.arange(k + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(rows + 1) - 0.5, minor=True)
    ax.grid(which="minor", color=COLOURS["light"]["rule"], lw=0.8)
    ax.tick_params(which="both", length=0, colors=COLOURS["light"][QUIET])
    ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False)
    ax.xaxis.set_label_position("top")
    ax.set_xlabel("true", color=COLOURS["light"][INK])
    ax.set_ylabel("predicted", color=COLOURS["light"][INK])
    ax.spines[:].set_visible(False)
    shown = {"": "cases", "true": "per cent of a column", "predicted": "per cent of a row"}.get(
        share or "", "per cent"
    )
    comma = ",\n" if k <= NARROW else ", "
    said = f"{shown + comma if k <= WRITTEN else ''}darker: larger {OF[share or 'true']}"
    if matrix.rest:
        said += f"\nthe {k - 1} of {matrix.classes:,} classes in the most errors; the others together, grey"
    ax.text(
        0,
        -0.03,
        said,
        transform=ax.transAxes,
        va="top",
        color=COLOURS["light"][QUIET],
        fontsize=9,
        parse_math=False,
    )
    return ax


def _write_cells(ax: Any, cells: Any, shares: Any, dark: Any) -> None:
    """The numbers of the cells: cases, or shares in per cent, light where the cell is dark."""
    texts = counts(cells.tolist())
    size = 10 if len(cells) <= 6 else 8 if len(cells) <= 12 else 6.5
    for i, j in np.ndindex(cells.shape):
        share = nan if shares is None else round(float(shares[i, j]), 3)  # as the number itself is written
        text = texts[i][j] if shares is None else "–" if isnan(share) else f"{100 * share:.1f}"
        if cells[i, j] == 0 and len(cells) > 6:
            continue
        colour = COLOURS["light"]["paper"] if dark[i, j] > 0.7 else COLOURS["light"][INK]
        ax.text(j, i, text, ha="center", va="center", color=colour, fontsize=size)
