"""The best of several models on one test set, and how much of its lead is luck."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from inspect import signature
from math import isfinite
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from classay.answers import AnswerPolicy, Missing, Unanswered
from classay.comparison.cases.compare_panel import about_panel, board_in
from classay.comparison.cases.joint_values import joint_means
from classay.comparison.cases.model_columns import Rows, all_rows, panel_from
from classay.comparison.cases.panel import DECLARE
from classay.comparison.leaderboard import Leaderboard, leaderboard_of
from classay.errors import InputError
from classay.inference.draws import seed_of
from classay.inference.estimate import Estimate, direction, title
from classay.inference.phrasing import short_title, value_text, value_with_interval
from classay.kinds import checked, refuse_unknown
from classay.measures import Measure, get
from classay.shown import Reportable
from classay.texts import some
from classay.warned import Warned

MEASURE_OF_BEST = "accuracy"


def expected_best(models: int, proportion: float, cases: int) -> float:
    """Compute the expected best observed proportion of equal, independent models.

    The winner of a leaderboard shows it although no model is better than another.

    Parameters
    ----------
    models : int
        Number of models.
    proportion : float
        Proportion that every model has, between 0 and 1.
    cases : int
        Number of cases.

    Returns
    -------
    float
        The expected maximum.

    Notes
    -----
    Σ_k (1 - F(k)^m) / n with F binomial.

    Examples
    --------
    >>> round(expected_best(50, 0.8, 500), 6)
    0.839324
    """
    from scipy.special import bdtr

    if models < 1 or cases < 1 or not 0 <= proportion <= 1:
        raise InputError(
            f"models and cases must be at least 1 and proportion between 0 and 1, but are {models}, {cases} and "
            f"{proportion}."
        )
    below = bdtr(np.arange(cases), cases, proportion)
    return float((1 - below**models).sum() / cases)


@dataclass(frozen=True)
class BestModel(Reportable):
    """The best of several models by their mean values on the same cases, or by a measure that is such a mean.

    `observed` is its mean with the interval of a single model: too high, because the model was chosen on
    these cases. `corrected` is what to expect of it on fresh cases, with an interval that holds for any choice among
    the models. `shrinkage` is what the choice took: how much better observed is than corrected. `facts` say what was
    compared, and `warnings` are codes and texts, as of comparisons. `equals` are the other models with the same
    observed value.
    """

    model: str
    models: int
    cases: int
    observed: Estimate
    corrected: Estimate
    measure: str = "value"
    facts: tuple[tuple[str, str], ...] = ()
    seed: int = 0
    level: float = 0.95
    warnings: tuple[Warned, ...] = ()
    equals: tuple[str, ...] = ()

    @property
    def shrinkage(self) -> float:
        """How much better the observed value is than the corrected one."""
        return (direction(self.measure) or 1) * (self.observed.value - self.corrected.value)

    @property
    def sentence(self) -> str:
        """What the best model shows, and what to expect of it, in plain words."""
        measure, verb = short_title(self.measure), "have" if self.equals else "has"
        observed = value_text(self.observed.value, self.measure, self.cases)
        return (
            f"{some([self.model, *self.equals], 4)} {verb} the best observed {measure} of {self.models:,} models, "
            f"{observed}. After correction for selecting the best, the expected {measure} of {self.model} on new cases "
            f"is {value_with_interval(self.corrected, self.measure, self.cases)}."
        )


@checked
def best_of_values(values: Mapping[str, ArrayLike], *, level: float = 0.95, seed: int = 0) -> BestModel:
    """Select the best model by the mean of its values, corrected for selection.

    `best_of` takes predictions, and explains the correction.

    Parameters
    ----------
    values : mapping of str to array-like
        One array `(cases,)` for each model, on the same cases, higher values better: correct or not, or
        negative losses.
    level : float, default 0.95
        Confidence level of the intervals, between 0 and 1.
    seed : int, default 0
        Start of all random numbers. Equal seeds give equal results.

    Returns
    -------
    BestModel
        The model with its observed and corrected value. Ties go to the first model.

    Notes
    -----
    The interval of each mean is Student's, and Wilson's for zeros and ones.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> best = best_of_values({f"m{i}": rng.random(300) < 0.8 for i in range(20)})
    >>> print(f"{best.observed.value:.3f} {best.corrected.value:.3f}")
    0.867 0.840
    """
    joint, estimate_of = joint_means(values)
    return _of_board(leaderboard_of(joint, estimate_of, level=level, seed=seed), seed)


@checked
def best_of(
    models: Any = None,
    y_true: Any = None,
    measure: str | Measure | None = None,
    *,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    missing: Missing = "refuse",
    unanswered: Unanswered = "refuse",
    **rows: Unpack[Rows],
) -> BestModel:
    """Select the best model on one test set, corrected for selection bias.

    Parameters
    ----------
    models : mapping or frame, optional
        The models, as in `compare_predictions`.
    y_true : array-like, optional
        True labels of the cases.
    measure : str or Measure, optional
        The measure to select by, one in which models have a leaderboard (see `Comparisons.leaderboard`).
        The default is accuracy, which the report names.
    level : float, default 0.95
        Confidence level of the intervals, between 0 and 1.
    seed : int or numpy.random.Generator, default 0
        Start of all random numbers. Equal seeds give equal results.
    missing : {"refuse", "drop"}, default "refuse"
        What to do with rows without a true label. "drop" excludes and counts them.
    unanswered : {"refuse", "wrong", "drop"}, default "refuse"
        What to do with rows without a prediction: no score, no predicted label, or a predicted label that
        is not among the declared `labels`. "wrong" counts them as incorrect, "drop" excludes them and
        reports their number.
    **rows
        Columns and their reading, as in `compare_predictions`.

    Returns
    -------
    BestModel
        The leader of the leaderboard with its observed and corrected value.

    Raises
    ------
    InputError
        If the measure has no joint spread over the models.
        If the models lack what it needs.

    Notes
    -----
    The observed interval is that of the model in `assess`. The corrected value is that of the model that is
    chosen in resamples from the joint distribution of all values, on the cases outside the resample. The
    worse end of its interval uses the quantile of the greatest deviation of all models, so that it holds
    for any chosen model. The other end needs no correction, because an extreme is adjusted on one side
    only.

    References
    ----------
    Tsamardinos, Greasidou & Borboudakis 2018, Machine Learning 107:1895.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 300)
    >>> labels = {f"m{i}": np.where(rng.random(300) < 0.8, y, 1 - y) for i in range(20)}
    >>> best = best_of(y_true=y, y_pred=labels)
    >>> print(f"{best.observed.value:.3f} {best.corrected.value:.3f}")
    0.847 0.809
    """
    refuse_unknown("best_of", rows, {**Rows.__annotations__, **signature(best_of).parameters})
    known = get(MEASURE_OF_BEST if measure is None else measure)
    policy = AnswerPolicy.of(missing, unanswered)
    panel = panel_from(models, all_rows(y_true, rows), policy)
    start = seed_of(seed)
    board = board_in(panel, known, level, start)
    without = [f"{name} has no value ({why})" for name, why in board.absent]
    known_of = {*(standing.model for standing in board.standings), *(name for name, _ in board.absent)}
    if lacking := [name for name in panel.names if name not in known_of]:
        have = "has" if len(lacking) == 1 else "have"
        none = "neither labels nor probabilities nor a threshold" if known.is_of_matrix else "no scores"
        without.append(f"{some(lacking, 5)} {have} {none}")
    if board.reason is not None or without:
        why = board.reason or without[0]
        ways = f"{DECLARE} Or use" if any(panel.untrue.values()) else "Use"
        raise InputError(
            f"The value of the best model in {known.name} cannot be corrected for selection: {why}. {ways} a measure "
            "that is defined and varies for every model, such as accuracy or roc_auc, or remove models."
        )
    chosen = "" if measure is not None else " (default, not chosen for these data)"
    facts = (
        ("measure", f"{title(known.name)}{chosen}"),
        *(fact for fact in about_panel(panel, [known]) if fact[0] != "models"),
        ("models", f"{len(board.standings):,}"),
    )
    if panel.weight is not None:
        facts += (("weights", "sampling weights"),)
    return replace(_of_board(board, start), cases=panel.n, facts=facts, warnings=panel.warnings)


def _of_board(board: Leaderboard, seed: int) -> BestModel:
    """Return the leader of a leaderboard."""
    leader = board.standings[0]
    corrected = board.expected
    if corrected is None:
        why = leader.value.reason or "the values of the best model do not vary"
        corrected = Estimate.bare(leader.value.value, why)
    return BestModel(
        leader.model,
        len(board.standings),
        int(board.n) if isfinite(board.n) else 0,
        leader.value,
        corrected,
        board.measure,
        seed=seed,
        level=board.level,
        equals=board.leaders[1:],
    )
