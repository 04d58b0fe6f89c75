"""The interval of every measure: by the registry's default for its table and the way its cases were drawn."""

from __future__ import annotations

from collections.abc import Callable
from math import isinf, isnan
from typing import Any

from numpy.typing import NDArray

from classay.errors import InputError
from classay.inference.estimate import Estimate, Found
from classay.inference.labels.sampling_units import LabelUnits
from classay.inference.registry import (
    LABELS,
    WORDS,
    Drawn,
    Method,
    Table,
    default,
    match_method,
    methods,
    named,
)
from classay.inference.sampling_units import Units
from classay.inference.scores.auc import placed_interval
from classay.inference.scores.others import Others
from classay.measures import MEASURES, Measure
from classay.tables import BinaryCounts, ConfusionMatrix, ScoreTable
from classay.tables.rows import CodedRows

# Each of these modules registers its methods, which are listed and tried in this order.
# isort: off
from classay.inference.scores import auc  # noqa: F401
from classay.inference.calibration import overall  # noqa: F401
from classay.inference.calibration import deviation  # noqa: F401
from classay.inference.scores import linearised  # noqa: F401
from classay.inference.scores import optimism  # noqa: F401
from classay.inference.scores import crossings  # noqa: F401
from classay.inference.calibration import murphy  # noqa: F401
from classay.inference.bootstrap import on_request  # noqa: F401
from classay.inference.scores import case_by_case, mean_aucs, classes  # noqa: F401
from classay.inference.calibration import smooth_deviation  # noqa: F401
from classay.inference.labels import alike  # noqa: F401
from classay.inference.labels import smooth  # noqa: F401
from classay.inference.labels import sums  # noqa: F401
from classay.inference.labels import unlike  # noqa: F401
# isort: on

Array = NDArray[Any]
NOTHING = 1e-9
"""Width of an interval below which a spread is rounding."""

Drawing = LabelUnits | Units | CodedRows | None
"""How the cases of a table were drawn: of labels, of two classes' scores, or the rows of clusters; None where alike."""


def estimate(
    measure: Measure, table: Table, *, level: float = 0.95, seed: int = 0, method: str | None = None
) -> Estimate:
    """The value of a measure on a table of cases drawn alike, with its default interval, or that of a named method.

    `table` is what the measure needs: BinaryCounts, ConfusionMatrix, ScoreTable, ClassScoreTable or CaseTable.

    >>> from classay.measures import recall
    >>> from classay.tables import BinaryCounts
    >>> estimate(recall, BinaryCounts(6, 1, 4, 89))
    Estimate(0.600 [0.313, 0.832] 95 %, Wilson)
    """
    units: Drawing = None
    if isinstance(table, LABELS):
        units = LabelUnits(seed)
    elif isinstance(table, ScoreTable):
        units = Units.of_cases(table, seed)
    return _estimate(measure, table, units, level, "alike", method)


def weighted(
    measure: Measure,
    table: Table,
    squares: Table | None,
    level: float,
    *,
    seed: int = 0,
    method: str | None = None,
) -> Estimate:
    """The estimate of a measure of cases with sampling weights, with its default interval, or that of a named method.

    `squares` is a table like `table` with the sums of squared weights, where the table does not hold them itself.
    """
    units: Drawing = None
    if isinstance(table, LABELS):
        units = LabelUnits(seed, _of_labels(squares))
    elif isinstance(table, ScoreTable):
        units = Units.of_cases(table)
    return _estimate(measure, table, units, level, "weighted", method)


def clustered(
    measure: Measure,
    table: Table,
    rows: CodedRows,
    cells: Callable[[Array], Array] | None,
    level: float,
    *,
    squares: Table | None = None,
    seed: int = 0,
    method: str | None = None,
) -> Estimate:
    """The estimate of a measure of rows in clusters: clusters, not rows, are the independent units.

    `cells` turns influences by cell of `table` into influences by row; `squares` is a table like `table` of squared
    sampling weights, None where rows count alike or are repeated (frequencies).
    """
    units: Drawing = rows
    if isinstance(table, LABELS):
        units = LabelUnits(seed, _of_labels(squares), rows, cells)
    elif isinstance(table, ScoreTable):
        units = Units(table, rows, cells, seed=seed)
    return _estimate(measure, table, units, level, "clustered", method)


