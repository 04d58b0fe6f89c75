"""`assess_all`: ensembles of several kinds, fitted to the same cases and assessed on the same others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from classay.curves.curve import Curve
from classay.ensembles.ensemble_assessment import EnsembleAssessment, assess
from classay.ensembles.learners import AdaBoost, Stacking
from classay.errors import InputError, in_our_words, nearest
from classay.inference.draws import seed_of
from classay.kinds import checked
from classay.resampling.data import dataset, implied_positive
from classay.resampling.fitting import Learner, global_state
from classay.resampling.models import named, ready_for
from classay.resampling.partitions import Holdout
from classay.resampling.protocol import whole
from classay.shown import Reportable, frame_of
from classay.texts import clean
from classay.warned import Warned

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
