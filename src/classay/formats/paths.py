"""Columns by paths: `doc.cat`, `vars.word`, `scores[0].value`; a column whose own name has a dot comes first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from classay.columns.coding import array_of
from classay.errors import InputError, nearest
from classay.formats.vectors import dense, entries, is_list, is_of_keys, is_vector
from classay.texts import cut, some

if TYPE_CHECKING:
    import pyarrow as pa

MAX_NESTING = 100
_SHOWN = 60
"""Letters of a path that are shown."""
_INDEX = re.compile(r"\[(\d+)(?: of ([1-9]\d*))?\]")
_KEY = re.compile(r"\{(.*)\}", re.DOTALL)


def base_of(name: object, available: Sequence[object]) -> str | None:
    """Return the column of which a name is a path, the one of the longest name; None where it is none.

    >>> base_of("doc.cat[0]", ["doc", "doc.cat"]), base_of("y", ["y"]), base_of("doc", ["y"])
    ('doc.cat', 'y', None)
    """
    if not isinstance(name, str) or name in available:
        return name if name in available else None  # type: ignore[return-value]
    known = {*available}
    ends = [place for place, letter in enumerate(name) if letter in ".[{"]
    return next((name[:end] for end in reversed(ends) if name[:end] in known), None)


@dataclass(frozen=True)
class Table:
    """Columns of a table, and what was made of them for several paths."""

    table: pa.Table
    where: str
    names: Sequence[str]
    """All names that are asked for: keys of one column that none of them names are refused."""
    of_several: dict[str, Any] = field(default_factory=dict)

    def column(self, name: str) -> pa.ChunkedArray:
        """Return the values of a column or of a path. Raises InputError for a path that does not exist."""
        base = base_of(name, self.table.column_names)
        if base == name or base is None:
            return self.table[name]
        steps, column = name[len(base) :], self.table[base]
        if steps.count(".") + steps.count("[") > MAX_NESTING:
            raise InputError(
                f"{name[:40]}… has more than {MAX_NESTING} steps. Name a column nearer to the top."
            )
        return self._followed(column, base, steps)

    def _followed(self, column: pa.ChunkedArray, above: str, steps: str) -> pa.ChunkedArray:
        import pyarrow as pa
        import pyarrow.compute as pc

        while steps:
            kind = column.type
            index, key = _INDEX.match(steps), _KEY.fullmatch(steps)
            if pa.types.is_null(kind):
                return column
            if key is not None and is_of_keys(kind):
                return self._of_key(column, above, key[1])
            if index is not None and (is_vector(kind) or (index[2] and is_list(kind))):
                matrix = self._matrix(column, above, None if index[2] is None else int(index[2]))
                column = pa.chunked_array([_element(matrix, int(index[1]))])
                step = index[0]
            elif index is not None and is_list(kind):
                chunks = [_items(chunk, int(index[1])) for chunk in column.chunks]
                column, step = pa.chunked_array(chunks, kind.value_type), index[0]
            elif pa.types.is_map(kind):
                step = steps
                keys = _key_of(steps, kind)
                column = pc.map_lookup(column, keys, "first")
            elif pa.types.is_struct(kind) and (named := _field_of(steps, kind)) is not None:
                column = pc.struct_field(column, [kind.get_field_index(named)])
                step = f".{named}"
            else:
                raise self._no_path(above, steps, kind)
            above, steps = above + step, steps[len(step) :]
        return column

    def _of_key(self, column: pa.ChunkedArray, above: str, key: str) -> pa.ChunkedArray:
        """Return the scores of a class in mappings; other keys than those asked for are refused."""
        import pyarrow as pa

        if above not in self.of_several:
            known = [name[len(above) + 1 : -1] for name in self.names if name.startswith(f"{above}{{")]
            self.of_several[above] = entries(column, above).by_key(above, known)
        return pa.chunked_array([self.of_several[above][key]])

    def _matrix(self, column: pa.ChunkedArray, above: str, size: int | None) -> Any:
        place = f"{above}[{size}]"
        if place not in self.of_several:
            self.of_several[place] = dense(column, above, size)
        return self.of_several[place]

    def _no_path(self, above: str, steps: str, kind: pa.DataType) -> InputError:
        import pyarrow as pa

        names = [f"{above}.{inner.name}" for inner in kind] if pa.types.is_struct(kind) else []
        steps = steps if len(steps) < _SHOWN else f"{steps[:_SHOWN]}…"
        if names:
            near = nearest(above + steps, names) or "."
            return InputError(f"{self.where} has no {above}{steps}. {above} has {some(names, 5)}{near}")
        inside = f"{above}[0]" if is_list(kind) else above
        return InputError(
            f"{self.where} has no {above}{steps}, because {above} is {cut(str(kind), 80)}. Name {inside}."
        )


def _element(matrix: Any, index: int) -> Any:
    """Return one column of a matrix; one beyond its width is missing."""
    import pyarrow as pa

    if index >= matrix.shape[1]:
        return pa.nulls(len(matrix), pa.float64())
    return array_of(matrix[:, index])


def _items(chunk: Any, index: int) -> Any:
    """Return an element of each list; null where a list is shorter."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_fixed_size_list(chunk.type):
        if index >= chunk.type.list_size:
            return pa.nulls(len(chunk), chunk.type.value_type)
        return pc.list_element(chunk, index)
    begins = chunk.offsets[:-1]
    lengths = pc.list_value_length(chunk)
    place = array_of(np.array([index]))[0].cast(begins.type)  # a number of Python would import pandas
    at = pc.if_else(pc.greater(lengths, place), pc.add(begins, place), pa.nulls(1, begins.type)[0])
    return chunk.values.take(at)


def _field_of(steps: str, kind: pa.DataType) -> str | None:
    """Return the field of a struct that the next step names, the one of the longest name."""
    rest = steps[1:]
    names = [
        inner.name
        for inner in kind
        if rest == inner.name or rest.startswith((f"{inner.name}.", f"{inner.name}["))
    ]
    return max(names, key=len, default=None) if steps.startswith(".") else None


def deepest(kind: pa.DataType, above: str, steps: str) -> str:
    """Return how far a path leads through structs, up to a name with a dot, which Parquet cannot tell from a path."""
    import pyarrow as pa

    while pa.types.is_struct(kind) and not is_vector(kind):
        named = _field_of(steps, kind)
        if named is None or "." in named:
            break
        above, steps, kind = f"{above}.{named}", steps[1 + len(named) :], kind.field(named).type
    return above


def _key_of(steps: str, kind: pa.DataType) -> Any:
    """Return the key of a map that the last steps name, in the type of its keys."""
    import pyarrow as pa

    text = steps[1:].removesuffix("]") if steps.startswith("[") else steps[1:]
    try:
        return pa.scalar(text).cast(kind.key_type)
    except pa.ArrowException as error:
        raise InputError(
            f"Keys of the map are {kind.key_type}, but {text!r} is named. Name a key."
        ) from error
