"""Pictures of a page as lettered panels of one file, which a printer without colors can print.

The curves are those that the page draws, so a figure shows what the page shows. Lines differ by dashes, not by color
alone.
"""

from __future__ import annotations

import logging
import re
import textwrap
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from io import BytesIO
from math import ceil, isfinite
from pathlib import Path
from typing import Any

import numpy as np

from classay.assessment.assessment import Assessment
from classay.assessment.charts import AREAS, RocChart, banded, chart, named_by_area
from classay.assessment.remembered import pictured, remembered, scored_cases_of
from classay.curves.curve import PAGE, Curve, entry
from classay.errors import InputError, check_word, nearest, told_of_extras
from classay.files.writing import write_content
from classay.inference.bootstrap.score_samples import ScoredCases
from classay.report.document import Diagram, Document, Figures
from classay.report.door import with_pictures
from classay.report.pictures import plots
from classay.texts import hint, listed

FORMATS = ("pdf", "svg", "png", "eps", "tiff")
DPI = 300
MM = 25.4
"""Millimeters of an inch."""
NARROWEST, WIDEST = 40.0, 400.0
"""Millimeters of a figure that can be drawn."""
NEEDED = 55.0
"""Millimeters that a panel needs to stand beside another."""
HIGH = 0.92
"""Height of a panel for its width."""
POINTS = 72
"""Points of an inch."""
BOX = 0.6
"""About how high the box of a panel is, for the width of the panel with its labels."""
LINE = 1.3
"""Height of a line of text, for the size of its letters."""
LETTERS, SHORT = 28, 12
"""Letters of the name of a line of a picture before it is broken, and up to which two stand beside each other."""
UNITS = {"mm": 1.0, "cm": 10.0, "in": MM}
COLUMNS = {"one column": 89.0, "two columns": 183.0}
DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (7, 2, 1.5, 2)), (0, (4, 1, 1, 1, 1, 1)))
"""Dashes of curves, by which they differ without color."""
FALLBACKS = ("Liberation Sans", "DejaVu Sans")
"""Fonts that take the place of one that is not installed, the first that is."""
DEFAULT = "roc"
"""The curve of a figure without names of panels, where the result has it."""
WORDS = ("noband", "hull")
"""What may stand behind the name of a panel: to leave out bands, or to add the convex hull of a ROC curve."""
MOST_TOGETHER = 16
"""Groups or models of a panel."""
TICKS = (0.0, 0.25, 0.5, 0.75)
"""Thresholds below which a decision curve says how many cases are at or above them."""


@dataclass(frozen=True)
class FigureStyle:
    """How panels are lettered, and the points of their letters and of their text."""

    letters: str
    letter_size: float
    size: float


STYLES = {
    "bmj": FigureStyle("ABCDEFGHIJKLMNOP", 9, 7.5),
    "nature": FigureStyle("abcdefghijklmnop", 8, 6.5),
}


@dataclass(frozen=True)
class Panel:
    """The curves of one panel by what they are of, and numbers of cases at or above the thresholds below it.

    A diagram without curves draws itself on axes of a width in inches.
    """

    curves: tuple[tuple[Curve, ...], ...] = ()
    at_risk: tuple[tuple[str, tuple[int, ...]], ...] = ()
    diagram: Callable[[Any, float], Any] | None = None


def write_figure(
    result: Any,
    panels: str,
    path: str | Path,
    width: str = "one column",
    font: str = "Arial",
    style: str = "bmj",
    others: Mapping[str, Assessment] | None = None,
) -> None:
    """Write panels of a result as one figure. Raises InputError for what cannot be drawn."""
    millimeters = width_of(width)
    format_of(path)
    check_word("style", style, tuple(STYLES))
    drawn = panels_of(result, panels, others or {})
    write_content(path, {"": drawn_as(drawn, format_of(path), millimeters, font, STYLES[style])})


def names_of(panels: str) -> list[str]:
    """Return the names of panels that a plus sign joins, each with its words behind colons.

    >>> names_of("roc:noband + calibration")
    ['roc:noband', 'calibration']
    """
    names = [name.strip() for name in panels.split("+")] if isinstance(panels, str) else [""]
    if not all(name.partition(":")[0] for name in names):
        raise InputError("panels must be names of curves joined by +, as in 'roc+calibration'.")
    if len(names) > len(STYLES["bmj"].letters):
        raise InputError(f"A figure has at most 16 panels, but {len(names)} are named. Name fewer panels.")
    return names


