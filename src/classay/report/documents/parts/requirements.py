"""Requirements in a document: what was demanded, which demand decided, and the estimate that each was held against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from classay.inference.requirements import Outcome, Verdict
from classay.report.document import Column, Document, Found, Label, Section, Table, Tone, Words
from classay.texts import as_sentence

STATUS = {Verdict.PASS: "Passed", Verdict.FAIL: "Failed", Verdict.UNDECIDED: "Cannot tell"}
TONES: dict[Verdict, Tone] = {Verdict.PASS: "good", Verdict.FAIL: "bad", Verdict.UNDECIDED: "quiet"}
_SAID = {Verdict.FAIL: "is not met", Verdict.UNDECIDED: "cannot be told"}


def decided_by(demands: Sequence[tuple[str, Verdict]]) -> str:
    """The demands on which the verdict of all rests, and how each of the others came out.

    >>> decided_by([("superior", Verdict.PASS), ("recall > 0.9", Verdict.FAIL), ("f1 > 0.5", Verdict.UNDECIDED)])
    'recall > 0.9 (superior: passed; f1 > 0.5: cannot tell)'
    >>> decided_by([("superior", Verdict.PASS), ("recall > 0.9", Verdict.PASS)])
    'superior; recall > 0.9'
    """
    whole = Verdict.of(verdict for _, verdict in demands)
    decisive = [name for name, verdict in demands if verdict is whole]
    others = [f"{name}: {STATUS[verdict].lower()}" for name, verdict in demands if verdict is not whole]
    return "; ".join(decisive) + (f" ({'; '.join(others)})" if others else "")


def with_requirements(document: Document, outcomes: Sequence[Outcome]) -> Document:
    """The document of an assessment, with what was demanded of it on top."""
    if not outcomes:
        return document
    title = decided_by([(str(each.requirement), each.verdict) for each in outcomes])
    return replace(
        document,
        title=f"{title}, in the {document.title[:1].lower()}{document.title[1:]}",
        status=STATUS[Verdict.of(each.verdict for each in outcomes)],
        verdict=(*not_met(outcomes), *document.verdict),
        sections=(section_of(outcomes), *document.sections),
    )


def not_met(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """The requirements that were not met, or of which nobody can tell, as sentences."""
    return tuple(
        f"The requirement {each.requirement} {_SAID[each.verdict]}: {each.reason}."
        for each in outcomes
        if each.verdict in _SAID
    )


def section_of(outcomes: Sequence[Outcome]) -> Section:
    """Each requirement, the estimate with its interval, and the number of it that decides."""
    table = Table(
        (
            Column("requirement", Label),
            Column("value", Found),
            Column("decides", Words),
            Column("verdict", Words),
        ),
        tuple(
            (
                Label(str(each.requirement)),
                Found(each.estimate),
                Words(each.found),
                Words(STATUS[each.verdict].lower(), TONES[each.verdict]),
            )
            for each in outcomes
        ),
        note=" ".join(dict.fromkeys(as_sentence(each.note) for each in outcomes if each.note)),
    )
    return Section("Requirements", (table,))
