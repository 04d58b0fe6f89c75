"""Intervals from influence functions, in one pass over the table; intervals of the mean of a per-case loss."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, isfinite, isinf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.design import Design, VarianceEstimate
from classay.inference.estimate import IntervalResult
from classay.inference.labels.shares import wilson_of_unlike
from classay.inference.labels.spreads import Shares
from classay.inference.methods import ANYHOW, CASES, METHODS, ON_REQUEST, SCORES, interval
from classay.inference.proportions import normal_quantile, scale_of, wilson
from classay.measures import Measure
from classay.measures.probability import base_rate_loss, greatest_loss, why_infinite
from classay.measures.proper_parts import brier_entropy, log_entropy
from classay.measures.ranking import MAX_FPR, area_up_to, negative_cases, partial_auc_influence
from classay.measures.selective import risk_coverage_influence
from classay.tables import CaseTable, ScoreTable
from classay.tables.cases import LossTail
from classay.tables.sums import is_rounding

Array = NDArray[Any]


def t_interval(
    total: float, squares: float, n: float, level: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """mean ± t · s / sqrt(n) with n - 1 degrees of freedom, on the scale of the loss's range: log, or logit.

    `total` and `squares` are the sums of the losses and of their squares. Student 1908, Biometrika 6:1.

    >>> low, high = t_interval(6.0, 14.0, 3, 0.95, (0, float("inf")))
    >>> print(round(low, 4), round(high, 4))
    0.5776 6.9255
    """
    mean = total / n
    variance = max(0.0, (squares - n * mean * mean) / (n - 1))
    return scale_of(bounds).interval(mean, float(np.sqrt(variance / n)), _student(level, n - 1))


TAILS = {"log_loss": "log_loss_tail", "multiclass_brier_score": "brier_tail"}
"""Where sums over cases keep the tail of a loss."""
ONE_MORE = "one pseudo-case added"
WITHOUT_TAIL = "saved without the greatest loss"
"""What the methods say of the intervals with the tail of the losses, and of those without."""


@dataclass(frozen=True)
class LossMoments:
    """The mean loss of a number of units (cases or clusters), and their second to fourth central moments.

    `squares`, `cubes` and `fourths` are sums over the units. `more` is the loss of one more unit: the greatest, or one
    of even odds. Units of unequal weight count as their effective number. Of `uneven` clusters fewer of equal size say
    as much of the spread: so many fewer (see `Design.equal_units`).
    """

    n: float
    mean: float
    squares: float
    cubes: float
    fourths: float
    more: float
    uneven: float = 0.0

    @classmethod
    def of_cases(
        cls,
        n: float,
        total: float,
        losses: float,
        squares: float,
        tail: LossTail,
        least: float,
    ) -> LossMoments:
        """Of cases that say as much as n equal ones, by their weight and the sums of their losses and squares.

        One more case has the greatest loss seen, or the `least` that it may have.
        """
        mean, second, third, fourth = (
            power_sum / total for power_sum in (losses, squares, tail.cubes.value, tail.fourths.value)
        )
        return cls(
            n,
            mean,
            n * max(0.0, second - mean * mean),
            n * (third - 3 * mean * second + 2 * mean**3),
            n * max(0.0, fourth - 4 * mean * third + 6 * mean * mean * second - 3 * mean**4),
            max(tail.most, least),
        )

    @classmethod
    def of_clusters(cls, mean: float, distances: Array, size: float, one: float, alike: float) -> LossMoments:
        """From the clusters' sizes and distances from the mean; one more cluster holds a case of the loss `one`."""
        more = max(float(distances.max(initial=0.0)), (one - mean) / size)
        with np.errstate(over="ignore", invalid="ignore"):  # of odds of 1e-308, whose moments are no numbers
            squares, cubes, fourths = (float((distances**power).sum()) for power in (2, 3, 4))
        return cls(float(distances.size), mean, squares, cubes, fourths, mean + more, distances.size - alike)

    @classmethod
    def of_influence(cls, mean: float, influence: Array, design: Design, one: float) -> LossMoments:
        """Of cases or clusters, by the influence of each case on the mean; one more case has the loss `one`."""
        z, n = design.centred(influence), float(design.number)
        if design.rows is not None:
            counted = design.rows.cluster.size if design.is_weighted else design.total
            distances = n * design.sums(z.reshape(1, -1))[0]
            moments = cls.of_clusters(mean, distances, counted / n, one, design.equal_units)
        else:
            squares, cubes, fourths = (
                n**power * moment for power, moment in zip((2, 3, 4), design.moments(z), strict=True)
            )
            moments = cls(n, mean, squares, cubes, fourths, one)
        if design.by_class or design.rows is not None:
            return moments.spread_by(design.spread(influence).variance)
        return moments

    def spread_by(self, variance: float) -> LossMoments:
        """Return the same with that variance of the mean, as sampling weights or a reference loss make it."""
        if not self.squares > 0:
            return self
        wider = float(np.sqrt(max(0.0, variance) * self.n * (self.n - 1) / self.squares))
        return self._times(wider, self.mean, self.more)

    def over(self, reference: float) -> LossMoments:
        """Return the same of losses over a reference loss."""
        return self._times(1 / reference, self.mean / reference, self.more / reference)

    def _times(self, factor: float, mean: float, more: float) -> LossMoments:
        """Return the same around another mean, each unit so many times as far from it."""
        squares, cubes, fourths = self.squares * factor**2, self.cubes * factor**3, self.fourths * factor**4
        return LossMoments(self.n, mean, squares, cubes, fourths, more, self.uneven)

    @property
    def variance(self) -> float:
        """The variance of the mean."""
        return self.squares / (self.n - 1) / self.n

    @property
    def degrees(self) -> float:
        """Degrees of freedom of the variance from the fourth moment, 2 V² / var(V) (Satterthwaite 1946); 1 to n - 1."""
        alike = self.n - self.uneven
        over = self.fourths - self.squares**2 / alike
        return max(1.0, min(alike - 1, 2 * self.squares**2 / over if over > 0 else alike - 1))

    def with_one_more(self, loss: float | None = None) -> LossMoments:
        """Return the same with one more unit, of this loss or of `more`.

        Moments with one more value: Pébay 2008, Sandia report SAND2008-6212.
        """
        n, distance = self.n, (self.more if loss is None else loss) - self.mean
        step = distance / (n + 1)
        return LossMoments(
            n + 1,
            self.mean + step,
            self.squares + n * distance * step,
            self.cubes + n * (n - 1) * distance * step**2 - 3 * step * self.squares,
            self.fourths
            + n * (n * n - n + 1) * distance * step**3
            + 6 * step**2 * self.squares
            - 4 * step * self.cubes,
            self.more,
            self.uneven,
        )

    def t_interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Student's interval of the mean on the scale of the loss's range, with the degrees of the fourth moment."""
        se = float(np.sqrt(self.variance))
        return scale_of(bounds).interval(self.mean, se, _student(level, self.degrees))

    def farther(
        self, moved: Array, ends: tuple[float, float], level: float, bounds: tuple[float, float]
    ) -> tuple[float, float]:
        """The ends, or those with one more unit like the lowest, or the highest, of units `moved` from the mean."""
        below, above = (self.with_one_more(self.mean + float(end)) for end in (moved.min(), moved.max()))
        low = below.t_interval(level, bounds)[0] if below.mean > bounds[0] else bounds[0]
        high = above.t_interval(level, bounds)[1] if above.mean < bounds[1] else bounds[1]
        return min(ends[0], low), max(ends[1], high)

    def one_more_case(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """The lower end of Student's interval, and the upper end of that with one more case of the greatest loss.

        The few cases that a good classifier errs in make up most of its mean loss: a sample that has none of them, or
        one less, shows too little spread. One more of weighted cases counts as an equal one; one more cluster is of the
        mean size, and is that which lies highest, or holds one case of the greatest loss.

        >>> losses = np.array([0.1] * 18 + [0.9, 2.1])
        >>> moments = LossMoments.of_clusters(losses.mean(), losses - losses.mean(), 1.0, 2.1, losses.size)
        >>> low, high = moments.one_more_case(0.95, (0, float("inf")))
        >>> print(round(low, 3), round(high, 3))
        0.062 0.871
        """
        return self.t_interval(level, bounds)[0], self.with_one_more().t_interval(level, bounds)[1]


def skill_ends(left: LossMoments, best: float, level: float) -> tuple[float, float]:
    """Return the ends of a skill, from the share of the reference loss that is left, its moments, and the best unit's.

    The upper end of the skill is that with one more unit like the best: where few cases are positive, the few of them
    that got high scores make up the skill, and a sample that lacks them shows too little spread.
    """
    bounds = (0.0, inf)
    low, high = left.one_more_case(level, bounds)
    more = left.with_one_more(best)
    if more.mean > 0:
        low = min(low, more.t_interval(level, bounds)[0])
    return 1 - high, 1 - low


def least_more(bounds: tuple[float, float], of_class: Array) -> float:
    """Return the loss that one more case has at least: that of a case of which the scores tell nothing.

    Of a loss without an end the mean over the classes of -ln of their share, `of_class` being how much each weighs:
    ln 2 for two classes alike, ln k for k of them, more where one is rare. Half the range of a loss that has an end.

    >>> inf = float("inf")
    >>> print(round(least_more((0, inf), np.array([50, 50])), 3), round(least_more((0, inf), np.array([3, 97])), 3))
    0.693 1.769
    >>> least_more((0, 2), np.array([3, 97]))
    1.0
    """
    if isfinite(bounds[1]):
        return (bounds[1] - bounds[0]) / 2
    class_sizes = of_class[of_class > 0]
    return float(-np.log(class_sizes / class_sizes.sum()).mean())


def _student(level: float, degrees: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(degrees, 0.5 + level / 2))


def mean_of_class(value: float, units: LossMoments, level: float, how: str) -> IntervalResult:
    """The interval of the mean probability of a class, from `units` whose loss is the distance from the nearer of 0, 1.

    Student's on the logit scale; the end towards 1/2 is that with one more case of probability 1/2, where that lies
    farther, or one more cluster of such cases. The few cases that a good classifier is unsure of, or wrong in, make up
    most of the distance: a sample that lacks them shows too little spread. A case like the worst seen, which losses
    have one more of, would make intervals wider by up to a sixth where no problem is, and jump where the mean passes
    1/2; one of 1/2 says nothing there.

    >>> sure = np.array([0.99] * 17 + [0.9])
    >>> units = LossMoments.of_clusters(0.015, sure.mean() - sure, 1.0, 0.5, sure.size)
    >>> low, high, method = mean_of_class(0.985, units, 0.95, "influence function")
    >>> print(round(low, 3), round(high, 3), method)
    0.691 0.996 influence function, t, logit, one pseudo-case added
    """
    share = (0.0, 1.0)
    if value in share:
        return AT_END
    if units.n < TWO:
        return "one case of the class shows no variation"
    if is_rounding(float(np.sqrt(units.variance)), value):
        return SAME_PROBABILITY
    low, high = units.t_interval(level, share)
    high = max(high, units.with_one_more(EVEN).t_interval(level, share)[1])
    low, high = (low, high) if value < EVEN else (1 - high, 1 - low)
    return low, high, f"{how}, t, {scale_of(share).name}, {ONE_MORE}"


EVEN = 0.5
"""The probability of a case of which the scores say nothing."""
AT_END = "the estimate is at the boundary of its range"
FEW = 10
"""Cases of the smaller class below which the spread of what rests on both is not to be had from them."""
SAME_PROBABILITY = "all cases of the class have the same probability, which shows no variation"
SAME_LOSS = "all cases have the same loss, which shows no variation"
TOO_FEW = f"a class has fewer than {FEW} cases"
TWO = 2
"""Cases of the smaller class that have a spread."""
LOSS_OF_SKILL = {"log_loss_skill": "log_loss", "brier_skill": "brier_score"}
"""The loss that each skill is of."""
RISEN = 3
"""Positives above the recall at which a precision-recall-gain curve starts, fewer than which tell nothing of it."""


def is_measure_with_an_influence(measure: Measure) -> bool:
    """Check whether a measure has an influence declared beside it, and no other method names it."""
    named = (method.of for method in METHODS if ScoreTable in method.tables and method.when is not ON_REQUEST)
    is_named = any(measure.base in of for of in named if not callable(of))
    return measure.influence is not None and not is_named


@interval(
    "influence function",
    of=("average_precision", "interpolated_pr_area"),
    tables=SCORES,
    drawn=ANYHOW,
    references=("binder1983", "satterthwaite1946", "student1908"),
)
def precision_area(
    measure: Measure, table: ScoreTable, value: float, design: Design, level: float
) -> IntervalResult:
    """value ± t · se on the logit scale, the lower end with one more case like the worst: see `with_the_worst`."""
    if value in measure.bounds:
        return AT_END
    design = design.near
    assert measure.influence is not None
    influence = np.stack(measure.influence(design.table, value))
    limits = with_the_worst(value, influence, design, level, measure.bounds)
    return *limits, f"{design.how}, t, {scale_of(measure.bounds).name}, {ONE_MORE}"


def with_the_worst(
    value: float,
    influence: Array,
    design: Design,
    level: float,
    bounds: tuple[float, float],
    at_random: float = 0.0,
) -> tuple[float, float]:
    """Student's ends on the scale of the range, the lower one with one more unit like that which lowers it most.

    An area that rests on the cases with the highest scores is lowered most by the few negatives among them: a sample
    that has few shows too little spread, and one that has none too little of all. Where no case lowers it as much as
    one of which the scores tell nothing, whose influence is `at_random`, the end is also no higher than that with one
    of these, or with a cluster of them of the mean size; by normal quantiles, as it alone has no degrees of freedom.
    """
    units, z = LossMoments.of_influence(value, influence, design, value), design.centred(influence)
    if design.rows is None:
        moved = design.total * z[design.places.weight > 0]
    else:
        moved = design.number * design.sums(z.reshape(1, -1))[0]
    ends = units.t_interval(level, bounds)
    low = units.farther(moved, ends, level, bounds)[0]
    if design.total * at_random < moved.min():
        below = units.with_one_more(value + design.total * at_random)
        scale, half = scale_of(bounds), normal_quantile(level)
        se = float(np.sqrt(below.variance))
        low = min(low, scale.interval(below.mean, se, half)[0]) if below.mean > bounds[0] else bounds[0]
    return low, ends[1]


@interval(
    "influence function",
    of=is_measure_with_an_influence,
    tables=SCORES,
    drawn=ANYHOW,
    references=("binder1983", "satterthwaite1946"),
)
def linearised(
    measure: Measure, table: ScoreTable, value: float, design: Design, level: float
) -> IntervalResult:
    """value ± t · se on the scale of the measure's range."""
    if not isfinite(value):
        return "the value is infinite"
    if value in measure.bounds:
        return AT_END
    design = design.near
    assert measure.influence is not None
    spread, scale = design.spread(measure.influence(design.table, value)), scale_of(measure.bounds)
    return *scale.interval(value, spread.half(level), 1.0), f"{design.how}, {scale.name}"


