"""The door of columns: whatever kind a column comes as, labels, numbers, ids and class scores are the same."""

import datetime
import uuid
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import classay as ca
from classay.columns import code_labels, zero_one
from classay.columns.class_columns import table_columns
from classay.columns.coding import hash_column, id_column
from classay.columns.numbers import as_array
from classay.columns.opened import rows_of
from classay.columns.values import number_in, typed
from classay.curves.of_scores import binned_calibration
from classay.errors import InputError
from classay.inference.bands import simultaneous_roc_band
from classay.measures.ranking import fpr_at, tpr_at
from classay.predictions import InputRows, check
from classay.sources.files import read_table
from classay.sources.inputs import orders_by_id
from classay.tables import ConfusionMatrix, ScoreTable

# -- class scores are read by the names of their columns -----------------------------------------------------------

NAMES = ["cat", "dog", "owl"]
TRUTH = ["cat", "owl", "dog", "owl"]
SCORES = {"owl": [0.1, 0.7, 0.2, 0.3], "cat": [0.8, 0.1, 0.1, 0.5], "dog": [0.1, 0.2, 0.7, 0.2]}
TABLES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "record batch": pa.RecordBatch.from_pydict,
    "lazy": pl.LazyFrame,
    "structured": lambda columns: np.rec.fromarrays([*columns.values()], names=[*map(str, columns)]),
    "dict": dict,
}


@pytest.mark.parametrize("kind", TABLES)
def test_class_scores_of_a_table_go_by_name(kind):
    by_label = ca.assess(TRUTH, np.array([SCORES[name] for name in NAMES]).T, labels=NAMES)
    for order in (NAMES, NAMES[::-1], ["dog", "owl", "cat"]):
        a = ca.assess(TRUTH, TABLES[kind]({name: SCORES[name] for name in order}))
        for name in ("accuracy", "log_loss", "macro_recall"):
            assert a[name].value == pytest.approx(by_label[name].value, rel=1e-14)
        declared = ca.assess(TRUTH, TABLES[kind]({name: SCORES[name] for name in order}), labels=NAMES)
        assert declared.labels == tuple(NAMES)
        assert declared["accuracy"].value == 0.75


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_names_are_text_where_labels_are_numbers(kind):
    rows = check(
        InputRows([2, 0, 1], TABLES[kind]({"2": [0.8, 0.1, 0.2], "0": [0.1, 0.8, 0.1], "1": [0.1, 0.1, 0.7]}))
    )
    assert rows.labels == (0, 1, 2)  # whole numbers have their order
    assert rows.class_scores.argmax(1).tolist() == rows.truth.tolist()
    two = check(InputRows([True, False], TABLES[kind]({"True": [0.9, 0.2], "False": [0.1, 0.8]})))
    assert (two.positive, two.score.tolist()) == (True, [0.9, 0.2])
    shard = check(InputRows([0, 0], TABLES[kind]({"1": [0.2, 0.3], "0": [0.8, 0.7]})))
    assert (shard.labels, shard.score.tolist()) == ((0, 1), [0.2, 0.3])


def test_names_that_are_no_labels_need_declared_labels():
    plain = pd.DataFrame(np.array([SCORES[name] for name in NAMES]).T)
    assert ca.assess(TRUTH, plain, labels=NAMES)["accuracy"].value == 0.75
    with pytest.raises(InputError, match=r"columns 0, 1, 2 do not match labels 'cat'"):
        ca.assess(TRUTH, plain)
    wrong = pd.DataFrame({"cat": SCORES["cat"], "hund": SCORES["dog"], "owl": SCORES["owl"]})
    for labels in (None, NAMES):
        with pytest.raises(InputError, match="columns 'hund' do not match labels 'dog'"):
            ca.assess(TRUTH, wrong, labels=labels)
    twice = plain.set_axis(["cat", "cat", "owl"], axis=1)
    with pytest.raises(InputError, match="Two score columns have the name 'cat'"):
        ca.assess(TRUTH, twice)


