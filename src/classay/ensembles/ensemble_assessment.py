"""Assess a fitted ensemble by the votes of its members: `assess` and its EnsembleAssessment."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import code_columns
from classay.columns.numbers import counted, refuse_weights, row_weights, weight_scale
from classay.columns.values import listing
from classay.curves.curve import Curve
from classay.ensembles.growth import (
    CURVE,
    DRAWN,
    Diversity,
    Growth,
    Tally,
    code_of,
    diversity,
    margins,
    shown_sizes,
)
from classay.ensembles.members import NO_TRAINING, Members, Rounds, Voters, members_of
from classay.errors import InputError, nearest
from classay.inference.estimate import Estimate
from classay.kinds import checked
from classay.resampling.data import rows_of
from classay.resampling.leaks import CHANCE, stacked
from classay.resampling.leaks import rows_of as rows_hashed
from classay.shown import Reportable
from classay.texts import clean
from classay.warned import Warned

Array = NDArray[Any]
VERY_CASES = "the cases that the members were fitted to"


@checked
def assess(
    fitted: Any,
    X: Any = None,
    y: Any = None,
    *,
    training: tuple[Any, ...] | None = None,
    weight: Any = None,
    level: float = 0.95,
) -> EnsembleAssessment:
    """Assess any fitted ensemble of scikit-learn by its members.

    The result has the error by the number of members, margins, and the diversity of the members. Nothing is
    fitted to the ensemble or changed.

    Parameters
    ----------
    fitted : estimator
        A bagging, forest, extra trees, AdaBoost, voting, stacking, gradient boosting or histogram gradient
        boosting classifier, or a pipeline or search that ends in one.
    X : array or frame, optional
        Features of new cases.
    y : array-like, optional
        True labels of new cases.
    training : tuple, optional
        The cases of the fit in their order, `(X, y)` or `(X, y, weight)`. They give the error on these
        cases. If each member learned from a sample, they also give the out-of-bag error, by the votes of
        the members that did not draw a case. Without new cases they give the diversity too.
    weight : array-like, optional
        Sampling weight of each new case.
    level : float, default 0.95
        Confidence level of the intervals, between 0 and 1.

    Returns
    -------
    EnsembleAssessment
        The errors, margins and diversity.

    Raises
    ------
    InputError
        If `fitted` is no such ensemble.
        If `X` comes without `y`, or lengths differ.
        If a case has no label, or all labels are unknown.
        If all new cases are in `training`.
        If `training` is visibly not that of the fit.

    Notes
    -----
    Each member predicts each case once. Gradient boosting has stages in place of members, and a single
    stage predicts nothing. The error of the first members of a stack needs combiners of their own.
    `classay.ensembles.Stacking` can fit these, because it keeps the predictions of its members. The stack
    of scikit-learn gives the error of all members only.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(50, random_state=0).fit(X[::2], y[::2])
    >>> a = assess(forest, X[1::2], y[1::2], training=(X[::2], y[::2]))
    >>> a.error()
    Estimate(0.063 [0.040, 0.098] 95%, Wilson)
    >>> a.out_of_bag.estimate()
    Estimate(0.042 [0.024, 0.072] 95%, Wilson)
    """
    if (X is None) != (y is None):
        raise InputError("X and y must both be given. Pass both for the same new cases, or neither.")
    if X is None and training is None:
        raise InputError(
            "There are no cases. Pass new cases as X and y, the training cases as training=(X, y), or both."
        )
    seen = _training(training)
    if X is not None and training is not None:
        _refuse_the_same(X, seen[0])
    members, (new, old) = members_of(fitted, X, seen[0])
    components: dict[str, Any] = {"margins": {}}
    if training is not None:
        components = _of_training(members, old, seen[1], seen[2], is_alone=X is None)
    elif isinstance(members, Voters):
        components["no_out_of_bag"] = NO_TRAINING
    if X is not None:
        of_new = _of_new(members, new, y, weight)
        components |= of_new | {"margins": components["margins"] | of_new["margins"]}
    return EnsembleAssessment(
        name=type(members.fitted).__name__,
        member=members.text,
        members=members.number,
        classes=tuple(members.classes.tolist()),
        rule=members.rule,
        rounds=members.rounds,
        level=level,
        **({"no_out_of_bag": members.no_out_of_bag} | components),
    )


def _training(training: Any) -> tuple[Any, Any, Any]:
    if training is None:
        return None, None, None
    if not isinstance(training, tuple | list) or len(training) not in (2, 3):
        raise InputError("training must be (X, y) or (X, y, weight) of the fit.")
    return training[0], training[1], training[2] if len(training) == 3 else None


def _refuse_the_same(X: Any, training: Any) -> None:
    """Refuse cases of the fit as new ones: an error on these says nothing of new cases.

    Where the features are few and coarse, new cases are like some of the fit by chance: one is with the share of those
    in the fit that are not alone there (Good 1953, Biometrika 40:237).
    """
    if X is not training:
        n, both = rows_of(X), stacked(X, training)
        if both is None:
            return
        hashes = rows_hashed(both, rows_of(both)).hashes
        new, (old, times) = hashes[:n], np.unique(hashes[n:], return_counts=True)
        alone, seen = np.count_nonzero(times == 1), hashes.size - n
        chance = max(1 - alone / seen, 1 / seen)
        if not np.isin(new, old).all() or n * log(chance) > CHANCE:
            return
    raise InputError(
        "X contains the training cases, which do not show errors on new cases. Pass new cases, or only "
        "training=."
    )


def _of_training(members: Members, X: Any, y: Any, weight: Any, *, is_alone: bool) -> dict[str, Any]:
    """Growth on the cases of the fit and out of bag, with the margins there; and, of these alone, the diversity."""
    truth, weights = coded(members, X, y, weight, "training")
    tally = Tally(truth, len(members.classes), weights)
    drawn = members.samples(truth.shape[0])
    if drawn is None or not isinstance(members, Voters):
        members.heard(X, tally)
        _settle(members, X, tally)
        return {"training": tally.growth("training", no_interval=VERY_CASES), "margins": {}}
    unseen = Tally(truth, len(members.classes), weights)
    codes, left = [], []
    for vote, rows in zip(members.votes(X), drawn, strict=True):
        is_new = np.ones(truth.shape[0], bool)
        is_new[rows] = False
        tally.add(vote)
        unseen.add(vote, np.flatnonzero(is_new))
        if is_alone:
            codes.append(code_of(vote, len(members.classes)))
            left.append(is_new)
    _refuse_other_cases(members.fitted, unseen.votes)
    _settle(members, X, tally)
    components = {
        "training": tally.growth("training", no_interval=VERY_CASES),
        "out_of_bag": unseen.growth("out of bag"),
        "no_out_of_bag": "",
        "margins": {"out of bag": margins(unseen.votes, truth, weights)},
    }
    if is_alone:
        components["diversity"] = diversity(
            np.array(codes), truth, len(members.classes), weights, np.array(left), "out of bag"
        )
    return components


def _settle(members: Members, X: Any, tally: Tally) -> None:
    """Where votes are tied but for rounding, let the whole ensemble say itself which class it takes.

    scikit-learn divides votes by their number or weight, and the rounding of that need not leave the first class.
    """
    if tally.tied:
        tally.settle(np.searchsorted(members.classes, members.fitted.predict(X)))


def _refuse_other_cases(fitted: Any, votes: Array) -> None:
    """Hold the votes out of bag against those that scikit-learn counted in its fit, where it did."""
    known = getattr(fitted, "oob_decision_function_", None)
    if known is None or getattr(fitted, "voting", "soft") == "hard":
        return
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = votes / votes.sum(1, keepdims=True)
    both = np.isfinite(known).all(1) & np.isfinite(shares).all(1) & (known.sum(1) > 0)
    if not np.allclose(shares[both], known[both], atol=1e-6):
        raise InputError(
            "The out-of-bag votes differ from those of the fit (oob_decision_function_). Pass as training= "
            "the cases of the fit in their order."
        )


def _of_new(members: Members, X: Any, y: Any, weight: Any) -> dict[str, Any]:
    """Growth, margins and diversity on new cases."""
    truth, weights = coded(members, X, y, weight, "X")
    tally = Tally(truth, len(members.classes), weights)
    codes, votes = members.heard(X, tally)
    _settle(members, X, tally)
    components = {"test": tally.growth("test"), "margins": {"test": margins(votes, truth, weights)}}
    if codes is None:
        return components
    return components | {"diversity": diversity(codes, truth, len(members.classes), weights, None, "test")}


def coded(members: Members, X: Any, y: Any, weight: Any, name: str) -> tuple[Array, Array | None]:
    """Return the truth as codes into the classes, -1 for classes that were never learned, and the weights."""
    ((_, labels),) = code_columns([("y", y)])
    if labels.missing:
        raise InputError(f"y is missing in {counted(labels.missing)}. Exclude these cases.")
    if not labels.labels:
        raise InputError(f"{name} and y are empty. Pass at least one case.")
    known = {label: code for code, label in enumerate(members.classes.tolist())}
    codes = np.array([known.get(label, -1) for label in labels.labels])
    if not (codes >= 0).any():
        near = nearest(str(labels.labels[0]), map(str, known)) or "."
        raise InputError(
            f"The labels of y are {listing(list(labels.labels))}, but the classes of the fit are "
            f"{listing(list(known))}. Pass labels of the same kind{near}"
        )
    truth = codes[labels.codes]
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if rows != truth.shape[0]:
        raise InputError(
            f"{name} has {rows:,} cases, but y has {truth.shape[0]:,} labels. Pass one label for each case."
        )
    return truth, _weights(weight, rows)


def _weights(weight: Any, rows: int) -> Array | None:
    if weight is None:
        return None
    weights, _ = row_weights(weight, None)
    assert weights is not None
    if weights.shape != (rows,):
        raise InputError(f"weight has shape {weights.shape}. Pass one number for each of the {rows:,} cases.")
    refuse_weights(weights, None)
    return weights * weight_scale(weights)


@dataclass(frozen=True, eq=False, repr=False)
class EnsembleAssessment(Reportable):
    """Error of an ensemble by its number of members, from `assess`.

    Attributes
    ----------
    name : str
        Name of the ensemble.
    member : str
        Name of a member.
    members : int
        Number of members.
    classes : tuple
        The classes.
    rule : str
        Rule by which members vote.
    no_out_of_bag : str
        Reason for no out-of-bag errors, or empty.
    level : float
        Confidence level of the intervals.
    training, out_of_bag, test : Growth or None
        Errors at each number of members.
    margins : mapping of array
        Margins of the cases by their kind.
    diversity : Diversity or None
        Agreement of the members on the new cases, or out of bag without any.
    rounds : Rounds or None
        Rounds of AdaBoost, for `print(a.rounds)`.
    """

    name: str
    member: str
    members: int
    classes: tuple[Hashable, ...]
    rule: str
    no_out_of_bag: str
    level: float
    training: Growth | None = None
    out_of_bag: Growth | None = None
    test: Growth | None = None
    margins: Mapping[str, Array] = field(default_factory=dict)
    diversity: Diversity | None = None
    rounds: Rounds | None = None

    @property
    def bound(self) -> Array | None:
        """Bound of the training error at each size, of AdaBoost with two classes."""
        return None if self.rounds is None else self.rounds.bound

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings on out-of-bag votes that a reader must know before acting."""
        unseen = self.out_of_bag
        if unseen is None:
            return ()
        left = int(unseen.unvoted[-1])
        unvoted = Warned(
            "unvoted",
            f"{left:,} of the training cases have no vote {unseen.cases}, because every member was trained on "
            "them. They are excluded from that error. More members would give them a vote.",
        )
        judged = Warned(
            "out_of_bag",
            "The out-of-bag error is pessimistic on average, because each case is predicted only by the "
            "members that were not trained on it. If members or settings were chosen by the out-of-bag "
            "error, the error is optimistic.",
        )
        return (unvoted, judged) if left else (judged,)

    @property
    def growths(self) -> dict[str, Growth]:
        """Errors by the kind of their cases."""
        growths = (self.training, self.out_of_bag, self.test)
        return {growth.cases: growth for growth in growths if growth is not None}

    @property
    def best(self) -> Growth | None:
        """Errors that show most about new cases.

        They are those of the test, or else out of bag.
        """
        if self.test is not None:
            return self.test
        return self.out_of_bag

    @property
    def random(self) -> str:
        """What the intervals cover."""
        cases = "test cases" if self.test is not None else "cases (out-of-bag: the training cases)"
        return (
            f"Intervals reflect sampling variability of the {cases}. The fitted members are held fixed. "
            "Errors of different sizes are from the same cases, so their intervals do not show whether two "
            "sizes differ."
        )

    def curves(self) -> tuple[tuple[Curve, ...], ...]:
        """Return the curves of the pictures.

        They are the error against the number of members, margins, and kappa and error of pairs.
        """
        grown = [growth.curve(self.level) for growth in self.growths.values()]
        if self.bound is not None:
            grown.append(_bound_curve(self.bound))
        pictures = [
            tuple(grown),
            tuple(_margin_curve(name, case_margins) for name, case_margins in self.margins.items()),
        ]
        if self.diversity is not None and self.diversity.members > 1:
            pictures.append((self.diversity.curve(),))
        return tuple(curves for curves in pictures if curves)

    def error(self) -> Estimate:
        """Estimate the error on new cases.

        It is that of the test, or else out of bag.
        """
        best = self.best
        return (
            Estimate.undefined("there are no new cases") if best is None else best.estimate(level=self.level)
        )

    def __repr__(self) -> str:
        return clean(f"EnsembleAssessment({self.name} of {self.members} members, {', '.join(self.growths)})")


def _bound_curve(bound: Array) -> Curve:
    sizes = shown_sizes(bound.shape[0], DRAWN)
    return Curve(
        CURVE,
        "Bound of the training error",
        sizes.astype(float),
        bound[sizes - 1],
        "members",
        "error",
        kind="reference",
        series="bound of the training error",
    )


def _margin_curve(name: str, margins: Array) -> Curve:
    """Share of the cases with a margin of at most each value."""
    known = np.sort(margins[~np.isnan(margins)])
    x, counts = np.unique(known, return_counts=True)
    y = np.cumsum(counts) / max(known.size, 1)
    return Curve(
        "ensemble_margins",
        "Margins",
        np.concatenate([[-1.0], x, [1.0]]),
        np.concatenate([[0.0], y, [1.0]]),
        "margin",
        "share of the cases",
        kind="steps",
        series=name,
    )
