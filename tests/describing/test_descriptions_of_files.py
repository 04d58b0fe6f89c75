"""How a file was read, its tables and its companions: each sentence, number and command of small files."""

import json
import sqlite3
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from classay.describing import description as of_files
from classay.describing import first_rows, several_files
from classay.describing.columns import ColumnFacts
from classay.describing.command_lines import SuggestedCommand
from classay.describing.description import Description, described, summary_of
from classay.describing.nested_fields import with_fields
from classay.describing.one_column import scores_in_one
from classay.describing.results import _size, as_dict, document_of, lines_of_commands, rows_in_words
from classay.errors import ClassayError, FileError, InputError
from command import call

N = 40
Y = (np.arange(N) % 2).tolist()
P = (np.arange(N) * 7 % 41 / 41).round(3).tolist()
ASSESS = "classay assess {} --truth y --score p"
WHY = "true labels in y, p as the probability of 1"


def text(rows, delimiter=",", header=("y", "p")):
    lines = [header, *rows]
    return "".join(delimiter.join(map(str, line)) + "\n" for line in lines)


PLAIN = text(zip(Y, P, strict=True))


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def written(name, content):
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return described(name)


@pytest.mark.parametrize(
    ("mark", "option"), [(",", None), (";", "';'"), ("|", "'|'"), ("\t", "tab"), (" ", "' '")]
)
@pytest.mark.parametrize("title", [0, 2])
def test_the_layout_of_a_text(mark, option, title):
    """Delimiter and line of the header are guesses that the notes and all commands name."""
    content = PLAIN.replace(",", mark)
    d = written("a.csv", "Title\n\n" + content if title else content)
    options = [] if option is None else [f"--delimiter {option}"]
    options += ["--header-line 3"] if title else []
    shown = {"\t": "tab", " ": "space"}.get(mark, mark)
    quoted = [] if option is None else [f"--delimiter '{'tab' if shown == 'tab' else mark}'"]
    quoted += ["--header-line '3'"] if title else []
    assert d.reading == (("delimiter", shown), ("header", f"line {3 if title else 1}"))
    assert [note for note in d.notes if "guess" in note] == [f"{option} is a guess." for option in quoted]
    line = " ".join(["classay assess a.csv", *options, "--truth y --score p"])
    assert [(command.text, command.reason) for command in d.commands] == [(line, WHY)]
    assert (d.n_rows, d.n_rows_read, d.is_whole) == (N, N, True)
    assert (d.file, d.format, d.format_title) == ("a.csv", "csv", "CSV, text with a delimiter")
    assert d.n_bytes == Path("a.csv").stat().st_size
    assert (d.positive, d.positive_reason, d.tables, d.tables_named_by) == ("1", "the default", (), "sheet")
    assert call(*d.commands[0].words[1:]).exit_code == 0


def test_options_that_are_named_are_no_guess():
    Path("a.csv").write_text(PLAIN.replace(",", ";"))
    d = described("a.csv", delimiter=";", options={"delimiter": ";"})
    assert d.notes == ()
    assert d.commands[0].text == "classay assess a.csv --delimiter ';' --truth y --score p"


def table(**columns):
    return pa.table(columns or {"y": Y, "p": P})


def in_jsonl(rows):
    return "".join(json.dumps(row) + "\n" for row in rows.to_pylist())


def stream_of(rows):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    return sink.getvalue().to_pybytes()


def write_as(kind, name, rows):
    if kind == "parquet":
        pq.write_table(rows, name)
    elif kind == "arrow":
        feather.write_feather(rows, name)
    else:
        Path(name).write_text(in_jsonl(rows) if kind == "jsonl" else PLAIN)


TITLES = {
    "csv": "CSV, text with a delimiter",
    "jsonl": "JSON lines",
    "parquet": "Parquet",
    "arrow": "Arrow or Feather",
}


@pytest.mark.parametrize("kind", TITLES)
@pytest.mark.parametrize("is_named", [True, False], ids=["ending", "content"])
def test_a_format_is_told_by_the_ending_or_the_content(kind, is_named):
    name = f"a.{kind if is_named else 'dat'}"
    write_as(kind, name, table())
    d = described(name)
    assert (d.format, d.format_title, d.n_rows, d.n_rows_read) == (kind, TITLES[kind], N, N)
    guess = "" if is_named else f" --format {kind}"
    assert d.notes == (() if is_named else (f"--format '{kind}' is a guess.",))
    assert [command.text for command in d.commands] == [f"classay assess {name}{guess} --truth y --score p"]
    assert call(*d.commands[0].words[1:]).exit_code == 0


