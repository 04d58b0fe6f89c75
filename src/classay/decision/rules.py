"""Rules for choosing a threshold, tried at every cut of a table at once; cut points between classes in an order.

A rule is written in the grammar of requirements. Cut points are those of least cost, found in one pass over the scores.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import Labels, code_labels, is_ordinal, unite
from classay.columns.labels import declared
from classay.columns.numbers import counted, score_array, unscored, weight_arrays
from classay.columns.scales import ScoreScale, converted_in_words, scaled
from classay.decision.costs import Costs
from classay.decision.cut_costs import ScoredClasses, expected_cost_of_cuts, least_ends, sums_up_to
from classay.decision.cut_warnings import is_reversed, reversed_text, steps_between, warnings_of_cuts
from classay.decision.cuts import CutCounts, SumTable
from classay.errors import InputError
from classay.inference.draws import seed_of
from classay.inference.estimate import Estimate, direction, format_estimate, number, of_one_decision
from classay.inference.proportions import wilson
from classay.inference.requirements import Requirement, parse, refuse_beyond
from classay.kinds import checked, real_number, shown
from classay.measures import Measure, get
from classay.shown import Reportable
from classay.tables import ScoreTable
from classay.tables.sums import ROUNDING, at_most
from classay.texts import hint, listed, quote
from classay.warned import Warned

Array = NDArray[Any]
NOT_ANY = -1
"""The cut where none meets the conditions."""


@dataclass(frozen=True)
class Rule:
    """What a threshold is to do: an objective, conditions, and how many cases may be called positive.

    The objective is the least expected `cost`, or the greatest (`sign` 1) or least (-1) value of a `measure` of counts;
    without both, as many cases as the capacity `top` allows, in all `periods` together where there are any, which
    need not be whole; `period` is what one is called. Of equally good thresholds the highest is chosen.
    """

    cost: Costs | None = None
    measure: Measure | None = None
    sign: int = 1
    conditions: tuple[Requirement, ...] = ()
    top: float | None = None
    periods: float | None = None
    period: str = "period"

    @classmethod
    def of(
        cls,
        cost: Any = None,
        where: str | None = None,
        maximize: str | Measure | None = None,
        minimize: str | Measure | None = None,
        top: float | None = None,
        periods: float | None = None,
        period: str = "period",
    ) -> Rule:
        """From the arguments of `threshold`. Raises InputError where they say nothing, or too much."""
        objectives = {"cost": cost, "maximize": maximize, "minimize": minimize}
        named = [name for name, objective in objectives.items() if objective is not None]
        if len(named) > 1:
            options = listed([hint(f"{name}=", f"--{name}") for name in named])
            raise InputError(f"{options} cannot be combined. Use one objective.")
        if not named and top is None:
            raise InputError(
                "No objective for the threshold. "
                + hint(
                    "Pass cost=, top= or maximize=, for example cost=Costs(fp=1, fn=5), or a condition with a "
                    "measure to maximize: where='precision >= 0.9', maximize='recall'.",
                    "Use --cost, --top or --maximize, for example --cost fp=1 --cost fn=5, or a condition "
                    "with a measure to maximize: --where 'precision >= 0.9' --maximize recall.",
                )
            )
        measure = None if maximize is None and minimize is None else of_counts(maximize or minimize)
        if maximize is not None and measure is not None and direction(measure.name) < 0:
            instead = hint(f"minimize={measure.name!r}", f"--minimize {measure.name}")
            raise InputError(
                f"Lower {measure.name} is better, so its highest value is at the worst threshold. Use "
                f"{instead}."
            )
        conditions = tuple(parse(where)) if where is not None else ()
        for condition in conditions:
            if not isfinite(condition.bound):
                raise InputError(f"{condition} has no finite bound. Use a bound that a threshold can reach.")
            refuse_beyond(condition, *of_counts(condition.name).bounds)
            if of_counts(condition.name).parts is None and condition.part != "value":
                raise InputError(
                    f"{condition} needs a CI at every threshold, but {condition.name} is not a share of cases. "
                    "Use its value instead, and see the CI of the decision."
                )
        return cls(
            None if cost is None else Costs.of(cost),
            measure,
            -1 if minimize is not None else 1,
            conditions,
            None if top is None else _capacity(top) * (periods or 1),
            periods,
            period,
        )

    @property
    def text(self) -> str:
        """The rule in words: "lowest expected cost", "highest recall where precision >= 0.9"."""
        if self.cost is not None:
            aim = "lowest expected cost"
        elif self.measure is not None:
            aim = f"{'highest' if self.sign > 0 else 'lowest'} {self.measure.name}"
        else:
            assert self.top is not None
            return f"the {self._at_most} highest scores{self._each}{self._conditions}{self._average}"
        if self.top is None:
            return f"{aim}{self._conditions}"
        capacity = f"with at most {self._at_most} cases{self._each} predicted positive{self._average}"
        return f"{aim}{self._conditions} {capacity}"

    @property
    def capacity(self) -> str:
        """How many cases may be called positive, in words: "200", "200 per day (on average over 30 days)"."""
        return f"{self._at_most}{self._each}{self._average}"

    @property
    def _at_most(self) -> str:
        assert self.top is not None
        return f"{self.top / (self.periods or 1):,.6g}"

    @property
    def _each(self) -> str:
        return "" if self.periods is None else f" per {self.period}"

    @property
    def _average(self) -> str:
        if self.periods is None:
            return ""
        number = f"{self.periods:,.{0 if self.periods == int(self.periods) else 2}f}"
        return f" (on average over {number} {self.period}{'' if self.periods == 1 else 's'})"

    @property
    def _conditions(self) -> str:
        return f" where {' and '.join(map(str, self.conditions))}" if self.conditions else ""

    @property
    def is_cost_alone(self) -> bool:
        """Whether the least cost of all cuts is wanted, with no condition and no capacity."""
        return self.cost is not None and not self.conditions and self.top is None

    @property
    def is_capacity_alone(self) -> bool:
        """Whether as many cases as the capacity allows are wanted, with no other objective."""
        return self.cost is None and self.measure is None

    def values(self, cuts: CutCounts) -> Array:
        """Return how good each cut is, more being better, `[..., m + 1]`; NaN where that is undefined."""
        if self.cost is not None:
            assert cuts.cost is not None
            return -cuts.cost
        if self.measure is not None:
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.asarray(self.sign * value_of(self.measure, cuts.counts))
        return cuts.called

    def is_met(self, cuts: CutCounts, per_case: float = 1.0, level: float = 0.95) -> Array:
        """Check whether each cut meets the conditions and the capacity, `[..., m + 1]`."""
        met = np.ones(cuts.tp.shape, bool)
        for condition in self.conditions:
            met &= _met(condition, cuts, level)
        return met if self.top is None else met & at_most(cuts.called, self.top * per_case)

    def choose(self, cuts: CutCounts, per_case: float = 1.0, level: float = 0.95) -> Array:
        """Return the best cut of each leading place, `[...]`; -1 where none meets the conditions."""
        return best_cut(self.values(cuts), self.is_met(cuts, per_case, level))


def best_cut(values: Array, met: Array | None = None) -> Array:
    """The cut of the greatest value of those that meet the conditions, if there are any, `[...]`; -1 where none does.

    Equal values are those that rounding alone tells apart. The highest of equally good thresholds is chosen; of a
    capacity the lowest that it allows.
    """
    usable = np.where(np.isnan(values), -np.inf, values)
    if met is not None:
        usable = np.where(met, usable, -np.inf)
    best = usable.max(-1, keepdims=True)
    enough = best.copy()
    finite = np.isfinite(best)
    enough[finite] -= ROUNDING * np.maximum(np.abs(best[finite]), 1e-300)
    chosen = np.argmax(usable >= enough, -1)
    return np.asarray(np.where(np.isneginf(best[..., 0]), NOT_ANY, chosen))


def periods_in(per: Any, top: float | None) -> int | None:
    """Return how many periods there are: a number, or that of the distinct values of a column.

    Raises InputError for a number that is not whole and positive, and where there is no capacity.

    >>> periods_in(["mon", "mon", "tue"], 200), periods_in(30, 200)
    (2, 30)
    """
    if per is None:
        return None
    if top is None:
        raise InputError("per needs a capacity. Pass top too, as in top=200, per=days.")
    if isinstance(per, int | float | np.number):
        if isinstance(per, bool) or not (per >= 1 and isfinite(per) and per == int(per)):
            raise InputError(
                "per must be a number of periods, at least 1, or a column with the period of every case, but "
                f"is {per!r}."
            )
        return int(per)
    if isinstance(per, str):
        raise InputError(
            f"per={per!r} cannot be found, because an assessment keeps no columns. Pass the column itself, as "
            f"in per=frame[{per!r}], or the number of periods."
        )
    from classay.columns import code_labels

    return len(code_labels(per, "per").labels)


MAIN = ("precision", "recall", "specificity", "f1")
"""The measures that are told of a threshold where none are named."""


def is_of_counts(name: Any) -> bool:
    """Check whether a measure is of the counts of two classes, so that it has a value at every threshold."""
    measure = get(name)
    return measure.needs in ("counts", "margins") and measure.label is None


def of_counts(name: Any) -> Measure:
    """A measure of the counts of two classes at any threshold; InputError for one that no single threshold has."""
    measure = get(name)
    if is_of_counts(measure):
        return measure if measure.threshold is None else replace(measure, threshold=None)
    if measure.plain is not None:
        raise InputError(
            f"{measure.name} names a class, but a threshold applies to the positive class. Remove "
            f"[{measure.label}]. For the other class, recall is specificity and precision is npv."
        )
    raise InputError(
        f"{measure.name} is not a threshold measure of two classes. Use recall, precision, fpr, f1, youden, "
        "f_beta(2), net_benefit(0.1) or corner_distance, for example."
    )


def arguments_of(measure: Measure, counts: tuple[Array, Array, Array, Array]) -> tuple[Array, ...]:
    """Return what a measure of the labels of two classes is a function of, from its counts, `[...]` each."""
    if measure.needs == "counts":
        return counts
    tp, fp, fn, tn = counts
    pairs = (tn, tp), (tn + fn, tp + fp), (tn + fp, tp + fn)
    return tuple(np.stack(pair, -1) for pair in pairs)


def value_of(measure: Measure, counts: tuple[Array, Array, Array, Array]) -> Array:
    """Return the value of a measure of labels, of the leading shape of the counts."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(measure(*arguments_of(measure, counts)), np.float64)


