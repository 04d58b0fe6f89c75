"""Groups of cases: one label of a column, or one of each of several columns, and how such groups are written."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from classay.columns.coding import code_labels
from classay.columns.opened import Categories
from classay.columns.uniting import is_written, match_label
from classay.errors import InputError
from classay.measures.names import pairs_of, quoted


class Group(tuple[Hashable, ...]):
    """The labels that several columns have in a group: a tuple that prints as `sex=f, region="a, b"`.

    >>> found = Group(("sex", "region"), ("f", "a, b"))
    >>> print(found, found == ("f", "a, b"))
    sex=f, region="a, b" True
    """

    columns: tuple[str, ...]

    def __new__(cls, columns: Sequence[str], labels: Sequence[Hashable]) -> Group:
        """A group of these columns; labels are in their order."""
        made = super().__new__(cls, tuple(labels))
        made.columns = tuple(columns)
        return made

    def __getnewargs__(self) -> tuple[tuple[str, ...], tuple[Hashable, ...]]:
        return self.columns, tuple(self)

    def __str__(self) -> str:
        pairs = zip(self.columns, self, strict=True)
        return ", ".join(f"{quoted(column)}={quoted(str(label))}" for column, label in pairs)


def grouped(columns: Mapping[str, Any]) -> Any:
    """Several columns as one column of groups, in the order of their labels; of one column, the column itself.

    A row without a label in one of them is of no group.
    """
    if len(columns) == 1:
        return next(iter(columns.values()))
    coded = [code_labels(column, "by") for column in columns.values()]
    lengths = {len(each.codes) for each in coded}
    if len(lengths) > 1:
        raise InputError(f"the columns of by have {sorted(lengths)} rows: pass columns of one length.")
    table = np.stack([each.codes for each in coded], 1)
    whole = (table >= 0).all(1)
    occurring, codes = np.unique(table[whole], axis=0, return_inverse=True)
    of_rows = np.full(len(table), -1, np.int64)
    of_rows[whole] = codes.ravel()
    groups = [
        Group(tuple(columns), [each.labels[code] for each, code in zip(coded, row, strict=True)])
        for row in occurring.tolist()
    ]
    return Categories(of_rows, groups, "declared")


def match_group(wanted: Any, groups: Sequence[Hashable], by: str) -> Hashable:
    """Find the group that a user means: a label, a tuple of labels, or a text such as `sex=f, region="a, b"`.

    Labels are matched as `match_label` does. `by` names the column, where there is one. Raises InputError, listing
    the groups, where there is none.

    >>> match_group("region=north", ("north", "south"), "region")
    'north'
    >>> of_two = [Group(("sex", "age"), labels) for labels in (("f", 1), ("m", 1))]
    >>> match_group("age=1, sex=m", of_two, ""), match_group(("f", "1"), of_two, "")
    (('m', 1), ('f', 1))
    """
    if groups and isinstance(groups[0], Group):
        return _match_combination(wanted, [each for each in groups if isinstance(each, Group)])
    labels = pairs_of(wanted, (by,)) if isinstance(wanted, str) and wanted not in groups else None
    return match_label(labels[0] if labels else wanted, groups)


def _match_combination(wanted: Any, groups: Sequence[Group]) -> Group:
    columns = groups[0].columns
    labels = pairs_of(wanted, columns) if isinstance(wanted, str) else wanted
    found = [each for each in groups if each == labels]
    if not found and isinstance(labels, tuple | list) and len(labels) == len(columns):
        found = [each for each in groups if all(map(_is_meant, labels, each))]
    if found:
        return found[0]
    more = f"; … ({len(groups):,} in all)" if len(groups) > SHOWN else ""
    raise InputError(
        f"there is no group {wanted!r}: the groups are {'; '.join(map(str, groups[:SHOWN]))}{more}. Name one of these."
    )


def _is_meant(wanted: Any, label: Hashable) -> bool:
    return wanted == label or (
        isinstance(wanted, str) and not isinstance(label, str) and is_written(wanted, label)
    )


SHOWN = 10
"""Groups that an error lists."""
