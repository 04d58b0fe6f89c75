"""Sign flips of the differences of two learners over folds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from classay.comparison.cases.sign_flips import tails_of_flips
from classay.comparison.comparison import Comparison
from classay.comparison.folds.differences import OF_FOLDS, FoldDifferences, result
from classay.comparison.references import cite
from classay.comparison.registry import FOLDS, test
from classay.inference.draws import stream
from classay.inference.estimate import Estimate

EXACT_FOLDS = 20
"""Up to so many folds the sign-flip test goes through all 2^J signs."""
FLIPS = 100_000


@test("sign-flip", "sign-flip over folds", where=FOLDS, of=OF_FOLDS, references=("ojala2010",))
def sign_flip(folds: FoldDifferences, *, level: float = 0.95, seed: int = 0) -> Comparison:
    """The sign-flip test of the mean difference: its share among the means of all signs, exact up to 20 folds.

    Beyond that by 100,000 random signs, p = (1 + extreme) / (1 + drawn), never 0. It takes folds for independent,
    as the paired t does, and shares its size. No interval. Fisher 1935; Ojala & Garriga 2010, JMLR 11:1833.
    """
    # neither the order of the folds nor of the learners matters
    values = np.sort(np.abs(folds.values.ravel()))
    total, slack = (
        float(folds.values.sum()),
        1e-12 * float(values.sum()),
    )  # equal sums differ by their rounding
    sums, drawn = np.zeros(1), 0
    if values.size <= EXACT_FOLDS:
        for value in values:
            sums = np.concatenate([sums + value, sums - value])
        how = "exact"
    else:
        rng = stream(seed, "sign_flip")
        blocks = (rng.integers(0, 2, (10_000, values.size), np.int8) * 2 - 1 for _ in range(0, FLIPS, 10_000))
        sums, drawn = np.concatenate([signs @ values for signs in blocks]), 1
        how = f"{FLIPS:,} random signs"
    p = float((drawn + (np.abs(sums) >= abs(total) - slack).sum()) / (drawn + sums.size))
    tails = tails_of_flips(sums, total, slack, drawn)
    effect = Estimate.bare(folds.mean, "the sign-flip test gives no interval: see the corrected resampled t")
    method = f"sign-flip over folds, {how} (takes folds for independent)"
    return replace(result(folds, effect, p, method, cite("ojala2010"), level=level), tails=tails)
