"""Confusion matrices and classification reports of scikit-learn as JSON."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, Any

from classay.columns.values import typed
from classay.errors import FileError
from classay.formats.columns import column_of
from classay.formats.lines import json_document, picked, warn
from classay.sources.inputs import Input, listed
from classay.texts import hint

if TYPE_CHECKING:
    import pyarrow as pa

_MATRIX = re.compile(rb"\s*\[\s*\[\s*\d+\s*,[\s\d,\[\]]*")
_REPORT = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*":\s*(?:[\d.]+,\s*"(?:[^"\\]|\\.)*":\s*)?\{\s*"precision":')
_AVERAGES = ("accuracy", "micro avg", "macro avg", "weighted avg", "samples avg")
_COLUMNS = ("support", "recall", "precision")
_LABELS = "(labels)"
_TOLERANCE = 1e-6
"""Far more than what the division of two counts loses."""


def is_matrix(head: bytes, _: str) -> bool:
    """Check for rows of whole numbers."""
    return _MATRIX.fullmatch(head) is not None


def is_report(head: bytes, _: str) -> bool:
    """Check for a first class with its precision."""
    return _REPORT.match(head) is not None


def read(source: Input, columns: Sequence[str] | None, labels: Sequence[str]) -> pa.Table:
    """Return the named columns."""
    table = picked(source, _read(source), columns)
    if source.format == "sklearn-report":
        warn(
            f"{source.name} is read as a report of scikit-learn. Its counts are computed from recall and support."
        )
    return table


def schema(source: Input) -> list[tuple[str, str]]:
    """Names and types of all columns."""
    return listed(_read(source).schema)


def _read(source: Input) -> pa.Table:
    parse = {"json-matrix": _matrix, "sklearn-report": _report}[source.format]
    return parse(source, json_document(source))


def _matrix(source: Input, document: Any) -> pa.Table:
    """A matrix without labels: a first column that is empty, then the counts."""
    import pyarrow as pa

    n = len(document)
    if n < 2 or any(not isinstance(row, list) or len(row) != n for row in document):
        raise FileError(
            f"{source.name} is not a confusion matrix, which has as many columns as rows. Use a matrix of counts."
        )
    counts = [column_of([row[k] for row in document]) for k in range(n)]
    return pa.table([pa.nulls(n), *counts], names=[_LABELS, *map(str, range(n))])


def _report(source: Input, document: Any) -> pa.Table:
    """The matrix of two classes, rows by true class."""
    import pyarrow as pa

    classes = [name for name, row in document.items() if isinstance(row, dict) and name not in _AVERAGES]
    if len(classes) != 2 or "accuracy" not in document:
        use = hint("classay.assess", "--matrix")
        raise FileError(
            f"{source.name} does not determine a confusion matrix. Only a report of all classes does, if they are two. "
            f"Save the result of confusion_matrix, and use {use}."
        )
    counts = _counts_of_two([[document[name].get(key) for key in _COLUMNS] for name in classes])
    if counts is None:
        raise FileError(
            f"{source.name} has rounded or weighted values, so that its counts are not known. Save confusion_matrix "
            "instead."
        )
    columns = [pa.array([row[k] for row in counts], pa.int64()) for k in (0, 1)]
    return pa.table([column_of(typed(classes)), *columns], names=[_LABELS, *classes])


def _counts_of_two(classes: Sequence[Sequence[Any]]) -> list[list[int]] | None:
    """Return the counts, rows by true class, of two classes with support, recall and precision; None for no counts.

    >>> _counts_of_two([[4.0, 0.75, 0.6], [3.0, 1 / 3, 0.5]]), _counts_of_two([[4.0, 0.7, 0.6], [3.0, 0.3, 0.5]])
    ([[3, 1], [2, 1]], None)
    """
    if not all(isinstance(value, int | float) for values in classes for value in values):
        return None
    counts = []
    for at, (support, recall, _) in enumerate(classes):
        hits = recall * support if support else 0.0
        if (
            not (0 <= hits <= support < inf)
            or max(abs(hits - round(hits)), abs(support - round(support))) > _TOLERANCE
        ):
            return None
        row = [round(hits), round(support) - round(hits)]
        counts.append(row[::-1] if at else row)
    for at, (_, _, precision) in enumerate(classes):
        n_predicted = counts[0][at] + counts[1][at]
        if n_predicted and not abs(precision - counts[at][at] / n_predicted) < _TOLERANCE:
            return None
    return counts
