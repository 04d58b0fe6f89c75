"""What leads of groups: the largest difference that is shown, or none, against rows of differences made by hand."""

from math import nan

import numpy as np
import pytest

import classay as ca
from classay.assessment.findings_scores import MIN_CASES_OF_CLASS
from classay.groups.compared_groups import GroupDifference
from classay.groups.findings_groups import findings_on_groups, group_text
from classay.inference.estimate import Estimate

N = 60
SITES = np.repeat([*"abc"], N)
Y = np.arange(3 * N) % 2
P = np.clip(0.3 + 0.4 * Y + np.linspace(-0.25, 0.25, 3 * N), 0, 1)
CHOSEN = ca.assess_by(Y, P, by=SITES, threshold=0.4)
DEFAULT = ca.assess_by(Y, P, by=SITES)
PAIR = ca.assess_by(Y[: 2 * N], P[: 2 * N], by=SITES[: 2 * N], threshold=0.4)


def row(group, value, half=0.05, p=0.5, measure="recall", reason=None, p_adjusted=None):
    """A group whose measure is 0.7 plus a difference."""
    gap = Estimate.undefined(reason) if reason else Estimate(value, value - half, value + half, 0.95, "m")
    here = Estimate(0.7 + value, 0.6, 0.9, 0.95, "m")
    return GroupDifference(
        group, measure, here, gap, p, min(1.0, 3 * p) if p_adjusted is None else p_adjusted
    )


def found(rows, s=CHOSEN):
    """The findings by code, but those of probabilities, which come from the groups themselves."""
    return {one.code: one for one in findings_on_groups(s, rows) if one.code != "group_miscalibration"}


def sentence(rows, code, s=CHOSEN):
    return found(rows, s)[code].sentence.replace("−", "-")


LOWER = [row("a", -0.2, p=0.001), row("b", 0.1, p=0.01), row("c", 0.1, p=0.9)]
HIGHER = [row("a", -0.1, p=0.01), row("b", 0.2, p=0.001), row("c", -0.1, p=0.9)]


@pytest.mark.parametrize(
    ("rows", "start", "step"),
    [
        (
            LOWER,
            "Recall is lower in group a than in the other groups: 50% versus 70.0%, a difference of -20.0 percentage "
            "points (95% CI -25.0 to -15.0; p = 0.0030, adjusted for 3 groups).",
            "Examine group a separately: `s['a']`.",
        ),
        (
            HIGHER,
            "Recall is higher in group b than in the other groups: 90% versus 70.0%, a difference of 20.0 percentage "
            "points (95% CI 15.0 to 25.0; p = 0.0030, adjusted for 3 groups).",
            "Examine group b separately: `s['b']`.",
        ),
    ],
)
def test_the_largest_difference_that_is_shown_leads(rows, start, step):
    for each in (rows, rows[::-1]):
        finding = found(each)["group_difference"]
        said = finding.sentence.replace("−", "-")
        assert said == start
        assert step in finding.next_step
        assert finding.evidence["p_adjusted"] == pytest.approx(0.003)
    assert "no_group_difference" not in found(rows)


def test_of_equal_differences_the_worse_group_is_named():
    alike = [row("a", 0.2, p=0.001), row("b", -0.2, p=0.001), row("c", 0.0, p=0.9)]
    for rows in (alike, alike[::-1]):
        assert sentence(rows, "group_difference").startswith(
            "Recall is lower in group b than in the other groups"
        )
    losses = [row(one.group, one.difference.value, p=one.p, measure="false_positive_rate") for one in alike]
    assert sentence(losses, "group_difference").startswith("False positive rate is higher in group a than in")


@pytest.mark.parametrize("value", [0.2, -0.2])
def test_of_two_groups_the_first_is_named_and_the_worse_examined(value):
    rows = [row("a", value, p=0.001, p_adjusted=0.001), row("b", -value, p=0.001, p_adjusted=0.001)]
    finding = found(rows, PAIR)["group_difference"]
    way = "higher" if value > 0 else "lower"
    assert finding.sentence.startswith(f"Recall is {way} in group a than in group b: ")
    assert "adjusted" not in finding.sentence
    assert f"Examine group {'b' if value > 0 else 'a'} separately" in finding.next_step
    against = PAIR.against("b")
    one = found(rows[:1], against)["group_difference"]
    assert one.sentence.startswith(f"Recall is {way} in group a than in group b: ")
    assert "Examine group a separately" in one.next_step


def test_a_reference_is_named():
    assert sentence(LOWER, "group_difference", CHOSEN.against("c")).startswith(
        "Recall is lower in group a than in group c: "
    )


OPEN = [row("a", -0.04, p=0.4), row("b", 0.02, p=0.6), row("c", 0.01, p=0.9)]
PRECISE = [row(one.group, one.difference.value, p=one.p, measure="precision") for one in OPEN]


def test_where_none_is_shown_the_largest_is_told():
    said = sentence(OPEN, "no_group_difference")
    assert said.startswith(
        "No difference between groups was detected. The largest difference in recall is -4.0 "
    )
    assert "(group a minus the other groups; 95% CI" in said
    assert "adjusted" not in said
    assert "detected in any of 2 measures. The" in sentence([*OPEN, *PRECISE], "no_group_difference")
    apart = [row("a", -0.08, half=0.05, p=0.03), *OPEN[1:]]
    assert "p = 0.090, adjusted for 3 groups" in sentence(apart, "no_group_difference")
    edge = [row("a", -0.05, half=0.05, p=0.03), *OPEN[1:]]
    assert "adjusted for 3 groups" not in sentence(edge, "no_group_difference")
    partly = [*OPEN, *(row(one.group, 0.2, p=0.001, measure="accuracy") for one in OPEN)]
    assert "group_difference" in found(partly)
    assert "group_difference" not in found(partly, DEFAULT)


