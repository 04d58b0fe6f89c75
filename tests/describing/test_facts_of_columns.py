"""What rows show of a column, counted again in plain Python; and each limit beside the first value beyond it."""

import datetime as dt
from collections import Counter
from decimal import Decimal
from math import isnan

import numpy as np
import pyarrow as pa
import pytest

from classay.describing.columns import (
    ColumnFacts,
    _date_format,
    _is_number,
    _period,
    _separator,
    described_values,
    facts_of,
    is_missing_word,
    label_text,
    split_name,
    words_for_missing,
)

DAY = dt.date(2025, 1, 1)
RNG = np.random.default_rng(3)


def facts(values, name="x", kind=None):
    (found,) = facts_of(pa.table({name: pa.array(values, kind)}))
    return found


def is_gone(value):
    return value is None or (isinstance(value, float) and isnan(value))


COLUMNS = {
    "whole number": [3, 1, None, 1, 2, 2, 2],
    "number": [0.5, float("nan"), 0.25, None, 0.5, -1.5],
    "truth value": [True, False, None, True],
    "text": ["b", "a", "b", None, "c", "b", "c"],
    "date": [DAY, DAY + dt.timedelta(1), None, DAY, DAY + dt.timedelta(9)],
    "time": [dt.datetime(2025, 1, day) for day in (1, 1, 3, 4)],
}


@pytest.mark.parametrize("is_coded", [False, True], ids=["plain", "dictionary"])
@pytest.mark.parametrize("title", COLUMNS)
def test_a_column_is_counted(title, is_coded):
    column = pa.array(COLUMNS[title])
    (found,) = facts_of(pa.table({"x": column.dictionary_encode() if is_coded else column}))
    present = [value for value in COLUMNS[title] if not is_gone(value)]
    counts = Counter(present)
    assert (found.name, found.type, found.n) == ("x", title, len(column))
    assert found.n_missing == len(column) - len(present)
    assert found.n_distinct == len(counts)
    assert found.is_time == (title in ("date", "time"))
    numeric = "number" in title
    ends = (float(min(present)), float(max(present))) if numeric else (None, None)
    assert (found.low, found.high) == ends
    assert found.is_number == numeric
    if found.is_time:
        assert found.values == ()
    else:
        assert {*found.values} == {*counts}
        assert [counts[value] for value in found.values] == sorted(counts.values(), reverse=True)
    assert found.has_missing == (len(present) < len(column))
    assert not found.is_constant
    assert (found.missing_of_all, found.separator, found.date_format, found.codes) == (None, None, None, ())
    assert found.is_whole == (title == "whole number")


def test_the_number_of_missing_values_of_the_file_is_kept():
    table = pa.table({"x": [1, 2], "y": [1, 2]})
    found = facts_of(table, {"y": 7})
    assert [column.missing_of_all for column in found] == [None, 7]
    assert [column.has_missing for column in found] == [False, True]


@pytest.mark.parametrize(
    ("values", "title", "whole"),
    [
        ([1.0, 2.0, None], "whole number", True),
        ([1.0, 2.5], "number", False),
        ([Decimal("1.5"), Decimal("2.5")], "number", False),
        ([None, None], "empty", False),
        ([], "number", False),
    ],
)
def test_numbers_are_whole_or_not(values, title, whole):
    found = facts(values, kind=pa.float64() if values == [] else None)
    assert (found.type, found.is_whole) == (title, whole)
    assert found.is_number == (title not in ("empty",) and bool(values))


@pytest.mark.parametrize("n", [100, 101])
def test_up_to_a_hundred_values_are_kept(n):
    assert len(facts([f"v{k}" for k in range(n)]).values) == (n if n == 100 else 0)


@pytest.mark.parametrize(
    ("values", "rising"), [([1, 2, 5], True), ([1, 2, 2], False), ([3, 2, 4], False), ([1], False)]
)
def test_rising_numbers(values, rising):
    assert facts(values).is_rising == rising


@pytest.mark.parametrize(
    ("texts", "coded"), [(["a1", "2b"], True), (["a1", "b"], False), (["a", "b"], False)]
)
def test_texts_with_digits(texts, coded):
    assert facts(texts).is_coded == coded


