"""Adjusting the p-values of a family of tests, so that one family makes few false claims."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.errors import InputError, nearest

Array = NDArray[Any]


def bonferroni(p: Array) -> Array:
    """m · p: holds the chance of any false claim in the family, under any dependence. Dunn 1961."""
    return np.asarray(np.minimum(p.size * p, 1))


def holm(p: Array) -> Array:
    """Step-down Bonferroni: holds the same chance under any dependence, and is never weaker. Holm 1979."""
    order = np.argsort(p)
    stepped = np.maximum.accumulate((p.size - np.arange(p.size)) * p[order])
    return np.asarray(np.minimum(_back(stepped, order), 1))


def hochberg(p: Array) -> Array:
    """Step-up: for independent or positively dependent tests. Hochberg 1988, Biometrika 75:800."""
    order = np.argsort(p)[::-1]
    return _back(np.minimum.accumulate((1 + np.arange(p.size)) * p[order]), order)


def hommel(p: Array) -> Array:
    """Closed testing by Simes' test: for independent or positively dependent tests. Hommel 1988, Biometrika 75:383.

    The adjusted p-value is the greatest Simes p-value of all subfamilies that hold the test. Among those of one
    size the greatest joins it with the largest p-values, so that m subfamilies are enough.
    """
    order = np.argsort(p)
    ranked, m = p[order], p.size
    found = ranked.copy()
    for size in range(2, m + 1):
        largest = ranked[m - size :]
        of_largest = (size / (1 + np.arange(size)) * largest).min()
        with_others = (size / (2 + np.arange(size - 1)) * ranked[m - size + 1 :]).min()
        inside = np.arange(m) >= m - size
        found = np.maximum(found, np.where(inside, of_largest, np.minimum(size * ranked, with_others)))
    return _back(found, order)


def benjamini_hochberg(p: Array) -> Array:
    """Holds the expected share of false claims among the claims, for independent or positively dependent tests.

    Benjamini & Hochberg 1995, JRSS B 57:289.
    """
    order = np.argsort(p)[::-1]
    return _back(np.minimum.accumulate(p.size / (p.size - np.arange(p.size)) * p[order]), order)


def benjamini_yekutieli(p: Array) -> Array:
    """Holds the expected share of false claims under any dependence. Benjamini & Yekutieli 2001, Ann. Stat. 29:1165."""
    return np.asarray(np.minimum((1 / (1 + np.arange(p.size))).sum() * benjamini_hochberg(p), 1))


METHODS: dict[str, tuple[str, Callable[[Array], Array]]] = {
    "holm": ("Holm", holm),
    "bonferroni": ("Bonferroni", bonferroni),
    "hommel": ("Hommel", hommel),
    "hochberg": ("Hochberg", hochberg),
    "benjamini_hochberg": ("Benjamini–Hochberg", benjamini_hochberg),
    "benjamini_yekutieli": ("Benjamini–Yekutieli", benjamini_yekutieli),
}
"""Adjustments by name: the name that is printed, and the function."""


def adjust(p: ArrayLike, method: str = "holm") -> Array:
    """The p-values of one family, shape `(tests,)`, adjusted: claim what is at most α.

    `method` is one of `METHODS`. The first four hold the chance of any false claim, the last two the share of
    false claims. A NaN is no test: it stays NaN and does not count. Raises InputError for an unknown method, or
    for values outside [0, 1].

    >>> adjust([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    given = np.atleast_1d(np.asarray(p, np.float64))
    if given.ndim != 1 or ((given < 0) | (given > 1)).any():
        raise InputError(f"p-values are {p!r}: pass a list of numbers from 0 to 1.")
    found, tested = given.copy(), ~np.isnan(given)
    if tested.any():
        found[tested] = adjustment_of(method)[1](given[tested])
    return found


def adjustment_of(method: str) -> tuple[str, Callable[[Array], Array]]:
    """The printed name and the function of an adjustment. Raises InputError for an unknown one."""
    if method not in METHODS:
        near = nearest(str(method), METHODS) or "."
        raise InputError(f"adjustment {method!r} is not known{near} Pass one of {', '.join(METHODS)}.")
    return METHODS[method]


def _back(values: Array, order: Array) -> Array:
    """Values in sorted order, put back where they came from."""
    found = np.empty_like(values)
    found[order] = values
    return found
