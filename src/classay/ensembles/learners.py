"""Ensembles that classay fits itself: AdaBoost and Stacking, several kinds at once, and the classes of former releases.

`assess_all` fits ensembles of several kinds to the same cases and assesses them on the same others.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import check_cv
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
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

from classay.curves.curve import Curve
from classay.ensembles.ensemble_assessment import EnsembleAssessment, assess
from classay.ensembles.growth import Diversity, Growth, Tally
from classay.ensembles.members import Rounds, Stack, members_of, refuse_one_class
from classay.errors import InputError, check_word, in_our_words, nearest, shown
from classay.inference.draws import seed_of
from classay.kinds import checked
from classay.resampling.data import dataset, implied_positive
from classay.resampling.fitting import Learner, global_state
from classay.resampling.models import named, ready_for
from classay.resampling.partitions import Holdout
from classay.resampling.protocol import whole
from classay.resampling.searches import grouped
from classay.shown import Reportable, frame_of
from classay.texts import clean
from classay.warned import Warned

Array = NDArray[Any]


ASSESS = ", and pass it to ca.ensembles.assess"


def going(what: str, instead: str, above: int = 2) -> None:
    """Warn that the next release no longer has something; the warning names the code that is `above` calls up."""
    warnings.warn(
        f"{what} will be removed in the next release: {instead}.", DeprecationWarning, stacklevel=1 + above
    )


class Former:
    """The methods of classay's ensembles, which `classay.ensembles.assess` replaces. They go in the next release."""

    _training: tuple[Any, Any, Any]
    classes_: Array

    def assess(
        self, X: Any = None, y: Any = None, *, weight: Any = None, level: float = 0.95
    ) -> EnsembleAssessment:
        """Return `classay.ensembles.assess`, with the training cases of the fit.

        Parameters
        ----------
        X : array or frame, optional
            Features of new cases.
        y : array-like, optional
            True labels of new cases.
        weight : array-like, optional
            Sampling weight of each new case.
        level : float, default 0.95
            Confidence level of the intervals, between 0 and 1.

        Returns
        -------
        EnsembleAssessment
            The errors, margins and diversity.
        """
        going(f"{type(self).__name__}.assess", "ca.ensembles.assess(fitted, X, y, training=…) gives the same")
        return self._assessed(X, y, weight, level)

    def growth(self, X: Any, y: Any, *, weight: Any = None) -> Growth:
        """Return the error on new cases of the first 1, 2, … members.

        Parameters
        ----------
        X : array or frame
            Features of the cases.
        y : array-like
            True labels of the cases.
        weight : array-like, optional
            Sampling weight of each case.

        Returns
        -------
        Growth
            The errors.
        """
        going(f"{type(self).__name__}.growth", "ca.ensembles.assess(fitted, X, y).test is the same")
        growth = assess(self, X, y, weight=weight).test
        assert growth is not None
        return growth

    def margins(self, X: Any, y: Any) -> Array:
        """Return the share of votes for the true class minus that for the next class.

        Parameters
        ----------
        X : array or frame
            Features of the cases.
        y : array-like
            True labels of the cases.

        Returns
        -------
        array
            Margins, `(cases,)`.
        """
        going(
            f"{type(self).__name__}.margins", 'ca.ensembles.assess(fitted, X, y).margins["test"] is the same'
        )
        return np.asarray(assess(self, X, y).margins["test"])

    def diversity(
        self, X: Any, y: Any, *, weight: Any = None, cases: Literal["new", "training"] = "new"
    ) -> Diversity:
        """Return the agreement of the members on new cases, or out of bag.

        Parameters
        ----------
        X : array or frame
            Features of the cases.
        y : array-like
            True labels of the cases.
        weight : array-like, optional
            Sampling weight of each case.
        cases : {"new", "training"}, default "new"
            Whether the cases are new or those of the fit.

        Returns
        -------
        Diversity
            The agreement of all pairs.
        """
        going(f"{type(self).__name__}.diversity", "ca.ensembles.assess(fitted, X, y).diversity is the same")
        check_word("cases", cases, ("new", "training"))
        assessment = (
            assess(self, X, y, weight=weight) if cases == "new" else assess(self, training=(X, y, weight))
        )
        if assessment.diversity is None:
            raise InputError(
                f"No training case is new to two members: {assessment.no_out_of_bag}. Pass new cases."
            )
        return assessment.diversity

    def votes(self, X: Any) -> Array:
        """Return the votes of all members for each class, `(cases, classes)`."""
        going(f"{type(self).__name__}.votes", "predict_proba returns their shares")
        return self._votes(X)

    def signed_votes(self, X: Any) -> Array:
        """Return the votes for the second of two classes minus those for the first."""
        going(
            f"{type(self).__name__}.signed_votes", "predict_proba or decision_function returns their shares"
        )
        check_is_fitted(self)
        if len(self.classes_) != 2:
            raise InputError(
                f"The sum of ±1 needs two classes, but there are {len(self.classes_)}. Use votes for more classes."
            )
        votes = self._votes(X)
        return np.asarray(votes[:, 1] - votes[:, 0])

    @property
    def training_(self) -> Growth | None:
        """The error on the cases of the fit."""
        growth: Growth | None = self._of_fit("training_", "training")
        return growth

    @property
    def out_of_bag_(self) -> Growth | None:
        """The error out of bag."""
        growth: Growth | None = self._of_fit("out_of_bag_", "out_of_bag")
        return growth

    @property
    def out_of_bag_margins_(self) -> Array | None:
        """The margins out of bag."""
        margins: Mapping[str, Array] = self._of_fit("out_of_bag_margins_", "margins")
        return margins.get("out of bag")

    def _of_fit(self, name: str, part: str) -> Any:
        if "_training" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no {name} before the fit.")
        going(
            f"{type(self).__name__}.{name}",
            f"ca.ensembles.assess(fitted, training=(X, y)).{part} is the same",
            above=3,
        )
        return getattr(self._assessed(None, None, None, 0.95), part)

    def _assessed(self, X: Any, y: Any, weight: Any, level: float) -> EnsembleAssessment:
        check_is_fitted(self)
        return assess(self, X, y, training=self._training, weight=weight, level=level)

    def _votes(self, X: Any) -> Array:
        members, (cases,) = members_of(self, X)
        tally = Tally(np.zeros(_num_samples(cases), np.intp), len(self.classes_))
        codes, _ = members.heard(cases, tally)
        if (
            isinstance(members, Stack) and codes is not None
        ):  # the combiner decides, the members have a vote each
            return np.asarray(sum(np.eye(len(self.classes_))[member_codes] for member_codes in codes))
        return tally.votes


