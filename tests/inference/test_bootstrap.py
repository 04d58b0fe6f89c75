"""The bootstrap: exact laws, oracles, row resampling, threads, twins, reasons."""

import tracemalloc
from itertools import pairwise, product

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import multinomial

from classay import assess
from classay.curves.curve import Curve
from classay.errors import InputError
from classay.inference.bands import at
from classay.inference.bootstrap import draw_kernels, sampling, score_samples
from classay.inference.bootstrap.bootstrapping import (
    MAXIMUM,
    Shape,
    bca_levels,
    bootstrap,
    bootstrap_all,
    ends_of,
    interval,
    median_bias,
    shape_of,
)
from classay.inference.bootstrap.label_samples import LabelledRows
from classay.inference.bootstrap.sampling import CellDraws, UnitDraws, powers_of_two
from classay.inference.bootstrap.score_samples import ScoredCases, ScoredRows
from classay.inference.draws import order_of_clusters, row_numbers
from classay.measures import (
    accuracy,
    average_precision,
    brier_score,
    brier_skill,
    cohen_kappa,
    f1,
    gini,
    kolmogorov_smirnov,
    lift,
    log_loss,
    log_loss_skill,
    macro,
    matthews_correlation,
    partial_roc_auc,
    quadratic_kappa,
    recall,
    roc_auc,
    standardized_partial_roc_auc,
)
from classay.tables import BinaryCounts, ConfusionMatrix, ScoreTable
from resamples import bootstrap_replicates

T20_TRUE = np.array([1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0], bool)
T20_SCORE = np.array(
    [
        0.95,
        0.9,
        0.85,
        0.8,
        0.8,
        0.7,
        0.7,
        0.65,
        0.6,
        0.55,
        0.5,
        0.5,
        0.45,
        0.4,
        0.35,
        0.3,
        0.3,
        0.2,
        0.1,
        0.05,
    ]
)
T20_CLUSTER = np.array([0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 7, 7])
T20 = ScoreTable.from_rows(T20_SCORE, T20_TRUE)
RANKING = [
    roc_auc,
    gini,
    average_precision,
    kolmogorov_smirnov,
    partial_roc_auc,
    standardized_partial_roc_auc,
]
LOSSES = [log_loss, log_loss_skill, brier_score, brier_skill]


def rows(n, share=0.3, ties=None, seed=0, separation=1.0):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < share
    positive[:2] = [True, False]
    score = 1 / (1 + np.exp(-rng.normal(size=n) - separation * (positive - 0.5)))
    if ties:
        score = np.clip(np.round(score * ties), 0.5, ties - 0.5) / ties
    return score, positive


def table(*about, **more):
    return ScoreTable.from_rows(*rows(*about, **more))


def within(values, mean, sd=None, sigmas=4.5):
    """Whether replicates have this mean and standard deviation, to Monte-Carlo error."""
    values = values[~np.isnan(values)]
    assert abs(values.mean() - mean) < sigmas * values.std() / np.sqrt(values.size)
    if sd is not None:
        kurtosis = ((values - values.mean()) ** 4).mean() / values.var() ** 2
        assert abs(values.std() / sd - 1) < sigmas * np.sqrt((kurtosis - 1) / (4 * values.size))


# the law of the resamples


def test_tabulated_resamples_are_multinomial():
    cell = np.array([0, 0, 1, 2, 3])  # TP, TP, FN, FP, TN
    frequency = {}
    for picks in product(range(5), repeat=5):
        key = tuple(np.bincount(cell[list(picks)], minlength=4))
        frequency[key] = frequency.get(key, 0) + 5.0**-5
    law = multinomial(5, [0.4, 0.2, 0.2, 0.2])
    assert max(abs(share - law.pmf(key)) for key, share in frequency.items()) < 1e-15


@pytest.mark.parametrize("draws", [CellDraws(np.array([2, 1, 1, 1])), UnitDraws(5)])
def test_draws_follow_the_multinomial_law(draws):
    count = 60_000
    drawn = np.concatenate([call() for call in draws.plan(count, np.random.default_rng(1))]).astype(np.int64)
    assert (drawn.sum(1) == 5).all()
    seen, times = np.unique(drawn, axis=0, return_counts=True)
    expected = count * multinomial(5, draws.observed / 5).pmf(seen)
    chi2 = ((times - expected) ** 2 / expected).sum() + (count - expected.sum())
    df = len(seen) - 1
    assert abs(chi2 - df) < 4.5 * np.sqrt(2 * df)


@pytest.mark.parametrize("n", [1, 2, 3, 255, 20_001])
def test_blocks_of_powers_of_two_hold_every_unit_once(n):
    assert (2 ** powers_of_two(n)).sum() == n
    draws = UnitDraws(n)
    drawn = np.concatenate([call() for call in draws.plan(64, np.random.default_rng(0))])
    assert (drawn.sum(1, dtype=np.int64) == n).all()
    if n > 10_000:  # each unit's count is Bin(n, 1/n), about Poisson(1)
        shares = np.bincount(drawn.ravel())[:4] / drawn.size
        assert np.allclose(shares, np.exp(-1) / np.array([1, 1, 2, 6]), atol=0.002)


