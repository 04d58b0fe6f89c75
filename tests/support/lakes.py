"""Stand-ins for tables of lakes, with the methods that their libraries have, and the rows that they hold."""

import os
from types import SimpleNamespace
from typing import Any

import pyarrow as pa

ROWS = pa.table({"y": [1, 0, 1, 0] * 5, "p": [0.9, 0.2, 0.6, 0.4] * 5})


def fields_of(names):
    return SimpleNamespace(fields=[SimpleNamespace(name=name) for name in names])


class DeltaTable:
    """What deltalake 1.6.6 gives: `to_pyarrow_dataset` has no value of a renamed column."""

    rows = ROWS

    def __init__(self, path, storage_options=None):
        self.path, self.options = path, storage_options

    def schema(self):
        return fields_of(self.rows.column_names)

    def scan(self, columns=None):
        return self.rows.select(columns).to_reader(max_chunksize=3)

    def to_pyarrow_dataset(self):
        raise AssertionError("it has no value of renamed columns")


class DataScan:
    """What pyiceberg 0.12.0 gives from `scan`."""

    def __init__(self, selected_fields=("*",)):
        self.names = ROWS.column_names if selected_fields == ("*",) else [*selected_fields]

    def projection(self):
        return fields_of(self.names)

    def select(self, *names):
        return DataScan(names)

    def to_arrow_batch_reader(self):
        return ROWS.select(self.names).to_reader(max_chunksize=3)


class StaticTable:
    """What pyiceberg 0.12.0 gives."""

    read: tuple[str, ...] = ()
    settings: Any = None
    place = "file:///table"

    @classmethod
    def from_metadata(cls, path, properties):
        StaticTable.settings = properties
        StaticTable.read += (os.path.basename(path),)
        return cls()

    def schema(self):
        return fields_of(ROWS.column_names)

    def current_snapshot(self):
        return None

    def location(self):
        return self.place

    def scan(self, selected_fields=("*",)):
        return DataScan(selected_fields)
