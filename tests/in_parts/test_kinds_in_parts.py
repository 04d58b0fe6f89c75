"""What labels, numbers and names of all parts are together, names of parts of text, and folders of tables."""

import io
import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

import classay as ca
from classay.columns import code_labels
from classay.errors import ClassayError, FileError, InputError
from classay.in_parts import addresses, fragments, table_folders, text_parts
from classay.in_parts.addresses import Place
from classay.in_parts.text_parts import (
    KnownLabels,
    NumberKinds,
    as_text,
    kind_of_names,
    kind_of_numbers,
)
from classay.sources.inputs import Input


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def known(values, name="y", spelling="text", counts=None):
    column = pa.array(values)
    return KnownLabels.of_column(column, code_labels(column, name), name, spelling, counts)


# labels


def test_texts_are_numbers_where_all_of_them_are():
    one, other, words = known(["0", "1"]), known(["1", "2.5"]), known(["1", "x"])
    assert [*one.labels] == [0, 1]
    assert [*map(type, one.labels)] == [int, int]
    assert [*(one | other).labels] == [0, 1, 2.5]
    assert [*(one | words).labels] == ["0", "1", "x"]
    assert (one | words).meaning("text", "y") == {"0": "0", "1": "1", "x": "x"}
    assert one.meaning("text", "y") == {"0": 0, "1": 1}
    assert one.meaning("text", "z") == {}
    named = KnownLabels(named=frozenset({"a"})) | one
    assert [*named.labels] == ["0", "1"]
    assert [*known(["true", "false"]).labels] == [False, True]
    both = one | known(["1", "3"], "q")
    assert [*both.labels] == [0, 1, 3]
    assert one.reading(words).labels == ("0", "1", "x") or [*one.reading(words).labels] == ["0", "1", "x"]


def test_labels_of_rows_that_are_left_out_are_none():
    """They tell how a column is written."""
    counts = np.array([True, True, False])
    some = known(["0", "1", "x"], counts=counts)
    assert [*some.labels] == ["0", "1"]
    assert [*known([0, 1, 2], spelling=None, counts=counts).labels] == [0, 1]
    assert [*known([0, None, 2], spelling=None, counts=counts).labels] == [0]


def test_known_labels_contain_others():
    one, other = known(["0", "1"]), known(["0"])
    assert other <= one
    assert not one <= other
    assert one <= one
    assert not known(["0"], "q") <= one
    assert known([0, 1], spelling=None) <= known([0, 1, 2], spelling=None)
    assert not known([0, 3], spelling=None) <= known([0, 1, 2], spelling=None)
    assert not known(["0", "1"]) <= known(["0", "1"], counts=np.array([True, False]))


def test_known_labels_have_an_order_where_one_is_given():
    import pandas as pd

    def ordered(*categories):
        column = pd.Series(pd.Categorical(["a", "b"], categories, ordered=True))
        return KnownLabels.of_column(column, code_labels(column, "y"), "y", None)

    first, longer, turned = ordered("a", "b"), ordered("a", "b", "c"), ordered("b", "a")
    assert first <= first
    assert first <= longer or [*longer.labels] != ["a", "b", "c"]
    try:
        assert not turned <= first
    except InputError as error:
        assert "order" in str(error)  # noqa: PT017  either of both keeps the counts apart


def test_columns_of_two_kinds_are_refused_at_the_end():
    numbers, words = known(["0", "1"]), known(["a", "b"], "q")
    with pytest.raises(InputError) as error:
        (numbers | words).refuse_apart()
    assert str(error.value) == (
        "Column 'y' contains numbers such as 1, but other labels are text such as 'b'. Use one spelling of the labels "
        "in all columns."
    )
    with pytest.raises(
        InputError, match="Column 'y' contains booleans such as True, but other labels are text"
    ):
        (known(["true", "false"]) | words).refuse_apart()
    (numbers | known(["a", "1"], "q")).refuse_apart()
    words.refuse_apart()
    differing = known(["2", "3"]) | known(["true", "false"], "q")
    assert "column" in differing.differing
    with pytest.raises(InputError):
        differing.refuse_apart()
    assert (differing | known(["x"], "q")).differing is None
    assert numbers.differing is None
    with pytest.raises(InputError):
        numbers.refuse_others(["a", "b"])
    numbers.refuse_others([1, 2])


