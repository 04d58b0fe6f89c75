"""The cases outside a group, which it is compared with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from operator import add

from classay.assessment.assessment import Assessment
from classay.inference.scores.others import OF_OTHERS, Others
from classay.measures import Measure
from classay.tables.binned.table import BinnedScoreTable


def known_of_others(
    whole: Assessment, groups: Sequence[Assessment], measures: Sequence[Measure]
) -> list[dict[str, Others]]:
    """What sums tell of the others of each group, so that no table of theirs is made for it."""
    known: list[dict[str, Others]] = [{} for _ in groups]
    tables = [each.scores for each in groups if each.scores is not None]
    # without labels only the table of scores knows how many cases there are
    if not tables or whole.interval is not None or whole.confusion_matrix is None:
        return known
    for name in (each.name for each in measures if each.name in OF_OTHERS):
        for of_group, found in zip(known, OF_OTHERS[name](tables), strict=True):
            if found is not None:
                of_group[name] = found
    return known


def lean(a: Assessment, measures: list[Measure]) -> Assessment:
    """The assessment with the tables that measures need, which are all that is worth adding up."""
    if a.confusion_matrix is None or {each.needs for each in measures} - {"counts", "margins", "matrix"}:
        return replace(a, blocks=None)
    return replace(a, blocks=None, scores=None, class_scores=None, cases=None)


def is_exact(whole: Assessment) -> bool:
    """Whether a part can be taken from it without a trace: counts can, weights are rounded; of two classes.

    Bins keep a mean score, which is another one in each part.
    """
    is_counted = whole.kind_of_weight != "sampling" and whole.coded is None
    return is_counted and whole.class_scores is None and not isinstance(whole.scores, BinnedScoreTable)


def without(whole: Assessment, part: Assessment) -> Assessment:
    """The assessment of all cases but those of a part: of two classes, counted."""
    matrix = scores = None
    if whole.confusion_matrix is not None and part.confusion_matrix is not None:
        matrix = whole.confusion_matrix.without(part.confusion_matrix)
    if whole.scores is not None and part.scores is not None:
        scores = whole.scores.without(part.scores)
    return replace(
        whole,
        confusion_matrix=matrix,
        scores=scores,
        rows=whole.rows - part.rows,
        improper=whole.improper - part.improper,
        renormalised=whole.renormalised - part.renormalised,
    )


def sums_of_others(parts: list[Assessment], outside: Assessment | None) -> Iterator[Assessment | None]:
    """For each part the sum of all others, by halves: so that the additions of k parts are k log k, not k²."""
    if len(parts) == 1:
        yield outside
        return
    left, right = parts[: len(parts) // 2], parts[len(parts) // 2 :]
    for half, rest in ((left, right), (right, left)):
        yield from sums_of_others(half, reduce(add, rest if outside is None else [outside, *rest]))
