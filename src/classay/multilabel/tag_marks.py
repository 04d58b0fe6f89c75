"""Several labels a case, in rows of cases or of pairs: tags as a sparse 0/1 matrix, and their scores."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.class_columns import table_columns
from classay.columns.coding import code_labels
from classay.columns.labels import Labels, is_written, zero_one
from classay.columns.numbers import as_array, counted
from classay.columns.opened import is_array, numpy_array
from classay.columns.values import is_missing, listing, plain
from classay.errors import InputError
from classay.texts import hint, quote

Array = NDArray[Any]
COLLECTIONS = (list, set, frozenset, np.ndarray)
"""What holds the tags of one case; a tuple is a single label."""
DROP = hint("missing='drop'", "--missing drop")
MOST_TAGS = 1_000_000
"""Tags that are counted."""


@dataclass(frozen=True, eq=False)
class TagMarks:
    """Which case has which tag: a sparse matrix `(cases, tags)` of ones; the names of the tags, None without any.

    `named` says that the matrix has a column for exactly the named tags: those of a frame, or declared ones. Otherwise
    the names are those met in the lists of the cases. `listed` says that the cases had lists or sets of labels.
    `unknown`, `(cases,)`, marks cases of which a tag is missing, which have no tags here; None where none is missing.
    """

    marks: Any
    names: Labels | None
    named: bool = True
    listed: bool = False
    unknown: Array | None = None

    def over(self, names: Labels) -> Any:
        """Return the matrix with a column for each of these names, in their sequence."""
        if self.names is None or self.names == names:
            return self.marks
        place = {name: i for i, name in enumerate(names)}
        cells = self.marks.tocoo()
        at = np.array([place[name] for name in self.names], np.int64)[cells.col]
        return _sparse(cells.row, at, (self.marks.shape[0], len(names)))


def are_tags(values: Any) -> bool:
    """Check whether a column holds several labels a case: a matrix, or a list, a set or an array of labels in each row.

    Lists of one entry each count as a single column wrapped by mistake, and a tuple is one label.

    >>> are_tags([{"cat"}, {"cat", "dog"}]), are_tags([["cat"], []]), are_tags([[1, 0], [0, 1]])
    (True, True, True)
    >>> are_tags([("cat", "dog")]), are_tags([["cat"], ["dog"]]), are_tags([1, 0])
    (False, False, False)
    """
    if hasattr(values, "tocsr"):
        return True
    values = numpy_array(values) if is_array(values) and not isinstance(values, np.ndarray) else values
    if isinstance(values, np.ndarray) and values.dtype != object:
        return values.ndim == 2 and values.shape[1] > 1 and values.dtype.kind in "biuf"
    if _is_list_array(values) or _is_list_series(values):
        return True
    rows = _rows(values)
    collections = [
        row for row in rows or () if isinstance(row, COLLECTIONS) and getattr(row, "shape", None) != ()
    ]
    return bool(collections) and any(isinstance(row, set | frozenset) or len(row) != 1 for row in collections)


def tag_marks(
    values: Any,
    name: str,
    labels: Labels | None = None,
    separator: str | None = None,
    *,
    may_lack: bool = False,
) -> TagMarks:
    """Return the tags of each case, from a 0/1 matrix (array, sparse, frame with a column a tag), or lists of labels.

    `labels` name the columns of a matrix, or all tags that may occur; `separator` divides a text into tags. Cases of
    which a tag is missing are `unknown` where cases `may_lack` one, else refused. Raises InputError for other values
    than 0 and 1, rows of different length, and tags that are not declared.

    >>> tags = tag_marks([{"cat"}, {"dog", "cat"}, set()], "truth")
    >>> tags.names, tags.marks.toarray().tolist()
    (('cat', 'dog'), [[1, 0], [1, 1], [0, 0]])
    >>> tag_marks([[1, 0], [None, 1]], "truth", may_lack=True).unknown.tolist()
    [False, True]
    """
    if separator is not None:
        return _of_lists(_parted(values, name, separator, may_lack=may_lack), name, labels, may_lack=may_lack)
    if hasattr(values, "tocsr"):
        return _of_sparse(values, name, labels, may_lack=may_lack)
    columns = table_columns(values)
    if columns is not None:
        return _of_columns(columns, name, labels, may_lack=may_lack)
    if _is_list_array(values):
        return _of_lists(values.to_pylist(), name, labels, may_lack=may_lack)
    rows = _rows(values)
    if rows is None:
        matrix = numpy_array(values)
    elif _are_numbers(rows):
        matrix = _matrix(rows, name)
    else:
        return _of_lists(rows, name, labels, may_lack=may_lack)
    if matrix.ndim != 2:
        raise InputError(
            f"{name} has shape {matrix.shape}. Multilabel cases need shape (cases, tags), or sets of labels."
        )
    marks, unknown = _of_matrix(matrix, name, labels, may_lack=may_lack)
    return TagMarks(marks, _checked_names(labels, matrix.shape[1], name), unknown=unknown)


def tag_scores(
    values: Any, names: Labels | None, tags: int, unknown: Array | None = None
) -> tuple[Any, Labels | None]:
    """Return the scores of each case and tag, an array or a sparse matrix in which an absent score is 0; their names.

    The columns of a frame are read by the names of the tags; a list of arrays, `(cases, 2)` each, has the probabilities
    of both values of each tag, as scikit-learn's predict_proba of several outputs gives them. Raises InputError for
    missing scores, unless the case is `unknown`, and for tags without scores.
    """
    found_names = names
    if hasattr(values, "tocsr"):
        scores = values.tocsr().astype(np.float64 if values.dtype != np.float32 else np.float32)
        scores.sum_duplicates()
        scores.eliminate_zeros()
        stored_scores = scores.data
    else:
        columns = table_columns(values)
        if columns is not None:
            values, found_names = _score_columns(columns, names)
        scores = as_array(_of_outputs(values), "score")
        stored_scores = scores
    if scores.ndim != 2:
        raise InputError(f"score has shape {scores.shape}. Multilabel cases need shape (cases, tags).")
    wanted = tags if found_names is None else len(found_names)
    if scores.shape[1] != wanted:
        raise InputError(
            f"score has {scores.shape[1]:,} columns for {wanted:,} tags. Pass a score for each tag."
        )
    lacking = np.isnan(stored_scores)
    if unknown is not None and unknown.size == scores.shape[0]:
        of_row = unknown[:, None]
        lacking &= ~(np.repeat(unknown, np.diff(scores.indptr)) if hasattr(scores, "indptr") else of_row)
    if lacking.any():
        raise InputError(
            f"score is missing for {counted(int(lacking.sum()), 'pair')} of case and tag. Pass a score of every tag "
            "for every case. In a sparse matrix only, an absent score is 0."
        )
    return scores, found_names


def _of_outputs(values: Any) -> Any:
    """Return a list of arrays, `(cases, 2)` each, as the scores of each tag, `(cases, tags)`; anything else as it is.

    Raises InputError for a tag with one column, of which it is not known whether it is that of 0 or of 1.
    """
    if not isinstance(values, list | tuple) or not values:
        return values
    shapes = [np.shape(output) if isinstance(output, np.ndarray) else () for output in values]
    if not all(len(shape) == 2 and shape[1] in (1, 2) for shape in shapes):
        return values
    if alone := [place for place, shape in enumerate(shapes) if shape[1] == 1]:
        raise InputError(
            f"score is a list of arrays, one for each tag, but the array at index {alone[0]} has only one column. The "
            "model saw only one value of the tag. Pass one array of scores, (cases, tags)."
        )
    if len({shape[0] for shape in shapes}) > 1:
        raise InputError(
            "score is a list of arrays of different lengths. Pass arrays of equal length, one for each tag."
        )
    return np.stack([output[:, 1] for output in values], axis=1)


def _rows(values: Any) -> Sequence[Any] | None:
    """Return the rows of a list, a tuple, a series or an array of objects; None of what is no such thing."""
    if isinstance(values, list | tuple):
        return values
    if isinstance(values, np.ndarray):
        return values.tolist() if values.dtype == object and values.ndim == 1 else None
    if _is_list_series(values):
        return list(values.to_list())
    return list(values) if str(getattr(values, "dtype", "")) == "object" else None


def _is_list_series(values: Any) -> bool:
    """Check whether this is a column of lists of polars, or of Arrow in pandas."""
    kind = str(getattr(values, "dtype", "")).lower()
    return kind.startswith(("list", "large_list")) and hasattr(values, "to_list")


def _is_list_array(values: Any) -> bool:
    """Check whether this is an Arrow column of lists."""
    return "list" in str(getattr(values, "type", "")) and hasattr(values, "to_pylist")


def _are_numbers(rows: Sequence[Any]) -> bool:
    """Check whether lists hold 0, 1, True and False, some of them missing, and so are rows of a matrix."""
    if not all(isinstance(row, list | tuple | np.ndarray) for row in rows):
        return False
    lacking = False
    for value in (value for row in rows for value in row):
        if isinstance(value, bool | int | float | np.number | np.bool_) and value in (0, 1):
            continue
        if not is_missing(plain(value)):
            return False
        lacking = True
    return not lacking or len({len(row) for row in rows}) == 1


def _matrix(rows: Sequence[Any], name: str) -> Array:
    sizes = [len(tags) for tags in rows]
    if len({*sizes}) > 1:
        other = next(i for i, size in enumerate(sizes) if size != sizes[0])
        raise InputError(
            f"{name} has {sizes[0]} entries at index 0 but {sizes[other]} at index {other}. Pass rows of "
            "equal length, or sets if 0 and 1 are labels."
        )
    matrix = np.asarray(rows).reshape(len(rows), -1)
    if matrix.dtype == object:  # values are missing
        matrix = np.array(
            [[np.nan if is_missing(plain(v)) else v for v in row] for row in matrix], np.float64
        )
    return matrix


def _sparse(row: Array, column: Array, shape: tuple[int, int]) -> Any:
    from scipy.sparse import coo_array

    matrix = coo_array((np.ones(row.size, np.int8), (row, column)), shape).tocsr()
    matrix.data[:] = 1
    return matrix


def _of_matrix(
    matrix: Array, name: str, labels: Labels | None, *, may_lack: bool = False
) -> tuple[Any, Array | None]:
    """Return the marks of a matrix, and the rows of which a value is missing, None where none is."""
    unknown: Array | None = None
    if may_lack and matrix.dtype.kind == "f":
        lacking: Array = np.asarray(np.isnan(matrix).any(axis=1))
        if lacking.any():
            unknown, matrix = lacking, np.where(lacking[:, None], 0, matrix)
    if matrix.dtype.kind not in "biuf":
        raise InputError(f"{name} has {matrix.dtype.kind!r} values in a matrix, but a tag must be 0 or 1.")
    if matrix.dtype != bool:
        wrong = (matrix != 0) & (matrix != 1)
        if wrong.any():
            row, column = (int(indices[0]) for indices in np.nonzero(wrong))
            tag = column if labels is None else labels[column]
            _refuse_value(float(matrix[row, column]), f"{name} of tag {quote(tag)}", row)
    return ones_where(matrix.astype(bool, copy=False)), unknown


def ones_where(mask: Array) -> Any:
    """Return a sparse matrix of ones where a mask, `(rows, columns)`, is true.

    >>> ones_where(np.array([[True, False], [False, True]])).toarray().tolist()
    [[1, 0], [0, 1]]
    """
    from scipy.sparse import csr_array

    at = np.flatnonzero(mask)
    kind = np.int32 if max(at.size, *mask.shape) < 2**31 else np.int64
    ends = np.zeros(mask.shape[0] + 1, kind)
    np.cumsum(np.count_nonzero(mask, axis=1), out=ends[1:])
    columns = (at % max(1, mask.shape[1])).astype(kind)
    return csr_array((np.ones(at.size, np.int8), columns, ends), mask.shape)


def _way_out(name: str) -> str:
    """Return what to do where tags are missing: only cases without a true tag can be excluded."""
    if name.startswith("truth"):
        return f"Use {DROP} to exclude cases with a missing true tag"
    return "Pass the predicted tags of every case"


def _refuse_value(value: Any, name: str, row: int) -> None:
    if isinstance(value, float) and isnan(value):
        alone = ", or assess each tag as two classes to keep them for the other tags"
        raise InputError(
            f"{name} is missing at index {row}. {_way_out(name)}{(alone if name.startswith('truth') else '')}."
        )
    raise InputError(f"{name} is {plain(value)!r} at index {row}, but a tag must be 0 or 1 (False or True).")


def _of_sparse(values: Any, name: str, labels: Labels | None, *, may_lack: bool = False) -> TagMarks:
    from scipy.sparse import csr_array

    matrix = csr_array(values.tocsr(), copy=True)  # what came is the caller's
    matrix.sum_duplicates()
    unknown = None
    if may_lack and matrix.data.dtype.kind == "f" and (lacking := np.isnan(matrix.data)).any():
        of_entry = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        unknown = np.bincount(of_entry[lacking], minlength=matrix.shape[0]) > 0
        matrix.data = np.where(unknown[of_entry], 0, matrix.data)
    wrong = np.flatnonzero((matrix.data != 1) & (matrix.data != 0))
    if wrong.size:
        row = int(np.searchsorted(matrix.indptr, wrong[0], side="right")) - 1
        column = int(matrix.indices[wrong[0]])
        tag = column if labels is None else labels[column]
        _refuse_value(matrix.data[wrong[0]], f"{name} of tag {quote(tag)}", row)
    matrix.eliminate_zeros()
    marks = csr_array((np.ones(matrix.nnz, np.int8), matrix.indices, matrix.indptr), matrix.shape)
    marks.sort_indices()
    return TagMarks(marks, _checked_names(labels, matrix.shape[1], name), unknown=unknown)


def _of_columns(
    columns: Mapping[Hashable, Any], name: str, labels: Labels | None, *, may_lack: bool = False
) -> TagMarks:
    """Return the marks of a frame with a column a tag; its columns are read by the declared names."""
    names = Labels.of(columns)
    if labels is not None:
        columns = dict(zip(labels, _by_name(columns, labels, name), strict=True))
        names = labels
    parts = [
        ones_and_gaps(column, f"{name} of tag {quote(tag)}", may_lack=may_lack)
        for tag, column in columns.items()
    ]
    marked_rows = [ones for ones, _ in parts]
    sizes = {tag: len(column) for tag, column in columns.items()}
    if len({*sizes.values()}) > 1:
        raise InputError(
            f"{name} has columns of {listing(sorted({*sizes.values()}))} rows. Pass columns of equal length."
        )
    column_of = np.repeat(np.arange(len(marked_rows)), [rows.size for rows in marked_rows])
    shape = next(iter(sizes.values()), 0), len(marked_rows)
    row, gaps = np.concatenate(marked_rows), [gap for _, gap in parts if gap is not None]
    if not gaps:
        return TagMarks(_sparse(row, column_of, shape), names)
    unknown = np.logical_or.reduce(gaps)
    known = ~unknown[row]
    return TagMarks(_sparse(row[known], column_of[known], shape), names, unknown=unknown)


def ones_and_gaps(column: Any, name: str, *, may_lack: bool = False) -> tuple[Array, Array | None]:
    """Return the rows in which a column of 0 and 1 holds 1, and which are missing, where some are and may be.

    Raises InputError, with the row, for other values.

    >>> ones_and_gaps([0, 1, 1], "truth")[0].tolist()
    [1, 2]
    """
    coded = code_labels(column, name)
    gaps = None
    if coded.missing:
        gaps = coded.codes < 0
        if not may_lack:
            _refuse_value(float("nan"), name, int(gaps.argmax()))
    if not coded.labels:
        return np.zeros(0, np.int64), gaps
    both = zero_one(coded.labels)
    if both is None:
        wrong = next(i for i, label in enumerate(coded.labels) if zero_one([label]) is None)
        _refuse_value(coded.labels[wrong], name, int((coded.codes == wrong).argmax()))
    assert both is not None
    return np.flatnonzero(np.array([*(label == both[1] for label in coded.labels), False])[coded.codes]), gaps


def _by_name(columns: Mapping[Hashable, Any], labels: Iterable[Hashable], name: str) -> list[Any]:
    """The columns of these names. Raises InputError, listing them, where one is not there, or is one too many."""
    at = {
        label: next((column for column in columns if column == label or _is_same(column, label)), None)
        for label in labels
    }
    lacking = [label for label, column in at.items() if column is None]
    if lacking:
        raise InputError(
            f"{name} has no column {listing(lacking)}. Columns: {listing([*columns])}. Use the names of the "
            "tags."
        )
    if extra := [column for column in columns if column not in at.values()]:
        raise InputError(
            f"{name} has a column {listing(extra)}, which is not a tag. Remove it, or add it to labels=."
        )
    return [columns[at[label]] for label in labels]


def _is_same(name: Hashable, label: Hashable) -> bool:
    return isinstance(name, str) and not isinstance(label, str) and is_written(name, label)


def _score_columns(columns: Mapping[Hashable, Any], names: Labels | None) -> tuple[Array, Labels]:
    names = Labels.of(columns) if names is None else names
    arrays = _by_name(columns, names, "score")
    return np.stack(
        [as_array(column, f"score of tag {quote(tag)}") for tag, column in zip(names, arrays, strict=True)], 1
    ), names


def _parted(values: Any, name: str, separator: str, *, may_lack: bool = False) -> list[list[str] | None]:
    if not separator:
        raise InputError("The separator of tags is empty. Pass one, such as '|'.")
    coded = code_labels(values, name)
    if coded.missing and not may_lack:
        raise InputError(
            f"{name} is missing in {counted(coded.missing)}. A case without tags has an empty text. "
            f"{_way_out(name)}."
        )
    parts = [[tag.strip() for tag in str(text).split(separator)] for text in coded.labels]
    parts = [[tag for tag in tags if tag] for tags in parts]
    return [None if code < 0 else parts[code] for code in coded.codes.tolist()]


def _of_lists(rows: Iterable[Any], name: str, labels: Labels | None, *, may_lack: bool = False) -> TagMarks:
    """Return the marks of a list of labels for each case; a label that stands twice in one is refused."""
    unknown: list[int] = []
    place: dict[Hashable, int] = {} if labels is None else {label: i for i, label in enumerate(labels)}
    at: list[int] = []
    sizes: list[int] = []
    for row, tags in enumerate(rows):
        if _lacks_tags(tags):
            if not may_lack:
                raise InputError(
                    f"{name} has a missing tag at index {row}. A case without tags has an empty list. "
                    f"{_way_out(name)}."
                )
            unknown.append(row)
            sizes.append(0)
            continue
        if not isinstance(tags, (*COLLECTIONS, tuple)):
            raise InputError(
                f"{name} is {quote(tags)} at index {row}, but a list of labels elsewhere. Pass a list or a set "
                "for every case, an empty one without tags."
            )
        case_tags = [plain(tag) for tag in (tags.tolist() if isinstance(tags, np.ndarray) else tags)]
        if len({*case_tags}) < len(case_tags):
            twice = next(tag for i, tag in enumerate(case_tags) if tag in case_tags[:i])
            raise InputError(f"{name} has tag {quote(twice)} twice at index {row}. List each tag once.")
        for tag in case_tags:
            if labels is not None and tag not in place:
                raise InputError(
                    f"{name} has tag {quote(tag)} at index {row}, which is not declared. Declared tags: "
                    f"{listing(labels)}."
                )
        at += [place.setdefault(tag, len(place)) for tag in case_tags]
        sizes.append(len(case_tags))
    tag_labels = Labels.sorted(place) if labels is None else labels
    to = {label: i for i, label in enumerate(tag_labels)}
    moved = np.array([to[label] for label in place], np.int64)
    column = moved[np.array(at, np.int64)] if at else np.zeros(0, np.int64)
    row_of = np.repeat(np.arange(len(sizes)), sizes)
    marks = _sparse(row_of, column, (len(sizes), len(tag_labels)))
    lacking = np.isin(np.arange(len(sizes)), unknown) if unknown else None
    return TagMarks(marks, tag_labels, labels is not None, listed=True, unknown=lacking)


def _lacks_tags(tags: Any) -> bool:
    """Check whether the tags of a case are missing, or one of them."""
    if isinstance(tags, (*COLLECTIONS, tuple)):
        return any(
            is_missing(plain(tag)) for tag in (tags.tolist() if isinstance(tags, np.ndarray) else tags)
        )
    return is_missing(plain(tags))


def _checked_names(labels: Labels | None, columns: int, name: str) -> Labels | None:
    if columns > MOST_TAGS:
        raise InputError(f"{name} has {columns:,} columns, but at most {MOST_TAGS:,} tags are supported.")
    if labels is not None and len(labels) != columns:
        raise InputError(
            f"{name} has {columns:,} columns, but labels= has {len(labels):,} names. Pass one name for each "
            "column."
        )
    return labels
