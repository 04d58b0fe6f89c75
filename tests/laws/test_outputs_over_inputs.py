"""No output replaces an input: every command refuses it before it reads the file, which has none of the columns."""

import shlex
from pathlib import Path

import pytest

from command import call

TRUTH = "--truth y"
LINES = {
    "assess": f"assess in.csv {TRUTH} --score p",
    "compare": f"compare in.csv {TRUTH} --scores p,q",
    "gate": f"gate in.csv {TRUTH} --scores p,q --measure roc_auc --rule not-worse --margin 0.1",
    "decide": f"decide in.csv {TRUTH} --score p --cost fp=1 --cost fn=2",
    "reclassification": f"reclassification in.csv {TRUTH} --old p --new q",
    "merge": "merge other.classay in.csv",
    "best": "best in.csv",
    "runs": "runs in.csv",
}
OF_WINGS = {
    "describing": ("describe in.csv",),
    "ensembles": ("ensemble in.csv --target y",),
    "grades": ("grades in.csv", "grades other.csv in.csv"),
    "grades_judged": ("grades other.csv --human in.csv",),
    "groups": (
        f"decide in.csv {TRUTH} --score p --by g --cost fp=1 --cost fn=2 --where "
        "'disparity_ratio(selection_rate) >= 0.8'",
    ),
    "improving": (
        "improve in.csv --target y --model naive_bayes",
        "decompose in.csv --target y --model naive_bayes",
    ),
    "in_parts": (
        "sql cases --truth y --score p --database in.csv",
        "sql cases --truth y --score p --result in.csv",
    ),
    "judge": ("judge in.csv --human h --judge j",),
    "label": (
        "label in.csv --score p --budget 50",
        f"assess in.csv {TRUTH} --score p --design other.json",
        f"assess other.csv {TRUTH} --score p --design in.csv",
    ),
    "multilabel": (
        "assess in.csv --truth-tags a,b --tag-scores c,d",
        "decide in.csv --truth-tags a,b --tag-scores c,d --maximize f1",
    ),
    "over_time": (
        f"assess in.csv {TRUTH} --score p --time t",
        f"gate in.csv {TRUTH} --score p --time t --measure roc_auc --rule not-worse --margin 0.1",
        f"decide in.csv {TRUTH} --score p --time t --cost fp=1 --cost fn=2",
    ),
    "raters": ("raters in.csv --raters a,b",),
    "readers": (
        f"readers in.csv {TRUTH} --case c --reader r --score p",
        f"compare in.csv {TRUTH} --scores p --reader r",
    ),
    "resampling": ("evaluate in.csv --target y --models naive_bayes",),
    "selective": (
        f"decide in.csv {TRUTH} --score p --guarantee 'accuracy >= 0.9'",
        f"decide in.csv {TRUTH} --score p --cost fp=1 --cost fn=2 --cost review=0.1",
    ),
    "sets": (f"sets in.csv {TRUTH} --set s",),
    "validation": (
        f"assess in.csv {TRUTH} --score p --development other.classay",
        f"assess other.csv {TRUTH} --score p --development in.csv",
    ),
}


@pytest.mark.parametrize(
    "line",
    [
        *LINES.values(),
        *(
            pytest.param(line, marks=pytest.mark.wings(wing))
            for wing, lines in OF_WINGS.items()
            for line in lines
        ),
    ],
)
def test_no_output_replaces_an_input(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("in.csv", "other.csv", "other.classay", "other.json"):
        Path(name).write_text(f"none in {name}\n1\n")
    done = call(*shlex.split(line), "--json", "in.csv")
    assert done.exit_code == 2
    assert "The output would overwrite the input in.csv. Choose another file." in " ".join(
        done.stderr.split()
    )
    assert Path("in.csv").read_text() == "none in in.csv\n1\n"
