"""What groups of cases add to `comparison/test_one_rule.py`."""

import json

import numpy as np
import pytest

from command import call
from comparison.test_one_rule import FAIL, OPEN, PASS, by_the_table

N = 240


def models(gap):
    """Two models of cases that are all in one group."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, N)
    common = rng.normal(0, 0.2, N)
    score = {
        name: np.clip(0.3 + (0.4 + shift) * y + common + rng.normal(0, 0.1, N), 0.01, 0.99).round(4)
        for name, shift in (("new", gap), ("old", 0.0))
    }
    return y, score


@pytest.mark.parametrize("gap", [-0.12, 0.0, 0.15])
def test_the_command_ends_with_the_verdict_of_the_table(gap, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y, score = models(gap)
    right = {name: (each >= 0.5) == y for name, each in score.items()}
    rows = ["y,new,old,right_new,right_old,g"]
    rows += [
        f"{y[k]},{score['new'][k]},{score['old'][k]},{int(right['new'][k])},{int(right['old'][k])},all"
        for k in range(N)
    ]
    (tmp_path / "both.csv").write_text("\n".join(rows))
    how = ("--rule", "non-inferior", "--margin", "0.02")
    for columns in (
        ("--truth", "y", "--scores", "new,old", "--measure", "accuracy"),
        ("--graded", "right_new,right_old", "--bounds", "0,1"),
    ):
        codes = set()
        for by in ((), ("--by", "g")):
            done = call("gate", "both.csv", *columns, *how, *by, "--json", "gate.json")
            said = json.loads((tmp_path / "gate.json").read_text())
            low, high = said["difference"]["low"], said["difference"]["high"]
            wanted = by_the_table(low, high, "non-inferior", 0.02)
            assert done.exit_code == {PASS: 0, FAIL: 1, OPEN: 3}[wanted], done.stderr
            assert (said["verdict"], said["rule_verdict"]) == (wanted.value, wanted.value)
            codes.add(done.exit_code)
            for group in said.get("groups", []):
                assert group["verdict"] == wanted.value
                assert group["values_of_models"] == pytest.approx(said["values"])
        assert len(codes) == 1
