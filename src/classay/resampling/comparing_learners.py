"""Comparing the learners of an evaluation, balanced or not, over folds or data sets; what an evaluation says first."""

from __future__ import annotations

import importlib.util
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np

from classay.assessment.finding import Finding, ranked
from classay.comparison.cases.difference import undefined
from classay.comparison.comparison import BASELINE, Comparison, SignificanceTest, UnitsTested, adjusted, pairs
from classay.comparison.comparisons import Comparisons
from classay.comparison.findings_differences import difference_sentence
from classay.comparison.gate_rules import check_rule, interval_level
from classay.comparison.named_tests import CORRECTED, DATA_SETS, FOLDS, KnownTest, chosen
from classay.curves.curve import Curve
from classay.curves.display import for_display
from classay.errors import InputError, MissingExtraError, check_word, in_our_words
from classay.inference.estimate import Estimate, direction, number, title
from classay.inference.phrasing import label_text, percent, short_title, value_with_interval
from classay.inference.plain import plain_estimate
from classay.measures import Measure, get
from classay.resampling.compare_datasets import FOLDS_OF_DATA_SETS, compare_results
from classay.resampling.compare_learners import compare_folds, refuse_reach, with_steps
from classay.resampling.data import DONE, Balance
from classay.resampling.fold_tests import (
    OF_FIVE_BY_TWO,
    RANDOM,
    FoldDifferences,
    FoldQuestion,
    fold_differences,
)
from classay.resampling.folds import by_repeat
from classay.resampling.rank_tests import Results
from classay.texts import an, hint, listed

if TYPE_CHECKING:
    from classay.resampling.evaluation import Evaluation
    from classay.resampling.model_folds import DatasetRun, ModelFolds, Resampled, Summary

DATA_SETS_VARY = "data sets"
DEFAULTS = ("roc_auc", "brier_score", "accuracy", "macro_f1")
"""What is compared unasked, as far as it was evaluated: every one more makes the adjusted p-values of all larger."""


def compare_evaluation(
    e: Evaluation,
    measures: Sequence[str | Measure] | None = None,
    question: FoldQuestion | None = None,
    *,
    only: Sequence[tuple[str, str]] | None = None,
) -> Comparisons:
    """Compare the learners of an evaluation, all pairs or `only` some; see `Evaluation.compare`."""
    question = question or FoldQuestion()
    rule, control, rope = question.rule, question.control, question.rope
    check_rule(rule, question.margin)
    models = [model for model in e.models if model != BASELINE]
    models += [BASELINE] if (len(models) < 2 or control == BASELINE) and BASELINE in e.models else []
    if len(models) < 2:
        raise InputError(f"A comparison needs at least two models, but there is only {models[0]}.")
    question = replace(question, level=e.level if question.level is None else question.level)
    level = question.at
    of_intervals = interval_level(rule, level)
    names = _measures(e, measures)
    refuse_reach(question, names)
    if len(e.runs) > 1:
        if rule is not None:
            raise InputError(
                f"Rule {rule!r} needs one data set, but there are {len(e.runs)}. "
                f"{hint(f'Pass one of them, as in e[{e.datasets[0]!r}], or use rope=', 'Use --rope')} for the "
                "Bayesian test over data sets."
            )
        if (test := chosen(DATA_SETS, question.method, rope, "wilcoxon")).of == FOLDS_OF_DATA_SETS:
            return _over_folds_of_datasets(e, pairs(models, control), names, test, question)
        return _over_datasets(e, models, names, question)
    if (why := e.protocol.why_incomparable(e.runs[0].places)) is not None:
        raise InputError(f"{e.protocol.name} has no test of two learners: {why}.")
    test = chosen(FOLDS, question.method, rope, "corrected-t")
    if rule is not None and test.name != "corrected-t":
        raise InputError(
            f"Rules use the corrected resampled t, but method is {test.name!r}. Remove the rule or the method."
        )
    if (planned := _planned(e)) < 2:
        raise InputError(
            f"{e.protocol.name} has {planned} fold, which shows no variation of training sets. Evaluate with "
            "repeats (10x10, holdout:0.33x30), or compare the predictions on that test set."
        )
    tests, notes = [], []
    for measure in names:
        folds = _SharedFolds(e, models, measure)
        for a, b in pairs(models, control) if only is None else only:
            one, note = _pair(folds, (a, b), test, question)
            tests.append(one)
            notes.append(note)
    family = tests if rule is not None else adjusted(tests, question.adjustment)
    facts = _facts(e, models, control, list(dict.fromkeys(filter(None, notes))))
    return Comparisons(tuple(family), tuple(models), facts, of_intervals, question.seed)


