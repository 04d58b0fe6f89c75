"""A result as a card for a notebook: verdict, tiles, one picture, the rest in tabs; it styles nothing but itself.

It needs no script, no id and no style sheet of the page: every selector stands below one class, colours are those of
the text around, and the radio buttons of the tabs belong to a form of their own, so that the same card may stand on a
page twice. Where a notebook strips style and forms, all tabs are shown one below the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.columns.numbers import counted
from classay.inference.estimate import heading
from classay.report.document import (
    Bar,
    Cell,
    Diagram,
    Difference,
    Document,
    EstimateCell,
    Figures,
    Label,
    Listing,
    Matrix,
    MethodCell,
    Part,
    Prose,
    Section,
    Table,
    Threshold,
    Value,
    Words,
    Written,
)
from classay.report.pictures.picture import recoloured
from classay.report.results.parts import matrix_of
from classay.report.words import cell_text, counts, interval_of, is_number, value_of
from classay.texts import amount, clean, cut

if TYPE_CHECKING:
    from markupsafe import Markup

    from classay.curves.curve import Curve

ROWS, CLASSES = 30, 12
"""What a tab holds at most: rows of a table, classes of a matrix."""
LONGEST = 80
"""Characters of a name or cell on a card; the page has all of it."""


def tabs_of(document: Document) -> list[tuple[str, Markup]]:
    """Return the sections as tabs: their tables, texts and lists; facts in one of their own."""
    from markupsafe import Markup

    tabs = [(section.title, _body(section)) for section in document.sections]
    if document.facts:
        rows = Markup("").join(
            Markup("<tr><th scope=row>{}</th><td class=text>{}</td></tr>").format(clean(name), cut_text(text))
            for name, text in document.facts
        )
        tabs.append(("About", Markup("<table>{}</table>").format(rows)))
    return [(title, body) for title, body in tabs if body]


def _body(section: Section) -> Markup:
    from markupsafe import Markup

    return Markup("").join(_part(part) for part in section.on_screen)


def _part(part: Part) -> Markup:
    return PARTS[type(part)](part)


def _prose(part: Prose) -> Markup:
    from markupsafe import Markup

    return Markup("<p>{}</p>").format(clean(part.text).replace("`", ""))


def _listing(part: Listing) -> Markup:
    from markupsafe import Markup

    items = (Markup("<li>{}</li>").format(clean(text).replace("`", "")) for _, text in part.items)
    return Markup("<ul>{}</ul>").format(Markup("").join(items))


def _lines(part: Diagram) -> Markup:
    """Return what a drawing shows, as a table."""
    from markupsafe import Markup

    lines = (
        Markup("<tr><th scope=row>{}</th><td>{}</td></tr>").format(cut_text(name), text)
        for name, text, _ in part.lines
    )
    return Markup("<table>{}</table>").format(Markup("").join(lines))


def _threshold(part: Threshold) -> Markup:
    """Return the matrix at the threshold that a page lets its reader move."""
    from markupsafe import Markup

    return Markup("<p>{}</p>{}").format(clean(part.said), _matrix(part.matrix))


def _nothing(part: Figures) -> Markup:
    """Pictures of curves are for pages."""
    from markupsafe import Markup

    return Markup("")


def _table(table: Table) -> Markup:
    from markupsafe import Markup

    kept = [k for k, column in enumerate(table.columns) if column.kind not in (Bar, MethodCell)]
    heads = Markup("").join(
        Markup("<th scope=col{}>{}</th>").format(
            Markup(" class=text") if table.columns[k].kind in (Label, Words) else "",
            cut_text(table.columns[k].head),
        )
        for k in kept
    )
    rows = Markup("").join(
        Markup("<tr>{}</tr>").format(Markup("").join(_cell(row[k]) for k in kept))
        for row in table.rows[:ROWS]
    )
    title = Markup("<h6>{}</h6>").format(cut_text(table.title)) if table.title else ""
    more = counted(len(table.rows) - ROWS, "more row")
    foot = Markup("<p>{}: see the page or the frame.</p>").format(more) if len(table.rows) > ROWS else ""
    return Markup("{}<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>{}").format(
        title, heads, rows, foot
    )


def _cell(cell: Cell) -> Markup:
    from markupsafe import Markup

    if isinstance(cell, Label):
        return Markup("<th scope=row>{}</th>").format(cut_text(cell.text))
    if isinstance(cell, EstimateCell) and not isinstance(cell, Value) and cell.estimate.has_interval:
        return Markup("<td>{} <small>{}</small></td>").format(value_of(cell), interval_of(cell))
    kind = Markup(" class=text") if isinstance(cell, Words) and not is_number(cell.text) else ""
    return Markup("<td{}>{}</td>").format(kind, cut_text(cell_text(cell)))


def _matrix(matrix: Matrix) -> Markup:
    from markupsafe import Markup

    matrix = matrix.within(CLASSES)
    heads = Markup("").join(
        Markup("<th scope=col>{}</th>").format(cut_text(label)) for label in matrix.labels
    )
    rows = Markup("").join(
        Markup("<tr><th scope=row>{}</th>{}</tr>").format(
            cut_text(label), Markup("").join(Markup("<td>{}</td>").format(text) for text in row)
        )
        for label, row in zip(matrix.predicted, counts(matrix.counts), strict=True)
    )
    head = Markup("<th scope=col>predicted ↓, true →</th>")
    note = Markup("<p>{}</p>").format(matrix.said) if matrix.said else ""
    return Markup("<table><thead><tr>{}{}</tr></thead><tbody>{}</tbody></table>{}").format(
        head, heads, rows, note
    )


PARTS: dict[type, Callable[[Any], Markup]] = {
    **{Table: _table, Matrix: _matrix, Threshold: _threshold, Prose: _prose, Listing: _listing},
    **{Figures: _nothing, Diagram: _lines},
}
"""What shows each kind of part."""


def cut_text(text: str) -> str:
    """Return a text of anybody's, fit to print and short enough for a card."""
    return cut(clean(text), LONGEST)