def test_one_column_of_a_frame_is_the_score_of_the_positive_class():
    for kind in ("pandas", "polars", "arrow"):
        rows = check(InputRows([0, 1], TABLES[kind]({"p": [0.2, 0.9]})))
        assert rows.score.tolist() == [0.2, 0.9]


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_models_are_compared_by_the_names_of_their_scores(kind):
    other = dict(reversed(SCORES.items()))
    found = ca.compare({"a": TABLES[kind](SCORES), "b": TABLES[kind](other)}, TRUTH, measures=["accuracy"])
    assert found[0].effect.value == 0
    gaps = ca.compare(
        {"a": TABLES[kind](SCORES), "b": TABLES[kind](other)},
        [*TRUTH[:3], None],
        measures=["accuracy"],
        missing="drop",
    )
    assert gaps[0].effect.value == 0


def test_what_is_no_table():
    assert table_columns([[0.1]]) is table_columns(np.zeros((2, 2))) is table_columns(pd.Series([1])) is None


# -- ordered categories keep their order ----------------------------------------------------------------------------

GRADES = ["low", "mid", "high", "top"]
GRADE = ["low", "mid", "top", "low", "mid", "low"]
CALLED = ["low", "top", "top", "mid", "mid", "mid"]


def arrow_ordered(values):
    codes = pa.array([None if value is None else GRADES.index(value) for value in values], pa.int8())
    return pa.DictionaryArray.from_arrays(codes, pa.array(GRADES), ordered=True)


ORDERED = {
    "pandas": lambda values: pd.Series(pd.Categorical(values, categories=GRADES, ordered=True)),
    "pandas categorical": lambda values: pd.Categorical(values, categories=GRADES, ordered=True),
    "polars": lambda values: pl.Series(values, dtype=pl.Enum(GRADES)),
    "arrow": arrow_ordered,
    "arrow chunks": lambda values: pa.chunked_array([arrow_ordered(values[:2]), arrow_ordered(values[2:])]),
}


@pytest.mark.parametrize("kind", ORDERED)
def test_ordered_categories_are_an_ordinal_scale(kind):
    as_numbers = ca.assess([*map(GRADES.index, GRADE)], y_pred=[*map(GRADES.index, CALLED)])
    make = ORDERED[kind]
    for truth, called in [(make(GRADE), make(CALLED)), (make(GRADE), CALLED), (GRADE, make(CALLED))]:
        a = ca.assess(truth, y_pred=called)
        assert a.labels == tuple(GRADES)  # "high" keeps its place, though nobody has it
        declared = ca.assess(GRADE, y_pred=CALLED, labels=GRADES, ordered=True)
        assert a["qwk"].value == declared["qwk"].value != as_numbers["qwk"].value + 1
    assert ca.assess(make(GRADE), y_pred=CALLED, labels=GRADES[::-1]).labels == tuple(GRADES[::-1])
    parts = ca.assess(make(GRADE[:2]), y_pred=CALLED[:2]) + ca.assess(make(GRADE[2:]), y_pred=CALLED[2:])
    assert parts["qwk"].value == ca.assess(make(GRADE), y_pred=CALLED)["qwk"].value


def test_ordered_truth_orders_class_scores():
    scores = pd.DataFrame({name: [0.1, 0.2, 0.9] for name in sorted(GRADES)})
    assert check(InputRows(ORDERED["pandas"](GRADE[:3]), scores)).labels == tuple(GRADES)


def test_orders_that_contradict_each_other_are_refused():
    backwards = pd.Categorical(CALLED, categories=GRADES[::-1], ordered=True)
    with pytest.raises(
        InputError, match=r"orders of the labels contradict each other .truth has .*Use one order for both"
    ):
        ca.assess(ORDERED["pandas"](GRADE), y_pred=backwards)
    assert ca.assess(ORDERED["pandas"](GRADE), y_pred=backwards, labels=GRADES).labels == tuple(GRADES)
    parts = [
        arrow_ordered(GRADE),
        pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), pa.array(["mid", "low"]), ordered=True),
    ]
    with pytest.raises(InputError, match="in different orders"):
        code_labels(pa.chunked_array(parts), "truth")


