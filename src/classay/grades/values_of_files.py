"""Columns of values in several files, a file for each model, and ids of several columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from classay.comparison.cases.model_columns import refuse_contradictions
from classay.errors import InputError
from classay.sources.inputs import orders_by_id

if TYPE_CHECKING:
    import pyarrow as pa

Files = Sequence[tuple[str, list[str]]]
"""Files, each with the columns that are read."""


class Reading(Protocol):
    """How files are read."""

    def column_names(self, file: str) -> list[str]:
        """Return the names of all columns of a file."""


class Sources(Protocol):
    """Files of the command, and the column of ids."""

    @property
    def reading(self) -> Reading:
        """How the files are read."""

    @property
    def files(self) -> tuple[str, ...]:
        """The files."""

    @property
    def id(self) -> str | None:
        """The column of ids, or several joined by commas."""

    def read_all(self, files: Files, labels: Sequence[str] = ()) -> list[Any]:
        """Return the columns of several files."""


def joined_values(
    sources: Sources,
    models: list[str],
    values: Sequence[str],
    described: Sequence[str],
    ids: Sequence[str],
    labels: Sequence[str],
) -> tuple[list[str], pa.Table]:
    """Return the models, a file for each, and one table with the values of each, joined by ids.

    The columns `described` and `ids` come from the first file, and those `described` must not differ in others that
    have them. Cases that a file lacks have no value.
    """
    import pyarrow as pa

    if sources.id is None or len(values) != 1:
        raise InputError(
            "Several files need one column of values and the ids of their cases. Use --graded COL --id COL."
        )
    of_files = [sources.reading.column_names(file) for file in sources.files]
    files = [
        (file, [sources.id, *values, *(name for name in described if name in names or not number)])
        for number, (file, names) in enumerate(zip(sources.files, of_files, strict=True))
    ]
    files[0][1].extend(ids)
    tables = dict(zip(models, sources.read_all(files, labels), strict=True))
    orders = orders_by_id({name: table[sources.id] for name, table in tables.items()}, "keep")
    refuse_contradictions(tables, orders, described)
    rows = {name: [None if at < 0 else at for at in order.tolist()] for name, order in orders.items()}
    columns = {name: tables[models[0]][name].take(rows[models[0]]) for name in (*described, *ids)}
    columns |= {name: table[values[0]].take(rows[name]) for name, table in tables.items()}
    return models, pa.table(columns)


Read = Callable[..., Sequence[Any]]


def with_composite_ids(read: Read, id: str | None, parts: Sequence[str]) -> Read:
    """Return a reader of tables whose id may be several columns, such as `item,epoch`."""
    if id is None or [*parts] == [id]:
        return read

    def reading(
        files: Files,
        *,
        labels: Sequence[str],
        together: Sequence[str],
        named: Sequence[Any],
        weight: str | None,
    ) -> list[Any]:
        import pyarrow.compute as pc

        def expanded(names: Sequence[str]) -> list[str]:
            return [*dict.fromkeys(part for name in names for part in (parts if name == id else [name]))]

        tables = read(
            [(file, expanded(names)) for file, names in files],
            labels=expanded(labels),
            together=together,
            named=named,
            weight=weight,
        )
        return [
            table.append_column(
                id, pc.binary_join_element_wise(*(table[part].cast("string") for part in parts), ", ")
            )
            for table in tables
        ]

    return reading
