"""Curves, their measures and readings, their bands and their pictures."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from scipy import stats
from scipy.stats import mannwhitneyu, norm

from classay.compiled import KERNELS
from classay.curves import acting, of_scores
from classay.curves.curve import Curve
from classay.curves.display import DISPLAY_ERROR, for_display
from classay.curves.of_scores import score_histograms
from classay.errors import InputError, MissingExtraError
from classay.inference import bands
from classay.measures import (
    area_under_prg,
    area_under_risk_coverage,
    areas,
    average_precision,
    balanced_accuracy,
    brier_score,
    fpr_at,
    get,
    h_measure,
    hull_auc,
    interpolated_pr_area,
    kolmogorov_smirnov,
    log_loss,
    max_f1,
    precision_at,
    roc_auc,
    threshold_for,
    tpr_at,
)
from classay.measures.areas import gain_area, greatest_f1
from classay.measures.proper_parts import pool
from classay.measures.selective import confidence_of, mirrored, summed_risk
from classay.report.pictures.curve_pictures import pictures
from classay.report.pictures.picture import look_of, starts_at
from classay.report.pictures.plots import plot
from classay.report.pictures.svg import pointed, svg
from classay.tables import ScoreTable
from drawn import drawn_at

matplotlib.use("Agg")

ORACLES = {
    name: each["value"]
    for name, each in json.loads((Path(__file__).parents[1] / "oracles" / "curves.json").read_text()).items()
}
CLOSE = {"rtol": 0, "atol": 1e-9}
NEW_MEASURES = (max_f1, hull_auc, h_measure, area_under_prg, interpolated_pr_area, area_under_risk_coverage)


def t20(**options):
    rows = ORACLES["T20"]
    return ScoreTable.from_rows(np.array(rows["sA"]), np.array(rows["y"], bool), **options)


def made(n=300, seed=0, decimals=2, dtype=np.float64):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.4
    score = np.round(1 / (1 + np.exp(-rng.normal(size=n) - 1.5 * positive + 0.7)), decimals)
    return ScoreTable.from_rows(score.astype(dtype), positive)


def replicated(table, replicates, seed=0):
    rng = np.random.default_rng(seed)
    p, n = int(table.n_positive), int(table.n_negative)
    return replace(
        table,
        positives=rng.multinomial(p, table.positives / p, size=replicates),
        negatives=rng.multinomial(n, table.negatives / n, size=replicates),
    )


TABLES = {
    "T20": t20(),
    "ties": made(),
    "no ties": made(decimals=9),
    "single precision": made(dtype=np.float32),
    "two scores": made(decimals=0),
    "weighted": t20(weight=np.array(ORACLES["weighted_T20"]["w"])),
    "frequency": t20(frequency=np.array(ORACLES["weighted_T20"]["w"], np.int64)),
    "perfect": ScoreTable.from_rows(np.array([0.9, 0.8, 0.2, 0.1]), np.array([True, True, False, False])),
    "inverted": ScoreTable.from_rows(np.array([0.9, 0.8, 0.2, 0.1]), np.array([False, False, True, True])),
    "constant": ScoreTable.from_rows(np.full(10, 0.5), np.arange(10) < 4),
}


@pytest.fixture(params=TABLES)
def table(request):
    return TABLES[request.param]


def area(curve):
    return float(np.trapezoid(curve.y, curve.x))


# --- oracles


def test_hull_of_the_oracle():
    curve = of_scores.convex_hull(t20())
    np.testing.assert_allclose(np.c_[curve.x, curve.y], ORACLES["ROC_T20"]["hull"], **CLOSE)
    np.testing.assert_allclose(area(curve), ORACLES["AUC_of_PAV_equals_hull"], **CLOSE)
    points = of_scores.roc(t20())
    np.testing.assert_allclose(np.c_[points.x, points.y], ORACLES["ROC_T20"]["points"], **CLOSE)


def test_measures_of_the_oracle():
    table, h = t20(), ORACLES["Hmeasure_T20"]
    pairs = [
        (hull_auc(table), ORACLES["ROC_T20"]["hull_area"]),
        (max_f1(table), ORACLES["PR_T20"]["maxF1"]),
        (interpolated_pr_area(table), ORACLES["PR_T20"]["davis_goadrich"]),
        (area_under_prg(table), ORACLES["AUPRG_T20"]["auprg"]),
        (h_measure(table), h["beta_1p_pi1_1p_pi0"]),
        (h_measure(table, 2, 2), h["beta22"]),
        (h_measure(table, 2, 1 + 12 / 8), h["sr_prevalence_default"]),
        (area_under_risk_coverage(table), ORACLES["AURC_T20"]["aurc_tie_averaged"]),
    ]
    for found, expected in pairs:
        np.testing.assert_allclose(found, expected, **CLOSE)


def test_cost_curve_of_the_oracle():
    expected, curve = ORACLES["CostCurve_T20"], acting.cost_curve(t20())
    np.testing.assert_allclose(curve.x, np.unique(expected["breakpoints"]), **CLOSE)
    np.testing.assert_allclose(area(acting.cost_trivial()), expected["trivial_envelope_area"], **CLOSE)
    matrix = ORACLES["NEC_seed003"]
    np.testing.assert_allclose(acting.probability_cost(0.1, 1, 5), matrix["PCpos"], **CLOSE)
    np.testing.assert_allclose(get("normalised_expected_cost(1, 5)")(6, 1, 4, 89), matrix["NE"], **CLOSE)


def test_net_benefit_of_the_oracle():
    for threshold, expected in ORACLES["NetBenefit_seed003"].items():
        np.testing.assert_allclose(acting.net_benefit(6, 1, 100, float(threshold)), expected, **CLOSE)


def test_top_of_the_oracle():
    for k, expected in ORACLES["topk_T20"].items():
        readings = [f(t20(), int(k)) for f in (acting.precision_at_k, acting.recall_at_k, acting.lift_at_k)]
        np.testing.assert_allclose(
            [each.value for each in readings],
            [expected[name] for name in ("P_at_k", "R_at_k", "lift")],
            **CLOSE,
        )
    tied = acting.precision_at_k(t20(), 6)
    for name, expected in ORACLES["topk_ties_T20_k6"].items():
        np.testing.assert_allclose(
            tied.value if name == "expected" else getattr(tied, name), expected, **CLOSE
        )


def test_risk_coverage_of_the_oracle():
    curve = of_scores.risk_coverage(t20())
    np.testing.assert_allclose(np.c_[curve.x, curve.y], ORACLES["AURC_T20"]["points"], **CLOSE)


def test_readings_of_the_oracle():
    expected = ORACLES["TPR_at_FPR_T20"]
    assert tpr_at(t20(), 0.2).value == expected["step_fpr<=0.2"]
    assert tpr_at(t20(), 0.4).value == expected["step_fpr<=0.4"]
    np.testing.assert_allclose(tpr_at(t20(), 0.2, "linear").value, expected["linear_at_0.2"], **CLOSE)


def test_distances_of_the_bands_of_the_oracle():
    expected, level = ORACLES["ROC_band_DKW"], bands.each_level(0.95)
    np.testing.assert_allclose(1 - level, expected["alpha_each"], **CLOSE)
    pairs = [
        (bands.dkw_distance(8, level), expected["dTPR_P8"]),
        (bands.dkw_distance(12, level), expected["dFPR_N12"]),
        (bands.dkw_distance(1000, level), expected["dTPR_P1000"]),
        (bands.kolmogorov_distance(8, level), expected["ks_exact_P8"]),
        (bands.kolmogorov_distance(12, level), expected["ks_exact_N12"]),
    ]
    for found, value in pairs:
        np.testing.assert_allclose(found, value, **CLOSE)


@pytest.mark.parametrize("cases", [1, 2, 7, 140, 141, 5_000, 10_000_000])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.9746794344808963, 0.9999])
def test_kolmogorov_distance_is_that_of_scipy(cases, level):
    """Exact to 140 cases, as theirs is; beyond, both are the same expansion."""
    found = bands.kolmogorov_distance(cases, level)
    assert found == pytest.approx(stats.kstwo.ppf(level, cases), rel=1e-9)
    assert found <= bands.dkw_distance(cases, level) + 1e-12


# --- identities


def test_area_under_roc_is_auc(table):
    np.testing.assert_allclose(area(of_scores.roc(table)), roc_auc(table), **CLOSE)


def test_auc_is_mann_whitney(table):
    scores, counts = table.scores.astype(float), (table.positives, table.negatives)
    of_positive, of_negative = (np.repeat(scores, each.astype(int)) for each in counts)
    assert of_positive.size == table.n_positive  # weights are whole here
    pairs = of_positive.size * of_negative.size
    expected = mannwhitneyu(of_positive, of_negative).statistic / pairs
    np.testing.assert_allclose(roc_auc(table), expected, **CLOSE)


def test_auc_of_a_single_point_is_balanced_accuracy(table):
    for threshold in table.scores:
        above = table.scores >= threshold
        called = [[each[above].sum(), each[~above].sum()] for each in (table.positives, table.negatives)]
        single = ScoreTable(np.array([1.0, 0.0]), *map(np.array, called), table.labels)
        np.testing.assert_allclose(roc_auc(single), balanced_accuracy(table.at(threshold)), **CLOSE)
        assert area(of_scores.roc(single)) == pytest.approx(roc_auc(single))


def test_hull_is_the_roc_of_isotonic_scores(table):
    isotonic = pytest.importorskip("sklearn.isotonic")
    cases = table.positives + table.negatives
    ascending = slice(None, None, -1)
    fitted = isotonic.isotonic_regression(
        (table.positives / cases)[ascending].astype(float), sample_weight=cases[ascending].astype(float)
    )[ascending]
    blocks = np.flatnonzero(np.diff(fitted, prepend=np.inf))
    calibrated = ScoreTable(
        fitted[blocks], np.add.reduceat(table.positives, blocks), np.add.reduceat(table.negatives, blocks)
    )
    np.testing.assert_allclose(hull_auc(table), roc_auc(calibrated), **CLOSE)
    np.testing.assert_allclose(area(of_scores.convex_hull(table)), hull_auc(table), **CLOSE)
    np.testing.assert_allclose(area(acting.brier_envelope(table)), brier_score(calibrated), **CLOSE)


def test_area_under_brier_curve_is_the_brier_score(table):
    np.testing.assert_allclose(area(acting.brier_curve(table)), brier_score(table), **CLOSE)


def test_brier_curve_weighted_by_the_costs_is_the_log_loss(table):
    """The cost is c A + (1 - c) B on each stretch: over 2 c (1 - c), its integral is B ln c - A ln(1 - c)."""
    curve = acting.brier_curve(table)
    (c0, c1), (y0, y1) = curve.x.reshape(-1, 2).T, curve.y.reshape(-1, 2).T / 2
    keep = c1 > c0
    c0, c1, y0, y1 = c0[keep], c1[keep], y0[keep], y1[keep]
    slope = (y1 - y0) / (c1 - c0)
    b = y0 - slope * c0
    a = slope + b
    rise, fall = np.log(c1[1:] / c0[1:]), np.log((1 - c0[:-1]) / (1 - c1[:-1]))
    if np.isfinite(log_loss(table)):
        assert abs(b[0]) < 1e-12  # nothing is missed at threshold 0, and nothing is a false alarm at 1
        assert abs(a[-1]) < 1e-12
        np.testing.assert_allclose((a[:-1] * fall).sum() + (b[1:] * rise).sum(), log_loss(table), **CLOSE)


def test_area_under_a_cost_line_is_one_less_balanced_accuracy(table):
    for threshold in table.scores:
        line = acting.cost_line(table, threshold)
        expected = 1 - balanced_accuracy(table.at(threshold))
        np.testing.assert_allclose(area(line), expected, **CLOSE)


def test_cost_curve_is_the_lower_envelope_of_all_lines(table):
    x = np.linspace(0, 1, 101)
    curve = acting.cost_curve(table)
    ends = np.array([acting.cost_line(table, t).y for t in [np.inf, *table.scores]])
    lowest = (ends[:, :1] * (1 - x) + ends[:, 1:] * x).min(0)
    np.testing.assert_allclose(np.interp(x, curve.x, curve.y), lowest, **CLOSE)
    for at, height, threshold in zip(curve.x, curve.y, curve.threshold, strict=True):
        line = acting.cost_line(table, threshold)
        np.testing.assert_allclose(np.interp(at, line.x, line.y), height, **CLOSE)


def test_area_of_the_precision_recall_steps_is_average_precision(table):
    curve = of_scores.precision_recall(table)
    assert curve.x.size == table.scores.size
    np.testing.assert_allclose(
        (np.diff(curve.x, prepend=0) * curve.y).sum(), average_precision(table), **CLOSE
    )


def test_area_under_the_gain_curve(table):
    curve = of_scores.precision_recall_gain(table)
    assert curve.x[0] == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(area(curve), area_under_prg(table), **CLOSE)
    p, n = table.n_positive, table.n_negative
    precision = of_scores.precision_recall(table)
    share, at = p / (p + n), np.isin(precision.threshold, curve.threshold)
    expected = (precision.y[at] - share) / ((1 - share) * precision.y[at])
    np.testing.assert_allclose(curve.y[~np.isnan(curve.threshold)], expected, rtol=0, atol=1e-9)


def test_davis_goadrich_area_by_quadrature():
    table = t20()
    tp, fp = (np.concatenate([[0.0], np.cumsum(each)]) for each in (table.positives, table.negatives))
    total = 0.0
    for i in range(tp.size - 1):
        t = np.linspace(tp[i], tp[i + 1], 20001)[1:]
        if tp[i + 1] > tp[i]:
            f = fp[i] + (t - tp[i]) / (tp[i + 1] - tp[i]) * (fp[i + 1] - fp[i])
            total += np.mean(t / (t + f)) * (tp[i + 1] - tp[i])
    np.testing.assert_allclose(interpolated_pr_area(table), total / tp[-1], rtol=0, atol=1e-4)


def test_h_measure_by_quadrature():
    table, c = made(), (np.arange(200_000) + 0.5) / 200_000
    u, n = c * (1 - c), table.n_positive + table.n_negative
    fp, tp = (np.concatenate([[0], np.cumsum(each)]) for each in (table.negatives, table.positives))
    costs = np.min([c * a + (1 - c) * (tp[-1] - b) for a, b in zip(fp, tp, strict=True)], axis=0) / n
    trivial = np.minimum(c * fp[-1], (1 - c) * tp[-1]) / n
    np.testing.assert_allclose(
        h_measure(table, 2, 2), 1 - (costs * u).sum() / (trivial * u).sum(), rtol=0, atol=1e-8
    )


def test_aurc_by_repeated_rows():
    """The mean over all orders of ties, simulated; weights that repeat rows do what repeated rows do."""
    rows = ORACLES["T20"]
    score, positive = np.array(rows["sA"]), np.array(rows["y"], bool)
    w = np.array(ORACLES["weighted_T20"]["w"], np.int64)
    repeated = ScoreTable.from_rows(np.repeat(score, w), np.repeat(positive, w))
    counted = ScoreTable.from_rows(score, positive, frequency=w)
    for each in NEW_MEASURES:
        np.testing.assert_allclose(each(counted), each(repeated), **CLOSE)
    confidence, wrong = np.maximum(score, 1 - score), (score >= 0.5) != positive
    rng = np.random.default_rng(0)
    means = []
    for _ in range(4000):
        order = np.lexsort([rng.random(20), -confidence])
        means.append((np.cumsum(wrong[order]) / np.arange(1, 21)).mean())
    assert abs(np.mean(means) - area_under_risk_coverage(t20())) < 4 * np.std(means) / np.sqrt(4000)


def test_ks_gap_is_the_ks_statistic(table):
    gap = acting.ks_gap(table)
    np.testing.assert_allclose(gap.y[1] - gap.y[0], kolmogorov_smirnov(table), **CLOSE)


def test_lift_is_gain_over_share(table):
    found, share = acting.lift_curve(table), acting.cumulative_gain(table)
    np.testing.assert_allclose(found.y * found.x, share.y[1:], **CLOSE)
    for k in (1, 3):
        if table.is_weighted:
            continue
        tops = acting.precision_at_k(table, k)
        assert 0 <= tops.worst <= tops.value <= tops.best <= 1


def test_every_curve_is_its_table_at_the_threshold(table):
    label, n = table.labels[1], float(table.n_positive + table.n_negative)
    p, neg = float(table.n_positive), float(table.n_negative)
    read = {
        of_scores.roc: lambda tp, fp, fn, tn: (fp / neg, tp / p),
        of_scores.convex_hull: lambda tp, fp, fn, tn: (fp / neg, tp / p),
        of_scores.det: lambda tp, fp, fn, tn: (fp / neg, fn / p),
        of_scores.precision_recall: lambda tp, fp, fn, tn: (tp / p, tp / (tp + fp)),
        acting.cumulative_gain: lambda tp, fp, fn, tn: ((tp + fp) / n, tp / p),
        acting.lift_curve: lambda tp, fp, fn, tn: ((tp + fp) / n, tp / (tp + fp) / (p / n)),
    }
    for make, formula in read.items():
        curve = make(table)
        at = [formula(*map(float, table.at(t).one_vs_rest(label))) for t in curve.threshold]
        np.testing.assert_allclose(np.c_[curve.x, curve.y], at, **CLOSE)
    grid = acting.decision_curve(table, [0.0, 0.25, 0.5, 0.7])
    for t, benefit in zip(grid.x, grid.y, strict=True):
        tp, fp, _, _ = table.at(t).one_vs_rest(label)
        assert benefit == pytest.approx((tp - fp * t / (1 - t)) / n)


def test_net_benefit_at_another_prevalence():
    table = made()
    share = table.n_positive / (table.n_positive + table.n_negative)
    same, own = acting.decision_curve(table, prevalence=share), acting.decision_curve(table)
    np.testing.assert_allclose(same.y, own.y, **CLOSE)
    all_ = acting.treat_all(table, [0.0, 0.1], prevalence=0.1)
    np.testing.assert_allclose(all_.y, [0.1, 0.0], **CLOSE)
    assert not acting.treat_none().y.any()


def test_net_benefit_of_a_prevalence_is_that_of_classes_of_such_weights():
    """At a prevalence of 0 or 1 only the cases of one class count."""
    table, grid = made(), [0.0, 0.25, 0.5]
    weights = (table.n_positive, table.n_negative)
    for prevalence in (0, 0.2, 1):
        times = np.array([prevalence * weights[1], (1 - prevalence) * weights[0]])
        other = replace(table, positives=table.positives * times[0], negatives=table.negatives * times[1])
        for curve in (acting.decision_curve, acting.treat_all):
            found = curve(table, grid, prevalence=prevalence)
            np.testing.assert_allclose(found.y, curve(other, grid).y, **CLOSE)
    for outside in (-0.01, 1.01, np.nan):
        with pytest.raises(InputError, match="prevalence must be a number from 0 to 1"):
            acting.treat_all(table, grid, prevalence=outside)


INCREASING = {
    "denormal": lambda rank: 5e-324 * rank,
    "huge": lambda rank: -1e308 + 2e307 * rank,
    "infinite ends": lambda rank: np.where(rank == rank.max(), np.inf, np.where(rank == 0, -np.inf, rank)),
}


@pytest.mark.parametrize("name", INCREASING)
def test_curves_do_not_change_under_increasing_maps(name):
    table = made(60, decimals=1)
    rank = np.arange(table.scores.size)[::-1].astype(float)
    moved = replace(table, scores=INCREASING[name](rank))
    assert (np.diff(moved.scores) < 0).all()
    for make in (
        of_scores.roc,
        of_scores.convex_hull,
        of_scores.det,
        acting.cumulative_gain,
        acting.lift_curve,
        acting.cost_curve,
    ):
        before, after = make(table), make(moved)
        np.testing.assert_array_equal(before.x, after.x)
        np.testing.assert_array_equal(before.y, after.y)
    for measure in (hull_auc, h_measure, max_f1, area_under_prg):
        assert measure(table) == measure(moved)
    curve = of_scores.roc(moved)
    for t, tpr in zip(curve.threshold[1:], curve.y[1:], strict=True):
        assert moved.at(t).one_vs_rest(True).tp / table.n_positive == tpr


# --- leading axes, kernels, large numbers


@pytest.mark.parametrize("measure", NEW_MEASURES, ids=lambda each: getattr(each, "name", "davis_goadrich"))
def test_leading_axes(measure):
    table = made(80)
    many = replicated(table, 20)
    rows = [
        replace(table, positives=p, negatives=n) for p, n in zip(many.positives, many.negatives, strict=True)
    ]
    np.testing.assert_allclose(measure(many), [measure(each) for each in rows], rtol=0, atol=1e-12)
    shaped = replace(
        many, positives=many.positives.reshape(4, 5, -1), negatives=many.negatives.reshape(4, 5, -1)
    )
    assert measure(shaped).shape == (4, 5)


@pytest.mark.parametrize("interpolation", ["step", "linear"])
def test_readings_have_leading_axes(interpolation):
    table = made(80)
    many = replicated(table, 20)
    for read in (
        lambda t: tpr_at(t, 0.3, interpolation),
        lambda t: fpr_at(t, 0.7, interpolation),
        lambda t: precision_at(t, 0.4),
    ):
        single = [
            read(replace(table, positives=p, negatives=n))
            for p, n in zip(many.positives, many.negatives, strict=True)
        ]
        found = read(many)
        np.testing.assert_array_equal(found.value, [each.value for each in single])
        np.testing.assert_array_equal(found.threshold, [each.threshold for each in single])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kernels_equal_their_twins(dtype):
    table = made(150_000, decimals=9, dtype=dtype)
    assert table.scores.size >= 100_000 or dtype == np.float32
    counts = table.positives, table.negatives
    for kernel, values in ((pool, (*counts, 1)), (greatest_f1, counts), (gain_area, counts)):
        np.testing.assert_allclose(kernel.compiled(*values), kernel.twin(*values), rtol=1e-12)
    for each in (table, made(150_000, decimals=2, dtype=dtype)):
        half = int(each.reached(0.5))
        np.testing.assert_array_equal(mirrored.compiled(each.scores, half), mirrored.twin(each.scores, half))
        arguments = confidence_of(each.scores), half, each.positives, each.negatives
        np.testing.assert_allclose(summed_risk.compiled(*arguments), summed_risk.twin(*arguments), rtol=1e-12)
    assert {"classay.measures.proper_parts.pool", "classay.measures.selective.summed_risk"} <= set(KERNELS)


def test_chain_finishes_what_pruning_leaves(monkeypatch):
    table = made(5000, decimals=9)
    many = replicated(table, 3)
    expected = [areas.hull(each).point for each in (table, many)]
    monkeypatch.setattr(areas, "PASSES", 2)
    for each, points in zip((table, many), expected, strict=True):
        np.testing.assert_array_equal(areas.hull(each).point, points)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30))
def test_hull_is_the_least_concave_curve_above(cells):
    positives, negatives = (np.array(each) for each in zip(*cells, strict=True))
    table = ScoreTable(-np.arange(len(cells)) * 1.0, positives, negatives)
    corners = areas.hull(table)
    assert corners.point[0] == 0
    x, y = corners.fp, corners.tp
    run, rise = np.diff(x), np.diff(y)
    assert (rise[:-1] * run[1:] > rise[1:] * run[:-1]).all()
    fp, tp = np.cumsum(negatives), np.cumsum(positives)
    assert (x[-1], y[-1]) == (fp[-1], tp[-1])
    if x[-1] > 0:
        top = np.interp(fp, x, y)
        assert (tp <= np.where(fp == 0, y[x == 0].max(), top) + 1e-9).all()
    walked = areas._corners(positives, negatives)  # as along leading axes
    for of_walk, of_fit in zip(walked, (corners.point, corners.fp, corners.tp), strict=True):
        np.testing.assert_array_equal(of_walk, of_fit)


def test_large_counts_do_not_overflow():
    cells = np.array([[3, 0], [1, 2], [0, 3]]) * 10**9
    table = ScoreTable(np.array([0.9, 0.5, 0.1]), *cells.T.astype(np.int64))
    small = replace(table, positives=table.positives // 10**9, negatives=table.negatives // 10**9)
    for measure in (hull_auc, h_measure, max_f1, area_under_prg, interpolated_pr_area):
        np.testing.assert_allclose(measure(table), measure(small), rtol=1e-12)


@pytest.mark.parametrize(
    ("n", "ties"),
    [(150_000, 10), (150_000, 0), (10_000_000, 10), pytest.param(10_000_000, 0, marks=pytest.mark.slow)],
)
def test_pairs_of_many_rows_are_counted_exactly(n, ties):
    """Half of the rows of each class: 2.5e13 pairs, counted with Python's whole numbers where there are few scores."""
    rng = np.random.default_rng(0)
    truth = np.arange(n) % 2 == 0
    score = rng.random(n, np.float32) + 0.3 * truth
    score = np.round(score * ties) / ties if ties else score
    table = ScoreTable.from_rows(score, truth)
    if ties:
        wins = above = 0
        for p, q in zip(table.positives.tolist(), table.negatives.tolist(), strict=True):
            wins += 2 * above * q + p * q
            above += p
        expected = wins / (2 * table.n_positive.item() * table.n_negative.item())
    else:
        expected = mannwhitneyu(score[truth][:50_000], score[~truth][:50_000]).statistic / 50_000**2
    assert roc_auc(table) == pytest.approx(expected, abs=1e-12 if ties else 0.01)
    curve = of_scores.roc(table)
    assert (curve.x[-1], curve.y[-1]) == (1, 1)
    assert (np.diff(curve.x) >= 0).all()
    assert (np.diff(curve.y) >= 0).all()
    assert area(curve) == pytest.approx(roc_auc(table), abs=1e-10)
    assert 0 < average_precision(table) < 1


