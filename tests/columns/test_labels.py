"""Every kind of column gets the same codes; what is no column of labels is refused, with the reason."""

import datetime
import decimal
import enum
import subprocess
import sys
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classay.columns import Coded, code_columns, code_labels, kernels, match_label, unite
from classay.columns.values import MOST_MEASURED, refuse_score_share
from classay.errors import InputError

MANY = 120_000  # enough rows for the compiled loops


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


def decoded(coded: Coded) -> list:
    return [None if code < 0 else coded.labels[code] for code in coded.codes.tolist()]


def check(values, wanted: list, kind: str) -> Coded:
    coded = code_labels(values, "truth")
    assert decoded(coded) == wanted
    present = {value for value in wanted if value is not None}
    assert set(coded.labels) == present
    assert len(coded.labels) == len(present)
    whole = {int(value) if type(value) is float and value.is_integer() else value for value in present}
    assert {type(label) for label in coded.labels} == {type(value) for value in whole}
    assert coded.kind == kind
    assert coded.missing == wanted.count(None)
    assert coded.codes.dtype == kernels.code_type(len(coded.labels))
    return coded


TEXT = ["b", "a", "ccc", "a", "b"]
GAPS = ["b", "a", None, "a", "é"]
NUMBERS = [3, -1, 7, 3, 3]
BOOLEANS = [True, False, True]
CATEGORIES = ["z", "b", "a", "é"]