def _measures(e: Evaluation, measures: Sequence[str | Measure] | None) -> list[str]:
    if measures is not None:
        named = [measures] if isinstance(measures, str) else measures
        return list(dict.fromkeys(one.name if isinstance(one, Measure) else get(one).name for one in named))
    return compared_unasked(e)


def compared_unasked(e: Evaluation) -> list[str]:
    """Return the measures that are compared where none is named."""
    return [name for name in DEFAULTS if name in e.measures] or list(e.measures)


def _planned(e: Evaluation) -> int:
    """Return how many folds test on other cases, whatever came of them."""
    return sum(place.kind == "test" for place in e.runs[0].places)


class _SharedFolds:
    """The values of a measure in the folds that a pair of models shares; once for all pairs that share the same."""

    def __init__(self, e: Evaluation, models: Sequence[str], measure: str) -> None:
        self.e, self.measure, self.planned = e, measure, _planned(e)
        results = e.runs[0].results
        self.fitted = {
            model: np.array([fold is not None and fold.failure is None for fold in results[model]])
            for model in models
        }
        self.known: dict[bytes, Resampled] = {}

    def of(self, a: str, b: str) -> Resampled | None:
        """The aligned values of all models that were fitted in all folds of these two; None if these two share none."""
        shared = self.fitted[a] & self.fitted[b]
        if not shared.any():
            return None
        key = shared.tobytes()
        if key not in self.known:
            members = [model for model, fitted in self.fitted.items() if (fitted | ~shared).all()]
            [self.known[key]] = self.e.shared(*members).resampled(self.measure)
        return self.known[key]


def _pair(
    folds: _SharedFolds, models: tuple[str, str], test: KnownTest[Any, Comparison], question: FoldQuestion
) -> tuple[Comparison, str]:
    """Return one comparison, and a note where folds had to be left out."""
    measure, planned = folds.measure, folds.planned
    compared = _differences(folds.of(*models), models, planned, test)
    unbounded = _why_unbounded(folds.of(*models), models)
    if unbounded and not isinstance(compared, str) and np.isfinite(compared[1]).all():
        return undefined(models, measure, unbounded, compared[1]).changed(random=RANDOM), ""
    if isinstance(compared, str):
        nothing = Comparison(
            models,
            measure,
            None,
            float("nan"),
            test.name,
            RANDOM,
            test=SignificanceTest(reason=compared),
            sample=UnitsTested(units="folds"),
        )
        return nothing, ""
    differences, values = compared
    used = differences.values.size
    a, b = models
    note = "" if used == planned else f"{a} and {b}, {measure}: {used} of {planned} folds have both values"
    one, shared = compare_folds(differences, values, test.name, question), folds.of(*models)
    assert shared is not None
    rows = shared.values[[shared.models.index(model) for model in models]]
    kept = np.isfinite(rows).all(axis=0)
    if kept.sum() < 2:
        return one, note
    first, second = by_repeat(rows[:, kept], shared.repeat[kept], shared.fold[kept])
    return with_steps(one, first, second, shared.test_over_train, question.at, differences.hidden), note


def _why_unbounded(resampled: Resampled | None, models: tuple[str, str]) -> str | None:
    """Return why a difference of log-losses has no interval and no test: scores of exactly 0 or 1 of one of both."""
    if resampled is None:
        return None
    reasons = {model: resampled.unbounded[resampled.models.index(model)] for model in models}
    return next((f"of {model}, {why}" for model, why in reasons.items() if why), None)