def test_auc_of_extreme_scores():
    rng = np.random.default_rng(0)
    truth, rank = rng.random(500) < 0.4, rng.integers(0, 11, 500).astype(float)
    expected = roc_auc(ScoreTable.from_rows(rank, truth))
    for moved in (5e-324 * rank, 1e308 * (rank / 5 - 1), 1e308 * (rank / 10), rank * 1e-310):
        assert roc_auc(ScoreTable.from_rows(moved, truth)) == expected


def test_scaling_sampling_weights_changes_nothing():
    w = np.array(ORACLES["weighted_T20"]["w"])
    for measure in NEW_MEASURES:
        np.testing.assert_allclose(measure(t20(weight=w)), measure(t20(weight=w * 1e-3)), rtol=1e-9)


# --- degenerate tables


def test_one_class():
    rows = np.array([0.9, 0.5, 0.1])
    only_positive, only_negative = (ScoreTable.from_rows(rows, np.full(3, each)) for each in (True, False))
    for table in (only_positive, only_negative):
        for measure in (hull_auc, h_measure, area_under_prg):
            assert np.isnan(measure(table))
            assert measure.why_undefined(table)
        assert np.isnan(tpr_at(table, 0.1).value)
        assert np.isnan(fpr_at(table, 0.1).threshold)
        assert not of_scores.precision_recall_gain(table).x.size
        np.testing.assert_allclose(area(acting.brier_curve(table)), brier_score(table), **CLOSE)
        for curve in (of_scores.roc(table), of_scores.det(table), of_scores.convex_hull(table)):
            assert np.isnan(curve.x[1:]).all() != np.isnan(curve.y[1:]).all()
        with pytest.raises(InputError, match="both classes"):
            bands.simultaneous_roc_band(table)
    assert max_f1(only_positive) == 1
    assert np.isnan(max_f1(only_negative))
    assert np.isnan(interpolated_pr_area(only_negative))
    assert np.isnan(acting.recall_at_k(only_negative, 1).value)
    # confident and right, sure and wrong as often, then right: risks 1/2, 1/2, 1/3
    assert area_under_risk_coverage(only_positive) == pytest.approx((1 / 2 + 1 / 2 + 1 / 3) / 3)


