"""Fingerprints: what a fold's result depends on, edited source files too, as a text under which a store keeps it.

Source files: what code that is no installed distribution consists of, and all that it imports.

An installed distribution goes by its name and version. Anything else goes by whole files: a package by all files of its
folder, a module by its file, and then whatever these import, inside functions too. So it does not matter by which way
a fit reaches a line: an edited line is another key.

A class or function of an installed distribution goes by its name and version. Any other, of a notebook, of a script or
of a package under development, goes by the source files that it comes from and, because a notebook may hold what
the file no longer says, by what is loaded: its compiled code, its defaults, its closure, the globals it names with
their values, its base classes.
"""

from __future__ import annotations

import ast
import builtins
import dis
import functools
import importlib
import importlib.util
import json
import linecache
import logging
import sys
import sysconfig
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from hashlib import blake2b
from importlib import metadata
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES
from numbers import Number
from pathlib import Path
from typing import Any

import numpy as np

from classay.errors import InputError, shown
from classay.resampling.data import FORMAT, Dataset, Split
from classay.texts import an

INSTALLED = {"site-packages", "dist-packages"}
PYTHON = ".".join(map(str, sys.version_info[:2]))
OURS = __name__.partition(".")[0]
"""This library goes by its version or its files and is not walked: its ensembles reach most of it."""
_CODE = (*SOURCE_SUFFIXES, *EXTENSION_SUFFIXES, ".pyc")


def library_of(module: Any) -> str | None:
    """Name and version of the installed distribution that a module belongs to; None where its files must be read.

    An editable install is none: its files change while its version stays. A compiled class may hold anything in place
    of the name of its module.
    """
    if not isinstance(module, str):
        return None
    top = module.partition(".")[0]
    unit = _unit(module)
    file = _file(unit) if unit else ""
    if top == "builtins" or (top in sys.stdlib_module_names and (not file or _is_pythons(file))):
        return f"Python {PYTHON}"
    if not INSTALLED & {*Path(file).parts}:
        return None
    version = getattr(sys.modules.get(top), "__version__", None)
    libraries = _distributions_of(top) or (
        (f"{top} {version}",) if isinstance(version, str) and version else ()
    )
    return ", ".join(libraries) or None


def files_of(module: str, met: set[str]) -> Iterator[tuple[str, str]]:
    """Yield each package or module that a module consists of or imports, with what tells its content from any other.

    Those of `met` are left out, and what is found is added to it. Nothing where the module has no file, as those of a
    notebook.
    """
    first = _unit(module)
    coming = [] if first is None else [first]
    while coming:
        unit = coming.pop()
        if unit in met:
            continue
        met.add(unit)
        files = _files(unit)
        content = blake2b(digest_size=20)
        imported: set[str] = set()
        for name, file in files:
            code = file.read_bytes()
            content.update(f"{name} {len(code)};".encode())
            content.update(code)
            if file.suffix in SOURCE_SUFFIXES and unit != OURS:
                imported |= _imports(code, _package(unit))
        yield unit, content.hexdigest()
        for name in sorted(imported):
            library, within = library_of(name), _unit(name)
            if library is None and within is not None:
                coming.append(within)
            elif (other := library or f"no {name}") not in met:
                met.add(other)
                yield "", other


def has_file(module: Any) -> bool:
    """Check whether a module has a file that can be read."""
    return isinstance(module, str) and _unit(module) is not None


def cell_of(file: str) -> str:
    """The cell of a notebook, or the lines of a prompt, that compiled code came from; empty where nobody has it."""
    return "".join(linecache.getlines(file))


def _unit(module: str) -> str | None:
    """Return the module whose files are hashed for this one: its package as a whole, if that is one folder."""
    spec = getattr(sys.modules.get(module), "__spec__", None)
    if module == "__main__" and spec is not None:  # python -m package.module
        module = spec.name
    top = module.partition(".")[0]
    if _file(top):
        return top
    parts = module.split(".")  # of a namespace: the shortest name that is a file
    return next((name for k in range(2, len(parts) + 1) if _file(name := ".".join(parts[:k]))), None)


def _files(unit: str) -> list[tuple[str, Path]]:
    file = Path(_file(unit))
    if file.stem != "__init__":
        return [(file.name, file)]
    folder = file.parent
    paths = (path for path in folder.rglob("*") if path.name.endswith(_CODE) and path.is_file())
    kept = (path for path in paths if path.parent.name != "__pycache__")
    return sorted((path.relative_to(folder).as_posix(), path) for path in kept)


