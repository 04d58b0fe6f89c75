"""Planted causes: how often `improve` names what an expert would say of learners that err for a known reason.

    python -m bench.planted_causes [--seeds 20] [--of NAMES] [--store FILE] [--jobs 1]

Seeds from 3000 on served to choose nothing: rules were tried out on seeds below 100. The shapes are known since the
first table (seeds from 1000 on). What is in the store is not run again, so that a run goes on where it was stopped.
`--table` writes the table of docs/evidence/learners.md anew from what the store holds.
"""

import argparse
import json
import re
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn import config_context
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import classay as ca

FIRST_SEED, SEEDS = 3000, 20
HOW = {"rounds": 20, "protocol": "3x5"}
DOCS = Path(__file__).parents[1] / "docs"
MARK = "<!-- planted causes -->"
Made = tuple[Any, Any, Any, dict[str, Any]]
Rng = np.random.Generator


@dataclass(frozen=True)
class Planted:
    """A learner and cases that err for a known reason: what is right to name, with which remedy, and what may be.

    `right` are names of causes of which one must be named ("leak" for what leads as one, "nothing" for silence);
    `remedy` must then be the advised one, where it says any; `allowed` may be named beside it, because it is true:
    votes of nine neighbours among useless columns are no probabilities (where 33% are said, 7% are true).
    """

    title: str
    make: Callable[[Rng], Made]
    right: tuple[str, ...]
    remedy: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ("noise",)


ROWS: dict[str, Planted] = {}


def planted(title: str, right: str, remedy: str = "", allowed: str = "noise") -> Callable[[Any], Any]:
    def register(make: Callable[[Rng], Made]) -> Callable[[Rng], Made]:
        ROWS[make.__name__] = Planted(
            title, make, *(tuple(filter(None, each.split(", "))) for each in (right, remedy, allowed))
        )
        return make

    return register


def classes_apart(rng: Rng, n: int, features: int, apart: float, share: float = 0.5) -> tuple[Any, Any]:
    """Two Gaussian classes of one covariance, the means so many standard deviations apart; `share` are of class 1."""
    y = rng.permutation((np.arange(n) < share * n).astype(int))
    way = rng.normal(size=features)
    return rng.normal(size=(n, features)) + apart * y[:, None] * way / np.linalg.norm(way), y


def size(rng: Rng, low: int, high: int) -> int:
    return int(rng.integers(low, high))


def decade(rng: Rng, low: float, high: float) -> float:
    return float(10 ** rng.uniform(low, high))


# --- the columns


@planted("k-NN, some columns ×300 to ×3,000", "scale", "scaling")
def neighbours_unscaled(rng):
    X, y = classes_apart(rng, size(rng, 220, 420), size(rng, 4, 9), 2.6)
    useless = rng.normal(size=(len(y), 1))
    return KNeighborsClassifier(size(rng, 3, 12)), np.c_[X, useless * decade(rng, 2.5, 3.5)], y, {}


@planted("SVC, some columns ×300 to ×3,000", "scale", "scaling")
def kernel_unscaled(rng):
    X, y = classes_apart(rng, size(rng, 220, 420), size(rng, 4, 9), 2.6)
    X = np.c_[X, rng.normal(size=(len(y), 2)) * decade(rng, 2.5, 3.5)]
    return SVC(), X, y, {}


@planted("k-NN, 80 to 140 useless columns", "irrelevant_features", "selection", "noise, miscalibration")
def neighbours_lost(rng):
    X, y = classes_apart(rng, size(rng, 200, 300), 2, 3.2)
    useless = rng.normal(size=(len(y), size(rng, 80, 141)))
    return KNeighborsClassifier(size(rng, 3, 12)), np.c_[useless[:, :9], X, useless[:, 9:]], y, {}


@planted("naive Bayes or k-NN, a code (−999, …) for missing values", "missing_codes", "missing_values")
def codes_of_missing(rng):
    X, y = classes_apart(rng, size(rng, 260, 420), size(rng, 3, 6), 3.0)
    X = 2.0 * X + 5
    X[rng.random(X.shape) < 0.12] = float(rng.choice([-999, -99, 9999]))
    return (GaussianNB() if rng.random() < 0.5 else KNeighborsClassifier(7)), X, y, {}


@planted("logistic regression, a category as a number", "categories", "encoding")
def category_as_number(rng):
    n, k = size(rng, 300, 450), size(rng, 6, 11)
    code = rng.integers(0, k, n)
    effect = rng.permutation(np.linspace(-2.5, 2.5, k))
    effect = (
        effect if abs(np.corrcoef(effect, np.arange(k))[0, 1]) < 0.5 else effect[np.argsort(np.arange(k) % 2)]
    )
    X = rng.normal(size=(n, 3))
    y = (rng.random(n) < expit(2.0 * effect[code] + X[:, 0])).astype(int)
    return LogisticRegression(), np.c_[X, code], y, {}


