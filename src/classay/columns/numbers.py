"""Columns of numbers, checked: scores, weights, frequencies, amounts. Errors name rows as users do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Decimal
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.opened import Categories, Masked, in_numpy, opened, single_column
from classay.columns.values import is_missing, number_in
from classay.errors import InputError, NothingCountsError
from classay.texts import amount, cut, hint
from classay.wings import altered, brought

Array = NDArray[Any]
_ORIGINAL_ROWS: ContextVar[Array | None] = ContextVar("_ORIGINAL_ROWS", default=None)
PLACE_IN_FILE: ContextVar[Callable[[int], str]] = ContextVar(
    "PLACE_IN_FILE", default=lambda row: f"data row {row + 1}"
)
"""How the command names a row, from 0, of the file that it read: by its line, where that is known."""
PLACE_IN_PART: ContextVar[Callable[[int], str] | None] = ContextVar("PLACE_IN_PART", default=None)
"""How a row, from 0, of a part of a file is named."""


@contextmanager
def picked(rows: Array | None) -> Iterator[None]:
    """While picked rows of a table are checked, errors name their rows in the table; pass row numbers or a mask.

    Rows may be picked from those that were picked; None picks all.

    >>> with picked(np.array([True, False, True, True])), picked(np.array([2, 0])):
    ...     original_row(0), original_row(1)
    (3, 0)
    """
    row_numbers = _ORIGINAL_ROWS.get()
    if rows is not None:
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows
        row_numbers = rows if row_numbers is None else row_numbers[rows]
    token = _ORIGINAL_ROWS.set(row_numbers)
    try:
        yield
    finally:
        _ORIGINAL_ROWS.reset(token)


def original_row(row: Any) -> int:
    """Return the number of a row, from 0, in the table given, before rows were left out or joined."""
    row_numbers = _ORIGINAL_ROWS.get()
    return int(row if row_numbers is None else row_numbers[row])


MOST_REPEATED = 10**12  # a thousand such rows still add up without overflow

FARTHEST = 100
"""Powers of two from one within which the largest sampling weight is taken as it is."""
FURTHEST_APART = 2.0**52
"""The largest ratio of the greatest sampling weight to the least."""


def weight_scale(weight: Array | None) -> float:
    """Return a factor for sampling weights, with which their squares and products neither overflow nor vanish.

    Only their ratios mean anything, so a power of two, which is exact, changes no result. It is 1 unless the largest
    weight is beyond 2^±100 (about 1e±30), and then a power of 2^200, so that parts of one survey nearly always share
    it.

    >>> weight_scale(np.array([0.1, 2.0])), weight_scale(np.array([1e-60])) == 2.0**200
    (1.0, True)
    """
    if weight is None or not weight.size:
        return 1.0
    exponent = float(np.log2(weight.max()))
    return 2.0 ** (-2 * FARTHEST * round(exponent / (2 * FARTHEST)))


def counted(count: int, what: str = "row") -> str:
    """Return a number of rows, or of something else, in words.

    >>> counted(1), counted(1200), counted(2, "case")
    ('1 row', '1,200 rows', '2 cases')
    """
    return f"{count:,} {what}{'' if count == 1 else 's'}"


class RoundedError(InputError):
    """Whole numbers are too large to be exact floats; beside decimals they would have been floats from the start."""


MOST_EXACT = 2**53
"""Whole numbers up to which every one is a 64-bit float."""


def as_array(values: Any, name: str) -> Array:
    """A column of numbers, of any kind that `opened` takes, as an array of floats; also one of several dimensions.

    Floats of 16, 32 and 64 bits stay as they are, also in lists and as categories; all else becomes float64, and
    missing values become NaN. Text is a number as `number_in` says. Raises InputError: no numbers; whole numbers that a
    float would round, so that they would tie; numbers too large for a float; rows of different lengths.

    >>> as_array(["0.5", None, "1e-3"], "score").tolist()
    [0.5, nan, 0.001]
    """
    column = opened(values, name)
    if isinstance(column, (list, tuple)):
        return _of_list(column, name)
    if isinstance(column, np.ndarray):
        return _of_array(column, name)
    if isinstance(column, Masked):
        numbers = np.full(column.values.shape, np.nan, _float_type(column.values.dtype))
        numbers[column.valid] = _of_array(column.values[column.valid], name)
        return numbers
    if isinstance(column, Categories):
        category_numbers = _of_list(list(column.categories), name)
        return np.append(category_numbers, category_numbers.dtype.type(np.nan))[column.codes]
    return _of_arrow(column, name)


PRECISIONS = (np.float16, np.float32, np.float64)
"""The types of floats that stay as they are."""


def _float_type(kind: np.dtype[Any]) -> Any:
    return kind.type if kind in PRECISIONS else np.float64


def _of_list(values: Any, name: str) -> Array:
    try:
        array = np.asarray(values)
    except (ValueError, OverflowError) as error:
        raise InputError(f"{name} has rows of different lengths. Pass rows of one length.") from error
    # Among floats a whole number has already lost its last digits.
    if array.dtype == np.float64 and array.size and np.nanmax(np.abs(array), initial=0) >= MOST_EXACT:
        array = np.array(values, object)
    return _of_array(array, name)


def _of_array(values: Array, name: str) -> Array:
    kind = values.dtype.kind
    if kind == "f" and values.dtype.itemsize <= 8:
        if not values.dtype.isnative:
            values = values.astype(values.dtype.newbyteorder("="))
        return np.ascontiguousarray(values)
    if kind == "f":
        return np.asarray(values, _float_type(values.dtype))
    if kind in "biu":
        _refuse_rounded(values, name)
        return np.ascontiguousarray(values, dtype=np.float64)
    if kind == "O" or kind in "UT":
        rows = values.shape[0] if values.ndim else 1
        width = max(1, values.size // max(1, rows))
        each_value = values.ravel().tolist()
        numbers = np.array([_number(cell, name, i // width) for i, cell in enumerate(each_value)], np.float64)
        return numbers.astype(_common_type(each_value), copy=False).reshape(values.shape)
    example = str(values.ravel()[0]) if values.size else "values"
    raise InputError(
        f"{name} is not numeric: it contains {cut(example, 40)} of type {values.dtype}. Pass a column of numbers."
    )


def _common_type(values: list[Any]) -> Any:
    """Return the type of floats that all values that are there have, of those below 64 bits; else that of 64."""
    types = {type(entry) for entry in values if not is_missing(entry)}
    (only,) = types if len(types) == 1 else (np.float64,)
    return only if only in PRECISIONS else np.float64


def _of_arrow(column: Any, name: str) -> Array:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_null(kind):
        return np.full(len(column), np.nan)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        if not column.null_count:
            return _of_array(in_numpy(column), name)
        valid = in_numpy(column.is_valid())
        known = _of_array(in_numpy(column.drop_null()), name)
        numbers = np.full(len(column), np.nan, known.dtype)
        numbers[valid] = known
        return numbers
    if pa.types.is_decimal(kind):
        numbers = np.asarray(in_numpy(column.cast(pa.float64())), np.float64)
        large = np.abs(numbers) >= MOST_EXACT
        if large.any():  # one by one, as of a list: those that a float would round are refused
            _of_array(np.array(column.filter(pa.array(large)).to_pylist(), object), name)
        return numbers
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _of_array(np.array(column.to_pylist(), object), name)
    if (rows := altered("read.vectors", column, name)) is not column:
        return np.asarray(rows)
    raise InputError(f"{name} is not numeric, but a column of {kind}. Pass a column of numbers.")


def _refuse_rounded(values: Array, name: str) -> None:
    """Refuse whole numbers that are no 64-bit floats: neighbours would tie, here or in another shard."""
    if not values.size or values.dtype.itemsize < 8:
        return
    if values.min() >= -MOST_EXACT and values.max() <= MOST_EXACT:
        return
    size = np.where(values < 0, -values.astype(np.uint64), values.astype(np.uint64))
    # Without the zeros at the end, in bits.
    digits = size // np.maximum(size & (~size + np.uint64(1)), np.uint64(1))
    if (rounded := digits >= MOST_EXACT).any():
        raise _rounded(int(values[rounded].flat[0]), name)


def _rounded(example: Any, name: str) -> RoundedError:
    return RoundedError(
        f"{name} contains {str(example)[:30]}. Above 2^53, 64-bit floats cannot represent every whole number, so "
        "different numbers would tie. Pass ranks or smaller numbers."
    )


def _decimal_option() -> str:
    """Return the option of the command for decimal commas, where a wing brings it."""
    return hint("", ", or --decimal ','") if "read.layout" in brought("options") else ""


def _number(value: Any, name: str, row: int) -> float:
    """Return one number among Python's values; NaN where it is missing."""
    if isinstance(value, float):
        return value
    if is_missing(value):
        return np.nan
    number = number_in(value) if isinstance(value, str) else value
    if number is None or isinstance(number, complex) or not hasattr(number, "__float__"):
        is_comma = isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d*(,\d+)+\s*", value)
        advice = (
            f"Use a decimal point and no thousands separators{_decimal_option()}"
            if is_comma
            else _of_percent(value) or f"{hint('Pass', 'Use')} a column of numbers"
        )
        raise InputError(f"{name} is not numeric: {place_of_row(row)} is {_short(value)}. {advice}.")
    try:
        float_number = float(number)
    except (OverflowError, TypeError, ValueError) as error:
        raise InputError(
            f"{name} contains {_short(value)}, which is not a number or is too large for a 64-bit float. Pass smaller "
            "numbers."
        ) from error
    is_exact = isinstance(number, int) or (
        isinstance(number, (Decimal, Rational)) and abs(float_number) >= MOST_EXACT
    )
    if is_exact and float_number != number:
        raise _rounded(number, name)
    return float_number


