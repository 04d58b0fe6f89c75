"""An assessment at another prevalence: its document and its JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from classay.assessment.flow import percent
from classay.assessment.perspectives import Shifted
from classay.assessment.verdict import sure_percent
from classay.inference.estimate import Estimate
from classay.report.document import Document, Section
from classay.report.results.assessment import document_of as document_of_assessment
from classay.report.results.parts import of_estimate, of_measures, titled
from classay.texts import quote


def document_of(shifted: Shifted) -> Document:
    """The document of another prevalence alone: the facts of the cases, and the main measures there."""
    whole = document_of_assessment(shifted.assessment, names=())
    there = section_of(shifted, shifted.estimates(shifted.main_measures))
    return Document(
        f"{titled('Assessment', shifted.assessment.model or 'a classifier')} at a prevalence of {_share(shifted)}",
        whole.facts,
        _sentences(shifted),
        (replace(there, title="What changes"),),
    )


def _sentences(shifted: Shifted) -> tuple[str, ...]:
    """What changes most: how often a case that is called positive is one."""
    if shifted.assessment.confusion_matrix is None:
        return ()
    found = shifted["precision"]
    if found.is_undefined:
        return (f"Its precision is undefined: {found.reason}.",)
    positive = quote(shifted.assessment.positive)
    return (
        f"Where {_share(shifted)} of the cases are of class {positive}, it is right in "
        f"{percent(found)}{sure_percent(found)} of those that it puts there.",
    )


def section_of(shifted: Shifted, found: dict[str, Estimate]) -> Section:
    """The estimates at another prevalence, and what is assumed."""
    note = (
        f"Assumed: {_share(shifted)} of the cases are of class {quote(shifted.assessment.positive)} (here "
        f"{percent(Estimate(shifted.observed))}), and the scores of each class are distributed as here. Recall, "
        "specificity and the ROC curve do not change."
    )
    return Section(f"At a prevalence of {_share(shifted)}", (of_measures(found.items(), note),))


def _share(shifted: Shifted) -> str:
    return f"{100 * shifted.prevalence:.4g} %"


def as_dict(shifted: Shifted, *names: str) -> dict[str, Any]:
    """The named measures there, or the main ones, as plain values."""
    return of_shifted(shifted, shifted.estimates(names or shifted.main_measures))


def of_shifted(shifted: Shifted, found: dict[str, Estimate]) -> dict[str, Any]:
    """Estimates at another prevalence as plain values."""
    return {
        "prevalence": shifted.prevalence,
        "measures": {name: of_estimate(each) for name, each in found.items()},
    }
