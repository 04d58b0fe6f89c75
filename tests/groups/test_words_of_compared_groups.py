"""Comparisons and gates in groups: sentences and verdicts against numbers made by hand."""

from dataclasses import replace
from math import nan

import numpy as np
import pytest
from scipy.stats import f as f_distribution

import classay as ca
from classay.comparison.findings_gates import gate_text
from classay.errors import InputError
from classay.groups.by_group import with_groups
from classay.groups.compared_groups import PooledGroups
from classay.groups.findings_by_group import findings_on_group_gate, findings_on_groups_of_cases
from classay.groups.gate_of_groups import gate_of_groups
from classay.groups.interactions import (
    Interaction,
    ModelDifference,
    adjusted_together,
    gap_change,
    interaction,
    welch,
)
from classay.inference.estimate import Estimate
from classay.inference.requirements import Verdict

RNG = np.random.default_rng(4)
Y = np.arange(120) % 2
NEW, OLD = np.where(RNG.random(120) < 0.2, 1 - Y, Y), np.where(RNG.random(120) < 0.3, 1 - Y, Y)
ALL = ca.compare(y_true=Y, y_pred={"new": NEW, "old": OLD}, measures=["accuracy"])
(BASE,) = ALL


def one(value, half=0.05, p=0.5, family=4, measure="accuracy", values=None, **more):
    """A comparison with this difference, first minus second."""
    effect = Estimate(value, value - half, value + half, 0.95, "m") if half is not None else None
    return replace(
        BASE,
        measure=measure,
        effect=effect,
        values=values or (0.7 + value, 0.7),
        p=p / family if p == p else p,
        multiplicity=replace(BASE.multiplicity, p_adjusted=p, family=family),
        test=replace(BASE.test, side=None),
        **more,
    )


def in_groups(groups, tests=(), emptied=(), simultaneous=(), **more):
    made = with_groups(
        ALL, "region", [(label, 100, [test]) for label, test in groups.items()], tests, emptied, simultaneous
    )
    return replace(made, **more)


WORSE, BETTER, OPEN = one(-0.2, p=0.01), one(0.2, p=0.02), one(0.02)
IN_A = "In 'a', new is worse than old in accuracy by 0.200 (95% CI 0.150 to 0.250); p = 0.010, adjusted for 4"
IN_A_BETTER = (
    "In 'a', new is better than old in accuracy by 0.200 (95% CI 0.150 to 0.250); p = 0.020, adjusted for 4"
)


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ({"a": WORSE, "b": OPEN}, [f"{IN_A} comparisons."]),
        ({"a": BETTER, "b": OPEN}, [f"{IN_A_BETTER} comparisons."]),
        (
            {"b": one(-0.1, p=0.04), "a": WORSE, "c": BETTER},
            [
                f"{IN_A} comparisons.",
                "Also worse in 'b' (accuracy).",
                IN_A_BETTER.replace("'a'", "'c'") + " comparisons.",
            ],
        ),
        (
            {"a": one(-0.2, p=0.001), **dict.fromkeys("bcdef", WORSE)},
            [
                IN_A.replace("0.010", "0.0010") + " comparisons.",
                "Also worse in 5 more groups and measures.",
            ],
        ),
        (
            {"a": one(-0.2, p=0.001), **dict.fromkeys("bcde", WORSE)},
            [
                IN_A.replace("0.010", "0.0010") + " comparisons.",
                "Also worse in 'b' (accuracy), 'c' (accuracy), 'd' (accuracy) and 'e' (accuracy).",
            ],
        ),
        (
            {"a": replace(WORSE, multiplicity=replace(WORSE.multiplicity, family=1))},
            [IN_A.partition(", adj")[0] + "."],
        ),
        (
            {"a": OPEN, "b": OPEN},
            [
                "No difference between new and old was detected in any group of region (2 comparisons, adjusted)."
            ],
        ),
        (
            {"a": OPEN, "b": one(0.1, p=nan)},
            ["No difference between new and old was detected in any group of region (one comparison)."],
        ),
        ({"a": one(0.1, p=nan)}, []),
    ],
)
def test_differences_in_groups_in_words(groups, words):
    found = in_groups(groups)
    said = [each for each in found.sentences_of_groups if "largest gap" not in each]
    assert said == words
    assert [label for label, _ in found.losing] == sorted(
        (label for label, each in groups.items() if each.effect.high < 0 and each.p < 0.05),
        key=lambda label: groups[label].p,
    )
    assert [label for label, _ in found.winning] == [
        k for k, each in groups.items() if each.effect.low > 0 and each.p < 0.05
    ]


