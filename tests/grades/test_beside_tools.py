"""Why a mean and its error differ from those of a tool: each reason where it holds, none where they are equal."""

import math
from dataclasses import replace

import numpy as np
import pytest

import classay as ca
from classay.grades.records import Reported

COLUMNS = ca.GradeColumns(case="q", repeat="e", by=("c", "d"))


def run_of(tmp_path, rows, tool="Inspect", value=None, error=None, cluster=""):
    """A run of rows of case, repeat, clusters and grade, with what a tool reports of it."""
    path = tmp_path / "grades.csv"
    path.write_text("q,e,c,d,x\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    (run,) = ca.read_grades(path, grade="x", columns=COLUMNS, bounds=(0, 1)).runs
    return replace(run, tool=tool, reported=Reported(value, error, "mean of all", cluster))


def rows_of(cases=12, epochs=1, gaps=(), short=()):
    return [
        (f"q{k:02}", e, k // 3, k % 3 if k < 9 else 0, "" if (k, e) in gaps else int((k + e) % 3 > 0))
        for k in range(cases)
        for e in range(epochs)
        if (k, e) not in short
    ]


def values_of(rows):
    return np.array([row[-1] for row in rows if row[-1] != ""], float)


def differences(run, **how):
    return ca.assess_grades(ca.GradedRuns((run,)), **how).differences


OTHER = "classay uses other numbers for grades, or the log was edited"


def test_equal_numbers_need_no_reason(tmp_path):
    rows = rows_of()
    x = values_of(rows)
    error = x.std(ddof=1) / math.sqrt(x.size)
    for value, other in ((x.mean(), error), (x.mean() + 5e-10, error * (1 + 5e-7)), (x.mean(), None)):
        assert differences(run_of(tmp_path, rows, value=value, error=other)) == ()
    assert differences(run_of(tmp_path, rows, value=x.mean() + 2e-9, error=error)) == (OTHER,)
    text = f"the standard error of classay is {error:.3f}: the method of Inspect is not in the log"
    assert differences(run_of(tmp_path, rows, value=x.mean(), error=error * 1.001)) == (text,)
    assert differences(run_of(tmp_path, rows, value=0.9, error=error * 1.001)) == (
        OTHER,
        text.partition(":")[0],
    )


@pytest.mark.parametrize(
    ("tool", "unanswered", "reason"),
    [
        ("Inspect", "wrong", "classay counts 1 empty grade as the worst grade"),
        ("promptfoo", "wrong", "classay counts 1 empty grade as the worst grade"),
        ("promptfoo", "drop", "classay excludes 1 empty grade"),
        ("Inspect", "drop", OTHER),
    ],
)
def test_answers_without_a_grade_are_a_reason(tool, unanswered, reason, tmp_path):
    rows = rows_of(gaps={(4, 0)})
    run = run_of(tmp_path, rows, tool, value=0.01)
    assert differences(run, unanswered=unanswered) == (reason,)
    x = values_of(rows)
    error = x.std(ddof=1) / math.sqrt(x.size)
    alone = run_of(tmp_path, rows, tool, value=x.mean(), error=error * 1.01)
    if unanswered == "drop":
        assert differences(alone, unanswered="drop") == (
            f"the standard error of classay is {error:.3f}: classay excludes 1 answer",
        )


@pytest.mark.parametrize(
    ("tool", "reason"),
    [
        ("Inspect", "Inspect weights cases equally, and classay weights answers equally"),
        ("lm-eval", OTHER),
    ],
)
def test_uneven_repeats_are_a_reason(tool, reason, tmp_path):
    rows = rows_of(epochs=2, short={(2, 1), (5, 1)})
    of_cases = [np.mean([row[-1] for row in rows if row[0] == f"q{k:02}"]) for k in range(12)]
    run = run_of(tmp_path, rows, tool, value=np.mean(of_cases))
    assert differences(run) == (reason,)
    facts = dict(ca.assess_grades(ca.GradedRuns((run,))).facts)
    assert facts[f"mean by {tool}"] == f"{np.mean(of_cases):.3f} (mean of all)"
    assert facts[f"difference from {tool}"] == reason


@pytest.mark.parametrize(
    ("theirs", "ours", "reason"),
    [
        ("c", None, "Inspect has clusters of c, classay of answers to a case"),
        ("c", "d", "Inspect has clusters of c, classay of d"),
        ("", "c", "Inspect has no clusters of c"),
        ("c", "c", "the method of Inspect is not in the log"),
        ("d", "d", "classay corrects for clusters of unequal size (CV3)"),
        ("", None, "the method of Inspect is not in the log"),
    ],
)
def test_other_clusters_are_a_reason(theirs, ours, reason, tmp_path):
    rows = rows_of()
    run = run_of(tmp_path, rows, value=values_of(rows).mean(), error=0.9, cluster=theirs)
    a = ca.assess_grades(ca.GradedRuns((run,)), cluster=ours)
    assert a.differences == (f"the standard error of classay is {a.error:.3f}: {reason}",)
    assert (
        dict(a.facts)["mean by Inspect"]
        == f"{values_of(rows).mean():.3f}, standard error 0.900 (mean of all)"
    )
    assert a.to_dict()["reported"] == {
        "value": run.reported.value,
        "error": 0.9,
        "over": "mean of all",
        "cluster": theirs,
    }
    assert a.to_dict()["differences"] == [*a.differences]


def test_one_cluster_has_no_standard_error(tmp_path):
    rows = [(q, e, 1, 1, x) for q, e, _, _, x in rows_of()]
    a = ca.assess_grades(
        ca.GradedRuns((run_of(tmp_path, rows, value=values_of(rows).mean(), error=0.1),)), cluster="c"
    )
    text = "classay has no standard error, because one cluster has all answers"
    assert a.differences == (f"{text}: Inspect has no clusters of c",)
    assert math.isnan(a.error)
    assert a.to_dict()["error"] is None


def test_several_runs_name_the_runs_of_each_reason(tmp_path):
    rows = rows_of()
    x = values_of(rows)
    runs = [
        replace(run_of(tmp_path, rows, value=value), name=name)
        for name, value in (("a", x.mean()), ("b", 0.1), ("c", 0.2))
    ]
    board = ca.assess_grades(ca.GradedRuns(tuple(runs)))
    assert dict(board.facts)["difference from the tool"] == f"b and c: {OTHER}"
    two = dict(ca.assess_grades(ca.GradedRuns(tuple(runs[:2]))).facts)
    assert two["mean by Inspect, a"] == f"{x.mean():.3f} (mean of all)"
    assert two["difference from Inspect, b"] == OTHER
    assert "difference from Inspect, a" not in two
