"""`classay grades --human`: runs corrected by human labels are what `judged` and `compare_judged` make of them."""

import csv
import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import classay as ca
import command

LOG = Path(__file__).parents[1] / "outside" / "data" / "inspect-0.3.285-new.eval"


def written(path, heads, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(heads)
        writer.writerows(rows)
    return str(path)


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(3)
    local = {}
    for run, share, wrong in (("new", 0.55, 0.35), ("old", 0.6, 0.1)):
        truth = rng.random(200) < share
        grade = np.where(truth, rng.random(200) < 0.9, rng.random(200) < wrong) * 1
        rows = [(f"q{k}", grade[k], "short" if k % 3 else "long") for k in range(200)]
        written(tmp_path / f"{run}.csv", ["item", "grade", "length"], rows)
        local[run] = truth * 1, grade
    return tmp_path, local


def call(*arguments):
    return command.call("grades", *arguments)


def as_json(*arguments):
    result = call(*arguments, "--json", "-")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


OF_TABLES = ("--case", "item", "--grade", "grade")


def test_a_run_is_judged_cases(files):
    folder, local = files
    truth, grade = local["new"]
    labels = written(
        folder / "labels.csv", ["case", "label"], [(f"q{k}", truth[k]) for k in range(199, 139, -1)]
    )
    found = as_json(folder / "new.csv", *OF_TABLES, "--human", labels, "--by", "length")
    human = np.where(np.arange(200) >= 140, truth, np.nan)
    order = np.argsort([f"q{k}" for k in range(200)])
    expected = ca.judged(human[order], grade[order])["pass_rate"]
    measure = found["measures"]["pass_rate"]["corrected"]
    assert measure["value"] == pytest.approx(expected.value, abs=1e-12)
    assert measure["low"] == pytest.approx(expected.low, abs=1e-12)
    assert len(found["groups"]) == 2


def test_runs_are_judged_systems_by_their_own_labels(files):
    folder, local = files
    rows = [(run, f"q{k}", local[run][0][k]) for run in local for k in range(60)]
    labels = written(folder / "labels.csv", ["model", "case", "passed"], rows)
    naming = ("--human", labels, "--human-columns", "run=model,label=passed")
    found = as_json(folder / "new.csv", folder / "old.csv", *OF_TABLES, *naming)
    human = {run: np.where(np.arange(200) < 60, local[run][0], np.nan) for run in local}
    expected = ca.compare_judged(human, {run: local[run][1] for run in local})["new", "old"]
    assert found["differences"][0]["difference"]["value"] == pytest.approx(expected.value, abs=1e-12)


def test_letters_of_a_log_and_a_requirement(tmp_path):
    run = ca.read_grades(LOG, grade="match").runs[0]
    keys = [*dict.fromkeys(zip(run.case, run.repeat.tolist(), strict=True))]
    rows = [(case, repeat, "CI"[k % 2]) for k, (case, repeat) in enumerate(keys)]
    labels = written(tmp_path / "labels.csv", ["case", "repeat", "label"], rows)
    result = call(LOG, "--grade", "match", "--human", labels, "--require", "pass_rate.low >= 0.9")
    assert result.exit_code == 1, result.output
    assert "the judged cases on inspect" in result.output


def test_letters_of_human_labels_are_the_numbers_that_they_mean(tmp_path):
    """Also where all of them occur, and a label that is blank is none."""
    run = ca.read_grades(LOG, grade="match").runs[0]
    keys = [*dict.fromkeys(zip(run.case, run.repeat.tolist(), strict=True))]
    found = []
    for label in ({}, {"C": 1, "P": 0.5, "I": 0, "N": 0}):
        rows = [(*key, label.get("CPIN "[k % 5], "CPIN "[k % 5])) for k, key in enumerate(keys)]
        labels = written(tmp_path / "labels.csv", ["case", "repeat", "label"], rows)
        found.append(as_json(LOG, "--grade", "match", "--human", labels)["measures"])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("heads", "rows", "message"),
    [
        (["id", "label"], [("q1", 1)], "no column 'case'"),
        (["case", "label"], [("q1", 1), ("q1", 0)], "several human labels of 1 answer"),
        (
            ["case", "label"],
            [("x1", 1), ("x2", 0)],
            "2 of 2 human labels are of answers that are not in run new",
        ),
        (["case", "label"], [("q1", ""), ("q2", "")], "no human label of the run 'new'"),
        (["case", "label"], [("q1", "good")], "not numeric"),
    ],
)
def test_labels_of_no_answer_are_refused(files, heads, rows, message):
    folder, _ = files
    labels = written(folder / "labels.csv", heads, rows)
    result = call(folder / "new.csv", *OF_TABLES, "--human", labels)
    assert result.exit_code == 2
    assert message in result.output


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("case=nr", "no column 'nr' (case)"),
        ("label=passed", "no column 'passed' (label)"),
        ("label=passed,case=nr", "no column 'nr' (case)"),
        ("repeat=epoch", "no column 'epoch' (repeat)"),
        ("run=model", "no column 'model' (run)"),
        ("grade=label", "no role 'grade'. Roles: case, label, repeat, run"),
    ],
)
def test_columns_that_the_labels_lack_are_refused(files, columns, message):
    folder, _ = files
    labels = written(folder / "labels.csv", ["case", "label"], [("q1", 1), ("q2", 0)])
    result = call(folder / "new.csv", *OF_TABLES, "--human", labels, "--human-columns", columns)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


