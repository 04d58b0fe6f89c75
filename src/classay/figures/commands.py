"""The options of every command that writes a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from classay.cli.failures import one_line_warnings
from classay.errors import InputError
from classay.texts import listed

if TYPE_CHECKING:
    from classay.cli.outputs import Rendering

_PANEL = "Output"


@dataclass(frozen=True)
class FigureOptions:
    """A figure of the curves of the page."""

    figure: Annotated[
        str | None,
        typer.Option(
            metavar="OUT",
            help="Write a figure for a journal: .pdf, .svg, .png, .eps or .tiff. Needs classay[plot].",
            rich_help_panel=_PANEL,
        ),
    ] = None
    panels: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Panels and width of --figure, such as roc+calibration+net_benefit:90mm. roc:noband has no band, "
            "roc:hull the convex hull too. Default: roc, or the first picture, at 89mm.",
            rich_help_panel=_PANEL,
        ),
    ] = None

    def _plan(self) -> tuple[list[str], float]:
        """Return the names of the panels, none for the default, and the width in millimeters."""
        from classay.figures.results_in_figures import COLUMNS, names_of, width_of, words_of

        if self.panels is None or self.panels.startswith(":"):  # a width alone
            return [], width_of((self.panels or ":one column")[1:].strip())
        *others, last = names_of(self.panels)
        name, *words = last.split(":")
        widths = [word for word in words if word in COLUMNS or any(map(str.isdigit, word))]
        if len(widths) > 1:
            raise InputError(f"--panels has the widths {listed(widths)}. Name one width, such as :90mm.")
        names = [*others, ":".join([name, *(word for word in words if word not in widths)])]
        for name in names:
            words_of(name)
        return names, width_of(widths[0] if widths else "one column")

    def refuse(self) -> list[str]:
        """Return the file of the figure, if any. Raises InputError for one that cannot be drawn or written."""
        if self.figure is None:
            if self.panels is not None:
                raise InputError("--panels needs --figure. Add --figure, such as fig1.pdf.")
            return []
        from classay.figures.results_in_figures import format_of, need_libraries
        from classay.files.writing import refuse_unwritable

        format_of(self.figure)
        self._plan()
        need_libraries()
        refuse_unwritable(self.figure)
        return [self.figure]

    def contents(self, rendering: Rendering) -> dict[str, Any]:
        """Return the figure of the curves of a result, by its file; nothing without one."""
        if self.figure is None:
            return {}
        from classay.figures.results_in_figures import STYLES, drawn_as, format_of, panels_at_command

        if rendering.pages is None:
            raise InputError("This result has no pictures. Remove --figure.")
        names, width = self._plan()
        panels = panels_at_command(rendering.results, names, rendering.pages.page)
        with one_line_warnings():  # of fonts
            return {
                self.figure: {"": drawn_as(panels, format_of(self.figure), width, "Arial", STYLES["bmj"])}
            }
