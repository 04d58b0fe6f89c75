"""Models by name, ready for columns of any kind, and what to tune in them; the majority baseline; balanced classes.

What balances the classes is part of the learner, so that it sees the training cases of each fold and no others. In a
pipeline it stands around the last step, in a search around what is tuned, so that copies of a case never lie on both
sides of a split.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import has_fit_parameter

from classay.columns.scales import unrounded
from classay.comparison.comparison import BASELINE
from classay.errors import InputError, MissingExtraError, check_word, nearest
from classay.inference.draws import stream
from classay.resampling.data import Balance, Cases, FoldResult, Split
from classay.resampling.fitting import with_training
from classay.resampling.searches import grouped, search_in
from classay.sources.inputs import as_frame
from classay.texts import an, hint, listed


def baseline(cases: Cases, split: Split, training: tuple[str, ...]) -> FoldResult:
    """Return what the class shares of training predict: the most frequent class, with the shares as probabilities.

    The same as scikit-learn's `DummyClassifier(strategy="prior")`.
    """
    shares = np.bincount(cases.truth[split.train], minlength=len(cases.labels)) / split.train.shape[0]
    code = cases.positive_code

    def predict(rows: int) -> tuple[Any, Any]:
        labels = np.full(rows, shares.argmax(), cases.truth.dtype)
        return labels, np.full(rows, shares[code]) if code is not None else np.tile(shares, (rows, 1))

    predicted, scores = predict(split.place.n_test)
    result = FoldResult(predicted, scores, "probability", fit_seconds=0.0, score_seconds=0.0)
    if not split.shows_training:
        return result
    return with_training(result, cases, split.train, *predict(split.train.shape[0]), training)


def named(estimators: Any) -> dict[str, Any]:
    """Estimators by name: of one, of several, or as they are named. Raises InputError for what is no estimator."""
    if isinstance(estimators, Mapping):
        learners = {str(name): model for name, model in estimators.items()}
    elif isinstance(estimators, list | tuple):
        learners = dict(zip(numbered([name_of(model) for model in estimators]), estimators, strict=True))
    else:
        learners = {name_of(estimators): estimators}
    if not learners:
        raise InputError(
            "There are no estimators. Pass an estimator, a list, or a mapping {name: estimator}."
        )
    for name, model in learners.items():
        if isinstance(model, type):
            raise InputError(f"{name} is a class. Pass an object, such as {model.__name__}().")
        if missing_methods(model):
            raise InputError(
                f"{name} must be an estimator with fit, predict and get_params, as in scikit-learn, but is "
                f"{an(type(model).__name__)}."
            )
    if BASELINE in learners:
        raise InputError(
            f"The name {BASELINE!r} is reserved for the majority-class baseline, which always runs. Use "
            "another name."
        )
    return learners


def missing_methods(estimator: Any) -> list[str]:
    """Return those of fit, predict and get_params that a learner needs and will not have.

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
    """Return the class of an estimator, of a pipeline its last step's, of a search that of what it tunes."""
    if isinstance(estimator, type):
        return estimator.__name__
    if getattr(estimator, "steps", None):
        return name_of(estimator.steps[-1][1])
    if hasattr(estimator, "best_params_") or hasattr(estimator, "refit"):
        return f"{name_of(estimator.estimator)} tuned"
    return type(estimator).__name__


def numbered(names: Iterable[str]) -> list[str]:
    """Return the names, with a number after each that came before."""
    taken: list[str] = []
    for name in names:
        again = sum(
            other == name or re.fullmatch(re.escape(name) + r" \d+", other) is not None for other in taken
        )
        taken.append(name if not again else f"{name} {again + 1}")
    return taken


CANDIDATES = 20
"""Settings that a search tries."""
INNER_FOLDS = 5


Space = Mapping[str, list[Any] | tuple[float, float]]


