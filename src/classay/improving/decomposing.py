"""decompose(): from a learner and data to a Decomposition."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from classay.errors import InputError, MissingExtraError, in_our_words
from classay.improving.decomposition import Array, Decomposition, check_loss, no_probabilities
from classay.improving.given import Given, source_of
from classay.improving.parts import Loss
from classay.improving.rounds import BLOCKS, RoundTable
from classay.improving.sources import Source
from classay.inference.draws import seed_of
from classay.kinds import checked
from classay.resampling.case_values import probabilities
from classay.resampling.fit.estimators import named
from classay.resampling.fit.fitting import Learner
from classay.resampling.fit.models import with_models
from classay.resampling.fit.running import Finished, Progress, ResultStore, Step, Unit, lists_runs, run
from classay.resampling.fold_result import FoldResult
from classay.resampling.store.fingerprint import key_of, of_data, of_estimator, of_text
from classay.resampling.store.run_store import Store

AT_ONCE = 64
"""Rounds whose predictions are held at once, until they can be counted in their order."""


@checked
def decompose(
    learner: Any,
    X: Any = None,
    y: Any = None,
    *,
    loss: Loss = "0-1",
    rounds: int = 200,
    sampling: Any = "bootstrap",
    size: float | None = None,
    test: Any = None,
    cluster: Any = None,
    weight: Any = None,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    n_jobs: int | None = 1,
    store: str | os.PathLike[str] | ResultStore | None = None,
    keys: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Decomposition:
    """Take the expected loss of a learner apart: noise, bias and variance over training sets.

    The learner is fitted to as many training sets as there are `rounds`, and each model predicts the same test rows.
    What all models get wrong is bias; where they differ is variance. `learner` is an estimator of scikit-learn's kind,
    or a name that `evaluate` knows; it is cloned. `loss` is "0-1" (by Domingos, and by Kohavi & Wolpert), "squared"
    (of the probabilities) or "log-loss".

    `sampling` draws the training sets: "bootstrap", "subsample" (without replacement), "disjoint" (parts that share no
    row), or a `Population`, which draws new rows and knows their noise; X and y are then left out. `size` is the rows
    of a training set, or a share of those there are: all of them for the bootstrap, half for subsets. `test` says which
    rows are predicted: a share of X, held out by class (1/3), or a pair `(X, y)`, or `(X, probabilities)` where the
    distribution of the class is known; of a population the number of rows to draw (1,000).

    Rows of one `cluster` stay together: training sets are drawn of whole clusters, so that `size` counts clusters;
    those of the test rows are others, and the intervals are over clusters. `weight` are sampling weights, by which test
    rows count; learners are fitted without them, as in `evaluate`. Both are of the rows of X, a share of which is
    tested.

    Random are test rows and rounds together, and the interval of each term says so; no term is biased by few rounds to
    the order of 1/rounds. Where only one label of a row is known, noise is part of the bias. `seed`, `n_jobs`,
    `store`, `keys` and `progress` as in `evaluate`: the fits do not depend on the loss or on the number of rounds, so a
    store gives those it has. Rounds in which the learner fails are left out and reported.
    Raises InputError: one class, fewer than two rounds, training sets that cannot be drawn, a loss of probabilities of
    a learner that gives none, or when every fit fails.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> d = decompose(DecisionTreeClassifier(), X, y, rounds=50)
    >>> sum(d[name].value for name in ("bias", "net_variance")) - d["loss"].value < 1e-12
    True
    """
    if importlib.util.find_spec("sklearn") is None:
        raise MissingExtraError("decomposing the loss of a learner", "train")
    check_loss(loss)
    if rounds < 2:
        raise InputError(f"rounds is {rounds}: one training set shows no variance, so pass 2 or more (200).")
    if n_jobs == 0:
        raise InputError("n_jobs is 0: pass how many processes are to fit, or -1 for one a core.")
    plain_seed = seed_of(seed)
    source = source_of(Given(X, y, cluster, weight), sampling, size, test, rounds, plain_seed)
    how = _Run(
        learner_of(learner, source.sample_of_X), source, loss, rounds, level, plain_seed, n_jobs, progress
    )
    if isinstance(store, str | os.PathLike):
        with Store(store) as opened:
            return how.with_store(opened, keys or {})
    return how.with_store(store, keys or {})


def learner_of(given: Any, X: Any) -> Learner:
    """The one learner, by its name."""
    with in_our_words("the learner cannot be read", "pass an object with fit, predict and get_params."):
        chosen = named(with_models(given, X))
    if len(chosen) > 1:
        raise InputError(f"there are {len(chosen)} learners: take the loss of one apart at a time.")
    [(name, estimator)] = chosen.items()
    return Learner.of(name, estimator)


@dataclass(frozen=True, eq=False)
class _Run:
    """One call of `decompose`."""

    learner: Learner
    source: Source
    loss: Loss
    rounds: int
    level: float
    seed: int
    n_jobs: int | None
    progress: Progress | None

    def with_store(self, store: ResultStore | None, keys: Mapping[str, str]) -> Decomposition:
        """All rounds, those that the store has from there."""
        made = None if store is None else _Keys.of(self, keys)
        if store is not None and made is not None and lists_runs(store):
            made.begin(store, self)
        tally = _Tally(self.learner.name, self.loss, self.source.truth, min(BLOCKS, self.rounds))
        kept = 0
        for done, last in enumerate(self._finished(store, made), start=1):
            tally.add(last, self.source)
            kept += last.kept
            if self.progress is not None:
                self.progress(Step(done, self.rounds, kept, last, lambda: self._made(tally)))
        tally.refuse_failure(self.rounds)
        return self._made(tally)

    def _units(self, numbers: Iterable[int], made: _Keys | None) -> Iterator[Unit]:
        for number in numbers:
            data, split = self.source.training_set(number)
            key = None if made is None else made.key(self, number)
            yield Unit(data, self.learner, split, key)

    def _finished(self, store: ResultStore | None, made: _Keys | None) -> Iterator[Finished]:
        """The rounds in their order, so that sums of probabilities are the same whoever fits first."""
        for first in range(0, self.rounds, AT_ONCE):
            numbers = range(first, min(first + AT_ONCE, self.rounds))
            how: dict[str, Any] = {"seed": self.seed, "training": (), "n_jobs": self.n_jobs, "store": store}
            with closing(run(self._units(numbers, made), **how)) as results:
                found = {each.unit.split.place.number: each for each in results}
            yield from (found[number] for number in numbers)

    def _made(self, tally: _Tally) -> Decomposition:
        source = self.source
        assert tally.table is not None
        return Decomposition(
            self.learner.name,
            self.loss,
            tally.trimmed,
            source.labels,
            source.test_rows,
            source.noise_known,
            source.sampling,
            source.random,
            source.size,
            source.drawn_from,
            self.rounds,
            tuple(tally.failures),
            (*source.notes, *tally.notes),
            self.level,
            self.seed,
            source.units,
            source.index,
        )


class _Tally:
    """The table as it is filled, and what went wrong on the way."""

    def __init__(self, learner: str, loss: Loss, truth: Array, blocks: int) -> None:
        self.learner, self.loss, self.truth, self.blocks = learner, loss, truth, blocks
        self.table: RoundTable | None = None
        self.rounds = 0
        self.failures: list[str] = []
        self.seen: dict[str, int] = {}

    def add(self, last: Finished, source: Source) -> None:
        """Count a round, or say why it failed."""
        result, number = last.result, last.unit.split.place.number
        for note in result.notes:
            self.seen[note] = self.seen.get(note, 0) + 1
        if result.failure is not None or result.predicted is None:
            self.failures.append(f"round {number + 1}: {result.failure}")
            return
        given = probabilities(last.unit.data.cases, result)
        if given is None and self.loss != "0-1":
            if self.table is None and not self.failures:
                raise InputError(no_probabilities(self.learner, self.loss))
            self.failures.append(f"round {number + 1}: it gives no probabilities")
            return
        self._count(result, given)

    def _count(self, result: FoldResult, given: Array | None) -> None:
        assert result.predicted is not None
        if self.table is None:
            self.table = RoundTable.empty(self.truth, self.blocks, with_probabilities=given is not None)
        if given is None:
            self.table = replace(self.table, sums=None, squares=None, logs=None)
        self.table.add(self.rounds, result.predicted, given)
        self.rounds += 1

    @property
    def notes(self) -> tuple[str, ...]:
        """What the rounds said, with how often."""
        done = self.rounds + len(self.failures)
        return tuple(f"in {times} of {done} rounds: {note}" for note, times in self.seen.items())

    @property
    def trimmed(self) -> RoundTable:
        """The table without blocks that no round fell into."""
        assert self.table is not None
        return self.table.first_blocks(self.rounds)

    def refuse_failure(self, planned: int) -> None:
        """Fewer than two rounds show nothing of variance."""
        if self.rounds >= 2:
            return
        first = self.failures[0].partition(": ")[2]
        count = f"{len(self.failures)} of {planned}"
        lead = "every fit failed" if not self.rounds else "all fits but one failed"
        raise InputError(f"{lead} ({count}), the first with: {first}")


@dataclass(frozen=True)
class _Keys:
    """What the results of fits are kept under."""

    learner: str
    data: str | None

    @classmethod
    def of(cls, how: _Run, keys: Mapping[str, str]) -> _Keys:
        name = how.learner.name
        learner = of_text(keys[name]) if name in keys else of_estimator(name, how.learner.estimator)
        fixed = how.source.drawn_from is not None
        return cls(learner, of_data(how.source.training_set(0)[0]) if fixed else None)

    def key(self, how: _Run, number: int) -> str:
        """The key of a round: a population has other rows in each."""
        data, split = how.source.training_set(number)
        return key_of(self.data or of_data(data), self.learner, split, how.seed)

    def begin(self, store: ResultStore, how: _Run) -> None:
        """Tell the store what is about to run."""
        from classay import __version__

        keys = [self.key(how, number) for number in range(how.rounds)]
        about = {
            "estimators": [how.learner.name],
            "protocol": f"decompose, {how.source.sampling} of {how.source.size} {how.source.units.name}s x{how.rounds}",
            "data": {"": {"rows": how.source.drawn_from or how.source.size, "hash": self.data or keys[0]}},
            "seed": how.seed,
            "classay": __version__,
        }
        store.begin(of_text("".join(keys)), about, keys)
