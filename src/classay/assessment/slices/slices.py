"""Slices: one classifier assessed in each group of cases, and the groups compared."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from logging import getLogger
from types import MappingProxyType
from typing import Any

from classay.assessment.assessment import Assessment
from classay.assessment.groups import Group, match_group
from classay.assessment.slices.measured import is_improper, main_measures, of_probabilities, too_few
from classay.assessment.slices.others import is_exact, known_of_others, lean, sums_of_others, without
from classay.assessment.views import of_measure
from classay.columns.frames import frame_of
from classay.inference.estimate import Estimate
from classay.inference.intervals import of_others
from classay.inference.multiplicity import adjust
from classay.inference.scores.others import Others
from classay.inference.shared_clusters import FEWEST, blocks_of, correlation, without_blocks
from classay.inference.two_samples import REFERENCE, Difference, difference
from classay.measures import Measure, get
from classay.measures.names import pairs_of, read_name
from classay.shown import Shown, plot
from classay.tables import BinaryCounts, ConfusionMatrix, ScoreTable
from classay.threads import thread_count, workers

LONG = (
    "classay: all {} measures are resampled in each of {} groups, which takes a while: name those that are wanted, as "
    "in frame('roc_auc', 'recall')."
)


@dataclass(frozen=True)
class Slice:
    """One measure in one group: its estimate, how far it is from the reference's, and the p-values of that.

    `p_adjusted` is Holm's over the groups that have a p-value, for this measure. Both p-values are NaN
    where there is no difference with an interval; the reason stands in `difference`.
    """

    group: Hashable
    measure: str
    estimate: Estimate
    difference: Estimate
    p: float
    p_adjusted: float


@dataclass(frozen=True, eq=False)
class Slices(Shown):
    """One classifier on one test set, assessed apart in each group of cases.

    `slices["north"]` is the `Assessment` of a group, `slices.overall` that of all cases; `slices.compare("recall")`
    a `Slice` for each group, whose difference is from `reference`, or from all other groups together where that is
    None. Differences come from both estimates' own intervals (see `inference.independent`), and where clusters have
    rows in both, from the correlation of their errors (`inference.sharing`); p-values are adjusted for the number of
    groups that have one (Holm). None of this says why groups differ: rates of groups whose prevalence differs cannot
    all be equal (Chouldechova 2017, Big Data 5:153). Groups that are `ordered` (numbers, dates, periods, ordered
    categories) are also tested for a trend.
    """

    by: str
    overall: Assessment
    groups: dict[Hashable, Assessment]
    reference: Hashable | None = None
    ordered: bool = False

    def __getitem__(self, group: Hashable) -> Assessment:
        return self.groups[match_group(group, tuple(self.groups), self.by)]

    def _ipython_key_completions_(self) -> list[Hashable]:
        """What a notebook offers in brackets: the groups."""
        return [*self.groups]

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    @property
    def main_measures(self) -> tuple[str, ...]:
        """The measures that most readers want of each group, of those that there are."""
        return main_measures(self.overall)

    def estimate(self, name: str | Measure) -> Estimate:
        """The estimate of a measure in a group, `recall[region=north]` or `recall[sex=f, age=1]`; else of all cases.

        Columns stand by their names, labels as they print, in double quotes where they hold a blank or a comma. Of one
        class in a group it is `recall[other][region=north]`. Raises InputError for what is no group, and
        UnknownMeasureError where there is no such measure.
        """
        if isinstance(name, Measure):
            return self.overall.estimate(name)
        part, plain = self.addressed(name)
        return part.estimate(plain)

    def addressed(self, name: str) -> tuple[Assessment, str]:
        """The assessment that a name of a measure is about, and the name without its group.

        >>> from classay import assess_by
        >>> found = assess_by([1, 0] * 4, [0.9, 0.2] * 4, by=["north", "south"] * 4)
        >>> found.addressed("f_beta(3)[group=north]")[1], found.addressed("recall[north]")[1]
        ('f_beta(3)', 'recall[north]')
        """
        group, plain = without_group(name, self.columns)
        return (self.overall, name) if group is None else (self[group], plain)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns whose labels make the groups."""
        first = next(iter(self.groups), None)
        return first.columns if isinstance(first, Group) else (self.by,)

    def compare(self, *names: str) -> list[Slice]:
        """A `Slice` for each group of each of the named measures, or of all applicable ones, in this order.

        Raises UnknownMeasureError when there is no such measure.
        """
        wanted = [get(name) for name in names] if names else self.overall.applicable()
        if not names and "bootstrap" in (self.overall.interval or ""):
            getLogger("classay").warning(LONG.format(len(wanted), len(self.groups)))
        found = dict(zip(self.groups, self._compared(wanted), strict=True))
        made = []
        for measure in wanted:
            p_values = [found[label][measure.name][1].p for label in self.groups]
            one_test = len(self.groups) == 2  # the second group against the first is the same test again
            adjusted = p_values if one_test else adjust(p_values).tolist()
            for label, p, p_adjusted in zip(self.groups, p_values, adjusted, strict=True):
                estimate, apart = found[label][measure.name]
                made.append(Slice(label, measure.name, estimate, apart.estimate, p, p_adjusted))
        return made

    def frame(self, *names: str) -> Any:
        """The named measures of every group, or all of them, as a PyArrow table, a row for each pair.

        Columns: group, n, positives (of two classes), measure, value, low, high, level, method, reason, difference,
        difference_low, difference_high, difference_method, difference_reason, p, p_adjusted. Raises
        UnknownMeasureError when there is no such measure.
        """
        return frame_of([self._row(each) for each in self.compare(*names)])

    def plot(self, measure: str = "", ax: Any = None) -> Any:  # type: ignore[override]
        """Draw one measure of all groups with its intervals, and that of all cases as a line (the extra `plot`).

        The measure is the first of `main_measures` unless one is named. On new matplotlib axes or on those given;
        returns the axes.
        """
        return plot(self, ax, measure=measure)

    def methods_text(self) -> str:
        """How all cases and each group were assessed and compared, as paragraphs for a paper, with references."""
        from classay.assessment.slices.methods_text import methods_text

        return methods_text(self)

    def __repr__(self) -> str:
        return (
            f"Slices({len(self)} groups by {self.by!r}, {self.overall.n:,} cases; print it, or see .frame())"
        )

    def _compared(self, measures: list[Measure]) -> list[dict[str, tuple[Estimate, Difference]]]:
        """Each group against the reference, or against all others together; None is compared with nothing."""
        groups, improper = list(self.groups.values()), is_improper(self.overall)
        others: Iterable[Assessment | None]
        if self.reference is not None:
            others = [
                None if label == self.reference else self.groups[self.reference] for label in self.groups
            ]
        elif len(groups) < 2:
            others = [None]
        elif is_exact(whole := lean(self.overall, measures)):
            telling = [each for each in measures if not (improper and of_probabilities(each.name))]
            known = known_of_others(self.overall, groups, telling)

            def against_rest(
                group: Assessment, known: dict[str, Others]
            ) -> dict[str, tuple[Estimate, Difference]]:
                left = [each for each in measures if each.name not in known]
                rest = without(lean(whole, left), lean(group, left))
                return self._against(group, rest, measures, known)

            with workers(thread_count(self.overall.rows)) as each:
                return each(against_rest, groups, known)
        else:
            others = sums_of_others([lean(each, measures) for each in groups], None)
        return [self._against(group, other, measures) for group, other in zip(groups, others, strict=True)]

    def _against(
        self,
        group: Assessment,
        other: Assessment | None,
        measures: list[Measure],
        known: Mapping[str, Others] = MappingProxyType({}),
    ) -> dict[str, tuple[Estimate, Difference]]:
        names = [measure.name for measure in measures]
        ours, our_reference = self._at_levels(group, names)
        if other is None:
            why = "there is no other group" if self.reference is None else "it is the reference"
            return {name: (ours[name], Difference.undefined(why)) for name in names}
        theirs, their_reference = self._at_levels(other, names, known)
        found = {}
        for measure in measures:
            name = measure.name
            why = too_few(measure, group, "") or too_few(measure, other, " to compare with")
            apart = (
                Difference.undefined(why)
                if why
                else self._apart(
                    measure,
                    (group, other),
                    (ours[name], theirs[name]),
                    (our_reference[name], their_reference[name]),
                )
            )
            found[name] = (ours[name], apart)
        return found

    def _at_levels(
        self, part: Assessment, names: list[str], known: Mapping[str, Others] = MappingProxyType({})
    ) -> tuple[dict[str, Estimate], dict[str, Estimate]]:
        """The estimates of a part at the level shown, and at that which p-values are read from."""
        shown = self._estimates(part, names, known)
        if part.level == REFERENCE:
            return shown, shown
        return shown, self._estimates(replace(part, level=REFERENCE), names, known)

    def _apart(
        self,
        measure: Measure,
        parts: tuple[Assessment, Assessment],
        shown: tuple[Estimate, Estimate],
        reference: tuple[Estimate, Estimate],
    ) -> Difference:
        """The difference of two groups; where clusters have rows in both, their estimates err together."""
        group, other = parts
        ours, theirs = shown
        shared = {*(group.clusters or ())} & {*(other.clusters or ())}
        if not shared or not (ours.has_interval and theirs.has_interval):
            return difference(ours, theirs, reference=reference)
        if len(shared) < FEWEST:
            return Difference.undefined(_straddling(len(shared)))
        assert self.overall.clusters is not None
        blocks = blocks_of(self.overall.clusters)
        blockwise = []
        for part in (group, other):
            table = part.table(measure)
            assert not isinstance(table, str)
            view = of_measure(part, measure, table)
            if view.cells is None or not isinstance(view.table, BinaryCounts | ConfusionMatrix | ScoreTable):
                return Difference.undefined(
                    "clusters have rows in both: not known of scores of several classes"
                )
            assert part.coded is not None
            blockwise.append(without_blocks(measure, view.table, part.coded, view.cells, blocks))
        return difference(ours, theirs, correlation(*blockwise), reference=reference)

    def _estimates(
        self, part: Assessment, names: list[str], known: Mapping[str, Others] = MappingProxyType({})
    ) -> dict[str, Estimate]:
        """The estimates of a part; scores that are no probabilities anywhere are none in a part of the cases."""
        improper = [name for name in names if of_probabilities(name)] if is_improper(self.overall) else []
        absent = Estimate.undefined(self.overall.why_improper) if improper else None
        summed = {name: of_others(get(name), each, part.level) for name, each in known.items()}
        found = part.estimates([name for name in names if name not in improper and name not in known])
        return found | summed | {name: absent for name in improper if absent is not None}

    def _row(self, each: Slice) -> dict[str, Any]:
        group = self.groups[each.group]
        row = {"group": str(each.group), "n": group.n} | (
            {} if group.positive is None else {"positives": positives(group)}
        )
        row |= {"measure": each.measure} | vars(replace(each.estimate, measure=each.measure))
        apart = {"": each.difference.value, "_low": each.difference.low, "_high": each.difference.high}
        row |= {f"difference{part}": value for part, value in apart.items()}
        row |= {"difference_method": each.difference.method, "difference_reason": each.difference.reason}
        return row | {"p": each.p, "p_adjusted": each.p_adjusted}


def without_group(name: str, columns: Sequence[str]) -> tuple[Hashable | None, str]:
    """The group that the name of a measure ends with, None where it has none, and the name without.

    >>> without_group("recall[other][sex=f, age=1]", ("sex", "age")), without_group("recall[other]", ("sex",))
    ((('f', '1'), 'recall[other]'), (None, 'recall[other]'))
    """
    written = read_name(name)
    labels = pairs_of(written.brackets[-1], columns) if written is not None and written.brackets else None
    if written is None or labels is None:
        return None, name
    return labels[0] if len(labels) == 1 else tuple(labels), written.without_last


def positives(a: Assessment) -> float:
    """Cases (or weight) of the positive class."""
    return float(a.class_totals[a.labels.index(a.positive)])


def _straddling(clusters: int) -> str:
    are = "1 cluster has" if clusters == 1 else f"{clusters:,} clusters have"
    return (
        f"{are} rows in the group and outside, too few to tell how far both err together: {FEWEST} are needed"
    )
