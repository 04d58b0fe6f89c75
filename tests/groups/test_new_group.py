"""Measures in a new group: against metafor, by laws, and with groups of few cases.

python -m tests.groups.test_new_group [SAMPLES] [--new]    # writes docs/evidence/new-groups.md, in 15 minutes

With --new, the tables of the page are kept, and only what was drawn afterwards is simulated again.

Reference values: rma(yi, vi, method = "REML", test = "knha") and predict of metafor 3.8-1, on logit AUC, log O/E and
slope of each group, with variances of DeLong, of a ratio and of the sandwich by statsmodels 0.15.
"""

import sys
import time
from functools import cache
from math import log, sqrt

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from tests.support import afterwards as new
from tests.support.evidence import marked, marks_in, table, tables_of, write_page

import classay as ca
from classay.errors import InputError
from classay.groups.new_group import (
    SCALES,
    confidence_of_new,
    moments_of_log_counts,
    random_effects,
    value_of_group,
    values_of_counts,
)
from classay.inference.design import Design
from classay.measures import get
from classay.tables import ScoreTable

METAFOR = {  # tau2, then on the scale of the method: mean, its limits, those of a new group
    "roc_auc": (
        0.100173565078,
        1.062130165783,
        0.650898037663,
        1.473362293902,
        0.185267107156,
        1.938993224410,
    ),
    "observed_expected_ratio": (
        0,
        -0.023896000294,
        -0.053780654897,
        0.005988654310,
        -0.053780654897,
        0.005988654310,
    ),
    "calibration_slope": (
        0.082780376065,
        0.895332284496,
        0.535183296775,
        1.255481272217,
        0.104544915269,
        1.686119653722,
    ),
}
BCG_Y = (  # log relative risks of 13 trials (Colditz et al. 1994), and their variances
    *(
        -0.8893113339202054,
        -1.5853886572014306,
        -1.3480731482996933,
        -1.4415511900213054,
        -0.2175473222112956,
    ),
    *(-0.7861155858188640, -1.6208982235983918, 0.0119523335238405, -0.4694176487381494, -1.3713448034727844),
    *(-0.3393588283383906, 0.4459134005713787, -0.0173139482168798),
)
BCG_V = (
    *(
        0.32558476500396133,
        0.19458112139814385,
        0.41536796536796539,
        0.02001003190224757,
        0.05121017216963086,
    ),
    *(
        0.00690561845590876,
        0.22301724757231517,
        0.00396157929781773,
        0.05643421046324897,
        0.07302479361302891,
    ),
    *(0.01241221397155972, 0.53250584520015276, 0.07140465968398629),
)


def seven_groups():
    """Scores without draws, so that they are the same everywhere."""
    site = np.repeat(np.arange(7), [40, 60, 80, 100, 120, 50, 90])
    x = np.cos(1.7 * np.arange(site.size)) + 0.3 * np.sin(site)
    slope = np.array([0.6, 1.0, 1.4, 0.8, 1.2, 1.6, 0.4])[site]
    y = np.modf(0.6180339887 * np.arange(site.size))[0] < 1 / (1 + np.exp(-1.5 * slope * x))
    return y, 1 / (1 + np.exp(-1.5 * x)), site


def logit(a):
    return log(a / (1 - a))


def on_scale(measure, value):
    return {"roc_auc": logit, "observed_expected_ratio": log}.get(measure, float)(value)


@pytest.mark.parametrize("measure", METAFOR)
def test_metafor(measure):
    y, p, site = seven_groups()
    if measure == "observed_expected_ratio":  # metafor's variances are those of each group's own positives
        tables = [ScoreTable.from_rows(p[site == k], y[site == k]) for k in range(7)]
        own = [value_of_group(one, Design.of_cases(one), get(measure), SCALES[measure])[:2] for one in tables]
        mean, se, tau2 = random_effects(*np.array(own).T)
        half = 2.4469118511 * se
        expected = pytest.approx(METAFOR[measure][:4], abs=1e-9)
        assert (tau2, mean, mean - half, mean + half) == expected
        return
    found = ca.assess_by(y, p, by=site).prediction_interval(measure, method="Hartung-Knapp")
    ends = (found.mean.value, found.mean.low, found.mean.high, found.prediction.low, found.prediction.high)
    expected = pytest.approx(METAFOR[measure], abs=1e-9)
    assert (found.tau**2, *(on_scale(measure, end) for end in ends)) == expected
    assert (found.groups, found.pseudo_case, found.left_out) == (7, (), ())


