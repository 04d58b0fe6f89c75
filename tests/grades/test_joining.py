"""Runs of the same cases: joined whatever the order of files and rows, refused where cases are not the same."""

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import classay as ca
from classay.grades.joining import joined
from command import refusal

DATA = Path(__file__).parents[1] / "outside" / "data"
NEW, OLD, CHANGED = (DATA / f"inspect-0.3.285-{name}.eval" for name in ("new", "old", "changed"))
HARNESS = DATA / "lm_eval-0.4.13"


def table(path, rows, ending="csv"):
    """A file of grades."""
    path = path.with_suffix(f".{ending}")
    if ending == "csv":
        path.write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    else:
        head, *others = rows
        path.write_text("".join(json.dumps(dict(zip(head, row, strict=True))) + "\n" for row in others))
    return path


def test_answers_to_a_question_are_a_cluster():
    both = joined(ca.read_grades([NEW, OLD], grade="match").runs, refuses=False)
    assert both.cases == ("brick", "coal", "grass", "lemon", "sky", "snow")
    assert both.code.tolist() == np.repeat(range(6), 3).tolist()
    assert both.cluster is both.code
    assert both.repeat.tolist() == 6 * [1, 2, 3]
    assert both.groups["kind"][:6] == ("goods",) * 6
    assert (
        joined(ca.read_grades([OLD, NEW], grade="match").runs, refuses=False).values.keys()
        == both.values.keys()
    )


def test_the_order_of_files_and_rows_is_nothing(tmp_path):
    forward = ca.assess_grades(ca.read_grades([NEW, OLD], grade="match"), unanswered="drop")
    backward = ca.assess_grades(ca.read_grades([OLD, NEW], grade="match"), unanswered="drop")
    assert (forward.models, backward.models) == (forward.models, forward.models[::-1])
    assert forward[0].effect.value == -backward[0].effect.value
    assert forward[0].p == backward[0].p
    head, *rows = [("item", "epoch", "model", "grade")] + [
        (f"q{case}", epoch, model, int(random.Random(f"{case}{epoch}{model}").random() < 0.6))
        for model in "ab"
        for case in range(8)
        for epoch in (1, 2)
    ]
    columns = ca.GradeColumns(case="item", model="model", repeat="epoch")
    results = []
    for seed in range(3):
        random.Random(seed).shuffle(rows)
        path = table(tmp_path / "runs", [head, *rows])
        results.append(ca.assess_grades(ca.read_grades(path, grade="grade", columns=columns)))
    assert results[0][0] == results[1][0] == results[2][0]


def test_epochs_are_no_cases():
    """The interval of 18 answers to 6 questions is that of 6 clusters, which is wider."""
    found = ca.assess_grades(ca.read_grades(NEW, grade="match"), unanswered="drop")
    assert (found.n_cases, found.n_answers) == (6, 17)
    assert found.mean.method.startswith("clusters, Wilson")
    alone = ca.proportion(14, 17).estimates["Wilson"]
    assert found.mean.high - found.mean.low > 1.1 * (alone.high - alone.low)


def test_complete_repeats_have_the_mean_and_error_of_inspect(tmp_path):
    """With all epochs, the mean of answers is Inspect's mean of questions, and the variance over clusters its own."""
    rng = np.random.default_rng(0)
    grades = (rng.random((200, 1)) + rng.random((200, 3)) > 0.9).astype(int)
    rows = [("item", "epoch", "grade"), *((k, e, grades[k, e]) for k in range(200) for e in range(3))]
    columns = ca.GradeColumns(case="item", repeat="epoch")
    read = ca.read_grades(table(tmp_path / "run", rows), grade="grade", columns=columns)
    found = ca.assess_grades(read).mean
    questions = grades.mean(1)
    assert found.value == pytest.approx(questions.mean())
    error = questions.std(ddof=1) / np.sqrt(200)
    assert found.high - found.low == pytest.approx(2 * 1.97 * error, rel=0.03)