def test_no_rows():
    empty = ScoreTable.from_rows(np.array([]), np.array([], bool))
    for measure in NEW_MEASURES:
        assert np.isnan(measure(empty))
    for make in (
        of_scores.roc,
        of_scores.convex_hull,
        of_scores.det,
        acting.cumulative_gain,
        acting.lift_curve,
    ):
        assert make(empty).x.size <= 1
    with pytest.raises(InputError, match="0 cases"):
        acting.precision_at_k(empty, 1)


def test_perfect_and_constant_and_inverted():
    perfect, constant, inverted = (TABLES[name] for name in ("perfect", "constant", "inverted"))
    assert [float(m(perfect)) for m in (max_f1, hull_auc, h_measure, area_under_prg)] == [1, 1, 1, 1]
    assert hull_auc(constant) == hull_auc(inverted) == 0.5
    assert h_measure(constant) == pytest.approx(0, abs=1e-12)
    assert h_measure(inverted) == pytest.approx(0, abs=1e-12)
    assert area_under_prg(constant) == pytest.approx(0, abs=1e-12)
    assert area_under_prg(inverted) < 0
    assert of_scores.convex_hull(constant).x.tolist() == [0, 1]
    assert of_scores.precision_recall(constant).y.tolist() == [0.4]
    assert max_f1(constant) == pytest.approx(2 * 0.4 / 1.4)


