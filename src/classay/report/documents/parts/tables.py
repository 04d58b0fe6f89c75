"""Tables that several documents share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from classay.inference.estimate import Estimate
from classay.measures import get
from classay.report.document import Bar, Cell, Column, Found, Label, Method, Scale, Table, Value

UNIT = (0.0, 1.0)
BARS = 9
"""Bars go first where a window is narrow."""


def of_measures(
    found: Iterable[tuple[str, Estimate]], note: str = "", *, main: int = 0, foot: str = ""
) -> Table:
    """Measures by their canonical names, one below the other: value, interval, bar, method.

    `main` is how many of them a page shows before it is asked for the others, 0 for all.
    """
    rows = [(Label(get(name).title, name), each, bar(each, get(name).bounds)) for name, each in found]
    return Table(
        (Column("", Label), Column("value", Found), Column("", Bar, BARS), Column("method", Method)),
        tuple((label, Found(each), drawn, Method(each)) for label, each, drawn in rows),
        note=note,
        foot=foot,
        scale=Scale(),
        main=main if main < len(rows) else 0,
    )


def of_models(measure: str, found: Sequence[tuple[str, Estimate, Estimate | None]], note: str = "") -> Table:
    """One measure of several models, each with its value on the training cases, None where there is none."""
    bounds = get(measure).bounds
    return Table(
        (
            Column("model", Label),
            Column("value", Found),
            Column("", Bar, BARS),
            Column("training", Value, 3),
            Column("method", Method),
        ),
        tuple(
            (
                Label(model),
                Found(each),
                bar(each, bounds),
                None if seen is None else Value(seen),
                Method(each),
            )
            for model, each, seen in found
        ),
        note=note,
        scale=Scale(),
    )


def bar(found: Estimate, bounds: tuple[float, float]) -> Cell:
    """The bar of an estimate, or none: all bars of a table share the scale from 0 to 1, the measure's whole range."""
    return Bar(found.low, found.value, found.high) if bounds == UNIT and found.has_interval else None
