"""`GroupAssessments`: one classifier assessed in each group of cases, the groups compared, and what to say of them."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from logging import getLogger
from types import MappingProxyType
from typing import Any, Literal

from classay.assessment.assessment import Assessment
from classay.assessment.bands import warned_of_numbers
from classay.assessment.group_labels import Group, match_group
from classay.assessment.main_measures import is_improper, main_measures, of_probabilities, too_few
from classay.assessment.required import DemandOfParts, without_group
from classay.columns.numbers import counted
from classay.compiled import thread_count, workers
from classay.errors import InputError
from classay.groups.column_warnings import warnings_with_groups
from classay.groups.compared_groups import (
    GroupDifference,
    PooledGroups,
    SubgroupSet,
    absent_in_parts,
    errors_by_block,
    is_exact,
    known_of_others,
    lean,
    line_of_not_recorded,
    sums_of_others,
    without,
)
from classay.groups.criteria import Criteria, criteria_of
from classay.groups.disparities import (
    ODDS,
    ODDS_RATIO,
    RATIO,
    Disparity,
    check_requirement,
    disparity_of,
    equalised_odds_of,
    equalised_odds_ratio_of,
    named_disparity,
    range_of_demand,
)
from classay.groups.new_group import NewGroup, new_group
from classay.groups.strata import Strata, criteria_within, names_of
from classay.inference.design import FEWEST, blocks_of, correlation
from classay.inference.estimate import Estimate
from classay.inference.intervals import complement_interval
from classay.inference.left_out import Others
from classay.inference.requirements import Outcome, Requirement
from classay.inference.significance import REFERENCE, SampleDifference, adjust, difference
from classay.measures import Measure, get
from classay.measures.vocabulary import pairs_of, quoted, read_name, unquoted
from classay.once import memoize
from classay.shown import ShownMapping, frame_of, plot
from classay.steps import steps
from classay.tables.sums import sum_by_halves
from classay.texts import quote
from classay.warned import Warned

LONG = (
    "classay: all {} measures are resampled in {} groups, which takes a while. Name the measures you "
    "need, as in frame('roc_auc', 'recall')."
)


@dataclass(frozen=True, eq=False)
class GroupAssessments(ShownMapping[Hashable, Assessment]):
    """One classifier on one test set, assessed in each group of cases.

    `groups["north"]` is the `Assessment` of a group, and `groups` is a mapping of labels to assessments.
    `groups.compare("recall")` is a `GroupDifference` for each group.

    Attributes
    ----------
    by : str
        Names of the columns.
    overall : Assessment
        Assessment of all cases.
    groups : dict of Assessment
        Assessments by group.
    reference : label or None
        Group that the others are compared with. None compares each with all other groups.
    ordered : bool
        Whether the groups have an order (numbers, dates, periods, ordered categories). They are also tested
        for a trend.
    pooled : PooledGroups or None
        Small groups that were combined, if requested.
    unpooled : GroupAssessments or None
        The groups as they were before.
    uncounted : tuple
        Labels of rows that all have weight 0 or were excluded, so that they make no group.
    gaps : tuple of str
        Columns in which cases without a group lack a value, if groups are by several columns.
    not_recorded : Assessment or None
        Assessment of the cases without a group, None if every case has one. They count in `overall`, and in
        no comparison between groups.
    recorded_cases : Assessment or None
        Assessment of the cases with a group.

    Notes
    -----
    Differences come from the intervals of both estimates (MOVER), and from the correlation of their errors
    if clusters have rows in both. P-values are adjusted for the number of groups that have one (Holm). No
    result explains why groups differ. Rates of groups with different prevalences cannot all be equal.

    References
    ----------
    Chouldechova 2017, Big Data 5:153.
    """

    by: str
    overall: Assessment
    groups: dict[Hashable, Assessment]
    reference: Hashable | None = None
    ordered: bool = False
    pooled: PooledGroups | None = None
    unpooled: GroupAssessments | None = None
    uncounted: tuple[Hashable, ...] = ()
    gaps: tuple[str, ...] = ()
    not_recorded: Assessment | None = None
    recorded_cases: Assessment | None = None

    @property
    def compared_cases(self) -> Assessment:
        """Assessment of all cases with a group, among which groups are compared."""
        return self.overall if self.recorded_cases is None else self.recorded_cases

    def __getitem__(self, group: Hashable) -> Assessment:
        return self.groups[self._matched(group)]

    def _refuse_missing(self, key: Any) -> None:
        self._matched(key)

    def _matched(self, group: Hashable) -> Hashable:
        """Return the group that is meant. Raises InputError where there is none, and where it was pooled."""
        pooled = self.pooled
        if pooled is not None and self.unpooled is not None and group not in (*self.groups, str(pooled.name)):
            before = (*self.unpooled.groups, *([] if pooled.name is None else [pooled.name]))
            known = match_group(group, before, self.by)
            if known in pooled.labels:
                cases = dict(pooled.small)[known]
                raise InputError(
                    f"Group {quote(known)} has {counted(cases, 'case')}, and groups with fewer than "
                    f"{pooled.fewer_than:,} were combined into {quote(pooled.name)}. Use that name, or a lower "
                    "pool."
                )
        return match_group(group, tuple(self.groups), self.by)

    def pool(self, fewer_than: int) -> GroupAssessments:
        """Combine the groups with fewer cases into one group.

        The tables are added, so the result is that of rows with one label from the start. If fewer than two
        groups are small, none is combined. Another call starts from the original groups, and the reference
        stays.

        Parameters
        ----------
        fewer_than : int
            Number of cases below which a group is small, at least 2.

        Returns
        -------
        GroupAssessments
            The combined group, which `pooled` names, and all others.

        Raises
        ------
        InputError
            If `fewer_than` is below 2.
            If the reference is small, or is a pool that no longer exists.

        Examples
        --------
        >>> from classay import assess_by
        >>> y, p, by = [1, 0] * 10, [0.9, 0.4, 0.3, 0.6] * 5, ["a"] * 12 + ["b"] * 4 + ["c"] * 4
        >>> groups = assess_by(y, p, by=by).pool(10)
        >>> list(groups), groups["the rest (2 groups)"].n
        (['a', 'the rest (2 groups)'], 8)
        """
        base, reference = self if self.unpooled is None else self.unpooled, self.reference
        pooled = PooledGroups.among({label: part.n for label, part in base.groups.items()}, fewer_than)
        if reference in pooled.labels:
            raise InputError(
                f"The reference {quote(reference)} has {counted(dict(pooled.small)[reference], 'case')}, and "
                f"groups with fewer than {fewer_than:,} are combined. Use another reference, or a lower pool."
            )
        if reference is not None and reference not in (*base.groups, pooled.name):
            raise InputError(
                f"The reference {quote(reference)} is a combined group, which does not exist if groups with "
                f"fewer than {fewer_than:,} cases are combined. Use another reference."
            )
        if pooled.name is None:
            return replace(base, reference=reference, pooled=pooled, unpooled=base)
        kept = {label: part for label, part in base.groups.items() if label not in pooled.labels}
        pool = sum_by_halves([base.groups[label] for label in pooled.labels])
        slices = replace(base, groups=kept | {pooled.name: pool}, ordered=False, pooled=pooled, unpooled=base)
        return replace(slices, reference=reference)

    def against(self, reference: Hashable | None) -> GroupAssessments:
        """Return the same groups, compared with a reference.

        None compares each group with all other groups.

        Raises
        ------
        InputError
            If the reference is no group.
        """
        return replace(self, reference=None if reference is None else self._matched(reference))

    def _ipython_key_completions_(self) -> list[Hashable]:
        """Return what a notebook offers in brackets: the groups."""
        return [*self.groups]

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings that a reader must know before acting.

        Those of the columns of all cases come first, then those of single groups.
        """
        return _warnings_of(self)

    @property
    def main_measures(self) -> tuple[str, ...]:
        """Main measures of each group, as far as they are available."""
        return main_measures(self.overall)

    def estimate(self, name: str | Measure) -> Estimate:
        """Estimate a measure in a group, or over all cases.

        Parameters
        ----------
        name : str or Measure
            A measure with its group, `recall[region=north]` or `recall[sex=f, age=1]`, or of all cases.
            Labels with a blank or a comma need double quotes. Of one class in a group it is
            `recall[other][region=north]`.

        Returns
        -------
        Estimate
            The value with its interval.

        Raises
        ------
        InputError
            If there is no such group.
        UnknownMeasureError
            If there is no such measure.
        """
        if isinstance(name, Measure):
            return self.overall.estimate(name)
        if (disparity := disparity_named(self, name)) is not None:
            return disparity.estimate
        part, plain = self.addressed(name)
        return part.estimate(plain)

    def addressed(self, name: str) -> tuple[Assessment, str]:
        """Split the name of a measure into its assessment and its name without group.

        Examples
        --------
        >>> from classay import assess_by
        >>> groups = assess_by([1, 0] * 4, [0.9, 0.2] * 4, by=["north", "south"] * 4)
        >>> groups.addressed("f_beta(3)[group=north]")[1], groups.addressed("recall[north]")[1]
        ('f_beta(3)', 'recall[north]')
        """
        group, plain = without_group(name, self.columns)
        return (self.overall, name) if group is None else (self[group], plain)

    def named_alike(self, name: str) -> str:
        """Return the right spelling of a name that confuses a group with a class.

        It is empty for other names.
        """
        written = read_name(name)
        if written is None or not written.brackets:
            return ""
        inside, plain = unquoted(written.brackets[-1]), written.without_last
        is_pair = pairs_of(written.brackets[-1], self.columns) is not None
        if is_pair and inside in map(str, self.overall.labels):
            key = json.dumps(inside, ensure_ascii=False)
            return f"{inside} is a group. Write the class of this name as {plain}[{key}]."
        if not is_pair and len(self.columns) == 1 and inside in map(str, self.groups):
            return f"Write the group of this name as {plain}[{self.columns[0]}={quoted(inside)}]."
        return ""

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that make the groups."""
        first = next(iter(self.groups), None)
        return first.columns if isinstance(first, Group) else (self.by,)

    def compare(self, *names: str) -> list[GroupDifference]:
        """Compare each group with the reference, in the named or all measures.

        Parameters
        ----------
        *names : str
            Names of measures. The default is all applicable ones.

        Returns
        -------
        list of GroupDifference
            One for each group of each measure, in this order.

        Raises
        ------
        UnknownMeasureError
            If there is no such measure.
        """
        wanted = [get(name) for name in names] if names else self.overall.applicable()
        if not names and "bootstrap" in (self.overall.interval or ""):
            getLogger("classay").warning(LONG.format(len(wanted), len(self.groups)))
        compared = dict(zip(self.groups, self._compared(wanted), strict=True))
        comparisons = []
        for measure in wanted:
            p_values = [compared[label][measure.name][1].p for label in self.groups]
            one_test = len(self.groups) == 2  # the second group against the first is the same test again
            adjusted = p_values if one_test else adjust(p_values).tolist()
            for label, p, p_adjusted in zip(self.groups, p_values, adjusted, strict=True):
                estimate, gap = compared[label][measure.name]
                comparisons.append(
                    GroupDifference(label, measure.name, estimate, gap.estimate, p, p_adjusted)
                )
        return comparisons

    def disparity(self, measure: str | Measure, *, control: str | Sequence[str] = ()) -> Disparity:
        """Estimate the largest gap of a measure between any two groups.

        Groups with too few cases are excluded and named.

        Parameters
        ----------
        measure : str or Measure
            The measure.
        control : str or sequence of str, default ()
            Columns of `by=` to hold fixed. Groups by the other columns are compared within their strata, as
            Mantel & Haenszel 1959 do.

        Returns
        -------
        Disparity
            The gap, with an interval that is valid for this extreme.

        Raises
        ------
        UnknownMeasureError
            If there is no such measure.
        InputError
            If `control` names other columns.
            If the measure is no rate, within strata.

        Notes
        -----
        The lower end is that of all pairs jointly, the upper end is plain. Each is one-sided at half of
        what remains of the level (see `inference.groups_at_once`).

        Examples
        --------
        >>> from classay import assess_by
        >>> y, p = [1] * 200 + [0] * 200, [0.9] * 150 + [0.1] * 50 + [0.2] * 200
        >>> recall = assess_by(y, p, by=["a"] * 100 + ["b"] * 100 + ["a", "b"] * 100).disparity("recall")
        >>> recall.estimate, recall.top
        (Estimate(0.500 [0.397, 0.596] 95%, MOVER of Wilson), 'a')
        """
        if names := names_of(control):
            return self._within(names).disparity(get(measure))
        return disparity_of(self._side_by_side, get(measure))

    def disparity_ratio(self, measure: str | Measure, *, control: str | Sequence[str] = ()) -> Disparity:
        """Estimate the smallest ratio of a measure between any two groups.

        The four-fifths rule asks for 0.8.

        Parameters
        ----------
        measure : str or Measure
            The measure.
        control : str or sequence of str, default ()
            Columns of `by=` to hold fixed, as in `disparity`.

        Returns
        -------
        Disparity
            The ratio with its interval. It is not defined if the measure is 0 in every group.

        Raises
        ------
        InputError
            If the measure can be below 0.

        Notes
        -----
        The lower end is plain, the upper end is that of all pairs jointly.
        """
        if names := names_of(control):
            return self._within(names).disparity(get(measure), ratio=True)
        return disparity_of(self._side_by_side, get(measure), ratio=True)

    def prediction_interval(
        self,
        measure: str | Measure = "roc_auc",
        *,
        method: Literal["confidence distribution", "Hartung-Knapp"] = "confidence distribution",
    ) -> NewGroup:
        """Predict a measure in a new group, if these groups are a sample of many.

        Parameters
        ----------
        measure : str or Measure, default "roc_auc"
            The ROC AUC (on the logit scale), the observed/expected ratio (logarithm), or the calibration slope.
        method : {"confidence distribution", "Hartung-Knapp"}
            How the interval of a new group is found. Hartung-Knapp is mean ± t(k - 1) · √(τ² + se²), which is
            often too narrow.

        Returns
        -------
        NewGroup
            The mean over groups with its interval (REML, Hartung-Knapp), and the interval of a new group.

        Raises
        ------
        InputError
            If the measure is another.

        Notes
        -----
        One pseudo-case, half of both classes, is added to groups with fewer than five cases of a class, or
        without overlap of the classes. These groups are named. A prediction interval needs five groups.

        The variance of an observed/expected ratio is from expected counts at the common ratio, with the moments
        of log(O + 1/2) of Poisson counts. It needs no pseudo-case. With clusters or sampling weights it is from
        the cases of each group. Then, and for the calibration slope, the median group needs 16 cases of each
        class, because means of many small groups are biased.

        References
        ----------
        Hartung & Knapp 2001, Statistics in Medicine 20:3875. Viechtbauer 2007, Statistics in Medicine 26:37.
        Nagashima et al. 2019, Statistical Methods in Medical Research 28:1689.

        Examples
        --------
        >>> from classay import assess_by
        >>> y, p = [1, 0, 1, 0] * 100, [0.9, 0.4, 0.3, 0.2, 0.8, 0.3, 0.6, 0.7, 0.5, 0.1] * 40
        >>> found = assess_by(y, p, by=[k // 40 for k in range(400)]).prediction_interval("roc_auc")
        >>> found.groups, found.tau
        (10, 0.0)
        """
        return new_group(self, measure, method)

    @property
    def equalised_odds_gap(self) -> Disparity:
        """Larger of the largest gaps of recall and of the false positive rate.

        References
        ----------
        Hardt, Price & Srebro 2016.
        """
        return equalised_odds_of(self._side_by_side)

    @property
    def equalised_odds_ratio(self) -> Disparity:
        """Smaller of the smallest ratios of recall and of the false positive rate.

        It is 1 for equal rates.
        """
        return equalised_odds_ratio_of(self._side_by_side)

    @property
    def equalized_odds_gap(self) -> Disparity:
        """`equalised_odds_gap`, in American spelling."""
        return self.equalised_odds_gap

    @property
    def equalized_odds_ratio(self) -> Disparity:
        """`equalised_odds_ratio`, in American spelling."""
        return self.equalised_odds_ratio

    def criteria(self, *, control: str | Sequence[str] = ()) -> Criteria:
        """Judge each fairness criterion, such as demographic parity.

        A criterion for which no gap is shown is not shown to hold.

        Parameters
        ----------
        control : str or sequence of str, default ()
            Columns of `by=` to hold fixed. Only criteria that are rates are judged then, within strata.

        Returns
        -------
        Criteria
            Each criterion with its largest gap, its smallest ratio, the groups and a sentence, and the
            criteria that exclude each other at these base rates.

        Raises
        ------
        InputError
            If there are several classes.
        """
        if names := names_of(control):
            return replace(criteria_within(self._within(names), self.by), warnings=self.warnings)
        return replace(criteria_of(self._side_by_side, self.by), pooled=self.pooled, warnings=self.warnings)

    @cached_property
    def _side_by_side(self) -> SubgroupSet:
        return SubgroupSet(self.groups, self.compared_cases)

    def _within(self, control: Sequence[str]) -> Strata:
        """Return the groups in strata: where small ones are pooled, those that are small over all strata together."""
        unpooled = self if self.unpooled is None else self.unpooled
        strata = Strata.of(unpooled._side_by_side, control)
        return strata if self.pooled is None else strata.pool(self.pooled.fewer_than)

    def frame(self, *names: str) -> Any:
        """Return the named measures of every group, or all, as a PyArrow table.

        Columns: group, n, positives (of two classes), measure, value, low, high, level, method, reason,
        difference, difference_low, difference_high, difference_method, difference_reason, p, p_adjusted.

        Raises
        ------
        UnknownMeasureError
            If there is no such measure.
        """
        comparisons = self.compare(*names)
        lines = [self._row(each) for each in (*comparisons, *self.list_not_recorded(comparisons))]
        return frame_of(lines, kinds={"n": "whole"})

    def list_not_recorded(self, rows: Sequence[GroupDifference]) -> list[GroupDifference]:
        """Append the cases without a group as the last line of each measure.

        They are compared with no group.
        """
        part = self.not_recorded
        if part is None:
            return []
        names = [*dict.fromkeys(row.measure for row in rows)]
        gap = SampleDifference.undefined("its cases have no recorded group")
        label = self.name_of_not_recorded
        estimates = self._estimates(part, names)
        return [GroupDifference(label, name, estimates[name], gap.estimate, gap.p, gap.p) for name in names]

    @property
    def name_of_not_recorded(self) -> str:
        """Name of the line of cases without a group, which no group has.

        Examples
        --------
        >>> from classay import assess_by
        >>> groups = assess_by([1, 0] * 4, [0.9, 0.2] * 4, by=["a", "b", None, "a"] * 2, missing="drop")
        >>> groups.overall.n, groups.name_of_not_recorded, groups.not_recorded.n
        (8, 'not recorded', 2)
        """
        return line_of_not_recorded(self.groups)

    def plot(self, measure: str = "", ax: Any = None) -> Any:  # type: ignore[override]
        """Draw one measure of all groups with its intervals, and that of all cases.

        The picture needs matplotlib (the extra `plot`).

        Parameters
        ----------
        measure : str, optional
            Name of the measure. The default is the first of `main_measures`.
        ax : matplotlib axes, optional
            Axes to draw on. The default is new axes.

        Returns
        -------
        matplotlib axes
            The axes with the picture.
        """
        return plot(self, ax, measure=measure)

    def __repr__(self) -> str:
        of = f"{len(self)} groups by {self.by!r}, {self.overall.n:,} cases"
        return f"GroupAssessments({of}; print it, or see .frame())"

    def _compared(self, measures: list[Measure]) -> list[dict[str, tuple[Estimate, SampleDifference]]]:
        """Each group against the reference, or against all others together; without others there is no comparison."""
        groups, improper = list(self.groups.values()), is_improper(self.overall)
        others: Iterable[Assessment | None]
        if self.reference is not None:
            others = [
                None if label == self.reference else self.groups[self.reference] for label in self.groups
            ]
        elif len(groups) < 2:
            others = [None]
        elif is_exact(all_cases := lean(self.compared_cases, measures)):
            telling = [measure for measure in measures if not (improper and of_probabilities(measure.name))]
            known = known_of_others(self.compared_cases, groups, telling)

            def against_rest(
                group: Assessment, known: dict[str, Others]
            ) -> dict[str, tuple[Estimate, SampleDifference]]:
                left = [measure for measure in measures if measure.name not in known]
                rest = without(lean(all_cases, left), lean(group, left))
                compared = self._against(group, rest, measures, known)
                advance()
                return compared

            # small groups are mostly Python, of which threads do no two at once: they would only wait for each other
            threads = thread_count(self.overall.rows // len(groups))
            with steps("groups", len(groups)) as advance, workers(threads) as run:
                return run(against_rest, groups, known)
        else:
            others = sums_of_others([lean(each, measures) for each in groups], None)
        compared = []
        with steps("groups", len(groups)) as advance:
            for group, other in zip(groups, others, strict=True):
                compared.append(self._against(group, other, measures))
                advance()
        return compared

    def _against(
        self,
        group: Assessment,
        other: Assessment | None,
        measures: list[Measure],
        known: Mapping[str, Others] = MappingProxyType({}),
    ) -> dict[str, tuple[Estimate, SampleDifference]]:
        names = [measure.name for measure in measures]
        ours, our_reference = self._at_levels(group, names)
        if other is None:
            why = "there is no other group" if self.reference is None else "it is the reference"
            return {name: (ours[name], SampleDifference.undefined(why)) for name in names}
        theirs, their_reference = self._at_levels(other, names, known)
        compared = {}
        for measure in measures:
            name = measure.name
            why = too_few(measure, group, "") or too_few(measure, other, " to compare with")
            gap = (
                SampleDifference.undefined(why)
                if why
                else self._apart(
                    measure,
                    (group, other),
                    (ours[name], theirs[name]),
                    (our_reference[name], their_reference[name]),
                )
            )
            compared[name] = (ours[name], gap)
        return compared

    def _at_levels(
        self, part: Assessment, names: list[str], known: Mapping[str, Others] = MappingProxyType({})
    ) -> tuple[dict[str, Estimate], dict[str, Estimate]]:
        """Return the estimates of a part at the level shown, and at that which p-values are read from."""
        shown = self._estimates(part, names, known)
        if part.level == REFERENCE:
            return shown, shown
        return shown, self._estimates(part.changed(level=REFERENCE), names, known)

    def _apart(
        self,
        measure: Measure,
        parts: tuple[Assessment, Assessment],
        shown: tuple[Estimate, Estimate],
        reference: tuple[Estimate, Estimate],
    ) -> SampleDifference:
        """The difference of two groups; if clusters have rows in both, the errors of the estimates are correlated."""
        group, other = parts
        ours, theirs = shown
        shared = {*(group.clusters or ())} & {*(other.clusters or ())}
        if not shared or not (ours.has_interval and theirs.has_interval):
            return difference(ours, theirs, reference=reference)
        if len(shared) < FEWEST:
            return SampleDifference.undefined(_straddling(len(shared)))
        assert self.overall.clusters is not None
        blocks = blocks_of(self.overall.clusters)
        blockwise = []
        for part in (group, other):
            errors = errors_by_block(part, measure, blocks)
            if isinstance(errors, str):
                return SampleDifference.undefined(errors)
            blockwise.append(errors)
        return difference(ours, theirs, correlation(*blockwise), reference=reference)

    def _estimates(
        self, part: Assessment, names: list[str], known: Mapping[str, Others] = MappingProxyType({})
    ) -> dict[str, Estimate]:
        """The estimates of a part; scores that are no probabilities in all cases are treated as none in a part too."""
        absent = absent_in_parts(self.overall, names)
        summed = {name: complement_interval(get(name), each, part.level) for name, each in known.items()}
        estimates = part.estimates([name for name in names if name not in absent and name not in known])
        return estimates | summed | absent

    def find_assessment(self, row: GroupDifference) -> Assessment:
        """Return the assessment of the group that a comparison concerns.

        That may be the cases without a group.
        """
        part = self.groups.get(row.group, self.not_recorded)
        assert part is not None
        return part

    def _row(self, cell: GroupDifference) -> dict[str, Any]:
        group = self.find_assessment(cell)
        row = {"group": str(cell.group), "n": group.n} | (
            {} if not group.is_binary else {"positives": positives(group)}
        )
        row |= {"measure": cell.measure} | cell.estimate.row
        limits = {"": cell.difference.value, "_low": cell.difference.low, "_high": cell.difference.high}
        row |= {f"difference{part}": value for part, value in limits.items()}
        row |= {"difference_method": cell.difference.method, "difference_reason": cell.difference.reason}
        return row | {"p": cell.p, "p_adjusted": cell.p_adjusted}


def disparity_named(s: GroupAssessments, name: str) -> Disparity | None:
    """Return the gap or ratio between groups that a requirement names, None where it names none."""
    if (wanted := named_disparity(name)) is None:
        return None
    kind, measure, control = wanted
    if kind in (ODDS, ODDS_RATIO):
        return s.equalised_odds_gap if kind == ODDS else s.equalised_odds_ratio
    return (s.disparity_ratio if kind == RATIO else s.disparity)(measure, control=control)


def demanded(name: str) -> DemandOfParts | None:
    """Return what a requirement on a gap or ratio between groups is of; None where a name is none of these."""
    if (wanted := named_disparity(name)) is None:
        return None

    def held(slices: GroupAssessments, demand: Requirement) -> Outcome:
        disparity = disparity_named(slices, demand.name)
        assert disparity is not None
        return check_requirement(demand, disparity)

    return DemandOfParts(wanted[1], lambda: range_of_demand(name), held)


def positives(a: Assessment) -> float:
    """Cases (or weight) of the positive class."""
    return float(a.class_totals[a.labels.index(a.positive)])


@memoize
def _warnings_of(s: GroupAssessments) -> tuple[Warned, ...]:
    return (*warnings_with_groups(s.overall, s.groups), *warned_of_numbers(s, s.by))


def _straddling(clusters: int) -> str:
    are = "1 cluster has" if clusters == 1 else f"{clusters:,} clusters have"
    return f"{are} rows in the group and outside, too few to estimate their dependence ({FEWEST} are needed)"
