"""decompose(): from a learner and what the caller gives (rows, a population, test rows) to a Decomposition."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import code_labels
from classay.columns.labels import unite
from classay.columns.numbers import counted
from classay.columns.values import listing
from classay.errors import InputError, MissingExtraError, in_our_words
from classay.improving.decomposition import Decomposition, check_loss, no_probabilities
from classay.improving.loss_parts import BLOCKS, Loss, RoundTable
from classay.improving.training_sets import (
    OF_POPULATION,
    DrawingScheme,
    MeanUnits,
    Population,
    Stacked,
    TrainingSets,
    distributions,
    from_population,
    from_rows,
    plain_cases,
    sampling_named,
)
from classay.inference.draws import seed_of
from classay.kinds import checked, share, shown, whole
from classay.resampling.data import Cases, Dataset, FoldResult, dataset, index_of, label_array, rows_of
from classay.resampling.fingerprint import key_of, of_data, of_estimator, of_text
from classay.resampling.fitting import (
    Finished,
    FitOptions,
    Learner,
    Progress,
    ResultStore,
    Step,
    Unit,
    lists_runs,
    run_units,
)
from classay.resampling.model_folds import probabilities
from classay.resampling.models import named, with_models
from classay.resampling.partitions import Holdout
from classay.resampling.run_store import Store
from classay.tables.sums import are_greatest
from classay.texts import an, quote

Array = NDArray[Any]
HELD_OUT = 1 / 3


FEWEST_CLUSTERS = 4
"""Clusters of which two can be tested on and two drawn from."""


DRAWN = 1000
"""Test rows of a population where no number is given."""


def training_sets(
    X: Any,
    y: Any,
    sampling: Any,
    size: float | None,
    test: Any,
    rounds: int,
    seed: int,
    *,
    cluster: Any = None,
    weight: Any = None,
) -> TrainingSets:
    """Return the training sets that the arguments of `decompose` describe.

    Raises InputError.
    """
    columns = {"cluster": cluster, "weight": weight}
    if isinstance(sampling, Population):
        if X is not None or y is not None:
            raise InputError(
                "X and y cannot be combined with a population, which draws its own rows. Pass only one of them."
            )
        _refuse(columns, "a population draws independent, equally weighted rows.")
        return _of_population(sampling, size, test, seed)
    drawing = sampling_named(sampling)
    if X is None or y is None:
        raise InputError("There are no rows to draw training sets from. Pass X and y, or a Population.")
    if test is None or not hasattr(test, "__len__"):
        data, pool, tested, known = _held_out(X, y, HELD_OUT if test is None else test, seed, **columns)
    else:
        _refuse(
            columns,
            "test has its own rows. Pass all rows as X and y, and as test the share to hold out.",
        )
        data, pool, tested, known = _with_test(X, y, test)
    units = _units(data.cases, tested)
    groups = pool if units.cluster is None else _groups(data.cases, pool)
    n_drawn = _size(drawing, size, rounds, len(groups), units)
    return TrainingSets(
        labels=data.cases.labels,
        sampling=drawing.title,
        random=" ".join(_random(drawing, units)),
        size=n_drawn,
        drawn_from=len(groups),
        X=X,
        training_set=from_rows(
            data, groups, tested, lambda number: drawing.draw(len(groups), n_drawn, seed, number)
        ),
        notes=_unseen(data.cases, pool, tested),
        units=units,
        **known,
    )


def _refuse(columns: Mapping[str, object], why: str) -> None:
    """Refuse clusters and weights where they mean nothing."""
    for name, values in columns.items():
        if values is not None:
            raise InputError(f"{name} cannot be used here: {why}")


def _of_population(population: Population, size: float | None, test: Any, seed: int) -> TrainingSets:
    labels = tuple(population.classes)
    if len(labels) < 2 or len({*labels}) < len(labels):
        raise InputError(
            f"The classes of the population must be two or more different labels, but are {list(labels)!r}."
        )
    rows = _whole("size", size, "the rows of a training set (required with a population)")
    if isinstance(test, tuple | list) and len(test) == 2:
        X, truth, known = _test_pair(test, labels)
    else:
        drawn = _whole("test", DRAWN if test is None else test, "the number of test rows to draw")
        X, _ = population.rows(drawn, seed, "test rows")
        truth, known = population.truth(X), True
    return TrainingSets(
        labels=labels,
        truth=truth,
        noise_known=known,
        test_rows=np.arange(truth.shape[0]),
        index=index_of(X),
        sampling="samples of a population",
        random=OF_POPULATION,
        size=rows,
        drawn_from=None,
        X=X,
        training_set=from_population(population, rows, seed, (X, are_greatest(truth).argmax(1))),
    )


Rows = tuple[Dataset, Array, Array, dict[str, Any]]
"""Rows, those that training sets are drawn from, those that are tested, and what is known of the latter."""


def _held_out(X: Any, y: Any, share: Any, seed: int, *, cluster: Any = None, weight: Any = None) -> Rows:
    labels, (codes,) = _coded([("y", y)])
    _refuse_lengths(X, codes)
    cases = plain_cases(labels, codes)
    if cluster is not None or weight is not None:
        tested_cases = dataset("", X, y, cases.positive, weight, cluster).cases
        cases = replace(
            cases, weight=tested_cases.weight, cluster=tested_cases.cluster, clusters=tested_cases.clusters
        )
    if cases.clusters is not None and len(cases.clusters) < FEWEST_CLUSTERS:
        raise InputError(
            f"decompose needs at least {FEWEST_CLUSTERS} clusters for training and test sets, but there are "
            f"{len(cases.clusters)}."
        )
    data = Dataset(_sliceable(X), label_array(labels)[codes], cases)
    (split,) = Holdout(share).splits(data, seed)
    test, index = split.place.test, index_of(X)
    names = None if index is None else tuple(index[k] for k in test.tolist())
    truth = np.eye(len(labels))[codes[test]]
    known = {"truth": truth, "noise_known": False, "test_rows": test, "index": names}
    return data, split.train, test, known


def _with_test(X: Any, y: Any, test: Any) -> Rows:
    if not (isinstance(test, tuple | list) and len(test) == 2):
        raise InputError(
            "test must be the share of held-out rows, a pair (X, y) or a pair (X, probabilities), but is "
            f"{an(type(test).__name__)}."
        )
    if _are_distributions(test[1]):
        labels, (codes,) = _coded([("y", y)])
        X_test, truth, is_known = _test_pair(test, labels)
        tested = are_greatest(truth).argmax(1)
    else:
        labels, (codes, tested) = _coded([("y", y), ("y of test", test[1])])
        X_test, truth, is_known = test[0], np.eye(len(labels))[tested], False
        _refuse_lengths(X_test, tested, " of test")
    _refuse_lengths(X, codes)
    both = np.concatenate([codes, tested])
    data = Stacked((_sliceable(X), _sliceable(X_test)), label_array(labels)[both], plain_cases(labels, both))
    numbers = np.arange(tested.size)
    known = {"truth": truth, "noise_known": is_known, "test_rows": numbers, "index": index_of(X_test)}
    return data, np.arange(codes.size), codes.size + numbers, known


def _test_pair(test: Any, labels: Sequence[Hashable]) -> tuple[Any, Array, bool]:
    """Test rows with the distribution of their class, or its one label."""
    X, y = test
    rows = rows_of(X)
    if not rows:
        raise InputError("There are no test rows because X of test is empty. Pass at least one row.")
    if _are_distributions(y):
        return X, distributions(y, rows, len(labels), "test"), True
    index = {label: code for code, label in enumerate(labels)}
    codes = [index.get(label) for label in np.asarray(y).ravel().tolist()]
    if None in codes or len(codes) != rows:
        raise InputError(
            f"test has {counted(rows)} and {len(codes):,} labels, or a label that is not a class. Pass one "
            f"label of {listing(list(labels))} for each row."
        )
    return X, np.eye(len(labels))[np.array(codes)], False


def _are_distributions(y: Any) -> bool:
    """Check whether there are several numbers a row, and not one label."""
    shape = np.shape(y)
    return len(shape) == 2 and shape[1] > 1


def _unseen(cases: Cases, pool: Array, tested: Array) -> tuple[str, ...]:
    """Classes of test rows that no training row has. Raises InputError where these are of one class."""
    codes, labels = cases.truth, cases.labels
    seen = np.unique(codes[pool])
    if seen.size < 2:
        raise InputError(
            f"The training rows have only one class, {listing([labels[k] for k in seen])}. A learner needs two "
            "classes."
        )
    return tuple(
        f"class {quote(labels[k])} occurs in {counted(int((codes[tested] == k).sum()))} of the test set "
        "but in no training row"
        for k in np.setdiff1d(codes[tested], seen)
    )


def _units(cases: Cases, tested: Array) -> MeanUnits:
    """Return how the test rows count."""
    weight = None if cases.weight is None else cases.weight[tested]
    if cases.cluster is None:
        return MeanUnits(weight)
    return MeanUnits(weight, np.unique(cases.cluster[tested], return_inverse=True)[1])


def _groups(cases: Cases, pool: Array) -> list[Array]:
    """Return the rows of each cluster that training sets are drawn from."""
    assert cases.cluster is not None
    cluster = cases.cluster[pool]
    order = np.argsort(cluster, kind="stable")
    return np.split(pool[order], np.flatnonzero(np.diff(cluster[order])) + 1)


def _random(drawing: DrawingScheme, units: MeanUnits) -> Iterator[str]:
    """Yield what is random, in sentences."""
    yield drawing.random
    if units.cluster is not None:
        yield (
            "Rows of a cluster stay together: training sets consist of whole clusters. The test clusters "
            "vary."
        )
    if units.weight is not None:
        yield "Test rows are weighted. The learner does not use the weights."


def _size(drawing: DrawingScheme, size: float | None, rounds: int, rows: int, units: MeanUnits) -> int:
    """Return the rows, or clusters, of a training set. Raises InputError where so many cannot be drawn."""
    most = drawing.most(rows, rounds)
    sets = f"{rounds} {drawing.title} of {rows:,} {units.name}{'' if rows == 1 else 's'}"
    if size is None:
        n_units = drawing.size(rows, rounds)
    elif (part := _share(size)) is not None:
        n_units = round(part * rows)
    else:
        n_units = _whole(
            "size", size, f"the number of {units.name}s of a training set, or a share of all {units.name}s"
        )
    if n_units < 2:
        raise InputError(
            f"{sets} have {n_units} each, but a training set needs at least 2. Pass a larger size or fewer "
            "rounds."
        )
    if n_units > most:
        fewer = " or fewer rounds" if drawing.name == "disjoint" else ""
        raise InputError(
            f"size is {n_units}, but {sets} have at most {int(most)} each. Pass a smaller size{fewer}."
        )
    return n_units


def _whole(name: str, value: Any, what: str) -> int:
    try:
        number = whole(value)
    except (TypeError, ValueError, OverflowError):
        number = 0
    if number < 1:
        raise InputError(f"{name} must be {what}, as a whole number from 1, but is {shown(value)}.")
    return number


def _share(value: Any) -> float | None:
    """Return a number between 0 and 1 as it is, None for any other."""
    try:
        return share(value)
    except (TypeError, ValueError):
        return None


def _coded(columns: Sequence[tuple[str, Any]]) -> tuple[tuple[Hashable, ...], list[Array]]:
    """Common labels of columns, and their codes. Raises InputError for missing labels."""
    coded = [(name, code_labels(values, name)) for name, values in columns]
    for name, coding in coded:
        if coding.missing:
            raise InputError(f"{name} is missing in {counted(coding.missing)}. Exclude these rows.")
        if not coding.codes.size:
            raise InputError(f"There are no rows because {name} is empty. Pass at least one row.")
    labels, codes = unite(coded)
    if len(labels) < 2:
        raise InputError(
            f"{columns[0][0]} has only one class, {listing(list(labels))}. A learner needs two classes."
        )
    return labels, list(codes)


def _refuse_lengths(X: Any, codes: Array, of: str = "") -> None:
    rows = rows_of(X)
    if rows != codes.size:
        raise InputError(
            f"X{of} has {counted(rows)}, but y{of} has {codes.size:,} labels. Pass one label for each row."
        )


def _sliceable(X: Any) -> Any:
    """Features of which rows can be taken: not those that are stored by coordinates."""
    return X.tocsr() if hasattr(X, "tocsr") and X.format not in ("csr", "csc", "lil") else X


AT_ONCE = 64
"""Rounds whose predictions are held at once, until they can be counted in their order."""


class DecomposeArguments(FitOptions, total=False):
    """The arguments of `decompose` beside the data and how fits are made."""

    loss: Loss
    rounds: int
    sampling: Any
    size: float | None
    test: Any
    cluster: Any
    weight: Any


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
    """Split the expected loss of a learner into noise, bias and variance.

    The learner is fitted to many training sets, and each model predicts the same test rows. Errors that all
    models share are bias, and differences between them are variance.

    Parameters
    ----------
    learner : estimator or str
        A classifier of scikit-learn's kind, which is cloned, or a name that `evaluate` knows.
    X : array or frame, optional
        Features of the cases. Leave it out for a `Population`.
    y : array-like, optional
        True labels of the cases. Leave them out for a `Population`.
    loss : {"0-1", "squared", "log-loss"}, default "0-1"
        The loss. "0-1" is split by Domingos, and by Kohavi & Wolpert. "squared" is that of the
        probabilities.
    rounds : int, default 200
        Number of training sets, at least 2.
    sampling : {"bootstrap", "subsample", "disjoint"} or Population, default "bootstrap"
        How training sets are made: with replacement, without replacement, as parts that share no row, or
        from a `Population`. A population draws new rows and has a known noise.
    size : float, optional
        Rows of a training set, or their share. The default is all rows for the bootstrap and half for
        subsets. With a `cluster` it counts clusters.
    test : float, int or tuple, optional
        Test rows. A share of X, held out by class, 1/3 by default, or a pair `(X, y)`, or
        `(X, probabilities)` if the distribution of the class is known. Of a population the number of rows
        to draw, 1,000 by default.
    cluster : array-like or str, optional
        Cluster of each row of X, or the name of its column. Training sets consist of whole clusters, those
        of the test rows are others, and the intervals are over clusters.
    weight : array-like or str, optional
        Sampling weight of each row of X, by which test rows count. Learners are fitted without weights, as
        in `evaluate`.
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

    Returns
    -------
    Decomposition
        The parts of the loss with their intervals.

    Raises
    ------
    InputError
        If there is one class, or fewer than two rounds.
        If the training sets cannot be drawn.
        If the loss needs probabilities that the learner does not give.
        If every fit fails.

    Notes
    -----
    The intervals cover test rows and rounds jointly. No term has a bias of the order of 1/rounds. If only
    one label of a row is known, noise is part of the bias. The fits depend on neither the loss nor the
    number of rounds, so a store reuses them. Rounds in which the learner fails are excluded and reported.

    Examples
    --------
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
        raise InputError(
            f"rounds must be at least 2, because one training set shows no variance, but is {rounds}. The "
            "default is 200."
        )
    if n_jobs == 0:
        raise InputError("n_jobs must be a number of processes, or -1 for one per core, but is 0.")
    plain_seed = seed_of(seed)
    source = training_sets(X, y, sampling, size, test, rounds, plain_seed, cluster=cluster, weight=weight)
    how = _Run(learner_of(learner, source.X), source, loss, rounds, level, plain_seed, n_jobs, progress)
    if isinstance(store, str | os.PathLike):
        with Store(store) as opened:
            return how.with_store(opened, keys or {})
    return how.with_store(store, keys or {})


