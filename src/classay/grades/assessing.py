"""`assess_grades`: the mean grade of a run with an interval, or runs compared, over the cases that they answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from classay.answers import Unanswered
from classay.columns.numbers import counted
from classay.comparison.cases.graded import WORST_NEEDS_BOUNDS, compare_values
from classay.comparison.comparisons import Comparisons
from classay.errors import InputError, nearest
from classay.grades.beside_tools import why_other, why_other_mean
from classay.grades.by_group import (
    WEIGHT_TEXTS,
    GroupMeans,
    GroupWeight,
    clusters_of,
    coded_groups,
    group_means,
    mean_of_groups,
)
from classay.grades.estimates import Answers, Array, ExpectedError, PassRate
from classay.grades.items import SAME, shown_cases
from classay.grades.joining import JoinedGrades, joined
from classay.grades.leaderboard import FEWEST_RUNS, GradesLeaderboard, RunRows, assess_runs
from classay.grades.maps import shown_counts
from classay.grades.reading import GradedRun, GradedRuns
from classay.grades.records import Status
from classay.inference.estimate import Estimate, level_text
from classay.kinds import checked
from classay.shown import Reportable
from classay.texts import amount, cut, hint, some
from classay.warned import Warned

Facts = tuple[tuple[str, str], ...]
_OF_MATRIX = ("cases", "clusters", "bounds")
"""Facts of `compare_values` that are about rows, of which a case may have several, or are said in other words."""


@dataclass(frozen=True, eq=False)
class GradesAssessment(Reportable):
    """The mean grade of one run, and what its log lacks.

    Attributes
    ----------
    run : GradedRun
        The run, with the mean that the tool reports.
    mean : Estimate
        The mean over all answers that count, with its interval.
    error : float
        The standard error of the mean, NaN if one cluster has all answers.
    n_cases, n_answers : int
        The cases and answers that count.
    counts : mapping of str to int
        How many answers of the log are graded, failed, have an empty grade or none.
    passing : tuple of PassRate
        pass@k and pass^k. Empty if every case has one answer, or if grades do not pass or fail.
    varying : Estimate
        The share of cases with differing grades, of those with several answers.
    expected : tuple of ExpectedError
        Standard errors that more cases or answers would bring.
    groups : GroupMeans or None
        The means of groups.
    differences : tuple of str
        Why the mean or the standard error differs from that of the tool.
    level : float
        Confidence level of the interval.
    facts : tuple of (str, str)
        What was assessed, names with texts.
    """

    run: GradedRun
    mean: Estimate
    error: float
    n_cases: int
    n_answers: int
    counts: Mapping[Status, int]
    passing: tuple[PassRate, ...]
    varying: Estimate
    expected: tuple[ExpectedError, ...]
    groups: GroupMeans | None
    differences: tuple[str, ...]
    level: float
    facts: Facts

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings that a reader must know before acting."""
        gone = len(self.run.case) - self.counts.get("graded", 0)
        if not gone:
            return ()
        text = f"{shown_counts(self.run.mapped.statuses)} of {len(self.run.case):,} answers"
        if self.n_answers < len(self.run.case):
            return (Warned("unanswered_dropped", f"Answers without a grade are excluded: {text}."),)
        return (Warned("unanswered_wrong", f"Answers without a grade count as the worst grade: {text}."),)


def _likely_bounds(columns: Iterable[Array]) -> str:
    """Return the bounds that grades keep to, as advice: only declared ones keep an interval within."""
    columns = [*columns]
    low, high = min(map(np.nanmin, columns)), max(map(np.nanmax, columns))
    limit = next((limit for limit in (1, 100) if low >= 0 and high <= limit), None)
    return "" if limit is None else f"; all are within 0 to {limit}, which bounds 0,{limit} would declare"


