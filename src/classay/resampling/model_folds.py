"""ModelFolds: the folds of one model on one data set, what measures they give; all models on one data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from classay.assessment.assessment import Assessment
from classay.assessment.task import Classes
from classay.columns import place_from
from classay.comparison.named_tests import CORRECTED
from classay.inference.estimate import Estimate
from classay.inference.labels.delta import of_counts, of_matrix
from classay.measures import Measure
from classay.measures.probability import UNBOUNDED_BY_ENDS, are_probabilities, why_unbounded
from classay.measures.vocabulary import NOT_PROBABILITIES
from classay.resampling.data import Array, Cases, FoldResult, Kind, Place
from classay.resampling.folds import ClassesOfFolds, FoldSpread, by_repeat, spread_of_folds
from classay.resampling.leaks import Leak
from classay.tables import ConfusionMatrix, ScoreTable
from classay.tables.sums import is_rounding


def values_of_cases(measure: Measure, cases: Cases, truth: Array, result: FoldResult) -> Array | None:
    """One value a case of codes of true classes, `(cases,)`; None of other measures, or without probabilities."""
    if measure.name in ("accuracy", "error_rate"):
        is_right = result.predicted == truth
        return np.asarray(is_right if measure.name == "accuracy" else ~is_right, np.float64)
    code = cases.positive_code
    of_other_classes = "scores" if code is None else "cases"
    losses = measure.losses
    if (
        losses is None
        or measure.needs == of_other_classes
        or result.scores is None
        or result.kind_of_score != "probability"
    ):
        return None
    return losses(result.scores, truth if code is None else truth == code)


def probabilities(cases: Cases, result: FoldResult) -> Array | None:
    """Return a column for each class; None where the scores are no probabilities."""
    scores: Any = result.scores
    if scores is None or result.kind_of_score != "probability" or not are_probabilities(scores):
        return None
    scores = scores.astype(np.float64)
    if scores.ndim == 2:
        return np.asarray(scores)
    both = np.empty((scores.size, 2))
    code = cases.positive_code
    assert code is not None
    both[:, code], both[:, 1 - code] = scores, 1 - scores
    return both


NO_PROBABILITIES = "the scores of the estimator are decision values, not probabilities"


def may_pool(measure: Measure) -> bool:
    """Check whether the folds are pooled for a measure: counts, means over cases, and functions of probabilities.

    A probability means the same whichever model says it; a score ranks only within its model, so measures of
    ranking are means over folds. Forman & Scholz 2010, SIGKDD Explorations 12(1):49; Airola et al. 2011,
    Computational Statistics & Data Analysis 55:1828.
    """
    return measure.is_of_matrix or measure.needs == "cases" or NOT_PROBABILITIES in measure.undefined


class ModelFolds:
    """The results of one model at some places, those that failed left out; tables are made when asked for.

    `places` and `results` belong together; `all_places` and `all_results` also hold the other kinds of split.
    """

    def __init__(
        self,
        cases: Cases,
        places: Sequence[Place],
        results: Sequence[FoldResult | None],
        level: float,
        seed: int,
        kind: Kind = "test",
    ) -> None:
        self.cases, self.level, self.seed = cases, level, seed
        self.all_places, self.all_results = places, results
        mine = [(p, r) for p, r in zip(places, results, strict=True) if p.kind == kind and r is not None]
        self.planned_places = [place for place, _ in mine]
        self.places = [place for place, result in mine if result.failure is None]
        self.results = [result for _, result in mine if result.failure is None]
        self.failures = [(place, str(result.failure)) for place, result in mine if result.failure is not None]

    def of(self, kind: Kind) -> ModelFolds:
        """Return the same model at the splits of another kind."""
        return ModelFolds(self.cases, self.all_places, self.all_results, self.level, self.seed, kind)

    def planned(self, kind: Kind) -> int:
        """Return how many splits of a kind there are, whatever came of them."""
        return sum(place.kind == kind for place in self.all_places)

    @property
    def test_over_train(self) -> float:
        """Mean size of the test sets over that of the training sets."""
        return sum(place.n_test for place in self.places) / sum(place.n_train for place in self.places)

    # tables

    @cached_property
    def matrices(self) -> ConfusionMatrix:
        """The confusion matrix of every fold, `[fold, predicted, true]`."""
        k, n = len(self.cases.labels), len(self.places)
        if not n:
            return ConfusionMatrix(np.zeros((0, k, k), np.int64), self.cases.labels)
        rows = np.concatenate([place.test for place in self.places])
        predicted = np.concatenate([result.predicted for result in self.results])
        fold = np.repeat(np.arange(n), [place.n_test for place in self.places])
        cell, row = fold * k + predicted.astype(np.int64), self.cases.truth[rows].astype(np.int64)
        if self.cases.weight is None:
            counts = np.bincount(cell * k + row, minlength=n * k * k)
        else:
            counts = np.bincount(cell * k + row, self.cases.weight[rows], n * k * k)
        return ConfusionMatrix(counts.reshape(n, k, k), self.cases.labels)

    @cached_property
    def training_matrices(self) -> ConfusionMatrix | None:
        """The same of the rows of training; None where training was not looked at."""
        counts = [result.training for result in self.results if result.training is not None]
        if not counts or len(counts) < len(self.results):
            return None
        return ConfusionMatrix(np.stack(counts), self.cases.labels)

    @cached_property
    def assessments(self) -> list[Assessment]:
        """The assessment of every fold on its test cases."""
        return [
            self._assess(place.test, result) for place, result in zip(self.places, self.results, strict=True)
        ]

    @cached_property
    def whole(self) -> Assessment:
        """All folds as one, for what may be pooled: labels, losses, probabilities."""
        rows = np.concatenate([place.test for place in self.places])
        scores = [result.scores for result in self.results if result.scores is not None]
        pooled: Array | None = np.concatenate(scores) if len(scores) == len(self.results) else None
        predicted = np.concatenate([result.predicted for result in self.results])
        return self.cases.assess(rows, predicted, pooled)

    @cached_property
    def first_repeat(self) -> Assessment:
        """The folds of the first repeat as one, for what may be compared between folds."""
        of_repeat = [
            (place, result)
            for place, result in zip(self.places, self.results, strict=True)
            if place.repeat == self.places[0].repeat
        ]
        rows = np.concatenate([place.test for place, _ in of_repeat])
        scores = [result.scores for _, result in of_repeat if result.scores is not None]
        pooled: Array | None = np.concatenate(scores) if len(scores) == len(of_repeat) else None
        return self.cases.assess(rows, np.concatenate([result.predicted for _, result in of_repeat]), pooled)

    def _assess(self, rows: Array, result: FoldResult) -> Assessment:
        assert result.predicted is not None
        return self.cases.assess(rows, result.predicted, result.scores, self.level, self.seed)

    def table(self, measure: Measure, fold: int) -> Any:
        """Return the table that the measure needs of one fold, or the reason why there is none."""
        return self._improper(measure) or self.assessments[fold].table(measure)

    def _improper(self, measure: Measure) -> str | None:
        decided = NOT_PROBABILITIES in measure.undefined and self.results[0].kind_of_score == "decision"
        return NO_PROBABILITIES if decided else None

    # values

    def value(self, measure: Measure) -> tuple[float, str | None]:
        """Return the right one of the pooled value and the mean over folds, and the reason where it is undefined."""
        if not self.places:
            return float("nan"), self._no_folds()
        value = self.pooled(measure) if may_pool(measure) else self.fold_mean(measure)
        return value, (self.why_undefined(measure) if np.isnan(value) else None)

    def pooled(self, measure: Measure) -> float:
        """Return the measure of all folds together; NaN where their scores must not be pooled, or it is undefined."""
        if not self.places or not may_pool(measure):
            return float("nan")
        if measure.is_of_matrix:
            return float(measure(self._of_counts(measure, _total(self.matrices))))
        table = self._improper(measure) or self.whole.table(measure)
        return float("nan") if isinstance(table, str) else float(measure(table))

    def why_unbounded(self, measure: Measure) -> str | None:
        """Why a finite log-loss has no interval: scores of exactly 0 or 1 in some fold; None where it may have one."""
        if not self.places or measure.base not in UNBOUNDED_BY_ENDS:
            return None
        table = self._improper(measure) or self.whole.table(measure)
        return None if isinstance(table, str) else why_unbounded(measure, table)

    def fold_mean(self, measure: Measure) -> float:
        """Return the mean of the values of the folds where the measure is defined; NaN where it is in none."""
        values = self.values(measure)
        values = values[~np.isnan(values)]
        return float(values.mean()) if values.size else float("nan")

    def values(self, measure: Measure) -> Array:
        """Return the value of each fold, NaN where undefined, `(folds,)`."""
        if measure.is_of_matrix:
            return np.asarray(measure(self._of_counts(measure, self.matrices)), np.float64)
        tables = [self.table(measure, i) for i in range(len(self.places))]
        return np.array([np.nan if isinstance(t, str) else float(measure(t)) for t in tables], np.float64)

    def reasons(self, measure: Measure, values: Array) -> list[str | None]:
        """Return why each fold's value is undefined, None where it is not."""
        return [self._why(measure, i) if np.isnan(v) else None for i, v in enumerate(values.tolist())]

    def _why(self, measure: Measure, fold: int) -> str:
        table = self.table(measure, fold)
        if isinstance(table, str):
            return table
        why = measure.why_undefined(table) or "0 / 0"
        return self.assessments[fold].why_improper if why == NOT_PROBABILITIES.text else why

    def why_undefined(self, measure: Measure) -> str:
        """Return why the measure has no value on the folds together."""
        if not self.places:
            return self._no_folds()
        if may_pool(measure):
            table = self._improper(measure) or self.whole.table(measure)
            if isinstance(table, str):
                return table
            why = measure.why_undefined(table) or "0 / 0"
            return self.whole.why_improper if why == NOT_PROBABILITIES.text else why
        reasons = sorted({why for why in self.reasons(measure, self.values(measure)) if why})
        return "in every fold: " + "; ".join(reasons)

    def _no_folds(self) -> str:
        if self.failures:
            return f"every fit failed: {self.failures[0][1]}"
        return "there are no results"

    def spread(self, measure: Measure, estimate: Estimate, overlap: float) -> FoldSpread | None:
        """What the values of the folds show by themselves; naive intervals only if `estimate` is the corrected one."""
        repeat, fold = (
            np.array([getattr(place, name) for place in self.places]) for name in ("repeat", "fold")
        )
        is_naive = CORRECTED in (estimate.method or "")
        why = "" if is_naive else "these folds have no corrected interval to compare with a naive interval"
        values = self.values(measure)
        table = values if np.isnan(values).any() else by_repeat(values, repeat, fold)
        return spread_of_folds(table, overlap, self.level, why, self.hidden(measure))

    def training_values(self, measure: Measure) -> Array | str:
        """Return the value of each fold on its training cases, or why there are none."""
        if measure.is_of_matrix:
            matrices = self.training_matrices
            if matrices is None:
                return "training values were not computed"
            return np.asarray(measure(self._of_counts(measure, matrices)), np.float64)
        if not any(measure.name in result.training_values for result in self.results):
            return f"training values were not computed for {measure.name}; add it to measures="
        missing = float("nan")
        return np.array([result.training_values.get(measure.name, missing) for result in self.results])

    def training(self, measure: Measure) -> float:
        """Return the value on the training cases, aggregated as that on the test cases; NaN where there is none."""
        if may_pool(measure) and measure.is_of_matrix and self.training_matrices is not None:
            return float(measure(self._of_counts(measure, _total(self.training_matrices))))
        values = self.training_values(measure)
        if isinstance(values, str):
            seen = self.of("apparent")
            return seen.value(measure)[0] if seen.places else float("nan")
        values = values[~np.isnan(values)]
        return float(values.mean()) if values.size else float("nan")

    def contributions(self, measure: Measure) -> Array | str:
        """Return what each fold adds to the value: its own value, or the jackknife's pseudo-value of a pooled one.

        Their mean is the value (pooled: but for the jackknife's correction of its bias), their spread that of the
        folds. A fold on which the measure alone is undefined still adds its counts.
        """
        if not may_pool(measure):
            values = self.values(measure)
            return values[~np.isnan(values)]
        if measure.is_of_matrix:
            counts = self.matrices.counts
            without = ConfusionMatrix(counts.sum(0) - counts, self.matrices.labels)
            left = np.asarray(measure(self._of_counts(measure, without)), np.float64)
            return self._pseudo_values(measure, left)
        tables = [self.table(measure, i) for i in range(len(self.places))]
        if why := next((reason for reason in tables if isinstance(reason, str)), None):
            return why
        sums = self._sums(measure)
        if sums is None:
            return "no valid interval over folds is known for this measure"
        n, totals = sums
        with np.errstate(invalid="ignore", divide="ignore"):
            return self._pseudo_values(measure, (totals.sum() - totals) / (n.sum() - n))

    def _pseudo_values(self, measure: Measure, left_out: Array) -> Array | str:
        folds = len(self.places)
        if folds < 2:
            return "one fold shows no variation"
        if np.isnan(left_out).any():
            return "the value is undefined when some fold is excluded"
        with np.errstate(invalid="ignore"):
            pseudo_values: Array = folds * self.pooled(measure) - (folds - 1) * left_out
        return pseudo_values

    # what the folds do not show, because all have the same classes

    @cached_property
    def classes(self) -> ClassesOfFolds:
        """How the tested cases of each fold divide over the classes."""
        cases = self.cases
        tests = [place.test for place in self.places]
        return ClassesOfFolds.of(cases.truth, len(cases.labels), tests, cases.weight, cases.cluster)

    def hidden(self, measure: Measure, than: Array | None = None) -> float:
        """The variance of a measure that these folds do not show, or of what it is above what has the slopes `than`."""
        slopes = self.class_slopes(measure)
        return self.classes.hidden(slopes if than is None else slopes - than)

    def class_slopes(self, measure: Measure) -> Array:
        """By how much a measure grows as each class has more cases, `(classes,)`: see `ClassesOfFolds.hidden`.

        0 of rankings of several classes, which move little, and where no interval over folds is known.
        """
        if not self.places:
            return np.zeros(len(self.cases.labels))
        slopes = self._class_slopes(measure)
        return np.where(is_rounding(slopes, abs(self.value(measure)[0])), 0.0, slopes)

    def _class_slopes(self, measure: Measure) -> Array:
        slopes = np.zeros(len(self.cases.labels))
        if (losses := self.case_values(measure)) is not None:
            rows = np.concatenate([place.test for place in self.places])
            value = np.concatenate(losses)
            weight = np.ones(rows.size) if self.cases.weight is None else self.cases.weight[rows]
            if not np.isfinite(value).all():
                return slopes
            above = value - (weight @ value) / weight.sum()
            return np.asarray(np.bincount(self.cases.truth[rows], weight * above, slopes.size) / weight.sum())
        if measure.is_of_matrix:
            return self._slopes_of(measure, self.matrices)
        if may_pool(measure):
            return self._slopes_of_mean(measure)
        if (code := self.cases.positive_code) is not None:
            tables = [self.table(measure, i) for i in range(len(self.places))]
            fold_slopes = [_slope(measure, table) for table in tables if isinstance(table, ScoreTable)]
            known = [slope for slope in fold_slopes if np.isfinite(slope)]
            slopes[code] = np.mean(known) if known else 0.0
            slopes[1 - code] = -slopes[code]
        return slopes

    def _slopes_of_mean(self, measure: Measure) -> Array:
        """Return the same of a mean over cases, by the sums of each class; 0 of what is none."""
        slopes = np.zeros(len(self.cases.labels))
        if measure.moments is None and measure.parts is None:
            return slopes
        rows = np.concatenate([place.test for place in self.places])
        predicted = np.concatenate([result.predicted for result in self.results])
        scores = [result.scores for result in self.results if result.scores is not None]
        if len(scores) < len(self.results):
            return slopes
        pooled, n, sums = np.concatenate(scores), slopes.copy(), slopes.copy()
        for code in np.unique(self.cases.truth[rows]).tolist():
            is_class = self.cases.truth[rows] == code
            table = self._improper(measure) or self.cases.assess(
                rows[is_class], predicted[is_class], pooled[is_class]
            ).table(measure)
            if isinstance(table, str):
                return slopes
            n[code], sums[code] = _number_and_sum(measure, table)
        above = sums - n * (sums.sum() / n.sum()) if n.sum() > 0 else slopes
        return above / n.sum() if np.isfinite(above).all() else slopes

    def training_slopes(self, measure: Measure) -> Array:
        """Return the same of the value on the training cases; 0 where it is not one of counts."""
        counted = self.training_matrices if measure.is_of_matrix else None
        return np.zeros(len(self.cases.labels)) if counted is None else self._slopes_of(measure, counted)

    def _slopes_of(self, measure: Measure, matrices: ConfusionMatrix) -> Array:
        counts = _total(matrices).counts
        influences = np.nan_to_num(np.asarray(counts * self._influence(measure, counts), np.float64))
        return np.asarray(influences.sum(0))

    def _influence(self, measure: Measure, counts: Array) -> Array:
        """Return what one more case at each `[predicted, true]` adds to a measure of counts."""
        labels = self.cases.labels
        matrix = ConfusionMatrix(counts, labels)
        of = self._of_counts(measure, matrix)
        if measure.needs != "counts":
            return of_matrix(measure, of)
        tp, fp, fn, tn = of_counts(measure, of)
        place = place_from(measure.label, labels)
        at = np.arange(len(labels))
        if place is None:
            is_positive = at == labels.index(measure.class_among(labels, self.cases.positive))
        else:
            is_positive = at >= place
        predicted, true = is_positive[:, None], is_positive[None, :]
        return np.asarray(np.where(predicted, np.where(true, tp, fp), np.where(true, fn, tn)))

    def _sums(self, measure: Measure) -> tuple[Array, Array] | None:
        """Cases and sum of losses of each fold, where the measure is a mean over cases."""
        if measure.moments is None and measure.parts is None:
            return None
        tables = [self.table(measure, i) for i in range(len(self.places))]
        n, sums = (
            np.array(column)
            for column in zip(*[_number_and_sum(measure, table) for table in tables], strict=True)
        )
        return n, sums

    def on_one_test_set(self, measure: Measure) -> Estimate:
        """Return the estimate of the only fold, by the sampling of its test cases."""
        if not self.places:
            return Estimate.undefined(self._no_folds())
        why = self._improper(measure)
        return self.assessments[0].estimate(measure.name) if why is None else Estimate.undefined(why)

    # single cases

    def case_values(self, measure: Measure) -> list[Array] | None:
        """Return the value of each case of each fold, where the measure is a plain mean over cases; else None."""
        values = []
        for place, result in zip(self.places, self.results, strict=True):
            fold_values = values_of_cases(measure, self.cases, self.cases.truth[place.test], result)
            if fold_values is None:
                return None
            values.append(fold_values)
        return values

    def mean_by_case(self, measure: Measure) -> float | None:
        """Return the mean over cases of each case's mean over the folds that test it: the leave-one-out bootstrap."""
        losses = self.case_values(measure)
        if not losses:
            return None
        rows = np.concatenate([place.test for place in self.places])
        times = np.bincount(rows, minlength=self.cases.rows)
        sums = np.bincount(rows, np.concatenate(losses), self.cases.rows)
        seen = times > 0
        weights = None if self.cases.weight is None else self.cases.weight[seen]
        return float(np.average(sums[seen] / times[seen], weights=weights))

    def mean_by_class(self, measure: Measure) -> float | None:
        """Return the mean loss if every prediction met every truth: over classes, by how often each is true.

        Cases count by their weights on both sides, as the prediction and as the truth of a pair.
        """
        if not self.results:
            return None
        place, result = self.places[0], self.results[0]
        weights = None if self.cases.weight is None else self.cases.weight[place.test]
        shares = np.bincount(self.cases.truth[place.test], weights, minlength=len(self.cases.labels))
        there = np.flatnonzero(shares)
        means = []
        for code in there.tolist():
            fold_values = values_of_cases(measure, self.cases, np.full(place.n_test, code), result)
            if fold_values is None:
                return None
            means.append(np.average(fold_values, weights=weights))
        return float(np.average(means, weights=shares[there]))

    def _of_counts(self, measure: Measure, matrix: ConfusionMatrix) -> Any:
        if measure.needs != "counts":
            return matrix
        if (place := place_from(measure.label, self.cases.labels)) is not None:
            return matrix.cut(place, (0, 1)).one_vs_rest(1)
        label = measure.class_among(self.cases.labels, self.cases.positive)
        if label is None:  # raises, and names the averages that there are
            Classes(self.cases.labels, matrix).table(measure)
        return matrix.one_vs_rest(label)


