"""Overviews of stores and evaluations, remarks on files, and the texts of protocols: what they count and name."""

import json

import numpy as np
import pyarrow as pa
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.errors import InputError
from classay.resampling.bootstraps import PROTOCOLS
from classay.resampling.commands import remarks_on, typed
from classay.resampling.commands_of_runs import _row
from classay.resampling.results_listed import list_evaluation, list_store
from classay.resampling.run_store import Store, StoredRun
from classay.saved_results import SavedResult
from classay.sources.files import TrainingData
from command import call
from learners import noise

X, Y = noise(30, signal=2)
MODELS = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}
KEPT = SavedResult("file", "2026-01-02", "")


@pytest.fixture(scope="module")
def one_set():
    return ca.evaluate(MODELS, X, Y, protocol="2fold", measures=["accuracy", "roc_auc", "log_loss"])


def test_each_model_of_an_evaluation_has_a_row(one_set):
    rows = [*list_evaluation(one_set, KEPT, None)]
    assert [row.model for row in rows] == ["bayes", "tree"]
    for row in rows:
        assert (row.what, row.cases, row.name, row.time) == ("evaluation, 2fold", 30, "file", "2026-01-02")
        assert {"accuracy", "roc_auc"} <= {*row.estimates} <= {"accuracy", "roc_auc", "log_loss"}
        for name, estimate in row.estimates.items():
            assert estimate == one_set[row.model][name]
    (named, _) = list_evaluation(one_set, KEPT, ("log_loss", "hand_till_auc"))
    assert {*named.estimates} == {"log_loss"}
    (alone,) = list_evaluation(one_set["baseline"], KEPT, ("accuracy",))
    assert alone.model == "baseline"


def test_each_model_on_each_data_set_has_a_row():
    e = ca.evaluate(MODELS, {"n": (X, Y), "s": (X[:20], Y[:20])}, protocol="2fold", measures=["accuracy"])
    rows = [*list_evaluation(e, KEPT, None)]
    assert [row.model for row in rows] == ["bayes on n", "tree on n", "bayes on s", "tree on s"]
    assert [row.cases for row in rows] == [30, 30, 20, 20]
    assert rows[2].estimates["accuracy"] == e["s"]["bayes"]["accuracy"]


def test_runs_of_a_store_are_evaluations_unfinished_or_others(tmp_path):
    path = tmp_path / "runs.db"
    ca.evaluate(MODELS, X, Y, protocol="2fold", measures=["accuracy"], store=path)
    with Store(path) as store:
        about = {"estimators": ["m", "n"], "protocol": "parts", "data": {"a": {"rows": 7}, "b": {"rows": 5}}}
        store.begin("f" * 40, about, ["k1", "k2"])
        store.put("k1", b"x")
    rows = [*list_store(path, None)]
    assert [row.model for row in rows] == ["bayes", "tree", ""]
    assert rows[-1].what == "1 of 2 fits are done"
    with Store(path) as store:
        store.put("k2", b"y")
    other = [*list_store(path, None)][-1]
    assert (other.what, other.model, other.cases, other.name) == ("parts", "m, n", 12, "f" * 8)
    assert other.page == ""
    (tmp_path / f"{'f' * 8}.html").touch()
    assert [*list_store(path, None)][-1].page == str(tmp_path / f"{'f' * 8}.html")
    done = call("runs", path)
    assert done.exit_code == 0
    assert "12 in 2 sets" in done.output
    with Store(tmp_path / "none.db"):
        pass
    assert f"{tmp_path / 'none.db'} has no runs yet." in call("runs", tmp_path / "none.db").output


@pytest.mark.parametrize(
    ("done", "sizes", "cells"),
    [
        (4, (1200,), ("1,200", "4")),
        (3, (1200, 34), ("1,234 in 2 sets", "3 of 4")),
        (0, (), ("0", "0 of 4")),
    ],
)
def test_a_run_in_a_line(done, sizes, cells):
    data = {f"d{k}": {"rows": rows} for k, rows in enumerate(sizes)}
    about = {"estimators": ["a", "b"], "protocol": "2fold", "seed": 3, "data": data}
    found = _row(StoredRun("0123456789", about, "2026-01-02T03:04:05", None, done, 4))
    assert found == ("01234567", "2026-01-02 03:04", "a, b", "2fold", cells[0], "3", cells[1])
    assert _row(StoredRun("0", {}, "2026-01-02T03:04:05", None, 1, 1))[2:] == ("", "", "0", "", "1")


@pytest.mark.parametrize("kind", PROTOCOLS)
def test_protocols_are_explained_in_their_own_words(kind):
    form = next(iter(kind.about.forms))
    done = call("protocols", form)
    text = " ".join(done.output.split())
    assert done.exit_code == 0
    assert f"name {form}" in text
    assert f"title {kind.about.title}" in text
    assert kind.about.estimand in text
    why = kind.about.incomparable
    assert f"compared {'yes' if why is None else f'no: {why}'}" in text
    assert (f"reference {kind.about.reference or '–'}") in text
    listed = " ".join(call("protocols").output.split())
    assert ", ".join(kind.about.forms) in listed


@pytest.mark.parametrize(
    ("dropped", "words"),
    [(0, None), (1, "1 row without a target is excluded"), (2, "2 rows without a target are excluded")],
)
@pytest.mark.parametrize("columns", [0, 1, 5, 6, 9])
def test_rows_and_values_that_lack_are_remarked(dropped, words, columns):
    """The five features with the most missing values are named, and the rest counted."""
    gaps = {f"x{k}": [None] * (k + 1) + [1.0] * (20 - k) for k in range(columns)}
    features = pa.table(gaps | {"whole": [1.0] * 21})
    found = dict(remarks_on(TrainingData(features, None, dropped=dropped)))
    assert found.get("dropped_rows") == words
    order = sorted(range(columns), reverse=True)
    named = ", ".join(f"x{k} {k + 1}" for k in order[:5])
    more = f" and {columns - 5} more columns" if columns > 5 else ""
    (told,) = [text for code, text in found.items() if code != "dropped_rows"] or [None]
    assert told == (
        f"features have missing values ({named}{more}), which the pipeline of each model handles inside the folds"
        if columns
        else None
    )


def test_the_positive_label_of_a_command_is_one_of_two():
    assert typed(None, ("a", "b", "c")) is None
    assert typed("1", (0, 1)) == 1
    assert typed("b", ("a", "b")) == "b"
    with pytest.raises(InputError) as refused:
        typed("a", ("a", "b", "c"))
    assert str(refused.value) == (
        "--positive needs two classes, but there are 3 ('a', 'b', 'c'). Remove it, or make a target column of two "
        "classes."
    )
    with pytest.raises(InputError) as refused:
        typed("maligant", ("benign", "malignant"))
    assert str(refused.value) == (
        "No case has the label --positive 'maligant'. Labels: 'benign', 'malignant'. Did you mean 'malignant'?"
    )


def test_times_are_means_of_the_fits_that_were_done(one_set, tmp_path, monkeypatch):
    from classay.resampling.results import times_of

    told = json.loads(json.dumps(times_of(one_set)))
    assert told["protocol"] == "2fold"
    assert [row["model"] for row in told["times"]] == ["bayes", "tree", "baseline"]
    for row in told["times"]:
        results = one_set.runs[0].results[row["model"]]
        assert row["fits"] == 2
        for name, of in (("fit_seconds", "fit_seconds"), ("predict_seconds", "score_seconds")):
            assert row[name] == pytest.approx(np.mean([getattr(each, of) for each in results]))
