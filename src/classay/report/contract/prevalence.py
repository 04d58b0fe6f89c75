"""The JSON of an assessment at another prevalence."""

from __future__ import annotations

from typing import Any

from classay.assessment.shifted import Shifted
from classay.inference.estimate import Estimate
from classay.report.contract.writer import of_estimate


def as_dict(shifted: Shifted, *names: str) -> dict[str, Any]:
    """The named measures there, or the main ones, as plain values."""
    return of_shifted(shifted, shifted.estimates(names or shifted.main_measures))


def of_shifted(shifted: Shifted, found: dict[str, Estimate]) -> dict[str, Any]:
    """Estimates at another prevalence as plain values."""
    return {
        "prevalence": shifted.prevalence,
        "measures": {name: of_estimate(each) for name, each in found.items()},
    }
