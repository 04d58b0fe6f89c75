"""Evaluations that last: saved and loaded, kept in a store, killed and continued, reopened without a fit."""

import os
import signal
import subprocess
import sys
import time
import warnings
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from imblearn.over_sampling import RandomOverSampler
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.errors import FileError
from classay.resampling import fitting
from classay.resampling.learner_warnings import FORMER
from classay.resampling.run_store import Store, StoreWarning
from classay.resampling.saved_evaluations import _protocol
from command import SOURCE, call, refusal
from odd_learners import TWO, Odd, X

MODELS = {"tree": DecisionTreeClassifier(), "bayes": GaussianNB()}


def cancer(**how):
    return ca.evaluate(MODELS, *load_breast_cancer(return_X_y=True), **({"protocol": "2x3"} | how))


def same(a, b):
    """Whether two evaluations have the same estimates and predictions, to the last bit."""
    return (
        a.estimates.equals(b.estimates)
        or str(a.estimates.to_pydict()) == str(b.estimates.to_pydict())  # NaN equals NaN
    ) and str(a.predictions().to_pydict()) == str(b.predictions().to_pydict())


EVALUATIONS = {
    "two classes": cancer,
    "several classes": lambda: ca.evaluate(MODELS, *load_iris(return_X_y=True), protocol="3fold"),
    "clusters and weights": lambda: cancer(
        protocol="3fold", cluster=[f"c{k // 7}" for k in range(569)], weight=np.linspace(1, 2, 569)
    ),
    "a splitter": lambda: cancer(protocol=KFold(3)),
    "nested": lambda: cancer(protocol="nested:3x1"),
    ".632+": lambda: cancer(protocol="632+:5"),
    "several data sets": lambda: ca.evaluate(
        MODELS,
        {"iris": load_iris(return_X_y=True), "cancer": load_breast_cancer(return_X_y=True)},
        protocol="3fold",
    ),
    "a leak": lambda: ca.evaluate(GaussianNB(), np.arange(60)[:, None], [0, 1] * 30, protocol="3fold"),
}


@pytest.mark.parametrize("name", EVALUATIONS)
def test_a_saved_evaluation_loads_as_it_was(name, tmp_path):
    e = EVALUATIONS[name]()
    e.save(tmp_path / "e.classay")
    loaded = ca.load(tmp_path / "e.classay")
    assert isinstance(loaded, ca.Evaluation)
    assert same(loaded, e)
    assert (loaded.protocol.name, loaded.notes) == (e.protocol.name, e.notes)
    assert [run.leaks for run in loaded.runs] == [run.leaks for run in e.runs]
    loaded.save(tmp_path / "again.classay")
    assert (tmp_path / "again.classay").read_bytes() == (tmp_path / "e.classay").read_bytes()


def test_what_is_no_evaluation_is_refused(tmp_path):
    path = tmp_path / "e.classay"
    with pytest.raises(FileError, match="File not found:"):
        ca.Evaluation.load(path)
    with pytest.raises(FileError, match="cannot be read"):
        ca.load(tmp_path)
    path.write_bytes(b"no zip")
    with pytest.raises(FileError, match="is damaged or not a saved evaluation"):
        ca.Evaluation.load(path)
    ca.assess([0, 1, 1, 0], [0.2, 0.7, 0.4, 0.4]).save(path)
    with pytest.raises(FileError, match="classay is a saved assessment, not an evaluation"):
        ca.Evaluation.load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("evaluation.json", '{"format": 3, "what": "evaluation"}')
    with pytest.raises(FileError, match="has format 3, but this version of classay reads 2"):
        ca.Evaluation.load(path)


def test_an_evaluation_is_no_assessment(tmp_path):
    path = tmp_path / "e.classay"
    cancer(protocol="2fold").save(path)
    twin = path.with_stem("f")
    cancer(protocol="3fold").save(twin)
    assert "is a saved evaluation of learners, but an assessment is needed" in refusal(
        "gate", "--rule", "superior", "--measure", "roc_auc", path, twin
    )
    refused = call("assess", path, "--truth", "y", "--score", "p")
    assert "is a saved result, not a file of rows" in refused.stderr


def test_a_second_run_takes_everything_from_the_store_and_can_be_reopened(tmp_path):
    path, kept = tmp_path / "runs.db", []
    first = cancer(store=path)
    second = cancer(store=str(path), progress=lambda step: kept.append(step.last.kept))
    assert kept == [True] * 12
    with Store.existing(path) as store:
        (run,) = store.runs()
        assert run.is_finished
        assert run.about["estimators"] == ["tree", "bayes"]
        assert run.about["data"][""]["rows"] == 569
        reopened = ca.Evaluation.reopen(store, run.id[:6])
    assert same(first, second)
    assert same(first, reopened)
    assert same(first, cancer())


def test_runs_with_common_folds_share_them(tmp_path):
    data, kept = load_breast_cancer(return_X_y=True), []
    path = tmp_path / "runs.db"
    ca.evaluate({"tree": DecisionTreeClassifier()}, *data, protocol="3fold", store=path)
    ca.evaluate(
        MODELS, *data, protocol="3fold", store=path, progress=lambda step: kept.append(step.last.kept)
    )
    assert sorted(kept) == [False] * 3 + [True] * 3
    with Store.existing(path) as store:
        assert [run.done for run in store.runs()] == [3, 6]


