"""What is refused of tables, logs and runs of grades, beside what is taken; and options that are arguments."""

import itertools
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import classay as ca
from classay.grades.joining import joined
from classay.grades.maps import mapped, shown_counts
from classay.grades.records import FAILED, SILENT
from command import OF_THE_FILE, as_json, call, json_of, refusal

DATA = Path(__file__).parents[1] / "outside" / "data"
NEW = DATA / "inspect-0.3.285-new.eval"
CASE = ca.GradeColumns(case="q")
FULL = ca.GradeColumns(case="q", model="m", repeat="e", target="t", by=("g", "c"))


def cells(rows):
    return "q,m,e,t,g,c,x\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)


def rows_of(models=("a",), cases=12, epochs=1):
    return [
        (f"q{k:02}", m, e, k % 4, "uv"[k % 2], k // 3, int((k + e + len(m)) % 3 > 0))
        for m in models
        for k in range(cases)
        for e in range(epochs)
    ]


def changed(rows, at, **cells_):
    names = ["q", "m", "e", "t", "g", "c", "x"]
    return [
        tuple(cells_.get(name, value) for name, value in zip(names, row, strict=True)) if k == at else row
        for k, row in enumerate(rows)
    ]


PLAIN, TWO = rows_of(), rows_of(("a", "bb"))
READ = {
    "a grade": (
        "q,x\na,1\n",
        {},
        "q,x\na,1\n",
        {"grade": None},
        "the column of grades is needed. Pass grade= with its name. Columns: q and x|the column of grades is needed",
    ),
    "a case": (
        "q,x\na,1\n",
        {},
        "q,x\na,1\n",
        {"columns": None},
        r"the column of cases is needed. Pass columns=GradeColumns",
    ),
    "rows": ("q,x\na,1\n", {}, "q,x\n", {}, "no rows|has no"),
    "rows of JSON": (
        '[{"q": "a", "x": 1}]',
        {},
        "[]",
        {},
        "grades.json has no rows. Use a file with at least one row",
    ),
    "a column": ("q,x\na,1\n", {}, "q,y\na,1\n", {}, "no column 'x'"),
    "a case of every row": (
        "q,x\na,1\nb,0\n",
        {},
        "q,x\na,1\n,0\n",
        {},
        r"\(case\) is missing in row 1, counted from 0",
    ),
    "whole repeats": (
        cells(PLAIN),
        {"columns": FULL},
        cells(changed(PLAIN, 3, e=0.5)),
        {"columns": FULL},
        r"\(repeat\) is not a whole number: 0.5",
    ),
    "repeats in numbers": (
        cells(PLAIN),
        {"columns": FULL},
        cells(changed(PLAIN, 3, e="x")),
        {"columns": FULL},
        r"\(repeat\) is not a whole number",
    ),
    "an answer once": (
        "q,x\na,1\nb,0\n",
        {},
        "q,x\na,1\na,0\n",
        {},
        r"1 answer more than once, such as case 'a', repeat 1. Pass GradeColumns\(repeat=…\)",
    ),
    "an array of objects": (
        '[{"q": "a", "x": 1}]',
        {},
        '[{"q": "a", "x": 1}, 3]',
        {},
        "Item 2 of grades.json is not a JSON object",
    ),
    "a field": ('{"q": "a", "x": 1}\n', {}, '{"q": "a", "y": 1}\n', {}, "grades.jsonl has no column 'x'"),
    "numbers": (
        "q,x\na,1\n",
        {},
        "q,x\na,good\n",
        {},
        r"1 grade of x is not numeric: 'good' \(1\). Pass map=",
    ),
    "a map of all grades": (
        "q,x\na,C\n",
        {"map": {"C": 1}},
        "q,x\na,C\nb,I\nc,I\n",
        {"map": {"C": 1}},
        r"2 grades of x are not in the map: 'I' \(2\)",
    ),
    "a map of numbers": (
        "q,x\na,C\n",
        {"map": {"C": 1}},
        "q,x\na,C\n",
        {"map": {}},
        "The map of grades must give a number to each grade",
    ),
    "bounds of all": (
        "q,x\na,0\nb,2\n",
        {"bounds": (0, 2)},
        "q,x\na,0\nb,2\n",
        {"bounds": (0, 1.9)},
        "1 of 2 grades of x are outside the bounds 0 to 1.9: they range from 0 to 2",
    ),
    "bounds below all": (
        "q,x\na,0\nb,2\n",
        {"bounds": (0, 2)},
        "q,x\na,0\nb,2\n",
        {"bounds": (0.1, 2)},
        "1 of 2 grades of x are outside the bounds 0.1 to 2",
    ),
    "bounds in order": (
        "q,x\na,1\n",
        {"bounds": (0, 1)},
        "q,x\na,1\n",
        {"bounds": (1, 1)},
        "two numbers, the lower first",
    ),
    "finite bounds": (
        "q,x\na,1\n",
        {"bounds": (0, 1)},
        "q,x\na,1\n",
        {"bounds": (0, float("inf"))},
        "two numbers, the lower first|finite",
    ),
    "a task": (
        "q,x\na,1\n",
        {},
        "q,x\na,1\n",
        {"task": "sums"},
        "No run is of the task 'sums'. No log names a task.",
    ),
    "a filter": (
        "q,x\na,1\n",
        {},
        "q,x\na,1\n",
        {"filter": "strict"},
        "No grade is named 'x' with filter 'strict'",
    ),
}


@pytest.mark.parametrize("name", READ)
def test_a_table_is_read_and_the_next_one_refused(name, tmp_path):
    taken, how, refused, other, words = READ[name]
    path = tmp_path / f"grades.{'json' if taken[0] == '[' else 'jsonl' if taken[0] == '{' else 'csv'}"
    path.write_text(taken)
    assert len(ca.read_grades(path, **{"grade": "x", "columns": CASE} | how).runs) == 1
    path.write_text(refused)
    with pytest.raises((ca.InputError, ca.FileError), match=words):
        ca.read_grades(path, **{"grade": "x", "columns": CASE} | other)


def test_files_that_are_no_runs(tmp_path):
    (tmp_path / "a.csv").write_text("q,x\na,1\n")
    here, how = str(tmp_path / "a.csv"), {"grade": "x", "columns": CASE}
    assert ca.read_grades([here], **how).names == ("a",)
    assert ca.read_grades(str(tmp_path / "*.csv"), **how).names == ("a",)
    for paths, words in (
        ([], "No file is named"),
        ([here, here], "is named twice"),
        (
            str(tmp_path),
            "has no log of a known tool. Known: Inspect, lm-eval, promptfoo, deepeval and MLflow",
        ),
        (str(tmp_path / "b.csv"), "File not found"),
        ("s3://bucket/x.csv", r"not from addresses \(s3://…\)"),
    ):
        with pytest.raises((ca.InputError, ca.FileError), match=words):
            ca.read_grades(paths, **how)
    for how, words in (
        (
            {"grade": "nothing"},
            r"No grade is named 'nothing'. Grades: .*match, 18 answers|No grade is named 'nothing'",
        ),
        ({"task": "other"}, "No run is of the task 'other'. Tasks: "),
        ({}, r"There are several grades: .* Choose one, such as grade='"),
    ):
        with pytest.raises(ca.InputError, match=words):
            ca.read_grades(NEW, **how)


def runs(tmp_path, rows, **how):
    path = tmp_path / "grades.csv"
    path.write_text(cells(rows))
    return ca.read_grades(path, grade="x", columns=FULL, **how)


SCALED = [(*row[:-1], row[-1] * 2) for row in TWO]
ASSESSED = {
    "groups for weights": (
        PLAIN,
        {"by": "g", "group_weight": "cases"},
        PLAIN,
        {"group_weight": "cases"},
        "group_weight has no effect without by=",
    ),
    "a known column": (
        PLAIN,
        {"by": "g"},
        PLAIN,
        {"by": "gg"},
        r"no column 'gg' of groups. Columns: c and g",
    ),
    "a known cluster": (PLAIN, {"cluster": "c"}, PLAIN, {"cluster": ["c", "d"]}, "no column 'd' of groups"),
    "pass@k of one run": (
        PLAIN,
        {"pass_k": [1]},
        TWO,
        {"pass_k": [1]},
        "pass@k is of one run, but there are 2",
    ),
    "pass@k of 1": (PLAIN, {"pass_k": [1, 3]}, PLAIN, {"pass_k": [3, 0]}, "at least 1, but is 3 and 0"),
    "some pass@k": (PLAIN, {"pass_k": [1]}, PLAIN, {"pass_k": []}, "but is empty"),
    "grades that pass": (
        PLAIN,
        {"pass_k": [1]},
        SCALED[:12],
        {"pass_k": [1]},
        "pass@k needs grades that pass or fail, such as 0 and 1. Pass map=",
    ),
    "a grade of all": (
        PLAIN,
        {},
        changed(PLAIN, 2, x=""),
        {},
        "Answers have no grade: a 1 empty grade of 12. Pass unanswered='wrong'",
    ),
    "all cases in all runs": (
        TWO,
        {},
        TWO[:-1],
        {},
        "1 answer of a is not in bb, such as case 'q11'. 11 of 12 are in all runs. Pass unanswered=",
    ),
    "two cases in all runs": (
        TWO,
        {},
        TWO[:-2],
        {},
        "2 answers of a are not in bb, such as case 'q10'. 10 of 12 are in all runs",
    ),
    "one target": (
        TWO,
        {},
        changed(TWO, 13, t=9),
        {},
        "1 case of 12 has different questions or targets in a and bb, such as case 'q01'",
    ),
    "targets of two cases": (
        TWO,
        {},
        changed(changed(TWO, 13, t=9), 14, t=9),
        {},
        "2 cases of 12 have different questions or targets in a and bb",
    ),
    "groups of cases": (
        TWO,
        {"by": "g"},
        changed(TWO, 13, g="w"),
        {"by": "g"},
        "Column 'g' differs between the runs",
    ),
    "a cluster of all": (
        PLAIN,
        {"cluster": "c"},
        changed(PLAIN, 4, c=""),
        {"cluster": "c"},
        "Cluster 'c' is missing in 1 answers",
    ),
    "nested clusters": (
        PLAIN,
        {"cluster": ["c"]},
        PLAIN,
        {"cluster": ["c", "g"]},
        "Clusters of 'g' and c overlap: the answers to case ",
    ),
    "equal repeats": (
        rows_of(("a", "bb"), epochs=2),
        {"unanswered": "wrong"},
        rows_of(("a",), epochs=2) + rows_of(("bb",)),
        {"unanswered": "wrong"},
        r"different numbers of answers per case \(a 2 and bb 1\)",
    ),
    "bounds of the worst": (
        changed(PLAIN, 2, x=""),
        {"unanswered": "wrong"},
        changed(SCALED[:12], 2, x=""),
        {"unanswered": "wrong"},
        "bounds",
    ),
    "a grade that counts": (
        changed(PLAIN, 2, x=""),
        {"unanswered": "drop"},
        [(*row[:-1], "" if row[1] == "a" else 1) for row in TWO],
        {"unanswered": "drop"},
        "No answer has a grade in every run",
    ),
}


@pytest.mark.parametrize("name", ASSESSED)
def test_runs_are_assessed_and_the_next_ones_refused(name, tmp_path):
    taken, how, refused, other, words = ASSESSED[name]
    assert ca.assess_grades(runs(tmp_path, taken), **how) is not None
    with pytest.raises(ca.InputError, match=words):
        ca.assess_grades(runs(tmp_path, refused), **other)


def test_runs_with_other_directions_are_refused(tmp_path):
    one, other = runs(tmp_path, TWO).runs
    with pytest.raises(ca.InputError, match="Lower grades are better in some runs only"):
        ca.assess_grades(ca.GradedRuns((one, replace(other, better="lower"))))
    both = ca.GradedRuns(tuple(replace(run, better="lower") for run in (one, other)))
    up, down = ca.assess_grades(ca.GradedRuns((one, other))), ca.assess_grades(both)
    assert up[0].effect.value == down[0].effect.value
    better = [dict(each.facts)[f"better in {one.name}"] for each in (up, down)]
    assert better[0] != better[1]
    assert dict(up.facts)[f"better in {other.name}"] == better[1]
    with pytest.warns(
        UserWarning,
        match=r"The runs differ in the version: 1 \(a\) and 2 \(bb\). Compare runs of one version",
    ):
        ca.assess_grades(
            ca.GradedRuns((replace(one, about={"version": "1"}), replace(other, about={"version": "2"})))
        )


def test_the_worst_grade_is_the_highest_where_lower_is_better(tmp_path):
    (run,) = runs(tmp_path, changed(PLAIN, 2, x="")).runs
    values = np.array([row[-1] for k, row in enumerate(PLAIN) if k != 2])
    for better, worst in (("higher", 0), ("lower", 1)):
        a = ca.assess_grades(ca.GradedRuns((replace(run, better=better),)), unanswered="wrong")
        assert a.mean.value == pytest.approx((values.sum() + worst) / 12)


def test_the_frame_of_runs_has_all_answers(tmp_path):
    rows = changed(TWO, 3, x="", g="")
    frame = runs(tmp_path, rows).frame()
    assert frame.column_names == ["run", "task", "case", "repeat", "grade", "status", "target", "g", "c"]
    assert frame["run"].to_pylist() == [row[1] for row in rows]
    assert frame["case"].to_pylist() == [row[0] for row in rows]
    assert frame["repeat"].to_pylist() == [row[2] for row in rows]
    assert frame["grade"].to_pylist() == [None if row[-1] == "" else row[-1] for row in rows]
    assert frame["status"].to_pylist() == ["no grade" if row[-1] == "" else "graded" for row in rows]
    assert frame["g"].to_pylist() == [row[4] or None for row in rows]
    targets = frame["target"].to_pylist()
    assert [a == b for a, b in itertools.pairwise(targets)] == [
        a[3] == b[3] for a, b in itertools.pairwise(rows)
    ]
    assert repr(runs(tmp_path, rows).runs[0]) == "GradedRun(a: x, 11 of 12 answers graded)"
    assert repr(runs(tmp_path, TWO)).startswith("GradedRuns(GradedRun(a: x, 12 of 12")


def test_nested_fields_of_json_are_columns(tmp_path):
    path = tmp_path / "grades.jsonl"
    path.write_text(
        "".join(
            json.dumps(
                {"q": {"id": k}, "out": {"x": k % 2}, "kind": "uv"[k % 2], "m": 1.0 + k % 2, "e": k // 2}
            )
            + "\n"
            for k in range(8)
        )
    )
    columns = ca.GradeColumns(case="q.id", repeat="e", by=("kind",))
    (run,) = ca.read_grades(path, grade="out.x", columns=columns).runs
    assert run.mapped.values.tolist() == [k % 2 for k in range(8)]
    assert (run.case, run.groups["kind"]) == (tuple(map(str, range(8))), tuple("uv" * 4))
    named = ca.read_grades(path, grade="out.x", columns=replace(columns, model="m"))
    assert [len(one.case) for one in named.runs] == [4, 4]
    array = tmp_path / "grades.json"
    array.write_text("[" + ",".join(path.read_text().splitlines()) + "]")
    (other,) = ca.read_grades(array, grade="out.x", columns=columns).runs
    assert (other.case, other.mapped.values.tolist()) == (run.case, run.mapped.values.tolist())


@pytest.mark.parametrize(
    ("statuses", "text"),
    [
        (["graded"] * 3, ""),
        (["error"], "1 error"),
        (["error"] * 2 + ["no grade"], "2 errors and 1 empty grade"),
        (["no grade"] * 2 + ["scorer silent", "graded"], "2 empty grades and 1 without a score"),
    ],
)
def test_answers_without_a_grade_are_counted_by_reason(statuses, text):
    assert shown_counts(statuses) == text


@pytest.mark.parametrize(
    ("raw", "values", "statuses", "bounds", "source", "shown"),
    [
        ([1, 0.5, None], [1, 0.5, None], ["graded", "graded", "no grade"], None, "not declared", ""),
        (
            [1, 0, float("nan")],
            [1, 0, None],
            ["graded", "graded", "no grade"],
            (0, 1),
            "all grades are 0 or 1",
            "",
        ),
        (
            ["Yes", " no ", "null"],
            [1, 0, None],
            ["graded", "graded", "no grade"],
            (0, 1),
            "of the map",
            "no = 0, yes = 1",
        ),
        (
            [True, SILENT, FAILED],
            [1, None, None],
            ["graded", "scorer silent", "error"],
            (0, 1),
            "of the map",
            "true = 1",
        ),
        (["0.5", "1", "yes"], [0.5, 1, 1], ["graded"] * 3, None, "not declared", "yes = 1"),
        (["yes", "no", "0.5"], [1, 0, 0.5], ["graded"] * 3, None, "not declared", "no = 0, yes = 1"),
        ([2, 2.0, "2"], [2, 2, 2], ["graded"] * 3, None, "not declared", ""),
        ([None, None], [None, None], ["no grade"] * 2, (0, 1), "of the map", ""),
    ],
)
def test_grades_are_numbers_with_their_range(raw, values, statuses, bounds, source, shown):
    found = mapped(raw, [False] * len(raw), "judge")
    assert [None if np.isnan(x) else x for x in found.values] == values
    assert (found.statuses, found.bounds, found.bounds_from, found.shown_map) == (
        statuses,
        bounds,
        source,
        shown,
    )
    declared = mapped(raw, [False] * len(raw), "judge", bounds=(-1, 3))
    assert (declared.bounds, declared.bounds_from) == ((-1, 3), "declared")


GRADES = ("--case", "q", "--grade", "x")
OPTIONS = {
    "plain": (PLAIN, (), CASE, {}, {}),
    "repeats": (rows_of(epochs=3), ("--repeat", "e"), ca.GradeColumns("q", repeat="e"), {}, {}),
    "pass@k": (
        rows_of(epochs=3),
        ("--repeat", "e", "--pass-k", "1,3"),
        ca.GradeColumns("q", repeat="e"),
        {},
        {"pass_k": [1, 3]},
    ),
    "groups": (PLAIN, ("--by", "g"), ca.GradeColumns("q", by=("g",)), {}, {"by": "g"}),
    "weights of groups": (
        PLAIN,
        ("--by", "g", "--group-weight", "cases"),
        ca.GradeColumns("q", by=("g",)),
        {},
        {"by": "g", "group_weight": "cases"},
    ),
    "clusters": (PLAIN, ("--cluster", "c"), ca.GradeColumns("q", by=("c",)), {}, {"cluster": "c"}),
    "a level": (PLAIN, ("--level", "0.8"), CASE, {}, {"level": 0.8}),
    "bounds": (PLAIN, ("--bounds", "0,5"), CASE, {"bounds": (0, 5)}, {}),
    "a map": (PLAIN, ("--map", "0=1,1=0.25"), CASE, {"map": {"0": 1, "1": 0.25}}, {}),
    "worst": (changed(PLAIN, 2, x=""), ("--unanswered", "wrong"), CASE, {}, {"unanswered": "wrong"}),
    "excluded": (changed(PLAIN, 2, x=""), ("--unanswered", "drop"), CASE, {}, {"unanswered": "drop"}),
    "two runs": (TWO, ("--model", "m"), ca.GradeColumns("q", "m"), {}, {}),
    "targets": (TWO, ("--model", "m", "--target", "t"), ca.GradeColumns("q", "m", target="t"), {}, {}),
    "two runs in groups": (
        TWO,
        ("--model", "m", "--by", "g"),
        ca.GradeColumns("q", "m", by=("g",)),
        {},
        {"by": "g"},
    ),
    "three runs": (
        rows_of(("a", "bb", "ccc")),
        ("--model", "m", "--seed", "5"),
        ca.GradeColumns("q", "m"),
        {},
        {"seed": 5},
    ),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_is_its_argument(name, tmp_path):
    rows, words, columns, how, further = OPTIONS[name]
    path = tmp_path / "grades.csv"
    path.write_text(cells(rows))
    found = json_of("grades", str(path), *GRADES, *words, but=OF_THE_FILE)
    wanted = ca.assess_grades(ca.read_grades(path, grade="x", columns=columns, **how), **further)
    assert found == as_json(wanted, OF_THE_FILE)


REFUSED = [
    (PLAIN, ("--map", "0=a"), "--map gives 'a' to the grade '0'. Use a number, such as 0=0.5"),
    (PLAIN, ("--map", "0"), "--map"),
    (PLAIN, ("--pass-k", "0"), "--pass-k must be whole numbers from 1, such as 1,5, but is '0'"),
    (PLAIN, ("--pass-k", "1000000"), "--pass-k must be whole numbers"),
    (PLAIN, ("--group-weight", "cases"), "--group-weight has no effect without --by. Name the column"),
    (PLAIN, ("--by", "gg"), "no column 'gg'"),
    (PLAIN, ("--bounds", "1"), "--bounds"),
    (PLAIN, ("--human-columns", "case=q"), "--human-columns needs human labels. Use --human FILE"),
    (PLAIN, ("--json", "no/such.json"), "no"),
    (PLAIN, ("--require", "pass@2 >= 2"), "pass@2"),
    (PLAIN, ("--require", "grade >= 1.5"), "grade is between 0 and 1|between 0 and 1"),
    (PLAIN, ("--require", "mean >= 0.5"), "A run of grades has no 'mean'. Available: grade and varying"),
    (PLAIN, ("--require", "grade[g=u] >= 0.5"), "Groups need --by, as in"),
    (
        TWO,
        ("--model", "m", "--require", "grade >= 0.5"),
        "--require is for one run, but there are 2. For two runs, use `classay gate`",
    ),
    (TWO, ("--model", "m", "--pass-k", "2"), "remove --pass-k"),
    (changed(PLAIN, 2, x=""), (), "Use --unanswered wrong to count them as the worst grade"),
    ([*PLAIN, PLAIN[0]], (), "Use --repeat with the column that numbers the answers to a case"),
    ([(*row[:-1], "good") for row in PLAIN], (), "Use --map good=0 with your number"),
]


@pytest.mark.parametrize(("rows", "words", "said"), REFUSED)
def test_wrong_options_are_refused(rows, words, said, tmp_path):
    path = tmp_path / "grades.csv"
    path.write_text(cells(rows))
    line = refusal("grades", str(path), *GRADES, *words)
    assert any(each in line for each in said.split("|"))


REQUIRED = [
    ("grade >= 0.1", 0),
    ("grade.low >= 0.99", 1),
    ("pass@2 >= 0.1", 0),
    ("pass^2 >= 0.99", 1),
    ("varying <= 1", 0),
    ("grade[g=u] >= 0", 0),
    ("mean_of_groups >= 0.999", 1),
    ("pass@3 >= 0.1 and grade > 0.1", 3),
]


@pytest.mark.parametrize(("demand", "code"), REQUIRED)
def test_requirements_decide_the_exit_code(demand, code, tmp_path):
    path = tmp_path / "grades.csv"
    path.write_text(cells(rows_of(epochs=2)))
    done = call(
        "grades", str(path), *GRADES, "--repeat", "e", "--by", "g", "--require", demand, "--json", "-"
    )
    assert done.exit_code == code
    verdicts = {row["verdict"] for row in json.loads(done.stdout)["requirements"]}
    assert {0: "pass", 1: "fail", 3: "cannot tell"}[code] in verdicts
    refusal("grades", str(path), *GRADES, "--repeat", "e", "--json", str(path))


def test_the_delimiter_of_a_table_is_used_for_the_names_of_its_columns(tmp_path):
    path = tmp_path / "grades.csv"
    path.write_text("q;other,name;x\na;1;1\nb;2;0\n")
    said = call("grades", str(path), "--delimiter", ";").stderr
    assert "other,name" in said
    assert json_of("grades", str(path), "--delimiter", ";", *GRADES)["mean"]["value"] == 0.5


def test_only_cases_with_several_answers_are_clusters(tmp_path):
    assert joined(runs(tmp_path, PLAIN).runs).cluster is None
    twice = joined(runs(tmp_path, rows_of(epochs=2)).runs)
    assert twice.cluster.tolist() == [k for k in range(12) for _ in range(2)]
