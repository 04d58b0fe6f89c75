"""Sentences on groups, disparities, criteria and pools, each against numbers made by hand."""

from dataclasses import dataclass, field, replace
from datetime import date
from itertools import product
from math import inf, nan
from typing import Any

import numpy as np
import pandas as pd
import pytest

import classay as ca
from classay.assessment.group_labels import Group
from classay.errors import InputError
from classay.groups.compared_groups import (
    GroupDifference,
    PooledGroups,
    in_order,
    line_of_not_recorded,
    not_recorded_sentence,
)
from classay.groups.criteria import CRITERIA, Criteria, CriterionResult
from classay.groups.dates import steps_between
from classay.groups.disparities import (
    ClearestPair,
    Disparity,
    check_requirement,
    larger_of,
    left_out_said,
    named_disparity,
    smaller_of,
    too_few_groups,
    with_reasons,
)
from classay.groups.every_group import columns_of_groups, each_group, refuse_other_groups
from classay.groups.sentences import (
    compared_with,
    families,
    family_said,
    how_grouped,
    is_one_pair,
    uncounted_said,
    untested_said,
    worst_first,
)
from classay.inference.estimate import Estimate
from classay.inference.requirements import Verdict, parse


def gap(low, value, high, name="disparity", measure="recall", **more):
    estimate = Estimate(value, low, high, 0.9, "m")
    return Disparity(name, measure, estimate, "a", "b", 3, **more)


NONE = Disparity("disparity", "recall", Estimate.undefined("there are no groups"))
OTHERS = {"surest": ClearestPair("recall", "a", "c")}
SAME = {"surest": ClearestPair("recall", "a", "b")}
LEFT = {"left_out": (("d", "few"),)}
LIMIT = "(simultaneous 90% confidence limit)"


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (gap(0.1, 0.2, 0.3), "Recall is higher in 'a' than in 'b' by 0.200 (90% CI 0.100 to 0.300)."),
        (gap(0.1, 0.2, 0.3, **SAME), "Recall is higher in 'a' than in 'b' by 0.200 (90% CI 0.100 to 0.300)."),
        (
            gap(0, 0, 0.3),
            "Recall is the same in all groups of these cases, a gap of 0.000 (90% CI 0.000 to 0.300).",
        ),
        (
            gap(0, 0, 0.3, **LEFT),
            "Recall is the same in all compared groups of these cases, a gap of 0.000 (90% CI 0.000 to 0.300).",
        ),
        (
            gap(0.1, 0.2, 0.3, **OTHERS),
            "The largest observed gap in recall is 0.200 (90% CI 0.100 to 0.300) ('a' minus 'b'), and recall is higher "
            f"in 'a' than in 'c' by at least 0.100 {LIMIT}.",
        ),
        (
            gap(0.1, 0.2, 0.3, **OTHERS, **LEFT),
            "The largest observed gap in recall between compared groups is 0.200 (90% CI 0.100 to 0.300) ('a' minus "
            f"'b'), and recall is higher in 'a' than in 'c' by at least 0.100 {LIMIT}.",
        ),
        (
            gap(0.1, 0.2, 0.3, "disparity_ratio"),
            "Recall in 'b' is 0.200 (90% CI 0.100 to 0.300) times that in 'a'.",
        ),
        (
            gap(0.1, 0.2, 0.3, "equalised_odds_ratio", **OTHERS),
            "The smallest observed ratio of recall is 0.200 (90% CI 0.100 to 0.300) ('b' relative to 'a'), and recall "
            f"in 'c' is at most 0.300 times that in 'a' {LIMIT}.",
        ),
        (NONE, "No two groups can be compared in recall: there are no groups."),
    ],
)
def test_a_disparity_in_words(found, words):
    assert found.sentence == words
    assert found.are_others_surest == ("at least" in words or "at most" in words)


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        (gap(0.001, 0.2, 0.3), True),
        (gap(0.0, 0.2, 0.3), False),
        (gap(0.2, 0.5, 0.999, "disparity_ratio"), True),
        (gap(0.2, 0.5, 1.0, "disparity_ratio"), False),
        (gap(0.2, 0.5, 0.999, "equalised_odds_ratio"), True),
        (gap(0.001, 0.2, 0.3, "equalised_odds_gap"), True),
        (NONE, False),
    ],
)
def test_a_disparity_is_shown_where_its_interval_excludes_none(found, shown):
    assert found.is_shown is shown


