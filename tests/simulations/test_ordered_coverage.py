"""Coverage of the default intervals of labels in an order; docs/evidence/ordered.md has many more settings.

Accuracy within k steps is a proportion, whose coverage is enumerated there.
"""

import numpy as np
import pytest

from classay.inference.intervals import estimate
from classay.measures import get
from classay.tables import ConfusionMatrix

NAMES = (
    "mean_absolute_error",
    "mean_squared_error",
    "mean_signed_error",
    "macro_mean_absolute_error",
    "kendall_tau_b",
    "somers_d",
    "goodman_kruskal_gamma",
)


def cells_of(shares, right, decay):
    """Cells `[predicted, true]`: an error one step farther off is `decay` times as frequent."""
    k = len(shares)
    off = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    errors = np.where(off > 0, decay ** (off - 1.0), 0.0)
    return (errors / errors.sum(0) * (1 - right) + right * np.eye(k)) * np.asarray(shares)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "shares", "right", "decay"),
    [
        (50, (0.25,) * 4, 0.6, 0.25),
        (200, (0.02, 0.28, 0.4, 0.28, 0.02), 0.97, 0.25),
        (1000, (1 / 3,) * 3, 0.99, 0.25),
    ],
)
def test_intervals_cover(n, shares, right, decay):
    """At least 93% of 400 samples: two Monte-Carlo errors below 95%."""
    cells, k = cells_of(shares, right, decay), len(shares)
    labels = tuple(range(k))
    truth = {name: float(get(name)(ConfusionMatrix(1e9 * cells, labels))) for name in NAMES}
    hits = {name: [] for name in NAMES}
    for counts in np.random.default_rng(1).multinomial(n, cells.ravel(), 400).reshape(-1, k, k):
        matrix = ConfusionMatrix(counts, labels)
        for name in NAMES:
            found = estimate(get(name), matrix)
            if found.has_interval:
                hits[name].append(found.low - 1e-12 <= truth[name] <= found.high + 1e-12)
    for name, held in hits.items():
        assert np.mean(held) > 0.925, (name, np.mean(held))
