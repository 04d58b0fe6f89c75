"""AdaBoost: members that learn more from the cases on which those before them were wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import BaseDecisionTree, DecisionTreeClassifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import has_fit_parameter

from classay.ensembles.members import TIES, Members, refuse_one_class
from classay.ensembles.tally import Said, Tally, Vote, margins
from classay.errors import InputError, check_word, shown

Array = NDArray[Any]
Strategy = Literal["resampling", "reweighting"]
SELECTED = "of members that did not draw the case because those before them got it right: it is no error on new cases"


@dataclass(eq=False)
class _Run:
    """What one fit needs from step to step."""

    X: Any
    codes: Array
    training: Tally
    unseen: Tally | None
    least: float
    says: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)


class AdaBoost(Members, AdaBoostClassifier):  # type: ignore[misc]
    """AdaBoost by weighted resampling or by reweighting, for two classes or more.

    Step t draws as many cases as there are, with replacement, by their weights w (`strategy="resampling"`), or passes
    the weights to the base (`"reweighting"`, which is scikit-learn's AdaBoostClassifier). The member's error on all
    cases is ε = Σ w·[wrong], its say α = ln((1 - ε)/ε) + ln(k - 1) for k classes (SAMME; the second term is 0 for
    two), and the weight of each case it gets wrong is multiplied by exp(α). Of two classes these cases then weigh one
    half together, (k - 1)/k of more. The class with the largest sum of says wins. Freund & Schapire 1997, JCSS 55:119;
    Zhu, Zou, Rosset & Hastie 2009, Statistics and Its Interface 2:349.

    Guards: a sample of one class, and a member with ε ≥ 1 - 1/k, which is no better than guessing, are discarded and
    drawn again, at most `draws` times in a step; then boosting ends (by reweighting at once, as the base would learn
    the same again). A member with ε = 0 ends boosting too. Its α would be infinite: it outvotes all members before it.
    InputError where not even the first member is better than guessing, for one class only, and where the base takes
    no weights but should. Weights of cases are sampling weights: w starts with them. `progress` is called with the
    number of members that are fitted and the most there will be.

    `training_` and `training_error_bound()` show the error on the training cases under its bound;
    `estimator_errors_` holds ε and `estimator_weights_` α of each member. The out-of-bag error of resampling is shown
    without an interval: members leave out the cases that are easy.

    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> AdaBoost(random_state=0).fit(X[::2], y[::2]).growth(X[1::2], y[1::2]).estimate()
    Estimate(0.049 [0.030, 0.081] 95 %, Wilson)
    """

    rule = f"Each member votes for one class with its say α, and the class with most votes wins. {TIES}"
    no_out_of_bag = "with weights every member was fitted to every case"

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
        """Boost on the cases; `X` is `(cases, features)`, dense or sparse, `y` any labels."""
        check_word("strategy", self.strategy, ("resampling", "reweighting"))
        if not (isinstance(self.draws, int | np.integer) and self.draws >= 1):
            raise InputError(
                f"draws is {self.draws!r}: pass how often a step may draw, a whole number from 1."
            )
        self._is_weighted = sample_weight is not None
        try:
            super().fit(X, y, sample_weight)
            self._keep(self._run)
        finally:
            self.__dict__.pop("_run", None)
        return self

    def _keep(self, run: _Run) -> None:
        self.training_ = run.training.growth(
            "training", no_interval="of the very cases the members were fitted to"
        )
        self.out_of_bag_ = self.out_of_bag_margins_ = self.out_of_bag_votes_ = None
        if run.unseen is not None:
            self.out_of_bag_ = run.unseen.growth("out of bag", no_interval=SELECTED)
            self.out_of_bag_votes_ = run.unseen.votes
            self.out_of_bag_margins_ = margins(run.unseen.votes, run.codes)

    def training_error_bound(self) -> Array | None:
        """Bound of the training error after each member, Π ((1 - ε) exp(-α/2) + ε exp(α/2)); None beyond two classes.

        Of a learning rate of 1 this is Π 2 sqrt(ε (1 - ε)); shape `(members,)`. Freund & Schapire 1997, theorem 6.
        """
        if len(self.classes_) != 2:
            return None
        members = len(self.estimators_)
        error, say = self.estimator_errors_[:members], self.estimator_weights_[:members]
        factors = (1 - error) * np.exp(-say / 2) + error * np.exp(say / 2)
        return np.cumprod(np.where(error > 0, factors, 0.0))

    def _validate_estimator(self) -> None:
        super(AdaBoostClassifier, self)._validate_estimator(default=DecisionTreeClassifier(max_depth=1))
        if self.strategy == "reweighting" and not has_fit_parameter(self.estimator_, "sample_weight"):
            raise InputError(
                f"{type(self.estimator_).__name__} takes no weights of cases (sample_weight): pass "
                "strategy='resampling', which draws cases by their weights instead."
            )

    def _boost(
        self, iboost: int, X: Any, y: Any, sample_weight: Array, random_state: Any
    ) -> tuple[Any, Any, Any]:
        """One step of scikit-learn's loop: the new weights, say and error of its member; None to end."""
        if iboost == 0:
            self._run = self._start(X, y, sample_weight)
        run = self._run
        found = self._member(run, y, sample_weight, random_state)
        if found is None:
            if not self.estimators_:
                raise InputError(
                    f"no member in {self._tries} draws was better than guessing among {self.n_classes_} classes: pass "
                    "a base that is, or cases with a class to learn."
                )
            return None, None, None
        member, codes, error, drawn = found
        self.estimators_.append(member)
        is_wrong = codes != run.codes
        say = self._say(run, error)
        run.says.append(say)
        vote = Said(codes, say)
        run.training.add(vote)
        if run.unseen is not None:
            run.unseen.add(vote, np.flatnonzero(np.bincount(drawn, minlength=codes.shape[0]) == 0))
        if self.progress is not None:
            self.progress(iboost + 1, self.n_estimators)
        if error > 0:
            sample_weight = np.where(is_wrong, sample_weight * np.exp(say), sample_weight)
        return sample_weight, say, error

    @property
    def _tries(self) -> int:
        return 1 if self.strategy == "reweighting" else self.draws

    def _start(self, X: Any, y: Any, weight: Array) -> _Run:
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        refuse_one_class(self.classes_)
        self.n_classes_ = len(self.classes_)
        if isinstance(self.estimator_, BaseDecisionTree) and isinstance(X, np.ndarray):
            X = X.astype(np.float32)  # as each tree would for itself
        own = weight.copy() if self._is_weighted else None
        tallies = [
            Tally(codes, self.n_classes_, own) for _ in range(2 if self.strategy == "resampling" else 1)
        ]
        least = float(weight[weight > 0].min()) / 2
        return _Run(X, codes, tallies[0], tallies[1] if len(tallies) > 1 else None, least)

    def _member(
        self, run: _Run, y: Array, weight: Array, random_state: Any
    ) -> tuple[Any, Array, float, Array] | None:
        """A member that is better than guessing, what it says of all cases, its error, and the cases it drew."""
        every = np.arange(weight.shape[0])
        for _ in range(self._tries):
            drawn = every
            if self.strategy == "resampling":
                drawn = random_state.choice(weight.shape[0], weight.shape[0], p=weight / weight.sum())
                if np.ptp(run.codes[drawn]) == 0:
                    continue
            member = self._make_estimator(append=False, random_state=random_state)
            said = self._fitted(member, run.X, y, weight, drawn)
            error = float(np.average(said != y, weights=weight))
            if error < 1 - 1 / self.n_classes_:
                return member, self._said(said), max(error, 0.0), drawn
        return None

    def _fitted(self, member: Any, X: Any, y: Array, weight: Array, drawn: Array) -> Array:
        """Fit a member; the labels that it says of all cases."""
        try:
            if self.strategy == "reweighting":
                member.fit(X, y, sample_weight=weight)
            else:
                member.fit(X[drawn], y[drawn])
            return np.asarray(member.predict(X))
        except Exception as error:
            raise InputError(
                f"member {len(self.estimators_) + 1} of AdaBoost cannot be fitted ({shown(error)}): pass a base that "
                "learns from a weighted sample of these cases."
            ) from error

    def _say(self, run: _Run, error: float) -> float:
        """α of a member; of one without an error more than of all before it together."""
        finite = max(error, run.least)
        say = self.learning_rate * float(np.log((1 - finite) / finite) + np.log(self.n_classes_ - 1))
        return float(say if error > 0 else say + sum(run.says))

    def _bound(self) -> Array | None:
        return self.training_error_bound()

    def _for_members(self, X: Any) -> Any:
        return self._check_X(X)

    def _vote(self, member: int, X: Any) -> Vote:
        said = self.estimators_[member].predict(X)
        return Said(self._said(said), float(self.estimator_weights_[member]))
