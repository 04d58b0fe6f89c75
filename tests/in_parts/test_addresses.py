"""Files at addresses: by fsspec, here in its memory, and by PyArrow's file systems."""

import gzip
import io
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv
from pyarrow.fs import LocalFileSystem

import classay as ca
from classay.in_parts.addresses import root_of
from command import call

fsspec = pytest.importorskip("fsspec", reason="SKIPPED LOUDLY: [lakes], fsspec")

ROWS = pa.table({"y": [1, 0, 1, 0, 1, 0] * 10, "p": [k / 61 for k in range(1, 61)]})
HOW = {"truth": "y", "score": "p"}


def as_parquet(table):
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=7)
    return sink.getvalue()


def as_csv(table):
    sink = io.BytesIO()
    csv.write_csv(table, sink)
    return sink.getvalue()


FILES = {
    "/one.parquet": as_parquet(ROWS),
    "/days/a.csv": as_csv(ROWS.slice(0, 20)),
    "/days/b.csv.gz": gzip.compress(as_csv(ROWS.slice(20, 20))),
    "/days/more/c.parquet": as_parquet(ROWS.slice(40)),
    "/days/_SUCCESS": b"",
    "/hive/day=1/part-0.parquet": as_parquet(ROWS.slice(0, 30)),
    "/hive/day=2/part-0.parquet": as_parquet(ROWS.slice(30)),
    "/damaged.parquet": b"PAR1 and no more",
    "/lake/_delta_log/00000000000000000000.json": b"{}",
    "/lake/part/0.parquet": as_parquet(ROWS),
    "/ice/metadata/00000-a.metadata.json": b"{}",
    "/ice/data/0.parquet": as_parquet(ROWS),
}


@pytest.fixture(autouse=True)
def memory():
    system = fsspec.filesystem("memory")
    for path, content in FILES.items():
        system.pipe_file(path, content)
    yield system
    system.store.clear()
    system.pseudo_dirs[:] = [""]


@pytest.mark.parametrize(
    "source",
    [
        "memory://one.parquet",
        "memory://days",
        "memory://days/",
        "memory://days/**/*.*",
        ["memory://days/a.csv", "memory://days/[b].csv.gz", "memory://days/more/?.parquet"],
        "memory://hive",
        "memory://hive/day=*/*.parquet",
    ],
)
def test_what_is_at_an_address_is_read(source):
    found = ca.scan(source, **HOW)
    wanted = ca.scan(ROWS, **HOW)
    assert found.n == 60
    assert found["roc_auc"] == wanted["roc_auc"]


def test_folders_name_columns_at_addresses_too(tmp_path):
    assert ca.scan("memory://hive", **HOW, cluster="day").coded.clusters == (1, 2)
    for day in (1, 2):
        (tmp_path / f"day={day}").mkdir()
        (tmp_path / f"day={day}" / "rows.csv").write_bytes(as_csv(ROWS.slice(30 * day - 30, 30)))
    assert ca.scan(tmp_path.as_uri(), **HOW, cluster="day").coded.clusters == (1, 2)


def test_every_command_reads_an_address():
    done = call("compare", "memory://one.parquet", "--truth", "y", "--scores", "p", "--predictions", "y")
    assert done.exit_code == 0, done.output
    done = call("assess", "memory://days", "--truth", "y", "--score", "p")
    assert "60" in done.output
    for command in ("assess", "describe"):
        assert (
            "classay assess memory://one.parquet --truth y --score p"
            in call(command, "memory://one.parquet").output
        )


def test_the_end_of_a_large_text_at_an_address_is_looked_at(memory):
    rows = "".join(f"{k % 2},0.{k % 97:02d}\n" for k in range(20_000))
    with memory.open("/large.csv", "wb") as file:
        file.write(f"y,p\n{rows}Total,\n".encode())
    with pytest.warns(UserWarning, match="Total"):
        assert ca.scan("memory://large.csv", **HOW).n == 20_000


