"""Asking for groups changes nothing of the whole: cases without a group count there, and have a line of their own."""

import json

import numpy as np
import pytest

import classay as ca
from command import call, refusal

N = 400
RNG = np.random.default_rng(5)
Y = RNG.integers(0, 2, N)
P = np.clip(0.4 * Y + 0.6 * RNG.random(N), 0, 1)
Q = np.clip(P + RNG.normal(0, 0.1, N), 0, 1)
SEX = np.where(np.arange(N) % 11 == 0, None, RNG.choice(["f", "m"], N)).astype(object)
LABELED = np.where(np.arange(N) % 40 == 0, None, Y.astype(object))
BARE = np.array([each is None for each in SEX])
FRAME = {"y": LABELED, "a": P, "b": Q, "sex": SEX}
TWO = {"truth": "y", "scores": ["a", "b"], "missing": "drop", "measures": ["roc_auc"]}


@pytest.mark.parametrize(
    "more", [{}, {"weight": 1 + np.arange(N) % 3 / 2}, {"cluster": np.arange(N) // 4}, {"unanswered": "drop"}]
)
def test_groups_change_nothing_of_the_whole(more):
    p = np.where(np.arange(N) % 50 == 3, np.nan, P) if "unanswered" in more else P
    alone = ca.assess(LABELED, p, missing="drop", **more)
    found = ca.assess_by(LABELED, p, by=SEX, missing="drop", **more)
    assert found.overall.to_dict() == alone.to_dict()
    only = ca.assess(
        LABELED[BARE],
        p[BARE],
        missing="drop",
        **{k: v if isinstance(v, str) else v[BARE] for k, v in more.items()},
    )
    assert found.not_recorded["recall"].value == pytest.approx(only["recall"].value)


def test_groups_are_compared_as_if_the_others_were_not_there():
    found = ca.assess_by(LABELED, P, by=SEX, missing="drop")
    without = ca.assess_by(LABELED[~BARE], P[~BARE], by=SEX[~BARE], missing="drop")
    for ours, theirs in zip(found.compare(), without.compare(), strict=True):
        assert (ours.group, repr(ours.difference), ours.p_adjusted) == (
            theirs.group,
            repr(theirs.difference),
            pytest.approx(theirs.p_adjusted, nan_ok=True),
        )
    assert repr(found.disparity("recall")) == repr(without.disparity("recall"))
    assert found.pool(2).not_recorded is found.not_recorded


def test_the_line_is_shown_in_every_form():
    found = ca.assess_by(LABELED, P, by=SEX, missing="drop")
    n = found.not_recorded.n
    assert "\n  not recorded" in str(found)
    assert f"{n} cases without a recorded group" in str(found)
    assert "not recorded" in found.to_markdown()
    assert found.to_dict()["not_recorded"]["n"] == n
    last = found.frame("recall").to_pylist()[-1]
    assert (last["group"], last["n"], last["difference_reason"]) == (
        "not recorded",
        n,
        "its cases have no recorded group",
    )
    taken = np.where(SEX == "f", "not recorded", SEX)
    assert ca.assess_by(LABELED, P, by=taken, missing="drop").name_of_not_recorded == "not recorded (missing)"


def test_comparisons_and_gates_keep_the_whole():
    alone, found = ca.compare(FRAME, **TWO), ca.compare(FRAME, by="sex", **TWO)
    assert repr(found[0]) == repr(alone[0])
    kept = {name: each[~BARE] for name, each in FRAME.items()}
    without = ca.compare(kept, by="sex", **TWO)
    assert {k: repr(v[0]) for k, v in found.groups.items()} == {
        k: repr(v[0]) for k, v in without.groups.items()
    }
    assert found.interaction("roc_auc") == without.interaction("roc_auc")
    bare = ca.compare({name: each[BARE] for name, each in FRAME.items()}, **TWO)
    assert found.not_recorded[0].effect == bare[0].effect
    made = found.gate("non-inferior", 0.5)
    assert (made.all_cases.difference, made.verdict.value) == (
        alone.gate("non-inferior", 0.5).difference,
        "pass",
    )
    assert (
        made.to_dict()["not_recorded"]["n"]
        == found.cases_not_recorded
        == found.to_dict()["not_recorded"]["n"]
    )
    assert "not recorded" in str(found)


def test_thresholds_by_group_say_who_has_none():
    groups = ca.assess_by(LABELED, P, by=SEX, missing="drop")
    how = {"cost": ca.Costs(fp=1, fn=5), "where": "disparity_ratio(selection_rate) >= 0.8", "trade": False}
    found = ca.decide_by(groups, **how)
    without = ca.decide_by(ca.assess_by(LABELED[~BARE], P[~BARE], by=SEX[~BARE], missing="drop"), **how)
    assert found.by_group.cost == without.by_group.cost
    assert found.to_dict()["not_recorded"] == groups.not_recorded.n
    assert f"{groups.not_recorded.n} cases have no recorded group" in str(found)


def test_missing_labels_groups_and_predictions_are_counted_apart(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [
        ("" if y is None else y, "" if i % 50 == 3 else p, s or "")
        for i, (y, p, s) in enumerate(zip(LABELED, P, SEX, strict=True))
    ]
    text = "y,p,sex\n" + "".join(f"{y},{p},{s}\n" for y, p, s in rows)
    (tmp_path / "preds.csv").write_text(text)
    how = [
        "preds.csv",
        "--truth",
        "y",
        "--score",
        "p",
        "--missing",
        "drop",
        "--unanswered",
        "drop",
        "--json",
        "-",
    ]
    alone, found = (json.loads(call("assess", *how, *more).stdout) for more in ((), ("--by", "sex")))
    assert found["n"] == alone["n"]
    assert found["measures"] == alone["measures"]
    assert found["slices"]["not_recorded"]["n"] == sum(y != "" and p != "" and s == "" for y, p, s in rows)
    text = call("assess", *how[:-2], "--by", "sex").stdout
    assert "a missing label (10) or a missing score (8)" in " ".join(text.split())
    refusal("assess", *how[:5], "--unanswered", "drop", "--by", "sex")


@pytest.mark.parametrize("bands", [[40, 60], "3q"])
def test_bands_and_cases_without_a_group_commute(bands):
    """Bands of recorded groups are those of the rows that have one, and the other rows stay in the whole."""
    rng = np.random.default_rng(3)
    y, p, age = rng.integers(0, 2, 300), rng.random(300), rng.integers(20, 80, 300).astype(float)
    there = np.arange(300) >= 37
    known = np.where(there, age, np.nan)
    found = ca.assess_by(y, p, by=known, missing="drop", bands=bands, pool=20)
    alone = ca.assess_by(y[there], p[there], by=age[there], bands=bands, pool=20)
    assert found.overall.n == 300
    assert found.not_recorded is not None
    assert found.not_recorded.n == 37
    assert {label: each.n for label, each in found.items()} == {
        label: each.n for label, each in alone.items()
    }
    one, other = found.compare("accuracy"), alone.compare("accuracy")
    assert [each.difference.low for each in one] == [each.difference.low for each in other]


def test_bands_leave_cases_without_a_number_apart():
    age = np.where(BARE, np.nan, 18.0 + np.arange(N) % 60)
    band = np.where(BARE, None, np.where(age < 40, "below 40", "40 or more")).astype(object)
    times = 1 + np.arange(N) % 3
    in_bands = ca.assess_by(Y, P, by=age, bands=[40], missing="drop", frequency=times)
    named = ca.assess_by(Y, P, by=band, missing="drop", frequency=times)
    for label in ("below 40", "40 or more"):
        assert in_bands[label].to_dict() == named[label].to_dict()
    assert in_bands.not_recorded.to_dict() == named.not_recorded.to_dict()
    of_four = ca.assess_by(Y, P, by=age, bands="4q", missing="drop")
    assert sum(each.n for each in of_four.groups.values()) + of_four.not_recorded.n == N