@checked
def assess_grades(
    grades: GradedRuns,
    *,
    by: str | None = None,
    cluster: str | Sequence[str] | None = None,
    pass_k: Sequence[int] | None = None,
    group_weight: GroupWeight = "equal",
    unanswered: Unanswered = "refuse",
    level: float = 0.95,
    seed: int = 0,
) -> GradesAssessment | Comparisons | GradesLeaderboard:
    """Assess the grades of a run, or compare runs of the same cases.

    Parameters
    ----------
    grades : GradedRuns
        What `read_grades` returns.
    by : str, optional
        Column of groups of the cases, such as a category or a subtask. Every group has its mean, and runs are
        compared in every group too.
    cluster : str or sequence of str, optional
        Column of clusters of cases, such as passages. The answers to a case are always
        within one cluster.
    pass_k : sequence of int, optional
        Numbers of answers of pass@k and pass^k. The default is 2, and the number that every case has.
    group_weight : {"equal", "cases"}, default "equal"
        How the groups count in the mean of their means. "cases" weights them by their numbers of cases.
    unanswered : {"refuse", "wrong", "drop"}, default "refuse"
        What to do with answers without a grade, and with cases that only some runs have. "wrong" counts them
        as the worst grade. "drop" excludes them for all runs.
    level : float, default 0.95
        Confidence level of the intervals.
    seed : int, default 0
        Start of all random numbers.

    Returns
    -------
    GradesAssessment, Comparisons or GradesLeaderboard
        The mean of one run with its interval. Of two runs, their comparison. Of more runs, a leaderboard.

    Raises
    ------
    InputError
        If answers have no grade, or are in some runs only, and `unanswered` is "refuse".
        If cases of one name have different targets.
        If a column is not in the runs, or a cluster cuts across cases.
        If `pass_k` is given for several runs, or for grades that do not pass or fail.
        If `group_weight` is "cases" without groups.

    Notes
    -----
    The answers to a case are dependent, so a case with several answers is a cluster. With a known range, the
    interval of a mean is Wilson's, over the means of the cases. Unless all these means are the lowest or the
    highest grade, a further case with the grade at the farther bound widens it. Groups are compared with all
    other answers by Welch's t, adjusted by Holm. The mean of groups is stratified: only the variation within
    groups counts.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import classay as ca
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "grades.csv"
    ...     _ = path.write_text("item,grade\\na,yes\\nb,no\\nc,yes\\n")
    ...     runs = ca.read_grades(path, grade="grade", columns=ca.GradeColumns(case="item"))
    >>> ca.assess_grades(runs).mean
    Estimate(0.667 [0.208, 0.939] 95%, Wilson)
    """
    if group_weight != "equal" and by is None:
        what = hint("group_weight has no effect without by=.", "--group-weight has no effect without --by.")
        raise InputError(f"{what} Name the column of groups.")
    names = (cluster,) if isinstance(cluster, str) else tuple(cluster or ())
    question = _Question(joined(grades.runs, refuses=unanswered == "refuse"), by, names, group_weight, level)
    question.refuse_unknown(*names, *(() if by is None else (by,)))
    if len(grades.runs) == 1:
        return _of_one(question, None if pass_k is None else tuple(pass_k), unanswered)
    if pass_k is not None:
        raise InputError(
            f"pass@k is of one run, but there are {len(grades.runs):,}. Name one run, or remove "
            + hint("pass_k.", "--pass-k.")
        )
    return _compared(question, unanswered, seed)


