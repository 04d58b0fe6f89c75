"""Logs with duplicates, gaps, empty grades, formats that were never seen, and secrets: told, and never echoed."""

import json
from pathlib import Path

import numpy as np
import pytest

import classay as ca
from command import call

DATA = Path(__file__).parents[1] / "outside" / "data"
LOG = json.loads((DATA / "inspect-0.3.285-new.json").read_text())
SECRET = "sk-very-secret"


def written(tmp_path, name="log.json", **changes):
    """A log of Inspect with some changes."""
    path = tmp_path / name
    path.write_text(json.dumps(LOG | changes))
    return path


def test_an_answer_that_a_log_has_twice_is_refused(tmp_path):
    path = written(tmp_path, samples=[*LOG["samples"], LOG["samples"][0]])
    with pytest.raises(
        ca.InputError, match=r"1 answer more than once, such as case 'brick', repeat 1\. Keep one"
    ):
        ca.read_grades(path, grade="match")


def test_an_epoch_that_a_log_lacks_is_told(tmp_path):
    path = written(tmp_path, samples=LOG["samples"][:-1])
    with pytest.warns(UserWarning, match=r"The log has 17 of 18 answers"):
        read = ca.read_grades(path, grade="match")
    facts = dict(ca.assess_grades(read, unanswered="drop").facts)
    assert "per case" in facts["answers"]


