"""JSON that MLflow and scikit-learn write: tables, confusion matrices and classification reports."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from classay.columns.values import typed
from classay.errors import FileError
from classay.formats.columns import column_of
from classay.formats.lines import picked, types_of, warn
from classay.sources.inputs import Input, is_known_name
from classay.texts import hint

if TYPE_CHECKING:
    import pyarrow as pa

_TABLE = re.compile(rb'\s*\{"columns":\s*\[')
_MATRIX = re.compile(rb"\s*\[\s*\[\s*\d+\s*,[\s\d,\[\]]*")
_REPORT = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*":\s*(?:[\d.]+,\s*"(?:[^"\\]|\\.)*":\s*)?\{\s*"precision":')
_LARGEST = 1 << 30
"""Bytes of a document that is parsed at once."""
_AVERAGES = ("accuracy", "micro avg", "macro avg", "weighted avg", "samples avg")
_TOLERANCE = 1e-6


def is_table(head: bytes, path: str) -> bool:
    """Check for the names of columns, which pandas and MLflow write first, in a file that is not JSON lines."""
    return _TABLE.match(head) is not None and not is_known_name(path)


def is_matrix(head: bytes, _: str) -> bool:
    """Check for rows of whole numbers."""
    return _MATRIX.fullmatch(head) is not None


def is_report(head: bytes, _: str) -> bool:
    """Check for a first class with its precision."""
    return _REPORT.match(head) is not None


def read(source: Input, columns: Sequence[str] | None, labels: Sequence[str]) -> pa.Table:
    """Return the named columns."""
    table = picked(source, _columns(source), columns)
    if source.format == "sklearn-report":
        warn(
            f"{source.name} is read as a report of scikit-learn. Its counts are computed from recall and support."
        )
    return table


def schema(source: Input) -> list[tuple[str, str]]:
    """Names and types of all columns."""
    return types_of(_columns(source))


def _columns(source: Input) -> dict[str, Any]:
    find = {"mlflow": _table, "json-matrix": _matrix, "sklearn-report": _report}[source.format]
    return find(source, _document(source))


def _document(source: Input) -> Any:
    if os.path.getsize(source.path) > _LARGEST:
        raise FileError(f"{source.name} is JSON of more than 1 GB. Save the table as Parquet or JSON lines.")
    try:
        with open(source.path, encoding="utf-8-sig") as file:
            return json.load(file)
    except (ValueError, RecursionError) as error:
        raise FileError(
            f"{source.name} is damaged: it is not complete JSON. Write the file again."
        ) from error


def _table(source: Input, document: Any) -> dict[str, Any]:
    names, rows = document.get("columns"), document.get("data")
    is_table = (
        isinstance(names, list) and isinstance(rows, list) and all(isinstance(name, str) for name in names)
    )
    if not is_table or any(not isinstance(row, list) or len(row) != len(names) for row in rows):
        raise FileError(
            f"{source.name} is not a table of MLflow, with names in columns and rows of as many values in data. "
            "Write the file again."
        )
    cells = [*zip(*rows, strict=True)] or [()] * len(names)
    columns: dict[str, Any] = {}
    for name, column in zip(names, cells, strict=True):
        nested = [json.dumps(cell) if isinstance(cell, list | dict) else cell for cell in column]
        columns[f"{name}#2" if name in columns else name] = column_of(nested)
    return columns


def _matrix(source: Input, document: Any) -> dict[str, Any]:
    """A matrix without labels: a first column that is empty, then the counts."""
    import pyarrow as pa

    n = len(document)
    if n < 2 or any(not isinstance(row, list) or len(row) != n for row in document):
        raise FileError(
            f"{source.name} is not a confusion matrix, which has as many columns as rows. Use a matrix of counts."
        )
    return {"labels": pa.nulls(n)} | {str(k): column_of([row[k] for row in document]) for k in range(n)}


def _report(source: Input, document: Any) -> dict[str, Any]:
    """The matrix of two classes, rows by true class, from their recalls and supports; the precisions must agree."""
    import pyarrow as pa

    classes = {
        name: each for name, each in document.items() if isinstance(each, dict) and name not in _AVERAGES
    }
    if len(classes) != 2 or "accuracy" not in document:
        use = hint("classay.assess", "--matrix")
        raise FileError(
            f"{source.name} does not determine a confusion matrix. Only a report of all classes does, if they are two. "
            f"Save the result of confusion_matrix, and use {use}."
        )
    counts = _counts_of_two([*classes.values()])
    if counts is None:
        raise FileError(
            f"{source.name} has rounded or weighted values, so that its counts are not known. Save confusion_matrix "
            "instead."
        )
    return {"labels": column_of(typed([*classes]))} | {
        name: pa.array([row[k] for row in counts], pa.int64()) for k, name in enumerate(classes)
    }


def _counts_of_two(classes: Sequence[Mapping[str, Any]]) -> list[list[int]] | None:
    """Return the counts of two classes, rows by true class, that their report was computed from, None for no such."""
    values = [each.get(key) for each in classes for key in ("support", "recall", "precision")]
    if not all(isinstance(value, int | float) for value in values):
        return None
    counts: list[list[int]] = []
    for k, each in enumerate(classes):
        hits = each["recall"] * each["support"] if each["support"] else 0.0
        row = [hits, each["support"] - hits]
        if not all(abs(count - round(count)) < _TOLERANCE * max(1.0, each["support"]) for count in row):
            return None
        counts.append([round(count) for count in (row[::-1] if k else row)])
    for k, each in enumerate(classes):
        n_predicted = counts[0][k] + counts[1][k]
        if n_predicted and not abs(each["precision"] - counts[k][k] / n_predicted) < _TOLERANCE:
            return None
    return counts
