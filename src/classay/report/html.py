"""A document as HTML: one page that needs no network, or a fragment for a notebook that styles nothing but itself."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from classay.report import words
from classay.report.colours import COLOURS, SERIES
from classay.report.document import (
    Bar,
    Cell,
    Column,
    Count,
    Diagram,
    Document,
    Figure,
    Figures,
    Found,
    Label,
    Listing,
    Matrix,
    Method,
    Part,
    Prose,
    PValue,
    Scale,
    Section,
    Table,
    Value,
    Words,
)
from classay.report.pictures.curves import pictures, script_json
from classay.report.pictures.folds import thin
from classay.report.pictures.picture import Picture
from classay.report.pictures.svg import pointed, svg, swatches
from classay.report.pieces import cell_text, interval_of, value_of
from classay.texts import clean

if TYPE_CHECKING:
    from jinja2 import Environment

MATRIX_CLASSES = 40
NUMBERED_CLASSES = 8  # from here on the columns of the matrix carry numbers, for the labels would not fit
NUMBERED_LABEL = 18  # and beyond this length of a label, for labels cut short may look the same
SQUARE = 3  # columns of words from which a table without estimates is a matrix of pairs

THEMES = {
    theme: COLOURS[theme] | {f"s{k}": colour for k, colour in enumerate(SERIES[theme])} for theme in COLOURS
}
"""The variables of the style sheet, in both themes."""


def as_page(document: Document) -> str:
    """The document as one self-contained page; a script says what its curves show where they are pointed at."""
    from markupsafe import Markup

    drawn: list[Picture] = []
    sections = [_section(each, drawn) for each in document.sections]
    script = files("classay.report").joinpath("templates/pictures.js").read_text(encoding="utf-8")
    template = _templates().get_template("page.html.j2")
    data = Markup(script_json([pointed(each) for each in drawn])) if drawn else ""
    return template.render(
        document=document, sections=sections, linked=True, data=data, script=Markup(script), themes=THEMES
    )


def as_fragment(document: Document) -> str:
    """The document as a piece of a page, without scripts: what a notebook shows."""
    sections = [_section(each, None) for each in document.sections]
    template = _templates().get_template("fragment.html.j2")
    return template.render(document=document, sections=sections, linked=False, themes=THEMES)


@cache
def _templates() -> Environment:
    """The templates, which escape all that they are given; compiled once, because that takes longer than a page."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("classay.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(clean=clean, code=_code)
    return environment


def _section(section: Section, drawn: list[Picture] | None) -> dict[str, Any]:
    """A section with its parts as the templates read them; pictures are collected, or left out without a list."""
    parts = [made for part in section.parts if (made := _part(part, drawn)) is not None]
    return {"title": section.title, "role": section.role, "parts": parts}


def _part(part: Part, drawn: list[Picture] | None) -> dict[str, Any] | None:
    from markupsafe import Markup

    if isinstance(part, Table):
        return _table(part, drawn)
    if isinstance(part, Matrix):
        return _matrix(part)
    if isinstance(part, Prose):
        return {"kind": "prose", "text": part.text, "tone": part.tone}
    if isinstance(part, Listing):
        return {"kind": "listing", "texts": [text for _, text in part.items]}
    if isinstance(part, Diagram):
        return {"kind": "diagram", "svg": Markup(_themed(part.svg))}
    return None if drawn is None else _figures(part, drawn)


def _figures(part: Figures, drawn: list[Picture]) -> dict[str, Any]:
    return {
        "kind": "figures",
        "shown": [each for figure in part.shown for each in _placed(figure, drawn)],
        "folded": [each for figure in part.folded for each in _placed(figure, drawn)],
    }


def _placed(figure: Figure, drawn: list[Picture]) -> Iterator[dict[str, Any]]:
    """The pictures of a figure, put behind those drawn before."""
    for picture in [thin(figure)] if figure.is_thin else pictures(figure.curves):
        yield _picture(picture, drawn)


def _picture(picture: Picture, drawn: list[Picture]) -> dict[str, Any]:
    """A picture as the templates read it, with its place among those drawn."""
    from markupsafe import Markup

    drawn.append(picture)
    about = {"title": picture.title, "note": picture.note, "legend": swatches(picture)}
    return about | {"svg": Markup(svg(picture)), "place": len(drawn) - 1}


def _table(table: Table, drawn: list[Picture] | None) -> dict[str, Any]:
    picture = None
    if table.picture is not None and drawn is not None:
        picture = _picture(table.picture, drawn)
        table = table.without_methods()
    kept = [k for k, column in enumerate(table.columns) if not (column.kind is Bar and picture is not None)]
    notes = words.Notes()
    return {
        "kind": "table",
        "style": _style(table, is_beside=picture is not None),
        "title": table.title,
        "beside": table.beside,
        "note": table.note,
        "foot": table.foot,
        "heads": [head for k in kept for head in _heads(table, table.columns[k])],
        "rows": [list(_cells(table, row, kept, notes)) for row in table.rows],
        "notes": list(notes),
        "picture": picture,
        "caption": table.caption,
    }


def _style(table: Table, *, is_beside: bool) -> str:
    kinds = [column.kind for column in table.columns]
    if kinds.count(Words) >= SQUARE and not any(issubclass(kind, Found) for kind in kinds):
        return "square"
    if Method in kinds and len(kinds) <= 4:
        return "measures wide"
    return "stacked wide" if is_beside else "wide" if Bar in kinds else ""


