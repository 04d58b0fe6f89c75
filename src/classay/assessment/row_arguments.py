"""The arguments of `assess` by name, as they are passed on."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, TypedDict

from classay.columns.scales import ScoreScale


class RowColumns(TypedDict, total=False):
    """Columns of the rows beside their truth and scores, and what their labels and scores mean."""

    y_pred: Any
    positive: Hashable | None
    labels: Sequence[Hashable] | None
    ordered: bool
    weight: Any
    frequency: Any
    cluster: Any
    id: Any
    amounts: Any
    score_scale: ScoreScale | None


class EstimationArguments(TypedDict):
    """The arguments of `assess` that are no rows, as `how_to_assess` checked them."""

    threshold: float | None
    level: float
    seed: int
    interval: str | None