# --- the settings


@planted("logistic regression, C = 1e-7 to 1e-5", "bias", "flexibility")
def logistic_held(rng):
    n = size(rng, 260, 420)
    X, y = classes_apart(
        rng, n, size(rng, 4, 10), 2.6, share=0.65
    )  # of unlike size, so that the intercept rules
    return make_pipeline(StandardScaler(), LogisticRegression(C=decade(rng, -7, -5))), X, y, {}


@planted("RidgeClassifier, alpha = 1e5 to 1e7", "bias", "flexibility")
def ridge_held(rng):
    n = size(rng, 260, 420)
    X, y = classes_apart(rng, n, size(rng, 4, 10), 3.0, share=0.7)
    return RidgeClassifier(alpha=decade(rng, 5, 7)), X, y, {}


@planted("SVC, gamma = 1e-7 to 1e-5", "bias", "flexibility")
def kernel_too_wide(rng):
    n = size(rng, 260, 420)
    X = rng.normal(size=(n, 3))
    y = ((X**2).sum(1) > 2.4).astype(int)
    return SVC(gamma=decade(rng, -7, -5)), X, y, {}


@planted("SVC, gamma = 30 to 300", "variance", "regularisation")
def kernel_too_narrow(rng):
    X, y = classes_apart(rng, size(rng, 260, 420), size(rng, 3, 6), 2.8)
    return SVC(gamma=decade(rng, 1.5, 2.5)), X, y, {}


@planted("LDA, shrinkage of 1 on correlated features", "bias", "flexibility")
def shrunken(rng):
    n = size(rng, 300, 450)
    y = rng.permutation(np.arange(n) % 2)
    common = rng.normal(size=(n, 1)) * 3
    X = rng.normal(size=(n, 4)) + common + np.array([2.2, -0.6, 0.4, 0]) * y[:, None]
    return LinearDiscriminantAnalysis(solver="lsqr", shrinkage=1.0), X, y, {}


@planted("tree, min_samples_leaf = .15 to .3 (a share)", "bias", "flexibility")
def leaves_of_a_share(rng):
    n = size(rng, 300, 450)
    X = rng.uniform(-1, 1, (n, 3))
    y = (np.floor(X[:, 0] * 3).astype(int) % 2 ^ (X[:, 1] > 0)).astype(int)
    return DecisionTreeClassifier(min_samples_leaf=float(rng.uniform(0.15, 0.3))), X, y, {}


# --- noise, labels, and nothing


@planted("random forest, linear truth, noise 80% of its error", "noise", allowed="miscalibration")
def forest_on_its_floor(rng):
    n, p = size(rng, 700, 900), size(rng, 4, 8)
    X = rng.normal(size=(n, p))
    y = (rng.random(n) < expit(3.0 * X.sum(1) / np.sqrt(p))).astype(int)
    return RandomForestClassifier(60), X, y, {}


@planted("LDA, Bayes-optimal: classes overlap", "noise, nothing", allowed="")
def overlap(rng):
    X, y = classes_apart(rng, size(rng, 500, 800), size(rng, 2, 6), rng.uniform(1.2, 2.2))
    return LinearDiscriminantAnalysis(), X, y, {}


@planted("naive Bayes, its own model: nothing wrong", "noise, nothing", allowed="")
def nothing_wrong(rng):
    n = size(rng, 220, 400)
    y = rng.permutation(np.arange(n) % 3)
    X = rng.normal(size=(n, 3)) * [1, 1.5, 0.7] + 1.9 * np.eye(3)[y]
    return GaussianNB(), X, y, {}


@planted("logistic regression, its own model: nothing wrong", "noise, nothing", allowed="")
def nothing_wrong_linear(rng):
    n = size(rng, 250, 450)
    X = rng.normal(size=(n, size(rng, 3, 7)))
    y = (rng.random(n) < expit(X @ rng.normal(size=X.shape[1]) * 1.5 + 0.3)).astype(int)
    return LogisticRegression(), X, y, {}


@planted("labels of one class flipped, 12 to 20%", "labels", allowed="noise, miscalibration")
def labels_flipped(rng):
    X, y = classes_apart(rng, size(rng, 350, 550), size(rng, 3, 7), 4.0)
    of = int(rng.integers(2))
    wrong = (y == of) & (rng.random(y.size) < rng.uniform(0.12, 0.2))
    return LogisticRegression(), X, np.where(wrong, 1 - y, y), {}


