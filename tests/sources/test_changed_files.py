"""A file that changes while it is read is refused, whatever its format and door: what was read may be neither file."""

import json
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, feather, parquet

from classay.errors import FileError
from classay.sources import files
from classay.sources.files import read_table

ROWS = pa.table({"y": np.arange(4000) % 2, "s": np.arange(4000) / 4000})
WRITERS = {
    "csv": csv.write_csv,
    "parquet": parquet.write_table,
    "arrow": feather.write_feather,
    "jsonl": lambda table, path: Path(path).write_text(
        "".join(f"{json.dumps(row)}\n" for row in table.to_pylist()), "utf-8"
    ),
}


def shorten(path):
    with open(path, "r+b") as file:
        file.truncate(os.path.getsize(path) // 2)


def rewrite(path):
    with open(path, "r+b") as file:
        byte = file.read(1)
        file.seek(0)
        file.write(byte)
    os.utime(path, ns=(0, 1))


@pytest.mark.parametrize("change", [shorten, rewrite])
@pytest.mark.parametrize("format", WRITERS)
def test_a_file_that_changes_while_it_is_read(format, change, tmp_path, monkeypatch):
    path = str(tmp_path / f"rows.{format}")
    WRITERS[format](ROWS, path)
    room, name = {
        "csv": (files, "read_csv"),
        "jsonl": (files, "read_jsonl"),
        "parquet": (files, "_read_parquet"),
        "arrow": (files, "_read_arrow"),
    }[format]
    read = getattr(room, name)

    def read_and_change(*given, **how):
        found = read(*given, **how)
        change(path)
        return found

    assert read_table(path).num_rows == 4000
    monkeypatch.setattr(room, name, read_and_change)
    with pytest.raises(FileError, match="changed while it was read"):
        read_table(path)
