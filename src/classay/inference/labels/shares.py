"""Intervals of proportions of labels, however cases were drawn, and of sums of one share of each class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from math import hypot, inf, isinf, isnan, log, sqrt
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from classay.answers import of_labels
from classay.inference.design import Design, satterthwaite, student_quantile
from classay.inference.estimate import IntervalResult
from classay.inference.labels.delta import bias_of_weights, delta_variance, matrix_influence, moved
from classay.inference.labels.spreads import (
    NOTHING,
    Among,
    Shares,
    ShareSpread,
    Table,
    spread_of,
    spread_of_share,
)
from classay.inference.methods import (
    ALWAYS,
    ANYHOW,
    CASES,
    LABELS,
    ON_REQUEST,
    UNLIKE,
    Function,
    Several,
    When,
    combined_wilson,
    interval,
)
from classay.inference.proportions import (
    PROPORTION_METHODS,
    Interval,
    clopper_pearson,
    exp,
    mid_p,
    normal_quantile,
    score_interval,
    size_in_words,
)
from classay.measures import MEASURES, Measure
from classay.measures.registry import ClassShare, Map, SumOfShares, ratio, share_itself
from classay.tables import BinaryCounts, CaseTable, ConfusionMatrix
from classay.tables.own import OwnTable

RATIOS = ("positive_likelihood_ratio", "negative_likelihood_ratio")


def is_proportion(measure: Measure) -> bool:
    """Check whether a measure is a plain share of cases."""
    return measure.parts is not None


ShareTable = BinaryCounts | ConfusionMatrix | CaseTable | OwnTable


def _of_share(name: str, of: Callable[[Any, Any, float], Interval]) -> Function[ShareTable, Design]:
    """Return an interval of a proportion as a method of the registry."""

    def method(
        measure: Measure, table: ShareTable, value: float, design: Design, level: float
    ) -> IntervalResult:
        assert measure.parts is not None
        x, m = measure.parts(*measure.read((table,)))
        low, high = of(float(x), float(m), level)
        return float(low), float(high), name

    return method


def register_proportions(tables: tuple[type[ShareTable], ...]) -> None:
    """Register the intervals of plain proportions for tables of which measures give numerator and denominator."""
    for name, (of, reference) in PROPORTION_METHODS.items():
        when = ALWAYS if name == "Wilson" else ON_REQUEST
        register = interval(name, of=is_proportion, tables=tables, when=when, references=(reference,))
        register(_of_share(name, of))


register_proportions((*LABELS, *CASES))


@interval("MOVER-R mid-P", of=RATIOS, tables=(BinaryCounts,), references=("donner2012", "berry1995"))
def ratio_of_shares(
    measure: Measure, table: BinaryCounts, value: float, design: Design, level: float
) -> IntervalResult:
    """Likelihood ratios from the mid-P limits of their two shares; see `likelihood_ratio_limits`."""
    tp, fp, fn, tn = (float(count) for count in table)
    x, y = (tp, fp) if measure.name == "positive_likelihood_ratio" else (fn, tn)
    low, high = likelihood_ratio_limits(x, tp + fn, y, fp + tn, level)
    return min(value, float(low)), max(value, float(high)), "MOVER-R mid-P"


def likelihood_ratio_limits(
    x: Any, m: Any, y: Any, n: Any, level: float, limits: Callable[[Any, Any, float], Interval] = mid_p
) -> tuple[Any, Any]:
    """Limits of the ratio of p = x / m and q = y / n, from the `limits` l, u of both, as variances are recovered.

    low = B / (A + sqrt(A² - B C)) with A = p q, B = l_p (2p - l_p), C = u_q (2q - u_q), and high likewise with u_p and
    l_q. Takes arrays of one shape. Donner & Zou 2012, Statistical Methods in Medical Research 21:347.

    >>> from classay.inference.proportions import wilson
    >>> low, high = likelihood_ratio_limits(2, 100, 40, 50, 0.95, wilson)
    >>> round(float(low), 6), round(float(high), 6)
    (0.006862, 0.089182)
    """
    x, m, y, n = (np.asarray(counts, float) for counts in (x, m, y, n))
    p, q = x / m, y / n
    (p_low, q_low), (p_high, q_high) = limits(np.stack([x, y]), np.stack([m, n]), level)

    def end(p_end: Any, q_end: Any) -> tuple[Any, Any, Any]:
        cross, above, below = p * q, p_end * (2 * p - p_end), q_end * (2 * q - q_end)
        return above, below, cross + np.sqrt(np.maximum(0.0, cross * cross - above * below))

    with np.errstate(divide="ignore", invalid="ignore"):
        above, _, root = end(p_low, q_high)
        low = np.where(x == 0, 0.0, above / root)
        _, below, root = end(p_high, q_low)
        high = np.where(y == 0, inf, root / below)
    return low, high


@interval("log", of=RATIOS, tables=(BinaryCounts,), when=ON_REQUEST, references=("simel1991",))
@interval("log", of=("diagnostic_odds_ratio",), tables=(BinaryCounts,), references=("simel1991",))
def log_ratio(
    measure: Measure, table: BinaryCounts, value: float, design: Design, level: float
) -> IntervalResult:
    """Odds and likelihood ratios on the log scale; one half is added to every cell when one is empty.

    Simel, Samsa & Matchar 1991, J Clin Epidemiol 44:763; Haldane 1956 and Anscombe 1956 for the half. Of likelihood
    ratios with few errors it covers too little: 91.1% of 50 and 50 cases at rates of .99, MOVER-R 98.6%.
    """
    cells = [float(count) for count in table]
    empty = min(cells) == 0
    tp, fp, fn, tn = (cell + 0.5 for cell in cells) if empty else cells
    p, n = tp + fn, fp + tn
    squares = {
        "positive_likelihood_ratio": 1 / tp - 1 / p + 1 / fp - 1 / n,
        "negative_likelihood_ratio": 1 / fn - 1 / p + 1 / tn - 1 / n,
        "diagnostic_odds_ratio": 1 / tp + 1 / fp + 1 / fn + 1 / tn,
    }
    centre = float(measure(tp, fp, fn, tn))
    half = normal_quantile(level) * np.sqrt(squares[measure.name])
    low = 0.0 if value == 0 else min(value, float(centre * exp(-half)))
    high = inf if isinf(value) else max(value, float(centre * exp(half)))
    return low, high, "log, 1/2 added to all cells" if empty else "log"


@interval(
    "lower limit Clopper-Pearson, upper limit Wilson",
    of=("baseline_accuracy",),
    tables=LABELS,
    drawn=ANYHOW,
    references=("clopper1934", "wilson1927"),
)
def of_largest_share(
    measure: Measure, table: BinaryCounts | ConfusionMatrix, value: float, design: Design, level: float
) -> IntervalResult:
    """The share of the largest class, which is a maximum, and so too large on average.

    The lower end is that of Clopper and Pearson with the error shared out among the k classes, since whichever is the
    largest here need not be the largest: every share would have to be that low. The upper end is Wilson's, which only
    the class that is truly the largest must keep.
    """
    assert measure.parts is not None
    k = 2 if isinstance(table, BinaryCounts) else len(of_labels(table.labels))
    x, m = (float(count) for count in measure.parts(*measure.read((table,))))
    alike = design.is_alike
    z = normal_quantile(level)
    if not alike:
        spread = spread_of_share(measure, design)
        if isnan(spread.variance):
            return "a single case or cluster shows no variation"
        m, z = spread.effective(value), spread.share_quantile(value, level)
        x = value * m
    low = clopper_pearson(x, m, 1 - (1 - level) / k)[0]
    high = score_interval(x, m, z)[1]
    return (
        min(value, max(float(low), 1 / k)),
        float(high),
        f"{'' if alike else design.how + ', '}lower limit Clopper-Pearson, upper limit Wilson",
    )


@interval(
    "Wilson, effective sample size",
    of=is_proportion,
    tables=LABELS,
    drawn=UNLIKE,
    references=("wilson1927", "rao1992", "kish1965"),
)
def of_effective_cases(
    measure: Measure, table: Table, value: float, design: Design, level: float
) -> IntervalResult:
    """Wilson's interval with the number of equal cases of this variance; Student's quantile for the normal one."""
    return wilson_of_unlike(spread_of_share(measure, design), value, design, level)


def wilson_of_unlike(spread: ShareSpread, value: float, design: Design, level: float) -> IntervalResult:
    """Wilson's interval of any share of unlike cases, by its spread: see `of_effective_cases`."""
    if isnan(spread.variance):
        where = "one case" if design.rows is None else "one cluster"
        return f"determined by {where}, which shows no variation"
    n = spread.effective(value)
    low, high = score_interval(value * n, n, spread.share_quantile(value, level))
    return float(low), float(high), f"{design.how}, Wilson, {size_in_words(n, spread.cases)}"


