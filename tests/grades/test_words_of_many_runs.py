"""Words, counts and names of many runs: the table of their answers, names that tell runs apart, and advice of maps."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.grades.json_stream import items, members
from classay.grades.maps import mapped
from classay.grades.records import FAILED, SILENT, Reported, digest
from command import call

NEW = Path(__file__).parents[1] / "outside" / "data" / "inspect-0.3.285-new.eval"
HEADS = {"error": "errors", "no grade": "empty grades", "scorer silent": "no score"}


def runs_with(number, lacks=(), means=()):
    """Runs of eight cases, where some answers lack a grade, and some tools report a mean."""
    runs = []
    for k in range(number):
        raw = [(k + case) % 3 / 2 for case in range(8)]
        for at, lack in enumerate(lacks):
            if (k + at) % 3 == 0:
                raw[at] = lack
        grades = mapped(raw, [False] * 8, "x", bounds=(0, 1))
        reported = Reported(k / 64, None, "mean of all") if k in means else None
        runs.append((f"m{k:02}", grades, reported))
    return runs


@pytest.fixture(scope="module")
def plain_run(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "grades.csv"
    path.write_text("q,x\n" + "".join(f"q{k},{k % 2}\n" for k in range(8)))
    return ca.read_grades(path, grade="x", columns=ca.GradeColumns("q"), bounds=(0, 1)).runs[0]


@pytest.mark.parametrize(
    ("number", "lacks", "means"),
    [
        (3, (), ()),
        (3, (), (2,)),
        (4, (None,), ()),
        (4, (FAILED,), (0, 3)),
        (5, (SILENT, FAILED, None), (1,)),
        (30, (None,), ()),
        (31, (None, SILENT), (0,)),
    ],
)
def test_the_answers_of_runs_are_counted_by_reason(number, lacks, means, plain_run):
    """Of each run the graded answers, those that lack a grade by why, and the mean of its tool; else no table."""
    wanted = runs_with(number, lacks, means)
    runs = tuple(
        replace(plain_run, name=name, mapped=grades, reported=reported) for name, grades, reported in wanted
    )
    board = ca.assess_grades(ca.GradedRuns(runs), unanswered="wrong")
    document = board.document()
    tables = {section.title: section.parts[0] for section in document.sections if section.parts}
    written = {row["run"]: row for row in board.to_dict()["runs"]}
    for name, grades, reported in wanted:
        row = written[name]
        counts = [row["graded"], row["errors"], row["empty"], row["silent"]]
        assert counts == [grades.statuses.count(status) for status in ("graded", *HEADS)]
        assert (row["reported"] and row["reported"]["value"]) == (reported and reported.value)
    if not (lacks or means):
        assert "Answers" not in tables
        return
    table = tables["Answers"]
    used = [status for status in HEADS if any(status in grades.statuses for _, grades, _ in wanted)]
    assert [column.head for column in table.columns] == [
        "",
        "graded",
        *(HEADS[status] for status in used),
        *["mean by the tool"] * bool(means),
    ]
    assert len(table.rows) == min(number, 30)
    for cells, (name, grades, reported) in zip(table.rows, wanted, strict=False):
        label, *counts = cells[: 2 + len(used)]
        assert label.text == name
        assert [count.value for count in counts] == [
            grades.statuses.count(status) for status in ("graded", *used)
        ]
        if means:
            mean = cells[-1]
            assert (mean.text, mean.value) == (
                ("", None) if reported is None else (f"{reported.value:.3f}", reported.value)
            )
    assert table.foot == ("The table shows the first 30 of 31 runs." if number > 30 else "")


def test_the_methods_of_a_leaderboard_are_whole_sentences(plain_run):
    runs = tuple(
        replace(plain_run, name=name, mapped=grades, reported=None) for name, grades, _ in runs_with(3)
    )
    board = ca.assess_grades(ca.GradedRuns(runs))
    document = board.document()
    assert [section.title for section in document.sections] == [
        "X",  # the leaderboard of the grade
        "Sample size needed",
        "Pairs of runs",
        "Cases",
        "Agreement of runs",
        "What the intervals cover",
        "Methods",
    ]
    ranked = [standing.model for standing in board.leaderboard.standings]
    assert [row[0].text.split()[-1] for row in document.sections[0].parts[0].rows] == ranked
    (prose,) = [
        part.text
        for section in document.sections
        for part in section.parts
        if "Agreement compares" in getattr(part, "text", "")
    ]
    sentences = prose.split(" ")
    assert sentences[-1].endswith(".")
    assert "  " not in prose
    assert "None" not in prose


@pytest.mark.parametrize("form", ["csv", "jsonl", "array"])
def test_rows_of_runs_that_alternate_stay_in_their_order(form, tmp_path):
    """Many rows of several models in a mixed order: each run has its rows as they are in the file."""
    rng = np.random.default_rng(4)
    rows = [(f"q{rng.integers(10**9)}", "abc"[rng.integers(3)], int(rng.integers(2))) for _ in range(300)]
    path = tmp_path / ("grades.csv" if form == "csv" else "grades.json")
    if form == "csv":
        path.write_text("q,m,x\n" + "".join(f"{q},{m},{x}\n" for q, m, x in rows))
    else:
        objects = [json.dumps({"q": q, "m": {"is": m}, "x": x}) for q, m, x in rows]
        path.write_text("\n".join(objects) if form == "jsonl" else f"[{','.join(objects)}]")
    read = ca.read_grades(path, grade="x", columns=ca.GradeColumns("q", "m"))
    assert len(read.runs) == 3
    for model, run in zip("abc", read.runs, strict=True):
        assert (model if form == "csv" else json.dumps({"is": model})).replace(" ", "") == run.name.replace(
            " ", ""
        )
        assert run.case == tuple(q for q, m, _ in rows if m == model)
        assert run.mapped.values.tolist() == [x for _, m, x in rows if m == model]


@pytest.mark.parametrize(
    ("prompts", "providers"), [(("one",), ("p",)), (("one",), ("p", "o")), (("one", "two"), ("p", "o"))]
)
@pytest.mark.parametrize("key", ["raw", "label"])
def test_runs_of_promptfoo_are_named_by_what_differs(prompts, providers, key, tmp_path):
    """By providers, and by prompts if there are several; a label stands for the text of a prompt."""
    path = tmp_path / "results.jsonl"
    pairs = [(prompt, provider) for prompt in prompts for provider in providers]
    rows = [
        {
            "promptIdx": at,
            "testIdx": k,
            "success": True,
            "score": k / 4,
            "vars": {"q": k},
            "namedScores": {},
            "failureReason": 0,
            "provider": {"id": provider},
            "prompt": {"raw": f"Say {prompt}"} | {key: prompt},
            "testCase": {},
        }
        for at, (prompt, provider) in enumerate(pairs)
        for k in range(4)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    names = ca.read_grades(path, grade="score").names
    assert names == tuple(
        f"{provider}, {prompt}" if len(prompts) > 1 else provider for prompt, provider in pairs
    )


@pytest.mark.parametrize("filters", [("strict",), ("strict", "loose")])
def test_a_filter_is_in_the_name_of_a_grade_if_there_are_several(filters, tmp_path):
    path = tmp_path / "samples_sums_2026-01-02T03-04-05.678.jsonl"
    rows = [
        {"doc_id": k, "doc": {}, "doc_hash": f"{k:064}", "target_hash": "f" * 64, "filtered_resps": []}
        | {"filter": name, "metrics": ["acc"], "acc": k % 2}
        for k in range(6)
        for name in filters
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    how = {"filter": "strict"} if len(filters) > 1 else {}
    with pytest.warns(UserWarning, match="no results file"):
        (run,) = ca.read_grades(path, grade="acc", **how).runs
    assert run.grade == ("acc (filter strict)" if len(filters) > 1 else "acc")
    if len(filters) > 1:
        with pytest.raises(
            ca.InputError,
            match=r"acc \(filter loose\), 6 answers; and acc \(filter strict\), 6 answers. Choose .* filter='loose'",
        ):
            ca.read_grades(path, grade="acc")


@pytest.mark.parametrize(
    ("grade", "options", "advice"),
    [
        ("good", (), "--map good=0 with"),
        ("very good", (), "--map GRADE=0 with"),
        ("g" * 19, (), f"--map {'g' * 19}=0 with"),
        ("g" * 20, (), "--map GRADE=0 with"),
        ("4/5", (), "--map GRADE=0 with"),
        ("good", ("--map", "a=1,b=0.5"), "--map a=1,b=0.5,good=0 with"),
        ("good", ("--map", f"a=1,{'b' * 52}=1"), f"--map a=1,{'b' * 52}=1,good=0 with"),
        ("good", ("--map", f"a=1,{'b' * 53}=1"), "--map good=0 with"),
    ],
)
def test_a_grade_without_a_number_has_an_option_to_copy(grade, options, advice, tmp_path):
    path = tmp_path / "grades.csv"
    path.write_text(f"q,x\nq0,{grade}\nq1,{grade}\nq2,a\n")
    done = call("grades", str(path), "--case", "q", "--grade", "x", *options)
    assert done.exit_code == 2
    said = " ".join(done.stderr.split())
    assert advice in said
    assert ("are not in the map" in said, "are not numeric" in said) == (bool(options), not options)


@pytest.mark.parametrize("levels", [10, 11])
@pytest.mark.parametrize("better", ["higher", "lower"])
def test_many_different_grades_are_counted_together(levels, better, tmp_path):
    """Of up to ten grades each is counted, of more the worst one and all; cases are named of the worst one only."""
    path = tmp_path / "grades.csv"
    grades = [k % levels for k in range(30)] + [None]
    path.write_text("q,x\n" + "".join(f"q{k:02},{'' if x is None else x}\n" for k, x in enumerate(grades)))
    (run,) = ca.read_grades(path, grade="x", columns=ca.GradeColumns("q")).runs
    a = ca.assess_grades(ca.GradedRuns((replace(run, better=better),)), unanswered="drop")
    (table,) = [section.parts[0] for section in a.document().sections if section.title == "Answers"]
    worst = 0 if better == "higher" else levels - 1
    shown = range(levels) if levels == 10 else [worst]
    wanted = [
        (
            f"grade {x}",
            grades.count(x),
            ", ".join(f"q{k:02}" for k in range(30) if grades[k] == x and x == worst),
        )
        for x in shown
    ]
    wanted += [("graded", 30, "")] * (levels == 11)
    assert [(row[0].text, row[1].value, row[2].text) for row in table.rows] == [
        *wanted,
        ("empty grade", 1, "q30"),
    ]


def test_a_table_of_one_row_has_its_model(tmp_path):
    path = tmp_path / "grades.csv"
    path.write_text("q,m,x\nq0,a,1\n")
    runs = ca.read_grades(path, grade="x", columns=ca.GradeColumns("q", "m")).runs
    assert [(run.name, run.case, run.mapped.values.tolist()) for run in runs] == [("a", ("q0",), [1])]


@pytest.mark.parametrize(
    ("text", "streamed", "pieces"),
    [
        ('{"a": {}, "b": 2}', {"a.x"}, [("b", 2)]),
        ('{"a": {"x": []}, "b": 2}', {"a.x"}, [("b", 2)]),
        ('{"a": {"x": [1, [2]], "y": {"z": 3}}}', {"a.x"}, [("a.x", 1), ("a.x", [2]), ("a.y", {"z": 3})]),
        ('{"a": {}, "ab": {"x": 1}}', {"ab.x"}, [("a", {}), ("ab.x", 1)]),
        ("{}", {"a"}, []),
        ('{"a": "[1]", "b": [2]}', {"a", "b.c"}, [("a", "[1]"), ("b", [2])]),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize("held", [1, 4, 1 << 20])
def test_members_of_json_are_those_of_the_whole(text, streamed, pieces, size, held, monkeypatch):
    """In pieces of any size, of a text that is held at once, or of which a part is."""
    monkeypatch.setattr("classay.grades.json_stream.CHUNK", held)
    raw = text.encode()
    chunks = [raw[at : at + size] for at in range(0, len(raw), size)]
    assert [*members(chunks, streamed)] == pieces
    array = f"[{text}, {text}, 12]".encode()
    chunks = [array[at : at + size] for at in range(0, len(array), size)]
    assert [*items(chunks)] == json.loads(array)
    assert [*items([b"[", b" ", b"]"])] == []


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("has_targets", ["all", "some", "none"])
def test_facts_of_runs_are_those_of_their_logs(number, has_targets, plain_run):
    """Task, notes of each log, targets that every run has, maps and ranges without repeating them, reported means."""
    target = tuple(f"t{k}" for k in range(8))
    runs = [
        replace(
            plain_run,
            name=f"m{k}",
            tool="tool",
            task="sums",
            target=target if has_targets == "all" or (has_targets == "some" and k == 0) else (None,) * 8,
            notes=(f"Note {k}.", "The job still runs.") if k != 1 else (),
            mapped=mapped(["yes", "no"] * 4, [False] * 8, "x")
            if k == 0
            else mapped([1, 0] * 4, [False] * 8, "x"),
            reported=Reported(0.25, 0.125, "mean of all") if k == 0 else None,
        )
        for k in range(number)
    ]
    found = ca.assess_grades(ca.GradedRuns(tuple(runs)))
    facts = found.facts
    if number > 1:
        pairs = found if number == 2 else found.comparisons
        assert {(pair.n, pair.units) for pair in pairs} == {(8, "cases")}
    names = [name for name, _ in facts]
    known = dict(facts)
    assert facts[:3] == (("task", "sums"), ("grade", "x"), ("cases", "8"))
    notes = [fact for fact in facts if fact[0].startswith("log")]
    assert notes == [
        ("log" if number == 1 else f"log of m{k}", text)
        for k in range(number)
        if k != 1
        for text in (f"Note {k}", "The job still runs")
    ]
    is_said = number > 1 and has_targets == "all"
    assert known.get("targets") == ("equal in all runs" if is_said else None)
    assert known["grade map"] == "no = 0, yes = 1"
    plain = "; all grades are 0 or 1" if number > 1 else ""
    assert known["range of grades"] == f"0 to 1 (of the map{plain})"
    if number < 3:
        of_run = "" if number == 1 else ", m0"
        assert known[f"mean by tool{of_run}"] == "0.250, standard error 0.125 (mean of all)"
        assert known[f"difference from tool{of_run}"].startswith("classay uses other numbers for grades")
    else:
        text = known["difference from the tool"]
        assert text == "m0: classay uses other numbers for grades, or the log was edited"
    assert names.count("difference from the tool") == (number == 3)
    untold = [replace(run, reported=None, task=None) for run in runs]
    others = ca.assess_grades(ca.GradedRuns(tuple(untold))).facts
    assert not [
        name for name, _ in others if name == "task" or name.startswith(("mean by", "difference from"))
    ]


@pytest.mark.parametrize("groups", ["a", "ab", "a-", "ab-", "abc"])
def test_groups_are_tested_against_all_others(groups, tmp_path):
    """Two groups have one difference, which no adjustment changes; answers without a group are not tested."""
    rng = np.random.default_rng(5)
    values = rng.random(36).round(3)
    of = np.array([groups[k % len(groups)] for k in range(36)])
    path = tmp_path / "grades.csv"
    path.write_text(
        "q,g,x\n"
        + "".join(f"q{k},{g.strip('-')},{x}\n" for k, (g, x) in enumerate(zip(of, values, strict=True)))
    )
    columns = ca.GradeColumns("q", by=("g",))
    a = ca.assess_grades(ca.read_grades(path, grade="x", columns=columns), by="g")
    found = {one.group or "-": one for one in a.groups.groups}
    assert [*found] == [*groups]
    ps = []
    for group, one in found.items():
        inside = of == group
        if inside.all():
            assert one.difference.reason == "there is one group"
        else:
            welch = stats.ttest_ind(values[inside], values[~inside], equal_var=False)
            assert one.difference.value == pytest.approx(values[inside].mean() - values[~inside].mean())
            assert one.p == pytest.approx(welch.pvalue if group != "-" else np.nan, nan_ok=True)
        if one.p == one.p:
            ps.append(one.p)
    if len(groups) == 2:
        assert [one.p_adjusted for one in found.values() if one.p == one.p] == ps
    else:
        assert [one.p_adjusted for one in found.values() if one.p == one.p] == pytest.approx(holm(ps))
    (section,) = [section for section in a.document().sections if section.title == "By g"]
    foot = section.parts[0].foot
    if not ps:
        assert foot == ""
    elif len(groups) > 2:  # cases without a group are others of each of two groups too
        assert foot == f"Welch's t. Adjusted p: Holm, {len(ps)} comparisons."
    else:
        assert foot == "Welch's t. With two groups, both differences have the same test."
    means = [values[of == group].mean() for group in groups if group != "-"]
    assert a.groups.overall.value == pytest.approx(np.mean(means))


def holm(ps):
    order, adjusted, most = np.argsort(ps), np.empty(len(ps)), 0.0
    for k, at in enumerate(order):
        most = max(most, min(1.0, (len(ps) - k) * ps[at]))
        adjusted[at] = most
    return adjusted.tolist()


@pytest.mark.parametrize(("values", "reason"), [("11110000", "the grades do not vary"), ("11110001", None)])
def test_groups_whose_grades_do_not_vary_have_no_test(values, reason, tmp_path):
    path = tmp_path / "grades.csv"
    path.write_text("q,g,x\n" + "".join(f"q{k},{'ab'[k > 3]},{x}\n" for k, x in enumerate(values)))
    a = ca.assess_grades(ca.read_grades(path, grade="x", columns=ca.GradeColumns("q", by=("g",))), by="g")
    means = np.mean([int(x) for x in values[:4]]), np.mean([int(x) for x in values[4:]])
    for one, sign in zip(a.groups.groups, (1, -1), strict=True):
        assert one.difference.value == pytest.approx(sign * (means[0] - means[1]))
        assert (one.difference.reason or None) == reason
        assert (one.p == one.p) == (reason is None)


def test_a_column_that_json_lacks_has_a_suggestion(tmp_path):
    path = tmp_path / "grades.json"
    path.write_text(json.dumps([{"case": "q0", "grade": 1, "kind": "a"}]))
    with pytest.raises(
        ca.InputError, match=r"no column 'gradee'. Columns: case, grade, kind\. Did you mean 'grade'\?"
    ):
        ca.read_grades(path, grade="gradee", columns=ca.GradeColumns("case"))


def test_texts_that_cannot_be_encoded_are_replaced(tmp_path):
    """A half of a pair of characters, as a cut text may have it, is a question mark; other letters stay."""
    path = tmp_path / "grades.jsonl"
    texts = {"\\ud83d": "?", "\\u00e4": "ä", "a\\ud83d b": "a? b"}
    path.write_text("".join(f'{{"q": "{text}", "g": "{text}", "x": 1}}\n' for text in texts))
    (run,) = ca.read_grades(path, grade="x", columns=ca.GradeColumns("q", by=("g",))).runs
    assert run.case == run.groups["g"] == (*texts.values(),)
    assert ca.GradedRuns((run,)).frame()["case"].to_pylist() == [*texts.values()]


@pytest.mark.parametrize(
    ("gone", "number", "example"),
    [
        ({("q1", 1)}, 1, "case 'q1'"),
        ({("q1", 0), ("q1", 1)}, 2, "case 'q1'"),
        ({(f"q{k}", 1) for k in range(4)}, 4, "case 'q0', repeat 1"),
        ({(f"q{k}", 1) for k in range(4)} | {("q3", 0)}, 5, "case 'q0'"),
    ],
)
def test_answers_of_one_run_only_are_told_by_an_example(gone, number, example, tmp_path):
    """The repeat is told only where a run has fewer repeats and no case is missing."""
    rows = [
        (f"q{k}", m, e)
        for m in "ab"
        for k in range(4)
        for e in (0, 1)
        if m == "a" or (f"q{k}", e) not in gone
    ]
    path = tmp_path / "grades.csv"
    path.write_text("q,m,e,x\n" + "".join(f"{q},{m},{e},{e}\n" for q, m, e in rows))
    runs = ca.read_grades(path, grade="x", columns=ca.GradeColumns("q", "m", "e"))
    verb = "is" if number == 1 else "are"
    noun = "answer" if number == 1 else "answers"
    with pytest.raises(ca.InputError) as refused:
        ca.assess_grades(runs)
    assert str(refused.value).startswith(
        f"{number} {noun} of a {verb} not in b, such as {example}. {8 - number} of 8 are in all runs. Pass unanswered="
    )


def test_a_log_that_its_folder_or_a_pattern_names_too_is_named_twice(tmp_path):
    log = tmp_path / NEW.name
    shutil.copy(NEW, log)
    assert len(ca.read_grades([tmp_path], grade="match").runs) == 1
    assert len(ca.read_grades([log, tmp_path], grade="match").runs) == 1
    (tmp_path / "again").symlink_to(tmp_path)
    for first in (tmp_path, tmp_path / "*.eval", log):
        for other in (log, tmp_path / "again" / log.name):
            with pytest.raises(ca.InputError, match=r"is named twice\. Name each run once"):
                ca.read_grades([first, other], grade="match")


@pytest.mark.parametrize("epochs", [1, 2])
@pytest.mark.parametrize("units", [4, 6, 10])
def test_clusters_of_cases_have_the_quantile_of_their_number(units, epochs, tmp_path):
    """Half of the clusters pass, all in one: Wilson's interval of as many cases as vary so, with t on units - 1."""
    rows = [(f"q{c}{k}", e, f"c{c}", c % 2) for c in range(units) for k in range(3) for e in range(epochs)]
    path = tmp_path / "grades.csv"
    path.write_text("q,e,c,x\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    columns = ca.GradeColumns("q", repeat="e", by=("c",))
    mean = ca.assess_grades(ca.read_grades(path, grade="x", columns=columns), cluster="c").mean
    variance = 0.25 / (units - 1)  # of the mean of so many clusters
    m, t = 0.25 / variance, stats.t.ppf(0.975, units - 1)
    half = t * np.sqrt(0.25 / m + t * t / (4 * m * m)) / (1 + t * t / m)
    assert (mean.value, mean.low, mean.high) == pytest.approx((0.5, 0.5 - half, 0.5 + half))


@pytest.mark.parametrize("split", [0, 3, 7])
def test_the_case_whose_answers_are_in_several_clusters_is_named(split, tmp_path):
    rows = [
        (f"q{k}", e, f"c{(k + (e if k == split else 0)) % 4}", (k + e) % 2) for k in range(8) for e in (0, 1)
    ]
    path = tmp_path / "grades.csv"
    path.write_text("q,e,c,x\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    columns = ca.GradeColumns("q", repeat="e", by=("c",))
    with pytest.raises(ca.InputError, match=f"the answers to case 'q{split}' are in several clusters of 'c'"):
        ca.assess_grades(ca.read_grades(path, grade="x", columns=columns), cluster="c")


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (1, 0, 2, 3, 4), (4, 3, 2, 1, 0), (2, 4, 1, 0, 3)])
def test_the_order_of_the_columns_of_mlflow_says_nothing(order, tmp_path):
    names = ["trace_id", "request", "near/value", "expected_response/value", "state"]
    rows = [
        (f"t{k}", f"question {k}", k / 8, f"answer {k % 3}", "OK" if k < 7 else "ERROR") for k in range(8)
    ]
    texts = [",".join(names[k] for k in order), *(",".join(str(row[k]) for k in order) for row in rows)]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(texts) + "\n")
    (run,) = ca.read_grades(path, grade="near").runs
    assert run.tool == "MLflow"
    assert run.case == tuple(row[1] for row in rows)
    assert run.mapped.statuses == ["graded"] * 7 + ["error"]
    assert run.mapped.values[:7].tolist() == [row[2] for row in rows[:7]]
    assert run.target == tuple(digest(row[3]) for row in rows)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "json"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_mark_of_its_encoding_is_no_part_of_a_table(ending, mark, tmp_path):
    rows = [(f"ü{k}", k % 2) for k in range(4)]
    path = tmp_path / f"grades.{ending}"
    objects = [json.dumps({"q": q, "x": x}, ensure_ascii=False) for q, x in rows]
    texts = {
        "csv": "q,x\n" + "".join(f"{q},{x}\n" for q, x in rows),
        "jsonl": "\n".join(objects),
        "json": f"[{','.join(objects)}]",
    }
    path.write_text(mark + texts[ending], encoding="utf-8")
    (run,) = ca.read_grades(path, grade="x", columns=ca.GradeColumns("q")).runs
    assert (run.case, run.mapped.values.tolist()) == (tuple(q for q, _ in rows), [x for _, x in rows])


