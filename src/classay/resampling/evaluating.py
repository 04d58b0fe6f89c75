"""evaluate(): from estimators and data to an Evaluation; tune(): what a search promised, and what came of it."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Literal, Unpack, cast

import numpy as np

from classay.columns.values import listing
from classay.comparison.comparison import BASELINE
from classay.errors import InputError, MissingExtraError, in_our_words
from classay.inference.draws import seed_of
from classay.kinds import checked
from classay.measures import Measure, get
from classay.resampling.bootstraps import FromSplitter, protocol_of
from classay.resampling.comparing_learners import with_balanced
from classay.resampling.data import Dataset, FoldResult, Place, Split, datasets, known_measures, label_array
from classay.resampling.evaluation import Evaluation
from classay.resampling.fingerprint import key_of, of_data, of_estimator, of_rows, of_text
from classay.resampling.fitting import (
    Finished,
    FitOptions,
    Learner,
    Progress,
    ResultStore,
    Step,
    Unit,
    lists_runs,
    put,
    run_units,
)
from classay.resampling.leaks import Leak, find_leaks
from classay.resampling.model_folds import DatasetRun
from classay.resampling.models import baseline, named, one_a_tag, with_models
from classay.resampling.other_labels import way_to_evaluate
from classay.resampling.protocol import Protocol
from classay.resampling.run_store import Store
from classay.resampling.saved_evaluations import kept_form
from classay.resampling.searches import grouped, scoring_for, torn_clusters
from classay.texts import hint

Search = Literal["grid", "random", "halving"]


class EvaluateArguments(FitOptions, total=False):
    """The arguments of `evaluate` beside the data, the protocol and how fits are made."""

    measures: Sequence[str] | None
    weight: Any
    remarks: Sequence[tuple[str, str]]
    balance: str | None


@checked
def tune(
    estimator: Any,
    grid: Mapping[str, object],
    X: Any,
    y: Any = None,
    *,
    search: Search = "grid",
    scoring: str | Measure | Callable[..., float] | None = None,
    positive: Hashable | None = None,
    folds: int = 5,
    protocol: Any = "10fold",
    cluster: Any = None,
    **how: Unpack[EvaluateArguments],
) -> Evaluation:
    """Evaluate an estimator that a search tunes in each fold.

    The estimate is that of the procedure with its search. The score that the search promised is shown too
    (`print`, `.tuning`). For another search, or other settings, pass the search object to `evaluate`.

    Parameters
    ----------
    estimator : estimator
        A classifier of scikit-learn's kind.
    grid : mapping
        Values to try for each parameter.
    X : array or frame
        Features of the cases.
    y : array-like, optional
        True labels of the cases.
    search : {"grid", "random", "halving"}, default "grid"
        Search of scikit-learn.
    scoring : str, Measure or callable, optional
        A measure ("roc_auc", "recall[other]"), which becomes a `ca.scorer` of the positive class, a scorer,
        or a name that only scikit-learn has.
    positive : label, optional
        The positive class. The default is 1 (or True, "1", 1.0). Name it for all other labels.
    folds : int, default 5
        Number of inner folds. They are stratified, with all rows of a `cluster` in one fold.
    protocol : str, protocol or splitter, default "10fold"
        How the cases are split, as in `evaluate`.
    cluster : array-like or str, optional
        Cluster of each row, or the name of its column. Rows of one cluster depend on each other.
    **how
        Further arguments of `evaluate`.

    Returns
    -------
    Evaluation
        The tuned estimator with the predictions of every fold.

    Raises
    ------
    InputError
        If `search` has an unknown name.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> e = tune(DecisionTreeClassifier(), {"max_depth": [1, 3]}, X, y, protocol="3fold")
    >>> e.tuning.num_rows
    3
    """
    return evaluate(
        _search(search, estimator, grid, scoring_for(scoring, positive), grouped(folds, cluster)),
        X,
        y,
        positive=positive,
        protocol=protocol,
        cluster=cluster,
        **how,
    )


def _search(search: str, estimator: Any, grid: Mapping[str, object], scoring: Any, cv: Any) -> Any:
    from sklearn.model_selection import GridSearchCV, RandomizedSearchCV

    if search == "grid":
        return GridSearchCV(estimator, grid, scoring=scoring, cv=cv)
    if search == "random":
        return RandomizedSearchCV(estimator, grid, scoring=scoring, cv=cv)
    if search == "halving":
        from sklearn.experimental import enable_halving_search_cv  # noqa: F401  makes the next import possible
        from sklearn.model_selection import HalvingGridSearchCV

        return HalvingGridSearchCV(estimator, grid, scoring=scoring, cv=cv)
    raise InputError(
        f"search must be 'grid', 'random', 'halving' or a search object to evaluate, but is {search!r}."
    )


BINARY = (
    "accuracy",
    "balanced_accuracy",
    "precision",
    "recall",
    "f1",
    "matthews_correlation",
    "roc_auc",
    "average_precision",
    "log_loss",
    "brier_score",
)
SEVERAL = (
    "accuracy",
    "balanced_accuracy",
    "macro_f1",
    "matthews_correlation",
    "macro_roc_auc",
    "log_loss",
    "multiclass_brier_score",
)


@checked
def evaluate(
    estimators: Any,
    X: Any,
    y: Any = None,
    *,
    protocol: Any = "10x10",
    measures: Sequence[str] | None = None,
    positive: Hashable | None = None,
    cluster: Any = None,
    weight: Any = None,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    n_jobs: int | None = None,
    store: str | os.PathLike[str] | ResultStore | None = None,
    keys: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    remarks: Sequence[tuple[str, str]] = (),
    balance: str | None = None,
) -> Evaluation:
    """Evaluate learners by resampling.

    The result shows what to expect of each learner on new cases, with its interval. The majority-class
    baseline always runs too.

    Parameters
    ----------
    estimators : estimator, str, sequence or mapping
        One learner, a list, or a mapping of names to learners. A learner has scikit-learn's `fit` and
        `predict`, and `predict_proba` or `decision_function` if it has scores. A text names a model as the
        command does, "forest" or "pkg.module:attribute". Learners and data are cloned, never changed.
    X : array, frame or mapping
        Features of the cases, or a mapping `{name: (X, y)}` of data sets.
    y : array-like, optional
        True labels. A 0/1 matrix or a set of labels for each case (multilabel) gives a `TagEvaluation`. It
        needs learners such as MultiOutputClassifier, ClassifierChain and OneVsRestClassifier, and a
        protocol that tests each case once. A text then names a model for each tag.
    protocol : str, protocol or splitter, default "10x10"
        How the cases are split: a text such as "10x10", a protocol object, or a splitter of scikit-learn.
        All learners get the same splits. A splitter that gives other splits each time is refused.
    measures : sequence of str, optional
        Measures to show. Any other measure can be computed later.
    positive : label, optional
        The positive class. The default is 1 (or True, "1", 1.0). Name it for all other labels.
    cluster : array-like or str, optional
        Cluster of each row, or the name of its column. Rows of one cluster are never on both sides of a
        split, nor of the inner folds of a search with a cv that takes groups.
    weight : array-like or str, optional
        Sampling weight of each row, or the name of its column. Weights count in the assessment and are not
        passed to `fit`.
    level : float, default 0.95
        Confidence level of the intervals, between 0 and 1.
    seed : int or numpy.random.Generator, default 0
        Start of all random numbers. Equal seeds give equal results.
    n_jobs : int, optional
        Number of parallel jobs of joblib, with the backend that joblib is set to.
    store : path or ResultStore, optional
        A file that keeps every finished fold. A second run with the same arguments continues from it. An
        edited class or function counts as another learner.
    keys : mapping, optional
        Names of estimators that the store cannot distinguish.
    progress : Progress, optional
        A function that is called after every fit with a `Step`.
    remarks : sequence of (str, str), default ()
        Pairs of a code and a sentence on earlier changes of the rows. They stay with the evaluation.
    balance : {"upsample", "downsample", "smote", "weights"}, optional
        Evaluate each learner twice, as it is and fitted to classes of equal size inside each fold (see
        `Balanced`). `balancing` of the result compares both.

    Returns
    -------
    Evaluation
        The learners with the predictions of every fold.

    Raises
    ------
    InputError
        If the cases, learners, protocol, measures or options are invalid, such as labels of only one class.
        If every fit of every learner fails.

    Notes
    -----
    A `random_state` that is None is set from the seed, for every split again, also in splitters inside a
    search. The global states of NumPy and Python are set during a fit on the main thread, so that a run can
    be repeated.

    A learner that fails in a fold is reported in `failures`, and its estimate is that of the other folds. A
    failure may have a passing cause, such as a full disk, so the next run with the store tries it again.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> e = evaluate(GaussianNB(), *load_breast_cancer(return_X_y=True), protocol="10fold")
    >>> e["roc_auc"]
    Estimate(0.988 [0.973, 0.995] 95%, corrected resampled t (Nadeau–Bengio), logit)
    >>> e["baseline"]["accuracy"].value.__round__(3)
    0.627
    """
    if importlib.util.find_spec("sklearn") is None:
        raise MissingExtraError("evaluating learners", "train")
    if n_jobs == 0:
        raise InputError(
            f"{hint('n_jobs', '--jobs')} must be a number of processes, or -1 for one per core, but is 0."
        )
    other = way_to_evaluate(y)
    with in_our_words("The estimators cannot be read", "Pass objects with fit, predict and get_params."):
        models = with_models(estimators, X)
        chosen = named(models if other is None else one_a_tag(estimators, models))
    if balance is not None:
        chosen, keys, remark = with_balanced(chosen, keys or {}, balance)
        remarks = (*remarks, remark)
    if other is not None:
        others = {"positive": positive, "n_jobs": n_jobs, "store": store, "keys": keys, "progress": progress}
        others |= {"balance": balance, "remarks": tuple(remarks) or None}
        if refused := [name for name, value in others.items() if value is not None]:
            raise InputError(
                f"{listing(refused)} cannot be used with multilabel cases. Remove "
                f"{'it' if len(refused) == 1 else 'them'}."
            )
        columns: dict[str, Any] = {"cluster": cluster, "weight": weight, "measures": measures}
        answer = other.answer(chosen, X, y, protocol=protocol, level=level, seed=seed_of(seed), **columns)
        return cast(Evaluation, answer)  # the one answer that is none
    plan = protocol_of(protocol)
    data = datasets(X, y, positive, weight, cluster)
    shown = _measures(measures, data)
    training, number = _training(data, shown), seed_of(seed)

    def run(into: ResultStore | None) -> Evaluation:
        how = (plan, shown, training, level, number, n_jobs, into, keys or {}, progress, tuple(remarks))
        return _Runner(chosen, data, _Asked(*how)).run()

    if isinstance(store, str | os.PathLike):
        with Store(store) as opened:
            return run(opened)
    return run(store)


def evaluate_beside(
    known: Evaluation,
    estimators: Mapping[str, object],
    data: Dataset,
    *,
    n_jobs: int | None,
    store: ResultStore | None,
    keys: Mapping[str, str],
    progress: Progress | None,
) -> Evaluation:
    """Evaluate other learners on the folds of an evaluation of the same data, as `evaluate` would.

    What the learners do not change is taken from there: the majority baseline and the search for leaks.
    Raises InputError as `evaluate` does.
    """
    with in_our_words("The estimators cannot be read", "Pass objects with fit, predict and get_params."):
        chosen = named(estimators)
    sets = {data.cases.name: data}
    training = _training(sets, known.measures)
    how = (known.protocol, known.measures, training, known.level, known.seed, n_jobs, store, keys, progress)
    return _Runner(chosen, sets, _Asked(*how), known).run()


@dataclass(frozen=True)
class _Asked:
    """What is asked of a call of `evaluate`, and where finished folds are kept."""

    protocol: Protocol
    measures: tuple[str, ...]
    training: tuple[str, ...]
    level: float
    seed: int
    n_jobs: int | None
    store: ResultStore | None
    keys: Mapping[str, str]
    progress: Progress | None
    remarks: tuple[tuple[str, str], ...] = ()


class _Runner:
    """One call of `evaluate`: the units, what is finished of them, and the Evaluation they make.

    `known` is an evaluation of other learners on the same folds.
    """

    def __init__(
        self,
        estimators: Mapping[str, object],
        data: dict[str, Dataset],
        asked: _Asked,
        known: Evaluation | None = None,
    ) -> None:
        runs = () if known is None else known.runs
        self.leaks = {run.cases.name: run.leaks for run in runs}
        self.baselines = {
            (run.cases.name, place.number): result
            for run in runs
            for place, result in zip(run.places, run.results[BASELINE], strict=True)
        }
        self.learners = [Learner.of(name, estimator) for name, estimator in estimators.items()]
        self.data, self.asked = data, asked
        self.protocol, self.measures, self.training = asked.protocol, asked.measures, asked.training
        self.rows: dict[tuple[str, int], str] = {}
        self.prints: dict[str, str] = {}
        if asked.store is not None:
            keys = asked.keys
            self.prints = {
                learner.name: of_text(keys[learner.name])
                if learner.name in keys
                else of_estimator(learner.name, learner.estimator)
                for learner in self.learners
            }
            self.data_prints = {name: of_data(data_set) for name, data_set in data.items()}
        self.places: dict[str, list[Place]] = {name: [] for name in data}
        self.results: dict[tuple[str, str, int], FoldResult] = {}
        self.id = ""

    def run(self) -> Evaluation:
        total = sum(self.protocol.count(data_set) for data_set in self.data.values()) * len(self.learners)
        for name, data_set in self.data.items():
            self._refuse_chance(name, data_set)
        self._begin()
        self.leaks |= {
            name: self._leaks(data_set) for name, data_set in self.data.items() if name not in self.leaks
        }
        kept = 0
        how: dict[str, Any] = {
            "seed": self.asked.seed,
            "training": self.training,
            "n_jobs": self.asked.n_jobs,
        }
        with closing(
            run_units(self._units(), store=self.asked.store, **how)
        ) as finished:  # whatever stops us stops the workers
            for done, last in enumerate(finished, start=1):
                self._note(last)
                kept += last.kept
                if self.asked.progress is not None:
                    self.asked.progress(Step(done, total, kept, last, self.evaluation))
        self._refuse_failure()
        evaluation = self.evaluation()
        if self.asked.store is not None and self.id:
            put(self.asked.store, *kept_form(evaluation, self.id))
        return evaluation

    def _splits(self, name: str, data: Dataset) -> Iterator[Split]:
        """Yield the splits of a data set, which are gone through several times and must be the same each time."""
        for split in self.protocol.splits(data, self.asked.seed):
            if isinstance(self.protocol, FromSplitter):
                print_ = of_rows(split)
                if self.rows.setdefault((name, split.place.number), print_) != print_:
                    raise InputError(
                        f"{self.protocol.name} gives different splits each time, so nothing can be repeated. Give the "
                        "splitter a random_state."
                    )
            yield split

    def _refuse_chance(self, name: str, data: Dataset) -> None:
        """Go through the splits of a foreign splitter twice before any fit; their number must be the same."""
        if isinstance(self.protocol, FromSplitter):
            numbers = [[split.place.number for split in self._splits(name, data)] for _ in range(2)]
            if numbers[0] != numbers[1]:
                raise InputError(
                    f"{self.protocol.name} gives {len(numbers[0])} splits the first time and {len(numbers[1])} the "
                    "second time. Use a splitter with a fixed number of splits."
                )

    def _leaks(self, data: Dataset) -> tuple[Leak, ...]:
        cases = data.cases
        cluster = (
            None
            if cases.cluster is None or cases.clusters is None
            else label_array(cases.clusters)[cases.cluster]
        )
        tests = (split for split in self._splits(cases.name, data) if split.place.kind == "test")
        leaks = find_leaks(
            data.X, cases.truth, ((split.train, split.place.test) for split in tests), cluster=cluster
        )
        if cluster is None:
            return leaks
        return (*leaks, *torn_clusters((learner.name, learner.estimator) for learner in self.learners))

    def _units(self) -> Iterator[Unit]:
        for name, data in self.data.items():
            for split in self._splits(name, data):
                self.places[name].append(split.place)
                number = split.place.number
                self.results[name, BASELINE, number] = self.baselines.get((name, number)) or baseline(
                    data.cases, split, self.training
                )
                for learner in self.learners:
                    yield Unit(data, learner, split, self._key(name, learner, split))

    def _key(self, name: str, learner: Learner, split: Split) -> str | None:
        if self.asked.store is None:
            return None
        return key_of(
            self.data_prints[name], self.prints[learner.name], split, self.asked.seed, self.training
        )

    def _begin(self) -> None:
        """Tell the store what is about to run, so that it can say how much of it is done."""
        from classay import __version__

        if self.asked.store is None or not lists_runs(self.asked.store):
            return
        keys = [
            str(self._key(name, learner, split))
            for name, data in self.data.items()
            for split in self._splits(name, data)
            for learner in self.learners
        ]
        about = {
            "estimators": [learner.name for learner in self.learners],
            "protocol": self.protocol.name,
            "data": {
                name: {"rows": data_set.cases.rows, "hash": self.data_prints[name]}
                for name, data_set in self.data.items()
            },
            "seed": self.asked.seed,
            "classay": __version__,
        }
        self.id = of_text("".join(keys))
        self.asked.store.begin(self.id, about, keys)

    def _note(self, last: Finished) -> None:
        unit = last.unit
        self.results[unit.data.cases.name, unit.learner.name, unit.split.place.number] = last.result

    def _refuse_failure(self) -> None:
        """An evaluation of nothing but failures is an error, with the first of them."""
        tried = [result for (_, model, _), result in self.results.items() if model != BASELINE]
        if tried and all(result.failure is not None for result in tried):
            raise InputError(
                f"Every fit failed ({len(tried)} of {len(tried)}). The first error: {tried[0].failure}"
            )

    def evaluation(self) -> Evaluation:
        """Return what is finished, as an Evaluation."""
        models = [*(learner.name for learner in self.learners), BASELINE]
        runs = []
        for name, data in self.data.items():
            places = tuple(self.places[name])
            results = {
                model: tuple(self.results.get((name, model, place.number)) for place in places)
                for model in models
            }
            if places:
                runs.append(DatasetRun(data.cases, places, results, self.leaks[name]))
        return Evaluation(
            self.protocol, self.measures, tuple(runs), self.asked.level, self.asked.seed, self.asked.remarks
        )


def _shown_by_default(data: dict[str, Dataset]) -> tuple[str, ...]:
    kinds = {not data_set.cases.is_binary for data_set in data.values()}
    if len(kinds) == 2:
        return tuple(name for name in BINARY if name in SEVERAL)
    return SEVERAL if kinds.pop() else BINARY


def _measures(names: Sequence[str] | None, data: dict[str, Dataset]) -> tuple[str, ...]:
    """The canonical names of the measures to show; UnknownMeasureError for one that these classes cannot have."""
    if names is None:
        return _shown_by_default(data)
    return known_measures(names, [data_set.cases for data_set in data.values()])


def _training(data: dict[str, Dataset], shown: tuple[str, ...]) -> tuple[str, ...]:
    """Return the measures of scores that are taken of the training cases: those by default, so that stores agree."""
    names = dict.fromkeys((*_shown_by_default(data), *shown))
    return tuple(name for name in names if _is_of_scores(name))


def _is_of_scores(name: str) -> bool:
    return not get(name).is_of_matrix
