"""Sheets as people fill them in: texts for numbers, titles above, notes below; and other files that hold the same."""

import json

import pytest

import classay as ca
from classay.errors import FileError, InputError
from classay.formats.layout import Layout
from classay.sources.files import read_table
from command import call, json_of
from formats.in_sweeps import write_book
from formats.test_clinic import assessed
from formats.test_text_layouts import DATA, told

pytest.importorskip("python_calamine")
pytest.importorskip("pyreadstat")

TEXTS = [
    "openpyxl-3.1.5-texts.xlsx",
    "libreoffice-7.4.7-texts.ods",
    "libreoffice-7.4.7-texts.xls",
    "libreoffice-7.4.7-opened.xlsx",
    "pyreadstat-1.3.7-texts.sav",
    "pandas-3.1.1-texts.sqlite",
]
TITLED = ["xlsxwriter-3.3.1-titled.xlsx", "libreoffice-7.4.7-titled.ods", "libreoffice-7.4.7-titled.xls"]
HOW = ("--truth", "sepsis", "--positive", "yes", "--na", "k.A.", "--missing", "drop")
KNOWN = Layout(na="k.A.", decimal=",", date_format="%d.%m.%Y")


def cohort():
    """The rows that tests/outside/make/clinic_sheets.sh writes, in numbers."""
    for k in range(12):
        label = None if k == 5 else "yes" if k % 3 == 0 else "no"
        place = (k * 5) % 12
        yield label, 0.5 + 0.7 * place, (5.2 + 7 * place) / 100, 734.5 + 250 * k


def auc(column):
    rows = [row for row in cohort() if row[0] is not None]
    return f"{ca.assess([row[0] for row in rows], [row[column] for row in rows], positive='yes')['roc_auc'].value:.3f}"


@pytest.fixture(autouse=True)
def folder(monkeypatch):
    monkeypatch.chdir(DATA)


@pytest.mark.parametrize("options", [(), ("--decimal", ",")])
@pytest.mark.parametrize("name", TEXTS)
def test_texts_are_the_numbers_that_they_mean(name, options):
    for column, about in (
        ("risk", ("'0,5' for 0.5",)),
        ("share", ("'5,2 %' for 0.052",)),
        ("cost", ("'734,50'",)),
    ):
        done = assessed(name, *HOW, "--score", column, *options)
        assert (done.exit_code, auc(["risk", "share", "cost"].index(column) + 1) in done.stdout) == (0, True)
        told_of = done.stderr if not options or column == "share" else " ".join(about)
        assert all(text in told_of for text in about)


@pytest.mark.parametrize("name", TEXTS)
def test_columns_of_text_have_one_type(name):
    table, _ = told(name, "sepsis", "risk", "cost", "admission", layout=KNOWN, labels=["sepsis"])
    assert [str(kind) for kind in table.schema.types][1:] == ["double", "double", "timestamp[s]"]
    assert table["sepsis"].to_pylist() == [row[0] for row in cohort()]
    assert table["risk"].to_pylist() == pytest.approx([row[1] for row in cohort()])
    assert table["cost"].to_pylist() == [row[3] for row in cohort()]
    assert str(table["admission"].to_pylist()[0]) == "2025-03-12 00:00:00"
    assert (
        told(name, "admission", layout=KNOWN, labels=["admission"])[0]["admission"][11].as_py()
        == "2025-03-23"
    )


@pytest.mark.parametrize("name", TEXTS)
def test_values_beyond_a_limit_are_named_and_the_way_out_works(name):
    done = assessed(name, *HOW, "--score", "crp")
    assert done.exit_code == 2
    assert "'<0,1' is a value beyond a limit of measurement (censored)" in done.stderr
    assert """use --na 'k.A.,"<0,1"' to read them as missing""" in done.stderr
    how = [word.replace("k.A.", 'k.A.,"<0,1"') for word in HOW]
    done = assessed(name, *how, "--score", "crp", "--unanswered", "drop")
    assert (done.exit_code, "k.A." in done.stderr) == (0, False)


@pytest.mark.parametrize("name", [*TITLED, "xlsxwriter-3.3.1-table.xlsx"])
def test_titles_above_and_notes_below_are_no_rows_of_the_table(name):
    table, texts = told(name)
    assert (table.column_names, table.num_rows) == (["patient", "sepsis", "risk", "crp"], 12)
    where = f"sheet 'cohort' of {name}"
    assert texts[0] == f"Line 3 of {where} is read as the header. Use header_line= to name another line."
    note = "Source: ward 3" if "table" in name else "* crp in mg/l"
    assert texts[1] == f"The last row of {where} ('{note}') is skipped as a note."
    table, texts = told(name, layout=Layout(header_line=3))
    assert (table.column_names, table.num_rows, len(texts)) == (["patient", "sepsis", "risk", "crp"], 12, 1)