class _Twin(Former):
    """scikit-learn's estimator under a former name, with `voting` and `progress`."""

    voting: str
    progress: Callable[[int, int], None] | None
    estimators_: list[Any]

    @classmethod
    def _get_param_names(cls) -> list[str]:
        base: Any = cls.__bases__[-1]
        return sorted({*base._get_param_names(), "voting", "progress"})

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit as scikit-learn does, and call `progress` at the end.

        Parameters
        ----------
        X : array or frame
            Features of the cases.
        y : array-like
            True labels of the cases.
        sample_weight : array-like, optional
            Sampling weight of each case.

        Returns
        -------
        classifier
            The fitted classifier itself.
        """
        check_word("voting", self.voting, ("soft", "hard"))
        if len(getattr(y, "shape", ())) == 2 and y.shape[1] > 1:
            raise InputError(f"y has shape {y.shape}. Pass one column of labels.")
        super().fit(X, y, sample_weight=sample_weight)  # type: ignore[misc]
        refuse_one_class(self.classes_)
        self._training = (X, y, sample_weight)
        if self.progress is not None:
            self.progress(len(self.estimators_), len(self.estimators_))
        return self

    def predict_proba(self, X: Any) -> Array:
        """Return the share of the votes for each class, `(cases, classes)`.

        They are mean probabilities, or shares of single votes.
        """
        if self.voting == "soft":
            return np.asarray(super().predict_proba(X))  # type: ignore[misc]
        return self._votes(X) / len(self.estimators_)

    def predict_log_proba(self, X: Any) -> Array:
        """Return the logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class Bagging(_Twin, BaggingClassifier):  # type: ignore[misc]
    """BaggingClassifier of scikit-learn, by default with 100 members.

    It is deprecated. Use that class, and `assess` it.

    Parameters
    ----------
    estimator : estimator, optional
        The base learner.
    n_estimators : int, default 100
        Number of members.
    voting : {"soft", "hard"}, default "soft"
        "soft" adds the probabilities of the members, as scikit-learn does. "hard" takes the majority of
        their classes.
    progress : callable, optional
        A function that is called with the number of fitted members and their largest number.
    **settings
        Further arguments of BaggingClassifier.
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 100,
        *,
        voting: str = "soft",
        progress: Callable[[int, int], None] | None = None,
        **settings: Any,
    ) -> None:
        going("ensembles.Bagging", f"fit scikit-learn's BaggingClassifier{ASSESS}")
        super().__init__(estimator, n_estimators, **settings)
        self.voting, self.progress = voting, progress


class RandomForest(_Twin, RandomForestClassifier):  # type: ignore[misc]
    """RandomForestClassifier of scikit-learn.

    It is deprecated. Use that class, and `assess` it.

    Parameters
    ----------
    n_estimators : int, default 100
        Number of trees.
    voting : {"soft", "hard"}, default "soft"
        "soft" adds the probabilities of the trees, as scikit-learn does. "hard" takes the majority of their
        classes.
    progress : callable, optional
        A function that is called with the number of fitted members and their largest number.
    **settings
        Further arguments of RandomForestClassifier.
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        voting: str = "soft",
        progress: Callable[[int, int], None] | None = None,
        **settings: Any,
    ) -> None:
        going("ensembles.RandomForest", f"fit scikit-learn's RandomForestClassifier{ASSESS}")
        super().__init__(n_estimators, **settings)
        self.voting, self.progress = voting, progress


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


