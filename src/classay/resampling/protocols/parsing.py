"""A protocol from its text."""

from __future__ import annotations

import re
from collections.abc import Callable
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
from classay.resampling.protocols.nested import ENOUGH, NestedCV
from classay.resampling.protocols.protocol import Protocol
from classay.resampling.protocols.splitters import of_splitter

_WHOLE, _SHARE = r"(\d+)", r"(0?\.\d+)"
_FORMS: dict[str, tuple[str, Callable[..., Protocol]]] = {
    "resubstitution": (r"resubstitution", Resubstitution),
    "holdout:0.33": (rf"holdout:{_SHARE}", lambda share: Holdout(float(share))),
    "holdout:0.33x30": (rf"holdout:{_SHARE}x{_WHOLE}", lambda share, r: Holdout(float(share), int(r))),
    "10fold": (rf"{_WHOLE}-?fold", lambda k: StratifiedKFold(int(k))),
    "10x10": (rf"{_WHOLE}x{_WHOLE}", lambda r, k: StratifiedKFold(int(k), int(r))),
    "loo": (r"loo|leave-one-out", LeaveOneOut),
    "time:5": (rf"time:{_WHOLE}", lambda k: TimeOrdered(int(k))),
    "bootstrap:200": (rf"bootstrap:{_WHOLE}", lambda b: Bootstrap(int(b))),
    "632:200": (rf"\.?632:{_WHOLE}", lambda b: Bootstrap632(int(b))),
    "632+:200": (rf"\.?632\+:{_WHOLE}", lambda b: Bootstrap632Plus(int(b))),
    "optimism:200": (rf"optimism:{_WHOLE}", lambda b: OptimismBootstrap(int(b))),
    "nested:10": (
        rf"nested:{_WHOLE}(?:x{_WHOLE})?",
        lambda k, r: NestedCV(int(k), ENOUGH if r is None else int(r)),
    ),
}
"""A sample of each form, which the error lists; the form itself; and what it makes. 5x2 is 5 repeats of 2 folds."""


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
        text = given.strip().casefold().replace(" ", "")
        for form, make in _FORMS.values():
            met = re.fullmatch(form, text)
            if met:
                return make(*met.groups())
        hint = nearest(text, _FORMS) or "."
        raise InputError(
            f"no protocol is named {given!r}{hint} There are {', '.join(_FORMS)}, with numbers of your choice."
        )
    if hasattr(given, "split") and not isinstance(given, type):
        return of_splitter(given)
    raise InputError(
        f"protocol is {given!r}: pass a text such as '10x10', a protocol such as classay.StratifiedKFold(10), or a "
        "splitter of scikit-learn."
    )
