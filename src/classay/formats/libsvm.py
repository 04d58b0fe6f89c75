"""What LIBSVM and LIBLINEAR write with `-b 1`, and the data that they read: labels and sparse features."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from classay.columns.values import number_in
from classay.errors import FileError
from classay.formats.columns import column_of
from classay.formats.lines import SCORES, advice_on_truth, first_lines, lines_of, picked, tell, wrong_line
from classay.sources.inputs import Input, chosen, in_blocks, listed, no_rows

if TYPE_CHECKING:
    import pyarrow as pa

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_HEAD = re.compile(r"labels(?: -?\d+){2,}")
_ROW = re.compile(rf"{_NUMBER}(?: {_NUMBER})+")
_CASE = re.compile(rf"(?P<label>{_NUMBER})(?: qid:\d+)?(?: \d+:{_NUMBER})*\s*(?:#.*)?")
_FEATURE = re.compile(rf"{_NUMBER}(?: qid:\d+)? \d+:{_NUMBER}")


def is_predictions(head: bytes, _: str) -> bool:
    """Check for the line of labels and as many scores in the first row."""
    names, *rows = first_lines(head) or [""]
    if _HEAD.fullmatch(names.rstrip()) is None:
        return False
    if not rows:  # a line of many labels is longer than what is seen of the file
        return b"\n" not in head
    return _ROW.fullmatch(rows[0].rstrip()) is not None and len(rows[0].split()) == len(names.split())


def is_data(head: bytes, _: str) -> bool:
    """Check for a number and pairs of numbers with colons in each of the first lines."""
    lines = first_lines(head)
    if b"\n" not in head and lines:  # a single line that is cut has a torn last pair
        lines = [lines[0].rpartition(" ")[0]]
    return any(map(_FEATURE.match, lines)) and all(_CASE.fullmatch(line) for line in lines)


def read(source: Input, columns: Sequence[str] | None, labels: Sequence[str]) -> pa.Table:
    """Return the named columns."""
    if source.format == "libsvm-data":
        return picked(source, _data(source), columns)
    names = _names(source)
    wanted = chosen(columns, names, source.name, advice_on_truth())
    table = in_blocks(lambda block: _predictions(source, names, block))
    if not table.num_rows:
        raise no_rows(source, [*names])
    if (column := next((name for name in table.column_names if table[name].null_count), None)) is not None:
        raise FileError(f"{source.name} has a row without a value of {column!r}. Write the file again.")
    tell(source)
    return table.select(wanted)


def schema(source: Input) -> list[tuple[str, str]]:
    """Names and types of all columns; all values of predictions are numbers."""
    if source.format == "libsvm-data":
        return listed(_data(source).schema)
    return [(name, "int64" if name == "predicted" else "double") for name in _names(source)]


def _names(source: Input) -> list[str]:
    """Return the names of the columns; the first line has the labels in the order of their scores."""
    _, line = next(lines_of(source))
    return ["predicted", *(SCORES + label for label in line.split()[1:])]


def _predictions(source: Input, names: Sequence[str], block: int) -> pa.Table:
    import pyarrow as pa
    from pyarrow import csv

    types = {name: pa.int64() if name == "predicted" else pa.float64() for name in names}
    with source.open() as stream:
        return csv.read_csv(
            stream,
            read_options=csv.ReadOptions(column_names=names, skip_rows=1, block_size=block),
            parse_options=csv.ParseOptions(delimiter=" "),
            convert_options=csv.ConvertOptions(column_types=types),
        )


def _data(source: Input) -> pa.Table:
    """Return the labels of data: numbers, so that +1 is 1."""
    import pyarrow as pa

    known: dict[str, int | float | None] = {}
    numbers = []
    for number, line in lines_of(source):
        if line.strip():
            text = line.split(maxsplit=1)[0]
            if text not in known:
                known[text] = number_in(text)
            numbers.append(known[text])
            if numbers[-1] is None:
                raise wrong_line(source, number, line)
    return pa.table({"label": column_of(numbers)})
