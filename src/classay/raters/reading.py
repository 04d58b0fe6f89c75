"""Ratings of any form, checked once: rows of case, rater and label, or a column for each rater."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.column_names import listed_columns
from classay.columns import code_columns, code_labels, unite
from classay.columns.labels import Labels, declared, typed_labels
from classay.columns.numbers import as_array, counted
from classay.columns.opened import RawColumn
from classay.columns.values import Coded, listing
from classay.errors import InputError
from classay.kinds import is_mapping, shown
from classay.raters.table import RatingTable
from classay.sources.inputs import as_frame, frame_columns, frame_names
from classay.texts import hint, listed, quote

Array = NDArray[Any]
Scale = Literal["nominal", "ordinal", "interval"]
"""What labels are: names, names in an order, or numbers whose differences count."""
LONG = ("case", "rater", "label")
GREATEST = 1e100
"""Ratings up to which the squares of differences are computed."""
LEAST_ROWS_OF_IDS = 10
"""Rows from which labels that all differ look like ids."""


def matching(names: Sequence[str], available: Sequence[str]) -> list[str]:
    """Return the columns that names and patterns with a star mean, each once. Raises InputError for none.

    >>> matching(["r_*"], ["case", "r_ann", "r_bob"])
    ['r_ann', 'r_bob']
    """
    columns: list[str] = []
    for name in names:
        if "*" not in name or name in available:
            columns.append(name)
            continue
        before, _, after = name.partition("*")
        fitting = [
            column
            for column in available
            if column.startswith(before) and column.endswith(after) and len(column) > len(name) - 1
        ]
        if "*" in after or not fitting:
            raise InputError(
                f"No column matches {name!r}. Use one star in place of the rater. {listed_columns(available)}"
            )
        columns += fitting
    return [*dict.fromkeys(columns)]


def table_of_rows(
    frame: Any, roles: Mapping[str, str], labels: Sequence[Hashable] | None, scale: Scale
) -> tuple[RatingTable, int]:
    """Return the table of ratings, a row for each, and how many rows lack a label.

    `roles` name the columns of "case", "rater" and "label". Raises InputError for two labels of one rater and case.
    """
    named = frame_columns(frame, [*roles.values()])
    columns = {role: named[name] for role, name in roles.items()}
    who, what = (_named(columns[role], role, roles[role]) for role in ("rater", "case"))
    known, (label,) = _labels({roles["label"]: columns["label"]}, labels, scale)
    if label.size != what.codes.size:
        raise InputError("The columns of ratings have different lengths. Pass columns of equal length.")
    there = label >= 0
    case, rater = (coded.codes[there].astype(np.int64) for coded in (what, who))
    key = case * len(who.labels) + rater
    order = np.argsort(key, kind="stable")
    key, label = key[order], label[there][order]
    _refuse_second(key, (what, who), known, label)
    case, rater = np.divmod(key, len(who.labels))
    start = np.searchsorted(case, case)
    slot = np.arange(case.size) - start
    row = np.cumsum(slot == 0) - 1
    slots = np.full((2, int(row.max(initial=-1)) + 1, int(slot.max(initial=-1)) + 1), -1, np.int64)
    slots[0, row, slot], slots[1, row, slot] = rater, label
    raters = [str(name) for name in who.labels]
    return _refuse_few(RatingTable.of_slots(known, raters, slots[0], slots[1])), int((~there).sum())


def table_of_columns(
    ratings: Any, raters: Sequence[str] | None, labels: Sequence[Hashable] | None, scale: Scale
) -> tuple[RatingTable, int]:
    """Return the table of ratings, a column for each rater, and how many cases have no label."""
    columns = _columns(ratings, raters)
    if raters is None and {*LONG} <= {*columns}:
        raise InputError(
            "The columns case, rater and label look like one rating in each row. "
            "Pass case=, rater= and label=, or the columns of the raters as raters=."
        )
    if len(columns) < 2:
        raise InputError(
            f"Agreement needs two raters, but there is {counted(len(columns), 'column')} of ratings. "
            + hint("Pass a column for each rater.", "Name the columns of all raters in --raters.")
        )
    known, codes = _labels(columns, labels, scale)
    if raters is None and scale != "interval":
        _refuse_ids(columns, codes)
    lengths = {code.size for code in codes}
    if len(lengths) > 1:
        raise InputError("The columns of ratings have different lengths. Pass columns of equal length.")
    matrix = np.column_stack(codes).astype(np.int64)
    first, cases = _distinct(matrix)
    matrix = matrix[first]
    empty = (matrix < 0).all(1)
    blank, matrix, cases = int(cases[empty].sum()), matrix[~empty], cases[~empty]
    order = np.argsort(matrix < 0, axis=1, kind="stable")
    label = np.take_along_axis(matrix, order, axis=1)
    rater = np.where(label < 0, -1, order)
    return _refuse_few(RatingTable.of_slots(known, [*columns], rater, label, cases)), blank


def _refuse_ids(columns: Iterable[str], codes: Sequence[Array]) -> None:
    """Refuse a column that nobody named as one of a rater and whose rows all differ, as ids do."""
    for name, code in zip(columns, codes, strict=True):
        if code.size >= LEAST_ROWS_OF_IDS and code.min() >= 0 and np.unique(code).size == code.size:
            raise InputError(
                f"Column {name!r} has another label in each of {code.size:,} rows, as ids have. Name the columns of "
                "the raters with raters=."
            )


def _distinct(matrix: Array) -> tuple[Array, Array]:
    from classay.raters.table import distinct_rows

    return distinct_rows(matrix, np.ones(len(matrix), np.int64))


def _columns(ratings: Any, raters: Sequence[str] | None) -> dict[str, Any]:
    """Return the column of each rater by name."""
    if is_mapping(ratings) or as_frame(ratings) is not None:
        available = [str(name) for name in frame_names(ratings)]
        return frame_columns(ratings, available if raters is None else matching(raters, available))
    if getattr(ratings, "ndim", None) is None and isinstance(ratings, list | tuple):
        widths = {len(row) for row in ratings if isinstance(row, list | tuple | np.ndarray)}
        if len(widths) != 1 or not all(isinstance(row, list | tuple | np.ndarray) for row in ratings):
            raise InputError(
                "ratings must have as many labels in every row. Pass a list of rows, one label for each rater, with "
                "None for a gap."
            )
        columns: Any = [*zip(*ratings, strict=True)]
    elif getattr(ratings, "ndim", None) == 2:
        columns = [*ratings.T]
    else:
        raise InputError(
            f"ratings must be a frame, a dict of columns or an array of cases and raters, but is {shown(ratings)}."
        )
    if raters is not None and len({*raters}) < len(raters):
        raise InputError("raters has a duplicate name. Use a different name for every column.")
    names = [f"rater {k + 1}" for k in range(len(columns))] if raters is None else [*raters]
    if len(names) != len(columns):
        raise InputError(f"raters has {len(names)} names for {len(columns)} columns. Name every column.")
    return dict(
        zip(names, ([*column] if isinstance(column, tuple) else column for column in columns), strict=True)
    )


def _named(column: Any, role: str, name: str) -> Coded:
    """Return the codes of cases or raters, none of which may be missing."""
    coded = code_labels(column, name)
    if coded.missing:
        raise InputError(
            f"{role} ({name}) is missing in {counted(coded.missing, 'rating')}. Give the {role} of every rating."
        )
    return coded


def _labels(
    columns: Mapping[str, RawColumn], labels: Sequence[Hashable] | None, scale: Scale
) -> tuple[Labels, list[Array]]:
    """Return the labels of all columns, and the codes of each, -1 for a gap."""
    if scale == "interval":
        return _numbers(columns, labels)
    coded = code_columns([*columns.items()])
    occurring = [*dict.fromkeys(label for _, column in coded for label in column.labels)]
    wanted = None if labels is None else declared(typed_labels(labels, occurring), ordered=scale == "ordinal")  # type: ignore[arg-type]
    known, codes = unite(coded, wanted)
    if scale == "ordinal" and len(known) > 2 and not known.is_ordinal and not _are_numbers(known):
        raise InputError(
            f"The labels ({listing(known)}) have no order. Name all labels in their order with "
            f"{hint('labels=', '--labels')}."
        )
    return known, [code.astype(np.int64) for code in codes]


def _are_numbers(labels: Sequence[Hashable]) -> bool:
    return all(isinstance(label, int | float) for label in labels)


def _numbers(
    columns: Mapping[str, RawColumn], labels: Sequence[Hashable] | None
) -> tuple[Labels, list[Array]]:
    """Return the numbers that occur, ascending, and the codes of each column."""
    if labels is not None:
        raise InputError(
            f"labels have no effect on numbers of an interval scale. Remove {hint('labels=', '--labels')}."
        )
    values = [as_array(column, name).astype(np.float64) for name, column in columns.items()]
    known = np.unique(np.concatenate(values))
    known = known[~np.isnan(known)]
    if (abs(known) > GREATEST).any():
        raise InputError(
            f"Ratings of an interval scale must be finite numbers up to {GREATEST:g}. Remove or correct larger numbers."
        )
    codes = [np.where(np.isnan(column), -1, np.searchsorted(known, column)) for column in values]
    are_whole = bool((known == np.round(known)).all())
    numbers = [int(number) if are_whole else number for number in known.tolist()]
    return Labels(numbers, "sorted"), codes


def _refuse_second(key: Array, who: tuple[Coded, Coded], labels: Labels, label: Array) -> None:
    """Refuse two labels of one rater and case."""
    again = np.flatnonzero(key[1:] == key[:-1])
    if not again.size:
        return
    cases, raters = who
    at = int(again[0])
    case, rater = divmod(int(key[at]), len(raters.labels))
    both = listed([quote(labels[code]) for code in label[at : at + 2].tolist()])
    more = "" if again.size == 1 else f", and {again.size - 1:,} more ratings occur twice"
    raise InputError(
        f"Rater {quote(raters.labels[rater])} has two labels ({both}) for case {quote(cases.labels[case])}{more}. "
        "Keep one label per rater and case."
    )


def _refuse_few(table: RatingTable) -> RatingTable:
    """Refuse ratings of one rater, and cases of which none has two ratings."""
    seen = np.unique(table.rater[table.rater >= 0]).size
    if seen < 2:
        raise InputError(
            f"Agreement needs two raters with labels, but there {'is' if seen == 1 else 'are'} {seen}. Check the "
            "column of raters."
        )
    if not table.n_cases:
        raise InputError(
            "No case was rated twice, so nothing can agree. Use cases with labels of two raters or more."
        )
    return table
