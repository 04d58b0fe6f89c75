"""Rules: which threshold is chosen, in the grammar of requirements, for every cut of a table at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.decision.costs import Costs
from classay.decision.cuts import Cuts, Sums
from classay.errors import InputError
from classay.inference.estimate import of_one_decision
from classay.inference.proportions import wilson
from classay.inference.requirements import Requirement, parse
from classay.kinds import real_number, shown
from classay.measures import Measure, get
from classay.tables import ScoreTable
from classay.tables.sums import ROUNDING, at_most
from classay.texts import hint

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
        given = [name for name, each in objectives.items() if each is not None]
        if len(given) > 1:
            raise InputError(f"{' and '.join(f'{name}=' for name in given)} were given: pass one objective.")
        if not given and top is None:
            raise InputError(
                "nothing says which threshold is best: pass "
                + hint(
                    "cost=Costs(fp=1, fn=5), top=200, maximize='youden', or a condition with what to maximize under "
                    "it, where='precision >= 0.9', maximize='recall'.",
                    "--cost fp=1 --cost fn=5, --top 200, --maximize youden, or a condition with what to maximize under "
                    "it, --where 'precision >= 0.9' --maximize recall.",
                )
            )
        measure = None if maximize is None and minimize is None else of_counts(maximize or minimize)
        conditions = tuple(parse(where)) if where is not None else ()
        for each in conditions:
            if not isfinite(each.bound):
                raise InputError(f"{each} has no finite bound: write what a threshold can reach.")
            if of_counts(each.name).parts is None and each.part != "value":
                raise InputError(
                    f"{each} asks for the interval of {each.name}, which has one at every threshold only if it is a "
                    "share of cases: write its value, and read the interval of the decision."
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
        """The rule in words: "the least expected cost", "the greatest recall where precision >= 0.9"."""
        if self.cost is not None:
            said = "the least expected cost"
        elif self.measure is not None:
            said = f"the {'greatest' if self.sign > 0 else 'least'} {self.measure.name}"
        else:
            assert self.top is not None
            return f"the {self._at_most} highest scores{self._each}{self._conditions}{self._average}"
        if self.top is None:
            return f"{said}{self._conditions}"
        capacity = f"with at most {self._at_most} cases{self._each} called positive{self._average}"
        return f"{said}{self._conditions} {capacity}"

    @property
    def capacity(self) -> str:
        """How many cases may be called positive, in words: "200", "200 a day (on average over 30 days)"."""
        return f"{self._at_most}{self._each}{self._average}"

    @property
    def _at_most(self) -> str:
        assert self.top is not None
        return f"{self.top / (self.periods or 1):,.6g}"

    @property
    def _each(self) -> str:
        return "" if self.periods is None else f" a {self.period}"

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

    def values(self, cuts: Cuts) -> Array:
        """How good each cut is, more being better, `[..., m + 1]`; NaN where that is undefined."""
        if self.cost is not None:
            assert cuts.cost is not None
            return -cuts.cost
        if self.measure is not None:
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.asarray(self.sign * value_of(self.measure, cuts.counts))
        return cuts.called

    def is_met(self, cuts: Cuts, per_case: float = 1.0, level: float = 0.95) -> Array:
        """Whether each cut meets the conditions and the capacity, `[..., m + 1]`."""
        met = np.ones(cuts.tp.shape, bool)
        for each in self.conditions:
            met &= _met(each, cuts, level)
        return met if self.top is None else met & at_most(cuts.called, self.top * per_case)

    def choose(self, cuts: Cuts, per_case: float = 1.0, level: float = 0.95) -> Array:
        """The best cut of each leading place, `[...]`; -1 where none meets the conditions."""
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
    """How many periods there are: a number, or that of the distinct values of a column.

    Raises InputError for a number that is not whole and positive, and where there is no capacity.

    >>> periods_in(["mon", "mon", "tue"], 200), periods_in(30, 200)
    (2, 30)
    """
    if per is None:
        return None
    if top is None:
        raise InputError("per says the periods of a capacity: pass top too, as in top=200, per=days.")
    if isinstance(per, int | float | np.number):
        if not (per >= 1 and isfinite(per) and per == int(per)):
            raise InputError(
                f"per is {per!r}: pass a number of periods from 1 up, or a column with that of each case."
            )
        return int(per)
    if isinstance(per, str):
        raise InputError(
            f"per is {per!r}, and an assessment keeps no columns to look that up: pass the column itself, as in "
            f"per=frame[{per!r}], or the number of periods."
        )
    from classay.columns import code_labels

    return len(code_labels(per, "per").labels)


MAIN = ("precision", "recall", "specificity", "f1")
"""The measures that are told of a threshold where none are named."""


def is_of_counts(name: Any) -> bool:
    """Whether a measure is of the counts of two classes, so that it has a value at every threshold."""
    measure = get(name)
    return measure.needs in ("counts", "margins") and measure.label is None


def of_counts(name: Any) -> Measure:
    """A measure of the counts of two classes at any threshold; InputError for one that no single threshold has."""
    measure = get(name)
    if is_of_counts(measure):
        return measure if measure.threshold is None else replace(measure, threshold=None)
    if measure.plain is not None:
        raise InputError(
            f"{measure.name} names a class, and a threshold is of the positive one: leave [{measure.label}] out; of "
            "the other class recall is specificity, and precision is npv."
        )
    raise InputError(
        f"{measure.name} is no measure of one threshold: name one of its counts, such as recall, precision, "
        "fpr, f1, youden, f_beta(2), net_benefit(0.1) or corner_distance."
    )


def arguments_of(measure: Measure, counts: tuple[Array, Array, Array, Array]) -> tuple[Array, ...]:
    """What a measure of the labels of two classes is a function of, from its counts, `[...]` each."""
    if measure.needs == "counts":
        return counts
    tp, fp, fn, tn = counts
    pairs = (tn, tp), (tn + fn, tp + fp), (tn + fp, tp + fn)
    return tuple(np.stack(pair, -1) for pair in pairs)


def value_of(measure: Measure, counts: tuple[Array, Array, Array, Array]) -> Array:
    """The value of a measure of labels, of the leading shape of the counts."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(measure(*arguments_of(measure, counts)), np.float64)


