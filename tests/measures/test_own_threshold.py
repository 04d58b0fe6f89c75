"""Net benefit at a threshold probability calls cases positive there, by every door, whatever other labels rest on."""

import numpy as np
import pytest

import classay as ca

RNG = np.random.default_rng(4)
N = 400
Y = RNG.random(N) < 0.3
P = {
    name: np.clip(0.3 + by * Y + RNG.normal(0, 0.15, N), 0, 1).round(3)
    for name, by in (("a", 0.3), ("b", 0.2))
}
SHARES = [0.1, 0.2, 0.5, 0.7]


def benefit(share, p=P["a"], rows=slice(None)):
    """By hand: each false positive at the odds of the threshold probability (Vickers & Elkin 2006)."""
    called, y = p[rows] >= share, Y[rows]
    return ((called & y).sum() - share / (1 - share) * (called & ~y).sum()) / y.size


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("how", [{}, {"cluster": np.arange(N) // 4}, {"weight": np.full(N, 2.5)}])
def test_of_one_model_at_whatever_threshold(share, how):
    name = f"net_benefit({share})"
    a = ca.assess(Y, P["a"], **how)
    there = a.at(share)[name]
    assert there.value == pytest.approx(benefit(share))
    for each in (a, a.at(0.9), ca.assess(Y, P["a"], threshold=0.05, **how)):
        assert each[name] == there
        assert each.estimates([name, "accuracy"])[name] == there
        assert each.at_prevalence(0.1)[name] == a.at(share).at_prevalence(0.1)[name]


@pytest.mark.parametrize("share", SHARES)
def test_of_two_models(share):
    name = f"net_benefit({share})"
    apart = benefit(share) - benefit(share, P["b"])
    for more in ({}, {"threshold": 0.4}):
        (found,) = ca.compare(P, Y, measures=[name], **more)
        assert found.effect.value == pytest.approx(apart)
        other = ca.compare(P, Y, measures=[name], threshold=share)[0]
        assert (found.effect, found.p) == (other.effect, other.p)
    two = ca.compare(P, Y, measures=["accuracy", name])
    assert [each.measure for each in two] == ["accuracy", name]
    assert two[1].effect == found.effect
    assert two[0].effect.value == pytest.approx(np.mean((P["a"] >= 0.5) == Y) - np.mean((P["b"] >= 0.5) == Y))


def test_labels_and_scores_that_are_no_probabilities_stay_as_they_are():
    called = P["a"] >= 0.45
    odds = 0.2 / 0.8
    own = ((called & Y).sum() - odds * (called & ~Y).sum()) / N
    assert ca.assess(Y, y_pred=called)["net_benefit(0.2)"].value == pytest.approx(own)
    assert ca.assess(Y, 10 * P["a"] - 4.5, threshold=0.0)["net_benefit(0.2)"].value == pytest.approx(own)


def test_a_rule_prices_every_threshold():
    """What is made great over all thresholds is not fixed to its own one; the decision reads it where it cuts."""
    d = ca.assess(Y, P["a"]).threshold(maximize="net_benefit(0.2)", where="net_benefit(0.1) >= 0")
    priced = [((P["a"] >= t) & Y).sum() - 0.25 * ((P["a"] >= t) & ~Y).sum() for t in np.unique(P["a"])]
    assert d.apparent.value == pytest.approx(max(priced) / N)
    called = d.threshold.value <= P["a"]
    assert d.kept[0].apparent.value == pytest.approx(((called & Y).sum() - (called & ~Y).sum() / 9) / N)


def test_of_saved_assessments_by_blocks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, score in P.items():
        ca.assess(Y, score, id=np.arange(N)).save(f"{name}.classay")
    apart = ca.load("a.classay")["net_benefit(0.2)"].value - ca.load("b.classay")["net_benefit(0.2)"].value
    (found,) = ca.compare({name: ca.load(f"{name}.classay") for name in P}, measures=["net_benefit(0.2)"])
    assert found.effect.value == pytest.approx(apart)
    assert found.effect.value == pytest.approx(benefit(0.2) - benefit(0.2, P["b"]))