# --- cases


@planted("rare class, 4 to 6%", "imbalance", allowed="noise")
def rare_class(rng):
    n = size(rng, 800, 1000)
    y = (rng.permutation(n) < n * rng.uniform(0.04, 0.06)).astype(int)
    return LogisticRegression(), rng.normal(size=(n, 4)) + 0.85 * y[:, None], y, {}


@planted("too few cases: 150 to 220 of 50 to 70 features", "few_cases, variance", allowed="noise")
def too_few(rng):
    n, p = size(rng, 150, 220), size(rng, 50, 71)
    X = rng.normal(size=(n, p))
    return LogisticRegression(C=1e4, max_iter=2000), X, (X @ rng.choice([-1, 1], p) > 0).astype(int), {}


@planted("a feature that gives the target away", "leak", allowed="")
def target_leak(rng):
    n = size(rng, 200, 400)
    y = rng.permutation(np.arange(n) % 2)
    X = np.c_[rng.normal(size=(n, 4)), np.where(y == 1, rng.uniform(3, 4, n), rng.uniform(0, 2, n))]
    return RandomForestClassifier(30), X, y, {}


@planted("a third of the rows twice or more", "leak", allowed="")
def duplicated(rng):
    X, y = classes_apart(rng, size(rng, 150, 250), 4, 0.8)
    again = rng.integers(0, len(y), len(y) // 2)
    return KNeighborsClassifier(1), np.r_[X, X[again]], np.r_[y, y[again]], {}


@planted("drift between training and test", "drift", allowed="noise")
def drifted(rng):
    X, y = classes_apart(rng, size(rng, 250, 400), 4, 2.8)
    new, labels = X[:150].copy(), y[:150]
    rest, target = X[150:], y[150:]
    rest = np.r_[rest, rest + rng.normal(size=rest.shape) * 0.5]
    target = np.r_[target, target]
    # towards one of the classes: a shift along the boundary would harm no prediction
    way = (X[y == 1].mean(0) - X[y == 0].mean(0)) * rng.choice([-1, 1])
    return LogisticRegression(), rest, target, {"test": (new + 2.0 * way / np.linalg.norm(way), labels)}


@planted("new cases without drift: nothing wrong", "noise, nothing", allowed="")
def not_drifted(rng):
    X, y = classes_apart(rng, size(rng, 420, 600), 4, 2.0)
    return LogisticRegression(), X[150:], y[150:], {"test": (X[:150], y[:150])}


# --- real data of which the remedy is known


def shuffled_columns(rng: Rng, X: Any, more: int) -> Any:
    """Copies of columns, each in an order of its own: they look as real as the others, and tell nothing."""
    return np.column_stack([X, *(rng.permutation(X[:, k]) for k in rng.integers(0, X.shape[1], more))])


def some(rng: Rng, X: Any, y: Any, n: int) -> tuple[Any, Any]:
    """So many of the rows."""
    rows = rng.permutation(len(y))[:n]
    return X[rows], y[rows]


@planted("wine, k-NN on the columns as they are", "scale", "scaling", "noise, irrelevant_features")
def wine_unscaled(rng):
    X, y = load_wine(return_X_y=True)
    return KNeighborsClassifier(size(rng, 3, 10)), *some(rng, X, y, 150), {}


@planted(
    "breast cancer, 6 columns and 120 shuffled ones, scaled, k-NN",
    "irrelevant_features",
    "selection",
    "noise, miscalibration",
)
def cancer_shuffled(rng):
    X, y = some(rng, *load_breast_cancer(return_X_y=True), 260)
    X = shuffled_columns(rng, X[:, [0, 1, 4, 6, 8, 20]], 120)
    return KNeighborsClassifier(5), (X - X.mean(0)) / X.std(0), y, {}


@planted("digits 3 and 8, logistic regression, C = 1e-6", "bias", "flexibility", "noise")
def digits_held(rng):
    X, y = load_digits(return_X_y=True)
    kept = (y == 3) | ((y == 8) & (rng.random(y.size) < 0.5))
    return LogisticRegression(C=1e-6), X[kept] / 16, y[kept], {}


@planted("German credit, k-NN, columns as they are", "scale", "scaling", "noise, imbalance, miscalibration")
def credit_unscaled(rng):
    X, y, _ = credit()
    return KNeighborsClassifier(9), *some(rng, X, y, 600), {}


@planted("digits, 60 cases, the others dropped", "few_cases, variance", allowed="noise")
def digits_dropped(rng):
    X, y = load_digits(return_X_y=True)
    kept = np.isin(y, (1, 7, 8, 9))
    return DecisionTreeClassifier(), *some(rng, X[kept] / 16, y[kept], 60), {}


def credit() -> Any:
    from bench.improving import credit

    return credit()


# --- running and judging


def named(name: str, seed: int) -> tuple[list[str], str, float]:
    """The causes that are named, the remedy that is advised, and the seconds of the processor it took."""
    learner, X, y, more = ROWS[name].make(np.random.default_rng([seed, *map(ord, name)]))
    start = time.process_time()
    with (
        warnings.catch_warnings(),
        threadpool_limits(1),
        config_context(assume_finite=True, skip_parameter_validation=True),
    ):
        warnings.simplefilter("ignore")
        i = ca.improve(learner, X, y, seed=seed, **HOW, **more)
        causes = ["leak"] if i.leaks else [each.name for each in i.causes]
    return causes, "" if i.best is None else i.best.name, time.process_time() - start


def judged(row: Planted, causes: list[str], remedy: str) -> tuple[bool, bool]:
    """Whether the planted cause is named, with its remedy, and whether something that is not true is."""
    is_right = any(each in causes for each in row.right) or ("nothing" in row.right and not causes)
    if row.remedy and remedy not in row.remedy:
        is_right = False
    is_wrong = bool({*causes} - {*row.right, *row.allowed})
    if causes == ["noise"] and not is_right:  # where something could be done about it
        is_wrong = True
    return is_right and not is_wrong, is_wrong


def counts(name: str, found: Iterable[tuple[list[str], str, float]]) -> tuple[int, int, int]:
    each = [judged(ROWS[name], causes, remedy) for causes, remedy, _ in found]
    right, wrong = sum(a for a, _ in each), sum(b for _, b in each)
    return right, wrong, len(each) - right - wrong


def stored(path: Path | None) -> dict[tuple[str, int], tuple[list[str], str, float]]:
    lines = path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else []
    return {
        (name, seed): (causes, remedy, spent) for name, seed, causes, remedy, spent in map(json.loads, lines)
    }


def table(known: dict[tuple[str, int], Any]) -> str:
    lines = [
        "| planted | should be named | seeds | rightly | wrongly | not |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, row in ROWS.items():
        found = [each for (of, _), each in known.items() if of == name]
        if found:
            should = " or ".join(each.replace("_", " ") for each in row.right)
            should += f" (`{', '.join(row.remedy)}`)" if row.remedy else ""
            lines.append(
                f"| {row.title} | {should} | {len(found)} | {' | '.join(map(str, counts(name, found)))} |"
            )
    total = np.sum([counts(name, [v for (of, _), v in known.items() if of == name]) for name in ROWS], axis=0)
    lines.append(
        f"| **all** | | {int(total.sum())} | {' | '.join(f'**{each}**' for each in total.tolist())} |"
    )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", type=Path, help="keep what is found in this file, and go on from there")
    parser.add_argument("--seeds", type=int, default=SEEDS, help=f"data sets of each (default: {SEEDS})")
    parser.add_argument(
        "--first", type=int, default=FIRST_SEED, help=f"the first seed (default: {FIRST_SEED})"
    )
    parser.add_argument(
        "--of", nargs="+", choices=ROWS, default=[*ROWS], help="the rows, the first ones first"
    )
    parser.add_argument(
        "--table",
        action="store_true",
        help="write the table of docs/evidence/learners.md anew, and run nothing",
    )
    parser.add_argument(
        "--minutes", type=float, default=25, help="minutes of the processor after which it stops"
    )
    chosen = parser.parse_args()
    known = stored(chosen.store)
    spent = 0.0
    for seed in range(chosen.first, chosen.first + (0 if chosen.table else chosen.seeds)):
        for name in chosen.of:  # all rows have a seed before the next
            if (name, seed) in known or spent > 60 * chosen.minutes:
                continue
            known[name, seed] = found = named(name, seed)
            spent += found[2]
            print(name, seed, *found, *judged(ROWS[name], *found[:2]), flush=True)
            if chosen.store is not None:
                with chosen.store.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([name, seed, *found]) + "\n")
    print(table(known))
    if chosen.table:
        page = DOCS / "evidence" / "learners.md"
        text = page.read_text(encoding="utf-8")
        new = f"{MARK}\n\n{table(known)}\n\n{MARK}"
        page.write_text(re.sub(f"{MARK}.*{MARK}", lambda _: new, text, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    main()