@pytest.mark.parametrize("option", ["--by", "--cluster"])
def test_columns_that_the_runs_lack_are_refused(option, tmp_path):
    rows = [("sky", 1, "C"), ("grass", 1, "I")]
    labels = written(tmp_path / "labels.csv", ["case", "repeat", "label"], rows)
    result = call(LOG, "--grade", "match", "--human", labels, option, "kinds")
    assert result.exit_code == 2
    said = " ".join(result.output.split())
    assert "no common column 'kinds'. Columns: kind. Did you mean 'kind'?" in said


def test_labels_of_one_run_are_not_those_of_two(files):
    folder, local = files
    labels = written(
        folder / "labels.csv", ["case", "label"], [(f"q{k}", local["new"][0][k]) for k in range(60)]
    )
    result = call(folder / "new.csv", folder / "old.csv", *OF_TABLES, "--human", labels)
    assert result.exit_code == 2
    assert "A human label is about the answer of one run" in result.output


def test_a_run_without_human_labels_is_named(files):
    folder, _ = files
    labels = written(
        folder / "labels.csv", ["model", "case", "passed"], [("new", "q1", 1), ("older", "q1", 1)]
    )
    naming = ("--human", labels, "--human-columns", "run=model,label=passed")
    refused = call(folder / "new.csv", folder / "old.csv", *OF_TABLES, *naming)
    assert refused.exit_code == 2
    said = " ".join(refused.stderr.split())
    assert (
        "labels.csv has no human label of the run 'old'. Its runs: new and older. Did you mean 'older'?"
        in said
    )


def test_a_label_of_one_of_several_answers_must_say_which(tmp_path):
    rows = [(f"q{k}", epoch, (k + epoch) % 2) for k in range(40) for epoch in (1, 2)]
    run = written(tmp_path / "run.csv", ["item", "epoch", "grade"], rows)
    labels = written(tmp_path / "labels.csv", ["case", "label"], [(f"q{k}", k % 2) for k in range(20)])
    result = call(run, *OF_TABLES, "--repeat", "epoch", "--human", labels)
    assert result.exit_code == 2
    assert "--human-columns repeat=COL" in result.output
    rows = [(f"q{k}", 1, k % 2) for k in range(20)]
    labels = written(tmp_path / "labels.csv", ["case", "epoch", "label"], rows)
    naming = ("--human", labels, "--human-columns", "repeat=epoch")
    assert call(run, *OF_TABLES, "--repeat", "epoch", *naming).exit_code == 0


def test_some_labels_of_other_answers_are_told(files):
    folder, local = files
    rows = [*((f"q{k}", local["new"][0][k]) for k in range(60)), ("x", 1)]
    labels = written(folder / "labels.csv", ["case", "label"], rows)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        result = call(folder / "new.csv", *OF_TABLES, "--human", labels)
    assert result.exit_code == 0
    assert "1 of 61 human labels are of answers that are not in run new" in result.output


@pytest.mark.parametrize("option", [("--pass-k", "1"), ("--unanswered", "drop"), ("--seed", "3")])
def test_options_without_a_meaning_are_refused(files, option):
    folder, local = files
    labels = written(
        folder / "labels.csv", ["case", "label"], [(f"q{k}", local["new"][0][k]) for k in range(60)]
    )
    result = call(folder / "new.csv", *OF_TABLES, "--human", labels, *option)
    assert result.exit_code == 2
    assert f"{option[0]} cannot be used with --human" in result.output


def test_requirements_are_read_before_the_labels(files):
    folder, _ = files
    labels = written(folder / "labels.csv", ["id", "label"], [("q1", 1)])
    done = call(folder / "new.csv", *OF_TABLES, "--human", labels, "--require", "pass_rate")
    assert done.exit_code == 2
    said = " ".join(done.stderr.split())
    assert "pass_rate" in said
    assert "no column" not in said
