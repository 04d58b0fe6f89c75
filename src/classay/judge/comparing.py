"""`compare_judged`: systems whose answers a judge grades, compared by corrected values."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from classay.inference.estimate import Estimate, p_equation
from classay.inference.proportions import normal_quantile
from classay.inference.requirements import Outcome
from classay.inference.significance import adjust
from classay.judge.cautions import CHOSEN_AT, FEW_CLUSTERS, FEW_LABELS, p_of_choice
from classay.judge.cells import MIN_LABELS, Cells, Units, Values
from classay.judge.measured import NO_LABELS, NOT_DEFINED, Measured, estimates, in_range, unknown
from classay.judge.pairs import (
    BOTH,
    ONLY_FIRST,
    ONLY_SECOND,
    Differences,
    cell_of_difference,
    merged_pairs,
    of_grades,
    of_others,
    of_yes_no,
    taken,
)
from classay.judge.rows import MOST_CELLS
from classay.judge.systems import SystemColumns, Systems, read_systems
from classay.kinds import checked
from classay.shown import Reportable
from classay.texts import quote, some
from classay.warned import Warned

Array = NDArray[Any]
PAIRED, APART = "MOVER of shares, Wilson along the way, correlation", "MOVER of Wilson along the way"
GRADED = "Wilson along the way of differences"
AT_ONCE = 256
"""Pairs whose tables are held at a time."""
HALF = 0.5


@dataclass(frozen=True, eq=False)
class JudgedSystem:
    """A system: its corrected share or mean, that of the judge only and of the human labels only.

    Attributes
    ----------
    name : str
        The system.
    measured : Measured
        Corrected value, and those of the judge and of the labels only.
    n_cases, n_labels : int
        Cases, and human labels among them.
    rank, judge_rank : int
        Place by the corrected value and by the judge only, 1 is the highest.
    """

    name: str
    measured: Measured
    n_cases: int
    n_labels: int
    rank: int
    judge_rank: int


@dataclass(frozen=True, eq=False)
class JudgedDifference:
    """The difference of two systems.

    Attributes
    ----------
    systems : (str, str)
        The names; the difference is the first minus the second.
    estimate : Estimate
        Corrected difference.
    judge_difference : float
        Difference of the judge's values.
    p, p_adjusted : float
        The p-value, and that after Holm's adjustment for all pairs.
    is_paired : bool
        Whether the systems are compared on the same cases.
    n_cases, n_labels : int
        Cases, and human labels of both systems, that the difference uses.
    """

    systems: tuple[str, str]
    estimate: Estimate
    judge_difference: float
    p: float
    p_adjusted: float
    is_paired: bool
    n_cases: int
    n_labels: int

    @property
    def is_turned(self) -> bool:
        """Whether the judge alone has the systems in the other order."""
        return self.estimate.value * self.judge_difference < 0


@dataclass(frozen=True, eq=False)
class JudgedSystems(Reportable):
    """Systems compared by a judge's grades, corrected by human labels.

    `s["new"]` is the corrected value of a system, `s["new", "old"]` the difference of two.

    Attributes
    ----------
    systems : tuple of JudgedSystem
        The systems, the highest corrected value first.
    differences : tuple of JudgedDifference
        All pairs.
    groups : mapping of label to JudgedSystems
        The same for every group.
    positive : label or None
        The positive label, None of grades.
    level : float
        Confidence level of the intervals.
    is_finite : bool
        Whether the estimates are of these very cases, not of new ones.
    facts : tuple of (str, str)
        What was judged, names with texts.
    cautions : tuple of Warned
        What to know first; `warnings` are the same.
    outcomes : tuple of Outcome
        How requirements came out.
    is_share : bool
        Whether shares of the positive label are compared, not mean grades.
    """

    systems: tuple[JudgedSystem, ...]
    differences: tuple[JudgedDifference, ...]
    groups: Mapping[Hashable, JudgedSystems]
    positive: Hashable | None
    level: float
    is_finite: bool
    facts: tuple[tuple[str, str], ...]
    cautions: tuple[Warned, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    is_share: bool = True

    def __getitem__(self, name: str | tuple[str, str]) -> Estimate:
        known = {system.name: system.measured.estimate for system in self.systems}
        if isinstance(name, tuple) and len(name) == 2 and all(item in known for item in name):
            for one in self.differences:
                if one.systems == name:
                    return one.estimate
                if one.systems == name[::-1]:
                    e = one.estimate
                    return replace(e, value=-e.value, low=-e.high, high=-e.low)
        if name == "difference" and len(self.differences) == 1:
            return self.differences[0].estimate
        if isinstance(name, tuple) or name not in known:
            raise unknown(str(name), known)
        return known[name]

    def __repr__(self) -> str:
        return f"JudgedSystems({' '.join(self.sentences)})"

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings that a reader must know before acting."""
        return self.cautions

    @property
    def measure(self) -> str:
        """What is compared, in words."""
        return "mean grade" if not self.is_share else f"share of {quote(str(self.positive))}"

    @property
    def sentences(self) -> tuple[str, ...]:
        """The highest system and the next one, or the only difference, in sentences."""
        best, other = self.systems[:2]
        if best.measured.estimate.is_undefined or other.measured.estimate.is_undefined:
            lacking = next(one for one in self.systems if one.measured.estimate.is_undefined)
            return (
                f"The {self.measure} of {lacking.name} is not defined ({lacking.measured.estimate.reason}).",
            )
        one = next(one for one in self.differences if {*one.systems} == {best.name, other.name})
        values = (
            f"{self._value(best.measured.estimate.value)} versus {self._value(other.measured.estimate.value)}"
        )
        if not one.estimate.has_interval:
            return (f"{best.name} has a {self.measure} of {values}. The difference has no interval.",)
        estimate = self[best.name, other.name]
        p = one.p if np.isnan(one.p_adjusted) else one.p_adjusted
        many = len(self.differences)
        tested = f"{p_equation(p)}{f', adjusted for {many:,} comparisons (Holm)' if many > 1 else ''}"
        joint = ". On the same cases the difference is" if one.is_paired else ", a difference of"
        size = f"{joint} {self._difference(estimate)}"
        is_shown = p < 1 - self.level and (estimate.low > 0 or estimate.high < 0 or many > 1)
        if is_shown:
            lead = f"{best.name} has a higher {self.measure} than {other.name}: {values}{size}"
        else:
            lead = (
                f"No difference in the {self.measure} between {best.name} and {other.name} was detected: {values}"
                f"{size}"
            )
        lead = f"{lead[:-1]}; {tested})."
        judge = one.judge_difference * (1 if one.systems[0] == best.name else -1)
        if np.isnan(judge):
            return (lead,)
        place = "ahead" if judge > 0 else "behind"
        return lead, f"Uncorrected, the judge has {best.name} {place} by {self._size(abs(judge))}."

    def _value(self, value: float) -> str:
        return f"{value:.3f}" if not self.is_share else f"{100 * value:.1f}%"

    def _size(self, value: float) -> str:
        return f"{value:.3f}" if not self.is_share else f"{100 * value:.1f} percentage points"

    def _difference(self, estimate: Estimate) -> str:
        scale, digits = (100, 1) if self.is_share else (1, 3)
        low, high = (f"{scale * end:.{digits}f}" for end in (estimate.low, estimate.high))
        return f"{self._size(estimate.value)} ({100 * self.level:g}% CI {low} to {high})"


