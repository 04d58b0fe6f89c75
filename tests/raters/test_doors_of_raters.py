"""Ratings through every door: patterns of names, options of the command, refusals, and files that were changed."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import classay as ca
from classay.errors import FileError, InputError
from classay.raters import table as tables
from classay.raters.agreement import kappa_of
from classay.raters.reading import matching
from classay.raters.results import document_of
from classay.raters.table import RatingTable, distinct_rows
from classay.tables import ConfusionMatrix
from command import as_json, call, json_of, refusal
from documented import other_defaults
from raters.in_sweeps import ratings

RATINGS = {
    name: [str("abcd".index(label[0]) + 1) if label else "" for label in column]
    for name, column in ratings(30, 3).items()
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The same ratings in columns and in rows, with a blank for a gap."""
    monkeypatch.chdir(tmp_path)
    columns = [["item", *range(30)], *([name, *column] for name, column in RATINGS.items())]
    Path("wide.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in zip(*columns, strict=True)))
    rows = [(k, name, label) for name, column in RATINGS.items() for k, label in enumerate(column)]
    Path("rows.csv").write_text(
        "".join(",".join(map(str, row)) + "\n" for row in [("item", "who", "y"), *rows])
    )


ROWS = "rows.csv --case item --rater who --label y"
WIDE = "wide.csv --raters r_*"


def asked(words):
    return json_of("raters", *words.split())


def given(scale="nominal", labels=None, level=0.95, names=tuple(RATINGS)):
    whole = {name: [None if label == "" else label for label in RATINGS[name]] for name in names}
    if scale == "interval":
        whole = {
            name: [np.nan if label is None else float(label) for label in column]
            for name, column in whole.items()
        }
    return as_json(ca.rater_agreement(whole, scale=scale, labels=labels, level=level))


def same(left, right):
    """All but how the names of labels were written, and how gaps are counted."""
    for key in ("scale", "level", "cases", "single", "ratings", "measures", "n_pairs", "pairs", "warnings"):
        assert left[key] == right[key], key
    assert [*map(str, left["labels"])] == [*map(str, right["labels"])]


ORDER = ["1", "2", "3", "4"]


@pytest.mark.parametrize("start", [ROWS, WIDE])
@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("", {}),
        ("--level 0.8", {"level": 0.8}),
        ("--labels 4,3,2,1,9", {"labels": [*"43219"]}),
        ("--order 1,2,3,4", {"scale": "ordinal", "labels": ORDER}),
        ("--order 1,2,3,4 --scale ordinal", {"scale": "ordinal", "labels": ORDER}),
        ("--scale ordinal", {"scale": "ordinal", "labels": ORDER}),
        ("--scale interval", {"scale": "interval"}),
        ("--scale nominal", {}),
    ],
)
def test_a_command_is_the_call(files, start, words, options):
    found = asked(f"{start} {words}")
    expected = given(**options)
    same(found, expected)
    gaps = sum(label == "" for column in RATINGS.values() for label in column)
    blank = sum(not any(row) for row in zip(*RATINGS.values(), strict=True))
    assert found["unlabeled"] == (gaps if start == ROWS else blank)


def test_some_raters_and_requirements_of_a_command(files):
    same(asked("wide.csv --raters r_1,r_3"), given(names=("r_1", "r_3")))
    value = given()["measures"]["krippendorff_alpha"]["value"]
    for sign, verdict, code in (("<=", "pass", 0), (">", "fail", 1)):
        rule = f"krippendorff_alpha {sign} {value + 1e-4:.6f}"
        done = call("raters", *ROWS.split(), "--require", rule, "--json", "a.json")
        assert done.exit_code == code
        (outcome,) = json.loads(Path("a.json").read_text())["requirements"]
        assert outcome["verdict"] == verdict
    done = call("raters", *ROWS.split(), "--save", "a.classay", "--json", "a.json")
    again = call("runs", "a.classay", "--json", "-")
    assert json.loads(again.stdout)["measures"] == json.loads(Path("a.json").read_text())["measures"]


