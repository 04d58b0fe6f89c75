"""Wings: folders that each add a capability to the core, which is complete without them.

A wing is a folder with a `wing.py`, which names what the wing brings and imports `Wing` alone. The core asks here for a
kind of thing, never for a wing, and imports a thing when it is needed. A wing imports the core, and of other wings only
those that it `stands_on`; where one of these is missing, the wing is not loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from pkgutil import iter_modules
from types import CodeType
from typing import TYPE_CHECKING, Any, Literal, cast

if TYPE_CHECKING:
    from importlib.abc import InspectLoader

Kind = Literal[
    "public",
    "renamed",
    "rooms",
    "results",
    "drawings",
    "saved",
    "listed",
    "shown_again",
    "commands",
    "options",
    "ways",
    "parts",
    "keys",
    "words",
    "registers",
    "formats",
    "outputs",
]


@dataclass(frozen=True)
class Wing:
    """What a wing brings: by kind, the place of each thing as `module` or `module:name`."""

    name: str
    stands_on: tuple[str, ...] = ()
    public: Mapping[str, str] = field(default_factory=dict)
    """The module of each name of `import classay`."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """By a former name of `import classay`, the one that it has now: for a release it works, with a warning."""
    rooms: Mapping[str, str] = field(default_factory=dict)
    """Modules that are names of `import classay`."""
    results: Mapping[str, str] = field(default_factory=dict)
    """By the class of a result, the module whose functions build its reports, with `:SUFFIX` of these functions."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """The same of what has no report of its own: parts of results, which are shown with them, and plans."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """By the name of the schema of a result, the keys (`report.shape`) that its JSON may have besides."""
    drawings: Mapping[str, str] = field(default_factory=dict)
    """By the class of what `plot` draws in a way of its own, the function of it, axes and a `Drawing`."""
    saved: Mapping[str, str] = field(default_factory=dict)
    """By the kind of a saved file, the class or module whose `load` reads it."""
    listed: Mapping[str, str] = field(default_factory=dict)
    """By the class of a saved result, the function from it, a `SavedResult` and measures to its rows in `runs`.

    "store" is the function from the file of a store of runs, and measures, to rows.
    """
    shown_again: Mapping[str, str] = field(default_factory=dict)
    """By the kind of a saved file, the function by which `classay runs FILE` shows it, of it, measures and outputs.

    "store" is the function of the file of a store of runs, the id of a run or None, measures and outputs.
    """
    commands: Mapping[str, str] = field(default_factory=dict)
    """By the name of a command, the module with its function and EXAMPLE, or EXAMPLE_OF_NAME where it has several."""
    ways: Mapping[str, str] = field(default_factory=dict)
    """By "verb.name", how a verb of the core answers what the wing adds to it.

    Of `compare` and `compare_predictions` a `WayToCompare` (`comparison.ways`), of other verbs what they call where an
    option of that name is given. "report.OPTION" answers an option of every command that writes a result, and
    an argument of `report`. Cases of another task are met by a `WayOfRows` of "rows" (`assessment.other_rows`), a
    `WayOfPanels` of "panel" (`comparison.cases.other_panel`), a `WayOfParts` of "scan" (`in_parts.other_parts`) and a
    `WayToEvaluate` of "evaluate" (`resampling.other_labels`). Of the class of an assessment, "made" is what writes it
    at the command, and "remembered" the class that computes its estimates once.
    """
    registers: Mapping[str, str] = field(default_factory=dict)
    """By "registry.name", such as "measures.tags", a module that adds to a registry of the core when it is imported."""
    formats: Mapping[str, str] = field(default_factory=dict)
    """By the name of a format of files, its `OtherFormat` (`sources.other_formats`)."""
    outputs: Mapping[str, str] = field(default_factory=dict)
    """By the ending of files in which results are written, the `FileForm` (`report.forms`)."""
    words: Mapping[str, str] = field(default_factory=dict)
    """By what helps call them in braces, the names that an option takes."""
    options: Mapping[str, str] = field(default_factory=dict)
    """By "command.way", the dataclass of options that a wing adds to a command of the core.

    Those of `compare` are a `cli.given.Way`, those of `assess` a `cli.row_options.WayToCount`, and those of "assess
    other", "decide other", "compare other" and "gate other", for cases of another task, stand in `cli.other_tasks`.
    """


@cache
def wings() -> tuple[Wing, ...]:
    """Return the core, then each wing after those that it stands on, otherwise by name."""
    waiting = list(_read())
    loaded: dict[str, Wing] = {"core": import_module("classay.core_wing").WING}
    while ready := [wing for wing in waiting if loaded.keys() >= {*wing.stands_on}]:
        loaded |= {wing.name: wing for wing in ready}
        waiting = [wing for wing in waiting if wing.name not in loaded]
    return tuple(loaded.values())


def _read() -> Iterator[Wing]:
    """The wing that each `wing.py` names, without its package, which may import much; from a folder or an archive."""
    folder = str(Path(__file__).parent)
    for name in sorted(module.name for module in iter_modules([folder]) if module.ispkg):
        module = f"classay.{name}.wing"
        values: dict[str, Any] = {"__name__": module}
        with suppress(ImportError):
            values["code"] = code_of(module)
        if "code" in values:
            exec(values["code"], values)
            yield values["WING"]


def code_of(module: str) -> CodeType:
    """Return the code of a module of classay, which is not imported. Raises ImportError where there is none."""
    folder = str(Path(__file__).parent.joinpath(*module.split(".")[1:-1]))
    spec = PathFinder.find_spec(module, [folder])
    code = None if spec is None else cast("InspectLoader", spec.loader).get_code(module)
    if code is None:
        raise ImportError(module)
    return code


@cache
def brought(kind: Kind) -> Mapping[str, str]:
    """Return all things of a kind, those of the core first.

    >>> brought("commands")["assess"]
    'classay.cli.commands.assess'
    """
    return {name: place for wing in wings() for name, place in getattr(wing, kind).items()}


def ways_of(verb: str) -> list[Any]:
    """Return all ways that wings bring for a verb, in their order."""
    return [thing(place) for name, place in brought("ways").items() if name.partition(".")[0] == verb]


def register(registry: str) -> None:
    """Import the modules of wings that add to a registry of the core, which then holds its own entries."""
    for name, place in brought("registers").items():
        if name.partition(".")[0] == registry:
            thing(place)


def way(name: str) -> Any:
    """Return how a verb answers what a wing adds, by "verb.name". Raises InputError where no wing brings it.

    >>> way("assess.nothing")
    Traceback (most recent call last):
    classay.errors.InputError: nothing of assess belongs to a part of classay that is not installed. Remove it.
    """
    place = brought("ways").get(name)
    if place is None:
        from classay.errors import InputError

        verb, _, what = name.partition(".")
        raise InputError(f"{what} of {verb} belongs to a part of classay that is not installed. Remove it.")
    return thing(place)


def altered(name: str, value: Any, *about: Any) -> Any:
    """Return a value as the way of a wing, by "verb.name", alters it; as it is where no wing brings this way.

    >>> altered("read.nothing", 3)
    3
    """
    place = brought("ways").get(name)
    return value if place is None else thing(place)(value, *about)


def thing(place: str) -> Any:
    """Return the module, or its attribute, at a place.

    >>> thing("classay.texts:listed")(["a", "b"])
    'a and b'
    """
    module, _, name = place.partition(":")
    return getattr(import_module(module), name) if name else import_module(module)
