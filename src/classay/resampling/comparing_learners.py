"""Comparing the learners of an evaluation: over its folds, or over its data sets."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from classay.comparison.comparison import Comparison
from classay.comparison.comparisons import Comparisons
from classay.comparison.datasets.compare_datasets import compare_results
from classay.comparison.datasets.hierarchical import FOLDS_OF_DATA_SETS
from classay.comparison.datasets.results import Results
from classay.comparison.family import adjusted, pairs
from classay.comparison.folds.compare_folds import compare_folds
from classay.comparison.folds.differences import OF_FIVE_BY_TWO, RANDOM, FoldDifferences, fold_differences
from classay.comparison.registry import DATA_SETS, FOLDS, KnownTest, chosen
from classay.comparison.rules import Rule, check_rule, interval_level
from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.inference.folds.resampled import by_repeat
from classay.inference.words import direction
from classay.measures import Measure, get
from classay.resampling.baseline import BASELINE

if TYPE_CHECKING:
    from classay.resampling.dataset_run import DatasetRun, Resampled
    from classay.resampling.evaluation import Evaluation

DATA_SETS_VARY = "data sets"
DEFAULTS = ("roc_auc", "brier_score", "accuracy", "macro_f1")
"""What is compared unasked, as far as it was evaluated: every one more makes the adjusted p-values of all larger."""


def compare_evaluation(
    e: Evaluation,
    measures: Sequence[str | Measure] | None = None,
    *,
    method: str | None = None,
    rule: Rule | None = None,
    margin: float | None = None,
    rope: float | None = None,
    control: str | None = None,
    adjustment: str = "holm",
    level: float | None = None,
    seed: int = 0,
    only: Sequence[tuple[str, str]] | None = None,
) -> Comparisons:
    """Compare the learners of an evaluation, all pairs or `only` some; see `Evaluation.compare`."""
    check_rule(rule, margin)
    models = [model for model in e.models if model != BASELINE]
    models += [BASELINE] if (len(models) < 2 or control == BASELINE) and BASELINE in e.models else []
    if len(models) < 2:
        raise InputError(f"there is one model, {models[0]}: a comparison needs two or more.")
    level = e.level if level is None else level
    of_intervals = interval_level(rule, level)
    names = _measures(e, measures)
    if len(e.runs) > 1:
        if rule is not None:
            raise InputError(
                f"the rule {rule!r} is for one data set, and there are {len(e.runs)}: pass one of them, as in "
                f"e[{e.datasets[0]!r}], or rope= (--rope) for the Bayesian test over data sets."
            )
        how: dict[str, Any] = {"method": method, "rope": rope, "control": control}
        if (test := chosen(DATA_SETS, method, rope, "wilcoxon")).of == FOLDS_OF_DATA_SETS:
            asked = {"rope": rope, "level": level, "seed": seed}
            return _over_folds_of_datasets(e, pairs(models, control), names, test, asked)
        return _over_datasets(e, models, names, **how, adjustment=adjustment, level=level, seed=seed)
    if (why := e.protocol.why_incomparable(e.runs[0].places)) is not None:
        raise InputError(f"{e.protocol.name} has no test of two learners: {why}.")
    test = chosen(FOLDS, method, rope, "corrected-t")
    if rule is not None and test.name != "corrected-t":
        raise InputError(
            f"rules are held against the corrected resampled t, and {test.name!r} was asked for: leave one out."
        )
    if (planned := _planned(e)) < 2:
        raise InputError(
            f"{e.protocol.name} has {planned} fold, which shows no spread of training sets: evaluate with repeats "
            "(10x10, holdout:0.33x30), or compare the predictions of that one test set."
        )
    of_folds = {
        "method": test.name,
        "rule": rule,
        "margin": margin,
        "rope": rope,
        "level": level,
        "seed": seed,
    }
    found, notes = [], []
    for measure in names:
        folds = _SharedFolds(e, models, measure)
        for a, b in pairs(models, control) if only is None else only:
            one, note = _pair(folds, (a, b), test, of_folds)
            found.append(one)
            notes.append(note)
    made = found if rule is not None else adjusted(found, adjustment)
    facts = _facts(e, models, control, list(dict.fromkeys(filter(None, notes))))
    return Comparisons(tuple(made), tuple(models), facts, of_intervals, seed)


def _measures(e: Evaluation, measures: Sequence[str | Measure] | None) -> list[str]:
    if measures is not None:
        named = [measures] if isinstance(measures, str) else measures
        return list(dict.fromkeys(one.name if isinstance(one, Measure) else get(one).name for one in named))
    return compared_unasked(e)


def compared_unasked(e: Evaluation) -> list[str]:
    """The measures that are compared where none is named."""
    return [name for name in DEFAULTS if name in e.measures] or list(e.measures)


def _planned(e: Evaluation) -> int:
    """How many folds test on other cases, whatever came of them."""
    return sum(place.kind == "test" for place in e.runs[0].places)


class _SharedFolds:
    """The values of a measure in the folds that a pair of models shares; once for all pairs that share the same."""

    def __init__(self, e: Evaluation, models: Sequence[str], measure: str) -> None:
        self.e, self.measure, self.planned = e, measure, _planned(e)
        results = e.runs[0].results
        self.fitted = {
            model: np.array([each is not None and each.failure is None for each in results[model]])
            for model in models
        }
        self.known: dict[bytes, Resampled] = {}

    def of(self, a: str, b: str) -> Resampled | None:
        """The aligned values of all models that were fitted wherever these two were; None where they never were."""
        shared = self.fitted[a] & self.fitted[b]
        if not shared.any():
            return None
        key = shared.tobytes()
        if key not in self.known:
            members = [model for model, fitted in self.fitted.items() if (fitted | ~shared).all()]
            [self.known[key]] = self.e.shared(*members).resampled(self.measure)
        return self.known[key]


def _pair(
    folds: _SharedFolds, models: tuple[str, str], test: KnownTest[Any, Comparison], how: dict[str, Any]
) -> tuple[Comparison, str]:
    """One comparison, and a note where folds had to be left out."""
    measure, planned = folds.measure, folds.planned
    found = _differences(folds.of(*models), models, planned, test)
    if isinstance(found, str):
        nothing = Comparison(
            models, measure, None, float("nan"), how["method"], RANDOM, reason=found, units="folds"
        )
        return nothing, ""
    differences, values = found
    used = differences.values.size
    a, b = models
    note = "" if used == planned else f"{a} and {b}, {measure}: {used} of {planned}, where both have a value"
    return compare_folds(differences, values, **how), note


def _differences(
    resampled: Resampled | None, models: tuple[str, str], planned: int, test: KnownTest[Any, Comparison]
) -> tuple[FoldDifferences, tuple[float, float]] | str:
    """Fold by fold the difference of two learners, and their own values; or why there is none."""
    if resampled is None:
        return f"both were fitted in none of {planned} folds"
    rows = [resampled.models.index(model) for model in models]
    if test.of == OF_FIVE_BY_TWO:
        values = resampled.values[rows]
        shape = (len({*resampled.repeat.tolist()}), len({*resampled.fold.tolist()}))
        if planned != 10 or shape[0] > 5 or shape[1] > 2:
            raise InputError(
                f"the method {test.name!r} is for 5 repeats of 2 folds, and there are {shape[0]} of {shape[1]}: "
                "evaluate with protocol='5x2' (--protocol 5x2), or leave the method out."
            )
        if values.shape[1] < planned or np.isnan(values).any():
            return "a fold has no value, and 5×2 cross-validation needs all ten"
        first, second = (
            row.reshape(5, 2) for row in values[:, np.lexsort((resampled.fold, resampled.repeat))]
        )
    else:
        each = resampled.contributions[rows]
        if np.isinf(each).any():
            return "it is infinite in some folds"
        kept = ~np.isnan(each).any(axis=0)
        first, second = by_repeat(each[:, kept], resampled.repeat[kept], resampled.fold[kept])
        if first.size < 2 and np.isinf(resampled.values[rows]).any():
            return "it is infinite in some folds"
        if first.size < 2:
            return f"both have a value in {first.size} of {planned} folds, and two are the fewest"
    made = fold_differences(
        first,
        second,
        test_over_train=resampled.test_over_train,
        models=models,
        measure=resampled.measure,
    )
    return made, (float(first.mean()), float(second.mean()))


def _facts(
    e: Evaluation, models: list[str], control: str | None, notes: list[str]
) -> tuple[tuple[str, str], ...]:
    run = e.runs[0]
    cases = run.cases
    by_class = zip(cases.labels, cases.totals.tolist(), strict=True)
    facts = [("models", ", ".join(models)), ("cases", f"{cases.rows:,}")]
    if len(cases.labels) <= 10:
        facts.append(("cases by class", ", ".join(f"{label}: {n:,}" for label, n in by_class)))
    if cases.positive is not None:
        facts.append(("positive", f"{cases.positive}"))
    if cases.clusters is not None:
        facts.append(("clusters", f"{len(cases.clusters):,}"))
    if cases.about_weights:
        facts.append(("weights", cases.about_weights))
    folds = sum(place.kind == "test" for place in run.places)
    facts.append(("protocol", f"{e.protocol.described}, {folds:,} folds, the same for all"))
    if control is not None:
        facts.append(("control", f"{control}, named beforehand"))
    if notes:
        facts.append(("folds left out", "; ".join(notes[:5]) + ("; …" if len(notes) > 5 else "")))
    return tuple(facts)


def _over_datasets(
    e: Evaluation, models: list[str], names: list[str], *, adjustment: str, **how: Any
) -> Comparisons:
    """One value a data set: the evaluation's own estimate, of the folds in which all models were fitted."""
    shared = e.shared(*models)
    found = []
    for name in names:
        parts = {
            (run.cases.name, model): each.value(get(name))[0] for run, model, each in shared.model_folds()
        }
        table = np.array([[parts[run.cases.name, model] for model in models] for run in shared.runs])
        bad = np.argwhere(~np.isfinite(table))
        if len(bad):
            row, column = bad[0]
            raise InputError(
                f"{name} of {models[column]} is undefined or infinite on {shared.datasets[row]}: leave the data set "
                "out, or name other measures=."
            )
        datasets = cast(tuple[Hashable, ...], shared.datasets)
        results = Results(tuple(models), datasets, table, name, direction(name) or 1)
        found.append(compare_results(results, **how, adjustment=adjustment))
    each = [one for part in found for one in part]
    first = found[0]
    each = each if all(one.adjustment == "Nemenyi" for one in each) else adjusted(each, adjustment)
    facts = tuple(fact for fact in first.facts if fact[0] not in ("values", "mean ranks"))
    facts = (*facts, ("values", f"those of {e.protocol.name} on each data set"))
    overall = tuple(one for part in found for one in part.overall)
    diagram = first.diagram if len(found) == 1 else None
    return Comparisons(tuple(each), tuple(models), facts, first.level, first.seed, overall, diagram)