def test_leading_zeros_are_labels_and_numbers_of_an_interval_scale_are_numbers(files):
    Path("z.csv").write_text("r_1,r_2\n01,1\n01,01\n1,1\n02,02\n2,2\n")
    assert len(asked("z.csv --raters r_*")["labels"]) == 4
    assert asked("z.csv --raters r_* --scale interval")["labels"] == [1, 2]
    Path("ids.csv").write_text("item,who,y\n01,a,x\n01,b,x\n1,a,x\n1,b,z\n")
    assert asked("ids.csv --case item --rater who --label y")["cases"] == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "rows.csv --case item --raters r_*",
            "Rows (--case, --rater and --label) and columns (--raters) of ratings",
        ),
        (
            "rows.csv",
            "Name the columns of --case, --rater and --label, or the columns of raters with --raters. ",
        ),
        ("rows.csv --case item", "Name the columns of --rater and --label. "),
        ("rows.csv --case item --label y", "Name the columns of --rater. "),
        (
            f"{ROWS} --order 1,2,3,4 --scale nominal",
            "--order has no effect with --scale nominal. Remove one of",
        ),
        (
            f"{ROWS} --order 1,2,3,4 --scale interval",
            "--order has no effect with --scale interval. Remove one",
        ),
        (
            f"{ROWS} --labels 1,2,3,4 --scale interval",
            "labels have no effect on numbers of an interval scale. Remove --labels",
        ),
        (f"{ROWS} --labels 1,2", "not declared"),
        ("wide.csv --raters q_*", "No column matches 'q_*'. Use one star in place of the rater."),
        (
            "wide.csv --raters r_1",
            "Agreement needs two raters, but there is 1 column of ratings. Name the columns of all",
        ),
        (f"{ROWS} --json nowhere/a.json", "nowhere"),
        (f"{ROWS} --save a.classay --json a.classay", "Two outputs have the same file name"),
    ],
)
def test_commands_refuse(files, words, said):
    assert said in refusal("raters", *words.split())


@pytest.mark.parametrize(
    ("names", "available", "expected"),
    [
        (["r_*"], ["r_a", "s_a", "r_b"], ["r_a", "r_b"]),
        (["*_r"], ["a_r", "b_r", "r"], ["a_r", "b_r"]),
        (["r*x"], ["rx", "rax", "r_x", "ra"], ["rax", "r_x"]),
        (["*"], ["a", "b"], ["a", "b"]),
        (["r_*", "r_a"], ["r_a", "r_b"], ["r_a", "r_b"]),
        (["r_b", "r_*"], ["r_a", "r_b"], ["r_b", "r_a"]),
        (["r*"], ["r*", "ra"], ["r*"]),
        (["missing"], ["a"], ["missing"]),  # who reads the file says so
    ],
)
def test_patterns_of_names(names, available, expected):
    assert matching(names, available) == expected


@pytest.mark.parametrize("name", ["r_*", "r_**", "*r*", "q*"])
def test_patterns_that_nothing_matches(name):
    with pytest.raises(InputError, match="No column matches"):
        matching([name], ["r_", "xr", "rx"])


LONG = {"i": [1, 1, 2, 2], "r": ["a", "b", "a", "b"], "y": ["x", "x", "x", "z"]}
NAMED = {"case": "i", "rater": "r", "label": "y"}


