"""How often bootstrap intervals hold the truth: simulations of two normal distributions of known distance."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from classay.inference.bootstrap.bootstrapping import bootstrap, bootstrap_all
from classay.inference.bootstrap.score_samples import ScoredRows
from classay.measures import (
    average_precision,
    brier_skill,
    cohen_kappa,
    kolmogorov_smirnov,
    log_loss_skill,
    macro,
    matthews_correlation,
    partial_roc_auc,
    roc_auc,
    standardized_partial_roc_auc,
)
from classay.measures import f1 as f1_score
from classay.tables import ConfusionMatrix, ScoreTable

MEASURES = [
    roc_auc,
    average_precision,
    kolmogorov_smirnov,
    partial_roc_auc,
    standardized_partial_roc_auc,
    replace(roc_auc, name="max_f1", aliases=()),
    replace(roc_auc, name="tpr_at_fpr", aliases=()),
    log_loss_skill,
    brier_skill,
]
SETTINGS = [
    (100, 0.3, 1.0),
    (100, 0.5, 2.0),
    (300, 0.1, 1.5),
    (300, 0.5, 1.0),
    (1000, 0.1, 2.0),
    (1000, 0.3, 3.0),
]


def calibrated(x, share, apart):
    return 1 / (1 + np.exp(-(apart * x - apart**2 / 2 + np.log(share / (1 - share)))))


def draw(rng, n, share, apart):
    positive = rng.random(n) < share
    positive[:2], positive[2:4] = True, False
    return calibrated(rng.normal(size=n) + apart * positive, share, apart), positive


def truth(share, apart):
    """The values of MEASURES in the population, by integration."""
    x = np.linspace(-9, 9 + apart, 1_000_001)
    step = (x[1] - x[0]) / np.sqrt(2 * np.pi)
    of_negative, of_positive = np.exp(-(x**2) / 2) * step, np.exp(-((x - apart) ** 2) / 2) * step
    score, tpr, fpr = calibrated(x, share, apart), ndtr(apart - x), ndtr(-x)
    called = share * tpr + (1 - share) * fpr
    cut = np.linspace(0, 0.1, 100_001)
    partial = np.trapezoid(ndtr(ndtri(cut) + apart), cut)
    loss = -(share * of_positive * np.log(score) + (1 - share) * of_negative * np.log1p(-score)).sum()
    entropy = -(share * np.log(share) + (1 - share) * np.log(1 - share))
    brier = (share * of_positive * (1 - score) ** 2 + (1 - share) * of_negative * score**2).sum()
    return [
        ndtr(apart / np.sqrt(2)),
        (of_positive * share * tpr / called).sum(),
        2 * ndtr(apart / 2) - 1,
        partial,
        (1 + (partial - 0.005) / (0.1 - 0.005)) / 2,
        (2 * share * tpr / (called + share)).max(),
        ndtr(ndtri(0.1) + apart),
        1 - loss / entropy,
        1 - brier / (share * (1 - share)),
    ]


def coverage(settings, simulations, how=None):
    """Shares of intervals that hold the truth, lie above it, below it; their mean width; `[measure, 4]`."""
    rng = np.random.default_rng([7, *(int(100 * each) for each in settings)])
    true = np.array(truth(*settings[1:]))
    ends = np.empty((simulations, len(MEASURES), 2))
    for each in ends:
        table = ScoreTable.from_rows(*draw(rng, *settings))
        found = bootstrap_all(table, MEASURES, replicates=1000, how=how, seed=rng, threads=1)
        each[:] = [(one.low, one.high) for one in found]
    low, high = ends[..., 0], ends[..., 1]
    above, below = (low > true).mean(0), (high < true).mean(0)
    held = ((low <= true) & (true <= high)).mean(0)
    return np.stack([held, above, below, np.nanmean(high - low, 0)], -1)


@pytest.mark.slow
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_default_intervals_of_scores_cover(settings):
    held = coverage(settings, 300)[:, 0]
    assert (held > 0.89).all(), dict(zip([each.name for each in MEASURES], held, strict=True))
    assert held.mean() > 0.93


@pytest.mark.slow
def test_label_intervals_cover():
    rng = np.random.default_rng(6)
    share = np.array([40, 5, 3, 4, 25, 3, 2, 3, 15]) / 100
    statistics = [matthews_correlation, macro(f1_score), cohen_kappa]

    def matrix(counts):
        return ConfusionMatrix(counts.reshape(3, 3), (0, 1, 2))

    true = np.array([each(matrix((share * 1e6).round().astype(np.int64))) for each in statistics])
    found = [
        bootstrap_all(matrix(rng.multinomial(100, share)), statistics, seed=rng, threads=1)
        for _ in range(600)
    ]
    held = np.mean(
        [[low.low <= t <= low.high for low, t in zip(each, true, strict=True)] for each in found], 0
    )
    assert (held > 0.92).all()
    assert (held < 0.985).all()


@pytest.mark.slow
def test_cluster_and_weighted_intervals_cover():
    rng = np.random.default_rng(8)
    held = {"cluster": 0, "weight": 0}
    for _ in range(300):
        cluster = np.repeat(np.arange(60), 4)
        shared = np.repeat(rng.normal(size=60), 4)
        positive = rng.random(240) < 0.4
        score = rng.normal(size=240) + shared + 1.5 * positive
        found = bootstrap(
            ScoredRows(score, positive, cluster=cluster), roc_auc, replicates=600, seed=rng, threads=1
        )
        held["cluster"] += found.low <= ndtr(1.5 / 2) <= found.high
        # a case is kept with probability 1 / weight: weighting undoes it
        positive = rng.random(600) < 0.3
        score = rng.normal(size=600) + positive
        weight = np.where(score > 1, 1.0, 4.0)
        kept = rng.random(600) < 1 / weight
        rows = ScoredRows(score[kept], positive[kept], weight[kept])
        found = bootstrap(rows, roc_auc, replicates=600, seed=rng, threads=1)
        held["weight"] += found.low <= ndtr(np.sqrt(0.5)) <= found.high
    assert all(0.91 < each / 300 < 0.985 for each in held.values()), held


if __name__ == "__main__":
    for settings in SETTINGS:
        print(settings)
        for how in ("percentile", "basic", "BCa", None):
            shares = coverage(settings, 400, how)[:, :3]
            print(
                f"  {how or 'default':10s}",
                *(
                    f"{m.name[:9]} {s[0]:.3f} ({s[1]:.3f}/{s[2]:.3f})"
                    for m, s in zip(MEASURES, shares, strict=True)
                ),
                sep=" | ",
            )
