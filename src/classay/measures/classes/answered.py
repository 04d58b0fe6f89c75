"""Measures of a matrix that holds cases without an answer: averages run over the classes, which that row is none of."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

import numpy as np

from classay.answers import NO_ANSWER
from classay.measures.conditions import Condition
from classay.measures.registry import Measure

AVERAGES = ("macro_", "weighted_", "micro_")
OF_ALL_CLASSES = ("balanced_accuracy",)
FAMILY = "measures beside cases without an answer"
WITHOUT_ORDER = Condition(
    "cases have no answer, which has no place in the order of the labels",
    "cases have no answer",
    lambda *table: True,
)


def among_answers(measure: Measure, labels: tuple[Hashable, ...]) -> Measure:
    """The measure as it is read from a matrix of these labels, of which the last may be the reserved answer.

    An average over classes leaves the reserved one out, so that a case without an answer is missed by its own class and
    a false alarm of none; measures that rest on the order of the labels are undefined. All others are as they are: for
    accuracy, kappa and MCC it is one more predicted class, never right.

    >>> import numpy as np
    >>> from classay.measures import get
    >>> from classay.tables import ConfusionMatrix
    >>> counts = np.array([[8, 0, 0], [0, 5, 0], [2, 5, 0]])
    >>> matrix = ConfusionMatrix(counts, ("a", "b", NO_ANSWER))
    >>> among_answers(get("macro_recall"), matrix.labels)(matrix)
    np.float64(0.65)
    """
    if not labels or labels[-1] is not NO_ANSWER or measure.plain is not None or measure.family == FAMILY:
        return measure
    if measure.needs == "matrix" and not measure.base.endswith("_over"):
        return replace(measure, function=_nothing, family=FAMILY, undefined=(WITHOUT_ORDER,))
    is_average = measure.name.startswith(AVERAGES) or measure.name in OF_ALL_CLASSES
    if measure.needs != "margins" or not is_average:
        return measure
    return replace(
        measure,
        function=_of_classes(measure.function),
        parts=None,
        complement=None,
        family=FAMILY,
        undefined=tuple(replace(each, met=_of_classes(each.met)) for each in measure.undefined),
    )


def _nothing(matrix: Any) -> Any:
    return np.full(np.shape(matrix.total), np.nan)[()]


def _of_classes(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of hits, predicted and true weight that looks at all classes but the last."""

    def without_last(hits: Any, predicted: Any, true: Any, **options: Any) -> Any:
        return function(hits[..., :-1], predicted[..., :-1], true[..., :-1], **options)

    return without_last
