"""Rounding is no spread: equal differences have no test, models that differ by rounding are alike, by every door."""

import numpy as np
import pytest

import classay as ca
from classay.measures.vocabulary import NOT_PROBABILITIES
from classay.tables.sums import ROUNDING, is_rounding, rounded_difference

N = 120
RNG = np.random.default_rng(14)
Y = np.arange(N) % 2
P = RNG.uniform(0.2, 0.9, N)  # of the true class


def scores(own):
    return np.where(Y == 1, own, 1 - own)


SHIFTED = {"a": scores(P), "b": scores(P * np.exp(-0.03))}  # log-losses that differ by 0.03, but for rounding
NOISY = {"a": scores(P), "b": 1 / (1 + np.exp(-np.log(scores(P) / (1 - scores(P)))))}
HOWS = {
    "cases": {},
    "repeated": {"frequency": RNG.integers(1, 4, N)},
    "weights": {"weight": RNG.uniform(0.5, 2, N)},
    "clusters": {"cluster": np.arange(N) // 3},
}
ASKED = [
    (how, method)
    for how in HOWS
    for method in (None, "permutation", "max-t")
    if (how, method) != ("weights", "permutation")
]


def compared(models, measure, how, method):
    control = "b" if method == "max-t" else None
    return ca.compare(models, Y, measures=[measure], method=method, control=control, **HOWS[how])[0]


@pytest.mark.parametrize(("how", "method"), ASKED)
def test_equal_differences_of_all_cases_have_no_test(how, method):
    found = compared(SHIFTED, "log_loss", how, method)
    assert found.effect.value == pytest.approx(-0.03)
    assert not found.effect.has_interval
    assert np.isnan(found.p)
    assert "no variation" in found.reason or "do not vary" in found.reason


@pytest.mark.parametrize("measure", ["log_loss", "brier_score"])
@pytest.mark.parametrize(("how", "method"), ASKED)
def test_losses_that_differ_by_rounding_are_alike(how, method, measure):
    found = compared(NOISY, measure, how, method)
    assert (found.effect.value, found.p) == (0, 1)
    assert "higher" not in found.sentence


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("measure", ["roc_auc", "prevalence", "accuracy"])
def test_equal_ranks_and_labels_are_alike(how, measure):
    s = np.round(SHIFTED["a"], 1)
    for models in ({"a": s, "b": s**3 / (s**3 + (1 - s) ** 3)}, {"b": s, "a": s.copy()}):
        found = ca.compare(models, Y, measures=[measure], **HOWS[how])[0]
        assert (found.effect.value, found.p) == (0, 1)


def test_saved_losses_that_differ_by_rounding_are_alike():
    ids = np.arange(N)
    saved = {name: ca.assess(Y, each, id=ids) for name, each in NOISY.items()}
    for one in ca.compare(saved, measures=["log_loss", "brier_score", "roc_auc"]):
        assert (one.effect.value, one.p) == (0, 1)


def test_the_best_of_constant_values_has_no_interval():
    weight = HOWS["weights"]["weight"]
    same = {name: np.where(Y == 1, p, 1 - p) for name, p in (("a", 0.7), ("b", 0.6))}
    assert not ca.best_of(same, Y, "log_loss", weight=weight).observed.has_interval


@pytest.mark.wings("resampling")
@pytest.mark.parametrize("method", ["corrected-t", "nadeau-bengio-t", "paired-t"])
def test_folds_that_differ_alike_have_no_test(method):
    a = np.array([0.1 + 0.2, 0.3 + 0.1, 0.7, 0.9])
    found = ca.compare_learners({"a": a, "b": a - 0.1}, ["accuracy"], test_over_train=1 / 3, method=method)[0]
    assert np.isnan(found.p)
    alike = ca.compare_learners(
        {"a": a, "b": a * (1 + 1e-15)}, ["accuracy"], test_over_train=1 / 3, method=method
    )[0]
    assert (alike.effect.value, alike.p) == (0, 1)


@pytest.mark.wings("resampling")
def test_infinite_fold_values_are_refused():
    values = {"a": [0.1, 0.2, 0.3, np.inf], "b": [0.1, 0.2, 0.4, 0.6]}
    with pytest.raises(ca.InputError, match="1 of 4 folds have an undefined or infinite value"):
        ca.compare_learners(values, ["log_loss"], test_over_train=1 / 3)


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1.0, 1e9, 1e200])
def test_rounding_is_relative_to_the_size(scale):
    one, other = np.array([0.1 + 0.2, 0.5, -0.7]) * scale, np.array([0.3, 0.4, -0.7]) * scale
    assert (rounded_difference(one, other) != 0).tolist() == [False, True, False]
    assert (rounded_difference(other, one) == -rounded_difference(one, other)).all()
    assert is_rounding(ROUNDING * scale / 2, scale)
    assert not is_rounding(ROUNDING * scale * 2, scale)
    assert not is_rounding(np.nan, scale)


# -- groups, trends, every interval of an assessment -------------------------------------------------

OF_ONE_LOSS = np.where(Y == 1, 0.7, 0.3) * (1 + 2.2e-16 * RNG.integers(-4, 5, N))
SEVERAL = np.arange(N) % 3
OF_SEVERAL = np.where(np.arange(3) == SEVERAL[:, None], 0.7, 0.15) * (
    1 + 2.2e-16 * RNG.integers(-4, 5, (N, 3))
)


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize(
    ("truth", "score"), [(Y, OF_ONE_LOSS), (SEVERAL, OF_SEVERAL)], ids=["two", "several"]
)
def test_equal_losses_have_no_interval_without_width(truth, score, how):
    for name, each in ca.assess(truth, score, **HOWS[how]).estimates().items():
        if each.has_interval:
            assert each.high - each.low > 1e-6, name


@pytest.mark.parametrize("how", HOWS)
def test_tiny_losses_have_the_spread_that_they_have(how):
    """The spread is relative: losses of 1e-12 vary as those of 0.001. The upper end is that with one more case."""
    apart = RNG.uniform(0.5, 2, N)
    for measure in ("log_loss", "brier_score"):
        ends = []
        for size in (1e-4, 1e-12):
            found = ca.assess(Y, np.where(Y == 1, 1 - size * apart, size * apart), **HOWS[how])[measure]
            ends.append(found.low / found.value)
            assert found.high > found.value
        assert ends[0] == pytest.approx(ends[1], rel=1e-3)


@pytest.mark.parametrize("seed", range(12))
def test_a_perfect_ranking_is_exactly_at_the_end_of_each_range(seed):
    """So that whether it has an interval is no matter of the unit of the weights."""
    random = np.random.default_rng(seed)
    y = np.sort(random.random(60) < 0.4 + seed / 60)
    y[0], y[-1] = False, True
    weight = random.choice([1 / 3, 0.1, 7e-5]) * random.uniform(0.2, 4, y.size)
    a = ca.assess(y, np.linspace(0.1, 0.9, y.size), weight=weight)
    ranking = [
        each
        for each in a.applicable()
        if each.needs == "scores"
        and each.best == each.bounds[1] == 1
        and NOT_PROBABILITIES not in each.undefined
    ]
    assert len(ranking) > 5
    for each in [*ranking, "interpolated_pr_area"]:
        assert a[each].value == 1, each
