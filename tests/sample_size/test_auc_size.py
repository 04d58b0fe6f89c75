"""Power and sample size of tests of AUCs: published tables, other programs' results, and laws."""

import json
from math import ceil, prod, sqrt
from pathlib import Path

import pytest
from scipy.stats import multivariate_normal, norm

from classay.errors import InputError
from classay.sample_size.normal_scores import (
    joint_normal_excess,
    normal_auc_covariance,
    normal_auc_variance,
)
from classay.sample_size.planning import for_auc_against
from classay.sample_size.sizes import (
    auc_difference_power,
    for_auc,
    for_auc_difference,
    least_cases,
    power_of,
)
from command import call

ORACLES = json.loads((Path(__file__).parents[1] / "oracles" / "plans.json").read_text())


def test_the_exact_variances_are_those_of_brute_force():
    """Of another program: bivariate normal probabilities by quadrature (statistics-3b, A14)."""
    expected = ORACLES["normal_scores"]
    assert normal_auc_variance(0.8, 50, 50) == pytest.approx(expected["var_08_50_50"], abs=1e-12)
    assert normal_auc_variance(0.7, 40, 160, 1.5) == pytest.approx(expected["var_07_40_160_sd15"], abs=1e-12)
    covariance = normal_auc_covariance(0.8, 0.85, 240, 240, 0.6)
    assert covariance == pytest.approx(expected["cov_08_085_240_240_06"], abs=1e-12)
    variance = sum(normal_auc_variance(each, 240, 240) for each in (0.8, 0.85)) - 2 * covariance
    assert variance == pytest.approx(expected["var_diff_240"], abs=1e-12)


@pytest.mark.parametrize("correlation", [-0.9, -0.3, 0.0, 0.4, 0.99])
@pytest.mark.parametrize("limits", [(0.0, 0.0), (0.0, 1.2), (-0.5, 0.0), (1.1, 0.3), (-1.0, 2.0), (2.5, 2.5)])
def test_the_joint_excess_is_that_of_another_program(limits, correlation):
    joint = multivariate_normal([0, 0], [[1, correlation], [correlation, 1]]).cdf(limits)
    excess = joint - norm.cdf(limits[0]) * norm.cdf(limits[1])
    assert joint_normal_excess(*limits, correlation) == pytest.approx(excess, abs=1e-7)
    assert joint_normal_excess(*limits[::-1], correlation) == pytest.approx(
        joint_normal_excess(*limits, correlation), abs=1e-15
    )


@pytest.mark.parametrize(
    ("given", "positives", "negatives"),
    [
        ({"first": 0.8, "second": 0.85, "score_correlation": 0.6, "prevalence": 0.5}, 240, 240),
        ({"first": 0.9, "second": 0.95, "score_correlation": 0.4, "prevalence": 0.05}, 78, 1482),
        ({"first": 0.7, "second": 0.75, "score_correlation": 0.5, "prevalence": 0.3}, 300, 700),
        ({"first": 0.85, "second": 0.88, "score_correlation": 0.9, "prevalence": 0.2}, 94, 376),
        ({"first": 0.9, "second": 0.97, "score_correlation": 0.5, "prevalence": 0.1}, 36, 324),
    ],
)
def test_plans_are_those_of_the_exact_variance(given, positives, negatives):
    found = for_auc_difference(**given)
    assert (found.positives, found.negatives) == (positives, negatives)
    aucs, score_correlation = (given["first"], given["second"]), given["score_correlation"]
    related = normal_auc_covariance(*aucs, positives, negatives, score_correlation) / sqrt(
        prod(normal_auc_variance(auc, positives, negatives) for auc in aucs)
    )
    again = for_auc_difference(*aucs, related, given["prevalence"])
    assert again.positives == pytest.approx(positives, abs=1)


def test_a_half_width_is_that_of_the_exact_variance():
    assert for_auc(0.8, 0.05).positives == 146
    assert for_auc(0.9, 0.03, 0.1).positives == 107


