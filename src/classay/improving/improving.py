"""improve(): from a learner and data to an Improvement; which remedies are tried, in which order, on how many folds.

Each remedy is fitted in the folds of the first repeat. Only one that does better there than the learner, and than all
simpler ones, goes on to all folds. The columns come first, then rivals of other kinds, which show what could be gained;
the settings of the learner and more members follow only while the rivals leave something to gain. What is dropped early
makes no false claim: a test that stops only where nothing is shown can lose power, but cannot claim more.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import isnan
from typing import Any

import numpy as np

from classay.comparison.comparison import BASELINE
from classay.errors import InputError, MissingExtraError, in_our_words, shown
from classay.improving.causes import suspected
from classay.improving.decomposing import decompose
from classay.improving.decomposition import Decomposition
from classay.improving.evidence import BALANCED, LOSS, MATERIAL_GAIN
from classay.improving.improvement import Improvement
from classay.improving.ingredients import RemedyContext
from classay.improving.learning_curve import LearningCurve, learning_curve
from classay.improving.new_cases import NewCases, drift_of
from classay.improving.remedies import (
    AGAINST,
    REMEDIES,
    Remedy,
    Stage,
    SupportedLearner,
    remedies_against,
    remedies_named,
)
from classay.inference.draws import seed_of
from classay.kinds import checked
from classay.measures import get
from classay.resampling.bootstraps import protocol_of
from classay.resampling.data import Dataset, dataset, implied_positive, index_of
from classay.resampling.evaluating import evaluate, evaluate_beside
from classay.resampling.evaluation import Evaluation
from classay.resampling.fingerprint import of_data
from classay.resampling.fitting import Learner, Progress, ResultStore
from classay.resampling.model_folds import ModelFolds
from classay.resampling.models import named, with_models
from classay.resampling.partitions import StratifiedKFold
from classay.resampling.run_store import Store
from classay.texts import hint


class Memory:
    """A store of results that lives and dies with the call that made it.

    >>> memory = Memory()
    >>> memory.put("k", b"a fold")
    >>> memory.get("k"), memory.get("another")
    (b'a fold', None)
    """

    lists_runs = False
    """It dies with the call, so that nobody asks it for a run."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        """Return the result under a key, or None."""
        return self._kept.get(key)

    def put(self, key: str, value: bytes) -> None:
        """Keep a result under its key."""
        self._kept[key] = value

    def begin(self, run: str, about: Mapping[str, object], keys: Any) -> None:
        """Nobody asks a memory how far it came."""


WORTH = 0.05
"""A part of the loss by which a remedy must do better in the first repeat to go on to all folds."""
FLOOR = 0.1
"""A part of the loss by which a rival must do better in the first repeat for anything more to be tried."""
IN_FULL = 2
"""Rivals that go on to all folds whatever they bring: their intervals bound what could be gained."""
SETTLED = "not needed because {best} comes first"
ON_FLOOR = "not needed because no learner of another kind did much better on its first folds"

Beside = Callable[[Evaluation, Mapping[str, object]], Evaluation]
"""Evaluates estimators beside a known evaluation, on its folds."""


@dataclass
class Race:
    """The remedies that were tried so far, over the folds that they were tried on."""

    first: Improvement
    """The learner alone."""
    situation: RemedyContext
    beside: Beside
    estimators: dict[str, Any] = field(default_factory=dict)
    results: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    findings: list[tuple[str, str]] = field(default_factory=list)

    def run(self, suspected: Sequence[str]) -> None:
        """Try all remedies that are worth their cost, for a learner of which these causes are suspected."""
        self.try_stage("columns")
        self.try_stage("classes", suspected)
        self.screen(self.of_stage("rivals"))
        self.try_stage("settings", suspected)
        self.try_stage("members", suspected)
        self.finish_rivals()
        self.try_stage("probabilities", suspected)

    def of_stage(self, stage: Stage) -> list[Remedy]:
        """Return the remedies of a stage, the simplest first."""
        return [remedy for remedy in remedies_against(AGAINST) if remedy.stage == stage]

    def try_stage(self, stage: Stage, suspected: Sequence[str] | None = None) -> None:
        """Try the remedies of a stage against the suspected causes, or all if none are named, unless all is settled."""
        remedies = [
            remedy for remedy in self.of_stage(stage) if suspected is None or remedy.against in suspected
        ]
        if remedies and stage in ("settings", "members", "probabilities") and (why := self.settled(stage)):
            self.left_out += [(remedy.name, why) for remedy in remedies]
            return
        self.screen(remedies)
        best: dict[str, float] = {}
        for remedy in remedies:
            measure, worth = remedy.measure, WORTH * self.loss(remedy)
            if (gain := self.early_gain(remedy.name)) > best.get(measure, 0.0) + worth:
                self.complete([remedy.name])
                best[measure] = gain

    def try_all(self, remedies: Sequence[Remedy]) -> None:
        """Try what was asked for, in all folds."""
        for remedy in remedies:
            if self._is_made(remedy):
                self._fit(remedy.name, self.first.evaluation)

    def screen(self, remedies: Sequence[Remedy]) -> None:
        """Fit remedies in the folds of the first repeat."""
        for remedy in remedies:
            if remedy.name not in self.results and self._is_made(remedy):
                self._fit(remedy.name, self._first_repeat)

    def complete(self, names: Sequence[str]) -> None:
        """Fit remedies in all other folds."""
        for name in names:
            if None in self.results.get(name, ()):
                self._fit(name, self.first.evaluation)

    def finish_rivals(self) -> None:
        """The best rivals of the first repeat over all folds: their intervals say what could still be gained.

        Where a remedy that keeps the kind of learner is found, those of the first repeat will do.
        """
        if self.own_best():
            return
        rivals = [remedy for remedy in self.of_stage("rivals") if remedy.name in self.results]
        rivals.sort(key=lambda remedy: -self.early_gain(remedy.name))
        self.complete([remedy.name for remedy in rivals[:IN_FULL]])

    def own_best(self) -> str:
        """The remedy that is shown to help and keeps the kind of learner, the simplest; empty where there is none."""
        known = self.made().trials
        helping = [
            trial for trial in known if trial.helps and trial.is_material and trial.remedy.measure == LOSS
        ]
        names = [trial.name for trial in helping if trial.remedy.stage != "rivals"]
        return max(names, key=self.early_gain, default="")

    def settled(self, stage: Stage) -> str:
        """Return why nothing more is to be tried: what is known already does as well as the rivals; else nothing."""
        ahead = [
            self.early_gain(remedy.name) for remedy in self.of_stage("rivals") if remedy.name in self.results
        ]
        loss, best = self.loss(), self.own_best()
        if best and (
            stage == "probabilities" or max(ahead, default=0.0) - self.early_gain(best) < MATERIAL_GAIN * loss
        ):
            return SETTLED.format(best=REMEDIES[best].title.lower())
        return ON_FLOOR if stage != "probabilities" and ahead and max(ahead) < FLOOR * loss else ""

    def early_gain(self, name: str) -> float:
        """By how much a remedy does better than the learner in the first repeat; -1 for one that was not fitted."""
        if name not in self.results:
            return -1.0
        measure = get(self._measure(REMEDIES[name]))
        pooled = [self._folds(results, measure) for results in (self._own, self.results[name])]
        if pooled[0] is None or pooled[1] is None:
            return -1.0
        gain = pooled[1] - pooled[0]
        return float(gain if measure.best else -gain)

    def loss(self, remedy: Remedy | None = None) -> float:
        """Return the learner's distance from the best value of a remedy's measure, in the first repeat."""
        measure = get(LOSS if remedy is None else self._measure(remedy))
        value = self._folds(self._own, measure)
        return 1.0 if value is None else abs(measure.best - value) if measure.best is not None else 1.0

    def made(self) -> Improvement:
        """Return what is known so far."""
        alone = self.first.evaluation
        (run,) = alone.runs
        results = {self.first.learner: self._own, **self.results, BASELINE: run.results[BASELINE]}
        joined = replace(alone, runs=(replace(run, results=results),))
        return replace(
            self.first, evaluation=joined, left_out=tuple(self.left_out), findings=tuple(self.findings)
        )

    def _measure(self, remedy: Remedy) -> str:
        return remedy.measure_of(len(self.first.before.labels))

    def _folds(self, results: Sequence[Any], measure: Any) -> float | None:
        """Return the pooled value in the folds of the first repeat; None where there is none."""
        run = self.first.evaluation.runs[0]
        at = [k for k, place in enumerate(run.places) if place.repeat == 0]
        in_repeat = [run.places[k] for k in at], [results[k] for k in at]
        folds = ModelFolds(run.cases, *in_repeat, self.first.level, self.first.seed)
        value = folds.value(measure)[0] if folds.places else float("nan")
        return None if isnan(value) else value

    @property
    def _own(self) -> tuple[Any, ...]:
        return tuple(self.first.evaluation.runs[0].results[self.first.learner])

    @property
    def _first_repeat(self) -> Evaluation:
        """The evaluation of the learner in the first repeat alone."""
        alone = self.first.evaluation
        (run,) = alone.runs
        at = [k for k, place in enumerate(run.places) if place.repeat == 0]
        results = {name: tuple(fold_results[k] for k in at) for name, fold_results in run.results.items()}
        short = replace(run, places=tuple(run.places[k] for k in at), results=results)
        return replace(alone, protocol=replace(alone.protocol, repeats=1), runs=(short,))  # type: ignore[call-arg]

    def _is_made(self, remedy: Remedy) -> bool:
        """Check whether a remedy applies: its estimator is kept, or the reason why not."""
        try:
            estimator = remedy.make(self.situation)
        except Exception as error:  # noqa: BLE001  a remedy that cannot be made is a finding about the learner
            estimator = f"it cannot be built: {shown(error)}"
        if isinstance(estimator, str):
            self.left_out.append((remedy.name, estimator))
            return False
        if isinstance(estimator, SupportedLearner):
            self.findings.append((remedy.name, estimator.sentence))
            estimator = estimator.estimator
        self.estimators[remedy.name] = estimator
        return True

    def _fit(self, name: str, known: Evaluation) -> None:
        """A remedy over the folds of an evaluation; where every fit fails, that is the reason to leave it out."""
        try:
            evaluation = self.beside(known, {name: self.estimators[name]})
        except InputError as error:
            self.results.pop(name, None)
            self.left_out.append((name, str(error)))
            return
        results = evaluation.runs[0].results[name]
        planned = len(self.first.evaluation.runs[0].places)
        self.results[name] = (*results, *(None,) * (planned - len(results)))


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
    rounds: int = 50,
    protocol: Any = "5x5",
    remedies: Sequence[str] | None = None,
    test: Any = None,
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
    """Find out why a learner errs, and which remedies help.

    The loss of the learner is split into its parts, then remedies are compared with the learner on the same
    folds. A cause is named only if the data show it.

    Parameters
    ----------
    learner : estimator or str
        A classifier of scikit-learn's kind, which is cloned, or a name that `evaluate` knows.
    X : array or frame
        Features of the cases.
    y : array-like
        True labels of the cases.
    rounds : int, default 50
        Number of training sets for the decomposition of the 0–1 loss (see `decompose`), at least 2.
    protocol : str or protocol, default "5x5"
        Repeated folds on which the remedies are compared.
    remedies : sequence of str, optional
        Remedies to try in all folds, in place of the default ones.
    test : tuple, optional
        New cases `(X, y)`, which are compared with the folds, because drift is a cause too. With a
        `cluster` it is `(X, y, cluster)`.
    positive : label, optional
        The positive class. It need not be named, because no result depends on it.
    cluster : array-like or str, optional
        Cluster of each row, or the name of its column. Rows of one cluster are never on both sides of a
        split.
    weight : array-like or str, optional
        Sampling weight of each row, or the name of its column. Weights count in the assessment and are not
        passed to `fit`.
    level : float, default 0.95
        Confidence level of the intervals, between 0 and 1.
    seed : int or numpy.random.Generator, default 0
        Start of all random numbers. Equal seeds give equal results.
    n_jobs : int, default 1
        Number of parallel jobs of joblib, with the backend that joblib is set to.
    store : path or ResultStore, optional
        A file that keeps every finished fit. A second run with the same arguments continues from it.
    keys : mapping, optional
        Names of estimators that the store cannot distinguish.
    progress : Progress, optional
        A function that is called after every fit with a `Step`.
    remarks : sequence of (str, str), default ()
        Pairs of a code and a sentence on earlier changes of the rows. They stay with the evaluation.

    Returns
    -------
    Improvement
        Parts of the loss, learning curve, remedies and causes. A remedy that cannot be fitted is named in
        `left_out`, and `room` holds what could still be gained at most.

    Raises
    ------
    InputError
        If `y` has one class, or `rounds` is below 2.
        If the folds need more rows.
        If a learner or remedy is unknown.
        If every fit of a learner fails.

    Notes
    -----
    The error rate on new cases is compared with that on the training cases, and the learning curve shows
    the expected gain of twice the cases. Remedies are tried in the order of their cost. Preparations of the
    columns come first (codes of missing values, categories, scale, useless features). Learners of other
    kinds follow, which show what could be gained. While they leave something to gain, settings of the
    learner and more members are tried. A remedy that does not do better in the first repeat is not
    continued.

    Each remedy is compared with the learner by the corrected resampled t. The p-values are adjusted by
    Holm's method for all remedies that were tried, with more weight for remedies of a cause that was
    suspected before any trial. Settings are chosen, columns prepared and cases resampled inside the folds.
    Fits that several parts need are made once.

    A cause is named if its remedy removes a fifth of the error rate. The remedy must also be the simplest
    of those that are not shown to bring less than another. If no cause is shown, the verdict states that.

    Examples
    --------
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
        raise InputError(
            f"rounds must be at least 2, because one training set shows no variance, but is {rounds}. The "
            "default is 50."
        )
    if n_jobs == 0:
        raise InputError(
            f"{hint('n_jobs', '--jobs')} must be a number of processes, or -1 for one per core, but is 0."
        )
    chosen = None if remedies is None else remedies_named(remedies)
    folds = protocol_of(protocol)
    if not isinstance(folds, StratifiedKFold):
        raise InputError(
            f"Remedies are compared over folds, but protocol is {folds.name}. Use a protocol such as 10x10 or "
            "5x5."
        )
    positive, remark = implied_positive(y, positive, [LOSS, BALANCED])
    data = dataset("", X, y, positive, weight, cluster)
    _refuse_few(data)
    name, estimator = _learner(learner, X)
    with _opened(store, data, name) as (kept, stored):
        how: dict[str, Any] = {"seed": seed_of(seed), "n_jobs": n_jobs, "store": kept, "progress": progress}
        of_rows: dict[str, Any] = {"positive": positive, "cluster": cluster, "weight": weight}
        parts = _Parts(
            X, y, data, name, estimator, folds, rounds, level, of_rows, how, {**stored, **(keys or {})}, test
        )
        return parts.improvement(chosen, (*remarks, *remark))


