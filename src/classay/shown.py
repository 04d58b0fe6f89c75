"""What every result that shows itself has in common: text, page, notebook output, LaTeX, Markdown, plain values."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeVar, Unpack

from classay.errors import ClassayError
from classay.kinds import TypedFields
from classay.warned import Warned

Key = TypeVar("Key")
Value_co = TypeVar("Value_co", covariant=True)

_door: list[Callable[[], Any]] = []


def show_by(door: Callable[[], Any]) -> None:
    """Set the function that loads the report, which stands above all results; `classay/__init__.py` calls this once."""
    _door[:] = [door]


def _report() -> Any:
    """Return the door of the report, loaded when a result is first shown."""
    return _door[0]()


class DrawingArguments(TypedDict, total=False):
    """What a drawing shows, of results that leave a choice, and how wide it is."""

    measure: str
    width: str
    share: str | None
    by: str
    costs: Any


def plot(what: Any, ax: Any = None, **which: Unpack[DrawingArguments]) -> Any:
    """Draw something with matplotlib (the extra `plot`) on new axes or on those given; returns the axes."""
    return _report().plot(what, ax, **which)


def svg(what: Any) -> str:
    """Return the drawing of something as an SVG text to put into a page."""
    text: str = _report().svg(what)
    return text


def card(what: Any) -> str:
    """Return a result as a card for a notebook, which styles nothing but itself and needs no script."""
    text: str = _report().card(what)
    return text


def methods(what: Any, names: Sequence[str] | None = None) -> str:
    """Return how a result was found, or the named measures of it, for a paper."""
    text: str = _report().methods(what, names)
    return text


class Reportable(TypedFields):
    """Result that can be printed, written and published in every format."""

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings that a reader must know before acting, the gravest first.

        Each has a code, a text, and what it concerns.

        Examples
        --------
        >>> import classay as ca
        >>> [code for code, text in ca.assess([0, 1] * 20, [0.5] * 40).warnings]
        ['tiny_class', 'constant_scores', 'never_predicted', 'default_threshold']
        """
        return ()

    def document(self) -> Any:
        """Return everything that a reader sees, before rendering.

        It is a `Document` of facts, headline, and sections with tables of cells.
        """
        return _report().document(self)

    def report(self, path: str | Path, standard: str | None = None) -> None:
        """Write one self-contained HTML page, or a Word or Excel file.

        The ending of `path` decides: .docx is Word, .xlsx is Excel. These need the extra `office`.

        Parameters
        ----------
        path : path
            File to write.
        standard : {"stard2015", "tripod+ai", "model-card"}, optional
            Reporting standard. Its checklist is added, with text from the result.

        Raises
        ------
        FileError
            If the file cannot be written.
        InputError
            If the ending of `path` is that of another office program, such as .pdf, or the standard is unknown.
        MissingExtraError
            If a library of the extra is not installed.
        """
        _report().write_report(self, Path(path), standard)

    def figure(
        self,
        panels: str,
        path: str | Path,
        width: str = "one column",
        font: str = "Arial",
        style: str = "bmj",
        others: Mapping[str, Reportable] | None = None,
    ) -> None:
        """Write curves of the page as a figure with lettered panels, for a journal.

        The curves differ by dashes, so they can be printed without colors. Groups share panels.

        Parameters
        ----------
        panels : str
            Names of pictures, joined by "+", such as "roc+calibration+net_benefit". "roc:noband" leaves
            out the band, and "roc:hull" adds the convex hull.
        path : path
            File to write: .pdf, .svg, .png, .eps or .tiff.
        width : str, default "one column"
            A length from 40 to 400 mm, such as "90mm", or "one column" (89 mm) or "two columns" (183 mm).
        font : str, default "Arial"
            Name of a font. If the font is not installed, another font is used, with a warning.
        style : {"bmj", "nature"}, default "bmj"
            Letters of the panels, and sizes of the text.
        others : mapping of str to Assessment, optional
            Further assessments by name, drawn in the same panels.

        Raises
        ------
        FileError
            If the file cannot be written.
        InputError
            If a panel is unknown or has no curve, or the width or the ending cannot be used.
        MissingExtraError
            If matplotlib (the extra `plot`) is not installed.
        """
        from classay.wings import way

        way("report.figure")(self, panels, path, width, font, style, others)

    def to_dict(self, *named: Any) -> dict[str, Any]:
        """Return the result as plain values, the contract of `--json`.

        The schemas are docs/*.schema.json.
        """
        values: dict[str, Any] = _report().as_dict(self, *named)
        return values

    def to_latex(self) -> str:
        """Return all tables for a paper, in booktabs style with captions."""
        text: str = _report().latex(self)
        return text

    def methods_text(self) -> str:
        """Write how the result was found, for a paper, with references."""
        return methods(self)

    def frame(self) -> Any:
        """Return every number of the tables as a row of a PyArrow table.

        Columns: section, table, row, measure, column, value, low, high, level, method, reason, text.
        `.to_pandas()` or `polars.from_arrow(…)` convert it.
        """
        return _report().frame(self)

    def plot(self, ax: Any = None) -> Any:
        """Draw the main picture.

        The picture needs matplotlib (the extra `plot`).

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on. The default is new axes.

        Returns
        -------
        matplotlib axes
            The axes with the picture.
        """
        return plot(self, ax)

    def to_markdown(self) -> str:
        """Return the result as Markdown, for a pull request or notes."""
        text: str = _report().markdown(self)
        return text

    def __str__(self) -> str:
        return str(_report().text(self))

    def _repr_html_(self) -> str:
        return card(self)

    def __bool__(self) -> bool:
        """A result is always true, also one that has no items."""
        return True


