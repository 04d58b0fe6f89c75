"""Doors of parts: scans of frames and files, folders, and databases, whose scores come out in bins."""

import sqlite3
from contextlib import closing

from tests.laws.doors import arrow_of, as_csv, cut, door, pandas_of, parquet_file, polars_of, written

import classay as ca


def scanned(case, source, small=True):
    """Rows counted in parts."""

    def work():
        from classay.in_parts import fragments, text_parts

        kept = fragments.ROWS, text_parts.BYTES
        if small:
            fragments.ROWS, text_parts.BYTES = 5, 64
        try:
            return ca.scan(source, **case.roles, **case.how)
        finally:
            fragments.ROWS, text_parts.BYTES = kept

    return work


@door()
def scan_of_a_pandas_frame(case):
    return None if case.is_mixed else scanned(case, pandas_of(case))  # Arrow has no type for these


@door()
def scan_of_a_polars_frame(case):
    return scanned(case, polars_of(case).lazy())


@door()
def scan_of_an_arrow_table(case):
    return scanned(case, arrow_of(case))


@door()
def scan_of_a_dataset(case):
    import pyarrow.dataset as ds

    return scanned(case, ds.dataset(arrow_of(case)))


@door("texts")
def scan_of_a_csv_address(case):
    return None if case.is_ordered else scanned(case, written(case, "preds.csv", as_csv(case)).as_uri())


@door()
def scan_of_a_parquet_address(case):
    return scanned(case, parquet_file(case).as_uri())


@door("texts")
def scan_of_a_csv_file(case):
    return None if case.is_ordered else scanned(case, written(case, "preds.csv", as_csv(case)))


@door()
def scan_of_a_parquet_file(case):
    return scanned(case, parquet_file(case))


@door("texts")
def folder_of_csv_files(case):
    if case.is_ordered:
        return None
    for number, places in enumerate(cut(case)):
        written(case, f"parts/part-{number}.csv", as_csv(case.part(places)))
    return scanned(case, case.folder / "parts", small=False)


@door()
def folder_of_parquet_files(case):
    if case.is_mixed:
        return None  # a file of truth values and one of numbers are of two kinds
    for number, places in enumerate(cut(case)):
        parquet_file(case.part(places), f"parts/part-{number}.parquet")
    return scanned(case, case.folder / "parts", small=False)


def in_database(case, connect, types):
    if case.roles.keys() - {"truth", "score", "prediction"} or case.given.task == "class scores":
        return None
    if not all(case.given.answered) or case.how.keys() & {"missing", "unanswered", "labels"}:
        return None
    if None in case.given.truth or case.is_ordered:
        return None
    if case.given.task == "scores" and (
        case.given.form in ("raw", "infinite", "short", "half") or case.how.get("threshold", 0.5) != 0.5
    ):
        return None
    kind = {type(each) for each in case.names}
    if (
        len(kind) != 1
        or (kind := kind.pop()) not in types
        or any(isinstance(each, int) and abs(each) >= 2**63 for each in case.names)
    ):
        return None
    columns = {name: types[float] if name == "p" else types[kind] for name in case.columns}
    rows, how = [*zip(*case.columns.values(), strict=True)], case.how

    def work():
        with closing(connect()) as connection:
            connection.execute(
                f"create table preds ({', '.join(f'{name} {each}' for name, each in columns.items())})"
            )
            connection.executemany(f"insert into preds values ({', '.join('?' * len(columns))})", rows)
            return ca.scan_database(connection, "preds", **case.roles, **how, bits=20)

    return work


@door()
def sqlite(case):
    return in_database(
        case,
        lambda: sqlite3.connect(":memory:", check_same_thread=False),
        {int: "INTEGER", str: "TEXT", float: "REAL"},
    )


@door()
def duckdb(case):
    import duckdb

    types = {int: "BIGINT", str: "VARCHAR", float: "DOUBLE", bool: "BOOLEAN", bytes: "BLOB"}
    return in_database(case, duckdb.connect, types)
