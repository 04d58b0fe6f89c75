"""Classes and methods of ensembles of former releases, which go in the next one."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.utils.validation import _num_samples, check_is_fitted

from classay.ensembles.ensemble_assessment import EnsembleAssessment, assess
from classay.ensembles.growth import Diversity, Growth, Tally
from classay.ensembles.members import Stack, members_of, refuse_one_class
from classay.errors import InputError, check_word

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
