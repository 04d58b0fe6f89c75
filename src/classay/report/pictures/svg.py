"""Pictures as SVG elements, in the colours of the page around them; and what they say where they are pointed at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from math import isfinite
from typing import Any

import numpy as np

from classay.report.pictures.picture import (
    REFERENCE,
    SERIES,
    Array,
    Axis,
    Marks,
    Name,
    Picture,
    lone,
    marks_of,
    names_of,
)
from classay.report.words import shorten
from classay.texts import clean

WIDTH, HEIGHT = 300.0, 262.0
ROWS_WIDTH, ROW = 224.0, 56.0
"""Width of a picture of rows, and height of a row: that of a row of the table which it stands beside."""
LETTER, LINE, GAP = 5.7, 13.0, 6.0
"""Width of a digit, height of a line of text, and space between marks and their texts."""
STRIP = 64.0
"""Height of the strip of bars below a picture."""
MOST_TICKS = 6
COLOURS = len(SERIES["light"])
DASHES = ("", "6 3", "2 2")
"""Of series beyond the last colour, which begin anew with the first."""
DOT = 3.0
"""A line whose first dash is shorter is dotted."""
DIGITS = 6


@dataclass(frozen=True)
class Side:
    """An axis as it is drawn: the numbers at its ends, where these stand in the picture, and the places with a text."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[tuple[float, str], ...]

    def place(self, values: Array) -> Array:
        """Return where numbers stand in the picture."""
        # Ends whose distance is no number are halved first.
        half = 1.0 if np.isfinite(self.high - self.low) else 0.5
        share = (half * np.asarray(values, float) - half * self.low) / (half * self.high - half * self.low)
        return np.asarray(self.start + share * (self.end - self.start))

    @property
    def marked(self) -> list[tuple[float, str]]:
        """The places of its marks, and their texts."""
        places = self.place(np.array([at for at, _ in self.ticks])).tolist()
        return [(place, text) for place, (_, text) in zip(places, self.ticks, strict=True)]


@dataclass(frozen=True)
class Frame:
    """The size of a picture and its two axes; the place at which a strip below them begins."""

    width: float
    height: float
    x: Side
    y: Side
    strip: float = 0.0


def svg(picture: Picture) -> str:
    """Return the picture as one SVG element without scripts; its style is that of `document.css.j2`."""
    frame = _frame(picture)
    kind = "rows" if picture.rows else "square" if picture.is_square else "free"
    inside = (
        f'<svg x="{frame.x.start:g}" y="{frame.y.end:g}" width="{frame.x.end - frame.x.start:g}" '
        f'height="{frame.y.start - frame.y.end:g}" viewBox="{frame.x.start:g} {frame.y.end:g} '
        f'{frame.x.end - frame.x.start:g} {frame.y.start - frame.y.end:g}"{_overflowing(picture)}>'
    )
    order = sorted(picture.marks, key=_layer)
    return "".join(
        [
            f'<svg class="plot {kind}" viewBox="0 0 {frame.width:g} {frame.height:g}" role="img" '
            f'aria-label="{escape(_spoken(picture))}">',
            *_axes(picture, frame),
            inside,
            *(part for marks in order for part in _drawn(marks, frame)),
            "</svg>",
            *map(_named, names_of(picture, frame)),
            *(_strip(picture, frame) if picture.below else ()),
            "</svg>",
        ]
    )


def _strip(picture: Picture, frame: Frame) -> Iterator[str]:
    """The share of each class over the same axis: bars of one class up, of the other down, each named in its colour."""
    tops = [float(np.nanmax(each.y, initial=0.0)) for each in picture.below]
    most, middle = max(*tops, 0.0) or 1.0, frame.strip + STRIP / 2
    yield f'<path class="axis" d="M{frame.x.start:g} {middle:g}H{frame.x.end:g}"/>'
    for marks, sign in zip(picture.below, (1.0, -1.0), strict=False):
        end = middle - sign * (STRIP / 2 - 1)
        yield from _drawn(marks, replace(frame, y=Side(0.0, most, middle, end, ())))
    for marks, line in zip(picture.below, (frame.strip + LINE - 3, frame.strip + STRIP - 4), strict=False):
        name = Name(shorten(f"class {clean(marks.name)}"), marks, frame.x.end - 2, line, "end")
        yield _named(name)
    yield _text(LINE - 4, middle, "share", "middle", turned=True)


