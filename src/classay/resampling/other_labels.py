"""Learners of cases with other labels than one each; wings bring them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from classay.wings import ways_of


@dataclass(frozen=True)
class WayToEvaluate:
    """How `evaluate` meets such cases, in `ways={"evaluate.NAME": …}`.

    `claims` says whether the labels `y` are such; `answer` takes the estimators by name, X, y, and options of
    `evaluate`; `targets` gives the column of each label that the text of `--target` names among the known columns of a
    file.
    """

    claims: Callable[[Any], bool]
    answer: Callable[..., Any]
    targets: Callable[[str, Sequence[str], str], dict[Hashable, str]]


def way_to_evaluate(y: Any) -> WayToEvaluate | None:
    """Return the way of the labels, None of one label a case."""
    known = (way for way in ways_of("evaluate") if way.claims(y))
    return next(known, None)
