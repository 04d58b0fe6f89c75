"""Results in MLflow, against a local store; what needs MLflow is skipped, loudly, where it is not installed."""

import json
import re
import sys
import warnings
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from unittest import mock

import numpy as np
import pytest

import classay as ca
from classay.errors import InputError, MissingExtraError
from classay.tracking.results import LISTED, metrics_of
from command import as_json
from sample_results import RESULTS

rng = np.random.default_rng(0)
Y = rng.integers(0, 3, 120)
RAW = rng.random((120, 3)) + np.eye(3)[Y]
P = RAW / RAW.sum(1, keepdims=True)


@pytest.fixture
def mlflow(tmp_path, monkeypatch):
    monkeypatch.setenv(
        "MLFLOW_ALLOW_FILE_STORE", "true"
    )  # a store of files needs no database, and serves a test
    found = pytest.importorskip(
        "mlflow", reason="MLflow is not installed: pip install 'classay[mlflow]' to test logging to it"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found.set_tracking_uri((tmp_path / "runs").as_uri())
        found.set_experiment("classay")
        yield found


@cache
def results():
    a = ca.assess(Y == 1, P[:, 1])
    c = ca.compare({"a b[1]": P[:, 1], "old": P[:, 0]}, Y == 1, measures=["roc_auc", "recall[True]"])
    return {"assessment": a, "several": ca.assess(Y, P), "comparison": c, "gate": ca.gate(c[0], "superior")}


@pytest.mark.parametrize("kind", RESULTS)
def test_every_kind_of_result_has_metrics_that_mlflow_takes(kind):
    made = RESULTS[kind]()
    found = metrics_of(made)
    assert found
    assert all(np.isfinite(value) for value in found.values())
    assert all(re.fullmatch(r"[A-Za-z0-9_./ -]+", name) for name in found)
    assert not {"schema", "seed", "level"} & found.keys()
    if type(made).__name__ not in ("Comparison", "Evaluation"):
        assert len(found) >= 3


def test_estimates_keep_their_limits():
    a = results()["assessment"]
    found = metrics_of(a)
    for name in ("roc_auc", "recall", "log_loss"):
        assert (found[name], found[f"{name}.low"], found[f"{name}.high"]) == (
            a[name].value,
            a[name].low,
            a[name].high,
        )
    c = results()["comparison"]
    assert metrics_of(c)["roc_auc/a b.1. minus old/difference"] == c[0].effect.value


def test_without_mlflow_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'classay\[mlflow\]'"):
        ca.log_to_mlflow(results()["assessment"])
    with pytest.raises(InputError, match="3 cannot be logged"):
        ca.log_to_mlflow(3)


class Recorded:
    """Stands in for MLflow, which may not be installed: it has what was logged, in the run where it was."""

    def __init__(self, active):
        self.run, self.begun = active, 0
        self.metrics, self.params, self.tags, self.texts = {}, {}, {}, {}

    def active_run(self):
        return self.run and mock.Mock(info=mock.Mock(run_id=self.run))

    @contextmanager
    def start_run(self):
        self.run, self.begun = "begun", self.begun + 1
        yield self.active_run()
        self.run = None

    def log_metrics(self, given):
        assert self.run
        self.metrics |= given

    def log_params(self, given):
        assert self.run
        self.params |= given

    def set_tag(self, name, text):
        assert self.run
        self.tags[name] = text

    def log_text(self, text, path):
        assert self.run
        self.texts[path] = text


@pytest.mark.parametrize(
    ("kind", "active", "name", "before", "file"),
    [
        ("assessment", None, None, "", None),
        ("gate", "open", None, "", None),
        ("gate", None, "a/b [1]", "a/b .1/", "a_b .1"),
        ("gate", "open", "new", "new/", "new"),
    ],
)
def test_everything_is_logged_to_the_active_run_or_a_new_one(kind, active, name, before, file, monkeypatch):
    run = Recorded(active)
    monkeypatch.setitem(sys.modules, "mlflow", run)
    made = results()[kind]
    assert ca.log_to_mlflow(made, name) == (active or "begun")
    assert run.begun == (active is None)
    assert run.metrics == {f"{before}{key}": value for key, value in metrics_of(made).items()}
    told = {
        "assessment": {"n": "120", "level": "0.95", "seed": "0", "positive": "True", "cutoff": "0.5"},
        "gate": {"rule": "superior"},
    }[kind]
    told |= {"classay": ca.__version__, "kind": type(made).__name__}
    assert told.items() <= {key.removeprefix(before): text for key, text in run.params.items()}.items()
    assert all(key.startswith(before) and text == str(text) for key, text in run.params.items())
    assert run.tags == {f"{before}verdict": " ".join(made.document().verdict)}
    file = file or type(made).__name__.lower()
    assert json.loads(run.texts[f"{file}.json"]) == as_json(made)
    assert {*run.texts} == {f"{file}.json", f"{file}.html"}
    assert run.texts[f"{file}.html"].lower().startswith("<!doctype html")
    long = replace(made.document(), verdict=["x" * 5001])
    monkeypatch.setattr(type(made), "document", lambda _: long)
    ca.log_to_mlflow(made)
    assert run.tags["verdict"] == "x" * 5000


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        ({"a": 1, "b": {"c": 0.5, "d": True, "e": "7", "f": None}}, {"a": 1, "b/c": 0.5}),
        ({"a": float("inf"), "b": float("nan"), "c": -2}, {"c": -2}),
        ({"schema": 3, "level": 0.9, "a": {"seed": 1, "level": 2, "n": 5}}, {"a/n": 5}),
        ({"measures": {"recall[cat]": {"estimate": 0.5}}}, {"recall.cat": 0.5}),
        ({"value": 1, "low": 0, "high": None, "n": 4}, {"value": 1, "value.low": 0}),
        ({"value": 1, "low": 0}, {"value": 1, "low": 0}),
        ({"a": {"value": None, "low": 0, "high": 2}}, {"a.low": 0, "a.high": 2}),
        ({"a": [1, 2], "b": [{"n": 1}, 2], "c": []}, {}),
        ({"a": [{"n": 1}, {"n": 2}]}, {"a/0/n": 1, "a/1/n": 2}),
        ({"a": [{"name": "x", "n": 1}, {"name": "y", "n": 2}]}, {"a/x/n": 1, "a/y/n": 2}),
        (
            {"a": [{"name": "x", "n": 1}, {"name": "x", "n": 2}, {"name": "z", "n": 3}]},
            {"a/0/n": 1, "a/1/n": 2, "a/z/n": 3},
        ),
        ({"a": [{"measure": "m", "model": "x", "cause": "c", "n": 1}]}, {"a/x/m/n": 1}),
        ({"a": [{"name": None, "size": 0.5}, {"size": 2}]}, {"a/0.5/size": 0.5, "a/2/size": 2}),
        ({"a": [{"n": 1}] * LISTED}, {f"a/{i}/n": 1 for i in range(LISTED)}),
        ({"a": [{"n": 1}] * (LISTED + 1), "b": 1}, {"b": 1}),
        ({"..": 1, "b": {"(ö)": 2}}, {"_": 1, "b/": 2}),
    ],
)  # fmt: skip
def test_numbers_of_json_have_the_names_of_their_places(node, wanted):
    assert metrics_of(mock.Mock(spec=["to_dict"], to_dict=lambda: node)) == wanted


