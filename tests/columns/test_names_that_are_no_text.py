"""Frames of pandas whose columns are named by numbers or tuples: every door gives what it gives for texts."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import classay as ca

NAMES = ["y", "p", "q", "g", "m", "h", "c"]
INTS = list(range(7))
TUPLES = [*((each, each) for each in ("y", "p")), *(("about", each) for each in NAMES[2:])]


def frame(names: list[Any]) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    n = 120
    y = rng.integers(0, 2, n)
    p, q = (np.clip(share * y + 0.7 * rng.random(n), 0, 1).round(3) for share in (0.3, 0.1))
    month = np.array(["2026-01", "2026-02", "2026-03"])[np.arange(n) // 40]
    columns = [y, p, q, np.array(["u", "v"])[np.arange(n) % 2], month, p > 0.5, np.arange(n) // 3]
    made = pd.DataFrame(dict(enumerate(columns)))
    made.columns = pd.MultiIndex.from_tuples(names) if isinstance(names[0], tuple) else pd.Index(names)
    return made


def test_models_are_named_as_their_columns_print() -> None:
    found = ca.compare(frame(INTS), truth=0, scores=[1, 2])
    assert found.models == ("1", "2")
    assert ca.compare(frame(TUPLES), truth=TUPLES[0], scores=TUPLES[1:3]).models == ("p.p", "about.q")


def test_a_missing_number_is_told() -> None:
    with pytest.raises(ca.InputError, match="truth must be"):
        ca.assess(frame(INTS), truth=9, score=1)


def test_the_frame_stays_as_it_was() -> None:
    data = frame(INTS)
    ca.assess(data, truth=0, score=1)
    assert list(data.columns) == INTS


def test_a_number_and_its_text_are_two_columns() -> None:
    data = frame(INTS).rename(columns={2: "1"})
    assert (
        ca.assess(data, truth=0, score="1")["roc_auc"].value
        == ca.assess(frame(INTS), truth=0, score=2)["roc_auc"].value
    )
