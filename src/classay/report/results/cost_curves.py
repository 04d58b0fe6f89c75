"""Cost curves of several models: their document and their JSON (docs/decision.schema.json)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from classay.curves.acting import cost_trivial
from classay.curves.curve import Curve
from classay.decision.cost_curves import TRIVIAL, CostCurves
from classay.report.document import (
    Column,
    Document,
    Figure,
    Figures,
    Found,
    Label,
    Prose,
    Section,
    Table,
    Value,
    Words,
)
from classay.report.results.assessment import closing, of_curve
from classay.report.results.parts import head, of_estimate, plain


def document_of(found: CostCurves, *, title: str = "Which model at which costs") -> Document:
    """The document of cost curves, without pictures."""
    at = [Section("At these costs", (_choices(found),))] if found.choices else []
    sections = [*at, Section("Ranges of costs", (_ranges(found),)), *closing(_random(), (), ())]
    return Document(title, found.facts, _advice(found), tuple(sections))


def with_pictures(document: Document, found: CostCurves) -> Document:
    """The document with the envelopes, their bands and the trivial rule."""
    honest = Figure((*_titled(found.honest, "on other cases"), cost_trivial()))
    every = Figure((*_bare(found.curves), cost_trivial()))
    if len(found.models) <= DRAWN:
        drawn = Section("Curves", (Figures((every,), (honest,)),))
        return replace(document, sections=(drawn, *document.sections))
    widest = sorted(found.ranges, key=lambda each: each.low - each.high)
    best = [each for each in dict.fromkeys(one.best for one in widest) if each in found.models][:DRAWN]
    curves = [curve for curve, name in zip(found.curves, found.models, strict=True) if name in best]
    note = Prose(
        f"Drawn are those of {len(found.models)} models that cost least in wide ranges of costs.", "quiet"
    )
    figure = Figure((*_bare(curves), cost_trivial()))
    drawn = Section(
        "Curves", (note, Figures((figure,), (Figure((*_titled(every.curves, "of all models"),)), honest)))
    )
    return replace(document, sections=(drawn, *document.sections))


def _titled(curves: Sequence[Curve], which: str) -> list[Curve]:
    return [replace(each, title=f"{each.title}s {which}") for each in curves]


DRAWN = 5
"""Models whose curves can be told apart."""
BANDS = 3
"""Curves whose bands can."""


def _bare(curves: Sequence[Curve]) -> list[Curve]:
    """The curves, without bands where these would cover each other."""
    return [replace(each, low=None, high=None, band="") if len(curves) > BANDS else each for each in curves]


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


def _choices(found: CostCurves) -> Table:
    """The threshold of each model, and what it is expected to cost a case on new cases."""
    return Table(
        (Column("model", Label), Column("threshold", Value), Column("cost", Found)),
        tuple((Label(name), Value(at), Found(cost)) for name, at, cost in found.choices),
        foot="Cost a case, expected on new cases, of the threshold that costs least.",
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
        "choices": [
            {"model": name, "threshold": of_estimate(at), "cost": of_estimate(cost)}
            for name, at, cost in found.choices
        ],
        "curves": {each.series: of_curve(each) for each in found.curves},
        "honest": {model: of_curve(each) for model, each in zip(found.models, found.honest, strict=True)},
        "notes": list(found.notes),
    }
