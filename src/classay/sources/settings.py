"""Settings of a gate in a file that lies beside the code: `[tool.classay]` of pyproject.toml, or classay.toml.

What stands right there holds for columns, levels and seeds; what a gate demands may stand there or in its table
`gate`, which goes before. Options of the command line go before both.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from classay.errors import FileError, InputError, nearest
from classay.kinds import shown
from classay.texts import clean

OWN, PROJECT = "classay.toml", "pyproject.toml"
PAIRS = {"class_scores": ",", "cost": None, "threshold": ","}
"""Settings that may be tables of names and values, and what joins them to one text; None where each is an option."""
MOST_BYTES = 1 << 22
"""A file of settings holds less: reading would not end on a device that never does."""
BY_MODEL = "class_scores"
"""The setting that may hold a table for each of several models."""


@dataclass(frozen=True)
class Settings:
    """What a file says of the options of a command, by the names of their parameters, and where it says so."""

    path: Path
    table: str
    values: dict[str, Any]

    def __str__(self) -> str:
        names = ", ".join(name.replace("_", "-") for name in self.values) or "nothing"
        where = f" [{self.table}]" if self.table else ""
        return clean(f"settings of {self.path}{where}: {names}")


@dataclass(frozen=True)
class Known:
    """The options of a command: all that may be settings, those that hold lists, and those that are of one call."""

    settings: Collection[str]
    lists: Collection[str] = ()
    of_one_call: Collection[str] = ()


def settings_for(command: str, known: Known, folder: Path, named: str | None) -> Settings | None:
    """The settings of a command, of the file that is `named`, or of the nearest one from a folder upwards.

    Raises InputError for a key that is no option of the command, with the nearest one, for one that belongs to a call,
    and for a value of another kind; FileError for a file that is not there or no TOML.
    """
    if named is not None:
        path = Path(named)
        content = _content(path)
        project = path.name == PROJECT
        return _read(path, _table(content, path) if project else content, command, known)
    for each in (folder, *folder.parents):
        own, project_file = each / OWN, each / PROJECT
        if _is_there(own):
            return _read(own, _content(own), command, known)
        if _is_there(project_file):
            table = _table(_content(project_file), project_file)
            if table is not None:
                return _read(project_file, table, command, known)
    return None


def _is_there(path: Path) -> bool:
    """Whether somebody put settings here; a link that leads nowhere is an error when it is read, and not passed by."""
    return path.is_file() or path.is_symlink()


def _content(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            read = file.read(MOST_BYTES + 1)
        if len(read) > MOST_BYTES:
            raise FileError(f"{path} is longer than {MOST_BYTES >> 20} MB: pass a file of settings.")
        return tomllib.loads(read.decode("utf-8-sig"))
    except FileError:
        raise
    except FileNotFoundError:
        raise FileError(f"there is no file of settings {path}: check the path of --config.") from None
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path} cannot be read as TOML: byte {error.start} is no UTF-8. Save the file as UTF-8."
        ) from None
    except RecursionError:
        raise FileError(f"{path} cannot be read as TOML: its lists or tables are nested too deep.") from None
    except (
        OSError,
        ValueError,
    ) as error:  # TOML that is none, a number of too many digits, no name of a file
        raise FileError(f"{path} cannot be read as TOML: {clean(str(error))}.") from None


def _table(content: Mapping[str, Any], path: Path) -> dict[str, Any] | None:
    """The table [tool.classay] of a pyproject.toml, if there is one."""
    tool = content.get("tool", {})
    found = tool.get("classay") if isinstance(tool, dict) else None
    if found is not None and not isinstance(found, dict):
        raise InputError(f"{path}: tool.classay is {shown(found)}, and should be a table, [tool.classay].")
    return found


def _read(
    path: Path,
    table: Mapping[str, Any] | None,
    command: str,
    known: Known,
) -> Settings:
    name = "tool.classay" if path.name == PROJECT else ""
    own = f"{name}.{command}".lstrip(".")
    table = {} if table is None else table
    inside = table.get(command, {})
    if not isinstance(inside, dict):
        raise InputError(f"{path}: {own} is {shown(inside)}, and should be a table, [{own}].")
    values = {}
    for where, given in ((name, {k: v for k, v in table.items() if k != command}), (own, inside)):
        for key, value in given.items():
            _refuse_twice(key, given, path)
            option = key.replace("-", "_")
            if option not in known.settings:
                there = f"{path}: {f'[{where}]' if where else 'it'} holds {key!r}, which"
                raise InputError(f"{there} {_why_no_setting(option, command, known)}")
            values[option] = _value(option, value, f"{path}: {key}", known.lists)
    return Settings(path, own if inside else name, values)


def _why_no_setting(option: str, command: str, known: Known) -> str:
    if option in known.of_one_call:
        return (
            f"is of one call of `classay {command}`, and no setting: leave it out, and write --{_as_option(option)} on "
            "the command line."
        )
    near = nearest(_as_option(option), [*map(_as_option, known.settings)]) or "."
    return f"is no setting of `classay {command}`{near} They are named like its options."


def _refuse_twice(key: str, given: Mapping[str, Any], path: Path) -> None:
    other = key.replace("-", "_")
    if other != key and other in given:
        raise InputError(f"{path} holds {key!r} and {other!r}, which are one setting: keep one of them.")


def _as_option(name: str) -> str:
    return name.replace("_", "-")


def _value(option: str, value: Any, where: str, lists: Collection[str]) -> Any:
    """A value as the option would have it: texts and numbers as they are, tables of pairs as texts."""
    if isinstance(value, dict):
        if option == BY_MODEL and value and all(isinstance(each, dict) for each in value.values()):
            return [f"{_quoted(model)}:{_value(option, each, where, lists)}" for model, each in value.items()]
        if option not in PAIRS or not all(isinstance(each, str | int | float) for each in value.values()):
            raise InputError(f"{where} is a table, and should be a text or a number.")
        pairs = [f"{_quoted(name)}={_quoted(str(each))}" for name, each in value.items()]
        separator = PAIRS[option]
        return pairs if separator is None else separator.join(pairs)
    if option in lists and isinstance(value, list) and all(isinstance(each, str) for each in value):
        return value
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return value
    wanted = "a text, a number, or a list of texts" if option in lists else "a text or a number"
    raise InputError(f"{where} is {shown(value)}, and should be {wanted}.")


def as_names(names: Collection[str]) -> str:
    """Names as one option takes them: with commas between, and in quotes where a name holds one.

    >>> as_names(["new", "p(x, y)"])
    'new,"p(x, y)"'
    """
    return ",".join(map(_quoted, names))


def _quoted(text: str) -> str:
    return text if not any(mark in text for mark in ',:="') else '"' + text.replace('"', '""') + '"'
