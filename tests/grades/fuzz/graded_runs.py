"""Runs of any grades, in tables and logs: neither the order of rows nor the file that a run is in changes a number."""

import json
import math
import tempfile
import warnings
from pathlib import Path

import pyarrow.csv
from hypothesis import strategies as st

import classay as ca
from classay.errors import ClassayError

from .contract import hold

GRADES = st.sampled_from([0, 1, 1, 0.5, None, "", "yes", "no", True, "C", "odd", 1e300, -3, float("nan")])
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["q1", "q2", "a b", "7", "é", "q" * 90]),
        st.integers(0, 3),
        st.sampled_from(["new", "old"]),
        st.one_of(st.sampled_from([0, 1]), st.sampled_from([0, 1]), GRADES),
        st.sampled_from(["x", "y", None]),
    ),
    min_size=1,
    max_size=40,
    unique_by=lambda row: row[:3],
)
INPUTS = st.fixed_dictionaries(
    {
        "rows": ROWS,
        "form": st.sampled_from(["lines", "array", "log"]),
        "bounds": st.sampled_from([None, None, (0, 1), (-5, 5)]),
        "by": st.booleans(),
        "unanswered": st.sampled_from(["drop", "drop", "wrong", "refuse"]),
    }
)
COLUMNS = ca.GradeColumns(case="case", repeat="repeat", model="run", by=("kind",))
NAMES = ("case", "repeat", "run", "grade", "kind")


def check(given):
    """Hold the means and differences of runs against what is always so."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = _assessed(folder, "whole", given["rows"], given)
        except ClassayError as error:
            hold("\n" not in str(error), "an error has one line")
            return
        of_all = _numbers(found)
        for value, low, high in of_all:
            hold(math.isnan(low) or low - 1e-9 <= value <= high + 1e-9, "a value is in its interval")
        turned = _assessed(folder, "turned", given["rows"][::-1], given)
        _same(of_all, _numbers(turned), "the order of rows")
        str(found)
        found.to_dict()
        _other_ways(folder, given, of_all)


def _other_ways(folder, given, of_all):
    """Hold the same rows in other files against their numbers in one."""
    apart = {name: [row for row in given["rows"] if row[2] == name] for name in ("new", "old")}
    files = [_written(folder, f"only {name}", rows, given) for name, rows in apart.items() if rows]
    read = ca.read_grades([file for part in files for file in part], **_how(given))
    _same(of_all, _numbers(_assess(read, given)), "a file for each run")
    if given["form"] != "log" and not given["by"]:
        path = Path(folder) / "frame.csv"
        pyarrow.csv.write_csv(read.frame().select(["case", "repeat", "run", "grade"]), path)
        columns = ca.GradeColumns(case="case", repeat="repeat", model="run")
        bounds = read.runs[0].mapped.bounds
        if all(run.mapped.bounds == bounds for run in read.runs):
            again = ca.read_grades(path, grade="grade", columns=columns, bounds=bounds)
            _same(of_all, _numbers(_assess(again, given)), "a frame that is written and read")
    if len(read.runs) == 2:
        swapped = _numbers(_assess(ca.GradedRuns(read.runs[::-1]), given))
        value, low, high = swapped[-1]
        _same([of_all[-1]], [(-value, -high, -low)], "the other order of runs")
        one = read.runs[0]
        twin = type(one)(**{**vars(one), "name": "twin"})
        itself = _assess(ca.GradedRuns((one, twin)), given)
        hold(itself[0].effect.value == 0, "a run differs from itself")


def _how(given):
    how = {"grade": "grade", "bounds": given["bounds"]}
    return how if given["form"] == "log" else how | {"columns": COLUMNS}


def _assess(read, given):
    by = "kind" if given["by"] and any("kind" in run.groups for run in read.runs) else None
    return ca.assess_grades(read, by=by, unanswered=given["unanswered"])


def _assessed(folder, name, rows, given):
    read = ca.read_grades(_written(folder, name, rows, given), **_how(given))
    runs = sorted(read.runs, key=lambda run: run.name)
    return _assess(ca.GradedRuns(tuple(runs)), given)


def _written(folder, name, rows, given):
    """Write rows as JSON lines, as an array, or as a log of each run."""
    if given["form"] == "log":
        paths = []
        for run in sorted({row[2] for row in rows}):
            paths.append(Path(folder) / f"{name}-{run}.json")
            paths[-1].write_text(json.dumps(_log(run, [row for row in rows if row[2] == run])))
        return paths
    lines = [json.dumps(dict(zip(NAMES, row, strict=True))) for row in rows]
    path = Path(folder) / f"{name}.jsonl"
    path.write_text("\n".join(lines) if given["form"] == "lines" else f"[{','.join(lines)}]")
    return [path]


def _log(run, rows):
    """Return a log of Inspect with the answers of a run."""
    samples = [
        {
            "id": case,
            "epoch": repeat,
            "target": case,
            "metadata": {"kind": kind},
            "scores": {"grade": {"value": grade}},
        }
        for case, repeat, _, grade, kind in rows
    ]
    about = {"eval_id": run, "task": "t", "model": run, "dataset": {"samples": len(rows)}}
    return {"version": 2, "status": "success", "eval": about, "samples": samples}


def _numbers(found):
    """Return the mean of each run with its interval, and the difference of two."""
    if not isinstance(found, ca.GradesAssessment):
        estimates = [mean for _, mean in sorted(found.means)] + [found[0].effect]
    else:
        estimates = [found.mean]
    return [(one.value, one.low, one.high) for one in estimates]


def _same(ours, theirs, what):
    for one, other in zip(ours, theirs, strict=True):
        same = all(
            (math.isnan(x) and math.isnan(y)) or math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-9)
            for x, y in zip(one, other, strict=True)
        )
        hold(same, f"{what} changes {one} to {other}")
