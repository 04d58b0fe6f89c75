"""The one door of `shown.Shown`: which builder makes the document of each kind of result, and which its JSON."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from classay.errors import InputError
from classay.files.writing import write_content
from classay.report.built import built
from classay.report.document import COVERS, Document, Prose, Section
from classay.report.drawings import Drawing
from classay.report.forms import Content, Pages, file_form, rendered
from classay.shown import Reportable
from classay.texts import listed
from classay.wings import brought, thing, way


def document(shown: Any) -> Document:
    """Return the document of a result, without curves."""
    return built(shown, "document_of")(shown)  # type: ignore[no-any-return]


def with_pictures(shown: Any) -> Document:
    """Return the document of a result, with the curves and the methods that only a page shows."""
    page: Document = (built(shown, "page_of") or built(shown, "document_of"))(shown)
    draw = built(shown, "with_pictures")
    return _with_methods(page if draw is None else draw(page, shown))


def _with_methods(page: Document) -> Document:
    """Return a page that has a section on methods wherever its builder wrote of them."""
    from classay.report.paper import methods_of

    if not page.methods or page.section("methods") is not None:
        return page
    own = replace(page, sections=tuple(section for section in page.sections if section.title != COVERS))
    written = tuple(Prose(paragraph) for paragraph in methods_of(own).split("\n\n"))
    last = [k for k, section in enumerate(page.sections) if section.title == COVERS or section.role == "next"]
    at = last[0] if last else len(page.sections)
    methods = Section("Methods", written, "methods", is_folded=True)
    return replace(page, sections=(*page.sections[:at], methods, *page.sections[at:]))


def frame(shown: Any) -> Any:
    """Return the numbers of a result as rows: as its builder wants them, or those of its document."""
    from classay.report.paper import numbers_of

    builder = built(shown, "frame_of")
    return numbers_of(document(shown)) if builder is None else builder(shown)


def for_paper(shown: Any) -> Document:
    """Return the document of a result, with the tables that only a paper wants."""
    page, more = document(shown), built(shown, "for_paper")
    return page if more is None else more(page, shown)


def pages(shown: Any) -> Pages:
    """Return the documents of which each form of a result is made."""
    return Pages(partial(document, shown), partial(with_pictures, shown), partial(for_paper, shown))


def write_report(shown: Any, path: Path, standard: str | None = None) -> None:
    """Write a result as a page, or in the form of its ending. Raises FileError where that cannot be."""
    forms = pages(shown)
    if standard is not None:
        forms = forms.changed(partial(way("report.standard"), standard=standard))
    name = path.suffix[1:].lower()
    if name in OF_OFFICES and file_form(name) is None:
        raise InputError(f"Reports cannot have the ending .{name}. Use {listed(_endings(), 'or')}.")
    write_content(path, rendered(name if name in OF_OFFICES else "html", forms))


OF_OFFICES = ("docx", "xlsx", "doc", "xls", "odt", "ods", "pdf", "pptx")
"""Endings of files that office programs read, which a page is not."""


def _endings() -> list[str]:
    return [".html", *(f".{name}" for name in brought("outputs"))]


def text(shown: Any) -> str:
    """Return the text of a result, as it is printed."""
    from classay.report.text import as_text

    return as_text(document(shown))


def markdown(shown: Any) -> Content:
    """Return a result as Markdown."""
    return rendered("markdown", pages(shown))


def latex(shown: Any) -> Content:
    """Return all tables of a result for a paper."""
    return rendered("latex", pages(shown))


def methods(shown: Any, names: Any = None) -> str:
    """Return how a result was found, or the named measures of it, in sentences."""
    from classay.report.paper import methods_of

    return methods_of(document(shown) if names is None else built(shown, "document_of")(shown, names=names))


def card(what: Any) -> str:
    """Return a result as a card of a notebook."""
    from classay.report.card import card_of

    return card_of(what)


def as_dict(shown: Any, *named: Any) -> dict[str, Any]:
    """Return a result as plain values, its JSON."""
    values: dict[str, Any] = built(shown, "as_dict")(shown, *named)
    return values


def plot(
    what: Any,
    ax: Any = None,
    *,
    measure: str = "",
    width: str = "screen",
    share: str | None = None,
    by: str = "row",
    costs: Any = None,
) -> Any:
    """Draw curves, mean ranks, a confusion matrix, parts of a loss, a measure of slices, or a result's main picture."""
    from classay.report.paper import draw
    from classay.report.pictures.plots import plot as plot_curves

    draws = brought("drawings")
    for kind in type(what).__mro__:
        if kind.__module__.startswith("classay.") and (place := draws.get(kind.__name__)):
            return thing(place)(what, ax, Drawing(measure, share, by, costs))
    return (
        draw(with_pictures(what), ax, width) if isinstance(what, Reportable) else plot_curves(what, ax, width)
    )


def svg(what: Any) -> str:
    """Mean ranks as SVG."""
    text: str = built(what, "svg")(what)
    return text
