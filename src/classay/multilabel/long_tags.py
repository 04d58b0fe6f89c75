"""Rows of a case and a tag (long form), put together as matrices of cases and tags."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sized
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.coding import code_labels
from classay.columns.labels import Labels
from classay.columns.numbers import as_array, counted
from classay.columns.values import Coded, listing
from classay.errors import InputError
from classay.multilabel.tag_columns import TagColumns
from classay.multilabel.tag_marks import ones_and_gaps
from classay.texts import quote

Array = NDArray[Any]

FEW_PAIRS = 20
"""Rows of a case and a tag up to which nothing is said of the pairs that have none."""


class AbsentPairsWarning(UserWarning):
    """Most pairs of a case and a tag have a row, and the others count as not true with a score of 0."""


def _tell_absent_pairs(rows: int, pairs: int) -> None:
    """Warn where so many pairs have a row that those without one may be missing and not left out as not true."""
    if rows > FEW_PAIRS and pairs / 2 < rows < pairs:
        warnings.warn(
            f"{pairs - rows:,} of {pairs:,} pairs of a case and a tag have no row. They count as not true and "
            "not predicted, with a score of 0. If their true tags are unknown, assess each tag separately on "
            "its own rows.",
            AbsentPairsWarning,
            stacklevel=2,
        )


def long_tags(columns: TagColumns, *, may_lack: bool = False) -> TagColumns:
    """Matrices of cases and tags from columns of rows; a pair without a row is not true, not predicted, and scores 0.

    Scores are an array where every case has one of every tag, else a sparse matrix. Where most pairs have a row, but
    not all, a warning tells how many have none. A missing true tag is NaN in the matrix where cases `may_lack` one.
    Raises InputError for columns of different length, a case that has a tag twice, values other than 0 and 1, and
    weights that differ between the rows of a case.

    >>> rows = TagColumns([1, 0, 1], [0.9, 0.2, 0.7], case=["a", "a", "b"], tag=["cat", "dog", "dog"])
    >>> tags = long_tags(rows)
    >>> tags.labels, tags.truth.toarray().tolist(), tags.score.toarray().tolist()
    (('cat', 'dog'), [[1, 0], [0, 1]], [[0.9, 0.2], [0.0, 0.7]])
    """
    from scipy.sparse import coo_array

    truth, score, prediction, labels = columns.truth, columns.score, columns.prediction, columns.labels
    if truth is None:
        raise InputError(
            "Rows of a case and a tag need truth: 1 if the tag is true for the case, 0 otherwise."
        )
    cases, tags = _coded(columns.case, "case"), _coded(columns.tag, "tag")
    names = Labels.sorted(tags.labels) if labels is None else Labels.of(labels)
    if unknown := [label for label in tags.labels if label not in {*names}]:
        raise InputError(
            f"tag has {listing(unknown)}, which is not declared. Declared tags: {listing(names)}."
        )
    place = {name: i for i, name in enumerate(names)}
    row, column = cases.codes, np.array([place[label] for label in tags.labels], np.int64)[tags.codes]
    _refuse_lengths(row.size, {"tag": tags.codes, "truth": truth, "score": score, "prediction": prediction})
    pair = row.astype(np.int64) * len(names) + column
    first = np.unique(pair, return_index=True)[1]
    if first.size < pair.size:
        twice = int(np.setdiff1d(np.arange(pair.size), first)[0])
        raise InputError(
            f"Case {quote(cases.labels[row[twice]])} has tag {quote(names[column[twice]])} twice, the second "
            f"time at index {twice}. Pass one row for each case and tag."
        )
    shape = len(cases.labels), len(names)
    _tell_absent_pairs(pair.size, shape[0] * shape[1])

    def marks(values: Any, name: str) -> tuple[Any, Array | None]:
        ones, gaps = ones_and_gaps(values, name, may_lack=may_lack)
        matrix = coo_array((np.ones(ones.size, np.int8), (row[ones], column[ones])), shape).tocsr()
        if gaps is not None:
            lacking = np.full(int(gaps.sum()), np.nan)
            matrix = (
                matrix.astype(np.float64) + coo_array((lacking, (row[gaps], column[gaps])), shape).tocsr()
            )
        return matrix, gaps

    true, gaps = marks(truth, "truth")
    scores = None
    if score is not None:
        row_scores = as_array(score, "score")
        known = np.ones(row_scores.size, bool) if gaps is None else ~np.isin(row, row[gaps])
        if np.isnan(row_scores[known]).any():
            raise InputError(
                f"score is missing in {counted(int(np.isnan(row_scores[known]).sum()))}. Exclude these rows."
            )
        scores = coo_array((row_scores, (row, column)), shape).tocsr()
        scores = scores.toarray() if pair.size == shape[0] * shape[1] else scores
    called = None if prediction is None else marks(prediction, "prediction")[0]
    of_cases = {
        name: _of_cases(getattr(columns, name), name, row)
        for name in ("weight", "frequency", "cluster", "by")
    }
    return replace(columns, truth=true, score=scores, prediction=called, labels=names, **of_cases)


def _of_cases(values: Any, name: str, case: Array) -> Any:
    """Return a value that all rows of a case share, such as its weight. Raises InputError where they differ."""
    if values is None:
        return None
    coded = code_labels(values, name) if name in ("cluster", "by") else None
    row_values = as_array(values, name) if coded is None else coded.codes
    if row_values.size != case.size:
        raise InputError(
            f"truth has {case.size} rows, but {name} has {row_values.size}. Pass arrays of equal length."
        )
    first = np.unique(case, return_index=True)[1]
    if (row_values != row_values[first][case]).any():
        raise InputError(f"{name} differs between the rows of one case. Pass one {name} for each case.")
    if coded is None:
        return row_values[first]
    labels = (*coded.labels, None)  # where it is missing
    return [labels[code] for code in coded.codes[first].tolist()]


def _coded(values: Any, name: str) -> Coded:
    coded = code_labels(values, name)
    if coded.missing:
        raise InputError(
            f"{name} is missing in {counted(coded.missing)}. Give the case and the tag of every row."
        )
    return coded


def _refuse_lengths(rows: int, columns: Mapping[str, Sized | None]) -> None:
    for name, column in columns.items():
        if column is not None and len(column) != rows:
            raise InputError(
                f"case has {rows} rows, but {name} has {len(column)}. Pass arrays of equal length."
            )
