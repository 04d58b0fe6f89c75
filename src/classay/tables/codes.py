"""Codes of labels, checked once where they enter a table: what follows, compiled loops included, believes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError

Array = NDArray[Any]


def checked_codes(labels: int, *weights: Array | None, **codes: Array) -> None:
    """Refuse columns of codes, by name, unless each is in 0 to before `labels` and all are of one length.

    `weights`, as far as there are any, are of that length too. Raises InputError.

    A compiled loop writes wherever a code points, so one beyond the labels would corrupt memory that is not the
    table's.

    >>> checked_codes(2, true=np.array([0, 1, 2]))
    Traceback (most recent call last):
    ...
    classay.errors.InputError: true holds the code 2, but there are 2 labels: pass codes from 0 to 1.
    """
    rows = {name: np.shape(column) for name, column in codes.items()}
    lengths = {*rows.values(), *(np.shape(each) for each in weights if each is not None)}
    if len(lengths) > 1 or any(len(shape) != 1 for shape in rows.values()):
        shown = ", ".join(f"{name} {shape}" for name, shape in rows.items())
        raise InputError(f"codes and weights differ in length ({shown}): pass columns of one length.")
    for name, column in codes.items():
        if column.dtype.kind not in "iu":
            raise InputError(f"{name} holds {column.dtype}, which are no codes: pass whole numbers.")
        for extreme in (column.min(), column.max()) if column.size else ():
            if not 0 <= extreme < labels:
                raise InputError(
                    f"{name} holds the code {extreme}, but there are {labels} labels: pass codes from 0 to "
                    f"{labels - 1}."
                )
