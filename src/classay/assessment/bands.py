"""Bands: groups that are single numbers, such as ages, combined into ranges of numbers."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from classay.assessment.assessing import Group
from classay.errors import InputError
from classay.kinds import shown
from classay.predictions import Predictions
from classay.texts import hint, listed, quote

Bands = Sequence[float] | str
"""Where bands begin, beside the first one; or "4q" for four bands of about as many cases each."""
Rows = TypeVar("Rows", bound=Any)
_QUANTILES = re.compile(r"(\d+)q")


def in_bands(rows: Rows, by: str, bands: Mapping[str, Bands] | Bands) -> Rows:
    """Checked rows whose groups are bands of numbers; `bands` are those of each column, or of the only one.

    The bands of `[18, 40]` are below 18, from 18 to below 40, and from 40 on; a group belongs to the band that its
    number lies in. The bands of "4q" have about a quarter of the cases each; equal numbers stay together. Bands stand
    in their order. Raises InputError for a column that makes no groups, for groups that are no numbers, and for edges
    that do not rise.
    """
    assert rows.group is not None
    labels: Sequence[Hashable] = rows.groups
    columns = labels[0].columns if isinstance(labels[0], Group) else (by,)
    wanted = dict(bands) if isinstance(bands, Mapping) else {columns[0]: bands}
    if unknown := [name for name in wanted if name not in columns]:
        use = hint("bands=", "--bands")
        raise InputError(
            f"{use} names {quote(unknown[0])}, but no groups are made by that column. Columns of groups: "
            f"{listed([quote(each) for each in columns])}."
        )
    if not isinstance(bands, Mapping) and len(columns) > 1:
        raise InputError(f"Name the column of the bands: bands={{{columns[0]!r}: {shown(bands)}}}.")
    recorded, times = rows.group >= 0, _times(rows)
    times = None if times is None else times[recorded]
    cases = np.bincount(rows.group[recorded], times, len(labels)).astype(np.float64)
    new: list[tuple[tuple[int, Hashable], ...]] = [() for _ in labels]
    for place, name in enumerate(columns):
        own = [label[place] if isinstance(label, Group) else label for label in labels]
        placed = _placed(own, cases, name, wanted[name]) if name in wanted else [(0, each) for each in own]
        new = [(*before, each) for before, each in zip(new, placed, strict=True)]
    keys = [tuple(each) for each in new]
    first: dict[Any, int] = {}
    for key in _sorted(keys, is_single=len(columns) == 1):
        first.setdefault(key, len(first))
    codes = np.array([*(first[key] for key in keys), -1], np.int64)  # -1, no recorded group, stays
    made = tuple(
        Group(columns, [text for _, text in key]) if len(columns) > 1 else key[0][1] for key in first
    )
    changed: dict[str, Any] = {"group": np.where(recorded, codes[rows.group], -1), "groups": made}
    if isinstance(rows, Predictions):
        changed["groups_are_ordered"] = len(columns) == 1
    return replace(rows, **changed)


def _sorted(keys: list[Any], *, is_single: bool) -> list[Any]:
    """The bands of one column in their order; combinations of columns as they came."""
    return sorted(keys, key=lambda key: key[0][0]) if is_single else keys


def _times(rows: Any) -> NDArray[np.float64] | None:
    """How many cases each row is, None for one each."""
    found = getattr(rows, "frequency", None)
    return None if found is None else np.asarray(found, np.float64)


def _placed(labels: Sequence[Any], cases: Any, name: str, bands: Bands) -> list[tuple[int, str]]:
    """The number and the name of the band of each label."""
    if not all(
        isinstance(each, int | float | np.number) and not isinstance(each, bool) and isfinite(each)
        for each in labels
    ):
        odd = next(
            each for each in labels if isinstance(each, bool) or not isinstance(each, int | float | np.number)
        )
        raise InputError(f"Bands need numbers, but column {quote(name)} has {quote(odd)}. Remove its bands.")
    values = np.array([float(each) for each in labels])
    edges = _edges(values, cases, name, bands)
    codes = np.searchsorted(edges, values, side="right")
    return [(int(code), _named(edges, int(code))) for code in codes]


def _named(edges: NDArray[np.float64], code: int) -> str:
    """The name of a band.

    >>> [_named(np.array([18.0, 40.5]), code) for code in range(3)]
    ['below 18', '18 to below 40.5', '40.5 or more']
    """
    if code == 0:
        return f"below {edges[0]:.12g}"
    if code == edges.size:
        return f"{edges[-1]:.12g} or more"
    return f"{edges[code - 1]:.12g} to below {edges[code]:.12g}"


def _edges(values: NDArray[np.float64], cases: Any, name: str, bands: Bands) -> NDArray[np.float64]:
    if isinstance(bands, str):
        match = _QUANTILES.fullmatch(bands.strip())
        if match is None or int(match[1]) < 2:
            raise InputError(
                f"Bands of {quote(name)} are {quote(bands)}. Use rising numbers, such as 18,40,65, or 4q for four "
                "bands with about equal numbers of cases."
            )
        return _quantiles(values, cases, int(match[1]))
    try:
        edges = np.array([float(each) for each in bands], np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"Bands of {quote(name)} are {shown(bands)}. Pass rising numbers, or a text such as '4q'."
        ) from None
    if not edges.size or not np.isfinite(edges).all() or (np.diff(edges) <= 0).any():
        raise InputError(f"Bands of {quote(name)} must be rising numbers, such as 18, 40, 65.")
    return edges


def _quantiles(values: NDArray[np.float64], cases: Any, number: int) -> NDArray[np.float64]:
    """Where so many bands of about as many cases begin: equal numbers stay in one band.

    >>> _quantiles(np.array([1.0, 2.0, 3.0, 4.0]), np.array([10.0, 10.0, 10.0, 10.0]), 2)
    array([3.])
    """
    own, place = np.unique(values, return_inverse=True)
    counts = np.bincount(place.ravel(), cases)
    before = np.cumsum(counts) - counts
    targets = counts.sum() * np.arange(1, number) / number
    starts = {int(np.argmin(np.abs(before - target))) for target in targets} - {0}
    if not starts:
        raise InputError("Bands need at least two different numbers.")
    return own[sorted(starts)]


def bands_named(texts: Sequence[str]) -> dict[str, Bands]:
    """Bands as the command writes them: COL=18,40,65 or COL=4q.

    >>> bands_named(["age=18,40", "dose=4q"])
    {'age': [18.0, 40.0], 'dose': '4q'}
    """
    found: dict[str, Bands] = {}
    for text in texts:
        name, is_named, given = text.rpartition("=")
        try:
            numbers = (
                [float(each) for each in given.split(",")]
                if not _QUANTILES.fullmatch(given.strip())
                else None
            )
        except ValueError:
            is_named = ""
        if not is_named or not name or name in found:
            raise InputError(f"--bands is {quote(text)}. Use COL=18,40,65 or COL=4q, once for each column.")
        found[name] = given.strip() if numbers is None else numbers
    return found