def _heads(table: Table, column: Column) -> Iterator[dict[str, Any]]:
    if column.kind is Bar:
        scale = table.scale or Scale()
        zero = "" if scale.zero is None else "0"
        sign = "" if scale.zero is None else "+"
        low = f"{scale.low:g}"
        yield {"kind": "bar", "is_number": False, "low": low, "zero": zero, "high": f"{sign}{scale.high:g}"}
        return
    is_number = column.kind in (Count, PValue, Value)
    title = words.interval_title(table.levels)
    if issubclass(column.kind, Found) and _is_only_estimate(table):
        yield {"kind": "value", "text": column.head, "is_number": True, "is_name": False}
        yield {"kind": "interval", "text": title, "is_number": False, "is_name": False}
        return
    is_value = issubclass(column.kind, Found) and column.head == "value"
    text = f"{column.head}, {title}" if is_value else column.head
    yield {"kind": "head", "text": text, "is_number": is_number, "is_name": column.kind is Words}


def _is_only_estimate(table: Table) -> bool:
    return sum(issubclass(column.kind, Found) for column in table.columns) == 1


def _cells(
    table: Table, row: tuple[Cell, ...], kept: list[int], notes: words.Notes
) -> Iterator[dict[str, Any]]:
    spans = words.reason_spans(table.columns, row)
    for k in kept:
        cell = row[k]
        if not isinstance(cell, Found):
            yield _cell(cell, table.scale or Scale())
            continue
        estimate = cell.estimate
        found = {"text": value_of(cell), "undefined": estimate.is_undefined}
        if not _is_only_estimate(table):
            yield found | {"kind": "found", "interval": interval_of(cell), "note": notes.mark(estimate)}
            continue
        yield found | {"kind": "value"}
        if spans:
            yield {
                "kind": "reason",
                "text": words.remark(estimate),
                "span": 1 + sum(each > k for each in kept),
            }
            return
        has_method = any(column.kind is Method for column in table.columns)
        mark = None if has_method else notes.mark(estimate)
        yield {"kind": "interval", "text": interval_of(cell) if mark is None else f"note {mark}"}


def _cell(cell: Cell, scale: Scale) -> dict[str, Any]:
    if cell is None:
        return {"kind": "empty"}
    if isinstance(cell, Label):
        return {"kind": "label", "text": cell.text, "name": cell.name}
    if isinstance(cell, Bar):
        return _bar(cell, scale)
    text = cell_text(cell)
    if isinstance(cell, Words):
        return {"kind": "words", "text": text, "tone": cell.tone, "is_number": not text[:1].isalpha()}
    kind = "method" if isinstance(cell, Method) else "plain"
    return {"kind": kind, "text": text, "is_number": not isinstance(cell, Method)}


def _bar(bar: Bar, scale: Scale) -> dict[str, Any]:
    places = {"low": bar.low, "at": bar.at, "high": bar.high}
    return {
        "kind": "bar",
        "tone": bar.tone,
        "bar": {name: f"{100 * scale.place(x):.2f}" for name, x in places.items()} if bar.is_drawn else None,
        "zero": "" if scale.zero is None else f"{100 * scale.place(scale.zero):.2f}",
        "margins": [f"{100 * scale.place(x):.2f}" for x in (-scale.margin, scale.margin) if x],
    }


def _matrix(matrix: Matrix) -> dict[str, Any]:
    """Counts with their totals, and for each cell how dark: its share of the cases of the true class."""
    totals = [sum(column) for column in zip(*matrix.counts, strict=True)]
    *texts, foot = words.counts([(*row, sum(row)) for row in (*matrix.counts, totals)])
    rows = [
        {
            "label": label,
            "cells": [
                {"text": text, "shade": round(60 * cell / total) if total > 0 else 0}
                for text, cell, total in zip(said, counts, totals, strict=False)
            ],
            "total": said[-1],
        }
        for label, said, counts in zip(matrix.labels, texts, matrix.counts, strict=True)
    ]
    classes = len(matrix.labels)
    is_long = any(len(clean(label)) > NUMBERED_LABEL for label in matrix.labels)
    return {
        "kind": "matrix",
        "is_shown": classes <= MATRIX_CLASSES,
        "is_numbered": is_long or classes >= NUMBERED_CLASSES,
        "size": "dense" if classes >= NUMBERED_CLASSES else "few" if classes <= 3 else "",
        "labels": matrix.labels,
        "rows": rows,
        "totals": foot[:-1],
        "everything": foot[-1],
    }


def _themed(svg: str) -> str:
    """The diagram in the colours of the page, light or dark."""
    for name, colour in COLOURS["light"].items():
        svg = svg.replace(f'"{colour}"', f'"var(--{name})"')
    return svg


def _code(text: str) -> Any:
    """The text, escaped, with what stands between backticks set as code."""
    from markupsafe import Markup, escape

    text = words.unbroken(clean(text))
    pieces = text.split("`")
    if len(pieces) % 2 == 0:  # a backtick without its partner means itself
        return escape(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if k % 2 else escape(piece) for k, piece in enumerate(pieces)
    )
