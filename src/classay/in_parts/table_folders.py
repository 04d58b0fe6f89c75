"""Folders of table formats, whose files are not all rows of the table: read by the libraries of these formats."""

from __future__ import annotations

import fnmatch
import glob
import os
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from posixpath import dirname
from typing import TYPE_CHECKING, Any

from classay.errors import FileError, in_our_words, told_of_extras
from classay.in_parts.addresses import OF_ARROW, Place, as_expression, as_s3
from classay.in_parts.batches import Batches, batches_of
from classay.sources.inputs import Input, is_address, listed, no_rows
from classay.sources.other_formats import OtherFormat
from classay.texts import some

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class TableFolder(OtherFormat):
    """A format of folders, with what its page of the reference says."""

    mark: str
    """A pattern of paths in such a folder."""
    recognized_by: str
    reads: str
    needs: str
    options: tuple[str, ...] = ()

    @classmethod
    def of(cls, title: str, mark: str, reads: str, needs: str) -> TableFolder:
        """Return the format of folders in which the mark is found."""
        by = f"a folder with `{mark}`"
        return cls(
            title, (), lambda head, path: not head and _holds(path, mark), __name__, mark, by, reads, needs
        )


def _holds(folder: str, mark: str) -> bool:
    return bool(glob.glob(os.path.join(glob.escape(folder), mark)))


DELTA = TableFolder.of(
    "the folder of a Delta table",
    "_delta_log/*",
    reads="the rows of the last version, with deletion vectors and renamed columns (column mapping)",
    needs="deltalake",
)
ICEBERG = TableFolder.of(
    "the folder of an Iceberg table",
    "metadata/*.metadata.json",
    reads="the rows of the version that `version-hint.text` names, or of the last version with a warning",
    needs="pyiceberg",
)
LANCE = TableFolder.of(
    "the folder of a Lance dataset",
    "_versions/*.manifest",
    reads="the rows of the last version",
    needs="pylance",
)
_HUDI = ".hoodie/*"
_MARKS = {known.mark: known.title for known in (DELTA, ICEBERG, LANCE)} | {
    _HUDI: "the folder of a Hudi table"
}


def read(source: Input, columns: Sequence[str] | None, _: Sequence[str]) -> pa.Table:
    """Return the named columns of all rows of a table."""
    import pyarrow as pa

    table = _batches(source)
    rows = [*table.read(columns or (), source.name)]
    if not sum(batch.num_rows for batch in rows):
        raise no_rows(source, table.names)
    return pa.Table.from_batches(rows)


def schema(source: Input) -> list[tuple[str, str]]:
    """Names and types of all columns of a table."""
    return listed(_batches(source, warns=False).reader((), source.name).schema)


def _batches(source: Input, *, warns: bool = True) -> Batches:
    batches = batches_of(table_at(source, warns=warns))
    assert batches is not None
    return batches


def opened_at(source: Any) -> Any:
    """Return the table whose folder is at an address, as its library has it; any other source as it is.

    Only addresses that the libraries know too are opened, which are those of PyArrow.
    """
    if not isinstance(source, str) or not is_address(source) or glob.has_magic(source):
        return source
    source = as_s3(source)
    if not source.startswith(tuple(f"{scheme}://" for scheme in OF_ARROW)) or not Place(source).is_folder:
        return source
    address = source.rstrip("/")
    entries = [within for _, within in Place(address).inside(deep=False)]
    for kind, known in (("delta", DELTA), ("iceberg", ICEBERG), ("lance", LANCE)):
        folder, pattern = known.mark.split("/")
        if folder in entries and fnmatch.filter(_names_in(f"{address}/{folder}"), pattern):
            return table_at(Input(address, address, None, b"", kind, ""))
    return source


def _names_in(folder: str) -> list[str]:
    """Return the names of what is in a folder, also at an address."""
    if is_address(folder):
        return [within for _, within in Place(folder).inside(deep=False)]
    return os.listdir(folder) if os.path.isdir(folder) else []


