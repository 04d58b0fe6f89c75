"""A mistyped date makes a period far from all others, which neither completes an earlier one nor goes unsaid."""

import numpy as np
import pytest

import classay as ca
from classay.over_time.courses import far_periods
from command import call

RNG = np.random.default_rng(0)
MONTH = RNG.integers(2, 8, 600)
DAYS = [f"2026-{month:02}-{day:02}" for month, day in zip(MONTH, RNG.integers(1, 28, 600), strict=True)]
Y = RNG.integers(0, 2, 600)
P = np.round((Y + RNG.normal(size=600) + 3) / 8, 3).clip(0, 1)
HOW = {"per": "month", "measure": "roc_auc", "margin": 0.02}


@pytest.mark.parametrize("typo", ["2206-03-04", "1026-03-04"])
def test_a_mistyped_date_changes_no_period_that_is_compared(typo):
    rows = MONTH != 7
    plain = ca.gate_over_time(Y, P, time=DAYS, **HOW)
    odd_y, odd_p, odd_days = np.append(Y, 1), np.append(P, 0.5), [*DAYS, typo]
    odd = ca.gate_over_time(odd_y, odd_p, time=odd_days, **HOW)
    assert rows.any()
    assert odd.comparison.models == plain.comparison.models == ("2026-06", "2026-02 to 2026-05")
    assert (odd.verdict, odd.comparison.effect) == (plain.verdict, plain.comparison.effect)
    (warned,) = (one for one in odd.warnings if one.code == "far_period")
    assert f"{typo[:7]} (1 case) is far from all other months" in warned.text
    assert "1 row far from all other months" in dict(odd.facts)["left out"]
    course = ca.assess_over_time(odd_y, odd_p, time=odd_days, per="month")
    assert [one.code for one in course.warnings if one.code == "far_period"] == ["far_period"]
    assert "far from all other months" in str(course)


def test_gaps_that_are_no_typing_error_are_not_warned_of():
    later = [day.replace("2026-07", "2027-11") for day in DAYS]  # many cases
    quarter = [*DAYS, "2026-10-01"]  # a gap of three months
    for days in (DAYS, later, quarter):
        y, p = np.resize(Y, len(days)), np.resize(P, len(days))
        assert not ca.assess_over_time(y, p, time=days, per="month").warnings


@pytest.mark.parametrize(("closed", "is_far"), [(14, False), (29, False), (30, True), (365, True)])
def test_a_first_day_after_a_holiday_is_no_wrong_date(closed, is_far):
    days = np.append(np.arange(49), 49 + closed) + np.datetime64("2026-01-01", "D")
    far = far_periods(days, np.append(np.full(49, 100), 5), "day")
    assert far.tolist() == [False] * 49 + [is_far]


def test_the_command_warns(tmp_path):
    path = tmp_path / "rows.csv"
    rows = [f"{y},{p},{day}" for y, p, day in zip([*Y, 1], [*P, 0.5], [*DAYS, "2206-03-04"], strict=True)]
    path.write_text("\n".join(["y,p,day", *rows]))
    named = (str(path), "--truth", "y", "--score", "p", "--time", "day", "--per", "month")
    assert "is far from all other months" in call("assess", *named, columns=400).stdout
    done = call("gate", *named, "--measure", "roc_auc", "--margin", "0.02", columns=400)
    assert "is far from all other months" in done.stdout + done.stderr
