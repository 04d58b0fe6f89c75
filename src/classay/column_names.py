"""Names of columns that are no text, as pandas allows: numbers, and the tuples of a MultiIndex."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import product
from typing import Any, TypeGuard

from classay.errors import InputError

_OF_ROWS = (
    "truth score prediction scores predictions weight frequency cluster id by time case tag amounts dataset "
)
ROLES = frozenset(f"{_OF_ROWS}model value run reader modality".split())
"""Arguments that name columns of a frame."""


def with_names_as_text(arguments: Mapping[str, object]) -> dict[str, Any]:
    """Arguments whose frames of pandas have texts as names of columns, and name columns by these texts.

    A number is written as it prints, a tuple with points between its parts. Nothing changes where all names are texts,
    and none that would be the name of another column.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({0: [1, 0], ("p", "new"): [0.9, 0.2]})
    >>> found = with_names_as_text({"y_true": frame, "truth": 0, "score": ("p", "new")})
    >>> list(found["y_true"].columns), found["truth"], found["score"]
    (['0', 'p.new'], '0', 'p.new')
    """
    pandas = sys.modules.get("pandas")
    named = ROLES & {name for name, value in arguments.items() if value is not None}
    if pandas is None or not named:
        return dict(arguments)
    parts = [
        part
        for value in arguments.values()
        for part in (value.values() if isinstance(value, dict) else [value])
    ]
    frames = [part for part in parts if isinstance(part, pandas.DataFrame)]
    texts: dict[Hashable, str] = {}
    for frame in frames:
        texts |= _texts(frame.columns)
    if not texts:
        return dict(arguments)

    def renamed(value: Any) -> Any:
        if isinstance(value, pandas.DataFrame):
            made = value.copy(deep=False)
            names = [texts.get(name, name) for name in value.columns]
            made.columns = pandas.Index(names, dtype=object, tupleize_cols=False)
            return made
        return {key: renamed(each) for key, each in value.items()} if isinstance(value, dict) else value

    rows = {len(frame) for frame in frames}
    return {
        name: _named(value, texts, rows) if name in named else renamed(value)
        for name, value in arguments.items()
    }


def _texts(columns: Any) -> dict[Hashable, str]:
    """Return the text of each name that is none, without those that would be the name of another column."""
    found = {
        name: ".".join(map(str, name)) if isinstance(name, tuple) else str(name)
        for name in columns
        if not isinstance(name, str)
    }
    count = Counter([*found.values(), *(name for name in columns if isinstance(name, str))])
    return {name: text for name, text in found.items() if count[text] == 1}


def _named(value: Any, texts: Mapping[Hashable, str], rows: set[int]) -> Any:
    """Return a name, or names in a list or a mapping, as texts; a column of values, one for each row, as it is."""
    if isinstance(value, dict):
        return {key: _named(each, texts, rows) for key, each in value.items()}
    if _is_name(value, texts):
        return texts[value]
    is_names = isinstance(value, list | tuple) and all(
        isinstance(each, str) or _is_name(each, texts) for each in value
    )
    if not is_names or (len(value) in rows and not all(isinstance(each, str | tuple) for each in value)):
        return value
    return [each if isinstance(each, str) else texts[each] for each in value]


def _is_name(value: Any, texts: Mapping[Hashable, str]) -> bool:
    try:
        return value in texts and not isinstance(value, bool | str)
    except (TypeError, ValueError):  # what cannot be hashed, or compared, names nothing
        return False


def are_names(columns: object) -> TypeGuard[Sequence[str]]:
    """Check whether this is a list of names of columns, and not a column."""
    return isinstance(columns, list | tuple) and all(isinstance(name, str) for name in columns)


MOST_SHOWN = 10
"""Names of columns that a message lists."""


def listed_columns(names: Sequence[str]) -> str:
    """Names of columns as a sentence that ends a message.

    >>> listed_columns(["y", "p"]), listed_columns("abcdefghijkl")
    ('Columns: y, p.', 'Columns: a, b, c, d, e, f, g, h, i, j and 2 more.')
    """
    more = f" and {len(names) - MOST_SHOWN:,} more" if len(names) > MOST_SHOWN else ""
    return f"Columns: {', '.join(names[:MOST_SHOWN]) or 'none'}{more}."


def used_names(roles: Mapping[str, object]) -> set[Any]:
    """Return the names of columns in what roles were given: names, lists of them, and mappings to them.

    >>> sorted(used_names({"truth": "y", "score": {"a": "p", "b": "q"}, "by": ["site"], "weight": None}))
    ['p', 'q', 'site', 'y']
    """
    names: set[Any] = set()
    for role in roles.values():
        if isinstance(role, Mapping):
            names |= used_names(role)
        elif isinstance(role, str) or are_names(role):
            names |= {role} if isinstance(role, str) else {*role}
    return names


_SCORES = "score scores class_scores tag_scores"
APART = (
    ("truth truth_tags", f"{_SCORES} weight frequency cluster id by"),
    (_SCORES, "weight frequency"),
    (f"{_SCORES} weight frequency", "cluster id"),
    ("truth new", "new old"),
)
"""Pairs of roles, each of the first with each of the second, that one column cannot have."""


def refuse_shared_columns(roles: Mapping[str, object], spelled: Callable[[str], str] = str) -> None:
    """Raise InputError for a column that is named for two roles that cannot share one; `spelled` writes a role.

    >>> refuse_shared_columns({"truth": "y", "by": ["site", "y"]})
    Traceback (most recent call last):
    classay.errors.InputError: truth and by name the same column 'y'. Name one column for each.
    """
    for role, other in (pair for ones, twos in APART for pair in product(ones.split(), twos.split())):
        shared = used_names({role: roles.get(role)}) & used_names({other: roles.get(other)}) - {""}
        if shared and role != other:
            both = f"{spelled(role)} and {spelled(other)}"
            raise InputError(f"{both} name the same column {min(shared)!r}. Name one column for each.")


LOOK = "*"
"""What `by` is to look for segments."""
