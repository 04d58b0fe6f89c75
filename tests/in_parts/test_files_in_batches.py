"""Large files of Arrow, ORC and Avro are counted in parts: what a whole file has is what its parts have together."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import orc

import classay as ca
from classay.errors import FileError
from classay.in_parts import fragments
from classay.in_parts.addresses import as_s3

N = 5000
RNG = np.random.default_rng(5)
Y = RNG.random(N) < 0.3
P = (0.3 * Y + 0.7 * RNG.random(N)).round(4)
CODED = np.where(np.arange(N) % 50 == 7, -99, P)
HOW = {"truth": "y", "positive": "ill"}
TABLE = pa.table(
    {
        "y": np.where(Y, "ill", "well"),
        "p": P,
        "coded": CODED,
        "model": pa.array([{"p": value} for value in P.tolist()]),
    }
)


def written(path):
    if path.suffix == ".orc":
        orc.write_table(TABLE, str(path), stripe_size=1 << 10, batch_size=500)
    elif path.suffix == ".avro":
        fastavro = pytest.importorskip("fastavro")
        kinds = {"y": "string", "p": "double", "coded": "double"}
        fields = [{"name": name, "type": kind} for name, kind in kinds.items()]
        model = {"type": "record", "name": "m", "fields": [{"name": "p", "type": "double"}]}
        schema = {"type": "record", "name": "r", "fields": [*fields, {"name": "model", "type": model}]}
        with path.open("wb") as file:
            fastavro.writer(file, schema, TABLE.to_pylist())
    else:
        write = pa.ipc.new_file if path.suffix == ".arrow" else pa.ipc.new_stream
        with write(str(path), TABLE.schema) as writer:
            writer.write_table(TABLE, max_chunksize=500)
    return str(path)


@pytest.mark.parametrize("ending", ["arrow", "arrows", "orc", "avro"])
def test_parts_of_a_file_are_the_whole_file(ending, tmp_path, monkeypatch):
    path = written(tmp_path / f"rows.{ending}")
    columns = ["y", "p", "coded", "model"]
    (whole,) = fragments.fragments_of(path, columns)
    monkeypatch.setattr(fragments, "BYTES", 1 << 12)
    if ending == "avro":
        monkeypatch.setattr("classay.formats.avro_files._IN_BATCH", 700)
    parts = [*fragments.fragments_of(path, columns)]
    assert len(parts) > (1 if ending == "orc" else 4)
    read = [part.read(columns, ["y"]) for part in parts]
    assert pa.concat_tables(read).to_pylist() == whole.read(columns, ["y"]).to_pylist()
    for score, more, rows in (
        ("p", {}, N),
        ("model.p", {}, N),
        ("coded", {"na": "-99", "unanswered": "drop"}, N - N // 50),
    ):
        scanned = ca.scan(path, score=score, **HOW, **more)
        kept = slice(None) if rows == N else CODED != -99
        expected = ca.assess(TABLE["y"].to_numpy()[kept], P[kept], positive="ill")
        assert scanned["roc_auc"].value == expected["roc_auc"].value
        assert scanned.n == rows


def test_a_damaged_file_is_one_line_in_parts_too(tmp_path, monkeypatch):
    path = written(tmp_path / "rows.arrow")
    content = bytearray((tmp_path / "rows.arrow").read_bytes())
    content[len(content) // 2 :] = b"\xff" * (len(content) - len(content) // 2)
    (tmp_path / "rows.arrow").write_bytes(bytes(content))
    monkeypatch.setattr(fragments, "BYTES", 1 << 12)
    with pytest.raises(FileError, match="cannot be read as arrow"):
        ca.scan(path, score="p", **HOW)


def test_addresses_of_hadoop_are_those_of_s3():
    assert [as_s3(f"{scheme}://b/t") for scheme in ("s3", "s3a", "s3n")] == ["s3://b/t"] * 3
