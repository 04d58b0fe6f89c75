"""The order in which cases are drawn: one that their values decide, not the order of the rows or of the models.

Resamples pick cases by their place. Were the place that of the row, another order of the same rows would be another
sample of resamples, with other intervals. Here draws belong to what the cases hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def order_of_rows(shared: Sequence[Array], of_models: Mapping[str, Sequence[Array]]) -> Array:
    """The places of the rows in their own order, `(rows,)`: by the shared columns, then by those of the models.

    All columns are `(rows,)`. Models come in an order of their own too, that of a digest of what they say, so that
    models that change places change nothing. Rows that agree in everything keep their order, which nobody can tell.

    >>> y, a, b = np.array([1, 0, 1]), np.array([0.3, 0.2, 0.1]), np.array([0.5, 0.6, 0.7])
    >>> order_of_rows([y], {"a": [a], "b": [b]}), order_of_rows([y], {"b": [b], "a": [a]})
    (array([1, 2, 0]), array([1, 2, 0]))
    """
    own = [list(columns) for columns in of_models.values()]
    ranked = sorted(own, key=lambda columns: _digest([*shared, *columns]))
    # Two models that say the same things of each class, on other cases, are told apart by what they say jointly.
    if len(ranked) == 2 and _digest([*shared, *ranked[0]]) == _digest([*shared, *ranked[1]]):
        one, other = ranked
        if _digest([*shared, *other, *one]) < _digest([*shared, *one, *other]):
            ranked = [other, one]
    return _sorted([*shared, *(column for columns in ranked for column in columns)])


def is_symmetric(shared: Sequence[Array], first: Array, second: Array) -> bool:
    """Whether two models that change places leave the same rows: then their difference is symmetric about 0.

    >>> y = np.array([1, 1, 0])
    >>> is_symmetric([y], np.array([1, 2, 3]), np.array([2, 1, 3])), is_symmetric([y], y, 1 - y)
    (True, False)
    """
    return _digest([*shared, first, second]) == _digest([*shared, second, first])


def _sorted(columns: Sequence[Array]) -> Array:
    return np.lexsort(tuple(reversed(columns)))


def _digest(columns: Sequence[Array]) -> bytes:
    """What the rows hold, whatever their order."""
    order, found = _sorted(columns), sha256()
    for column in columns:
        found.update(np.ascontiguousarray(column[order]).tobytes())
    return found.digest()
