"""Groups of cases by the labels of one column, or of several together; which of them a user means."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.coding import code_labels
from classay.columns.labels import is_written, match_label
from classay.columns.opened import Categories, RawColumn
from classay.columns.values import are_measured, listing
from classay.errors import InputError, nearest
from classay.measures.vocabulary import pairs_of, quoted
from classay.texts import hint, listed, quote


class Group(tuple[Hashable, ...]):
    """The labels that several columns have in a group: a tuple that prints as `sex=f, region="a, b"`.

    >>> group = Group(("sex", "region"), ("f", "a, b"))
    >>> print(group, group == ("f", "a, b"))
    sex=f, region="a, b" True
    """

    columns: tuple[str, ...]

    def __new__(cls, columns: Sequence[str], labels: Sequence[Hashable]) -> Group:
        """A group of these columns; labels are in their order."""
        group = super().__new__(cls, tuple(labels))
        group.columns = tuple(columns)
        return group

    def __getnewargs__(self) -> tuple[tuple[str, ...], tuple[Hashable, ...]]:
        return self.columns, tuple(self)

    def __str__(self) -> str:
        pairs = zip(self.columns, self, strict=True)
        return ", ".join(f"{quoted(column)}={quoted(str(label))}" for column, label in pairs)


def grouped(columns: Mapping[str, RawColumn]) -> Any:
    """Return several columns as one column of groups, in the order of their labels; of one column, the column itself.

    A row without a label in one of them is of no group.
    """
    if len(columns) == 1:
        return next(iter(columns.values()))
    coded = [code_labels(column, f"by (column {quote(name)})") for name, column in columns.items()]
    lengths = {len(column.codes) for column in coded}
    if len(lengths) > 1:
        rows = listed([f"{length:,}" for length in sorted(lengths)])
        raise InputError(
            f"The columns of {hint('by=', '--by')} have {rows} rows. Pass columns of one length."
        )
    complete = np.logical_and.reduce([column.codes >= 0 for column in coded])
    flat = np.zeros(int(complete.sum()), np.int64)
    for column in coded:  # numbers in the order of the labels, renumbered before they grow too large
        flat = np.unique(flat, return_inverse=True)[1] * len(column.labels) + column.codes[complete]
    _, at, codes = np.unique(flat, return_index=True, return_inverse=True)
    of_rows = np.full(complete.size, -1, np.int64)
    of_rows[complete] = codes
    first = np.flatnonzero(complete)[at]
    groups = [
        Group(tuple(columns), [each.labels[each.codes[row]] for each in coded]) for row in first.tolist()
    ]
    gaps = tuple(str(name) for name, column in zip(columns, coded, strict=True) if column.missing)
    return Categories(of_rows, groups, "declared", gaps)


MOST_GROUPS = 10_000
NEVER_IDS = 200
"""Groups up to which a column is one of groups; beyond, if most rows have a group of their own, it is one of ids."""


def refuse_many_groups(groups: int, rows: int, by: str) -> None:
    """Refuse more groups than are compared, and columns of ids."""
    if groups > MOST_GROUPS:
        raise InputError(
            f"{by!r} has {groups:,} groups, but at most {MOST_GROUPS:,} can be compared. Combine groups."
        )
    if groups > max(NEVER_IDS, rows // 2):
        raise InputError(
            f"{by!r} has {groups:,} groups in {rows:,} rows, so it seems to contain IDs. Use a column of groups."
        )


def refuse_measured_groups(group: NDArray[Any], groups: Sequence[Hashable], by: str) -> None:
    """Refuse groups by a column of measurements, fractional numbers that nearly all differ, which need bands.

    `group` are codes into `groups`, -1 without one; `by` is the name of the column, or those of several.
    """
    columns = groups[0].columns if groups and isinstance(groups[0], Group) else (by,)
    for place, name in enumerate(columns):
        values = [label[place] if isinstance(label, Group) else label for label in groups]
        is_fractional = np.array([isinstance(number, float) and number % 1 != 0 for number in values], bool)
        fractional = {number for number in values if isinstance(number, float) and number % 1 != 0}
        rows = int(np.append(is_fractional, False)[group].sum())
        if are_measured(len(fractional), rows, group.size):
            least = min(map(float, fractional))
            raise InputError(
                f"{name!r} has {len(fractional):,} different fractional numbers, such as {least:.3g}. Combine them "
                f"into ranges with {hint('bands=', '--bands')}."
            )


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
        return _match_combination(wanted, [group for group in groups if isinstance(group, Group)])
    labels = pairs_of(wanted, (by,)) if isinstance(wanted, str) and wanted not in groups else None
    label = labels[0] if labels else wanted
    try:
        return match_label(label, groups)
    except InputError:
        near = nearest(str(label), [str(group) for group in groups]) or "."
        of_column = f" of {by}" if by not in ("", "group") else ""
        raise InputError(
            f"Group {label!r} does not occur. Groups{of_column}: {listing(groups)}{near}"
        ) from None


def _match_combination(wanted: Any, groups: Sequence[Group]) -> Group:
    columns = groups[0].columns
    labels = pairs_of(wanted, columns) if isinstance(wanted, str) else wanted
    matches = [group for group in groups if group == labels or str(group) == wanted]
    if not matches and isinstance(labels, tuple | list) and len(labels) == len(columns):
        matches = [group for group in groups if all(map(_is_meant, labels, group))]
    if matches:
        return matches[0]
    more = f"; … ({len(groups):,} in all)" if len(groups) > SHOWN else ""
    raise InputError(f"Group {wanted!r} does not occur. Groups: {'; '.join(map(str, groups[:SHOWN]))}{more}.")


def _is_meant(wanted: Any, label: Hashable) -> bool:
    return wanted == label or (
        isinstance(wanted, str) and not isinstance(label, str) and is_written(wanted, label)
    )


SHOWN = 10
"""Groups that an error lists."""


def groups_of(frame: Any, names: Sequence[str]) -> Any:
    """Return the groups that columns of a frame make together; of one column, the column itself."""
    from classay.sources.inputs import frame_columns

    if not names:
        raise InputError("by is an empty list. Pass the name of a column or a list of names.")
    by_name = frame_columns(frame, sorted(set(names)))
    return grouped({name: by_name[name] for name in names})
