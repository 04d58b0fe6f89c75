"""The frames of an evaluation, as PyArrow tables."""

from __future__ import annotations

from collections.abc import Sequence
from json import dumps
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.measures import get
from classay.resampling.fold_result import FoldResult
from classay.resampling.splits import Place

if TYPE_CHECKING:
    from classay.resampling.dataset_run import DatasetRun, Summary
    from classay.resampling.evaluation import Evaluation


def of_summaries(summaries: Sequence[Summary]) -> Any:
    """A row for each estimate."""
    import pyarrow as pa

    plain = ("dataset", "model", "measure")
    of_estimate = ("value", "low", "high", "level", "method", "reason")
    rest = ("used", "pooled", "fold_mean", "training", "optimism", "defined", "fitted", "folds")
    columns: dict[str, Any] = {name: [getattr(each, name) for each in summaries] for name in plain}
    columns |= {name: [getattr(each.estimate, name) for each in summaries] for name in of_estimate}
    columns |= {name: [getattr(each, name) for each in summaries] for name in rest}
    kinds = {"level": pa.float64(), "method": pa.string(), "reason": pa.string()}
    return pa.table({name: pa.array(column, kinds.get(name)) for name, column in columns.items()})


def of_folds(e: Evaluation) -> Any:
    """A row for each fold and measure; folds that failed have no value and say why."""
    import pyarrow as pa

    parts = []
    for run, model, own in e.model_folds():
        shown = own if own.planned("test") else own.of("apparent")
        ok = {place.number: i for i, place in enumerate(shown.places)}
        why_failed = {place.number: f"failed: {why}" for place, why in shown.failures}
        for name in e.measures:
            measure = get(name)
            values, training = np.array([]), np.array([])
            reasons: list[str | None] = []
            if shown.places:
                values = shown.values(measure)
                reasons = shown.reasons(measure, values)
                seen = shown.training_values(measure)
                training = np.full(values.size, np.nan) if isinstance(seen, str) else seen
            places = shown.planned_places
            at = [ok.get(place.number, -1) for place in places]
            parts.append(
                pa.table(
                    {
                        "dataset": [run.cases.name] * len(places),
                        "model": [model] * len(places),
                        "measure": [name] * len(places),
                        "repeat": [place.repeat for place in places],
                        "fold": [place.fold for place in places],
                        "value": [values[i] if i >= 0 else np.nan for i in at],
                        "training": [training[i] if i >= 0 else np.nan for i in at],
                        "n_test": [place.n_test for place in places],
                        "n_train": [place.n_train for place in places],
                        "reason": pa.array(
                            [
                                why_failed.get(place.number) if i < 0 else reasons[i]
                                for place, i in zip(places, at, strict=True)
                            ],
                            pa.string(),
                        ),
                    }
                )
            )
    return pa.concat_tables(parts)


def of_predictions(e: Evaluation) -> Any:
    """A row for each test case of each fold; the score of the positive class, or one column a class."""
    import pyarrow as pa

    parts = []
    for run, model, own in e.model_folds():
        shown = own if own.planned("test") else own.of("apparent")
        for place, result in zip(shown.places, shown.results, strict=True):
            labels = np.array([str(label) for label in run.cases.labels])
            columns: dict[str, Any] = {
                "dataset": [run.cases.name] * place.n_test,
                "model": [model] * place.n_test,
                "repeat": np.full(place.n_test, place.repeat),
                "fold": np.full(place.n_test, place.fold),
                "row": place.test,
                "truth": labels[run.cases.truth[place.test]],
                "predicted": labels[result.predicted],
            }
            scores = result.scores
            if run.cases.positive is not None:
                columns["score"] = (
                    np.full(place.n_test, np.nan) if scores is None else scores.astype(np.float64)
                )
            else:
                for i, label in enumerate(labels.tolist()):
                    column = np.full(place.n_test, np.nan) if scores is None else scores[:, i]
                    columns[f"score of {label}"] = column.astype(np.float64)
            parts.append(pa.table(columns))
    return pa.concat_tables(parts, promote_options="default")


def of_times(e: Evaluation) -> Any:
    """A row for each fit of each model."""
    rows = [
        _where(run, model, place) | {"fit_seconds": result.fit_seconds, "score_seconds": result.score_seconds}
        for run, model, place, result in _all(e)
    ]
    return _table(rows, ("dataset", "model", "repeat", "fold", "fit_seconds", "score_seconds"))


def of_choices(e: Evaluation) -> Any:
    """A row for each search: what it chose, as JSON, its inner score and the name of that score."""
    rows = [
        _where(run, model, place)
        | {
            "params": dumps(result.choice["params"], sort_keys=True),
            "score": result.choice["score"],
            "scoring": result.choice["scoring"],
        }
        for run, model, place, result in _all(e)
        if result.choice is not None
    ]
    return _table(rows, ("dataset", "model", "repeat", "fold", "params", "score", "scoring"))


def _all(e: Evaluation) -> list[tuple[DatasetRun, str, Place, FoldResult]]:
    return [
        (run, model, place, result)
        for run in e.runs
        for model, results in run.results.items()
        for place, result in zip(run.places, results, strict=True)
        if result is not None and place.kind != "pair"
    ]


def _where(run: DatasetRun, model: str, place: Place) -> dict[str, Any]:
    return {"dataset": run.cases.name, "model": model, "repeat": place.repeat, "fold": place.fold}


def _table(rows: list[dict[str, Any]], names: tuple[str, ...]) -> Any:
    import pyarrow as pa

    return pa.table({name: [row[name] for row in rows] for name in names})
