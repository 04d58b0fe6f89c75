"""Refused columns in the singular and in the plural, and at the limits of what is still taken."""

import numpy as np
import pytest

import classay as ca
from classay.columns import code_labels, unite
from classay.columns.numbers import MOST_EXACT, MOST_REPEATED, score_array, weight_arrays
from classay.columns.opened import _is_part
from classay.columns.scales import outside
from classay.columns.values import MOST_MEASURED, refuse_score_share
from classay.errors import InputError

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
