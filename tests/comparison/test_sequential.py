"""Comparisons that may be looked at after every case; B-34."""

import json
from pathlib import Path

import numpy as np
import pytest

from classay.comparison.cases.sequential import (
    GRID,
    Sequential,
    _stakes,
    betting_e,
    compare_in_order,
    log_e_mcnemar,
    mean_sequence,
    proportion_sequence,
    sequential_losses,
    sequential_mcnemar,
)
from classay.errors import InputError
from classay.inference.significance import mid_p

ORACLES = json.loads((Path(__file__).parents[1] / "oracles" / "statistics.json").read_text())


@pytest.mark.parametrize(("key", "prior"), [("e_mcnemar_half", 0.5), ("e_mcnemar_unif", 1.0)])
def test_e_values(key, prior):
    for counts, expected in ORACLES[key].items():
        b, c = (int(each) for each in counts.strip("()").split(","))
        assert float(np.exp(log_e_mcnemar(b, c, prior))) == pytest.approx(expected, rel=1e-12)


def walk(rejects, until, share=0.5):
    """Exact probability that a rule rejects by so many discordant cases, over all paths of the random walk."""
    alive, rejected = {0: 1.0}, 0.0
    for t in range(1, until + 1):
        moved = {}
        for s, p in alive.items():
            moved[s] = moved.get(s, 0) + p * (1 - share)
            moved[s + 1] = moved.get(s + 1, 0) + p * share
        out = [s for s in moved if rejects(s, t - s)]
        rejected += sum(moved.pop(s) for s in out)
        alive = moved
    return rejected


def test_exact_type_one_error_of_looking_after_every_case():
    found = walk(lambda b, c: log_e_mcnemar(b, c) >= np.log(20), 1000)
    assert found == pytest.approx(ORACLES["e_process_McNemar_type1_T1000"], abs=1e-9)
    peeking = walk(lambda b, c: b + c >= 6 and mid_p(b, c) <= 0.05, 50)
    assert peeking == pytest.approx(0.241427756403, abs=1e-9)  # B-34: what it costs without


def test_proportion_sequence():
    for counts, expected in ORACLES["cs_beta_binomial"].items():
        s, n = (int(each) for each in counts.split("/"))
        assert proportion_sequence(s, n) == pytest.approx(expected, abs=1e-9)
    assert proportion_sequence(100, 100)[1] == 1


def test_proportion_sequence_by_exact_paths():
    s, n = np.meshgrid(np.arange(301), np.arange(301), indexing="ij")
    low, high = proportion_sequence(np.minimum(s, n), n)
    for share, expected in ORACLES["cs_exact_miscoverage_T2000"].items():
        p = float(share)

        def misses(s, f, p=p):
            return not low[s, s + f] <= p <= high[s, s + f]

        assert 0.005 < walk(misses, 300, p) <= expected


def test_a_run_of_labels():
    rng = np.random.default_rng(0)
    a, b = rng.random(500) < 0.9, rng.random(500) < 0.75
    found = sequential_mcnemar(a, b)
    assert found.e.shape == (500,)
    assert (np.diff(found.p) <= 0).all()
    expected = np.exp(log_e_mcnemar((a & ~b).sum(), (b & ~a).sum()))
    assert found.e[-1] == pytest.approx(expected)
    assert found.when(0.05) == np.flatnonzero(np.maximum.accumulate(found.e) >= 20)[0] + 1
    assert sequential_mcnemar(a, a).rejected_at is None
    assert sequential_mcnemar([], []).rejected_at is None
    with pytest.raises(InputError, match="cases"):
        sequential_mcnemar(a, b[:10])


def test_betting():
    assert betting_e([0.2, -0.1, 0.3, 0, 0.25], 0.5)[-1] == pytest.approx(ORACLES["betting_e_lambda.5"])
    with pytest.raises(InputError, match=r"Differences must be in \[-1, 1\], but one is 2"):
        betting_e([2.0], 0.5)
    with pytest.raises(InputError, match="lose everything"):
        betting_e([0.2], 1.0)
    d = np.random.default_rng(0).normal(0.1, 0.2, 400).clip(-1, 1)
    assert sequential_losses(d).rejected_at is not None
    assert sequential_losses(-d).e == pytest.approx(sequential_losses(d).e)
    assert sequential_losses(5 * d, greatest=5).e == pytest.approx(sequential_losses(d).e)
    low, high = mean_sequence(d)
    assert 0 < low[-1] < 0.1 < high[-1]
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) <= 0).all()


