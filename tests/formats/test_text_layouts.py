"""Text that R, pandas and LibreOffice wrote in European spelling: read where it can mean one thing only."""

import datetime as dt
import gzip
import warnings
from pathlib import Path

import pytest

import classay as ca
from classay.errors import FileError, InputError
from classay.formats.layout import Layout
from classay.formats.samples import LEAST_TAIL, SIZE
from classay.sources.files import column_names, read_table
from command import call, json_of
from formats.test_workbooks import rows

DATA = Path(__file__).parents[1] / "outside" / "data"
DAY_FIRST = Layout(date_format="%d.%m.%Y")


def told(path, *columns, layout=None, **how):
    """The rows, and what was said of them."""
    path = path if isinstance(path, Path) else DATA / path
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = read_table(path, columns or None, layout=() if layout is None else (layout,), **how)
    texts = [str(warning.message).replace(str(path), path.name) for warning in caught]
    return table, texts


def written(folder, text, name="rows.csv"):
    (folder / name).write_text(text, newline="")
    return folder / name


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("r-4.2.2-write.csv.csv", {}),
        ("r-4.2.2-write.csv2.csv", {"delimiter": ";"}),
        ("r-4.2.2-write.csv2.csv", {"layout": Layout(decimal=",")}),
        ("r-4.2.2-write.csv2.csv", {"layout": Layout(decimal=","), "delimiter": ";"}),
        ("r-4.2.2-write.table.txt", {"format": "csv", "delimiter": " "}),
        ("r-4.2.2-write.table-tab.tsv", {}),
        ("libreoffice-7.4.7-german.csv", {"delimiter": ";", "layout": DAY_FIRST}),
        ("libreoffice-7.4.7-german-titled.csv", {"delimiter": ";", "layout": DAY_FIRST}),
        (
            "libreoffice-7.4.7-german-titled.csv",
            {"delimiter": ";", "layout": Layout(header_line=4, date_format="%d.%m.%Y")},
        ),
    ],
)
def test_every_writer_gives_the_same_rows(name, how):
    table, _ = told(name, "id", "outcome", "p", "day", "flag", **how)
    read = table.to_pylist()
    days = [row.pop("day") for row in read]
    expected = [*rows()]
    assert [day.date() if isinstance(day, dt.datetime) else day for day in days] == [
        row["day"] for row in expected
    ]
    assert read == [{name: row[name] for name in ("id", "outcome", "p", "flag")} for row in expected]


def test_words_for_missing_values_are_missing_in_labels_and_numbers():
    table, texts = told(
        "pandas-3.1.1-european.csv",
        labels=["outcome"],
        layout=Layout(decimal=",", na="unknown,k.A.", date_format="%d.%m.%Y"),
    )
    assert (table["outcome"].null_count, table["p"].null_count, texts) == (1, 1, [])
    assert table["cost"].to_pylist()[:2] == [1234.5, 1235.5]
    assert {text for text in table["outcome"].to_pylist() if text} == {"yes", "no"}


def test_quoted_words_for_missing_values(tmp_path):
    """R quotes each text, so that a quoted word is missing where it is named."""
    path = written(tmp_path, '"y";"p"\n"yes";"k.A."\n"k.A.";"0,5"\n"no";"0,25"\n')
    table, _ = told(path, labels=["y"], delimiter=";", layout=Layout(decimal=",", na="k.A."))
    assert table.to_pylist() == [{"y": "yes", "p": None}, {"y": None, "p": 0.5}, {"y": "no", "p": 0.25}]
    path = written(tmp_path, "y,p\nyes,-9\nno,0.5\n")
    assert told(path, layout=Layout(na="-9"))[0]["p"].to_pylist() == [None, 0.5]


def test_decimal_commas_are_told_where_no_option_names_them():
    table, texts = told("r-4.2.2-write.csv2.csv", "p", delimiter=";")
    assert str(table["p"].type) == "double"
    assert texts == [
        "p in r-4.2.2-write.csv2.csv is read as numbers with decimal commas, such as '0,05' for 0.05."
    ]
    assert told("r-4.2.2-write.csv2.csv", "p", layout=Layout(decimal=","))[1] == []


