"""The document of an ensemble: what its members' votes tell of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from classay.ensembles.growth import Growth, shown_sizes
from classay.inference.estimate import Estimate, number
from classay.report.document import (
    Cell,
    Column,
    Count,
    Document,
    Figure,
    Figures,
    Found,
    Label,
    Method,
    Section,
    Table,
    Value,
)
from classay.report.documents.assessment import closing
from classay.report.words import interval
from classay.texts import quote

if TYPE_CHECKING:
    from classay.ensembles.assessment import EnsembleAssessment

SIZES = 10
"""Sizes that the table shows; the JSON holds all."""
FEWEST = 10
"""Members below which nothing is said of a plateau."""


def document_of(a: EnsembleAssessment) -> Document:
    """The document of an ensemble: its error as members are added, then how its members differ."""
    from classay import __version__

    return Document(
        f"{a.name} of {a.members} member{'' if a.members == 1 else 's'}",
        tuple(_facts(a)),
        tuple(_verdict(a)),
        (
            Section("Error against the number of members", (_growth(a),)),
            *_members(a),
            *closing(a.random, _warnings(a), _next_steps(a)),
        ),
        version=__version__,
    )


def with_pictures(document: Document, a: EnsembleAssessment) -> Document:
    """The document with its pictures, first of all."""
    figures = tuple(Figure(curves) for curves in a.curves())
    return replace(document, sections=(Section("Pictures", (Figures(figures),)), *document.sections))


def _facts(a: EnsembleAssessment) -> Iterator[tuple[str, str]]:
    yield ("members", f"{a.members:,} of {a.member}")
    shown = ", ".join(quote(label) for label in a.classes[:6])
    yield ("classes", f"{shown}{f' and {len(a.classes) - 6} more' if len(a.classes) > 6 else ''}")
    yield ("votes", a.rule)
    if a.out_of_bag is None:
        yield ("out of bag", f"no votes: {a.no_out_of_bag}")
    tied = [f"{grown.tied:,} {cases}" for cases, grown in a.growths.items() if grown.tied]
    yield ("ties", ", ".join(tied) if tied else "none among these cases")
    yield ("level", f"{100 * a.level:g} %")


def _verdict(a: EnsembleAssessment) -> Iterator[str]:
    best = a.best
    if best is None:
        yield (
            "The error on new cases cannot be told from the training cases here: assess with cases the ensemble has "
            "not seen."
        )
        return
    found = best.estimate(level=a.level)
    if found.is_undefined:
        yield f"The error is undefined: {found.reason}."
        return
    yield f"{_on(best)}, the error of all {a.members} members together is {_sure(found)}."
    if a.diversity is not None and a.members > 1:
        yield f"The error of one of them alone is {_sure(a.diversity.mean_error(a.level))} on average."
    if a.members >= FEWEST:
        yield _plateau(best)
    if a.training is not None and not a.training.estimate().is_undefined:
        yield (
            f"On the training cases it is {number(float(a.training.errors[-1]))}, which says nothing about new ones."
        )


def _plateau(grown: Growth) -> str:
    found = grown.plateau()
    assert found is not None  # the error is defined
    margin = number(found.margin)
    if found.is_reached:
        return (
            f"Plateau: from {found.members} member{'' if found.members == 1 else 's'} on the error stays within one "
            f"standard error ({margin}) of that of all {found.of}; more change little."
        )
    return (
        f"No plateau yet: the error came within one standard error ({margin}) of that of all {found.of} only from "
        f"{found.members} members on; more members may change it."
    )


def _on(grown: Growth) -> str:
    return {"test": "On new cases", "out of bag": "Out of bag"}[grown.cases]


def _sure(found: Estimate) -> str:
    return f"{number(found.value)} {interval(found)}".rstrip()


def _growth(a: EnsembleAssessment) -> Table:
    """A row for each of some sizes."""
    columns = [Column("members", Label)]
    for cases, grown in a.growths.items():
        columns.append(Column(cases, Value if grown.no_interval else Found))
        if grown.unvoted.any():
            columns.append(Column("without vote", Count, 6))
    if a.bound is not None:
        columns.append(Column("bound of training", Value, 7))
    rows = [tuple(_row(a, int(size))) for size in shown_sizes(a.members, SIZES)]
    kinds = dict.fromkeys(
        estimate.method
        for grown in a.growths.values()
        if (estimate := grown.estimate(level=a.level)).method is not None
    )
    return Table(
        tuple(columns),
        tuple(rows),
        foot=f"Share of cases classified wrongly by the first members. Intervals: {', '.join(kinds)}."
        if kinds
        else "",
    )


def _row(a: EnsembleAssessment, size: int) -> Iterator[Cell]:
    yield Label(f"{size:,}")
    for grown in a.growths.values():
        found = grown.estimate(size, a.level)
        yield Value(found) if grown.no_interval else Found(found)
        if grown.unvoted.any():
            yield Count(float(grown.unvoted[size - 1]))
    if a.bound is not None:
        yield Value(Estimate(float(a.bound[size - 1])))


def _members(a: EnsembleAssessment) -> Iterator[Section]:
    of = a.diversity
    if of is None:
        return
    rows = [("mean error of a member", of.mean_error(a.level))]
    if of.members > 1:
        rows += [
            ("mean agreement of two", of.mean_pair("agreement")),
            ("mean kappa of two", of.mean_pair("kappa")),
            ("mean share both get wrong", of.mean_pair("both_wrong")),
        ]
    best, worst = (number(float(each)) for each in (np.nanmin(of.errors), np.nanmax(of.errors)))
    table = Table(
        (Column("", Label), Column("value", Found), Column("method", Method)),
        tuple((Label(name), Found(found), Method(found)) for name, found in rows),
        foot=f"Errors of single members: {best} to {worst}. Kappa is agreement beyond chance: 1 for copies, 0 for "
        "members that agree by chance only. Members that are good and disagree gain most from voting.",
    )
    yield Section("Members", (table,))


def _warnings(a: EnsembleAssessment) -> Iterator[tuple[str, str]]:
    unseen = a.out_of_bag
    if unseen is None:
        return
    left = int(unseen.unvoted[-1])
    if left:
        yield (
            "unvoted",
            f"{left:,} of the training cases have no vote {unseen.cases}, as every member drew them: they are left "
            "out of that error; more members give them a vote.",
        )
    if unseen.no_interval:
        subject = "the error out of fold is" if unseen.cases == "out of fold" else "the out-of-bag votes are"
        yield "selected", f"{subject} {unseen.no_interval}."
    elif unseen.cases == "out of bag":
        yield (
            "out_of_bag",
            "the out-of-bag error is slightly pessimistic: each case is judged only by those members that did "
            "not draw it. Where members or settings were chosen by it, it is optimistic.",
        )


def _next_steps(a: EnsembleAssessment) -> Iterator[str]:
    yield "`.report('page.html')` draws the error, the margins and the members; `.to_dict()` holds every size"
    if a.test is None:
        yield "`.assess(X, y)` with new cases shows their error, and how the members differ"
    best = a.best
    plateau = None if best is None or a.members < FEWEST else best.plateau()
    if plateau is not None and not plateau.is_reached:
        yield "more members: `n_estimators`"