@interval(
    "influence function",
    of=("mean_probability_of_positives", "mean_probability_of_negatives"),
    tables=SCORES,
    drawn=ANYHOW,
    references=("binder1983", "satterthwaite1946", "student1908"),
)
def mean_probability(
    measure: Measure, table: ScoreTable, value: float, design: Design, level: float
) -> IntervalResult:
    """As `mean_of_class`: the cases of the class, or the clusters that hold one, are what the mean is of."""
    design = design.near
    assert measure.influence is not None
    influence, places = np.stack(measure.influence(design.table, value)), design.places
    class_design = design.among((places.true == measure.name.endswith("_positives")) & (places.weight > 0))
    from_end, sign = (value, 1) if value < EVEN else (1 - value, -1)
    units = LossMoments.of_influence(from_end, sign * influence, class_design, EVEN)
    return mean_of_class(value, units, level, design.how)


@interval(
    "influence function",
    of=("partial_roc_auc", "standardized_partial_roc_auc"),
    tables=SCORES,
    drawn=ANYHOW,
    references=("binder1983", "satterthwaite1946"),
)
def partial_area(
    measure: Measure, table: ScoreTable, value: float, design: Design, level: float
) -> IntervalResult:
    """On the logit scale of the raw area, whichever way the area is given.

    The negatives within the range, of which there may be few, have one degree of freedom fewer; the lower end is that
    with one more case like the worst, or a negative that scores as positives do: see `with_the_worst`.
    """
    first, last = measure.parameters.get("min_fpr", 0.0), measure.parameters.get("max_fpr", MAX_FPR)
    least = (last * last - first * first) / 2
    stretch = 2 * (last - first - least)
    raw = measure.base == "partial_roc_auc"
    area = value if raw else least + (value - 0.5) * stretch
    if area <= 0 or area >= last - first:
        return AT_END
    design = design.near
    if design.smaller_class < FEW:
        return TOO_FEW
    on_positive, on_negative = _of_range(design.table, area, first, last)
    within = float(negative_cases(design.table)) * (last - first)
    influence, bounds = np.stack([on_positive, on_negative * np.sqrt(1 + 1 / within)]), (0.0, last - first)
    at_random = _in_the_middle(on_negative, design.table.positives)
    ends = with_the_worst(area, influence, design, level, bounds, at_random)
    low, high = ends if raw else ((end - least) / stretch + 0.5 for end in ends)
    return low, high, f"{design.how}, t, {scale_of(bounds).name}, {ONE_MORE}"


