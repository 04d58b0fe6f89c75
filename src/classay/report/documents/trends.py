"""The section of trends over shards."""

from __future__ import annotations

from classay.assessment.judgement.words import quote
from classay.assessment.slices.trends import Trends
from classay.inference.words import parts, title
from classay.measures import get
from classay.report.document import Cell, Column, Difference, Label, Method, Section, Table
from classay.texts import listed

MOST_SAID = 3
"""Measures that the verdict names."""
FEW = 6
"""Files below which a trend is hardly ever found."""


def verdict_of(trends: Trends) -> tuple[str, ...]:
    """Which measures change from file to file, and how much; or that none is shown to."""
    shown = []
    for name, change in trends.changes.items():
        if change.has_interval and not change.low <= 0 <= change.high:
            value, low, high = (each.removeprefix("-") for each in parts(change))
            least, most = (low, high) if change.low > 0 else (high, low)
            way = "rises" if change.value > 0 else "falls"
            shown.append(f"{title(name)} {way} by {value} a file ({least} to {most})")
    if not shown:
        return ("No measure is shown to rise or fall from file to file.",)
    more = len(shown) - MOST_SAID
    told = [*shown[:MOST_SAID], *([f"{more} more measures change, see below"] if more > 0 else [])]
    return (f"In the order of the files {listed(told)}.",)


def section_of(trends: Trends) -> Section:
    """How much each measure changes from one file to the next."""
    rows: list[tuple[Cell, ...]] = [
        (Label(get(name).title, name), Difference(change), Method(change))
        for name, change in trends.changes.items()
    ]
    first, last = (quote(trends.shards[at]) for at in (0, -1))
    note = (
        f"{len(trends.shards)} files in the order given, from {first} to {last}; a trend is the change from one file "
        "to the next. Its interval accounts for how files differ, not for the cases of each file alone."
    )
    if len(trends.shards) < FEW:
        note += (
            f" With {len(trends.shards)} files it is wide whatever happened (t of {len(trends.shards) - 2} df): "
            "--apart compares each file with the others."
        )
    columns = (Column("", Label), Column("change a file", Difference), Column("method", Method))
    return Section("Trends", (Table(columns, tuple(rows), note=note),))