@checked
def compare_judged(
    human: Any,
    judge: Any,
    *,
    positive: Hashable | None = None,
    finite: bool = False,
    bounds: tuple[float, float] | None = None,
    level: float = 0.95,
    **columns: Unpack[SystemColumns],
) -> JudgedSystems:
    """Compare systems by a judge's grades, corrected by human labels.

    Parameters
    ----------
    human : mapping of str to array-like, or array-like
        Human labels of a system's answers, None or NaN if there is none. With `system`, one column.
    judge : mapping of str to array-like, or array-like
        Grades of the judge by system, the same names. With `system`, one column.
    positive : label, optional
        The positive one of two human labels. The default is 1 (or True, "1", 1.0).
    finite : bool, default False
        Whether to estimate for these very cases, not for new cases like them.
    bounds : (float, float), optional
        Lowest and highest possible grade. The default are the lowest and highest that occur.
    level : float, default 0.95
        Confidence level of the intervals, between 0 and 1.
    **columns
        Columns of equal length. `system`: the system of every row, if a row is one answer. `id`: the case of
        every row, so that systems are compared on the same cases. `by`: groups. `cluster`: clusters of
        dependent cases, such as the answers to a question.

    Returns
    -------
    JudgedSystems
        Values of the systems, and their differences.

    Raises
    ------
    InputError
        If two systems have one human column.
        If columns have different lengths or different systems, or a column has no human label.
        If a system has two rows of one id.

    Notes
    -----
    Systems that answer the same cases are compared on the cases with a human label for both, if these are
    at least half of those of either one. Otherwise the limits of both values are combined (MOVER, Zou &
    Donner 2008, Statistics in Medicine 27:1693; with correlation Zou 2007, Psychological Methods 12:399).
    P-values are the levels at which intervals touch 0, adjusted by Holm's method for all pairs.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> truth = {name: rng.random(800) < share for name, share in (("new", 0.7), ("old", 0.6))}
    >>> judge = {name: np.where(rng.random(800) < 0.9, x, ~x) * 1 for name, x in truth.items()}
    >>> human = {name: [int(y) if k < 150 else None for k, y in enumerate(x)] for name, x in truth.items()}
    >>> compare_judged(human, judge)["new", "old"]
    Estimate(0.054 [-0.029, 0.142] 95%, MOVER of shares, Wilson along the way, correlation -0.27)
    """
    systems = read_systems(human, judge, positive, bounds, columns)
    systems = replace(systems, is_finite=finite, level=level)
    result = _compared(systems)
    groups: dict[Hashable, JudgedSystems] = {}
    if systems.groups is not None:
        for code, label in enumerate(systems.groups.labels):
            groups[label] = _compared(systems.only(systems.groups.codes == code))
    return replace(result, groups=groups)


