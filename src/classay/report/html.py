"""A document as HTML: one page that needs no network."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from importlib.resources import files
from math import isfinite
from typing import TYPE_CHECKING, Any

from classay.report import words
from classay.report.colours import COLOURS, SERIES, recoloured
from classay.report.definitions import definition
from classay.report.document import (
    Bar,
    Diagram,
    Document,
    Figure,
    Figures,
    Label,
    Listing,
    Matrix,
    Part,
    Prose,
    Section,
    Table,
    Threshold,
    Tile,
)
from classay.report.html_tables import cells, heads, matrix, style
from classay.report.pictures.curves import pictures, script_json
from classay.report.pictures.folds import thin
from classay.report.pictures.picture import Picture
from classay.report.pictures.svg import pointed, svg, swatches
from classay.texts import clean

if TYPE_CHECKING:
    from jinja2 import Environment

THEMES = {
    theme: COLOURS[theme] | {f"s{k}": colour for k, colour in enumerate(SERIES[theme])} for theme in COLOURS
}
"""The variables of the style sheet, in both themes."""


def as_page(document: Document) -> str:
    """The document as one self-contained page; a script says what its curves show where they are pointed at."""
    from markupsafe import Markup

    drawn: list[Picture] = []
    sections = [_section(each, drawn) for each in document.sections]
    parts = (part for section in sections for part in section["parts"])
    points = next((part["points"] for part in parts if part["kind"] == "threshold"), "")
    scripts = [name for name, wanted in (("pictures", drawn), ("threshold", points)) if wanted]
    script = "".join(map(_script, scripts))
    template = _templates().get_template("page.html.j2")
    return template.render(
        document=document,
        sections=sections,
        tiles=list(map(_tile, document.tiles)),
        about=_about(document),
        data=Markup(script_json([pointed(each) for each in drawn])) if drawn else "",
        points=points,
        script=Markup(script),
        digest=b64encode(sha256(script.encode()).digest()).decode(),
        themes=THEMES,
    )


@cache
def _script(name: str) -> str:
    text = files("classay.report").joinpath(f"templates/{name}.js").read_text(encoding="utf-8")
    return f'"use strict";\n{text}'


def _about(document: Document) -> dict[str, dict[str, str]]:
    """What is known of each measure that a document names, by its canonical name."""
    labels = [
        cell.name
        for table in document.tables
        for row in table.rows
        for cell in row
        if isinstance(cell, Label)
    ]
    parts = [part for section in document.sections for part in section.parts if isinstance(part, Threshold)]
    tiles = [each.name for each in (*document.tiles, *(tile for part in parts for tile in part.of))]
    heads = [column.name for table in document.tables for column in table.columns]
    names = dict.fromkeys(filter(None, (*tiles, *labels, *heads)))
    known = ((name, definition(name)) for name in names)
    return {name: {"id": f"about-{k}"} | found for k, (name, found) in enumerate(known) if found is not None}


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


def _section(section: Section, drawn: list[Picture]) -> dict[str, Any]:
    """A section with its parts as the templates read them; pictures are collected."""
    parts = [_part(part, drawn) for part in section.parts]
    return {"title": section.title, "role": section.role, "parts": parts}


def _part(part: Part, drawn: list[Picture]) -> dict[str, Any]:
    if isinstance(part, Figures):
        return _figures(part, drawn)
    if isinstance(part, Table):
        return _table(part, drawn)
    made: dict[str, Any] = PARTS[type(part)](part)
    return made


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
    about = {
        "name": picture.name,
        "title": picture.title,
        "note": picture.note,
        "legend": swatches(picture),
    }
    return about | {"svg": Markup(svg(picture)), "place": len(drawn) - 1}


def _table(table: Table, drawn: list[Picture]) -> dict[str, Any]:
    picture = None
    if table.picture is not None:
        picture = _picture(table.picture, drawn)
        table = table.without_methods()
    kept = [k for k, column in enumerate(table.columns) if not (column.kind is Bar and picture is not None)]
    notes = words.Notes()
    return {
        "kind": "table",
        "style": style(table, is_beside=picture is not None),
        "title": table.title,
        "beside": table.beside,
        "note": table.note,
        "foot": table.foot,
        "heads": [head for k in kept for head in heads(table, k)],
        "rows": [list(cells(table, row, kept, notes)) for row in table.rows],
        "main": table.main or len(table.rows),
        "notes": list(notes),
        "picture": picture,
        "caption": table.caption,
    }


def _tile(tile: Tile) -> dict[str, Any]:
    shown = words.interval(tile.estimate)
    about = {"text": tile.text, "name": tile.name, "value": words.value(tile.estimate), "interval": shown}
    return about | {"method": words.remark(tile.estimate)}


CELLS = {(True, True): "tp", (True, False): "fp", (False, True): "fn", (False, False): "tn"}


def _threshold(part: Threshold) -> dict[str, Any]:
    """The matrix with the names of its cells, what stands beside it, and the points that a script reads."""
    from markupsafe import Markup

    counts, places = matrix(part.matrix), range(2)
    for i, row in enumerate(counts["rows"]):
        row["of"] = "called" if i == part.positive else "not-called"
        for j, cell in zip(places, row["cells"], strict=True):
            cell["of"] = CELLS[i == part.positive, j == part.positive]
    points = part.points
    known = {
        "threshold": [each if isfinite(each) else None for each in points.threshold.tolist()],
        "tp": list(map(_whole, points.tp.tolist())),
        "fp": list(map(_whole, points.fp.tolist())),
        "positives": _whole(points.positives),
        "negatives": _whole(points.negatives),
        "chosen": points.chosen,
        "decimals": len(counts["everything"].partition(".")[2]),
        "probabilities": points.are_probabilities,
        "single": points.is_single,
        "thinned": points.are_thinned,
        "prevalence": part.prevalence,
        "objective": part.objective,
        "objectives": _rounded(points.objective),
    }
    observed = points.positives / (points.positives + points.negatives)
    share = 100 * (observed if part.prevalence is None else part.prevalence)
    return {
        "kind": "threshold",
        "matrix": counts,
        "beside": list(map(_tile, part.of)),
        "points": Markup(script_json(known)),
        "most": points.threshold.size - 1,
        "at": points.threshold.size - 1 - points.chosen,
        "said": part.said,
        "costs": [(name, COSTED[name], f"{value:.15g}") for name, value in part.costs],
        "prevalence": f"{share:.4g}",
        "has_objective": part.objective == "cost" and not part.costs,
        "thinned": f"{points.threshold.size:,} of {points.thresholds:,}" if points.are_thinned else "",
    }


COSTED = {"fp": "false positive", "fn": "false negative", "tp": "true positive", "tn": "true negative"}


def _rounded(values: Any) -> list[float | None] | None:
    """Numbers as exact as a page shows them, and nothing for those that are none."""
    if values is None:
        return None
    return [float(f"{each:.7g}") if isfinite(each) else None for each in values.tolist()]


def _whole(value: float) -> float | int:
    """A number without the decimals that it does not need."""
    return int(value) if value == int(value) else value


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


def _prose(part: Prose) -> dict[str, Any]:
    return {"kind": "prose", "text": part.text, "tone": part.tone}


def _listing(part: Listing) -> dict[str, Any]:
    return {"kind": "listing", "texts": [text for _, text in part.items]}


def _diagram(part: Diagram) -> dict[str, Any]:
    from markupsafe import Markup

    return {
        "kind": "diagram",
        "svg": Markup(recoloured(part.svg, {name: f"var(--{name})" for name in COLOURS["light"]})),
    }


PARTS: dict[type, Callable[[Any], dict[str, Any]]] = {
    Matrix: matrix,
    Threshold: _threshold,
    Prose: _prose,
    Listing: _listing,
    Diagram: _diagram,
}
"""What the templates read of each kind of part that has no picture of its own."""
