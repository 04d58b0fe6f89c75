"""Columns of numbers, checked: scores, weights, frequencies."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError

Array = NDArray[Any]
MOST_REPEATED = 10**12  # a thousand such rows still add up without overflow


FARTHEST = 100
"""Powers of two from one within which the largest sampling weight is taken as it is."""


def weight_scale(weight: Array | None) -> float:
    """What to multiply sampling weights with so that their squares and products neither overflow nor vanish.

    Only their ratios mean anything, so a power of two, which is exact, changes no result. It is 1 unless the largest is
    beyond 2^±100 (about 1e±30), and else a power of 2^200, so that parts of one survey nearly always have the same.

    >>> weight_scale(np.array([0.1, 2.0])), weight_scale(np.array([1e-60])) == 2.0**200
    (1.0, True)
    """
    if weight is None or not weight.size:
        return 1.0
    exponent = float(np.log2(weight.max()))
    return 2.0 ** (-2 * FARTHEST * round(exponent / (2 * FARTHEST)))


TOLERANCE = 1e-6
"""How far from 1 the class probabilities of a row may sum, and still be probabilities."""


def improper_rows(scores: Array) -> Array:
    """Which rows of class scores, `(rows, classes)`, are no probability distribution, `(rows,)` of booleans.

    >>> improper_rows(np.array([[0.2, 0.8], [0.2, 0.9], [-1.0, 2.0]]))
    array([False,  True,  True])
    """
    whole = scores.astype(np.float64)
    outside = ((whole < 0) | (whole > 1)).any(1)
    return np.asarray(outside | (np.abs(whole.sum(1) - 1) > TOLERANCE))


ULPS = 8
"""Units in the last place by which rounding may carry a probability out of [0, 1]."""


def unrounded(scores: Array) -> Array:
    """Scores that leave [0, 1] by rounding alone, set back to 0 or 1; where any leaves it by more, all as they are.

    >>> unrounded(np.array([0.25, 1 + 2e-16])), unrounded(np.array([0.25, 1.1]))
    (array([0.25, 1.  ]), array([0.25, 1.1 ]))
    """
    if not scores.size:
        return scores
    low, high, near = scores.min(), scores.max(), ULPS * np.finfo(scores.dtype).eps
    is_rounding = (low < 0 or high > 1) and low >= -near and high <= 1 + near
    return np.clip(scores, 0, 1) if is_rounding else scores


def renormalised(scores: Array) -> tuple[Array, int]:
    """Class scores, `(rows, classes)`, with the rows that do not sum to 1 divided by their sum; and how many were.

    Raises InputError where a row holds a negative or infinite score, or only zeros.

    >>> renormalised(np.array([[0.25, 0.75], [0.25, 0.25]]))
    (array([[0.25, 0.75],
           [0.5 , 0.5 ]]), 1)
    """
    if scores.ndim != 2:
        raise InputError(
            "there is one score a row, which has no sum to be divided by: pass one for each class."
        )
    total = scores.astype(np.float64).sum(1)
    lost = (scores < 0).any(1) | ~np.isfinite(total) | (total <= 0)
    if lost.any():
        raise InputError(
            f"class scores are negative, infinite or all zero in {counted(int(lost.sum()))}, the first at position "
            f"{int(lost.argmax())} counted from 0: no sum makes probabilities of them."
        )
    off = improper_rows(scores)
    made = np.where(off[:, None], scores / total[:, None], scores).astype(scores.dtype)
    return made, int(off.sum())


def counted(rows: int) -> str:
    """A number of rows in words.

    >>> counted(1), counted(1200)
    ('1 row', '1,200 rows')
    """
    return f"{rows:,} row{'' if rows == 1 else 's'}"


def as_array(values: Any, name: str) -> Array:
    """An array from an array, a list, a Series or an Arrow column; InputError when it holds no numbers."""
    if not isinstance(values, np.ndarray):
        if type(values).__module__.startswith("pyarrow"):
            values = _from_arrow(values)
        elif hasattr(values, "to_numpy"):
            values = values.to_numpy()
        else:
            try:
                values = np.asarray(values)
            except ValueError as error:
                raise InputError(f"{name} is ragged: pass rows of one length.") from error
    if values.dtype.kind == "f" and values.dtype.itemsize in (4, 8):
        return np.ascontiguousarray(values)
    if values.dtype == np.float16:
        return np.asarray(values, np.float32)
    if values.dtype.kind in "cmM":
        raise InputError(
            f"{name} holds {values.ravel()[0]!s} of type {values.dtype}: pass a column of numbers."
        )
    try:
        return np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        example = next(
            (each for each in values.ravel().tolist() if not isinstance(each, float | int)), values
        )
        is_comma = isinstance(example, str) and re.fullmatch(r"\s*[+-]?\d*,\d+\s*", example)
        advice = "write its decimal comma as a point" if is_comma else "pass a column of numbers"
        raise InputError(f"{name} holds {example!r}, which is no number: {advice}.") from error


def _from_arrow(column: Any) -> Array:
    """An Arrow column as an array; `to_numpy` would import pandas, which takes longer than most assessments."""
    import pyarrow as pa

    chunks = getattr(column, "chunks", [column])
    is_plain = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    if column.null_count or not chunks or not is_plain:
        found: Array = (
            column.to_numpy() if hasattr(column, "chunks") else column.to_numpy(zero_copy_only=False)
        )
        return found
    arrays = [np.from_dlpack(chunk) for chunk in chunks]
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def score_array(values: Any) -> Array:
    """Scores as floats, one a row or one a row and class."""
    scores = as_array(values, "score")
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    if scores.ndim not in (1, 2):
        raise InputError(
            f"score has shape {scores.shape}: pass (rows,), or (rows, classes) for several classes."
        )
    return scores


def refuse_nan(scores: Array | None, keep: Array | None) -> None:
    """Refuse a missing score in a row that stays."""
    if scores is None or not np.isnan(np.min(scores)):
        return
    bad = np.isnan(scores) if scores.ndim == 1 else np.isnan(scores).any(1)
    if keep is not None:
        bad &= keep
    if bad.any():
        raise InputError(
            f"score is missing (NaN) in {counted(int(bad.sum()))}, the first at position {int(bad.argmax())} counted "
            "from 0: decide what a missing score means, and fill it in or leave out these rows before assessing."
        )


def weight_arrays(weight: Any, frequency: Any) -> tuple[Array | None, Array | None]:
    """Sampling weights and frequencies as checked arrays; at most one of them may be given."""
    if weight is not None and frequency is not None:
        raise InputError(
            "both weight and frequency were given: weight is a sampling weight, frequency a number of identical rows; "
            "pass one."
        )
    if weight is not None:
        weight = _non_negative(weight, "weight").astype(np.float64, copy=False)
    if frequency is not None:
        counts = _non_negative(frequency, "frequency")
        if (counts != np.floor(counts)).any():
            example = counts[counts != np.floor(counts)][0]
            raise InputError(
                f"frequency holds {example:g}: it counts identical rows; pass whole numbers, or use weight for "
                "sampling weights."
            )
        if (counts > MOST_REPEATED).any():
            raise InputError(
                f"frequency holds {counts.max():g}, more than {MOST_REPEATED:,} identical rows: check it."
            )
        frequency = counts.astype(np.int64)
    return weight, frequency


def _non_negative(values: Any, name: str) -> Array:
    array = as_array(values, name)
    if array.ndim != 1:
        raise InputError(f"{name} has shape {array.shape}: pass one number a row.")
    if array.size and not np.isfinite(array).all():
        raise InputError(
            f"{name} is missing or infinite in {counted(int((~np.isfinite(array)).sum()))}: fill it in."
        )
    if array.size and array.min() < 0:
        raise InputError(f"{name} is negative in {counted(int((array < 0).sum()))}: pass numbers from 0 up.")
    if array.size and not array.any():
        raise InputError(f"{name} is zero in every row: nothing would count.")
    return array
