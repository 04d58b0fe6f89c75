"""Systems whose answers a judge grades: their columns, checked and brought onto the same cases."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from classay.columns import code_labels
from classay.columns.labels import match_label, refuse_kinds
from classay.columns.values import Coded, sort_labels
from classay.errors import InputError
from classay.judge.cells import MIN_LABELS
from classay.judge.judge_warnings import of_columns, of_labels
from classay.judge.rows import Rows, Truths, checked_bounds, column_of, positive_grade, read_rows, weights_of
from classay.kinds import is_mapping
from classay.texts import cut, hint, quote, some
from classay.warned import Warned

Array = NDArray[Any]


class SystemColumns(TypedDict, total=False):
    """Further columns of systems' cases. `system` and `id` are those of rows that are one answer each."""

    system: Any
    id: Any
    by: Any
    cluster: Any
    chance: Any
    stratum: Any
    time: Any


OF_ALL = ("few_labels", "unsure")
"""Warnings that results give of all systems at once."""
OF_CASES = ("by", "cluster", "stratum", "time")
"""Columns of labels that have one value for each case, whichever system answers it."""


@dataclass(frozen=True, eq=False)
class Systems:
    """Answers of several systems: by system and case the judge's grade and the human label, as numbers in [0, 1].

    `judge` is NaN where a system has no grade of a case, `human` the place of the label among `values`, -1 without one.
    `is_present` says which cases a system has, `label` which one is positive, None of grades with `bounds`. `weight` is
    one over the chance of a case to be labelled.
    """

    names: tuple[str, ...]
    human: Array
    judge: Array
    is_present: Array
    values: Array
    label: Hashable | None
    bounds: tuple[float, float]
    is_score: bool
    cluster: Array | None = None
    groups: Coded | None = None
    stratum: Array | None = None
    time: Coded | None = None
    weight: Array | None = None
    n_unsure: int = 0
    warnings: tuple[Warned, ...] = ()
    is_finite: bool = False
    level: float = 0.95

    def only(self, cases: Array) -> Systems:
        """Return the systems on some of the cases."""
        parts = {name: getattr(self, name)[:, cases] for name in ("human", "judge", "is_present")}
        for name in ("cluster", "stratum", "weight"):
            column = getattr(self, name)
            parts[name] = None if column is None else column[cases]
        if parts["cluster"] is not None:
            parts["cluster"] = np.unique(parts["cluster"], return_inverse=True)[1]
        time = None if self.time is None else replace(self.time, codes=self.time.codes[cases])
        return replace(self, **parts, time=time, groups=None)

    @property
    def strata(self) -> int:
        """The number of strata, 1 without strata."""
        return 1 if self.stratum is None else int(self.stratum.max(initial=0)) + 1


def read_systems(
    human: Any,
    judge: Any,
    passing: Hashable | None,
    bounds: tuple[float, float] | None,
    unsure: Hashable | None,
    columns: SystemColumns,
) -> Systems:
    """Check the columns of systems. Raises InputError for those that cannot be used."""
    if "system" in columns and columns["system"] is not None:
        return _of_long(human, judge, passing, bounds, unsure, columns)
    if not is_mapping(human) or not is_mapping(judge):
        raise InputError(
            "Each system needs a column. "
            + hint(
                "Pass human and judge as mappings from names to columns, or one row for each answer with system=.",
                "Use --human new=COL,old=COL and --judge new=COL,old=COL, or --model with one row for each answer.",
            )
        )
    names = [str(name) for name in judge]
    if {*map(str, human)} != {*names}:
        raise InputError(
            f"human has the systems {_listed(human)}, but judge has {_listed(judge)}. Use the same names."
        )
    if len(names) < 2:
        raise InputError("A comparison needs two systems or more. Name another one.")
    local = {str(name): column for name, column in human.items()}
    refuse_shared(local)
    doubts = dict.fromkeys(names, unsure)
    if unsure is not None:
        doubts = _doubts(local, unsure)
    rows = {
        str(name): read_rows(local[str(name)], column, doubts[str(name)], {}, needs_labels=False)
        for name, column in judge.items()
    }
    sizes = {name: item.truths.codes.size for name, item in rows.items()}
    if len({*sizes.values()}) > 1:
        raise InputError(
            f"The numbers of rows differ ({', '.join(f'{k} {n:,}' for k, n in sizes.items())}). "
            "Use one row for each case, and leave cells of missing answers empty."
        )
    systems = _joined(rows, passing, bounds, columns)
    return replace(systems, warnings=tuple(_warnings(rows)))


