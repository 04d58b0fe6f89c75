"""Logs with duplicates, gaps, empty grades, formats that were never seen, and secrets: told, and never echoed."""

import json
import re
import sys
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pytest

import classay as ca
from classay.grades.archives import member_chunks
from classay.grades.json_fields import Fields, as_text
from classay.grades.records import Grade, Run
from classay.sources import inputs
from command import call, refusal

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
    assert "2 tasks: colours (1 run) and sums (1 run). Use one: --task colours." in refusal(
        "grades", str(DATA / "inspect-0.3.285-old.eval"), str(other), "--grade", "match"
    )


def test_values_of_a_group_are_the_same_texts_whatever_came_before():
    values = ["1", 1, "True", True, 1.0, "1.0", None, 2, "2", False, "true", ["1"], 1]
    run = Run("file", "tool", named=("kind",))
    for case, value in enumerate(values):
        run.add(str(case), 1, None, failed=False, grades={}, metadata=Fields({"kind": value}))
    texts = [as_text(value) if isinstance(value, str | int | float) else None for value in values]
    assert run.finished().groups["kind"] == texts
    columns = Run("file", "tool", named=("kind",))
    n = len(values)
    columns.extend([*map(str, range(n))], [1] * n, [None] * n, Grade("x"), [0] * n, {"kind": values})
    assert columns.finished().groups["kind"] == texts


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


CREDENTIALS = {"apiKey": SECRET, "headers": {"Authorization": f"Bearer {SECRET}"}, "env": [{"TOKEN": SECRET}]}
SAMPLES = "lm_eval-0.4.13/first/samples_written_2026-11-30T00-05-17.828710.jsonl"
READ = {  # of each log what is read of it: grades, questions, groups, and the names of task, model and version
    "inspect-0.3.285-new.json": (
        "--grade match",
        r"status|eval\.(eval_id|task|model|dataset\.name|packages\.inspect_ai)|results\.scores\.(name|scorer|reducer)"
        r"|samples\.(id|target|scores\.match\.value|metadata\.kind)",
    ),
    "inspect-0.3.285-new.eval": (
        "--grade match",
        r"status|eval\.(eval_id|task|model|dataset\.name|packages\.inspect_ai)|results\.scores\.(name|scorer|reducer)"
        r"|(id|target|scores\.match\.value|metadata\.kind)",
    ),
    "promptfoo-0.123.1.json": (
        "--grade score",
        r"results\.results\.(vars\..*|testCase\.metadata\.kind|provider\.(id|label)|prompt\.label)|evalId"
        r"|results\.prompts\.(label|provider)|metadata\.promptfooVersion",
    ),
    "promptfoo-0.123.1.jsonl": (
        "--grade score",
        r"vars\..*|testCase\.metadata\.kind|provider\.(id|label)|prompt\.label",
    ),
    "deepeval-4.3.1-new.json": (
        "--grade Exact",
        r"testCases\.(name|input|expectedOutput|metricsData\.name|additionalMetadata\..*)|metricsScores\.metric",
    ),
    SAMPLES: (
        "--grade exact_match --filter strict",
        r"doc\..*|doc_id|filter|metrics|(doc|target)_hash|lm_eval_version|model_name",
    ),
    "mlflow-3.17.2-new.jsonl": (
        "--grade verdict",
        r"(verdict|expected_response)/value|state|request\..*|assessments\.assessment_name",
    ),
}


def with_secrets(value, read, path=""):
    """JSON in which every text is a secret that is none of those read, and every object has credentials."""
    if isinstance(value, dict):
        parts = {name: with_secrets(part, read, f"{path}.{name}".strip(".")) for name, part in value.items()}
        is_data = path == "doc" or path.rpartition(".")[2] in ("vars", "request", "scores", "metrics")
        return parts if is_data else parts | CREDENTIALS
    if isinstance(value, list):
        return [with_secrets(part, read, path) for part in value]
    return SECRET if isinstance(value, str) and not re.fullmatch(read, path) else value


def copied_with_secrets(path, read, folder):
    """A log, and the results beside it, with secrets wherever nothing is read."""
    if path.suffix == ".eval":
        with zipfile.ZipFile(path) as archive, zipfile.ZipFile(folder / path.name, "w") as copy:
            for name in archive.namelist():
                copy.writestr(
                    name, json.dumps(with_secrets(json.loads(b"".join(member_chunks(archive, name))), read))
                )
        return
    for file in (path, *path.parent.glob("results_*.json")):
        text = file.read_text()
        lines = text.splitlines() if file.suffix == ".jsonl" else [text]
        changed = [json.dumps(with_secrets(json.loads(line), read)) + "\n" for line in lines]
        assert SECRET in changed[0]
        (folder / file.name).write_text("".join(changed))