def _differences(
    resampled: Resampled | None, models: tuple[str, str], planned: int, test: KnownTest[Any, Comparison]
) -> tuple[FoldDifferences, tuple[float, float]] | str:
    """Fold by fold the difference of two learners, and their own values; or why there is none."""
    if resampled is None:
        return f"none of {planned} folds has both fits"
    rows = [resampled.models.index(model) for model in models]
    if test.of == OF_FIVE_BY_TWO:
        values = resampled.values[rows]
        shape = (len({*resampled.repeat.tolist()}), len({*resampled.fold.tolist()}))
        if planned != 10 or shape[0] > 5 or shape[1] > 2:
            raise InputError(
                f"Method {test.name!r} needs 5 repeats of 2 folds, but there are {shape[0]} of {shape[1]}. "
                "Evaluate with protocol 5x2, or remove the method."
            )
        if values.shape[1] < planned or np.isnan(values).any():
            return "a fold has no value, but 5×2 cross-validation needs all ten"
        first, second = (
            row.reshape(5, 2) for row in values[:, np.lexsort((resampled.fold, resampled.repeat))]
        )
    else:
        contributions = resampled.contributions[rows]
        if np.isinf(contributions).any():
            return "the value is infinite in some folds"
        kept = ~np.isnan(contributions).any(axis=0)
        first, second = by_repeat(contributions[:, kept], resampled.repeat[kept], resampled.fold[kept])
        if first.size < 2 and np.isinf(resampled.values[rows]).any():
            return "the value is infinite in some folds"
        if first.size < 2:
            return f"only {first.size} of {planned} folds have both values, but two are needed"
    differences = fold_differences(
        first,
        second,
        test_over_train=resampled.test_over_train,
        models=models,
        measure=resampled.measure,
        hidden=resampled.classes.hidden(np.subtract(*resampled.class_slopes[rows])),
    )
    return differences, (float(first.mean()), float(second.mean()))


def _facts(
    e: Evaluation, models: list[str], control: str | None, notes: list[str]
) -> tuple[tuple[str, str], ...]:
    run = e.runs[0]
    cases = run.cases
    by_class = zip(cases.labels, cases.totals.tolist(), strict=True)
    facts = [("models", ", ".join(models)), ("cases", f"{cases.rows:,}")]
    if len(cases.labels) <= 10:
        facts.append(("cases by class", ", ".join(f"{label}: {n:,}" for label, n in by_class)))
    if cases.is_binary:
        facts.append(("positive class", f"{cases.positive}"))
    if cases.clusters is not None:
        facts.append(("clusters", f"{len(cases.clusters):,}"))
    if cases.about_weights:
        facts.append(("weights", cases.about_weights))
    folds = sum(place.kind == "test" for place in run.places)
    facts.append(("protocol", f"{e.protocol.described}, {folds:,} folds, the same for all models"))
    if control is not None:
        facts.append(("control", f"{control}, prespecified"))
    if notes:
        facts.append(("folds excluded", "; ".join(notes[:5]) + ("; …" if len(notes) > 5 else "")))
    return tuple(facts)


def _over_datasets(e: Evaluation, models: list[str], names: list[str], question: FoldQuestion) -> Comparisons:
    """Return one value a data set: the evaluation's own estimate, of the folds in which all models were fitted."""
    shared = e.shared(*models)
    by_measure = []
    for name in names:
        parts = {
            (run.cases.name, model): of_model.value(get(name))[0]
            for run, model, of_model in shared.model_folds()
        }
        table = np.array([[parts[run.cases.name, model] for model in models] for run in shared.runs])
        bad = np.argwhere(~np.isfinite(table))
        if len(bad):
            row, column = bad[0]
            raise InputError(
                f"{name} of {models[column]} is undefined or infinite on {shared.datasets[row]}. Exclude the data "
                "set, or use other measures."
            )
        datasets = cast(tuple[Hashable, ...], shared.datasets)
        unbounded: dict[str, str] = {}
        for run, model, folds in shared.model_folds():
            if model in models and (why := folds.why_unbounded(get(name))):
                unbounded.setdefault(model, f" on {run.cases.name}, {why}")
        results = Results(tuple(models), datasets, table, name, direction(name) or 1, unbounded=unbounded)
        by_measure.append(
            compare_results(
                results,
                method=question.method,
                control=question.control,
                rope=question.rope,
                adjustment=question.adjustment,
                level=question.at,
                seed=question.seed,
            )
        )
    tests = [one for part in by_measure for one in part]
    first = by_measure[0]
    tests = (
        tests if all(one.adjustment == "Nemenyi" for one in tests) else adjusted(tests, question.adjustment)
    )
    facts = tuple(fact for fact in first.facts if fact[0] not in ("values", "mean ranks"))
    facts = (*facts, ("values", f"values of {e.protocol.name} on each data set"))
    overall = tuple(one for part in by_measure for one in part.overall)
    diagram = first.diagram if len(by_measure) == 1 else None
    return Comparisons(tuple(tests), tuple(models), facts, first.level, first.seed, overall, diagram)