def numbers(found):
    return found.estimate.value, found.estimate.low, found.estimate.high


@pytest.mark.parametrize("swapped", [False, True])
def test_of_two_rates_the_more_unequal_counts(swapped):
    """A gap has the greatest value, lower end and upper end of both; a ratio the least."""
    one = gap(0.2, 0.25, 0.3, measure="recall", corrected=0.1, found_by_power=0.4, **LEFT, **OTHERS)
    two = gap(
        0.1,
        0.4,
        0.6,
        measure="false_positive_rate",
        corrected=0.3,
        found_by_power=0.2,
        left_out=(("e", "x"),),
    )
    pair = (two, one) if swapped else (one, two)
    most = larger_of(pair)
    assert (most.name, most.measure, most.surest) == ("equalised_odds_gap", "false_positive_rate", one.surest)
    assert numbers(most) == (0.4, 0.2, 0.6)
    assert (most.corrected, most.found_by_power) == (0.3, 0.4)
    assert {*most.left_out} == {("d", "few"), ("e", "x")}
    least = smaller_of([replace(each, name="disparity_ratio") for each in pair])
    assert (least.name, least.measure) == ("equalised_odds_ratio", "recall")
    assert numbers(least) == (0.25, 0.1, 0.3)
    assert least.surest == one.surest
    above = larger_of([gap(0.5, 0.5, 0.5), gap(0.1, 0.6, 0.9)])
    assert numbers(above) == (0.6, 0.5, 0.9)
    beyond = smaller_of([gap(0.1, 0.5, 0.9), gap(0.2, 0.6, 0.4)])
    assert numbers(beyond) == (0.5, 0.1, 0.5)
    for both, name in ((larger_of, "equalised_odds_gap"), (smaller_of, "equalised_odds_ratio")):
        none = both([NONE, one][:: -1 if swapped else 1])
        assert (none.name, none.estimate.reason) == (name, "there are no groups")


FEW = "too few cases: 3 of 20 needed"


@pytest.mark.parametrize(
    ("known", "groups", "left", "words"),
    [
        (0, 0, (), "there are no groups"),
        (1, 1, (), "there is one group, and a gap needs two"),
        (0, 1, (("a", "x"),), "there is one group, and a gap needs two"),
        (0, 2, (("a", "x"), ("b", "x")), "none of 2 groups can be compared, because x"),
        (
            1,
            3,
            (("a", "x"), ("b", "y")),
            "only 1 of 3 groups can be compared, because in the other groups x; y",
        ),
        (
            1,
            4,
            (("a", "x"), ("b", "y"), ("c", "z")),
            "only 1 of 4 groups can be compared, because in the other groups x; y; …",
        ),
        (1, 1200, (), "only 1 of 1,200 groups can be compared"),
    ],
)
def test_why_there_is_no_gap(known, groups, left, words):
    assert too_few_groups(known, groups, left) == words


def test_groups_that_are_left_out_stand_behind_their_reasons():
    assert with_reasons([("a", "x"), ("b", "y"), ("c", "x"), ("a", "x")]) == "'a' and 'c' (x) and 'b' (y)"
    assert with_reasons([]) == ""
    gaps = [("Equal AUC", NONE), ("Recall", gap(0, 0, 1, **LEFT)), ("Precision", gap(0, 0, 1, **LEFT))]
    assert left_out_said(gaps) == "Not compared: in recall and precision 'd' (few)."
    assert left_out_said(gaps[:1]) == ""


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("disparity(recall)", ("disparity", "recall", ())),
        ("disparity_ratio(recall, control=age)", ("disparity_ratio", "recall", ("age",))),
        ("equalized_odds_gap", ("equalised_odds_gap", "", ())),
        ("equalised_odds_ratio", ("equalised_odds_ratio", "", ())),
        ("equalized_odds_difference", ("equalised_odds_gap", "", ())),
        ("demographic_parity_difference", ("disparity", "predicted_prevalence", ())),
        ("disparate_impact", ("disparity_ratio", "predicted_prevalence", ())),
        ("equal_opportunity_ratio", ("disparity_ratio", "recall", ())),
        ("recall", None),
        ("recall[a=b]", None),
        ("disparity(recall, precision)", "is not valid. Use one measure, as in disparity(recall)"),
        ("disparity", "is not valid. Use one measure"),
        ("disparity(recall, other=age)", "is not valid. Use one measure"),
        ("disparity(recall)[a=b]", "is not valid. Use one measure"),
        ("equalized_odds_gap(recall)", "is not valid. equalized_odds_gap has no parentheses or brackets."),
        ("disparate_impact[a=b]", "is not valid. disparate_impact has no parentheses or brackets."),
        ("disparate_impact(control=a)", "is not valid. disparate_impact has no parentheses or brackets."),
    ],
)
def test_names_of_disparities(text, named):
    if not isinstance(named, str):
        assert named_disparity(text) == named
        return
    with pytest.raises(InputError) as refused:
        named_disparity(text)
    assert named in str(refused.value)


