"""A measure as a scorer of scikit-learn, for its searches and its cross-validation."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from classay.assessment.assessing import assess
from classay.columns import code_labels, match_label
from classay.columns.values import plain
from classay.errors import InputError
from classay.inference.words import direction
from classay.kinds import checked
from classay.measures import Measure, get
from classay.measures.conditions import NOT_PROBABILITIES

OF_LABELS = ("counts", "margins", "matrix")
RESPONSES = {
    "scores": ("decision_function", "predict_proba"),
    "probabilities": ("predict_proba",),
    "class_scores": ("predict_proba", "decision_function"),
    "cases": ("predict_proba",),
}
"""What an estimator is asked for, the first that it has: ranks are finest before they are squeezed into [0, 1]."""
EITHER_WAY = (
    "roc_auc",
    "gini",
    "kolmogorov_smirnov",
    "log_loss",
    "log_loss_skill",
    "brier_score",
    "brier_skill",
)
"""Measures of the scores of two classes that are the same whichever class is called positive."""


@dataclass(eq=True)
class Scorer:
    """A measure of what a fitted estimator says, as scikit-learn's searches take it: greater is better.

    Call it with the estimator, features and labels, and sampling weights if there are any. It is made by `scorer`.
    """

    measure: str
    positive: Hashable | None = None
    threshold: float | None = None
    requests: dict[str, Any] = field(default_factory=dict)

    def __call__(self, estimator: Any, X: Any, y_true: Any, sample_weight: Any = None) -> float:
        """The measure, negated where less is better; NaN where it is undefined on these cases."""
        measure = get(self.measure)
        known = _classes_of(estimator)
        said: dict[str, Any] = {"weight": sample_weight, "labels": _with_those_of(known, y_true)}
        if len(known) == 2 and len(said["labels"]) == 2:
            said["positive"] = self._positive(known, measure)
        if measure.needs in OF_LABELS and self.threshold is None:
            a = assess(y_true, y_pred=estimator.predict(X), **said)
        else:
            a = assess(y_true, _scores(estimator, X, measure, known, said), threshold=self.threshold, **said)
        table = a.table(measure)
        if isinstance(table, str):
            raise InputError(f"{measure.name} cannot be had of {type(estimator).__name__}: {table}.")
        return direction(measure.name) * float(measure(table))

    def _positive(self, labels: list[Hashable], measure: Measure) -> Hashable | None:
        """The positive label: that of the measure, else the one given; the second where the measure is the same."""
        if measure.label is not None:
            return match_label(measure.label, labels)
        if self.positive is not None:
            return self.positive
        is_same = measure.name in EITHER_WAY or measure.needs in ("margins", "matrix")
        return labels[1] if is_same and self.threshold is None else None

    def get_metadata_routing(self) -> Any:
        """What scikit-learn should pass on to it: see `set_score_request`."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        for name, alias in self.requests.items():
            request.score.add_request(param=name, alias=alias)
        return request

    def set_score_request(self, *, sample_weight: bool | str | None = None) -> Scorer:
        """The same scorer, asking for the weights when scikit-learn's metadata routing is on."""
        return Scorer(self.measure, self.positive, self.threshold, {"sample_weight": sample_weight})

    def __repr__(self) -> str:
        settings = {"positive": self.positive, "threshold": self.threshold}
        parts = [repr(self.measure), *(f"{k}={v!r}" for k, v in settings.items() if v is not None)]
        return f"scorer({', '.join(parts)})"


