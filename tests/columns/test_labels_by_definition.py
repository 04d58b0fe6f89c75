"""Orders of labels, shifted codes and labels that differ in spelling, against what they mean, by brute force."""

from itertools import permutations, product

import numpy as np
import pyarrow as pa
import pytest

from classay.columns.labels import Labels, _as_declared, declared, shift_of_codes, united
from classay.columns.opened import opened, opened_list
from classay.columns.spelling import differing, near_misses
from classay.errors import ClassayError, InputError, MergeError


def is_part(labels, order):
    """Whether labels stand in an order as they stand here."""
    return [label for label in order if label in labels] == [*labels]


@pytest.mark.parametrize("seed", range(60))
def test_two_orders_unite_to_the_only_sequence_that_keeps_both(seed):
    rng = np.random.default_rng(seed)
    a, b = (tuple(rng.permutation(list("abcde"))[: rng.integers(1, 5)].tolist()) for _ in range(2))
    if seed % 3:  # mostly orders that agree
        a, b = (tuple(sorted(labels)) for labels in (a, b))
    together = {*a, *b}
    fitting = [order for order in permutations(sorted(together)) if is_part(a, order) and is_part(b, order)]
    named = [("truth", Labels(a, "declared")), ("prediction", Labels(b, "categories"))]
    if len(fitting) == 1:
        found = united(named)
        assert (tuple(found), found.source) == (fitting[0], "declared")
        assert tuple(united(named[::-1])) == fitting[0]
    else:
        words = "do not determine one common order" if fitting else "contradict each other"
        for pair in (named, named[::-1]):
            with pytest.raises(MergeError, match=words):
                united(pair)


@pytest.mark.parametrize("seed", range(30))
def test_an_order_takes_the_labels_of_other_columns_that_it_knows(seed):
    rng = np.random.default_rng(seed)
    order, others = (tuple(rng.permutation(list("abcd"))[:size].tolist()) for size in (3, rng.integers(1, 4)))
    named = [("truth", Labels(others, "sorted")), ("prediction", Labels(order, "declared"))]
    if {*others} <= {*order}:
        assert tuple(united(named)) == order
    else:
        extra = ", ".join(repr(label) for label in others if label not in order)
        with pytest.raises(MergeError, match=f"does not include {extra} of truth"):
            united(named)
    plain = united([("truth", Labels(others, "sorted")), ("prediction", Labels(order, "sorted"))])
    assert tuple(plain) == (order if order == others else tuple(sorted({*order, *others})))


def test_listed_labels_are_ordered_if_ordered_categories_have_them_in_this_sequence():
    order = ("low", "mid", "high")
    for size in (1, 2, 3):
        for labels in permutations((*order, "other"), size):
            found = _as_declared(declared(labels), declared(labels), [("truth", Labels(order, "categories"))])
            ordered = all(label in order for label in labels) and is_part(labels, order)
            assert (tuple(found), found.source) == (labels, "categories" if ordered else "listed")
    for labels in permutations(order):
        given = declared(labels, ordered=True)
        if labels == order:
            assert _as_declared(given, given, [("truth", Labels(order, "categories"))]).source == "declared"
        else:
            with pytest.raises(InputError, match="contradicts the order of the categories of truth"):
                _as_declared(given, given, [("truth", Labels(order, "categories"))])


def test_codes_are_shifted_where_every_one_less_the_shift_is_true():
    sets = [{code for code, is_in in enumerate(some) if is_in} for some in product([0, 1], repeat=4)]
    for predicted, true in product(sets, sets):
        fitting = [by for by in (1, -1) if {code - by for code in predicted} <= true]
        wanted = fitting[0] if predicted and not predicted <= true and fitting else None
        assert shift_of_codes(predicted, true) == wanted
    assert shift_of_codes([True, 2], [0, 1]) is None
    assert shift_of_codes(["1"], [0]) is None


@pytest.mark.parametrize("number", [1, 2, 3, 4, 6])
def test_labels_that_differ_in_spelling_are_named_up_to_three(number):
    true = ["elm", "oak", "ash", "fir", "yew", "box"][:number]
    text = differing(near_misses([label.upper() for label in true], true), {"OAK": "new"})
    start = "'ELM' differs from 'elm' only in capitalization" if number == 1 else "'ELM' differ "
    assert text.startswith(start)
    shown = true[:3]
    for label in true:
        assert (f"from '{label}' only in capitalization" in text) == (label in shown)
    assert ("'OAK' of new" in text) == (number > 1)
    more = {4: " and 1 more label in the same way", 6: " and 3 more labels in the same way"}.get(number)
    assert text.endswith(more) if more else "more" not in text


def test_times_and_identifiers_of_arrow_are_values_of_python():
    assert str(opened_list(pa.array([1000], pa.time64("ns")))[0]) == "00:00:00.000001"
    with pytest.raises(
        ClassayError, match=r"times finer than a microsecond, such as 00:00:00.000000001\. Cast"
    ):
        opened_list(pa.array([1], pa.time64("ns")))
    if not hasattr(pa, "uuid"):  # before PyArrow 18 it had no identifiers
        return
    storage = pa.array([bytes(range(16))], pa.binary(16))
    column = pa.ExtensionArray.from_storage(pa.uuid(), storage)
    assert [str(value) for value in opened(column, "id")] == ["00010203-0405-0607-0809-0a0b0c0d0e0f"]
