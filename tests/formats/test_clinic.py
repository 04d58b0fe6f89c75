"""A sepsis cohort as LibreOffice, pandas and R write it: one command from each file to its AUC."""

import csv
import warnings
from pathlib import Path

import pytest

import classay as ca
from classay.errors import FileError, InputError
from classay.formats.layout import Layout
from classay.sources.files import column_names
from command import call
from formats.in_sweeps import write_book
from formats.test_text_layouts import DATA, told, written

SEPSIS = "libreoffice-7.4.7-sepsis.csv"
COLUMNS = ("--truth", "sepsis", "--positive", "yes", "--missing", "drop")
NA = Layout(na="unknown")
GERMAN = Layout(na="unknown", decimal=",")


def cohort():
    """The rows that the script wrote, without the patient whose label is unknown."""
    labels = ["unknown" if k == 5 else "yes" if k % 3 == 0 else "no" for k in range(24)]
    risks = [round(0.055 + 0.07 * ((k * 5) % 13), 3) for k in range(24)]
    return [(label, risk) for label, risk in zip(labels, risks, strict=True) if label != "unknown"]


def auc():
    labels, risks = zip(*cohort(), strict=True)
    return f"{ca.assess(labels, risks, positive='yes')['roc_auc'].value:.3f}"


def assessed(*arguments):
    """What the command prints and says; what it guesses is no error here."""
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        return call("assess", *arguments)


@pytest.fixture
def folder(monkeypatch):
    monkeypatch.chdir(DATA)


def test_all_obstacles_are_named_at_once_and_the_line_reads_the_file(folder):
    done = assessed(SEPSIS, *COLUMNS, "--score", "risk")
    assert done.exit_code == 2
    assert (
        "has 4 obstacles: the delimiter ';', decimal commas ('5,5%'), 'unknown' for missing values, dates such as "
        "'01.01.2025'. Read it with: "
    ) in done.stderr
    line = done.stderr.rpartition("Read it with: classay assess ")[2].replace("'", "").split()
    done = assessed(*line, *COLUMNS, "--score", "risk", "--time", "admission", "--per", "week")
    assert (done.exit_code, auc() in done.stdout) == (0, True)
    assert done.stderr == f"classay: risk in {SEPSIS} is read as percentages, such as '5,5%' for 0.055.\n"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        (SEPSIS, ("--delimiter", ";")),
        (SEPSIS, ("--decimal", ",")),
        (SEPSIS, ("--decimal", ",", "--memory", "9")),
        ("libreoffice-7.4.7-unicode.txt", ()),
        ("libreoffice-7.4.7-unicode.txt", ("--memory", "9")),
        ("libreoffice-7.4.7-swiss.csv", ("--delimiter", ";")),
        ("libreoffice-7.4.7-french.csv", ("--delimiter", ";")),
        ("libreoffice-7.4.7-total.csv", ("--delimiter", ";")),
        ("libreoffice-7.4.7-total.csv", ("--decimal", ",", "--memory", "9")),
        ("libreoffice-7.4.7-heads.csv", ("--delimiter", ";")),
        ("libreoffice-7.4.7-heads.csv", ("--delimiter", ";", "--memory", "9")),
        ("libreoffice-7.4.7-heads.csv", ("--delimiter", ";", "--header-line", "2")),
        ("pandas-3.1.1-utf-16.txt", ()),
        ("pandas-3.1.1-utf-16.txt", ("--memory", "9", "--decimal", ",")),
        ("pandas-3.1.1-two-heads.csv", ()),
        ("pandas-3.1.1-two-heads.csv", ("--memory", "9")),
        ("pandas-3.1.1-two-heads-index.csv", ()),
    ],
)
def test_one_command_gives_the_auc(name, options, folder):
    done = assessed(name, "--na", "unknown", *options, *COLUMNS, "--score", "risk")
    assert (done.exit_code, auc() in done.stdout) == (0, True), done.stderr
    assert "no: 15, yes: 8" in done.stdout


@pytest.mark.parametrize(
    ("language", "shown"),
    [("sepsis", "1.234,50"), ("swiss", "1'234.50"), ("french", "1 234,50")],
)
def test_thousands_are_separated_by_points_apostrophes_and_spaces_that_do_not_break(language, shown):
    name = f"libreoffice-7.4.7-{language}.csv"
    table, texts = told(name, "cost", delimiter=";")
    assert table["cost"].to_pylist() == [1234.5 + 250 * k for k in range(24)]
    assert repr(shown) in texts[0]
    content = (DATA / name).read_text()
    assert ("1\u00a0234,50" in content) == (language == "french")


