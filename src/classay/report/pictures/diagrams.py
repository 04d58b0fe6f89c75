"""Critical-difference diagrams, losses as stacked parts, confusion matrices: as SVG, with matplotlib, or in marks."""

from __future__ import annotations

from math import isnan, nan
from typing import Any

import numpy as np

from classay.errors import MissingExtraError
from classay.report.document import Matrix
from classay.report.pictures.picture import COLOURS
from classay.report.words import counts, shorten

INK, QUIET, RULE = "ink", "quiet", "rule"


WRITTEN = 20
"""Classes up to which the cells of a picture hold their numbers."""
NARROW = 6
"""Classes up to which a picture is narrower than what is said below it."""
OF = {
    "true": "share of the true class",
    "predicted": "share of the predicted class",
    "all": "share of all cases",
}


def plot_matrix(matrix: Matrix, share: str | None = None, ax: Any = None) -> Any:
    """A confusion matrix on matplotlib axes, new or given: what is right in one colour, what is wrong in another.

    The darkness is the square root of the share, so that a few per cent are seen. Raises MissingExtraError without
    matplotlib.
    """
    try:
        from matplotlib import pyplot
        from matplotlib.colors import to_rgb
    except ImportError as error:
        raise MissingExtraError("drawing a confusion matrix", "plot") from error
    cells = np.array(matrix.counts)
    rows, k = cells.shape
    if ax is None:
        side = min(max(3.4 + 0.42 * k, 4.2), 13.0)
        _, ax = pyplot.subplots(figsize=(side, side * 0.62 + 1.4), layout="constrained")
    axis: Any = {"predicted": 1, "all": None}.get(share or "", 0)
    total = cells.sum(axis, keepdims=True)
    shares = np.divide(
        cells, total, out=np.full(cells.shape, np.nan), where=np.broadcast_to(total > 0, cells.shape)
    )
    top = float(np.nanmax(shares, initial=0.0)) or 1.0
    right = np.eye(rows, k, dtype=bool)
    inks = np.where(right[..., None], to_rgb(COLOURS["light"]["accent"]), to_rgb(COLOURS["light"]["alarm"]))
    if matrix.rest:
        inks[k - 1, k - 1] = to_rgb(COLOURS["light"][QUIET])  # neither right nor wrong
    dark = np.sqrt(np.nan_to_num(shares) / (top if share == "all" else 1.0))[..., None]
    ax.imshow(1 - dark * (1 - inks), aspect="auto", interpolation="nearest")
    if k <= WRITTEN:
        _write_cells(ax, cells, shares if share else None, dark[..., 0])
    names = [shorten(name, 18) for name in matrix.predicted]
    size = 9 if k <= WRITTEN else 7
    is_long = max(map(len, names[:k])) * k > 60
    turned: dict[str, Any] = {"rotation": 90} if is_long else {}
    ax.set_xticks(range(k), names[:k], parse_math=False, fontsize=size, **turned)
    ax.set_yticks(range(rows), names, parse_math=False, fontsize=size)
    ax.set_xticks(np.arange(k + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(rows + 1) - 0.5, minor=True)
    ax.grid(which="minor", color=COLOURS["light"]["rule"], lw=0.8)
    ax.tick_params(which="both", length=0, colors=COLOURS["light"][QUIET])
    ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False)
    ax.xaxis.set_label_position("top")
    ax.set_xlabel("true", color=COLOURS["light"][INK])
    ax.set_ylabel("predicted", color=COLOURS["light"][INK])
    ax.spines[:].set_visible(False)
    shown = {"": "cases", "true": "per cent of a column", "predicted": "per cent of a row"}.get(
        share or "", "per cent"
    )
    comma = ",\n" if k <= NARROW else ", "
    note = f"{shown + comma if k <= WRITTEN else ''}darker: larger {OF[share or 'true']}"
    if matrix.rest:
        note += f"\nthe {k - 1} of {matrix.classes:,} classes in the most errors; the others together, grey"
    ax.text(
        0,
        -0.03,
        note,
        transform=ax.transAxes,
        va="top",
        color=COLOURS["light"][QUIET],
        fontsize=9,
        parse_math=False,
    )
    return ax


def _write_cells(ax: Any, cells: Any, shares: Any, dark: Any) -> None:
    """The numbers of the cells: cases, or shares in per cent, light where the cell is dark."""
    texts = counts(cells.tolist())
    size = 10 if len(cells) <= 6 else 8 if len(cells) <= 12 else 6.5
    for i, j in np.ndindex(cells.shape):
        share = nan if shares is None else round(float(shares[i, j]), 3)  # as the number itself is written
        text = texts[i][j] if shares is None else "–" if isnan(share) else f"{100 * share:.1f}"
        if cells[i, j] == 0 and len(cells) > 6:
            continue
        colour = COLOURS["light"]["paper"] if dark[i, j] > 0.7 else COLOURS["light"][INK]
        ax.text(j, i, text, ha="center", va="center", color=colour, fontsize=size)