def _over_folds_of_datasets(
    e: Evaluation,
    models: list[tuple[str, str]],
    names: list[str],
    test: KnownTest[Any, Comparison],
    question: FoldQuestion,
) -> Comparisons:
    """Differences of all folds of all data sets, in which both models were fitted."""
    if (why := e.protocol.why_incomparable(e.runs[0].places)) is not None:
        raise InputError(f"{e.protocol.name} has no test of two learners: {why}.")
    tests = []
    for name in names:
        for a, b in models:
            of_sets = e.shared(a, b).resampled(name)
            compared = [_differences(one, (a, b), 0, test) for one in of_sets]
            reasons = [one for one in compared if isinstance(one, str)]
            reasons += [why for one in of_sets if (why := _why_unbounded(one, (a, b)))]
            if reasons:
                known = [one[1] for one in compared if not isinstance(one, str)]
                means = np.mean(known, axis=0) if len(known) == len(compared) else [np.nan, np.nan]
                nothing = Estimate.bare(float(means[0] - means[1]), reasons[0])
                bare = Comparison((a, b), name, nothing, float("nan"), test.name, DATA_SETS_VARY)
                reason, units = SignificanceTest(reason=reasons[0]), UnitsTested(units="data sets")
                tests.append(replace(bare, test=reason, sample=units))
                continue
            folds = [one[0] for one in compared if not isinstance(one, str)]
            better = direction(name) or 1
            tests.append(
                test(folds, better=better, rope=question.rope, level=question.at, seed=question.seed)
            )
    named = list(dict.fromkeys(model for pair in models for model in pair))
    facts = (
        ("models", ", ".join(named)),
        ("data sets", f"{len(e.runs):,}"),
        ("values", f"folds of {e.protocol.name} on each data set"),
    )
    return Comparisons(tuple(tests), tuple(named), facts, question.at, question.seed)


def join(evaluations: Mapping[str, Evaluation]) -> Evaluation:
    """Evaluations of the same cases and folds as one; a learner alone in its evaluation gets the name given to it.

    Raises InputError where cases, labels or folds differ: what is compared must have been tested on the same.
    """
    (name, first), *others = evaluations.items()
    for other, e in others:
        if why := _unlike(first, e):
            advice = (
                "Evaluate both on the same rows with the same protocol and seed, or both in one call."
                if _are_of_alike_rows(first, e)
                else OTHER_ROWS
            )
            raise InputError(f"{name} and {other} do not have the same folds: {why}. {advice}")
    runs = []
    for k, run in enumerate(first.runs):
        results: dict[str, Any] = {}
        for label, e in evaluations.items():
            learners = [model for model in e.models if model != BASELINE]
            for model in learners:
                results[str(label) if len(learners) == 1 else f"{label}: {model}"] = e.runs[k].results[model]
        runs.append(replace(run, results=results))
    shared = tuple(m for m in first.measures if all(m in e.measures for e in evaluations.values()))
    return replace(first, runs=tuple(runs), measures=shared or first.measures)


def _unlike(first: Evaluation, other: Evaluation) -> str:
    """Return what keeps two evaluations from being of the same cases and folds, if anything."""
    if first.datasets != other.datasets:
        return f"the data sets are {_named(first)} and {_named(other)}"
    for one, two in zip(first.runs, other.runs, strict=True):
        on = f" of {one.cases.name}" if one.cases.name else ""
        if why := _unlike_runs(one, two):
            return f"{why}{on}"
    return ""


OTHER_ROWS = (
    "Folds of different rows are not paired. "
    + hint(
        "Compare the learners within each evaluation, pass all data sets to one ca.evaluate call, or "
        "assess the predictions with ca.assess_by(y, p, by=month)",
        "Compare the learners within each evaluation, or save an assessment for each data set and use "
        "`classay merge --apart`",
    )
    + ". For the same rows, use the same protocol and seed."
)
"""What can be done with evaluations of different cases."""


