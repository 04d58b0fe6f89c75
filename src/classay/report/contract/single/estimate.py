"""The JSON of one estimate."""

from __future__ import annotations

from typing import Any

from classay.inference.estimate import Estimate
from classay.report.contract.writer import of_estimate


def as_dict(found: Estimate) -> dict[str, Any]:
    """The estimate as it stands within every other JSON."""
    return of_estimate(found)