@interval(
    "influence function",
    of=("partial_roc_auc_by_tpr", "standardized_partial_roc_auc_by_tpr"),
    tables=SCORES,
    drawn=ANYHOW,
    references=("binder1983", "satterthwaite1946"),
)
def partial_area_by_tpr(
    measure: Measure, table: ScoreTable, value: float, design: Design, level: float
) -> IntervalResult:
    """As `partial_area`, of the curve seen from its other end, where the classes have changed places."""
    first, last = (1 - measure.parameters.get(name, 1.0) for name in ("max_tpr", "min_tpr"))
    least = (last * last - first * first) / 2
    stretch = 2 * (last - first - least)
    raw, bounds = measure.base == "partial_roc_auc_by_tpr", (0.0, last - first)
    area = value if raw else least + (value - 0.5) * stretch
    if area <= 0 or area >= last - first:
        return AT_END
    if design.smaller_class < FEW:
        return TOO_FEW
    turned = _from_other_end(design.table)
    of_range = _of_range(turned, area, first, last)
    at_random = _in_the_middle(of_range[1], turned.positives)
    on_negative, on_positive = (influences[::-1] for influences in of_range)
    within = float(design.table.n_positive) * (last - first)
    if design.table.positive_squares is not None:
        within *= float(design.table.n_positive) / float(design.table.positive_squares.sum())
    influence = np.stack([on_positive * np.sqrt(1 + 1 / within), on_negative])
    ends = with_the_worst(area, influence, design, level, bounds, at_random)
    low, high = ends if raw else ((end - least) / stretch + 0.5 for end in ends)
    return low, high, f"{design.how}, t, {scale_of(bounds).name}, {ONE_MORE}"


