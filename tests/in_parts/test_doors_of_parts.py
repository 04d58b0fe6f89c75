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
from assessment import test_unanswered as unanswered_tests
from assessment.test_scale_at_doors import LOGIT, N, Y
from assessment.test_unanswered import ABC, HOLES, KINDS, SAID, SCORE, TRUTH, assessed
from classay.errors import InputError
from command import call, json_of

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
    found = json_of("assess", "day", "--truth", "y", *column, "--unanswered", unanswered, "--save", "x")
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
        with pytest.raises(InputError, match=r"prediction has missing values in .*unanswered='wrong'"):
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
