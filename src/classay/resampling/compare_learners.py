"""Comparing learners over folds, and models over data sets: the doors, and the ways in which `compare` takes them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike

from classay.comparison.claims import cases_needed
from classay.comparison.comparing import of_tables, refuse
from classay.comparison.comparison import Comparison, adjusted, pairs
from classay.comparison.comparisons import Comparisons, by_rule, check_sides, in_direction, level_of_both
from classay.comparison.gate_rules import check_rule, interval_level
from classay.comparison.named_tests import FOLDS, chosen, named
from classay.comparison.ways import Question, WayToCompare
from classay.errors import InputError
from classay.inference.draws import seed_of
from classay.inference.estimate import direction
from classay.inference.requirements import range_of, refuse_whole_range
from classay.kinds import Alternative, Rule, checked, is_mapping
from classay.measures import Measure
from classay.resampling.compare_datasets import compare_datasets, turn_of
from classay.resampling.fold_results import FoldResults
from classay.resampling.fold_tests import (
    FoldDifferences,
    FoldOptions,
    FoldQuestion,
    by_hand,
    corrected_t,
    equivalence,
    fold_differences,
    non_inferiority,
)
from classay.resampling.rank_tests import direction_of

if TYPE_CHECKING:
    from classay.answers import MissingLabels


class Learners(ABC):
    """Learners that were fitted and tested on the same folds; `Evaluation` is one."""

    level: float

    @abstractmethod
    def compare(
        self, measures: Sequence[str | Measure] | None = None, **how: Unpack[FoldOptions]
    ) -> Comparisons:
        """Compare every pair, or all with a control, over the folds they share."""

    @classmethod
    @abstractmethod
    def joined(cls, evaluations: Mapping[str, Self]) -> Self:
        """Return several of the same cases and folds as one. Raises InputError where they are not."""


def learners_of(source: Any) -> Learners | None:
    """Return the learners of an evaluation, or of a dict of them; None for anything else."""
    if isinstance(source, Learners):
        return source
    if (
        isinstance(source, Mapping)
        and source
        and all(isinstance(learner, Learners) for learner in source.values())
    ):
        first: Learners = next(iter(source.values()))
        return first.joined(source)
    return None


def compare_folds(
    folds: FoldDifferences,
    values: tuple[float, float],
    method: str,
    question: FoldQuestion,
) -> Comparison:
    """Compare two learners over folds by a registered test; `values` are their own.

    With a `rule`, by the corrected resampled t and its interval.
    """
    level = question.at
    refuse_reach(question, [folds.measure], values)
    if question.rule is not None:
        comparison = _by_rule(folds, question.rule, question.margin, level)
    else:
        comparison = named(FOLDS, method)(folds, rope=question.rope, level=level, seed=question.seed)
    needed = _needed(folds, level) if method == "corrected-t" and question.rule is None else None
    return comparison.changed(values=values, needed=needed)


def refuse_reach(question: FoldQuestion, measures: Sequence[str], values: Sequence[float] = ()) -> None:
    """Refuse a margin or a rope that no difference of one of the measures exceeds. Raises InputError."""
    for measure in measures:
        refuse_whole_range("margin", question.margin, measure, *range_of(measure, values))
        refuse_whole_range("rope", question.rope, measure, *range_of(measure, values))


def with_steps(
    comparison: Comparison,
    first: ArrayLike,
    second: ArrayLike,
    test_over_train: float,
    level: float,
    hidden: float = 0.0,
) -> Comparison:
    """The comparison with the steps of the paired t of the values of folds; without them under a rule, or with odds."""
    if comparison.rule is not None or comparison.odds is not None or "5×2" in comparison.method:
        return comparison
    return comparison.changed(by_hand=by_hand(first, second, test_over_train, level, hidden))


def _by_rule(folds: FoldDifferences, rule: Rule, margin: float | None, level: float) -> Comparison:
    if rule == "non-inferior" and margin is not None:
        return non_inferiority(folds, margin, level=level)
    if rule == "equivalent" and margin is not None:
        return equivalence(folds, margin, level=level)
    comparison = corrected_t(folds, level=interval_level(rule, level))
    return by_rule(comparison.changed(better=direction(folds.measure) or 1), rule, margin)


def _needed(folds: FoldDifferences, level: float) -> float | None:
    """Folds' worth of cases, if the spread shrinks with their number."""
    se: Any = folds.corrected_error[0]
    return cases_needed(folds.values.size, folds.mean, se, level) if se > 0 else None


