"""The document of a gate, with the requirements that were held beside it."""

from __future__ import annotations

from collections.abc import Sequence

from classay.comparison.claim import direction_of
from classay.comparison.rules import Gate
from classay.inference.estimate import Estimate, apart, number
from classay.inference.requirements import Outcome, Verdict
from classay.inference.words import title
from classay.report.document import Column, Difference, Document, Label, PValue, Section, Table, Words
from classay.report.words import interval, value
from classay.texts import as_sentence

STATUS = {Verdict.PASS: "Passed", Verdict.FAIL: "Failed", Verdict.UNDECIDED: "Cannot tell"}


def document_of(made: Gate, outcomes: Sequence[Outcome] = ()) -> Document:
    """The document of a gate; its status is the verdict on the rule and on all requirements together."""
    from classay import __version__

    margin = "" if made.margin is None else f", margin {made.margin:g}"
    sections = [Section(" less ".join(made.comparison.models), (_table(made),))]
    if outcomes:
        sections.append(Section("Requirements", (_requirements(outcomes),)))
    return Document(
        f"{made.rule}{margin}",
        (),
        (made.sentence,),
        tuple(sections),
        STATUS[verdict_of(made, outcomes)],
        __version__,
    )


def verdict_of(made: Gate, outcomes: Sequence[Outcome]) -> Verdict:
    """The verdict on the rule and on all requirements together."""
    return Verdict.of([made.verdict, *(each.verdict for each in outcomes)])


def effect_of(made: Gate) -> Estimate:
    """The difference as it is, first less second, or why there is none."""
    found = made.comparison.effect
    return made.difference if found is None else found


def condition_of(made: Gate) -> str:
    """What the rule demands of the difference that is shown, first less second, also where less is better.

    Equivalence demands the same of a difference and of its negative.
    """
    if made.rule == "equivalent" or direction_of(made.comparison) > 0:
        return made.condition
    return str(made.outcome.requirement.negated)


def _table(made: Gate) -> Table:
    found = made.comparison
    values = [Words(text) for text in apart(*found.values)] or [Words("–")] * 2
    n = "" if found.n is None else f"; {found.n:,.0f} {found.units}"
    better = "more" if direction_of(found) > 0 else "less"
    return Table(
        (
            Column("measure", Label),
            *(Column(name, Words) for name in found.models),
            Column("difference", Difference),
            Column("p", PValue),
        ),
        (
            (
                Label(title(found.measure), found.measure),
                *values,
                Difference(effect_of(made)),
                PValue(found.p),
            ),
        ),
        foot=f"Rule: `{condition_of(made)}`, {better} {title(found.measure)} being better. {found.method}{n}.",
    )


def _found(each: Outcome) -> str:
    """The number that decided; of an end of an interval also the value with its interval."""
    if each.requirement.part == "value" or not each.estimate.has_interval:
        return number(each.value)
    return f"{number(each.value)}, of {value(each.estimate)} {interval(each.estimate)}"


def _requirements(outcomes: Sequence[Outcome]) -> Table:
    tones = {Verdict.PASS: "good", Verdict.FAIL: "bad", Verdict.UNDECIDED: "quiet"}
    return Table(
        (Column("requirement", Label), Column("found", Words), Column("verdict", Words)),
        tuple(
            (
                Label(str(each.requirement)),
                Words(_found(each)),
                Words(STATUS[each.verdict].lower(), tones[each.verdict]),  # type: ignore[arg-type]
            )
            for each in outcomes
        ),
        note=" ".join(dict.fromkeys(as_sentence(each.note) for each in outcomes if each.note)),
    )
