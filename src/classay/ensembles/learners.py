"""Ensembles that classay fits itself: AdaBoost and Stacking, several kinds at once, and the classes of former releases.

`assess_all` fits ensembles of several kinds to the same cases and assesses them on the same others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import AdaBoostClassifier, StackingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import check_cv
from sklearn.tree import BaseDecisionTree, DecisionTreeClassifier
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _num_samples,
    check_array,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
)

from classay.ensembles.former import ASSESS, Former, going
from classay.ensembles.members import Rounds, refuse_one_class
from classay.errors import InputError, check_word, shown
from classay.resampling.searches import grouped

Array = NDArray[Any]


Strategy = Literal["resampling", "reweighting"]


class AdaBoost(Former, AdaBoostClassifier):  # type: ignore[misc]
    """AdaBoost by weighted resampling, for two classes or more.

    Any base learner works, because it needs no weights. After the fit, `rounds` has ε and α of each member,
    the weight of its errors, and the bound of the training error (`print(m.rounds)`).
    `classay.ensembles.assess` shows more.

    Parameters
    ----------
    estimator : estimator, optional
        The base learner.
    n_estimators : int, default 50
        Largest number of members.
    strategy : {"resampling", "reweighting"}, default "resampling"
        "resampling" draws as many cases as there are, with replacement, by their weights. "reweighting"
        passes the weights to the base learner. It is deprecated, because AdaBoostClassifier of scikit-learn
        does the same.
    learning_rate : float, default 1.0
        Factor of α.
    draws : int, default 10
        Largest number of resamples in a step. A sample of one class, and a member with ε ≥ 1 - 1/k, are
        discarded and drawn again. Then boosting ends.
    random_state : int or RandomState, optional
        Start of all random numbers.
    progress : callable, optional
        A function that is called with the number of fitted members and their largest number.

    Raises
    ------
    InputError
        If the first member is no better than chance.
        If there is one class only.
        If reweighting needs weights that the base learner does not take.

    Notes
    -----
    The error of a member on all cases is ε = Σ w·[incorrect], and its weight α = ln((1 - ε)/ε) + ln(k - 1)
    for k classes (SAMME). The second term is 0 for two classes. The weight of each incorrect case is
    multiplied by exp(α). These cases then have half of the weight with two classes, and (k - 1)/k with k
    classes. The class with the largest sum of α wins. A member with ε = 0 ends boosting. Its α would be
    infinite, so it outvotes all members before it. Reweighting ends at once if a member is no better than
    chance, because the base learner would learn the same again. Weights of cases are sampling weights, with
    which w starts.

    References
    ----------
    Freund & Schapire 1997, JCSS 55:119.

    Zhu, Zou, Rosset & Hastie 2009, Statistics and Its Interface 2:349.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> from classay.ensembles import assess
    >>> assess(AdaBoost(random_state=0).fit(X[::2], y[::2]), X[1::2], y[1::2]).error()
    Estimate(0.049 [0.030, 0.081] 95%, Wilson)
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 50,
        *,
        strategy: Strategy = "resampling",
        learning_rate: float = 1.0,
        draws: int = 10,
        random_state: Any = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        super().__init__(
            estimator, n_estimators=n_estimators, learning_rate=learning_rate, random_state=random_state
        )
        self.strategy = strategy
        self.draws = draws
        self.progress = progress

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> AdaBoost:
        """Boost on the cases.

        Parameters
        ----------
        X : array or frame
            Features of the cases, `(cases, features)`, dense or sparse.
        y : array-like
            True labels of the cases.
        sample_weight : array-like, optional
            Sampling weight of each case.

        Returns
        -------
        AdaBoost
            The fitted classifier itself.
        """
        check_word("strategy", self.strategy, ("resampling", "reweighting"))
        if self.strategy == "reweighting":
            going(
                'ensembles.AdaBoost(strategy="reweighting")', f"fit scikit-learn's AdaBoostClassifier{ASSESS}"
            )
        if not (isinstance(self.draws, int | np.integer) and self.draws >= 1):
            raise InputError(
                f"draws must be a whole number from 1, the number of attempts in each step, but is {self.draws!r}."
            )
        super().fit(X, y, sample_weight)
        self._training = (X, y, sample_weight)
        return self

    def training_error_bound(self) -> Array | None:
        """Return the bound of the training error after each member, `(members,)`.

        It is None for more than two classes.

        Notes
        -----
        Π ((1 - ε) exp(-α/2) + ε exp(α/2)). With a learning rate of 1 this is Π 2 sqrt(ε (1 - ε)).

        References
        ----------
        Freund & Schapire 1997, theorem 6.
        """
        return self.rounds.bound

    @property
    def rounds(self) -> Rounds:
        """Rounds after the fit, for `print(m.rounds)`.

        They have ε, α and the weight of the incorrect cases of each member.
        """
        check_is_fitted(self)
        return Rounds.of(self)

    def _validate_estimator(self) -> None:
        super(AdaBoostClassifier, self)._validate_estimator(default=DecisionTreeClassifier(max_depth=1))
        if self.strategy == "reweighting" and not has_fit_parameter(self.estimator_, "sample_weight"):
            raise InputError(
                f"{type(self.estimator_).__name__} does not accept case weights (sample_weight). Use "
                "strategy='resampling', which samples cases by their weights."
            )

    def _boost(
        self, iboost: int, X: Any, y: Any, sample_weight: Array, random_state: Any
    ) -> tuple[Any, Any, Any]:
        """Return one step of scikit-learn's loop: the new weights, say and error of its member; None to end."""
        if iboost == 0:
            check_classification_targets(y)
            self.classes_ = np.unique(y)
            refuse_one_class(self.classes_)
            self.n_classes_ = len(self.classes_)
            self._least = float(sample_weight[sample_weight > 0].min()) / 2
        boosted = self._member(X, y, sample_weight, random_state)
        if boosted is None:
            if not self.estimators_:
                raise InputError(
                    f"No member in {self._tries} attempts was better than guessing among {self.n_classes_} classes. "
                    "Pass a better base learner, or check the features."
                )
            return None, None, None
        member, is_wrong, error = boosted
        say = self._say(iboost, error)
        self.estimators_.append(member)
        if self.progress is not None:
            self.progress(iboost + 1, self.n_estimators)
        if error > 0:
            sample_weight = np.where(is_wrong, sample_weight * np.exp(say), sample_weight)
        return sample_weight, say, error

    @property
    def _tries(self) -> int:
        return 1 if self.strategy == "reweighting" else self.draws

    def _member(self, X: Any, y: Array, weight: Array, random_state: Any) -> tuple[Any, Array, float] | None:
        """Return a member that is better than guessing, which cases it gets wrong, and its error."""
        if isinstance(self.estimator_, BaseDecisionTree) and isinstance(X, np.ndarray):
            X = X.astype(np.float32, copy=False)  # as each tree would for itself
        drawn = np.arange(weight.shape[0])
        for _ in range(self._tries):
            if self.strategy == "resampling":
                drawn = random_state.choice(weight.shape[0], weight.shape[0], p=weight / weight.sum())
                if (y[drawn] == y[drawn[0]]).all():
                    continue
            member = self._make_estimator(append=False, random_state=random_state)
            is_wrong = self._said(member, X, y, weight, drawn) != y
            error = float(np.average(is_wrong, weights=weight))
            if error < 1 - 1 / self.n_classes_:
                return member, is_wrong, max(error, 0.0)
        return None

    def _said(self, member: Any, X: Any, y: Array, weight: Array, drawn: Array) -> Array:
        """Fit a member; the labels that it says of all cases."""
        try:
            if self.strategy == "reweighting":
                member.fit(X, y, sample_weight=weight)
            else:
                member.fit(X[drawn], y[drawn])
            return np.asarray(member.predict(X))
        except Exception as error:
            raise InputError(
                f"Member {len(self.estimators_) + 1} of AdaBoost cannot be fitted ({shown(error)}). Pass a base "
                "learner that accepts a weighted sample of these cases."
            ) from error

    def _say(self, before: int, error: float) -> float:
        """α of a member; of one without an error more than of all before it together."""
        finite = max(error, self._least)
        say = self.learning_rate * float(np.log((1 - finite) / finite) + np.log(self.n_classes_ - 1))
        return float(say if error > 0 else say + self.estimator_weights_[:before].sum())


