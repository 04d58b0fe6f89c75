"""Stacking: a combiner that learns from what the members say."""

from __future__ import annotations

from copy import copy
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.ensemble import StackingClassifier
from sklearn.model_selection import check_cv
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _num_samples, check_array, column_or_1d

from classay.ensembles.diversity import codes_of
from classay.ensembles.members import Members, refuse_one_class
from classay.ensembles.tally import Said, Tally, Vote, margins
from classay.errors import InputError, check_word, in_our_words, shown

Array = NDArray[Any]
LevelOne = Literal["out-of-fold", "in-sample"]


class Stacking(Members, StackingClassifier):  # type: ignore[misc]
    """Stacked generalization: members of different kinds, and a combiner that learns from what they say of each case.

    scikit-learn's StackingClassifier with the same members and combiner, and what it lacks. `level_one` says what the
    combiner learns from: "out-of-fold" predictions of members fitted to the other folds of `cv` (the default; Wolpert
    1992, Neural Networks 5:241), or "in-sample" predictions on the very cases that each member was fitted to, as
    textbooks have it. In sample a member that repeats its cases, such as one nearest neighbour, looks perfect, and the
    combiner trusts it blindly.

    Votes are those of the members; the combiner decides. Growth with 1, 2, … members is that of combiners of the first
    members alone. `assess` shows it out of fold: for each fold of `cv` a combiner learns from the level-one cases of
    the others. In sample it shows the error of training. `level_one_` holds what the combiner learned from. Raises
    InputError for one class only, and where a member cannot be fitted.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(random_state=0))]
    >>> stack = Stacking(members).fit(*load_breast_cancer(return_X_y=True))
    >>> stack.assess().out_of_bag.estimate()
    Estimate(0.060 [0.043, 0.082] 95 %, Wilson)
    """

    rule = "The combiner says the class from what the members say."
    no_out_of_bag = "the combiner learned from what members said of the very cases they were fitted to"

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

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Stacking:
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
        part.__dict__.pop("level_one_", None)
        if self.cv != "prefit" or self.level_one == "in-sample":
            part.cv = self._folds(X, labels)
        try:
            super(Stacking, part).fit(X, labels, **fit_params)
        except Exception as error:
            if not hasattr(part, "classes_") or isinstance(error, TypeError | InputError):
                raise
            if not hasattr(part, "estimators_"):
                raise
            raise InputError(
                f"a member or the combiner cannot be fitted ({shown(error)}): pass bases that learn from each fold."
            ) from error
        own = self.get_params(deep=False)
        self.__dict__.update({name: value for name, value in vars(part).items() if name not in own})
        self.level_one_folds_ = None if part.cv == "prefit" else [test for _, test in part.cv]
        self._keep(labels, fit_params.get("sample_weight"))
        return self

    def _folds(self, X: Any, y: Array) -> list[tuple[Array, Array]]:
        """Training and test cases of each fold: settled before the fit, so that they are known after it."""
        if self.level_one == "in-sample":
            every = np.arange(_num_samples(X))
            return [(every, every)]
        splitter = check_cv(self.cv, y, classifier=True)
        return list(splitter.split(X, y))

    def _keep(self, y: Array, weight: Any) -> None:
        """What the growth on the cases of training is made of."""
        self.level_one_truth_ = np.searchsorted(self.classes_, y)
        self.level_one_weight_ = None if weight is None else np.asarray(weight, float)

    def _member_text(self) -> str:
        return ", ".join(name for name, each in self.estimators if each != "drop")

    def _on_training(self) -> dict[str, Any]:
        truth, folds = self.level_one_truth_, self.level_one_folds_
        every = np.arange(truth.shape[0])
        is_in_sample = self.level_one == "in-sample" or folds is None
        parts = [(every, every)]
        if folds is not None and not is_in_sample:
            parts = [(_others(test, every), test) for test in folds]
        tally = Tally(truth, len(self.classes_), self.level_one_weight_)
        said, shares = self._combiners(parts)
        for codes in said:
            tally.say(codes)
        if is_in_sample:
            grown = tally.growth("training", no_interval="of the very cases the members were fitted to")
            return {"training": grown, "out_of_bag": None, "margins": {}}
        own = {"out of fold": margins(shares, truth)}
        return {"training": None, "out_of_bag": tally.growth("out of fold"), "margins": own}

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
        return self.transform(X)

    def _vote(self, member: int, X: Any) -> Vote:
        ends = np.cumsum(self.level_one_widths_)
        own = X[:, ends[member] - self.level_one_widths_[member] : ends[member]]
        own = own.toarray() if hasattr(own, "toarray") else own
        method = self.stack_method_[member]
        if method == "predict":
            return Said(own[:, 0].astype(np.intp))
        if own.shape[1] > 1:
            return Said(own.argmax(1))
        return Said((own[:, 0] > (0.5 if method == "predict_proba" else 0.0)).astype(np.intp))

    def _combined(self, X: Any) -> Array:
        return self._shares(self.final_estimator_, self.transform(X))

    def _heard(self, X: Any, tally: Tally) -> tuple[Array, Array]:
        table = self._for_members(X)
        every = np.arange(self.level_one_truth_.shape[0])
        for member in range(len(self.estimators_) - 1):
            columns = self._columns(member)
            tally.say(self._combiner(every, columns).predict(table[:, columns]))
        tally.say(self.final_estimator_.predict(table))
        said = codes_of(self._all_votes(table), len(self.classes_))
        return said, self._shares(self.final_estimator_, table)

    def _concatenate_predictions(self, X: Any, predictions: list[Any]) -> Any:
        made = super()._concatenate_predictions(X, predictions)
        if not hasattr(self, "level_one_"):  # the first time is that of the fit
            self.level_one_ = made
            self.level_one_widths_ = list(self._n_feature_outs)
        return made


def _others(test: Array, every: Array) -> Array:
    """The cases that are not in a fold."""
    return np.setdiff1d(every, test)
