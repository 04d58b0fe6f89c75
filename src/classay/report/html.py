"""A document as HTML: one page that needs no network."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from importlib.resources import files
from math import isfinite
from typing import TYPE_CHECKING, Any, TypedDict
from urllib.parse import quote

from classay.columns.numbers import counted
from classay.errors import UnknownMeasureError
from classay.inference.estimate import hundredths
from classay.measures import get
from classay.measures.registry import undefined_text
from classay.measures.vocabulary import REFERENCES
from classay.report import words
from classay.report.document import (
    AxisScale,
    Bar,
    Cell,
    Count,
    Diagram,
    Document,
    EstimateCell,
    Figure,
    Figures,
    Label,
    Listing,
    Matrix,
    MethodCell,
    Part,
    Prose,
    PValue,
    Section,
    Spark,
    Table,
    Threshold,
    Tile,
    Value,
    Words,
)
from classay.report.pictures.curve_pictures import pictures, script_json, thin
from classay.report.pictures.picture import COLOURS, SERIES, Picture, recoloured
from classay.report.pictures.svg import pointed, svg, swatches
from classay.report.words import cell_text, interval_of, is_number, value_of
from classay.texts import clean

if TYPE_CHECKING:
    from jinja2 import Environment


def definition(name: str) -> dict[str, str] | None:
    """Title, meaning, formula, range, when it is undefined, and reference of a measure; None if it is not registered.

    A reading of a curve, such as the recall at a reader's specificity, has a name and no entry.

    >>> entry = definition("precision")
    >>> entry["formula"], entry["range"], entry["meaning"]
    ('TP / (TP + FP)', '0 to 1, best 1', 'Share of positive predictions that are correct.')
    """
    try:
        measure = get(name)
    except UnknownMeasureError:
        return None
    first = (measure.__doc__ or "").partition("\n\n")[0]
    low, high = measure.bounds
    best = "no best value" if measure.best is None else f"best {measure.best:g}"
    return {
        "name": measure.name,
        "title": measure.title,
        "meaning": " ".join(first.removeprefix(f"{measure.title}, {measure.formula}. ").split()),
        "formula": measure.formula,
        "range": f"{low:g} to {high:g}, {best}",
        "undefined": undefined_text(measure),
        "reference": REFERENCES[measure.reference],
    }


MATRIX_CLASSES = 40
OPEN_CLASSES = 14  # of a larger matrix a page shows the classes in the most errors, and the whole on request
NUMBERED_CLASSES = 8  # from here on the columns of the matrix carry numbers, for the labels would not fit
NUMBERED_LABEL = 18  # and beyond this length of a label, for labels cut short may look the same
DARKEST = 50
"""Per cent of its colour that a full cell of a matrix has: more, and its number cannot be read on a dark page."""
CARDS = 4  # heads from which each row of a table with estimates is a card in a narrow window
MANY = 6  # and any table's; with more, an estimate counting as two, the window need not be as narrow


def style(table: Table, *, is_beside: bool) -> str:
    """Return the classes of a table, by what it holds."""
    kinds = [column.kind for column in table.columns]
    if _is_of_pairs(table):
        return "square"
    others = [kind for kind in kinds if kind not in (Label, Bar, MethodCell)]
    if MethodCell in kinds and len(kinds) <= 4 and len(others) == 1 and issubclass(others[0], EstimateCell):
        return "measures wide"  # what stands in it needs no head
    least = CARDS if any(issubclass(kind, EstimateCell) for kind in kinds) else MANY
    cards = " cards" if _width(table) >= least or kinds[1:] == [Words] * 2 else ""
    if len(kinds) + sum(issubclass(kind, EstimateCell) for kind in kinds) > MANY:
        cards = " cards many"
    return (
        f"stacked wide{cards}" if is_beside else f"wide{cards}" if {Bar, Spark} & {*kinds} else cards.strip()
    )


def _width(table: Table) -> int:
    """Return how many heads a table has: the only estimates of a table take two, the value and the interval."""
    return len(table.columns) + _is_only_estimate(table)


def _is_of_pairs(table: Table) -> bool:
    """Check whether the last columns are the rows again, so that only the cells of each with itself are empty."""
    pairs = len(table.rows)
    if pairs < 2 or any(column.kind is not Words for column in table.columns[1:]):
        return False
    return len(table.columns) > pairs and all(row[k - pairs] is None for k, row in enumerate(table.rows))


def heads(table: Table, place: int) -> Iterator[dict[str, Any]]:
    """Yield the heads over a column: two over the value and interval of the only estimates."""
    column = table.columns[place]
    if column.kind is Bar:
        scale = table.scale or AxisScale()
        low, zero, high = scale.texts
        share = None if scale.zero is None else scale.place(scale.zero)
        at = "" if share is None or not 0.4 < share < 0.6 else f"{100 * share:.2f}"
        ends = {"low": low, "zero": zero, "at": at, "high": high}
        yield {"kind": "bar", "is_number": False, "text": "", "name": ""} | ends
        return
    is_number = column.kind in (Count, PValue, Value) or _are_numbers([row[place] for row in table.rows])
    title = words.interval_title(table.intervals)
    if issubclass(column.kind, EstimateCell) and _is_only_estimate(table):
        yield {"kind": "value", "text": column.head, "is_number": True, "is_name": False, "name": column.name}
        yield {"kind": "interval", "text": title, "is_number": False, "is_name": False, "name": ""}
        return
    is_value = issubclass(column.kind, EstimateCell) and column.head == "value"
    text = f"{column.head}, {title}" if is_value else column.head
    is_name = column.kind is Words
    yield {"kind": "head", "text": text, "is_number": is_number, "is_name": is_name, "name": column.name}


def _are_numbers(column: list[Cell]) -> bool:
    """Check whether all words of a column are numbers, which stand at its right."""
    phrases = [cell for cell in column if isinstance(cell, Words)]
    return bool(phrases) and all(is_number(each.text) for each in phrases)


def _is_only_estimate(table: Table) -> bool:
    return sum(issubclass(column.kind, EstimateCell) for column in table.columns) == 1


def cells(
    table: Table, row: tuple[Cell, ...], kept: list[int], notes: words.Notes
) -> Iterator[dict[str, Any]]:
    """Yield the cells of a row, as many as there are heads, but where a reason runs over those that are empty."""
    spans = words.reason_spans(table.columns, row)
    for k in kept:
        cell = row[k]
        if not isinstance(cell, EstimateCell):
            yield _cell(cell, table.scale or AxisScale())
            continue
        estimate = cell.estimate
        base = {"text": value_of(cell), "undefined": estimate.is_undefined}
        if not _is_only_estimate(table):
            yield base | {"kind": "found", "interval": interval_of(cell), "note": notes.mark(estimate)}
            continue
        yield base | {"kind": "value"}
        if spans:
            yield {
                "kind": "reason",
                "text": words.remark(estimate),
                "span": 1 + sum(each > k for each in kept),
            }
            return
        has_method = any(column.kind is MethodCell for column in table.columns)
        mark = None if has_method else notes.mark(estimate)
        yield {"kind": "interval", "text": interval_of(cell) if mark is None else f"note {mark}"}


def _cell(cell: Cell, scale: AxisScale) -> dict[str, Any]:
    if cell is None:
        return {"kind": "empty"}
    if isinstance(cell, Label):
        return {"kind": "label", "text": cell.text, "name": cell.name, "link": quote(cell.link, safe=":/")}
    if isinstance(cell, Bar):
        return _bar(cell, cell.scale or scale)
    if isinstance(cell, Spark):
        return {"kind": "spark"} | _spark(cell)
    text = cell_text(cell)
    if isinstance(cell, Words):
        return {"kind": "words", "text": text, "tone": cell.tone, "is_number": is_number(text)}
    kind = "method" if isinstance(cell, MethodCell) else "plain"
    return {"kind": kind, "text": text, "is_number": not isinstance(cell, MethodCell)}


def _bar(bar: Bar, scale: AxisScale) -> dict[str, Any]:
    places = {"low": bar.low, "at": bar.at, "high": bar.high}
    return {
        "kind": "bar",
        "tone": bar.tone,
        "bar": {name: f"{100 * scale.place(x):.2f}" for name, x in places.items()} if bar.is_drawn else None,
        "zero": "" if scale.zero is None else f"{100 * scale.place(scale.zero):.2f}",
        "margins": [
            f"{100 * scale.place(x):.2f}" for x in (edge * scale.margin for edge in scale.edges) if x
        ],
    }


def _spark(spark: Spark) -> dict[str, str]:
    """Return a course in a box of 100 by 24: its line, the outline of its intervals and its newest point."""
    marks = [each for each in spark.estimates if isfinite(each.value)][-MOST_POINTS:]
    sides = [[getattr(each, end) for each in marks] for end in ("high", "low")]
    shown = [each for each in (*sides[0], *sides[1], *(each.value for each in marks)) if isfinite(each)]
    low, high = (min(shown), max(shown)) if shown else (0.0, 1.0)
    room = (high - low) or 1.0

    def place(k: int, value: float) -> str:
        y = 22 - 20 * (value - low) / room if high > low else 12.0
        return f"{2 + 96 * k / max(len(marks) - 1, 1):.1f} {y:.1f}"

    line = [place(k, each.value) for k, each in enumerate(marks)]
    band = [
        place(k, value)
        for side, way in zip(sides, (1, -1), strict=True)
        for k, value in [*enumerate(side)][::way]
    ]
    is_banded = len(marks) > 1 and all(each.has_interval and isfinite(each.high - each.low) for each in marks)
    return {
        "line": f"M{'L'.join(line)}" if len(line) > 1 else "",
        "band": f"M{'L'.join(band)}Z" if is_banded else "",
        "last": f"M{line[-1]}h0" if line else "",
    }


MOST_POINTS = 200
"""Values of a course on a page: of more, the last."""


def matrix(part: Matrix) -> dict[str, Any]:
    """Counts with their totals, and for each cell how dark: its share of the cases of the true class."""
    reduced = part.within(MATRIX_CLASSES + 1)
    if len(reduced.labels) <= OPEN_CLASSES + 1:
        return _matrix(reduced)
    return _matrix(reduced.within(OPEN_CLASSES + 1)) | {"whole": _matrix(reduced)}


def _matrix(part: Matrix) -> dict[str, Any]:
    classes = len(part.labels)
    totals = [sum(column) for column in zip(*part.counts, strict=True)]
    power = 1.0 if len(part.labels) == 2 else 0.5  # of several classes, errors of a few per cent are seen
    every = [(*row, sum(row)) for row in (*part.counts, totals)]
    *texts, foot = words.counts(every)
    brief = _brief(classes, every, [*texts, foot])
    rows = [
        {
            "label": label,
            "cells": [
                {
                    "text": text,
                    "brief": brief[i][j] if brief else "",
                    "shade": round(DARKEST * (cell / total) ** power) if total > 0 else 0,
                    "is_none": cell == 0,
                    "share": f"{hundredths(cell / total)[0]}%" if total > 0 else "",
                    "far": round(100 * (abs(i - j) - 1) / max(1, classes - 2)) if part.is_ordered else -1,
                    "off": f"{counted(abs(i - j), 'step')} off, " if part.is_ordered and i != j else "",
                }
                for j, (text, cell, total) in enumerate(zip(row_texts, counts, totals, strict=False))
            ],
            "total": row_texts[-1],
            "brief": brief[i][-1] if brief else "",
        }
        for i, (label, row_texts, counts) in enumerate(zip(part.predicted, texts, part.counts, strict=True))
    ]
    is_long = any(len(clean(label)) > NUMBERED_LABEL for label in part.labels)
    return {
        "kind": "matrix",
        "said": part.said,
        "rest": len(part.labels) - 1 if part.rest else -1,
        "is_numbered": is_long or classes >= NUMBERED_CLASSES,
        "size": "dense" if classes >= NUMBERED_CLASSES else "few" if classes <= 3 else "",
        "labels": part.labels,
        "rows": rows,
        "everything": foot[-1],
        "is_brief": bool(brief),
        "foot": list(zip(foot, brief[-1] if brief else [""] * len(foot), strict=True)),
    }


ROOM = 18
"""Digits that a row of a matrix has room for beside its label, on a telephone."""


def _brief(classes: int, every: Sequence[Sequence[float]], texts: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the counts in thousands, for a narrow screen on which they do not fit otherwise; none where they do."""
    digits = sum(max(map(len, column)) for column in zip(*texts, strict=True))
    if classes <= 3 or digits <= ROOM or not any(each >= 1000 for row in every for each in row):
        return []
    return [[words.short_count(each) for each in row] for row in every]


