"""The JSON of one comparison."""

from __future__ import annotations

from typing import Any

from classay.comparison.comparison import Comparison
from classay.comparison.comparisons import row_of
from classay.report.contract.writer import plain


def as_dict(found: Comparison) -> dict[str, Any]:
    """The comparison as it stands among the others of a family, with the names of all that were compared."""
    return {"models": list(found.models)} | {name: plain(value) for name, value in row_of(found).items()}