def test_a_stream_is_read_as_a_file_of_arrow_is():
    d = written("a.arrow", stream_of(table()))
    assert (d.format, d.n_rows) == ("arrow", N)


def test_a_damaged_arrow_file_is_refused_in_one_line():
    labels = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["a", "b"]), safe=False)
    with pytest.raises(FileError, match=r"a\.arrow cannot be read as arrow"):
        written("a.arrow", stream_of(pa.table({"y": labels, "p": [0.1, 0.2, 0.3]})))


@pytest.mark.parametrize("others", [{}, {"z": 2}])
def test_a_file_of_mixed_fields_alone_is_refused_by_what_they_hold(others):
    rows = [{"x": 1, **others}, {"x": "a", **dict.fromkeys(others, "b")}] * 4
    with pytest.raises(ClassayError, match=r"Column 'x' of a\.jsonl contains numbers and text"):
        written("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.parametrize("content", ["", "no table\n", "\0,\0\n" * 3, "a\nb\nc\n"])
def test_a_content_of_no_format_is_refused(content):
    with pytest.raises(ClassayError, match=r"The format of a\.dat is unknown"):
        written("a.dat", content)


@pytest.mark.parametrize(("most", "whole"), [(N - 1, False), (N, True), (N + 1, True)])
@pytest.mark.parametrize("kind", ["parquet", "arrow", "jsonl", "csv"])
def test_rows_beyond_those_that_are_looked_at(kind, most, whole, monkeypatch):
    monkeypatch.setattr(first_rows, "MAX_ROWS", most)
    write_as(kind, f"a.{kind}", table())
    d = described(f"a.{kind}")
    assert d.n_rows_read == min(most, N)
    assert d.is_whole == whole
    assert d.n_rows == N or kind == "arrow"
    assert rows_in_words(d) == ("40, all read" if whole else "40; only the first 39 were read")


@pytest.mark.parametrize("is_file", [True, False])
def test_rows_of_arrow_beyond_the_batches_that_are_looked_at(is_file, monkeypatch):
    monkeypatch.setattr(first_rows, "MAX_ROWS", 15)
    rows = pa.Table.from_batches(table().to_batches(max_chunksize=10))
    if is_file:
        with pa.OSFile("a.arrow", "wb") as sink, pa.ipc.new_file(sink, rows.schema) as writer:
            writer.write_table(rows, max_chunksize=10)
    else:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, rows.schema) as writer:
            writer.write_table(rows, max_chunksize=10)
        Path("a.arrow").write_bytes(sink.getvalue().to_pybytes())
    d = described("a.arrow")
    assert (d.n_rows, d.n_rows_read, d.is_whole) == (None, 15, False)
    assert rows_in_words(d) == "more than 15; only the first 15 were read"
    monkeypatch.setattr(first_rows, "MAX_ROWS", 40)
    assert described("a.arrow").n_rows == N


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_bytes_beyond_those_that_are_read(more, monkeypatch):
    """Of a text that goes on, the last line may be torn; fields in quotes may hold line ends."""
    monkeypatch.setattr(first_rows, "MAX_BYTES", len(PLAIN) + more)
    d = written("a.csv", PLAIN)
    assert (d.n_rows, d.n_rows_read) == ((None, N - 1) if more < 0 else (N, N))
    torn = 'y,p\n0,"1"\n1,"2\n3"\n0,"4\n5'
    assert first_rows._whole_lines(torn.encode()) == b'y,p\n0,"1"\n1,"2\n3"\n'
    assert first_rows._whole_lines(b"y,p\n0,1\n1") == b"y,p\n0,1\n"
    assert first_rows._whole_lines(b"no end") == b"no end"
    assert first_rows._whole_lines(b'"a\nb",1\n2,"3\n4') == b'"a\nb",1\n'
    assert first_rows._whole_lines(b'a,"b\nc') == b'a,"b\nc'


