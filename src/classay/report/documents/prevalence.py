"""The document of an assessment at another prevalence."""

from __future__ import annotations

from dataclasses import replace

from classay.assessment.judgement.words import percent
from classay.assessment.shifted import Shifted
from classay.inference.estimate import Estimate
from classay.report.document import Document, Section
from classay.report.documents.assessment import document_of as document_of_assessment
from classay.report.documents.parts.tables import of_measures
from classay.texts import quote


def document_of(shifted: Shifted) -> Document:
    """The document of another prevalence alone: the facts of the cases, and the main measures there."""
    whole = document_of_assessment(shifted.assessment, names=())
    there = section_of(shifted, shifted.estimates(shifted.main_measures))
    return Document(
        f"At a prevalence of {_share(shifted)}",
        whole.facts,
        (),
        (replace(there, title="What changes"),),
        version=whole.version,
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
