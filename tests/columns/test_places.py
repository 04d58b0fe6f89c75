"""Errors count rows as they came: also where rows were left out, or joined, before the fault was found."""

import numpy as np
import pandas as pd
import pytest

import classay as ca
from classay.columns.numbers import original_row, picked
from classay.errors import InputError

N = 40
TRUTH = [None if i in (2, 11) else i % 2 for i in range(N)]
SCORE = (np.arange(N) % 7 / 10 + 0.1).tolist()
AT = 23
"""Where the fault is, behind the rows that are left out."""


def with_fault(values, fault):
    return [*values[:AT], fault, *values[AT + 1 :]]


FAULTS = {
    "negative weight": {"weight": with_fault([1.0] * N, -1.0)},
    "missing weight": {"weight": with_fault([1.0] * N, np.nan)},
    "negative frequency": {"frequency": with_fault([1] * N, -1)},
    "weight of text": {"weight": with_fault([1.0] * N, "many")},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_comparison_that_drops_rows_counts_those_that_came(fault):
    with pytest.raises(InputError, match=rf"index {AT}"):
        ca.compare({"a": SCORE, "b": SCORE[::-1]}, TRUTH, missing="drop", **FAULTS[fault])


@pytest.mark.parametrize("model", "ab")
@pytest.mark.parametrize(("value", "unanswered"), [(None, "refuse"), ("high", "refuse"), ("high", "drop")])
def test_rows_joined_by_an_id_are_counted_in_their_own_table(model, value, unanswered):
    frame = pd.DataFrame({"case": range(N), "y": TRUTH, "p": SCORE})
    tables = {"a": frame.iloc[::-1].reset_index(drop=True), "b": frame.sample(frac=1, random_state=0)}
    tables["b"] = tables["b"].reset_index(drop=True)
    if unanswered == "drop":
        tables["b"] = tables["b"].iloc[5:].reset_index(drop=True)
    tables[model]["p"] = tables[model]["p"].astype(object)
    tables[model].loc[AT, "p"] = value
    how = {"truth": "y", "scores": "p", "id": "case", "missing": "drop", "unanswered": unanswered}
    with pytest.raises(InputError, match=rf"index {AT}"):
        ca.compare(tables, **how)


def test_another_truth_is_counted_in_the_first_table():
    frame = pd.DataFrame({"case": range(N), "y": [i % 2 for i in range(N)], "p": SCORE})
    other = frame.iloc[::-1].iloc[:-3]
    other = other.assign(
        y=[1 - each if case == AT else each for case, each in zip(other.case, other.y, strict=True)]
    )
    with pytest.raises(InputError, match=f"in 1 of 37 cases, the first at index {AT} of a"):
        ca.compare(
            {"a": frame, "b": other}, truth="y", scores="p", id="case", missing="drop", unanswered="drop"
        )


def test_class_scores_that_have_no_sum_are_counted_before_rows_are_left_out():
    scores = np.full((N, 3), 1 / 2)
    scores[AT] = (-1, 1, 1)
    truth = [None if each is None else "xyz"[i % 3] for i, each in enumerate(TRUTH)]
    with pytest.raises(InputError, match=rf"\(index {AT}\)\. Use score_scale"):
        ca.assess(truth, scores, missing="drop", improper="renormalise")


def test_places_of_rows_picked_from_rows_that_were_picked():
    rng = np.random.default_rng(0)
    first, second = rng.permutation(50)[:30], rng.permutation(30)[:9]
    mark = np.isin(np.arange(9), (1, 4, 8))
    with picked(first), picked(second), picked(None), picked(mark):
        assert [original_row(k) for k in range(3)] == first[second[mark]].tolist()
    assert original_row(3) == 3