def _are_of_alike_rows(first: Evaluation, other: Evaluation) -> bool:
    """Check whether two evaluations may be of the same rows: as many, with the same true labels."""
    return first.datasets == other.datasets and all(
        one.cases.rows == two.cases.rows and np.array_equal(one.cases.truth, two.cases.truth)
        for one, two in zip(first.runs, other.runs, strict=True)
    )


def _named(e: Evaluation) -> str:
    return ", ".join(e.datasets) or "a data set without a name"


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


REMARK = "balance"
"""The code of the remark on what was balanced."""
BESIDE = " + "
"""What stands between the name of a learner and what balances it."""
OF_TWO = ("roc_auc", "average_precision", "brier_score", "balanced_accuracy")
OF_SEVERAL = ("macro_roc_auc", "multiclass_brier_score", "balanced_accuracy")
"""What is compared, as far as it is shown: ranking, probabilities, and labels whose classes count alike."""


def with_balanced(
    estimators: Mapping[str, object], keys: Mapping[str, str], method: str
) -> tuple[dict[str, Any], dict[str, str], tuple[str, str]]:
    """Return each estimator and its balanced twin, "NAME + METHOD", by name; with keys for both, and a remark.

    Raises InputError: an unknown method, a name that is taken, an estimator that cannot be balanced so; or
    MissingExtraError: SMOTE without imbalanced-learn.
    """
    check_word("balance", method, get_args(Balance))
    if method == "smote" and importlib.util.find_spec("imblearn") is None:
        raise MissingExtraError("balancing by SMOTE", "balance")
    from classay.resampling.models import balanced

    with_twins: dict[str, Any] = {}
    known = dict(keys)
    for name, estimator in estimators.items():
        twin = f"{name}{BESIDE}{method}"
        if twin in estimators:
            raise InputError(
                f"The model name {twin!r} is reserved for the balanced {name!r}. Use another name."
            )
        with in_our_words(
            f"{name} cannot be copied",
            "Its method get_params must return its parameters, as in scikit-learn.",
        ):
            with_twins |= {name: estimator, twin: balanced(name, estimator, method)}  # type: ignore[arg-type]
        if name in keys:
            known.setdefault(twin, f"{keys[name]}{BESIDE}{method}")
    text = (
        f"models named “{BESIDE.strip()} {method}” are fitted to balanced training cases "
        f"({DONE[method]}); test cases are not changed. Their probabilities are corrected to the class "
        "shares in training. Their labels come from the balanced model"
    )
    return with_twins, known, (REMARK, text)


def balanced_pairs(e: Evaluation) -> list[tuple[str, str]]:
    """Return the balanced learners of an evaluation, each with the same learner as it is."""
    pairs = []
    for model in e.models:
        plain, _, method = model.rpartition(BESIDE)
        if method in get_args(Balance) and plain in e.models:
            pairs.append((model, plain))
    return pairs


def compare_balanced(e: Evaluation) -> Comparisons:
    """Each balanced learner minus itself as it is, over the folds: the paired test, p-values adjusted over all by Holm.

    Measures of ranking, of probabilities, and of labels whose classes count alike. Raises InputError where nothing was
    balanced, of several data sets, and where the protocol has no test of two learners.
    """
    pairs = balanced_pairs(e)
    if not pairs:
        raise InputError("No model is balanced here. Evaluate with balance=, such as balance='weights'.")
    if len(e.runs) > 1:
        raise InputError(
            f"There are {len(e.runs)} data sets. Use one, as in e[{e.datasets[0]!r}].balancing, or compare "
            "over all with e.compare()."
        )

    of_two = e.runs[0].cases.is_binary
    measures = [name for name in (OF_TWO if of_two else OF_SEVERAL) if name in e.measures]
    return compare_evaluation(e, measures or None, only=pairs)


LEADING = ("roc_auc", "macro_roc_auc", "accuracy")
"""The measure by which models are ranked: the first of these that a model has."""
LEAKING = "A possible leak was found, so the values below may not hold for new cases."


