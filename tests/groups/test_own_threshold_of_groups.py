"""What groups of cases add to `measures/test_own_threshold.py`."""

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

import classay as ca
from classay.testing import assert_requirements
from command import call, typed
from measures.test_own_threshold import N, P, Y, benefit

GROUP = np.arange(N) % 2


def test_by_other_doors(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns = {"y": Y.astype(int), "g": GROUP} | P
    pacsv.write_csv(pa.table(columns), "p.csv")
    own = benefit(0.2)
    groups = ca.assess_by(Y, P["a"], by=GROUP)
    for label in (0, 1):
        assert groups[label]["net_benefit(0.2)"].value == pytest.approx(benefit(0.2, rows=label == GROUP))
    ca.assess(Y, P["a"]).save("a.classay")
    assert ca.load("a.classay")["net_benefit(0.2)"].value == pytest.approx(own)
    assert_requirements(ca.assess(Y, P["a"]), f"net_benefit(0.2) >= {own - 1e-9}")
    base = ("p.csv", "--truth", "y", "--score", "a")
    for slack, code in ((-1e-9, 0), (1e-9, 1)):
        assert call("assess", *base, "--require", f"net_benefit(0.2) >= {own + slack}").exit_code == code
    apart = benefit(0.2) - benefit(0.2, P["b"])
    gate = typed("gate p.csv --truth y --score a,b --measure net_benefit(0.2) --rule not-worse")
    assert f"{apart:.3f}" in call(*gate).output