@pytest.mark.parametrize(
    ("demand", "name", "without", "with_left"),
    [
        ("disparity(recall) <= 0.4", "disparity", Verdict.PASS, Verdict.UNDECIDED),
        ("disparity(recall) < 0.4", "disparity", Verdict.PASS, Verdict.UNDECIDED),
        ("disparity(recall) <= 0.05", "disparity", Verdict.FAIL, Verdict.FAIL),
        ("disparity(recall) >= 0.05", "disparity", Verdict.PASS, Verdict.PASS),
        ("disparity(recall) >= 0.4", "disparity", Verdict.FAIL, Verdict.UNDECIDED),
        ("disparity(recall) <= 0.2", "disparity", Verdict.PASS, Verdict.UNDECIDED),
        ("disparity_ratio(recall) >= 0.05", "disparity_ratio", Verdict.PASS, Verdict.UNDECIDED),
        ("disparity_ratio(recall) >= 0.4", "disparity_ratio", Verdict.FAIL, Verdict.FAIL),
        ("disparity_ratio(recall) <= 0.4", "disparity_ratio", Verdict.PASS, Verdict.PASS),
        ("disparity_ratio(recall) <= 0.05", "disparity_ratio", Verdict.FAIL, Verdict.UNDECIDED),
    ],
)
def test_a_group_that_is_left_out_can_only_widen(demand, name, without, with_left):
    (demand,) = parse(demand)
    assert check_requirement(demand, gap(0.1, 0.2, 0.3, name)).verdict is without
    found = check_requirement(demand, gap(0.1, 0.2, 0.3, name, **LEFT))
    assert found.verdict is with_left
    assert found.note.startswith("not compared: 'd' (few)")
    assert ("which may be further apart" in found.note) == (without is not with_left)
    assert found.left_out == (("d", "few"),)


def judged(which, found, ratio=None):
    return CriterionResult(CRITERIA[which], found, ratio)


SHOWN, OPEN = gap(0.1, 0.2, 0.3), gap(0.0, 0.2, 0.3)
NO_POWER = " No possible gap would be detected with 80% power, because there are too few cases."
HIGHER = "recall is higher in 'a' than in 'b' by 0.200 (90% CI"


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (SHOWN, f"Equal opportunity is violated: {HIGHER} 0.100 to 0.300)."),
        (OPEN, f"No violation of equal opportunity was detected: {HIGHER} 0.000 to 0.300)."),
        (
            replace(OPEN, found_by_power=0.25),
            f"No violation of equal opportunity was detected: {HIGHER} 0.000 to 0.300). Gaps of 0.25 or more would be "
            "detected with 80% power.",
        ),
        (
            replace(OPEN, found_by_power=1.0),
            f"No violation of equal opportunity was detected: {HIGHER} 0.000 to 0.300). Gaps of 1.00 or more would be "
            "detected with 80% power.",
        ),
        (
            replace(OPEN, found_by_power=1.001),
            f"No violation of equal opportunity was detected: {HIGHER} 0.000 to 0.300).{NO_POWER}",
        ),
        (NONE, "Equal opportunity cannot be assessed: there are no groups."),
    ],
)
def test_a_criterion_in_words(found, words):
    assert judged(1, found).sentence == words


UNSHOWN = "This does not show that the criteria are met."


