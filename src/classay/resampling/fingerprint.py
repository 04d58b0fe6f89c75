"""Fingerprints: what a fold's result depends on, as a short text under which a store keeps it."""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Mapping
from enum import Enum
from hashlib import blake2b
from numbers import Number
from typing import Any

import numpy as np

from classay.errors import InputError
from classay.resampling.data import Dataset
from classay.resampling.fold import FORMAT
from classay.resampling.splits import Split

DEPTH = 40


class Unhashable(InputError):
    """A value that has no fingerprint, because nothing says what it consists of."""


def of_estimator(name: str, estimator: Any) -> str:
    """The class of an estimator, the version of its library, and its parameters, all the way down.

    Raises InputError for a parameter that has no fingerprint, such as a lambda; `keys=` names it instead.
    """
    try:
        return _digest(estimator)
    except Unhashable as error:
        raise InputError(
            f"{name} cannot be told from others in the store: {error} Pass keys={{{name!r}: 'a text that changes "
            "whenever it does'}}, or leave out the store."
        ) from error


def of_data(data: Dataset, name: str = "X") -> str:
    """Features, labels, weights and clusters."""
    cases = data.cases
    try:
        features = _digest(data.X)
    except Unhashable as error:
        raise InputError(f"{name} cannot be told from other data in the store: {error}") from error
    rest = (cases.truth, [repr(label) for label in cases.labels], repr(cases.positive))
    return _digest((features, *rest, cases.weight, cases.cluster))


def key_of(data: str, estimator: str, split: Split, seed: int) -> str:
    """The key of one fold's result. The rows of the split say more than the name of its protocol."""
    place = split.place
    return _digest(
        (FORMAT, data, estimator, split.train, place.test, place.number, split.shows_training, seed)
    )


def _digest(value: Any) -> str:
    made = blake2b(digest_size=20)
    _add(made, value, 0)
    return made.hexdigest()


def _add(made: Any, value: Any, depth: int) -> None:  # noqa: C901, PLR0912  one branch a kind of value
    if depth > DEPTH:
        raise Unhashable(f"it goes deeper than {DEPTH} levels, perhaps round in a circle.")
    if value is None or isinstance(value, str | bytes | Number | Enum | np.generic | range | slice):
        made.update(f"{type(value).__name__}:{value!r};".encode())
    elif isinstance(value, np.ndarray):
        _add_array(made, value, depth)
    elif isinstance(value, list | tuple):
        made.update(f"{type(value).__name__}[{len(value)}]".encode())
        for each in value:
            _add(made, each, depth + 1)
    elif isinstance(value, Mapping):
        made.update(f"mapping[{len(value)}]".encode())
        for name, each in value.items():
            _add(made, name, depth + 1)
            _add(made, each, depth + 1)
    elif isinstance(value, set | frozenset):
        _add(made, sorted(_digest(each) for each in value), depth + 1)
    elif isinstance(value, type):
        made.update(f"class {value.__module__}.{value.__qualname__} {_version(value.__module__)};".encode())
    elif isinstance(value, types.FunctionType | types.BuiltinFunctionType | np.ufunc):
        _add_function(made, value)
    elif isinstance(value, functools.partial):
        _add(made, (value.func, value.args, value.keywords), depth + 1)
    elif isinstance(value, np.random.RandomState):
        _add(made, value.get_state(legacy=False), depth + 1)
    elif isinstance(value, np.random.Generator):
        _add(made, value.bit_generator.state, depth + 1)
    elif hasattr(value, "get_params"):
        _add(made, (type(value), value.get_params(deep=False)), depth + 1)
    elif _is_sparse(value):
        made.update(f"sparse {value.format} {value.shape};".encode())
        triples = value.tocoo()
        _add(made, (*(getattr(triples, part) for part in ("row", "col", "data")),), depth + 1)
    elif hasattr(value, "__dataframe__") or hasattr(value, "__arrow_c_stream__"):
        _add_frame(made, value, depth)
    elif _version(type(value).__module__) and hasattr(value, "__dict__"):  # splitters, scorers, distributions
        _add(made, (type(value), vars(value)), depth + 1)
    else:
        raise Unhashable(f"it holds a {type(value).__name__}, of which nothing says what it consists of.")


def _add_array(made: Any, value: Any, depth: int) -> None:
    made.update(f"array {value.dtype.str} {value.shape};".encode())
    if value.dtype.hasobject:
        for each in value.ravel().tolist():
            _add(made, each, depth + 1)
    else:
        made.update(np.ascontiguousarray(value).data.cast("B") if value.size else b"")


def _add_function(made: Any, value: Any) -> None:
    name = getattr(value, "__qualname__", value.__name__)
    module = getattr(value, "__module__", None) or ""
    if "<" in name or module == "__main__":
        raise Unhashable(f"it holds the function {name}, whose name does not say what it does.")
    made.update(f"function {module}.{name} {_version(module)};".encode())


def _add_frame(made: Any, value: Any, depth: int) -> None:
    """A frame or column of any library, by its Arrow form."""
    import pyarrow as pa

    try:
        table = pa.Table.from_pandas(value) if _is_pandas(value) else pa.table(value)
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError, ValueError) as error:
        raise Unhashable(f"a column of the frame has no Arrow form ({error}).") from error
    table = table.replace_schema_metadata(None).combine_chunks()
    made.update(f"frame {table.schema};".encode())
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    made.update(memoryview(sink.getvalue()))


def _is_pandas(value: Any) -> bool:
    return type(value).__module__.startswith("pandas")


def _is_sparse(value: Any) -> bool:
    return type(value).__module__.startswith("scipy.sparse")


def _version(module: str) -> str:
    """The version of the library a module belongs to, because results change with it."""
    return str(getattr(sys.modules.get(module.partition(".")[0]), "__version__", ""))


def of_text(text: str) -> str:
    """The fingerprint of a text."""
    return _digest(text)