@dataclass(frozen=True)
class Recipe:
    """A model of scikit-learn: module and class, settings that differ from its defaults, and what to tune.

    `tuned` are further settings where it is tuned. A space is a list of values, or a pair of bounds between which a
    number is drawn evenly on the log scale.
    """

    module: str
    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    space: Space = field(default_factory=dict)
    tuned: Mapping[str, Any] = field(default_factory=dict)


_TREES: Space = {"max_features": ["sqrt", 0.2, 0.4, 0.7, 1.0], "min_samples_leaf": [1, 2, 5, 10, 20]}
RECIPES = {
    "logistic": Recipe("linear_model", "LogisticRegression", {"max_iter": 1000}, {"C": (1e-4, 1e2)}),
    "forest": Recipe("ensemble", "RandomForestClassifier", space=_TREES),
    "extra_trees": Recipe("ensemble", "ExtraTreesClassifier", space=_TREES),
    "boosting": Recipe(
        "ensemble",
        "HistGradientBoostingClassifier",
        space={
            "learning_rate": (0.01, 0.3),
            "max_leaf_nodes": [3, 7, 15, 31, 63],
            "min_samples_leaf": [5, 10, 20, 50],
            "l2_regularization": (1e-3, 10),
        },
    ),
    "tree": Recipe(
        "tree",
        "DecisionTreeClassifier",
        space={
            "max_depth": [2, 3, 5, 8, None],
            "min_samples_leaf": [1, 5, 10, 20, 50],
            "ccp_alpha": (1e-5, 0.1),
        },
    ),
    "naive_bayes": Recipe("naive_bayes", "GaussianNB", space={"var_smoothing": (1e-9, 1)}),
    "knn": Recipe(
        "neighbors",
        "KNeighborsClassifier",
        space={"n_neighbors": [1, 3, 5, 9, 15, 25, 41], "weights": ["uniform", "distance"]},
    ),
    "svm": Recipe("svm", "SVC", space={"C": (1e-2, 1e3), "gamma": (1e-4, 1)}),
    # columns of one category are collinear: without shrinkage only the solver by singular values can do with that
    "lda": Recipe(
        "discriminant_analysis",
        "LinearDiscriminantAnalysis",
        space={"shrinkage": (1e-3, 1)},
        tuned={"solver": "lsqr"},
    ),
    "network": Recipe(
        "neural_network",
        "MLPClassifier",
        {"max_iter": 1000},
        {
            "alpha": (1e-6, 1),
            "learning_rate_init": (1e-4, 1e-2),
            "hidden_layer_sizes": [(32,), (100,), (100, 50)],
        },
    ),
}


def models_named(names: Sequence[str], X: Any) -> dict[str, Any]:
    """Unfitted estimators by name: of `RECIPES`, or `pkg.module:attribute`, an instance, a class or a factory.

    Each is made ready for the columns of `X`, any table, by skrub's tabular pipeline: text, dates and the like
    become numbers, missing values are filled in and numbers scaled as far as the model needs it. Numbers are not scaled
    for an estimator of your own; one that brings a scikit-learn pipeline stays as it is. No seed is set: an evaluation
    seeds each fit. The modules of the current folder can be named.

    A name that comes twice is one model, and the baseline, which always runs along, may be named beside others.

    Raises InputError: a name that is unknown, two models of one name, a module without such an estimator;
    MissingExtraError: scikit-learn or skrub is not installed.

    >>> import pandas
    >>> frame = pandas.DataFrame({"age": [31, 40], "town": ["Ulm", "Bonn"]})
    >>> list(models_named(["logistic", "sklearn.dummy:DummyClassifier"], frame))
    ['logistic', 'DummyClassifier']
    """
    _require_extra()
    models: dict[str, Any] = {}
    for name in _each_once(names):
        short = name.rpartition(":")[2]
        if short in models:
            raise InputError(f"Model {short!r} is named twice. Name each model once.")
        models[short] = ready_for(_made(name), X, scaled=":" not in name)
    return models