Array = NDArray[Any]


class Correlations(Protocol):
    """Correlations of terms, a matrix `(terms, terms)` or what multiplies as one."""

    def __matmul__(self, values: Array, /) -> Array:
        """R v, `(terms,)`."""
        ...


def square_and_add(
    hits: Array,
    cases: Array,
    z: Array | float,
    to: Map = share_itself,
    together: Correlations | None = None,
    by: Array | float = 1.0,
) -> tuple[float, float]:
    """Limits of the sum of terms `by * to(hits / cases)` by MOVER: distances of Wilson limits, squared and added.

    `together`, `(terms, terms)`, are the correlations of the terms, none where it is None; `z` is the quantile, or that
    of each term, `(terms,)`. Newcombe 1998, Statistics in Medicine 17:873; Zou & Donner 2008, Statistics in Medicine
    27:1693.

    >>> low, high = square_and_add(np.array([6.0, 89.0]), np.array([10.0, 90.0]), 1.959964)
    >>> print(round(low - 1, 4), round(high - 1, 4))
    0.2974 0.8209
    """
    value = by * to(hits / cases)
    low, high = np.sort([by * to(end) for end in score_interval(hits, cases, z)], axis=0)
    below, above = (_length(end, together) for end in (value - low, high - value))
    return float(value.sum() - below), float(value.sum() + above)


