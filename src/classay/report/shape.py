"""A result is one description: its keys, where their values are, of what kind.

Its JSON, its JSON schema (docs/*.schema.json, written by `python -m manual`) and its plain tables follow. A `Kind` is
how values are written, a `Row` an object of named values (a `Key` each), `Many` a list and `ByName` a mapping of what
is alike, and a `Result` a row that stands for itself. What is no plain table, such as a verdict or a note, stays a
function beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, TypedDict, Unpack

from classay.report.document import Column, Table
from classay.report.results.parts import head, json_value

Schema = Mapping[str, Any]


class Limits(TypedDict, total=False):
    """Further keywords of JSON Schema."""

    description: str
    minimum: float
    maximum: float
    exclusiveMinimum: float
    exclusiveMaximum: float
    minLength: int
    pattern: str
    minItems: int
    maxItems: int
    propertyNames: Schema
    oneOf: list[Schema]


class Kind:
    """A kind of value: the schema that its JSON keeps to, and how it is written as JSON.

    Within a schema, `$ref` may be a pair of a name and a schema, which a published one has once, under `$defs`.
    """

    def __init__(self, schema: Schema, json: Callable[[Any], Any] = json_value) -> None:
        self.schema = schema
        self.json = json

    def limited(self, **limits: Unpack[Limits]) -> Kind:
        """Return the same with further keywords of JSON Schema, such as `minItems`."""
        return Kind({**self.schema, **limits}, self.json)

    def named(self, name: str) -> Kind:
        """Return the same, described once in a schema that has it in several places."""
        return Kind({"$ref": (name, self.schema)}, self.json)

    def or_null(self) -> Kind:
        """Return the same, or null where there is none.

        >>> Kind({"type": "string"}).or_null().schema
        {'type': ['string', 'null']}
        """
        schema = dict(self.schema)
        if "enum" in schema:
            schema["enum"] = [*schema["enum"], None]
        elif "type" in schema and "oneOf" not in schema:  # null would meet all of these
            types = schema["type"]
            schema["type"] = [*([types] if isinstance(types, str) else types), "null"]
        else:
            schema = {"anyOf": [schema, {"type": "null"}]}
        return Kind(schema, lambda value: None if value is None else self.json(value))


@dataclass(frozen=True)
class Key:
    """A named value of an object.

    `at` is where it is: attributes and places joined by points, a function of the object, or the attribute of the same
    name. An `optional` key is left out where its value is None; one that was `added` to a contract is always written,
    and not demanded of older files. `columns` are those that show it in a table, with cells of their kinds.
    """

    name: str
    kind: Kind
    at: str | Callable[[Any], Any] = ""
    help: str = ""
    optional: bool = False
    added: bool = False
    columns: tuple[Column, ...] = ()

    def of(self, value: Any) -> Any:
        """Return the value of an object.

        >>> Key("imag", Kind({})).of(2j), Key("low", Kind({}), "0").of((1, 2))
        (2.0, 1)
        """
        if not isinstance(self.at, str):
            return self.at(value)
        for name in (self.at or self.name).split("."):
            value = value[int(name)] if name.isdecimal() else getattr(value, name)
        return value


def itself(value: Any) -> Any:
    """Return the object, where a key holds further values of it."""
    return value


def absent(value: Any) -> None:
    """Nothing: an optional key is not of the object, and its value, if any, stands beside it."""


def inside(at: str, keys: Iterable[Key]) -> tuple[Key, ...]:
    """Return the keys of an object that stands within another, for keys of that one."""
    return tuple(replace(key, at=f"{at}.{key.at or key.name}") for key in keys)


class Row(Kind):
    """An object of named values, in their order, and of no others.

    >>> Row(Key("re", Kind({}), "real"), Key("im", Kind({}), "imag")).json(1 + 2j)
    {'re': 1.0, 'im': 2.0}
    """

    def __init__(self, *keys: Key) -> None:
        self.keys = keys
        schema = {
            "type": "object",
            "additionalProperties": False,
            "required": [key.name for key in keys if not (key.optional or key.added)],
            "properties": {
                key.name: {**key.kind.schema, **({"description": key.help} if key.help else {})}
                for key in keys
            },
        }
        super().__init__(schema, self.values)

    def values(self, value: Any, beside: Mapping[str, object] = MappingProxyType({})) -> dict[str, Any]:
        """As plain values; `beside` are those that are no part of the object, by key."""
        pairs = ((key, beside[key.name] if key.name in beside else key.of(value)) for key in self.keys)
        return {key.name: key.kind.json(part) for key, part in pairs if not (key.optional and part is None)}

    def table(self, values: Iterable[Any], note: str = "", foot: str = "") -> Table:
        """Return a table of such objects with the columns of their keys."""
        columns = [(key, column) for key in self.keys for column in key.columns]
        rows = tuple(tuple(column.kind(key.of(value)) for key, column in columns) for value in values)
        return Table(tuple(column for _, column in columns), rows, note=note, foot=foot)


class Many(Kind):
    """A list of what is alike."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(
            {"type": "array", "items": kind.schema}, lambda values: [kind.json(value) for value in values]
        )


