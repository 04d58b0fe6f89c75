"""A column of scores for each class: tables of them, in the order of the labels that their names write."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.labels import Labels, declared, is_written, with_zero_one
from classay.columns.numbers import as_array
from classay.columns.values import Coded, listing, named_labels, plain
from classay.errors import InputError
from classay.kinds import is_mapping
from classay.texts import hint

Array = NDArray[Any]
Known = tuple[Hashable, ...]


def table_columns(values: Any) -> dict[Hashable, Any] | None:
    """Return the columns of a table by their names, or None for anything else (an array, a list, a series).

    Tables are frames of any library that narwhals knows, PyArrow's tables and record batches, NumPy's structured
    arrays, and mappings. Raises InputError where two columns share a name.

    >>> table_columns({"cat": [0.9], "dog": [0.1]}), table_columns([[0.9, 0.1]])
    ({'cat': [0.9], 'dog': [0.1]}, None)
    """
    if is_mapping(values):
        _refuse_twice(names := [plain(name) for name in values])
        return dict(zip(names, values.values(), strict=True))
    if isinstance(values, np.ndarray):
        return None if values.dtype.names is None else {name: values[name] for name in values.dtype.names}
    if values is None or isinstance(values, (list, tuple)) or not _is_table(values):
        return None
    return _columns_of(values)


def _columns_of(table: Any) -> dict[Hashable, Any] | None:
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(table, pandas.DataFrame):
        _refuse_twice(names := [plain(name) for name in table.columns])
        return {name: table.iloc[:, i] for i, name in enumerate(names)}
    if hasattr(table, "column_names"):  # Arrow's
        _refuse_twice(table.column_names)
        return {name: table.column(i) for i, name in enumerate(table.column_names)}
    import narwhals as nw

    known = nw.from_native(table, pass_through=True)
    if isinstance(known, nw.LazyFrame):
        known = known.collect()
    return (
        {name: known[name].to_native() for name in known.columns} if isinstance(known, nw.DataFrame) else None
    )


def _is_table(values: Any) -> bool:
    # Asked of the type, because a lazy frame of polars warns when its columns are asked for.
    return hasattr(type(values), "columns") or hasattr(type(values), "column_names")


def _refuse_twice(names: Sequence[Any]) -> None:
    if len({*names}) < len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise InputError(f"Two score columns have the name {twice!r}. Rename or drop one.")


def in_order_of_labels(
    scores: Any, truth: Coded, labels: Sequence[Hashable] | None
) -> tuple[Any, Labels | None, list[int]]:
    """Scores that came as a table, as an array with a column for each label, these labels, and which of them lack one.

    Each column of a frame is the score of the label that its name writes ("1" is 1 where labels are numbers), each key
    of a mapping is the label itself. The order of the labels is the declared one, else that of ordered categories; else
    they are sorted. Only if no name is a label are the columns taken in the order of `labels`, which must then be
    given. A declared label without a column, of a class that the model never saw, has one of -inf, and its place is
    returned. Anything but a table, or a table of one column, is returned as it is, for the positive class. Raises
    InputError with the columns and the labels that have no match.
    """
    columns = table_columns(scores)
    if columns is None:
        return scores, declared(labels), []
    if len(columns) == 1 and not is_mapping(scores):
        return next(iter(columns.values())), declared(labels), []
    known = declared(labels)
    by_label = columns if is_mapping(scores) else _by_label(columns, truth, known)
    if known is None:
        known = _all_labels(by_label, truth)
    elif not {*by_label} <= {*known} or len(by_label) < min(2, len(known)):
        raise InputError(
            f"The class scores are for {listing([*by_label])}, but the labels are {listing(known)}."
        )
    scored_labels = [label for label in known if label in by_label]
    arrays = {label: as_array(by_label[label], f"score of {label!r}") for label in scored_labels}
    if len({array.shape for array in arrays.values()}) > 1:
        raise InputError("The score columns have different lengths. Pass columns of one length.")
    first = next(iter(arrays.values()))
    unseen = np.full(first.shape, -np.inf, first.dtype)
    absent = [place for place, label in enumerate(known) if label not in arrays]
    return np.stack([arrays.get(label, unseen) for label in known], axis=1), known, absent


def with_unseen(scores: Array, labels: Sequence[Hashable] | None) -> tuple[Array, list[int]]:
    """Class scores, `(rows, classes)`, with a column of -inf for each label after those that have one; their places.

    >>> with_unseen(np.array([[0.25, 0.75]]), ["a", "b", "c"])
    (array([[0.25, 0.75, -inf]]), [2])
    """
    if labels is None or scores.ndim != 2 or not scores.shape[1] < len(labels):
        return scores, []
    absent = [*range(scores.shape[1], len(labels))]
    unseen = np.full((scores.shape[0], len(absent)), -np.inf, scores.dtype)
    return np.concatenate([scores, unseen], axis=1), absent


def table_labels(scores: Any, truth: Coded) -> Labels | None:
    """Return the labels that `in_order_of_labels` would find; None unless the scores are a table of several columns."""
    columns = table_columns(scores)
    if columns is None or len(columns) == 1:
        return None
    return _all_labels(columns if is_mapping(scores) else _by_label(columns, truth, None), truth)


def _by_label(columns: dict[Hashable, Any], truth: Coded, labels: Known | None) -> dict[Hashable, Any]:
    """Return the columns of a frame under the labels that their names write."""
    known = labels or truth.order or with_zero_one(truth.labels)
    by_label: dict[Hashable, Any] = {}
    strange = []
    for name, column in columns.items():
        label = _label_named(name, known)
        if label is None:
            strange.append(name)
        elif label in by_label:
            raise InputError(f"Two score columns are for label {label!r}. Rename or drop one.")
        else:
            by_label[label] = column
    if not strange:
        return by_label
    if labels is not None and not by_label and len(columns) == len(labels):
        return dict(zip(labels, columns.values(), strict=True))
    lacking = [label for label in known if label not in by_label]
    if labels is None and not lacking:
        raise InputError(
            f"Score columns {listing(strange)} do not match a label that occurs ({listing(known)}). Drop columns that "
            f"are not classes, or list all classes with {hint('labels=', '--labels')}."
        )
    raise InputError(
        f"Score columns {listing(strange)} do not match labels {listing(lacking)}. Name each column by its label, or "
        f"list the labels in the order of the columns ({listing([*columns])}) with {hint('labels=', '--labels')}."
    )


def _label_named(name: Hashable, known: Known) -> Hashable | None:
    """Return the label that a column's name means."""
    for label in known:
        if type(label) is type(name) and label == name:
            return label
    for label in known:
        if label == name or (
            isinstance(name, str) and not isinstance(label, str) and is_written(name, label)
        ):
            return label
    return None