@pytest.mark.parametrize(
    ("results", "unasked", "words"),
    [
        ([SHOWN], (), [f"Demographic parity is violated: {HIGHER} 0.100 to 0.300)."]),
        (
            [SHOWN] * 4,
            (),
            [
                f"Demographic parity is violated: {HIGHER} 0.100 to 0.300).",
                f"Equal opportunity is violated: {HIGHER} 0.100 to 0.300).",
                "Also violated: equalized odds and predictive parity.",
            ],
        ),
        (
            [OPEN, replace(OPEN, estimate=Estimate(0.25, 0, 0.3, 0.9, "m"), found_by_power=0.5)],
            (),
            [
                f"No fairness criterion was found to be violated. {UNSHOWN}",
                "The largest gap: recall is higher in 'a' than in 'b' by 0.250 (90% CI 0.000 to 0.300). Gaps of 0.50 "
                "or more would be detected with 80% power.",
            ],
        ),
        (
            [replace(OPEN, **LEFT), NONE],
            (("Equal AUC", "no scores"),),
            [
                "None of the fairness criteria that can be assessed (demographic parity) was found to be violated. "
                f"{UNSHOWN}",
                f"The largest gap between compared groups: {HIGHER} 0.000 to 0.300).",
                "Not assessed: equal opportunity (there are no groups); equal AUC (no scores).",
            ],
        ),
        (
            [NONE, NONE],
            (("Equal AUC", "there are no groups"),),
            [
                "No criterion can be assessed: demographic parity, equal opportunity and equal AUC (there are no "
                "groups)."
            ],
        ),
        (
            [OPEN, replace(OPEN, measure="calibration_in_the_large", estimate=Estimate(0.9, 0, 1, 0.9, "m"))],
            (),
            [
                f"No fairness criterion was found to be violated. {UNSHOWN}",
                f"The largest gap: {HIGHER} 0.000 to 0.300).",
            ],
        ),
    ],
)
def test_criteria_in_words(results, unasked, words):
    criteria = Criteria("sex", tuple(judged(k, found) for k, found in enumerate(results)), unasked=unasked)
    assert [*criteria.sentences] == words


def test_criteria_are_found_by_their_names():
    criteria = Criteria("sex", tuple(judged(k, SHOWN) for k in range(3)))
    assert criteria["equalized_odds"] is criteria["equalised_odds"] is [*criteria][2]
    assert len(criteria) == 3
    with pytest.raises(
        KeyError, match=r"Unknown criterion 'fair'\. Criteria: demographic_parity, equal_opportunity, e"
    ):
        criteria["fair"]


@pytest.mark.parametrize(("share", "shown"), [((0.5, 0.2), True), ((0.3, 0.28), False)])
def test_conflicts_of_base_rates_by_hand(share, shown):
    n, rates = 400, dict(zip("ab", share, strict=True))
    group = np.repeat([*rates], n)
    y = np.concatenate([np.arange(n) < round(n * rate) for rate in rates.values()]).astype(int)
    called = np.where(np.arange(2 * n) % 10 < 2, 1 - y, y)
    s = ca.assess_by(y, y_pred=called, by=group)
    conflicts = s.criteria().conflicts
    assert bool(conflicts) is shown
    if not shown:
        return
    a = s.overall
    recall, fall_out, precision = (a[name].value for name in ("recall", "false_positive_rate", "precision"))
    high, low = rates["a"], rates["b"]
    forced = [p / (1 - p) * (1 - precision) / precision * recall for p in (high, low)]
    assert f"('a' {high:.3f}, 'b' {low:.3f}, a gap of " in conflicts[0]
    assert f"rates differ by {abs(recall - fall_out) * (high - low):.3f}, so equalized" in conflicts[1]
    assert f"With equal recall ({recall:.3f}) and equal false positive rate ({fall_out:.3f})" in conflicts[1]
    assert f"With equal precision ({precision:.3f}) and equal recall, the false positive" in conflicts[2]
    assert f"groups are {forced[0]:.3f} and {forced[1]:.3f}, so predictive" in conflicts[2]
    assert len(conflicts) == 4
    chance = ca.assess_by(y, y_pred=np.arange(2 * n) % 2, by=group).criteria().conflicts
    assert not any("equalized odds excludes demographic" in one for one in chance)
    all_right = ca.assess_by(y, y_pred=y, by=group).criteria().conflicts
    assert not any("Chouldechova" in one for one in all_right)