def _each_once(estimators: Sequence[Any]) -> list[Any]:
    """Return the estimators without texts that add nothing: those that came before, and the baseline beside others."""
    others = [model for model in estimators if not isinstance(model, str) or model != BASELINE]
    return [
        model
        for k, model in enumerate(others or estimators)
        if not (isinstance(model, str) and model in [one for one in others[:k] if isinstance(one, str)])
    ]


def with_models(estimators: Any, X: Any) -> Any:
    """Estimators with models in place of the texts among them, each named as it was; anything else as it came."""
    if isinstance(estimators, str):
        return models_named([estimators], X)
    if isinstance(estimators, Mapping):
        return {name: _of_text(model, X) for name, model in estimators.items()}
    if not (isinstance(estimators, list | tuple) and any(isinstance(model, str) for model in estimators)):
        return estimators
    estimators = _each_once(estimators)
    texts = models_named([text for text in estimators if isinstance(text, str)], X)
    names = [model.rpartition(":")[2] if isinstance(model, str) else name_of(model) for model in estimators]
    models = [
        texts[name] if isinstance(model, str) else model
        for name, model in zip(names, estimators, strict=True)
    ]
    return dict(zip(numbered(names), models, strict=True))


def one_a_tag(estimators: Any, models: Any) -> Any:
    """Of several labels a case: one model for each tag of those that texts name; any other as it came.

    `models` are what `with_models` made of the estimators.
    """
    if not isinstance(models, Mapping):
        return models
    from sklearn.multioutput import MultiOutputClassifier

    by_name = estimators if isinstance(estimators, Mapping) else dict.fromkeys(models)
    texts = {
        name for name, learner in by_name.items() if (name if learner is None else learner) in (*RECIPES,)
    }
    return {name: MultiOutputClassifier(model) if name in texts else model for name, model in models.items()}


def _of_text(estimator: Any, X: Any) -> Any:
    if not isinstance(estimator, str):
        return estimator
    [model] = models_named([estimator], X).values()
    return model


def search_named(
    names: Sequence[str], X: Any, *, classes: int, cluster: Any = None, seed: int = 0
) -> dict[str, Any]:
    """Return the same models, each tuned by a random search over a small space, as an estimator.

    The search takes the best mean ROC AUC of two classes, or the best accuracy of several, over 5 stratified
    folds of its own, drawn by `seed`, with the rows of a `cluster` in one of them; the candidates are drawn by `seed`
    too, so that the searches of all outer folds try the same. What makes the columns ready knows
    no labels and is fitted once, before the search. To judge it, evaluate it as a whole, which repeats it inside
    each outer fold.
    Raises InputError for models that no space is known of, and whatever `models_named` raises.

    >>> import pandas
    >>> search_named(["tree"], pandas.DataFrame({"age": [31, 40]}), classes=2)["tree"][-1].n_iter
    20
    """
    if unknown := [name for name in names if name not in RECIPES and ":" in name]:
        raise InputError(
            f"classay has no search space for {unknown[0]!r}. Remove {hint('tune=', '--tune')}, which tunes "
            f"{', '.join(RECIPES)}, and use a scikit-learn search object."
        )
    models = models_named(names, X)
    from sklearn.model_selection import RandomizedSearchCV

    inner, drawn = (int(stream(seed, what).integers(2**31)) for what in ("inner folds", "candidates"))
    for name, pipeline in models.items():
        step, model = pipeline.steps[-1]
        search = RandomizedSearchCV(
            model.set_params(**RECIPES[name].tuned),
            {key: _drawn(space) for key, space in RECIPES[name].space.items()},
            n_iter=CANDIDATES,
            scoring="roc_auc" if classes == 2 else "accuracy",
            cv=grouped(INNER_FOLDS, cluster, inner),
            random_state=drawn,
        )
        pipeline.steps[-1] = (step, search)
    return models


