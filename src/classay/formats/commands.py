"""The options of commands that say how a file is laid out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from classay.formats.layout import Layout

_PANEL = "Columns"


@dataclass(frozen=True)
class LayoutOptions(Layout):
    """How a file is laid out, if its content does not show it."""

    sheet: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Sheet of a workbook, table of a SQLite file, or data frame of an .rda file.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    range: Annotated[
        str | None,
        typer.Option(
            metavar="A1:F99", help="Cells of a sheet with the table and its header.", rich_help_panel=_PANEL
        ),
    ] = None
    decimal: Annotated[
        str | None,
        typer.Option(
            metavar="CHAR", help="Decimal mark of numbers as text, such as ','.", rich_help_panel=_PANEL
        ),
    ] = None
    na: Annotated[
        str | None,
        typer.Option(
            "--na",
            metavar="A,B,…",
            help="Words for missing values, such as unknown,-9.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    header_line: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Line of a CSV file, or row of a sheet, with the column names.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    date_format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT", help="Format of dates as text, such as %d.%m.%Y.", rich_help_panel=_PANEL
        ),
    ] = None
    columns_from: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="File with more columns, such as true labels, of the same rows in the same order.",
            rich_help_panel=_PANEL,
        ),
    ] = None
