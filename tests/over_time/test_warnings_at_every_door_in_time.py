"""What periods of time add to `laws/test_warnings_at_every_door.py`."""

import json
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from tests.support.command import call

import classay as ca
from classay.report.door import document
from laws.test_warnings_at_every_door import COMMON, FAULTS, N, P, W, assessed, codes, rows
from wing_samples import of_wings

OF_LABELS = {"shifted_codes", "no_label_codes", "no_shared_label", "written_otherwise"}

OF_CLASSES = {code for code, (_, roles, _) in FAULTS.items() if isinstance(roles.get("score"), dict)}

OF_ONE_SCORE = {*FAULTS} - OF_LABELS - OF_CLASSES


def two(code):
    """The rows with a second model, whose columns are in order, as `compare` takes them."""
    columns, roles, how = FAULTS[code]
    frame, given = {**columns, **COMMON}, {"truth": "y", **how}
    score = roles.get("score")
    if isinstance(score, dict):
        frame |= {f"b{k}": W[:, k] for k in score}
        return frame, given | {"scores": {"new": score, "old": {k: f"b{k}" for k in score}}}
    if score is not None:
        near = {"scores_outside_unit": 5 * P + 0.01, "infinite_scores": 5 * P, "score_scale": 4 * (P - 0.5)}
        frame["b"] = near.get(code, np.clip(P + 0.01, 0, 1))
        given["scores"] = {"new": "p", "old": "b"}
    if "prediction" in roles:
        frame["c"] = frame["y"] if score is None else (frame["b"] > 0.5).astype(int)
        given["predictions"] = {"new": "q", "old": "c"}
    return frame, given


def compared(code, door=ca.compare, **more):
    frame, given = two(code)
    return door(frame, **given, **more)


def other(code):
    """The assessment of the second model."""
    frame, given = two(code)
    roles = {role: given.pop(f"{role}s", {}).get("old") for role in ("score", "prediction")}
    return ca.assess(frame, **given, **roles)


def saved(code, folder):
    assessed(code).save(folder / "a")
    return ca.load(folder / "a.classay")