@dataclass(frozen=True, eq=False)
class _Question:
    """Joined runs, and what is asked of them."""

    rows: JoinedGrades
    by: str | None
    names: tuple[str, ...]
    weight: GroupWeight
    level: float

    def refuse_unknown(self, *names: str) -> None:
        """Refuse the name of a column that the runs do not have, or have differently."""
        for name in names:
            if name in self.rows.groups:
                continue
            differs = any(name in run.groups for run in self.rows.runs)
            if differs:
                raise InputError(
                    f"Column {name!r} differs between the runs, so it has no groups of cases. Use another column."
                )
            known = f"Columns: {some(sorted(self.rows.groups))}" if self.rows.groups else "They have none"
            near = nearest(name, self.rows.groups) or "."
            how = ""
            if self.rows.runs[0].tool == "table":
                how = hint(" Name it in GradeColumns(by=…).", " All its values are missing.")
            raise InputError(f"The runs have no column {cut(repr(name), 60)} of groups. {known}{near}{how}")

    @cached_property
    def cluster(self) -> Array:
        """The number of the cluster of each answer."""
        columns = tuple(self.rows.groups[name] for name in self.names)
        return clusters_of(self.rows.code, self.names, columns, self.rows.cases)

    @property
    def groups(self) -> tuple[str | None, ...]:
        """The group of each answer."""
        assert self.by is not None
        return self.rows.groups[self.by]

    def answers(self, run: GradedRun) -> Answers:
        """Return the answers of a run, which all count; see `counted`."""
        rows = self.rows
        return Answers(
            run.name,
            run.grade,
            rows.values[run.name],
            rows.code,
            self.cluster,
            rows.bounds,
            rows.better,
            self.level,
        )

    def counted(self, unanswered: Unanswered) -> _Question:
        """Return the answers that count: with the worst grade where there is none, or without those that lack one."""
        rows = self.rows
        if unanswered != "wrong":
            return replace(self, rows=rows.only_graded())
        if rows.bounds is None:
            raise InputError(WORST_NEEDS_BOUNDS)
        worst = rows.bounds[rows.better == "lower"]
        values = {name: np.nan_to_num(column, nan=worst) for name, column in rows.values.items()}
        return replace(self, rows=replace(rows, values=values))

    @property
    def facts(self) -> Facts:
        """What was assessed: the task, the cases and answers, how grades became numbers."""
        rows = self.rows
        first = rows.runs[0]
        facts = [] if first.task is None else [("task", first.task)]
        facts += [("grade", first.grade), ("cases", f"{len(rows.cases):,}"), *self._answers]
        if self.names:
            number = int(self.cluster.max()) + 1
            facts.append(("clusters of cases", f"{number:,}, by {', '.join(self.names)}"))
        if maps := dict.fromkeys(run.mapped.shown_map for run in rows.runs if run.mapped.shown_map):
            facts.append(("grade map", "; ".join(maps)))
        if rows.bounds is None:
            facts.append(("range of grades", f"not declared{_likely_bounds(rows.values.values())}"))
        else:
            low, high = rows.bounds
            source = "; ".join(dict.fromkeys(run.mapped.bounds_from for run in rows.runs))
            facts.append(("range of grades", f"{amount(low)} to {amount(high)} ({source})"))
        for run in rows.runs:
            name = f"log of {run.name}" if len(rows.runs) > 1 else "log"
            facts += [(name, text.rstrip(".")) for text in run.notes]
        if len(rows.runs) > 1 and all(any(run.target) for run in rows.runs):
            facts.append(("targets", "equal in all runs"))
        return tuple(facts)

    @property
    def _answers(self) -> Facts:
        """How many answers there are, and what is a cluster; nothing where every case has one."""
        cases, answers = len(self.rows.cases), self.rows.code.size
        if answers == cases:
            return ()
        sizes = np.bincount(self.rows.code)
        uneven = "" if sizes.min() == sizes.max() else f" ({sizes.min():,} to {sizes.max():,} per case)"
        of_case = "" if self.names else "; a case is a cluster"
        return (("answers", f"{answers:,}{uneven}{of_case}"),)

    def reported(self, unanswered: Unanswered) -> tuple[Facts, dict[str, tuple[str, ...]]]:
        """Return the numbers of the tools with the reasons for other ones here, and these reasons by run."""
        facts, reasons = [], {}
        for run in self.rows.runs:
            if run.reported is None:
                continue
            of_run = f", {run.name}" if len(self.rows.runs) > 1 else ""
            error = "" if run.reported.error is None else f", standard error {run.reported.error:.3f}"
            facts.append(
                (f"mean by {run.tool}{of_run}", f"{run.reported.value:.3f}{error} ({run.reported.over})")
            )
            reasons[run.name] = why_other(run, self.answers(run), self.names, unanswered)
            if reasons[run.name]:
                facts.append((f"difference from {run.tool}{of_run}", "; ".join(reasons[run.name])))
        return tuple(facts), reasons


