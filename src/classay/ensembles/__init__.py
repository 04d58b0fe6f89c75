"""Ensembles of classifiers: assess any ensemble of scikit-learn by the votes of its members.

`assess` gives the error of a fitted ensemble against the number of members, in and out of bag and on new cases, its
margins, and how far its members agree; `assess_all` does so for several kinds on the same cases. AdaBoost by
resampling, and Stacking with groups or in sample, are here because scikit-learn lacks them.
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
