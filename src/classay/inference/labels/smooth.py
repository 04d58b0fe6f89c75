"""Intervals of smooth measures of labels (posterior, delta method) and of mean errors of classes in an order."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import isfinite, isnan, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.answers import of_labels
from classay.inference.design import Design, VarianceEstimate, degrees_by_moments, student_quantile
from classay.inference.draws import order_of_classes, percentile, stream
from classay.inference.estimate import IntervalResult

# registered first, because of methods for kinds of measures the first is tried first
from classay.inference.labels import class_means  # noqa: F401
from classay.inference.labels.delta import (
    bias_of_weights,
    counts_influence,
    delta_variance,
    matrix_influence,
    moved,
    of_counts,
    of_matrix,
)
from classay.inference.labels.positive_correlations import standard_errors
from classay.inference.labels.shares import shared_student
from classay.inference.labels.spreads import NOTHING, Shares, Table, spread_of
from classay.inference.methods import ANYHOW, LABELS, UNLIKE, When, combined_wilson, interval
from classay.inference.proportions import normal_quantile, scale_of, stretched, wilson
from classay.inference.scores.linearised import ONE_MORE, LossMoments
from classay.measures import Measure
from classay.measures.ordinal import extreme_cells, losses_of
from classay.tables import BinaryCounts, ConfusionMatrix, Margins
from classay.tables.sparse import MOST_DENSE
from classay.tables.sums import equal_cases, is_rounding

Array = NDArray[Any]
DRAWS = 20_000
"""Draws at common levels: the noise of a limit is then about 2% of a standard error at 95%."""
IN_A_TAIL = 200
"""Draws that lie beyond a limit, at least, where the level is high."""
MOST_DRAWS = 200_000
MOST_NUMBERS = 2_000_000
"""Numbers drawn in all, which many classes share out among their cells; but no fewer draws than `FEWEST`."""
FEWEST = 2_000
IN_CACHE = 16_000
"""Numbers evaluated at once, which stay in the processor's cache; but of no fewer draws than `FEWEST_AT_ONCE`."""
FEWEST_AT_ONCE = 200
STICKS = 64
"""Empty cells that a draw of many classes may fill: what is left for the others is about exp(-64) of a case."""


class DrawnCells(NamedTuple):
    """Cells drawn, `[draw, predicted, true]`, their margins, and their matrices.

    The matrices of two classes are in canonical order, which changes a measure of a matrix by rounding only; not even
    the rounding depends on the order of the classes.
    """

    cells: Array
    margins: Margins
    matrix: ConfusionMatrix

    def values(self, measure: Measure) -> Array:
        """Return the measure of each draw; of one class against the rest, of the last one."""
        if measure.needs == "margins":
            return np.asarray(measure(*self.margins))
        if measure.needs == "counts":
            cells = self.cells
            return np.asarray(measure(cells[:, 1, 1], cells[:, 1, 0], cells[:, 0, 1], cells[:, 0, 0]))
        return np.asarray(measure(self.matrix))


