"""Values that are given: means, paired differences, clusters, bounds, leaderboards; by Python and by the command."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import classay as ca
from classay.errors import InputError
from command import as_json, call, refusal

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
    with pytest.raises(InputError, match=r"values of a are missing in 1 row \(index 120\)"):
        ca.compare_values(with_gap)
    found = ca.compare_values(with_gap, unanswered="drop")
    assert found.left_out == {"left out": "1 row without a value of some model (a: 1)"}
    assert found[0].effect == ca.compare_values(TWO)[0].effect
    with pytest.warns(DeprecationWarning, match="unanswered='drop', not by missing='drop'"):
        assert ca.compare_values(with_gap, missing="drop")[0] == found[0]
    with pytest.raises(InputError, match="bounds="):
        ca.compare_values(with_gap, unanswered="wrong")


GAP = np.where(np.arange(40) % 5 < 2, np.nan, 1.0)
ANSWERS = {"new": GAP, "old": np.where(np.arange(40) % 5 < 2, 0.0, np.arange(40) % 2)}


def test_values_that_are_missing_are_tested_as_missing_predictions():
    """Of values 0 and 1 the omissions are those of the same labels."""
    y = [1] * 40
    labels = {name: [None if np.isnan(v) else int(v) for v in each] for name, each in ANSWERS.items()}
    for word in ("drop", "wrong"):
        of_labels = ca.compare(y_true=y, y_pred=labels, measures=["accuracy"], unanswered=word)[0]
        of_values = ca.compare_values(ANSWERS, bounds=(0, 1), unanswered=word)[0]
        assert of_values.values == pytest.approx(of_labels.values)
        if word == "drop":
            ours, theirs = of_values.omissions, of_labels.omissions
            assert (ours.omitted, ours.alone, ours.p_unequal) == (
                theirs.omitted,
                theirs.alone,
                theirs.p_unequal,
            )
            assert ours.p_hard == pytest.approx(theirs.p_hard, nan_ok=True)
            assert ours.worst.value == pytest.approx(theirs.worst.value)
            assert ca.gate(of_values, "superior").verdict is ca.gate(of_labels, "superior").verdict


def test_missing_values_count_as_the_worst_end():
    for better, end in (("higher", 0.0), ("lower", 10.0)):
        how = {"bounds": (0, 10), "better": better}
        filled = {name: np.where(np.isnan(each), end, each) for name, each in ANSWERS.items()}
        found = ca.compare_values(ANSWERS, unanswered="wrong", **how)
        assert found[0].effect == ca.compare_values(filled, **how)[0].effect
        assert found.left_out == {"no answer": "new: 16, counted as the worst value"}


@pytest.mark.parametrize("bounds", [(0, 1), (2, 5)])
def test_a_constant_difference_of_0_and_1_is_that_of_the_same_labels(bounds):
    low, high = bounds
    as_labels = ca.compare(y_true=[1] * 20, y_pred={"new": [1] * 20, "old": [0] * 20}, measures=["accuracy"])[
        0
    ]
    found = ca.compare_values({"new": [high] * 20, "old": [low] * 20}, bounds=bounds)[0]
    scale = high - low
    ends = (scale * as_labels.effect.low, scale * as_labels.effect.high)
    assert (found.effect.low, found.effect.high) == pytest.approx(ends)
    assert found.effect.low / scale == pytest.approx(0.678, abs=5e-4)
    assert (found.p, found.values) == (as_labels.p, (high, low))
    assert ca.gate(found, "superior").verdict.value == "pass"
    turned = ca.compare_values({"old": [low] * 20, "new": [high] * 20}, bounds=bounds)[0]
    assert (turned.effect.low, turned.effect.high) == (-found.effect.high, -found.effect.low)


@pytest.mark.parametrize("how", [{}, {"cluster": np.arange(20) // 2}, {"weight": 1 + np.arange(20) % 3}])
def test_another_constant_difference_has_the_interval_with_one_more_case(how):
    """Wilson's of the share (d + b - a) / (2 (b - a)), with one more case of 0 below; by scipy's normal law or t."""
    new, old = np.full(20, 0.9), np.full(20, 0.1)
    found = ca.compare_values({"new": new, "old": old}, bounds=(0, 1), **how)[0]
    n, share = found.n, 0.9
    q = stats.norm.ppf(0.975) if not how else stats.t.ppf(0.975, n - 1)

    def wilson(p, m):
        middle, half = p + q * q / 2 / m, q * np.sqrt(p * (1 - p) / m + q * q / 4 / m / m)
        return np.array([middle - half, middle + half]) / (1 + q * q / m)

    values = np.append(np.full(20, share), 0.0)
    if how:
        mean, equal = share * n / (n + 1), n * (n + 1 - share * n) / share
    else:
        mean = values.mean()
        equal = mean * (1 - mean) / (values.var(ddof=1) / 21)
    low = min(wilson(share, n)[0], wilson(mean, equal)[0])
    assert found.effect.low == pytest.approx(2 * low - 1)
    assert found.effect.high == pytest.approx(2 * wilson(share, n)[1] - 1)
    at_p = ca.compare_values({"new": new, "old": old}, bounds=(0, 1), level=1 - found.p, **how)[0]
    assert at_p.effect.low == pytest.approx(0, abs=1e-6)
    mirrored = ca.compare_values({"new": 1 - new, "old": 1 - old}, bounds=(0, 1), **how)[0]
    assert (mirrored.effect.low, mirrored.effect.high) == pytest.approx(
        (-found.effect.high, -found.effect.low)
    )
    assert not ca.compare_values({"new": new, "old": old}, **how)[0].effect.has_interval


@pytest.mark.parametrize(
    ("values", "how", "wanted"),
    [
        ({"a": [1, 2]}, {}, "at least two models"),
        ({"a": [1, 2], "b": [1]}, {}, "2 of a, 1 of b"),
        ({"a": [1, np.inf], "b": [1, 2]}, {}, "Values of a are infinite, so their mean is not defined"),
        ({"a": [1, 2], "b": [1, 2]}, {"bounds": (0, 1)}, "outside the bounds 0 to 1"),
        (
            {"a": [1, 0], "b": [1, 0]},
            {"bounds": (1, 0)},
            "bounds must be the lowest and the highest possible value, such",
        ),
        ({"a": ["x", "y"], "b": [1, 2]}, {}, "is not numeric: index 0"),
        ({"a": [1, 0], "b": [1, 0]}, {"cluster": ["u"]}, "cluster has 1 row"),
        ({"a": [1, 0], "b": [1, 0]}, {"cluster": ["u", None]}, "cluster is missing"),
        ({"a": [1, 0], "b": [1, 0]}, {"control": "c"}, "Unknown control 'c'"),
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
    assert json.loads(done.stdout) == as_json(wanted)
    for options, said in (
        (("--graded", "a,x"), "x"),
        (("--graded", "a,b", "--bounds", "0"), "2 numbers"),
        (("--graded", "a,b", "--truth", "q"), "--graded"),
    ):
        assert said in refusal("compare", path, *options)


@pytest.mark.parametrize("rule", ["superior", "not-worse"])
@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_a_rule_says_itself_what_is_to_be_shown(rule, alternative):
    grades = {"new": [1, 0.5, 1, 0, 1, 0.5], "old": [0.5, 0.5, 1, 0, 0.5, 0.5]}
    with pytest.raises(InputError, match="Remove alternative="):
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


def test_a_model_without_grades_where_it_is_bad_passes_no_gate(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    old = rng.random(200).round(2)
    new = [f"{min(1, each + 0.05):.2f}" if k >= 80 else "" for k, each in enumerate(old)]
    rows = "".join(f"{a},{b}\n" for a, b in zip(new, old, strict=True))
    (tmp_path / "miss.csv").write_text(f"new,old\n{rows}")
    gate = ("gate", "miss.csv", "--graded", "new,old", "--rule", "superior")
    assert "--unanswered drop" in refusal(*gate)
    for how in (("--unanswered", "drop"), ("--missing", "drop")):
        done = call(*gate, *how)
        assert done.exit_code == 3
        assert "new has more of them (exact McNemar, p < 0.001)" in done.stdout
        assert ("not by --missing drop" in done.stderr) == (how[0] == "--missing")
    assert call(*gate, "--unanswered", "wrong").exit_code == 2
    assert call(*gate, "--unanswered", "wrong", "--bounds", "0,1").exit_code == 1
    compared = call("compare", "miss.csv", "--graded", "new,old", "--unanswered", "drop")
    assert "new: 80" in compared.stdout


@pytest.mark.parametrize("bounds", [None, (0, 1)])
def test_what_is_left_out_is_tested_by_cases_and_clusters_not_by_rows(bounds):
    """Frequencies are repeated rows, and clusters the units, also where no bounds are declared."""
    new, old = (RNG.integers(0, 2, 60).astype(float) for _ in range(2))
    old[:25], new[:25], times = np.nan, 1, RNG.integers(1, 4, 60)

    def omissions(repeats=1, **how):
        values = {"new": np.repeat(new, repeats), "old": np.repeat(old, repeats)}
        found = ca.compare_values(values, unanswered="drop", bounds=bounds, **how)[0].omissions
        return found.cases, *found.omitted, found.p_unequal, *found.p_hard

    assert omissions(frequency=times) == pytest.approx(omissions(times), nan_ok=True)
    alike, cluster = np.repeat(np.arange(12), 5), np.repeat(np.arange(60), 3)
    assert omissions(3, cluster=cluster)[3] == pytest.approx(omissions(cluster=np.arange(60))[3])
    assert omissions(cluster=alike)[3] == pytest.approx(2 * 0.5**5)


@pytest.mark.filterwarnings("ignore:.*exact cop")
def test_ids_that_repeat_are_told_unless_there_are_clusters(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ids = np.repeat(np.arange(12), 3)
    frame = pd.DataFrame(
        {name: each[:36] for name, each in TWO.items()}, index=pd.Index(ids, name="question")
    )
    values = {name: frame[name] for name in TWO}
    (told,) = ca.compare_values(values).warnings
    assert told.code == "repeated_ids"
    assert told in ca.gate(ca.compare_values(values), "superior").warnings
    assert not ca.compare_values(values, cluster=ids).warnings
    frame.to_csv("q.csv")
    for line in ("compare q.csv --graded a,b", "gate q.csv --graded a,b --rule superior"):
        assert "12 values of 'question'" in " ".join(call(*line.split()).stdout.split())
        assert "'question'" not in call(*line.split(), "--cluster", "question").stdout


def test_the_means_of_two_models_have_intervals_of_their_own():
    values = {"new": [1] * 34 + [0.75] * 3 + [0.5] * 2 + [0], "old": [1, 0] * 20}
    found = ca.compare_values(values, bounds=(0, 1))
    means = dict(found.means)
    assert means["new"].low == pytest.approx(0.807102141542)
    assert means["new"].high == pytest.approx(0.971319285776)
    assert means["old"].method == "Wilson"
    assert "Means" in str(found)
    board = ca.compare_values(dict.fromkeys("abcd", values["new"]), bounds=(0, 1))
    assert board.means == ()
