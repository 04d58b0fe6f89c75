"""cost_curves(): what decisions by the scores of several models cost, on the same cases."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from classay.answers import AnswerPolicy, Missing, Unanswered
from classay.assessment.assessing import of_predictions
from classay.columns.doubtful import repeats_said
from classay.columns.opened import RawColumn
from classay.columns.repeats import repeated_index
from classay.errors import InputError
from classay.inference.draws import seed_of
from classay.kinds import ScoreScale, checked
from classay.predictions import InputRows, Predictions, check
from classay.texts import as_sentence, hint
from classay.warned import gathered

if TYPE_CHECKING:
    from classay.decision.cost_curves import CostCurves
    from classay.decision.costs import Costs
    from classay.inference.estimate import Estimate


@checked
def cost_curves(
    models: Mapping[str, RawColumn],
    y_true: Any,
    *,
    positive: Hashable | None = None,
    cost: Costs | Mapping[str, float | str] | None = None,
    prevalence: float | None = None,
    weight: Any = None,
    frequency: Any = None,
    cluster: Any = None,
    amounts: Mapping[str, RawColumn] | None = None,
    missing: Missing = "refuse",
    unanswered: Unanswered = "refuse",
    score_scale: ScoreScale | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> CostCurves:
    """Compute cost curves of several models with the cost ranges where each is best.

    All models are scored on the same cases. Columns and options are those of `assess`.

    Parameters
    ----------
    models : mapping of str to scores
        Scores by the names of the models. Two models cannot share a name or use those of the trivial rules.
    y_true : array-like
        True labels of the cases.
    positive : label, optional
        The positive class. The default is 1 (or True, "1", 1.0). Name it for all other labels.
    cost : Costs or mapping, optional
        What errors cost. The curves mark its place on the axis. Costs of `amounts` weigh each case by the
        extra cost of an incorrect decision, so that rates are shares of the amount at stake.
    prevalence : float, optional
        Prevalence at which the `cost` is marked. The default is that of the cases.
    weight : array-like or str, optional
        Sampling weight of each row, or the name of its column. A row of weight 0 does not count, and its
        class stays a class.
    frequency : array-like or str, optional
        Number of identical rows that each row represents, or the name of its column.
    cluster : array-like or str, optional
        Cluster of each row, or the name of its column. Rows of one cluster depend on each other.
    amounts : mapping or sequence of str, optional
        What rows carry and errors may cost, such as `{"amount": column}`. With a frame also the names of
        its columns, `["amount"]` or `{"amount": "Amount (EUR)"}`. The tables keep their sums for
        `Costs(fn="amount")`.
    missing : {"refuse", "drop"}, default "refuse"
        What to do with rows without a true label. "drop" excludes and counts them.
    unanswered : {"refuse", "wrong", "drop"}, default "refuse"
        What to do with rows without a prediction: no score, no predicted label, or a predicted label that
        is not among the declared `labels`. "wrong" counts them as incorrect, "drop" excludes them and
        reports their number.
    score_scale : {"probability", "logit", "count"}, optional
        What the scores are. "logit" converts them to probabilities by the softmax of a row, or by 1 / (1 +
        e^-s) of one column or tag. "count" takes the share of each count in its row. "probability" refuses
        values outside [0, 1].
    level : float, default 0.95
        Confidence level of the intervals, between 0 and 1.
    seed : int, default 0
        Start of all random numbers. Equal seeds give equal results.

    Returns
    -------
    CostCurves
        Curves, their bands, and the ranges. `choices` are, at the costs, the threshold of each model and
        its expected cost per case on new cases.

    Raises
    ------
    InputError
        If only one class occurs.
        If an error costs less than a correct decision for some cases of a class.
        If `prevalence` is given without `cost`.
        If models share a name, or one is named like a trivial rule ("all or nothing").

    Notes
    -----
    The cost at each x is that of held-out cases. Thresholds are chosen on four fifths of the cases (or
    clusters) and judged on the last fifth. A difference of two models, or of a model and a trivial rule, is
    detected above the greatest difference that resampled cases show by chance. The limit is jointly valid
    for all pairs at all x (normal, at the chosen thresholds).

    Examples
    --------
    >>> import numpy as np

    Returns
    -------
    CostCurves
        Curves, their bands, and the ranges. `choices` are, at the costs, the threshold of each model and
        its expected cost per case on new cases.

    Raises
    ------
    InputError
        If only one class occurs.
        If an error costs less than a correct decision for some cases of a class.
        If `prevalence` is given without `cost`.
        If models share a name, or one is named like a trivial rule ("all or nothing").

    Notes
    -----
    The cost at each x is that of held-out cases. Thresholds are chosen on four fifths of the cases (or
    clusters) and judged on the last fifth. A difference of two models, or of a model and a trivial rule, is
    detected above the greatest difference that resampled cases show by chance. The limit is jointly valid
    for all pairs at all x (normal, at the chosen thresholds).

    Examples
    --------
    >>> y = np.arange(400) % 4 == 0
    >>> curves = cost_curves({"good": y + np.arange(400) % 7 / 4, "poor": np.arange(400) % 7 / 4}, y)
    >>> curves.best_at(0.5).best
    'good'
    """
    from classay.assessment.assessment_warnings import column_warnings
    from classay.assessment.perspectives import left_out_of
    from classay.decision.cost_curves import answered_by_all, curves_of, refuse_names
    from classay.decision.costs import Costs

    roles = {"weight": weight, "frequency": frequency, "cluster": cluster}
    policy = AnswerPolicy.of(missing, unanswered)
    refuse_names(models)
    if prevalence is not None and cost is None:
        raise InputError(
            f"A prevalence on cost curves needs costs. Add {hint('cost=', '--cost')}, or remove "
            f"{hint('prevalence=', '--prevalence')}."
        )
    if policy.unanswered == "wrong":
        raise InputError(
            "A decision needs a score for every case. Exclude missing scores with "
            + hint("unanswered='drop'.", "--unanswered drop.")
        )
    roles["amounts"] = amounts
    if policy.unanswered == "drop":
        models = answered_by_all(models)
    checked_models = {}
    for name, scores in models.items():
        try:
            checked_models[str(name)] = check(
                InputRows(y_true, scores, positive=positive, policy=policy, score_scale=score_scale, **roles)
            )
        except InputError as error:
            raise InputError(f"{name}: {error}") from error
    if not checked_models:
        raise InputError("No model was passed. Pass a mapping from model names to scores.")
    rows = next(iter(checked_models.values()))
    if not rows.is_binary or any(predictions.score is None for predictions in checked_models.values()):
        raise InputError("Cost curves need two classes and one score column for each model.")
    costs = None if cost is None else Costs.of(cost)
    curves = curves_of(checked_models, cost=costs, prevalence=prevalence, level=level, seed=seed)
    assessed = {name: of_predictions(predictions) for name, predictions in checked_models.items()}
    warned = {name: column_warnings(a) for name, a in assessed.items()}
    repeats = repeated_index(y_true) if cluster is None and frequency is None else None
    curves = replace(curves, warnings=(*gathered(warned), *repeats_said(repeats, rows.rows)))
    if left_out := left_out_of(next(iter(assessed.values()))):
        curves = replace(curves, notes=(*curves.notes, as_sentence(left_out)))
    if costs is None:
        return curves
    return replace(curves, choices=_at_costs(checked_models, costs, prevalence, level, seed_of(seed)))


def _at_costs(
    models: Mapping[str, Predictions], costs: Costs, prevalence: float | None, level: float, seed: int
) -> tuple[tuple[str, Estimate, Estimate], ...]:
    """Return the threshold of each model at the costs, and what it is expected to cost a case on new cases."""
    from classay.assessment.perspectives import threshold
    from classay.decision.rules import Rule

    at_costs = []
    for name, rows in models.items():
        cut = threshold(of_predictions(rows, level=level, seed=seed), Rule.of(costs), prevalence=prevalence)
        cost = cut.expected.cost or cut.cost
        if cost is not None:
            at_costs.append((name, cut.threshold, cost.per_case))
    return tuple(at_costs)