THEMES = {
    theme: COLOURS[theme] | {f"s{k}": colour for k, colour in enumerate(SERIES[theme])} for theme in COLOURS
}
"""The variables of the style sheet, in both themes."""


def as_page(document: Document) -> str:
    """Return the document as one self-contained page; a script says what its curves show where they are pointed at."""
    from markupsafe import Markup

    document, drawn = document.arranged, list[Picture]()
    sections = [data for section in document.sections if (data := _section(section, drawn))["parts"]]
    parts = (part for section in sections for part in section["parts"])
    points = next((part["points"] for part in parts if part["kind"] == "threshold"), "")
    facts, verdict = _facts(document), _verdict(document)
    scripts = [
        name
        for name, wanted in (
            ("print", facts["folded"] or verdict["folded"] or any(map(_has_folds, sections))),
            ("pictures", drawn),
            ("threshold", points),
        )
        if wanted
    ]
    script = "".join(map(_script, scripts))
    template = _templates().get_template("page.html.j2")
    return template.render(
        document=document,
        sections=sections,
        tiles=list(map(_tile, document.tiles)),
        facts=facts,
        verdict=verdict,
        short_label=SHORT_LABEL,
        about=_about(document),
        data=Markup(script_json([pointed(each) for each in drawn])) if drawn else "",
        points=points,
        script=Markup(script),
        digest=b64encode(sha256(script.encode()).digest()).decode(),
        themes=THEMES,
        most_switched=max(len(section["panels"]) for section in sections) if sections else 0,
    )


