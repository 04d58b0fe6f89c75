"""The interval of every measure: by the registry's default for its table and the way its cases were drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isclose, isfinite, isinf, isnan, nan
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import NDArray

from classay.errors import InputError
from classay.inference.design import Design, design_of
from classay.inference.estimate import Estimate, IntervalResult, p_equation
from classay.inference.methods import (
    LABELS,
    TEST_STATISTICS,
    WORDS,
    Drawn,
    Method,
    Table,
    default,
    match_method,
    methods,
    named,
    p_of_statistic,
)
from classay.measures import MEASURES, Measure
from classay.measures.matrices import among_answers
from classay.measures.probability import why_unbounded
from classay.measures.registry import READINGS
from classay.tables import CaseTable, ConfusionMatrix, ScoreTable
from classay.tables.bins import why_one_level
from classay.tables.own import OwnTable
from classay.tables.rows import CodedRows, RowCells
from classay.tables.sparse import MOST_DENSE, SparseConfusionMatrix
from classay.tables.sums import is_rounding

if TYPE_CHECKING:
    from classay.inference.left_out import Others

# Each of these modules registers its methods, which are listed and tried in this order.
# isort: off
from classay.inference.scores import auc  # noqa: F401
from classay.inference.scores import calibration  # noqa: F401
from classay.inference.scores import deviation  # noqa: F401
from classay.inference.scores import linearised  # noqa: F401
from classay.inference.scores import class_means  # noqa: F401
from classay.inference.scores import optimism  # noqa: F401
from classay.inference.bootstrap import bootstrap_intervals  # noqa: F401
from classay.inference.scores import several_classes, mean_aucs  # noqa: F401
from classay.inference.labels import shares  # noqa: F401
from classay.inference.labels import smooth  # noqa: F401
# isort: on

Array = NDArray[Any]

Drawing = Design | CodedRows | None
"""How the cases of a table were drawn; of tables of several classes' scores the rows of clusters, None without."""


class IntervalRequest(NamedTuple):
    """A measure whose interval is asked for, its value, and the method that was named, if one was."""

    measure: Measure
    value: float
    method: str | None = None

    @property
    def is_mirror(self) -> bool:
        """Whether the measure is the complement of another one, as the false negative rate is of recall."""
        return self.measure.complement is not None and self.measure.complement in MEASURES

    def of_complement(self, table: Table) -> IntervalRequest:
        """Return the request for the measure of which this is 1 minus; itself if it is no complement."""
        if not self.is_mirror:
            return self
        assert self.measure.complement is not None
        other = MEASURES[self.measure.complement]
        if isinstance(table, ConfusionMatrix | SparseConfusionMatrix):
            other = among_answers(other, table.labels)
        elif isinstance(table, OwnTable):
            other = READINGS[type(table)](other)
        return IntervalRequest(other, 1 - self.value, self.method)

    def mirrored(self, limits: IntervalResult) -> IntervalResult:
        """Return the interval of this measure from that of the measure of which it is 1 minus."""
        if not self.is_mirror or isinstance(limits, str):
            return limits
        low, high, used = limits
        # rounding leaves the value inside
        return min(self.value, 1 - high), max(self.value, 1 - low), used


