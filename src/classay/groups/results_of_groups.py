"""One classifier in groups of cases: the given groups, and the segments in which it is surely worst.

Documents and JSON (docs/segments.schema.json).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from classay.report.drawings import Drawing

if TYPE_CHECKING:
    from classay.groups.slices import GroupAssessments

import shlex
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import ceil, floor, isfinite, log10
from typing import Literal

from classay.assessment.finding import Finding, leading, steps_of
from classay.assessment.group_labels import Group
from classay.assessment.headline import findings, warnings_beside
from classay.columns.spelling import groups_alike
from classay.comparison.named_tests import REFERENCES
from classay.groups.compared_groups import GroupDifference
from classay.groups.findings_groups import findings_on_groups
from classay.groups.findings_time import findings_on_trends
from classay.groups.new_group import shown_with
from classay.groups.results_of_trends import of_trends, section_of_trends
from classay.groups.results_of_trends import with_pictures_of_trends as with_trends
from classay.groups.results_shapes import OF_SLICES, SEGMENTS
from classay.groups.segments import FEWEST, Segments
from classay.groups.sentences import (
    PAIR,
    compared_with,
    families,
    family_said,
    how_grouped,
    is_one_pair,
    not_recorded_said,
    uncounted_said,
    untested_said,
    worst_first,
)
from classay.groups.slices import GroupAssessments, positives
from classay.groups.trends import Trends, trends_of
from classay.inference.estimate import Estimate, direction, format_estimate, measure_phrase, title
from classay.inference.phrasing import label_text
from classay.measures import get
from classay.report.built import built
from classay.report.document import (
    COVERS,
    AxisScale,
    Bar,
    Cell,
    Column,
    Count,
    Difference,
    Document,
    EstimateCell,
    Label,
    Prose,
    PValue,
    Section,
    Table,
    Value,
    Words,
)
from classay.report.results.assessments import closing
from classay.report.results.parts import BARS, of_warnings, titled
from classay.report.words import count, interval, value
from classay.texts import clean, hint, listed, quote

Order = Literal["worst first", "as given"]
MOST_SHOWN_OF_SLICES = 100
"""Groups up to which all are shown."""
MOST_ACROSS = 6
"""Groups up to which one table has them as columns."""
WORST = 50
"""Groups that are shown of more than those; the frame and the JSON have all."""


def document_of_slices(s: GroupAssessments) -> Document:
    """Return the document of slices alone: the facts of all cases, and each group against its reference."""
    document = built(s.overall, "document_of")(s.overall, names=())
    kept = tuple(section for section in document.sections if section.title == COVERS)
    slices = s.compare(*s.main_measures)
    trends = trends_of(s, slices)
    known = findings(s.overall, extra=findings_on_slices(s, slices, trends))
    over = () if trends is None else (section_of_trends(trends),)
    of_groups = section_of(s, slices, "worst first" if trends is None else "as given")
    return Document(
        f"{titled('Assessment', s.overall.model)} by {s.by}",
        document.facts,
        tuple(finding.sentence for finding in leading(known)),
        (*over, of_groups, *kept, *closing("", warnings_beside(known, s.warnings), steps_of(known))),
        methods=(*document.methods, *how_grouped(s, slices, trends)),
    )


def findings_on_slices(
    s: GroupAssessments, slices: Sequence[GroupDifference], trends: Trends | None
) -> tuple[Finding, ...]:
    """Return what was found of the groups, and of a trend over them."""
    over = () if trends is None else findings_on_trends(trends)
    return (*findings_on_groups(s, slices), *over)


def with_groups(document: Document, s: GroupAssessments, slices: Sequence[GroupDifference]) -> Document:
    """Return the document of all cases with what was found of the groups, which leads."""
    trends = trends_of(s, slices)
    over = () if trends is None else (section_of_trends(trends),)
    groups = section_of(s, slices, "worst first" if trends is None else "as given")
    return document.led_by(*over, groups)


def page_of_slices(s: GroupAssessments) -> Document:
    """Return the document of a page: groups that are periods as a picture over time."""
    trends = trends_of(s, s.compare(*s.main_measures))
    page = document_of_slices(s)
    return page if trends is None else with_trends(page, trends)


def section_of(
    s: GroupAssessments, slices: Sequence[GroupDifference], order: Order = "worst first"
) -> Section:
    """A table for each measure of what `compare` found; groups that are days or weeks stay in the order given."""
    of_measure: dict[str, list[GroupDifference]] = {}
    for row in slices:
        of_measure.setdefault(row.measure, []).append(row)
    overall = s.overall.estimates(of_measure)
    every = (
        [*s] if is_one_pair(s) else _ordered(of_measure, order)
    )  # the sign of a pair depends on no measure
    shown, new = _shown(of_measure, every), shown_with(s, of_measure)

    def table(name: str, groups: Sequence[Hashable]) -> Table:
        place, rows = {group: k for k, group in enumerate(groups)}, of_measure[name]
        ordered = sorted((row for row in rows if row.group in place), key=lambda row: place[row.group])
        rows = [*ordered, *s.list_not_recorded(rows)]
        return table_of(s, name, rows, overall[name], new[name].sentence if name in new else "")

    def abridged(name: str) -> Table:
        return replace(table(name, shown), complete=partial(table, name, every) if many else None)

    many = (
        f"The table shows {WORST} of {len(s):,} groups, those with the largest deficit in any measure "
        "by the confidence limit of the difference that is closer to 0."
        if len(shown) < len(every)
        else ""
    )
    tables = [abridged(name) for name in of_measure]
    if len(of_measure) > 1 and PAIR <= len(every) <= MOST_ACROSS and order == "worst first":
        tables.insert(0, _across(s, of_measure, overall))
    note = Prose(_note(s, slices, order, shown), "quiet")
    return Section(f"By {s.by}", (note, *tables), is_switched=True, abridged=many)


def _across(
    s: GroupAssessments, of_measure: Mapping[str, Sequence[GroupDifference]], overall: Mapping[str, Estimate]
) -> Table:
    """Return all measures with groups as columns, as a paper has them."""
    groups = [s.overall, *s.values()]
    rows = [("cases", [count(float(one.n)) for one in groups])]
    if s.overall.is_binary and s.overall.kind_of_weight != "sampling":
        rows.append(("positive cases", [count(positives(one)) for one in groups]))
    for name, compared in of_measure.items():
        estimates = {row.group: row.estimate for row in compared}
        rows.append((get(name).title, [_in_one(one) for one in (overall[name], *map(estimates.get, s))]))
    heads = ["all cases", *(clean(str(group)) for group in s)]
    return Table(
        (Column("", Label), *(Column(head, Words) for head in heads)),
        tuple((Label(name, whole=True), *map(Words, texts)) for name, texts in rows),
        "All measures",
        foot=f"Values are followed by their {100 * s.overall.level:g}% CI in brackets.",
        is_for_files=True,
    )


def _in_one(estimate: Estimate | None) -> str:
    """Return a value and its interval as one text."""
    if estimate is None or estimate.is_undefined:
        return "–"
    return f"{value(estimate)} ({interval(estimate)})" if estimate.has_interval else value(estimate)


def table_of(
    s: GroupAssessments, name: str, slices: Sequence[GroupDifference], overall: Estimate, foot: str = ""
) -> Table:
    """Return one measure in all groups."""
    with_positives = s.overall.is_binary and s.overall.kind_of_weight != "sampling"
    rows: list[tuple[Cell, ...]] = []
    for k, row in enumerate(slices):
        is_told = k == 1 and is_one_pair(s)
        group = s.find_assessment(row)
        counts = [Count(float(group.n)), *([Count(positives(group))] if with_positives else [])]
        rows.append(
            (
                Label(str(row.group), whole=isinstance(row.group, Group)),
                *counts,
                EstimateCell(row.estimate),
                bar_of(row.estimate),
                None if is_told else Difference(row.difference),
                None if is_told else PValue(row.p_adjusted),
            )
        )
    columns = [
        Column("group", Label),
        Column("cases", Count),
        *([Column("positive cases", Count, 6)] if with_positives else []),
        Column("value", EstimateCell),
        Column("", Bar, BARS),
        Column("difference", Difference),
        Column("adjusted p" if families(s, slices)[name] > 1 else "p", PValue),
    ]
    lower = ", lower is better" if direction(name) < 0 else ""
    beside = f"all cases {format_estimate(overall)}{lower}"
    scale = scale_of_groups([row.estimate for row in slices], overall.value)
    return Table(tuple(columns), tuple(rows), get(name).title, beside, scale=scale, foot=foot)


def bar_of(estimate: Estimate) -> Bar | None:
    """Return the interval of an estimate to be drawn, if it has one."""
    return Bar(estimate.low, estimate.value, estimate.high) if estimate.has_interval else None


def scale_of_groups(estimates: Sequence[Estimate], middle: float) -> AxisScale:
    """A scale as wide as the intervals of the groups; its middle line, if a number, is the value of all cases."""
    ends = [end for estimate in estimates for end in (estimate.low, estimate.high, middle) if isfinite(end)]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    if high <= low:
        low, high = low - 0.5, high + 0.5
    digits = 1 - floor(log10(high - low))
    low, high = floor(low * 10.0**digits) / 10.0**digits, ceil(high * 10.0**digits) / 10.0**digits
    return AxisScale(low, high, middle if isfinite(middle) else None)


def _ordered(of_measure: Mapping[str, Sequence[GroupDifference]], order: Order) -> list[Hashable]:
    """Return the groups in one order for all measures."""
    rows = next(iter(of_measure.values()), ())
    return [row.group for row in (worst_first(rows) if order == "worst first" else rows)]


def _shown(of_measure: Mapping[str, Sequence[GroupDifference]], every: list[Hashable]) -> list[Hashable]:
    """Return the groups that a report shows: of very many, only those among the worst in any measure."""
    if len(every) <= MOST_SHOWN_OF_SLICES:
        return every
    best: dict[Hashable, int] = {}
    for rows in of_measure.values():
        best |= {row.group: min(k, best.get(row.group, k)) for k, row in enumerate(worst_first(rows))}
    first = [row.group for row in worst_first(next(iter(of_measure.values())))]
    kept = {*sorted(first, key=best.__getitem__)[:WORST]}
    return [group for group in every if group in kept]


def _note(
    s: GroupAssessments, slices: Sequence[GroupDifference], order: Order, shown: Sequence[Hashable]
) -> str:
    family, untested = family_said(s, slices), untested_said(s, slices)
    measures = len({row.measure for row in slices})
    several = f"for the {measures} measures" if measures > 1 else ""
    if family:
        but = f", but not {several}" if several else ""
        adjusted = f" p is adjusted for {family} (Holm){but}. Intervals are not adjusted."
    else:
        adjusted = f" p is not adjusted {several}." if several else ""
    difference = f"group minus {compared_with(s)}"
    if is_one_pair(s) and len(shown) == PAIR:
        difference = " minus ".join(map(label_text, shown))
    first = f"Difference: {difference}. p: two-sided test of no difference.{adjusted}"
    names = list(dict.fromkeys(measure_phrase(row.measure) for row in slices))
    where = f" in {names[0]}" if len(names) > 1 else ""
    limit, end = ("lower", "highest") if slices and direction(slices[0].measure) < 0 else ("upper", "lowest")
    way = (
        f"Groups are sorted by the {limit} limit of the CI of the difference{where}, {end} first."
        if order == "worst first" and len(s) > 2
        else ""
    )
    pooled = "" if s.pooled is None else s.pooled.sentence
    parts = (groups_alike([*s]), pooled, uncounted_said(s), not_recorded_said(s), first, untested, way)
    return " ".join(filter(None, parts))


def as_dict_of_slices(s: GroupAssessments, *names: str) -> dict[str, Any]:
    """Return the named measures of every group, or the main ones, as plain values."""
    slices = s.compare(*(names or s.main_measures))
    trends = trends_of(s, slices)
    over = {} if trends is None else {"trends": of_trends(trends)}
    warned = {"warnings": of_warnings(s.warnings)} if s.warnings else {}
    return of_slices(s, slices) | over | warned


def of_slices(s: GroupAssessments, slices: Sequence[GroupDifference]) -> dict[str, Any]:
    """Return what `GroupAssessments.compare` found, as plain values, group by group."""
    return OF_SLICES.values((s, slices))


MOST_SHOWN_OF_SEGMENTS = 10
"""Segments that the report shows; the frame and the JSON have 50."""


def document_of_segments(s: Segments) -> Document:
    """Return the segments with the smallest p-values, and what was looked through."""
    two = len(s.models) == 2
    facts = [
        *((("models", ", ".join(s.models)),) if two else ()),
        ("cases", f"{s.cases:,}"),
        ("measure", title(s.measure)),
        ("columns", listed([quote(name) for name in s.columns])),
        ("subgroups tested", f"{s.listed:,}"),
        ("confidence level", f"{100 * s.level:g}%"),
    ]
    sections = (
        Section("Subgroups, smallest p first", (_table(s),)),
        Section("What was tested", (Prose(tested(s)),)),
        *closing("", s.warnings, _next_of_segments(s)),
    )
    where = (
        f"Subgroups where {s.models[0]} is worst compared with {s.models[1]}"
        if two
        else "Subgroups where the model is worst"
    )
    return Document(
        where,
        tuple(facts),
        tuple(filter(None, (s.sentence, s.unsearched))),
        sections,
        sources=(s.reference, *((REFERENCES["tango1998"],) if two else ())),
    )


def _next_of_segments(s: Segments) -> Iterator[str]:
    """Yield where to look closer: the columns of the segment that is least likely by chance."""
    if first := s.worst:
        columns = first.group.columns
        names = columns[0] if len(columns) == 1 else [*columns]
        yield hint(
            f"Assess all measures in these groups: `ca.assess_by(…, by={names!r})`.",
            f"Assess all measures in these groups: `classay assess … --by {shlex.quote(','.join(columns))}`.",
        )


def tested(s: Segments) -> str:
    """Return what makes a segment, how it was tested, and for how many p and intervals hold."""
    small = f" {s.small:,} smaller subgroups were not tested." if s.small else ""
    how = f"{s.test} ({s.reference})"
    return (
        f"A subgroup is a value of one column or a pair of values of two columns, with at least {FEWEST} "
        f"cases.{small} All cases were used in every test ({how}). p values are adjusted for all {s.listed:,} "
        "subgroups (Holm), and the upper limits are jointly valid for all subgroups."
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
            Words("worse", "bad") if one in s.shown else Words("inconclusive", "quiet"),
        )
        for one in s.segments[:MOST_SHOWN_OF_SEGMENTS]
    ]
    columns = (
        Column("subgroup", Label),
        Column("cases", Count),
        Column("difference" if two else "value", Value),
        Column("at most", Value),
        Column("", Bar, BARS),
        Column("other cases", Value, 1),
        Column("adjusted p", PValue),
        Column("finding", Words, 2),
    )
    less = f": {s.models[0]} minus {s.models[1]}" if two else ""
    return Table(
        columns,
        tuple(rows),
        f"{title(s.measure)[:1].upper()}{title(s.measure)[1:]}{less}",
        f"all cases {s.overall:.3f}",
        scale=_scale_of_segments(s, rows),
    )


def _scale_of_segments(s: Segments, rows: list[tuple[Cell, ...]]) -> AxisScale:
    """Return a scale as wide as the values and their upper limits; the middle line is the value of all cases."""
    bars = [bar for row in rows for bar in row if isinstance(bar, Bar)]
    ends = [s.overall, *(end for bar in bars for end in (bar.at, bar.high) if isfinite(end))]
    low, high = floor(10 * min(ends)) / 10, ceil(10 * max(ends)) / 10
    return AxisScale(low, high if high > low else low + 0.1, s.overall)


def as_dict_of_segments(s: Segments) -> dict[str, Any]:
    """Return what was looked through, and the segments with the smallest p-values, as plain values."""
    return SEGMENTS.as_dict(s)


def draw_groups(slices: GroupAssessments, ax: Any, shown: Drawing) -> Any:
    """Draw a measure of each group and of all cases."""
    from classay.measures import get
    from classay.report.pictures.curve_pictures import plot_forest

    name = get(shown.measure or slices.main_measures[0]).name
    overall = slices.overall.estimate(name)
    return plot_forest(table_of(slices, name, slices.compare(name), overall), overall, ax)