@pytest.mark.parametrize(
    ("accepted", "refused", "words"),
    [
        (
            ({"a": [1, 2], "b": [1, 2]}, {}),
            ({"a": [1, 2]}, {}),
            "but there is 1 column of ratings. Pass a column",
        ),
        (([["a", "b"]], {}), ([["a"]], {}), "but there is 1 column of ratings"),
        (([["a", "b"]], {}), ([["a", None]], {}), "but there is 1. Check the column of raters"),
        (([["a", "b"]], {}), ([[None, None]], {}), "but there are 0. Check the column of raters"),
        (([["a", "b"]], {}), ([["a", None], [None, "b"]], {}), "No case was rated twice"),
        (([["a", "b"], ["a", "b"]], {}), ([["a", "b"], "ab"], {}), "as many labels in every row"),
        (([("a", "b"), np.array(["a", "b"])], {}), ([("a", "b"), ("a",)], {}), "as many labels in every row"),
        (
            (np.array([[1, 2]]), {}),
            (np.array([1, 2]), {}),
            "must be a frame, a dict of columns or an array of cases",
        ),
        ((np.array([[1, 2]]), {}), (np.array([[[1, 2]]]), {}), "must be a frame"),
        (
            ([["a", "b"]], {"raters": ["x", "y"]}),
            ([["a", "b"]], {"raters": ["x", "x"]}),
            "has a duplicate name",
        ),
        (
            ([["a", "b"]], {"raters": ["x", "y"]}),
            ([["a", "b"]], {"raters": ["x"]}),
            "has 1 names for 2 columns",
        ),
        (([[1e100, 1]], {"scale": "interval"}), ([[1.1e100, 1]], {"scale": "interval"}), r"up to 1e\+100"),
        (([[-1e100, 1]], {"scale": "interval"}), ([[-1.1e100, 1]], {"scale": "interval"}), r"up to 1e\+100"),
        (
            ([[2, 1], [3, 1]], {"scale": "ordinal"}),
            ([["b", "a"], ["c", "a"]], {"scale": "ordinal"}),
            "have no order",
        ),
        (
            ([["b", "a"], ["c", "a"]], {"scale": "ordinal", "labels": ["a", "b", "c"]}),
            ([["b", "a"], ["c", "a"]], {"scale": "ordinal", "labels": ["a", "b"]}),
            "not declared",
        ),
        (
            ({"a": [0, 1, 2, 3, 4, 5, 6, 7, 8], "b": [0] * 9}, {}),
            ({"a": [*range(10)], "b": [0] * 10}, {}),
            "has another label in each of 10 rows, as ids have",
        ),
        (
            ({"a": [*range(9), 8], "b": [0] * 10}, {}),
            ({"a": [*range(10)], "b": [0] * 10}, {}),
            "Column 'a' has another label in each",
        ),
        (
            ({"a": [*range(9), None], "b": [0] * 10}, {}),
            ({"b": [0] * 10, "a": [*range(10)]}, {}),
            "Column 'a' has another label in each",
        ),
        (
            ({"case": [1, 1], "rater": [0, 1]}, {}),
            ({"case": [1, 1], "rater": [0, 1], "label": [1, 0]}, {}),
            "look like one rating in each row",
        ),
        ((LONG, NAMED), (LONG, {"case": "i", "rater": "r"}), "Name the column of label: label="),
        ((LONG, NAMED), (LONG, {"label": "y"}), "Name the column of case and rater: case="),
        ((LONG, NAMED), (LONG, NAMED | {"raters": ["a"]}), "cannot be combined. Use one of them"),
        (
            (LONG, NAMED),
            (LONG | {"i": [1, 1, None, 2]}, NAMED),
            r"case \(i\) is missing in 1 rating\. Give the case",
        ),
        (
            (LONG, NAMED),
            (LONG | {"r": ["a", "b", "a", "a"]}, NAMED),
            "Rater 'a' has two labels .'x' and 'z'. for case 2.",
        ),
        (
            (LONG, NAMED),
            ({name: column * 2 for name, column in LONG.items()}, NAMED),
            "for case 1, and 3 more ratings occur twice. Keep one label",
        ),
        (
            ([["a", "b"]], {"level": 0.5}),
            ([["a", "b"]], {"level": 1.0}),
            "level must be a number between 0 and 1",
        ),
    ],
)
def test_a_refusal_begins_where_it_says(accepted, refused, words):
    data, options = accepted
    assert ca.rater_agreement(data, **options).n_cases >= 1
    data, options = refused
    with pytest.raises(InputError, match=words):
        ca.rater_agreement(data, **options)


def test_ids_that_are_named_or_numbers_of_an_interval_scale_are_ratings():
    rows = {"a": [*range(10)], "b": [0] * 10}
    assert ca.rater_agreement(rows, raters=["a", "b"]).n_cases == 10
    assert ca.rater_agreement(rows, scale="interval").n_cases == 10


def test_defaults_are_those_of_the_documents():
    assert given() == given(scale="nominal", level=0.95, labels=None)


def test_wide_ratings_of_every_form_are_the_same():
    rows = [["a", "b", None], ["a", "a", "a"], [None, None, None], ["b", None, "b"]]
    names = ["rater 1", "rater 2", "rater 3"]
    forms = [
        rows,
        [tuple(row) for row in rows],
        np.array(rows, object),
        dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)),
        pd.DataFrame(rows, columns=names),
    ]
    results = [ca.rater_agreement(form) for form in forms]
    for a in results:
        assert (a.raters, a.n_cases, a.n_unlabeled, a.table.n_ratings) == (tuple(names), 3, 1, 7)
        assert a.estimates == results[0].estimates
        assert a.facts[2] == ("ratings", "7, with gaps")
        assert a.facts[-1] == ("excluded", "1 without a label")


