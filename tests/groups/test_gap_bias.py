"""The largest gap that is seen is too large on average, and by how much less once it is corrected.

    pytest -m slow -s tests/simulations/test_gap_bias.py

The populations are those of docs/evidence/disparities.md.
"""

import numpy as np
import pytest

from classay.groups.extremes import corrected_gap, largest_gap, level_of, quantile_of_pairs
from classay.inference.estimate import Estimate
from classay.inference.proportions import wilson

pytestmark = pytest.mark.slow
SAMPLES = 2_000
POPULATIONS = {
    "2 alike, 50 positives each": ([50] * 2, [0.8] * 2),
    "5 alike, 50 positives each": ([50] * 5, [0.8] * 5),
    "10 alike, 50 positives each": ([50] * 10, [0.8] * 10),
    "10 alike, 200 positives each": ([200] * 10, [0.8] * 10),
    "30 alike, 200 positives each": ([200] * 30, [0.8] * 30),
    "50 alike, 100 positives each": ([100] * 50, [0.8] * 50),
    "10 alike, 200 positives each, recall 0.03": ([200] * 10, [0.03] * 10),
    "10, one behind (0.65), 200 positives each": ([200] * 10, [0.65] + [0.8] * 9),
    "50, one behind (0.65), 100 positives each": ([100] * 50, [0.65] + [0.8] * 49),
    "2 of 1,000 (0.7 and 0.8) and 3 of 20 (0.8)": ([1000] * 2 + [20] * 3, [0.7] + [0.8] * 4),
    "10 alike, 20 to 2,000 positives each": (np.geomspace(20, 2000, 10).astype(int), [0.8] * 10),
    "10 spread from 0.6 to 0.9, 200 positives each": ([200] * 10, np.linspace(0.6, 0.9, 10)),
}


def test_the_gap_without_chance_is_nearer_to_the_true_one():
    rng = np.random.default_rng(0)
    for name, (sizes, rates) in POPULATIONS.items():
        n, p = np.array(sizes), np.array(rates)
        seen, corrected = [], []
        for x in rng.binomial(n, p, (SAMPLES, n.size)):
            strict, own = (
                [
                    Estimate(*map(float, each), level, "Wilson")
                    for each in zip(x / n, *wilson(x, n, level), strict=True)
                ]
                for level in (level_of(quantile_of_pairs(n.size, 0.95)), 0.95)
            )
            found = largest_gap(strict, own)
            seen.append(found.value)
            corrected.append(corrected_gap(found, own))
        truth = float(np.ptp(p))
        naive = float(np.mean(seen))
        if n.size < 3:
            assert corrected[0] is None  # it says too little of two groups
            print(f"| {name} | {truth:.2f} | {naive:.3f} | – |")
            continue
        mean = float(np.mean(corrected))
        print(f"| {name} | {truth:.2f} | {naive:.3f} | {mean:.3f} |")
        assert naive > truth
        assert abs(mean - truth) < max(0.6 * (naive - truth), 0.02), name