def test_of_a_loss_less_is_better():
    found = in_groups({"a": one(-0.2, p=0.01, measure="log_loss"), "b": one(0.2, p=0.02, measure="log_loss")})
    assert [[label for label, _ in side] for side in (found.losing, found.winning)] == [["b"], ["a"]]


@pytest.mark.parametrize(
    ("emptied", "words"),
    [
        ((), []),
        (("x",), ["'x' of region has no compared case."]),
        (("x", "y"), ["'x' and 'y' of region have no compared case."]),
        (tuple("uvwxy"), ["5 groups of region have no compared case."]),
        (tuple("vwxy"), ["'v', 'w', 'x' and 'y' of region have no compared case."]),
    ],
)
def test_groups_without_cases_in_words(emptied, words):
    pooled = PooledGroups.among({"p": 1, "q": 2}, 10)
    found = in_groups({"a": OPEN, "b": OPEN}, emptied=emptied, pooled=pooled)
    assert [each for each in found.sentences_of_groups if "no compared" in each] == words
    assert pooled.sentence in found.sentences_of_groups
    lacking = replace(found, not_recorded=ALL, cases_not_recorded=3, gaps=("region",))
    said = [each for each in lacking.sentences_of_groups if "recorded" in each]
    assert said
    assert said[0].startswith("3 cases without a recorded region are included")


def test_names_of_interactions_and_gaps():
    found = ca.compare(
        y_true=Y, y_pred={"a": NEW, "b": OLD, "c": Y}, by=np.repeat([*"xyz"], 40), measures=["accuracy"]
    )
    assert found.interaction("accuracy", "a", "b").models == ("a", "b")
    for models in ((), ("b", "a")):
        with pytest.raises(
            InputError, match=f"{3 if not models else 0} tests of interaction match 'accuracy'. Name the"
        ):
            found.interaction("accuracy", *models)
        with pytest.raises(
            InputError, match=f"{3 if not models else 0} pairs of models match in accuracy. Pairs: a and b,"
        ):
            found.gap_change("accuracy", *models)
    for label, comparisons in found.groups.items():
        assert found.group(label) is comparisons
    with pytest.raises(InputError, match="x"):
        found.group("w")
    rows = found.frame().to_pylist()
    assert [row["group"] for row in rows] == [None] * 3 + [label for label in "xyz" for _ in range(3)]
    assert [row["cases"] for row in rows] == [None] * 3 + [40] * 9
    assert dict(found.facts)["groups"] == "3 by group"


@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize("p", [0.04, 0.06, 0.5])
def test_an_interaction_in_words(p, level):
    test = Interaction(("new", "old"), "accuracy", 2.0, (1.0, 9.0), p, 3)
    begin = "The difference in accuracy (new minus old) "
    varies = "varies between groups" if p <= 1 - level else "did not vary detectably between groups"
    number = f"{p:.3f}" if p < 0.1 else f"{p:.2f}"
    assert test.sentence(level) == f"{begin}{varies} (interaction p = {number}, Welch's F over 3 groups)."
    adjusted = replace(test, p_adjusted=0.03, family=2)
    assert adjusted.decisive == 0.03
    assert adjusted.sentence(0.95).startswith(
        f"{begin}varies between groups (interaction p = 0.030, adjusted for 2 tests,"
    )
    none = Interaction(("new", "old"), "accuracy", nan, (nan, nan), nan, 1, reason="only one")
    assert none.sentence() == (
        "Variation of the difference in accuracy between groups (new minus old) cannot be tested: only one."
    )


def difference(value, variance=0.01, degrees=20.0):
    return ModelDifference(value, variance, degrees)


