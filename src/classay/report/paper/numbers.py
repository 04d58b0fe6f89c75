"""The numbers of a document as rows of a frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from classay.columns.frames import frame_of
from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.report.document import (
    Count,
    Document,
    Found,
    Label,
    Matrix,
    PValue,
    Section,
    Table,
    Value,
    Words,
)


def numbers_of(document: Document) -> Any:
    """Every number of a document's tables as a row of a PyArrow table, with where it stands.

    Columns: section, table, row, measure, column, value, low, high, level, method, reason, text.
    """
    rows = [row for section in document.sections for row in _rows_of(section)]
    if not rows:
        raise InputError("there is no table here, and so no frame: print it, or see .to_dict().")
    return frame_of(rows)


def _rows_of(section: Section) -> Iterator[dict[str, Any]]:
    for part in section.parts:
        if isinstance(part, Matrix):
            yield from _of_matrix(part, section.title)
        if not isinstance(part, Table):
            continue
        for row in part.rows:
            first = row[0] if isinstance(row[0], Label) else Label("")
            at = {
                "section": section.title,
                "table": part.title,
                "row": first.text,
                "measure": first.name or None,
            }
            for column, cell in zip(part.columns, row, strict=True):
                found = _row_of(cell)
                if found is not None:
                    yield at | {"measure": first.name or column.name or None, "column": column.head} | found


def _of_matrix(matrix: Matrix, section: str) -> Iterator[dict[str, Any]]:
    for predicted, row in zip(matrix.predicted, matrix.counts, strict=True):
        for true, count in zip(matrix.labels, row, strict=True):
            at = {"section": section, "table": "", "row": f"predicted {predicted}", "measure": None}
            yield at | {"column": f"true {true}"} | _plain(count)


def _row_of(cell: Any) -> dict[str, Any] | None:
    """A cell as the fields of a row; None for what is no number and no text."""
    if isinstance(cell, Found | Value):
        return cell.estimate.row | {"text": None}
    if isinstance(cell, Count | PValue):
        return _plain(cell.value)
    return _plain(float("nan")) | {"text": cell.text} if isinstance(cell, Words) else None


def _plain(value: float) -> dict[str, Any]:
    return Estimate(float(value)).row | {"text": None}
