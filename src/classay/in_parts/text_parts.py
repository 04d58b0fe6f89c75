"""Text of any length in parts of whole rows; the type of a column is known only when all of it is read."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from classay.columns import Coded, Labels, code_labels
from classay.columns.labels import labels_of, refuse_kinds, united
from classay.columns.numbers import RoundedError, as_array
from classay.columns.values import whole_numbers
from classay.compiled import kernel
from classay.errors import FileError, InputError, MergeError, NoRowsError
from classay.files.writing import is_stream
from classay.kinds import Format
from classay.sources.inputs import (
    FIRST_BYTES,
    TEXT,
    Input,
    explained,
    find_input,
    is_address,
    named_input,
    refuse_binary,
    standard_input,
)
from classay.sources.lines import line_ends, line_of
from classay.sources.other_formats import meant, prepared
from classay.sources.text_files import read_csv, read_jsonl, read_jsonl_part, typed_texts
from classay.wings import altered

if TYPE_CHECKING:
    import pyarrow as pa

Spelling = Literal["text", "json"]
"""Text is a number or a truth value where all texts of the column are; JSON has one kind of numbers, with and without
a decimal point."""
Raw = tuple[str, Any]
"""A value in a file, with the name of its type, because 1 and 1.0 are equal in Python. Whole numbers beyond 64 bits
have the type "int" and are kept as texts."""


_NONE = Labels((), "sorted")


@dataclass(frozen=True)
class KnownLabels:
    """The labels met so far: those of a known type, and those of text files as they are written.

    All columns of labels of all text files together decide the type of texts: they are numbers, or booleans, if
    those of every column are, and no label that somebody named is text. JSON tells the type of each column.
    """

    plain: Labels = _NONE
    written: Mapping[tuple[Spelling, str], frozenset[Raw]] = field(default_factory=dict)
    counted: Mapping[tuple[Spelling, str], frozenset[Raw]] = field(default_factory=dict)
    """The labels in rows that count. Texts that stand only in rows that are left out tell how a column is written, and
    are no labels."""
    named: frozenset[str] = frozenset()
    """The texts among the labels that somebody named."""

    @classmethod
    def of_column(
        cls, column: Any, coded: Coded, name: str, spelling: Spelling | None, counts: Any = None
    ) -> KnownLabels:
        """Return the labels of a column in the rows that count; in all rows if that is None."""
        used = (
            range(len(coded.labels))
            if counts is None
            else np.unique(coded.codes[counts & (coded.codes >= 0)])
        )
        labels = tuple(coded.labels[i] for i in used)
        if spelling is None:
            return cls(labels_of(replace(coded, labels=labels)))
        beyond = spelling == "json" and _is_dictionary(column)

        def raws(some: Sequence[Any]) -> frozenset[Raw]:
            return frozenset(("int" if beyond else type(value).__name__, value) for value in some)

        place = spelling, name
        return cls(written={place: raws(coded.labels)}, counted={place: raws(labels)})

    def __or__(self, other: KnownLabels) -> KnownLabels:
        """The labels of both. Raises InputError for labels that cannot be united."""
        return replace(self.reading(other), plain=_united(self.plain, other.plain))

    def reading(self, other: KnownLabels) -> KnownLabels:
        """Return the same labels with the texts of another, but without the other's further labels."""
        return replace(
            self, written=_both(self.written, other.written), counted=_both(self.counted, other.counted)
        )

    def __le__(self, other: KnownLabels) -> bool:
        if not {*self.plain} <= {*other.plain}:
            return False
        if self.plain.is_given and _united(other.plain, self.plain) != other.plain:
            return False
        return all(
            raws <= theirs.get(place, frozenset())
            for ours, theirs in ((self.written, other.written), (self.counted, other.counted))
            for place, raws in ours.items()
        )

    @cached_property
    def labels(self) -> Labels:
        """All labels, in their own types."""
        meant = (self.meaning(*place)[raw] for place, raws in self.counted.items() for _, raw in raws)
        return _united(self.plain, Labels.sorted(meant))

    def meaning(self, spelling: Spelling, name: str) -> dict[Any, Any]:
        """The label that each text or number of a column stands for. Raises InputError for text among numbers."""
        if spelling == "json":
            return _of_json(self.written.get((spelling, name), frozenset()), name)
        return self._texts.get(name, {})

    def refuse_others(self, labels: Sequence[Hashable]) -> None:
        """Refuse columns whose texts together are of another kind than the labels that somebody named."""
        columns = [(name, [*self.meaning(spelling, name).values()]) for spelling, name in self.written]
        try:
            for column in columns:
                refuse_kinds([column, ("the named labels", labels)])
        except MergeError as error:
            raise InputError(str(error)) from None

    def refuse_apart(self) -> None:
        """Refuse a text column whose texts are all numbers and that shares none with the columns of other text.

        This is known only after all rows are read. Raises InputError.
        """
        if self.differing:
            raise InputError(self.differing)
        columns, typed, text = self._read
        for name, values in typed.items():
            if text and not _are_text(values) and text.isdisjoint(columns[name]):
                kind = "booleans" if isinstance(values[-1], bool) else "numbers"
                raise InputError(
                    f"Column {name!r} contains {kind} such as {values[-1]!r}, but other labels are text such as "
                    f"{max(text)!r}. Use one spelling of the labels in all columns."
                )

    @cached_property
    def differing(self) -> str | None:
        """Why columns of text cannot be read as they are: numbers in one, booleans in another.

        A text in other rows would make all of them text, so this is an error only after all rows are read.
        """
        _, typed, text = self._read
        if text:
            return None
        try:
            refuse_kinds([(f"column {name!r}", values) for name, values in typed.items()])
        except MergeError as error:
            return str(error)
        return None

    @cached_property
    def _read(self) -> tuple[dict[str, list[str]], dict[str, Sequence[Any]], set[str]]:
        """The texts of each column, what they are by themselves, and all labels that are texts whatever others are."""
        written = {place[1]: raws for place, raws in self.written.items() if place[0] == "text" and raws}
        columns = {name: sorted(text for _, text in raws) for name, raws in written.items()}
        typed = {name: _typed(texts) for name, texts in columns.items()}
        of_json = (raws for (spelling, _), raws in self.written.items() if spelling == "json")
        all_labels = chain(
            self.named,
            self.plain,
            *typed.values(),
            (label for raws in of_json for kind, label in raws if kind == "str"),
        )
        return columns, typed, {label for label in all_labels if isinstance(label, str)}

    @cached_property
    def _texts(self) -> dict[str, dict[Any, Any]]:
        """The label of each text, by columns: as numbers or booleans, unless any label is a text."""
        columns, typed, text = self._read
        return {
            name: dict(zip(texts, texts if text else typed[name], strict=True))
            for name, texts in columns.items()
        }

    def meant(self, column: Any, name: str, spelling: Spelling | None) -> Any:
        """Return a column with its texts replaced by their labels."""
        import pyarrow as pa

        if spelling is None:
            return column
        coded: Coded = code_labels(column, name)
        means = self.meaning(spelling, name)
        labels = [means[label] for label in coded.labels]
        if all(
            type(one) is type(other) and one == other for one, other in zip(labels, coded.labels, strict=True)
        ):
            return column
        try:
            values = pa.array(labels)
        except OverflowError:  # whole numbers beyond 2^63, which Arrow takes only where it is told
            values = pa.array(labels, pa.uint64())
        return pa.DictionaryArray.from_arrays(pa.array(coded.codes, mask=coded.codes < 0), values)


