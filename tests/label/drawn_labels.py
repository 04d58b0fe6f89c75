"""A pool of scores of two models, plans of labels of it, and the labels that they draw."""

import numpy as np

import classay as ca


def pool(n=20_000, seed=0):
    """Scores of two models, the first calibrated, and their labels."""
    rng = np.random.default_rng(seed)
    first = rng.beta(0.3, 6, n)
    second = np.clip(first * np.exp(rng.normal(0, 0.5, n)), 0, 1)
    return first, second, rng.random(n) < first


def labeled(plan, truth):
    """Labels of all cases, missing where the plan drew none."""
    labels = np.full(truth.size, np.nan)
    labels[plan.rows] = truth[plan.rows]
    return labels


def limits(estimate):
    return estimate.value, estimate.low, estimate.high


FIRST, SECOND, TRUTH = pool()
PLAN = ca.plan_labels(FIRST, budget=300, threshold=0.3)
PAIR = ca.plan_labels({"new": FIRST, "old": SECOND}, budget=300, threshold=0.3)