def findings_on_run(e: Evaluation, run: DatasetRun, summaries: list[Summary]) -> tuple[Finding, ...]:
    """Return what is expected of the best model on new cases, its difference from the next one and from the baseline.

    A leak that voids the tests leads: what follows is then about cases that training knew. The value on the cases that
    a model was fitted to never leads.
    """
    mine = [summary for summary in summaries if summary.dataset == run.cases.name]
    ranking = _ranked(run, summaries)
    on = f"On {run.cases.name}: " if len(e.runs) > 1 else ""
    findings = [
        Finding(f"leak_{k}" if k > 1 else "leak", "A", k, f"{on}{LEAKING} {leak.text}")
        for k, leak in enumerate(run.voiding, 1)
    ]
    if not ranking:
        return ranked(findings)
    best = max(ranking, key=lambda summary: summary.estimate.value)
    evidence: dict[str, Any] = {
        "measure": best.measure,
        "model": best.model,
        "expected": plain_estimate(best.estimate),
    }
    findings.append(Finding("best_model", "main", 1, on + _of_best(best, run, len(ranking)), evidence))
    one = lead(e if len(e.runs) == 1 else e[run.cases.name], ranking)
    if one is not None:
        cases = float(run.cases.truth.size)
        effect = None if one.effect is None else plain_estimate(one.effect)
        evidence = {"measure": one.measure, "models": [*one.models]} | {"difference": effect}
        findings.append(Finding("next_model", "main", 2, difference_sentence(one, cases), evidence))
    accuracy = {summary.model: summary.estimate for summary in mine if summary.measure == "accuracy"}
    if best.model in accuracy and BASELINE in accuracy:
        sentence, evidence = _over_baseline(
            e, accuracy[best.model], best.model, run, is_known=best.measure == "accuracy"
        )
        findings.append(Finding("majority_baseline", "main", 3, sentence, evidence))
    return ranked(findings)


def verdict(e: Evaluation, run: DatasetRun, summaries: list[Summary]) -> list[str]:
    """Which model leads and whether that is sure, and what the baseline reaches, in sentences; leaks come first."""
    return [finding.sentence for finding in findings_on_run(e, run, summaries)]


def findings_on_evaluation(e: Evaluation, summaries: list[Summary]) -> tuple[Finding, ...]:
    """The findings of an evaluation; of several data sets, who leads over them, or at least on the first of them."""
    by_run = [findings_on_run(e, run, summaries) for run in e.runs]
    if len(by_run) == 1:
        return by_run[0]
    leaks = [finding for findings in by_run for finding in findings if finding.tier == "A"][:NAMED_DATA_SETS]
    first_leaks = [replace(leak, code=f"leak_{k}", rank=k) for k, leak in enumerate(leaks, 1)]
    over = [
        Finding(f"over_data_sets_{k}", "main", k, sentence, {"data_sets": len(e.runs)})
        for k, sentence in enumerate(over_data_sets(e, summaries), 1)
    ]
    if not over:
        first = [findings[0] for findings in by_run if findings and findings[0].tier != "A"]
        over = [
            replace(finding, code=f"best_model_{k}", rank=k)
            for k, finding in enumerate(first[:NAMED_DATA_SETS], 1)
        ]
    return ranked([*first_leaks, *over])


NAMED_DATA_SETS = 2
"""Data sets whose leading model opens the report where none leads over all."""


def over_data_sets(e: Evaluation, summaries: list[Summary]) -> list[str]:
    """Which model leads on average over several data sets, on how many it is the best, and whether that is sure."""
    values = _values_of_data_sets(e, summaries)
    if values is None:
        return []
    measure, table = values
    means = {model: float(np.mean(row)) for model, row in table.items()}
    best, *others = sorted(means, key=lambda model: -means[model])
    sets, what = len(e.runs), title(measure)
    if not others:
        named = sorted(zip(table[best], e.datasets, strict=True))
        (low, worst), (high, most) = named[0], named[-1]
        return [
            f"Over {sets} data sets, {best} has {an(what)} of {number(means[best])} on average, from "
            f"{number(low)} on {worst} to {number(high)} on {most}."
        ]
    top = np.max([row for model, row in table.items() if model != best], axis=0)
    alone, shared = int((table[best] > top).sum()), int((table[best] == top).sum())
    ties = f" and ties for the best value on {shared}" if shared else ""
    return [
        f"{best} has the highest mean {what} over {sets} data sets: {number(means[best])}, compared with "
        f"{number(means[others[0]])} for {others[0]}. {best} has the best value on {alone} data sets{ties}.",
        *_sure_over_data_sets(e, measure, (best, others[0])),
    ]