def test_a_difference_that_all_measures_together_do_not_show():
    """By Holm over six tests: 6 × 0.01 is above 0.05, though 3 × 0.01 is not."""
    rows = [row("a", -0.2, p=0.01), *OPEN[1:], *PRECISE]
    said = found(rows)["group_difference"]
    assert said.sentence.startswith("Before adjustment for 2 measures, recall is lower in group a than")
    assert said.sentence.endswith(" After adjustment (Holm), no difference is detected (p = 0.060).")
    assert said.next_step == ""
    sure = [row("a", -0.2, p=0.001), *OPEN[1:], *PRECISE]
    shown = found(sure)["group_difference"]
    assert (
        "p = 0.0030, adjusted for 3 groups; p = 0.0060 if also adjusted for 2 measures (Holm)"
        in shown.sentence
    )
    assert shown.next_step


def test_at_a_default_threshold_measures_of_scores_come_first():
    ranks = [row(one.group, one.difference.value, p=one.p, measure="roc_auc") for one in LOWER]
    rows = [*LOWER, *ranks]
    assert found(rows)["group_difference"].sentence.startswith("Recall is lower")
    first = found(rows, DEFAULT)["group_difference"]
    assert first.sentence.startswith("ROC AUC is lower")
    assert first.rank == 1.5
    alone = found(LOWER, DEFAULT)["group_difference"]
    assert alone.sentence.startswith(
        "Recall at the default threshold is lower in group a than in the other groups"
    )
    assert alone.rank == 1.8
    right = [row(one.group, one.difference.value, p=one.p, measure="accuracy") for one in LOWER]
    assert "group_difference" not in found(right, DEFAULT)
    assert "group_difference" in found(right)


@pytest.mark.parametrize("cases", [MIN_CASES_OF_CLASS - 1, MIN_CASES_OF_CLASS])
def test_groups_of_few_cases_do_not_lead(cases):
    sites = np.repeat([*"abc"], [cases, cases, 3 * N - 2 * cases])
    s = ca.assess_by(Y, P, by=sites, threshold=0.4)
    rows = [row("a", -0.2, p=0.001), row("b", 0.1, p=0.01), row("c", 0.1, p=0.9)]
    assert ("group_difference" in found(rows, s)) == (cases >= MIN_CASES_OF_CLASS)


def test_why_nothing_is_compared():
    sites = np.repeat([*"abcdef"], 30)
    few = ca.assess_by(Y[::3], P[::3], by=sites[::3], threshold=0.4)
    rows = [row(label, 0.1) for label in "abcdef"]
    finding = found(rows, few)["no_group_compared"]
    assert finding.sentence == (
        f"No comparison of groups of group has {MIN_CASES_OF_CLASS} or more cases on each side (at most 10)."
    )
    assert "Combine small groups: `pool=`." in finding.next_step
    assert finding.evidence == {"groups": 6}
    none = [row(label, 0, p=nan, reason="x") for label in "abc"]
    both = [*none, *(row(label, 0, p=nan, reason="x", measure="precision") for label in "abc")]
    assert sentence(none, "no_group_compared") == "No difference between groups of group has a CI in recall."
    assert sentence(both, "no_group_compared") == (
        "No difference between groups of group has a CI in recall and precision."
    )
    right = [row(label, 0, p=nan, reason="x", measure="accuracy") for label in "abc"]
    assert "no_group_compared" not in found(right, DEFAULT)
    one = ca.assess_by(Y, P, by=["a"] * (3 * N), threshold=0.4)
    assert "no_group_compared" not in found(none[:1], one)


def test_groups_as_they_are_written():
    labels = {"north": "group north", "the east": "group 'the east'", "a1": "group 'a1'", 3: "group 3"}
    assert {label: group_text(CHOSEN, label) for label in labels} == labels


@pytest.mark.parametrize(("measure", "place"), [("brier_score", 1), ("recall", 0)])
def test_probabilities_that_are_off_stand_before_what_depends_on_a_threshold_that_nobody_chose(
    measure, place
):
    rng = np.random.default_rng(0)
    p = rng.uniform(0.1, 0.9, 1500)
    y, site = (rng.random(1500) < p).astype(int), np.repeat([*"abc"], 500)
    s = ca.assess_by(y, np.where(site == "b", p / 2, p), by=site)
    found = sorted(findings_on_groups(s, s.compare(measure)), key=lambda each: each.rank)
    codes = ["group_miscalibration", "group_difference"]
    assert [one.code for one in found] == (codes[::-1] if place else codes)


@pytest.mark.parametrize(("factor", "side"), [(2.0, "too high"), (0.4, "too low")])
def test_a_group_whose_probabilities_are_off(factor, side):
    """Groups whose probabilities are off as those of all cases are do not stand out."""
    rng = np.random.default_rng(1)
    p = rng.uniform(0.1, 0.45, 1500)
    y = (rng.random(1500) < p).astype(int)
    site = np.repeat([*"abc"], 500)
    off = np.where(site == "b", p * factor, p)
    s = ca.assess_by(y, off, by=site)
    finding = {one.code: one for one in findings_on_groups(s, [])}["group_miscalibration"]
    assert finding.sentence.startswith(f"On average, predicted probabilities are {side} in group b (")
    assert f"{s['b']['observed_expected_ratio'].value:.2f}" in finding.sentence
    assert finding.evidence["adjusted_for"] == 3
    fine = ca.assess_by(y, p, by=site)
    alike = ca.assess_by(y, p * factor, by=site)
    for one in (fine, alike):
        assert "group_miscalibration" not in {each.code for each in findings_on_groups(one, [])}
