"""Measures in bins see the sums of their own bins: cases may move within these, whatever other bins they leave."""

from functools import cache

import numpy as np
import pytest

import classay as ca
from classay.measures.registry import FAMILIES

BINS = (5, 10, 15, 22)
OF_SEVERAL = {"classwise_calibration_error", "top_label_calibration_error"}
OF_MASS = {"equal_mass_calibration_error"}
OF_WIDTH = {name for name, each in FAMILIES.items() if "bins" in each.kinds} - OF_SEVERAL - OF_MASS
N = 400
RNG = np.random.default_rng(11)
TRUE, WEIGHT = RNG.random(N) < 0.4, RNG.gamma(3.0, size=N)
SCORE = np.clip(RNG.normal(0.35 + 0.25 * TRUE, 0.2), 0.001, 0.999)
CALLED = SCORE > 0.5
PLACE = {
    "width": lambda bins: np.ceil(SCORE * bins).astype(int) - 1,
    "mass": lambda bins: ((SCORE.argsort().argsort() + 0.5) * bins / N).astype(int),
}


@cache
def assessed(bins, of, weighted, classes=2):
    """The rows as they are, and with each score nearer to the mean of its bin, on its side of one half."""
    weight = WEIGHT if weighted else np.ones(N)
    more = {"weight": weight} if weighted else {}
    place = PLACE[of](bins)
    own = (place[:, None] == place) & (CALLED[:, None] == CALLED)
    found = []
    mean = own @ (weight * SCORE) / (own @ weight)
    for score in (SCORE, mean + (SCORE - mean) / 4):
        rows = score if classes == 2 else np.column_stack([1 - score, score, np.zeros(N)])
        found.append(ca.assess(TRUE.astype(int), rows, labels=range(classes), **more))
    return found


@pytest.mark.parametrize("bins", BINS)
@pytest.mark.parametrize(
    ("names", "of", "weighted", "classes"),
    [
        (OF_WIDTH, "width", False, 2),
        (OF_WIDTH, "width", True, 2),
        (OF_MASS, "mass", False, 2),
        (OF_SEVERAL, "width", False, 3),
        (OF_SEVERAL, "width", True, 3),
    ],
)
def test_cases_may_move_within_their_bins(bins, names, of, weighted, classes):
    one, other = assessed(bins, of, weighted, classes)
    for name in sorted(names):
        a, b = (each.estimate(f"{name}(bins={bins})") for each in (one, other))
        assert a.method == b.method, name
        assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), rel=1e-9, nan_ok=True), (
            name
        )
        assert a.has_interval or a.reason, name
