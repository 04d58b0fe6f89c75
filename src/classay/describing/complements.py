"""Columns of scores that say the same: equal ones, and those that add up to 1 in each row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.describing.roles import Roles

if TYPE_CHECKING:
    import pyarrow as pa

_CLOSE = 1e-6
_ROUNDED = 0.0101
"""How far from 1 rounded class scores may add up."""
MAX_COLUMNS = 50


def complements(table: pa.Table, roles: Roles) -> Iterator[tuple[str, str]]:
    """Yield the name of each column that says what an earlier one says, and the sentence."""
    columns = [column.facts for column in roles.of("probability", "score")][:MAX_COLUMNS]
    values = {facts.name: _numbers(table[facts.name]) for facts in columns}
    names = [*values]
    for place, name in enumerate(names):
        for other in names[:place]:
            both = np.isfinite(values[name]) & np.isfinite(values[other])
            if not both.any():
                continue
            where = "" if both.all() else ", where both have values"
            left, right = values[name][both], values[other][both]
            if np.abs(left - right).max() < _CLOSE:
                yield name, f"equal to {other}{where}"
                break
            if np.abs(left + right - 1).max() < _CLOSE:
                yield name, f"1 minus {other}{where}"
                break
    for scores in roles.class_scores:
        if len(scores.columns) > 2 and all(name in values for name in scores.columns.values()):
            sums = sum(values[name] for name in scores.columns.values())
            outside = int((np.abs(sums - 1) > _ROUNDED).sum())
            if outside:
                last = [*scores.columns.values()][-1]
                yield last, f"the class scores do not add up to 1 in {outside:,} of {len(sums):,} rows"


def _numbers(column: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