def test_scores_that_are_no_probabilities_are_refused():
    table = ScoreTable.from_rows(np.array([2.0, -1.0]), np.array([True, False]))
    for make in (acting.brier_curve, acting.decision_curve, of_scores.risk_coverage):
        with pytest.raises(InputError, match="needs probabilities"):
            make(table)
    assert np.isnan(area_under_risk_coverage(table))


def test_wrong_readings_are_refused():
    with pytest.raises(InputError, match="needs either fpr or tpr"):
        threshold_for(t20())
    with pytest.raises(InputError, match="from 0 to 1"):
        tpr_at(t20(), 1.5)
    with pytest.raises(InputError, match=r"at most 20 \(the number of cases\), but is 21"):
        acting.precision_at_k(t20(), 21)
    with pytest.raises(InputError, match="below 1"):
        acting.decision_curve(t20(), [1.0])


# --- readings


def test_readings_are_the_best_attainable(table):
    curve, pr = of_scores.roc(table), of_scores.precision_recall(table)
    for rate in (0.0, 0.1, 0.25, 0.5, 1.0):
        tpr, fpr, precision = tpr_at(table, rate), fpr_at(table, rate), precision_at(table, rate)
        assert tpr.value == curve.y[curve.x <= rate].max()
        assert fpr.value == curve.x[curve.y >= min(rate, curve.y[-1])].min()
        assert precision.value == pytest.approx(pr.y[pr.x >= min(rate, pr.x[-1])].max())
        assert threshold_for(table, fpr=rate) == tpr
        assert threshold_for(table, tpr=rate) == fpr
        at = {t: (x, y) for x, y, t in zip(curve.x, curve.y, curve.threshold, strict=True)}
        assert at[tpr.threshold][1] == tpr.value
        assert at[tpr.threshold][0] <= rate
        assert at[fpr.threshold][0] == fpr.value
        assert tpr_at(table, rate, "linear").value >= tpr.value - 1e-12
        assert fpr_at(table, rate, "linear").value <= fpr.value + 1e-12