def test_groups_outside_a_test_of_interaction():
    groups = {
        "a": difference(0.1),
        "b": difference(0.2, 0.02, 5.0),
        "c": difference(0.2, 0.02, 4.999),
        "d": difference(0.2, 0.0),
        "e": "no cases",
        "f": difference(0.2, nan),
    }
    test = interaction(("new", "old"), "accuracy", groups)
    assert test.groups == 2
    assert dict(test.without) == {
        "c": "too few cases",
        "d": "its cases show no variation of the difference",
        "e": "no cases",
        "f": "its cases show no variation of the difference",
    }
    assert (test.statistic, test.df, test.p) == welch([0.1, 0.2], [0.01, 0.02], [20, 5])
    assert test.omitted == (
        "The test excludes 'c' (too few cases), 'd' and 'f' (its cases show no variation of the difference) and 'e' "
        "(no cases)."
    )
    for left, why in ((["a"], "only one group has"), ([], "no group has")):
        none = interaction(("new", "old"), "accuracy", {label: groups[label] for label in left})
        assert (none.reason, none.groups) == (f"{why} a difference that varies", len(left))
        assert np.isnan(none.p)
    many = interaction(("new", "old"), "accuracy", dict.fromkeys("abcd", "x"))
    assert many.omitted == "The test excludes 4 groups (x)."
    assert replace(many, without=many.without[:3]).omitted == "The test excludes 'a', 'b' and 'c' (x)."
    one_, two = adjusted_together([test, replace(test, p=test.p / 10)], "bonferroni")
    assert (one_.p_adjusted, two.p_adjusted) == (min(1, 2 * test.p), min(1, test.p / 5))
    assert one_.family == two.family == 2
    (alone,) = adjusted_together([test], "holm")
    assert np.isnan(alone.p_adjusted)
    assert alone.decisive == test.p


@pytest.mark.parametrize("seed", range(4))
def test_the_statistic_of_interaction_by_its_series(seed):
    """Mean and variance of Q from those of Student's t squared, and the F variable that has both."""
    rng = np.random.default_rng(seed)
    g = int(rng.integers(2, 7))
    d, v, nu = rng.normal(size=g), rng.random(g) + 0.1, rng.integers(6, 40, g).astype(float)
    w = 1 / v
    center = (w * d).sum() / w.sum()
    q = (w * (d - center) ** 2).sum()
    a = (1 - w / w.sum()) ** 2
    mean_t2, square_t2 = nu / (nu - 2), 3 * nu**2 / ((nu - 2) * (nu - 4))
    mean = g - 1 + (a * (mean_t2 - 1)).sum()
    variance = 2 * (g - 1) + (a * (square_t2 - mean_t2**2 - 2)).sum()
    # a multiple c of F(g - 1, f): both moments give f
    ratio = variance / mean**2
    f = (4 * ratio * (g - 1) + 2 * (g - 1) - 4) / (ratio * (g - 1) - 2)
    c = mean * (f - 2) / f
    statistic, df, p = welch(d, v, nu)
    assert df == pytest.approx((g - 1, f))
    assert statistic == pytest.approx(q / c)
    assert p == pytest.approx(f_distribution.sf(q / c, g - 1, f))


def test_a_gap_changes_by_no_more_than_the_differences_do():
    tests = [
        one(0.1, 0.02, values=(0.8, 0.7)),
        one(-0.1, 0.03, values=(0.5, 0.6)),
        one(0.0, 0.01, values=(0.75, 0.75)),
    ]
    found = gap_change(("new", "old"), "accuracy", tests)
    assert found.gaps == pytest.approx((0.3, 0.15))
    assert found.change.value == pytest.approx(0.15)
    assert (found.groups, found.left_out) == (3, 0)
    reach = 0.2 + (0.02**2 + 0.03**2) ** 0.5  # MOVER of the two differences that are farthest apart
    assert found.change.high == pytest.approx(reach)
    assert found.change.low == -found.change.high
    few = replace(tests[2], sample=replace(tests[2].sample, n=9.0))
    without = gap_change(("new", "old"), "accuracy", [*tests[:2], few, one(0.1, None, p=nan)])
    assert (without.groups, without.left_out) == (2, 2)
    assert "This excludes 2 of 4 groups, which have fewer than 10 cases or no variation." in without.sentence
    enough = replace(few, sample=replace(few.sample, n=10.0))
    assert gap_change(("new", "old"), "accuracy", [*tests[:2], enough]).groups == 3
    none = gap_change(("new", "old"), "accuracy", [tests[0], few])
    assert none.change.reason == "1 of 2 groups has at least 10 cases and a difference that varies"
    assert none.sentence == ""
    assert found.sentence.replace("−", "-") == (
        "The largest gap in accuracy between groups is 0.300 for new and 0.150 for old. Change: +0.150. With 95% "
        f"confidence it is at most {reach:.3f} in either direction."
    )
    one_sided = [replace(each, test=replace(each.test, alternative="greater")) for each in tests]
    assert "one-sided" in gap_change(("new", "old"), "accuracy", one_sided).change.reason
    clustered = [replace(each, sample=replace(each.sample, units="clusters")) for each in tests]
    assert "clusters" in gap_change(("new", "old"), "accuracy", clustered).change.reason


