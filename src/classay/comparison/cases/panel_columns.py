"""The columns of a panel as they come: answers of each model, what is known of the cases, and their groups."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.opened import rows_of

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class GroupColumn:
    """Which group each row belongs to: codes into labels, -1 where none is known; `name` is the name of the column.

    `gaps` names the columns in which values are missing, where there are several, or one has a name.
    """

    name: str
    codes: Array
    labels: tuple[Hashable, ...]
    gaps: tuple[str, ...] = ()

    def __len__(self) -> int:
        return self.codes.size

    @property
    def columns(self) -> list[str]:
        """The columns that make up the groups, by their names."""
        return self.name.split(", ")

    def take(self, rows: Array) -> GroupColumn:
        """Rows in this order; a place of -1 has no group."""
        return replace(self, codes=np.where(rows < 0, -1, self.codes[rows]))


@dataclass(frozen=True, eq=False)
class ModelAnswers:
    """What one model said, as it came: a column of scores (or of each class), of labels, or both.

    `rows` are the places of its rows in its own table, where they were joined.
    """

    score: Any = None
    prediction: Any = None
    rows: Array | None = None


@dataclass(frozen=True)
class CaseColumns:
    """What is known of the cases, whatever a model says of them: how they were drawn, their amounts and groups."""

    weight: Any = None
    frequency: Any = None
    cluster: Any = None
    amounts: Mapping[str, Any] | None = None
    by: GroupColumn | None = None

    def of(self, rows: Array | None) -> dict[str, Any]:
        """Return the columns as `check` names them, of some rows or all."""
        named = {"weight": self.weight, "frequency": self.frequency, "cluster": self.cluster}
        named["group"] = None if self.by is None else self.by.codes
        if rows is None:
            return {**named, "amounts": self.amounts}
        columns: dict[str, Any] = {name: rows_of(column, rows) for name, column in named.items()}
        amounts = self.amounts
        columns["amounts"] = amounts and {name: rows_of(column, rows) for name, column in amounts.items()}
        return columns
