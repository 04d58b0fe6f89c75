"""The document of the best of several models."""

from __future__ import annotations

from classay.comparison.cases.choice.best import Best
from classay.inference.words import title
from classay.report.document import Column, Document, Found, Label, Method, Section, Table


def document_of(best: Best) -> Document:
    """What the best model shows, what to expect of it, and what the choice took."""
    from classay import __version__

    table = Table(
        (Column("", Label), Column("value", Found), Column("method", Method)),
        tuple(
            (Label(name), Found(each), Method(each))
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
    return Document("The best of several models", facts, (best.sentence,), (section,), version=__version__)
