"""Ensembles of several kinds, fitted to the same cases and assessed on the same others: `assess_all`."""

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
from classay.shown import Shown, frame_of
from classay.texts import clean

MEMBERS = 100
OF_CASES = {"training": "on the training cases", "out of bag": "out of bag", "test": "on the test cases"}
KINDS = ("bagging", "forest", "boosting", "stacking")


def _stacking(members: int) -> Any:
    """A tree, a linear model, naive Bayes and neighbours: learners that err in different ways."""
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
    of: str | Sequence[str] | Mapping[str, Any] = KINDS,
    members: int = MEMBERS,
    test: float = 1 / 3,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    progress: Callable[[str], None] | None = None,
) -> EnsembleAssessments:
    """Fit ensembles of several kinds to the same cases, and assess each on the same other cases and out of bag.

    `of` names kinds ("bagging", "forest", "extra_trees", "boosting", which is AdaBoost of stumps, "gradient_boosting",
    "stacking" of a tree, a logistic regression, naive Bayes and neighbours), or maps names to ensembles of
    scikit-learn that are not fitted yet, which are cloned. `members` is the size of those that are named. A share
    `test` of the cases is held out by class; columns of text, and values that are missing, are made ready as `evaluate`
    does it for models by name. `progress` is called with the name of each, before it is fitted.

    The cases must be independent of each other: out of bag a case is judged by members that saw others of its cluster.
    Raises InputError: a kind that is not known, an estimator that is no ensemble, no share, one class only.

    >>> from sklearn.datasets import load_breast_cancer
    >>> a = assess_all(*load_breast_cancer(return_X_y=True), of="bagging, boosting", members=20)
    >>> a["bagging"].error()
    Estimate(0.047 [0.025, 0.088] 95 %, Wilson)
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
    found = {}
    for name, estimator in ensembles.items():
        if progress is not None:
            progress(name)
        model = Learner.of(name, estimator).fresh(plain_seed, 0)
        seen = (data.take(train), data.y[train])
        with (
            global_state(plain_seed, 0),
            in_our_words(f"{name} cannot be fitted", "see the cases it is given."),
        ):
            fitted = model.fit(*seen)
        found[name] = assess(fitted, data.take(held_out), data.y[held_out], training=seen, level=level)
    return EnsembleAssessments(found, int(train.size), int(held_out.size), plain_seed)


def _ensembles(of: str | Sequence[str] | Mapping[str, Any], members: int, X: Any) -> dict[str, Any]:
    if isinstance(of, Mapping):
        return named(of)
    names = [each.strip() for each in of.split(",")] if isinstance(of, str) else list(of)
    for name in names:
        if name not in ENSEMBLES:
            near = nearest(str(name), ENSEMBLES) or "."
            raise InputError(f"no kind of ensemble is named {name!r}{near} There are {', '.join(ENSEMBLES)}.")
    if not names:
        raise InputError(f"of names no kind of ensemble: pass some of {', '.join(ENSEMBLES)}.")
    return {name: ready_for(ENSEMBLES[name](members), X) for name in names}


@dataclass(frozen=True, eq=False, repr=False)
class EnsembleAssessments(Shown):
    """Ensembles of several kinds on the same cases; `assess_all` makes it.

    `a["forest"]` is the `EnsembleAssessment` of one, `a.of` are all by name; `n_train` cases they were fitted to, and
    `n_test` others they are tested on.
    """

    of: Mapping[str, EnsembleAssessment]
    n_train: int
    n_test: int
    seed: int

    def __getitem__(self, name: str) -> EnsembleAssessment:
        """One of them by its name. Raises InputError for another."""
        if name not in self.of:
            near = nearest(str(name), self.of) or "."
            raise InputError(f"no ensemble here is named {name!r}{near} There are {', '.join(self.of)}.")
        return self.of[name]

    @property
    def level(self) -> float:
        """The level of the intervals."""
        return next(iter(self.of.values())).level

    @property
    def random(self) -> str:
        """What the intervals let vary."""
        return (
            "The cases are random, the ensembles and the split are not: an interval is for the error of this very "
            "ensemble on new cases of the same kind. All are tested on the same cases, so that intervals which overlap "
            "do not say that two are equal."
        )

    def curves(self) -> tuple[tuple[Curve, ...], ...]:
        """The pictures, each with a curve for each ensemble: errors without their bands, margins, pairs of members."""
        found: dict[str, list[Curve]] = {}
        for name, each in self.of.items():
            plain = {"low": None, "high": None, "band": "", "series": name}
            for cases, grown in each.growths.items():
                title = f"Error {OF_CASES[cases]}"
                found.setdefault(title, []).append(replace(grown.curve(each.level), title=title, **plain))  # type: ignore[arg-type]
            for curve in (curve for curves in each.curves()[1:] for curve in curves):
                if curve.series != "out of bag":
                    found.setdefault(curve.title, []).append(replace(curve, series=name))
        first = [title for title in found if title.startswith("Error on the test")]
        rest = sorted((title for title in found if title not in first), key=lambda title: "training" in title)
        return tuple(tuple(found[title]) for title in (*first, *rest))

    def frame(self) -> Any:
        """A row for each ensemble, kind of cases and number of members: error, low, high (a PyArrow table)."""
        rows = [
            {"ensemble": name, "cases": cases} | row
            for name, each in self.of.items()
            for cases, grown in each.growths.items()
            for row in grown.frame(each.level).to_pylist()
        ]
        return frame_of(rows)

    def __repr__(self) -> str:
        return clean(
            f"EnsembleAssessments({', '.join(self.of)}: {self.n_train:,} cases, tested on {self.n_test:,})"
        )
