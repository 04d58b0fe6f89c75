"""Source files: what code that is no installed distribution consists of, and all that it imports.

An installed distribution goes by its name and version. Anything else goes by whole files: a package by all files of its
folder, a module by its file, and then whatever these import, inside functions too. So it does not matter by which way
a fit reaches a line: an edited line is another key.
"""

from __future__ import annotations

import ast
import functools
import importlib.util
import json
import linecache
import sys
import sysconfig
from collections.abc import Iterator
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
