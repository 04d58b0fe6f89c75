"""Scores of several models on the same cases: DeLong, the paired bootstrap, losses, a reader; B-10, B-33, B-42."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk

import classay as ca
from classay.comparison.cases.aucs import (
    all_equal,
    aucs_of,
    compare_aucs,
    compare_aucs_by_z,
    compare_unpaired_aucs,
    unpaired_difference,
)
from classay.comparison.cases.difference import sign_flips
from classay.comparison.cases.score_measures import (
    PanelScores,
    compare_average_precision,
    compare_losses,
    compare_scores,
)
from classay.errors import InputError
from classay.inference.bootstrap.draw_kernels import flipped_sums
from classay.inference.bootstrap.score_samples import of_models
from classay.inference.design import Design
from classay.inference.draws import stream
from classay.inference.scores.auc import Placements, place
from classay.measures import average_precision, get, roc_auc
from classay.measures.probability import brier_losses_of_cases, log_losses_of_cases
from classay.tables import ScoreTable

ORACLES = json.loads((Path(__file__).parents[1] / "oracles" / "statistics.json").read_text())
T20 = ORACLES["T20"]
Y = np.array(T20["y"]) == 1
A, B = np.array(T20["sA"]), np.array(T20["sB"])


def models(n, seed, gain=0.5, ties=False):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    shared = rng.normal(size=n)
    scores = {
        k: 1 / (1 + np.exp(-(shared + rng.normal(size=n) + g * y))) for k, g in (("a", 1.0), ("b", 1 + gain))
    }
    if ties:
        scores = {k: np.round(each, 1) for k, each in scores.items()}
    return y, scores


def test_paired_delong_oracle():
    expected = ORACLES["AUC_T20"]
    aucs = aucs_of({"a": A, "b": B}, Y)
    assert aucs.values == pytest.approx([expected["aucA"], expected["aucB"]], abs=1e-12)
    assert aucs.spread.covariance[0, 0] == pytest.approx(expected["delong_varA"], abs=1e-12)
    assert aucs.spread.covariance[1, 1] == pytest.approx(expected["delong_varB"], abs=1e-12)
    assert aucs.spread.covariance[0, 1] == pytest.approx(expected["delong_cov"], abs=1e-12)
    z, t = compare_aucs_by_z(aucs)[0], compare_aucs(aucs)[0]
    assert z.statistic == t.statistic == pytest.approx(expected["delong_diff_z"], abs=1e-9)
    assert z.p == pytest.approx(expected["delong_diff_p"], abs=1e-9)
    assert (z.effect.low, z.effect.high) == pytest.approx(expected["delong_diff_ci"], abs=1e-9)
    smaller = min(Y.sum(), (~Y).sum())
    se = t.effect.value / t.statistic
    assert t.p == pytest.approx(2 * stats.t.sf(abs(t.statistic), smaller - 1))
    wanted = stats.t.interval(0.95, smaller - 1, t.effect.value, se)
    assert (t.effect.low, t.effect.high) == pytest.approx(wanted)


def test_hotelling_of_three_aucs():
    """Statistics B-55d: T² 1.15154867992, F on 2 and 6 degrees of freedom."""
    found = all_equal(aucs_of({"a": A, "b": B, "mean": (A + B) / 2}, Y))
    assert (found.statistic, found.p) == pytest.approx((0.493520862822, 0.633247874460), rel=1e-9)
    assert "on 2 and 6 df" in found.method
    assert found.df == 2


HOWS = {
    "cases": {},
    "repeated": {"frequency": np.random.default_rng(3).integers(1, 4, 60)},
    "weights": {"weight": np.random.default_rng(4).uniform(0.5, 2, 60)},
    "clusters": {"cluster": np.arange(60) // 4},
}


@pytest.mark.parametrize("how", HOWS)
def test_aucs_together_are_the_pair_and_know_no_order(how):
    y, scores = models(60, 8)
    one, two = all_equal(aucs_of(scores, y, **HOWS[how])), compare_aucs(aucs_of(scores, y, **HOWS[how]))[0]
    assert (one.p, one.statistic) == pytest.approx((two.p, two.statistic**2))
    scores |= {"c": np.random.default_rng(9).random(60), "d": np.random.default_rng(10).random(60)}
    turned = all_equal(aucs_of(dict(reversed(scores.items())), y, **HOWS[how]))
    there = all_equal(aucs_of(scores, y, **HOWS[how]))
    assert (there.p, there.statistic) == pytest.approx((turned.p, turned.statistic))
    negated = {name: -each for name, each in scores.items()}
    assert all_equal(aucs_of(negated, ~y, **HOWS[how])).p == pytest.approx(there.p)


def test_clusters_of_the_rarer_class_decide_the_degrees():
    """Of 40 clusters four hold positives: 3 degrees; Satterthwaite's of both classes can never be fewer."""
    cluster = np.repeat(np.arange(40), 3)
    _, scores = models(120, 9)
    for holding, df in ((4, 3), (3, 2)):
        found = compare_aucs(aucs_of(scores, cluster < holding, cluster=cluster))[0]
        assert (found.df, found.p) == (df, pytest.approx(2 * stats.t.sf(abs(found.statistic), df)))
        whole = compare_aucs(aucs_of(scores, cluster < holding, weight=np.full(120, 7.0)))[0]
        assert whole.df == pytest.approx(3 * holding - 1)
    for kind in ({"cluster": cluster}, {}):
        few = np.isin(np.arange(120), (0, 5))
        aucs = aucs_of(scores | {"c": np.arange(120.0)}, few, **kind)
        for found in (*compare_aucs(aucs), all_equal(aucs)):
            assert np.isnan(found.p)
            assert "fewer than 3" in found.reason
    y = cluster < 4
    six = aucs_of({str(k): np.random.default_rng(k).random(120) for k in range(6)}, y, cluster=cluster)
    assert "too few to test 6 models jointly" in all_equal(six).reason


