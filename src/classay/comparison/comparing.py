"""The doors of comparison: compare(), which knows whether cases, folds or data sets are random, and one for each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import signature
from typing import Any, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike

from classay.answers import Missing, Policy, Unanswered
from classay.assessment.assessing import refuse_many_groups, refuse_measured_groups
from classay.assessment.assessment import Assessment
from classay.assessment.bands import Bands, in_bands, refuse_bands_alone
from classay.assessment.segments import LOOK
from classay.comparison import fold_tests  # noqa: F401 - they register their tests
from classay.comparison.by_group import GroupComparisons
from classay.comparison.cases.compare_assessments import (
    compare_assessments,
    compare_groups,
    compare_segments,
    measures_by_group,
    pooled_groups,
)
from classay.comparison.cases.compare_panel import (
    ComparedMeasures,
    Models,
    compare_panel,
    with_omissions,
)
from classay.comparison.cases.model_columns import Rows, are_assessments, groups_of, panel_from
from classay.comparison.cases.tag_panel import are_of_tags, tag_panel_from, with_task_of_models
from classay.comparison.compare_datasets import compare_datasets
from classay.comparison.comparison import Alternative, Comparison, adjusted, pairs
from classay.comparison.comparisons import Comparisons, by_rule, check_sides, in_direction, level_of_both
from classay.comparison.fold_tests import (
    FoldDifferences,
    FoldQuestion,
    by_hand,
    corrected_t,
    equivalence,
    fold_differences,
    non_inferiority,
)
from classay.comparison.gate_rules import Rule, cases_needed, check_rule, interval_level
from classay.comparison.named_tests import FOLDS, chosen, named
from classay.decision.costs import Costs
from classay.errors import InputError
from classay.inference.draws import seed_of
from classay.inference.estimate import direction
from classay.inference.requirements import range_of, refuse_whole_range
from classay.kinds import checked, is_mapping, refuse_unknown
from classay.measures import Measure


class Learners(ABC):
    """Learners that were fitted and tested on the same folds; `Evaluation` is one."""

    level: float

    @abstractmethod
    def compare(self, measures: Sequence[str | Measure] | None = None, **how: Any) -> Comparisons:
        """Compare every pair, or all with a control, over the folds they share."""

    @staticmethod
    @abstractmethod
    def joined(evaluations: Mapping[str, Any]) -> Learners:
        """Several of the same cases and folds as one. Raises InputError where they are not."""


def learners_of(given: Any) -> Learners | None:
    """The learners of an evaluation, or of a dict of them; None for anything else."""
    if isinstance(given, Learners):
        return given
    if isinstance(given, Mapping) and given and all(isinstance(each, Learners) for each in given.values()):
        first: Learners = next(iter(given.values()))
        return first.joined(given)
    return None


def compare_folds(
    folds: FoldDifferences,
    values: tuple[float, float],
    method: str,
    asked: FoldQuestion,
) -> Comparison:
    """Compare two learners over folds by a registered test; `values` are their own.

    With a `rule`, by the corrected resampled t and its interval.
    """
    level = asked.at
    refuse_reach(asked, [folds.measure], values)
    if asked.rule is not None:
        found = _by_rule(folds, asked.rule, asked.margin, level)
    else:
        found = named(FOLDS, method)(folds, rope=asked.rope, level=level, seed=asked.seed)
    needed = _needed(folds, level) if method == "corrected-t" and asked.rule is None else None
    return found.changed(values=values, needed=needed)


def refuse_reach(asked: FoldQuestion, measures: Sequence[str], values: Sequence[float] = ()) -> None:
    """Refuse a margin or a rope that no difference of one of the measures exceeds. Raises InputError."""
    for measure in measures:
        refuse_whole_range("margin", asked.margin, measure, *range_of(measure, values))
        refuse_whole_range("rope", asked.rope, measure, *range_of(measure, values))


def with_steps(
    found: Comparison,
    first: ArrayLike,
    second: ArrayLike,
    test_over_train: float,
    level: float,
    hidden: float = 0.0,
) -> Comparison:
    """The comparison with the steps of the paired t of the values of folds; without them under a rule, or with odds."""
    if found.rule is not None or found.odds is not None or "5×2" in found.method:
        return found
    return found.changed(by_hand=by_hand(first, second, test_over_train, level, hidden))


def _by_rule(folds: FoldDifferences, rule: Rule, margin: float | None, level: float) -> Comparison:
    if rule == "non-inferior" and margin is not None:
        return non_inferiority(folds, margin, level=level)
    if rule == "equivalent" and margin is not None:
        return equivalence(folds, margin, level=level)
    found = corrected_t(folds, level=interval_level(rule, level))
    return by_rule(found.changed(better=direction(folds.measure) or 1), rule, margin)


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
    """Compare learners over the same folds; what is random is the training set.

    `learners` are an `Evaluation`, a dict of evaluations of the same cases and folds, or a dict of plain fold scores
    by the learners' names, `(folds,)` or `(repeats, folds)` each, such as `cross_val_score` gives. Fold scores need
    `test_over_train`, the ratio of test to training cases of a fold, 1 / (K - 1) for K folds, and `measures` names
    the one measure that they are. `method` is "corrected-t" (the default), "nadeau-bengio-t", "5x2cv-f", "5x2cv-t",
    "sign-flip", "paired-t" and "wilcoxon" (naive), or, with a `rope`, "bayesian" and "corani-benavoli"; the other
    options are those of `compare`. An evaluation of several data sets is compared over data sets.

    Raises InputError for folds that do not match, unknown options, or options that do not go together.

    >>> bayes, tree = [0.82, 0.79, 0.85, 0.80, 0.81], [0.80, 0.78, 0.81, 0.80, 0.79]
    >>> compare_learners({"bayes": bayes, "tree": tree}, ["accuracy"], test_over_train=1 / 4)[0]
    Comparison(accuracy of bayes less tree: 0.018 [-0.010, 0.046] 95 %, corrected resampled t; p = 0.14 (Holm), ...)
    """
    check_rule(rule, margin)
    check_sides(alternative, method, rule, rope)
    found = learners_of(learners)
    how: dict[str, Any] = {"method": method, "control": control, "rope": rope, "rule": rule, "margin": margin}
    how |= {"adjustment": adjustment, "seed": seed_of(seed)}
    if found is None:
        asked = 0.95 if level is None else level
        both = level_of_both(alternative, asked)
        made = _of_scores(learners, measures, test_over_train, FoldQuestion(level=both, **how))
        return in_direction(made, alternative, adjustment, asked)
    if test_over_train is not None:
        raise InputError(
            "test_over_train= is of plain fold scores, and an evaluation knows its folds: leave it out."
        )
    asked = found.level if level is None else level
    made = found.compare(measures, level=level_of_both(alternative, asked), **how)
    return in_direction(made, alternative, adjustment, asked)


def _of_scores(
    scores: Any,
    measures: Sequence[str | Measure] | None,
    test_over_train: float | None,
    asked: FoldQuestion,
) -> Comparisons:
    """Fold scores by the learners' names."""
    if not is_mapping(scores) or len(scores) < 2:
        raise InputError(
            "there are no two learners: pass an evaluation, or a dict of the fold scores of two or more by their names."
        )
    if test_over_train is None:
        raise InputError(
            "fold scores need test_over_train=, the test cases of a fold over its training cases: 1 / (K - 1) for K "
            "folds."
        )
    named = ["value"] if measures is None else [getattr(each, "name", str(each)) for each in measures]
    if len(named) != 1:
        raise InputError(f"fold scores are of one measure, and {len(named)} are named: pass one of them.")
    rule, level = asked.rule, asked.at
    test = chosen(FOLDS, asked.method, asked.rope, "corrected-t")
    if rule is not None and test.name != "corrected-t":
        raise InputError(
            f"rules are held against the corrected resampled t, and {test.name!r} was asked for: leave one out."
        )
    values = {str(name): _numbers(name, each) for name, each in scores.items()}
    found = []
    for a, b in pairs([*values], asked.control):
        apart = fold_differences(
            values[a], values[b], test_over_train=test_over_train, models=(a, b), measure=named[0]
        )
        means = float(values[a].mean()), float(values[b].mean())
        one = compare_folds(apart, means, test.name, asked)
        found.append(with_steps(one, values[a], values[b], test_over_train, level))
    made = found if rule is not None else adjusted(found, asked.adjustment)
    facts = [("models", ", ".join(values)), ("folds", f"{next(iter(values.values())).size:,}")]
    facts.append(("test cases over training cases", f"{test_over_train:.4g}"))
    if asked.control is not None:
        facts.append(("control", f"{asked.control}, named beforehand"))
    return Comparisons(tuple(made), tuple(values), tuple(facts), interval_level(rule, level), asked.seed)


