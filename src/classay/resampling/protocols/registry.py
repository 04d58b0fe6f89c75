"""The registry of protocols, which the parser, help, errors and documents read."""

from __future__ import annotations

from typing import Any

from classay.errors import InputError, nearest
from classay.resampling.protocols.bootstraps import (
    Bootstrap,
    Bootstrap632,
    Bootstrap632Plus,
    OptimismBootstrap,
)
from classay.resampling.protocols.holdout import Holdout, Resubstitution
from classay.resampling.protocols.k_folds import LeaveOneOut, StratifiedKFold, TimeOrdered
from classay.resampling.protocols.nested import NestedCV
from classay.resampling.protocols.protocol import Protocol
from classay.resampling.protocols.sized import SizedKFold
from classay.resampling.protocols.splitters import of_splitter

PROTOCOLS: tuple[type[Protocol], ...] = (
    StratifiedKFold,
    SizedKFold,
    Holdout,
    LeaveOneOut,
    TimeOrdered,
    Bootstrap,
    Bootstrap632,
    Bootstrap632Plus,
    OptimismBootstrap,
    NestedCV,
    Resubstitution,
)
"""Every protocol that has a text, in the order of help and documents."""


def samples() -> list[str]:
    """A sample of each form of each protocol."""
    return [sample for kind in PROTOCOLS for sample in kind.about.forms]


def protocol_of(given: Any) -> Protocol:
    """A protocol from its text, or from a splitter of scikit-learn; a protocol stays as it is.

    >>> protocol_of("10x10")
    StratifiedKFold(folds=10, repeats=10)
    >>> protocol_of("holdout:0.33").name
    'holdout:0.33'
    """
    if isinstance(given, Protocol):
        return given
    if isinstance(given, str):
        return _named(given)
    if hasattr(given, "split") and not isinstance(given, type):
        return of_splitter(given)
    raise InputError(
        f"protocol is {given!r}: pass a text such as '10x10', a protocol such as classay.StratifiedKFold(10), or a "
        "splitter of scikit-learn."
    )


def _named(given: str) -> Protocol:
    text = given.strip().casefold().replace(" ", "")
    for kind in PROTOCOLS:
        if (found := kind.about.read(text, kind)) is not None:
            return found
    hint = nearest(text, samples()) or "."
    raise InputError(
        f"no protocol is named {given!r}{hint} There are {', '.join(samples())}, with numbers of your choice."
    )
