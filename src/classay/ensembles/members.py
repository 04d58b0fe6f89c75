"""How the members of each kind of fitted ensemble vote, and how their votes are counted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.tree import BaseDecisionTree
from sklearn.utils.validation import check_is_fitted, validate_data

from classay.columns.values import listing
from classay.ensembles.growth import Ballot, Shared, Tally, Vote, code_of
from classay.errors import InputError
from classay.resampling.fitting import is_of_pairs

Array = NDArray[Any]
TIES = "Ties go to the first class in order."
"""The rule for ties, of all that vote."""
NO_TRAINING = "the training cases were not given"
RULES = {
    "soft": "The probabilities of the members are added (votes if a member has none), and the class with the "
    "largest sum wins.",
    "hard": "Each member votes for one class, and the class with most votes wins.",
}


class Members(ABC):
    """The members of a fitted ensemble: what each says of cases, and what the first 1, 2, … of them say together."""

    rule: str
    """How votes become a class, in one sentence."""
    no_out_of_bag = "every member was fitted to every case"
    """Why there are no out-of-bag votes, where there are none."""

    def __init__(self, fitted: Any) -> None:
        self.fitted = fitted
        self.classes: Array = fitted.classes_

    @property
    def number(self) -> int:
        """How many members there are."""
        return len(self.fitted.estimators_)

    @property
    def text(self) -> str:
        """What the members are."""
        return type(self.fitted.estimators_[0]).__name__

    @property
    def bound(self) -> Array | None:
        """A bound of the training error at each size, where one is known."""
        return None

    @property
    def rounds(self) -> Rounds | None:
        """The rounds of boosting, where members have an error and a say."""
        return None

    def samples(self, rows: int) -> Iterator[Array] | None:
        """The rows of training that each member was fitted to, drawn again; None where there are no votes out of bag.

        Raises InputError where the fit was of another number of rows.
        """
        del rows
        return None

    @abstractmethod
    def heard(self, X: Any, tally: Tally) -> tuple[Array | None, Array]:
        """Count the ensembles of the first 1, 2, … members.

        Returns the class that each member says, `(members, cases)`, None where the members are no classifiers; and the
        votes or scores of the whole ensemble for each class, `(cases, classes)`.
        """


class Voters(Members):
    """Members that vote, one after the other; the class with most votes wins."""

    @abstractmethod
    def prepared(self, X: Any) -> Any:
        """Return the cases as the members take them."""

    @abstractmethod
    def vote(self, member: int, X: Any) -> Vote:
        """Return what one member says of prepared cases."""

    def votes(self, X: Any) -> Iterator[Vote]:
        """Return the votes of all members in their order, by as many threads as there are jobs."""
        from joblib import effective_n_jobs
        from sklearn.utils.parallel import Parallel, delayed

        cases, n_jobs = self.prepared(X), getattr(self.fitted, "n_jobs", None)
        if effective_n_jobs(n_jobs) == 1:
            return (self.vote(member, cases) for member in range(self.number))
        run = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
        votes: Iterator[Vote] = run(delayed(self.vote)(member, cases) for member in range(self.number))
        return votes

    def heard(self, X: Any, tally: Tally) -> tuple[Array | None, Array]:
        """Return the votes are added one after the other."""
        codes = []
        for vote in self.votes(X):
            tally.add(vote)
            codes.append(code_of(vote, len(self.classes)))
        return np.array(codes), tally.votes


class _Averaged(Voters):
    """Bagging and forests: members of samples of the cases, which all have the same say."""

    @property
    def rule(self) -> str:  # type: ignore[override]
        """How votes become a class; ensembles of classay's former releases may vote hard."""
        return f"{RULES[self._voting]} {TIES}"

    @property
    def _voting(self) -> str:
        return str(getattr(self.fitted, "voting", "soft"))

    def vote(self, member: int, X: Any) -> Vote:
        """Probabilities of all classes, where a sample may have lacked some; or one class."""
        fitted = self.fitted.estimators_[member]
        codes = np.asarray(fitted.classes_).astype(np.intp)
        features = self._features(member, X)
        if self._voting == "hard" or not hasattr(fitted, "predict_proba"):
            return Ballot(np.asarray(fitted.predict(features)).astype(np.intp))
        shares = fitted.predict_proba(features)
        if shares.shape[1] == len(self.classes):
            return Shared(shares)
        all_shares = np.zeros((shares.shape[0], len(self.classes)))
        all_shares[:, codes] = shares
        return Shared(all_shares)

    def _features(self, member: int, X: Any) -> Any:
        """Return the features that a member knows."""
        del member
        return X

    def samples(self, rows: int) -> Iterator[Array] | None:
        """Return the rows of each member, drawn again from its seed."""
        if (why := self._why_unknown()) is not None:
            self.no_out_of_bag = why
            return None
        if rows != self.fitted._n_samples:
            raise InputError(
                f"training has {rows:,} cases, but the ensemble was fitted to {self.fitted._n_samples:,}. Pass "
                "the cases of the fit in their order."
            )
        drawn = self._seeded()._get_estimators_indices()
        return (indices[1] if isinstance(indices, tuple) else indices for indices in drawn)

    def _why_unknown(self) -> str | None:
        """Return why nobody knows which rows a member has not seen, or there are none."""
        fitted = self.fitted
        most = getattr(fitted, "_max_samples", fitted._n_samples)
        if not fitted.bootstrap and most >= fitted._n_samples:
            return "without bootstrap samples every member was fitted to every case"
        if type(fitted).__module__.split(".")[0] not in ("sklearn", "classay"):
            return f"{type(fitted).__name__} may draw samples in another way than scikit-learn's ensembles"
        if len(getattr(self._seeded(), "_seeds", fitted.estimators_)) != len(fitted.estimators_):
            return "scikit-learn keeps only the samples of the last members added (warm_start)"
        return None

    def _seeded(self) -> Any:
        """The ensemble with the seeds of all its members: after a warm start it keeps those that it added last."""
        fitted = self.fitted
        seeds = getattr(fitted, "_seeds", None)
        members = len(fitted.estimators_)
        if seeds is None or len(seeds) == members or not isinstance(fitted.random_state, int | np.integer):
            return fitted
        drawn = np.random.RandomState(fitted.random_state).randint(np.iinfo(np.int32).max, size=members)
        if not np.array_equal(drawn[members - len(seeds) :], seeds):
            return fitted
        ensemble = copy(fitted)
        ensemble._seeds = drawn
        return ensemble


