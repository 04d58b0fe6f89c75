"""The JSON of a learning curve: docs/learning-curve.schema.json."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from classay.report.contract.writer import of_estimate, plain

if TYPE_CHECKING:
    from classay.improving.extrapolation import Extrapolation
    from classay.improving.learning_curve import LearningCurve

SCHEMA = 1
_ESTIMATES = ("estimate", "change", "expected", "seen", "miss")


def as_dict(c: LearningCurve) -> dict[str, Any]:
    """The curve as values that JSON knows: undefined is None, infinity the text "Infinity"."""
    from classay import __version__

    beyond = c.extrapolation
    cases = c.evaluations[0].runs[0].cases
    return {
        "schema": SCHEMA,
        "classay": __version__,
        "learner": c.learner,
        "measure": c.measure,
        "rows": cases.rows,
        "labels": [plain(label) for label in cases.labels],
        "protocol": c.evaluations[0].protocol.name.partition("@")[0],
        "random": c.random,
        "level": c.level,
        "seed": c.seed,
        "points": [
            {"size": p.size, "new_cases": of_estimate(p.test), "training": of_estimate(p.training)}
            for p in c.points
        ],
        "extrapolation": None if isinstance(beyond, str) else _of_extrapolation(beyond),
        "why_not": beyond if isinstance(beyond, str) else None,
        "failures": list(c.failures),
    }


def _of_extrapolation(found: Extrapolation) -> dict[str, Any]:
    estimates = {name: of_estimate(getattr(found, name)) for name in _ESTIMATES}
    path = [dict(zip(("size", "value", "low", "high"), map(plain, each), strict=True)) for each in found.path]
    return {"size": found.size, "holds": found.holds, **estimates, "path": path}
