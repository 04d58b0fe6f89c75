"""Small groups pooled on request: as if their rows had had one label from the start, at every door."""

import json

import numpy as np
import pytest

import classay as ca
from classay.errors import InputError
from classay.groups.compared_groups import PooledGroups
from classay.groups.slices import GroupAssessments
from command import call

N = 1200
RNG = np.random.default_rng(32)
BY = RNG.choice(list("abcdefgh"), N, p=[0.4, 0.3, 0.2, 0.05, 0.02, 0.01, 0.01, 0.01])
SEX = RNG.choice(["f", "m"], N)
Y = RNG.integers(0, 2, N)
P = np.round(0.3 * Y + 0.7 * RNG.random(N), 3)
CLUSTER, WEIGHT, TIMES = RNG.integers(0, 150, N), RNG.random(N) + 0.5, RNG.integers(1, 4, N)
DRAWN = {
    "alike": {},
    "weights": {"weight": WEIGHT},
    "clusters": {"cluster": CLUSTER},
    "weighted clusters": {"cluster": CLUSTER, "weight": WEIGHT},
    "frequencies": {"frequency": TIMES},
}


def relabelled(by, pooled):
    """The column of groups with the pool's name for those that were pooled."""
    return np.where(np.isin(by, pooled.labels), pooled.name, by)


def is_same(one, other):
    numbers = ("value", "low", "high")
    ours, theirs = ([getattr(each, name) for name in numbers] for each in (one, other))
    return one.method == other.method and np.allclose(
        np.array(ours, float), np.array(theirs, float), rtol=1e-9, atol=1e-12, equal_nan=True
    )


@pytest.mark.parametrize("drawn", DRAWN)
def test_pooling_is_relabelling_the_rows_beforehand(drawn):
    g = ca.assess_by(Y, P, by=BY, pool=60, **DRAWN[drawn])
    h = ca.assess_by(Y, P, by=relabelled(BY, g.pooled), **DRAWN[drawn])
    assert {*g} == {*h}
    assert str(g.pooled.name) == f"the rest ({len(g.pooled.labels)} groups)"
    for label in (g.pooled.name, next(iter(g))):  # of the others no row moves either
        ours, theirs = g[label].estimates(), h[label].estimates()
        assert all(is_same(ours[name], theirs[name]) for name in theirs), label
    for ours, theirs in zip(g.criteria(), h.criteria(), strict=True):
        assert is_same(ours.gap.estimate, theirs.gap.estimate)
        assert (ours.gap.top, ours.gap.bottom) == (theirs.gap.top, theirs.gap.bottom)


def test_labels_of_several_classes_and_of_tags_are_pooled_too():
    three = RNG.integers(0, 3, N)
    called = np.where(RNG.random(N) < 0.7, three, RNG.integers(0, 3, N))
    g = ca.assess_by(three, y_pred=called, by=BY, pool=60)
    h = ca.assess_by(three, y_pred=called, by=relabelled(BY, g.pooled))
    assert g.disparity("accuracy").estimate == h.disparity("accuracy").estimate
    tags = RNG.random((N, 3)) < 0.4
    scores = np.where(tags, 0.6, 0.3) + RNG.random((N, 3)) / 3
    g = ca.assess_by(tags, scores, by=BY, pool=60)
    h = ca.assess_by(tags, scores, by=relabelled(BY, g.pooled))
    assert is_same(g[g.pooled.name]["micro_f1"], h[g.pooled.name]["micro_f1"])


def test_pooling_again_begins_with_the_groups_as_they_were():
    whole = ca.assess_by(Y, P, by=BY)
    assert [*whole.pool(400).pool(20)] == [*whole.pool(20)]
    again = whole.pool(60).pool(2)
    assert [*again] == [*whole]
    assert again.pooled.name is None
    assert "No groups were combined" in again.pooled.sentence


@pytest.mark.parametrize(
    ("fewer_than", "name", "words"),
    [
        (3, None, "No groups were combined, because every group has at least 3 cases."),
        (
            11,
            None,
            "No groups were combined, because only 'c' (10) has fewer than 11 cases.",
        ),
        (21, "the rest (2 groups)", "(30 cases): 'b' (20); 'c' (10)."),
        (60, "the rest (3 groups)", "All 3 groups with fewer than 60 cases"),
        (31, "the rest (2 groups)", "(30 cases, still below the limit): "),
    ],
)
def test_what_is_told_of_nothing_one_some_and_all(fewer_than, name, words):
    found = PooledGroups.among({"a": 50, "b": 20, "c": 10}, fewer_than)
    assert found.name == name
    assert words in found.sentence


