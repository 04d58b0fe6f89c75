"""Samples of learners, for the sweeps over all kinds of results and options."""

from functools import cache
from typing import Any

import numpy as np
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.shown import Reportable
from learners import Centroid, Nearest, noise
from sample_results import result


def evaluated(**options: Any) -> ca.Evaluation:
    learners = {"centroid": Centroid(), "nearest": Nearest()}
    return ca.evaluate(learners, *noise(), protocol="5x3", seed=0, **options)


@result
def evaluation_of_one_learner() -> Reportable:
    return ca.evaluate(Centroid(), *noise(), protocol="5x3", seed=0)


@result
def evaluation_of_two_learners() -> Reportable:
    return evaluated()


@result
def evaluation_over_data_sets() -> Reportable:
    data = {f"d{seed}": noise(60, seed=seed) for seed in range(5)}
    return ca.evaluate({"centroid": Centroid(), "nearest": Nearest()}, data, protocol="3fold", seed=0)


@result
def comparison_of_learners() -> Reportable:
    return ca.compare_learners(evaluated(), measures=["accuracy"])


@result
def comparison_over_data_sets() -> Reportable:
    rng = np.random.default_rng(0)
    level = rng.uniform(0.6, 0.9, 12)
    results = {
        name: (level + lead + rng.normal(0, 0.02, 12)).round(3)
        for name, lead in (("forest", 0.03), ("tree", 0.0), ("nearest", 0.01))
    }
    return ca.compare_datasets(results)


def trees(**rows: Any) -> ca.Evaluation:
    learners = {"tree": DecisionTreeClassifier(random_state=0), "naive Bayes": GaussianNB()}
    return ca.evaluate(learners, *noise(**rows), protocol="10x2")


def folds() -> ca.Evaluation:
    return trees()


def many_folds() -> ca.Evaluation:
    return trees(n=300)


def learners_over_folds() -> Reportable:
    return ca.compare(folds())


def balanced() -> ca.Evaluation:
    X, y = noise(shares=(0.8, 0.2))
    return ca.evaluate({"naive Bayes": GaussianNB()}, X, y, protocol="2x5", balance="upsample")


WITH_NEXT_STEPS = ("evaluation of two learners",)
CARDS = {"evaluation": cache(folds)}
NOTEBOOK_CELLS = {
    "evaluation": "ca.evaluate({'tree': DecisionTreeClassifier(random_state=0), 'bayes': GaussianNB()}, X, y, "
    "protocol='5fold')",
}
BROWSER_PAGES = (folds, learners_over_folds, balanced)
DRAWN_PAGES = ("folds", "balanced")
LARGE_PAGES = (many_folds,)

PAGES = ("--json", "a.json", "--html", "a.html", "--latex", "a.tex", "--markdown", "a.md")
FITTED = (*PAGES, "--save", "e.classay", "--times", "t.json")
"""All that a call which fits learners writes."""
LEARN = ("few.csv", "--target", "y", "--models", "naive_bayes", "--protocol", "2fold")
ORDER = ("--order", "low,mid,high")
SETS = ("long.csv", "--dataset", "set", "--model", "model", "--value", "auc", "--run", "run")
USED = {
    "compare": {
        "--dataset": ((SETS[0], *SETS[3:]), SETS[1:3]),
        "--model": ((*SETS[:3], *SETS[5:]), SETS[3:5]),
        "--value": ((*SETS[:5], *SETS[7:]), SETS[5:7]),
        "--run": (SETS[:7], SETS[7:]),
        "--fold": (SETS[:7], ("--fold", "run")),
        "--rope": ((*SETS, "--method", "bayesian"), ("--rope", "0.01")),
    },
    "evaluate": {
        "--order": (("grades.csv", "--target", "t", "--drop", "a,b", *LEARN[3:]), ORDER),
        "--target": (("few.csv",), LEARN[1:]),
        "--models": (LEARN, ("--models", "lda")),
        "--protocol": (LEARN, ("--protocol", "3fold")),
        "--cluster": (LEARN, ("--cluster", "pair")),
        "--id": (LEARN, ("--id", "q")),
        "--drop": (LEARN, ("--drop", "q")),
        "--positive": (LEARN, ("--positive", "0")),
        "--tune": ((*LEARN[:4], "tree", *LEARN[5:], "--measures", "auc"), ("--tune",)),
        "--balance": (LEARN, ("--balance", "downsample")),
        "--store": (LEARN, ("--store", "runs.db")),
        "--jobs": (LEARN, ("--jobs", "0")),
        "--seed": (LEARN, ("--seed", "1")),
        "--level": (LEARN, ("--level", "0.9")),
        "--missing": (("few_holes.csv", *LEARN[1:]), ("--missing", "drop")),
        "--measures": (LEARN, ("--measures", "auc")),
        "--json": (LEARN, FITTED),
        "--save": (LEARN, FITTED),
        "--html": (LEARN, FITTED),
        "--latex": (LEARN, FITTED),
        "--markdown": (LEARN, FITTED),
        "--times": (LEARN, FITTED),
        "--format": (("few.txt", *LEARN[1:]), ("--format", "csv")),
        "--delimiter": (("few_semi.csv", *LEARN[1:]), ("--delimiter", ";")),
    },
    "protocols": {},
    "runs": {"--times": (("fitted.classay",), ("--times", "a.json"))},
}
SAID_TWICE = (
    (
        "evaluate",
        ("few.csv", "--target", "y", "--protocol", "2fold", "--models", "naive_bayes"),
        ("--drop", "q,q"),
    ),
    ("evaluate", LEARN, ("--models", "naive_bayes,baseline,naive_bayes")),
)
BASES = {"evaluations": ("fitted.classay",), "results": SETS}
SAVED = {"fitted.classay": ("evaluate", *LEARN)}
COMPLETED = (
    ("classay proto", ["protocols"]),
    ("classay evaluate --protocol 632", ["632:200", "632+:200"]),
)
LEARNING = ("--target", "ill", "--positive", "yes", "--models", "tree", "--protocol", "2fold")
ROLES = (
    ("evaluate", LEARNING, ("--cluster", "id", "--id", "id"), 0),
    ("evaluate", LEARNING, ("--cluster", "ill"), 2),
    ("evaluate", LEARNING, ("--id", "ill"), 2),
    ("evaluate", LEARNING, ("--id", "id", "--drop", "id"), 2),
)