def number_facts(n_distinct, n, name="x", **known):
    return ColumnFacts(
        name, "whole number", n, 0, n_distinct, **{"low": 1.0, "high": 99.0, "is_whole": True} | known
    )


def text_facts(n_distinct, n, name="x", n_missing=0, **known):
    values = tuple(f"v{k}" for k in range(n_distinct)) if n_distinct <= 100 else ()
    return ColumnFacts(name, "text", n, n_missing, n_distinct, values, **known)


@pytest.mark.parametrize(
    ("column", "is_id"),
    [
        (text_facts(5, 5), True),
        (text_facts(4, 4), False),  # too few to say
        (text_facts(5, 6), False),
        (text_facts(5, 6, n_missing=1), True),
        (text_facts(3, 9, "patient_id"), True),
        (text_facts(2, 9, "patient_id"), False),  # a class
        (text_facts(3, 9, ""), True),
        (text_facts(3, 9, "Unnamed: 0"), True),
        (text_facts(3, 9, "row.names"), True),
        (text_facts(3, 9, "index"), True),
        (text_facts(9, 9, is_time=True), False),
        (text_facts(51, 99, is_coded=True), True),
        (text_facts(50, 99, is_coded=True), False),
        (text_facts(51, 99), False),
        (number_facts(51, 51), True),
        (number_facts(50, 50), False),
        (number_facts(50, 50, high=50.0, is_rising=True), True),  # 1 to 50 in the order of rows
        (number_facts(50, 50, high=51.0, is_rising=True), False),
        (number_facts(50, 50, high=50.0), False),
        (number_facts(50, 50, "lfd", is_rising=True), True),
        (number_facts(50, 50, "lfd"), False),
        (number_facts(51, 51, is_whole=False), False),
        (number_facts(51, 52), False),
    ],
)
def test_ids(column, is_id):
    assert column.is_id == is_id
    if is_id:
        assert described_values(column) == ""


@pytest.mark.parametrize(
    ("column", "is_label"),
    [
        (text_facts(2, 9), True),
        (text_facts(1, 9), False),
        (text_facts(50, 100), True),
        (text_facts(51, 200), False),
        (text_facts(3, 6), True),
        (text_facts(3, 5), False),  # most occur once
        (text_facts(2, 3), True),
        (text_facts(3, 7, n_missing=1), True),
        (text_facts(3, 7, n_missing=2), False),
        (text_facts(2, 9, " "), False),  # no option can name it
        (text_facts(2, 9, is_time=True), False),
        (number_facts(2, 9, values=(1, 2)), True),
        (number_facts(2, 9, values=(1, 2), is_whole=False), False),
    ],
)
def test_labels(column, is_label):
    assert column.is_label == is_label


@pytest.mark.parametrize(
    ("low", "high", "unit"), [(0.0, 1.0, True), (-0.1, 1.0, False), (0.0, 1.1, False), (0.5, 0.5, True)]
)
def test_numbers_of_the_unit_interval(low, high, unit):
    assert number_facts(3, 9, low=low, high=high).is_unit == unit


def test_names_in_lists():
    assert [text_facts(2, 9, name).can_be_listed for name in ("a", 'a"b', " ", "a,b")] == [
        True,
        False,
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("column", "shown"),
    [
        (facts([2, 1, 2, 1]), "1 and 2"),
        (facts(["b", "a", "b", "a", "b"]), "'b' and 'a'"),
        (facts(["yes", "yes ", "yes"]), "'yes' and 'yes '"),
        (facts([0.25, 1.5]), "0.25 to 1.5"),
        (facts([f"text {k}" for k in range(4)] * 9), "'text 0', 'text 1', 'text 2' and 'text 3'"),
        (facts([1 / 3, 1234567.0]), "0.333333 to 1.23457e+06"),
        (facts([None, None]), ""),
        (
            facts([f"text {k}" for k in range(4)] * 20 + ["other"]),
            "'text 0', 'text 1', 'text 2' and 2 more",
        ),
        (facts([True, False, True]), "True and False"),
    ],
)
def test_values_in_words(column, shown):
    assert described_values(column) == shown


