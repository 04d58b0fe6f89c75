"""One small, seeded result of each kind that shows itself: what users meet, made as they make it."""

import os
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import classay as ca
from classay.shown import Reportable
from wing_samples import modules

RESULTS: dict[str, Callable[[], Reportable]] = {}
"""Results by what they are; each is made when it is called."""


def result(made: Callable[[], Reportable]) -> Callable[[], Reportable]:
    """Keep a result under the name of the function that makes it, and make it once."""
    kept = cache(made)
    RESULTS[made.__name__.replace("_", " ")] = kept
    return kept


def patients(n: int = 160, seed: int = 0) -> dict[str, Any]:
    """Truth, two scores of which the first is better, hospitals, weights, amounts and names of the rows."""
    rng = np.random.default_rng(seed)
    sick = rng.random(n) < 0.35
    shared, clinic = rng.normal(size=n), rng.integers(0, 20, n)
    scores = {
        name: np.round(1 / (1 + np.exp(0.6 - signal * sick - shared - 0.6 * rng.normal(size=n))), 3)
        for name, signal in (("new", 2.2), ("old", 1.4))
    }
    return {
        "truth": np.where(sick, "sick", "well"),
        **scores,
        "clinic": clinic,
        "site": np.where(clinic < 8, "north", "south"),
        "weight": rng.uniform(0.5, 2.0, n).round(2),
        "amount": rng.gamma(2.0, 50.0, n).round(),
        "id": np.arange(n),
    }


