"""Runs of which some answers have human labels: shares, means and differences corrected for errors of the grader."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import counted
from classay.errors import InputError, nearest
from classay.grades.by_group import clusters_of
from classay.grades.joining import JoinedGrades, joined
from classay.grades.maps import LETTERS, mapped
from classay.grades.reading import GradedRuns, read_runs
from classay.grades.records import Grade, Run
from classay.grades.tables import GradeColumns, TableReading
from classay.judge.comparing import JudgedSystems, compare_judged
from classay.judge.judging import Judged, judged
from classay.texts import cut, some

Array = NDArray[Any]
Key = tuple[str, int | None]
ZERO_ONE = {0.0, 1.0}


def corrected(
    runs: GradedRuns,
    path: str,
    columns: GradeColumns,
    label: str,
    reading: TableReading,
    *,
    map: Mapping[str, float] | None,
    by: str | None,
    cluster: Sequence[str],
    level: float,
) -> Judged | JudgedSystems:
    """Return the mean of a run, or the differences of runs, corrected by the human labels of a file.

    The file has a row for each label: the `case`, the `label`, of several answers their `repeat`, and of several runs
    the `model`. Raises InputError for labels that are not those of one answer each.
    """
    rows = joined(runs.runs, refuses=False)
    name = os.path.basename(path)
    label_runs = [*read_runs([path], columns, label, reading)]
    of_run = _by_run(rows, label_runs, columns, name)
    human = {run: _aligned(rows, run, read, label, columns, map, name) for run, read in of_run.items()}
    arguments: dict[str, Any] = {"by": _group(rows, by), "cluster": _clusters(rows, cluster), "level": level}
    label_values = {value for column in human.values() for value in column[~np.isnan(column)].tolist()}
    if not label_values <= ZERO_ONE and rows.bounds is not None:
        low, high = rows.bounds
        arguments["bounds"] = (min(low, *label_values), max(high, *label_values))
    if len(rows.values) == 1:
        ((run, grades),) = rows.values.items()
        return judged(human[run], grades, **arguments)
    return compare_judged(human, rows.values, **arguments)


def _by_run(
    rows: JoinedGrades, label_runs: Sequence[Run], columns: GradeColumns, name: str
) -> dict[str, Run]:
    """Return the labels of each run. Raises InputError where it is not known of which run they are."""
    if columns.model is None:
        if len(rows.values) > 1:
            raise InputError(
                f"A human label is about the answer of one run, but there are {len(rows.values):,} runs. Add a column "
                f"with the run of every label to {name}, and name it: --human-columns run=COL."
            )
        return {next(iter(rows.values)): label_runs[0]}
    known = {str(run.model): run for run in label_runs}
    if lacking := [run for run in rows.values if run not in known]:
        near = nearest(lacking[0], known) or "."
        raise InputError(
            f"{name} has no human label of the run {cut(repr(lacking[0]), 60)}. Its runs: {some(sorted(known))}{near}"
        )
    if others := sorted(known.keys() - rows.values.keys()):
        warnings.warn(
            f"{name} has human labels of {counted(len(others), 'other run')}, such as {cut(others[0], 40)}. They are "
            "ignored.",
            stacklevel=2,
        )
    return {run: known[run] for run in rows.values}


def _aligned(
    rows: JoinedGrades,
    run: str,
    read: Run,
    label: str,
    columns: GradeColumns,
    map: Mapping[str, float] | None,
    name: str,
) -> Array:
    """Return the human label of each answer of a run as a number, NaN where there is none."""
    raw = read.grades[Grade(label)]
    has_letters = map is None and {str(value).strip() for value in raw if value is not None} <= {*LETTERS, ""}
    numbers = mapped(raw, read.failed, label, table=map, has_letters=has_letters).values
    has_repeats = columns.repeat is not None
    keys: list[Key] = [*zip(read.case, read.repeat if has_repeats else [None] * len(read.case), strict=True)]
    pairs = [(key, number) for key, number in zip(keys, numbers.tolist(), strict=True) if not isnan(number)]
    labels = dict(pairs)
    if not labels:
        raise InputError(
            f"{name} has no human label of the run {cut(repr(run), 60)}. Label some answers, or use another column."
        )
    _refuse_twice(key for key, _ in pairs)
    is_there = _is_there(rows, run)
    answers: list[Key] = [
        (rows.cases[code], repeat if has_repeats else None)
        for code, repeat in zip(rows.code[is_there].tolist(), rows.repeat[is_there].tolist(), strict=True)
    ]
    if not has_repeats:
        _refuse_several(answers, labels, name)
    if outside := sorted(labels.keys() - {*answers}, key=str):
        what = f"{len(outside):,} of {len(labels):,} human labels are of answers that are not in run {run}"
        example = f"such as case {cut(repr(outside[0][0]), 60)}"
        if len(outside) == len(labels):
            raise InputError(f"{what}, {example}. Check the ids of the cases in {name}.")
        warnings.warn(f"{what}, {example}. These labels are ignored.", stacklevel=2)
    column = np.full(rows.code.size, np.nan)
    column[is_there] = [labels.get(key, np.nan) for key in answers]
    return column


def _is_there(rows: JoinedGrades, run: str) -> Array:
    """Return which of the joined answers a run has, with a grade or without."""
    answers = next(graded for graded in rows.runs if graded.name == run)
    known = {*zip(answers.case, answers.repeat.tolist(), strict=True)}
    places = zip(rows.code.tolist(), rows.repeat.tolist(), strict=True)
    return np.array([(rows.cases[code], repeat) in known for code, repeat in places], bool)


def _refuse_twice(keys: Iterable[Key]) -> None:
    """Refuse two labels of an answer."""
    twice = [key for key, number in Counter(keys).items() if number > 1]
    if twice:
        raise InputError(
            f"The file has several human labels of {counted(len(twice), 'answer')}, such as case "
            f"{cut(repr(twice[0][0]), 60)}. Keep one label of each answer."
        )


def _refuse_several(answers: Sequence[Key], labels: Mapping[Key, float], name: str) -> None:
    """Refuse labels of cases with several answers, of which the labels do not name one."""
    several = [key for key, number in Counter(answers).items() if number > 1 and key in labels]
    if several:
        raise InputError(
            f"Case {cut(repr(several[0][0]), 60)} has several answers, but {name} has no column for the labeled "
            "answer. Add a column with the repeat, and name it: --human-columns repeat=COL."
        )


def _group(rows: JoinedGrades, by: str | None) -> tuple[str | None, ...] | None:
    """Return the column of groups."""
    return None if by is None else _column(rows, by)


def _clusters(rows: JoinedGrades, names: Sequence[str]) -> Array | None:
    """Return the cluster of each answer, None where each is one of its own."""
    if not names:
        return rows.cluster
    return clusters_of(rows.code, tuple(names), tuple(_column(rows, name) for name in names), rows.cases)


def _column(rows: JoinedGrades, name: str) -> tuple[str | None, ...]:
    """Return a column of the runs."""
    if name not in rows.groups:
        near = nearest(name, rows.groups) or "."
        raise InputError(
            f"The runs have no common column {name!r}. Columns: {some(sorted(rows.groups)) or 'none'}{near}"
        )
    return rows.groups[name]
