"""What a decision does in each period: a section of its report."""

from __future__ import annotations

from classay.over_time.courses import OverTime
from classay.report.document import Cell, Column, Count, EstimateCell, Label, Prose, Section, Table, Words
from classay.report.words import signed_interval, signed_value, with_limits


def section_of(time: OverTime) -> Section:
    """Return the periods, and what their trend shows."""
    return Section(f"By {time.per}", (_periods(time), *([Prose(time.sentence)] if time.sentence else [])))


def _periods(time: OverTime) -> Table:
    """Return each period with its cases, those called, whether the capacity sufficed, and the objective."""
    has_capacity = time.capacity is not None
    rows: list[tuple[Cell, ...]] = []
    for span in time.periods:
        cells: list[Cell] = [Label(span.name), Count(span.cases), Count(span.ripe), Count(span.called)]
        if has_capacity:
            cells.append(Words("yes" if span.met else "no", "good" if span.met else "bad"))
        rows.append((*cells, EstimateCell(span.value)))
    columns = [
        Column(time.per, Label),
        Column("cases", Count, 2),
        Column("ripe", Count, 3),
        Column("called", Count),
    ]
    if has_capacity:
        columns.append(Column("capacity met", Words))
    trend = time.trend
    method = f", {trend.method}" if trend.has_interval else ""
    foot = f"Trend per {time.per}: {with_limits(signed_value(trend), signed_interval(trend))}{method}."
    if trend.is_undefined:
        foot = f"No trend was estimated: {trend.reason}."
    return Table((*columns, Column(time.objective, EstimateCell)), tuple(rows), foot=foot)