def test_unordered_categories_have_no_order():
    for values in (pd.Categorical(GRADE, categories=GRADES), pl.Series(GRADE, dtype=pl.Categorical)):
        assert code_labels(values, "truth").labels == ("low", "mid", "top")


# -- codes are checked where they enter -----------------------------------------------------------------------------


@pytest.mark.parametrize("index", [3, 2_000_000_000, -2, -(2**31)])
@pytest.mark.parametrize("rows", [4, 200_000])
def test_codes_beyond_a_dictionary_are_refused(index, rows):
    codes = np.zeros(rows, np.int32)
    codes[1] = index
    bad = pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(["x", "y"]), safe=False)
    for column in (bad, pa.chunked_array([bad]), pa.chunked_array([bad, bad])):
        for read in (code_labels, as_array, hash_column):
            with pytest.raises(InputError, match="2 categories"):
                read(column, "truth")


def test_chunked_dictionaries_with_missing_values():
    parts = [
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 0], pa.int32()), pa.array(["x", None])),
        pa.array(["z", None]).dictionary_encode(),
    ]
    coded = code_labels(pa.chunked_array(parts), "truth")
    assert (coded.labels, coded.codes.tolist(), coded.missing) == (("x", "z"), [0, -1, 0, 1, -1], 2)
    with pytest.raises(InputError, match="id has missing values in 2 rows"):
        hash_column(pa.chunked_array(parts), "id")


# -- numbers --------------------------------------------------------------------------------------------------------


def test_masked_scores_are_missing():
    for shape in ((3,), (3, 2)):
        values = np.ma.masked_greater(np.full(shape, 0.5), 1)
        values[1] = 1e20
        values = np.ma.masked_greater(values, 1)
        assert np.isnan(as_array(values, "score")[1]).all()
    with pytest.raises(InputError, match=r"score has missing values \(NaN\) in 1 row \(index 1\)"):
        ca.assess([0, 1, 1], np.ma.array([0.1, 1e20, 0.4], mask=[0, 1, 0]))
    with pytest.raises(InputError, match="weight has missing or infinite values"):
        ca.assess([0, 1, 1], [0.1, 0.2, 0.3], weight=np.ma.array([1, 2, 3], mask=[0, 1, 0]))


BIG = 2**53


@pytest.mark.parametrize(
    "kind", [list, np.array, pd.Series, pl.Series, pa.array, lambda v: np.array(v, object)]
)
def test_whole_numbers_that_floats_would_round_are_refused(kind):
    assert as_array(kind([BIG, -BIG, 2**62]), "score").tolist() == [BIG, -BIG, 2**62]
    for odd in (BIG + 1, -BIG - 1, 2**63 - 1, -(2**63) + 1):
        with pytest.raises(InputError, match=r"2\^53, 64-bit floats cannot represent every whole number"):
            as_array(kind([BIG, odd]), "score")
    assert as_array(np.array([2**63, 0], np.uint64), "score").tolist() == [2.0**63, 0]
    with pytest.raises(InputError, match="18446744073709551615"):
        as_array(np.array([2**64 - 1, 0], np.uint64), "score")


