"""The best of several models: its document and its JSON."""

from __future__ import annotations

from typing import Any

from classay.comparison.cases.best import Best
from classay.inference.estimate import title
from classay.report.document import Column, Document, Found, Label, MethodCell, Section, Table
from classay.report.results.parts import head, of_estimate, plain


def document_of(best: Best) -> Document:
    """The observed value of the best model, its expected value on fresh cases, and the difference."""
    table = Table(
        (Column("", Label), Column("value", Found), Column("method", MethodCell)),
        tuple(
            (Label(name), Found(each), MethodCell(each))
            for name, each in (
                ("observed, uncorrected", best.observed),
                ("expected on fresh cases", best.corrected),
            )
        ),
        foot="The corrected interval holds whichever model is chosen.",
    )
    facts = (
        *best.facts,
        ("best", best.model),
        ("level", f"{100 * (best.corrected.level or best.observed.level or 0.95):g} %, seed {best.seed}"),
    )
    measure = title(best.measure)
    section = Section(f"{measure[:1].upper()}{measure[1:]} of {best.model}", (table,))
    return Document("The best of several models", facts, (best.sentence,), (section,))


SCHEMA = 1


def as_dict(best: Best) -> dict[str, Any]:
    """The best model with both estimates, as plain values."""
    return {
        **head(SCHEMA),
        "measure": best.measure,
        "model": best.model,
        "models": best.models,
        "cases": best.cases,
        "observed": of_estimate(best.observed),
        "corrected": of_estimate(best.corrected),
        "shrinkage": plain(best.shrinkage),
        "sentence": best.sentence,
        "seed": best.seed,
    }
