"""What groups of cases add to `cli/test_merge_command.py`."""

import json
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import classay as ca
from command import call, refusal, typed
from days import save_days

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "assessment.schema.json").read_text())


@pytest.fixture(autouse=True)
def days(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return save_days(tmp_path)


def test_files_stand_beside_the_others(days):
    done = call(
        *typed("merge mon.classay tue.classay wed.classay --apart --json a.json --measures auc"),
    )
    assert "By file" in done.stdout
    groups = json.loads(Path("a.json").read_text())["slices"]["groups"]
    assert [each["label"] for each in groups] == ["mon", "tue", "wed"]
    wanted = (
        ca.assess_by(days[0], days[1], by=np.repeat(["mon", "tue", "wed"], 200)).frame("roc_auc").to_pylist()
    )
    assert [each["measures"]["roc_auc"]["p"] for each in groups] == pytest.approx(
        [each["p"] for each in wanted]
    )
    done = call("merge", "mon.classay", "tue.classay", "--apart", "--reference", "mon")
    assert "Difference: group minus group 'mon'" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("mon.classay",), "Name two or more files"),
        (("mon.classay", "mon.classay"), "mon.classay is named twice. Name each file once"),
        (
            ("mon.classay", "./mon.classay"),
            "are the same file or have the same content. Name each file once.",
        ),
        (("mon.classay", "tue.classay", "--reference", "mon"), "Add --apart"),
        (
            ("mon.classay", "tue.classay", "--apart", "--reference", "mo"),
            "Group 'mo' does not occur. Groups of file: 'mon', 'tue'",
        ),
        (
            ("mon.classay", "other.classay"),
            "The files cannot be merged. The assessments differ in threshold (0.5 and 0.3)",
        ),
        (("mon.classay", "none.classay"), "none.classay"),
        (("mon.classay", "tue.classay", "--save", "mon.classay"), "mon.classay"),
        (("mon.classay", "rows.csv"), "rows.csv is not a saved assessment and seems to contain rows"),
    ],
)
def test_what_cannot_be_merged_is_refused(days, given, said):
    ca.assess(*days, threshold=0.3).save("other.classay")
    Path("rows.csv").write_text("y,p\n1,0.5\n")
    assert said in refusal("merge", *given)


def test_trends_over_files_are_those_of_their_values_and_the_whole_meets_its_demands(days):
    from classay.groups.trends import trends_over

    files = ("mon.classay", "tue.classay", "wed.classay")
    done = call("merge", *files, "--trend", "--json", "a.json", "--require", "auc >= 0.99")
    assert done.exit_code == 1, done.stderr  # the gate is of the whole
    text = " ".join(done.stdout.split())
    assert "Trends" in text
    assert "3 files" in text
    assert "With 3 files, only trends of several standard errors are detected" in text
    found = json.loads(Path("a.json").read_text())
    Draft202012Validator(SCHEMA).validate(found)
    parts = [ca.load(each) for each in files]
    trends = trends_over(dict(zip(("mon", "tue", "wed"), parts, strict=True)), [*found["trends"]["measures"]])
    for name, told in found["trends"]["measures"].items():
        wanted = trends.changes[name]
        of_json = [None if np.isnan(each) else each for each in (wanted.value, wanted.low, wanted.high)]
        assert [told["value"], told["low"], told["high"]] == of_json
    assert found["trends"]["shards"] == ["mon", "tue", "wed"]
    for name, values in found["trends"]["values"].items():
        told = [(each["value"], each["low"]) for each in values]
        assert told == [(part[name].value, part[name].low) for part in parts]
    back = call("merge", *files[::-1], "--trend", "--json", "b.json", "--measures", "auc")
    assert back.exit_code == 0
    turned = json.loads(Path("b.json").read_text())["trends"]["measures"]["roc_auc"]
    assert turned["value"] == pytest.approx(-found["trends"]["measures"]["roc_auc"]["value"])
    beside = call("merge", *files[::-1], "--trend", "--apart", "--measures", "auc").stdout.partition(
        "By file"
    )[2]
    assert sorted(("mon", "tue", "wed"), key=beside.index) == [
        "wed",
        "tue",
        "mon",
    ]  # in the order given, not by value
    assert "--trend needs at least 3 files in their order, but there are 2" in refusal(
        "merge", *files[:2], "--trend"
    )


def test_a_trend_is_a_finding_before_the_worst_file_and_shows_each_file(tmp_path):
    rng = np.random.default_rng(0)
    names = [f"d{k}.classay" for k in range(8)]
    for k, name in enumerate(names):
        y = (rng.random(500) < 0.4).astype(int)
        score = np.clip(0.5 + (0.5 - 0.05 * k) * (y - 0.5) + rng.normal(0, 0.25, 500), 0, 1)
        ca.assess(y, score).save(name)
    done = call("merge", *names, "--trend", "--measures", "auc", "--json", "a.json")
    text = " ".join(done.stdout.replace("┃", "").split())
    found = json.loads(Path("a.json").read_text())
    Draft202012Validator(SCHEMA).validate(found)
    assert found["trends"]["p"]["roc_auc"] < 0.001
    values = [each["value"] for each in found["trends"]["values"]["roc_auc"]]
    assert "ROC AUC fell by 0." in text
    assert " per file (95% CI " in text
    assert "Values by file" in text
    for name, value in zip(names, values, strict=True):
        assert f"{name.removesuffix('.classay')} 500 {value:.3f}" in text
    apart = call("merge", *names, "--trend", "--apart", "--measures", "auc")
    text = " ".join(apart.stdout.replace("┃", "").split())
    assert -1 < text.find("ROC AUC fell by") < text.find(" than in the other groups: ")