def test_utf_16_is_read_by_its_byte_order_mark_and_refused_without():
    """LibreOffice, pandas and R write the mark for UTF-16; R writes none for UTF-16LE."""
    table, _ = told("r-4.2.2-utf-16.csv", layout=Layout(decimal=","))
    assert table.column_names == ["id", "outcome", "p"]
    assert table.num_rows == 12
    with pytest.raises(FileError, match="Save UTF-16 text as UTF-8"):
        told("r-4.2.2-utf-16le.csv", layout=Layout(decimal=","))
    assert [name for name, _ in column_names(DATA / "libreoffice-7.4.7-unicode.txt")][:2] == [
        "patient",
        "sepsis",
    ]


def test_a_truncated_file_in_utf_16_is_one_line(tmp_path):
    (tmp_path / "cut.txt").write_bytes((DATA / "libreoffice-7.4.7-unicode.txt").read_bytes()[:-1])
    with pytest.raises(FileError):
        told(tmp_path / "cut.txt", format="tsv")


def test_totals_are_no_cases_and_told():
    table, texts = told("libreoffice-7.4.7-total.csv", "patient", "crp", delimiter=";", layout=GERMAN)
    assert table.num_rows == 24
    assert texts == [
        "The last 2 rows of libreoffice-7.4.7-total.csv ('Summe', 'n = 24') are skipped as totals."
    ]
    table, texts = told("pandas-3.1.1-margins.csv", "ward", "yes")
    assert (table["ward"].to_pylist(), "('All')" in texts[0]) == ([f"ward {k}" for k in range(4)], True)
    table, texts = told("r-4.2.2-addmargins.csv", "no", delimiter=";")
    assert (table["no"].to_pylist(), "('Sum')" in texts[0]) == ([4, 4], True)


def test_a_label_that_is_called_like_a_total_stays_a_case(tmp_path):
    """ALL is a leukemia: a word that occurs in other rows too, or that sums nothing up, is no total."""
    path = written(tmp_path, "y,p\nAML,0.25\nALL,0.5\nAML,0.125\nALL,0.75\n")
    assert told(path)[0].num_rows == 4
    path = written(tmp_path, "y,p\nAML,0.25\nAML,0.5\nAML,0.125\nALL,0.75\n")
    table, texts = told(path)
    assert table.num_rows == 4
    assert texts == [
        "A last row of rows.csv begins with 'ALL', and is read as a case. Remove it if it is a total."
    ]


def test_a_total_below_more_rows_than_are_looked_at_is_found(tmp_path):
    lines = "".join(f"{k};yes;0,25\n" for k in range(9000)) + "Total;;0,25\n"
    table, texts = told(written(tmp_path, f"id;y;p\n{lines}"), delimiter=";", layout=Layout(decimal=","))
    assert (table.num_rows, table["id"].to_pylist()[-1]) == (9000, 8999)
    assert "('Total')" in texts[0]


def test_two_rows_of_names_are_told_and_the_second_is_used():
    for name in ("libreoffice-7.4.7-heads.csv", "pandas-3.1.1-two-heads.csv"):
        table, texts = told(name, "patient", "risk", delimiter=";" if "office" in name else ",")
        assert table.num_rows == 24
        assert f"{name} has 2 rows of names. The columns are read as patient, sepsis, risk" in texts[0]


def test_names_of_pandas_are_joined_where_the_second_row_repeats_them():
    """`agg` writes three rows of names, of which the third has the name of the index alone."""
    table, texts = told("pandas-3.1.1-agg.csv")
    assert table.column_names == ["sepsis", "risk_mean", "risk_count", "crp_mean", "crp_count"]
    assert table["sepsis"].to_pylist() == ["no", "unknown", "yes"]
    assert "3 rows of names" in texts[0]


def test_units_are_skipped_and_told_and_numbers_stay_as_they_are():
    table, texts = told("libreoffice-7.4.7-heads.csv", "risk", delimiter=";")
    assert table["risk"].to_pylist()[:2] == [5.5, 40.5]
    assert texts[1] == (
        "Line 3 of libreoffice-7.4.7-heads.csv is skipped as units: risk in %, crp in mg/l and cost in EUR. The "
        "numbers are not converted."
    )


@pytest.mark.parametrize(
    "second",
    ["P1;x;unknown;0,5", "P1;;%;0,5", ";;Fieber;0,5", "P0;yes;%;mg/l"],
)
def test_a_row_that_may_be_a_case_is_no_row_of_units(second, tmp_path):
    rows = "".join(f"P{k};no;0,{k}5;0,5\n" for k in range(2, 9))
    table, texts = told(written(tmp_path, f"id;y;p;q\n{second}\n{rows}"), "id", delimiter=";")
    assert table.num_rows == 8
    assert not texts


def test_one_row_of_names_stays_one(tmp_path):
    """Names that are blank or repeated are no groups where the row below them has numbers or words for missing."""
    for text in ("y,p,p\n0,0.5,1\n1,0.25,2\n0,0.5,1\n1,0.5,2\n", "y,,p\na,NA,NA\nb,c,1\na,c,2\nb,d,1\n"):
        assert told(written(tmp_path, text), "y")[0].num_rows == 4


