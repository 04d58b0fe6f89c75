"""Balancing: an estimator fitted to classes of equal size, whose probabilities are those of the shares before.

What balances is part of the learner, so that it sees the training cases of each fold and no others. In a pipeline it
stands around the last step, in a search around what is tuned: copies of a case never lie on both sides of a split.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import has_fit_parameter

from classay.columns.numbers import unrounded
from classay.errors import InputError, MissingExtraError, check_word
from classay.resampling.data import Balance
from classay.resampling.searches import search_in
from classay.texts import an

Array = NDArray[Any]
COPYING = ("upsample", "smote")
NEIGHBOURS = 5
SPACES = ("param_grid", "param_distributions", "search_spaces", "param_space")
"""Where searches keep what they try."""
WEIGHING = {
    *("class_weight", "class_weights", "auto_class_weights", "scale_pos_weight", "is_unbalance"),
    *("priors", "class_prior"),
}
"""Settings of learners by which classes count otherwise than they occur in training."""


def _has(name: str) -> Any:
    def check(balanced: Balanced) -> bool:
        getattr(getattr(balanced, "estimator_", balanced.estimator), name)
        return True

    return check


class Balanced(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier fitted to classes of equal size, which then predicts for the shares that they had before.

    `method` is "upsample" (draw cases of the smaller classes again), "downsample" (draw as many of each class as the
    smallest has), "smote" (make cases between neighbours of the smaller classes, by imbalanced-learn) or "weights".
    Labels are those of the balanced model, which makes as much of an error of each class. Probabilities p, of a model
    trained at equal shares, are corrected to the shares π of the training cases, p' ∝ p π (Saerens, Latinne &
    Decaestecker 2002, Neural Computation 14:21). `shares_` are those shares, in the order of `classes_`; `estimator_`
    is the fitted classifier. Raises InputError in `fit` where SMOTE has a class of one case, and for a classifier that
    balances already.

    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = np.arange(40.0)[:, None], np.arange(40) >= 36
    >>> Balanced(GaussianNB(), "weights").fit(X, y).shares_.tolist()
    [0.9, 0.1]
    """

    def __init__(self, estimator: Any, method: Balance = "upsample", random_state: Any = None) -> None:
        self.estimator = estimator
        self.method = method
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Balanced:
        """Fit to the cases, balanced."""
        check_word("method", self.method, get_args(Balance))
        _refuse_twice(type(self.estimator).__name__, self.estimator)
        labels, codes = np.unique(np.asarray(y), return_inverse=True)
        counts = np.bincount(codes)
        self.shares_ = counts / codes.size
        self.estimator_ = clone(self.estimator)
        if self.method == "weights":
            _fit_weighted(self.estimator_, X, y, counts.max() / counts[codes])
        else:
            self.estimator_.fit(*self._balanced(X, np.asarray(y), codes, counts))
        self.classes_ = getattr(self.estimator_, "classes_", labels)
        return self

    def _balanced(self, X: Any, y: Array, codes: Array, counts: Array) -> tuple[Any, Array]:
        """Cases of which each class has as many."""
        rng = check_random_state(self.random_state)
        if self.method == "smote":
            return _synthesised(X, y, counts, rng)
        rows = (
            _upsampled(codes, counts, rng) if self.method == "upsample" else _downsampled(codes, counts, rng)
        )
        return _safe_indexing(X, rows), y[rows]

    def predict(self, X: Any) -> Any:
        """The labels of the balanced model."""
        return self.estimator_.predict(X)

    @available_if(_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """The probabilities of the balanced model, corrected to the shares of the classes before."""
        found = np.asarray(self.estimator_.predict_proba(X))
        is_whole = found.ndim == 2 and found.shape[1] == self.shares_.size
        whole = unrounded(found) if is_whole else None
        # what is no probabilities, whoever asks finds out of, and it still ranks
        return found if whole is None else corrected(whole, self.shares_)

    @available_if(_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """The decision values of the balanced model, as they are."""
        return self.estimator_.decision_function(X)


def corrected(probabilities: Array, shares: Array) -> Array:
    """Probabilities of a model trained at equal shares of K classes, at their shares π: p π / sum of p π, `(rows, K)`.

    >>> corrected(np.array([[0.2, 0.8]]), np.array([0.95, 0.05])).round(4)
    array([[0.8261, 0.1739]])
    """
    found = probabilities * shares
    return np.asarray((found / found.sum(1, keepdims=True)).astype(probabilities.dtype))


def _upsampled(codes: Array, counts: Array, rng: Any) -> Array:
    """All rows, and further ones of the smaller classes, drawn from their own with replacement."""
    drawn = [
        rng.choice(np.flatnonzero(codes == k), counts.max() - count, replace=True)
        for k, count in enumerate(counts.tolist())
    ]
    return np.concatenate([np.arange(codes.size), *drawn])


def _downsampled(codes: Array, counts: Array, rng: Any) -> Array:
    """As many rows of each class as the smallest has, in their order."""
    return np.sort(
        np.concatenate(
            [rng.choice(np.flatnonzero(codes == k), counts.min(), replace=False) for k in range(counts.size)]
        )
    )


def _synthesised(X: Any, y: Array, counts: Array, rng: Any) -> tuple[Any, Array]:
    if importlib.util.find_spec("imblearn") is None:
        raise MissingExtraError("balancing by SMOTE", "balance")
    if counts.min() < 2:
        raise InputError("a class has one case in training, and SMOTE needs two: balance by upsampling.")
    from imblearn.over_sampling import SMOTE  # type: ignore[import-untyped]

    sampler = SMOTE(k_neighbors=int(min(NEIGHBOURS, counts.min() - 1)), random_state=rng)
    made, labels = sampler.fit_resample(X, y)
    return made, labels


def _fit_weighted(model: Any, X: Any, y: Any, weight: Array) -> None:
    if has_fit_parameter(model, "sample_weight"):
        model.fit(X, y, sample_weight=weight)
    else:
        model.set_params(class_weight="balanced").fit(X, y)


# --- putting it where no copy crosses a split


def balanced(name: str, estimator: Any, method: Balance) -> Any:
    """An unfitted copy of an estimator that balances the cases it is fitted to.

    Raises InputError for one that splits its training cases itself, other than a search, that balances already, or
    that takes no weights where they are asked for.
    """
    _refuse_twice(name, estimator)
    return _placed(name, clone(estimator), method)[0]


def _placed(name: str, model: Any, method: Balance) -> tuple[Any, str]:
    """The model with what balances in it, and where that is, as a path of parameters."""
    if isinstance(getattr(model, "steps", None), list):
        step, last = model.steps[-1]
        made, path = _placed(name, last, method)
        model.steps[-1] = (step, made)
        return model, f"{step}__{path}" if path else step
    if search_in(model) is not None:
        return _placed_in_search(name, model, method), "estimator"
    _refuse(name, model, method)
    return Balanced(model, method), ""


def _placed_in_search(name: str, search: Any, method: Balance) -> Any:
    """A search whose tuned estimator is wrapped by the balancing, with its parameters renamed."""
    inner, path = _placed(name, search.estimator, method)
    spaces = [each for each in SPACES if hasattr(search, each)]
    if not spaces:
        raise InputError(
            f"{name} is {an(type(search).__name__)}, and where it keeps its parameters is not known: put "
            "classay.Balanced around what it tunes yourself."
        )
    search.set_params(estimator=inner)
    for each in spaces:
        setattr(search, each, _renamed(getattr(search, each), path))
    return search


def _renamed(space: Any, path: str) -> Any:
    """A space of parameters with `estimator__` before those of the balanced estimator, and others as they were."""
    if isinstance(space, Mapping):
        return {_moved(key, path): value for key, value in space.items()}
    return [_renamed(each, path) for each in space]


def _moved(key: str, path: str) -> str:
    if not path:
        return f"estimator__{key}"
    if key == path:
        return f"{path}__estimator"
    return f"{path}__estimator__{key.removeprefix(f'{path}__')}" if key.startswith(f"{path}__") else key


def _refuse_twice(name: str, model: Any) -> None:
    """Refuse a learner that balances: its probabilities would be corrected for more than was done."""
    found = _balances(model)
    if found:
        raise InputError(
            f"{name} balances already ({found}), and its probabilities would be corrected twice: leave that out, or "
            "balance=."
        )


def _balances(model: Any) -> str:
    """What in a learner makes classes count otherwise than they occur in training; empty where nothing does."""
    if isinstance(model, Balanced) or hasattr(model, "fit_resample"):
        return type(model).__name__
    if type(model).__module__.startswith("imblearn.ensemble"):
        return type(model).__name__
    if isinstance(model, type) or not hasattr(model, "get_params"):
        return ""
    found = (_balanced_by(key, value) for key, value in model.get_params(deep=True).items())
    return next((each for each in found if each), "")


def _balanced_by(key: str, value: Any) -> str:
    last = key.rpartition("__")[2]
    if last in WEIGHING:
        return "" if _weighs_alike(value) else f"{key}={value!r}"
    if last in SPACES:
        spaces = [value] if isinstance(value, Mapping) else value
        tried = [each for space in spaces if isinstance(space, Mapping) for each in space.items()]
        return next((text for each, values in tried for text in _any_balanced(each, values)), "")
    return _balances(value)


def _any_balanced(key: str, values: Any) -> Iterator[str]:
    """Of the values that a search tries; a distribution may give any."""
    each_of = values if isinstance(values, list | tuple | np.ndarray) else [values]
    yield from (found for each in each_of if (found := _balanced_by(key, each)))


def _weighs_alike(value: Any) -> bool:
    """Whether such a setting leaves the classes as they are: None, False, or the same number for all."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple | np.ndarray):
        return len({float(each) for each in value}) <= 1
    return value is None or value is False or (isinstance(value, int | float) and value == 1)


def _refuse(name: str, model: Any, method: Balance) -> None:
    parameters = model.get_params(deep=True)
    if method in COPYING:
        for key, value in parameters.items():
            last = key.rpartition("__")[2]
            if (last == "cv" and value != "prefit") or (last == "early_stopping" and value is True):
                raise InputError(
                    f"{name} splits its training cases itself ({key}), and copies of a case would lie on both sides: "
                    "balance by weights or downsample, or put classay.Balanced around the part that learns."
                )
    if method == "weights" and not (
        has_fit_parameter(model, "sample_weight") or "class_weight" in parameters
    ):
        raise InputError(f"{name} takes no weights: balance by upsample or downsample.")
