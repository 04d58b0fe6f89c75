"""Models over many data sets: Demšar's table, SciPy, and enumeration; the diagram and its cliques."""

import itertools
import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import classay as ca
from classay.comparison.comparison import finding, friedman_chi_squared
from classay.comparison.comparisons import one_sided
from classay.errors import InputError
from classay.resampling.compare_datasets import bayesian_signed_rank, of_comparisons, win_tie_loss
from classay.resampling.rank_tests import (
    _normal_p,
    friedman,
    long_results,
    nemenyi,
    nemenyi_distance,
    sign_test,
    signed_ranks,
    versus_control,
    wide_results,
    wilcoxon,
)
from classay.resampling.results_of_ranks import layout
from families import every_pair

ORACLES = json.loads((Path(__file__).parents[1] / "oracles" / "learners.json").read_text())
TABLE = ORACLES["Demsar_table6"]
DEMSAR = wide_results(dict(zip(TABLE["models"], np.array(TABLE["values"]).T, strict=True)), measure="AUC")
DIFFERENCES = st.lists(st.integers(-4, 4), min_size=2, max_size=9)


def near(wanted):
    return pytest.approx(wanted, rel=1e-9)


def two(differences):
    return wide_results({"a": np.array(differences, float), "b": np.zeros(len(differences))})


# -- Wilcoxon and sign test -------------------------------------------------------------------------------------


def test_wilcoxon_oracles():
    data = ORACLES["wilcoxon_exact8"]
    found = wilcoxon(wide_results({"x": data["x1"], "y": data["x2"]}), "x", "y")
    assert (found.statistic, found.p) == (data["W"], data["p"])
    tied = ORACLES["wilcoxon_ties_exact"]
    found = wilcoxon(two([0, *tied["d"]]), "a", "b")
    assert (found.statistic, found.p, found.n) == (tied["Wminus"], tied["p_exact_conditional"], 9)


def test_demsar_by_the_normal_limit():
    ranks = signed_ranks(np.round(DEMSAR.of("C4.5") - DEMSAR.of("C4.5+m"), 9))
    t, p = ORACLES["Demsar"]["wilcoxon_wilcox"]
    assert min(ranks.positive, ranks.negative) == t
    assert _normal_p(ranks) == near(p)


@given(DIFFERENCES)
@settings(deadline=None)
def test_wilcoxon_is_all_signs(values):
    kept = [abs(each) for each in values if each]
    ranks = stats.rankdata(kept)
    observed = min(sum(r for r, v in zip(ranks, [v for v in values if v], strict=True) if (v > 0) == up)
                   for up in (True, False))  # fmt: skip
    sums = [sum(itertools.compress(ranks, chosen)) for chosen in itertools.product((0, 1), repeat=len(kept))]
    exact = min(1.0, 2 * np.mean([each <= observed + 1e-9 for each in sums]))
    assert wilcoxon(two(values), "a", "b").p == near(exact)


@given(st.lists(st.integers(-1000, 1000), min_size=6, max_size=9, unique_by=abs).filter(lambda v: 0 not in v))
@settings(max_examples=25, deadline=None)
def test_interval_inverts_the_test(values):
    """Shifts inside the interval are not rejected by SciPy's exact test, those outside are."""
    d = np.array(values, float)
    effect = wilcoxon(two(d), "a", "b").effect
    i, j = np.triu_indices(d.size)
    walsh = np.unique((d[i] + d[j]) / 2)
    shifts = np.concatenate([[walsh[0] - 1], (walsh[:-1] + walsh[1:]) / 2, [walsh[-1] + 1]])
    for shift in shifts:
        if np.unique(np.abs(d - shift)).size < d.size or 0 in d - shift:
            continue
        kept = stats.wilcoxon(d - shift, method="exact").pvalue > 0.05
        assert kept == (effect.low < shift < effect.high)