def test_metafor_on_the_trials_of_bcg():
    mean, se, tau2 = random_effects(np.array(BCG_Y), np.array(BCG_V))
    assert (tau2, mean, se) == pytest.approx((0.313243258136, -0.714532342158, 0.180791744093), abs=1e-10)


def test_groups_known_exactly_have_the_interval_of_a_normal_sample():
    """Without sampling variances, a new group is mean ± t(k - 1) · s · √(1 + 1 / k)."""
    y = np.array([1.0, 2.0, 4.0, 3.0, 2.5, 0.4])
    half = 2.5705818366 * y.std(ddof=1) * sqrt(1 + 1 / 6)
    low, high = confidence_of_new(y, np.full(6, 1e-12), 0.95)
    assert (low, high) == pytest.approx((y.mean() - half, y.mean() + half), abs=0.02)


def test_moments_of_counts():
    """Against scipy's Poisson distribution; many counts have the moments of the delta method."""
    from scipy.stats import poisson

    rates = np.array([0.05, 0.7, 6.0, 60.0, 1_000.0])
    mean, variance, slope = moments_of_log_counts(rates)
    for at, rate in enumerate(rates[:4]):
        logs = [poisson(one).expect(lambda x: np.log(x + 0.5)) for one in (rate, 1.0001 * rate)]
        squares = poisson(rate).expect(lambda x: np.log(x + 0.5) ** 2)
        assert (mean[at], variance[at]) == pytest.approx((logs[0], squares - logs[0] ** 2), rel=1e-6)
        assert slope[at] == pytest.approx((logs[1] - logs[0]) / log(1.0001), rel=1e-3)
    assert (mean[4], variance[4], slope[4]) == pytest.approx((log(1_000), 1e-3, 1.0))


def test_many_groups_of_few_positives_have_the_true_ratio():
    """Weights that rise with the positives of a group itself gave a mean of 1.10 here."""
    found = []
    for run in range(40):
        rng = np.random.default_rng(run)
        tables = [one_rare_group(rng, "observed_expected_ratio", 0.2) for _ in range(100)]
        values = np.array([one[:2] for one in values_of_counts(tables)]).T
        found.append(random_effects(*values)[0])
    assert np.exp(np.mean(found)) == pytest.approx(1, abs=0.03)


def test_the_variance_of_a_ratio_is_that_of_its_expectation():
    """Groups with the same scores weigh the same, whatever their positives."""
    p = np.linspace(0.02, 0.2, 60)
    tables = [ScoreTable.from_rows(p, np.arange(60) < k) for k in (0, 2, 9, 14)]
    variances = [one.variance for one in values_of_counts(tables)]
    assert variances == pytest.approx([variances[0]] * 4)
    assert not any(one.has_pseudo_case for one in values_of_counts(tables))
    none = ScoreTable.from_rows(np.zeros(3), np.array([1, 0, 0], bool))
    assert values_of_counts([none, *tables])[0] is None
    assert values_of_counts([none]) == [None]


def test_slopes_of_few_cases_of_a_class_have_no_interval():
    rng = np.random.default_rng(0)
    site, p = np.repeat(np.arange(20), 80), expit(rng.normal(-2.5, 1, 1_600))
    y = rng.random(1_600) < p
    groups = ca.assess_by(y, p, by=site)
    slope = groups.prediction_interval("calibration_slope")
    assert not slope.mean.has_interval
    assert "it needs 16 cases of each class in the median group" in slope.sentence
    ratio, auc = (groups.prediction_interval(name) for name in ("o_e", "roc_auc"))
    assert ratio.prediction.has_interval
    assert f"The median group has {ratio.median_rarer_class:g} cases of the rarer class." in ratio.sentence
    assert "median group" not in groups.prediction_interval("o_e", method="Hartung-Knapp").sentence
    assert auc.prediction.has_interval
    assert "median group" not in auc.sentence
    weighted = ca.assess_by(y, p, by=site, weight=rng.random(1_600)).prediction_interval("o_e")
    assert "it needs 16 cases" in weighted.sentence


