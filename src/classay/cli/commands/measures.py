"""`classay measures`: the registry, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from classay.cli.failures import guarded, listing_console
from classay.cli.options import Text
from classay.measures import ALIASES, FAMILIES, MEASURES, Measure, get
from classay.measures.registry import undefined_text
from classay.measures.vocabulary import REFERENCES

if TYPE_CHECKING:
    from rich.console import Console

OF = {
    "counts": "one class (the positive one, or each against the rest)",
    "margins": "all classes",
    "matrix": "all classes, in their order",
    "scores": "the scores of two classes",
    "probabilities": "probabilities",
    "class_scores": "the scores of several classes",
    "cases": "the scores of several classes",
    "tags": "cases with several labels each",
    "tag_scores": "the scores of several labels a case",
}


EXAMPLE = "Example: classay measures f1"
WIDE = 150
"""Columns of a terminal in which a table of all measures breaks no name."""


@guarded
def measures(
    name: Annotated[
        Text,
        typer.Argument(help="A measure, by name or alias.", autocompletion=lambda: [*MEASURES, *ALIASES]),
    ] = None,
) -> None:
    """List the measures, or explain one: formula, range, best value, when it is undefined, reference."""
    if name is None:
        list_measures()
    else:
        explain(name)


def list_measures() -> None:
    """Print every measure: name, aliases, formula, range, best value."""
    from rich.table import Table
    from rich.text import Text

    console = listing_console()
    shown = _stacked if console.width < WIDE else _tabled
    for needs, title in OF.items():
        chosen = [measure for measure in MEASURES.values() if measure.needs == needs]
        shown(console, f"Of {title}" if needs not in ("cases",) else None, chosen)
        console.print()
    table = Table(
        title="On request, by name (write the parameters in brackets)", title_justify="left", box=None
    )
    table.add_column("name", overflow="fold")
    table.add_column("meaning", overflow="fold")
    for family in FAMILIES.values():
        table.add_row(Text(family.written), Text((family.build.__doc__ or "").strip().partition("\n")[0]))
    console.print(table)
    console.print()
    console.print("classay measures NAME explains one: when it is undefined, and the reference.")


def _tabled(console: Console, title: str | None, chosen: list[Measure]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", box=None)
    for column in ("name", "formula", "range", "best", "also called"):
        table.add_column(column, overflow="fold", no_wrap=column == "name")
    for measure in chosen:
        about = (measure.name, measure.formula, _range(measure), _best(measure), ", ".join(measure.aliases))
        table.add_row(*map(Text, about))
    console.print(table)


def _stacked(console: Console, title: str | None, chosen: list[Measure]) -> None:
    """In a narrow terminal columns would break the names."""
    from rich.padding import Padding
    from rich.text import Text

    if title is not None:
        console.print(Text(title, style="italic"))
    for measure in chosen:
        also = f"also: {', '.join(measure.aliases)}" if measure.aliases else ""
        console.print(Text(f"{measure.name}: {_range(measure)}, best {_best(measure)}"))
        for text in filter(None, (measure.formula, also)):
            console.print(Padding(Text(text), (0, 0, 0, 4)))


def explain(name: str) -> None:
    """Print all that is known of one measure, its intervals too."""
    from classay.inference import intervals  # noqa: F401  fills the registry
    from classay.inference.methods import described

    measure = get(name)
    lines = [
        ("title", measure.title),
        ("name", measure.name),
        ("also called", ", ".join(alias for alias, of in ALIASES.items() if of == measure.name) or "–"),
        ("formula", measure.formula),
        ("meaning", _meaning(measure)),
        ("range", _range(measure)),
        ("best", _best(measure)),
        ("undefined", undefined_text(measure)),
        ("of", OF[measure.needs]),
        ("reference", REFERENCES[measure.reference]),
        *described(measure),
    ]
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    for key, text in lines:
        if text:
            table.add_row(Text(key, style="dim"), Text(text))
    listing_console().print(table)


def _meaning(measure: Measure) -> str:
    written = (measure.__doc__ or "").split("\n\n")[0]
    return " ".join(written.removeprefix(f"{measure.title}, {measure.formula}. ").split())


def _range(measure: Measure) -> str:
    low, high = (_infinite(bound) for bound in measure.bounds)
    return f"{'(' if low == '-∞' else '['}{low}, {high}{')' if high == '∞' else ']'}"


def _best(measure: Measure) -> str:
    return "–" if measure.best is None else _infinite(measure.best)


def _infinite(value: float) -> str:
    return {float("inf"): "∞", float("-inf"): "-∞"}.get(value, f"{value:g}")