def _in_the_middle(on_negative: Array, positives: Array) -> float:
    """The influence of a negative whose score lies in the middle of those of positives, as a score at random does."""
    tp = np.cumsum(positives)
    return float(on_negative[np.searchsorted(tp, tp[-1] / 2)])


def _from_other_end(table: ScoreTable) -> ScoreTable:
    """Return the table with its classes in each other's place, from its lowest score."""
    return ScoreTable(-table.scores[::-1], table.negatives[::-1], table.positives[::-1], table.labels[::-1])


def _of_range(table: ScoreTable, area: float, first: float, last: float) -> tuple[Array, Array]:
    """Influence on the area between two false positive rates: on the one up to the last, less that up to the first."""
    if first == 0:
        return partial_auc_influence(table, area, last)
    before = float(area_up_to(table.positives, table.negatives, first))
    upto_last, part = (
        partial_auc_influence(table, area + before, last),
        partial_auc_influence(table, before, first),
    )
    return upto_last[0] - part[0], upto_last[1] - part[1]


@interval(
    "t",
    of=("log_loss", "multiclass_brier_score", "mean_reciprocal_rank"),
    tables=CASES,
    references=("student1908",),
)
def mean_of_losses(
    measure: Measure, table: CaseTable, value: float, design: object, level: float
) -> IntervalResult:
    """value ± t · se of the losses of cases drawn alike, on the scale of the range of the loss.

    Of the log-loss and the Brier score the upper end is that with one more case: see `LossMoments.one_more_case`.
    """
    assert measure.moments is not None
    n, total, squares = (float(moment) for moment in measure.moments(*measure.read((table,))))
    if isinf(value):
        return why_infinite(table)
    if n < TWO:
        return "one case shows no variation"
    if is_rounding(n * squares - total * total, n * squares):
        return SAME_LOSS
    how = f"t, {scale_of(measure.bounds).name}"
    if measure.name not in TAILS:
        return *t_interval(total, squares, n, level, measure.bounds), how
    tail = getattr(table.sums, TAILS[measure.name])
    if tail is None:
        return *t_interval(total, squares, n, level, measure.bounds), f"{how}, {WITHOUT_TAIL}"
    least = least_more(measure.bounds, table.true)
    sums = LossMoments.of_cases(n, n, total, squares, tail, least)
    return *sums.one_more_case(level, measure.bounds), f"{how}, {ONE_MORE}"


