"""Ensembles of classifiers: what can be told of any of scikit-learn's from the votes of its members.

`assess` tells of a fitted ensemble its error against the number of members, in and out of bag and on new cases, its
margins, and how far its members agree; `assess_all` does so of several kinds on the same cases. AdaBoost by
resampling, and Stacking with groups or in sample, are what scikit-learn lacks.
"""

try:
    import sklearn as _sklearn  # noqa: F401
except ImportError as error:
    from classay.errors import MissingExtraError

    raise MissingExtraError("ensembles are scikit-learn's, and", "train") from error

from classay.ensembles.ensemble_assessment import EnsembleAssessment, assess
from classay.ensembles.growth import Diversity, Growth, Plateau
from classay.ensembles.learners import (
    AdaBoost,
    Bagging,
    EnsembleAssessments,
    RandomForest,
    Stacking,
    assess_all,
)
from classay.ensembles.members import Rounds

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