def test_the_noise_of_a_quantile_is_that_of_other_draws_and_has_their_unit():
    draws = np.random.default_rng(0).normal(size=(300, 1_000))
    found = [ends_of(values, 0.125, 0.75) for values in draws]
    for end in (0, 1):
        told = np.mean([each.noise[end] for each in found])
        assert told == pytest.approx(np.std([each[end] for each in found]), rel=0.15)
    assert found[0][:2] == pytest.approx(np.quantile(draws[0], [0.125, 0.75]))
    assert ends_of(np.repeat([0.0, 1.0], [120, 880]), 0.125, 0.75).noise == (0.5, 0.0)
    once, turned = ends_of(draws[0], 0.125, 0.75), ends_of(-8 * draws[0], 0.25, 0.875)
    assert turned == (-8 * once.high, -8 * once.low, tuple(8 * each for each in once.noise[::-1]))
    # half of the draws are infinite: between two of these lies no distance
    half = np.where(np.arange(1_000) % 2, np.inf, draws[0])
    assert ends_of(half, 0.1, 0.9)[1:] == (np.inf, (ends_of(half, 0.1, 0.2).noise[0], 0.0))
    assert 0 < ends_of(half, 0.1, 0.9).noise[0] < 0.3


def test_exact_f1_of_five_cases():
    values = bootstrap_replicates(BinaryCounts(2, 1, 1, 1), [f1], replicates=400_000)[0]
    assert abs(np.isnan(values).mean() - 0.00032) < 4.5 * np.sqrt(0.00032 / 400_000)
    within(values, 0.6235697010344898, 0.25600638884540294)


def test_exact_accuracy_95_of_100():
    matrix = ConfusionMatrix.from_array([[90, 2], [3, 5]], ("a", "b"), rows="true")
    values = bootstrap_replicates(matrix, [accuracy], replicates=50_000)[0]
    z0 = median_bias(values, 0.95)
    assert abs(z0 - -0.06519395844721762) < 0.02
    found = [
        bootstrap(matrix, accuracy, replicates=50_000, how=how)
        for how in ("percentile", "BCa", "basic", "normal")
    ]
    assert [(each.low, each.high) for each in found[:2]] == [(0.9, 0.99), (0.89, 0.98)]
    assert (found[2].low, found[2].high) == pytest.approx((0.91, 1.0))
    assert found[3].method == "normal on the logit scale, bias-corrected, cohort bootstrap of 50,000"
    assert 0.85 < found[3].low < 0.89


def test_bca_ends_move_outwards_with_the_level_however_much_one_case_moves_the_value():
    """Beyond where its formula turns, the end is the last replicate."""
    levels = [0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.999999]
    for bias, acceleration in product([-1.0, -0.2, 0.0, 0.7], [-0.5, -0.3, -0.05, 0.0, 0.2, 0.45]):
        low, high = np.array([bca_levels(bias, acceleration, level) for level in levels]).T
        assert (np.diff(low) <= 0).all()
        assert (np.diff(high) >= 0).all()
        assert (low < high).all()


def test_the_kind_of_bootstrap_interval_does_not_depend_on_the_level():
    rng = np.random.default_rng(4)
    for _ in range(20):
        counts = rng.multinomial(7, rng.dirichlet(np.full(4, 0.4))).reshape(2, 2)
        matrix = ConfusionMatrix.from_array(counts, ("a", "b"), rows="true")
        for each in (accuracy, cohen_kappa, matthews_correlation):
            found = [
                bootstrap(matrix, each, level=level, replicates=500) for level in (0.5, 0.8, 0.95, 0.999)
            ]
            kept = [one for one in found if one.has_interval]
            assert len({one.method for one in kept}) <= 1
            assert (np.diff([one.low for one in kept]) <= 1e-12).all()
            assert (np.diff([one.high for one in kept]) >= -1e-12).all()


def test_bca_levels_and_acceleration_are_exact():
    matrix = ConfusionMatrix.from_array([[90, 2], [3, 5]], ("a", "b"), rows="true")
    from classay.inference.bootstrap.label_samples import of_matrix

    a = of_matrix(matrix, [accuracy]).acceleration()[0]
    assert a == pytest.approx(-0.06882472016116463, rel=1e-10)
    half = (0.0077958603642524086, 0.9464090410708135)
    strict = (0.0015173803488058586, 0.884698732915655)
    assert bca_levels(-0.06519395844721762, a, 0.95) == pytest.approx(half, rel=1e-9)
    assert bca_levels(-0.2949897051258092, a, 0.95) == pytest.approx(strict, rel=1e-9)
    assert median_bias(np.array([1.0, 2, 2, 3]), 2.0) == pytest.approx(0)
    assert median_bias(np.array([1.0, 2, 2, 2]), 2.0) == pytest.approx(ndtri(0.625))