def test_answers_without_a_grade_are_refused_with_their_reasons():
    read = ca.read_grades([NEW, OLD], grade="closeness")
    with pytest.raises(
        ca.InputError, match=r"new 1 error and 1 without a score of 18 and .*old 1 error and 2 without"
    ):
        ca.assess_grades(read)
    with pytest.raises(ca.InputError, match="bounds"):
        ca.assess_grades(read, unanswered="wrong")
    bounded = ca.read_grades([NEW, OLD], grade="closeness", bounds=(0, 1))
    assert ca.assess_grades(bounded, unanswered="wrong")[0].values[0] == pytest.approx(14.5 / 18)


def test_errors_out_of_the_denominator_of_the_tool_are_told_beside_our_mean():
    read = ca.read_grades(NEW, grade="match")
    wrong, drop = (ca.assess_grades(read, unanswered=word) for word in ("wrong", "drop"))
    assert wrong.mean.value == pytest.approx(14 / 18)
    assert drop.mean.value == pytest.approx(14 / 17)
    assert read.runs[0].reported.value == pytest.approx(29 / 36)
    assert dict(wrong.facts)["mean by Inspect"].startswith(
        "0.806, standard error 0.090 (mean of the means of 6"
    )
    assert [warned.code for warned in wrong.warnings] == ["unanswered_wrong"]
    assert [warned.code for warned in drop.warnings] == ["unanswered_dropped"]
    assert wrong.differences == (
        "classay counts 1 error as the worst grade",
        "the standard error of classay is 0.111",
    )
    assert drop.differences == (
        "Inspect weights cases equally, and classay weights answers equally",
        "the standard error of classay is 0.084: classay corrects for clusters of unequal size (CV3)",
    )
    assert dict(wrong.facts)["difference from Inspect"] == "; ".join(wrong.differences)
    assert "0.806" in str(wrong)


def test_other_numbers_of_grades_are_the_reason_for_another_mean():
    read = ca.read_grades(DATA / "inspect-0.3.285-graded.eval", grade="style/short")
    assert "difference from Inspect" not in dict(ca.assess_grades(read).facts)
    changed = ca.read_grades(DATA / "inspect-0.3.285-graded.eval", grade="style/short", map={"1": 2, "0": 1})
    assert "other numbers" in dict(ca.assess_grades(changed).facts)["difference from Inspect"]


def test_other_targets_of_the_same_cases_are_refused():
    read = ca.read_grades([NEW, CHANGED], grade="match")
    with (
        pytest.warns(UserWarning, match=r"differ in the task version: 1 \(inspect-0.3.285-new\) and 2"),
        pytest.raises(ca.InputError, match="1 case of 6 has different questions or targets"),
    ):
        ca.assess_grades(read, unanswered="drop")


def test_wrong_numbers_of_lm_eval_are_matched_by_content():
    """With --samples in another order than the task, lm-eval writes the wrong doc_id."""
    first = next(HARNESS.glob("first/samples_chosen*"))
    some = next(HARNESS.glob("second-some/samples_chosen*"))
    whole = next(HARNESS.glob("second/samples_chosen*"))
    lines = [json.loads(line) for line in some.read_text().splitlines()]
    true = {
        json.loads(line)["doc_hash"]: json.loads(line)["doc_id"] for line in whole.read_text().splitlines()
    }
    assert [line["doc_id"] for line in lines] == [4, 0, 3]
    assert [true[line["doc_hash"]] for line in lines] == [0, 3, 4]
    read = ca.read_grades([first, some], grade="acc")
    with pytest.warns(UserWarning, match="numbers the same questions differently"):
        both = joined(read.runs, refuses=False)
    right = {line["doc_id"]: line["acc"] for line in map(json.loads, whole.read_text().splitlines())}
    assert {int(both.cases[code]) for code in both.code[~np.isnan(both.values["second"])]} == {0, 3, 4}
    for code, value in zip(both.code.tolist(), both.values["second"].tolist(), strict=True):
        assert np.isnan(value) or value == right[int(both.cases[code])]


