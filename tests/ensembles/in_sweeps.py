"""Samples of ensembles, for the sweeps over all kinds of results and options."""

from sklearn.ensemble import BaggingClassifier

import classay as ca
from classay.shown import Reportable
from ensembles import browser_pages
from learners import Nearest, noise
from sample_results import result

PAGES = ("--json", "a.json", "--html", "a.html", "--latex", "a.tex", "--markdown", "a.md")
GROWN = ("few.csv", "--target", "y", "--of", "bagging", "--members", "3")


@result
def ensemble() -> Reportable:
    features, labels = noise(200)
    seen = features[:120], labels[:120]
    bag = BaggingClassifier(Nearest(), n_estimators=15, random_state=0).fit(*seen)
    return ca.ensembles.assess(bag, features[120:], labels[120:], training=seen)


@result
def ensembles_of_several_kinds() -> Reportable:
    features, labels = noise(200)
    return ca.ensembles.assess_all(features, labels, of=["bagging", "boosting", "stacking"], members=15)


BROWSER_PAGES = (browser_pages.ensemble,)
DRAWN_PAGES = ("ensemble",)

USED = {
    "ensemble": {
        "--target": (("few.csv",), GROWN[1:]),
        "--id": (GROWN, ("--id", "q")),
        "--drop": (GROWN, ("--drop", "q")),
        "--of": (GROWN, ("--of", "bagging,boosting")),
        "--members": (GROWN, ("--members", "4")),
        "--test": (GROWN, ("--test", "0.5")),
        "--seed": (GROWN, ("--seed", "1")),
        "--level": (GROWN, ("--level", "0.9")),
        "--missing": (("few_holes.csv", *GROWN[1:]), ("--missing", "drop")),
        "--json": (GROWN, PAGES),
        "--html": (GROWN, PAGES),
        "--latex": (GROWN, PAGES),
        "--markdown": (GROWN, PAGES),
        "--format": (("few.txt", *GROWN[1:]), ("--format", "csv")),
        "--delimiter": (("few_semi.csv", *GROWN[1:]), ("--delimiter", ";")),
    },
}
REFUSED = (
    ("ensemble", (*GROWN[:4], "bagging,forrest"), "Did you mean 'forest'"),
    ("ensemble", (*GROWN, "--test", "3"), "must be between 0 and 1, such as 0.33, but is 3.0"),
)