@pytest.mark.covering(2)
@pytest.mark.parametrize("unit", [1e-40, 1e-13, 1e9])
@pytest.mark.parametrize("how", ["percentile", "basic", "BCa", "normal"])
@pytest.mark.parametrize("least", [-np.inf, 0.0])
def test_the_unit_of_what_has_one_changes_nothing(how, least, unit):
    """Replicates of a cost in millionths or in millions have the same interval, in that unit."""
    rng = np.random.default_rng(0)
    values = np.round(rng.gamma(2, size=400), 2)
    value, shape = float(np.median(values)), Shape((least, np.inf), (least, np.inf))
    low, high, name = interval(how, values, value, 0.9, shape, 0.05)
    moved = interval(how, unit * values, unit * value, 0.9, shape, 0.05)
    assert moved[:2] == pytest.approx((unit * low, unit * high), rel=1e-9)
    assert moved[2] == name
    alike = values[0] * (1 + 1e-15 * np.arange(400))
    assert "no variation between resamples" in interval(how, unit * alike, unit * value, 0.9, shape)


def test_cluster_bootstrap_has_its_exact_law():
    predicted = (T20_SCORE >= 0.5).astype(int)
    true = T20_TRUE.astype(int)
    members = [np.flatnonzero(c == T20_CLUSTER) for c in range(8)]
    each = [ConfusionMatrix.from_codes(predicted[at], true[at], (0, 1)) for at in members]
    matrix = ConfusionMatrix(np.stack([one.counts for one in each]), (0, 1))
    as_rows = LabelledRows(predicted, T20_TRUE.astype(int), (0, 1), cluster=T20_CLUSTER)
    for clustered in (matrix, as_rows):
        values = bootstrap_replicates(clustered, [accuracy], replicates=100_000)[0]
        within(values, 0.6972132171711396, 0.09710082474599488)
        found = bootstrap(clustered, accuracy, replicates=100_000, how="percentile")
        assert found.low == 0.5
        assert found.high in (0.88, 15 / 17)  # P(<= 0.88) is within Monte-Carlo error of 0.975
        assert found.method.endswith("cluster bootstrap of 100,000")
    assert np.array_equal(
        *(bootstrap_replicates(each, [accuracy], replicates=500) for each in (matrix, as_rows))
    )


# resampled tables are the tables of resampled rows


@pytest.mark.parametrize("ties", [None, 8])
def test_statistics_of_draws_are_those_of_repeated_rows(ties):
    score, positive = rows(300, ties=ties)
    whole = ScoreTable.from_rows(score, positive)
    statistics = [*RANKING, *LOSSES, lambda scores: scores.positives[..., :3].sum(-1)]
    sample = score_samples.of_table(whole, statistics)
    drawn = sample.draws.plan(40, np.random.default_rng(3))[0]()
    found = sample.evaluate(drawn)
    cells = [np.repeat(whole.scores, part) for part in (whole.positives, whole.negatives)]
    if drawn.shape[1] < 300:
        cells = [whole.scores[part > 0] for part in (whole.positives, whole.negatives)]
    p = cells[0].size
    for r, each in enumerate(drawn):
        again = ScoreTable.from_rows(
            np.repeat(np.concatenate(cells), each), np.repeat(np.arange(each.size) < p, each)
        )
        expected = [statistic(again) for statistic in statistics[:-1]]
        assert found[:-1, r] == pytest.approx(expected, rel=1e-12)
        assert found[-1, r] == again.positives[again.scores >= whole.scores[2]].sum()
    assert sample.value()[:-1] == pytest.approx([statistic(whole) for statistic in statistics[:-1]])


def test_joined_negatives_change_no_ranking():
    for ties in (None, 8):
        whole = table(500, 0.02, ties=ties)
        short = score_samples.joined(whole)
        assert short.scores.size <= 2 * (whole.positives > 0).sum() + 1
        assert [each(short) for each in RANKING] == pytest.approx([each(whole) for each in RANKING])


def test_rare_positives_are_drawn_by_cells_and_agree():
    whole = table(20_000, 0.002)
    sample = score_samples.of_table(whole, RANKING)
    assert isinstance(sample.draws, CellDraws)
    by_rows = score_samples.of_table(whole, [*RANKING, lambda scores: scores.n_positive])
    assert isinstance(by_rows.draws, UnitDraws)
    a, b = (each.replicates(2000, np.random.default_rng(5), 1)[: len(RANKING)] for each in (sample, by_rows))
    for one, other in zip(a, b, strict=True):
        se = one.std() * np.sqrt(2 / 2000)
        assert abs(one.mean() - other.mean()) < 4.5 * se
        assert one.std() == pytest.approx(other.std(), rel=0.12)