def _warnings(rows: Mapping[str, Rows]) -> Iterator[Warned]:
    """Yield what is odd about the columns of systems: of each kind that of the first system, with all their names."""
    by_code: dict[str, list[tuple[str, str]]] = {}
    for name, item in rows.items():
        for warning in chain(of_columns(item), _of_labels(item)):
            if warning.code not in OF_ALL:
                by_code.setdefault(warning.code, []).append((name, warning.text))
    for code, texts in by_code.items():
        names = tuple(name for name, _ in texts)
        also = f" The same applies to {some(names[1:])}." if names[1:] else ""
        yield Warned(code, f"{names[0]}: {texts[0][1]}{also}", names)


def _of_labels(item: Rows) -> Iterator[Warned]:
    """Yield what is odd about the labels of a column."""
    sizes, labels = (
        np.bincount(item.grades.codes[rows], minlength=item.grades.cells)[1:]
        for rows in (slice(None), item.labelled)
    )
    if not item.grades.missing or labels.sum() == item.labelled.sum():
        yield from of_labels(item, sizes, labels)


def _doubts(columns: Mapping[str, object], unsure: Hashable) -> dict[str, Hashable | None]:
    """Return the label of unsure humans of each system that has it. Raises InputError where none has."""
    labels: dict[str, Hashable | None] = {}
    failed = None
    for name, column in columns.items():
        try:
            labels[name] = match_label(unsure, code_labels(column, "human").labels)
        except InputError as error:
            labels[name], failed = None, error
    if failed is not None and not any(label is not None for label in labels.values()):
        raise failed
    return labels


def _listed(columns: Mapping[Any, Any]) -> str:
    return " and ".join(quote(str(name)) for name in columns)


def refuse_shared(columns: Mapping[str, object]) -> None:
    """Refuse one human column of two systems: labels are of answers, and systems answer differently."""
    seen: dict[int, str] = {}
    for name, column in columns.items():
        key = hash(column) if isinstance(column, str) else id(column)
        if key in seen:
            raise InputError(
                f"{seen[key]} and {name} have the same human column, but a human label is about the answer of one "
                "system. Use a human column for each system."
            )
        seen[key] = name