def shared_quantile(
    hits: Array,
    cases: Array,
    z: Array | float,
    to: Map = share_itself,
    together: Correlations | None = None,
    by: Array | float = 1.0,
) -> tuple[float, float]:
    """Limits of the sum of terms `by * to(hits / cases)`: the sum of Wilson limits, each at its share of the quantile.

    Where a sum of normal terms is z standard errors off, each term is off, on average, by its part of the sum's
    variance: z_i = z (R a)_i / sqrt(a' R a), with R the correlations, none of them negative, and a_i how far Wilson's
    limit at one standard error is off. The squares of the z_i of independent terms add up to z², so Wilson's
    correction of the centre, which grows with z_i², is counted once for the sum; where the distances are squared and
    added at the full quantile, it is counted once for each term, and many classes are covered too little. One term gets
    Wilson's interval. The shares do not depend on the level, so intervals of two levels lie within each other.

    >>> low, high = shared_quantile(np.array([6.0, 89.0]), np.array([10.0, 90.0]), 1.959964)
    >>> print(round(low - 1, 4), round(high - 1, 4))
    0.3003 0.8215
    """
    value, parts = to(hits / cases), []
    for end in score_interval(hits, cases, 1.0):
        off = np.abs(by * (to(end) - value))
        moved = off if together is None else together @ off
        length = _length(off, together)
        parts.append(moved / length if length > 0 else np.full(hits.shape, hits.size**-0.5))
    low, high = score_interval(hits, cases, np.array(parts) * z)
    return float((by * to(low[0])).sum()), float((by * to(high[1])).sum())


def shared_student(
    hits: Array,
    cases: Array,
    level: float,
    to: Map = share_itself,
    together: Correlations | None = None,
    by: Array | float = 1.0,
    wider: float = 1.0,
    sizes: Array | None = None,
) -> tuple[float, float]:
    """Limits of Σ by · to(hits / cases): Wilson's of each share at its part of Student's quantile.

    As `shared_quantile`, with degrees of freedom by those of the shares, m - 1 of m `sizes`, which are the cases unless
    given (Satterthwaite 1946).
    """
    ends = []
    value, units = to(hits / cases), np.maximum(cases if sizes is None else sizes, 2.0)
    offs = [np.abs(by * (to(limit) - value)) for limit in score_interval(hits, cases, 1.0)]
    moved_by = np.stack(offs, 1) if together is None else together @ np.stack(offs, 1)
    for side, (off, with_others) in enumerate(zip(offs, moved_by.T, strict=True)):
        length = float(np.sqrt(max(0.0, off @ with_others)))
        part = with_others / length if length > 0 else np.full(off.shape, off.size**-0.5)
        contributions = part * off
        degrees = satterthwaite(contributions.sum(), contributions, units)
        quantile = wider * (student_quantile(level, degrees) if degrees < 1e9 else normal_quantile(level))
        ends.append(float((by * to(score_interval(hits, cases, part * quantile)[side])).sum()))
    return ends[0], ends[1]


