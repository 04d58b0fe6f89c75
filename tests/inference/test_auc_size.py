"""Power and sample size of tests of AUCs: published tables, another program's results, and a simulation."""

from math import ceil

import numpy as np
import pytest
from scipy.stats import norm

from classay.comparison.cases.aucs import aucs_of
from classay.errors import InputError
from classay.inference.sizes import (
    auc_difference_power,
    for_auc_difference,
    obuchowski_variance_of_design,
    positives_needed,
)
from command import call


@pytest.mark.parametrize(
    ("negatives_per_positive", "wanted"),
    [(0.25, (334, 80)), (1, (135, 33, 14)), (2, (102, 25, 11)), (4, (85, 21))],
)
def test_variance_gives_the_published_table(negatives_per_positive, wanted):
    """Positives for a one-sided test of AUC 0.6, 0.7, 0.8 against 0.5, power 0.9: Obuchowski 2004, table 4."""
    of_chance = obuchowski_variance_of_design(0.5, negatives_per_positive)
    for auc, positives in zip((0.6, 0.7, 0.8), wanted, strict=False):
        variance = obuchowski_variance_of_design(auc, negatives_per_positive)
        assert ceil(positives_needed(auc - 0.5, variance, of_chance, 0.9, 0.9)) == positives


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
    found = positives_needed(apart, positives * of_difference, positives * if_equal, 0.9, 0.95)
    assert found == pytest.approx(64.77777, rel=1e-6)
    again = positives_needed(apart, positives * of_difference, positives * if_equal, 0.7131594, 0.95)
    assert again == pytest.approx(41, rel=1e-6)


@pytest.mark.parametrize("correlation", [None, -0.2, 0.0, 0.6])
@pytest.mark.parametrize("prevalence", [0.05, 0.5, 0.9])
def test_it_is_the_least(correlation, prevalence):
    found = for_auc_difference(0.8, 0.87, correlation, prevalence, 0.85)
    assert found.cases == ceil(found.positives / prevalence - 1e-9)
    ratio = (1 - prevalence) / prevalence
    assert found.reached >= 0.85 - 2e-3
    below = found.positives - 1
    assert auc_difference_power(0.8, 0.87, below, below * ratio, correlation) < 0.85


def test_laws():
    same, own = for_auc_difference(0.8, 0.85, 0.5).cases, for_auc_difference(0.8, 0.85).cases
    assert same < own == for_auc_difference(0.8, 0.85, 0.0).cases
    assert (
        for_auc_difference(0.8, 0.9, 0.5).cases < same < for_auc_difference(0.8, 0.85, 0.5, power=0.9).cases
    )
    mirrored = for_auc_difference(0.2, 0.15, 0.5)
    assert mirrored.cases == same


@pytest.mark.parametrize(
    "given", [(0.8, 0.8), (0.8, 1.0), (0.8, 0.9, 1.0), (0.8, 0.9, 0.5, 0.0), (0.8, 0.9, 0.5, 0.5, 1.0)]
)
def test_what_cannot_be_is_refused(given):
    with pytest.raises(InputError):
        for_auc_difference(*given)


def test_command():
    done = call("sample-size", "auc-difference", "--first", "0.8", "--second", "0.85", "--correlation", "0.5")
    assert done.exit_code == 0
    assert "732 cases (366 positive, 366 negative)" in done.stdout
    assert "same cases, correlation 0.5" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("prevalence", "apart"), [(0.5, 0.05), (0.2, 0.08)])
def test_delong_test_has_the_power(prevalence, apart):
    """DeLong's test of 600 samples of the size found has the power at least: Monte-Carlo error 1.6 points.

    The published variance is larger than that of normal scores of equal spread, by 28 % at an AUC of 0.8 and more
    above, so that the sample is larger than these scores need: measured 0.88 and 0.95 for a power of 0.80.
    """
    rng, aucs = np.random.default_rng(0), (0.8, 0.8 + apart)
    shift, latent = np.sqrt(2) * norm.ppf(aucs), np.array([[1, 0.6], [0.6, 1]])

    def drawn(p, n):
        scores = rng.multivariate_normal((0, 0), latent, p + n)
        positive = np.arange(p + n) < p
        return aucs_of(dict(enumerate((scores + positive[:, None] * shift).T)), positive)

    whole = drawn(4000, 4000).spread.covariance
    size = for_auc_difference(*aucs, whole[0, 1] / np.sqrt(whole[0, 0] * whole[1, 1]), prevalence)
    found = []
    for _ in range(600):
        made = drawn(size.positives, size.negatives)
        found.append(abs(made.values[1] - made.values[0]) > 1.96 * made.spread.along([1, -1]) ** 0.5)
    assert size.reached - 0.05 < np.mean(found) < 0.98
