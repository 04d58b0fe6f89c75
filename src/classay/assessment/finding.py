"""Finding: one thing that results show, with its rank, its sentence, and what to do next; and which of them lead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Tier = Literal["A", "main", "B", "C"]
"""A: numbers cannot be read as they stand; main: what the task asks; B: worth saying; C: never leads."""

RANKING, CALIBRATION, THRESHOLD, DEFAULT = "ranking", "calibration", "threshold", "default threshold"
"""What a sentence may rest on: the order of scores, probabilities, predicted labels, those at a default threshold."""
EVERYTHING = frozenset((RANKING, CALIBRATION, THRESHOLD, DEFAULT))
MAX_SENTENCES = 3
MAX_NEXT_STEPS = 3


@dataclass(frozen=True)
class Finding:
    """One finding: a fixed code, its tier and its rank in it (the least first), and its sentence.

    `evidence` holds the measures that the sentence rests on, by name, and other values, all plain; `next_step` is what
    to do, or empty. `about` says what the sentence rests on, and `suppresses` what it makes unreadable: other findings
    about that are not said. One that may not lead is only ever a warning. `concerns` names the groups or models that it
    is about, where it is not about the whole.
    """

    code: str
    tier: Tier
    rank: float
    sentence: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    next_step: str = ""
    about: frozenset[str] = frozenset()
    suppresses: frozenset[str] = frozenset()
    may_lead: bool = True
    concerns: tuple[str, ...] = ()
    is_neutral: bool = False
    """Whether it says that nothing was detected, which is worth a sentence only where there is room."""
    steps_first: bool = False
    """Whether its next step comes before those of findings that lead, below tier A."""


TIERS: tuple[Tier, ...] = ("A", "main", "B", "C")


def ranked(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings by tier and rank, without those that a finding of tier A makes unreadable, each code once.

    >>> a = Finding("reversed", "A", 5, "Reversed.", suppresses=frozenset(["ranking"]))
    >>> b = Finding("auc", "main", 1, "AUC.", about=frozenset(["ranking"]))
    >>> [finding.code for finding in ranked([b, a])]
    ['reversed']
    """
    ordered = sorted(findings, key=lambda finding: (TIERS.index(finding.tier), finding.rank))
    gone: set[str] = set()
    kept: dict[str, Finding] = {}
    for finding in ordered:
        if not (finding.about & gone):
            kept.setdefault(finding.code, finding)
            gone |= finding.suppresses
    return tuple(kept.values())


def leading(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings whose sentences lead a report, of those that are ranked: at most three.

    >>> leading(ranked([Finding(str(k), "B", k, "One.") for k in (4, 1, 2, 3)]))[0].code
    '1'
    """
    return tuple(finding for finding in findings if finding.may_lead and finding.tier != "C")[:MAX_SENTENCES]


def warned(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings that are warnings: they do not lead, and call for something; what detects nothing does not."""
    lead = leading(findings)
    return tuple(
        finding
        for finding in findings
        if (finding.tier in ("A", "B") or (finding.tier == "main" and finding.next_step))
        and finding not in lead
        and not finding.is_neutral
    )


def steps_of(findings: Sequence[Finding]) -> tuple[str, ...]:
    """Return what to do next, first what the leading findings call for: at most three steps.

    >>> steps_of([Finding("a", "B", 1, "One.", next_step="Do this."), Finding("b", "B", 2, "Two.")])
    ('Do this.',)
    >>> steps_of([Finding("a", "B", 1, "One.", next_step=step) for step in ("Wait.", "Wait: a day.")])
    ('Wait: a day.',)
    """
    lead = leading(findings)
    ordered = [*lead, *(finding for finding in findings if finding not in lead)]
    ordered.sort(key=lambda finding: finding.tier != "A" and not finding.steps_first)
    steps = tuple(dict.fromkeys(finding.next_step for finding in ordered if finding.next_step))
    return tuple(step for step in steps if not _is_said_in_full(step, steps))[:MAX_NEXT_STEPS]


def _is_said_in_full(step: str, steps: Sequence[str]) -> bool:
    """Check whether another step begins with this one and says more."""
    return any(other != step and other.startswith(step.rstrip(".")) for other in steps)
