"""Two assessments added: the assessment of both test sets together, from their tables alone."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.answers import NO_ANSWER, refuse_infinite
from classay.columns import Labels
from classay.errors import MergeError
from classay.tables.sparse import together

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment

ALIKE = (
    "positive",
    "cutoff",
    "cutoff_chosen",
    "level",
    "seed",
    "kind_of_weight",
    "weight_scale",
    "interval",
    "limit",
)
"""What must be the same of two assessments that are added."""


def merged(a: Assessment, other: Assessment) -> Assessment:
    """The assessment of both test sets together; MergeError says what differs when they cannot be added."""
    a, other = _with_one_default(a, other)
    labels = labels_together(a, other)
    _refuse_tied_with_none(a, other)
    a, other, no_answer = _with_answers(a, other, labels)
    scores = _sum("scores", a.scores, other.scores)
    class_scores = _sum("class scores", a.class_scores, other.class_scores)
    cases = _sum("class scores", a.cases, other.cases)
    coded = _sum("clusters", a.coded, other.coded)
    if (a.blocks is None) != (other.blocks is None):
        raise MergeError("one assessment has the ids of its rows and the other has none: assess both alike.")
    blocks = None
    if a.blocks is not None and other.blocks is not None:
        if a.coded is None and a.blocks.are_of_same_cases(other.blocks):
            raise MergeError(
                "both hold the same cases (the same ids, with the same true labels), and added each would count twice: "
                "add assessments of different cases; `compare` sets two models on the same cases side by side."
            )
        blocks = a.blocks.merged(a.scores, other.blocks, other.scores, scores)
    return replace(
        a,
        labels=labels,
        confusion_matrix=_sum("labels", a.confusion_matrix, other.confusion_matrix, together),
        scores=scores,
        blocks=blocks,
        class_scores=class_scores,
        cases=cases,
        rows=a.rows + other.rows,
        dropped=a.dropped + other.dropped,
        unscored=a.unscored + other.unscored,
        improper=a.improper + other.improper,
        renormalised=a.renormalised + other.renormalised,
        coded=coded,
        unanswered=a.unanswered + other.unanswered,
        undeclared=a.undeclared + other.undeclared,
        no_answer=no_answer,
    )


def _with_answers(
    a: Assessment, other: Assessment, labels: tuple[Hashable, ...]
) -> tuple[Assessment, Assessment, tuple[float, ...] | None]:
    """Both with all labels and a row for cases without an answer where one of them has it; and all such cases."""
    both = [each for each in (a, other) if each.no_answer is not None]
    if not both:
        return a, other, None
    at = {label: i for i, label in enumerate(labels)}
    held = [0.0] * len(labels)
    for each in both:
        for label, count in zip(each.labels, each.no_answer or (), strict=True):
            held[at[label]] += count
    if a.positive is not None:
        return a, other, tuple(held)
    wide = (*labels, NO_ANSWER)
    return _widened(a, wide), _widened(other, wide), tuple(held)


def _widened(a: Assessment, labels: tuple[Hashable, ...]) -> Assessment:
    """The assessment with a matrix, and rows in clusters, of these labels."""
    matrix = None if a.confusion_matrix is None else a.confusion_matrix.over(labels)
    coded = None if a.coded is None else a.coded.over(labels)
    blocks = a.blocks
    if blocks is not None and blocks.matrix is not None:
        blocks = replace(blocks, matrix=blocks.matrix.over(labels))
    return replace(a, confusion_matrix=matrix, coded=coded, blocks=blocks)


def _refuse_tied_with_none(a: Assessment, other: Assessment) -> None:
    """Refuse infinite scores of one beside cases of the other that rank worst for want of an answer."""
    for here, there in ((a, other), (other, a)):
        if here.no_answer is not None and there.no_answer is None and there.scores is not None:
            refuse_infinite(bool(np.isinf(there.scores.scores[[0, -1]]).any()))


def labels_together(a: Assessment, other: Assessment) -> Labels:
    """The labels of two assessments that were made alike. Raises MergeError for what differs.

    >>> from classay import assess
    >>> labels_together(*(assess(["b", "a"], y_pred=each, positive="b") for each in (["b", "b"], ["a", "b"])))
    ('a', 'b')
    """
    for what in ALIKE:
        here, there = getattr(a, what), getattr(other, what)
        is_alike = what == "positive" or type(here) is type(there)  # True is 1, as labels unite
        if here != there or not is_alike:
            said = what.replace("cutoff", "threshold").replace("_", " ")
            raise MergeError(f"{said} is {here!r} here and {there!r} there: assess both alike.")
    labels = Labels.of(a.labels) | Labels.of(other.labels)
    if a.positive is not None and len(labels) > 2:
        raise MergeError(
            f"together the labels are {labels}, more than two: declare labels= when assessing each part."
        )
    return labels


def _with_one_default(a: Assessment, other: Assessment) -> tuple[Assessment, Assessment]:
    """Both without labels, where nobody chose a threshold and the scores of one alone lie in [0, 1]: as of all rows."""
    if a.cutoff_chosen or other.cutoff_chosen or (a.cutoff is None) == (other.cutoff is None):
        return a, other
    open_one = a if a.cutoff is None else other
    if open_one.scores is None or open_one.confusion_matrix is not None:
        return a, other
    return replace(a, cutoff=None, confusion_matrix=None), replace(other, cutoff=None, confusion_matrix=None)


def _sum(what: str, here: Any, there: Any, adding: Callable[[Any, Any], Any] = add) -> Any:
    if (here is None) != (there is None):
        raise MergeError(f"one assessment has {what} and the other has none: assess both alike.")
    return None if here is None else adding(here, there)