def _values_of_data_sets(e: Evaluation, summaries: list[Summary]) -> tuple[str, dict[str, np.ndarray]] | None:
    """Return the measure that ranks the models, and its value on each data set for those that have it on all."""
    at = {(summary.measure, summary.model, summary.dataset): summary.estimate.value for summary in summaries}
    models = [model for model in e.models if model != BASELINE]
    known: dict[str, dict[str, np.ndarray]] = {}
    for name in LEADING:
        rows = {
            model: np.array([at.get((name, model, data), np.nan) for data in e.datasets]) for model in models
        }
        known[name] = {model: row for model, row in rows.items() if np.isfinite(row).all()}
    name = max(known, key=lambda name: len(known[name]))  # the first of those that as many have
    return (name, known[name]) if known[name] else None


def _sure_over_data_sets(e: Evaluation, measure: str, best: tuple[str, str]) -> Iterable[str]:
    """Yield what the comparison over the data sets says of the first two, among all pairs of models in this measure."""
    try:
        tests = compare_evaluation(e, [measure])
    except InputError as error:
        yield f"The difference was not tested: {str(error)[:1].lower()}{str(error).rstrip('.')[1:]}."
        return
    one = next((test for test in tests if {*test.models} == {*best}), None)
    if one is not None:
        yield difference_sentence(one, float(sum(run.cases.truth.size for run in e.runs)), test=one.method)


def _ranked(run: DatasetRun, summaries: list[Summary]) -> list[Summary]:
    """Return the models by the measure that ranks them, as far as they have it."""
    known = [
        summary for summary in summaries if summary.dataset == run.cases.name and summary.model != BASELINE
    ]
    known = [summary for summary in known if not summary.estimate.is_undefined]
    leading = next((name for name in LEADING if any(summary.measure == name for summary in known)), None)
    return [summary for summary in known if summary.measure == leading]


def methods(e: Evaluation, summaries: list[Summary]) -> tuple[str, ...]:
    """Return which learners were evaluated, and how the first two were compared, as sentences for a paper."""
    models = [model for model in e.models if model != BASELINE]
    learners = f"The learner is {models[0]}" if len(models) == 1 else f"The learners are {listed(models)}"
    sentences = [
        f"{learners}. The {BASELINE}, which always predicts the most frequent class, was evaluated too."
    ]
    first = e.runs[0]
    family = _family(e if len(e.runs) == 1 else e[first.cases.name], _ranked(first, summaries))
    if family:
        shown = listed(list(dict.fromkeys(title(test.measure) for test in family)))
        sentences.append(f"They were compared in {shown} over the same folds {by_test(family[0])}.")
    return tuple(sentences)


def by_test(one: Comparison) -> str:
    """Return the test of one of a family of comparisons, and the adjustment for all of them."""
    if one.adjustment is None or one.family is None or one.family < 2:
        return f"by {one.method}"
    return f"by {one.method}, with the p-values of all {one.family} comparisons adjusted by {one.adjustment}"


def _of_best(best: Summary, run: DatasetRun, models: int) -> str:
    """Return what is expected of the best model on new cases."""
    value = value_with_interval(best.estimate, best.measure, float(run.cases.truth.size))
    picked = (
        f", the highest of {models} models and optimistic because the best was selected" if models > 1 else ""
    )
    return f"The expected {short_title(best.measure)} of {best.model} on new cases is {value}{picked}."


def lead(e: Evaluation, summaries: list[Summary]) -> Comparison | None:
    """The best model and the second best in a measure that is best when high, as `compare` of the evaluation has them.

    Both therefore belong to one family: all pairs of models in all measures that are compared by default. None if the
    estimates are not by the corrected resampled t, or if a model has folds without a value.
    """
    best = [summary.model for summary in _by_value(summaries)[:2]]
    family = _family(e, summaries)
    of_best = (test for test in family if test.measure == summaries[0].measure and {*test.models} == {*best})
    return next(of_best, None)


