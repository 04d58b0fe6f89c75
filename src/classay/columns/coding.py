"""Labels: a column of any kind becomes small integer codes, and the few distinct values become Python objects.

Compiled loops over plain memory code the rows (`kernels`); each form of column is led there by its quickest way:
NumPy in `arrays`, Python objects in `objects`, Arrow's memory, which is read in place, in `arrow`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from classay.columns.arrow import code_arrow
from classay.columns.objects import code_array, code_objects
from classay.columns.opened import Categories, Masked, opened
from classay.columns.values import Coded, build_ordered, build_used, refuse_shape, scatter
from classay.threads import thread_count, workers


def code_labels(values: Any, name: str) -> Coded:
    """Code one column of labels, of any kind that `opened` takes.

    values: one label a row, shape (n,): booleans, integers, text, dates, or any hashable Python values.
    name: what the column is, for the errors: "truth", "prediction", "cluster".
    Ordered categories keep their order. Raises InputError: more than one label a row; text among numbers; values that
    cannot be hashed; infinities; scores.

    >>> coded = code_labels(["ham", "spam", None, "ham"], "truth")
    >>> coded.labels, coded.codes.tolist(), coded.missing
    (('ham', 'spam'), [0, 1, -1, 0], 1)
    """
    refuse_shape(getattr(values, "shape", None), name)
    column = opened(values, name)
    if isinstance(column, (list, tuple)):
        return code_objects(column, name)
    if isinstance(column, np.ndarray):
        refuse_shape(column.shape, name)
        return code_array(column, name)
    if isinstance(column, Masked):
        return scatter(code_array(column.values[column.valid], name), column.valid)
    if isinstance(column, Categories):
        made = build_ordered if column.order == "declared" else build_used
        return made(column.codes, column.categories, name)
    return code_arrow(column, name)


def code_columns(columns: Sequence[tuple[str, Any]]) -> list[tuple[str, Coded]]:
    """Code several columns, given as (name, values), each on a thread of its own where they are long.

    >>> [(name, coded.labels) for name, coded in code_columns([("truth", [0, 1]), ("prediction", [1, 1])])]
    [('truth', (0, 1)), ('prediction', (1,))]
    """
    rows = max(len(values) if hasattr(values, "__len__") else 0 for _, values in columns)
    with workers(min(len(columns), thread_count(rows))) as each:
        return each(lambda column: (column[0], code_labels(column[1], column[0])), columns)
