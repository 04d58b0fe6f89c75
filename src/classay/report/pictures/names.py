"""Names beside the lines of a picture: where each stands, as far as there is room for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classay.report.pictures.picture import REFERENCE, Marks, Picture

if TYPE_CHECKING:
    from classay.report.pictures.svg import Frame

Array = NDArray[Any]
LETTER, HIGH = 6.1, 12.0
"""Width of a letter and height of a line, with a little room."""
PLACES = (0.5, 0.35, 0.65, 0.2, 0.8, 0.08, 0.92)
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
    """A name beside each line, clear of all lines and of each other; none where one finds no room."""
    named = [each for each in picture.marks if each.form != "area"][: len(picture.legend)]
    wanted = [
        (text, each)
        for text, each in zip(picture.legend, named, strict=False)
        if each.form != "mark" and text != picture.title
    ]
    if not 0 < len(wanted) <= MOST or picture.rows:
        return []
    if any(each.form not in LINES or text.startswith(MOVED) for text, each in wanted):
        return []
    lines = [_along(each, frame) for each in picture.marks if each.form in LINES]
    around = np.concatenate(lines) if lines else np.empty((0, 2))
    rings = [_rings(each, frame) for each in picture.marks if each.form == "mark"]
    taken, found = np.concatenate([around, *rings]), []
    for text, each in sorted(wanted, key=lambda one: one[1].rank == REFERENCE):
        place = next(_free(text, _along(each, frame), taken, frame), None)
        if place is None:
            return []
        x, y, anchor, box = place
        found.append(Name(text, each, x, y, anchor))
        across, down = np.meshgrid(np.linspace(box[0], box[2], 9), np.linspace(box[1], box[3], 4))
        taken = np.concatenate([taken, np.c_[across.ravel(), down.ravel()]])
    return found


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
    apart = np.maximum(STEP / length[known], 1e-3)
    count = np.ceil(1 / apart).astype(np.int64)
    first = np.repeat(np.cumsum(count) - count, count)
    share = (np.arange(count.sum()) - first) * np.repeat(apart, count)
    at = np.repeat(known, count)
    points = np.c_[x[at] + share * (x[at + 1] - x[at]), y[at] + share * (y[at + 1] - y[at])]
    inside = (points[:, 0] >= frame.x.start - 1) & (points[:, 0] <= frame.x.end + 1)
    inside &= (points[:, 1] >= frame.y.end - 1) & (points[:, 1] <= frame.y.start + 1)
    points = points[inside]
    return points[:: max(1, len(points) // 400)]


def _free(
    text: str, along: Array, taken: Array, frame: Frame
) -> Iterator[tuple[float, float, str, tuple[float, ...]]]:
    """The places beside a line where its name covers nothing."""
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
