"""Where two documents differ, in a few words: a comparison of whole dicts would print pages and not the place."""

from __future__ import annotations

from typing import Any


def unequal(one: Any, other: Any, at: str = "") -> list[str]:
    """The places where two results of `to_dict` differ, with both values."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return [found for key in one for found in unequal(one[key], other[key], f"{at}.{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [found for i, pair in pairs for found in unequal(*pair, at=f"{at}[{i}]")]
    return [] if one == other else [f"{at}: {one!r} and {other!r}"]