def _length(distances: Array, together: Correlations | None) -> float:
    squares = (distances**2).sum() if together is None else distances @ (together @ distances)
    return float(np.sqrt(max(0.0, squares)))


STEP = 1e-30  # of complex-step derivatives (Squire & Trapp 1998)


def matrix_of(table: Table) -> ConfusionMatrix:
    """Counts of one class against the rest as a matrix of two classes, the positive one last."""
    if isinstance(table, ConfusionMatrix):
        return table
    tp, fp, fn, tn = table
    return ConfusionMatrix(np.array([[tn, fn], [fp, tp]]), (0, 1))


def with_matrix(design: Design) -> Design:
    """Return how the cases of such a table were drawn, as those of its matrix."""
    if isinstance(design.table, ConfusionMatrix):
        return design
    squares = None if design.squared is None else matrix_of(design.squared)
    cells = None if design.cells is None else design.cells.moved(np.array([3, 2, 1, 0]))
    return replace(design, table=matrix_of(design.table), squared=squares, cells=cells)


@dataclass(frozen=True, eq=False)
class ClassTerms:
    """The shares of the classes: hits among independent cases alike, quantiles and variances, `(classes,)` each.

    `together` are the correlations of the shares, of which none is negative.
    """

    hits: Array
    cases: Array
    quantiles: Array
    variances: Array
    together: Correlations | None

    @property
    def last(self) -> ClassTerms:
        """The share of the last class alone."""
        hits, cases, quantiles, variances = (
            column[-1:] for column in (self.hits, self.cases, self.quantiles, self.variances)
        )
        return ClassTerms(hits, cases, quantiles, variances, None)

    def variance(self, to: Map, by: Array) -> float:
        """Return the variance of the sum of the terms `by * to(hits / cases)`, by the delta method."""
        slope = np.imag(to(self.hits / self.cases + STEP * 1j)) / STEP
        off = by * slope * np.sqrt(self.variances)
        return float(off @ (off if self.together is None else self.together @ off))


def terms_alike(share: ClassShare, matrix: ConfusionMatrix, level: float) -> ClassTerms:
    """Recalls and precisions of classes whose sizes are given are independent; Jaccard indices are not."""
    among = Among.of(share, matrix)
    counted, other, cases = (
        weights[: len(of_labels(matrix.labels))] for weights in (among.counted, among.other, among.all)
    )
    cases = np.where(cases > 0, cases, 1)  # a share of no cases is none of a class that counts
    together = JaccardCorrelations.of(matrix) if share == "jaccard" else None
    quantiles = np.full(cases.size, normal_quantile(level))
    return ClassTerms(counted, cases, quantiles, counted * other / cases**3, together)


@dataclass(frozen=True, eq=False)
class JaccardCorrelations:
    """Correlations of the Jaccard indices of classes, and of all that rises with them, F1: of one error to both.

    With U_i the cases that are or are called i, cov(J_i, J_j) = (n_ij + n_ji) J_i J_j / (U_i U_j), and the variance is
    J (1 - J) / U (delta method). Only classes that are confused are linked: `first` and `second`, `(links,)`, by
    `cases`; and all of them a little, since one case is shared out among the cells of each class, so that no variance
    is 0. `scaled`, `(classes,)`, is sqrt(J / ((1 - J) U)).
    """

    first: Array
    second: Array
    cases: Array
    scaled: Array

    @classmethod
    def of(cls, matrix: ConfusionMatrix, scale: float = 1.0) -> JaccardCorrelations:
        """Return those of the classes of a matrix, every cell times `scale`."""
        k = len(of_labels(matrix.labels))
        hits, predicted, true = (np.asarray(margin, float)[:k] * scale for margin in matrix.margins)
        union = predicted + true + 2 - (hits + 1 / k)
        index = (hits + 1 / k) / union
        scaled = np.sqrt(index / ((1 - index) * union)) if k > 1 else np.ones(1)
        i, j, cases = matrix.occupied
        off = (i != j) & (i < k)
        return cls(i[off], j[off], cases[off] * scale, scaled)

    def __matmul__(self, values: Array) -> Array:
        """The correlations times values, `(classes,)`, without a matrix of all pairs."""
        k = self.scaled.size
        moved = self.scaled * values
        linked = np.bincount(self.first, self.cases * moved[self.second], k)
        linked += np.bincount(self.second, self.cases * moved[self.first], k)
        return np.asarray(values + self.scaled * (linked + 2 / k * (moved.sum() - moved)))


