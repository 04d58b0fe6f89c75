"""A result as a card for a notebook: verdict, tiles, one picture, the rest in tabs; it styles nothing but itself.

It needs no script, no id and no style sheet of the page: every selector stands below one class, colours are those of
the text around, and the radio buttons of the tabs belong to a form of their own, so that the same card may stand on a
page twice. Where a notebook strips style and forms, all tabs are shown one below the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.report.document import (
    Bar,
    Cell,
    Diagram,
    Difference,
    Document,
    Figures,
    Found,
    Label,
    Listing,
    Matrix,
    Method,
    Part,
    Prose,
    Section,
    Table,
    Value,
    Words,
)
from classay.report.pieces import cell_text, interval_of, value_of
from classay.report.words import counts
from classay.texts import clean, cut

if TYPE_CHECKING:
    from markupsafe import Markup

    from classay.curves.curve import Curve

TILES, ROWS, CLASSES, POINTS = 4, 30, 12, 200
"""What a card holds at most: tiles, rows of a table, classes of a matrix, points of a curve."""
LONGEST = 80
"""Characters of a name or cell on a card; the page has all of it."""
FIRST = (
    ("roc_auc", "recall", "specificity", "precision"),
    ("accuracy", "macro_f1", "macro_roc_auc", "log_loss"),
)
"""The measures of the tiles of an assessment, of two classes and of several, as far as it has them."""


@dataclass(frozen=True)
class Tile:
    """One number that is read first: its name, its value and what stands below it."""

    name: str
    value: str
    below: str = ""


def card_of(what: Any) -> str:
    """The card of a result, of one estimate or of one comparison, as a piece of HTML of at most 300 kB."""
    kind = type(what).__name__
    if kind == "Estimate":
        tile = Tile("", value_of(Found(what)), _below(Found(what)))
        return _form("", [what.reason] if what.reason else [], [tile], "", [])
    if kind == "Comparison":
        return _form(f"{' less '.join(what.models)}", [what.sentence], [*_of_comparison(what)], "", [])
    document: Document = what.document()
    wanted = next((each for each in FIRST if (each[0] == "roc_auc") == _has_positive(what)), ())
    tiles = (
        [*_of_comparisons(what)] if hasattr(what, "each") else [*_tiles(document, wanted, _baseline(what))]
    )
    title = f"{document.status}: {document.title}" if document.status else document.title
    return _form(title, document.verdict, tiles[:TILES], _picture(what), _tabs(document))


def _has_positive(what: Any) -> bool:
    return getattr(what, "positive", None) is not None


def _baseline(what: Any) -> str:
    """The name of the model of an evaluation with which the others are compared, and which is no result."""
    if type(what).__name__ != "Evaluation":
        return ""
    from classay.resampling.baseline import BASELINE

    return BASELINE


# --- tiles


def _tiles(document: Document, wanted: Sequence[str], baseline: str) -> Iterator[Tile]:
    """The wanted measures; of results that have none of them, the first estimates there are but the baseline's."""
    found: dict[str, Tile] = {}
    first: list[Tile] = []
    for section in document.sections:
        for table in section.parts:
            if not isinstance(table, Table):
                continue
            for row in table.rows:
                label, cell = row[0], next((each for each in row if isinstance(each, Found)), None)
                if not isinstance(label, Label) or cell is None or label.text == baseline:
                    continue
                of_measure = f"{section.title}: " if table.title == "" and not label.name else ""
                tile = Tile(
                    f"{of_measure}{label.text}" if label.text else section.title, value_of(cell), _below(cell)
                )
                if not cell.estimate.is_undefined:
                    first.append(tile)
                if label.name in wanted:
                    found.setdefault(label.name, tile)
    yield from [found[name] for name in wanted if name in found] or first