def _compared(systems: Systems) -> JudgedSystems:
    """Return the systems, the highest first, and all differences."""
    level, is_finite = systems.level, systems.is_finite
    values, cells = _each(systems)
    labels = cells.labels.sum(-1)
    bounds = systems.bounds
    corrected = estimates(values, labels, level, bounds)
    alone = estimates(cells.in_one.mean(systems.values), labels, level, bounds)
    with np.errstate(invalid="ignore"):
        is_known = ~np.isnan(systems.judge)
        judged = np.where(is_known, systems.judge, 0.0).sum(1) / np.maximum(is_known.sum(1), 1)
    ranks, judge_ranks = _ranks(values.value), _ranks(judged)
    rows = [
        JudgedSystem(
            name,
            Measured(
                corrected[k],
                alone[k],
                float("nan") if systems.is_score else in_range(float(judged[k]), bounds),
                systems.label is not None,
            ),
            int(systems.is_present[k].sum()),
            int(labels[k]),
            ranks[k],
            judge_ranks[k],
        )
        for k, name in enumerate(systems.names)
    ]
    differences = tuple(_differences(systems, values, judged))
    ordered = tuple(sorted(rows, key=lambda row: row.rank))
    cautions = tuple(_cautions(systems, ordered, differences))
    facts = (
        ("systems", f"{len(rows):,}"),
        ("cases", f"{int(systems.is_present.any(0).sum()):,}"),
        ("human labels", f"{int(labels.sum()):,}"),
        ("pairs on the same cases", f"{sum(one.is_paired for one in differences):,} of {len(differences):,}"),
        *((("clusters", f"{np.unique(systems.cluster).size:,}"),) if systems.cluster is not None else ()),
        ("estimated for", "these cases" if is_finite else "new cases"),
    )
    is_share = systems.label is not None
    return JudgedSystems(
        ordered, differences, {}, systems.label, level, is_finite, facts, cautions, is_share=is_share
    )


def _ranks(values: Array) -> list[int]:
    """Return the places of values, the highest first.

    >>> _ranks(np.array([0.2, np.nan, 0.9]))
    [2, 3, 1]
    """
    order = np.argsort(-np.nan_to_num(values, nan=-1.0), kind="stable")
    ranks = np.empty(order.size, int)
    ranks[order] = np.arange(1, order.size + 1)
    return [*map(int, ranks)]


def _cell_codes(systems: Systems) -> tuple[Array, int]:
    """Return the cell of each system's grade, and the number of cells; a missing grade is a cell of its own."""
    known = ~np.isnan(systems.judge)
    if systems.is_score:
        inner = np.quantile(systems.judge[known], np.arange(1, MOST_CELLS) / MOST_CELLS, method="higher")
        edges = np.unique(inner)
        codes = np.searchsorted(edges, np.where(known, systems.judge, 0.0), side="right") + 1
        return np.where(known, codes, 0), edges.size + 2
    grades = np.unique(systems.judge[known])
    codes = np.searchsorted(grades, np.where(known, systems.judge, 0.0)) + 1
    return np.where(known, codes, 0), grades.size + 1


