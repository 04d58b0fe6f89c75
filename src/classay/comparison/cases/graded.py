"""Values that are given, one a case and a model: grades, pass@k, times, ratings; compared as mean losses are."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isfinite, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.answers import AnswerPolicy, Missing, Unanswered
from classay.assessment.bands import Bands, refuse_bands_alone
from classay.columns.coding import code_labels
from classay.columns.doubtful import equal_models, repeats_said
from classay.columns.numbers import (
    as_array,
    counted,
    picked,
    placed,
    refuse_weights,
    row_weights,
    weight_scale,
)
from classay.columns.opened import rows_of, single_column
from classay.columns.repeats import repeated_index
from classay.comparison.cases.compare_panel import FEWEST_OF_BOARD
from classay.comparison.cases.difference import mcnemar
from classay.comparison.cases.joint_values import means_joint
from classay.comparison.cases.model_columns import groups_of
from classay.comparison.cases.panel_columns import GroupColumn
from classay.comparison.cases.score_measures import compare_losses
from classay.comparison.comparing import judged
from classay.comparison.comparison import Comparison, adjusted, pairs
from classay.comparison.comparisons import Comparisons, LazyList, check_sides, in_direction, level_of_both
from classay.comparison.gate_rules import LEFT_OUT, NO_ANSWERS, check_rule, interval_level
from classay.comparison.leaderboard import JointValues, Owned, leaderboard_of
from classay.comparison.omissions import omissions_of
from classay.errors import InputError
from classay.inference.design import Design, SamplingUnits, VarianceEstimate
from classay.inference.draws import seed_of
from classay.inference.estimate import Estimate
from classay.inference.methods import cite
from classay.inference.proportions import score_interval
from classay.inference.requirements import refuse_whole_range
from classay.kinds import Alternative, Rule, checked, is_mapping
from classay.tables.paired import PairedCounts
from classay.texts import DoorText, an, hint, in_columns
from classay.wings import way

Array = NDArray[Any]
Better = Literal["higher", "lower"]


@checked
def compare_values(
    values: Mapping[str, Iterable[object]],
    *,
    better: Better = "higher",
    bounds: tuple[float, float] | None = None,
    measure: str = "value",
    weight: Any = None,
    frequency: Any = None,
    cluster: Any = None,
    by: Any = None,
    bands: Mapping[str, Bands] | Bands | None = None,
    control: str | None = None,
    rule: Rule | None = None,
    margin: float | None = None,
    alternative: Alternative = "two-sided",
    adjustment: str = "holm",
    level: float | None = None,
    seed: int | np.random.Generator = 0,
    missing: Missing = "refuse",
    unanswered: Unanswered = "refuse",
) -> Comparisons:
    """Compare models by the means of values that are given for each case.

    Values are grades, times, ratings or pass@k, for example.

    Parameters
    ----------
    values : mapping of str to array-like
        A column of numbers `(cases,)` for each model, of the same cases in the same order.
    better : {"higher", "lower"}, default "higher"
        Which values are better.
    bounds : (float, float), optional
        Smallest and largest possible value. They keep the intervals of means inside.
    measure : str, default "value"
        Name of the values.
    weight : array-like, optional
        Sampling weight of each case.
    frequency : array-like, optional
        Number of identical rows that each row represents.
    cluster : array-like, optional
        Cluster of each case. Rows of one cluster depend on each other, such as the answers to one question
        or the questions on one text.
    by : array-like or mapping, optional
        Groups of the cases, one column, or several by their names. Models are compared in each group too,
        and a test shows whether their difference depends on the group.
    bands : sequence, str or mapping, optional
        Ranges that combine groups that are numbers. `[18, 40, 65]` makes four ranges, "4q" makes four with
        about as many cases each. With several columns a mapping, `{"age": [18, 40, 65]}`.
    control : str, optional
        The one model with which all other models are compared. Without it every pair is compared.
    rule : {"equivalent", "non-inferior", "superior", "not-worse"}, optional
        What to show of the first model of a pair, the new one. See `gate`.
    margin : float, optional
        Largest acceptable difference for the `rule`, above 0 and prespecified.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Side of the tests and intervals, for the first model of a pair minus the second. A side must be
        prespecified.
    adjustment : str, default "holm"
        Adjustment of the p-values over models and measures, one of the methods of `adjust`.
    level : float, optional
        Confidence level of the intervals, between 0 and 1. The default is 0.95, or the level of the
        evaluation or of the assessments.
    seed : int or numpy.random.Generator, default 0
        Start of all random numbers. Equal seeds give equal results.
    missing : {"refuse", "drop"}, default "refuse"
        What to do with cases without a group. "drop" keeps them among all cases, and in no comparison
        between groups.
    unanswered : {"refuse", "wrong", "drop"}, default "refuse"
        What to do with cases without a value of some model. "drop" excludes them for all models, and tests
        whether that favors one model. "wrong" counts them as the worse of the `bounds`.

    Returns
    -------
    Comparisons
        One comparison for each pair of models. For four or more models a leaderboard shows which may be the
        best.

    Raises
    ------
    InputError
        If a column is not numeric, or is infinite, missing, outside the bounds or of another length.
        If there are fewer than two models.
        If options exclude each other.

    Notes
    -----
    Pairs are compared by the paired t, over clusters if there are any. With `bounds`, the interval of a
    mean is Wilson's, with the number of 0/1 cases that would vary as much. Without them it is Student's,
    which is too short if few cases differ from the rest.

    References
    ----------
    Student 1908, Biometrika 6:1.

    Rao & Scott 1992, Biometrics 48:577.

    Examples
    --------
    >>> grades = {"new": [1, 0.5, 1, 0, 1, 0.5], "old": [0.5, 0.5, 1, 0, 0.5, 0.5]}
    >>> compare_values(grades, bounds=(0, 1), measure="grade")[0]
    Comparison(grade of new minus old: 0.167 [-0.104, 0.438] 95%, paired t; p = 0.17 (Holm), paired t)
    """
    check_rule(rule, margin)
    check_sides(alternative, None, rule, None)
    asked_level = 0.95 if level is None else level
    both = interval_level(rule, level_of_both(alternative, asked_level))
    sign = 1 if better == "higher" else -1
    groups = groups_of(None, None, by, may_be_many=bands is not None)
    if groups is None:
        refuse_bands_alone(bands, by)
    read = _read(values, bounds)
    rows = _answered(read, groups, _policy(read, groups, missing, unanswered), bounds)
    names = read.names
    if bounds is not None:
        refuse_whole_range("margin", margin, measure, *bounds)
    drawn, about = Drawn(weight, frequency, cluster), (measure, sign, bounds)
    worst = read.counted_as(None if bounds is None else bounds[sign < 0])
    grades, places = _grades(worst if rows is None else read, drawn, rows, about)

    def in_pairs() -> list[Comparison]:
        tests = adjusted(grades.pairs(control, both), adjustment)
        if rows is None:
            return tests
        of_worst = _whole(worst, drawn, about)
        is_bounded = of_worst is not None and bounds is not None
        return _with_omissions(
            tests, read, of_worst, sign, of_worst[0].pairs(control, both) if of_worst and is_bounded else None
        )

    is_board = len(names) >= FEWEST_OF_BOARD and control is None
    joint, alone = grades.joint()
    boards = (leaderboard_of(joint, alone, level=both, seed=seed_of(seed)),) if is_board else ()
    facts = [("models", ", ".join(names)), *grades.facts, ("values", f"{measure}, {better} is better")]
    if bounds is not None:
        facts.append(("bounds", f"{bounds[0]:g} to {bounds[1]:g}, declared"))
    facts += _gaps(read, rows)
    if control is not None:
        facts.append(("control", f"{control}, prespecified"))
    comparisons = Comparisons(
        LazyList(in_pairs) if is_board else tuple(in_pairs()),
        names,
        tuple(facts),
        both,
        seed_of(seed),
        leaderboards=boards,
        shows_pairs=not is_board,
        means=() if is_board else tuple((name, alone(name, asked_level)) for name in names),
        warnings=equal_models({name: [of] for name, of in grades.columns.items()}, "values", grades.cases),
    )
    comparisons = in_direction(comparisons, alternative, adjustment, asked_level)
    if groups is not None:
        how = (control, adjustment, alternative)
        by_group = way("compare_values.by")
        comparisons = by_group(comparisons, grades, groups.take(places), bands, how, (both, asked_level))
    if cluster is None and frequency is None:
        comparisons = with_repeats(
            comparisons, repeated_index(next(iter(values.values()))), read.table.shape[1]
        )
    judge = judged if groups is None else way("compare_values.rule")
    answer: Comparisons = judge(comparisons, rule, margin)
    return answer


def with_repeats(comparisons: Comparisons, repeats: tuple[str, int] | None, rows: int) -> Comparisons:
    """Return the comparisons with the warning of a column of ids that repeats its values, where there is one."""
    return (
        replace(comparisons, warnings=(*comparisons.warnings, *repeats_said(repeats, rows)))
        if repeats
        else comparisons
    )


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
        """Return some of the rows, whose clusters are numbered without gaps."""
        cluster = None if self.cluster is None else np.unique(self.cluster[rows], return_inverse=True)[1]
        return replace(
            self,
            columns={name: column[rows] for name, column in self.columns.items()},
            weight=None if self.weight is None else self.weight[rows],
            frequency=None if self.frequency is None else self.frequency[rows],
            cluster=cluster,
        )

    def pairs(self, control: str | None, level: float) -> list[Comparison]:
        """Return every pair of models, or all with a control, by the paired t."""
        width = inf if self.bounds is None else float(self.bounds[1] - self.bounds[0])
        tests = [
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
        return [self._with_interval(one, level).changed(better=self.better) for one in tests]

    def _with_interval(self, one: Comparison, level: float) -> Comparison:
        """The comparison; a constant difference of values between bounds has the interval of `constant_difference`."""
        if self.bounds is None or one.effect is None or one.effect.has_interval:
            return one
        a, b = (self.columns[name] for name in one.models)
        if self.design.is_alike and all(np.isin(values, self.bounds).all() for values in (a, b)):
            gained = (
                PairedCounts(0, self.cases, 0, 0)
                if one.effect.value > 0
                else PairedCounts(0, 0, self.cases, 0)
            )
            models = (one.models[0], one.models[1])
            as_labels = mcnemar(gained, models, measure=self.measure, level=level)
            low, width = self.bounds[0], self.bounds[1] - self.bounds[0]
            effect = as_labels.effect
            assert effect is not None
            effect = replace(
                effect, value=width * effect.value, low=width * effect.low, high=width * effect.high
            )
            return as_labels.changed(
                effect=effect, values=tuple(low + width * value for value in as_labels.values)
            )
        units = self.design.units
        return constant_difference(one, units, self.bounds, level=level, is_alike=self.design.is_alike)

    def joint(self) -> tuple[JointValues, Owned]:
        """Return all means with their covariance, and each alone."""
        return means_joint(self.measure, self.columns, self.better, self.bounds, self.design)


def constant_difference(
    one: Comparison, units: SamplingUnits, bounds: tuple[float, float], *, level: float, is_alike: bool
) -> Comparison:
    """Return the comparison of two models whose values differ by the same d in every unit, between the bounds a and b.

    The share (d + b - a) / (2 (b - a)) has Wilson's interval of as many cases as there are units, and the end towards
    the farther bound is at most that with one more unit at this bound. With sampling weights or clusters, Student's t
    takes the place of the normal law. The p-value is that of these intervals. None from one unit.
    """
    effect = one.effect
    assert effect is not None
    span, n = 2 * (bounds[1] - bounds[0]), float(units.number)
    degrees = inf if is_alike else n - 1
    share = effect.value / span + 0.5
    if not degrees > 0 or share == 0.5:
        return one
    turn = 1 if share > 0.5 else -1
    high_share = share if turn > 0 else 1 - share  # its farther bound is 0
    mean, equal = high_share * n / (n + 1), n * (n + 1 - high_share * n) / high_share
    shares = ((high_share, n), (mean, equal))
    law = VarianceEstimate(1.0, degrees)
    quantile = law.quantile(level)
    near = [score_interval(p * m, m, quantile) for p, m in shares]
    low, high = min(end for end, _ in near), near[0][1]
    statistic = turn * min((p - 0.5) / sqrt(0.25 / m) for p, m in shares)
    half = law.p(statistic) / 2
    tails = (half, 1 - half) if statistic > 0 else (1 - half, half)
    ends = sorted(span * turn * (float(end) - 0.5) for end in (low, high))
    return one.changed(
        effect=Estimate(
            effect.value, ends[0], ends[1], level, "Wilson, one pseudo-case added at the farther bound"
        ),
        p=min(1.0, 2 * min(tails)),
        method="Wilson's score",
        reference=cite("wilson1927"),
        statistic=statistic,
        df=None if is_alike else degrees,
        tails=tails,
        reason=None,
        n=units.number,
        units=units.name,
        level=level,
    )


@dataclass(frozen=True)
class Drawn:
    """How the rows were drawn, as it came: a column each, or None."""

    weight: Any = None
    frequency: Any = None
    cluster: Any = None


@dataclass(frozen=True, eq=False)
class GivenValues:
    """The values of the models as they came, `(models, rows)`; NaN where a model has none."""

    names: tuple[str, ...]
    table: Array

    @property
    def gaps(self) -> str:
        """How many cases lack a value of each model that lacks some."""
        lacking = zip(self.names, np.isnan(self.table).sum(1).tolist(), strict=True)
        return ", ".join(f"{name}: {count:,}" for name, count in lacking if count)

    def counted_as(self, value: float | None) -> GivenValues:
        """Return the same with a value in place of those that are missing; unchanged without one."""
        return (
            self if value is None else replace(self, table=np.where(np.isnan(self.table), value, self.table))
        )


Asked = tuple[str, int, tuple[float, float] | None]
"""The name of the values, 1 or -1 for which end is better, and their bounds."""


def _read(values: Any, bounds: tuple[float, float] | None) -> GivenValues:
    """The values of the models, of which some may be missing. Raises InputError for anything else that is wrong."""
    if not is_mapping(values) or len(values) < 2:
        came = counted(len(values), "column") if is_mapping(values) else an(type(values).__name__)
        how = hint(
            "Pass a dict of columns by the models' names, such as {'new': frame['new'], 'old': frame['old']}.",
            "Use --graded with the columns of two or more models, such as --graded new,old.",
        )
        raise InputError(f"Values of at least two models are needed, not {came}. {how}")
    columns = {
        str(name): as_array(single_column(column), hint(f"values[{name!r}]", f"The column of {name}")).astype(
            np.float64
        )
        for name, column in values.items()
    }
    lengths = {column.size for column in columns.values()}
    if len(lengths) > 1 or not max(lengths):
        sizes = ", ".join(f"{column.size:,} of {name}" for name, column in columns.items())
        raise InputError(
            f"Values differ in length: {sizes}. Use one value per model for every case, and at least one case."
        )
    name = next((name for name, column in columns.items() if np.isinf(column).any()), None)
    if name is not None:
        raise InputError(f"Values of {name} are infinite, so their mean is not defined. Exclude these cases.")
    table = np.stack([*columns.values()])
    if np.isnan(table).all():
        raise InputError("No case has a value of any model. Check the columns of values.")
    _check_bounds(bounds, table)
    return GivenValues(tuple(columns), table)


def _policy(read: GivenValues, groups: GroupColumn | None, missing: str, unanswered: str) -> AnswerPolicy:
    """Return how to treat cases without a value; missing="drop" is the former word for leaving these out."""
    policy = AnswerPolicy.of(missing, unanswered)
    has_other_use = groups is not None and not np.isnan(read.table).any()
    if (policy.missing, policy.unanswered) != ("drop", "refuse") or has_other_use:
        return policy
    warnings.warn(DROP_RENAMED, DeprecationWarning, stacklevel=2)
    return replace(policy, unanswered="drop")


DROP_RENAMED = DoorText.of(
    "Cases without a value are now excluded by "
    + hint("unanswered='drop', not by missing='drop'", "--unanswered drop, not by --missing drop")
    + ". The former option will be removed."
)
"""That a word has another name."""


WORST_NEEDS_BOUNDS = hint(
    "unanswered='wrong' counts a missing value as the worst possible value. Pass bounds=(low, high).",
    "--unanswered wrong counts a missing value as the worst possible value. Use --bounds LOW,HIGH.",
)


def _answered(
    read: GivenValues, groups: GroupColumn | None, policy: AnswerPolicy, bounds: tuple[float, float] | None
) -> Array | None:
    """Return the rows with a value of every model, where the others are left out; else None, for all rows.

    Raises InputError for cases without a value or a group that nothing was asked to be done with, and without bounds
    where a missing value is to be the worst.
    """
    if groups is not None and groups.codes.size != read.table.shape[1]:
        raise InputError(
            f"by has {counted(groups.codes.size)}, but the values have {read.table.shape[1]:,}. Use one group per case."
        )
    without = np.zeros(0, bool) if groups is None else groups.codes < 0
    if without.any() and policy.missing == "refuse":
        where = "" if groups is None else in_columns(groups.gaps)
        then = hint("Pass missing='drop'", "Use --missing drop")
        raise InputError(
            f"by{where} is missing in {placed(without)}. {then} to show these cases on a separate line."
        )
    if policy.unanswered == "wrong" and bounds is None:
        raise InputError(WORST_NEEDS_BOUNDS)
    gone = np.isnan(read.table)
    if not gone.any() or policy.unanswered == "wrong":
        return None
    if policy.unanswered == "refuse":
        lacking, name = next(
            (lacks, name) for lacks, name in zip(gone, read.names, strict=True) if lacks.any()
        )
        raise InputError(f"values of {name} are missing in {placed(lacking)}. {CHOICES}")
    rows = np.flatnonzero(~gone.any(0))
    if not rows.size:
        raise InputError("No case has a value of every model, so the models cannot be compared.")
    return rows


CHOICES = hint(
    "Pass unanswered='drop' to exclude these cases for all models, or unanswered='wrong' with bounds= to count "
    "missing values as the worst value.",
    "Use --unanswered drop to exclude these cases for all models, or --unanswered wrong with --bounds to count missing "
    "values as the worst value.",
)
"""What can be done with cases without a value."""


def _gaps(read: GivenValues, rows: Array | None) -> list[tuple[str, str]]:
    """Return the fact that cases without a value were left out, or count as the worst; none without such cases."""
    if rows is not None:
        left = counted(read.table.shape[1] - rows.size)
        return [(LEFT_OUT, f"{left} without a value of some model ({read.gaps})")]
    return [(NO_ANSWERS, f"{read.gaps}, counted as the worst value")] if read.gaps else []


def _grades(read: GivenValues, drawn: Drawn, rows: Array | None, request: Asked) -> tuple[Grades, Array]:
    """Return the rows that count, of all or of some of the rows, and their places among all."""
    n = read.table.shape[1]
    places = np.arange(n) if rows is None else rows
    with picked(rows):
        weight, frequency = row_weights(_taken(drawn.weight, rows), _taken(drawn.frequency, rows))
    refuse_weights(weight, frequency)
    if weight is not None:  # only their ratios mean anything, and squares of huge ones would overflow
        weight = weight * weight_scale(weight)
    codes = _codes(_taken(drawn.cluster, rows), places.size)
    columns = dict(zip(read.names, read.table[:, places], strict=True))
    grades = Grades(columns, weight, frequency, codes, *request)
    times = weight if frequency is None else frequency
    if times is not None and times.size != places.size:
        raise InputError(
            f"{'weight' if frequency is None else 'frequency'} has {times.size:,} rows, but the values have "
            f"{places.size:,}. Use columns of one length."
        )
    if times is None or times.all():
        return grades, places
    counted_rows = np.flatnonzero(times)  # a row of weight 0 is no case
    return grades.taken(counted_rows), places[counted_rows]


def _whole(worst: GivenValues, drawn: Drawn, request: Asked) -> tuple[Grades, Array] | None:
    """All rows, in which a missing value counts as the worst of the bounds, if any; None where a row cannot be read."""
    try:
        return _grades(worst, drawn, None, request)
    except InputError:  # how a row was drawn that was to be left out
        return None


def _with_omissions(
    tests: list[Comparison],
    read: GivenValues,
    of_worst: tuple[Grades, Array] | None,
    sign: int,
    at_worst: list[Comparison] | None,
) -> list[Comparison]:
    """Comparisons of the cases with values, with what was left out, tested as unanswered cases of predictions are.

    A value counts as right there where it is at least as good as the mean of its model: of 0 and 1, where it is 1.
    """
    places = np.arange(read.table.shape[1]) if of_worst is None else of_worst[1]
    values = dict(zip(read.names, read.table[:, places], strict=True))
    gone = {name: np.isnan(column) for name, column in values.items()}
    drawn = (None, None) if of_worst is None else (of_worst[0].frequency, of_worst[0].cluster)
    times = np.ones(places.size) if drawn[0] is None else drawn[0]
    right = {
        name: sign * column >= sign * np.average(column[~gone[name]], weights=times[~gone[name]])
        for name, column in values.items()
        if not gone[name].all()
    }
    effects = {one.models: one.effect for one in at_worst or ()}
    judged_tests = []
    for one in tests:
        omissions = omissions_of((one.models[0], one.models[1]), gone, right, *drawn)
        if omissions is not None:
            omissions = replace(omissions, worst=effects.get(one.models), names=("value", "rows"))
        judged_tests.append(replace(one, omissions=omissions))
    return judged_tests


def _check_bounds(bounds: Any, table: Array) -> None:
    if bounds is None:
        return
    low, high = bounds
    if not (isfinite(low) and isfinite(high) and low < high):
        raise InputError(
            f"bounds must be the lowest and the highest possible value, such as (0, 1), but are {bounds!r}."
        )
    least, most = float(np.nanmin(table)), float(np.nanmax(table))
    if least < low or most > high:
        raise InputError(
            f"Values range from {least:g} to {most:g}, outside the bounds {low:g} to {high:g}. Set the bounds "
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
            f"cluster has {coded.codes.size:,} rows, but the values have {rows:,}. Use columns of one length."
        )
    if (coded.codes < 0).any():
        raise InputError(f"cluster is missing in {placed(coded.codes < 0)}. Set the cluster of every row.")
    return np.unique(coded.codes, return_inverse=True)[1]


def _cases(column: Array, frequency: Array | None) -> int:
    return int(column.size if frequency is None else frequency.sum())
