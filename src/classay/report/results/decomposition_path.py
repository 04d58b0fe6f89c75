"""Decompositions over a parameter: document and JSON (docs/decomposition-path.schema.json)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from classay.improving.loss_parts import LOSS_TITLES
from classay.inference.estimate import said
from classay.report.document import Column, Document, Figure, Figures, Found, Label, Section, Table
from classay.report.pictures.diagrams import diagram, stack_of
from classay.report.results.assessment import closing
from classay.report.results.decomposition import IN_BIAS
from classay.report.results.decomposition import as_dict as of_one
from classay.report.results.decomposition import document_of as document_of_one
from classay.report.results.parts import head, plain

if TYPE_CHECKING:
    from classay.improving.learning_curve import DecompositionPath

CHOSEN = (
    "The least of several losses on the same rows is a little too low: judge the value that you choose on other "
    "rows."
)


def document_of(p: DecompositionPath) -> Document:
    """The document of a path."""
    first = p.decompositions[0]
    whole = document_of_one(first)
    facts = tuple(fact for fact in whole.facts if p.parameter != "size" or fact[0] != "training sets")
    warned = whole.section("warnings")
    return Document(
        f"Bias and variance of {first.learner} over {p.parameter}",
        (*facts, (p.parameter, ", ".join(map(str, p.values)))),
        tuple(_verdict(p)),
        (*_sections(p), *closing(first.random, warned.parts[0].items if warned else (), ())),  # type: ignore[union-attr]
    )


def with_pictures(document: Document, p: DecompositionPath) -> Document:
    """The document with its curves behind the stacked parts."""
    curves = Section("Over the parameter", (Figures((Figure(p.curves()),)),))
    return replace(document, sections=(document.sections[0], curves, *document.sections[1:]))


def _verdict(p: DecompositionPath) -> Iterator[str]:
    losses = [each["loss"] for each in p.decompositions]
    at = min(range(len(losses)), key=lambda k: losses[k].value)
    first = p.decompositions[0]
    yield f"The {LOSS_TITLES[first.loss]} is least at {p.parameter} {p.values[at]}: {said(losses[at])}."
    scheme = first.schemes[0]
    for name in (scheme.bias, scheme.variance):
        ends = [each[name] for each in (p.decompositions[0], p.decompositions[-1])]
        title = scheme.part(name).title
        lead = f"{title[:1].upper()}{title[1:]}"
        yield f"{lead} is {said(ends[0])} at {p.values[0]} and {said(ends[1])} at {p.values[-1]}."
    if not first.noise_known:
        yield IN_BIAS
    if len(p.values) > 1:
        yield CHOSEN


def _sections(p: DecompositionPath) -> Iterator[Section]:
    stacks = [stack_of(each, str(value)) for value, each in zip(p.values, p.decompositions, strict=True)]
    drawn = diagram(stacks, p.parameter)
    table = Table(
        (Column(p.parameter, Label), *(Column(title, Found) for title in p.shown_terms.values())),
        tuple(
            (Label(str(value)), *(Found(each[name]) for name in p.shown_terms))
            for value, each in zip(p.values, p.decompositions, strict=True)
        ),
    )
    yield Section("What the loss consists of", (table,) if drawn is None else (drawn, table))


SCHEMA = 1


def as_dict(p: DecompositionPath) -> dict[str, Any]:
    """The path as values that JSON knows: the whole decomposition at each value."""
    return {
        **head(SCHEMA),
        "parameter": p.parameter,
        "points": [
            {"value": plain(value), "decomposition": of_one(each)}
            for value, each in zip(p.values, p.decompositions, strict=True)
        ],
    }
