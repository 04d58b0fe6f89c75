"""The arguments of `assess` that `assess_by` and its kin pass on."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from classay.answers import Missing, Unanswered
from classay.assessment.bands import Bands
from classay.assessment.row_arguments import RowColumns
from classay.predictions import Improper


class RowArguments(RowColumns, total=False):
    """The arguments of `assess` that say what its rows are, beside their truth and scores."""

    truth: str | Sequence[str] | Mapping[Hashable, str] | None
    score: str | Sequence[str] | Mapping[Hashable, str] | None
    prediction: str | Sequence[str] | Mapping[Hashable, str] | None
    separator: str | None
    case: Any
    tag: Any
    top: int | None
    missing: Missing
    unanswered: Unanswered
    improper: Improper
    task: Literal["classes", "tags"] | None


class RowsByGroup(RowArguments, total=False):
    """The arguments of `assess_by` beside the groups."""

    reference: Hashable | None
    pool: int | None
    bands: Mapping[str, Bands] | Bands | None
    threshold: Any
    level: float
    seed: int | np.random.Generator
    interval: str | None
