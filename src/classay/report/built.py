"""Which function builds the document, JSON or page of a kind of result: the core's, or that of a wing."""

from __future__ import annotations

from typing import Any

from classay.wings import brought, thing


def built(result: Any, what: str) -> Any:
    """The function that makes `what` of a result, such as "document_of"; None where its kind has no such function."""
    places = {**brought("results"), **brought("parts")}
    kind = next(kind.__name__ for kind in type(result).__mro__ if kind.__name__ in places)
    module, _, suffix = places[kind].partition(":")
    name = f"{what.removesuffix('_of')}_of_{suffix}" if suffix else what
    return getattr(thing(module), name, None)
