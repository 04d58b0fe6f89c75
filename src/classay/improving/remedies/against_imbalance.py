"""Remedies against imbalance: the rare class counts for more in training, inside each fold."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from classay.improving.remedies.registry import remedy
from classay.improving.remedies.situation import Situation

REFERENCE = "He & Garcia 2009, IEEE Transactions on Knowledge and Data Engineering 21:1263"


@remedy("class_weights", "Class weights", against="imbalance", reference=REFERENCE)
def class_weights(situation: Situation) -> Any:
    """Errors of each class count as if all classes had as many cases."""
    if "class_weight" not in situation.settings:
        return "it takes no class weights"
    if situation.settings["class_weight"] is not None:
        return "it has class weights already"
    return situation.with_model(situation.copy(class_weight="balanced"))


@remedy("oversampling", "Oversampling", against="imbalance", reference=REFERENCE)
def oversampling(situation: Situation) -> Any:
    """Cases of the rare class are repeated until all classes have as many, in the training cases of each fold alone."""
    if find_spec("imblearn") is None:
        return "imbalanced-learn is not installed"
    from imblearn.over_sampling import RandomOverSampler  # type: ignore[import-untyped]

    return situation.with_steps(RandomOverSampler(), situation.copy())