def _of_percent(value: Any) -> str:
    """Return what to write in place of a percentage; the empty text for anything else."""
    written = re.fullmatch(r"\s*([+-]?\d+(?:[.,]\d+)?)\s*%\s*", value) if isinstance(value, str) else None
    if written is None:
        return ""
    share = Decimal(written[1].replace(",", ".")) / 100
    return f"Replace percentages with shares in the whole column, such as {share:f}"


def _short(value: Any) -> str:
    try:
        shown = repr(value)
    except ValueError:  # a whole number of more digits than Python prints
        shown = "a whole number of very many digits"
    return shown if len(shown) <= 60 else f"{shown[:59]}…"


def score_array(values: Any) -> Array:
    """Scores as floats, one a row or one a row and class.

    With three classes or more, which no threshold divides, 16-bit scores become 32-bit, because compiled loops need it.
    """
    scores = as_array(single_column(values), "score")
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    if scores.ndim == 2 and scores.shape[1] > 2:
        scores = from_16_bits(scores)
    if scores.ndim not in (1, 2) or not all(scores.shape[1:]):
        raise InputError(
            f"score has shape {scores.shape}. Pass shape (rows,), or (rows, classes) for several classes."
        )
    return scores


def from_16_bits(scores: Array) -> Array:
    """Scores of 16 bits as 32, which compiled loops take, and in which 1 - p is exact; others stay as they are.

    >>> from_16_bits(np.zeros(2, np.float16)).dtype, from_16_bits(np.zeros(2)).dtype
    (dtype('float32'), dtype('float64'))
    """
    return scores.astype(np.result_type(scores, np.float32), copy=False)


