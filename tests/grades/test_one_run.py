"""One run: its mean, pass@k, groups, clusters, what more data would bring; and two runs with the same."""

import re
from math import comb, sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t, ttest_1samp, ttest_ind
from statsmodels.stats.power import TTestPower

import classay as ca
from classay.grades.estimates import pass_at
from command import as_json

DATA = Path(__file__).parents[1] / "outside" / "data"
CLUSTERED = DATA / "inspect-0.3.285-clustered.eval"
HARNESS = DATA / "lm_eval-0.4.13"
COLUMNS = ca.GradeColumns(case="item", repeat="epoch", model="model", by=("kind", "text"))
HEAD = "item,epoch,model,kind,text,grade\n"


def runs(tmp_path, rows, columns=COLUMNS, **options):
    """The runs of a table: item, epoch, model, kind, text, grade."""
    path = tmp_path / "grades.csv"
    path.write_text(HEAD + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return ca.read_grades(path, grade="grade", columns=columns, **options)


def repeated(cases=40, epochs=5, seed=0):
    """Rows of one model whose cases are of different difficulty, and of texts of two cases each."""
    rng = np.random.default_rng(seed)
    chance = rng.beta(1, 1, cases)
    return [
        (q, e, "m", "abc"[q % 3], q // 2, int(rng.random() < chance[q]))
        for q in range(cases)
        for e in range(epochs)
    ]


def values_of(rows):
    """The grades by case and epoch."""
    return np.array([row[-1] for row in rows], float).reshape(-1, 1 + max(row[1] for row in rows))


# the mean


def test_the_mean_of_graded_answers_is_that_of_one_more_answer_of_0(tmp_path):
    """Oracle of the statistics: 34 × 1, 3 × .75, 2 × .5, 0."""
    grades = [1] * 34 + [0.75] * 3 + [0.5] * 2 + [0]
    rows = [(k, 0, "m", "a", k, grade) for k, grade in enumerate(grades)]
    mean = ca.assess_grades(runs(tmp_path, rows, bounds=(0, 1))).mean
    assert mean.low == pytest.approx(0.807102141542)
    assert mean.high == pytest.approx(0.971319285776)
    assert "one pseudo-case added" in mean.method


def test_a_run_without_a_wrong_answer_has_an_interval(tmp_path):
    rows = [(k, e, "m", "a", k, 1) for k in range(15) for e in range(2)]
    found = ca.assess_grades(runs(tmp_path, rows))
    assert found.mean.high == 1
    assert found.mean.low < 0.85
    assert found.expected == ()


# pass@k


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_pass_at_k_is_that_of_all_ways_to_take_k_answers(k):
    for n in range(1, 6):
        for c in range(n + 1):
            found = [float(share[0]) for share in pass_at(np.array([n]), np.array([c]), k)]
            if n < k:
                assert np.isnan(found).all()
            else:
                assert found == pytest.approx([1 - comb(n - c, k) / comb(n, k), comb(c, k) / comb(n, k)])


def test_pass_at_k_is_over_the_cases_with_k_answers(tmp_path):
    rows = [(q, e, "m", "a", q, int(e < q % 3)) for q in range(12) for e in range(2 + q % 2)]
    found = ca.assess_grades(runs(tmp_path, rows), pass_k=[1, 2, 3, 4])
    assert [rate.n_cases for rate in found.passing] == [12, 12, 6, 0]
    two = found.passing[1]
    n, c = np.array([2 + q % 2 for q in range(12)]), np.array([min(q % 3, 2 + q % 2) for q in range(12)])
    any_passes, all_pass = pass_at(n, c, 2)
    assert two.any_passes.value == pytest.approx(any_passes.mean())
    assert two.all_pass.value == pytest.approx(all_pass.mean())
    assert two.any_passes.has_interval
    assert found.passing[3].any_passes.reason == "no case has 4 answers"
    assert [rate.k for rate in ca.assess_grades(runs(tmp_path, rows)).passing] == [2]


def test_pass_at_1_of_equal_repeats_is_the_mean(tmp_path):
    found = ca.assess_grades(runs(tmp_path, repeated()), pass_k=[1])
    assert found.passing[0].any_passes == found.passing[0].all_pass == found.mean


def test_grades_that_do_not_pass_or_fail_have_no_pass_at_k(tmp_path):
    rows = [(q, e, "m", "a", q, 1 + (q + e) % 5) for q in range(9) for e in range(2)]
    read = runs(tmp_path, rows, bounds=(1, 5))
    assert ca.assess_grades(read).passing == ()
    assert "pass@k needs grades that pass or fail" in str(ca.assess_grades(read))
    with pytest.raises(ca.InputError, match="needs grades that pass or fail"):
        ca.assess_grades(read, pass_k=[2])
    passed = runs(tmp_path, rows, map={"1": 0, "2": 0, "3": 0, "4": 1, "5": 1})
    assert ca.assess_grades(passed).passing[0].k == 2
    with pytest.raises(ca.InputError, match="at least 1, but is 0"):
        ca.assess_grades(passed, pass_k=[0])


def test_the_share_of_cases_that_vary(tmp_path):
    rows = [(q, e, "m", "a", q, int(e < q % 3)) for q in range(12) for e in range(2)]
    assert ca.assess_grades(runs(tmp_path, rows)).varying.value == pytest.approx(1 / 3)
    once = ca.assess_grades(runs(tmp_path, [row for row in rows if row[1] == 0]))
    assert once.varying.reason == "every case has one answer"


# what more data would bring


def test_more_cases_and_more_answers(tmp_path):
    rows = repeated(cases=60, epochs=4)
    found = ca.assess_grades(runs(tmp_path, rows))
    values = values_of(rows)
    within = values.var(1, ddof=1).mean()
    between = values.mean(1).var(ddof=1) - within / 4
    expected = {(one.cases, one.answers): one.error for one in found.expected}
    assert expected[1, 1] == pytest.approx(found.error)
    for (cases, answers), error in expected.items():
        assert error == pytest.approx(sqrt(between / (60 * cases) + within / (60 * cases * 4 * answers)))
    halves = {(one.cases, one.answers): one.half_width for one in found.expected}
    of_cases = ttest_1samp(values.mean(1), 0).confidence_interval(0.95)
    assert halves[1, 1] == pytest.approx((of_cases.high - of_cases.low) / 2)
    assert halves[2, 1] == pytest.approx(t.ppf(0.975, 119) * expected[2, 1])
    once = ca.assess_grades(runs(tmp_path, [row for row in rows if row[1] == 0]))
    assert [(one.cases, one.answers) for one in once.expected] == [(1, 1), (2, 1), (4, 1)]


# clusters


def test_the_clustered_error_of_inspect_is_ours_with_its_cluster():
    read = ca.read_grades(CLUSTERED, grade="by_pair")
    by_case, by_pair = ca.assess_grades(read), ca.assess_grades(read, cluster="pair")
    assert read.runs[0].reported.cluster == "pair"
    assert by_pair.error == pytest.approx(read.runs[0].reported.error)
    assert by_pair.differences == ()
    assert by_case.differences == (
        "the standard error of classay is 0.096: Inspect has clusters of pair, classay of answers to a case",
    )


def test_clusters_of_unequal_size_are_corrected_and_inspect_does_not():
    read = ca.read_grades(CLUSTERED, grade="by_source")
    found = ca.assess_grades(read, cluster="source")
    values = dict(
        zip(
            zip(read.runs[0].case, read.runs[0].repeat.tolist(), strict=True),
            read.runs[0].mapped.values,
            strict=True,
        )
    )
    means = np.array([(values[str(i), 1] + values[str(i), 2]) / 2 for i in range(12)])
    sums = np.bincount([0] * 6 + [1] * 3 + [2] * 2 + [3], means - means.mean())
    assert read.runs[0].reported.error == pytest.approx(sqrt((sums**2).sum() * 4 / 3) / 12)
    assert found.error > read.runs[0].reported.error
    assert found.differences == (
        "the standard error of classay is 0.057: classay corrects for clusters of unequal size (CV3)",
    )


@pytest.mark.parametrize(("name", "grade"), [("strict", "exact_match"), ("flexible", "exact_match")])
def test_the_error_of_lm_eval_is_ours(name, grade):
    read = ca.read_grades(next(HARNESS.glob("first/samples_written*")), grade=grade, filter=name)
    found = ca.assess_grades(read)
    assert found.error == pytest.approx(read.runs[0].reported.error)
    assert found.differences == ()


def test_an_interval_of_inspect_of_all_epochs_is_ours(tmp_path):
    rows = repeated(cases=30, epochs=3)
    found = ca.assess_grades(runs(tmp_path, rows))
    assert found.error == pytest.approx(values_of(rows).mean(1).std(ddof=1) / sqrt(30))


def test_the_coarser_of_nested_clusters_counts(tmp_path):
    rows = repeated()
    read = runs(tmp_path, rows)
    by_text = ca.assess_grades(read, cluster="text")
    assert ("clusters of cases", "20, by text") in by_text.facts
    means = values_of(rows).mean(1).reshape(20, 2).mean(1)
    assert by_text.error == pytest.approx(means.std(ddof=1) / sqrt(20))
    finer = [(*row[:4], f"{row[0]} {row[1]}", row[-1]) for row in rows]
    assert ca.assess_grades(runs(tmp_path, finer), cluster="text").error == ca.assess_grades(read).error


def test_clusters_that_cut_across_cases_are_refused(tmp_path):
    rows = [(*row[:4], (row[0] + row[1]) % 7, row[-1]) for row in repeated()]
    with pytest.raises(ca.InputError, match="'text' and cases overlap: the answers to case '0'"):
        ca.assess_grades(runs(tmp_path, rows), cluster="text")
    with pytest.raises(ca.InputError, match="'kind' and text overlap"):
        ca.assess_grades(runs(tmp_path, repeated()), cluster=["text", "kind"])
    gaps = [(*row[:4], "" if row[0] == 3 else row[4], row[-1]) for row in repeated()]
    with pytest.raises(ca.InputError, match="Cluster 'text' is missing in 5 answers"):
        ca.assess_grades(runs(tmp_path, gaps), cluster="text")


def test_columns_that_runs_do_not_have_are_refused(tmp_path):
    with pytest.raises(ca.InputError, match=r"no column 'kinds'.* Did you mean 'kind'"):
        ca.assess_grades(runs(tmp_path, repeated()), by="kinds")
    unnamed = runs(tmp_path, repeated(), ca.GradeColumns(case="item", repeat="epoch"))
    with pytest.raises(
        ca.InputError, match=r"no column 'kind' of groups. They have none. Name it in GradeColumns"
    ):
        ca.assess_grades(unnamed, by="kind")


def test_clusters_of_a_table_may_be_many(tmp_path):
    rows = [(k, 0, "m", "a", f"text {k // 2} {'x' * 70}", k % 3 > 0) for k in range(600)]
    found = ca.assess_grades(runs(tmp_path, [(*row[:-1], int(row[-1])) for row in rows]), cluster="text")
    assert ("clusters of cases", "300, by text") in found.facts


def test_a_column_that_differs_between_runs_has_no_groups(tmp_path):
    rows = [(k, 0, name, f"{name}{k % 3}", k, k % 2) for k in range(12) for name in ("a", "b")]
    with pytest.raises(ca.InputError, match="Column 'kind' differs between the runs"):
        ca.assess_grades(runs(tmp_path, rows), by="kind")


# groups


def test_groups_have_means_of_their_own_and_differences_from_all_others(tmp_path):
    rows = repeated()
    found = ca.assess_grades(runs(tmp_path, rows), by="kind")
    values = values_of(rows).mean(1)
    kind = np.array(["abc"[q % 3] for q in range(40)])
    assert [(one.group, one.n_cases, one.n_answers) for one in found.groups.groups] == [
        ("a", 14, 70),
        ("b", 13, 65),
        ("c", 13, 65),
    ]
    for one in found.groups.groups:
        inside = kind == one.group
        assert one.mean.value == pytest.approx(values[inside].mean())
        difference = values[inside].mean() - values[~inside].mean()
        assert one.difference.value == pytest.approx(difference)
        welch = ttest_ind(values[inside], values[~inside], equal_var=False)
        limits = welch.confidence_interval(0.95)
        assert (one.difference.low, one.difference.high) == pytest.approx((limits.low, limits.high))
        assert one.p == pytest.approx(welch.pvalue)
        assert one.p <= one.p_adjusted <= 1


def test_the_difference_from_all_others_is_welchs_t(tmp_path):
    """Groups of very different sizes and spreads, where the degrees of freedom matter."""
    rng = np.random.default_rng(3)
    values = {"a": rng.beta(2, 3, 18), "b": rng.beta(20, 8, 40)}
    rows = [(f"{kind}{q}", 0, "m", kind, q, x) for kind in values for q, x in enumerate(values[kind])]
    found = ca.assess_grades(runs(tmp_path, rows), by="kind").groups.groups[0]
    welch = ttest_ind(values["a"], values["b"], equal_var=False)
    assert found.p == pytest.approx(welch.pvalue)
    assert found.difference.low == pytest.approx(welch.confidence_interval(0.95).low)


@pytest.mark.parametrize("weight", ["equal", "cases"])
def test_the_mean_of_groups_has_the_error_within_the_groups(weight, tmp_path):
    """Groups of very different means: their differences are no error of the mean of these groups."""
    rng = np.random.default_rng(3)
    sizes = {"a": 20, "b": 60, "c": 120}
    chances = {"a": 0.1, "b": 0.5, "c": 0.9}
    rows = [
        (f"{kind}{q}", 0, "m", kind, q, int(rng.random() < chances[kind]))
        for kind in sizes
        for q in range(sizes[kind])
    ]
    found = ca.assess_grades(runs(tmp_path, rows), by="kind", group_weight=weight).groups.overall
    grades = {kind: np.array([row[-1] for row in rows if row[3] == kind], float) for kind in sizes}
    share = {kind: 1 / 3 if weight == "equal" else size / 200 for kind, size in sizes.items()}
    assert found.value == pytest.approx(sum(share[kind] * x.mean() for kind, x in grades.items()))
    error = sqrt(sum(share[kind] ** 2 * x.var(ddof=1) / x.size for kind, x in grades.items()))
    assert (found.high - found.low) / 2 == pytest.approx(1.97 * error, rel=0.06)
    weights = np.concatenate([np.full(x.size, share[kind] / x.size) for kind, x in grades.items()])
    across = sqrt((weights**2 * (np.concatenate([*grades.values()]) - found.value) ** 2).sum())
    assert error < 0.85 * across


def test_a_group_of_one_case_leaves_the_mean_of_groups_without_an_interval(tmp_path):
    rows = [(q, e, "m", "a" if q else "b", q, (q + e) % 2) for q in range(9) for e in range(2)]
    found = ca.assess_grades(runs(tmp_path, rows), by="kind").groups
    assert found.overall.reason == "1 of 2 groups have fewer than two independent cases"
    assert found.groups[1].difference.reason == "fewer than two independent cases"


def test_answers_without_a_group_are_shown_and_not_tested(tmp_path):
    rows = [(*row[:3], "" if row[0] < 9 else row[3], *row[4:]) for row in repeated()]
    found = ca.assess_grades(runs(tmp_path, rows), by="kind").groups
    assert [one.group for one in found.groups] == ["a", "b", "c", None]
    assert np.isnan(found.groups[-1].p_adjusted)


# two runs


def two(tmp_path, cases=198, epochs=5):
    """Two models on the same cases in the same epochs."""
    rng = np.random.default_rng(7)
    chance = rng.beta(0.5, 0.4, cases)
    rows = [
        (q, e, model, "abc"[q % 3], q // 2, int(rng.random() < min(chance[q] + gain, 1)))
        for q in range(cases)
        for e in range(epochs)
        for model, gain in (("new", 0.06), ("old", 0.0))
    ]
    return runs(tmp_path, rows), rows


def test_the_paired_difference_of_two_runs_is_that_of_the_means_of_their_cases(tmp_path):
    read, rows = two(tmp_path)
    found = ca.assess_grades(read)
    grades = {
        name: np.array([row[-1] for row in rows if row[2] == name], float).reshape(-1, 5)
        for name in ("new", "old")
    }
    differences = grades["new"].mean(1) - grades["old"].mean(1)
    assert found[0].effect.value == pytest.approx(differences.mean())
    assert found[0].statistic == pytest.approx(ttest_1samp(differences, 0).statistic)
    assert (found[0].n, found[0].units) == (198, "cases")
    assert [name for name, _ in found.facts].count("cases") == 1
    assert ("answers", "990; a case is a cluster") in found.facts


def test_each_run_has_its_own_interval_beside_the_difference(tmp_path):
    read, _ = two(tmp_path, 30, 3)
    found = ca.assess_grades(read)
    alone = [ca.assess_grades(ca.GradedRuns((run,))).mean for run in read.runs]
    assert [mean for _, mean in found.means] == alone
    assert [*found.to_dict()["means"]] == ["new", "old"]
    assert "Means" in str(found)
    with pytest.raises(ca.InputError, match="pass@k is of one run"):
        ca.assess_grades(read, pass_k=[2])


def test_an_undecided_comparison_says_how_many_cases_would_settle_it(tmp_path):
    found = ca.assess_grades(two(tmp_path, 30, 3)[0])
    assert found[0].p > 0.05
    more = found.to_dict()["comparisons"][0]["more_cases"]
    assert "cases" in more
    assert "80% power" in more


def test_the_cases_that_settle_it_are_those_of_a_t_test(tmp_path):
    """Of few cases the normal quantile is too small: `compare` and `gate` say what statsmodels does."""
    read = two(tmp_path, 9, 3)[0]
    found = ca.assess_grades(read)[0]
    effect = abs(found.statistic) / sqrt(9)
    needed = TTestPower().solve_power(effect, alpha=0.05, power=0.8)
    assert found.needed == pytest.approx(needed, abs=0.5)
    margin = 0.1
    gate = ca.gate(ca.assess_grades(read), "non-inferior", margin)
    effect *= (margin + found.effect.value) / abs(found.effect.value)
    needed = TTestPower().solve_power(effect, alpha=0.025, power=0.8, alternative="larger")
    (said,) = re.findall(r"About (\d+) cases are needed", str(gate))
    assert int(said) == pytest.approx(needed, abs=1)


def test_runs_are_compared_in_groups_and_over_the_mean_of_groups(tmp_path):
    read, rows = two(tmp_path, 60, 2)
    found = ca.assess_grades(read, by="kind")
    assert [*found.groups] == ["a", "b", "c"]
    fact = dict(found.facts)["mean of the 3 groups"]
    differences = np.array([row[-1] for row in rows if row[2] == "new"], float) - np.array(
        [row[-1] for row in rows if row[2] == "old"], float
    )
    kind = np.array([row[3] for row in rows if row[2] == "new"])
    value = np.mean([differences[kind == label].mean() for label in "abc"])
    assert f"difference {value:+.3f} (95% CI" in fact
    assert fact.endswith("; equal weights")


def test_clusters_of_two_runs_are_told(tmp_path):
    found = ca.assess_grades(two(tmp_path, 60, 2)[0], cluster="text")
    assert ("clusters of cases", "30, by text") in found.facts
    assert (found[0].n, found[0].units) == (30, "clusters")


# JSON


def test_everything_of_a_run_is_in_its_json(tmp_path):
    written = as_json(ca.assess_grades(runs(tmp_path, repeated()), by="kind"))
    assert written["error"] > 0
    assert [rate["k"] for rate in written["passing"]] == [2, 5]
    assert len(written["expected"]) == 5
    assert [one["group"] for one in written["groups"]["groups"]] == ["a", "b", "c"]
    assert written["groups"]["overall"]["low"] < written["groups"]["overall"]["high"]
