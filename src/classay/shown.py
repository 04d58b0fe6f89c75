"""What every result that shows itself has in common: text, page, notebook output, LaTeX, Markdown, plain values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from classay.kinds import OfKinds
from classay.warned import Warned

_door: list[Callable[[], Any]] = []


def show_by(door: Callable[[], Any]) -> None:
    """Set the function that loads the report, which stands above all results; `classay/__init__.py` calls this once."""
    _door[:] = [door]


def _report() -> Any:
    """The door of the report, loaded when a result is first shown."""
    return _door[0]()


def plot(what: Any, ax: Any = None, **which: Any) -> Any:
    """Draw something with matplotlib (the extra `plot`) on new axes or on those given; returns the axes."""
    return _report().plot(what, ax, **which)


def svg(what: Any) -> str:
    """The drawing of something as an SVG text to put into a page."""
    text: str = _report().svg(what)
    return text


def card(what: Any) -> str:
    """A result as a card for a notebook, which styles nothing but itself and needs no script."""
    text: str = _report().card(what)
    return text


class Shown(OfKinds):
    """A result that can be printed, written and published in every form; the report is loaded at the first use."""

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """What a reader must know before acting on the numbers, the gravest first: codes, texts, what they concern.

        >>> import classay as ca
        >>> [code for code, text in ca.assess([0, 1] * 20, [0.5] * 40).warnings]
        ['tiny_class', 'constant_scores', 'not_above_baseline', 'never_predicted', 'default_threshold']
        """
        return ()

    def document(self) -> Any:
        """All that a reader sees, before rendering: a `Document` of facts, verdict, sections with tables of cells."""
        return _report().document(self)

    def report(self, path: str | Path) -> None:
        """Write one self-contained HTML page with all pictures. Raises FileError where it cannot be written."""
        _report().write_page(self, Path(path))

    def to_dict(self, *named: Any) -> dict[str, Any]:
        """The result as plain values: the contract of `--json` (docs/*.schema.json)."""
        values: dict[str, Any] = _report().as_dict(self, *named)
        return values

    def to_latex(self) -> str:
        """All tables for a paper, in the style of booktabs, each with its caption."""
        text: str = _report().latex(self)
        return text

    def methods_text(self) -> str:
        """How the result was found, as sentences for a paper, with references."""
        text: str = _report().methods(self)
        return text

    def frame(self) -> Any:
        """Every number of the result's tables as a row of a PyArrow table: .to_pandas(), polars.from_arrow(…).

        Columns: section, table, row, measure, column, value, low, high, level, method, reason, text.
        """
        return _report().frame(self)

    def plot(self, ax: Any = None) -> Any:
        """Draw the main picture with matplotlib (the extra `plot`) on new axes or on those given; returns the axes."""
        return plot(self, ax)

    def to_markdown(self) -> str:
        """The result as Markdown, for a pull request or a page of notes."""
        text: str = _report().markdown(self)
        return text

    def __str__(self) -> str:
        return str(_report().text(self))

    def _repr_html_(self) -> str:
        return card(self)


TEXTS = frozenset(
    {
        *(
            "measure",
            "method",
            "reason",
            "label",
            "group",
            "model",
            "reference",
            "adjustment",
            "sentence",
            "title",
        ),
        *("section", "table", "row", "column", "text"),
    }
)
"""Columns of text; all others that may be empty are of numbers."""


def columns_as_frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """The columns as a PyArrow table, NaN as missing: for many rows, because `frame_of` takes a dict for each row.

    >>> columns_as_frame({"true": ["a", "b"], "share": [0.5, float("nan")]})["share"].null_count
    1
    """
    import pyarrow as pa

    return pa.table({name: pa.array(values, from_pandas=True) for name, values in columns.items()})


def frame_of(rows: Sequence[Mapping[str, Any]]) -> Any:
    """The rows as a PyArrow table; the name of a column without any value decides between texts and numbers.

    >>> frame_of([{"measure": "recall", "value": 0.5, "level": None, "reason": None}]).schema.types
    [DataType(string), DataType(double), DataType(double), DataType(string)]
    """
    import pyarrow as pa

    table = pa.Table.from_pylist(list(rows))
    for k, field in enumerate(table.schema):
        if pa.types.is_null(field.type):
            kind = pa.string() if field.name in TEXTS else pa.float64()
            table = table.set_column(k, field.name, table.column(k).cast(kind))
    return table