class StrictThreshold(float):
    """A threshold that only higher scores reach: of two columns of scores the first class wins a tie.

    Wherever nobody chose the threshold, this is the rule of ties of labels by `argmax`, as `predict` of a learner
    gives them. A plain number is reached by equal scores, too. Arithmetic, `float` among it, gives a plain number.

    >>> half = StrictThreshold(0.5)
    >>> [bool(0.5 >= in_precision(cutoff, np.dtype(float))) for cutoff in (half, 0.5)], half == 0.5
    ([False, True], True)
    """

    __slots__ = ()


def is_same_threshold(left: float | None, right: float | None) -> bool:
    """Check whether two thresholds divide all scores alike, equal ones included.

    >>> is_same_threshold(0.5, 0.5), is_same_threshold(StrictThreshold(0.5), 0.5)
    (True, False)
    """
    return left == right and isinstance(left, StrictThreshold) == isinstance(right, StrictThreshold)


def in_precision(threshold: float, scores: np.dtype[Any]) -> Any:
    """Return the least score that reaches a threshold, in the type of the scores that are compared with it.

    A threshold beyond the range of the type divides its scores as it would divide exact ones: infinite from finite.

    >>> in_precision(0.7, np.dtype(np.float32)), in_precision(-1e300, np.dtype(np.float32))
    (np.float32(0.7), np.float32(-3.4028235e+38))
    >>> in_precision(1e300, np.dtype(np.float32)), in_precision(float("-inf"), np.dtype(np.float32))
    (np.float32(inf), np.float32(-inf))
    """
    with np.errstate(over="ignore"):
        cutoff = scores.type(threshold)
    if isinstance(threshold, StrictThreshold):
        return np.nextafter(cutoff, scores.type(np.inf))
    return np.finfo(scores).min if np.isneginf(cutoff) and threshold > -np.inf else cutoff


