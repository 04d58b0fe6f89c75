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
from classay.comparison.cases.panel import GroupColumn
from classay.comparison.comparison import Alternative
from classay.comparison.comparisons import Comparisons, by_rule, check_sides
from classay.comparison.gate_rules import Rule, check_rule
from classay.comparison.ways import Question, ways
from classay.decision.costs import Costs
from classay.errors import InputError
from classay.kinds import checked, refuse_unknown
from classay.measures import Measure
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
    """Compare models on one test set; what is random are the test cases.

    Pass a dict of scores by the models' names and the truth: `compare_predictions({"new": a, "old": b}, y)`;
    labels go into `y_pred={"new": …}`, alone or beside scores, also for a reader who gives labels only. Or a
    dataframe with the names of its columns: `(frame, truth="y", scores=["a", "b"])`; or a dict of frames, one
    a model, with columns of the same names: `({"new": f, "old": g}, truth="y", scores="p", id="case")`.
    Of several classes the columns stand by their labels: `scores={"a": {"cat": "a_cat", "dog": "a_dog"}, …}` of one
    frame, `scores={"cat": "p_cat", "dog": "p_dog"}` of one each. Frames are joined by `id`; by position only where
    lengths and truths agree. Cases that a model did not answer (no score, no label, or one that is not
    among the declared `labels`; no row, of frames joined by an id) are refused; `unanswered="wrong"` counts them as
    wrong for this model, and "drop" leaves them out for all, and tests whether that favours one model.
    `missing="drop"` leaves out rows without a truth. Or a dict of assessments, loaded ones too, that were made with the
    ids of the same rows. `Rows` lists what `rows` may say: `positive`, `labels`, `threshold` (of all, or of each),
    `weight`, `frequency`, `cluster` and `amounts` as in `assess`: names of columns, of the first frame where there is
    one for each model, or columns of the same rows. Among the `measures` may be `Costs`, whose expected cost is
    compared case by case, amounts included.

    Proportions get McNemar's test, other measures of labels the delta method or the posterior of the joint cells,
    the AUC DeLong's test, mean losses the paired t, other measures of scores the paired bootstrap; `cluster` makes
    all of them count clusters, or refuse. `method` names one of "bootstrap", "delta", "posterior" (labels), "mid-p",
    "exact", "asymptotic", "continuity-corrected" (McNemar's tests of proportions), "newcombe", "bonett-price" (other
    intervals beside the first of them), "clustered-mcnemar", "delong", "logit-delong" (AUC) and "permutation" (losses)
    for the measures that have it. With a `control` every other model is compared with it alone. The other options are
    those of `compare`.

    `by` names the groups that cases belong to, as `assess_by` takes them: the models are compared in each group too, in
    the first measure of each kind unless measures are named, and it is tested whether their difference depends on the
    group; see `GroupComparisons`. `bands` combine groups that are numbers into ranges, as in `assess_by`; groups with
    fewer than `pool` cases are pooled into one. `by="*"` looks for the
    segment where the first of two models is worst among all values of the unused columns of a frame and their pairs;
    see `Segments`.

    Raises InputError for rows that do not match, measures that the models cannot have, or options that are unknown or
    do not go together.

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
    """The answer to a question whose `rows` have the names of `compare_predictions`."""
    rows = question.rows
    if are_assessments(models):
        of_groups = {name: rows[name] for name in ("y_true", "by", "pool", "bands")}
        of_tests = {"method": question.method, "control": question.control}
        columns = {name: rows[name] for name in Rows.__annotations__}
        refuse(
            of_groups | of_tests | columns,
            "is not for assessments, which know their rows, labels and thresholds:",
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
    refuse({"pool": rows["pool"]}, "joins small groups of by=, which is not given:")
    refuse_bands_alone(rows["bands"], rows["by"])
    panel = panel_of_models(models, question, policy)
    return judged(compared_in_panel(panel, question), question.rule, question.margin)


def panel_of_models(
    models: Any, question: Question, policy: AnswerPolicy, groups: GroupColumn | None = None
) -> Models:
    """The models on the cases that all of them have, of one label a case or of another task."""
    panel, columns = other_panel(models, question.columns, policy, groups)
    return panel_from(models, columns, policy, groups) if panel is None else panel


def compared_in_panel(panel: Models, question: Question) -> Comparisons:
    """The models of a panel compared on all of its cases."""
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
    """The measures of saved assessments, which have none of the costs of single cases."""
    if measures is not None and any(isinstance(measure, Costs) for measure in measures):
        raise InputError("costs are compared case by case: pass the rows, not assessments of them.")
    return measures


def refuse(options: Mapping[str, object], why: str) -> None:
    """Refuse options that have no meaning here."""
    named = next((name for name, option in options.items() if option is not None), None)
    if named is not None:
        raise InputError(f"{named}= {why} leave it out.")


def judged(comparisons: Comparisons, rule: Rule | None, margin: float | None) -> Comparisons:
    """Comparisons of one test set read by a rule, if there is one; the intervals decide, each by itself."""
    if rule is None:
        return comparisons
    facts = (
        *comparisons.facts,
        ("rule", rule if margin is None else f"{rule}, margin {margin:g} given beforehand"),
    )
    read = replace(
        comparisons, each=tuple(by_rule(one, rule, margin) for one in comparisons), facts=facts, overall=()
    )
    return replace(read, leaderboards=(), shows_pairs=True)


class ComparedRows(Rows, total=False):
    """Beside what every comparison shares: the rows of one test set, or the columns of results over data sets."""

    missing: Missing
    unanswered: Unanswered
    dataset: str | None
    model: str | None
    value: str | None
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
    **given: Unpack[ComparedRows],
) -> Comparisons:
    """Compare models on one test set, learners over folds, or models over many data sets.

    It takes what is given to the door that it belongs to, where all the options of this kind are explained:

    - **One test set**, `compare_predictions`: a dict of scores by the models' names and the truth,
      `compare({"new": a, "old": b}, y)`; labels in `y_pred=`; frames with the names of their columns, `truth=`,
      `scores=`, `predictions=`, `id=`; or a dict of assessments of the same rows. Of several classes the scores are
      arrays with a column for each, or the columns of a frame by their labels,
      `scores={"new": {"cat": "new_cat", "dog": "new_dog"}, …}`.
    - **Learners over folds**, `compare_learners`: an `Evaluation` of several learners, or a dict of evaluations of the
      same cases and folds. What is random is the training set.
    - **Many data sets**, `compare_datasets`: an `Evaluation` of several data sets, or a frame of results with its
      column `dataset=`, and `model=`, `value=`, `run=` of a long one.

    `control` names the one model to compare all others with; over folds and data sets `rope` is the difference that
    counts as equal in practice, for the Bayesian tests. On one test set and over folds, a `rule` and its `margin` say
    what is to be shown: "equivalent", "non-inferior", "superior", "not-worse", the first model of a pair being the new
    one. Margin and rope are given beforehand. `alternative` is "two-sided", or "greater" or "less" of the first model
    of a pair minus the second, asked beforehand: tests and intervals are one-sided then. `adjustment` is that of the
    p-values over models and measures, Holm's by default: name the `measures` that count beforehand, and few. `level` is
    0.95, or that of the evaluation; `seed` starts everything random.

    Raises InputError for rows, folds or data sets that do not match, measures that the models cannot have, or options
    that are unknown or do not go together.

    >>> y = [1, 1, 0, 1, 0, 0, 1, 0]
    >>> c = compare({"new": [9, 8, 7, 6, 4, 3, 2, 1], "old": [9, 3, 7, 4, 8, 6, 2, 1]}, y, measures=["roc_auc"])
    >>> c[0]
    Comparison(roc_auc of new minus old: 0.312 [-0.395, 1.000] 95%, DeLong, t; p = 0.25 (Holm), DeLong's t)
    """
    known = {**Rows.__annotations__, **signature(compare).parameters, "missing": None, "unanswered": None}
    known |= {name: None for one in ways() for name in one.options}
    refuse_unknown("compare", given, known)
    check_rule(rule, margin)
    check_sides(alternative, method, rule, rope)
    rows: dict[str, Any] = {"y_true": y_true, "by": by, "pool": pool, "bands": bands}
    rows |= all_rows(y_true, given)
    missing, unanswered = rows.pop("missing", "refuse"), rows.pop("unanswered", "refuse")
    question = Question(
        measures, method, control, rope, rule, margin, alternative, adjustment, level, seed, missing, rows
    )
    for one in ways():
        if one.claims(models, question):
            return one.answer(models, question)
    for one in ways():
        refuse(question.options_of(one), one.lacking)
    refuse({"rope": rope}, "is for evaluations, and for results over data sets (dataset=): on one test set,")
    of_ways = {name for one in ways() for name in one.options}
    columns = {name: column for name, column in rows.items() if name not in of_ways}
    return _on_one_test_set(models, replace(question, rows=columns | {"unanswered": unanswered}))