def is_function_of(measure: Measure, other: Measure, positives: float, negatives: float) -> bool:
    """Whether a measure tells no more than another: it ranks all counts of so many cases alike, or the other way round.

    >>> is_function_of(get("f1"), get("jaccard"), 30, 70), is_function_of(get("recall"), get("jaccard"), 30, 70)
    (True, False)
    """
    tp, fp = np.meshgrid(positives * GRID, negatives * GRID)
    counts = tp, fp, positives - tp, negatives - fp
    places = [
        np.unique(value_of(each, counts).round(10), return_inverse=True)[1] for each in (measure, other)
    ]
    one, two = (values.ravel() for values in places)
    return bool((one == two).all() or (one == two.max() - two).all())


def implied(measure: Measure, other: Measure, value: float, positives: float, negatives: float) -> float:
    """Return what a measure is where another, of which it is a function, has this value; NaN where it is none of it.

    Counts are sought between all wrong and all right ones.

    >>> round(implied(get("f1"), get("jaccard"), 0.5, 30, 70), 4), implied(get("recall"), get("f1"), 0.5, 30, 70)
    (0.6667, nan)
    """

    def at(share: float) -> tuple[Array, Array, Array, Array]:
        right = (share * positives, (1 - share) * negatives, (1 - share) * positives, share * negatives)
        return tuple(map(np.asarray, right))  # type: ignore[return-value]

    if not isfinite(value) or not is_function_of(measure, other, positives, negatives):
        return nan
    low, high, rises = 0.0, 1.0, value_of(other, at(1.0)) > value_of(other, at(0.0))
    for _ in range(60):
        middle = (low + high) / 2
        is_below = (value_of(other, at(middle)) < value) == rises
        low, high = (middle, high) if is_below else (low, middle)
    reached = float(value_of(other, at(low)))
    return float(value_of(measure, at(low))) if abs(reached - value) <= 1e-9 else nan