@pytest.mark.parametrize(
    ("values", "meaning"),
    [
        ([1, 2], {1: 1, 2: 2}),
        ([1.5, 2.0], {1.5: 1.5, 2.0: 2}),
        ([True, False], {True: True, False: False}),
        (["a", "1"], {"a": "a", "1": "1"}),
    ],
)
def test_labels_of_json_are_what_they_are(values, meaning):
    found = known(values, spelling="json").meaning("json", "y")
    assert found == meaning
    assert {raw: type(label) for raw, label in found.items()} == {
        raw: type(label) for raw, label in meaning.items()
    }


def test_labels_of_json_of_several_kinds():
    whole, decimal = known([1, 2], spelling="json"), known([2.0, 3.5], spelling="json")
    assert [*(whole | decimal).labels] == [1, 2, 3.5]
    with pytest.raises(
        InputError, match=r"Column 'y' contains numbers and text in different rows\. Use one type"
    ):
        (whole | known(["a"], spelling="json")).labels  # noqa: B018  the labels are made when they are asked for
    with pytest.raises(InputError, match="Column 'y' contains booleans and numbers in different rows"):
        (whole | known([True], spelling="json")).labels  # noqa: B018
    huge = pa.array(["1", "9" * 25]).dictionary_encode()
    coded = code_labels(huge, "y")
    beyond = KnownLabels.of_column(huge, coded, "y", "json")
    assert [*(whole | beyond).labels] == ["1", "2", "9" * 25]


def test_columns_become_their_labels():
    some = known(["0", "1"])
    column = pa.array(["1", None, "0"])
    assert some.meant(column, "y", "text").to_pylist() == [1, None, 0]
    assert some.meant(column, "y", None) is column
    words = some | known(["x"])
    assert words.meant(column, "y", "text") is column
    large = known([str(2**63), "1"])
    assert large.meant(pa.array(["1", str(2**63)]), "y", "text").to_pylist() == [1, 2**63]


# numbers and names


@pytest.mark.parametrize(
    ("values", "text", "json"),
    [
        ([1, 2], "whole numbers", "whole numbers"),
        ([1.5], "decimals", "decimals"),
        ([True], "booleans", "booleans"),
        (["1"], "whole numbers", "texts"),
        ([None], None, None),
    ],
)
def test_kinds_of_numbers(values, text, json):
    assert (kind_of_numbers(pa.array(values), "text"), kind_of_numbers(pa.array(values), "json")) == (
        text,
        json,
    )


def test_kinds_of_numbers_of_all_rows():
    def of(values, spelling="text"):
        return NumberKinds.of({"p": (pa.array(values), spelling)})

    whole, decimals, truth, none = of([1, 2]), of([0.5]), of([True]), of([None])
    for one, other, kind in (
        (whole, decimals, "decimals"),
        (decimals, whole, "decimals"),
        (whole, whole, "whole numbers"),
        (none, truth, "booleans"),
        (truth, none, "booleans"),
    ):
        assert (one | other).kinds == {"p": kind}
    assert none.kinds == {}
    for one, other, text in (
        (whole, truth, "Column 'p' contains booleans, but earlier rows contain whole numbers. Use one type"),
        (truth, decimals, "Column 'p' contains decimals, but earlier rows contain booleans."),
        (decimals, of(["a"], "json"), "Column 'p' contains texts, but earlier rows contain decimals."),
    ):
        with pytest.raises(FileError, match=text):
            one | other
    odd = of([2**53 + 1])
    assert [*odd.rounded] == ["p"]
    with pytest.raises(InputError):
        odd.refuse_rounded()
    for both in (odd | decimals, decimals | odd):
        both.refuse_rounded()
        column = both.as_floats(pa.array([2**53 + 1, None]), "p")
        assert column.to_pylist() == [float(2**53), None]
        texts = pa.array([str(2**80 + 1)]).dictionary_encode()
        assert both.as_floats(texts, "p").to_pylist() == [float(2**80)]
    assert whole.as_floats(column := pa.array([1]), "p") is column
    whole.refuse_rounded()


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (pa.array([1]), "numbers"),
        (pa.array([1.5]), "numbers"),
        (pa.array([1], pa.decimal128(5)), "numbers"),
        (pa.array(["a"]), "text"),
        (pa.array(["a"]).dictionary_encode(), "text"),
        (pa.array([1]).dictionary_encode(), "numbers"),
        (pa.array([True]), "booleans"),
        (pa.array([1], pa.date32()), "dates or times"),
        (pa.array([1], pa.timestamp("s")), "dates or times"),
        (pa.nulls(1), None),
    ],
)
def test_kinds_of_names(column, kind):
    assert kind_of_names(column) == kind
    text = as_text(column)
    assert text.type == (pa.string() if pa.types.is_date(column.type) else column.type)