def test_the_name_of_a_pool_is_no_groups_name():
    taken = "the rest (2 groups)"
    for labels in ([taken, "b", "c"], ["a", taken, "c"]):
        found = PooledGroups.among(dict(zip(labels, (50, 2, 3), strict=True)), 10)
        assert found.name == "the rest (2 groups, pooled)"
    more = {taken: 50, "the rest (2 groups, pooled)": 50, "b": 1, "c": 1}
    assert PooledGroups.among(more, 10).name == "the rest (2 groups, pooled 2)"


def test_a_pool_is_named_and_addressed_like_any_group():
    g = ca.assess_by(Y, P, by=BY, pool=60, reference="a")
    name = g.pooled.name
    assert g.reference == "a"
    assert g.estimate(f'recall[group="{name}"]') == g[name]["recall"]
    assert ca.assess_by(Y, P, by=BY, pool=60, reference=name).reference == name
    with pytest.raises(InputError, match="Group 'h' has 17 cases, and groups with fewer than 60 were"):
        g["h"]
    with pytest.raises(InputError, match="The reference 'h' has 17 cases, and groups with fewer than 60"):
        ca.assess_by(Y, P, by=BY, reference="h").pool(60)
    with pytest.raises(InputError, match="Group 'z' does not occur"):
        ca.assess_by(Y, P, by=BY, pool=60, reference="z")


def test_numbers_stay_numbers_beside_a_pool_which_has_no_place_in_their_order():
    years = np.repeat([1990, 1991, 1992, 1993], [500, 500, 100, 100])
    g = ca.assess_by(Y, P, by=years, pool=200)
    assert [*g] == [1990, 1991, "the rest (2 groups)"]
    assert not g.ordered
    assert g["1990"].n == 500


def test_groups_of_several_columns_make_one_pool():
    rows = {"y": Y, "p": P, "race": BY, "sex": SEX}
    g = ca.assess_by(rows, truth="y", score="p", by=["race", "sex"], pool=25)
    name = str(g.pooled.name)
    assert name in map(str, g)
    assert g[name].n == g.pooled.cases
    assert g.columns == ("race", "sex")
    assert sum(g[label].n for label in g) == N


def test_within_strata_the_groups_are_small_over_all_strata():
    rows = {"y": Y, "p": P, "race": BY, "sex": SEX}
    how = {"truth": "y", "score": "p", "by": ["race", "sex"]}
    g = ca.assess_by(rows, **how, pool=30)
    within = g.criteria(control="sex").pooled
    assert 1 < len(within.labels) < 8
    h = ca.assess_by(rows | {"race": relabelled(BY, within)}, **how)
    ours, theirs = (each.disparity("recall", control="sex") for each in (g, h))
    assert ours.estimate == theirs.estimate
    assert (ours.top, ours.bottom, ours.left_out) == (theirs.top, theirs.bottom, theirs.left_out)
    every = ca.assess_by(rows, **how, pool=2).criteria(control="sex")
    assert (every.pooled.small, every.pooled.name) == ((), None)