def test_commas_that_may_separate_thousands_are_asked_and_not_guessed(tmp_path):
    path = written(tmp_path, "y;p\n0;1,100\n1;2,800\n1;\n")
    assert str(told(path, "p", delimiter=";")[0]["p"].type).startswith("dictionary")
    assert told(path, "p", delimiter=";", layout=Layout(decimal=","))[0]["p"].to_pylist() == [1.1, 2.8, None]
    done = call("assess", str(path), "--delimiter", ";", "--truth", "y", "--score", "p")
    assert "Use a decimal point and no thousands separators, or --decimal ','" in done.stderr


def test_points_separate_thousands_beside_a_decimal_comma(tmp_path):
    path = written(tmp_path, "y;p\n0;1.234,5\n1;2.800\n1;7\n")
    assert told(path, "p", layout=Layout(decimal=","))[0]["p"].to_pylist() == [1234.5, 2800, 7]
    path = written(tmp_path, "y;p\n0;0.5\n1;0,25\n")
    assert not told(path, "p", layout=Layout(decimal=","))[0]["p"].type.equals("double")


def test_labels_with_commas_stay_labels(tmp_path):
    path = written(tmp_path, "y;p\n1,5;0,5\n2,5;0,25\n")
    assert told(path, labels=["y"], delimiter=";")[0]["y"].to_pylist() == ["1,5", "2,5"]
    path = written(tmp_path, 'codes,p\n"1,2",0.5\n"3,4",0.25\n')
    assert told(path)[0]["codes"].to_pylist() == ["1,2", "3,4"]


@pytest.mark.parametrize("texts", [("12,5 %", "3 %"), ("12.5%", "3%"), (" 12,5%", "3 %")])
def test_percentages_are_shares_and_told(texts, tmp_path):
    path = written(tmp_path, f"y;p\n0;{texts[0]}\n1;{texts[1]}\n")
    table, said = told(path, "p", delimiter=";")
    assert table["p"].to_pylist() == [0.125, 0.03]
    assert said == [f"p in rows.csv is read as percentages, such as {texts[0].strip()!r} for 0.125."]


def test_libreoffice_shows_the_percentages_of_an_american_cell_with_a_point_in_german():
    table, said = told("libreoffice-7.4.7-german.csv", "p", delimiter=";")
    assert table["p"].to_pylist()[:2] == [0.05, 0.4]
    assert said == ["p in libreoffice-7.4.7-german.csv is read as percentages, such as '5.0%' for 0.05."]


def test_percentages_of_two_spellings_stay_text(tmp_path):
    path = written(tmp_path, "y;p\n0;12,5 %\n1;3.5 %\n")
    assert not told(path, "p", delimiter=";")[0]["p"].type.equals("double")


def test_lines_above_the_header_are_found_and_told():
    name = "libreoffice-7.4.7-german-titled.csv"
    assert (
        f"Line 4 of {name} is read as the header. Use header_line= to name another line."
        in told(name, delimiter=";")[1]
    )
    assert not [text for text in told(name, delimiter=";", layout=Layout(header_line=4))[1] if "Line" in text]
    assert [column for column, _ in column_names(DATA / name, delimiter=";")][:2] == ["id", "outcome"]


def test_all_obstacles_of_a_titled_file_are_named_at_once(tmp_path):
    text = "Cohort, ward 3\n\nid;y;p\n1;0;0,5\n2;1;0,75\n3;1;0,25\n"
    what = r"3 obstacles: the delimiter ';', a header on line 3, decimal commas \('0,5'\)\. "
    with pytest.raises(FileError, match=what + r"Read it with delimiter=';', header_line=3, decimal=','"):
        told(written(tmp_path, text))
    done = call("assess", str(tmp_path / "rows.csv"), "--truth", "y", "--score", "p")
    line = "--delimiter ';' --header-line 3 --decimal ,"
    assert done.stderr.endswith(f"Read it with: classay assess FILE {line}\n")
    done = call(
        "assess", str(tmp_path / "rows.csv"), *line.replace("'", "").split(), "--truth", "y", "--score", "p"
    )
    assert (done.exit_code, done.stderr) == (0, "")