def unscored(scores: Array | None) -> Array | None:
    """Return which rows lack a score, or one of their scores; None where no row does.

    >>> unscored(np.array([0.5, np.nan])), unscored(np.array([[0.5, 0.5], [1.0, 0.0]])) is None
    (array([False,  True]), True)
    """
    if scores is None or scores.size == 0 or not np.isnan(np.min(scores)):
        return None
    return np.asarray(np.isnan(scores) if scores.ndim == 1 else np.isnan(scores).any(1))


def placed(bad: Array) -> str:
    """Return how many rows are marked, and where the first of them is.

    >>> str(InputError(placed(np.array([False, True, True]))))
    '2 rows (first: index 1)'
    """
    first, count = place_of_row(bad.argmax()), int(bad.sum())
    return f"{counted(count)} ({first})" if count == 1 else f"{counted(count)} (first: {first})"


def place_of_row(row: Any) -> str:
    """Return where a row is: its index in an array, or its line in a file, or its place among the rows of data.

    >>> from classay.texts import DoorText
    >>> text = DoorText.of(place_of_row(1))
    >>> str(text), text.command
    ('index 1', 'data row 2')
    """
    index = original_row(row)
    if (place := PLACE_IN_PART.get()) is not None:
        return place(index)
    return hint(f"index {index}", PLACE_IN_FILE.get()(index))


def weight_arrays(weight: Any, frequency: Any) -> tuple[Array | None, Array | None]:
    """Sampling weights and frequencies of all rows, checked; at most one of them may be given."""
    weight, frequency = row_weights(weight, frequency)
    refuse_weights(weight, frequency)
    return weight, frequency


def refuse_weights(weight: Array | None, frequency: Array | None) -> None:
    """Refuse weights or frequencies that are all 0, and weights so small that they are lost beside others."""
    for name, values in (("weight", weight), ("frequency", frequency)):
        if values is not None and values.size and not values.any():
            raise NothingCountsError(f"{name} is 0 in every row. At least one row needs a positive {name}.")
    if weight is not None:
        _refuse_far_apart(weight)


