"""The option of every command that writes a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from classay.errors import check_word

_PANEL = "Output"


@dataclass(frozen=True)
class ChecklistOptions:
    """The reporting standard whose checklist ends every document."""

    standard: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Add the checklist of stard2015, tripod+ai or model-card, filled with what the result knows.",
            rich_help_panel=_PANEL,
        ),
    ] = None

    def changed(self, document: Any) -> Any:
        """Return the document with the checklist that was requested."""
        from classay.checklists.results_of_checklists import with_checklist

        return document if self.standard is None else with_checklist(document, self.standard)  # type: ignore[arg-type]

    def refuse(self) -> list[str]:
        """Refuse a standard that is not known, before the work; no file is written."""
        from classay.checklists.results_of_checklists import STANDARDS

        if self.standard is not None:
            check_word("--standard", self.standard, STANDARDS)
        return []