def test_labels_from_the_table_spread_as_rows_resampled():
    rng = np.random.default_rng(0)
    true = rng.integers(0, 3, 400)
    predicted = np.where(rng.random(400) < 0.7, true, rng.integers(0, 3, 400))
    statistics = [macro(f1), matthews_correlation, cohen_kappa, quadratic_kappa]
    matrix = ConfusionMatrix.from_codes(predicted, true, (0, 1, 2))
    fast = bootstrap_replicates(matrix, statistics, replicates=20_000)
    units = bootstrap_replicates(LabelledRows(predicted, true, (0, 1, 2)), statistics, replicates=20_000)
    picks = [rng.integers(0, 400, 400) for _ in range(1500)]
    slow = [
        [statistic(ConfusionMatrix.from_codes(predicted[at], true[at], (0, 1, 2))) for at in picks]
        for statistic in statistics
    ]
    for one, other, third in zip(fast, np.array(slow), units, strict=True):
        assert one.std() == pytest.approx(other.std(), rel=0.09)
        assert one.std() == pytest.approx(third.std(), rel=0.04)
        assert abs(one.mean() - other.mean()) < 4.5 * other.std() / np.sqrt(1500)


def test_scores_from_the_table_spread_as_rows_resampled():
    rng = np.random.default_rng(0)
    truth = rng.random(300) < 0.4
    score = np.round(1 / (1 + np.exp(-rng.normal(size=300) - truth)), 2)
    statistics = [roc_auc, average_precision, brier_score, log_loss]
    fast = bootstrap_replicates(ScoreTable.from_rows(score, truth), statistics, replicates=20_000)
    picks = [rng.integers(0, 300, 300) for _ in range(1500)]
    tables = [ScoreTable.from_rows(score[at], truth[at]) for at in picks]
    for one, statistic in zip(fast, statistics, strict=True):
        other = np.array([statistic(table) for table in tables])
        assert one.std() == pytest.approx(other.std(), rel=0.09)  # Monte-Carlo error is 2%
        assert abs(one.mean() - other.mean()) < 4.5 * other.std() / np.sqrt(1500)


