"""Groups that are numbers in bands: comparisons, gates and thresholds by bands are those by a column of the bands."""

import json
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import classay as ca
from classay.errors import InputError
from command import call, refusal

RNG = np.random.default_rng(8)
N = 300
AGE = 18 + 3 * RNG.integers(0, 22, N)
Y = (RNG.random(N) < 0.4).astype(int)
SCORES = {
    name: 1 / (1 + np.exp(0.8 - (2 * Y - 1) * signal - RNG.normal(size=N)))
    for name, signal in {"new": 1.4, "old": 1.2}.items()
}
TIMES = RNG.integers(0, 4, N)
ORDER = ["below 40", "40 to below 65", "65 or more"]
NAMED = np.array(ORDER)[np.digitize(AGE, [40, 65])]
TAGS = np.c_[Y, RNG.integers(0, 2, N)]
COSTS = ("--cost", "fp=1", "--cost", "fn=3")
WHOLE = json.loads((Path(__file__).parents[2] / "docs" / "comparison.schema.json").read_text())
SCHEMA = Draft202012Validator(WHOLE["$defs"]["compare"]["properties"]["warnings"]["items"])
OF_TAGS = {name: np.where(RNG.random((N, 2)) < 0.8, TAGS, 1 - TAGS) for name in SCORES}


def of_scores(**how):
    return ca.compare(SCORES, Y, measures=["roc_auc", "recall"], **how)


def of_tags(**how):
    return ca.compare(y_true=TAGS, y_pred=OF_TAGS, measures=["micro_f1"], **how)


def of_values(**how):
    return ca.compare_values(SCORES, **how)


@pytest.mark.covering(1)
@pytest.mark.parametrize("door", [of_scores, of_tags, of_values])
@pytest.mark.parametrize("times", [None, TIMES], ids=["once", "frequency"])
def test_bands_are_a_column_of_their_names(door, times):
    by_name = door(by=NAMED, frequency=times)
    found = door(by=AGE, bands=[40, 65], frequency=times)
    assert [*found.groups] == ORDER
    assert found.cases == {label: by_name.cases[label] for label in ORDER}
    for label in ORDER:
        for one, other in zip(found.groups[label], by_name.groups[label], strict=True):
            assert (one.effect, one.p) == (other.effect, other.p)
    assert [each.p for each in found.interactions] == pytest.approx([each.p for each in by_name.interactions])
    assert {each.code for each in door(by=AGE).warnings} >= {"many_numeric_groups"}
    assert "many_numeric_groups" not in {each.code for each in found.warnings}


@pytest.mark.parametrize("door", [of_scores, of_tags, of_values])
def test_quantiles_are_those_of_assess_by(door):
    """A number that no case counts for moves no edge."""
    there = np.where(AGE < 30, 0, TIMES)
    slices = ca.assess_by(Y, SCORES["new"], by=AGE, bands="4q", frequency=there)
    found = door(by=AGE, bands="4q", frequency=there)
    assert {label: part.n for label, part in slices.items()} == found.cases


def of_one(**how):
    return ca.assess_by(Y, SCORES["new"], **how)


@pytest.mark.parametrize("door", [of_one, of_scores, of_tags, of_values])
def test_measurements_are_put_into_bands_before_they_are_groups(door):
    """A column in which nearly every number differs makes the groups of its whole years, and is refused alone."""
    measured = AGE + RNG.random(N) * 0.5
    years, found = (door(by=by, bands=[40, 65]) for by in (AGE, measured))
    assert [*getattr(found, "groups", found)] == ORDER
    assert getattr(found, "cases", None) == getattr(years, "cases", None)
    in_two = (
        door(by={"age": measured, "two": AGE > 40}, bands={"age": [40, 65]}) if door is not of_one else None
    )
    assert in_two is None or len(in_two.groups) == 3
    for how in ({}, {"pool": 20} if door is not of_values else {}):
        with pytest.raises(InputError, match="'group' has 300 different fractional numbers, such as 18"):
            door(by=measured, **how)


def test_a_band_without_cases_is_named_once():
    there = (AGE < 65).astype(int)
    for door in (of_scores, of_tags, of_values):
        assert door(by=AGE, bands=[40, 65, 80], frequency=there).emptied == ("65 to below 80", "80 or more")
    s = ca.assess_by(Y, SCORES["new"], by=AGE, bands=[40, 65, 80], frequency=there)
    assert s.uncounted == ("65 to below 80", "80 or more")


def test_small_bands_are_pooled_and_one_of_several_columns_is_banded():
    site = np.array(["a", "b"])[RNG.integers(0, 2, N)]
    found = of_scores(by={"age": AGE, "site": site}, bands={"age": [40]})
    assert {each.columns for each in found.groups} == {("age", "site")}
    assert len(found.groups) == 4
    pooled = of_scores(by=AGE, bands=[20, 22, 65], pool=60)
    assert pooled.pooled is not None
    assert pooled.pooled.labels == ("below 20", "20 to below 22")


