"""Searches inside the folds, those of scikit-learn and of its kin; a measure as a scorer for them."""

from __future__ import annotations

import inspect
import json
import warnings
from collections.abc import Hashable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment.assessing import assess
from classay.assessment.task import RAW_SCORES
from classay.columns import code_labels, match_label
from classay.columns.labels import positive_among
from classay.columns.scales import unrounded
from classay.columns.values import plain
from classay.errors import InputError, UnknownMeasureError
from classay.inference.estimate import direction
from classay.kinds import checked
from classay.measures import Measure, get
from classay.measures.vocabulary import NOT_PROBABILITIES
from classay.resampling.data import Choice, Tried, printed
from classay.resampling.leaks import Leak

RESPONSES = {
    "scores": ("decision_function", "predict_proba"),
    "probabilities": ("predict_proba",),
    "class_scores": ("predict_proba", "decision_function"),
    "cases": ("predict_proba",),
}
"""What an estimator is asked for, the first that it has: ranks are finest before they are squeezed into [0, 1]."""


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
        labels = _with_those_of(known, y_true)
        positive = self._positive(known, measure) if len(known) == len(labels) == 2 else None
        is_of_labels = measure.is_of_matrix and self.threshold is None
        a = assess(
            y_true,
            None if is_of_labels else _scores(estimator, X, measure, known, labels, positive),
            y_pred=estimator.predict(X) if is_of_labels else None,
            threshold=self.threshold,
            weight=sample_weight,
            labels=labels,
            positive=positive,
        )
        table = a.table(measure)
        if isinstance(table, str):
            use = " Use an estimator with predict_proba." if table == RAW_SCORES else ""
            raise InputError(
                f"{measure.name} cannot be computed for {type(estimator).__name__}: {table}.{use}"
            )
        return direction(measure.name) * float(measure(table))

    def _positive(self, labels: list[Hashable], measure: Measure) -> Hashable | None:
        """The positive label: that of the measure, else the one given; the second where the measure is the same."""
        if measure.label is not None:
            return match_label(measure.label, labels)
        if self.positive is not None:
            return self.positive
        is_same = "of either class" in measure.traits or measure.needs in ("margins", "matrix")
        return labels[1] if is_same and self.threshold is None else None

    def get_metadata_routing(self) -> Any:
        """Return what scikit-learn should pass on to it: see `set_score_request`."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        for name, alias in self.requests.items():
            request.score.add_request(param=name, alias=alias)
        return request

    def set_score_request(self, *, sample_weight: bool | str | None = None) -> Scorer:
        """Return the same scorer, asking for the weights when scikit-learn's metadata routing is on."""
        return Scorer(self.measure, self.positive, self.threshold, {"sample_weight": sample_weight})

    def __repr__(self) -> str:
        settings = {"positive": self.positive, "threshold": self.threshold}
        parts = [repr(self.measure), *(f"{k}={v!r}" for k, v in settings.items() if v is not None)]
        return f"scorer({', '.join(parts)})"


