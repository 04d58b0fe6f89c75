"""Segments in which a model is surely worst: document and JSON (docs/segments.schema.json)."""

from __future__ import annotations

from dataclasses import replace
from math import ceil, floor, isfinite
from typing import Any

from classay.assessment.segments import FEWEST, Segments
from classay.comparison.named_tests import REFERENCES
from classay.inference.estimate import Estimate, title
from classay.report.document import (
    AxisScale,
    Bar,
    Cell,
    Column,
    Count,
    Document,
    Label,
    Prose,
    PValue,
    Section,
    Table,
    Value,
    Words,
)
from classay.report.results.parts import BARS, head, of_estimate, plain
from classay.texts import listed, quote

MOST_SHOWN = 10
"""Segments that the report shows; the frame and the JSON have 50."""


def document_of(s: Segments) -> Document:
    """The segments with the smallest p-values, and what was looked through."""
    two = len(s.models) == 2
    facts = [
        *((("models", ", ".join(s.models)),) if two else ()),
        ("cases", f"{s.cases:,}"),
        ("measure", title(s.measure)),
        ("columns", listed([quote(name) for name in s.columns])),
        ("segments tested", f"{s.listed:,}"),
        ("level", f"{100 * s.level:g} %"),
    ]
    sections = (
        Section("Segments, the least likely by chance first", (_table(s),)),
        Section("What was tested", (Prose(tested(s)),)),
    )
    where = f"{s.models[0]} is worst beside {s.models[1]}" if two else "the model is worst"
    return Document(
        f"Where {where}",
        tuple(facts),
        tuple(filter(None, (s.sentence, s.unsearched))),
        sections,
        sources=(s.reference, *((REFERENCES["tango1998"],) if two else ())),
    )


def tested(s: Segments) -> str:
    """What makes a segment, how it was tested, and for how many p and intervals hold."""
    small = f" {s.small:,} smaller ones were not tested." if s.small else ""
    how = f"{s.test} ({s.reference})"
    return (
        f"Every value of a column, and every pair of values of two columns, with {FEWEST} cases or more is a "
        f"segment.{small} Each was tested on all cases by {how}; p-values are adjusted by Holm for all "
        f"{s.listed:,} segments, and each upper limit holds for all of them at once, so that the worst may be picked."
    )


def _table(s: Segments) -> Table:
    two = len(s.models) == 2
    rows: list[tuple[Cell, ...]] = [
        (
            Label(str(one.group), whole=True),
            Count(float(one.cases)),
            Value(one.value),
            Value(replace(one.value, value=one.value.high)),
            Bar(one.value.value, one.value.value, one.value.high),
            Value(Estimate.bare(one.elsewhere, "")),
            PValue(one.p_adjusted),
            Words("worse", "bad") if one in s.shown else Words("open", "quiet"),
        )
        for one in s.each[:MOST_SHOWN]
    ]
    columns = (
        Column("segment", Label),
        Column("cases", Count),
        Column("difference" if two else "value", Value),
        Column("at most", Value),
        Column("", Bar, BARS),
        Column("elsewhere", Value, 1),
        Column("adjusted p", PValue),
        Column("finding", Words, 2),
    )
    less = f": {s.models[0]} less {s.models[1]}" if two else ""
    return Table(
        columns,
        tuple(rows),
        f"{title(s.measure)[:1].upper()}{title(s.measure)[1:]}{less}",
        f"all cases {s.overall:.3f}",
        scale=_scale(s, rows),
    )


def _scale(s: Segments, rows: list[tuple[Cell, ...]]) -> AxisScale:
    """As wide as the values and their upper limits; the middle line is the value of all cases."""
    bars = [each for row in rows for each in row if isinstance(each, Bar)]
    ends = [s.overall, *(end for each in bars for end in (each.at, each.high) if isfinite(end))]
    low, high = floor(10 * min(ends)) / 10, ceil(10 * max(ends)) / 10
    return AxisScale(low, high if high > low else low + 0.1, s.overall)


SCHEMA = 1


def as_dict(s: Segments) -> dict[str, Any]:
    """What was looked through, and the segments with the smallest p-values, as plain values."""
    return {
        **head(SCHEMA, "segments"),
        "measure": s.measure,
        "models": list(s.models),
        "level": s.level,
        "cases": s.cases,
        "overall": plain(s.overall),
        "columns": list(s.columns),
        "left_out": dict(s.left_out),
        "listed": s.listed,
        "too_small": s.small,
        "test": s.test,
        "reference": s.reference,
        "segments": [
            {
                "group": str(one.group),
                "columns": list(one.group.columns),
                "values": [plain(each) for each in one.group],
                "cases": one.cases,
                "value": of_estimate(one.value),
                "elsewhere": plain(one.elsewhere),
                "p": one.p,
                "p_adjusted": one.p_adjusted,
            }
            for one in s.each
        ],
        "sentence": s.sentence,
    }