# --- bands


@pytest.mark.parametrize("make", [bands.simultaneous_roc_band, bands.pointwise_roc_band])
def test_band_holds_its_curve_and_rises(make):
    several = [tied((80, 20), (20, 80)), tied((5, 0), (3, 1), (0, 2), (1, 40))]
    for table in (t20(), made(), TABLES["constant"], TABLES["perfect"], *several):
        band = make(table)
        assert (np.diff(band.x) >= 0).all()
        for side in (band.low, band.high, band.y):
            assert (np.diff(side) >= -1e-12).all()
        assert (band.low <= band.y + 1e-12).all()
        assert (band.y <= band.high + 1e-12).all()
        np.testing.assert_allclose(area(band), roc_auc(table), **CLOSE)
        assert band.frame().column_names == ["x", "y", "low", "high"]


def tied(*cells):
    """Scores in a few levels: (positives, negatives) at each, from the highest."""
    counts = np.array(cells, float).T
    return ScoreTable(np.arange(len(cells), 0, -1.0), *counts, (0, 1))


def band_at(band, x):
    return np.array([np.interp(x, band.x, each) for each in (band.low, band.high)])


def test_simultaneous_band_of_the_oracle():
    """Rectangles around three points, joined by their corners: B-55a of the statistics pages."""
    band = bands.simultaneous_roc_band(tied((80, 20), (20, 80)), method="Kolmogorov")
    expected = [(0.12, 0, 0.950411465), (0.35, 0.655280868, 0.965949166), (0.8, 0.792886251, 0.996349035)]
    for x, low, high in expected:
        np.testing.assert_allclose(band_at(band, x), [low, high], atol=1e-9)