def _file(module: str) -> str:
    """Return where a module lies, whether or not it was imported; empty for one that has no file or is not found."""
    loaded = sys.modules.get(module)
    if loaded is not None:
        file = getattr(loaded, "__file__", None)
    else:
        try:
            spec = importlib.util.find_spec(module) if module else None
        except (ImportError, AttributeError, ValueError):
            spec = None
        file = spec.origin if spec is not None and spec.has_location else None
    return file if isinstance(file, str) and Path(file).is_file() else ""


def _package(unit: str) -> str:
    return getattr(sys.modules.get(unit), "__package__", None) or unit.rpartition(".")[0]


@functools.lru_cache(maxsize=4096)
def _imports(code: bytes, package: str) -> frozenset[str]:
    """Return the modules that a file imports anywhere. What it imports by a name made at run time cannot be seen."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):  # a template beside the code; nothing can run it
        return frozenset()
    return frozenset(name for node in ast.walk(tree) for name in _imported(node, package))


def _imported(node: ast.AST, package: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        name = "." * node.level + (node.module or "")
        try:
            full_name = importlib.util.resolve_name(name, package or None)
        except (ImportError, ValueError):  # relative, and inside its package
            return
        yield full_name
        yield from (f"{full_name}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Call) and _called(node.func) in ("import_module", "__import__"):
        first = node.args[0] if node.args else None
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield first.value.lstrip(".")


def _called(function: ast.expr) -> str:
    return str(getattr(function, "attr", getattr(function, "id", "")))


def _is_pythons(file: str) -> bool:
    paths = sysconfig.get_paths()
    return any(file.startswith(paths[name]) for name in ("stdlib", "platstdlib"))


@functools.cache
def _distributions() -> Any:
    return metadata.packages_distributions()


@functools.cache
def _distributions_of(top: str) -> tuple[str, ...]:
    """Return the distributions that a module was installed by, with their versions."""
    return tuple(sorted(_named(metadata.distribution(name)) for name in {*_distributions().get(top, ())}))


def _named(distribution: metadata.Distribution) -> str:
    """Name and version. One installed from a folder may be another one of the same version: its list of files tells."""
    name = f"{distribution.metadata['Name']} {distribution.version}"
    source = json.loads(distribution.read_text("direct_url.json") or "{}")
    if "dir_info" in source:
        files = distribution.read_text("RECORD") or ""
        return f"{name} {blake2b(files.encode(), digest_size=8).hexdigest()}"
    return name


_OF_PYTHON = {
    "__dict__",
    "__weakref__",
    "__module__",
    "__doc__",
    "__annotations__",
    "__annotate_func__",
    "__annotations_cache__",
    "__firstlineno__",
    "__static_attributes__",
    "__abstractmethods__",
    "_abc_impl",
    "__dataclass_fields__",
    "__match_args__",
    "__parameters__",
    "__orig_bases__",
    "__slotnames__",
}
"""What Python itself puts into a class; it says nothing that the rest does not say."""


def module_of(value: Any) -> str | None:
    """Return the name of the module that a function's code is in, whatever a decorator says that it wraps."""
    if isinstance(value, types.FunctionType):
        module = value.__globals__.get("__name__")
        return module if isinstance(module, str) else None
    module = getattr(value, "__module__", None)
    if not isinstance(module, str):  # methods of compiled classes, ufuncs
        owner = getattr(value, "__objclass__", None) or type(getattr(value, "__self__", None) or value)
        module = getattr(owner, "__module__", None)
    return module if isinstance(module, str) else None


def parts_of_function(function: types.FunctionType) -> Iterator[Any]:
    """Yield all that a function of Python does, as values that have a fingerprint themselves."""
    yield from _parts_of_code(function.__code__)
    yield function.__defaults__
    yield function.__kwdefaults__
    for cell in function.__closure__ or ():
        yield _content(cell)
    for name, value in _references(function):
        yield name
        yield value


def parts_of_class(kind: type) -> Iterator[Any]:
    """Yield all that a class of Python does: its bases, its metaclass, its methods and its attributes."""
    yield (kind.__module__, kind.__qualname__)
    yield type(kind)
    yield from kind.__bases__
    is_made = any(name in vars(kind) for name in _MAKES_METHODS)
    for name, value in sorted(vars(kind).items()):
        if name not in _OF_PYTHON and not isinstance(
            value, types.GetSetDescriptorType | types.MemberDescriptorType
        ):
            yield name
            function = getattr(value, "__func__", value)  # of static methods and those of the class
            is_function = isinstance(function, types.FunctionType)
            yield (type(value).__name__, GeneratedFunction(function)) if is_made and is_function else value


