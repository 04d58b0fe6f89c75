"""Estimates over resamples of one data set, whose training sets overlap; corrections of the apparent performance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classay.comparison.named_tests import CORRECTED
from classay.errors import InputError
from classay.inference.estimate import Estimate, IntervalResult
from classay.inference.proportions import Scale, normal_quantile
from classay.tables import ConfusionMatrix, ScoreTable
from classay.tables.sums import is_rounding


class ResampledMean(NamedTuple):
    """A mean over resamples, its corrected standard error, and the degrees of freedom of its t."""

    mean: float
    se: float
    df: float


FEWEST_REPEATS = 5
"""Repeats below which the spread of their means says too little: with two, t would have one degree of freedom."""
INSTABILITY = 0.4
"""What the variance of a repeat's mean counts for, in units of K folds; see `corrected_mean`."""


def corrected_mean(values: ArrayLike, test_over_train: float, hidden: float = 0.0) -> ResampledMean:
    """The mean of J values and its standard error sqrt((1/J + n_test/n_train) s²), with J - 1 degrees of freedom.

    The naive s²/J takes the values for independent; their training sets overlap, and no number of repeats
    mends that. The correction takes n_test / (n_train + n_test) for the correlation of two values, which is enough for
    stable learners and too little for unstable ones, such as nearest neighbours (a size of 0.11 at a nominal 0.05 under
    10 x 10-fold cross-validation). How unstable a learner is shows in how far the means b of whole repeats differ,
    because the cases are the same in all. So where `values` have shape `(repeats, folds)`, of 5 repeats or more, the
    variance is at least

        s² / K + 0.4 K · var(b),   with Satterthwaite's degrees of freedom;

    the factor 0.4 is from simulations (nearest neighbours need 0.33 to 0.42, stable learners 0.07 to 0.2). Values of
    shape `(J,)` are of resamples that say nothing of this, as one run of K folds, or of repeated holdouts. Both
    corrections are heuristics: no unbiased estimate of this variance exists (Bengio & Grandvalet 2004, JMLR 5:1089).
    `hidden` is variance that the folds do not show, because each has the classes of the whole: see `ClassesOfFolds`.
    `test_over_train` is 1 / (K - 1) for K folds. NaN standard error for fewer than two values. Raises InputError for
    undefined values. Nadeau & Bengio 2003, Machine Learning 52:239; Bouckaert & Frank 2004, PAKDD.

    >>> mean = corrected_mean([0.02, 0.04, 0.04, -0.01, 0.02], test_over_train=0.25)
    >>> print(round(mean.mean, 4), round(mean.se, 5), mean.df)
    0.022 0.01375 4.0
    """
    x = np.asarray(values, np.float64)
    if np.isnan(x).any():
        raise InputError(f"{int(np.isnan(x).sum())} of {x.size} values are undefined. Exclude them first.")
    if x.size < 2:
        return ResampledMean(float(x.mean()) if x.size else float("nan"), float("nan"), 0)
    variance = float(x.var(ddof=1))
    corrected, degrees = (1 / x.size + test_over_train) * variance, float(x.size - 1)
    if x.ndim == 2 and x.shape[0] >= FEWEST_REPEATS and x.shape[1] > 1:
        repeats, folds = x.shape
        between = INSTABILITY * folds * float(x.mean(1).var(ddof=1))
        within = variance / folds
        if within + between > corrected:
            corrected = within + between
            degrees = corrected**2 / (within**2 / degrees + between**2 / (repeats - 1))
    if hidden > 0 and corrected > 0:
        corrected, degrees = _with_hidden(corrected, degrees, hidden)
    return ResampledMean(float(x.mean()), float(np.sqrt(corrected)), degrees)


def _with_hidden(variance: float, degrees: float, hidden: float) -> tuple[float, float]:
    """The sum with what the folds do not show, and its degrees of freedom by Satterthwaite, if an interval is wider so.

    The hidden part is of all cases, whose number is far above that of the folds; so it adds to the degrees of freedom,
    and a small one would make the interval shorter.
    """
    from scipy.special import stdtrit

    both = variance + hidden
    more = degrees * (both / variance) ** 2
    is_wider = stdtrit(more, 0.975) ** 2 * both > stdtrit(degrees, 0.975) ** 2 * variance
    return (both, more) if is_wider else (variance, degrees)


