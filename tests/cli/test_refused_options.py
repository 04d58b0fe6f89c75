"""What the command refuses, in which words, and what it takes on the other side of the limit."""

from pathlib import Path

import numpy as np
import pytest

import classay as ca
from command import call, refusal

ROWS = ("p.csv", "--truth", "y", "--score", "p")
GROUPS = (*ROWS, "--by", "g")
COUNTS = ("--counts", "tp=4,fp=1,fn=2,tn=9")
MODELS = ("p.csv", "--truth", "y", "--measures", "auc")
EACH = "Use MODEL:LABEL=COLUMN,LABEL=COLUMN, such as cat=p_cat,dog=p_dog"
GATE = (*ROWS[:3], "--scores", "p,q", "--measure", "auc", "--rule", "not-worse")
MERGED = ("a.classay", "b.classay")
SAVED = ("new.classay", "old.classay")
"""Saved assessments of the same cases."""
COSTS = ("--cost", "fp=1", "--cost", "fn=2")
FOUR = "Use four whole numbers, as in --counts tp=40,fp=3,fn=7,tn=50."
PRICED = "--measures expected_cost needs fp and fn costs that are numbers, but --cost has others."

LIMITS = {
    # what: (a call that is answered, by the words of the refusal calls that are not)
    "control": ((), {"--control needs --criteria. Add --criteria.": [("assess", *GROUPS, "--control", "l")]}),
    "groups": (
        ("assess", *GROUPS, "--reference", "below 2", "--bands", "g=2"),
        {
            "--reference needs groups. Use --by to name the column of groups.": [
                ("assess", *ROWS, "--reference", "0")
            ],
            "--criteria needs groups. Use --by to name the column of groups.": [
                ("assess", *ROWS, "--criteria")
            ],
            "--bands combines groups that are numbers. Name their column with --by.": [
                ("assess", *ROWS, "--bands", "g=1")
            ],
            "--bands is 'g'. Use COL=18,40,65 or COL=4q, once for each column.": [
                ("assess", *GROUPS, "--bands", "g")
            ],
        },
    ),
    "merged groups": (
        ("merge", *MERGED),
        {
            "--reference needs --apart. Add --apart.": [("merge", *MERGED, "--reference", "a")],
            "--pool needs --apart. Add --apart.": [("merge", *MERGED, "--pool", "2")],
        },
    ),
    "saved results": (
        ("runs", "a.classay"),
        {
            "a.classay contains only one result. Remove the name 'x'.": [("runs", "a.classay", "x")],
            "--save needs one result. Name it: `classay runs . NAME`.": [
                ("runs", ".", "--save", "c.classay")
            ],
            "--times needs one result. Name it: `classay runs . NAME`.": [("runs", ".", "--times", "t.csv")],
        },
    ),
    "costs of a measure": (
        ("assess", *ROWS, *COSTS, "--measures", "expected_cost"),
        {
            f"{PRICED} Use --require 'expected_cost <= 1', which accepts all costs.": [
                ("assess", *ROWS, *COSTS, "--cost", "tp=1", "--measures", "auc,expected_cost"),
                ("assess", *ROWS, *COSTS, "--cost", "tn=1", "--measures", "expected_cost"),
                ("assess", *ROWS, "--cost", "fp=1", "--cost", "fn=p", "--measures", "expected_cost"),
            ]
        },
    ),
    "scores of a class": (
        ("assess", *ROWS[:3], "--class-scores", "0=q,1=p"),
        {
            "--class-scores names a label twice (0=p,0=q). Name each label once.": [
                ("assess", *ROWS[:3], "--class-scores", "0=p,0=q")
            ],
            "--class-scores names a column twice (0=p,1=p). Use another column for each label.": [
                ("assess", *ROWS[:3], "--class-scores", "0=p,1=p")
            ],
        },
    ),
    "class scores of models": (
        ("compare", *MODELS, "--class-scores", "a:0=q,1=p", "--class-scores", "b:0=p,1=q"),
        {
            f"--class-scores must name a model each time or never. {EACH}.": [
                ("compare", *MODELS, "--class-scores", "a:0=p,1=q", "--class-scores", "0=q,1=p")
            ],
            f"--class-scores is given twice for model 'a'. {EACH}, once for each": [
                ("compare", *MODELS, "--class-scores", "a:0=p,1=q", "--class-scores", "a:0=q,1=p")
            ],
            f"--class-scores is given twice for a model without a name. {EACH}": [
                ("compare", *MODELS, "--class-scores", "0=p,1=q", "--class-scores", "0=q,1=p")
            ],
        },
    ),
    "a matrix": (
        ("assess", "--matrix", "m.csv", "--matrix-rows", "true", "--positive", "a"),
        {
            "--matrix-rows needs a matrix. Use --matrix to name its file.": [
                ("assess", *ROWS, "--matrix-rows", "true"),
                ("assess", *COUNTS, "--matrix-rows", "true"),
            ],
            "--matrix and --counts cannot be combined. Remove one of the two.": [
                ("assess", "--matrix", "m.csv", *COUNTS)
            ],
            "--matrix contains counts, not rows. Remove --weight.": [
                ("assess", "--matrix", "m.csv", "--weight", "w")
            ],
            "The positive class is not set. Use --positive a or --positive b.": [
                ("assess", "--matrix", "m.csv", "--matrix-rows", "true")
            ],
        },
    ),
    "four counts": (
        ("assess", *COUNTS, "--labels", "a,b", "--positive", "a"),
        {
            "--counts contains counts, not rows. Remove --weight.": [("assess", *COUNTS, "--weight", "w")],
            f"--counts does not contain fn and tn. {FOUR}": [("assess", "--counts", "tp=1,fp=1")],
            f"--counts contains 'tn=x'. {FOUR}": [("assess", "--counts", "tp=1,fp=1,fn=1,tn=x")],
            f"--counts contains 'xtn=1'. {FOUR}": [("assess", "--counts", "tp=1,fp=1,fn=1,xtn=1")],
            f"--counts contains tp twice. {FOUR}": [("assess", "--counts", "tp=1,fp=1,fn=1,tn=1,TP=1")],
            "Label 'c' is not declared. Labels: 'a', 'b'.": [
                ("assess", *COUNTS, "--labels", "a,b", "--positive", "c")
            ],
            "--counts needs two classes, but 3 labels are declared. Declare two labels.": [
                ("assess", *COUNTS, "--labels", "a,b,c")
            ],
            "Both classes have the name 'negative'. Name both with --labels.": [
                ("assess", *COUNTS, "--positive", "negative")
            ],
        },
    ),
    "rows without a score": (
        ("assess", *ROWS, "--unanswered", "wrong"),
        {
            "It contradicts --unanswered wrong. Use --missing drop.": [
                ("assess", *ROWS, "--missing", "drop-unscored", "--unanswered", "wrong")
            ]
        },
    ),
    "rows that are none": (
        ("assess", "rows.jsonl", "--truth", "y", "--score", "p"),
        {
            "Line 2 of null.jsonl is null. Remove it, or write an object such as": [
                ("assess", "null.jsonl", "--truth", "y", "--score", "p")
            ],
            "cannot be opened: embedded null byte.": [("assess", "a\0b.csv", "--truth", "y", "--score", "p")],
        },
    ),
    "columns without values": (
        ("assess", *ROWS, "--cluster", "g"),
        {
            "Column 'e' (--cluster) has missing values in 40 rows. Every row needs a cluster.": [
                ("assess", *ROWS, "--cluster", "e")
            ],
            "Column 'e' (--id) has missing values in 40 rows. Every row needs a value.": [
                ("assess", *ROWS, "--id", "e")
            ],
        },
    ),
    "one score": (
        ("decide", *ROWS, *COSTS),
        {
            "--steps needs ordered labels. Use --order low,medium,high with all labels.": [
                ("decide", *ROWS, *COSTS, "--steps", "0,1,3")
            ],
            "--top works with one score, but --score names several. Use one --score.": [
                ("decide", *ROWS, "--score", "q", "--top", "5")
            ],
            "--score is missing. Name the column, or for multilabel data use --truth-tags and --tag-scores. Columns:": [
                ("decide", *ROWS[:3], "--cost", "fp=1")
            ],
            "--truth is missing. Name the column, or for multilabel data use --truth-tags": [
                ("decide", "p.csv", "--score", "p", "--cost", "fp=1")
            ],
        },
    ),
    "gates": (
        ("gate", *GATE),
        {
            "--better lower needs columns of values. Use --graded new,old.": [
                ("gate", *GATE, "--better", "lower")
            ],
            "--bounds 0,1 needs columns of values. Use --graded new,old.": [
                ("gate", *GATE, "--bounds", "0,1")
            ],
            "A gate needs prespecified groups. Name their columns, such as --by region.": [
                ("gate", *GATE, "--by", "*")
            ],
            "--per day needs dates. Use --time to name the column of dates.": [
                ("gate", *GATE, "--per", "day")
            ],
            "A gate needs a measure and a rule. Use --measure NAME --rule RULE, or a setting": [
                ("gate", *ROWS[:3], "--scores", "p,q"),
                ("gate", *ROWS[:3], "--scores", "p,q", "--rule", "superior"),
            ],
            "A gate needs a rule. Use --rule RULE, or a setting in [tool.classay.gate]": [
                ("gate", *ROWS[:3], "--scores", "p,q", "--measure", "auc")
            ],
            "The rule cannot use saving_over_none. Use --measure expected_cost.": [
                ("gate", *GATE[:5], *COSTS, "--measure", "saving_over_none", "--rule", "superior")
            ],
            "A gate needs two models, the new one first, but 3 are named: p, q and g.": [
                ("gate", *GATE[:4], "p,q,g", *GATE[5:])
            ],
            "A gate needs two models, the new one first, but --graded names 3: p, q and g.": [
                ("gate", "p.csv", "--graded", "p,q,g", "--rule", "superior")
            ],
            "A gate needs two models, the new one first. Use two files, or": [
                ("gate", *GATE[:4], "p", *GATE[5:]),
                ("gate", "p.csv", "--graded", "p", "--rule", "superior"),
                ("gate", "a.classay", "--measure", "auc", "--rule", "superior"),
            ],
            "margin is 5, but value is between 0 and 1. Use --margin 0.05 if you mean percent.": [
                (
                    "gate",
                    "p.csv",
                    "--graded",
                    "p,q",
                    "--rule",
                    "non-inferior",
                    "--margin",
                    "5",
                    "--bounds",
                    "0,1",
                )
            ],
        },
    ),
    "gates of saved results": (
        ("gate", *SAVED, "--measure", "auc", "--rule", "not-worse"),
        {
            "Groups (--by) need the rows, which saved assessments do not have. Name files of predictions.": [
                ("gate", *SAVED, "--measure", "auc", "--rule", "not-worse", "--by", "g")
            ],
            "expected_cost needs single cases, but saved assessments have none. Use the files of predictions": [
                ("gate", *SAVED, "--measure", "expected_cost", "--rule", "superior", *COSTS)
            ],
            "Only one of the files is a saved assessment. Use two files of one kind.": [
                ("gate", SAVED[0], "p.csv", *ROWS[1:], "--measure", "auc", "--rule", "superior"),
                ("gate", "p.csv", SAVED[0], *ROWS[1:], "--measure", "auc", "--rule", "superior"),
            ],
            "--cluster cannot be used with saved assessments. Remove it.": [
                ("gate", *SAVED, "--measure", "auc", "--rule", "not-worse", "--cluster", "g")
            ],
        },
    ),
    "kinds of saved results": (
        ("compare", *SAVED, "--measures", "auc"),
        {
            "The files are both evaluations and assessments. Use files of one kind.": [
                ("compare", SAVED[0], "learned.classay", "--measures", "auc"),
                ("compare", "learned.classay", SAVED[0], "--measures", "auc"),
            ],
            "--unpaired compares models on different cases. Use one file for each model.": [
                ("compare", *ROWS[:3], "--score", "p", "--unpaired")
            ],
            "Results over data sets must be in one file, but 2 files are named. Name one file.": [
                ("compare", "p.csv", "a.csv", "--dataset", "g")
            ],
        },
    ),
    "groups of models": (
        ("compare", *MODELS, "--scores", "p,q", "--by", "g", "--pool", "2"),
        {
            "--pool needs groups. Use --by to name the column of groups, or remove --pool.": [
                ("compare", *MODELS, "--scores", "p,q", "--pool", "2"),
                ("gate", *GATE, "--pool", "2"),
                ("decide", *ROWS, *COSTS, "--pool", "2"),
            ],
            "--pool cannot be used with --by '*', which ignores small subgroups. Remove it.": [
                ("compare", *MODELS, "--scores", "p,q", "--by", "*", "--pool", "2")
            ],
            "--by '*' cannot be used with --graded. Name the columns of groups.": [
                ("compare", "p.csv", "--graded", "p,q", "--by", "*")
            ],
        },
    ),
    "thresholds of models": (
        ("compare", *ROWS[:3], "--scores", "p,q", "--measures", "recall", "--threshold", "p=0.4,q=0.5"),
        {
            f"--threshold must be a number, or MODEL=NUMBER,MODEL=NUMBER, but is '{each}'.": [
                ("compare", *ROWS[:3], "--scores", "p,q", "--measures", "recall", "--threshold", each)
            ]
            for each in ("x", "p=x", "p=0.4,q=y")
        }
        | {
            "--threshold 'p=0.4,q' is not valid": [
                ("compare", *ROWS[:3], "--scores", "p,q", "--measures", "recall", "--threshold", "p=0.4,q")
            ]
        },
    ),
    "columns of a change": (
        ("reclassification", *ROWS[:3], "--new", "p", "--old", "q", "--positive", "1"),
        {
            "--new and --old name the same column 'p'. Name one column for each.": [
                ("reclassification", *ROWS[:3], "--new", "p", "--old", "p")
            ],
            "--truth and --old name the same column 'y'. Name one column for each.": [
                ("reclassification", *ROWS[:3], "--new", "p", "--old", "y")
            ],
            "Name the columns with --old. Columns: y, p, q": [("reclassification", *ROWS[:3], "--new", "p")],
            "Name the columns with --truth, --new and --old. Columns: y, p, q": [
                ("reclassification", "p.csv")
            ],
        },
    ),
    "what errors cost": (
        ("decide", *ROWS, "--cost", "fp=1", "--cost", "fn=2,tn=0"),
        {
            f"--cost '{each}' is not valid. Use fp=3, fn=amount, tp=-0.8*amount or tn=0, for example.": [
                ("decide", *ROWS, "--cost", each)
            ]
            for each in ("nothing", "miss=3", "fp=")
        }
        | {"--cost 'FP=3' is not valid. Did you mean fp=3?": [("decide", *ROWS, "--cost", "FP=3")]},
    ),
    "scores of several models": (
        ("decide", *ROWS, "--score", "q", *COSTS),
        {
            f"{option[0]} works with one score, but --score names several. Use one --score.": [
                ("decide", *ROWS, "--score", "q", *option)
            ]
            for option in (
                ("--where", "fpr <= 0.2"),
                ("--maximize", "recall"),
                ("--minimize", "fpr"),
                ("--order", "0,1"),
                ("--time", "g"),
            )
        },
    ),
    "thresholds of groups": (
        ("decide", *ROWS, *COSTS, "--where", "recall >= 0.1"),
        {
            "--where 'disparity_ratio(selection_rate) >= 0.8' needs groups. Use --by to name": [
                ("decide", *ROWS, *COSTS, "--where", "disparity_ratio(selection_rate) >= 0.8")
            ]
        },
    ),
    "the place of the demo": (
        (),
        {
            "Cannot create the folder p.csv/x: Not a directory.": [("demo", "p.csv/x")],
            "exists, and the demo would overwrite it. Name another folder: `classay demo FOLDER`.": [
                ("demo", "full")
            ],
        },
    ),
    "rows in parts": (
        ("decide", "parts", *ROWS[1:], *COSTS),
        {
            f"{option[0]} needs all rows at once, but parts is counted part by part. Put the rows into one file.": [
                ("decide", "parts", *ROWS[1:], *option)
            ]
            for option in (("--order", "0,1"), ("--time", "g", *COSTS))
        }
        | {
            "a second --score needs all rows at once, but parts is counted part by part.": [
                ("decide", "parts", *ROWS[1:], "--score", "q", *COSTS)
            ]
        },
    ),
    "times": (
        (),
        {
            "a.classay contains an assessment, which has no times. Remove --times.": [
                ("runs", "a.classay", "--times", "t.csv")
            ]
        },
    ),
    "reviews": (
        (),
        {
            "Nothing is reviewed here. Remove review= from --cost, or use it in `classay decide`.": [
                ("assess", *ROWS, *COSTS, "--cost", "review=1")
            ]
        },
    ),
    "names with quotes": (
        ("compare", *ROWS[:3], "--scores", 'p,"q"'),
        {
            "has an open double quote. Put a name that contains a comma between two double quotes.": [
                ("compare", *ROWS[:3], "--scores", 'p,"q')
            ],
            "is not valid at '\"x'. Use names with commas, such as recall": [
                ("assess", *ROWS, "--measures", 'auc,"x')
            ],
        },
    ),
    "columns that are not named": (
        ("assess", "p.csv"),
        {
            "--level needs one more column. Name the column of true labels with --truth. Columns: y, p": [
                ("assess", "p.csv", "--level", "0.9")
            ],
            "--score needs one more column. Name the column of true labels": [
                ("assess", "p.csv", "--score", "p")
            ],
        },
    ),
    "standard output": (
        ("assess", *ROWS, "--json", "-"),
        {
            "--html and --json cannot both write to standard output. Name a file for one option.": [
                ("assess", *ROWS, "--json", "-", "--html", "-")
            ]
        },
    ),
    "labels of models": (
        ("compare", *ROWS[:3], "--predictions", "l,y"),
        {
            "--predictions names l twice. Name one column for each model.": [
                ("compare", *ROWS[:3], "--predictions", "l,l")
            ],
            "--threshold 0.5 has no effect, because no model has scores. Remove it.": [
                ("compare", *ROWS[:3], "--predictions", "l,y", "--threshold", "0.5")
            ],
            "--score-scale has no effect, because no model has scores. Remove it.": [
                ("compare", *ROWS[:3], "--predictions", "l,y", "--score-scale", "logit")
            ],
        },
    ),
    "one-sided tests": (
        ("compare", *MODELS, "--scores", "p,q", "--alternative", "greater", "--level", "0.51"),
        {
            "level must be above 0.5 for a one-sided test, but is 0.5.": [
                ("compare", *MODELS, "--scores", "p,q", "--alternative", "greater", "--level", "0.5")
            ],
            "Rule 'superior' determines the side of the test. Remove --alternative.": [
                ("compare", *MODELS, "--scores", "p,q", "--alternative", "less", "--rule", "superior")
            ],
        },
    ),
    "merged files": (
        ("merge", *MERGED),
        {
            "One file cannot be merged. Name two or more files.": [("merge", MERGED[0])],
            "No file matches none*.classay. Check the pattern and the working directory.": [
                ("merge", MERGED[0], "none*.classay")
            ],
            "a.classay is named twice. Name each file once.": [("merge", MERGED[0], MERGED[0])],
        },
    ),
    "names of labels": (
        ("assess", *ROWS, "--labels", "0,1"),
        {
            "--labels and --order cannot be combined. Remove --labels, because --order names all labels.": [
                ("assess", *ROWS[:3], "--prediction", "g", "--labels", "0,1,2,3", "--order", "0,1,2,3"),
            ]
        },
    ),
    "settings": (
        (),
        {
            "tool.classay must be a table, [tool.classay], but is 3.": [
                ("gate", *GATE, "--config", "sub/pyproject.toml")
            ],
            "bad.toml is not valid TOML: ": [("gate", *GATE, "--config", "bad.toml")],
            "latin.toml is not valid TOML: byte 5 is not UTF-8. Save the file as UTF-8.": [
                ("gate", *GATE, "--config", "latin.toml")
            ],
            "twice.toml sets 'score-scale' and 'score_scale', which are the same setting. Remove one of": [
                ("gate", *GATE, "--config", "twice.toml")
            ],
            "deep.toml is not valid TOML: lists or tables are nested too deeply.": [
                ("gate", *GATE, "--config", "deep.toml")
            ],
            "Settings file not found: none.toml. Check the path of --config.": [
                ("gate", *GATE, "--config", "none.toml")
            ],
        },
    ),
    "requirements": (
        (),
        {"--junit needs requirements. Use --require CONDITION": [("assess", *ROWS, "--junit", "x.xml")]},
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Rows, a matrix, lines of JSON and saved assessments of other cases."""
    to, rng = tmp_path_factory.mktemp("refused"), np.random.default_rng(0)
    rows = [(i % 2, p, q, i % 4) for i, (p, q) in enumerate(rng.random((40, 2)).round(2))]
    lines = [f"{y},{p},{q},{int(p > 0.5)},{g},\n" for y, p, q, g in rows]
    (to / "p.csv").write_text("y,p,q,l,g,e\n" + "".join(lines))
    (to / "bad.toml").write_text("x = [[[\n")
    (to / "sub").mkdir()
    (to / "sub/pyproject.toml").write_text("[tool]\nclassay = 3\n")
    (to / "latin.toml").write_bytes(b'a = "\xe9"\n')
    (to / "m.csv").write_text(",a,b\na,3,1\nb,2,9\n")
    (to / "rows.jsonl").write_text('{"y":0,"p":0.1}\n{"y":1,"p":0.4}\n')
    (to / "null.jsonl").write_text('{"y":0,"p":0.1}\nnull\n{"y":1,"p":0.4}\n')
    (to / "twice.toml").write_text('score-scale = "logit"\nscore_scale = "logit"\n')
    (to / "deep.toml").write_text(f"a = {'[' * 2000}{']' * 2000}\n")
    for name in ("parts", "full"):
        (to / name).mkdir()
    half = len(lines) // 2
    for name, some in (("one", lines[:half]), ("two", lines[half:])):
        (to / f"parts/{name}.csv").write_text("y,p,q,l,g,e\n" + "".join(some))
    (to / "full/report.html").write_text("a page of someone else")
    stored = Path(__file__).parents[1] / "files/saved_by_0a0b60c/evaluation.classay"
    (to / "learned.classay").write_bytes(stored.read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(to)
        for name, k in zip(SAVED, (1, 2), strict=True):
            ca.assess([row[0] for row in rows], [row[k] for row in rows], id=range(40)).save(name)
        for name, seed in (("a", 1), ("b", 2)):
            some = np.random.default_rng(seed).random(40).round(3)
            (to / f"{name}.csv").write_text("y,p\n" + "".join(f"{i % 2},{p}\n" for i, p in enumerate(some)))
            call("assess", f"{name}.csv", *ROWS[1:], "--save", f"{name}.classay")
    return to


NEEDED = {
    "control": ("groups",),
    "groups": ("groups",),
    "merged groups": ("groups",),
    "gates": ("groups", "over_time"),
    "gates of saved results": ("groups",),
    "groups of models": ("groups",),
    "kinds of saved results": ("resampling",),
    "one score": ("multilabel",),
    "rows in parts": ("in_parts", "over_time"),
    "scores of several models": ("over_time",),
    "the place of the demo": ("resampling",),
    "thresholds of groups": ("groups",),
}
"""Wings whose options a table names."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.wings(*NEEDED.get(name, ()))) for name in LIMITS]
)
def test_limits_of_options_are_where_they_are_said_to_be(folder, monkeypatch, name):
    monkeypatch.chdir(folder)
    answered, refused = LIMITS[name]
    if answered:
        done = call(*answered)
        assert done.exit_code == 0, done.stderr
    for words, calls in refused.items():
        for arguments in calls:
            assert words in refusal(*arguments)