def test_a_broken_row_is_no_layout(tmp_path):
    """Rows of other widths are refused as before: one cell more in each row is no row name."""
    for text in ("y,p\n0,0,1\n1,0,8\n", "y,p\n0,0,1\n1,0,8\n0,0,2\n1,0,5\n", "y,p\n0,0.1\n1\n1,0.5\n0,0.3\n"):
        with pytest.raises(FileError, match="but the header has 2"):
            told(written(tmp_path, text))
    with pytest.raises(FileError, match="2 obstacles: the delimiter ';', decimal commas"):
        told(written(tmp_path, "y;p\n0;0,1\n1;0,8\n1;0,9\n0;0,4\n"))


def test_row_names_of_r_get_a_name():
    table, texts = told("r-4.2.2-write.table.txt", format="csv", delimiter=" ")
    assert table["row.names"].to_pylist() == [*range(1, 13)]
    assert "one name less than its rows have cells" in texts[0]


def test_days_first_need_their_format():
    name = "pandas-3.1.1-european.csv"
    table, _ = told(name, "day", delimiter=";")
    assert table["day"].to_pylist()[0] == "03.04.2025"
    table, _ = told(name, "day", delimiter=";", layout=DAY_FIRST)
    assert table["day"].to_pylist()[0] == dt.datetime(2025, 4, 3)
    table, _ = told(name, "day", labels=["day"], delimiter=";", layout=DAY_FIRST)
    assert table["day"].to_pylist()[0] == "2025-04-03"


def test_a_format_of_dates_that_fits_nothing_is_told():
    _, texts = told("pandas-3.1.1-european.csv", "day", layout=Layout(decimal=",", date_format="%Y/%m/%d"))
    assert texts == ["date_format= fits no column of pandas-3.1.1-european.csv."]
    day_first = Layout(decimal=",", na="k.A.", date_format="%d.%m.%Y")
    assert not told("pandas-3.1.1-european.csv", "p", layout=day_first)[1]


def test_options_that_do_not_fit_are_refused(tmp_path):
    path = written(tmp_path, "y,p\n0,0.5\n")
    for layout, match in (
        (Layout(decimal="x"), "decimal= must be ',' or '.', but is 'x'"),
        (Layout(decimal=","), "has no delimiter other than the decimal comma"),
        (Layout(date_format="day"), "date_format= must be a pattern such as %d.%m.%Y"),
        (Layout(header_line=9), "has no line 9"),
        (Layout(header_line=3), "has nothing from line 3 on"),
    ):
        with pytest.raises(InputError, match=match):
            told(path, layout=layout)


EUROPEAN = ("pandas-3.1.1-european.csv", "--decimal", ",", "--na", "unknown,k.A.")


def test_a_european_file_of_a_clinician_in_one_command(monkeypatch):
    monkeypatch.chdir(DATA)
    columns = ("--truth", "outcome", "--score", "p", "--positive", "yes")
    left_out = ("--missing", "drop", "--unanswered", "drop")
    days = ("--time", "day", "--per", "week", "--date-format", "%d.%m.%Y")
    done = call("assess", *EUROPEAN, *days, *columns, *left_out)
    assert (done.exit_code, done.stderr) == (0, "")
    same = [row for k, row in enumerate(rows()) if k != 2 and row["p"] is not None]
    auc = ca.assess([row["outcome"] for row in same], [row["p"] for row in same], positive="yes")
    assert f"{auc['roc_auc'].value:.3f}" in done.stdout
    done = call("assess", *EUROPEAN, "--time", "day", "--per", "week", *columns, *left_out)
    assert "'03.04.2025' is not a date" in done.stderr
    assert "--date-format %d.%m.%Y" in done.stderr


