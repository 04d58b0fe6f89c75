"""The document of one classifier in groups of cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan

from classay.assessment.judgement.words import quote
from classay.assessment.slices.slices import Slice, Slices, positives
from classay.inference.estimate import Estimate
from classay.measures import get
from classay.report.document import (
    Cell,
    Column,
    Count,
    Difference,
    Document,
    Found,
    Label,
    Prose,
    PValue,
    Section,
    Table,
)
from classay.report.documents.assessment import document_of as document_of_assessment
from classay.report.pictures.forest import forest
from classay.report.words import interval, value

MOST_SHOWN = 200
"""Groups up to which all are shown."""
WORST = 50
"""Groups that are shown of more than those; the frame and the JSON have all."""


def document_of(s: Slices) -> Document:
    """The document of slices alone: the facts of all cases, and each group against its reference."""
    whole = document_of_assessment(s.overall, names=())
    kept = tuple(each for each in whole.sections if each.title == "What is random")
    compared = section_of(s, s.compare(*s.main_measures))
    return Document(f"Assessment by {s.by}", whole.facts, (), (compared, *kept), version=whole.version)


def section_of(s: Slices, found: Sequence[Slice]) -> Section:
    """A table for each measure of what `compare` found."""
    of_measure: dict[str, list[Slice]] = {}
    for each in found:
        of_measure.setdefault(each.measure, []).append(each)
    overall = s.overall.estimates(of_measure)
    tables = (table_of(s, name, worst_of(rows), overall[name]) for name, rows in of_measure.items())
    return Section(f"By {s.by}", (Prose(_note(s), "quiet"), *tables))


def table_of(s: Slices, name: str, found: Sequence[Slice], overall: Estimate) -> Table:
    """One measure in all groups."""
    with_positives = s.overall.positive is not None and s.overall.kind_of_weight != "sampling"
    rows: list[tuple[Cell, ...]] = []
    for each in found:
        group = s.groups[each.group]
        counts = [Count(float(group.n)), *([Count(positives(group))] if with_positives else [])]
        rows.append(
            (
                Label(str(each.group)),
                *counts,
                Found(each.estimate),
                Difference(each.difference),
                PValue(each.p_adjusted),
            )
        )
    columns = [
        Column("group", Label),
        Column("cases", Count),
        *([Column("positive", Count, 6)] if with_positives else []),
        Column("value", Found),
        Column("difference", Difference),
        Column("adjusted p" if _is_adjusted(s) else "p", PValue),
    ]
    beside = f"all cases {value(overall)} {interval(overall)}".rstrip()
    made = Table(tuple(columns), tuple(rows), get(name).title, beside)
    return replace(made, picture=forest(made, overall))


def worst_of(found: Sequence[Slice]) -> Sequence[Slice]:
    """All groups; of very many those that are surely the worst.

    They are ordered by how much worse than its reference each is at least, the limit of its difference that is nearer
    to the best value; by the p-value where neither end of the range is best. Groups without a difference come last.
    """
    if len(found) <= MOST_SHOWN:
        return found
    of = get(found[0].measure)
    most = of.bounds[1]

    def rank(each: Slice) -> float:
        if of.best is None or of.best not in of.bounds:
            return each.p
        return each.difference.high if of.best == most else -each.difference.low

    return sorted(found, key=lambda each: (isnan(rank(each)), rank(each)))[:WORST]


def _is_adjusted(s: Slices) -> bool:
    """Whether there is more than one test of a measure: two groups differ from each other only once."""
    return len(s) > 2


def _note(s: Slices) -> str:
    compared = "all other groups together" if s.reference is None else f"group {quote(s.reference)}"
    adjusted = (
        f", adjusted for the {len(s)} groups (Holm); the intervals are those of each group taken alone"
        if _is_adjusted(s)
        else ""
    )
    some = (
        f" Of {len(s):,} groups the {WORST} worst are shown for each measure." if len(s) > MOST_SHOWN else ""
    )
    return f"Difference from {compared}; p: chance of one as large if there is none{adjusted}.{some}"
