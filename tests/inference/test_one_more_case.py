"""Mean losses and skills: the upper end allows for one more case of the greatest loss (B-55f)."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.inference.scores.linearised import LossMoments
from classay.measures import get
from classay.tables.cases import LossTail

LOSSES = np.array(
    [.01, .02, .005, .03, .9, .015, .04, .01, .02, 2.1, .01, .03, .02, .005, .06, .01, .02, .01, .05, .02]
)  # fmt: skip
MEASURES = ("log_loss", "multiclass_brier_score", "log_loss_skill", "multiclass_brier_skill")
RNG = np.random.default_rng(55)
N = 150
Y = RNG.choice(3, N, p=[0.5, 0.3, 0.2])
X = 3 * (np.arange(3) == Y[:, None]) + RNG.normal(size=(N, 3))
P = np.exp(3 * X) / np.exp(3 * X).sum(1, keepdims=True)


LOG, BRIER = (0.0, float("inf")), (0.0, 2.0)


def moments(losses, bounds=LOG):
    one = np.ones(losses.size, np.int64)
    sums = losses.size, float(losses.sum()), float((losses**2).sum())
    least = np.log(2) if bounds is LOG else 1.0
    return LossMoments.of_cases(losses.size, *sums, LossTail.of(losses, one, one), least)


def estimates(a):
    return {name: (a[name].value, a[name].low, a[name].high, a[name].method) for name in MEASURES}


def same(first, second):
    for name, (*ends, method) in estimates(first).items():
        *others, other = estimates(second)[name]
        assert ends == pytest.approx(others, rel=1e-9)
        assert method == other


def test_oracle_of_twenty_losses():
    found = moments(LOSSES)
    assert found.degrees == pytest.approx(3.3131328772007747)
    assert found.t_interval(0.95, LOG) == pytest.approx((0.02348315397195925, 1.2198345475316081))
    assert found.one_more_case(0.95, LOG) == pytest.approx((0.02348315397195925, 0.9339106478611358))


@pytest.mark.parametrize("bounds", [LOG, BRIER])
def test_intervals_hold_the_value_and_are_nested_in_the_level(bounds):
    losses = moments(np.minimum(LOSSES, bounds[1]), bounds)
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
    """A row added by hand has the loss of the greatest, or of a case that nothing is said of: the plain interval then
    has this upper end."""
    loss = -np.log(P[np.arange(N), Y]) if measure == "log_loss" else ((P - np.eye(3)[Y]) ** 2).sum(1)
    nothing = -np.log(np.bincount(Y) / N).mean()
    least, scale = (nothing, np.log) if measure == "log_loss" else (1.0, lambda x: np.log(x / (2 - x)))
    more = np.append(loss, max(loss.max(), least))
    apart = (more - more.mean()) ** 2
    degrees = 2 * apart.sum() ** 2 / (apart.size * apart.var())
    slope = 1 / more.mean() if measure == "log_loss" else 2 / (more.mean() * (2 - more.mean()))
    half = stats.t.ppf(0.975, degrees) * stats.sem(more) * slope
    a = ca.assess(Y, P)
    assert scale(a[measure].high) == pytest.approx(scale(more.mean()) + half)
    assert a[measure].method.endswith("one pseudo-case added")


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
    whole.changed(cases=cases).save(tmp_path / "old.classay")
    old = ca.load(tmp_path / "old.classay")
    n, total, squares = (float(each) for each in get("log_loss").moments(old.cases))
    se = np.sqrt((squares - total**2 / n) / (n - 1) / n)
    half = stats.t.ppf(0.975, n - 1) * se / (total / n)
    assert old["log_loss"].low == pytest.approx(total / n * np.exp(-half))
    assert "saved without the greatest loss" in old["log_loss"].method
    assert "one pseudo-case added" not in old["log_loss_skill"].method
    same(old + whole, whole + old)
    assert "saved without the greatest loss" in (old + whole)["log_loss"].method


def test_skill_turns_the_loss():
    """With the reference loss taken as known, the ends are 1 minus those of the loss over it."""
    a = ca.assess(np.tile([0, 1, 2], 50), P[np.argsort(np.tile([0, 1, 2], 50), kind="stable")])
    for loss, skill in (("log_loss", "log_loss_skill"), ("multiclass_brier_score", "multiclass_brier_skill")):
        base = np.log(3) if loss == "log_loss" else 2 / 3
        assert a[skill].value == pytest.approx(1 - a[loss].value / base)
        assert a[skill].low < a[skill].value < a[skill].high <= 1


# -- sampling weights and clusters -----------------------------------------------------------------

W = RNG.gamma(2.0, size=N)
CLUSTER = RNG.integers(0, 25, N)


def ends(a):
    return {name: (a[name].low, a[name].high) for name in MEASURES}


def alike(first, second, rel=1e-9):
    for name in MEASURES:
        assert ends(first)[name] == pytest.approx(ends(second)[name], rel=rel), name


def test_one_more_unit_by_hand():
    """The moments with one more value are those of the values with it."""
    apart = LOSSES - LOSSES.mean()
    more = LossMoments.of_clusters(LOSSES.mean(), apart, 4.0, 9.0, LOSSES.size).with_one_more()
    added = max(LOSSES.max(), LOSSES.mean() + (9.0 - LOSSES.mean()) / 4)
    with_it = np.append(LOSSES, added)
    found = [more.n, more.mean, more.squares, more.cubes, more.fourths]
    off = with_it - with_it.mean()
    assert found == pytest.approx([21, with_it.mean(), *((off**power).sum() for power in (2, 3, 4))])


def test_equal_weights_and_clusters_of_one_are_cases_alike():
    plain = ca.assess(Y, P)
    alike(plain, ca.assess(Y, P, weight=np.full(N, 0.3)))
    alone = ca.assess(Y, P, cluster=np.arange(N))
    for name in MEASURES[:2]:
        assert ends(plain)[name] == pytest.approx(ends(alone)[name])
        assert alone[name].method.endswith("one pseudo-case added")


@pytest.mark.parametrize("how", ["weight", "cluster", "both"])
def test_weights_and_clusters_split_permuted_scaled_renamed_and_saved(how, tmp_path):
    def assessed(at=slice(None), unit=1.0, name=lambda codes: codes):
        given = {} if how == "cluster" else {"weight": unit * W[at]}
        given |= {} if how == "weight" else {"cluster": name(CLUSTER[at])}
        return ca.assess(Y[at], P[at], labels=(0, 1, 2), **given)

    whole, order = assessed(), RNG.permutation(N)
    same(whole, assessed(slice(0, 60)) + assessed(slice(60, None)))
    same(whole, assessed(order))
    alike(whole, assessed(unit=1000.0))
    alike(whole, assessed(name=lambda codes: 100 - codes))
    whole.save(tmp_path / "a.classay")
    same(whole, ca.load(tmp_path / "a.classay"))
    for name in MEASURES:
        assert whole[name].method.endswith("one pseudo-case added")
        assert whole[name].low < whole[name].value < whole[name].high


def test_repeated_rows_in_clusters():
    times = RNG.integers(1, 4, N)
    rows = np.repeat(np.arange(N), times)
    alike(
        ca.assess(Y, P, frequency=times, cluster=CLUSTER), ca.assess(Y[rows], P[rows], cluster=CLUSTER[rows])
    )


def test_weighted_files_without_the_tails_keep_the_former_method(tmp_path):
    whole = ca.assess(Y, P, weight=W)
    cases = replace(whole.cases, sums=replace(whole.cases.sums, log_loss_tail=None, brier_tail=None))
    whole.changed(cases=cases).save(tmp_path / "old.classay")
    old, each = ca.load(tmp_path / "old.classay"), -np.log(P[np.arange(N), Y])
    mean, units = np.average(each, weights=W), W.sum() ** 2 / (W**2).sum()
    se = np.sqrt((W**2 * (each - mean) ** 2).sum() * units / (units - 1)) / W.sum()
    half = stats.t.ppf(0.975, units - 1) * se / mean
    assert old["log_loss"].low == pytest.approx(mean * np.exp(-half))
    assert "saved without the greatest loss" in old["log_loss"].method


# -- two classes -------------------------------------------------------------------------------------

TWO = ("log_loss", "brier_score", "log_loss_skill", "brier_skill")
Z = RNG.random(N) < 0.15
S = 1 / (1 + np.exp(-(3 * Z - 2.5 + RNG.normal(size=N))))
GIVEN = {"alike": {}, "weight": {"weight": W}, "cluster": {"cluster": CLUSTER}}


def two_ends(*args, names=TWO, **given):
    a = ca.assess(*args, **given)
    for name in names:
        assert a[name].method.endswith("one pseudo-case added")
    return np.array([(a[name].low, a[name].high) for name in names])


def by_hand(units, more, scale, slope, uneven=0.0):
    """Student's upper end with one more unit, with Satterthwaite's degrees, so many fewer of uneven clusters."""
    with_it = np.append(units, more)
    apart = (with_it - with_it.mean()) ** 2
    alike = with_it.size - uneven
    over = (apart**2).sum() - apart.sum() ** 2 / alike
    degrees = max(1.0, min(alike - 1, 2 * apart.sum() ** 2 / over))
    return scale(with_it.mean()) + stats.t.ppf(0.975, degrees) * stats.sem(with_it) * slope(with_it.mean())


def left_out(units, sizes):
    """The same units, spread as the jackknife of clusters has it: each mean without one against that of all."""
    n, mean = units.size, np.average(units)
    apart = (units - mean) / n
    without = (n - 1) / n * ((apart / (1 - sizes / sizes.sum())) ** 2).sum()
    return mean + (units - mean) * np.sqrt(without / ((apart**2).sum() * n / (n - 1)))


@pytest.mark.parametrize("how", ["alike", "cluster"])
def test_the_upper_end_of_two_classes_is_that_with_one_more_unit(how):
    share = Z.mean()
    for name, loss, least, scale, slope in (
        (
            "log_loss",
            -np.log(np.where(Z, S, 1 - S)),
            -np.log([share, 1 - share]).mean(),
            np.log,
            lambda m: 1 / m,
        ),
        ("brier_score", (Z - S) ** 2, 0.5, lambda m: np.log(m / (1 - m)), lambda m: 1 / (m * (1 - m))),
    ):
        units, more = loss, max(loss.max(), least)
        if (
            how == "cluster"
        ):  # a cluster of the mean size, that lies highest or holds one case of the greatest loss
            number, mean = CLUSTER.max() + 1, loss.mean()
            units = mean + np.bincount(CLUSTER, loss - mean) * number / N
            more = max(units.max(), mean + (more - mean) * number / N)
            units = left_out(units, np.bincount(CLUSTER))
        equal = np.bincount(CLUSTER).sum() ** 2 / (np.bincount(CLUSTER) ** 2).sum() if how == "cluster" else N
        found = two_ends(Z, S, names=[name], **GIVEN[how])[0, 1]
        assert scale(found) == pytest.approx(by_hand(units, more, scale, slope, units.size - equal))


def test_the_upper_end_of_a_skill_allows_for_one_more_like_the_best():
    """Of classes alike the reference loss does not vary: the skill is the mean of 1 - loss / reference."""
    z = np.tile([True, False], N // 2)
    for name, loss, base in (
        ("log_loss_skill", -np.log(np.where(z, S, 1 - S)), np.log(2)),
        ("brier_skill", (z - S) ** 2, 0.25),
    ):
        left = loss / base
        plain, best = (
            -by_hand(part, more, lambda m: -np.log(m), lambda m: 1 / m)
            for part, more in ((left[1:], left[0]), (left, left.min()))
        )
        assert np.log(1 - two_ends(z, S, names=[name])[0, 1]) == pytest.approx(min(plain, best))


@pytest.mark.parametrize("how", list(GIVEN))
def test_two_classes_swapped_permuted_scaled_and_nested_in_the_level(how):
    given, order = GIVEN[how], RNG.permutation(N)
    whole = two_ends(Z, S, **given)
    assert two_ends(~Z, 1 - S, **given) == pytest.approx(whole)
    moved = {name: each[order] for name, each in given.items()}
    assert two_ends(Z[order], S[order], **moved) == pytest.approx(whole)
    if how == "weight":
        assert two_ends(Z, S, weight=1000 * W) == pytest.approx(whole)
        assert two_ends(Z, S, weight=np.full(N, 0.3)) == pytest.approx(two_ends(Z, S))
    ends = np.array([two_ends(Z, S, level=level, **given) for level in (0.5, 0.8, 0.95, 0.99)])
    assert (np.diff(ends[..., 0], axis=0) <= 0).all()
    assert (np.diff(ends[..., 1], axis=0) >= 0).all()


# -- mean probability of a class, calibration in the large -------------------------------------------

MEANS = ("mean_probability_of_positives", "mean_probability_of_negatives")
TRUE = np.arange(N) < 40
SURE = 1 / (1 + np.exp(-(8 * TRUE - 4 + RNG.normal(size=N))))


def mean_ends(y, s, name, **given):
    found = ca.assess(y, s, positive=True, labels=(False, True), **given)[name]
    assert found.method.endswith("t, logit, one pseudo-case added")
    return found.low, found.high


@pytest.mark.parametrize("how", ["alike", "cluster"])
def test_a_class_whose_cases_are_all_sure_allows_for_one_of_even_odds(how):
    """By hand: the end towards 1/2 has a case of 1/2 more, the other end is Student's; both of the class alone."""
    for name, own, loss in ((MEANS[0], TRUE, 1 - SURE), (MEANS[1], ~TRUE, SURE)):
        units, more, alike = loss[own], 0.5, own.sum()
        if how == "cluster":
            _, code = np.unique(CLUSTER[own], return_inverse=True)
            number, mean = code.max() + 1, units.mean()
            units = mean + np.bincount(code, units - mean) * number / own.sum()
            units = left_out(units, np.bincount(code))
            alike = own.sum() ** 2 / (np.bincount(code) ** 2).sum()
        ends = np.array(mean_ends(TRUE, SURE, name, **GIVEN[how]))
        near, far = sorted(1 - ends if name == MEANS[0] else ends)
        to, slope = (lambda m: np.log(m / (1 - m))), (lambda m: 1 / (m * (1 - m)))
        assert to(far) == pytest.approx(by_hand(units, more, to, slope, units.size - alike))
        less = by_hand(1 - units[1:], 1 - units[0], to, slope, units.size - alike)
        assert to(1 - near) == pytest.approx(less)


