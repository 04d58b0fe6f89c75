"""The one place where rows are checked: what comes out of `check`."""

from decimal import Decimal
from fractions import Fraction
from itertools import permutations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import classay as ca
from classay.answers import AnswerPolicy
from classay.columns.coding import hash_text
from classay.columns.numbers import as_array
from classay.errors import InputError
from classay.predictions import InputRows, check


def test_two_classes():
    rows = check(InputRows(["spam", "ham", "spam"], [0.9, 0.2, 0.4], positive="spam"))
    assert (rows.labels, rows.positive, rows.negative) == (("ham", "spam"), "spam", "ham")
    assert rows.truth.tolist() == [1, 0, 1]
    assert rows.is_positive.tolist() == [True, False, True]
    assert rows.score.tolist() == [0.9, 0.2, 0.4]
    assert rows.class_scores is rows.predicted is rows.weight is None
    assert rows.rows == 3


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        ([0, 1], 1),
        ([False, True], True),
        ([0.0, 1.0], 1),
        ([Decimal(0), Decimal(1)], 1),
        ([Decimal("0.0"), Decimal("1.00")], 1),
        (["0", "1"], "1"),
    ],
)
def test_one_and_true_are_positive(labels, positive):
    rows = check(InputRows(labels, [0.1, 0.9]))
    assert rows.positive == positive
    assert type(rows.positive) is type(positive)
    for only in labels:  # one class alone is assessed too
        alone = check(InputRows([only, only], [0.1, 0.9]))
        assert alone.labels == tuple(labels)
        assert alone.positive == positive
        assert alone.is_positive.tolist() == [only == positive] * 2


def test_one_class_with_a_name():
    rows = check(InputRows(["cat", "cat"], [0.1, 0.9], positive="cat"))
    assert rows.labels == ("not cat", "cat")
    declared = check(InputRows(["cat", "cat"], [0.1, 0.9], positive="dog", labels=["cat", "dog"]))
    assert declared.labels == ("cat", "dog")
    assert not declared.is_positive.any()


def test_labels_are_declared_in_the_order_of_the_score_columns():
    scores = np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]])
    rows = check(InputRows(["b", "a"], scores, labels=["b", "a", "c"]))
    assert rows.labels == ("b", "a", "c")
    assert rows.truth.tolist() == [0, 1]
    columns = {"b": scores[:, 0], "a": scores[:, 1], "c": scores[:, 2]}
    by_label = check(InputRows(["b", "a"], columns, labels=["b", "a", "c"]))
    assert by_label.class_scores.tolist() == rows.class_scores.tolist()
    for order in permutations(columns):  # the sequence of columns says nothing
        anyhow = check(InputRows(["b", "a"], {label: columns[label] for label in order}))
        assert anyhow.labels == ("a", "b", "c")
        assert anyhow.class_scores.tolist() == scores[:, [1, 0, 2]].tolist()
    assert check(InputRows(["b", "a", "c"], np.eye(3))).labels == ("a", "b", "c")


def test_prediction_brings_its_labels():
    rows = check(InputRows(["a", "b"], y_pred=["c", "b"]))
    assert rows.labels == ("a", "b", "c")
    assert (rows.truth.tolist(), rows.predicted.tolist()) == ([0, 1], [2, 1])
    assert rows.positive is None


def test_rows_left_out_take_everything_with_them():
    rows = check(
        InputRows(
            ["a", None, "b", "b"],
            [0.1, np.nan, 0.3, 0.4],
            y_pred=["a", "b", None, "b"],
            positive="b",
            frequency=[1, 1, 1, 2],
            cluster=["x", "y", "z", "x"],
            id=["i", "j", "k", "l"],
            policy=AnswerPolicy("drop", "drop"),
        )
    )
    assert rows.dropped == 2
    assert (rows.truth.tolist(), rows.predicted.tolist()) == ([0, 1], [0, 1])
    assert rows.score.tolist() == [0.1, 0.4]
    assert rows.frequency.tolist() == [1, 2]
    assert rows.clusters == ("x",)
    assert rows.id.tolist() == [hash_text("i"), hash_text("l")]


def test_a_label_that_only_left_rows_had_is_gone():
    rows = check(
        InputRows(
            ["a", "b", "c"], y_pred=["a", "b", None], positive="b", policy=AnswerPolicy(unanswered="drop")
        )
    )
    assert rows.labels == ("a", "b")


