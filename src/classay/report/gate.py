"""A gate for machines (JSON) and for a pull request (Markdown)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from classay.assessment.requirements import Outcome, Verdict
from classay.comparison.comparison import p_text
from classay.comparison.gate import Gate
from classay.comparison.wording import title
from classay.inference.estimate import Estimate, number
from classay.report.json import json_text, of_estimate, of_outcome, plain
from classay.report.wording import clean

SCHEMA = 1
HEADS = {Verdict.PASS: "✅ Passed", Verdict.FAIL: "❌ Failed", Verdict.UNDECIDED: "❔ Cannot tell"}


def gate_dict(made: Gate, outcomes: Sequence[Outcome] = ()) -> dict[str, Any]:
    """A gate, and requirements beside it, as values that JSON knows; `verdict` is that of all of them."""
    from classay import __version__

    found = made.comparison
    return {
        "schema": SCHEMA,
        "classay": __version__,
        "verdict": _verdict(made, outcomes).value,
        "rule": made.rule,
        "margin": made.margin,
        "condition": made.condition,
        "rule_verdict": made.verdict.value,
        "sentence": made.sentence,
        "measure": found.measure,
        "models": list(found.models),
        "values": [plain(float(value)) for value in found.values],
        "effect": of_estimate(_effect(made)),
        "difference": of_estimate(made.difference),
        "p": plain(found.p),
        "method": found.method,
        "reference": found.reference,
        "n": plain(found.n),
        "units": found.units,
        "reason": found.reason,
        "requirements": [of_outcome(each) for each in outcomes],
    }


def gate_json(made: Gate, outcomes: Sequence[Outcome] = ()) -> str:
    """A gate as JSON text."""
    return json_text(gate_dict(made, outcomes))


def gate_markdown(made: Gate, outcomes: Sequence[Outcome] = ()) -> str:
    """A gate as a comment on a pull request."""
    found, effect = made.comparison, _effect(made)
    new, old = map(_cell, found.models)
    margin = "" if made.margin is None else f", margin {made.margin:g}"
    values = [number(value) for value in found.values] or ["–", "–"]
    interval = f"{number(effect.low)} to {number(effect.high)}" if effect.has_interval else "–"
    level = f"{100 * effect.level:g} % interval" if effect.level else "interval"
    lines = [
        f"### {HEADS[_verdict(made, outcomes)]}: {made.rule}{margin}",
        "",
        _cell(made.sentence),
        "",
        f"| measure | {new} | {old} | {new} less {old} | {level} | p |",
        "| --- | --- | --- | --- | --- | --- |",
        "| "
        + " | ".join([_cell(title(found.measure)), *values, number(effect.value), interval, p_text(found.p)])
        + " |",
        "",
    ]
    if outcomes:
        lines += ["| requirement | found | verdict |", "| --- | --- | --- |"]
        lines += [
            f"| `{each.requirement}` | {number(each.value)} | {HEADS[each.verdict]} |" for each in outcomes
        ]
        lines.append("")
    n = "" if found.n is None else f"; {found.n:,.0f} {found.units}"
    lines.append(f"Rule: `{made.condition}`, more of the difference being better. {_cell(found.method)}{n}.")
    return "\n".join(lines) + "\n"


def _verdict(made: Gate, outcomes: Sequence[Outcome]) -> Verdict:
    return Verdict.of([made.verdict, *(each.verdict for each in outcomes)])


def _effect(made: Gate) -> Estimate:
    found = made.comparison.effect
    return made.difference if found is None else found


def _cell(text: str) -> str:
    """A text that does not end a cell or start markup."""
    text = clean(" ".join(text.split()))
    for mark in "\\|*_`<>#[]&@":
        text = text.replace(mark, f"\\{mark}" if mark != "@" else "&#64;")  # no mention of a person
    return text
