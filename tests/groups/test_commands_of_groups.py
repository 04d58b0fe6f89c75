"""Options of groups at the command reach the function, and what does not go with them is refused with what to do."""

import json

import numpy as np
import pandas as pd
import pytest

import classay as ca
from classay.errors import InputError
from classay.groups.group_thresholds import decide_by
from command import call, json_of, refusal

N = 240
RNG = np.random.default_rng(6)
SITE = np.array([*"abcd"])[np.minimum(np.arange(N) % 7, 3)]
Y = RNG.integers(0, 2, N)
FRAME = pd.DataFrame(
    {
        "y": Y,
        "p": np.clip(0.25 + 0.4 * Y + RNG.normal(0, 0.2, N), 0, 1).round(3),
        "q": np.clip(0.3 + 0.3 * Y + RNG.normal(0, 0.2, N), 0, 1).round(3),
        "site": SITE,
        "age": 20 + np.arange(N) % 40,
        "w": RNG.integers(1, 4, N),
        "id": [f"c{k}" for k in range(N)],
    }
)
TRUTH = ("p.csv", "--truth", "y", "--score", "p")
LIMIT = "disparity(recall) <= 0.1"
DECIDE = ("decide", *TRUTH, "--cost", "fp=1", "--cost", "fn=2")
COST = ca.Costs(fp=1, fn=2)


@pytest.fixture(autouse=True)
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("p.csv", index=False)


def plain(result):
    return json.loads(json.dumps(result))


@pytest.mark.parametrize(
    ("options", "groups"),
    [
        (
            ("--by", "site", "--pool", "40", "--level", "0.8", "--seed", "5"),
            {"by": "site", "pool": 40, "level": 0.8, "seed": 5},
        ),
        (
            ("--by", "age", "--bands", "age=30,45", "--weight", "w", "--positive", "0"),
            {"by": "age", "bands": [30, 45], "weight": "w", "positive": 0},
        ),
    ],
)
def test_thresholds_by_group_at_the_command_are_the_function(options, groups):
    done = json_of(*DECIDE, "--where", LIMIT, *options)
    s = ca.assess_by(FRAME, truth="y", score="p", **groups)
    chosen = plain(decide_by(s, cost=COST, where=LIMIT).to_dict())
    found = done
    assert {**found, "model": None} == {**chosen, "model": None}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--by", "*", "--where", LIMIT), "--by '*' searches for subgroups, but thresholds need groups."),
        (("--maximize", "f1"), "so --maximize has no effect. Remove it."),
        (("--minimize", "log_loss"), "so --minimize has no effect. Remove it."),
        (("--top", "5"), "so --top has no effect. Remove it."),
        (("--prevalence", "0.1"), "so --prevalence has no effect. Remove it."),
        (("--score", "q"), "so the second --score has no effect. Remove it."),
        (("--where", "recall >= 0.5"), "where must be one limit on a gap or ratio"),
    ],
)
def test_thresholds_by_group_are_refused(options, words):
    more = [] if "--by" in options else ["--by", "site"]
    more += [] if "--where" in options else ["--where", LIMIT]
    assert words in refusal(*DECIDE, *options, *more, columns=400)


@pytest.mark.parametrize("lacking", ["--cost", "--where"])
def test_thresholds_by_group_need_costs_and_a_limit(lacking):
    costs = () if lacking == "--cost" else ("--cost", "fp=1", "--cost", "fn=2")
    limit = () if lacking == "--where" else ("--where", LIMIT)
    assert "--by needs costs and a limit to choose thresholds by group." in refusal(
        "decide", *TRUTH, "--by", "site", *costs, *limit, columns=400
    )


@pytest.mark.parametrize(
    ("options", "groups"),
    [
        (("--by", "site"), {"by": "site"}),
        (("--by", "site", "--reference", "b"), {"by": "site", "reference": "b"}),
        (("--by", "site", "--pool", "40"), {"by": "site", "pool": 40}),
        (("--by", "site", "--threshold", "0.3"), {"by": "site", "threshold": 0.3}),
        (("--by", "site", "--level", "0.8"), {"by": "site", "level": 0.8}),
        (("--by", "age", "--bands", "age=30,45"), {"by": "age", "bands": [30, 45]}),
        (("--by", "site", "--weight", "w"), {"by": "site", "weight": "w"}),
    ],
)
def test_groups_at_the_command_are_the_function(options, groups):
    done = json_of("assess", *TRUTH, *options)
    s = ca.assess_by(FRAME, truth="y", score="p", **groups)
    found, wanted = done, plain(s.to_dict())
    assert found["slices"]["groups"] == wanted["groups"]
    assert found["slices"]["by"] == wanted["by"] == ", ".join([s.by])