def _of_one(question: _Question, k: tuple[int, ...] | None, unanswered: Unanswered) -> GradesAssessment:
    """Return the mean of the one run."""
    run = question.rows.runs[0]
    question = question.counted(unanswered)
    answers = question.answers(run)
    reported, reasons = question.reported(unanswered)
    if k is not None and (not k or min(k) < 1):
        raise InputError(
            f"pass_k must be numbers of answers, at least 1, but is {some([str(number) for number in k]) or 'empty'}."
        )
    by = question.by
    return GradesAssessment(
        run,
        answers.mean,
        answers.error,
        len(question.rows.cases),
        answers.values.size,
        Counter(run.mapped.statuses),
        tuple(answers.passing(number) for number in (answers.default_k if k is None else sorted({*k}))),
        answers.varying,
        answers.expected(),
        None if by is None else group_means(answers, question.groups, by, question.weight),
        reasons.get(run.name, ()),
        question.level,
        (*question.facts, *reported),
    )


def _compared(question: _Question, unanswered: Unanswered, seed: int) -> Comparisons | GradesLeaderboard:
    """Return the runs compared over their cases, and in the groups of the cases."""
    rows = question.rows
    if unanswered == "wrong":
        _refuse_other_repeats(rows)
    if len(rows.runs) >= FEWEST_RUNS:
        return _of_many(question, unanswered, seed)
    graded = question.counted(unanswered)
    has_clusters = int(question.cluster.max()) + 1 < rows.code.size
    groups: dict[str, Any] = {}
    if question.by is not None:
        is_gap = None in question.groups
        groups = {"by": {question.by: question.groups}, "missing": "drop" if is_gap else "refuse"}
    comparisons = compare_values(
        rows.values,
        better=rows.better,
        bounds=rows.bounds,
        measure=rows.runs[0].grade,
        cluster=question.cluster if has_clusters else None,
        unanswered=unanswered,
        level=question.level,
        seed=seed,
        **groups,
    )
    others = tuple(fact for fact in comparisons.facts if fact[0] not in _OF_MATRIX)
    if comparisons.shows_pairs and not question.names:
        comparisons = _of_cases(comparisons)
    means = _means_of_groups(graded)
    if question.by is not None:
        comparisons = _with_cases_of_groups(comparisons, graded, means)
    return replace(
        comparisons,
        means=tuple(
            (name, graded.answers(run).mean)
            for (name, _), run in zip(comparisons.means, rows.runs, strict=False)
        ),
        facts=(
            *graded.facts,
            *graded.reported(unanswered)[0],
            *others,
            *_in_words(means, graded),
            *_for_whom(graded.rows),
        ),
    )


def _of_many(question: _Question, unanswered: Unanswered, seed: int) -> GradesLeaderboard:
    """Return the leaderboard of three or more runs, in which each has the mean that it has alone."""
    graded = question.counted(unanswered)
    by_reason: dict[str, list[str]] = {}
    for run in graded.rows.runs:
        for reason in why_other_mean(run, graded.answers(run), unanswered):
            by_reason.setdefault(reason, []).append(run.name)
    differences = tuple(("difference from the tool", f"{some(by_reason[one])}: {one}") for one in by_reason)
    return assess_runs(
        RunRows(question.rows, question.cluster),
        RunRows(graded.rows, graded.cluster),
        (*graded.facts, *differences),
        {run.name: graded.answers(run).mean for run in question.rows.runs},
        by=question.by,
        unanswered=unanswered,
        level=question.level,
        seed=seed,
    )


