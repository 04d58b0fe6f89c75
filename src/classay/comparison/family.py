"""A family of comparisons: which pairs of models belong to it, and their adjusted p-values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import isnan
from typing import TYPE_CHECKING

from classay.errors import InputError, nearest
from classay.inference.multiplicity import adjust, adjustment_of

if TYPE_CHECKING:
    from classay.comparison.comparison import Comparison


def pairs(models: Sequence[str], control: str | None = None) -> list[tuple[str, str]]:
    """All pairs of models in their order; with a control, each other model beside it.

    >>> pairs(["a", "b", "c"]), pairs(["a", "b", "c"], "b")
    ([('a', 'b'), ('a', 'c'), ('b', 'c')], [('a', 'b'), ('c', 'b')])
    """
    if control is None:
        return list(combinations(models, 2))
    if control not in models:
        near = nearest(str(control), models) or "."
        raise InputError(f"the control {control!r} is no model{near} The models are {', '.join(models)}.")
    return [(model, control) for model in models if model != control]


def adjusted(comparisons: Sequence[Comparison], method: str = "holm") -> list[Comparison]:
    """Comparisons of one family, each with its adjusted p-value. Raises InputError for an unknown method."""
    title = adjustment_of(method)[0]
    found = adjust([each.p for each in comparisons], method) if comparisons else ()
    tests = sum(not isnan(each.p) for each in comparisons)
    return [each.adjusted(float(p), title, tests) for each, p in zip(comparisons, found, strict=True)]