def test_unpaired_delong_gives_pROCs_numbers_for_the_aSAH_data():
    data = ORACLES["aSAH_pROC"]
    values, variances = (
        (data["auc_wfns"], data["auc_s100b"]),
        (data["var_wfns"], data["var_s100b"]),
    )
    found = unpaired_difference(("wfns", "s100b"), values, variances, (113, 113), level=0.95)
    assert (found.statistic, found.df, found.p) == pytest.approx(
        (1.43490640927, 206.661063788, 0.152825378809), rel=1e-9
    )
    paired = sum(variances) - 2 * data["cov_wfns_s100b"]
    assert (values[0] - values[1]) / np.sqrt(paired) == pytest.approx(data["z_wfns_s100b"])


def test_clustered_auc_oracle():
    data = ORACLES["Obuchowski_T20"]
    aucs = aucs_of({"a": A, "b": B}, Y, cluster=np.array(data["cluster"]))
    influence, cluster = Placements.of([A], Y).influence()[0], np.array(data["cluster"])
    for left_out in (False, True):  # Obuchowski's variance; that of each cluster by its part of the class
        own, parts = [], []
        for kind in (Y, ~Y):
            size = np.bincount(cluster, kind)
            n = np.count_nonzero(size)
            factor = (1 - 1 / n) / (1 - size / size.sum()) if left_out else 1.0
            parts.append(np.bincount(cluster, influence * kind) * factor)
            own.append((parts[-1] ** 2).sum() * n / (n - 1))
        variance = sum(own) + 2 * (parts[0] * parts[1]).sum() * 8 / 7
        wanted = aucs.spread.covariance[0, 0] if left_out else data["var"]
        assert variance == pytest.approx(wanted, abs=1e-12)
    sizes = [np.unique(np.array(data["cluster"])[each == Y], return_counts=True)[1] for each in (0, 1)]
    assert min(each.size for each in sizes) == 6  # of 8 clusters; as many of equal size are fewer
    alike = min(each.sum() ** 2 / (each**2).sum() for each in sizes)
    assert compare_aucs(aucs)[0].df == pytest.approx(alike - 1)
    singletons = aucs_of({"a": A, "b": B}, Y, cluster=np.arange(20))
    assert singletons.spread.covariance == pytest.approx(
        aucs_of({"a": A, "b": B}, Y).spread.covariance, abs=1e-12
    )