def test_many_data_sets_meet_the_limit():
    rng = np.random.default_rng(1)
    d = rng.normal(0.1, 1, 200)
    exact, limit = wilcoxon(two(d), "a", "b"), stats.wilcoxon(d).pvalue  # from 51 on
    assert exact.p == pytest.approx(stats.wilcoxon(d, method="exact").pvalue, rel=1e-6)
    assert exact.p == pytest.approx(limit, rel=0.01)
    more = rng.normal(0.1, 1, 201)
    found = wilcoxon(two(more), "a", "b")
    assert found.p == pytest.approx(stats.wilcoxon(more).pvalue, rel=1e-9)
    assert "normal limit" in found.method
    assert found.effect.low < np.median(more) < found.effect.high


def test_few_data_sets_say_so():
    found = wilcoxon(two([1, 2, 3, 4, 5]), "a", "b")
    assert found.p == 0.0625
    assert (
        found.reason
        == "5 data sets with a difference are too few for a significant result (smallest possible p 0.0625, "
        "one-sided 0.0312)"
    )
    assert "too few" in found.effect.reason
    assert wilcoxon(two([1, 2, 3, 4, 5, 6]), "a", "b").reason is None
    same = wilcoxon(two([0, 0, 0]), "a", "b")
    assert same.p == 1
    assert "shows no variation" in same.effect.reason


@given(DIFFERENCES)
@settings(deadline=None)
def test_sign_test_is_binomial(values):
    better, n = sum(v > 0 for v in values), sum(v != 0 for v in values)
    wanted = stats.binomtest(better, n).pvalue if n else 1.0
    found = sign_test(two(values), "a", "b")
    assert found.p == near(wanted)
    if not np.isnan(found.effect.low):
        ordered = sorted(values)
        out = sum(ordered[0] <= v < found.effect.low for v in set(ordered))
        assert out >= 0
        k = ordered.index(found.effect.low)
        assert stats.binom.cdf(k, len(values), 0.5) <= 0.025 or ordered.count(found.effect.low) > 1


def test_sign_test_interval_of_ranks():
    """For ten values the interval runs from the second to the ninth (Conover: exact coverage 0.979)."""
    effect = sign_test(two(np.arange(1.0, 11)), "a", "b").effect
    assert (effect.value, effect.low, effect.high) == (5.5, 2, 9)


# -- several models ---------------------------------------------------------------------------------------------


def test_demsar_ranks_and_friedman():
    data = ORACLES["Demsar"]
    assert DEMSAR.mean_ranks == near(np.array(data["avg_ranks"]))
    found, wanted = friedman(DEMSAR), stats.friedmanchisquare(*DEMSAR.values.T)
    chi2 = wanted.statistic
    assert chi2 == near(data["chi2_ties_scipy"])
    f = 13 * chi2 / (14 * 3 - chi2)
    assert found.statistic == near(f)
    assert found.p == pytest.approx(stats.f.sf(f, 3 - 2 / 14, 13 * (3 - 2 / 14)), rel=0.1)  # it is exact


def test_demsar_as_printed():
    """With the tie of the voting data broken as in the paper, the ties that are left are corrected for."""
    data = ORACLES["Demsar_published"]
    values = np.array(TABLE["values"])
    values[12, 2] += 1e-6
    printed = wide_results(dict(zip(TABLE["models"], values.T, strict=True)))
    assert printed.mean_ranks == near(np.array(data["ranks"]))
    assert friedman(printed).statistic == near(data["FF_ties"])
    assert (nemenyi_distance(printed), nemenyi_distance(printed, 0.9)) == near((data["CD05"], data["CD10"]))
    found = versus_control(printed, "C4.5")
    assert [each.statistic for each in found] == near(data["z"])
    assert [each.p for each in found] == near(data["p"])
    assert [each.p_adjusted for each in found] == near(data["holm"])


