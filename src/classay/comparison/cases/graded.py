"""Values that are given, one a case and a model: grades, pass@k, times, ratings; compared as mean losses are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isfinite
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.answers import Missing
from classay.columns.coding import code_labels
from classay.columns.numbers import (
    as_array,
    counted,
    picked,
    placed,
    refuse_weights,
    row_weights,
    weight_scale,
)
from classay.columns.opened import rows_of
from classay.comparison.cases.compare_assessments import GroupFound, level_for, of_parts
from classay.comparison.cases.compare_panel import FEWEST_OF_BOARD
from classay.comparison.cases.joint_values import means_joint
from classay.comparison.cases.model_columns import groups_of
from classay.comparison.cases.panel import GroupColumn
from classay.comparison.cases.score_measures import compare_losses
from classay.comparison.comparing import judged
from classay.comparison.comparison import Alternative, Comparison, adjusted, pairs
from classay.comparison.comparisons import (
    Comparisons,
    Deferred,
    check_sides,
    in_direction,
    level_of_both,
)
from classay.comparison.gate_rules import LEFT_OUT, Rule, check_rule, interval_level
from classay.comparison.leaderboard import JointValues, Owned, leaderboard_of
from classay.errors import InputError
from classay.inference.design import Design
from classay.inference.draws import seed_of
from classay.inference.requirements import refuse_whole_range
from classay.kinds import checked
from classay.texts import an

Array = NDArray[Any]
Better = Literal["higher", "lower"]


@checked
def compare_values(
    values: Mapping[str, Any],
    *,
    better: Better = "higher",
    bounds: tuple[float, float] | None = None,
    measure: str = "value",
    weight: Any = None,
    frequency: Any = None,
    cluster: Any = None,
    by: Any = None,
    control: str | None = None,
    rule: Rule | None = None,
    margin: float | None = None,
    alternative: Alternative = "two-sided",
    adjustment: str = "holm",
    level: float | None = None,
    seed: int | np.random.Generator = 0,
    missing: Missing = "refuse",
) -> Comparisons:
    """Compare models by values that are given for each case: grades, times, ratings, pass@k; by their means.

    `values` holds a column of numbers for each model, `(cases,)`, of the same cases in the same order; `better` says
    which end is better, `measure` names what they are. Rows of one `cluster` are not independent, such as the answers
    to one question or the questions on one text. `weight` are sampling weights, `frequency` numbers of identical rows;
    a column each. If the `bounds` of all possible values are given, the interval of a mean is Wilson's, with the number
    of 0/1 cases that would vary as much, and stays inside the bounds. Otherwise it is Student's, which is too short if
    few cases differ from the rest. Pairs are compared by the paired t, over clusters if there are any; for four models
    or more a leaderboard says which may be the best. `by` are the groups of the cases, a column or several by their
    names: models are compared in each group too, and it is tested whether their difference depends on the group.
    `missing="drop"` leaves out cases without a value of some model or a group. Other options are those of `compare`.

    Raises InputError for columns that are no numbers, infinite, missing, of unequal length or outside the bounds, for
    fewer than two models, and for options that do not go together. Student 1908, Biometrika 6:1; Rao & Scott 1992,
    Biometrics 48:577.

    >>> grades = {"new": [1, 0.5, 1, 0, 1, 0.5], "old": [0.5, 0.5, 1, 0, 0.5, 0.5]}
    >>> compare_values(grades, bounds=(0, 1), measure="grade")[0]
    Comparison(grade of new less old: 0.167 [-0.104, 0.438] 95 %, paired t; p = 0.17 (Holm), paired t)
    """
    check_rule(rule, margin)
    check_sides(alternative, None, rule, None)
    asked = 0.95 if level is None else level
    both = interval_level(rule, level_of_both(alternative, asked))
    sign = 1 if better == "higher" else -1
    groups = groups_of(None, None, by)
    names, columns, dropped, rows = _columns(values, bounds, missing, groups)
    if bounds is not None:
        refuse_whole_range("margin", margin, measure, *bounds)
    with picked(rows):
        weights = row_weights(_taken(weight, rows), _taken(frequency, rows))
    refuse_weights(*weights)
    if weights[0] is not None:  # only their ratios mean anything, and squares of huge ones would overflow
        weights = weights[0] * weight_scale(weights[0]), weights[1]
    codes = _codes(_taken(cluster, rows), columns[0].size)
    grades = Grades(dict(zip(names, columns, strict=True)), *weights, codes, measure, sign, bounds)
    of_group = None if groups is None else groups.codes if rows is None else groups.codes[rows]
    times = weights[0] if weights[1] is None else weights[1]
    if times is not None and times.size != columns[0].size:
        raise InputError(
            f"{'weight' if weights[1] is None else 'frequency'} has {times.size:,} rows, the values have "
            f"{columns[0].size:,}: pass columns of one length."
        )
    if times is not None and not times.all():
        counted_rows = np.flatnonzero(times)  # a row of weight 0 is no case
        grades = grades.taken(counted_rows)
        of_group = None if of_group is None else of_group[counted_rows]

    def in_pairs() -> list[Comparison]:
        return adjusted(grades.pairs(control, both), adjustment)

    is_board = len(names) >= FEWEST_OF_BOARD and control is None
    boards = (leaderboard_of(*grades.joint(), level=both, seed=seed_of(seed)),) if is_board else ()
    facts = [("models", ", ".join(names)), *grades.facts, ("values", f"{measure}, {better} is better")]
    if bounds is not None:
        facts.append(("bounds", f"{bounds[0]:g} to {bounds[1]:g}, declared"))
    if dropped:
        without = "a value of some model" if groups is None else "a value of some model or a group"
        facts.append((LEFT_OUT, f"{counted(dropped)} without {without}"))
    if control is not None:
        facts.append(("control", f"{control}, named beforehand"))
    found = Comparisons(
        Deferred(in_pairs) if is_board else tuple(in_pairs()),
        names,
        tuple(facts),
        both,
        seed_of(seed),
        leaderboards=boards,
        shows_pairs=not is_board,
    )
    found = in_direction(found, alternative, adjustment, asked)
    if groups is not None and of_group is not None:
        each = {label: grades.taken(np.flatnonzero(of_group == k)) for k, label in enumerate(groups.labels)}
        emptied = tuple(label for label, part in each.items() if not part.cases)
        each = {label: part for label, part in each.items() if part.cases}
        parts = [
            GroupFound(label, part.cases, tuple(part.pairs(control, both)), {measure: part.joint()[0]})
            for label, part in each.items()
        ]
        wide = level_for(both, len(parts))
        surest = Deferred(lambda: [one for part in each.values() for one in part.pairs(control, wide)])
        found = of_parts(found, groups.name, parts, emptied, surest, adjustment, alternative, asked)
    return judged(found, rule, margin)


@dataclass(frozen=True, eq=False)
class Grades:
    """The values of the models, `(rows,)` each, of the same checked rows, and how these were drawn."""

    columns: Mapping[str, Array]
    weight: Array | None
    frequency: Array | None
    cluster: Array | None
    measure: str
    better: int
    bounds: tuple[float, float] | None

    @cached_property
    def design(self) -> Design:
        """How the rows were drawn, each of which is a place."""
        rows = len(next(iter(self.columns.values())))
        return Design.of_rows(rows, frequency=self.frequency, weight=self.weight, cluster=self.cluster)

    @property
    def cases(self) -> int:
        """The number of cases."""
        return _cases(next(iter(self.columns.values())), self.frequency)

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """How many cases and clusters there are."""
        clusters = () if self.cluster is None else (("clusters", f"{int(self.cluster.max()) + 1:,}"),)
        return (("cases", f"{self.cases:,}"), *clusters)

    def taken(self, rows: Array) -> Grades:
        """Some of the rows, whose clusters are numbered without gaps."""
        cluster = None if self.cluster is None else np.unique(self.cluster[rows], return_inverse=True)[1]
        return replace(
            self,
            columns={name: each[rows] for name, each in self.columns.items()},
            weight=None if self.weight is None else self.weight[rows],
            frequency=None if self.frequency is None else self.frequency[rows],
            cluster=cluster,
        )

    def pairs(self, control: str | None, level: float) -> list[Comparison]:
        """Every pair of models, or all with a control, by the paired t."""
        width = inf if self.bounds is None else float(self.bounds[1] - self.bounds[0])
        made = [
            compare_losses(
                self.columns[a],
                self.columns[b],
                (a, b),
                measure=self.measure,
                level=level,
                width=width,
                design=self.design,
            )
            for a, b in pairs([*self.columns], control)
        ]
        return [one.changed(better=self.better) for one in made]

    def joint(self) -> tuple[JointValues, Owned]:
        """All means with their covariance, and each alone."""
        return means_joint(self.measure, self.columns, self.better, self.bounds, self.design)


def _columns(
    values: Any, bounds: tuple[float, float] | None, missing: Missing, groups: GroupColumn | None
) -> tuple[tuple[str, ...], list[Array], int, Array | None]:
    """The names of the models, their columns, how many rows were left out, and which stay if some were."""
    if not isinstance(values, Mapping) or len(values) < 2:
        is_dict = isinstance(values, Mapping)
        came = "values have fewer than two columns" if is_dict else f"values are {an(type(values).__name__)}"
        raise InputError(
            f"{came}: pass a dict of two columns or more by the models' names, such as {{'new': frame['new'], 'old': "
            "frame['old']}."
        )
    columns = {
        str(name): as_array(each, f"values of {name}").astype(np.float64) for name, each in values.items()
    }
    lengths = {each.size for each in columns.values()}
    if len(lengths) > 1 or not max(lengths):
        told = ", ".join(f"{each.size:,} of {name}" for name, each in columns.items())
        raise InputError(
            f"the values are {told}: pass one for each of the same cases, and one case at least."
        )
    table = np.stack([*columns.values()])
    if groups is not None and groups.codes.size != table.shape[1]:
        raise InputError(
            f"by has {counted(groups.codes.size)}, and the values {table.shape[1]:,}: pass one a case."
        )
    without = np.zeros(table.shape[1], bool) if groups is None else groups.codes < 0
    if without.any() and missing == "refuse":
        raise InputError(
            f"by is missing in {placed(without)}: missing='drop' (--missing drop) leaves out such cases for all models."
        )
    gone = np.isnan(table).any(0) | without
    if gone.any() and missing == "refuse":
        name = next(name for name, each in columns.items() if np.isnan(each).any())
        raise InputError(
            f"values of {name} are missing in {placed(np.isnan(columns[name]))}: missing='drop' (--missing drop) "
            "leaves out such cases for all models."
        )
    rows = np.flatnonzero(~gone) if gone.any() else None
    table = table if rows is None else table[:, rows]
    if not table.size:
        raise InputError("no case has a value of every model: nothing can be compared.")
    if not np.isfinite(table).all():
        name = next(name for name, each in zip(columns, table, strict=True) if not np.isfinite(each).all())
        raise InputError(
            f"values of {name} are infinite: a mean of them says nothing; leave these cases out."
        )
    _check_bounds(bounds, table)
    return tuple(columns), list(table), int(gone.sum()), rows


def _check_bounds(bounds: Any, table: Array) -> None:
    if bounds is None:
        return
    low, high = bounds
    if not (isfinite(low) and isfinite(high) and low < high):
        raise InputError(
            f"bounds are {bounds!r}: pass the least and the greatest possible value, such as (0, 1)."
        )
    if table.min() < low or table.max() > high:
        raise InputError(
            f"values go from {table.min():g} to {table.max():g}, outside the bounds {low:g} to {high:g}: declare those "
            "of all possible values."
        )


def _taken(column: Any, rows: Array | None) -> Any:
    return column if column is None or rows is None else rows_of(column, rows)


def _codes(cluster: Any, rows: int) -> Array | None:
    """Whole numbers from 0 without gaps for the clusters."""
    if cluster is None:
        return None
    coded = code_labels(cluster, "cluster")
    if coded.codes.size != rows:
        raise InputError(
            f"cluster has {coded.codes.size:,} rows, the values have {rows:,}: pass columns of one length."
        )
    if (coded.codes < 0).any():
        raise InputError(f"cluster is missing in {placed(coded.codes < 0)}: name the cluster of every row.")
    return np.unique(coded.codes, return_inverse=True)[1]


def _cases(column: Array, frequency: Array | None) -> int:
    return int(column.size if frequency is None else frequency.sum())