def test_a_local_address_is_that_file(tmp_path):
    folder = tmp_path / "50 % of all"
    folder.mkdir()
    (folder / "a b.csv").write_bytes(as_csv(ROWS))
    for address in ((folder / "a b.csv").as_uri(), folder.as_uri(), f"{folder.as_uri()}/*.csv"):
        assert ca.scan(address, **HOW).n == 60


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("memory://none.parquet", r"^File not found: memory://none.parquet\. Check the address\.$"),
        ("memory://days/*.tsv", "contains no file of rows"),
        ("memory://damaged.parquet", "cannot be read as parquet"),
        ("memory://lake", "memory://lake is the folder of a Delta table"),
        ("memory://lake/part", "memory://lake is the folder of a Delta table"),
        ("memory://lake/part/*.parquet", "memory://lake is the folder of a Delta table"),
        ("memory://ice/data", "memory://ice is the folder of an Iceberg table"),
        ("nosuch://a/b.csv", "cannot be opened .*Protocol not known"),
        ("s3://me:secret@bucket/a.csv", r"^The address of s3://bucket contains a password\. Remove it"),
        (
            "s3://bucket/a.csv?secret_key=secret",
            r"^The address of s3://bucket contains options\. Remove them",
        ),
        ("https://host/a.parquet?X-Amz-Signature=secret", "https://host contains options"),
        (["memory://one.parquet", "memory://one.parquet"], "is named twice"),
    ],
)
def test_what_cannot_be_read_is_one_line(source, reason):
    with pytest.raises(ca.ClassayError, match=reason) as refused:
        ca.scan(source, **HOW)
    assert "secret" not in str(refused.value)


def test_what_a_library_raises_while_it_reads_is_one_line(memory, monkeypatch):
    class Lost(io.BytesIO):
        def read(self, *_):
            raise RuntimeError("connection lost")

    monkeypatch.setattr(type(memory), "_open", lambda *_, **__: Lost(FILES["/one.parquet"]))
    for source in ("memory://one.parquet", "memory://days/a.csv"):
        with pytest.raises(ca.FileError, match="connection lost"):
            ca.scan(source, **HOW)


def test_a_service_that_does_not_respond_is_one_short_line(memory, monkeypatch):
    def unreached(*_, **__):
        raise OSError("AWS Error NETWORK_CONNECTION during HeadObject operation: " + "details " * 50)

    monkeypatch.setattr(type(memory), "_open", unreached)
    with pytest.raises(
        ca.FileError, match=r"^The service of memory://one\.parquet does not respond"
    ) as refused:
        ca.scan("memory://one.parquet", **HOW)
    assert len(str(refused.value)) < 240


def test_fsspec_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ca.ClassayError, match=r"classay\[lakes\]"):
        ca.scan("memory://one.parquet", **HOW)


def test_a_pattern_has_a_root():
    assert root_of("gs://b/days/d=[12]/x?.csv") == "gs://b/days"


@pytest.mark.parametrize("scheme", ["s3", "s3a", "s3n"])
@pytest.mark.parametrize("source", ["days", "days/", "days/*.csv", "d*/*.csv"])
def test_schemes_of_s3_mean_the_same_files(scheme, source, tmp_path, monkeypatch):
    (tmp_path / "b" / "days").mkdir(parents=True)
    for k in range(3):
        (tmp_path / "b" / "days" / f"{k}.csv").write_bytes(as_csv(ROWS.slice(20 * k, 20)))
    here = LocalFileSystem()
    monkeypatch.setattr(
        "classay.in_parts.addresses._system_of_arrow", lambda _, bucket: (here, str(tmp_path / bucket))
    )
    a = ca.scan(f"{scheme}://b/{source}", **HOW)
    assert (a.n, a["roc_auc"]) == (60, ca.scan(ROWS, **HOW)["roc_auc"])
