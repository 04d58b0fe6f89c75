"""Columns of labels brought to common labels, and labels that users name found among them."""

from collections.abc import Hashable, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np

from classay.columns.kernels import Codes, renumber
from classay.columns.labels import Labels, refuse_kinds, united
from classay.columns.values import Coded, listing, plain, refuse_twice
from classay.columns.writing import number_in
from classay.errors import InputError, MergeError, nearest


def unite(
    columns: Sequence[tuple[str, Coded]], declared: Sequence[Hashable] | None = None
) -> tuple[Labels, list[Codes]]:
    """Bring coded columns to common labels: these labels, and the codes of each column as indices into them.

    columns: name and `Coded` of each. Where labels are equal (1, 1.0, True), the first column's is kept.
    declared: the labels in the sequence wanted; without it, all categories of an ordered column, or the sorted union.
    Codes that need no change are not copied.
    Raises InputError: columns of different kinds; a label that is not declared, or declared twice; two columns of
    ordered categories whose orders contradict each other.

    >>> from classay.columns import code_labels
    >>> truth, prediction = code_labels(["a", "b"], "truth"), code_labels(["b", "c"], "prediction")
    >>> labels, codes = unite([("truth", truth), ("prediction", prediction)])
    >>> labels, [column.tolist() for column in codes]
    (('a', 'b', 'c'), [[0, 1], [1, 2]])
    """
    found = [(name, labels_of(column)) for name, column in columns]
    try:
        if declared is None:
            labels = united(found)
        else:
            refuse_kinds([(name, column.labels) for name, column in columns])
            labels = _as_declared(Labels(map(plain, declared)), declared, found)
    except MergeError as error:
        raise InputError(str(error)) from None
    index = {label: code for code, label in enumerate(labels)}
    _refuse_undeclared(columns, labels, index)
    return labels, [_reindex(column, index) for _, column in columns]


def labels_of(column: Coded) -> Labels:
    """The labels of a column: all of ordered categories, in their order, or those that occur."""
    return Labels(column.labels, "sorted") if column.order is None else Labels(column.order, "categories")


def _as_declared(labels: Labels, declared: Sequence[Hashable], found: Sequence[tuple[str, Labels]]) -> Labels:
    """The declared labels: in order where they were declared so, or where ordered categories have them in sequence."""
    refuse_twice(labels)
    if isinstance(declared, Labels) and declared.source != "listed":
        return Labels(labels, declared.source)
    try:
        order = united([(name, each) for name, each in found if each.is_given])
    except MergeError:  # who declares the labels may leave the order open
        return labels
    place = {label: i for i, label in enumerate(order)}
    at = [place.get(label, -1) for label in labels]
    ascends = all(here < there for here, there in pairwise([-1, *at]))
    return Labels(labels, "categories") if ascends else labels


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
    return tuple(labels) if (both := zero_one(labels)) is None else tuple(dict.fromkeys([*labels, *both]))


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