@pytest.mark.parametrize("ties", [False, True])
def test_covariance_by_brute_force(ties):
    y, scores = models(60, 1, ties=ties)
    values = []
    for score in scores.values():
        x, z = score[y][:, None], score[~y][None, :]
        kernel = (x > z) + 0.5 * (x == z)
        values.append((kernel.mean(1), kernel.mean(0)))
    expected = np.cov([v[0] for v in values]) / y.sum() + np.cov([v[1] for v in values]) / (~y).sum()
    aucs = aucs_of(scores, y)
    assert aucs.spread.covariance == pytest.approx(expected, rel=1e-10)
    assert aucs.values == pytest.approx([sk.roc_auc_score(y, s) for s in scores.values()])
    order = np.argsort(scores["a"])
    for weight in (None, np.linspace(0.5, 2, 60)):
        out = [np.empty(60), np.empty(60)]
        totals = (
            (float(y.sum()), float((~y).sum())) if weight is None else (weight[y].sum(), weight[~y].sum())
        )
        place.twin(order, scores["a"], y, weight, *totals, out[0])
        place.compiled(order, scores["a"], y, weight, *totals, out[1])
        assert out[0] == pytest.approx(out[1], rel=1e-12)


def test_frequency_repeats_and_weights_scale():
    y, scores = models(80, 2, ties=True)
    times = np.random.default_rng(0).integers(1, 4, 80)
    rows = np.repeat(np.arange(80), times)
    repeated = aucs_of({k: s[rows] for k, s in scores.items()}, y[rows])
    counted = aucs_of(scores, y, frequency=times)
    assert counted.values == pytest.approx(repeated.values)
    assert counted.spread.covariance == pytest.approx(repeated.spread.covariance)
    weight = np.random.default_rng(1).random(80) + 0.1
    one, ten = (compare_aucs(aucs_of(scores, y, weight=w))[0] for w in (weight, 10 * weight))
    assert (one.p, one.effect.low) == pytest.approx((ten.p, ten.effect.low))


def test_several_models_at_once_are_the_pairs():
    y, scores = models(100, 3)
    scores["c"] = np.random.default_rng(9).random(100)
    together = {each.models: each for each in compare_aucs(aucs_of(scores, y))}
    for pair, found in together.items():
        alone = compare_aucs(aucs_of({k: scores[k] for k in pair}, y))[0]
        assert (alone.statistic, alone.p) == pytest.approx((found.statistic, found.p))
    assert all_equal(aucs_of(scores, y)).df == 2
    repeated = aucs_of(scores | {"d": scores["c"]}, y)
    assert all_equal(repeated).statistic == pytest.approx(all_equal(aucs_of(scores, y)).statistic)


def test_models_that_rank_alike():
    y, scores = models(100, 4)
    found = compare_aucs(aucs_of({"a": scores["a"], "b": 3 * scores["a"] - 1}, y))[0]
    pairs = min(y.sum(), (~y).sum())  # none of these, that share no case, is ordered otherwise
    most = 1 - 0.025 ** (1 / pairs)
    assert (found.effect.value, found.effect.low, found.effect.high) == pytest.approx((0, -most, most))
    assert (found.statistic, found.p) == (0, 1)
    large = np.random.default_rng(0).random(200_000)
    truth = np.arange(200_000) % 3 == 0
    assert compare_aucs(aucs_of({"a": large, "b": large.copy(), "c": large + truth}, truth))[0].p == 1
    for found in compare_scores(
        PanelScores({"a": scores["a"], "b": scores["a"] * 2}, y), [average_precision]
    ):
        assert found.p == 1


def test_a_perfect_model_and_too_few_cases():
    y, scores = models(60, 5)
    found = compare_aucs(aucs_of({"perfect": y * 1.0, "a": scores["a"]}, y))[0]
    assert found.p < 0.01
    assert found.effect.high <= 1
    one = compare_aucs(aucs_of({"a": A, "b": B}, np.arange(20) == 3))[0]
    assert np.isnan(one.p)
    assert "fewer than 3 cases" in one.reason
    none = compare_aucs(aucs_of({"a": A, "b": B}, np.zeros(20, bool)))[0]
    assert none.effect.is_undefined
    cluster = compare_aucs(aucs_of({"a": A, "b": B}, Y, cluster=np.zeros(20, int)))[0]
    assert np.isnan(cluster.p)


