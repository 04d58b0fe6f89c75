"""Trees of confused classes, and classifiers in ROC space, drawn with matplotlib (the extra `plot`)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from classay.assessment.confusion_tree import ConfusionTree
from classay.assessment.roc_space import ALWAYS, NEVER, RocSpace
from classay.decision.costs import Costs
from classay.errors import MissingExtraError
from classay.report.drawings import Drawing
from classay.report.pictures import plots
from classay.report.pictures.picture import COLOURS
from classay.report.words import shorten
from classay.texts import clean


def draw_tree(tree: ConfusionTree, ax: Any, _: Drawing) -> Any:
    """Draw how classes join, the most confused furthest from the stem. Raises MissingExtraError without matplotlib."""
    colour = COLOURS["light"]
    leaves = tree.joins[-1].labels
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise MissingExtraError("drawing a tree", "plot") from error
        ax = pyplot.subplots(figsize=(6.4, 1.2 + 0.3 * len(leaves)), layout="constrained")[1]
    at = {
        frozenset([label]): (float(k), max(join.rate for join in tree.joins))
        for k, label in enumerate(leaves)
    }
    for join in tree.joins:
        ends = [at.pop(group) for group in [*at] if group <= {*join.labels}]
        (low, of_low), (high, of_high) = sorted(ends)
        ax.plot([of_low, join.rate, join.rate, of_high], [low, low, high, high], color=colour["ink"], lw=1.25)
        at[frozenset(join.labels)] = (low + high) / 2, join.rate
    ax.set_yticks(range(len(leaves)), [shorten(clean(str(each))) for each in leaves], parse_math=False)
    ax.set_ylim(len(leaves) - 0.5, -0.5)
    ax.set_xlabel("share of the cases of both classes that are confused", color=colour["quiet"])
    ax.grid(axis="x", color=colour["rule"], lw=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(colors=colour["quiet"], length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(colour["rule"])
    return ax


def draw_space(space: RocSpace, ax: Any, shown: Drawing) -> Any:
    """Draw points with both intervals, polygons through them, the hull, lines of equal cost."""
    ax = plots.plot(replace(space, costs=None).curves, ax)
    if shown.costs is not None:
        _equal_costs(ax, space, shown.costs)
        plots.legend(ax)
    return ax


def _equal_costs(ax: Any, space: RocSpace, costs: Costs) -> None:
    """A line of equal cost through each point: bold through the cheapest, faint through the others."""
    slope, best = space.slope(costs), space.cheapest(costs)
    places = {point.name: (point.false_positive_rate.value, point.recall.value) for point in space.points}
    places |= {NEVER: (0.0, 0.0), ALWAYS: (1.0, 1.0)}
    first = next(iter(best))
    for name, (x, y) in places.items():
        is_best = name == first
        if not is_best and name in (NEVER, ALWAYS, *best):
            continue
        ends = ([x, x], [0, 1]) if not np.isfinite(slope) else ([0, 1], [y - slope * x, y + slope * (1 - x)])
        label = f"equal cost, lowest: {', '.join(best)}" if is_best else f"_equal cost of {name}"
        (line,) = ax.plot(
            *ends,
            color=plots.INK if is_best else plots.QUIET,
            lw=1.5 if is_best else 0.6,
            label=label,
            zorder=2,
        )
        line.set_gid(plots.REFERENCE)
    ax.set_xlim(-0.01, 1.01)
    ax.set_ylim(-0.01, 1.01)
