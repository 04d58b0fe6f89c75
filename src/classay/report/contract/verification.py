"""The JSON of a verification: a published contract, docs/verification.schema.json."""

from __future__ import annotations

from typing import Any

from classay.decision.verification import REFERENCE, Verification
from classay.report.contract.writer import of_estimate, plain

SCHEMA = 1


def as_dict(v: Verification) -> dict[str, Any]:
    """The corrected measures and those of the verified cases alone, as plain values."""
    from classay import __version__

    return {
        "schema": SCHEMA,
        "classay": __version__,
        "kind": "verification",
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
