"""Why the mean and the standard error of a run differ from those of the tool that wrote its log."""

from __future__ import annotations

from math import isclose, isnan

import numpy as np

from classay.answers import Unanswered
from classay.columns.numbers import counted
from classay.grades.estimates import Answers
from classay.grades.maps import shown_counts
from classay.grades.reading import GradedRun

_SAME = 1e-9
"""Means that differ by no more are equal but for rounding."""
_ROUNDED = 1e-6
"""The same of the ratio of standard errors."""


def why_other(
    run: GradedRun, answers: Answers, clusters: tuple[str, ...], unanswered: Unanswered
) -> tuple[str, ...]:
    """Return why the mean and its standard error differ from those of the tool; nothing where they are equal."""
    if run.reported is None:
        return ()
    reasons = why_other_mean(run, answers, unanswered)
    error = run.reported.error
    if error is None or isclose(error, answers.error, rel_tol=_ROUNDED):
        return reasons
    text = f"the standard error of classay is {answers.error:.3f}"
    if isnan(answers.error):
        text = "classay has no standard error, because one cluster has all answers"
    if of_error := _of_error(run, answers, clusters):
        return (*reasons, f"{text}: {of_error}")
    gone = len(run.case) - answers.values.size
    why = (
        f"classay excludes {counted(gone, 'answer')}"
        if gone
        else f"the method of {run.tool} is not in the log"
    )
    return (*reasons, text if reasons else f"{text}: {why}")


def why_other_mean(run: GradedRun, answers: Answers, unanswered: Unanswered) -> tuple[str, ...]:
    """Return why the mean differs; nothing where it is equal, or the log has none."""
    if run.reported is None or abs(run.reported.value - answers.mean.value) <= _SAME:
        return ()
    gaps = shown_counts(run.mapped.statuses)
    reasons = []
    if gaps and unanswered == "wrong":
        reasons.append(f"classay counts {gaps} as the worst grade")
    elif gaps and run.tool == "promptfoo":
        reasons.append(f"classay excludes {gaps}")
    elif len(run.case) > answers.values.size + sum(np.isnan(run.mapped.values)):
        reasons.append(f"classay excludes {counted(len(run.case) - answers.values.size, 'answer')}")
    if _is_uneven(answers) and run.tool == "Inspect":
        reasons.append("Inspect weights cases equally, and classay weights answers equally")
    return tuple(reasons or ("classay uses other numbers for grades, or the log was edited",))


def _of_error(run: GradedRun, answers: Answers, clusters: tuple[str, ...]) -> str:
    """Return why the standard error differs, as far as the log shows it."""
    assert run.reported is not None
    theirs = run.reported.cluster
    if theirs and theirs not in clusters:
        return f"{run.tool} has clusters of {theirs}, classay of {clusters[-1] if clusters else 'answers to a case'}"
    if clusters and not theirs:
        return f"{run.tool} has no clusters of {clusters[-1]}"
    if len({*np.bincount(answers.cluster).tolist()}) > 1:
        return "classay corrects for clusters of unequal size (CV3)"
    return ""


def _is_uneven(answers: Answers) -> bool:
    """Check whether cases have different numbers of answers."""
    return len({*answers.n_of_case.tolist()}) > 1