@checked
def scorer(
    measure: str | Measure, *, positive: Hashable | None = None, threshold: float | None = None
) -> Scorer:
    """Make a scorer of a measure, for all of scikit-learn that takes `scoring=`.

    `GridSearchCV` and `cross_val_score` take it, for example.

    Parameters
    ----------
    measure : str or Measure
        The measure. Of several classes name one, `scorer("recall[other]")`.
    positive : label, optional
        The positive class of two. Labels 0/1 and booleans do not need it.
    threshold : float, optional
        A case is predicted positive if `score >= threshold`, for threshold measures. Without it, the
        estimator predicts the labels.

    Returns
    -------
    Scorer
        The scorer. Greater is better, so a loss is negated.

    Raises
    ------
    UnknownMeasureError
        If the measure is unknown.
        If it is of one class, such as "f1", and there are several. The text names its averages.
    InputError
        If neither higher nor lower values of the measure are better.

    Notes
    -----
    Threshold measures ask the estimator to `predict`, ranking measures for `decision_function`, else
    `predict_proba`. Probability measures, and those of one of several classes, ask for `predict_proba`
    first. A macro AUC, or another measure that ranks the cases of several classes, needs `predict_proba`.
    Values of `decision_function` can be compared only within a case, and an estimator that has nothing else
    is an error. A `sample_weight` is a sampling weight. If the measure is not defined, as in a fold without
    positives, the score is NaN.

    Log loss is infinite, and its score -inf, if the true class of a case has probability 0. A leaf of one
    class gives it, or a model without that class in its training folds. It is not clipped, because the loss
    would then depend on the clip, so such a model loses every search. In the first case scikit-learn clips,
    and in the second it raises. `scorer("brier_score")` is finite for every model.

    The classes are known in the first fold, where scikit-learn turns any error into NaN and a warning. With
    `error_score="raise"` the search stops there.

    Examples
    --------
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
            f"{known.name} has no best value at one end of its range, so a search cannot use it. Pass another "
            "measure."
        )
    return Scorer(known.name, plain(positive), threshold)


def _classes_of(estimator: Any) -> list[Hashable]:
    """The classes that a fitted estimator knows. Raises InputError where it names none, or not one after another."""
    labels = getattr(estimator, "classes_", None)
    name = type(estimator).__name__
    if labels is None:
        raise InputError(
            f"{name} has no classes_, because it is not a fitted classifier. Pass a fitted classifier."
        )
    classes = np.asarray(labels)
    if classes.ndim != 1 or not classes.size:
        raise InputError(
            f"classes_ of {name} has shape {classes.shape}. A scorer needs a classifier with one list of "
            "classes."
        )
    return [plain(label) for label in classes.tolist()]


def _with_those_of(known: list[Hashable], y_true: Any) -> list[Hashable]:
    """Return the classes of the estimator, then those that only the truth has."""
    return known + [label for label in code_labels(y_true, "truth").labels if label not in known]


def _scores(
    estimator: Any,
    X: Any,
    measure: Measure,
    known: list[Hashable],
    labels: list[Hashable],
    positive: Hashable | None,
) -> Any:
    """The scores that the measure needs: of the positive class of two, or of all classes in the order of the labels."""
    # raw scores of several classes can be compared only within a case
    needs = "class_scores" if measure.needs == "scores" and len(known) > 2 else measure.needs
    wanted = RESPONSES.get(needs, ("predict_proba", "decision_function"))
    if NOT_PROBABILITIES in measure.undefined:
        wanted = ("predict_proba",)
    method = next((name for name in wanted if hasattr(estimator, name)), None)
    if method is None:
        raise InputError(
            f"{measure.name} needs {' or '.join(wanted)}, but {type(estimator).__name__} has none. Use a "
            "threshold measure, or an estimator with scores."
        )
    scores = np.asarray(getattr(estimator, method)(X))
    if (
        scores.shape[1:] not in ((len(known),), ())
        or scores.ndim == 0
        or (scores.ndim == 1 and len(known) != 2)
    ):
        raise InputError(
            f"{method} of {type(estimator).__name__} gives scores of shape {scores.shape} for {len(known)} "
            f"classes. {measure.name} needs one score for each class."
        )
    if scores.ndim == 2 and method == "predict_proba":
        exact = unrounded(scores)
        scores = scores if exact is None else exact
    if len(labels) == 2 and len(known) == 2:
        at = known.index(_one_of(positive, known))
        if scores.ndim == 1:  # decision values of the second class
            return scores if at == 1 else -scores
        return scores[:, at]
    if scores.ndim == 1:
        raise InputError(
            f"The true labels contain {labels[len(known)]!r}, but {type(estimator).__name__} was fitted to "
            f"{known[0]!r} and {known[1]!r}. {measure.name} needs a score for each class."
        )
    absent = np.full(
        (scores.shape[0], len(labels) - len(known)), 0.0 if method == "predict_proba" else -np.inf
    )
    return np.concatenate([scores, absent], axis=1)


def _one_of(positive: Hashable | None, known: list[Hashable]) -> Hashable:
    """Return the positive label among those of the estimator; 1 or True by default."""
    label = positive_among(known, positive)
    if label is None:
        raise InputError(
            f"The positive class of {known[0]!r} and {known[1]!r} is not set. Pass it, as in scorer(…, "
            f"positive={known[1]!r})."
        )
    return label


def search_in(model: Any) -> tuple[str, Any] | None:
    """Return a search with what its parameters begin with: nothing, or the name of its step."""
    prefix, last_step = _last(model)
    return (prefix, last_step) if _is_search(last_step) else None


def _last(model: Any) -> tuple[str, Any]:
    """Return the last step of a pipeline, or the model itself, with what its parameters begin with."""
    if isinstance(getattr(model, "steps", None), list):
        step, last_step = model.steps[-1]
        return f"{step}__", last_step
    return "", model


def _is_search(model: Any) -> bool:
    return all(hasattr(model, part) for part in ("estimator", "cv", "refit"))


def groups_for(model: Any, cluster: NDArray[Any] | None) -> dict[str, NDArray[Any]]:
    """What to pass to `fit` beside features and labels: the clusters, where its inner folds can keep them together."""
    prefix, last_step = _last(model)
    return {f"{prefix}groups": cluster} if cluster is not None and _keeps_clusters(last_step) else {}


def _keeps_clusters(model: Any) -> bool:
    """Whether a learner's own folds keep clusters whole: of a search by its `cv`, of others by their `fit` also."""
    from sklearn.utils.validation import has_fit_parameter

    if _is_search(model):
        return keeps_groups(model.cv)
    if not hasattr(model, "cv") or not has_fit_parameter(model, "groups"):
        return False
    return not hasattr(model.cv, "split") or keeps_groups(model.cv)


