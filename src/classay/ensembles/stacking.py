"""Stacking: a combiner that learns from what the members say."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import StackingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import check_cv
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _num_samples, check_array, column_or_1d

from classay.columns.values import listing
from classay.ensembles.diversity import codes_of
from classay.ensembles.growth import Growth
from classay.ensembles.members import Members, refuse_one_class
from classay.ensembles.tally import Said, Tally, Vote, margins
from classay.errors import InputError, check_word, in_our_words, shown
from classay.resampling.fit.answers import is_of_pairs
from classay.resampling.fit.searches import grouped

Array = NDArray[Any]
TOO_GOOD = (
    "too good: the combiner learned from members that were fitted to the cases it is tested on; assess with new cases, "
    "or evaluate it"
)
LevelOne = Literal["out-of-fold", "in-sample"]


def _combiner_has(method: str) -> Callable[[Any], bool]:
    """Whether the combiner has a method, before the fit too."""
    return lambda stack: hasattr(stack._combiner_to_be, method)


class Stacking(Members, StackingClassifier):  # type: ignore[misc]
    """Stacked generalization: members of different kinds, and a combiner that learns from what they say of each case.

    scikit-learn's StackingClassifier with the same members and combiner, and what it lacks. `level_one` says what the
    combiner learns from: "out-of-fold" predictions of members fitted to the other folds of `cv` (the default; Wolpert
    1992, Neural Networks 5:241), or "in-sample" predictions on the very cases that each member was fitted to, as
    textbooks have it. In sample a member that repeats its cases, such as one nearest neighbour, looks perfect, and the
    combiner trusts it blindly.

    Votes are those of the members; the combiner decides. Growth with 1, 2, … members is that of combiners of the first
    members alone. `assess` shows it on the training cases (`training_`) and out of fold, where for each fold of `cv` a
    combiner learns from the level-one cases of the others. That error has no interval, because it is too good: the
    members whose answers those are were fitted to the cases of the fold. `growth(X, y)` of new cases, or
    `classay.evaluate`, gives an interval. `level_one_` holds what the combiner learned from.
    `groups` of `fit`, one for each case, stay whole in the folds of `cv`: where `cv` is a number, by
    StratifiedGroupKFold.
    `progress` is called with the number of members that are fitted, out of fold too, and that of all; it changes no
    member. Raises InputError for one class only, and where a member cannot be fitted.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(random_state=0))]
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> Stacking(members).fit(X[::2], y[::2]).growth(X[1::2], y[1::2]).estimate()
    Estimate(0.074 [0.049, 0.110] 95 %, Wilson)
    """

    rule = "The combiner says the class from what the members say."
    no_out_of_bag = "the combiner learned from what members said of the very cases they were fitted to"

    estimators: Any
    final_estimator: Any
    cv: Any
    passthrough: bool
    level_one_: Any
    level_one_in_sample_: Any
    level_one_truth_: Array
    level_one_weight_: Array | None
    level_one_widths_: list[int]
    level_one_folds_: list[Array] | None
    _said_in_fit: list[Any]
    _out_of_fold: list[Any]

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
        """Fit the members, and the combiner to what they say; `sample_weight` is passed to all of them."""
        check_word("level_one", self.level_one, ("out-of-fold", "in-sample"))
        if y is not None:
            check_array(y, ensure_2d=False, dtype=None, input_name="y")  # a missing label has no kind
        check_classification_targets(y)
        if type_of_target(y) == "multilabel-indicator":
            raise InputError("y has several columns of labels: pass one.")
        labels = column_or_1d(y, warn=True)
        refuse_one_class(np.unique(labels))
        part = copy(self)
        for name in ("level_one_", "level_one_in_sample_"):
            part.__dict__.pop(name, None)
        if self.cv != "prefit" or self.level_one == "in-sample":
            part.cv = self._folds(X, labels, groups)
        folds = None if part.cv == "prefit" else [test for _, test in part.cv]
        if self.progress is None or folds is None:
            part._fit_at_once(X, labels, fit_params)
        else:
            part._fit_in_steps(X, labels, fit_params)
        own = self.get_params(deep=False)
        self.__dict__.update({name: value for name, value in vars(part).items() if name not in own})
        self.level_one_folds_ = folds
        self._keep(X, labels, fit_params.get("sample_weight"))
        if self.progress is not None and folds is None:
            self.progress(len(self.estimators_), len(self.estimators_))
        return self

    def _fit_at_once(self, X: Any, y: Array, fit_params: dict[str, Any]) -> None:
        """scikit-learn's fit, with its errors in our words once the cases are known to be some."""
        try:
            super().fit(X, y, **fit_params)
        except Exception as error:
            before_folds = not hasattr(self, "estimators_")
            is_of_cases = not hasattr(self, "classes_") or (before_folds and isinstance(error, ValueError))
            if is_of_cases or isinstance(error, TypeError | InputError):
                raise
            raise InputError(
                f"a member or the combiner cannot be fitted ({shown(error)}): pass bases that learn from each fold."
            ) from error

    def _fit_in_steps(self, X: Any, y: Array, fit_params: dict[str, Any]) -> None:
        """Fit one member at a time, and tell how many there are; then the combiner to what they said."""
        assert self.progress is not None
        self._validate_estimators()
        used = [(name, each) for name, each in self.estimators if each != "drop"]
        fitted, said = {}, []
        for done, (name, each) in enumerate(used, 1):
            alone = copy(self)
            alone.estimators, alone.final_estimator, alone.passthrough = (
                [(name, each)],
                DummyClassifier(),
                False,
            )
            alone._fit_at_once(X, y, fit_params)
            fitted[name] = alone.estimators_[0]
            said.extend(alone._said_in_fit)
            self.progress(done, len(used))
        self.estimators = [(name, fitted.get(name, each)) for name, each in self.estimators]
        self.cv, self._out_of_fold = "prefit", said
        self._fit_at_once(X, y, fit_params)

    def _folds(self, X: Any, y: Array, groups: Any) -> list[tuple[Array, Array]]:
        """Training and test cases of each fold: settled before the fit, so that they are known after it."""
        if self.level_one == "in-sample":
            every = np.arange(_num_samples(X))
            return [(every, every)]
        if groups is not None and not hasattr(self.cv, "split") and not isinstance(self.cv, Iterable):
            return list(grouped(5 if self.cv is None else self.cv, groups).split(X, y, groups))
        splitter = check_cv(self.cv, y, classifier=True)
        return list(splitter.split(X, y, groups))

    def _keep(self, X: Any, y: Array, weight: Any) -> None:
        """What the growth on the training cases is made of."""
        del self._said_in_fit
        self.level_one_truth_ = np.searchsorted(self.classes_, y)
        self.level_one_weight_ = None if weight is None else np.asarray(weight, float)
        if self._is_in_sample:
            self.level_one_in_sample_ = self.level_one_
        elif not hasattr(self, "level_one_in_sample_"):
            self.level_one_in_sample_ = self._transform(X)

    @property
    def _is_in_sample(self) -> bool:
        return self.level_one == "in-sample" or self.level_one_folds_ is None

    @property
    def _combiner_to_be(self) -> Any:
        """The combiner, or before the fit what it will be."""
        found = getattr(self, "final_estimator_", self.final_estimator)
        return LogisticRegression() if found is None else found

    @available_if(_combiner_has("predict"))  # type: ignore[untyped-decorator]
    def predict(self, X: Any, **predict_params: Any) -> Array:
        """The class that the combiner says of each case, `(cases,)`."""
        self._check_fitted()
        return np.asarray(super().predict(X, **predict_params))

    @available_if(_combiner_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """The probabilities that the combiner gives the classes, `(cases, classes)`."""
        self._check_fitted()
        return np.asarray(super().predict_proba(X))

    @available_if(_combiner_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Array:
        """The scores that the combiner gives: `(cases,)` of two classes, `(cases, classes)` of more."""
        self._check_fitted()
        return np.asarray(super().decision_function(X))

    @property
    def training_(self) -> Growth | None:  # type: ignore[override]
        """The error on the training cases of combiners of the first 1, 2, … members; None before the fit."""
        if not hasattr(self, "level_one_truth_"):
            return None
        tally = Tally(self.level_one_truth_, len(self.classes_), self.level_one_weight_)
        self._grow(self.level_one_in_sample_, tally)
        return tally.growth("training", no_interval="of the very cases the members were fitted to")

    def _member_text(self) -> str:
        return ", ".join(name for name, each in self.estimators if each != "drop")

    def _on_training(self) -> dict[str, Any]:
        if self._is_in_sample:
            return {"training": self.training_, "out_of_bag": None, "margins": {}}
        truth = self.level_one_truth_
        tally = Tally(truth, len(self.classes_), self.level_one_weight_)
        every = np.arange(truth.shape[0])
        said, shares = self._combiners([(_others(test, every), test) for test in self.level_one_folds_ or ()])
        for codes in said:
            tally.say(codes)
        own = {"out of fold": margins(shares, truth)}
        found = tally.growth("out of fold", no_interval=TOO_GOOD)
        return {"training": self.training_, "out_of_bag": found, "margins": own}

    def _combiners(self, parts: list[tuple[Array, Array]]) -> tuple[Array, Array]:
        """What combiners of the first 1, 2, … members say, `(members, cases)`; shares of the last, `(cases, classes)`.

        Each is fitted to the first cases of each part and says the classes of the second.
        """
        truth, table = self.level_one_truth_, self.level_one_
        members = len(self.estimators_)
        said = np.zeros((members, truth.shape[0]), np.intp)
        shares = np.zeros((truth.shape[0], len(self.classes_)))
        for train, test in parts:
            for member in range(members):
                columns = self._columns(member)
                fitted = self._combiner(train, columns)
                shown_to = table[test][:, columns]
                said[member, test] = fitted.predict(shown_to)
            shares[test] = self._shares(fitted, shown_to)
        return said, shares

    def _combiner(self, rows: Array, columns: Array) -> Any:
        """A combiner of some members, fitted to some level-one cases."""
        weight = self.level_one_weight_
        how = {} if weight is None else {"sample_weight": weight[rows]}
        with in_our_words("a combiner cannot be fitted", "pass one that learns from each fold of cv."):
            fitted = clone(self.final_estimator_)
            return fitted.fit(self.level_one_[rows][:, columns], self.level_one_truth_[rows], **how)

    def _columns(self, last: int) -> Array:
        """The columns of the level-one table for the members up to one, and the features passed through."""
        ends = np.cumsum(self.level_one_widths_)
        passed = np.arange(ends[-1], self.level_one_.shape[1])
        return np.concatenate([np.arange(ends[last]), passed])

    def _shares(self, combiner: Any, table: Any) -> Array:
        """What a combiner says for each class: its probabilities, or one vote."""
        shares = np.zeros((table.shape[0], len(self.classes_)))
        codes = np.asarray(combiner.classes_).astype(np.intp)
        if hasattr(combiner, "predict_proba"):
            shares[:, codes] = combiner.predict_proba(table)
        else:
            shares[np.arange(table.shape[0]), combiner.predict(table)] = 1.0
        return shares

    def _for_members(self, X: Any) -> Any:
        """What the members say of the cases, as the combiner is shown it."""
        return self._transform(X)

    def _vote(self, member: int, X: Any) -> Vote:
        ends = np.cumsum(self.level_one_widths_)
        own = X[:, ends[member] - self.level_one_widths_[member] : ends[member]]
        own = own.toarray() if hasattr(own, "toarray") else own
        method = self.stack_method_[member]
        if method == "predict":
            return Said(self._codes_of(own[:, 0]))
        if own.shape[1] == 1:
            return Said((own[:, 0] > (0.5 if method == "predict_proba" else 0.0)).astype(np.intp))
        if method == "decision_function" and is_of_pairs(self.estimators_[member]):
            own = votes_of_pairs(own, len(self.classes_))
        return Said(own.argmax(1))

    def _codes_of(self, said: Array) -> Array:
        """The classes that a member names, as codes: it names its own labels where it was fitted before, else codes."""
        if self.level_one == "in-sample" or self.level_one_folds_ is not None:
            return said.astype(np.intp)
        codes = np.searchsorted(self.classes_, said).clip(max=len(self.classes_) - 1)
        unknown = self.classes_[codes] != said
        if unknown.any():
            raise InputError(
                f"a member says {said[unknown].tolist()[0]!r}, which is none of the classes of the fit, "
                f"{listing(self.classes_.tolist())}: pass members that were fitted to these."
            )
        return codes

    def _combined(self, X: Any) -> Array:
        return self._shares(self.final_estimator_, self._for_members(X))

    def _heard(self, X: Any, tally: Tally) -> tuple[Array, Array]:
        table = self._for_members(X)
        self._grow(table, tally)
        said = codes_of(self._all_votes(table), len(self.classes_))
        return said, self._shares(self.final_estimator_, table)

    def _grow(self, table: Any, tally: Tally) -> None:
        """Count what combiners of the first 1, 2, … members say of cases, from what the members say of them."""
        every = np.arange(self.level_one_truth_.shape[0])
        for member in range(len(self.estimators_) - 1):
            columns = self._columns(member)
            tally.say(self._combiner(every, columns).predict(table[:, columns]))
        tally.say(self.final_estimator_.predict(table))

    def _concatenate_predictions(self, X: Any, predictions: list[Any]) -> Any:
        if hasattr(self, "level_one_"):
            return super()._concatenate_predictions(X, predictions)
        # the first time is that of the fit
        if hasattr(self, "_out_of_fold"):  # of members fitted before, in steps
            self.level_one_in_sample_ = super()._concatenate_predictions(X, predictions)
            predictions = self.__dict__.pop("_out_of_fold")
        self._said_in_fit = predictions
        self.level_one_ = super()._concatenate_predictions(X, predictions)
        self.level_one_widths_ = list(self._n_feature_outs)
        return self.level_one_


def votes_of_pairs(decisions: Array, classes: int) -> Array:
    """How many of its pairs each class wins, `(cases, classes)`, by decisions `(cases, pairs)`: above 0, the first.

    >>> votes_of_pairs(np.array([[1.0, -1.0, -1.0]]), 3).tolist()
    [[1.0, 0.0, 2.0]]
    """
    votes = np.zeros((decisions.shape[0], classes))
    for pair, (first, second) in enumerate(combinations(range(classes), 2)):
        wins = decisions[:, pair] > 0
        votes[:, first] += wins
        votes[:, second] += ~wins
    return votes


def _others(test: Array, every: Array) -> Array:
    """The cases that are not in a fold."""
    return np.setdiff1d(every, test)
