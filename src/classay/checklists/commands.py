"""The option of every command that writes a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from classay.errors import check_word

_PANEL = "Output"


@dataclass(frozen=True)
class ChecklistOptions:
    """The reporting standard of the checklist at the end of every document."""

    standard: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Add the checklist of stard2015, tripod+ai or model-card, with text from the result.",
            rich_help_panel=_PANEL,
        ),
    ] = None

    def changed(self, document: Any) -> Any:
        """Return the document with the checklist that was requested."""
        if self.standard is None:
            return document
        from classay.checklists.results_of_checklists import with_checklist

        return with_checklist(document, self.standard)  # type: ignore[arg-type]

    def refuse(self) -> list[str]:
        """Refuse an unknown standard before the work; it has no file of its own."""
        if self.standard is not None:
            from classay.checklists.results_of_checklists import STANDARDS

            check_word("--standard", self.standard, STANDARDS)
        return []
