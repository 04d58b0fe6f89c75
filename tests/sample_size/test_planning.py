"""Sizes against a known value, of precision, leaderboards and gates, by other programs and by brute force."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

import classay as ca
from classay.errors import InputError
from classay.inference.proportions import tango, wilson
from classay.sample_size.planning import best_quantile, means_of_pilot, pilot_of
from classay.tables import PairedCounts

size = ca.sample_size
ROLES = "half_width", "precision", "recall", "prevalence"


def test_the_quantile_of_the_best_is_that_of_adaptive_quadrature():
    """Dunnett's one-sided 2.16 for four others, 2.160333 (Dunnett 1955, table 1a, of infinitely many cases)."""
    assert best_quantile(5, 0.95) == pytest.approx(2.160333, abs=1e-6)
    for models in (2, 3, 14):
        d = best_quantile(models, 0.95)

        def below(z, d=d, others=models - 1):
            return stats.norm.pdf(z) * stats.norm.cdf(z + np.sqrt(2) * d) ** others

        assert quad(below, -12, 12)[0] == pytest.approx(0.95, abs=1e-9)


def test_an_auc_against_a_known_one():
    """Obuchowski's variances written out, in the sample size of a z-test whose error differs under both (textbook)."""
    found = size.for_auc_against(0.85, 0.8, 0.2, method="obuchowski")

    def error(auc, ratio):
        a = 1.414 * stats.norm.ppf(auc)
        return np.sqrt(0.0099 * np.exp(-(a**2) / 2) * (5 * a**2 + 8 + (a**2 + 8) / ratio))

    z, power = stats.norm.ppf(0.975), stats.norm.ppf(0.8)
    wanted = ((z * error(0.8, 4) + power * error(0.85, 4)) / 0.05) ** 2
    assert found.positives == np.ceil(wanted)
    assert found.reached >= 0.8
    again = size.for_auc_against(0.85, 0.8, 0.2, cases=found.cases, method="obuchowski")
    assert again.reached == found.reached


def test_a_leader_is_planned_under_what_it_says_of_the_others():
    """The others must be farther behind than the next, or the power falls: 2,000 boards of normal differences."""
    found = size.for_leaderboard(6, 0.08, 0.05)
    assert "the other 4 models are farther behind than the next" in found.assumed
    assert "other" not in size.for_leaderboard(2, 0.08, 0.05).assumed
    rng = np.random.default_rng(0)
    scale = np.sqrt((0.13 - 0.03**2) / found.cases)
    shared, own = rng.normal(size=(2000, 1)), rng.normal(size=(2000, 5))
    standard = (shared + own) / np.sqrt(2)  # correlated by 1/2
    bar = best_quantile(6, 0.95)
    for behind, low, high in ((np.array([0.03, *[0.09] * 4]), 0.77, 0.83), (np.full(5, 0.03), 0.3, 0.7)):
        assert low < ((behind / scale + standard) > bar).all(1).mean() < high


def test_precision_rests_on_the_cases_called():
    found = size.for_precision(0.05, 0.6, 0.8, 0.05)
    called = found.cases * 0.05 * 0.8 / 0.6

    def half(n):
        low, high = wilson(0.6 * n, n, 0.95)
        return (high - low) / 2

    assert half(np.ceil(called)) <= 0.05 < half(np.floor(called) - 1)


@pytest.mark.parametrize(
    ("margin", "discordant", "groups"), [(0.02, 0.08, 3), (0.02, 0.02, 1), (0.05, 0.05, 1)]
)
def test_a_gate_passes_as_often_as_all_outcomes_say(margin, discordant, groups):
    """Every number of discordant cases and of those for the new model, by their chances; each group by itself."""
    found = size.for_gate(margin, discordant, groups=groups)
    n = found.cases // groups
    m = np.arange(n + 1)[:, None]
    m = m[stats.binom.pmf(m[:, 0], n, discordant) > 1e-9]
    won = np.arange(m.max() + 1)
    lost = np.maximum(m - won, 0)
    low = tango(PairedCounts(n - won - lost, won + 0 * lost, lost, 0 * lost))[0]  # the interval of the gate
    chance = stats.binom.pmf(m, n, discordant) * stats.binom.pmf(won, m, 0.5)
    assert 0.79 < chance[(won <= m) & (low > -margin)].sum() ** groups < 0.84


