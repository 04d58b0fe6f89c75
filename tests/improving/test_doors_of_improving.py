"""Decompositions and improvements at the doors that they share with evaluations: stores, frames, clusters, commands."""

import json
from pathlib import Path

import pandas as pd
import pytest

import classay as ca
from classay.errors import InputError
from command import call
from learners import Nearest, noise
from on_dask import on_dask
from resampling.test_evaluate_command import cases

LEARNING_ON_DASK = """
import joblib
import classay as ca
from distributed import Client, LocalCluster
from learners import Centroid, noise

def made(x, y, **how):
    yield ca.decompose(Centroid(), x, y, rounds=4, **how)
    yield ca.learning_curve(Centroid(), x, y, sizes=[20, 40], protocol="2x3", **how)
    yield ca.improve(Centroid(), x, y, rounds=3, protocol="2x3", remedies=["bagging"], **how)

if __name__ == "__main__":
    x, y = noise(60)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        with joblib.parallel_config("dask"):
            there = [each.to_dict() for each in made(x, y, n_jobs=2)]
    for one, other in zip(there, [each.to_dict() for each in made(x, y)], strict=True):
        print(one == other)
"""


@pytest.mark.slow
def test_fits_of_decompositions_and_remedies_run_on_a_cluster(tmp_path):
    pytest.importorskip("distributed")
    assert on_dask(LEARNING_ON_DASK, tmp_path) == ["True", "True", "True"]


def test_a_store_with_runs_of_other_kinds_is_shown_whole(tmp_path, monkeypatch):
    """Runs of `decompose` and `improve` have no estimates of measures, and stand beside evaluations."""
    monkeypatch.chdir(tmp_path)
    X, y = noise(60)
    ca.decompose(Nearest(), X, y, rounds=3, store=tmp_path / "runs.db")
    first = call("runs", "runs.db", "--html", "page.html")
    assert first.exit_code == 0
    ca.evaluate({"nearest": Nearest()}, X, y, protocol="2fold", store=tmp_path / "runs.db")
    done = call("runs", "runs.db", "--html", "page.html", "--json", "-")
    assert done.exit_code == 0
    what = [each.what for each in ca.overview(tmp_path / "runs.db").results]
    assert what == ["decompose, bootstrap samples of 40 rows x3", "evaluation, 2fold"]
    assert "decompose, bootstrap samples" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_new_cases_need_none_of_the_columns_that_are_no_features(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cases()
    pd.read_csv("cases.csv")[:60].to_csv("few.csv", index=False)
    new = pd.read_csv("cases.csv").assign(town="Cologne")[["size", "town", "age", "ill"]]
    new.to_csv("new.csv", index=False)
    learned = ("few.csv", "--target", "ill", "--positive", "yes", "--id", "id", "--drop", "patient,seen")
    quick = ("--model", "tree", "--remedies", "linear_model", "--rounds", "2", "--protocol", "2fold")
    done = call("improve", *learned, *quick, "--test", "new.csv", "--json", "i.json")
    assert (done.exit_code, "unknown categories" in done.stderr) == (0, False), done.stderr
    found = json.loads(Path("i.json").read_text())
    assert found["drift"]["moved"] == ["town"]
    assert found["left_out"] == []
    assert (
        "'town' has a different distribution" in " ".join(done.stdout.split()) or found["drift"]["p"] < 0.01
    )


def test_a_frame_of_columns_with_one_name_is_refused():
    twice = pd.DataFrame([[i % 2, i / 9, i / 7] for i in range(24)], columns=["y", "p", "p"])
    y = twice["y"]
    for attempt in (
        lambda: ca.decompose("tree", twice, y, rounds=2),
        lambda: ca.decompose_over("tree", twice, y, parameter="max_depth", values=[1, 2], rounds=2),
        lambda: ca.learning_curve("tree", twice, y, protocol="2fold"),
        lambda: ca.improve("tree", twice, y, rounds=2, protocol="2x2"),
    ):
        with pytest.raises(InputError):
            attempt()