def grouped(folds: int, cluster: Any, seed: int | None = None) -> Any:
    """Stratified inner folds, of whole clusters where there are any; shuffled where there is a seed."""
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    kind = StratifiedKFold if cluster is None else StratifiedGroupKFold
    return kind(folds, shuffle=seed is not None, random_state=seed)


def torn_clusters(models: Iterable[tuple[str, Any]]) -> tuple[Leak, ...]:
    """Return a leak where these models put rows of one cluster on both sides of folds of their own."""
    lasts = [(name, _last(model)[1]) for name, model in models]
    names = [
        name
        for name, last_step in lasts
        if hasattr(last_step, "cv") and not isinstance(last_step.cv, str) and not _keeps_clusters(last_step)
    ]
    if not names:
        return ()
    are_searches = all(_is_search(last_step) for name, last_step in lasts if name in names)
    whose = "the search of " if are_searches else ""
    text = (
        f"{whose[:1].upper()}{whose[1:]}{', '.join(names)} puts rows of one cluster on both sides of its "
        "inner folds. The inner scores are optimistic, and the choice may be poor. "
    )
    if are_searches:
        text += "Use cv=StratifiedGroupKFold(…), which gets the clusters as groups."
    else:
        text += "Only searches and classay's Stacking get the clusters as groups of their cv."
    return (Leak("inner_folds", text, len(names), names[0]),)


def keeps_groups(cv: Any) -> bool:
    """Check whether a splitter keeps groups together: it is given some to split, because its name need not say so.

    One that cannot split them, as one made for other rows, goes by its name.
    """
    if not hasattr(cv, "split"):
        return False
    rows = np.arange(TRIED * EACH)
    groups, y = rows % TRIED, rows // TRIED % 2
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            splits = [*islice(deepcopy(cv).split(np.zeros((rows.size, 1)), y, groups), TRIED)]
        torn = [np.intersect1d(groups[train], groups[test]).size for train, test in splits]
    except Exception:  # noqa: BLE001  what any splitter raises of rows that it was not made for
        return "group" in type(cv).__name__.casefold()
    return bool(torn) and not any(torn)


TRIED, EACH = 20, 6
"""Groups, and rows of each, that a splitter is tried on."""

OF_ONE_CLASS = ("f1", "precision", "recall", "jaccard", "average_precision")
"""Scorers of scikit-learn that look at one class, which is 1 unless `pos_label` names another."""


def scoring_of(search: Any, positive: Hashable | None) -> str:
    """Return the name of what a search tries to improve, ours or scikit-learn's; "custom" for what has none.

    Where it looks at another class than the positive one, or at another threshold, the name says so: it is another
    measure then.
    """
    scoring = getattr(search, "scoring", None)
    refit = getattr(search, "refit", None)
    if isinstance(refit, str):
        scoring = scoring[refit] if isinstance(scoring, Mapping) else refit
    if scoring is None:
        return "accuracy"
    if isinstance(scoring, Scorer):
        name, of_class = scoring.measure, 1 if scoring.positive is None else scoring.positive
        if scoring.threshold is not None:
            return f"{name} at threshold {scoring.threshold:g}"
        is_other = positive not in (None, of_class) and _is_of_one_class(name)
    else:
        name, of_class = (scoring, 1) if isinstance(scoring, str) else _name_of_scorer(scoring)
        is_other = name in OF_ONE_CLASS and of_class != positive
    return f"{name} of class {plain(of_class)!r}" if is_other else name


def _is_of_one_class(name: str) -> bool:
    """Check whether a measure of ours looks at the positive class, and at no other that its name says."""
    measure = get(name)
    of_one = measure.needs in ("counts", "scores", "probabilities")
    return of_one and measure.label is None and "of either class" not in measure.traits


