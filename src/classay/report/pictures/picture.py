"""Picture: marks between two axes, before they are drawn; the look of each kind of curve, colours, places of names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import floor, inf, isfinite, log10
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.curves.curve import CURVES, Curve, CurveStyle, Scale
from classay.errors import check_word
from classay.texts import clean

if TYPE_CHECKING:
    from classay.report.pictures.svg import Frame


# The style sheet and the pictures draw on the same ones.
COLOURS = {
    "light": {
        "page": "#f4f5f6",
        "paper": "#ffffff",
        "ink": "#1b2329",
        "quiet": "#5b6770",
        "rule": "#dfe3e6",
        "accent": "#0b6a94",
        "alarm": "#9a4b00",
        "alarm-paper": "#fdf3e4",
    },
    "dark": {
        "page": "#101417",
        "paper": "#171d21",
        "ink": "#e4e9ec",
        "quiet": "#9aa7b0",
        "rule": "#2c353b",
        "accent": "#58b4dc",
        "alarm": "#f0ac52",
        "alarm-paper": "#2b2216",
    },
}

# After the accent: told apart also by readers who do not see all colours.
SERIES = {
    "light": ["#0b6a94", "#c2691c", "#5e7f31", "#8a4f92", "#6b7680", "#b03a48", "#2b8a7e", "#8f7415"],
    "dark": ["#58b4dc", "#eea04f", "#a3c46c", "#cb97d3", "#aab4bc", "#ee8590", "#66c9bb", "#d8bd5c"],
}


def recoloured(svg: str, colours: Mapping[str, str]) -> str:
    """Return a drawing in light colours with others in their place, by name: those of the page around it, say.

    >>> recoloured('<rect fill="#1b2329"/>', {"ink": "currentColor"})
    '<rect fill="currentColor"/>'
    """
    for name, colour in colours.items():
        svg = svg.replace(f'"{COLOURS["light"][name]}"', f'"{colour}"')
    return svg


Array = NDArray[Any]
Form = Literal["line", "steps", "steps_back", "dots", "specks", "diamonds", "bars", "area", "mark"]
REFERENCE = -1
"""The rank of what others are compared with: a quiet, dashed line, or a hollow mark."""


@dataclass(frozen=True, eq=False)
class Marks:
    """Marks of one series.

    `x` and `y`, `(points,)`, are places on the axes; a NaN interrupts a line. `form` is "line", "steps" (a height
    holds to the next point), "steps_back", "dots", "specks" (small and faint), "diamonds", "bars" (x are left
    edges, `width` that of a bar), "area" (an outline) or "mark" (a ring around the point of a threshold). `low`
    and `high` are the ends of a line across each dot. `rank` chooses the colour. `said` is what to read where it
    is pointed at, with {x} and {y} for the numbers of the point and {text} for its own of the `texts`; nothing
    where it is "".
    """

    form: Form
    x: Array
    y: Array
    name: str = ""
    rank: int = 0
    said: str = ""
    texts: Sequence[str | float | None] = ()
    low: Array | None = None
    high: Array | None = None
    width: float = 0.0
    dash: str = ""
    is_thin: bool = False


@dataclass(frozen=True)
class Axis:
    """An axis: its title, its ends where they are given, and its marks where they are not round numbers."""

    title: str = ""
    limits: tuple[float, float] | None = None
    ticks: tuple[tuple[float, str], ...] | None = None


@dataclass(frozen=True, eq=False)
class Picture:
    """Marks between two axes; `rows` names the rows of a picture whose y-axis is a list, the first on top.

    `legend` are the names of the first marks, none where there is one series. Both axes of a square picture run from 0
    to 1 and are of one length. `name` is that of its curves. `below` are bars of two classes on the same x-axis, in a
    strip below the picture, those of the first class upwards.
    """

    title: str
    marks: tuple[Marks, ...]
    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    note: str = ""
    legend: tuple[str, ...] = ()
    is_square: bool = False
    rows: tuple[str, ...] = ()
    name: str = ""
    below: tuple[Marks, ...] = ()


MOST_NAMED = 4
"""Names that stand below an axis."""


def named_places(names: Sequence[str]) -> tuple[tuple[float, str], ...]:
    """Return the places and names of an axis over things in an order, at equal steps from the first.

    >>> named_places(["a", "b"]), [place for place, _ in named_places("abcdefgh")]
    (((1.0, 'a'), (2.0, 'b')), [1.0, 4.0, 7.0])
    """
    count = len(names)
    places = range(0, count, max(1, -(-(count - 1) // (MOST_NAMED - 1))))
    return tuple((k + 1.0, clean(names[k])) for k in places)


def round_numbers(low: float, high: float, most: int) -> list[float]:
    """At most so many round numbers from low to high, 1, 2 or 5 times a power of ten apart; four or more are allowed.

    Where the two ends are neighbours among the numbers of a computer, none between them is round: the ends themselves.

    >>> round_numbers(0.0, 1.0, 6), round_numbers(-3.0, 41.0, 6)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 10.0, 20.0, 30.0, 40.0])
    """
    if not high > low:
        return [low]
    if not isfinite(high - low):
        return [10 * each for each in round_numbers(low / 10, high / 10, most)]
    finest = max((high - low) / most, float(np.spacing(max(abs(low), abs(high)))))
    power = floor(log10(finest))
    steps = (float(f"{m}e{power + p}") for p in (0, 1, 2) for m in (1, 2, 5))
    step, first, last = next(
        (unit, first, last)
        for unit, first, last in (
            (unit, np.ceil(low / unit - 1e-9), np.floor(high / unit + 1e-9)) for unit in steps if unit > 0
        )
        if last - first < most
    )
    decimals = -floor(log10(step) + 1e-9)
    numbers = {round(float(k * step), decimals) + 0.0 for k in np.arange(first, last + 1)}
    room = 1e-6 * step
    return sorted(each for each in numbers if low - room <= each <= high + room) or [low, high]


def marks_of(low: float, high: float, most: int) -> tuple[tuple[float, str], ...]:
    """Return the round numbers from low to high with their texts, of as many digits as it takes to tell them apart.

    >>> marks_of(0.0, 2e4, 4), marks_of(1e6, 1e6 + 1e-3, 4)[1]
    (((0.0, '0'), (10000.0, '10,000'), (20000.0, '20,000')), (1000000.0005, '1,000,000.0005'))
    """
    numbers = round_numbers(low, high, most)
    nearest = min((b - a for a, b in pairwise(numbers)), default=high - low if high > low else inf)
    digits = next(
        (
            k
            for k in range(10, 17)
            if all(abs(float(f"{each:.{k}g}") - each) < 1e-3 * nearest for each in numbers)
        ),
        17,
    )
    return tuple((each, f"{each:,.{digits}g}") for each in numbers)


def lone(x: Array, y: Array) -> Array:
    """Return which points have none beside them to draw a line to: NaN, infinity or the end on both sides.

    >>> lone(np.arange(4.0), np.array([1.0, np.nan, 2.0, 3.0])).tolist()
    [True, False, False, False]
    """
    known = np.pad(np.isfinite(x) & np.isfinite(y), 1)
    return np.asarray(known[1:-1] & ~known[:-2] & ~known[2:])


TICKS = (1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999, 0.9999)
"""Shares marked on an axis of normal quantiles."""

WIDTHS = {"screen": None, "one column": 3.5, "two columns": 7.2}
"""Inches of new axes: journals have columns of 89 and 183 mm."""


def inches(width: str) -> float | None:
    """Return how wide new axes are, None where they are for a screen. Raises InputError for another word."""
    check_word("width", width, tuple(WIDTHS))
    return WIDTHS[width]


def look_of(name: str) -> CurveStyle:
    """Return the look of a picture; as far as the curves reach, where the name is new."""
    known = CURVES.get(name)
    return CurveStyle() if known is None else known.look


def y_range(look: CurveStyle, curves: Sequence[Curve]) -> tuple[float, float] | None:
    """Return the range of y, where the look fixes one: at least partly by the curves' greatest height."""
    if look.y is not None:
        lowest = min((float(curve.y[np.isfinite(curve.y)].min(initial=0.0)) for curve in curves), default=0.0)
        return (max(lowest, -1.0), look.y[1]) if lowest < -0.05 else look.y
    if not look.y_from_zero and look.floor is None:
        return None
    heights = [each for curve in curves for each in (curve.y, curve.high) if each is not None]
    top = max((float(each[np.isfinite(each)].max(initial=0.0)) for each in heights), default=0.0)
    return (-(look.floor or 0.0) * top, 1.05 * top) if top > 0 else None


