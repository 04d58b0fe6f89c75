"""Grades of the AUC, for those whose readers expect them; no report shows one."""

from __future__ import annotations

from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.kinds import number

GRADES = ((0.9, "excellent"), (0.8, "good"), (0.7, "fair"), (0.6, "poor"), (0.5, "fail"))
"""The least AUC of each grade; the next higher one begins where it ends."""
BELOW = "below chance"


def auc_grade(auc: Estimate | float) -> str:
    """The grade of a ROC AUC in the scheme of medical teaching, and those that its interval reaches.

    From 0.9 excellent, from 0.8 good, from 0.7 fair, from 0.6 poor, from 0.5 fail; below that the scores point the
    wrong way. The limits are a custom without a reason: how good is good enough depends on what errors cost and on how
    rare positives are (see the net benefit). Raises InputError for an AUC that is undefined or outside [0, 1].

    >>> auc_grade(0.9), auc_grade(Estimate(0.84, 0.78, 0.91, 0.95, "logit-DeLong"))
    ('excellent', 'good (95 % interval: fair to excellent)')
    """
    grade = _grade(auc)
    if not isinstance(auc, Estimate) or not auc.has_interval:
        return grade
    low, high = _grade(auc.low), _grade(auc.high)
    reached = low if low == high else f"{low} to {high}"
    return grade if reached == grade else f"{grade} ({100 * (auc.level or 0):g} % interval: {reached})"


def _grade(auc: Estimate | float) -> str:
    try:
        auc = number(float(auc) if isinstance(auc, Estimate) else auc)
    except (TypeError, ValueError, OverflowError):
        auc = float("nan")
    if not 0 <= auc <= 1:
        raise InputError(f"the AUC is {auc}: pass a number from 0 to 1, or an Estimate that has a value.")
    return next((name for least, name in GRADES if auc >= least), BELOW)