def _over_folds_of_datasets(
    e: Evaluation,
    models: list[tuple[str, str]],
    names: list[str],
    test: KnownTest[Any, Comparison],
    asked: dict[str, Any],
) -> Comparisons:
    """Differences of all folds of all data sets, in which both models were fitted."""
    if (why := e.protocol.why_incomparable(e.runs[0].places)) is not None:
        raise InputError(f"{e.protocol.name} has no test of two learners: {why}.")
    found = []
    for name in names:
        for a, b in models:
            of_sets = e.shared(a, b).resampled(name)
            each = [_differences(one, (a, b), 0, test) for one in of_sets]
            told = [one for one in each if isinstance(one, str)]
            if told:
                nothing = Estimate.undefined(told[0])
                how: dict[str, Any] = {"reason": told[0], "units": "data sets"}
                found.append(
                    Comparison((a, b), name, nothing, float("nan"), test.name, DATA_SETS_VARY, **how)
                )
                continue
            folds = [one[0] for one in each if not isinstance(one, str)]
            found.append(test(folds, better=direction(name) or 1, **asked))
    named = list(dict.fromkeys(model for pair in models for model in pair))
    facts = (
        ("models", ", ".join(named)),
        ("data sets", f"{len(e.runs):,}"),
        ("values", f"those of the folds of {e.protocol.name} on each data set"),
    )
    return Comparisons(tuple(found), tuple(named), facts, asked["level"], asked["seed"])