@interval(
    "t",
    of=("log_loss", "brier_score", "log_loss_skill", "brier_skill"),
    tables=SCORES,
    drawn=ANYHOW,
    references=("binder1983", "satterthwaite1946", "student1908"),
)
def mean_loss(
    measure: Measure, table: ScoreTable, value: float, design: Design, level: float
) -> IntervalResult:
    """value ± t · se of the losses on the logit or the log scale, the upper end with one more case.

    See `LossMoments.one_more_case`. A skill is that of the share of the reference loss that is left, on the log scale:
    see `skill_ends`.
    """
    if not isfinite(value):
        return "the value is infinite" if measure.name in LOSS_OF_SKILL else why_infinite(table)
    if design.number < TWO:
        return "one case shows no variation"
    design, skill = design.smooth(table), measure.name in LOSS_OF_SKILL
    if value == 1 and skill:
        return AT_END
    assert measure.influence is not None
    influence = np.stack(measure.influence(design.table, value))
    if design.spread(influence).is_none(value) or value in measure.bounds:
        return SAME_LOSS
    loss = LOSS_OF_SKILL.get(measure.name, measure.name)
    places, scale = design.table, (0.0, inf if loss == "log_loss" else 1.0)
    nonempty = np.stack([places.positives, places.negatives]) > 0
    least = least_more(scale, np.array([places.n_positive, places.n_negative], float))
    one = max(greatest_loss(table, loss), least)
    words = f"{design.before}t, {scale_of(measure.bounds).name}, {ONE_MORE}"
    if not skill:
        moments = LossMoments.of_influence(value, influence, design, one)
        return *moments.one_more_case(level, scale), words
    reference = base_rate_loss(places, loss)[0]
    moments = LossMoments.of_influence(1 - value, -influence, design, one / reference)
    z = design.centred(influence)
    if design.rows is None:
        best = design.total * float(z[nonempty].max())
    else:
        best = design.number * float(design.sums(z.reshape(1, -1)).max())
    return *skill_ends(moments, 1 - value - best, level), words