def test_points_beside_decimal_commas_are_asked(tmp_path):
    """Arrow reads 1.234 as a number slightly above one, without a word."""
    path = written(tmp_path, "y;p;w\n0;0,5;1.234\n1;0,25;2.500\n1;0,75;1.100\n0;0,1;3.000\n")
    with pytest.raises(
        FileError, match=r"w in .* has numbers such as 1\.234, while other columns have decimal commas"
    ):
        told(path, "p", "w", delimiter=";")
    table, _ = told(path, "p", "w", layout=Layout(decimal=","))
    assert table["w"].to_pylist() == [1234, 2500, 1100, 3000]
    assert told(path, "w", layout=Layout(decimal="."), delimiter=";")[0]["w"].to_pylist()[0] == 1.234


def test_points_in_some_numbers_only_are_asked(tmp_path):
    """2.106 and 993 in a file with semicolons: three decimals would be in every number."""
    path = written(tmp_path, "y;p;w\n0;0.125;2.106\n1;0.25;1.650\n1;0.5;993\n0;1;1.001\n")
    with pytest.raises(FileError, match=r"w in .* has both numbers such as 1\.234 and whole numbers"):
        told(path, "w", delimiter=";")
    assert told(path, "w", layout=Layout(decimal=","))[0]["w"].to_pylist() == [2106, 1650, 993, 1001]
    assert told(path, "w", layout=Layout(decimal="."), delimiter=";")[0]["w"].to_pylist()[0] == 2.106
    assert told(path, "p", delimiter=";")[0]["p"].to_pylist() == [0.125, 0.25, 0.5, 1.0]


def test_a_word_for_missing_values_among_labels_is_told():
    _, texts = told(SEPSIS, "sepsis", labels=["sepsis"], delimiter=";")
    assert texts == [
        f"sepsis in {SEPSIS} has 'unknown' as a label. Use na='unknown' if it means a missing value."
    ]
    assert not told(SEPSIS, "sepsis", labels=["sepsis"], delimiter=";", layout=NA)[1]


def test_a_word_among_numbers_names_its_option(tmp_path):
    path = written(tmp_path, "y;p\n0;0,5\n1;entfällt\n1;0,75\n1;0,9\n0;entfällt\n0;0,1\n")
    _, texts = told(path, "p", delimiter=";")
    assert texts == [
        "p in rows.csv has 2 obstacles: decimal commas ('0,5'), 'entfällt' for missing values. Read it with "
        "delimiter=';', decimal=',', na='entfällt'"
    ]


@pytest.mark.parametrize(("day", "options"), [("25.04.2025", 1), ("03.04.2025", 2)])
def test_a_date_of_two_meanings_is_asked(day, options, tmp_path):
    path = written(tmp_path, f"y;p;day\n0;0,5;{day}\n1;0,25;{day}\n1;0,75;{day}\n")
    done = assessed(str(path), "--truth", "y", "--score", "p", "--time", "day", "--decimal", ",")
    assert done.exit_code == 2
    assert ("or %m.%d.%Y" in done.stderr) == (options == 2)
    assert "--date-format %d.%m.%Y" in done.stderr


TITLED = "Cohort\n\nexported today\n\nid;y;p\n1;0;0.5\n\n2;1;0.75\n3;1;x\n"


@pytest.mark.parametrize("options", [(), ("--header-line", "5"), ("--memory", "9")])
def test_rows_are_named_by_their_lines(options, tmp_path):
    path = written(tmp_path, TITLED)
    done = assessed(str(path), "--delimiter", ";", "--truth", "y", "--score", "p", *options)
    assert done.exit_code == 2
    assert "line 9 is 'x'" in done.stderr


@pytest.mark.filterwarnings("ignore")
def test_rows_of_parts_are_named_by_their_lines_in_python_too(tmp_path, monkeypatch):
    monkeypatch.setattr("classay.in_parts.text_parts.BYTES", 40)
    with pytest.raises(InputError, match="line 9 is 'x'"):
        ca.scan(str(written(tmp_path, TITLED)), truth="y", score="p", delimiter=";")


@pytest.mark.parametrize("options", [(), ("--memory", "9")])
def test_ragged_rows_are_named_by_their_lines(options, tmp_path):
    path = written(tmp_path, TITLED.replace("3;1;x", "3;1"))
    done = assessed(
        str(path), "--delimiter", ";", "--truth", "y", "--score", "p", "--header-line", "5", *options
    )
    assert "Line 9 of " in done.stderr