TILES, POINTS, SENTENCES = 4, 200, 4
"""What a card holds at most: tiles, points of a curve, sentences of a verdict."""
FIRST = (
    ("roc_auc", "recall", "specificity", "precision"),
    ("accuracy", "macro_f1", "macro_roc_auc", "log_loss"),
    ("precision", "negative_predictive_value", "accuracy", "average_precision"),
)
"""The measures of the tiles, of two classes, of several and at another prevalence: those of which there are most."""


@dataclass(frozen=True)
class CardTile:
    """One number that is read first: its name, its value and what stands below it."""

    name: str
    value: str
    below: str = ""


def card_of(what: Any) -> str:
    """The card of a result, of one estimate, comparison or confusion matrix, as a piece of HTML of at most 300 kB."""
    kind = type(what).__name__
    if kind == "Estimate":
        how = what.method if what.has_interval else ""
        tile = CardTile(
            "", value_of(EstimateCell(what)), ", ".join(filter(None, (_below(EstimateCell(what)), how)))
        )
        title = heading(what.measure) if what.measure else "Estimate"
        return _form(title, [what.reason] if what.reason else [], [tile], "", [])
    if kind == "Comparison":
        return _form(
            f"{' minus '.join(what.models)}", [*what.document().verdict], [*_of_comparison(what)], "", []
        )
    if "ConfusionMatrix" in [each.__name__ for each in type(what).__mro__]:
        if not what.is_one:
            return _form("Confusion matrices", [repr(what).partition("\n")[0]], [], "", [])
        right, cases = float(np.trace(what.counts)), float(what.counts.sum())
        sentences = [f"{amount(right)} of {amount(cases)} cases are classified correctly."] if cases else []
        return _form("Confusion matrix", sentences, [], "", [("Cases", _matrix(matrix_of(what, CLASSES)))])
    document: Document = what.document()
    is_family = "Comparisons" in [base.__name__ for base in type(what).__mro__]
    compared = [one for one in what if type(one).__name__ == "Comparison"] if is_family else []
    tiles = [*_of_comparisons(compared)] if compared else _tiles(document, _baseline(what))
    title = f"{document.status}: {document.title}" if document.status else document.title
    return _form(title, _verdict(document), tiles[:TILES], _picture(what, document), tabs_of(document))