def terms_unlike(share: ClassShare, design: Design, level: float, classes: range) -> ClassTerms | str:
    """Shares of these classes with their effective numbers of cases, and Student's quantiles where these are few."""
    shares = Shares.of_classes(share, design)
    hits, variances = np.zeros((2, len(classes)))
    cases = np.ones(len(classes))
    quantiles = np.full(len(classes), normal_quantile(level))
    spreads, values, total = shares.spreads(), shares.values, shares.weights.all
    answers = len(of_labels(design.table.labels))
    for place, i in enumerate(classes):
        # a class without a case counts nothing, as where cases are alike
        if i >= answers or not total[i] > 0:
            continue
        if np.isnan(spreads[i].variance):
            return "all cases of a class are one case or one cluster, which shows no variation"
        cases[place] = spreads[i].effective(float(values[i]))
        hits[place] = values[i] * cases[place]
        quantiles[place] = spreads[i].share_quantile(float(values[i]), level)
        variances[place] = spreads[i].variance
    if shares.by_cluster is None:
        weight = design.total / float(design.places.squares.sum())
        together = JaccardCorrelations.of(design.table, weight) if share == "jaccard" else None
        return ClassTerms(hits, cases, quantiles, variances, together)
    sums = shares.moved[classes.start : classes.stop]
    crossed = sums @ sums.T
    deviation = np.sqrt(crossed.diagonal())
    crossed = np.clip(np.nan_to_num(ratio(crossed, deviation[:, None] * deviation[None, :])), 0, 1)
    np.fill_diagonal(crossed, 1.0)
    return ClassTerms(hits, cases, quantiles, variances, crossed)


def _terms(share: ClassShare, design: Design, level: float, first: int = 0) -> ClassTerms | str:
    """Return the terms of the classes of a matrix; from the second one on, that of the last alone."""
    if design.is_alike:
        terms: ClassTerms | str = terms_alike(share, design.table, level)
    else:
        terms = terms_unlike(share, design, level, range(first, len(of_labels(design.table.labels))))
    return terms.last if first and not isinstance(terms, str) else terms


def _variance_of(measure: Measure, table: Table, design: Design) -> float:
    """Return the variance of a sum of shares, in which the weights of the classes may vary too."""
    if design.is_alike:
        assert isinstance(table, ConfusionMatrix)
        return delta_variance(*matrix_influence(measure, table))
    return spread_of(measure, design).variance


def _with_weights(value: float, ends: tuple[float, float], beside: float) -> tuple[float, float]:
    """Ends of a sum of shares by its terms, with a half-width more that the weights of the classes bring.

    Both are added as what is independent is: a class without an error shows no spread, and its limit is not stretched.
    """
    low, high = ends
    return value - hypot(value - low, beside), value + hypot(high - value, beside)


def _limits(
    combine: Any, measure: Measure, value: float, terms: ClassTerms, by: Array, variance: float | None
) -> tuple[float, float]:
    """Limits of a sum of shares by its terms; `variance` is that of the sum, None where nothing else varies."""
    about = measure.share_of
    assert about is not None
    wider, beside = 1.0, 0.0
    if about.each == "difference":  # whose correlation lowers the variance, as the stretch tells
        terms = replace(terms, together=None)
    if variance is not None:
        of_terms = terms.variance(about.to, by)
        if about.each == "by true cases" and variance > of_terms:
            beside = sqrt(variance - of_terms) * float(terms.quantiles.max())
        elif min(variance, of_terms) > NOTHING:
            wider = sqrt(variance / of_terms)
    low, high = combine(terms.hits, terms.cases, wider * terms.quantiles, about.to, terms.together, by)
    if beside:
        low, high = _with_weights(value - about.added, (low, high), beside)
    if about.each == "difference":  # without its sign: 0 is within where both signs are
        return (0.0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))
    return low, high