def _layer(marks: Marks) -> int:
    """Bands lie under all lines, what is compared with under what is shown, and the mark of a threshold on top."""
    if marks.form in ("area", "mark"):
        return 0 if marks.form == "area" else 3
    return 1 if marks.rank == REFERENCE else 2


def pointed(picture: Picture) -> dict[str, Any]:
    """Return what a script needs to say what is pointed at: the axes, and the points that have something to say."""
    frame = _frame(picture)
    sides = {
        name: [side.low, side.high, side.start, side.end] for name, side in (("x", frame.x), ("y", frame.y))
    }
    return sides | {
        "size": [frame.width, frame.height],
        "marks": [
            {"x": _numbers(marks.x + marks.width / 2), "y": _numbers(marks.y), "said": marks.said}
            | ({"texts": list(marks.texts)} if marks.texts else {})
            for marks in picture.marks
            if marks.said
        ],
    }


def swatches(picture: Picture) -> list[dict[str, str]]:
    """Return the names of a legend, each with the classes of its sign: of what has no name beside it in the picture."""
    named = [marks for marks in picture.marks if marks.form != "area"]
    proper = [each for each in named[: len(picture.legend)] if each.form != "mark" and each.rank != REFERENCE]
    beside = {id(name.marks) for name in names_of(picture, _frame(picture))}
    return [
        {"name": name, "look": f"{_series(marks)} {_sign(marks)}".rstrip()}
        for name, marks in zip(picture.legend, named, strict=False)
        if id(marks) not in beside and not (name == picture.title and len(proper) == 1)
    ]


def _sign(marks: Marks) -> str:
    if marks.form in ("bars", "mark"):
        return "block" if marks.form == "bars" else "ring"
    dash = _dash(marks)
    return "" if not dash or dash.endswith(" 0") else "dotted" if float(dash.split()[0]) < DOT else "dashed"


def _spoken(picture: Picture) -> str:
    """Return what a picture shows, for those who do not see it."""
    over = " over ".join(clean(each.title) for each in (picture.y, picture.x) if each.title)
    names = ", ".join(picture.legend or picture.rows)
    below = "below, the scores of each class" if picture.below else ""
    return "; ".join(filter(None, (clean(picture.title), over, clean(names), below)))


def _overflowing(picture: Picture) -> str:
    return ' overflow="visible"' if picture.rows else ""


def _named(name: Name) -> str:
    """Return a name in the colour of its line."""
    return _text(name.x, name.y, name.text, name.anchor, f"tag {_series(name.marks)}")


# --- axes


def _frame(picture: Picture) -> Frame:
    x, y = _ends(picture, "x"), _ends(picture, "y")
    if picture.rows:
        return _frame_of_rows(picture, x)
    y_ticks = _ticks(picture.y, *y)
    left = GAP + LETTER * max(len(text) for _, text in y_ticks) + (LINE + 6 if picture.y.title else 0)
    right, bottom = WIDTH - 12.0, LINE + GAP + (LINE + 2 if picture.x.title else 0)
    height = right - left if picture.is_square else HEIGHT - bottom - GAP
    strip = height + bottom + GAP
    return Frame(
        WIDTH,
        strip + (STRIP + GAP if picture.below else 0),
        Side(*x, left, right, _ticks(picture.x, *x)),
        Side(*y, GAP + height, GAP, y_ticks),
        strip + GAP,
    )


def _frame_of_rows(picture: Picture, x: tuple[float, float]) -> Frame:
    count = len(picture.rows)
    names = [shorten(clean(each), 18) for each in picture.rows]
    left = min(0.45 * ROWS_WIDTH, GAP + LETTER * max(map(len, names)))
    side = Side(count - 0.5, -0.5, ROW * count, 0.0, tuple((float(k), each) for k, each in enumerate(names)))
    ticks = _ticks(picture.x, *x, most=4)
    return Frame(ROWS_WIDTH, ROW * count + LINE + GAP, Side(*x, left, ROWS_WIDTH - 14.0, ticks), side)