@pytest.mark.filterwarnings("default::UserWarning")
@pytest.mark.parametrize("log", READ)
def test_nothing_of_a_configuration_is_in_any_output(log, tmp_path, monkeypatch):
    options, read = READ[log]
    copied_with_secrets(DATA / log, read, tmp_path)
    monkeypatch.chdir(tmp_path)
    outputs = [f"--{kind} a.{kind}" for kind in ("json", "html", "markdown", "latex", "docx", "xlsx")]
    given = f"{Path(log).name} {options} --unanswered drop {' '.join(outputs)}".split()
    said = call("grades", *given)
    assert said.exit_code == 0, said.stderr
    refused = [
        call("grades", given[0], *wrong) for wrong in ((), ("--grade", "none"), (*given[1:3], "--by", "none"))
    ]
    texts = [text.encode() for one in (said, *refused) for text in (one.stdout, one.stderr)]
    for path in tmp_path.glob("a.*"):
        texts.append(path.read_bytes())
        if zipfile.is_zipfile(path):
            texts += [zipfile.ZipFile(path).read(name) for name in zipfile.ZipFile(path).namelist()]
    assert not [text for text in texts if SECRET.encode() in text]


@pytest.mark.filterwarnings("ignore:.*A grading function threw an error")
@pytest.mark.parametrize(
    ("provider", "shown"),
    [
        (f"https://me:{SECRET}@host:80/v1?key={SECRET}&n=2", "https://host:80/v1"),
        (f"websocket ws://host/#{SECRET}", "websocket ws://host/"),
        ("file://a.py:C#? x", "file://a.py:C x"),
        ("C#? @x", "C#? @x"),
    ],
)
def test_the_address_of_a_provider_is_shown_without_keys(provider, shown, tmp_path):
    log = json.loads((DATA / "promptfoo-0.123.1.json").read_text())
    for row in log["results"]["results"]:
        row["provider"] = {"id": provider, "label": ""}
    (tmp_path / "log.json").write_text(json.dumps(log))
    read = ca.read_grades(tmp_path / "log.json", grade="score")
    assert [run.name for run in read.runs] == [f"{shown}, new", f"{shown}, old"]


@pytest.fixture
def archived(tmp_path, monkeypatch):
    """Writes an archive with a header and other members; few bytes may be unpacked."""
    monkeypatch.setattr(inputs.refuse_unpacked, "__defaults__", ((1 << 16, sys.maxsize), inputs.UNPACK))
    header = {"header.json": json.dumps({key: LOG[key] for key in ("eval", "status", "results")})}

    def write(**members):
        with zipfile.ZipFile(tmp_path / "log.eval", "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in (header | members).items():
                archive.writestr(name, text)
        return tmp_path / "log.eval"

    return write


@pytest.mark.parametrize(
    "name", ["summaries.json", "_journal/summaries/1.json", "samples/a.json", "header.json"]
)
def test_an_archive_that_unpacks_to_far_more_is_refused(name, archived):
    log = archived(**{name: " " * (1 << 22)})
    with pytest.raises(
        ca.FileError, match=r"log\.eval has [\d,]+ bytes and unpacks to more .*inspect log convert"
    ):
        ca.read_grades(log, grade="match")


def test_transcripts_that_are_not_read_may_have_any_size(archived):
    log = archived(**{"summaries.json": json.dumps(LOG["samples"]), "samples/a.json": " " * (1 << 22)})
    values, plain = (
        ca.read_grades(path, grade="match").runs[0].mapped.values
        for path in (log, DATA / "inspect-0.3.285-new.json")
    )
    np.testing.assert_array_equal(values, plain)


@pytest.mark.filterwarnings("default::UserWarning")
def test_names_in_a_log_are_shown_as_text_only(tmp_path, monkeypatch):
    tag, formula = "<img src=x onerror=alert(1)>", "=1+1"
    log = json.loads(json.dumps(LOG).replace('"match"', json.dumps(tag)))
    log["eval"] |= {"task": f"{tag} task", "model": formula}
    for sample in log["samples"]:
        sample["metadata"] = {formula: tag if sample["id"] < "m" else formula}
    (tmp_path / "log.json").write_text(json.dumps(log))
    monkeypatch.chdir(tmp_path)
    outputs = [f"--{kind} a.{kind}" for kind in ("html", "markdown", "latex", "xlsx")]
    given = ["--grade", tag, "--by", formula, "--unanswered", "drop", *" ".join(outputs).split()]
    assert call("grades", "log.json", *given).exit_code == 0
    page, text = ((tmp_path / f"a.{kind}").read_text() for kind in ("html", "markdown"))
    assert "&lt;img src=x" in page
    assert "<img" not in page
    assert not re.search(r"(?<!\\)<img", text)
    cells = [
        (cell.value, cell.data_type)
        for sheet in openpyxl.load_workbook("a.xlsx")
        for row in sheet.iter_rows()
        for cell in row
    ]
    assert (formula, "s") in cells
    assert "f" not in {kind for _, kind in cells}


@pytest.mark.filterwarnings("default:.*The job still runs")
def test_a_job_that_still_runs_is_told_in_every_output():
    log = str(DATA / "inspect-0.3.285-started.eval")
    for options in ((), ("--markdown", "-"), ("--html", "-")):
        assert "The job still runs or was ended" in call("grades", log, "--grade", "judge", *options).stdout


def test_a_log_in_which_all_failed_is_told_among_others():
    logs = [str(DATA / f"inspect-0.3.285-{name}.eval") for name in ("graded", "failed")]
    assert "has no grade judge. 8 of 8 answers failed. Exclude the file." in refusal(
        "grades", *logs, "--grade", "judge", "--map", "C=1,P=0.5,I=0,N=0,B=0"
    )


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
