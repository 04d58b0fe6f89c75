"""Tables and matrices as the templates of a page read them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from classay.report import words
from classay.report.document import (
    Bar,
    Cell,
    Count,
    Found,
    Label,
    Matrix,
    Method,
    PValue,
    Scale,
    Table,
    Value,
    Words,
)
from classay.report.pieces import cell_text, interval_of, value_of
from classay.texts import clean

MATRIX_CLASSES = 40
NUMBERED_CLASSES = 8  # from here on the columns of the matrix carry numbers, for the labels would not fit
NUMBERED_LABEL = 18  # and beyond this length of a label, for labels cut short may look the same
CARDS = 4  # heads from which each row of a table with estimates is a card in a narrow window
MANY = 6  # and any table's; with more, an estimate counting as two, the window need not be as narrow


def style(table: Table, *, is_beside: bool) -> str:
    """The classes of a table, by what it holds."""
    kinds = [column.kind for column in table.columns]
    if _is_of_pairs(table):
        return "square"
    if Method in kinds and len(kinds) <= 4:
        return "measures wide"
    least = CARDS if any(issubclass(kind, Found) for kind in kinds) else MANY
    cards = " cards" if _width(table) >= least else ""
    if len(kinds) + sum(issubclass(kind, Found) for kind in kinds) > MANY:
        cards = " cards many"
    return f"stacked wide{cards}" if is_beside else f"wide{cards}" if Bar in kinds else cards.strip()


def _width(table: Table) -> int:
    """How many heads a table has: the only estimates of a table take two, the value and the interval."""
    return len(table.columns) + _is_only_estimate(table)


def _is_of_pairs(table: Table) -> bool:
    """Whether the last columns are the rows again, so that only the cells of each with itself are empty."""
    pairs = len(table.rows)
    if pairs < 2 or any(column.kind is not Words for column in table.columns[1:]):
        return False
    return len(table.columns) > pairs and all(row[k - pairs] is None for k, row in enumerate(table.rows))


def heads(table: Table, place: int) -> Iterator[dict[str, Any]]:
    """The heads over a column: two over the value and interval of the only estimates."""
    column = table.columns[place]
    if column.kind is Bar:
        scale = table.scale or Scale()
        low, zero, high = scale.texts
        share = None if scale.zero is None else scale.place(scale.zero)
        at = "" if share is None or not 0.4 < share < 0.6 else f"{100 * share:.2f}"
        ends = {"low": low, "zero": zero, "at": at, "high": high}
        yield {"kind": "bar", "is_number": False, "text": "", "name": ""} | ends
        return
    is_number = column.kind in (Count, PValue, Value) or _are_numbers([row[place] for row in table.rows])
    title = words.interval_title(table.levels)
    if issubclass(column.kind, Found) and _is_only_estimate(table):
        yield {"kind": "value", "text": column.head, "is_number": True, "is_name": False, "name": column.name}
        yield {"kind": "interval", "text": title, "is_number": False, "is_name": False, "name": ""}
        return
    is_value = issubclass(column.kind, Found) and column.head == "value"
    text = f"{column.head}, {title}" if is_value else column.head
    is_name = column.kind is Words
    yield {"kind": "head", "text": text, "is_number": is_number, "is_name": is_name, "name": column.name}


def _are_numbers(column: list[Cell]) -> bool:
    """Whether all words of a column are numbers, which stand at its right."""
    found = [cell for cell in column if isinstance(cell, Words)]
    return bool(found) and all(map(_is_number, found))


def _is_number(cell: Words) -> bool:
    return not cell_text(cell)[:1].isalpha()


def _is_only_estimate(table: Table) -> bool:
    return sum(issubclass(column.kind, Found) for column in table.columns) == 1


def cells(
    table: Table, row: tuple[Cell, ...], kept: list[int], notes: words.Notes
) -> Iterator[dict[str, Any]]:
    """The cells of a row, as many as there are heads, but where a reason runs over those that are empty."""
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
        return {"kind": "words", "text": text, "tone": cell.tone, "is_number": _is_number(cell)}
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


def matrix(part: Matrix) -> dict[str, Any]:
    """Counts with their totals, and for each cell how dark: its share of the cases of the true class."""
    totals = [sum(column) for column in zip(*part.counts, strict=True)]
    *texts, foot = words.counts([(*row, sum(row)) for row in (*part.counts, totals)])
    rows = [
        {
            "label": label,
            "cells": [
                {"text": text, "shade": round(60 * cell / total) if total > 0 else 0}
                for text, cell, total in zip(said, counts, totals, strict=False)
            ],
            "total": said[-1],
        }
        for label, said, counts in zip(part.predicted, texts, part.counts, strict=True)
    ]
    classes = len(part.labels)
    is_long = any(len(clean(label)) > NUMBERED_LABEL for label in part.labels)
    return {
        "kind": "matrix",
        "is_shown": classes <= MATRIX_CLASSES,
        "is_numbered": is_long or classes >= NUMBERED_CLASSES,
        "size": "dense" if classes >= NUMBERED_CLASSES else "few" if classes <= 3 else "",
        "labels": part.labels,
        "rows": rows,
        "totals": foot[:-1],
        "everything": foot[-1],
    }