# parts of text


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_parts_of_text_are_named_by_their_rows(format, monkeypatch):
    rows = [f"{k % 2},0.{k:03}" for k in range(1200)]
    if format == "jsonl":
        rows = [f'{{"y": {k % 2}, "p": 0.{k:03}}}' for k in range(1200)]
    content = "\n".join([*(["y,p"] if format == "csv" else []), *rows]) + "\n"
    Path(f"a.{format}").write_text(content)
    (whole,) = text_parts.text_parts(f"a.{format}", None, None)
    assert (whole.key, whole.rows, whole.size) == (f"a.{format}", None, -1)
    size = len(content)
    monkeypatch.setattr(text_parts, "BYTES", size)
    assert len([*text_parts.text_parts(f"a.{format}", None, None)]) == 1
    monkeypatch.setattr(text_parts, "BYTES", size - 1)
    assert len([*text_parts.text_parts(f"a.{format}", None, None)]) == 2
    monkeypatch.setattr(text_parts, "BYTES", size // 3)
    parts = [*text_parts.text_parts(f"a.{format}", None, None)]
    what, at = ("lines" if format == "jsonl" else "rows"), 0
    for part in parts:
        table = part.read(["y", "p"], [])
        assert table["p"].to_pylist() == [float(f"0.{k:03}") for k in range(at, at + table.num_rows)]
        assert part.key == f"a.{format}, {what} {at + 1:,}–{at + table.num_rows:,}"
        assert part.rows == (None if format == "jsonl" else table.num_rows)
        assert part.before == at
        assert part.place(0) == f"line {at + 1 + (format == 'csv')}"
        last = table.num_rows - 1
        assert part.place(last) == f"line {at + last + 1 + (format == 'csv')}"
        assert part.spelling("y") == ("json" if format == "jsonl" else "text")
        at += table.num_rows
    assert at == 1200
    assert sum(part.size for part in parts) == size
    assert "," in parts[-1].key.split("–")[1]


def test_layout_of_what_is_read_once_is_refused(monkeypatch):
    with pytest.raises(
        InputError, match="Standard input can be read only once, and then only without options of its"
    ):
        next(text_parts.text_parts("-", "csv", None, (1,)))
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"")))
    with pytest.raises(
        ClassayError, match=r"standard input is empty\. Use a file with a header and at least one row"
    ):
        next(text_parts.text_parts("-", "csv", None))


