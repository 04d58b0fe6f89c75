"""Folders of Delta and Iceberg tables keep files that are no rows of the table any more: they are refused."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from classay.sources.files import read_table
from command import call

ROWS = pa.table({"y": [1, 0, 1, 0] * 5, "p": [0.9, 0.2, 0.6, 0.4] * 5})


def write(folder: Path, kind: str) -> Path:
    """A table of two files, of which the second replaced the first."""
    data = folder / "data"
    data.mkdir(parents=True)
    for number in (0, 1):
        pq.write_table(ROWS.slice(number), data / f"part-{number}.parquet")
    if kind == "Delta":
        (folder / "_delta_log").mkdir()
        (folder / "_delta_log" / "00000000000000000000.json").write_text("{}")
    else:
        (folder / "metadata").mkdir()
        (folder / "metadata" / "00001-a.metadata.json").write_text("{}")
    return folder


CALLS = {
    "Delta": "deltalake.DeltaTable('table').to_pyarrow_table()",
    "Iceberg": (
        "pyiceberg.table.StaticTable.from_metadata('table/metadata/00001-a.metadata.json').scan().to_arrow()"
    ),
}


@pytest.mark.parametrize("kind", CALLS)
def test_other_commands_refuse_it(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "table", kind)
    monkeypatch.chdir(tmp_path)
    for words in (
        ("compare", "--scores", "p,y"),
        ("decide", "--score", "p", "--cost", "fp=1", "--cost", "fn=2"),
    ):
        done = call(words[0], "table", "--truth", "y", *words[1:])
        assert done.exit_code == 2
        assert CALLS[kind] in " ".join(done.output.split()), done.output


def test_one_file_and_other_folders_are_read(tmp_path: Path) -> None:
    table = write(tmp_path / "table", "Delta")
    assert read_table(table / "data" / "part-0.parquet").num_rows == 20
    (tmp_path / "other" / "metadata").mkdir(parents=True)
    pq.write_table(ROWS, tmp_path / "other" / "rows.parquet")
    (tmp_path / "other" / "metadata" / "about.json").write_text("{}")
    assert read_table(tmp_path / "other" / "rows.parquet").num_rows == 20