def _table(
    cell: Array, n_cells: int, human: Array, n_grades: int, cluster: Array | None, inside: Array
) -> tuple[Array, Array, Array, Array]:
    """Return sizes and label counts by cell, and the same by cluster (empty without clusters)."""
    cell, human = cell[inside], human[inside]
    labelled = human >= 0
    sizes = np.bincount(cell, minlength=n_cells).astype(float)
    place = cell[labelled] * n_grades + human[labelled]
    counts = np.bincount(place, minlength=n_cells * n_grades).astype(float).reshape(n_cells, n_grades)
    if cluster is None:
        return sizes, counts, np.empty((0, n_cells)), np.empty((0, n_cells, n_grades))
    known = np.bincount(cluster[inside]) > 0
    unit, number = (np.cumsum(known) - 1)[cluster[inside]], int(known.sum())
    of_units = np.bincount(unit * n_cells + cell, minlength=number * n_cells).astype(float)
    local = np.bincount(unit[labelled] * n_cells * n_grades + place, minlength=number * n_cells * n_grades)
    return (
        sizes,
        counts,
        of_units.reshape(number, n_cells),
        local.astype(float).reshape(number, n_cells, n_grades),
    )


def _stacked(tables: list[tuple[Array, Array, Array, Array]], *, is_clustered: bool) -> Cells:
    """Return the tables of parts as cells."""
    sizes, counts = (np.stack([table[k] for table in tables]) for k in (0, 1))
    units = None
    if is_clustered:
        part = np.repeat(np.arange(len(tables)), [len(table[2]) for table in tables])
        sizes_of, labels_of = (np.concatenate([table[k] for table in tables]) for k in (2, 3))
        units = Units.of_all(part, sizes_of, labels_of)
    return Cells(sizes, counts, counts, counts, units)


def _each(systems: Systems) -> tuple[Values, Cells]:
    """Return the corrected value of each system, and its cells."""
    codes, number = _cell_codes(systems)
    tables = [
        _table(
            codes[k], number, systems.human[k], systems.values.size, systems.cluster, systems.is_present[k]
        )
        for k in range(len(systems.names))
    ]
    cells = _stacked(tables, is_clustered=systems.cluster is not None).merged()
    return cells.mean(systems.values, is_finite=systems.is_finite), cells


def _are_paired(systems: Systems, pairs: Array) -> Array:
    """Return for each pair whether enough cases have a human label for both systems."""
    labelled = systems.human >= 0
    labelled = labelled[:, labelled.any(0)].astype(float)
    both, (first, second) = labelled @ labelled.T, pairs.T
    fewer = np.minimum(both[first, first], both[second, second])
    return np.asarray((both[first, second] >= MIN_LABELS) & (both[first, second] >= HALF * fewer))


def _pair_table(systems: Systems, first: int, second: int) -> tuple[Array, Array, Array, Array]:
    """Return the table of the cases of both systems, by both grades, with the differences of both labels."""
    inside = systems.is_present[first] & systems.is_present[second]
    a, b = systems.judge[first], systems.judge[second]
    rows = np.flatnonzero((systems.human[first] >= 0) & (systems.human[second] >= 0))
    human, gaps = (systems.human[first, rows], systems.human[second, rows]), np.full(a.size, -1)
    if systems.label is not None:
        values = systems.values.astype(int)
        gaps[rows], grades = values[human[0]] - values[human[1]] + 1, 3
    else:
        gaps[rows], grades = human[0] * systems.values.size + human[1], systems.values.size**2
    if systems.label is not None and not systems.is_score:
        cell = np.where(a > b, ONLY_FIRST, np.where(a < b, ONLY_SECOND, np.where(a > 0, BOTH, 0)))
        cells = 4
    else:
        cell, cells = cell_of_difference(np.nan_to_num(a - b)), MOST_CELLS
    return _table(cell, cells, gaps, grades, systems.cluster, inside)


def _differences(systems: Systems, values: Values, judged: Array) -> Iterator[JudgedDifference]:
    """Yield all pairs with adjusted p-values."""
    pairs = [*combinations(range(len(systems.names)), 2)]
    is_paired = _are_paired(systems, np.array(pairs)).tolist()
    results: dict[tuple[int, int], tuple[Estimate, float, int, int]] = {}
    together = [pair for pair, paired in zip(pairs, is_paired, strict=True) if paired]
    for begin in range(0, len(together), AT_ONCE):
        some_pairs = together[begin : begin + AT_ONCE]
        results |= dict(zip(some_pairs, _on_same(systems, some_pairs), strict=True))
    others = [pair for pair, paired in zip(pairs, is_paired, strict=True) if not paired]
    if others:
        results |= dict(zip(others, _on_others(systems, values, others), strict=True))
    p = np.array([results[pair][1] for pair in pairs])
    adjusted = adjust(p) if len(pairs) > 1 else p
    width = systems.bounds[1] - systems.bounds[0]
    for (first, second), paired, p_one, p_all in zip(pairs, is_paired, p, adjusted, strict=True):
        estimate, _, cases, labels = results[first, second]
        judge = float("nan") if systems.is_score else float(judged[first] - judged[second]) * width
        yield JudgedDifference(
            (systems.names[first], systems.names[second]),
            estimate,
            judge,
            float(p_one),
            float(p_all),
            paired,
            cases,
            labels,
        )


