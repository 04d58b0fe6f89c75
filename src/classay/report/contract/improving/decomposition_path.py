"""The JSON of decompositions over a parameter: docs/decomposition-path.schema.json."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from classay.report.contract.improving.decomposition import as_dict as of_one
from classay.report.contract.writer import plain

if TYPE_CHECKING:
    from classay.improving.path import DecompositionPath

SCHEMA = 1


def as_dict(p: DecompositionPath) -> dict[str, Any]:
    """The path as values that JSON knows: the whole decomposition at each value."""
    from classay import __version__

    return {
        "schema": SCHEMA,
        "classay": __version__,
        "parameter": p.parameter,
        "points": [
            {"value": plain(value), "decomposition": of_one(each)}
            for value, each in zip(p.values, p.decompositions, strict=True)
        ],
    }
