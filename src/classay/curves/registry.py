"""The registry of curves: how a table gives each, what it is compared with, what it needs, and how it looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

from classay.curves.curve import Curve
from classay.errors import InputError, nearest
from classay.tables import ScoreTable

Needs = Literal["both classes", "probabilities", "scores"]
Curves = Curve | tuple[Curve, ...]
F = TypeVar("F", bound=Callable[..., Curves])
UNIT = (0.0, 1.0)


@dataclass(frozen=True)
class Look:
    """Fixed ranges of the axes (None: as far as the curves reach), and the name of the diagonal, if any.

    `square` pictures have axes of one scale. `y_from_zero` starts y at zero; `floor` leaves out what lies
    further below zero than this share of the greatest height.
    """

    x: tuple[float, float] | None = None
    y: tuple[float, float] | None = None
    square: bool = False
    diagonal: str = ""
    y_from_zero: bool = False
    floor: float | None = None


@dataclass(frozen=True)
class Entry:
    """All that is known of a curve.

    `made` gives the main curve first; `thins` says whether a thinned table shows it nearly as well; `no_band` why a
    bootstrap band around it would say nothing.
    """

    title: str
    made: Callable[[ScoreTable], Curves]
    references: Callable[[ScoreTable], tuple[Curve, ...]]
    needs: Needs
    thins: bool
    look: Look
    no_band: str

    def curves(self, table: ScoreTable) -> tuple[Curve, ...]:
        """The curves of the picture, the main one first."""
        made = self.made(table)
        return (made,) if isinstance(made, Curve) else made

    def why_not(self, table: ScoreTable) -> str | None:
        """Why a table has no such curve, or None."""
        if self.needs == "both classes" and not (table.n_positive and table.n_negative):
            return f"all cases are {'positive' if table.n_positive else 'negative'}: it needs both classes"
        if self.needs == "probabilities" and not table.are_probabilities:
            return "the scores do not all lie in [0, 1], and it needs probabilities"
        return None


CURVES: dict[str, Entry] = {}
"""By the name of their picture."""
PAGE = (
    "roc",
    "precision_recall",
    "calibration",
    "histogram",
    "cumulative_gain",
    "lift",
    "cost",
    "net_benefit",
    "precision_recall_gain",
    "det",
    "ks",
    "brier",
    "risk_coverage",
)
"""The curves that pages and files hold, in the order in which people look at them; the others are made on request."""


def curve(
    title: str,
    *,
    name: str = "",
    references: Callable[[ScoreTable], tuple[Curve, ...]] = lambda table: (),
    needs: Needs = "both classes",
    thins: bool = True,
    look: Look | None = None,
    no_band: str = "",
) -> Callable[[F], F]:
    """Register a function of a score table as a curve, under its own name or another; it stays what it is."""

    def register(function: F) -> F:
        key = name or function.__name__
        if key in CURVES:
            raise InputError(f"a curve named {key!r} exists already.")
        CURVES[key] = Entry(title, function, references, needs, thins, look or Look(), no_band)
        return function

    return register


def entry(name: str) -> Entry:
    """The entry of a curve; InputError hints at the nearest name."""
    if name not in CURVES:
        near = nearest(name, CURVES) or "."
        raise InputError(f"no curve is named {name!r}{near} There are {', '.join(CURVES)}.")
    return CURVES[name]