def _intervals_by(combine: Any, name: str) -> Several[Table, Design]:
    """Return the intervals of sums of shares, of which those of one share rest on the same terms."""

    def intervals(
        measures: Sequence[Measure], table: Table, values: Sequence[float], design: Design, level: float
    ) -> list[IntervalResult]:
        matrix, matrix_design, alike = matrix_of(table), with_matrix(design), design.is_alike
        used = name if alike else f"{matrix_design.how}, {name}"
        terms_of = cache(partial(_terms, design=matrix_design, level=level))

        def one(measure: Measure, value: float) -> IntervalResult:
            about = measure.share_of
            assert about is not None
            first = int(about.each == "one class")
            terms = terms_of(about.share, first=first)
            if isinstance(terms, str):
                return terms
            is_whole = first or (alike and not about.stretched)  # the terms are all that varies
            variance = None if is_whole else _variance_of(measure, table, design)
            by = np.ones(1) if first else about.weights(matrix)
            low, high = _limits(combine, measure, value, terms, by, variance)
            off = about.added - bias_of_weights(measure, matrix, design)
            return *moved(value, low + off, high + off, measure.bounds), used

        return list(map(one, measures, values))

    return intervals


def _names_of_sums(*kinds: str) -> tuple[str, ...]:
    """Return the registered measures that are such sums of shares, and no proportion themselves."""
    known = [each for each in MEASURES.values() if each.share_of is not None and each.parts is None]
    return tuple(each.name for each in known if each.share_of is not None and each.share_of.each in kinds)


def _register(
    name: str, combine: Any, of: tuple[str, ...], references: tuple[str, ...], when: When[Any] = ALWAYS
) -> None:
    several = _intervals_by(combine, name)

    @interval(name, of=of, tables=LABELS, drawn=ANYHOW, when=when, references=references, several=several)
    def one(measure: Measure, table: Table, value: float, design: Design, level: float) -> IntervalResult:
        return several([measure], table, [value], design, level)[0]


COMBINED, MOVER = "Wilson limits combined", "MOVER-Wilson"
_REFERENCES = ("wilson1927", "newcombe1998", "zou2008", "rao1992")
_SUMS = _names_of_sums("mean", "sum", "by true cases")
_register(COMBINED, shared_quantile, _SUMS, _REFERENCES)
_register(MOVER, square_and_add, _SUMS, _REFERENCES, ON_REQUEST)
_register(MOVER, square_and_add, ("rate_gap",), _REFERENCES)
_register(
    "Wilson via the Jaccard index", shared_quantile, _names_of_sums("one class"), ("wilson1927", "rao1992")
)


@combined_wilson("multiclass_g_mean", LABELS)
def geometric_mean_of_recalls(
    measure: Measure, table: Table, value: float, design: Design, level: float
) -> IntervalResult:
    """As of the mean of the logarithms of the recalls, which a class of few cases may lower a lot.

    Where a class is never found the value is 0, and the upper end has the upper limit of that class's recall.
    """
    if value == 0:
        return _end_of_none_found(table, design, level)
    of_logs = replace(
        measure,
        function=lambda *margins: np.log(measure.raw(*margins)),
        bounds=(-inf, 0.0),
        share_of=SumOfShares("recall", np.log, "mean"),
    )
    (limits,) = _intervals_by(shared_quantile, COMBINED)([of_logs], table, [log(value)], design, level)
    if isinstance(limits, str):
        return limits
    low, high, words = limits
    return min(value, float(np.exp(low))), max(value, float(np.exp(high))), f"{words}, log"


def _end_of_none_found(table: Table, design: Design, level: float) -> IntervalResult:
    """From 0 to the mean of the logarithms of the recalls, of a class never found that of its upper limit."""
    terms = _terms("recall", with_matrix(design), level)
    if isinstance(terms, str):
        return terms
    share, squared = terms.hits / terms.cases, terms.quantiles**2 / terms.cases
    middle = share + squared / 2
    high = (middle + np.sqrt(squared * (share * (1 - share) + squared / 4))) / (1 + squared)  # Wilson's
    none = share == 0
    at = np.log(np.where(none, high, share))
    reach = np.sqrt(((np.log(high) - at) ** 2).sum()) / share.size
    words = COMBINED if design.is_alike else f"{design.how}, {COMBINED}"
    return 0.0, min(1.0, float(np.exp(at.mean() + reach))), f"{words}, log"