@pytest.mark.parametrize("how", list(GIVEN))
@pytest.mark.parametrize("score", [S, SURE], ids=["hard", "easy"])
def test_means_of_a_class_are_mirrored_and_know_nothing_of_the_other_class(how, score):
    y, given = TRUE if score is SURE else Z, GIVEN[how]
    for name, other in (MEANS, MEANS[::-1]):
        ends = mean_ends(y, score, name, **given)
        turned = mean_ends(~y, 1 - score, other, **given)
        assert turned == pytest.approx((1 - ends[1], 1 - ends[0]), rel=1e-9)
        own = y == (name == MEANS[0])
        left = own | (np.arange(N) % 3 == 0)
        fewer = {of: each[left] for of, each in given.items()}
        assert mean_ends(y[left], np.where(own, score, 0.3)[left], name, **fewer) == pytest.approx(
            ends, rel=1e-9
        )
        at = [mean_ends(y, score, name, level=level, **given) for level in (0.5, 0.8, 0.95, 0.99)]
        assert (np.diff(np.array(at), axis=0) * [1, -1] < 0).all()


def test_a_mean_hardly_moves_where_half_of_a_class_lies_on_either_side():
    """A case of 1/2 says nothing of a mean of 1/2: the interval is Student's, of the class."""
    p = np.tile([0.2, 0.4, 0.6, 0.8], 15)
    low, high = mean_ends(np.arange(75) < 60, np.append(p, np.full(15, 0.1)), MEANS[0])
    half = 4 * stats.t.ppf(0.975, 59) * stats.sem(p)
    assert np.log(high / (1 - high)) == pytest.approx(half)
    assert low == pytest.approx(1 - high)


def test_one_probability_and_one_case_show_no_spread():
    a = ca.assess(TRUE, np.where(TRUE, 0.7, SURE))
    assert "same probability" in a[MEANS[0]].reason
    assert ca.assess([1, 0, 0, 0], [0.9, 0.1, 0.2, 0.3])[MEANS[0]].reason.startswith("one case of the class")