def _ends(picture: Picture, name: str) -> tuple[float, float]:
    """Return the numbers at the ends of an axis: those given, or what the marks need with a little room."""
    axis: Axis = getattr(picture, name)
    if picture.is_square:
        return -0.01, 1.01
    if axis.limits is not None:
        return axis.limits
    arrays = []
    for marks in picture.marks:
        arrays += [getattr(marks, name)]
        if name == "x":
            arrays += [end for end in (marks.low, marks.high) if end is not None]
            arrays += [marks.x + marks.width] if marks.form == "bars" else []
    values = np.concatenate([np.asarray(each, float) for each in arrays] or [np.zeros(1)])
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    if name == "y" and any(marks.form == "bars" for marks in picture.marks):
        return _finite_ends(min(1.05 * low, 0.0), max(1.05 * high, 0.0) or (0.0 if low < 0 else 1.0))
    room = 0.04 * high - 0.04 * low or 0.05 * abs(high) or 0.5
    return _finite_ends(low - room, high + room)


def _finite_ends(low: float, high: float) -> tuple[float, float]:
    most = float(np.finfo(float).max)
    return max(low, -most), min(high, most)


def _ticks(axis: Axis, low: float, high: float, most: int = MOST_TICKS) -> tuple[tuple[float, str], ...]:
    if axis.ticks is not None:
        return axis.ticks
    return marks_of(low, high, most)


def _axes(picture: Picture, frame: Frame) -> Iterator[str]:
    x, y = frame.x, frame.y
    yield '<g class="grid">'
    for place, _ in x.marked:
        yield f'<path d="M{place:.1f} {y.end:g}V{y.start:g}"/>'
    if not picture.rows:
        for place, _ in y.marked:
            yield f'<path d="M{x.start:g} {place:.1f}H{x.end:g}"/>'
    yield f'<path d="M{x.start:g} {y.end:g}V{y.start:g}H{x.end:g}"/></g>'
    for place, text in _apart(x.marked):
        yield _text(place, y.start + LINE, text, "middle")
    for place, text in y.marked:
        yield _text(x.start - GAP, place + 0.35 * LINE - 1, text, "end", "name" if picture.rows else "")
    if picture.x.title:
        yield _text((x.start + x.end) / 2, y.start + 2 * LINE + 2, _cut(picture.x.title, x), "middle")
    if picture.y.title:
        middle, text = (y.start + y.end) / 2, _cut(picture.y.title, y)
        yield _text(LINE - 4, middle, text, "middle", turned=True)


def _apart(marked: list[tuple[float, str]]) -> Iterator[tuple[float, str]]:
    """Yield the marks whose texts do not run into each other."""
    end = -np.inf
    for place, text in marked:
        half = LETTER * len(text) / 2
        if place - half > end + 3:
            yield place, text
            end = place + half


def _cut(title: str, side: Side) -> str:
    return shorten(clean(title), max(8, int(abs(side.end - side.start) / LETTER)))


def _text(x: float, y: float, text: str, anchor: str, look: str = "", *, turned: bool = False) -> str:
    turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
    look = f' class="{look}"' if look else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{look}{turn}>{escape(clean(text))}</text>'


# --- marks


def _drawn(marks: Marks, frame: Frame) -> Iterator[str]:
    """Yield the elements of a series, `g` around them with its colour."""
    parts = {"bars": _bars, "dots": _dots, "specks": _specks, "diamonds": _diamonds, "mark": _rings}.get(
        marks.form, _path
    )(marks, frame)
    look = f"{_series(marks)}{' thin' if marks.is_thin else ''}"
    name = f' data-of="{escape(marks.name)}"' if marks.rank == REFERENCE and marks.name else ""
    yield f'<g class="{look}"{name}>{"".join(parts)}</g>'


def _series(marks: Marks) -> str:
    if marks.form == "mark":
        return "mark"
    return "reference" if marks.rank == REFERENCE else f"s{marks.rank % COLOURS}"


