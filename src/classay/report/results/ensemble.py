"""An ensemble, by its members' votes: its document and its JSON (docs/ensemble.schema.json)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.ensembles.growth import Growth, shown_sizes
from classay.ensembles.members import NO_TRAINING
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
    MethodCell,
    Section,
    Table,
    Value,
)
from classay.report.results.assessment import closing
from classay.report.results.parts import head, of_estimate, plain
from classay.report.words import interval
from classay.texts import quote

if TYPE_CHECKING:
    from classay.ensembles.ensemble_assessment import EnsembleAssessment
    from classay.ensembles.growth import Diversity

SIZES = 10
"""Sizes that the table shows; the JSON holds all."""
FEWEST = 10
"""Members below which nothing is said of a plateau."""


def document_of(a: EnsembleAssessment) -> Document:
    """The document of an ensemble: its error as members are added, then how its members differ."""
    return Document(
        f"{a.name} of {a.members} member{'' if a.members == 1 else 's'}",
        tuple(_facts(a)),
        tuple(_verdict(a)),
        (
            Section("Error against the number of members", (_growth(a),)),
            *rounds_of(a),
            *_members(a),
            *closing(a.random, warnings_of(a), _next_steps(a)),
        ),
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
            f"standard error ({margin}) of that of all {found.of}; further members change little."
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
    known = np.any([grown.is_known for grown in a.growths.values()], axis=0)
    rows = [tuple(_row(a, int(size))) for size in shown_sizes(a.members, SIZES) if known[size - 1]]
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


def rounds_of(a: EnsembleAssessment, of: str = "boosting") -> Iterator[Section]:
    """What each round of AdaBoost found, and what it made of the weights."""
    if a.rounds is None:
        return
    columns = {name: each for name, each in a.rounds.columns().items() if not name.startswith("bound")}
    rows: list[tuple[Cell, ...]] = [
        (Label(f"{size:,}"), *(Value(Estimate(float(each[size - 1]))) for each in columns.values()))
        for size in shown_sizes(a.members, SIZES)
    ]
    foot = (
        "ε is the weight of the cases that the member gets wrong, of a total of 1; α its say. The weight of each of "
        "these cases is multiplied by exp(α), and then all of them weigh what the last column says."
    )
    heads = (Column("round", Label), *(Column(name, Value, 6) for name in columns))
    yield Section(f"Rounds of {of}", (Table(heads, tuple(rows), foot=foot),))


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
        (Column("", Label), Column("value", Found), Column("method", MethodCell)),
        tuple((Label(name), Found(found), MethodCell(found)) for name, found in rows),
        foot=f"Errors of single members: {best} to {worst}. Kappa is agreement beyond chance: 1 for copies, 0 for "
        "members that agree by chance only. Members that are good and disagree gain most from voting.",
    )
    yield Section("Members" if of.cases == "test" else f"Members, {of.cases}", (table,))


def warnings_of(a: EnsembleAssessment) -> Iterator[tuple[str, str]]:
    """What to keep in mind of votes out of bag."""
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
    yield (
        "out_of_bag",
        "the out-of-bag error is slightly pessimistic: each case is judged only by those members that did not draw "
        "it. Where members or settings were chosen by it, it is optimistic.",
    )


def _next_steps(a: EnsembleAssessment) -> Iterator[str]:
    yield "`.report('page.html')` draws the error, the margins and the members; `.to_dict()` holds every size"
    if a.test is None:
        yield "`ca.ensembles.assess(fitted, X, y)` with new cases shows their error, and how the members differ"
    elif a.training is None and a.no_out_of_bag == NO_TRAINING:
        yield "`training=(X, y)`, the cases of the fit, shows the error on them, and out of bag"
    best = a.best
    plateau = None if best is None or a.members < FEWEST else best.plateau()
    if plateau is not None and not plateau.is_reached:
        yield "more members: `n_estimators`"


SCHEMA = 1
QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


def as_dict(a: EnsembleAssessment) -> dict[str, Any]:
    """The assessment of an ensemble as values that JSON knows: undefined is None."""
    return {
        **head(SCHEMA),
        "ensemble": a.name,
        "member": a.member,
        "members": a.members,
        "classes": [plain(label) for label in a.classes],
        "rule": a.rule,
        "random": a.random,
        "level": a.level,
        "error": of_estimate(a.error()),
        "no_out_of_bag": a.no_out_of_bag if a.out_of_bag is None else None,
        "growth": [_of_growth(each, a.level) for each in a.growths.values()],
        "training_error_bound": None if a.bound is None else [plain(float(each)) for each in a.bound],
        "rounds": None
        if a.rounds is None
        else {
            name: [plain(each) for each in column] for name, column in a.rounds.frame().to_pydict().items()
        },
        "margins": [_of_margins(cases, each) for cases, each in a.margins.items()],
        "diversity": None if a.diversity is None else _of_diversity(a.diversity, a.level),
    }


def _of_growth(grown: Growth, level: float) -> dict[str, Any]:
    found = [grown.estimate(size, level) for size in range(1, grown.members + 1)]
    plateau = grown.plateau()
    return {
        "cases": grown.cases,
        **of_estimate(found[-1]),
        "errors": [plain(each.value) for each in found],
        "lows": [plain(each.low) for each in found],
        "highs": [plain(each.high) for each in found],
        "unvoted": [int(each) for each in grown.unvoted],
        "tied": grown.tied,
        "plateau": None
        if plateau is None
        else {
            "members": plateau.members,
            "margin": plain(plateau.margin),
            "is_reached": plateau.is_reached,
        },
    }


def _of_margins(cases: str, margins: Any) -> dict[str, Any]:
    known = margins[~np.isnan(margins)]
    cuts = np.quantile(known, QUANTILES) if known.size else np.full(len(QUANTILES), np.nan)
    return {
        "cases": cases,
        "n": int(known.size),
        "mean": plain(float(known.mean())) if known.size else None,
        "quantiles": [
            {"share": share, "margin": plain(float(cut))} for share, cut in zip(QUANTILES, cuts, strict=True)
        ],
    }


def _of_diversity(of: Diversity, level: float) -> dict[str, Any]:
    return {
        "cases": of.cases,
        "errors": [plain(float(each)) for each in of.errors],
        "mean_error": of_estimate(of.mean_error(level)),
        "agreement": of_estimate(of.mean_pair("agreement")),
        "kappa": of_estimate(of.mean_pair("kappa")),
        "both_wrong": of_estimate(of.mean_pair("both_wrong")),
    }