def test_unpaired_aucs_of_tables():
    y, scores = models(80, 6)
    tables = ScoreTable.from_rows(scores["a"], y), ScoreTable.from_rows(scores["b"], y)
    aucs = aucs_of(scores, y)
    found = compare_unpaired_aucs(tables)
    se = np.sqrt(aucs.spread.covariance[0, 0] + aucs.spread.covariance[1, 1])
    assert found.statistic == pytest.approx((aucs.values[0] - aucs.values[1]) / se)


def test_bootstrap_of_models_is_that_of_rows():
    """Each replicate, from the drawn multiplicities, by scikit-learn on repeated rows."""
    y, scores = models(70, 7, ties=True)
    measures = [roc_auc, average_precision, get("kolmogorov_smirnov"), get("log_loss"), get("h_measure")]
    sample = of_models(list(scores.values()), y, measures)
    drawn = np.concatenate([call() for call in sample.draws.plan(20, stream(0, "x"), sample.width)])
    found = sample.evaluate(drawn).reshape(2, len(measures), 20)
    for r, counts in enumerate(drawn):
        rows = np.repeat(np.arange(70), counts)
        for k, score in enumerate(scores.values()):
            table = ScoreTable.from_rows(score[rows], y[rows])
            expected = [float(each(table)) for each in measures]
            assert found[k, :, r] == pytest.approx(expected, rel=1e-9)
            assert found[k, 0, r] == pytest.approx(sk.roc_auc_score(y[rows], score[rows]))
            assert found[k, 1, r] == pytest.approx(sk.average_precision_score(y[rows], score[rows]))


def test_bootstrap_of_models_with_clusters_and_weights():
    y, scores = models(60, 8)
    cluster = np.arange(60) // 4
    weight = np.random.default_rng(0).random(60)
    sample = of_models(list(scores.values()), y, [roc_auc], weight=weight, cluster=cluster)
    drawn = np.random.default_rng(0).multinomial(15, np.full(15, 1 / 15), size=5)
    found = sample.evaluate(drawn)
    for r, counts in enumerate(drawn):
        each = counts[cluster] * weight
        for k, score in enumerate(scores.values()):
            assert found[k, r] == pytest.approx(sk.roc_auc_score(y, score, sample_weight=each))


def test_bootstrap_agrees_with_delong_and_repeats_itself():
    y, scores = models(400, 9)
    cases = PanelScores(scores, y)
    one, two = (compare_scores(cases, [roc_auc, average_precision]) for _ in range(2))
    assert one == two
    alone = compare_scores(cases, [average_precision])[0]
    assert alone.p == one[1].p
    delong = compare_aucs(aucs_of(scores, y))[0]
    assert one[0].effect.value == pytest.approx(delong.effect.value)
    assert (one[0].effect.low, one[0].effect.high) == pytest.approx(
        (delong.effect.low, delong.effect.high), abs=0.01
    )
    by_influence = compare_average_precision(cases)[0]
    assert (by_influence.effect.low, by_influence.effect.high) == pytest.approx(
        (one[1].effect.low, one[1].effect.high), abs=0.015
    )


def test_average_precision_with_frequencies_clusters_and_weights():
    y, scores = models(300, 10)
    plain = compare_average_precision(PanelScores(scores, y))[0]
    times = np.random.default_rng(0).integers(1, 3, 300)
    rows = np.repeat(np.arange(300), times)
    repeated = compare_average_precision(PanelScores({k: s[rows] for k, s in scores.items()}, y[rows]))[0]
    counted = compare_average_precision(PanelScores(scores, y, frequency=times))[0]
    assert (counted.statistic, counted.effect.value) == pytest.approx(
        (repeated.statistic, repeated.effect.value)
    )
    singles = compare_average_precision(PanelScores(scores, y, cluster=np.arange(300)))[0]
    assert singles.statistic == pytest.approx(plain.statistic, rel=0.01)  # each class has its own n / (n - 1)
    weighted = compare_average_precision(PanelScores(scores, y, weight=np.full(300, 3.0)))[0]
    assert weighted.statistic == pytest.approx(plain.statistic)