def test_comparisons_without_an_effect_have_a_p_alone():
    """Differences and adjusted p-values of each pair; evaluations have the measures of each model."""
    y = rng.integers(0, 2, 60)
    models = {name: np.clip(0.3 * y + rng.random(60), 0, 1) for name in ("a", "b", "c")}
    found = metrics_of(compared := ca.compare(models, y, measures=["roc_auc", "accuracy"]))
    assert len(compared) == 6
    wanted = {}
    for one in compared:
        who = f"{one.measure}/{one.models[0]} minus {one.models[1]}"
        wanted[f"{who}/p"] = one.p if one.p_adjusted is None else one.p_adjusted
        if one.effect is not None:
            value = one.effect
            wanted |= {
                f"{who}/difference{end}": number
                for end, number in zip(
                    ("", ".low", ".high"), (value.value, value.low, value.high), strict=True
                )
            }
    assert found == pytest.approx(
        {name.replace("[", ".").replace("]", ""): x for name, x in wanted.items() if np.isfinite(x)}
    )


@pytest.mark.filterwarnings("ignore")
def test_runs_hold_metrics_parameters_and_the_page(mlflow, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = results()
    run = mlflow.get_run(ca.log_to_mlflow(made["assessment"]))
    assert run.data.metrics["roc_auc"] == made["assessment"]["roc_auc"].value
    assert run.data.params["level"] == "0.95"
    assert "probability" in run.data.tags["verdict"]
    files = {each.path for each in mlflow.MlflowClient().list_artifacts(run.info.run_id)}
    assert files == {"assessment.json", "assessment.html"}
    with mlflow.start_run() as outer:
        for name, result in made.items():
            assert ca.log_to_mlflow(result, name) == outer.info.run_id
    both = mlflow.get_run(outer.info.run_id).data
    assert both.metrics["assessment/roc_auc"] == made["assessment"]["roc_auc"].value
    assert both.params["gate/rule"] == "superior"


@pytest.mark.wings("groups")
def test_parts_of_a_list_have_the_names_of_the_parts():
    found = metrics_of(RESULTS["slices"]())
    assert {
        "groups/north/roc_auc",
        "groups/north/roc_auc.low",
        "groups/north/roc_auc/difference",
    } <= found.keys()
    estimate = ca.Estimate(0.5, 0.4, 0.6, 0.95, "Wilson")
    assert metrics_of(estimate) == {"value": 0.5, "value.low": 0.4, "value.high": 0.6}


def test_numbers_of_a_list_have_names_without_their_values():
    """Runs are compared by the names of their metrics, so no name may hold what a run found."""

    class Listed:
        def __init__(self, value):
            self.value = value

        def to_dict(self):
            part = {"model": "new", "measure": "recall", "value": self.value, "low": 0.1, "high": 0.9}
            return {"list": [part, part | {"model": "old"}]}

    names = {f"list/{model}/recall{end}" for model in ("new", "old") for end in ("", ".low", ".high")}
    assert metrics_of(Listed(0.5)).keys() == metrics_of(Listed(0.6)).keys() == names
