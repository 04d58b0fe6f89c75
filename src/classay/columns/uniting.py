"""Columns of labels brought to common labels, and labels that users name found among them."""

from collections.abc import Hashable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from classay.columns.kernels import Codes, renumber
from classay.columns.values import Coded, listing, plain, refuse_twice, sort_labels
from classay.columns.writing import number_in
from classay.errors import InputError, nearest


def unite(
    columns: Sequence[tuple[str, Coded]], declared: Sequence[Hashable] | None = None
) -> tuple[tuple[Hashable, ...], list[Codes]]:
    """Bring coded columns to common labels: these labels, and the codes of each column as indices into them.

    columns: name and `Coded` of each. Where labels are equal (1, 1.0, True), the first column's is kept.
    declared: the labels in the order wanted; without it, all categories of an ordered column, or the sorted union.
    Codes that need no change are not copied.
    Raises InputError: columns of different kinds; a label that is not declared, or declared twice; two columns of
    ordered categories whose orders contradict each other.

    >>> from classay.columns import code_labels
    >>> truth, prediction = code_labels(["a", "b"], "truth"), code_labels(["b", "c"], "prediction")
    >>> labels, codes = unite([("truth", truth), ("prediction", prediction)])
    >>> labels, [column.tolist() for column in codes]
    (('a', 'b', 'c'), [[0, 1], [1, 2]])
    """
    _refuse_kinds([(name, column) for name, column in columns if column.labels])
    if declared is None and (order := _order_of(columns)) is not None:
        declared = order
    if declared is None:
        labels = sort_labels(label for _, column in columns for label in column.labels)
        index = {label: code for code, label in enumerate(labels)}
    else:
        labels = tuple(plain(label) for label in declared)
        refuse_twice(labels)
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
            if not isinstance(known, str) and is_written(wanted, known):
                return known
    hint = nearest(str(wanted), [str(known) for known in labels]) or "."
    raise InputError(
        f"label {wanted!r} neither occurs nor is declared: the labels are {listing(labels)}{hint} Name one of these, "
        "or declare all labels (labels=, --labels)."
    )


def zero_one(labels: Sequence[Hashable]) -> tuple[Hashable, Hashable] | None:
    """The negative and the positive label where all labels are 0 or 1, else None.

    Zero and one are whatever equals them: False and True, 0.0 and 1.0, Decimals; and the texts "0" and "1". One of the
    two may be missing; both come in the type of those that are there.

    >>> zero_one([False]), zero_one([0, 1.0]), zero_one(["1"]), zero_one([1, 2])
    ((False, True), (0, 1), ('0', '1'), None)
    """
    if not labels:
        return None
    if all(label in ("0", "1") for label in labels):
        return "0", "1"
    kinds = (bool, int, float, Decimal)
    if not all(isinstance(label, kinds) and label in (0, 1) for label in labels):
        return None
    kind: Any = type(labels[0])
    return kind(0), kind(1)


def with_zero_one(labels: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """The labels, and the other of 0 and 1 where only one of them occurs: what a user may mean by a label.

    >>> with_zero_one((0,)), with_zero_one(("cat",))
    ((0, 1), ('cat',))
    """
    return tuple(dict.fromkeys([*labels, *(zero_one(labels) or ())]))


def _order_of(columns: Sequence[tuple[str, Coded]]) -> tuple[Hashable, ...] | None:
    """All categories of the ordered columns, in their order."""
    ordered = [(name, column.order) for name, column in columns if column.order is not None]
    if not ordered:
        return None
    longest_name, longest = max(ordered, key=lambda each: len(each[1]))
    for name, order in ordered:
        known = set(order)
        if tuple(label for label in longest if label in known) != order:
            raise InputError(
                f"the ordered categories of {name} are {listing(order)}, those of {longest_name} {listing(longest)}: "
                "give both columns one order, or declare labels=."
            )
    return longest


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


def is_written(text: str, label: Hashable) -> bool:
    """Whether text is a way to write a label that is no text: as it prints, or its number or truth value."""
    if str(label) == text:
        return True
    if isinstance(label, bool) and text.strip().casefold() == str(label).casefold():
        return True
    number = number_in(text)
    return number is not None and bool(number == label)