class DrawnSparsely(NamedTuple):
    """Draws of many classes: the cells that hold anything, as flat places and shares of each draw.

    `place` and `share` are `[draw, cell]`, `place` is predicted * classes + true.
    """

    place: NDArray[np.int64]
    share: Array
    classes: int

    def values(self, measure: Measure) -> Array:
        """Return the measure of each draw."""
        k = self.classes
        predicted, true = np.divmod(self.place, k)
        if measure.needs == "margins":
            hits = self._sums(predicted, np.where(predicted == true, self.share, 0.0), k)
            sides = (self._sums(place, self.share, k) for place in (predicted, true))
            return np.asarray(measure(hits, *sides))
        at_once, values = max(1, MOST_NUMBERS // k**2), []
        for first in range(0, len(self.place), at_once):
            part = slice(first, first + at_once)
            cells = self._sums(self.place[part], self.share[part], k * k).reshape(-1, k, k)
            values.append(np.asarray(measure(ConfusionMatrix(cells, tuple(range(k))))))
        return np.concatenate(values)

    @staticmethod
    def _sums(place: Any, share: Array, places: int) -> Array:
        """Return the shares of each draw added up by place, `[draw, place]`."""
        draws = len(share)
        flat = place + places * np.arange(draws)[:, None]
        added: Array = np.bincount(flat.ravel(), share.ravel(), draws * places).astype(float, copy=False)
        return added.reshape(draws, places)


def prior_of(classes: int) -> float:
    """The part of a case in each cell: half of one for two classes (Jeffreys), else one shared by all (Perks)."""
    return 0.5 if classes == 2 else 1 / classes**2


def draws_for(classes: int, level: float) -> int:
    """Return how many draws: 20,000, more at levels near 1, fewer for many classes."""
    wanted = min(max(DRAWS, int(np.ceil(2 * IN_A_TAIL / (1 - level)))), MOST_DRAWS)
    return max(FEWEST, min(wanted, MOST_NUMBERS // classes**2))


def limits_drawn(measure: Measure, cells: Array, seed: int, level: float) -> tuple[float, float]:
    """Return the equal-tailed limits of the measure over draws from the posterior of the cells, `[predicted, true]`."""
    return _limits(measure, np.ascontiguousarray(cells, np.float64).tobytes(), cells.shape[0], seed, level)


@lru_cache(maxsize=256)
def _limits(measure: Measure, cells: bytes, classes: int, seed: int, level: float) -> tuple[float, float]:
    """Kept, because complements have the limits of their measure, and reports ask more than once."""
    at = np.frombuffer(cells).reshape(classes, classes)
    return percentile(values_drawn(measure, at, seed, level), level)


def values_drawn(measure: Measure, cells: Array, seed: int, level: float) -> Array:
    """Return the measure at draws from the posterior of the cells, `[predicted, true]`, of cases that count alike.

    The draws depend on the cells and the seed alone, and go with the classes whatever their order, so that all
    measures of a table, and of the same table with its classes in another order, see the same.
    """
    k = cells.shape[0]
    count = draws_for(k, level)
    kept = _kept if count * k * k <= MOST_NUMBERS else _kept_sparsely
    blocks = kept(np.ascontiguousarray(cells, np.float64).tobytes(), k, seed, count)
    return np.concatenate([block.values(measure) for block in blocks])


@lru_cache(maxsize=1)
def _kept(cells: bytes, classes: int, seed: int, count: int) -> list[DrawnCells]:
    return list(_blocks(np.frombuffer(cells).reshape(classes, classes), seed, count))


def _blocks(cells: Array, seed: int, count: int) -> Iterator[DrawnCells]:
    k, order = cells.shape[0], order_of_classes(cells)
    back = np.argsort(order)
    shape = (cells[np.ix_(order, order)] + prior_of(k)).ravel()
    rng, block = stream(seed, "posterior"), max(FEWEST_AT_ONCE, IN_CACHE // k**2)
    for start in range(0, count, block):
        shares = rng.standard_gamma(shape, size=(min(block, count - start), k * k))
        shares *= cells.sum() / shares.sum(-1, keepdims=True)
        # the draws of a cell lie side by side, so that sums over classes run over long stretches
        canonical = np.ascontiguousarray(shares.T).reshape(k, k, -1)
        cell_by_cell = canonical[back][:, back]
        ordered = canonical if k == 2 else cell_by_cell
        matrix = ConfusionMatrix(np.moveaxis(ordered, -1, 0), tuple(range(k)))
        sides = cell_by_cell.diagonal().T, cell_by_cell.sum(1), cell_by_cell.sum(0)
        margins = Margins(*(np.ascontiguousarray(side).T for side in sides))
        yield DrawnCells(np.moveaxis(cell_by_cell, -1, 0), margins, matrix)


@lru_cache(maxsize=1)
def _kept_sparsely(cells: bytes, classes: int, seed: int, count: int) -> list[DrawnSparsely]:
    """Draws at a cost of the occupied cells, not of all: the few empty ones that a draw fills are drawn by name.

    The empty cells together have a gamma share, as each has. Within it their shares are broken off one after another,
    each a beta share of what is left, of an empty cell that has none yet: the Dirichlet distribution in size-biased
    order. All empty cells have one case or less between them, so that the rest after `STICKS` pieces is below rounding.
    """
    at = np.frombuffer(cells).reshape(classes, classes)
    order, prior, rng = order_of_classes(at), prior_of(classes), stream(seed, "posterior")
    ordered = at[np.ix_(order, order)].ravel()
    occupied, empty = np.flatnonzero(ordered), np.flatnonzero(ordered == 0)
    pieces = min(STICKS, empty.size)
    block, blocks = max(FEWEST_AT_ONCE, MOST_NUMBERS // (occupied.size + pieces)), []
    for start in range(0, count, block):
        draws = min(block, count - start)
        share, place = (
            rng.standard_gamma(ordered[occupied] + prior, (draws, occupied.size)),
            np.tile(occupied, (draws, 1)),
        )
        if pieces:
            left = rng.standard_gamma(prior * empty.size, (draws, 1))
            broken = rng.beta(
                1 + prior, prior * np.arange(empty.size, empty.size - pieces, -1), (draws, pieces)
            )
            rest = np.cumprod(1 - broken, -1)
            sticks = np.concatenate([broken[:, :1], broken[:, 1:] * rest[:, :-1]], -1) * left
            share = np.concatenate([share, sticks], -1)
            place = np.concatenate([place, empty[_unlike(rng, draws, pieces, empty.size)]], -1)
        share *= at.sum() / share.sum(-1, keepdims=True)
        blocks.append(
            DrawnSparsely(order[place // classes] * classes + order[place % classes], share, classes)
        )
    return blocks


def _unlike(rng: np.random.Generator, draws: int, pieces: int, of: int) -> NDArray[np.int64]:
    """Different whole numbers below `of` in random order, `(draws, pieces)`: what comes twice is drawn again."""
    numbers = rng.integers(of, size=(draws, pieces))
    while True:
        order = np.argsort(numbers, -1, kind="stable")
        ranked = np.take_along_axis(numbers, order, -1)
        rows, at = np.nonzero(ranked[:, 1:] == ranked[:, :-1])
        if not rows.size:
            return numbers
        numbers[rows, order[rows, at + 1]] = rng.integers(of, size=rows.size)


def matrix_cells(table: BinaryCounts | ConfusionMatrix) -> Array:
    """Return the cells of a table as `[predicted, true]`, the positive class last."""
    if isinstance(table, BinaryCounts):
        tp, fp, fn, tn = (float(count) for count in table)
        return np.array([[tn, fn], [fp, tp]])
    return np.asarray(table.counts, np.float64)


SMALL_CELL = 5
"""Cases in a cell below which the delta method covers too little."""
MOST_CLASSES_DRAWN = 100
"""Classes up to which the shares of all cells are drawn from their posterior."""


def is_smooth(measure: Measure) -> bool:
    """Check whether a measure is a smooth function of the cells of a table of labels and no plain share of cases."""
    return measure.parts is None and measure.is_of_matrix and not is_of_labels(measure)


def is_of_labels(measure: Measure) -> bool:
    """Check whether a measure looks at some classes by their labels, which draws from the posterior do not have."""
    return "labels" in measure.parameters


def drawn_by_default(measure: Measure, table: Table, value: float, design: Design, level: float) -> bool:
    """Check whether there are two classes, or nothing but hits or errors, which show no spread.

    Of several classes the delta method covers no less with few errors: with 3 of 100 in three classes 91%, as do draws
    (90%), which are no wider, and take a hundred times as long with ten classes.
    """
    return not isinstance(table, ConfusionMatrix) or len(table.labels) == 2 or value in measure.bounds


@interval(
    "Dirichlet posterior",
    of=is_smooth,
    tables=LABELS,
    drawn=ANYHOW,
    when=When("two classes, or at an end of the range", drawn_by_default),
    references=("caelen2017", "totsch2021", "gelman2013", "perks1947"),
)
def posterior(measure: Measure, table: Table, value: float, design: Design, level: float) -> IntervalResult:
    """Equal-tailed interval of draws from the posterior of the cells' shares, closed at an end of the range.

    Two classes have Jeffreys' prior, half a case in each cell; more classes share one case among all their cells
    (Perks 1947), because half a case in each would outweigh the data. Cases with sampling weights or in clusters count
    as equally many independent ones, and the interval is stretched by how much more the measure varies than it would
    over these.
    """
    if not isfinite(value):
        return "the value is infinite"
    k = len(table.labels) if isinstance(table, ConfusionMatrix) else 2
    if k > MOST_CLASSES_DRAWN:
        return f"the estimate is at the boundary of its range, and {k} classes are too many for the posterior"
    cells = matrix_cells(table)
    alike = design.is_alike
    equal, stretch = (cells.sum(), 1.0) if alike else _effective(measure, table, design, level)
    if isnan(stretch):
        return "one case shows no variation"
    # rounded, because draws depend on which of two cells is the larger
    shares = cells if alike else np.round(cells * (equal / cells.sum()), 9)
    low, high = limits_drawn(measure, shares, design.seed, level)
    low, high = stretched(value, low, high, stretch, measure.bounds)
    bottom, top = measure.bounds
    low, high = (bottom if value == bottom else min(low, value)), (top if value == top else max(high, value))
    used = f"Dirichlet posterior, {'Jeffreys' if k == 2 else 'Perks'} prior, {draws_for(k, level):,} draws"
    return low, high, used if alike else f"{design.how}, {used}"


def _effective(measure: Measure, table: Table, design: Design, level: float) -> tuple[float, float]:
    """Independent cases alike that would say as much as these, and how much more the measure varies than over them."""
    total = design.total
    equal = equal_cases(total, design.places.squares.sum())
    spread = spread_of(measure, design)
    over_equal = _delta_variance(measure, table) * total / equal
    if isnan(spread.variance):
        return equal, float("nan")
    if spread.variance <= NOTHING or over_equal <= NOTHING:
        return min(equal, _clusters(design)), 1.0
    wider = sqrt(spread.variance / over_equal) * spread.quantile(level)
    if design.rows is not None:  # as of shares, see `share_quantile`
        most = student_quantile(level, design.equal_units - 1)
        wider = min(wider, sqrt(equal / design.least_units) * most)
    return equal, wider / normal_quantile(level)


def _clusters(design: Design) -> float:
    """Return the clusters, which are no fewer independent cases; no bound where there are none."""
    return float("inf") if design.rows is None else design.equal_units


def _influence(measure: Measure, table: Table) -> tuple[Array, Array]:
    if isinstance(table, ConfusionMatrix):
        return matrix_influence(measure, table)
    return counts_influence(measure, table)


def _delta_variance(measure: Measure, table: Table) -> float:
    return delta_variance(*_influence(measure, table))


def delta_spread(measure: Measure, table: Table) -> VarianceEstimate:
    """The variance of a measure by the delta method, with Satterthwaite's degrees of freedom from the fourth moment.

    A variance that rests on few cases, as that of a good classifier's measures rests on its few errors, has few.
    (Satterthwaite 1946, Biometrics Bulletin 2:110.)
    """
    cells, slopes = _influence(measure, table)
    n = float(cells.sum())
    squares = (slopes - (cells * slopes).sum() / n) ** 2
    variance, fourths = float((cells * squares).sum()), float((cells * squares**2).sum())
    if variance <= NOTHING:
        return VarianceEstimate(variance)
    return VarianceEstimate(variance, degrees_of_squares(variance, fourths, n))


def degrees_of_squares(squares: float, fourths: float, units: float) -> float:
    """As `degrees_by_moments`, which takes one more off; 1 to units - 1.

    >>> degrees_of_squares(10.0, 10.0, 10), degrees_of_squares(18.0, 162.0, 10)
    (9.0, 5.0)
    """
    return float(max(1.0, min(units - 1, degrees_by_moments(squares, fourths, units) + 1)))


@interval(
    "delta", of=is_smooth, tables=LABELS, references=("agresti2013", "takahashi2022", "satterthwaite1946")
)
def delta(measure: Measure, table: Table, value: float, design: Design, level: float) -> IntervalResult:
    """value ± t · se on a scale that keeps to the range; for macro-F1, Takahashi et al. 2022."""
    spread = delta_spread(measure, table)
    # a class always called right, another always wrong: no cell moves it
    if spread.variance < NOTHING * max(1.0, value * value) or value in measure.bounds:
        return posterior(measure, table, value, design, level)
    scale = scale_of(measure.bounds)
    off = bias_of_weights(measure, table, design)
    low, high = scale.interval(value, spread.se, spread.quantile(level))
    return *moved(value, low - off, high - off, measure.bounds), f"delta, t, {scale.name}"


@interval(
    "linearised", of=is_smooth, tables=LABELS, drawn=UNLIKE, references=("binder1983", "satterthwaite1946")
)
def linearised(measure: Measure, table: Table, value: float, design: Design, level: float) -> IntervalResult:
    """value ± quantile · se on a scale that keeps to the measure's range."""
    spread = spread_of(measure, design)
    if not isfinite(value):
        return "the value is infinite"
    if isnan(spread.variance):
        return "one case shows no variation"
    if spread.variance <= NOTHING * max(1.0, value * value) or value in measure.bounds:
        return posterior(measure, table, value, design, level)
    scale, degrees = scale_of(measure.bounds), spread.degrees
    if design.rows is None:
        influence = (
            of_matrix(measure, table) if isinstance(table, ConfusionMatrix) else of_counts(measure, table)
        )
        degrees = min(degrees, degrees_of_squares(*design.powers(influence), design.equal_units))
    low, high = scale.interval(value, spread.se, VarianceEstimate(spread.variance, degrees).quantile(level))
    off = bias_of_weights(measure, table, design)
    return *moved(value, low - off, high - off, measure.bounds), f"{design.how}, t, {scale.name}"


@interval("delta", of=is_of_labels, tables=(ConfusionMatrix,), references=("agresti2013",))
def delta_of_labels(
    measure: Measure, table: ConfusionMatrix, value: float, design: Design, level: float
) -> IntervalResult:
    """As `delta`, where the cells are large enough for it."""
    hits = table.margins.hits.sum()
    of_classes = [float(count) for count in (hits, table.total - hits)]
    spread = delta_spread(measure, table)
    if min(of_classes) < SMALL_CELL or spread.variance < NOTHING or value in measure.bounds:
        return "too few correct or incorrect predictions for the delta method"
    scale = scale_of(measure.bounds)
    return *scale.interval(value, spread.se, spread.quantile(level)), f"delta, t, {scale.name}"


MATRIX = (ConfusionMatrix,)
TOO_MANY = f"available for up to {MOST_DENSE:,} classes only"


@interval(
    "t",
    of=("mean_absolute_error", "mean_squared_error"),
    tables=MATRIX,
    drawn=ANYHOW,
    references=("student1908", "satterthwaite1946", "binder1983"),
)
def mean_error(
    measure: Measure, table: ConfusionMatrix, value: float, design: Design, level: float
) -> IntervalResult:
    """Student's t on the logit scale of the range, the upper end with one more case of the greatest loss.

    See `LossMoments.one_more_case`. The one more case is at least one step off. Where all cases are right the upper end
    is no less than Wilson's of none in n; where all are equally far off, the ends are Wilson's of that share of the
    farthest.
    """
    if table.keeps_pairs_that_occur:
        return TOO_MANY
    losses = losses_of(measure, table)
    top = float(losses.max())
    if design.number < 2:
        return "a single case or cluster shows no variation"
    least, greatest = float(losses[losses > 0].min()), float(losses.ravel()[design.places.occupied].max())
    moments = LossMoments.of_influence(value, of_matrix(measure, table), design, max(least, greatest))
    bounds = (0.0, top)
    words = f"{design.how}, t, logit, {ONE_MORE}"
    if value == 0:
        return 0.0, max(_with_one_more(moments, level, bounds), _of_none(design, least, level)), words
    if value == top:
        return "all errors are as large as possible, which shows no variation"
    if is_rounding(sqrt(moments.variance), value):  # all cases are equally far off
        x = value / top * design.number
        low, high = (top * float(end) for end in wilson(x, design.number, level))
        return low, high, "Wilson of equal errors"
    return *moments.one_more_case(level, bounds), words


@interval(
    "none by definition",
    of=("accuracy_within",),
    tables=MATRIX,
    drawn=ANYHOW,
    when=When(
        "where no two classes are so many steps apart",
        lambda measure, table, *_: measure.parameters["k"] >= len(of_labels(table.labels)) - 1,
    ),
    references=(),
)
def accuracy_of_all(
    measure: Measure, table: ConfusionMatrix, value: float, design: Design, level: float
) -> IntervalResult:
    """No interval: what is 1 whatever the cases are has no spread."""
    k = len(of_labels(table.labels))
    return f"the value is 1 by definition, because {k} classes are at most {k - 1} steps apart"


def _with_one_more(moments: LossMoments, level: float, bounds: tuple[float, float]) -> float:
    return moments.with_one_more().t_interval(level, bounds)[1]


def _of_none(design: Design, step: float, level: float) -> float:
    """Return the upper end of a mean error of which no case has any: Wilson's of none in n, each error one step."""
    return step * float(wilson(0.0, design.number, level)[1])


@interval(
    "t",
    of=("mean_signed_error",),
    tables=MATRIX,
    drawn=ANYHOW,
    references=("student1908", "satterthwaite1946", "binder1983"),
)
def signed_error(
    measure: Measure, table: ConfusionMatrix, value: float, design: Design, level: float
) -> IntervalResult:
    """Student's t on a scale that keeps to the range; it is no farther from 0 than the mean absolute error may be.

    Where all cases are right, the ends are those of the mean absolute error, on either side.
    """
    if table.keeps_pairs_that_occur:
        return TOO_MANY
    top = float(len(table.labels) - 1)
    influence = of_matrix(measure, table)
    spread = design.spread(influence)
    if isnan(spread.variance):
        return "a single case or cluster shows no variation"
    if spread.is_none(1.0):
        if value != 0:
            return "all errors are equal, which shows no variation"
        end = _of_none(design, 1.0, level)
        return -end, end, "Wilson of no error"
    degrees = degrees_of_squares(*design.powers(influence), design.equal_units)
    scale = scale_of((-top, top))
    low, high = scale.interval(
        value, spread.se, student_quantile(level, min(degrees, max(1.0, spread.degrees)))
    )
    return low, high, f"{design.how}, t, {scale.name}"


@combined_wilson("macro_mean_absolute_error", MATRIX)
def error_of_classes(
    measure: Measure, table: ConfusionMatrix, value: float, design: Design, level: float
) -> IntervalResult:
    """The mean over classes of their mean errors, each Wilson's of the share x of the farthest that it may be off.

    A class stands for as many cases as have that variance, x (1 - x) / V; each has its part of the quantile, as in
    `shared_student`, with the degrees of freedom of the classes. A class of which all cases are right has errors of the
    mean size of those of the table in Wilson's upper limit, at least one step: a sample may lack its few far errors.
    """
    if table.keeps_pairs_that_occur:
        return TOO_MANY
    losses = losses_of(measure, table)
    k, farthest = len(table.labels), losses.max(0)
    true = np.asarray(table.margins.true, np.float64)
    means = (table.counts * losses).sum(0) / true
    centred = (losses - means) / true
    influences = np.stack([np.where(np.arange(k) == at, centred, 0.0) for at in range(k)])
    covariance = np.asarray(design.spread(influences, degrees="normal").covariance)
    units, number = design.units_of_class, design.number
    if number < 2 or not (units >= 1).all():
        return "a single case or cluster shows no variation"
    # each class has its own correction n / (n - 1)
    grown = np.where(units > 1, units / np.maximum(units - 1, 1e-9), 1.0) * (number - 1) / number
    variances = np.maximum(covariance.diagonal(), 0.0) * grown
    x, scaled = means / farthest, variances / farthest**2
    varies = ~np.array([is_rounding(sqrt(v), 1.0) for v in variances])
    with np.errstate(divide="ignore", invalid="ignore"):
        cases = np.where(varies, x * (1 - x) / scaled, units)
    if design.is_weighted and design.rows is None:
        # errors that were not seen may weigh more: see `Shares`
        bounds = [spread.most for spread in Shares.of_classes("recall", design).spreads()]
        cases = cases * np.minimum(1.0, np.array(bounds[:k]) / units)
    cases = np.maximum(cases, 1.0)
    errors = table.counts * (losses > 0)
    mean_size = float((errors * losses).sum()) / float(errors.sum()) if errors.any() else 0.0
    step = np.array([losses[losses[:, at] > 0, at].min() for at in range(k)])
    size = np.where(means > 0, farthest, np.clip(mean_size, step, farthest))
    together = _correlations(covariance) if design.rows is not None else None
    low, high = shared_student(
        x * cases, cases, level, together=together, by=size / k, sizes=design.equal_units_of_class
    )
    how = "" if design.is_alike else f"{design.how}, "
    return min(value, low), max(value, high), f"{how}Wilson limits combined, t"


@interval(
    "delta, one pseudo-case added",
    of=("goodman_kruskal_gamma",),
    tables=MATRIX,
    drawn=ANYHOW,
    references=("agresti2013", "satterthwaite1946", "binder1983"),
)
def gamma_of_pairs(
    measure: Measure, table: ConfusionMatrix, value: float, design: Design, level: float
) -> IntervalResult:
    """The delta method, each end no nearer than a normal one with one more case that goes against it most.

    Gamma leaves ties out, so that of a good classifier it rests on the pairs of the few cases that are far off. A
    sample without one shows next to no spread: with 1% errors in three classes, 1,000 cases, the delta method alone
    covered 72 to 79%. Weighted cases and clusters count as so many equal cases in the end with one more.
    """
    limits = (delta if design.is_alike else linearised)(measure, table, value, design, level)
    if isinstance(limits, str) or value in measure.bounds:
        return limits
    low, high, words = limits
    counts = _equal_counts(table, design)
    for against in extreme_cells(table):
        more = counts.copy()
        more[against] += 1
        _, ends = _normal_limits(measure, ConfusionMatrix(more, table.labels), level)
        low, high = min(low, ends[0]), max(high, ends[1])
    return low, high, f"{words}, {ONE_MORE}"


def _equal_counts(table: ConfusionMatrix, design: Design) -> Array:
    """Return the cells of as many independent, equally weighted cases; clusters are no fewer than their number."""
    equal = float(equal_cases(design.total, design.places.squares.sum()))
    if design.rows is not None:
        equal = min(equal, design.number)
    counts: Array = np.asarray(table.counts, np.float64) * (equal / float(design.total))
    return counts


def _normal_limits(
    measure: Measure, table: ConfusionMatrix, level: float
) -> tuple[float, tuple[float, float]]:
    """The value of a table and its limits by the delta method and the normal quantile, on the scale of the measure."""
    value, se = float(measure(table)), delta_spread(measure, table).se
    return value, scale_of(measure.bounds).interval(value, se, normal_quantile(level))


AT_RANDOM = "one random case added"
AGREEMENT = ("cohen_kappa", "linear_kappa", "quadratic_kappa", "weighted_kappa")
ASSOCIATION = ("kendall_tau_b", "somers_d", "concordance")


def _has_several_classes(
    measure: Measure, table: ConfusionMatrix, value: float, design: Design, level: float
) -> bool:
    """Check whether there are three classes or more, and no more than make a full matrix quick."""
    return 2 < len(table.labels) <= MOST_CLASSES_DRAWN


@interval(
    "delta, one random case added",
    of=(*AGREEMENT, *ASSOCIATION),
    tables=MATRIX,
    drawn=ANYHOW,
    when=When(f"3 to {MOST_CLASSES_DRAWN} classes", _has_several_classes),
    references=("agresti2013", "satterthwaite1946", "binder1983"),
)
def agreement_beyond_chance(
    measure: Measure, table: ConfusionMatrix, value: float, design: Design, level: float
) -> IntervalResult:
    """The delta method, the end towards chance no nearer than a normal one with one case called at random.

    The case adds the product of both margins, of sum 1, to the cells. A sample of a good classifier may hold none of
    its few far errors and then shows next to no spread: of 60 cases in three classes with 1% far errors the delta
    method alone covered 69 % (tau-b). Where the value is that of chance, the case changes nothing. Weighted cases and
    clusters count as so many equal cases in the end with the case.
    """
    limits = (delta if design.is_alike else linearised)(measure, table, value, design, level)
    if isinstance(limits, str) or (value in measure.bounds and measure.name == "cohen_kappa"):
        return limits
    low, high, words = limits
    counts = _equal_counts(table, design)
    if design.rows is not None:
        # as many cases as have the variance of these clusters, but no fewer than these
        variance = spread_of(measure, design).variance
        if variance > NOTHING:
            equal = float(design.total) * _delta_variance(measure, table) / variance
            counts *= max(1.0, equal / float(counts.sum()))
    at_random = np.outer(counts.sum(1), counts.sum(0)) / counts.sum() ** 2
    moved, ends = _normal_limits(measure, ConfusionMatrix(counts + at_random, table.labels), level)
    low, high = (min(low, ends[0]), high) if moved <= value else (low, max(high, ends[1]))
    return low, high, f"{words}, {AT_RANDOM}"


def _correlations(covariance: Array) -> Array:
    """Correlations of which none is negative."""
    sd = standard_errors(covariance.diagonal())
    scale = np.where(sd > 0, sd, np.inf)
    correlations = np.clip(covariance / scale[:, None] / scale, 0.0, 1.0)
    np.fill_diagonal(correlations, 1.0)
    return correlations
