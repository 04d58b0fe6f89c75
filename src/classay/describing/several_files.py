"""Files of a folder or a pattern: how many there are, and which differ from the first one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from classay.describing.first_rows import FirstRows
from classay.errors import ClassayError
from classay.texts import quote, some

MAX_FILES = 50
"""Files that are compared with the first one."""


def differences(first: FirstRows, files: Sequence[str], read: Callable[[str], FirstRows]) -> dict[str, str]:
    """Return those of the files that are not read as the first one, and what is different."""
    unlike: dict[str, str] = {}
    for file in files[:MAX_FILES]:
        try:
            why = _difference(first, read(file))
        except ClassayError as error:
            why = error.at_the_command
        if why:
            unlike[file] = why
    return unlike


def _difference(first: FirstRows, other: FirstRows) -> str:
    """Return what is different of a file, empty where nothing is."""
    columns, others = first.table.column_names, other.table.column_names
    options = [
        f"--{name.replace('_', '-')} {quote(other.options[name])}"
        for name in other.options
        if name != "na" and other.options[name] != first.options.get(name)
    ]
    lost = [name for name in first.options if name not in other.options and name != "na"]
    texts = [f"needs {some(options)}"] if options else []
    texts += [f"needs no --{name.replace('_', '-')}" for name in lost]
    if missing := [name for name in columns if name not in others]:
        texts.append(f"lacks {some(missing)}")
    if first.format != other.format:
        texts.append(f"is {other.title}")
    return " and ".join(texts)


def note_on_files(n_files: int, unlike: Mapping[str, str], first: str) -> list[str]:
    """Return what is said of several files."""
    looked_at = (
        f"{n_files:,} files"
        if n_files <= MAX_FILES + 1
        else f"The first {MAX_FILES + 1} of {n_files:,} files"
    )
    if not unlike:
        return [f"{looked_at} are alike: they have the columns of {first}, which is described."]
    notes = [f"{file} {why}, other than {first}." for file, why in [*unlike.items()][:5]]
    rest = len(unlike) - len(notes)
    return [
        *notes,
        *([f"{rest:,} more file{' differs' if rest == 1 else 's differ'} from {first}."] if rest else []),
    ]
