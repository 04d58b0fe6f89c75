"""Ensembles of classifiers with the API of scikit-learn, and what can be told from the votes of their members.

Bagging, RandomForest, AdaBoost and Stacking; each `assess`es itself: its error against the number of members in and out
of bag and on new cases, its margins, and how far its members agree.
"""

try:
    import sklearn as _sklearn  # noqa: F401
except ImportError as error:
    from classay.errors import MissingExtraError

    raise MissingExtraError("ensembles are scikit-learn's, and", "train") from error

from classay.ensembles.adaboost import AdaBoost
from classay.ensembles.assessment import EnsembleAssessment
from classay.ensembles.bagging import Bagging
from classay.ensembles.diversity import Diversity
from classay.ensembles.forest import RandomForest
from classay.ensembles.growth import Growth, Plateau
from classay.ensembles.stacking import Stacking

__all__ = [
    "AdaBoost",
    "Bagging",
    "Diversity",
    "EnsembleAssessment",
    "Growth",
    "Plateau",
    "RandomForest",
    "Stacking",
]
