"""The JSON of a gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from classay.comparison.claim import direction_of
from classay.comparison.rules import Gate
from classay.inference.requirements import Outcome
from classay.report.contract.writer import of_estimate, of_outcome, plain
from classay.report.documents.gate import effect_of, verdict_of

SCHEMA = 1


def _omissions(made: Gate) -> dict[str, Any] | None:
    """What the models did not answer and was left out, whether it is one-sided, and what it is if counted as wrong."""
    found = made.comparison.omissions
    if found is None:
        return None
    return {
        "unanswered": list(found.omitted),
        "unanswered_alone": list(found.alone),
        "cases": found.cases,
        "units": found.units,
        "p_unequal": plain(found.adjusted[0]),
        "p_harder": [plain(p) for p in found.adjusted[1:]],
        "one_sided": found.is_one_sided,
        "counted_as_wrong": None if found.worst is None else of_estimate(found.worst),
        "passes_at_worst": made.passes_at_worst,
    }


def as_dict(
    made: Gate, outcomes: Sequence[Outcome] = (), left_out: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Any]:
    """A gate, and requirements beside it, as values that JSON knows; `verdict` is that of all of them.

    `left_out` says which rows were given and not compared.
    """
    from classay import __version__

    found = made.comparison
    noise = None if found.noise is None else found.noise[:: direction_of(found)]
    return {
        "schema": SCHEMA,
        "classay": __version__,
        "verdict": verdict_of(made, outcomes).value,
        "rule": made.rule,
        "margin": made.margin,
        "condition": made.condition,
        "rule_verdict": made.verdict.value,
        "sentence": made.sentence,
        "measure": found.measure,
        "models": list(found.models),
        "values": [plain(float(value)) for value in found.values],
        "effect": of_estimate(effect_of(made)),
        "difference": of_estimate(made.difference),
        "error_of_low": None if noise is None else plain(noise[0]),
        "error_of_high": None if noise is None else plain(noise[1]),
        "p": plain(found.p),
        "method": found.method,
        "reference": found.reference,
        "n": plain(found.n),
        "units": found.units,
        "left_out": dict(left_out),
        "omissions": _omissions(made),
        "reason": found.reason,
        "requirements": [of_outcome(each) for each in outcomes],
    }