def farther_of_scales(
    value: float, ends: tuple[float, float], bounds: tuple[float, float]
) -> tuple[float, float]:
    """Return the ends of value ± half on the scale of the range, or on the linear scale where that lies farther.

    >>> low, high = farther_of_scales(0.5, scale_of((-inf, 1)).interval(0.5, 0.1, 2.0), (-inf, 1))
    >>> print(round(low, 3), round(high, 3))
    0.254 0.7
    """
    scale = scale_of(bounds)
    half = float(scale.to(value) - scale.to(ends[0])) / float(scale.slope(value))
    return min(ends[0], max(value - half, bounds[0])), max(ends[1], min(value + half, bounds[1]))


@interval(
    "influence function",
    of=("area_under_prg",),
    tables=SCORES,
    drawn=ANYHOW,
    references=("binder1983", "satterthwaite1946"),
)
def precision_recall_gain(
    measure: Measure, table: ScoreTable, value: float, design: Design, level: float
) -> IntervalResult:
    """As `linearised`, where enough positives lie above recall = prevalence, from which the area is counted.

    The farther end of two scales: log(1 - x) puts the upper end too low, the linear scale the lower end too high.
    """
    p, plus = float(design.table.n_positive), float(design.places.squares[0].sum())
    if p * p / plus * p / design.total < RISEN:
        return f"fewer than {RISEN} positives lie above recall = prevalence"
    limits = linearised(measure, table, value, design, level)
    if isinstance(limits, str):
        return limits
    (low, high), how = farther_of_scales(value, limits[:2], measure.bounds), f"{limits[2]} or linear"
    return low, high, how


