"""Prediction sets of any form, checked once: Boolean matrices, lists of labels, text with a separator."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.assessment.other_rows import OtherRows, WayOfRows
from classay.assessment.row_arguments import RowArguments
from classay.columns import code_labels, unite
from classay.columns.class_columns import table_columns
from classay.columns.coding import code_columns
from classay.columns.labels import Labels, WrittenLabel, declared, typed_labels
from classay.columns.numbers import counted
from classay.columns.opened import is_array, numpy_array
from classay.columns.values import Coded, listing, plain
from classay.errors import InputError
from classay.kinds import is_mapping
from classay.multilabel.tag_marks import TagMarks, tag_marks
from classay.texts import cut, hint

Array = NDArray[Any]
WAY = hint("ca.assess_sets(y, sets)", "`classay sets`")


class ReadSets(NamedTuple):
    """Checked sets of cases: the labels, codes of the true ones, sparse sets `(cases, labels)`, and empty cells."""

    labels: Labels
    true: Array
    marks: Any
    blank: int

    @property
    def sizes(self) -> Array:
        """The labels in each set."""
        return np.diff(self.marks.indptr)

    @property
    def covered(self) -> Array:
        """Whether each set has the true label."""
        row = np.repeat(np.arange(self.true.size), self.sizes)
        covered = np.zeros(self.true.size, np.int64)
        covered[row[self.marks.indices == self.true[row]]] = 1
        return covered


def read_sets(y_true: Any, sets: Any, labels: Sequence[Hashable] | None, separator: str | None) -> ReadSets:
    """Return the true labels and the sets of cases over the same labels.

    The columns of a matrix without names are those of `labels`, or of the sorted true labels. Raises InputError.
    """
    truth = code_labels(y_true, "truth")
    if truth.missing:
        raise InputError(
            f"truth is missing in {counted(truth.missing, 'case')}. Exclude cases without a true label."
        )
    if not truth.codes.size:
        raise InputError("There are no cases. Pass true labels with their sets.")
    if separator is not None and are_columns(sets):
        raise InputError(
            f"A separator divides text, but sets are columns of labels. Remove {hint('separator=', '--separator')}."
        )
    known = _declared(labels, truth)
    values, blank = (
        (_as_lists(sets), 0) if separator is None else _of_text(sets, separator, known or truth.labels)
    )
    if isinstance(values, list) and known is not None:
        _refuse_undeclared(values, known)
    if known is None and _is_nameless(values):
        known = Labels(truth.labels if truth.order is None else truth.order, "sorted")
    if _is_nameless(values):
        _refuse_width(values, known or Labels(), is_declared=labels is not None)
    marks = tag_marks(values, "sets", known)
    if table_columns(values) is not None and all(isinstance(name, str) for name in marks.names or ()):
        marks = replace(marks, names=Labels(_typed(marks.names or (), truth.labels)))
    if marks.marks.shape[0] != truth.codes.size:
        raise InputError(
            f"There are {truth.codes.size:,} true labels, but {marks.marks.shape[0]:,} sets. "
            + hint("Pass one set for each case.", "Use one set for each case.")
        )
    return _over_same_labels(truth, marks, known, blank)


def _typed(names: Sequence[Hashable], occurring: Sequence[Hashable]) -> Sequence[Hashable]:
    """Return labels that were written as text in the type of the labels that occur."""
    if any(isinstance(label, str) for label in occurring):
        return names
    return typed_labels([str(name) for name in names], occurring)


def _refuse_undeclared(sets: Sequence[frozenset[Hashable]], known: Labels) -> None:
    """Refuse a label of a set that is not declared."""
    if extra := [
        label for label in dict.fromkeys(label for row in sets for label in row) if label not in known
    ]:
        raise InputError(
            f"sets have labels that are not declared: {listing(extra)}. Declared labels: {listing(known)}. Declare "
            "every label that occurs, with its type (text or number)."
        )


def _declared(labels: Sequence[Hashable] | None, truth: Coded) -> Labels | None:
    if labels is not None and all(isinstance(label, WrittenLabel) for label in labels):
        labels = typed_labels([str(label) for label in labels], truth.labels)
    return declared(labels)


def _over_same_labels(truth: Coded, marks: TagMarks, known: Labels | None, blank: int) -> ReadSets:
    """Return true labels and sets over the labels of both, or over those that are declared."""
    names = known if marks.names is None else marks.names
    columns = [("truth", truth)]
    if names:
        columns += code_columns([("sets", [*names])])
    united, codes = unite(columns, known)
    if names and not {*truth.labels} & {*names}:
        raise InputError(
            f"No true label ({listing(truth.labels)}) is in any set ({listing([*names])}). Use the same labels for "
            "both."
        )
    return ReadSets(united, codes[0].astype(np.int64), marks.over(united), blank)


def are_columns(sets: Any) -> bool:
    """Check whether sets are a column for each label."""
    is_table = hasattr(sets, "tocsr") or table_columns(sets) is not None
    return is_table or (is_array(sets) and len(sets.shape) > 1)


def _as_lists(sets: Any) -> Any:
    """Return sets as `tag_marks` takes them."""
    if hasattr(sets, "tocsr") or table_columns(sets) is not None:
        return sets
    if is_array(sets):
        array = numpy_array(sets)
        if array.ndim == 3 and array.shape[2] == 1:
            array = array[:, :, 0]  # sets of one level, as of MAPIE
        if array.dtype != object:
            _refuse_numbers(array)
            return array
        sets = array
    as_list = getattr(sets, "to_pylist", getattr(sets, "to_list", None))
    return _of_rows(sets if as_list is None else as_list())


def _of_text(
    sets: Any, separator: str, occurring: Sequence[Hashable]
) -> tuple[list[frozenset[Hashable]], int]:
    """Return the sets of text, with labels of the type of those that occur, and the number of empty cells."""
    if not separator:
        raise InputError(f"The separator is empty. Use {hint('separator=', '--separator')}, such as '|'.")
    coded = code_labels(sets, "sets")
    rows = []
    for text in coded.labels:
        names = [name.strip() for name in str(text).split(separator)]
        rows.append(
            _once(_typed([name for name in names if name], occurring), f"The set {cut(repr(text), 60)}")
        )
    return [rows[code] if code >= 0 else frozenset() for code in coded.codes.tolist()], coded.missing


def _of_rows(sets: Any) -> Any:
    """Return a Boolean matrix of lists of truth values, or the set of labels of each case."""
    if not hasattr(sets, "__iter__") or isinstance(sets, str | bytes):
        raise InputError(
            "sets must be a Boolean matrix, a list of labels for each case, or text with a separator."
        )
    rows = [*sets]
    bad = next((k for k, row in enumerate(rows) if not _is_set(row)), None)
    if bad is not None and isinstance(rows[bad], str):
        separate = hint("separator='|'", "--separator '|'")
        raise InputError(
            f"sets are text, such as {cut(repr(plain(rows[bad])), 60)}. Use {separate} to divide it into labels."
        )
    if bad is not None:
        raise InputError(
            f"The set at index {bad} is {cut(repr(plain(rows[bad])), 60)}. "
            + hint(
                "Pass a list of labels for each case, or [].", "Use a list of labels for each case, or []."
            )
        )
    if rows and all(len(row) == len(rows[0]) and _are_truth_values(row) for row in rows):
        return np.array([[*row] for row in rows], bool).reshape(len(rows), -1)
    return [_once([*row], f"The set at index {k}") for k, row in enumerate(rows)]


def _are_truth_values(row: Any) -> bool:
    return len(row) > 0 and all(isinstance(value, bool | np.bool_) for value in row)


def _is_set(row: Any) -> bool:
    return isinstance(row, list | tuple | set | frozenset) or (isinstance(row, np.ndarray) and row.ndim == 1)


def _once(names: Sequence[Any], which: str) -> frozenset[Any]:
    """Return the labels of a set. Raises InputError for a label that is in it twice."""
    distinct = frozenset(names)
    if len(distinct) < len(names):
        again = next(name for k, name in enumerate(names) if name in names[:k])
        raise InputError(f"{which} has the label {plain(again)!r} twice. Name each label of a set once.")
    return distinct


def _is_nameless(values: Any) -> bool:
    return hasattr(values, "tocsr") or isinstance(values, np.ndarray)


def _refuse_width(values: Any, known: Labels, *, is_declared: bool) -> None:
    """Refuse a matrix with another number of columns than there are labels."""
    if len(values.shape) == 2 and values.shape[1] != len(known):
        whose = "declared labels" if is_declared else "true labels"
        raise InputError(
            f"sets have {values.shape[1]} columns, but there are {len(known)} {whose}. Name the label of every column "
            f"with {hint('labels=', '--labels')}."
        )


def _refuse_numbers(array: Array) -> None:
    """Refuse an array that is no matrix of 0 and 1."""
    if array.ndim != 2:
        separate = hint("separator='|'", "--separator '|'")
        wanted = f"a row for each case and a column for each label, or text with {separate}"
        raise InputError(f"sets have shape {array.shape}. Pass a Boolean matrix with {wanted}.")
    if array.dtype == bool:
        return
    is_wrong = np.ones(array.shape, bool) if array.dtype.kind not in "iuf" else (array != 0) & (array != 1)
    if is_wrong.any():
        wrong = array[is_wrong][0]
        raise InputError(
            f"sets must be True or False (1 or 0) for each label, but one value is {cut(repr(plain(wrong)), 40)}."
            " Scores are not sets. Apply the threshold first."
        )


def _are_sets(y_true: Any, y_score: Any, options: RowArguments) -> bool:
    """Check whether scores or predictions are a Boolean matrix in which some row is not true of exactly one label."""
    if options.get("separator") is not None or np.ndim(getattr(y_true, "shape", (0,))) > 1:
        return False
    return any(_is_matrix_of_sets(values) for values in (y_score, options.get("y_pred")))


def _is_matrix_of_sets(values: Any) -> bool:
    matrix = _boolean_matrix(values)
    return matrix is not None and matrix.shape[1] > 1 and bool((matrix.sum(1) != 1).any())


def _boolean_matrix(values: Any) -> Array | None:
    """Return truth values, `(cases, labels)`, of an array, a list of rows, or columns; None of anything else."""
    if is_mapping(values) or hasattr(values, "columns"):
        columns = [
            numpy_array(column) for column in (table_columns(values) or {}).values() if _is_boolean(column)
        ]
        if not columns or len(columns) < len(table_columns(values) or ()):
            return None
        return np.column_stack(columns)
    if isinstance(values, list) and values and isinstance(values[0], list) and _are_truth_values(values[0]):
        width = len(values[0])
        is_matrix = all(
            isinstance(row, list) and len(row) == width and _are_truth_values(row) for row in values
        )
        return np.array(values) if is_matrix else None
    return values if isinstance(values, np.ndarray) and values.dtype == bool and values.ndim == 2 else None


def _is_boolean(column: Any) -> bool:
    """Check whether a column of any library has truth values, by its type alone."""
    return str(getattr(column, "dtype", getattr(column, "type", ""))).lower().startswith("bool")


def _refuse_sets(*_: Any) -> OtherRows | None:
    """Refuse sets where scores are expected."""
    raise InputError(
        f"A Boolean matrix with several labels per case, or none, is a prediction set, not scores. Use {WAY} for sets, "
        "or pass scores."
    )


def _refuse_for(who: str, *_: Any) -> None:
    _refuse_sets(who)


REFUSED = WayOfRows(
    _are_sets, _refuse_sets, _refuse_for, lambda y_true, y_score, options: (y_true, y_score, options)
)
"""A matrix of sets is taken for scores nowhere."""
