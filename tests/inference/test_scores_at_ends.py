"""A log-loss of scores of exactly 0 or 1 has a value and no interval: the first wrong one makes it infinite."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import classay as ca

RNG = np.random.default_rng(1)
Y = RNG.integers(0, 2, 80)
EXACT = 1 / (1 + np.exp(-RNG.normal(2.2 * (2 * Y - 1), 1.5)))
TENTHS = np.round(EXACT, 1)
TENTHS = np.where((TENTHS == 1 - Y) & (TENTHS % 1 == 0), 0.5, TENTHS)  # no wrong one: the value is finite
ENDS = int((TENTHS % 1 == 0).sum())
WORDS = f"{ENDS} of 80 scores are exactly 0 or 1, so the log loss has no upper limit"
OF_LOG = ("log_loss", "log_loss_skill", "log_loss_miscalibration")


@pytest.mark.parametrize("name", OF_LOG)
@pytest.mark.parametrize(
    "how", [{}, {"cluster": np.arange(80) // 2}, {"weight": np.ones(80)}, {"interval": "bootstrap"}]
)
def test_it_has_a_value_and_no_interval(name: str, how: dict[str, Any]) -> None:
    how = {} if name == "log_loss_miscalibration" and "interval" in how else how  # it has no bootstrap
    found = ca.assess(Y, TENTHS, **how)[name]
    assert np.isfinite(found.value)
    assert not found.has_interval
    assert ("some scores are" if "weight" in how else WORDS) in str(found.reason)
    assert ca.assess(Y, EXACT, **how)[name].has_interval
    assert ca.assess(Y, TENTHS, **how)["brier_score"].has_interval


def test_right_scores_count_and_wrong_ones_are_infinite() -> None:
    one = ca.assess(Y, np.where(np.arange(80) == np.flatnonzero(Y)[0], 1.0, EXACT))["log_loss"]
    assert "1 of 80 scores is exactly 0 or 1" in str(one.reason)
    wrong = ca.assess(Y, np.where(np.arange(80) == np.flatnonzero(Y)[0], 0.0, EXACT))["log_loss"]
    assert np.isinf(wrong.value)
    assert "infinite because the true class of 1 case has probability 0" in str(wrong.reason)


def test_several_classes_and_files_say_it(tmp_path: Path) -> None:
    three = np.where(Y == 1, 0, 1 + np.arange(80) % 2)
    a = ca.assess(three, np.c_[TENTHS, (1 - TENTHS) / 2, (1 - TENTHS) / 2])
    a.save(tmp_path / "a.classay")
    words = f"{ENDS} of 80 cases have a score of exactly 0 or 1"
    for each in (a, ca.load(tmp_path / "a.classay")):
        assert words in str(each["log_loss"].reason)
        assert words in str(each["log_loss_skill"].reason)
    assert f"{2 * ENDS} of 160 cases" in str((a + a)["log_loss"].reason)


def test_comparisons_say_it_of_the_model_that_has_them() -> None:
    models = {"tenths": TENTHS, "exact": EXACT, "squared": EXACT**1.1}
    found = ca.compare(models, Y, measures=["log_loss"])
    assert [each.effect.has_interval for each in found] == [False, False, True]
    assert "of tenths, " + WORDS in str(found[0].effect.reason)
    assert np.isfinite(found[0].values).all()
    saved = {name: ca.assess(Y, each, id=np.arange(80)) for name, each in models.items()}
    by_blocks = ca.compare(saved, measures=["log_loss"])
    assert "of tenths, " + WORDS in str(by_blocks[0].effect.reason)
    apart = ca.compare_unpaired({name: ca.assess(Y, each) for name, each in models.items()}, ["log_loss"])
    assert [each.effect.has_interval for each in apart] == [False, False, True]
