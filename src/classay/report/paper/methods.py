"""How a result was found, in sentences, from its document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from classay.inference.references import reference_list
from classay.inference.registry import sources
from classay.inference.words import SPELLED, title
from classay.report.document import Difference, Document, Found, Label, Prose, Section, Table
from classay.report.paper.sentences import of_facts
from classay.texts import clean, listed


def methods_of(document: Document) -> str:
    """How a result was found: the text its builder wrote, or what its facts, intervals and references say."""
    written = document.section("methods")
    if written is not None:
        return "\n\n".join(part.text for part in written.parts if isinstance(part, Prose))
    random = [
        part.text
        for section in document.sections
        if section.title == RANDOM
        for part in section.parts
        if isinstance(part, Prose)
    ]
    version = [f"Computed with classay {document.version}."] if document.version else []
    cited = dict.fromkeys(
        (*document.sources, *(each for found in _methods(document) for each in sources(found)))
    )
    references = reference_list(cited, _methods(document))
    said = " ".join(
        [f"{document.title}.", *of_facts(document.facts), *_of_intervals(document), *random, *version]
    )
    return "\n\n".join(filter(None, (clean(said).replace("`", ""), references)))


RANDOM = "What is random"
"""The title of the section that says it."""


def _of_intervals(document: Document) -> Iterator[str]:
    """The intervals by their methods, and the numbers that have each."""
    levels = {level for table in document.tables for level in table.levels}
    of_level = f" of level {100 * level:g} %" if len(levels) == 1 and (level := next(iter(levels))) else ""
    by_method = _methods(document)
    if by_method:
        said = "; ".join(f"{listed(list(names))} by {method}" for method, names in by_method.items())
        yield f"Intervals{of_level} were computed for {said}."


def _methods(document: Document) -> dict[str, dict[str, None]]:
    """The names of what has an interval, by its method, in their order."""
    found: dict[str, dict[str, None]] = {}
    tables = (
        (section, part) for section in document.sections for part in section.parts if isinstance(part, Table)
    )
    for section, table in tables:
        for row in table.rows:
            for column, cell in zip(table.columns, row, strict=True):
                if isinstance(cell, Found) and cell.estimate.has_interval:
                    names = found.setdefault(clean(cell.estimate.method or ""), {})
                    name = _named(section, table, row[0], column.name or column.head)
                    names[f"the difference in {name}" if isinstance(cell, Difference) else name] = None
    return found


def _named(section: Section, table: Table, first: Any, column: str) -> str:
    """What a number is called in a sentence: by its measure, or by its row where that says what it is."""
    if isinstance(first, Label) and first.name:
        return title(first.name)
    if (
        column in ("value", "", "difference")
        or sum(issubclass(each.kind, Found) for each in table.columns) == 1
    ):
        above = table.title or (section.title if table.picture is not None else "")
        if table.columns[0].head and above:  # rows of groups or models: the table says of what
            return _in_sentence(above)
        return first.text if isinstance(first, Label) and first.text else above or column
    return column.replace("_", " ")


def _in_sentence(heading: str) -> str:
    """A heading within a sentence: proper names and abbreviations keep their capitals."""
    first = heading.split(maxsplit=1)[0]
    return (
        heading if first in SPELLED.values() or not first[1:].islower() else heading[0].lower() + heading[1:]
    )
