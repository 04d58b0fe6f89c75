"""Definitions: what a class or a function does, so that an edited one is another one.

A class or function of an installed distribution goes by its name and version. Any other, of a notebook, of a script or
of a package under development, goes by the source files that it comes from and, because a notebook may hold what
the file no longer says, by what is loaded: its compiled code, its defaults, its closure, the globals it names with
their values, its base classes.
"""

from __future__ import annotations

import builtins
import dis
import functools
import importlib
import importlib.util
import logging
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from classay.resampling.store.source_files import PYTHON, library_of

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
            yield (type(value).__name__, Made(function)) if is_made and is_function else value


_MAKES_METHODS = ("__dataclass_fields__", "_fields", "__attrs_attrs__")
"""What a class has whose methods a library wrote, from text that nobody has."""


class Made:
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
        found, again = _named(code)
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
        module = _imported(name, level, function.__globals__.get("__package__"))
        yield name, "nowhere" if module is None else Module(module, used)


def _named(code: types.CodeType) -> tuple[set[str], set[tuple[str, int]]]:
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


def _imported(name: str, level: int, package: Any) -> types.ModuleType | None:
    """The module that an import inside a function means; the fit would import it as well."""
    try:
        whole = importlib.util.resolve_name("." * level + name, package if level else None)
        if library_of(whole) is not None and whole not in sys.modules:
            return sys.modules.get(whole.partition(".")[0])
        return importlib.import_module(whole)
    except Exception:  # noqa: BLE001  whatever a module does when it is imported; the fit will show it
        return None