def _of_labels(squares: Table | None) -> BinaryCounts | ConfusionMatrix | None:
    assert squares is None or isinstance(squares, LABELS)
    return squares


def _estimate(
    measure: Measure, table: Table, units: Drawing, level: float, drawn: Drawn, method: str | None = None
) -> Estimate:
    value = float(measure(table))
    if isnan(value):
        return Estimate.undefined(measure.why_undefined(table) or "0 / 0")
    if drawn == "clustered" and _clusters(units) < 2:
        return Estimate.bare(value, "one cluster shows no spread")
    return _with(value, find(measure, table, value, units, level, drawn, method), level)


def _with(value: float, found: Found, level: float) -> Estimate:
    if isinstance(found, str):
        return Estimate.bare(value, found)
    low, high, used = found
    return Estimate(value, low, high, level, used)


def of_others(measure: Measure, others: Others, level: float) -> Estimate:
    """The estimate of the AUC, or on its own scale of Gini's coefficient, of all cases but those of a group."""
    found = _seen(placed_interval(others.auc, others.auc, others.placed, level))
    estimate = _with(others.auc, found, level)
    if measure.name == "roc_auc":
        return estimate
    ends = (2 * each - 1 for each in (estimate.value, estimate.low, estimate.high))
    return Estimate(*ends, estimate.level, estimate.method, estimate.reason)


def find(
    measure: Measure,
    table: Table,
    value: float,
    units: Drawing,
    level: float,
    drawn: Drawn,
    method: str | None = None,
) -> Found:
    """The interval of a value by the default method or a named one, or the reason why there is none.

    That of a complement, such as the false negative rate, is the mirror of the other's, such as recall. Raises
    InputError when no method has this name, or none of this name serves the measure.
    """
    if measure.complement is not None and measure.complement in MEASURES:
        other = find(MEASURES[measure.complement], table, 1 - value, units, level, drawn, method)
        if isinstance(other, str):
            return other
        low, high, used = other
        return min(value, 1 - high), max(value, 1 - low), used  # rounding leaves the value inside
    return _found(measure, table, value, units, level, drawn, method)


def _found(
    measure: Measure,
    table: Table,
    value: float,
    units: Drawing,
    level: float,
    drawn: Drawn,
    method: str | None,
) -> Found:
    """The interval of a measure that is no complement."""
    of_order = measure.needs == "scores" and measure.moments is None and method is None
    if of_order and isinstance(table, ScoreTable) and table.scores.size == 1:
        return "all scores are equal"
    chosen = (
        default(measure, table, value, units, level, drawn)
        if method is None
        else _named(measure, table, method, drawn)
    )
    if isinstance(chosen, str):
        return chosen
    return _seen(chosen.function(measure, table, value, units, level))


def _seen(found: Found) -> Found:
    """The interval that a method found, or why it is none."""
    if isinstance(found, str):
        return found
    low, high, _ = found
    if isnan(low) or isnan(high):
        return "one case shows no spread"
    # [x, x] would claim certainty
    seen = isinf(high) or high - low > NOTHING * max(1.0, abs(high))
    return found if seen else "the cases at hand show no spread of it"


def _named(measure: Measure, table: Table, method: str, drawn: Drawn) -> Method | str:
    wanted = match_method(method)
    found = named(measure, table, wanted, drawn)
    if found is None:
        known = ", ".join(dict.fromkeys(each.name for each in methods(measure, table, drawn)))
        elsewhere = drawn != "alike" and named(measure, table, wanted, "alike") is not None
        why = f" for {WORDS[drawn]}" + (", which it takes for independent and alike" if elsewhere else "")
        has = f"there it has {known}" if known and drawn != "alike" else f"it has {known or 'none'}"
        raise InputError(
            f"{measure.name} has no interval by the method {wanted!r}{why if drawn != 'alike' else ''}: {has}."
        )
    return found


def has_method(measure: Measure, table: Table, method: str, drawn: Drawn = "alike") -> bool:
    """Whether a method of `match_method` gives the interval of a measure of this table of cases so drawn."""
    return isinstance(named(measure, table, method, drawn), Method)


def _clusters(units: Drawing) -> int:
    rows = units.rows if isinstance(units, LabelUnits | Units) else units
    assert rows is not None
    return len(rows.clusters)