COLUMNS = {
    "list": (GAPS, GAPS, "text"),
    "tuple": (tuple(NUMBERS), NUMBERS, "number"),
    "range": (range(5), [0, 1, 2, 3, 4], "number"),
    "generator": (iter(TEXT), TEXT, "text"),
    "list of bool": (BOOLEANS, BOOLEANS, "boolean"),
    "list with nan": ([1.5, float("nan"), 1.5], [1.5, None, 1.5], "number"),
    "list of numpy scalars": (list(np.array(NUMBERS)), NUMBERS, "number"),
    "list of numpy text": (list(np.array(TEXT)), TEXT, "text"),
    "bool and number": ([True, 2, 0], [1, 2, 0], "number"),
    "numpy bool": (np.array(BOOLEANS), BOOLEANS, "boolean"),
    "numpy one bool": (np.array([True, True]), [True, True], "boolean"),
    "numpy no bool": (np.array([False]), [False], "boolean"),
    "numpy float": (np.array([1.0, np.nan, -0.0, 0.0]), [1, None, 0, 0], "number"),
    "numpy float32": (np.array([0.5, 2], np.float32), [0.5, 2], "number"),
    "numpy float16": (np.array([0.5, 2], np.float16), [0.5, 2], "number"),
    "numpy longdouble": (np.array([0.5, 2, 2], np.longdouble), [0.5, 2, 2], "number"),
    "numpy object": (np.array([*GAPS, np.nan], object), [*GAPS, None], "text"),
    "numpy U": (np.array(TEXT), TEXT, "text"),
    "numpy big endian U": (np.array(TEXT).astype(">U5"), TEXT, "text"),
    "numpy S": (np.array([b"x", b"yyy", b"x"]), [b"x", b"yyy", b"x"], "other"),
    "numpy StringDType": (np.array(TEXT, np.dtypes.StringDType()), TEXT, "text"),
    "numpy strided": (np.array(NUMBERS)[::-2], NUMBERS[::-2], "number"),
    "numpy big endian": (np.array(NUMBERS, ">i4"), NUMBERS, "number"),
    "numpy masked": (np.ma.array([1, 2, 1], mask=[False, True, False]), [1, None, 1], "number"),
    "numpy dates": (
        np.array(["2020-01-02", "NaT", "2020-01-01"], "datetime64[D]"),
        [datetime.date(2020, 1, 2), None, datetime.date(2020, 1, 1)],
        "other",
    ),
    "numpy nanoseconds": (
        np.array(["2020-01-02", "NaT"], "datetime64[ns]"),
        [datetime.datetime(2020, 1, 2), None],
        "other",
    ),
    "finer than Python": (np.array([1], "datetime64[ns]"), [np.datetime64(1, "ns")], "other"),
    "tuples": ([(1, 2), (0, 5), (1, 2)], [(1, 2), (0, 5), (1, 2)], "other"),
    "enums": ([Colour.RED, Colour.BLUE], [Colour.RED, Colour.BLUE], "other"),
    "decimals": ([decimal.Decimal("1.5"), None], [decimal.Decimal("1.5"), None], "number"),
    "not comparable": ([(1,), Colour.RED, "x"], [(1,), Colour.RED, "x"], "other"),
    "structured": (
        np.rec.array([(1, 2), (3, 4)], dtype=[("mask", int), ("b", int)]),
        [(1, 2), (3, 4)],
        "other",
    ),
    "complex": (np.array([1j, 2]), [1j, 2 + 0j], "other"),
    "pandas object": (pd.Series([*GAPS, pd.NA, pd.NaT], dtype=object), [*GAPS, None, None], "text"),
    "pandas str": (pd.Series(GAPS, dtype="string"), GAPS, "text"),
    "pandas python str": (pd.Series(GAPS, dtype="string[python]"), GAPS, "text"),
    "pandas arrow str": (pd.Series(GAPS, dtype=pd.ArrowDtype(pa.string())), GAPS, "text"),
    "pandas category": (pd.Series(pd.Categorical(GAPS, categories=CATEGORIES)), GAPS, "text"),
    "pandas categorical": (pd.Categorical([3, 1, 3]), [3, 1, 3], "number"),
    "pandas index": (pd.Index(TEXT), TEXT, "text"),
    "pandas int": (pd.Series(NUMBERS), NUMBERS, "number"),
    "pandas Int64": (pd.Series([1, None, 7], dtype="Int64"), [1, None, 7], "number"),
    "pandas boolean": (pd.Series([True, None, False], dtype="boolean"), [True, None, False], "boolean"),
    "pandas arrow int": (pd.Series([1, None], dtype=pd.ArrowDtype(pa.int64())), [1, None], "number"),
    "pandas period": (
        pd.Series(pd.period_range("2020", periods=2, freq="D")),
        list(pd.period_range("2020", periods=2, freq="D")),
        "other",
    ),
    "polars text": (pl.Series(GAPS), GAPS, "text"),
    "polars categorical": (pl.Series(GAPS, dtype=pl.Categorical), GAPS, "text"),
    "polars enum": (pl.Series(GAPS, dtype=pl.Enum(CATEGORIES)), GAPS, "text"),
    "polars int": (pl.Series(NUMBERS), NUMBERS, "number"),
    "polars int, nulls": (pl.Series([1, None]), [1, None], "number"),
    "polars float, nulls": (pl.Series([1.0, None, float("nan")]), [1, None, None], "number"),
    "polars bool": (pl.Series([True, None]), [True, None], "boolean"),
    "polars date": (pl.Series([datetime.date(2020, 1, 1)]), [datetime.date(2020, 1, 1)], "other"),
    "polars object": (pl.Series([("a", 1)], dtype=pl.Object), [("a", 1)], "other"),
    "arrow string": (pa.array(GAPS), GAPS, "text"),
    "arrow large_string": (pa.array(GAPS, pa.large_string()), GAPS, "text"),
    "arrow string_view": (pa.array(GAPS, pa.string_view()), GAPS, "text"),
    "arrow string_view in chunks": (
        pa.chunked_array([pa.array(GAPS[:1], pa.string_view()), pa.array(GAPS[1:], pa.string_view())]),
        GAPS,
        "text",
    ),
    "arrow slice": (pa.array(["q", *GAPS])[1:], GAPS, "text"),
    "arrow dictionary": (pa.array(["q", *GAPS]).dictionary_encode()[1:], GAPS, "text"),
    "arrow dictionary, repeated and null": (
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None], pa.uint8()), pa.array(["x", "x", None])),
        ["x", "x", None, None],
        "text",
    ),
    "arrow chunks": (pa.chunked_array([TEXT, GAPS]), TEXT + GAPS, "text"),
    "arrow dictionary chunks": (
        pa.chunked_array([pa.array(TEXT).dictionary_encode(), pa.array(GAPS).dictionary_encode()]),
        TEXT + GAPS,
        "text",
    ),
    "arrow int": (pa.array(NUMBERS), NUMBERS, "number"),
    "arrow int chunks": (pa.chunked_array([[1, None], [7]]), [1, None, 7], "number"),
    "arrow bool": (pa.array([True, None, False]), [True, None, False], "boolean"),
    "arrow float": (pa.array([1.5, None, float("nan")]), [1.5, None, None], "number"),
    "arrow runs": (pa.RunEndEncodedArray.from_arrays([2, 3], ["x", "y"]), ["x", "x", "y"], "text"),
    "arrow struct of nothing": (pa.nulls(3), [None, None, None], "other"),
}