def test_nemenyi():
    wanted = np.array(ORACLES["Demsar_nemenyi_p"])
    assert [each.p for each in nemenyi(DEMSAR)] == pytest.approx(wanted[np.triu_indices(4, 1)], rel=1e-6)
    for each in nemenyi(DEMSAR):
        assert (each.p_adjusted <= 0.05) == (not each.effect.low < 0 < each.effect.high)


def test_friedman_at_its_ends():
    agree = wide_results({"a": [3, 6, 9], "b": [2, 5, 8], "c": [1, 4, 7]})
    assert friedman(agree).p == near(1 / 36)
    assert friedman(wide_results({"a": [1, 2], "b": [1, 2], "c": [1, 2]})).p == 1
    with pytest.raises(InputError, match="Friedman's test needs at least three models"):
        friedman(two([1, 2]))


@pytest.mark.parametrize("sets", [2, 3, 5])
@pytest.mark.parametrize("agreeing", [False, True])
def test_the_chi_squared_of_friedmans_test_is_scipys(sets, agreeing):
    values = np.random.default_rng(sets).permuted(np.tile(np.arange(4.0), (sets, 1)), axis=1)
    values = values[:1].repeat(sets, 0) if agreeing else values
    found = friedman(wide_results(dict(zip("abcd", values.T, strict=True))))
    assert np.isinf(found.statistic) == agreeing
    assert friedman_chi_squared(found) == near(stats.friedmanchisquare(*values.T).statistic)


FRIEDMAN_1937 = {  # the exact distributions of his tables, as in Siegel's: data sets, models, and P of as large a χ²
    (3, 3): {0: 1, 0.667: 0.944, 2: 0.528, 2.667: 0.361, 4.667: 0.194, 6: 0.028},
    (4, 3): {0: 1, 0.5: 0.931, 1.5: 0.653, 2: 0.431, 3.5: 0.273, 4.5: 0.125, 6: 0.069, 6.5: 0.042, 8: 0.0046},
    (2, 4): {4.8: 0.208, 5.4: 0.167, 6: 0.042},
    (3, 4): {5.8: 0.148, 6.6: 0.075, 7: 0.054, 7.4: 0.033, 8.2: 0.017, 9: 0.0017},
}


@pytest.mark.parametrize(("n", "k"), FRIEDMAN_1937)
def test_friedmans_p_is_that_of_his_tables(n, k):
    orders = [*itertools.permutations(range(k))]
    seen = {}
    for others in itertools.product(orders, repeat=n - 1):
        values = np.array([orders[0], *others], float)
        chi2 = float(stats.friedmanchisquare(*values.T).statistic)
        seen.setdefault(round(chi2, 3), values)
    for chi2, p in FRIEDMAN_1937[n, k].items():
        values = seen[chi2]
        found = friedman(wide_results(dict(zip("abcd", values.T, strict=False))))
        assert found.p == pytest.approx(p, abs=6e-4 if p > 0.01 else 6e-5)


@pytest.mark.parametrize(
    "table", [[[1, 1, 2], [3, 1, 2], [1, 2, 2]], [[1, 2, 3, 3], [2, 1, 4, 3], [1, 1, 2, 2]]]
)
def test_friedmans_p_is_the_share_of_all_orders_with_ties_as_they_are(table):
    values = np.array(table, float)
    orders = [[*itertools.permutations(row)] for row in stats.rankdata(values, axis=1)]
    sums = np.array([np.sum(each, 0) for each in itertools.product(*orders)])
    as_large = ((sums - sums.mean()) ** 2).sum(1)
    wanted = (as_large >= as_large[0] - 1e-9).mean()

    def p_of(rows):
        return friedman(wide_results(dict(zip("abcd", np.array(rows, float).T, strict=False)))).p

    assert p_of(values) == pytest.approx(wanted)
    assert p_of(values[::-1, ::-1]) == p_of(values)
    assert p_of([*values, values[0] * 0]) == p_of(values)  # all tie on it