class Forest(_Averaged):
    """Random forests and extra trees."""

    def prepared(self, X: Any) -> Any:
        """Return the cases in single precision, checked once."""
        return self.fitted._validate_X_predict(X)


class Bag(_Averaged):
    """Bagging, pasting, random subspaces."""

    def prepared(self, X: Any) -> Any:
        """Return the cases as scikit-learn checks them."""
        features = validate_data(
            self.fitted, X, accept_sparse=["csr", "csc"], dtype=None, ensure_all_finite=False, reset=False
        )
        if isinstance(self.fitted.estimators_[0], BaseDecisionTree) and isinstance(features, np.ndarray):
            return features.astype(np.float32, copy=False)  # as each tree would for itself
        return features

    def _features(self, member: int, X: Any) -> Any:
        columns = self.fitted.estimators_features_[member]
        return X if np.array_equal(columns, np.arange(X.shape[1])) else X[:, columns]


class Boosted(Voters):
    """AdaBoost: each member votes for one class with its say α."""

    rule = (
        "Each member votes for one class with weight α, and the class with the largest total weight "
        f"wins. {TIES}"
    )

    @property
    def no_out_of_bag(self) -> str:  # type: ignore[override]
        """Why there are no votes out of bag: members saw all cases, or their samples depend on earlier errors."""
        if getattr(self.fitted, "strategy", "reweighting") == "resampling":
            return "not available for boosting: later members are trained on the errors of earlier ones"
        return "with weights, every member was fitted to every case"

    @property
    def bound(self) -> Array | None:
        """The bound of the training error of two classes: Freund & Schapire 1997, theorem 6."""
        return self.rounds.bound

    @property
    def rounds(self) -> Rounds:
        """The rounds of the boosting."""
        return Rounds.of(self.fitted)

    def prepared(self, X: Any) -> Any:
        """Return the cases as scikit-learn checks them."""
        return self.fitted._check_X(X)

    def vote(self, member: int, X: Any) -> Vote:
        """Return one class, with the member's say."""
        codes = np.searchsorted(self.classes, self.fitted.estimators_[member].predict(X))
        return Ballot(codes, float(self.fitted.estimator_weights_[member]))


