"""`assess_grades`: the mean grade of a run with an interval, or runs compared, over the cases that they answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from classay.answers import Unanswered
from classay.comparison.cases.graded import WORST_NEEDS_BOUNDS, Grades, compare_values
from classay.comparison.comparisons import Comparisons
from classay.errors import InputError
from classay.grades.joining import JoinedGrades, joined
from classay.grades.leaderboard import FEWEST_RUNS, GradesLeaderboard, assess_runs
from classay.grades.maps import shown_counts
from classay.grades.reading import GradedRun, GradedRuns
from classay.grades.records import Status
from classay.inference.estimate import Estimate
from classay.kinds import checked
from classay.shown import Reportable
from classay.texts import amount, hint, some
from classay.warned import Warned

Facts = tuple[tuple[str, str], ...]
_SAME = 1e-9
"""Means that differ by no more are equal but for rounding."""


@dataclass(frozen=True, eq=False)
class GradesAssessment(Reportable):
    """The mean grade of one run, and what its log lacks.

    Attributes
    ----------
    run : GradedRun
        The run, with the mean that the tool reports.
    mean : Estimate
        The mean over all answers that count, with its interval.
    n_cases, n_answers : int
        The cases and answers that count.
    counts : mapping of str to int
        How many answers of the log are graded, failed, have an empty grade or none.
    level : float
        Confidence level of the interval.
    facts : tuple of (str, str)
        What was assessed, names with texts.
    """

    run: GradedRun
    mean: Estimate
    n_cases: int
    n_answers: int
    counts: Mapping[Status, int]
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


@checked
def assess_grades(
    grades: GradedRuns,
    *,
    unanswered: Unanswered = "refuse",
    level: float = 0.95,
    seed: int = 0,
) -> GradesAssessment | Comparisons | GradesLeaderboard:
    """Assess the grades of a run, or compare runs of the same cases.

    Parameters
    ----------
    grades : GradedRuns
        What `read_grades` returns.
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

    Notes
    -----
    The answers to a case are dependent, so a case with several answers is a cluster. With a known
    range, the interval of a mean is Wilson's.

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
    rows = joined(grades.runs, refuses=unanswered == "refuse")
    facts = _facts(rows)
    if len(rows.runs) == 1:
        return _of_one(rows, facts, unanswered, level)
    if unanswered == "wrong":
        _refuse_other_repeats(rows)
    if len(rows.runs) >= FEWEST_RUNS:
        return assess_runs(rows, facts, unanswered=unanswered, level=level, seed=seed)
    comparisons = compare_values(
        rows.values,
        better=rows.better,
        bounds=rows.bounds,
        measure=rows.runs[0].grade,
        cluster=rows.cluster,
        unanswered=unanswered,
        level=level,
        seed=seed,
    )
    return replace(comparisons, facts=(*facts, *comparisons.facts))


def _refuse_other_repeats(rows: JoinedGrades) -> None:
    """Refuse to count repeats as the worst grade that a run was never asked for."""
    numbers = {run.name: {*run.repeat.tolist()} for run in rows.runs}
    if len({frozenset(repeats) for repeats in numbers.values()}) > 1:
        texts = [f"{name} {len(repeats):,}" for name, repeats in numbers.items()]
        drop = hint("unanswered='drop'", "--unanswered drop")
        raise InputError(
            f"The runs have different numbers of answers per case ({some(texts)}). Answers that were not asked for are "
            f"not incorrect. Use {drop} to compare the shared answers."
        )


def _of_one(rows: JoinedGrades, facts: Facts, unanswered: Unanswered, level: float) -> GradesAssessment:
    """Return the mean of the one run."""
    run = rows.runs[0]
    if unanswered == "wrong":
        if rows.bounds is None:
            raise InputError(WORST_NEEDS_BOUNDS)
        worst = rows.bounds[rows.better == "lower"]
        rows = replace(rows, values={run.name: np.nan_to_num(rows.values[run.name], nan=worst)})
    else:
        rows = rows.only_graded()
    sign = 1 if rows.better == "higher" else -1
    columns = Grades(rows.values, None, None, rows.cluster, run.grade, sign, rows.bounds)
    mean = columns.joint()[1](run.name, level)
    answers = rows.code.size
    facts = (
        *facts,
        *_why_other(run, mean.value, unanswered, is_uneven=len({*np.bincount(rows.code).tolist()}) > 1),
    )
    return GradesAssessment(run, mean, len(rows.cases), answers, Counter(run.mapped.statuses), level, facts)


def _why_other(run: GradedRun, mean: float, unanswered: Unanswered, *, is_uneven: bool) -> Facts:
    """Return why the mean differs from that of the tool, as far as the log shows it; nothing where they are equal."""
    if run.reported is None or abs(run.reported.value - mean) <= _SAME:
        return ()
    gaps = shown_counts(run.mapped.statuses)
    reasons = []
    if gaps and unanswered == "wrong":
        reasons.append(f"{gaps} counted as the worst grade here")
    elif gaps and run.tool == "promptfoo":
        reasons.append(f"{gaps} excluded here")
    if is_uneven and run.tool == "Inspect":
        reasons.append("Inspect weights cases equally, and classay weights answers equally")
    if not reasons:
        reasons.append("grades have other numbers here, or the log was edited")
    return ((f"difference from {run.tool}", "; ".join(reasons)),)


def _facts(rows: JoinedGrades) -> Facts:
    """Return what was assessed: the task, the cases and answers, how grades became numbers, the tools' own means."""
    first, answers = rows.runs[0], rows.code.size
    facts = [("grade", first.grade)]
    if first.task is not None:
        facts.insert(0, ("task", first.task))
    if rows.cluster is None:
        facts.append(("cases", f"{len(rows.cases):,}"))
    else:
        sizes = np.bincount(rows.code)
        uneven = "" if sizes.min() == sizes.max() else f" ({sizes.min():,} to {sizes.max():,} per case)"
        facts.append(("cases", f"{len(rows.cases):,}, with {answers:,} answers{uneven}; a case is a cluster"))
    if maps := dict.fromkeys(run.mapped.shown_map for run in rows.runs if run.mapped.shown_map):
        facts.append(("grade map", "; ".join(maps)))
    if rows.bounds is None:
        facts.append(("range of grades", "not declared"))
    else:
        low, high = rows.bounds
        source = "; ".join(dict.fromkeys(run.mapped.bounds_from for run in rows.runs))
        facts.append(("range of grades", f"{amount(low)} to {amount(high)} ({source})"))
    if len(rows.runs) > 1 and all(any(run.target) for run in rows.runs):
        facts.append(("targets", "equal in all runs"))
    for run in rows.runs:
        if run.reported is not None:
            means = run.reported
            error = "" if means.error is None else f", standard error {means.error:.3f}"
            name = f"mean by {run.tool}" + (f", {run.name}" if len(rows.runs) > 1 else "")
            facts.append((name, f"{means.value:.3f}{error} ({means.over})"))
    return tuple(facts)
