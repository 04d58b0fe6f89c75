"""Systems that a judge graded: document and JSON (docs/judged_systems.schema.json)."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan, nan
from typing import Any

from classay.judge.comparing import JudgedDifference, JudgedSystem, JudgedSystems
from classay.judge.judge_warnings import WARNINGS
from classay.judge.results import ARMITAGE, DRIFT, KISH, RANDOM, SOURCES, THESE, judge_alone
from classay.report.document import (
    Cell,
    Column,
    Count,
    Difference,
    Document,
    EstimateCell,
    Label,
    PValue,
    Section,
    Table,
    Words,
)
from classay.report.results.assessments import closing
from classay.report.results.parts import with_requirements
from classay.report.shape import Key, Many, Result, Row
from classay.report.value_kinds import (
    ANY,
    COUNT,
    ESTIMATE,
    FLAG,
    LABEL,
    LEVEL,
    NUMBER,
    REQUIREMENTS,
    TEXT,
    TEXTS,
    warnings,
)

MOVER = ("Zou & Donner 2008, Statistics in Medicine 27:1693", "Zou 2007, Psychological Methods 12:399")
HOLM = "Holm 1979, Scandinavian Journal of Statistics 6:65"
MOST_PAIRS = 45
"""Pairs up to which all are shown; of more, only those with the highest system."""


def document_of(s: JudgedSystems) -> Document:
    """Return the systems by corrected value beside the judge's order, and their differences."""
    sections = [
        Section(f"Systems by {s.measure}", (_systems(s),)),
        Section("Differences", (_differences(s),)),
    ]
    if s.systems[0].agreement is not None:
        sections.append(Section("Agreement of judge and humans", (_agreements(s),)))
    if any(system.drift is not None for system in s.systems):
        sections.append(Section("Agreement over time", (_drifts(s),)))
    if s.groups:
        sections.append(Section("By group", (_groups(s),)))
    document = Document(
        "Judged systems",
        (*s.facts, ("confidence level", f"{100 * s.level:g}%")),
        s.sentences,
        (*sections, *closing(THESE if s.is_finite else RANDOM, s.warnings, s.steps)),
        sources=tuple(_sources(s)),
        methods=tuple(_methods(s)),
    )
    return with_requirements(document, s.outcomes)


def _sources(s: JudgedSystems) -> Iterator[str]:
    yield from (*SOURCES, *MOVER, HOLM)
    if {"human labels weighted", "strata"} & {fact for fact, _ in s.facts}:
        yield KISH
    if any(system.drift is not None for system in s.systems):
        yield ARMITAGE


def _methods(s: JudgedSystems) -> Iterator[str]:
    yield "A p-value is 1 minus the confidence level at which the interval touches 0."
    if len(s.differences) > 1:
        number = f"{len(s.differences):,}"
        yield f"P-values of {number} comparisons were adjusted by Holm's method. Intervals were not adjusted."


def _systems(s: JudgedSystems) -> Table:
    """Return each system, marked where the judge alone has it at another place."""
    columns = (
        Column("system", Label),
        Column("labels", Count),
        Column("corrected", EstimateCell),
        Column("judge only", Words),
        Column("judge's place", Words),
        Column("labels only", EstimateCell),
    )
    rows = tuple(_row(system) for system in s.systems)
    moved = any(system.rank != system.judge_rank for system in s.systems)
    note = "An arrow marks a different place by the judge's grades than by the corrected value."
    return Table(columns, rows, note=note if moved else "")


def _row(system: JudgedSystem) -> tuple[Cell, ...]:
    arrow = "" if system.rank == system.judge_rank else "↑ " if system.judge_rank < system.rank else "↓ "
    return (
        Label(system.name, whole=True),
        Count(system.n_labels),
        EstimateCell(system.measured.estimate),
        judge_alone(system.measured),
        Words(f"{arrow}{system.judge_rank}", "bad" if arrow else "plain"),
        EstimateCell(system.measured.labels_alone),
    )


def _agreements(s: JudgedSystems) -> Table:
    """Return the agreement of judge and humans by system, with the p-value of a trend over time."""
    has_times = any(system.drift is not None for system in s.systems)
    columns = (
        Column("system", Label),
        Column("agreement", EstimateCell),
        *((Column("trend p", PValue),) if has_times else ()),
    )
    rows = tuple(
        (
            Label(system.name, whole=True),
            EstimateCell(system.agreement),
            *((PValue(nan if system.drift is None else system.drift.p),) if has_times else ()),
        )
        for system in s.systems
        if system.agreement is not None
    )
    return Table(columns, rows)


