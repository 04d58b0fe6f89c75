"""Intervals of measures of several classes: mean losses, skills, the best few, class-wise calibration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf, isfinite, sqrt

import numpy as np

from classay.inference.bootstrap.bootstrap_intervals import refuse_bootstrap
from classay.inference.design import (
    INFLUENCE,
    Array,
    CellWeights,
    Design,
    VarianceEstimate,
    corrected,
    degrees_by_moments,
)
from classay.inference.estimate import IntervalResult
from classay.inference.labels.shares import wilson_of_unlike
from classay.inference.labels.spreads import Shares
from classay.inference.methods import (
    ANYHOW,
    CASES,
    CLASS_SCORES,
    UNLIKE,
    Drawn,
    combined_wilson,
    default,
    interval,
)
from classay.inference.proportions import normal_quantile, scale_of
from classay.inference.scores.deviation import (
    binomial_variance,
    bins_of,
    expected_error,
    gap_covariance,
    noise_below,
    noise_norm,
)
from classay.inference.scores.linearised import (
    AT_END,
    ONE_MORE,
    SAME_LOSS,
    WITHOUT_TAIL,
    LossMoments,
    least_more,
)
from classay.measures import Measure, get
from classay.measures.calibration_errors import standard_class_bins
from classay.measures.ordinal import reference_of_ranks
from classay.measures.probability import entropy, why_infinite
from classay.measures.probability_bins import BINS, ProbabilityBins, parted
from classay.tables import CaseTable, ClassScoreTable, ConfusionMatrix
from classay.tables.cases import CaseValues
from classay.tables.rows import CodedRows, RowCells, RowClusters
from classay.tables.sums import equal_cases, is_rounding

RANKED = "ranked_probability_score"
RANKED_SKILL = "ranked_probability_skill"


@interval(
    "influence function",
    of=(RANKED, RANKED_SKILL, "macro_average_precision", "micro_average_precision", "micro_roc_auc"),
    tables=CLASS_SCORES,
    drawn=ANYHOW,
    references=("binder1983",),
)
def by_case(
    measure: Measure, table: ClassScoreTable, value: float, rows: CodedRows | None, level: float
) -> IntervalResult:
    """By the influence of each case, or of all rows of a cluster, on the scale of the range.

    Student's t with Satterthwaite's degrees of freedom (1946, Biometrics 2:110), from the fourth moments. The upper end
    of a ranked probability score, and the lower one of its skill, is at least that with one more case of the greatest
    loss, which a sample of a good classifier may lack: see `LossMoments.one_more_case`.
    """
    if rows is None and table.rows is None:
        return "files of early versions do not record which scores belong to one case"
    cases = CaseInfluences.of(measure, table, value, rows)
    spread = cases.spread()
    if isinstance(spread, str):
        return spread
    if value in measure.bounds or spread.is_none(value):
        return "all cases are equal, which shows no variation"
    scale = scale_of(measure.bounds)
    how = "clusters" if rows is not None else "linearised" if table.is_weighted else INFLUENCE
    if measure.name == RANKED_SKILL:
        low, high = scale_of((0.0, inf)).interval(1 - value, _of_losses(spread).half(level), 1.0)
        # a case of even odds costs half of the greatest loss, and the reference loss is what it is
        least = 0.5 / reference_of_ranks(table)
        high = max(high, _end_with_one_more(cases.turned, 1 - value, least, (0.0, inf), level))
        return 1 - high, 1 - low, f"{how}, t, {scale.name}, {ONE_MORE}"
    if measure.name != RANKED:
        return *scale.interval(value, spread.half(level), 1.0), f"{how}, t, {scale.name}"
    low, high = scale.interval(value, _of_losses(spread).half(level), 1.0)
    least = (measure.bounds[1] - measure.bounds[0]) / 2
    high = max(high, _end_with_one_more(cases, value, least, measure.bounds, level))
    return low, high, f"{how}, t, {scale.name}, {ONE_MORE}"


@combined_wilson("macro_top_k_recall", CLASS_SCORES)
def recall_of_the_best(
    measure: Measure, table: ClassScoreTable, value: float, rows: CodedRows | None, level: float
) -> IntervalResult:
    """Return that of the macro recall of a matrix in which a case whose class is among the best k is called by it."""
    if rows is not None:
        scores, true, weight = np.asarray(rows.score), rows.true, rows.weight
    else:
        assert table.rows is not None
        scores, true, weight = table.rows.scores.T, table.rows.true, table.rows.weight
    values = CaseValues.of(scores, true)
    called = np.where(values.rank < measure.parameters["k"], true, values.best)
    sampled = weight is not None and table.is_weighted
    repeated = None if sampled else weight
    matrix = ConfusionMatrix.from_codes(
        called, true, table.labels, weight=weight if sampled else None, frequency=repeated
    )
    design = Design(matrix, matrix.of_squares)
    drawn: Drawn = "weighted" if sampled else "alike"
    if rows is not None:
        cells = RowCells(called * len(table.labels) + true)
        design, drawn = replace(design, rows=RowClusters(rows.cluster, rows.weight), cells=cells), "clustered"
    recall = get("macro_recall")
    method = default(recall, matrix, value, design, level, drawn)
    return method if isinstance(method, str) else method.function(recall, matrix, value, design, level)


def _end_with_one_more(
    cases: CaseInfluences, value: float, least: float, bounds: tuple[float, float], level: float
) -> float:
    """Return the upper end of a mean loss with one more case; without one where it is not seen."""
    mean, more = cases.with_one_more(value, least)
    wider = more.spread()
    if isinstance(wider, str):
        return -inf
    return scale_of(bounds).interval(mean, _of_losses(wider).half(level), 1.0)[1]


def _of_losses(spread: VarianceEstimate) -> VarianceEstimate:
    """With the degrees of freedom that `LossMoments` has: few cases decide the mean, and it costs none of them one."""
    return VarianceEstimate(spread.variance, spread.degrees + 1)


@dataclass(frozen=True, eq=False)
class CaseInfluences:
    """The influence of each case, times all cases, its class, its weight, the square of that, and its cluster, if any.

    `(cases,)` each; a row of identical cases has their number as its weight and square.
    """

    influence: Array
    true: Array
    weight: Array
    squares: Array
    cluster: Array | None = None

    @classmethod
    def of(
        cls, measure: Measure, table: ClassScoreTable, value: float, rows: CodedRows | None
    ) -> CaseInfluences:
        """Of the rows of a table, or those of clusters."""
        influence_of = measure.influence
        assert influence_of is not None
        if rows is not None:
            weight = np.ones(rows.true.size) if rows.weight is None else rows.weight.astype(np.float64)
            influence = influence_of(table, value, np.asarray(rows.score), rows.true)
            true, cluster = rows.true, rows.cluster
        else:
            assert table.rows is not None
            weight = table.rows.each.astype(np.float64)
            influence = influence_of(table, value, table.rows.scores.T, table.rows.true)
            true, cluster = table.rows.true, None
        return cls(influence, true, weight, weight * weight if table.is_weighted else weight, cluster)

    @property
    def turned(self) -> CaseInfluences:
        """The same of what is left of a skill."""
        return replace(self, influence=-self.influence)

    def with_one_more(self, value: float, least: float) -> tuple[float, CaseInfluences]:
        """The mean loss and the number of cases after one more of mean weight: of this loss, or of the greatest."""
        losses = self.influence + value
        number = self.weight.sum() if (self.weight == self.squares).all() else self.weight.size
        weight = self.weight.sum() / number
        losses = np.append(losses, max(float(losses.max()), least))
        weights = np.append(self.weight, weight)
        mean = float(weights @ losses / weights.sum())
        enlarged = CaseInfluences(
            losses - mean,
            np.append(self.true, self.true[np.argmax(losses[:-1])]),
            weights,
            np.append(self.squares, weight * weight),
            None if self.cluster is None else np.append(self.cluster, self.cluster.max() + 1),
        )
        return mean, enlarged

    def spread(self) -> VarianceEstimate | str:
        """Return the variance of the sum of the influences, or why it is not seen."""
        classes = int(self.true.max()) + 1
        clusters = None if self.cluster is None else RowClusters(self.cluster, self.weight)
        design = Design(CellWeights(self.weight, self.squares, self.true, classes), rows=clusters)
        scaled = self.influence / design.total
        if clusters is not None:
            return design.spread(scaled) if design.number > 1 else "one cluster shows no variation"
        # few cases of a rare class hold most of the variance: each class is as large as its own cases make it
        occurs = design.of_class > 0
        size, squares, fourths = (of[occurs] for of in (design.of_class, *design.powers_of_classes(scaled)))
        if not (size > 1).all():
            return "a class of one case shows no variation"
        if design.number < 2:
            return "one case shows no variation"
        variance = float((squares * size / (size - 1)).sum())
        return VarianceEstimate(variance, degrees_by_moments(variance, float(fourths.sum()), design.number))


TOP = ("top_2_accuracy", "top_3_accuracy", "top_5_accuracy", "top_k_accuracy")
MEANS = ("log_loss", "multiclass_brier_score")
SKILLS = ("log_loss_skill", "multiclass_brier_skill")

# -- class-wise calibration ------------------------------------------------------------------------


@interval(
    "sampling-error bound",
    of=("classwise_calibration_error",),
    tables=CLASS_SCORES,
    drawn=ANYHOW,
    references=("nabeya1951",),
)
def class_wise_error(
    measure: Measure, table: ClassScoreTable, value: float, rows: CodedRows | None, level: float
) -> IntervalResult:
    """The mean over classes of a norm: bounded as if the noise of all classes were one."""
    above = below = 0.0
    z = normal_quantile(level)
    for noise in _noise_of_classes(measure, table, rows, level):
        mean, variance = noise_norm(noise.covariance)
        above += mean + z * sqrt(variance)
        below += noise_below(noise.covariance, noise.bins, level)
        wider, how = noise.quantile / z, noise.how
    k = len(table.labels)
    low, high = max(0.0, value - wider * above / k), min(1.0, value + wider * below / k)
    words = "sampling-error bound, summed over classes"
    return low, high, words if how == INFLUENCE else f"{how}, {words}"


@dataclass(frozen=True)
class _Noise:
    """The noise of the bins of one class against the rest: covariance, quantile to take, and how they were found."""

    covariance: Array
    bins: ProbabilityBins
    quantile: float
    how: str

    @classmethod
    def of(cls, covariance: Array, bins: ProbabilityBins, quantile: float, how: str) -> _Noise:
        """From the covariance of the gaps of bins."""
        return cls(bins.share[:, None] * covariance * bins.share, bins, quantile, how)


def _noise_of_classes(
    measure: Measure, table: ClassScoreTable, rows: CodedRows | None, level: float
) -> Iterator[_Noise]:
    if rows is None and bins_of(measure) == BINS and not table.is_weighted:
        for bins in standard_class_bins(table):
            yield _Noise.of(np.diag(binomial_variance(bins)), bins, normal_quantile(level), INFLUENCE)
        return
    for code, label in enumerate(table.labels):
        against_rest = table.one_vs_rest(label)
        design = Design(against_rest) if rows is None else Design.of_clusters(against_rest, rows, code)
        cuts, bins = parted(against_rest, bins_of(measure))
        covariance = gap_covariance(against_rest, design, cuts, bins)
        yield _Noise.of(covariance, bins, design.quantile(level), design.how)


# -- sums over cases -------------------------------------------------------------------------------


def case_parts(measure: Measure, table: CaseTable, value: float) -> tuple[float, Array]:
    """Influence of a case of each class, times all cases: a · its loss + b of its true class."""
    if not measure.name.endswith("skill"):
        return 1.0, np.full(table.true.size, -value)
    base, class_losses = reference_loss(measure, table)
    return -1 / base, (1 - value) * class_losses / base


def reference_loss(measure: Measure, table: CaseTable) -> tuple[float, Array]:
    """The mean loss of always saying the class shares, and the loss of a case of each class that its share makes."""
    share = table.true / table.true.sum()
    if measure.name.startswith("log"):
        return float(entropy(share)), -np.log(np.where(share > 0, share, 1))
    base = float(1 - share @ share)
    return base, 2 * (1 - share) - base


@interval(
    "t", of=SKILLS, tables=CASES, drawn=ANYHOW, references=("binder1983", "satterthwaite1946", "student1908")
)
def skill_of_cases(
    measure: Measure, table: CaseTable, value: float, rows: CodedRows | None, level: float
) -> IntervalResult:
    """As of the mean loss, on the log scale of the share of the reference loss that is left.

    One more case would cost the mean loss of always saying the shares.
    """
    return AT_END if value == 1 else mean_of_cases(measure, table, value, rows, level)


@interval(
    "t", of=MEANS, tables=CASES, drawn=UNLIKE, references=("binder1983", "satterthwaite1946", "student1908")
)
def mean_of_cases(
    measure: Measure, table: CaseTable, value: float, rows: CodedRows | None, level: float
) -> IntervalResult:
    """Mean losses and skills: by the sums of the losses, of their powers, and of those of each true class.

    The upper end of a loss is that with one more case: see `LossMoments.one_more_case`.
    """
    if not isfinite(value):
        return why_infinite(table)
    loss = LOG_LOSS if measure.name.startswith("log") else BRIER
    spread = (
        _of_rows(measure, table, value, rows, loss)
        if rows is not None
        else _of_sums(measure, table, value, loss)
    )
    if isinstance(spread, str):
        return spread
    skill = measure.name.endswith("skill")
    scale = (0.0, inf) if skill else measure.bounds
    how = "clusters" if rows is not None else INFLUENCE if table.squares is None else "linearised"
    words = f"{how}, t, {scale_of(measure.bounds).name}"
    if isinstance(spread, LossMoments):
        low, high, words = *spread.one_more_case(level, scale), f"{words}, {ONE_MORE}"
    else:  # of a file that an early version saved
        left = 1 - value if skill else value
        low, high, words = (
            *scale_of(scale).interval(left, spread.half(level), 1.0),
            f"{words}, {WITHOUT_TAIL}",
        )
    return (1 - high, 1 - low, words) if skill else (low, high, words)


@dataclass(frozen=True)
class _Loss:
    """A loss of cases: where tables keep its sums, under this name, and its range."""

    name: str
    bounds: tuple[float, float]


LOG_LOSS, BRIER = _Loss("log_loss", (0.0, inf)), _Loss("brier", (0.0, 2.0))


def _of_sums(
    measure: Measure, table: CaseTable, value: float, loss: _Loss
) -> LossMoments | VarianceEstimate | str:
    """Moments of the losses of cases alike or weighted, over the reference loss of a skill.

    The third and fourth moments are those of the losses; the spread alone where a table lacks their tail.
    """
    a, b = case_parts(measure, table, value)
    total, squares = float(table.true.sum()), table.squares or table.sums
    units = equal_cases(total, squares.true.sum())
    if not units > 1:
        return "one case shows no variation"
    by_class = np.array([class_sum.value for class_sum in getattr(squares, f"{loss.name}_by_class")])
    of_losses = a * a * getattr(squares, f"{loss.name}_squares").value
    variance = of_losses + 2 * a * float(b @ by_class) + float(b * b @ squares.true)
    skill = measure.name.endswith("skill")
    if not skill and (is_rounding(variance, of_losses) or value in measure.bounds):
        return SAME_LOSS
    variance = max(0.0, variance) / total**2 * units / (units - 1)
    tail = getattr(table.sums, f"{loss.name}_tail")
    if tail is None:
        return VarianceEstimate(variance, units - 1)
    losses = sum(class_sum.value for class_sum in getattr(table.sums, f"{loss.name}_by_class"))
    raw = getattr(table.sums, f"{loss.name}_squares").value
    least = least_more(loss.bounds, table.true)
    moments = LossMoments.of_cases(float(units), total, losses, raw, tail, least)
    return (moments.over(reference_loss(measure, table)[0]) if skill else moments).spread_by(variance)


def _of_rows(
    measure: Measure, table: CaseTable, value: float, rows: CodedRows, loss: _Loss
) -> LossMoments | str:
    """Return the same of clusters: each lies as far from the mean as all its cases together move it."""
    a, b = case_parts(measure, table, value)
    of_case = getattr(CaseValues.of(np.asarray(rows.score), rows.true), loss.name)
    clusters, size = len(rows.clusters), table.cases / len(rows.clusters)
    design = Design.of_coded(rows)
    alike, influence = design.equal_units, (a * of_case + b[rows.true]) / float(table.true.sum())
    sums = design.sums(influence[None])[0]
    variance = float((design.left_out(influence) ** 2).sum()) * corrected(float(clusters))
    skill, one = (
        measure.name.endswith("skill"),
        max(float(of_case.max()), least_more(loss.bounds, table.true)),
    )
    if skill:
        base = reference_loss(measure, table)[0]
        return LossMoments.of_clusters(1 - value, -clusters * sums, size, one / base, alike).spread_by(
            variance
        )
    if value in measure.bounds or VarianceEstimate(float((sums**2).sum()), 1.0).is_none(value):
        return SAME_LOSS
    return LossMoments.of_clusters(value, clusters * sums, size, one, alike).spread_by(variance)


@interval("t", of=("mean_reciprocal_rank",), tables=CASES, drawn=UNLIKE, references=("binder1983",))
def mean_of_ranks(
    measure: Measure, table: CaseTable, value: float, rows: CodedRows | None, level: float
) -> IntervalResult:
    """The mean of 1 / rank of weighted or clustered cases: by how many cases have each rank, and their weights."""
    total, reciprocal = float(table.true.sum()), 1 / np.arange(1, table.ranks.size + 1)
    if rows is None:
        assert table.squares is not None
        units = equal_cases(total, table.squares.true.sum())
        if not units > 1:
            return "one case shows no variation"
        squares = float(table.squares.ranks @ (reciprocal - value) ** 2)
        spread, how = VarianceEstimate(squares / total**2 * units / (units - 1), units - 1), "linearised"
    elif len(rows.clusters) < 2:
        return "one cluster shows no variation"
    else:
        rank = CaseValues.of(np.asarray(rows.score), rows.true).rank
        spread, how = (
            Design.of_coded(rows).spread((reciprocal[rank] - value) / total, degrees="units"),
            "clusters",
        )
    if value in measure.bounds or spread.is_none(value):
        return "all cases have the same rank, which shows no variation"
    scale = scale_of(measure.bounds)
    return *scale.interval(value, spread.half(level), 1.0), f"{how}, t, {scale.name}"


@interval(
    "Wilson, effective sample size", of=TOP, tables=CASES, drawn=UNLIKE, references=("wilson1927", "rao1992")
)
def best_few(
    measure: Measure, table: CaseTable, value: float, rows: CodedRows | None, level: float
) -> IntervalResult:
    """Top-k accuracy of weighted or clustered cases: Wilson with the number of equal cases of this variance."""
    assert measure.parts is not None

    def cells(hit: float, all_: float) -> Array:  # as of one class: found, called wrongly, missed, others
        return np.array([hit, 0.0, all_ - hit, 0.0])

    weight = cells(*(float(each) for each in measure.parts(table)))
    squares = weight
    if table.squares is not None:
        squares = cells(*(float(each) for each in measure.parts(table.squares)))
    design = Design(CellWeights(weight, squares))
    if rows is not None:
        k = int(measure.parameters.get("k") or measure.name.split("_")[1])
        inside = CaseValues.of(np.asarray(rows.score), rows.true).rank < k
        design = replace(design, rows=rows, cells=RowCells(np.where(inside, 0, 2)))
    share = Shares.of_one(design, np.array([1.0, 0.0, 0.0, 0.0]), np.array([1.0, 0.0, 1.0, 0.0]))
    return wilson_of_unlike(share.spreads()[0], value, design, level)


@interval(
    "sampling-error bound",
    of=("top_label_calibration_error",),
    tables=CASES,
    drawn=ANYHOW,
    references=("nabeya1951",),
)
def top_label_error(
    measure: Measure, table: CaseTable, value: float, rows: CodedRows | None, level: float
) -> IntervalResult:
    """The calibration error of the highest scores, a table of two classes, right and wrong."""
    design = Design.of_cases(table.top)
    if rows is not None:
        scores = np.asarray(rows.score)
        at, right = np.searchsorted(-table.top.scores, -scores.max(1)), scores.argmax(1) == rows.true
        cells = RowCells(np.where(right, at, at + table.top.scores.size))
        design = Design(table.top, rows=rows, cells=cells)
    return expected_error(measure, table.top, value, design, level, equal_mass=False)


refuse_bootstrap(("classwise_calibration_error", "top_label_calibration_error"))
