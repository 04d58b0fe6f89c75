"""What every result that shows itself has in common: as text, page, notebook output, LaTeX, Markdown, plain values."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from classay.report.document import Document


def plot(what: Any, ax: Any = None, **which: Any) -> Any:
    """Draw something with matplotlib (the extra `plot`) on new axes or on those given; returns the axes."""
    from classay.report.door import plot

    return plot(what, ax, **which)


def svg(what: Any) -> str:
    """The drawing of something as an SVG text to put into a page."""
    from classay.report.door import svg

    return svg(what)


def card(what: Any) -> str:
    """A result as a card for a notebook, which styles nothing but itself and needs no script."""
    from classay.report.card import card_of

    return card_of(what)


class Shown:
    """A result that can be printed, written and published in every form.

    This is the only place below `report` that opens its door, and only when it is used.
    """

    def document(self) -> Document:
        """All that a reader sees, before rendering: facts, verdict, sections with tables of typed cells."""
        from classay.report.door import document

        return document(self)

    def report(self, path: str | Path) -> None:
        """Write one self-contained HTML page with all pictures. Raises FileError where it cannot be written."""
        from classay.report.door import write_page

        write_page(self, Path(path))

    def to_dict(self, *named: Any) -> dict[str, Any]:
        """The result as plain values: the contract of `--json` (docs/*.schema.json)."""
        from classay.report.door import as_dict

        return as_dict(self, *named)

    def to_latex(self) -> str:
        """All tables for a paper, in the style of booktabs, each with its caption."""
        from classay.report.door import for_paper
        from classay.report.paper.latex import as_latex

        return as_latex(for_paper(self))

    def methods_text(self) -> str:
        """How the result was found, as sentences for a paper, with references."""
        from classay.report.paper.methods import methods_of

        return methods_of(self.document())

    def frame(self) -> Any:
        """Every number of the result's tables as a row of a PyArrow table: .to_pandas(), polars.from_arrow(…).

        Columns: section, table, row, measure, column, value, low, high, level, method, reason, text.
        """
        from classay.report.door import frame

        return frame(self)

    def plot(self, ax: Any = None) -> Any:
        """Draw the main picture with matplotlib (the extra `plot`) on new axes or on those given; returns the axes."""
        return plot(self, ax)

    def to_markdown(self) -> str:
        """The result as Markdown, for a pull request or a page of notes."""
        from classay.report.markdown import as_markdown

        return as_markdown(self.document())

    def __str__(self) -> str:
        from classay.report.text import as_text

        return as_text(self.document())

    def _repr_html_(self) -> str:
        return card(self)