def _joined(
    rows: Mapping[str, Rows],
    passing: Hashable | None,
    bounds: tuple[float, float] | None,
    columns: SystemColumns,
    present: Array | None = None,
) -> Systems:
    """Return the systems of columns, one for each system."""
    names = tuple(rows)
    if without := [name for name, item in rows.items() if not item.labelled.any()]:
        more = f" and {len(without) - 1:,} more" if len(without) > 1 else ""
        raise InputError(
            f"No case of the system {cut(quote(without[0]), 60)}{more} has a human label. Label some of its cases, or "
            "exclude it."
        )
    truths, passing = _common(rows, passing, bounds)
    n = next(iter(rows.values())).truths.codes.size
    coded = {
        name: column_of(column, name, is_whole=name in ("cluster", "stratum"))
        for name, column in columns.items()
        if name in OF_CASES and column is not None
    }
    labelled = np.any([item.labelled for item in rows.values()], axis=0)
    weight = weights_of(columns.get("chance"), labelled)
    sizes = {name: column.codes.size for name, column in coded.items() if column is not None}
    for name, size in (sizes if weight is None else sizes | {"chance": weight.size}).items():
        if size != n:
            raise InputError(f"human has {n:,} rows, but {name} has {size:,}. Use columns of equal length.")
    scores = [item.grades.is_score for item in rows.values()]
    if any(scores) and not all(scores):
        raise InputError("Some judges give scores and others grades. Use the same scale for all systems.")
    is_score = all(scores)
    numbers = {name: _numbers(item, passing) for name, item in rows.items()}
    if passing is None:
        known = [float(label) for label in truths.grades]  # type: ignore[arg-type]
        ends = bounds or (
            min(*known, *(float(np.nanmin(x)) for x in numbers.values())),
            max(*known, *(float(np.nanmax(x)) for x in numbers.values())),
        )
        ends = checked_bounds(ends, truths.grades)
        values = (np.array(known) - ends[0]) / (ends[1] - ends[0])
        judge = np.stack([(numbers[name] - ends[0]) / (ends[1] - ends[0]) for name in names])
    else:
        ends = (0.0, 1.0)
        values = np.array([float(label == passing) for label in truths.grades])
        judge = np.stack([numbers[name] for name in names])
        if is_score:
            low, high = np.nanmin(judge), np.nanmax(judge)
            judge = (judge - low) / (high - low) if high > low else 0 * judge
    places = {label: k for k, label in enumerate(truths.grades)}
    human = np.stack(
        [
            np.array([*(places[label] for label in item.truths.grades), -1])[item.truths.codes]
            for item in rows.values()
        ]
    )
    ungraded = np.isnan(judge)
    present = ~ungraded | (human >= 0) if present is None else present
    few = (ungraded & (human >= 0)).sum(-1, keepdims=True) < MIN_LABELS
    present, human = present & ~(ungraded & few), np.where(ungraded & few, -1, human)
    return Systems(
        names,
        human,
        judge,
        present,
        values,
        passing,
        ends,
        is_score,
        _codes(coded.get("cluster")),
        coded.get("by"),
        _codes(coded.get("stratum")),
        coded.get("time"),
        weight,
        sum(item.truths.unsure for item in rows.values()),
    )


def _codes(column: Coded | None) -> Array | None:
    return None if column is None else column.codes.astype(np.int64)


def _common(
    rows: Mapping[str, Rows], passing: Hashable | None, bounds: tuple[float, float] | None
) -> tuple[Truths, Hashable | None]:
    """Return all human labels of the systems, and the positive one."""
    named = [(f"human of {name}", item.truths.grades) for name, item in rows.items()]
    refuse_kinds(named)
    labels = sort_labels({label for _, grades in named for label in grades})
    first = next(iter(rows.values()))
    union = Truths(first.truths.codes, labels)
    grades = {grade for item in rows.values() for grade in item.grades.grades}
    local = first.grades if first.grades.is_score else replace(first.grades, grades=sort_labels(grades))
    results = positive_grade(union, local, passing, bounds)
    if results is None and not all(isinstance(label, (int, float)) for label in labels):
        raise InputError(
            "Systems are compared by a share or by numeric grades. "
            + hint("Pass positive=, such as ", "Use --positive, such as --positive ")
            + hint(f"{labels[0]!r}.", f"{labels[0]}.")
        )
    return union, results


def _numbers(rows: Rows, passing: Hashable | None) -> Array:
    """Return the judge's grades as numbers, NaN without one; of a share whether each is the positive one."""
    grades = rows.grades
    if grades.is_score:
        assert grades.numbers is not None
        return grades.numbers
    if passing is not None:
        known = [float(grade == passing) for grade in grades.grades]
    elif all(isinstance(grade, (int, float)) for grade in grades.grades):
        known = [float(grade) for grade in grades.grades]  # type: ignore[arg-type]
    else:
        raise InputError("The judge's grades are not numbers, but human labels are. Use numbers for both.")
    return np.array([np.nan, *known])[grades.codes]


