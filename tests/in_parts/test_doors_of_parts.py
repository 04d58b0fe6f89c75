"""Files, folders, databases and their commands count what `assess` counts, and say the same."""

import json
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import classay as ca
from assessment import test_tags_missing as tags_missing_tests
from assessment import test_unanswered as unanswered_tests
from assessment.test_scale_at_doors import LOGIT, N, Y
from assessment.test_tags_missing import FRAME, LACKING, of_rows
from assessment.test_unanswered import ABC, HOLES, KINDS, SAID, SCORE, TRUTH, assessed
from classay.errors import InputError
from cli.test_tag_options import ODD, WAYS, A, told, write_parts
from cli.test_tag_options import test_what_tags_are_called_changes_no_number as names_change_nothing
from command import call

NEAR = {"rel": 1e-9, "abs": 1e-12}


def inside(scores, **scale):
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("create table t (y integer, p real)")
        rows = zip(Y.tolist(), scores[0].tolist(), strict=True)
        connection.executemany("insert into t values (?, ?)", rows)
        return ca.scan_database(connection, "t", truth="y", score="p", **scale)


def test_a_database_converts_inside():
    a, wanted = inside([LOGIT], score_scale="logit"), ca.assess(Y, LOGIT, score_scale="logit")
    for name in ("roc_auc", "recall", "brier_score", "log_loss"):
        assert a[name].value == pytest.approx(wanted[name].value, abs=1e-3)
    assert a["recall"].value == wanted["recall"].value
    assert [each.code for each in a.warnings][:1] == ["score_scale"]
    with pytest.raises(InputError, match="a column of counts for each class"):
        inside([LOGIT], score_scale="count")
    with pytest.raises(InputError, match=r"outside \[0, 1\].*score_scale='logit'"):
        inside([LOGIT])
    with pytest.raises(InputError, match="infinite"):
        inside([np.where(np.arange(N) == 3, np.inf, LOGIT)], score_scale="logit")
    with pytest.raises(InputError, match="no effect without scores"):
        ca.count_query("t", truth="y", prediction="said", score_scale="logit")


def test_cases_without_a_tag_in_files_parts_and_the_command(tmp_path):
    lines = FRAME.to_csv(index=False).splitlines()
    (tmp_path / "p.csv").write_text("\n".join(lines))
    parts = tmp_path / "parts"
    parts.mkdir()
    for name, rows in (
        ("a", tags_missing_tests.GONE),
        ("b", ~tags_missing_tests.GONE),
    ):  # of one part every case lacks a tag
        FRAME[rows].to_parquet(parts / f"{name}.parquet")
    whole = of_rows(LACKING, missing="drop")
    for source in (tmp_path / "p.csv", parts):
        scanned = ca.scan(source, truth="y_*", score="p_*", missing="drop")
        assert (scanned["micro_f1"], scanned.dropped) == (whole["micro_f1"], 9)
        columns = (str(source), "--truth-tags", "y_*", "--tag-scores", "p_*")
        done = call("assess", *columns, "--missing", "drop", "--json", "-")
        assert json.loads(done.stdout)["dropped"] == 9
        refused = call("assess", *columns)
        assert refused.exit_code == 2
        assert "Use --missing drop to exclude cases with a missing true tag" in refused.stderr
    file = str(tmp_path / "p.csv")
    decided = call("decide", file, *columns[1:], "--missing", "drop", "--cost", "fp=1", "--cost", "fn=2")
    assert "9 rows with a missing true tag" in decided.stdout


@pytest.mark.parametrize("task", ["scores", "classes"])
@pytest.mark.parametrize("unanswered", ["wrong", "drop"])
def test_unanswered_cases_at_every_door_of_parts(tmp_path, monkeypatch, task, unanswered):
    monkeypatch.chdir(tmp_path)
    wanted = assessed(task, unanswered=unanswered).to_dict()
    said = {"score": "s"} if task == "scores" else {"prediction": "s", "labels": ABC}
    frame = pd.DataFrame({"y": TRUTH, "s": HOLES} if task == "scores" else {"y": KINDS, "s": SAID})
    how = {"truth": "y", "unanswered": unanswered, **said}
    Path("day").mkdir()
    frame[:50].to_csv("day/a.csv", index=False)
    frame[50:].to_csv("day/b.csv", index=False)
    frame.to_parquet("all.parquet")
    assert ca.scan("all.parquet", **how).to_dict() == wanted
    column = ("--score", "s") if task == "scores" else ("--prediction", "s", "--labels", "a,b,c")
    for source in ("day",):
        done = call(
            "assess",
            source,
            "--truth",
            "y",
            *column,
            "--unanswered",
            unanswered,
            "--json",
            "-",
            "--save",
            "x",
        )
        assert done.exit_code == 0, done.stderr
        found = json.loads(done.stdout)
        keys = ("n", "dropped", "unanswered", "undeclared", "unanswered_count_as_wrong", "confusion_matrix")
        assert [found[key] for key in keys] == [wanted[key] for key in keys]
        assert found["measures"]["accuracy"] == wanted["measures"]["accuracy"]
    with closing(sqlite3.connect("t.db")) as connection, connection:
        frame.astype(object).where(frame.notna(), None).to_sql("t", connection, index=False)
    counted = (
        "sql",
        "t",
        "--truth",
        "y",
        *column[:2],
        "--database",
        "t.db",
        "--unanswered",
        unanswered,
        "--json",
        "-",
    )
    if task == "scores":
        done = call(*counted, "--positive", "1")
        assert done.exit_code == 0, done.stderr
        found = json.loads(done.stdout)
        for key in ("n", "rows", "dropped", "unanswered", "unanswered_count_as_wrong", "confusion_matrix"):
            assert found[key] == wanted[key]
        for name in ("accuracy", "recall", "roc_auc", "log_loss"):
            assert found["measures"][name]["value"] == pytest.approx(
                wanted["measures"][name]["value"], abs=0.005
            )
        assert "--unanswered wrong" in call(*counted[:-4]).stderr


