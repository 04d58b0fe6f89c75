"""What remedies need to know of a learner and its cases, and are made of: estimators that prepare, choose or search."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.model_selection._search import BaseSearchCV
from sklearn.preprocessing import TargetEncoder

from classay.inference.draws import stream
from classay.resampling.searches import grouped
from classay.sources.inputs import numbers_of
from classay.tables.sums import settled

Array = NDArray[Any]
STEPS = 4
"""Steps between two values of the first, coarse look along a setting: two decades, as a step is half of one."""


class WideSearch(BaseSearchCV):  # type: ignore[misc]
    """A search along one setting after the other, each from coarse to fine, by folds inside the training cases.

    `axes` are lists of settings `{name: value}`, each in the order of its values, the first that the learner has. Along
    an axis every fourth value is tried, then those between the neighbours of the best; the best is kept for the next
    axis. Of equal scores the one nearest to the present setting wins, because it is tried first.
    """

    def __init__(
        self, estimator: Any, axes: Any, *, scoring: Any = None, cv: Any = None, refit: bool = True
    ) -> None:
        super().__init__(estimator=estimator, scoring=scoring, cv=cv, refit=refit, error_score=np.nan)
        self.axes = axes

    def _run_search(self, evaluate_candidates: Callable[[Any], Any]) -> None:
        """Called by `fit` of scikit-learn."""
        best: dict[str, Any] = {}
        for axis in self.axes:
            best |= _along(axis, best, evaluate_candidates)


def _scores(evaluate: Callable[[Any], Any], candidates: list[dict[str, object]]) -> list[float]:
    """Return the mean inner scores of candidates, those that failed the lowest."""
    scores = np.asarray(evaluate(candidates)["mean_test_score"][-len(candidates) :], float)
    return [-inf if np.isnan(score) else float(score) for score in scores]


def _along(
    axis: list[dict[str, object]], best: dict[str, object], evaluate: Callable[[Any], Any]
) -> dict[str, object]:
    """Return the best value of an axis beside the best ones of others: every fourth, then those beside the best."""
    known: dict[int, float] = {}
    step = STEPS if len(axis) > 2 * STEPS else 1
    places = {0, len(axis) - 1, *range(0, len(axis), step)}
    while True:
        new = sorted(places - {*known})
        if new:
            known |= zip(new, _scores(evaluate, [best | axis[at] for at in new]), strict=True)
        top = max(known, key=lambda at: (known[at], -at))
        if step == 1:
            return axis[top]
        step //= 2
        places = {at for at in (top - step, top + step) if 0 <= at < len(axis)}


class MissingCodes(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Numbers that stand for a missing value become the median of the column, and a column says where they stood.

    Which these are is learned from the training cases (`codes_in`). Arrays stay arrays, frames frames.
    """

    def fit(self, X: Any, y: Any = None) -> MissingCodes:
        """Learn the codes of each column, and its median without them."""
        values, self.columns_ = numbers_of(X)
        self.codes_ = {k: codes for k in self.columns_ if (codes := codes_in(values[:, k]))}
        self.fill_ = {
            k: float(np.nanmedian(values[~np.isin(values[:, k], codes), k]))
            for k, codes in self.codes_.items()
        }
        return self

    def transform(self, X: Any) -> Any:
        """Return the columns without codes, and after them one for each that had some."""
        values, _ = numbers_of(X)
        marks = {k: np.isin(values[:, k], codes) for k, codes in self.codes_.items()}
        filled = {k: np.where(mark, self.fill_[k], values[:, k]) for k, mark in marks.items()}
        more = [(f"{_name(X, k)} is missing", mark.astype(float)) for k, mark in marks.items()]
        return _replaced(X, filled, more, ())


