"""The examples in the docstrings of measures run: they are objects, so the doctest collector passes them by."""

import doctest

import numpy as np
import pytest

from classay import measures


@pytest.mark.parametrize("name", measures.MEASURES)
def test_example_of_a_measure_runs(name):
    measure = measures.MEASURES[name]
    found = doctest.DocTestParser().get_doctest(
        measure.__doc__ or "", vars(measures) | {"np": np}, name, None, 0
    )
    if measure.needs != "margins" or not name.startswith(("macro_", "weighted_", "micro_")):
        assert found.examples, f"{name} shows no example"
    failures = []
    doctest.DocTestRunner(verbose=False).run(found, out=failures.append)
    assert not failures, "".join(failures)