@pytest.mark.parametrize(("epochs", "method"), [(1, "Welch's t"), (2, "clusters, Welch's t")])
def test_the_method_of_a_difference_names_clusters_where_cases_have_several_answers(epochs, method, tmp_path):
    rows = [(f"q{k}", e, "ab"[k % 2], (k + e) % 3) for k in range(12) for e in range(epochs)]
    path = tmp_path / "grades.csv"
    path.write_text("q,e,g,x\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    columns = ca.GradeColumns("q", repeat="e", by=("g",))
    groups = ca.assess_grades(ca.read_grades(path, grade="x", columns=columns), by="g").groups
    assert [one.difference.method for one in groups.groups] == [method] * 2


@pytest.mark.parametrize(("demand", "code"), [("grade >= 0.1", 0), ("grade >= 0.9", 1)])
def test_requirements_are_shown_in_every_form(demand, code, tmp_path):
    path = tmp_path / "grades.csv"
    path.write_text("q,x\n" + "".join(f"q{k},{k % 2}\n" for k in range(40)))
    words = ("grades", str(path), "--case", "q", "--grade", "x", "--require", demand)
    alone = call(*words[:-2])
    done = call(*words, "--markdown", str(tmp_path / "a.md"))
    assert (done.exit_code, alone.exit_code) == (code, 0)
    assert "The mean grade is 0.500 (95% CI" in done.stdout
    assert demand in done.stdout + done.stderr
    assert demand not in alone.stdout
    page = (tmp_path / "a.md").read_text()
    assert demand.replace(">", "\\>") in page


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"q": 1, "x": 1}, {"q": 2, "x": 0}', "Line 2 of grades.jsonl is not a JSON object"),
        ('{"q": 1, "x": 1}, [{}]', "Line 2 of grades.jsonl is not a JSON object"),
        ("[1]", "Line 2 of grades.jsonl is not a JSON object"),
        ('{"q": 1', "Line 2 of grades.jsonl is not a JSON object"),
        ("", None),
        ('  {"q": 1, "x": 1}  ', None),
    ],
)
def test_a_line_is_one_object(line, words, tmp_path):
    path = tmp_path / "grades.jsonl"
    path.write_text(f'{{"q": "a", "x": 1}}\n{line}\n{{"q": "b", "x": 0}}\n')
    if words is None:
        (run,) = ca.read_grades(path, grade="x", columns=ca.GradeColumns("q")).runs
        assert run.case == (("a", "1", "b") if line else ("a", "b"))
        return
    with pytest.raises(ca.FileError, match=words):
        ca.read_grades(path, grade="x", columns=ca.GradeColumns("q"))