@pytest.mark.parametrize(("n", "k", "ties"), [(4, 8, False), (12, 6, False), (10, 6, True)])
def test_of_many_orders_friedmans_p_is_that_of_draws(n, k, ties):
    rng = np.random.default_rng(2)
    values = rng.integers(0, 4, (n, k)) if ties else rng.normal(size=(n, k))
    values = values + np.linspace(0, 1.2, k) * (not ties)
    ranks = stats.rankdata(values, axis=1)
    drawn = rng.permuted(np.broadcast_to(ranks, (20_000, n, k)), axis=2).sum(1)
    found = friedman(wide_results({f"m{j}": column for j, column in enumerate(values.T.astype(float))}))
    as_large = (drawn.var(1) >= ranks.sum(0).var() - 1e-9).mean()
    assert "F" in found.method.split()[-1]
    assert found.p == pytest.approx(as_large, abs=4 * np.sqrt(as_large / 20_000) + 0.003)


def test_pairs_do_not_depend_on_the_others():
    fewer = wide_results({name: DEMSAR.of(name) for name in TABLE["models"][:2]})
    assert every_pair(fewer)[0].p == every_pair(DEMSAR)[0].p


def brute_signed_rank(d, rope, draws, rng):
    """Benavoli et al. 2017, by loops: how often each share of pairs is the largest."""
    z, wins = [0.0, *d], np.zeros(3)
    for _ in range(draws):
        w = rng.dirichlet([0.5, *([1.0] * len(d))])
        share = np.zeros(3)
        for i, j in itertools.product(range(len(z)), repeat=2):
            mean = (z[i] + z[j]) / 2
            share[0 if mean > rope else 2 if mean < -rope else 1] += w[i] * w[j]
        wins[share.argmax()] += 1
    return wins / draws


def test_bayesian_signed_rank():
    d = [0.03, 0.01, -0.02, 0.05, 0.00, 0.02]
    found = bayesian_signed_rank(two(d), "a", "b", 0.01)
    wanted = brute_signed_rank(d, 0.01, 2000, np.random.default_rng(3))
    assert np.array([found.first, found.equal, found.second]) == pytest.approx(wanted, abs=0.045)
    assert found.first + found.equal + found.second == near(1)
    assert found == bayesian_signed_rank(two(d), "a", "b", 0.01)
    turned = bayesian_signed_rank(two([-each for each in d]), "a", "b", 0.01)
    assert (turned.second, turned.first) == near((found.first, found.second))
    assert bayesian_signed_rank(two([0.5] * 9), "a", "b", 0.01).first > 0.99


@pytest.mark.parametrize("sign", [1, -1])
def test_the_effect_of_bayesian_signed_rank_is_the_mean_of_its_posterior(sign):
    """The prior weighs half a data set and has no difference: Σ d / (n + 1/2), the same for both orders."""
    d = sign * np.array([0.03, 0.01, -0.02, 0.05, 0.00, 0.02])
    effect = bayesian_signed_rank(two(d), "a", "b", 0.01).effect
    assert effect.value == pytest.approx(d.sum() / (d.size + 0.5), abs=3e-4)
    assert effect.low < effect.value < effect.high
    even = bayesian_signed_rank(two([0.03, -0.03, 0.01, -0.01]), "a", "b", 0.01).effect
    assert (even.value, even.low) == (0.0, -even.high)


# -- frames -----------------------------------------------------------------------------------------------------

LONG = {
    "data": ["x", "x", "x", "y", "y", "y"],
    "model": ["a", "a", "b", "a", "a", "b"],
    "value": [0.8, 0.9, 0.7, 0.5, 0.7, 0.4],
    "run": [1, 2, 1, 1, 2, 1],
}


def test_values_of_an_unknown_kind_need_a_direction():
    with pytest.raises(InputError, match="The better direction of 'Brier"):
        long_results(
            LONG | {"Brier (test)": LONG["value"]},
            dataset="data",
            model="model",
            value="Brier (test)",
            run="run",
        )


