"""Demands of a gate in JUnit XML: as many tests as demands, failures where the verdict failed."""

import xml.etree.ElementTree as ET

import pytest

from classay.inference.requirements import Verdict
from classay.office.junit import as_junit
from command import call, typed
from sample_documents import HOSTILE

GATE = ("p.csv", "--truth", "y", "--scores", "new,old", "--measure", "auc", "--rule", "non-inferior")


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [
        "y,new,old",
        *(f"{k % 2},{0.3 * (k % 2) + (k * 7 % 10) / 20},{(k * 7 % 10) / 10}" for k in range(200)),
    ]
    (tmp_path / "p.csv").write_text("\n".join(lines))


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize(
    ("more", "code", "tags"),
    [
        (("--require", "auc >= 0.2"), 0, [None, None]),
        (("--require", "auc >= 0.2 and auc.low >= 0.99"), 1, [None, None, "failure"]),
        (("--require", "auc >= 0.999"), 1, [None, "failure"]),
        (("--require", "lift >= 0.2", "--require", "auc[zebra] >= 0"), 2, None),
    ],
)
def test_each_demand_is_a_test_with_its_verdict(tmp_path, more, code, tags):
    done = call("gate", *GATE, "--margin", "0.05", *more, "--junit", "gate.xml")
    assert done.exit_code == code, done.stderr
    if tags is None:
        assert not (tmp_path / "gate.xml").exists()
        return
    suite = ET.parse(tmp_path / "gate.xml").getroot()
    cases = suite.findall("testcase")
    assert [next((child.tag for child in case), None) for case in cases] == tags
    assert suite.get("tests") == str(len(tags))
    assert suite.get("failures") == str(tags.count("failure"))
    assert cases[0].get("name") == "non-inferior in roc_auc"


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize(("how", "tag"), [("report", "error"), ("fail", "failure"), ("pass", None)])
def test_an_inconclusive_verdict_is_what_the_command_counts_it_as(tmp_path, how, tag):
    lines = ["y,new,old", *(f"{k % 2},{k * 7 % 41 / 41},{k * 11 % 37 / 37}" for k in range(60))]
    (tmp_path / "few.csv").write_text("\n".join(lines))
    gate = ("few.csv", "--truth", "y", "--scores", "new,old", "--measure", "auc", "--rule", "superior")
    done = call("gate", *gate, "--inconclusive", how, "--junit", "gate.xml")
    suite = ET.parse(tmp_path / "gate.xml").getroot()
    assert done.exit_code == {"report": 3, "fail": 1, "pass": 0}[how], done.stdout
    assert next((child.tag for child in suite[0]), None) == tag


def test_any_text_is_well_formed():
    demands = [(text, verdict, text) for text in (*HOSTILE, "\uffff", "a\x00b") for verdict in Verdict]
    suite = ET.fromstring(as_junit("<&\"'", demands).encode())
    assert suite.get("name") == "<&\"'"
    assert (len(suite), suite.get("failures"), suite.get("errors")) == (36, "12", "12")


@pytest.mark.usefixtures("rows")
def test_each_group_of_a_gate_is_a_test_with_its_verdict(tmp_path):
    lines = ["y,new,old,site"]
    for k in range(400):
        new, old = (k % 2, k % 2) if k < 200 else ((k + k // 3) % 2, k % 2)
        lines.append(f"{k % 2},{new},{old},{'north' if k < 200 else 'south'}")
    (tmp_path / "p.csv").write_text("\n".join(lines))
    gate = typed("p.csv --truth y --predictions new,old --measure accuracy --rule non-inferior")
    done = call(
        "gate", *gate, "--margin", "0.1", "--by", "site", "--junit", "gate.xml", "--json", "gate.json"
    )
    assert "At most: the upper limit of the difference" in done.stdout
    cases = ET.parse(tmp_path / "gate.xml").getroot().findall("testcase")
    tags = {case.get("name"): next((child.tag for child in case), None) for case in cases}
    rule = "non-inferior in accuracy"
    assert tags == {rule: "failure", f"{rule}, site = north": None, f"{rule}, site = south": "failure"}