@dataclass(frozen=True, eq=False)
class Rounds:
    """Rounds of an AdaBoost, with the error ε and weight α of each member.

    Parameters
    ----------
    errors : array
        ε, the weight of the incorrect cases of the member in its round, of a total of 1, `(rounds,)`.
    says : array
        α, `(rounds,)`.
    classes : int
        Number k of classes.

    Notes
    -----
    A round multiplies the weight of each incorrect case by exp(α). They then have `weights` of a total of
    1, ε exp(α) / (1 - ε + ε exp(α)). With a learning rate of 1 that is one half for two classes, and (k -
    1)/k for k. A member without an error ends the boosting, and leaves no case to weight.

    References
    ----------
    Freund & Schapire 1997, JCSS 55:119.

    Zhu, Zou, Rosset & Hastie 2009, Statistics and Its Interface 2:349.

    Examples
    --------
    >>> print(Rounds(np.array([0.3, 0.21]), np.log([7 / 3, 79 / 21]), 2))
    round  error ε  vote weight α  factor exp(α)  weight of errors  bound of training
        1    0.300          0.847          2.333             0.500              0.917
        2    0.210          1.325          3.762             0.500              0.747
    """

    errors: Array
    says: Array
    classes: int

    @classmethod
    def of(cls, fitted: Any) -> Rounds:
        """Return the rounds of a fitted AdaBoost."""
        members = len(fitted.estimators_)
        errors, says = (
            np.asarray(series[:members], float)
            for series in (fitted.estimator_errors_, fitted.estimator_weights_)
        )
        return cls(errors, says, len(fitted.classes_))

    @property
    def factors(self) -> Array:
        """Factor exp(α) on the weight of each incorrect case.

        It is 1 for a member without incorrect cases.
        """
        return np.where(self.errors > 0, np.exp(self.says), 1.0)

    @property
    def weights(self) -> Array:
        """Share of all weight of the incorrect cases, after the round."""
        after = self.errors * self.factors
        return np.asarray(after / (1 - self.errors + after))

    @property
    def bound(self) -> Array | None:
        """Bound of the training error after each round.

        It is None for more than two classes.

        Notes
        -----
        Π ((1 - ε) exp(-α/2) + ε exp(α/2)).
        """
        if self.classes != 2:
            return None
        steps = (1 - self.errors) * np.exp(-self.says / 2) + self.errors * np.exp(self.says / 2)
        return np.cumprod(np.where(self.errors > 0, steps, 0.0))

    def columns(self) -> dict[str, Array]:
        """Return one column for each number of a round, by name."""
        columns = {"error ε": self.errors, "vote weight α": self.says, "factor exp(α)": self.factors}
        columns["weight of errors"] = self.weights
        return columns if self.bound is None else columns | {"bound of training": self.bound}

    def frame(self) -> Any:
        """Return a PyArrow table with one row for each round.

        Columns: round, error, say, factor, weight, bound (NaN for more than two classes).
        """
        import pyarrow as pa

        bound = np.full(self.errors.shape, np.nan) if self.bound is None else self.bound
        named = {"error": self.errors, "say": self.says, "factor": self.factors, "weight": self.weights}
        return pa.table({"round": np.arange(1, self.errors.size + 1)} | named | {"bound": bound})

    def __str__(self) -> str:
        columns = self.columns()
        rows = [["round", *columns]]
        rows += [
            [str(k + 1), *(f"{float(column[k]):.3f}" for column in columns.values())]
            for k in range(self.errors.size)
        ]
        widths = [max(map(len, texts)) for texts in zip(*rows, strict=True)]
        return "\n".join("  ".join(map(str.rjust, row, widths)) for row in rows)

    def __repr__(self) -> str:
        return f"Rounds({self.errors.size} of boosting; print it, or see .frame())"