def _both(
    one: Mapping[tuple[Spelling, str], frozenset[Raw]], other: Mapping[tuple[Spelling, str], frozenset[Raw]]
) -> Mapping[tuple[Spelling, str], frozenset[Raw]]:
    joined = dict(one)
    for place, raws in other.items():
        joined[place] = joined.get(place, frozenset()) | raws
    return joined


def _united(known: Labels, incoming: Labels) -> Labels:
    if known == incoming and known.source == incoming.source:
        return known
    try:
        return united((("in other rows", known), ("in these", incoming)))
    except MergeError as error:
        raise InputError(str(error)) from None


Kind = Literal["decimals", "whole numbers", "booleans", "texts"]


def kind_of_numbers(column: Any, spelling: Spelling) -> Kind | None:
    """Return the kind of the values in a column that should hold numbers, in words; None where all are missing.

    Texts from delimited text are whole numbers beyond 64 bits, or will be refused; from JSON only those in a dictionary
    are.

    >>> import pyarrow as pa
    >>> kind_of_numbers(pa.array(["1"]), "text"), kind_of_numbers(pa.array(["1"]), "json")
    ('whole numbers', 'texts')
    >>> kind_of_numbers(pa.array([True]), "text"), kind_of_numbers(pa.nulls(1), "text")
    ('booleans', None)
    """
    import pyarrow as pa

    kind = column.type
    if pa.types.is_null(kind):
        return None
    if pa.types.is_boolean(kind):
        return "booleans"
    if pa.types.is_floating(kind):
        return "decimals"
    return "texts" if spelling == "json" and pa.types.is_string(kind) else "whole numbers"