_MAKES_METHODS = ("__dataclass_fields__", "_fields", "__attrs_attrs__")
"""What a class has whose methods a library wrote, from text that nobody has."""


class GeneratedFunction:
    """A function that may have no source, because a library wrote it from what the class says."""

    def __init__(self, function: types.FunctionType) -> None:
        self.function = function


_WRAPPERS: tuple[tuple[type, Callable[[Any], tuple[Any, ...]]], ...] = (
    (property, lambda value: ("property", value.fget, value.fset, value.fdel)),
    (classmethod, lambda value: ("classmethod", value.__func__)),
    (staticmethod, lambda value: ("staticmethod", value.__func__)),
    (types.MethodType, lambda value: ("method", value.__func__, value.__self__)),
    (functools.partial, lambda value: ("partial", value.func, value.args, value.keywords)),
    (functools.partialmethod, lambda value: ("partialmethod", value.func, value.args, value.keywords)),
    (functools.cached_property, lambda value: ("cached_property", value.func)),
    (functools._lru_cache_wrapper, lambda value: ("cached", value.__wrapped__)),
    (types.GenericAlias, lambda value: ("alias", value.__origin__, value.__args__)),
    (logging.Logger, lambda value: ("logger", value.name)),
)


def inside(value: Any) -> tuple[Any, ...] | None:
    """Return what a wrapper of Python's wraps: properties, methods, cached functions; None for anything else."""
    return next((parts(value) for kind, parts in _WRAPPERS if isinstance(value, kind)), None)