def test_true_labels_that_differ_are_named_by_their_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "y,p\n\n0,0.5\n1,0.25\n1,0.75\n0,0.1\n", "a.csv")
    written(tmp_path, "y,p\n\n0,0.5\n0,0.25\n1,0.75\n0,0.1\n", "b.csv")
    done = call("compare", "a.csv", "b.csv", "--truth", "y", "--score", "p")
    assert "the first at line 4 of" in done.stderr


def test_a_folder_of_european_files_is_read_by_its_options(tmp_path):
    rows = [*csv.reader((DATA / SEPSIS).read_text().splitlines(), delimiter=";")]
    for k in range(2):
        with (tmp_path / f"{k}.csv").open("w", newline="") as file:
            csv.writer(file, delimiter=";").writerows([rows[0], *rows[1 + 12 * k : 13 + 12 * k]])
    done = assessed(str(tmp_path), "--delimiter", ";", "--na", "unknown", *COLUMNS, "--score", "risk")
    assert (done.exit_code, auc() in done.stdout) == (0, True), done.stderr
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        how = {"positive": "yes", "missing": "drop", "decimal": ",", "na": "unknown"}
        a = ca.scan(str(tmp_path), truth="sepsis", score="risk", **how)
    assert f"{a['roc_auc'].value:.3f}" == auc()


@pytest.mark.filterwarnings("ignore")
def test_parts_of_other_spellings_than_the_first_rows_are_refused(tmp_path):
    """Rows in percent and rows in shares are never counted together."""
    for later in ("0.5", "12.5 %"):
        first = "12,5 %" if later != "0.5" else "50 %"
        rows = "".join(f"{k % 2};{first}\n" for k in range(8000)) + "".join(
            f"{k % 2};{later}\n" for k in range(900)
        )
        path = written(tmp_path, f"y;p\n{rows}")
        with pytest.raises(InputError, match="not numeric"):
            ca.scan(str(path), truth="y", score="p", delimiter=";")


def test_a_pipe_that_is_read_once_takes_no_layout(tmp_path):
    import os
    import threading

    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    threading.Thread(target=lambda: Path(path).write_text("y,p\n0,0.5\n1,0.75\n"), daemon=True).start()
    with pytest.raises(InputError, match="Save it as a file first"):
        ca.scan(str(path), truth="y", score="p", na="unknown")


def test_totals_and_units_of_a_sheet_are_no_cases(tmp_path):
    rows = [["id", "y", "p"], ["", "", "%"], *([f"P{k}", "no", 0.5] for k in range(5)), ["Total", "", 2.5]]
    write_book(tmp_path / "rows.xlsx", {"rows": rows})
    table, texts = told(tmp_path / "rows.xlsx", "p")
    assert table["p"].to_pylist() == [0.5] * 5
    assert texts == [
        "The first row of sheet 'rows' of rows.xlsx is skipped as units: p in %. The numbers are not converted.",
        "The last row of sheet 'rows' of rows.xlsx ('Total') is skipped as a total.",
    ]


def test_a_second_pass_reads_the_same_sheet(tmp_path):
    rows = [["y", "p"], *([k % 3 % 2, (k * 7919 % 10007) / 10007] for k in range(9000))]
    write_book(tmp_path / "rows.xlsx", {"rows": rows, "notes": [["none"]]})
    how = {"truth": "y", "score": "p", "sheet": "rows"}
    once = ca.scan(str(tmp_path / "rows.xlsx"), bits=2, **how)
    twice = ca.refine(once, str(tmp_path / "rows.xlsx"), **how)
    assert twice["roc_auc"].certain[1] - twice["roc_auc"].certain[0] < 1e-4
    with pytest.raises(InputError, match="has 2 sheets"):
        ca.refine(once, str(tmp_path / "rows.xlsx"), truth="y", score="p")


def test_decimal_commas_in_quotes_beside_commas(tmp_path):
    path = written(tmp_path, 'y,p\n0,"0,5"\n1,"0,25"\n1,"1"\n')
    assert told(path, "p", layout=Layout(decimal=","))[0]["p"].to_pylist() == [0.5, 0.25, 1]


def test_a_dash_among_numbers_names_its_option(tmp_path):
    _, texts = told(written(tmp_path, "y,p\n0,0.5\n1,-\n1,0.75\n"), "p")
    assert texts == ["p in rows.csv has an obstacle: '-' for missing values. Read it with na='-'"]


@pytest.mark.parametrize(
    ("day", "also"), [("25.04.2025", ""), ("03.04.2025", ", which may also be %m.%d.%Y")]
)
def test_an_obstacle_of_dates_names_both_meanings(day, also, tmp_path):
    path = written(tmp_path, f"y;day\n0;{day}\n1;{day}\n1;{day}\n")
    with pytest.raises(FileError) as raised:
        told(path, "y")
    assert f"2 obstacles: the delimiter ';', dates such as '{day}'{also}. Read it with" in str(raised.value)
    assert str(raised.value).endswith("date_format='%d.%m.%Y'")
