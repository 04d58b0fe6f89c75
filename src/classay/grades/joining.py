"""Runs joined by case and repeat, whatever the order of their rows; targets of joined cases must agree."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import counted
from classay.comparison.cases.graded import Better
from classay.errors import InputError
from classay.grades.maps import Bounds, shown_counts
from classay.grades.reading import GradedRun
from classay.texts import cut, hint, listed, some

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class JoinedGrades:
    """Grades of one run or several, a row for each answer that some run has: sorted by case, then by repeat.

    `values` are the grades of each run, NaN where it has none. `cluster` is the number of the case of each row, None
    where every case has one answer. `groups` are columns of groups that are the same for all runs.
    """

    runs: tuple[GradedRun, ...]
    cases: tuple[str, ...]
    code: Array
    repeat: Array
    values: dict[str, Array]
    groups: dict[str, tuple[str | None, ...]]

    @property
    def cluster(self) -> Array | None:
        """The case of each row, if some case has several answers: they depend on each other."""
        return self.code if self.code.size > len(self.cases) else None

    @property
    def bounds(self) -> Bounds | None:
        """The range of the grades of all runs; None where some run declares none."""
        bounds = [run.mapped.bounds for run in self.runs]
        known = [pair for pair in bounds if pair is not None]
        return (
            (min(low for low, _ in known), max(high for _, high in known))
            if len(known) == len(bounds)
            else None
        )

    @property
    def better(self) -> Better:
        """Which grades are better."""
        return self.runs[0].better

    def by_case(self, columns: Array) -> Array:
        """Return the mean over the answers to each case of columns, `(…, answers)`, whose cases are all there."""
        starts = np.flatnonzero(np.diff(self.code, prepend=-1))
        return np.asarray(np.add.reduceat(columns, starts, axis=-1, dtype=float) / np.bincount(self.code))

    def only_graded(self) -> JoinedGrades:
        """Return the answers that have a grade in every run. Raises InputError if there are none."""
        kept = ~np.logical_or.reduce([np.isnan(column) for column in self.values.values()])
        if not kept.any():
            raise InputError(
                "No answer has a grade in every run, so the mean is not defined. Check the ids of the cases."
            )
        left, code = np.unique(self.code[kept], return_inverse=True)
        return replace(
            self,
            cases=tuple(self.cases[at] for at in left.tolist()),
            code=code,
            repeat=self.repeat[kept],
            values={name: column[kept] for name, column in self.values.items()},
            groups={
                name: tuple(text for text, keep in zip(texts, kept.tolist(), strict=True) if keep)
                for name, texts in self.groups.items()
            },
        )


def joined(runs: Sequence[GradedRun], *, refuses: bool = True) -> JoinedGrades:
    """Return runs joined by case and repeat.

    Raises InputError where cases of one name have different targets, and, if it `refuses`, where answers lack a grade
    or are in some runs only.
    """
    runs = tuple(runs)
    _warn_of_differences(runs)
    sizes = np.cumsum([len(run.case) for run in runs])[:-1]
    cases, code = coded([run.case for run in runs])
    if wrong := _other_targets(runs, cases, np.split(code, sizes)):
        by_content = _by_content(runs)
        if by_content is None:
            raise InputError(wrong)
        cases, code = by_content
    repeats, repeat_code = np.unique(np.concatenate([run.repeat for run in runs]), return_inverse=True)
    keys, place = np.unique(code * repeats.size + repeat_code, return_inverse=True)
    pairs = np.stack([keys // repeats.size, repeats[keys % repeats.size]])
    places, rows = np.split(place, sizes), keys.size
    values, has = {}, {}
    for run, at in zip(runs, places, strict=True):
        column, present = np.full(rows, np.nan), np.zeros(rows, bool)
        column[at], present[at] = run.mapped.values, True
        values[run.name], has[run.name] = column, present
    if refuses:
        _refuse_unmatched(runs, has, cases, pairs)
        _refuse_lacking(runs)
    return JoinedGrades(runs, cases, pairs[0], pairs[1], values, _groups(runs, places, rows))


def coded(columns: Sequence[Sequence[Any]]) -> tuple[tuple[str, ...], Array]:
    """Return the different texts, sorted, and the number of each text of all columns."""
    names = sorted({*chain.from_iterable(columns)})
    code_of = dict(zip(names, range(len(names)), strict=True)).__getitem__
    size = sum(map(len, columns))
    return tuple(names), np.fromiter(map(code_of, chain.from_iterable(columns)), np.int64, size)


def _by_content(runs: Sequence[GradedRun]) -> tuple[tuple[str, ...], Array] | None:
    """Return the cases of lm-eval by the hashes of their questions; None where these do not tell them apart.

    lm-eval gives the numbers of `--samples` in their order to questions that come in the order of the task.
    """
    if any(
        run.tool != "lm-eval" or len({*run.target}) != len(run.case) or None in run.target for run in runs
    ):
        return None
    largest = max(runs, key=lambda run: len(run.case))
    named = dict(zip(largest.target, largest.case, strict=True))
    warnings.warn(
        "lm-eval numbers the same questions differently in these runs, as it does with --samples in another order. "
        "Questions are matched by their content.",
        stacklevel=3,
    )
    return coded([[named.get(target, f"question {target}") for target in run.target] for run in runs])


def _warn_of_differences(runs: Sequence[GradedRun]) -> None:
    """Warn of runs that differ in what should be the same, such as the version of the task."""
    names = dict.fromkeys(name for run in runs for name in run.about)
    for name in names:
        texts = {run.about[name]: run.name for run in runs if name in run.about}
        if len(texts) > 1:
            values = listed([f"{text} ({run})" for text, run in sorted(texts.items())])
            warnings.warn(
                f"The runs differ in the {name}: {values}. Compare runs of one {name}.", stacklevel=3
            )
    better = {run.better for run in runs}
    if len(better) > 1:
        raise InputError("Lower grades are better in some runs only. Compare runs with the same grade.")


def _other_targets(runs: Sequence[GradedRun], cases: Sequence[str], codes: Sequence[Array]) -> str:
    """Return what is said of cases of one name with different targets, within a run or between runs; else nothing."""
    first: list[str | None] = [None] * len(cases)
    of: list[str] = [""] * len(cases)
    wrong: dict[int, tuple[str, str]] = {}
    for run, code in zip(runs, codes, strict=True):
        if not any(run.target):
            continue
        for at, target in zip(code.tolist(), run.target, strict=True):
            if first[at] is None:
                first[at], of[at] = target, run.name
            elif target is not None and first[at] != target:
                wrong.setdefault(at, (of[at], run.name))
    if not wrong:
        return ""
    at, (one, other) = next(iter(wrong.items()))
    where = f"in {one}" if one == other else f"in {one} and {other}"
    known = sum(text is not None for text in first)
    return (
        f"{counted(len(wrong), 'case')} of {known:,} {'has' if len(wrong) == 1 else 'have'} different questions or "
        f"targets {where}, such as case {cut(repr(cases[at]), 60)}. The ids may be positions, or the "
        "task may have changed. Use runs of the same questions."
    )


def _refuse_unmatched(
    runs: Sequence[GradedRun], has: dict[str, Array], cases: Sequence[str], pairs: Array
) -> None:
    """Refuse answers that only some runs have."""
    everywhere = np.logical_and.reduce([*has.values()])
    if everywhere.all():
        return
    name, lacking = next((name, ~present) for name, present in has.items() if not present.all())
    at = int(lacking.argmax())
    other = next(other for other, present in has.items() if present[at])
    example = f"case {cut(repr(cases[pairs[0, at]]), 60)}"
    of_run = {run.name: {*run.repeat.tolist()} for run in runs}
    if (
        of_run[name] != of_run[other]
        and not np.isin(pairs[0, lacking], pairs[0, has[name]], invert=True).any()
    ):
        example += f", repeat {pairs[1, at]}"
    shared, total = int(everywhere.sum()), everywhere.size
    gap = counted(int(lacking.sum()), "answer")
    raise InputError(
        f"{gap} of {other} {'is' if lacking.sum() == 1 else 'are'} not in {name}, such as {example}. "
        f"{shared:,} of {total:,} are in all runs. {_choices()}"
    )


def _refuse_lacking(runs: Sequence[GradedRun]) -> None:
    """Refuse answers without a grade."""
    gaps = [
        f"{run.name} {shown_counts(run.mapped.statuses)} of {len(run.case):,}"
        for run in runs
        if np.isnan(run.mapped.values).any()
    ]
    if gaps:
        raise InputError(f"Answers have no grade: {some(gaps)}. {_choices()}")


def _choices() -> str:
    return hint(
        "Pass unanswered='wrong' to count them as the worst grade, or unanswered='drop' to exclude them.",
        "Use --unanswered wrong to count them as the worst grade, or --unanswered drop to exclude them.",
    )


def _groups(
    runs: Sequence[GradedRun], places: Sequence[Array], rows: int
) -> dict[str, tuple[str | None, ...]]:
    """Return the columns of groups of the rows; those that differ between runs are no groups of cases."""
    columns: dict[str, tuple[str | None, ...]] = {}
    for name in dict.fromkeys(name for run in runs for name in run.groups):
        texts: list[str | None] = [None] * rows
        is_same = True
        for run, at in zip(runs, places, strict=True):
            for place, text in zip(at.tolist(), run.groups.get(name, ()), strict=False):
                if texts[place] is None:
                    texts[place] = text
                elif text is not None and texts[place] != text:
                    is_same = False
        if is_same:
            columns[name] = tuple(texts)
    return columns