def _verdict(document: Document) -> tuple[str, ...]:
    """Return the sentences that are read first; the tables say the rest."""
    sentences, more = document.verdict[:SENTENCES], len(document.verdict) - SENTENCES
    if more <= 1:
        return document.verdict
    return (*sentences, f"{more} more sentences. Print the result, or see the tables below.")


def _baseline(what: Any) -> str:
    """Return the name of the model of an evaluation with which the others are compared, and which is no result."""
    if type(what).__name__ != "Evaluation":
        return ""
    from classay.comparison.comparison import BASELINE

    return BASELINE


# --- tiles


def _tiles(document: Document, baseline: str) -> list[CardTile]:
    """The measures of `FIRST`; of results that have none of them, the first estimates there are but the baseline's."""
    tiles: dict[str, CardTile] = {}
    first: list[CardTile] = []
    for section in document.sections:
        for table in section.parts:
            if not isinstance(table, Table):
                continue
            for row in table.rows:
                at = _main(row)
                if at is None or cell_text(row[0]) == baseline:
                    continue
                tile = _tile(table, row, at, section.title)
                if tile.value != "undefined":
                    first.append(tile)
                if isinstance(row[0], Label) and _is_plain(table, at):
                    tiles.setdefault(row[0].name, tile)
    wanted = max(FIRST, key=lambda names: sum(name in tiles for name in names))
    return [tiles[name] for name in wanted if name in tiles] or first


def _main(row: Sequence[Cell]) -> int | None:
    """Return the place of the first estimate with an interval or in words of its own, or of the first value."""
    for kinds in (EstimateCell | Written, Value):
        for k, cell in enumerate(row):
            if isinstance(cell, kinds):
                return k
    return None


def _is_plain(table: Table, at: int) -> bool:
    """Check whether a column holds values of what its row is named for, not changes or gaps of it."""
    return table.columns[at].head in ("", "value", "newest")


def _tile(table: Table, row: Sequence[Cell], at: int, section: str) -> CardTile:
    """Return a cell by the name of its row; where this is no measure, by those of its table and column too."""
    label, cell, head = cell_text(row[0]), row[at], table.columns[at].head
    title = table.title or section
    of = "" if _is_plain(table, at) or head.lower() in title.lower() else f", {head}"
    if not (isinstance(row[0], Label) and row[0].name):
        label = f"{title}: {label}" if label else title
    if isinstance(cell, EstimateCell):
        return CardTile(f"{label}{of}", value_of(cell), _below(cell))
    return CardTile(f"{label}{of}", cell_text(cell))


def _of_comparisons(compared: Sequence[Any]) -> Iterator[CardTile]:
    from classay.comparison.comparison import decisive_p
    from classay.inference.estimate import p_equation

    for one in compared[:TILES]:
        if one.effect is not None:
            p = decisive_p(one)
            cell = Difference(one.effect)
            tail = "" if isnan(p) else f"; {p_equation(p, 1 - one.claimed_at)}"
            yield CardTile(
                f"{heading(one.measure)} ({' minus '.join(one.models)})",
                value_of(cell),
                f"{_below(cell)}{tail}",
            )


def _of_comparison(one: Any) -> Iterator[CardTile]:
    from classay.inference.estimate import format_distinct, p_text

    for name, text in zip(one.models, format_distinct(*one.values), strict=False):
        yield CardTile(f"{heading(one.measure)} of {name}", text)
    if one.effect is not None:
        yield CardTile("difference", value_of(Difference(one.effect)), _below(Difference(one.effect)))
    if not isnan(one.p):
        yield CardTile("p", p_text(one.p, 1 - one.claimed_at), one.method)