@pytest.mark.parametrize("frame", [LONG, pd.DataFrame(LONG), pl.DataFrame(LONG), pl.LazyFrame(LONG)])
def test_long_frames_average_runs(frame):
    found = long_results(frame, dataset="data", model="model", value="value", run="run", better=1)
    assert found.runs == (1, 2)
    assert (found.models, found.datasets) == (("a", "b"), ("x", "y"))
    assert found.values == near(np.array([[0.85, 0.7], [0.6, 0.4]]))


@pytest.mark.parametrize("kind", [dict, pd.DataFrame, pl.DataFrame, pl.LazyFrame])
def test_wide_frames(kind):
    frame = kind({"data": ["x", "y"], "a": [0.8, 0.5], "b": [0.7, 0.4]})
    found = wide_results(frame, dataset="data")
    assert (found.models, found.datasets) == (("a", "b"), ("x", "y"))
    assert wide_results(frame, ["b", "a"]).models == ("b", "a")


def test_incomplete_tables_are_refused():
    names = {"dataset": "data", "model": "model", "value": "value"}
    with pytest.raises(InputError, match="Data set 'x' and model 'a' have two values"):
        long_results(LONG, **names)
    short = {name: column[:-1] for name, column in LONG.items()}
    with pytest.raises(
        InputError, match="1 of 4 pairs of data set and model have no value, for example 'b' on 'y'"
    ):
        long_results(short, run="run", **names)
    with pytest.raises(InputError, match="1 value is not defined or infinite, for example 'b' on 1"):
        wide_results({"a": [1, 2], "b": [1, np.nan]})
    with pytest.raises(InputError, match="but there are 1 model and 2 data sets"):
        wide_results({"a": [1, 2]})
    with pytest.raises(InputError, match="two rows"):
        wide_results({"d": ["x", "x"], "a": [1, 2], "b": [1, 2]}, dataset="d")
    with pytest.raises(InputError, match="Column 'a' is not numeric"):
        wide_results({"a": ["x", "y"], "b": [1, 2]})
    with pytest.raises(InputError, match=r"Unknown model 'c'\. Models: a, b"):
        wilcoxon(two([1, 2]), "a", "c")


def test_rounding_makes_no_ranks():
    found = wide_results({"a": [0.1 + 0.2, 1], "b": [0.3, 2]})
    assert found.ranks.tolist() == [[1.5, 1.5], [2, 1]]
    assert wilcoxon(found, "a", "b").n == 1


# -- the diagram ------------------------------------------------------------------------------------------------


def test_nemenyi_diagram_is_the_papers():
    """Demšar 2006, section 3.2.3: at 0.10 C4.5 is worse than both with m, and nothing else is decided."""
    made = of_comparisons(
        DEMSAR, nemenyi(DEMSAR, level=0.9), level=0.9, distance=nemenyi_distance(DEMSAR, 0.9)
    )
    assert made.cliques == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))
    assert made.distance == near(ORACLES["Demsar"]["CD10"])


@given(st.integers(2, 6), st.integers(0, 2**15 - 1))
@settings(deadline=None)
def test_cliques_are_the_largest_groups(k, bits):
    """Against all subsets."""
    rng = np.random.default_rng(bits)
    results = wide_results({f"m{i}": rng.random(6) for i in range(k)})
    tests = [each.adjusted(float(rng.random() < 0.5), "any") for each in every_pair(results)]
    made = of_comparisons(results, tests)
    alike = {frozenset(each.models) for each in tests if each.p_adjusted > 0.05}
    groups = [
        set(group)
        for size in range(2, k + 1)
        for group in itertools.combinations(results.models, size)
        if all(frozenset(pair) in alike for pair in itertools.combinations(group, 2))
    ]
    largest = [group for group in groups if not any(group < other for other in groups)]
    assert sorted(map(sorted, made.cliques)) == sorted(map(sorted, largest))
    assert list(made.ranks) == sorted(made.ranks)