def animals(n: int = 150, seed: int = 0) -> tuple[Any, Any]:
    """Truth and class probabilities of three classes."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    scores = rng.gamma(1 + 1.5 * np.eye(3)[truth])
    return np.array(["ape", "bee", "cat"])[truth], scores / scores.sum(1, keepdims=True)


def assessed(**options: Any) -> ca.Assessment:
    rows = patients()
    return ca.assess(rows["truth"], rows["new"], positive="sick", **options)


@result
def assessment_of_two_classes() -> Reportable:
    return assessed()


@result
def assessment_of_labels_alone() -> Reportable:
    rows = patients()
    return ca.assess(rows["truth"], y_pred=np.where(rows["new"] >= 0.5, "sick", "well"), positive="sick")


@result
def assessment_of_scores_that_are_no_probabilities() -> Reportable:
    rows = patients()
    return ca.assess(rows["truth"], 10 * rows["new"], positive="sick")


@result
def assessment_of_three_classes() -> Reportable:
    truth, scores = animals()
    return ca.assess(truth, scores, labels=["ape", "bee", "cat"])


@result
def assessment_with_sampling_weights() -> Reportable:
    return assessed(weight=patients()["weight"])


@result
def assessment_in_clusters() -> Reportable:
    return assessed(cluster=patients()["clinic"])


@result
def assessment_at_another_prevalence() -> Reportable:
    return assessed().at_prevalence(0.05)


@result
def proportion_by_every_method() -> Reportable:
    return ca.proportion(75, 100, level=0.8)


def compared(**options: Any) -> ca.Comparisons:
    rows = patients()
    models = {name: rows[name] for name in ("new", "old")}
    return ca.compare_predictions(models, rows["truth"], positive="sick", **options)


@result
def comparison_of_two_models() -> Reportable:
    return compared(measures=["roc_auc", "accuracy", "brier_score"])


@result
def comparison_of_three_models() -> Reportable:
    rows = patients()
    models = {"new": rows["new"], "old": rows["old"], "mean": (rows["new"] + rows["old"]) / 2}
    return ca.compare_predictions(models, rows["truth"], positive="sick", measures=["roc_auc", "recall"])


@result
def comparison_with_a_control() -> Reportable:
    rows = patients()
    models = {"new": rows["new"], "old": rows["old"], "mean": (rows["new"] + rows["old"]) / 2}
    return ca.compare_predictions(
        models, rows["truth"], positive="sick", measures=["accuracy"], control="old", method="max-t"
    )


@result
def comparison_in_clusters() -> Reportable:
    return compared(measures=["roc_auc", "accuracy"], cluster=patients()["clinic"])


@result
def comparison_for_non_inferiority() -> Reportable:
    return compared(measures=["roc_auc"], rule="non-inferior", margin=0.02)


@result
def comparison_on_different_test_sets() -> Reportable:
    both = {name: patients(seed=seed) for name, seed in (("here", 0), ("there", 1))}
    made = {name: ca.assess(rows["truth"], rows["new"], positive="sick") for name, rows in both.items()}
    return ca.compare_unpaired(made, measures=["roc_auc", "accuracy"])


@result
def gate_passed() -> Reportable:
    return ca.gate(compared(measures=["roc_auc"]), "non-inferior", 0.02)


@result
def gate_failed() -> Reportable:
    rows = patients()
    models = {"old": rows["old"], "new": rows["new"]}
    found = ca.compare_predictions(models, rows["truth"], positive="sick", measures=["roc_auc"])
    return ca.gate(found, "non-inferior", 0.02)


@result
def best() -> Reportable:
    rows = patients()
    models = {f"model {k}": patients(seed=0)["old"] + 0.03 * np.random.default_rng(k).normal(size=160)
              for k in range(6)}  # fmt: skip
    labels = {name: np.where(each >= 0.5, "sick", "well") for name, each in models.items()}
    return ca.best_of(y_true=rows["truth"], y_pred=labels, positive="sick")


@result
def best_in_clusters() -> Reportable:
    rows = patients(400)
    models = {name: rows[name] for name in ("new", "old")} | {"mean": (rows["new"] + rows["old"]) / 2}
    return ca.best_of(models, rows["truth"], "roc_auc", positive="sick", cluster=np.arange(400) // 8)


@result
def decision_by_cost() -> Reportable:
    return assessed().threshold(cost=ca.Costs(fp=1, fn=5))


@result
def decision_by_a_condition() -> Reportable:
    return assessed().threshold(where="recall >= 0.9", maximize="precision")


@result
def decision_among_the_top() -> Reportable:
    return assessed().threshold(top=20)


@result
def cost_curves() -> Reportable:
    rows = patients()
    return ca.cost_curves({"new": rows["new"], "old": rows["old"]}, rows["truth"], positive="sick")


@result
def verification() -> Reportable:
    truth = [1] * 120 + [0] * 30 + [None] * 50 + [1] * 10 + [0] * 90 + [None] * 700
    return ca.correct_verification(truth, [1] * 200 + [0] * 800)


@result
def reclassification() -> Reportable:
    y = np.arange(60) % 3 == 0
    old = 0.2 + 0.3 * y + 0.2 * np.sin(np.arange(60))
    return ca.reclassification(y, old + 0.05 * y + 0.09 * (1 + np.cos(np.arange(60))), old, cuts=[0.25, 0.5])


@result
def classifiers_in_roc_space() -> Reportable:
    rows = patients()
    called = {name: rows["new"] >= cut for name, cut in (("strict", 0.7), ("lax", 0.3))}
    called["old"] = rows["old"] >= 0.5
    said = {name: np.where(each, "sick", "well") for name, each in called.items()}
    return ca.roc_space(
        {name: ca.assess(rows["truth"], y_pred=each, positive="sick") for name, each in said.items()}
    )


@result
def one_estimate() -> Reportable:
    return assessed()["roc_auc"]


@result
def one_comparison() -> Reportable:
    return compared(measures=["roc_auc"])[0]


@result
def thresholds_of_several_classes() -> Reportable:
    return ca.assess(*animals(), labels=["ape", "bee", "cat"]).class_thresholds(maximize="f1")


@result
def cut_points() -> Reportable:
    rng = np.random.default_rng(4)
    grade = rng.integers(0, 3, 150)
    score = (grade + rng.normal(0, 0.6, 150)).round(2)
    return ca.cut_points(score, np.array(["low", "mid", "high"])[grade], ["low", "mid", "high"])


@result
def saved_results() -> Reportable:
    with tempfile.TemporaryDirectory() as folder:
        for k in range(4):
            rows, path = patients(seed=k), Path(folder) / f"week-{k + 9}.classay"
            ca.assess(rows["truth"], rows["new"], positive="sick").save(path)
            os.utime(path, (1.7e9 + 7 * 86400 * k,) * 2)
        (Path(folder) / "week-9.html").touch()
        found = ca.overview(folder)
    return replace(found.seen_from(folder), source="results")


@result
def tree_of_confused_classes() -> Reportable:
    return ca.assess(*animals(), labels=["ape", "bee", "cat"]).confusion_tree()


modules()
