"""`compare_judged`: systems whose answers a judge grades, compared by corrected values."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from itertools import combinations
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError
from classay.inference.estimate import Estimate, level_text, p_equation
from classay.inference.phrasing import percent
from classay.inference.requirements import Outcome
from classay.inference.significance import adjust
from classay.judge.cells import MIN_LABELS, Cells, Values, quantiles, with_positive
from classay.judge.judge_warnings import (
    CHOSEN_AT,
    FEW_CLUSTERS,
    FEW_LABELS,
    Drift,
    drift_of,
    drift_of_scores,
    of_chances,
    of_drifts,
    p_of_choice,
)
from classay.judge.measured import NO_LABELS, NOT_DEFINED, Measured, estimates, in_range, unknown
from classay.judge.pairs import Differences, merged_pairs, of_grades, of_others, of_yes_no, taken
from classay.judge.system_cells import are_paired, counted, grades_of, of_pairs, of_systems
from classay.judge.systems import SystemColumns, Systems, read_systems
from classay.kinds import checked, refuse_unknown
from classay.renamed import former
from classay.shown import Reportable
from classay.texts import hint, quote, some
from classay.warned import Warned

Array = NDArray[Any]
PAIRED, APART = "MOVER of shares, Wilson along the way, correlation", "MOVER of Wilson along the way"
GRADED = "Wilson along the way of differences"
ZERO_ONE = np.array([0.0, 1.0])
_Compared = tuple[Estimate, float, int, int, bool]
"""A difference, its p-value, the cases and labels that it uses, and whether cells with few labels were combined."""


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
    agreement : Estimate or None
        Share of the answers that the judge grades as humans would, corrected; None of scores.
    drift : Drift or None
        Agreement of judge and humans by time.
    """

    name: str
    measured: Measured
    n_cases: int
    n_labels: int
    rank: int
    judge_rank: int
    agreement: Estimate | None = None
    drift: Drift | None = None


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
    is_merged : bool
        Whether pairs of grades with fewer than 3 human labels were combined with others.
    """

    systems: tuple[str, str]
    estimate: Estimate
    judge_difference: float
    p: float
    p_adjusted: float
    is_paired: bool
    n_cases: int
    n_labels: int
    is_merged: bool = False

    @property
    def is_turned(self) -> bool:
        """Whether the judge's difference has the opposite sign."""
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
    warnings : tuple of Warned
        What to know first.
    outcomes : tuple of Outcome
        How requirements came out.
    is_share : bool
        Whether shares of the positive label are compared, not mean grades.
    """

    cautions = former("JudgedSystems.cautions", "warnings")
    systems: tuple[JudgedSystem, ...]
    differences: tuple[JudgedDifference, ...]
    groups: Mapping[Hashable, JudgedSystems]
    positive: Hashable | None
    level: float
    is_finite: bool
    facts: tuple[tuple[str, str], ...]
    warnings: tuple[Warned, ...] = ()
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
        is_opposite = self[best.name, other.name].value < 0
        if is_opposite:  # the difference on the same cases decides, not the separate values
            best, other = other, best
        values = (
            f"{self._value(best.measured.estimate.value)} versus {self._value(other.measured.estimate.value)}"
        )
        if not one.estimate.has_interval:
            return (f"{best.name} has a {self.measure} of {values}. The difference has no interval.",)
        estimate = self[best.name, other.name]
        p = one.p if np.isnan(one.p_adjusted) else one.p_adjusted
        many = len(self.differences)
        tested = f"{p_equation(p)}{f', adjusted for {many:,} pairs (Holm)' if many > 1 else ''}"
        size = f"{values}, a difference of {self._difference(estimate)}"
        if one.is_paired:
            size = f"the difference is {self._difference(estimate)}"
        if self._is_shown(one):
            lead = f"{best.name} has a higher {self.measure} than {other.name}: {size}"
        else:
            names = [best.name, other.name]
            if not one.is_paired:
                names = [
                    f"{system.name} ({self._value(system.measured.estimate.value)})"
                    for system in (best, other)
                ]
            low, high, unit = self._limits(estimate)
            lead = (
                f"No difference in the {self.measure} was detected between {' and '.join(names)}: differences from "
                f"{low} to {high}{unit} are compatible with the data ({level_text(self.level)})"
            )
        leads = [f"{lead[:-1]}; {tested})."]
        if one.is_paired:
            leads.extend(self._separately(best, other, estimate, is_opposite=is_opposite))
        judge = one.judge_difference * (1 if one.systems[0] == best.name else -1)
        if self._size(abs(judge)) == self._size(0.0):
            leads.append(f"By the judge's uncorrected grades, the difference is {self._size(0.0)}.")
        elif not np.isnan(judge):
            place = "ahead" if judge > 0 else "behind"
            leads.append(
                f"By the judge's uncorrected grades, {best.name} is {place} by {self._size(abs(judge))}."
            )
        return (*leads, *self._others(best, other), *self._agreement())

    def _is_shown(self, one: JudgedDifference) -> bool:
        """Whether a difference was detected."""
        p, e = one.p if np.isnan(one.p_adjusted) else one.p_adjusted, one.estimate
        return bool(p < 1 - self.level and (e.low > 0 or e.high < 0 or len(self.differences) > 1))

    def _others(self, best: JudgedSystem, other: JudgedSystem) -> Iterator[str]:
        """Yield which of the other systems differ from the first one, or that none does."""
        names = [one.name for one in self.systems if one.name not in (best.name, other.name)]
        if not names:
            return
        below: dict[bool, list[str]] = {True: [], False: []}
        for one in self.differences:
            name = _other_of(one.systems, best.name)
            if best.name in one.systems and name in names and self._is_shown(one):
                below[self[best.name, name].value > 0].append(name)
        first = next(one for one in self.differences if {*one.systems} == {best.name, other.name})
        for is_below, shown in below.items():
            if shown:
                verb = "has" if len(shown) == 1 else "have"
                also = "also " if is_below and self._is_shown(first) else ""
                yield (
                    f"{some(shown)} {also}{verb} a {'lower' if is_below else 'higher'} {self.measure} than {best.name} "
                    f"(adjusted p < {1 - self.level:.2g})."
                )
        if not any(below.values()):
            yield f"No difference was detected between {best.name} and {some(names)}."

    def _agreement(self) -> Iterator[str]:
        """Yield between which shares the agreement of judge and humans is, by system."""
        known = [(one.agreement, one) for one in self.systems if one.agreement is not None]
        if len(known) < len(self.systems) or not all(e.has_interval for e, _ in known):
            return
        (least, low), (most, high) = (choose(known, key=lambda pair: pair[0].value) for choose in (min, max))
        few = min(one.n_labels for one in self.systems) < FEW_LABELS
        doubt = f" Differences in agreement are uncertain with fewer than {FEW_LABELS} labels." if few else ""
        shares = [percent(e.value, one.n_labels) for e, one in ((least, low), (most, high))]
        among = f"{shares[0]} ({low.name}) to {shares[1]} ({high.name}) of answers"
        if shares[0] == shares[1]:
            among = f"{shares[0]} of each system's answers"
        yield f"The judge agrees with humans in {among}.{doubt}"

    @property
    def steps(self) -> tuple[str, ...]:
        """How differences become more precise, if pairs share too few labeled cases."""
        if all(one.is_paired for one in self.differences):
            return ()
        named = hint("`id=` names the case of each answer.", "`--id` names the case of each answer.")
        return (
            "Label the same cases for all systems, so that each pair of systems shares at least half of its labels. "
            f"Differences are then more precise. {named}",
        )

    def _value(self, value: float) -> str:
        return f"{value:.3f}" if not self.is_share else f"{100 * value:.1f}%"

    def _separately(
        self, best: JudgedSystem, other: JudgedSystem, difference: Estimate, *, is_opposite: bool
    ) -> Iterator[str]:
        """Yield the values of two systems, and that these have another difference than the paired one."""
        alone = [system.measured.estimate.value for system in (best, other)]
        first, second = map(self._value, alone)
        order = ", in the opposite order" if is_opposite else ""
        yield (
            f"Estimated for each system alone, the {self.measure} is {first} for {best.name} and {second} for "
            f"{other.name}{order}."
        )
        joint, separate = self._size(abs(difference.value)), self._size(abs(alone[0] - alone[1]))
        if separate != joint:
            yield (
                f"The difference of {joint} is estimated from both systems jointly, so it is not exactly the "
                f"difference of these two values ({separate.partition(' ')[0]})."
            )

    def _size(self, value: float) -> str:
        return f"{value:.3f}" if not self.is_share else f"{100 * value:.1f} percentage points"

    def _limits(self, estimate: Estimate) -> tuple[str, str, str]:
        """Return both limits of a difference, and their unit."""
        scale, digits, unit = (100, 1, " percentage points") if self.is_share else (1, 3, "")
        return f"{scale * estimate.low:.{digits}f}", f"{scale * estimate.high:.{digits}f}", unit

    def _difference(self, estimate: Estimate) -> str:
        low, high, _ = self._limits(estimate)
        return f"{self._size(estimate.value)} ({level_text(self.level)} {low} to {high})"


@checked
def compare_judged(
    human: Any,
    judge: Any,
    *,
    positive: Hashable | None = None,
    finite: bool = False,
    bounds: tuple[float, float] | None = None,
    unsure: Hashable | None = None,
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
    unsure : label, optional
        Human label of unsure humans. These answers count as unlabeled.
    level : float, default 0.95
        Confidence level of the intervals, between 0 and 1.
    **columns
        Columns of equal length. `system`: the system of every row, if a row is one answer. `id`: the case of
        every row, so that systems are compared on the same cases. `by`: groups. `cluster`: clusters of
        dependent cases, such as the answers to a question. `chance`: the chance with which a case was drawn
        for labels of all systems. `stratum`: strata within which these cases were drawn at random.
        `time`: times, to test for drift of the judge.

    Returns
    -------
    JudgedSystems
        Values of the systems, and their differences.

    Raises
    ------
    InputError
        If two systems have one human column.
        If both `positive` and `bounds` are named.
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
    known = {**SystemColumns.__annotations__, **signature(compare_judged).parameters}
    refuse_unknown("compare_judged", columns, known)
    systems = read_systems(human, judge, positive, bounds, unsure, columns)
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
    values, cells, only_labels = _each(systems)
    labels = cells.labels.sum(-1)
    bounds = systems.bounds
    corrected = estimates(values, labels, level, bounds)
    alone = estimates(only_labels.in_one.mean(systems.values, is_finite=is_finite), labels, level, bounds)
    agreements, drifts = _agreements(systems, cells), _drifts(systems)
    with np.errstate(invalid="ignore"):
        is_known = ~np.isnan(systems.judge)
        judged = np.where(is_known, systems.judge, 0.0).sum(1) / np.maximum(is_known.sum(1), 1)
    ranks = _ranks(values.value)
    judge_ranks = _ranks(judged, ranks)
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
            agreements[k],
            drifts[k],
        )
        for k, name in enumerate(systems.names)
    ]
    differences = tuple(_differences(systems, values, judged))
    ordered = tuple(sorted(rows, key=lambda row: row.rank))
    warnings = tuple(_warnings(systems, ordered, differences))
    facts = (
        ("systems", f"{len(rows):,}"),
        ("cases", f"{int(systems.is_present.any(0).sum()):,}"),
        ("human labels", f"{int(labels.sum()):,}"),
        ("pairs on the same cases", f"{sum(one.is_paired for one in differences):,} of {len(differences):,}"),
        *((("clusters", f"{np.unique(systems.cluster).size:,}"),) if systems.cluster is not None else ()),
        *((("human labels weighted", "by one over their chance"),) if systems.weight is not None else ()),
        *((("strata", f"{systems.strata:,}"),) if systems.stratum is not None else ()),
        ("estimated for", "these cases" if is_finite else "new cases"),
    )
    is_share = systems.label is not None
    return JudgedSystems(
        ordered, differences, {}, systems.label, level, is_finite, facts, warnings, is_share=is_share
    )


def _other_of(pair: tuple[str, str], name: str) -> str:
    return pair[1] if pair[0] == name else pair[0]


def _drifts(systems: Systems) -> list[Drift | None]:
    """Return the agreement of judge and humans by time of each system, None without times."""
    if systems.time is None:
        return [None] * len(systems.names)
    if systems.is_score:
        raise InputError(drift_of_scores())
    agrees = systems.values[systems.human] == systems.judge
    labels = systems.human >= 0
    drift = partial(drift_of, systems.time, level=systems.level, is_finite=systems.is_finite)
    return [drift(*columns) for columns in zip(agrees, labels, systems.is_present, strict=True)]


def _ranks(values: Array, ties: Sequence[int] | None = None) -> list[int]:
    """Return the places of values, the highest first, equal ones by `ties` or as they come.

    >>> _ranks(np.array([0.2, np.nan, 0.9]))
    [2, 3, 1]
    """
    later = np.arange(values.size) if ties is None else np.asarray(ties)
    order = np.lexsort((later, -np.nan_to_num(values, nan=-1.0)))
    ranks = np.empty(order.size, int)
    ranks[order] = np.arange(1, order.size + 1)
    return [*map(int, ranks)]


def _each(systems: Systems) -> tuple[Values, Cells, Cells]:
    """Return the corrected value of each system, its cells, and those of its labels only."""
    cells = counted(systems, of_systems(systems))
    is_by_strata = systems.stratum is not None and systems.weight is None
    alone = (
        cells.by_strata(np.repeat(np.arange(systems.strata), cells.sizes.shape[1] // systems.strata))
        if is_by_strata
        else cells
    )
    return cells.merged().mean(systems.values, is_finite=systems.is_finite), cells, alone


def _agreements(systems: Systems, cells: Cells) -> list[Estimate | None]:
    """Return the share of answers of each system that the judge grades as humans would; None of scores."""
    if systems.is_score:
        return [None] * len(systems.names)
    grades = np.array([np.nan, *grades_of(systems)])
    same = np.tile(grades[:, None] == systems.values, (systems.strata, 1)).astype(int)
    two = with_positive(cells.recoded(same)).merged()
    return [*estimates(two.mean(ZERO_ONE, is_finite=systems.is_finite), two.labels.sum(-1), systems.level)]


def _differences(systems: Systems, values: Values, judged: Array) -> Iterator[JudgedDifference]:
    """Yield all pairs with adjusted p-values."""
    pairs = np.array([*combinations(range(len(systems.names)), 2)])
    is_paired = are_paired(systems, pairs)
    results: dict[tuple[int, int], _Compared] = {}
    for chosen, compare in ((is_paired, _on_same), (~is_paired, partial(_on_others, values=values))):
        if chosen.any():
            results |= zip(map(tuple, pairs[chosen].tolist()), compare(systems, pairs[chosen]), strict=True)
    ordered = [results[first, second] for first, second in pairs.tolist()]
    p = np.array([one[1] for one in ordered])
    adjusted = adjust(p) if len(pairs) > 1 else p
    width = systems.bounds[1] - systems.bounds[0]
    for (first, second), paired, (estimate, p_one, cases, labels, is_merged), p_all in zip(
        pairs.tolist(), is_paired.tolist(), ordered, adjusted.tolist(), strict=True
    ):
        judge = float("nan") if systems.is_score else float(judged[first] - judged[second]) * width
        names = (systems.names[first], systems.names[second])
        yield JudgedDifference(names, estimate, judge, p_one, p_all, paired, cases, labels, is_merged)


def _on_same(systems: Systems, pairs: Array) -> Iterator[_Compared]:
    """Yield the differences of systems on the same cases, with p-values, cases and labels."""
    for marks in of_pairs(systems, pairs):
        cells = counted(systems, marks)
        is_merged = np.asarray(((cells.sizes > 0) & (cells.support < MIN_LABELS)).any(-1))
        if systems.label is not None:
            cells = cells.merged() if systems.is_score else merged_pairs(cells)
            results = of_yes_no(cells, is_finite=systems.is_finite)
            names = [f"{PAIRED} {r:.2f}" for r in results.correlation]
        else:
            gaps = (systems.values[:, None] - systems.values[None]).ravel()
            cells = cells.merged()
            results = of_grades(cells, gaps, is_finite=systems.is_finite)
            names = [GRADED] * len(cells.sizes)
        yield from _told(systems, results, names, cells.sizes.sum(-1), cells.labels.sum(-1), is_merged)


def _on_others(systems: Systems, pairs: Array, values: Values) -> Iterator[_Compared]:
    """Yield the differences of systems by the limits of both, as if their cases were different."""
    first, second = pairs.T
    results = of_others(taken(values, first), taken(values, second))
    cases, labels = systems.is_present.sum(1), (systems.human >= 0).sum(1)
    of_pair = cases[first] + cases[second], labels[first] + labels[second]
    yield from _told(systems, results, [APART] * len(pairs), *of_pair, np.zeros(len(pairs)))


def _told(
    systems: Systems, results: Differences, names: list[str], cases: Array, labels: Array, is_merged: Array
) -> Iterator[_Compared]:
    level = systems.level
    few = np.isfinite(results.degrees)
    low, high = results.limits(quantiles(results.degrees, level))
    width = systems.bounds[1] - systems.bounds[0]
    for k, (name, p) in enumerate(zip(names, results.p_values(), strict=True)):
        value = float(results.value[k])
        if np.isnan(value):
            estimate = Estimate.undefined(NOT_DEFINED if labels[k] else NO_LABELS)
        else:
            how = f"clusters, {name}, t" if few[k] else name
            estimate = Estimate(width * value, width * float(low[k]), width * float(high[k]), level, how)
        yield estimate, float(p), int(cases[k]), int(labels[k]), bool(is_merged[k])


def _of_columns(systems: Systems, rows: tuple[JudgedSystem, ...]) -> Iterator[Warned]:
    """Yield what is odd about the columns, and drifts."""
    if systems.n_unsure:
        yield Warned(
            "unsure", f"Unsure human labels: {systems.n_unsure:,}. These answers count as unlabeled."
        )
    yield from systems.warnings
    if systems.weight is not None:
        yield from of_chances(systems.weight, systems.weight.size)
    yield from of_drifts({row.name: row.drift for row in rows if row.drift is not None})


def _warnings(
    systems: Systems, rows: tuple[JudgedSystem, ...], differences: tuple[JudgedDifference, ...]
) -> Iterator[Warned]:
    """Yield what a reader must know first."""
    yield from _of_columns(systems, rows)
    value = {row.name: row.measured.estimate.value for row in rows}
    turned = [
        one.systems
        for one in differences
        if (value[one.systems[0]] - value[one.systems[1]]) * one.judge_difference < 0
    ]
    if turned:
        names = some([" versus ".join(pair) for pair in turned])
        yield Warned(
            "order_changed",
            f"By the judge's uncorrected grades, these systems have the opposite order: {names}.",
        )
    labelled = systems.human >= 0
    if systems.label is not None and not systems.is_score:
        right = (labelled & (systems.values[systems.human] == systems.judge)).sum(1)
        p = p_of_choice(labelled.sum(1), right)
        if p < CHOSEN_AT:
            yield Warned(
                "unequal_judge",
                f"The judge agrees with humans more often for some systems ({p_equation(p)}). The "
                "judge's uncorrected values are biased.",
            )
    if merged := [" minus ".join(one.systems) for one in differences if one.is_merged]:
        yield Warned(
            "small_cells",
            f"Pairs of grades with fewer than {MIN_LABELS} human labels were combined with others: {some(merged)}. "
            "There, human labels alone decide. Differences may be far from those of the judge and of single systems.",
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