def test_simultaneous_band_holds_the_hulls_of_its_rectangles():
    table = t20()
    band, curve = bands.simultaneous_roc_band(table, method="DKW"), of_scores.roc(table)
    d_p, d_n = ORACLES["ROC_band_DKW"]["dTPR_P8"], ORACLES["ROC_band_DKW"]["dFPR_N12"]
    for x in np.linspace(0.0013, 0.9987, 97):
        within = np.abs(curve.x - x) <= d_n
        low, high = band_at(band, x)
        assert high >= min(1, curve.y[within].max() + d_p) - 1e-12
        assert low <= max(0, curve.y[within].min() - d_p) + 1e-12


def test_limits_of_rates_hold_all_thresholds_at_once():
    """Exactly as often as asked or more: of each number of cases, all order statistics within their limits."""
    rng = np.random.default_rng(0)
    for m in (1, 2, 7, 40, 150):
        low, high = bands.limits_with_tails(np.arange(m + 1), m, 0.9)
        rates = np.sort(rng.random((4000, m)), axis=1)
        held = (rates <= high[:-1] + 1e-12).all(1) & (rates >= low[1:] - 1e-12).all(1)
        assert held.mean() >= 0.9 - 0.01
        np.testing.assert_allclose(low, 1 - high[::-1], atol=1e-12)  # of the other end
        assert (np.diff(low) >= 0).all()
        wider = bands.limits_with_tails(np.arange(m + 1), m, 0.99)
        assert (wider[0] <= low + 1e-12).all()
        assert (wider[1] >= high - 1e-12).all()


def test_tails_narrow_the_band():
    """Of a good classifier the band of one distance says nothing on the left tenth."""
    rng = np.random.default_rng(0)
    truth = rng.random(285) < 0.37
    table = ScoreTable.from_rows(rng.normal(size=285) + 3.3 * truth, truth)
    plain, ours = (bands.simultaneous_roc_band(table, method=each) for each in ("Kolmogorov", "tails"))
    for x, least, gain in ((0.05, 0.4, 2.0), (0.3, 0.0, 1.4)):
        (low, high), (of_plain, to_plain) = band_at(ours, x), band_at(plain, x)
        assert low >= least
        assert (to_plain - of_plain) / (high - low) > gain
    assert band_at(plain, 0.05).tolist() == [0, 1]


def test_band_of_many_points_is_widened_not_narrowed():
    table = made(250_000, decimals=9)
    exact_width = bands.kolmogorov_distance(int(table.n_positive), bands.each_level(0.95))
    band = bands.simultaneous_roc_band(table)
    assert band.x.size < 30_000
    assert 0 < band.error <= DISPLAY_ERROR / 2
    middle = np.abs(band.x - 0.3).argmin()
    assert band.high[middle] - band.low[middle] > 2 * exact_width
    shown = for_display(band)
    assert shown.error <= DISPLAY_ERROR
    assert bands.pointwise_roc_band(table).error <= DISPLAY_ERROR / 2


