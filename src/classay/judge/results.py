"""Judged cases: document and JSON (docs/judged.schema.json)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from math import isnan, nan
from typing import Any

from classay.inference.estimate import p_equation
from classay.judge.judge_warnings import ALL_LABELED, WARNINGS, Drift
from classay.judge.judging import JUDGE_MEASURES, Judged
from classay.judge.measured import Measured
from classay.measures import get
from classay.report.document import (
    Cell,
    Column,
    Count,
    Document,
    EstimateCell,
    Label,
    MethodCell,
    PValue,
    Section,
    Table,
    Words,
)
from classay.report.results.assessments import closing
from classay.report.results.parts import with_requirements
from classay.report.shape import ByName, Key, Many, Result, Row
from classay.report.value_kinds import (
    ANY,
    COUNT,
    ESTIMATE,
    FLAG,
    FLOAT,
    LABEL,
    LEVEL,
    NUMBER,
    REQUIREMENTS,
    TEXT,
    warnings,
)

RANDOM = (
    "The intervals cover the sampling variability of the cases and of the choice of cases with a human label. The "
    "judge is held fixed. Errors of the human labels are not covered."
)
THESE = (
    "The intervals cover the choice of cases with a human label. These cases and the judge are held fixed. Errors of "
    "the human labels are not covered."
)
SOURCES = ("Tenenbein 1970, JASA 65:1350", "Wilson 1927, JASA 22:209")
POWER_TUNED = "Angelopoulos, Duchi & Zrnic 2023, arXiv:2311.01453"
KISH = "Kish 1965, Survey Sampling, section 8.2"
ARMITAGE = "Armitage 1955, Biometrics 11:375"


def document_of(j: Judged) -> Document:
    """Return the corrected values beside those of the judge and of the labels, the judge's accuracy, and groups."""
    sections = [Section("Corrected", (_measures(j),))]
    if len(j.judge):
        sections.append(Section("Accuracy of the judge", (_judge(j),)))
    if j.groups:
        sections.append(Section("By group", (_groups(j),)))
    if j.drift is not None:
        sections.append(Section("Agreement over time", (_drift(j.drift),)))
    document = Document(
        "Judged cases",
        (*j.facts, ("confidence level", f"{100 * j.level:g}%")),
        (j.sentence, *_more(j)),
        (*sections, *closing(THESE if j.is_finite else RANDOM, j.warnings, ())),
        sources=tuple(_sources(j)),
        methods=(
            "Cases were put into cells by the judge's grade. The share of each cell is that of its human labels.",
        ),
    )
    return with_requirements(document, j.outcomes)


def _more(j: Judged) -> Iterator[str]:
    """Yield what the judge is worth in human labels, and how many a half-width needs."""
    worth = j.effective_labels
    if worth > j.n_labels + 0.5:
        yield (
            f"With the judge's grades, {j.n_labels:,} human labels are as precise as {worth:,.0f} human labels "
            "without a judge."
        )
    if j.planned is not None:
        yield j.planned.sentence


def _sources(j: Judged) -> Iterator[str]:
    yield from SOURCES
    if any(fact == "human labels weighted" for fact, _ in j.facts):
        yield KISH
    if j.power_tuned is not None:
        yield POWER_TUNED
    if j.drift is not None:
        yield ARMITAGE


def judge_alone(one: Measured) -> Cell:
    """Return the value by the judge only, blank where there is none."""
    return Words("" if isnan(one.judge_alone) else f"{one.judge_alone:.3f}", value=one.judge_alone)


def _measures(j: Judged) -> Table:
    columns = (
        Column("", Label),
        Column("corrected", EstimateCell),
        Column("judge only", Words),
        Column("labels only", EstimateCell),
        Column("CI method", MethodCell),
    )
    rows = tuple(
        (
            Label(j.title(name), whole=True),
            EstimateCell(one.estimate),
            judge_alone(one),
            EstimateCell(one.labels_alone),
            MethodCell(one.estimate),
        )
        for name, one in j.measures.items()
    )
    note = ""
    if j.power_tuned is not None:
        note = (
            f"Power-tuned value of the first row: {j.power_tuned.value:.3f}, with weight {j.power_tuned.weight:.2f} of "
            "the judge."
        )
    return _plain(Table(columns, rows, note=note))


def _judge(j: Judged) -> Table:
    columns = (
        Column("", Label),
        Column("corrected", EstimateCell),
        Column("labels only", EstimateCell),
        Column("CI method", MethodCell),
    )
    rows = tuple(
        (
            Label("Agreement" if name == "accuracy" else get(name).title, whole=True),
            EstimateCell(estimate),
            EstimateCell(j.judge_labels_alone[name]),
            MethodCell(estimate),
        )
        for name, estimate in j.judge.items()
    )
    return _plain(Table(columns, rows))


def _plain(table: Table) -> Table:
    """Return the table with its one method behind it, not in each row."""
    methods = {cell.estimate.method for cell in table.column(MethodCell)}
    return table.without_methods() if len(methods) == 1 else table


