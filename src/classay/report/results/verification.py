"""Sensitivity and specificity corrected for verification: document and JSON (docs/verification.schema.json)."""

from __future__ import annotations

from typing import Any

from classay.decision.verification import REFERENCE, Verification
from classay.report.document import (
    Cell,
    Column,
    Count,
    Document,
    Found,
    Label,
    MethodCell,
    Prose,
    Section,
    Table,
)
from classay.report.results.parts import head, of_estimate, plain
from classay.texts import quote


def document_of(v: Verification) -> Document:
    """The corrected measures beside those of the verified cases, and who was verified."""
    cases = v.flagged[0] + v.passed[0]
    facts = [("cases", f"{cases:,}"), ("verified", f"{v.flagged[1] + v.passed[1]:,}")]
    facts += [] if v.positive is None else [("positive", quote(v.positive))]
    facts += [("level", f"{100 * v.level:g} %, seed {v.seed}"), ("reference", REFERENCE)]
    sections = (
        Section("Corrected, and of the verified cases alone", (_measures(v),)),
        Section("Who was verified", (_groups(v),)),
        Section("What is assumed", (Prose(ASSUMED),)),
    )
    return Document("Corrected for verification", tuple(facts), (v.sentence,), sections)


ASSUMED = (
    "Within the flagged cases, and within the others, chance alone decides who is verified. No data can show that; a "
    "few verified cases among those that nobody flagged tell the most."
)


def _measures(v: Verification) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            Label("Sensitivity", "recall"),
            Found(v.sensitivity),
            Found(v.naive_sensitivity),
            MethodCell(v.sensitivity),
        ),
        (
            Label("Specificity", "specificity"),
            Found(v.specificity),
            Found(v.naive_specificity),
            MethodCell(v.specificity),
        ),
        (Label("Prevalence"), Found(v.prevalence), None, MethodCell(v.prevalence)),
    ]
    return Table(
        (
            Column("", Label),
            Column("corrected", Found),
            Column("verified cases alone", Found),
            Column("method", MethodCell, 9),
        ),
        tuple(rows),
    )


def _groups(v: Verification) -> Table:
    return Table(
        (
            Column("", Label),
            Column("cases", Count),
            Column("verified", Count),
            Column("of them positive", Count),
        ),
        tuple(
            (Label(name), *(Count(each) for each in counts))
            for name, counts in (("flagged", v.flagged), ("the others", v.passed))
        ),
    )


SCHEMA = 1


def as_dict(v: Verification) -> dict[str, Any]:
    """The corrected measures and those of the verified cases alone, as plain values."""
    return {
        **head(SCHEMA, "verification"),
        "positive": plain(v.positive),
        "level": v.level,
        "seed": v.seed,
        "corrected": {
            "sensitivity": of_estimate(v.sensitivity),
            "specificity": of_estimate(v.specificity),
            "prevalence": of_estimate(v.prevalence),
        },
        "verified_alone": {
            "sensitivity": of_estimate(v.naive_sensitivity),
            "specificity": of_estimate(v.naive_specificity),
        },
        "flagged": _group(v.flagged),
        "passed": _group(v.passed),
        "sentence": v.sentence,
        "reference": REFERENCE,
    }


def _group(counts: tuple[int, int, int]) -> dict[str, int]:
    return dict(zip(("cases", "verified", "positive"), counts, strict=True))
