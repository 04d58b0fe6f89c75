"""Fingerprints: what a fold's result depends on, as a short text under which a store keeps it."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from hashlib import blake2b
from numbers import Number
from typing import Any

import numpy as np

from classay.errors import InputError, shown
from classay.resampling.data import FORMAT, Dataset, Split
from classay.resampling.source_code import (
    OURS,
    GeneratedFunction,
    Module,
    cell_of,
    files_of,
    has_file,
    inside,
    library_of,
    module_of,
    parts_of_class,
    parts_of_function,
)
from classay.texts import an

DEPTH = 40


class Unhashable(InputError):
    """A value that has no fingerprint, because nothing says what it consists of."""


def of_estimator(name: str, estimator: Any) -> str:
    """What an estimator does and is set to: the definitions of all that takes part, and its parameters.

    Raises InputError for a parameter that has no fingerprint, such as an open file; `keys=` names it instead.
    """
    try:
        return _digest(estimator)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # an estimator may raise anything when it is asked for its parameters
        raise InputError(
            f"{name} cannot be told from others in the store: {shown(error)} Pass keys={{{name!r}: "
            "'a text that changes whenever it does'}, or leave out the store."
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


def key_of(data: str, estimator: str, split: Split, seed: int, training: Sequence[str] = ()) -> str:
    """The key of one fold's result. The rows of the split say more than the name of its protocol.

    `training` names the measures that are taken of the training cases, where the split shows them.
    """
    place = split.place
    of_training = sorted(training) if split.shows_training else None
    return _digest((FORMAT, data, estimator, split.train, place.test, place.number, of_training, seed))


def of_rows(split: Split) -> str:
    """The rows of both sides of a split."""
    return _digest((split.train, split.place.test))


def _digest(value: Any) -> str:
    digest = _Digest()
    digest.add(value, 0)
    return digest.made.hexdigest()


class _Digest:
    """A value taken apart until only texts, numbers and arrays are left, which are hashed in turn."""

    def __init__(self) -> None:
        self.made = blake2b(digest_size=20)
        self.defined: dict[int, tuple[int, Any]] = {}
        """Classes and functions met already; kept here, so that no other object gets the same id."""
        self.open: list[int] = []
        """The objects that are being taken apart, the outermost first."""
        self.is_made = False
        """Whether this is in a function that a library wrote, from text that nobody has."""
        self.modules: set[tuple[int, frozenset[str]]] = set()
        """The modules met, each with the names that were looked up in it."""
        self.files: set[str] = set()
        """The packages and modules whose files were read, and the libraries they import."""

    def write(self, text: str) -> None:
        self.made.update(text.encode("utf-8", "surrogatepass"))

    def add(self, value: Any, depth: int) -> None:
        if depth > DEPTH:
            raise Unhashable(f"it goes deeper than {DEPTH} levels.")
        if value is None or value is Ellipsis or isinstance(value, _PLAIN):
            self.write(f"{type(value).__name__}:{value!r};")
        elif isinstance(value, np.ndarray):
            self._array(value, depth)
        elif isinstance(value, list | tuple | Mapping | set | frozenset):
            self._whole(value, depth, self._collection)
        elif isinstance(value, type) and not isinstance(value, types.GenericAlias):
            self._class(value, depth)
        elif isinstance(value, _FUNCTIONS):
            self._function(value, depth)
        elif isinstance(value, GeneratedFunction):
            was, self.is_made = self.is_made, True
            self._function(value.function, depth)
            self.is_made = was
        elif isinstance(value, types.ModuleType):
            self._module(Module(value, frozenset()), depth)
        elif isinstance(value, Module):
            self._module(value, depth)
        else:
            self._whole(value, depth, self._object)

    def _whole(self, value: Any, depth: int, take_apart: Callable[[Any, int], None]) -> None:
        """Take something apart, unless it is being taken apart: then it goes by where it stands."""
        if id(value) in self.open:
            self.write(f"round to {self.open.index(id(value))};")
            return
        self.open.append(id(value))
        try:
            take_apart(value, depth)
        finally:
            self.open.pop()

    def _collection(self, value: Any, depth: int) -> None:
        if isinstance(value, set | frozenset):
            self.add(sorted(_digest(each) for each in value), depth + 1)
            return
        kind = "mapping" if isinstance(value, Mapping) else type(value).__name__
        self.write(f"{kind}[{len(value)}]")
        for each in value.items() if isinstance(value, Mapping) else value:
            for part in each if isinstance(value, Mapping) else (each,):
                self.add(part, depth + 1)

    def _object(self, value: Any, depth: int) -> None:
        if (wrapped := inside(value)) is not None:
            self._collection(wrapped, depth)
        elif isinstance(value, np.random.RandomState | np.random.Generator):
            self._generator(value, depth)
        elif hasattr(value, "get_params"):
            self.add((type(value), value.get_params(deep=False)), depth + 1)
        elif _is_sparse(value):
            self.write(f"sparse {value.format} {value.shape};")
            triples = value.tocoo()
            self.add(tuple(getattr(triples, part) for part in ("row", "col", "data")), depth + 1)
        elif any(hasattr(value, name) for name in _OF_FRAMES):
            _add_frame(self.made, value)
        else:
            self.add(_reduced(value), depth + 1)

    def _generator(self, value: Any, depth: int) -> None:
        if value is np.random.mtrand._rand:  # its state is nobody's setting, and it is seeded for each fit
            self.write("the global random state;")
        elif isinstance(value, np.random.RandomState):
            self.add(value.get_state(legacy=False), depth + 1)
        else:
            self.add(value.bit_generator.state, depth + 1)

    def _array(self, value: Any, depth: int) -> None:
        self.write(f"array {value.dtype.str} {value.shape};")
        if value.dtype.hasobject:
            for each in value.ravel().tolist():
                self.add(each, depth + 1)
        else:
            self.made.update(np.ascontiguousarray(value).data.cast("B") if value.size else b"")

    def _class(self, value: type, depth: int) -> None:
        if self._is_named(value.__module__, f"class {value.__module__}.{value.__qualname__}"):
            return
        if not _is_written_in_python(value):
            raise Unhashable(f"it holds the class {value.__qualname__}, compiled and of no known version.")
        self._once(value, parts_of_class(value), depth)

    def _function(self, value: Any, depth: int) -> None:
        module, code = module_of(value), getattr(value, "__code__", None)
        name = value.__name__ if code is None else code.co_qualname
        # a function made inside another one may hold anything in its closure
        if "<" not in name and self._is_named(module, f"function {module}.{name}"):
            return
        if not isinstance(value, types.FunctionType):
            raise Unhashable(f"it holds the function {name}, compiled and of no known version.")
        if library_of(module) is None:
            self._cell(value)
        self._once(value, parts_of_function(value), depth)

    def _is_named(self, module: Any, name: str) -> bool:
        """Whether the name says all: of an installed distribution and of this library. Of others, files are read."""
        library = library_of(module)
        self._read(module)
        is_ours = isinstance(module, str) and module.partition(".")[0] == OURS
        if library is None and not is_ours:
            return False
        self.write(f"{name} of {library};")
        return True

    def _read(self, module: Any) -> None:
        """The files of a module that belongs to no installed distribution, and of all that it imports."""
        if isinstance(module, str) and library_of(module) is None:
            for name, content in files_of(module, self.files):
                self.write(f"file {name} {content};")

    def _cell(self, function: types.FunctionType) -> None:
        """The cell that a function was defined in, where its module is no file, or not only."""
        module, file = module_of(function), function.__code__.co_filename
        if file == getattr(sys.modules.get(module or ""), "__file__", None):
            return
        cell = cell_of(file)
        if not cell and not has_file(module) and not self.is_made:
            raise Unhashable(f"nobody has the source of {function.__qualname__}.")
        self.write(f"cell {len(cell)} {cell};")

    def _module(self, value: Module, depth: int) -> None:
        """What code uses of a module. Each function may use other names of it."""
        name = value.module.__name__
        if self._is_named(name, f"module {name}"):
            return
        self.write(f"module {name};")
        if (id(value.module), value.names) in self.modules:
            return
        self.modules.add((id(value.module), value.names))
        for attribute, content in value.parts():
            self.write(f"attribute {attribute};")
            self.add(content, depth + 1)

    def _once(self, value: Any, parts: Iterable[Any], depth: int) -> None:
        """The definition of a class or function; only its number where it was met before."""
        is_new = id(value) not in self.defined
        number, _ = self.defined.setdefault(id(value), (len(self.defined), value))
        self.write(f"definition {number};")
        if not is_new:
            return
        for part in parts:
            self.add(part, depth + 1)
        self.write("end;")


_PLAIN = str | bytes | Number | Enum | np.generic | range | slice
_FUNCTIONS = (
    types.FunctionType
    | types.BuiltinFunctionType
    | types.MethodDescriptorType
    | types.WrapperDescriptorType
    | types.MethodWrapperType
    | types.ClassMethodDescriptorType
    | np.ufunc
)


def _reduced(value: Any) -> tuple[Any, ...]:
    """What any other object consists of, as it would be copied: its class, and what that needs to make it again."""
    try:
        made = value.__reduce_ex__(4)
    except Exception as error:
        raise Unhashable(
            f"it holds {an(type(value).__name__)}, of which nothing says what it consists of."
        ) from error
    if isinstance(made, str):  # a name, as of a singleton
        return (type(value), made)
    rest = [list(each) if isinstance(each, Iterator) else each for each in made[1:]]
    return (type(value), made[0], *rest)


def _is_written_in_python(kind: type) -> bool:
    """Whether a class has a dictionary for its objects, or says in `__slots__` that it has none, as named tuples do."""
    is_open = "__dict__" in dir(kind) or "__slots__" in vars(kind)
    return bool(kind.__flags__ & _ON_THE_HEAP) and is_open


_ON_THE_HEAP = 1 << 9


_OF_FRAMES = ("__dataframe__", "__arrow_c_stream__", "__arrow_c_array__")
"""What a frame or a column of any library has."""


def _add_frame(made: Any, value: Any) -> None:
    """A frame or column of any library, by its Arrow form."""
    import pyarrow as pa

    try:
        if hasattr(value, "columns"):
            table = pa.Table.from_pandas(value) if _is_pandas(value) else pa.table(value)
        else:
            table = pa.table({"": pa.Array.from_pandas(value) if _is_pandas(value) else value})
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


def of_text(text: str) -> str:
    """The fingerprint of a text."""
    return _digest(text)
