"""What an evaluation says first: which model leads, whether that is sure, and how far training flatters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from classay.assessment.judgement.words import as_class
from classay.comparison.comparison import Comparison
from classay.errors import InputError
from classay.inference.estimate import Estimate, number, said
from classay.inference.folds.resampled import CORRECTED
from classay.inference.words import title
from classay.resampling.baseline import BASELINE
from classay.resampling.comparing_learners import compared_unasked
from classay.texts import an, quote

if TYPE_CHECKING:
    from classay.resampling.dataset_run import DatasetRun, Summary
    from classay.resampling.evaluation import Evaluation

LEADING = ("roc_auc", "macro_roc_auc", "accuracy")
"""The measure by which models are ranked: the first of these that a model has."""


def verdict(e: Evaluation, run: DatasetRun, found: list[Summary]) -> list[str]:
    """Which model leads and whether that is sure, what the baseline reaches, and how far training flatters."""
    mine = [each for each in found if each.dataset == run.cases.name]
    known = [each for each in mine if each.model != BASELINE and not each.estimate.is_undefined]
    leading = next((name for name in LEADING if any(each.measure == name for each in known)), None)
    if leading is None:
        return []
    ranked = [each for each in known if each.measure == leading]
    best = max(ranked, key=lambda each: each.estimate.value)
    on = f"On {run.cases.name}: " if len(e.runs) > 1 else ""
    sentences = [on + _of_best(best, run, len(ranked)), *_over_next(e, run, ranked)]
    accuracy = {each.model: each.estimate for each in mine if each.measure == "accuracy"}
    if best.model in accuracy and BASELINE in accuracy:
        sentences.append(_over_baseline(accuracy[best.model], run))
    if not isnan(best.training):
        sentences.append(
            f"On the cases it was fitted to, its {title(best.measure)} is {number(best.training)}, which says "
            "nothing about new ones."
        )
    return sentences


def _of_best(best: Summary, run: DatasetRun, models: int) -> str:
    sure = _sure(best.estimate)
    many = f"Of {models} models " if models > 1 else ""
    picked = f"; as the best of {models} it looks a little too good" if models > 1 else ""
    if best.measure == "roc_auc":
        positive = quote(run.cases.positive)
        other = quote(next(label for label in run.cases.labels if label != run.cases.positive))
        often = "most often " if models > 1 else ""
        return (
            f"{many}{best.model} {often}scores a random case of class {positive} above one of class {other}: with "
            f"probability {sure}, the ROC AUC{picked}."
        )
    what = title(best.measure)
    if models > 1:
        return f"{many}{best.model} has the highest {what}, {sure}{picked}."
    return f"{best.model} has {an(what)} of {sure}."


def _over_next(e: Evaluation, run: DatasetRun, ranked: list[Summary]) -> Iterable[str]:
    """Whether the first is better than the second, as far as the folds can tell."""
    found = lead(e if len(e.runs) == 1 else e[run.cases.name], ranked)
    if found is not None:
        yield found.sentence


def lead(e: Evaluation, found: list[Summary]) -> Comparison | None:
    """The best model and the second best in a measure that is best when high, as `compare` of the evaluation has them.

    So both belong to one family: all pairs of models in all measures that are compared unasked. None where the
    estimates are not by the corrected resampled t, or a model has folds without a value.
    """
    by_value = sorted(
        (each for each in found if each.model != BASELINE and each.estimate.value == each.estimate.value),
        key=lambda each: -each.estimate.value,
    )
    if len(by_value) < 2 or any(each.estimate.method != CORRECTED for each in by_value):
        return None
    measure = by_value[0].measure
    names = compared_unasked(e)
    try:
        made = e.compare(names if measure in names else [measure, *names])
    except InputError:
        return None
    best = {each.model for each in by_value[:2]}
    one = next(each for each in made if each.measure == measure and {*each.models} == best)
    return None if isnan(one.p) else one


def _over_baseline(found: Estimate, run: DatasetRun) -> str:
    """The accuracy beside that of one answer to all cases tested, the one that is right most often.

    The model `baseline` may answer differently from fold to fold: of leave-one-out it is wrong wherever the case left
    out turns a majority.
    """
    tests = [place.test for place in run.places if place.kind == "test"]
    rows = np.concatenate(
        tests or [place.test for place in run.places]
    )  # resubstitution has only apparent ones
    tested = replace(
        run.cases,
        truth=run.cases.truth[rows],
        weight=None if run.cases.weight is None else run.cases.weight[rows],
    )
    answer = int(tested.shares.argmax())
    always, reached = f"always saying {as_class(run.cases.labels[answer])}", float(tested.shares[answer])
    if found.has_interval and found.low <= reached <= found.value:
        return f"Its accuracy, {_sure(found)}, is not shown to be above the {number(reached)} of {always}."
    return f"Its accuracy is {_sure(found)}; {always} reaches {number(reached)}."


def _sure(found: Estimate) -> str:
    return said(found, f"{100 * (found.level or 0):g} % interval")
