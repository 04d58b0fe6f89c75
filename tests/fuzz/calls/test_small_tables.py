"""The laws of small tables hold, and notice what is not so."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from fuzz.calls.small_tables import differences, standard_errors, told_difference, told_errors, values

SEEDS = [*range(2, 22), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(22, 42))]
LARGE = 127
"""Of a difference by the delta method."""


@pytest.mark.parametrize("seed", SEEDS)
def test_values_are_as_defined_and_intervals_tell_the_standard_error_by_slopes(seed):
    rng = np.random.default_rng(seed)
    for step in (values, standard_errors, differences):
        step(SimpleNamespace(rng=rng), None)


def test_a_standard_error_that_is_a_tenth_off_is_noticed():
    methods = set()
    for seed in (2, 6, 7, 15, 17, 22, LARGE):
        laws = [each[1:3] + each[4:5] for each in told_errors(np.random.default_rng(seed))]
        laws += [found[1:4] for found in (told_difference(np.random.default_rng(seed)),) if found]
        for narrow, wide, law in laws:
            if law.most < 1.05 and law.least > 0.95:
                methods.add(narrow.method.split(",")[0])
                for factor in (1.1, 1 / 1.1):
                    assert replace(law, error=factor * law.error).broken(narrow, wide), narrow
    assert methods >= {"Obuchowski", "Tango", "clusters", "delta", "linearised", "Wilson limits combined"}, (
        methods
    )