def test_a_row_with_one_text_may_be_a_case(tmp_path):
    """A patient of whom nothing is known is no note, and a sentence below ids is."""
    rows = [["id", "y", "p"], *([f"P{k}", "no", 0.5] for k in range(5))]
    for last, n_rows in (
        ("P9", 6),
        ("none of these was seen", 5),
        ("Legend: p is a risk", 5),
        ("(draft)", 5),
    ):
        write_book(tmp_path / "rows.xlsx", {"s": [*rows, [last, "", ""]]})
        assert told(tmp_path / "rows.xlsx")[0].num_rows == n_rows


def test_a_header_of_one_name_is_no_title(tmp_path):
    write_book(tmp_path / "rows.xlsx", {"s": [["y", ""], *([k % 2, 0.5] for k in range(5))]})
    with pytest.raises(FileError, match="no name in B1 in its header"):
        read_table(tmp_path / "rows.xlsx")
    write_book(tmp_path / "column.xlsx", {"s": [["y"], ["no"], ["yes"], ["no"], ["yes"]]})
    assert read_table(tmp_path / "column.xlsx")["y"].to_pylist() == ["no", "yes", "no", "yes"]


def test_a_sheet_without_a_table_names_no_impossible_range(tmp_path):
    write_book(tmp_path / "rows.xlsx", {"notes": [["made in April", "", "x"]]})
    with pytest.raises(FileError, match=r"no table below\. Use sheet= to name another sheet"):
        read_table(tmp_path / "rows.xlsx")
    with pytest.raises(InputError, match="header_line= is beyond the last row"):
        read_table(tmp_path / "rows.xlsx", layout=(Layout(header_line=9),))


def test_numbers_beside_texts_have_one_meaning(tmp_path):
    name = "openpyxl-3.1.5-mixed-cells.xlsx"
    assert told(name, "risk")[0]["risk"].to_pylist() == pytest.approx([row[1] for row in cohort()])
    with pytest.raises(
        InputError, match=r"both percentages \('5 %'\) and numbers without a percent sign \('0.4'\)"
    ):
        read_table("openpyxl-3.1.5-mixed-shares.xlsx", ["risk"])
    write_book(tmp_path / "rows.xlsx", {"s": [["y", "p"], [0, "1,234"], [1, 4.5], [1, 0.25]]})
    for decimal, number in ((",", 1.234), (".", 1234)):
        table, _ = told(tmp_path / "rows.xlsx", "p", layout=Layout(decimal=decimal))
        assert table["p"].to_pylist() == [number, 4.5, 0.25]
    assert str(told(tmp_path / "rows.xlsx", "p")[0]["p"].type) == "string"  # either may be meant
    write_book(tmp_path / "rows.xlsx", {"s": [["y", "p"], [0, "1.234"], [1, "2.500"]]})
    with pytest.raises(
        FileError, match=r"numbers such as 1.234 as text\. Use decimal=',' if points separate"
    ):
        read_table(tmp_path / "rows.xlsx", ["p"])


@pytest.mark.parametrize("path", ["r-4.2.2-texts.rds"])
def test_texts_of_r_are_numbers(path):
    assert told(path, "p")[0]["p"].to_pylist() == [0.9, 0.1, 0.4, 0.2]


def test_words_with_commas_are_quoted():
    assert Layout(na='k.A., "<0,1",-9').missing == {"k.A.", "<0,1", "-9"}