def test_bands_refuse_weights():
    with pytest.raises(InputError, match="sampling weights"):
        bands.pointwise_roc_band(TABLES["weighted"])


@pytest.mark.slow
@pytest.mark.parametrize("levels", [0, 2, 3, 5, 11, 51])
def test_simultaneous_band_covers(levels):
    """The whole true curve, of continuous scores (0) and of scores in a few levels, at least as often as the level."""
    rng, hits, rounds = np.random.default_rng(levels), 0, 1000
    cuts = np.linspace(-1.5, 2.5, levels - 1)[::-1] if levels else np.linspace(-6, 7, 4001)[::-1]
    vertices = [np.concatenate([[0], norm.sf(cuts - shift), [1]]) for shift in (0, 1)]
    x = np.linspace(0, 1, 501)[1:-1]
    true = np.interp(x, *vertices)
    for _ in range(rounds):
        score = np.concatenate([rng.normal(size=40) + 1, rng.normal(size=60)])
        score = np.searchsorted(cuts[::-1], score).astype(float) if levels else score
        band = bands.simultaneous_roc_band(ScoreTable.from_rows(score, np.arange(100) < 40))
        low, high = band_at(band, x)
        hits += ((low <= true + 1e-9) & (true <= high + 1e-9)).all()
    assert hits / rounds >= 0.95


# --- simplified for display


LONG = {
    "roc": of_scores.roc,
    "precision_recall": of_scores.precision_recall,
    "gain": of_scores.precision_recall_gain,
    "det": of_scores.det,
    "cumulative": acting.cumulative_gain,
    "lift": acting.lift_curve,
    "ks": lambda table: acting.ks_curves(table)[0],
    "brier": acting.brier_curve,
    "risk": of_scores.risk_coverage,
}


@pytest.mark.parametrize("name", LONG)
def test_simplified_curves_are_within_the_error_stated(name):
    curve = LONG[name](made(60_000, decimals=9))
    shown = for_display(curve)
    allowed = DISPLAY_ERROR * max(1.0, np.ptp(curve.y))
    assert shown.x.size < min(12_000, curve.x.size)
    assert shown.error <= allowed
    assert (shown.x[0], shown.y[-1]) == (curve.x[0], curve.y[-1])
    for k in np.random.default_rng(0).choice(curve.x.size, 3000, replace=False):
        low, high = drawn_at(shown, curve.x[k])
        assert low - shown.error - 1e-12 <= curve.y[k] <= high + shown.error + 1e-12
    again = for_display(shown)
    assert again.error <= allowed


@given(
    st.lists(st.integers(-3, 3), min_size=3, max_size=60), st.sampled_from(["line", "steps", "steps_back"])
)
def test_simplified_random_walks(moves, kind):
    y = np.cumsum(moves) * 0.0001
    curve = Curve("walk", "", np.arange(len(moves)) * 1.0, y, "x", "y", kind=kind)
    shown = for_display(curve, few=0)
    assert shown.error <= DISPLAY_ERROR * (1 + 1e-9)
    for x, height in zip(curve.x, curve.y, strict=True):
        low, high = drawn_at(shown, x)
        assert low - shown.error - 1e-12 <= height <= high + shown.error + 1e-12


def test_simplified_det_is_right_on_its_own_axes():
    curve = of_scores.det(made(100_000, decimals=9))
    shown = for_display(curve)
    assert shown.x.size < curve.x.size / 10
    axis = 2 * norm.ppf(1 - 1e-6)
    x, y = (norm.ppf(np.clip(each, 1e-6, 1 - 1e-6)) for each in (curve.x, curve.y))
    kept = np.isin(curve.threshold, shown.threshold)
    steep = np.flatnonzero(kept)[:-1][np.diff(x[kept]) == 0]  # all heights between two points are drawn there
    off = np.abs(y - np.interp(x, x[kept], y[kept]))
    assert np.sort(off[~np.isin(x, x[steep])])[-1] <= DISPLAY_ERROR * axis


def test_simplifying_keeps_gaps_and_short_curves():
    y = np.linspace(0, 1e-5, 1000)
    y[400:500] = np.nan
    shown = for_display(Curve("gap", "", np.arange(1000.0), y, "x", "y"), few=0)
    assert np.isnan(shown.y).sum() == 2
    assert shown.x.tolist() == [0, 399, 400, 499, 500, 999]
    short = of_scores.roc(TABLES["constant"])
    assert for_display(short) is short
    histogram = score_histograms(made())[0]
    assert for_display(histogram) is histogram


def test_simplifying_an_infinite_axis():
    table = made(5000, decimals=9)
    scores = table.scores.copy()
    scores[0], scores[-1] = np.inf, -np.inf
    for curve in acting.ks_curves(replace(table, scores=scores)):
        assert for_display(curve).error <= DISPLAY_ERROR


# --- pictures


def all_pictures(table=None):
    table = t20() if table is None else table
    return {
        "roc": [of_scores.roc(table).of("a"), of_scores.convex_hull(table)],
        "roc band": [bands.simultaneous_roc_band(table)],
        "precision_recall": [
            of_scores.precision_recall(table),
            of_scores.precision_recall_baseline(table),
        ],
        "gain": [
            of_scores.precision_recall_gain(table),
            of_scores.precision_recall_gain_baseline(),
        ],
        "det": [of_scores.det(table)],
        "cumulative": [acting.cumulative_gain(table), *acting.cumulative_gain_references(table)],
        "lift": [acting.lift_curve(table), acting.lift_reference()],
        "ks": [*acting.ks_curves(table), acting.ks_gap(table)],
        "cost": [acting.cost_curve(table), acting.cost_line(table, 0.5), acting.cost_trivial()],
        "brier": [acting.brier_curve(table), acting.brier_envelope(table), acting.brier_trivial(table)],
        "net_benefit": [acting.decision_curve(table), acting.treat_all(table), acting.treat_none()],
        "risk": [of_scores.risk_coverage(table)],
        "histogram": [*score_histograms(table)],
    }


