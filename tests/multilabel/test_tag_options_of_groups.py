"""What groups of cases add to `cli/test_tag_options.py`."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator

import classay as ca
from command import as_json, call, refusal
from multilabel.test_tag_options import (
    BOTH,
    NAMED,
    SCORES,
    TRUTH,
    WAYS,
    A,
    told,
    write_cases,
    write_models,
    write_parts,
)

SCHEMA = Draft202012Validator(
    json.loads((Path(__file__).parents[2] / "docs" / "tags.schema.json").read_text())
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_cases()


REFUSED = {
    "a truth alone": (
        ("wide.csv", "--truth", "a", "--tag-scores", "p_*"),
        "Use --truth-tags or --tags, or --case and --tag",
    ),
    "no match": (("wide.csv", "--truth-tags", "z_*", "--tag-scores", "p_*"), "No column matches 'z_*' of truth"),
    "a tag without scores": (("wide.csv", "--truth-tags", "a,b", "--tag-scores", "a=p_a"), "no column of tag 'b'"),
    "twice": (("wide.csv", "--truth-tags", "a,a", *NAMED), "names a column twice"),
    "a tag twice": (("wide.csv", "--truth-tags", "a,b", "--tag-scores", "a=p_a,a=p_b"), "names a tag twice"),
    "no marks": (
        ("wide.csv", "--truth-tags", "a=p_b", "--tag-scores", "a=p_a"),
        "truth of tag 'a' is 0.01 at index 19, but a tag must be 0 or 1 (False",
    ),
    "a hole": (("wide.csv", "--truth-tags", "a", "--tag-scores", "a=hole"), "missing"),
    "both": ((*WAYS["names"], "--threshold", "0.3", "--top", "1"), "Use one of them to predict tags"),
    "a case has a tag twice": (("twice.csv", *WAYS["long"][1:]), "has tag 'c' twice"),
    "no threshold of c": ((*WAYS["names"], "--tag-thresholds", "a=0.3,b=0.5"), "threshold has no number for 'c'"),
    "other names": (
        ("wide.csv", "--truth-tags", "a,b", "--tag-scores", "p_a,p_b"),
        "--labels names the columns in their order",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(folder, name):
    arguments, words = REFUSED[name]
    assert words in refusal("assess", *arguments)


@pytest.fixture
def two(folder):
    write_models()


def test_groups_are_those_of_assess_by(two):
    asked = ("--by", "site", "--require", "micro_f1 >= 0.1")
    found = told("two.csv", "--truth-tags", "y_*", "--tag-scores", "p_*", *asked)
    assert {"slices", "requirements"} < {*found}
    assert not [*SCHEMA.iter_errors(found)]
    wanted = ca.assess_by(TRUTH, SCORES, by=np.array(list("ns" * 20)), labels=list("abc"))
    groups = {each["label"]: each["measures"] for each in found["slices"]["groups"]}
    assert {*groups} == {"n", "s"}
    for label, measures in groups.items():
        for name, each in measures.items():
            one = wanted[label].estimate(name)
            assert [each["estimate"]["value"], each["estimate"]["low"]] == pytest.approx([one.value, one.low])


@pytest.mark.parametrize("columns", [["site"], ["day", "site"], ["site", "day", "half"]], ids=str)
def test_groups_of_several_columns_are_those_of_python(two, columns):
    table = pd.read_csv("two.csv")
    table["day"], table["half"] = ["mon", "tue", "tue", "mon"] * 10, np.repeat(["a", "b"], 20)
    table.to_csv("sites.csv", index=False)
    found = told("sites.csv", "--truth-tags", "y_*", "--tag-scores", "p_*", "--by", ",".join(columns))
    given = columns if len(columns) > 1 else columns[0]
    wanted = ca.assess_by(table, truth="y_*", score="p_*", by=given)
    groups, others = found["slices"]["groups"], as_json(wanted)["groups"]
    assert len(groups) == len(others) == len(table[columns].drop_duplicates())
    for group, other in zip(groups, others, strict=True):
        assert (group["label"], group["measures"]) == (other["label"], other["measures"])


GATE = ("--measure", "micro_f1", "--rule", "non-inferior", "--margin", "0.05")


def test_a_gate_of_tags(two):
    """Exit codes: passed, failed, not to be told; requirements of all tags, of one, of one in a group."""
    assert call("gate", *BOTH, *GATE).exit_code == 0
    assert (
        call("gate", "two.csv", "--truth-tags", "y_*", "--tag-scores", "old=q_*,new=p_*", *GATE).exit_code
        == 1
    )
    for require, code in (
        ("micro_f1 >= .5", 0),
        ("micro_f1 >= .99", 1),
        ("macro_f1.low >= .1", 0),
        ("recall[tag=a].low >= .3", 0),
        ("recall[a].low >= .999", 1),
    ):
        assert call("gate", *BOTH, *GATE, "--require", require).exit_code == code, require
    grouped = call("gate", *BOTH, "--measure", "micro_f1", "--rule", "not-worse", "--by", "site", "--require",
                   "recall[a][site=n].low >= .1")  # fmt: skip
    assert grouped.exit_code == 0, grouped.output


@pytest.mark.usefixtures("folder")
def test_saved_parts_are_put_together():
    write_parts()
    for i in range(3):
        call("assess", f"parts/{i}.csv", *WAYS["patterns"][1:], "--save", f"s{i}")
    names = [f"s{i}.classay" for i in range(3)]
    done = call("merge", *names, "--json", "-", "--save", "all")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["measures"]["micro_f1"]["value"] == pytest.approx(A["micro_f1"].value)
    assert ca.load("all.classay")["macro_f1"].low == pytest.approx(A["macro_f1"].low)
    apart = call("merge", *names, "--apart", "--reference", "s1", "--require", "micro_f1 > 0.99")
    assert apart.exit_code == 1, apart.output
    assert "FAIL: micro_f1 > 0.99" in apart.output
    ca.assess([1, 0, 1], [0.2, 0.3, 0.9]).save("one")
    for order in (["one.classay", names[0]], [names[0], "one.classay"]):
        assert "cannot be added" in call("merge", *order).stderr
    assert "--trend cannot be used with multilabel cases" in call("merge", *names, "--trend").stderr
