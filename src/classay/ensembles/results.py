"""An ensemble, by the votes of its members; ensembles of several kinds on the same cases.

Documents and JSON (docs/ensemble.schema.json, docs/ensembles.schema.json).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isnan
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
    Words,
)
from classay.report.results.assessments import closing
from classay.report.results.parts import head, of_estimate, of_warnings, plain
from classay.report.words import interval
from classay.texts import hint, quote

if TYPE_CHECKING:
    from classay.ensembles.ensemble_assessment import EnsembleAssessment
    from classay.ensembles.growth import Diversity
    from classay.ensembles.learners import EnsembleAssessments


SIZES = 10
"""Sizes that the table shows; the JSON holds all."""
FEWEST = 10
"""Members below which nothing is said of a plateau."""


def document_of_ensemble(a: EnsembleAssessment) -> Document:
    """The document of an ensemble: its error as members are added, then how its members differ."""
    return Document(
        f"{a.name} of {a.members} member{'' if a.members == 1 else 's'}",
        tuple(_facts_of_ensemble(a)),
        tuple(_verdict_of_ensemble(a)),
        (
            Section("Error against the number of members", (_growth_of_ensemble(a),)),
            *rounds_of(a),
            *_members(a),
            *closing(a.random, a.warnings, _next_steps_of_ensemble(a)),
        ),
    )


def with_pictures_of_ensemble(document: Document, a: EnsembleAssessment) -> Document:
    """The document with its pictures, first of all."""
    figures = tuple(Figure(curves) for curves in a.curves())
    return replace(document, sections=(Section("Pictures", (Figures(figures),)), *document.sections))


def _facts_of_ensemble(a: EnsembleAssessment) -> Iterator[tuple[str, str]]:
    yield ("members", f"{a.members:,} of {a.member}")
    shown = ", ".join(quote(label) for label in a.classes[:6])
    yield ("classes", f"{shown}{f' and {len(a.classes) - 6} more' if len(a.classes) > 6 else ''}")
    yield ("votes", a.rule)
    if a.out_of_bag is None:
        yield ("out of bag", f"no votes: {a.no_out_of_bag}")
    tied = [f"{grown.tied:,} {cases}" for cases, grown in a.growths.items() if grown.tied]
    yield ("ties", ", ".join(tied) if tied else "none among these cases")
    yield ("level", f"{100 * a.level:g} %")


def _verdict_of_ensemble(a: EnsembleAssessment) -> Iterator[str]:
    best = a.best
    if best is None:
        yield (
            "The error on new cases cannot be told from the training cases here: assess with cases the ensemble has "
            "not seen."
        )
        return
    error = best.estimate(level=a.level)
    if error.is_undefined:
        yield f"The error is undefined: {error.reason}."
        return
    yield f"{_on(best)}, the error of all {a.members} members together is {_sure(error)}."
    if a.diversity is not None and a.members > 1:
        yield f"The error of one of them alone is {_sure(a.diversity.mean_error(a.level))} on average."
    if a.members >= FEWEST:
        yield _plateau(best)
    if a.training is not None and not a.training.estimate().is_undefined:
        yield (
            f"On the training cases it is {number(float(a.training.errors[-1]))}, which says nothing about new ones."
        )


def _plateau(grown: Growth) -> str:
    plateau = grown.plateau()
    assert plateau is not None  # the error is defined
    margin = number(plateau.margin)
    if plateau.is_reached:
        return (
            f"Plateau: from {plateau.members} member{'' if plateau.members == 1 else 's'} on the error stays within "
            f"one standard error ({margin}) of that of all {plateau.of}; further members change little."
        )
    return (
        f"No plateau yet: the error came within one standard error ({margin}) of that of all {plateau.of} only from "
        f"{plateau.members} members on; more members may change it."
    )


def _on(grown: Growth) -> str:
    return {"test": "On new cases", "out of bag": "Out of bag"}[grown.cases]


def _sure(estimate: Estimate) -> str:
    return f"{number(estimate.value)} {interval(estimate)}".rstrip()


def _growth_of_ensemble(a: EnsembleAssessment) -> Table:
    """A row for each of some sizes."""
    columns = [Column("members", Label)]
    for cases, grown in a.growths.items():
        columns.append(Column(cases, Value if grown.no_interval else Found))
        if grown.unvoted.any():
            columns.append(Column("without vote", Count, 6))
    if a.bound is not None:
        columns.append(Column("bound of training", Value, 7))
    known = np.any([grown.is_known for grown in a.growths.values()], axis=0)
    rows = [
        tuple(_row_of_ensemble(a, int(size))) for size in shown_sizes(a.members, SIZES) if known[size - 1]
    ]
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


def _row_of_ensemble(a: EnsembleAssessment, size: int) -> Iterator[Cell]:
    yield Label(f"{size:,}")
    for grown in a.growths.values():
        estimate = grown.estimate(size, a.level)
        yield Value(estimate) if grown.no_interval else Found(estimate)
        if grown.unvoted.any():
            yield Count(float(grown.unvoted[size - 1]))
    if a.bound is not None:
        yield Value(Estimate(float(a.bound[size - 1])))


def rounds_of(a: EnsembleAssessment, of: str = "boosting") -> Iterator[Section]:
    """What each round of AdaBoost found, and what it made of the weights."""
    if a.rounds is None:
        return
    columns = {name: column for name, column in a.rounds.columns().items() if not name.startswith("bound")}
    rows: list[tuple[Cell, ...]] = [
        (Label(f"{size:,}"), *(Value(Estimate(float(column[size - 1]))) for column in columns.values()))
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
    best, worst = (number(float(error)) for error in (np.nanmin(of.errors), np.nanmax(of.errors)))
    table = Table(
        (Column("", Label), Column("value", Found), Column("method", MethodCell)),
        tuple((Label(name), Found(estimate), MethodCell(estimate)) for name, estimate in rows),
        foot=f"Errors of single members: {best} to {worst}. Kappa is agreement beyond chance: 1 for copies, 0 for "
        "members that agree by chance only. Members that are good and disagree gain most from voting.",
    )
    yield Section("Members" if of.cases == "test" else f"Members, {of.cases}", (table,))


def _next_steps_of_ensemble(a: EnsembleAssessment) -> Iterator[str]:
    yield "`.report('page.html')` draws the error, the margins and the members; `.to_dict()` holds every size"
    if a.test is None:
        yield "`ca.ensembles.assess(fitted, X, y)` with new cases shows their error, and how the members differ"
    elif a.training is None and a.no_out_of_bag == NO_TRAINING:
        yield "`training=(X, y)`, the cases of the fit, shows the error on them, and out of bag"
    best = a.best
    plateau = None if best is None or a.members < FEWEST else best.plateau()
    if plateau is not None and not plateau.is_reached:
        yield "more members: `n_estimators`"


SCHEMA_OF_ENSEMBLE = 1
QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


def as_dict_of_ensemble(a: EnsembleAssessment) -> dict[str, Any]:
    """The assessment of an ensemble as values that JSON knows: undefined is None."""
    return {
        **head(SCHEMA_OF_ENSEMBLE),
        "ensemble": a.name,
        "member": a.member,
        "members": a.members,
        "classes": [plain(label) for label in a.classes],
        "rule": a.rule,
        "random": a.random,
        "warnings": of_warnings(a.warnings),
        "level": a.level,
        "error": of_estimate(a.error()),
        "no_out_of_bag": a.no_out_of_bag if a.out_of_bag is None else None,
        "growth": [_of_growth(growth, a.level) for growth in a.growths.values()],
        "training_error_bound": None if a.bound is None else [plain(float(bound)) for bound in a.bound],
        "rounds": None
        if a.rounds is None
        else {
            name: [plain(cell) for cell in column] for name, column in a.rounds.frame().to_pydict().items()
        },
        "margins": [_of_margins(cases, margins) for cases, margins in a.margins.items()],
        "diversity": None if a.diversity is None else _of_diversity(a.diversity, a.level),
    }


def _of_growth(grown: Growth, level: float) -> dict[str, Any]:
    errors = [grown.estimate(size, level) for size in range(1, grown.members + 1)]
    plateau = grown.plateau()
    return {
        "cases": grown.cases,
        **of_estimate(errors[-1]),
        "errors": [plain(error.value) for error in errors],
        "lows": [plain(error.low) for error in errors],
        "highs": [plain(error.high) for error in errors],
        "unvoted": [int(count) for count in grown.unvoted],
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
        "errors": [plain(float(error)) for error in of.errors],
        "mean_error": of_estimate(of.mean_error(level)),
        "agreement": of_estimate(of.mean_pair("agreement")),
        "kappa": of_estimate(of.mean_pair("kappa")),
        "both_wrong": of_estimate(of.mean_pair("both_wrong")),
    }


TESTED = ("test", "out of bag")
"""Kinds of cases that tell of new ones, each with a table of the error against the number of members."""


def document_of_ensembles(a: EnsembleAssessments) -> Document:
    """The document of several ensembles: side by side, then the error of each as members are added."""
    return Document(
        f"Ensembles: {', '.join(a.of)}",
        tuple(_facts_of_ensembles(a)),
        tuple(_verdict_of_ensembles(a)),
        (
            Section("Side by side", (_side_by_side(a),)),
            *_growth_of_ensembles(a),
            Section("Margins on the test cases", (_margins(a),)),
            *(section for name, assessment in a.of.items() for section in rounds_of(assessment, name)),
            *closing(a.random, a.warnings, _next_steps_of_ensembles(a)),
        ),
    )


def with_pictures_of_ensembles(document: Document, a: EnsembleAssessments) -> Document:
    """The document with its pictures, first of all."""
    figures = tuple(Figure(curves) for curves in a.curves())
    return replace(document, sections=(Section("Pictures", (Figures(figures),)), *document.sections))


def _facts_of_ensembles(a: EnsembleAssessments) -> Iterator[tuple[str, str]]:
    yield ("cases", f"{a.n_train:,} to fit all of them, {a.n_test:,} others to test them")
    yield ("classes", ", ".join(quote(label) for label in next(iter(a.of.values())).classes))
    for name, assessment in a.of.items():
        yield (name, f"{assessment.name}, {assessment.members:,} of {assessment.member}")
    yield ("level", f"{100 * a.level:g} %, seed {a.seed}")


def _verdict_of_ensembles(a: EnsembleAssessments) -> Iterator[str]:
    """The error of each, the lowest first."""
    errors = {name: assessment.error() for name, assessment in a.of.items()}
    for name, error in sorted(errors.items(), key=lambda pair: (isnan(pair[1].value), pair[1].value)):
        assessment = a.of[name]
        unseen = assessment.out_of_bag
        bag = "" if unseen is None else f", out of bag {number(float(unseen.errors[-1]))}"
        yield f"{name}: error {number(error.value)} {interval(error)} on the test cases{bag}.".replace(
            "  ", " "
        )


def _side_by_side(a: EnsembleAssessments) -> Table:
    """Each ensemble in a row: its errors, that of one member, how members agree, where the error settles."""
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
        tuple((Label(name), *_row_of_ensembles(assessment)) for name, assessment in a.of.items()),
        foot="One member: the mean test error of a member alone; kappa: how far two agree beyond chance, on average. "
        "Settled at: from so many members on, the test error stays within one standard error of that of all.",
    )


def _row_of_ensembles(assessment: EnsembleAssessment) -> Iterator[Cell]:
    yield Found(assessment.error())
    yield Found(
        _none(assessment.no_out_of_bag)
        if assessment.out_of_bag is None
        else assessment.out_of_bag.estimate(level=assessment.level)
    )
    yield None if assessment.training is None else Value(assessment.training.estimate())
    yield None if assessment.diversity is None else Value(assessment.diversity.mean_error(assessment.level))
    yield None if assessment.diversity is None else Value(assessment.diversity.mean_pair("kappa"))
    assert assessment.test is not None  # all are tested
    plateau = assessment.test.plateau() if assessment.test.is_known.all() else None
    reached = plateau is not None and plateau.is_reached
    yield Words(f"{plateau.members:,} of {plateau.of:,}" if plateau is not None and reached else "not yet")


def _none(reason: str) -> Estimate:
    return Estimate.undefined(reason)


def _growth_of_ensembles(a: EnsembleAssessments) -> Iterator[Section]:
    """A row for each of some sizes, a column for each ensemble."""
    for cases in TESTED:
        grown = {
            name: assessment.growths[cases]
            for name, assessment in a.of.items()
            if cases in assessment.growths
        }
        if not grown:
            continue
        sizes = shown_sizes(max(growth.members for growth in grown.values()), SIZES)
        rows = [
            (
                Label(f"{size:,}"),
                *(
                    Found(growth.estimate(int(size), a.level))
                    if size <= growth.members and growth.is_known[size - 1]
                    else None
                    for growth in grown.values()
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
    for name, assessment in a.of.items():
        known = assessment.margins["test"]
        known = known[~np.isnan(known)]
        numbers = [known.mean(), *np.quantile(known, (0.05, 0.25, 0.5)), (known < 0).mean()]
        rows.append((Label(name), *(Value(Estimate(float(margin))) for margin in numbers)))
    return Table(
        columns,
        tuple(rows),
        foot="The margin of a case is the share of the votes for its true class less that for the next: wrong below 0. "
        "5 %, 25 % and 50 % are its quantiles over the cases.",
    )


def _next_steps_of_ensembles(a: EnsembleAssessments) -> Iterator[str]:
    first = next(iter(a.of))
    yield hint(
        f"`.report('page.html')` draws the errors, the margins and the members; `a['{first}']` has all of one",
        "`--html page.html` draws the errors, the margins and the members; `--json out.json` holds every size",
    )


SCHEMA_OF_ENSEMBLES = 1


def as_dict_of_ensembles(a: EnsembleAssessments) -> dict[str, Any]:
    """The assessments as values that JSON knows: that of each whole."""
    return {
        **head(SCHEMA_OF_ENSEMBLES),
        "n_train": a.n_train,
        "n_test": a.n_test,
        "seed": a.seed,
        "level": a.level,
        "random": a.random,
        "warnings": of_warnings(a.warnings),
        "ensembles": [
            {"name": name, "assessment": as_dict_of_ensemble(assessment)} for name, assessment in a.of.items()
        ],
    }