@dataclass(frozen=True, eq=False)
class ClassesOfFolds:
    """How the cases of each fold divide over the classes, and what folds that divide alike do not show.

    Stratified folds have the share of each class that all cases have. Another sample would have other shares, and a
    measure whose mean differs between the classes another value: accuracy of a rare class that is mostly missed, say.
    The folds do not vary in it, so that their spread lacks this part of the variance altogether.

    `totals`, `(classes,)`, is the weight of each class; `squares`, `(classes, classes)`, the sums over the units
    (cases, or clusters) of the products of their weights in two classes; `folds`, `(folds, classes)`, the weights of
    each fold.
    """

    totals: NDArray[Any]
    squares: NDArray[Any]
    folds: NDArray[Any]
    units: int

    @classmethod
    def of(
        cls,
        truth: NDArray[Any],
        classes: int,
        tests: Sequence[NDArray[Any]],
        weight: NDArray[Any] | None = None,
        cluster: NDArray[Any] | None = None,
    ) -> ClassesOfFolds:
        """From codes of true classes, the rows of each test, and weights and clusters of all cases."""
        w = np.ones(truth.size) if weight is None else weight
        totals = np.bincount(truth, w, classes)
        if cluster is None:
            squares, units = np.diag(np.bincount(truth, w * w, classes)), truth.size
        else:
            _, of = np.unique(cluster, return_inverse=True)
            units = int(of.max(initial=-1)) + 1
            by_unit = np.bincount(of * classes + truth, w, units * classes).reshape(units, classes)
            squares = by_unit.T @ by_unit
        folds = np.array([np.bincount(truth[test], w[test], classes) for test in tests])
        return cls(totals, squares, folds.reshape(-1, classes), units)

    def hidden(self, slopes: NDArray[Any]) -> float:
        """The variance that the shares of the classes bring to a mean over folds, less what the folds show of it.

        `slopes`, `(classes,)`, say by how much the value grows as the weight of a class does, d value / d log weight;
        they add up to 0. The variance is sum_u (sum_c w_uc u_c)² / W² over units u, times n / (n - 1), with
        u_c = slope_c W / W_c, the linearised value of a case of class c: of equal cases the between-class part
        sum_c p_c (m_c - m)² / n of a mean (Särndal, Swensson & Wretman 1992, Model Assisted Survey Sampling, 5.5).
        Folds of cases at random show all of it: how far theirs vary, over what they then would, is the part that counts
        less.

        >>> truth = np.repeat([0, 1], [90, 10])
        >>> tests = [np.r_[9 * k : 9 * k + 9, 90 + k] for k in range(10)]
        >>> of_accuracy = np.array([0.9 * 0.1, -0.1 * 0.9])  # always saying the first class
        >>> round(ClassesOfFolds.of(truth, 2, tests).hidden(of_accuracy) ** 0.5, 4), round((0.9 * 0.1 / 99) ** 0.5, 4)
        (0.0302, 0.0302)
        """
        total = self.totals.sum()
        if self.units < 2 or not total > 0:
            return 0.0
        per_case = np.divide(
            slopes * total, self.totals, out=np.zeros(self.totals.size), where=self.totals > 0
        )
        per_case = per_case - (self.totals @ per_case) / total
        variance = float(per_case @ self.squares @ per_case) / total**2 * self.units / (self.units - 1)
        sizes = self.folds.sum(1)
        by_chance = variance * (total / sizes[sizes > 0] - 1).sum()
        if not by_chance > 0:
            return float(max(0.0, variance))
        shown = float((((self.folds @ per_case)[sizes > 0] / sizes[sizes > 0]) ** 2).sum()) / by_chance
        return float(variance * max(0.0, 1 - shown))


def by_repeat(values: NDArray[Any], repeat: NDArray[Any], fold: NDArray[Any]) -> NDArray[Any]:
    """Values of folds as `(..., repeats, folds)`; as they are where repeats have fewer than two folds, or unlike many.

    >>> by_repeat(np.array([0.1, 0.3, 0.2, 0.4]), np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])).tolist()
    [[0.1, 0.2], [0.3, 0.4]]
    """
    count = np.bincount(repeat) if repeat.size else np.zeros(1, int)
    if values.shape[-1] != repeat.size or count.size < 2 or count.min() < 2 or np.ptp(count) > 0:
        return values
    return values[..., np.lexsort((fold, repeat))].reshape(*values.shape[:-1], count.size, count[0])