GRID = np.linspace(0, 1, 14)
"""The shares of cases called at which measures are told apart."""


def threshold_columns(table: ScoreTable, measures: Sequence[str | Measure] = ()) -> dict[str, Any]:
    """Return the threshold, the four counts and the named measures of labels, `(1 + scores,)` each.

    First nothing is called positive, at an infinite threshold; then everything down to each distinct score, descending.
    Undefined values are NaN. Raises InputError for what is no measure of the labels at a threshold.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.1]), np.array([True, False, True]))
    >>> columns = threshold_columns(table, ["recall"])
    >>> [*columns], columns["threshold"].tolist(), columns["fp"].tolist(), columns["recall"].tolist()
    (['threshold', 'tp', 'fp', 'fn', 'tn', 'recall'], [inf, 0.9, 0.4, 0.1], [0, 0, 1, 1], [0.0, 0.5, 0.5, 1.0])
    """
    known = [of_counts(name) for name in measures]
    counts = CutCounts.of(SumTable.of(table)).counts
    shown_as = np.float64 if table.is_weighted else np.int64
    threshold = np.concatenate([[np.inf], table.thresholds.astype(np.float64)])
    columns = {"threshold": threshold} | {
        name: entry.astype(shown_as) for name, entry in zip(("tp", "fp", "fn", "tn"), counts, strict=True)
    }
    return columns | {measure.name: value_of(measure, counts) for measure in known}


