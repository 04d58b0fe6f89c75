"""Columns of ids that hold each value several times: rows that may be repeats of one case, and not independent."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.coding import hash_column
from classay.columns.opened import RawColumn
from classay.errors import InputError

_NAMES = frozenset(
    {
        *("id", "ids", "uid", "uuid", "guid", "key", "case", "item", "record", "sample", "example", "row"),
        *(
            "question",
            "prompt",
            "problem",
            "task",
            "query",
            "document",
            "doc",
            "image",
            "img",
            "video",
            "scan",
        ),
        *(
            "patient",
            "subject",
            "participant",
            "person",
            "user",
            "customer",
            "client",
            "member",
            "study",
            "eye",
        ),
        *("pat", "patnr", "pid", "mrn", "subj", "fallnr"),
    }
)
"""Words of which one stands in the name of a column of ids."""
MOST_COLUMNS = 3
"""Columns of ids that are looked at."""
MOST_ROWS = 1_000_000
"""Rows of a column that are looked at: repeats of longer columns are found where they lie in its beginning."""
FEWEST = 5
"""Values below which a column is one of groups."""
REPEATED = 0.1
"""The least share of rows whose value another row has already: fewer are copies by a slip."""


def is_id_name(name: Any) -> bool:
    """Check whether a column of this name may hold ids of cases.

    >>> [is_id_name(name) for name in ("id", "patient_id", "userId", "Question", "kidney", "score")]
    [True, True, True, True, False, False]
    """
    return isinstance(name, str) and any(
        word.lower() in _NAMES for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    )


def id_names(names: Iterable[Any], used: Collection[Any] = ()) -> list[str]:
    """Return the first columns that may hold ids of cases and have no other use; a name that occurs twice is none."""
    columns = [*names]
    ids = [name for name in columns if is_id_name(name) and name not in used and columns.count(name) == 1]
    return ids[:MOST_COLUMNS]


def repeated_ids(columns: Mapping[str, RawColumn], named: Any = None) -> tuple[str, int] | None:
    """Return the column of ids that repeats its values, and how many values; None where no column does so.

    One row in ten repeats a value at least. There are more values than times that any occurs, and `FEWEST` at least, so
    that groups are no ids. Of the column that somebody `named` as ids, one repeat is enough. Of several columns it is
    that of the fewest values.

    >>> repeated_ids({"id": [*range(12)] * 3, "key": [*range(36)]}), repeated_ids({"id": [0, 1] * 18})
    (('id', 12), None)
    >>> repeated_ids({"id": [0, 1] * 18}, "id")
    ('id', 2)
    """
    numbers = {name: _values(column, is_id=name == named) for name, column in columns.items()}
    return min(((name, n) for name, n in numbers.items() if n), key=lambda pair: pair[1], default=None)


def repeated_index(rows: Any) -> tuple[str, int] | None:
    """Return the index of a series, where its name is one of ids and it repeats its values; None of anything else."""
    index: Any = getattr(rows, "index", None)
    name = getattr(index, "name", None)
    if not is_id_name(name):
        return None
    raw: RawColumn = index
    return repeated_ids({str(name): raw})


def hashed_ids(column: Any) -> NDArray[Any] | None:
    """Hashes of a column of ids, `(rows,)`; None where one is missing, or of a kind that is no id."""
    try:
        return hash_column(column, "id")
    except (InputError, TypeError, ValueError, KeyError):
        return None


def _values(column: Any, *, is_id: bool) -> int:
    """Return how many values a column of ids has that repeats them, else 0."""
    try:
        codes = hashed_ids(column if is_id else column[:MOST_ROWS])
    except (TypeError, KeyError):  # of a kind that is not sliced
        return 0
    counts = np.unique([] if codes is None else codes, return_counts=True)[1]
    least = 1 if is_id else max(FEWEST, counts.max(initial=0) + 1)
    most = counts.sum() - 1 if is_id else counts.sum() * (1 - REPEATED)
    return int(counts.size) if least <= counts.size <= most else 0