@checked
def compare_learners(
    learners: Learners | Mapping[str, Learners] | Mapping[str, ArrayLike],
    measures: Sequence[str | Measure] | None = None,
    *,
    test_over_train: float | None = None,
    method: str | None = None,
    control: str | None = None,
    rope: float | None = None,
    rule: Rule | None = None,
    margin: float | None = None,
    alternative: Alternative = "two-sided",
    adjustment: str = "holm",
    level: float | None = None,
    seed: int | np.random.Generator = 0,
) -> Comparisons:
    """Compare learners over the same folds.

    The training set varies. An evaluation of several data sets is compared over data sets.

    Parameters
    ----------
    learners : Evaluation or mapping
        An `Evaluation`, a mapping of evaluations of the same cases and folds, or a mapping of plain fold
        scores, as `cross_val_score` gives them. Fold scores have the shape `(folds,)` or
        `(repeats, folds)`.
    measures : sequence of str or Measure, optional
        Measures to compare. For fold scores, the one measure that they are.
    test_over_train : float, optional
        Ratio of test to training cases of a fold, 1 / (K - 1) for K folds. Fold scores need it.
    method : str, optional
        "corrected-t" (the default), "nadeau-bengio-t", "5x2cv-f", "5x2cv-t", "sign-flip", "paired-t" and
        "wilcoxon" (naive), or with a `rope` "bayesian" and "corani-benavoli".
    control : str, optional
        The one model with which all other models are compared. Without it every pair is compared.
    rope : float, optional
        Difference that is equivalent in practice, prespecified, for the Bayesian tests.
    rule : {"equivalent", "non-inferior", "superior", "not-worse"}, optional
        What to show of the first model of a pair, the new one. See `gate`.
    margin : float, optional
        Largest acceptable difference for the `rule`, above 0 and prespecified.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Side of the tests and intervals, for the first model of a pair minus the second. A side must be
        prespecified.
    adjustment : str, default "holm"
        Adjustment of the p-values over models and measures, one of the methods of `adjust`.
    level : float, optional
        Confidence level of the intervals, between 0 and 1. The default is 0.95, or the level of the
        evaluation or of the assessments.
    seed : int or numpy.random.Generator, default 0
        Start of all random numbers. Equal seeds give equal results.

    Returns
    -------
    Comparisons
        One comparison for each pair of learners in each measure.

    Raises
    ------
    InputError
        If folds do not match.
        If an option is unknown, or options exclude each other.

    Examples
    --------
    >>> bayes, tree = [0.82, 0.79, 0.85, 0.80, 0.81], [0.80, 0.78, 0.81, 0.80, 0.79]
    >>> compare_learners({"bayes": bayes, "tree": tree}, ["accuracy"], test_over_train=1 / 4)[0]
    Comparison(accuracy of bayes minus tree: 0.018 [-0.010, 0.046] 95%, corrected resampled t ...; p = 0.14 (Holm), ...)
    """
    check_rule(rule, margin)
    check_sides(alternative, method, rule, rope)
    evaluated = learners_of(learners)
    how: FoldOptions = {
        "method": method,
        "control": control,
        "rope": rope,
        "rule": rule,
        "margin": margin,
        "adjustment": adjustment,
        "seed": seed_of(seed),
    }
    if evaluated is None:
        asked_level = 0.95 if level is None else level
        both = level_of_both(alternative, asked_level)
        how["level"] = both
        comparisons = _of_scores(learners, measures, test_over_train, FoldQuestion(**how))
        return in_direction(comparisons, alternative, adjustment, asked_level)
    if test_over_train is not None:
        raise InputError(
            "test_over_train= has no effect on an evaluation, because its folds are known. Remove it."
        )
    asked_level = evaluated.level if level is None else level
    how["level"] = level_of_both(alternative, asked_level)
    comparisons = evaluated.compare(measures, **how)
    return in_direction(comparisons, alternative, adjustment, asked_level)


