"""Protocols that part the cases: into folds, in order of time, held out, nested, or of a wanted size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from classay.errors import InputError
from classay.inference.draws import stream
from classay.inference.estimate import Estimate
from classay.kinds import share, shown
from classay.measures import Measure, error_rate
from classay.resampling.data import Array, Cases, Dataset, Split, apparent, seed_for, split
from classay.resampling.folds import nested_error
from classay.resampling.model_folds import ModelFolds, may_pool
from classay.resampling.protocol import (
    INFINITE,
    ONE_MODEL,
    Protocol,
    bare,
    few_of_a_class,
    folds_of,
    protocol,
    split_rows,
    whole,
)
from classay.tables.sums import rounded_difference

LOO_RANKING = (
    "each fold has one case, which has no ranking, and scores of different models must not be "
    "pooled: the class shares would have a pooled AUC of 0"
)
LOO_DEPENDENT = (
    "the models of leave-one-out share nearly all cases, so their errors are dependent; "
    "nested:10 and 10x10 have intervals"
)


@protocol(
    "Stratified k-fold cross-validation",
    forms={"10x10": "{repeats}x{folds}", "10fold": "{folds}fold"},
    also=("{folds}-fold",),
    estimand="performance on new cases of models fitted to all folds but one",
    reference="Nadeau & Bengio 2003, Machine Learning 52:239",
)
@dataclass(frozen=True)
class StratifiedKFold(Protocol):
    """Folds with equal class shares, each once the test set, optionally repeated.

    Whole clusters go into a fold if there are any (stratified and grouped).

    Parameters
    ----------
    folds : int, default 10
        Number of folds.
    repeats : int, default 1
        Number of repeats, each with other folds.

    Examples
    --------
    >>> StratifiedKFold(10).name, StratifiedKFold(10, repeats=10).name
    ('10fold', '10x10')
    """

    folds: int = 10
    repeats: int = 1

    def __post_init__(self) -> None:
        whole(self.folds, 2, "folds")
        whole(self.repeats, 1, "repeats")

    def count(self, data: Dataset) -> int:
        """Return the number of fits, folds times repeats."""
        return self.folds * self.repeats

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """Return each fold of each repeat.

        Parameters
        ----------
        data : Dataset
            The cases to split.
        seed : int
            Start of all random numbers. Equal seeds give equal results.

        Returns
        -------
        iterator of Split
            The splits.
        """
        for repeat in range(self.repeats):
            for fold, (train, test) in enumerate(folds_of(data.cases, self.folds, seed, repeat)):
                yield split(repeat * self.folds + fold, train, test, repeat=repeat, fold=fold)

    def notes(self, cases: Cases) -> tuple[str, ...]:
        """Report classes with fewer cases than folds."""
        return few_of_a_class(cases, self.folds)


@protocol(
    "Leave-one-out",
    forms={"loo": "loo"},
    also=("leave-one-out",),
    estimand="error of models fitted to all cases but one; ranking measures cannot be estimated",
    random="There are no intervals. The models share nearly all of their cases, so their errors depend on "
    "each other.",
    incomparable=LOO_DEPENDENT,
    reference="Bengio & Grandvalet 2004, JMLR 5:1089",
)
@dataclass(frozen=True)
class LeaveOneOut(Protocol):
    """Leave-one-out, with each case, or each cluster, once as the test set.

    Examples
    --------
    >>> LeaveOneOut().name
    'loo'
    """

    def count(self, data: Dataset) -> int:
        """Return the number of fits, one for each case or cluster, and one on all cases."""
        clusters = data.cases.clusters
        return 1 + (data.cases.rows if clusters is None else len(clusters))

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """Return a split for every case or cluster, and one of all cases.

        All cases serve the training estimate, because n models would show the same.

        Parameters
        ----------
        data : Dataset
            The cases to split.
        seed : int
            Start of all random numbers. Equal seeds give equal results.

        Returns
        -------
        iterator of Split
            The splits.
        """
        rows = data.cases.rows
        every = np.arange(rows)
        yield apparent(0, rows)
        cluster = every if data.cases.cluster is None else data.cases.cluster
        for i in range(self.count(data) - 1):
            out = cluster == i
            one_out = split(i + 1, every[~out], every[out], fold=i)
            yield replace(one_out, shows_training=False)

    def notes(self, cases: Cases) -> tuple[str, ...]:
        """Report the artifacts of leave-one-out."""
        return (
            "leave-one-out: the held-out case changes the class shares of its training set. Scores that "
            "follow these shares rank all positives below all negatives, at any prevalence. With balanced data, "
            "the majority rule is always incorrect. Stratified folds (10x10) have no such artifact.",
        )

    def artefacts(self, baseline: ModelFolds) -> tuple[str, ...]:
        """Report where the majority-class baseline errs more than on new cases."""
        error, _ = baseline.value(error_rate)
        cases = baseline.cases
        expected = 1 - float(cases.shares[cases.totals.argmax()])
        if not rounded_difference(error, expected) > 0:
            return ()
        return (
            f"The error rate of the majority-class baseline is {100 * error:.1f}% on held-out cases but "
            f"{100 * expected:.1f}% on new cases, which is an artifact of leave-one-out.",
        )

    def estimate(self, folds: ModelFolds, measure: Measure, level: float) -> Estimate:
        """Estimate a measure from pooled counts or mean losses.

        Measures that rank have no value.

        Parameters
        ----------
        folds : ModelFolds
            What the model predicted in every fold.
        measure : Measure
            The measure to estimate.
        level : float
            Confidence level of the interval.

        Returns
        -------
        Estimate
            The value without an interval.
        """
        if not may_pool(measure) and folds.cases.cluster is None:
            return Estimate.undefined(LOO_RANKING)
        return bare(folds, measure, LOO_DEPENDENT)


@protocol(
    "Time-ordered folds",
    forms={"time:5": "time:{folds}"},
    estimand="performance on later cases, for training sets that grow",
    random="There are no intervals. The folds differ in time and training-set size and are not a random "
    "sample.",
    incomparable="its training sets grow, and its folds are not a random sample",
)
@dataclass(frozen=True)
class TimeOrdered(Protocol):
    """Folds of rows in time order, each tested by a model of all rows before it.

    Parameters
    ----------
    folds : int, default 5
        Number of folds.

    Examples
    --------
    >>> TimeOrdered(5).name
    'time:5'
    """

    folds: int = 5

    def __post_init__(self) -> None:
        whole(self.folds, 2, "folds")

    def count(self, data: Dataset) -> int:
        """Return the number of folds."""
        return self.folds

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """Return each fold with all rows before it.

        Parameters
        ----------
        data : Dataset
            The cases to split.
        seed : int
            Start of all random numbers. Equal seeds give equal results.

        Returns
        -------
        iterator of Split
            The splits.
        """
        from sklearn.model_selection import TimeSeriesSplit

        if data.cases.cluster is not None:
            raise InputError(
                "time:K orders rows in time, so cluster= cannot keep some together. Remove one of them."
            )
        for fold, (train, test) in enumerate(split_rows(TimeSeriesSplit(self.folds), data.cases)):
            yield split(fold, train, test, fold=fold)

    def notes(self, cases: Cases) -> tuple[str, ...]:
        """Report that the rows must be in time order."""
        return ("time-ordered: rows are used in their order, oldest first.",)

    def estimate(self, folds: ModelFolds, measure: Measure, level: float) -> Estimate:
        """Estimate a measure, without an interval.

        Parameters
        ----------
        folds : ModelFolds
            What the model predicted in every fold.
        measure : Measure
            The measure to estimate.
        level : float
            Confidence level of the interval.

        Returns
        -------
        Estimate
            The value without an interval.
        """
        return bare(
            folds,
            measure,
            "time-ordered folds are not a random sample, so their variation is not sampling error",
        )


@protocol(
    "Stratified k-fold cross-validation with training sets of one size",
    forms={"5x5@100": "{repeats}x{folds}@{size}"},
    estimand="performance on new cases of models fitted to this number of cases",
    reference="Nadeau & Bengio 2003, Machine Learning 52:239",
)
@dataclass(frozen=True)
class SizedKFold(Protocol):
    """The folds of `StratifiedKFold`, each tested by a model of `size` of the cases outside it.

    The cases of a smaller size are among those of a larger one, with the class shares of all cases; all sizes are
    tested on the same folds. So the results of several sizes are the points of a learning curve.

    >>> SizedKFold(folds=5, repeats=3, size=40).name
    '3x5@40'
    """

    folds: int = 5
    repeats: int = 5
    size: int = 100

    def __post_init__(self) -> None:
        whole(self.folds, 2, "folds")
        whole(self.repeats, 1, "repeats")
        whole(self.size, 2, "size")

    @property
    def whole_folds(self) -> StratifiedKFold:
        """The folds, with all cases outside each for training."""
        return StratifiedKFold(self.folds, self.repeats)

    def count(self, data: Dataset) -> int:
        """Folds times repeats."""
        return self.folds * self.repeats

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """Yield each fold of each repeat, with so many cases of the others."""
        for fold_split in self.whole_folds.splits(data, seed):
            place = fold_split.place
            if self.size > fold_split.train.size:
                raise InputError(
                    f"{self.name} trains on {self.size:,} cases, but only {fold_split.train.size:,} are outside a "
                    "fold. Use a smaller size or more folds."
                )
            rng = stream(seed, f"order {place.repeat} {place.fold}")
            train = np.sort(fold_split.train[ordered(data.cases, fold_split.train, rng)[: self.size]])
            yield split(place.number, train, place.test, repeat=place.repeat, fold=place.fold)

    def notes(self, cases: Cases) -> tuple[str, ...]:
        """Classes with fewer cases than folds."""
        return self.whole_folds.notes(cases)

    def overlap(self, folds: ModelFolds) -> float:
        """As for whole folds: smaller training sets overlap less, and every case is still tested once a repeat."""
        return 1 / (self.folds - 1)


def ordered(cases: Cases, rows: Array, rng: np.random.Generator) -> Array:
    """Return an order at random in which the first cases, however many, have the class shares of all."""
    codes = cases.truth[rows]
    place = np.empty(rows.size)
    for code in np.unique(codes):
        of_class = rng.permutation(np.flatnonzero(codes == code))
        place[of_class] = (np.arange(of_class.size) + rng.random()) / of_class.size
    return np.argsort(place, kind="stable")


@protocol(
    "Resubstitution",
    forms={"resubstitution": "resubstitution"},
    estimand="performance on the training cases (optimistic)",
    random="There are no intervals. The values are from the training cases and are optimistic.",
    incomparable="it tests on the training cases",
)
@dataclass(frozen=True)
class Resubstitution(Protocol):
    """Fit and test on the same cases, which gives the apparent performance.

    It is optimistic.

    Examples
    --------
    >>> Resubstitution().name
    'resubstitution'
    """

    def count(self, data: Dataset) -> int:
        """Return 1."""
        return 1

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """Return all cases, for training and for testing.

        Parameters
        ----------
        data : Dataset
            The cases to split.
        seed : int
            Start of all random numbers. Equal seeds give equal results.

        Returns
        -------
        iterator of Split
            The split.
        """
        yield apparent(0, data.cases.rows)

    def estimate(self, folds: ModelFolds, measure: Measure, level: float) -> Estimate:
        """Estimate the apparent value of a measure, without an interval.

        Parameters
        ----------
        folds : ModelFolds
            What the model predicted in every fold.
        measure : Measure
            The measure to estimate.
        level : float
            Confidence level of the interval.

        Returns
        -------
        Estimate
            The value without an interval.
        """
        return bare(
            folds.of("apparent"),
            measure,
            "resubstitution: the test cases are the training cases, so all values are optimistic",
        )


@protocol(
    "Holdout, once or repeated",
    forms={"holdout:0.33": "holdout:{share}", "holdout:0.33x30": "holdout:{share}x{repeats}"},
    estimand="performance of models fitted to a random part of the cases",
    reference="Nadeau & Bengio 2003, Machine Learning 52:239",
)
@dataclass(frozen=True)
class Holdout(Protocol):
    """Holdout of a share of the cases for testing, stratified by class.

    One split gives an interval for this one model, from the test cases only. Repeated random splits
    overlap, and the interval is the corrected resampled t. Whole clusters are held out if there are any.

    Parameters
    ----------
    share : float, default 1/3
        Share of the test cases.
    repeats : int, default 1
        Number of random splits.

    Examples
    --------
    >>> Holdout(0.33).name, Holdout(1 / 3, repeats=30).name
    ('holdout:0.33', 'holdout:1/3x30')
    """

    share: float = 1 / 3
    repeats: int = 1

    def __post_init__(self) -> None:
        try:
            share(self.share)
        except (TypeError, ValueError, OverflowError):
            raise InputError(
                f"The share held out must be between 0 and 1, such as 0.33, but is {shown(self.share)}."
            ) from None
        whole(self.repeats, 1, "repeats")

    @property
    def random(self) -> str:
        """What the intervals cover, in one sentence."""
        return super().random if self.repeats > 1 else ONE_MODEL

    def count(self, data: Dataset) -> int:
        """Return the number of repeats."""
        return self.repeats

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """Return random splits, stratified by class, or of whole clusters.

        Parameters
        ----------
        data : Dataset
            The cases to split.
        seed : int
            Start of all random numbers. Equal seeds give equal results.

        Returns
        -------
        iterator of Split
            The splits.
        """
        from sklearn.model_selection import GroupShuffleSplit, StratifiedShuffleSplit

        cases = data.cases
        kind = StratifiedShuffleSplit if cases.cluster is None else GroupShuffleSplit
        splitter = kind(self.repeats, test_size=self.share, random_state=seed_for(seed, "holdout"))
        for i, (train, test) in enumerate(split_rows(splitter, cases)):
            yield split(i, train, test, repeat=i)

    def estimate(self, folds: ModelFolds, measure: Measure, level: float) -> Estimate:
        """Estimate a measure on the one test set, or over the repeats.

        Parameters
        ----------
        folds : ModelFolds
            What the model predicted in every fold.
        measure : Measure
            The measure to estimate.
        level : float
            Confidence level of the interval.

        Returns
        -------
        Estimate
            The value with its interval, corrected if there are repeats.
        """
        if self.repeats > 1:
            return super().estimate(folds, measure, level)
        return folds.on_one_test_set(measure)


ENOUGH = 50
ONLY_MEANS = (
    "nested cross-validation has intervals only for means over cases: accuracy, log-loss, Brier score"
)


@protocol(
    "Nested cross-validation",
    forms={"nested:10": "nested:{folds}", "nested:10x100": "nested:{folds}x{repeats}"},
    estimand="performance of the model fitted to all cases (nested cross-validation, for means over cases)",
    random="The intervals reflect sampling variability of the cases. They cover the performance on new "
    "cases of the model fitted to all of these cases (nested cross-validation).",
    reference="Bates, Hastie & Tibshirani 2024, JASA 119:1434",
)
@dataclass(frozen=True)
class NestedCV(Protocol):
    """Nested cross-validation, with the interval of Bates, Hastie & Tibshirani.

    Each of K folds is a test set, with cross-validation among the other folds.

    Parameters
    ----------
    folds : int, default 10
        Number K of folds.
    repeats : int, default 50
        Number of repeats. Fewer than 50 estimate the width badly.

    Notes
    -----
    A model without folds j and k is the inner model of j tested on k, and the reverse. So a repeat takes K
    (K + 1) / 2 fits.

    Examples
    --------
    >>> NestedCV(10).name, NestedCV(5, repeats=100).name
    ('nested:10', 'nested:5x100')
    """

    folds: int = 10
    repeats: int = ENOUGH

    def __post_init__(self) -> None:
        whole(self.folds, 3, "folds")
        whole(self.repeats, 1, "repeats")

    def count(self, data: Dataset) -> int:
        """Return the number of fits, the folds and their pairs in each repeat."""
        return self.repeats * self.folds * (self.folds + 1) // 2

    def splits(self, data: Dataset, seed: int) -> Iterator[Split]:
        """Return each fold, then each pair of folds, of each repeat.

        The place of a pair is that of its first fold.

        Parameters
        ----------
        data : Dataset
            The cases to split.
        seed : int
            Start of all random numbers. Equal seeds give equal results.

        Returns
        -------
        iterator of Split
            The splits.
        """
        number = 0
        for repeat in range(self.repeats):
            folds = list(folds_of(data.cases, self.folds, seed, repeat))
            for fold, (train, test) in enumerate(folds):
                yield split(number, train, test, repeat=repeat, fold=fold)
                number += 1
            for j, k in combinations(range(self.folds), 2):
                test = np.concatenate([folds[j][1], folds[k][1]])
                inner = np.setdiff1d(folds[j][0], folds[k][1], assume_unique=True)
                yield split(number, inner, test, kind="pair", repeat=repeat, fold=j)
                number += 1

    def notes(self, cases: Cases) -> tuple[str, ...]:
        """Report small classes, and too few repeats."""
        few = few_of_a_class(cases, self.folds)
        if self.repeats >= ENOUGH:
            return few
        return (
            *few,
            f"nested: {self.repeats} repetitions give imprecise interval widths. Use at least {ENOUGH}.",
        )

    def estimate(self, folds: ModelFolds, measure: Measure, level: float) -> Estimate:
        """Estimate the debiased mean loss with its interval.

        Other measures have the value of plain cross-validation without an interval.

        Parameters
        ----------
        folds : ModelFolds
            What the model predicted in every fold.
        measure : Measure
            The measure to estimate.
        level : float
            Confidence level of the interval.

        Returns
        -------
        Estimate
            The value, with an interval for a mean loss.
        """
        if folds.cases.cluster is not None or folds.cases.weight is not None:
            return bare(folds, measure, "nested cross-validation needs independent, equally weighted cases")
        outer, pairs = folds.case_values(measure), folds.of("pair").case_values(measure)
        if outer is None or pairs is None:
            return bare(folds, measure, ONLY_MEANS)
        if len(outer) < self.folds * self.repeats or len(pairs) < folds.planned("pair"):
            return bare(folds, measure, "some fits failed, but nested cross-validation needs all fits")
        if not all(np.isfinite(losses).all() for losses in (*outer, *pairs)):
            return bare(folds, measure, INFINITE)
        inner = self._inner(outer, pairs)
        error = nested_error(inner, outer, self.folds, level)
        low, high = np.clip([error.low, error.high], *measure.bounds)
        value = float(np.clip(error.value, *measure.bounds))
        if not high > low:
            return Estimate.bare(value, "all cases have the same loss, which shows no variation")
        return Estimate(value, float(low), float(high), level, "nested CV")

    def _inner(self, outer: list[Array], pairs: list[Array]) -> list[Array]:
        """For each fold the losses of all other cases by models that saw neither them nor the fold."""
        k = self.folds
        inner: list[Array] = []
        of_pair = list(combinations(range(k), 2))
        for repeat in range(self.repeats):
            by_fold: list[list[Array]] = [[] for _ in range(k)]
            of_repeat = pairs[repeat * len(of_pair) : (repeat + 1) * len(of_pair)]
            for (i, j), losses in zip(of_pair, of_repeat, strict=True):
                first = outer[repeat * k + i].size
                by_fold[j].append(losses[:first])
                by_fold[i].append(losses[first:])
            inner.extend(np.concatenate(losses) for losses in by_fold)
        return inner