def corrected_interval(
    values: ArrayLike,
    test_over_train: float,
    level: float,
    bounds: tuple[float, float],
    hidden: float = 0.0,
    scale: Scale | None = None,
) -> IntervalResult:
    """Return the interval of `corrected_mean`, mean ± t · se, cut to the range of the measure; or why there is none.

    On a `scale`, as that of logits, where one is given and the mean is not at its end: values of folds near the end of
    a range are skewed, and mean ± t · se then misses on one side (AUC of .993 in 9 to 18% of samples below, the losses
    of easy problems in 6 to 14% above).

    >>> low, high, method = corrected_interval([0.82, 0.84, 0.84, 0.79, 0.82], 0.25, 0.95, (0, 1))
    >>> print(round(low, 4), round(high, 4), method)
    0.7838 0.8602 corrected resampled t (Nadeau–Bengio)
    """
    from scipy.special import stdtrit

    mean = corrected_mean(values, test_over_train, hidden)
    if not mean.df > 0:
        return "one resample shows no variation"
    if is_rounding(mean.se, np.abs(values).max()):
        return "all resamples have the same value, which shows no variation"
    quantile = float(stdtrit(mean.df, 0.5 + level / 2))
    if scale is not None and bounds[0] < mean.mean < bounds[1]:
        low, high = scale.interval(mean.mean, mean.se, quantile)
        return float(low), float(high), f"{CORRECTED}, {scale.name}"
    half = quantile * mean.se
    return max(bounds[0], mean.mean - half), min(bounds[1], mean.mean + half), CORRECTED


class FoldSpread(NamedTuple):
    """What the values of folds show by themselves: mean, SD, and the textbook's *naive* intervals of the mean.

    `values` are those of the folds that have one; `sd` divides by K - 1. The naive intervals take folds for independent
    samples: `naive_t` is mean ± t(K - 1) sd / √K, `naive_z` has the normal quantile in place of t, and `textbook_t` the
    SD over K, as some texts have it, which makes their t larger by √(K / (K - 1)) (`inflation`). `factor` says how much
    wider the corrected resampled t is than `naive_t`; NaN, with intervals that say why, where there is none. `repeats`
    are the means of whole repeats of cross-validation, and `repeat_sd` their SD: the cases are the same in all of them,
    so that this is the luck of the split alone.
    """

    values: tuple[float, ...]
    mean: float
    sd: float
    naive_t: Estimate
    naive_z: Estimate
    textbook_t: Estimate
    factor: float
    inflation: float
    repeats: tuple[float, ...] = ()
    repeat_sd: float = float("nan")


NAIVE_T, NAIVE_Z, TEXTBOOK_T = "naive t", "naive z", "naive t, SD over K"


def spread_of_folds(
    values: ArrayLike, test_over_train: float, level: float, why_not: str = "", hidden: float = 0.0
) -> FoldSpread | None:
    """Return the spread of fold values, `(J,)` or `(repeats, folds)`; None of fewer than two values, or infinite ones.

    The naive intervals are those of textbooks, for comparison with published work only, and are not cut to the range of
    a measure: training sets overlap, and so the folds of a stable learner vary less than its value does. `why_not` says
    why there are none. Nadeau & Bengio 2003, Machine Learning 52:239; Dietterich 1998, Neural Computation 10:1895.

    >>> spread = spread_of_folds([0.82, 0.84, 0.84, 0.79, 0.82], 0.25, 0.95)
    >>> print(round(spread.mean, 3), round(spread.sd, 4), round(spread.naive_t.low, 4), round(spread.factor, 2))
    0.822 0.0205 0.7966 1.5
    """
    from scipy.special import ndtri, stdtrit

    table = np.asarray(values, np.float64)
    known = table[~np.isnan(table)]
    if known.size < 2 or np.isinf(known).any():
        return None
    mean, sd, size = float(known.mean()), float(known.std(ddof=1)), known.size
    repeats = table.mean(1) if table.ndim == 2 else np.empty(0)
    repeat_sd = float(repeats.std(ddof=1)) if repeats.size > 1 else float("nan")
    inflation = float(np.sqrt(size / (size - 1)))
    if not why_not and is_rounding(sd, np.abs(known).max()):
        why_not = "all folds have the same value, which shows no variation"
    bare = Estimate.bare(mean, why_not or "none")
    spread = FoldSpread(
        tuple(known.tolist()),
        mean,
        sd,
        bare,
        bare,
        bare,
        float("nan"),
        inflation,
        tuple(repeats.tolist()),
        repeat_sd,
    )
    if why_not:
        return spread
    t, z = float(stdtrit(size - 1, 0.5 + level / 2)), float(ndtri(0.5 + level / 2))
    naive = sd / np.sqrt(size)
    mean_of_folds = corrected_mean(table if known.size == table.size else known, test_over_train, hidden)
    corrected = float(stdtrit(mean_of_folds.df, 0.5 + level / 2)) * mean_of_folds.se

    def around(half: float, method: str) -> Estimate:
        return Estimate(mean, mean - half, mean + half, level, method)

    return spread._replace(
        naive_t=around(t * naive, NAIVE_T),
        naive_z=around(z * naive, NAIVE_Z),
        textbook_t=around(t * naive / inflation, TEXTBOOK_T),
        factor=corrected / (t * naive),
    )


