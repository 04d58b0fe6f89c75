"""Findings of gates: the verdict, both values, the difference with its interval, and the margin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from classay.assessment.finding import Finding, ranked
from classay.comparison.claims import direction_of
from classay.comparison.gate_rules import Gate, alpha_of, turned_over
from classay.comparison.gate_sentences import cases_that_settle, omissions_text, sentence_of
from classay.inference.estimate import Estimate, level_text, p_equation
from classay.inference.phrasing import difference_text, fixed, is_share_name, short_title, value_text
from classay.inference.plain import plain_estimate
from classay.inference.requirements import Verdict

if TYPE_CHECKING:
    from classay.comparison.comparison import Comparison

CASES = 1000.0
"""Cases by which percentages are written where nobody knows how many there are: one decimal."""
HOLDS = {
    "non-inferior": "is non-inferior to",
    "superior": "is superior to",
    "equivalent": "is equivalent to",
}


CLAIMS = {
    "non-inferior": "non-inferiority of {new} compared with {old}",
    "superior": "superiority of {new} compared with {old}",
    "equivalent": "equivalence of {new} and {old}",
    "not-worse": "a loss of {new} compared with {old}",
}
"""What a rule, or a loss where it demands none, is about."""


def findings_on_gate(
    gate: Gate,
    demands: Sequence[str] = (),
    *,
    demands_lead: bool = False,
    of_rule: Iterable[Finding] | None = None,
) -> tuple[Finding, ...]:
    """Return the findings of a gate in their order, with the sentences on requirements beside it.

    `demands_lead` says that the verdict of all rests on these. `of_rule` are the findings on the rule, where
    it is held against more than one comparison.
    """
    findings = list(findings_on_rule(gate) if of_rule is None else of_rule)
    for k, sentence in enumerate(demands[:2]):
        rank = 0.1 + k / 10 if demands_lead else 3 + k / 10
        findings.append(Finding(f"requirement_{k + 1}", "main", rank, sentence))
    return ranked(findings)


def findings_on_rule(gate: Gate) -> Iterator[Finding]:
    """Yield the verdict of one rule, then what follows from it."""
    word = gate.verdict.word.upper()
    sentence = f"{word}: {gate_text(gate)}"
    yield Finding(f"gate_{word.lower()}", "main", 1, sentence, evidence_of_gate(gate), _next_step(gate))
    if not _is_said_whole(gate) and (text := omissions_text(gate)):
        yield Finding("gate_omissions", "main", 1.2, f"{text[:1].upper()}{text[1:]}", evidence_of_gate(gate))
    if more := _consequence(gate):
        yield Finding("gate_consequence", "main", 1.5, more, evidence_of_gate(gate))
    if (
        gate.is_open
        and gate.rule in ("non-inferior", "not-worse")
        and (more := cases_that_settle(gate).strip())
    ):
        yield Finding("gate_more_cases", "main", 2, more, evidence_of_gate(gate))


def evidence_of_gate(gate: Gate) -> dict[str, Any]:
    """Return what a verdict rests on, as plain values; the difference is turned so that more is better."""
    comparison = gate.comparison
    values = zip(comparison.models, comparison.values, strict=False)
    return {
        "verdict": gate.verdict.value,
        "rule": gate.rule,
        "margin": gate.margin,
        "measure": comparison.measure,
        "models": list(comparison.models),
        "values": {name: None if isnan(value) else float(value) for name, value in values},
        "difference": plain_estimate(gate.difference),
    }


def with_values(text: str, one: Comparison, cases: float) -> str:
    """Return a sentence with the values of both models behind it, where they are known."""
    if len(one.values) != 2 or any(map(isnan, one.values)):
        return text
    return f"{text}: {' versus '.join(value_text(value, one.measure, cases) for value in one.values)}"


def _is_said_whole(gate: Gate) -> bool:
    """Check whether the verdict needs the whole sentence of the rule, with what was left out."""
    return not gate.difference.has_interval or bool(gate.unsettled) or gate.is_one_sided


def gate_text(gate: Gate) -> str:
    """Return the verdict on a rule without its word, with both values, the difference, its interval and the margin."""
    one = gate.comparison
    if _is_said_whole(gate):
        return sentence_of(gate)
    new, old = one.models
    measure, cases = short_title(one.measure), cases_behind(one)
    margin = "" if gate.margin is None else f" at a margin of {margin_text(gate)}"
    effect = gate.difference if direction_of(one) > 0 else turned_over(gate.difference)
    size, ends = difference_text(effect, one.measure, cases)
    p = (
        f"; one-sided test of {CLAIMS[gate.rule].split()[0]}: {p_equation(gate.p, alpha_of(gate))}"
        if gate.passed and gate.rule != "not-worse"
        else ""
    )
    if gate.passed and gate.rule == "not-worse":
        beyond = "" if gate.margin is None else f" beyond the margin of {margin_text(gate)}"
        text = f"{new} has no detected loss{beyond} in {measure} compared with {old}"
    elif gate.passed:
        text = f"{new} {HOLDS[gate.rule]} {old} in {measure}{margin}"
    elif gate.verdict is Verdict.UNDECIDED:
        claim = CLAIMS[gate.rule].format(new=new, old=old)
        text = f"{claim} in {measure}{margin} was neither confirmed nor excluded"
    else:
        text = _failed(gate)
    return f"{with_values(text, one, cases)} (difference {size}, {ends}{p})."


def _failed(gate: Gate) -> str:
    """Return what is shown where a rule fails."""
    new, old = gate.comparison.models
    measure, beyond = short_title(gate.comparison.measure), beyond_text(gate)
    if gate.rule == "equivalent":
        return f"{new} and {old} differ in {measure}{beyond}"
    if gate.rule == "superior":
        is_worse = gate.difference.high < 0
        return f"{new} is {'worse than' if is_worse else 'not superior to'} {old} in {measure}" + (
            "" if is_worse else beyond
        )
    return f"{new} is worse than {old} in {measure}{beyond}"


def beyond_text(gate: Gate) -> str:
    """By more than the margin; empty without one."""
    return "" if gate.margin is None else f" by more than the margin of {margin_text(gate)}"


def margin_text(gate: Gate) -> str:
    """Return the margin as the difference is written: of shares in percentage points."""
    margin = gate.margin or 0.0
    if is_share_name(gate.comparison.measure):
        return f"{100 * margin:g} percentage points"
    return f"{margin:g}"


def cases_behind(one: Comparison) -> float:
    """Return the cases of a comparison, by which percentages have their decimals."""
    return one.n if one.n is not None and one.units.endswith("cases") else CASES


def _end_text(gate: Gate, end: float) -> str:
    turn = 1 if direction_of(gate.comparison) > 0 else -1
    return difference_text(
        Estimate.bare(turn * end, ""), gate.comparison.measure, cases_behind(gate.comparison)
    )[0]


def _consequence(gate: Gate) -> str:
    """Return what follows from a verdict: that more is shown than the rule demands, or what remains possible."""
    effect, new = gate.difference, gate.comparison.models[0]
    if not effect.has_interval or gate.unsettled or gate.is_one_sided:
        return ""
    if gate.verdict is Verdict.UNDECIDED:
        edges = sorted({demand.bound for demand in (*gate.conditions.passes, *gate.conditions.fails)})
        inside = [edge for edge in edges if effect.low <= edge <= effect.high]
        texts = " and ".join(_end_text(gate, edge) for edge in inside)
        return f"The {level_text(effect.level)} includes {texts}." if inside else ""
    if gate.passed and effect.high < 0 and gate.rule == "non-inferior":
        return f"{new} is worse than {gate.comparison.models[1]}, but the loss is within the margin."
    if gate.passed and effect.low > 0 and gate.rule in ("non-inferior", "not-worse"):
        return f"{new} is also superior (the CI excludes 0)."
    if gate.passed and gate.rule == "not-worse" and effect.low < 0:
        loss = fixed(-effect.low, 3)
        if is_share_name(gate.comparison.measure):
            loss = f"{fixed(-100 * effect.low, 1)} percentage points"
        return f"A loss of up to {loss} is compatible with the data, and a small sample can pass this rule."
    return ""


def _next_step(gate: Gate) -> str:
    if gate.verdict is Verdict.UNDECIDED and gate.difference.has_interval:
        return "Use more cases."
    return ""
