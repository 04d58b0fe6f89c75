"""The lower limit of a partial AUC, where no negative of the sample scores as positives do."""

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm

import classay as ca

RNG = np.random.default_rng(3)
Y = np.repeat([1, 0], [40, 60])
SCORE = np.where(Y == 1, RNG.normal(4.5, 1, 100), RNG.normal(0, 1, 100))
PLAIN = "partial_roc_auc"


def limits(y, score, measure=PLAIN, **columns):
    estimate = ca.assess(y, score, threshold=2, **columns)[measure]
    return estimate.low, estimate.high


def case_values(y, score, last=0.1):
    """How far each case moves the area, times the cases: He & Escobar 2008, formula 4, of scores without ties."""
    positive, negative = score[y == 1], score[y == 0]
    n = negative.size
    top = np.sort(negative)[::-1][: round(last * n)]
    cut = (positive > top[-1]).mean()  # recall at the end of the range
    above = (positive > negative[:, None]).mean(1)
    ranks = (negative > negative[:, None]).sum(1) + 0.5
    inside = np.where(ranks / n < last, above - cut, 0)
    area = (inside.sum()) / n + cut * last
    beside = np.array([(negative > one).mean() for one in positive])
    of_positives = (np.maximum(last - beside, 0) - area) * y.size / positive.size
    return area, of_positives, (inside + cut * last - area) * y.size / n, cut


def test_the_lower_limit_is_that_with_a_negative_in_the_middle_of_the_positives():
    area, of_positives, of_negatives, cut = case_values(Y, SCORE)
    assert area == pytest.approx(ca.assess(Y, SCORE, threshold=2)[PLAIN].value)
    middle = np.sort(SCORE[Y == 1])[::-1][19]
    added = ((SCORE[Y == 1] > middle).mean() + 0.5 / 40 - cut + cut * 0.1 - area) * Y.size / 60
    assert added < min(of_positives.min(), of_negatives.min())
    values = np.concatenate([of_positives, of_negatives * np.sqrt(1 + 1 / 6), [added]])
    mean = area + added / (Y.size + 1)
    se = np.sqrt(((values - values.mean()) ** 2).sum() / Y.size / (Y.size + 1))
    share = mean / 0.1
    low = 0.1 * expit(logit(share) - norm.ppf(0.975) * se / 0.1 / share / (1 - share))
    assert limits(Y, SCORE)[0] == pytest.approx(low, rel=1e-3)


def test_a_case_repeated_in_its_cluster_and_another_unit_of_weights_change_nothing():
    copies = np.repeat(np.arange(Y.size), 3)
    whole = limits(Y, SCORE)
    assert limits(Y[copies], SCORE[copies], cluster=copies) == pytest.approx(whole, rel=2e-3)
    weight = RNG.gamma(2, size=Y.size)
    assert limits(Y, SCORE, weight=weight) == pytest.approx(limits(Y, SCORE, weight=1000 * weight))


def test_the_other_end_of_the_curve_is_that_of_exchanged_classes():
    turned = limits(1 - Y, -SCORE, "partial_roc_auc_by_tpr(min_tpr=0.9)")
    estimate = ca.assess(1 - Y, -SCORE, threshold=-2)["partial_roc_auc_by_tpr(min_tpr=0.9)"]
    assert turned == pytest.approx(limits(Y, SCORE), rel=1e-9), estimate


@pytest.mark.slow
@pytest.mark.parametrize(("n", "far"), [(300, 0.02), (100, 0.05), (1000, 0.01)])
def test_few_far_errors_are_covered(n, far):
    """91 to 96% before a negative was added. The truth is that of a million cases."""
    rng = np.random.default_rng(1)

    def rows(size):
        latent = rng.random(size) < 0.5
        return (latent ^ (rng.random(size) < far)).astype(int), rng.normal(4 * latent, 1)

    truth = ca.assess(*rows(1_000_000), threshold=2)[PLAIN].value
    inside = [low <= truth <= high for low, high in (limits(*rows(n)) for _ in range(1000)) if low == low]
    assert np.mean(inside) >= 0.955
