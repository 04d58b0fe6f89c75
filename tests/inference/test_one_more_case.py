"""Mean losses and skills of several classes: the upper end allows for one more case of the greatest loss (B-55f)."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.inference.scores.means import LossMoments
from classay.measures import get

LOSSES = np.array(
    [.01, .02, .005, .03, .9, .015, .04, .01, .02, 2.1, .01, .03, .02, .005, .06, .01, .02, .01, .05, .02]
)  # fmt: skip
MEASURES = ("log_loss", "multiclass_brier_score", "log_loss_skill", "multiclass_brier_skill")
RNG = np.random.default_rng(55)
N = 150
Y = RNG.choice(3, N, p=[0.5, 0.3, 0.2])
X = 3 * (np.arange(3) == Y[:, None]) + RNG.normal(size=(N, 3))
P = np.exp(3 * X) / np.exp(3 * X).sum(1, keepdims=True)


def moments(losses):
    return LossMoments(*[float((losses**k).sum()) for k in range(5)], float(losses.max()))


def estimates(a):
    return {name: (a[name].value, a[name].low, a[name].high, a[name].method) for name in MEASURES}


def same(first, second):
    for name, (*ends, method) in estimates(first).items():
        *others, other = estimates(second)[name]
        assert ends == pytest.approx(others, rel=1e-9)
        assert method == other


def test_oracle_of_twenty_losses():
    found = moments(LOSSES)
    bounds = (0.0, float("inf"))
    assert found.degrees == pytest.approx(3.3131328772007747)
    assert found.t_interval(0.95, bounds) == pytest.approx((0.02348315397195925, 1.2198345475316081))
    assert found.one_more_case(0.95, bounds) == pytest.approx((0.02348315397195925, 0.9339106478611358))


@pytest.mark.parametrize("bounds", [(0.0, float("inf")), (0.0, 2.0)])
def test_intervals_hold_the_value_and_are_nested_in_the_level(bounds):
    losses = moments(np.minimum(LOSSES, bounds[1]))
    ends = np.array([losses.one_more_case(level, bounds) for level in (0.5, 0.8, 0.95, 0.99, 0.999)])
    assert (np.diff(ends[:, 0]) < 0).all()
    assert (np.diff(ends[:, 1]) > 0).all()
    assert (ends[:, 0] < losses.mean).all()
    assert (ends[:, 1] > losses.mean).all()
    assert ends.max() <= bounds[1]


def test_degrees_are_satterthwaites_of_the_case_variance():
    apart = (LOSSES - LOSSES.mean()) ** 2
    assert moments(LOSSES).degrees == pytest.approx(2 * apart.sum() ** 2 / (apart.size * apart.var()))


@pytest.mark.parametrize("measure", ["log_loss", "multiclass_brier_score"])
def test_the_upper_end_is_that_with_one_more_row(measure):
    """A row added by hand has the loss of the greatest, or of ln 2 or 1: the plain interval then has this upper end."""
    loss = -np.log(P[np.arange(N), Y]) if measure == "log_loss" else ((P - np.eye(3)[Y]) ** 2).sum(1)
    least, scale = (np.log(2), np.log) if measure == "log_loss" else (1.0, lambda x: np.log(x / (2 - x)))
    more = np.append(loss, max(loss.max(), least))
    apart = (more - more.mean()) ** 2
    degrees = 2 * apart.sum() ** 2 / (apart.size * apart.var())
    slope = 1 / more.mean() if measure == "log_loss" else 2 / (more.mean() * (2 - more.mean()))
    half = stats.t.ppf(0.975, degrees) * stats.sem(more) * slope
    a = ca.assess(Y, P)
    assert scale(a[measure].high) == pytest.approx(scale(more.mean()) + half)
    assert a[measure].method.endswith("one more case")


def test_split_and_merged_permuted_repeated_saved_and_scanned(tmp_path):
    whole = ca.assess(Y, P, labels=(0, 1, 2))
    same(whole, ca.assess(Y[:40], P[:40], labels=(0, 1, 2)) + ca.assess(Y[40:], P[40:], labels=(0, 1, 2)))
    order = RNG.permutation(N)
    same(whole, ca.assess(Y[order], P[order], labels=(0, 1, 2)))
    times = RNG.integers(0, 4, N)
    rows = np.repeat(np.arange(N), times)
    same(ca.assess(Y, P, frequency=times, labels=(0, 1, 2)), ca.assess(Y[rows], P[rows], labels=(0, 1, 2)))
    whole.save(tmp_path / "a.classay")
    same(whole, ca.load(tmp_path / "a.classay"))


def test_files_without_the_tails_keep_the_former_method(tmp_path):
    whole = ca.assess(Y, P)
    cases = replace(whole.cases, sums=replace(whole.cases.sums, log_loss_tail=None, brier_tail=None))
    replace(whole, cases=cases).save(tmp_path / "old.classay")
    old = ca.load(tmp_path / "old.classay")
    n, total, squares = (float(each) for each in get("log_loss").moments(old.cases))
    se = np.sqrt((squares - total**2 / n) / (n - 1) / n)
    half = stats.t.ppf(0.975, n - 1) * se / (total / n)
    assert old["log_loss"].low == pytest.approx(total / n * np.exp(-half))
    assert "saved without the greatest loss" in old["log_loss"].method
    assert "one more case" not in old["log_loss_skill"].method
    same(old + whole, whole + old)
    assert "saved without the greatest loss" in (old + whole)["log_loss"].method


def test_skill_turns_the_loss():
    """With the reference loss taken as known, the ends are 1 less those of the loss over it."""
    a = ca.assess(np.tile([0, 1, 2], 50), P[np.argsort(np.tile([0, 1, 2], 50), kind="stable")])
    for loss, skill in (("log_loss", "log_loss_skill"), ("multiclass_brier_score", "multiclass_brier_skill")):
        base = np.log(3) if loss == "log_loss" else 2 / 3
        assert a[skill].value == pytest.approx(1 - a[loss].value / base)
        assert a[skill].low < a[skill].value < a[skill].high <= 1
