"""An ensemble, by the votes of its members; ensembles of several kinds on the same cases.

Documents and JSON (docs/ensemble.schema.json, docs/ensembles.schema.json).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isnan
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.ensembles.growth import Growth, shown_sizes
from classay.ensembles.members import NO_TRAINING
from classay.inference.estimate import Estimate, number
from classay.inference.phrasing import percent, share_with_interval
from classay.report.document import (
    Cell,
    Column,
    Count,
    Document,
    EstimateCell,
    Figure,
    Figures,
    Label,
    MethodCell,
    Section,
    Table,
    Value,
    Words,
)
from classay.report.results.assessments import closing
from classay.report.shape import Key, Kind, Many, Result, Row, inside
from classay.report.value_kinds import (
    COUNT,
    FLAG,
    FLOAT,
    LABEL,
    LEVEL,
    NUMBER_OR_NULL,
    RATE,
    TEXT,
    WARNINGS,
    keys_of_estimate,
    one_of,
)
from classay.texts import hint, quote

if TYPE_CHECKING:
    from classay.ensembles.ensemble_assessment import EnsembleAssessment
    from classay.ensembles.several import EnsembleAssessments


SIZES = 10
"""Sizes that the table shows; the JSON holds all."""
FEWEST = 10
"""Members below which nothing is said of a plateau."""
CASES = 1_000
"""Error rates are written with the decimals of so many cases."""


def document_of_ensemble(a: EnsembleAssessment) -> Document:
    """Return the document of an ensemble: its error as members are added, then how its members differ."""
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
    """Return the document with its pictures, first of all."""
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
    yield "confidence level", f"{100 * a.level:g}%"


def _verdict_of_ensemble(a: EnsembleAssessment) -> Iterator[str]:
    best = a.best
    if best is None:
        yield (
            "The error on new cases cannot be estimated from these training cases. Assess the ensemble with "
            "new cases."
        )
        return
    error = best.estimate(level=a.level)
    if error.is_undefined:
        yield f"The error is not defined: {error.reason}."
        return
    yield (
        f"{_on(best)}, the error rate of all {a.members} members together is "
        f"{share_with_interval(error, CASES)}."
    )
    if a.diversity is not None and a.members > 1:
        yield (
            "Single members have an error rate of "
            f"{share_with_interval(a.diversity.mean_error(a.level), CASES)} on average."
        )
    if a.members >= FEWEST:
        yield _plateau(best)
    if a.training is not None and not a.training.estimate().is_undefined:
        yield (
            f"The training error rate is {percent(float(a.training.errors[-1]), CASES)}. Training errors do "
            "not estimate the error on new cases."
        )


def _plateau(grown: Growth) -> str:
    plateau = grown.plateau()
    assert plateau is not None  # the error is defined
    margin = f"{100 * plateau.margin:.1f} percentage points"
    if plateau.is_reached:
        return (
            f"The error rate is within one standard error ({margin}) of its final value from "
            f"{plateau.members} member{('' if plateau.members == 1 else 's')} on."
        )
    return (
        f"The error rate is within one standard error ({margin}) of its final value only from "
        f"{plateau.members} members on. More members may change the error rate."
    )


def _on(grown: Growth) -> str:
    return {"test": "On new cases", "out of bag": "Out of bag"}[grown.cases]


def _growth_of_ensemble(a: EnsembleAssessment) -> Table:
    """Return a row for each of some sizes."""
    columns = [Column("members", Label)]
    for cases, grown in a.growths.items():
        columns.append(Column(cases, Value if grown.no_interval else EstimateCell))
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
        foot=f"Error rate of the first members. Intervals: {', '.join(kinds)}." if kinds else "",
    )


def _row_of_ensemble(a: EnsembleAssessment, size: int) -> Iterator[Cell]:
    yield Label(f"{size:,}")
    for grown in a.growths.values():
        estimate = grown.estimate(size, a.level)
        yield Value(estimate) if grown.no_interval else EstimateCell(estimate)
        if grown.unvoted.any():
            yield Count(float(grown.unvoted[size - 1]))
    if a.bound is not None:
        yield Value(Estimate(float(a.bound[size - 1])))


def rounds_of(a: EnsembleAssessment, of: str = "boosting") -> Iterator[Section]:
    """Yield what each round of AdaBoost found, and what it made of the weights."""
    if a.rounds is None:
        return
    columns = {name: column for name, column in a.rounds.columns().items() if not name.startswith("bound")}
    rows: list[tuple[Cell, ...]] = [
        (Label(f"{size:,}"), *(Value(Estimate(float(column[size - 1]))) for column in columns.values()))
        for size in shown_sizes(a.members, SIZES)
    ]
    foot = (
        "ε is the weighted error rate of the member. α is the weight of its vote. The weight of each "
        "incorrect case is multiplied by exp(α). The last column is their total "
        "weight after the round."
    )
    heads = (Column("round", Label), *(Column(name, Value, 6) for name in columns))
    yield Section(f"Rounds of {of}", (Table(heads, tuple(rows), foot=foot),))


def _members(a: EnsembleAssessment) -> Iterator[Section]:
    of = a.diversity
    if of is None:
        return
    rows = [("mean error rate of a member", of.mean_error(a.level))]
    if of.members > 1:
        rows += [
            ("mean agreement of two members", of.mean_pair("agreement")),
            ("mean kappa of two members", of.mean_pair("kappa")),
            ("mean share of joint errors", of.mean_pair("both_wrong")),
        ]
    best, worst = (number(float(error)) for error in (np.nanmin(of.errors), np.nanmax(of.errors)))
    table = Table(
        (Column("", Label), Column("value", EstimateCell), Column("CI method", MethodCell)),
        tuple((Label(name), EstimateCell(estimate), MethodCell(estimate)) for name, estimate in rows),
        foot=f"Error rates of single members range from {best} to {worst}. Kappa is agreement beyond chance: 1 "
        "for identical members, 0 for members that agree by chance. Voting gains most from accurate "
        "members that disagree.",
    )
    yield Section("Members" if of.cases == "test" else f"Members, {of.cases}", (table,))


def _next_steps_of_ensemble(a: EnsembleAssessment) -> Iterator[str]:
    yield (
        "Draw the errors, the margins and the members with `.report('page.html')`. Get all sizes with "
        "`.to_dict()`."
    )
    if a.test is None:
        yield (
            "Assess the ensemble with new cases to see their errors and how members differ: "
            "`ca.ensembles.assess(fitted, X, y)`."
        )
    elif a.training is None and a.no_out_of_bag == NO_TRAINING:
        yield "Pass the training cases to see the training and out-of-bag errors: `training=(X, y)`."
    best = a.best
    plateau = None if best is None or a.members < FEWEST else best.plateau()
    if plateau is not None and not plateau.is_reached:
        yield "Add members: `n_estimators`."


QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
_NUMBERS = Many(NUMBER_OR_NULL).named("numbers")
_CASES = one_of("training", "out of bag", "out of fold", "test")


def _growths(a: EnsembleAssessment) -> Iterator[tuple[Growth, list[Estimate], Estimate]]:
    """Yield the error against the number of members: of each size, and of all members."""
    for growth in a.growths.values():
        errors = [growth.estimate(size, a.level) for size in range(1, growth.members + 1)]
        yield growth, errors, errors[-1]


_PLATEAU = Row(
    Key("members", COUNT.limited(minimum=1)),
    Key("margin", NUMBER_OR_NULL, help="One standard error."),
    Key("is_reached", FLAG, help="Whether the second half of the members changed nothing beyond it."),
)
_GROWTH = Row(
    Key("cases", _CASES, "0.cases"),
    *inside("2", keys_of_estimate(NUMBER_OR_NULL)),
    Key(
        "errors",
        _NUMBERS,
        lambda row: [error.value for error in row[1]],
        "Error with the first 1, 2, … members.",
    ),
    Key("lows", _NUMBERS, lambda row: [error.low for error in row[1]]),
    Key("highs", _NUMBERS, lambda row: [error.high for error in row[1]]),
    Key(
        "unvoted",
        Many(COUNT),
        lambda row: map(int, row[0].unvoted),
        "Cases without a vote of the first 1, 2, … members; excluded from the error.",
    ),
    Key("tied", COUNT, "0.tied", "Tied cases with all members."),
    Key(
        "plateau",
        _PLATEAU.or_null(),
        lambda row: row[0].plateau(),
        "Number of members from which on the error stays within the margin of the error of all members.",
    ),
)


def _quantiles_of_margins(a: EnsembleAssessment) -> Iterator[tuple[str, int, float, Any]]:
    """Of each kind of cases: how many have a vote, the mean of their margins, and quantiles."""
    for cases, margins in a.margins.items():
        known = margins[~np.isnan(margins)]
        cuts = np.quantile(known, QUANTILES) if known.size else np.full(len(QUANTILES), np.nan)
        mean = float(known.mean()) if known.size else float("nan")
        yield cases, int(known.size), mean, zip(QUANTILES, cuts, strict=True)


_MARGINS = Row(
    Key("cases", _CASES, "0"),
    Key("n", COUNT, "1", "Cases with a vote."),
    Key("mean", NUMBER_OR_NULL, "2"),
    Key("quantiles", Many(Row(Key("share", FLOAT, "0"), Key("margin", NUMBER_OR_NULL, "1"))), "3"),
)
_PAIRS = "Mean over all pairs of members."
_DIVERSITY = Row(
    Key("cases", _CASES, "diversity.cases"),
    Key("errors", _NUMBERS, "diversity.errors", "Of each member alone."),
    Key("mean_error", RATE, lambda a: a.diversity.mean_error(a.level)),
    Key("agreement", RATE, lambda a: a.diversity.mean_pair("agreement"), _PAIRS),
    Key("kappa", RATE, lambda a: a.diversity.mean_pair("kappa"), _PAIRS),
    Key("both_wrong", RATE, lambda a: a.diversity.mean_pair("both_wrong"), _PAIRS),
)
_ROUNDS = Row(
    *(
        Key(name, _NUMBERS, itemgetter(name))
        for name in ("round", "error", "say", "factor", "weight", "bound")
    )
)
_LET_VARY = "What the intervals let vary."
ENSEMBLE = Result(
    "ensemble",
    1,
    "Assessment of an ensemble",
    "The assessment of an ensemble, as `EnsembleAssessment.to_dict` makes it.",
    Key("ensemble", TEXT, "name", "The name of its class."),
    Key("member", TEXT, help="What the members are."),
    Key("members", COUNT.limited(minimum=1)),
    Key("classes", Many(LABEL).limited(minItems=2), help="In the order in which ties are decided."),
    Key("rule", TEXT, help="How votes become a class."),
    Key("random", TEXT, help=_LET_VARY),
    Key("warnings", WARNINGS, added=True),
    Key("level", LEVEL),
    Key("error", RATE, lambda a: a.error(), "Of all members: on new cases, or else out of bag."),
    Key(
        "no_out_of_bag",
        TEXT.or_null(),
        lambda a: a.no_out_of_bag if a.out_of_bag is None else None,
        "Why there are no out-of-bag votes, where there are none.",
    ),
    Key(
        "growth", Many(_GROWTH), _growths, "The error against the number of members, for each kind of cases."
    ),
    Key(
        "training_error_bound",
        _NUMBERS.or_null(),
        "bound",
        "Of AdaBoost with two classes: the bound of the training error at each size.",
    ),
    Key(
        "rounds",
        _ROUNDS.or_null(),
        lambda a: None if a.rounds is None else a.rounds.frame().to_pydict(),
        "Of AdaBoost: the error ε and the vote weight α of each member, the factor exp(α) for the "
        "weights of incorrect cases, the weight of incorrect cases after the round of a total of 1, and "
        "the bound of the training error (of two classes).",
    ),
    Key(
        "margins",
        Many(_MARGINS),
        _quantiles_of_margins,
        "Share of the votes for the true class minus that for the next.",
    ),
    Key("diversity", _DIVERSITY.or_null(), lambda a: None if a.diversity is None else a),
)
as_dict_of_ensemble = ENSEMBLE.as_dict


TESTED = ("test", "out of bag")
"""Kinds of cases that tell of new ones, each with a table of the error against the number of members."""


def document_of_ensembles(a: EnsembleAssessments) -> Document:
    """Return the document of several ensembles: side by side, then the error of each as members are added."""
    return Document(
        f"Ensembles: {', '.join(a.of)}",
        tuple(_facts_of_ensembles(a)),
        tuple(_verdict_of_ensembles(a)),
        (
            Section("Comparison of the ensembles", (_side_by_side(a),)),
            *_growth_of_ensembles(a),
            Section("Margins on the test cases", (_margins(a),)),
            *(section for name, assessment in a.of.items() for section in rounds_of(assessment, name)),
            *closing(a.random, a.warnings, _next_steps_of_ensembles(a)),
        ),
    )


def with_pictures_of_ensembles(document: Document, a: EnsembleAssessments) -> Document:
    """Return the document with its pictures, first of all."""
    figures = tuple(Figure(curves) for curves in a.curves())
    return replace(document, sections=(Section("Pictures", (Figures(figures),)), *document.sections))


def _facts_of_ensembles(a: EnsembleAssessments) -> Iterator[tuple[str, str]]:
    yield ("cases", f"{a.n_train:,} for training, {a.n_test:,} for testing")
    yield ("classes", ", ".join(quote(label) for label in next(iter(a.of.values())).classes))
    for name, assessment in a.of.items():
        yield (name, f"{assessment.name}, {assessment.members:,} of {assessment.member}")
    yield "confidence level", f"{100 * a.level:g}%"
    yield "seed", str(a.seed)


def _verdict_of_ensembles(a: EnsembleAssessments) -> Iterator[str]:
    """Yield the error of each, the lowest first."""
    errors = {name: assessment.error() for name, assessment in a.of.items()}
    for name, error in sorted(errors.items(), key=lambda pair: (isnan(pair[1].value), pair[1].value)):
        assessment = a.of[name]
        unseen = assessment.out_of_bag
        bag = (
            ""
            if unseen is None
            else f"; the out-of-bag error rate is {percent(float(unseen.errors[-1]), CASES)}"
        )
        yield f"The test error rate of {name} is {share_with_interval(error, CASES)}{bag}."


def _side_by_side(a: EnsembleAssessments) -> Table:
    """Return each ensemble in a row: its errors, that of one member, how members agree, where the error settles."""
    columns = (
        Column("ensemble", Label),
        Column("test error", EstimateCell),
        Column("out of bag", EstimateCell, 2),
        Column("training", Value, 6),
        Column("single member", Value, 4),
        Column("kappa of two", Value, 5),
        Column("stable from", Words, 3),
    )
    return Table(
        columns,
        tuple((Label(name), *_row_of_ensembles(assessment)) for name, assessment in a.of.items()),
        foot="Single member: mean test error rate of one member. Kappa of two: mean agreement of two members "
        "beyond chance. Stable from: number of members from which on the test error is within one "
        "standard error of its final value.",
    )


def _row_of_ensembles(assessment: EnsembleAssessment) -> Iterator[Cell]:
    yield EstimateCell(assessment.error())
    yield EstimateCell(
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
    """Yield a row for each of some sizes, a column for each ensemble."""
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
                    EstimateCell(growth.estimate(int(size), a.level))
                    if size <= growth.members and growth.is_known[size - 1]
                    else None
                    for growth in grown.values()
                ),
            )
            for size in sizes
        ]
        columns = (Column("members", Label), *(Column(name, EstimateCell) for name in grown))
        foot = "Error rate of the first members."
        yield Section(
            f"Error against the number of members, {cases}", (Table(columns, tuple(rows), foot=foot),)
        )


def _margins(a: EnsembleAssessments) -> Table:
    heads = ("mean", "5%", "25%", "50%", "below 0")
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
        foot="Margin: share of votes for the true class minus the largest share of another class. Below 0, "
        "the prediction is incorrect. 5%, 25% and 50% are quantiles over cases.",
    )


def _next_steps_of_ensembles(a: EnsembleAssessments) -> Iterator[str]:
    first = next(iter(a.of))
    yield hint(
        "Draw the errors, the margins and the members with `.report('page.html')`. Inspect one ensemble "
        f"with `a['{first}']`.",
        "Draw the errors, the margins and the members with `--html page.html`. Get all sizes with "
        "`--json out.json`.",
    )


ENSEMBLES = Result(
    "ensembles",
    1,
    "Ensembles of several kinds on the same cases",
    "What `classay ensemble` writes, and `EnsembleAssessments.to_dict`: the assessment (ensemble.schema.json) of each.",
    Key("n_train", COUNT.limited(minimum=2), help="Cases that all were fitted to."),
    Key("n_test", COUNT.limited(minimum=1), help="Others that all were tested on."),
    Key("seed", Kind({"type": "integer"}), help="Of the split and of the ensembles."),
    Key("level", LEVEL),
    Key("random", TEXT, help=_LET_VARY),
    Key("warnings", WARNINGS, added=True),
    Key(
        "ensembles",
        Many(Row(Key("name", TEXT, "0"), Key("assessment", ENSEMBLE.elsewhere, "1"))).limited(minItems=1),
        lambda a: a.of.items(),
    ),
)
as_dict_of_ensembles = ENSEMBLES.as_dict