Names = tuple[str | None, frozenset[str]]
"""What a column of clusters or ids holds in some rows: its kind, and examples of texts that were typed."""


def as_text(column: Any) -> Any:
    """Return a column of names as a file of text has it: days as their text, all else as it is."""
    import pyarrow as pa

    return column.cast(pa.string()) if pa.types.is_date(column.type) else column


def are_digits(column: Any, *, is_written: bool) -> bool:
    """Check whether a column of JSON has whole numbers that are text: beyond 64 bits, here or in other parts."""
    import pyarrow as pa

    return _is_dictionary(column) or (is_written and pa.types.is_integer(column.type))


def kind_of_names(column: Any) -> str | None:
    """Return the kind of the values in a column that identifies cases or clusters; None where all are missing.

    >>> import pyarrow as pa
    >>> kind_of_names(pa.array([7, 8])), kind_of_names(pa.array(["7", "a"])), kind_of_names(pa.nulls(1))
    ('numbers', 'text', None)
    """
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_null(kind):
        return None
    if pa.types.is_boolean(kind):
        return "booleans"
    if pa.types.is_temporal(kind):
        return "dates or times"
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    return "numbers" if is_number else "text"


@dataclass(frozen=True)
class NumberKinds:
    """The kinds of values in columns of numbers of a file of text, as far as its rows are read.

    `rounded` is the error for a whole number that is no float. It is raised unless the column holds decimals elsewhere:
    then its numbers are floats, as they are where all rows are read at once.
    """

    kinds: Mapping[str, Kind] = field(default_factory=dict)
    rounded: Mapping[str, RoundedError] = field(default_factory=dict)

    @classmethod
    def of(cls, columns: Mapping[str, tuple[Any, Spelling]]) -> NumberKinds:
        """Return the kinds of values in some rows, by the names of columns."""
        kinds = {name: kind_of_numbers(*column) for name, column in columns.items()}
        rounded = {}
        for name in [name for name, kind in kinds.items() if kind == "whole numbers"]:
            try:
                as_array(columns[name][0], f"column {name!r}")
            except RoundedError as error:
                rounded[name] = error
            except InputError:  # no numbers, which whoever counts them refuses
                pass
        return cls({name: kind for name, kind in kinds.items() if kind is not None}, rounded)

    def __or__(self, other: NumberKinds) -> NumberKinds:
        """The kinds of both. Raises FileError where a column holds numbers in some rows and other values in others."""
        kinds = dict(self.kinds)
        for name, kind in other.kinds.items():
            before = kinds.setdefault(name, kind)
            if kind != before and not {kind, before} <= _NUMBERS:
                raise FileError(
                    f"Column {name!r} contains {kind}, but earlier rows contain {before}. Use one type in the whole "
                    "column."
                )
            kinds[name] = before if before == "decimals" else kind
        return NumberKinds(kinds, {**other.rounded, **self.rounded})

    def refuse_rounded(self) -> None:
        """Refuse whole numbers that are no floats in columns of whole numbers."""
        for name, error in self.rounded.items():
            if self.kinds[name] != "decimals":
                raise error

    def as_floats(self, column: Any, name: str) -> Any:
        """Return a column in which some whole numbers are no floats, rounded to floats; any other column unchanged."""
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


