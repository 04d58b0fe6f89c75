"""The arguments of `scan`, by name, as they go from its doors to what reads and counts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from classay.answers import Missing, Unanswered
from classay.kinds import Format, Improper, ScoreScale
from classay.sources.other_formats import layout_of_options

ColumnNames = str | Sequence[str] | Mapping[Hashable, str]
"""The column of a role, or several: by their names alone, or one for each label."""
MEMORY = 2**30
"""Bytes that exact tables may take."""
Progress = Callable[[int, int | None], None]
"""Called with the rows counted so far, and with all rows if their number is known."""

LAYOUT = ("sheet", "range", "decimal", "na", "header_line")
"""The arguments that say how a file is laid out."""


@dataclass(frozen=True)
class ScanArguments:
    """What `scan` was given."""

    source: Any
    truth: ColumnNames
    score: ColumnNames | None = None
    prediction: ColumnNames | None = None
    positive: Hashable | None = None
    threshold: float | Sequence[float] | Mapping[Hashable, float] | None = None
    top: int | None = None
    separator: str | None = None
    labels: Sequence[Hashable] | None = None
    ordered: bool = False
    weight: str | None = None
    frequency: str | None = None
    cluster: str | None = None
    id: str | None = None
    amounts: str | Sequence[str] | Mapping[str, str] | None = None
    level: float = 0.95
    seed: int | np.random.Generator = 0
    interval: str | None = None
    missing: Missing = "refuse"
    unanswered: Unanswered = "refuse"
    improper: Improper = "keep"
    score_scale: ScoreScale | None = None
    task: Literal["classes", "tags"] | None = None
    memory: float = MEMORY
    bits: int | None = None
    limit: int | None = None
    format: Format | None = None
    delimiter: str | None = None
    sheet: str | None = None
    range: str | None = None
    decimal: str | None = None
    na: str | None = None
    header_line: int | None = None
    executor: Any = None
    progress: Progress | None = None

    @property
    def layout(self) -> tuple[Any, ...]:
        """How the files are laid out, as their readers take it."""
        return layout_of_options({name: getattr(self, name) for name in LAYOUT})