def _name_of_scorer(scorer: Any) -> tuple[str, Any]:
    """Return the name of a scorer object and the class it looks at."""
    from sklearn.metrics import get_scorer, get_scorer_names

    mine = _parts_of_scorer(scorer)
    if mine is None:
        return "custom", 1
    for name in get_scorer_names():
        if _parts_of_scorer(get_scorer(name)) == mine:
            return str(name), _settings(scorer).get("pos_label", 1)
    return "custom", 1


def _parts_of_scorer(scorer: Any) -> tuple[Any, ...] | None:
    """Return what a scorer does, but for the class it looks at; None for what scikit-learn did not make."""
    function, sign = getattr(scorer, "_score_func", None), getattr(scorer, "_sign", None)
    if not callable(function):
        return None
    settings = {name: value for name, value in _settings(scorer).items() if name != "pos_label"}
    response = getattr(scorer, "_response_method", None)
    return function, sign, sorted(map(repr, settings.items())), repr(response)


def _settings(scorer: Any) -> dict[str, Any]:
    """Return the settings of a scorer that differ from the defaults of its function."""
    options = getattr(scorer, "_kwargs", {})
    defaults = inspect.signature(scorer._score_func).parameters
    return {
        name: value
        for name, value in options.items()
        if name not in defaults or repr(defaults[name].default) != repr(value)
    }


def scoring_for(scoring: Any, positive: Any) -> Any:
    """Return what to give to a search as `scoring`: a measure as a scorer of ours, which looks at the positive class.

    Names that only scikit-learn has, and scorers, stay as they are.
    """
    if not isinstance(scoring, str | Measure):
        return scoring
    try:
        name = get(scoring).name
    except UnknownMeasureError:
        return scoring
    return scorer(name, positive=None if isinstance(positive, Mapping) else positive)


def choice_of(model: Any, positive: Hashable | None) -> Choice | None:
    """What a search chose, its inner score and the name of that score; and all that it tried, with all inner scores."""
    search = model
    if not hasattr(search, "best_params_") and hasattr(model, "steps"):
        search = model.steps[-1][1]
    if not hasattr(search, "best_params_"):
        return None
    score = getattr(search, "best_score_", None)
    return {
        "params": {str(name): _as_json(value) for name, value in search.best_params_.items()},
        "score": None if score is None else float(score),
        "scoring": scoring_of(search, positive),
        **_tried(search),
    }


def _tried(search: Any) -> Tried:
    """The candidates of a search with their scores in each inner fold, those of the last round where it halves them.

    Nothing where it has not kept them, as scikit-learn does in `cv_results_`.
    """
    kept = getattr(search, "cv_results_", None)
    if not isinstance(kept, Mapping) or "params" not in kept:
        return {}
    refit = getattr(search, "refit", None)
    name = refit if isinstance(refit, str) else "score"
    columns = [f"split{k}_test_{name}" for k in range(int(getattr(search, "n_splits_", 0)))]
    if not columns or not all(column in kept for column in columns):
        return {}
    scores = np.array([np.asarray(kept[column], float) for column in columns]).T
    rounds = np.asarray(kept.get("iter", np.zeros(len(scores))))
    return {
        "candidates": [
            [
                {str(name): _as_json(value) for name, value in params.items()},
                [float(score) if np.isfinite(score) else None for score in candidate_scores],
            ]
            for params, candidate_scores, at in zip(kept["params"], scores, rounds, strict=True)
            if at == rounds.max()
        ],
        "test_over_train": _overlap(search),
    }


def _overlap(search: Any) -> float | None:
    """Test cases over training cases of the inner folds, 1 / (K - 1) of K; None where that is not known."""
    from sklearn.model_selection import BaseCrossValidator, BaseShuffleSplit

    cv = search.cv
    settings = getattr(cv, "cvargs", {})  # those of what it repeats
    if cv is None or isinstance(cv, int | np.integer):
        folds = int(search.n_splits_)
    elif "n_splits" in settings or (isinstance(cv, BaseCrossValidator) and hasattr(cv, "n_splits")):
        folds = int(settings.get("n_splits", getattr(cv, "n_splits", 0)))
    elif isinstance(cv, BaseShuffleSplit) and isinstance(cv.test_size, float):
        return cv.test_size / (1 - cv.test_size)
    else:
        return None
    return 1 / (folds - 1) if folds > 1 else None


def _as_json(value: Any) -> Any:
    value = plain(value)
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return printed(value)
    return value
