"""What is said of a proportion is said of 1 minus it, the other way round, at every door of comparisons."""

import numpy as np
import pytest

import classay as ca

N = 240
RNG = np.random.default_rng(5)
Y = (RNG.random(N) < 0.4).astype(int)
SCORES = {name: np.clip(0.3 + 0.3 * Y + RNG.normal(0, 0.25, N), 0, 1) for name in "abcd"}
PAIRS = [
    ("accuracy", "error_rate"),
    ("recall", "false_negative_rate"),
    ("specificity", "false_positive_rate"),
]
PAIRS += [("precision", "false_discovery_rate")]
DRAWN = {
    "cases": {},
    "clusters": {"cluster": np.arange(N) // 4},
    "weights": {"weight": RNG.uniform(1, 3, N)},
    "frequencies": {"frequency": 1 + np.arange(N) % 2},
}


def told(found, sign):
    effect, ends = found.effect, sorted((sign * found.effect.low, sign * found.effect.high))
    numbers = [sign * effect.value, *ends, found.p, found.p_adjusted]
    return numbers, (found.n, found.sample.units, found.method, effect.method)


@pytest.mark.parametrize("how", DRAWN)
@pytest.mark.parametrize("method", [None, "max-t", "delta", "sequential"])
@pytest.mark.parametrize(("measure", "complement"), PAIRS)
def test_a_difference_of_complements_is_negated(measure, complement, method, how):
    if method == "sequential" and (how in ("clusters", "weights") or measure == "precision"):
        return  # refused, for both
    if method == "max-t" and measure == "precision":
        return
    given = {**DRAWN[how], "method": method, **({"control": "c"} if method == "max-t" else {})}
    scores = {name: SCORES[name] for name in "abc"}
    both = (ca.compare(scores, Y, measures=[name], **given) for name in (measure, complement))
    for one, other in zip(*both, strict=True):
        (numbers, words), (turned, same) = told(one, 1), told(other, -1)
        assert turned == pytest.approx(numbers, rel=1e-9, abs=1e-12, nan_ok=True)
        assert same == words


@pytest.mark.covering(1)
@pytest.mark.parametrize("how", DRAWN)
@pytest.mark.parametrize(("measure", "complement"), PAIRS)
def test_a_leaderboard_of_complements_has_the_same_order_and_places(measure, complement, how):
    one, other = (
        ca.compare(SCORES, Y, measures=[name], **DRAWN[how]).leaderboard() for name in (measure, complement)
    )
    for here, there in zip(one.standings, other.standings, strict=True):
        assert (here.model, here.ranks, here.may_be_best) == (there.model, there.ranks, there.may_be_best)
        lead = (there.lead.value, there.lead.high, there.lead.low)
        assert lead == pytest.approx(
            [-each for each in (here.lead.value, here.lead.low, here.lead.high)], rel=1e-9
        )
        own = (there.value.value, there.value.high, there.value.low)
        assert own == pytest.approx(
            [1 - each for each in (here.value.value, here.value.low, here.value.high)]
        )
    assert (one.n, one.units, one.needed) == (other.n, other.units, pytest.approx(other.needed))


@pytest.mark.parametrize("method", [None, "max-t", "sequential"])
@pytest.mark.parametrize(("measure", "complement"), PAIRS[1:3])
def test_a_class_that_no_case_has_gives_both_no_value(measure, complement, method):
    truth = np.full(20, int(measure == "specificity"))
    models = {"a": np.arange(20) % 2, "b": np.arange(20) % 3 // 2}
    how = {"method": method, **({"control": "a"} if method == "max-t" else {})}
    for name in (measure, complement):
        found = ca.compare(None, truth, y_pred=models, labels=[0, 1], positive=1, measures=[name], **how)[0]
        assert np.isnan(found.p)
        assert found.reason
