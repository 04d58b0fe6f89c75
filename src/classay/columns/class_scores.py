"""Class scores: a table with a column for each class, matched to the labels by the columns' names."""

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
from classay.texts import hint

Array = NDArray[Any]
Known = tuple[Hashable, ...]


def table_columns(values: Any) -> dict[Hashable, Any] | None:
    """The columns of a table by their names, or None for what is no table (an array, a list, a series).

    Tables are frames of any library that narwhals knows, PyArrow's tables and record batches, NumPy's structured
    arrays, and mappings. Raises InputError where two columns share a name.

    >>> table_columns({"cat": [0.9], "dog": [0.1]}), table_columns([[0.9, 0.1]])
    ({'cat': [0.9], 'dog': [0.1]}, None)
    """
    if isinstance(values, Mapping):
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
        raise InputError(f"two columns of scores are named {twice!r}: rename or drop one.")


def class_scores(scores: Any, truth: Coded, labels: Sequence[Hashable] | None) -> tuple[Any, Labels | None]:
    """Scores that came as a table, as an array with a column for each label, and these labels in order.

    Each column of a frame is the score of the label that its name writes ("1" is 1 where labels are numbers), each key
    of a mapping that of the label itself. The order of the labels is the declared one, else that of ordered
    categories; else they are sorted. Only where no name is a label, columns are taken in the order of `labels`,
    which must be given. What is no table, or a table of one column, is given back for the positive class.
    Raises InputError with the columns and the labels that have no match.
    """
    columns = table_columns(scores)
    if columns is None:
        return scores, declared(labels)
    if len(columns) == 1 and not isinstance(scores, Mapping):
        return next(iter(columns.values())), declared(labels)
    known = declared(labels)
    by_label = columns if isinstance(scores, Mapping) else _by_label(columns, truth, known)
    if known is None:
        known = _all_labels(by_label, truth)
    elif {*by_label} != {*known}:
        raise InputError(f"the class scores are for {listing([*by_label])}, the labels are {listing(known)}.")
    arrays = [as_array(by_label[label], f"score of {label!r}") for label in known]
    if len({array.shape for array in arrays}) > 1:
        raise InputError("the score columns differ in length: pass columns of one length.")
    return np.stack(arrays, axis=1), known


def table_labels(scores: Any, truth: Coded) -> Labels | None:
    """The labels that `class_scores` would find, in order; None where the scores are no table of several columns."""
    columns = table_columns(scores)
    if columns is None or len(columns) == 1:
        return None
    return _all_labels(columns if isinstance(scores, Mapping) else _by_label(columns, truth, None), truth)


def _by_label(columns: dict[Hashable, Any], truth: Coded, labels: Known | None) -> dict[Hashable, Any]:
    """The columns of a frame under the labels that their names write."""
    known = labels or truth.order or with_zero_one(truth.labels)
    found: dict[Hashable, Any] = {}
    strange = []
    for name, column in columns.items():
        label = _label_named(name, known)
        if label is None:
            strange.append(name)
        elif label in found:
            raise InputError(f"two columns of scores are for the label {label!r}: rename or drop one.")
        else:
            found[label] = column
    if not strange:
        return found
    if labels is not None and not found and len(columns) == len(labels):
        return dict(zip(labels, columns.values(), strict=True))
    lacking = [label for label in known if label not in found]
    if labels is None and not lacking:
        raise InputError(
            f"the columns of scores {listing(strange)} have the name of no label that occurs ({listing(known)}): leave "
            f"out what is no class, or pass {hint('labels=', '--labels')} with all classes, those that do not occur "
            "too."
        )
    raise InputError(
        f"the columns of scores are {listing([*columns])}; without a match are the columns {listing(strange)} and the "
        f"labels {listing(lacking)}: name each column by its label, or pass {hint('labels=', '--labels')} in the "
        "order of the columns."
    )


def _label_named(name: Hashable, known: Known) -> Hashable | None:
    """The label that a column's name means."""
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
    """The labels that have scores, in their order; InputError when truth holds others."""
    if others := tuple(label for label in truth.labels if label not in columns):
        raise InputError(
            f"there are class scores for {listing([*columns])}, and truth also holds {listing(others)}: give each "
            "class its scores, under its label as it is in truth, text or number alike."
        )
    return labels_of_scores(columns, truth.order)


def labels_of_scores(names: Iterable[Hashable], order: Sequence[Hashable] | None) -> Labels:
    """The labels that have scores: in the sequence of ordered categories, if these hold all, or sorted.

    >>> labels_of_scores(["b", "a"], None), labels_of_scores(["b", "a"], ("c", "b", "a"))
    (('a', 'b'), ('b', 'a'))
    """
    labels = named_labels(names, "score=")
    known = {*labels}
    if order is not None and known <= {*order}:
        return Labels((label for label in order if label in known), "categories")
    return Labels.sorted(labels)