def _drifts(s: JudgedSystems) -> Table:
    """Return the agreement of judge and humans by system and time."""
    columns = (
        Column("system", Label),
        Column("time", Label),
        Column("labels", Count),
        Column("agreement", EstimateCell),
    )
    rows = tuple(
        (Label(system.name, whole=True), Label(str(time), whole=True), Count(labels), EstimateCell(share))
        for system in s.systems
        if (drift := system.drift) is not None
        for time, labels, share in zip(drift.times, drift.labels, drift.agreement, strict=True)
    )
    return Table(columns, rows, note="P-values are of a linear trend (Cochran-Armitage).")


def _shown(s: JudgedSystems) -> list[JudgedDifference]:
    """Return the differences of a table: all, or of many systems those with the highest one."""
    if len(s.differences) <= MOST_PAIRS:
        return [*s.differences]
    return [one for one in s.differences if s.systems[0].name in one.systems]


def _differences(s: JudgedSystems) -> Table:
    many = len(s.differences) > 1
    columns = (
        Column("", Label),
        Column("difference", Difference),
        Column("judge only", Words),
        Column("adjusted p" if many else "p", PValue),
        Column("same cases", Words),
    )
    rows = tuple(
        (
            Label(" minus ".join(one.systems), whole=True),
            Difference(one.estimate),
            Words(
                "" if isnan(one.judge_difference) else f"{one.judge_difference:+.3f}",
                "bad" if one.is_turned else "plain",
                one.judge_difference,
            ),
            PValue(one.p_adjusted),
            Words("yes" if one.is_paired else "no"),
        )
        for one in _shown(s)
    )
    note = ""
    if len(rows) < len(s.differences):
        note = f"The table shows the differences from {s.systems[0].name}. The JSON has all {len(s.differences):,}."
    foot = "Intervals are not adjusted." if many else ""
    return Table(columns, rows, note=note, foot=foot)


def _groups(s: JudgedSystems) -> Table:
    columns = (
        Column("group", Label),
        Column("", Label),
        Column("difference", Difference),
        Column("judge only", Words),
        Column("p", PValue),
    )
    rows = tuple(
        (
            Label(str(group), whole=True),
            Label(" minus ".join(one.systems), whole=True),
            Difference(one.estimate),
            Words(
                "" if isnan(one.judge_difference) else f"{one.judge_difference:+.3f}",
                value=one.judge_difference,
            ),
            PValue(one.p_adjusted),
        )
        for group, of_group in s.groups.items()
        for one in _shown(of_group)
    )
    return Table(columns, rows, note="Intervals and p-values of groups are not adjusted for their number.")


_SYSTEM = Row(
    Key("system", TEXT, "name"),
    Key("cases", COUNT, "n_cases"),
    Key("labels", COUNT, "n_labels", "Human labels."),
    Key("corrected", ESTIMATE, "measured.estimate"),
    Key("judge_alone", NUMBER, "measured.judge_alone"),
    Key("labels_alone", ESTIMATE, "measured.labels_alone"),
    Key("rank", COUNT, help="Place by the corrected value, 1 is the highest."),
    Key("judge_rank", COUNT, help="Place by the judge only."),
    Key(
        "agreement",
        ESTIMATE.or_null(),
        help="Share of answers that the judge grades as humans. Null of scores.",
    ),
    Key("drift", DRIFT.or_null()),
)
_DIFFERENCE = Row(
    Key("first", TEXT, "systems.0"),
    Key("second", TEXT, "systems.1"),
    Key("difference", ESTIMATE, "estimate", "The first minus the second."),
    Key("judge_difference", NUMBER),
    Key("p", NUMBER),
    Key("p_adjusted", NUMBER, help="After Holm's adjustment for all pairs."),
    Key("same_cases", FLAG, "is_paired"),
    Key("cases", COUNT, "n_cases"),
    Key("labels", COUNT, "n_labels"),
    Key("merged", FLAG, "is_merged", "Whether pairs of grades with few human labels were combined."),
)
_BOTH = (Key("systems", Many(_SYSTEM)), Key("differences", Many(_DIFFERENCE)))
_GROUP = Row(
    Key("group", ANY, "0"),
    Key("systems", Many(_SYSTEM), "1.systems"),
    Key("differences", Many(_DIFFERENCE), "1.differences"),
)
SYSTEMS = Result(
    "judged_systems",
    1,
    "Judged systems",
    "What `to_dict()` of judged systems returns, and `classay judge --json` writes for two systems or more.",
    Key("measure", TEXT),
    Key("positive", LABEL, help="The positive label, null of grades."),
    *_BOTH,
    Key("groups", Many(_GROUP), lambda s: [*s.groups.items()]),
    Key("finite", FLAG, "is_finite", "Whether the estimates are of these very cases."),
    Key("level", LEVEL),
    REQUIREMENTS,
    Key("warnings", warnings(*WARNINGS)),
    Key("sentences", TEXTS),
    kind="judged_systems",
)
as_dict: Any = SYSTEMS.as_dict
