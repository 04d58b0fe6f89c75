"""One comparison: its document, that of a family of one, and its JSON."""

from __future__ import annotations

from typing import Any

from classay.comparison.comparison import Comparison
from classay.comparison.comparisons import Comparisons, row_of
from classay.report.document import Document
from classay.report.results import comparisons
from classay.report.results.parts import plain


def alone(found: Comparison) -> Comparisons:
    """The comparison as a family of its own; one of more than two models is a test of all of them."""
    if len(found.models) == 2:
        return Comparisons((found,), found.models, level=found.claimed_at)
    return Comparisons((), found.models, level=found.claimed_at, overall=(found,))


def document_of(found: Comparison) -> Document:
    """As that of comparisons, without facts of what was compared, which the family has."""
    return comparisons.document_of(alone(found))


def frame_of(found: Comparison) -> Any:
    """One row, with the columns of a frame of comparisons."""
    return Comparisons((found,), found.models).frame()


def as_dict(found: Comparison) -> dict[str, Any]:
    """The comparison as it stands among the others of a family, with the names of all that were compared."""
    return {"models": list(found.models)} | {name: plain(value) for name, value in row_of(found).items()}