_WORDS = {"int": "numbers", "float": "numbers", "str": "text", "bool": "booleans"}


def _of_json(raws: frozenset[Raw], name: str) -> dict[Any, Any]:
    kinds = {kind for kind, _ in raws}
    if kinds <= {"int", "float"} and "float" in kinds:
        labels = [label for _, label in raws]
        return dict(zip(labels, whole_numbers([*map(float, labels)]), strict=True))
    if kinds == {"int"} and any(isinstance(label, str) for _, label in raws):
        return {label: str(label) for _, label in raws}
    if len(kinds) > 1:
        words = sorted({_WORDS.get(kind, kind) for kind in kinds})
        raise InputError(
            f"Column {name!r} contains {' and '.join(words)} in different rows. Use one type in the whole column."
        )
    return {label: label for _, label in raws}


BYTES = 1 << 24
"""Bytes of a part to aim for."""
BYTES_OF_JSON = 1 << 22
"""The same of JSON lines: larger parts take more memory and no less time."""
LONGEST_ROW = 1 << 28
"""Bytes after which a row is taken for one whose quote is not closed."""


@dataclass(frozen=True)
class TextPart:
    """Some whole rows of text: those from byte `start` on, `size` bytes, or `content` where they cannot be read again.

    `head` is the first row of the file, which names the columns; `before` are the rows between it and these; `lines`
    are all lines above these; `rows` is None where it is not known, as for a whole file and for JSON. `source` says
    how the text is written.
    """

    source: Input
    key: str
    head: bytes = b""
    before: int = 0
    lines: int = 0
    rows: int | None = None
    start: int = 0
    size: int = -1
    content: bytes | None = None

    def spelling(self, _: str) -> Spelling | None:
        """Return how labels are written."""
        return "json" if self.source.format == "jsonl" else "text"

    def read(self, columns: Sequence[str], labels: Sequence[str], together: Sequence[str] = ()) -> pa.Table:
        """Return the named columns, with labels as they are written. Raises FileError for a file that changed."""
        source = self._found()
        with explained(source):
            try:
                table = self._rows_of(source, columns or None, labels)
            except NoRowsError:  # a file that was emptied has none
                source.refuse_changed()
                raise
            table = meant(table, columns or None, source.name, together, source.layout)
        return table.replace_schema_metadata(None)

    def _rows_of(self, source: Input, columns: Sequence[str] | None, labels: Sequence[str]) -> pa.Table:
        if source.format == "jsonl":
            return self._of_json(source, columns, labels)
        table: pa.Table = altered("read.part", read_csv(source, columns, labels), source, labels)
        return table

    def _of_json(self, source: Input, columns: Sequence[str] | None, labels: Sequence[str]) -> pa.Table:
        """Return a field that no row of a part has is missing in all of them, if it is one of the file."""
        if self.before:
            return read_jsonl_part(source, columns, labels)
        try:
            return read_jsonl(source, columns, labels)
        except InputError:
            if columns is None or not self._comes_later(columns):
                raise
            return read_jsonl_part(source, columns, labels)

    def _comes_later(self, names: Sequence[str]) -> bool:
        """Check whether this is the first part of a file that can be read again, and each name is written in it."""
        if self.size < 0 or is_stream(self.source.path):
            return False
        sought = [
            {
                json.dumps(written, ensure_ascii=plain).encode()
                for plain in (True, False)
                for written in (name, re.split(r"[.\[{]", name)[0])
            }
            for name in names
        ]
        longest = max(len(form) for forms in sought for form in forms)
        last = b""
        with self.source.open() as stream:
            while sought and (block := stream.read(BYTES)):
                text = last + bytes(block)
                sought = [forms for forms in sought if not any(form in text for form in forms)]
                last = text[-longest:]
        return not sought

    def _found(self) -> Input:
        """Return the bytes of these rows, below the names of the columns."""
        if self.content is None and self.size < 0:
            return self.source
        content = self.content
        if content is None:
            with explained(self.source), open(self.source.path, "rb") as file:
                file.seek(self.start)
                content = file.read(self.size)
        data = self.head + content
        part = replace(
            self.source, path="", data=data, head=data[:8], stamp=None, begin=0, end=None, encoding=None
        )
        return replace(part, before=self.lines - line_ends(self.head))

    def place(self, row: int) -> str:
        """Return where a row of these is in its file, from 0: its line, where that is known."""
        line = line_of(self._found(), row)
        return f"data row {self.before + row + 1}" if line is None else f"line {line}"


