"""Saved evaluations of learners and stores of their runs, as rows of an overview."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from classay.assessment.main_measures import MAIN, MAIN_SEVERAL
from classay.comparison.comparison import BASELINE
from classay.errors import ClassayError
from classay.inference.estimate import Estimate
from classay.resampling.evaluation import Evaluation
from classay.resampling.run_store import Store
from classay.resampling.saved_evaluations import is_evaluation
from classay.saved_results import SavedResult


def list_store(file: Path, names: tuple[str, ...] | None) -> Iterator[SavedResult]:
    """Yield the runs of a store; of those that evaluated learners, a row for each model."""
    with Store.existing(file) as store:
        for run in store.runs():
            page = file.with_name(f"{run.id[:8]}.html")
            kept = SavedResult(run.id[:8], run.started[:19], "", page=str(page) if page.is_file() else "")
            if not run.is_finished:
                yield replace(kept, what=f"{run.done:,} of {run.planned:,} fits are done")
                continue
            if not is_evaluation(
                store, run
            ):  # of `decompose` or `improve`, whose parts are no estimates of measures
                rows = sum(data["rows"] for data in run.about.get("data", {}).values())
                models = ", ".join(run.about.get("estimators", ()))
                yield replace(kept, what=str(run.about.get("protocol", "")), model=models, cases=rows)
                continue
            try:
                evaluation = Evaluation.reopen(store, run.id)
            except ClassayError as error:
                yield replace(kept, what=f"cannot be read: {error}")
                continue
            yield from list_evaluation(evaluation, kept, names)


def list_evaluation(e: Evaluation, kept: SavedResult, names: tuple[str, ...] | None) -> Iterator[SavedResult]:
    """Yield a row for each model and data set of an evaluation, without the baseline beside others."""
    for run in e.runs:
        on = run.cases.name if len(e.runs) > 1 else ""
        of_run = replace(e, runs=(run,))
        for model in run.results:
            if model == BASELINE and len(run.results) > 1:
                continue
            yield replace(
                kept,
                what=f"evaluation, {e.protocol.name}",
                model=" on ".join(filter(None, (model, on))),
                cases=len(run.cases.truth),
                estimates=_of_learner(of_run[model], names),
            )


def _of_learner(e: Evaluation, names: tuple[str, ...] | None) -> dict[str, Estimate]:
    estimates = {}
    main = [name for name in dict.fromkeys(MAIN + MAIN_SEVERAL) if name in e.measures] or e.measures
    for name in main if names is None else names:
        try:
            (summary,) = e.summaries([name])
        except ClassayError:
            continue
        estimates[name] = summary.estimate
    return estimates
