"""Tuning inside resampling: what a search promised, and what came of it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from json import dumps
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from classay.errors import InputError
from classay.kinds import checked
from classay.measures import ALIASES, MEASURES, get
from classay.resampling.fit.searches import grouped, scoring_for

if TYPE_CHECKING:
    from classay.resampling.evaluation import Evaluation

Search = Literal["grid", "random", "halving"]

SCORERS = {
    "f1_macro": "macro_f1",
    "f1_micro": "micro_f1",
    "f1_weighted": "weighted_f1",
    "precision_macro": "macro_precision",
    "recall_macro": "macro_recall",
    "neg_log_loss": "log_loss",
    "neg_brier_score": "brier_score",
    "matthews_corrcoef": "matthews_correlation",
    "roc_auc_ovr": "macro_roc_auc",
    "roc_auc_ovo": "hand_till_auc",
}
"""The measure of each of scikit-learn's scorers whose name is no name of ours."""


@dataclass(frozen=True)
class Tuned:
    """One model that was tuned in each fold: `inner` is the mean best score of the searches, `outer` the estimate.

    Both are of the measure named by `scoring`; `optimism` is how much better the inner score is. `outer` is None
    where the score of the search is no measure, or one of another class than the positive one.
    `params` are the choices, as JSON, one a fit.
    """

    dataset: str
    model: str
    scoring: str
    inner: float
    outer: float | None
    optimism: float
    params: tuple[str, ...]


def tuned(e: Evaluation) -> list[Tuned]:
    """What searches chose and promised, of every model that is a search."""
    found = []
    for run, model, parts in e.model_folds():
        choices = [result.choice for result in parts.results if result.choice is not None]
        if not choices:
            continue
        scoring = str(choices[0]["scoring"])
        scores = [each["score"] for each in choices if each["score"] is not None]
        inner = (
            abs(float(np.mean(scores))) if scoring.startswith("neg_") else float(np.mean(scores or [np.nan]))
        )
        name = SCORERS.get(scoring, scoring)
        outer, optimism = None, float("nan")
        if name in MEASURES or name in ALIASES:
            measure = get(name)
            estimate = e.protocol.estimate(parts, measure, e.level)
            outer = estimate.value
            optimism = outer - inner if measure.best == 0 else inner - outer
            name = measure.name
        params = tuple(dumps(each["params"], sort_keys=True) for each in choices)
        found.append(Tuned(run.cases.name, model, name, inner, outer, optimism, params))
    return found


@checked
def tune(
    estimator: Any,
    grid: Mapping[str, Any],
    X: Any,
    y: Any = None,
    *,
    search: Search = "grid",
    scoring: str | None = None,
    positive: Hashable | None = None,
    folds: int = 5,
    protocol: Any = "10fold",
    cluster: Any = None,
    **how: Any,
) -> Evaluation:
    """Evaluate an estimator that is tuned in each fold by a search of scikit-learn among the values of `grid`.

    The estimate is that of the whole procedure, search included; what the search promised stands beside it
    (`print`, `.tuning`). The inner folds are stratified, with the rows of a `cluster` in one of them. Another search,
    or other settings: pass the search object to `evaluate`. A `scoring` of one class ("f1", "precision", "recall",
    "average_precision", "jaccard") is that of the positive class. `how` are the further arguments of `evaluate`.
    Raises InputError for a search of another name.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> e = tune(DecisionTreeClassifier(), {"max_depth": [1, 3]}, X, y, protocol="3fold")
    >>> e.tuning.num_rows
    3
    """
    from classay.resampling.evaluating import evaluate

    return evaluate(
        _search(search, estimator, grid, scoring=scoring_for(scoring, positive), cv=grouped(folds, cluster)),
        X,
        y,
        positive=positive,
        protocol=protocol,
        cluster=cluster,
        **how,
    )


def _search(search: str, estimator: Any, grid: Mapping[str, Any], **settings: Any) -> Any:
    from sklearn.model_selection import GridSearchCV, RandomizedSearchCV

    if search == "grid":
        return GridSearchCV(estimator, grid, **settings)
    if search == "random":
        return RandomizedSearchCV(estimator, grid, **settings)
    if search == "halving":
        from sklearn.experimental import enable_halving_search_cv  # noqa: F401  makes the next import possible
        from sklearn.model_selection import HalvingGridSearchCV

        return HalvingGridSearchCV(estimator, grid, **settings)
    raise InputError(
        f"search is {search!r}: pass 'grid', 'random' or 'halving', or a search object to evaluate."
    )