def test_numbers_that_are_whole_stay_whole():
    assert ca.rater_agreement([[1.0, 2.0]], scale="interval").labels == (1, 2)
    assert ca.rater_agreement([[1.0, 2.5]], scale="interval").labels == (1.0, 2.5)
    a = ca.rater_agreement([[3, np.nan, 1], [1, 1, 2]], scale="interval")
    assert (a.labels, a.table.n_ratings) == ((1, 2, 3), 5)


# -- long lists, tables and files ------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [10, 11])
def test_up_to_ten_raters_and_labels_are_named(n):
    label = np.arange(n * n).reshape(n, n) % n
    a = ca.rater_agreement(label.tolist(), raters=[f"r{k}" for k in range(n)])
    facts = dict(a.facts)
    names = ", ".join(f"r{k}" for k in range(n))
    assert facts["raters"] == (f"10: {names}" if n == 10 else "11")
    assert facts["categories"] == ("10: 0, 1, 2, 3, 4, 5, 6, 7, 8 and 9" if n == 10 else "11")


@pytest.mark.parametrize(("raters", "is_cut"), [(4, False), (5, False), (6, True)])
def test_ten_pairs_are_shown(raters, is_cut):
    """Of five raters, all ten; the note counts all others."""
    rng = np.random.default_rng(0)
    a = ca.rater_agreement(rng.integers(0, 3, (40, raters)).tolist())
    document = document_of(a)
    (section,) = [section for section in document.sections if section.title == "Pairs of raters"]
    (shown,) = section.parts
    n = raters * (raters - 1) // 2
    assert len(shown.rows) == min(n, 10)
    assert shown.note == (f"The 10 of {n} pairs that agree least." if is_cut else "")
    for row, pair in zip(shown.rows, a.pairs, strict=False):
        assert (row[0].text, row[1].value) == (f"{pair.first}, {pair.second}", pair.cases)
    text = " ".join(str(a).split())
    assert ("See more pairs of raters" in text) == is_cut


@pytest.mark.parametrize(("k", "is_cut"), [(5, False), (6, True)])
def test_ten_pairs_of_labels_are_shown(k, is_cut):
    rows = [[c, d] for c in range(k) for d in range(c + 1, k) for _ in range(1 + c)] + [[0, 0], [1, 1]]
    a = ca.rater_agreement(rows)
    (section,) = [s for s in document_of(a).sections if s.title == "Categories that raters confuse"]
    (shown,) = section.parts
    n = k * (k - 1) // 2
    assert len(shown.rows) == min(n, 10)
    assert shown.note == (f"The 10 most frequent of {n} pairs." if is_cut else "")
    total = 2 * (len(rows) - 2)
    assert shown.foot.endswith(f"The weighted count of differing ratings is {total} of {2 * len(rows)}.")
    assert shown.rows[0][1].text == f"{2 * (k - 1)}"


def test_differing_ratings_with_fractions_have_a_decimal():
    a = ca.rater_agreement([[0, 1, 1, 1], [0, 0, 0, 0], [1, 1, 0, 0]])
    (section,) = [s for s in document_of(a).sections if s.title == "Categories that raters confuse"]
    assert section.parts[0].rows[0][1].text == f"{2 * 3 / 3 + 2 * 4 / 3:.1f}"


@pytest.mark.parametrize(
    ("rows", "scale", "is_told"),
    [
        ([[1, 2], [3, 1]], "nominal", True),
        ([[1.5, 2], [3, 1]], "nominal", True),
        ([[1, 2], [2, 1]], "nominal", False),
        ([["1", "2"], ["3", "1"]], "nominal", False),
        ([[1, 2], [3, 1]], "interval", False),
        ([[1, 2], [3, 1]], "ordinal", False),
    ],
)
def test_numbers_without_a_scale_are_told_of_scales(rows, scale, is_told):
    text = " ".join(str(ca.rater_agreement(rows, scale=scale)).split())
    assert (
        "If the labels are ordered or measured, use `scale='ordinal'` or `scale='interval'`" in text
    ) == is_told


def test_only_few_pairs_have_an_interval_of_kappa():
    table = ConfusionMatrix(np.array([[9, 1], [2, 8]]), (0, 1))
    assert kappa_of(table, None).reason == "only 100 pairs have an interval"
    assert kappa_of(table, 0.8).level == 0.8
    assert kappa_of(ConfusionMatrix(np.array([[9]]), (0,)), 0.8).is_undefined


