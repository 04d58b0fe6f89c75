"""Folders of JSON lines as Spark writes them, beside JSON that describes other files; columns that nobody named."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import classay as ca
from classay.sources.files import column_names, read_table
from command import call

ROWS = pa.table({"y": [1, 0, 1, 0] * 5, "p": [0.9, 0.2, 0.6, 0.4] * 5})
HOW = {"truth": "y", "score": "p"}
LINES = "".join(json.dumps(row) + "\n" for row in ROWS.to_pylist())


def test_what_spark_writes_is_read(tmp_path):
    (tmp_path / "_SUCCESS").touch()
    for k in range(2):
        (tmp_path / f"part-0000{k}-4d1c-c000.json").write_text(
            LINES + '{"y": 1, "p": 0.' + str(k + 1) + "}\n"
        )
    assert ca.scan(tmp_path, **HOW).n == 42
    assert call("assess", str(tmp_path), "--truth", "y", "--score", "p").exit_code == 0


def test_json_beside_rows_describes_them(tmp_path):
    pq.write_table(ROWS, tmp_path / "rows.parquet")
    (tmp_path / "about.json").write_text('{"version": 1}')
    assert ca.scan(tmp_path, **HOW).n == 20
    (tmp_path / "more.json").write_text(LINES)
    assert ca.scan(str(tmp_path / "mo*.json"), **HOW).n == 20
    assert ca.scan(tmp_path / "more.json", **HOW).n == 20


@pytest.fixture
def beyond(tmp_path: Path) -> str:
    """A file of polars 2.1 with a column of 128 bits, whose footer has a type that Arrow lacks."""
    import polars as pl

    path = str(tmp_path / "beyond.parquet")
    frame = pl.from_arrow(ROWS).with_columns(k=pl.lit(1).cast(pl.Int128), c=pl.lit("a").cast(pl.Categorical))
    frame.write_parquet(path)
    with pytest.raises(pa.ArrowNotImplementedError):
        pq.ParquetFile(path)
    return path


def test_a_column_beyond_arrow_that_nobody_named_stops_nothing(beyond):
    wanted = ca.scan(ROWS, **HOW)
    assert ca.scan(beyond, **HOW)["roc_auc"] == wanted["roc_auc"]
    assert read_table(beyond, ["y", "c"]).to_pydict() == {"y": ROWS["y"].to_pylist(), "c": ["a"] * 20}
    assert dict(column_names(beyond)) == {
        "y": "int64", "p": "double", "k": "fixed_size_binary[16]", "c": "string"
    }  # fmt: skip
    for more in ((), ("--memory", "10")):
        assert call("assess", beyond, "--truth", "y", "--score", "p", *more).exit_code == 0
        done = call("assess", beyond, "--truth", "y", "--score", "k", *more)
        assert "is not numeric, but a column of fixed_size_binary[16]" in done.output


def test_labels_of_bytes_are_named_by_their_text(tmp_path):
    labels = pa.array([b"no", b"yes"] * 10)
    pq.write_table(ROWS.set_column(0, "y", labels), path := tmp_path / "bytes.parquet")
    for more in ((), ("--memory", "10"), ("--labels", "yes,no")):
        done = call("assess", str(path), "--truth", "y", "--score", "p", "--positive", "yes", *more)
        assert done.exit_code == 0, done.output
    assert ca.scan(path, **HOW, positive="yes").positive == b"yes"
    assert ca.assess(labels, ROWS["p"], positive="yes").positive == b"yes"
