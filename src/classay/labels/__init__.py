"""The one place where a column of labels, of whatever kind, becomes small integer codes.

Few values are distinct among many rows: compiled loops over plain memory code the rows (`kernels`), and
only the distinct values become Python objects (`values`). `arrays` and `columns` lead each
kind of column there by its quickest way.
"""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from classay.errors import InputError, nearest
from classay.labels.arrays import code_array, code_objects
from classay.labels.kernels import Codes, renumber
from classay.labels.values import Coded, listing, plain, refuse_shape, sort_labels
from classay.threads import thread_count, workers

__all__ = ["Coded", "code_columns", "code_labels", "match_label", "sort_labels", "unite"]


def code_labels(values: Any, name: str) -> Coded:
    """Code one column of labels: a list, an array, or a series of pandas, polars, PyArrow or the like.

    values: one label a row, shape (n,): booleans, integers, text, dates, or any hashable Python values.
    name: what the column is, for the errors: "truth", "prediction", "cluster".
    Raises InputError: more than one label a row; text among numbers; values that cannot be hashed;
    infinities; scores.

    >>> coded = code_labels(["ham", "spam", None, "ham"], "truth")
    >>> coded.labels, coded.codes.tolist(), coded.missing
    (('ham', 'spam'), [0, 1, -1, 0], 1)
    """
    if isinstance(values, (list, tuple)):
        return code_objects(values, name)
    refuse_shape(getattr(values, "shape", None), name)
    if isinstance(values, np.ndarray):
        return code_array(values, name)
    from classay.labels.columns import (
        code_column,
    )  # plain Python and NumPy need neither it nor what it imports

    return code_column(values, name)


def code_columns(columns: Sequence[tuple[str, Any]]) -> list[tuple[str, Coded]]:
    """Code several columns, given as (name, values), each on a thread of its own where they are long.

    >>> [(name, coded.labels) for name, coded in code_columns([("truth", [0, 1]), ("prediction", [1, 1])])]
    [('truth', (0, 1)), ('prediction', (1,))]
    """
    rows = max(len(values) if hasattr(values, "__len__") else 0 for _, values in columns)
    with workers(min(len(columns), thread_count(rows))) as each:
        return each(lambda column: (column[0], code_labels(column[1], column[0])), columns)


def unite(
    columns: Sequence[tuple[str, Coded]], declared: Sequence[Hashable] | None = None
) -> tuple[tuple[Hashable, ...], list[Codes]]:
    """Bring coded columns to common labels: these labels, and the codes of each column as indices into them.

    columns: name and `Coded` of each. Where labels are equal (1, 1.0, True), the first column's is kept.
    declared: the labels in the order wanted; without it, the sorted union.
    Codes that need no change are not copied.
    Raises InputError: columns of different kinds; a label that is not declared, or declared twice.

    >>> truth, prediction = code_labels(["a", "b"], "truth"), code_labels(["b", "c"], "prediction")
    >>> labels, codes = unite([("truth", truth), ("prediction", prediction)])
    >>> labels, [column.tolist() for column in codes]
    (('a', 'b', 'c'), [[0, 1], [1, 2]])
    """
    _refuse_kinds([(name, column) for name, column in columns if column.labels])
    if declared is None:
        labels = sort_labels(label for _, column in columns for label in column.labels)
        index = {label: code for code, label in enumerate(labels)}
    else:
        labels = tuple(plain(label) for label in declared)
        index = {label: code for code, label in enumerate(labels)}
        _refuse_undeclared(columns, labels, index)
    return labels, [_reindex(column, index) for _, column in columns]


def match_label(label: Any, labels: Sequence[Hashable]) -> Hashable:
    """Find the label that a user means, perhaps written as text: "1" finds 1, "true" finds True.

    An equal label comes first; then, for text, one that is written so or has this number or truth value.
    Raises InputError, listing the labels, where there is none.

    >>> match_label("1", (0, 1)), match_label("true", (False, True)), match_label(1, (False, True))
    (1, True, True)
    """
    wanted = plain(label)
    for known in labels:
        if known == wanted:
            return known
    if isinstance(wanted, str):
        for known in labels:
            if not isinstance(known, str) and (str(known) == wanted or _reads_as(wanted, known)):
                return known
    hint = nearest(str(wanted), [str(known) for known in labels]) or "."
    raise InputError(
        f"label {wanted!r} neither occurs nor is declared: the labels are {listing(labels)}{hint} Name one of these, "
        "or declare all labels (labels=, --labels)."
    )


def _refuse_kinds(columns: Sequence[tuple[str, Coded]]) -> None:
    for name, column in columns[1:]:
        first_name, first = columns[0]
        kinds = {first.kind, column.kind}
        binary = {0, 1}.issuperset  # True == 1 and False == 0: booleans and such numbers are the same labels
        if len(kinds) == 1 or (
            kinds == {"boolean", "number"} and binary(first.labels) and binary(column.labels)
        ):
            continue
        raise InputError(f"{_holds(first_name, first)}, {_holds(name, column)}: convert one of them.")


def _holds(name: str, column: Coded) -> str:
    noun = {"boolean": "booleans", "number": "numbers", "text": "text", "other": "other values"}[column.kind]
    return f"{name} holds {noun} such as {column.labels[-1]!r}"


def _refuse_undeclared(
    columns: Sequence[tuple[str, Coded]], labels: tuple[Hashable, ...], index: dict[Hashable, int]
) -> None:
    if len(index) < len(labels):
        twice = [label for code, label in enumerate(labels) if index[label] != code]
        raise InputError(f"labels are declared more than once: {listing(twice)}. Declare each once.")
    for name, column in columns:
        if extra := [label for label in column.labels if label not in index]:
            raise InputError(
                f"{name} holds labels that are not declared: {listing(extra)}; "
                f"declared are {listing(labels)}."
                " Declare every label that occurs, as text or number as it is in the column."
            )


def _reindex(column: Coded, index: dict[Hashable, int]) -> Codes:
    table = np.fromiter((index[label] for label in column.labels), np.int64, len(column.labels))
    return renumber(column.codes, table, len(index))


def _reads_as(text: str, label: Hashable) -> bool:
    """Whether text is a way to write the truth value or number that label is."""
    if isinstance(label, bool) and text.strip().casefold() == str(label).casefold():
        return True
    for read in (int, float):
        try:
            return bool(read(text) == label)
        except ValueError:
            continue
    return False
