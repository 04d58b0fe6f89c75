"""Findings of gates: the verdict, both values, the difference with its interval, and the margin."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, Any

from classay.assessment.finding import Finding, ranked
from classay.comparison.gate_rules import (
    Gate,
    cases_that_settle,
    direction_of,
    omissions_text,
    sentence_of,
    turned_over,
)
from classay.inference.estimate import Estimate
from classay.inference.phrasing import (
    difference_text,
    fixed,
    is_share_name,
    p_phrase,
    short_title,
    value_text,
)
from classay.inference.plain import plain_estimate
from classay.inference.requirements import Verdict
from classay.texts import quote, some

if TYPE_CHECKING:
    from classay.comparison.by_group import GroupGate
    from classay.comparison.comparison import Comparison

CASES = 1000.0
"""Cases by which percentages are written where nobody knows how many there are: one decimal."""
HOLDS = {
    "non-inferior": "is non-inferior to",
    "superior": "is superior to",
    "equivalent": "is equivalent to",
}
MAX_GROUPS = 3


def findings_on_gate(
    made: Gate, demands: Sequence[str] = (), *, demands_lead: bool = False
) -> tuple[Finding, ...]:
    """The findings of a gate in their order, with the sentences on requirements beside it.

    `demands_lead` says that the verdict of all rests on these.
    """
    found = list(_of_gate(made))
    for k, sentence in enumerate(demands[:2]):
        rank = 0.1 + k / 10 if demands_lead else 3 + k / 10
        found.append(Finding(f"requirement_{k + 1}", "main", rank, sentence))
    return ranked(found)


def _of_gate(made: Gate) -> Iterator[Finding]:
    from classay.comparison.by_group import GroupGate

    if isinstance(made, GroupGate):
        yield from _of_groups(made)
    else:
        yield from of_rule(made)


def of_rule(made: Gate) -> Iterator[Finding]:
    """The verdict of one rule, then what follows from it."""
    word = made.verdict.word.upper()
    sentence = f"{word}: {gate_text(made)}"
    yield Finding(f"gate_{word.lower()}", "main", 1, sentence, evidence_of_gate(made), _next_step(made))
    if not _is_said_whole(made) and (text := omissions_text(made)):
        yield Finding("gate_omissions", "main", 1.2, f"{text[:1].upper()}{text[1:]}", evidence_of_gate(made))
    if more := _consequence(made):
        yield Finding("gate_consequence", "main", 1.5, more, evidence_of_gate(made))
    if (
        made.is_open
        and made.rule in ("non-inferior", "not-worse")
        and (more := cases_that_settle(made).strip())
    ):
        yield Finding("gate_more_cases", "main", 2, more, evidence_of_gate(made))


def evidence_of_gate(made: Gate) -> dict[str, Any]:
    """What a verdict rests on, as plain values; the difference is turned so that more is better."""
    found = made.comparison
    values = zip(found.models, found.values, strict=False)
    return {
        "verdict": made.verdict.value,
        "rule": made.rule,
        "margin": made.margin,
        "measure": found.measure,
        "models": list(found.models),
        "values": {name: None if isnan(value) else float(value) for name, value in values},
        "difference": plain_estimate(made.difference),
    }


def with_values(text: str, one: Comparison, cases: float) -> str:
    """A sentence with the values of both models behind it, where they are known."""
    if len(one.values) != 2 or any(map(isnan, one.values)):
        return text
    return f"{text}: {' versus '.join(value_text(value, one.measure, cases) for value in one.values)}"


def _is_said_whole(made: Gate) -> bool:
    """Whether the verdict needs the whole sentence of the rule, with what was left out."""
    return not made.difference.has_interval or bool(made.unsettled) or made.is_one_sided


def gate_text(made: Gate) -> str:
    """The verdict on a rule without its word, with both values, the difference, its interval and the margin."""
    one = made.comparison
    if _is_said_whole(made):
        return sentence_of(made)
    new, old = one.models
    measure, cases = short_title(one.measure), _cases(one)
    margin = "" if made.margin is None else f" at a margin of {margin_text(made)}"
    effect = made.difference if direction_of(one) > 0 else turned_over(made.difference)
    size, ends = difference_text(effect, one.measure, cases)
    p = f"; one-sided {p_phrase(made.p)}" if made.passed and made.rule != "not-worse" else ""
    if made.passed and made.rule == "not-worse":
        text = f"{new} is not shown to be worse than {old} in {measure}{beyond_text(made)}"
    elif made.passed:
        text = f"{new} {HOLDS[made.rule]} {old} in {measure}{margin}"
    elif made.verdict is Verdict.UNDECIDED:
        text = f"{new} compared with {old} in {measure}, {made.rule}{margin}"
    else:
        text = _failed(made)
    return f"{with_values(text, one, cases)} (difference {size}, {ends}{p})."


def _failed(made: Gate) -> str:
    """What is shown where a rule fails."""
    new, old = made.comparison.models
    measure, beyond = short_title(made.comparison.measure), beyond_text(made)
    if made.rule == "equivalent":
        return f"{new} and {old} differ in {measure}{beyond}"
    if made.rule == "superior":
        is_worse = made.difference.high < 0
        return f"{new} is {'worse than' if is_worse else 'not superior to'} {old} in {measure}" + (
            "" if is_worse else beyond
        )
    return f"{new} is worse than {old} in {measure}{beyond}"


def beyond_text(made: Gate) -> str:
    """By more than the margin; empty without one."""
    return "" if made.margin is None else f" by more than the margin of {margin_text(made)}"


def margin_text(made: Gate) -> str:
    """The margin as the difference is written: of shares in percentage points."""
    margin = made.margin or 0.0
    if is_share_name(made.comparison.measure):
        return f"{100 * margin:g} percentage points"
    return f"{margin:g}"


def _cases(one: Comparison) -> float:
    return one.n if one.n is not None and one.units.endswith("cases") else CASES


def _end_text(made: Gate, end: float) -> str:
    turn = 1 if direction_of(made.comparison) > 0 else -1
    return difference_text(Estimate.bare(turn * end, ""), made.comparison.measure, _cases(made.comparison))[0]


def _consequence(made: Gate) -> str:
    """What follows from a verdict: that more is shown than the rule demands, or what remains possible."""
    found, new = made.difference, made.comparison.models[0]
    if not found.has_interval or made.unsettled or made.is_one_sided:
        return ""
    if made.verdict is Verdict.UNDECIDED:
        edges = sorted({each.bound for each in (*made.conditions.passes, *made.conditions.fails)})
        inside = [edge for edge in edges if found.low <= edge <= found.high]
        texts = " and ".join(_end_text(made, edge) for edge in inside)
        return f"The interval includes {texts}, so the cases do not decide." if inside else ""
    if made.passed and found.high < 0 and made.rule == "non-inferior":
        return f"{new} is worse than {made.comparison.models[1]}, but the loss is within the margin."
    if made.passed and found.low > 0 and made.rule in ("non-inferior", "not-worse"):
        return f"{new} is also superior."
    if made.passed and made.rule == "not-worse" and found.low < 0:
        loss = fixed(-found.low, 3)
        if is_share_name(made.comparison.measure):
            loss = f"{fixed(-100 * found.low, 1)} percentage points"
        return (
            f"A loss of up to {loss} is compatible with the data, and a small sample passes this rule easily."
        )
    return ""


def _next_step(made: Gate) -> str:
    if made.verdict is Verdict.UNDECIDED and made.difference.has_interval:
        return "Use more cases."
    return ""


def _of_groups(made: GroupGate) -> Iterator[Finding]:
    """The worst group that fails, the other groups that do not pass, and all cases; first what the verdict rests on."""
    failed, unclear = made.in_state(Verdict.FAIL), made.in_state(Verdict.UNDECIDED)
    whole = made.whole
    leads = (
        not failed and whole.verdict is not Verdict.PASS and (whole.verdict is Verdict.FAIL or not unclear)
    )
    word = whole.verdict.word
    start = f"{word.upper()} (all cases)" if leads else f"All cases ({word})"
    rank = 0.5 if leads else 4
    yield Finding(f"gate_{word}", "main", rank, f"{start}: {gate_text(whole)}", evidence_of_gate(whole))
    new, old = made.comparison.models
    evidence: dict[str, Any] = {
        "by": made.by,
        "groups": len(made.groups),
        "failed": [str(each) for each in failed],
        "inconclusive": [str(each) for each in unclear],
    }
    if failed:
        text = f"{new} is worse than {old} in {short_title(made.comparison.measure)}{beyond_text(made)}"
        sentence = f"FAIL in group {quote(failed[0])}: {_group_text(made, failed[0], text)}"
        yield Finding("gate_group_fail", "main", 1, sentence, evidence)
    others = []
    if failed[1:]:
        others.append(f"{len(failed) - 1:,} more {'group fails' if len(failed) == 2 else 'groups fail'}")
    if unclear:
        names = some([quote(each) for each in unclear], MAX_GROUPS)
        many = "group" if len(unclear) == 1 else f"{len(unclear):,} groups:"
        word = (
            "the comparison is inconclusive" if others else "Also inconclusive" if failed else "INCONCLUSIVE"
        )
        others.append(f"{word} in {many} {names}")
    if others:
        step = "Use more cases of these groups." if unclear else ""
        yield Finding("gate_other_groups", "main", 2, f"{', and '.join(others)}.", evidence, step)
    if not failed and not unclear:
        shown = "shown to be worse" if made.margin is None else f"worse{beyond_text(made)}"
        several = len(made.groups) > 1
        many = f"none of the {len(made.groups):,} groups by" if several else "the one group by"
        start = "In" if leads else "PASS: in"
        sentence = f"{start} {many} {made.by} is {new} {'' if several else 'not '}{shown}."
        yield Finding("gate_groups_pass", "main", 3, sentence, evidence)


def _group_text(made: GroupGate, label: Hashable, text: str) -> str:
    """A sentence on a group with both values, and the difference whose interval holds for all groups at once."""
    one, wide = made.groups[label].comparison, made.simultaneous[label]
    cases = _cases(one)
    effect = wide if direction_of(one) > 0 else turned_over(wide)
    size, ends = difference_text(replace(effect, level=made.difference.level), one.measure, cases)
    many = f", adjusted for {len(made.groups):,} groups" if len(made.groups) > 1 else ""
    return f"{with_values(text, one, cases)} (difference {size}, simultaneous {ends}{many})."
