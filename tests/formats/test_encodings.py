"""Text that is not UTF-8, and the first line by which Excel names the delimiter."""

import gzip
import json

import pyarrow as pa
import pytest

import classay as ca
from classay.errors import FileError
from classay.formats.encodings import western_word
from classay.formats.layout import Layout
from classay.sources.files import read_table
from command import typed
from formats.test_clinic import assessed
from formats.test_text_layouts import DATA, told, written

CODED = ["pandas-3.1.1-cp1252.csv", "pandas-3.1.1-utf-16.csv.gz"]
KNOWN = Layout(na="k.A.", decimal=",")


@pytest.mark.parametrize("name", CODED)
def test_labels_are_their_words(name):
    table, texts = told(name, "sepsis", "cost", labels=["sepsis"], delimiter=";", layout=KNOWN)
    assert {*table["sepsis"].to_pylist()} == {"schwer", "mäßig", None}
    assert table["cost"].to_pylist() == [734.5 + 250 * k for k in range(12)]
    said = f"{name} is not UTF-8, and is read as text of Windows-1252 (Latin-1), such as 'mäßig'."
    assert texts == ([said] if "cp1252" in name else [])


@pytest.mark.parametrize("options", [(), ("--memory", "9")])
@pytest.mark.parametrize("name", CODED)
def test_the_command_reads_them_whole_and_in_parts(name, options, monkeypatch):
    monkeypatch.chdir(DATA)
    how = typed("--truth sepsis --positive schwer --score risk --missing drop --na k.A.")
    done = assessed(name, *how, "--decimal", ",", *options)
    assert (done.exit_code, "mäßig: 7, schwer: 4" in done.stdout) == (0, True), done.stderr


def test_a_folder_of_them_is_scanned(tmp_path):
    head, *lines = (DATA / CODED[0]).read_bytes().splitlines(keepends=True)
    for k in range(2):
        (tmp_path / f"{k}.csv").write_bytes(head + b"".join(lines[6 * k : 6 * k + 6]))
    how = {"truth": "sepsis", "score": "risk", "positive": "schwer", "missing": "drop", "delimiter": ";"}
    with pytest.warns(UserWarning, match="Windows-1252"):
        a = ca.scan(str(tmp_path), na="k.A.", decimal=",", **how)
    assert (a.labels, sum(a.class_totals)) == (("mäßig", "schwer"), 11)


def test_r_writes_latin_1(tmp_path):
    table, texts = told("r-4.2.2-latin1.csv", "y", labels=["y"], delimiter=";")
    assert {*table["y"].to_pylist()} == {"schwer", "mäßig"}
    assert len(texts) == 1


@pytest.mark.parametrize("codec", ["cp1250", "cp1251", "cp850", "mac-roman", "shift-jis"])
def test_what_may_be_several_encodings_is_refused(codec, tmp_path):
    words = {"cp1250": "mały", "cp1251": "тяжёлый", "shift-jis": "重症"}
    word = words.get(codec, "mäßig")
    assert western_word(word.encode(codec)) is None
    path = tmp_path / "rows.csv"
    path.write_bytes(f"y,p\n{word},0.5\nno,0.25\n".encode(codec))
    with pytest.raises(FileError, match=r"is not UTF-8 text\. Save the file as UTF-8"):
        read_table(path, ["y"], labels=["y"])
    assert told(path, "p")[0]["p"].to_pylist() == [0.5, 0.25]


@pytest.mark.parametrize("begin", ["sep=;\r\n", "\ufeffsep=;\n", '"sep=;"\n', "SEP=;\n"])
@pytest.mark.parametrize("packed", [False, True])
def test_the_first_line_of_excel_names_the_delimiter(begin, packed, tmp_path):
    text = begin + "y;p\nno;0,5\nyes;0,25\nyes;0,75\n"
    path = tmp_path / ("rows.csv.gz" if packed else "rows.csv")
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    table, texts = told(path, "y", "p", labels=["y"])
    assert table.to_pylist()[0] == {"y": "no", "p": 0.5}
    assert texts == [f"p in {path.name} is read as numbers with decimal commas, such as '0,5' for 0.5."]
    assert told(path, "p", layout=Layout(header_line=2))[0].num_rows == 3
    done = assessed(str(path), "--truth", "y", "--score", "p", "--positive", "yes", "--memory", "9")
    assert done.exit_code == 0, done.stderr


def test_json_lines_may_be_compressed_utf_16(tmp_path):
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(gzip.compress('{"y": "mäßig", "p": 0.5}\n{"y": "no", "p": 0.25}\n'.encode("utf-16")))
    assert read_table(path, ["y", "p"])["y"].to_pylist() == ["mäßig", "no"]
    assert assessed(str(path)).exit_code == 0


@pytest.mark.parametrize("pack", [gzip.compress, lambda content: pa.compress(content, "zstd", asbytes=True)])
def test_a_document_that_unpacks_to_far_more_than_its_file_is_refused(tmp_path, monkeypatch, pack):
    rows = json.dumps([{"y": k % 2, "p": 0.5} for k in range(200)], indent=1).encode()
    path = tmp_path / "rows.json.gz"
    path.write_bytes(pack(rows))
    assert read_table(path, ["y", "p"]).num_rows == 200
    monkeypatch.setattr("classay.formats.containers._SMALL", 1_000)
    monkeypatch.setattr("classay.sources.inputs.MAX_RATIO", 2)
    with pytest.raises(FileError, match=r"rows\.json\.gz has \d+ bytes and unpacks to .* or to 2 times"):
        read_table(path, ["y", "p"])
    path.with_suffix("").write_bytes(rows)
    assert read_table(path.with_suffix(""), ["y", "p"]).num_rows == 200


def test_lines_are_those_of_the_file(tmp_path):
    path = written(tmp_path, "sep=;\ny;p\n1;0.5\n0;x\n")
    done = assessed(str(path), "--truth", "y", "--score", "p")
    assert "line 4" in done.stderr
    path = written(tmp_path, "sep=;\nA title\ny;p;q\n1;0.5;1\n0;0.2;1\n1;0.4;1\n")
    assert "Line 3 of rows.csv is read as the header" in told(path, "p")[1][0]