def _refuse_few(data: Dataset) -> None:
    """Refuse rows of which some class could not be on both sides of a split, whatever the folds."""
    cases = data.cases
    if cases.rows < FEWEST_ROWS:
        raise InputError(
            f"At least {FEWEST_ROWS} rows are needed for training and testing, but there are {cases.rows}."
        )
    if cases.totals.min() < 2:
        alone = cases.labels[int(cases.totals.argmin())]
        raise InputError(
            f"Class {alone!r} has only one case, so it cannot be both trained on and tested. Exclude the case "
            "or add more."
        )


def _learner(learner: Any, X: Any) -> tuple[str, Any]:
    """Return the one learner and its name, which is that of no remedy."""
    with in_our_words("The learner cannot be read", "Pass an object with fit, predict and get_params."):
        chosen = named(with_models(learner, X))
    if len(chosen) > 1:
        raise InputError(f"There are {len(chosen)} learners. Improve one at a time.")
    [(name, estimator)] = chosen.items()
    return (f"{name} as given" if name in REMEDIES else name), estimator


@contextmanager
def _opened(store: Any, data: Dataset, name: str) -> Iterator[tuple[ResultStore | None, dict[str, str]]]:
    """Yield the store that all parts share, and keys of what it is to hold; without one, a memory as long as the call.

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
        yield Memory(), {model: model for model in (name, *REMEDIES)}


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
    test: Any = None

    def improvement(
        self, chosen: tuple[Remedy, ...] | None, remarks: tuple[tuple[str, str], ...]
    ) -> Improvement:
        """Return all parts, one after the other: each says what the next has to do."""
        alone = self.evaluated(remarks)
        before = self.decomposed(self.name, self.estimator)
        first = Improvement(self.name, before, None, alone, self.curve(), index=index_of(self.X))
        first = replace(first, drift=self.drift(first))
        race = Race(first, self.situation, self.beside)
        causes = suspected(first.evidence)
        if chosen is not None:
            race.try_all(chosen)
        elif not first.leaks:
            race.run(causes)
        improvement = replace(race.made(), suspected=causes)
        if improvement.best is None or improvement.leaks:
            return improvement
        name = improvement.best.name
        return replace(improvement, after=self.decomposed(name, race.estimators[name]))

    def evaluated(self, remarks: tuple[tuple[str, str], ...]) -> Evaluation:
        """Return the learner over the folds."""
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
        """Return the learning curve over the first repeats of the same folds."""
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

    def beside(self, known: Evaluation, estimators: Mapping[str, object]) -> Evaluation:
        """Remedies over the folds of a known evaluation."""
        (name,) = estimators
        how = {option: self.how[option] for option in ("n_jobs", "store", "progress")}
        return evaluate_beside(known, estimators, self.data, keys=self._keys(name), **how)

    def drift(self, first: Improvement) -> NewCases | None:
        """Return the new cases beside those of the folds, where there are any."""
        if self.test is None:
            return None
        rates = first.folds.matrices.counts
        repeats = self.folds.repeats
        wrong = float(rates.sum() - np.trace(rates.sum(0))) / repeats
        return drift_of(
            Learner.of(self.name, self.estimator).fresh(self.how["seed"], 0),
            (self.X, self.data.y),
            self.test,
            (round(wrong), self.data.cases.rows),
            first.value(self.name).value,
            self.level,
            self.data.cases.cluster,
        )

    @property
    def situation(self) -> RemedyContext:
        """The situation that the remedies get: learner, cases and findings."""
        rows = self.data.cases.rows
        shape = getattr(self.X, "shape", None)
        return RemedyContext(
            self.estimator,
            rows - -(-rows // self.folds.folds),
            int(shape[1]) if isinstance(shape, tuple) and len(shape) == 2 else None,
            len(self.data.cases.labels),
            self.data.cases.cluster,
            self.how["seed"],
            self.X,
            self.data.y,
        )

    def decomposed(self, name: str, estimator: Any) -> Decomposition:
        """Return the loss of a learner, taken apart on a third of the rows."""
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
        """Return what a learner or remedy is known by in the store: a remedy of a named learner by both names."""
        if name in self.keys:
            return {name: self.keys[name]}
        if self.name in self.keys:
            return {name: f"{self.keys[self.name]}, {name}"}
        return {}