def _by_value(summaries: list[Summary]) -> list[Summary]:
    known = (
        summary for summary in summaries if summary.model != BASELINE and not isnan(summary.estimate.value)
    )
    return sorted(known, key=lambda summary: -summary.estimate.value)


def _family(e: Evaluation, summaries: list[Summary]) -> list[Comparison]:
    """The comparisons with a p-value that are made by default, and in the measure of these summaries; often none."""
    known = _by_value(summaries)
    if len(known) < 2 or any(CORRECTED not in (summary.estimate.method or "") for summary in known):
        return []
    names = compared_unasked(e)
    measure = known[0].measure
    try:
        tests = e.compare(names if measure in names else [measure, *names])
    except InputError:
        return []
    return [test for test in tests if not isnan(test.p)]


def _over_baseline(
    e: Evaluation, accuracy: Estimate, model: str, run: DatasetRun, *, is_known: bool
) -> tuple[str, dict[str, Any]]:
    """Return the accuracy beside that of giving all tested cases the one answer that is right most often.

    Both are of the same cases, so that of the shares of their classes only what the two differ in is random.
    The model `baseline` may answer differently from fold to fold: in leave-one-out it is wrong whenever the case left
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
    reached = float(tested.shares[answer])
    beside = accuracy
    if CORRECTED in (accuracy.method or ""):
        folds = next(folds for of_run, name, folds in e.model_folds() if of_run is run and name == model)
        than = tested.shares * (np.arange(tested.shares.size) == answer) - tested.shares * reached
        beside = e.protocol.corrected(folds, get("accuracy"), e.level, than)
    cases = float(run.cases.truth.size)
    evidence = {"accuracy": plain_estimate(accuracy), "baseline": reached}
    predicting = f"predicting {label_text(run.cases.labels[answer])}"
    share = percent(reached, cases)
    if is_known:  # the first sentence has the value of the model
        above = f", which is above the estimate for {model}" if reached > accuracy.value else ""
        sentence = f"Always {predicting} has an accuracy of {share}{above}."
    else:
        value = value_with_interval(accuracy, "accuracy", cases)
        above = ", which is higher" if reached > accuracy.value else ""
        sentence = (
            f"The accuracy of {model} is {value}, compared with {share} for always {predicting}{above}."
        )
    if beside.has_interval and beside.low <= reached <= beside.high:
        sentence += f" No difference from {model} was detected."
    return sentence, evidence


MOST_FOLDS = 10
"""Folds whose curves are drawn: more lines than these are a cloud."""
NEAR = 0.002
"""Greatest vertical error of a curve that is drawn thin among many."""


def pooled_and_single(e: Evaluation) -> tuple[tuple[Curve, ...], dict[str, tuple[Curve, ...]]]:
    """Return the calibration of each model over all folds together, and by model its ROC curves in the first folds.

    A probability means the same whichever fold's model says it, so that calibration may be pooled; scores of
    different models have no common order, so that ROC curves may not.
    """
    calibration: list[Curve] = []
    by_fold: dict[str, tuple[Curve, ...]] = {}
    for run, model, folds in e.model_folds():
        if model == BASELINE or not run.cases.is_binary or not folds.places:
            continue
        name = f"{model} on {run.cases.name}" if len(e.runs) > 1 else model
        calibration += (
            replace(curve, series=name, title="Calibration, all folds") for curve in _calibration(folds)
        )
        curves = [curve for i in range(min(MOST_FOLDS, len(folds.places))) for curve in _roc(folds, i)]
        if curves:
            by_fold[name] = tuple(curves)
    return tuple(calibration), by_fold


def _calibration(folds: ModelFolds) -> list[Curve]:
    if folds.results[0].kind_of_score != "probability":
        return []
    try:
        return [for_display(folds.whole.calibration.curve, NEAR, few=50)]
    except InputError:  # there is no such curve of these cases
        return []


def _roc(folds: ModelFolds, fold: int) -> list[Curve]:
    scores = folds.assessments[fold].scores
    if scores is None or not (scores.n_positive and scores.n_negative):
        return []
    return [for_display(folds.assessments[fold].roc.curve, NEAR, few=50)]