def row_weights(weight: Any, frequency: Any) -> tuple[Array | None, Array | None]:
    """Sampling weights (float64) or frequencies (int64) of rows, `(rows,)`, checked for making a table.

    Raises InputError where both are given, and for numbers that are missing, negative, infinite or, as frequencies, not
    whole or more than add up exactly.

    >>> row_weights(None, [2.0, 1.0])
    (None, array([2, 1]))
    """
    if weight is not None and frequency is not None:
        raise InputError(
            f"{hint('weight and frequency', '--weight and --frequency')} cannot be combined. Use "
            f"{hint('weight', '--weight')} for sampling weights or {hint('frequency', '--frequency')} for counts of "
            "identical rows."
        )
    if weight is not None:
        weight = _non_negative(weight, "weight").astype(np.float64, copy=False)
    if frequency is not None:
        counts = _non_negative(frequency, "frequency")
        if (counts != np.floor(counts)).any():
            example = counts[counts != np.floor(counts)][0]
            raise InputError(
                f"frequency contains {example:g}, but counts of identical rows must be whole numbers. "
                f"Use {hint('weight', '--weight')} for sampling weights."
            )
        if (counts > MOST_REPEATED).any():
            raise InputError(
                f"frequency contains {amount(counts.max())}. The maximum is {MOST_REPEATED:,} identical rows."
            )
        frequency = counts.astype(np.int64)
        refuse_uncountable(frequency, "frequency")
    return weight, frequency


def refuse_uncountable(counts: Array, name: str) -> None:
    """Refuse numbers of cases that no longer add up exactly.

    >>> refuse_uncountable(np.array([2.0**52, 2.0**53]), "the matrix")
    Traceback (most recent call last):
    ...
    classay.errors.InputError: the matrix counts 1.35108e+16 cases. The maximum is 2^53, up to which counts are exact.
    """
    total = float(counts.sum(dtype=np.float64))
    if total > MOST_EXACT:
        raise InputError(f"{name} counts {total:g} cases. The maximum is 2^53, up to which counts are exact.")


MOST_AMOUNT = 1e60
"""Amounts beyond this have products whose squares do not add up any more; below one over it, squares are lost."""


def amount_array(values: Any, name: str) -> Array:
    """Return a column of amounts, `(rows,)` of floats: any finite numbers, also negative ones.

    >>> amount_array([10, -2.5], "fee")
    array([10. , -2.5])
    """
    array = as_array(single_column(values), name)
    if array.ndim != 1:
        raise InputError(f"{name} has shape {array.shape}. Pass one amount per row.")
    array = array.astype(np.float64)
    lacking = ~np.isfinite(array)
    if lacking.any():
        raise InputError(
            f"{name} has missing or infinite values in {placed(lacking)}. Fill in each value, with 0 for no cost."
        )
    greatest = np.abs(array).max(initial=0.0)
    if greatest and not 1 / MOST_AMOUNT <= greatest <= MOST_AMOUNT:
        raise InputError(
            f"The largest amount of {name} must be from {1 / MOST_AMOUNT:g} to {MOST_AMOUNT:g}, but is {greatest:g}. "
            "Use another unit."
        )
    return array


def _refuse_far_apart(weight: Array) -> None:
    """Refuse weights of which the least is lost beside the greatest: what they weigh is then no number of 64 bits."""
    most = weight.max(initial=0.0)
    if weight.size and (weight < most / FURTHEST_APART).any():
        least = weight[weight > 0].min()
        if least < most / FURTHEST_APART:
            raise InputError(
                f"weight ranges from {least:g} to {most:g}, too wide a range for 64-bit floats. Check the weights, and "
                "set negligible weights to 0."
            )


def _non_negative(values: Any, name: str) -> Array:
    array = as_array(single_column(values), name)
    if array.ndim != 1:
        raise InputError(f"{name} has shape {array.shape}. Pass one number per row.")
    if array.size and not np.isfinite(array).all():
        raise InputError(
            f"{name} has missing or infinite values in {placed(~np.isfinite(array))}. Fill in each value."
        )
    if array.size and array.min() < 0:
        raise InputError(
            f"{name} has negative values in {placed(array < 0)}. {hint('Pass', 'Use')} numbers of at least 0."
        )
    return array
