"""Intervals of rates where two curves cross, and of Murphy's parts."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.assessment.views import sampled_table
from classay.inference.estimate import Estimate
from classay.inference.intervals import estimate
from classay.inference.proportions import normal_quantile
from classay.inference.scores.deviation import gap_covariance
from classay.measures import get
from classay.measures.probability_bins import parted
from classay.measures.registry import FAMILIES
from classay.tables import ScoreTable
from samples import binary_rows

WAYS = ("alike", "weighted", "clustered")
NAMES = (
    "equal_error_rate",
    "recall_at_precision(0.5)",
    "recall_at_specificity(0.8)",
    "interpolated_pr_area",
    "murphy_reliability",
    "murphy_reliability(bins=8)",
    "murphy_resolution",
    "exact_murphy_reliability",
    "exact_murphy_resolution",
    "debiased_murphy_reliability",
)


def assessed(way, seed=0, n=600, levels=20, **more):
    rng = np.random.default_rng(seed)
    truth, score = binary_rows(rng, n, levels=levels, share=0.4)
    given = {
        "alike": {},
        "weighted": {"weight": rng.gamma(4.0, size=n)},
        "clustered": {"cluster": np.arange(n) % 60},
    }
    return ca.assess(truth, score, positive=1, **given[way], **more)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("way", WAYS)
def test_they_have_intervals_that_nest(name, way):
    found = [assessed(way, level=level)[name] for level in (0.8, 0.95, 0.999)]
    if name.startswith("debiased") and way == "clustered":
        assert "independent cases" in found[0].reason
        return
    least, most = get(name).bounds
    for inner, outer in pairwise(found):
        assert least <= outer.low <= inner.low <= inner.value <= inner.high <= outer.high <= most
        assert outer.high - outer.low > inner.high - inner.low


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("specificity", [0.7, 0.9, 0.999])
def test_recall_at_a_specificity_is_read_off_the_roc_curve(way, specificity):
    """The measure and the reading are one quantity: the same ends, and the same reason where there are none."""
    a = assessed(way)
    one, other = a.estimate(f"recall_at_specificity({specificity})"), a.roc.tpr_at(specificity=specificity)
    assert (one.value, one.has_interval, one.reason) == (other.value, other.has_interval, other.reason)
    assert one.has_interval == (specificity < 0.99)
    if one.has_interval:
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-12)
        assert other.method in one.method


@pytest.mark.parametrize("seed", range(5))
def test_equal_error_rate_seen_from_the_other_class(seed):
    """Negated scores and exchanged classes leave both error rates as they are."""
    truth, score = binary_rows(np.random.default_rng(seed), 80, levels=30, share=0.3)
    there = ScoreTable.from_rows(score, truth == 1)
    back = ScoreTable.from_rows(-score, truth != 1)
    one, other = (estimate(get("equal_error_rate"), table) for table in (there, back))
    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), abs=1e-9)


def test_equal_error_rate_is_what_some_threshold_passes():
    """The ends by brute force: the smallest statistic over thresholds, and mixtures of two of them."""
    truth, score = binary_rows(np.random.default_rng(5), 90, levels=12, share=0.4)
    table = ScoreTable.from_rows(score, truth == 1)
    found = estimate(get("equal_error_rate"), table)
    p, n = table.n_positive, table.n_negative
    fpr = np.concatenate([[0], np.cumsum(table.negatives) / n])
    fnr = 1 - np.concatenate([[0], np.cumsum(table.positives) / p])
    mixed = np.linspace(0, fpr.size - 1, 20_001)
    fpr, fnr = (np.interp(mixed, np.arange(each.size), each) for each in (fpr, fnr))

    def least(e):
        return ((n * (fpr - e) ** 2 + p * (fnr - e) ** 2) / (e * (1 - e))).min()

    allowed = normal_quantile(0.95) ** 2
    for end, outwards in ((found.low, -1), (found.high, 1)):
        assert least(end + outwards * 1e-3) > allowed > least(end - outwards * 1e-3)


def test_an_equal_error_rate_of_0_is_no_certainty():
    table = ScoreTable(np.array([0.9, 0.1]), np.array([20, 0]), np.array([0, 30]))
    found = estimate(get("equal_error_rate"), table)
    assert (found.value, found.low) == (0, 0)
    # Wilson's of none of the 20 positives: the threshold may lie anywhere among the negatives
    assert found.high == pytest.approx(1 / (1 + 20 / normal_quantile(0.95) ** 2))


@pytest.mark.parametrize("way", WAYS)
def test_reliability_is_the_square_of_a_calibration_error(way):
    a = assessed(way)
    square, root = a["murphy_reliability"], a["root_mean_squared_calibration_error"]
    assert (square.low, square.high) == pytest.approx((root.low**2, root.high**2))


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.99])
@pytest.mark.parametrize("way", WAYS)
def test_a_root_of_mean_squared_gaps_is_above_the_truth_by_a_norm_of_noise(way, level):
    """The square of the norm has mean trace C and variance 2 tr C², as the gamma distribution here (Satterthwaite)."""
    a = assessed(way).changed(level=level)
    name = "root_mean_squared_calibration_error"
    design = sampled_table(a, a.scores, a.positive).design
    cuts, bins = parted(a.scores, 15)
    root = np.sqrt(bins.share)
    noise = root[:, None] * gap_covariance(a.scores, design, cuts, bins) * root
    mean, variance = noise.trace(), 2 * (noise**2).sum()
    norm = np.sqrt(stats.gamma.ppf((1 + level) / 2, mean**2 / variance, scale=variance / mean))
    wider = design.quantile(level) / normal_quantile(level)
    found = a[name]
    assert found.low == pytest.approx(max(0, found.value - wider * norm))


def test_distinct_probabilities_in_bins_of_their_own_are_those_bins():
    truth, score = binary_rows(np.random.default_rng(6), 300, levels=10, share=0.4)
    score = (np.round(score * 9.99) + 0.5) / 11  # one in the middle of each bin
    a = ca.assess(truth, score, positive=1)
    for part in ("reliability", "resolution"):
        one, other = a[f"exact_murphy_{part}"], a[f"murphy_{part}(bins=11)"]
        assert (one.low, one.high) == pytest.approx((other.low, other.high))


def test_what_says_too_little_has_a_reason():
    a = assessed("alike", n=200, levels=10**6)
    assert "fewer than 5 cases per distinct probability on average" in a["exact_murphy_reliability"].reason
    tp, called = np.array([20, 30, 80]), np.array([20, 60, 200])
    few = ScoreTable(np.array([0.9, 0.5, 0.1]), np.diff(tp, prepend=0), np.diff(called - tp, prepend=0))
    found = estimate(get("recall_at_precision(0.9)"), few)  # 20 cases are called there
    assert found.low == 0
    assert found.method.endswith("from 0, because fewer than 40 cases are predicted positive")
    truth = np.arange(60) % 10 == 0
    never = ca.assess(truth, np.where(truth, 0.2, 0.8), positive=True)["recall_at_precision(0.9)"]
    assert never.value == 0
    assert "no threshold reaches this precision" in never.reason
    few = ca.assess(*binary_rows(np.random.default_rng(0), 60), positive=1, cluster=np.arange(60) % 5)
    assert "only 5 clusters" in few["equal_error_rate"].reason


@pytest.mark.parametrize("seed", range(5))
def test_who_calls_all_cases_misses_none(seed):
    """The less precision is asked for, the surer it is that all may be called, and then the recall is 1."""
    truth, score = binary_rows(np.random.default_rng(seed), 200, share=0.5)
    a, share = ca.assess(truth, score, positive=1), truth.mean()
    found = [a[f"recall_at_precision({share - less:.4f})"] for less in (0.05, 0.1, 0.15)]
    lows = [each.low if each.has_interval else 1 for each in found]
    assert lows == sorted(lows)
    assert lows[-1] > 0.9999


def test_every_measure_on_request_has_an_interval():
    """Of an ordinary sample, of two classes or of several; those with parameters by one of their values."""
    wanted = {"f_beta": 3, "expected_cost": (1, 5), "normalised_expected_cost": 0.3, "net_benefit": 0.3}
    wanted |= {"recall_at_precision": 0.5, "recall_at_specificity": 0.8}
    rng = np.random.default_rng(8)
    truth, score = binary_rows(rng, 600, levels=20, share=0.4)
    two = ca.assess(truth, score, positive=1)
    checked = set()
    for name in FAMILIES:
        given = wanted.get(name, ())
        try:
            made = FAMILIES[name](*(given if isinstance(given, tuple) else (given,)))
            found = two[made.name]
        except ca.ClassayError:
            continue  # needs parameters, or several classes
        checked.add(name)
        assert isinstance(found, Estimate)
        assert found.has_interval, (name, found.reason)
    assert {name.partition("(")[0] for name in NAMES} <= checked
