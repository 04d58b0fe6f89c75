"""Names: a protocol from its text, estimators from their classes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from classay.errors import InputError, nearest
from classay.resampling.bootstraps import Bootstrap, Bootstrap632, Bootstrap632Plus, OptimismBootstrap
from classay.resampling.folds import LeaveOneOut, StratifiedKFold, TimeOrdered
from classay.resampling.nested import ENOUGH, NestedCV
from classay.resampling.protocols import Holdout, Protocol, Resubstitution
from classay.resampling.splitters import of_splitter

BASELINE = "baseline"
"""The name of the model that says the class shares of its training, and so the most frequent class."""

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


def named(estimators: Any) -> dict[str, Any]:
    """Estimators by name: of one, of several, or as they are named. Raises InputError for what is no estimator."""
    if isinstance(estimators, Mapping):
        found = {str(name): each for name, each in estimators.items()}
    elif isinstance(estimators, list | tuple):
        found = dict(zip(numbered([name_of(each) for each in estimators]), estimators, strict=True))
    else:
        found = {name_of(estimators): estimators}
    if not found:
        raise InputError("there are no estimators: pass one, a list, or a mapping {name: estimator}.")
    for name, each in found.items():
        if isinstance(each, type):
            raise InputError(f"{name} is a class: pass an object, {each.__name__}().")
        if not (hasattr(each, "fit") and hasattr(each, "predict") and hasattr(each, "get_params")):
            raise InputError(
                f"{name} is a {type(each).__name__}: pass an estimator with fit, predict and get_params, as "
                "scikit-learn has them."
            )
    if BASELINE in found:
        raise InputError(
            f"{BASELINE!r} is the name of the majority baseline, which always runs: name yours otherwise."
        )
    return found


def name_of(estimator: Any) -> str:
    """The class of an estimator, of a pipeline its last step's, of a search that of what it tunes."""
    if isinstance(estimator, type):
        return estimator.__name__
    if getattr(estimator, "steps", None):
        return name_of(estimator.steps[-1][1])
    if hasattr(estimator, "best_params_") or hasattr(estimator, "refit"):
        return f"{name_of(estimator.estimator)} tuned"
    return type(estimator).__name__


def numbered(names: Iterable[str]) -> list[str]:
    """The names, with a number after each that came before."""
    made: list[str] = []
    for name in names:
        again = sum(
            other == name or re.fullmatch(re.escape(name) + r" \d+", other) is not None for other in made
        )
        made.append(name if not again else f"{name} {again + 1}")
    return made