class NestedError(NamedTuple):
    """What nested cross-validation finds; `inflation` is how much wider than the naive interval it is."""

    value: float
    low: float
    high: float
    nested: float
    plain: float
    bias: float
    mean_squared_error: float
    inflation: float


def nested_error(
    inner: Sequence[ArrayLike], outer: Sequence[ArrayLike], folds: int, level: float = 0.95
) -> NestedError:
    """Mean loss of the model fitted to all cases, with the interval of nested cross-validation.

    For each fold of each repetition, `outer` holds the losses of its cases by the model of the other folds, and
    `inner` those of all other cases by cross-validation among the other folds, where the fold takes no part.
    The squared difference of the two means, less the variance of the outer mean, is what the inner estimate
    misses by: it takes in that training sets overlap, which the naive standard error does not.
    Estimate: nested - bias, bias = (1 + ((K - 2) / K)^1.5) (nested - plain), with nested and plain the means of
    the inner and the outer losses; half width z sqrt((K - 1) / K) · sqrt(MSE), where sqrt(MSE) is kept within 1 to
    sqrt(K) naive standard errors. Only for losses that are means over independent cases; 50 repetitions or more are
    recommended, fewer estimate the MSE badly. Covers the error of the model fitted to these cases, so do not refit
    on more. Raises InputError for fewer than three folds, or uneven input. Bates, Hastie & Tibshirani 2024, JASA
    119:1434.

    >>> error = nested_error([[1, 0, 1], [0, 1, 1], [1, 0, 0]], [[0, 1], [1, 0], [1, 1]], folds=3)
    >>> print(round(error.nested, 4), round(error.plain, 4), error.low <= error.value <= error.high)
    0.5556 0.6667 True
    """
    within = [np.asarray(losses, np.float64) for losses in inner]
    without = [np.asarray(losses, np.float64) for losses in outer]
    if folds < 3 or len(within) != len(without) or len(within) % folds or not within:
        raise InputError(
            f"There are {folds} folds, {len(within)} inner and {len(without)} outer sets of losses. Pass one "
            "inner and one outer set for each fold, and at least three folds."
        )
    if min(losses.size for losses in without) < 2:
        raise InputError("A fold has fewer than two cases, which shows no variation. Use fewer folds.")
    repetitions = len(without) // folds
    squares = np.mean([(a.mean() - b.mean()) ** 2 for a, b in zip(within, without, strict=True)])
    noise = np.mean([losses.var(ddof=1) / losses.size for losses in without])
    error = float(squares - noise)
    all_inner, all_outer = np.concatenate(within), np.concatenate(without)
    nested, plain = float(all_inner.mean()), float(all_outer.mean())
    trained_on = all_outer.size / repetitions * (folds - 1) / folds
    naive = float(all_inner.std(ddof=1) / np.sqrt(trained_on))
    raw = np.sqrt(max(error, 0.0)) / naive if naive > 0 else 1.0
    inflation = float(min(max(raw, 1.0), np.sqrt(folds)))
    bias = (1 + ((folds - 2) / folds) ** 1.5) * (nested - plain)
    centre = nested - bias
    half = float(normal_quantile(level)) * np.sqrt((folds - 1) / folds) * naive * inflation
    return NestedError(
        centre, float(centre - half), float(centre + half), nested, plain, bias, error, inflation
    )


IN_SAMPLE, OUT_OF_SAMPLE = 0.368, 0.632
"""Efron's constants: 1/e to three digits, and 1 - 1/e, the share of the cases that a bootstrap sample holds."""

