"""Conditions under which a measure has no value: the words for the reader, and the test on the table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from classay.columns import is_ordinal
from classay.columns.uniting import NO_ORDER


@dataclass(frozen=True)
class Condition:
    """Why a value can be missing: as it reads after "undefined when", as a reason, as one about a named class.

    `met` takes the arguments of the measure. `of_class` reads after "precision of 'c': ".
    """

    text: str
    of_class: str
    met: Callable[..., Any]


def first_met(
    conditions: Iterable[Condition], table: tuple[Any, ...], *, of_class: bool = False
) -> str | None:
    """The words of the first condition that a table without leading axes meets, or None."""
    for condition in conditions:
        if np.any(condition.met(*table)):
            return condition.of_class if of_class else condition.text
    return None


# on (tp, fp, fn, tn)
NO_CASES = Condition(
    "there are no cases", "there are no cases", lambda tp, fp, fn, tn: tp + fp + fn + tn == 0
)
NO_POSITIVES = Condition("no case is positive", "never true", lambda tp, fp, fn, tn: tp + fn == 0)
NO_NEGATIVES = Condition("no case is negative", "always true", lambda tp, fp, fn, tn: fp + tn == 0)
NONE_PREDICTED = Condition(
    "nothing is predicted positive", "never predicted", lambda tp, fp, fn, tn: tp + fp == 0
)
ALL_PREDICTED = Condition(
    "everything is predicted positive", "always predicted", lambda tp, fp, fn, tn: fn + tn == 0
)
NEVER_SEEN = Condition(
    "the positive class is neither true nor predicted anywhere",
    "neither true nor predicted anywhere",
    lambda tp, fp, fn, tn: tp + fp + fn == 0,
)
NO_HITS_NO_FALSE_ALARMS = Condition(
    "nothing is predicted positive", "never predicted", lambda tp, fp, fn, tn: (tp == 0) & (fp == 0)
)
NO_MISSES_NO_REJECTIONS = Condition(
    "everything is predicted positive", "always predicted", lambda tp, fp, fn, tn: (fn == 0) & (tn == 0)
)
ZERO_OVER_ZERO_ODDS = Condition(
    "both products of the odds ratio are zero",
    "both products of the odds ratio are zero",
    lambda tp, fp, fn, tn: (tp * tn == 0) & (fp * fn == 0),
)
ZERO_OVER_ZERO_P4 = Condition(
    "all cases are of one class, and all are called rightly or all wrongly",
    "0 / 0",
    lambda tp, fp, fn, tn: (
        ((tp == 0) | (tn == 0)) & ((fp == 0) | (fn == 0)) & ((tp + tn == 0) | (fp + fn == 0))
    ),
)

# on (hits, predicted, true)
EMPTY = Condition("there are no cases", "there are no cases", lambda hits, predicted, true: true.sum(-1) == 0)
CLASS_NEVER_TRUE = Condition(
    "a class is never true", "a class is never true", lambda hits, predicted, true: (true == 0).any(-1)
)
ONE_TRUE_CLASS = Condition(
    "all cases are of one class",
    "all cases are of one class",
    lambda hits, predicted, true: (true != 0).sum(-1) < 2,
)
ONE_PREDICTED_CLASS = Condition(
    "all predictions are of one class",
    "all predictions are of one class",
    lambda hits, predicted, true: (predicted != 0).sum(-1) < 2,
)
SAME_SINGLE_CLASS = Condition(
    "all cases and all predictions are of one and the same class",
    "all cases and all predictions are of one and the same class",
    lambda hits, predicted, true: ((predicted * true) == true.sum(-1, keepdims=True) ** 2).any(-1),
)
SAME_SINGLE_CLASS_MATRIX = Condition(
    SAME_SINGLE_CLASS.text, SAME_SINGLE_CLASS.of_class, lambda matrix: SAME_SINGLE_CLASS.met(*matrix.margins)
)

# on a score table
NO_POSITIVE_SCORES = Condition("no case is positive", "never true", lambda scores: scores.n_positive == 0)
NO_NEGATIVE_SCORES = Condition("no case is negative", "always true", lambda scores: scores.n_negative == 0)

# on a score table or a case table
NOT_PROBABILITIES = Condition(
    "the scores are no probabilities",
    "the scores are no probabilities",
    lambda probabilities: not probabilities.are_probabilities,
)
ONE_TRUE_CLASS_SEEN = Condition(
    "all cases are of one class",
    "all cases are of one class",
    lambda probabilities: (probabilities.class_totals != 0).sum(-1) < 2,
)

# on class scores and cases
CLASS_WITHOUT_CASES = Condition(
    "a class is never true",
    "a class is never true",
    lambda class_scores: bool((class_scores.class_totals == 0).any()),
)
ONE_CLASS_SEEN = Condition(
    "all cases are of one class",
    "all cases are of one class",
    lambda class_scores: np.count_nonzero(class_scores.class_totals) < 2,
)
NO_ORDER_OF_CLASSES = Condition(NO_ORDER, NO_ORDER, lambda table: not is_ordinal(table.labels))
EMPTY_MATRIX = Condition("there are no cases", "there are no cases", lambda matrix: matrix.total == 0)
EMPTY_CASES = Condition("there are no cases", "there are no cases", lambda cases: cases.cases == 0)
