"""Which pairs of models are compared: all, or each with a control."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from classay.errors import InputError, nearest


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
