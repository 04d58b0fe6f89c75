"""What periods of time add to `comparison/test_gate.py`."""

import numpy as np
import pytest

import classay as ca
from classay.errors import InputError
from classay.testing import assert_gate
from days import write_models


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_door_refuses_a_margin_in_percent():
    y = np.arange(80) % 2
    p = np.where(y == 1, 0.7, 0.3) + np.linspace(-0.25, 0.25, 80)
    models = {"new": p, "old": p[::-1]}
    grades = {"new": p, "old": p}
    long = {"d": [*"abcdef"] * 2, "m": ["new"] * 6 + ["old"] * 6, "roc_auc": [0.9] * 6 + [0.8] * 6}
    days = np.repeat(["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"], 20)
    saved = {name: ca.assess(y, each, id=np.arange(80)) for name, each in models.items()}
    rule = {"rule": "equivalent", "margin": 2}
    doors = [
        lambda: ca.gate(ca.compare(models, y, measures=["recall"], threshold=0.5), "non-inferior", margin=2),
        lambda: assert_gate(ca.compare(models, y, measures=["roc_auc"]), "non-inferior", 2),
        lambda: ca.compare(models, y, measures=["brier_score"], **rule),
        lambda: ca.compare(models, y, measures=["accuracy"], threshold=0.5, by=days, **rule),
        lambda: ca.compare(saved, measures=["roc_auc"], **rule),
        lambda: ca.compare_values(grades, bounds=(0, 1), measure="grade", **rule),
        lambda: ca.gate_over_time(y, p, time=days, measure="roc_auc", margin=2),
    ]
    for door in doors:
        with pytest.raises(
            InputError, match=r"margin is 2, but .* is between 0 and 1. Use margin=0\.02 if"
        ) as at:
            door()
        assert "Use --margin 0.02 if you mean percent" in at.value.at_the_command
    with pytest.raises(InputError, match=r"rope is 2, but roc_auc is between 0 and 1"):
        ca.compare(long, dataset="d", model="m", value="roc_auc", rope=2)
    in_percent = {**long, "roc_auc": [100 * each for each in long["roc_auc"]]}
    assert len(ca.compare(in_percent, dataset="d", model="m", value="roc_auc", rope=2)) == 1


@pytest.fixture
def models(folder):
    return write_models(folder)