@pytest.mark.parametrize("gone", [0, 1, 3])
def test_answers_that_another_run_lacks_are_a_reason_for_another_mean(gone, plain_run):
    short = replace(
        plain_run,
        name="short",
        case=plain_run.case[gone:],
        repeat=plain_run.repeat[gone:],
        target=plain_run.target[gone:],
        mapped=mapped([k % 2 for k in range(gone, 8)], [False] * (8 - gone), "x"),
    )
    told = replace(plain_run, name="told", tool="tool", reported=Reported(0.125, None, "mean of all"))
    facts = dict(ca.assess_grades(ca.GradedRuns((told, short)), unanswered="drop").facts)
    answers = {0: "", 1: "classay excludes 1 answer", 3: "classay excludes 3 answers"}[gone]
    assert facts["difference from tool, told"] == (
        answers or "classay uses other numbers for grades, or the log was edited"
    )


@pytest.mark.parametrize(
    ("grades", "counts"),
    [
        ([[1, 1, 1], [1, 1, 1]], {"all runs pass": 2, "all runs fail": 0, "runs differ (largest first)": 0}),
        ([[0, 0, 0], [1, 0, 1]], {"all runs pass": 0, "all runs fail": 1, "runs differ (largest first)": 1}),
        (
            [[0.5, 0.5, 0.5], [1, 0, 1], [0, 0, 0]],
            {
                "all runs pass": 0,
                "all runs fail": 1,
                "same grade in all runs": 1,
                "runs differ (largest first)": 1,
            },
        ),
    ],
)
def test_cases_are_counted_by_how_runs_fare(grades, counts, plain_run):
    """That all runs pass, fail or differ is counted even if no case is so; an equal grade only if some case is."""
    number = len(grades)
    runs = [
        replace(
            plain_run,
            name=f"m{k}",
            case=tuple(f"q{case}" for case in range(number)),
            repeat=np.ones(number, int),
            target=(None,) * number,
            mapped=mapped([of[k] for of in grades], [False] * number, "x", bounds=(0, 1)),
        )
        for k in range(3)
    ]
    document = ca.assess_grades(ca.GradedRuns(tuple(runs))).document()
    (table,) = [section.parts[0] for section in document.sections if section.title == "Cases"]
    assert {row[0].text: row[1].value for row in table.rows} == counts
    assert [row[0].text for row in table.rows] == [*counts]


def test_a_hash_of_values_is_short_and_tells_them_apart():
    hashes = [
        digest(*values) for values in (("a", "b"), ("b", "a"), ("ab",), ("a b",), ("a",), ("a" * 1000,))
    ]
    assert {len(each) for each in hashes} == {12}
    assert len({*hashes}) == len(hashes)
    assert digest(" a\n b ") == digest("a b")
    assert digest("a" * 1000) == digest("a" * 1001)  # what all versions of Inspect keep of a target