class Named(Voters):
    """A vote of learners of different kinds, each with its weight."""

    @property
    def rule(self) -> str:  # type: ignore[override]
        """How votes become a class."""
        weights = self.fitted._weights_not_none
        by_weight = "" if weights is None else f" The weights of the votes are {listing(list(weights))}."
        return f"{RULES[self.fitted.voting]}{by_weight} {TIES}"

    @property
    def text(self) -> str:
        """The names of the members."""
        return _names(self.fitted)

    def prepared(self, X: Any) -> Any:
        """Return the cases as they are."""
        return X

    def vote(self, member: int, X: Any) -> Vote:
        """Return a member's probabilities or its class, times its weight."""
        fitted, weights = self.fitted.estimators_[member], self.fitted._weights_not_none
        weight = 1.0 if weights is None else float(weights[member])
        if self.fitted.voting == "soft":
            return Shared(fitted.predict_proba(X), weight)
        return Ballot(np.asarray(fitted.predict(X)).astype(np.intp), weight)


class Stages(Members):
    """Gradient boosting: each stage adds to the scores of those before it, and says nothing by itself."""

    rule = "Each stage adds a tree to the score of each class, and the class with the highest score wins."
    no_out_of_bag = "a stage corrects earlier stages and has no separate vote"

    @property
    def number(self) -> int:
        """How many stages there are."""
        return int(getattr(self.fitted, "n_iter_", 0) or self.fitted.n_estimators_)

    @property
    def text(self) -> str:
        """What a stage adds."""
        return "regression trees"

    def heard(self, X: Any, tally: Tally) -> tuple[Array | None, Array]:
        """scikit-learn says what each stage predicts."""
        for labels in self.fitted.staged_predict(X):
            tally.say(np.searchsorted(self.classes, labels))
        return None, np.asarray(self.fitted.predict_proba(X))


class Stack(Members):
    """Stacking: a combiner says the class from what the members say; the first of them have a combiner of their own."""

    rule = "The combiner predicts the class from the predictions of the members."
    no_out_of_bag = "the combiner was trained on the predictions for these cases"

    @property
    def text(self) -> str:
        """The names of the members."""
        return _names(self.fitted)

    @property
    def _ends(self) -> Array:
        """Where the columns of each member end in what the combiner is shown."""
        return np.cumsum(self.fitted._n_feature_outs)

    def heard(self, X: Any, tally: Tally) -> tuple[Array | None, Array]:
        """Fit combiners of the first members again, if the stack has kept what the members said."""
        table, final = self.fitted._transform(X), self.fitted.final_estimator_
        table = table.to_numpy() if hasattr(table, "to_numpy") else table
        for member in range(self.number - 1):
            columns = self._columns(member, table.shape[1])
            first = self._combiner(columns)
            if first is None:
                tally.pass_over()
            else:
                tally.say(first.predict(table[:, columns]))
        tally.say(final.predict(table))
        codes = [
            code_of(Ballot(self._codes(member, table)), len(self.classes)) for member in range(self.number)
        ]
        return np.array(codes), self._shares(table)

    def _columns(self, last: int, width: int) -> Array:
        """Return the columns for the members up to one, and the features passed through."""
        return np.concatenate([np.arange(self._ends[last]), np.arange(self._ends[-1], width)])

    def _combiner(self, columns: Array) -> Any:
        """Return a combiner of some members, fitted to what they said; None where the stack has not kept it."""
        table = getattr(self.fitted, "level_one_", None)
        if table is None:
            return None
        weight = self.fitted.level_one_weight_
        how = {} if weight is None else {"sample_weight": weight}
        return clone(self.fitted.final_estimator_).fit(table[:, columns], self.fitted.level_one_truth_, **how)

    def _shares(self, table: Any) -> Array:
        """Return what the combiner says for each class: its probabilities, or one vote."""
        combiner = self.fitted.final_estimator_
        shares = np.zeros((table.shape[0], len(self.classes)))
        if hasattr(combiner, "predict_proba"):
            shares[:, np.asarray(combiner.classes_).astype(np.intp)] = combiner.predict_proba(table)
        else:
            shares[np.arange(table.shape[0]), combiner.predict(table)] = 1.0
        return shares

    def _codes(self, member: int, table: Any) -> Array:
        """Return the class that a member says, from its columns."""
        ends, method = self._ends, self.fitted.stack_method_[member]
        columns = table[:, ends[member] - self.fitted._n_feature_outs[member] : ends[member]]
        columns = columns.toarray() if hasattr(columns, "toarray") else columns
        if method == "predict":
            return self._codes_of(columns[:, 0])
        if columns.shape[1] == 1:
            return np.asarray(columns[:, 0] > (0.5 if method == "predict_proba" else 0.0), np.intp)
        if method == "decision_function" and is_of_pairs(self.fitted.estimators_[member]):
            columns = votes_of_pairs(columns, len(self.classes))
        return np.asarray(columns.argmax(1))

    def _codes_of(self, labels: Array) -> Array:
        """The classes that a member names, as codes: it names its own labels where it was fitted before, else codes."""
        if not (isinstance(self.fitted.cv, str) and getattr(self.fitted, "level_one", "") != "in-sample"):
            return labels.astype(np.intp)
        codes = np.searchsorted(self.classes, labels).clip(max=len(self.classes) - 1)
        unknown = self.classes[codes] != labels
        if unknown.any():
            raise InputError(
                f"A member predicts {labels[unknown].tolist()[0]!r}, but the classes of the fit are "
                f"{listing(self.classes.tolist())}. Pass members that were fitted to these classes."
            )
        return codes


