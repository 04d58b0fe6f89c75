"""Results over time: trends, breaks and drift over periods. Documents and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite, isnan
from typing import Any

import numpy as np

from classay.assessment.finding import leading, ranked, steps_of, warned
from classay.assessment.main_measures import FEW as FEWEST_CASES
from classay.curves.curve import Curve
from classay.groups.change_points import LargestContrast
from classay.groups.drift import Drift
from classay.groups.findings_time import findings_on_trends
from classay.groups.results_shapes import OF_TRENDS, OVER_PERIODS
from classay.groups.trends import FEWEST, TrendErrors, Trends
from classay.inference.estimate import direction, format_distinct, measure_phrase, number, small, title
from classay.measures import get
from classay.report.document import (
    Cell,
    Column,
    Count,
    Difference,
    Document,
    EstimateCell,
    Figure,
    Figures,
    Label,
    MethodCell,
    PValue,
    Section,
    Table,
    Value,
    Words,
)
from classay.report.results.assessments import closing
from classay.report.results.parts import titled
from classay.texts import listed
from classay.warned import Warned

TRENDS, BREAKS, DRIFT = "Trends", "Largest changes", "Drift"
FEW = 6
"""Files below which a trend is hardly ever found."""
ABREAST = 3
"""Measures in one table of values, as many as a narrow window shows."""
WITH_LIMITS = 12
"""Periods up to which distances are shown with their limits, which take a line more."""
MOST_SHARDS = 200
"""Files up to which the values of all are shown; of more, those of the last."""


def section_of_trends(trends: Trends) -> Section:
    """Return how much each measure changes from one file to the next, and its value in each file."""
    reasons = any(not change.has_interval for change in trends.changes.values())
    by_error = [name for name in trends.changes if name in trends.errors]
    rows: list[tuple[Cell, ...]] = [
        (
            Label(get(name).title, name),
            Difference(change),
            PValue(trends.p_adjusted[name]),
            *(_halves(trends.errors.get(name)) if by_error else ()),
            *((MethodCell(change),) if reasons else ()),
        )
        for name, change in trends.changes.items()
    ]
    count, by = len(trends.shards), trends.period
    note = (
        f"{count} {by}s {_in_order(by)}, from {trends.shards[0]} to {trends.shards[-1]}. The trend is the slope of a "
        f"linear regression of the values on the {by}s. Two CIs are computed: one from the sampling error of every "
        f"{by}, one from the scatter of the {by}s about the line. The CI shown is the wider one."
    )
    if by_error:
        note += " The last two columns give half the width of each."
    note += f"{_excluded(trends, by)} The CI from the scatter uses {_degrees(trends)}."
    if count == FEWEST:
        note += f" With {count} {by}s, only trends of several standard errors are detected"
        note += ". Compare every file with the other files with --apart." if by == "file" else "."
    elif count < FEW:
        note += f" With {count} {by}s, the CI is wide"
        note += ". Compare every file with the other files with --apart." if by == "file" else "."
    if trends.family > 1:
        where = f" in this section and in '{BREAKS}'" if trends.breaks else ""
        note += f" p values{where} are adjusted for {trends.family} measures (Holm). Intervals are not."
    if lower := [title(name) for name in trends.changes if direction(name) < 0]:
        note += f" Lower is better for {listed(lower)}."
    widths = (Column("half-width, sampling", Words), Column("half-width, scatter", Words)) if by_error else ()
    columns = (
        Column("", Label),
        Column(f"change per {trends.step_name}", Difference),
        Column("adjusted p" if trends.family > 1 else "p", PValue),
        *widths,
        *((Column("CI method", MethodCell),) if reasons else ()),
    )
    names = [*trends.values]
    tables = (
        _values(trends, names[at : at + ABREAST], is_continued=at > 0) for at in range(0, len(names), ABREAST)
    )
    covers = (
        f"If the CI of a trend is computed from the scatter of the {by}s, it covers sampling variability and also "
        f"other variation between {by}s."
    )
    return Section(TRENDS, (Table(columns, tuple(rows), note=note), *tables), covers=covers)


def _in_order(by: str) -> str:
    """Return what orders the parts."""
    return {"file": "in order of name", "group": "in the order given"}.get(by, "in order of time")


def _halves(errors: TrendErrors | None) -> tuple[Words | None, Words | None]:
    """Half the width of the interval by either error; nothing where there is no line, or no error of the cases."""
    if errors is None:
        return None, None
    by_cases = None if isnan(errors.cases) else Words(small(errors.cases))
    return by_cases, Words(small(errors.scatter))


def _degrees(trends: Trends) -> str:
    """Return the degrees of freedom of the scatter: periods without a value cost some."""
    df = sorted({each.df for each in trends.errors.values()})
    if not df:
        return "Student's t"
    return (
        f"Student's t with {df[0]} degrees of freedom"
        if len(df) == 1
        else f"Student's t with {df[0]} to {df[-1]} degrees of freedom, depending on the measure"
    )


def _excluded(trends: Trends, by: str) -> str:
    """Return that the lines of some measures have fewer periods than others, and why."""
    if len({each.df for each in trends.errors.values()}) < 2:
        return ""
    return (
        f" The regression of a measure leaves out {by}s with fewer than {FEWEST_CASES} cases that count in it (for "
        "recall, positive cases)."
    )


def _values(trends: Trends, names: Sequence[str], *, is_continued: bool) -> Table:
    """Return the values of some measures in each file, without intervals, which the JSON has."""
    kept = range(len(trends.shards))[-MOST_SHARDS:]
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
        *(Column(measure_phrase(name), Value) for name in names),
    )
    some = f"The table shows the last {len(kept)}." if len(kept) < len(trends.shards) else ""
    title = f"Values by {trends.period}{', continued' if is_continued else ''}"
    return Table(columns, tuple(rows), title, note=some)


def sections_of(trends: Trends) -> tuple[Section, ...]:
    """Trends, breaks, and drift, as far as there are any."""
    sections = [section_of_trends(trends)]
    if trends.breaks:
        sections.append(section_of_breaks(trends))
    if trends.drift is not None:
        sections.append(section_of_drift(trends.drift, trends.period))
    return tuple(sections)


def section_of_breaks(trends: Trends) -> Section:
    """Return where each measure changed, and which period differs most from the others."""
    by = trends.period
    tested = sum(not isnan(p) for p in trends.p_of_breaks.values())
    adjusted = (
        f" p is also adjusted for {tested} measures (Holm)." if tested > 1 and tested != trends.family else ""
    )
    assumed = f" If {by}s also vary for other reasons than sampling, p is too small."
    note = (
        f"For every measure, the {by}s are split into earlier and later ones. The table shows the split with the "
        "largest standardized difference. A gradual "
        "trend also causes such a difference. p and intervals account for the search over all splits."
        f"{adjusted}{assumed}"
    )
    of_p = f" In addition, p is adjusted for {tested} measures. Intervals are not." if tested > 1 else ""
    single = (
        f"The table shows the {by} with the largest standardized difference from all other {by}s. p and intervals "
        f"account for the search over all {by}s.{of_p}"
    )
    return Section(
        BREAKS,
        (
            _changes(
                f"Largest difference between earlier and later {by}s",
                "later part starts",
                ("before", "after"),
                trends.breaks,
                trends.p_of_breaks,
                note,
            ),
            _changes(
                f"Largest difference of one {by} from the others",
                by,
                ("others", f"this {by}"),
                trends.extremes,
                trends.p_of_extremes,
                single,
            ),
        ),
    )


def _changes(
    title: str,
    at: str,
    sides: tuple[str, str],
    changes: Mapping[str, LargestContrast],
    p: Mapping[str, float],
    note: str,
) -> Table:
    reasons = any(not change.difference.has_interval for change in changes.values())
    rows: list[tuple[Cell, ...]] = []
    for name, change in changes.items():
        before, after = ("–", "–") if change.at is None else format_distinct(change.before, change.after)
        rows.append(
            (
                Label(get(name).title, name),
                Words("–" if change.at is None else str(change.at)),
                Words(before),
                Words(after),
                Difference(change.difference),
                PValue(p[name]),
                *((MethodCell(change.difference),) if reasons else ()),
            )
        )
    columns = (
        Column("", Label),
        Column(at, Words),
        Column(sides[0], Words, 3),
        Column(sides[1], Words, 3),
        Column("difference", Difference),
        Column("adjusted p" if len(changes) > 1 else "p", PValue),
        *((Column("CI method", MethodCell, 4),) if reasons else ()),
    )
    return Table(columns, tuple(rows), title, note=note)


def section_of_drift(drift: Drift, by: str) -> Section:
    """Scores or classes of each period against all others, and the shares of two classes."""
    names, some = [*drift.psi], any(drift.unlabelled)
    kept = range(len(drift.periods))[-MOST_SHARDS:]
    kind = EstimateCell if len(kept) <= WITH_LIMITS else Value
    rows: list[tuple[Cell, ...]] = []
    for at in kept:
        row: list[Cell] = [Label(str(drift.periods[at])), Count(drift.cases[at])]
        row += [Count(drift.unlabelled[at])] if some else []
        row += [Value(each[at]) for each in drift.shares.values()]
        for name in names:
            index = drift.psi[name][at]
            limit = drift.usual[name][at]
            row += [
                Words(number(index), value=index),
                Words(number(limit) if isfinite(limit) else "–", value=limit),
            ]
            row += [PValue(drift.p_adjusted[name][at])]
        row += [kind(drift.distance[at])] if drift.distance else []
        rows.append(tuple(row))
    columns = [Column(by, Label), Column("cases", Count, 4)]
    columns += [Column("unlabelled", Count, 2)] if some else []
    columns += [Column(SHARE_HEADS[name], Value, 3) for name in drift.shares]
    for name in names:
        head = "PSI" if len(names) == 1 else f"PSI of {name}"
        columns += [Column(head, Words), Column("PSI limit", Words), Column("χ² test, adjusted p", PValue)]
    columns += [Column("KS distance", kind, 1)] if drift.distance else []
    note = (
        f"The table compares the {' and '.join(names)} of every {by} with those of all other {by}s"
        f"{', including cases without a label' if some else ''}. The population stability index (PSI) compares the "
        f"counts in bins: it is 0 if two distributions are equal. Without drift, the PSI of a {by} exceeds its "
        "PSI limit with probability 5%. The usual cutoffs 0.1 and 0.25 ignore the number of cases. "
        f"p is from Pearson's χ² test of the counts in bins, adjusted for {len(drift.periods)} {by}s (Holm)."
    )
    if drift.distance:
        limits = "" if kind is EstimateCell else ", with intervals in the JSON"
        note += f" KS distance: the largest difference of the cumulative distributions (Kolmogorov-Smirnov){limits}."
    if len(kept) < len(drift.periods):
        note += f" The table shows the last {len(kept)}."
    title = "Scores and shares" if drift.distance else "Classes"
    return Section(DRIFT, (Table(tuple(columns), tuple(rows), title, note=note),))


SHARE_HEADS = {"prevalence": "share positive", "predicted_prevalence": "share predicted positive"}


def document_of_trends(trends: Trends) -> Document:
    """Return the document of periods."""
    first, last = (str(trends.shards[at]) for at in (0, -1))
    facts = (
        (f"{trends.period}s", f"{len(trends.shards):,}, from {first} to {last}"),
        ("cases", f"{sum(trends.cases):,.6g}" if sum(trends.cases) % 1 else f"{sum(trends.cases):,.0f}"),
        ("confidence level", f"{100 * trends.level:g}%"),
    )
    title = f"{titled('Assessment', trends.model)} by {trends.period}"
    known = ranked(findings_on_trends(trends))
    beside = tuple(Warned(finding.code, finding.sentence) for finding in warned(known))
    codes = {warning.code for warning in beside}
    warned_of = (*beside, *(warning for warning in trends.warnings if warning.code not in codes))
    sentences = tuple(finding.sentence for finding in leading(known))
    return Document(title, facts, sentences, (*sections_of(trends), *closing("", warned_of, steps_of(known))))


def with_pictures_of_trends(document: Document, trends: Trends) -> Document:
    """Return the document with a picture of each measure over the periods first."""
    kept = (section for section in document.sections if section.title not in (TRENDS, BREAKS, DRIFT))
    return replace(document, sections=(*sections_with_pictures(trends), *kept))


def sections_with_pictures(trends: Trends) -> tuple[Section, ...]:
    """Return the measures over the periods, and how they change; values, breaks and drift on request."""
    first, *others = sections_of(trends)
    changes, *values = first.parts
    return (
        pictures_of(trends),
        Section(first.title, (changes,)),
        Section(f"Values by {trends.period}", tuple(values), is_folded=True),
        *(replace(section, is_folded=True) for section in others),
    )


def pictures_of(trends: Trends) -> Section:
    """A picture of each measure over the periods, with its intervals and both sides of its break, if one is shown."""
    return Section(
        f"Over the {trends.period}s", (Figures(tuple(Figure(tuple(curves)) for curves in curves_of(trends))),)
    )


def curves_of(trends: Trends) -> Iterator[list[Curve]]:
    """Yield the data behind the pictures: of each measure its values, and the means before and after its break."""
    count, by = len(trends.shards), trends.period
    x = np.arange(1.0, count + 1)
    names = tuple(map(str, trends.shards))
    for name, course in trends.values.items():
        value, low, high = (np.array([getattr(e, part) for e in course]) for part in ("value", "low", "high"))
        known = np.isfinite(value)
        if not known.any():
            continue
        of_measure = get(name).title
        banded = bool(np.isfinite(low).any())
        curves = [
            Curve(
                "over_time",
                of_measure,
                x[known],
                value[known],
                by,
                of_measure,
                low=np.where(np.isfinite(low), low, value)[known] if banded else None,
                high=np.where(np.isfinite(high), high, value)[known] if banded else None,
                band=f"{100 * trends.level:g}% CI of every {by}" if banded else "",
                x_names=names,
            )
        ]
        change = trends.breaks.get(name)
        if change is not None and trends.p_of_breaks[name] < 1 - trends.level:
            at = trends.shards.index(change.at)
            for series, ends, mean in (
                ("mean before", (1.0, at + 0.5), change.before),
                ("mean after", (at + 0.5, float(count)), change.after),
            ):
                curves.append(
                    replace(
                        curves[0],
                        x=np.array(ends),
                        y=np.full(2, mean),
                        kind="reference",
                        series=series,
                        low=None,
                        high=None,
                        band="",
                    )
                )
        yield curves


def as_dict_of_trends(trends: Trends) -> dict[str, Any]:
    """Periods as plain values (docs/trends.schema.json): `trends` of docs/assessment.schema.json."""
    return OVER_PERIODS.as_dict(trends, {"headline": leading(ranked(findings_on_trends(trends)))})


def of_trends(trends: Trends) -> dict[str, Any]:
    """Return how much measures change from one shard to the next, and their values in each, as plain values."""
    return OF_TRENDS.values(trends)
