"""Pages of every kind from much that could be shown: many groups, classes, models and periods."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import classay as ca
from classay.saved_results import Overview, SavedResult
from command import call
from wing_samples import of_wings

PAGES: dict[str, Callable[[Path], str]] = {}
"""The HTML of a page by its name, made in a folder."""


def page(made):
    """Keep the page that a function makes in a folder, from a result or from the arguments of the command."""

    def html(folder):
        shown = made()
        path = folder / f"{made.__name__}.html"
        if isinstance(shown, dict):
            rows, arguments = shown["rows"], shown["arguments"]
            source = folder / f"{made.__name__}.parquet"
            if rows is not None:
                parquet.write_table(rows, source)
            text = [str(source) if each == "ROWS" else each for each in arguments]
            done = call(*text, "--html", path)
            assert done.exit_code in (0, 1, 3), done.stderr
        else:
            shown.report(path)
        return path.read_text(encoding="utf-8")

    PAGES[made.__name__] = html
    return made


@cache
def patients(n=4000, groups=20, models=2, periods=12, seed=0):
    """Truth, scores of models of which each is a little better, groups and dates of rows."""
    rng = np.random.default_rng(seed)
    sick = rng.random(n) < 0.4
    shared, group = rng.normal(size=n), rng.integers(0, groups, n)
    period = np.sort(rng.integers(0, periods, n))
    slope = 1.0 + 0.8 * (group % 5 > 0) - 0.5 * (period > 0.6 * periods)
    rows = {"truth": sick.astype(int)}
    for k in range(models):
        signal = slope + 0.6 * k / models
        score = 1 / (1 + np.exp(0.6 - signal * sick - shared - 0.8 * rng.normal(size=n)))
        rows[f"model {k + 1}"] = np.round(score, 4)
    rows["clinic"] = np.array([f"clinic {k + 1}" for k in range(groups)])[group]
    rows["age"] = np.array(["young", "middle", "old"])[rng.integers(0, 3, n)]
    rows["month"] = np.datetime64("2014-01") + period.astype("timedelta64[M]")
    rows["month"] = rows["month"].astype("datetime64[D]")
    return pa.table(rows)


@cache
def of_classes(classes, each=60):
    """Truth and class probabilities of many classes, some of which are taken for their neighbours."""
    rng = np.random.default_rng(1)
    truth = np.concatenate([np.arange(classes), rng.integers(0, classes, each * classes)])
    pull = 2.5 * np.eye(classes) + 1.2 * np.eye(classes, k=1)
    scores = rng.gamma(0.6 + pull[truth])
    names = np.array([f"species {k + 1}" for k in range(classes)])
    return names[truth], scores / scores.sum(1, keepdims=True), list(names)


def assess(rows, *more):
    arguments = ["assess", "ROWS", "--truth", "truth", "--score", "model 1", *more]
    return {"rows": rows, "arguments": arguments}


@page
def binary():
    return assess(patients())


@page
def classes_12():
    truth, scores, names = of_classes(12)
    return ca.assess(truth, scores, labels=names)


@page
def classes_50():
    truth, scores, names = of_classes(50)
    return ca.assess(truth, scores, labels=names)


@cache
def compared(models, measures=None):
    rows = patients(600, models=models)
    scores = {name: rows[name].to_numpy() for name in rows.column_names if name.startswith("model ")}
    return ca.compare_predictions(scores, rows["truth"].to_numpy(), measures=measures)


@page
def models_2():
    return compared(2)


@page
def models_14():
    return compared(14)


@page
def models_40():
    return compared(40, measures=("roc_auc", "brier_score", "accuracy"))


@page
def pairs_14():
    return compared(14).in_pairs()


@page
def gate():
    arguments = ["gate", "ROWS", "--truth", "truth", "--scores", "model 2,model 1", "--measure", "roc_auc"]
    return {"rows": patients(), "arguments": [*arguments, "--rule", "non-inferior", "--margin", "0.02"]}


@page
def decision():
    arguments = ["decide", "ROWS", "--truth", "truth", "--score", "model 1", "--cost", "fp=1"]
    return {"rows": patients(1000), "arguments": [*arguments, "--cost", "fn=5"]}


@cache
def kept(count):
    """An overview of so many saved results, each of two series."""
    truth, score = (patients(200)[name].to_numpy() for name in ("truth", "model 1"))
    estimates = ca.assess(truth, score).estimates(["roc_auc", "accuracy", "recall", "specificity"])
    results = [
        SavedResult(f"model {k % 2 + 1}/run {k}", f"2026-01-01T{k // 60 % 24:02}:{k % 60:02}:00", "assessment", 200,
                    estimates=estimates, page=f"model {k % 2 + 1}/run {k}.html")
        for k in range(count)
    ]  # fmt: skip
    return Overview("results", tuple(results), tuple(estimates))


@page
def saved_12():
    return kept(12)


@page
def saved_1000():
    return kept(1000)


@page
def counts():
    return {"rows": None, "arguments": ["assess", "--counts", "tp=40,fp=3,fn=7,tn=50"]}


@page
def labels_alone():
    rng = np.random.default_rng(2)
    truth, *_ = of_classes(12)
    called = np.where(rng.random(truth.size) < 0.7, truth, np.roll(truth, 1))
    return ca.assess(truth, y_pred=called)


@page
def best_40():
    rows = patients(600, models=40)
    scores = {name: rows[name].to_numpy() for name in rows.column_names if name.startswith("model ")}
    return ca.best_of(scores, rows["truth"].to_numpy(), "roc_auc")


@page
def cost_curves_8():
    rows = patients(300, models=8)
    scores = {name: rows[name].to_numpy() for name in rows.column_names if name.startswith("model ")}
    return ca.cost_curves(scores, rows["truth"].to_numpy())


@page
def class_thresholds_12():
    truth, scores, names = of_classes(12, each=20)
    return ca.assess(truth, scores, labels=names).class_thresholds(maximize="f1")


for more in of_wings("LARGE_PAGES"):
    for make in more:
        page(make)