def starts_at(look: CurveStyle, curve: Curve) -> Curve:
    """Return a curve whose steps hold back to the left end of the axis, with a point there.

    Points on that end have no step that they are the height of: they would be a line up and down the axis, as that of
    precision where the highest scores are those of negatives.
    """
    if curve.kind != "steps_back" or look.x is None or not (beyond := curve.x > look.x[0]).any():
        return curve
    start = int(beyond.argmax())
    if not isfinite(curve.y[start]):
        return curve
    first = curve.take(np.concatenate([[start], np.arange(start, curve.x.size)]))
    first.x[0] = look.x[0]
    return first


def quantile_edge(curves: Sequence[Curve]) -> float:
    """Return how near to 0 and 1 an axis of normal quantiles must reach to show every share between, or 0.05."""
    shares = [
        values
        for curve in curves
        for values, scale in ((curve.x, curve.x_scale), (curve.y, curve.y_scale))
        if scale == "normal"
    ]
    inside = [np.minimum(each, 1 - each)[(each > 0) & (each < 1)] for each in shares]
    return float(max(min([0.05, *(0.7 * each.min(initial=0.05) for each in inside)]), TICKS[0]))


def deviates(shares: NDArray[np.float64], edge: float) -> NDArray[np.float64]:
    """Normal quantiles of shares, those nearer to 0 or 1 than `edge` put on the edge."""
    from scipy.special import ndtri

    return np.asarray(ndtri(np.clip(shares, edge, 1 - edge)))


