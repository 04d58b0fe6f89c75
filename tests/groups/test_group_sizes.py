"""Sizes of what is claimed of groups: interaction, the worst group, gates of groups and segments.

The populations were written down before anything was run on them, and nothing was tuned on them.
"""

import numpy as np
import pytest

import classay as ca
from classay.groups.interactions import ModelDifference, interaction
from classay.groups.segments import SegmentColumns, find_segments
from classay.inference.proportions import tango
from classay.inference.requirements import Verdict
from classay.inference.significance import adjust, mid_p
from classay.tables import PairedCounts

pytestmark = pytest.mark.slow
SAMPLES, SEARCHES = 2_000, 500
ALPHA = 0.05


def shops(rng, apart=0.0):
    """Twelve shops of 20 to 400 cases; two good models whose errors are correlated, rarely wrong."""
    group = np.repeat(np.arange(12), np.linspace(20, 400, 12).astype(int))
    y = rng.random(group.size) < 0.3
    hard = rng.random(group.size) < 0.1
    wrong = {
        name: (hard & (rng.random(group.size) < 0.6)) | (rng.random(group.size) < 0.02)
        for name in ("new", "old")
    }
    wrong["new"] |= (group == 5) & (rng.random(group.size) < apart)
    return group, y, {name: np.where(each, ~y, y) for name, each in wrong.items()}


def wards(rng, apart=0.0):
    """Forty wards of 30 cases; two poor models with independent errors, whose number differs from ward to ward."""
    group = np.repeat(np.arange(40), 30)
    y = rng.random(group.size) < 0.5
    rate = 0.1 + 0.3 * rng.random(40)[group]
    wrong = {name: rng.random(group.size) < rate for name in ("new", "old")}
    wrong["new"] |= (group == 5) & (rng.random(group.size) < apart)
    return group, y, {name: np.where(each, ~y, y) for name, each in wrong.items()}


def lands(rng, apart=0.0):
    """Four lands of 40, 150, 600 and 2,400 cases; the new model better by 3% in each, errors rare in the largest."""
    group = np.repeat(np.arange(4), (40, 150, 600, 2400))
    y = rng.random(group.size) < 0.2
    rate = np.array([0.3, 0.2, 0.1, 0.06])[group]
    old = rng.random(group.size) < rate
    new = np.where(rng.random(group.size) < 0.7, old, rng.random(group.size) < rate) & (
        rng.random(group.size) < 1 - 0.03 / rate
    )
    new |= (group == 1) & (rng.random(group.size) < apart)
    return group, y, {name: np.where(each, ~y, y) for name, each in (("new", new), ("old", old))}


POPULATIONS = {"shops": shops, "wards": wards, "lands": lands}
RANGES = {"interaction": (0.0, 6.5), "a group differs": (0.0, 6.2), "a group is worse": (0.0, 3.8)}
"""The shares of samples, in percent, in which each may be claimed although nothing is there."""


def claims(group, y, labels):
    """What is claimed of a sample, as `compare` and `gate` find it, with all groups counted at once."""
    right = {name: each == y for name, each in labels.items()}
    size = int(group.max()) + 1
    n = np.bincount(group, minlength=size)
    b, c = (
        np.bincount(group, x & ~o, size)
        for x, o in ((right["new"], right["old"]), (right["old"], right["new"]))
    )
    d = (b - c) / n
    differences = {
        k: ModelDifference(d[k], ((b[k] + c[k]) / n[k] - d[k] ** 2) / (n[k] - 1), n[k] - 1)
        for k in range(size)
    }
    high = tango(PairedCounts(n - b - c, b, c, np.zeros(size)), 1 - ALPHA / size)[1]
    return {
        "interaction": interaction(("new", "old"), "accuracy", differences).p,
        "a group differs": adjust(mid_p(b, c)).min(),
        "a group is worse": 0.0 if (high < 0).any() else 1.0,
    }


def rates(population, samples=SAMPLES, seed=1):
    """The shares of samples with a claim, in percent."""
    rng = np.random.default_rng(seed)
    found = [claims(*population(rng)) for _ in range(samples)]
    return {name: 100 * float(np.mean([each[name] <= ALPHA for each in found])) for name in RANGES}


