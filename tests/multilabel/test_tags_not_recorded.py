"""Several labels a case without a recorded group: the whole keeps every case, groups have a line of their own."""

import json

import numpy as np
import pandas as pd
import pytest

import classay as ca
from classay.errors import InputError, NothingCountsError
from command import call, refusal, typed
from samples import tag_rows

N, TAGS = 160, ("ant", "bee", "cat")
RNG = np.random.default_rng(4)
Y, P = tag_rows(RNG, N, 3)
CALLED = {
    name: np.where(RNG.random(Y.shape) < share, Y, 1 - Y) for name, share in (("new", 0.85), ("old", 0.7))
}
SITE = np.where(np.arange(N) % 7 == 0, None, RNG.choice(["n", "s", "w"], N)).astype(object)
BARE = np.array([each is None for each in SITE])
NAMES = ("micro_f1", "macro_roc_auc", "exact_match", "recall[bee]")
DRAWN = {
    "once": {},
    "frequency": {"frequency": RNG.integers(0, 4, N)},
    "weight": {"weight": RNG.integers(0, 3, N) / 2},
    "cluster": {"cluster": np.arange(N) // 4},
}


def of(columns, rows):
    return {name: each[rows] for name, each in columns.items()}


def numbers(one):
    return pytest.approx([one.value, one.low, one.high], nan_ok=True)


@pytest.mark.parametrize("drawn", DRAWN)
def test_the_whole_stays_and_groups_are_those_of_the_others(drawn):
    more = DRAWN[drawn]
    found = ca.assess_by(Y, P, by=SITE, labels=TAGS, missing="drop", **more)
    alone = ca.assess(Y, P, labels=TAGS, **more)
    without = ca.assess_by(Y[~BARE], P[~BARE], by=SITE[~BARE], labels=TAGS, **of(more, ~BARE))
    only = ca.assess(Y[BARE], P[BARE], labels=TAGS, **of(more, BARE))
    assert (found.overall.n, found.not_recorded.n) == (alone.n, only.n)
    for name in NAMES:
        assert found.overall.estimate(name) == alone.estimate(name)
        assert numbers(found.not_recorded.estimate(name)) == numbers(only.estimate(name)).expected
        for ours, theirs in zip(found.compare(name), without.compare(name), strict=True):
            assert (ours.group, ours.p) == (theirs.group, pytest.approx(theirs.p, nan_ok=True))
            assert numbers(ours.difference) == numbers(theirs.difference).expected
    assert found.pool(2).not_recorded is found.not_recorded


def test_the_line_is_shown_in_every_form():
    found = ca.assess_by(Y, P, by=SITE, labels=TAGS, missing="drop")
    assert found.frame("micro_f1").to_pylist()[-1]["group"] == "not recorded"
    for text in (str(found), found.to_markdown(), found._repr_html_()):
        assert "not recorded" in text
    assert found.to_dict()["not_recorded"]["n"] == BARE.sum()
    assert f"{BARE.sum()} cases without a recorded group" in " ".join(str(found).split())


@pytest.mark.parametrize("drawn", DRAWN)
def test_comparisons_and_gates_keep_the_whole(drawn):
    more, how = DRAWN[drawn], {"measures": ["micro_f1"], "labels": TAGS}
    given = {"y_true": Y, "y_pred": CALLED}
    found = ca.compare(**given, by=SITE, missing="drop", **how, **more)
    alone = ca.compare(**given, **how, **more)
    rest = {"y_true": Y[~BARE], "y_pred": of(CALLED, ~BARE)}
    without = ca.compare(**rest, by=SITE[~BARE], **how, **of(more, ~BARE))
    bare = ca.compare(y_true=Y[BARE], y_pred=of(CALLED, BARE), **how, **of(more, BARE))
    assert (found[0].effect, found[0].p) == (alone[0].effect, alone[0].p)
    for label, each in without.groups.items():
        assert numbers(found.groups[label][0].effect) == numbers(each[0].effect).expected
    assert found.interaction("micro_f1").p == pytest.approx(without.interaction("micro_f1").p)
    assert numbers(found.not_recorded[0].effect) == numbers(bare[0].effect).expected
    made = ca.gate(found, "non-inferior", 0.05)
    assert made.all_cases.difference == ca.gate(alone, "non-inferior", 0.05).difference
    written = made.to_dict()["not_recorded"]
    assert written["n"] == found.cases_not_recorded == bare[0].n or drawn in ("weight", "cluster")
    assert written["values_of_models"] == pytest.approx(list(bare[0].values))
    for text in (str(found), made.to_markdown(), made._repr_html_()) if drawn == "once" else ():
        assert "not recorded" in text


def test_frames_and_rows_of_a_case_and_a_tag_have_the_same_line():
    found = ca.assess_by(Y, P, by=SITE, labels=TAGS, missing="drop")
    frame = pd.DataFrame({f"y_{tag}": Y[:, i] for i, tag in enumerate(TAGS)})
    frame = frame.assign(
        **{f"p_{tag}": P[:, i] for i, tag in enumerate(TAGS)}, site=SITE, age=np.arange(N) % 2
    )
    framed = ca.assess_by(frame, truth="y_*", score="p_*", by="site", missing="drop")
    case, tag = np.repeat(np.arange(N), 3), np.tile(TAGS, N)
    long = ca.assess_by(Y.ravel(), P.ravel(), case=case, tag=tag, by=np.repeat(SITE, 3), missing="drop")
    for other in (framed, long):
        assert numbers(other.not_recorded["micro_f1"]) == numbers(found.not_recorded["micro_f1"]).expected
    both = ca.assess_by(frame, truth="y_*", score="p_*", by=["site", "age"], missing="drop")
    assert both.not_recorded.n == found.not_recorded.n


def test_groups_of_tags_keep_an_order_and_name_those_that_do_not_count():
    column = pd.Categorical(SITE, ["w", "n", "s", "never"], ordered=True)
    found = ca.assess_by(Y, P, by=column, labels=TAGS, missing="drop", frequency=(SITE != "n").astype(int))
    assert (found.ordered, [*found], found.uncounted) == (True, ["w", "s"], ("n",))


REFUSED = [
    ({"by": SITE}, "group is missing in 23 rows"),
    ({"by": np.full(N, None), "missing": "drop"}, "No included row has a recorded group"),
    (
        {"by": SITE, "missing": "drop", "unanswered": "drop"},
        "'unanswered' cannot be used with multilabel cases",
    ),
]


@pytest.mark.parametrize(("how", "words"), REFUSED)
def test_what_is_refused(how, words):
    with pytest.raises((InputError, NothingCountsError), match=words):
        ca.assess_by(Y, P, labels=TAGS, **how)
    with pytest.raises((InputError, NothingCountsError), match=words):
        ca.compare(y_true=Y, y_pred=CALLED, labels=TAGS, **how)


def test_without_groups_nothing_is_missing():
    assert ca.assess(Y, P, labels=TAGS, missing="drop").to_dict() == ca.assess(Y, P, labels=TAGS).to_dict()


def test_the_command_counts_blank_groups_apart(tmp_path):
    columns = {f"y_{tag}": Y[:, i] for i, tag in enumerate(TAGS)}
    columns |= {f"{name}_{tag}": each[:, i] for name, each in CALLED.items() for i, tag in enumerate(TAGS)}
    file, out = tmp_path / "p.csv", tmp_path / "o.json"
    pd.DataFrame(columns).assign(site=SITE).to_csv(file, index=False)
    truth, groups = ("--truth-tags", "y_*"), ("--by", "site")
    models = (*truth, "--tag-predictions", "new=new_*,old=old_*")
    gated = (
        *typed("--measure micro_f1 --rule non-inferior --margin 0.05 --require"),
        "micro_f1 >= 0.5",
    )
    calls = {
        "assess": (*truth, "--tag-predictions", "new_*"),
        "compare": (*models, "--measures", "micro_f1"),
        "gate": (*models, *gated),
    }
    for command, how in calls.items():
        assert "--missing drop" in refusal(command, str(file), *how, *groups)
        done = call(command, str(file), *how, *groups, "--missing", "drop", "--json", str(out))
        assert done.exit_code == 0, done.stderr
        found = json.loads(out.read_text())
        assert found.get("slices", found)["not_recorded"]["n"] == BARE.sum(), command
    pooled = call("assess", str(file), *calls["assess"], *groups, "--missing", "drop", "--pool", "60")
    assert pooled.exit_code == 0
    assert "the rest" in pooled.stdout
