"""Derivatives of a function of vectors by all their elements, in one backward pass.

A function of a thousand numbers, moved one by one, is computed a thousand times. Here each step of the one computation
is written down, and the chain rule is followed back from the value: a few times the cost of the function itself.
(Griewank & Walther 2008, Evaluating Derivatives, 2nd ed., chapter 3.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Back = Callable[[Array], Array]
"""From the derivative by what a step gave to that by what it took."""


STEP = 1e-30
"""Of the largest value, see `delta.partials`."""


class Untraced(TypeError):
    """The function takes a step that is not known here."""


def gradient(function: Callable[..., Any], values: Sequence[Array]) -> list[Array] | None:
    """The derivatives of a scalar function of several vectors; None where it takes a step that cannot be traced.

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
        slope = slopes.get(id(step))
        for before, back in step.before if slope is not None else ():
            added = _unspread(back(slope), before.value.shape)
            slopes[id(before)] = slopes[id(before)] + added if id(before) in slopes else added
    found = [slopes.get(id(start), np.zeros_like(start.value)) for start in starts]
    return found if _holds(function, [start.value for start in starts], found) else None


def _holds(function: Callable[..., Any], values: list[Array], slopes: list[Array]) -> bool:
    """Whether the derivatives agree with one complex step in a random direction: a value that became plain on the way
    would be missed by the trace."""
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
        return Traced(value, self.tape, [(each, back) for each, back in before if isinstance(each, Traced)])

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
            found = np.zeros(self.value.shape)
            np.add.at(found, key, slope)
            return found

        return self._next(self.value[key], (self, back))

    def sum(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Traced:  # noqa: FBT001, FBT002
        """The sum over axes."""
        shape = self.value.shape
        kept = self.value.sum(axis, keepdims=True).shape
        value = self.value.sum(axis, keepdims=keepdims)
        return self._next(value, (self, lambda slope: np.broadcast_to(slope.reshape(kept), shape)))

    def mean(self, axis: int | None = None) -> Traced:
        """The mean over an axis."""
        found = self.sum(axis)
        return found * (found.size / self.size)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [each.value if isinstance(each, Traced) else each for each in inputs]
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
            value = np.where(
                condition, *(each.value if isinstance(each, Traced) else each for each in (here, there))
            )
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
    """The slope times a factor, which may be infinite or NaN where nothing moves."""
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
