"""Curve: the data behind a picture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.shown import plot

Array = NDArray[np.float64]
Kind = Literal["line", "steps", "steps_back", "bars", "points", "reference", "band", "mark"]
Scale = Literal["linear", "normal"]


@dataclass(frozen=True, eq=False)
class Curve:
    """Points of a curve in drawing order, with the names of the axes.

    `x` and `y` have shape `(points,)`; `threshold` the score at each point (NaN where there is none, `+inf`
    where nothing is predicted positive), or None. `kind` says how to draw: "line", "steps" (a height holds
    to the next point), "steps_back" (a height holds back to the point before, the first to the left end of
    the axis), "bars" (x are then the left edges, and `width` the width of a bar), "points" (nothing joins
    them), "reference" (a dashed line to compare with), "band" (only `low` and `high`, around the first
    curve of the picture) or "mark" (a point to find again, such as that of a threshold). Curves of one
    `name` belong in one picture, told apart by `series`. `low` and `high` bound a band around y; `band`
    names its method and level, or says why there is none. The scale "normal" spaces an axis by the normal
    quantiles of its shares. `error` is the greatest vertical error of a curve simplified for display.

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

    def of(self, series: str) -> Curve:
        """The same curve under the name of its model, to tell several apart in one picture."""
        return replace(self, series=series)

    def take(self, points: NDArray[Any]) -> Curve:
        """The curve through some of its points only, in their order."""
        columns = {name: values[points] for name, values in self._columns().items()}
        return replace(self, **columns)

    def frame(self) -> Any:
        """The points as a PyArrow table with columns x, y and, if there are any, threshold, low and high."""
        import pyarrow as pa

        return pa.table(self._columns())

    def plot(self, ax: Any = None, *, label: str | None = None, width: str = "screen") -> Any:
        """Draw with matplotlib (the extra `plot`), on new axes or on those given; returns the axes.

        The legend has the `label`, else the curve's own name. New axes are as wide as a screen likes, or "one column"
        (89 mm) or "two columns" (183 mm) of a paper.
        """
        return plot(self if label is None else self.of(label), ax, width=width)

    def _columns(self) -> dict[str, Array]:
        columns = {name: getattr(self, name) for name in ("x", "y", "threshold", "low", "high")}
        return {name: values for name, values in columns.items() if values is not None}
