"""Numbers as sentences write them: decimals by the cases, no sign of nothing, and no end that is not reached."""

from math import inf, isfinite, nan

import numpy as np
import pytest

from classay.inference.estimate import Estimate
from classay.inference.phrasing import (
    LONGEST_WORD,
    NUMBERS_AS_RATIOS,
    SHARES,
    adjusted_for,
    decimals_of_percent,
    difference_text,
    fixed,
    is_share_name,
    label_text,
    number_with_interval,
    percent,
    share_with_interval,
    short_title,
    sized,
    value_text,
    value_with_interval,
)
from classay.measures import get

VALUES = [0.0, 1e-9, 1e-6, 0.0004, 0.005, 0.05, 0.12345, 0.5, 0.67, 0.9949, 0.9951, 0.99996, 1 - 1e-7, 1.0]


@pytest.mark.parametrize(
    ("cases", "decimals"), [(1, 0), (99, 0), (99.9, 0), (100, 1), (9999, 1), (10_000, 2), (1e9, 2)]
)
@pytest.mark.parametrize("share", VALUES)
def test_a_percentage_has_the_decimals_of_its_cases_and_is_all_or_nothing_where_it_is(cases, decimals, share):
    assert decimals_of_percent(cases) == decimals
    text = percent(share, cases)
    assert text.endswith("%")
    shown = float(text[:-1]) / 100
    assert (shown in (0.0, 1.0)) == (share in (0.0, 1.0) or min(share, 1 - share) < 5e-9)
    places = len(text[:-1].partition(".")[2])
    assert abs(shown - share) <= 0.5001 * 10 ** -(places + 2)
    if 0.01 <= share <= 0.99:
        assert places == decimals
    if share in (0.0, 1.0):
        assert text == f"{100 * share:.0f}%"
    assert percent(nan, cases) == "not defined"


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("value", [0.0, 1e-12, 0.0004, 0.0005001, 0.1234, 1.0, 12.3456, 1234.5678])
@pytest.mark.parametrize("decimals", [0, 2, 3])
def test_a_number_has_its_decimals_and_no_sign_of_nothing(value, sign, decimals):
    text = fixed(sign * value, decimals)
    assert text == f"{sign * float(f'{value:.12g}'):,.{decimals}f}".replace("-0.000", "0.000") or float(
        text.replace(",", "")
    ) == pytest.approx(0, abs=1e-9)
    assert not (text.startswith("-") and float(text.replace(",", "")) == 0)
    apart = fixed(sign * value, decimals, 0.0, 1.0)
    shown = float(apart.replace(",", ""))
    if abs(value) > 1e-8:
        assert shown != 0
        assert (shown == 1) == (sign * value == 1)


def test_numbers_that_are_none_have_words():
    assert [fixed(value, 3) for value in (nan, inf, -inf)] == ["not defined", "infinite", "-infinite"]


@pytest.mark.parametrize(
    ("value", "low", "high", "decimals", "text"),
    [
        (0.5, 0.4, 0.6, 3, "0.500 (95% CI 0.400 to 0.600)"),
        (0.5, 0.4, 0.6, 2, "0.50 (95% CI 0.40 to 0.60)"),
        (0.691, 0.6903, 0.6918, 2, "0.691 (95% CI 0.690 to 0.692)"),
        (0.69114, 0.69112, 0.69118, 2, "0.6911 (95% CI 0.6911 to 0.6912)"),
        (0.5, 0.5, 0.5, 3, "0.500 (95% CI 0.500 to 0.500)"),
        (1.234, 1.001, 2.5, 2, "1.23 (95% CI 1.001 to 2.50)"),
        (0.9999, 0.98, 1.0, 3, "0.9999 (95% CI 0.980 to 1.000)"),
    ],
)
def test_an_interval_has_a_width_and_does_not_read_as_the_end_of_the_range(value, low, high, decimals, text):
    estimate = Estimate(value, low, high, 0.95, "t")
    assert number_with_interval(estimate, decimals, 1.0) == text
    named = number_with_interval(estimate, decimals, 1.0, before="slope")
    assert named == f"slope {text}".replace(" (", ", ").rstrip(")")
    bare = number_with_interval(Estimate.bare(value, "why"), decimals, 1.0)
    assert bare == text.partition(" (")[0] or low == high or len(bare) < len(text)
    assert number_with_interval(Estimate.bare(0.5, "why"), 2, before="slope") == "slope 0.50"


