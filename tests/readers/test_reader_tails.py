"""How often the interval of a model minus a reader misses the truth on either side.

The row "A reader" of docs/evidence/comparisons.md.
"""

import numpy as np
import pytest

from classay.readers.reader_study import compare_reader
from simulations.test_gate_size import Tails, pair

READERS = {"200 cases, 30%": (200, 0.3), "500, 10%": (500, 0.1)}


def readers(setting, runs):
    """A reader whose labels are a score of the same quality, called at 0.5 of its own."""
    rng, tails = np.random.default_rng(runs), Tails()
    n, prevalence = READERS[setting]
    for _ in range(runs):
        y, p, q = pair(rng, n, prevalence, 1.5, 1.5, 0.5)
        called = (q > np.log(2) * prevalence).astype(int)
        if 0 < called.sum() < n and y.sum() > 2:
            tails.add(
                "sensitivity at the reader's specificity",
                compare_reader({"model": p}, y, called)[0].effect,
                0.0,
            )
    return tails.rates()


@pytest.mark.slow
@pytest.mark.parametrize("setting", READERS)
def test_tails_of_a_reader(setting):
    for name, tails in readers(setting, 1000).items():
        assert max(tails) <= 4.05, name
