"""Losses as stacked parts: as SVG, with matplotlib, or in marks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import isfinite
from typing import Any, NamedTuple

from classay.errors import MissingExtraError
from classay.inference.estimate import Estimate, format_estimate, number
from classay.report.document import Diagram
from classay.report.pictures.picture import COLOURS, marks_of
from classay.report.pictures.shapes import line, rect
from classay.report.words import shorten

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
    """Return the bars below each other; None where a loss is infinite."""
    if not all(isfinite(each.loss.value) and each.parts for each in stacks):
        return None
    end = _end(stacks)
    lines = tuple((each.label, number(each.loss.value), _marks(each, end)) for each in stacks)
    seen = [part for part in LOOKS if any(part in dict(each.parts) for each in stacks)]
    note = ", ".join(f"{LOOKS[part][1]} {_name(part, stacks)}" for part in seen) + "; │ is the loss."
    return Diagram(
        _svg(stacks, seen, end),
        lines,
        note,
        (head, "loss"),
        name="loss",
        draw=lambda ax, inches: plot_stacks(stacks, ax),
    )


def _name(part: str, stacks: Sequence[StackedBar]) -> str:
    """Return what a part is called: where variance reduces the loss, only that of rows without bias adds to it."""
    has_taken = part == "variance" and any(each.taken > 0 for each in stacks)
    return f"{part} (the part beyond the mark reduces the loss)" if has_taken else part


def _end(stacks: Sequence[StackedBar]) -> float:
    """Return the end of the scale, a little beyond the longest bar and the highest interval."""
    ends = [sum(value for _, value in each.parts) for each in stacks]
    ends += [each.loss.high for each in stacks if isfinite(each.loss.high)]
    return max(1.02 * max(ends), 1e-9)


def _marks(stack: StackedBar, end: float) -> str:
    """Return the bar in marks; the loss is marked where it ends before the parts do."""
    shown, so_far = "", 0.0
    for part, value in stack.parts:
        so_far += value
        shown += LOOKS[part][1] * (round(MARKS * so_far / end) - len(shown))
    at = round(MARKS * stack.loss.value / end)
    return shown[:at] + "│" + shown[at:]


def _svg(stacks: Sequence[StackedBar], seen: Sequence[str], end: float) -> str:
    """Return the bars as one SVG element, without scripts, in the colours of the page around it."""
    colour = COLOURS["light"]
    span = STACKS_WIDTH - LEFT - RIGHT
    top = LINE * len(seen) + 8
    bottom = top + STACK_ROW * len(stacks)

    def at(x: float) -> float:
        return LEFT + span * min(max(x / end, 0.0), 1.0)

    parts = []
    for k, part in enumerate(seen):
        y = LINE * (k + 0.5)
        parts.append(rect(LEFT, y - 6, 12, 12, colour[LOOKS[part][0]]))
        parts.append(_text_at(LEFT + 18, y, _name(part, stacks), "start", colour["ink"]))
    for tick, text in marks_of(0.0, end, MOST_TICKS):
        parts.append(line(at(tick), top, at(tick), bottom, colour["rule"], 1))
        parts.append(_text_at(max(at(tick), LEFT + 4), bottom + 12, text, "middle", colour["quiet"]))
    for k, each in enumerate(stacks):
        y = top + STACK_ROW * k + LINE + 4
        middle, so_far = y + STACK_BAR / 2, 0.0
        parts.append(_text_at(LEFT, y - LINE / 2 - 1, shorten(each.label, 50), "start", colour["ink"]))
        for part, value in each.parts:
            parts.append(
                rect(at(so_far), y, at(so_far + value) - at(so_far), STACK_BAR, colour[LOOKS[part][0]])
            )
            so_far += value
        parts.append(
            line(at(each.loss.value), y - 4, at(each.loss.value), y + STACK_BAR + 4, colour["ink"], 2.5)
        )
        if each.loss.has_interval:
            parts.append(line(at(each.loss.low), middle, at(each.loss.high), middle, colour["ink"], 1.25))
    said = "; ".join(_said_of_stack(each) for each in stacks)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {STACKS_WIDTH:g} {bottom + 24:g}" '
        f'width="{SHOWN_WIDTH:g}" '
        f'style="min-width: 0" role="img" aria-label="{escape(said)}" font-family="system-ui, sans-serif" '
        'font-size="12">' + "".join(parts) + "</svg>"
    )


def _said_of_stack(stack: StackedBar) -> str:
    parts = ", ".join(f"{part} {number(value)}" for part, value in stack.parts)
    taken = f", minus {number(stack.taken)} at biased rows" if stack.taken > 0 else ""
    return f"{stack.label}: loss {format_estimate(stack.loss)}, {parts}{taken}"


def plot_stacks(stacks: Sequence[StackedBar], ax: Any = None) -> Any:
    """Return the same on matplotlib axes, new or given. Raises MissingExtraError without matplotlib."""
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
    ax.set_xlabel("loss with its confidence interval", color=colour["quiet"])
    ax.grid(axis="x", color=colour["rule"], lw=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(colors=colour["quiet"], length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(colour["rule"])
    ax.legend(
        frameon=False, fontsize=9, ncols=3, loc="lower left", bbox_to_anchor=(0, 1), labelcolor=colour["ink"]
    )
    return ax


def _text_at(x: float, y: float, text: str, anchor: str, colour: str) -> str:
    """Return a text whose start, middle or end is at x, and its middle at y."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" dominant-baseline="central" '
        f'fill="{colour}">{escape(text)}</text>'
    )
