"""compare(): models on one test set, over folds, or over data sets, with the p-values adjusted for all of it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from classay.comparison.by_measure import compare_panel
from classay.comparison.comparison import Alternative
from classay.comparison.comparisons import Comparisons
from classay.comparison.gate import Rule, by_rule, check_rule, interval_level
from classay.comparison.labels import TESTS
from classay.comparison.over_datasets import compare_results
from classay.comparison.results import Results, long_results, wide_results
from classay.comparison.rows import are_assessments, panel_from
from classay.comparison.saved import compare_assessments
from classay.comparison.sided import as_asked, check_sides, level_of_both
from classay.errors import InputError, nearest
from classay.inference.draws import seed_of
from classay.kinds import checked
from classay.measures import Measure
from classay.predictions import Missing

METHODS = ("bootstrap", "delta", "posterior", "permutation", *TESTS, "delong", "logit-delong")
BETTER = {"higher": 1, "lower": -1}


@checked
def compare(
    models: Any = None,
    y_true: Any = None,
    *,
    y_pred: Mapping[str, Any] | None = None,
    truth: str | None = None,
    scores: str | Sequence[str] | Mapping[str, str] | None = None,
    predictions: str | Sequence[str] | Mapping[str, str] | None = None,
    id: str | None = None,
    positive: Hashable | None = None,
    labels: Sequence[Hashable] | None = None,
    threshold: float | Mapping[str, float] | None = None,
    measures: Sequence[str | Measure] | None = None,
    weight: Any = None,
    frequency: Any = None,
    cluster: Any = None,
    dataset: str | None = None,
    model: str | None = None,
    value: str | None = None,
    run: str | None = None,
    better: str | None = None,
    control: str | None = None,
    method: str | None = None,
    rule: Rule | None = None,
    margin: float | None = None,
    rope: float | None = None,
    alternative: Alternative = "two-sided",
    adjustment: str = "holm",
    level: float | None = None,
    seed: int | np.random.Generator = 0,
    missing: Missing = "refuse",
) -> Comparisons:
    """Compare models on one test set, learners over folds, or models over many data sets.

    **One test set.** Pass a dict of scores by the models' names and the truth: `compare({"new": a, "old": b}, y)`;
    labels go into `y_pred={"new": …}`, alone or beside scores, also for a reader who gives labels only. Or a
    dataframe with the names of its columns: `compare(frame, truth="y", scores=["a", "b"])`; or a dict of frames, one
    a model, with columns of the same names: `compare({"new": f, "old": g}, truth="y", scores="p", id="case")`.
    Frames are joined by `id`; by position only where lengths and truths agree. Or a dict of assessments, loaded ones
    too, that were made with the ids of the same rows.

    Proportions get McNemar's test, other measures of labels the delta method or the posterior of the joint cells,
    the AUC DeLong's test, mean losses the paired t, other measures of scores the paired bootstrap; `cluster` makes
    all of them count clusters, or refuse. `method` names one of "bootstrap", "delta", "posterior" (labels), "mid-p",
    "exact", "asymptotic", "continuity-corrected" (McNemar's tests of proportions), "delong", "logit-delong" (AUC) and
    "permutation" (losses) for the measures that have it.

    **Learners over folds.** Pass an `Evaluation` of several learners, or a dict of evaluations of the same cases and
    folds. `method` is "corrected-t" (the default), "nadeau-bengio-t", "5x2cv-f", "5x2cv-t", "sign-flip",
    "paired-t" (naive) or "bayesian"; what is random is the training set.

    **Many data sets.** Pass an `Evaluation` of several data sets, or a frame of results: a long one with the columns
    `dataset`, `model`, `value`, and `run` if there are several, which are averaged; or a wide one with the column
    `dataset`, all others being models. `better` is "higher" or "lower", by default as the measure that `value` names.
    `method` is "wilcoxon" (the default), "sign", "nemenyi", "mean-ranks" or "bayesian".

    Over folds and data sets, `control` names the one model to compare all others with, and `rope` the difference that
    counts as equal in practice, for the Bayesian tests. On one test set and over folds, a `rule` and its `margin` say
    what is to be shown: "equivalent", "non-inferior", "superior", "not-worse", the first model of a pair being the new
    one. Margin and rope are given beforehand. `alternative` is "two-sided", or "greater" or "less" of the first model
    of a pair less the second, asked beforehand: tests and intervals are one-sided then. `adjustment` is that of the
    p-values over models and measures, Holm's by default: name the `measures` that count beforehand, and few. `level` is
    0.95, or that of the evaluation; `seed` starts everything random.

    Raises InputError for rows, folds or data sets that do not match, measures that the models cannot have, or options
    that are unknown or do not go together.

    >>> y = [1, 1, 0, 1, 0, 0, 1, 0]
    >>> found = compare({"new": [9, 8, 7, 6, 4, 3, 2, 1], "old": [9, 3, 7, 4, 8, 6, 2, 1]}, y, measures=["roc_auc"])
    >>> found[0]
    Comparison(roc_auc of new less old: 0.312 [-0.123, 0.748] 95 %, DeLong; p = 0.16 (Holm), DeLong's z)
    """
    check_rule(rule, margin)
    check_sides(alternative, method, rule, rope)
    rows: dict[str, Any] = {"y_true": y_true, "y_pred": y_pred, "truth": truth, "scores": scores}
    rows |= {
        "predictions": predictions,
        "id": id,
        "positive": positive,
        "labels": labels,
        "threshold": threshold,
    }
    rows |= {"weight": weight, "frequency": frequency, "cluster": cluster}
    results: dict[str, Any] = {
        "dataset": dataset,
        "model": model,
        "value": value,
        "run": run,
        "better": better,
    }
    aim: dict[str, Any] = {"rope": rope, "control": control}
    how: dict[str, Any] = {"adjustment": adjustment, "level": level, "seed": seed_of(seed)}
    if (learners := _evaluation_of(models)) is not None:
        _refuse(rows | results, "is not for an evaluation, which knows its cases and folds:")
        asked = learners.level if level is None else level
        how["level"] = level_of_both(alternative, asked)
        found: Comparisons = learners.compare(measures, method=method, rule=rule, margin=margin, **aim, **how)
        return as_asked(found, alternative, adjustment, asked)
    asked = 0.95 if level is None else level
    how["level"] = level_of_both(alternative, asked)
    if dataset is not None:
        needless = rows | {"measures": measures, "rule": rule}
        also = "" if rule is None else " (for equality in practice over data sets, pass rope=)"
        _refuse(
            needless, f"is of one test set, and dataset= says that these are results over data sets{also}:"
        )
        over_sets = compare_results(_results(models, **results), method=method, **aim, **how)
        return as_asked(over_sets, alternative, adjustment, asked)
    _refuse(results, "is of results over data sets: name their column of data sets too, dataset=, or")
    _refuse(aim, "is for evaluations, and for results over data sets (dataset=): on one test set,")
    how["level"] = interval_level(rule, how["level"])
    of_cases = as_asked(
        _on_one_test_set(models, rows, measures, method, missing, how), alternative, adjustment, asked
    )
    return judged(of_cases, rule, margin)


def _refuse(given: Mapping[str, Any], why: str) -> None:
    """Refuse options that have no meaning here."""
    named = next((name for name, each in given.items() if each is not None), None)
    if named is not None:
        raise InputError(f"{named}= {why} leave it out.")


def _on_one_test_set(
    models: Any,
    rows: dict[str, Any],
    measures: Sequence[str | Measure] | None,
    method: str | None,
    missing: Missing,
    how: dict[str, Any],
) -> Comparisons:
    if are_assessments(models):
        _refuse(
            rows | {"method": method}, "is not for assessments, which know their rows, labels and thresholds:"
        )
        return compare_assessments(models, measures, adjustment=how["adjustment"], level=how["level"])
    if method is not None and method not in METHODS:
        near = nearest(str(method), METHODS) or "."
        raise InputError(
            f"no method on one test set is named {method!r}{near} Pass one of {', '.join(METHODS)}."
        )
    return compare_panel(panel_from(models, rows, missing), measures, method=method, **how)


def judged(found: Comparisons, rule: Rule | None, margin: float | None) -> Comparisons:
    """Comparisons of one test set read by a rule, if there is one; the intervals decide, each by itself."""
    if rule is None:
        return found
    facts = (
        *found.facts,
        ("rule", rule if margin is None else f"{rule}, margin {margin:g} given beforehand"),
    )
    return replace(found, each=tuple(by_rule(one, rule, margin) for one in found), facts=facts, overall=())


def _evaluation_of(models: Any) -> Any:
    """The evaluation of learners, or those of a dict as one; None where there is none."""
    if _is_evaluation(models):
        return models
    if isinstance(models, Mapping) and models and all(map(_is_evaluation, models.values())):
        return type(next(iter(models.values()))).joined(models)
    return None


def _is_evaluation(given: Any) -> bool:
    """Known by what its class does: a frame has an attribute for each of its columns, whatever they are called."""
    return callable(getattr(type(given), "resampled", None))


def _results(
    frame: Any, dataset: str, model: str | None, value: str | None, run: str | None, better: str | None
) -> Results:
    """The results of a long frame, or of a wide one."""
    if better is not None and better not in BETTER:
        raise InputError(f"better is {better!r}: pass 'higher' or 'lower'.")
    turn = None if better is None else BETTER[better]
    if model is None and value is None:
        if run is not None:
            raise InputError(
                f"run={run!r} is for a long frame: name the columns model= and value= too, or average the runs first."
            )
        return wide_results(frame, dataset=dataset, better=turn)
    if model is None or value is None:
        raise InputError(
            "a long frame of results needs the columns of both model= and value= (--model, --value); a wide one, with "
            "a column a model, neither."
        )
    return long_results(frame, dataset=dataset, model=model, value=value, run=run, better=turn)
