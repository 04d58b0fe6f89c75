"""Building the plain tables of slices: choosing and ordering, no computing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from classay.assessment.judgement import quote
from classay.inference.estimate import Estimate
from classay.measures import MEASURES
from classay.report.build import report_of as report_of_assessment
from classay.report.report import ByGroup, Report, SliceRow, SliceTable
from classay.slices import Slice, Slices, positives


def report_of(s: Slices) -> Report:
    """The report of slices alone: the facts of all cases, and each group against its reference."""
    whole = report_of_assessment(s.overall, names=())
    return replace(
        whole,
        title=f"Assessment by {s.by}",
        verdict=(),
        matrix=None,
        groups=(),
        warnings=(),
        next_steps=(),
        by_group=by_group(s, s.compare(*s.main_measures)),
    )


def by_group(s: Slices, found: Sequence[Slice]) -> ByGroup:
    """A table for each measure of what `compare` found."""
    of_measure: dict[str, list[Slice]] = {}
    for each in found:
        of_measure.setdefault(each.measure, []).append(each)
    overall = s.overall.estimates(of_measure)
    tables = tuple(_table(s, name, rows, overall[name]) for name, rows in of_measure.items())
    return ByGroup(f"By {s.by}", _note(s), tables, "adjusted p" if _is_adjusted(s) else "p")


def table_of(s: Slices, name: str) -> SliceTable:
    """One measure in all groups."""
    return by_group(s, s.compare(name)).tables[0]


def _table(s: Slices, name: str, found: list[Slice], overall: Estimate) -> SliceTable:
    measure = MEASURES[name]
    rows = []
    for each in found:
        group = s.groups[each.group]
        known = (
            group.positive is not None and group.kind_of_weight != "sampling"
        )  # weights say no number of cases
        positive = positives(group) if known else None
        rows.append(
            SliceRow(
                str(each.group), float(group.n), positive, each.estimate, each.difference, each.p_adjusted
            )
        )
    return SliceTable(measure.title, name, overall, tuple(rows), measure.bounds)


def _is_adjusted(s: Slices) -> bool:
    """Whether there is more than one test of a measure: two groups differ from each other only once."""
    return len(s) > 2


def _note(s: Slices) -> str:
    compared = "all other groups together" if s.reference is None else f"group {quote(s.reference)}"
    adjusted = " (Holm's adjustment over the groups)" if _is_adjusted(s) else ""
    return f"Difference from {compared}; p: chance of one as large if there is none{adjusted}."