def test_missing_values_of_whole_columns_are_those_of_the_file(monkeypatch):
    """Counted over all row groups; of columns without counts, only in the rows that were looked at."""
    p = [None if k in (1, 30) else value for k, value in enumerate(P)]
    pq.write_table(table(y=Y, p=p, q=p), "a.parquet", row_group_size=10)
    monkeypatch.setattr(first_rows, "MAX_ROWS", 10)
    d = described("a.parquet")
    assert [column.n_missing for column in d.columns] == [0, 2, 2]
    pq.write_table(table(y=Y, p=p, q=p), "a.parquet", row_group_size=10, write_statistics=["p"])
    assert [column.n_missing for column in described("a.parquet").columns] == [0, 2, 1]


@pytest.mark.parametrize(
    ("lines", "guess"),
    [
        (["a,b", "1,2"], (",", 1, 2)),
        (["a,b"], None),  # a header needs a row
        (["a", "1"], None),
        (["title", "a,b", "1,2"], (",", 2, 2)),
        (["title", "", "a,b", "1,2"], (",", 3, 2)),
        (["a,b,c", "1,2"], None),
        (["a,b", "1,2,3", "4,5,6"], (",", 2, 3)),
        (["a,b", "1,x,y", "2,z,u"], (",", 1, 3)),  # rows with numbers as names
        (["a,b", "v,x,y", "w,z,u", "u,z,u"], (",", 1, 3)),  # with distinct words
        (["a,b", "v,x,y", "v,z,u", "u,z,u"], (",", 2, 3)),
        (["a,b", "v,x,y", "w,z,u"], (",", 2, 3)),  # of two rows, words say nothing
        (["a,b", "v,x,y", "3,z,u", "u,z,u"], (",", 2, 3)),
    ],
)
def test_the_lines_of_a_layout(lines, guess):
    found = first_rows._in_lines("\n".join(lines) + "\n", ",")
    assert (None if found is None else (found.delimiter, found.header_line, found.n_fields)) == guess


@pytest.mark.parametrize(
    ("content", "delimiter"),
    [
        ("a;b;c\n1,5;2,5;3\n", ";"),
        ("a,b\n1,2\n", ","),
        ("a b,c\n1 2,3\n", ","),
        ("a b\n1 2\n", " "),
        ("one\n1\n", ","),
        ("a;b\n1;2\n", ";"),
        ("a;b;c;d,e\n1;2;3;4,5\n", ";"),
        ("a,b,c,d;e\n1,2,3,4;5\n", ","),
    ],
)
def test_the_delimiter_with_the_most_fields(content, delimiter):
    assert first_rows._guess(content.encode(), ",", is_named=False).delimiter == delimiter
    assert first_rows._guess(content.encode(), ",", is_named=True).delimiter == ","


# -- several tables and several files ----------------------------------------------------------------------------------


def database(name="a.sqlite", **tables):
    connection = sqlite3.connect(name)
    for table_name, rows in tables.items():
        connection.execute(f"create table {table_name} ({', '.join(rows)})")
        marks = ", ".join("?" * len(rows))
        connection.executemany(f"insert into {table_name} values ({marks})", zip(*rows.values(), strict=True))
    connection.commit()
    connection.close()


def test_several_tables_have_a_line_each():
    """Rows, columns, a summary and the first command of each that has one."""
    database(
        good={"y": Y, "p": P, "sex": ["f", "m"] * 20},
        again={"y": Y, "q": Y[::-1]},
        curve={"fpr": P, "tpr": P},
        other={"x": P},
        odd={"y": ["a", "b", "c", "b"] * 10, "p": P},
        none={"y": ["a", "b", "c", "b"] * 10},
    )
    d = described("a.sqlite")
    guess = "labels predicted in q"
    assert [(part.name, part.n_rows, part.columns, part.summary) for part in d.tables] == [
        ("good", N, ("y", "p", "sex"), f"{WHY}."),
        ("again", N, ("y", "q"), f"true labels in y, {guess}."),
        (
            "curve",
            N,
            ("fpr", "tpr"),
            "The rows are points of a curve (fpr, tpr), not cases. Use a file with a row for each case.",
        ),
        ("other", N, ("x",), "No column looks like true labels."),
        ("odd", N, ("y", "p"), "y may have the true labels, but p does not fit their number."),
        (
            "none",
            N,
            ("y",),
            "y may have the true labels, but no column looks like scores or predictions of them.",
        ),
    ]
    assert [command.text for command in d.commands] == [
        "classay assess a.sqlite --sheet good --truth y --score p",
        "classay assess a.sqlite --sheet again --truth y --prediction q",
    ]
    assert (d.columns, d.reading, d.notes, d.n_rows, d.n_rows_read) == ((), (("tables", "6"),), (), None, 0)
    assert (d.positive, d.positive_reason, d.tables_named_by) == (None, "", "sheet")
    assert (d.format, d.n_bytes) == ("sqlite", Path("a.sqlite").stat().st_size)
    lead = "The file has several tables. Use --sheet to name one."
    assert lead in " ".join(call("describe", "a.sqlite").stdout.split())
    found = as_dict(d)
    assert [part["rows"] for part in found["tables"]] == [N] * 6


