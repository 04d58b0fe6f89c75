"""Cost curves of several models: their document and their JSON (docs/decision.schema.json)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from classay.curves.acting import cost_trivial
from classay.decision.cost_curves import TRIVIAL, CostCurves
from classay.report.document import Column, Document, Figure, Figures, Label, Section, Table, Words
from classay.report.results.assessment import closing, of_curve
from classay.report.results.parts import head, plain


def document_of(found: CostCurves, *, title: str = "Which model at which costs") -> Document:
    """The document of cost curves, without pictures."""
    sections = [Section("Ranges of costs", (_ranges(found),)), *closing(_random(), (), ())]
    return Document(title, found.facts, _advice(found), tuple(sections))


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
    sure = "significantly less than any other" if here.wins else "least, but not significantly"
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
        "judged with thresholds chosen on other cases, for all probability costs and pairs of models at once: the "
        "level is the probability that no range is called significant by mistake."
    )


SCHEMA = 1


def as_dict(found: CostCurves) -> dict[str, Any]:
    """The curves, and where each model is best, as values that JSON knows."""
    return {
        **head(SCHEMA, "cost curves"),
        "models": list(found.models),
        "level": found.level,
        "seed": found.seed,
        "at": plain(found.at),
        "ranges": [
            {"low": each.low, "high": each.high, "best": each.best, "wins": each.wins}
            for each in found.ranges
        ],
        "curves": {each.series: of_curve(each) for each in found.curves},
        "honest": {model: of_curve(each) for model, each in zip(found.models, found.honest, strict=True)},
        "notes": list(found.notes),
    }