def _all_labels(columns: Mapping[Hashable, Any], truth: Coded) -> Labels:
    """Return the labels that have scores, in their order; InputError when truth holds others."""
    if others := tuple(label for label in truth.labels if label not in columns):
        one = len(others) == 1
        add = hint(
            f"Add scores for {'it' if one else 'them'}",
            f"Add {'its column' if one else 'their columns'} to --class-scores",
        )
        raise InputError(
            f"{'Class' if one else 'Classes'} {listing(others)} {'has' if one else 'have'} no scores. Scores are for "
            f"{listing([*columns])}. {add}, with the type of the true labels. For a class that the model never saw, "
            f"list all classes with {hint('labels=', '--labels')}."
        )
    return labels_of_scores(columns, truth.order)


def labels_of_scores(names: Iterable[Hashable], order: Sequence[Hashable] | None) -> Labels:
    """Return the labels that have scores: in the sequence of ordered categories, if these hold all, or sorted.

    >>> labels_of_scores(["b", "a"], None), labels_of_scores(["b", "a"], ("c", "b", "a"))
    (('a', 'b'), ('b', 'a'))
    """
    labels = named_labels(names, "score=")
    known = {*labels}
    if order is not None and known <= {*order}:
        return Labels((label for label in order if label in known), "categories")
    return Labels.sorted(labels)
