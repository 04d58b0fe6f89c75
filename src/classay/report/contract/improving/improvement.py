"""The JSON of an improvement: docs/improvement.schema.json."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from classay.comparison.comparisons import row_of
from classay.report.contract.improving import decomposition, learning_curve
from classay.report.contract.writer import of_estimate, plain

if TYPE_CHECKING:
    from classay.improving.remedies.evidence import Trial
    from classay.improving.remedies.improvement import Improvement

SCHEMA = 1
MOST_ROWS = 1000
"""Cases that no model gets right that the JSON lists; it counts all."""


def as_dict(i: Improvement) -> dict[str, Any]:
    """The improvement as values that JSON knows, the same for the same data and seed: undefined is None."""
    from classay import __version__

    cases = i.evaluation.runs[0].cases
    hard = i.hard_rows()
    return {
        "schema": SCHEMA,
        "classay": __version__,
        "learner": i.learner,
        "rows": cases.rows,
        "labels": [plain(label) for label in cases.labels],
        "protocol": i.evaluation.protocol.name,
        "random": i.random,
        "level": i.level,
        "seed": i.seed,
        "verdict": list(i.verdict),
        "error_rate": of_estimate(i.value(i.learner)),
        "gap": of_estimate(i.gap),
        "causes": [{"name": each.name, "evidence": list(each.evidence)} for each in i.causes],
        "suspected": list(i.suspected),
        "best": None if i.best is None else i.best.name,
        "trials": [_of_trial(i, each) for each in i.trials],
        "left_out": [{"name": name, "reason": reason} for name, reason in i.left_out],
        "before": decomposition.as_dict(i.before),
        "after": None if i.after is None else decomposition.as_dict(i.after),
        "learning_curve": learning_curve.as_dict(i.curve),
        "hard_rows": {"count": hard.num_rows, "rows": hard["row"].to_pylist()[:MOST_ROWS]},
        "failures": list(i.failures),
        "notes": [*i.notes, *i.evaluation.notes],
    }


def _of_trial(i: Improvement, trial: Trial) -> dict[str, Any]:
    remedy = trial.remedy
    return {
        "name": trial.name,
        "title": remedy.title,
        "against": remedy.against,
        "reference": remedy.reference,
        "helps": trial.helps,
        "gain": of_estimate(trial.gain),
        "value": of_estimate(i.value(trial.name, remedy.measure)),
        "comparison": {name: plain(value) for name, value in row_of(trial.comparison).items()},
    }


def times_of(i: Improvement) -> dict[str, Any]:
    """The mean seconds of the fits and predictions of the learner and its remedies: measured, so that no two agree."""
    from classay import __version__

    rows = [{name: plain(value) for name, value in row.items()} for row in i.costs.to_pylist()]
    return {"classay": __version__, "protocol": i.evaluation.protocol.name, "times": rows}