def test_questions_that_content_does_not_tell_apart_are_not_matched_by_it(tmp_path):
    files = []
    for name, numbers in (("a", (0, 1, 2)), ("b", (1, 0, 2))):
        path = tmp_path / name / "samples_t_2026-01-01T00-00-00.0.jsonl"
        path.parent.mkdir()
        docs = ["x", "y", "y"]
        path.write_text(
            "".join(
                json.dumps(
                    {"doc_id": k, "doc": {"q": q}, "filtered_resps": [], "filter": "none", "metrics": ["acc"]}
                    | {"doc_hash": q, "target_hash": q, "acc": 1.0}
                )
                + "\n"
                for k, q in zip(numbers, docs, strict=True)
            )
        )
        files.append(path)
    with pytest.warns(UserWarning, match="The folder has no results file"):
        read = ca.read_grades(files)
    with pytest.raises(ca.InputError, match="2 cases of 3 have different questions"):
        ca.assess_grades(read)


def test_cases_of_one_run_only_are_refused_or_treated_as_unanswered(tmp_path):
    columns = ca.GradeColumns(case="item", model="model")
    rows = [
        ("item", "model", "grade"),
        *((k, "a", k % 2) for k in range(9)),
        *((k, "b", k % 3 > 0) for k in range(8)),
    ]
    path = table(tmp_path / "runs", [[*row[:2], str(row[2])] for row in rows])
    read = ca.read_grades(path, grade="grade", columns=columns)
    with pytest.raises(
        ca.InputError, match=r"1 answer of a is not in b, such as case '8'. 8 of 9 are in all runs"
    ):
        ca.assess_grades(read)
    assert ca.assess_grades(read, unanswered="drop")[0].n == 8
    assert ca.assess_grades(read, unanswered="wrong")[0].n == 9


def test_an_epoch_that_lacks_in_one_run_is_named(tmp_path):
    columns = ca.GradeColumns(case="item", model="model", repeat="epoch")
    rows = [(k, m, e, (k + e) % 2) for k in range(5) for m in "ab" for e in (1, 2) if (m, e) != ("b", 2)]
    path = table(tmp_path / "runs", [("item", "model", "epoch", "grade"), *rows])
    with pytest.raises(ca.InputError, match=r"5 answers of a are not in b, such as case '0', repeat 2"):
        ca.assess_grades(ca.read_grades(path, grade="grade", columns=columns))


def test_repeats_that_a_run_was_never_asked_for_are_not_incorrect(tmp_path):
    columns = ca.GradeColumns(case="item", model="model", repeat="epoch")
    rows = [(k, m, e, (k + e) % 2) for k in range(9) for m in "ab" for e in (1, 2) if (m, e) != ("b", 2)]
    path = table(tmp_path / "runs", [("item", "model", "epoch", "grade"), *rows])
    read = ca.read_grades(path, grade="grade", columns=columns)
    with pytest.raises(ca.InputError, match=r"different numbers of answers per case \(a 2 and b 1\)"):
        ca.assess_grades(read, unanswered="wrong")
    assert ca.assess_grades(read, unanswered="drop")[0].effect.value == 0


def test_uneven_repeats_are_told(tmp_path):
    rows = [("item", "epoch", "grade"), *((k, e, (k + e) % 2) for k in range(9) for e in range(1 + k % 3))]
    columns = ca.GradeColumns(case="item", repeat="epoch")
    read = ca.read_grades(table(tmp_path / "run", rows), grade="grade", columns=columns)
    assert dict(ca.assess_grades(read).facts)["answers"] == "18 (1 to 3 per case); a case is a cluster"


def test_cases_of_deepeval_are_joined_by_their_input():
    files = [DATA / f"deepeval-4.3.1-{who}.json" for who in ("new", "old")]
    found = ca.assess_grades(ca.read_grades(files, grade="Exact"), unanswered="drop")
    assert found[0].values == pytest.approx((1 / 3, 1))


