"""What bagging and random forests share: members of bootstrap samples, which all have the same say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy, deepcopy
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.ensembles.members import TIES, Members, refuse_one_class
from classay.ensembles.tally import Said, Shared, Tally, Vote, margins
from classay.errors import InputError, check_word, in_our_words, shown

Array = NDArray[Any]
Voting = Literal["soft", "hard"]
RULES = {
    "soft": "The members' probabilities are added (of members without any, their votes), and the class with most wins.",
    "hard": "Each member votes for one class, and the class with most votes wins.",
}
ADVICE = "a bootstrap sample may lack a class or hold few different cases; pass a base that learns from such a sample."
STEPS = 20
"""How often `progress` is called."""


class Averaged(Members):
    """A fit of scikit-learn's, after which the votes are counted: once for each member, on the training cases."""

    voting: Voting
    progress: Callable[[int, int], None] | None
    bootstrap: bool
    _seeds: Array
    warm_start: bool
    oob_score: Any
    n_estimators: int
    random_state: Any

    @property
    def no_out_of_bag(self) -> str:  # type: ignore[override]
        """Why no votes out of bag were counted, where there are none."""
        if getattr(self, "max_samples", None) in (None, 1.0):
            return "without bootstrap samples every member was fitted to every case"
        return "members of samples without replacement (bootstrap=False) are not counted out of bag"

    @property
    def rule(self) -> str:  # type: ignore[override]
        """How votes become a class, in one sentence."""
        return f"{RULES[self.voting]} {TIES}"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit all members, and count their votes on the training cases, in and out of bag.

        `X` is `(cases, features)`, dense or sparse; `y` any labels; `sample_weight` sampling weights, as
        scikit-learn's estimator takes them, which also weight the errors. Raises InputError for one class only, for
        two columns of labels, and where a member cannot be fitted.
        """
        check_word("voting", self.voting, ("soft", "hard"))
        if len(getattr(y, "shape", ())) == 2 and y.shape[1] > 1:
            raise InputError(f"y has the shape {y.shape}: pass one column of labels.")
        self._fit_members(X, y, sample_weight)
        refuse_one_class(self.classes_)
        self._count(X, y, sample_weight)
        return self

    def _fit_members(self, X: Any, y: Any, sample_weight: Any) -> None:
        vars(self).pop("estimator_", None)  # scikit-learn sets it once the cases are checked
        seeds = getattr(self, "_seeds", None) if self.warm_start and hasattr(self, "estimators_") else None
        known = len(getattr(self, "estimators_", ())) if self.warm_start else 0
        try:
            if self.progress is None or self.oob_score or known >= self.n_estimators:
                # with its own out-of-bag score, BaggingClassifier fits all members at once
                super().fit(X, y, sample_weight=sample_weight)  # type: ignore[misc]
                if self.progress is not None:
                    self.progress(len(self.estimators_), self.n_estimators)
            else:
                self._fit_in_steps(X, y, sample_weight, known)
        except (InputError, TypeError):
            raise
        except Exception as error:
            if not hasattr(self, "estimator_"):
                raise
            raise InputError(
                f"a member of {type(self).__name__} cannot be fitted ({shown(error)}): {ADVICE}"
            ) from error
        if seeds is not None and len(self.estimators_) > known:
            # BaggingClassifier keeps only the seeds of the members it added last
            self._seeds = np.concatenate([seeds, self._seeds])

    def _fit_in_steps(self, X: Any, y: Any, sample_weight: Any, known: int) -> None:
        """Fit a few members at a time, the very members one fit gives, and tell how many there are."""
        from sklearn.utils import check_random_state

        assert self.progress is not None
        state = check_random_state(self.random_state)
        part, seeds = copy(self), []
        part.warm_start, part.progress = True, None
        if not self.warm_start:
            vars(part).pop("estimators_", None)
        for size in _steps(known, self.n_estimators):
            part.n_estimators, part.random_state = size, deepcopy(state)
            super(Averaged, part).fit(X, y, sample_weight=sample_weight)  # type: ignore[misc]
            seeds.append(getattr(part, "_seeds", np.array([], int)))
            self.progress(size, self.n_estimators)
        state.set_state(part.random_state.get_state())  # it may be the user's own, or the global one
        own = self.get_params(deep=False)  # type: ignore[attr-defined]
        vars(self).update({name: value for name, value in vars(part).items() if name not in own})
        if hasattr(self, "_seeds"):
            self._seeds = np.concatenate(seeds)

    def _count(self, X: Any, y: Any, sample_weight: Any) -> None:
        """The votes on the training cases, each member's once: of all members, and out of bag."""
        truth = np.searchsorted(self.classes_, np.asarray(y).ravel())
        weight = None if sample_weight is None else np.asarray(sample_weight, float)
        training = Tally(truth, len(self.classes_), weight)
        unseen = Tally(truth, len(self.classes_), weight) if self.bootstrap else None
        drawn = self._samples()
        with in_our_words(f"a member of {type(self).__name__} cannot say the classes of its cases", ADVICE):
            for vote in self._all_votes(self._for_members(X)):
                training.add(vote)
                if unseen is not None:
                    unseen.add(vote, np.flatnonzero(_left_out(next(drawn), truth.shape[0])))
        self.training_ = training.growth(
            "training", no_interval="of the very cases the members were fitted to"
        )
        self.out_of_bag_ = self.out_of_bag_margins_ = self.out_of_bag_votes_ = None
        if unseen is not None:
            self.out_of_bag_ = unseen.growth("out of bag")
            self.out_of_bag_votes_ = unseen.votes
            self.out_of_bag_margins_ = margins(unseen.votes, truth)

    def _samples(self) -> Iterator[Array]:
        """The rows that each member was fitted to, drawn again from its seed."""
        for drawn in self._get_estimators_indices():  # type: ignore[attr-defined]
            yield drawn[1] if isinstance(drawn, tuple) else drawn

    def _unseen(self, rows: int) -> Array:
        if not self.bootstrap:
            return super()._unseen(rows)
        if self.training_ is None or rows != self._fitted_rows:
            raise InputError(
                f"there are {rows:,} cases, the ensemble was fitted to {self._fitted_rows:,}: pass these very cases."
            )
        return np.array([_left_out(drawn, rows) for drawn in self._samples()])

    @property
    def _fitted_rows(self) -> int:
        return int(self._n_samples)  # type: ignore[attr-defined]

    def _vote(self, member: int, X: Any) -> Vote:
        fitted = self.estimators_[member]
        codes = np.asarray(fitted.classes_).astype(np.intp)
        own = self._features(member, X)
        if self.voting == "soft" and hasattr(fitted, "predict_proba"):
            return Shared(self._aligned(codes, fitted.predict_proba(own)))
        return Said(np.asarray(fitted.predict(own)).astype(np.intp))

    def _features(self, member: int, X: Any) -> Any:
        """The features that a member knows."""
        del member
        return X

    def predict_proba(self, X: Any) -> Array:
        """The share of the votes for each class, `(cases, classes)`: mean probabilities, or shares of single votes."""
        if self.voting == "soft":
            return np.asarray(super().predict_proba(X))  # type: ignore[misc]
        return self.votes(X) / len(self.estimators_)

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithms of `predict_proba`."""
        if self.voting == "soft":
            return np.asarray(super().predict_log_proba(X))  # type: ignore[misc]
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.target_tags.multi_output = tags.classifier_tags.multi_label = False
        tags.target_tags.two_d_labels = False
        return tags


def _left_out(drawn: Array, rows: int) -> Array:
    """Which of so many rows were not drawn."""
    left = np.ones(rows, bool)
    left[drawn] = False
    return left


def _steps(known: int, members: int) -> list[int]:
    """The sizes to which an ensemble grows step by step."""
    sizes = np.unique(np.linspace(known, members, STEPS + 1).round().astype(int))
    return [int(size) for size in sizes[1:]]
