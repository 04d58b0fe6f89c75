"""Disparities: the largest gap and the least ratio between groups, with intervals that hold, and named criteria."""

import json
import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from jsonschema import Draft202012Validator

import classay as ca
from classay.assessment.required import outcomes_of
from classay.errors import InputError, UnknownMeasureError
from classay.groups.criteria import CRITERIA
from classay.groups.extremes import (
    Extreme,
    PooledPairs,
    _least,
    _ratio_ends,
    corrected_gap,
    extreme_within,
    largest_gap,
    least_ratio,
    level_of,
    pooled_difference,
    pooled_ratio,
    quantile_of_pairs,
)
from classay.groups.results_of_treatment import pictures_of
from classay.inference.estimate import Estimate
from classay.inference.proportions import newcombe_independent, normal_quantile, wilson
from classay.inference.requirements import parse
from classay.measures import get
from classay.report.results.parts import json_text
from classay.testing import assert_requirements
from command import call, refusal, typed

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "criteria.schema.json").read_text(encoding="utf-8"))
ORACLE = json.loads((Path(__file__).parents[1] / "oracles" / "disparities.json").read_text(encoding="utf-8"))


def people(n=900, groups=4, seed=0, share=0.4):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, groups, n)
    y = (rng.random(n) < share).astype(int)
    p = np.round(1 / (1 + np.exp(1 - 1.6 * y - rng.normal(size=n))), 3)
    return y, p, np.array([f"g{k}" for k in range(groups)])[group]


def slices(**options):
    y, p, group = people()
    return ca.assess_by(y, p, by=group, **options)


def rates(level, counts):
    return [Estimate(x / n, *map(float, wilson(x, n, level)), level, "Wilson") for x, n in counts]


def same(ours, theirs):
    def shape(each):
        e = each.estimate
        return pytest.approx([e.value, e.low, e.high], abs=1e-12, nan_ok=True)

    assert [ours.estimate.value, ours.estimate.low, ours.estimate.high] == shape(theirs)


def test_limits_are_those_of_the_oracle():
    counts = [*zip(ORACLE["x"], ORACLE["n"], strict=True)]
    c = quantile_of_pairs(len(counts), 0.95)
    assert c == pytest.approx(ORACLE["c_lower"], abs=1e-8)
    strict, plain = rates(level_of(c), counts), rates(0.95, counts)
    gap, ratio = largest_gap(strict, plain), least_ratio(strict, plain)
    assert [gap.low, gap.high] == pytest.approx(ORACLE["asymmetric"], abs=1e-8)
    assert [ratio.low, ratio.high] == pytest.approx(ORACLE["ratio_asymmetric"], abs=1e-8)


def test_equalised_odds_are_those_of_the_oracle():
    rows = [
        (label, truth, called)
        for k, label in enumerate("abc")
        for truth, of in ((1, 0), (0, 1))
        for called, count in ((1, ORACLE["hits"][of][k]), (0, ORACLE["cases"][of][k] - ORACLE["hits"][of][k]))
        for _ in range(count)
    ]
    group, y, called = zip(*rows, strict=True)
    found = ca.assess_by(list(y), y_pred=list(called), by=list(group), positive=1).equalised_odds_gap
    assert found.measure == "recall"
    assert [found.estimate.value, found.estimate.low] == pytest.approx([ORACLE["odds"][0], 0], abs=1e-9)
    assert found.estimate.high == pytest.approx(ORACLE["odds"][2], abs=1e-8)


def test_two_groups_have_the_interval_of_their_one_difference_without_its_sign():
    y, p, group = people(groups=2)
    s = ca.assess_by(y, p, by=group)
    gap, apart = s.disparity("recall").estimate, s.compare("recall")[0].difference
    low, high = sorted((abs(apart.low), abs(apart.high)))
    expected = (low if apart.low * apart.high > 0 else 0.0, high)
    assert (gap.low, gap.high) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", ["recall", "false_positive_rate", "accuracy", "roc_auc", "precision"])
def test_gaps_are_the_range_of_the_groups_and_ratios_the_least_share(name):
    s = slices()
    values = [s[label][name].value for label in s]
    gap, ratio = s.disparity(name), s.disparity_ratio(name)
    assert gap.estimate.value == pytest.approx(max(values) - min(values))
    assert ratio.estimate.value == pytest.approx(min(values) / max(values))
    assert gap.estimate.low <= gap.estimate.value <= gap.estimate.high
    assert 0 < ratio.estimate.low <= ratio.estimate.value <= ratio.estimate.high <= 1
    assert gap.corrected <= gap.estimate.value


@pytest.mark.parametrize("name", ["recall", "roc_auc"])
def test_rows_groups_and_units_of_weight_do_not_matter(name):
    y, p, group = people()
    plain = ca.assess_by(y, p, by=group)
    order = np.random.default_rng(1).permutation(y.size)
    renamed = np.array([f"z{9 - int(each[1:])}" for each in group])
    for other in (
        ca.assess_by(y[order], p[order], by=group[order]),
        ca.assess_by(y, p, by=renamed),
        ca.assess_by(y, p, by=group, frequency=np.ones(y.size, int)),
    ):
        same(plain.disparity(name), other.disparity(name))
        same(plain.disparity_ratio(name), other.disparity_ratio(name))
        same(plain.equalised_odds_gap, other.equalised_odds_gap)
    light, heavy = (
        ca.assess_by(y, p, by=group, weight=scale * (1 + np.arange(y.size) % 3)) for scale in (1e-3, 1e3)
    )
    same(light.disparity(name), heavy.disparity(name))


def test_intervals_are_nested_in_the_level():
    found = [slices(level=level) for level in (0.8, 0.95, 0.99)]
    for of in (
        lambda s: s.disparity("recall"),
        lambda s: s.disparity_ratio("recall"),
        lambda s: s.equalised_odds_gap,
    ):
        ends = [of(s).estimate for s in found]
        assert ends[0].low >= ends[1].low >= ends[2].low
        assert ends[0].high <= ends[1].high <= ends[2].high