MEMBERS = 100
OF_CASES = {"training": "on the training cases", "out of bag": "out of bag", "test": "on the test cases"}
KINDS = ("bagging", "forest", "boosting", "stacking")


def _stacking(members: int) -> Any:
    """Return a tree, a linear model, naive Bayes and neighbours: learners that err in different ways."""
    del members
    return Stacking(
        [
            ("tree", DecisionTreeClassifier(min_samples_leaf=5)),
            ("logistic", LogisticRegression(max_iter=1000)),
            ("naive_bayes", GaussianNB()),
            ("knn", KNeighborsClassifier(15)),
        ]
    )


ENSEMBLES: dict[str, Callable[[int], Any]] = {
    "bagging": lambda members: BaggingClassifier(DecisionTreeClassifier(), members),
    "forest": RandomForestClassifier,
    "extra_trees": ExtraTreesClassifier,
    "boosting": lambda members: AdaBoost(DecisionTreeClassifier(max_depth=1), members),
    "gradient_boosting": lambda members: GradientBoostingClassifier(n_estimators=members),
    "stacking": _stacking,
}
"""Each kind that has a name, of so many members: of trees, of stumps where it is AdaBoost, and of four learners."""


@checked
def assess_all(
    X: Any,
    y: Any,
    *,
    of: str | Sequence[str] | Mapping[str, object] = KINDS,
    members: int = MEMBERS,
    test: float = 1 / 3,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    progress: Callable[[str], None] | None = None,
) -> EnsembleAssessments:
    """Fit ensembles of several kinds to the same cases, and assess each.

    They are assessed on the same held-out cases and out of bag.

    Parameters
    ----------
    X : array or frame
        Features of the cases.
    y : array-like
        True labels of the cases.
    of : str, sequence or mapping, default ("bagging", "forest", "boosting", "stacking")
        Names of kinds: "bagging", "forest", "extra_trees", "boosting" (AdaBoost of stumps),
        "gradient_boosting", and "stacking" of a tree, a logistic regression, naive Bayes and nearest
        neighbors. Or a mapping of names to unfitted ensembles of scikit-learn, which are cloned.
    members : int, default 100
        Size of the named ensembles.
    test : float, default 1/3
        Share of the cases that is held out by class.
    level : float, default 0.95
        Confidence level of the intervals, between 0 and 1.
    seed : int or numpy.random.Generator, default 0
        Start of all random numbers. Equal seeds give equal results.
    progress : callable, optional
        A function that is called with the name of each ensemble before its fit.

    Returns
    -------
    EnsembleAssessments
        The assessment of each ensemble.

    Raises
    ------
    InputError
        If a kind is unknown, or an estimator is no ensemble.
        If `test` is no share.
        If there is one class only.

    Notes
    -----
    The cases must be independent. Out of bag, members would judge a case after they saw others of its
    cluster. Columns of text and missing values are prepared as in `evaluate` for models by name.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> a = assess_all(*load_breast_cancer(return_X_y=True), of="bagging, boosting", members=20)
    >>> a["bagging"].error()
    Estimate(0.047 [0.025, 0.088] 95%, Wilson)
    >>> a["boosting"].test.errors[:3].round(3).tolist()
    [0.1, 0.1, 0.058]
    >>> a["boosting"].rounds.errors.size
    20
    """
    whole(members, 1, "members")
    plain_seed = seed_of(seed)
    ensembles = _ensembles(of, members, X)
    positive, _ = implied_positive(y, None, ("accuracy",))
    data = dataset("", X, y, positive, None, None)
    (split,) = Holdout(test).splits(data, plain_seed)
    train, held_out = split.train, split.place.test
    assessments = {}
    for name, estimator in ensembles.items():
        if progress is not None:
            progress(name)
        model = Learner.of(name, estimator).fresh(plain_seed, 0)
        seen = (data.take(train), data.y[train])
        with (
            global_state(plain_seed, 0),
            in_our_words(f"{name} cannot be fitted", "Check the training cases."),
        ):
            fitted = model.fit(*seen)
        assessments[name] = assess(fitted, data.take(held_out), data.y[held_out], training=seen, level=level)
    return EnsembleAssessments(assessments, int(train.size), int(held_out.size), plain_seed)


