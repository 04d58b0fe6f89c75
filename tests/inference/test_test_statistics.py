"""A test statistic has its p-value at every door, and no interval; other measures have no such p."""

import json

import numpy as np
import pytest
from scipy import stats

import classay as ca
from command import call, typed


@pytest.fixture
def rows():
    rng = np.random.default_rng(4)
    p = rng.uniform(0.05, 0.95, 400).round(3)
    return (rng.random(400) < p**1.3).astype(int), p


def test_spiegelhalters_p_is_two_sided_and_in_every_form(rows, tmp_path, monkeypatch):
    y, p = rows
    a = ca.assess(y, p)
    z = ((y - p) * (1 - 2 * p)).sum() / np.sqrt(((1 - 2 * p) ** 2 * p * (1 - p)).sum())
    found = a["spiegelhalter_z"]
    assert (found.value, found.p) == pytest.approx((z, 2 * stats.norm.sf(abs(z))))
    said = f"two-sided p = {found.p:.2g}"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text("\n".join(["y,p", *(f"{a},{b}" for a, b in zip(y, p, strict=True))]))
    how = typed("--truth y --score p --measures spiegelhalter_z --html a.html --json a.json")
    done = call("assess", "rows.csv", *how)
    for text in (repr(found), done.stdout, (tmp_path / "a.html").read_text()):
        assert said in " ".join(text.replace("\xa0", " ").split())
    of_json = json.loads((tmp_path / "a.json").read_text())["measures"]["spiegelhalter_z"]
    assert of_json["p"] == pytest.approx(found.p)
    assert (
        json.loads(json.dumps(a.to_dict(["spiegelhalter_z"])))["measures"]["spiegelhalter_z"]["p"] == found.p
    )
    assert "p" not in a.to_dict(["brier_score"])["measures"]["brier_score"]


def test_the_sign_of_the_statistic_and_the_order_of_the_classes_change_no_p(rows):
    y, p = rows
    there, back = ca.assess(y, p)["spiegelhalter_z"], ca.assess(1 - y, 1 - p)["spiegelhalter_z"]
    assert there.p == pytest.approx(back.p)
    doubled = ca.assess(y, p, frequency=np.full(y.size, 2))["spiegelhalter_z"]
    assert doubled.p == pytest.approx(2 * stats.norm.sf(abs(doubled.value)))


@pytest.mark.parametrize("how", [{"cluster": np.arange(400) // 4}, {"weight": np.linspace(1, 2, 400)}])
def test_it_has_none_where_cases_depend_on_each_other_or_count_unlike(rows, how):
    y, p = rows
    found = ca.assess(y, p, **how)["spiegelhalter_z"]
    assert found.p is None
    assert "needs independent, equally weighted cases" in found.reason


def test_saved_and_loaded_it_is_the_same(rows, tmp_path):
    y, p = rows
    a = ca.assess(y, p)
    a.save(tmp_path / "a.classay")
    assert ca.load(tmp_path / "a.classay")["spiegelhalter_z"] == a["spiegelhalter_z"]
