"""A thinned table is made once for all that draws it, and goes with the table that it was made of."""

import gc
import weakref

import numpy as np
import pytest

from classay.curves import display
from classay.tables import ScoreTable


@pytest.mark.parametrize(("many", "same"), [(100, False), (10_000, True)])
def test_a_table_is_thinned_once_and_not_held(monkeypatch, many, same):
    monkeypatch.setattr(display, "MANY", many)
    rng = np.random.default_rng(0)
    table = ScoreTable.from_rows(rng.random(2000), rng.random(2000) < 0.4)
    thin = display.thinned(table)
    assert display.thinned(table) is thin
    assert (thin is table) == same
    gone = weakref.ref(table)
    del table, thin
    gc.collect()
    assert gone() is None