@pytest.mark.filterwarnings("ignore:.*threw")
def test_runs_of_promptfoo_in_one_file_are_paired():
    found = ca.assess_grades(
        ca.read_grades(DATA / "promptfoo-0.123.1.json", grade="pass"), unanswered="wrong"
    )
    assert found.models == ("answers, new", "answers, old")
    assert found[0].values == pytest.approx((0.6, 0.4))
    assert ("answers", "10; a case is a cluster") in found.facts


@pytest.mark.parametrize("cluster", [None, "passage"])
def test_groups_count_cases(tmp_path, cluster):
    rows = [("item", "epoch", "model", "kind", "passage", "grade")]
    rows += [
        (k, e, m, "ab"[k % 2] if k < 28 else "", k // 4, (k * e + (m == "new") * k) % 3 == 0)
        for k in range(30)
        for e in (1, 2)
        for m in ("new", "old")
    ]
    columns = ca.GradeColumns(case="item", repeat="epoch", model="model", by=("kind", "passage"))
    read = ca.read_grades(table(tmp_path / "runs", rows), grade="grade", columns=columns)
    found = ca.assess_grades(read, by="kind", cluster=cluster)
    assert (found.cases, found.cases_not_recorded) == ({"a": 14, "b": 14}, 2)
    units = {test.units for group in found.groups.values() for test in group}
    assert units == {"clusters" if cluster else "cases"}
    assert "The data are 30 cases. Grade: grade. Answers: 60" in found.to_dict()["methods"]


def test_names_that_inspect_gives_are_times(tmp_path):
    ids = ("8ptPEFAEj7pVebVaZBCvpe", "7WSGDLK2YqXcfzETYuTFa8")
    for who, time, name in zip(("new", "old"), ("03-54-00", "03-54-05"), ids, strict=True):
        log = tmp_path / f"2026-11-30T{time}-00-00_colours_{name}.eval"
        log.write_bytes((DATA / f"inspect-0.3.285-{who}.eval").read_bytes())
    assert ca.read_grades(tmp_path, grade="match").names == ("2026-11-30T03-54-00", "2026-11-30T03-54-05")


def test_a_log_is_no_file_of_rows():
    log = str(DATA / "inspect-0.3.285-new.eval")
    for command in ("assess", "compare", "describe"):
        said = refusal(command, log)
        assert "is a log of Inspect" in said
        assert f"Use `classay grades {log}`" in said
    with pytest.raises(ca.FileError, match=r"Use read_grades and assess_grades\."):
        ca.scan(log, truth="y", score="p")


def test_a_leaderboard_tells_why_means_differ_from_those_of_the_tool():
    read = ca.read_grades([NEW, OLD], grade="match")
    read = replace(read, runs=(*read.runs, replace(read.runs[0], name="third")))
    told = [
        text
        for name, text in ca.assess_grades(read, unanswered="wrong").facts
        if name == "difference from the tool"
    ]
    alone = ca.assess_grades(ca.read_grades(NEW, grade="match"), unanswered="wrong")
    names = "inspect-0.3.285-new, inspect-0.3.285-old and third"
    assert told == [f"{names}: {alone.differences[0]}"]


@pytest.mark.parametrize(("better", "worst"), [("higher", 1), ("lower", 5)])
def test_an_answer_without_a_grade_has_the_worst_one(tmp_path, better, worst):
    path = table(tmp_path / "run", [("item", "grade"), *((k, 2 + k % 3) for k in range(9)), (9, "")])
    read = ca.read_grades(path, grade="grade", columns=ca.GradeColumns(case="item"), bounds=(1, 5))
    runs = ca.GradedRuns((replace(read.runs[0], better=better),))
    found = ca.assess_grades(runs, unanswered="wrong")
    assert found.mean.value == pytest.approx((9 * 3 + worst) / 10)
