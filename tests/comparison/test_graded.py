"""Values that are given: means, paired differences, clusters, bounds, leaderboards; by Python and by the command."""

import json

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.errors import InputError
from command import call

RNG = np.random.default_rng(2)
N = 120
COMMON = RNG.beta(2, 2, N)
GRADES = {
    name: np.round(np.clip(COMMON + 0.04 * k + 0.2 * RNG.normal(size=N), 0, 1) * 4) / 4
    for k, name in enumerate("abcd")
}
TWO = {name: GRADES[name] for name in "ab"}


def test_two_columns_are_the_paired_t():
    found = ca.compare_values(TWO, measure="grade")["grade"]
    wanted = stats.ttest_rel(TWO["a"], TWO["b"])
    assert (found.statistic, found.p) == pytest.approx((wanted.statistic, wanted.pvalue))
    low, high = wanted.confidence_interval()
    assert (found.effect.low, found.effect.high) == pytest.approx((low, high))


def test_lower_is_better_turns_what_is_said_and_no_number():
    more, less = ca.compare_values(GRADES), ca.compare_values(GRADES, better="lower")
    assert [one.effect.value for one in more] == [one.effect.value for one in less]
    assert more.leaderboard().leader == less.leaderboard().standings[-1].model
    gates = [
        ca.gate(ca.compare_values(TWO, better=better), "non-inferior", 0.001)
        for better in ("higher", "lower")
    ]
    assert [each.passed for each in gates] == [False, True]


@pytest.mark.parametrize("bounds", [None, (0, 1), (-1, 3)])
def test_repeated_rows_clusters_of_one_and_units_change_nothing(bounds):
    times = RNG.integers(1, 4, N)
    counted = ca.compare_values(GRADES, frequency=times, bounds=bounds)
    repeated = ca.compare_values({k: np.repeat(v, times) for k, v in GRADES.items()}, bounds=bounds)
    scaled = ca.compare_values(
        {k: 10 * np.repeat(v, times) - 7 for k, v in GRADES.items()},
        bounds=None if bounds is None else tuple(10 * end - 7 for end in bounds),
    )
    for one, other, ten in zip(
        *(each.leaderboard().standings for each in (counted, repeated, scaled)), strict=True
    ):
        assert (one.value.low, one.value.high) == pytest.approx((other.value.low, other.value.high))
        assert (10 * one.value.low - 7, 10 * one.lead.low) == pytest.approx((ten.value.low, ten.lead.low))
    copies = {k: np.repeat(v, 3) for k, v in GRADES.items()}
    clustered = ca.compare_values(copies, cluster=np.repeat(np.arange(N), 3), bounds=bounds)
    alone = ca.compare_values(GRADES, bounds=bounds)
    assert clustered[0].effect.low == pytest.approx(alone[0].effect.low, rel=0.02)


@pytest.mark.parametrize("power", [-900, -400, 400, 1020])
def test_a_power_of_two_of_all_weights_changes_no_byte(power):
    rng = np.random.default_rng(7)
    values, weight = {"a": rng.normal(size=40), "b": rng.normal(size=40)}, rng.random(40) + 0.5
    one, other = (ca.compare_values(values, weight=weight * each).to_dict() for each in (1.0, 2.0**power))
    assert one == other


def test_shares_between_bounds_have_wilsons_interval():
    right = {name: (column > 0.5).astype(float) for name, column in GRADES.items()}
    board = ca.compare_values(right, bounds=(0, 1)).leaderboard()
    for each in board.standings:
        hits = int(right[each.model].sum())
        wanted = stats.binomtest(hits, N).proportion_ci(method="wilson")
        assert (each.value.low, each.value.high) == pytest.approx((wanted.low, wanted.high))


def test_cases_without_a_value_are_left_out_for_all():
    with_gap = {"a": np.append(TWO["a"], np.nan), "b": np.append(TWO["b"], 0.5)}
    with pytest.raises(InputError, match="values of a are missing in 1 row, the first at position 120"):
        ca.compare_values(with_gap)
    found = ca.compare_values(with_gap, missing="drop")
    assert found.left_out == {"left out": "1 row without a value of some model"}
    assert found[0].effect == ca.compare_values(TWO)[0].effect


@pytest.mark.parametrize(
    ("values", "how", "wanted"),
    [
        ({"a": [1, 2]}, {}, "two columns or more"),
        ({"a": [1, 2], "b": [1]}, {}, "2 of a, 1 of b"),
        ({"a": [1, np.inf], "b": [1, 2]}, {}, "values of a are infinite"),
        ({"a": [1, 2], "b": [1, 2]}, {"bounds": (0, 1)}, "outside the bounds 0 to 1"),
        ({"a": [1, 0], "b": [1, 0]}, {"bounds": (1, 0)}, "least and the greatest"),
        ({"a": ["x", "y"], "b": [1, 2]}, {}, "values of a"),
        ({"a": [1, 0], "b": [1, 0]}, {"cluster": ["u"]}, "cluster has 1 row"),
        ({"a": [1, 0], "b": [1, 0]}, {"cluster": ["u", None]}, "cluster is missing"),
        ({"a": [1, 0], "b": [1, 0]}, {"control": "c"}, "no model"),
    ],
)
def test_what_is_refused(values, how, wanted):
    with pytest.raises(InputError, match=wanted):
        ca.compare_values(values, **how)


