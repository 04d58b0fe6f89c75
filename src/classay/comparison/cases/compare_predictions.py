"""compare_predictions(): models on one test set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import signature
from typing import Any, Unpack

import numpy as np

from classay.answers import Missing, Policy, Unanswered
from classay.assessment.assessment import Assessment
from classay.comparison.cases.by_blocks import compare_assessments
from classay.comparison.cases.compare_panel import compare_panel, with_omissions
from classay.comparison.cases.panel.reading import Rows, are_assessments, panel_from
from classay.comparison.comparison import Alternative
from classay.comparison.comparisons import Comparisons
from classay.comparison.gate import by_rule
from classay.comparison.one_sided import check_sides, in_direction, level_of_both
from classay.comparison.rules import Rule, check_rule, interval_level
from classay.decision.costs import Costs
from classay.errors import InputError
from classay.inference.draws import seed_of
from classay.kinds import checked, refuse_unknown
from classay.measures import Measure


@checked
def compare_predictions(
    models: Mapping[str, Any] | Mapping[str, Assessment] | Any = None,
    y_true: Any = None,
    *,
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
    among the declared `labels`) are refused; `unanswered="wrong"` counts them as wrong for this model, and "drop"
    leaves them out for all, with cases that not every frame has, and tests whether that favours one model.
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
        given: dict[str, Any] = {"y_true": y_true, "method": method, "control": control, **rows}
        refuse(given, "is not for assessments, which know their rows, labels and thresholds:")
        found = compare_assessments(models, of_tables(measures), adjustment=adjustment, level=of_intervals)
    else:
        panel = panel_from(
            models,
            dict.fromkeys(Rows.__annotations__) | {"y_true": y_true, **rows},
            Policy.of(missing, unanswered),
        )
        how: dict[str, Any] = {"method": method, "control": control, "adjustment": adjustment}
        found = compare_panel(panel, measures, **how, level=of_intervals, seed=seed_of(seed))
        found = with_omissions(found, panel, measures, **how, level=of_intervals, seed=seed_of(seed))
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
    return replace(found, each=tuple(by_rule(one, rule, margin) for one in found), facts=facts, overall=())
