"""What a class or a function does, by its definition and its source files: an edited one is another one.

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
from collections.abc import Callable, Iterator
from hashlib import blake2b
from importlib import metadata
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES
from pathlib import Path
from typing import Any

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
    found = _distributions_of(top) or ((f"{top} {version}",) if isinstance(version, str) and version else ())
    return ", ".join(found) or None


def files_of(module: str, met: set[str]) -> Iterator[tuple[str, str]]:
    """Each package or module that a module consists of or imports, with what tells its content from any other.

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
    """Whether a module has a file that can be read."""
    return isinstance(module, str) and _unit(module) is not None


def cell_of(file: str) -> str:
    """The cell of a notebook, or the lines of a prompt, that compiled code came from; empty where nobody has it."""
    return "".join(linecache.getlines(file))


def _unit(module: str) -> str | None:
    """The module whose files are hashed for this one: its package as a whole, if that is one folder."""
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
    found = (each for each in folder.rglob("*") if each.name.endswith(_CODE) and each.is_file())
    kept = (each for each in found if each.parent.name != "__pycache__")
    return sorted((each.relative_to(folder).as_posix(), each) for each in kept)


def _file(module: str) -> str:
    """Where a module lies, whether or not it was imported; empty for one that has no file or is not found."""
    loaded = sys.modules.get(module)
    if loaded is not None:
        found = getattr(loaded, "__file__", None)
    else:
        try:
            spec = importlib.util.find_spec(module) if module else None
        except (ImportError, AttributeError, ValueError):
            spec = None
        found = spec.origin if spec is not None and spec.has_location else None
    return found if isinstance(found, str) and Path(found).is_file() else ""


def _package(unit: str) -> str:
    return getattr(sys.modules.get(unit), "__package__", None) or unit.rpartition(".")[0]


@functools.lru_cache(maxsize=4096)
def _imports(code: bytes, package: str) -> frozenset[str]:
    """The modules that a file imports anywhere. What it imports by a name made at run time cannot be seen."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):  # a template beside the code; nothing can run it
        return frozenset()
    return frozenset(name for node in ast.walk(tree) for name in _imported(node, package))


def _imported(node: ast.AST, package: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (each.name for each in node.names)
    elif isinstance(node, ast.ImportFrom):
        name = "." * node.level + (node.module or "")
        try:
            whole = importlib.util.resolve_name(name, package or None)
        except (ImportError, ValueError):  # relative, and inside its package
            return
        yield whole
        yield from (f"{whole}.{each.name}" for each in node.names)
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
    """The distributions that a module was installed by, with their versions."""
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
    """The name of the module that a function's code is in, whatever a decorator says that it wraps."""
    if isinstance(value, types.FunctionType):
        found = value.__globals__.get("__name__")
        return found if isinstance(found, str) else None
    found = getattr(value, "__module__", None)
    if not isinstance(found, str):  # methods of compiled classes, ufuncs
        owner = getattr(value, "__objclass__", None) or type(getattr(value, "__self__", None) or value)
        found = getattr(owner, "__module__", None)
    return found if isinstance(found, str) else None


def parts_of_function(function: types.FunctionType) -> Iterator[Any]:
    """All that a function of Python does, as values that have a fingerprint themselves."""
    yield from _parts_of_code(function.__code__)
    yield function.__defaults__
    yield function.__kwdefaults__
    for cell in function.__closure__ or ():
        yield _content(cell)
    for name, value in _references(function):
        yield name
        yield value


def parts_of_class(kind: type) -> Iterator[Any]:
    """All that a class of Python does: its bases, its metaclass, its methods and its attributes."""
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
    """What a wrapper of Python's wraps: properties, methods, cached functions; None for anything else."""
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
        """Those of its attributes that the code may use; of a submodule, those again."""
        for name in sorted(self.names & vars(self.module).keys()):
            value = vars(self.module)[name]
            yield name, Module(value, self.names) if isinstance(value, types.ModuleType) else value


def _references(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The globals that a function names, and what it imports, each with its value."""
    named: set[str] = set()
    imported: set[tuple[str, int]] = set()
    attributes: set[str] = set()
    for code in _all_codes(function.__code__):
        attributes |= {*code.co_names}
        found, again = _names_of(code)
        named |= found
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
    """The module that an import inside a function means; the fit would import it as well."""
    try:
        whole = importlib.util.resolve_name("." * level + name, package if level else None)
        if library_of(whole) is not None and whole not in sys.modules:
            return sys.modules.get(whole.partition(".")[0])
        return importlib.import_module(whole)
    except Exception:  # noqa: BLE001  whatever a module does when it is imported; the fit will show it
        return None