@checked
def scorer(
    measure: str | Measure, *, positive: Hashable | None = None, threshold: float | None = None
) -> Scorer:
    """A measure as a scorer for `GridSearchCV`, `cross_val_score` and all of scikit-learn that takes `scoring=`.

    Measures of labels ask the estimator to `predict`, or cut its scores of the positive class at the `threshold` given;
    measures that only rank ask for `decision_function`, else `predict_proba`; those of probabilities for
    `predict_proba`. Greater is better: a loss is negated. `positive` names the positive class of two, which 0/1 and
    booleans need not; of several classes name one in the measure, `scorer("recall[other]")`. A `sample_weight` is a
    sampling weight. Where the measure is undefined, in a fold without positives, the score is NaN.

    Log-loss is infinite, and its score -inf, where the true class of a case was given the probability 0, as a leaf of
    one class gives it, or a model whose training folds lacked that class. It is not clipped, because the loss would
    then depend on where: such a model loses every search. scikit-learn clips in the first case and raises in the
    second. `scorer("brier_score")` is finite for every model.

    Raises UnknownMeasureError for an unknown measure, and InputError for one of which neither more nor less is better.
    A measure of one class, such as "f1", raises UnknownMeasureError for several classes, with the names of its
    averages. The classes are known in the first fold, where scikit-learn makes NaN and a warning of any error: pass
    `error_score="raise"` to it, and the search stops there.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    >>> cross_val_score(tree, X, y, scoring=scorer("matthews_correlation")).round(2)
    array([0.81, 0.83, 0.87, 0.85, 0.87])
    >>> scorer("log_loss")
    scorer('log_loss')
    """
    known = get(measure)
    if direction(known.name) == 0:
        raise InputError(
            f"of {known.name} neither more nor less is better, so that no search can follow it: pass a measure with a "
            "best value at one end of its range."
        )
    return Scorer(known.name, plain(positive) if positive is not None else None, threshold)


def _classes_of(estimator: Any) -> list[Hashable]:
    """The classes that a fitted estimator knows. Raises InputError where it names none, or not one after another."""
    labels = getattr(estimator, "classes_", None)
    name = type(estimator).__name__
    if labels is None:
        raise InputError(f"{name} has no classes_: a scorer is for fitted classifiers.")
    found = np.asarray(labels)
    if found.ndim != 1 or not found.size:
        raise InputError(
            f"classes_ of {name} has shape {found.shape}: a scorer is for classifiers with one list of classes."
        )
    return [plain(label) for label in found.tolist()]


def _with_those_of(known: list[Hashable], y_true: Any) -> list[Hashable]:
    """The classes of the estimator, then those that only the truth has."""
    return known + [label for label in code_labels(y_true, "truth").labels if label not in known]


def _scores(estimator: Any, X: Any, measure: Measure, known: list[Hashable], said: dict[str, Any]) -> Any:
    """The scores that the measure needs: of the positive class of two, or of all classes in the order of the labels."""
    wanted = RESPONSES.get(measure.needs, ("predict_proba", "decision_function"))
    if NOT_PROBABILITIES in measure.undefined:
        wanted = ("predict_proba",)
    method = next((name for name in wanted if hasattr(estimator, name)), None)
    if method is None:
        raise InputError(
            f"{measure.name} needs {' or '.join(wanted)}, and {type(estimator).__name__} has none: choose a measure of "
            "labels, or an estimator with scores."
        )
    found = np.asarray(getattr(estimator, method)(X))
    labels = said["labels"]
    if found.shape[1:] not in ((len(known),), ()) or found.ndim == 0 or (found.ndim == 1 and len(known) != 2):
        raise InputError(
            f"{method} of {type(estimator).__name__} gives scores of shape {found.shape} for {len(known)} classes: "
            f"{measure.name} needs one for each."
        )
    if len(labels) == 2 and len(known) == 2:
        positive = said["positive"]
        at = known.index(_one_of(positive, known))
        if found.ndim == 1:  # decision values of the second class
            return found if at == 1 else -found
        return found[:, at]
    if found.ndim == 1:
        raise InputError(
            f"truth holds {labels[len(known)]!r}, and {type(estimator).__name__} was fitted to {known[0]!r} and "
            f"{known[1]!r}: {measure.name} needs a score for each class, and {method} gives one for the two."
        )
    absent = np.full(
        (found.shape[0], len(labels) - len(known)), 0.0 if method == "predict_proba" else -np.inf
    )
    return np.concatenate([found, absent], axis=1)


def _one_of(positive: Hashable | None, known: list[Hashable]) -> Hashable:
    """The positive label among those of the estimator; 1 or True by default."""
    from classay.columns import zero_one

    if positive is not None:
        return match_label(positive, known)
    pair = zero_one(known)
    if pair is None:
        raise InputError(
            f"the classes are {known[0]!r} and {known[1]!r}: say which is positive, scorer(…, positive={known[1]!r})."
        )
    return pair[1]
