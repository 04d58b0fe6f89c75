"""Tags of cases in long form, a row for each pair of a case and a tag, as matrices of cases and tags."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.columns.coding import code_labels
from classay.columns.labels import Labels
from classay.columns.numbers import as_array, counted
from classay.columns.tags import ones_of
from classay.columns.values import Coded, listing
from classay.errors import InputError
from classay.texts import quote

Array = NDArray[Any]


class LongTags(NamedTuple):
    """What rows of a case and a tag say: truth, scores and predictions as `(cases, tags)`, and the names of the tags.

    Scores are an array where every case has one of every tag, else a sparse matrix in which an absent one is 0. `case`
    is the code of the case of each row.
    """

    truth: Any
    score: Any
    prediction: Any
    labels: Labels
    case: Array

    def of_cases(self, values: Any, name: str) -> Any:
        """What the rows of a case all say of it, such as its weight. Raises InputError where they differ."""
        if values is None:
            return None
        coded = code_labels(values, name) if name in ("cluster", "by") else None
        each = as_array(values, name) if coded is None else coded.codes
        if each.size != self.case.size:
            raise InputError(
                f"truth has {self.case.size} rows, {name} has {each.size}: pass arrays of one length."
            )
        first = np.unique(self.case, return_index=True)[1]
        if (each != each[first][self.case]).any():
            raise InputError(f"{name} differs among the rows of one case: each case has one {name}.")
        if coded is None:
            return each[first]
        labels = (*coded.labels, None)  # where it is missing
        return [labels[code] for code in coded.codes[first].tolist()]


def _coded(values: Any, name: str) -> Coded:
    coded = code_labels(values, name)
    if coded.missing:
        raise InputError(f"{name} is missing in {counted(coded.missing)}: every row is of a case and a tag.")
    return coded


def _refuse_lengths(rows: int, given: Mapping[str, Any]) -> None:
    for name, each in given.items():
        if each is not None and len(each) != rows:
            raise InputError(f"case has {rows} rows, {name} has {len(each)}: pass arrays of one length.")


def long_tags(
    case: Any, tag: Any, truth: Any, score: Any, prediction: Any, labels: Sequence[Hashable] | None
) -> LongTags:
    """Matrices of cases and tags from columns of rows; a pair without a row is not true, not called, and has score 0.

    Raises InputError for columns of different length, a case that has a tag twice, and values that are no tags.

    >>> found = long_tags(["a", "a", "b"], ["cat", "dog", "dog"], [1, 0, 1], [0.9, 0.2, 0.7], None, None)
    >>> found.labels, found.truth.toarray().tolist(), found.score.toarray().tolist()
    (('cat', 'dog'), [[1, 0], [0, 1]], [[0.9, 0.2], [0.0, 0.7]])
    """
    from scipy.sparse import coo_array

    if truth is None:
        raise InputError(
            "rows of a case and a tag need a column of truth, 0 or 1: is the tag true of the case?"
        )
    cases, tags = _coded(case, "case"), _coded(tag, "tag")
    names = Labels.sorted(tags.labels) if labels is None else Labels.of(labels)
    if unknown := [each for each in tags.labels if each not in {*names}]:
        raise InputError(
            f"tag holds {listing(unknown)}, which is not among the declared tags: {listing(names)}."
        )
    place = {name: i for i, name in enumerate(names)}
    row, column = cases.codes, np.array([place[each] for each in tags.labels], np.int64)[tags.codes]
    _refuse_lengths(row.size, {"tag": tags.codes, "truth": truth, "score": score, "prediction": prediction})
    pair = row.astype(np.int64) * len(names) + column
    first = np.unique(pair, return_index=True)[1]
    if first.size < pair.size:
        twice = int(np.setdiff1d(np.arange(pair.size), first)[0])
        raise InputError(
            f"case {quote(cases.labels[row[twice]])} has tag {quote(names[column[twice]])} twice, in row {twice} too: "
            "a row for each pair."
        )
    shape = len(cases.labels), len(names)

    def marks(values: Any, name: str) -> Any:
        held = ones_of(values, name)
        return coo_array((np.ones(held.size, np.int8), (row[held], column[held])), shape).tocsr()

    scores = None
    if score is not None:
        each = as_array(score, "score")
        if np.isnan(each).any():
            raise InputError(
                f"score is missing in {counted(int(np.isnan(each).sum()))}: leave these rows out."
            )
        scores = coo_array((each, (row, column)), shape).tocsr()
        scores = scores.toarray() if pair.size == shape[0] * shape[1] else scores
    called = None if prediction is None else marks(prediction, "prediction")
    return LongTags(marks(truth, "truth"), scores, called, names, row)
