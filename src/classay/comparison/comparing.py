"""The doors of comparison: compare(), which asks each way whether it is its own, and that of one test set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from inspect import signature
from typing import Any, Unpack

import numpy as np

from classay.answers import AnswerPolicy, Missing, Unanswered
from classay.assessment.bands import Bands, refuse_bands_alone
from classay.comparison.cases.compare_assessments import compare_assessments
from classay.comparison.cases.compare_panel import compare_panel, with_omissions
from classay.comparison.cases.model_columns import Rows, all_rows, are_assessments, panel_from
from classay.comparison.cases.other_panel import Models, other_panel
from classay.comparison.cases.panel_columns import GroupColumn
from classay.comparison.comparisons import Comparisons, by_rule, check_sides
from classay.comparison.gate_rules import check_rule
from classay.comparison.ways import Question, ways
from classay.decision.costs import Costs
from classay.errors import InputError
from classay.kinds import Alternative, Rule, checked, refuse_unknown
from classay.measures import Measure
from classay.texts import hint
from classay.wings import way, ways_of


@checked
def compare_predictions(
    models: Any = None,
    y_true: Any = None,
    *,
    by: Any = None,
    pool: int | None = None,
    bands: Mapping[str, Bands] | Bands | None = None,
    measures: Sequence[str | Measure | Costs] | None = None,
    method: str | None = None,
    control: str | None = None,
    rule: Rule | None = None,
    margin: float | None = None,
    alternative: Alternative = "two-sided",
    adjustment: str = "holm",
    level: float | None = None,
    seed: int | np.random.Generator = 0,
    missing: Missing = "refuse",
    unanswered: Unanswered = "refuse",
    **rows: Unpack[Rows],
) -> Comparisons:
    """Compare models on one test set.

    The test cases vary. The models were run on the same cases, which are matched by `id` or by position.

    The models are given in one of these shapes.

    - Scores by name: `compare_predictions({"new": a, "old": b}, y)`
    - Predicted labels, without or with scores: `y_pred={"new": …}`
    - One frame: `(frame, truth="y", scores=["a", "b"])`
    - One frame per model: `({"new": f, "old": g}, truth="y", scores="p", id="case")`
    - Assessments by name, also loaded ones, that were made with the ids of the same rows

    Parameters
    ----------
    models : mapping or frame, optional
        Scores, frames or assessments by the names of the models, or one dataframe.
    y_true : array-like, optional
        True labels of the cases.
    by : str, sequence or array-like, optional
        Groups of the cases, as `assess_by` takes them. The models are compared in each group too, in the
        first measure of each kind unless `measures` names others. A test shows whether their difference
        depends on the group (see `GroupComparisons`). "*" searches for the subgroup where the first of two
        models is worst (see `Segments`). It tries all values of the unused columns of a frame, and their
        pairs.
    pool : int, optional
        Groups with fewer cases are combined into one.
    bands : sequence, str or mapping, optional
        Ranges that combine groups that are numbers. `[18, 40, 65]` makes four ranges, "4q" makes four with
        about as many cases each. With several columns a mapping, `{"age": [18, 40, 65]}`.
    measures : sequence of str, Measure or Costs, optional
        Measures to compare. The expected cost of `Costs` is compared case by case, amounts included.
    method : str, optional
        Test or interval, for the measures that have it: "bootstrap", "delta", "posterior" (labels),
        "mid-p", "exact", "asymptotic", "continuity-corrected" (McNemar's tests of proportions), "newcombe",
        "bonett-price" (other intervals with the first of them), "clustered-mcnemar", "delong",
        "logit-delong" (AUC) or "permutation" (losses).
    control : str, optional
        The one model with which all other models are compared. Without it every pair is compared.
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
    missing : {"refuse", "drop"}, default "refuse"
        What to do with rows without a true label. "drop" excludes and counts them.
    unanswered : {"refuse", "wrong", "drop"}, default "refuse"
        What to do with cases without a prediction of a model: no score, no label, an undeclared label, or
        no row in frames that are joined by an id. "wrong" counts them as incorrect for this model. "drop"
        excludes them for all models, and tests whether that favors one model.
    **rows
        Columns and their reading, as `Rows` lists them: `y_pred`, `truth`, `scores`, `predictions`, `id`,
        `positive`, `labels`, `ordered`, `threshold` (of all models or of each), `top`, `separator`,
        `weight`, `frequency`, `cluster`, `amounts`, `score_scale` and `task`, as in `assess`. Names are
        columns, of the first frame where each model has one. Columns of several classes go by their labels,
        `scores={"a": {"cat": "a_cat", "dog": "a_dog"}}` of one frame,
        `scores={"cat": "p_cat", "dog": "p_dog"}` of one frame per model.

    Returns
    -------
    Comparisons
        One comparison for each pair of models in each measure. Groups in `by` give a `GroupComparisons`,
        and "*" gives a `Segments`.

    Raises
    ------
    InputError
        If rows do not match.
        If the models cannot have a measure.
        If an option is unknown, or options exclude each other.

    Notes
    -----
    Proportions get McNemar's test, and other threshold measures the delta method or the posterior of the
    joint cells. The AUC gets DeLong's test, mean losses get the paired t, and other measures of scores the
    paired bootstrap. With `cluster` all of them count clusters, or refuse. Frames are joined by `id`, and
    by position only where lengths and true labels agree.

    Examples
    --------
    >>> y = [1, 1, 0, 1, 0, 0, 1, 0]
    >>> a, b, c = [9, 8, 7, 6, 4, 3, 2, 1], [9, 3, 7, 4, 8, 6, 2, 1], [1, 2, 3, 4, 5, 6, 7, 8]
    >>> tests = compare_predictions({"a": a, "b": b, "c": c}, y, measures=["roc_auc"], control="c")
    >>> [one.models for one in tests]
    [('a', 'c'), ('b', 'c')]
    """
    parameters = signature(compare_predictions).parameters
    refuse_unknown("compare_predictions", rows, {**Rows.__annotations__, **parameters})
    check_rule(rule, margin)
    check_sides(alternative, method, rule, None)
    columns = {**all_rows(y_true, rows), "by": by, "pool": pool, "bands": bands, "unanswered": unanswered}
    question = Question(
        measures, method, control, None, rule, margin, alternative, adjustment, level, seed, missing, columns
    )
    return _on_one_test_set(models, question)


def _on_one_test_set(models: Any, question: Question) -> Comparisons:
    """Return the answer to a question whose `rows` have the names of `compare_predictions`."""
    rows = question.rows
    if are_assessments(models):
        of_groups = {name: rows[name] for name in ("y_true", "by", "pool", "bands")}
        of_tests = {"method": question.method, "control": question.control}
        columns = {name: rows[name] for name in Rows.__annotations__}
        refuse(
            of_groups | of_tests | columns,
            "has no effect on assessments, which contain their rows, labels and thresholds",
        )
        level = question.interval_level
        comparisons = compare_assessments(
            models, of_tables(question.measures), adjustment=question.adjustment, level=level
        )
        return judged(question.in_direction(comparisons), question.rule, question.margin)
    for one in ways_of("compare_predictions"):
        if one.claims(models, question):
            answer: Comparisons = one.answer(models, question)
            return answer
    policy = AnswerPolicy.of(question.missing, rows["unanswered"])
    if rows["by"] is not None:
        way("compare_predictions.by")  # which nobody brings
    refuse({"pool": rows["pool"]}, "combines small groups, but by= is not set")
    refuse_bands_alone(rows["bands"], rows["by"])
    panel = panel_of_models(models, question, policy)
    return judged(compared_in_panel(panel, question), question.rule, question.margin)


def panel_of_models(
    models: Any, question: Question, policy: AnswerPolicy, groups: GroupColumn | None = None
) -> Models:
    """Return the models on the cases that all of them have, of one label a case or of another task."""
    panel, columns = other_panel(models, question.columns, policy, groups)
    return panel_from(models, columns, policy, groups) if panel is None else panel


def compared_in_panel(panel: Models, question: Question) -> Comparisons:
    """Return the models of a panel compared on all of its cases."""
    compared = partial(
        compare_panel,
        method=question.method,
        control=question.control,
        adjustment=question.adjustment,
        level=question.interval_level,
        seed=question.drawn_seed,
    )
    comparisons = with_omissions(compared(panel, question.measures), panel, question.measures, compared)
    return question.in_direction(comparisons)


def of_tables(measures: Any) -> Any:
    """Return the measures of saved assessments, which have none of the costs of single cases."""
    if measures is not None and any(isinstance(measure, Costs) for measure in measures):
        raise InputError("Costs are compared case by case. Pass the rows instead of their assessments.")
    return measures


def refuse(options: Mapping[str, object], why: str) -> None:
    """Refuse options that have no meaning here."""
    named = next((name for name, option in options.items() if option is not None), None)
    if named is not None:
        option = hint(f"{named}=", f"--{named.replace('_', '-')}")
        raise InputError(f"{option} {why}. Remove it.")


def judged(comparisons: Comparisons, rule: Rule | None, margin: float | None) -> Comparisons:
    """Comparisons of one test set read by a rule, if there is one; the intervals decide, each by itself."""
    if rule is None:
        return comparisons
    fact = "rule", rule if margin is None else f"{rule}, margin {margin:g} (prespecified)"
    tests = tuple(by_rule(one, rule, margin) for one in comparisons)
    return replace(
        comparisons,
        comparisons=tests,
        facts=(*comparisons.facts, fact),
        overall=(),
        leaderboards=(),
        shows_pairs=True,
    )


class ComparedRows(Rows, total=False):
    """Beside what every comparison shares: the rows of one test set, or the columns of results over data sets."""

    missing: Missing
    unanswered: Unanswered
    dataset: str | None
    model: str | None
    value: str | None
    fold: str | None
    run: str | None
    better: str | None
    test_over_train: float | None


@checked
def compare(
    models: Any = None,
    y_true: Any = None,
    *,
    by: Any = None,
    pool: int | None = None,
    bands: Mapping[str, Bands] | Bands | None = None,
    measures: Sequence[str | Measure | Costs] | None = None,
    method: str | None = None,
    control: str | None = None,
    rope: float | None = None,
    rule: Rule | None = None,
    margin: float | None = None,
    alternative: Alternative = "two-sided",
    adjustment: str = "holm",
    level: float | None = None,
    seed: int | np.random.Generator = 0,
    **arguments: Unpack[ComparedRows],
) -> Comparisons:
    """Compare models on one test set, learners over folds, or models over data sets.

    The first argument selects the kind of comparison. Each kind has its own function, which explains its
    options.

    - One test set, `compare_predictions`: scores by name and the true labels,
      `compare({"new": a, "old": b}, y)`, predicted labels in `y_pred=`, frames with names of columns, or
      assessments of the same rows.
    - Learners over folds, `compare_learners`: an `Evaluation` of several learners, or a mapping of
      evaluations of the same cases and folds. The training set varies.
    - Many data sets, `compare_datasets`: an `Evaluation` of several data sets, or a frame of results with
      its column `dataset=`. A long frame has the columns `model=`, `value=` and `run=` too.

    Parameters
    ----------
    models : mapping, frame or Evaluation, optional
        The models: scores or assessments by name, a dataframe, an `Evaluation`, or results over data sets.
        Class scores are arrays with one column per class, or columns of a frame by their labels,
        `scores={"new": {"cat": "new_cat", "dog": "new_dog"}}`.
    y_true : array-like, optional
        True labels of the cases.
    by : str, sequence or array-like, optional
        Groups of the cases, as `assess_by` takes them. "*" searches for subgroups.
    pool : int, optional
        Groups with fewer cases are combined into one.
    bands : sequence, str or mapping, optional
        Ranges that combine groups that are numbers. `[18, 40, 65]` makes four ranges, "4q" makes four with
        about as many cases each. With several columns a mapping, `{"age": [18, 40, 65]}`.
    measures : sequence, optional
        Measures to compare. Prespecify few, because p-values are adjusted over them.
    method : str, optional
        Name of the test, in place of the default of each measure.
    control : str, optional
        The one model with which all other models are compared. Without it every pair is compared.
    rope : float, optional
        Difference that is equivalent in practice, prespecified, for the Bayesian tests over folds and data
        sets.
    rule : {"equivalent", "non-inferior", "superior", "not-worse"}, optional
        Claim to test about the new model (the first of a pair), on one test set or over folds. See `gate`.
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
    **arguments
        Further arguments of the kind of comparison, such as `y_pred`, `truth`, `scores`, `predictions` and
        `id` of one test set, or `dataset`, `model`, `value`, `fold` and `run` of results.

    Returns
    -------
    Comparisons
        One comparison for each pair of models in each measure.

    Raises
    ------
    InputError
        If rows, folds or data sets do not match.
        If a measure is not defined for these models.
        If an option is unknown, or options exclude each other.

    Examples
    --------
    >>> y = [1, 1, 0, 1, 0, 0, 1, 0]
    >>> c = compare({"new": [9, 8, 7, 6, 4, 3, 2, 1], "old": [9, 3, 7, 4, 8, 6, 2, 1]}, y, measures=["roc_auc"])
    >>> c[0]
    Comparison(roc_auc of new minus old: 0.312 [-0.395, 1.000] 95%, DeLong, t; p = 0.25 (Holm), DeLong's t)
    """
    known = {**Rows.__annotations__, **signature(compare).parameters, "missing": None, "unanswered": None}
    known |= {name: None for one in ways() for name in one.options}
    refuse_unknown("compare", arguments, known)
    check_rule(rule, margin)
    check_sides(alternative, method, rule, rope)
    rows: dict[str, Any] = {"y_true": y_true, "by": by, "pool": pool, "bands": bands}
    rows |= all_rows(y_true, arguments)
    missing, unanswered = rows.pop("missing", "refuse"), rows.pop("unanswered", "refuse")
    question = Question(
        measures, method, control, rope, rule, margin, alternative, adjustment, level, seed, missing, rows
    )
    for one in ways():
        if one.claims(models, question):
            return one.answer(models, question)
    for one in ways():
        refuse(question.options_of(one), one.lacking)
    datasets = hint("dataset=", "--dataset")
    refuse(
        {"rope": rope},
        f"needs evaluations or results over data sets ({datasets}), not models on one test set",
    )
    of_ways = {name for one in ways() for name in one.options}
    columns = {name: column for name, column in rows.items() if name not in of_ways}
    return _on_one_test_set(models, replace(question, rows=columns | {"unanswered": unanswered}))
