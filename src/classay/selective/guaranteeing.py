"""`guarantee`: from rows, or from an assessment, to what a classifier may decide alone."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Final, Unpack

import numpy as np
from numpy.typing import NDArray

from classay.assessment.assessing import input_rows, refuse_of_tags
from classay.assessment.other_rows import refuse_other_rows, with_task
from classay.assessment.row_arguments import RowArguments
from classay.columns.coding import code_labels
from classay.columns.numbers import as_array, counted
from classay.errors import InputError
from classay.kinds import checked, refuse_unknown
from classay.measures import get
from classay.measures.registry import Measure
from classay.measures.selective import confidence_of, confidences
from classay.predictions import Predictions, check
from classay.selective.demand import Demand, of_risk
from classay.selective.guarantee import Guarantee, Of
from classay.selective.ranked import RankedCases
from classay.texts import hint, quote

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment
    from classay.inference.bootstrap.score_samples import ScoredCases

Array = NDArray[Any]
NO_EFFECT: Final = ("y_pred", "prediction", "amounts")
"""Columns of `assess` that no guarantee uses."""
DROP = hint("unanswered='drop'", "--unanswered drop")
NO_WEIGHTS = (
    "A guarantee is exact for equally weighted cases, but these have sampling weights. Use cases without "
    f"{hint('weight=', '--weight')}."
)
NO_FREQUENCY = (
    "A guarantee with clusters needs one row for each case, but rows have a frequency. "
    f"Remove {hint('frequency=', '--frequency')}."
)
NO_PROBABILITIES = (
    "A guarantee of all decisions needs probabilities, but these scores are none. "
    f"Set {hint('score_scale=', '--score-scale')}, or guarantee the precision."
)


@checked
def guarantee(
    y_true: Any,
    y_score: Any = None,
    guarantee: str = "error_rate <= 0.05",
    *,
    by: Any = None,
    each_class: bool = False,
    level: float = 0.95,
    **columns: Unpack[RowArguments],
) -> Guarantee:
    """Find the cases that a classifier may decide, with a guaranteed risk.

    Parameters
    ----------
    y_true : array-like, shape `(cases,)`, or frame
        True labels, or a dataframe with the columns of `truth` and `score`.
    y_score : array-like, shape `(cases,)` or `(cases, classes)`, optional
        Probabilities of the positive class, or of every class. A guarantee of precision takes any scores.
    guarantee : str, default "error_rate <= 0.05"
        Limit of the error rate, accuracy, precision or false discovery rate.
    by : array-like, shape `(cases,)`, optional
        Group of every case. Every group has its own threshold, and all guarantees hold together.
    each_class : bool, default False
        Whether every predicted class has its own threshold, all guaranteed together.
    level : float, default 0.95
        Probability that the guarantee holds.
    **columns
        The columns and labels of `assess`, such as `positive`, `labels`, `frequency` and `cluster`, without
        predicted labels and amounts.

    Returns
    -------
    Guarantee
        The threshold, the guaranteed coverage, and the risk there with its upper limit.

    Raises
    ------
    InputError
        If the guarantee is no limit of one of these measures.
        If the scores are no probabilities, or cases have sampling weights.
        If predicted labels or amounts are passed, which no guarantee uses.
        If `by` and `each_class` are combined, or precision is limited for each class.

    Notes
    -----
    The lowest of 20 ranks in geometric steps whose errors are few enough at one common level, exact over all ranks.
    The proof assumes that the risk does not fall with falling confidence. Scores of ten values or fewer, and clusters,
    have a fixed sequence instead.

    References
    ----------
    Angelopoulos et al. 2021, Learn then test, arXiv 2110.01052.

    Examples
    --------
    >>> import classay as ca
    >>> p = [k / 400 for k in range(400)]
    >>> y = [int(x > 0.5) ^ (0.4 < x < 0.6 and k % 3 == 0) for k, x in enumerate(p)]
    >>> g = ca.guarantee(y, p, "error_rate <= 0.05")
    >>> g.coverage, g.threshold, g.risk
    (0.8175, 0.5925, Estimate(0.006 [0.000, 0.024] 95%, Clopper-Pearson, upper limit))
    """
    demand = Demand.of(guarantee)
    others = dict.fromkeys(("guarantee", "by", "each_class", "level"))
    refuse_unknown("guarantee", columns, {**RowArguments.__annotations__, **others})
    if columns.get("task") is not None:
        y_true, y_score, columns = with_task(y_true, y_score, columns)
    refuse_of_tags(None, columns.pop("top", None))
    for name in NO_EFFECT:
        if columns.pop(name, None) is not None:  # type: ignore[misc]
            raise InputError(f"A guarantee decides by scores, so {name}= has no effect. Remove it.")
    refuse_other_rows("A guarantee needs", y_true, y_score, columns)
    rows = check(input_rows(y_true, y_score, **columns, by=by))
    return of_predictions(rows, demand, level, each_class=each_class)


def of_predictions(rows: Predictions, demand: Demand, level: float, *, each_class: bool = False) -> Guarantee:
    """Return the guarantee of checked rows, by their groups if they have any."""
    if each_class and rows.groups is not None:
        raise InputError(
            f"{hint('by=', '--by')} and {hint('each_class=True', '--each-class')} cannot be combined. Use one of them."
        )
    if each_class and demand.side == "positive":
        raise InputError(
            f"{hint('each_class=True', '--each-class')} needs error_rate or accuracy, because {demand.measure} "
            "applies to one predicted class. Remove it."
        )
    if rows.weight is not None:
        raise InputError(NO_WEIGHTS)
    if rows.cluster is not None and rows.frequency is not None:
        raise InputError(NO_FREQUENCY)
    confidence, wrong, called = _decisions(rows, demand)
    of: Of = "class" if each_class else "all" if rows.groups is None else "group"
    names: tuple[Hashable | None, ...] = (None,)
    codes = None
    if of == "class":
        names, codes = rows.labels, called
    elif rows.groups is not None:
        names, codes = rows.groups, rows.group
    ranked = tuple(
        _ranked(rows, confidence, wrong, None if codes is None else codes == code)
        for code in range(len(names))
    )
    positives = None
    if demand.side == "positive" and of == "all":
        is_positive = rows.truth == rows.labels.index(rows.positive)
        positives = int(is_positive.sum() if rows.frequency is None else rows.frequency[is_positive].sum())
    return Guarantee(
        demand, level, ranked, names, of, model=rows.model, positives=positives, repeats=rows.repeats
    )


def _decisions(rows: Predictions, demand: Demand) -> tuple[Array, Array, Array]:
    """Return the confidence of each row, whether its decision is wrong, and which it is."""
    _refuse_unanswered(0 if rows.no_answer is None else int(rows.no_answer.sum()))
    if rows.class_scores is not None:
        if demand.side == "positive":
            raise InputError(several_said(demand.measure, len(rows.labels)))
        if rows.raw_scores or rows.outside == "by more":
            raise InputError(NO_PROBABILITIES)
        called = rows.class_scores.argmax(1)
        confidence = np.take_along_axis(rows.class_scores, called[:, None], 1)[:, 0]
        return confidence, called != rows.truth, called
    score = rows.score
    assert score is not None  # without predicted labels, rows have scores
    at = rows.labels.index(rows.positive)
    if demand.side == "positive":
        return score, rows.truth != at, np.full(score.size, at)
    if not (score.min() >= 0 and score.max() <= 1):
        raise InputError(NO_PROBABILITIES)
    is_called = score >= 0.5
    called = np.where(is_called, at, 1 - at)
    return _confidence(score), called != rows.truth, called


def _refuse_unanswered(number: int) -> None:
    if number:
        has, them = ("has", "it") if number == 1 else ("have", "them")
        raise InputError(
            f"{counted(number)} {has} no score. A guarantee needs a score for every case. Use {DROP} to "
            f"exclude {them}."
        )


def _confidence(score: Array) -> Array:
    """Return how confident each probability is, equal where it is in decimals."""
    rising, place = np.unique(score, return_inverse=True)
    return np.asarray(confidence_of(rising[::-1]), np.float64)[rising.size - 1 - place]


def _ranked(rows: Predictions, confidence: Array, wrong: Array, chosen: Array | None) -> RankedCases:
    """Rank all rows, or those of a class or group."""
    columns = (confidence, wrong, rows.cluster, rows.frequency)
    if chosen is not None:
        columns = tuple(None if column is None else column[chosen] for column in columns)  # type: ignore[assignment]
    return RankedCases.of_rows(*columns)


def of_assessment(a: Assessment, guarantee: str, maximize: Any = None) -> Guarantee:
    """Return the guarantee of the cases of an assessment. Raises InputError as `guarantee` does."""
    demand = Demand.of(guarantee)
    refuse_to_maximize(maximize, demand)
    return ranked_of(a, demand)


def refuse_to_maximize(maximize: str | Measure | None, demand: Demand) -> None:
    """Refuse what the lowest threshold that is guaranteed does not maximize. Raises InputError."""
    if maximize is None or maximize == "coverage":
        return
    if demand.side == "all" or get(maximize).name != "recall":
        best = "coverage" if demand.side == "all" else "recall"
        name = maximize if isinstance(maximize, str) else maximize.name
        raise InputError(
            f"A guarantee maximizes {best}, not {quote(name)}. Remove {hint('maximize=', '--maximize')}."
        )


def ranked_of(a: Assessment, demand: Demand) -> Guarantee:
    """Return the guarantee of an assessment at its level."""
    _refuse_unanswered(0 if a.no_answer is None else a.unanswered)
    is_positive, positives = demand.side == "positive", None
    if a.is_binary:
        cases = a.scored_cases
        positives = int(cases.table.n_positive) if is_positive else None
    elif is_positive:
        raise InputError(several_said(demand.measure, len(a.labels)))
    else:
        cases = a.top_label_calibration.cases
    if a.kind_of_weight == "sampling":
        raise InputError(NO_WEIGHTS)
    ranked = ranked_of_cases(cases, of_top=not a.is_binary, of_positives=is_positive)
    repeats = a.repeats if a.clusters is None else None
    return Guarantee(
        demand, a.level, (ranked,), seed=a.seed, model=a.model, positives=positives, repeats=repeats
    )


def ranked_of_cases(cases: ScoredCases, *, of_top: bool, of_positives: bool) -> RankedCases:
    """Rank scored cases, by the score of what is called, or by the confidence max(p, 1 - p)."""
    table, rows, by_score = cases.table, cases.rows, of_top or of_positives
    if table.is_weighted:
        raise InputError(NO_WEIGHTS)
    if not by_score and not table.are_probabilities:
        raise InputError(NO_PROBABILITIES)
    if rows is not None and rows.cluster is not None:
        if rows.weight is not None:
            raise InputError(NO_FREQUENCY)
        if by_score:
            return RankedCases.of_rows(rows.score, ~rows.positive, rows.cluster)
        return RankedCases.of_rows(
            _confidence(rows.score), (rows.score >= 0.5) != rows.positive, rows.cluster
        )
    if by_score:
        confidence, number, errors = table.scores, table.positives + table.negatives, table.negatives
    else:
        confidence, number, errors, _ = confidences(table)
    number, errors = (np.rint(np.asarray(column)).astype(np.int64) for column in (number, errors))
    return RankedCases(np.asarray(confidence, np.float64), number, errors, int(number.sum()))


def several_said(measure: str, classes: int) -> str:
    """Return why a risk of positive predictions has no meaning for several classes."""
    return f"{measure} needs one positive class, but there are {classes} classes. Guarantee the error_rate."


@checked
def guarantee_losses(
    losses: Any,
    confidence: Any,
    risk: float,
    *,
    cluster: Any = None,
    largest: int | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Guarantee:
    """Find the cases that a system may decide at a guaranteed mean loss.

    Parameters
    ----------
    losses : array-like, shape `(cases,)`
        Loss of every case, from 0 to 1, such as one minus a grade.
    confidence : array-like, shape `(cases,)`
        Confidence of the system in every case. Any scale.
    risk : float
        Greatest mean loss of the decided cases.
    cluster : array-like, shape `(cases,)`, optional
        Cluster of every case, such as a patient. Bets are made on the sum of its losses.
    largest : int, optional
        Greatest number of cases that any cluster can have, also one that is not in the sample. Needed with `cluster`.
        Set it before you see the data: the largest cluster of a sample may be far smaller.
    level : float, default 0.95
        Probability that the guarantee holds.
    seed : int, default 0
        Seed of the random order of bets. Set it in advance: a borderline guarantee depends on it.

    Returns
    -------
    Guarantee
        The threshold, the guaranteed coverage, and the risk there with its upper limit.

    Raises
    ------
    InputError
        If a loss is missing or not between 0 and 1.
        If `largest` is missing with `cluster`, or a cluster is larger.
        If the columns differ in length, or `risk` is not between 0 and 1.

    Notes
    -----
    Bets against the mean loss at 12 ranks in geometric steps. A rank that passes leaves its level to the next.
    In clusters, each bet is on the sum of a cluster's losses, divided by `largest`. The guarantee then holds for any
    dependence within independent clusters, if none can be larger. Losses may also be errors, 0 or 1. Then
    `guarantee(…, cluster=…)` is approximate, and decides more often if clusters are few.

    References
    ----------
    Waudby-Smith & Ramdas 2024, Journal of the Royal Statistical Society Series B 86:1.

    Examples
    --------
    >>> import classay as ca
    >>> g = ca.guarantee_losses([0.0, 0.1, 0.0, 0.2] * 100, [1 - k / 400 for k in range(400)], 0.15)
    >>> g.coverage, g.promises[0].rule
    (1.0, 'betting, level passed on')
    """
    of_risk(risk)
    loss, sure = (
        as_array(column, name).astype(np.float64)
        for column, name in ((losses, "losses"), (confidence, "confidence"))
    )
    if not loss.size:
        raise InputError(
            "A guarantee needs cases, but there are none. Pass a loss and a confidence for every case."
        )
    if loss.shape != sure.shape or loss.ndim != 1:
        raise InputError(
            f"losses have shape {loss.shape} and confidence {sure.shape}. Pass two columns of one length."
        )
    if not np.isfinite(sure).all():
        raise InputError("confidence has missing or infinite values. Pass a finite number for every case.")
    clusters = None
    if cluster is not None:
        coded = code_labels(cluster, "cluster")
        if coded.codes.shape != loss.shape:
            raise InputError(
                f"losses have shape {loss.shape} and cluster {coded.codes.shape}. Pass columns of one length."
            )
        if coded.missing:
            raise InputError(
                f"cluster has missing values in {counted(coded.missing)}. Every case needs a cluster."
            )
        clusters = coded.codes
    check_largest(clusters, largest)
    outside = ~((loss >= 0) & (loss <= 1))
    if outside.any():
        raise InputError(
            f"losses are missing or not between 0 and 1 in {counted(int(outside.sum()))}, such as "
            f"{loss[outside][0]:g}. Divide losses by their greatest value."
        )
    demand = Demand(f"mean loss <= {risk:g}", "mean loss", of_risk(risk), "all")
    return Guarantee(demand, level, (RankedCases.of_losses(sure, loss, clusters, largest or 0),), seed=seed)


def check_largest(clusters: Array | None, largest: int | None) -> None:
    """Refuse clusters without their greatest possible size, or larger ones. Raises InputError."""
    if clusters is None:
        if largest is not None:
            raise InputError("largest= is the greatest size of clusters, but there are none. Pass cluster=.")
        return
    most = int(np.bincount(clusters).max())
    if largest is None:
        raise InputError(
            "A guarantee of losses in clusters needs largest=, the greatest number of cases that any cluster can have. "
            f"The largest one in this sample has {counted(most, 'case')}, but another sample may have larger ones. "
            "Pass a size that is known beforehand."
        )
    if most > largest:
        raise InputError(
            f"A cluster has {counted(most, 'case')}, but largest is {largest:,}. Pass the greatest number that any "
            "cluster can have."
        )