@pytest.mark.parametrize("of", ["weight", "cluster", "both"])
def test_rows_keep_their_weights_and_clusters(of):
    rng = np.random.default_rng(2)
    score, positive = rows(120, ties=20)
    weight = rng.gamma(2, size=120) if of != "cluster" else None
    cluster = rng.permutation(np.arange(120) // 4) if of != "weight" else None
    statistics = [*RANKING, *LOSSES, lambda scores: scores.n_negative]
    sample = score_samples.of_rows(ScoredRows(score, positive, weight, cluster), statistics)
    drawn = sample.draws.plan(20, np.random.default_rng(4))[0]()
    found = sample.evaluate(drawn)
    each = () if weight is None else (weight,)
    order = np.lexsort((*each, -score, ~positive))
    if cluster is not None:
        cluster = order_of_clusters(cluster, row_numbers([positive, score]), weight)
    for r in range(20):
        if cluster is None:
            times = np.empty(120, int)
            times[order] = drawn[r]
        else:
            times = drawn[r, cluster].astype(int)
        at = np.repeat(np.arange(120), times)
        again = ScoreTable.from_rows(score[at], positive[at], weight=None if weight is None else weight[at])
        assert found[:, r] == pytest.approx([each(again) for each in statistics], rel=1e-9)


def test_weighted_oracles():
    w = np.array([1, 2, 1, 1, 3, 1, 1, 2, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 2, 1.0])
    found = bootstrap_all(
        ScoredRows(T20_SCORE, T20_TRUE, w), [roc_auc, average_precision, log_loss, brier_score]
    )
    expected = [0.8484848484848485, 0.828896103896104, 0.5218173892895538, 0.17778846153846153]
    assert [each.value for each in found] == pytest.approx(expected)
    scaled = bootstrap_all(
        ScoredRows(T20_SCORE, T20_TRUE, 16 * w), [roc_auc, average_precision, log_loss, brier_score]
    )
    assert np.allclose([(a.low, a.high) for a in found], [(b.low, b.high) for b in scaled])
    predicted, true = (T20_SCORE >= 0.5).astype(int), T20_TRUE.astype(int)
    unit, weighted = (LabelledRows(predicted, true, (0, 1), each) for each in (np.ones(20), w))
    assert bootstrap(weighted, accuracy).value == pytest.approx((w * (predicted == true)).sum() / w.sum())
    assert bootstrap(unit, accuracy).value == pytest.approx(0.7)


# engines


@pytest.mark.parametrize(
    "make", [lambda: table(3000, seed=4), lambda: table(3000, ties=50), lambda: table(9000, 0.002)]
)
def test_threads_change_no_byte(make):
    statistics = [*RANKING, *LOSSES]
    one, two, four = (
        bootstrap_replicates(make(), statistics, replicates=1200, threads=threads).tobytes()
        for threads in (1, 2, 4)
    )
    assert one == two == four


@pytest.mark.parametrize("share", [0.3, 0.002])
def test_neither_order_nor_company_changes_a_byte(share):
    whole = table(20_000, share)
    both = bootstrap_replicates(whole, [roc_auc, average_precision], replicates=300)
    more = [average_precision, log_loss, roc_auc, lambda scores: scores.n_positive]
    turned = bootstrap_replicates(whole, more, replicates=300)
    assert [each.value for each in bootstrap_all(whole, more[:3], replicates=300)] == pytest.approx(
        [each(whole) for each in more[:3]]
    )
    matrix = ConfusionMatrix.from_array(np.arange(1, 1601).reshape(40, 40), tuple(range(40)), rows="true")
    alone, together = (
        bootstrap_replicates(matrix, [accuracy, *company], replicates=300)[0]
        for company in ([], [quadratic_kappa])
    )
    assert np.array_equal(alone, together)
    assert np.array_equal(both[0], turned[2])
    assert np.array_equal(both[1], turned[0])
    assert not np.array_equal(both[0], bootstrap_replicates(whole, [roc_auc], replicates=300, seed=1)[0])
    rng = np.random.default_rng(0)
    bootstrap_replicates(whole, [roc_auc], replicates=100, seed=rng)
    other = np.random.default_rng(0)
    other.integers(2**63)
    assert rng.integers(1000) == other.integers(1000)


def test_kernels_draw_exactly_what_their_twins_draw():
    rng = np.random.default_rng(0)
    bits = powers_of_two(40_000)
    starts = np.cumsum(2**bits) - 2**bits
    totals = rng.multinomial(40_000, 2**bits / 40_000, size=3)
    keys = rng.integers(0, 2**64, 3, dtype=np.uint64)
    drawn = [np.full((3, 40_000), 9, np.uint8) for _ in range(2)]
    draw_kernels.draw_units.compiled(keys, totals, starts, bits, drawn[0])
    draw_kernels.draw_units.twin(keys, totals, starts, bits, drawn[1])
    assert np.array_equal(*drawn)


@pytest.mark.parametrize("kind", [np.uint8, np.int64, np.float64])
def test_kernels_compute_what_their_twins_compute(kind):
    rng = np.random.default_rng(0)
    whole = table(400, ties=40)
    ranking = score_samples.Ranking(
        whole.scores,
        *(np.concatenate([[0], np.cumsum(part)]) for part in (whole.positives, whole.negatives)),
        (0, 1),
    )
    drawn = rng.poisson(1, (30, 400)).astype(kind)
    drawn[0, : ranking.split] = 0
    drawn[1, ranking.split :] = 0
    scratch = score_samples._scratch(drawn)
    tied = np.flatnonzero(np.diff(ranking.steps()[1:], axis=0)[0])
    for each, more, columns in (
        (draw_kernels.ranking_areas, (tied,), 4),
        (draw_kernels.curve_shapes, (0.1,), 6),
    ):
        results = [np.empty((30, columns)) for _ in range(2)]
        each.compiled(drawn, ranking.split, *ranking.steps(), *more, scratch, results[0])
        each.twin(drawn, ranking.split, *ranking.steps(), *more, scratch, results[1])
        assert np.allclose(*results, rtol=1e-12, equal_nan=True)
    values = rng.random(400)
    results = [np.empty(30) for _ in range(2)]
    draw_kernels.weighted_sums.compiled(drawn, values, results[0])
    draw_kernels.weighted_sums.twin(drawn, values, results[1])
    assert np.allclose(*results, rtol=1e-12)
    values[-1], drawn[:5, -1], drawn[5:, -1] = np.inf, 0, 1
    assert np.array_equal(np.isinf(score_samples._loss_sums(drawn, values)), np.arange(30) >= 5)
    cell, weight = rng.integers(0, 7, 400), rng.random(400)
    results = [np.empty((30, 7)) for _ in range(2)]
    draw_kernels.sum_cells_drawn.compiled(drawn, cell, weight, results[0])
    draw_kernels.sum_cells_drawn.twin(drawn, cell, weight, results[1])
    assert np.allclose(*results, rtol=1e-12)


def test_a_leading_axis_is_a_loop():
    matrix = ConfusionMatrix.from_array([[30, 5, 5], [2, 50, 8], [1, 1, 98]], "abc", rows="true")

    def whole_matrix(m):
        return macro(f1)(m)

    both = bootstrap_replicates(matrix, [macro(f1), whole_matrix], replicates=200)
    one_by_one = lambda m: np.array(  # noqa: E731
        [macro(f1)(ConfusionMatrix(each, m.labels)) for each in m.counts]
    )
    assert np.allclose(both[0], both[1], rtol=1e-13)
    assert np.array_equal(both[1], bootstrap_replicates(matrix, [one_by_one], replicates=200)[0])


def test_many_classes_stay_sparse():
    rng = np.random.default_rng(0)
    k = 2000
    true = rng.integers(0, k, 20_000)
    predicted = np.where(rng.random(20_000) < 0.9, true, rng.integers(0, k, 20_000))
    matrix = ConfusionMatrix.from_codes(predicted, true, tuple(range(k)))
    tracemalloc.start()
    found = bootstrap(matrix, matthews_correlation, replicates=200, how="percentile")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.low < found.value < found.high
    assert peak < 400e6  # 200 dense matrices would be 6.4 GB


def test_a_million_rows_need_little_memory():
    whole = table(1_000_000, 0.3)
    tracemalloc.start()
    bootstrap_replicates(whole, [roc_auc, average_precision, kolmogorov_smirnov], replicates=20, threads=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 150e6


# intervals and their reasons


def test_one_positive():
    score, positive = rows(40, seed=1)
    positive[:] = False
    positive[7] = True
    whole = ScoreTable.from_rows(score, positive)
    cohort = bootstrap(whole, roc_auc)
    assert not cohort.has_interval
    assert cohort.reason == "not defined in 37% of the resamples"


def test_undefined_resamples_are_reported():
    counts = BinaryCounts(4, 2, 1, 60)
    found = bootstrap(counts, lift, how="percentile", replicates=5000)
    assert "% undefined resamples excluded, cohort bootstrap of 5,000" in found.method


def test_nothing_to_see_is_said():
    perfect = ScoreTable.from_rows(np.arange(20.0), np.arange(20) > 9)
    for how in ("percentile", "basic", "BCa", "normal"):
        found = bootstrap(perfect, roc_auc, how=how)
        assert found.reason == "no variation between resamples"
    constant = ScoreTable.from_rows(np.full(20, 0.5), np.arange(20) > 9)
    assert bootstrap(constant, roc_auc).reason.startswith("no variation")
    assert bootstrap(BinaryCounts(0, 0, 10, 20), lift).is_undefined
    scores = ScoreTable.from_rows(
        np.array([0.0, 0.9, 0.2, 0.1] * 9), np.array([True, True, False, False] * 9)
    )
    assert bootstrap(scores, log_loss).reason == "the value is infinite"
    assert interval("normal", np.array([0.9, 1.0]), 1.0, 0.95, Shape((0, 1), (0, 1))).startswith(
        "the estimate is at the boundary"
    )
    assert interval("BCa", np.array([0.9, 0.95]), 1.0, 0.95).startswith("all resamples are on one side")
    assert interval("BCa", np.array([0.9, 1.0]), 0.95, 0.95, Shape(), np.nan).startswith(
        "the value is not defined"
    )


@pytest.mark.parametrize("how", ["percentile", "basic", "BCa", "normal", None])
def test_intervals_stay_inside_the_range(how):
    whole = table(60, 0.3, separation=3)
    for each in bootstrap_all(whole, [*RANKING, *LOSSES], how=how, replicates=500):
        assert each.has_interval or each.reason
    for each, measure in zip(bootstrap_all(whole, RANKING, how=how, replicates=500), RANKING, strict=True):
        if each.has_interval:
            assert measure.bounds[0] <= each.low < each.high <= measure.bounds[1]


def test_errors_say_what_to_do():
    with pytest.raises(InputError, match="needs at least 100 replicates"):
        bootstrap(T20, roc_auc, replicates=10)
    with pytest.raises(InputError, match=r"returned shape .* Return one value per"):
        bootstrap(T20, lambda scores: scores.positives.sum())
    with pytest.raises(InputError, match="not a measure of a confusion matrix"):
        bootstrap(ConfusionMatrix.from_array([[3, 1], [1, 3]], "ab", rows="true"), recall)
    with pytest.raises(InputError, match="not a measure of four counts"):
        bootstrap(BinaryCounts(3, 1, 1, 3), roc_auc)
    with pytest.raises(InputError, match="ScoredRows"):
        bootstrap(ScoreTable.from_rows(T20_SCORE, T20_TRUE, weight=np.full(20, 0.5)), roc_auc)
    with pytest.raises(InputError, match="Unknown bootstrap interval 'bca'"):
        bootstrap(T20, roc_auc, how="bca")
    with pytest.raises(InputError, match="has no cases"):
        bootstrap(ConfusionMatrix(np.zeros((2, 2), int), (0, 1)), accuracy)
    with pytest.raises(InputError, match="No statistic was passed"):
        bootstrap_all(T20, [])
    with pytest.raises(InputError, match="cannot be resampled"):
        bootstrap([1, 2], roc_auc)


def test_acceleration_matches_leaving_out_each_case():
    score, positive = rows(60, seed=3)
    whole = ScoreTable.from_rows(score, positive)
    found = score_samples.of_table(whole, [roc_auc, average_precision]).acceleration()
    for measure, a in zip([roc_auc, average_precision], found, strict=True):
        left = np.array(
            [measure(ScoreTable.from_rows(np.delete(score, i), np.delete(positive, i))) for i in range(60)]
        )
        d = left.mean() - left
        assert a == pytest.approx((d**3).sum() / (6 * (d**2).sum() ** 1.5), rel=1e-9)
    many = ScoreTable.from_rows(*rows(20_000, 0.02))
    a = score_samples.of_table(many, [roc_auc]).acceleration()[0]
    n, p = float(many.n_negative), float(many.n_positive)
    of_positive = (n - np.cumsum(many.negatives) + many.negatives / 2) / n
    of_negative = (np.cumsum(many.positives) - many.positives / 2) / p
    auc = roc_auc(many)
    third = (many.positives * (of_positive - auc) ** 3).sum() / p**3 + (
        many.negatives * (of_negative - auc) ** 3
    ).sum() / n**3
    second = (many.positives * (of_positive - auc) ** 2).sum() / p**2 + (
        many.negatives * (of_negative - auc) ** 2
    ).sum() / n**2
    assert a == pytest.approx(third / (6 * second**1.5), rel=0.02)


def test_the_bias_of_a_maximum_is_more_than_its_bootstrap_shows():
    assert pytest.approx(1.7024, abs=1e-4) == MAXIMUM
    assert shape_of(kolmogorov_smirnov) == Shape((0, 1), (-1.0, 1.0), MAXIMUM)
    assert shape_of(accuracy) == Shape((0.0, 1.0), (0.0, 1.0))
    rng = np.random.default_rng(0)  # max of a random walk less a parabola, and of its sum with a second walk
    t = np.linspace(-4, 4, 801)
    walk = np.cumsum(rng.normal(size=(2, 4000, 801)), -1) * np.sqrt(t[1] - t[0])
    walk -= walk[..., 400:401]
    once = (walk[0] - t**2).max(-1).mean()
    twice = (walk[0] + walk[1] - t**2).max(-1).mean()
    assert once / (twice - once) == pytest.approx(MAXIMUM, rel=0.1)


@pytest.mark.parametrize("positive", [True, False])
def test_one_class_only(positive):
    whole = ScoreTable.from_rows(np.arange(5.0) / 5, np.full(5, positive))
    for each in bootstrap_all(whole, [*RANKING, *LOSSES]):
        assert each.is_undefined or each.has_interval or each.reason


def test_a_single_case():
    found = bootstrap(ScoreTable.from_rows(np.array([0.5]), np.array([True])), brier_score)
    assert found.value == 0.25
    assert not found.has_interval


def test_resamples_of_few_clusters_are_evaluated_once_and_counted_often(monkeypatch):
    rng = np.random.default_rng(3)
    rows = ScoredRows(rng.random(24), rng.random(24) < 0.5, None, np.arange(24) % 4)
    wanted = bootstrap_all(rows, [roc_auc, brier_score], seed=5)
    monkeypatch.setattr(sampling, "FEW", 0)
    for one, other in zip(bootstrap_all(rows, [roc_auc, brier_score], seed=5), wanted, strict=True):
        assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-12)


@pytest.mark.parametrize("times", [10**9, 4 * 10**9])
def test_more_pairs_than_whole_numbers_hold_are_ranked_alike(times):
    """2 · 10^19 pairs of positives and negatives and more: 64 bits hold 9 · 10^18."""
    few = ScoreTable(np.arange(9.0, 0, -1), np.arange(1, 10)[::-1], np.arange(1, 10), (0, 1))
    many = ScoreTable(few.scores, few.positives * times, few.negatives * times, (0, 1))
    statistics = [roc_auc, average_precision]
    wanted = score_samples.of_table(few, statistics).value()
    assert score_samples.of_table(many, statistics).value() == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("cluster", [None, np.arange(900) // 2])
@pytest.mark.parametrize("unit", [1e-200, 1e-70, 1e70, 1e200])
def test_enormous_and_tiny_weights_change_nothing(unit, cluster):
    """Of many replicates, which the compiled loops look at."""
    rng = np.random.default_rng(3)
    score, weight = rng.random(900), rng.random(900) + 0.5
    positive = rng.random(900) < score
    found = [
        bootstrap_replicates(
            ScoredRows(score, positive, weight * each, cluster),
            [roc_auc, average_precision],
            replicates=230,
            seed=1,
        )
        for each in (1.0, unit)
    ]
    np.testing.assert_allclose(found[1], found[0], rtol=1e-9)


@pytest.mark.parametrize("scores", [20, 45, 50, 55, 60, 90, 200])
@pytest.mark.parametrize("most", [1, 2, 3, 9])
def test_company_changes_no_byte_whatever_is_drawn_by_cells(scores, most):
    """Of few and many scores, each held by few and by many cases: the order alone has fewer cells than the scores."""
    rng = np.random.default_rng([scores, most, 0])
    counts = rng.integers(0, most + 1, (2, scores)) * (rng.random((2, scores)) < 0.7)
    counts[:, 0] += 1
    table = ScoreTable(np.sort(rng.random(scores))[::-1], *counts)
    measures = [average_precision, log_loss]
    together = bootstrap_all(table, measures, replicates=200)
    assert [bootstrap_all(table, [each], replicates=200)[0] for each in measures] == together


@pytest.mark.parametrize("positives", [1, 2, 3])
def test_the_kind_of_interval_does_not_depend_on_the_level(positives):
    """At a low level all draws between the ends may be one: then there is none, and no wider one of another kind."""
    truth = np.arange(5) < positives
    found = [
        assess(truth, y_pred=~truth, level=level, interval="bootstrap")["baseline_accuracy"]
        for level in (0.5, 0.8, 0.95, 0.99)
    ]
    kinds = {each.method for each in found if each.has_interval}
    assert len(kinds) == 1
    for inner, outer in pairwise(each for each in found if each.has_interval):
        assert outer.low <= inner.low <= inner.high <= outer.high


def spread_rows(seed, n=200):
    """Truth, scores of which many tie, clusters of unequal size, and whole numbers that differ much."""
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.4
    score = np.round(1 / (1 + np.exp(1 - 2 * positive - rng.normal(size=n))), 2)
    return positive, score, np.sort(rng.integers(0, 60, n)), rng.choice([1, 1, 1, 9], n)


@pytest.mark.covering(1)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["roc_auc", "log_loss", "max_f1"])
def test_whole_weights_of_clusters_are_copies_of_rows_and_have_no_unit(name, seed):
    positive, score, cluster, times = spread_rows(seed)
    truth, at = positive.astype(int), np.repeat(np.arange(times.size), times)
    how = {"interval": "bootstrap", "seed": seed}
    copies = assess(truth[at], score[at], cluster=cluster[at], **how)[name]
    for given in ({"weight": times}, {"frequency": times}, {"weight": times * 0.37}):
        found = assess(truth, score, cluster=cluster, **given, **how)[name]
        assert (found.value, found.low, found.high) == pytest.approx(
            (copies.value, copies.low, copies.high), rel=1e-9
        ), given


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("weights", [None, "whole", "any"])
def test_resampled_tables_hold_on_average_what_the_table_holds(weights, clustered):
    """At each score of each class, whatever is drawn: cells, clusters, or weights."""
    positive, score, cluster, times = spread_rows(4)
    weight = {"whole": times.astype(float), "any": times * 0.37}.get(weights)
    table = ScoreTable.from_rows(score, positive, weight=weight)
    rows = ScoredRows(score, positive, weight, cluster) if clustered else None
    drawn = [*ScoredCases(table, rows).resamples(900, "average")]
    for side in ("positives", "negatives"):
        each = np.array([getattr(one, side) for one in drawn])
        error = each.std(0) / np.sqrt(len(each))
        assert (np.abs(each.mean(0) - getattr(table, side)) <= 4.5 * error + 1e-12).all()
    if clustered and weights == "whole":
        at = np.repeat(np.arange(times.size), times)
        copies = ScoredRows(score[at], positive[at], None, cluster[at])
        again = ScoredCases(ScoreTable.from_rows(score[at], positive[at]), copies).resamples(900, "average")
        for one, other in zip(drawn, again, strict=True):
            assert (one.positives == other.positives).all()
            assert (one.negatives == other.negatives).all()


@pytest.mark.parametrize("kind", ["line", "steps", "steps_back"])
def test_heights_of_a_curve_are_those_that_are_drawn(kind):
    """Before its first point and behind its last one, a curve of resampled cases keeps the height of its end."""
    points, heights = np.array([0.2, 0.4, 0.4, np.nan, 0.8]), np.array([1.0, 3.0, 5.0, 7.0, 2.0])
    after = {  # at each place, by the last point at or before it, and the first at or behind it
        "line": [1.0, 1.0, 2.0, 5.0, 3.5, 2.0, 2.0],
        "steps": [1.0, 1.0, 1.0, 5.0, 5.0, 2.0, 2.0],
        "steps_back": [1.0, 1.0, 3.0, 3.0, 2.0, 2.0, 2.0],
    }
    found = at(Curve("c", "c", points, heights, "x", "y", kind), np.array([0, 0.2, 0.3, 0.4, 0.6, 0.8, 1]))
    assert found == pytest.approx(after[kind])
