"""`classay label` and `classay assess --design`: the list, its plan, further labels, and what is refused."""

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import classay as ca
from classay.cli import app


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    scores = np.round(1 / (1 + np.exp(-rng.normal(-3, 1.6, 5000))), 6)
    lines = [f"c{k:05},{score},{int(rng.random() < score)}" for k, score in enumerate(scores)]
    (tmp_path / "pool.csv").write_text("\n".join(["name,p,y", *lines]) + "\n")


def run(*arguments):
    done = CliRunner().invoke(app, arguments, env={"COLUMNS": "400"})
    return done.exit_code, done.stdout, done.stderr


POOL = ("label", "pool.csv", "--score", "p", "--budget", "200", "--threshold", "0.3")


def rows_of(file):
    with open(file, newline="") as stream:
        return [*csv.DictReader(stream)]


def test_the_list_its_plan_and_the_estimate():
    code, shown, _ = run(*POOL, "--measures", "recall,precision", "--out", "list.csv")
    assert code == 0
    assert "200 of 5,000 cases: 6 strata by score." in shown
    assert "Expected half-widths if the scores are correct: recall 0." in shown
    assert "(simple random sample: 0." in shown
    listed, pool, plan = rows_of("list.csv"), rows_of("pool.csv"), ca.LabelPlan.load("list.plan.json")
    assert [int(row["pool_row"]) for row in listed] == plan.rows.tolist()
    assert all(row["name"] == pool[int(row["pool_row"])]["name"] for row in listed)
    assert [float(row["chance"]) for row in listed] == pytest.approx(plan.chance.tolist(), abs=1e-9)
    code, shown, said = run(
        "assess", "list.csv", "--truth", "y", "--score", "p", "--design", "list.plan.json", "--json", "-"
    )
    assert (code, said) == (0, "")
    written = json.loads(shown)
    truth = np.array([int(row["y"]) for row in pool])
    a = ca.assess_labeled(truth[plan.rows], rows=plan.rows, plan=plan)
    assert written["measures"]["recall"]["low"] == a["recall"].low
    assert written == json.loads(json.dumps(a.to_dict()))


def test_a_list_without_scores():
    run(*POOL, "--out", "list.csv", "--blind")
    assert {*rows_of("list.csv")[0]} == {"pool_row", "name", "y"}
    assert run("assess", "list.csv", "--truth", "y", "--design", "list.plan.json")[0] == 0


def test_more_labels_keep_the_first_ones():
    run(*POOL, "--out", "list.csv")
    more = (
        "label",
        "pool.csv",
        "--score",
        "p",
        "--after",
        "list.csv",
        "--design",
        "list.plan.json",
        "--truth",
        "y",
    )
    code, shown, _ = run(*more, "--budget", "100", "--out", "more.csv")
    assert code == 0
    assert "300 of 5,000 cases" in shown
    first, both = rows_of("list.csv"), rows_of("more.csv")
    assert [row["pool_row"] for row in both[:200]] == [row["pool_row"] for row in first]
    assert len({row["pool_row"] for row in both}) == 300
    plan = ca.LabelPlan.load("more.plan.json")
    assert [float(row["chance"]) for row in both] == pytest.approx(plan.chance.tolist(), abs=1e-9)
    code, shown, _ = run("assess", "more.csv", "--truth", "y", "--design", "more.plan.json", "--json", "-")
    assert (code, json.loads(shown)["labels"]) == (0, 300)


@pytest.mark.parametrize(("condition", "code"), [("precision.low >= 0.1", 0), ("recall > 0.99", 1)])
def test_requirements_decide_the_exit_code(condition, code):
    run(*POOL, "--out", "list.csv")
    design = ("--design", "list.plan.json")
    assert run("assess", "list.csv", "--truth", "y", *design, "--require", condition)[0] == code


MORE = ("label", "pool.csv", "--score", "p", "--budget", "10")
LIST = ("assess", "pool.csv", "--truth", "y", "--design", "known.plan.json")
REFUSED = {
    "no score": (("label", "pool.csv"), "Name the column of --score"),
    "no budget": (("label", "pool.csv", "--score", "p"), "Use --budget N"),
    "budget above the pool": ((*MORE[:4], "--budget", "6000"), "there are 5,000 cases"),
    "blind without a list": ((*POOL, "--blind"), "Use --out too"),
    "over the pool": ((*POOL, "--out", "pool.csv"), "--out would overwrite pool.csv"),
    "over the plan": ((*POOL, "--out", "a.csv", "--json", "a.plan.json"), "another output"),
    "after without a plan": ((*MORE, "--after", "pool.csv"), "More labels need --design and --truth"),
    "positive without labels": ((*MORE, "--positive", "1"), "--positive needs labels"),
    "another aim": (
        (*MORE, "--after", "pool.csv", "--design", "known.plan.json", "--truth", "y", "--measures", "f1"),
        "--measures cannot change with --after",
    ),
    "no plan": ((*LIST[:-1], "pool.csv"), "damaged or not a labeling plan"),
    "missing plan": ((*LIST[:-1], "none.json"), "Cannot read none.json"),
    "another threshold": ((*LIST, "--threshold", "0.4"), "but the plan has 0.3"),
    "groups": ((*LIST, "--by", "name"), "--by cannot be used with --design"),
    "unsure without a plan": (("assess", "pool.csv", "--truth", "y", "--unsure", "x"), "Use --design too"),
    "no truth": (("assess", "pool.csv", "--design", "known.plan.json"), "--truth"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case):
    arguments, text = REFUSED[case]
    run(*POOL, "--out", "known.csv")
    code, _, said = run(*arguments)
    assert code == 2
    assert text in said


def test_another_pool_is_refused():
    run(*POOL, "--out", "list.csv")
    rows = rows_of("list.csv")
    lines = [f"{row['pool_row']},{float(row['p']) / 2},{row['y']}" for row in rows]
    with open("other.csv", "w") as stream:
        stream.write("\n".join(["pool_row,p,y", *lines]) + "\n")
    design = ("--truth", "y", "--score", "p", "--design", "list.plan.json")
    code, _, said = run("assess", "other.csv", *design)
    assert code == 2
    assert "The score differs from that of the plan" in said
    code, _, said = run("assess", "pool.csv", "--truth", "y", "--design", "list.plan.json")
    assert code == 0  # all of the pool have a label here, those that were not drawn are excluded
    assert "were not drawn by the plan" in run("assess", "pool.csv", *design)[1]
