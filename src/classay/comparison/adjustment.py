"""Comparisons of one family with their adjusted p-values."""

from __future__ import annotations

from collections.abc import Sequence

from classay.comparison.comparison import Comparison
from classay.inference.multiplicity import adjust, adjustment_of


def adjusted(comparisons: Sequence[Comparison], method: str = "holm") -> list[Comparison]:
    """Comparisons of one family, each with its adjusted p-value. Raises InputError for an unknown method."""
    title = adjustment_of(method)[0]
    found = adjust([each.p for each in comparisons], method) if comparisons else ()
    return [each.adjusted(float(p), title) for each, p in zip(comparisons, found, strict=True)]
