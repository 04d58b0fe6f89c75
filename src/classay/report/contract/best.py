"""The JSON of the best of several models."""

from __future__ import annotations

from typing import Any

from classay.comparison.cases.choice.best import Best
from classay.report.contract.writer import of_estimate, plain

SCHEMA = 1


def as_dict(best: Best) -> dict[str, Any]:
    """The best model with both estimates, as plain values."""
    from classay import __version__

    return {
        "schema": SCHEMA,
        "classay": __version__,
        "measure": best.measure,
        "model": best.model,
        "models": best.models,
        "cases": best.cases,
        "observed": of_estimate(best.observed),
        "corrected": of_estimate(best.corrected),
        "shrinkage": plain(best.shrinkage),
        "sentence": best.sentence,
        "seed": best.seed,
    }
