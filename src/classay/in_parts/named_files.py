"""The files that paths, patterns and folders mean: those with rows, of one kind."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from classay.errors import FileError
from classay.in_parts.addresses import Place, files_at, root_of
from classay.in_parts.table_folders import refuse_table_folders, refuse_tables_at
from classay.kinds import Format
from classay.sources.inputs import Input, find_input, is_address, is_known_name
from classay.sources.other_formats import reader_of, recognized
from classay.texts import naturally
from classay.wings import brought, thing


def is_of_several(name: str) -> bool:
    """Check whether a name stands for several files: a folder, or a pattern that is not itself the name of a file."""
    if is_address(name):
        return glob.has_magic(name) or Place(name).is_folder
    return os.path.isdir(os.path.expanduser(name)) or (glob.has_magic(name) and not os.path.exists(name))


def first_file(name: str, format: Format | None) -> str:
    """The first of the files that a folder or a pattern means; any other name as it is. Raises FileError for none."""
    return next(files_in(name, format))[0] if is_of_several(name) else name


def files_of(names: Sequence[str], format: Format | None) -> Iterator[str]:
    """Yield the files that names of files, patterns and folders mean, in order."""
    for name in names:
        yield from (path for path, _ in files_in(name, format))


def files_in(name: str, format: Format | None) -> Iterator[tuple[str, str]]:
    """Yield the files that a name means, in order, each with the folder whose sub-folders may name columns."""
    path = os.path.expanduser(name)
    if not is_of_several(path) or recognized(path, name) is not None:
        yield path, os.path.dirname(path)
        return
    if is_address(path):
        root, (files, every) = root_of(path), files_at(path)
        refuse_tables_at(root, every, files)
    elif os.path.isdir(path):
        every = [path, *map(str, Path(path).rglob("*"))]
        refuse_table_folders(entry for entry in every if os.path.isdir(entry))
        root, files = path, [entry for entry in every if os.path.isfile(entry)]
    else:
        root = _fixed_part(path)
        files = [entry for entry in glob.glob(path, recursive=True) if os.path.isfile(entry)]
        refuse_table_folders(files)
    kept = [
        file
        for file in sorted(files, key=naturally)
        if not _is_hidden(file, root) and (format is not None or _is_of_rows(file, name))
    ]
    if not kept:
        raise FileError(
            f"{name} contains no file of rows. File names must end in .parquet, .arrow, .csv, .tsv, .jsonl, .json, or "
            "another ending that classay reads."
        )
    if format is None and not is_address(path):
        _refuse_mixed(name, kept)
    for file in kept:
        yield file, root


_JSON = (".json", ".json.gz", ".json.zst")


def _is_of_rows(path: str, name: str) -> bool:
    """Check whether a file holds rows by its name: JSON may describe others, but not as Spark or a pattern names it.

    What a pattern with an ending names is rows, whatever the ending. At addresses, formats of wings are not read.
    """
    if path.lower().endswith(_JSON):
        return ".json" in name or Path(path).name.startswith("part-")
    if is_known_name(path) or is_address(path):
        return is_known_name(path)
    ending = os.path.splitext(name)[1] if glob.has_magic(name) else ""
    others = tuple(ending for place in brought("formats").values() for ending in thing(place).endings)
    return path.lower().endswith(others) or (ending != "" and not glob.has_magic(ending))


def _refuse_mixed(name: str, files: Sequence[str]) -> None:
    """Refuse files of a wing's format beside files of another: one may describe the others."""
    kinds: dict[str | None, str] = {}
    for file in files:
        kinds.setdefault(None if format_of_parts(file, None) else recognized(file, file), file)
    if len(kinds) > 1:
        first, other = [*kinds.values()][:2]
        ending = os.path.splitext(first)[1]
        remedy = f"Use a pattern such as *{ending}" if not other.endswith(ending) else "Move the others away"
        raise FileError(
            f"{name} contains files of several kinds, such as {first} and {other}. {remedy}, so that all are of one "
            "kind."
        )


def format_of_parts(path: str, format: Format | None) -> Format | None:
    """Return the format by which a file is read in parts: that of JSON lines for a `.json` file that holds them."""
    kind = recognized(path, path) if format is None else None
    if kind is None:
        return format
    is_in_lines = getattr(reader_of(Input(path, path, None, b"", kind, "")), "is_in_lines", None)
    return "jsonl" if is_in_lines is not None and is_in_lines(find_input(path, "jsonl", None)) else None


def _fixed_part(pattern: str) -> str:
    """Return the folder before the first wildcard."""
    parts = Path(pattern).parts
    first = next(i for i, part in enumerate(parts) if glob.has_magic(part))
    return str(Path(*parts[:first])) if first else "."


def _is_hidden(path: str, root: str) -> bool:
    """Check whether a file is no data by its name, as `_SUCCESS`, `.crc` and the `~$` of an open workbook are not."""
    return any(
        part.startswith(("_", ".", "~$")) and "=" not in part
        for part in Path(os.path.relpath(path, root)).parts
    )