def test_words_of_names():
    assert split_name("yTrue_2ndHTMLPage x") == ["y", "true", "2", "nd", "html", "page", "x"]
    assert [label_text(label) for label in (1.0, 1.5, 2, "2.0", False)] == ["1", "1.5", "2", "2.0", "False"]


@pytest.mark.parametrize(
    "words", ["NA", " n/a ", "null", "-", ".", "-9", "-99", "-999", "9999", "unk", "nan", "unknown", "k.A."]
)
def test_words_for_missing_values(words):
    assert is_missing_word(words)
    assert not is_missing_word(f"{words}x")


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"y": ["no", "yes", "no", "yes", "unknown", "no"]}, ["unknown"]),
        ({"y": ["no", "yes", "unknown", "perhaps", "never"]}, []),  # free text
        ({"y": ["a", "b", "c", "d", "unknown", "e"] * 2}, ["unknown"]),
        ({"p": ["0.5", "k.A.", "1e-3", "7 %", "0.7", "8"]}, ["k.A."]),
        ({"y": ["a", "NA", "b", "NA", "a", "b"], "z": ["a", "b", "unk", "a", "b", "a"]}, ["NA", "unk"]),
        ({"y": ["a", "NA", "b", "NA", "a"]}, []),  # labels that hardly repeat
        ({"y": [0, 1] * 20 + [-9]}, ["-9"]),
        (
            {"y": [0, 1] * 20 + [-9], "z": [-10, -9, -8] * 13 + [-9, -8]},
            [],
        ),  # another column has it as a value
        ({"y": [0, 1] * 20 + [-9], "z": [0, 1, 2] * 13 + [0, -9]}, ["-9"]),
        ({"y": ["NA", "NA"]}, []),
        ({"y": [0, 1] * 20 + [99], "t": ["a"] * 41}, ["99"]),
        ({"y": [0, 1] * 20 + [99], "z": [98, 99, 100] * 13 + [99, 98]}, []),
    ],
)
def test_words_for_missing_values_stand_among_others(columns, words):
    table = pa.table(columns)
    assert words_for_missing(facts_of(table), table) == words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(
            (text, True)
            for text in ("1", "-1.5", "+2", " 3 ", "1,5", "1.000,5", "1e5", "1E-5", "7%", "7 %", ".5")
        ),
        *((text, False) for text in ("", "-", ".", "a", "1a", "e5", "%", "1 2")),
    ],
)
def test_numbers_in_any_spelling(text, expected):
    assert _is_number(text) == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("31.12.2025", "01.02.2025"), "%d.%m.%Y"),
        (("12/31/25", "01/02/25"), "%m/%d/%y"),
        (("13-01-2025 08:30",), "%d-%m-%Y %H:%M"),
        (("13-01-2025 08:30:59",), "%d-%m-%Y %H:%M:%S"),
        (("12.12.2025", "01.12.2025"), ""),  # the day or the month may come first
        (("13.13.2025",), ""),
        (("13.01.2025", "01.13.2025"), ""),
        (("32.01.2025",), None),
        (("01.32.2025",), None),
        (("31.01.2025",), "%d.%m.%Y"),
        (("01.31.2025",), "%m.%d.%Y"),
        (("13.01.2025", "13/01/2025"), None),
        (("13.01.2025", "13.01.25"), None),
        (("13.01.2025", "no"), None),
    ],
)
def test_formats_of_dates(texts, expected):
    assert _date_format(texts) == expected


def test_days_that_cannot_be_read_have_no_period():
    assert _period(["2025-02-30"] * 3, None) is None
    assert _period(["03.04.2025", "04.04.2025", "05.04.2025"], "") is None
    assert _period(["31.02.2025"], "%d.%m.%Y") is None


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["a|b", "a", "b"] * 4, "|"),
        (["a;b", "a", "b"] * 4, ";"),
        (["a,b", "a", "b"] * 4, ","),
        (["a|b;c", "b;c|a", "a"] * 4, "|"),
        (["a|b"] + ["a"] * 9, "|"),
        (["a|b"] + ["a"] * 10, None),  # fewer than a tenth
        (["a|b", "c|d", "e|f"], None),  # no tag twice
        (["a | b", "b|a"], "|"),
        (["a", "b"], None),
    ],
)
def test_tags_in_cells(texts, expected):
    assert _separator(texts) == expected