def _made(name: str) -> Any:
    if name in RECIPES:
        recipe = RECIPES[name]
        return getattr(importlib.import_module(f"sklearn.{recipe.module}"), recipe.name)(**recipe.settings)
    if name == BASELINE:
        raise InputError(f"The {BASELINE} is always evaluated. Name another model to compare with it.")
    module, colon, attribute = name.partition(":")
    if not (colon and module and attribute):
        raise InputError(
            f"Unknown model {name!r}. Models: {', '.join(RECIPES)}, or any other as pkg.module:estimator, "
            f"such as lightgbm:LGBMClassifier{nearest(name, RECIPES) or '.'}"
        )
    return _as_estimator(_attribute(_imported(module, name), attribute, name), name)


def _imported(module: str, name: str) -> Any:
    """Return the module, from where Python finds it or from the current folder, as `python -m` does."""
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and module.startswith(error.name):
            raise InputError(
                f"Model {name!r}: module {error.name!r} was not found, neither installed nor in this folder. "
                "Install it, or check the name."
            ) from error
        raise InputError(f"Model {name!r}: module {module!r} cannot be imported ({error}).") from error
    except Exception as error:  # whatever the module does when it is imported
        what = f"{type(error).__name__}: {error}"
        raise InputError(f"Model {name!r}: module {module!r} cannot be imported ({what}).") from error


def _attribute(module: Any, path: str, name: str) -> Any:
    attribute = module
    for part in path.split("."):
        if not hasattr(attribute, part):
            near = (
                nearest(part, [public for public in dir(attribute) if not public.startswith("_")])
                or ". Check the name."
            )
            raise InputError(f"Model {name!r}: {module.__name__} has no {part!r}{near}")
        attribute = getattr(attribute, part)
    return attribute


def _as_estimator(model: Any, name: str) -> Any:
    if callable(model) and (isinstance(model, type) or not hasattr(model, "fit")):
        try:
            model = model()
        except Exception as error:  # a class with required arguments, a factory that fails
            what = f"{type(error).__name__}: {error}"
            raise InputError(
                f"Model {name!r} cannot be made without arguments ({what}). Name an instance, or a function that "
                "makes one."
            ) from error
    missing = missing_methods(model)
    if missing or isinstance(model, type):
        raise InputError(
            f"Model {name!r} is {an(type(model).__name__)} without {listed(missing) or 'an instance'}. "
            "Name a scikit-learn-compatible classifier, its class, or a function that makes one."
        )
    return model


def ready_for(model: Any, X: Any, *, scaled: bool = True) -> Any:
    """Return the model behind what makes the columns of X ready for it, where it has no pipeline of its own.

    Unless it is to be `scaled`, nothing changes numbers that are there: the scale of its columns is the model's own.
    """
    from sklearn.pipeline import Pipeline
    from skrub import tabular_pipeline

    parts = [model, *model.get_params(deep=True).values()]
    if any(isinstance(part, Pipeline) for part in parts):
        return model
    pipeline = tabular_pipeline(model)
    if not scaled:
        pipeline = Pipeline([step for step in pipeline.steps if "Scaler" not in type(step[1]).__name__])
    # Its first step turns columns into numbers, and takes long to find that all of them are.
    return pipeline[1:] if _is_numbers(X) else pipeline


def _is_numbers(X: Any) -> bool:
    """Check whether all features are numbers."""
    if isinstance(X, Mapping):
        return all(_is_numbers(column[0]) for column in X.values() if isinstance(column, tuple) and column)
    if (frame := as_frame(X)) is not None:
        return all(kind.is_numeric() or kind == nw.Boolean for kind in frame.schema.values())
    return hasattr(X, "tocsr") or np.asarray(X).dtype.kind in "biuf"


def _drawn(space: list[Any] | tuple[float, float]) -> Any:
    from scipy.stats import loguniform

    return space if isinstance(space, list) else loguniform(*space)


