"""Groups compared within strata of other columns, which are held fixed (Mantel & Haenszel 1959)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment.assessment import Assessment
from classay.assessment.group_labels import Group
from classay.assessment.main_measures import FEW
from classay.errors import InputError
from classay.groups.compared_groups import PooledGroups, SubgroupSet
from classay.groups.criteria import CRITERIA, Criteria, CriterionResult
from classay.groups.disparities import (
    GAP,
    RATIO,
    ClearestPair,
    Disparity,
    is_share,
    larger_of,
    refuse_classes,
    smaller_of,
    too_few_groups,
)
from classay.groups.extremes import are_few_within, extreme_within, quantile_of_pairs
from classay.inference.estimate import Estimate, measure_phrase
from classay.inference.proportions import normal_quantile
from classay.measures import Measure, get
from classay.tables.sums import sum_by_halves
from classay.texts import listed

Array = NDArray[Any]
FEW_WITHIN = f"too few cases: fewer than {FEW} to rate over all strata"
FEW_SHARED = f"too few cases: fewer than {FEW} to rate in strata with cases of another group"
ALONE = "no stratum has cases of it and of another group"
NO_STRATUM = "no stratum has cases of two groups"


def names_of(control: Any) -> tuple[str, ...]:
    """Return the columns that are held fixed, one or several, by their names.

    >>> names_of("age"), names_of(["age", "sex"]), names_of(())
    (('age',), ('age', 'sex'), ())
    """
    names = (control,) if isinstance(control, str) else control
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise InputError(
            "control must be the names of the columns to keep fixed, such as control='age', but is "
            f"{type(control).__name__}. Pass the columns in by=."
        )
    return tuple(names)


@dataclass(frozen=True, eq=False)
class Strata:
    """Groups by some columns, apart in each stratum of the others, which are held fixed (Mantel & Haenszel 1959)."""

    compared: SubgroupSet
    control: tuple[str, ...]
    labels: tuple[Hashable, ...]
    parts: tuple[tuple[Assessment | None, ...], ...]
    pooled: PooledGroups | None = None

    @classmethod
    def of(cls, g: SubgroupSet, control: Sequence[str]) -> Strata:
        """Take groups of several columns apart. Raises InputError where `control` is not some of the columns."""
        first = next(iter(g.groups), None)
        columns = first.columns if isinstance(first, Group) else ()
        unknown = [name for name in control if name not in columns]
        if unknown or not control or len({*control}) == len(columns):
            raise InputError(
                "control must name some, but not all, of the columns of by=. It is "
                f"{listed([*control]) or 'nothing'}, and by= has {listed([*columns]) or 'one column'}."
            )
        controlled = [columns.index(name) for name in dict.fromkeys(control)]
        others = [k for k in range(len(columns)) if k not in controlled]
        table: dict[Hashable, dict[Hashable, Assessment]] = {}
        for label, part in g.groups.items():
            assert isinstance(label, Group)
            labels = [label[k] for k in others]
            key = labels[0] if len(labels) == 1 else Group([columns[k] for k in others], labels)
            table.setdefault(key, {})[tuple(label[k] for k in controlled)] = part
        strata = dict.fromkeys(stratum for row in table.values() for stratum in row)
        parts = tuple(tuple(row.get(stratum) for stratum in strata) for row in table.values())
        return cls(g, tuple(dict.fromkeys(control)), tuple(table), parts)

    def pool(self, fewer_than: int) -> Strata:
        """Groups with fewer cases over all strata pooled into one, stratum by stratum."""
        cases = {
            label: sum(0 if part is None else part.n for part in row)
            for label, row in zip(self.labels, self.parts, strict=True)
        }
        pooled = PooledGroups.among(cases, fewer_than)
        if pooled.name is None:
            return replace(self, pooled=pooled)
        rows = dict(zip(self.labels, self.parts, strict=True))
        of_strata = zip(*(rows.pop(label) for label in pooled.labels), strict=True)
        there = ([part for part in parts if part is not None] for parts in of_strata)
        pool = tuple(sum_by_halves(parts) if parts else None for parts in there)
        return replace(self, labels=(*rows, pooled.name), parts=(*rows.values(), pool), pooled=pooled)

    def disparity(
        self, measure: Measure, *, ratio: bool = False, beside: Sequence[Measure] = ()
    ) -> Disparity:
        """Return the largest gap, or least ratio, of a rate over strata. Raises InputError for what is no rate.

        `beside` are the measures with which its lower ends (upper ends of a ratio) hold together, itself among them.
        """
        if not is_share(measure):
            raise InputError(
                f"disparity({measure.name}) within strata needs a rate, such as recall or accuracy. Remove "
                f"control for {measure.name}."
            )
        name, overall = RATIO if ratio else GAP, self.compared.overall
        if overall.drawn != "alike":
            why = "within strata, it needs independent, equally weighted cases"
            return Disparity(name, measure.name, Estimate.undefined(why), control=self.control)
        x, n = self._counts(measure)
        families = max(1, len(beside))
        left = self._left_out(beside or (measure,))
        enough = np.array([label not in left for label in self.labels], bool)
        labels, gone = [label for label in self.labels if label not in left], tuple(left.items())
        if len(labels) < 2:
            alone = {*left.values()} == {ALONE} and not labels
            is_split = alone and len(self.labels) > 1
            why = NO_STRATUM if is_split else too_few_groups(len(labels), len(self.labels), gone)
            return Disparity(name, measure.name, Estimate.undefined(why), left_out=gone, control=self.control)
        pairs = len(labels) > 2 or families > 1
        quantile = quantile_of_pairs(len(labels), overall.level, families=families, are_dependent=pairs)
        extreme, power = extreme_within(
            x[enough], n[enough], quantile, normal_quantile(overall.level), ratio=ratio
        )
        if isnan(extreme.value):
            gap, _ = extreme_within(x[enough], n[enough], quantile, normal_quantile(overall.level))
            why = f"{measure_phrase(measure.name)} is 0 in every group, and the largest gap at most {gap.high:.3f}"
            return Disparity(name, measure.name, Estimate.undefined(why), left_out=gone, control=self.control)
        method = "Mantel-Haenszel, " + ("Greenland & Robins" if ratio else "Sato")
        if are_few_within(x[enough], n[enough]):
            method += ", standardized rates of few events"
        if len(labels) > 2:
            method += f", {'upper' if ratio else 'lower'} end of all pairs"
        return Disparity(
            name,
            measure.name,
            Estimate(extreme.value, extreme.low, extreme.high, overall.level, method),
            labels[extreme.top],
            labels[extreme.bottom],
            len(labels),
            found_by_power=power,
            left_out=gone,
            control=self.control,
            surest=ClearestPair.among(measure, labels, extreme),
        )

    def _left_out(self, measures: Sequence[Measure]) -> dict[Hashable, str]:
        """Return why groups cannot be compared: too few cases of a rate, in strata that also hold comparable groups.

        Strata are counted again without these groups until all groups that are left can be compared.
        """
        counts = [self._counts(measure)[1] for measure in measures]
        left: dict[Hashable, str] = {}
        while True:
            stays = np.array([label not in left for label in self.labels], bool)
            shared = [count * ((count[stays] > 0).sum(0) > 1) for count in counts]
            cases, own_cases = (np.min([count.sum(1) for count in of], axis=0) for of in (shared, counts))
            gone = {
                label: FEW_WITHIN if own_cases[k] < FEW else ALONE if cases[k] == 0 else FEW_SHARED
                for k, label in enumerate(self.labels)
                if stays[k] and cases[k] < FEW
            }
            if not gone:
                return left
            left |= gone

    def _counts(self, measure: Measure) -> tuple[Array, Array]:
        """Numerators and denominators of a rate, `(groups, strata)`."""
        assert measure.parts is not None
        counts = np.zeros((2, len(self.labels), len(self.parts[0])))
        for i, row in enumerate(self.parts):
            for j, part in enumerate(row):
                table = None if part is None else part.table(measure)
                if table is not None and not isinstance(table, str):
                    counts[:, i, j] = measure.parts(*measure.read((table,)))
        return counts[0], counts[1]


def criteria_within(strata: Strata, by: str) -> Criteria:
    """Return the criteria that are rates, with gaps over strata. Raises InputError of several classes."""
    g = strata.compared
    refuse_classes(g.overall)
    judged = []
    for rule in CRITERIA:
        measures = [get(name) for name in rule.measures]
        if not all(map(is_share, measures)):
            continue
        gaps = [strata.disparity(one, beside=measures) for one in measures]
        ratios = [strata.disparity(one, ratio=True, beside=measures) for one in measures]
        is_one = len(measures) == 1
        judged.append(
            CriterionResult(
                rule, gaps[0] if is_one else larger_of(gaps), ratios[0] if is_one else smaller_of(ratios)
            )
        )
    return Criteria(
        by,
        tuple(judged),
        level=g.overall.level,
        control=strata.control,
        model=g.overall.model,
        cases=g.overall.n,
        groups=len(g.groups),
        pooled=strata.pooled,
    )