def _below(cell: EstimateCell) -> str:
    estimate = cell.estimate
    if estimate.has_interval:
        return f"{100 * (estimate.level or 0):g}% CI {interval_of(cell)}"
    return "" if estimate.is_undefined else "no CI"


# --- the picture


def _picture(what: Any, document: Document) -> Markup | str:
    """Return the ROC curve of an assessment of two classes with scores, or a document's own drawing, if it has one."""
    from classay.assessment.assessment import Assessment
    from classay.assessment.charts import shown_roc
    from classay.assessment.remembered import remembered

    drawn = (part for section in document.sections for part in section.parts if isinstance(part, Diagram))
    if (first := next(drawn, None)) is not None:
        return _diagram(first)
    if not isinstance(what, Assessment) or what.scores is None or not what.is_binary:
        return ""
    if not (what.scores.n_positive and what.scores.n_negative):
        return ""
    return _drawn(shown_roc(remembered(what).scored_cases)[0])


def _diagram(part: Diagram) -> Markup:
    """Return a drawing in the colours of the notebook: its ink and its quiet lines are those of the text around it."""
    from markupsafe import Markup

    return Markup("<div class=diagram>{}</div>").format(
        Markup(recoloured(part.svg, INKS).replace(NAMESPACE, ""))
    )


NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
"""What a drawing within a page does not need, and what looks like an address."""
INKS = {
    "ink": "currentColor",
    "quiet": "color-mix(in srgb, currentColor 80%, transparent)",
    "rule": "color-mix(in srgb, currentColor 18%, transparent)",
}
"""Colours of a drawing that a card takes from its surroundings, light or dark."""


def _drawn(curve: Curve) -> Markup:
    """Return a curve in the unit square, of at most `POINTS` points."""
    from markupsafe import Markup

    x, y = (np.asarray(each, float) for each in (curve.x, curve.y))
    kept = np.unique(np.linspace(0, x.size - 1, min(x.size, POINTS)).astype(int))
    points = " ".join(
        f"{20 + 180 * a:.1f},{190 - 180 * b:.1f}" for a, b in zip(x[kept], y[kept], strict=True)
    )
    return Markup(
        '<svg class=curve viewBox="0 0 210 212" width="210" height="212" role="img" aria-label="{title}">'
        '<path class="axis" d="M20 10V190H200"/><path class="chance" d="M20 190L200 10"/>'
        '<polyline points="{points}"/><text x="110" y="207">{x}</text>'
        '<text x="-100" y="13" transform="rotate(-90)">{y}</text></svg>'
    ).format(title=curve.title, points=points, x=curve.x_title, y=curve.y_title)


# --- the whole


def _form(
    title: str,
    verdict: Sequence[str],
    tiles: Sequence[CardTile],
    picture: Markup | str,
    tabs: Sequence[tuple[str, Markup]],
) -> str:
    from markupsafe import Markup

    join = Markup("").join
    head = Markup("<h5>{}</h5>").format(cut(clean(title), 3 * LONGEST)) if title else ""
    paragraphs = join(Markup("<p>{}</p>").format(clean(text).replace("`", "")) for text in verdict)
    shown = join(
        Markup("<div class=tile><span>{}</span><b>{}</b><small>{}</small></div>").format(
            cut_text(t.name), t.value, t.below
        )
        for t in tiles
    )
    labels = join(
        Markup(
            '<label><input type=radio name=tab{}><span>{}</span></label><section aria-label="{}">{}</section>'
        ).format(Markup(" checked") if k == 0 else "", cut_text(name), cut_text(name), body)
        for k, (name, body) in enumerate(tabs)
    )
    return str(
        Markup(
            '<form class="classay-card"><style>{}</style>{}<div class=said>{}</div>'
            "<div class=row><div class=tiles>{}</div>{}</div><div class=tabs>{}</div></form>"
        ).format(Markup(_style()), head, paragraphs, shown, picture, labels)
    )


@cache
def _style() -> str:
    """Return the style sheet of a card, in which every selector stands below its class."""
    text = files("classay.report").joinpath("templates/card.css").read_text(encoding="utf-8")
    return " ".join(text.split())
