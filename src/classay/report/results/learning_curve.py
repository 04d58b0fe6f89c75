"""A learning curve, and what twice the cases would bring; and its JSON (docs/learning-curve.schema.json)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from classay.improving.extrapolation import Extrapolation
from classay.inference.estimate import said, signed, spoken
from classay.measures import get
from classay.report.document import (
    AxisScale,
    Bar,
    Column,
    Count,
    Difference,
    Document,
    Figure,
    Figures,
    Found,
    Label,
    Prose,
    Section,
    Table,
)
from classay.report.results.assessment import closing, shares
from classay.report.results.decomposition import SHOWN
from classay.report.results.parts import BARS, bar, head, of_estimate, plain
from classay.report.words import signed_value

if TYPE_CHECKING:
    from classay.improving.learning_curve import LearningCurve


def document_of(c: LearningCurve) -> Document:
    """The document of a learning curve."""
    return Document(
        f"Learning curve of {c.learner}",
        tuple(_facts(c)),
        tuple(_verdict(c)),
        (*_sections(c), *closing(c.random, _warnings(c), ())),
    )


def with_pictures(document: Document, c: LearningCurve) -> Document:
    """The document with its picture first."""
    picture = Section("Learning curve", (Figures((Figure(c.curves()),)),))
    return replace(document, sections=(picture, *document.sections))


def _facts(c: LearningCurve) -> Iterator[tuple[str, str]]:
    e = c.evaluations[0]
    cases = e.runs[0].cases
    yield "cases", f"{cases.rows:,}"
    yield "cases by class", shares(cases.labels, cases.totals.tolist())
    yield "measure", get(c.measure).title
    yield "protocol", f"{e.protocol.name.partition('@')[0]}, {len(c.sizes)} training sizes"
    yield "level", f"{100 * c.level:g} %, seed {c.seed}"


def _verdict(c: LearningCurve) -> Iterator[str]:
    last = c.points[-1]
    yield (
        f"With {last.size:,} training cases, the {spoken(c.measure)} of {c.learner} is {said(last.test)} on new "
        f"cases, and {said(last.training)} on the training cases."
    )
    beyond = c.extrapolation
    if isinstance(beyond, str):
        yield f"The gain from more cases cannot be estimated: {beyond}."
    elif beyond.estimate.is_undefined:
        yield f"The gain from more cases cannot be estimated: {beyond.estimate.reason}."
    else:
        change = signed_value(beyond.change)
        if beyond.change.has_interval:
            _, low, high = signed(beyond.change)
            change += f" ({low} to {high})"
        yield (
            f"Extrapolated by a power law, {beyond.size:,} cases would give {said(beyond.estimate)}, a change of "
            f"{change}."
        )


def _sections(c: LearningCurve) -> Iterator[Section]:
    bounds = get(c.measure).bounds
    table = Table(
        (
            Column("training cases", Count),
            Column("new cases", Found),
            Column("", Bar, BARS),
            Column("training", Found),
        ),
        tuple((Count(p.size), Found(p.test), bar(p.test, bounds), Found(p.training)) for p in c.points),
        scale=AxisScale(),
    )
    yield Section(f"{get(c.measure).title} by training size", (table,))
    if isinstance(c.extrapolation, Extrapolation):
        yield Section("Extrapolation to twice the cases", (*_beyond(c.extrapolation, c.sizes[-1]),))


def _beyond(found: Extrapolation, top: int) -> Iterator[Prose | Table]:
    yield Prose(
        "A power law a + b n^-c through the points, with the interval that their errors give it; whether the law goes "
        f"on to hold is checked only from half of the cases to {top:,}.",
        "quiet",
    )
    rows = (
        (Label(f"at {found.size:,} cases"), Found(found.estimate)),
        (Label(f"change from {top:,}"), Difference(found.change)),
        (Label(f"expected at {top:,}, from half"), Found(found.expected)),
        (Label(f"seen at {top:,}"), Found(found.seen)),
        (Label("seen less expected"), Difference(found.miss)),
    )
    yield Table((Column("", Label), Column("value", Found)), rows)


def _warnings(c: LearningCurve) -> Iterable[tuple[str, str]]:
    yield from (("failure", f"a fit failed: {text}") for text in c.failures[:SHOWN])
    if len(c.failures) > SHOWN:
        yield "failure", f"{len(c.failures) - SHOWN} more such failures; the JSON lists them."
    last = c.evaluations[-1]
    for leak in last.runs[0].leaks:
        yield leak.code, f"leak check: {leak.text}"
    yield from (("note", text) for text in last.notes[:SHOWN])


SCHEMA = 1
_ESTIMATES = ("estimate", "change", "expected", "seen", "miss")


def as_dict(c: LearningCurve) -> dict[str, Any]:
    """The curve as values that JSON knows: undefined is None, infinity the text "Infinity"."""
    beyond = c.extrapolation
    cases = c.evaluations[0].runs[0].cases
    return {
        **head(SCHEMA),
        "learner": c.learner,
        "measure": c.measure,
        "rows": cases.rows,
        "labels": [plain(label) for label in cases.labels],
        "protocol": c.evaluations[0].protocol.name.partition("@")[0],
        "random": c.random,
        "level": c.level,
        "seed": c.seed,
        "points": [
            {"size": p.size, "new_cases": of_estimate(p.test), "training": of_estimate(p.training)}
            for p in c.points
        ],
        "extrapolation": None if isinstance(beyond, str) else _of_extrapolation(beyond),
        "why_not": beyond if isinstance(beyond, str) else None,
        "failures": list(c.failures),
    }


def _of_extrapolation(found: Extrapolation) -> dict[str, Any]:
    estimates = {name: of_estimate(getattr(found, name)) for name in _ESTIMATES}
    path = [dict(zip(("size", "value", "low", "high"), map(plain, each), strict=True)) for each in found.path]
    return {"size": found.size, "holds": found.holds, **estimates, "path": path}