def gate(whole, groups, rule="non-inferior", margin=0.1, wide=0.08, **more):
    """A gate whose groups have intervals of half-width 0.05, and simultaneous ones of half-width `wide`."""
    made = in_groups(
        {label: one(value) for label, value in groups.items()},
        simultaneous=[one(value, wide) for value in groups.values()],
        **more,
    )
    return gate_of_groups(replace(made, comparisons=(one(whole),)), rule, margin)


PASS, FAIL, OPEN_VERDICT = Verdict.PASS, Verdict.FAIL, Verdict.UNDECIDED


@pytest.mark.parametrize(
    ("whole", "groups", "verdicts", "verdict"),
    [
        (0.0, {"a": 0.0, "b": 0.1}, [PASS, PASS], PASS),
        (0.0, {"a": -0.049, "b": -0.06}, [PASS, OPEN_VERDICT], OPEN_VERDICT),
        (0.0, {"a": -0.15, "b": -0.17}, [OPEN_VERDICT, OPEN_VERDICT], OPEN_VERDICT),
        (0.0, {"a": -0.179, "b": -0.181}, [OPEN_VERDICT, FAIL], FAIL),
        (-0.2, {"a": 0.0, "b": 0.0}, [PASS, PASS], FAIL),
        (-0.1, {"a": 0.0, "b": 0.0}, [PASS, PASS], OPEN_VERDICT),
        (-0.1, {"a": 0.0, "b": -0.3}, [PASS, FAIL], FAIL),
    ],
)
def test_verdicts_of_groups(whole, groups, verdicts, verdict):
    """A group passes by its own interval, and fails by the one that holds for all groups at once."""
    found = gate(whole, groups)
    assert [found.verdict_in(label) for label in groups] == verdicts
    assert found.verdict is verdict
    assert [(name, each) for name, each, _ in found.tested_groups] == [
        (f"region = {label}", each) for label, each in zip(groups, verdicts, strict=True)
    ]
    for (_, each, text), (label, value) in zip(found.tested_groups, groups.items(), strict=True):
        half = 0.08 if each is FAIL else 0.05
        ends = f"{value - half:.3f} to {value + half:.3f}"
        assert (
            text.replace("−", "-")
            == f"{each.word.upper()} in '{label}': difference {f'{value:.3f}' if value else 0}, 95% CI {ends}"
        )
    for state in (PASS, FAIL, OPEN_VERDICT):
        wanted = [label for label, each in zip(groups, verdicts, strict=True) if each is state]
        assert found.in_state(state) == sorted(wanted, key=groups.get)


FAILS = "In '{}', new is worse than old in accuracy by more than the margin of 0.1 (difference {}, adjusted for {} "
FAILS += "groups)."


