"""Files of SPSS, Stata and SAS that real programs wrote: labels as people see them, and declared missing values."""

import datetime as dt
import warnings
from pathlib import Path

import numpy as np
import pytest

import classay as ca
from classay.errors import FileError, MissingExtraError
from classay.formats import statistics
from classay.formats.containers import refuse_bomb
from classay.formats.layout import Layout
from classay.sources.files import column_names, read_table
from classay.sources.inputs import find_input
from command import call
from formats.test_workbooks import rows

pytest.importorskip("pyreadstat")
DATA = Path(__file__).parents[1] / "outside" / "data"
LABELED = ["pandas-3.1.1.dta", "pyreadstat-1.3.7.dta", "pyreadstat-1.3.7.sav", "pyreadstat-1.3.7.zsav"]
OF_SAS = ["pyreadstat-1.3.7-version-5.xpt", "pyreadstat-1.3.7-version-8.xpt"]
pytestmark = pytest.mark.filterwarnings("ignore:Value labels:UserWarning", "ignore:User-missing:UserWarning")


def expected(**more):
    """The rows that tests/outside/make/statistics.sh writes: those of the workbooks, with one more missing score."""
    for k, row in enumerate(rows()):
        sex = ("female", "male")[k % 2]
        yield (
            row
            | {"sex": sex, "p": None if k == 4 else row["p"]}
            | {name: values[k] for name, values in more.items()}
        )


NAMES = ["id", "outcome", "p", "day", "seen", "sex"]


@pytest.mark.parametrize("name", LABELED)
def test_every_writer_gives_the_same_rows(name):
    """pandas codes categories 0 and 1 in alphabetical order, SPSS users 1 and 2: labels are what both mean."""
    table = read_table(DATA / name, NAMES)
    assert table.to_pylist() == [{name: row[name] for name in NAMES} for row in expected()]


@pytest.mark.parametrize("name", OF_SAS)
def test_transport_files_hold_codes_and_no_labels(name):
    table = read_table(DATA / name, NAMES)
    codes = {"yes": 1, "no": 0, "female": 1, "male": 2}
    assert table.to_pylist() == [
        {column: codes.get(row[column], row[column]) for column in NAMES} for row in expected()
    ]


def test_a_name_of_more_than_eight_letters_is_in_version_8():
    assert "a_name_longer_than_eight" in dict(column_names(DATA / OF_SAS[1]))


@pytest.mark.parametrize("name", LABELED)
def test_the_answer_is_that_of_the_same_rows_as_columns(name):
    table = read_table(DATA / name, ["outcome", "p"], labels=["outcome"])
    same = [*expected()]
    truth, score = ([row[column] for row in same] for column in ("outcome", "p"))
    read, plain = (
        ca.assess(y, p, positive="yes", unanswered="drop")
        for y, p in ((table["outcome"], table["p"]), (truth, score))
    )
    assert read.estimate("roc_auc") == plain.estimate("roc_auc")


def told(name, *columns, labels=(), layout=()):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = read_table(DATA / name, columns or None, labels=labels, layout=layout)
    return table, [str(warning.message).replace(str(DATA), "DATA") for warning in caught]


@pytest.mark.parametrize("name", ["pyreadstat-1.3.7.sav", "pyreadstat-1.3.7.zsav"])
def test_user_missing_values_are_missing_and_counted_with_their_labels(name):
    """A single value, a range, and a text; the value label that only a missing value has makes no labels."""
    table, texts = told(name, "p", "age", "ward")
    assert texts == [
        f"User-missing values of p in DATA/{name} are read as missing: -9 (not measured): 1.",
        f"User-missing values of age in DATA/{name} are read as missing: 999: 2.",
        f"User-missing values of ward in DATA/{name} are read as missing: XX: 1.",
    ]
    assert [table[column].null_count for column in ("p", "age", "ward")] == [2, 2, 1]
    assert (str(table["p"].type), str(table["age"].type)) == ("double", "int64")


@pytest.mark.parametrize("name", ["pspp-1.6.2.sav", "pspp-1.6.2.zsav"])
def test_pspp_writes_what_spss_means(name):
    table, texts = told(name)
    assert table.to_pylist()[4:] == [
        {"id": 105, "outcome": "no", "sex": "female", "p": None, "ward": "A", "day": dt.date(2025, 4, 7)},
        {"id": 106, "outcome": "no", "sex": "male", "p": None, "ward": None, "day": dt.date(2025, 4, 8)},
    ]
    assert f"Value labels of outcome in DATA/{name} are used as labels: 0 = no and 1 = yes." in texts


def test_letters_of_stata_are_missing_and_counted():
    table, texts = told("pyreadstat-1.3.7.dta", "age")
    assert table["age"].to_pylist()[:4] == [40, 41, None, None]
    assert texts == ["User-missing values of age in DATA/pyreadstat-1.3.7.dta are read as missing: a: 2."]