def _of_comparisons(what: Any) -> Iterator[Tile]:
    from classay.inference.words import heading, p_equation

    for one in what.each[:TILES]:
        if one.effect is not None:
            who = f" ({' less '.join(one.models)})" if len(what.models) > 2 else ""
            p = one.p if one.p_adjusted is None else one.p_adjusted
            cell = Difference(one.effect)
            tail = "" if isnan(p) else f"; {p_equation(p)}"
            yield Tile(f"{heading(one.measure)}{who}", value_of(cell), f"{_below(cell)}{tail}")


def _of_comparison(one: Any) -> Iterator[Tile]:
    from classay.inference.estimate import apart
    from classay.inference.words import heading, p_text

    for name, text in zip(one.models, apart(*one.values), strict=False):
        yield Tile(f"{heading(one.measure)} of {name}", text)
    if one.effect is not None:
        yield Tile("difference", value_of(Difference(one.effect)), _below(Difference(one.effect)))
    if not isnan(one.p):
        yield Tile("p", p_text(one.p), one.method)


def _below(cell: Found) -> str:
    estimate = cell.estimate
    if estimate.has_interval:
        return f"{interval_of(cell)} {100 * (estimate.level or 0):g} %"
    return "" if estimate.is_undefined else "no interval"


# --- the picture


def _picture(what: Any) -> Markup | str:
    """The ROC curve of an assessment of two classes with scores; other cards have their tables alone."""
    from classay.assessment.assessment import Assessment

    if not isinstance(what, Assessment) or what.scores is None or what.positive is None:
        return ""
    if not (what.scores.n_positive and what.scores.n_negative):
        return ""
    return _drawn(what.roc.curve)


def _drawn(curve: Curve) -> Markup:
    """A curve in the unit square, of at most `POINTS` points."""
    from markupsafe import Markup

    x, y = (np.asarray(each, float) for each in (curve.x, curve.y))
    kept = np.unique(np.linspace(0, x.size - 1, min(x.size, POINTS)).astype(int))
    points = " ".join(
        f"{20 + 180 * a:.1f},{190 - 180 * b:.1f}" for a, b in zip(x[kept], y[kept], strict=True)
    )
    return Markup(
        '<svg viewBox="0 0 210 212" width="210" height="212" role="img" aria-label="{title}">'
        '<path class="axis" d="M20 10V190H200"/><path class="chance" d="M20 190L200 10"/>'
        '<polyline points="{points}"/><text x="110" y="207">{x}</text>'
        '<text x="-100" y="13" transform="rotate(-90)">{y}</text></svg>'
    ).format(title=curve.title, points=points, x=curve.x_title, y=curve.y_title)


# --- tabs


def _tabs(document: Document) -> list[tuple[str, Markup]]:
    """The sections as tabs: their tables, texts and lists; facts in one of their own."""
    from markupsafe import Markup

    tabs = [(section.title, _body(section)) for section in document.sections]
    if document.facts:
        rows = Markup("").join(
            Markup("<tr><th scope=row>{}</th><td class=text>{}</td></tr>").format(clean(name), _cut(text))
            for name, text in document.facts
        )
        tabs.append(("About", Markup("<table>{}</table>").format(rows)))
    return [(title, body) for title, body in tabs if body]


def _body(section: Section) -> Markup:
    from markupsafe import Markup

    return Markup("").join(_part(part) for part in section.parts)


def _part(part: Part) -> Markup:
    from markupsafe import Markup

    if isinstance(part, Table):
        return _table(part)
    if isinstance(part, Matrix):
        return _matrix(part)
    if isinstance(part, Prose):
        return Markup("<p>{}</p>").format(clean(part.text).replace("`", ""))
    if isinstance(part, Listing):
        items = (Markup("<li>{}</li>").format(clean(text).replace("`", "")) for _, text in part.items)
        return Markup("<ul>{}</ul>").format(Markup("").join(items))
    if isinstance(part, Diagram):
        lines = (
            Markup("<tr><th scope=row>{}</th><td>{}</td></tr>").format(_cut(n), v) for n, v, _ in part.lines
        )
        return Markup("<table>{}</table>").format(Markup("").join(lines))
    assert isinstance(part, Figures)
    return Markup("")  # pictures are for pages


