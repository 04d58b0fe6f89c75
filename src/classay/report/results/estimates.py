"""Single estimates, a proportion by every method, measures at another prevalence and corrected for verification.

Documents and JSON (docs/proportion.schema.json, docs/verification.schema.json).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from classay.assessment.flow import percent
from classay.assessment.perspectives import PrevalenceAdjusted
from classay.inference.estimate import Estimate, heading, measure_phrase
from classay.inference.methods import REFERENCES
from classay.inference.phrasing import share_with_interval
from classay.inference.prevalence import REFERENCE, Verification
from classay.inference.proportions import PROPORTION_METHODS, Proportion
from classay.report.document import (
    AxisScale,
    Bar,
    Cell,
    Column,
    Count,
    Document,
    EstimateCell,
    Label,
    MethodCell,
    Prose,
    Section,
    Table,
    Words,
)
from classay.report.results.assessment_shape import AT_PREVALENCE
from classay.report.results.assessments import closing
from classay.report.results.assessments import document_of as document_of_assessment
from classay.report.results.parts import bar, of_estimate, of_measures, of_warnings, titled
from classay.report.shape import ByName, Key, Result, Row, itself
from classay.report.value_kinds import COUNT, ESTIMATE, LABEL, LEVEL, SHARE, TEXT
from classay.texts import quote


def document_of_estimate(found: Estimate) -> Document:
    """Return the value with its interval and its method, or why something is missing."""
    columns = (Column("", Label), Column("value", EstimateCell), Column("CI method", MethodCell))
    named, title = Label("estimate"), "Estimate"
    if found.measure is not None:
        named, title = (
            Label(heading(found.measure), found.measure),
            f"Estimate of {measure_phrase(found.measure)}",
        )
    table = Table(columns, ((named, EstimateCell(found), MethodCell(found)),))
    return Document(title, sections=(Section("", (table,)),))


def as_dict_of_estimate(estimate: Estimate) -> dict[str, Any]:
    """Return the estimate as it stands within every other JSON."""
    return of_estimate(estimate)


REMARKS = {
    "Wilson": "default",
    "Clopper-Pearson": "conservative (coverage at least the level)",
    "Wald": "normal approximation, too narrow near 0 and 1",
    "corrected Wald": "Wald with continuity correction",
}


def document_of_proportion(p: Proportion) -> Document:
    """Return the share with the interval of each method, the default first."""
    level = f"{100 * p.level:g}%"
    columns = (
        Column("method", Label),
        Column("value", EstimateCell),
        Column("", Bar, 9),
        Column("", Words, 8),
    )
    rows = tuple(
        (
            Label(name, whole=True),
            EstimateCell(each),
            bar(each, (0.0, 1.0)),
            Words(REMARKS.get(name, ""), "quiet"),
        )
        for name, each in p.estimates.items()
    )
    default = next(iter(p.estimates.values()))
    facts = (("successes", f"{p.successes:,}"), ("cases", f"{p.cases:,}"), ("confidence level", level))
    verdict = f"The proportion is {share_with_interval(default, p.cases)}."
    return Document(
        f"{p.successes:,} of {p.cases:,}",
        facts,
        (verdict,),
        (Section("By every method", (Table(columns, rows, scale=AxisScale()),)),),
        sources=tuple(REFERENCES[source] for _, source in PROPORTION_METHODS.values()),
    )


def _reference(method: tuple[str, Estimate]) -> str:
    return REFERENCES[PROPORTION_METHODS[method[0]][1]]


_LIMITS = Row(Key("low", SHARE, "1.low"), Key("high", SHARE, "1.high"), Key("reference", TEXT, _reference))
PROPORTION = Result(
    "proportion",
    1,
    "One proportion by every method",
    "What `to_dict()` of a proportion returns, and `classay proportion --json` writes.",
    Key("successes", COUNT),
    Key("cases", COUNT.limited(minimum=1)),
    Key("value", SHARE),
    Key("level", LEVEL),
    Key(
        "intervals",
        ByName(_LIMITS),
        lambda p: {name: (name, limits) for name, limits in p.estimates.items()},
        "By the name of the method, the default of proportions first.",
    ),
    kind="proportion",
)
as_dict_of_proportion = PROPORTION.as_dict


def document_of_shifted(shifted: PrevalenceAdjusted) -> Document:
    """Return the document of another prevalence alone: the facts of the cases, and the main measures there."""
    document = document_of_assessment(shifted.assessment, names=())
    there = section_of_shifted(shifted, shifted.estimates(shifted.main_measures))
    return Document(
        f"{titled('Assessment', shifted.assessment.model or 'a classifier')} at a prevalence of {_share(shifted)}",
        document.facts,
        _precision_there(shifted),
        (replace(there, title="What changes"), *closing("", shifted.warnings, ())),
    )


def _precision_there(shifted: PrevalenceAdjusted) -> tuple[str, ...]:
    """Return what changes most: precision."""
    if shifted.assessment.confusion_matrix is None:
        return ()
    precision = shifted["precision"]
    if precision.is_undefined:
        return (f"Precision is not defined ({precision.reason}).",)
    text = share_with_interval(precision, shifted.assessment.n)
    return (f"At a prevalence of {_share(shifted)}, precision is {text}.",)


ELSEWHERE = "At a prevalence of "  # how the heading of estimates there begins


def section_of_shifted(shifted: PrevalenceAdjusted, estimates: dict[str, Estimate]) -> Section:
    """Return the estimates at another prevalence, and what is assumed."""
    note = (
        f"Assumes a prevalence of {_share(shifted)} ({percent(Estimate(shifted.observed))} in these data) and "
        "unchanged score distributions within each class. Recall, specificity and the ROC curve do not "
        "change."
    )
    return Section(ELSEWHERE + _share(shifted), (of_measures(estimates.items(), note),))


def _share(shifted: PrevalenceAdjusted) -> str:
    return f"{100 * shifted.prevalence:.4g}%"


def as_dict_of_shifted(shifted: PrevalenceAdjusted, *names: str) -> dict[str, Any]:
    """Return the named measures there, or the main ones, as plain values."""
    keys = of_shifted(shifted, shifted.estimates(names or shifted.main_measures))
    return keys | {"warnings": of_warnings(shifted.warnings)}


def of_shifted(shifted: PrevalenceAdjusted, estimates: dict[str, Estimate]) -> dict[str, Any]:
    """Estimates at another prevalence as plain values."""
    return AT_PREVALENCE.values(shifted, {"measures": estimates})


def document_of_verification(v: Verification) -> Document:
    """Return the corrected measures beside those of the verified cases, and who was verified."""
    cases = v.flagged[0] + v.passed[0]
    facts = [("cases", f"{cases:,}"), ("verified", f"{v.flagged[1] + v.passed[1]:,}")]
    facts += [] if v.positive is None else [("positive class", quote(v.positive))]
    facts += [
        ("confidence level", f"{100 * v.level:g}%"),
        ("reference", REFERENCE),
    ]
    sections = (
        Section("Corrected and uncorrected", (_measures(v),)),
        Section("Verified cases", (_groups(v),)),
        Section("Assumptions", (Prose(ASSUMED),)),
    )
    return Document("Corrected for verification", tuple(facts), (v.sentence,), sections)


ASSUMED = (
    "Verification is random within the predicted positives and within the predicted negatives. This assumption cannot "
    "be tested with these data. Verified cases among the predicted negatives contribute most information."
)


def _measures(v: Verification) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            Label("Sensitivity", "recall"),
            EstimateCell(v.sensitivity),
            EstimateCell(v.naive_sensitivity),
            MethodCell(v.sensitivity),
        ),
        (
            Label("Specificity", "specificity"),
            EstimateCell(v.specificity),
            EstimateCell(v.naive_specificity),
            MethodCell(v.specificity),
        ),
        (Label("Prevalence"), EstimateCell(v.prevalence), None, MethodCell(v.prevalence)),
    ]
    return Table(
        (
            Column("", Label),
            Column("corrected", EstimateCell),
            Column("verified cases only", EstimateCell),
            Column("CI method", MethodCell, 9),
        ),
        tuple(rows),
    )


_GROUP = Row(*(Key(name, COUNT, str(k)) for k, name in enumerate(("cases", "verified", "positive"))))


def _groups(v: Verification) -> Table:
    return Table(
        (
            Column("", Label),
            Column("cases", Count),
            Column("verified", Count),
            Column("verified positive", Count),
        ),
        tuple(
            (Label(name), *(Count(n) for n in counts))
            for name, counts in (("predicted positive", v.flagged), ("predicted negative", v.passed))
        ),
    )


_NAMES = ("sensitivity", "specificity", "prevalence")
VERIFICATION = Result(
    "verification",
    1,
    "Sensitivity and specificity corrected for verification",
    "What `to_dict()` of a verification returns: the corrected measures, the measures of the verified cases only, "
    "and the counts of both groups.",
    Key("positive", LABEL, help="The label of the positive class; null where counts were given."),
    Key("level", LEVEL),
    Key("seed", COUNT),
    Key("corrected", Row(*(Key(name, ESTIMATE) for name in _NAMES)), itself),
    Key("verified_alone", Row(*(Key(name, ESTIMATE, f"naive_{name}") for name in _NAMES[:2])), itself),
    Key("flagged", _GROUP),
    Key("passed", _GROUP),
    Key("sentence", TEXT),
    Key("reference", TEXT, lambda v: REFERENCE),
    kind="verification",
)
as_dict_of_verification = VERIFICATION.as_dict