@pytest.mark.parametrize("variances", [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1e-300, 1.0]])
@pytest.mark.parametrize("scale", [1.0, 1e150])
def test_extreme_values_have_the_interval_of_their_scale(variances, scale):
    y, v = np.array([1.0, 2.0]), np.array(variances)
    low, high = confidence_of_new(y * scale, v * scale * scale, 0.95)
    assert (low / scale, high / scale) == pytest.approx(confidence_of_new(y, v, 0.95), rel=1e-6)
    assert scale <= random_effects(y * scale, v)[0] <= 2 * scale
    low, high = confidence_of_new(y * 1e150, np.ones(2), 0.95)
    exactly = confidence_of_new(y, np.zeros(2), 0.95)
    assert (low / 1e150, high / 1e150) == pytest.approx(exactly, rel=1e-6)


def test_groups_alike_have_no_less_than_their_error():
    """Without any difference between groups, a new one is no better known than the mean of all."""
    low, high = confidence_of_new(np.zeros(8), np.full(8, 0.5), 0.95)
    assert low == pytest.approx(-high)
    assert high == pytest.approx(1.959964 * sqrt(0.5 / 8), abs=1e-3)


def test_the_order_of_groups_and_the_name_of_the_class_do_not_matter():
    y, p, site = seven_groups()
    one = ca.assess_by(y, p, by=site).prediction_interval("roc_auc")
    turned = ca.assess_by(~y, 1 - p, by=6 - site).prediction_interval("roc_auc")
    assert (turned.prediction.low, turned.prediction.high) == pytest.approx(
        (one.prediction.low, one.prediction.high)
    )
    twice = ca.assess_by(y, p, by=site, frequency=np.full(y.size, 2)).prediction_interval("calibration_slope")
    rows = ca.assess_by(np.repeat(y, 2), np.repeat(p, 2), by=np.repeat(site, 2))
    assert twice.prediction == rows.prediction_interval("calibration_slope").prediction


def test_groups_of_few_cases_are_named_and_kept():
    y, p, site = seven_groups()
    few = np.array([1, 0, 1, 0, 0, 0, 0, 0, 0]), np.array([0.9, 0.4, 0.8, 0.3, 0.1, 0.1, 0.2, 0.2, 0.1])
    none = np.zeros(9), few[1]
    sure = np.repeat([1, 0], 10), np.repeat([0.9, 0.1], 10)
    parts = {"few": few, "none": none, "sure": sure}
    y, p = (np.concatenate([first, *(part[i] for part in parts.values())]) for i, first in enumerate((y, p)))
    site = np.concatenate(
        [site.astype(str), *(np.repeat(name, part[0].size) for name, part in parts.items())]
    )
    groups = ca.assess_by(y, p, by=site)
    auc = groups.prediction_interval("roc_auc")
    assert (auc.pseudo_case, auc.left_out, auc.groups) == (("few", "sure"), ("none",), 9)
    assert "pseudo-case" in auc.sentence
    assert "'none'" in auc.sentence
    ratio = groups.prediction_interval("o_e")
    assert (ratio.pseudo_case, ratio.left_out, ratio.groups) == ((), (), 10)
    assert 0 < ratio.prediction.low < ratio.mean.value < ratio.prediction.high
    slope = groups.prediction_interval("calibration_slope")
    assert {"few", "none", "sure"} == {*slope.pseudo_case, *slope.left_out}


def test_a_pseudo_case_is_half_a_case_of_each_class():
    table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.1, 0.2, 0.3, 0.2]), np.array([1, 1, 0, 0, 0, 0], bool))
    found = value_of_group(table, Design.of_cases(table), get("o_e"), SCALES["observed_expected_ratio"])
    assert found.has_pseudo_case
    assert found.value == pytest.approx(log((2 + 0.5) / (2.5 + 0.5)))
    p, ratio = np.array([0.9, 0.8, 0.1, 0.2, 0.3, 0.2, 0.5, 0.5]), 2.5 / 3
    true, weight = np.array([1, 1, 0, 0, 0, 0, 1, 0]), np.array([1, 1, 1, 1, 1, 1, 0.5, 0.5])
    residual = weight @ (true - ratio * p) ** 2 / 2.5**2
    assert residual < found.variance < 1.25 * residual