@cache
def _script(name: str) -> str:
    text = files("classay.report").joinpath(f"templates/{name}.js").read_text(encoding="utf-8")
    return f'"use strict";\n{text}'


def _about(document: Document) -> dict[str, dict[str, str]]:
    """Return what is known of each measure that a document names, by its canonical name."""
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
    return {name: {"id": f"about-{k}"} | entry for k, (name, entry) in enumerate(known) if entry is not None}


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
    environment.filters.update(clean=clean, code=_code, is_long_fact=_is_long_fact, parted=_parted)
    return environment


class SectionData(TypedDict):
    """A section as the templates read it."""

    title: str
    role: str
    folded: bool
    parts: list[dict[str, Any]]
    panels: list[dict[str, Any]]


def _section(section: Section, drawn: list[Picture]) -> SectionData:
    """Return a section with its parts as the templates read them; pictures are collected."""
    if section.role == "next":
        section = replace(section, parts=tuple(map(_beside_page, section.parts)))
    parts = [_part(part, drawn) for part in section.on_screen if part != Listing(())]
    panels = [part for part in parts if part["kind"] == "table"] if section.is_switched else []
    shared = _shared([panel["title"] for panel in panels])
    for panel in panels:
        panel["title"] = panel["title"].removesuffix(shared)
    return {
        "title": section.title + shared,
        "role": section.role,
        "folded": section.is_folded,
        "parts": parts,
        "panels": panels if len(panels) > 1 else [],
    }


