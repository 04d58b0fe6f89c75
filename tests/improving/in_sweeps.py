"""Samples of the parts of a loss and of improvements, for the sweeps over all kinds of results, pages and options."""

from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.shown import Reportable
from improving import browser_pages
from learners import Centroid, Nearest, noise
from sample_results import result

PAGES = ("--json", "a.json", "--html", "a.html", "--latex", "a.tex", "--markdown", "a.md")
FITTED = (*PAGES, "--save", "e.classay", "--times", "t.json")
KEPT = (*PAGES, "--save", "d.classay")
ORDER = ("--order", "low,mid,high")
PLAIN = "sklearn.naive_bayes:GaussianNB"
"""A learner without the pipeline that makes columns ready: most of a fit of so few rows."""
HELP = (
    "few.csv", "--target", "y", "--model", PLAIN, "--protocol", "2fold", "--rounds", "3",
    "--remedies", "calibration",
)  # fmt: skip
APART = ("few.csv", "--target", "y", "--model", PLAIN, "--rounds", "4")
OVER = (*APART, "--over", "var_smoothing", "--values", "1e-9,1")


@result
def decomposition() -> Reportable:
    return ca.decompose(Nearest(), *noise(90), rounds=30)


@result
def decomposition_over_a_parameter() -> Reportable:
    return ca.decompose_over(
        KNeighborsClassifier(), *noise(90), parameter="n_neighbors", values=[1, 15], rounds=15
    )


@result
def learning_curve() -> Reportable:
    return ca.learning_curve(Centroid(), *noise(), sizes=[20, 40, 80], protocol="5x3")


@result
def improvement() -> Reportable:
    return ca.improve(Nearest(), *noise(80), rounds=10, protocol="5x3", remedies=["bagging"])


def large_improvement():
    how = {"rounds": 3, "protocol": "2x2", "remedies": ["bagging", "regularisation"]}
    return ca.improve(GaussianNB(), *noise(80, features=3), **how)


LARGE_PAGES = (large_improvement,)
BROWSER_PAGES = (
    browser_pages.decomposition,
    browser_pages.path,
    browser_pages.curve,
    browser_pages.improvement,
)
DRAWN_PAGES = ("path", "curve", "improvement")

USED = {
    "decompose": {
        "--target": (("few.csv",), APART[1:]),
        "--cluster": (APART, ("--cluster", "pair")),
        "--id": (APART, ("--id", "q")),
        "--drop": (APART, ("--drop", "q")),
        "--model": (APART, ("--model", "lda")),
        "--over": (APART, ("--over", "size", "--values", "8,20")),
        "--values": (OVER, ("--values", "1e-9,1,10")),
        "--loss": (APART, ("--loss", "squared")),
        "--rounds": (APART, ("--rounds", "5")),
        "--sampling": (APART, ("--sampling", "subsample")),
        "--size": (APART, ("--size", "0.5")),
        "--store": (APART, ("--store", "runs.db")),
        "--jobs": (APART, ("--jobs", "0")),
        "--seed": (APART, ("--seed", "1")),
        "--level": (APART, ("--level", "0.9")),
        "--missing": (("few_holes.csv", *APART[1:]), ("--missing", "drop")),
        "--json": (APART, KEPT),
        "--save": (APART, KEPT),
        "--html": (APART, KEPT),
        "--latex": (APART, KEPT),
        "--markdown": (APART, KEPT),
        "--format": (("few.txt", *APART[1:]), ("--format", "csv")),
        "--delimiter": (("few_semi.csv", *APART[1:]), ("--delimiter", ";")),
    },
    "improve": {
        "--order": (("grades.csv", "--target", "t", "--drop", "a,b", *HELP[3:]), ORDER),
        "--target": (("few.csv",), HELP[1:]),
        "--cluster": (HELP, ("--cluster", "pair")),
        "--id": (HELP, ("--id", "q")),
        "--drop": (HELP, ("--drop", "q")),
        "--positive": (HELP, ("--positive", "0")),
        "--model": (HELP, ("--model", "lda")),
        "--protocol": (HELP, ("--protocol", "3fold")),
        "--rounds": (HELP, ("--rounds", "4")),
        "--test": (HELP, ("--test", "few.csv")),
        "--remedies": (HELP, ("--remedies", "bagging")),
        "--store": (HELP, ("--store", "runs.db")),
        "--jobs": (HELP, ("--jobs", "0")),
        "--seed": (HELP, ("--seed", "1")),
        "--level": (HELP, ("--level", "0.9")),
        "--missing": (("few_holes.csv", *HELP[1:]), ("--missing", "drop")),
        "--json": (HELP, FITTED),
        "--save": (HELP, FITTED),
        "--html": (HELP, FITTED),
        "--latex": (HELP, FITTED),
        "--markdown": (HELP, FITTED),
        "--times": (HELP, FITTED),
        "--format": (("few.txt", *HELP[1:]), ("--format", "csv")),
        "--delimiter": (("few_semi.csv", *HELP[1:]), ("--delimiter", ";")),
    },
}
REFUSED = (
    ("decompose", (*APART, "--over", "var_smoothing"), "--over needs --values too"),
    ("decompose", (*APART, "--values", "1,2"), "--values needs --over too"),
    (
        "decompose",
        (*APART, "--over", "size", "--values", "8,20", "--size", "9"),
        "--size and --over size cannot be combined",
    ),
    ("decompose", (*APART, "--over", "var_smothing", "--values", "1,2"), "Did you mean 'var_smoothing'"),
    ("decompose", (*APART, "--over", "var_smoothing", "--values", "x"), "Every fit failed (4 of 4)"),
)
CARDS = {
    "decomposition": lambda: ca.decompose(DecisionTreeClassifier(max_depth=2), *noise(), rounds=5),
}
NOTEBOOK_CELLS = {
    "decomposition": "ca.decompose(DecisionTreeClassifier(random_state=0), X, y, rounds=5)",
}
