"""Curve: the data behind a picture; the registry of curves; thresholds in the fewest digits that decide alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from math import inf, isfinite
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import in_precision
from classay.errors import InputError, nearest
from classay.shown import plot
from classay.tables import ScoreTable

Array = NDArray[np.float64]
Kind = Literal["line", "steps", "steps_back", "bars", "points", "reference", "band", "mark", "cross"]
Scale = Literal["linear", "normal"]


@dataclass(frozen=True, eq=False)
class Curve:
    """Points of a curve in drawing order, with the names of the axes.

    Curves of one `name` belong to one picture and differ in `series`.

    Parameters
    ----------
    name, title : str
        Name and title of the curve.
    x, y : array
        Coordinates, `(points,)`.
    x_title, y_title : str
        Titles of the axes.
    kind : str, default "line"
        How to draw. "steps" hold a height to the next point, and "steps_back" to the point before, the
        first to the left end of the axis. "bars" have their left edges in x. "points" are not joined.
        "reference" is a dashed line. "band" is only `low` and `high`, around the first curve of the
        picture. "mark" is a single point, such as that of a threshold. "cross" is a point with its
        intervals in both directions, in the color of the curve of its `series`, which is then thin.
    threshold : array, optional
        Score at each point, NaN if there is none, and infinite if no case is predicted positive.
    width : float, default 0
        Width of a bar.
    error : float, default 0
        Greatest vertical error of a curve that is simplified for display.
    series : str, default ""
        Name of the curve in its picture.
    low, high : array, optional
        Bounds of a band around y.
    band : str, default ""
        Method and level of the band, or the reason for none.
    x_scale, y_scale : str, default "linear"
        Scale of an axis. "normal" spaces it by the normal quantiles of its shares.
    x_names : tuple of str, default ()
        Names of the places 1, 2, … of x, if x is only an order.
    beside : tuple of Curve, default ()
        Curves to compare with in a picture, such as acting on all.
    below : tuple of Curve, default ()
        Bars of the cases on the same axis, in a strip below the picture, such as those of the predicted
        risks.
    label : str, default ""
        Name in the legend of a printed picture instead of `series`, such as the area under the curve.

    Examples
    --------
    >>> ends = np.array([0.0, 1.0])
    >>> curve = Curve("roc", "ROC curve", ends, ends, "FPR", "TPR").of("forest")
    >>> curve.series, curve.frame().column_names
    ('forest', ['x', 'y'])
    """

    name: str
    title: str
    x: Array
    y: Array
    x_title: str
    y_title: str
    kind: Kind = "line"
    threshold: Array | None = None
    width: float = 0.0
    error: float = 0.0
    series: str = ""
    low: Array | None = None
    high: Array | None = None
    band: str = ""
    x_scale: Scale = "linear"
    y_scale: Scale = "linear"
    x_names: tuple[str, ...] = ()
    beside: tuple[Curve, ...] = ()
    """What it is compared with in a picture, such as acting on all."""
    below: tuple[Curve, ...] = ()
    """Bars of the cases on the same axis, in a strip below the picture, such as those of the predicted risks."""
    label: str = ""
    """Its name in the legend of a printed picture, where it is not that of the series."""

    def of(self, series: str) -> Curve:
        """Return the same curve with the name of its model, for a shared picture."""
        return replace(self, series=series, label="")

    def take(self, points: NDArray[Any]) -> Curve:
        """Return the curve through some of its points, in their order."""
        columns = {name: values[points] for name, values in self._columns().items()}
        return replace(self, **columns)

    def frame(self) -> Any:
        """Return the points as a PyArrow table.

        Columns: x, y and, if there are any, threshold, low and high.
        """
        import pyarrow as pa

        return pa.table(self._columns())

    def plot(self, ax: Any = None, *, label: str | None = None, width: str = "screen") -> Any:
        """Draw the curve on new axes, or add it to given axes.

        The picture needs matplotlib (the extra `plot`).

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on. The default is new axes.
        label : str, optional
            Entry of the legend. The default is the name of the curve.
        width : {"screen", "one column", "two columns"}, default "screen"
            Width of new axes. One column of a paper has 89 mm, two have 183 mm.

        Returns
        -------
        matplotlib axes
            The axes with the picture.
        """
        return plot(self if label is None else self.of(label), ax, width=width)

    def _columns(self) -> dict[str, Array]:
        columns = {name: getattr(self, name) for name in ("x", "y", "threshold", "low", "high")}
        return {name: values for name, values in columns.items() if values is not None}


Needs = Literal["both classes", "probabilities", "scores"]
Curves = Curve | tuple[Curve, ...]
F = TypeVar("F", bound=Callable[..., Curves])
UNIT = (0.0, 1.0)


@dataclass(frozen=True)
class CurveStyle:
    """Fixed ranges of the axes (None: as far as the curves reach), and the name of the diagonal, if any.

    `square` pictures have axes of one scale. `y_from_zero` starts y at zero; `floor` leaves out what lies
    further below zero than this share of the greatest height.
    """

    x: tuple[float, float] | None = None
    y: tuple[float, float] | None = None
    square: bool = False
    diagonal: str = ""
    y_from_zero: bool = False
    floor: float | None = None


@dataclass(frozen=True)
class Entry:
    """All that the registry knows of a curve.

    `made` gives the main curve first; `thins` says whether a thinned table shows it nearly as well; `no_band` why a
    bootstrap band around it would say nothing.
    """

    title: str
    made: Callable[[ScoreTable], Curves]
    references: Callable[[ScoreTable], tuple[Curve, ...]]
    needs: Needs
    thins: bool
    look: CurveStyle
    no_band: str

    def curves(self, table: ScoreTable) -> tuple[Curve, ...]:
        """Return the curves of the picture, the main one first."""
        curves = self.made(table)
        return (curves,) if isinstance(curves, Curve) else curves

    def why_not(self, table: ScoreTable) -> str | None:
        """Return why a table has no such curve, or None."""
        if self.needs == "both classes" and not (table.n_positive and table.n_negative):
            return f"all cases are {'positive' if table.n_positive else 'negative'}, but the curve needs both classes"
        if self.needs == "probabilities" and not table.are_probabilities:
            infinite = "infinite, such as those of missing predictions" * bool(np.isinf(table.scores).any())
            return f"some scores are {infinite or 'outside [0, 1]'}, but the curve needs probabilities"
        return None


CURVES: dict[str, Entry] = {}
"""All curves, by the name of their picture."""
PAGE = (
    "roc",
    "precision_recall",
    "calibration",
    "histogram",
    "cumulative_gain",
    "lift",
    "cost",
    "net_benefit",
    "precision_recall_gain",
    "det",
    "ks",
    "brier",
    "risk_coverage",
)
"""The curves that pages and files hold, in the order in which people look at them; the others are made on request."""


def curve(
    title: str,
    *,
    name: str = "",
    references: Callable[[ScoreTable], tuple[Curve, ...]] = lambda table: (),
    needs: Needs = "both classes",
    thins: bool = True,
    look: CurveStyle | None = None,
    no_band: str = "",
) -> Callable[[F], F]:
    """Register a function of a score table as a curve, under its own name or another, and return it unchanged."""

    def register(function: F) -> F:
        key = name or function.__name__
        if key in CURVES:
            raise InputError(f"A curve {key!r} already exists.")
        CURVES[key] = Entry(title, function, references, needs, thins, look or CurveStyle(), no_band)
        return function

    return register


def entry(name: str) -> Entry:
    """Return the entry of a curve; InputError hints at the nearest name."""
    if name not in CURVES:
        near = nearest(name, CURVES) or "."
        raise InputError(f"Unknown curve {name!r}. The curves are {', '.join(CURVES)}{near}")
    return CURVES[name]


FEWEST, MOST = 4, 17
"""Significant digits: the fewest that are written, and as many as tell any two numbers apart."""
GIVEN = 6
"""Significant digits of a threshold that somebody gave, who wants to find it again."""


def as_given(scores: NDArray[Any], threshold: float) -> str:
    """Return a given threshold with six digits, or with as many more as it takes to divide the scores as it does.

    >>> as_given(np.array([0.9, 0.2]), 0.12345), as_given(np.array([0.29966123, 0.2]), 0.29966123)
    ('0.12345', '0.299661')
    >>> as_given(np.array([0.29966123, 0.29966119]), 0.29966123)
    '0.2996612'
    """
    return written(scores, threshold, GIVEN)


def written(scores: NDArray[Any], threshold: float, fewest: int = FEWEST) -> str:
    """Return a threshold with the fewest digits, at least four, that divide the descending scores as it does.

    It is rounded to nearest where that changes nothing, and otherwise rounded down.

    >>> written(np.array([0.29964, 0.2995]), 0.29964), written(np.array([0.29966, 0.2995]), 0.29966)
    ('0.2996', '0.2996')
    >>> written(np.array([0.299661, 0.299655]), 0.299661), written(np.array([0.5, 0.2]), inf)
    ('0.29966', 'infinite')
    """
    if not isfinite(threshold):
        return "infinite" if threshold > 0 else "-infinite"
    cutoff = in_precision(threshold, scores.dtype)
    at = scores.size - int(np.searchsorted(scores[::-1], cutoff))
    most = scores[at - 1] if at else inf
    least = scores[at] if at < scores.size else -inf
    for text in _shortened(threshold, fewest):
        if least < in_precision(float(text), scores.dtype) <= most:
            return text
    return repr(float(threshold))


def outwards(text: str, low: float, high: float) -> tuple[str, str]:
    """The ends of a threshold's interval, with as many decimals as its text, rounded outwards so that they include it.

    >>> outwards("0.2733", 0.27338, 0.30011), outwards("0.7", float(np.float32(0.7)), 0.75)
    (('0.2733', '0.3002'), ('0.7', '0.8'))
    """
    exact = Decimal(text)
    step = Decimal(1).scaleb(int(exact.as_tuple().exponent))
    ends = (min(_rounded(low, step, ROUND_FLOOR), exact), max(_rounded(high, step, ROUND_CEILING), exact))
    if "e" in text:
        return f"{float(ends[0]):.4g}", f"{float(ends[1]):.4g}"
    return f"{ends[0]:f}", f"{ends[1]:f}"


def _rounded(value: float, step: Decimal, way: str) -> Decimal:
    """Return a number in whole steps; the nearest where only the precision of a float tells it from that."""
    exact = Decimal(repr(float(value)))
    wide = Context(prec=700)  # of the largest float in steps of the smallest
    nearest = exact.quantize(step, context=wide)
    if abs(nearest - exact) <= abs(exact) * Decimal("1e-7"):
        return nearest
    return exact.quantize(step, way, wide)


def _shortened(threshold: float, fewest: int) -> Iterator[str]:
    for digits in range(fewest, MOST + 1):
        yield f"{threshold:.{digits}g}"
        down = Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(float(threshold))
        yield f"{float(down):.{digits}g}"


def thresholds_of(table: ScoreTable, reached: NDArray[Any]) -> NDArray[np.float64]:
    """For each number in `reached`, the threshold that so many distinct scores of a table reach; infinite for 0.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4]), np.array([True, False]))
    >>> thresholds_of(table, np.array([0, 2]))
    array([inf, 0.4])
    """
    thresholds = np.full(reached.shape, np.inf)
    thresholds[reached > 0] = table.thresholds[reached[reached > 0] - 1]
    return thresholds


def even(*texts: str) -> tuple[str, ...]:
    """Texts of numbers that stand together, each with as many decimals as the one that needs most.

    They stay as they are if one would then have more significant digits than any of them has.

    >>> even("0.8069", "0.9"), even("2", "3"), even("infinite", "0.25"), even("0.0003395", "0.3721")
    (('0.8069', '0.9000'), ('2', '3'), ('infinite', '0.25'), ('0.0003395', '0.3721'))
    """
    if any("e" in text for text in texts if "inf" not in text):
        return texts
    decimals = max((len(text.partition(".")[2]) for text in texts), default=0)
    padded = tuple(text if not decimals or "inf" in text else _padded(text, decimals) for text in texts)
    return padded if max(map(_digits, padded), default=0) <= max(map(_digits, texts), default=0) else texts


def _digits(text: str) -> int:
    """Return the significant digits of a number, of its whole part at least."""
    return len(text.replace(".", "").replace("-", "").lstrip("0")) if "inf" not in text else 0


def _padded(text: str, decimals: int) -> str:
    integer, _, part = text.partition(".")
    return f"{integer}.{part.ljust(decimals, '0')}"
