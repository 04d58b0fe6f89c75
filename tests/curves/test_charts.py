"""Charts of assessments: their data, readings with intervals, and bands."""

import json
from functools import cache
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.special import ndtr, ndtri
from scipy.stats import ks_2samp

import classay as ca
from classay.assessment.charts import Chart, all_shown
from classay.assessment.remembered import curves_of
from classay.curves import acting, display
from classay.curves.curve import CURVES, PAGE
from classay.curves.display import MARKED, for_display
from classay.errors import InputError
from classay.inference import readings
from classay.inference.bootstrap.score_samples import ScoredCases, grouped
from classay.inference.estimate import bracketed as told
from classay.measures import fpr_at, precision_at, roc_auc, threshold_for, tpr_at
from classay.tables import ScoreTable
from drawn import drawn_at

matplotlib.use("Agg")
ORACLES = {
    name: each["value"]
    for name, each in json.loads((Path(__file__).parents[1] / "oracles" / "curves.json").read_text()).items()
}
PROPERTIES = {
    "roc": "roc", "precision_recall": "precision_recall", "precision_recall_gain": "precision_recall_gain",
    "det": "det", "gain": "cumulative_gain", "lift": "lift", "ks": "ks", "cost": "cost",
    "brier_curve": "brier", "net_benefit": "net_benefit", "calibration": "calibration",
    "histogram": "histogram", "risk_coverage": "risk_coverage",
}  # fmt: skip


def rows(n=300, seed=0, decimals=2, share=0.4, apart=1.5):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < share
    logit = apart * (rng.normal(size=n) + apart * truth) - apart**2 / 2 + np.log(share / (1 - share))
    return truth.astype(int), np.round(1 / (1 + np.exp(-logit)), decimals)


def t20():
    found = ORACLES["T20"]
    return ca.assess(np.array(found["y"]), np.array(found["sA"]))


# --- what there is


def test_every_kind_of_curve_has_a_property():
    a = ca.assess(*rows())
    assert {*PROPERTIES.values()} == {*PAGE}
    for name, kind in PROPERTIES.items():
        chart = getattr(a, name)
        assert chart.name == chart.curve.name == kind
        assert chart.frame().num_rows >= chart.curve.x.size
        assert {each.name for each in chart.curves} == {kind}
        assert "of 300 cases" in repr(chart)


def test_frames_hold_all_points():
    a = ca.assess(*rows(5000, decimals=9))
    assert a.roc.frame().num_rows == 5001
    assert a.roc.frame().column_names == ["x", "y", "threshold", "tp", "fp", "fn", "tn"]
    histogram = a.histogram.frame()
    assert histogram.column_names == ["x", "y", "series"]
    assert {*histogram["series"].to_pylist()} == {"0", "1"}


def test_an_assessment_at_a_threshold_is_its_point_on_the_curves():
    a = ca.assess(*rows())
    roc, pr, det = (
        dict(zip(c.threshold, np.c_[c.x, c.y], strict=True))
        for c in (each.curve for each in (a.roc, a.precision_recall, a.det))
    )
    for t in a.scores.scores[::7]:
        at = a.at(t)
        recall = at["recall"].value
        assert roc[t] == pytest.approx((1 - at["specificity"].value, recall))
        assert pr[t] == pytest.approx((recall, at["precision"].value))
        assert det[t] == pytest.approx((1 - at["specificity"].value, 1 - recall))


def test_several_classes_are_asked_one_by_one():
    rng = np.random.default_rng(0)
    scores = rng.dirichlet(np.ones(3), 90)
    a = ca.assess(rng.integers(0, 3, 90), scores)
    with pytest.raises(InputError, match=r"one_vs_rest\(0\)"):
        a.roc  # noqa: B018
    one = a.one_vs_rest(2)
    np.testing.assert_allclose(np.trapezoid(one.roc.curve.y, one.roc.curve.x), roc_auc(one.scores))


