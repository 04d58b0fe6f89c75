"""The decompositions add up: exactly, in fractions, and to what the literature and other software give."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classay.errors import MergeError
from classay.improving.loss_parts import (
    DECOMPOSITIONS,
    DOMINGOS,
    RoundTable,
    bregman,
    domingos,
    kohavi_wolpert,
    modal,
    of_loss,
    squared,
)
from improving.rounds import table_of_rounds

ORACLES = json.loads((Path(__file__).parents[1] / "oracles" / "decompositions.json").read_text())


def fractions(weights):
    """Whole numbers as exact shares of their sum."""
    total = sum(weights)
    return np.array([Fraction(each, total) for each in weights], object)


@st.composite
def predictors(draw):
    """Exact shares of votes and a distribution of the truth, of two to five classes; ties among them."""
    k = draw(st.integers(2, 5))
    weights = st.lists(st.integers(0, 6), min_size=k, max_size=k).filter(any)
    return fractions(draw(weights)), fractions(draw(weights))


def expected_loss(p, q):
    """The 0–1 loss by enumeration of prediction and truth."""
    return sum(p[i] * q[j] for i in range(len(p)) for j in range(len(q)) if i != j)


def domingos_by_definition(p, q, main, best):
    """N, B, V, c1 and c2 of Domingos (2000) by their definitions, by enumeration, of one main and one best class."""
    k = len(p)
    noise, bias, variance = 1 - q[best], Fraction(main != best), 1 - p[main]
    wrong = sum(p[i] * q[j] for i in range(k) for j in range(k) if i != best and j != best)
    agreeing = sum(p[i] * q[i] for i in range(k) if i != best)
    c1 = p[best] - ((1 - p[best]) * agreeing / wrong if wrong else 0)
    away = sum(p[i] for i in range(k) if i != main)
    c2 = Fraction(1) if main == best else -(p[best] / away if away else Fraction(0))
    return noise, bias, variance, c1, c2


@given(predictors())
def test_both_decompositions_of_0_1_loss_are_exact_identities(drawn):
    p, q = drawn
    loss = expected_loss(p, q)
    found = domingos(p, q, modal(p), modal(q))
    assert all(type(each) is Fraction for each in found.values())
    assert found["loss"] == loss
    assert found["net_noise"] + found["bias"] + found["net_variance"] == loss
    assert found["unbiased_variance"] - found["biased_variance"] == found["net_variance"]
    wolpert = kohavi_wolpert(p, q)
    assert wolpert["loss"] == loss == wolpert["noise"] + wolpert["bias"] + wolpert["variance"]


@given(predictors())
def test_terms_of_domingos_are_those_of_his_definitions(drawn):
    """With ties, the mean over the main predictions and the best classes that are tied."""
    p, q = drawn
    k = len(p)
    tied = [(m, b) for m in range(k) for b in range(k) if p[m] == max(p) and q[b] == max(q)]
    wanted = [Fraction(0)] * 5
    for main, best in tied:
        n, b, v, c1, c2 = domingos_by_definition(p, q, main, best)
        assert c1 * n + b + c2 * v == expected_loss(p, q)
        parts = (n, c1 * n, b, v, c2 * v)
        wanted = [have + each / len(tied) for have, each in zip(wanted, parts, strict=True)]
    found = domingos(p, q, modal(p), modal(q))
    names = ("noise", "net_noise", "bias", "variance", "net_variance")
    assert [found[name] for name in names] == wanted


@given(predictors(), st.randoms())
def test_names_of_classes_change_nothing(drawn, random):
    p, q = drawn
    order = list(range(len(p)))
    random.shuffle(order)
    for parts in (lambda p, q: domingos(p, q, modal(p), modal(q)), kohavi_wolpert):
        assert parts(p, q) == parts(p[order], q[order])


@given(st.data())
def test_squared_loss_and_log_loss_add_up(data):
    k, rounds = data.draw(st.integers(2, 5)), data.draw(st.integers(1, 6))
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    p, q = rng.dirichlet(np.ones(k), rounds), rng.dirichlet(np.ones(k))
    brier = np.mean([sum(q[t] * ((p[r] - np.eye(k)[t]) ** 2).sum() for t in range(k)) for r in range(rounds)])
    found = squared(p.mean(0), (p**2).sum(1).mean(), q)
    assert found["loss"] == pytest.approx(brier / (2 if k == 2 else 1))
    assert found["noise"] + found["bias"] + found["variance"] == pytest.approx(found["loss"])
    found = bregman(np.log(p).mean(0), q)
    g = np.exp(np.log(p).mean(0))
    g /= g.sum()
    assert found["loss"] == pytest.approx(-(q * np.log(p).mean(0)).sum())
    assert found["noise"] == pytest.approx(-(q * np.log(q)).sum())
    assert found["bias"] == pytest.approx((q * np.log(q / g)).sum())
    assert found["variance"] == pytest.approx(np.mean([(g * np.log(g / each)).sum() for each in p]))


ORACLE_POINTS = {
    "Domingos_unbiased": ([0.5, 0.2, 0.3], [0.6, 0.3, 0.1]),
    "Domingos_biased": ([0.3, 0.5, 0.2], [0.6, 0.3, 0.1]),
    "Domingos_binary_biased": ([0.4, 0.6], [0.8, 0.2]),
    "KW_unbiased": ([0.5, 0.2, 0.3], [0.6, 0.3, 0.1]),
    "KW_biased": ([0.3, 0.5, 0.2], [0.6, 0.3, 0.1]),
}


@pytest.mark.parametrize("name", ORACLE_POINTS)
def test_oracles(name):
    wanted = ORACLES[name]
    p, q = map(np.array, ORACLE_POINTS[name])
    if name.startswith("KW"):
        found = kohavi_wolpert(p, q)
        parts = {"noise": wanted["sigma2"], "bias": wanted["bias2"], "variance": wanted["var"]}
    else:
        found = domingos(p, q, modal(p), modal(q))
        parts = {
            "net_noise": wanted["c1"] * wanted["noise"],
            "bias": wanted["bias"],
            "variance": wanted["var"],
            "net_variance": wanted["c2"] * wanted["var"],
        }
    for part, value in (parts | {"loss": wanted["loss"]}).items():
        assert found[part] == pytest.approx(value), part


def test_the_variance_of_the_textbook_has_its_square():
    """E-15: without the square the term is identically 0."""
    wanted = ORACLES["sqloss_decomp"]
    p = np.array(wanted["M"])
    both = np.c_[1 - p, p]
    found = squared(both.mean(0), (both**2).sum(1).mean(), np.array([1 - wanted["eta"], wanted["eta"]]))
    for part, name in (("noise", "noise"), ("bias", "bias2"), ("variance", "var"), ("loss", "total")):
        assert found[part] == pytest.approx(wanted[name])


@pytest.mark.parametrize(
    "shares", [[1 / 3, 1 / 3, 1 - 1 / 3 - 1 / 3], [0.1 * 3, 0.3, 0.4], [0.1 * 4, 0.4, 0.2]]
)
def test_renamed_classes_of_probabilities_that_are_equal_but_for_rounding_change_no_part(shares):
    """Which class is best must not hang on the last bit of its probability."""
    votes = np.array([[5, 3, 2], [4, 4, 2], [0, 1, 9]])
    for scheme in of_loss("0-1"):
        found = [
            scheme.corrected(RoundTable(votes[:, order], np.tile(np.array(shares)[order], (3, 1))))
            for order in ([0, 1, 2], [2, 0, 1], [2, 1, 0], [1, 0, 2])
        ]
        for each in found[1:]:
            for name, part in each.items():
                np.testing.assert_allclose(part, found[0][name], atol=1e-12)


@pytest.mark.parametrize(
    "p", [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4], [1e-9, 1e-4, 1 - 1e-4 - 1e-9], [1 / 7, 2 / 7, 4 / 7]]
)
@pytest.mark.parametrize("rounds", [3, 10, 30, 49])
def test_equal_models_have_no_variance_and_where_they_know_the_truth_no_bias(p, rounds):
    codes = np.full((rounds, 4), 2)
    each = np.tile(p, (rounds, 4, 1))
    table = table_of_rounds(codes, [0, 1, 2, 2], 3, each)
    for name in ("squared", "bregman"):
        scheme = DECOMPOSITIONS[name]
        for of in (scheme.at, scheme.corrected or scheme.at):
            assert not of(table.pooled)["variance"].any()
            assert not of(table.without)["variance"].any()
            knowing = of(
                RoundTable(table.votes, np.tile(p, (4, 1)), table.sums, table.squares, table.logs).pooled
            )
            assert not knowing["bias"].any()
            assert not knowing["variance"].any()


# --- of few rounds


def votes_of(p, rounds):
    """All outcomes of so many votes of two classes, (outcomes, 2), and their probabilities."""
    from math import comb

    k = np.arange(rounds + 1)
    chance = np.array([comb(rounds, int(i)) for i in k]) * p**k * (1 - p) ** (rounds - k)
    return np.c_[rounds - k, k], chance


@pytest.mark.parametrize("rounds", [2, 3, 5, 10])
def test_kohavi_and_wolpert_are_without_bias_at_any_number_of_rounds(rounds):
    scheme = DECOMPOSITIONS["kohavi-wolpert"]
    for p in (0.1, 0.5, 0.8):
        votes, chance = votes_of(p, rounds)
        found = scheme.corrected(RoundTable(votes, np.tile([0.3, 0.7], (rounds + 1, 1))))
        wanted = kohavi_wolpert(np.array([1 - p, p]), np.array([0.3, 0.7]))
        for name in ("loss", "noise", "bias", "variance"):
            assert (found[name] * chance).sum() == pytest.approx(wanted[name])


@pytest.mark.parametrize("rounds", [3, 4, 5, 10, 11, 40])
def test_domingos_correction_removes_the_bias_of_order_one_over_rounds(rounds):
    """Over rows whose votes are evenly spread from 0 to 1: plainly 1/(4T) too small, and corrected far less."""
    scheme, at = DOMINGOS, (np.arange(400) + 0.5) / 400
    plain, corrected = [], []
    for p in at:
        votes, chance = votes_of(p, rounds)
        table = RoundTable(votes, np.tile([0.0, 1.0], (rounds + 1, 1)))
        true = 1 - max(p, 1 - p)
        plain.append((scheme.at(table)["variance"] * chance).sum() - true)
        corrected.append((scheme.corrected(table)["variance"] * chance).sum() - true)
    assert np.mean(plain) == pytest.approx(-1 / (4 * rounds), rel=0.4)
    assert abs(np.mean(corrected)) < 0.25 * abs(np.mean(plain))


@given(st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(lambda v: sum(v) > 2), min_size=1))
def test_corrected_terms_still_add_up(votes):
    rows = len(votes)
    table = RoundTable(np.array(votes), np.random.default_rng(rows).dirichlet(np.ones(3), rows))
    for scheme in of_loss("0-1"):
        for found in (scheme.at(table), scheme.corrected(table)):
            total = sum(sign * found[name] for name, sign in scheme.adds_up.items())
            assert total == pytest.approx(found["loss"])


# --- the table


def table_of(seed, rounds=7, rows=5, classes=3):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(classes), (rounds, rows))
    return p.argmax(-1), np.arange(rows) % classes, p


def test_tables_add_up_and_leave_blocks_out():
    codes, truth, p = table_of(0, rounds=20)
    whole = table_of_rounds(codes, truth, 3, p)
    halves = [table_of_rounds(codes[k : k + 10], truth, 3, p[k : k + 10]) for k in (0, 10)]
    added = halves[0] + halves[1]
    np.testing.assert_array_equal(added.votes, whole.votes)
    np.testing.assert_allclose(added.logs, whole.logs)
    for block in range(whole.blocks):
        kept = np.arange(20) % 10 != block
        rest = table_of_rounds(codes[kept], truth, 3, p[kept]).pooled
        np.testing.assert_array_equal(whole.without.votes[block], rest.votes)
        np.testing.assert_allclose(whole.without.sums[block], rest.sums)
        np.testing.assert_allclose(whole.without.squares[block], rest.squares)


def test_a_probability_of_0_can_be_left_out_again():
    p = np.tile([0.5, 0.5], (4, 1, 1))
    p[1] = [0, 1]
    table = table_of_rounds(np.ones((4, 1), int), [1], 2, p)
    assert np.isneginf(table.pooled.logs[0, 0])
    assert np.isfinite(table.without.logs[1]).all()
    assert np.isneginf(table.without.logs[[0, 2, 3], 0, 0]).all()


def test_a_table_does_not_grow_with_its_rounds():
    sizes = {table_of_rounds(*table_of(0, rounds)[:2], 3).votes.shape for rounds in (10, 30, 200)}
    assert sizes == {(10, 5, 3)}


def test_tables_of_other_rows_do_not_add():
    codes, truth, p = table_of(0)
    table = table_of_rounds(codes, truth, 3, p)
    with pytest.raises(MergeError, match="Add only rounds that were tested on the same rows"):
        table + table_of_rounds(codes, truth[::-1], 3, p)
    with pytest.raises(MergeError, match="only one has probabilities"):
        table + table_of_rounds(codes, truth, 3)


def test_the_interval_of_a_positive_mean_grows_evenly_and_stays_above_0():
    """On the logarithm while that says something, and in a line beyond: without a jump."""
    from classay.improving.decomposition import TermSpread, _positive, _quantile

    half = 0.1
    spread = TermSpread((half / _quantile(20, 0.95)) ** 2, 20)
    ends = np.array([_positive(value, spread, 21, 0.95) for value in np.geomspace(1e-4, 10, 400)])
    values = np.geomspace(1e-4, 10, 400)
    assert (ends[:, 0] >= 0).all()
    assert (ends[:, 0] < values).all()
    assert (ends[:, 1] > values).all()
    assert (np.diff(ends, axis=0) > -1e-12).all()
    assert (ends[:, 1] - values < 2 * half).all()
    assert ends[-1] == pytest.approx([10 - half, 10 + half], abs=1e-3)
    below, above = (_positive(half * (1 + e), spread, 21, 0.95)[1] for e in (-1e-9, 1e-9))
    assert below == pytest.approx(above)