def test_bars_do_not_touch_and_mark_their_members():
    rng = np.random.default_rng(5)
    results = wide_results({f"m{i}": rng.normal(i / 20, 0.1, 12) for i in range(8)})
    made = of_comparisons(results, every_pair(results))
    marks = layout(made)
    bars = [line for line in marks.lines if line.width > 3]
    assert len(bars) == len(made.cliques)
    assert len(marks.dots) == sum(map(len, made.cliques))
    for a, b in itertools.combinations(bars, 2):
        assert a.y1 != b.y1 or a.x2 < b.x1 or b.x2 < a.x1
    names = [text.text for text in marks.texts]
    assert all(any(model in name for name in names) for model in made.models)


def test_tied_models_have_marks_of_their_own():
    """No two stems stand at one place, so that each dot belongs to one model; bars join only what was not detected."""
    results = wide_results({"a": [3, 1, 3, 1, 3, 1.0], "b": [1, 3, 1, 3, 1, 3.0], "c": [2, 2, 2, 2, 2, 2.0]})
    made = of_comparisons(results, every_pair(results))
    assert {*made.ranks} == {2.0}
    marks = layout(made)
    assert len({dot.x for dot in marks.dots}) == 3
    assert sum(dot.x for dot in marks.dots) / 3 == pytest.approx(400)


@pytest.mark.parametrize("better", ["higher", "lower"])
@pytest.mark.parametrize("how", [{"method": "nemenyi"}, {"method": "mean-ranks", "control": "c"}])
def test_a_difference_of_mean_ranks_is_that_of_the_ranks_shown(better, how):
    rng = np.random.default_rng(3)
    frame = {name: rng.normal(at, 0.5, 15) for name, at in zip("abc", (0, 1, 2), strict=True)}
    compared = ca.compare_datasets(frame, better=better, **how)
    ranks = wide_results(frame, better=1 if better == "higher" else -1).mean_ranks
    by_name = dict(zip("abc", ranks.tolist(), strict=True))
    for one in compared:
        first, second = (by_name[name] for name in one.models)
        assert one.values == (first, second)
        assert one.effect.value == pytest.approx(first - second)
        assert one.better == -1
        if finding(one) != "open":
            assert finding(one) == f"{one.models[int(second < first)]} better"


def test_the_best_mean_rank_stands_first():
    rng = np.random.default_rng(3)
    frame = {name: rng.normal(at, 0.5, 15) for name, at in zip("abcd", (0, 1, 3, 3), strict=True)}
    made = ca.compare_datasets(frame, better="higher")
    sentence = made.to_dict()["headline"][0]["sentence"]
    best, other = made.diagram.models[:2]
    assert sentence == (
        f"{best} has the best mean rank ({made.diagram.ranks[0]:.2f}). No difference from {best} was detected for "
        f"{other}."
    )


def test_drawings():
    results = wide_results({"a<b>&": [1, 2, 3], "c": [2, 3, 4], "$d$": [0, 1, 2]})
    made = of_comparisons(results, every_pair(results))
    root = ElementTree.fromstring(made.svg())
    assert any("a<b>&" in (each.text or "") for each in root.iter())
    from matplotlib.figure import Figure

    ax = made.plot(Figure().subplots())
    assert any("a<b>&" in text.get_text() for text in ax.texts)


SMALL_LOSSES = {
    "a": [0.010, 0.020, 0.030, 0.011, 0.012, 0.013],
    "b": [0.012, 0.022, 0.033, 0.013, 0.014, 0.015],
}


@pytest.mark.parametrize("test", [wilcoxon, sign_test])
@pytest.mark.parametrize("third", [[2e10] * 6, [1e-10] * 6, [0.0] * 6])
def test_a_third_model_changes_no_test_of_two(test, third):
    """Whatever the size of its values."""
    alone = test(wide_results(SMALL_LOSSES, better=-1), "a", "b")
    among = test(wide_results(SMALL_LOSSES | {"c": third}, better=-1), "a", "b")
    assert (alone.p, alone.effect, alone.n) == (among.p, among.effect, among.n)
    ranks = wide_results(SMALL_LOSSES | {"c": third}, better=-1).ranks
    assert (ranks[:, 0] < ranks[:, 1]).all()