def test_gaps_and_ratios_hold_among_groups_that_are_alike_and_one_that_is_not():
    """Coverage of 95% intervals, on counts; the naive gap of equal groups is far above 0."""
    rng = np.random.default_rng(0)
    for truth in ([0.8] * 6, [0.8] * 5 + [0.65]):
        n, p = 100, np.array(truth)
        c = level_of(quantile_of_pairs(p.size, 0.95))
        inside = []
        for x in rng.binomial(n, p, (300, p.size)):
            strict, plain = (rates(level, [(each, n) for each in x]) for level in (c, 0.95))
            gap, ratio = largest_gap(strict, plain), least_ratio(strict, plain)
            inside.append((gap.low <= np.ptp(p) <= gap.high, ratio.low <= p.min() / p.max() <= ratio.high))
        assert np.mean(inside, axis=0).min() >= 0.94


def test_the_corrected_gap_is_nearer_to_the_truth_of_equal_groups():
    rng = np.random.default_rng(0)
    naive, corrected = [], []
    for x in rng.binomial(200, 0.8, (200, 10)):
        own = rates(0.95, [(each, 200) for each in x])
        gap = largest_gap(rates(level_of(quantile_of_pairs(10, 0.95)), [(each, 200) for each in x]), own)
        naive.append(gap.value)
        corrected.append(corrected_gap(gap, own))
    assert np.mean(naive) == pytest.approx(0.087, abs=0.006)  # statistics of ten equal groups
    assert np.mean(corrected) < 0.4 * np.mean(naive)


def test_clusters_in_several_groups_make_the_lower_end_more_careful():
    y, p, group = people()
    nested = ca.assess_by(y, p, by=group, cluster=[f"{g}{i % 30}" for i, g in enumerate(group)])
    shared = ca.assess_by(y, p, by=group, cluster=np.arange(y.size) % 120)
    for s in (nested, shared):
        found = s.disparity("recall").estimate
        assert found.low <= found.value <= found.high
        assert 0 < found.high - found.low < 0.5


def test_groups_without_cases_enough_are_left_out_and_named():
    y, p, group = people()
    more = ["no positives", "no positives", "alone"]
    s = ca.assess_by([*y, 0, 0, 1], [*p, 0.1, 0.2, 0.7], by=[*group, *more])
    found = s.disparity("recall")
    assert found.groups == 4
    assert {label for label, _ in found.left_out} == {"no positives", "alone"}
    same(found, slices().disparity("recall"))


def test_rates_of_zero_have_a_ratio_of_zero_with_an_upper_limit_or_none():
    y = [1] * 40 + [1] * 40
    s = ca.assess_by(
        y + [0] * 40,
        y_pred=[0] * 40 + [1] * 40 + [0] * 40,
        by=["a"] * 40 + ["b"] * 40 + ["a", "b"] * 20,
        positive=1,
    )
    found = s.disparity_ratio("recall").estimate
    assert (found.value, found.low) == (0, 0)
    assert 0 < found.high < 0.2
    none = s.disparity_ratio("false_positive_rate").estimate
    assert none.is_undefined
    assert "0 in every group" in none.reason


def test_base_rates_that_differ_force_gaps():
    """Criteria that contradict each other at the base rates of the groups (Chouldechova 2017)."""
    rng = np.random.default_rng(0)
    n = 4000
    group = rng.integers(0, 2, n)
    y = (rng.random(n) < np.where(group, 0.3, 0.1)).astype(int)
    called = np.where(rng.random(n) < np.where(y == 1, 0.8, 0.1), 1, 0)
    s = ca.assess_by(y, y_pred=called, by=group, positive=1)
    told = " ".join(s.criteria().conflicts)
    assert "equalized odds excludes demographic parity" in told
    assert "(Chouldechova 2017)" in told
    gaps = np.abs(s[1]["prevalence"].value - s[0]["prevalence"].value)
    forced = (s.overall["recall"].value - s.overall["false_positive_rate"].value) * gaps
    assert f"differ by {forced:.3f}" in told
    alike = ca.assess_by(*people()[:2], by=people()[2])
    assert alike.criteria().conflicts == ()


def test_criteria_keep_their_contract_and_no_gap_is_never_fairness():
    found = slices().criteria()
    assert [each.criterion.name for each in found] == [each.name for each in CRITERIA]
    assert not list(Draft202012Validator(SCHEMA).iter_errors(json.loads(json_text(found.to_dict()))))
    assert found["equal_auc"].gap == slices().disparity("roc_auc")
    for each in found:
        if not each.gap.is_shown:
            assert "No violation of" in each.sentence
    assert "is fair" not in str(found)


def test_the_command_judges_and_demands(tmp_path):
    y, p, group = people()
    path = tmp_path / "p.csv"
    path.write_text("y,p,g\n" + "".join(f"{a},{b},{c}\n" for a, b, c in zip(y, p, group, strict=True)))
    asked = ["assess", str(path), "--truth", "y", "--score", "p", "--by", "g"]
    s = slices()
    out = tmp_path / "out.json"
    done = call(*asked, "--criteria", "--json", str(out))
    assert done.exit_code == 0
    assert "Largest gap between two groups" in done.output
    made = json.loads(out.read_text(encoding="utf-8"))["criteria"]
    assert made == {key: s.criteria().to_dict()[key] for key in made}
    high = s.disparity("recall").estimate.high
    for limit, wanted in ((high + 1e-6, 0), (high - 1e-6, 1)):
        assert call(*asked, "--require", f"disparity(recall).high <= {limit}").exit_code == wanted
    for demand in ("disparity_ratio(recall) >= 0.01", "equalised_odds_gap <= 0.99"):
        assert call(*asked, "--require", demand).exit_code == 0
    for bad, said in (
        (["--require", "disparity(nothing) <= 1"], "nothing"),
        (["--require", "disparity(recall, 2) <= 1"], "'disparity(recall, 2)' is not valid. Use one measure"),
        (["--require", "equalised_odds_gap(2) <= 1"], "has no parentheses"),
        (["--require", "disparity_ratio(matthews_correlation) >= 1"], "can be negative"),
    ):
        assert said in refusal(*asked, *bad)
    for alone in (["--require", "disparity(recall) <= 1"], ["--criteria"]):
        assert "--by" in refusal(*asked[:-2], *alone)


LIMITS = {
    "disparity(recall)": 1,
    "disparity_ratio(recall)": -1,
    "equalised_odds_gap": 1,
    "equalised_odds_ratio": -1,
    "equal_opportunity_difference": 1,
    "disparity(recall, control=h)": 1,
}
"""What limits a gap, and whether from above or from below."""


