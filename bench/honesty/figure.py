"""The figure of a family: what ours and others cover, setting by setting."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor
from typing import Any

import matplotlib
import numpy as np
from manual.gallery import STYLE, svg

from bench.honesty.cells import LEVEL, OURS, SHORT, Cell

LEAST = 70
"""Coverage, in percent, at which the axis begins at the latest: what covers less is drawn there."""
RIVALS = 3
"""Ways of others that are drawn, those with most cells."""
LOOKS = (("#1f4e9c", "o"), ("#c8741a", "s"), ("#7a7a7a", "^"), ("#6a4c93", "v"))
ROW = 0.34
"""Height of a setting, in inches."""


def drawn(cells: Sequence[Cell], names: dict[str, str]) -> str:
    """Of each setting and way the least, the median and the greatest coverage over the measures, as SVG.

    `names` are those of the settings. Only measures that others have too are compared with theirs, by their own lines.
    """
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    promised = [each for each in cells if each.is_promised]
    settings = list(dict.fromkeys(each.setting for each in promised))
    ways = _ways(promised)
    left = max(LEAST, 5 * floor(20 * min(each.coverage for each in promised if each.way in ways)))
    with matplotlib.rc_context(STYLE | {"font.size": 9}):
        figure, ax = plt.subplots(figsize=(7.5, 1.1 + ROW * len(settings)))
        for at, (way, (colour, mark)) in enumerate(zip(ways, LOOKS, strict=False)):
            rows, spans = [], []
            for row, setting in enumerate(settings):
                own = [100 * each.coverage for each in promised if (each.setting, each.way) == (setting, way)]
                if own:
                    rows.append(row + (at - (len(ways) - 1) / 2) * 0.8 / len(ways))
                    spans.append(np.clip([min(own), float(np.median(own)), max(own)], left, 100))
            low, middle, high = np.round(np.array(spans).T, 1)
            ax.hlines(rows, low, high, color=colour, linewidth=2 if at == 0 else 1)
            ax.plot(middle, rows, mark, color=colour, markersize=4, label=_label(way, promised))
        _axes(ax, [names[each] for each in settings], left)
        made = svg(figure)
        plt.close(figure)
    return made


def _ways(cells: Sequence[Cell]) -> list[str]:
    """Ours, and those of others that have most cells."""
    others = list(dict.fromkeys(each.way for each in cells if each.way != OURS))
    often = {way: sum(each.way == way for each in cells) for way in others}
    return [OURS, *sorted(others, key=lambda way: -often[way])[:RIVALS]]


def _label(way: str, cells: Sequence[Cell]) -> str:
    number = len({each.measure for each in cells if each.way == way})
    return f"{way}: {number} measure{'s' if number > 1 else ''}"


def _axes(ax: Any, names: list[str], left: int) -> None:
    ax.set_yticks(range(len(names)), names, fontsize=7)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_xlim(left - 0.5, 100.5)
    ax.axvline(100 * LEVEL, color="black", linewidth=0.8)
    ax.axvspan(left - 0.5, 100 * (LEVEL - SHORT), color="#d33", alpha=0.08, linewidth=0)
    ax.set_xlabel(
        f"coverage in %, least, median and greatest over the measures; {left} or less at the left end"
    )
    ax.legend(loc="lower left", bbox_to_anchor=(-0.3, 1.0), ncols=2, fontsize=7, frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