def words_of(panel: str) -> tuple[str, set[str]]:
    """Return the name of a panel and its words. Raises InputError for other words.

    >>> words_of("roc"), words_of("roc:hull")
    (('roc', set()), ('roc', {'hull'}))
    """
    name, *words = (text.strip() for text in panel.split(":"))
    unknown = next((word for word in words if word not in WORDS), None)
    if unknown is not None:
        raise InputError(
            f"Panel {name!r} has no option {unknown!r}. Use {listed(WORDS, 'or')}, or set the width with "
            f"{hint('width=', ':90mm at the end')}."
        )
    return name, {*words}


def width_of(text: str) -> float:
    """Return a width in millimeters. Raises InputError for one that cannot be drawn.

    >>> width_of("90mm"), width_of("3.5 in"), width_of("one column")
    (90.0, 88.9, 89.0)
    """
    if text in COLUMNS:
        return COLUMNS[text]
    matched = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(mm|cm|in)\s*", text) if isinstance(text, str) else None
    millimeters = round(float(matched[1]) * UNITS[matched[2]], 6) if matched else float("nan")
    if not (isfinite(millimeters) and NARROWEST <= millimeters <= WIDEST):
        raise InputError(
            f"width must be {', '.join(map(repr, COLUMNS))} or a length from {NARROWEST:g} to {WIDEST:g} mm, such as "
            f"'90mm' or '3.5in', but is {text!r}."
        )
    return millimeters


def format_of(path: str | Path) -> str:
    """Return the format that the ending of a file names. Raises InputError for another ending."""
    ending = Path(path).suffix[1:].lower()
    if ending not in FORMATS:
        endings = listed([f".{name}" for name in FORMATS], "or")
        raise InputError(f"A figure must end in {endings}, but the file is {str(path)!r}.")
    return ending


def panels_of(result: Any, panels: str, others: Mapping[str, Assessment]) -> list[Panel]:
    """Return the panels of a result: groups and several models share them, others have the curves of the page."""
    names = names_of(panels)
    if not isinstance(others, Mapping) or not all(isinstance(one, Assessment) for one in others.values()):
        raise InputError("others must be assessments by name, as in others={'old': ca.assess(y, old)}.")
    several = _several(result)
    if others:
        several = (several or {getattr(result, "model", "") or "this model": result}) | dict(others)
    shared = panels_of_several(several, names)
    if others and not shared:
        raise InputError(
            "This result keeps no scores of two classes. A shared figure needs them. Remove others=."
        )
    return shared or panels_of_one(result, names, lambda: with_pictures(result))


def _several(result: Any) -> dict[str, Any]:
    """Return the groups or the models of a result that share panels; nothing without such."""
    groups = getattr(result, "groups", None)
    if isinstance(groups, Mapping):
        return {str(label): one for label, one in groups.items()}
    return dict(getattr(result, "scored", ()))


def panels_of_several(several: Mapping[str, Assessment | ScoredCases], names: Sequence[str]) -> list[Panel]:
    """Return the panels that assessments, or scores of models, share; nothing without such."""
    if not several or not all(isinstance(one, Assessment | ScoredCases) for one in several.values()):
        return []
    cases = {label: _cases(label, one) for label, one in several.items()}
    if len(cases) > MOST_TOGETHER:
        raise InputError(
            f"A panel shows at most {MOST_TOGETHER} groups or models, but has {len(cases)}. Name fewer."
        )
    return [_together(cases, name, several) for name in names]


def _cases(label: str, one: Assessment | ScoredCases) -> ScoredCases:
    cases = one if isinstance(one, ScoredCases) else scored_cases_of(one)
    if cases is None:
        raise InputError(
            f"{label!r} has no scores of two classes. "
            "A shared figure needs scores of two classes in every assessment."
        )
    return cases


def panels_at_command(
    results: Sequence[Any], names: Sequence[str], page: Callable[[], Document]
) -> list[Panel]:
    """Return the panels of what a command shows: of groups or models that can share them, else of all cases.

    Without names, it is one panel: the ROC curve, or the first picture of the page.
    """
    result, parts = (*results, None, None)[:2]
    several = _several(result if parts is None else parts)
    if 2 <= len(several) <= MOST_TOGETHER and all(map(_is_drawn, several.values())):
        return panels_of_several(several, names or [DEFAULT])
    return panels_of_one(result, names, page)