def test_the_only_table_with_commands_has_all_of_its():
    database(good={"y": Y, "p": P, "sex": ["f", "m"] * 20}, other={"x": P})
    assert [command.text for command in described("a.sqlite").commands] == [
        "classay assess a.sqlite --sheet good --truth y --score p",
        "classay assess a.sqlite --sheet good --truth y --score p --by sex",
    ]


@pytest.mark.parametrize(
    ("number", "note"), [(3, ()), (4, ("1 other tables are not described. Use --sheet to name one.",))]
)
def test_more_tables_than_are_described(number, note, monkeypatch):
    monkeypatch.setattr(of_files, "MAX_TABLES", 3)
    database(**{f"t{k}": {"y": Y, "p": P} for k in range(number)})
    d = described("a.sqlite")
    assert ([part.name for part in d.tables], d.notes) == (["t0", "t1", "t2"], note)
    assert d.reading == (("tables", str(number)),)


def test_a_sheet_with_several_tables_is_described_by_ranges():
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("python_calamine")
    book = openpyxl.Workbook()
    for line in (["y", "p"], *zip(Y, P, strict=True), [], [], ["x", "z"], *zip(P, P, strict=True)):
        book.active.append(line)
    book.save("a.xlsx")
    d = described("a.xlsx")
    assert d.tables_named_by == "range"
    assert [(part.name, part.n_rows, part.columns) for part in d.tables] == [
        ("A1:B41", N, ("y", "p")),
        ("A44:B84", N, ("x", "z")),
    ]
    assert [command.text for command in d.commands] == [
        "classay assess a.xlsx --range A1:B41 --truth y --score p"
    ]
    assert call(*d.commands[0].words[1:]).exit_code == 0


def files(folder, contents):
    Path(folder).mkdir()
    for name, content in contents.items():
        Path(folder, name).write_text(content)
    names = [f"{folder}/{name}" for name in contents]
    return described(folder, names[0], others=names[1:])


def test_files_that_are_alike():
    d = files("days", {"a.csv": PLAIN, "b.csv": PLAIN})
    assert d.notes == ("2 files are alike: they have the columns of days/a.csv, which is described.",)
    assert d.reading == (
        ("files", "2"),
        ("first file", "days/a.csv"),
        ("delimiter", ","),
        ("header", "line 1"),
    )
    assert [command.text for command in d.commands] == [ASSESS.format("days")]
    one = files("one", {"a.csv": PLAIN})
    assert one.notes == ("1 files are alike: they have the columns of one/a.csv, which is described.",)


def test_files_that_differ_are_named_with_what_differs():
    d = files(
        "days",
        {
            "a.csv": PLAIN,
            "b.csv": PLAIN.replace(",", ";"),
            "c.csv": PLAIN.replace("p\n", "q\n"),
            "d.csv": "t\n\n" + PLAIN.replace(",", "|").replace("y", "z"),
            "e.csv": "",
            "f.csv": PLAIN.replace("y,p", "p,y"),
        },
    )
    assert d.notes[:3] == (
        "days/b.csv needs --delimiter ';', other than days/a.csv.",
        "days/c.csv lacks p, other than days/a.csv.",
        "days/d.csv needs --delimiter '|' and --header-line '3' and lacks y, other than days/a.csv.",
    )
    assert d.notes[3].startswith("days/e.csv ")
    assert d.notes[-1] == (
        "These files cannot be read together. Save days/b.csv, days/c.csv, days/d.csv and days/e.csv in the layout "
        f"of days/a.csv and use: {ASSESS.format('days')}"
    )
    assert [command.words[2] for command in d.commands][:2] == ["days/a.csv", "days/b.csv"]


