"""Reviews with a price: the thresholds by brute force and Chow's rule, the expected cost, and what is refused."""

import numpy as np
import pytest

import classay as ca
from classay.errors import InputError
from command import call, refusal


def cases(n=300, seed=3, decimals=2):
    """Calibrated probabilities with labels."""
    rng = np.random.default_rng(seed)
    p = np.round(rng.beta(0.8, 1.5, n), decimals)
    return (rng.random(n) < p).astype(int), p


def least_by_trial(y, p, fp, fn, review):
    """The least mean cost of any two thresholds."""
    cuts = [*np.unique(p), np.inf]
    return min(
        np.where(p < low, fn * y, np.where(p < high, review, fp * (1 - y))).mean()
        for low in cuts
        for high in cuts
        if low <= high
    )


@pytest.mark.parametrize("prices", [(5, 50, 1), (1, 5, 0.3), (1, 1, 0.2), (10, 1, 0.85)])
def test_no_two_thresholds_cost_less(prices):
    fp, fn, review = prices
    y, p = cases(120, decimals=1)
    found = ca.assess(y, p).threshold(cost={"fp": fp, "fn": fn, "review": review})
    assert found.cost == pytest.approx(least_by_trial(y, p, fp, fn, review))
    assert found.without == pytest.approx(least_by_trial(y, p, fp, fn, 1e9))
    called = np.array([-1 if one is None else one for one in found.decisions(p)])
    cost = np.where(called == -1, review, np.where(called == 1, fp * (1 - y), fn * y)).mean()
    assert cost == pytest.approx(found.cost)
    assert found.counts.tolist() == [[((called == c) & (y == t)).sum() for t in (0, 1)] for c in (0, -1, 1)]


def test_chows_rule_on_many_cases():
    """Of calibrated probabilities: negative at p <= d / fn, positive at p >= 1 - d / fp."""
    y, p = cases(200_000, decimals=3)
    found = ca.assess(y, p).threshold(cost={"fp": 1, "fn": 5, "review": 0.3})
    assert (found.low, found.high) == pytest.approx((0.3 / 5, 1 - 0.3 / 1), abs=0.02)
    assert found.expected.low < found.cost < found.expected.high


def test_methods_name_the_thresholds_and_how_the_interval_is_found():
    y, p = cases()
    r = ca.assess(y, p).threshold(cost={"fp": 1, "fn": 5, "review": 0.3})
    said = r.methods_text()
    assert (
        f"Cases with scores from {r.low:.3f} to below {r.high:.3f} are reviewed ({100 * r.share:.1f}%" in said
    )
    assert "widened by the move" in said
    assert "Efron 1983" in said
    assert r.sentences[0].startswith(f"Review cases with scores from {r.low:.3f} to below {r.high:.3f}: ")
    one = ca.assess([1] * 30, [0.5] * 30, labels=[0, 1]).threshold(cost={"fp": 1, "fn": 5, "review": 0.5})
    assert "No case is reviewed. All cases are predicted positive." in one.methods_text()


def test_a_class_turned_around():
    y, p = cases()
    one = ca.assess(y, p).threshold(cost={"fp": 1, "fn": 5, "review": 0.3})
    other = ca.assess(1 - y, 1 - p).threshold(cost={"fp": 5, "fn": 1, "review": 0.3})
    assert (other.cost, other.share) == pytest.approx((one.cost, one.share))
    assert other.expected.value == pytest.approx(one.expected.value, abs=0.02)


def test_frequencies_are_rows():
    y, p = cases(100)
    prices = {"fp": 1, "fn": 5, "review": 0.3}
    twice = ca.assess(np.repeat(y, 2), np.repeat(p, 2)).threshold(cost=prices)
    once = ca.assess(y, p, frequency=np.full(100, 2)).threshold(cost=prices)
    assert (once.low, once.high, once.cost, once.expected) == (
        twice.low,
        twice.high,
        twice.cost,
        twice.expected,
    )