def test_where_a_score_is_missing():
    with pytest.raises(InputError, match=r"missing values \(NaN\) in 2 rows \(first: index 1\)"):
        check(InputRows([0, 1, 1], [0.1, np.nan, np.nan]))
    with pytest.raises(InputError, match=r"in 1 row \(index 2"):
        check(InputRows([0, 1, 2], np.array([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4], [np.nan, 0.5, 0.5]])))
    with pytest.raises(InputError, match=r"in 1 row \(index 1"):
        check(InputRows([None, 1, 0], [np.nan, np.nan, 0.3], policy=AnswerPolicy("drop")))
    assert check(InputRows([1, 0, 0], [np.inf, -np.inf, 0.3])).score[0] == np.inf


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (np.float64, np.float64),
        (np.float32, np.float32),
        (np.float16, np.float16),
        (np.int64, np.float64),
        (np.uint8, np.float64),
        (bool, np.float64),
    ],
)
def test_precision_is_kept(given, expected):
    values = np.array([0, 1, 1], given)
    for column in (
        values,
        values.tolist(),
        pd.Series(values),
        pa.array(values),
        pa.chunked_array([values, values]),
    ):
        kept = expected if not isinstance(column, list) else np.float64
        array = as_array(column, "score")
        assert array.dtype == kept
        assert array[:3].tolist() == [0, 1, 1]
        assert array.flags.c_contiguous


def test_missing_values_become_nan():
    for column in (
        [None, 0.5],
        pa.array([None, 0.5]),
        pa.chunked_array([[None], [0.5]], pa.float64()),
        pa.array([None, 1]),
        pd.Series([None, 0.5], dtype="Float64"),
        pd.Series([None, 0.5], dtype="double[pyarrow]"),
    ):
        assert np.isnan(as_array(column, "score")).tolist() == [True, False]


def test_inputs_are_not_changed():
    truth, score, weight = np.array([0, 1, 1]), np.array([0.3, 0.1, 0.2]), np.array([1.0, 2.0, 0.0])
    for each in (truth, score, weight):
        each.flags.writeable = False
    check(InputRows(truth, score, weight=weight))
    check(InputRows(truth, score, frequency=weight))


def test_arrow_columns_do_not_import_pandas():
    import subprocess
    import sys

    # A buffer of Arrow, as its threads may call a file of Python once more while the interpreter ends.
    code = """
import sys
import pyarrow as pa
from pyarrow import csv
from classay.columns.numbers import as_array
table = csv.read_csv(pa.BufferReader(b"p,n\\n0.1,1\\n0.2,2\\n"))
values = as_array(table["p"], "score"), as_array(table["n"].chunk(0), "score")
sys.exit("pandas" in sys.modules or values[0].tolist() != [0.1, 0.2])
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def forms_of(values):
    """The same scores as every kind of column that keeps their precision."""
    arrow = pa.array(values)
    by_pandas = (
        values if values.dtype == np.float16 else pd.Categorical(values)
    )  # which has no index of halves
    return {
        "array": values,
        "list": list(values),
        "series": pd.Series(values),
        "categories": pd.Series(by_pandas),
        "Arrow": arrow,
        "chunks": pa.chunked_array([arrow[:3], arrow[3:]]),
        "dictionary": pa.DictionaryArray.from_arrays(pa.array(np.arange(values.size)), arrow),
        "two columns": np.stack([1 - values, values], 1),
        "list with a gap": [*values, None],
        "Arrow with a gap": pa.concat_arrays([arrow, pa.nulls(1, arrow.type)]),
    }


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_thresholds_are_compared_in_the_precision_of_the_scores(dtype, tmp_path):
    written = [0.1, 0.2, 0.3, 0.6, 0.7, 0.9]
    scores = np.array(written, dtype)
    for name, column in forms_of(scores).items():
        y = [1, 0, 1, 0, 1, 0] + [1] * name.endswith("gap")
        a = ca.assess(y, column, unanswered="drop" if name.endswith("gap") else "refuse")
        a.save(tmp_path / "a.classay")
        b = ca.load(tmp_path / "a.classay")
        for table in (a.scores, b.scores, (a + b).scores):
            assert table.scores.dtype == dtype, name
            for reached, threshold in enumerate(reversed(written), 1):
                assert table.at(threshold).counts[1].sum() == reached * table.n_positive / 3, (
                    name,
                    threshold,
                )


@pytest.mark.parametrize(
    "large", [2**53 + 1, Decimal(2**53 + 1), Decimal(2**53 + 3) * 10**4, Fraction(2**53 + 1)]
)
def test_numbers_that_a_float_would_tie_are_refused(large):
    columns = [[large, 1.5], [0.25, None, large]]
    if isinstance(large, Decimal):
        columns += [pa.array([large, Decimal(1)]), pa.array([large, None])]
    for column in columns:
        with pytest.raises(InputError, match="would tie"):
            as_array(column, "score")
    assert as_array([Decimal(2**54), Decimal("0.1")], "score").tolist() == [2.0**54, 0.1]
    assert as_array(pa.array([Decimal(2**54), None]), "score")[0] == 2.0**54


def test_weights_may_range_as_far_as_floats_tell_them_apart():
    """2⁵² apart the least still counts beside the greatest; rows of weight 0 do not."""
    for least, is_refused in ((2.0**-52, False), (0.99 * 2.0**-52, True)):
        how = {"y_pred": [1, 0, 1, 0], "weight": [1.0, least, 0.0, 0.5]}
        if is_refused:
            with pytest.raises(InputError, match=r"weight ranges from .* to 1, too wide a range"):
                ca.assess([1, 0, 0, 0], **how)
        else:
            assert ca.assess([1, 0, 0, 0], **how)["accuracy"].value == 1