def learner_of(learner: Any, X: Any, what: str = "decompose one loss") -> Learner:
    """Return the one learner, by its name; `what` is done with one at a time."""
    with in_our_words("The learner cannot be read", "Pass an object with fit, predict and get_params."):
        chosen = named(with_models(learner, X))
    if len(chosen) > 1:
        raise InputError(f"There are {len(chosen)} learners. Pass one: {what} at a time.")
    [(name, estimator)] = chosen.items()
    return Learner.of(name, estimator)


@dataclass(frozen=True, eq=False)
class _Run:
    """One call of `decompose`."""

    learner: Learner
    source: TrainingSets
    loss: Loss
    rounds: int
    level: float
    seed: int
    n_jobs: int | None
    progress: Progress | None

    def with_store(self, store: ResultStore | None, keys: Mapping[str, str]) -> Decomposition:
        """Return all rounds, those that the store has from there."""
        unit_keys = None if store is None else _Keys.of(self, keys)
        if store is not None and unit_keys is not None and lists_runs(store):
            unit_keys.begin(store, self)
        tally = _Tally(self.learner.name, self.loss, self.source.truth, min(BLOCKS, self.rounds))
        kept = 0
        for done, last in enumerate(self._finished(store, unit_keys), start=1):
            tally.add(last, self.source)
            kept += last.kept
            if self.progress is not None:
                so_far = lambda: None if tally.table is None else self._made(tally)  # noqa: E731
                self.progress(Step(done, self.rounds, kept, last, so_far))
        tally.refuse_failure(self.rounds)
        return self._made(tally)

    def _units(self, numbers: Iterable[int], unit_keys: _Keys | None) -> Iterator[Unit]:
        for number in numbers:
            data, split = self.source.training_set(number)
            key = None if unit_keys is None else unit_keys.key(self, number)
            yield Unit(data, self.learner, split, key)

    def _finished(self, store: ResultStore | None, unit_keys: _Keys | None) -> Iterator[Finished]:
        """Yield the rounds in their order, so that sums of probabilities are the same whoever fits first."""
        for first in range(0, self.rounds, AT_ONCE):
            numbers = range(first, min(first + AT_ONCE, self.rounds))
            how: dict[str, Any] = {"seed": self.seed, "training": (), "n_jobs": self.n_jobs, "store": store}
            with closing(run_units(self._units(numbers, unit_keys), **how)) as results:
                by_number = {result.unit.split.place.number: result for result in results}
            yield from (by_number[number] for number in numbers)

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

    def add(self, last: Finished, source: TrainingSets) -> None:
        """Count a round, or say why it failed."""
        result, number = last.result, last.unit.split.place.number
        for note in result.notes:
            self.seen[note] = self.seen.get(note, 0) + 1
        if result.failure is not None or result.predicted is None:
            self.failures.append(f"round {number + 1}: {result.failure}")
            return
        predicted = probabilities(last.unit.data.cases, result)
        if predicted is None and self.loss != "0-1":
            if self.table is None and not self.failures:
                raise InputError(no_probabilities(self.learner, self.loss))
            self.failures.append(f"round {number + 1}: the learner has no predicted probabilities")
            return
        self._count(result, predicted)

    def _count(self, result: FoldResult, predicted: Array | None) -> None:
        assert result.predicted is not None
        if self.table is None:
            self.table = RoundTable.empty(self.truth, self.blocks, with_probabilities=predicted is not None)
        if predicted is None:
            self.table = replace(self.table, sums=None, squares=None, logs=None)
        self.table.add(self.rounds, result.predicted, predicted)
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
        lead = "All fits but one failed" if self.rounds else "Every fit failed"
        raise InputError(f"{lead} ({count}). The first error: {first}")


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
        """Return the key of a round: a population has other rows in each."""
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