class ByName(Kind):
    """A mapping of names to what is alike."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(
            {"type": "object", "additionalProperties": kind.schema},
            lambda values: {name: kind.json(value) for name, value in values.items()},
        )


class Result(Row):
    """A kind of result, of which docs/FILE.schema.json is the contract, described by a title and a sentence.

    `version` is None of a JSON that names neither its contract nor the version of classay. `kind` is the text by which
    its JSON can be told from that of others; `name` is its own in a file of several. `limits` are further keywords of
    JSON Schema.
    """

    def __init__(
        self,
        file: str,
        version: int | None,
        title: str,
        about: str,
        *keys: Key,
        kind: str | None = None,
        name: str = "",
        limits: Limits | None = None,
    ) -> None:
        super().__init__(*keys)
        self.file, self.title, self.about, self.name = file, title, about, name
        self.version, self.kind = version, kind
        begin: dict[str, Any] = (
            {"schema": {"const": version, **CONTRACT}, "classay": VERSION} if version else {}
        )
        begin |= {} if kind is None else {"kind": {"const": kind}}
        required, properties = self.schema["required"], self.schema["properties"]
        self.schema = {
            "description": about,
            **self.schema,
            "required": [*begin, *required],
            "properties": {**begin, **properties},
            **(limits or {}),
        }
        self.json = self.as_dict

    def as_dict(self, result: Any, beside: Mapping[str, object] = MappingProxyType({})) -> dict[str, Any]:
        """Return the result as plain values; `beside` are those that are no part of it, by key."""
        begin = head(self.version, self.kind) if self.version else {}
        return begin | self.values(result, beside)

    @property
    def elsewhere(self) -> Kind:
        """The result within another, whose schema refers to its file."""
        return Kind({"$ref": f"{self.file}.schema.json"}, self.as_dict)


CONTRACT = {"description": "Version of this contract. It changes if a key changes its meaning or is removed."}
VERSION = {
    "type": "string",
    "pattern": r"^\d+\.\d+\.\d+",
    "description": "Version of classay that wrote the result.",
}


def published(file: str, title: str, about: str, schema: Schema) -> dict[str, Any]:
    """Return a schema as it is published: what has a name stands once, under `$defs`.

    >>> numbers = published("numbers", "Numbers", "", Many(Kind({"type": "number"}).named("number")).schema)
    >>> numbers["items"], numbers["$defs"]
    ({'$ref': '#/$defs/number'}, {'number': {'type': 'number'}})
    """
    definitions: dict[str, Any] = {}

    def referring(schema: Any) -> Any:
        if isinstance(schema, Mapping):
            return {key: referring(value) for key, value in schema.items()}
        if isinstance(schema, tuple):
            name, definition = schema[0], referring(schema[1])
            if definitions.setdefault(name, definition) != definition:
                raise ValueError(f"{file} has two definitions of {name}")
            return f"#/$defs/{name}"
        return [referring(item) for item in schema] if isinstance(schema, list) else schema

    shape = referring(schema)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"{file}.schema.json",
        "title": title,
        "description": about,
        **shape,
        **({"$defs": definitions} if definitions else {}),
    }
