"""SetTable: cases counted by true label, size and coverage of the set, and group. Tables are added."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.labels import Labels, united
from classay.errors import MergeError

Array = NDArray[Any]
TRUE, SIZE, COVERED, GROUP = range(4)
"""The columns of the cells of a table."""


@dataclass(frozen=True, eq=False)
class SetTable:
    """Distinct cells `(cells, 4)`: code of the true label, size, covered or not, code of the group; `cases` in each.

    Without groups, `groups` is None and their code is -1.
    """

    labels: Labels
    groups: tuple[Hashable, ...] | None
    cells: Array
    cases: Array

    @classmethod
    def of_rows(
        cls,
        labels: Labels,
        groups: Sequence[Hashable] | None,
        columns: Sequence[Array],
        cases: Array | None = None,
    ) -> SetTable:
        """Count rows of such columns."""
        codes = [column.astype(np.int64) + 1 for column in columns]
        shape = tuple(int(code.max(initial=0)) + 1 for code in codes)
        keys, places = np.unique(np.ravel_multi_index(codes, shape), return_inverse=True)
        counts = np.zeros(keys.size, np.int64)
        np.add.at(counts, places, 1 if cases is None else cases)
        cells = np.column_stack(np.unravel_index(keys, shape)) - 1
        return cls(labels, None if groups is None else tuple(groups), cells, counts)

    def __add__(self, other: SetTable) -> SetTable:
        """Add the cases of two tables. Raises MergeError where one has groups and the other has none."""
        if not isinstance(other, SetTable):
            return NotImplemented
        if (self.groups is None) != (other.groups is None):
            raise MergeError(
                "One result has groups and the other has none. Name groups for both, or for neither."
            )
        labels = Labels.of(united([("here", self.labels), ("there", other.labels)]))
        groups = None if self.groups is None else tuple(dict.fromkeys([*self.groups, *(other.groups or ())]))
        moved = np.concatenate([_moved(table, labels, groups) for table in (self, other)])
        return SetTable.of_rows(labels, groups, [*moved.T], np.concatenate([self.cases, other.cases]))

    @property
    def n(self) -> int:
        """The cases."""
        return int(self.cases.sum())

    def total(self, kept: Array) -> int:
        """Return the cases of some cells."""
        return int(self.cases[kept].sum())

    def covered_by(self, column: int) -> tuple[Array, Array, Array]:
        """Return the values of a column that occur, with the covered cases and all cases of each."""
        values, at = np.unique(self.cells[:, column], return_inverse=True)
        covered = np.bincount(at, self.cases * self.cells[:, COVERED], values.size)
        return values, covered, np.bincount(at, self.cases, values.size)


def _moved(table: SetTable, labels: Labels, groups: tuple[Hashable, ...] | None) -> Array:
    """Return the cells of a table with the codes of other labels and groups."""
    cells = table.cells.copy()
    cells[:, TRUE] = np.array([labels.index(label) for label in table.labels])[cells[:, TRUE]]
    if table.groups is not None and groups is not None:
        cells[:, GROUP] = np.array([groups.index(group) for group in table.groups])[cells[:, GROUP]]
    return cells