def test_an_unfinished_run_cannot_be_reopened_and_goes_on(tmp_path):
    path = tmp_path / "runs.db"

    def stop(step):
        if step.done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cancer(store=path, progress=stop)
    with Store.existing(path) as store, pytest.raises(FileError, match=r"is not finished \(5 of 12 fits\)"):
        ca.Evaluation.reopen(store, store.runs()[0].id)
    kept = []
    e = cancer(store=path, progress=lambda step: kept.append(step.last.kept))
    assert kept.count(True) == 5
    assert same(e, cancer())


def test_a_damaged_fold_is_fitted_again(tmp_path):
    path = tmp_path / "runs.db"
    first = cancer(store=path)
    with Store(path) as store:
        key = next(store.results(store.runs()[0].id))[0]
        store._connection.execute("UPDATE results SET value = x'00' WHERE key = ?", (key,))
    kept = []
    with pytest.warns(StoreWarning, match="damaged"):
        second = cancer(store=path, progress=lambda step: kept.append(step.last.kept))
    assert kept.count(False) == 1
    assert same(first, second)


def test_a_full_store_warns_once_and_the_evaluation_goes_on(tmp_path):
    with Store(tmp_path / "runs.db") as store:
        cancer(store=store, protocol="2fold")
        (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
        store._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            e = cancer(store=store, protocol="2x10")
        said = [str(each.message) for each in caught if each.category is StoreWarning]
        assert "cannot be written (database or disk is full)" in said[0]
        assert said[0].endswith("The evaluation continues but saves no further results.")
        assert len(said) <= 2  # the folds, and the evaluation itself
        assert store.runs()[0].is_finished
    assert same(e, cancer(protocol="2x10"))


SLOW = """
import sys, time, warnings
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier
import classay as ca
print("ready", flush=True)
ca.evaluate(DecisionTreeClassifier(), *load_breast_cancer(return_X_y=True), protocol="10x3", store=sys.argv[1])
print("done", flush=True)
"""


def killed_at(path, seconds):
    """Run in a process of its own, kill it so many seconds after its start; whether it had finished."""
    with subprocess.Popen(
        [sys.executable, "-c", SLOW, str(path)],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": SOURCE},
        text=True,
    ) as run:
        assert run.stdout.readline() == "ready\n"
        time.sleep(seconds)
        run.send_signal(signal.SIGKILL)
        return run.stdout.read() == "done\n"


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_a_run_killed_at_random_moments_gives_the_same_predictions(tmp_path, kills):
    path, rng = tmp_path / "runs.db", np.random.default_rng(kills)
    data = load_breast_cancer(return_X_y=True)
    done = 0
    for _ in range(kills):
        killed_at(path, rng.uniform(0.02, 0.6))
        try:
            with Store.existing(path) as store:
                now = sum(run.done for run in store.runs())
        except FileError:  # killed before there was a store
            now = 0
        assert now >= done
        done = now
    resumed = ca.evaluate(DecisionTreeClassifier(), *data, protocol="10x3", store=path)
    assert same(resumed, ca.evaluate(DecisionTreeClassifier(), *data, protocol="10x3"))


def test_upsampling_before_the_split_cannot_pass_unseen():
    """E-56: on pure noise a nearest neighbour shines, and the evaluation says why."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 5)), (rng.random(600) < 0.05).astype(int)
    copies = RandomOverSampler(random_state=0).fit_resample(X, y)
    model = KNeighborsClassifier(1)
    before = ca.evaluate(model, *copies, protocol="5fold")
    assert before["roc_auc"].low > 0.9
    assert [leak.code for leak in before.runs[0].leaks] == ["twins"]
    assert "Upsample inside each fold" in str(before).replace("\n    ", " ")
    inside = ca.evaluate(make_upsampled(model), X, y, protocol="5fold")
    assert inside["roc_auc"].low < 0.5 < inside["roc_auc"].high
    assert inside.runs[0].leaks == ()


def make_upsampled(model):
    from imblearn.pipeline import make_pipeline

    return make_pipeline(RandomOverSampler(), model)


def test_notes_of_files_saved_before_keep_their_codes(tmp_path, monkeypatch):
    for former, note in FORMER.items():
        name = next(name for name in ("IMPROPER", "AGAINST", "OF_ROUNDED") if getattr(fitting, name) == note)
        monkeypatch.setattr(fitting, name, former)
    learners = {how: Odd(how) for how in ("half", "turned", "rounded")}
    e = ca.evaluate(learners, X, TWO, protocol="3fold", measures=["accuracy"])
    assert {
        note for run in e.runs for one in run.results.values() for each in one for note in each.notes
    } == {*FORMER}
    e.save(tmp_path / "e.classay")
    monkeypatch.undo()
    loaded = ca.load(tmp_path / "e.classay")
    assert {"improper_rows", "labels_contradict_scores", "rounded_scores"} <= {
        each.code for each in loaded.warnings
    }
    assert not [each for each in loaded.warnings if each.code == "note"]
    assert "values that are not probabilities" in " ".join(each.text for each in loaded.warnings)


def test_folds_of_a_protocol_that_nobody_knows_have_no_intervals():
    """A name that does not say how rows were split may be one in time: values stay, and their folds are counted."""
    e = cancer(protocol=KFold(3))
    unknown = _protocol("folds of tomorrow", None, e.runs)
    loaded = replace(e, protocol=unknown)
    assert str(unknown.splitter) == unknown.name == "folds of tomorrow"
    assert unknown.splitter.n_splits == 3
    for model in e.models:
        known, other = e[model]["accuracy"], loaded[model]["accuracy"]
        assert (other.value, other.has_interval, known.has_interval) == (known.value, False, True)
    assert _protocol("3fold", None, e.runs).name == cancer(protocol="3fold").protocol.name
