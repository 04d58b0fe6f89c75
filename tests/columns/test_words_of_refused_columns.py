"""Refused columns in the singular and in the plural, and at the limits of what is still taken."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import classay as ca
from classay.columns import code_labels, unite
from classay.columns.class_columns import in_order_of_labels
from classay.columns.coding import hash_column
from classay.columns.labels import declared, refuse_undeclared
from classay.columns.numbers import (
    MOST_AMOUNT,
    MOST_EXACT,
    MOST_REPEATED,
    amount_array,
    as_array,
    score_array,
    weight_arrays,
)
from classay.columns.opened import _is_part, filled_in, single_column, with_narwhals
from classay.columns.repeats import repeated_ids, repeated_index
from classay.columns.scales import conversion, outside, read_scores
from classay.columns.spelling import written_otherwise
from classay.columns.values import MOST_MEASURED, refuse_score_share, typed
from classay.errors import InputError
from classay.texts import DoorText

P = np.full((6, 2), 0.5)


@pytest.mark.parametrize(
    ("true", "start", "add"),
    [
        ("abcabc", "Class 'c' has no scores. Scores are for 'a', 'b'. Add scores for it,", "c"),
        (
            "abcdab",
            "Classes 'c', 'd' have no scores. Scores are for 'a', 'b'. Add scores for them,",
            "cd",
        ),
    ],
)
def test_classes_without_scores_are_one_or_several(true, start, add):
    scores = {"a": P[:, 0], "b": P[:, 1]}
    with pytest.raises(InputError) as refused:
        ca.assess(list(true), scores)
    assert str(refused.value).startswith(start)
    more = ca.assess(list(true), scores | {label: np.zeros(6) for label in add})
    assert more.labels == (*"ab", *add)


def test_frequencies_add_up_exactly_or_are_refused():
    most = min(MOST_REPEATED, MOST_EXACT - 1)
    weight_arrays(None, [most, 1])
    with pytest.raises(InputError, match=r"frequency contains .*The maximum is"):
        weight_arrays(None, [MOST_REPEATED + 1024, 1])
    many = [MOST_REPEATED] * int(MOST_EXACT // MOST_REPEATED + 2)
    if len(many) < 10_000:
        with pytest.raises(InputError, match=r"frequency counts .* cases. The maximum is 2\^53"):
            weight_arrays(None, many)
    with pytest.raises(
        InputError, match=r"frequency contains 1\.5, but counts of identical rows must be whole"
    ):
        weight_arrays(None, [1, 1.5])


@pytest.mark.parametrize(("distinct", "is_refused"), [(MOST_MEASURED, False), (MOST_MEASURED + 1, True)])
def test_so_many_fractions_of_a_group_can_be_banded(distinct, is_refused):
    rows = 2 * distinct
    if is_refused:
        words = f"by contains {distinct:,} different fractions, such as 0.25. Up to {MOST_MEASURED:,} can be"
        with pytest.raises(InputError, match=words):
            refuse_score_share(distinct, rows, rows, 0.25, "by")
    else:
        refuse_score_share(distinct, rows, rows, 0.25, "by")
    with pytest.raises(InputError, match="These look like scores"):
        refuse_score_share(distinct, rows, rows, 0.25, "truth")


@pytest.mark.parametrize(("length", "is_cut"), [(58, False), (59, True)])
def test_a_long_value_is_cut_in_a_refusal(length, is_cut):
    """The value is written with its quotes, and with 60 characters at most."""
    with pytest.raises(InputError) as refused:
        score_array(["0.5", "x" * length])
    shown = f"'{'x' * 58}…" if is_cut else f"'{'x' * length}'"
    assert shown in str(refused.value)


def test_several_columns_are_no_column_of_labels():
    import pandas as pd

    one = pd.DataFrame({"y": ["a", "b", "a"]})
    assert code_labels(one, "truth").codes.tolist() == [0, 1, 0]
    for several in (one.assign(z=1), pd.DataFrame(np.ones((3, 2))), np.ones((3, 2), int)):
        with pytest.raises(InputError, match=r"truth has shape \(3, 2\), but must have one label per row"):
            code_labels(several, "truth")
    with pytest.raises(InputError, match=r"truth is a single value\. Pass a column with one label per row"):
        code_labels(np.array(3), "truth")


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "i4", "u2"])
@pytest.mark.parametrize("order", [">", "<"])
def test_numbers_of_either_byte_order_become_those_of_the_machine(kind, order):
    array = np.array([0, 1, 3], order + kind)
    found = score_array(array)
    assert found.tolist() == [0, 1, 3]
    assert found.dtype.isnative
    assert found.dtype == (np.dtype(kind) if kind[0] == "f" else np.float64)
    assert found.flags.c_contiguous


@pytest.mark.parametrize("declared", [None, ["a", "b"], [0, 1]])
@pytest.mark.parametrize(("true", "predicted"), [(["a", "b"], [0, 1]), ([2, 3], ["a", "b"])])
def test_text_and_numbers_are_no_labels_of_one_set(true, predicted, declared):
    columns = [("truth", code_labels(true, "truth")), ("prediction", code_labels(predicted, "prediction"))]
    with pytest.raises(InputError, match=r"Convert one of them\."):
        unite(columns, declared)
    binary = [
        (name, code_labels(column, name))
        for name, column in (("truth", [True, False]), ("prediction", [1, 0]))
    ]
    assert len(unite(binary)[0]) == 2


@pytest.mark.parametrize("end", [0.0, 1.0])
def test_scores_leave_their_range_by_rounding_up_to_a_ten_thousandth(end):
    """As far as the decimals in which they are written."""
    away = 1 if end else -1
    for beyond, where in (
        (0.0, "nowhere"),
        (1e-4, "by rounding"),
        (2e-4, "by more"),
        (1.23456789e-5, "by more"),
    ):
        assert outside(np.array([0.25, end + away * beyond])) == where


@pytest.mark.parametrize(
    ("short", "wanted"),
    [
        ("", True),
        ("a", True),
        ("ac", True),
        ("abc", True),
        ("ca", False),
        ("ad", False),
        ("d", False),
        ("aa", False),
    ],
)
def test_an_order_is_part_of_another_where_its_values_come_in_the_same_order(short, wanted):
    assert _is_part(list(short), list("abc")) == wanted


def test_many_fractions_name_the_least_of_them():
    values = np.concatenate([[9.0, 1e3], np.arange(1, 400) / 512])
    with pytest.raises(InputError, match=r"truth contains 399 different fractions, such as 0\.00195\."):
        code_labels(values, "truth")


TWO = {"a": [0.9, 0.2, 0.4], "b": [0.1, 0.8, 0.6]}


@pytest.mark.parametrize(
    ("scores", "labels", "words"),
    [
        (TWO, "ab", None),
        (TWO, "abc", None),
        ({"a": TWO["a"]}, "ab", "The class scores are for 'a', but the labels are 'a', 'b'."),
        (TWO | {"c": TWO["a"]}, "ab", "The class scores are for 'a', 'b', 'c', but the labels are 'a', 'b'."),
        (
            pd.DataFrame(TWO | {"age": TWO["a"]}),
            None,
            "Score columns 'age' do not match a label that occurs ('a', 'b'). Drop columns that are not classes, or "
            "list all classes with labels=.",
        ),
        (
            pd.DataFrame({"a": TWO["a"], "age": TWO["b"]}),
            None,
            "Score columns 'age' do not match labels 'b'. Name each column by its label, or list the labels in the "
            "order of the columns ('a', 'age') with labels=.",
        ),
        (
            pd.DataFrame({"a": TWO["a"], "age": TWO["b"]}),
            "ab",
            "Score columns 'age' do not match labels 'b'. Name each column by its label, or list the labels in the "
            "order of the columns ('a', 'age') with labels=.",
        ),
        (pd.DataFrame({"u": TWO["a"], "age": TWO["b"]}), "ab", None),
        (
            TWO | {"b": TWO["b"][:2]},
            None,
            "The score columns have different lengths. Pass columns of one length.",
        ),
        (
            pd.DataFrame(np.array([*TWO.values()]).T, columns=["a", "a"]),
            None,
            "Two score columns have the name 'a'. Rename or drop one.",
        ),
        (
            pa.Table.from_arrays([pa.array(column) for column in TWO.values()], ["a", "a"]),
            None,
            "Two score columns have the name 'a'. Rename or drop one.",
        ),
    ],
)
def test_columns_of_scores_are_of_the_labels_or_told(scores, labels, words):
    truth = code_labels(["a", "b", "b"], "truth")
    if words is None:
        array, known, absent = in_order_of_labels(scores, truth, labels and list(labels))
        assert (known, absent) == (tuple(labels), [2] if labels == "abc" else [])
        assert array[:, :2].tolist() == [[*row] for row in zip(*TWO.values(), strict=True)]
        return
    with pytest.raises(InputError) as refused:
        in_order_of_labels(scores, truth, labels and list(labels))
    assert str(refused.value) == words


@pytest.mark.parametrize(
    ("values", "advice"),
    [
        (["45%", 1], "Replace percentages with shares in the whole column, such as 0.45"),
        ([" +12,5 % ", 1], "Replace percentages with shares in the whole column, such as 0.125"),
        (["1,5", 1], "Use a decimal point and no thousands separators"),
        (["x", 1], "Pass a column of numbers"),
        ([1j, None], "Pass a column of numbers"),
    ],
)
def test_a_text_that_is_no_number_is_told_with_what_to_write(values, advice):
    with pytest.raises(InputError) as refused:
        as_array(values[::-1], "score")
    shown = f"score is not numeric: index 1 is {values[0]!r}. "
    assert str(refused.value) == f"{shown}{advice}."


def test_weights_of_nothing_are_named_by_their_kind():
    for name in ("weight", "frequency"):
        with pytest.raises(InputError) as refused:
            weight_arrays(**{"weight": None, "frequency": None} | {name: [0, 0]})
        assert str(refused.value) == f"{name} is 0 in every row. At least one row needs a positive {name}."


@pytest.mark.parametrize("least", [2.0**-52, 2.0**-52 * (1 - 2**-53)])
def test_weights_are_so_far_apart_at_most_and_zeros_count_nowhere(least):
    """Frequencies are whole numbers, and no part of this."""
    if least == 2.0**-52:
        assert weight_arrays([0.0, least, 1.0], None)[0].tolist() == [0.0, least, 1.0]
        assert weight_arrays(None, [1, 0, 10**12])[1].tolist() == [1, 0, 10**12]
        return
    with pytest.raises(InputError, match=r"weight ranges from 2\.22045e-16 to 1, too wide a range"):
        weight_arrays([0.0, least, 1.0], None)


def test_numbers_of_too_many_digits_stay_the_text_that_they_are():
    for digits, is_number in ((300, True), (400, False)):
        texts = ["1" * digits, "2"]
        assert typed(texts) == ([int("1" * digits), 2] if is_number else texts)


@pytest.mark.parametrize(
    "make", [np.asmatrix, pd.DataFrame, pl.DataFrame, lambda rows: pa.table({"a": rows[:, 0]})]
)
@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_one_column_in_any_frame_is_that_column(make):
    column = single_column(make(np.array([[1], [0], [3]])))
    assert [*map(int, column)] == [1, 0, 3]
    assert len(column) == 3


@pytest.mark.parametrize("gone", [[True, True], [True, False], [False, False]])
def test_rows_left_out_take_the_value_of_one_that_stays(gone):
    """Where no row stays, there is no value to take."""
    columns = {"a": [7, 8], "b": np.array([1.5, 2.5]), "c": None, "d": [1, 2, 3]}
    found = filled_in(columns, np.array(gone))
    if all(gone):
        assert found is None
        return
    at = [1 if row else k for k, row in enumerate(gone)]
    assert (found["a"], found["c"], found["d"]) == ([columns["a"][k] for k in at], None, [1, 2, 3])
    assert found["b"].tolist() == columns["b"][at].tolist()


@pytest.mark.parametrize("missing", [0, 1, 3])
def test_ids_that_are_missing_are_counted(missing):
    ids = np.arange(8.0)
    ids[:missing] = np.nan
    for column in (ids, pd.Series(ids), [*ids], ids.astype(object), pa.array(ids)):
        if not missing:
            assert len({*hash_column(column, "id").tolist()}) == 8
            continue
        with pytest.raises(InputError) as refused:
            hash_column(column, "id")
        rows = "1 row" if missing == 1 else "3 rows"
        assert str(refused.value) == f"id has missing values in {rows}. Every row needs a value."


@pytest.mark.parametrize(
    ("name", "wanted"), [("patient_id", ("patient_id", 6)), ("score", None), (None, None)]
)
def test_the_index_of_a_series_may_be_ids_that_repeat(name, wanted):
    index = pd.Index([*range(6)] * 3, name=name)
    assert repeated_index(pd.Series(range(18), index=index)) == wanted
    assert repeated_index([1, 2]) is None


def test_a_label_that_is_not_declared_is_compared_with_those_that_are():
    with pytest.raises(InputError) as refused:
        refuse_undeclared("truth", ["Oak", "oak", "elm"], ["oak", "elm"])
    assert str(refused.value) == (
        "truth contains labels that are not declared: 'Oak'. Declared labels: 'oak', 'elm'. 'Oak' differs from 'oak' "
        "only in capitalization. Declare every label that occurs, with its type (text or number)."
    )


def test_a_frame_of_two_columns_with_one_name_is_told_so():
    frame = pd.DataFrame([[1, 2]], columns=["a", "a"])
    with pytest.raises(InputError, match=r"^Columns of the frame have the same name \(.*\)\. Rename them\.$"):
        with_narwhals(frame)
    assert with_narwhals(pd.DataFrame([[1, 2]], columns=["a", "b"])).columns == ["a", "b"]


@pytest.mark.parametrize(
    ("rows", "how", "words"),
    [
        ("scores", {"improper": "keep"}, None),
        ("scores", {"improper": "divide"}, "improper must be 'keep' or 'renormalise', but is 'divide'."),
        ("none", {"improper": "divide"}, "improper must be 'keep' or 'renormalise', but is 'divide'."),
        ("none", {"improper": "keep", "scale": None}, None),
        (
            "none",
            {"improper": "renormalise"},
            "improper='renormalise' has no effect without class scores. Remove it.",
        ),
        ("none", {"scale": "logit"}, "score_scale='logit' has no effect without scores. Remove it."),
        (
            "scores",
            {"scale": "odds"},
            "score_scale must be 'probability', 'logit' or 'count', but is 'odds'.",
        ),
        ("scores", {"scale": "probability", "improper": "renormalise"}, None),
        (
            "scores",
            {"scale": "count", "improper": "renormalise"},
            "improper='renormalise' has no effect on probabilities made from counts by score_scale='count'. Remove "
            "one of the two.",
        ),
        (
            "raw",
            {"improper": "renormalise"},
            "improper='renormalise' is for probabilities, but class scores lie outside [0, 1] in 1 row (index 1). Use "
            "score_scale='count' for counts instead.",
        ),
        (
            "column",
            {"improper": "renormalise"},
            "Scores of one column cannot be normalized. Pass one score per class.",
        ),
        (
            "column",
            {"scale": "count"},
            "score_scale='count' needs a column of counts for each class, but there is one column of scores.",
        ),
        (
            "lost",
            {"scale": "logit"},
            "Every logit is -inf in 1 row (index 1). Use at least one finite logit per row, or "
            "remove the row.",
        ),
        (
            "lost",
            {"scale": "count"},
            "score_scale='count' needs counts from 0 up, at least one positive, but counts are "
            "negative, infinite or all zero in 1 row (index 1). Use score_scale='logit' for logits.",
        ),
        (
            "zeros",
            {"scale": "count"},
            "score_scale='count' needs counts from 0 up, at least one positive, but counts "
            "are negative, infinite or all zero in 2 rows (first: index 0). Use score_scale='logit' for logits.",
        ),
        (
            "zeros",
            {"improper": "renormalise"},
            "Class scores cannot be normalized in 2 rows (first: index 0). Values "
            "are negative, infinite or all zero.",
        ),
        (
            "raw",
            {"scale": "probability"},
            "The scores are not probabilities (they range from 0.2 to 3). Use "
            "score_scale='count' for counts, or remove score_scale= to use the scores as they are (without probability "
            "measures).",
        ),
    ],
)
def test_scores_are_on_the_scale_that_is_named_or_told(rows, how, words):
    scores = {
        "none": None,
        "scores": np.array([[0.25, 0.75], [0.5, 0.5]]),
        "raw": np.array([[0.2, 0.8], [0.5, 3.0]]),
        "column": np.array([0.2, 0.8]),
        "lost": np.array([[0.0, 1.0], [-np.inf, -np.inf]]),
        "zeros": np.array([[0.0, 0.0], [0.0, 0.0], [0.5, 0.5]]),
    }[rows]
    if words is None:
        read = read_scores(scores, **how)
        assert read.scores is scores if scores is None else read.scores.tolist() == scores.tolist()
        return
    with pytest.raises(InputError) as refused:
        read_scores(scores, **how)
    assert str(refused.value) == words


def test_logits_and_counts_are_the_shares_that_they_stand_for():
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 5, (20, 3))
    logits[3], logits[4, 1] = [800.0, 799.0, -800.0], -np.inf
    powers = np.exp(logits - logits.max(1, keepdims=True))
    assert np.allclose(read_scores(logits, "logit").scores, powers / powers.sum(1, keepdims=True), rtol=1e-12)
    column = logits[:, 0] / 50
    assert np.allclose(read_scores(column, "logit").scores, 1 / (1 + np.exp(-column)), rtol=1e-12)
    infinite = np.array([[np.inf, 1.0, np.inf], [np.inf, 5.0, 7.0]])
    assert read_scores(infinite, "logit").scores.tolist() == [[0.5, 0.0, 0.5], [1.0, 0.0, 0.0]]
    counts = rng.integers(1, 9, (20, 4))
    assert np.allclose(read_scores(counts, "count").scores, counts / counts.sum(1, keepdims=True), rtol=1e-15)


@pytest.mark.parametrize("raw", [True, False])
def test_a_class_that_the_model_never_saw_is_the_last_one(raw):
    scores = np.array([[0.2, -np.inf, 0.8], [3.0 if raw else 0.5, -np.inf, 0.5]])
    read = read_scores(scores, absent=[1])
    assert read.is_raw is raw
    assert read.scores[:, [0, 2]].tolist() == scores[:, [0, 2]].tolist()
    assert read.scores[:, 1].tolist() == [-np.inf if raw else 0.0] * 2


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([0, 0], None),
        ([MOST_AMOUNT, -1], None),
        ([1 / MOST_AMOUNT, 0], None),
        (
            [-1.5 * MOST_AMOUNT, 1],
            "The largest amount of fee must be from 1e-60 to 1e+60, but is 1.5e+60. Use another unit.",
        ),
        (
            [0.5 / MOST_AMOUNT, 0],
            "The largest amount of fee must be from 1e-60 to 1e+60, but is 5e-61. Use another unit.",
        ),
        (
            [np.nan, 1],
            "fee has missing or infinite values in 1 row (index 0). Fill in each value, with 0 for no cost.",
        ),
        ([[1, 2], [3, 4]], "fee has shape (2, 2). Pass one amount per row."),
    ],
)
def test_amounts_are_numbers_that_add_up(values, words):
    if words is None:
        assert amount_array(values, "fee").tolist() == values
        return
    with pytest.raises(InputError) as refused:
        amount_array(np.array(values), "fee")
    assert str(refused.value) == words


@pytest.mark.parametrize(
    ("rows", "values", "are_ids"), [(20, 18, True), (20, 19, False), (50, 5, False), (10, 5, True)]
)
def test_ids_repeat_in_a_tenth_of_the_rows_and_are_more_than_their_repeats(rows, values, are_ids):
    ids = [k % values for k in range(rows)]
    assert repeated_ids({"id": ids}) == (("id", values) if are_ids else None)


@pytest.mark.parametrize(
    ("scores", "advice"),
    [
        ([-1, 5], "Use score_scale='logit' for logits"),
        ([[0, 2], [3, 1]], "Use score_scale='count' for counts"),
        ([0, 100], "Divide scores from 0 to 100 by 100"),
        ([0, 101], "Divide the scores by their maximum"),
    ],
)
def test_what_is_no_probability_is_told_what_it_may_be(scores, advice):
    assert str(DoorText.of(conversion(np.array(scores)))) == advice


@pytest.mark.parametrize(
    ("untrue", "said"),
    [
        ([], ""),
        (["fir"], ""),
        (
            ["OAK"],
            "Predicted label 'OAK' differs from 'oak' only in capitalization and is never a true label. Its "
            "predictions count as incorrect. If both mean the same class, use one spelling.",
        ),
        (
            ["OAK", "elm "],
            "Predicted labels 'OAK' differ from 'oak' only in capitalization and 'elm ' from 'elm' only in spaces and "
            "are never true labels. Their predictions count as incorrect. If they mean the same class, use one "
            "spelling.",
        ),
    ],
)
def test_labels_written_in_another_way_are_told_one_or_several(untrue, said):
    assert written_otherwise(untrue, ["oak", "elm"]) == said


def test_an_order_is_of_labels_and_scores_of_classes():
    assert declared(None) is None
    with pytest.raises(
        InputError, match=r"^ordered=True needs all labels in their order\. Pass labels=\[…\] with it\.$"
    ):
        declared(None, ordered=True)
    assert score_array(np.ones((2, 1))).shape == (2,)
    for shape in ((2, 2, 2), (2, 0)):
        words = f"score has shape {shape}. Pass shape (rows,), or (rows, classes) for several classes."
        with pytest.raises(InputError) as refused:
            score_array(np.ones(shape))
        assert str(refused.value) == words


@pytest.mark.wings("formats")
def test_a_decimal_comma_has_an_option_at_the_command_alone():
    with pytest.raises(InputError) as refused:
        as_array(["1,5", 1], "score")
    advice = "Use a decimal point and no thousands separators{}."
    assert str(refused.value).endswith(advice.format(""))
    assert refused.value.at_the_command.endswith(advice.format(", or --decimal ','"))