def _require_extra() -> None:
    for library in ("sklearn", "skrub"):
        if importlib.util.find_spec(library) is None:
            raise MissingExtraError("evaluating models by name", "train", library)


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
    """Classifier fitted to balanced classes that predicts for their true shares.

    Labels are those of the balanced model, which weights errors of each class equally. `shares_` are the
    shares of the training cases in the order of `classes_`, and `estimator_` is the fitted classifier.

    Parameters
    ----------
    estimator : estimator
        A classifier of scikit-learn's kind.
    method : {"upsample", "downsample", "smote", "weights"}, default "upsample"
        How classes become equal. "upsample" repeats cases of the smaller classes, and "downsample" takes as
        many cases of each class as the smallest has. "smote" makes cases between neighbors of the smaller
        classes, by imbalanced-learn.
    random_state : int or RandomState, optional
        Start of all random numbers.

    Raises
    ------
    InputError
        If SMOTE has a class of one case, in `fit`.
        If the classifier balances already, in `fit`.

    Notes
    -----
    Probabilities p of a model trained at equal shares are corrected to the shares π of the training cases,
    p' ∝ p π.

    References
    ----------
    Saerens, Latinne & Decaestecker 2002, Neural Computation 14:21.

    Examples
    --------
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
        """Fit the classifier to the balanced cases.

        Parameters
        ----------
        X : array or frame
            Features of the cases.
        y : array-like
            True labels of the cases.

        Returns
        -------
        Balanced
            The fitted classifier itself.
        """
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
        """Return the labels of the balanced model."""
        return self.estimator_.predict(X)

    @available_if(_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities of the balanced model, corrected to the shares of the classes before."""
        probabilities = np.asarray(self.estimator_.predict_proba(X))
        is_whole = probabilities.ndim == 2 and probabilities.shape[1] == self.shares_.size
        exact = unrounded(probabilities) if is_whole else None
        # what is no probabilities, whoever asks finds out of, and it still ranks
        return probabilities if exact is None else corrected(exact, self.shares_)

    @available_if(_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """Return the decision values of the balanced model, as they are."""
        return self.estimator_.decision_function(X)


def corrected(probabilities: Array, shares: Array) -> Array:
    """Probabilities of a model trained at equal shares of K classes, at their shares π: p π / sum of p π, `(rows, K)`.

    >>> corrected(np.array([[0.2, 0.8]]), np.array([0.95, 0.05])).round(4)
    array([[0.8261, 0.1739]])
    """
    weighted = probabilities * shares
    return np.asarray((weighted / weighted.sum(1, keepdims=True)).astype(probabilities.dtype))


def _upsampled(codes: Array, counts: Array, rng: Any) -> Array:
    """Return all rows, and further ones of the smaller classes, drawn from their own with replacement."""
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
        raise InputError("A class has one case in training, but SMOTE needs two. Balance by upsampling.")
    from imblearn.over_sampling import SMOTE  # type: ignore[import-untyped]

    sampler = SMOTE(k_neighbors=int(min(NEIGHBOURS, counts.min() - 1)), random_state=rng)
    features, labels = sampler.fit_resample(X, y)
    return features, labels


def _fit_weighted(model: Any, X: Any, y: Any, weight: Array) -> None:
    if has_fit_parameter(model, "sample_weight"):
        model.fit(X, y, sample_weight=weight)
    else:
        model.set_params(class_weight="balanced").fit(X, y)


def balanced(name: str, estimator: Any, method: Balance) -> Any:
    """Return an unfitted copy of an estimator that balances the cases it is fitted to.

    Raises InputError for one that splits its training cases itself, other than a search, that balances already, or
    that takes no weights where they are asked for.
    """
    _refuse_twice(name, estimator)
    return _placed(name, clone(estimator), method)[0]


def _placed(name: str, model: Any, method: Balance) -> tuple[Any, str]:
    """Return the model with what balances in it, and where that is, as a path of parameters."""
    if isinstance(getattr(model, "steps", None), list):
        step, last = model.steps[-1]
        placed, path = _placed(name, last, method)
        model.steps[-1] = (step, placed)
        return model, f"{step}__{path}" if path else step
    if search_in(model) is not None:
        return _placed_in_search(name, model, method), "estimator"
    _refuse(name, model, method)
    return Balanced(model, method), ""


def _placed_in_search(name: str, search: Any, method: Balance) -> Any:
    """Return a search whose tuned estimator is wrapped by the balancing, with its parameters renamed."""
    inner, path = _placed(name, search.estimator, method)
    spaces = [space for space in SPACES if hasattr(search, space)]
    if not spaces:
        raise InputError(
            f"{name} is {an(type(search).__name__)} with unknown parameters. Put classay.Balanced around the "
            "model that it tunes."
        )
    search.set_params(estimator=inner)
    for space in spaces:
        setattr(search, space, _renamed(getattr(search, space), path))
    return search


def _renamed(space: Any, path: str) -> Any:
    """A space of parameters with `estimator__` before those of the balanced estimator, and others as they were."""
    if isinstance(space, Mapping):
        return {_moved(key, path): value for key, value in space.items()}
    return [_renamed(part, path) for part in space]


def _moved(key: str, path: str) -> str:
    if not path:
        return f"estimator__{key}"
    if key == path:
        return f"{path}__estimator"
    return f"{path}__estimator__{key.removeprefix(f'{path}__')}" if key.startswith(f"{path}__") else key


def _refuse_twice(name: str, model: Any) -> None:
    """Refuse a learner that balances: its probabilities would be corrected for more than was done."""
    balancing = _balances(model)
    if balancing:
        raise InputError(
            f"{name} is already balanced ({balancing}), so its probabilities would be corrected twice. Remove "
            "that setting, or balance=."
        )


def _balances(model: Any) -> str:
    """Return what in a learner makes classes count otherwise than they occur in training; empty where nothing does."""
    if isinstance(model, Balanced) or hasattr(model, "fit_resample"):
        return type(model).__name__
    if type(model).__module__.startswith("imblearn.ensemble"):
        return type(model).__name__
    if isinstance(model, type) or not hasattr(model, "get_params"):
        return ""
    texts = (_balanced_by(key, value) for key, value in model.get_params(deep=True).items())
    return next((text for text in texts if text), "")


def _balanced_by(key: str, value: Any) -> str:
    last = key.rpartition("__")[2]
    if last in WEIGHING:
        return "" if _weighs_alike(value) else f"{key}={value!r}"
    if last in SPACES:
        spaces = [value] if isinstance(value, Mapping) else value
        tried = [setting for space in spaces if isinstance(space, Mapping) for setting in space.items()]
        return next((text for name, values in tried for text in _any_balanced(name, values)), "")
    return _balances(value)


def _any_balanced(key: str, values: Any) -> Iterator[str]:
    """Of the values that a search tries; a distribution may give any."""
    each_of = values if isinstance(values, list | tuple | np.ndarray) else [values]
    yield from (text for value in each_of if (text := _balanced_by(key, value)))


def _weighs_alike(value: Any) -> bool:
    """Check whether such a setting leaves the classes as they are: None, False, or the same number for all."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple | np.ndarray):
        return len({float(weight) for weight in value}) <= 1
    return value is None or value is False or (isinstance(value, int | float) and value == 1)


def _refuse(name: str, model: Any, method: Balance) -> None:
    parameters = model.get_params(deep=True)
    if method in COPYING:
        for key, value in parameters.items():
            last = key.rpartition("__")[2]
            if (last == "cv" and value != "prefit") or (last == "early_stopping" and value is True):
                raise InputError(
                    f"{name} splits its training cases itself ({key}), so copies of a case would be on both sides. "
                    "Balance by weights or downsample, or put classay.Balanced around the part that learns."
                )
    if method == "weights" and not (
        has_fit_parameter(model, "sample_weight") or "class_weight" in parameters
    ):
        raise InputError(f"{name} does not accept weights. Balance by upsample or downsample.")