def test_curves_that_do_not_exist_say_why():
    truth, score = rows()
    with pytest.raises(InputError, match="but none were passed"):
        ca.assess(truth, y_pred=truth).precision_recall  # noqa: B018
    with pytest.raises(InputError, match="needs both classes"):
        ca.assess([0, 0], [0.1, 0.2], labels=(0, 1)).roc  # noqa: B018
    logits = ca.assess(truth, 5 * score)
    assert logits.roc.curve.x.size
    for name in ("calibration", "brier_curve", "net_benefit", "risk_coverage"):
        with pytest.raises(InputError, match="needs probabilities"):
            getattr(logits, name)


# --- readings


def test_readings_of_the_oracle():
    a, expected = t20(), ORACLES["TPR_at_FPR_T20"]
    assert a.roc.tpr_at(fpr=0.2).value == expected["step_fpr<=0.2"] == 0.625
    assert a.roc.tpr_at(fpr=0.4).value == expected["step_fpr<=0.4"] == 0.75
    for k, values in ORACLES["topk_T20"].items():
        found = a.gain.precision_at_k(int(k)), a.gain.recall_at_k(int(k)), a.gain.lift_at_k(int(k))
        np.testing.assert_allclose(
            [each.value for each in found], [values[n] for n in ("P_at_k", "R_at_k", "lift")]
        )
    assert a.gain.precision_at_k(6).value == pytest.approx(ORACLES["topk_ties_T20_k6"]["expected"])
    assert a.gain.precision_at_k(6).method.endswith("ties at the cut: 0.667 to 0.833")


@pytest.mark.parametrize("rate", [0.1, 0.25, 0.4, 0.9])
def test_readings_are_those_of_brute_force(rate):
    truth, score = rows()
    a = ca.assess(truth, score)
    at = [(score[truth == 0] >= t, score[truth == 1] >= t) for t in (np.inf, *np.unique(score)[::-1])]
    points = [(fp.mean(), tp.mean(), tp.sum() / max(tp.sum() + fp.sum(), 1)) for fp, tp in at]
    assert a.roc.tpr_at(fpr=rate).value == max(y for x, y, _ in points if x <= rate)
    assert a.roc.fpr_at(tpr=rate).value == min(x for x, y, _ in points if y >= rate)
    assert a.precision_recall.precision_at(recall=rate).value == max(p for _, y, p in points if y >= rate)
    for found in (a.threshold_for(fpr=rate), a.threshold_for(tpr=rate)):
        assert found.low <= found.value <= found.high
    assert (score[truth == 0] >= a.threshold_for(fpr=rate).value).mean() <= rate
    assert (score[truth == 1] >= a.threshold_for(tpr=rate).value).mean() >= rate


@cache
def resampled_tables(n, decimals):
    """The bootstrap as in the books: rows with replacement, a new table; the same draws for all that is read."""
    rng, (truth, score) = np.random.default_rng(1), rows(n, decimals=decimals)
    drawn = (rng.integers(0, n, n) for _ in range(1000))
    return [ScoreTable.from_rows(score[at], truth[at].astype(bool)) for at in drawn]


@pytest.mark.parametrize("decimals", [1, 9])
@pytest.mark.parametrize("rate", [0.1, 0.3, 0.8])
def test_thresholds_are_drawn_as_by_resampling_rows(rate, decimals):
    truth, score = rows(120, decimals=decimals)
    table = ScoreTable.from_rows(score, truth.astype(bool))
    for drawer, how in ((readings._by_negatives, "fpr"), (readings._by_positives, "tpr")):
        sizes = float(table.n_positive), float(table.n_negative)
        drawn, _ = drawer(table, sizes, rate, np.random.default_rng(0))
        expected = [threshold_for(each, **{how: rate}).threshold for each in resampled_tables(120, decimals)]
        finite = [np.nan_to_num(each, posinf=2.0) for each in (drawn, expected)]
        assert ks_2samp(*finite, method="asymp").pvalue > 1e-3, how