def _is_drawn(one: Any) -> bool:
    return isinstance(one, ScoredCases) or (isinstance(one, Assessment) and scored_cases_of(one) is not None)


def panels_of_one(result: Any, names: Sequence[str], page: Callable[[], Document]) -> list[Panel]:
    """Return the named pictures of an assessment, its decision curve with a band; of another result, of its page.

    Without names, the first picture, or the ROC curve.
    """
    if not isinstance(result, Assessment):
        return panels_of_page(page(), names)
    main, rest = pictured(remembered(result))
    scored = scored_cases_of(result)
    cases = [] if scored is None else [scored]
    matched = _named([curve for curves in (*main, *rest) for curve in curves], names, cases)
    cut = [_with_band(panel, scored) for panel in matched]
    return [_by_words(panel, name, cases) for panel, name in zip(cut, names or [DEFAULT], strict=True)]


def _by_words(panel: Panel, name: str, cases: Sequence[ScoredCases]) -> Panel:
    """Return a panel without bands, or with the convex hull of each curve, as its words ask."""
    name, words = words_of(name)
    curves = panel.curves
    if "noband" in words:
        curves = tuple(
            tuple(replace(one, low=None, high=None, band="") for one in some if one.kind != "band")
            for some in curves
        )
    if "hull" in words:
        if name != "roc" or len(cases) != len(curves):
            raise InputError("Only ROC curves of scores have a hull. Remove ':hull'.")
        hulls = [replace(RocChart("roc", one).hull, kind="reference") for one in cases]
        curves = tuple((*some, hull) for some, hull in zip(curves, hulls, strict=True))
    return replace(panel, curves=curves)


def panels_of_page(page: Document, names: Sequence[str]) -> list[Panel]:
    """Return the named pictures of a page. Raises InputError where it has none of a name."""
    parts = [part for section in page.sections for part in section.parts]
    curves = [
        curve
        for part in parts
        if isinstance(part, Figures)
        for figure in (*part.shown, *part.folded)
        for curve in figure.curves
    ]
    diagrams = {
        part.name: Panel(diagram=part.draw)
        for part in parts
        if isinstance(part, Diagram) and part.draw is not None
    }
    panels = _named(curves, names, diagrams=diagrams)
    return [_by_words(panel, name, ()) for panel, name in zip(panels, names or [""], strict=True)]


def _named(
    curves: Sequence[Curve],
    names: Sequence[str],
    cases: Sequence[ScoredCases] = (),
    diagrams: Mapping[str, Panel] | None = None,
) -> list[Panel]:
    """Return the curves of each name, or the diagram, as a panel."""
    others = diagrams or {}
    known = [*dict.fromkeys(curve.name for curve in curves), *others]
    if not known:
        raise InputError(
            "This result has no pictures. A figure needs scores of two classes, or a page with pictures."
        )
    names = [words_of(name)[0] for name in names] or [DEFAULT if DEFAULT in known else known[0]]
    for name in names:
        _refuse_lacking(name, known, cases)
    return [
        others.get(name) or Panel((tuple(curve for curve in curves if curve.name == name),)) for name in names
    ]


def _refuse_lacking(name: str, known: Sequence[str], cases: Sequence[ScoredCases]) -> None:
    """Raise InputError for a panel that a result has not: for a known curve, with the reason of its cases."""
    if name in known:
        return
    if name not in PAGE:
        raise InputError(f"Panel {name!r} is unknown. Panels: {listed(known)}{nearest(name, known) or '.'}")
    why = next(filter(None, (entry(name).why_not(one.table) for one in cases)), "")
    reason = f" ({why})" if why else ""
    raise InputError(f"This result has no {name} panel{reason}. Panels: {listed(known)}.")


