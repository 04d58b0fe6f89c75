"""Cut points between classes in an order: those of least cost, found in one pass over the scores."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import Labels, code_labels, is_ordinal, unite
from classay.columns.labels import declared
from classay.columns.numbers import counted, score_array, unscored, weight_arrays
from classay.columns.scales import converted_in_words, scaled
from classay.decision.costs import Costs
from classay.decision.cut_costs import ScoredClasses, expected_cost_of_cuts, least_ends, sums_up_to
from classay.decision.cut_warnings import is_reversed, reversed_text, steps_between, warnings_of_cuts
from classay.errors import InputError
from classay.inference.draws import seed_of
from classay.inference.estimate import Estimate, format_estimate, number
from classay.kinds import ScoreScale, checked
from classay.shown import Reportable
from classay.texts import listed, quote
from classay.warned import Warned

Array = NDArray[Any]


UNKNOWN = Estimate.undefined("it was not found by cut_points")


@dataclass(frozen=True, eq=False)
class CutPoints(Reportable):
    """Cut points of a score between ordered classes.

    A case belongs to the highest class with a cut at or below its score.

    Attributes
    ----------
    labels : tuple
        Classes, from the lowest to the highest.
    cuts : tuple of float
        Ascending cuts, one before each class but the lowest. Equal cuts leave the classes between them
        without a case. They are on the scale that `score_scale` converts to, and `codes` and `decisions`
        convert scores likewise.
    cost : float
        Mean cost per case on the selection data, which is optimistic.
    expected : Estimate
        Expected cost per case on new cases (out-of-bag).
    true, called : tuple of float
        Cases (or weight) of each true and of each predicted class.
    priced : str
        What errors cost.
    level : float
        Confidence level of the interval.
    seed : int
        Start of all random numbers.
    model : str
        Name of the score, or empty.
    is_turned : bool
        Whether the score ranks cases of higher classes below those of lower ones more often than above.
    warnings : tuple of Warned
        Warnings on columns that may have been misread.
    score_scale : str or None
        What the scores are.
    """

    labels: tuple[Hashable, ...]
    cuts: tuple[float, ...]
    cost: float
    expected: Estimate = UNKNOWN
    true: tuple[float, ...] = ()
    called: tuple[float, ...] = ()
    priced: str = ""
    level: float = 0.95
    seed: int = 0
    model: str = ""
    is_turned: bool = False
    warnings: tuple[Warned, ...] = ()
    score_scale: ScoreScale | None = None

    @property
    def sentence(self) -> str:
        """Cost of the cuts on these cases and its expectation, in sentences.

        A sentence warns if the score may point in the opposite direction.
        """
        turned = f" {reversed_text(self.labels)}" if self.is_turned else ""
        return self._costs_said + turned

    @property
    def _costs_said(self) -> str:
        lines = f"On the cases used to choose the cut points, the cost is {number(self.cost)} per case"
        absent = [quote(label) for label, cases in zip(self.labels, self.true, strict=False) if not cases]
        end = f" No case is of class {listed(absent)}, so its cut point cannot be chosen." if absent else ""
        if self.expected.is_undefined:
            return (
                f"{lines}. The expected cost on new cases cannot be estimated: {self.expected.reason}.{end}"
            )
        return f"The expected cost on new cases is {format_estimate(self.expected)} per case. {lines}.{end}"

    def codes(self, y_score: Any) -> Array:
        """Return the index of the class of each score.

        Raises
        ------
        InputError
            If a score is missing.
        """
        score = _scores(y_score, self.score_scale)
        return np.searchsorted(np.array(self.cuts), score, side="right")

    def decisions(self, y_score: Any) -> list[Hashable]:
        """Return the label of each score, predictions that `assess` takes.

        Use them on other cases than those that the cuts were chosen on.

        Examples
        --------
        >>> CutPoints(("low", "mid", "high"), (0.3, 0.7), 0.1).decisions([0.1, 0.3, 0.9])
        ['low', 'mid', 'high']
        """
        return [self.labels[code] for code in self.codes(y_score).tolist()]


@checked
def cut_points(
    y_score: Any,
    y_true: Any,
    labels: Sequence[Hashable] | None = None,
    *,
    cost: Costs | Mapping[str, float | str] | None = None,
    weight: Any = None,
    frequency: Any = None,
    level: float = 0.95,
    seed: int = 0,
    score_scale: ScoreScale | None = None,
) -> CutPoints:
    """Choose the cut points of a score between ordered classes, at the least cost.

    The score rises with the class, as in cumulative models. Choose cuts on other cases than those you
    assess, `assess(y_test, y_pred=points.decisions(score_test))`.

    Parameters
    ----------
    y_score : array-like
        Scores, one per case.
    y_true : array-like
        True labels of the cases.
    labels : sequence, optional
        All classes, from the lowest to the highest. The default is the order of ordered categories or of
        whole numbers.
    cost : Costs or mapping, optional
        `Costs.from_array(…)`, a number for each pair of true and predicted class. By default every step
        costs 1, so that the mean absolute error is least.
    weight : array-like, optional
        Sampling weight of each row.
    frequency : array-like, optional
        Number of identical rows that each row represents.
    level : float, default 0.95
        Confidence level of the intervals, between 0 and 1.
    seed : int, default 0
        Start of all random numbers. Equal seeds give equal results.
    score_scale : {"probability", "logit"}, optional
        "logit" converts scores by 1 / (1 + e^-s) first. "probability" refuses scores outside [0, 1].

    Returns
    -------
    CutPoints
        The cuts with their observed and expected cost.

    Raises
    ------
    InputError
        If the classes have no order.
        If scores are missing, or more than one per case.

    Notes
    -----
    The search is over all cuts jointly. F_c(t) is the cost of predicting class c for all cases up to the
    score t. The least cost B_c of classes up to c is F_c(t) + the least of B_{c-1}(s) - F_c(s) over s <= t.
    Cuts lie halfway between two scores, and of equal cuts the lower ones are taken. The expected cost comes
    from 200 resamples. In each, cuts are chosen again and assessed on the cases outside the resample.

    References
    ----------
    Bellman 1957, Dynamic Programming.

    Examples
    --------
    >>> points = cut_points(
    ...     [0.1, 0.2, 0.4, 0.5, 0.8, 0.9], ["low", "low", "mid", "mid", "high", "high"], ["low", "mid", "high"]
    ... )
    >>> [round(cut, 2) for cut in points.cuts], points.cost
    ([0.3, 0.65], 0.0)
    """
    score, (known, true) = _scores(y_score, score_scale), _classes(y_true, labels)
    if score.size != true.size:
        raise InputError(f"truth has {true.size} rows, but score has {score.size}. Use one score per case.")
    sampling, repeats = weight_arrays(weight, frequency)
    weights = (
        np.ones(true.size)
        if sampling is None and repeats is None
        else sampling
        if repeats is None
        else repeats
    )
    assert weights is not None
    if weights.size != true.size:
        raise InputError(
            f"truth has {true.size} rows, but the weights have {weights.size}. Use one weight per case."
        )
    if not weights.all():  # a row of weight 0 is no case
        kept = weights > 0
        score, true, weights = score[kept], true[kept], weights[kept]
        sampling, repeats = (None if one is None else one[kept] for one in (sampling, repeats))
    k, seed = len(known), seed_of(seed)
    off_by = np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(np.float64)
    priced = Costs.from_array(off_by, known, rows="true") if cost is None else Costs.of(cost)
    coefficients = priced.array(known)[..., 0]
    scale = float(weights.max()) if repeats is None else 1.0
    scaled, sampling = weights / scale, None if sampling is None else sampling / scale
    cases = ScoredClasses.of(score, true, scaled, k, is_sampled=sampling is not None)
    ends, least = least_ends(coefficients @ sums_up_to(cases.weight))
    between = np.concatenate([[-inf], halfway(cases.highest[:-1], cases.lowest[1:]), [inf]])
    cuts = tuple(map(float, between[ends]))
    called = np.searchsorted(np.array(cuts), score, side="right")
    steps = steps_between(score, true, scaled)
    return CutPoints(
        tuple(known),
        cuts,
        float(least) / float(scaled.sum()),
        expected_cost_of_cuts(cases, ends, priced, tuple(known), level, seed),
        tuple((scale * np.bincount(true, scaled, k)).tolist()),
        tuple((scale * np.bincount(called, scaled, k)).tolist()),
        _in_words(coefficients, priced),
        level,
        seed,
        is_turned=is_reversed(steps, scaled),
        warnings=(
            *warnings_of_cuts(score, true, known, steps, scaled, None if frequency is not None else y_true),
            *_scale_warning(score_scale),
        ),
        score_scale=score_scale,
    )


def _scale_warning(score_scale: ScoreScale | None) -> tuple[Warned, ...]:
    """Return that the cuts are of probabilities to which scores were converted."""
    converted = converted_in_words(score_scale)
    return (
        (Warned("score_scale", f"{converted} The cut points are on the converted scale."),)
        if converted
        else ()
    )


def _in_words(coefficients: Array, priced: Costs) -> str:
    steps, k = coefficients[0], coefficients.shape[0]
    far = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    if not (coefficients == steps[far]).all():
        return str(priced)
    if (steps == np.arange(k)).all():
        return "each step costs 1"
    return f"errors of {', '.join(map(str, range(k)))} steps cost {', '.join(f'{step:g}' for step in steps)}"


def halfway(lower: Array, upper: Array) -> Array:
    """Numbers halfway between two scores, or the upper one where there is none: the upper reaches it, the lower not."""
    with np.errstate(invalid="ignore"):
        half = lower / 2 + upper / 2
    return np.where((lower < half) & (half < upper), half, upper)


def _scores(y_score: Any, score_scale: ScoreScale | None) -> Array:
    score = score_array(y_score).astype(np.float64)
    if score.ndim != 1:
        raise InputError(f"score must be one score per case, but has shape {score.shape}.")
    missing = unscored(score)
    if missing is not None:
        raise InputError(f"score is missing in {counted(int(missing.sum()))}. Exclude these rows.")
    return scaled(score, score_scale)


def _classes(y_true: Any, labels: Sequence[Hashable] | None) -> tuple[Labels, Array]:
    coded = code_labels(y_true, "truth")
    if coded.missing:
        raise InputError(f"truth is missing in {counted(coded.missing)}. Exclude these rows.")
    known, (codes,) = unite([("truth", coded)], declared(labels, ordered=labels is not None))
    if len(known) < 2:
        raise InputError("Cut points need at least two classes. Pass all classes in labels=, lowest first.")
    if not is_ordinal(known):
        raise InputError("Cut points need ordered classes. Pass all classes in labels=, lowest first.")
    return known, codes.astype(np.int64)