def test_numbers_of_many_digits():
    with pytest.raises(InputError, match=r"2\^53"):
        ca.assess([0, 1], [10**200, 10**199])
    with pytest.raises(InputError, match="too large for a 64-bit float"):
        ca.assess([0, 1], [10**400, 1])
    with pytest.raises(InputError, match="too large for a 64-bit float"):
        ca.assess([0, 1], [10**10_000, 1])
    with pytest.raises(InputError, match=r"2\^53"):
        as_array([BIG + 1, 0.5], "score")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("10", 10),
        ("-1.5e3", -1500),
        (" 2 ", 2),
        (".5", 0.5),
        ("5.", 5),
        ("+1", 1),
        ("inf", np.inf),
        ("-Infinity", -np.inf),
    ]
    + [(text, None) for text in ("1_000", "0x0A", "1,5", "", "one", "١", "1 000", "1e", "--1", "1d3")],
)
def test_which_text_is_a_number(text, number):
    assert number_in(text) == number
    for column in ([text, "1"], np.array([text, "1"]), pa.array([text, "1"]), pd.Series([text, "1"])):
        if number is None:
            with pytest.raises(InputError, match="is not numeric"):
                as_array(column, "score")
        else:
            assert as_array(column, "score").tolist() == [number, 1]


NUMBERS = [0.5, None, 2.0, 1.0]
COLUMNS_OF_NUMBERS = {
    "list": NUMBERS,
    "decimals": [Decimal("0.5"), None, Decimal(2), Decimal("1.0")],
    "objects": np.array([0.5, pd.NA, 2, True], object),
    "masked": np.ma.array([0.5, 9, 2, 1], mask=[0, 1, 0, 0]),
    "masked integers": (np.ma.array([1, 9, 4, 2], mask=[0, 1, 0, 0]), 0.5),
    "big endian": np.array([0.5, np.nan, 2, 1], ">f8"),
    "long double": np.array([0.5, np.nan, 2, 1], np.longdouble),
    "pandas": pd.Series([0.5, None, 2, 1], dtype="Float64"),
    "pandas arrow": pd.Series([0.5, None, 2, 1], dtype="double[pyarrow]"),
    "pandas category": pd.Categorical([0.5, None, 2, 1]),
    "polars": pl.Series(NUMBERS),
    "polars decimal": pl.Series([Decimal("0.5"), None, Decimal(2), Decimal(1)]),
    "arrow decimal": pa.array([Decimal("0.5"), None, Decimal(2), Decimal(1)]),
    "arrow dictionary": pa.array(NUMBERS).dictionary_encode(),
    "arrow text": pa.array(["0.5", None, "2", "1.0"]),
    "memoryview": memoryview(np.array([0.5, np.nan, 2, 1])),
}


@pytest.mark.parametrize("kind", COLUMNS_OF_NUMBERS)
def test_every_kind_of_column_of_numbers(kind):
    column = COLUMNS_OF_NUMBERS[kind]
    column, scale = column if isinstance(column, tuple) else (column, 1)
    assert np.array_equal(as_array(column, "score") * scale, [0.5, np.nan, 2, 1], equal_nan=True)


