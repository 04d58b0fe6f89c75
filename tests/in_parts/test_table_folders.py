"""Folders of tables keep files that are no rows any more: their library reads them, and their files are refused."""

import sys
from pathlib import Path
from types import ModuleType

import pyarrow.parquet as pq
import pytest

import classay as ca
from classay.sources.files import column_names, read_table
from command import call, refusal
from lakes import ROWS, DeltaTable, StaticTable

HINT = Path("metadata", "version-hint.text")
FIRST = Path("metadata", "00001-a.metadata.json")
MARKS = {
    "Delta": [Path("_delta_log", "00000000000000000000.json")],
    "Iceberg": [FIRST, HINT],
    "Lance": [Path("_versions", "1.manifest")],
}
HUDI = {"Hudi": [Path(".hoodie", "hoodie.properties")]}
LIBRARIES = {"Delta": "deltalake", "Iceberg": "pyiceberg", "Lance": "lance"}


def write(folder: Path, kind: str) -> Path:
    """A table of two files, of which the second replaced the first."""
    for number in (0, 1):
        (folder / "data").mkdir(parents=True, exist_ok=True)
        pq.write_table(ROWS.slice(number), folder / "data" / f"part-{number}.parquet")
    for mark in (MARKS | HUDI)[kind]:
        (folder / mark).parent.mkdir(exist_ok=True)
        (folder / mark).write_text("1")
    return folder


def module(name, **things):
    made = ModuleType(name)
    vars(made).update(things)
    return made


@pytest.fixture
def libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow.dataset as ds

    StaticTable.read = ()
    for made in (
        module("deltalake", DeltaTable=DeltaTable),
        module("lance", dataset=lambda path: ds.dataset(ROWS)),
        module("pyiceberg"),
        module("pyiceberg.table", StaticTable=StaticTable),
    ):
        monkeypatch.setitem(sys.modules, made.__name__, made)


@pytest.mark.usefixtures("libraries")
@pytest.mark.parametrize("kind", MARKS)
def test_the_folder_is_read_by_its_library(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "table", kind)
    monkeypatch.chdir(tmp_path)
    wanted = ca.scan(ROWS, truth="y", score="p")
    found = ca.scan("table", truth="y", score="p")
    assert (found.n, found["roc_auc"]) == (wanted.n, wanted["roc_auc"])
    assert column_names("table") == [("y", "int64"), ("p", "double")]
    assert read_table("table", ["p"]).to_pydict() == ROWS.select(["p"]).to_pydict()
    done = call("decide", "table", "--truth", "y", "--score", "p", "--cost", "fp=1", "--cost", "fn=2")
    assert done.exit_code == 0, done.output
    done = call("assess", "table", "--truth", "y", "--score", "p", "--by", "p")
    assert "to one Parquet file" in done.output
    assert "no column 'q'" in refusal("assess", "table", "--truth", "y", "--score", "q")


