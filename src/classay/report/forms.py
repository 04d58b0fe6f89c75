"""The forms in which a result is written: pages and texts of the core, and the files that wings bring."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module

from classay.errors import told_of_extras
from classay.report.document import Document
from classay.wings import brought, thing

Made = Callable[[], Document]
Content = str | Mapping[str, bytes]
"""A text; or files that lie beside each other, by what stands behind the name of the first without its ending."""


@dataclass(frozen=True)
class Pages:
    """The documents of a result, built when a form uses them: to be read, with pictures, and for a paper."""

    document: Made
    page: Made
    paper: Made

    @classmethod
    def alike(cls, document: Made) -> Pages:
        """Return the pages of a result that has one document for all forms."""
        return cls(document, document, document)

    def changed(self, change: Callable[[Document], Document]) -> Pages:
        """Return the pages after the same change of all documents."""
        return Pages(*(partial(_changed, change, make) for make in (self.document, self.page, self.paper)))


def _changed(change: Callable[[Document], Document], make: Made) -> Document:
    return change(make())


@dataclass(frozen=True)
class FileForm:
    """A form of files that are no text: what it is for, the libraries that write it, and the function that does."""

    purpose: str
    libraries: tuple[str, ...]
    files: Callable[[Pages], Mapping[str, bytes]]

    def need_libraries(self) -> None:
        """Raise MissingExtraError where a library is not installed."""
        with told_of_extras(self.purpose):
            for library in self.libraries:
                import_module(library)


def file_form(name: str) -> FileForm | None:
    """Return the form that a wing brings under a name, such as "docx"; None where none does."""
    place = brought("outputs").get(name)
    return None if place is None else thing(place)


def rendered(name: str, pages: Pages) -> Content:
    """Return a result in the form of a name."""
    if name == "html":
        from classay.report.html import as_page

        return as_page(pages.page())
    from classay.report.paper import as_latex, as_markdown

    if name == "latex":
        return as_latex(pages.paper())
    if name == "markdown":
        return as_markdown(pages.document())
    form = file_form(name)
    assert form is not None, f"nothing writes {name}"
    form.need_libraries()
    return form.files(pages)