def on_scale(values: NDArray[np.float64], scale: str, edge: float) -> NDArray[np.float64]:
    """Return where values stand on the scale of an axis."""
    return deviates(values, edge) if scale == "normal" else values


def ticks(scale: Scale, edge: float) -> tuple[list[float], list[str]] | None:
    """Places and texts of the marks of an axis of normal quantiles."""
    if scale != "normal":
        return None
    shown = [each for each in TICKS if edge <= each <= 1 - edge]
    return deviates(np.array(shown), edge).tolist(), [f"{100 * each:.6g}%" for each in shown]


LETTER, HIGH = 6.1, 12.0
"""Width of a letter and height of a line, with a little room."""
PLACES = (0.5, 0.35, 0.65, 0.2, 0.8, 0.08, 0.92, 0.43, 0.57, 0.28, 0.72, 0.14, 0.86, 0.04, 0.97)
"""Shares of the way along a line at which its name may stand, the best first."""
STEP = 4.0
"""Distance of the points by which a line is known."""
LINES = ("line", "steps", "steps_back")
MOST = 5
"""Names beyond which a list is easier to read."""
MOVED = "this threshold"
"""How the name of a line begins that a script moves."""


@dataclass(frozen=True)
class Name:
    """A name, the marks it is of, and where its text starts or ends, or has its middle."""

    text: str
    marks: Marks
    x: float
    y: float
    anchor: str


def names_of(picture: Picture, frame: Frame) -> list[Name]:
    """Return a name beside each line, clear of all lines and of each other; none where one finds no room."""
    named = [marks for marks in picture.marks if marks.form != "area"][: len(picture.legend)]
    wanted = [
        (text, marks)
        for text, marks in zip(picture.legend, named, strict=False)
        if marks.form != "mark" and text != picture.title
    ]
    if not 0 < len(wanted) <= MOST or picture.rows:
        return []
    if any(marks.form not in LINES or text.startswith(MOVED) for text, marks in wanted):
        return []
    lines = [_along(marks, frame) for marks in picture.marks if marks.form in LINES]
    around = np.concatenate(lines) if lines else np.empty((0, 2))
    rings = [_rings(marks, frame) for marks in picture.marks if marks.form == "mark"]
    taken, names = np.concatenate([around, *rings]), []
    for text, marks in sorted(wanted, key=lambda one: one[1].rank == REFERENCE):
        line, others = _along(marks, frame), [other for other in wanted if other[1] is not marks]
        other_lines = [_along(other, frame) for _, other in others]
        free = _free(text, line, taken, frame)
        place = next((one for one in free if _is_nearest(one[3], line, other_lines)), None)
        if place is None:
            return []
        x, y, anchor, box = place
        names.append(Name(text, marks, x, y, anchor))
        across, down = np.meshgrid(np.linspace(box[0], box[2], 9), np.linspace(box[1], box[3], 4))
        taken = np.concatenate([taken, np.c_[across.ravel(), down.ravel()]])
    return names


