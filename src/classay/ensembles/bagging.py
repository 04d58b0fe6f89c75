"""Bagging: members fitted to bootstrap samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import BaseDecisionTree
from sklearn.utils.validation import validate_data

from classay.ensembles.averaged import Averaged, Voting


class Bagging(Averaged, BaggingClassifier):  # type: ignore[misc]
    """Bagging (bootstrap aggregation): each member is fitted to a bootstrap sample of the cases, and all vote.

    scikit-learn's BaggingClassifier with the same members for the same `random_state`, and what it lacks: the error
    against the number of members in and out of bag (`training_`, `out_of_bag_`), votes, margins, diversity, and
    `assess`. `voting` is "soft", adding the members' probabilities as scikit-learn does, or "hard", the majority of
    their classes. `progress` is called with the number of members that are fitted and that of all; it changes no
    member. The out-of-bag error leaves out cases without an out-of-bag vote, where `oob_score_` counts them as the
    first class. Breiman 1996, Machine Learning 24:123.

    >>> from sklearn.datasets import load_breast_cancer
    >>> bagging = Bagging(n_estimators=50, random_state=0).fit(*load_breast_cancer(return_X_y=True))
    >>> bagging.out_of_bag_.estimate()
    Estimate(0.042 [0.029, 0.062] 95 %, Wilson)
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 100,
        *,
        voting: Voting = "soft",
        max_samples: float | None = None,
        max_features: float = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: bool = False,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        super().__init__(
            estimator,
            n_estimators,
            max_samples=max_samples,
            max_features=max_features,
            bootstrap=bootstrap,
            bootstrap_features=bootstrap_features,
            oob_score=oob_score,
            warm_start=warm_start,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
        self.voting = voting
        self.progress = progress

    def _for_members(self, X: Any) -> Any:
        found = validate_data(
            self, X, accept_sparse=["csr", "csc"], dtype=None, ensure_all_finite=False, reset=False
        )
        if isinstance(self.estimators_[0], BaseDecisionTree) and isinstance(found, np.ndarray):
            return found.astype(np.float32, copy=False)  # as each tree would for itself
        return found

    def _features(self, member: int, X: Any) -> Any:
        own = self.estimators_features_[member]
        return X if np.array_equal(own, np.arange(X.shape[1])) else X[:, own]