def join(evaluations: Mapping[str, Evaluation]) -> Evaluation:
    """Evaluations of the same cases and folds as one; a learner alone in its evaluation gets the name given to it.

    Raises InputError where cases, labels or folds differ: what is compared must have been tested on the same.
    """
    (name, first), *others = evaluations.items()
    for other, e in others:
        if why := _unlike(first, e):
            raise InputError(
                f"{name} and {other} are not of the same folds: {why}. Evaluate both on the same rows with the same "
                "protocol and seed, or both in one call."
            )
    runs = []
    for k, run in enumerate(first.runs):
        results: dict[str, Any] = {}
        for given, e in evaluations.items():
            learners = [model for model in e.models if model != BASELINE]
            for model in learners:
                results[str(given) if len(learners) == 1 else f"{given}: {model}"] = e.runs[k].results[model]
        runs.append(replace(run, results=results))
    shared = tuple(m for m in first.measures if all(m in e.measures for e in evaluations.values()))
    return replace(first, runs=tuple(runs), measures=shared or first.measures)


def _unlike(first: Evaluation, other: Evaluation) -> str:
    """What keeps two evaluations from being of the same cases and folds, if anything."""
    if first.datasets != other.datasets:
        return f"the data sets are {_named(first)} and {_named(other)}"
    for one, two in zip(first.runs, other.runs, strict=True):
        on = f" of {one.cases.name}" if one.cases.name else ""
        if why := _unlike_runs(one, two):
            return f"{why}{on}"
    return ""


def _named(e: Evaluation) -> str:
    return ", ".join(e.datasets) or "one without a name"


def _unlike_runs(one: DatasetRun, two: DatasetRun) -> str:
    if one.cases.rows != two.cases.rows:
        return f"there are {one.cases.rows:,} cases and {two.cases.rows:,}"
    if one.cases.labels != two.cases.labels or one.cases.positive != two.cases.positive:
        return "the labels or the positive class differ"
    for what, name in (("truth", "the true labels"), ("weight", "the weights"), ("cluster", "the clusters")):
        here, there = getattr(one.cases, what), getattr(two.cases, what)
        if (here is None) != (there is None) or (here is not None and not np.array_equal(here, there)):
            return f"{name} differ"
    if len(one.places) != len(two.places):
        return f"there are {len(one.places)} splits and {len(two.places)}"
    for a, b in zip(one.places, two.places, strict=True):
        if (a.kind, a.n_train) != (b.kind, b.n_train) or not np.array_equal(a.test, b.test):
            return f"the test cases differ in {a}"
    return ""