def threshold_columns(table: ScoreTable, measures: Sequence[str | Measure] = ()) -> dict[str, Any]:
    """The threshold, the four counts and the named measures of labels, `(1 + scores,)` each.

    First nothing is called positive, at an infinite threshold; then everything down to each distinct score, descending.
    Undefined values are NaN. Raises InputError for what is no measure of the labels at a threshold.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.1]), np.array([True, False, True]))
    >>> found = threshold_columns(table, ["recall"])
    >>> [*found], found["threshold"].tolist(), found["fp"].tolist(), found["recall"].tolist()
    (['threshold', 'tp', 'fp', 'fn', 'tn', 'recall'], [inf, 0.9, 0.4, 0.1], [0, 0, 1, 1], [0.0, 0.5, 0.5, 1.0])
    """
    known = [of_counts(name) for name in measures]
    counts = Cuts.of(Sums.of(table)).counts
    shown_as = np.float64 if table.is_weighted else np.int64
    threshold = np.concatenate([[np.inf], table.thresholds.astype(np.float64)])
    columns = {"threshold": threshold} | {
        name: each.astype(shown_as) for name, each in zip(("tp", "fp", "fn", "tn"), counts, strict=True)
    }
    return columns | {measure.name: value_of(measure, counts) for measure in known}


def _capacity(top: Any) -> float:
    try:
        found = real_number(top)
    except (TypeError, ValueError):
        found = float("nan")
    if not 1 <= found < float("inf"):
        raise InputError(f"top is {shown(top)}: pass a number of cases from 1 up.")
    return found


def _met(condition: Requirement, cuts: Cuts, level: float) -> Array:
    """Whether the value, or a limit of Wilson's interval, meets a condition at each cut; rounding does not decide."""
    measure = of_counts(condition.name)
    with np.errstate(divide="ignore", invalid="ignore"):
        if condition.part == "value":
            found = value_of(measure, cuts.counts)
        else:
            assert measure.parts is not None
            x, m = (
                np.asarray(each, np.float64) for each in measure.parts(*arguments_of(measure, cuts.counts))
            )
            low, high = wilson(x, np.where(m > 0, m, np.nan), level)
            found = low if condition.part == "low" else high
            for cut, predicted in ((0, 0), (-1, 1)):  # nobody and everybody, of which some values are certain
                if not np.isnan(sure := of_one_decision(measure, predicted)):
                    found[..., cut] = np.where(m[..., cut] > 0, sure, np.nan)
    slack = ROUNDING * max(abs(condition.bound), 1e-300)
    moved = {">=": found + slack, "<=": found - slack, ">": found - slack, "<": found + slack}
    with np.errstate(invalid="ignore"):
        compared = moved[condition.operator]
        met: dict[str, Array] = {
            ">=": compared >= condition.bound,
            ">": compared > condition.bound,
            "<=": compared <= condition.bound,
            "<": compared < condition.bound,
        }
    return met[condition.operator]