def _on_same(systems: Systems, pairs: list[tuple[int, int]]) -> Iterator[tuple[Estimate, float, int, int]]:
    """Yield the differences of systems on the same cases, with p-values, cases and labels."""
    tables = [_pair_table(systems, *pair) for pair in pairs]
    cells = _stacked(tables, is_clustered=systems.cluster is not None)
    if systems.label is not None:
        cells = merged_pairs(cells) if not systems.is_score else cells.merged()
        results = of_yes_no(cells, is_finite=systems.is_finite)
        names = [f"{PAIRED} {r:.2f}" for r in results.correlation]
    else:
        gaps = (systems.values[:, None] - systems.values[None]).ravel()
        cells = cells.merged()
        results, names = of_grades(cells, gaps, is_finite=systems.is_finite), [GRADED] * len(pairs)
    yield from _told(systems, results, names, cells.sizes.sum(-1), cells.labels.sum(-1))


def _on_others(
    systems: Systems, values: Values, pairs: list[tuple[int, int]]
) -> Iterator[tuple[Estimate, float, int, int]]:
    """Yield the differences of systems by the limits of both, as if their cases were different."""
    first, second = np.array(pairs).T
    results = of_others(taken(values, first), taken(values, second))
    cases, labels = systems.is_present.sum(1), (systems.human >= 0).sum(1)
    of_pair = cases[first] + cases[second], labels[first] + labels[second]
    yield from _told(systems, results, [APART] * len(pairs), *of_pair)


def _told(
    systems: Systems, results: Differences, names: list[str], cases: Array, labels: Array
) -> Iterator[tuple[Estimate, float, int, int]]:
    level = systems.level
    z = np.full(results.value.shape, normal_quantile(level))
    few = np.isfinite(results.degrees)
    if few.any():
        from scipy.special import stdtrit

        z[few] = stdtrit(np.maximum(results.degrees[few], 1.0), 0.5 + level / 2)
    low, high = results.limits(z)
    width = systems.bounds[1] - systems.bounds[0]
    for k, (name, p) in enumerate(zip(names, results.p_values(), strict=True)):
        value = float(results.value[k])
        if np.isnan(value):
            estimate = Estimate.undefined(NOT_DEFINED if labels[k] else NO_LABELS)
        else:
            how = f"clusters, {name}, t" if few[k] else name
            estimate = Estimate(width * value, width * float(low[k]), width * float(high[k]), level, how)
        yield estimate, float(p), int(cases[k]), int(labels[k])


def _cautions(
    systems: Systems, rows: tuple[JudgedSystem, ...], differences: tuple[JudgedDifference, ...]
) -> Iterator[Warned]:
    """Yield what a reader must know first."""
    turned = [one for one in differences if one.is_turned]
    if turned:
        names = some([" versus ".join(one.systems) for one in turned])
        yield Warned(
            "order_changed", f"Uncorrected, the judge has these systems in the other order: {names}."
        )
    labelled = systems.human >= 0
    if systems.label is not None and not systems.is_score:
        right = (labelled & (systems.values[systems.human] == systems.judge)).sum(1)
        p = p_of_choice(labelled.sum(1), right)
        if p < CHOSEN_AT:
            yield Warned(
                "unequal_judge",
                f"The judge agrees with humans more often for some systems ({p_equation(p)}). Its "
                "uncorrected values are biased.",
            )
    if any(one.is_paired for one in differences):
        once = int((labelled.any(0) & ~labelled.all(0)).sum()) if len(rows) == 2 else 0
        if once:
            yield Warned(
                "one_system",
                f"{once:,} cases have a human label for one system only. The difference does not use these labels.",
            )
    few = [row.name for row in rows if row.n_labels < FEW_LABELS]
    if few:
        yield Warned(
            "few_labels",
            f"Fewer than {FEW_LABELS} human labels: {some(few)}. Intervals are wide.",
            tuple(few),
        )
    if systems.cluster is not None:
        number = np.unique(systems.cluster[labelled.any(0)]).size
        if number < FEW_CLUSTERS:
            yield Warned(
                "few_clusters",
                f"Few clusters have a human label ({number:,}). Intervals may be too narrow.",
            )
