"""Validations: document by topic, picture and JSON (docs/validation.schema.json)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import isnan
from typing import Any

from classay.inference.estimate import Estimate, number
from classay.report.document import (
    Cell,
    Column,
    Count,
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
from classay.report.shape import Key, Many, Result, Row
from classay.report.value_kinds import (
    COUNT,
    ESTIMATE,
    FLOAT,
    LABEL,
    LEVEL,
    NUMBER_OR_NULL,
    PVALUE,
    SHARE,
    TEXT,
    one_of,
    warnings,
)
from classay.validation.parts import Discrimination, GradeCalibration
from classay.validation.pictures import gini_curves, grade_curves, score_curves
from classay.validation.validating import Validation

RANDOM = (
    "The intervals cover the sampling variability of the cases of both samples. Cases are independent. "
    "Correlated defaults of borrowers are not covered. The model is held fixed."
)
METHODS = (
    "Gini coefficients of the new cases and of the development sample were compared as estimates from "
    "independent samples.",
    "Observed rates of grades have exact intervals that are jointly valid (Clopper-Pearson, Šidák). The p-value of a "
    "grade is the posterior probability, with Jeffreys' prior, that the true rate is no greater than the predicted "
    "one.",
    "The population stability index was compared with its distribution in samples without a change. Its p-value is "
    "that of Pearson's χ² test of equal shares. Scores were binned at the deciles of the combined samples, and at "
    "those of the development sample.",
)
SOURCES = (
    "European Central Bank 2019, Instructions for reporting the validation results of internal models, section 2.5",
    "Board of Governors of the Federal Reserve System 2011, SR 11-7",
    "Yurdakul & Naranjo 2020, Journal of Risk Model Validation 14(4)",
    "Zou & Donner 2008, Statistics in Medicine 27:1693",
)
RULE_OF_THUMB = (
    "By a common rule of thumb, an index below 0.1 is a small change and one above 0.25 a large one. The rule ignores "
    "the number of cases and bins. The 95% point uses both."
)
FINDING = (
    " A finding is a predicted rate outside the interval, which is valid for all grades together. A p below 0.05 is "
    "not enough, because it is not adjusted for the number of grades."
)
BINS = (
    "Scores are binned at the tenths of both samples together, and in the second row at those of the development "
    "sample. In every bin, 0.5 is added to both counts."
)
WHERE = {"segment": "Discrimination by segment", "period": "Discrimination over time"}


def document_of(v: Validation) -> Document:
    """Return the findings, then discrimination, calibration, stability, overrides and benchmarks."""
    facts = (
        ("cases", f"{v.now.n:,}"),
        ("development cases", f"{v.development.n:,}"),
        ("positive class", str(v.now.positive)),
        ("confidence level", f"{100 * v.level:g}%"),
    )
    return Document(
        "Validation against a development sample",
        facts,
        v.sentences,
        (*_topics(v), *closing(RANDOM, v.warnings, ())),
        sources=SOURCES,
        methods=METHODS,
    )


def _topics(v: Validation) -> Iterator[Section]:
    yield Section("Discrimination", (_discrimination(v.discrimination[:1], "sample"),))
    for part, title in WHERE.items():
        if rows := [row for row in v.discrimination if row.part == part]:
            yield Section(title, (_discrimination(rows, part),))
    if v.grades:
        yield Section("Calibration", (_calibration(v.samples, "sample", "Observed rates"),))
        yield Section(
            "Calibration by grade",
            (_calibration(v.grades, "grade", "Observed rates of grades", has_finding=True),),
        )
    yield Section("Stability", (_stability(v),))
    if v.overrides is not None:
        yield Section("Overrides", tuple(_overrides(v)))
    if v.benchmarks:
        yield Section("Benchmarks", (_benchmarks(v),))


def with_pictures(document: Document, v: Validation) -> Document:
    """Return the page with rates by grade, Gini over periods and scores of both samples, each in its section."""
    by_title = {
        WHERE["period"]: gini_curves(v),
        "Calibration by grade": grade_curves(v),
        "Stability": score_curves(v),
    }
    drawn = [
        replace(section, parts=(Figures((Figure(curves),)), *section.parts))
        if (curves := by_title.get(section.title))
        else section
        for section in document.sections
    ]
    return replace(document, sections=tuple(drawn))


def _discrimination(rows: Sequence[Discrimination], head: str) -> Table:
    columns = (
        Column(head, Label),
        Column("cases", Count),
        Column("positive", Count),
        Column("Gini", EstimateCell),
        Column("in development", Value),
        Column("now minus development", EstimateCell),
    )
    cells: list[tuple[Cell, ...]] = [
        (
            Label(row.name, whole=True),
            Count(row.cases),
            Count(row.positives),
            EstimateCell(row.now),
            Value(row.development),
            EstimateCell(row.difference),
        )
        for row in rows
    ]
    return Table(columns, tuple(cells))


def _calibration(
    rows: Sequence[GradeCalibration], head: str, title: str, *, has_finding: bool = False
) -> Table:
    columns = [
        Column(head, Label),
        Column("cases", Count),
        Column("positive", Count),
        Column("predicted", Words),
        Column("observed", EstimateCell),
        Column("p", PValue),
    ]
    cells: list[tuple[Cell, ...]] = []
    for row in rows:
        rate = None if isnan(row.predicted) else row.predicted
        line: tuple[Cell, ...] = (
            Label(row.grade, whole=True),
            Count(row.cases),
            Count(row.positives),
            Words("" if rate is None else number(rate), value=rate),
            EstimateCell(row.observed),
            PValue(row.p),
        )
        cells.append((*line, Words(row.finding or "–")) if has_finding else line)
    if has_finding:
        columns.append(Column("finding", Words))
    return Table(
        tuple(columns),
        tuple(cells),
        title,
        foot="Rates are shares of positive cases. A small p means that the predicted rate is too low."
        + (FINDING if has_finding else ""),
    )


def _stability(v: Validation) -> Table:
    columns = (
        Column("shares of", Label),
        Column("bins", Count),
        Column("stability index", Words),
        Column("95% point without change", Words),
        Column("p", PValue),
    )
    rows = tuple(
        (
            Label(row.of, whole=True),
            Count(row.bins),
            _three(row.index),
            _three(row.usual),
            PValue(row.p),
        )
        for row in v.shares
    )
    low, high = (number(end) for end in (v.distance.low, v.distance.high))
    foot = (
        f"The Kolmogorov-Smirnov distance of the scores is {number(v.distance.value)} "
        f"({100 * v.level:g}% CI {low} to {high})."
    )
    return Table(columns, rows, foot=f"{BINS} {foot} {RULE_OF_THUMB}")


def _three(value: float) -> Words:
    """Return a number with three decimals; of an index that is not defined, a dash."""
    return Words("–") if isnan(value) else Words(f"{value:.3f}", value=value)


def _overrides(v: Validation) -> Iterator[Table]:
    assert v.overrides is not None
    o = v.overrides
    kinds = (("to higher risk", o.raised), ("to lower risk", o.lowered))
    rows: list[tuple[Cell, ...]] = [
        (Label(name, whole=True), EstimateCell(share), MethodCell(share)) for name, share in kinds
    ]
    columns = (Column("override", Label), Column("share", EstimateCell), Column("CI method", MethodCell))
    yield Table(columns, tuple(rows), "Shares of overrides")
    yield _calibration(o.observed, "override", "Observed rates by override")
    areas = [("final minus model", o.final, o.model, o.difference)]
    yield _areas("grades", areas, ("final", "model"), "ROC AUC of final grades")


def _benchmarks(v: Validation) -> Table:
    rows = [(row.name, row.model, row.benchmark, row.difference) for row in v.benchmarks]
    return _areas("benchmark", rows, ("model", "benchmark"), "ROC AUC of benchmarks")


def _areas(
    head: str, rows: Sequence[tuple[str, float, float, Estimate]], names: tuple[str, str], title: str
) -> Table:
    columns = (
        Column(head, Label),
        *(Column(f"ROC AUC, {name}", Words) for name in names),
        Column("difference", EstimateCell),
        Column("CI method", MethodCell),
    )
    cells: list[tuple[Cell, ...]] = [
        (
            Label(name, whole=True),
            Words(number(one), value=one),
            Words(number(other), value=other),
            EstimateCell(gap),
            MethodCell(gap),
        )
        for name, one, other, gap in rows
    ]
    return Table(columns, tuple(cells), title)


def _or_null(name: str) -> Callable[[Any], float | None]:
    def value(row: Any) -> float | None:
        number: float = getattr(row, name)
        return None if isnan(number) else number

    return value


_GRADE = Row(
    Key("grade", TEXT),
    Key("cases", COUNT),
    Key("positives", COUNT),
    Key("predicted", NUMBER_OR_NULL, _or_null("predicted"), "Mean score. Null without cases."),
    Key("observed", ESTIMATE, help="Share of positive cases."),
    Key("p", PVALUE, _or_null("p"), "Probability that the true rate is no greater than the predicted one."),
    Key("finding", one_of("", "too low", "too high")),
)
_OVERRIDES = Row(
    Key("raised", ESTIMATE, help="Share of cases with a final grade of higher risk."),
    Key("lowered", ESTIMATE, help="Share of cases with a final grade of lower risk."),
    Key("observed", Many(_GRADE), help="Rates of raised, lowered and other cases."),
    Key("model", FLOAT, help="ROC AUC of the grades of the model."),
    Key("final", FLOAT, help="ROC AUC of the final grades."),
    Key("difference", ESTIMATE, help="Final minus model."),
)
VALIDATION = Result(
    "validation",
    1,
    "Validation against a development sample",
    "What `to_dict()` of a validation returns, and `classay assess --development --json` writes.",
    Key("cases", COUNT, lambda v: int(v.now.n)),
    Key("development_cases", COUNT, lambda v: int(v.development.n)),
    Key("positive", LABEL, "now.positive"),
    Key(
        "discrimination",
        Many(
            Row(
                Key("part", one_of("all cases", "segment", "period")),
                Key("name", TEXT),
                Key("cases", COUNT),
                Key("positives", COUNT),
                Key("now", ESTIMATE, help="Gini coefficient of the new cases."),
                Key("development", ESTIMATE, help="Gini coefficient in development."),
                Key("difference", ESTIMATE, help="Now minus development."),
            )
        ),
    ),
    Key("samples", Many(_GRADE), help="Rates of all new cases, and of the development sample."),
    Key("grades", Many(_GRADE), help="Rates of grades. Empty if scores are not probabilities."),
    Key(
        "stability",
        Many(
            Row(
                Key("of", TEXT),
                Key("bins", COUNT),
                Key(
                    "index",
                    NUMBER_OR_NULL,
                    _or_null("index"),
                    "Population stability index. Null of equal scores.",
                ),
                Key("usual", NUMBER_OR_NULL, _or_null("usual"), "Its 95% point if nothing changed."),
                Key("p", PVALUE, _or_null("p")),
            )
        ),
        "shares",
    ),
    Key("distance", ESTIMATE, help="Kolmogorov-Smirnov distance of the scores."),
    Key("overrides", _OVERRIDES.or_null(), help="Null without final grades."),
    Key(
        "benchmarks",
        Many(
            Row(
                Key("name", TEXT),
                Key("model", SHARE, help="ROC AUC of the model."),
                Key("benchmark", SHARE, help="ROC AUC of the benchmark."),
                Key("difference", ESTIMATE, help="Model minus benchmark."),
                Key("p", PVALUE, _or_null("p")),
            )
        ),
    ),
    Key("level", LEVEL),
    Key("warnings", warnings()),
    kind="validation",
)
as_dict: Any = VALIDATION.as_dict