@pytest.mark.parametrize("name", POPULATIONS)
def test_the_simulation_counts_as_compare_does(name):
    group, y, labels = POPULATIONS[name](np.random.default_rng(5))
    found = ca.compare(y_true=y, y_pred=labels, by=group, measures=["accuracy"])
    made = found.gate("not-worse")
    expected = claims(group, y, labels)
    assert found.interaction("accuracy").p == pytest.approx(expected["interaction"], rel=1e-6)
    assert min(one.p_adjusted for _, one in found.in_groups) == pytest.approx(expected["a group differs"])
    assert bool(made.in_state(Verdict.FAIL)) == (expected["a group is worse"] == 0)


@pytest.mark.parametrize("name", POPULATIONS)
def test_groups_claim_no_more_than_they_say(name):
    """Of the lands the new model is better everywhere, so that only the other claims are false."""
    found = rates(POPULATIONS[name])
    print(name, found)
    for claim, (low, high) in RANGES.items():
        if name != "lands" or claim != "a group differs":
            assert low <= found[claim] <= high, (name, claim, found)


@pytest.mark.parametrize("measure", ["precision", "f1", "recall"])
@pytest.mark.parametrize("population", ["wards", "shops"])
def test_interactions_of_ratios_keep_their_size(measure, population):
    """The degrees of freedom are those of the cases that decide."""
    rng = np.random.default_rng(4)
    found = []
    for _ in range(200):
        group, y, called = POPULATIONS[population](rng)
        made = ca.compare(y_true=y, y_pred=called, by=group, measures=[measure], positive=True)
        found.append(made.interaction(measure).p)
    assert 100 * np.mean(np.array(found) <= ALPHA) <= 5 + 3 * 1.6


def cells(rng, rate, columns=5, levels=6, cases=3000):
    """Columns that overlap in pairs, of unequal levels, and errors that depend on none of them."""
    shares = rng.dirichlet(np.full(levels, 2.0), columns)
    codes = {f"c{k}": rng.choice(levels, cases, p=each) for k, each in enumerate(shares)}
    labels = {name: tuple(range(levels)) for name in codes}
    return SegmentColumns(codes, labels), rng.random(cases) < rate


@pytest.mark.parametrize(("rate", "models"), [(0.02, 1), (0.1, 1), (0.3, 1), (0.1, 2), (0.3, 2)])
def test_no_segment_is_worst_where_errors_depend_on_nothing(rate, models):
    """False alarms of all segments of five columns and their ten pairs together; and the worst one's interval holds."""
    rng = np.random.default_rng(2)
    alarms = covered = 0
    for _ in range(SEARCHES):
        columns, wrong = cells(rng, rate)
        right = {"new": ~wrong} if models == 1 else {"new": ~wrong, "old": rng.random(wrong.size) >= rate}
        found = find_segments(columns, right)
        alarms += bool(found.shown)
        truth = 1 - rate if models == 1 else 0.0
        covered += found.worst.value.low <= truth <= found.worst.value.high
    print(rate, models, 100 * alarms / SEARCHES, 100 * covered / SEARCHES)
    assert 100 * alarms / SEARCHES <= 6.0
    assert 100 * covered / SEARCHES >= 94.0


OF_PROBABILITIES = (
    "mean_probability_of_positives",
    "mean_probability_of_negatives",
    "calibration_in_the_large",
)


@pytest.mark.parametrize(("cases", "distance"), [(60, 1), (60, 3), (30, 4), (60, 4), (200, 4)])
def test_groups_of_an_easy_problem_that_are_alike_seldom_differ(cases, distance):
    """Without one more case of probability 1/2, up to 38% of samples had a difference where classes are 4 apart."""
    rng = np.random.default_rng(8)
    found, group = [], np.repeat(np.arange(6), cases)
    for _ in range(200):
        y = (rng.random(group.size) < 0.3).astype(int)
        z = rng.normal(size=y.size) + distance * y
        p = 1 / (1 + np.exp(-(np.log(3 / 7) + distance * z - distance**2 / 2)))
        s = ca.assess_by(y, p, by=group)
        found.append([min(each.p_adjusted for each in s.compare(name)) <= ALPHA for name in OF_PROBABILITIES])
    assert (100 * np.mean(found, axis=0) <= 5 + 3 * 1.6).all(), np.mean(found, axis=0)
