"""The section of trends over shards."""

from __future__ import annotations

from collections.abc import Sequence

from classay.assessment.slices.trends import Trends
from classay.inference.words import spoken
from classay.measures import get
from classay.report.document import (
    Cell,
    Column,
    Count,
    Difference,
    Label,
    Method,
    PValue,
    Section,
    Table,
    Value,
)
from classay.texts import quote

FEW = 6
"""Files below which a trend is hardly ever found."""
ABREAST = 3
"""Measures in one table of values, as many as a narrow window shows."""
MOST_SHOWN = 200
"""Files up to which the values of all are shown; of more, those of the last."""


def section_of(trends: Trends) -> Section:
    """How much each measure changes from one file to the next, and its value in each file."""
    reasons = any(not change.has_interval for change in trends.changes.values())
    rows: list[tuple[Cell, ...]] = [
        (
            Label(get(name).title, name),
            Difference(change),
            PValue(trends.p_adjusted[name]),
            *((Method(change),) if reasons else ()),
        )
        for name, change in trends.changes.items()
    ]
    first, last = (quote(trends.shards[at]) for at in (0, -1))
    count, by = len(trends.shards), trends.period
    note = (
        f"{count} {by}s in the order given, from {first} to {last}. A trend is the slope of a line through the values, "
        f"weighted by cases. Its interval and p rest on {_basis(trends)}."
    )
    if count < FEW and trends.basis == "periods":
        note += f" With {count} {by}s it is wide whatever happened"
        note += ": --apart compares each file with the others." if by == "file" else "."
    if trends.family > 1:
        note += f" p is adjusted by Holm for {trends.family} measures; the intervals are those of each taken alone."
    columns = (
        Column("", Label),
        Column(f"change a {by}", Difference),
        Column("adjusted p" if trends.family > 1 else "p", PValue),
        *((Column("method", Method),) if reasons else ()),
    )
    names = [*trends.values]
    tables = (_values(trends, names[at : at + ABREAST]) for at in range(0, len(names), ABREAST))
    return Section("Trends", (Table(columns, tuple(rows), note=note), *tables))


def _basis(trends: Trends) -> str:
    if trends.basis == "cases":
        return f"the cases of each {trends.period}, as those of the differences do"
    return f"how the {trends.period}s scatter about the line (t of {len(trends.shards) - 2} df)"


def _values(trends: Trends, names: Sequence[str]) -> Table:
    """The values of some measures in each file, without intervals, which the JSON has."""
    kept = range(len(trends.shards))[-MOST_SHOWN:]
    rows: list[tuple[Cell, ...]] = [
        (
            Label(str(trends.shards[at])),
            Count(trends.cases[at]),
            *(Value(trends.values[name][at]) for name in names),
        )
        for at in kept
    ]
    columns = (
        Column(trends.period, Label),
        Column("cases", Count),
        *(Column(spoken(name), Value) for name in names),
    )
    some = f"The last {len(kept)} are shown." if len(kept) < len(trends.shards) else ""
    return Table(columns, tuple(rows), f"Values in each {trends.period}", note=some)
