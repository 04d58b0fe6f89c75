"""`classay compare --dataset`: models over many data sets, from one file of results."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, cast

from classay.cli.compare import Aim, Sources, Wanted, ready, write
from classay.cli.outputs import waiting
from classay.errors import InputError


@dataclass(frozen=True)
class Table:
    """The columns of a file of results over data sets."""

    dataset: str | None
    model: str | None
    value: str | None
    run: str | None
    better: str | None

    def is_named(self) -> bool:
        """Whether the file is one of results; refuse columns of one without the data set."""
        given = [name for name, value in asdict(self).items() if value is not None]
        if given and self.dataset is None:
            raise InputError(
                f"--{given[0]} is of results over data sets: name their column of data sets too, with --dataset."
            )
        return bool(given)


def run_results(sources: Sources, table: Table, aim: Aim, wanted: Wanted, **how: Any) -> None:
    """Compare models over many data sets by a file of results, and write every output asked for."""
    from classay.comparison.compare import compare
    from classay.sources.files import column_names

    ready(sources, wanted)
    if len(sources.files) > 1:
        raise InputError(
            f"{len(sources.files)} files are named, and one holds results over data sets: pass it alone."
        )
    columns = [table.dataset, table.model, table.value, table.run]
    named = [name for name in columns if name is not None]
    file = sources.files[0]
    with waiting("reading"):
        if table.model is None and table.value is None:
            kind = cast(Any, sources.format)
            named = [name for name, _ in column_names(file, format=kind, delimiter=sources.delimiter)]
        labels = [name for name in (table.dataset, table.model, table.run) if name is not None]
        frame = sources.read(file, named, labels=labels)
    write(compare(frame, **asdict(table), **asdict(aim), **how), wanted)