@pytest.mark.parametrize("case", COLUMNS)
def test_every_kind_of_column(case):
    values, wanted, kind = COLUMNS[case]
    check(values, wanted, kind)


def test_narwhals_series():
    import narwhals as nw

    check(nw.from_native(pl.Series(GAPS), series_only=True), GAPS, "text")
    check(nw.from_native(pd.Series(NUMBERS), series_only=True), NUMBERS, "number")


@pytest.mark.parametrize(
    "values",
    [
        [],
        (),
        np.array([]),
        np.array([], int),
        np.array([], "U3"),
        np.array([], object),
        np.zeros(0, bool),
        pd.Series([], dtype="category"),
        pd.Series([], dtype="Int64"),
        pl.Series([], dtype=pl.String),
        pa.array([], pa.string()),
        pa.array([], pa.bool_()),
        pa.chunked_array([], pa.string()),
        pa.chunked_array([], pa.int64()),
        pa.chunked_array([], pa.dictionary(pa.int8(), pa.string())),
    ],
    ids=lambda values: type(values).__name__,
)
def test_empty_columns(values):
    coded = code_labels(values, "truth")
    assert (coded.labels, coded.missing, len(coded.codes)) == ((), 0, 0)


@pytest.mark.parametrize(
    ("dtype", "rows"),
    [(dtype, 1_000) for dtype in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")]
    + [(dtype, MANY) for dtype in ("i1", "i4", "u8")],
)
def test_integers_of_every_width(dtype, rows):
    info = np.iinfo(dtype)
    random = np.random.default_rng(0)
    ranges = [(0, 1), (1, 100), (info.min, info.min + 63), (info.max - 64, info.max), (info.min, info.max)]
    for low, high in [*ranges, (0, min(info.max, 30_000)), (0, min(info.max, 2_000_000))]:
        few = random.integers(low, high, 40, dtype, endpoint=True)
        for values in (random.integers(low, high, rows, dtype, endpoint=True), random.choice(few, rows)):
            coded = code_labels(values, "truth")
            assert np.array_equal(np.array(coded.labels, dtype)[coded.codes], values)
            assert coded.labels == tuple(np.unique(values).tolist())
            assert coded.codes.dtype == kernels.code_type(len(coded.labels))


def test_integers_guessed_wrongly():
    values = np.zeros(MANY, np.int64)
    for odd in ([5], [-3], [80], [-(2**63), 2**63 - 1]):
        values[1500 : 1500 + len(odd)] = odd  # neither in the first block nor in the sample
        check(values, values.tolist(), "number")


def test_extremes_of_unsigned():
    values = np.array([2**64 - 1, 2**63, 2**63 - 1, 2**63], np.uint64)
    check(values, values.tolist(), "number")
    check(values[[1, 1, 2]], values[[1, 1, 2]].tolist(), "number")


@pytest.mark.parametrize("labels", [1, 127, 128, 32_767, 32_768])
@pytest.mark.parametrize(
    "make", [np.array, lambda x: np.array(x) * 10**12, lambda x: np.array(x).astype(str)]
)
def test_many_labels(labels, make):
    values = make(list(range(labels)) * 2)
    check(values, values.tolist(), "text" if values.dtype.kind == "U" else "number")


@cache
def many_rows() -> dict[str, tuple]:
    random = np.random.default_rng(1)
    names = np.array(["ham", "spam", "eggs, and more", ""])
    text = names[random.integers(0, 4, MANY)]
    fresh = [value.encode().decode() for value in text.tolist()]  # each row has its own object
    gaps = [None if i % 7 == 0 else value for i, value in enumerate(fresh)]
    numbers = random.integers(300, 400, MANY)
    return {
        "U": (text, text.tolist(), "text"),
        "S": (text.astype("S"), text.astype("S").tolist(), "other"),
        "float": (numbers / 2, (numbers / 2).tolist(), "number"),
        "interned": (names.astype(object)[random.integers(0, 4, MANY)], None, "text"),
        "fresh": (fresh, fresh, "text"),
        "fresh and missing": (gaps, gaps, "text"),
        "fresh integers": (numbers.tolist(), numbers.tolist(), "number"),
        "fresh floats": ((numbers / 2).tolist(), (numbers / 2).tolist(), "number"),
        "numpy scalars": (list(numbers), numbers.tolist(), "number"),
        "nan objects": (
            [float("nan") if i % 2 else "x" for i in range(MANY)],
            ["x", None] * (MANY // 2),
            "text",
        ),
        "tuples": ([(value, 1) for value in fresh], [(value, 1) for value in fresh], "other"),
        "tuples, few": ([(1, 2), (3, 4)] * (MANY // 2), [(1, 2), (3, 4)] * (MANY // 2), "other"),
        "arrow": (pa.array(gaps), gaps, "text"),
        "distinct": ([f"id{i}" for i in range(MANY)], [f"id{i}" for i in range(MANY)], "text"),
        "bool": ([True, False] * (MANY // 2), [True, False] * (MANY // 2), "boolean"),
    }


KINDS = ["U", "S", "float", "interned", "fresh", "fresh and missing", "fresh integers", "fresh floats"]
KINDS += ["numpy scalars", "nan objects", "tuples", "tuples, few", "arrow", "distinct", "bool"]


@pytest.mark.parametrize("kind", KINDS)
def test_many_rows(kind):
    values, wanted, of_kind = many_rows()[kind]
    check(values, values.tolist() if wanted is None else wanted, of_kind)


def test_many_rows_without_numba_agree_with_numba(monkeypatch):
    random = np.random.default_rng(3)
    codes = random.integers(0, 12, 200_000)
    names = np.array([f"class {i}" for i in range(12)])
    for values in (codes, codes * 10**9, names[codes], names.astype(object)[codes], codes / 4):
        fast = code_labels(values, "truth")
        with monkeypatch.context() as patch:
            patch.setattr("classay.compiled.COMPILE_FROM", 10**9)
            plain = code_labels(values, "truth")
        assert fast.labels == plain.labels
        assert np.array_equal(fast.codes, plain.codes)


def test_unused_categories_may_be_anything():
    values = pd.Series(pd.Categorical(["a", "b"], categories=["a", 1, "b", float("inf")]))
    check(values, ["a", "b"], "text")


@given(
    st.lists(st.one_of(st.none(), st.integers(), st.floats(allow_infinity=False), st.booleans()))
    | st.lists(st.none() | st.text())
    | st.lists(st.none() | st.tuples(st.integers(), st.text()) | st.dates())
)
@settings(deadline=None)
def test_codes_decode_to_the_values(values):
    try:
        coded = code_labels(values, "truth")
    except InputError as error:
        assert "look like scores" in str(error)  # noqa: PT017
        return
    assert decoded(coded) == [None if value is None or value != value else value for value in values]
    again = code_labels(np.fromiter(values, object, len(values)), "truth")
    assert again.labels == coded.labels
    assert np.array_equal(again.codes, coded.codes)


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1))
@settings(deadline=None)
def test_every_storage_of_text_gives_the_same_codes(values):
    wanted = code_labels(values, "truth")
    for column in (np.array(values), pd.Series(values), pl.Series(values), pa.array(values)):
        coded = code_labels(column, "truth")
        assert coded.labels == wanted.labels
        assert coded.codes.tolist() == wanted.codes.tolist()


# Kernels: each compiled loop and its twin.


def both(kernel, *inputs, outputs):
    """The result and the outputs of the compiled loop and of the twin."""
    results = []
    for run in (kernel.compiled, kernel.twin):
        fresh = [np.full_like(output, 0) for output in outputs]
        results.append((run(*inputs, *fresh), *fresh))
    return results


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4"])
def test_offset_kernels_agree_with_twins(dtype):
    values = np.random.default_rng(0).integers(5, 60, 20_000).astype(dtype)
    fast, plain = both(kernels.near_codes, values, 5, outputs=[np.empty(20_000, np.int8)])
    assert fast[0] == plain[0] != 0
    assert np.array_equal(fast[1], plain[1])
    values[15_000] = 100
    fast, plain = both(kernels.near_codes, values, 5, outputs=[np.empty(20_000, np.int8)])
    assert fast[0] == plain[0] == 0
    for low in (0, 5):
        outputs = [np.empty(20_000, np.int16), np.empty(101, bool)]
        fast, plain = both(kernels.wide_codes, values, low, outputs=outputs)
        assert np.array_equal(fast[1], plain[1])
        assert np.array_equal(fast[2], plain[2])


@pytest.mark.parametrize(
    ("dtype", "target"), [("i1", "i1"), ("i1", "i2"), ("i4", "i4"), ("i8", "i1"), ("u1", "i4"), ("u4", "i2")]
)
def test_recode_agrees_with_twin(dtype, target):
    low = 0 if dtype[0] == "u" else -1
    codes = np.random.default_rng(0).integers(low, 9, 5_000).astype(dtype)
    table = np.array([-1, 3, 2, 1, 0, 4, 5, -1, 3, 3], target)
    fast, plain = both(kernels.recode, codes, table, outputs=[np.empty(5_000, target), np.empty(10, bool)])
    assert np.array_equal(fast[1], plain[1])
    assert np.array_equal(fast[2], plain[2])


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("room", [1, 40, 1000])
def test_row_codes_agree_with_twin(dtype, width, room):
    words = np.random.default_rng(0).integers(0, 6, (3_000, width)).astype(dtype)
    results = []
    for run in (kernels.row_codes.compiled, kernels.row_codes.twin):
        codes, firsts = np.zeros(3_000, np.int16), np.zeros(room, np.int64)
        row, count = run(words, codes, firsts, 0, 0)
        more = np.concatenate([firsts, np.zeros(1000, np.int64)])
        results.append((row, count, firsts, run(words, codes, more, row, count), more, codes))
    for fast, plain in zip(*results, strict=True):
        assert np.array_equal(fast, plain)
    assert np.array_equal(words[results[0][4][results[0][5]]], words)


@pytest.mark.parametrize("distinct", [3, 300, 40_000])
@pytest.mark.parametrize("kind", ["string", "large_string"])
def test_long_columns_of_arrow_text(distinct, kind):
    """Values of 0 to 24 bytes, some equal in their first eight; missing ones; slices and chunks."""
    rng = np.random.default_rng(0)
    known = [*{"é" * (i % 3) + "commonly" * (i % 2) + str(i) * (i % 4 > 0) for i in range(2 * distinct)}][
        :distinct
    ]
    values = [known[i] for i in rng.integers(0, len(known), MANY + 999)]
    column = pa.array(values, getattr(pa, kind)())
    assert decoded(code_labels(column, "truth")) == values
    assert decoded(code_labels(column[777:], "truth")) == values[777:]
    assert decoded(code_labels(pa.chunked_array([column[:5], column[5:]]), "truth")) == values
    values[3] = values[-1] = None
    assert decoded(code_labels(pa.array(values, getattr(pa, kind)()), "truth")) == values
    assert decoded(code_labels(pa.array([""] * MANY), "truth")) == [""] * MANY


# What is refused.


def test_a_single_value_is_no_column_beside_others_either():
    with pytest.raises(InputError, match="truth is a single value"):
        code_columns([("truth", np.array(3)), ("prediction", [3])])


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (
            np.zeros((5, 3)),
            r"has shape \(5, 3\), but must have one label per row.*one column.*multilabel",
        ),
        (pd.DataFrame({"a": [1], "b": [2]}), r"truth has shape \(1, 2\)"),
        (np.array(3), "single value"),
        ([[0, 1], [1, 0]], r"contains values of type list, such as \[0, 1\].*multilabel"),
        ([[0], [1]], r"type list, such as \[0\]. Pass the one column"),
        ([{"a"}, {"a", "b"}], "type set.*tuple.*multilabel"),
        ([frozenset("a")], "type frozenset.*multilabel"),
        ([np.array([1, 2])], "type ndarray.*multilabel"),
        (pa.array([[1, 2], [3]]), "type list.*multilabel"),
        (pl.Series([[1, 2], [3, 4]]), "multilabel"),
        ([{"a": 1}], "type dict.*cannot be hashed. Use text, numbers or tuples"),
        ([([],)], "type tuple.*cannot be hashed"),
        ([1, "1"], "truth mixes text and numbers, such as '1' and 1. Convert"),
        (np.array([True, "x"], object), "mixes text and numbers, such as 'x' and True"),
        (pd.Series(pd.Categorical([1, "1"])), "mixes text and numbers"),
        ([1.0, float("inf")], "the label inf. Labels must be finite"),
        (np.array([1.0, -np.inf]), "the label -inf"),
        ("abc", "truth is of type str. Pass a list"),
        ({1, 2}, "truth is of type set. Pass a list"),
        ({"a": 1}, "truth is of type dict"),
        (7, "truth is of type int. Pass a list, an array or a series with one value per row"),
        (pl.LazyFrame({"a": [1]}), "truth is of type LazyFrame"),
        (
            np.arange(100) / 1000 + 0.173,
            "truth contains 100 different fractions, such as 0.173. These look like",
        ),
        ((np.arange(100) / 1000 + 0.173).tolist(), "100 different fractions"),
        (np.arange(MANY) / MANY, f"{MANY - 1:,} different fractions"),
        (np.arange(MANY).astype(np.float32) / 1000, "look like scores. Pass true labels"),
        (pa.array(np.arange(100) / 1000), "99 different fractions"),
        (np.array(["a", 1] * MANY, object), "mixes text and numbers"),
        (np.fromiter(([1, 2] for _ in range(MANY)), object), "type list.*multilabel"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else type(value).__name__,  # the same in every run
)
def test_refused(values, text):
    with pytest.raises(InputError, match=text):
        code_labels(values, "truth")


def test_measurements_may_be_groups_that_bands_combine():
    assert len(code_labels(np.arange(MANY) / MANY, "group").labels) == MANY
    with pytest.raises(InputError, match="Round the numbers first"):
        refuse_score_share(MOST_MEASURED + 1, 2 * MOST_MEASURED, 2 * MOST_MEASURED, 0.5, "by")


def test_a_few_fractional_numbers_are_labels():
    values = np.concatenate([np.zeros(400), np.arange(60) / 100])
    assert len(code_labels(values, "truth").labels) == 60
    assert len(code_labels(np.arange(50) / 100, "truth").labels) == 50
    assert len(code_labels(np.arange(1000.0), "truth").labels) == 1000


# Uniting columns.


def united(*columns, declared=None):
    coded = [
        (name, code_labels(values, name))
        for name, values in zip(("truth", "prediction"), columns, strict=True)
    ]
    labels, codes = unite(coded, declared)
    assert {column.dtype for column in codes} == {np.dtype(kernels.code_type(len(labels)))}
    return labels, [[labels[code] if code >= 0 else None for code in column.tolist()] for column in codes]


def test_unite():
    assert united(["a", None, "c"], ["b", "c"]) == (("a", "b", "c"), [["a", None, "c"], ["b", "c"]])
    labels, codes = united([0, 1], [1.0, 2.5, 0.0])
    assert codes == [[0, 1], [1, 2.5, 0]]
    assert [type(label) for label in labels] == [int, int, float]
    assert [type(label) for label in united([True, False], [0, 1, 1])[0]] == [bool, bool]
    assert [type(label) for label in united([1, 0], [True])[0]] == [int, int]
    assert united([], [1, 2]) == ((1, 2), [[], [1, 2]])
    assert united([None], ["x"]) == (("x",), [[None], ["x"]])
    wide = united(list(range(100)), list(range(50, 200)))
    assert wide == (tuple(range(200)), [list(range(100)), list(range(50, 200))])


def test_unite_declared():
    labels, codes = united(["b", "a"], ["a"], declared=["c", "b", "a"])
    assert (labels, codes) == (("c", "b", "a"), [["b", "a"], ["a"]])
    with pytest.raises(
        InputError, match=r"prediction contains labels that are not declared: 'd'. Declared labels: 'a', 'b'"
    ):
        united(["a"], ["d"], declared=["a", "b"])
    with pytest.raises(InputError, match="contains 1 twice"):
        united([1], [1], declared=[1, True])
    with pytest.raises(InputError, match=r"truth contains labels that are not declared: 0, 1, .*195 more"):
        united(list(range(200)), [], declared=["1"])


def test_unite_copies_nothing_that_stays():
    first, second = code_labels([0, 1], "truth"), code_labels([0, 1, 2], "prediction")
    _, codes = unite([("truth", first), ("prediction", second)])
    assert codes[0] is first.codes
    assert codes[1] is second.codes


@pytest.mark.parametrize(
    ("truth", "prediction", "text"),
    [
        (
            [0, 1],
            ["0", "1"],
            "truth contains numbers such as 1, but prediction contains text such as '1'. Convert one of them",
        ),
        ([True], ["x"], "truth contains booleans such as True, but prediction contains text"),
        (
            [True, False],
            [1, 2],
            "truth contains booleans such as True, but prediction contains numbers such as 2",
        ),
        ([Colour.RED], [1], "other values such as Colour.RED, but prediction contains numbers"),
    ],
)
def test_unite_refuses_columns_of_two_kinds(truth, prediction, text):
    with pytest.raises(InputError, match=text):
        united(truth, prediction)


def test_match_label():
    assert match_label("a", ("a", "b")) == "a"
    assert match_label(np.int64(1), (0, 1)) == 1
    for wanted, labels, found in [
        ("1", (0, 1), 1),
        ("1.0", (0.0, 1.0), 1.0),
        ("1", (0.0, 1.0), 1.0),
        ("true", (False, True), True),
        ("1", (decimal.Decimal(1),), decimal.Decimal(1)),
        ("True", (False, True), True),
        ("1", (False, True), True),
        (1, (False, True), True),
        (True, (0, 1), 1),
        ("2020-01-01", (datetime.date(2020, 1, 1),), datetime.date(2020, 1, 1)),
        ("Colour.RED", (Colour.RED, Colour.BLUE), Colour.RED),
    ]:
        result = match_label(wanted, labels)
        assert (result, type(result)) == (found, type(found))
    with pytest.raises(
        InputError, match=r"Label 'malignent' .* 'benign', 'malignant'. Did you mean 'malignant'\?"
    ):
        match_label("malignent", ("benign", "malignant"))
    with pytest.raises(InputError, match=r"Label 1 .*'0', '1'. Did you mean '1'"):
        match_label(1, ("0", "1"))
    with pytest.raises(
        InputError,
        match=r"Label 'true' does not occur. Labels: 0, 1.",
    ):
        match_label("true", (0, 1))
    with pytest.raises(InputError, match="Labels: none"):
        match_label("x", ())


def test_small_columns_import_nothing():
    program = """
import sys
import numpy as np
import classay.columns
loaded = set(sys.modules)
text = ["a", "b"] * 500
rows = np.arange(1000)
columns = [[0, 1] * 500, text, np.array(text), np.array(text, object), rows % 3, rows > 5, rows / 2 // 1]
for column in columns:
    classay.columns.code_labels(column, "truth")
heavy = {"numba", "pyarrow", "pandas", "narwhals", "polars", "scipy"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
assert set(sys.modules) == loaded, set(sys.modules) - loaded
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