def _number_and_sum(measure: Measure, table: Any) -> tuple[float, float]:
    """Cases and sum of losses of a table, of a measure that is a mean over cases."""
    if measure.moments is not None:
        n, total = measure.moments(*measure.read((table,)))[:2]
    else:
        assert measure.parts is not None
        total, n = measure.parts(*measure.read((table,)))
    return float(n), float(total)


STEP = 1e-4
"""Of the logarithm of the weight of a class, to both sides."""


def _slope(measure: Measure, table: ScoreTable) -> float:
    """By how much a measure of scores grows as the weight of the positive class does; 0 where it is rounding."""
    ends = []
    for by in (1 + STEP, 1 - STEP):
        squares = None if table.positive_squares is None else table.positive_squares * by**2
        ends.append(float(measure(replace(table, positives=table.positives * by, positive_squares=squares))))
    high, low = ends
    return 0.0 if is_rounding(high - low, max(abs(high), abs(low))) else (high - low) / (2 * STEP)


def _total(matrices: ConfusionMatrix) -> ConfusionMatrix:
    return ConfusionMatrix(matrices.counts.sum(0), matrices.labels)


@dataclass(frozen=True)
class Summary:
    """One measure of one model: the estimate, and what it rests on.

    `pooled` is the value of all folds together, `fold_mean` the mean of those where the measure is defined; `used`
    says which of them is the right one for this measure. `training` is the value on the training cases, and
    `optimism` how much better that is than the estimate, in the measure's own units (negative for losses, where
    training shows less). `defined` of `folds` folds have a value; `missing` says why the others have none. `values`
    are those of all folds, NaN where undefined or the fit failed; `spread` is what these show by themselves.
    """

    dataset: str
    model: str
    measure: str
    estimate: Estimate
    pooled: float
    fold_mean: float
    used: str
    training: float
    optimism: float
    defined: int
    fitted: int
    folds: int
    missing: tuple[str, ...] = ()
    values: tuple[float, ...] = ()
    spread: FoldSpread | None = None