def is_text(path: str, format: Format | None) -> bool:
    """Check whether a file, or standard input, is text by its format or its name."""
    return named_input(path, format, None).format in TEXT


def text_parts(
    path: str, format: Format | None, delimiter: str | None, layout: tuple[Any, ...] = ()
) -> Iterator[TextPart]:
    """Yield the parts of a file of text, or of standard input; one alone where the file is short.

    Raises FileError as `read_table` does, with the same numbers of rows.
    """
    if is_stream(path):
        if layout:
            raise InputError(
                f"{'Standard input' if path == '-' else path} can be read only once, and then only without options of "
                "its layout. Save it as a file first."
            )
        source, stream = stream_of(named_input(path, format, delimiter))
        can_seek = False
    else:
        source = prepared(find_input(path, format, delimiter, layout))
        can_seek = source.compression is None and source.transcoded is None and not is_address(path)
        size = os.stat(path).st_size if can_seek else 0
        if can_seek and size <= _part_size(source):
            yield TextPart(source, path)
            return
        stream = source.open()
    with explained(source), stream:
        yield from _parts(source, stream, can_seek=can_seek)


def stream_of(source: Input) -> tuple[Input, Any]:
    """Return what can be read once: the input with its first bytes, and its stream."""
    import pyarrow as pa

    with explained(source):
        stream = standard_input() if source.path == "-" else open(source.path, "rb")  # noqa: SIM115
        stream = stream if hasattr(stream, "peek") else io.BufferedReader(stream)
        head = bytes(stream.peek(8)[:8])
    if not head:
        raise NoRowsError(f"{source.name} is empty. Use a file with a header and at least one row.")
    piped = Input(source.name, source.path, b"", head, source.format, source.delimiter)
    plain = pa.PythonFile(stream, mode="r")
    return piped, plain if piped.compression is None else pa.CompressedInputStream(plain, piped.compression)


def _parts(source: Input, stream: Any, *, can_seek: bool) -> Iterator[TextPart]:
    head, before, start, lines = b"", 0, 0, 0
    if source.begin:
        with replace(source, begin=0).open() as above:
            lines = line_ends(bytes(above.read(source.begin)))
    is_json = source.format == "jsonl"
    for content, rows in _whole_rows(source, stream):
        counted = rows
        refuse_binary(source, content[: max(0, FIRST_BYTES - start)])
        if start == 0:
            has_header = not is_json and source.names is None
            first = _first_row(content, source.delimiter) if has_header else b""
            counted -= bool(first)
        named = f"{'lines' if is_json else 'rows'} {before + 1:,}–{before + counted:,}"
        yield TextPart(
            source,
            f"{source.name}, {named}",
            head,
            before,
            lines,
            None if is_json else counted,
            source.begin + start,
            len(content),
            None if can_seek else content,
        )
        head = first
        before += counted
        lines += line_ends(content)
        start += len(content)