def test_a_leader_of_two_is_told_by_a_one_sided_test():
    found = size.for_leaderboard(2, 0.08, 0.05)
    z = stats.norm.ppf(0.95) + stats.norm.ppf(0.8)
    assert found.cases == np.ceil(z**2 * (0.13 - 0.03**2) / 0.03**2)


def test_a_pilot_of_so_many_cases_has_the_half_width_that_they_give():
    rng = np.random.default_rng(4)
    y = rng.random(300) < 0.3
    a = ca.assess(y, rng.normal(y * 1.0))
    known = pilot_of(a)
    auc = a["roc_auc"]
    error = (auc.high - auc.low) / 2 / stats.norm.ppf(0.975)
    wide = size.for_auc(known["auc"], None, known["prevalence"], cases=300).reached
    assert wide * np.sqrt(known["scale"]) == pytest.approx(error * stats.norm.ppf(0.975), rel=0.01)


@pytest.mark.parametrize("scale", [0.001, 0.1, 1, 1000])
@pytest.mark.parametrize("of_positives", [1, 0.25])
def test_a_pilot_knows_no_unit_of_weights_and_takes_cases_of_weight_0_for_none(scale, of_positives):
    rng = np.random.default_rng(4)
    y = rng.random(300) < 0.3
    score, weight = rng.normal(y * 1.0), np.where(y, of_positives, 1.0)
    plain = pilot_of(ca.assess(y, score))
    odds = plain["prevalence"] / (1 - plain["prevalence"]) * of_positives
    more = (np.append(each, each[:9]) for each in (y, score))
    found = pilot_of(ca.assess(*more, weight=scale * np.append(weight, np.zeros(9))))
    # a weight of a class alone leaves the AUC and its error
    assert found == pytest.approx(plain | {"prevalence": odds / (1 + odds)}, rel=1e-3)
    counted = pilot_of(ca.assess(y, score, frequency=np.full(300, 4)))
    assert counted == pytest.approx(pilot_of(ca.assess(np.tile(y, 4), np.tile(score, 4))))


def test_means_in_clusters_of_copies_are_those_of_the_clusters():
    alone = size.for_means(0.1, 0.5)
    copies = size.for_means(0.1, 0.5, per_cluster=3, correlation=1.0)
    assert (copies.cases, copies.reached) == (3 * alone.cases, pytest.approx(alone.reached))
    apart = size.for_means(-0.1, 0.5, cases=alone.cases)
    turned = size.for_means(0.06, 0.5, margin=0.04, cases=alone.cases)
    assert apart.reached == pytest.approx(turned.reached) == pytest.approx(alone.reached)
    exact = 1 - stats.nct.cdf(stats.t.ppf(0.975, 29), 29, 0.2 * np.sqrt(30))
    assert size.for_means(0.1, 0.5, cases=30).reached == pytest.approx(exact)


def test_a_pilot_of_values_has_the_error_that_compare_values_finds():
    rng = np.random.default_rng(5)
    question = np.repeat(np.arange(25), 4)
    new = rng.normal(size=25)[question] + rng.normal(size=100)
    old = rng.normal(size=100)
    known = size.means_of_pilot(new, old, cluster=question)
    found = ca.compare_values({"new": new, "old": old}, cluster=question)[0]
    inflated = 1 + (known["per_cluster"] - 1) * known["correlation"]
    error = known["deviation"] * np.sqrt(inflated / 100)
    assert error == pytest.approx(found.effect.value / found.statistic)
    assert known["difference"] == pytest.approx(found.effect.value)


@pytest.mark.parametrize(
    "how",
    [
        {"difference": 0.0, "deviation": 1.0},
        {"difference": -0.1, "deviation": 1.0, "margin": 0.1},
        {"difference": 0.1, "deviation": 0.0},
        {"difference": 0.1, "deviation": 1.0, "correlation": 0.3},
        {"difference": 0.1, "deviation": 1.0, "per_cluster": 9, "cases": 12},
    ],
)
def test_means_that_no_cases_tell_are_refused(how):
    with pytest.raises(InputError):
        size.for_means(**how)


def test_a_pilot_without_spread_plans_nothing():
    with pytest.raises(InputError, match="All cases of the pilot have the same difference, which shows no"):
        means_of_pilot([0.5, 1.0, 0.75], [0.25, 0.75, 0.5])


