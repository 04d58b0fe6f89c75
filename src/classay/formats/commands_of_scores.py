"""One column in place of those of all classes, as commands take it."""

from __future__ import annotations

from collections.abc import Sequence

from classay.cli.failures import one_line_warnings
from classay.cli.lists import OPTION, model_of, parts_in, stripped
from classay.cli.options import FileOptions
from classay.files.writing import SAVED
from classay.formats.class_lists import columns_in_one_order


def with_parts(
    texts: Sequence[str] | None,
    files: Sequence[str],
    truth: str | None,
    labels: Sequence[str],
    reading: FileOptions,
) -> list[str] | None:
    """Return the texts of --class-scores, with a column for each label where one column has the scores of all."""
    if not texts or any(file.endswith(SAVED) for file in files):
        return None if texts is None else [*texts]
    written = []
    for text in texts:
        model, columns = model_of(text)
        parts = parts_in(columns, OPTION)
        known = None
        if len(parts) == 1 and "=" not in parts[0]:
            with one_line_warnings():
                known = columns_in_one_order(
                    stripped(parts[0]), files, truth, labels, *reading.arguments.values()
                )
        if known is None:
            written.append(text)
            continue
        columns = ",".join(f"{_quoted(str(label))}={_quoted(column)}" for label, column in known.items())
        written.append(f"{_quoted(model)}:{columns}" if model else columns)
    return written


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
