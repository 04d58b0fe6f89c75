"""Findings of comparisons and gates in groups of cases."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from classay.assessment.finding import Finding, ranked
from classay.comparison.claims import direction_of
from classay.comparison.findings_gates import (
    beyond_text,
    cases_behind,
    evidence_of_gate,
    gate_text,
    margin_text,
    with_values,
)
from classay.comparison.gate_rules import turned_over
from classay.groups.gate_of_groups import passed_in_groups
from classay.inference.phrasing import difference_text, short_title
from classay.inference.requirements import Verdict
from classay.texts import quote, some

if TYPE_CHECKING:
    from classay.groups.gate_of_groups import GroupGate

from typing import TYPE_CHECKING

from classay.comparison.findings_differences import (
    difference_sentence,
    evidence_of_difference,
    number_of_cases,
)

if TYPE_CHECKING:
    from classay.groups.by_group import GroupComparisons


def findings_on_groups_of_cases(groups: GroupComparisons, overall: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings of comparisons in groups: all cases (their findings are `overall`), the interaction, the groups.

    Of the groups the surest comes first: whether it differs from the others, the interaction tells.
    """
    interactions = groups.sentences_of_interactions
    sentences = [each for each in groups.sentences_of_groups if each not in interactions]
    shown = [*groups.losing, *groups.winning]
    findings = []
    if shown and shown[0][1].rule is None and shown[0][1].odds is None:
        label, one = shown[0]
        sentence = difference_sentence(one, number_of_cases([one]), f"In {quote(label)}, ")
        findings.append(
            Finding(
                "group_difference", "main", 3, sentence, {"group": str(label)} | evidence_of_difference(one)
            )
        )
    elif sentences:
        findings.append(Finding("groups_compared", "main", 3, sentences[0], {"by": groups.by}))
    main = [
        replace(each, sentence=f"All cases: {each.sentence}", rank=1.0, tier="main") for each in overall[:1]
    ]
    varies = [
        Finding(
            f"interaction_{k}" if k > 1 else "interaction",
            "main",
            2 if k == 1 else 3.5 + k / 1000,
            sentence,
            {"by": groups.by},
        )
        for k, sentence in enumerate(interactions, 1)
    ]
    rest = [
        Finding(f"groups_compared_{k}", "main", 4 + k / 1000, sentence, {"by": groups.by})
        for k, sentence in enumerate(sentences[1:], 2)
    ]
    return ranked([*findings, *main, *varies, *rest])


MAX_GROUPS = 3


def findings_on_group_gate(gate: GroupGate) -> Iterator[Finding]:
    """The worst group that fails, the other groups that do not pass, and all cases; first what the verdict rests on."""
    failed, unclear = gate.in_state(Verdict.FAIL), gate.in_state(Verdict.UNDECIDED)
    total = gate.all_cases
    leads = (
        not failed and total.verdict is not Verdict.PASS and (total.verdict is Verdict.FAIL or not unclear)
    )
    word = total.verdict.word
    start = f"{word.upper()} (all cases)" if leads else f"All cases ({word})"
    rank = 0.5 if leads else 4
    yield Finding(f"gate_{word}", "main", rank, f"{start}: {gate_text(total)}", evidence_of_gate(total))
    new, old = gate.comparison.models
    evidence: dict[str, Any] = {
        "by": gate.by,
        "groups": len(gate.groups),
        "failed": [str(label) for label in failed],
        "inconclusive": [str(label) for label in unclear],
    }
    if failed:
        text = f"{new} is worse than {old} in {short_title(gate.comparison.measure)}{beyond_text(gate)}"
        sentence = f"FAIL in group {quote(failed[0])}: {_group_text(gate, failed[0], text)}"
        yield Finding("gate_group_fail", "main", 1, sentence, evidence)
    others = []
    if failed[1:]:
        others.append(f"{len(failed) - 1:,} more {'group fails' if len(failed) == 2 else 'groups fail'}")
    if unclear:
        names = some([quote(label) for label in unclear], MAX_GROUPS)
        many = "group" if len(unclear) == 1 else f"{len(unclear):,} groups:"
        word = (
            "the comparison is inconclusive" if others else "Also inconclusive" if failed else "INCONCLUSIVE"
        )
        others.append(f"{word} in {many} {names}")
    if others:
        step = "Use more cases of these groups." if unclear else ""
        yield Finding("gate_other_groups", "main", 2, f"{', and '.join(others)}.", evidence, step)
    if not failed and not unclear:
        margin = "" if gate.margin is None else f" at a margin of {margin_text(gate)}"
        text = passed_in_groups(gate, short_title(gate.comparison.measure), margin)
        if not leads:
            text = f"PASS: {text.replace('No loss', 'no loss', 1)}"
        yield Finding(
            "gate_groups_pass",
            "main",
            3,
            f"{text}.",
            evidence,
        )


def _group_text(gate: GroupGate, label: Hashable, text: str) -> str:
    """Return a sentence on a group with both values, and the difference whose interval holds for all groups at once."""
    one, wide = gate.groups[label].comparison, gate.simultaneous[label]
    cases = cases_behind(one)
    effect = wide if direction_of(one) > 0 else turned_over(wide)
    size, ends = difference_text(replace(effect, level=gate.difference.level), one.measure, cases)
    many = f", adjusted for {len(gate.groups):,} groups" if len(gate.groups) > 1 else ""
    return f"{with_values(text, one, cases)} (difference {size}, simultaneous {ends}{many})."