@pytest.mark.parametrize(
    ("column", "text"),
    [
        (pd.MultiIndex.from_tuples([(0, 1), (1, 1)]), "score is a MultiIndex.*Pass one level"),
        (pa.array([["1"], ["2"]]), "score is not numeric, but a column of list"),
        (pa.array([datetime.date(2020, 1, 1)]), "score is not numeric, but a column of date32"),
        (np.array([1j, 2]), "of type complex128. Pass a column of numbers"),
        (np.array(["2020", "2021"], "M8[D]"), "of type datetime64"),
        ([object(), 1], "is not numeric"),
        ([[1, 2], [3]], "score has rows of different lengths"),
        ("abc", "score is of type str"),
        (pl.LazyFrame({"p": [1]}), "score is of type LazyFrame"),
        (["0,5", "1"], "decimal point"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_columns_of_no_numbers(column, text):
    with pytest.raises(InputError, match=text):
        as_array(column, "score")


@pytest.mark.parametrize("scale", [1e170, 1e-170, 1e-300])
def test_weights_whose_squares_are_no_floats_are_scaled(scale):
    truth, score = [0, 1, 1, 0], [0.1, 0.9, 0.05, 0.3]
    near, far = (ca.assess(truth, score, weight=np.array([3, 1, 2, 1]) * by) for by in (1.0, scale))
    for name, found in near.estimates(["roc_auc", "recall", "brier_score"]).items():
        other = far[name]
        assert (other.value, other.low, other.high) == pytest.approx(
            (found.value, found.low, found.high), rel=1e-12, nan_ok=True
        )


def test_memoryviews_and_multiindexes():
    truth, score = np.array([0, 1, 1]), np.array([0.1, 0.9, 0.3])
    assert ca.assess(memoryview(truth), memoryview(score))["roc_auc"].value == 1
    for read in (code_labels, hash_column):
        with pytest.raises(InputError, match="truth is a MultiIndex with several values per row"):
            read(pd.MultiIndex.from_tuples([(0, 1), (1, 1)]), "truth")


# -- ids ------------------------------------------------------------------------------------------------------------

UUIDS = [uuid.UUID(int=7), uuid.UUID(int=2**100)]
IDS = {
    "large unsigned": [
        np.array([2**63 + 1, 2], np.uint64),
        pa.array([2**63 + 1, 2], pa.uint64()),
        pl.Series([2**63 + 1, 2], dtype=pl.UInt64),
        [2**63 + 1, 2],
    ],
    "beyond 64 bits": [[2**70, 1], np.array([2**70, 1], object)],
    "bytes": [pa.array([b"\xff", b"a"]), [b"\xff", b"a"], pa.array([b"\xff", b"a"], pa.large_binary())],
    "uuid": [UUIDS, [*map(str, UUIDS)], np.array(UUIDS, object), pd.Series(UUIDS)],
    "whole": [
        [7, -1],
        [7.0, -1.0],
        [Decimal(7), Decimal(-1)],
        pa.array([7, -1], pa.int8()),
        pd.Categorical([7, -1]),
    ],
    "times": [
        pd.Series(pd.to_datetime(["2020-01-01", "2021-01-01"])),
        [datetime.datetime(2020, 1, 1), datetime.datetime(2021, 1, 1)],
        np.array(["2020-01-01", "2021-01-01"], "M8[ns]"),
        pa.array([datetime.datetime(2020, 1, 1), datetime.datetime(2021, 1, 1)], pa.timestamp("s")),
    ],
    "text": [
        ["a", "b"],
        np.array(["a", "b"]),
        pd.Series(["a", "b"], dtype="category"),
        pl.Series(["a", "b"]),
    ],
}


@pytest.mark.parametrize("kind", IDS)
def test_equal_ids_are_equal_in_every_kind_of_column(kind):
    wanted = hash_column(IDS[kind][0], "id").tolist()
    assert wanted[0] != wanted[1]
    for column in IDS[kind]:
        assert hash_column(column, "id").tolist() == wanted
        assert orders_by_id({"a": IDS[kind][0], "b": rows_of(column, np.array([1, 0]))})["b"].tolist() == [
            1,
            0,
        ]
        assert ca.assess([0, 1], [0.1, 0.9], id=column).blocks.cases.sum() == 2


def test_seven_and_its_text_are_different_ids():
    assert hash_column([7], "id") != hash_column(["7"], "id")
    with pytest.raises(
        InputError, match=r"The ids have different types \(a whole numbers, such as 7; b text, such as .7.\)"
    ):
        orders_by_id({"a": [7], "b": ["7"]})


@pytest.mark.parametrize(
    "column",
    [
        pa.array([{"a": 1}, {"a": 2}]),
        pa.array([[1], [2]]),
        [(1, 2), (3, 4)],
        [1, "a"],
        np.zeros((2, 2)),
        [1j, 2j],
    ],
    ids=lambda value: str(getattr(value, "type", value))[:20],
)
def test_what_is_no_id(column):
    with pytest.raises(InputError, match="id is not a column of ids"):
        id_column(column, "id")


def test_missing_ids_are_counted():
    for column in (
        [1, None],
        [1.5, float("nan")],
        np.ma.array([1, 2], mask=[0, 1]),
        pd.Categorical(["a", None]),
        pa.array([1.5, float("nan")]),
    ):
        with pytest.raises(InputError, match=r"id has missing values in 1 row. Every row needs a value"):
            hash_column(column, "id")


# -- zero and one -----------------------------------------------------------------------------------------------------

ZERO_ONE = {
    "int": [0, 1],
    "float": [0.0, 1.0],
    "bool": [False, True],
    "decimal": [Decimal(0), Decimal("1.0")],
    "text": ["0", "1"],
    "uint8": np.array([0, 1], np.uint8),
    "arrow decimal": pa.array([Decimal("0.00"), Decimal("1.00")]),
}


@pytest.mark.parametrize("kind", ZERO_ONE)
def test_zero_and_one_are_known_in_every_type(kind):
    values = ZERO_ONE[kind]
    rows = check(InputRows(values, [0.2, 0.9]))
    assert rows.is_positive.tolist() == [False, True]
    for positive in (None, "1", rows.positive):
        zeros = check(InputRows(rows_of(values, np.array([0, 0])), [0.2, 0.9], positive=positive))
        assert (zeros.labels, zeros.positive) == (rows.labels, rows.positive)
        assert not zeros.is_positive.any()
    assert check(
        InputRows(rows_of(values, np.array([1, 1])), [0.2, 0.9], positive="0")
    ).is_positive.tolist() == [
        False,
        False,
    ]


def test_zero_one():
    assert zero_one(()) is zero_one(("0", 1)) is zero_one((0, 2)) is zero_one((0.5, 1)) is None
    assert [*map(type, zero_one((True,)))] == [bool, bool]


def test_a_month_of_floats_merges_with_one_of_integers():
    months = [
        ([0.0, 1.0, 1.0, None], [0.1, 0.9, 0.2, 0.5]),
        ([0, 1, 0, 0], [0.3, 0.8, 0.1, 0.2]),
        ([1, 1], [0.3, 0.8]),
    ]
    months += [([Decimal("1.0"), Decimal(0)], [0.7, 0.1]), (np.array([1.0, 1.0]), [0.3, 0.8])]
    parts = [
        ca.assess(y, s, missing="drop", id=[*range(10 * i, 10 * i + len(s))])
        for i, (y, s) in enumerate(months)
    ]
    whole = ca.assess(
        [1 if value else 0 for y, _ in months for value in y if value is not None],
        [s for y, ss in months for v, s in zip(y, ss, strict=True) if v is not None],
    )
    for order in (parts, parts[::-1]):
        total = order[0]
        for part in order[1:]:
            total = total + part
        assert total["roc_auc"].value == whole["roc_auc"].value
        assert total.labels == (0, 1)
    by_float, by_int = (
        ca.assess(np.array([0, 1, 1], kind), [0.1, 0.9, 0.4], id=[1, 2, 3]) for kind in (float, int)
    )
    assert by_float.blocks.fingerprint.tolist() == by_int.blocks.fingerprint.tolist()
    both = ca.assess([True, False], [0.2, 0.1]) + ca.assess([1, 0], [0.3, 0.1])
    assert both["roc_auc"].value == 1


# -- rows that count nothing keep their class -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["weight", "frequency"])
def test_rows_of_weight_zero_keep_their_class(kind):
    truth, called, times = [2, 1, 1, 1, 0], [2, 1, 4, 3, 0], [2, 1, 2, 0, 2]
    a = ca.assess(truth, y_pred=called, **{kind: times})
    assert a["qwk"].value == pytest.approx(4 / 13)  # .3077
    counting = [i for i, each in enumerate(times) if each]
    kept = {"y_pred": [called[i] for i in counting], kind: [times[i] for i in counting]}
    without = ca.assess([truth[i] for i in counting], labels=[0, 1, 2, 3, 4], **kept)
    for name in ("qwk", "accuracy", "kappa", "mcc"):
        assert (a[name].value, a[name].low, a[name].high) == (
            without[name].value,
            without[name].low,
            without[name].high,
        )
    gone = ca.assess(
        ["a", "b", "c"], y_pred=["a", "b", None], unanswered="drop", positive="b", **{kind: [1, 1, 0]}
    )
    assert gone.labels == ("a", "b")  # a row that is left out is not there at all


def matrix(labels, rows="true"):
    return ConfusionMatrix.from_array([[1, 2], [3, 4]], labels, rows=rows)


# -- words, labels declared twice -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: matrix("ab", rows="predictions"), "but is 'predictions'. Did you mean 'predicted'"),
        (lambda: matrix(["a", "a"]), "contains 'a' twice"),
        (lambda: matrix([1, True]), "contains 1 twice"),
        (lambda: binned_calibration(TABLE, closed="rigth"), "but is 'rigth'. Did you mean 'right'"),
        (lambda: tpr_at(TABLE, 0.5, "lineal"), "but is 'lineal'. Did you mean 'linear'"),
        (lambda: fpr_at(TABLE, 0.5, "stairs"), "interpolation must be 'step' or 'linear', but is 'stairs'"),
        (lambda: simultaneous_roc_band(TABLE, method="DKV"), "but is 'DKV'. Did you mean 'DKW'"),
        (lambda: ca.assess([0, 1], [0.1, 0.2], missing="dorp"), "but is 'dorp'. Did you mean 'drop'"),
        (lambda: ca.assess([0, 1], [0.1, 0.2], missing=["drop"]), "missing must be a text, but is"),
    ],
)  # fmt: skip
def test_unknown_words_are_refused(call, text):
    with pytest.raises(InputError, match=text):
        call()


TABLE = ScoreTable.from_rows(np.array([0.9, 0.5, 0.1]), np.array([True, True, False]))

# -- labels that are saved come back --------------------------------------------------------------------------------

TIMES = [pd.Timestamp("2020-01-02 03:04:05.000006"), pd.Timestamp("2021-01-01")]
SAVED = {
    "timestamps": TIMES,
    "series of timestamps": pd.Series(TIMES),
    "time zones": pd.Series(TIMES).dt.tz_localize("Europe/Berlin"),
    "nanoseconds": pd.Series(pd.to_datetime([1, 2], unit="ns")),
    "arrow nanoseconds": pa.array([1, 2], pa.timestamp("ns")),
    "timedeltas": pd.Series(pd.to_timedelta([1, 2], unit="h")),
    "times": [datetime.time(1, 2), datetime.time(3)],
    "uuids": UUIDS,
    "decimals": [Decimal("0.10"), Decimal("2.5")],
    "dates": pl.Series([datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)]),
}


