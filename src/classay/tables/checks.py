"""What tables are made of, checked where it enters one; amounts that rows carry, summed in a table's cells."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import Labels, code_columns, unite
from classay.columns.numbers import (
    FARTHEST,
    amount_array,
    counted,
    placed,
    row_weights,
    score_array,
    unscored,
)
from classay.columns.opened import Masked, opened, single_column
from classay.columns.values import plain, refuse_twice
from classay.errors import InputError, MergeError
from classay.texts import an

Array = NDArray[Any]
MOST_WEIGHT = 2.0 ** (2 * FARTHEST)
"""Sampling weights beyond this have squares whose products do not add up; below one over it, they are lost."""


def checked_codes(labels: int, *weights: Array | None, **codes: Array) -> None:
    """Refuse columns of codes, by name, unless each is in 0 to before `labels` and all are of one length.

    `weights`, as far as there are any, are of that length too. Raises InputError.

    A compiled loop writes wherever a code points, so one beyond the labels would corrupt memory that is not the
    table's.

    >>> checked_codes(2, true=np.array([0, 1, 2]))
    Traceback (most recent call last):
    ...
    classay.errors.InputError: Codes of true must be from 0 to 1 (2 labels), but one is 2.
    """
    for name, column in codes.items():
        if not isinstance(column, np.ndarray):
            raise InputError(f"{name} must be an array of codes, but is {an(type(column).__name__)}.")
    rows = {name: np.shape(column) for name, column in codes.items()}
    lengths = {*rows.values(), *(np.shape(weight) for weight in weights if weight is not None)}
    if len(lengths) > 1 or any(len(shape) != 1 for shape in rows.values()):
        shown = ", ".join(f"{name} {shape}" for name, shape in rows.items())
        raise InputError(f"Codes and weights have different lengths ({shown}). Pass columns of one length.")
    for name, column in codes.items():
        if column.dtype.kind not in "iu":
            raise InputError(f"{name} contains {column.dtype}, which are not codes. Pass whole numbers.")
        for extreme in (column.min(), column.max()) if column.size else ():
            if not 0 <= extreme < labels:
                raise InputError(
                    f"Codes of {name} must be from 0 to {labels - 1} ({labels} labels), but one is {extreme}."
                )


def united_codes(columns: Sequence[tuple[str, Any]], labels: Labels | None) -> tuple[Labels, list[Array]]:
    """Return the labels of columns of any kind, and the codes of each. Raises InputError, as `from_labels` does."""
    coded = code_columns(columns)
    for name, column in coded:
        if column.missing:
            raise InputError(f"{name} has missing values in {counted(column.missing)}. Remove these rows.")
        if (rows := coded[0][1].codes.size) != column.codes.size:
            raise InputError(
                f"truth has {rows} rows, but {name} has {column.codes.size}. Pass arrays of one length."
            )
    return unite(coded, labels)


def checked_labels(labels: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """Labels as the plain values by which all tables know them, each declared once.

    >>> checked_labels([np.datetime64("2026-03-01"), np.int64(3)])
    (datetime.date(2026, 3, 1), 3)
    """
    if isinstance(labels, Labels):
        return labels
    plain_labels = tuple(plain(label) for label in labels)
    refuse_twice(plain_labels)
    return plain_labels


def checked_weights(rows: int, weight: Any, frequency: Any) -> tuple[Array | None, Array | None]:
    """Sampling weights or frequencies of so many rows; see `row_weights`.

    >>> checked_weights(2, [1, 1e99], None)
    Traceback (most recent call last):
    ...
    classay.errors.InputError: The largest weight must be from 6e-61 to 2e+60, but is 1e+99. Scale all weights.
    """
    weight, frequency = row_weights(weight, frequency)
    for name, values in (("weight", weight), ("frequency", frequency)):
        if values is not None and values.size != rows:
            raise InputError(
                f"There are {counted(rows)}, but {values.size:,} values of {name}. Pass one value per row."
            )
    most = 0.0 if weight is None else weight.max(initial=0.0)
    if most and not 1 / MOST_WEIGHT <= most <= MOST_WEIGHT:
        raise InputError(
            f"The largest weight must be from {1 / MOST_WEIGHT:.0e} to {MOST_WEIGHT:.0e}, but is {most:g}. Scale "
            "all weights."
        )
    return weight, frequency


def checked_scores(score: Any, positive: Any) -> tuple[Array, Array]:
    """Scores, floats without NaN, and whether each row is positive, booleans; `(rows,)` each.

    >>> checked_scores([0.9, 0.2], [1, 0])
    Traceback (most recent call last):
    ...
    classay.errors.InputError: positive contains int64. Pass booleans, such as truth == 1.
    """
    score = _without_nan(score_array(score))
    mask = opened(single_column(positive), "positive")
    mask = mask if isinstance(mask, Masked) else np.asarray(mask)
    if isinstance(mask, Masked) or mask.dtype != bool:
        content = "missing values" if isinstance(mask, Masked) else mask.dtype
        raise InputError(f"positive contains {content}. Pass booleans, such as truth == 1.")
    if score.ndim != 1 or mask.shape != score.shape:
        raise InputError(
            f"score has shape {score.shape}, but positive has shape {mask.shape}. Pass columns of one length."
        )
    return score, mask


def checked_class_scores(scores: Any, rows: int, classes: int) -> Array:
    """Scores of all classes, `(rows, classes)` of floats without NaN."""
    array = _without_nan(score_array(scores))
    if array.shape != (rows, classes):
        raise InputError(
            f"Scores have shape {array.shape}, but {counted(rows)} and {classes} labels need ({rows}, {classes})."
        )
    return array


def checked_class_rows(
    classes: int, scores: Any, true: Array, weight: Any, frequency: Any
) -> tuple[Array, Array | None, Array | None]:
    """Scores of all classes, sampling weights and frequencies of rows whose true classes are codes, all checked."""
    checked_codes(classes, true=true)
    weight, frequency = checked_weights(true.size, weight, frequency)
    return checked_class_scores(scores, true.size, classes), weight, frequency


def _without_nan(scores: Array) -> Array:
    without = unscored(scores)
    if without is not None:
        raise InputError(f"score has missing values (NaN) in {placed(without)}. Remove these rows.")
    return scores


def checked_amounts(amounts: Any, names: Sequence[str], rows: int) -> Array:
    """Amounts of rows, `(rows, amounts)` of finite floats, with a name for each."""
    array = np.asarray(amounts)
    if array.shape != (rows, len(names)):
        needed = f"{counted(rows)} and {counted(len(names), 'name')} need ({rows}, {len(names)})"
        raise InputError(f"Amounts have shape {array.shape}, but {needed}.")
    columns = [amount_array(column, name) for name, column in zip(names, array.T, strict=True)]
    return np.stack(columns, 1) if columns else np.empty((rows, 0))


def refuse_unsorted(scores: Any) -> int:
    """Refuse anything but distinct, descending scores, `(m,)`; returns their number.

    >>> refuse_unsorted(np.array([0.1, 0.9]))
    Traceback (most recent call last):
    ...
    classay.errors.InputError: scores must be distinct and descending, without NaN. Build the table with from_rows.
    """
    if not isinstance(scores, np.ndarray) or scores.dtype.kind != "f" or scores.ndim != 1:
        raise InputError("scores must be an array of floats of shape (m,). Build the table with from_rows.")
    if not (scores[1:] < scores[:-1]).all() or (scores.size and np.isnan(scores[0])):
        raise InputError(
            "scores must be distinct and descending, without NaN. Build the table with from_rows."
        )
    return scores.size


def checked_cells(cells: Any, shape: tuple[int, ...], squares: Any, what: str) -> None:
    """Refuse anything but weights of cells whose last axes have this shape, and squares of the same shape.

    Values are checked only without leading axes, because replicates and derivatives come from checked tables.

    >>> checked_cells(np.array([[1, -1], [0, 2]]), (2, 2), None, "counts")
    Traceback (most recent call last):
    ...
    classay.errors.InputError: counts must be finite and at least 0, but contain -1.
    """
    for name, values in ((what, cells), (f"squares of {what}", squares)):
        if values is None and name != what:
            continue
        if not isinstance(values, np.ndarray) or values.dtype.kind not in "iufc":
            type_name = values.dtype if isinstance(values, np.ndarray) else type(values).__name__
            raise InputError(f"{name} must be an array of numbers, but are {type_name}.")
        if values.shape[-len(shape) :] != shape or values.shape != cells.shape:
            raise InputError(
                f"{name} must have shape (..., {', '.join(map(str, shape))}), but have {values.shape}."
            )
        if values.ndim == len(shape) and values.dtype.kind != "c" and values.size:
            least, most = values.min(), values.max()
            if not (least >= 0 and most < np.inf):
                raise InputError(
                    f"{name} must be finite and at least 0, but contain {least if not least >= 0 else most}."
                )


Adding = Callable[[Array], Array]
"""A function from a value for each row, `(rows,)`, to the sums of these values in the cells of a table."""


@dataclass(frozen=True, eq=False)
class Amounts:
    """Sums and sums of products of the amounts of the rows in each cell of a table.

    `sums`, `[amount, ...cells]`, are sums of w·v over the rows of a cell; `products`, `[1 + amount, amount, ...cells]`,
    sums of w²·z·v with z the constant 1 followed by the amounts. With frequencies, or without weights, w² is w: a row
    that stands for three counts three times. Mean and variance of any cost that is linear in the amounts need only
    these sums. `least_of_class`, `(amounts, classes)`, is the least of each amount over the rows of each true class,
    which tells, say, that none is negative there: infinite without rows, None in older files.

    >>> rows = np.array([[2.0], [3.0], [5.0]])
    >>> cells = np.array([0, 0, 1])
    >>> amounts = Amounts.of_rows(("amount",), rows, lambda column: np.bincount(cells, column))
    >>> amounts.sums, amounts.products[1, 0]
    (array([[5., 5.]]), array([13., 25.]))
    """

    names: tuple[str, ...]
    sums: Array
    products: Array
    least_of_class: Array | None = None

    @property
    def least(self) -> Array | None:
        """The least of each amount over all rows."""
        return None if self.least_of_class is None else self.least_of_class.min(-1, initial=np.inf)

    @classmethod
    def of_rows(
        cls,
        names: tuple[str, ...],
        values: Array,
        add: Adding,
        *,
        weight: Array | None = None,
        frequency: Array | None = None,
        true: Array | None = None,
        classes: int = 1,
    ) -> Amounts:
        """From the amounts of the rows, `(rows, amounts)`, and a function that adds rows up by cells.

        `true` codes the class of each row, of so many; without it one class has them all.
        """
        columns = [np.ascontiguousarray(column, np.float64) for column in values.T]
        once = weight if frequency is None else frequency.astype(np.float64)
        twice = once if weight is None else weight * weight
        sums = np.stack([add(column if once is None else once * column) for column in columns])
        firsts = sums if weight is None else np.stack([add(weight * weight * column) for column in columns])
        products = [firsts]
        for i, first in enumerate(columns):
            known = [products[1 + j][i] for j in range(i)]
            new = [add(first * column if twice is None else twice * first * column) for column in columns[i:]]
            products.append(np.stack([*known, *new]))
        least = np.full((len(columns), classes), np.inf)
        for i, column in enumerate(columns):
            if true is None:
                least[i] = column.min(initial=np.inf)
            else:
                np.minimum.at(least[i], true, column)
        return cls(names, sums, np.stack(products), least)

    def over(self, cells: Adding, classes: Adding | None = None) -> Amounts:
        """The same over other cells: `cells` maps sums by the present cells to the others, with any leading axes.

        `classes` maps the least of the present classes to those of others, where these are not the same.
        """
        least = self.least_of_class
        least = least if classes is None or least is None else classes(least)
        return Amounts(self.names, cells(self.sums), cells(self.products), least)

    def __add__(self, other: Amounts) -> Amounts:
        return Amounts(
            self.names, self.sums + other.sums, self.products + other.products, self.least_with(other)
        )

    def least_with(self, other: Amounts) -> Array | None:
        """Return the least of each amount over the rows of both, by class, where it is known of both."""
        if self.least_of_class is None or other.least_of_class is None:
            return None
        return np.minimum(self.least_of_class, other.least_of_class)


def agreed(here: Amounts | None, there: Amounts | None) -> None:
    """Refuse to add two tables with different amounts."""
    names = [() if amounts is None else amounts.names for amounts in (here, there)]
    if names[0] != names[1]:
        first, second = (", ".join(amount_names) or "none" for amount_names in names)
        raise MergeError(
            f"The parts have different amounts: {first} and {second}. Assess both in the same way."
        )


def added(here: Amounts | None, there: Amounts | None) -> Amounts | None:
    """Return the amounts of two tables of the same cells together. Raises MergeError where they differ."""
    agreed(here, there)
    return None if here is None or there is None else here + there
