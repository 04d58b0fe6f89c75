"""What groups of cases add to `assessment/test_headline.py`."""

import numpy as np
import pytest

import classay as ca
from assessment.test_headline import COMMON, YC, N
from classay.assessment.finding import steps_of
from classay.groups.findings_groups import findings_on_groups

GROUP = np.array(["north", "south", "east"])[np.arange(N) % 3]


def groups(**how):
    s = ca.assess_by(YC, how.pop("p", COMMON), by=how.pop("by", GROUP), **how)
    return [*findings_on_groups(s, s.compare(*s.main_measures))]


def test_groups_that_do_not_differ():
    (found,) = groups(by=np.arange(N) % 2 == 0, p=np.round(COMMON, 2))
    assert found.code == "no_group_difference"
    assert "No difference between groups was detected in any of 6 measures. The largest" in found.sentence


def test_groups_of_few_cases_say_how_many_a_comparison_needs():
    s = ca.assess_by(YC[:51], COMMON[:51], by=np.arange(51) % 3)
    found = [e for e in findings_on_groups(s, s.compare(*s.main_measures)) if e.code == "no_group_compared"]
    assert "has 30 or more cases on each side (at most 17)" in found[0].sentence
    assert "pool" in str(found[0].next_step)
    two = ca.assess_by(YC[:34], COMMON[:34], by=np.arange(34) % 2)
    (found,) = (e for e in findings_on_groups(two, two.compare("roc_auc")) if e.code == "no_group_compared")
    assert not found.next_step  # two groups would be one
    same = ca.assess_by(YC, 0 * COMMON, by=np.arange(N) % 3)
    (found,) = (e for e in findings_on_groups(same, same.compare("roc_auc")) if e.code == "no_group_compared")
    assert found.sentence == "No difference between groups of group has a CI in ROC AUC."


def test_an_interval_of_one_group_that_excludes_0_stands_beside_the_p_value_of_all():
    rng = np.random.default_rng(14)
    by = rng.integers(0, 8, N)
    p = np.where(by == 3, np.clip(COMMON + rng.normal(0, 0.25, N), 0, 1), COMMON)
    s = ca.assess_by(YC, p, by=[f"g{k}" for k in by])
    found = s.compare("roc_auc")
    (told,) = (e for e in findings_on_groups(s, found) if e.code == "no_group_difference")
    assert "; p = " in told.sentence
    assert told.sentence.endswith(", adjusted for 8 groups).")


def test_a_group_whose_scores_rank_less_and_one_whose_probabilities_are_off():
    noise = np.where(GROUP == "east", np.random.default_rng(0).random(N), COMMON)
    found = groups(p=noise)
    assert found[0].code == "group_difference"
    assert "ROC AUC is lower in group east than in the other groups" in found[0].sentence
    off = groups(p=np.where(GROUP == "east", COMMON / 2.2, COMMON))
    assert "group_miscalibration" in [each.code for each in off]
    assert "too low in group east" in next(e for e in off if e.code == "group_miscalibration").sentence


def test_a_group_of_few_cases_never_leads():
    by = np.array(["a"] * (N - 25) + ["few"] * 25)
    p = COMMON.copy()
    p[-25:] = 1 - YC[-25:] * 0.9
    assert not any("few" in each.sentence and each.code == "group_difference" for each in groups(by=by, p=p))


def test_accuracy_at_a_default_threshold_never_leads_groups():
    for found in (groups(p=np.where(GROUP == "east", COMMON / 3, COMMON)), groups()):
        assert not any(each.sentence.startswith("Accuracy") for each in found)


def test_many_numeric_groups_call_for_bands_and_bands_answer():
    age = 18 + np.arange(N) % 73
    found = next(each for each in groups(by=age) if each.code == "many_numeric_groups")
    assert steps_of(groups(by=age))[0] == found.next_step
    assert "73 groups" in found.sentence
    assert not any(each.code == "many_numeric_groups" for each in groups(by=age, bands=[30, 60]))


def test_bands_are_ranges_in_their_order_and_keep_every_case():
    age = 18 + np.arange(N) % 73
    s = ca.assess_by(YC, COMMON, by=age, bands=[30, 60])
    assert list(s) == ["below 30", "30 to below 60", "60 or more"]
    assert s.ordered
    assert [part.n for part in s.groups.values()] == [
        int((age < 30).sum()),
        int(((age >= 30) & (age < 60)).sum()),
        int((age >= 60).sum()),
    ]
    named = np.select([age < 30, age < 60], ["a", "b"], "c")
    by_name = ca.assess_by(YC, COMMON, by=named)
    assert [a["recall"] for a in s.groups.values()] == [a["recall"] for a in by_name.groups.values()]
    quarters = ca.assess_by(YC, COMMON, by=age, bands="4q")
    assert len(quarters) == 4
    assert max(part.n for part in quarters.groups.values()) < 1.2 * N / 4
    twice = ca.assess_by(YC, COMMON, by=age, bands="4q", frequency=np.full(N, 2))
    assert list(twice) == list(quarters)


def test_bands_of_one_of_several_columns():
    frame = {"y": YC.astype(int), "p": COMMON, "age": 18 + np.arange(N) % 73, "site": GROUP}
    s = ca.assess_by(frame, truth="y", score="p", by=["age", "site"], bands={"age": "2q"})
    assert len(s) == 6
    assert {str(label).split(",")[1].strip() for label in s} == {"site=north", "site=south", "site=east"}


@pytest.mark.parametrize(
    ("bands", "words"),
    [
        ([60, 30], "must be rising numbers"),
        ([], "must be rising numbers"),
        ("q", "Use rising numbers"),
        ("1q", "Use rising numbers"),
        (["old"], "Pass rising numbers"),
        ({"height": [3]}, "no groups are made"),
    ],
)
def test_bands_that_make_no_sense_are_refused(bands, words):
    with pytest.raises(ca.InputError, match=words):
        ca.assess_by(YC, COMMON, by=np.arange(N) % 50, bands=bands)
    with pytest.raises(ca.InputError, match="Bands need numbers"):
        ca.assess_by(YC, COMMON, by=GROUP, bands=[3])


def test_the_level_of_group_probabilities_counts_all_groups_of_enough_cases():
    """Those with positives enough pass by their outcomes, so they alone are no family (7.2% found, for 5%)."""
    rng = np.random.default_rng(0)
    by = np.repeat([*"abcdefghij"], 100)
    p = np.where(by == "a", 0.1, 0.02) + rng.uniform(0, 0.01, by.size)
    y = rng.random(by.size) < np.where(by == "a", 0.5, 0.02)
    off = next(
        each
        for each in findings_on_groups(ca.assess_by(y, p, by=by), [])
        if each.code == "group_miscalibration"
    )
    assert off.evidence["group"] == "a"
    assert off.evidence["adjusted_for"] == 10