def test_the_command_says_what_python_says(tmp_path):
    path = tmp_path / "g.csv"
    rows = [",".join([*GRADES, "q"])] + [
        ",".join([*(f"{GRADES[name][i]}" for name in GRADES), f"q{i // 4}"]) for i in range(N)
    ]
    path.write_text("\n".join(rows))
    done = call("compare", path, "--graded", "a,b,c,d", "--cluster", "q", "--bounds", "0,1", "--json", "-")
    wanted = ca.compare_values(GRADES, cluster=[f"q{i // 4}" for i in range(N)], bounds=(0, 1))
    assert json.loads(done.stdout) == json.loads(json.dumps(wanted.to_dict()))
    for options, said in (
        (("--graded", "a,x"), "x"),
        (("--graded", "a,b", "--bounds", "0"), "two numbers"),
        (("--graded", "a,b", "--truth", "q"), "--graded"),
    ):
        refused = call("compare", path, *options)
        assert (refused.exit_code, said in refused.stderr) == (2, True)


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_the_gate_at_the_command_is_that_of_python(tmp_path, better):
    path = tmp_path / "g.csv"
    rows = ["a,b,q,half"]
    rows += [f"{a},{b},q{i // 4},{'xy'[i % 2]}" for i, (a, b) in enumerate(zip(*TWO.values(), strict=True))]
    path.write_text("\n".join(rows))
    words = ("gate", path, "--graded", "a,b", "--cluster", "q", "--by", "half", "--better", better)
    done = call(*words, "--measure", "grade", "--rule", "non-inferior", "--margin", "0.1", "--json", "-")
    question, half = [f"q{i // 4}" for i in range(N)], ["xy"[i % 2] for i in range(N)]
    found = ca.compare_values(TWO, cluster=question, by={"half": half}, better=better, measure="grade")
    made = ca.gate(found, "non-inferior", 0.1)
    said = json.loads(done.stdout)
    assert (said["verdict"], said["sentence"]) == (made.verdict.value, made.sentence)
    assert done.exit_code == {"pass": 0, "fail": 1}.get(said["verdict"], 3)
    for options, wanted in (
        (("--graded", "a"), "for two models"),
        (("--graded", "a,b,q"), "names 3"),
        (("--graded", "a,b", "--truth", "q"), "--truth has no meaning"),
        (("--scores", "a,b", "--measure", "auc", "--bounds", "0,1"), "name their columns"),
    ):
        refused = call("gate", path, "--rule", "superior", *options)
        assert (refused.exit_code, wanted in refused.stderr) == (2, True), refused.stderr


@pytest.mark.parametrize("rule", ["superior", "not-worse"])
@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_a_rule_says_itself_what_is_to_be_shown(rule, alternative):
    grades = {"new": [1, 0.5, 1, 0, 1, 0.5], "old": [0.5, 0.5, 1, 0, 0.5, 0.5]}
    with pytest.raises(InputError, match="leave alternative= out"):
        ca.compare_values(grades, bounds=(0, 1), measure="grade", rule=rule, alternative=alternative)


@pytest.mark.parametrize("models", [2, 3, 4, 5])
def test_from_four_models_on_a_leaderboard_stands_in_place_of_all_pairs(models):
    rng = np.random.default_rng(0)
    scores = {f"m{i}": rng.random(60) for i in range(models)}
    for found in (
        ca.compare(scores, np.arange(60) % 2, measures=["roc_auc"]),
        ca.compare_values(scores, bounds=(0, 1), measure="grade"),
    ):
        assert bool(found.leaderboards) == (models >= 4)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_each_end_errs_with_half_where_no_case_tells_two_models_apart(level):
    """If all differences favour one model, no case shows one with chance (1 - p)^n: a gate reads that end alone."""
    values = {"new": np.full(40, 0.5), "old": np.full(40, 0.5)}
    ends = {
        (1 - level) / 2: ca.compare_values(values, bounds=(0, 1), level=level),
        1 - level: ca.compare_values(values, bounds=(0, 1), level=level, alternative="greater"),
    }
    ends |= {
        -(1 - level): ca.compare_values(values, bounds=(0, 1), level=level, rule="equivalent", margin=0.5)
    }
    for chance, found in ends.items():
        assert (1 + found[0].effect.low) ** 40 == pytest.approx(abs(chance))