def _numbers(name: Any, values: ArrayLike) -> np.ndarray[Any, np.dtype[np.float64]]:
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"the fold scores of {name} are no numbers: pass one value a fold, as cross_val_score gives."
        ) from error


@checked
def compare_predictions(
    models: Mapping[str, Any] | Mapping[str, Assessment] | Any = None,
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
    >>> found = compare_predictions({"a": a, "b": b, "c": c}, y, measures=["roc_auc"], control="c")
    >>> [one.models for one in found]
    [('a', 'c'), ('b', 'c')]
    """
    own = signature(compare_predictions).parameters
    refuse_unknown("compare_predictions", rows, {**Rows.__annotations__, **own})
    check_rule(rule, margin)
    check_sides(alternative, method, rule, None)
    asked = 0.95 if level is None else level
    of_intervals = interval_level(rule, level_of_both(alternative, asked))
    if are_assessments(models):
        given: dict[str, Any] = {
            "y_true": y_true,
            "by": by,
            "pool": pool,
            "bands": bands,
            "method": method,
            "control": control,
            **rows,
        }
        refuse(given, "is not for assessments, which know their rows, labels and thresholds:")
        found = compare_assessments(models, of_tables(measures), adjustment=adjustment, level=of_intervals)
    else:
        columns = dict.fromkeys(Rows.__annotations__) | {"y_true": y_true, **rows}
        if isinstance(by, str) and by == LOOK:
            others = {"method": method, "control": control, "rule": rule, "pool": pool, "bands": bands}
            refuse(others, "has no meaning beside by='*', which tests all segments:")
            policy = Policy.of(missing, unanswered)
            segments = compare_segments(models, columns, policy, measures, asked)
            return cast(Comparisons, segments)  # the one answer that is none
        policy = Policy.of(missing, unanswered)
        groups = groups_of(models, columns["truth"], by, may_be_many=pool is not None or bands is not None)
        if groups is None:
            refuse({"pool": pool}, "joins small groups of by=, which is not given:")
            refuse_bands_alone(bands, by)
        panel: Models
        columns = with_task_of_models(models, columns)
        if are_of_tags(models, columns):
            panel = tag_panel_from(models, columns, policy, groups)
        else:
            panel = panel_from(models, columns, policy, groups)
        if groups is not None and bands is not None:
            panel = in_bands(panel, groups.name, bands)
        elif groups is not None and panel.group is not None:
            refuse_measured_groups(panel.group, panel.groups, groups.name)
        panel, pooled = (panel, None) if pool is None else pooled_groups(panel, pool)
        if groups is not None:
            refuse_many_groups(len(panel.groups), len(groups), groups.name)
        how: dict[str, Any] = {"method": method, "control": control, "adjustment": adjustment}
        how |= {"level": of_intervals, "seed": seed_of(seed)}
        if groups is not None:
            measures = measures or measures_by_group(panel)
        found = compare_panel(panel, measures, **how)
        found = with_omissions(found, panel, measures, **how)
        found = in_direction(found, alternative, adjustment, asked)
        if groups is not None:
            wanted = ComparedMeasures.of(
                panel, measures, method, control, of_intervals, how["seed"], len(panel.groups)
            )
            sides: dict[str, Any] = {"alternative": alternative, "adjustment": adjustment, "level": asked}
            in_groups = compare_groups(found, panel, wanted, groups.name, **sides)
            return judged(replace(in_groups, pooled=pooled, gaps=groups.gaps), rule, margin)
        return judged(found, rule, margin)
    return judged(in_direction(found, alternative, adjustment, asked), rule, margin)


def of_tables(measures: Any) -> Any:
    """The measures of saved assessments, which have none of the costs of single cases."""
    if measures is not None and any(isinstance(each, Costs) for each in measures):
        raise InputError("costs are compared case by case: pass the rows, not assessments of them.")
    return measures


def refuse(given: Mapping[str, Any], why: str) -> None:
    """Refuse options that have no meaning here."""
    named = next((name for name, each in given.items() if each is not None), None)
    if named is not None:
        raise InputError(f"{named}= {why} leave it out.")


def judged(found: Comparisons, rule: Rule | None, margin: float | None) -> Comparisons:
    """Comparisons of one test set read by a rule, if there is one; the intervals decide, each by itself."""
    if rule is None:
        return found
    facts = (
        *found.facts,
        ("rule", rule if margin is None else f"{rule}, margin {margin:g} given beforehand"),
    )
    read = replace(found, each=tuple(by_rule(one, rule, margin) for one in found), facts=facts, overall=())
    if isinstance(read, GroupComparisons):
        read = replace(
            read, groups={label: judged(each, rule, margin) for label, each in read.groups.items()}
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


RESULTS = ("dataset", "model", "value", "run", "better")


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
    of a pair less the second, asked beforehand: tests and intervals are one-sided then. `adjustment` is that of the
    p-values over models and measures, Holm's by default: name the `measures` that count beforehand, and few. `level` is
    0.95, or that of the evaluation; `seed` starts everything random.

    Raises InputError for rows, folds or data sets that do not match, measures that the models cannot have, or options
    that are unknown or do not go together.

    >>> y = [1, 1, 0, 1, 0, 0, 1, 0]
    >>> found = compare({"new": [9, 8, 7, 6, 4, 3, 2, 1], "old": [9, 3, 7, 4, 8, 6, 2, 1]}, y, measures=["roc_auc"])
    >>> found[0]
    Comparison(roc_auc of new less old: 0.312 [-0.395, 1.000] 95 %, DeLong, t; p = 0.25 (Holm), DeLong's t)
    """
    refuse_unknown("compare", given, {**ComparedRows.__annotations__, **signature(compare).parameters})
    check_rule(rule, margin)
    check_sides(alternative, method, rule, rope)
    how: dict[str, Any] = {"method": method, "control": control, "alternative": alternative}
    how |= {"adjustment": adjustment, "seed": seed}
    judging: dict[str, Any] = {"rule": rule, "margin": margin}
    rows: dict[str, Any] = {"y_true": y_true, "by": by, "pool": pool, "bands": bands, **given}
    missing, unanswered = rows.pop("missing", "refuse"), rows.pop("unanswered", "refuse")
    results = {name: rows.pop(name, None) for name in RESULTS}
    of_scores = rows.pop("test_over_train", None)
    learners = learners_of(models)
    if learners is not None or of_scores is not None:
        refuse(_in_order(rows) | results, "is not for an evaluation, which knows its cases and folds:")
        asked = models if learners is None else learners
        ratio = {"test_over_train": of_scores, "rope": rope, "level": level}
        return compare_learners(asked, of_tables(measures), **ratio, **judging, **how)
    if results["dataset"] is not None:
        also = "" if rule is None else " (for equality in practice over data sets, pass rope=)"
        why = f"is of one test set, and dataset= says that these are results over data sets{also}:"
        refuse(_in_order(rows) | {"measures": measures, "rule": rule}, why)
        how |= {"missing": missing}
        return compare_datasets(models, **results, rope=rope, level=0.95 if level is None else level, **how)
    refuse(results, "is for results over data sets: name their column of data sets too, dataset=, or")
    refuse({"rope": rope}, "is for evaluations, and for results over data sets (dataset=): on one test set,")
    rows.pop("y_true")
    return compare_predictions(
        models,
        y_true,
        by=rows.pop("by"),
        pool=rows.pop("pool"),
        bands=rows.pop("bands"),
        measures=measures,
        level=level,
        missing=missing,
        unanswered=unanswered,
        **judging,
        **how,
        **rows,
    )


def _in_order(rows: Mapping[str, Any]) -> dict[str, Any]:
    """What was said of rows, in the order in which it is explained."""
    return {
        name: rows.get(name)
        for name in dict.fromkeys(["y_true", "by", "pool", "bands", *Rows.__annotations__, *rows])
    }
