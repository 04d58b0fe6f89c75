"""The JSON of an evaluation: a published contract, docs/evaluation.schema.json."""

from __future__ import annotations

from collections import Counter
from json import loads
from math import isnan, nan
from typing import TYPE_CHECKING, Any

from classay.comparison.comparisons import row_of
from classay.errors import InputError
from classay.report.contract.writer import of_estimate, plain
from classay.resampling.balance import balanced_pairs
from classay.resampling.tuning import Tuned, tuned

if TYPE_CHECKING:
    from classay.resampling.dataset_run import DatasetRun, Summary
    from classay.resampling.evaluation import Evaluation
    from classay.resampling.leaks.finding import Leak

SCHEMA = 2
"""2: the times of the fits are measured, no result, and are gone; `evaluate --times` writes them."""
MOST_VALUES = 1000
"""Folds up to which the JSON holds the value of each; leave-one-out would make it as long as the data."""
_OF_FOLDS = ("repeat", "fold", "n_train", "n_test")


def as_dict(e: Evaluation) -> dict[str, Any]:
    """The evaluation as values that JSON knows: undefined is None, infinity the text "Infinity".

    They are the same for the same data and seed.
    """
    from classay import __version__

    return {
        "schema": SCHEMA,
        "classay": __version__,
        "protocol": e.protocol.name,
        "what": e.protocol.estimand,
        "random": e.random,
        "level": e.level,
        "seed": e.seed,
        "models": list(e.models),
        "measures": list(e.measures),
        "data": [_of_run(run) for run in e.runs],
        "estimates": [_of_summary(each) for each in e.summaries()],
        "tuning": [_of_tuned(each) for each in tuned(e)],
        "balancing": _of_balancing(e),
        "failures": list(e.failures),
        "notes": list(e.notes),
    }


def _of_balancing(e: Evaluation) -> list[dict[str, Any]]:
    """What balancing changed, by the paired test; empty where nothing was balanced, or there is no test."""
    if not balanced_pairs(e):
        return []
    try:
        found = e.balancing
    except InputError:  # the notes of the report say why
        return []
    return [{name: plain(value) for name, value in row_of(one).items()} for one in found]


def times_of(e: Evaluation) -> dict[str, Any]:
    """The mean seconds of the fits and predictions of each model: measured, so that no two runs agree in them."""
    from classay import __version__

    return {
        "classay": __version__,
        "protocol": e.protocol.name,
        "times": [_of_times(run, model) for run in e.runs for model in run.results],
    }


def _of_run(run: DatasetRun) -> dict[str, Any]:
    cases = run.cases
    tested = [place for place in run.places if place.kind == "test"] or run.places
    columns = {name: [getattr(place, name) for place in tested] for name in _OF_FOLDS}
    return {
        "name": cases.name,
        "rows": cases.rows,
        "labels": [plain(label) for label in cases.labels],
        "class_totals": [plain(total) for total in cases.totals.tolist()],
        "positive": plain(cases.positive),
        "weights": "none" if cases.weight is None else "sampling",
        "clusters": None if cases.clusters is None else len(cases.clusters),
        "fits": len(run.places),
        "folds": columns if len(tested) <= MOST_VALUES else None,
        "leaks": [_of_leak(leak) for leak in run.leaks],
    }


def _of_leak(leak: Leak) -> dict[str, Any]:
    example = leak.example
    return {
        "code": leak.code,
        "text": leak.text,
        "count": leak.count,
        "example": [plain(each) for each in example] if isinstance(example, tuple) else plain(example),
    }


def _of_summary(found: Summary) -> dict[str, Any]:
    numbers = ("pooled", "fold_mean", "training", "optimism")
    return {
        "data": found.dataset,
        "model": found.model,
        "measure": found.measure,
        **of_estimate(found.estimate),
        "used": found.used.replace(" ", "_"),
        **{name: plain(getattr(found, name)) for name in numbers},
        "folds": found.folds,
        "fitted": found.fitted,
        "defined": found.defined,
        "missing": list(found.missing),
        "values": [plain(each) for each in found.values] if found.folds <= MOST_VALUES else None,
    }


def _of_tuned(found: Tuned) -> dict[str, Any]:
    return {
        "data": found.dataset,
        "model": found.model,
        "scoring": found.scoring,
        "inner": plain(found.inner),
        "outer": None if found.outer is None else plain(found.outer),
        "optimism": plain(found.optimism),
        "choices": [
            {"params": loads(params), "times": times} for params, times in Counter(found.params).most_common()
        ],
    }


def _of_times(run: DatasetRun, model: str) -> dict[str, Any]:
    done = [each for each in run.results[model] if each is not None and each.failure is None]

    def mean(seconds: list[float]) -> Any:
        known = [each for each in seconds if not isnan(each)]
        return plain(sum(known) / len(known) if known else nan)

    return {
        "data": run.cases.name,
        "model": model,
        "fits": len(done),
        "fit_seconds": mean([each.fit_seconds for each in done]),
        "predict_seconds": mean([each.score_seconds for each in done]),
    }
