"""Columns that may not be what cut points take them for: scores that do not rank, codes of no label, repeated ids."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.doubtful import (
    FEW_CASES,
    PERFECT,
    about_infinite,
    about_no_label,
    about_values,
    repeats_said,
)
from classay.columns.labels import no_label_codes
from classay.columns.numbers import counted
from classay.columns.repeats import repeated_index
from classay.measures import roc_auc
from classay.tables import ScoreTable
from classay.tables.sums import ROUNDING
from classay.texts import wrong_way
from classay.warned import Warned

Array = NDArray[Any]
Steps = Sequence[tuple[float, float]]
"""For each step between classes in an order, the pairs of a case above and a case below it, and their ROC AUC."""


def steps_between(score: Array, true: Array, weight: Array) -> Steps:
    """Rank the cases above each step against those below it."""
    tables = [ScoreTable.from_rows(score, true >= code, weight=weight) for code in np.unique(true)[1:]]
    return [(float(table.n_positive) * float(table.n_negative), float(roc_auc(table))) for table in tables]


def is_reversed(steps: Steps, weight: Array) -> bool:
    """Check whether cases above a step score higher in fewer than one half of the pairs of all steps."""
    excess = sum(pairs * (auc - 0.5) for pairs, auc in steps)
    return bool(excess < -ROUNDING * float(weight.sum()) ** 2)


def reversed_text(labels: Sequence[Hashable]) -> str:
    """Return what is said of a score that falls with the class."""
    return wrong_way("The score falls with the class", labels[-1])


def warnings_of_cuts(
    score: Array, true: Array, labels: Sequence[Hashable], steps: Steps, weight: Array, index: Any
) -> tuple[Warned, ...]:
    """Return the warnings of the columns of cut points, the gravest first; `index` may name the cases of the rows."""
    counts = np.bincount(true, minlength=len(labels))
    infinite = int(np.isinf(score).sum())
    occurring = [label for label, count in zip(labels, counts, strict=True) if count]
    codes = no_label_codes(occurring)
    warnings = [
        about_no_label(code, {"true": counts[labels.index(code)]}, "exclude these cases.") for code in codes
    ]
    warnings += about_values(np.unique(score), score.size)
    if steps and all(auc == 1 for _, auc in steps) and counts[counts > 0].min() >= FEW_CASES:
        warnings.append(PERFECT)
    if is_reversed(steps, weight):
        warnings.append(("auc_below_half", reversed_text(labels)))
    if infinite:
        warnings.append(about_infinite(counted(infinite, "case")))
    return (*(Warned(*warning) for warning in warnings), *repeats_said(repeated_index(index), score.size))
