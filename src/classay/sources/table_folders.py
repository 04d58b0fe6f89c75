"""Folders of table formats, whose files are not all rows of the table."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable

from classay.errors import FileError
from classay.texts import hint


def refuse_table_folders(paths: Iterable[str]) -> None:
    """Refuse folders of a Delta or Iceberg table, folders in one and above one, and the files in it.

    Such a folder keeps the files of earlier versions, and rows that are deleted, so that its files hold other rows than
    the table. Raises FileError with the call that reads the table.
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
    if os.path.isdir(os.path.join(folder, "_delta_log")):
        kind, read = "Delta", f"deltalake.DeltaTable({near!r}).to_pyarrow_table()"
    elif metadata := _metadata(folder):
        last = os.path.join(near, "metadata", os.path.basename(metadata))
        kind, read = "Iceberg", f"pyiceberg.table.StaticTable.from_metadata({last!r}).scan().to_arrow()"
    else:
        return
    how = hint(
        f"Read the table with {read} and use the result instead of the folder.",
        f"Read the table in Python with {read}, and write it to one Parquet file.",
    )
    raise FileError(
        f"{near} is the folder of a {kind} table, which also contains deleted or replaced rows. {how}"
    )


def _metadata(folder: str) -> str:
    """Return the last written description of an Iceberg table, empty where the folder holds none."""
    files = glob.glob(os.path.join(glob.escape(folder), "metadata", "*.metadata.json"))
    return max(files, key=os.path.getmtime, default="")
