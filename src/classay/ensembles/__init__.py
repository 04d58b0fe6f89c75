"""Ensembles of classifiers: assess any ensemble of scikit-learn by the votes of its members.

`assess` gives the error of a fitted ensemble against the number of members, in and out of bag and on new cases, its
margins, and how far its members agree; `assess_all` does so for several kinds on the same cases. AdaBoost by
resampling, and Stacking with groups or in sample, are here because scikit-learn lacks them.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from classay.ensembles.ensemble_assessment import EnsembleAssessment, assess
    from classay.ensembles.former import Bagging, RandomForest
    from classay.ensembles.growth import Diversity, Growth, Plateau
    from classay.ensembles.learners import AdaBoost, Stacking
    from classay.ensembles.members import Rounds
    from classay.ensembles.several import EnsembleAssessments, assess_all

__all__ = [
    "AdaBoost",
    "Bagging",
    "Diversity",
    "EnsembleAssessment",
    "EnsembleAssessments",
    "Growth",
    "Plateau",
    "RandomForest",
    "Rounds",
    "Stacking",
    "assess",
    "assess_all",
]
_MODULES = ("ensemble_assessment", "former", "growth", "learners", "members", "several")


def __getattr__(name: str) -> Any:
    """A name of `__all__`, with scikit-learn, which the help of `classay ensemble` does not need."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if find_spec("sklearn") is None:
        from classay.errors import MissingExtraError

        raise MissingExtraError("fitting ensembles", "train")
    modules = (import_module(f"{__name__}.{module}") for module in _MODULES)
    return next(getattr(module, name) for module in modules if name in vars(module))


def __dir__() -> list[str]:
    return sorted(__all__)
