"""The JSON of a decision: a published contract, docs/decision.schema.json."""

from __future__ import annotations

from typing import Any

from classay.assessment.decisions.over_time import OverTime
from classay.decision.decision import Decision
from classay.decision.top import GainTable
from classay.report.contract.assessment import of_curve
from classay.report.contract.writer import of_estimate, plain

SCHEMA = 1


def as_dict(d: Decision, gain: GainTable | None = None, time: OverTime | None = None) -> dict[str, Any]:
    """The decision as values that JSON knows; an infinite threshold calls nobody positive."""
    from classay import __version__

    found: dict[str, Any] = {
        "schema": SCHEMA,
        "classay": __version__,
        "kind": "decision",
        "rule": d.rule.text,
        "advice": list(d.advice),
        "positive": plain(d.positive),
        "cases": plain(d.cases),
        "prevalence": plain(d.prevalence),
        "observed_prevalence": plain(d.observed),
        "level": d.level,
        "seed": d.seed,
        "threshold": of_estimate(d.threshold),
        "as_good": None if d.as_good is None else [plain(each) for each in d.as_good],
        "confusion_matrix": {
            "labels": [plain(label) for label in d.matrix.labels],
            "axes": ["predicted", "true"],
            "counts": d.matrix.counts.tolist(),
        },
        "objective": {
            "name": d.objective,
            "apparent": of_estimate(d.apparent),
            "honest": of_estimate(d.honest),
            "how_honest": d.how_honest,
        },
        "conditions": [
            {
                "condition": str(each.requirement),
                "apparent": of_estimate(each.apparent),
                "honest": of_estimate(each.honest),
                "probability": plain(each.probability),
            }
            for each in d.kept
        ],
        "costs": None if d.rule.cost is None else _costs(d),
        "measures": {name: of_estimate(each) for name, each in d.measures.items()},
        "measures_new_cases": {name: of_estimate(each) for name, each in d.honest_measures.items()},
        "changes": [
            {
                "what": each.what,
                "threshold": plain(each.threshold),
                "objective_here": plain(each.here),
                "objective_there": plain(each.there),
            }
            for each in d.changes
        ],
        "curves": {curve.name: of_curve(curve) for curve in d.curves},
        "notes": list(d.notes),
    }
    if gain is not None:
        found["gain"] = of_gain(gain)
    if time is not None:
        found["time"] = of_time(time)
    return found


def of_time(time: OverTime) -> dict[str, Any]:
    """A decision over time, period by period."""
    return {
        "per": time.per,
        "objective": time.objective,
        "capacity": plain(time.capacity),
        "unripe": time.unripe,
        "labels_until": time.until,
        "trend": of_estimate(time.trend),
        "periods": [
            {
                "period": each.name,
                "cases": each.cases,
                "ripe": each.ripe,
                "called": each.called,
                "capacity_met": each.met,
                "value": of_estimate(each.value),
            }
            for each in time.periods
        ],
    }


def _costs(d: Decision) -> dict[str, Any]:
    assert d.rule.cost is not None
    assert d.cost is not None
    entries = {name: plain(getattr(d.rule.cost, name)) for name in ("fp", "fn", "tp", "tn")}
    new = d.honest_cost
    return {
        "entries": entries,
        "per_case": of_estimate(d.cost.per_case),
        "total": of_estimate(d.cost.total),
        "normalised": of_estimate(d.cost.normalised),
        "saving_over_none": of_estimate(d.cost.saving_over_none),
        "saving_over_all": of_estimate(d.cost.saving_over_all),
        "total_saving_over_none": of_estimate(d.cost.total_saving_over_none),
        "total_saving_over_all": of_estimate(d.cost.total_saving_over_all),
        "new_cases": None
        if new is None
        else {
            "per_case": of_estimate(new.per_case),
            "total": of_estimate(new.total),
            "normalised": of_estimate(new.normalised),
            "saving_over_none": of_estimate(new.saving_over_none),
            "saving_over_all": of_estimate(new.saving_over_all),
            "total_saving_over_none": of_estimate(new.total_saving_over_none),
            "total_saving_over_all": of_estimate(new.total_saving_over_all),
        },
    }


def of_gain(gain: GainTable) -> dict[str, Any]:
    """A gain table, part by part."""
    return {
        "amount": gain.amount,
        "parts": [
            {
                "k": plain(each.k),
                "share": each.share,
                "threshold": plain(each.threshold),
                "in_part": plain(each.in_part),
                "precision": of_estimate(each.precision),
                "recall": of_estimate(each.recall),
                "lift": of_estimate(each.lift),
                "captured": None if each.captured is None else of_estimate(each.captured),
            }
            for each in gain.parts
        ],
    }