def _capacity(top: Any) -> float:
    try:
        count = real_number(top)
    except (TypeError, ValueError):
        count = float("nan")
    if not 1 <= count < float("inf"):
        a_share = (
            " For a share of the cases, multiply it by their number."
            if isinstance(top, float) and 0 < top < 1
            else ""
        )
        raise InputError(f"top must be a number of cases, at least 1, but is {shown(top)}.{a_share}")
    return count


def demanded_at(condition: Requirement, cuts: CutCounts, level: float) -> Array:
    """Return the number that a condition is about at each cut: the value, or a limit of Wilson's interval."""
    measure = of_counts(condition.name)
    with np.errstate(divide="ignore", invalid="ignore"):
        if condition.part == "value":
            return np.asarray(value_of(measure, cuts.counts))
        assert measure.parts is not None
        x, m = (np.asarray(each, np.float64) for each in measure.parts(*arguments_of(measure, cuts.counts)))
        low, high = wilson(x, np.where(m > 0, m, np.nan), level)
        limits: Array = low if condition.part == "low" else high
        for cut, predicted in ((0, 0), (-1, 1)):  # nobody and everybody, of which some values are certain
            if not np.isnan(sure := of_one_decision(measure, predicted)):
                limits[..., cut] = np.where(m[..., cut] > 0, sure, np.nan)
        return limits


def _met(condition: Requirement, cuts: CutCounts, level: float) -> Array:
    """Whether the value, or a limit of Wilson's interval, meets a condition at each cut; rounding does not decide."""
    demanded = demanded_at(condition, cuts, level)
    slack = ROUNDING * max(abs(condition.bound), 1e-300)
    moved = {">=": demanded + slack, "<=": demanded - slack, ">": demanded - slack, "<": demanded + slack}
    with np.errstate(invalid="ignore"):
        compared = moved[condition.operator]
        met: dict[str, Array] = {
            ">=": compared >= condition.bound,
            ">": compared > condition.bound,
            "<=": compared <= condition.bound,
            "<": compared < condition.bound,
        }
    return met[condition.operator]


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