@pytest.mark.parametrize(
    ("cases", "fewer", "name", "words"),
    [
        ({"a": 10, "b": 12}, 10, None, "No groups were combined, because every group has at least 10 cases."),
        (
            {"a": 9, "b": 12},
            10,
            None,
            "No groups were combined, because only 'a' (9) has fewer than 10 cases.",
        ),
        (
            {"a": 9, "b": 12, "c": 3},
            10,
            "the rest (2 groups)",
            "2 groups with fewer than 10 cases were combined into 'the rest (2 groups)' (12 cases): 'a' (9); 'c' (3).",
        ),
        (
            {"a": 4, "b": 5},
            10,
            "the rest (2 groups)",
            "All 2 groups with fewer than 10 cases were combined into 'the rest (2 groups)' (9 cases, still below the "
            "limit): 'a' (4); 'b' (5).",
        ),
        (
            {"a": 5, "b": 5},
            10,
            "the rest (2 groups)",
            "All 2 groups with fewer than 10 cases were combined into 'the rest (2 groups)' (10 cases): 'a' (5); 'b' "
            "(5).",
        ),
        (
            {**dict.fromkeys("abcdef", 1), "x": 1000},
            2,
            "the rest (6 groups)",
            "6 groups with fewer than 2 cases were combined into 'the rest (6 groups)' (6 cases): 'a' (1); 'b' (1); "
            "'c' (1); 'd' (1); 'e' (1) and 1 more.",
        ),
    ],
)
def test_pooled_groups_in_words(cases, fewer, name, words):
    pooled = PooledGroups.among(cases, fewer)
    assert (pooled.name, pooled.sentence, str(pooled)) == (name, words, words)
    small = [label for label, n in cases.items() if n < fewer]
    assert pooled.labels == (tuple(small) if name else ())
    assert pooled.cases == sum(cases[label] for label in small)
    codes, labels = pooled.recoded(np.array([*range(len(cases)), -1]), [*cases])
    kept = [label for label in cases if not name or label not in small]
    assert labels == (*kept, *([name] if name else []))
    assert codes.tolist() == [*(kept.index(one) if one in kept else len(kept) for one in cases), -1]


def test_the_name_of_a_pool_is_that_of_no_group():
    taken = {"the rest (2 groups)": 1, "a": 1, "x": 50}
    assert PooledGroups.among(taken, 10).name == "the rest (2 groups, pooled)"
    assert (
        PooledGroups.among(taken | {"the rest (2 groups, pooled)": 50}, 10).name
        == "the rest (2 groups, pooled 2)"
    )
    columns = ("sex", "age")
    name = PooledGroups.among({Group(columns, one): 1 for one in (("f", "x"), ("m", "y"))}, 2).name
    assert (str(name), name.columns) == ("the rest (2 groups)", columns)
    for fewer in (1, 0, -1):
        with pytest.raises(InputError, match=f"pool must be a number of cases, at least 2, but is {fewer}"):
            PooledGroups.among({"a": 1}, fewer)


@pytest.mark.parametrize(
    ("cases", "by", "begin"),
    [
        (1, ["sex"], "1 case without a recorded sex is included"),
        (2, ["sex", "age"], "2 cases without a recorded sex or age are included"),
    ],
)
def test_cases_without_a_group_in_words(cases, by, begin):
    assert not_recorded_sentence(cases, by).startswith(begin)
    assert not_recorded_sentence(cases, by).endswith("(line not recorded).")
    assert not_recorded_sentence(cases, by, "x").endswith("(line x).")
    taken = ["f", "not recorded", "not recorded (missing)"]
    assert line_of_not_recorded(taken) == "not recorded (missing) (missing)"


@pytest.mark.parametrize(
    ("labels", "ordered"),
    [
        ((1, 2.5), True),
        ((True, False), False),
        ((1, "a"), False),
        ((date(2026, 1, 1), date(2026, 2, 1)), True),
        (("2026-01", "2026-02"), True),
        (("2026-01-01", "2026-02-01"), True),
        (("2026-Q1", "2026Q2"), True),
        (("2026-W01", "2026W02"), True),
        (("2026-1", "2026-2"), False),
        (("2026", "2027"), False),
        (("2026-01", "a"), False),
        ((pd.Period("2026-01"), pd.Period("2026-02")), True),
    ],
)
def test_what_is_in_an_order(labels, ordered):
    assert in_order(labels) is ordered


