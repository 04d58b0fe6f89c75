"""Picture: marks between two axes, as every kind of result makes them, before they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Form = Literal["line", "steps", "steps_back", "dots", "specks", "diamonds", "bars", "area"]
REFERENCE = -1
"""The rank of what others are compared with: a quiet, dashed line, or a hollow mark."""


@dataclass(frozen=True, eq=False)
class Marks:
    """Marks of one series.

    `x` and `y`, `(points,)`, are places on the axes; a NaN interrupts a line. `form` is "line", "steps" (a height holds
    to the next point), "steps_back", "dots", "specks" (small and faint), "diamonds", "bars" (x are left edges, `width`
    that of a bar) or "area" (an outline). `low` and `high` are the ends of a line across each dot. `rank` chooses the
    colour. `said` is what to read where it is pointed at, with {x} and {y} for the numbers of the point and {text} for
    its own of the `texts`; nothing where it is "".
    """

    form: Form
    x: Array
    y: Array
    name: str = ""
    rank: int = 0
    said: str = ""
    texts: Sequence[str] = ()
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
    to 1 and are of one length.
    """

    title: str
    marks: tuple[Marks, ...]
    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    note: str = ""
    legend: tuple[str, ...] = ()
    is_square: bool = False
    rows: tuple[str, ...] = ()


def round_numbers(low: float, high: float, most: int) -> list[float]:
    """At most so many round numbers from low to high, 1, 2 or 5 times a power of ten apart.

    >>> round_numbers(0.0, 1.0, 6), round_numbers(-3.0, 41.0, 6)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 10.0, 20.0, 30.0, 40.0])
    """
    if not high > low:
        return [low]
    power = np.floor(np.log10((high - low) / most))
    step = next(
        each
        for each in (m * 10.0 ** (power + p) for p in (0, 1) for m in (1, 2, 5))
        if (high - low) / each <= most
    )
    first, last = np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9)
    return [float(f"{k * step:.12g}") + 0.0 for k in np.arange(first, last + 1)]
