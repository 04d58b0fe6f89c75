"""All remedies that are known: the modules imported here make up the registry."""

from __future__ import annotations

from collections.abc import Sequence

from classay.errors import InputError, nearest
from classay.improving.remedies import against_bias, against_imbalance, against_variance  # noqa: F401
from classay.improving.remedies.registry import REMEDIES, Remedy


def remedies_named(names: Sequence[str]) -> tuple[Remedy, ...]:
    """Remedies by their names, each once. Raises InputError for one that is unknown."""
    for name in names:
        if name not in REMEDIES:
            near = nearest(str(name), REMEDIES) or "."
            raise InputError(f"there is no remedy {name!r}{near} There are {', '.join(REMEDIES)}.")
    return tuple(REMEDIES[name] for name in dict.fromkeys(names))


def remedies_against(causes: Sequence[str]) -> tuple[Remedy, ...]:
    """All remedies against these causes, in the order in which they are tried."""
    return tuple(each for each in REMEDIES.values() if each.against in causes)
