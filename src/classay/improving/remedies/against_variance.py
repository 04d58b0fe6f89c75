"""Remedies against variance: more models that vote, and a learner that follows its own cases less."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from classay.improving.remedies.registry import remedy
from classay.improving.remedies.situation import MEMBERS, Situation

IS_ENSEMBLE = "it consists of many members already"
NO_SETTING = "none of its settings is known to {do} it"
LEAVES, NEIGHBOURS = (5, 10, 20, 50), (5, 9, 15, 25, 41, 61)


@remedy("bagging", "Bagging", against="variance", reference="Breiman 1996, Machine Learning 24:123")
def bagging(situation: Situation) -> Any:
    """Many of the learner, each fitted to a bootstrap sample; they vote."""
    from classay.ensembles import Bagging

    if situation.is_ensemble:
        return IS_ENSEMBLE
    return situation.with_model(Bagging(situation.copy(), MEMBERS))


@remedy("forest", "Random forest", against="variance", reference="Breiman 2001, Machine Learning 45:5")
def forest(situation: Situation) -> Any:
    """A forest of the learner's own trees; of any other learner it would be another family."""
    from sklearn.tree import DecisionTreeClassifier

    from classay.ensembles import RandomForest

    if not isinstance(situation.model, DecisionTreeClassifier):
        return "it is no tree"
    known = RandomForest(MEMBERS).get_params(deep=False)
    own = {
        name: value
        for name, value in situation.settings.items()
        if name in known and name not in ("max_features", "random_state")
    }
    return situation.with_model(RandomForest(MEMBERS).set_params(**own))


@remedy(
    "regularisation",
    "Regularisation",
    against="variance",
    reference="Hastie, Tibshirani & Friedman 2009, The Elements of Statistical Learning, 7",
)
def regularisation(situation: Situation) -> Any:
    """The learner's own settings, as they are or stricter, chosen inside the training cases."""
    grid = grid_of(STRICTER, situation)
    return situation.searched(grid) if grid else NO_SETTING.format(do="restrain")


def grid_of(
    choices: dict[str, Callable[[Any, int], list[Any]]], situation: Situation
) -> list[dict[str, list[Any]]]:
    """One grid for each setting that can be changed, the present value among its own."""
    grids: list[dict[str, list[Any]]] = []
    for name, others in choices.items():
        if name not in situation.settings:
            continue
        present = situation.settings[name]
        if found := others(present, situation.rows):
            grids.append({name: found if grids else [present, *found]})
    return grids


def _times(*factors: float) -> Callable[[Any, int], list[Any]]:
    """The present number times each factor."""
    return lambda present, rows: (
        [present * each for each in factors] if _is_number(present) and present > 0 else []
    )


def _above(least: tuple[int, ...], share: float) -> Callable[[Any, int], list[Any]]:
    """Whole numbers above the present one, up to a share of the rows."""
    return lambda present, rows: [
        each for each in least if _is_number(present) and present < each <= share * rows
    ]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


STRICTER: dict[str, Callable[[Any, int], list[Any]]] = {
    "min_samples_leaf": _above(LEAVES, 0.2),
    "ccp_alpha": lambda present, rows: [each for each in (0.003, 0.01, 0.03) if present < each],
    "C": _times(0.1, 0.01, 0.001),
    "n_neighbors": _above(NEIGHBOURS, 0.4),
    "var_smoothing": lambda present, rows: [each for each in (1e-3, 1e-2, 0.1, 1.0) if present < each],
    "l2_regularization": lambda present, rows: [each for each in (1.0, 10.0, 100.0) if present < each],
    "alpha": _times(10.0, 100.0, 1000.0),
}
"""Settings that restrain a learner: the stricter values to try, of the present one and the rows of training."""