class ShownMapping(Reportable, Mapping[Key, Value_co]):
    """Result that is a mapping of names.

    `in` takes every spelling of a name that the brackets take. Results are equal only to themselves,
    although mappings are equal by their items.
    """

    @abstractmethod
    def _refuse_missing(self, key: Any) -> None:
        """Raise an error of classay where the brackets have nothing for a key."""

    def __contains__(self, key: object) -> bool:
        try:
            self._refuse_missing(key)
        except ClassayError:
            return False
        return True

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the value of a key, or the default.

        Parameters
        ----------
        key : label
            A name, in any spelling that the brackets take.
        default : Any, optional
            Value if `in` is False for the key.

        Returns
        -------
        Any
            The value.
        """
        return self[key] if key in self else default  # noqa: SIM401

    __eq__ = object.__eq__
    __hash__ = object.__hash__


TEXTS = frozenset(
    {
        *("section", "table", "row", "column", "text", "title", "sentence", "what", "term", "name", "time"),
        *("measure", "method", "reason", "reference", "difference_method", "difference_reason"),
        *("label", "group", "model", "dataset", "reader", "modality", "less", "ensemble", "first", "second"),
        *("test", "units", "interval", "alternative", "adjustment", "random", "finding", "more_cases"),
        *("rule", "verdict", "omissions"),
    }
)
"""Columns of text."""
FLAGS = frozenset({"may_be_best", "within_one_standard_error"})
"""Columns of yes and no; all that are neither are of numbers with a point, unless a frame says that they are whole."""


def columns_as_frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """The columns as a PyArrow table, NaN as missing: for many rows, because `frame_of` takes a dict for each row.

    >>> columns_as_frame({"true": ["a", "b"], "share": [0.5, float("nan")]})["share"].null_count
    1
    """
    import pyarrow as pa

    return pa.table({name: pa.array(values, from_pandas=True) for name, values in columns.items()})


ColumnKind = Literal["text", "flag", "whole", "number"]


def frame_of(
    rows: Sequence[Mapping[str, object]],
    columns: Sequence[str] = (),
    kinds: Mapping[str, ColumnKind] | None = None,
) -> Any:
    """The rows as a PyArrow table whose columns have the same types whatever is in them, so that tables can be stacked.

    `kinds` or the name of a column decide its type: `TEXTS`, `FLAGS`, else numbers. `columns` are names that are there
    also without rows.

    >>> frame_of([{"measure": "recall", "value": 1, "level": None, "reason": None}]).schema.types
    [DataType(string), DataType(double), DataType(double), DataType(string)]
    """
    import pyarrow as pa

    names = dict.fromkeys([*columns, *(name for row in rows for name in row)])
    known = kinds or {}
    return pa.table(
        {name: column_of(name, [row.get(name) for row in rows], known.get(name)) for name in names}
    )


def column_of(name: str, values: Any, kind: ColumnKind | None = None) -> Any:
    """Return a column of a frame as a PyArrow array, of a kind or of that of its name."""
    import pyarrow as pa

    types = {"text": pa.string(), "flag": pa.bool_(), "whole": pa.int64(), "number": pa.float64()}
    return pa.array(
        values, types[kind or ("text" if name in TEXTS else "flag" if name in FLAGS else "number")]
    )