def test_the_search_at_both_doors():
    done = call("assess", *TRUTH, "--by", "*", "--id", "id", "--level", "0.9", "--json", "-")
    s = ca.assess_by(FRAME, truth="y", score="p", by="*", id="id", level=0.9)
    assert json.loads(done.stdout) == plain(s.to_dict())
    assert "--measures recall has no effect with --by '*', which compares accuracy." in refusal(
        "assess", *TRUTH, "--by", "*", "--measures", "recall", columns=400
    )
    assert call("assess", *TRUTH, "--by", "*", "--measures", "accuracy", "--json", "-").exit_code == 0


STARRED = {"truth": "y", "by": "*"}


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (
            lambda: ca.assess_by(FRAME, score="p", **STARRED, reference="a"),
            "reference= has no effect with by='*'",
        ),
        (lambda: ca.assess_by(FRAME, score="p", **STARRED, pool=5), "pool= has no effect with by='*'"),
        (lambda: ca.assess_by(FRAME, score="p", **STARRED, bands=[3]), "bands= has no effect with by='*'"),
        (
            lambda: ca.assess_by(FRAME, score="p", **STARRED, interval="wald"),
            "interval= has no effect with by='*'",
        ),
        (lambda: ca.assess_by(FRAME, score="p", **STARRED, weight="w"), "by='*' uses exact tests"),
        (lambda: ca.assess_by(FRAME, score="p", **STARRED, cluster="site"), "by='*' uses exact tests"),
        (lambda: ca.assess_by(Y, FRAME["p"], by="*"), "by='*' searches the unused columns of a frame."),
        (lambda: compared(weight="w"), "by='*' uses exact tests"),
        (lambda: compared(measures=["roc_auc"]), "by='*' compares accuracy, recall or specificity."),
        (
            lambda: compared(measures=["accuracy", "recall"]),
            "by='*' compares accuracy, recall or specificity.",
        ),
        (lambda: compared(pool=5), "has no effect with by='*', which tests all subgroups"),
        (lambda: compared(control="a"), "has no effect with by='*', which tests all subgroups"),
        (lambda: compared(scores={"a": "p"}), "two models"),
        (
            lambda: ca.compare({"a": FRAME["p"], "b": FRAME["q"]}, Y, by="*", threshold=0.5),
            "by='*' searches the unused columns of a frame.",
        ),
        (
            lambda: ca.compare(
                FRAME,
                truth="y",
                scores={"a": "p", "b": "q"},
                by="site",
                measures=["accuracy"],
                threshold=0.5,
                method="x",
            ),
            "x",
        ),
    ],
)
def test_what_does_not_go_with_a_search(ask, words):
    with pytest.raises(InputError) as refused:
        ask()
    assert words in str(refused.value)


def compared(**more):
    how = {"scores": {"a": "p", "b": "q"}, "threshold": 0.5} | more
    return ca.compare(FRAME, truth="y", by="*", **how)


def test_two_models_are_searched_in_their_columns():
    found = compared(id="id")
    assert found.models == ("a", "b")
    assert {*found.columns} == {"site", "age", "w"}
    assert dict(found.left_out) == {}
    recall = compared(id="id", measures=["recall"])
    assert (recall.measure, recall.cases) == ("recall", int(Y.sum()))
    one, two = ((FRAME[name] >= 0.5).astype(int) == Y for name in "pq")
    assert found.overall == pytest.approx(one.mean() - two.mean())


@pytest.mark.parametrize(
    ("by", "words"),
    [
        ([None] * N, "roup"),
        ([f"g{k}" for k in range(N)], "group"),
    ],
)
def test_groups_that_are_no_groups(by, words):
    with pytest.raises(InputError) as refused:
        ca.assess_by(Y, FRAME["p"], by=by)
    assert words in str(refused.value)


@pytest.mark.parametrize("pool", [2, 30, 40, 200])
def test_pools_of_comparisons_are_those_of_rows(pool):
    """Small groups of a comparison are combined as rows with one label are compared."""
    sizes = FRAME["site"].value_counts()
    small = {label for label, n in sizes.items() if n < pool}
    name = f"the rest ({len(small)} groups)"
    by = np.where(np.isin(SITE, [*small]) & (len(small) > 1), name, SITE)
    how = {"measures": ["accuracy"], "threshold": 0.5}
    models = {"a": FRAME["p"], "b": FRAME["q"]}
    pooled, rows = ca.compare(models, Y, by=SITE, pool=pool, **how), ca.compare(models, Y, by=by, **how)
    assert {*pooled.groups} == {*rows.groups}
    for label, one in rows.groups.items():
        assert pooled.cases[label] == rows.cases[label] == (by == label).sum()
        assert repr(pooled.groups[label][0]) == repr(one[0])
    assert pooled.pooled.fewer_than == pool