LevelOne = Literal["out-of-fold", "in-sample"]


def _combiner_has(method: str) -> Callable[[Any], bool]:
    """Whether the combiner has a method, also before the fit, where scikit-learn's default combiner is unknown."""
    return lambda stack: hasattr(stack._combiner_to_be, method)


class Stacking(Former, StackingClassifier):  # type: ignore[misc]
    """Stacked generalization, members of different kinds with a combiner.

    It is StackingClassifier of scikit-learn with two additions, `groups` of `fit` and `level_one`.
    `level_one_` has what the combiner learned from, so that `classay.ensembles.assess` can show the error
    of the first 1, 2, … members, each with a combiner of its own.

    Parameters
    ----------
    estimators : sequence of (str, estimator)
        The members.
    final_estimator : estimator, optional
        The combiner.
    level_one : {"out-of-fold", "in-sample"}, default "out-of-fold"
        What the combiner learns from: predictions of members that were fitted to the other folds of `cv`,
        or predictions on the cases of the fit, as in textbooks. In sample, a member that memorizes its
        cases, such as one nearest neighbor, looks perfect, and the combiner trusts it.
    cv : int or splitter, optional
        The folds.
    stack_method : str, default "auto"
        Method of the members that the combiner learns from.
    n_jobs : int, optional
        Number of parallel jobs of joblib.
    passthrough : bool, default False
        Whether the combiner learns from the features too.
    verbose : int, default 0
        How much scikit-learn prints.
    progress : callable, optional
        A function that is called at the end, with the number of members.

    Raises
    ------
    InputError
        If there is one class only.

    References
    ----------
    Wolpert 1992, Neural Networks 5:241.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from classay.ensembles import assess
    >>> members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(random_state=0))]
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> assess(Stacking(members).fit(X[::2], y[::2]), X[1::2], y[1::2]).error()
    Estimate(0.074 [0.049, 0.110] 95%, Wilson)
    """

    cv: Any
    level_one_: Any
    level_one_truth_: Array
    level_one_weight_: Array | None
    level_one_folds_: list[Array] | None

    def __init__(
        self,
        estimators: Any,
        final_estimator: Any = None,
        *,
        level_one: LevelOne = "out-of-fold",
        cv: Any = None,
        stack_method: str = "auto",
        n_jobs: int | None = None,
        passthrough: bool = False,
        verbose: int = 0,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        super().__init__(
            estimators,
            final_estimator,
            cv=cv,
            stack_method=stack_method,
            n_jobs=n_jobs,
            passthrough=passthrough,
            verbose=verbose,
        )
        self.level_one = level_one
        self.progress = progress

    def fit(self, X: Any, y: Any, *, groups: Any = None, **fit_params: Any) -> Stacking:
        """Fit the members, and the combiner to their predictions.

        Parameters
        ----------
        X : array or frame
            Features of the cases.
        y : array-like
            True labels of the cases.
        groups : array-like, optional
            Group of each case. Groups are never split by the folds of `cv` (by StratifiedGroupKFold if `cv`
            is a number).
        **fit_params
            Further arguments. `sample_weight` is passed to all members and the combiner.

        Returns
        -------
        Stacking
            The fitted classifier itself.
        """
        check_word("level_one", self.level_one, ("out-of-fold", "in-sample"))
        if y is not None:
            check_array(y, ensure_2d=False, dtype=None, input_name="y")  # a missing label has no kind
        check_classification_targets(y)
        labels = column_or_1d(y, warn=True)
        refuse_one_class(np.unique(labels))
        self.__dict__.pop("level_one_", None)
        cv, folds = self.cv, None
        if cv != "prefit" or self.level_one == "in-sample":
            folds = self._folds(X, labels, groups)
            self.cv = folds
        try:
            super().fit(X, labels, **fit_params)
        finally:
            self.cv = cv
        weight = fit_params.get("sample_weight")
        self.level_one_folds_ = None if folds is None else [test for _, test in folds]
        self.level_one_truth_ = np.searchsorted(self.classes_, labels)
        self.level_one_weight_ = None if weight is None else np.asarray(weight, float)
        self._training = (X, labels, weight)
        if self.progress is not None:
            self.progress(len(self.estimators_), len(self.estimators_))
        return self

    @property
    def _combiner_to_be(self) -> Any:
        """The combiner, or before the fit what it will be."""
        combiner = getattr(self, "final_estimator_", self.final_estimator)
        return LogisticRegression() if combiner is None else combiner

    @available_if(_combiner_has("predict"))  # type: ignore[untyped-decorator]
    def predict(self, X: Any, **predict_params: Any) -> Array:
        """Return the class that the combiner says of each case, `(cases,)`."""
        check_is_fitted(self)
        return np.asarray(super().predict(X, **predict_params))

    @available_if(_combiner_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Return the probabilities that the combiner gives the classes, `(cases, classes)`."""
        check_is_fitted(self)
        return np.asarray(super().predict_proba(X))

    @available_if(_combiner_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Array:
        """Return the scores that the combiner gives: `(cases,)` of two classes, `(cases, classes)` of more."""
        check_is_fitted(self)
        return np.asarray(super().decision_function(X))

    def _folds(self, X: Any, y: Array, groups: Any) -> list[tuple[Array, Array]]:
        """Training and test cases of each fold: settled before the fit, so that they are known after it."""
        if self.level_one == "in-sample":
            every = np.arange(_num_samples(X))
            return [(every, every)]
        if groups is not None and not hasattr(self.cv, "split") and not isinstance(self.cv, Iterable):
            return list(grouped(5 if self.cv is None else self.cv, groups).split(X, y, groups))
        splitter = check_cv(self.cv, y, classifier=True)
        return list(splitter.split(X, y, groups))

    def _concatenate_predictions(self, X: Any, predictions: list[Any]) -> Any:
        table = super()._concatenate_predictions(X, predictions)
        if "level_one_" not in vars(self):  # the first time is that of the fit
            self.level_one_ = table
        return table
