"""Random forests: bagging of trees that look at a few features at each node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sklearn.ensemble import RandomForestClassifier

from classay.ensembles.averaged import Averaged, Voting


class RandomForest(Averaged, RandomForestClassifier):  # type: ignore[misc]
    """Random forest: each tree is fitted to a bootstrap sample, and looks at `max_features` features at each node.

    scikit-learn's RandomForestClassifier with the same trees for the same `random_state`, and what it lacks: the error
    against the number of trees in and out of bag (`training_`, `out_of_bag_`), votes, margins, diversity, and
    `assess`. With all features (`max_features=None`) it is bagging of trees. `voting` is "soft", adding the trees'
    probabilities as scikit-learn does, or "hard", the majority of their classes. `progress` is called with the number
    of trees that are fitted and that of all; it changes no tree. Breiman 2001, Machine Learning 45:5.

    >>> from sklearn.datasets import load_breast_cancer
    >>> forest = RandomForest(50, random_state=0).fit(*load_breast_cancer(return_X_y=True))
    >>> forest.out_of_bag_.estimate()
    Estimate(0.033 [0.021, 0.052] 95 %, Wilson)
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        voting: Voting = "soft",
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: str | Mapping[Any, float] | None = None,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: Any = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        super().__init__(
            n_estimators,
            criterion=criterion,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            bootstrap=bootstrap,
            oob_score=oob_score,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
            warm_start=warm_start,
            class_weight=class_weight,
            ccp_alpha=ccp_alpha,
            max_samples=max_samples,
            monotonic_cst=monotonic_cst,
        )
        self.voting = voting
        self.progress = progress

    def _for_members(self, X: Any) -> Any:
        return self._validate_X_predict(X)