def _parts_of_code(code: types.CodeType) -> Iterator[Any]:
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    yield (PYTHON, *counts, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    yield code.co_code
    yield code.co_exceptiontable
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _parts_of_code(constant)
        else:
            yield constant


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None


class Module:
    """A module that code refers to, with all the names that the code uses, of it, of its submodules, or of others."""

    def __init__(self, module: types.ModuleType, names: frozenset[str]) -> None:
        self.module, self.names = module, names

    def parts(self) -> Iterator[tuple[str, Any]]:
        """Yield those of its attributes that the code may use; of a submodule, those again."""
        for name in sorted(self.names & vars(self.module).keys()):
            value = vars(self.module)[name]
            yield name, Module(value, self.names) if isinstance(value, types.ModuleType) else value


def _references(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield the globals that a function names, and what it imports, each with its value."""
    named: set[str] = set()
    imported: set[tuple[str, int]] = set()
    attributes: set[str] = set()
    for code in _all_codes(function.__code__):
        attributes |= {*code.co_names}
        names, again = _names_of(code)
        named |= names
        imported |= again
    used = frozenset(attributes)
    for name in sorted(named):
        if name in function.__globals__:
            value = function.__globals__[name]
            yield name, Module(value, used) if isinstance(value, types.ModuleType) else value
        elif not hasattr(builtins, name):
            yield name, "nowhere"
    for name, level in sorted(imported):
        module = _module_of(name, level, function.__globals__.get("__package__"))
        yield name, "nowhere" if module is None else Module(module, used)


def _names_of(code: types.CodeType) -> tuple[set[str], set[tuple[str, int]]]:
    """The globals that one piece of code names, and the modules it imports, with the level of a relative import."""
    named: set[str] = set()
    imported: set[tuple[str, int]] = set()
    level = 0
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            named.add(step.argval)
        elif step.opname in ("LOAD_CONST", "LOAD_SMALL_INT") and isinstance(step.argval, int):
            level = int(step.argval)  # pushed before what is imported from, and then the name
        elif step.opname == "IMPORT_NAME":
            imported.add((step.argval, level))
            level = 0
    return named, imported


def _all_codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _all_codes(constant)


def _module_of(name: str, level: int, package: Any) -> types.ModuleType | None:
    """Return the module that an import inside a function means; the fit would import it as well."""
    try:
        full_name = importlib.util.resolve_name("." * level + name, package if level else None)
        if library_of(full_name) is not None and full_name not in sys.modules:
            return sys.modules.get(full_name.partition(".")[0])
        return importlib.import_module(full_name)
    except Exception:  # noqa: BLE001  whatever a module does when it is imported; the fit will show it
        return None


DEPTH = 40


class Unhashable(InputError):
    """A value that has no fingerprint, because nothing says what it consists of."""


def of_estimator(name: str, estimator: Any) -> str:
    """Return what an estimator does and is set to: the definitions of all that takes part, and its parameters.

    Raises InputError for a parameter that has no fingerprint, such as an open file; `keys=` names it instead.
    """
    try:
        return _digest(estimator)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # an estimator may raise anything when it is asked for its parameters
        raise InputError(
            f"{name} has no identity in the store: {shown(error)} Pass "
            f"keys={{{name!r}: 'a text that changes with the learner'}}, or remove the store."
        ) from error


def of_data(data: Dataset) -> str:
    """Features, labels, weights and clusters."""
    cases = data.cases
    try:
        features = _digest(data.X)
    except Unhashable as error:
        raise InputError(f"X has no identity in the store: {error}") from error
    rest = (cases.truth, [repr(label) for label in cases.labels], repr(cases.positive))
    return _digest((features, *rest, cases.weight, cases.cluster))


def key_of(data: str, estimator: str, split: Split, seed: int, training: Sequence[str] = ()) -> str:
    """Return the key of one fold's result. The rows of the split say more than the name of its protocol.

    `training` names the measures that are taken of the training cases, where the split shows them.
    """
    place = split.place
    of_training = sorted(training) if split.shows_training else None
    return _digest((FORMAT, data, estimator, split.train, place.test, place.number, of_training, seed))


def of_rows(split: Split) -> str:
    """Return the rows of both sides of a split."""
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
            raise Unhashable(f"it is nested more than {DEPTH} levels deep.")
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
            self.add(sorted(_digest(member) for member in value), depth + 1)
            return
        kind = "mapping" if isinstance(value, Mapping) else type(value).__name__
        self.write(f"{kind}[{len(value)}]")
        for member in value.items() if isinstance(value, Mapping) else value:
            for part in member if isinstance(value, Mapping) else (member,):
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
        elif any(hasattr(value, name) for name in _OF_FRAMES) or _is_series(value):
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
            for member in value.ravel().tolist():
                self.add(member, depth + 1)
        else:
            self.made.update(np.ascontiguousarray(value).data.cast("B") if value.size else b"")

    def _class(self, value: type, depth: int) -> None:
        if self._is_named(value.__module__, f"class {value.__module__}.{value.__qualname__}"):
            return
        if not _is_written_in_python(value):
            raise Unhashable(
                f"it contains the class {value.__qualname__}, which is compiled and has no known version."
            )
        self._once(value, parts_of_class(value), depth)

    def _function(self, value: Any, depth: int) -> None:
        module, code = module_of(value), getattr(value, "__code__", None)
        name = value.__name__ if code is None else code.co_qualname
        # a function made inside another one may hold anything in its closure
        if "<" not in name and self._is_named(module, f"function {module}.{name}"):
            return
        if not isinstance(value, types.FunctionType):
            raise Unhashable(f"it contains the function {name}, which is compiled and has no known version.")
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
            raise Unhashable(f"the source of {function.__qualname__} is not available.")
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
        reduced = value.__reduce_ex__(4)
    except Exception as error:
        raise Unhashable(f"it contains {an(type(value).__name__)} with unknown contents.") from error
    if isinstance(reduced, str):  # a name, as of a singleton
        return (type(value), reduced)
    rest = [list(state) if isinstance(state, Iterator) else state for state in reduced[1:]]
    return (type(value), reduced[0], *rest)


def _is_written_in_python(kind: type) -> bool:
    """Whether a class has a dictionary for its objects, or says in `__slots__` that it has none, as named tuples do."""
    is_open = "__dict__" in dir(kind) or "__slots__" in vars(kind)
    return bool(kind.__flags__ & _ON_THE_HEAP) and is_open


_ON_THE_HEAP = 1 << 9


_OF_FRAMES = ("__dataframe__", "__arrow_c_stream__", "__arrow_c_array__")
"""What a frame or a column of any library has."""


def _add_frame(digest: Any, value: Any) -> None:
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
    digest.update(f"frame {table.schema};".encode())
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    digest.update(memoryview(sink.getvalue()))


def _is_pandas(value: Any) -> bool:
    return type(value).__module__.startswith("pandas")


def _is_series(value: Any) -> bool:
    """Check whether it is a column of pandas, which had nothing of Arrow before its third version."""
    return _is_pandas(value) and hasattr(value, "to_frame") and hasattr(value, "index")


def _is_sparse(value: Any) -> bool:
    return type(value).__module__.startswith("scipy.sparse")


def of_text(text: str) -> str:
    """Return the fingerprint of a text."""
    return _digest(text)