def test_more_ordered_categories_than_are_jackknifed(monkeypatch):
    rows = np.random.default_rng(0).integers(0, 4, (30, 2)).tolist()
    a = ca.rater_agreement(rows, scale="interval")
    for most, has_interval in ((4, True), (3, False)):
        monkeypatch.setattr("classay.raters.coefficients.MOST_ORDERED", most)
        found = ca.rater_agreement(rows, scale="interval")["ordinal_alpha"]
        assert (found.value, found.has_interval) == (a["ordinal_alpha"].value, has_interval)
    assert found.reason == "there are too many ordered categories"


def test_more_raters_than_are_compared(monkeypatch):
    rows = [[0, 1, 1], [1, 1, 0]]
    monkeypatch.setattr("classay.raters.agreement.MOST_RATERS", 3)
    a = ca.rater_agreement(rows)
    assert (len(a.pairs), a.n_pairs) == (3, 3)
    monkeypatch.setattr("classay.raters.agreement.MOST_RATERS", 2)
    a = ca.rater_agreement(rows)
    assert (a.pairs, a.n_pairs) == ((), 0)
    assert "There are more than 2 raters, so pairs of raters are not compared." in [
        w.text for w in a.warnings
    ]


@pytest.mark.parametrize("widest", [2**62, 50])
def test_distinct_rows_are_counted(widest, monkeypatch):
    """Also where the products of numbers of labels are too large for one whole number."""
    monkeypatch.setattr(tables, "_WIDEST", widest)
    rng = np.random.default_rng(0)
    rows, weight = rng.integers(-1, 4, (200, 3)), rng.integers(1, 9, 200)
    first, times = distinct_rows(rows, weight)
    expected = {}
    for row, number in zip(rows.tolist(), weight.tolist(), strict=True):
        expected[tuple(row)] = expected.get(tuple(row), 0) + number
    assert {
        tuple(row): number for row, number in zip(rows[first].tolist(), times.tolist(), strict=True)
    } == expected
    assert all((rows[:at] != rows[at]).any(1).all() for at in first)
    none = distinct_rows(rows[:0], weight[:0])
    assert (none[0].size, none[1].size) == (0, 0)


def agreement():
    return ca.rater_agreement(ratings(30, 3), labels=["dog", "cat", "bee", "ant", "eel"])


CHANGES = {
    "raters and labels disagree": lambda t: t.label.__setitem__((0, 0), -1),
    "not ascending": lambda t: t.rater.__setitem__((0, slice(None)), t.rater[0, ::-1].copy()),
    "case": lambda t: t.cases.__setitem__(0, 0),
    "rater": lambda t: t.rater.__setitem__((0, 2), 3),
    "label": lambda t: t.label.__setitem__((0, 0), 5),
    "no case with two": lambda t: (t.rater[:, 1:].fill(-1), t.label[:, 1:].fill(-1)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_files_with_impossible_ratings_are_refused(change, tmp_path):
    a = agreement()
    parts = [np.array(getattr(a.table, name)) for name in ("rater", "label", "cases")]
    parts = [part[(a.table.rater >= 0).all(1)] for part in parts]
    table = RatingTable(a.table.labels, a.table.raters, *parts)
    whole = type(a)(table, a.scale, a.level, 0)
    whole.save(tmp_path / "a")
    assert ca.load(tmp_path / "a").n_cases == table.n_cases
    CHANGES[change](table)
    type(a)(table, a.scale, a.level, 0).save(tmp_path / "b")
    with pytest.raises(FileError):
        ca.load(tmp_path / "b")


def test_a_rater_named_twice_in_a_file_is_refused(tmp_path):
    a = agreement()
    table = RatingTable(a.table.labels, ("r", "r", "s"), a.table.rater, a.table.label, a.table.cases)
    type(a)(table, a.scale, a.level, 0).save(tmp_path / "a")
    with pytest.raises(FileError):
        ca.load(tmp_path / "a")


def test_the_order_of_labels_is_saved(tmp_path):
    a = ca.rater_agreement([["b", "a"], ["c", "a"]], scale="ordinal", labels=["a", "b", "c"], level=0.8)
    a.save(tmp_path / "a")
    again = ca.load(tmp_path / "a")
    assert (again.labels, again.scale, again.level, again.raters) == (a.labels, "ordinal", 0.8, a.raters)
    assert again.table.labels.source == a.table.labels.source
    assert again.to_dict() == a.to_dict()


def test_calls_have_the_defaults_of_their_docstrings():
    assert other_defaults(ca.rater_agreement) == {}
