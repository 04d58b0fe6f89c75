"""The section of trends over shards."""

from __future__ import annotations

from classay.assessment.judgement.words import quote
from classay.assessment.slices.trends import Trends
from classay.measures import get
from classay.report.document import Cell, Column, Difference, Label, Method, Section, Table

FEW = 6
"""Files below which a trend is hardly ever found."""


def section_of(trends: Trends) -> Section:
    """How much each measure changes from one file to the next."""
    rows: list[tuple[Cell, ...]] = [
        (Label(get(name).title, name), Difference(change), Method(change))
        for name, change in trends.changes.items()
    ]
    first, last = (quote(trends.shards[at]) for at in (0, -1))
    note = (
        f"{len(trends.shards)} files in the order given, from {first} to {last}; a trend is the change from one file "
        "to the next, and its interval speaks of files like these."
    )
    if len(trends.shards) < FEW:
        note += (
            f" With {len(trends.shards)} files it is wide whatever happened (t of {len(trends.shards) - 2} df): "
            "--apart compares each file with the others."
        )
    columns = (Column("", Label), Column("change a file", Difference), Column("method", Method))
    return Section("Trends", (Table(columns, tuple(rows), note=note),))