@dataclass(frozen=True, eq=False)
class Resampled:
    """The values of one measure on the same folds for several models, aligned: what a comparison needs.

    `values`, `[model, fold]`, are NaN where a measure is undefined or a fit failed. `contributions`, of the same
    shape, have the estimate as their mean: pseudo-values where counts are pooled (a fold of 0 / 0 still adds its
    counts), centred on the pooled value, else the values. `test_over_train` is for the corrected resampled t,
    `class_slopes`, `[model, class]`, and `classes` for what the folds do not show. `unbounded` says of each model why
    its log-loss has no interval, None where it may have one (`ModelFolds.why_unbounded`).
    """

    dataset: str
    measure: str
    models: tuple[str, ...]
    values: Array
    contributions: Array
    test_over_train: float
    repeat: Array
    fold: Array
    class_slopes: Array
    classes: ClassesOfFolds
    unbounded: tuple[str | None, ...]


@dataclass(frozen=True, eq=False)
class DatasetRun:
    """All models on one data set: the places of the protocol, and the result of each model at each place."""

    cases: Cases
    places: tuple[Place, ...]
    results: dict[str, tuple[FoldResult | None, ...]]
    leaks: tuple[Leak, ...] = ()

    @property
    def voiding(self) -> tuple[Leak, ...]:
        """The leaks by which the folds test what training knew, so that no estimate is one of new cases."""
        tested = max((place.test.size for place in self.places), default=0)
        return tuple(leak for leak in self.leaks if leak.voids(tested))
