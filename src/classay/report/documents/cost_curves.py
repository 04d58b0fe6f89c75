"""The document of cost curves of several models."""

from __future__ import annotations

from dataclasses import replace

from classay.curves.cost import cost_trivial
from classay.decision.cost_curves import CostCurves
from classay.decision.cost_ranges import TRIVIAL
from classay.report.document import Column, Document, Figure, Figures, Label, Section, Table, Words
from classay.report.documents.assessment import closing


def document_of(found: CostCurves, *, title: str = "Which model at which costs") -> Document:
    """The document of cost curves, without pictures."""
    from classay import __version__

    sections = [Section("Ranges of costs", (_ranges(found),)), *closing(_random(), (), ())]
    return Document(title, found.facts, _advice(found), tuple(sections), version=__version__)


def with_pictures(document: Document, found: CostCurves) -> Document:
    """The document with the envelopes, their bands and the trivial rule."""
    figure = Figure((*found.curves, cost_trivial()))
    honest = Figure((*found.honest, cost_trivial()), "on other cases")
    drawn = Section("Curves", (Figures((figure,), (honest,)),))
    return replace(document, sections=(drawn, *document.sections))


def _advice(found: CostCurves) -> tuple[str, ...]:
    if found.at is None:
        return _of_widest(found, 3)
    here = found.best_at(found.at)
    place = f"These costs are a probability cost of {found.at:.3g}"
    sure = "significantly less than any other" if here.wins else "least, by no more than chance explains"
    there = f"{here.best} costs {sure}"
    if here.best == TRIVIAL:
        there = "calling all or nobody positive costs as little as any model"
    return (f"{place}: there {there}.", *_of_widest(found, 2))


def _of_widest(found: CostCurves, most: int) -> tuple[str, ...]:
    """What is said of the widest ranges of costs, in their order."""
    widest = sorted(range(len(found.ranges)), key=lambda i: found.ranges[i].low - found.ranges[i].high)
    return tuple(found.advice[i] for i in sorted(widest[:most]))


def _ranges(found: CostCurves) -> Table:
    return Table(
        (Column("probability cost", Label), Column("least cost", Words), Column("significantly", Words)),
        tuple(
            (
                Label(f"{each.low:.2f} to {each.high:.2f}"),
                Words(each.best),
                Words("yes" if each.wins else "no", "good" if each.wins else "quiet"),
            )
            for each in found.ranges
        ),
        foot="Judged with thresholds chosen on other cases, simultaneously for all probability costs and pairs; "
        + " ".join(("calling all or nobody positive is the trivial rule.", *found.notes)),
    )


def _random() -> str:
    return (
        "Random: the cases. Bands are pointwise, of the best threshold found on these same cases. Which costs least is "
        "judged with thresholds chosen on other cases, for all probability costs and pairs of models at once: with the "
        "chance of the level no range is wrongly said to be won."
    )
