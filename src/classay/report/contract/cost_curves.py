"""The JSON of cost curves of several models: docs/decision.schema.json."""

from __future__ import annotations

from typing import Any

from classay.decision.cost_curves import CostCurves
from classay.report.contract.assessment import of_curve
from classay.report.contract.writer import plain

SCHEMA = 1


def as_dict(found: CostCurves) -> dict[str, Any]:
    """The curves, and where each model is best, as values that JSON knows."""
    from classay import __version__

    return {
        "schema": SCHEMA,
        "classay": __version__,
        "kind": "cost curves",
        "models": list(found.models),
        "level": found.level,
        "seed": found.seed,
        "at": plain(found.at),
        "ranges": [
            {"low": each.low, "high": each.high, "best": each.best, "wins": each.wins}
            for each in found.ranges
        ],
        "curves": {each.series: of_curve(each) for each in found.curves},
        "honest": {model: of_curve(each) for model, each in zip(found.models, found.honest, strict=True)},
        "notes": list(found.notes),
    }
