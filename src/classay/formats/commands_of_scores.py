"""One column or a pattern in place of the columns of all classes, as commands take it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from classay.cli.failures import one_line_warnings
from classay.cli.lists import OPTION, model_of, parts_in, stripped
from classay.cli.options import FileOptions
from classay.column_names import listed_columns
from classay.errors import InputError
from classay.files.writing import SAVED
from classay.formats.class_lists import columns_in_one_order


def with_parts(
    texts: Sequence[str] | None,
    files: Sequence[str],
    truth: str | None,
    labels: Sequence[str],
    reading: FileOptions,
) -> list[str] | None:
    """Return the texts of --class-scores, with a column for each label in place of a pattern or of one for all."""
    if not texts or any(file.endswith(SAVED) for file in files):
        return None if texts is None else [*texts]
    written = []
    for text in texts:
        model, columns = model_of(text)
        parts = parts_in(columns, OPTION)
        known: Mapping[Hashable, str] | None = None
        name = stripped(parts[0]) if len(parts) == 1 and "=" not in parts[0] else ""
        if name.count("*") == 1:
            known = _matching(name, files[0], truth, reading)
        elif name:
            with one_line_warnings():
                known = columns_in_one_order(name, files, truth, labels, *reading.arguments.values())
        if known is None:
            written.append(text)
            continue
        columns = ",".join(f"{_quoted(str(label))}={_quoted(column)}" for label, column in known.items())
        written.append(f"{_quoted(model)}:{columns}" if model else columns)
    return written


def _matching(pattern: str, file: str, truth: str | None, reading: FileOptions) -> dict[Hashable, str]:
    """Return the columns of a file that a pattern names, by what its star stands for, except the true labels."""
    first, last = pattern.split("*")
    names = reading.column_names(file)
    columns: dict[Hashable, str] = {
        name[len(first) : len(name) - len(last)]: name
        for name in names
        if name.startswith(first) and name.endswith(last) and len(name) >= len(pattern) and name != truth
    }
    if len(columns) < 2:
        raise InputError(
            f"{OPTION} {pattern!r} needs two columns, but names {len(columns)}. {listed_columns(names)}"
        )
    return columns


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
