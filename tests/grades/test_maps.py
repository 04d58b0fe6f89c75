"""Grades as numbers: maps that are shown, refusals of what they lack, and bounds."""

from math import nan

import numpy as np
import pytest

import classay as ca
from classay.grades.maps import mapped
from classay.grades.records import FAILED, SILENT


def numbers(raw, **options):
    """The numbers of grades."""
    return mapped(raw, [False] * len(raw), "judge", **options)


@pytest.mark.parametrize(
    ("raw", "expected", "shown", "bounds"),
    [
        ([True, False], [1, 0], "false = 0, true = 1", (0, 1)),
        (["Yes", "no", "YES"], [1, 0, 1], "no = 0, yes = 1", (0, 1)),
        (["pass", "FAIL"], [1, 0], "fail = 0, pass = 1", (0, 1)),
        ([1, 0, 1.0], [1, 0, 1], "", (0, 1)),
        (["1", "0"], [1, 0], "", (0, 1)),
        (["yes", "yes"], [1, 1], "yes = 1", (0, 1)),
        ([0.25, 1.0], [0.25, 1], "", None),
        ([1, 2, 5], [1, 2, 5], "", None),
    ],
)
def test_grades_that_every_tool_means_alike(raw, expected, shown, bounds):
    found = numbers(raw)
    assert found.values.tolist() == expected
    assert (found.shown_map, found.bounds) == (shown, bounds)


def test_what_is_no_grade_is_missing_with_its_reason():
    found = mapped([None, nan, "", "NaN", SILENT, FAILED, 1, 1], [False] * 7 + [True], "judge")
    assert found.statuses == [*["no grade"] * 4, "scorer silent", "error", "graded", "error"]
    assert np.isnan(found.values).sum() == 7


def test_a_map_declares_the_range_and_refuses_what_it_lacks():
    found = numbers([1, 2.0, "5"], table={"1": 0, "2": 0.25, "3": 0.5, "4": 0.75, "5": 1})
    assert found.values.tolist() == [0, 0.25, 1]
    assert (found.bounds, found.bounds_from) == ((0, 1), "of the map")
    with pytest.raises(ca.InputError, match=r"2 grades of judge are not in the map: '6' \(2\)"):
        numbers([1, 6, 6.0], table={"1": 0, "5": 1})
    with pytest.raises(ca.InputError, match="must give a number to each grade"):
        numbers([1], table={"1": float("nan")})


def test_letters_are_numbers_only_for_inspect():
    assert numbers(["C", "I"], has_letters=True).shown_map == "C = 1, P = 0.5, I = 0, N = 0"
    with pytest.raises(ca.InputError, match="not numeric: 'C' \\(1\\) and 'I' \\(1\\)"):
        numbers(["C", "I"])


@pytest.mark.parametrize("raw", [["good"], [float("inf")], [{"a": 1}], [[1, 2]], ["4/5"], ["1,5"], ["1_000"]])
def test_other_grades_are_refused(raw):
    with pytest.raises(ca.InputError, match="not numeric"):
        numbers(raw)


def test_bounds_hold_all_grades():
    assert numbers([0.2, 0.9], bounds=(0, 1)).bounds == (0, 1)
    with pytest.raises(ca.InputError, match="1 of 2 grades of judge are outside the bounds 0 to 1"):
        numbers([0.2, 1.9], bounds=(0, 1))
    with pytest.raises(ca.InputError, match="two numbers, the lower first"):
        numbers([0.2], bounds=(1, 0))