@pytest.mark.parametrize("task", ["scores", "classes"])
def test_a_scan_refuses_unanswered_cases_in_the_same_words(tmp_path, monkeypatch, task):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as plain:
        assessed(task)
    frame = pd.DataFrame({"y": TRUTH, "s": HOLES} if task == "scores" else {"y": KINDS, "s": SAID})
    frame.to_parquet("all.parquet")
    how = {"truth": "y"} | ({"score": "s"} if task == "scores" else {"prediction": "s", "labels": ABC})
    with pytest.raises(InputError) as found:
        ca.scan("all.parquet", **how)
    assert str(found.value).endswith(str(plain.value))


@pytest.mark.parametrize("unanswered", ["wrong", "drop"])
def test_a_database_counts_unanswered_cases(unanswered):
    rows = [
        (int(t), None if gone else float(s))
        for t, s, gone in zip(TRUTH, SCORE, unanswered_tests.GONE, strict=True)
    ]
    said = [(t, None if s is None else int(s >= 0.5)) for t, s in rows]
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("create table t (y integer, l integer)")
        connection.executemany("insert into t values (?, ?)", said)
        found = ca.scan_database(connection, "t", truth="y", prediction="l", unanswered=unanswered)
        with pytest.raises(InputError, match=r"prediction is missing in .*unanswered='wrong'"):
            ca.scan_database(connection, "t", truth="y", prediction="l")
    wanted = assessed("labels", unanswered=unanswered)
    for name in ("rows", "dropped", "unanswered", "no_answer"):
        assert getattr(found, name) == getattr(wanted, name)
    assert found.to_dict()["measures"] == wanted.to_dict()["measures"]


@pytest.mark.parametrize("name", ["a b.csv", "it's.csv", "$(touch PWNED).csv"])
def test_names_of_files_in_messages_of_sql_are_quoted(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("y,p\na b,.9\nc,.2\n")
    line = call("sql", name, "--truth", "y", "--score", "p").stderr.split("`")[1]
    assert shlex.split(line)[:3] == ["classay", "assess", name]


@pytest.fixture
def parts(tag_files):
    write_parts()


@pytest.mark.parametrize("names", ODD)
def test_what_tags_are_called_changes_no_number_of_a_folder(tag_files, names):
    names_change_nothing(tag_files, names, "odd")


@pytest.mark.parametrize("way", [way for way in WAYS if "long" not in way])
def test_a_folder_of_tags_gives_what_one_file_gives(parts, way):
    found, wanted = told("parts", *WAYS[way][1:]), told(*WAYS[way])
    assert found["tags"] == wanted["tags"]
    for name, one in found["measures"].items():
        two = wanted["measures"][name]
        assert {k: v for k, v in one.items() if k not in ("value", "low", "high")} == {
            k: v for k, v in two.items() if k not in ("value", "low", "high")
        }
        for each in ("value", "low", "high"):
            assert one.get(each) == pytest.approx(two.get(each), **NEAR), name


def test_a_folder_of_tags_with_thresholds_a_limit_and_memory(parts):
    more = ("--tag-thresholds", "a=0.3,b=0.5,c=0.7", "--memory", "9")
    found = told("parts", *WAYS["patterns"][1:], *more)
    assert found["measures"]["micro_f1"]["value"] == pytest.approx(A.at([0.3, 0.5, 0.7])["micro_f1"].value)
    assert told("wide.csv", *WAYS["patterns"][1:], "--limit-rows", "9")["rows"] == 9


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--case", "a", "--tag", "b", "--truth", "a", "--score", "p_a"), "may lie in several parts"),
        ((*WAYS["patterns"][1:], "--by", "tags"), "--by needs all rows at once"),
        ((*WAYS["patterns"][1:], "--refine"), "--refine has no meaning"),
    ],
)
def test_what_parts_of_tags_cannot_do(parts, more, words):
    done = call("assess", "parts", *more)
    assert done.exit_code == 2, done.output
    assert words in done.stderr