@pytest.mark.parametrize("factor", [1e-12, 1e-6, 1e6, 1e12])
def test_the_scale_of_a_data_set_changes_no_sign(factor):
    a, b = (np.array(SMALL_LOSSES[name]) for name in "ab")
    a, b = (np.append(each, 2.0 * factor * k) for each, k in ((a, 1.0), (b, 1.05)))
    found = sign_test(wide_results({"a": a, "b": b}, better=-1), "a", "b")
    assert (found.n, found.p) == (7, 2 / 2**7)


def test_ties_are_ties_whatever_the_rounding():
    a, b = [0.1 + 0.2, 0.81, 0.31, 1e-17, 20000.01], [0.3, 0.80, 0.30, 0.0, 20000.0]
    assert wide_results({"a": a, "b": b}).differences("a", "b").tolist() == [0, 0.01, 0.01, 0, 0.01]


@pytest.mark.parametrize("models", [3, 170, 171, 400])
def test_many_models_that_all_agree(models):
    found = friedman(wide_results({f"m{k}": [k, k, k] for k in range(models)}))
    orders = sum(np.log10(np.arange(1, models + 1)))
    assert found.p == pytest.approx(10 ** (-2 * orders), rel=1e-9)
    assert found.statistic == np.inf


def test_the_statistic_of_nemenyi_has_the_sign_of_its_effect():
    found = nemenyi(wide_results({"a": [1, 2, 3.0], "b": [2, 3, 4.0], "c": [0, 4, 1.0]}))
    assert all(np.sign(one.statistic) == np.sign(one.effect.value) for one in found)


@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize(
    "d", [[1, 2, 3, 4, 5, -6.5], [1, -2, 3.5], [3, 2, 1, 4, 5, 6, 7.0], [-1, -2, 3, 4, -5.5, 0]]
)
def test_one_sided_tests_over_data_sets_are_those_of_the_distribution(d, alternative):
    results = wide_results({"a": np.array(d) + 10, "b": np.full(len(d), 10.0)})
    kept = [each for each in d if each]
    signed = one_sided(wilcoxon(results, "a", "b", level=0.9), alternative, 0.95)
    assert signed.p == pytest.approx(stats.wilcoxon(kept, alternative=alternative, method="exact").pvalue)
    signs = one_sided(sign_test(results, "a", "b", level=0.9), alternative, 0.95)
    wanted = stats.binomtest(sum(each > 0 for each in kept), len(kept), alternative=alternative).pvalue
    assert signs.p == pytest.approx(wanted)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_mean_ranks_of_losses_and_of_their_negatives(alternative):
    """Negated values, of which more is better, turn the sides, which are those of Wilcoxon's test, but no rank."""
    rng = np.random.default_rng(14)
    control = rng.random(20)
    frame = {"c": control, "a": control - rng.random(20), "b": control + 0.2 * rng.normal(size=20)}
    turned = {name: -each for name, each in frame.items()}
    other = {"greater": "less", "less": "greater"}.get(alternative, alternative)
    shared = {"method": "mean-ranks", "control": "c"}
    losses = ca.compare_datasets(frame, better="lower", alternative=alternative, **shared)
    gains = ca.compare_datasets(turned, better="higher", alternative=other, **shared)
    for one, two in zip(losses, gains, strict=True):
        assert one.p == pytest.approx(two.p)
        assert one.effect.value == pytest.approx(two.effect.value)
        assert (one.effect.low, one.effect.high) == pytest.approx((two.effect.low, two.effect.high))
        assert finding(one) == finding(two)
    ranked = ca.compare_datasets(frame, better="lower", alternative=alternative, control="c")
    assert (losses[0].p < 0.05) == (ranked[0].p < 0.05) == (alternative != "greater")


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_limits_of_mean_ranks_leave_out_0_exactly_as_their_p_value_says(level):
    for one in versus_control(DEMSAR, DEMSAR.models[0], level=level):
        half = (one.effect.high - one.effect.low) / 2
        z = abs(one.effect.value) / half * stats.norm.ppf(0.5 + level / 2)
        assert one.p == pytest.approx(2 * stats.norm.sf(z), rel=1e-9)