def _groups(j: Judged) -> Table:
    columns = (
        Column("group", Label),
        Column("cases", Count),
        Column("labels", Count),
        Column(j.title(j.first), EstimateCell),
        Column("judge only", Words),
        *((Column("agreement", EstimateCell),) if len(j.judge) else ()),
        *((Column("trend p", PValue),) if j.drift is not None else ()),
    )
    rows = []
    for group, one in j.groups.items():
        first = one.measures[j.first]
        local = (EstimateCell(one.judge["agreement"]),) if len(j.judge) else ()
        rows.append(
            (
                Label(str(group), whole=True),
                Count(one.n_cases),
                Count(one.n_labels),
                EstimateCell(first.estimate),
                judge_alone(first),
                *local,
                *((PValue(nan if one.drift is None else one.drift.p),) if j.drift is not None else ()),
            )
        )
    return Table(columns, tuple(rows), note="Intervals of groups are not adjusted for their number.")


def _drift(drift: Drift) -> Table:
    columns = (
        Column("time", Label),
        Column("labels", Count),
        Column("agreement", EstimateCell),
        Column("labels only", EstimateCell),
    )
    rows = tuple(
        (Label(str(time), whole=True), Count(labels), EstimateCell(share), EstimateCell(alone))
        for time, labels, share, alone in zip(
            drift.times, drift.labels, drift.corrected, drift.agreement, strict=True
        )
    )
    test = "Agreement does not vary."
    if all(one.method == ALL_LABELED for one in drift.agreement):
        test = "All cases have a label, so a test is not needed."
    if not isnan(drift.p):
        test = f"Test of a linear trend (Cochran-Armitage): z = {drift.statistic:.2f}, {p_equation(drift.p)}."
    return Table(columns, rows, note=test)


_MEASURED = Row(
    Key("corrected", ESTIMATE, "estimate"),
    Key("judge_alone", NUMBER, help="Value if the judge's grades were human labels. Null without one."),
    Key("labels_alone", ESTIMATE, help="Estimate from the human labels only."),
)
_OF_JUDGE = Row(Key("corrected", ESTIMATE, "0"), Key("labels_alone", ESTIMATE, "1"))


def _of_judge(j: Judged) -> dict[str, Any]:
    return {name: (estimate, j.judge_labels_alone[name]) for name, estimate in j.judge.items()}


DRIFT = Row(
    Key(
        "times",
        Many(
            Row(
                Key("time", ANY, "0"),
                Key("labels", COUNT, "1"),
                Key("agreement", ESTIMATE, "2", "Among the human labels."),
                Key("corrected", ESTIMATE, "3", "Among all cases.", optional=True),
            )
        ),
        lambda drift: [
            *zip_longest(drift.times, drift.labels, drift.agreement, drift.corrected, fillvalue=None)
        ],
    ),
    Key("z", NUMBER, "statistic", "Statistic of the Cochran-Armitage test of a trend."),
    Key("p", NUMBER),
)
_PART = (
    Key("cases", COUNT, "n_cases"),
    Key("labels", COUNT, "n_labels", "Human labels."),
    Key("measures", ByName(_MEASURED)),
    Key(
        "judge",
        ByName(_OF_JUDGE).limited(propertyNames={"enum": [*JUDGE_MEASURES]}),
        _of_judge,
        "Accuracy of the judge, by measure.",
    ),
    Key("drift", DRIFT.or_null(), help="Agreement of judge and humans by time."),
)


def _of_group(key: Key) -> Key:
    """Return the key for a pair of a group and its part."""
    return Key(key.name, key.kind, lambda pair: key.of(pair[1]), key.help)


_GROUP = Row(Key("group", ANY, "0"), *map(_of_group, _PART))
JUDGED = Result(
    "judged",
    1,
    "Judged cases",
    "What `to_dict()` of judged cases returns, and `classay judge --json` writes for one judge.",
    Key("positive", LABEL, help="The positive label of two, null of several grades."),
    *_PART,
    Key("finite", FLAG, "is_finite", "Whether the estimates are of these very cases."),
    Key("level", LEVEL),
    Key(
        "effective_labels", NUMBER, help="Human labels that would give the same precision without the judge."
    ),
    Key(
        "power_tuned",
        Row(Key("value", FLOAT), Key("weight", FLOAT, help="Weight of the judge (lambda).")).or_null(),
    ),
    Key("groups", Many(_GROUP), lambda j: [*j.groups.items()]),
    Key(
        "planned",
        Row(
            Key("half_width", FLOAT),
            Key("labels", COUNT.or_null(), help="Null if no number of human labels suffices."),
        ),
        optional=True,
        help="A requested half-width, and the human labels that it needs.",
    ),
    REQUIREMENTS,
    Key("warnings", warnings(*WARNINGS)),
    Key("sentence", TEXT),
    kind="judged",
)
as_dict: Any = JUDGED.as_dict
