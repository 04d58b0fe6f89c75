"""The laws of small tables hold, and notice what is not so."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from fuzz.calls.small_tables import differences, standard_errors, told_difference, told_errors

SEEDS = range(10)
QUICK = (2, 4, 6, 7, 15, 17, 22, 24)
"""Those of several methods each that take little time."""


@pytest.mark.parametrize("seed", SEEDS)
def test_intervals_tell_the_standard_error_by_slopes(seed):
    rng = np.random.default_rng(seed)
    for step in (standard_errors, differences):
        step(SimpleNamespace(rng=rng), None)


def test_a_standard_error_that_is_a_tenth_off_is_noticed():
    methods = set()
    for seed in QUICK:
        rng = np.random.default_rng(seed)
        laws = [each[1:3] + each[4:5] for each in told_errors(rng)]
        laws += [found[1:4] for found in (told_difference(rng),) if found]
        for narrow, wide, law in laws:
            if law.most < 1.05 and law.least > 0.95:
                methods.add(narrow.method.split(",")[0])
                for factor in (1.1, 1 / 1.1):
                    assert replace(law, error=factor * law.error).broken(narrow, wide), narrow
    assert len(methods) > 5, methods