def test_ids_of_all_parts_are_looked_at(tmp_path, monkeypatch):
    """A column that repeats its values evenly is named, however many parts the rows come in."""
    monkeypatch.setattr(fragments, "ROWS", 50)
    rng = np.random.default_rng(0)
    n = 600
    y = rng.integers(0, 2, n)
    frame = {"patient_id": np.tile(np.arange(n // 2), 2), "y": y, "p": np.round(rng.random(n), 3)}
    wanted = [one.code for one in ca.assess(pa.table(frame), truth="y", score="p").warnings]
    assert "repeated_ids" in wanted
    assert [one.code for one in ca.scan(frame, truth="y", score="p").warnings] == wanted
    distinct = frame | {"patient_id": np.arange(n)}
    assert [one.code for one in ca.scan(distinct, truth="y", score="p").warnings] == [
        one.code for one in ca.assess(pa.table(distinct), truth="y", score="p").warnings
    ]


def test_sorted_raw_scores_are_of_one_scale(monkeypatch):
    """Parts of sorted scores lie in [0, 1] or beyond, which tells nothing of two scales."""
    monkeypatch.setattr(fragments, "ROWS", 20)
    rng = np.random.default_rng(0)
    p = np.sort(rng.normal(0.5, 1, 200))
    frame = {"y": rng.integers(0, 2, 200), "p": p}
    a = ca.scan(frame, truth="y", score="p")
    assert a.to_dict() == ca.assess(frame["y"], p).to_dict()


# folders of tables


def metadata(names, hint=False):
    Path("t/metadata").mkdir(parents=True)
    for name in [*names, *(["version-hint.text"] if hint else [])]:
        Path("t/metadata", name).touch()
    return lambda **how: table_folders._metadata("t", "the table", **{"warns": False} | how)


def test_the_last_version_of_an_iceberg_table_is_described_by_its_number():
    find = metadata(
        ["00009-a.metadata.json", "00010-b.metadata.json", "v2.metadata.json", "x.metadata.json", "v99.txt"]
    )
    assert find() == "t/metadata/00010-b.metadata.json"
    with pytest.warns(
        UserWarning, match="the table is read as 00010-b.metadata.json describes it, the last version in"
    ):
        find(warns=True)


def test_a_hint_names_the_version():
    assert metadata(["00001-a.metadata.json"], hint=True)() == "t"


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (
            ["00002-a.metadata.json", "00002-b.metadata.json"],
            "the table has 2 last versions: 00002-a.metadata.json",
        ),
        (["x.metadata.json", "y.metadata.json"], "the table has 2 last versions: x.metadata.json"),
    ],
)
def test_two_last_versions_are_refused(names, text):
    with pytest.raises(FileError) as error:
        metadata(names)()
    assert text in str(error.value)
    assert "Only its catalog knows which is current." in str(error.value)


def test_settings_of_a_service_come_from_the_environment(monkeypatch):
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    assert table_folders._of_service() == {}
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://a")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu")
    assert table_folders._of_service() == {"s3.endpoint": "http://a", "s3.region": "eu"}
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://b")
    monkeypatch.setenv("AWS_REGION", "us")
    assert table_folders._of_service() == {"s3.endpoint": "http://b", "s3.region": "us"}
    monkeypatch.setenv("AWS_REGION", "")
    assert table_folders._of_service()["s3.region"] == "eu"


def test_files_in_and_around_folders_of_tables_are_refused():
    Path("lake/_delta_log").mkdir(parents=True)
    Path("lake/_delta_log/0.json").touch()
    Path("lake/part").mkdir()
    Path("lake/part/a.csv").write_text("y,p\n1,0.5\n")
    Path("hudi/.hoodie").mkdir(parents=True)
    Path("hudi/.hoodie/x").touch()
    Path("plain").mkdir()
    for paths, text in (
        (
            ["lake/part/a.csv"],
            "lake is the folder of a Delta table, which also contains deleted or replaced rows. Name this",
        ),
        (["lake/part"], "lake is the folder of a Delta table"),
        (["plain", "lake"], "lake is the folder of a Delta table"),
        (
            ["hudi"],
            "hudi is the folder of a Hudi table, which also contains deleted or replaced rows. Write the table to",
        ),
    ):
        with pytest.raises(FileError) as error:
            table_folders.refuse_table_folders(paths)
        assert text in str(error.value)
    table_folders.refuse_table_folders(["plain", "a.csv"])
    full = str(Path("lake").resolve())
    with pytest.raises(FileError) as error:
        table_folders.refuse_table_folders([full])
    assert str(error.value).startswith(f"{full} is the folder")
    assert table_folders._names_in("none") == []
    assert sorted(table_folders._names_in("lake")) == ["_delta_log", "part"]
    assert table_folders._names_in(Path("lake/part").resolve().as_uri()) == ["a.csv"]
    for source in (3, "plain", "memory://a", "s3://a/*.csv"):
        assert table_folders.opened_at(source) == source


# addresses


def test_errors_of_services_are_one_line():
    for error, text in (
        (FileNotFoundError("x"), "File not found: s3://b/a. Check the address."),
        (
            OSError("x: Could not connect to y"),
            "The service of s3://b/a does not respond. Check the address, the network",
        ),
        (OSError("Connection refused"), "The service of s3://b/a does not respond."),
        (OSError("cannot resolve host b"), "The service of s3://b/a does not respond."),
        (
            PermissionError("denied"),
            "s3://b/a cannot be opened (PermissionError: denied). Check the address and that you",
        ),
    ):
        with pytest.raises(FileError) as told, addresses._told("s3://b/a"):
            raise error
        assert text in str(told.value)
    with pytest.raises(InputError, match="as it is"), addresses._told("s3://b/a"):
        raise InputError("as it is")


def test_places_at_local_addresses(tmp_path):
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b" / "c.csv").write_text("x")
    folder = Place((tmp_path / "a b").as_uri())
    assert folder.is_folder
    assert not Place((tmp_path / "a b/c.csv").as_uri()).is_folder
    assert not Place((tmp_path / "none").as_uri()).is_folder
    assert folder.path == str(tmp_path / "a b")
    assert [*folder.inside()] == [(f"{folder.address}/c.csv", "c.csv")]
    assert [within for _, within in Place(tmp_path.as_uri()).inside(deep=False)] == ["a b"]
    assert [*Place((tmp_path / "none").as_uri()).inside()] == []
    with addresses.stream_at((tmp_path / "a b/c.csv").as_uri()) as stream:
        assert stream.read() == b"x"
    with pytest.raises(FileError, match="File not found"):
        addresses.stream_at((tmp_path / "none.csv").as_uri())

    class Lost:
        closed = False

        def read(self, _):
            raise RuntimeError("gone")

    with pytest.raises(OSError, match="RuntimeError: gone"):
        addresses._File(Lost()).read(3)
    assert addresses._File(Lost()).closed is False
    assert addresses._File(io.BytesIO(b"abc")).read() == b"abc"
    assert addresses._File(io.BytesIO(b"abc")).read(2) == b"ab"


def test_a_table_that_names_other_places_is_refused(monkeypatch):
    import sys
    from types import ModuleType

    location = ["s3://bucket/t"]
    module = ModuleType("pyiceberg.table")
    module.StaticTable = SimpleNamespace(
        from_metadata=lambda path, settings: SimpleNamespace(location=lambda: location[0])
    )
    monkeypatch.setitem(sys.modules, "pyiceberg", ModuleType("pyiceberg"))
    monkeypatch.setitem(sys.modules, "pyiceberg.table", module)
    metadata([], hint=True)
    source = Input("the table", "t", None, b"", "iceberg", "")
    with pytest.raises(
        FileError, match=r"the table describes a table whose files are at s3://, not in this folder\. Open"
    ):
        table_folders.table_at(source)
    for place in ("file:///a/t", "/a/t"):
        location[0] = place
        assert table_folders.table_at(source).location() == place


def test_rows_of_a_table_and_none(monkeypatch):
    from classay.in_parts.batches import Batches

    rows = {"now": pa.table({"y": [1, 0], "p": [0.5, 0.25]})}

    def opened(names):
        return rows["now"].select(names)

    batches = Batches(["y", "p"], opened)
    source = Input("the table", "t", None, b"", "delta", "")
    monkeypatch.setattr(table_folders, "_batches", lambda _, **how: batches)
    assert table_folders.read(source, ["p"], []).to_pydict() == {"p": [0.5, 0.25]}
    assert table_folders.read(source, None, []).to_pydict() == rows["now"].to_pydict()
    assert [name for name, _ in table_folders.schema(source)] == ["y", "p"]
    rows["now"] = rows["now"].slice(0, 0)
    with pytest.raises(ClassayError) as error:
        table_folders.read(source, ["p"], [])
    assert str(error.value).startswith("the table has no rows")