def test_no_stake_looks_ahead():
    """Changing later differences changes no earlier evidence."""
    d = np.random.default_rng(0).normal(0.0, 0.2, 50).clip(-1, 1)
    other = np.concatenate([d[:30], -np.abs(d[30:])])
    assert np.array_equal(sequential_losses(d).e[:30], sequential_losses(other).e[:30])
    assert mean_sequence(d)[0][:30] == pytest.approx(mean_sequence(other)[0][:30])


@pytest.mark.slow
def test_mean_sequence_covers_at_all_times():
    rng = np.random.default_rng(0)
    wrong = rejected = 0
    for _ in range(1000):
        d = rng.choice([-0.5, 0.0, 0.1, 1.0], p=[0.2, 0.5, 0.2, 0.1], size=400)  # mean 0.02
        low, high = mean_sequence(d)
        wrong += bool(((low > 0.02) | (high < 0.02) | np.isnan(low)).any())
        signs = rng.choice([-1, 1], size=400)
        rejected += sequential_losses(d * signs).rejected_at is not None
    assert wrong <= 65
    assert rejected <= 65


def test_confidence_sequences_are_rounded_outwards():
    """The limits are means that are excluded, and the next of the grid are left: nothing is cut off between."""
    rng = np.random.default_rng(4)
    d = rng.choice([-0.5, 0.0, 1.0], 60)
    low, high = mean_sequence(d, 0.9)
    x, bets = (d + 1) / 2, _stakes(d, 0.1) * 2
    for limit, side in ((low[-1], 1), (high[-1], -1)):
        inside = (limit + 1) / 2 + side * 1e-9
        for mean, kept in ((inside - side * 2e-9, False), (inside + side / GRID, True)):
            up = np.log1p(np.minimum(bets, 0.5 / mean) * (x - mean)).cumsum()
            down = np.log1p(-np.minimum(bets, 0.5 / (1 - mean)) * (x - mean)).cumsum()
            is_out = (np.maximum(up, down) + np.log(0.5) >= -np.log(0.1)).any()
            assert is_out != kept, (side, kept)


@pytest.mark.parametrize("mean", [0.0, 0.5 / GRID, 1 / GRID, 0.3])
def test_the_limits_stay_around_the_mean_however_many_the_cases(mean):
    """A mean between two that are tried, of which all are out once the cases are many."""
    rng = np.random.default_rng(1)
    d = rng.permutation(np.repeat([mean - 0.02, mean + 0.02], 4000))
    low, high = mean_sequence(d)
    assert (low <= mean).all()
    assert (mean <= high).all()
    assert high[-1] - low[-1] <= 8 / GRID
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) <= 0).all()


def test_cases_that_contradict_every_mean_have_no_interval_and_a_reason():
    up, down = np.ones(500), np.zeros(500)
    found = compare_in_order(np.append(up, down), np.append(down, up), ("a", "b"), measure="accuracy")
    assert not found.effect.has_interval
    assert "contradict" in found.effect.reason


def test_the_first_rejection_is_at_5_percent_and_no_earlier():
    found = Sequential(np.ones(4), np.array([0.2, 0.0501, 0.05, 0.01]), "any", "")
    assert found.rejected_at == found.when(0.05) == 3
    assert (found.when(0.2), found.when(0.001)) == (1, None)


@pytest.mark.parametrize("alpha", [0.05, 0.001])
def test_stakes_are_those_of_the_paper(alpha):
    """Waudby-Smith & Ramdas 2024, eq. 26, of values in [-1, 1]: with the means and squares of the values before."""
    d = np.random.default_rng(3).uniform(-1, 1, 400)
    wanted = []
    for t in range(1, d.size + 1):
        means = [d[:s].sum() / (s + 1) for s in range(1, t)]
        variance = (0.25 + sum((value - mean) ** 2 for value, mean in zip(d, means, strict=False))) / t
        wanted.append(min(np.sqrt(2 * np.log(2 / alpha) / (variance * t * np.log(1 + t))), 0.5))
    assert 0.5 > wanted[-1] > 0
    assert _stakes(d, alpha) == pytest.approx(wanted)
