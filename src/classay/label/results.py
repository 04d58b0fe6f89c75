"""Plans and their assessments: documents and JSON (docs/label-plan.schema.json, docs/labeled.schema.json)."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from classay.inference.estimate import Estimate
from classay.label.expected import BINOMIAL
from classay.label.labeled import MEASURES, MOST_ROC, WARNINGS, LabeledAssessment
from classay.label.pictures import half_width_curves, strata_curves
from classay.label.planning import RANDOM, LabelPlan, in_digits
from classay.label.planning import WARNINGS as WARNINGS_OF_PLAN
from classay.measures import get
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
    Section,
    Table,
    Words,
)
from classay.report.results.assessments import closing
from classay.report.results.parts import with_requirements
from classay.report.shape import ByName, Key, Many, Result, Row
from classay.report.value_kinds import (
    COUNT,
    ESTIMATE,
    FLAG,
    FLOAT,
    LABEL,
    LEVEL,
    REQUIREMENTS,
    SHARE,
    TEXT,
    TEXTS,
    warnings,
)
from classay.texts import hint

NEYMAN = "Neyman 1938, JASA 33:101"
WILSON = "Wilson 1927, JASA 22:209"
BROWN = "Brown, Cai & DasGupta 2001, Statistical Science 16:101"
THESE = (
    "The intervals cover the choice of the drawn cases. The cases of the pool and the model are held fixed. "
    "Errors of the labels are not covered."
)
NEW = (
    "The intervals cover the sampling variability of the cases and the choice of the drawn cases. The model is held "
    "fixed. Errors of the labels are not covered."
)
FLAGGED = (
    "The intervals cover the sampling variability of the cases. The model is held fixed. Errors of the labels are not "
    "covered."
)


def document_of_plan(plan: LabelPlan) -> Document:
    """Return the strata, and the half-widths that this and other designs lead one to expect."""
    sections = [Section("Strata", (_strata(plan),))]
    if plan.expected:
        sections.append(Section("Expected half-widths", (_expected(plan),)))
    facts = [
        ("cases", f"{plan.n_cases:,}"),
        ("to label", " + ".join(f"{wave:,}" for wave in plan.waves)),
        ("threshold", f"{plan.threshold:g}"),
        ("measures", ", ".join(plan.measures)),
        ("confidence level", f"{100 * plan.level:g}%"),
        ("seed", str(plan.seed)),
    ]
    if plan.half_width is not None:
        facts.append(("labeling may stop at a half-width of", f"{plan.half_width:g}"))
    return Document(
        "Labeling plan",
        tuple(facts),
        plan.sentences,
        (*sections, *closing("", plan.warnings, ()), steps(plan)),
        sources=(NEYMAN,),
        methods=(
            "Cases were divided into strata by score, and drawn at random from every stratum without replacement.",
        ),
    )


def steps(plan: LabelPlan, file: str = "LIST", of_plan: str = "PLAN", truth: str = "COL") -> Section:
    """Return what to do with the list of cases."""
    words = [file, "--truth", truth]
    if plan.models:
        words += ["--scores", ",".join(plan.models)]
    command = shlex.join(["classay", "compare" if plan.models else "assess", *words, "--design", of_plan])
    in_python = (
        "`ca.compare(scores, y, design=plan)`" if plan.models else "`ca.assess(y, scores, design=plan)`"
    )
    (section,) = closing(
        "", (), [f"Label the drawn cases in a new column. Then use {hint(in_python, f'`{command}`')}."]
    )
    return section


def more_steps(
    a: LabeledAssessment, file: str = "LIST", of_plan: str = "PLAN", truth: str = "COL"
) -> Iterator[Section]:
    """Yield how to label more cases if the labels refute what the plan expected."""
    if a.refutations:
        words = ["--after", file, "--truth", truth, "--design", of_plan]
        command = f"classay label POOL --score COL {shlex.join(words)} --budget N --out MORE"
        yield from closing(
            "", (), [f"Label more cases: {hint('`a.more(scores, budget=N)`', f'`{command}`')}."]
        )


def with_pictures_of_plan(document: Document, plan: LabelPlan) -> Document:
    """Return the document with the pictures of the strata and of the half-widths to expect, first of all."""
    figures = [Figure(half_width_curves(plan))] if plan.expected else []
    figures.append(Figure(strata_curves(plan)))
    return replace(document, sections=(Section("Pictures", (Figures(tuple(figures)),)), *document.sections))


def _strata(plan: LabelPlan) -> Table:
    columns = (
        Column("score", Label),
        Column("predicted", Words),
        Column("cases", Count),
        Column("to label", Count),
        Column("mean score", Words),
    )
    rows = tuple(
        (
            Label(one.range, whole=True),
            Words("positive" if one.is_called else "negative"),
            Count(one.cases),
            Count(one.labels),
            Words(f"{one.mean_score:.3g}", value=one.mean_score),
        )
        for one in reversed(plan.strata)
    )
    return Table(columns, rows)


def _expected(plan: LabelPlan) -> Table:
    names = plan.measures
    columns = (Column("design", Label), *(Column(get(name).title.split(" (")[0], Words) for name in names))
    designs: dict[str, Any] = {"this plan": plan.expected}
    if plan.expected_if_not_calibrated:
        unsure = "within the errors of labels" if plan.labels_used else "scores not calibrated"
        designs[f"this plan, {unsure}"] = plan.expected_if_not_calibrated
    for name, halves in plan.others.items():
        designs[f"{name} sample" if name == RANDOM else f"for {'F1' if name == 'f1' else name} only"] = halves
    rows: list[tuple[Cell, ...]] = [
        (Label(design, whole=True), *(Words(in_digits(halves[name]), value=halves[name]) for name in names))
        for design, halves in designs.items()
    ]
    return Table(columns, tuple(rows))


def document_of_labeled(a: LabeledAssessment) -> Document:
    """Return the measures of all cases, and the strata with their labels."""
    facts = (
        ("cases", f"{a.n_cases:,}"),
        ("labels", _number_of_labels(a)),
        ("threshold", f"{a.plan.threshold:g}"),
        ("positive class", str(a.positive)),
        ("estimated for", "these cases" if a.is_finite else "new cases"),
        ("confidence level", f"{100 * a.level:g}%"),
    )
    document = Document(
        "Assessment from labels of predicted positives"
        if a.plan.is_of_flagged
        else "Assessment from a labeling plan",
        facts,
        a.sentences,
        (
            Section("Measures of all cases", (_measures(a),)),
            Section("Strata", (_labels(a),)),
            *closing(THESE if a.is_finite else FLAGGED if a.plan.is_of_flagged else NEW, a.warnings, ()),
            *more_steps(a),
        ),
        sources=(NEYMAN, WILSON, *((BROWN,) if _has_binomial_limits(a) else ())),
        methods=(
            "The share of positives in a stratum is estimated from its labeled cases. These shares and the numbers of "
            "cases determine the measures.",
        ),
    )
    return with_requirements(document, a.outcomes)


def _has_binomial_limits(a: LabeledAssessment) -> bool:
    return any(BINOMIAL in str(one.method) for one in shown(a).values())


def _number_of_labels(a: LabeledAssessment) -> str:
    if a.plan.is_of_flagged:
        return f"{a.n_labels:,} of {a.plan.rows.size:,} predicted positive"
    drawn, others = a.matched.at.size, a.matched.known_rows.size
    return f"{drawn:,} of {a.plan.rows.size:,} drawn" + (f", {others:,} of another process" if others else "")


def _measures(a: LabeledAssessment) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, estimate in shown(a).items():
        rows.append((Label(get(name).title, whole=True), EstimateCell(estimate), MethodCell(estimate)))
    columns = (Column("", Label), Column("value", EstimateCell), Column("CI method", MethodCell))
    return Table(columns, tuple(rows))


def shown(a: LabeledAssessment) -> dict[str, Estimate]:
    """Return the measures that reports show: the main ones, and ROC AUC where its interval is known."""
    if a.plan.is_of_flagged:
        return {"precision": a["precision"]}
    is_fine = sum(not one.is_called for one in a.plan.strata) >= MOST_ROC[0]
    return {**a.estimates, **({"roc_auc": a["roc_auc"]} if is_fine else {})}


def _labels(a: LabeledAssessment) -> Table:
    columns = (
        Column("score", Label),
        Column("predicted", Words),
        Column("cases", Count),
        Column("labels", Count),
        Column("positive", Count),
        Column("observed share", EstimateCell),
        Column("mean score", Words),
    )
    rows = tuple(
        (
            Label(one.stratum.range, whole=True),
            Words("positive" if one.stratum.is_called else "negative"),
            Count(one.stratum.cases),
            Count(one.labels),
            Count(one.positives),
            EstimateCell(one.observed),
            Words(f"{one.stratum.mean_score:.3g}", value=one.stratum.mean_score),
        )
        for one in reversed(a.strata)
    )
    return Table(columns, rows, note="Compare observed shares with mean scores to judge calibration.")


_RANGE = (
    Key("low", FLOAT.or_null(), help="Lowest score. Null for the lowest stratum."),
    Key("high", FLOAT.or_null(), help="Scores are below this one. Null for the highest stratum."),
    Key("called", FLAG, "is_called", "Whether the cases are predicted positive."),
    Key("cases", COUNT),
)
_STRATUM = Row(
    *_RANGE,
    Key("labels", COUNT, help="Cases drawn."),
    Key("mean_score", FLOAT),
    Key("planned", SHARE.or_null(), help="Planned share of positives. Null for scores outside 0 to 1."),
    Key(
        "called_by",
        TEXTS.or_null(),
        help="With two models, those that predict the cases positive. Else null.",
    ),
)
_HALVES = ByName(FLOAT)
PLAN = Result(
    "label-plan",
    1,
    "Labeling plan",
    "What `to_dict()` of a labeling plan returns. `classay label` writes it as .plan.json and with --json.",
    Key("cases", COUNT, "n_cases"),
    Key("threshold", FLOAT),
    Key("measures", TEXTS, help="Measures that the plan aims at."),
    Key("level", LEVEL),
    Key("seed", COUNT),
    Key("pool", TEXT, help="SHA-256 of all scores as 64-bit floats."),
    Key("strata", Many(_STRATUM), help="From the lowest scores to the highest."),
    Key("expected", _HALVES, help="Expected half-width by measure. Empty for scores outside 0 to 1."),
    Key(
        "expected_if_not_calibrated",
        _HALVES,
        help="Half-width that is seldom exceeded if the scores are not calibrated, or within one standard error of the "
        "labels so far.",
    ),
    Key("labels_used", COUNT, help="Labels so far, which expected half-widths follow."),
    Key("others", ByName(_HALVES), help="The same of other designs."),
    Key("half_width", SHARE.or_null(), help="Half-width at which labeling may stop."),
    Key("waves", Many(COUNT), help="Rows of the draws."),
    Key("rows", Many(COUNT), lambda plan: plan.rows.tolist(), "Rows to label, from 0, in random order."),
    Key("stratum", Many(COUNT), lambda plan: plan.stratum.tolist(), "Strata of these rows, from 0."),
    Key(
        "scores", Many(FLOAT), lambda plan: plan.scores.ravel().tolist(), "Scores of these rows, row by row."
    ),
    Key("models", TEXTS, help="The two models that the plan compares. Empty with one model."),
    Key("warnings", warnings(*WARNINGS_OF_PLAN)),
    Key("sentences", TEXTS),
    kind="label_plan",
)
as_dict_of_plan: Any = PLAN.as_dict
LABELED = Result(
    "labeled",
    1,
    "Assessment from a labeling plan",
    "What `to_dict()` of an assessment from a labeling plan returns, and `classay assess --design --json` writes.",
    Key("cases", COUNT, "n_cases"),
    Key("labels", COUNT, "n_labels"),
    Key("drawn", COUNT, lambda a: a.plan.rows.size),
    Key("positive", LABEL),
    Key("threshold", FLOAT, "plan.threshold"),
    Key("finite", FLAG, "is_finite", "Whether the estimates are of these very cases."),
    Key("level", LEVEL),
    Key("measures", ByName(ESTIMATE).limited(propertyNames={"enum": [*MEASURES, "roc_auc"]}), shown),
    Key(
        "recall_bounds",
        Many(SHARE).or_null(),
        help="Bounds of recall if only predicted positive cases have labels, else null.",
    ),
    Key(
        "strata",
        Many(
            Row(
                *(Key(key.name, key.kind, f"stratum.{key.at or key.name}", key.help) for key in _RANGE),
                Key("labels", COUNT),
                Key("positives", COUNT),
                Key("observed", ESTIMATE, help="Share of positives."),
                Key("mean_score", FLOAT, "stratum.mean_score"),
            )
        ),
    ),
    REQUIREMENTS,
    Key("warnings", warnings(*WARNINGS)),
    Key("sentences", TEXTS),
    kind="labeled",
)
as_dict_of_labeled: Any = LABELED.as_dict