def test_below_five_groups_and_shared_clusters():
    y, p, site = seven_groups()
    found = ca.assess_by(y[:280], p[:280], by=site[:280]).prediction_interval("roc_auc")
    assert not found.prediction.has_interval
    assert "5 groups" in found.prediction.reason
    assert found.mean.has_interval
    within = ca.assess_by(y, p, by=site, cluster=np.arange(y.size) // 5).prediction_interval("roc_auc")
    assert within.prediction.has_interval
    across = ca.assess_by(y, p, by=site, cluster=np.arange(y.size) % 90).prediction_interval("roc_auc")
    assert "several groups" in across.prediction.reason
    with pytest.raises(InputError, match="no prediction interval of a new group"):
        ca.assess_by(y, p, by=site).prediction_interval("recall")


def test_the_report_says_it_of_many_unordered_groups():
    y, p, site = seven_groups()
    names = np.array([*"abcdefg"])[site]
    groups = ca.assess_by(y, p, by=names)
    assert "If these 7 groups are a sample of many, ROC AUC" in str(groups)
    assert groups.to_dict()["new_group"]["roc_auc"]["groups"] == 7
    assert "new_group" not in ca.assess_by(y, p, by=site).to_dict()  # numbers have an order


def expit(x):
    return 1 / (1 + np.exp(-x))


def one_group(rng, measure, tau, low, high):
    """A group of its own true value, with a log-uniform number of cases."""
    n, moved = int(np.exp(rng.uniform(log(low), log(high)))), rng.normal(0, tau)
    if measure == "roc_auc":
        y = rng.random(n) < rng.uniform(0.1, 0.4)
        return ScoreTable.from_rows(rng.normal(size=n) + sqrt(2) * ndtri(expit(1.4 + moved)) * y, y)
    x = rng.normal(-1.2, 1.2, n)
    slope = measure == "calibration_slope"
    q = expit((1 + moved) * x) if slope else np.minimum(np.exp(moved) * expit(x), 1)
    return ScoreTable.from_rows(expit(x), rng.random(n) < q)


def one_rare_group(rng, measure, tau):
    """A group of 40 to 120 cases of whom about 8% are positive."""
    x, moved = rng.normal(-2.85, 1, rng.integers(40, 121)), rng.normal(0, tau)
    slope = measure == "calibration_slope"
    q = expit((1 + moved) * x) if slope else np.minimum(np.exp(moved) * expit(x), 1)
    return ScoreTable.from_rows(expit(x), rng.random(x.size) < q)


def rare(measure, groups, tau, runs):
    """Mean over groups, whether its interval contains the true one, and the share of new groups in the interval.

    By classay's values, and by those with the variance of each group's own positives.
    """
    from scipy.special import stdtrit

    found, scale, true = [], SCALES[measure], float(measure == "calibration_slope")
    for run in range(runs):
        rng = np.random.default_rng([run, groups, int(100 * tau), 8])
        tables = [one_rare_group(rng, measure, tau) for _ in range(groups)]
        ways = [[value_of_group(one, Design.of_cases(one), get(measure), scale) for one in tables]]
        if not true:
            ways.insert(0, values_of_counts(tables))
        for way in ways:
            y, v = np.array([one[:2] for one in way if one]).T
            mean, se, _ = random_effects(y, v)
            low, high = ndtr((np.array(confidence_of_new(y, v, 0.95)) - true) / tau)
            found.append((mean, abs(mean - true) < stdtrit(y.size - 1, 0.975) * se, high - low))
    return np.array(found).reshape(runs, len(ways), 3)


@cache
def moves_of_ratios():
    """Logarithms of O/E of very many cases by how far a group is moved: less than moved where risks reach 1."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(200)
    p, moves = expit(-1.2 + 1.2 * nodes), np.linspace(-4, 4, 4_001)
    ratios = np.minimum(np.exp(moves)[:, None] * p, 1) @ weights / (p @ weights)
    return np.log(ratios), moves


def moved_to(measure, ends):
    """How far a group is moved whose true value is an end of an interval."""
    if measure == "observed_expected_ratio":
        return np.interp(ends, *moves_of_ratios())
    return ends - {"roc_auc": 1.4, "calibration_slope": 1.0}[measure]


def test_moved_groups_have_the_value_that_is_assumed():
    rng = np.random.default_rng(0)
    table = one_group(rng, "observed_expected_ratio", 0.0, 400_000, 400_001)
    assert moved_to("observed_expected_ratio", log(get("o_e")(table))) == pytest.approx(0, abs=0.01)
    x, move = rng.normal(-1.2, 1.2, 400_000), 0.7
    ratio = np.minimum(np.exp(move) * expit(x), 1).sum() / expit(x).sum()
    assert log(ratio) < move - 0.02
    assert moved_to("observed_expected_ratio", log(ratio)) == pytest.approx(move, abs=0.01)


def coverage(measure, groups, tau, runs, sizes=(30, 300), afterwards=None):
    """The share of new groups in the interval, and its width: by the confidence distribution, and by Hartung-Knapp."""
    from scipy.special import stdtrit

    scale, found = SCALES[measure], []
    for run in range(runs):
        rng = np.random.default_rng([run, groups, int(100 * tau)])
        if afterwards is None:
            tables = [one_group(rng, measure, tau, *sizes) for _ in range(groups)]
        else:
            tables = [afterwards.draw(rng) for _ in range(groups)]
        own = [value_of_group(table, Design.of_cases(table), get(measure), scale) for table in tables]
        known = values_of_counts(tables) if measure == "observed_expected_ratio" else own
        (y, v), (own_y, own_v) = (np.array([one[:2] for one in some if one]).T for some in (known, own))
        mean, se, tau2 = random_effects(own_y, own_v)
        half = stdtrit(own_y.size - 1, 0.975) * sqrt(tau2 + se * se)
        ends = np.array([confidence_of_new(y, v, 0.95), (mean - half, mean + half)])
        if afterwards is not None:
            share = afterwards.shares(ends)
            found.append((share[:, 1] - share[:, 0], ends[:, 1] - ends[:, 0]))
            continue
        moves = moved_to(measure, ends)
        share = ndtr(moves / tau) if tau else (moves > 0).astype(float)
        found.append((share[:, 1] - share[:, 0], ends[:, 1] - ends[:, 0]))
    return np.array(found)


@pytest.mark.slow
@pytest.mark.parametrize("tau", [0.0, 0.2, 0.5])
@pytest.mark.parametrize("groups", [5, 10, 20])
@pytest.mark.parametrize("measure", METAFOR)
def test_a_new_group_is_in_the_interval(measure, groups, tau):
    assert coverage(measure, groups, tau, 300)[:, 0, 0].mean() > 0.91


RISKS, CASES_AT = np.array([0.005, 0.01, 0.02, 0.05, 0.15]), np.array([0.45, 0.3, 0.15, 0.08, 0.02])
"""Five risks of which 1.5% are positive in the mean, and the shares of cases at each."""


class Afterwards:
    """Other forms of `tests.support.afterwards`, for a measure of groups that vary by tau.

    "Rare, larger where it is higher": scores have five values, 5% of the cases are positive (of O/E 1.5%), and groups
    with a higher value have more cases. "A bad part": in 15% of the cases of every group, most negative ones have high
    scores, and most scores are 0 or 1. Of O/E, these scores are the risks, so that the mean ratio is not 1.
    """

    def __init__(self, kind, measure, tau):
        self.kind, self.measure, self.tau = kind, measure, tau
        self.moves = np.linspace(-3, 3, 1_201)
        self.values = np.array([self.value_of(*self.classes(move)) for move in self.moves])

    @property
    def scores(self):
        return (
            RISKS
            if self.kind == new.RARE and self.measure != "roc_auc"
            else np.arange(self.steps + 1) / self.steps
        )

    @property
    def steps(self):
        return 4 if self.kind == new.RARE else 10

    def classes(self, move):
        """The chance of negative and positive cases with each score, `(2, scores)`, in a group that is so far moved."""
        if self.measure != "roc_auc":
            shares, risks = CASES_AT, RISKS
            if self.kind == new.BAD:
                both = new.table_of_bad()
                shares, risks = both.sum(0), both[1] / both.sum(0)
            positive = np.minimum(np.exp(move) * risks, 1)
            return shares * (1 - positive), shares * positive
        apart = sqrt(2) * ndtri(expit(1.4 + move))
        middles, prevalence = np.array([[0.0, apart]]), 0.05
        edges, parts = new.CUTS, np.ones((1, 1, 1))
        if self.kind == new.BAD:
            middles, prevalence = np.array([[-1.3, apart - 1.3], [0.6, apart - 1.3]]), new.POSITIVE
            edges = np.log(EDGES / (1 - EDGES)) / 3
            parts = np.array([1 - new.BAD_SHARE, new.BAD_SHARE])[:, None, None]
        below = np.pad(ndtr(edges - middles[..., None]), ((0, 0), (0, 0), (1, 0)))
        levels = (parts * np.diff(below, axis=-1, append=1)).sum(0)
        return (1 - prevalence) * levels[0], prevalence * levels[1]

    def value_of(self, negative, positive):
        """The value of very many cases, on the scale of the method."""
        if self.measure != "roc_auc":
            return log(positive.sum() / ((negative + positive) @ self.scores))
        lower = np.cumsum(negative) - negative / 2
        return logit(float(positive @ lower / (positive.sum() * negative.sum())))

    def draw(self, rng):
        move = rng.normal(0, self.tau)
        if self.kind == new.RARE:
            n = int(np.clip(300 * np.exp(0.5 * move / self.tau + 0.4 * rng.normal()), 60, 2_000))
        else:
            n = int(np.exp(rng.uniform(log(60), log(400))))
        counts = rng.multinomial(n, np.concatenate(self.classes(move)))
        score = np.tile(self.scores, 2)
        return ScoreTable.from_rows(
            np.repeat(score, counts), np.repeat(np.arange(score.size) >= score.size // 2, counts)
        )

    def shares(self, ends):
        """The share of new groups with a value below each end."""
        return ndtr(np.interp(ends, self.values, self.moves) / self.tau)


EDGES = (np.arange(10) + 0.5) / 10


@pytest.mark.parametrize("measure", ["roc_auc", "observed_expected_ratio"])
@pytest.mark.parametrize("kind", [new.RARE, new.BAD])
def test_groups_drawn_afterwards_have_the_values_that_are_assumed(kind, measure):
    groups = Afterwards(kind, measure, 0.3)
    assert (np.diff(groups.values) > 0).all()
    many = groups.classes(0.2)
    counts = np.rint(np.concatenate(many[::-1]) * 10_000).astype(int)
    is_positive = np.arange(counts.size) < groups.scores.size
    of_many = ScoreTable.from_rows(
        np.repeat(np.tile(groups.scores, 2), counts), np.repeat(is_positive, counts)
    )
    found = on_scale(measure, float(get(measure)(of_many)))
    assert np.interp(0.2, groups.moves, groups.values) == pytest.approx(found, abs=0.03)


BLOCKS = (((30, 300), 5), ((30, 300), 10), ((30, 300), 20), ((20, 80), 10))
CELLS = [(sizes, groups, tau) for sizes, groups in BLOCKS for tau in (0.0, 0.2, 0.5)]
"""Cells of the page: cases of a group, groups, and tau."""
RARE = ((30, 0.2), (100, 0.2), (200, 0.3))
OF_RARE = 200
"""Groups and tau of the table of rare positives, and its samples."""


def of_rare(runs):
    """The table of rare positives."""
    rows = []
    for measure, groups, tau in [
        *(("observed_expected_ratio", *setting) for setting in RARE),
        ("calibration_slope", *RARE[1]),
    ]:
        cells = []
        for mean, holds, share in rare(measure, groups, tau, runs).transpose(1, 2, 0):
            value = scale_back(measure, mean.mean())
            cells.append(f"{value:.3f}, {100 * holds.mean():.0f}%, {100 * share.mean():.1f}%")
        cells = cells if len(cells) > 1 else ["no interval", *cells]
        rows.append((f"{get(measure).title}, {groups} groups, τ {tau:g}", *cells))
        print(*rows[-1], flush=True)
    return table(("setting", "classay", "variances of each group's own positives"), rows)


def scale_back(measure, mean):
    return float(SCALES[measure].back(mean))


HEAD = """# Evidence: a new group

Prediction intervals of a measure in a new group, such as a hospital, from groups that are a sample of many.

{samples:,} samples per setting. A cell gives the mean percentage of new groups in the interval at a level of 95%, with
its Monte-Carlo error. Then it gives the mean width on the scale of the method: logit of the ROC AUC, logarithm of
O/E, the slope as it is. The share of new groups in an interval is calculated, not drawn.

**✗** marks a cell below 93.5% by more than two Monte-Carlo errors, **?** one below it by less. τ is the standard
deviation between groups on the scale of the method. Large O/E vary less, because no risk exceeds 1. At τ 0 all groups
are alike, so that an interval contains all new groups or none. Groups have 30 to 300 cases, or 20 to 80.

Hartung–Knapp is the interval of metafor's `predict(rma(test="knha"))`, with the variance of each group alone. Tests
compare it with metafor's numbers. classay's variances of O/E are from expected counts: a variance from a group's own
count falls with it. So the calibration slope, and O/E with weights or clusters, need 16 cases of each class in the
median group. Most groups of 20–80 cases have fewer: classay then gives no slope, but the table shows it. Just above
that, the interval of the mean slope of 100 groups still held it in 80% of 40 samples.

"Few positives" has {of_rare} samples of groups of 40–120 cases, 8% of them positive. A cell gives the mean over groups
(true: 1), how often its interval contains it, and the mean percentage of new groups in the interval.

"Drawn afterwards" has two populations that were written down after the methods were fixed, and before any sample was
drawn from them. In "rare", scores have five values, and 5% of the cases are positive (1.5% for O/E). Groups have 300
cases in the median, and more where the value is higher. In "a bad part", groups have 60 to 400 cases. In 15% of the
cases, most negative cases have high scores. Most of all scores are 0 or 1. In both populations τ is 0.3.

With few positive cases, intervals of O/E contain 90.7% to 95.0% of new groups in these tables. In a separate run of 500
samples, sizes did not depend on values, and 10 groups of "rare" had 92.7%. If the median group has fewer than 16 cases
of the rarer class, the result has a note.

Of {cells} cells of classay, {hold} are at least 93.5%. The lowest is {lowest:.1f}%. These counts
exclude "Few positives". Of the cells of Hartung–Knapp, {others} are.
"""


def of_both(found, runs):
    """The cells of classay and of Hartung-Knapp."""
    for at in (0, 1):
        held, width = found[:, 0, at], found[:, 1, at]
        mean, error = 100 * held.mean(), 100 * held.std() / sqrt(runs)
        yield marked(f"{mean:.1f} ± {error:.1f}, {width.mean():.3g}", mean, error)


def of_afterwards(runs):
    """The tables of the populations that were drawn after the methods were fixed."""
    names = {new.RARE: "rare, larger where it is higher", new.BAD: "a bad part"}
    rows = []
    for measure in ("roc_auc", "observed_expected_ratio"):
        for kind, name in names.items():
            for groups in (10, 20):
                found = coverage(measure, groups, 0.3, runs, afterwards=Afterwards(kind, measure, 0.3))
                rows.append((f"{get(measure).title}, {name}, {groups} groups", *of_both(found, runs)))
                print(*rows[-1], flush=True)
    return table(("setting", "classay", "Hartung–Knapp"), rows)


def main(runs, *, only_new=False):
    since, sections = time.process_time(), tables_of("new-groups") if only_new else {}
    for measure in METAFOR if not only_new else ():
        rows = []
        for sizes, groups, tau in CELLS:
            found = coverage(measure, groups, tau, runs, sizes)
            rows.append((f"{groups} groups of {sizes[0]}–{sizes[1]}, τ {tau:g}", *of_both(found, runs)))
            print(measure, *rows[-1], flush=True)
        sections[get(measure).title] = table(("setting", "classay", "Hartung–Knapp"), rows)
    if not only_new:
        sections["Few positives"] = of_rare(min(runs, OF_RARE))
    sections["Drawn afterwards"] = of_afterwards(runs)
    counted = [text for title, text in sections.items() if title != "Few positives"]
    (hold, cells, lowest), (others, *_) = (marks_in(counted, column) for column in (1, 2))
    counts = {"cells": cells, "hold": hold, "lowest": lowest, "others": others, "of_rare": min(runs, OF_RARE)}
    head = HEAD.format(samples=runs, **counts)
    write_page("new-groups", head, sections, "tests.groups.test_new_group", since, is_more=only_new)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(*(numbers or [2_000]), only_new="--new" in sys.argv)