@dataclass(frozen=True, eq=False)
class SampledTable:
    """A table, and how its cases were drawn: what the value and the interval of a measure are found from.

    `squares` is a table like `table` of squared sampling weights, None where cases count alike or are repeated
    (frequencies), and where the table holds them itself. `rows` are those of clusters, which are the independent units
    then, and `cells` turns influences by cell of `table` into influences by row. `by_class` says that both classes were
    drawn apart. A table of another task than one label each says itself how its cases were drawn.
    """

    table: Table
    drawn: Drawn
    squares: Table | None = None
    rows: CodedRows | None = None
    cells: RowCells | None = None
    seed: int = 0
    by_class: bool = False

    @cached_property
    def design(self) -> Drawing:
        """What variances are found from."""
        table = self.table
        if isinstance(table, OwnTable):
            return design_of(table)
        if not isinstance(table, (*LABELS, ScoreTable)):
            return self.rows
        if isinstance(table, ScoreTable) and self.rows is None:
            return replace(Design.of_cases(table, self.seed), by_class=self.by_class)
        return Design(table, self.squares, self.rows, self.cells, self.by_class, self.seed)

    def _method(self, measure: Measure, preferred: str | None) -> str | None:
        """Return the preferred method, as `match_method` gives it, where it serves the measure here.

        A complement has it where the other measure has it, whose interval is mirrored.
        """
        if preferred is None:
            return None
        other = IntervalRequest(measure, nan, preferred).of_complement(self.table).measure
        return preferred if isinstance(named(other, self.table, preferred, self.drawn), Method) else None

    def estimates(
        self,
        measures: Sequence[Measure],
        level: float,
        method: str | None = None,
        *,
        preferred: str | None = None,
    ) -> list[Estimate]:
        """Return the values of measures with their intervals, by a method of all, or else by the default of each.

        A `preferred` method takes the place of the defaults where it serves.
        """
        values = [float(measure(self.table)) for measure in measures]
        none = self._why_none
        requests = [
            IntervalRequest(measure, value, self._method(measure, preferred) if method is None else method)
            for measure, value in zip(measures, values, strict=True)
            if not isnan(value) and none is None
        ]
        intervals = iter(self.intervals(requests, level))
        return [
            Estimate.undefined(measure.why_undefined(self.table) or "0 / 0")
            if isnan(value)
            else Estimate.bare(value, none)
            if none is not None
            else self._tested(measure, value, estimate_of(value, next(intervals), level))
            for measure, value in zip(measures, values, strict=True)
        ]

    def intervals(self, requests: Sequence[IntervalRequest], level: float) -> list[IntervalResult]:
        """Return the intervals of values of measures, or the reasons why there are none.

        The interval of a complement, such as the false negative rate, is 1 minus that of the other measure, such as
        recall. Measures whose method shares its work among several are given to it together. Raises InputError when no
        method has the name, or none of this name serves the measure.
        """
        table, design = self.table, self.design
        limits: list[IntervalResult] = [""] * len(requests)
        together: dict[Method, list[int]] = {}
        for i, request in enumerate(requests):
            other = request.of_complement(table)
            chosen = self._chosen(other, level)
            if isinstance(chosen, str):
                limits[i] = chosen
            elif chosen.several is not None:
                together.setdefault(chosen, []).append(i)
            else:
                raw = chosen.function(other.measure, table, other.value, design, level)
                limits[i] = request.mirrored(shown_interval(raw))
        for method, indices in together.items():
            assert method.several is not None
            others = [requests[i].of_complement(table) for i in indices]
            measures, values = [other.measure for other in others], [other.value for other in others]
            for i, raw in zip(indices, method.several(measures, table, values, design, level), strict=True):
                limits[i] = requests[i].mirrored(shown_interval(raw))
        return limits

    def _chosen(self, request: IntervalRequest, level: float) -> Method | str:
        """Return the method of the interval of a measure that is no complement, or the reason why it has none."""
        (measure, value, method), table, drawn = request, self.table, self.drawn
        of_order = measure.needs == "scores" and measure.moments is None and method is None
        if of_order and isinstance(table, ScoreTable) and table.scores.size == 1:
            return why_one_level(table)
        chosen = (
            default(measure, table, value, self.design, level, drawn)
            if method is None
            else _named(measure, table, method, drawn)
        )
        if isinstance(table, ScoreTable | CaseTable) and isfinite(value) and not isinstance(chosen, str):
            return why_unbounded(measure, table) or chosen
        return chosen

    def _tested(self, measure: Measure, value: float, estimate: Estimate) -> Estimate:
        """Return the estimate of a test statistic with its two-sided p-value; any other as it is."""
        if measure.base not in TEST_STATISTICS:
            return estimate
        p = p_of_statistic(measure, value, self.drawn)
        if p is None:
            reason = "test statistic, for which a p value needs independent, equally weighted cases"
            return Estimate.bare(value, reason)
        return replace(estimate, p=p, reason=f"test statistic with two-sided {p_equation(p)}")

    @property
    def _why_none(self) -> str | None:
        """Why no measure of the table has an interval, or None where they may have one."""
        if self.drawn == "clustered" and _clusters(self.design) < 2:
            return "one cluster shows no variation"
        if self.drawn != "alike" and isinstance(self.table, SparseConfusionMatrix):
            return f"available for {WORDS[self.drawn]} up to {MOST_DENSE:,} classes only"
        return None


def estimate_of(value: float, limits: IntervalResult, level: float) -> Estimate:
    """The value with its limits, or with why it has none. A limit that is the value but for rounding is the value.

    >>> estimate_of(0.8, (0.6, 0.8 - 1e-16, "Wilson"), 0.95).high
    0.8
    """
    if isinstance(limits, str):
        return Estimate.bare(value, limits)
    low, high = (value if isclose(end, value, rel_tol=1e-15) else float(end) for end in limits[:2])
    return Estimate(value, low, high, level, limits[2])


def estimate(
    measure: Measure, table: Table, *, level: float = 0.95, seed: int = 0, method: str | None = None
) -> Estimate:
    """The value of a measure on a table of cases drawn alike, with its default interval, or that of a named method.

    `table` is what the measure needs: BinaryCounts, ConfusionMatrix, ScoreTable, ClassScoreTable or CaseTable.

    >>> from classay.measures import recall
    >>> from classay.tables import BinaryCounts
    >>> estimate(recall, BinaryCounts(6, 1, 4, 89))
    Estimate(0.600 [0.313, 0.832] 95%, Wilson)
    """
    return SampledTable(table, "alike", seed=seed).estimates([measure], level, method)[0]


def complement_interval(measure: Measure, others: Others, level: float) -> Estimate:
    """Return the estimate of a measure of all cases but those of a group, from what sums tell of them."""
    return estimate_of(others.value, shown_interval(others.interval(measure, level)), level)


def shown_interval(limits: IntervalResult) -> IntervalResult:
    """Return the interval that a method found, or why it is none: [x, x] would claim certainty."""
    if isinstance(limits, str):
        return limits
    low, high, _ = limits
    if isnan(low) or isnan(high):
        return "the limits are not defined"
    seen = isinf(high) or not is_rounding(high - low, max(abs(low), abs(high)))
    return limits if seen else "the cases show no variation"


def _named(measure: Measure, table: Table, method: str, drawn: Drawn) -> Method | str:
    wanted = match_method(method)
    chosen = named(measure, table, wanted, drawn)
    if chosen is None:
        known = "; ".join(dict.fromkeys(candidate.name for candidate in methods(measure, table, drawn)))
        elsewhere = drawn != "alike" and named(measure, table, wanted, "alike") is not None
        why = f" for {WORDS[drawn]}" + (
            " (only for independent, equally weighted cases)" if elsewhere else ""
        )
        has = f"Methods: {known}" if known and drawn != "alike" else f"Methods: {known or 'none'}"
        raise InputError(
            f"{measure.name} has no interval by method {wanted!r}{why if drawn != 'alike' else ''}. {has}."
        )
    return chosen


def _clusters(design: Drawing) -> int:
    rows = design.rows if isinstance(design, Design) else design
    assert rows is not None
    return len(rows.clusters)