def _of_cases(comparisons: Comparisons) -> Comparisons:
    """Name the units of the tests cases, because a cluster is a case."""
    return replace(
        comparisons, comparisons=tuple(test.changed(units="cases") for test in comparisons.comparisons)
    )


def _with_cases_of_groups(comparisons: Any, question: _Question, means: tuple[Estimate, ...]) -> Any:
    """Count the cases of each group, of which a comparison knows the answers, and name its units likewise."""
    cases: dict[str | None, set[int]] = {}
    for group, code in zip(question.groups, question.rows.code.tolist(), strict=True):
        cases.setdefault(group, set()).add(code)
    parts, rest = dict(comparisons.groups), comparisons.not_recorded
    if comparisons.shows_pairs and not question.names:
        parts = {label: _of_cases(part) for label, part in parts.items()}
        rest = rest and _of_cases(rest)
    return replace(
        comparisons,
        groups=parts,
        not_recorded=rest,
        cases={label: len(cases.get(label, ())) for label in parts},
        cases_not_recorded=len(cases.get(None, ())),
        means_of_groups=means,
    )


def _for_whom(rows: JoinedGrades) -> Facts:
    """Return in which cases each of two runs is better, those of the largest difference first."""
    first, second = rows.runs
    sign = 1 if rows.better == "higher" else -1
    gain = sign * rows.by_case(rows.values[first.name] - rows.values[second.name])
    facts = []
    for run, ahead in ((first, gain), (second, -gain)):
        order = np.argsort(-ahead, kind="stable")
        cases = [rows.cases[at] for at in order[ahead[order] > SAME].tolist()]
        such = f": {shown_cases(cases)}" if cases else ""
        facts.append((f"better in {run.name}", f"{counted(len(cases), 'case')}{such}"))
    return tuple(facts)


def _means_of_groups(question: _Question) -> tuple[Estimate, ...]:
    """Return the mean of the means of groups of each of two runs, and their difference."""
    rows = question.rows
    if question.by is None or len(rows.runs) != 2:
        return ()
    _, code = coded_groups(question.groups, question.by)
    answers = question.answers(rows.runs[0])
    first, second = (rows.values[run.name] for run in rows.runs)
    return (
        mean_of_groups(answers, first, code, question.weight, rows.bounds),
        mean_of_groups(answers, second, code, question.weight, rows.bounds),
        mean_of_groups(answers, first - second, code, question.weight, None),
    )


def _in_words(means: tuple[Estimate, ...], question: _Question) -> Facts:
    """Return these means as a fact."""
    if not means:
        return ()
    *of_each, difference = means
    values = " and ".join(f"{estimate.value:.3f}" for estimate in of_each)
    limits = ""
    if difference.has_interval:
        limits = f" ({level_text(question.level)} {difference.low:+.3f} to {difference.high:+.3f})"
    number = len({*question.groups} - {None})
    name = f"mean of the {number:,} groups"
    return ((name, f"{values}, difference {difference.value:+.3f}{limits}; {WEIGHT_TEXTS[question.weight]}"),)


def _refuse_other_repeats(rows: JoinedGrades) -> None:
    """Refuse to count repeats as the worst grade that a run was never asked for."""
    numbers = {run.name: {*run.repeat.tolist()} for run in rows.runs}
    if len({frozenset(repeats) for repeats in numbers.values()}) > 1:
        texts = [f"{name} {len(repeats):,}" for name, repeats in numbers.items()]
        drop = hint("unanswered='drop'", "--unanswered drop")
        raise InputError(
            f"The runs have different numbers of answers per case ({some(texts)}). "
            f"Use {drop} to compare the shared answers."
        )
