"""Cut points of one score, between classes in an order: those of least cost, found in one pass over the scores."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import Labels, code_labels, is_ordinal, unite
from classay.columns.labels import NO_ORDER, declared
from classay.columns.numbers import counted, score_array, unscored, weight_arrays
from classay.decision.costs import Costs
from classay.decision.expected_cost import Moments, expected_cost
from classay.errors import InputError
from classay.inference.draws import seed_of, stream
from classay.inference.estimate import Estimate, number, said
from classay.kinds import checked
from classay.shown import Shown
from classay.tables import ConfusionMatrix
from classay.tables.sums import ROUNDING
from classay.texts import listed, quote

Array = NDArray[Any]


FOLDS = 10
"""Parts of the cases, each decided by the cut points that the others choose."""
UNKNOWN = Estimate.undefined("it was not found by cut_points")


@dataclass(frozen=True, eq=False)
class CutPoints(Shown):
    """Cut points of a score between classes in an order: a case is of the highest class whose cut it reaches.

    `cuts` ascend, one before each class but the lowest; equal ones leave the classes between them without a case.
    `cost` is the mean cost of a case on the cases that they were chosen on, which is less than that of others will be;
    `expected` is what to expect of other cases, by cross-fitting in ten parts. `true` and `called` are the cases (or
    weight) of each class, and `priced` says what errors cost.
    `model` is the name of the score, where it has one.
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

    @property
    def sentence(self) -> str:
        """What the cuts cost here, and what to expect of them."""
        lines = f"On the cases that chose the cut points a case costs {number(self.cost)}"
        absent = [quote(label) for label, cases in zip(self.labels, self.true, strict=False) if not cases]
        end = (
            f" No case is of class {listed(absent)}: nothing here says where to cut for it." if absent else ""
        )
        if self.expected.is_undefined:
            return f"{lines}; what to expect of others is not known: {self.expected.reason}.{end}"
        return f"{lines}; expect {said(self.expected)} of others.{end}"

    def codes(self, y_score: Any) -> Array:
        """The place of the class of each score, `(cases,)`. Raises InputError for a score that is missing."""
        score = _scores(y_score)
        return np.searchsorted(np.array(self.cuts), score, side="right")

    def decisions(self, y_score: Any) -> list[Hashable]:
        """The label of each score: predictions that `assess` takes, of cases that the cuts were not chosen on.

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
    cost: Costs | Mapping[str, Any] | None = None,
    weight: Any = None,
    frequency: Any = None,
    level: float = 0.95,
    seed: int = 0,
) -> CutPoints:
    """Choose the cut points of a score that rises with the class, as cumulative models have, at the least cost.

    `labels` are all classes from the lowest to the highest; without them the order is that of ordered categories,
    or of whole numbers. `cost` is `Costs.from_array(…)`, a number for each pair of true and predicted class;
    without it every step costs 1, so that the mean absolute error is least. `expected` says what to expect on new
    cases: each tenth of the cases is decided by the cuts that the others choose, and its interval takes these as
    given. Cuts lie halfway between two scores. Of cuts that cost the same the lower ones are taken. The search is
    over all of them at once: with F_c(t) what calling all cases up to the score t class c costs, the least cost B_c
    of classes up to c is F_c(t) + the least of B_{c-1}(s) - F_c(s) over s <= t (Bellman 1957, Dynamic Programming).

    Choose them on other cases than those you assess: `assess(y_test, y_pred=found.decisions(score_test))`. Raises
    InputError without an order, and for scores that are missing or more than one a case.

    >>> found = cut_points(
    ...     [0.1, 0.2, 0.4, 0.5, 0.8, 0.9], ["low", "low", "mid", "mid", "high", "high"], ["low", "mid", "high"]
    ... )
    >>> [round(cut, 2) for cut in found.cuts], found.cost
    ([0.3, 0.65], 0.0)
    """
    score, (known, true) = _scores(y_score), _classes(y_true, labels)
    if score.size != true.size:
        raise InputError(f"truth has {true.size} rows, score has {score.size}: pass one score a case.")
    sampling, repeats = weight_arrays(weight, frequency)
    each = (
        np.ones(true.size)
        if sampling is None and repeats is None
        else sampling
        if repeats is None
        else repeats
    )
    assert each is not None
    if each.size != true.size:
        raise InputError(f"truth has {true.size} rows, the weights have {each.size}: pass one a case.")
    k, seed = len(known), seed_of(seed)
    steps = np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(np.float64)
    priced = Costs.from_array(steps, known, rows="true") if cost is None else Costs.of(cost)
    coefficients = priced.array(known)[..., 0]
    scale = float(each.max()) if repeats is None else 1.0
    given, sampling = each / scale, None if sampling is None else sampling / scale
    cuts, least = _cuts(score, true, given, coefficients)
    called = np.searchsorted(np.array(cuts), score, side="right")
    return CutPoints(
        tuple(known),
        cuts,
        least,
        _expected(score, true, (sampling, repeats), coefficients, priced, tuple(known), level, seed),
        tuple((scale * np.bincount(true, given, k)).tolist()),
        tuple((scale * np.bincount(called, given, k)).tolist()),
        _in_words(coefficients, priced),
        level,
        seed,
    )


def _in_words(coefficients: Array, priced: Costs) -> str:
    steps, k = coefficients[0], coefficients.shape[0]
    far = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    if not (coefficients == steps[far]).all():
        return str(priced)
    if (steps == np.arange(k)).all():
        return "each step costs 1"
    return f"errors of {', '.join(map(str, range(k)))} steps cost {', '.join(f'{each:g}' for each in steps)}"


def _cuts(score: Array, true: Array, weight: Array, coefficients: Array) -> tuple[tuple[float, ...], float]:
    """The cuts of least cost, and that of a case."""
    distinct, place = np.unique(score, return_inverse=True)
    weights = np.zeros(
        (coefficients.shape[0], distinct.size + 1)
    )  # of each true class up to each score, from none on
    np.add.at(weights, (true, place.ravel() + 1), weight)
    ends, least = _least_ends(coefficients @ weights.cumsum(1))
    between = np.concatenate([[-inf], _between(distinct[:-1], distinct[1:]), [inf]])
    return tuple(map(float, between[ends])), least / float(weight.sum())


def _between(lower: Array, upper: Array) -> Array:
    """Numbers halfway between two scores, or the upper one where there is none: the upper reaches it, the lower not."""
    with np.errstate(invalid="ignore"):
        half = lower / 2 + upper / 2
    return np.where((lower < half) & (half < upper), half, upper)


def _expected(
    score: Array,
    true: Array,
    weights: tuple[Array | None, Array | None],
    coefficients: Array,
    priced: Costs,
    labels: tuple[Hashable, ...],
    level: float,
    seed: int,
) -> Estimate:
    """The mean cost of cases that are decided by cuts that others chose, whatever the order of the rows."""
    sampling, repeats = weights
    if repeats is not None:  # each of identical cases is held back by itself
        score, true = (np.repeat(column, repeats) for column in (score, true))
    each = np.ones(true.size) if sampling is None else sampling.astype(np.float64)
    if true.size < 2:
        return Estimate.undefined("one case cannot be held back from others")
    fold = np.empty(true.size, np.int64)
    fold[np.lexsort((each, true, score))] = stream(seed, "cut points").permutation(
        np.arange(true.size) % FOLDS
    )
    called = np.empty(true.size, np.int64)
    for held in np.unique(fold):
        rest, own = fold != held, fold == held
        if not each[rest].sum() > 0:
            return Estimate.undefined("all weight is of one case")
        cuts, _ = _cuts(score[rest], true[rest], each[rest], coefficients)
        called[own] = np.searchsorted(np.array(cuts), score[own], side="right")
    matrix = ConfusionMatrix.from_codes(called, true, labels, weight=sampling)
    found = expected_cost(
        Moments.of(matrix), priced, labels, (), cases=float(each.sum()), level=level, seed=seed
    )
    return found.per_case


def _least_ends(cost_up_to: Array) -> tuple[list[int], float]:
    """Where each class but the highest ends, as numbers of scores, and the least cost in all.

    `cost_up_to` is what calling the lowest scores a class costs, `[class, scores]`, from none of them on.
    """
    best, came = cost_up_to[0], []
    exact = bool((cost_up_to == np.rint(cost_up_to)).all())
    rounding = 0.0 if exact else ROUNDING
    for own in cost_up_to[1:]:
        gain = best - own
        lowest = np.minimum.accumulate(gain)
        is_new = np.concatenate([[True], gain[1:] < lowest[:-1] - rounding * (abs(best) + abs(own))[1:]])
        came.append(np.maximum.accumulate(np.where(is_new, np.arange(gain.size), 0)))
        best = own + lowest
    ends, at = [], best.size - 1
    for found in reversed(came):
        at = int(found[at])
        ends.append(at)
    return ends[::-1], float(best[-1])


def _scores(y_score: Any) -> Array:
    score = score_array(y_score).astype(np.float64)
    if score.ndim != 1:
        raise InputError(f"score has shape {score.shape}: cut points are of one score a case.")
    missing = unscored(score)
    if missing is not None:
        raise InputError(f"score is missing in {counted(int(missing.sum()))}: leave them out.")
    return score


def _classes(y_true: Any, labels: Sequence[Hashable] | None) -> tuple[Labels, Array]:
    coded = code_labels(y_true, "truth")
    if coded.missing:
        raise InputError(f"truth is missing in {counted(coded.missing)}: leave them out.")
    known, (codes,) = unite([("truth", coded)], declared(labels, ordered=labels is not None))
    if len(known) < 2:
        raise InputError("cut points are between classes, and there is one: pass all labels=, lowest first.")
    if not is_ordinal(known):
        raise InputError(f"cut points are between classes in an order: {NO_ORDER}.")
    return known, codes.astype(np.int64)