@pytest.mark.parametrize(
    ("whole", "groups", "rule", "words"),
    [
        (
            0.0,
            {"a": 0.0, "b": 0.1},
            "non-inferior",
            [
                "new is non-inferior to old in accuracy in all 2 groups of region at a margin of 0.1.",
                "All cases",
            ],
        ),
        (
            0.0,
            {"a": 0.0},
            "non-inferior",
            [
                "new is non-inferior to old in accuracy in the only group of region at a margin of 0.1.",
                "All cases",
            ],
        ),
        (
            0.0,
            {"a": 0.0, "b": 0.1},
            "not-worse",
            [
                "No loss beyond the margin of 0.1 of new compared with old in accuracy was detected in any of the 2 "
                "groups of region.",
                "All cases",
            ],
        ),
        (
            0.0,
            {"a": 0.0},
            "not-worse",
            [
                "No loss beyond the margin of 0.1 of new compared with old in accuracy was detected in the only group "
                "of region.",
                "All cases",
            ],
        ),
        (
            0.0,
            {"a": -0.2, "b": -0.3, "c": -0.1},
            "non-inferior",
            [
                FAILS.format("b", "-0.300, 95% CI -0.380 to -0.220", 3),
                FAILS.format("a", "-0.200, 95% CI -0.280 to -0.120", 3),
                "The comparison is also inconclusive in 1 group: 'c' (difference -0.100, 95% CI -0.150 to -0.050).",
                "All cases",
            ],
        ),
        (
            0.0,
            dict(zip("abcdef", (-0.2, -0.21, -0.22, -0.23, -0.24, -0.25), strict=True)),
            "non-inferior",
            [
                *("In 'f'", "In 'e'", "In 'd'", "In 'c'"),
                "2 more groups are worse by more than the margin of 0.1.",
                "All cases",
            ],
        ),
        (
            0.0,
            dict(zip("abcdef", (-0.1, -0.101, -0.102, -0.103, -0.104, -0.105), strict=True)),
            "non-inferior",
            ["The comparison is inconclusive in 6 groups: 'f' (difference -0.105", "All cases"],
        ),
        (-0.2, {"a": 0.0, "b": 0.1}, "non-inferior", ["All cases", "new is non-inferior"]),
        (-0.1, {"a": 0.0, "b": 0.1}, "non-inferior", ["All cases", "new is non-inferior"]),
        (
            -0.1,
            {"a": -0.1, "b": 0.1},
            "non-inferior",
            ["The comparison is inconclusive in 1 group", "All cases"],
        ),
        (
            -0.2,
            {"a": -0.1, "b": 0.1},
            "non-inferior",
            ["All cases", "The comparison is inconclusive in 1 group"],
        ),
        (-0.2, {"a": -0.3, "b": 0.1}, "non-inferior", ["In 'a'", "All cases"]),
    ],
)
def test_a_gate_of_groups_in_words(whole, groups, rule, words):
    found = gate(whole, groups, rule)
    said = [each.replace("−", "-") for each in found.sentences]
    assert len(said) == len(words)
    for each, begin in zip(said, words, strict=True):
        assert each.startswith(begin)
    if len(groups) == 6 and "inconclusive" in said[0]:
        assert said[0].endswith(", and 2 more groups.")
    assert found.sentence == " ".join(found.sentences)
    first = next(findings_on_group_gate(found)).sentence
    leads = words[0] == "All cases"
    word = found.all_cases.verdict.word
    begin = f"{word.upper()} (all cases): " if leads else f"All cases ({word}): "
    assert first == f"{begin}{gate_text(found.all_cases)}"
    ranked = sorted(findings_on_group_gate(found), key=lambda finding: finding.rank)
    assert (ranked[0].code == f"gate_{word}") is leads


def test_findings_on_a_gate_of_groups():
    found = {
        finding.code: finding.sentence.replace("−", "-")
        for finding in findings_on_group_gate(gate(0.0, {"a": -0.2, "b": -0.3, "c": -0.1, "d": -0.11}))
    }
    assert found["gate_group_fail"].startswith(
        "FAIL in group 'b': new is worse than old in accuracy by more than"
    )
    assert "adjusted for 4 groups" in found["gate_group_fail"]
    assert found["gate_other_groups"] == (
        "1 more group fails, and the comparison is inconclusive in 2 groups: 'd' and 'c'."
    )
    for groups, words in (
        ({"a": -0.2, "b": -0.3, "c": -0.25}, "2 more groups fail."),
        ({"a": -0.3, "c": -0.1}, "Also inconclusive in group 'c'."),
        ({"a": 0.0, "c": -0.1}, "INCONCLUSIVE in group 'c'."),
    ):
        others = {finding.code: finding for finding in findings_on_group_gate(gate(0.0, groups))}[
            "gate_other_groups"
        ]
        assert others.sentence == words
        assert others.next_step == (
            "Use more cases of these groups." if "nconclusive" in words.lower() else ""
        )
    passed = {each.code: each.sentence for each in findings_on_group_gate(gate(0.0, {"a": 0.0, "b": 0.0}))}
    assert passed["gate_groups_pass"].startswith(
        "PASS: new is non-inferior to old in accuracy in all 2 groups of region"
    )
    lost = {each.code: each.sentence for each in findings_on_group_gate(gate(0.0, {"a": 0.0}, "not-worse"))}
    assert lost["gate_groups_pass"].startswith("PASS: no loss beyond the margin")
    leads = {each.code: each.sentence for each in findings_on_group_gate(gate(-0.2, {"a": 0.0, "b": 0.0}))}
    assert leads["gate_groups_pass"].startswith("new is non-inferior")