def test_reviews_that_never_pay_are_refused():
    y, p = cases()
    a = ca.assess(y, p)
    with pytest.raises(InputError, match=r"nothing would be reviewed.* at most 0\.8333"):
        a.threshold(cost={"fp": 1, "fn": 5, "review": 0.84})
    with pytest.raises(InputError, match="everything would be reviewed"):
        a.threshold(cost={"fp": 1, "fn": 5, "review": 0})
    with pytest.raises(InputError, match="fn is 'amount'"):
        a.threshold(cost={"fp": 1, "fn": "amount", "review": 0.3})
    with pytest.raises(InputError, match="cannot be combined"):
        a.threshold(cost={"fp": 1, "fn": 5, "review": 0.3}, where="recall >= 0.5")
    with pytest.raises(InputError, match="with clusters"):
        ca.assess(y, p, cluster=np.arange(300) // 3).threshold(cost={"fp": 1, "fn": 5, "review": 0.3})
    with pytest.raises(InputError, match="Unknown cost 'review'"):
        a.expected_cost({"fp": 1, "fn": 5, "review": 0.3})


def test_one_class_needs_no_threshold():
    r = ca.assess([1] * 30, [0.5] * 30, labels=[0, 1]).threshold(cost={"fp": 1, "fn": 5, "review": 0.5})
    assert r.sentences[0] == "Reviews lower the cost for no case. All cases are predicted positive."


def test_scores_without_an_error_are_no_proof():
    """The upper limit is at least the normal one, on the logit scale, with one more case of the greatest cost."""
    y, p = np.repeat([0, 0, 1, 1], [40, 30, 40, 20]), np.repeat([0.0, 0.5, 0.5, 1.0], [40, 30, 40, 20])
    r = ca.assess(y, p).threshold(cost={"fp": 1, "fn": 20, "review": 0.3})
    assert r.counts.tolist() == [[40, 0], [30, 40], [0, 20]]
    costs = np.append(np.where(p == 0.5, 0.3, 0.0), 20)
    mean, error = costs.mean(), costs.std(ddof=1) / np.sqrt(costs.size)
    odds = mean / (20 - mean) * np.exp(1.959964 * error * 20 / (mean * (20 - mean)))
    assert r.expected.high == pytest.approx(20 * odds / (1 + odds), rel=1e-6)
    assert r.expected.high > 4 * r.cost


@pytest.mark.parametrize("fn", [1, 5])
@pytest.mark.parametrize("n", [200, 600, 6_000])
def test_limits_rise_with_the_first_errors(n, fn):
    """The limit with one error lies between those without any and with two, though one case has all of the spread."""
    highs = []
    for errors in range(3):
        y, p = np.arange(n) % 2, np.where(np.arange(n) % 2, 0.8, 0.2)
        p[1 : 2 * errors : 2] = 0.2
        found = ca.assess(y, p).threshold(cost={"fp": 1, "fn": fn, "review": 0.4}).expected
        assert found.low <= found.value <= found.high
        highs.append(found.high)
    assert highs[0] < highs[1] < highs[2] < 100 * fn / n


def test_a_cost_that_rests_on_one_error():
    """Its upper limit is about that of one error by Clopper and Pearson, with the reviews."""
    level = np.arange(1_000) % 12
    y = np.zeros(1_000, int)
    y[[0, *np.flatnonzero(level > 8)[:9]]] = 1
    r = ca.assess(y, level / 40).threshold(cost={"fp": 1, "fn": 100, "review": 0.5})
    assert r.counts[0].tolist() == [750, 1]
    assert r.cost == pytest.approx(0.1 + 0.1245)
    assert 100 * 0.00556 < r.expected.high < 100 * 0.00556 + 2 * 0.1245  # Clopper-Pearson: 1 of 1,000


def test_few_cases_with_few_levels_are_warned_of():
    y, p = cases(50, decimals=1)
    prices = {"fp": 1, "fn": 5, "review": 0.3}
    few = ca.assess(y, np.round(p * 5) / 5).threshold(cost=prices)
    assert "miss the true cost in 1 of 10 samples" in few.warnings[0].text
    weighted = ca.assess(y, np.round(p * 5) / 5, weight=1000 + np.arange(50)).threshold(cost=prices)
    assert "miss the true cost in 1 of 10 samples" in weighted.warnings[0].text
    assert not ca.assess(*cases()).threshold(cost=prices).warnings


def test_the_command(tmp_path, monkeypatch):
    y, p = cases()
    (tmp_path / "p.csv").write_text("y,p\n" + "\n".join(f"{a},{b}" for a, b in zip(y, p, strict=True)))
    monkeypatch.chdir(tmp_path)
    row = ("p.csv", "--truth", "y", "--score", "p", "--cost", "fp=1", "--cost", "fn=5")
    done = call("decide", *row, "--cost", "review=0.3")
    found = ca.assess(y, p).threshold(cost={"fp": 1, "fn": 5, "review": 0.3})
    assert done.exit_code == 0
    assert f"{found.expected.value:.3f}" in done.stdout
    for arguments, said in (
        (("decide", *row, "--cost", "review=2"), "nothing would be reviewed"),
        (("assess", *row, "--cost", "review=0.3"), "Nothing is reviewed here"),
        (("decide", *row, "--cost", "review=0.3", "--top", "5"), "--top"),
    ):
        assert said in refusal(*arguments)
