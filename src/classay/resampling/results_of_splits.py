"""Which case is in which fold, as `plot` draws it with matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np

from classay.errors import MissingExtraError
from classay.report.drawings import Drawing
from classay.report.pictures.picture import COLOURS, SERIES
from classay.report.words import shorten
from classay.resampling.protocol import SplitPlan

INK, QUIET, RULE, PAPER, ACCENT = (
    COLOURS["light"][name] for name in ("ink", "quiet", "rule", "paper", "accent")
)
MOST_CASES = 300
"""Columns of a picture: of more cases every k-th is drawn."""
NAMED = 6
"""Classes whose colours a legend tells."""
TIMES = 4
"""Draws of a case that are told apart; more look alike."""
TESTED = SERIES["light"][1]


def plot_plan(plan: SplitPlan, by: str = "row", ax: Any = None) -> Any:
    """The plan on matplotlib axes, new or given: tested, trained on (darker where drawn several times), left out.

    Below stand the classes of the cases, and their clusters where there are any. Raises MissingExtraError without
    matplotlib.
    """
    try:
        from matplotlib import pyplot
        from matplotlib.colors import to_rgb
    except ImportError as error:
        raise MissingExtraError("drawing folds", "plot") from error
    cases = plan.truth.size
    order = np.argsort(plan.truth, kind="stable") if by == "class" else np.arange(cases)
    step = -(-cases // MOST_CASES)
    shown = order[::step]
    times = plan.times[:, shown]
    strips = [("class", plan.truth)] + ([] if plan.cluster is None else [("cluster", plan.cluster)])
    if ax is None:
        height = 1.5 + 0.24 * (len(times) + 1.4 * len(strips))
        _, ax = pyplot.subplots(figsize=(8.0, max(height, 2.6)), layout="constrained")
    most = int(min(max(times.max(initial=0), 1), TIMES))
    blues = [1 + (np.array(to_rgb(ACCENT)) - 1) * share for share in _shades(most)]
    palette = np.stack([np.array(to_rgb(TESTED)), *blues])
    rows = [palette[np.clip(row, -1, most) + 1] for row in times]
    colours = np.array([to_rgb(color) for color in SERIES["light"]])[::-1]  # the last look like no fold
    rows += [colours[codes[shown] % len(colours)] for _, codes in strips]
    tops = [*range(len(times)), *(len(times) + 0.4 + k for k in range(len(strips)))]
    for top, row in zip(tops, rows, strict=True):
        ax.imshow(
            row[None], extent=(0, len(shown), top + 0.92, top + 0.08), aspect="auto", interpolation="nearest"
        )
    names = [*plan.names, *(name for name, _ in strips)]
    size = 8 if len(names) > 12 else 9
    ax.set_yticks([top + 0.5 for top in tops], names, fontsize=size, parse_math=False)
    ax.set_xlim(0, len(shown))
    ax.set_ylim(tops[-1] + 1, 0)
    every = f"one in {step} of " if step > 1 else ""
    sorted_by = "by class" if by == "class" else "in the order of the rows"
    ax.set_xlabel(f"{every}{cases:,} cases, {sorted_by}", color=QUIET)
    ax.set_xticks([])
    more = (
        f", the first {len(plan.names)} of {plan.planned:,} splits" if plan.planned > len(plan.names) else ""
    )
    ax.set_title(f"{plan.protocol}{more}", loc="left", color=INK, fontsize=12, parse_math=False)
    ax.tick_params(length=0, colors=QUIET)
    ax.spines[:].set_visible(False)
    _legend_of_splits(ax, plan, times, blues, colours)
    return ax


def _legend_of_splits(ax: Any, plan: SplitPlan, times: Any, blues: list[Any], colours: Any) -> None:
    """What the colours mean, beside the picture."""
    from matplotlib.patches import Patch

    most = len(blues) - 1
    handles = [Patch(color=TESTED, label="tested")] * bool((times < 0).any())
    words = [f"drawn {k} times" if k > 1 else "drawn once" for k in range(1, most + 1)]
    if most == 1:
        words = ["trained on"]
    elif times.max() > TIMES:
        words[-1] = f"{TIMES} times or more"
    handles += [Patch(color=blues[k], label=word) for k, word in enumerate(words, 1)]
    if (times == 0).any():
        handles.append(Patch(facecolor=PAPER, edgecolor=RULE, label="not used"))
    if len(plan.labels) <= NAMED:
        handles += [
            Patch(color=colours[k % len(colours)], label=shorten(f"class {label}", 20))
            for k, label in enumerate(plan.labels)
        ]
    legend = ax.legend(
        handles=handles, loc="upper left", bbox_to_anchor=(1, 1), frameon=False, fontsize=8, labelcolor=INK
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


def _shades(most: int) -> list[float]:
    """Return how dark cases are that are trained on 0 to `most` times."""
    return [0.0, *np.linspace(0.35, 1.0, most).tolist()] if most > 1 else [0.0, 0.35]


def draw_plan(plan: SplitPlan, ax: Any, shown: Drawing) -> Any:
    """Draw which case is in which fold."""
    return plot_plan(plan, shown.by, ax)