@pytest.mark.parametrize(
    ("names", "steps", "step"),
    [
        ([1, 2, 4], [0, 1, 3], "unit of x"),
        ([1.5, 2.5, inf], [0, 1, 2], "group"),
        ([2, 2, 3], [0, 1, 2], "group"),
        ([3, 2, 1], [0, 1, 2], "group"),
        ([True, False], [0, 1], "group"),
        (["2026-01", "2026-03"], [0, 2], "month"),
        (["2026-01-01", "2026-01-08"], [0, 7], "day"),
        (["2026-Q1", "2026-Q4", "2027Q1"], [0, 3, 4], "quarter"),
        (["2026-W01", "2026-W03", "2027-W01"], [0, 2, 53], "week"),
        (["2025-W52", "2026W01"], [0, 1], "week"),
        (["2026-02", "2026-01"], [0, 1], "group"),
        (["2026-13", "2026-14"], [0, 1], "group"),
        (["low", "high"], [0, 1], "group"),
        ([date(2026, 1, 1), date(2026, 1, 4)], [0, 3], "day"),
        ([pd.Timestamp("2026-01-01 12:00"), pd.Timestamp("2026-01-02")], [0, 0.5], "day"),
        (["1", "3"], [0, 1], "group"),
    ],
)
def test_steps_between_groups(names, steps, step):
    assert steps_between(names, "x") == (pytest.approx(steps), step)
    plain = "unit" if step == "unit of x" else step
    assert steps_between(names)[1] == plain


@dataclass
class Groups:
    """As much of assessed groups as the sentences look at."""

    names: tuple[str, ...]
    reference: Any = None
    by: str = "sex"
    uncounted: tuple[str, ...] = ()
    pooled: Any = None
    cases: int = 10
    groups: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self):
        count = type("Count", (), {"n": self.cases})
        self.groups = dict.fromkeys(self.names, count)

    def __len__(self):
        return len(self.names)

    def __iter__(self):
        return iter(self.names)


def row(group, p, measure="recall", low=-0.1, high=0.2, reason=None):
    value = nan if reason else (low + high) / 2
    of = Estimate.undefined(reason) if reason else Estimate(value, low, high, 0.95, "m")
    return GroupDifference(group, measure, of, of, p, p)


ABC = [row(name, 0.1) for name in "abc"]
SOME = [row("a", 0.1), row("b", nan, reason="too few cases: 3"), row("c", 0.2)]


@pytest.mark.parametrize(
    ("s", "rows", "sizes", "said", "untested"),
    [
        (Groups(("a", "b", "c")), ABC, {"recall": 3}, "the 3 groups", ""),
        (Groups(("a", "b", "c"), "c"), ABC[:2], {"recall": 2}, "the 2 groups", ""),
        (Groups(("a", "b")), ABC[:2], {"recall": 1}, "", ""),
        (Groups(("a", "b"), "a"), ABC[1:2], {"recall": 1}, "", ""),
        (Groups(("a",)), [row("a", nan)], {"recall": 0}, "", ""),
        (
            Groups(("a", "b", "c")),
            SOME,
            {"recall": 2},
            "the 2 of 3 groups that have a test",
            "Groups without a test are not counted (too few cases).",
        ),
        (
            Groups(("a", "b", "c")),
            [*ABC, *(replace(one, measure="precision") for one in SOME)],
            {"recall": 3, "precision": 2},
            "the groups that have a test (all 3 by recall (sensitivity); 2 of 3 by precision "
            "(positive predictive value))",
            "Groups without a test are not counted (too few cases).",
        ),
        (
            Groups(("a", "b", "c")),
            [
                *SOME,
                row("b", nan, "precision", reason="x"),
                row("a", 0.1, "precision"),
                row("c", nan, "precision"),
            ],
            {"recall": 2, "precision": 1},
            "the groups that have a test (2 of 3 by recall (sensitivity); 1 of 3 by precision "
            "(positive predictive value))",
            "Groups without a test are not counted (too few cases, x and intervals of width 0).",
        ),
    ],
)
def test_how_many_groups_p_values_are_adjusted_for(s, rows, sizes, said, untested):
    assert families(s, rows) == sizes
    assert family_said(s, rows).lower() == said.lower()
    assert untested_said(s, rows) == untested
    sentences = [*how_grouped(s, rows, None)]
    which = {1: "the one group", 2: "both groups", 3: "all 3 groups"}[len(s)]
    sizes_said = "; ".join(f"'{name}': 10 cases" for name in s.names)
    assert sentences[0] == f"The measures were also computed in {which} by 'sex' ({sizes_said})."
    assert sentences[1] == f"Every group was compared with {compared_with(s)}."
    tested = [one for one in sentences if one.startswith("P values")]
    assert bool(tested) == any(one.p == one.p for one in rows)
    assert all((f"adjusted for {family_said(s, rows)} (Holm)" in one) == bool(said) for one in tested)
    assert all(one.endswith(untested) for one in tested)