def test_a_margin_of_percent_is_refused():
    with pytest.raises(InputError, match="margin is 2, but accuracy is between 0 and 1") as at:
        size.for_gate(2, 0.08)
    assert "Use --margin 0.02 if you mean percent" in at.value.at_the_command


@pytest.mark.parametrize("per_cluster", [1, 1.5, 2, 5])
def test_clusters_are_named_wherever_a_case_is_not_alone(per_cluster):
    method = size.for_means(0.1, 0.5, per_cluster=per_cluster, cases=600).method
    clusters = f" over {600 / per_cluster:,.0f} clusters of {per_cluster:g} cases"
    assert method == f"paired t{'' if per_cluster == 1 else clusters}"


@pytest.mark.parametrize(
    ("name", "how", "words"),
    [
        ("for_auc_against", {"auc": 0.8, "against": 0.8}, "Pass two different AUCs"),
        ("for_precision", dict(zip(ROLES, (0.05, 0.01, 0.9, 0.5), strict=True)), "more false positives than"),
        ("for_leaderboard", {"models": 1, "first_only": 0.08, "second_only": 0.05}, "at least 2, but is 1"),
        ("for_leaderboard", {"models": 3, "first_only": 0.5, "second_only": 0.5}, "two different shares"),
        ("for_leaderboard", {"models": 3, "first_only": 0.7, "second_only": 0.5}, "a sum of at most 1"),
        ("for_gate", {"margin": 0.02, "discordant": 0.08, "difference": -0.02}, "no number of cases passes"),
        ("for_gate", {"margin": 0.02, "discordant": 0.08, "groups": 0}, "groups must be at least 1"),
        ("for_gate", {"margin": 0.02, "discordant": 0.01, "difference": 0.02}, "at least the difference"),
        ("for_gate", {"margin": 0.02, "discordant": 0}, "discordant must be the share"),
    ],
)
def test_what_cannot_be_planned_is_refused(name, how, words):
    with pytest.raises(InputError, match=words):
        getattr(size, name)(**how)


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("for_auc_against", {"auc": 0.85, "against": 0.8}),
        ("for_auc_difference", {"first": 0.85, "second": 0.8}),
        ("for_mcnemar", {"first_only": 0.08, "second_only": 0.05}),
        ("for_leaderboard", {"models": 3, "first_only": 0.08, "second_only": 0.05}),
        ("for_means", {"difference": 0.02, "deviation": 0.2}),
        ("for_gate", {"margin": 0.02, "discordant": 0.08}),
        ("for_gate", {"margin": 0.02, "discordant": 0.08, "groups": 3}),
    ],
)
def test_no_more_power_than_chance_is_refused(name, how):
    """A test of level 0.9 rejects a true hypothesis with a probability of 0.1."""
    with pytest.raises(
        InputError, match=r"power must be above 0\.1, the rate of false rejections, but is 0\.1"
    ):
        getattr(size, name)(**how, power=0.1, level=0.9)
    assert getattr(size, name)(**how, power=0.11, level=0.9).cases > 0


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (lambda: means_of_pilot([0.5], [0.25]), "Pass at least two cases"),
        (lambda: means_of_pilot([0.5, np.nan], [0.25, 0.5]), "Values of the pilot are missing or infinite"),
        (lambda: pilot_of(ca.assess([0, 1] * 20, [0.2, 0.7] * 20)), "The AUC of the pilot is 1"),
    ],
)
def test_pilots_without_a_size_are_refused(plan, said):
    with pytest.raises(InputError, match=said):
        plan()


@pytest.mark.parametrize("negatives", [20, 100, 700])
def test_power_by_the_variances_of_obuchowski_for_counts_of_both_classes(negatives):
    """Her variance of an AUC, written out: it differs where positives and negatives change places."""
    a = 1.414 * stats.norm.ppf([0.8, 0.9])
    first, second = 0.0099 * np.exp(-(a**2) / 2) * (5 * a**2 + 8 + (a**2 + 8) * 100 / negatives) / 100
    equal = 2 * first * (1 - 0.4)
    error = np.sqrt(first + second - 2 * 0.4 * np.sqrt(first * second))
    wanted = stats.norm.cdf((0.1 - stats.norm.ppf(0.975) * np.sqrt(equal)) / error)
    found = size.auc_difference_power(0.8, 0.9, 100, negatives, 0.4, method="obuchowski")
    assert found == pytest.approx(wanted, rel=1e-9)