def _of_scores(
    scores: Any,
    measures: Sequence[str | Measure] | None,
    test_over_train: float | None,
    question: FoldQuestion,
) -> Comparisons:
    """Fold scores by the learners' names."""
    if not is_mapping(scores) or len(scores) < 2:
        raise InputError(
            "A comparison needs two learners. Pass an evaluation, or a dict of the fold scores of two or "
            "more learners by name."
        )
    if test_over_train is None:
        raise InputError(
            "Fold scores need test_over_train=, the test cases of a fold divided by its training cases: 1 / "
            "(K - 1) for K folds."
        )
    named = (
        ["value"] if measures is None else [getattr(measure, "name", str(measure)) for measure in measures]
    )
    if len(named) != 1:
        raise InputError(f"Fold scores have one measure, but measures= has {len(named)}. Pass one measure.")
    rule, level = question.rule, question.at
    test = chosen(FOLDS, question.method, question.rope, "corrected-t")
    if rule is not None and test.name != "corrected-t":
        raise InputError(
            f"Rules use the corrected resampled t, but method is {test.name!r}. Remove the rule or the method."
        )
    values = {str(name): _numbers(name, fold_scores) for name, fold_scores in scores.items()}
    tests = []
    for a, b in pairs([*values], question.control):
        differences = fold_differences(
            values[a], values[b], test_over_train=test_over_train, models=(a, b), measure=named[0]
        )
        means = float(values[a].mean()), float(values[b].mean())
        one = compare_folds(differences, means, test.name, question)
        tests.append(with_steps(one, values[a], values[b], test_over_train, level))
    family = tests if rule is not None else adjusted(tests, question.adjustment)
    facts = [("models", ", ".join(values)), ("folds", f"{next(iter(values.values())).size:,}")]
    facts.append(("test cases over training cases", f"{test_over_train:.4g}"))
    if question.control is not None:
        facts.append(("control", f"{question.control}, prespecified"))
    return Comparisons(tuple(family), tuple(values), tuple(facts), interval_level(rule, level), question.seed)


def _numbers(name: Any, values: ArrayLike) -> np.ndarray[Any, np.dtype[np.float64]]:
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"The fold scores of {name} are not numbers. Pass one number for each fold, as cross_val_score "
            "gives."
        ) from error


def _of_tests(question: Question) -> dict[str, Any]:
    """Return what every comparison of learners takes of a question."""
    names = ("method", "control", "rope", "alternative", "adjustment", "seed")
    return {name: getattr(question, name) for name in names}


def _is_of_learners(models: Any, question: Question) -> bool:
    is_ratio = question.rows.get("test_over_train") is not None and question.rows.get("fold") is None
    return learners_of(models) is not None or is_ratio


def _answer_over_folds(models: Any, question: Question) -> Comparisons:
    """Learners over the folds that they share, or plain fold scores."""
    refuse(
        question.options_beside(OVER_FOLDS),
        "has no effect on an evaluation, which contains its cases and folds",
    )
    learners = learners_of(models)
    return compare_learners(
        models if learners is None else learners,
        of_tables(question.measures),
        rule=question.rule,
        margin=question.margin,
        level=question.level,
        **_of_tests(question),
        **question.options_of(OVER_FOLDS),
    )


def _is_of_data_sets(models: Any, question: Question) -> bool:
    return question.rows.get("dataset") is not None or question.rows.get("fold") is not None


def _answer_over_data_sets(models: Any, question: Question) -> Comparisons:
    """Models over the data sets of a frame of results."""
    also = "" if question.rule is None else " (for equality in practice over data sets, pass rope=)"
    why = f"needs one test set, but dataset= marks these as results over data sets{also}"
    others = question.options_beside(OVER_DATA_SETS)
    refuse(others | {"measures": question.measures, "rule": question.rule}, why)
    columns = question.options_of(OVER_DATA_SETS)
    if columns.get("fold") is not None:
        better, ratio = turn_of(columns["better"]), columns["test_over_train"]
        named = {name: columns[name] for name in ("dataset", "model", "value", "fold", "run")}
        folds = FoldResults.of(models, named, ratio)
        if len(folds.values) == 1:
            return _over_folds_of_one(folds, direction_of(folds.measure, better), question)
    return compare_datasets(
        models,
        level=question.nominal_level,
        **_of_tests(question),
        missing=cast("MissingLabels", question.missing),
        **columns,
    )


def _over_folds_of_one(folds: FoldResults, better: int, question: Question) -> Comparisons:
    """Compare learners over the folds of one data set."""
    ((name, of_models),) = folds.values.items()
    comparisons = compare_learners(
        of_models,
        [folds.measure],
        test_over_train=folds.ratio(name),
        level=question.level,
        **_of_tests(question),
    )
    return replace(comparisons, comparisons=tuple(one.changed(better=better) for one in comparisons))


OVER_FOLDS = WayToCompare(
    ("test_over_train",),
    "needs fold scores by the names of the learners",
    _is_of_learners,
    _answer_over_folds,
)
OVER_DATA_SETS = WayToCompare(
    ("dataset", "model", "value", "fold", "run", "better", "test_over_train"),
    "needs results over data sets, with their column in dataset=",
    _is_of_data_sets,
    _answer_over_data_sets,
)
