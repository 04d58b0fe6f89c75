"""How files spell labels: what a text or a number of a file means is known when all of its column are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, Literal

from classay.columns import Coded, Labels, code_labels
from classay.columns.numbers import RoundedError, as_array
from classay.columns.uniting import labels_of, united
from classay.columns.values import whole_numbers
from classay.errors import FileError, InputError, MergeError
from classay.sources.delimited import typed_texts

Spelling = Literal["text", "json"]
"""Text is a number or a truth value where all texts of the column are; JSON has one kind of numbers, with and without
a decimal point."""
Raw = tuple[str, Any]
"""What stands in a file, beside the name of its type: 1 and 1.0 are equal in Python. Whole numbers beyond 64 bits are
of type "int", and texts."""


_NONE = Labels((), "sorted")


@dataclass(frozen=True)
class Known:
    """The labels that are known by now: those that are what they seem, and those of files by how they are written.

    What texts mean is decided from all columns of labels of all files of text together: they are numbers, or truth
    values, where those of every column are. JSON says of each column what it holds.
    """

    plain: Labels = _NONE
    written: Mapping[tuple[Spelling, str], frozenset[Raw]] = field(default_factory=dict)

    @classmethod
    def of_column(cls, column: Any, name: str, spelling: Spelling | None) -> Known:
        """The labels of a column."""
        coded = code_labels(column, name)
        if spelling is None:
            return cls(labels_of(coded))
        beyond = spelling == "json" and _is_dictionary(column)
        kinds = ("int" if beyond else type(each).__name__ for each in coded.labels)
        return cls(written={(spelling, name): frozenset(zip(kinds, coded.labels, strict=True))})

    def __or__(self, other: Known) -> Known:
        """Both. Raises InputError for labels that cannot be united."""
        written = dict(self.written)
        for place, raws in other.written.items():
            written[place] = written.get(place, frozenset()) | raws
        return Known(_united(self.plain, other.plain), written)

    def __le__(self, other: Known) -> bool:
        if not {*self.plain} <= {*other.plain}:
            return False
        if self.plain.is_given and _united(other.plain, self.plain) != other.plain:
            return False
        return all(raws <= other.written.get(place, frozenset()) for place, raws in self.written.items())

    @cached_property
    def labels(self) -> Labels:
        """All labels, as what they are."""
        meant = (label for place in self.written for label in self.meaning(*place).values())
        return _united(self.plain, Labels.sorted(meant))

    def meaning(self, spelling: Spelling, name: str) -> dict[Any, Any]:
        """The label that each text or number of a column stands for. Raises FileError for texts among numbers."""
        if spelling == "json":
            return _of_json(self.written.get((spelling, name), frozenset()), name)
        return self._texts.get(name, {})

    def refuse_apart(self) -> None:
        """Refuse a column of text that by itself is of numbers, and shares no text with those that are none.

        Only when all rows are read it is known. Raises InputError.
        """
        columns, typed, text = self._read
        for name, values in typed.items():
            if text and not _are_text(values) and text.isdisjoint(columns[name]):
                raise InputError(
                    f"column {name!r} holds numbers such as {values[-1]!r}, and other labels are text such as "
                    f"{max(text)!r}, with none in common: write the labels of all columns alike."
                )

    @cached_property
    def _read(self) -> tuple[dict[str, list[str]], dict[str, Sequence[Any]], set[str]]:
        """The texts of each column, what they are by themselves, and all labels that are texts whatever others are."""
        written = {place[1]: raws for place, raws in self.written.items() if place[0] == "text" and raws}
        columns = {name: sorted(text for _, text in raws) for name, raws in written.items()}
        typed = {name: _typed(texts) for name, texts in columns.items()}
        of_json = (raws for (spelling, _), raws in self.written.items() if spelling == "json")
        found = chain(
            self.plain, *typed.values(), (label for raws in of_json for kind, label in raws if kind == "str")
        )
        return columns, typed, {label for label in found if isinstance(label, str)}

    @cached_property
    def _texts(self) -> dict[str, dict[Any, Any]]:
        """The label of each text, by columns: as numbers or truth values, unless any label is a text."""
        columns, typed, text = self._read
        return {
            name: dict(zip(texts, texts if text else typed[name], strict=True))
            for name, texts in columns.items()
        }

    def meant(self, column: Any, name: str, spelling: Spelling | None) -> Any:
        """A column as the labels that it stands for."""
        import pyarrow as pa

        if spelling is None:
            return column
        coded: Coded = code_labels(column, name)
        means = self.meaning(spelling, name)
        values = pa.array([means[label] for label in coded.labels])
        return pa.DictionaryArray.from_arrays(pa.array(coded.codes, mask=coded.codes < 0), values)


def _united(known: Labels, found: Labels) -> Labels:
    if known == found and known.source == found.source:
        return known
    try:
        return united((("in other rows", known), ("in these", found)))
    except MergeError as error:
        raise InputError(str(error)) from None


def spelled(labels: Iterable[Any], places: Iterable[tuple[Spelling, str]]) -> Known:
    """Labels that somebody declared, for columns in which they are written as Python prints them."""
    texts = frozenset(("str", str(label)) for label in labels)
    return Known(Labels.of(labels), {place: texts for place in places if place[0] == "text"})


Kind = Literal["decimals", "whole numbers", "truth values", "texts"]


def kind_of_numbers(column: Any, spelling: Spelling) -> Kind | None:
    """What the values of a column that should hold numbers are, as rows of a file are told; None where all are missing.

    Texts of delimited text are whole numbers beyond 64 bits, or will be refused; of JSON those that stand in a
    dictionary are.

    >>> import pyarrow as pa
    >>> kind_of_numbers(pa.array(["1"]), "text"), kind_of_numbers(pa.array(["1"]), "json")
    ('whole numbers', 'texts')
    >>> kind_of_numbers(pa.array([True]), "text"), kind_of_numbers(pa.nulls(1), "text")
    ('truth values', None)
    """
    import pyarrow as pa

    kind = column.type
    if pa.types.is_null(kind):
        return None
    if pa.types.is_boolean(kind):
        return "truth values"
    if pa.types.is_floating(kind):
        return "decimals"
    return "texts" if spelling == "json" and pa.types.is_string(kind) else "whole numbers"


@dataclass(frozen=True)
class NumberKinds:
    """The kinds of values in columns of numbers of a file of text, as far as its rows are read.

    `rounded` is the refusal of a whole number that is no float. It stands, unless there are decimals elsewhere in its
    column: then the numbers of the column are floats, as they are where all rows are read at once.
    """

    kinds: Mapping[str, Kind] = field(default_factory=dict)
    rounded: Mapping[str, RoundedError] = field(default_factory=dict)

    @classmethod
    def of(cls, columns: Mapping[str, tuple[Any, Spelling]]) -> NumberKinds:
        """Those of some rows, by the names of columns."""
        found = {name: kind_of_numbers(*column) for name, column in columns.items()}
        rounded = {}
        for name in [name for name, kind in found.items() if kind == "whole numbers"]:
            try:
                as_array(columns[name][0], f"column {name!r}")
            except RoundedError as error:
                rounded[name] = error
            except InputError:  # no numbers, which whoever counts them refuses
                pass
        return cls({name: kind for name, kind in found.items() if kind is not None}, rounded)

    def __or__(self, other: NumberKinds) -> NumberKinds:
        """Both. Raises FileError where values of a column are no numbers, and those of other rows are."""
        kinds = dict(self.kinds)
        for name, kind in other.kinds.items():
            before = kinds.setdefault(name, kind)
            if kind != before and not {kind, before} <= _NUMBERS:
                raise FileError(
                    f"column {name!r} holds {kind}, and {before} in rows before: write its values alike."
                )
            kinds[name] = before if before == "decimals" else kind
        return NumberKinds(kinds, {**other.rounded, **self.rounded})

    def refuse_rounded(self) -> None:
        """Refuse whole numbers that are no floats in columns of whole numbers."""
        for name, error in self.rounded.items():
            if self.kinds[name] != "decimals":
                raise error

    def as_floats(self, column: Any, name: str) -> Any:
        """A column of which some whole numbers are no floats, rounded; any other as it came."""
        if name not in self.rounded:
            return column
        import pyarrow as pa

        values = column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
        return values.cast(pa.float64(), safe=False)


_NUMBERS = {"decimals", "whole numbers"}


def _is_dictionary(column: Any) -> bool:
    """Whether a column of JSON holds whole numbers beyond 64 bits, which its reader gives as a dictionary of texts."""
    import pyarrow as pa

    return isinstance(column, pa.Array | pa.ChunkedArray) and pa.types.is_dictionary(column.type)


def _are_text(values: Sequence[Any]) -> bool:
    return any(isinstance(value, str) for value in values)


def _typed(texts: list[str]) -> Sequence[Any]:
    import pyarrow as pa

    values = typed_texts(pa.array(texts, pa.string())) if texts else None  # every row may lack its label
    return texts if values is None else whole_numbers(values.to_pylist())


def _of_json(raws: frozenset[Raw], name: str) -> dict[Any, Any]:
    kinds = {kind for kind, _ in raws}
    if kinds <= {"int", "float"} and "float" in kinds:
        labels = [label for _, label in raws]
        return dict(zip(labels, whole_numbers([*map(float, labels)]), strict=True))
    if kinds == {"int"} and any(isinstance(label, str) for _, label in raws):
        return {label: str(label) for _, label in raws}
    if len(kinds) > 1:
        raise FileError(
            f"column {name!r} holds {' and '.join(sorted(kinds))} values in different rows: write its labels alike."
        )
    return {label: label for _, label in raws}