def test_groups_in_short():
    assert compared_with(Groups(("a", "b"))) == "the other group"
    assert compared_with(Groups(("a", "b", "c"))) == "all other groups"
    assert compared_with(Groups(("a", "b"), "b")) == "group 'b'"
    assert [is_one_pair(Groups(tuple("ab"[:k]), r)) for k, r in ((1, None), (2, None), (2, "a"))] == [
        False,
        True,
        False,
    ]
    assert uncounted_said(Groups(("a",))) == ""
    assert uncounted_said(Groups(("a",), uncounted=("x", "y"))) == (
        "All rows of 'x' and 'y' have weight 0 or were excluded."
    )
    many = Groups(tuple("abcdefg"))
    assert [*how_grouped(many, [], None)] == ["The measures were also computed in all 7 groups by 'sex'."]
    pooled = PooledGroups.among({"a": 4, "b": 5}, 10)
    assert [*how_grouped(replace(many, pooled=pooled), [], None)] == [
        f"The measures were also computed in all 7 groups by 'sex'. {pooled.sentence}"
    ]


@pytest.mark.parametrize(
    ("measure", "order"),
    [("recall", "cabd"), ("log_loss", "bcad"), ("prevalence", "bacd")],
)
def test_the_worst_groups_come_first(measure, order):
    """By the limit nearer to the best value: the upper one where more is better, the lower one where less is."""
    limits = {"a": (-0.3, 0.2, 0.2), "b": (0.1, 0.3, 0.1), "c": (0.0, 0.1, 0.3)}
    rows = [row(name, p, measure, low, high) for name, (low, high, p) in limits.items()]
    rows = [row("d", nan, measure, reason="x"), *rows]
    for turned in (rows, rows[::-1]):
        assert "".join(one.group for one in worst_first(turned)) == order


@pytest.mark.parametrize(
    ("demands", "columns"),
    [
        ((), ()),
        (("recall",), ()),
        (("recall[sex=f]",), ()),
        (("recall[region=*]", "precision"), ("region",)),
        (("recall[sex=f, region=*]", "precision[region=*, sex=*]"), ("sex", "region")),
    ],
)
def test_columns_of_requirements_for_every_group(demands, columns):
    assert columns_of_groups(None, demands) == columns


def test_requirements_for_every_group():
    sexes, ages = ("f", "m"), ("old", "very young")
    groups = [Group(("sex", "age"), pair) for pair in product(sexes, ages)]

    def names(text, columns, groups):
        return [one.name for one in each_group(parse(text), columns, groups)]

    assert names("recall[sex=*] >= 0.8", ["sex"], sexes) == ["recall[sex=f]", "recall[sex=m]"]
    assert names("recall[sex=*, age=*] >= 0.8", ["sex", "age"], groups) == [
        "recall[sex=f, age=old]",
        'recall[sex=f, age="very young"]',
        "recall[sex=m, age=old]",
        'recall[sex=m, age="very young"]',
    ]
    assert names("recall[age=*, sex=m] >= 0.8", ["sex", "age"], groups) == [
        "recall[sex=m, age=old]",
        'recall[sex=m, age="very young"]',
    ]
    assert names("recall >= 0.8", [], []) == ["recall"]
    (one,) = each_group(parse("recall[sex=*] >= 0.8"), ["sex"], ["f"])
    assert (one.operator, one.bound if hasattr(one, "bound") else 0.8) == (">=", 0.8)
    with pytest.raises(InputError, match=r"matches no group\. Use a label of these groups, or"):
        each_group(parse("recall[sex=x, age=*] >= 0.8"), ["sex", "age"], groups)
    with pytest.raises(
        InputError, match=r"Requirements name different groups: sex and age\. Require one of them"
    ):
        columns_of_groups(None, ["recall[sex=*]", "recall[age=*]"])
    for columns, words in ((["age"], "age"), ([], "no column")):
        with pytest.raises(
            InputError, match=f"are for every group of sex, but groups are by {words}. Use by='sex'"
        ):
            refuse_other_groups(None, ["recall[sex=*]"], columns)
    refuse_other_groups(None, ["recall[sex=*, age=*]"], ["age", "sex"])
    refuse_other_groups(None, ["recall"], ["age"])
