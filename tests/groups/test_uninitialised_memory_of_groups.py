"""What groups of cases add to `laws/test_uninitialised_memory.py`."""

import numpy as np
import pytest

import classay as ca
from classay.compiled import Kernel, can_compile, pays
from laws.test_uninitialised_memory import both_ways, poison, rows


@pytest.fixture
def poisoned(monkeypatch):
    """From the call of what it gives on, new memory is poisoned."""
    empty, like = np.empty, np.empty_like
    by_work = lambda _, rows, in_all=0, loops=1, least=1: can_compile() and pays(max(rows, in_all))  # noqa: E731
    monkeypatch.setattr(
        Kernel, "is_ready", by_work
    )  # so that nothing is compiled first where memory is poisoned

    def begin():
        monkeypatch.setattr(np, "empty", lambda *shape, **how: poison(empty(*shape, **how)))
        monkeypatch.setattr(np, "empty_like", lambda *array, **how: poison(like(*array, **how)))

    return begin


def test_groups_and_curves(poisoned):
    y, (score, _), _ = rows(300, "alike")
    group = np.arange(300) % 3

    def made():
        a = ca.assess(y, score)
        band = a.roc.band("bootstrap")
        return [
            ca.assess_by(y, y_score=score, by=group).to_dict(),
            a.to_dict(),
            band.low.tolist(),
            band.high.tolist(),
        ]

    both_ways(made, poisoned)
