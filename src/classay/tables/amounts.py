"""Amounts: the sums of numbers that rows carry, such as the amount of a payment, in the cells of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import MergeError

Array = NDArray[Any]
Adding = Callable[[Array], Array]
"""From a value for each row, `(rows,)`, to their sums in the cells of a table."""


@dataclass(frozen=True, eq=False)
class Amounts:
    """Sums and sums of products of the amounts of the rows in each cell of a table.

    `sums`, `[amount, ...cells]`, are sums of w·v over the rows of a cell; `products`, `[1 + amount, amount, ...cells]`,
    sums of w²·z·v with z the constant 1 followed by the amounts. With frequencies, or without weights, w² is w: a
    row that stands for three counts three times. They are what mean and variance of any cost that is linear
    in the amounts need. `least`, `(amounts,)`, is the least of each over all rows: none is negative, say. None in files
    saved before it was kept.

    >>> rows = np.array([[2.0], [3.0], [5.0]])
    >>> cells = np.array([0, 0, 1])
    >>> found = Amounts.of_rows(("amount",), rows, lambda each: np.bincount(cells, each))
    >>> found.sums, found.products[1, 0]
    (array([[5., 5.]]), array([13., 25.]))
    """

    names: tuple[str, ...]
    sums: Array
    products: Array
    least: Array | None = None

    @classmethod
    def of_rows(
        cls,
        names: tuple[str, ...],
        values: Array,
        add: Adding,
        *,
        weight: Array | None = None,
        frequency: Array | None = None,
    ) -> Amounts:
        """From the amounts of the rows, `(rows, amounts)`, and what adds rows up by cells."""
        columns = [np.ascontiguousarray(column, np.float64) for column in values.T]
        once = weight if frequency is None else frequency.astype(np.float64)
        twice = once if weight is None else weight * weight
        sums = np.stack([add(each if once is None else once * each) for each in columns])
        firsts = sums if weight is None else np.stack([add(weight * weight * each) for each in columns])
        products = [firsts]
        for i, first in enumerate(columns):
            known = [products[1 + j][i] for j in range(i)]
            made = [add(first * each if twice is None else twice * first * each) for each in columns[i:]]
            products.append(np.stack([*known, *made]))
        return cls(names, sums, np.stack(products), values.min(0, initial=np.inf))

    def over(self, cells: Adding) -> Amounts:
        """The same over other cells: `cells` makes them of sums by the cells that there are, whatever axes lead."""
        return Amounts(self.names, cells(self.sums), cells(self.products), self.least)

    def __add__(self, other: Amounts) -> Amounts:
        return Amounts(
            self.names, self.sums + other.sums, self.products + other.products, self.least_with(other)
        )

    def least_with(self, other: Amounts) -> Array | None:
        """The least of each amount over the rows of both, where it is known of both."""
        if self.least is None or other.least is None:
            return None
        return np.minimum(self.least, other.least)


def agreed(here: Amounts | None, there: Amounts | None) -> None:
    """Refuse to add tables of which one has other amounts than the other."""
    names = [() if each is None else each.names for each in (here, there)]
    if names[0] != names[1]:
        first, second = (", ".join(each) or "none" for each in names)
        raise MergeError(f"the amounts are {first} here and {second} there: assess both alike.")


def added(here: Amounts | None, there: Amounts | None) -> Amounts | None:
    """The amounts of two tables of the same cells together. Raises MergeError where they differ."""
    agreed(here, there)
    return None if here is None or there is None else here + there