T = TypeVar("T", ConfusionMatrix, ScoreTable)


class Bootstrap632PlusEstimate(NamedTuple):
    """The .632+ estimate, the weight it gave to the error out of sample, and the relative overfitting rate."""

    value: float
    weight: float
    overfitting: float


def without_information(table: T) -> T:
    """Return the table there would be if predictions and truth were independent, with the same totals of both.

    A measure of it is the value without information: the error rate of a ConfusionMatrix is the rate gamma of
    the .632+ estimate, sum over classes of p_true (1 - p_predicted), the mean error over all n² pairs of a
    prediction and a truth, found from n cases in one pass; the ROC AUC of a ScoreTable is one half.
    Efron & Tibshirani 1997, JASA 92:548.

    >>> from classay.measures import error_rate
    >>> matrix = ConfusionMatrix.from_array([[50, 10], [15, 25]], ["a", "b"], rows="true")
    >>> print(round(error_rate(without_information(matrix)), 12))
    0.47
    """
    if isinstance(table, ConfusionMatrix):
        predicted, true = table.counts.sum(-1), table.counts.sum(-2)
        joint = predicted[..., :, None] * true[..., None, :] / table.total[..., None, None]
        return ConfusionMatrix(joint, table.labels)
    cases = table.positives + table.negatives
    share = table.n_positive / cases.sum()
    return ScoreTable(table.scores, cases * share, cases * (1 - share), table.labels).read_like(table)


def point632(apparent: float, out_of_sample: float) -> float:
    """Return the .632 estimate, .368 · apparent + .632 · out of sample; of an error or of any other measure.

    `out_of_sample` is the leave-one-out bootstrap. Badly optimistic for a learner that fits its training cases
    perfectly: see `point632plus`. Efron 1983, JASA 78:316.

    >>> round(point632(0.05, 0.20), 4)
    0.1448
    """
    return IN_SAMPLE * apparent + OUT_OF_SAMPLE * out_of_sample


def point632plus(apparent: float, out_of_sample: float, no_information: float) -> Bootstrap632PlusEstimate:
    """The .632+ estimate of a loss (less is better): (1 - w) · apparent + w · out of sample, w = .632 / (1 - .368 R).

    R = (out - apparent) / (no information - apparent) is the relative overfitting rate, 0 where the learner does not
    overfit or the loss without information is no worse than the apparent one. A loss out of sample above that
    without information is cut to it wherever it enters (the literature and its software disagree there; so cut,
    R is at most 1 and the estimate never passes the loss without information). Infinite where both of these are.
    Efron & Tibshirani 1997, JASA 92:548.

    >>> print(*(round(each, 6) for each in point632plus(0.05, 0.20, 0.45)))
    0.159977 0.733179 0.375
    """
    out = min(out_of_sample, no_information)
    if np.isinf(
        out
    ):  # so is the estimate, by any weight; an infinite loss without information leaves no finite rate
        return Bootstrap632PlusEstimate(out, OUT_OF_SAMPLE / (1 - IN_SAMPLE), 1.0)
    overfits = out > apparent and no_information > apparent
    rate = (out - apparent) / (no_information - apparent) if overfits else 0.0
    weight = OUT_OF_SAMPLE / (1 - IN_SAMPLE * rate)
    return Bootstrap632PlusEstimate((1 - weight) * apparent + weight * out, weight, rate)


def optimism(in_sample: ArrayLike, on_all: ArrayLike) -> float:
    """Mean optimism of models fitted to bootstrap samples: value on its own sample less value on the original data.

    Shape `(rounds,)` each; the apparent value minus this is the corrected one. Harrell, Lee & Mark 1996, Statistics
    in Medicine 15:361; asked for by TRIPOD. Raises InputError for rounds that are undefined, or none.

    >>> round(optimism([0.9, 0.8], [0.7, 0.75]), 3)
    0.125
    """
    in_rounds, on_cases = np.asarray(in_sample, np.float64), np.asarray(on_all, np.float64)
    if in_rounds.shape != on_cases.shape or not in_rounds.size:
        raise InputError(
            f"There are {in_rounds.size} values in sample and {on_cases.size} on all cases. Pass one value "
            "per round."
        )
    gaps = in_rounds - on_cases
    if np.isnan(gaps).any():
        raise InputError(
            f"{int(np.isnan(gaps).sum())} of {gaps.size} rounds are undefined. Exclude them first."
        )
    return float(gaps.mean())
