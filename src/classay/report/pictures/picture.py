"""Picture: marks between two axes, as every kind of result makes them, before they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import floor, inf, isfinite, log10
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

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
    to 1 and are of one length. `name` is that of its curves.
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
        (each, first, last)
        for each, first, last in (
            (each, np.ceil(low / each - 1e-9), np.floor(high / each + 1e-9)) for each in steps if each > 0
        )
        if last - first < most
    )
    decimals = -floor(log10(step) + 1e-9)
    found = {round(float(k * step), decimals) + 0.0 for k in np.arange(first, last + 1)}
    room = 1e-6 * step
    return sorted(each for each in found if low - room <= each <= high + room) or [low, high]


def marks_of(low: float, high: float, most: int) -> tuple[tuple[float, str], ...]:
    """The round numbers from low to high with their texts, of as many digits as it takes to tell them apart.

    >>> marks_of(0.0, 2e4, 4), marks_of(1e6, 1e6 + 1e-3, 4)[1]
    (((0.0, '0'), (10000.0, '10,000'), (20000.0, '20,000')), (1000000.0005, '1,000,000.0005'))
    """
    found = round_numbers(low, high, most)
    nearest = min((b - a for a, b in pairwise(found)), default=high - low if high > low else inf)
    digits = next(
        (
            k
            for k in range(10, 17)
            if all(abs(float(f"{each:.{k}g}") - each) < 1e-3 * nearest for each in found)
        ),
        17,
    )
    return tuple((each, f"{each:,.{digits}g}") for each in found)


def lone(x: Array, y: Array) -> Array:
    """Which points have none beside them to draw a line to: NaN, infinity or the end on both sides.

    >>> lone(np.arange(4.0), np.array([1.0, np.nan, 2.0, 3.0])).tolist()
    [True, False, False, False]
    """
    known = np.pad(np.isfinite(x) & np.isfinite(y), 1)
    return np.asarray(known[1:-1] & ~known[:-2] & ~known[2:])
