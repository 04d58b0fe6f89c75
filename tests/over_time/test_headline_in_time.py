"""What periods of time add to `assessment/test_headline.py`."""

import numpy as np

import classay as ca
from assessment.test_headline import COMMON, YC, N
from classay.groups.findings_time import findings_on_trends


def over_time(p, **how):
    week = np.arange(N) * 6 // N
    days = np.datetime64("2026-03-02") + 7 * week.astype("timedelta64[D]")
    return ca.assess_over_time(YC, p, time=days, per="week", **how)


def test_a_change_over_time_leads_and_none_is_said_with_what_remains_possible():
    half = np.arange(N) >= N // 2
    noise = np.where(half, np.random.default_rng(0).random(N), COMMON)
    found = sorted(findings_on_trends(over_time(noise)), key=lambda each: each.rank)
    assert found[0].sentence.startswith("ROC AUC fell from 0.")
    assert "(before 2026-03-23)" in found[0].sentence
    assert "a change of -0." in found[0].sentence
    assert not any(each.may_lead and each.sentence.startswith("Accuracy") for each in found)
    calm = [*findings_on_trends(over_time(COMMON))]
    if not any("change_point" in each.code or "unusual" in each.code for each in calm):
        assert any(
            each.sentence.startswith("No change over time was detected: the trend in ROC AUC")
            for each in calm
        )