def test_gates_that_are_refused():
    groups = in_groups({"a": OPEN}, simultaneous=[OPEN])
    for rule in ("superior", "equivalent"):
        with pytest.raises(
            InputError,
            match=f"Groups can be tested only with the rules non-inferior and not-worse, not '{rule}",
        ):
            groups.gate(rule, 0.1)
    two = replace(groups, comparisons=(OPEN, OPEN))
    with pytest.raises(InputError, match="A gate needs one comparison, but has 2"):
        two.gate("non-inferior", 0.1)


def test_a_gate_tells_pooled_groups_and_cases_without_one():
    pooled = PooledGroups.among({"p": 1, "q": 2}, 10)
    found = gate(
        0.0, {"a": 0.0}, pooled=pooled, not_recorded=replace(ALL, comparisons=(OPEN,)), cases_not_recorded=2
    )
    assert found.sentences[1] == pooled.sentence
    assert found.sentences[2].startswith("2 cases without a recorded region are included")
    assert found.not_recorded.comparison is OPEN
    assert found.cases_not_recorded == 2


def test_what_leads_of_groups():
    """The group that is shown to differ, or else the first sentence on all groups."""
    open_ = in_groups({"a": OPEN, "b": OPEN})
    found = {each.code: each.sentence for each in findings_on_groups_of_cases(open_, [])}
    assert found["groups_compared"] == open_.sentences_of_groups[0]
    assert "group_difference" not in found
    shown = {
        each.code: each.sentence
        for each in findings_on_groups_of_cases(in_groups({"a": WORSE, "b": OPEN}), [])
    }
    assert shown["group_difference"].startswith("In 'a', ")
    assert "groups_compared" not in shown
    none = in_groups({"a": one(0.1, p=nan)})
    assert not {each.code for each in findings_on_groups_of_cases(none, [])} & {
        "groups_compared",
        "group_difference",
    }


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ({"a": 0.0, "b": 0.1}, "in 2 of 2 groups (unadjusted intervals)."),
        ({"a": 0.0}, "in 1 of 1 groups."),
        ({"a": 0.0, "b": -0.3}, "in 1 of 2 groups and fails in 'b' (unadjusted intervals)."),
        (
            dict.fromkeys("abcd", -0.3),
            "in 0 of 4 groups and fails in 'a', 'b', 'c' and 'd' (unadjusted intervals).",
        ),
        (dict.fromkeys("abcde", -0.3), "in 0 of 5 groups and fails in 5 groups (unadjusted intervals)."),
    ],
)
def test_a_rule_in_groups_in_words(groups, words):
    rule = replace(BASE.criterion, rule="non-inferior", margin=0.1)
    found = in_groups({label: one(value, criterion=rule) for label, value in groups.items()})
    start = "new compared with old in accuracy passes the rule 'non-inferior' "
    assert found.sentences_of_groups[0] == start + words


def test_numbers_of_cases_are_whole_numbers_in_a_frame():
    assert str(in_groups({"a": OPEN, "b": OPEN}).frame().schema.field("cases").type) == "int64"


@pytest.mark.parametrize("number", [0, 1, 4, 5, 7])
@pytest.mark.parametrize("shown", [0, 1, 4, 5, 7])
def test_many_tests_of_interaction_are_told_by_those_that_show_one(number, shown):
    """Up to four tests are told; of more, up to four that show variation, and how many others there are."""
    tests = tuple(
        Interaction(
            ("new", f"old {k}"), "accuracy", 2.0, (1.0, 9.0), 0.001 if k >= number - shown else 0.5, 3
        )
        for k in range(number)
    )
    found = in_groups({"a": OPEN, "b": OPEN}, tests)
    of_all = [test.sentence(0.95) for test in tests]
    said = found.sentences_of_interactions
    if number <= 4:
        assert said == of_all
    elif not shown:
        assert said == [
            f"No variation of a difference between groups was detected in {number} tests (see below)."
        ]
    else:
        told = of_all[max(number - shown, 0) :][:4]
        assert said == [*told, f"{number - len(told)} more tests of variation between groups are below."]
