"""A requirement for every group, `recall[region=*] >= 0.8`: the same at every door, also for a group that is new."""

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import classay as ca
from classay.assessment.required import outcomes_of
from classay.groups.every_group import each_group
from classay.inference.requirements import Verdict, parse
from classay.testing import assert_requirements
from command import call, refusal

RNG = np.random.default_rng(8)
N = 600
Y = RNG.integers(0, 2, N)
REGION = RNG.choice(["north", "south", "west, far"], N)
SEX = RNG.choice(["f", "m"], N)
SCORE = np.clip(
    0.5 + (Y - 0.5) * np.where(REGION == "west, far", 0.1, 0.6) + RNG.normal(0, 0.2, N), 0, 1
).round(4)


def of_both():
    frame = {"y": Y, "p": SCORE, "sex": SEX, "region": REGION}
    return ca.assess_by(frame, truth="y", score="p", by=["sex", "region"])


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns = zip(range(N), Y, SCORE, SEX, REGION, strict=True)
    lines = ["id,y,p,sex,region", *(f'{i},{y},{p},{s},"{r}"' for i, y, p, s, r in columns)]
    (tmp_path / "p.csv").write_text("\n".join(lines) + "\n")
    return "p.csv"


def test_every_group_is_held_to_it_and_none_else():
    groups = ca.assess_by(Y, SCORE, by=REGION)
    outcomes = outcomes_of(parse("recall[group=*] >= 0.8 and precision > 0.1"), groups, None)
    *of_groups, of_all = outcomes
    assert [one.value for one in of_groups] == [part["recall"].value for part in groups.groups.values()]
    for outcome, label in zip(of_groups, groups, strict=True):
        quoted = f'"{label}"' if "," in label else label
        assert str(outcome.requirement) == f"recall[group={quoted}] >= 0.8"
        assert outcomes_of([outcome.requirement], groups, None)[0].verdict is outcome.verdict
    assert "all cases together" in str(of_all)
    assert Verdict.FAIL in [one.verdict for one in of_groups]


@pytest.mark.parametrize(
    "name", ["recall[sex=f, region=*]", "recall[region=*, sex=*]", "recall[sex=*, region=north]"]
)
def test_a_star_stands_for_every_label_of_its_column(name):
    groups = of_both()
    found = [each.name for each in each_group(parse(f"{name} > 0"), groups.columns, groups)]
    wanted = [
        label
        for label in groups
        if ("sex=f" not in name or label[0] == "f") and ("region=north" not in name or label[1] == "north")
    ]
    assert len(found) == len(wanted)
    for written, label in zip(found, wanted, strict=True):
        assert groups.estimate(written) == groups[label].estimate("recall")


def test_what_it_is_refused_for():
    groups = of_both()
    wrong = [
        ("recall[age=*] > 0", groups),
        ("recall[sex=*] > 0", groups),
        ("recall[sex=*] > 0", ca.assess(Y, SCORE)),
    ]
    for text, a in wrong:
        with pytest.raises(ca.InputError, match="every group"):
            assert_requirements(a, text)
    with pytest.raises(ca.InputError, match="different groups"):
        assert_requirements(groups, "recall[sex=*] > 0 and recall[region=*] > 0")
    with pytest.raises(ca.InputError, match="matches no group"):
        assert_requirements(groups, "recall[sex=x, region=*] > 0")


def test_the_commands_bring_the_groups_and_gate_all_cases(rows):
    demand = ("--require", "recall[region=*] >= 0.8", "--junit", "j.xml", "--json", "j.json")
    assessed = call("assess", rows, "--truth", "y", "--score", "p", *demand)
    assert assessed.exit_code == 1
    found = json.loads(Path("j.json").read_text())["requirements"]
    tests = ElementTree.parse("j.xml").getroot()
    assert len(found) == len(tests) == 3
    assert [len(test) for test in tests] == [each["verdict"] != "pass" for each in found]
    lines = Path(rows).read_text().splitlines()
    Path("old.csv").write_text("\n".join([lines[0], *lines[:0:-1]]) + "\n")
    roles = ("--truth", "y", "--score", "p", "--id", "id", "--measure", "roc_auc")
    rule = ("gate", rows, "old.csv", *roles)
    gated = call(*rule, "--rule", "non-inferior", "--margin", "0.3", *demand)
    assert gated.exit_code == 1
    document = json.loads(Path("j.json").read_text())
    assert document["requirements"] == found
    assert "groups" not in document or not document["groups"]
    by_group = call(*rule, "--rule", "non-inferior", "--margin", "0.3", "--by", "region", *demand)
    assert by_group.exit_code == 1
    assert json.loads(Path("j.json").read_text())["requirements"] == found
    assert "--require" in refusal("assess", rows, "--truth", "y", "--score", "p", "--junit", "j.xml")