def _of_long(
    human: Any,
    judge: Any,
    passing: Hashable | None,
    bounds: tuple[float, float] | None,
    unsure: Hashable | None,
    columns: SystemColumns,
) -> Systems:
    """Return the systems of rows that are one answer each: by the ids of cases, or each with cases of its own."""
    rows = read_rows(human, judge, unsure, {})
    system = code_labels(columns["system"], "group system")
    n = rows.truths.codes.size
    if system.codes.size != n:
        raise InputError(
            f"human has {n:,} rows, but system has {system.codes.size:,}. Use columns of equal length."
        )
    if system.missing:
        raise InputError(f"The system is missing in {system.missing:,} rows. Every row needs a system.")
    if len(system.labels) < 2:
        raise InputError(
            f"All rows are of the system {quote(system.labels[0])}. A comparison needs two or more."
        )
    place, cases = _places(columns.get("id"), system)
    wide: dict[str, Rows] = {}
    for code, name in enumerate(system.labels):
        local = system.codes == code
        truth = np.full(cases, -1, np.int64)
        truth[place[local]] = rows.truths.codes[local]
        grade = np.zeros(cases, np.int64)
        grade[place[local]] = rows.grades.codes[local]
        numbers = None
        if rows.grades.numbers is not None:
            numbers = np.full(cases, np.nan)
            numbers[place[local]] = rows.grades.numbers[local]
        wide[str(name)] = replace(
            rows,
            truths=replace(rows.truths, codes=truth),
            grades=replace(rows.grades, codes=grade, numbers=numbers),
        )
    further: SystemColumns = {}
    for name in OF_CASES:
        if columns.get(name) is not None:
            further[name] = _by_case(columns[name], name, place, cases)  # type: ignore[literal-required]
    if columns.get("chance") is not None:
        further["chance"] = _chance_by_case(columns["chance"], rows.labelled, place, cases)
    present = np.zeros((len(wide), cases), bool)
    present[system.codes, place] = True
    systems = _joined(wide, passing, bounds, further, present)
    warnings = (
        warning for warning in chain(of_columns(rows), _of_labels(rows)) if warning.code not in OF_ALL
    )
    return replace(systems, n_unsure=rows.truths.unsure, warnings=tuple(warnings))


def _places(id: Any, system: Coded) -> tuple[Array, int]:
    """Return the case of each row and the number of cases; without ids each row is a case of its own."""
    n = system.codes.size
    if id is None:
        return np.arange(n), n
    ids = code_labels(id, "group id")
    if ids.codes.size != n or ids.missing:
        raise InputError("id needs a value in every row. Add the missing ones.")
    place, cases = ids.codes.astype(np.int64), len(ids.labels)
    if np.unique(system.codes.astype(np.int64) * cases + place).size < n:
        raise InputError(
            "A system has several rows with the same id. Use one row for each system and case, with the question as "
            "cluster and a different id for each answer."
        )
    return place, cases


def _by_case(column: Any, name: str, place: Array, cases: int) -> list[Hashable]:
    """Return the value of each case. Raises InputError where rows of a case have different ones."""
    coded = code_labels(column, name if name == "by" else f"group {name}")
    codes = np.full(cases, -1, np.int64)
    codes[place] = coded.codes
    if (codes[place] != coded.codes).any():
        raise InputError(f"Rows of one id have different values of {name}. Use one value for each case.")
    return [None if code < 0 else coded.labels[code] for code in codes.tolist()]


def _chance_by_case(column: Any, labelled: Array, place: Array, cases: int) -> Array:
    """Return the chance of each case. Raises InputError where labelled rows of a case have different ones."""
    weight = weights_of(column, labelled)
    assert weight is not None
    if weight.size != labelled.size:
        raise InputError(
            f"human has {labelled.size:,} rows, but chance has {weight.size:,}. Use columns of equal length."
        )
    of_case = np.zeros(cases)
    of_case[place[labelled]] = weight[labelled]
    if (of_case[place[labelled]] != weight[labelled]).any():
        raise InputError("Rows of one id have different values of chance. Use one value for each case.")
    with np.errstate(divide="ignore"):
        return np.where(of_case > 0, 1 / of_case, np.nan)