@pytest.mark.parametrize("decimals", [2, 9])
@pytest.mark.parametrize(
    ("read", "value"),
    [
        (lambda cases: readings.tpr_at(cases, 0.3), lambda table: tpr_at(table, 0.3).value),
        (lambda cases: readings.fpr_at(cases, 0.8), lambda table: fpr_at(table, 0.8).value),
        (lambda cases: readings.precision_at(cases, 0.7), lambda table: precision_at(table, 0.7).value),
        (lambda cases: readings.top_of_list(cases, 120, acting.precision_at_k),
         lambda table: acting.precision_at_k(table, 120).value),
        (lambda cases: readings.top_of_list(cases, 120, acting.recall_at_k),
         lambda table: acting.recall_at_k(table, 120).value),
        (lambda cases: readings.top_of_list(cases, 120, acting.lift_at_k),
         lambda table: acting.lift_at_k(table, 120).value),
    ],
)  # fmt: skip
def test_intervals_of_many_cases_are_those_of_resampled_rows(read, value, decimals):
    truth, score = rows(600, decimals=decimals)
    found = read(ScoredCases(ScoreTable.from_rows(score, truth.astype(bool))))
    low, high = np.quantile([value(each) for each in resampled_tables(600, decimals)], [0.025, 0.975])
    wide = high - low
    np.testing.assert_allclose([found.low, found.high], [low, high], atol=0.15 * wide)


@pytest.mark.parametrize("weight", [None, np.linspace(0.2, 3, 300)])
def test_each_row_a_cluster_is_the_case_alone(weight):
    truth, score = rows()
    plain = ca.assess(truth, score, weight=weight)
    alone = ca.assess(truth, score, weight=weight, cluster=np.arange(300))
    for read in (
        lambda a: a.roc.tpr_at(fpr=0.2),
        lambda a: a.precision_recall.precision_at(recall=0.5),
        lambda a: a.gain.recall_at_k(50),
        lambda a: a.threshold_for(fpr=0.2),
    ):
        one, other = read(plain), read(alone)
        assert one.value == pytest.approx(other.value)
        np.testing.assert_allclose([one.low, one.high], [other.low, other.high], atol=0.01)


def test_weights_of_one_size_change_nothing():
    truth, score = rows()
    plain, threes = ca.assess(truth, score), ca.assess(truth, score, weight=np.full(300, 3.0))
    for name in ("tpr_at", "fpr_at", "threshold_for"):
        at = {"fpr": 0.2} if name != "fpr_at" else {"tpr": 0.8}
        one, other = (getattr(each.roc, name)(**at) for each in (plain, threes))
        np.testing.assert_allclose([one.low, one.high], [other.low, other.high], atol=0.01)


def test_resamples_are_those_of_rows():
    truth, score = rows(200)
    cases = ScoredCases(ScoreTable.from_rows(score, truth.astype(bool)))
    drawn = [precision_at(each, 0.5).value for each in cases.resamples(2000, "test")]
    expected = [precision_at(each, 0.5).value for each in resampled_tables(200, 2)]
    assert ks_2samp(drawn, expected, method="asymp").pvalue > 1e-3


def test_clusters_make_intervals_wider():
    truth, score = rows(100)
    repeated = np.tile(truth, 10), np.tile(score, 10)
    wide = ca.assess(*repeated, cluster=np.tile(np.arange(100), 10)).roc.tpr_at(fpr=0.2)
    narrow = ca.assess(*repeated).roc.tpr_at(fpr=0.2)
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


def test_what_has_no_interval_says_why():
    truth, score = rows()
    a = ca.assess(truth, score)
    assert "too few" in a.roc.tpr_at(fpr=0.001).reason
    assert "too few" in a.threshold_for(tpr=0.999).reason
    few = ca.assess(truth, score, cluster=np.arange(300) % 7)
    assert "only 7 clusters" in few.roc.tpr_at(fpr=0.2).reason
    perfect = ca.assess([0] * 20 + [1] * 20, [0.1] * 20 + [0.9] * 20)
    assert 0.7 < perfect.roc.tpr_at(fpr=0.2).low < perfect.roc.tpr_at(fpr=0.2).high == 1
    for found in (perfect.gain.precision_at_k(10), perfect.precision_recall.precision_at(recall=0.5)):
        assert 0.6 < found.low < found.high == found.value == 1
    with pytest.raises(InputError, match="from 0 to 1"):
        a.roc.tpr_at(fpr=20)
    with pytest.raises(InputError, match="needs either fpr or tpr"):
        a.threshold_for()


