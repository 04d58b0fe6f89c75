"""The true share by a judge's accuracy elsewhere: document and JSON (docs/true_share.schema.json)."""

from __future__ import annotations

from typing import Any

from classay.judge.elsewhere import TrueShare
from classay.report.document import Column, Document, EstimateCell, Label, MethodCell, Section, Table
from classay.report.results.assessments import closing
from classay.report.results.parts import with_requirements
from classay.report.shape import Key, Result
from classay.report.value_kinds import COUNT, ESTIMATE, LEVEL, REQUIREMENTS, TEXT, warnings

RANDOM = (
    "The intervals cover the sampling variability of these cases, and of those that sensitivity and specificity come "
    "from. The judge is held fixed."
)
SOURCES = (
    "Rogan & Gladen 1978, American Journal of Epidemiology 107:71",
    "Lang & Reiczigel 2014, Preventive Veterinary Medicine 113:13",
)


def document_of(t: TrueShare) -> Document:
    """Return the true share by both intervals, and the three shares that it follows from."""
    columns = (Column("", Label), Column("value", EstimateCell), Column("CI method", MethodCell))
    named = {
        "True share": t.estimate,
        "True share, other interval": t.lang_reiczigel,
        "Share by the judge only": t.apparent,
        "Sensitivity on other cases": t.sensitivity,
        "Specificity on other cases": t.specificity,
    }
    rows = tuple((Label(name), EstimateCell(item), MethodCell(item)) for name, item in named.items())
    document = Document(
        "True share behind a judge's grades",
        (("cases", f"{t.n_cases:,}"), ("confidence level", f"{100 * t.level:g}%")),
        (t.sentence,),
        (Section("", (Table(columns, rows),)), *closing(RANDOM, t.warnings, ())),
        sources=SOURCES,
    )
    return with_requirements(document, t.outcomes)


TRUE_SHARE = Result(
    "true_share",
    1,
    "True share behind a judge's grades",
    "What `to_dict()` of a true share returns, and `classay judge --sensitivity … --json` writes.",
    Key("cases", COUNT, "n_cases"),
    Key("true_share", ESTIMATE, "estimate"),
    Key("lang_reiczigel", ESTIMATE, help="The true share with the interval of Lang and Reiczigel."),
    Key("apparent", ESTIMATE, help="Share of positive grades."),
    Key("sensitivity", ESTIMATE),
    Key("specificity", ESTIMATE),
    Key("level", LEVEL),
    REQUIREMENTS,
    Key("warnings", warnings("other_mix", "other_errors")),
    Key("sentence", TEXT),
    kind="true_share",
)
as_dict: Any = TRUE_SHARE.as_dict