@pytest.mark.covering(1)
@pytest.mark.parametrize("name", LIMITS)
@pytest.mark.parametrize("few", [0, 1, 9])
def test_a_limit_cannot_be_told_to_hold_where_a_group_is_not_compared(name, few):
    """It may be further apart than the others: what it could turn is open, and all else as without it."""
    y, p, group = people()
    strata = np.arange(y.size) % 2
    free = 5 if "odds" in name else 40  # of equalised odds a group is compared in each rate that it has
    more = {"y": [1] * few + [0] * free, "p": [0.1] * (few + free), "g": ["few"] * (few + free)}

    def of(**more):
        added = {"y": [], "p": [], "g": [], **more}
        h = [*strata, *(np.arange(len(added["y"])) % 2)]
        rows = {"y": [*y, *added["y"]], "p": [*p, *added["p"]], "g": [*group, *added["g"]], "h": h}
        return ca.assess_by(pa.table(rows), truth="y", score="p", by=["g", "h"] if "control" in name else "g")

    alone, beside = of(), of(**more)
    side, value = LIMITS[name], alone.estimate(name).value
    turned = {"pass": "fail", "fail": "pass"}
    for part in ("value", "low", "high"):
        edge = getattr(alone.estimate(name), part)
        for shift, operator in product((-1e-6, 1e-6), ("<=", ">=")):
            demand = parse(f"{name}.{part} {operator} {edge + shift}")
            (before,), (after,) = (outcomes_of(demand, each, None) for each in (alone, beside))
            is_limit = operator == ("<=" if side > 0 else ">=")
            could_turn = before.verdict.value == ("pass" if is_limit else "fail")
            assert turned[before.verdict.value] != after.verdict.value
            assert after.verdict.value == ("cannot tell" if could_turn else before.verdict.value)
            assert not before.left_out
            assert {str(label) for label, _ in after.left_out} == {"few"}
            assert "not compared: 'few' (" in str(after)
            assert ("pool small groups" in str(after)) == could_turn
    assert beside.estimate(name).value == value


