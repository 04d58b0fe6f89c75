"""Estimators by name: as they were named, or from their classes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from classay.errors import InputError
from classay.resampling.baseline import BASELINE
from classay.texts import an


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
        if missing_methods(each):
            raise InputError(
                f"{name} is {an(type(each).__name__)}: pass an estimator with fit, predict and get_params, as "
                "scikit-learn has them."
            )
    if BASELINE in found:
        raise InputError(
            f"{BASELINE!r} is the name of the majority baseline, which always runs: name yours otherwise."
        )
    return found


def missing_methods(estimator: Any) -> list[str]:
    """Those of fit, predict and get_params that a learner needs and will not have.

    An estimator may hide `predict` until it is fitted: scikit-learn's StackingClassifier does while it has no combiner,
    and so do pipelines and searches of one. What scikit-learn calls a classifier predicts once it is fitted.
    """
    lacking = [method for method in ("fit", "predict", "get_params") if not hasattr(estimator, method)]
    return [] if lacking == ["predict"] and _is_classifier(estimator) else lacking


def _is_classifier(estimator: Any) -> bool:
    from sklearn.base import is_classifier

    try:
        return bool(is_classifier(estimator))
    except (AttributeError, TypeError):  # it has no tags, or is composed of what has none
        return False


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