NEARER = 2.0
"""How much nearer a name is to its own line than to any other, so that nobody takes it for that of another."""


def _is_nearest(box: tuple[float, ...], line: Array, others: Sequence[Array]) -> bool:
    return all(_distance(box, line) + NEARER <= _distance(box, each) for each in others)


def _distance(box: tuple[float, ...], points: Array) -> float:
    """From a box of text to the nearest of some points."""
    across = np.maximum(np.maximum(box[0] - points[:, 0], points[:, 0] - box[2]), 0)
    down = np.maximum(np.maximum(box[1] - points[:, 1], points[:, 1] - box[3]), 0)
    return float(np.hypot(across, down).min(initial=np.inf))


def _rings(marks: Marks, frame: Frame) -> Array:
    x, y = frame.x.place(marks.x), frame.y.place(marks.y)
    return np.concatenate([np.c_[x + dx, y + dy] for dx in (-4, 0, 4) for dy in (-4, 0, 4)])


def _along(marks: Marks, frame: Frame) -> Array:
    """Points along a line inside the frame, in the picture."""
    x, y = (np.asarray(each, float) for each in (frame.x.place(marks.x), frame.y.place(marks.y)))
    if marks.form == "steps":
        x, y = np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
    elif marks.form == "steps_back":
        x, y = np.repeat(x, 2)[:-1], np.repeat(y, 2)[1:]
    with np.errstate(invalid="ignore"):
        length = np.hypot(np.diff(x), np.diff(y))
    known = np.flatnonzero(np.isfinite(length) & (length > 0))
    if not known.size:
        return np.empty((0, 2))
    spacing = np.maximum(STEP / length[known], 1e-3)
    count = np.ceil(1 / spacing).astype(np.int64)
    first = np.repeat(np.cumsum(count) - count, count)
    share = (np.arange(count.sum()) - first) * np.repeat(spacing, count)
    at = np.repeat(known, count)
    points = np.c_[x[at] + share * (x[at + 1] - x[at]), y[at] + share * (y[at + 1] - y[at])]
    inside = (points[:, 0] >= frame.x.start - 1) & (points[:, 0] <= frame.x.end + 1)
    inside &= (points[:, 1] >= frame.y.end - 1) & (points[:, 1] <= frame.y.start + 1)
    points = np.asarray(points[inside])
    return points[:: max(1, len(points) // 400)]


def _free(
    text: str, along: Array, taken: Array, frame: Frame
) -> Iterator[tuple[float, float, str, tuple[float, ...]]]:
    """Yield the places beside a line where its name covers nothing."""
    wide = LETTER * len(text)
    for share in PLACES:
        if not len(along):
            return
        x, y = along[min(int(share * len(along)), len(along) - 1)]
        for anchor, left, base in (
            ("start", x + 6, y + 4 + HIGH / 2),
            ("start", x + 6, y - 5),
            ("end", x - 6 - wide, y - 5),
            ("end", x - 6 - wide, y + 4 + HIGH / 2),
            ("middle", x - wide / 2, y - 6),
            ("middle", x - wide / 2, y + HIGH + 3),
        ):
            box = (left, base - HIGH + 2, left + wide, base + 3)
            if (
                box[0] < frame.x.start + 2
                or box[2] > frame.x.end
                or box[1] < frame.y.end
                or box[3] > frame.y.start
            ):
                continue
            covered = (taken[:, 0] > box[0] - 2) & (taken[:, 0] < box[2] + 2)
            covered &= (taken[:, 1] > box[1]) & (taken[:, 1] < box[3])
            if not covered.any():
                at = {"start": left, "end": left + wide, "middle": left + wide / 2}[anchor]
                yield at, base, anchor, box