def _together(
    several: Mapping[str, ScoredCases], name: str, assessments: Mapping[str, Assessment | ScoredCases]
) -> Panel:
    """Return one kind of curve of several assessments, each under its name, with what they are compared with once."""
    panel, (name, _) = name, words_of(name)
    curves, at_risk = [], []
    tables = [cases.table for cases in several.values()]
    known = [one for one in PAGE if all(entry(one).why_not(table) is None for table in tables)]
    _refuse_lacking(name, known, [*several.values()])
    for label, cases in several.items():
        first, *rest = (curve for curve in chart(name, cases).of(label).shown if curve.kind != "band")
        if name in AREAS and isinstance(one := assessments[label], Assessment):
            first = replace(first, label=named_by_area(name, one.estimate(AREAS[name]), label))
        curves.append(tuple(replace(curve, below=()) for curve in (first, *rest)))
        at_risk.append((label, _at_or_above(cases)))
    shared = Panel(tuple(curves), tuple(at_risk) if name == "net_benefit" else ())
    return _by_words(shared, panel, [*several.values()])


def _with_band(panel: Panel, cases: ScoredCases | None) -> Panel:
    """Return a decision curve with its band and the numbers of cases at or above thresholds; others as they are."""
    (curves,) = panel.curves
    if curves[0].name != "net_benefit" or cases is None:
        return panel
    curve = replace(banded(chart("net_benefit", cases)), beside=())
    rest = (one for one in curves if one.kind in ("reference", "mark"))
    return Panel(((curve, *rest),), (("", _at_or_above(cases)),))


def _at_or_above(cases: ScoredCases) -> tuple[int, ...]:
    reached = cases.table.reached(np.array(TICKS))
    counts = np.concatenate([[0], np.cumsum(cases.table.positives + cases.table.negatives)])
    return tuple(round(float(one)) for one in counts[reached])


def need_libraries() -> None:
    """Raise MissingExtraError without matplotlib."""
    with told_of_extras("drawing a figure"):
        import_module("matplotlib")