def test_many_files_are_compared_up_to_a_number(monkeypatch):
    monkeypatch.setattr(several_files, "MAX_FILES", 2)
    same = dict.fromkeys(("a.csv", "b.csv", "c.csv"), PLAIN)
    assert files("three", same).notes[0].startswith("3 files are alike")
    last = files("four", same | {"d.csv": ""})
    assert last.notes == (
        "The first 3 of 4 files are alike: they have the columns of four/a.csv, which is described.",
    )
    unlike = {f"f{k}": "differs" for k in range(7)}
    notes = several_files.note_on_files(9, unlike, "a")
    assert notes == [*(f"f{k} differs, other than a." for k in range(5)), "2 more files differ from a."]
    assert several_files.note_on_files(9, {"b": "differs"}, "a") == ["b differs, other than a."]


def test_a_file_of_another_format_and_an_option_that_is_not_needed():
    Path("a.csv").write_text(PLAIN.replace(",", ";"))
    Path("b.csv").write_text(PLAIN)
    Path("c.jsonl").write_text(in_jsonl(table()))
    rows = [first_rows.first_rows(name) for name in ("a.csv", "b.csv", "c.jsonl")]
    assert several_files._difference(rows[0], rows[1]) == "needs no --delimiter"
    assert several_files._difference(rows[1], rows[2]) == "is JSON lines"
    assert several_files._difference(rows[1], rows[0]) == "needs --delimiter ';'"
    assert several_files._difference(rows[1], rows[1]) == ""


# -- what a description says -----------------------------------------------------------------------------------------


def test_a_table_without_columns_is_refused():
    pq.write_table(pa.table({}), "a.parquet")
    with pytest.raises(InputError, match=r"a\.parquet has no columns\. Use a table of predictions\."):
        described("a.parquet")


def test_rows_that_are_copies_are_told_once():
    rows = [(f"c{k}", y, p) for k, (y, p) in enumerate(zip(Y, P, strict=True))]
    for several, number in ((rows + rows[:3], 1), (rows, 0), ([*rows, ("c0", 1, 0.5)], 0)):
        d = written("a.csv", text(several, header=("id", "y", "p")))
        notes = [note for note in d.notes if "in all columns" in note]
        assert len(notes) == number
        assert not notes or notes[0].startswith(
            "3 of 43 rows of a.csv are exact copies of other rows, in all columns."
        )


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1 kB"),
        (999_000, "999 kB"),
        (10**6, "1 MB"),
        (2_346_000_000, "2.35 GB"),
        (5 * 10**12, "5 TB"),
        (5 * 10**15, "5e+03 TB"),
    ],
)
def test_sizes_in_words(n_bytes, text):
    assert _size(n_bytes) == text


def plain(**known):
    base = {
        "file": "f",
        "format": "csv",
        "format_title": "CSV",
        "n_bytes": 1200,
        "n_rows": 9,
        "n_rows_read": 9,
    }
    base |= {
        "reading": (),
        "columns": (),
        "positive": None,
        "positive_reason": "",
        "commands": (),
        "notes": (),
    }
    return Description(**base | known)


def test_the_document_has_what_the_description_has():
    d = written("a.csv", PLAIN.replace("y,p", "y,").replace("0,", "well,").replace("1,", "ill,", 1))
    found = as_dict(d)
    assert [column["name"] for column in found["columns"]] == ["y", ""]
    shown = " ".join(call("describe", "a.csv").stdout.split())
    assert "(no name)" in shown
    command = SuggestedCommand(("classay", "x y"), "so it is")
    lines = lines_of_commands(plain(commands=(command, command)))
    assert lines == ["", "Suggested commands, best first", "", *["  # so it is", "  classay 'x y'"] * 2]
    assert lines_of_commands(plain()) == []
    document = document_of(plain(commands=(command,), notes=("Note.",)))
    assert [section.title for section in document.sections] == [
        "Columns",
        "How it was read",
        "Suggested commands",
    ]
    assert [section.title for section in document_of(plain()).sections] == ["Columns"]
    assert document.title == "Description of f"
    assert document.facts == (("format", "CSV"), ("size", "1.2 kB"), ("rows", "9, all read"))
    assert summary_of(plain()) == "No column looks like true labels."