def test_a_demand_names_groups_that_are_not_compared_at_every_door(tmp_path):
    y, p, group = people()
    rows = [*zip(y, p, group, strict=True), *[(1, 0.1, "few")] * 9, *[(1, 0.1, "fewer")] * 8]
    path = tmp_path / "p.csv"
    path.write_text("y,p,g\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows), encoding="utf-8")
    demand = "disparity(recall) <= 0.9"
    asked = ["assess", str(path), "--truth", "y", "--score", "p", "--by", "g", "--require", demand]
    out = tmp_path / "out.json"
    done = call(*asked, "--json", str(out))
    assert done.exit_code == 3
    assert "INCONCLUSIVE" in done.stderr
    made = json.loads(out.read_text(encoding="utf-8"))
    whole = json.loads(
        (Path(__file__).parents[2] / "docs" / "assessment.schema.json").read_text(encoding="utf-8")
    )
    assert not list(Draft202012Validator(whole).iter_errors(made))
    assert [each["group"] for each in made["requirements"][0]["left_out"]] == ["few", "fewer"]
    truth, score, by = (list(each) for each in zip(*rows, strict=True))
    s = ca.assess_by(truth, score, by=by)
    with pytest.raises(
        AssertionError, match=r"INCONCLUSIVE: disparity\(recall\) <= 0\.9 \(value 0\.082, 95% CI"
    ):
        assert_requirements(s, demand)
    assert_requirements(s.pool(10), demand)  # which are compared together
    assert call(*asked, "--pool", "10").exit_code == 0
    assert_requirements(slices(), demand)


def test_groups_that_are_alike_are_not_all_groups_where_some_are_not_compared():
    y, by = [1] * 40 + [0] * 40, ["a", "b"] * 40
    alike = ca.assess_by(y, y_pred=y, by=by).disparity("recall").between
    assert alike.startswith("recall is the same in all groups of these cases")
    some = ca.assess_by([*y, 1], y_pred=[*y, 0], by=[*by, "c"]).disparity("recall").between
    assert some.startswith("recall is the same in all compared groups")


def test_what_is_no_measure_or_no_binary_task_is_refused():
    s = slices()
    with pytest.raises(UnknownMeasureError):
        s.disparity("recal")
    several = ca.assess_by(["a", "b", "c"] * 40, y_pred=["a", "b", "c"] * 40, by=["x", "y"] * 60)
    assert several.disparity("accuracy").estimate.value == 0
    with pytest.raises(InputError, match="need two classes, but there are 3"):
        several.criteria()


def in_strata(n=2400, seed=0, shift=0.4):
    rng = np.random.default_rng(seed)
    age, sex = rng.integers(0, 4, n), rng.integers(0, 3, n)
    y = (rng.random(n) < 0.4).astype(int)
    p = np.round(1 / (1 + np.exp(1 - 1.6 * y - shift * age - rng.normal(size=n))), 3)
    return pa.table({"y": y, "p": p, "sex": np.array(["f", "m", "x"])[sex], "age": age})


def test_pooled_over_strata_it_is_what_mantel_and_haenszel_have():
    of = ORACLE["mantel_haenszel"]
    x, n, others, total = np.array([(a, a + b, c, c + d) for (a, b), (c, d) in of["tables"]], float).T
    assert pooled_difference(x, n, others, total) == pytest.approx([of["rd"], of["rd_se_sato"]], abs=1e-12)
    ratio, error = pooled_ratio(x, n, others, total)
    assert [ratio, error] == pytest.approx([of["rr"], of["log_rr_se"]], abs=1e-12)
    assert pooled_difference(others, total, x, n) == pytest.approx([-of["rd"], of["rd_se_sato"]], abs=1e-12)
    back, _ = pooled_ratio(others, total, x, n)
    assert back == pytest.approx(1 / ratio)


def test_columns_that_are_held_fixed():
    rows = in_strata()
    how = {"truth": "y", "score": "p", "positive": 1}
    g = ca.assess_by(rows, by=["sex", "age"], **how)
    found = g.disparity("recall", control="age")
    turned = ca.assess_by(
        rows.take(np.random.default_rng(1).permutation(rows.num_rows)), by=["age", "sex"], **how
    )
    same(turned.disparity("recall", control=["age"]), found)
    assert found.groups == 3
    assert {found.top, found.bottom} <= {"f", "m", "x"}
    assert g.estimate("disparity(recall, control=age)") == found.estimate
    # one stratum alone is no stratification: the difference of two rates
    one = rows.filter(pc.equal(rows["age"], 2))
    alone = ca.assess_by(one, by=["sex", "age"], **how).disparity("recall", control="age")
    plain = ca.assess_by(one, by="sex", **how).disparity("recall")
    assert (alone.estimate.value, alone.top, alone.bottom) == (
        pytest.approx(plain.estimate.value),
        plain.top,
        plain.bottom,
    )
    made = g.criteria(control="age")
    Draft202012Validator(SCHEMA).validate(made.to_dict())
    assert {"demographic_parity", "equalised_odds"} <= {each.criterion.name for each in made}
    assert made["equal_opportunity"].gap == found
    with pytest.raises(InputError, match="control must name some, but not all, of the columns of by="):
        g.disparity("recall", control="town")
    with pytest.raises(InputError, match=r"disparity\(roc_auc\) within strata needs a rate, such as recall"):
        g.disparity("roc_auc", control="age")


def test_a_group_that_shares_no_stratum_is_left_out():
    """It changes nothing but that it is named: neither the pairs that ends hold for, nor what is found."""
    rows = in_strata()
    age = np.where(pc.equal(rows["sex"], "x").to_numpy(), 99, rows["age"].to_numpy())
    how = {"truth": "y", "score": "p", "positive": 1}
    g = ca.assess_by(
        rows.set_column(rows.column_names.index("age"), "age", pa.array(age)), by=["sex", "age"], **how
    )
    others = ca.assess_by(rows.filter(pc.not_equal(rows["sex"], "x")), by=["sex", "age"], **how)
    for name in ("recall", "precision"):
        found, alone = (each.disparity(name, control="age") for each in (g, others))
        assert [label for label, _ in found.left_out] == ["x"]
        assert found.left_out[0][1].startswith("no stratum")
        assert (found.groups, found.estimate, found.top) == (2, alone.estimate, alone.top)
    assert [each.gap.groups for each in g.criteria(control=["age", "age"])] == [2] * 5
    assert g.criteria(control=["age", "age"]).control == ("age",)


@pytest.mark.parametrize("ratio", [False, True])
def test_over_strata_of_a_common_rate_intervals_hold(ratio):
    """Base rates that differ by stratum, groups that are alike within each: a gap of 0, a ratio of 1."""
    rng = np.random.default_rng(0)
    n = rng.integers(5, 60, (3, 8)).astype(float)
    rate = np.linspace(0.2, 0.9, 8)
    quantile = quantile_of_pairs(3, 0.95, are_dependent=True)
    held = 0
    for _ in range(200):
        x = rng.binomial(n.astype(int), rate).astype(float)
        found, _ = extreme_within(x, n, quantile, 1.959964, ratio=ratio)
        held += found.low <= (1 if ratio else 0) <= found.high
    assert held >= 190


def test_balance_within_classes_turns_round_with_the_classes():
    y, p, group = people()
    found = ca.assess_by(y, p, by=group).criteria()
    turned = ca.assess_by(1 - y, 1 - p, by=group).criteria()
    one, other = found["balance_for_positives"].gap, turned["balance_for_negatives"].gap
    assert (one.top, one.bottom) == (other.bottom, other.top)
    assert [one.estimate.low, one.estimate.high] == pytest.approx([other.estimate.low, other.estimate.high])
    means = [p[(y == 1) & (group == label)].mean() for label in np.unique(group)]
    assert one.estimate.value == pytest.approx(max(means) - min(means))


def test_a_gate_demands_of_the_groups_of_the_new_model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y, p, group = people()
    old = np.round(np.random.default_rng(5).random(y.size), 3)
    rows = zip(y, p, old, group, strict=True)
    Path("p.csv").write_text(
        "y,p,q,g\n" + "\n".join(",".join(map(str, row)) for row in rows), encoding="utf-8"
    )
    gate = typed("gate p.csv --truth y --scores p,q --measure accuracy --rule not-worse")
    gap = ca.assess_by(y, p, by=group).disparity("recall").estimate
    for limit, code in ((gap.high + 0.01, 0), (gap.high - 0.01, 1)):
        done = call(*gate, "--by", "g", "--require", f"disparity(recall).high <= {limit}")
        assert done.exit_code == code, done.stdout + done.stderr
    refusal(*gate, "--require", "disparity(recall) <= 0.1")


def test_over_strata_rates_of_0_and_1_are_the_most_extreme():
    n = np.full((3, 2), 30.0)
    x = n * np.array([[1.0], [0.0], [0.5]])
    quantile = quantile_of_pairs(3, 0.95, are_dependent=True)
    gap, _ = extreme_within(x, n, quantile, 1.959964)
    ratio, _ = extreme_within(x, n, quantile, 1.959964, ratio=True)
    assert (gap.value, gap.top, gap.bottom) == (1.0, 0, 1)
    assert 0.7 < gap.low < 1 == gap.high
    assert (ratio.value, ratio.bottom, ratio.low) == (0.0, 1, 0.0)
    assert 0 < ratio.high < 0.5
    none, _ = extreme_within(0 * n, n, quantile, 1.959964)
    assert (none.value, none.low) == (0.0, 0.0)
    assert 0 < none.high < 0.3
    assert np.isnan(extreme_within(0 * n, n, quantile, 1.959964, ratio=True)[0].value)


def test_few_events_in_few_strata_are_covered():
    rng, n = np.random.default_rng(0), np.full((2, 4), 10.0)
    rates, held = np.array([[0.05], [0.1]]), 0
    for _ in range(400):
        found, _ = extreme_within(rng.binomial(10, rates, (2, 4)).astype(float), n, 1.959964, 1.959964)
        held += found.low <= 0.05 <= found.high
    assert held >= 376


def test_groups_of_one_class_alike_groups_and_one_column_have_their_words():
    y = np.array([0, 1] * 30 + [0] * 30)
    p, group = np.linspace(0.05, 0.95, 90).round(2), np.repeat(["a", "b", "c"], 30)
    made = ca.assess_by(y, p, by=group).criteria()
    assert ("c", "no case is positive") in made["balance_for_positives"].gap.left_out
    alike = ca.assess_by([0, 1] * 40, y_pred=[0, 1] * 40, by=["a"] * 40 + ["b"] * 40)
    gap = alike.disparity("recall")
    assert {gap.top, gap.bottom} == {"a", "b"}
    assert "the same in all groups" in alike.criteria()["equal_opportunity"].sentence
    assert alike.estimate("equalized_odds_gap") == alike.equalised_odds_gap.estimate
    with pytest.raises(InputError, match="control must name some, but not all, of the columns of by="):
        alike.disparity("recall", control="x")
    everybody = ca.assess_by(y, y_pred=np.ones(90, int), by=group, positive=1)
    assert not any("excludes demographic" in each for each in everybody.criteria().conflicts)


def test_what_cannot_be_judged_is_told_with_its_reason(tmp_path):
    """One class only, or one group with positives: in the verdict of text, page and JSON alike, and in its row."""
    y, p, group = people(300, 3)
    for truth, known in ((0 * y, 0), (y * (group == "g0"), 1)):
        s = ca.assess_by(truth, p, by=group, positive=1, labels=[0, 1])
        found = s.criteria()
        told = found.sentences[-1]
        few, others = ("only 1", "in the other groups ") if known else ("none", "")
        lacking = f"({few} of 3 groups can be compared, because {others}no case is positive)"
        assert (
            f"equal opportunity, equalized odds, balance for the positive class and equal AUC {lacking}"
            in told
        )
        assert told.startswith(("Not assessed: ", "No criterion can be assessed: "))
        assert not any(each.startswith("No fairness criterion was") for each in found.sentences)
        for where in (str(found), found.to_markdown(), json.dumps(found.to_dict(), ensure_ascii=False)):
            assert told in " ".join(where.split()).replace(" ┃", "").replace("\\", "")
        page = tmp_path / "page.html"
        found.report(page)
        assert told.split("(")[0] in page.read_text(encoding="utf-8")
        assert "Equal opportunity cannot be assessed: " in found["equal_opportunity"].sentence
    labels_alone = ca.assess_by(y, y_pred=(p > 0.5).astype(int), by=group).criteria()
    assert dict(labels_alone.unasked)["Equal AUC"] == "no scores were given"
    assert "balance for the negative class and equal AUC (no scores were given)" in labels_alone.sentences[-1]
    nothing = ca.assess_by(y, p, by=np.repeat("a", 300)).criteria()
    assert nothing.sentences[-1].startswith("No criterion can be assessed: ")
    assert "there is one group, and a gap needs two" in nothing.sentences[-1]


def test_the_page_has_the_values_of_all_groups(tmp_path):
    page = tmp_path / "page.html"
    y, p, _ = people()
    found = ca.assess_by(y, p, by=np.arange(y.size) % 60).criteria()
    found.report(page)
    text = page.read_text(encoding="utf-8")
    assert "Values by group" in text
    assert "The table shows the 25 groups with the highest and the 25 with the lowest values, of 60." in text
    assert "Values by" not in str(found)
    assert dict(dict(found.values)["recall"])[3].has_interval


def test_each_table_of_values_names_the_criteria_that_rest_on_its_measure():
    found = slices().criteria()
    (values,) = pictures_of(found)
    titles = {get(name).title for rule in found for name in rule.criterion.measures}
    assert {table.title for table in values.parts} <= titles
    for table in values.parts:
        for rule in found:
            named = rule.criterion.title.lower() in table.beside.lower()
            assert named == (table.title in [get(name).title for name in rule.criterion.measures])


def test_groups_that_cannot_be_compared_are_named_and_never_a_silent_0():
    """One class, one case, no name: told, and the values of all others are those without them."""
    y, p, group = people(600, 3)
    more = [("one class", 0, 0.1 + k / 100) for k in range(12)] + [("one case", 1, 0.9)]
    labels, truth, score = (
        np.concatenate([own, [each[k] for each in more]]) for k, own in ((0, group), (1, y), (2, p))
    )
    found = ca.assess_by(truth.astype(int), score.astype(float), by=labels).criteria()
    alone = ca.assess_by(y, p, by=group).criteria()
    for each in found:
        left = dict(each.gap.left_out)
        assert "one case" in left
        assert ("one class" in left) == (
            each.criterion.name not in ("demographic_parity", "accuracy_equality", "balance_for_negatives")
        )
        if each.criterion.name == "equalised_odds":  # all of one class have a false positive rate
            assert each.gap.estimate.value >= alone["equalised_odds"].gap.estimate.value
            assert "compared in false positive rate only" in left["one class"]
        elif "one class" in left and each.criterion.name != "predictive_parity":
            same(each.gap, alone[each.criterion.name].gap)
    assert "'one case' (fewer than 10 cases to rate)" in " ".join(str(found).split())
    with pytest.raises(InputError, match="missing"):
        ca.assess_by(y, p, by=np.where(np.arange(y.size) < 3, None, group))
    dropped = ca.assess_by(y, p, by=np.where(np.arange(y.size) < 3, None, group), missing="drop")
    assert (dropped.overall.n, dropped.not_recorded.n, dropped.compared_cases.n) == (y.size, 3, y.size - 3)
    with pytest.raises(InputError, match="missing"):
        ca.assess_by(y, np.where(np.arange(y.size) < 3, np.nan, p), by=group)


def test_balance_rests_on_the_cases_of_its_class():
    """Few positives among many cases: the mean probability of the positives is not compared."""
    y, p, group = people(600, 3)
    y[(group == "g1") & (np.cumsum((group == "g1") & (y == 1)) > 6)] = 0
    s = ca.assess_by(y, p, by=group)
    assert dict(s.disparity("mean_probability_of_positives").left_out).keys() == {"g1"}
    assert s.disparity("mean_probability_of_negatives").left_out == ()
    y[group == "g2"] = 1
    s = ca.assess_by(y, p, by=group)
    assert dict(s.disparity("mean_probability_of_positives").left_out).keys() == {"g1"}


def test_intersections_of_columns_are_groups_that_may_be_small():
    y, p, group = people(900, 3)
    age = np.where(np.arange(900) % 150 == 0, "old", "young")
    rows = pa.table({"y": y, "p": p, "g": group, "age": age})
    found = ca.assess_by(rows, truth="y", score="p", by=["g", "age"]).disparity("accuracy")
    young = ca.assess_by(rows.filter(pc.equal(rows["age"], "young")), truth="y", score="p", by="g").disparity(
        "accuracy"
    )
    assert found.estimate.value == pytest.approx(young.estimate.value)
    assert {label[1] for label, _ in found.left_out} == {"old"}


def test_a_gap_is_told_in_a_sentence():
    s = slices()
    gap, ratio = s.disparity("recall"), s.disparity_ratio("recall")
    assert gap.sentence.startswith(
        f"Recall is higher in '{gap.top}' than in '{gap.bottom}' by {gap.estimate.value:.3f} ("
    )
    assert ratio.sentence.startswith(f"Recall in '{ratio.bottom}' is {ratio.estimate.value:.3f} (")
    alone = ca.assess_by([0, 1] * 20, y_pred=[0, 1] * 20, by=["a"] * 40).disparity("recall")
    assert (
        alone.sentence == "No two groups can be compared in recall: there is one group, and a gap needs two."
    )
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'by'"):
        ca.assess_by([0, 1], y_pred=[0, 1])


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_rates_pooled_over_one_stratum_are_that_stratums(level):
    """Wilson's limits of each rate, and of few events Newcombe's of their difference; no case elsewhere changes it."""
    x, n, others, of = (
        np.array(each, float)[:, None] for each in ([2, 3, 0], [20, 40, 15], [4, 1, 2], [30, 25, 40])
    )
    for padding in (0, 2):
        pooled = PooledPairs.of_strata(*(np.pad(each, ((0, 0), (0, padding))) for each in (x, n, others, of)))
        for (value, low, high), events, cases in zip(
            pooled.rates(normal_quantile(level)), (x, others), (n, of), strict=True
        ):
            np.testing.assert_allclose(value, (events / cases)[:, 0])
            np.testing.assert_allclose(
                (low, high), [each[:, 0] for each in wilson(events, cases, level)], atol=1e-12
            )
        _, low, high = pooled.differences(normal_quantile(level))
        wanted = newcombe_independent(x, n, others, of, level)
        np.testing.assert_allclose((low, high), [each[:, 0] for each in wanted])


def test_methods_of_many_groups_are_named_once():
    y, p, group = people(2000, 24)
    rng = np.random.default_rng(1)
    for how in ({"weight": rng.random(y.size) + 0.1}, {"cluster": rng.integers(0, 100, y.size)}):
        g = ca.assess_by(y, p, by=group, **how)
        for found in (g.disparity("recall"), g.disparity_ratio("accuracy")):
            method = found.estimate.method
            assert method.count("Wilson") == method.count("effective sample size") == 1
            sizes = re.search(r"effective sample size ([\d.]+) to ([\d.]+)", method).groups()
            own = [
                re.search(r"effective sample size ([\d.]+)", g[label][found.measure].method)
                for label in g
                if label not in dict(found.left_out)
            ]
            known = [float(each[1]) for each in own if each]
            assert [*map(float, sizes)] == [min(known), max(known)]
        assert len(g.methods_text()) < 4000


def test_the_widest_gap_is_of_shares_and_none_is_found_beyond_the_range():
    y, p, group = people(240, 6)
    found = ca.assess_by(y, p, by=group).criteria()
    shares = [each.gap for each in found if each.criterion.name != "calibration"]
    widest = max(
        (each for each in shares if each.estimate.has_interval), key=lambda each: each.estimate.value
    )
    assert found["calibration"].gap.estimate.value > widest.estimate.value  # on the scale of log-odds
    assert any(widest.between in each for each in found.sentences)
    each = next(
        each for each in found if not each.gap.is_shown and each.criterion.name == "accuracy_equality"
    )
    never = replace(each, gap=replace(each.gap, found_by_power=1.2)).sentence
    assert f"Gaps of {each.gap.found_by_power:.2f} or more would be detected with 80% power" in each.sentence
    assert never.endswith(
        "No possible gap would be detected with 80% power, because there are too few cases."
    )


def test_a_gap_and_a_ratio_name_the_same_groups_where_several_are_alike():
    y, called = [1] * 80, [1] * 30 + [0] * 10 + [1] * 30 + [0] * 10
    by = ["a"] * 20 + ["b"] * 20 + ["c"] * 20 + ["d"] * 20
    y, called, by = [*y, *[0] * 80], [*called, *[0] * 80], by * 2
    g = ca.assess_by(y, y_pred=called, by=by)
    gap, ratio = g.disparity("recall"), g.disparity_ratio("recall")
    assert (gap.top, gap.bottom) == (ratio.top, ratio.bottom) == ("a", "b")


def test_zero_rates_within_strata_have_a_reason_with_a_limit():
    y, _, group = people(400, 3)
    rows = pa.table({"y": y, "p": np.zeros(400), "g": group, "h": ["u", "v"] * 200})
    g = ca.assess_by(rows, truth="y", score="p", threshold=0.5, by=["g", "h"])
    gap = g.disparity("recall", control="h").estimate
    ratio = g.disparity_ratio("recall", control="h").estimate
    assert gap.value == 0 < gap.high
    assert ratio.reason == f"recall is 0 in every group, and the largest gap at most {gap.high:.3f}"
    pooled = g.pool(1000).criteria(control="h")
    assert "(there is one group, and a gap needs two)" in pooled.sentences[-1]


def test_a_group_whose_rows_count_nothing_is_told():
    y, p, group = people(400, 3)
    g = ca.assess_by(y, p, by=group, weight=np.where(group == "g1", 0, 1.0))
    assert (g.uncounted, [*g]) == (("g1",), ["g0", "g2"])
    assert "All rows of 'g1' have weight 0 or were excluded." in str(g)
    truth = np.where(group == "g2", None, y.astype(object))
    left = ca.assess_by(truth, p, by=group, missing="drop")
    assert left.uncounted == ("g2",)
    assert left.to_dict()["uncounted"] == ["g2"]
    assert ca.assess_by(y, p, by=group).uncounted == ()
    with pytest.raises(InputError, match="group has missing values in 151 rows"):
        ca.assess_by(y, p, by=np.where(group == "g2", None, group))


def test_an_infinite_value_is_compared_with_none_and_told():
    y, p, group = people(600, 3)
    surely = np.where(
        group == "g1", y * 0.9, p
    )  # no false positive in g1, so that its likelihood ratio is infinite
    g = ca.assess_by(y, surely, by=group, threshold=0.5)
    without = ca.assess_by(y[group != "g1"], p[group != "g1"], by=group[group != "g1"], threshold=0.5)
    for of in ("disparity", "disparity_ratio"):
        ours, theirs = (getattr(each, of)("positive_likelihood_ratio") for each in (g, without))
        assert ours.estimate == theirs.estimate
        assert ours.left_out == (("g1", "the value is infinite, so gaps and ratios are not defined"),)
    alone = ca.assess_by(y, y * 0.9, by=group, threshold=0.5).disparity("positive_likelihood_ratio").estimate
    assert alone.reason.startswith("none of 3 groups can be compared, because the value is infinite")


@pytest.mark.parametrize("control", [np.array(["u", "v"]), 3, [1], None])
def test_what_is_held_fixed_is_named(control):
    y, p, group = people(200, 2)
    g = ca.assess_by(y, p, by=group)
    for ask in (g.criteria, lambda **how: g.disparity("recall", **how)):
        with pytest.raises(
            InputError, match="control must be the names of the columns to keep fixed, such a"
        ):
            ask(control=control)


@pytest.mark.parametrize("rates", [(0.016, 0.0), (0.984, 1.0), (0.03, 0.001)])
def test_few_events_in_many_strata_leave_a_gap_open(rates):
    """50 strata of 5 and 50 cases: the lower limit of a rate near 0 lies above the truth in one sample in forty."""
    n = np.array([np.full(50, 5.0), np.full(50, 50.0)])
    rng = np.random.default_rng(1)
    found = [
        extreme_within(
            rng.binomial(n.astype(int), np.array(rates)[:, None]).astype(float), n, 1.959964, 1.959964
        )[0]
        for _ in range(300)
    ]
    gap = abs(rates[0] - rates[1])
    known = [each for each in found if not np.isnan(each.value)]
    assert np.mean([each.low > gap for each in known]) < 0.045
    assert np.mean([each.high < gap for each in known]) < 0.045


@pytest.mark.parametrize("events", [0.02, 0.4, 0.97])
def test_groups_that_change_places_turn_the_limits_of_their_difference(events):
    rng = np.random.default_rng(3)
    n, of = rng.integers(5, 60, (2, 6, 5)).astype(float)
    x, others = (rng.binomial(each.astype(int), events).astype(float) for each in (n, of))
    d, low, high = PooledPairs.of_strata(x, n, others, of).differences(1.96)
    turned, least, most = PooledPairs.of_strata(others, of, x, n).differences(1.96)
    np.testing.assert_allclose([d, low, high], [-turned, -most, -least], atol=1e-12)
    assert (low <= d).all()
    assert (d <= high).all()


@pytest.mark.parametrize("seed", range(6))
def test_the_least_limit_of_a_ratio_is_that_over_all_pairs(seed):
    """Few groups are looked at: every pair of two groups is the oracle."""
    rng = np.random.default_rng(seed)
    values = rng.uniform(0.05, 0.95, 25)
    low, high = values * rng.uniform(0.2, 1, 25), values + (1 - values) * rng.uniform(0, 0.8, 25)
    found = [
        [_ratio_ends((values[i], low[i], high[i]), (values[j], low[j], high[j])) for j in range(25) if j != i]
        for i in range(25)
    ]
    for end in (0, 1):
        value, one, other = _least(values, low, high, end)
        assert value == pytest.approx(float(np.nanmin(np.array(found)[..., end])))
        assert (
            value
            == _ratio_ends((values[one], low[one], high[one]), (values[other], low[other], high[other]))[end]
        )


CLAIM = re.compile(
    r"(?:^|, and )([\w ]+?) (?:is higher )?in '(\w+)' "
    r"(than|is at most [\d.]+ times that|is [\d.]+ \(95% CI [\d. to]+\) times that) in '(\w+)'",
    re.IGNORECASE,
)


def few_and_many(seed, places=1):
    """Rows of large groups that may differ and of small ones, in whose rates chance is large."""
    rng = np.random.default_rng(seed)
    sizes = rng.permutation([*rng.integers(300, 1500, 3), *rng.integers(24, 60, 2)])
    group = np.repeat([f"g{k}" for k in range(sizes.size)], sizes)
    rate = rng.uniform(0.3, 0.5, sizes.size)[np.unique(group, return_inverse=True)[1]]
    y = (rng.random(group.size) < 0.5).astype(int)
    called = (rng.random(group.size) < rate + 0.2 * y).astype(int)
    return pa.table({"y": y, "c": called, "g": group, "h": rng.integers(0, places, group.size)})


def doors(seed):
    """Gaps and ratios by every door, each with the measures that its ends hold for, and its strata."""
    rows = few_and_many(seed)
    how = {"truth": "y", "prediction": "c", "positive": 1}
    s = ca.assess_by(rows, by="g", **how)
    for name in ("predicted_prevalence", "recall"):
        yield s.disparity(name), rows
        yield s.disparity_ratio(name), rows
    yield s.equalised_odds_gap, rows
    yield s.equalised_odds_ratio, rows
    judged = s.criteria()["demographic_parity"]
    yield judged.gap, rows
    rows = few_and_many(seed, 2)
    s = ca.assess_by(rows, by=["g", "h"], **how)
    yield s.disparity("predicted_prevalence", control="h"), rows
    yield s.disparity_ratio("predicted_prevalence", control="h"), rows
    yield s.criteria(control="h")["equalised_odds"].gap, rows


def own_limits(found, rows, measure, higher, lower):
    """The gap and the ratio of one pair at the level of all pairs, in its own limits: the oracle."""
    of = {"predicted prevalence": None, "recall": 1, "false positive rate": 0}[measure.lower()]
    y, called, group, held = (rows[name].to_numpy() for name in ("y", "c", "g", "h"))
    counts = []
    for name in (higher, lower):
        there = (group == name) & ((y == of) if of is not None else True)
        strata = [there & (held == k) for k in range(held.max() + 1)]
        counts.append(np.array([[called[each].sum(), each.sum()] for each in strata], float).T)
    families = 2 if found.name.startswith("equalised_odds") else 1
    within = bool(found.control)
    quantile = quantile_of_pairs(found.groups, 0.95, families=families, are_dependent=within)
    (x, n), (others, of_others) = counts
    if within:
        pairs = PooledPairs.of_strata(x[None], n[None], others[None], of_others[None])
        turned = PooledPairs.of_strata(others[None], of_others[None], x[None], n[None])
        return pairs.differences(quantile)[1, 0], turned.ratios(quantile)[2, 0]
    level = level_of(quantile)
    low = newcombe_independent(x[0], n[0], others[0], of_others[0], level)[0]
    one, other = rates(level, [(x[0], n[0]), (others[0], of_others[0])])
    return low, _ratio_ends(*([np.array(each) for each in (e.value, e.low, e.high)] for e in (other, one)))[1]


@pytest.mark.parametrize("seed", range(8))
def test_whom_a_sentence_sets_above_another_is_above_it_by_their_own_limits(seed):
    """The end of all pairs may be that of other groups than those that are furthest apart as they are seen."""
    for found, rows in doors(seed):
        claims = CLAIM.findall(found.sentence)
        if not found.is_shown:
            assert found.surest is None
            continue
        assert len(claims) == 1, found.sentence
        ((measure, first, _, second),) = claims
        is_ratio = "ratio" in found.name
        higher, lower = (second, first) if is_ratio else (first, second)
        gap, ratio = own_limits(found, rows, measure, higher, lower)
        end, own = (found.estimate.high, ratio) if is_ratio else (found.estimate.low, gap)
        assert own == pytest.approx(end, abs=1e-9), found.sentence
        assert own < 1 if is_ratio else own > 0
        assert found.surest[1:] == (higher, lower)


@pytest.mark.parametrize("seed", range(4))
def test_groups_that_are_renamed_or_change_places_change_only_names(seed):
    rng = np.random.default_rng(seed)
    rows = few_and_many(seed, 2)
    group = rows["g"].to_numpy()
    order = rng.permutation(rows.num_rows)
    new = dict(zip(np.unique(group).tolist(), rng.permutation(["q0", "q1", "q2", "q3", "q4"]), strict=True))
    turned = rows.set_column(2, "g", pa.array([new[each] for each in group])).take(order)
    how = {"truth": "y", "prediction": "c", "positive": 1}
    one, other = (ca.assess_by(each, by=["g", "h"], **how) for each in (rows, turned))
    flat, flat_other = (ca.assess_by(each, by="g", **how) for each in (rows, turned))
    for ours, theirs in (
        (flat.criteria(), flat_other.criteria()),
        (one.criteria(control="h"), other.criteria(control="h")),
    ):
        for each, beside in zip(ours, theirs, strict=True):
            for of in ("gap", "ratio"):
                told, told_other = (getattr(judged, of).sentence for judged in (each, beside))
                assert re.sub("g[0-4]", lambda found: new[found[0]], told) == told_other


def test_where_others_are_surely_apart_sentence_tables_json_and_page_say_both(tmp_path):
    """A is called at 300 of 1,000, B at 400 of 1,000, C at 5 of 12: it is B that is shown to be above A."""
    called = np.concatenate([np.arange(n) < k for n, k in ((1000, 300), (1000, 400), (12, 5))]).astype(int)
    group = np.repeat(["A", "B", "C"], [1000, 1000, 12])
    y = (np.random.default_rng(0).random(2012) < 0.4).astype(int)
    s = ca.assess_by(y, y_pred=called, by=group, positive=1)
    gap, ratio = s.disparity("predicted_prevalence"), s.disparity_ratio("predicted_prevalence")
    assert gap.sentence == (
        "The largest observed gap in predicted prevalence is 0.117 (95% CI 0.044 to 0.382) ('C' minus 'A'), and "
        "predicted prevalence is higher in 'B' than in 'A' by at least 0.044 (simultaneous 95% confidence limit)."
    )
    assert ratio.sentence == (
        "The smallest observed ratio of predicted prevalence is 0.720 (95% CI 0.436 to 0.881) ('A' relative to 'C'), "
        "and predicted prevalence in 'A' is at most 0.881 times that in 'B' (simultaneous 95% confidence limit)."
    )
    assert (
        gap.estimate.low < gap.corrected < gap.estimate.value
    )  # the noise of 12 cases shrinks no other group
    found = s.criteria()
    page = tmp_path / "page.html"
    found.report(page)
    for text in (str(found), found.to_markdown(), page.read_text(encoding="utf-8")):
        words = " ".join(text.replace("&#x27;", "'").replace("&#39;", "'").replace("┃", "").split())
        assert "predicted prevalence is higher in 'B' than in 'A' by at least 0.044" in words
        assert "Demographic parity, 'B' minus 'A' in predicted prevalence" in words
    made = found.to_dict()["criteria"][0]
    assert made["gap"]["surest"] == {"measure": "predicted_prevalence", "highest": "B", "lowest": "A"}
    assert "higher in 'B' than in 'A' by at least 0.044" in made["sentence"]
    assert not list(Draft202012Validator(SCHEMA).iter_errors(json.loads(json_text(found.to_dict()))))


@pytest.mark.parametrize("seed", range(6))
def test_without_chance_is_within_the_interval(seed):
    s = ca.assess_by(few_and_many(seed), truth="y", prediction="c", positive=1, by="g")
    for name in ("predicted_prevalence", "recall", "accuracy", "matthews_correlation"):
        found = s.disparity(name)
        assert found.estimate.low <= found.corrected <= found.estimate.value
    open_ended = [Estimate(value, -np.inf, np.inf, 0.95, "none") for value in (0.1, 0.2, 0.4)]
    assert corrected_gap(Extreme(0.3, 0.0, np.inf, 2, 0), open_ended) == 0


@pytest.mark.parametrize("seed", range(3))
def test_equalised_odds_are_never_nearer_than_recall(seed):
    """A group without negatives has a recall, and is compared in it."""
    y, called, group = _lacking_negatives(seed)
    s = ca.assess_by(y, y_pred=called, by=group)
    for name in ("recall", "false_positive_rate"):
        assert s.equalised_odds_gap.estimate.value >= s.disparity(name).estimate.value
        assert s.equalised_odds_ratio.estimate.value <= s.disparity_ratio(name).estimate.value
    assert s.equalised_odds_gap.bottom == "c"
    assert s.equalised_odds_gap.groups == 3
    assert "compared in recall (sensitivity) only" in s.equalised_odds_gap.left_out[0][1]


def _lacking_negatives(seed):
    rng = np.random.default_rng(seed)
    group = np.repeat(["a", "b", "c"], 100)
    y, called = rng.integers(0, 2, (2, 300))
    y[200:], called[200:] = 1, rng.random(100) < 0.2
    return y, called, group
