"""Rules for choosing a threshold, tried at every cut of a table at once, in the grammar of requirements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.decision.costs import Costs
from classay.decision.cuts import CutCounts, SumTable
from classay.errors import InputError
from classay.inference.estimate import direction, of_one_decision
from classay.inference.proportions import wilson
from classay.inference.requirements import Requirement, parse, refuse_beyond
from classay.kinds import real_number, shown
from classay.measures import Measure, get
from classay.tables import ScoreTable
from classay.tables.sums import ROUNDING, at_most
from classay.texts import hint, listed

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
