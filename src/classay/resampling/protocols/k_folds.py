"""Protocols that put the cases into folds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.measures import Measure, error_rate
from classay.resampling.data import Cases, Dataset
from classay.resampling.model_folds import ModelFolds, may_pool
from classay.resampling.protocols.about import protocol
from classay.resampling.protocols.protocol import Protocol, bare, whole
from classay.resampling.protocols.splitting import few_of_a_class, folds_of, split_rows
from classay.resampling.splits import Split, apparent, split

LOO_RANKING = (
    "each fold has one case, which ranks nothing, and scores of different models must not be pooled: the class shares "
    "alone would get a pooled AUC of 0"
)
LOO_DEPENDENT = (
    "all models of leave-one-out share nearly all their cases, so that their errors depend on each other: "
    "nested:10 or 10x10 give an interval"
)


@protocol(
    "Stratified k-fold cross-validation",
    forms={"10x10": "{repeats}x{folds}", "10fold": "{folds}fold"},
    also=("{folds}-fold",),
    estimand="what to expect on new cases of models fitted to all folds but one",
    reference="Nadeau & Bengio 2003, Machine Learning 52:239",
)
@dataclass(frozen=True)
class StratifiedKFold(Protocol):
    """K folds with the same class shares, each once the test set; repeated with other folds.

    Whole clusters go into a fold where clusters are given (stratified-grouped).

    >>> StratifiedKFold(10).name, StratifiedKFold(10, repeats=10).name
    ('10fold', '10x10')
    """

    folds: int = 10
    repeats: int = 1

    def __post_init__(self) -> None:
        whole(self.folds, 2, "folds")
        whole(self.repeats, 1, "repeats")

    def count(self, data: Dataset) -> int:
        """Folds times repeats."""
        return self.folds * self.repeats

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """Each fold of each repeat."""
        for repeat in range(self.repeats):
            for fold, (train, test) in enumerate(folds_of(data.cases, self.folds, seed, repeat)):
                yield split(repeat * self.folds + fold, train, test, repeat=repeat, fold=fold)

    def notes(self, cases: Cases) -> tuple[str, ...]:
        """Classes with fewer cases than folds."""
        return few_of_a_class(cases, self.folds)


@protocol(
    "Leave-one-out",
    forms={"loo": "loo"},
    also=("leave-one-out",),
    estimand="error of models fitted to all cases but one; no ranking measure can be estimated so",
    random="Random: the cases; there are no intervals, because the models share nearly all of their cases and "
    "their errors depend on each other.",
    incomparable=LOO_DEPENDENT,
    reference="Bengio & Grandvalet 2004, JMLR 5:1089",
)
@dataclass(frozen=True)
class LeaveOneOut(Protocol):
    """Each case, or each cluster, is the test set once.

    >>> LeaveOneOut().name
    'loo'
    """

    def count(self, data: Dataset) -> int:
        """One a case or cluster, and one on all cases."""
        clusters = data.cases.clusters
        return 1 + (data.cases.rows if clusters is None else len(clusters))

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """Every case or cluster left out, and all cases for the training estimate: n models would show the same."""
        rows = data.cases.rows
        every = np.arange(rows)
        yield apparent(0, rows)
        cluster = every if data.cases.cluster is None else data.cases.cluster
        for i in range(self.count(data) - 1):
            out = cluster == i
            made = split(i + 1, every[~out], every[out], fold=i)
            yield replace(made, shows_training=False)

    def notes(self, cases: Cases) -> tuple[str, ...]:
        """The artefacts of leave-one-out."""
        return (
            "leave-one-out: the case left out changes the class shares against itself. A rule that follows them is "
            "wrong in every case of exactly balanced data, and the class shares alone rank every positive below every "
            "negative case. Stratified folds (10x10) have no such artefact.",
        )

    def artefacts(self, baseline: ModelFolds) -> tuple[str, ...]:
        """Where the majority rule errs more often than it would on new cases."""
        found, _ = baseline.value(error_rate)
        cases = baseline.cases
        expected = 1 - float(cases.shares[cases.totals.argmax()])
        if not found > expected:
            return ()
        return (
            f"here the majority rule errs in {100 * found:.1f} % of the cases left out, and would err in "
            f"{100 * expected:.1f} % of new ones: an artefact of leave-one-out",
        )

    def estimate(self, folds: ModelFolds, measure: Measure, level: float) -> Estimate:
        """Pooled counts and means of losses without an interval; nothing that ranks."""
        if not may_pool(measure) and folds.cases.cluster is None:
            return Estimate.undefined(LOO_RANKING)
        return bare(folds, measure, LOO_DEPENDENT)


@protocol(
    "Time-ordered folds",
    forms={"time:5": "time:{folds}"},
    estimand="performance on the cases that follow, for training sets that grow",
    random="There are no intervals: the folds differ in time and in the size of training, and are no sample.",
    incomparable="its training sets grow, and its folds are no sample",
)
@dataclass(frozen=True)
class TimeOrdered(Protocol):
    """Rows in the order of time: each fold is tested by a model of all rows before it.

    >>> TimeOrdered(5).name
    'time:5'
    """

    folds: int = 5

    def __post_init__(self) -> None:
        whole(self.folds, 2, "folds")

    def count(self, data: Dataset) -> int:
        """The folds."""
        return self.folds

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """Each fold with all rows before it."""
        from sklearn.model_selection import TimeSeriesSplit

        if data.cases.cluster is not None:
            raise InputError("time:K orders rows, and cluster= keeps some together: leave one of them out.")
        for fold, (train, test) in enumerate(split_rows(TimeSeriesSplit(self.folds), data.cases)):
            yield split(fold, train, test, fold=fold)

    def notes(self, cases: Cases) -> tuple[str, ...]:
        """The rows must be in order."""
        return ("time-ordered: the rows are taken to be in the order of time, oldest first.",)

    def estimate(self, folds: ModelFolds, measure: Measure, level: float) -> Estimate:
        """The value without an interval."""
        return bare(
            folds, measure, "time-ordered folds are no random sample: their spread is no sampling error"
        )