@pytest.mark.parametrize("name", sorted(SHARES))
def test_shares_are_percentages_and_their_differences_points(name):
    assert is_share_name(name)
    estimate = Estimate(0.25, 0.125, 0.5, 0.9, "Wilson")
    assert value_with_interval(estimate, name, 200) == "25.0% (90% CI 12.5% to 50.0%)"
    assert value_with_interval(estimate, name, 200) == share_with_interval(estimate, 200)
    assert value_text(0.25, name, 50) == "25%"
    for cases, digits in ((50, 1), (200, 1), (10_000, 2)):
        size, ends = difference_text(Estimate(-0.25, -0.5, 0.125, 0.95, "t"), name, cases)
        assert size == f"{-25:.{digits}f} percentage points"
        assert ends == f"95% CI {-50:.{digits}f} to {12.5:.{digits}f}"


@pytest.mark.parametrize(
    "name", ["roc_auc", "f1", "log_loss", "brier_score", "my_score", *sorted(NUMBERS_AS_RATIOS)]
)
def test_other_measures_are_numbers(name):
    assert not is_share_name(name)
    estimate = Estimate(0.25, 0.125, 0.5, 0.95, "t")
    digits = 2 if name in NUMBERS_AS_RATIOS else 3
    wanted = f"{0.25:.{digits}f} (95% CI {0.125:.{digits}f} to {0.5:.{digits}f})"
    assert value_with_interval(estimate, name, 200) == wanted
    assert difference_text(Estimate(-0.25, -0.5, 0.125, 0.95, "t"), name, 50) == (
        "-0.250",
        "95% CI -0.500 to 0.125",
    )
    assert difference_text(Estimate.bare(0.25, "why"), name, 50) == ("0.250", "")


@pytest.mark.parametrize(
    "name", ["top_2_accuracy", "accuracy_within(1)", "recall[1]", "macro_recall", "roc_auc"]
)
def test_kinds_of_shares_are_told_by_their_names(name):
    assert is_share_name(name) == (name != "roc_auc")
    assert get(name)
    assert "(" not in short_title("recall")


def test_measures_with_an_end_of_their_range_are_kept_from_reading_as_it():
    estimate = Estimate(0.99998, 0.9, 0.999999, 0.95, "DeLong")
    assert value_with_interval(estimate, "roc_auc", 100) == "0.99998 (95% CI 0.900 to 0.999999)"
    assert (
        value_with_interval(Estimate(1.0, 0.9, 1.0, 0.95, "t"), "roc_auc", 100)
        == "1.000 (95% CI 0.900 to 1.000)"
    )


@pytest.mark.parametrize("value", [-0.25, 0.0, 0.25])
def test_a_size_has_no_sign_and_its_ends_turn_with_it(value):
    low, high = value - 0.125, value + 0.5
    found = sized(Estimate(value, low, high, 0.9, "t"))
    ends = (low, high) if value >= 0 else (-high, -low)
    assert (found.value, found.low, found.high) == (abs(value), *ends)
    assert (found.level, found.method) == (0.9, "t")


@pytest.mark.parametrize("tests", [0, 1, 2, 6, 1200])
def test_adjustment_is_told_for_more_than_one_test(tests):
    assert adjusted_for(tests) == ("" if tests < 2 else f", adjusted for {tests:,} tests")
    assert adjusted_for(tests, "measures") == ("" if tests < 2 else f", adjusted for {tests:,} measures")


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("bee", "bee"),
        ("x" * LONGEST_WORD, "x" * LONGEST_WORD),
        ("not ill", "'not ill'"),
        ("a1", "'a1'"),
        ("", "''"),
        (1, "class 1"),
        (True, "class True"),
        (np.str_("bee"), "bee"),
        (1.5, "class 1.5"),
    ],
)
def test_a_label_is_bare_where_it_is_a_word(label, text):
    assert label_text(label) == text
    assert label_text("x" * (LONGEST_WORD + 1)).startswith("'")
    assert all(isfinite(value) for value in VALUES)
