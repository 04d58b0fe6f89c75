"""The options of every command that writes a result."""

from __future__ import annotations

from dataclasses import dataclass
from os.path import splitext
from typing import Annotated

import typer

_PANEL = "Output"


@dataclass(frozen=True)
class OfficeOptions:
    """Files of office programs."""

    docx: Annotated[
        str | None,
        typer.Option(
            metavar="OUT",
            help="Write a Word file with tables, pictures and methods. Needs classay[office].",
            rich_help_panel=_PANEL,
        ),
    ] = None
    xlsx: Annotated[
        str | None,
        typer.Option(
            metavar="OUT",
            help="Write an Excel file with all rows of all tables. Needs classay[office].",
            rich_help_panel=_PANEL,
        ),
    ] = None

    def refuse(self) -> list[str]:
        """Return the drawings that a Word file may have beside it."""
        if self.docx is None:
            return []
        from classay.office.results_in_word import BESIDE, MOST_PICTURES

        stem = splitext(self.docx)[0]
        return [f"{stem}{BESIDE.format(k)}" for k in range(1, MOST_PICTURES + 1)]
