"""improve(): from a learner and data to an Improvement."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from classay.errors import InputError, MissingExtraError, in_our_words, shown
from classay.improving.decomposing import decompose
from classay.improving.decomposition import Decomposition
from classay.improving.learning_curve import LearningCurve, learning_curve
from classay.improving.remedies.causes import suspected
from classay.improving.remedies.evidence import BALANCED, LOSS
from classay.improving.remedies.improvement import Improvement
from classay.improving.remedies.known import remedies_against, remedies_named
from classay.improving.remedies.memory import Memory
from classay.improving.remedies.registry import REMEDIES, Remedy
from classay.improving.remedies.situation import Situation
from classay.inference.draws import seed_of
from classay.kinds import checked
from classay.resampling.baseline import BASELINE
from classay.resampling.data import Dataset, dataset, implied_positive, index_of
from classay.resampling.evaluating import evaluate, evaluate_beside
from classay.resampling.evaluation import Evaluation
from classay.resampling.fit.estimators import named
from classay.resampling.fit.models import with_models
from classay.resampling.fit.running import Progress, ResultStore
from classay.resampling.protocols.k_folds import StratifiedKFold
from classay.resampling.protocols.registry import protocol_of
from classay.resampling.store.fingerprint import of_data
from classay.resampling.store.run_store import Store

CURVE_REPEATS = 5
"""Repeats of the folds on which the learning curve rests: as many as the interval of a point needs."""
HELD_OUT = 1 / 3
FEWEST_ROWS = 10


@checked
def improve(
    learner: Any,
    X: Any,
    y: Any,
    *,
    rounds: int = 100,
    protocol: Any = "10x10",
    remedies: Sequence[str] | None = None,
    positive: Hashable | None = None,
    cluster: Any = None,
    weight: Any = None,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    n_jobs: int | None = 1,
    store: str | os.PathLike[str] | ResultStore | None = None,
    keys: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    remarks: Sequence[tuple[str, str]] = (),
) -> Improvement:
    """Why a learner errs, and what helps: what its loss consists of, then remedies beside it on the same folds.

    It takes the 0–1 loss apart over `rounds` training sets (`decompose`), holds the error on new cases against that on
    the training cases, draws the learning curve with what twice the cases would bring, and tries the remedies that
    fit what it finds: against variance, bias, or imbalance of the classes. `remedies` names those to try instead. Each
    is compared with the learner on the folds of `protocol`, repeated folds such as "10x10", by the corrected resampled
    t, and adjusted by Holm for all that were tried. Settings are chosen, and cases resampled, inside the folds.

    A cause is named only where a remedy, or the bounds of all remedies, show it; where nothing is shown, that is said.
    `learner` is an estimator of scikit-learn's kind, or a name that `evaluate` knows; everything else as in `evaluate`.
    `positive` need not be named, as nothing that is shown depends on it.
    The fits that its parts have in common are made once, and a `store` keeps all of them for the next call. A remedy
    that cannot be fitted is named in `left_out`.
    Raises InputError: one class, too few rows for the folds, fewer than two rounds, an unknown learner or remedy, or a
    learner of which every fit fails.

    >>> from sklearn.datasets import load_wine
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> i = improve(DecisionTreeClassifier(), X, y, rounds=10, protocol="5x5", remedies=["forest"])
    >>> [cause.name for cause in i.causes], i["forest"].helps
    (['variance'], True)
    """
    if importlib.util.find_spec("sklearn") is None:
        raise MissingExtraError("improving a learner", "train")
    if rounds < 2:
        raise InputError(f"rounds is {rounds}: one training set shows no variance, so pass 2 or more (100).")
    if n_jobs == 0:
        raise InputError("n_jobs (--jobs) is 0: pass how many processes are to fit, or -1 for one a core.")
    chosen = None if remedies is None else remedies_named(remedies)
    folds = protocol_of(protocol)
    if not isinstance(folds, StratifiedKFold):
        raise InputError(f"protocol is {folds.name}: remedies are compared over folds, such as 10x10 or 5x5.")
    positive, remark = implied_positive(y, positive, [LOSS, BALANCED])
    data = dataset("", X, y, positive, weight, cluster)
    _refuse_few(data)
    name, estimator = _learner(learner, X)
    with _opened(store, data, name) as (kept, own):
        how: dict[str, Any] = {"seed": seed_of(seed), "n_jobs": n_jobs, "store": kept, "progress": progress}
        of_rows: dict[str, Any] = {"positive": positive, "cluster": cluster, "weight": weight}
        parts = _Parts(
            X, y, data, name, estimator, folds, rounds, level, of_rows, how, {**own, **(keys or {})}
        )
        return parts.improvement(chosen, (*remarks, *remark))


def _refuse_few(data: Dataset) -> None:
    """Refuse rows of which some class could not be on both sides of a split, whatever the folds."""
    cases = data.cases
    if cases.rows < FEWEST_ROWS:
        raise InputError(
            f"there are {cases.rows} rows, too few to learn from and to test on: pass {FEWEST_ROWS} or more."
        )
    if cases.totals.min() < 2:
        alone = cases.labels[int(cases.totals.argmin())]
        raise InputError(
            f"class {alone!r} has one case, which cannot be learned and tested: leave it out, or pass more."
        )


def _learner(given: Any, X: Any) -> tuple[str, Any]:
    """The one learner and its name, which is that of no remedy."""
    with in_our_words("the learner cannot be read", "pass an object with fit, predict and get_params."):
        chosen = named(with_models(given, X))
    if len(chosen) > 1:
        raise InputError(f"there are {len(chosen)} learners: improve one at a time.")
    [(name, estimator)] = chosen.items()
    return (f"{name} as given" if name in REMEDIES else name), estimator


@contextmanager
def _opened(store: Any, data: Dataset, name: str) -> Iterator[tuple[ResultStore | None, dict[str, str]]]:
    """The store that all parts share, and keys of what it is to hold; without one, a memory as long as the call.

    In a memory every learner is what it was, so that its name is key enough.
    """
    if isinstance(store, str | os.PathLike):
        with Store(store) as opened:
            yield opened, {}
    elif store is not None:
        yield store, {}
    else:
        try:
            of_data(data)
        except InputError:  # nothing says what the rows consist of: each part fits on its own
            yield None, {}
            return
        yield Memory(), {each: each for each in (name, *REMEDIES)}


@dataclass(frozen=True, eq=False)
class _Parts:
    """One call of `improve`: what each of its parts needs."""

    X: Any
    y: Any
    data: Dataset
    name: str
    estimator: Any
    folds: StratifiedKFold
    rounds: int
    level: float
    of_rows: dict[str, Any]
    how: dict[str, Any]
    keys: dict[str, str]

    def improvement(
        self, chosen: tuple[Remedy, ...] | None, remarks: tuple[tuple[str, str], ...]
    ) -> Improvement:
        """All parts, one after the other: each says what the next has to do."""
        before = self.decomposed(self.name, self.estimator)
        alone = self.evaluated(remarks)
        curve = self.curve()
        first = Improvement(self.name, before, None, alone, curve, index=index_of(self.X))
        causes = suspected(first.evidence)
        tried, left_out = self.trials(remedies_against(causes) if chosen is None else chosen, alone)
        joined = self._joined(alone, {name: each for name, (_, each) in tried.items()})
        made = replace(first, evaluation=joined, suspected=causes, left_out=left_out)
        if made.best is None:
            return made
        best, _ = tried[made.best.name]
        return replace(made, after=self.decomposed(made.best.name, best))

    def evaluated(self, remarks: tuple[tuple[str, str], ...]) -> Evaluation:
        """The learner over the folds."""
        return evaluate(
            {self.name: self.estimator},
            self.X,
            self.y,
            protocol=self.folds,
            measures=[LOSS, BALANCED],
            level=self.level,
            keys=self._keys(self.name),
            remarks=remarks,
            **self.of_rows,
            **self.how,
        )

    def curve(self) -> LearningCurve:
        """The learning curve over the first repeats of the same folds."""
        return learning_curve(
            {self.name: self.estimator},
            self.X,
            self.y,
            measure=LOSS,
            protocol=replace(self.folds, repeats=min(self.folds.repeats, CURVE_REPEATS)),
            level=self.level,
            keys=self._keys(self.name),
            **self.of_rows,
            **self.how,
        )

    def trials(
        self, remedies: Sequence[Remedy], alone: Evaluation
    ) -> tuple[dict[str, tuple[Any, Evaluation]], tuple[tuple[str, str], ...]]:
        """Each remedy over the folds, with its estimator; and those that do not apply or fail, with the reason."""
        found, left_out = {}, []
        how = {name: self.how[name] for name in ("n_jobs", "store", "progress")}
        for each in remedies:
            try:
                made = each.make(self.situation)
            except Exception as error:  # noqa: BLE001  a remedy that cannot be made is a finding about the learner
                made = f"it cannot be made: {shown(error)}"
            if isinstance(made, str):
                left_out.append((each.name, made))
                continue
            try:
                keys = self._keys(each.name)
                found[each.name] = (
                    made,
                    evaluate_beside(alone, {each.name: made}, self.data, keys=keys, **how),
                )
            except InputError as error:
                left_out.append((each.name, str(error)))
        return found, tuple(left_out)

    @property
    def situation(self) -> Situation:
        """What the remedies are told."""
        rows = self.data.cases.rows
        shape = getattr(self.X, "shape", None)
        return Situation(
            self.estimator,
            rows - -(-rows // self.folds.folds),
            int(shape[1]) if isinstance(shape, tuple) and len(shape) == 2 else None,
            len(self.data.cases.labels),
            self.data.cases.cluster,
            self.how["seed"],
        )

    def decomposed(self, name: str, estimator: Any) -> Decomposition:
        """The loss of a learner, taken apart on a third of the rows."""
        return decompose(
            {name: estimator},
            self.X,
            self.y,
            test=HELD_OUT,
            rounds=self.rounds,
            level=self.level,
            keys=self._keys(name),
            cluster=self.of_rows["cluster"],
            weight=self.of_rows["weight"],
            **self.how,
        )

    def _keys(self, name: str) -> dict[str, str]:
        """What a learner or remedy is known by in the store: a remedy of a named learner by both names."""
        if name in self.keys:
            return {name: self.keys[name]}
        if self.name in self.keys:
            return {name: f"{self.keys[self.name]}, {name}"}
        return {}

    def _joined(self, alone: Evaluation, remedies: Mapping[str, Evaluation]) -> Evaluation:
        """The evaluations of the same folds as one, the baseline last."""
        (run,) = alone.runs
        results = {self.name: run.results[self.name]}
        results |= {name: each.runs[0].results[name] for name, each in remedies.items()}
        return replace(alone, runs=(replace(run, results={**results, BASELINE: run.results[BASELINE]}),))
