"""Ensembles of several kinds on the same cases: document and JSON (docs/ensembles.schema.json)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.ensembles.growth import shown_sizes
from classay.inference.estimate import Estimate, number
from classay.report.document import (
    Cell,
    Column,
    Document,
    Figure,
    Figures,
    Found,
    Label,
    Section,
    Table,
    Value,
    Words,
)
from classay.report.results.assessment import closing
from classay.report.results.ensemble import SIZES, rounds_of, warnings_of
from classay.report.results.ensemble import as_dict as of_one
from classay.report.results.parts import head
from classay.report.words import interval
from classay.texts import hint, quote

if TYPE_CHECKING:
    from classay.ensembles.ensemble_assessment import EnsembleAssessment
    from classay.ensembles.several import EnsembleAssessments

TESTED = ("test", "out of bag")
"""Kinds of cases that tell of new ones, each with a table of the error against the number of members."""


def document_of(a: EnsembleAssessments) -> Document:
    """The document of several ensembles: side by side, then the error of each as members are added."""
    return Document(
        f"Ensembles: {', '.join(a.of)}",
        tuple(_facts(a)),
        tuple(_verdict(a)),
        (
            Section("Side by side", (_side_by_side(a),)),
            *_growth(a),
            Section("Margins on the test cases", (_margins(a),)),
            *(section for name, each in a.of.items() for section in rounds_of(each, name)),
            *closing(a.random, _warnings(a), _next_steps(a)),
        ),
    )


def with_pictures(document: Document, a: EnsembleAssessments) -> Document:
    """The document with its pictures, first of all."""
    figures = tuple(Figure(curves) for curves in a.curves())
    return replace(document, sections=(Section("Pictures", (Figures(figures),)), *document.sections))


def _facts(a: EnsembleAssessments) -> Iterator[tuple[str, str]]:
    yield ("cases", f"{a.n_train:,} to fit all of them, {a.n_test:,} others to test them")
    yield ("classes", ", ".join(quote(label) for label in next(iter(a.of.values())).classes))
    for name, each in a.of.items():
        yield (name, f"{each.name}, {each.members:,} of {each.member}")
    yield ("level, seed", f"{100 * a.level:g} %, {a.seed}")


def _verdict(a: EnsembleAssessments) -> Iterator[str]:
    for name, each in a.of.items():
        found = each.error()
        unseen = each.out_of_bag
        bag = "" if unseen is None else f", out of bag {number(float(unseen.errors[-1]))}"
        yield f"{name}: error {number(found.value)} {interval(found)} on the test cases{bag}.".replace(
            "  ", " "
        )


def _side_by_side(a: EnsembleAssessments) -> Table:
    """What a lecture asks of each: its errors, that of one member, how members agree, where the error settles."""
    columns = (
        Column("ensemble", Label),
        Column("test error", Found),
        Column("out of bag", Found, 2),
        Column("training", Value, 6),
        Column("one member", Value, 4),
        Column("kappa of two", Value, 5),
        Column("settled at", Words, 3),
    )
    return Table(
        columns,
        tuple((Label(name), *_row(each)) for name, each in a.of.items()),
        foot="One member: the mean test error of a member alone; kappa: how far two agree beyond chance, on average. "
        "Settled at: from so many members on, the test error stays within one standard error of that of all.",
    )


def _row(each: EnsembleAssessment) -> Iterator[Cell]:
    yield Found(each.error())
    yield Found(
        _none(each.no_out_of_bag) if each.out_of_bag is None else each.out_of_bag.estimate(level=each.level)
    )
    yield None if each.training is None else Value(each.training.estimate())
    yield None if each.diversity is None else Value(each.diversity.mean_error(each.level))
    yield None if each.diversity is None else Value(each.diversity.mean_pair("kappa"))
    assert each.test is not None  # all are tested
    plateau = each.test.plateau() if each.test.is_known.all() else None
    reached = plateau is not None and plateau.is_reached
    yield Words(f"{plateau.members:,} of {plateau.of:,}" if plateau is not None and reached else "not yet")


def _none(reason: str) -> Estimate:
    return Estimate.undefined(reason)


def _growth(a: EnsembleAssessments) -> Iterator[Section]:
    """A row for each of some sizes, a column for each ensemble."""
    for cases in TESTED:
        grown = {name: each.growths[cases] for name, each in a.of.items() if cases in each.growths}
        if not grown:
            continue
        sizes = shown_sizes(max(each.members for each in grown.values()), SIZES)
        rows = [
            (
                Label(f"{size:,}"),
                *(
                    Found(each.estimate(int(size), a.level))
                    if size <= each.members and each.is_known[size - 1]
                    else None
                    for each in grown.values()
                ),
            )
            for size in sizes
        ]
        columns = (Column("members", Label), *(Column(name, Found) for name in grown))
        foot = "Share of cases classified wrongly by the first members."
        yield Section(
            f"Error against the number of members, {cases}", (Table(columns, tuple(rows), foot=foot),)
        )


def _margins(a: EnsembleAssessments) -> Table:
    heads = ("mean", "5 %", "25 %", "50 %", "below 0")
    columns = (Column("ensemble", Label), *(Column(head, Value) for head in heads))
    rows: list[tuple[Cell, ...]] = []
    for name, each in a.of.items():
        known = each.margins["test"]
        known = known[~np.isnan(known)]
        numbers = [known.mean(), *np.quantile(known, (0.05, 0.25, 0.5)), (known < 0).mean()]
        rows.append((Label(name), *(Value(Estimate(float(each))) for each in numbers)))
    return Table(
        columns,
        tuple(rows),
        foot="The margin of a case is the share of the votes for its true class less that for the next: wrong below 0. "
        "5 %, 25 % and 50 % are its quantiles over the cases.",
    )


def _warnings(a: EnsembleAssessments) -> Iterator[tuple[str, str]]:
    yield from dict.fromkeys(found for each in a.of.values() for found in warnings_of(each))
    if len(a.of) > 1:
        yield (
            "one_split",
            "one split tells little of which kind is best: `evaluate` compares learners over many, with a test.",
        )


def _next_steps(a: EnsembleAssessments) -> Iterator[str]:
    first = next(iter(a.of))
    yield hint(
        f"`.report('page.html')` draws the errors, the margins and the members; `a['{first}']` has all of one",
        "`--html page.html` draws the errors, the margins and the members; `--json out.json` holds every size",
    )


SCHEMA = 1


def as_dict(a: EnsembleAssessments) -> dict[str, Any]:
    """The assessments as values that JSON knows: that of each whole."""
    return {
        **head(SCHEMA),
        "n_train": a.n_train,
        "n_test": a.n_test,
        "seed": a.seed,
        "level": a.level,
        "random": a.random,
        "ensembles": [{"name": name, "assessment": of_one(each)} for name, each in a.of.items()],
    }
