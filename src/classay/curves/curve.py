"""Curve: the data behind a picture."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Curve:
    """Points of a curve in drawing order, with the names of the axes.

    `x` and `y` have shape `(points,)`; `threshold` the score at each point (NaN where there is none, `+inf`
    where nothing is predicted positive), or None. `kind` says how to draw: "line", "steps", "bars" (x are
    then the left edges, and `width` the width of a bar) or "reference" (a dashed line to compare with).
    Curves of one `name` belong in one picture, told apart by `series`. `error` is the greatest vertical error
    of a curve simplified for display. `low` and `high` bound a band, which `band` describes; without them it
    says why there is none.
    """

    name: str
    title: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    x_title: str
    y_title: str
    kind: str = "line"
    threshold: NDArray[np.float64] | None = None
    width: float = 0.0
    error: float = 0.0
    series: str = ""
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None
    band: str = ""

    def frame(self) -> Any:
        """The points as a PyArrow table with columns x, y and, where there are, threshold, low and high."""
        import pyarrow as pa

        columns = {name: getattr(self, name) for name in ("x", "y", "threshold", "low", "high")}
        return pa.table({name: column for name, column in columns.items() if column is not None})