def test_a_factor_of_r_is_its_labels_and_a_date_of_r_a_number():
    """foreign::write.dta codes factors from 1 in alphabetical order, and writes dates as days since 1960-01-01."""
    table, _ = told("r-4.2.2-foreign-0.8.84.dta")
    assert table["outcome"].to_pylist() == ["yes", "no", "no", "yes", "no", "no"]
    assert dt.date(1960, 1, 1) + dt.timedelta(days=table["day"][0].as_py()) == dt.date(2025, 4, 3)
    assert table["flag"].to_pylist() == [1, 0, None, 1, 0, 1]


def test_a_column_asked_for_as_a_number_keeps_its_codes():
    table, texts = told("pyreadstat-1.3.7.sav", "outcome", "sex", labels=["outcome"])
    assert table["sex"].to_pylist() == [1, 2] * 6
    assert len(texts) == 1


def test_value_labels_of_some_values_make_no_labels(tmp_path):
    rs, pd = pytest.importorskip("pyreadstat"), pytest.importorskip("pandas")
    frame = pd.DataFrame({"pain": [1.0, 2.0, 3.0]})
    labels = {"pain": {1.0: "none", 3.0: "worst"}}
    rs.write_sav(frame, tmp_path / "pain.sav", variable_value_labels=labels)
    with pytest.warns(UserWarning, match="has value labels for 2 of 3 values. Its values are used"):
        assert read_table(tmp_path / "pain.sav")["pain"].to_pylist() == [1, 2, 3]


def test_words_for_missing_values():
    table, _ = told("pyreadstat-1.3.7-version-5.xpt", "ward", layout=(Layout(na="XX"),))
    assert table["ward"].null_count == 1


def test_content_and_not_the_ending_tells_the_format(tmp_path):
    path = tmp_path / "rows.sav"
    path.write_bytes((DATA / "pandas-3.1.1.dta").read_bytes())
    assert read_table(path, ["id"]).num_rows == 12
    path.write_text("id,y\n1,0\n")
    with pytest.raises(FileError, match="is not an SPSS file, although its name ends like one"):
        read_table(path)


@pytest.mark.parametrize("name", [*LABELED, *OF_SAS])
def test_a_damaged_file_is_one_line(name, tmp_path):
    content = (DATA / name).read_bytes()
    path = tmp_path / name
    path.write_bytes(content[: len(content) // 3])
    with pytest.raises(FileError) as caught:
        read_table(path)
    assert "\n" not in str(caught.value)


def test_a_file_that_unpacks_to_far_more_is_refused():
    with pytest.raises(FileError, match=r"unpacks to more than 1,048,576 bytes\. .* at most 4 GB\."):
        refuse_bomb("a.zsav", 10_000, 2_000_000)


def test_a_missing_extra_is_one_line(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyreadstat", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'classay\[files\]'"):
        read_table(DATA / "pyreadstat-1.3.7.sav")


def test_a_pyreadstat_of_arrays_is_refused(monkeypatch):
    """Before 1.3.1 it gives arrays in place of lists, and numbers would be read as texts."""
    import pyreadstat

    def read_sav(path, **how):
        values, about = wanted(path, **how)
        return {name: np.array(cells) for name, cells in values.items()}, about

    wanted = pyreadstat.read_sav
    monkeypatch.setattr(pyreadstat, "read_sav", read_sav)
    monkeypatch.setattr(pyreadstat, "__version__", "1.2.8")
    with pytest.raises(
        FileError, match=r"needs pyreadstat 1\.3\.1 or newer, but 1\.2\.8 is installed\. Run: pip"
    ):
        read_table(DATA / "pyreadstat-1.3.7.sav")


def test_the_command_reads_a_file_of_spss_in_one_line(monkeypatch):
    monkeypatch.chdir(DATA)
    columns = ("--truth", "outcome", "--score", "p", "--positive", "yes", "--unanswered", "drop")
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        done = call("assess", "pyreadstat-1.3.7.sav", *columns)
    assert done.exit_code == 0
    assert done.stderr.splitlines() == [
        "classay: Value labels of outcome in pyreadstat-1.3.7.sav are used as labels: 0 = no and 1 = yes.",
        "classay: User-missing values of p in pyreadstat-1.3.7.sav are read as missing: -9 (not measured): 1.",
    ]


@pytest.mark.parametrize("name", [*LABELED, *OF_SAS])
def test_a_first_look_reads_the_first_rows(name):
    source = find_input(DATA / name, None, None)
    table, n_rows = statistics.first_rows(source, 5)
    assert (table.num_rows, n_rows) == (5, None if name in OF_SAS else 12)
    assert table["outcome"].to_pylist() == read_table(DATA / name)["outcome"].to_pylist()[:5]
    table, n_rows = statistics.first_rows(source, 20)
    assert (table.num_rows, n_rows) == (12, 12)