def test_the_seed_alone_decides():
    truth, score = rows()
    one, same, other = (ca.assess(truth, score, seed=seed).roc for seed in (0, 0, 1))
    assert one.fpr_at(tpr=0.5) is not None
    assert one.tpr_at(fpr=0.2) == same.tpr_at(fpr=0.2) != other.tpr_at(fpr=0.2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "share", "apart", "rate"),
    [(100, 0.3, 1.0, 0.1), (100, 0.5, 2.0, 0.1), (300, 0.1, 1.5, 0.1),
     (1000, 0.3, 3.0, 0.1), (200, 0.5, 2.0, 0.02), (60, 0.5, 3.0, 0.2)],
)  # fmt: skip
def test_rates_at_rates_cover(n, share, apart, rate):
    rng, hits = np.random.default_rng(0), np.zeros(2)
    truths = ndtr(ndtri(rate) + apart), ndtr(ndtri(1 - rate) - apart)
    got = np.zeros(2)
    for i in range(1000):
        positive = rng.random(n) < share
        positive[:2], positive[2:4] = True, False
        table = ScoreTable.from_rows(rng.normal(size=n) + apart * positive, positive)
        cases = ScoredCases(table, seed=i)
        for j, found in enumerate((readings.tpr_at(cases, rate), readings.fpr_at(cases, 1 - rate))):
            got[j] += found.has_interval
            hits[j] += found.low <= truths[j] <= found.high
    assert (hits / got > 0.92).all(), hits / got
    assert (got > 700).all() or n * min(share, 1 - share) * rate < 4


# --- bands


@pytest.mark.parametrize("name", [name for name in PROPERTIES if name not in ("histogram", "ks")])
def test_bands_hold_their_curves(name):
    chart = getattr(ca.assess(*rows(600)), name)
    band = chart.band()
    inside = np.isfinite(band.low) & np.isfinite(band.high)
    assert inside.mean() > 0.9
    assert (band.low[inside] <= band.high[inside]).all()
    held = (band.low[inside] <= band.y[inside] + 1e-9) & (band.y[inside] <= band.high[inside] + 1e-9)
    assert held.mean() > (0.7 if name == "calibration" else 0.95)
    assert band.band
    assert "low" in band.frame().column_names


def test_bands_by_name():
    roc = ca.assess(*rows(400)).roc
    assert roc.band().band.startswith("simultaneous 95%")
    assert roc.band("pointwise").band.startswith("pointwise 95%, Clopper")
    assert roc.band("bootstrap").band == "pointwise 95%, cohort bootstrap of 500"
    with pytest.raises(
        InputError, match=r"Unknown band 'both'. Bands: 'simultaneous', 'pointwise', 'bootstrap'"
    ):
        roc.band("both")
    truth, score = rows(400)
    clustered = ca.assess(truth, score, cluster=np.arange(400) % 50)
    assert "cluster bootstrap" in clustered.roc.band("bootstrap").band
    assert "cluster bootstrap" in clustered.net_benefit.band().band
    for band in (clustered.roc.band, clustered.calibration.band):
        with pytest.raises(InputError, match="cluster"):
            band()
    weighted = ca.assess(truth, score, weight=np.linspace(0.5, 2, 400))
    assert "Bayesian bootstrap" in weighted.lift.band().band
    assert "Bayesian bootstrap" in weighted.roc.band("bootstrap").band
    for name in ("simultaneous", "pointwise"):
        with pytest.raises(InputError, match=r"sampling weights\. Use a\.roc\.band\('bootstrap'\)"):
            weighted.roc.band(name)
    with pytest.raises(InputError, match="only 7 clusters"):
        ca.assess(truth, score, cluster=np.arange(400) % 7).lift.band()


def test_weighted_resamples_have_the_linearised_variance():
    """Of a rate, Σ w² (y - rate)² / (Σ w)², whichever rows share a score."""
    rng = np.random.default_rng(0)
    truth, score, weight = *rows(500, decimals=1), rng.random(500) + 0.2
    cases = ca.assess(truth, score, weight=weight).scored_cases
    drawn = [1 - each.at(0.5).counts[0, 1] / each.n_positive for each in cases.resamples(4000, "test")]
    of, hit = weight[truth == 1], (score >= 0.5)[truth == 1]
    rate = (of * hit).sum() / of.sum()
    assert np.mean(drawn) == pytest.approx(rate, abs=0.002)
    expected = np.sqrt((of**2 * (hit - rate) ** 2).sum()) / of.sum()
    assert np.std(drawn) == pytest.approx(expected, rel=0.04)