def _shared(titles: list[str]) -> str:
    """Return what the titles of all panels end in, from " by " on, which is said once above them.

    >>> _shared(["AUC by site: a minus b", "Recall by site: a minus b"]), _shared(["AUC", "Recall"])
    (' by site: a minus b', '')
    """
    ends = {sep + rest for _, sep, rest in (title.partition(" by ") for title in titles)}
    return ends.pop() if len(titles) > 1 and len(ends) == 1 else ""


MOST_SAID = 600
"""Characters of a verdict up to which all of it is seen at once."""
SAID = 4
"""Sentences that are seen of a longer one."""


def _verdict(document: Document) -> dict[str, tuple[str, ...]]:
    """Return the sentences that lead, and those that a reader unfolds."""
    lead = document.verdict
    shown = len(lead) if len(lead) <= SAID + 1 or sum(map(len, lead)) <= MOST_SAID else SAID
    return {"shown": lead[:shown], "folded": lead[shown:]}


SHORT_LABEL = 14
"""Characters of a label up to which it stands on one line."""
LONG_FACT = 60
"""Characters from which on a fact takes a line of its own; two or more such are folded."""


LONG_WORD = 20
"""Characters from which on a word may be wider than the column of a fact in a narrow window."""


def _is_long_fact(text: str) -> bool:
    return len(text) > LONG_FACT or any(len(word) > LONG_WORD for word in text.split())


