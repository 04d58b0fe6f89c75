"""Logs of Inspect, lm-eval, promptfoo, deepeval, MLflow and ragas, as these tools wrote them."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import classay as ca
from classay.grades.log_formats import FORMATS, recognized
from classay.grades.reading import read_runs
from classay.grades.records import Grade

DATA = Path(__file__).parents[1] / "outside" / "data"
INSPECT = DATA / "inspect-0.3.285-new.eval"
HARNESS = DATA / "lm_eval-0.4.13"
SCORES = "first/samples_chosen_*.jsonl"


def rows(paths, **options):
    """A dict for each answer."""
    return ca.read_grades(paths, **options).frame().to_pylist()


def by_case(paths, **options):
    """The grades by case and repeat."""
    return {(row["case"], row["repeat"]): row["grade"] for row in rows(paths, **options)}


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("inspect-0.3.285-new.eval", "Inspect"),
        ("inspect-0.3.285-started.eval", "Inspect"),
        ("inspect-0.3.285-new.json", "Inspect"),
        ("promptfoo-0.123.1.json", "promptfoo"),
        ("promptfoo-0.123.1.jsonl", "promptfoo"),
        ("promptfoo-0.123.1.csv", "promptfoo"),
        ("deepeval-4.3.1-new.json", "deepeval"),
        ("mlflow-3.17.2-new.csv", "MLflow"),
        ("mlflow-3.17.2-new.jsonl", "MLflow"),
        ("ragas-0.4.3.csv", None),
        ("ragas-0.4.3.jsonl", None),
        ("pandas-3.1.1-european.csv", None),
        ("openpyxl-3.1.5.xlsx", None),
    ],
)
def test_logs_are_recognized_by_their_keys(name, tool, tmp_path):
    known = recognized(str(DATA / name))
    assert (None if known is None else known.tool) == tool
    renamed = tmp_path / "renamed.txt"
    renamed.write_bytes((DATA / name).read_bytes())
    assert recognized(str(renamed)) == known


def test_samples_of_lm_eval_are_recognized():
    assert {recognized(str(path)).tool for path in HARNESS.glob("*/samples_*")} == {"lm-eval"}
    assert {recognized(str(path)).is_refused for path in HARNESS.glob("*/results_*")} == {True}
    with pytest.raises(
        ca.FileError, match=r"has the means of lm-eval and no questions. Use samples_\*.jsonl"
    ):
        ca.read_grades(next(HARNESS.glob("first/results_*")))


def test_every_format_names_the_version_that_was_tried():
    files = [path.name for path in DATA.iterdir()]
    for known in FORMATS:
        assert any(known.tried in name for name in files), known


# Inspect


def test_an_error_of_inspect_is_an_answer_with_its_status():
    found = rows(INSPECT, grade="match")
    assert len(found) == 18
    (failed,) = [row for row in found if row["status"] == "error"]
    assert (failed["case"], failed["repeat"], failed["grade"]) == ("coal", 3, None)
    assert {row["kind"] for row in found} == {"nature", "goods"}


def test_inspect_reports_completed_samples_and_averages_questions():
    (run,) = ca.read_grades(INSPECT, grade="match").runs
    grades = by_case(INSPECT, grade="match")
    means = [
        np.mean([value for (case, _), value in grades.items() if case == name and value is not None])
        for name in ("sky", "grass", "snow", "coal", "brick", "lemon")
    ]
    assert run.reported.value == pytest.approx(np.mean(means))
    assert run.reported.error == pytest.approx(np.std(means, ddof=1) / np.sqrt(6))
    assert "17 of 18 answers completed" in run.reported.over
    assert run.reported.value != pytest.approx(np.mean([v for v in grades.values() if v is not None]))


def test_a_scorer_that_says_nothing_is_silent_and_no_error():
    found = rows(INSPECT, grade="closeness")
    silent = [(row["case"], row["repeat"]) for row in found if row["status"] == "scorer silent"]
    assert silent == [("coal", 2)]
    (run,) = ca.read_grades(INSPECT, grade="closeness").runs
    assert run.reported.over.startswith("mean of the means of 6 questions")  # unscored_samples is 0 there


def test_the_json_of_inspect_has_the_same_answers_as_its_archive_in_another_order():
    archive, text = (
        rows(DATA / f"inspect-0.3.285-new.{ending}", grade="match") for ending in ("eval", "json")
    )
    assert archive != text
    order = [(row["repeat"], row["case"]) for row in text]
    assert order == sorted(order)
    by_place = {(row["case"], row["repeat"]): row for row in archive}
    assert all(by_place[row["case"], row["repeat"]] == row for row in text)


def test_rows_of_inspect_come_in_the_order_of_completion():
    old = DATA / "inspect-0.3.285-old.eval"
    order = [row["case"] for row in rows(old, grade="match")]
    assert order != [row["case"] for row in rows(INSPECT, grade="match")]
    assert by_case(old, grade="match")["sky", 2] == 0
    assert by_case(old, grade="match")["lemon", 3] == 1


def test_letters_of_inspect_are_numbers_and_other_letters_are_refused():
    graded = DATA / "inspect-0.3.285-graded.eval"
    with pytest.raises(ca.InputError, match=r"1 grade of judge is not numeric: 'B' \(1\)"):
        ca.read_grades(graded, grade="judge")
    found = by_case(graded, grade="judge", map={"C": 1, "P": 0.5, "I": 0, "N": 0, "B": 0.25})
    assert [found[case, 1] for case in "abcdefgh"] == [1, 0.5, 0, 0, 0.25, None, 1, 0]


def test_inspect_counts_a_letter_that_it_does_not_know_as_0():
    (run,) = ca.read_grades(
        DATA / "inspect-0.3.285-graded.eval", grade="judge", map={"C": 1, "P": 0.5, "I": 0, "N": 0, "B": 1}
    ).runs
    assert run.reported.value == pytest.approx(2.5 / 7)
    assert np.nanmean(run.mapped.values) == pytest.approx(3.5 / 7)


def test_a_scorer_of_inspect_with_several_values_has_several_grades():
    graded = DATA / "inspect-0.3.285-graded.eval"
    (run,) = ca.read_grades(graded, grade="style/polite").runs
    assert run.mapped.values.tolist() == [0, 1, 1, 1, 1, 1, 1, 1]
    assert run.mapped.shown_map == "false = 0, true = 1"
    assert run.reported.value == pytest.approx(0.875)


def test_a_success_of_inspect_in_which_all_failed_has_no_mean():
    with pytest.raises(ca.InputError, match="8 of 8 answers failed"):
        ca.read_grades(DATA / "inspect-0.3.285-failed.eval")


def test_a_log_of_a_job_that_still_runs_is_read_with_a_warning():
    with pytest.warns(UserWarning, match="still runs or was ended: the log has 4 of 8 answers"):
        assert len(rows(DATA / "inspect-0.3.285-started.eval", grade="judge")) == 4


def test_two_files_of_one_run_are_refused(tmp_path):
    copy = tmp_path / "again.eval"
    copy.write_bytes(INSPECT.read_bytes())
    with pytest.raises(ca.InputError, match="same run"):
        ca.read_grades([INSPECT, copy], grade="match")
    with pytest.raises(ca.InputError, match="named twice"):
        ca.read_grades([INSPECT, str(INSPECT)], grade="match")


def test_archives_of_older_python_and_of_other_compression_are_read_too(tmp_path):
    (run,) = read_runs(INSPECT)
    with zipfile.ZipFile(tmp_path / "plain.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"status": "success", "eval": {"task": "colours"}}))
        sample = {"id": 1, "epoch": 1, "target": ["a"], "scores": {"match": {"value": "C"}}}
        archive.writestr("samples/1_epoch_1.json", json.dumps(sample))
    (other,) = read_runs(tmp_path / "plain.eval")
    assert other.grades == {Grade("match"): ["C"]}
    assert run.tool == other.tool


def test_other_reducers_of_epochs_are_no_means(tmp_path):
    log = json.loads((DATA / "inspect-0.3.285-new.json").read_text())
    mean = log["results"]["scores"][0]
    most = mean | {"reducer": "max", "metrics": {"accuracy": {"name": "accuracy", "value": 1.0}}}
    log["results"]["scores"] = [mean, most]
    path = tmp_path / "two.json"
    path.write_text(json.dumps(log))
    (run,) = ca.read_grades(path, grade="match").runs
    assert run.reported.value == pytest.approx(29 / 36)


# lm-eval


def test_each_question_of_lm_eval_has_a_line_for_each_filter():
    path = next(HARNESS.glob("first/samples_written*"))
    assert len(path.read_text().splitlines()) == 12
    with pytest.raises(ca.InputError, match="several filters of answers"):
        ca.read_grades(path)
    strict, flexible = (by_case(path, filter=name) for name in ("strict", "flexible"))
    assert [strict[str(k), 1] for k in range(6)] == [1, 0, 1, 0, 1, 0]
    assert [flexible[str(k), 1] for k in range(6)] == [1, 1, 1, 0, 1, 0]


@pytest.mark.parametrize(("name", "mean"), [("strict", 0.5), ("flexible", 2 / 3)])
def test_the_mean_and_error_of_lm_eval_are_those_of_its_lines(name, mean):
    (run,) = ca.read_grades(next(HARNESS.glob("first/samples_written*")), filter=name).runs
    assert run.reported.value == pytest.approx(mean)
    assert run.reported.value == pytest.approx(run.mapped.values.mean())
    assert run.reported.error == pytest.approx(run.mapped.values.std(ddof=1) / np.sqrt(6))
    assert run.reported.over == "mean of 6 questions"
    assert run.name == "first"


def test_a_folder_of_lm_eval_has_its_tasks_and_models():
    with pytest.raises(ca.InputError, match=r"2 tasks: chosen \(3 runs\) and written \(2 runs\)"):
        ca.read_grades(HARNESS)
    found = ca.read_grades(HARNESS, task="written", filter="strict")
    assert found.names == ("first", "second")
    with pytest.raises(ca.InputError, match="several grades: acc, 15 answers; and acc_norm, 15 answers"):
        ca.read_grades(HARNESS, task="chosen")


def test_samples_without_results_are_read_with_a_warning(tmp_path):
    path = next(HARNESS.glob(SCORES))
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes())
    with pytest.warns(UserWarning, match="The folder has no results file of lm-eval"):
        (run,) = ca.read_grades(copy, grade="acc").runs
    assert run.reported is None


def test_samples_that_were_appended_are_refused(tmp_path):
    path = next(HARNESS.glob(SCORES))
    copy = tmp_path / path.name
    copy.write_text(2 * path.read_text())
    with pytest.raises(ca.InputError, match="question 0 twice with filter none"):
        ca.read_grades(copy, grade="acc")


# promptfoo


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_repeats_of_promptfoo_are_repeats_and_no_further_cases(ending):
    with pytest.warns(UserWarning, match="threw an error in 2 answers"):
        found = rows(DATA / f"promptfoo-0.123.1.{ending}", grade="pass")
    assert {row["run"] for row in found} == {"answers, new", "answers, old"}
    assert len({row["case"] for row in found}) == 5
    assert {row["repeat"] for row in found} == {1, 2}
    assert sum(row["status"] == "error" for row in found) == 2
    assert {row["kind"] for row in found} == {"sums", "differences"}


@pytest.mark.filterwarnings("ignore:.*threw")
def test_promptfoo_counts_errors_as_not_passed_but_not_in_named_scores():
    runs = ca.read_grades(DATA / "promptfoo-0.123.1.json", grade="pass").runs
    assert runs[0].reported.value == pytest.approx(0.6)
    assert np.nanmean(runs[0].mapped.values) == pytest.approx(0.75)
    (new, old) = ca.read_grades(DATA / "promptfoo-0.123.1.json", grade="exact").runs
    assert (new.reported.value, old.reported.value) == (1.0, 0.5)
    assert np.nanmean(new.mapped.values) == 1.0
    assert new.mapped.statuses.count("scorer silent") == 2  # the test without assertions


@pytest.mark.filterwarnings("ignore:.*threw")
def test_a_test_of_promptfoo_without_assertions_passes():
    found = rows(DATA / "promptfoo-0.123.1.json", grade="pass")
    assert {row["grade"] for row in found if "1 + 1" in row["case"]} == {1.0}


def test_the_csv_of_promptfoo_is_refused_for_its_rounded_scores():
    text = (DATA / "promptfoo-0.123.1.csv").read_text()
    assert ",0.67," in text
    with pytest.raises(ca.FileError, match="rounds scores"):
        ca.read_grades(DATA / "promptfoo-0.123.1.csv", grade="score")


# deepeval, MLflow, ragas


def test_a_failed_metric_of_deepeval_is_an_error_although_its_case_counts_as_failed():
    (run,) = ca.read_grades(DATA / "deepeval-4.3.1-new.json", grade="Exact").runs
    assert run.mapped.statuses == ["graded", "graded", "graded", "error"]
    assert run.reported.value == pytest.approx(1 / 3)
    assert run.reported.over == "mean of 3 graded cases, without 1 error"


def test_names_that_deepeval_gives_by_place_are_no_ids():
    new, old = (json.loads((DATA / f"deepeval-4.3.1-{who}.json").read_text()) for who in ("new", "old"))
    assert new["testCases"][0]["name"] == old["testCases"][0]["name"] == "test_case_0"
    assert new["testCases"][0]["input"] != old["testCases"][0]["input"]
    assert by_case(DATA / "deepeval-4.3.1-old.json", grade="Exact")["1 + 1 =", 1] == 0


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_an_expectation_of_mlflow_is_no_scorer(ending):
    path = DATA / f"mlflow-3.17.2-new.{ending}"
    with pytest.raises(ca.InputError, match="closeness, 4 answers; exact, 4 answers; and verdict, 3 answers"):
        ca.read_grades(path)
    verdict = rows(path, grade="verdict")
    assert [row["status"] for row in verdict] == ["graded", "scorer silent", "graded", "graded"]
    assert [row["grade"] for row in verdict] == [1, None, 1, 0]
    assert [row["status"] for row in rows(path, grade="closeness")][3] == "error"


def test_both_tables_of_mlflow_have_the_same_cases_and_targets():
    csv, lines = (rows(DATA / f"mlflow-3.17.2-new.{ending}", grade="exact") for ending in ("csv", "jsonl"))
    assert csv == lines


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_metric_of_ragas_that_failed_is_an_empty_grade(ending):
    columns = ca.GradeColumns(case="user_input", target="reference")
    found = rows(DATA / f"ragas-0.4.3.{ending}", grade="judge", columns=columns)
    assert [row["grade"] for row in found] == [1, 0.25, 0.25, None]
    assert [row["status"] for row in found][3] == "no grade"
    assert len({row["target"] for row in found}) == 4


def test_a_folder_is_read_without_what_is_no_log(tmp_path):
    for name in ("promptfoo-0.123.1.csv", "promptfoo-0.123.1.jsonl", "pandas-3.1.1-european.csv"):
        (tmp_path / name).write_bytes((DATA / name).read_bytes())
    with pytest.warns(UserWarning, match="threw"):
        assert len(ca.read_grades(tmp_path, grade="pass").runs) == 2


@pytest.mark.parametrize("ending", ["parquet", "arrow", "tsv"])
def test_tables_of_other_formats(ending, tmp_path):
    columns = {"item": ["01", "1", "2"], "grade": ["yes", "no", "yes"], "kind": ["a", "a", "b"]}
    path = tmp_path / f"grades.{ending}"
    frame = pd.DataFrame(columns)
    write = {
        "parquet": frame.to_parquet,
        "arrow": frame.to_feather,
        "tsv": lambda path: frame.to_csv(path, sep="\t", index=False),
    }
    write[ending](path)
    found = rows(path, grade="grade", columns=ca.GradeColumns(case="item", by=("kind",)))
    assert [(row["case"], row["grade"], row["kind"]) for row in found] == [
        ("01", 1, "a"),
        ("1", 0, "a"),
        ("2", 1, "b"),
    ]


# names of runs


def test_runs_are_named_by_models_or_files(tmp_path):
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
        (folder / "runs.csv").write_text("item,who,grade\n1,m,1\n2,m,0\n")
    paths = [folder / "runs.csv" for folder in folders]
    columns = ca.GradeColumns(case="item", model="who")
    assert ca.read_grades(paths[0], grade="grade", columns=columns).names == ("m",)
    assert ca.read_grades(paths, grade="grade", columns=columns).names == tuple(map(str, paths))
    both = [DATA / f"inspect-0.3.285-{name}.eval" for name in ("new", "old")]
    assert ca.read_grades(both, grade="match").names == ("inspect-0.3.285-new", "inspect-0.3.285-old")
    assert ca.read_grades(str(DATA / "inspect-0.3.285-[no]*w.eval"), grade="match").names == (
        "mockllm/model",
    )


def test_prompts_of_one_name_are_numbered(tmp_path):
    rows = [
        {
            "promptIdx": k,
            "testIdx": 0,
            "success": k == 0,
            "score": 1,
            "vars": {"q": 1},
            "prompt": {"label": "same"},
        }
        for k in range(2)
    ]
    path = tmp_path / "out.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = ca.read_grades(path, grade="pass")
    assert [name[-4:] for name in found.names] == [" (1)", " (2)"]
    assert [run.mapped.values.tolist() for run in found.runs] == [[1], [0]]


def test_the_first_named_run_is_compared_with_the_second():
    both = [DATA / f"inspect-0.3.285-{name}.eval" for name in ("old", "new")]
    found = ca.assess_grades(ca.read_grades(both, grade="match"), unanswered="wrong")
    assert found[0].models == ("inspect-0.3.285-old", "inspect-0.3.285-new")