@interval(
    "influence function",
    of=("area_under_risk_coverage",),
    tables=SCORES,
    drawn=ANYHOW,
    references=("agresti1998", "satterthwaite1946"),
)
def risk_coverage(
    measure: Measure, table: ScoreTable, value: float, design: Design, level: float
) -> IntervalResult:
    """t, as if one more case were wrong and one right, both spread over all scores in proportion.

    Errors are few among confident cases, and weigh most there: where a sample has none, its own spread says that there
    are none. (Agresti & Coull 1998, The American Statistician 52:119, for a proportion.) The spread of those few is
    uncertain itself: degrees of freedom by Satterthwaite, of whose variance that of the added cases is no estimate.
    """
    design = design.near
    at = design.table
    case = (at.positives + at.negatives) / design.number
    added = replace(at, positives=at.positives + case, negatives=at.negatives + case)
    centre, on_positive, on_negative = risk_coverage_influence(added)
    spread = design.spread((on_positive, on_negative))
    size = design.total / design.number
    variance = spread.variance + float((size * case * (on_positive**2 + on_negative**2)).sum())
    degrees = inf if spread.is_none() else spread.degrees * (variance / spread.variance) ** 2
    # at most as many as there are clusters, whose size the added cases share
    quantile = max(design.quantile(level), VarianceEstimate(variance, degrees).quantile(level))
    half = quantile * float(np.sqrt(variance))
    low, high = min(value, centre - half), max(value, centre + half)
    return max(0.0, low), min(1.0, high), f"{design.how}, t, one error and one correct answer added"


@interval(
    "Wilson via the prevalence",
    of=("brier_uncertainty", "log_loss_uncertainty"),
    tables=SCORES,
    drawn=ANYHOW,
    references=("wilson1927", "rao1992"),
)
def uncertainty(
    measure: Measure, table: ScoreTable, value: float, design: Design, level: float
) -> IntervalResult:
    """The values that the measure takes over Wilson's interval of the prevalence; at most that of one half."""
    spread_of = log_entropy if measure.name.startswith("log") else brier_entropy
    design = design.smooth(table)
    if design.is_alike:
        low, high = (float(limit) for limit in wilson(design.table.n_positive, design.total, level))
    else:
        positive = np.broadcast_to([[1.0], [0.0]], design.places.weight.shape)
        spread = Shares.of_one(design, positive, np.ones_like(positive)).spreads()[0]
        limits = wilson_of_unlike(spread, float(design.table.n_positive / design.total), design, level)
        if isinstance(limits, str):
            return limits
        low, high, _ = limits
    ends = [float(spread_of(prevalence, 1 - prevalence)) for prevalence in (low, high)]
    top = float(spread_of(0.5, 0.5)) if low <= 0.5 <= high else max(ends)
    return min(ends), top, f"{'' if design.is_alike else design.how + ', '}Wilson via the prevalence"