def _parted(text: str) -> Any:
    """Return the text, escaped; a long word, such as the name of a file, may be parted behind its signs."""
    from markupsafe import Markup, escape

    def broken(word: str) -> Markup:
        escaped = escape(word)
        return (
            Markup(re.sub(r"(?<=\w)([_./-])(?=\w)", r"\1<wbr>", str(escaped)))
            if len(word) > LONG_WORD
            else escaped
        )

    return Markup("").join(map(broken, re.split(r"(\s+)", clean(text))))


def _facts(document: Document) -> dict[str, list[tuple[str, str]]]:
    """Return the facts that a page shows at once, and those on how something was done, which nobody asks first."""
    long = [fact for fact in document.facts if len(fact[1]) > LONG_FACT]
    folded = long if len(long) > 1 else []
    return {"shown": [fact for fact in document.facts if fact not in folded], "folded": folded}


def _has_folds(section: SectionData) -> bool:
    """Check whether a page shows some of a section on request."""
    return section["folded"] or any(
        part.get("more") or part.get("folded") or "whole" in part for part in section["parts"]
    )


def _beside_page(part: Part) -> Part:
    """Return the steps without the advice to write a page, which its reader has."""
    assert isinstance(part, Listing)
    steps = (" ".join(filter(None, map(_without_page, text.split(". ")))) for _, text in part.items)
    return Listing(tuple(("", step) for step in steps if step))


def _without_page(sentence: str) -> str:
    """Return a sentence of a next step without its clauses on writing a page."""
    clauses = re.split(r"[;,] (?=`)", sentence)
    kept = [each for each in clauses if not re.search(r"`[^`]*(\breport\(\"|--html )", each)]
    text = sentence if kept == clauses else "; ".join(kept)
    return text.rstrip(".") + "." if text else ""


def _part(part: Part, drawn: list[Picture]) -> dict[str, Any]:
    if isinstance(part, Figures):
        return _figures(part, drawn)
    if isinstance(part, Table):
        return _table(part, drawn)
    data: dict[str, Any] = PARTS[type(part)](part)
    return data


def _figures(part: Figures, drawn: list[Picture]) -> dict[str, Any]:
    return {
        "kind": "figures",
        "shown": [each for figure in part.shown for each in _placed(figure, drawn)],
        "folded": [each for figure in part.folded for each in _placed(figure, drawn)],
    }


def _placed(figure: Figure, drawn: list[Picture]) -> Iterator[dict[str, Any]]:
    """Yield the pictures of a figure, put behind those drawn before."""
    for picture in [thin(figure)] if figure.is_thin else pictures(figure.curves):
        yield _picture(picture, drawn)