@pytest.mark.parametrize("kind", SAVED)
def test_times_and_the_like_come_back_when_saved(kind, tmp_path):
    values = SAVED[kind]
    labels = code_labels(values, "truth").labels
    a = ca.assess(values, [0.1, 0.9], positive=labels[1], cluster=values)
    a.save(tmp_path / "a.classay")
    loaded = ca.load(tmp_path / "a.classay")
    assert (loaded.labels, loaded.positive, loaded.clusters) == (a.labels, a.positive, a.clusters)
    assert (loaded + a).labels == a.labels
    loaded.save(tmp_path / "b.classay")
    assert (tmp_path / "a.classay").read_bytes() == (tmp_path / "b.classay").read_bytes()


# -- labels of text files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["1.1", "1.10"], ["1.1", "1.10"]),
        (["250.0", "250.00"], ["250.0", "250.00"]),
        (["10", "1E1"], ["10", "1E1"]),
        (["10", "0x0A"], ["10", "0x0A"]),
        (["01", "1"], ["01", "1"]),
        (["1_0", "10"], ["1_0", "10"]),
        (["true", "True"], ["true", "True"]),
        (["0", "1"], [0, 1]),
        (["0.0", "1.0"], [0, 1]),
        (["-3", "2.5"], [-3.0, 2.5]),
        (["TRUE", "FALSE"], [True, False]),
        (["1", "x"], ["1", "x"]),
        (["9007199254740993", "0.5"], ["9007199254740993", "0.5"]),
        (["18446744073709551617", "18446744073709551616"], ["18446744073709551617", "18446744073709551616"]),
        (["2020-01-01", "2020-01-02"], ["2020-01-01", "2020-01-02"]),
    ],
)
def test_no_two_texts_of_a_file_become_one_label(texts, labels, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("y,p\n" + "".join(f"{text},0.5\n" for text in texts))
    found = read_table(path, ["y", "p"], labels=["y"])["y"].to_pylist()
    assert found == labels
    assert [type(each) for each in code_labels(read_table(path, labels=["y"])["y"], "y").labels] == [
        type(each) for each in code_labels(labels, "y").labels
    ]


@given(st.lists(st.text("0123456789.eE+-xX_ tT", min_size=1, max_size=6), unique=True, min_size=1))
@settings(deadline=None)
def test_typed_texts_stay_apart(texts):
    values = typed(texts)
    assert len({*values}) == len(texts)


def test_long_columns_of_labels(tmp_path):
    whole, words = [str(i - 7) for i in range(6000)], [f"id{i}" for i in range(6000)]
    odd = [*whole[:-1], "007"]
    for name, texts, wanted in (
        ("whole", whole, [*map(int, whole)]),
        ("words", words, words),
        ("odd", odd, odd),
    ):
        path = tmp_path / f"{name}.csv"
        path.write_text("y\n" + "\n".join(texts) + "\n")
        assert read_table(path, labels=["y"])["y"].to_pylist() == wanted


def test_json_lines_keep_whole_numbers_beyond_64_bits(tmp_path):
    path = tmp_path / "a.jsonl"
    numbers = [2**70, 2**70 + 1, 2**64, None]
    path.write_text("".join(f'{{"c": {"null" if n is None else n}, "y": 1, "p": 1e30}}\n' for n in numbers))
    table = read_table(path)
    assert table["c"].to_pylist() == [None if n is None else str(n) for n in numbers]
    assert table["p"].to_pylist() == [1e30] * 4
    path.write_text('{"c": 1180591620717411303424} {"c": 1}\n{"c": 2}')
    assert read_table(path)["c"].to_pylist() == ["1180591620717411303424", "1", "2"]


def test_common_ids_keep_the_order_of_the_first_source():
    orders = orders_by_id({"a": [5, 7, 9, 1], "b": [1, 9, 5], "c": [9, 5, 2, 1]}, "drop")
    assert {name: each.tolist() for name, each in orders.items()} == {
        "a": [0, 2, 3],
        "b": [2, 1, 0],
        "c": [1, 0, 3],
    }
    with pytest.raises(InputError, match="No id occurs in all models"):
        orders_by_id({"a": [1], "b": [2]}, "drop")


@pytest.mark.parametrize("digits", [19, 38, 39, 75, 76])
def test_ids_that_are_decimals_of_any_width_are_whole_numbers(digits):
    short, largest = [1, -2, 2**63 - 1, -(2**63)], 10**digits - 1
    numbers = [*short, largest, 1 - largest, 2**63 + 5]
    kind = (pa.decimal128 if digits <= 38 else pa.decimal256)(digits, 0)
    found = hash_column(pa.array([*map(Decimal, numbers)], kind), "id")
    assert found[:4].tolist() == hash_column(short, "id").tolist()
    assert len({*found.tolist()}) == len(numbers)
    for scale in {0, (digits - 19) // 2}:
        scaled = pa.array([*map(Decimal, short)], pa.decimal256(digits, scale))
        assert hash_column(scaled, "id").tolist() == found[:4].tolist()