def added(code):
    frame, roles = rows(code)
    parts = [slice(k * N // 3, (k + 1) * N // 3) for k in range(3)]
    made = [ca.assess({name: each[part] for name, each in frame.items()}, **roles) for part in parts]
    return made[0] + made[1] + made[2]


ACCURACY = {"measures": ["accuracy"]}

COSTS = ca.Costs(fp=1, fn=2)

DOORS = {
    "assess_by": lambda code: assessed(code, ca.assess_by, by="g"),
    "by every column": lambda code: assessed(code, ca.assess_by, by="*"),
    "assess_over_time": lambda code: assessed(code, ca.assess_over_time, time="day", measures=["accuracy"]),
    "compare": lambda code: compared(code, **ACCURACY),
    "compare by groups": lambda code: compared(code, by="g", **ACCURACY),
    "compare_unpaired": lambda code: ca.compare_unpaired(
        {"new": assessed(code), "old": other(code)}, ["accuracy"]
    ),
    "gate": lambda code: ca.gate(compared(code, **ACCURACY), "not-worse", 0.1),
    "gate by groups": lambda code: compared(code, by="g", **ACCURACY).gate("not-worse", 0.1),
    "gate_over_time": lambda code: assessed(
        code, ca.gate_over_time, time="day", measure="accuracy", margin=0.1
    ),
    "best_of": lambda code: compared(code, ca.best_of, measure="accuracy"),
    "threshold": lambda code: assessed(code).threshold(maximize="f1"),
    "thresholds of classes": lambda code: assessed(code).class_thresholds(maximize="f1"),
    "decide_by": lambda code: ca.decide_by(
        assessed(code, ca.assess_by, by="g"), cost=COSTS, where="disparity(recall) <= 0.5"
    ),
    "cost_curves": lambda code: ca.cost_curves(
        {"new": FAULTS[code][0]["p"], "old": P},
        FAULTS[code][0]["y"],
        **{name: each for name, each in FAULTS[code][2].items() if name != "threshold"},
    ),
    "cut_points": lambda code: ca.cut_points(FAULTS[code][0]["p"], FAULTS[code][0]["y"]),
    "reclassification": lambda code: ca.reclassification(
        FAULTS[code][0]["y"],
        FAULTS[code][0]["p"],
        4 * (P - 0.5) if code == "score_scale" else P,
        score_scale=FAULTS[code][2].get("score_scale"),
    ),
    "roc_space": lambda code: ca.roc_space({"new": assessed(code), "old": other(code)}),
    "at_prevalence": lambda code: assessed(code).at_prevalence(0.2),
    "sum of parts": added,
}

for added in of_wings("DOORS_OF_WARNINGS"):
    DOORS |= added
IN_FILES = {"saved": saved}
for added in of_wings("FILES_OF_WARNINGS"):
    IN_FILES |= added

ONE_SCORE = "is of the scores of two classes"

ONLY_SCORES = "takes scores, no labels"

NO_IMPROPER = "has no improper="

ARRAYS = "takes columns: of a frame's other columns it knows nothing"

OF_PROBABILITIES = "a database counts probabilities: other scores are an error"

EXCEPT = {
    **{("decide_by", code): ONE_SCORE for code in OF_LABELS | OF_CLASSES},
    **{(door, code): ONE_SCORE for door in ("threshold", "at_prevalence") for code in OF_LABELS | OF_CLASSES},
    **{(door, code): ONE_SCORE for door in ("cost_curves", "cut_points") for code in OF_LABELS | OF_CLASSES},
    **{("roc_space", code): "is of two classes" for code in OF_LABELS | OF_CLASSES},
    **{
        ("thresholds of classes", code): "is of scores of several classes"
        for code in OF_LABELS | OF_ONE_SCORE
    },
    ("thresholds of classes", "raw_scores"): "raw scores rank no cases, which is an error",
    **{("database", code): "counts one column of scores" for code in OF_CLASSES},
    **{
        (door, "renormalised_rows"): NO_IMPROPER
        for door in ("compare", "compare by groups", "gate", "gate by groups", "best_of")
    },
    ("threshold", "infinite_scores"): "no threshold lies beyond infinite scores, which is an error",
    ("decide_by", "infinite_scores"): "no threshold lies beyond infinite scores, which is an error",
    ("cost_curves", "labels_contradict_scores"): ONLY_SCORES,
    ("cost_curves", "repeated_ids"): ARRAYS,
    ("cut_points", "labels_contradict_scores"): ONLY_SCORES,
    ("cut_points", "repeated_ids"): ARRAYS,
    ("cut_points", "chosen_labels"): "refuses cases without a true label",
    **{
        ("cut_points", code): "any score has cut points, probability or not"
        for code in ("scores_outside_unit", "certain_and_wrong", "score_scale", "rounded_scores")
    },
    **{("reclassification", code): ONE_SCORE for code in OF_LABELS | OF_CLASSES},
    **{
        ("reclassification", code): "is of probabilities: other scores are an error"
        for code in ("scores_outside_unit", "infinite_scores")
    },
    ("reclassification", "labels_contradict_scores"): ONLY_SCORES,
    ("reclassification", "repeated_ids"): ARRAYS,
    ("reclassification", "chosen_labels"): "refuses cases without a true label",
    ("database", "repeated_ids"): "the query counts cases, and leaves no column of ids",
    ("database", "labels_contradict_scores"): "counts scores or labels, never both",
    **{
        ("database", code): OF_PROBABILITIES
        for code in ("scores_outside_unit", "infinite_scores", "rounded_scores")
    },
}
"""Doors that do not warn of a fault, with the reason."""

SLOW = ("decide_by", "cost_curves", "threshold")
"""Doors that take their warnings from the assessment itself, and are tried on a few faults."""

FEW = ("labels_contradict_scores", "auc_below_half", "repeated_ids", "chosen_labels", "raw_scores")


@pytest.mark.parametrize("door", [*DOORS, *IN_FILES])
def test_every_door_warns_of_what_assess_warns_of(door, tmp_path):
    silent, outdated = [], []
    for code in FEW if door in SLOW else FAULTS:
        try:
            found = DOORS[door](code) if door in DOORS else IN_FILES[door](code, tmp_path)
        except (ca.InputError, TypeError, KeyError):
            found = None
        is_told = found is not None and code in codes(found)
        if (door, code) in EXCEPT:
            outdated += [code] if is_told else []
        elif not is_told:
            silent.append(code)
    assert (silent, outdated) == ([], [])


@pytest.mark.parametrize("door", [door for door in DOORS if door not in ("database", "scan in bins")])
def test_texts_and_json_have_the_warning(door):
    code = "improper_rows" if door == "thresholds of classes" else "constant_scores"
    found = DOORS[door](code)
    (warned,) = (each for each in found.warnings if each.code == code)
    values = found.to_dict()
    values = values.get("all_cases", values)
    told = [*values.get("warnings", ()), *values.get("headline", ())]
    assert code in {each["code"] for each in told}
    text = " ".join(found.to_markdown().split()).replace("\\", "")
    assert warned.text.partition(": ")[2][:40] in text or warned.text[:40] in text
    assert document(found) is not None


SCORE = ("--truth", "y", "--score", "p")

MODELS = ("--truth", "y", "--scores", "p,b")

COMMANDS = {
    "assess --by": ("assess", "a.csv", *SCORE, "--by", "g"),
    "assess --by '*'": ("assess", "a.csv", *SCORE, "--by", "*"),
    "assess --time": ("assess", "a.csv", *SCORE, "--time", "day"),
    "compare --by": ("compare", "a.csv", *MODELS, "--measures", "accuracy", "--by", "g"),
    "gate": ("gate", "a.csv", *MODELS, "--measure", "accuracy", "--rule", "not-worse"),
    "gate --time": ("gate", "a.csv", *SCORE, "--measure", "accuracy", "--time", "day", "--margin", "0.1"),
    "decide": ("decide", "a.csv", *SCORE, "--maximize", "youden"),
    "decide with two scores": ("decide", "a.csv", *SCORE, "--score", "b"),
    "best": ("best", "a.csv", *MODELS, "--measure", "accuracy"),
}

for added in of_wings("COMMANDS_OF_WARNINGS"):
    COMMANDS |= added
SAID = {"chosen_labels": "Labels exist for", "repeated_ids": "have 60 values of 'id'"}
"""Words of each warning."""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The same rows as a file, a folder of files and a database, in which labels are chosen and ids repeat."""
    folder = tmp_path_factory.mktemp("rows")
    columns = {
        **FAULTS["chosen_labels"][0],
        **FAULTS["repeated_ids"][0],
        **COMMON,
        "b": np.clip(P + 0.01, 0, 1),
    }
    columns["y"] = ["" if each != each else int(each) for each in FAULTS["chosen_labels"][0]["y"].tolist()]
    columns["day"] = [f"2026-01-{day + 1:02}" for day in COMMON["day"].tolist()]
    values = [*zip(*([*each] for each in columns.values()), strict=True)]
    lines = [",".join(map(str, each)) for each in values]
    (folder / "days").mkdir()
    for path, some in [("a.csv", lines)] + [(f"days/{k}.csv", lines[k::3]) for k in range(3)]:
        (folder / path).write_text("\n".join([",".join(columns), *some, ""]))
    with closing(sqlite3.connect(folder / "t.db")) as connection:
        connection.execute("create table t (y integer, p real)")
        pairs = [(None if each[0] == "" else each[0], float(each[1])) for each in values]
        connection.executemany("insert into t values (?, ?)", pairs)
        connection.commit()
    return folder


def codes_in(values):
    """The codes of all warnings and of the headline, wherever they stand."""
    if isinstance(values, list):
        return {code for each in values for code in codes_in(each)}
    if not isinstance(values, dict):
        return set()
    own = {each["code"] for name in ("warnings", "headline") for each in values.get(name) or ()}
    return own.union(*map(codes_in, values.values()))


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_write_the_warnings_as_text_and_json(command, files, monkeypatch):
    monkeypatch.chdir(files)
    made = call(*COMMANDS[command], "--missing", "drop", "--json", "out.json")
    text, told = " ".join(made.stdout.split()), codes_in(json.loads((files / "out.json").read_text()))
    for code, words in SAID.items():
        if (command, code) != ("sql", "repeated_ids"):  # the query counts cases, and leaves no column of ids
            assert code in told
            assert words in text