def drawn_as(
    panels: Sequence[Panel], format: str, millimeters: float, font: str, style: FigureStyle
) -> bytes:
    """Return panels as the bytes of a file of a format."""
    need_libraries()
    import matplotlib as mpl
    from matplotlib.figure import Figure

    settings: Any = {
        "font.family": [_font(font), *FALLBACKS],
        "font.size": style.size,
        "pdf.fonttype": 42,
        "ps.fonttype": 42,
        "svg.hashsalt": "classay",
        "hatch.linewidth": 0.5,
    }
    columns = max(1, min(len(panels), int(millimeters // NEEDED)))
    rows = ceil(len(panels) / columns)
    side = millimeters / MM / columns
    with mpl.rc_context(settings):
        figure = Figure(layout="constrained")
        high = 0.0
        for place, panel in enumerate(panels):
            ax = figure.add_subplot(rows, columns, place + 1)
            letter = style.letters[place] if len(panels) > 1 else ""
            high = max(high, _draw(ax, panel, style, letter, side))
        figure.set_size_inches(millimeters / MM, rows * high)
        file = BytesIO()
        with _quiet("matplotlib.backends.backend_ps"):  # EPS has no transparency, and the log says so
            figure.savefig(
                file, format=format, dpi=DPI, metadata={"Creator": "classay"} if format == "pdf" else None
            )
    return file.getvalue()


@contextmanager
def _quiet(name: str) -> Iterator[None]:
    """Keep a logger from reports below an error."""
    log = logging.getLogger(name)
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


def _font(name: str) -> str:
    """Return a font that is installed; a warning says which takes the place of one that is not."""
    from matplotlib import font_manager

    known = {one.name for one in font_manager.fontManager.ttflist}
    if name in known:
        return name
    used = next((one for one in FALLBACKS if one in known), FALLBACKS[-1])
    warnings.warn(f"The font {name!r} is not installed. The figure uses {used}.", stacklevel=2)
    return used


def _draw(ax: Any, panel: Panel, style: FigureStyle, letter: str, side: float) -> float:
    """Draw a panel that is so many inches wide, and return how many it is high."""
    if panel.diagram is not None:
        high = _draw_diagram(ax, panel.diagram, side)
        _letter(ax, style, letter)
        return high
    lines = _draw_curves(ax, panel, style, side * POINTS * BOX)
    _letter(ax, style, letter)
    return side * HIGH + lines * style.size * LINE / POINTS


def _draw_diagram(ax: Any, draw: Callable[[Any, float], Any], side: float) -> float:
    draw(ax, side)
    if ax.axison:
        return side * HIGH
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    return float(side * abs((high - low) / (right - left)))


def _letter(ax: Any, style: FigureStyle, letter: str) -> None:
    for text in ax.findobj(lambda one: hasattr(one, "set_fontsize") and hasattr(one, "get_text")):
        text.set_fontsize(style.size)
    ax.set_title(letter, loc="left", fontsize=style.letter_size, fontweight="bold", color=plots.INK)


def _draw_curves(ax: Any, panel: Panel, style: FigureStyle, points: float) -> int:
    """Draw curves in a box about so many points high, and return how many lines of text stand below it."""
    first = panel.curves[0][0]
    for curves in panel.curves:
        plots.plot(curves, ax)
    lines = [line for line in ax.get_lines() if line.get_gid() == plots.CURVE]
    long = [line for line in lines if len(line.get_xdata()) > 1 and line.get_linestyle() != "None"]
    for line in ax.get_lines():
        if line in long:
            line.set(linewidth=1.4, markersize=4, linestyle=DASHES[long.index(line) % len(DASHES)])
        else:
            line.set(linewidth=0.7, markersize=4)
            if line in lines:
                line.set_linestyle("None")
    used, bottom = 2 * bool(panel.at_risk) + len(panel.at_risk) - 1, 0.0
    if panel.at_risk:
        _write_numbers(ax, panel, style)
    if first.below and len(panel.curves) == 1:
        bottom = -0.22 - (9 + 2 * LINE * style.size) / points
        plots.strip(ax, first.below, bottom)
        ax.child_axes[-1].yaxis.label.set(rotation=0, ha="right", va="center")
    ax.set_title(first.title, loc="center", fontsize=style.size, parse_math=False)
    place = (0.5, bottom) if bottom else (0.5, 0.0)
    way = _below(ax, style, -1.5 if bottom else 1 + max(used, 0))
    return max(used, 0) + 2 * bool(bottom) + _name_lines(ax, style, place, way)


def _name_lines(ax: Any, style: FigureStyle, place: tuple[float, float], way: Any) -> int:
    """Name the lines below the box, and return how many lines of text that takes.

    What several curves are compared with has one name, and a band the first words of its method.
    """
    from matplotlib.collections import PolyCollection

    names: dict[str, Any] = {}
    for line, name in plots.named_in(ax):
        short = name.partition(",")[0] + " band" if isinstance(line, PolyCollection) else name
        names.setdefault(getattr(line, "classay_name", short), line)
    if old := ax.get_legend():
        old.remove()
    if len(names) < 2:
        return 0
    texts = [plots.broken(name, LETTERS) for name in names]
    columns = 2 if max(map(len, names)) <= SHORT else 1
    drawn = ax.legend(
        [*names.values()],
        [""] * len(names),
        loc="upper center",
        bbox_to_anchor=place,
        bbox_transform=ax.transAxes + way,
        ncols=columns,
        fontsize=style.size,
        labelcolor=plots.INK,
        labelspacing=0.25,
        handlelength=2.4,
        columnspacing=1.2,
        borderaxespad=0,
        frameon=False,
    )
    for text, name in zip(drawn.get_texts(), texts, strict=True):
        text.set(text=name, parse_math=False)
    return ceil(sum(name.count("\n") + 1 for name in texts) / columns)


def _write_numbers(ax: Any, panel: Panel, style: FigureStyle) -> None:
    """Write below thresholds how many cases are at or above them, a line for each curve, as below a survival curve."""
    ax.set_xticks([*TICKS, 1.0])
    look = {"fontsize": style.size, "color": plots.QUIET, "va": "top", "parse_math": False}
    ax.text(0, 0, "Cases at or above", transform=ax.transAxes + _below(ax, style, 1), **look)
    for k, (label, numbers) in enumerate(panel.at_risk, 2):
        away = _below(ax, style, k)
        for at, number in zip(TICKS, numbers, strict=True):
            ax.text(at, 0, f"{number:,}", ha="center", transform=ax.get_xaxis_transform() + away, **look)
        name = textwrap.shorten(label, LETTERS, placeholder="…")
        ax.text(-0.09, 0, name, ha="right", transform=ax.transAxes + away, **look)


def _below(ax: Any, style: FigureStyle, lines: float) -> Any:
    """Return the way from the lower edge of a box to what stands so many lines below the numbers of its axis."""
    from matplotlib.transforms import ScaledTranslation

    return ScaledTranslation(0, -(9 + style.size * LINE * (1 + lines)) / POINTS, ax.figure.dpi_scale_trans)
