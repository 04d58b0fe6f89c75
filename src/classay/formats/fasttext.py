"""What fastText writes: labels in the order of their probabilities, and the data that it reads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from classay.errors import FileError
from classay.formats.lines import SCORES, advice_on_truth, first_lines, lines_of, picked, tell, wrong_line
from classay.sources.inputs import Input, listed

if TYPE_CHECKING:
    import pyarrow as pa

_PREFIX = "__label__"
_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_PREDICTED = re.compile(rf"{_PREFIX}\S+ {_NUMBER}(?: {_PREFIX}\S+ {_NUMBER})*|{_PREFIX}\S+(?: {_PREFIX}\S+)*")


def is_predictions(head: bytes, _: str) -> bool:
    """Check for labels, with or without their probabilities, and nothing else on the first lines."""
    lines = first_lines(head)
    if b"\n" not in head and lines:  # a single line that is cut may have a torn last pair
        lines = [" ".join(lines[0].split(" ")[:2])]
    return bool(lines) and all(_PREDICTED.fullmatch(line) for line in lines)


def is_data(head: bytes, _: str) -> bool:
    """Check for a label at the begin of the first line."""
    return any(line.startswith(_PREFIX) for line in first_lines(head)[:1])


def read(source: Input, columns: Sequence[str] | None, labels: Sequence[str]) -> pa.Table:
    """Return the named columns; labels are without their prefix."""
    if source.format == "fasttext-data":
        return picked(source, _data(source), columns)
    table = picked(source, _predictions(source), columns, advice_on_truth())
    lacking = next(
        (name for name in table.column_names if name.startswith(SCORES) and table[name].null_count), None
    )
    if lacking is not None:
        at = table[lacking].to_pylist().index(None) + 1
        raise FileError(
            f"Line {at:,} of {source.name} has no probability of label {lacking.removeprefix(SCORES)!r}. "
            "fastText writes all labels with `fasttext predict-prob MODEL FILE -1`. Predict again."
        )
    tell(source)
    return table


def schema(source: Input) -> list[tuple[str, str]]:
    """Names and types of all columns."""
    if source.format == "fasttext-data":
        return listed(_data(source).schema)
    return listed(_predictions(source).schema)


def _predictions(source: Input) -> pa.Table:
    """Return the most probable label of each line, and a column of probabilities for each label that occurs."""
    import pyarrow as pa

    predicted: list[str | None] = []
    rows: list[dict[str, float]] = []
    for number, line in lines_of(source):
        if line and _PREDICTED.fullmatch(line) is None:
            raise wrong_line(source, number, line)
        words = line.split(" ") if line else []
        has_scores = len(words) > 1 and not words[1].startswith(_PREFIX)
        names = [word.removeprefix(_PREFIX) for word in (words[::2] if has_scores else words)]
        predicted.append(names[0] if names else None)
        rows.append(dict(zip(names, map(float, words[1::2]), strict=True)) if has_scores else {})
    columns = {"predicted": pa.array(predicted, pa.string())}
    for label in sorted({label for row in rows for label in row}):
        columns[SCORES + label] = pa.array([row.get(label) for row in rows], pa.float64())
    return pa.table(columns)


def _data(source: Input) -> pa.Table:
    """Return the label of each line of data, missing where it has none. Refuses several on a line."""
    import pyarrow as pa

    labels: list[str | None] = []
    for number, line in lines_of(source):
        names = [word.removeprefix(_PREFIX) for word in line.split() if word.startswith(_PREFIX)]
        if len(names) > 1:
            raise FileError(
                f"Line {number:,} of {source.name} has {len(names)} labels. One label for each line is read. Write "
                "multilabel cases as a table with a column for each label."
            )
        labels.append(names[0] if names else None)
    return pa.table({"label": pa.array(labels, pa.string())})
