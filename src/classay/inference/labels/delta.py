"""The delta method for measures of counts: derivatives by all cells, which say how one more case moves a measure.

Derivatives of a function of vectors by all their elements, in one backward pass.

A function of a thousand numbers, moved one by one, is computed a thousand times. Here each step of the one computation
is written down, and the chain rule is followed back from the value: a few times the cost of the function itself.
(Griewank & Walther 2008, Evaluating Derivatives, 2nd ed., chapter 3.)

Influence: how much one more case moves a measure; the one idea behind weighted and clustered variances.

With z_r the derivative of a measure by the weight of row r (the z_r w_r sum to zero, because no measure changes when
all weights are scaled), rows drawn independently give the variance sum w_r² z_r², which needs only the sums of squared
weights in each cell of a table; clusters drawn independently give I / (I - 1) · sum over clusters of (sum w_r z_r)².
(Binder 1983, International Statistical Review 51:279; Demnati & Rao 2004, Survey Methodology 30:17.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.inference.design import Design
from classay.measures import Measure
from classay.measures.registry import ratio
from classay.tables import BinaryCounts, ConfusionMatrix

Array = NDArray[Any]
Back = Callable[[Array], Array]
"""From the derivative by what a step gave to that by what it took."""


STEP = 1e-30
"""Of the largest value, see `delta.partials`."""


class Untraced(TypeError):
    """The function takes a step that is not known here."""


def gradient(function: Callable[..., Any], values: Sequence[Array]) -> list[Array] | None:
    """Return the derivatives of a scalar function of several vectors; None where it takes a step that cannot be traced.

    >>> x, y = np.array([1.0, 3.0]), np.array([2.0, 1.0])
    >>> [each.tolist() for each in gradient(lambda x, y: (x * x / y).sum(-1), [x, y])]
    [[1.0, 6.0], [-0.25, -9.0]]
    >>> gradient(lambda x: np.linalg.norm(x), [np.array([3.0, 4.0])])
    """
    tape: list[Traced] = []
    starts = [Traced(np.asarray(value, np.float64), tape) for value in values]
    try:
        end = function(*starts)
    except TypeError:  # of Untraced, or of NumPy where it meets what it cannot handle
        return None
    if not isinstance(end, Traced) or end.value.size != 1:
        return None
    slopes: dict[int, Array] = {id(end): np.ones_like(end.value)}
    for step in reversed(tape):
        if (slope := slopes.get(id(step))) is None:
            continue
        for before, back in step.before:
            added = _unspread(back(slope), before.value.shape)
            slopes[id(before)] = slopes[id(before)] + added if id(before) in slopes else added
    derivatives = [slopes.get(id(start), np.zeros_like(start.value)) for start in starts]
    return derivatives if _holds(function, [start.value for start in starts], derivatives) else None


def _holds(function: Callable[..., Any], values: list[Array], slopes: list[Array]) -> bool:
    """Check whether the derivatives agree with one complex step in a random direction.

    The trace would miss a value that became plain on the way.
    """
    size = STEP * max(float(np.abs(value).max(initial=0)) for value in values) or STEP
    ways = [np.random.default_rng(k).standard_normal(value.shape) for k, value in enumerate(values)]
    moved = (
        np.imag(function(*(value + 1j * size * way for value, way in zip(values, ways, strict=True)))) / size
    )
    parts = [slope * way for slope, way in zip(slopes, ways, strict=True)]
    return bool(
        np.isclose(sum(part.sum() for part in parts), moved, 1e-6, 1e-9 * sum(abs(p).sum() for p in parts))
    )


def _unspread(slope: Array, shape: tuple[int, ...]) -> Array:
    """Summed over the axes along which a value was repeated."""
    while slope.ndim > len(shape):
        slope = slope.sum(0)
    for axis, size in enumerate(shape):
        if size == 1 and slope.shape[axis] != 1:
            slope = slope.sum(axis, keepdims=True)
    return slope


@dataclass(eq=False)
class Traced(np.lib.mixins.NDArrayOperatorsMixin):
    """An array that remembers what it was computed from: `before` are the arrays of the step, each with its way back.

    Comparisons, and what asks for the plain numbers, give plain arrays: the choices that they make do not move.
    """

    value: Array
    tape: list[Traced]
    before: list[tuple[Traced, Back]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.value = np.asarray(self.value)
        self.tape.append(self)

    def _next(self, value: Any, *before: tuple[Any, Back]) -> Traced:
        return Traced(value, self.tape, [(node, back) for node, back in before if isinstance(node, Traced)])

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return np.asarray(self.value, dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the value."""
        return self.value.shape

    @property
    def ndim(self) -> int:
        """The number of its axes."""
        return self.value.ndim

    @property
    def size(self) -> int:
        """The number of its elements."""
        return self.value.size

    @property
    def dtype(self) -> Any:
        """The type of its elements."""
        return self.value.dtype

    @property
    def real(self) -> Array:
        """The plain numbers, which do not move."""
        return self.value

    def __getitem__(self, key: Any) -> Traced:
        def back(slope: Array) -> Array:
            slopes = np.zeros(self.value.shape)
            np.add.at(slopes, key, slope)
            return slopes

        return self._next(self.value[key], (self, back))

    def sum(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Traced:  # noqa: FBT001, FBT002
        """Return the sum over axes."""
        shape = self.value.shape
        kept = self.value.sum(axis, keepdims=True).shape
        value = self.value.sum(axis, keepdims=keepdims)
        return self._next(value, (self, lambda slope: np.broadcast_to(slope.reshape(kept), shape)))

    def mean(self, axis: int | None = None) -> Traced:
        """Return the mean over an axis."""
        total = self.sum(axis)
        mean: Traced = total * (total.size / self.size)
        return mean

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [operand.value if isinstance(operand, Traced) else operand for operand in inputs]
        if method != "__call__" or options:
            raise Untraced(f"{ufunc.__name__}.{method}")
        if ufunc in PLAIN:
            return ufunc(*plain)
        if ufunc not in BACK:
            raise Untraced(ufunc.__name__)
        with np.errstate(all="ignore"):
            value = ufunc(*plain)
        return self._next(value, *zip(inputs, BACK[ufunc](value, *plain), strict=True))

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function is np.where and len(args) == 3 and not kwargs:
            condition, here, there = args
            condition = np.asarray(condition)
            value = np.where(condition, *(x.value if isinstance(x, Traced) else x for x in (here, there)))
            return self._next(
                value,
                (here, lambda slope: np.where(condition, slope, 0.0)),
                (there, lambda slope: np.where(condition, 0.0, slope)),
            )
        if function is np.real:
            return self.value
        if function in (np.ones_like, np.zeros_like, np.shape, np.ndim):
            return function(self.value, *args[1:], **kwargs)
        raise Untraced(function.__name__)


def _times(slope: Array, factor: Any) -> Array:
    """Return the slope times a factor, which may be infinite or NaN where nothing moves."""
    with np.errstate(all="ignore"):
        return np.where(slope == 0, 0.0, slope * factor)


BACK: dict[np.ufunc, Callable[..., list[Back]]] = {
    np.add: lambda v, x, y: [lambda s: s, lambda s: s],
    np.subtract: lambda v, x, y: [lambda s: s, lambda s: -s],
    np.multiply: lambda v, x, y: [lambda s: _times(s, y), lambda s: _times(s, x)],
    np.true_divide: lambda v, x, y: [lambda s: _times(s, _inverse(y)), lambda s: _times(s, -v * _inverse(y))],
    np.negative: lambda v, x: [lambda s: -s],
    np.sqrt: lambda v, x: [lambda s: _times(s, _inverse(2 * v))],
    np.log: lambda v, x: [lambda s: _times(s, _inverse(x))],
    np.exp: lambda v, x: [lambda s: _times(s, v)],
    np.power: lambda v, x, y: [
        lambda s: _times(s, y * np.power(x, y - 1.0)),
        lambda s: _times(s, v * np.log(x)),
    ],
}
"""For the steps that are known: the ways back to each of what they take, from what they gave and took."""
ORDER = (np.less, np.less_equal, np.greater, np.greater_equal)
PLAIN = frozenset({np.equal, np.not_equal, np.isnan, np.isfinite, np.logical_not, *ORDER})


def _inverse(x: Any) -> Any:
    with np.errstate(all="ignore"):
        return np.true_divide(1.0, x)


_STEP = 1e-30
"""Of the largest value: a step must be far below the digits of every sum that it enters."""
_IN_CACHE = 16_384
MOST_STEPPED = 300
"""Classes up to which each is moved by itself: of more, the time grows with the square of their number."""
FEW_CLASSES = 4
"""Classes up to which no kinds of classes are looked for."""


def partials(function: Callable[..., Any], values: list[Array], at: Array | None = None) -> list[Array]:
    """Partial derivatives of a scalar function of several vectors, exact to rounding (complex-step method).

    All vectors are of one length; `at` names the places whose derivatives are wanted, all unless given.

    Squire & Trapp 1998, SIAM Review 40:110. One call evaluates many of them, along a leading axis; of thousands of
    values only as many as stay in the processor's cache.
    """
    wide = values[0].size
    at = np.arange(wide) if at is None else at
    size = _STEP * max(float(np.abs(value).max(initial=0)) for value in values) or _STEP
    block = max(1, _IN_CACHE // wide)
    slopes = np.empty(len(values) * at.size)
    for first in range(0, slopes.size, block):
        moving = np.arange(first, min(first + block, slopes.size))
        moved = []
        for order, value in enumerate(values):
            step = np.zeros((moving.size, wide), complex)
            in_vector = moving // at.size == order
            step[np.flatnonzero(in_vector), at[moving[in_vector] % at.size]] = 1j * size
            moved.append(value.astype(float) + step)
        slopes[moving] = np.imag(function(*moved)) / size
    return np.split(slopes, len(values))


def counts_influence(measure: Measure, counts: BinaryCounts) -> tuple[Array, Array]:
    """Return the four counts and the derivative of the measure by each, `(4,)` both."""
    cells = np.array([float(count) for count in counts])
    slopes = partials(lambda c: measure.raw(*np.moveaxis(c, -1, 0)), [cells])[0]
    return cells, slopes


def matrix_influence(measure: Measure, matrix: ConfusionMatrix) -> tuple[Array, Array]:
    """Return the occupied cells of a matrix and the derivative of the measure by each, `(cells,)` both.

    A case in cell (i, j) adds one to the predicted weight of i, the true weight of j, and, on the diagonal, the
    hits of i; so three derivatives per class give those of all cells.
    """
    i, j, cases = matrix.occupied
    return cases, slopes_at(measure, matrix, i, j)


def slopes_at(measure: Measure, matrix: ConfusionMatrix, predicted: Array, true: Array) -> Array:
    """The derivative of the measure by each of some cells, given by the places of their classes, `(cells,)` all."""
    if measure.needs == "matrix":
        if measure.cell_influence is not None:
            return np.asarray(measure.cell_influence(matrix, predicted, true))
        return cell_partials(measure, matrix, predicted, true)
    by_hit, by_predicted, by_true = margin_partials(measure, matrix)
    return np.asarray(
        np.where(predicted == true, by_hit[predicted], 0.0) + by_predicted[predicted] + by_true[true]
    )


def margin_partials(measure: Measure, matrix: ConfusionMatrix) -> tuple[Array, Array, Array]:
    """Derivatives by the hits, predicted and true weight of each class, `(classes,)` each.

    Where a measure does not depend on the order of the classes, and those of classay do not, classes of the same hits,
    predicted and true weight have the same derivatives: one of each kind is moved, but of few classes all. Of more
    classes than `MOST_STEPPED` one backward pass finds all derivatives, where the measure can be traced.
    """
    margins = [np.asarray(part) for part in matrix.margins]
    if margins[0].size > MOST_STEPPED and (slopes := gradient(measure.raw, margins)) is not None:
        hits, predicted, true = slopes
        return hits, predicted, true
    if margins[0].size <= FEW_CLASSES or not _has_no_order(measure, margins):
        hits, predicted, true = partials(measure.raw, margins)
        return hits, predicted, true
    _, one, kind = np.unique(np.stack(margins), axis=1, return_index=True, return_inverse=True)
    hits, predicted, true = (slope[kind.ravel()] for slope in partials(measure.raw, margins, one))
    return hits, predicted, true


def _has_no_order(measure: Measure, margins: list[Array]) -> bool:
    """Whether the classes in another order, drawn at random, have the same value; a value that is NaN counts as one."""
    order = np.random.default_rng(0).permutation(margins[0].size)
    # where cases without an answer stand, see `among_answers`
    if order.size > 1 and order[-1] == order.size - 1:
        order = np.roll(order, 1)
    one, other = (float(measure.raw(*ordered)) for ordered in (margins, [part[order] for part in margins]))
    return bool(np.isclose(one, other, rtol=1e-9, atol=0, equal_nan=True))


def cell_partials(measure: Measure, matrix: ConfusionMatrix, predicted: Array, true: Array) -> Array:
    """Derivative of a measure of a matrix by each of some cells, of their shape."""
    shape = matrix.counts.shape
    flat = np.asarray(predicted * shape[0] + true)

    def of_cells(cells: Array) -> Array:
        return np.asarray(measure.raw(ConfusionMatrix(cells.reshape(-1, *shape), matrix.labels)))

    return np.reshape(partials(of_cells, [matrix.counts.ravel()], flat.ravel())[0], flat.shape)


def delta_variance(cells: Array, slopes: Array) -> float:
    """Variance of a smooth function of multinomial cells, sum c·g² - (sum c·g)²/n with g its derivatives.

    Agresti 2013, Categorical Data Analysis, 3rd ed., section 16.1.
    """
    mean = (cells * slopes).sum() / cells.sum()
    return float((cells * (slopes - mean) ** 2).sum())


BIASED = ("weighted_precision", "weighted_negative_predictive_value")


def bias_of_weights(measure: Measure, table: BinaryCounts | ConfusionMatrix, design: Design) -> float:
    """Return how much too large a share of each class, weighted by its true cases, is on average; 0 of other measures.

    By the delta method's second order, half the sum over the cells of cases · second derivative. A class that has more
    cases by chance mostly has more hits, and with them more precision: the mean of weight · precision is too large by
    the sum over the classes of precision (1 - precision) / n, and that of negative predictive values too small by the
    same of theirs. Of fifty classes this is half a standard error. (Agresti 2013, section 16.1.) It is not known of
    clusters, whose cases vary together: 0.
    """
    if measure.name not in BIASED or not isinstance(table, ConfusionMatrix) or design.rows is not None:
        return 0.0
    tp, fp, fn, tn = (np.asarray(part, float) for part in table.class_counts())
    of_calls = measure.name == "weighted_precision"
    share = np.nan_to_num(ratio(tp, tp + fp) if of_calls else ratio(tn, tn + fn))
    return float((share * (1 - share)).sum()) / design.number * (1 if of_calls else -1)


def moved(value: float, low: float, high: float, bounds: tuple[float, float]) -> tuple[float, float]:
    """Limits that were moved, with the value between them and within the range."""
    return max(bounds[0], min(low, value)), min(bounds[1], max(high, value))


def of_counts(measure: Measure, counts: BinaryCounts) -> Array:
    """Influence of one more true positive, false positive, false negative, true negative, `(4,)`."""
    return counts_influence(measure, counts)[1]


def of_matrix(measure: Measure, matrix: ConfusionMatrix) -> Array:
    """Influence of one more case at each `[predicted, true]`, `(classes, classes)`."""
    at = np.arange(len(matrix.labels))
    return slopes_at(measure, matrix, at[:, None], at[None, :])
