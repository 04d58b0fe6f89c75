"""What all ensembles share: the votes of their members, and what can be told from them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.columns import code_columns
from classay.columns.numbers import counted
from classay.columns.values import listing
from classay.ensembles.assessment import EnsembleAssessment
from classay.ensembles.diversity import Diversity, codes_of, diversity
from classay.ensembles.growth import Growth
from classay.ensembles.tally import Tally, Vote, margins
from classay.errors import InputError, check_word, nearest
from classay.kinds import of_kind

Array = NDArray[Any]
TIES = "A tie goes to the class that comes first in order."
"""The rule for ties, of all that vote."""


class Members(ABC):
    """The votes of the members of a fitted ensemble, on new cases and, where it has them, on those of training.

    An ensemble says how each member votes (`_vote`), on what it must be shown (`_for_members`), and keeps what its fit
    has counted: `training_`, the error on the cases it was fitted to as members are added; `out_of_bag_`, that of the
    votes of those members only that were not fitted to a case, and `out_of_bag_margins_`, `(cases,)`. Each of them is
    None where the ensemble has none. A tie goes to the class that comes first in `classes_`.
    """

    rule = ""
    """How votes become a class, in one sentence."""
    no_out_of_bag = "every member was fitted to every case"
    """Why there are no out-of-bag votes, where there are none."""
    classes_: Array
    estimators_: list[Any]
    training_: Growth | None = None
    out_of_bag_: Growth | None = None
    out_of_bag_margins_: Array | None = None

    def votes(self, X: Any) -> Array:
        """The votes of all members for each class, `(cases, classes)`, in the order of `classes_`.

        >>> from sklearn.datasets import load_iris
        >>> from classay.ensembles import RandomForest
        >>> X, y = load_iris(return_X_y=True)
        >>> RandomForest(20, random_state=0).fit(X, y).votes(X[:2]).tolist()
        [[20.0, 0.0, 0.0], [20.0, 0.0, 0.0]]
        """
        self._check_fitted()
        X = self._for_members(X)
        table = np.zeros((X.shape[0], len(self.classes_)))
        for vote in self._all_votes(X):
            vote.added_to(table)
        return table

    def signed_votes(self, X: Any) -> Array:
        """The sum of the votes ±1 for two classes, -1 for the first and +1 for the second: the sign is the prediction.

        Shape `(cases,)`; members that share their votes count what they say for the second class less what they say
        for the first. 0 is a tie, which goes to the first class. Raises InputError for more than two classes.
        """
        self._check_fitted()
        if len(self.classes_) != 2:
            raise InputError(
                f"there are {len(self.classes_)} classes: the sum of ±1 is of two, use votes for more."
            )
        votes = self.votes(X)
        return np.asarray(votes[:, 1] - votes[:, 0])

    def margins(self, X: Any, y: Any) -> Array:
        """Share of the votes for the true class less that for the next, from -1 to 1, `(cases,)`; right if positive.

        Raises InputError for labels that are missing or fewer than the cases.
        """
        self._check_fitted()
        truth, _ = self._coded(X, y, None)
        return margins(self._combined(X), truth)

    def diversity(
        self, X: Any, y: Any, *, weight: Any = None, cases: Literal["new", "training"] = "new"
    ) -> Diversity:
        """How far the members agree on cases, and how good each is: the data of the kappa-error picture.

        Of "new" cases all count. With `cases="training"` pass the very cases the ensemble was fitted to: of each pair
        of members those count that neither was fitted to. Raises InputError where every member was fitted to all.
        """
        self._check_fitted()
        check_word("cases", cases, ("new", "training"))
        truth, weights = self._coded(X, y, weight)
        unseen = self._unseen(truth.shape[0]) if cases == "training" else None
        said = codes_of(self._all_votes(self._for_members(X)), len(self.classes_))
        of = "test" if cases == "new" else "out of bag"
        return diversity(said, truth, len(self.classes_), weights, unseen, of)

    def growth(self, X: Any, y: Any, *, weight: Any = None) -> Growth:
        """The error on new cases of the ensembles of the first 1, 2, … members, from this one fit."""
        self._check_fitted()
        truth, weights = self._coded(X, y, weight)
        tally = Tally(truth, len(self.classes_), weights)
        self._heard(X, tally)
        return tally.growth("test")

    def assess(
        self, X: Any = None, y: Any = None, *, weight: Any = None, level: float = 0.95
    ) -> EnsembleAssessment:
        """All that can be told of the ensemble: its error as members are added, its margins, how its members differ.

        From the votes on the training cases alone, or with new cases X and y also on these; `weight` are their
        sampling weights. Shows itself as text, page, LaTeX, Markdown and JSON. Raises InputError for X without y, for
        lengths that differ, and for cases without a label.

        >>> from sklearn.datasets import load_breast_cancer
        >>> from classay.ensembles import RandomForest
        >>> forest = RandomForest(50, random_state=0).fit(*load_breast_cancer(return_X_y=True))
        >>> forest.assess().out_of_bag.estimate()
        Estimate(0.033 [0.021, 0.052] 95 %, Wilson)
        """
        self._check_fitted()
        level = of_kind("level", level, None)
        if (X is None) != (y is None):
            raise InputError("pass X and y of the same new cases, or neither.")
        found = self._on_training()
        if X is not None:
            new = self._on_new(X, y, weight)
            found |= new | {"margins": found["margins"] | new["margins"]}
        return EnsembleAssessment(
            name=type(self).__name__,
            member=self._member_text(),
            members=len(self.estimators_),
            classes=tuple(self.classes_.tolist()),
            rule=self.rule,
            no_out_of_bag=self.no_out_of_bag,
            bound=self._bound(),
            level=level,
            **found,
        )

    # what an ensemble says of itself

    @abstractmethod
    def _vote(self, member: int, X: Any) -> Vote:
        """What one member says of cases that `_for_members` has prepared."""

    @abstractmethod
    def _for_members(self, X: Any) -> Any:
        """The cases as the members take them."""

    def _unseen(self, rows: int) -> Array:
        """Which training cases each member was not fitted to, `(members, cases)`."""
        raise InputError(f"no training case is new to two members: {self.no_out_of_bag}. Pass new cases.")

    def _bound(self) -> Array | None:
        """A bound of the training error at each size, where one is known."""
        return None

    def _member_text(self) -> str:
        """What the members are."""
        return type(self.estimators_[0]).__name__

    def _on_training(self) -> dict[str, Any]:
        """What the fit has counted on the training cases: growth and margins."""
        unseen = self.out_of_bag_
        margins = {} if unseen is None else {unseen.cases: self.out_of_bag_margins_}
        return {"training": self.training_, "out_of_bag": unseen, "margins": margins}

    def _combined(self, X: Any) -> Array:
        """What the ensemble says for each class, `(cases, classes)`."""
        return self.votes(X)

    def _heard(self, X: Any, tally: Tally) -> tuple[Array, Array]:
        """Count the ensembles of the first 1, 2, … members.

        Returns the classes that each member says, `(members, cases)`, and what the whole says, `(cases, classes)`.
        """

        def counted() -> Iterator[Vote]:
            for vote in self._all_votes(self._for_members(X)):
                tally.add(vote)
                yield vote

        said = codes_of(counted(), len(self.classes_))
        return said, tally.votes

    # what is the same for all of them

    def _on_new(self, X: Any, y: Any, weight: Any) -> dict[str, Any]:
        """Growth, margins and diversity on new cases; each member predicts once."""
        truth, weights = self._coded(X, y, weight)
        tally = Tally(truth, len(self.classes_), weights)
        said, votes = self._heard(X, tally)
        return {
            "test": tally.growth("test"),
            "margins": {"test": margins(votes, truth)},
            "diversity": diversity(said, truth, len(self.classes_), weights, None, "test"),
        }

    def _all_votes(self, X: Any) -> Iterator[Vote]:
        """The votes of all members in their order, by as many threads as there are jobs."""
        from joblib import effective_n_jobs
        from sklearn.utils.parallel import Parallel, delayed

        members = range(len(self.estimators_))
        n_jobs = getattr(self, "n_jobs", None)
        if effective_n_jobs(n_jobs) == 1:
            return (self._vote(member, X) for member in members)
        run = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
        votes: Iterator[Vote] = run(delayed(self._vote)(member, X) for member in members)
        return votes

    def _said(self, labels: Array) -> Array:
        """Codes of labels that a member says, all of which are known."""
        return np.searchsorted(self.classes_, labels)

    def _aligned(self, codes: Array, shares: Array) -> Array:
        """Probabilities of a member for all classes, where its sample lacked some; `codes` are its classes'."""
        if shares.shape[1] == len(self.classes_):
            return shares
        whole = np.zeros((shares.shape[0], len(self.classes_)))
        whole[:, codes] = shares
        return whole

    def _coded(self, X: Any, y: Any, weight: Any) -> tuple[Array, Array | None]:
        """The truth as codes into `classes_`, -1 for classes it has never seen, and the weights."""
        ((_, checked),) = code_columns([("y", y)])
        if checked.missing:
            raise InputError(f"y is missing in {counted(checked.missing)}: leave these cases out.")
        known = {label: code for code, label in enumerate(self.classes_.tolist())}
        codes = np.array([known.get(label, -1) for label in checked.labels])
        if not (codes >= 0).any():
            near = nearest(str(checked.labels[0]), map(str, known))
            raise InputError(
                f"y holds {listing(list(checked.labels))}, none of the classes of the fit, "
                f"{listing(list(known))}{near}: pass labels of the same kind."
            )
        truth = codes[checked.codes]
        rows = X.shape[0] if hasattr(X, "shape") else len(X)
        if rows != truth.shape[0]:
            raise InputError(f"X has {rows:,} cases, y has {truth.shape[0]:,} labels: pass as many.")
        return truth, _weights(weight, rows)

    def _check_fitted(self) -> None:
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)


def _weights(weight: Any, rows: int) -> Array | None:
    if weight is None:
        return None
    try:
        found = np.asarray(weight, float)
    except (TypeError, ValueError):
        raise InputError("weight holds what is no number: pass a positive number for each case.") from None
    if found.shape != (rows,):
        raise InputError(
            f"weight has the shape {found.shape}: pass one number for each of the {rows:,} cases."
        )
    if not (np.isfinite(found).all() and (found >= 0).all() and found.sum() > 0):
        raise InputError(
            "weight is negative, infinite or missing somewhere, or 0 everywhere: pass positive numbers."
        )
    return found


def refuse_one_class(classes: Array) -> None:
    """Raise InputError when there is nothing to tell apart."""
    if len(classes) < 2:
        raise InputError(f"y holds one class only, {listing(classes.tolist())}: a learner needs two.")