@pytest.mark.covering(1)
@pytest.mark.parametrize("name", all_pictures())
@pytest.mark.parametrize("kind", ["T20", "perfect", "constant", "inverted"])
def test_every_picture_draws_its_data(name, kind):
    curves = all_pictures(TABLES[kind])[name]
    ax = plot(curves, Figure().subplots())
    lines = {line.get_label(): line for line in ax.get_lines()}
    for curve in curves:
        if curve.kind == "bars":
            continue
        x, y = lines[curve.series or curve.title].get_data()
        if curve.x_scale == "linear":
            shown = starts_at(look_of(curve.name), curve)
            np.testing.assert_array_equal(x[-shown.x.size :], shown.x)
            np.testing.assert_array_equal(y[-shown.y.size :], shown.y)
    (picture,) = pictures(curves)
    assert json.dumps(pointed(picture), allow_nan=False)
    lines = [marks for marks in picture.marks if marks.form != "area"]
    drawn = {marks.name for marks in lines}
    hidden = [each for each in curves if each.series and each.series not in drawn]
    for each in hidden:  # a reference that is the curve itself is not drawn upon it
        assert each.kind == "reference"
        np.testing.assert_allclose(np.interp(each.x, curves[0].x, curves[0].y), each.y, atol=0.03)
    curves = [each for each in curves if each not in hidden]
    assert len(lines) == len(curves) + (curves[0].name == "roc")
    for curve, marks in zip(sorted(curves, key=lambda each: each.kind == "reference"), lines, strict=False):
        if curve.x_scale == "linear" and curve.kind != "bars":
            shown = starts_at(look_of(curve.name), curve)
            np.testing.assert_array_equal(marks.y[-shown.y.size :], shown.y)


def test_plot_through_the_door():
    ax = of_scores.roc(t20()).plot()
    assert ax.get_xlabel() == "false positive rate"
    assert ax.get_aspect() == 1
    matplotlib.pyplot.close("all")


def test_plot_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"classay\[plot\]"):
        of_scores.roc(t20()).plot()


def test_one_picture_one_name():
    with pytest.raises(InputError, match="det, roc"):
        plot([of_scores.roc(t20()), of_scores.det(t20())])
    with pytest.raises(InputError, match="none"):
        plot([])


def test_normal_axes():
    (picture,) = pictures([of_scores.det(t20())])
    assert dict(picture.x.ticks)[0.0] == "50%"
    assert picture.marks[0].texts[1] == "false positive rate 0\nfalse negative rate 0.875"
    assert picture.marks[0].x[0] == picture.x.limits[0]  # a rate of 0 lies on the edge
    assert not picture.is_square
    ax = plot(of_scores.det(t20()), Figure().subplots())
    assert [text.get_text() for text in ax.get_xticklabels()] == [text for _, text in picture.x.ticks]


def test_bands_are_drawn_and_named():
    (picture,) = pictures([bands.simultaneous_roc_band(t20())])
    assert picture.note == "Band: simultaneous 95%, Kolmogorov, Clopper-Pearson in the tails."
    assert picture.marks[-1].form == "area"
    ax = plot(bands.simultaneous_roc_band(t20()), Figure().subplots())
    legend = ax.get_legend().get_texts()[1].get_text().replace("\n", " ")
    assert legend == "simultaneous 95%, Kolmogorov, Clopper-Pearson in the tails"
    steps = Curve(
        "s", "", np.arange(3.0), np.arange(3.0), "x", "y", low=np.arange(3.0) - 1, high=np.arange(3.0) + 1
    )
    for kind, corners in (("steps", [1, 1, 2, 2, 3]), ("steps_back", [1, 2, 2, 3, 3]), ("line", [1, 2, 3])):
        (picture,) = pictures([replace(steps, kind=kind, band="a band")])
        assert picture.marks[-1].y[: len(corners)].tolist() == corners


def test_references_are_told_apart():
    (picture,) = pictures([acting.cumulative_gain(t20()), *acting.cumulative_gain_references(t20())])
    assert picture.legend == ("Cumulative gain", "at random", "perfect ranking")
    assert len({marks.dash for marks in picture.marks[1:]}) == 2


def test_precision_recall_steps_reach_the_axis():
    (picture,) = pictures([of_scores.precision_recall(TABLES["constant"])])
    assert (picture.marks[0].x.tolist(), picture.marks[0].y.tolist()) == ([0.0, 1.0], [0.4, 0.4])
    (single,) = pictures([of_scores.risk_coverage(TABLES["constant"])])
    assert 'class="dot"' in svg(single)


def test_decision_curve_does_not_sink():
    (picture,) = pictures([acting.decision_curve(made()), acting.treat_all(made())])
    assert -0.2 < picture.y.limits[0] < 0


@pytest.mark.parametrize("unit", [None, 0.1, 1 / 3])
def test_the_greatest_distance_is_marked_at_the_highest_of_equal_thresholds(unit):
    """Without the first negative, and with it and the positive, the rates are 1 / 3 apart."""
    scores, positive = np.array([0.9, 0.8, 0.8, 0.7]), np.array([False, True, False, False])
    found = acting.ks_gap(ScoreTable.from_rows(scores, positive, weight=unit and np.full(4, unit)))
    assert found.x.tolist() == [0.9, 0.9]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("bins", [7, 10, 40])
def test_a_score_on_an_edge_of_the_histogram_is_in_the_bar_above(bins, dtype):
    """Of the scores 0 / B to B / B every bar holds one, and the last bar two; times 3, plus 1, too."""
    edges = np.arange(bins + 1) / bins
    for scores in (edges, 3 * edges, 3 * edges + 1, -7 * edges[::-1]):
        table = ScoreTable.from_rows(scores.astype(dtype), np.ones(bins + 1, bool))
        shares = score_histograms(table, bins)[0].y * (bins + 1)
        assert shares.round(9).tolist() == [1.0] * (bins - 1) + [2.0]