def test_losses():
    y, scores = models(150, 11)
    true = y.astype(int)
    losses = {k: log_losses_of_cases(s, true) for k, s in scores.items()}
    for k, s in scores.items():
        assert losses[k].mean() == pytest.approx(sk.log_loss(true, s))
        assert brier_losses_of_cases(s, true).mean() == pytest.approx(sk.brier_score_loss(true, s))
    found = compare_losses(losses["a"], losses["b"], ("a", "b"))
    peer = stats.ttest_rel(losses["a"], losses["b"])
    assert (found.statistic, found.p, found.df) == pytest.approx((peer.statistic, peer.pvalue, 149))
    interval = peer.confidence_interval(0.95)
    assert (found.effect.low, found.effect.high) == pytest.approx((interval.low, interval.high))
    times = np.random.default_rng(0).integers(1, 4, 150)
    counted = compare_losses(losses["a"], losses["b"], design=Design.of_rows(times.size, frequency=times))
    repeated = stats.ttest_rel(np.repeat(losses["a"], times), np.repeat(losses["b"], times))
    assert (counted.statistic, counted.p) == pytest.approx((repeated.statistic, repeated.pvalue))
    singles = compare_losses(losses["a"], losses["b"], design=Design.of_rows(150, cluster=np.arange(150)))
    assert singles.statistic == pytest.approx(peer.statistic)
    assert singles.p == pytest.approx(
        peer.pvalue, rel=0.02
    )  # clusters have Satterthwaite's degrees of freedom
    weighted = compare_losses(losses["a"], losses["b"], design=Design.of_rows(150, weight=np.full(150, 0.1)))
    assert weighted.statistic == pytest.approx(peer.statistic)
    same = compare_losses(losses["a"], losses["a"])
    assert (same.effect.value, same.p) == (0, 1)


def test_infinite_losses_leave_no_test():
    found = compare_losses(np.array([np.inf, 1, 2]), np.array([1.0, 1, 2]), ("a", "b"))
    assert np.isnan(found.p)
    assert "that of a is infinite" in found.reason
    assert log_losses_of_cases(np.array([1.2, 0.3]), np.array([1, 0])) is None
    assert log_losses_of_cases(np.array([[0.5, 0.6]]), np.array([1])) is None
    with pytest.raises(InputError, match="Unknown method 'bootstrap' for losses"):
        compare_losses(A, B, method="bootstrap")


def test_sign_flips():
    d = np.array([0.02, 0.01, 0.04, 0.02, -0.01, 0.04, 0.03, 0.02, 0.01])
    assert sign_flips(d)[0] == pytest.approx(0.015625)  # B-29, exact by enumeration
    peer = stats.permutation_test(
        (d, np.zeros(9)), lambda a, b: (a - b).sum(), permutation_type="samples", n_resamples=np.inf
    )
    assert sign_flips(d)[0] == pytest.approx(peer.pvalue)
    rng = np.random.default_rng(0)
    many = rng.normal(size=200) + 0.1
    assert sign_flips(many)[0] == pytest.approx(stats.ttest_1samp(many, 0).pvalue, abs=0.02)
    assert sign_flips(many, seed=1)[0] == sign_flips(many, seed=1)[0]
    assert sign_flips(np.zeros(50))[0] == 1
    assert sign_flips(np.full(100, 3.0))[0] == pytest.approx(1e-4)
    keys = rng.integers(0, 2**64, 5, dtype=np.uint64)
    out = np.empty(5), np.empty(5)
    flipped_sums.twin(keys, many, out[0])
    flipped_sums.compiled(keys, many, out[1])
    assert out[0] == pytest.approx(out[1], abs=1e-12)
    cluster = np.arange(200) // 20
    found = compare_losses(
        many, np.zeros(200), method="permutation", design=Design.of_rows(200, cluster=cluster)
    )
    assert found.p == pytest.approx(sign_flips(np.bincount(cluster, many))[0])


