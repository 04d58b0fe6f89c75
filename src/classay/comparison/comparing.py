"""compare(): models on one test set, over folds, or over data sets, with the p-values adjusted for all of it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from classay.assessment import Assessment
from classay.comparison.by_measure import compare_panel
from classay.comparison.comparisons import Comparisons
from classay.comparison.gate import Rule, by_rule, check_rule, interval_level
from classay.comparison.over_datasets import compare_results
from classay.comparison.panel import Said, panel_of, same_length
from classay.comparison.results import Results, long_results, wide_results
from classay.comparison.saved import compare_assessments
from classay.errors import InputError, nearest
from classay.inference.draws import seed_of
from classay.labels import code_columns, unite
from classay.measures import Measure
from classay.predictions import Missing
from classay.sources.joining import orders_by_id, rows_of

METHODS = ("bootstrap", "delta", "posterior", "permutation")
BETTER = {"higher": 1, "lower": -1}


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
    adjustment: str = "holm",
    level: float | None = None,
    seed: int | np.random.Generator = 0,
    missing: Missing = "refuse",
) -> Comparisons:
    """Compare models on one test set, learners over folds, or models over many data sets.

    **One test set.** Pass a dict of scores by the models' names and the truth: `compare({"new": a, "old": b}, y)`; labels go into
    `y_pred={"new": …}`, alone or beside scores, also for a reader who gives labels only. Or a dataframe with the
    names of its columns: `compare(frame, truth="y", scores=["a", "b"])`; or a dict of frames, one a model, with
    columns of the same names: `compare({"new": f, "old": g}, truth="y", scores="p", id="case")`. Frames are joined by
    `id`; by position only where lengths and truths agree. Or a dict of assessments, loaded ones too, that were made
    with the ids of the same rows.

    Proportions get McNemar's test, other measures of labels the delta method or the posterior of the joint cells,
    the AUC DeLong's test, mean losses the paired t, other measures of scores the paired bootstrap; `cluster` makes
    all of them count clusters, or refuse. `method` names one of "bootstrap", "delta", "posterior" (labels) and
    "permutation" (losses) for the measures that have it.

    **Learners over folds.** Pass an `Evaluation` of several learners, or a dict of evaluations of the same cases and
    folds. `method` is "corrected-t" (the default), "5x2cv-f", "5x2cv-t", "sign-flip", "paired-t" (naive) or
    "bayesian"; what is random is the training set.

    **Many data sets.** Pass an `Evaluation` of several data sets, or a frame of results: a long one with the columns
    `dataset`, `model`, `value`, and `run` if there are several, which are averaged; or a wide one with the column
    `dataset`, all others being models. `better` is "higher" or "lower", by default as the measure that `value` names.
    `method` is "wilcoxon" (the default), "sign", "nemenyi", "mean-ranks" or "bayesian".

    Over folds and data sets, `control` names the one model to compare all others with, and `rope` the difference that
    counts as equal in practice, for the Bayesian tests. On one test set and over folds, a `rule` and its `margin` say
    what is to be shown: "equivalent", "non-inferior", "superior", "not-worse", the first model of a pair being the new
    one. Margin and rope are given beforehand. `adjustment` is that of the p-values over models and measures, Holm's by
    default: name the `measures` that count beforehand, and few. `level` is 0.95, or that of the evaluation; `seed`
    starts everything random.

    Raises InputError for rows, folds or data sets that do not match, measures that the models cannot have, or options
    that are unknown or do not go together.

    >>> y = [1, 1, 0, 1, 0, 0, 1, 0]
    >>> found = compare({"new": [9, 8, 7, 6, 4, 3, 2, 1], "old": [9, 3, 7, 4, 8, 6, 2, 1]}, y, measures=["roc_auc"])
    >>> found[0]
    Comparison(roc_auc of new less old: 0.312 [-0.123, 0.748] 95 %, DeLong; p = 0.16 (Holm), DeLong's z)
    """
    if level is not None and (isinstance(level, str) or not 0 < level < 1):
        raise InputError(f"level is {level!r}: pass a share between 0 and 1, such as 0.95.")
    check_rule(rule, margin)
    of_rows = (y_true, y_pred, truth, scores, predictions, id, positive, labels, threshold)
    have_rows = any(each is not None for each in (*of_rows, weight, frequency, cluster))
    of_results = {"dataset": dataset, "model": model, "value": value, "run": run, "better": better}
    of_learners = {"method": method, "rope": rope, "control": control}
    how = {"adjustment": adjustment, "level": level or 0.95, "seed": seed_of(seed)}
    if (learners := _evaluation_of(models)) is not None:
        if have_rows or any(each is not None for each in of_results.values()):
            raise InputError(
                "an evaluation knows its cases and folds: pass measures=, method=, rule=, rope= or control= alone."
            )
        how["level"] = level
        found: Comparisons = learners.compare(measures, **of_learners, rule=rule, margin=margin, **how)
        return found
    if dataset is not None:
        if have_rows or measures is not None or rule is not None:
            raise InputError(
                "dataset= says that these are results over data sets: leave out what is of the cases of one test set, "
                "and rule=; for equality in practice, pass rope=."
            )
        return compare_results(_results(models, **of_results), **of_learners, **how)
    _refuse_without(of_results | {"control": control, "rope": rope})
    how["level"] = interval_level(rule, how["level"])
    if _are_assessments(models):
        if have_rows or method is not None:
            raise InputError(
                "assessments know their rows, labels and thresholds: pass measures=, rule= and level= alone."
            )
        how.pop("seed")
        return judged(compare_assessments(models, measures, **how), rule, margin)
    if method is not None and method not in METHODS:
        raise InputError(
            f"no method on one test set is named {method!r}{nearest(str(method), METHODS)}. Pass one of "
            f"{', '.join(METHODS)}."
        )
    given = {"weight": weight, "frequency": frequency, "cluster": cluster}
    if truth is not None:
        said, y_true, given = _from_frames(models, truth, scores, predictions, id, given)
    else:
        if scores is not None or predictions is not None or id is not None:
            raise InputError("scores=, predictions= and id= name columns of frames: pass truth= too.")
        said = _from_columns(models, y_pred)
    if y_true is None:
        raise InputError("there is no truth: pass y_true, or truth= with the name of its column.")
    panel = panel_of(
        said, y_true, positive=positive, labels=labels, threshold=threshold, missing=missing, **given
    )
    return judged(compare_panel(panel, measures, method=method, **how), rule, margin)


def judged(found: Comparisons, rule: Rule | None, margin: float | None) -> Comparisons:
    """Comparisons of one test set read by a rule, if there is one; the intervals decide, each by itself."""
    if rule is None:
        return found
    facts = (*found.facts, ("rule", rule if margin is None else f"{rule}, margin {margin:g} given beforehand"))
    return replace(
        found, each=tuple(by_rule(one, rule, margin) for one in found), facts=facts, overall=()
    )


def _evaluation_of(models: Any) -> Any:
    """The evaluation of learners, or those of a dict as one; None where there is none. It is known by what it does."""
    if hasattr(models, "resampled"):
        return models
    if isinstance(models, Mapping) and models and all(hasattr(e, "resampled") for e in models.values()):
        return type(next(iter(models.values()))).joined(models)
    return None


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


def _refuse_without(given: Mapping[str, Any]) -> None:
    """Refuse options of results and learners where there are rows of one test set."""
    named = [name for name, each in given.items() if each is not None]
    if named:
        raise InputError(
            f"{named[0]}= is for results over data sets (with dataset=) or for evaluations: leave it out on one test set."
        )


def _are_assessments(models: Any) -> bool:
    return (
        isinstance(models, Mapping)
        and bool(models)
        and all(isinstance(a, Assessment) for a in models.values())
    )


def _from_columns(models: Any, y_pred: Mapping[str, Any] | None) -> dict[str, Said]:
    if models is not None and not isinstance(models, Mapping):
        raise InputError(
            f"models is {type(models).__name__}: pass a dict of scores by the models' names, or a frame with truth=."
        )
    scores, labels = dict(models or {}), dict(y_pred or {})
    return {str(name): Said(scores.get(name), labels.get(name)) for name in dict.fromkeys([*scores, *labels])}


def _named(names: str | Sequence[str] | Mapping[str, str] | None) -> dict[str, str]:
    """Columns by the models' names."""
    if names is None:
        return {}
    if isinstance(names, str):
        return {names: names}
    return dict(names) if isinstance(names, Mapping) else {name: name for name in names}


def _from_frames(
    models: Any, truth: str, scores: Any, predictions: Any, id: str | None, given: dict[str, Any]
) -> tuple[dict[str, Said], Any, dict[str, Any]]:
    from classay.sources.frames import frame_columns

    for role, name in given.items():
        if name is not None and not isinstance(name, str):
            raise InputError(f"{role} is {type(name).__name__}: with a frame, pass the name of its column.")
    columns = [name for name in given.values() if name is not None]
    several = isinstance(models, Mapping) and all(_is_frame(each) for each in models.values())
    if not several:
        by_score, by_label = _named(scores), _named(predictions)
        wanted = [truth, *columns, *by_score.values(), *by_label.values()]
        found = frame_columns(models, list(dict.fromkeys(wanted)))
        said = {
            name: Said(found.get(by_score.get(name, "")), found.get(by_label.get(name, "")))
            for name in dict.fromkeys([*by_score, *by_label])
        }
        return said, found[truth], {role: found.get(name) for role, name in given.items()}
    for what, names in (("scores", scores), ("predictions", predictions)):
        if not (names is None or isinstance(names, str)):
            raise InputError(
                f"{what} is {names!r}: with a frame for each model, name the one column they share."
            )
    wanted = [name for name in (truth, scores, predictions, id) if name is not None]
    tables = {}
    for k, (name, frame) in enumerate(models.items()):
        try:
            tables[str(name)] = frame_columns(
                frame, list(dict.fromkeys(wanted + (columns if k == 0 else [])))
            )
        except InputError as error:
            raise InputError(f"{name}: {error}") from error
    first = next(iter(tables.values()))
    aligned = align(tables, truth, id)
    said = {name: Said(table.get(scores), table.get(predictions)) for name, table in aligned.items()}
    return said, first[truth], {role: first.get(name) for role, name in given.items()}


def align(tables: Mapping[str, Mapping[str, Any]], truth: str, id: str | None) -> dict[str, dict[str, Any]]:
    """The columns of each model's table in the order of the first one's rows.

    By the column `id`; without it by position, if all have as many rows and the same truth. Raises InputError
    otherwise, and where a case has another truth in another table.
    """
    if id is None:
        same_length({name: table[truth] for name, table in tables.items()})
        aligned = {name: dict(table) for name, table in tables.items()}
    else:
        orders = orders_by_id({name: table[id] for name, table in tables.items()})
        aligned = {
            name: {column: rows_of(values, orders[name]) for column, values in table.items()}
            for name, table in tables.items()
        }
    coded = code_columns([(f"the truth of {name}", table[truth]) for name, table in aligned.items()])
    _, codes = unite(coded)
    for (name, _), code in zip(coded[1:], codes[1:], strict=True):
        off = np.flatnonzero(code != codes[0])
        if off.size:
            hint = "" if id else "; join them by an id (id=, --id) if the rows are in another order"
            raise InputError(
                f"{name} differs from that of {next(iter(tables))} in {off.size:,} of {code.size:,} cases, the first "
                f"at row {int(off[0])} counted from 0{hint}."
            )
    return aligned


def _is_frame(value: Any) -> bool:
    return isinstance(value, Mapping) or hasattr(value, "columns") or hasattr(value, "column_names")
