"""Plans of AUCs keep what they promise, judged by the tests and intervals that classay itself makes of the cases."""

import numpy as np
import pytest
from scipy.stats import norm

import classay as ca

SAMPLES = 1500


def scores_of(rng, aucs, correlation, positives, negatives):
    """Normal scores of two classifiers with these AUCs, correlated within each class, and which are positive."""
    latent = np.array([[1, correlation], [correlation, 1]])
    positive = np.arange(positives + negatives) < positives
    noise = rng.multivariate_normal((0, 0), latent, positive.size)
    return positive, noise + positive[:, None] * np.sqrt(2) * norm.ppf(aucs)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("aucs", "correlation", "prevalence"), [((0.8, 0.85), 0.5, 0.5), ((0.7, 0.75), 0.5, 0.3)]
)
def test_two_models_are_told_apart_as_often_as_planned(aucs, correlation, prevalence):
    """Within 3 points; Monte-Carlo error 1 point. Obuchowski's plan of 732 cases has 0.92 at the first design."""
    plan = ca.sample_size.for_auc_difference(*aucs, score_correlation=correlation, prevalence=prevalence)
    rng, found = np.random.default_rng(2), 0
    for _ in range(SAMPLES):
        truth, scores = scores_of(rng, aucs, correlation, plan.positives, plan.negatives)
        columns = {"first": scores[:, 0], "second": scores[:, 1]}
        found += ca.compare(columns, truth, measures=["roc_auc"])[0].p <= 0.05
    assert found / SAMPLES == pytest.approx(plan.reached, abs=0.03)


@pytest.mark.slow
@pytest.mark.parametrize(("auc", "against", "prevalence"), [(0.85, 0.8, 0.2), (0.75, 0.8, 0.5)])
def test_an_interval_leaves_out_a_known_value_as_often_as_planned(auc, against, prevalence):
    """A z test on the scale of the AUC would promise 0.80 of 695 cases, of which the interval has 0.72."""
    plan = ca.sample_size.for_auc_against(auc, against, prevalence)
    rng, found = np.random.default_rng(3), 0
    for _ in range(SAMPLES):
        truth, scores = scores_of(rng, (auc, auc), 0.0, plan.positives, plan.negatives)
        interval = ca.assess(truth, scores[:, 0])["roc_auc"]
        found += not interval.low <= against <= interval.high
    assert found / SAMPLES == pytest.approx(plan.reached, abs=0.03)


@pytest.mark.slow
def test_the_half_width_is_the_planned_one():
    """DeLong's is; the default, whose variance leans on a formula where positives are few, is 5% wider of 107."""
    plan = ca.sample_size.for_auc(0.9, 0.03, 0.1)
    rng, widths = np.random.default_rng(4), {"delong": [], None: []}
    for _ in range(300):
        truth, scores = scores_of(rng, (0.9, 0.9), 0.0, plan.positives, plan.negatives)
        for method, seen in widths.items():
            interval = ca.assess(truth, scores[:, 0], interval=method)["roc_auc"]
            seen.append((interval.high - interval.low) / 2)
    assert np.mean(widths["delong"]) == pytest.approx(plan.reached, rel=0.02)
    assert np.mean(widths[None]) == pytest.approx(plan.reached, rel=0.07)