def test_saved_and_merged_parts_are_pooled_as_their_rows_would_be(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parts = {}
    for label in "abcdefgh":
        own = label == BY
        for half, rows in enumerate((own & (SEX == "f"), own & (SEX == "m"))):
            ca.assess(Y[rows], P[rows], labels=[0, 1], positive=1).save(tmp_path / f"{label}{half}")
        merged = ca.load(tmp_path / f"{label}0.classay") + ca.load(tmp_path / f"{label}1.classay")
        merged.save(tmp_path / label)
        parts[label] = ca.load(tmp_path / f"{label}.classay")
    whole = sum(parts.values())
    g = GroupAssessments("group", whole, parts).pool(60)
    h = ca.assess_by(Y, P, by=BY, pool=60)
    assert g.disparity("recall").estimate == h.disparity("recall").estimate
    assert g.disparity("roc_auc").estimate == h.disparity("roc_auc").estimate
    made = call("merge", *(f"{label}.classay" for label in "abcdefgh"), "--apart", "--pool", "60")
    assert "were combined into 'the rest (" in " ".join(made.stdout.split())


def test_models_are_compared_in_pooled_groups_as_in_relabelled_ones():
    models = {"new": P, "old": np.round(0.2 * Y + 0.8 * RNG.random(N), 3)}
    for more in ({}, {"frequency": TIMES}, {"cluster": CLUSTER}):
        how = {"measures": ["accuracy"], **more}
        g = ca.compare(models, Y, by=BY, pool=60, **how)
        h = ca.compare(models, Y, by=relabelled(BY, g.pooled), **how)
        assert {*g.groups} == {*h.groups}
        for label in g.groups:
            assert g.groups[label][0].effect == h.groups[label][0].effect
        assert np.isclose(g.interaction("accuracy").p, h.interaction("accuracy").p, rtol=1e-9)
        assert g.pooled.sentence in g.sentences_of_groups
    gate = g.gate("non-inferior", 0.2)
    assert gate.pooled == g.pooled
    assert g.pooled.sentence in gate.sentences


def test_thresholds_are_those_of_the_pool_also_for_new_cases():
    g = ca.assess_by(Y, P, by=BY, pool=60)
    found = ca.decide_by(g, cost=ca.Costs(fp=1, fn=2), where="disparity(recall) <= 0.1")
    at = found[g.pooled.name]
    assert found["h"] == at
    assert found.calls([at, at - 0.01], ["h", "g"]).tolist() == [True, False]
    assert found.to_dict()["pooled"]["small"][0]["group"] == g.pooled.labels[0]


def test_what_cannot_be_pooled_is_said_in_one_line():
    with pytest.raises(InputError, match="pool must be a number of cases, at least 2, but is 1"):
        ca.assess_by(Y, P, by=BY, pool=1)
    with pytest.raises(InputError, match="must be a whole number of cases"):
        ca.assess_by(Y, P, by=BY, pool=2.5)
    with pytest.raises(InputError, match=r"pool= has no effect with by='\*', which tests all subgroups"):
        ca.assess_by({"y": Y, "p": P, "by": BY}, truth="y", score="p", by="*", pool=9)
    with pytest.raises(InputError, match="pool= combines small groups, but by= is not set"):
        ca.compare({"a": P, "b": P[::-1]}, Y, pool=9)


def test_the_command_tells_of_a_pool_in_every_form(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{y},{p},{by}" for y, p, by in zip(Y, P, BY, strict=True)]
    (tmp_path / "rows.csv").write_text("\n".join(["y,p,race", *lines]) + "\n")
    how = ("rows.csv", "--truth", "y", "--score", "p", "--by", "race", "--pool", "60")
    made = call("assess", *how, "--criteria", "--json", "a.json", "--html", "a.html")
    told = ca.assess_by(Y, P, by=BY, pool=60).pooled
    assert told.sentence in " ".join(made.stdout.split())
    assert "the rest (" in (tmp_path / "a.html").read_text()
    kept = json.loads((tmp_path / "a.json").read_text())
    for part in ("slices", "criteria"):
        assert kept[part]["pooled"] == {
            "fewer_than": 60,
            "group": told.name,
            "small": [{"group": label, "n": n} for label, n in told.small],
            "sentence": told.sentence,
        }
    made = call("decide", *how, "--cost", "fp=1", "--cost", "fn=2", "--where", "disparity(recall) <= .1")
    assert told.sentence in " ".join(made.stdout.split())


def test_pooling_again_is_pooling_once_and_keeps_the_reference():
    once = ca.assess_by(Y, P, by=BY, reference="a", pool=30)
    for first in (
        ca.assess_by(Y, P, by=BY, reference="a", pool=100),
        ca.assess_by(Y, P, by=BY).pool(100).against("a"),
        ca.assess_by(Y, P, by=BY, reference="b").pool(100).against("a"),
    ):
        assert first.pool(30).to_dict() == once.to_dict()
        assert first.pool(2).reference == "a"
        with pytest.raises(InputError, match="The reference 'a' has 475 cases, and groups with fewer than"):
            first.pool(N)
    assert ca.assess_by(Y, P, by=BY, reference="a").pool(100).against(None).pool(30).reference is None
    pool = ca.assess_by(Y, P, by=BY, pool=100)
    of_pool = pool.against(pool.pooled.name)
    assert of_pool.pool(100).to_dict() == of_pool.to_dict()
    for number in (2, 30):
        with pytest.raises(
            InputError, match=r"The reference 'the rest \(5 groups\)' is a combined group, which"
        ):
            of_pool.pool(number)
