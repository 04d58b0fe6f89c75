"""Situation: what a remedy needs to know of a learner and its cases, and whether new cases are other than they."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import code_labels, unite
from classay.columns.numbers import counted
from classay.errors import InputError, in_our_words
from classay.inference.draws import stream
from classay.inference.estimate import Estimate
from classay.inference.proportions import score_interval
from classay.inference.significance import adjust
from classay.resampling.data import rows_of
from classay.resampling.run_store import inner_threads
from classay.resampling.searches import grouped
from classay.sources.frames import numbers_of

MEMBERS = 50
"""Members of the ensembles that are tried."""
INNER_FOLDS = 3
"""Folds inside the training cases, over which a setting is chosen."""


@dataclass(frozen=True, eq=False)
class Situation:
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
        found: dict[str, Any] = self.model.get_params(deep=False)
        return found

    @property
    def is_ensemble(self) -> bool:
        """Whether the model consists of many already."""
        return "n_estimators" in self.settings or "estimators" in self.settings

    @property
    def is_of_trees(self) -> bool:
        """Whether the model splits one column at a time, whatever its scale, and chooses which."""
        from sklearn.ensemble import HistGradientBoostingClassifier
        from sklearn.tree import BaseDecisionTree

        own = self.model
        member = getattr(own, "estimator", None) or getattr(own, "_estimator", None)
        trees = (BaseDecisionTree, HistGradientBoostingClassifier)
        return isinstance(own, trees) or isinstance(member, BaseDecisionTree) or "max_depth" in self.settings

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
        """The learner with another model in place of its own."""
        return self.with_steps(model)

    def with_steps(self, *steps: Any) -> Any:
        """The learner with several steps in place of its model, the last one a model."""
        if not self.is_pipeline and len(steps) == 1:
            return steps[0]
        before = self._before()
        kind: Any = None
        if any(hasattr(each, "fit_resample") for each in steps):
            from imblearn import pipeline  # type: ignore[import-untyped]

            kind = pipeline.Pipeline
        return self._piped([*before, *_named(before, steps)], kind)

    def with_first(self, step: Any) -> Any:
        """The learner with a step before all others, which sees the columns as they came."""
        rest = [*self._before(), *_named(self._before(), [self.copy()])]
        if self.is_pipeline:
            rest[-1] = (self.learner.steps[-1][0], rest[-1][1])
        return self._piped([*_named(rest, [step]), *rest])

    def _before(self) -> list[tuple[str, Any]]:
        """Copies of the steps before the model."""
        from sklearn.base import clone

        first = self.learner.steps[:-1] if self.is_pipeline else []
        return [(name, clone(each) if hasattr(each, "get_params") else each) for name, each in first]

    def _piped(self, steps: list[tuple[str, Any]], kind: Any = None) -> Any:
        from sklearn.pipeline import Pipeline

        made: Any = type(self.learner) if self.is_pipeline else Pipeline
        return (kind or made)(steps)

    def copy(self, **settings: Any) -> Any:
        """An unfitted copy of the model, with other settings."""
        from sklearn.base import clone

        return clone(self.model).set_params(**settings)

    @property
    def inner(self) -> Any:
        """Folds inside the training cases, of whole clusters where there are any."""
        return grouped(INNER_FOLDS, self.cluster, int(stream(self.seed, "inner folds").integers(2**31)))

    def searched(self, axes: list[list[dict[str, Any]]], model: Any = None) -> Any:
        """A model with its settings chosen along axes, by the accuracy over folds inside the training cases."""
        from classay.improving.ingredients import WideSearch

        return WideSearch(self.copy() if model is None else model, axes, scoring="accuracy", cv=self.inner)


def _named(taken: list[tuple[str, Any]], steps: Any) -> list[tuple[str, Any]]:
    """Steps with names that are not taken."""
    names = [name for name, _ in taken]
    made = []
    for each in steps:
        name = type(each).__name__.lower()
        again = sum(one.rstrip("0123456789-") == name for one in names)
        names.append(name if not again else f"{name}-{again + 1}")
        made.append((names[-1], each))
    return made


def spread_of(values: NDArray[Any]) -> NDArray[Any]:
    """The standard deviation of each column over its known values."""
    known = np.isfinite(values)
    safe = np.where(known, values, 0.0)
    n = np.maximum(known.sum(0), 1)
    mean = safe.sum(0) / n
    found: NDArray[Any] = np.sqrt((np.where(known, values - mean, 0.0) ** 2).sum(0) / n)
    return found


Array = NDArray[Any]
SHOWN = 0.01
"""Level at which new cases are said to be harder, or a column to have moved (adjusted by Holm)."""


@dataclass(frozen=True)
class NewCases:
    """New cases, compared with those of the folds.

    `error` is the error rate of a learner fitted to all cases on the new ones, `known` that of the folds, `p` that of
    Fisher's exact test that the new ones are not harder. `moved` are the columns whose distribution is another one, by
    the Kolmogorov–Smirnov test, and `shares_p` tests the shares of the classes (χ²).
    """

    rows: int
    error: Estimate
    known: float
    p: float
    moved: tuple[str, ...]
    shares_p: float

    @property
    def is_shown(self) -> bool:
        """Whether the learner errs more often on the new cases than on those of the folds."""
        return self.p < SHOWN


def drift_of(
    model: Any, cases: tuple[Any, Any], new: Any, wrong: tuple[int, int], known: float, level: float
) -> NewCases:
    """Fit a learner to all cases, and hold the new ones against them; `wrong` of the first repeat, and of how many.

    A class that only the new cases have is an error of the learner. Raises InputError for labels of another kind than
    those of the cases, and for new cases that cannot be predicted.
    """
    from scipy.stats import chi2_contingency, fisher_exact

    X, y = cases
    new_X, new_y = _pair(new)
    columns = [("y", code_labels(y, "y")), ("y of test", code_labels(new_y, "y of test"))]
    if missing := columns[1][1].missing:
        raise InputError(f"y of test is missing in {counted(missing)}: leave these cases out.")
    unite(columns)  # refuses labels of another kind before anything is fitted
    with inner_threads(np.size(X)):
        model.fit(X, y)
    advice = "pass the same features as those of the other cases, in their order."
    with in_our_words("the new cases cannot be predicted", advice):
        predicted = code_labels(np.asarray(model.predict(new_X)), "predictions")
    labels, (of_cases, of_new, said) = unite([*columns, ("predictions", predicted)])
    errors = int((said != of_new).sum())
    rows = int(of_new.shape[0])
    table = [[errors, rows - errors], [wrong[0], wrong[1] - wrong[0]]]
    low, high = (float(each) for each in score_interval(errors, rows, _z(level)))
    counts = np.stack([np.bincount(codes, minlength=len(labels)) for codes in (of_cases, of_new)])
    return NewCases(
        rows,
        Estimate(errors / rows, low, high, level, "Wilson"),
        known,
        float(fisher_exact(table, alternative="greater").pvalue),
        _moved(X, new_X),
        float(chi2_contingency(counts[:, counts.sum(0) > 0]).pvalue),
    )


def _pair(new: Any) -> tuple[Any, Any]:
    if not (isinstance(new, Sequence) and len(new) == 2):
        raise InputError("test is no pair: pass (X, y) of new cases.")
    X, y = new[0], new[1]
    if rows_of(X) != len(y) or not len(y):
        raise InputError(
            f"the X of test has {rows_of(X):,} rows, its y {len(y):,}: pass as many, and one or more."
        )
    return X, y


def _moved(X: Any, new: Any) -> tuple[str, ...]:
    """The columns of numbers whose distribution is another one in the new cases."""
    from scipy.stats import ks_2samp

    try:
        (before, columns), (after, _) = numbers_of(X), numbers_of(new)
    except (TypeError, ValueError):
        return ()
    if before.shape[1] != after.shape[1]:
        return ()
    p = [
        ks_2samp(_known(before[:, k]), _known(after[:, k])).pvalue if _known(after[:, k]).size else 1.0
        for k in columns
    ]
    names = getattr(X, "columns", None)
    shown = np.flatnonzero(np.asarray(adjust(p, "holm")) < SHOWN).tolist() if p else []
    return tuple(f"column {columns[k]}" if names is None else str(names[columns[k]]) for k in shown)


def _known(column: Array) -> Array:
    found: Array = column[np.isfinite(column)]
    return found


def _z(level: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2))
