"""Prediction sets: documents and JSON (docs/sets.schema.json, docs/set-comparison.schema.json)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from classay.inference.estimate import Estimate
from classay.report.document import (
    AxisScale,
    Bar,
    Cell,
    Column,
    Count,
    Difference,
    Document,
    EstimateCell,
    Label,
    MethodCell,
    Section,
    Table,
)
from classay.report.results.assessments import closing
from classay.report.results.parts import BARS
from classay.report.shape import ByName, Key, Many, Result, Row
from classay.report.value_kinds import (
    ABOUT_LABELS,
    COUNT,
    ESTIMATE,
    LABEL,
    LEVEL,
    PVALUE,
    REQUIREMENTS,
    SHARE,
    TEXT,
    warnings,
)
from classay.sets.comparing_sets import SetComparison
from classay.sets.set_assessment import TITLES, CoverageOf, SetAssessment

RANDOM = (
    "The intervals cover the sampling variability of the test cases. The model, the calibration cases, and the "
    "threshold are held fixed. Limits by size, true label or group are "
    "jointly valid within their table."
)
BOTH = (
    "The intervals cover the sampling variability of the test cases. The sets of both methods are held fixed."
)
SOURCES = ("Vovk 2012, Conditional validity of inductive conformal predictors, PMLR 25:475",)
MOST_SHOWN = 20


def document_of_sets(a: SetAssessment) -> Document:
    """Return coverage and sizes, then coverage by size, class and group."""
    sections = [Section("Coverage and size", (_measures(a),)), Section("By size of the set", (_sizes(a),))]
    sections.append(Section("By true label", (_coverages("label", a.by_class),)))
    if a.by_group:
        sections.append(Section("By group", (_coverages("group", a.by_group),)))
    return Document(
        "Assessment of prediction sets",
        (*a.facts, ("confidence level", f"{100 * a.level:g}%")),
        a.sentences,
        (*sections, *closing(RANDOM, a.warnings, ())),
        sources=SOURCES if a.calibration is not None else (),
    )


def _bar(estimate: Estimate, most: float = 1.0) -> Cell:
    is_share = estimate.has_interval and estimate.high <= most
    return Bar(estimate.low, estimate.value, estimate.high) if is_share else None


def _measures(a: SetAssessment) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, estimate in a.estimates.items():
        drawn = None if name == "mean_size" else _bar(estimate)
        rows.append((Label(TITLES[name], whole=True), EstimateCell(estimate), drawn, MethodCell(estimate)))
    columns = (
        Column("", Label),
        Column("value", EstimateCell),
        Column("", Bar, BARS),
        Column("CI method", MethodCell),
    )
    return Table(columns, tuple(rows), scale=AxisScale())


def _coverages(head: str, rows: Sequence[CoverageOf]) -> Table:
    """Return the least covered rows first."""
    ordered = sorted(rows, key=lambda row: row.coverage.value)[:MOST_SHOWN]
    cells = tuple(
        (
            Label(str(row.name), whole=True),
            Count(row.cases),
            EstimateCell(row.coverage),
            _bar(row.coverage),
            MethodCell(row.coverage),
        )
        for row in ordered
    )
    note = "" if len(rows) <= MOST_SHOWN else f"The {MOST_SHOWN} least covered of {len(rows):,}."
    return Table(_columns(head, "cases", "coverage"), cells, note=note, scale=AxisScale())


def _sizes(a: SetAssessment) -> Table:
    rows = tuple(
        (
            Label(f"{row.name}"),
            Count(row.cases),
            EstimateCell(row.coverage),
            _bar(row.coverage),
            MethodCell(row.coverage),
        )
        for row in a.by_size[:MOST_SHOWN]
    )
    note = "" if len(a.by_size) <= MOST_SHOWN else f"The {MOST_SHOWN} smallest of {len(a.by_size):,} sizes."
    return Table(_columns("size", "sets", "coverage"), rows, note=note, scale=AxisScale())


def _columns(head: str, count: str, value: str) -> tuple[Column, ...]:
    return (
        Column(head, Label),
        Column(count, Count),
        Column(value, EstimateCell),
        Column("", Bar, BARS),
        Column("CI method", MethodCell),
    )


def document_of_comparison(c: SetComparison) -> Document:
    """Return size and coverage of both methods, and the paired differences."""
    first, second = c.names
    rows: list[tuple[Cell, ...]] = []
    for measure in ("mean_size", "coverage"):
        for name, a in c.methods.items():
            estimate = a[measure]
            rows.append(
                (
                    Label(f"{TITLES[measure]}, {name}", whole=True),
                    EstimateCell(estimate),
                    MethodCell(estimate),
                )
            )
    differences = tuple(
        (Label(TITLES[measure], whole=True), Difference(estimate), MethodCell(estimate))
        for measure, estimate in (("mean_size", c.size_difference), ("coverage", c.coverage_difference))
    )
    columns = (Column("", Label), Column("value", EstimateCell), Column("CI method", MethodCell))
    differing = (Column("", Label), Column("difference", Difference), Column("CI method", MethodCell))
    return Document(
        f"Prediction sets of {first} and {second}",
        (("cases", f"{c.n:,}"), ("confidence level", f"{100 * c.level:g}%")),
        c.sentences,
        (
            Section("Size and coverage", (Table(columns, tuple(rows)),)),
            Section(f"{first} minus {second}", (Table(differing, differences),)),
            *closing(BOTH, c.warnings, ()),
        ),
        sources=("Tango 1998, Statistics in Medicine 17:891",),
    )


_SIZE_ROWS = Many(
    Row(
        Key("size", COUNT, "0"),
        Key("sets", COUNT, "1"),
        Key("share", ESTIMATE, "2"),
        Key("coverage", ESTIMATE, "3", "With jointly valid limits."),
    )
)


def _coverage_of(name: str) -> Row:
    return Row(
        Key(name, LABEL, "name", ABOUT_LABELS),
        Key("cases", COUNT),
        Key("coverage", ESTIMATE, help="With jointly valid limits."),
    )


_RANGE = Row(
    Key("rank", COUNT, help="The rank of the calibration score that is the threshold."),
    Key("low", SHARE, help="5% of such thresholds have a lower coverage."),
    Key("high", SHARE, help="5% of such thresholds have a higher coverage."),
    Key("below", SHARE, help="Share of such thresholds whose coverage is below the target."),
    Key(
        "sure_rank",
        COUNT.or_null(),
        help="Least rank with a coverage below the target in at most 5% of thresholds. Null if there are too few "
        "cases.",
    ),
)
SETS = Result(
    "sets",
    1,
    "Assessment of prediction sets",
    "What `to_dict()` of an assessment of prediction sets returns, and `classay sets --json` writes.",
    Key("cases", COUNT, "n"),
    Key("labels", Many(LABEL)),
    Key("target", SHARE.or_null()),
    Key("calibration", COUNT.or_null(), help="Calibration cases of the threshold, null if not given."),
    Key("by", TEXT.or_null(), help="Name of the groups."),
    Key("measures", ByName(ESTIMATE).limited(propertyNames={"enum": [*TITLES]}), "estimates"),
    Key(
        "by_size",
        _SIZE_ROWS,
        lambda a: [(row.name, row.cases, a.sizes[row.name], row.coverage) for row in a.by_size],
    ),
    Key("by_class", Many(_coverage_of("label"))),
    Key("by_group", Many(_coverage_of("group"))),
    Key(
        "calibration_range",
        _RANGE.or_null(),
        help="The coverage of thresholds from so many calibration cases.",
    ),
    Key(
        "p", PVALUE, help="p-value of the promised coverage (beta-binomial), null without calibration cases."
    ),
    Key("level", LEVEL),
    Key("warnings", warnings("note")),
    REQUIREMENTS,
    kind="sets",
)
as_dict_of_sets: Any = SETS.as_dict
COMPARISON = Result(
    "set-comparison",
    1,
    "Two methods of prediction sets",
    "What `to_dict()` of a comparison of prediction sets returns, and `classay sets --json` with two `--set` writes.",
    Key("first", TEXT, "names.0"),
    Key("second", TEXT, "names.1"),
    Key("cases", COUNT, "n"),
    Key(
        "methods",
        ByName(ByName(ESTIMATE).limited(propertyNames={"enum": [*TITLES]})),
        lambda c: {name: a.estimates for name, a in c.methods.items()},
    ),
    Key("size_difference", ESTIMATE, help="First minus second."),
    Key("coverage_difference", ESTIMATE, help="First minus second."),
    Key("level", LEVEL),
    Key("warnings", warnings("note")),
    kind="set_comparison",
)
as_dict_of_comparison: Any = COMPARISON.as_dict
