"""Where two documents differ, in a few words: a comparison of whole dicts would print pages and not the place."""

from __future__ import annotations

from math import isclose
from typing import Any


def unequal(one: Any, other: Any, digits: int = 12, at: str = "") -> list[str]:
    """The places where two results of `to_dict` differ, with both values.

    Numbers may differ in the last digits: the library that multiplies matrices is another on each processor, and
    does not promise more.
    """
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return [found for key in one for found in unequal(one[key], other[key], digits, f"{at}.{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = zip(one, other, strict=True)
        return [
            found for i, pair in enumerate(pairs) for found in unequal(*pair, digits=digits, at=f"{at}[{i}]")
        ]
    numbers = type(one) is float and type(other) is float
    same = isclose(one, other, rel_tol=10.0**-digits, abs_tol=1e-15) if numbers else one == other
    return [] if same else [f"{at}: {one!r} and {other!r}"]
