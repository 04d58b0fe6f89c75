"""Cases that not every model has: refused with what to pass, or left out on request and counted everywhere."""

import json
from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import classay as ca
from classay.errors import InputError
from classay.sources.inputs import orders_by_id
from command import call, refusal

HOW = {"truth": "y", "scores": "p", "id": "case", "positive": 1, "measures": ["roc_auc"]}


def frames(n=90, lost=((0, 7), (3, 4, 5), ())):
    """A frame a model, each in an order of its own and without some cases."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    made = {}
    for name, gone in zip("abc", lost, strict=True):
        frame = pd.DataFrame({"case": [f"k{i}" for i in range(n)], "y": y, "w": 1 + np.arange(n) % 3})
        frame["p"] = np.clip(0.4 + 0.2 * y + rng.normal(0, 0.2, n), 0, 1)
        made[name] = frame.drop(index=[*gone]).sample(frac=1, random_state=len(made)).reset_index(drop=True)
    return made


def joined(made):
    """What somebody would do by hand: the cases of all, in one order."""
    common = set.intersection(*(set(each["case"]) for each in made.values()))
    return {
        name: each[each["case"].isin(common)].sort_values("case").reset_index(drop=True)
        for name, each in made.items()
    }


@pytest.mark.parametrize("weights", [{}, {"frequency": "w"}], ids=str)
def test_dropping_is_joining_by_hand(weights):
    made = frames()
    found = ca.compare(made, **HOW, **weights, missing="drop", unanswered="drop")
    wanted = ca.compare(joined(made), **HOW, **weights)
    assert [one.p for one in found] == pytest.approx([one.p for one in wanted])
    assert [one.effect.low for one in found] == pytest.approx([one.effect.low for one in wanted])
    assert found.left_out == {
        "unmatched": "cases that some model does not have: 3 of 88 of a, 2 of 87 of b, 5 of 90 of c"
    }
    assert "Unmatched: cases that some model does not have: 3 of 88 of a" in found.methods_text()
    assert wanted.left_out == {}


def test_the_order_of_the_models_decides_nothing_but_the_order():
    made = frames()
    for names in permutations(made):
        found = ca.compare({name: made[name] for name in names}, **HOW, missing="drop", unanswered="drop")
        assert found[0].n == 85
        assert "3 of 88 of a" in found.left_out["unmatched"]


def test_nothing_is_said_where_all_have_the_same_cases():
    made = frames(lost=((), (), ()))
    kept, dropped = (ca.compare(made, **HOW, unanswered=each) for each in ("refuse", "drop"))
    assert kept.to_dict() == dropped.to_dict()


@given(st.lists(st.lists(st.integers(0, 12), unique=True, min_size=1), min_size=2, max_size=4))
@settings(max_examples=60, deadline=None)
def test_orders_pick_the_ids_of_all_in_the_order_of_the_first(ids):
    named = {str(k): each for k, each in enumerate(ids)}
    common = [each for each in ids[0] if all(each in other for other in ids)]
    if not common:
        with pytest.raises(InputError, match="No id occurs in all models"):
            orders_by_id(named, "drop")
        return
    orders = orders_by_id(named, "drop")
    for name, order in orders.items():
        assert [named[name][k] for k in order] == common


ROLES = {
    "weight": {"weight": "w"},
    "frequency": {"frequency": "w"},
    "cluster": {"cluster": "w"},
    "amounts": {"amounts": ["w"], "measures": [ca.Costs("w", 1)]},
    "by": {"by": "w", "measures": ["roc_auc"]},
    "segments": {"by": "*", "measures": ["accuracy"], "threshold": 0.5},
}


@pytest.mark.parametrize("role", ROLES)
def test_what_two_frames_say_of_a_case_agrees_or_is_refused(role):
    """Swapping the frames swaps the models; a column of rounded numbers is the same, one of others is refused."""
    frames_of = frames(lost=((), (), ()))
    how = HOW | ROLES[role]
    first = {name: frames_of[name].assign(g=frames_of[name]["w"].astype(str)) for name in "ab"}
    first["b"]["w"] *= 1 + 1e-15
    ca.compare(first, **how)
    ca.compare({"a": first["a"], "b": first["b"].drop(columns=["w", "g"])}, **how)
    first["b"].loc[first["b"]["case"] == "k7", ["w", "g"]] = [9, "9"]
    for names in ("ab", "ba"):
        column, (a, b) = "[gw]" if role == "segments" else "w", names
        with pytest.raises(
            InputError, match=f"Column '{column}' of {b} differs from that of {a} in 1 of 90 cases"
        ):
            ca.compare({name: first[name] for name in names}, **how)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = frames()
    for name in "ab":
        made[name].to_csv(f"{name}.csv", index=False)
    return made


COLUMNS = ("a.csv", "b.csv", "--truth", "y", "--score", "p", "--id", "case")
GATE = (*COLUMNS, "--measure", "auc", "--rule", "not-worse", "--require", "recall >= 0.1")


def test_columns_beside_joined_frames_belong_to_the_rows_of_the_first():
    made = frames()
    named = ca.compare(made, **HOW, weight="w", amounts=["w"], missing="drop", unanswered="drop")
    given = {"weight": made["a"]["w"].to_numpy(), "amounts": {"w": made["a"]["w"].tolist()}}
    assert ca.compare(made, **HOW, **given, missing="drop", unanswered="drop").to_dict() == named.to_dict()
    # as many values as there are cases in common are not those of the rows in common
    with pytest.raises(InputError, match="weight has 85 rows, but the frame of the first model, a, has"):
        ca.compare(made, **HOW, weight=np.ones(85), missing="drop", unanswered="drop")
    with pytest.raises(InputError, match="truth= and y_true cannot be combined"):
        ca.compare(made, made["a"]["y"], **HOW, missing="drop", unanswered="drop")


@pytest.mark.parametrize("option", ["--weight", "--frequency", "--cluster", "--by"])
def test_files_that_contradict_each_other_are_refused(files, option):
    cases = {name: made[made["case"].isin([f"k{i}" for i in range(10, 90)])] for name, made in files.items()}
    cases["a"].to_csv("a.csv", index=False)
    cases["b"].assign(w=cases["b"]["w"] + 1).to_csv("b.csv", index=False)
    for command in (COLUMNS, ("a.csv", "b.csv", "--graded", "p", "--id", "case")):
        assert "Column 'w' of b differs from that of a in 80 of 80 cases" in refusal(
            "compare", *command, option, "w"
        )
    cases["b"].drop(columns="w").to_csv("b.csv", index=False)
    assert call("compare", *COLUMNS, option, "w").exit_code == 0


@pytest.mark.parametrize("first", [1, 10**10, 10**13])
def test_clusters_of_neighbouring_whole_numbers_are_unlike(files, first):
    rows = files["a"].drop_duplicates("case").assign(w=np.arange(first, first + len(files["a"])))
    other = rows.assign(w=rows["w"].to_numpy()[::-1])
    with pytest.raises(InputError, match="Column 'w' of b differs from that of a"):
        ca.compare({"a": rows, "b": other}, truth="y", scores="p", id="case", cluster="w")
    ca.compare(
        {"a": rows, "b": rows.assign(w=rows["w"] * 1.0)}, truth="y", scores="p", id="case", cluster="w"
    )


def test_every_output_of_a_gate_counts_them(files):
    refused = refusal("gate", *GATE)
    assert "3 cases of a are not in b and 2 cases of b are not in a, such as" in refused
    assert "--unanswered drop" in refused
    outputs = ("--json", "g.json", "--markdown", "g.md", "--html", "g.html", "--latex", "g.tex")
    done = call("gate", *GATE, "--missing", "drop", "--unanswered", "drop", *outputs)
    assert done.exit_code == 0, done.stderr
    said = "cases that some model does not have: 3 of 88 of a, 2 of 87 of b"
    assert said in done.stdout
    for name in ("g.md", "g.html", "g.tex"):
        assert said in Path(name).read_text()
    found = json.loads(Path("g.json").read_text())
    assert found["left_out"] == {"unmatched": said}
    assert found["n"] == 85
    # what is required of the new model is held against the cases that were compared
    common = joined({name: files[name] for name in "ab"})["a"]
    wanted = ca.assess(common, truth="y", score="p")["recall"]
    assert found["requirements"][0]["estimate"]["low"] == pytest.approx(wanted.low)


@pytest.mark.parametrize("apart", [False, True])
def test_requirements_of_a_gate_are_held_against_the_cases_of_both_models(files, apart):
    """A case that the old model lacks a score of is not compared, and the new one's measures leave it out."""
    made = {name: files[name].copy() for name in "ab"}
    made["b"].loc[made["b"]["case"].isin(["k10", "k11", "k12"]), "p"] = np.nan
    common = joined(made)
    both = common["a"].assign(q=common["b"]["p"])
    wanted = ca.assess(both.dropna(), truth="y", score="p")["recall"]
    if apart:
        made["b"].to_csv("b.csv", index=False)
        done = call("gate", *GATE, "--missing", "drop", "--unanswered", "drop", "--json", "g.json")
    else:
        both.to_csv("both.csv", index=False)
        of_one = ("both.csv", "--truth", "y", "--scores", "p,q", *GATE[len(COLUMNS) :])
        done = call("gate", *of_one, "--missing", "drop", "--unanswered", "drop", "--json", "g.json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(Path("g.json").read_text())
    assert found["n"] == 82
    assert found["requirements"][0]["estimate"]["low"] == pytest.approx(wanted.low)


def test_rows_without_a_label_are_counted_by_a_gate_too(files):
    text = Path("a.csv").read_text().splitlines()
    cells = text[5].split(",")
    Path("a.csv").write_text("\n".join([*text[:5], ",".join([cells[0], "", *cells[2:]]), *text[6:]]))
    same = ("a.csv", "--truth", "y", "--scores", "p,w", "--measure", "auc", "--rule", "not-worse")
    done = call("gate", *same, "--missing", "drop")
    assert "left out: 1 row" in done.stdout, done.stderr


def test_a_table_for_a_paper_counts_them():
    found = ca.compare(frames(), **HOW, missing="drop", unanswered="drop")
    assert "Flow of cases" in found.to_latex()
    assert "3 of 88 of a, 2 of 87 of b, 5 of 90 of c" in found.to_latex()
