"""compare(): the one verb, which knows by the kind of what is given whether cases, folds or data sets are random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any, Unpack

import numpy as np

from classay.answers import Missing, Unanswered
from classay.comparison.cases.compare_predictions import compare_predictions, of_tables, refuse
from classay.comparison.cases.panel.reading import Rows
from classay.comparison.comparison import Alternative
from classay.comparison.comparisons import Comparisons
from classay.comparison.datasets.compare_datasets import compare_datasets
from classay.comparison.folds.compare_learners import compare_learners
from classay.comparison.folds.learners import learners_of
from classay.comparison.one_sided import check_sides
from classay.comparison.rules import Rule, check_rule
from classay.decision.costs import Costs
from classay.kinds import checked, refuse_unknown
from classay.measures import Measure


class Given(Rows, total=False):
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
    **given: Unpack[Given],
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
    refuse_unknown("compare", given, {**Given.__annotations__, **signature(compare).parameters})
    check_rule(rule, margin)
    check_sides(alternative, method, rule, rope)
    how: dict[str, Any] = {"method": method, "control": control, "alternative": alternative}
    how |= {"adjustment": adjustment, "seed": seed}
    judging: dict[str, Any] = {"rule": rule, "margin": margin}
    rows: dict[str, Any] = {"y_true": y_true, **given}
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
    refuse(results, "is of results over data sets: name their column of data sets too, dataset=, or")
    refuse({"rope": rope}, "is for evaluations, and for results over data sets (dataset=): on one test set,")
    rows.pop("y_true")
    return compare_predictions(
        models,
        y_true,
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
    return {name: rows.get(name) for name in dict.fromkeys(["y_true", *Rows.__annotations__, *rows])}