def _ensembles(of: str | Sequence[str] | Mapping[str, object], members: int, X: Any) -> dict[str, Any]:
    if isinstance(of, Mapping):
        return named(of)
    names = [text.strip() for text in of.split(",")] if isinstance(of, str) else list(of)
    for name in names:
        if name not in ENSEMBLES:
            near = nearest(str(name), ENSEMBLES) or "."
            raise InputError(f"Unknown ensemble {name!r}. Ensembles: {', '.join(ENSEMBLES)}{near}")
    if not names:
        raise InputError(f"of= has no ensemble. Pass some of {', '.join(ENSEMBLES)}.")
    return {name: ready_for(ENSEMBLES[name](members), X) for name in names}


@dataclass(frozen=True, eq=False, repr=False)
class EnsembleAssessments(Reportable):
    """Ensembles of several kinds on the same cases, from `assess_all`.

    `a["forest"]` is the `EnsembleAssessment` of one.

    Attributes
    ----------
    of : mapping of EnsembleAssessment
        Assessments by the names of the ensembles.
    n_train, n_test : int
        Numbers of training and test cases.
    seed : int
        Start of all random numbers.
    """

    of: Mapping[str, EnsembleAssessment]
    n_train: int
    n_test: int
    seed: int

    def __getitem__(self, name: str) -> EnsembleAssessment:
        """One of them by its name. Raises InputError for another."""
        if name not in self.of:
            near = nearest(str(name), self.of) or "."
            raise InputError(f"Unknown ensemble {name!r}. Ensembles here: {', '.join(self.of)}{near}")
        return self.of[name]

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings that a reader must know before acting.

        They concern out-of-bag votes, and a single split.
        """
        one_split = Warned(
            "one_split",
            "One split is weak evidence for which ensemble is best. Use `evaluate` to compare learners over "
            "many splits with a test.",
        )
        distinct = dict.fromkeys(
            warning for assessment in self.of.values() for warning in assessment.warnings
        )
        return (*distinct, one_split) if len(self.of) > 1 else tuple(distinct)

    @property
    def level(self) -> float:
        """Confidence level of the intervals."""
        return next(iter(self.of.values())).level

    @property
    def random(self) -> str:
        """What the intervals cover."""
        return (
            "Intervals reflect sampling variability of the test cases. The ensembles and the split are held "
            "fixed. All ensembles are tested on the same cases, so overlapping intervals do not show that "
            "two ensembles are equal."
        )

    def curves(self) -> tuple[tuple[Curve, ...], ...]:
        """Return the curves of the pictures, one for each ensemble.

        They are errors without their bands, margins, and pairs of members.
        """
        by_title: dict[str, list[Curve]] = {}
        for name, assessment in self.of.items():
            plain = {"low": None, "high": None, "band": "", "series": name}
            for cases, grown in assessment.growths.items():
                title = f"Error {OF_CASES[cases]}"
                error_curve = replace(grown.curve(assessment.level), title=title, **plain)  # type: ignore[arg-type]
                by_title.setdefault(title, []).append(error_curve)
            for curve in (curve for curves in assessment.curves()[1:] for curve in curves):
                if curve.series != "out of bag":
                    by_title.setdefault(curve.title, []).append(replace(curve, series=name))
        first = [title for title in by_title if title.startswith("Error on the test")]
        rest = sorted(
            (title for title in by_title if title not in first), key=lambda title: "training" in title
        )
        return tuple(tuple(by_title[title]) for title in (*first, *rest))

    def frame(self) -> Any:
        """Return a PyArrow table with one row for each ensemble, kind of cases and size.

        Columns: ensemble, cases, members, error, low, high.
        """
        rows = [
            {"ensemble": name, "cases": cases} | row
            for name, assessment in self.of.items()
            for cases, grown in assessment.growths.items()
            for row in grown.frame(assessment.level).to_pylist()
        ]
        return frame_of(rows, kinds={"cases": "text", "members": "whole", "unvoted": "whole"})

    def __repr__(self) -> str:
        return clean(
            f"EnsembleAssessments({', '.join(self.of)}: {self.n_train:,} cases, tested on {self.n_test:,})"
        )