CODES = (
    -1,
    *(sign * digit * (10**k - 1) // 9 for k in range(1, 7) for digit in (7, 8, 9) for sign in (-1, 1)),
    0,
)
"""Numbers that are used for missing values: -1, 9, 99, 999, -999, 888, ..., 0."""
FEWEST_VALUES = 6
"""Values that a column has beside a code, at least: a code in a column of few values is one of them."""


def codes_in(column: Array) -> tuple[float, ...]:
    """The values of a column that stand for a missing one: its least or largest, used for that, repeated, and far off.

    Far off is more than one standard deviation of the other values away from the next of them (two for 0), which a
    value of the same kind seldom is.

    >>> codes_in(np.r_[np.linspace(20, 60, 30), [-999.0] * 4])
    (-999.0,)
    """
    known = column[np.isfinite(column)]
    codes: list[float] = []
    for _ in range(2):
        values, counts = np.unique(known, return_counts=True)
        if values.size <= FEWEST_VALUES:
            break
        for at, beside in ((0, 1), (-1, -2)):
            value, rest = values[at], known[known != values[at]]
            far = (2.0 if value == 0 else 1.0) * rest.std()
            is_repeated = counts[at] >= max(3, 0.005 * known.size)
            if value in CODES and is_repeated and abs(value - values[beside]) > far > 0:
                codes.append(float(value))
                known = rest
                break
        else:
            break
    return tuple(codes)


class CategoryCodes(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Whole numbers that name categories become columns of 0 and 1, or the mean of the target where they are many.

    Which columns these are is learned from the training cases (`are_categories`), and so are the means, by
    scikit-learn's TargetEncoder, which gives each training case the mean of other ones.
    """

    def fit(self, X: Any, y: Any) -> CategoryCodes:
        """Learn the columns, and their categories."""
        self._learn(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Return the columns of the training cases: means of the target are those of other cases."""
        values = self._learn(X, y)
        return self._made(
            X, values, {k: encoder.fit_transform(values[:, [k]], y) for k, encoder in self.means_.items()}
        )

    def transform(self, X: Any) -> Any:
        """Return the columns of any cases."""
        values, _ = numbers_of(X)
        return self._made(
            X, values, {k: encoder.transform(values[:, [k]]) for k, encoder in self.means_.items()}
        )

    def _learn(self, X: Any, y: Any) -> Array:
        values, numeric = numbers_of(X)
        codes = np.unique(y, return_inverse=True)[1]
        categorical = [k for k in numeric if are_categories(values[:, k], codes, len(numeric))]
        known = {k: np.unique(values[:, k]) for k in categorical}
        self.categories_ = {
            k: categories for k, categories in known.items() if categories.size <= MOST_COLUMNS
        }
        self.means_ = {
            k: TargetEncoder().fit(values[:, [k]], y) for k in categorical if k not in self.categories_
        }
        return values

    def _made(self, X: Any, values: Array, means: dict[int, Array]) -> Any:
        more = [
            (f"{_name(X, k)} is {category:g}", (values[:, k] == category).astype(float))
            for k, known in self.categories_.items()
            for category in known
        ]
        for k, columns in means.items():
            more += [(f"{_name(X, k)}, mean {j}", columns[:, j]) for j in range(columns.shape[1])]
        return _replaced(X, {}, more, (*self.categories_, *means))


MOST_COLUMNS = 12
"""Categories up to which each gets a column of its own."""
MOST_CATEGORIES = 30
"""Whole numbers up to which a column may hold categories."""
EACH = 5
"""Cases that a category has on average, at least."""
CHANCE = 0.001
"""Chance at which a column of ordered numbers is taken for one of categories, over all columns."""


def are_categories(column: Array, target: Array, columns: int) -> bool:
    """Check whether whole numbers look like names: the shares of a class go up and down with them, beyond chance.

    The share of each class at each number is held against the best that only rises or only falls with it, by the F test
    of what that leaves unexplained.

    >>> rng = np.random.default_rng(0)
    >>> column = rng.integers(0, 6, 300)
    >>> are_categories(column, (rng.random(300) < np.take([0.1, 0.9, 0.2, 0.8, 0.1, 0.9], column)) * 1, 1)
    True
    >>> are_categories(column, (rng.random(300) < column / 6) * 1, 1)
    False
    """
    from scipy.stats import f
    from sklearn.isotonic import IsotonicRegression

    if not np.isfinite(column).all() or (column != np.round(column)).any():
        return False
    values, places, counts = np.unique(column, return_inverse=True, return_counts=True)
    n, k = column.size, values.size
    if not 3 < k <= MOST_CATEGORIES or n < EACH * k:
        return False
    classes = np.unique(target)
    least = 1.0
    for label in classes[: 1 if classes.size == 2 else None]:
        is_one = (target == label).astype(float)
        means = np.bincount(places, is_one) / counts
        within = float(((is_one - means[places]) ** 2).sum())
        fits = [
            IsotonicRegression(increasing=up).fit(values, means, counts).predict(values)
            for up in (True, False)
        ]
        lack = min(float((counts * (means - fit) ** 2).sum()) for fit in fits)
        if lack > 0:
            least = min(least, float(f.sf(lack / (k - 2) / max(within / (n - k), 1e-12), k - 2, n - k)))
    return least * classes.size * columns < CHANCE


class ChosenFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The features that a forest finds important: as many as serve a model best on folds inside the training cases.

    Without folds (`cv=None`) those above the mean importance. The ranking is that of extremely randomised trees, and
    each inner fold ranks with its own training cases.
    """

    def __init__(self, model: Any = None, cv: Any = None, random_state: Any = None) -> None:
        self.model, self.cv, self.random_state = model, cv, random_state

    def fit(self, X: Any, y: Any) -> ChosenFeatures:
        """Rank, and choose how many."""
        values, names = np.asarray(X, float), np.asarray(y)
        order, importance = self._ranked(values, names)
        size = int((importance > importance.mean()).sum())
        if self.cv is not None:
            size = self._size(values, names)
        self.chosen_ = np.sort(order[: max(size, 1)])
        return self

    def _size(self, X: Array, y: Array) -> int:
        """Return the number of features with the highest inner accuracy, the smaller of two that are alike."""
        sizes: list[int] = sorted({max(1, X.shape[1] // 2**k) for k in range(X.shape[1].bit_length())})
        right = np.zeros(len(sizes))
        for train, test in self.cv.split(X, y):
            order, _ = self._ranked(X[train], y[train])
            for k, size in enumerate(sizes):
                model = clone(self.model).fit(X[train][:, order[:size]], y[train])
                right[k] += (model.predict(X[test][:, order[:size]]) == y[test]).sum()
        return sizes[int(right.argmax())]

    def _ranked(self, X: Array, y: Array) -> tuple[Array, Array]:
        forest = ExtraTreesClassifier(RANKING, min_samples_leaf=3, random_state=self.random_state)
        importance = forest.fit(X, y).feature_importances_
        return np.argsort(-importance, kind="stable"), importance

    def transform(self, X: Any) -> Array:
        """Return the chosen columns."""
        columns: Array = np.asarray(X, float)[:, self.chosen_]
        return columns


RANKING = 25
"""Trees that rank the features."""


class OutOfBagForest(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A random forest whose leaf size is chosen out of bag, so that no inner folds are needed."""

    def __init__(
        self, leaves: tuple[int, ...] = (1, 5, 20), members: int = 40, random_state: Any = None
    ) -> None:
        self.leaves, self.members, self.random_state = leaves, members, random_state

    def fit(self, X: Any, y: Any) -> OutOfBagForest:
        """Fit a forest of each leaf size, and keep the one that errs least out of bag."""
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a case without a vote out of bag
            forests = [
                RandomForestClassifier(
                    self.members, min_samples_leaf=leaf, oob_score=True, random_state=self.random_state
                ).fit(X, y)
                for leaf in self.leaves
            ]
        self.forest_ = max(forests, key=lambda forest: forest.oob_score_)
        self.classes_ = self.forest_.classes_
        return self

    def predict(self, X: Any) -> Array:
        """Return the class of the highest mean probability."""
        predicted: Array = self.forest_.predict(X)
        return predicted

    def predict_proba(self, X: Any) -> Array:
        """Mean probabilities of the trees."""
        probabilities: Array = self.forest_.predict_proba(X)
        return probabilities


def _name(X: Any, k: int) -> str:
    return str(X.columns[k]) if hasattr(X, "columns") else f"column {k}"


def _replaced(X: Any, new: dict[int, Array], more: list[tuple[str, Array]], dropped: tuple[int, ...]) -> Any:
    """Return the table with some columns in another form, some more at its end, and some left out."""
    kept = [k for k in range(X.shape[1] if hasattr(X, "shape") else len(X[0])) if k not in dropped]
    if hasattr(X, "columns"):
        frame = X.copy()
        for k, column in new.items():
            frame.isetitem(k, column)  # by place: two columns may have one name
        frame = frame.iloc[:, kept].copy()
        for name, column in more:
            frame.insert(frame.shape[1], name, column, allow_duplicates=True)
        return frame
    values = np.array(X, float)
    for k, column in new.items():
        values[:, k] = column
    return np.column_stack([values[:, kept], *(column for _, column in more)])


MEMBERS = 50
"""Members of the ensembles that are tried."""
INNER_FOLDS = 3
"""Folds inside the training cases, over which a setting is chosen."""


@dataclass(frozen=True, eq=False)
class RemedyContext:
    """A learner, the cases in one of its training sets, and what these are like.

    `model` is the last step of a pipeline, or the learner itself: what a remedy changes. What stands before it in a
    pipeline prepares the columns, and stays. `rows` are those of the smallest training set, `features` the columns
    before any step, None where they have no such number. `X` and `y` are all cases: a remedy may look at them to see
    whether it applies, and learns what it does from the training cases of each fold.
    """

    learner: Any
    rows: int
    features: int | None
    classes: int
    cluster: Any = None
    seed: int = 0
    X: Any = field(default=None, repr=False)
    y: Any = field(default=None, repr=False)

    @property
    def model(self) -> Any:
        """What learns."""
        return self.learner.steps[-1][1] if self.is_pipeline else self.learner

    @property
    def settings(self) -> dict[str, Any]:
        """The parameters of the model by their names."""
        params: dict[str, Any] = self.model.get_params(deep=False)
        return params

    @property
    def is_ensemble(self) -> bool:
        """Whether the model consists of many already."""
        return "n_estimators" in self.settings or "estimators" in self.settings

    @property
    def is_of_trees(self) -> bool:
        """Whether the model splits one column at a time, whatever its scale, and chooses which."""
        from sklearn.ensemble import HistGradientBoostingClassifier
        from sklearn.tree import BaseDecisionTree

        model = self.model
        member = getattr(model, "estimator", None) or getattr(model, "_estimator", None)
        trees = (BaseDecisionTree, HistGradientBoostingClassifier)
        return (
            isinstance(model, trees) or isinstance(member, BaseDecisionTree) or "max_depth" in self.settings
        )

    @property
    def is_pipeline(self) -> bool:
        """Whether steps stand before the model."""
        return isinstance(getattr(self.learner, "steps", None), list)

    @property
    def is_scaled(self) -> bool:
        """Whether a step of the pipeline scales the columns."""
        steps = self.learner.steps[:-1] if self.is_pipeline else []
        kinds = ("Scaler", "Normalizer", "QuantileTransformer", "PowerTransformer")
        return any(kind in repr(step) for _, step in steps for kind in kinds)

    @cached_property
    def numbers(self) -> NDArray[Any] | None:
        """The columns as numbers, `(rows, features)`, those of text NaN; None where they are no table."""
        try:
            return None if self.X is None else numbers_of(self.X)[0]
        except (TypeError, ValueError):
            return None

    def with_model(self, model: Any) -> Any:
        """Return the learner with another model in place of its own."""
        return self.with_steps(model)

    def with_steps(self, *steps: Any) -> Any:
        """Return the learner with several steps in place of its model, the last one a model."""
        if not self.is_pipeline and len(steps) == 1:
            return steps[0]
        before = self._before()
        kind: Any = None
        if any(hasattr(step, "fit_resample") for step in steps):
            from imblearn import pipeline  # type: ignore[import-untyped]

            kind = pipeline.Pipeline
        return self._piped([*before, *_named(before, steps)], kind)

    def with_first(self, step: Any) -> Any:
        """Return the learner with a step before all others, which sees the columns as they came."""
        rest = [*self._before(), *_named(self._before(), [self.copy()])]
        if self.is_pipeline:
            rest[-1] = (self.learner.steps[-1][0], rest[-1][1])
        return self._piped([*_named(rest, [step]), *rest])

    def _before(self) -> list[tuple[str, Any]]:
        """Copies of the steps before the model."""
        from sklearn.base import clone

        first = self.learner.steps[:-1] if self.is_pipeline else []
        return [(name, clone(step) if hasattr(step, "get_params") else step) for name, step in first]

    def _piped(self, steps: list[tuple[str, Any]], kind: Any = None) -> Any:
        from sklearn.pipeline import Pipeline

        pipeline_type: Any = type(self.learner) if self.is_pipeline else Pipeline
        return (kind or pipeline_type)(steps)

    def copy(self) -> Any:
        """Return an unfitted copy of the model."""
        from sklearn.base import clone

        return clone(self.model)

    @property
    def inner(self) -> Any:
        """Folds inside the training cases, of whole clusters where there are any."""
        return grouped(INNER_FOLDS, self.cluster, int(stream(self.seed, "inner folds").integers(2**31)))

    def searched(self, axes: Sequence[Sequence[Mapping[str, object]]], model: Any = None) -> Any:
        """Return a model with its settings chosen along axes, by the accuracy over folds inside the training cases."""
        return WideSearch(self.copy() if model is None else model, axes, scoring="accuracy", cv=self.inner)


def _named(taken: list[tuple[str, Any]], steps: Any) -> list[tuple[str, Any]]:
    """Steps with names that are not taken."""
    names = [name for name, _ in taken]
    named_steps = []
    for step in steps:
        name = type(step).__name__.lower()
        again = sum(one.rstrip("0123456789-") == name for one in names)
        names.append(name if not again else f"{name}-{again + 1}")
        named_steps.append((names[-1], step))
    return named_steps


def spread_of(values: NDArray[Any]) -> NDArray[Any]:
    """Return the standard deviation of each column over its known values; 0 where these differ by rounding alone."""
    known = np.isfinite(values)
    safe = np.where(known, values, 0.0)
    n = np.maximum(known.sum(0), 1)
    mean = safe.sum(0) / n
    spread: NDArray[Any] = np.sqrt((np.where(known, values - mean, 0.0) ** 2).sum(0) / n)
    return np.asarray(settled(spread, mean))