@pytest.mark.parametrize("name", [name for name in PROPERTIES if name not in ("histogram", "ks")])
@pytest.mark.parametrize("of_clusters", [True, False])
def test_every_curve_has_a_band_with_weights_and_in_clusters_or_says_why(name, of_clusters):
    truth, score = rows(120)
    given = {"cluster": np.arange(120) // 4} if of_clusters else {"weight": np.linspace(0.5, 2, 120)}
    chart = getattr(ca.assess(truth, score, **given), name)
    if name == "calibration" and of_clusters:
        with pytest.raises(InputError, match="needs independent cases, but these cases are in clusters"):
            chart.band()
        return
    band = chart.band("bootstrap") if name == "roc" else chart.band()
    inside = np.isfinite(band.low) & np.isfinite(band.high)
    assert inside.mean() > 0.9
    assert (band.low[inside] <= band.high[inside]).all()


@pytest.mark.slow
def test_weighted_bands_cover_pointwise():
    rng, places = np.random.default_rng(0), np.array([0.1, 0.2, 0.3, 0.5, 0.7])
    true, hits = ndtr(ndtri(places) + 1), np.zeros(5)
    for i in range(300):
        positive = rng.random(600) < 0.4
        score = rng.normal(size=600) + positive
        chance = np.where(score > 0.5, 0.9, 0.3)
        kept = rng.random(600) < chance
        a = ca.assess(positive[kept], score[kept], weight=1 / chance[kept], seed=i)
        band = a.roc.band("bootstrap")
        at = np.searchsorted(band.x, places - 1e-9)
        hits += (band.low[at] <= true) & (true <= band.high[at])
    assert (hits / 300 > 0.9).all(), hits / 300


@pytest.mark.slow
def test_bootstrap_bands_cover_pointwise():
    """At a fixed FPR the band holds the true curve about as often as its level says."""
    rng, places = np.random.default_rng(0), np.array([0.1, 0.2, 0.3, 0.5, 0.7])
    true, hits = ndtr(ndtri(places) + 1), np.zeros(5)
    for i in range(400):
        positive = rng.random(300) < 0.4
        band = ca.assess(positive, rng.normal(size=300) + positive, seed=i).roc.band("bootstrap")
        at = np.searchsorted(band.x, places - 1e-9)
        hits += (band.low[at] <= true) & (true <= band.high[at])
    assert (hits / 400 > 0.9).all(), hits / 400


def test_grouped_scores_keep_the_curve():
    truth, score = rows(100_000, decimals=12, share=0.01)
    table = ScoreTable.from_rows(score, truth.astype(bool))
    small = grouped(table, 1000)
    assert small.scores.size <= 1000
    assert (small.n_positive, small.n_negative) == (table.n_positive, table.n_negative)
    for t in small.scores[::50]:
        assert (small.at(t).counts == table.at(t).counts).all()
    for read in (lambda t: tpr_at(t, 0.1).value, lambda t: fpr_at(t, 0.9).value):
        assert abs(read(small) - read(table)) <= 2 / 1000 + 1 / float(table.n_positive)


# --- pictures


def lines(ax, gid):
    return [line for line in ax.get_lines() if line.get_gid() == gid]


def test_the_legend_has_the_area_with_its_interval_and_the_label():
    a, b = ca.assess(*rows(200, 0)), ca.assess(*rows(200, 1))
    ax = b.roc.plot(a.roc.plot(Figure().subplots()), label="new")
    mine = [line.get_label() for line in lines(ax, "classay curve")]
    assert mine == [f"AUC {told(a['roc_auc'])}", f"new, AUC {told(b['roc_auc'])}"]
    [line] = lines(a.precision_recall.plot(Figure().subplots(), label="old"), "classay curve")
    assert line.get_label() == f"old, AP {told(a['average_precision'])}"
    [line] = lines(a.det.plot(Figure().subplots(), label="old"), "classay curve")
    assert line.get_label() == "old"


@pytest.mark.parametrize(("width", "inches"), [("one column", 3.5), ("two columns", 7.2)])
def test_axes_are_as_wide_as_a_column_and_written_as_vectors(tmp_path, width, inches):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    ax = ca.assess(*rows(100, 0)).roc.plot(width=width)
    assert ax.figure.get_figwidth() == inches
    ax.figure.savefig(tmp_path / "roc.pdf")
    assert (tmp_path / "roc.pdf").read_bytes().startswith(b"%PDF")
    pyplot.close(ax.figure)
    with pytest.raises(InputError, match="one column"):
        ca.assess(*rows(100, 0)).roc.plot(width="wide")


def test_several_models_share_axes():
    a, b = ca.assess(*rows(200, 0)), ca.assess(*rows(200, 1))
    ax = Figure().subplots()
    assert a.roc.of("forest").plot(ax) is b.roc.of("logistic").plot(ax) is ax
    forest, logistic = lines(ax, "classay curve")
    said = [f"{name}, AUC {told(each['roc_auc'])}" for name, each in (("forest", a), ("logistic", b))]
    assert [forest.get_label(), logistic.get_label()] == said
    assert forest.get_color() != logistic.get_color()
    np.testing.assert_array_equal(forest.get_xydata(), np.c_[a.roc.curve.x, a.roc.curve.y])
    assert [line.get_label() for line in lines(ax, "classay reference")] == ["no skill"]
    a.roc.hull.plot(ax)
    assert len(lines(ax, "classay curve")) == 3
    in_a_line = [each.get_text().replace("\nAUC", ", AUC") for each in ax.get_legend().get_texts()]
    assert in_a_line == [
        *said,
        "convex hull",
        "no skill",
    ]


def test_further_curves_never_shrink_the_axes():
    steep, flat = ca.assess(*rows(300, share=0.1, apart=3)), ca.assess(*rows(300, share=0.5, apart=1))
    for first, second in ((steep, flat), (flat, steep)):
        ax = Figure().subplots()
        first.lift.of("first").plot(ax)
        second.lift.of("second").plot(ax)
        assert ax.get_ylim()[1] >= max(each.lift.curve.y.max() for each in (steep, flat))


@pytest.mark.parametrize("name", PROPERTIES)
def test_every_chart_is_drawn(name):
    chart = getattr(ca.assess(*rows(200)), name)
    ax = chart.plot(Figure().subplots())
    assert ax.get_xlabel() == chart.curve.x_title
    drawn = [each for each in chart.curves if each.kind not in ("reference", "bars")]
    assert len(lines(ax, "classay curve")) == len(drawn)
    if name not in ("histogram", "ks"):
        chart.band().plot(Figure().subplots())


# --- few points


def worst(curve, shown):
    """The greatest distance of some of a curve's points, both ends among them, from what is drawn."""
    size = curve.x.size
    some = np.unique(
        np.r_[: min(size, 500), np.linspace(0, size - 1, 2000).astype(int), max(0, size - 500) : size]
    )
    off = []
    for k in some:
        # sums of weights in another order move a vertical stretch by a rounding error
        near = [drawn_at(shown, curve.x[k] + side) for side in (-1e-9, 0, 1e-9)]
        off.append(max(min(near)[0] - curve.y[k], curve.y[k] - max(high for _, high in near)))
    return max(off)


@pytest.mark.parametrize("name", ["roc", "precision_recall", "gain", "lift", "det", "cost", "calibration"])
@pytest.mark.parametrize("error", [0.0005, 0.005])
def test_few_points_show_a_curve(name, error):
    curve = getattr(ca.assess(*rows(3000, decimals=12)), name).curve
    shown = for_display(curve, error, few=10)
    assert shown.error <= error * max(1, np.nanmax(curve.y))
    assert shown.x.size <= min(curve.x.size, 3 / error)
    assert worst(curve, shown) <= shown.error + 1e-12
    assert np.isin(shown.x, curve.x).all()
    assert name in ("lift", "calibration") or error < 0.01 or shown.x.size < 300


@pytest.mark.slow
def test_curves_of_many_rows_in_the_json():
    a = ca.assess(*rows(1_500_000, decimals=15))
    for name, curve in curves_of(a).items():
        assert curve.error <= 0.0005 * max(1.0, float(np.nanmax(curve.y))), name
        assert curve.x.size < 6000, name
    assert curves_of(a)["roc"].x.size < 600


@pytest.mark.parametrize("weight", [None, "sampling"])
def test_thinned_tables_show_the_same(monkeypatch, weight):
    monkeypatch.setattr(display, "MANY", 10_000)
    truth, score = rows(80_000, decimals=15, share=0.05)
    w = None if weight is None else np.random.default_rng(0).random(truth.size) + 0.1
    table = ScoreTable.from_rows(score, truth.astype(bool), weight=w)
    thin = display.thinned(table)
    assert thin.scores.size < 0.8 * table.scores.size
    np.testing.assert_allclose([thin.n_positive, thin.n_negative], [table.n_positive, table.n_negative])
    for name, kind in ((each, CURVES[each]) for each in PAGE):
        if not kind.thins:
            continue
        for exact, shown in zip(
            Chart(name, ScoredCases(table)).curves, Chart(name, ScoredCases(table)).shown, strict=True
        ):
            if exact.kind == "reference":
                continue
            top = max(1.0, float(np.abs(exact.y).max()))
            assert shown.error <= display.DISPLAY_ERROR * top * 1.01
            assert worst(exact, shown) <= shown.error + 1e-9, name


def test_every_picture_at_once():
    cases = ca.assess(*rows(500)).scored_cases
    assert [*all_shown(cases)] == [*PAGE]


def test_a_narrow_legend_stays_inside_its_axes():
    """Names and areas in one column of a paper; a band has the same options as its curve."""
    rng = np.random.default_rng(2)
    truth = rng.random(200) < 0.4
    a = ca.assess(truth, truth + rng.normal(size=200), threshold=0.5)
    ax = a.roc.plot(width="one column", label="CA-125 (U/ml), second series")
    a.roc.plot(ax, label="HE4")
    for axes in (ax, a.roc.band().plot(width="one column", label="CA-125, AUC 0.77 [0.70, 0.83]")):
        axes.figure.canvas.draw()
        legend, frame = axes.get_legend().get_window_extent(), axes.get_window_extent()
        assert legend.x0 >= frame.x0 - 1
        assert legend.x1 <= frame.x1 + 1
        assert axes.figure.get_size_inches()[0] == 3.5


@pytest.mark.parametrize("name", MARKED)
def test_a_picture_marks_the_point_of_a_threshold(name):
    y, p = [1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1]
    a = ca.assess(y, p)
    plain, ax = (a.curve(name).plot(Figure().subplots(), **which) for which in ({}, {"threshold": 0.6}))
    assert len(ax.get_lines()) > len(plain.get_lines())
    (mark,) = (line for line in ax.get_lines() if line.get_label() == "threshold 0.6")
    at = ca.assess(y, [score >= 0.6 for score in p])
    if name == "roc":
        assert mark.get_xydata().tolist() == [[pytest.approx(0.25), pytest.approx(at["recall"].value)]]


def test_a_threshold_without_a_place_is_refused_in_words():
    a = ca.assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
    with pytest.raises(ca.InputError, match=r"The DET curve cannot mark a threshold\. Remove threshold="):
        a.det.plot(threshold=0.6)
    with pytest.raises(ca.InputError, match="threshold must be a number"):
        a.roc.plot(threshold="high")


def test_few_points_are_drawn_as_they_are_and_thinned_ones_with_their_error(monkeypatch):
    table = ScoreTable.from_rows(np.linspace(0.01, 0.99, 5_000), np.arange(5_000) % 3 == 0)
    chart = Chart("roc", ScoredCases(table))
    assert chart.kind.thins
    few = chart.shown
    assert [curve.error for curve in few] == [display.for_display(curve).error for curve in chart.curves]
    monkeypatch.setattr(display, "MANY", 1_000)
    thinned = Chart("roc", ScoredCases(table)).shown
    assert display.thinned(table) is not table
    for one, other in zip(few, thinned, strict=True):
        assert one.kind == "reference" or other.error > one.error