def test_more_groups_than_are_compared_are_banded_first():
    number = np.arange(N).astype(float)
    with pytest.raises(InputError):
        of_values(by=number)
    for door in (of_scores, of_tags, of_values):
        assert len(door(by=number, bands="3q").groups) == 3


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"bands": [40]}, "bands= combines groups that are numbers"),
        ({"bands": np.array([40, 65])}, "bands= combines groups that are numbers"),
        ({"by": NAMED, "bands": [40]}, "Bands need numbers"),
        ({"by": AGE, "bands": {"age": [40]}}, "Columns of groups: 'group'"),
        ({"by": AGE, "bands": [65, 40]}, "rising numbers"),
        ({"by": AGE, "bands": []}, "rising numbers"),
        ({"by": AGE, "bands": [40, 40]}, "rising numbers"),
        ({"by": AGE, "bands": [40, np.inf]}, "rising numbers"),
        ({"by": AGE, "bands": ["forty"]}, "Pass rising numbers"),
        ({"by": AGE, "bands": "1q"}, "Use rising numbers"),
        ({"by": AGE * 0 + 40, "bands": "4q"}, "at least two different numbers"),
    ],
)
def test_bands_that_make_no_sense_are_refused(how, words):
    for door in (of_scores, of_tags, of_values):
        with pytest.raises(InputError, match=words):
            door(**how)


def test_the_command_has_bands_wherever_it_has_groups(tmp_path):
    """Compare, gate with a requirement, decide; by a column of bands the same."""
    lines = zip(Y, AGE, NAMED, *SCORES.values(), strict=True)
    rows = [f"{y},{age},{name},{new:.4f},{old:.4f}" for y, age, name, new, old in lines]
    file = tmp_path / "p.csv"
    file.write_text("\n".join(["y,age,band,new,old", *rows]))
    scores = ("--truth", "y", "--scores", "new,old")
    gated = (*scores, "--measure", "roc_auc", "--rule", "non-inferior", "--margin", "0.05")
    calls = {
        "compare": (*scores, "--measures", "roc_auc"),
        "compare values": ("--graded", "new,old"),
        "gate": (*gated, "--require", "recall[65 or more] >= 0.1"),
        "gate values": ("--graded", "new,old", "--rule", "non-inferior", "--margin", "0.05"),
        "decide": ("--truth", "y", "--score", "new", *COSTS, "--where", "disparity(recall) <= 0.3"),
    }
    for name, how in calls.items():
        command, out = name.split()[0], tmp_path / "out.json"
        found = []
        for by in (("age", "--bands", "age=40,65"), ("band",)):
            require = [each.replace("[65", f"[{by[0]}=65") for each in how]
            require = [each.replace("=65 or more]", '="65 or more"]') for each in require]
            done = call(command, str(file), *require, "--by", *by, "--json", str(out))
            assert done.exit_code in (0, 1, 3), done.stderr
            found.append(json.loads(out.read_text())["groups"])
        key = "label" if "label" in found[0][0] else "group"
        by_label = [{each[key]: each for each in groups} for groups in found]
        assert by_label[0] == by_label[1], name
        assert [*by_label[0]] == ORDER, name
        assert "Name their column with --by" in refusal(command, str(file), *how, "--bands", "age=40")


def test_a_hint_to_bands_speaks_to_its_reader(tmp_path):
    file = tmp_path / "p.csv"
    rows = [
        f"{y},{age},{new:.3f},{old:.3f}" for y, age, new, old in zip(Y, AGE, *SCORES.values(), strict=True)
    ]
    file.write_text("\n".join(["y,age,new,old", *rows]))
    scores = ("--truth", "y", "--scores", "new,old", "--by", "age")
    gated = ("--measure", "roc_auc", "--rule", "non-inferior", "--margin", "0.05")
    for done in (call("compare", str(file), *scores), call("gate", str(file), *scores, *gated)):
        text = " ".join(done.stdout.split())
        assert ("--bands age=18,40,65" in text, "bands=" in text) == (True, False)
    page = tmp_path / "gate.md"
    asked = ("--json", "-", "--markdown", str(page))
    told = json.loads(call("gate", str(file), *scores, *gated, *asked).stdout)["warnings"]
    assert "bands=" not in page.read_text()
    for warnings in (told, of_scores(by=AGE).to_dict()["all_cases"]["warnings"]):
        (warning,) = (each for each in warnings if each["code"] == "many_numeric_groups")
        assert not [*SCHEMA.iter_errors(warning)]
        assert ("`bands={" in warning["text"], warning["text"].isascii()) == (True, True)
    assert "`bands={'group': [18, 40, 65]}`" in " ".join(str(of_scores(by=AGE)).split())
    made = ca.gate(of_values(by=AGE), "non-inferior", 0.05)
    assert "many_numeric_groups" in {each.code for each in made.warnings}
    costs = ca.Costs(fp=1, fn=3)
    s = ca.assess_by(Y, SCORES["new"], by=np.arange(N) % 20)
    decided = ca.decide_by(s, cost=costs, where="disparity(selection_rate) <= 0.2", trade=False)
    assert [each.code for each in decided.warnings].count("many_numeric_groups") == 1


def test_the_hint_to_bands_is_in_every_json_and_once_in_each_report():
    by_groups = Draft202012Validator(WHOLE)
    for found in (of_one(by=AGE), of_scores(by=AGE), of_tags(by=AGE), of_values(by=AGE)):
        told = found.to_dict()["warnings"]
        assert [each["code"] for each in told] == [each.code for each in found.warnings]
        assert [each["code"] for each in told].count("many_numeric_groups") == 1
        assert " ".join(str(found).split()).count("are single numbers") == 1
        if "kind" in found.to_dict():
            assert not [*by_groups.iter_errors(found.to_dict())]