def _dash(marks: Marks) -> str:
    if marks.rank == REFERENCE:
        return marks.dash or "5 4"
    return marks.dash or DASHES[marks.rank // COLOURS % len(DASHES)]


def _path(marks: Marks, frame: Frame) -> Iterator[str]:
    is_area = marks.form == "area"
    x, y = _told_apart(*_placed(marks, frame))
    turns = {"steps": "H{0:.1f} V{1:.1f}", "steps_back": "V{1:.1f} H{0:.1f}"}
    turn, begin = turns.get(marks.form, "L{0:.1f} {1:.1f}").format, "M{0:.1f} {1:.1f}".format
    pieces, is_down = [], False
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        is_known = isfinite(a) and isfinite(b)
        if is_known:
            pieces.append((turn if is_down else begin)(a, b))
        is_down = is_known
    dash = "" if is_area or not _dash(marks) else f' stroke-dasharray="{_dash(marks)}"'
    yield f'<path class="{"area" if is_area else "line"}" d="{"".join(pieces)}"{dash}/>'
    alone = lone(x, y)
    yield from (_circle("dot", a, b, 4.0) for a, b in zip(x[alone].tolist(), y[alone].tolist(), strict=True))


def _told_apart(x: Array, y: Array) -> tuple[Array, Array]:
    """Return the points without those that are written as the one before them."""
    same = np.ones(max(x.size - 1, 0), bool)
    for coords in (x, y):
        written = np.round(coords, 1)
        same &= (written[1:] == written[:-1]) | (np.isnan(written[1:]) & np.isnan(written[:-1]))
    keep = np.concatenate([np.ones(min(x.size, 1), bool), ~same])
    return x[keep], y[keep]


def _bars(marks: Marks, frame: Frame) -> Iterator[str]:
    left, right = frame.x.place(marks.x), frame.x.place(marks.x + marks.width)
    end, zero = frame.y.place(marks.y), float(frame.y.place(np.zeros(1))[0])
    for a, b, y in zip(left.tolist(), right.tolist(), end.tolist(), strict=True):
        if np.isfinite(y) and y != zero:
            tall = f'y="{min(y, zero):.1f}" width="{b - a:.1f}" height="{abs(zero - y):.1f}"'
            yield f'<rect class="block" x="{a:.1f}" {tall}/>'


def _dots(marks: Marks, frame: Frame) -> Iterator[str]:
    if marks.low is not None and marks.high is not None:
        low, high, y = frame.x.place(marks.low), frame.x.place(marks.high), frame.y.place(marks.y)
        lines = zip(low.tolist(), high.tolist(), y.tolist(), strict=True)
        yield from (
            f'<path class="line" d="M{a:.1f} {c:.1f}H{b:.1f}"/>'
            for a, b, c in lines
            if np.isfinite([a, b]).all()
        )
    yield from _circles(marks, frame, 4.0)


def _specks(marks: Marks, frame: Frame) -> Iterator[str]:
    yield from _circles(marks, frame, 1.6)


def _circles(marks: Marks, frame: Frame, radius: float) -> Iterator[str]:
    for a, b in _finite(*_placed(marks, frame)):
        look = "speck" if marks.form == "specks" else "dot"
        yield _circle(look, a, b, radius)


def _circle(look: str, x: float, y: float, radius: float) -> str:
    return f'<circle class="{look}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}"/>'


def _rings(marks: Marks, frame: Frame) -> Iterator[str]:
    for a, b in _finite(*_placed(marks, frame)):
        yield _circle("ring", a, b, 5.0)


def _diamonds(marks: Marks, frame: Frame) -> Iterator[str]:
    for a, b in _finite(*_placed(marks, frame)):
        yield f'<path class="hollow" d="M{a:.1f} {b - 5:.1f}l5 5l-5 5l-5 -5z"/>'


def _placed(marks: Marks, frame: Frame) -> tuple[Array, Array]:
    """Return where the points stand; those far outside are brought near, so that a browser can draw them."""
    points = (frame.x.place(marks.x), frame.y.place(marks.y))
    x, y = (np.where(np.isfinite(each), np.clip(each, -2 * WIDTH, 3 * WIDTH), np.nan) for each in points)
    return x, y


def _finite(x: Array, y: Array) -> Iterator[tuple[float, float]]:
    yield from (
        (a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True) if np.isfinite(a) and np.isfinite(b)
    )


def _numbers(values: Sequence[float] | Array) -> list[float | None]:
    """Numbers for JSON, which has no NaN; a screen shows no more digits."""
    return [float(f"{v:.{DIGITS}g}") if isfinite(v) else None for v in np.asarray(values, float).tolist()]