def votes_of_pairs(decisions: Array, classes: int) -> Array:
    """How many of its pairs each class wins, `(cases, classes)`, by decisions `(cases, pairs)`, above 0 for the first.

    >>> votes_of_pairs(np.array([[1.0, -1.0, -1.0]]), 3).tolist()
    [[1.0, 0.0, 2.0]]
    """
    votes = np.zeros((decisions.shape[0], classes))
    for pair, (first, second) in enumerate(combinations(range(classes), 2)):
        wins = decisions[:, pair] > 0
        votes[:, first] += wins
        votes[:, second] += ~wins
    return votes


def _names(fitted: Any) -> str:
    """Return the names of the members that are not dropped."""
    return ", ".join(name for name, estimator in fitted.estimators if estimator != "drop")


KINDS: tuple[tuple[Any, type[Members]], ...] = (
    (RandomForestClassifier, Forest),
    (ExtraTreesClassifier, Forest),
    (BaggingClassifier, Bag),
    (AdaBoostClassifier, Boosted),
    (VotingClassifier, Named),
    (StackingClassifier, Stack),
    (GradientBoostingClassifier, Stages),
    (HistGradientBoostingClassifier, Stages),
)
"""What reads the members of each kind of scikit-learn's ensembles, and of all that is derived from it."""


def members_of(fitted: Any, *cases: Any) -> tuple[Members, tuple[Any, ...]]:
    """The members of a fitted ensemble, also inside a pipeline or search, and the cases as the ensemble takes them.

    Raises InputError for what is no ensemble of classifiers, and scikit-learn's NotFittedError before the fit.
    """
    if hasattr(fitted, "best_estimator_"):
        return members_of(fitted.best_estimator_, *cases)
    if isinstance(getattr(fitted, "steps", None), list):
        check_is_fitted(fitted)
        before = fitted[:-1]
        through = (
            cases if not before.steps else tuple(None if X is None else before.transform(X) for X in cases)
        )
        return members_of(fitted[-1], *through)
    for kind, reader in KINDS:
        if isinstance(fitted, kind):
            check_is_fitted(fitted)
            if isinstance(fitted.classes_, list):
                raise InputError(
                    f"{type(fitted).__name__} was fitted to several label columns (multilabel). Fit it to one column."
                )
            return reader(fitted), cases
    known = ", ".join(dict.fromkeys(kind.__name__ for kind, _ in KINDS))
    raise InputError(
        f"{type(fitted).__name__} is not an ensemble with known members. Pass a fitted {known}, or a "
        "pipeline that ends in one."
    )


def refuse_one_class(classes: Array) -> None:
    """Raise InputError when there is nothing to tell apart."""
    if len(classes) < 2:
        raise InputError(f"y has only one class, {listing(classes.tolist())}. A learner needs two classes.")