def test_the_line_that_lists_columns_keeps_the_options(monkeypatch):
    monkeypatch.chdir(DATA)
    done = call("assess", *EUROPEAN)
    assert (
        "pandas-3.1.1-european.csv --decimal , --na unknown,k.A. --delimiter ';' --truth outcome"
        in done.stdout
    )


PLAIN = [["id", "y", "p"], *([f"P{k}", "ja" if k % 3 else "nein", f"0,{k + 10}"] for k in range(30))]
TOTAL = ["Summe", "", "7,3"]


@pytest.mark.parametrize(("delimiter", "n_titles", "n_empty"), [(";", 0, 2), ("\t", 1, 0), (";", 3, 1)])
def test_titles_totals_and_empty_rows_are_the_same_with_the_empty_cells_of_a_spreadsheet(
    delimiter, n_titles, n_empty, tmp_path
):
    """A spreadsheet writes as many cells in each row: the table is that of the rows alone, at every interface."""

    def text(rows, *, is_filled_up):
        width = 3 if is_filled_up else 1
        return "".join(delimiter.join(row + [""] * (width - len(row))) + "\n" for row in rows)

    above = [*([f"Title {k}"] for k in range(n_titles)), *([[""]] * bool(n_titles))]
    rows = [*above, *PLAIN, TOTAL, *([[""]] * n_empty)]
    name = "rows.csv" if delimiter == ";" else "rows.tsv"
    plain = told(written(tmp_path, text(PLAIN, is_filled_up=False), name), delimiter=delimiter)[0]
    how = {"truth": "y", "score": "p", "positive": "ja", "delimiter": delimiter, "decimal": ","}
    auc = ca.scan(str(tmp_path / name), **how)["roc_auc"].value
    for is_filled_up in (False, True):
        path = written(tmp_path, text(rows, is_filled_up=is_filled_up), name)
        table, texts = told(path, delimiter=delimiter)
        assert table == plain
        line = n_titles + 2
        assert any("skipped as a total" in text for text in texts)
        assert any(
            f"Line {line} of {name} is read as the header. Use header_line=" in text for text in texts
        ) == (n_titles > 0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert ca.scan(str(path), **how)["roc_auc"].value == auc
            described = json_of("describe", str(path))
            arguments = described["commands"][0]["arguments"][1:]
            assessed = json_of(*arguments)
        assert (described["rows"], "--header-line" in arguments) == (30, n_titles > 0)
        assert assessed["measures"]["roc_auc"]["value"] == auc
    if delimiter == ";":
        done = call("assess", str(path), "--truth", "y", "--score", "p")
        assert ("--header-line" in done.stderr, "--delimiter ';'" in done.stderr) == (n_titles > 0, True)


def test_names_of_some_columns_are_no_title(tmp_path):
    """A first row that names one column is no title where numbers stand below it."""
    table, _ = told(written(tmp_path, "p,,\n0.5,1,2\n0.25,3,4\n0.125,5,6\n0.75,7,8\n"), "p")
    assert table["p"].to_pylist() == [0.5, 0.25, 0.125, 0.75]


@pytest.mark.parametrize("name", ["rows.csv", "rows.csv.gz"])
def test_totals_of_a_long_file_are_left_out_whether_it_is_compressed_or_not(name, tmp_path):
    """Longer than what is looked at first, so that the last rows are found by their place in the unpacked text."""
    rows = [f"P{k};{'ja' if k % 3 else 'nein'};0,{k % 90 + 10}" for k in range(6000)]
    text = "\n".join(["id;y;p", *rows, "Summe;;3270,5", ";;", ""]).encode()
    assert len(text) > SIZE + LEAST_TAIL
    path = tmp_path / name
    path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    table, texts = told(path, "id", "p", delimiter=";")
    assert table["id"].to_pylist() == [f"P{k}" for k in range(6000)]
    assert any("skipped as a total" in text for text in texts)