def _part_size(source: Input) -> int:
    """Return the bytes of a part to aim for."""
    return min(BYTES, BYTES_OF_JSON) if source.format == "jsonl" else BYTES


def _whole_rows(source: Input, stream: Any) -> Iterator[tuple[bytes, int]]:
    """Yield the text, cut where rows end, with the number of rows in each piece (of lines, in JSON)."""
    ends = _line_ends if source.format == "jsonl" else _row_ends_of(source.delimiter)
    content, is_first = b"", True
    while block := stream.read(_part_size(source)):
        content += block
        cut, rows = ends(content)
        # the first piece must hold a row beside the names of columns, and none may be blank
        if rows > is_first and not content[:cut].isspace():
            yield content[:cut], rows
            content, is_first = content[cut:], False
        elif len(content) > LONGEST_ROW:
            raise FileError(
                f"A row of {source.name} is longer than {LONGEST_ROW >> 20} MB. Close the open quote in it."
            )
    if is_first or content.strip():
        cut, rows = ends(content)
        yield content, rows + bool(content[cut:].strip(b"\r\n"))


def _line_ends(text: bytes) -> tuple[int, int]:
    cut = text.rfind(b"\n") + 1
    return cut, text.count(b"\n", 0, cut)


def _row_ends_of(delimiter: str) -> Any:
    def ends(text: bytes) -> tuple[int, int]:
        is_plain = b'"' not in text and b"\r" not in text and b"\n\n" not in text and text[:1] != b"\n"
        if is_plain:
            return _line_ends(text)
        return _at(row_ends(np.frombuffer(text, np.uint8), ord(delimiter)))

    return ends


def _at(ends: tuple[Any, Any]) -> tuple[int, int]:
    return int(ends[0]), int(ends[1])


def _first_row(text: bytes, delimiter: str) -> bytes:
    """Return the first row that is not blank, with what stands before it."""
    at = 0
    while True:
        at = (
            min((index for end in (b"\n", b"\r") if (index := text.find(end, at)) >= 0), default=len(text))
            + 1
        )
        cut, rows = _row_ends(np.frombuffer(text[:at], np.uint8), ord(delimiter))
        if rows or at > len(text):
            return text[:cut]


def _row_ends(text: Any, delimiter: int) -> tuple[int, int]:
    opened = rb"(?:\A|(?<=[\r\n" + re.escape(bytes([delimiter])) + rb']))"(?:[^"]++|"")*+(?:"|\Z)'
    quoted = re.compile(opened)
    plain = quoted.sub(lambda field: b"q" * len(field[0]), text.tobytes())
    cut = max(plain.rfind(b"\n"), plain.rfind(b"\r")) + 1
    return cut, len(re.findall(rb"[^\r\n]+", plain[:cut]))


AT_START, IN_ROW, AT_FIELD, IN_QUOTES = 0, 1, 2, 3


@kernel(twin=_row_ends, assumes="text begins with a row")
def row_ends(text, delimiter):  # type: ignore[no-untyped-def]
    """Return where the last whole row of delimited text ends, and the number of rows up to there that are not blank.

    A quote opens a field only where one begins; in quotes, ends of lines are text and a doubled quote is one.
    """
    quote, feed, back = 34, 10, 13
    state, cut, rows, i = AT_START, 0, 0, 0
    while i < text.shape[0]:
        byte = text[i]
        if state == IN_QUOTES:
            if byte == quote:
                if i + 1 < text.shape[0] and text[i + 1] == quote:
                    i += 1
                else:
                    state = IN_ROW
        elif byte in (feed, back):
            rows += state != AT_START
            state, cut = AT_START, i + 1
        elif byte == delimiter:
            state = AT_FIELD
        elif byte == quote and state != IN_ROW:
            state = IN_QUOTES
        else:
            state = IN_ROW
        i += 1
    return cut, rows
