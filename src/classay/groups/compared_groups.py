"""Groups of cases: each beside the others, and side by side; their measures, and how many cases these need.

Small groups are pooled on request. A group that cannot be compared has a reason.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment.assessment import Assessment
from classay.assessment.group_labels import Group
from classay.assessment.main_measures import few_said, is_improper, of_probabilities, too_few
from classay.assessment.task import OtherTask, TwoClasses
from classay.assessment.views import called, sampled_table
from classay.columns.numbers import counted
from classay.errors import InputError
from classay.groups.calendar_periods import period_index
from classay.inference.design import FEWEST, blocks_of, correlation, without_blocks
from classay.inference.estimate import Estimate
from classay.inference.groups_at_once import At, scores_at_once, shares_at_once
from classay.inference.left_out import OF_OTHERS, Others
from classay.kinds import FiniteOrNone, TypedFields
from classay.measures import Measure
from classay.tables import BinaryCounts, ConfusionMatrix, ScoreTable
from classay.tables.bins import BinnedScoreTable
from classay.tables.sums import sum_by_halves
from classay.texts import clean, quote


def absent_in_parts(overall: Assessment, names: Iterable[str]) -> dict[str, Estimate]:
    """The measures of probabilities, undefined in every part where the scores of all cases are no probabilities."""
    improper = [name for name in names if of_probabilities(name)]
    if not improper or not is_improper(overall):
        return {}
    return dict.fromkeys(improper, Estimate.undefined(overall.why_improper))


def known_of_others(
    overall: Assessment, groups: Sequence[Assessment], measures: Sequence[Measure]
) -> list[dict[str, Others]]:
    """Return what sums tell of the other cases of each group, so that no table is made for these."""
    known: list[dict[str, Others]] = [{} for _ in groups]
    tables = [group.scores for group in groups if group.scores is not None]
    # without labels only the table of scores knows how many cases there are
    if not tables or overall.interval is not None or overall.confusion_matrix is None:
        return known
    for name in (measure.name for measure in measures if measure.name in OF_OTHERS):
        for of_group, others in zip(known, OF_OTHERS[name](tables), strict=True):
            if others is not None:
                of_group[name] = others
    return known


def lean(a: Assessment, measures: list[Measure]) -> Assessment:
    """Return the assessment with only the tables that measures need, because no others are worth adding up."""
    if a.confusion_matrix is None or not all(measure.is_of_matrix for measure in measures):
        return a.changed(blocks=None)
    return replace(a.changed(blocks=None), task=a.task.labels_alone())


def is_exact(overall: Assessment) -> bool:
    """Check whether a part can be subtracted without a trace: counts of two classes can, weights are rounded.

    Bins keep a mean score, which differs between parts.
    """
    is_counted = (
        overall.kind_of_weight != "sampling"
        and overall.coded is None
        and not isinstance(overall.task, OtherTask)
    )
    return is_counted and overall.class_scores is None and not isinstance(overall.scores, BinnedScoreTable)


def without(total: Assessment, part: Assessment) -> Assessment:
    """Return the assessment of all cases but those of a part: of two classes, counted."""
    assert not isinstance(total.task, OtherTask)
    lost = {name: getattr(total, name) - getattr(part, name) for name in ("rows", "improper", "renormalised")}
    return replace(total, task=total.task.without(part.task)).changed(**lost)


NOT_KNOWN = (
    "clusters have rows in both groups, which scores of several classes and averages over tags do not allow"
)


def errors_by_block(part: Assessment, measure: Measure, blocks: Mapping[Hashable, int]) -> Array | str:
    """Return a measure of a part without each block of clusters in turn, or why that is not known."""
    if isinstance(part.task, OtherTask):
        tag = measure.class_among(part.labels, None)
        if measure.plain is None or tag is None:
            return NOT_KNOWN
        return errors_by_block(part.one_vs_rest(tag), measure.plain, blocks)
    table = part.table(measure)
    assert not isinstance(table, str)
    there, label = called(part, measure), measure.class_among(part.labels, part.positive)
    sampled = sampled_table(part if isinstance(there, str) else there, table, label)
    if sampled.cells is None or not isinstance(table, BinaryCounts | ConfusionMatrix | ScoreTable):
        return NOT_KNOWN
    assert part.coded is not None
    return without_blocks(measure, table, part.coded, sampled.cells, blocks)


def sums_of_others(parts: list[Assessment], outside: Assessment | None) -> Iterator[Assessment | None]:
    """For each part the sum of all others, by halves: so that the additions of k parts are k log k, not k²."""
    if len(parts) == 1:
        yield outside
        return
    left, right = parts[: len(parts) // 2], parts[len(parts) // 2 :]
    for half, rest in ((left, right), (right, left)):
        yield from sums_of_others(half, sum_by_halves(rest if outside is None else [outside, *rest]))


PERIOD = re.compile(r"\d{4}(-\d\d(-\d\d)?|-?Q[1-4]|-?W\d\d)")
"""A month, a day, a quarter or a week as text, which sorts as time does."""


def in_order(groups: Sequence[Hashable]) -> bool:
    """Check whether names of groups, sorted, are in an order that has a meaning: numbers, dates, or periods as text.

    >>> in_order((1, 2, 5)), in_order(("2026-01", "2026-02")), in_order(("2026-Q1", "2026-Q3")), in_order(("a", "b"))
    (True, True, True, False)
    """
    numbers = all(isinstance(label, int | float) and not isinstance(label, bool) for label in groups)
    days = all(isinstance(label, date) for label in groups)
    named = all(isinstance(label, str) and PERIOD.fullmatch(label) for label in groups)
    return numbers or days or named or period_index([*groups]) is not None


@dataclass(frozen=True, eq=False)
class GroupDifference(FiniteOrNone, TypedFields):
    """One measure in one group, with its difference from the reference.

    Parameters
    ----------
    group : label
        Label of the group.
    measure : str
        Name of the measure.
    estimate : Estimate
        The measure in the group.
    difference : Estimate
        Its difference from the reference, or the reason for none.
    p : float
        P-value of the difference, NaN without an interval of it.
    p_adjusted : float
        P-value adjusted by Holm over the groups that have one, for this measure.
    """

    group: Hashable
    measure: str
    estimate: Estimate
    difference: Estimate
    p: float
    p_adjusted: float


Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class SubgroupSet:
    """Groups of cases beside all of them, with the estimates that were made once: gaps and ratios share them.

    Groups `of_any_size` are compared if they have a value with an interval, however few cases they have to rate.
    """

    groups: Mapping[Hashable, Assessment]
    overall: Assessment
    of_any_size: bool = False
    _made: dict[tuple[str, float], dict[Hashable, Estimate]] = field(default_factory=dict)
    _at: dict[float, dict[Hashable, Assessment]] = field(default_factory=dict)
    _of_scores: dict[str, list[At] | None] = field(default_factory=dict)

    def estimates(self, measure: Measure, level: float | None = None) -> dict[Hashable, Estimate]:
        """Return the estimate of every group, at the level of the assessment or another one."""
        level = self.overall.level if level is None else level
        if (measure.name, level) not in self._made:
            self._made[measure.name, level] = self._found(measure, level)
        return self._made[measure.name, level]

    def why_not(self, measure: Measure) -> dict[Hashable, str]:
        """Return why a group cannot be compared, by its label; empty where it can."""
        counts = self._counts(measure)
        cases = None
        if counts is not None and measure.parts is not None:
            cases = np.asarray(measure.parts(*measure.read((counts,)))[1], np.float64).tolist()
        reasons = {}
        for place, (label, estimate) in enumerate(self.estimates(measure).items()):
            if estimate.is_undefined:
                reasons[label] = estimate.reason or "undefined"
                continue
            if not isfinite(estimate.value):
                reasons[label] = "the value is infinite, so gaps and ratios are not defined"
                continue
            if self.of_any_size:
                why = ""
            else:
                why = few_said(cases[place], "") if cases else too_few(measure, self.groups[label], "")
            reasons[label] = why or ("" if estimate.has_interval else f"no CI: {estimate.reason}")
        return reasons

    def _found(self, measure: Measure, level: float) -> dict[Hashable, Estimate]:
        """Return the estimates of all groups: at once where that can be, and one by one where it cannot."""
        known = self._at_once(measure, level) or [None] * len(self.groups)
        return {
            label: self._alone(label, measure, level) if estimate is None else estimate
            for label, estimate in zip(self.groups, known, strict=True)
        }

    def _alone(self, label: Hashable, measure: Measure, level: float) -> Estimate:
        """The estimate of one group; scores that are no probabilities in all cases are treated as none in a group."""
        if is_improper(self.overall) and of_probabilities(measure.name):
            return Estimate.undefined(self.overall.why_improper)
        return self._parts(level)[label].estimate(measure)

    def _parts(self, level: float) -> Mapping[Hashable, Assessment]:
        if level == self.overall.level:
            return self.groups
        if level not in self._at:
            self._at[level] = {label: part.changed(level=level) for label, part in self.groups.items()}
        return self._at[level]

    def _at_once(self, measure: Measure, level: float) -> Sequence[Estimate | None] | None:
        counts = self._counts(measure)
        if counts is not None:
            return shares_at_once(measure, counts, level)
        if measure.needs not in ("scores", "probabilities") or not self.are_plain:
            return None
        if is_improper(self.overall) and of_probabilities(measure.name):
            return None
        if measure.name not in self._of_scores:
            tables = [part.scores for part in self.groups.values()]
            exact = [table for table in tables if isinstance(table, ScoreTable)]
            is_exact = len(exact) == len(tables)
            self._of_scores[measure.name] = scores_at_once(measure, exact) if is_exact else None
        ready = self._of_scores[measure.name]
        return None if ready is None else [estimate_at(level) for estimate_at in ready]

    def _counts(self, measure: Measure) -> BinaryCounts | ConfusionMatrix | None:
        """The counts that a measure of labels needs, with the groups as leading axis; None where they are not plain."""
        matrix = self._matrix
        if matrix is None or measure.plain is not None or measure.threshold is not None:
            return None
        if measure.needs == "counts":
            return matrix.one_vs_rest(self.overall.positive)
        return matrix if measure.needs == "margins" else None

    @cached_property
    def are_plain(self) -> bool:
        """Whether cases of two classes are drawn alike, and intervals are the default ones."""
        overall = self.overall
        if (
            not isinstance(overall.task, TwoClasses)
            or overall.drawn != "alike"
            or overall.interval is not None
        ):
            return False
        return overall.cutoff is None or isfinite(overall.cutoff)

    @cached_property
    def _matrix(self) -> ConfusionMatrix | None:
        """The confusion matrices of all groups, `[group, predicted, true]`."""
        parts = [*self.groups.values()]
        matrices = [
            part.confusion_matrix for part in parts if isinstance(part.confusion_matrix, ConfusionMatrix)
        ]
        are_alike = all(matrix.labels == self.overall.labels for matrix in matrices)
        if not self.are_plain or not are_alike or not 0 < len(matrices) == len(parts):
            return None
        return ConfusionMatrix(np.stack([matrix.counts for matrix in matrices]), matrices[0].labels)

    @cached_property
    def share_clusters(self) -> bool:
        """Whether some cluster has rows in two groups, so that the errors of their estimates are correlated."""
        seen: set[Hashable] = set()
        for part in self.groups.values():
            clusters = {*(part.clusters or ())}
            if clusters & seen:
                return True
            seen |= clusters
        return False

    def correlations(self, labels: Sequence[Hashable], measure: Measure) -> Array | str:
        """How the errors of each two groups correlate, by leaving out blocks of clusters, or why this is not known."""
        clusters = self.overall.clusters
        assert clusters is not None
        if len(clusters) < FEWEST:
            return f"clusters have rows in several groups, and there are only {len(clusters)} clusters"
        blocks = blocks_of(clusters)
        without = []
        for label in labels:
            errors = errors_by_block(self.groups[label], measure, blocks)
            if isinstance(errors, str):
                return errors
            without.append(errors)
        correlations = np.zeros((len(labels), len(labels)))
        for i, first in enumerate(without):
            for j in range(i):
                correlations[i, j] = correlations[j, i] = correlation(first, without[j])
        return correlations


NOT_RECORDED = "not recorded"
"""What the line of cases without a group is called."""


def line_of_not_recorded(groups: Iterable[Hashable]) -> str:
    """Return what the line of cases without a group is called, as no group is.

    >>> line_of_not_recorded(["f", "m"]), line_of_not_recorded(["f", "not recorded"])
    ('not recorded', 'not recorded (missing)')
    """
    taken, name = {str(label) for label in groups}, NOT_RECORDED
    while name in taken:
        name = f"{name} (missing)"
    return name


def not_recorded_sentence(cases: int, by: Sequence[str], line: str = "not recorded") -> str:
    """Return what becomes of the cases without a group; `by` are the columns in which values are missing.

    >>> not_recorded_sentence(39, ["sex"])
    '39 cases without a recorded sex are included in all cases, but not in comparisons of groups (line not recorded).'
    """
    lacking = " or ".join(map(clean, by))
    are = "is" if cases == 1 else "are"
    return (
        f"{counted(cases, 'case')} without a recorded {lacking} {are} included in all cases, but not in comparisons of "
        f"groups (line {line})."
    )


FEWEST_POOLED = 2
"""Groups that make a pool, and the least number of cases below which one is asked to be small."""
NAMED = 5
"""Pooled groups that a sentence names before it counts them."""


class PooledGroup(Group):
    """The label of pooled groups of several columns, which all have its name: it prints as that name.

    >>> print(PooledGroup(("sex", "age"), ("the rest (2 groups)",) * 2))
    the rest (2 groups)
    """

    def __str__(self) -> str:
        return str(self[0])


@dataclass(frozen=True)
class PooledGroups(TypedFields):
    """Groups with fewer cases than were asked for, which together make one group.

    `small` are those groups, each with its cases, and `name` is the label of the group that they make: "the rest (7
    groups)", or longer if a group has that name. It is None if fewer than two are small, so that none is pooled.
    `groups` counts all groups before pooling.
    """

    fewer_than: int
    small: tuple[tuple[Hashable, int], ...] = ()
    name: Hashable | None = None
    groups: int = 0

    @classmethod
    def among(cls, cases: Mapping[Hashable, int], fewer_than: int) -> PooledGroups:
        """The groups that have too few cases, from the cases of each. Raises InputError where no group could be small.

        >>> pooled = PooledGroups.among({"a": 50, "b": 3, "c": 4}, 10)
        >>> pooled.name, pooled.cases, pooled.labels
        ('the rest (2 groups)', 7, ('b', 'c'))
        """
        if fewer_than < FEWEST_POOLED:
            raise InputError(
                f"pool must be a number of cases, at least {FEWEST_POOLED}, but is {fewer_than}."
            )
        small = tuple((label, int(n)) for label, n in cases.items() if n < fewer_than)
        name = _name_of(len(small), [*cases]) if len(small) >= FEWEST_POOLED else None
        return cls(fewer_than, small, name, len(cases))

    @property
    def cases(self) -> int:
        """Cases of the small groups together."""
        return sum(n for _, n in self.small)

    @property
    def labels(self) -> tuple[Hashable, ...]:
        """The groups that are pooled; none where there is no pool."""
        return () if self.name is None else tuple(label for label, _ in self.small)

    def recoded(self, codes: Array, labels: Sequence[Hashable]) -> tuple[Array, tuple[Hashable, ...]]:
        """Codes of groups into these labels, with those of the pool as one group, the last; -1 stays.

        >>> pooled = PooledGroups.among({"a": 50, "b": 3, "c": 4}, 10)
        >>> pooled.recoded(np.array([0, 2, 1, -1]), ["a", "b", "c"])
        (array([ 0,  1,  1, -1]), ('a', 'the rest (2 groups)'))
        """
        gone = {*self.labels}
        if not gone:
            return codes, tuple(labels)
        kept = [label for label in labels if label not in gone]
        place = {label: k for k, label in enumerate(kept)}
        new = np.array([*(place.get(label, len(kept)) for label in labels), -1], codes.dtype)
        return new[codes], (*kept, self.name)

    @property
    def sentence(self) -> str:
        """Which groups were pooled, and into what; or why none was."""
        than = f"fewer than {counted(self.fewer_than, 'case')}"
        if not self.small:
            return f"No groups were combined, because every group has at least {counted(self.fewer_than, 'case')}."
        named = "; ".join(f"{quote(label)} ({n:,})" for label, n in self.small[:NAMED])
        more = len(self.small) - NAMED
        named += f" and {more:,} more" if more > 0 else ""
        if self.name is None:
            return f"No groups were combined, because only {named} has {than}."
        all_of_them = f"All {len(self.small):,}" if len(self.small) == self.groups else f"{len(self.small):,}"
        still = ", still below the limit" if self.cases < self.fewer_than else ""
        return (
            f"{all_of_them} groups with {than} were combined into {quote(self.name)} "
            f"({counted(self.cases, 'case')}{still}): {named}."
        )

    def __str__(self) -> str:
        return clean(self.sentence)


def _name_of(small: int, labels: Sequence[Hashable]) -> Hashable:
    """Return the name of a pool of so many groups, which none of the groups has, as a label like theirs."""
    first = labels[0]
    known = {str(text) for label in labels for text in (label, *(label if isinstance(label, Group) else ()))}
    name, number = f"the rest ({small:,} groups)", 1
    while name in known:
        name = f"the rest ({small:,} groups, pooled{'' if number == 1 else f' {number}'})"
        number += 1
    return PooledGroup(first.columns, (name,) * len(first)) if isinstance(first, Group) else name