def test_rows_that_are_copies_are_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [
        ["patient", "y", "p"],
        *([f"P{k}", k % 2, k / 8] for k in range(8)),
        ["P3", 1, 3 / 8],
        ["P3", 1, 3 / 8],
    ]
    write_book(tmp_path / "rows.xlsx", {"s": rows})
    (tmp_path / "rows.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    for name, where in (("rows.xlsx", "sheet 's' of rows.xlsx"), ("rows.csv", "rows.csv")):
        said = f"2 of 10 rows of {where} are exact copies of other rows, in all columns"
        (text,) = told(tmp_path / name, "p")[1]
        assert text.startswith(
            f"{said}. If these are the same cases, remove the copies with pandas (drop_duplicates)"
        )
        assert text.endswith("use cluster='patient'.")
        shown = " ".join(call("describe", name).stdout.split())
        assert said in shown
        assert ("--cluster patient." in shown, "cluster='patient'" in shown, "awk" in shown) == (
            True,
            False,
            True,
        )
    (tmp_path / "rows.csv").write_text("y,p\n" + "1,0.5\n0,0.25\n" * 40)
    assert told(tmp_path / "rows.csv", "p")[1] == []  # cases without ids may be equal by chance


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_scores_that_number_the_rows_are_told(ending, tmp_path):
    rows = [["y", "p", "n"], *([k % 2, 100 + k, k // 2] for k in range(20))]
    path = tmp_path / f"rows.{ending}"
    if ending == "xlsx":
        write_book(path, {"s": rows})
    else:
        path.write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    said = f"p in rows.{ending} has another whole number in each of 20 rows, as ids and ranks have."
    assert told(path, "y", "p", labels=["y"])[1] == [f"{said} Use another column if these are ids."]
    assert told(path, "n")[1] == told(path, "p", labels=["p"])[1] == []


def test_all_sheets_and_tables_are_described():
    for name, tables in (
        ("openpyxl-3.1.5-two-sheets.xlsx", ["cohort", "readme"]),
        ("pandas-3.1.1.sqlite", ["cohort", "pilot", "women", "loose"]),
    ):
        done = call("describe", name, "--json", "-")
        known = json.loads(done.stdout)
        assert [table["name"] for table in known["tables"]] == tables
        assert known["tables"][0]["summary"].startswith("true labels in outcome, p as the probability of yes")
        assert known["commands"][0]["command"].startswith(
            f"classay assess {name} --sheet cohort --truth outcome"
        )
        assert (known["columns"], known["tables"][0]["rows"]) == ([], 12)
        assert "The file has several tables. Use --sheet to name one." in call("assess", name).stdout
        one = json_of("describe", name, "--sheet", "cohort")
        assert (one["tables"], one["rows"]) == ([], 12)


def test_a_folder_of_workbooks_is_read_file_by_file(tmp_path):
    """Excel's lock on an open workbook is no file of rows; files of several kinds are refused."""
    for name in ("openpyxl-3.1.5-texts.xlsx", TITLED[0]):
        (tmp_path / name).write_bytes((DATA / name).read_bytes())
    (tmp_path / "~$texts.xlsx").write_bytes(b"\x05Ward")
    done = assessed(str(tmp_path), *HOW, "--score", "risk")
    assert (done.exit_code, "no: 14, yes: 8" in done.stdout) == (0, True), done.stderr
    (tmp_path / "rows.csv").write_text("sepsis,risk\nno,0.5\nyes,0.25\nyes,0.75\n")
    mixed = assessed(str(tmp_path), *HOW, "--score", "risk")
    assert (mixed.exit_code, "files of several kinds" in " ".join(mixed.stderr.split())) == (2, True)


def test_real_dates_and_dates_as_text_are_one_column(tmp_path):
    """Excel makes dates of those that its language knows, and leaves the others text."""
    from formats.test_workbooks import rows

    path = tmp_path / "rows.csv"
    lines = [
        f"{row['outcome']},{row['p']},{row['day'] if k % 2 else row['day'].strftime('%d.%m.%Y')}"
        for k, row in enumerate(rows())
    ]
    path.write_text("\n".join(["y,p,day", *lines]) + "\n")
    days = told(path, "day", layout=Layout(date_format="%d.%m.%Y"), labels=["day"])[0]["day"].to_pylist()
    assert days == [str(row["day"]) for row in rows()]


def test_points_beside_decimal_commas_are_described_as_thousands(tmp_path):
    lines = [
        "Kohorte;;;",
        "Nr;Diagnose;Risiko;Betrag",
        *(f"{k};{k % 2};0,3{k};2.4{k}" for k in range(10, 50)),
    ]
    (tmp_path / "rows.csv").write_text("\n".join(lines))
    done = call("describe", str(tmp_path / "rows.csv"), "--json", str(tmp_path / "d.json"))
    assert done.exit_code == 0, done.stderr
    assert "--decimal ',' is a guess." in done.stdout
    table = read_table(
        tmp_path / "rows.csv", ["Betrag"], layout=(Layout(decimal=",", header_line=2),), delimiter=";"
    )
    assert table["Betrag"].to_pylist() == [2400 + k for k in range(10, 50)]
    with pytest.raises(FileError, match=r"Betrag .* has numbers such as 1\.234, while other columns have"):
        read_table(tmp_path / "rows.csv", ["Betrag"], layout=(Layout(header_line=2),), delimiter=";")