RANKED = {
    "data": list("pqrstuv"),
    "a": [3, 4, 5, 6, 7, 9, 8],
    "b": [2, 3, 4, 5, 6, 7, 8.5],
    "c": [1, 6, 2, 8, 1, 2, 3],
}


@pytest.mark.covering(1)
@pytest.mark.parametrize("better", [None, "higher", "lower"])
@pytest.mark.parametrize("how", [{}, {"method": "nemenyi"}, {"rope": 0.1}, {"control": "a"}])
def test_results_that_are_made_are_turned_as_a_frame_is(better, how):
    sign = {"lower": -1}.get(better, 1)
    wanted = ca.compare_datasets(RANKED, dataset="data", better=better, **how)
    for own in (None, 1, -1):
        made = wide_results(RANKED, dataset="data", better=own)
        told = better or {-1: "lower"}.get(own, "higher")
        found = ca.compare_datasets(made, better=better, **how)
        same = ca.compare_datasets(RANKED, dataset="data", better=told, **how)
        assert [each.sentence for each in found] == [each.sentence for each in same]
        assert found.facts == same.facts
    turned = {name: each if name == "data" else [-x for x in each] for name, each in RANKED.items()}
    other = ca.compare_datasets(turned, dataset="data", better="higher" if sign < 0 else "lower", **how)
    assert [finding(each) for each in other] == [finding(each) for each in wanted]


def test_wins_and_losses_turn_with_better():
    made = wide_results(RANKED, dataset="data")
    plain, turned = (win_tie_loss(made, **how).to_pylist() for how in ({}, {"better": "lower"}))
    assert turned == win_tie_loss(RANKED, dataset="data", better="lower").to_pylist()
    assert [(each["wins"], each["losses"]) for each in turned] == [
        (each["losses"], each["wins"]) for each in plain
    ]


@pytest.mark.parametrize("door", [ca.compare_datasets, win_tie_loss])
@pytest.mark.parametrize(
    "option",
    [
        {"dataset": "data"},
        {"model": "m"},
        {"value": "v"},
        {"run": "r"},
        {"better": "sideways"},
        {"missing": "perhaps"},
    ],
)
def test_what_results_that_are_made_cannot_use_is_refused(door, option):
    with pytest.raises(InputError, match=next(iter(option))):
        door(wide_results(RANKED, dataset="data"), **option)


GAP = 1e-6 + 3e-17


@pytest.mark.parametrize(
    ("sizes", "is_tie"),
    [
        ([1e-6, 1e-6, 1.0, 1.0], False),  # the lower of both medians
        ([1e-6, 1e-6, 1.0, 1.0, 1.0], True),
        ([1e-6, 1.0], False),
        ([1e-6, 1e-6, np.nan, np.nan, np.nan], False),
        ([1e-6, 1.0, 1.0, np.nan, np.nan], True),
        ([1e-6, 1.0, np.nan, np.nan, np.nan], False),  # of most data sets the size is not known
    ],
)
def test_what_is_rounding_depends_on_the_usual_size_of_the_two(sizes, is_tie):
    """A thousandth of the median size, to twelve digits: 1e-15 of values around 1, 1e-18 of values around 1e-6."""
    first, second = np.array(sizes), np.array(sizes)
    first[0] = GAP
    gap = wide_results({"a": first, "b": second}, missing="drop").differences("a", "b")[0]
    assert gap == (0 if is_tie else pytest.approx(3e-17, rel=0.05))