def table_at(source: Input, *, warns: bool = True) -> Any:
    """Return the table of a folder, as its library has it. Raises FileError where it cannot be opened."""
    path = source.path
    advice = "Check that you may read it" if is_address(path) else "Check that its folder is complete"
    with (
        in_our_words(f"{source.name} cannot be opened as a table", f"{advice}."),
        told_of_extras(f"reading {source.name}"),
    ):
        if source.format == "delta":
            from deltalake import DeltaTable

            is_plain = _of_service().get("s3.endpoint", "").startswith("http://")
            return DeltaTable(path, storage_options={"allow_http": "true"} if is_plain else None)
        if source.format == "lance":
            import lance

            return lance.dataset(path)
        from pyiceberg.table import StaticTable

        table = StaticTable.from_metadata(_metadata(path, source.name, warns=warns), _of_service())
        scheme, _, _ = as_s3(table.location()).rpartition("://")
        if scheme not in ((path.partition("://")[0],) if is_address(path) else ("", "file")):
            raise FileError(
                f"{source.name} describes a table whose files are at {scheme}://, not in this folder. Open the table "
                "with pyiceberg in Python, and pass it to scan."
            )
        return table


def _of_service() -> dict[str, str]:
    """Return the settings of a service like S3 that all libraries but pyiceberg take from the environment."""
    names = {
        "s3.endpoint": ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
        "s3.region": ("AWS_REGION", "AWS_DEFAULT_REGION"),
    }
    known = {
        key: next(filter(None, map(os.environ.get, variables)), None) for key, variables in names.items()
    }
    return {key: value for key, value in known.items() if value is not None}


_NUMBERED = re.compile(r"v?(\d+)[-.].*")


def _metadata(folder: str, name: str, *, warns: bool) -> str:
    """Return the file that describes the current version of an Iceberg table; only a hint or a catalog tells which."""
    inside = f"{folder}/metadata"
    names = _names_in(inside)
    if "version-hint.text" in names:
        return folder
    files = fnmatch.filter(names, "*.metadata.json")
    numbers = {file: int(match[1]) for file in files if (match := _NUMBERED.fullmatch(file))}
    last = [file for file, number in numbers.items() if number == max(numbers.values())]
    those = some(sorted(last or files), 3)
    if len(last) != 1:
        raise FileError(
            f"{name} has {len(last or files)} last versions: {those}. Only its catalog knows which is current. Pass "
            "the table of pyiceberg's catalog to scan."
        )
    if warns:
        text = f"{name} is read as {those} describes it, the last version in its folder. Its catalog may name another."
        warnings.warn(text, stacklevel=2)
    return f"{inside}/{last[0]}"


def refuse_table_folders(paths: Iterable[str]) -> None:
    """Refuse folders in and above the folder of a table, and the files in it.

    Such a folder keeps the files of earlier versions, and rows that are deleted, so that its files hold other rows than
    the table. Raises FileError.
    """
    seen: set[str] = set()
    for path in paths:
        folder = os.path.abspath(path if os.path.isdir(path) else os.path.dirname(path))
        while folder not in seen:
            seen.add(folder)
            _refuse(folder, path)
            folder = os.path.dirname(folder)


def _refuse(folder: str, path: str) -> None:
    near = folder if os.path.isabs(path) else os.path.relpath(folder)
    for mark, title in _MARKS.items():
        if _holds(folder, mark):
            way_out = (
                "Write the table to Parquet files with Spark" if mark == _HUDI else "Name this folder alone"
            )
            raise FileError(f"{near} is {title}, which also contains deleted or replaced rows. {way_out}.")


def refuse_tables_at(root: str, every: Sequence[str], files: Sequence[str]) -> None:
    """Do the same for files at addresses, and refuse the folder of a table too: `opened_at` opens those it can.

    `every` file below the root shows which folders are tables.
    """
    for mark, title in _MARKS.items():
        inside = re.compile(as_expression(f"**/{mark}"))
        tables = {dirname(dirname(file)) for file in every if inside.fullmatch(file)}
        folder = root
        while (folder := dirname(folder)).partition("://")[2].strip("/"):
            above = Place(f"{folder}/{dirname(mark)}").inside(deep=False)
            tables |= {folder for file, _ in above if inside.fullmatch(file)}
        for table in sorted(tables):
            if any(file.startswith(f"{table}/") for file in files):
                raise FileError(
                    f"{table} is {title}, which also contains deleted or replaced rows. Open the table with its "
                    "library in Python, and pass it to scan."
                )