def test_the_first_sentence_is_the_best_guess_or_what_is_lacking():
    for content, sentence in (
        (PLAIN, f"The roles of the columns are guessed from names and values. Best guess: {WHY}."),
        (
            text(zip(P, P, strict=True), header=("x", "z")),
            "No column looks like true labels. Name the columns in a comm",
        ),
        (
            text([(y,) for y in Y], header=("y",)),
            "but no column looks like scores or predictions of them. Columns",
        ),
        (text(zip(P, P, strict=True), header=("fpr", "tpr")), "Use a file with a row for each case. Columns"),
    ):
        Path("a.csv").write_text(content)
        assert sentence in " ".join(call("describe", "a.csv").stdout.replace("┃", "").split())


@pytest.mark.parametrize("n", [100, 101])
def test_up_to_a_hundred_codes_with_zeros_are_labels(n):
    d = written("a.csv", text([(f"{k:04d}", k % 2) for k in range(n)] * 2, header=("unit", "y")))
    assert d.columns[0].type == ("text" if n == 100 else "whole number")


def test_each_column_says_what_it_may_be_and_why():
    rows = [*zip(Y, [100 * p for p in P], ["f", "m"] * 20, P, strict=True)]
    written("a.csv", text(rows, header=("y", "score", "y_pred", "bmi")))
    shown = " ".join(call("describe", "a.csv").stdout.split())
    assert "y whole number truth 2 labels (0 and 1); 'y' in its name" in shown
    assert "bmi number – 0 to 0.976" in shown
    assert "not from 0 to 1, maybe a percentage" in shown


# -- nested columns --------------------------------------------------------------------------------------------------


def test_fields_within_columns_by_their_paths():
    rows = [
        {"d": {"a": k, "b": {"c": k}, "v": [0.5, 0.5]}, "l": [{"s": k}] * 2, "m": [{"s": k}] * 5}
        for k in range(6)
    ]
    found = with_fields(pa.Table.from_pylist(rows), ["d", "l", "m"], "f")
    assert found.column_names == ["d", "l", "m", "d.a", "d.b.c", "d.v[0]", "d.v[1]", "l[0].s", "l[1].s"]
    assert found["d.b.c"].to_pylist() == found["l[1].s"].to_pylist() == [*range(6)]


@pytest.mark.parametrize(("depth", "is_named"), [(6, True), (7, False)])
def test_fields_up_to_a_depth(depth, is_named):
    value = 1
    for _ in range(depth):
        value = {"x": value}
    found = with_fields(pa.Table.from_pylist([{"d": value}] * 3), ["d"], "f").column_names
    assert found == ["d", *["d" + ".x" * depth] * is_named]


def truth(*values):
    return ColumnFacts("y", "text", 40, 0, len(values), values)


def test_scores_of_all_classes_in_one_column():
    pairs = [[p, 1 - p] for p in P]
    records = pa.array([{"no": p, "yes": q} for p, q in pairs])
    maps = pa.array([[("no", p), ("yes", q)] for p, q in pairs], pa.map_(pa.string(), pa.float64()))
    lists = pa.array(pairs)
    rows = pa.table(
        {"record": records, "map": maps, "list": lists, "other": pa.array([{"a": 1.0, "b": 2.0}] * N)}
    )
    found = scores_in_one(rows, rows.column_names, truth("yes", "no"), "f")
    assert [scores.name for scores in found] == ["record", "map", "list"]
    for scores in found:
        assert {label: column.to_pylist() for label, column in scores.scores.items()} == {
            "no": [p for p, _ in pairs],
            "yes": [q for _, q in pairs],
        }
    assert [(scores.is_guess, scores.order) for scores in found] == [
        (False, ()),
        (False, ()),
        (True, ("no", "yes")),
    ]
    others = scores_in_one(rows, rows.column_names, truth("v", "u"), "f")
    assert [(scores.name, scores.order) for scores in others] == [("list", ("u", "v"))]
    (found,) = scores_in_one(pa.table({"list": lists}), ["list"], truth(10, 9), "f")
    assert found.order == (9, 10)  # by size, not as text
    empty = pa.table({"l": pa.array([[None, None]] * N, pa.list_(pa.float64()))})
    assert scores_in_one(empty, ["l"], truth("b", "a"), "f") == []