@pytest.mark.parametrize("empty", [None, "", float("nan"), "NaN", " none "])
def test_an_empty_grade_is_no_number(empty, tmp_path):
    path = tmp_path / "grades.jsonl"
    rows = [{"item": k, "grade": empty if k == 3 else k % 2} for k in range(8)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    read = ca.read_grades(path, grade="grade", columns=ca.GradeColumns(case="item"))
    assert read.runs[0].mapped.statuses.count("no grade") == 1
    assert np.isnan(read.runs[0].mapped.values).sum() == 1
    with pytest.raises(ca.InputError, match=r"1 empty grade of 8"):
        ca.assess_grades(read)


@pytest.mark.parametrize("grade", [float("inf"), "1e999", 10**400])
def test_an_infinite_grade_is_refused(grade, tmp_path):
    path = tmp_path / "grades.jsonl"
    path.write_text("".join(json.dumps({"item": k, "grade": grade if k else 1}) + "\n" for k in range(3)))
    with pytest.raises(ca.InputError, match="2 grades of grade are not numeric"):
        ca.read_grades(path, grade="grade", columns=ca.GradeColumns(case="item"))


def test_a_format_that_was_never_seen_is_read_with_a_warning(tmp_path):
    with pytest.warns(UserWarning, match=r"The log has format 7\. Logs of format 2 were tried"):
        ca.read_grades(written(tmp_path, version=7), grade="match")


def test_logs_of_two_tasks_are_refused_with_their_names(tmp_path):
    other = written(tmp_path, "other.json", eval=LOG["eval"] | {"task": "sums", "eval_id": "another"})
    said = call("grades", str(DATA / "inspect-0.3.285-old.eval"), str(other), "--grade", "match")
    assert said.exit_code == 2
    assert "2 tasks: colours (1 run) and sums (1 run). Use one: --task colours." in said.stderr


def test_other_versions_of_a_task_are_told_for_many_runs_too(tmp_path):
    newer = written(tmp_path, "newer.json", eval=LOG["eval"] | {"task_version": 9, "eval_id": "another"})
    logs = [DATA / "inspect-0.3.285-new.eval", DATA / "inspect-0.3.285-old.eval", newer]
    with pytest.warns(UserWarning, match=r"differ in the task version: 1 \(.*\) and 9 \(newer\)"):
        found = ca.assess_grades(ca.read_grades(logs, grade="match"), unanswered="drop")
    assert len(found.leaderboard.standings) == 3


PLACES = {
    "arguments of the model": {"eval": LOG["eval"] | {"model_args": {"api_key": SECRET}}},
    "arguments of the task": {"eval": LOG["eval"] | {"task_args": {"token": SECRET}}},
    "metadata of the log": {"eval": LOG["eval"] | {"metadata": {"env": SECRET}}},
    "the plan": {"plan": {"steps": [{"solver": SECRET, "params": {"key": SECRET}}]}},
    "an error": {
        "error": {"message": SECRET, "traceback": SECRET, "traceback_ansi": SECRET},
        "status": "error",
    },
    "the samples": {
        "samples": [
            sample | {"metadata": {"key": SECRET}, "store": {"key": SECRET}, "output": {"error": SECRET}}
            for sample in LOG["samples"]
        ]
    },
    "a damaged sample": {"samples": [*LOG["samples"], {"error": SECRET}]},
    "the statistics": {"stats": SECRET, "results": {"metadata": SECRET}},
}


@pytest.mark.filterwarnings("default:.*The job ended with an error")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("runs", [1, 2, 3])
def test_secrets_of_logs_are_in_no_output(place, runs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = []
    for number in range(runs):
        changes = PLACES[place]
        about = changes.get("eval", LOG["eval"]) | {"eval_id": f"run {number}"}
        names.append(str(written(tmp_path, f"run{number}.json", **{**changes, "eval": about})))
    outputs = ("--json", "a.json", "--html", "a.html", "--markdown", "a.md", "--latex", "a.tex")
    said = call("grades", *names, "--grade", "match", "--unanswered", "wrong", *outputs)
    assert (said.exit_code == 0) == (place != "a damaged sample"), said.stderr
    texts = [said.stdout, said.stderr, *(path.read_text() for path in tmp_path.glob("a.*"))]
    assert not [text for text in texts if SECRET in text]


def with_secrets(value, names):
    """JSON in which every text under one of these names is a secret."""
    if isinstance(value, dict):
        return {
            name: SECRET if name in names and isinstance(part, str) else with_secrets(part, names)
            for name, part in value.items()
        }
    return [with_secrets(part, names) for part in value] if isinstance(value, list) else value


@pytest.mark.filterwarnings("default::UserWarning")
@pytest.mark.parametrize(
    ("path", "options", "names"),
    [
        ("promptfoo-0.123.1.json", ("--grade", "score"), {"output", "error", "apiKey", "reason", "raw"}),
        ("deepeval-4.3.1-new.json", ("--grade", "Exact"), {"actualOutput", "error", "reason", "verboseLogs"}),
        (
            "lm_eval-0.4.13/first/samples_written_2026-11-30T00-05-17.828710.jsonl",
            ("--grade", "exact_match", "--filter", "strict"),
            {"arg_0", "target", "prompt_hash", "question"},
        ),
    ],
)
def test_secrets_of_other_tools_are_in_no_output(path, options, names, tmp_path, monkeypatch):
    text = (DATA / path).read_text()
    lines = text.splitlines() if path.endswith(".jsonl") else [text]
    log = tmp_path / Path(path).name
    log.write_text("".join(json.dumps(with_secrets(json.loads(line), names)) + "\n" for line in lines))
    assert SECRET in log.read_text()
    monkeypatch.chdir(tmp_path)
    outputs = ("--json", "a.json", "--html", "a.html", "--markdown", "a.md")
    said = call("grades", log.name, *options, "--unanswered", "drop", *outputs)
    texts = [said.stdout, said.stderr, *(path.read_text() for path in tmp_path.glob("a.*"))]
    assert said.exit_code == 0, said.stderr
    assert not [text for text in texts if SECRET in text]


@pytest.mark.filterwarnings("default:.*The job still runs")
def test_a_job_that_still_runs_is_told_in_every_output():
    log = str(DATA / "inspect-0.3.285-started.eval")
    for options in ((), ("--markdown", "-"), ("--html", "-")):
        assert "The job still runs or was ended" in call("grades", log, "--grade", "judge", *options).stdout


def test_a_log_in_which_all_failed_is_told_among_others():
    logs = [str(DATA / f"inspect-0.3.285-{name}.eval") for name in ("graded", "failed")]
    said = call("grades", *logs, "--grade", "judge", "--map", "C=1,P=0.5,I=0,N=0,B=0")
    assert said.exit_code == 2
    assert "has no grade judge. 8 of 8 answers failed. Exclude the file." in said.stderr


def test_cases_that_failed_are_named(tmp_path):
    path = tmp_path / "grades.csv"
    grades = {"easy": "1", "hard": "0", "lost": "", "also hard": "0"}
    path.write_text("item,grade\n" + "".join(f"{case},{grade}\n" for case, grade in grades.items()))
    said = call("grades", str(path), "--case", "item", "--grade", "grade", "--unanswered", "drop").stdout
    lines = [line.split() for line in said[said.index("Answers\n") :].splitlines()]
    assert ["grade", "0", "2", "also", "hard,", "hard"] in lines
    assert ["empty", "grade", "1", "lost"] in lines


def test_cases_in_which_a_run_is_better_are_named(tmp_path):
    path = tmp_path / "grades.csv"
    path.write_text(
        "item,run,grade\n" + "".join(f"q{k},{r},{int(k < n)}\n" for k in range(9) for r, n in RUNS)
    )
    columns = ca.GradeColumns(case="item", model="run")
    facts = dict(ca.assess_grades(ca.read_grades(path, grade="grade", columns=columns)).facts)
    assert facts["better in new"] == "5 cases: q2, q3, q4, q5, q6"
    assert facts["better in old"] == "0 cases"


RUNS = (("new", 7), ("old", 2))