def test_placements_without_a_class():
    found = Placements.of([A], np.zeros(20, bool))
    assert np.isnan(found.aucs).all()


def test_aucs_that_differ_without_a_spread_have_no_omnibus_test():
    """A perfect score and a reversed one: their difference has no variance, which is no evidence of equality."""
    y = np.tile([0, 1], 10)
    found = ca.compare({"a": y * 1.0, "b": 1.0 - y, "c": y * 2.0}, y, measures=["roc_auc"]).overall[0]
    assert np.isnan(found.p)
    assert "no variation" in found.reason
    same = ca.compare({"a": y * 1.0, "b": y * 3.0, "c": y * 2.0}, y, measures=["roc_auc"]).overall[0]
    assert same.p == 1


@pytest.mark.parametrize("clustered", [False, True])
def test_the_rounding_of_weights_tells_no_two_models_apart(clustered):
    """Two scores that part the classes have an AUC and average precision of 1, whatever sums of weights come to."""
    y = np.tile([0, 1], 30)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        how = {"weight": 10.0 ** rng.uniform(-3, 3) * rng.gamma(3.0, size=60)}
        how |= {"cluster": rng.integers(0, 15, 60)} if clustered else {}
        scores = {name: y + 0.9 * rng.random(60) for name in "abc"}
        found = ca.compare(scores, y, measures=["roc_auc", "average_precision"], threshold=1.0, **how)
        assert [each.p for each in (*found, *found.overall)] == [1.0] * (6 + len(found.overall))
        labels = {name: np.where(rng.permutation(60) < 10, 1 - y, y) for name in "a"}
        labels["b"] = np.where(y == 1, labels["a"], 1)  # the same recall, by the same cases
        assert ca.compare(y_true=y, y_pred=labels, measures=["recall"], **how)[0].p == 1


def test_one_sided_sign_flips_are_those_of_all_signs():
    rng = np.random.default_rng(3)
    d = np.round(rng.normal(0.2, 1, 9), 1)
    for alternative, at in (("greater", 0), ("less", 1)):
        peer = stats.permutation_test(
            (d,), np.sum, permutation_type="samples", alternative=alternative, n_resamples=600
        )
        assert sign_flips(d)[1][at] == pytest.approx(peer.pvalue)
    many = rng.normal(0.1, 1, 60)
    p, tails = sign_flips(many)
    assert sign_flips(-many) == (p, tails[::-1])
    assert min(tails) == pytest.approx(p / 2, abs=1e-4)


def test_names_that_are_one_as_text_are_refused():
    y = np.tile([0, 1], 10)
    with pytest.raises(InputError, match="Two models have the same name: 1 and '1'"):
        ca.compare({1: y * 1.0, "1": 1.0 - y}, y)


def test_losses_of_weighted_cases_have_students_t():
    """A variance of few heavy cases is hardly known: by z, equal models differ too often."""
    rng = np.random.default_rng(4)
    first, second, weight = rng.random(40), rng.random(40), rng.lognormal(0, 1.5, 40)
    found = compare_losses(first, second, design=Design.of_rows(40, weight=weight))
    alone = compare_losses(first, second, design=Design.of_rows(40, weight=weight, cluster=np.arange(40)))
    effective = weight.sum() ** 2 / (weight**2).sum()
    assert 1 <= found.df <= effective - 1
    apart = weight * ((first - second) - np.average(first - second, weights=weight))
    squares, fourths = (apart**2).sum(), (apart**4).sum()
    by_moments = 2 * squares**2 / (fourths - squares**2 / effective) - 1
    assert found.df == pytest.approx(min(by_moments, effective - 1))
    assert found.p == pytest.approx(2 * stats.t.sf(abs(found.statistic), found.df))
    half = (found.effect.high - found.effect.low) / 2
    assert half == pytest.approx(stats.t.ppf(0.975, found.df) * abs(found.effect.value / found.statistic))
    assert found.effect.value == pytest.approx(alone.effect.value)