def _picture(picture: Picture, drawn: list[Picture]) -> dict[str, Any]:
    """Return a picture as the templates read it, with its place among those drawn."""
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
        "foot": " ".join(filter(None, (table.foot, table.legend))),
        "heads": [head for k in kept for head in heads(table, k)],
        "rows": [list(cells(table, row, kept, notes)) for row in table.rows],
        "main": _main(table),
        "more": _noun(table) if len(table.rows) > _main(table) else "",
        "notes": list(notes),
        "picture": picture,
        "caption": table.caption,
    }


MAIN_ROWS = 12
"""Rows that a page shows of a table before it is asked for the others."""
SPARED = 2
"""So many more are shown as well: it is not worth asking for them."""


def _main(table: Table) -> int:
    most = table.main or MAIN_ROWS
    return most if len(table.rows) > most + (0 if table.main else SPARED) else len(table.rows)


def _noun(table: Table) -> str:
    """Return what the rows of a table are."""
    head = table.columns[0].head
    if head.isalpha():
        return head + "es" * head.endswith("s") + "s" * (not head.endswith("s"))
    return "measures" if isinstance(table.rows[0][0], Label) and table.rows[0][0].name else "rows"


def _tile(tile: Tile) -> dict[str, Any]:
    shown = words.interval(tile.estimate)
    about = {"text": tile.text, "name": tile.name, "value": words.value(tile.estimate), "interval": shown}
    return about | {"method": words.remark(tile.estimate), "is_fixed": tile.is_fixed}


CELLS = {(True, True): "tp", (True, False): "fp", (False, True): "fn", (False, False): "tn"}


def _threshold(part: Threshold) -> dict[str, Any]:
    """Return the matrix with the names of its cells, what stands beside it, and the points that a script reads."""
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
    """Return a number without the decimals that it does not need."""
    return int(value) if value == int(value) else value


def _code(text: str) -> Any:
    """Return the text, escaped, with what stands between backticks set as code."""
    from markupsafe import Markup, escape

    text = words.unbroken(clean(text))
    pieces = text.split("`")
    if len(pieces) % 2 == 0:  # a backtick without its partner means itself
        return escape(text)
    return Markup("").join(_set_code(piece) if k % 2 else escape(piece) for k, piece in enumerate(pieces))


MAX_UNBROKEN_CODE = 28
"""Letters of code that stay on one line, which the narrowest page has room for."""


def _set_code(piece: str) -> Any:
    """Code as one block, or, where it may need several lines, as text, so that what follows it stays on the last.

    No line is broken inside the name of an option.
    """
    from markupsafe import Markup

    if len(piece) <= MAX_UNBROKEN_CODE:
        return Markup("<code>{}</code>").format(piece)
    is_option = re.compile(r"(?<!\S)(--?\w[\w-]*)")
    parts = is_option.split(piece)
    words_ = (Markup("<span>{}</span>" if k % 2 else "{}").format(part) for k, part in enumerate(parts))
    return Markup('<code class="long">{}</code>').format(Markup("").join(words_))


def _prose(part: Prose) -> dict[str, Any]:
    return {"kind": "prose", "text": part.text, "tone": part.tone}


MOST_ITEMS = 5
"""Sentences of a list that a page shows before it is asked for the others."""


def _listing(part: Listing) -> dict[str, Any]:
    texts = [text for _, text in part.items]
    most = MOST_ITEMS if len(texts) > MOST_ITEMS + 1 else len(texts)
    return {"kind": "listing", "texts": texts[:most], "more": texts[most:]}


def _diagram(part: Diagram) -> dict[str, Any]:
    from markupsafe import Markup

    names = {name: f"var(--{name})" for name in COLOURS["light"]}
    return {
        "kind": "diagram",
        "svg": Markup(recoloured(part.svg, names)),
        "narrow": Markup(recoloured(part.narrow, names)),
    }


PARTS: dict[type, Callable[[Any], dict[str, Any]]] = {
    Matrix: matrix,
    Threshold: _threshold,
    Prose: _prose,
    Listing: _listing,
    Diagram: _diagram,
}
"""What the templates read of each kind of part that has no picture of its own."""
