"""Remedies against bias: a learner that can say more than it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from classay.improving.remedies.against_variance import IS_ENSEMBLE, NO_SETTING, grid_of
from classay.improving.remedies.registry import remedy
from classay.improving.remedies.situation import MEMBERS, Situation

MOST_FEATURES = 30
"""Columns up to which their products are tried: 30 make 495."""


@remedy(
    "flexibility",
    "A more flexible setting",
    against="bias",
    reference="Hastie, Tibshirani & Friedman 2009, The Elements of Statistical Learning, 7",
)
def flexibility(situation: Situation) -> Any:
    """The learner's own settings, as they are or freer, chosen inside the training cases."""
    grid = grid_of(FREER, situation)
    return situation.searched(grid) if grid else NO_SETTING.format(do="free")


@remedy(
    "interactions",
    "Products of features",
    against="bias",
    reference="Hastie, Tibshirani & Friedman 2009, The Elements of Statistical Learning, 5",
)
def interactions(situation: Situation) -> Any:
    """A linear learner with all squares and products of two features, a family that holds its own."""
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler

    if not _is_linear(situation.model):
        return "it is not linear in its features"
    if situation.features is None:
        return "its features are no table of numbers"
    if situation.features > MOST_FEATURES:
        return f"it has more than {MOST_FEATURES} features, whose products are too many"
    products = PolynomialFeatures(2, include_bias=False)
    return situation.with_steps(StandardScaler(), products, StandardScaler(), situation.copy())


@remedy("boosting", "Boosting", against="bias", reference="Freund & Schapire 1997, JCSS 55:119")
def boosting(situation: Situation) -> Any:
    """AdaBoost of the learner by resampling: each member sees more of the cases that those before it got wrong."""
    from classay.ensembles import AdaBoost

    if situation.is_ensemble:
        return IS_ENSEMBLE
    return situation.with_model(AdaBoost(situation.copy(), MEMBERS))


@remedy(
    "gradient_boosting",
    "Gradient boosting",
    against="bias",
    reference="Friedman 2001, Annals of Statistics 29:1189",
)
def gradient_boosting(situation: Situation) -> Any:
    """A richer family: boosted trees, which follow steps and interactions of any order."""
    from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier

    if isinstance(situation.model, GradientBoostingClassifier | HistGradientBoostingClassifier):
        return "it is gradient boosting already"
    # its leaves hold 20 cases by default, which is most of a small training set
    leaf = max(1, min(20, situation.rows // 20))
    return situation.with_model(HistGradientBoostingClassifier(min_samples_leaf=leaf))


@remedy("stacking", "Stacking", against="bias", reference="Wolpert 1992, Neural Networks 5:241")
def stacking(situation: Situation) -> Any:
    """The learner with others of different kinds, and a combiner that learns from what they say out of fold."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from classay.ensembles import Stacking

    neighbours = KNeighborsClassifier(max(1, min(15, situation.rows // 10)))
    members = [
        ("learner", situation.copy()),
        ("logistic", make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))),
        ("neighbours", make_pipeline(StandardScaler(), neighbours)),
        ("bayes", GaussianNB()),
    ]
    return situation.with_model(Stacking(members, LogisticRegression(max_iter=1000)))


def _is_linear(model: Any) -> bool:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model._base import LinearClassifierMixin
    from sklearn.svm import SVC

    if isinstance(model, SVC):
        return bool(model.kernel == "linear")
    return isinstance(model, LinearClassifierMixin | LinearDiscriminantAnalysis)


def _depths(present: Any, rows: int) -> list[Any]:
    return [] if present is None else [2 * present, 4 * present, None]


def _smaller(present: Any, rows: int) -> list[Any]:
    """Fewer cases, down to one."""
    return (
        sorted({max(1, present // 3), max(1, present // 10), 1} - {present})
        if isinstance(present, int)
        else []
    )


FREER: dict[str, Callable[[Any, int], list[Any]]] = {
    "max_depth": _depths,
    "max_leaf_nodes": _depths,
    "min_samples_leaf": _smaller,
    "n_neighbors": _smaller,
    "C": lambda present, rows: [present * each for each in (10.0, 100.0, 1000.0)],
}
"""Settings that free a learner: the freer values to try, of the present one and the rows of training."""