@pytest.mark.usefixtures("libraries")
@pytest.mark.parametrize("kind", MARKS)
def test_the_folder_at_an_address_is_read_by_its_library(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = write(tmp_path / "table", kind)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:5000")
    monkeypatch.delenv("AWS_ENDPOINT_URL_S3", raising=False)
    wanted = ca.scan(ROWS, truth="y", score="p")
    for address in (table.as_uri(), f"{table.as_uri()}/"):
        found = ca.scan(address, truth="y", score="p")
        assert (found.n, found["roc_auc"]) == (wanted.n, wanted["roc_auc"])
        assert call("assess", address, "--truth", "y", "--score", "p").exit_code == 0
    if kind == "Iceberg":
        assert StaticTable.settings["s3.endpoint"] == "http://127.0.0.1:5000"
        (table / HINT).unlink()
        with pytest.warns(UserWarning, match="Its catalog may name another"):
            ca.scan(table.as_uri(), truth="y", score="p")
        assert StaticTable.read[-1] == FIRST.name
    with pytest.raises(ca.FileError, match=f"is the folder of an? {kind} "):
        ca.scan(f"{table.as_uri()}/data", truth="y", score="p")


@pytest.mark.usefixtures("libraries")
def test_a_service_without_encryption_is_named_to_deltalake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = []
    opened = DeltaTable.__init__

    def noted(table, path, storage_options=None):
        options.append(storage_options)
        opened(table, path)

    monkeypatch.setattr(DeltaTable, "__init__", noted)
    table = write(tmp_path / "table", "Delta")
    for endpoint in ("http://127.0.0.1:5000", "https://storage"):
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
        ca.scan(table.as_uri(), truth="y", score="p")
    assert options == [{"allow_http": "true"}, None]


class Lacking:
    """What finds modules where one is not installed."""

    def __init__(self, name):
        self.name = name

    def find_spec(self, name, *_):
        if name == self.name:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@pytest.mark.parametrize("kind", MARKS)
def test_a_library_that_is_not_installed_is_named(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "table", kind)
    monkeypatch.chdir(tmp_path)
    library = LIBRARIES[kind]
    for name in (library, f"{library}.table"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(sys, "meta_path", [Lacking(library), *sys.meta_path])
    for words in (("assess", "--score", "p"), ("compare", "--scores", "p,q")):
        assert "pip install 'classay[lakes]'" in refusal(words[0], "table", "--truth", "y", *words[1:])


@pytest.mark.usefixtures("libraries")
def test_an_iceberg_table_without_a_hint_is_read_in_its_last_version(tmp_path: Path) -> None:
    table = write(tmp_path / "table", "Iceberg")
    ca.scan(table, truth="y", score="p")
    assert StaticTable.read[-1] == "table"  # where version-hint.text is looked for
    (table / HINT).unlink()
    for name in ("00010-b", "00009-c"):
        (table / "metadata" / f"{name}.metadata.json").write_text("{}")
    with pytest.warns(UserWarning, match="Its catalog may name another"):
        ca.scan(table, truth="y", score="p")
    assert StaticTable.read[-1] == "00010-b.metadata.json"
    (table / "metadata" / "00010-d.metadata.json").write_text("{}")
    with pytest.raises(ca.FileError, match="2 last versions"):
        ca.scan(table, truth="y", score="p")


@pytest.mark.usefixtures("libraries")
def test_a_folder_that_names_files_elsewhere_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = write(tmp_path / "table", "Iceberg")
    monkeypatch.setattr(StaticTable, "place", "s3://bucket/table")
    with pytest.raises(ca.FileError, match="whose files are at s3://, not in this folder"):
        ca.scan(table, truth="y", score="p")


@pytest.mark.usefixtures("libraries")
def test_what_a_library_raises_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = write(tmp_path / "table", "Delta")

    def damaged(*_, **__):
        raise RuntimeError("Kernel error\n  0: <unknown>")

    monkeypatch.setattr(DeltaTable, "scan", damaged)
    with pytest.raises(ca.InputError, match=r"cannot be read \(RuntimeError: Kernel error\)"):
        ca.scan(table, truth="y", score="p")
    monkeypatch.setattr(DeltaTable, "__init__", damaged)
    with pytest.raises(ca.InputError, match=r"cannot be opened as a table \(RuntimeError: Kernel error\)"):
        ca.scan(table, truth="y", score="p")


@pytest.mark.parametrize("kind", MARKS | HUDI)
@pytest.mark.parametrize(
    "name", ["table/*/*.parquet", "table/**/*.parquet", "ta*/*/part-0.parquet", ".", "table/data"]
)
def test_its_files_are_refused(name: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "table", kind)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ca.FileError, match=f"table is the folder of an? {kind} "):
        ca.scan(name, truth="y", score="p")
    assert f"{kind} " in refusal("assess", name, "--truth", "y", "--score", "p")


def test_one_file_and_other_folders_are_read(tmp_path: Path) -> None:
    table = write(tmp_path / "table", "Delta")
    one = table / "data" / "part-0.parquet"
    assert read_table(one).num_rows == ca.scan(str(one), truth="y", score="p").n == 20
    (tmp_path / "other" / "metadata").mkdir(parents=True)
    pq.write_table(ROWS, tmp_path / "other" / "rows.parquet")
    (tmp_path / "other" / "metadata" / "about.json").write_text("{}")
    assert read_table(tmp_path / "other" / "rows.parquet").num_rows == 20
    assert ca.scan(str(tmp_path / "other" / "*.parquet"), truth="y", score="p").n == 20