@pytest.mark.parametrize(
    ("negatives_per_positive", "wanted"),
    [(0.25, (334, 80)), (1, (135, 33, 14)), (2, (102, 25, 11)), (4, (85, 21))],
)
def test_variance_gives_the_published_table(negatives_per_positive, wanted):
    """Positives for a one-sided test of AUC 0.6, 0.7, 0.8 against 0.5, power 0.9: Obuchowski 2004, table 4."""
    prevalence = 1 / (1 + negatives_per_positive)
    for auc, positives in zip((0.6, 0.7, 0.8), wanted, strict=False):
        found = for_auc_against(auc, 0.5, prevalence, 0.9, level=0.9, method="obuchowski")
        assert found.positives == positives


def test_positives_are_those_of_another_program():
    """pROC on its data aSAH, ndka against wfns: 64.77777 positives for power 0.9, and power 0.7131594 with 41.

    From the published variances, AUCs and z of the same pair (statistics B-9 and pROC's test of its roc.test).
    """
    auc, z, positives = (0.61195799458, 0.823678861789), 2.79777591868904, 41
    apart = auc[1] - auc[0]
    variances = 0.00319081054939, 0.00146991470882
    of_difference = (apart / z) ** 2
    covariance = (sum(variances) - of_difference) / 2
    if_equal = 2 * variances[0] - 2 * covariance

    def by_size(p, n):
        return positives / p * of_difference, positives / p * if_equal

    assert least_cases(apart, by_size, 0.5, 0.9, 0.95) == 2 * 65
    assert least_cases(apart, by_size, 1 - 1e-12, 0.9, 0.95) == 65 + 1  # a negative there is
    assert [power_of(apart, (0.0, if_equal), 0.95) for if_equal in (0.0, 1.0)] == [1.0, 0.0]
    assert power_of(apart, by_size(41, 41), 0.95) == pytest.approx(0.7131594, rel=1e-6)
    assert power_of(apart, by_size(64.77777, 1), 0.95) == pytest.approx(0.9, rel=1e-6)


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"correlation": -0.2},
        {"correlation": 0.0, "level": 0.9},
        {"correlation": 0.6, "method": "obuchowski", "level": 0.99},
        {"score_correlation": 0.6},
    ],
    ids=str,
)
@pytest.mark.parametrize("prevalence", [0.05, 0.5, 0.9])
def test_it_is_the_least(how, prevalence):
    found = for_auc_difference(0.8, 0.87, prevalence=prevalence, power=0.85, **how)
    assert found.cases == ceil(found.positives / prevalence - 1e-9)
    ratio = (1 - prevalence) / prevalence
    assert 0.85 - 2e-3 <= found.reached < 0.86
    below = found.positives - 1
    assert auc_difference_power(0.8, 0.87, below, below * ratio, **how) < 0.85


def test_laws():
    same, own = for_auc_difference(0.8, 0.85, 0.5).cases, for_auc_difference(0.8, 0.85).cases
    assert same < own == for_auc_difference(0.8, 0.85, 0.0).cases
    assert own == for_auc_difference(0.8, 0.85, score_correlation=0.0).cases
    assert same < for_auc_difference(0.8, 0.85, score_correlation=0.5).cases
    assert (
        for_auc_difference(0.8, 0.9, 0.5).cases < same < for_auc_difference(0.8, 0.85, 0.5, power=0.9).cases
    )
    mirrored = for_auc_difference(0.2, 0.15, 0.5)
    assert mirrored.cases == same
    turned = for_auc_difference(0.85, 0.8, 0.5)
    assert turned.cases == same


@pytest.mark.parametrize(
    "given", [(0.8, 0.8), (0.8, 1.0), (0.8, 0.9, 1.0), (0.8, 0.9, 0.5, 0.0), (0.8, 0.9, 0.5, 0.5, 1.0)]
)
def test_what_cannot_be_is_refused(given):
    with pytest.raises(InputError):
        for_auc_difference(*given)


@pytest.mark.parametrize(
    "how",
    [
        {"correlation": 0.5, "score_correlation": 0.5},
        {"score_correlation": 1.0},
        {"score_correlation": 0.5, "method": "obuchowski"},
        {"method": "hanley-mcneil"},
    ],
)
def test_what_a_plan_does_not_know_is_refused(how):
    with pytest.raises(InputError):
        for_auc_difference(0.8, 0.85, **how)


def test_command():
    done = call("sample-size", "auc-difference", "--first", "0.8", "--second", "0.85", "--correlation", "0.5")
    assert done.exit_code == 0
    assert "526 cases (263 positive, 263 negative)" in done.stdout
    assert "same cases, correlation 0.5" in done.stdout
