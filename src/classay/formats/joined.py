"""Two files with the same rows in the same order, read as one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from classay.errors import FileError
from classay.formats.layout import option
from classay.formats.lines import warn
from classay.sources.files import column_names, read_tables
from classay.sources.inputs import Input, chosen
from classay.wings import brought, thing

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = "joined"
_IDS = ("id", "tag")
"""Columns that must agree if both files have them."""


@dataclass(frozen=True)
class Parts:
    """Two files that are read as one, each prepared."""

    first: Input
    second: Input


def join(first: Input, second: Input) -> Input:
    """Return one input of two."""
    return replace(first, format=FORMAT, delimiter="", layout=(Parts(first, second),))


def read(source: Input, columns: Sequence[str] | None, labels: Sequence[str]) -> pa.Table:
    """Return the named columns of both files. Raises FileError if their rows are not the same."""
    parts = _parts(source)
    names = [[name for name, _ in column_names(part)] for part in (parts.first, parts.second)]
    ids = [name for name in _IDS if all(available.count(name) == 1 for available in names)]
    available = [*names[0], *(name for name in names[1] if name not in ids)]
    wanted = chosen(columns, available, f"{parts.first.name} with {parts.second.name}")
    # A file of which nothing is asked for is read all the same, because its rows are counted.
    to_read = [
        [*dict.fromkeys([*(name for name in wanted if name in part), *ids])] or part[:1] for part in names
    ]
    first, second = read_tables(
        [(parts.first, to_read[0]), (parts.second, to_read[1])], labels=[*labels, *ids], together=labels
    )
    _refuse_other_rows(parts, first, second, ids)
    known = brought("formats").get(parts.second.format)
    title = "" if known is None or thing(known).endings else f" ({thing(known).title})"
    warn(f"The rows of {parts.first.name} and {parts.second.name}{title} are joined in their order.")
    for name in second.column_names:
        first = first.append_column(name, second[name]) if name not in first.column_names else first
    return first.select(wanted)


def _refuse_other_rows(parts: Parts, first: pa.Table, second: pa.Table, ids: Sequence[str]) -> None:
    """Refuse files with different numbers of rows, or with ids that show another order."""
    wants = f"{option('columns_from')} needs a file with the same rows in the same order."
    if first.num_rows != second.num_rows:
        raise FileError(
            f"{parts.first.name} has {first.num_rows:,} rows, but {parts.second.name} has {second.num_rows:,}. {wants}"
        )
    for name in ids:
        pairs = zip(first[name].to_pylist(), second[name].to_pylist(), strict=True)
        if (pair := next((pair for pair in pairs if pair[0] != pair[1]), None)) is not None:
            raise FileError(
                f"{name} is {pair[0]!r} in {parts.first.name}, but {pair[1]!r} in the same row of {parts.second.name}. "
                f"{wants}"
            )


def schema(source: Input) -> list[tuple[str, str]]:
    """Names and types of the columns of both files."""
    parts = _parts(source)
    first, second = column_names(parts.first), column_names(parts.second)
    ids = {name for name, _ in first} & {*_IDS}
    return [*first, *(column for column in second if column[0] not in ids)]


def _parts(source: Input) -> Parts:
    return next(entry for entry in source.layout if isinstance(entry, Parts))