def _table(table: Table) -> Markup:
    from markupsafe import Markup

    kept = [k for k, column in enumerate(table.columns) if column.kind not in (Bar, Method)]
    heads = Markup("").join(
        Markup("<th scope=col{}>{}</th>").format(
            Markup(" class=text") if table.columns[k].kind in (Label, Words) else "",
            _cut(table.columns[k].head),
        )
        for k in kept
    )
    rows = Markup("").join(
        Markup("<tr>{}</tr>").format(Markup("").join(_cell(row[k]) for k in kept))
        for row in table.rows[:ROWS]
    )
    title = Markup("<h6>{}</h6>").format(_cut(table.title)) if table.title else ""
    more = len(table.rows) - ROWS
    foot = Markup("<p>{:,} more rows: see the page or the frame.</p>").format(more) if more > 0 else ""
    return Markup("{}<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>{}").format(
        title, heads, rows, foot
    )


def _cell(cell: Cell) -> Markup:
    from markupsafe import Markup

    if isinstance(cell, Label):
        return Markup("<th scope=row>{}</th>").format(_cut(cell.text))
    if isinstance(cell, Found) and not isinstance(cell, Value) and cell.estimate.has_interval:
        return Markup("<td>{} <small>{}</small></td>").format(value_of(cell), interval_of(cell))
    kind = Markup(" class=text") if isinstance(cell, Words) and not cell.text[:1].isdigit() else ""
    return Markup("<td{}>{}</td>").format(kind, _cut(cell_text(cell)))


def _matrix(matrix: Matrix) -> Markup:
    from markupsafe import Markup

    if len(matrix.labels) > CLASSES:
        k = len(matrix.labels)
        return Markup("<p>{} by {}: too large for a card.</p>").format(k, k)
    heads = Markup("").join(Markup("<th scope=col>{}</th>").format(_cut(label)) for label in matrix.labels)
    rows = Markup("").join(
        Markup("<tr><th scope=row>{}</th>{}</tr>").format(
            _cut(label), Markup("").join(Markup("<td>{}</td>").format(text) for text in row)
        )
        for label, row in zip(matrix.labels, counts(matrix.counts), strict=True)
    )
    head = Markup("<th scope=col>predicted ↓, true →</th>")
    return Markup("<table><thead><tr>{}{}</tr></thead><tbody>{}</tbody></table>").format(head, heads, rows)


def _cut(text: str) -> str:
    return cut(clean(text), LONGEST)


# --- the whole


def _form(
    title: str,
    verdict: Sequence[str],
    tiles: Sequence[Tile],
    picture: Markup | str,
    tabs: Sequence[tuple[str, Markup]],
) -> str:
    from markupsafe import Markup

    join = Markup("").join
    head = Markup("<h5>{}</h5>").format(_cut(title)) if title else ""
    said = join(Markup("<p>{}</p>").format(clean(text).replace("`", "")) for text in verdict)
    shown = join(
        Markup("<div class=tile><span>{}</span><b>{}</b><small>{}</small></div>").format(
            _cut(t.name), t.value, t.below
        )
        for t in tiles
    )
    labels = join(
        Markup(
            '<label><input type=radio name=tab{}><span>{}</span></label><section aria-label="{}">{}</section>'
        ).format(Markup(" checked") if k == 0 else "", _cut(name), _cut(name), body)
        for k, (name, body) in enumerate(tabs)
    )
    return str(
        Markup(
            '<form class="classay-card"><style>{}</style>{}<div class=said>{}</div>'
            "<div class=row><div class=tiles>{}</div>{}</div><div class=tabs>{}</div></form>"
        ).format(Markup(_style()), head, said, shown, picture, labels)
    )


@cache
def _style() -> str:
    """The style sheet of a card, in which every selector stands below its class."""
    text = files("classay.report").joinpath("templates/card.css").read_text(encoding="utf-8")
    return " ".join(text.split())
