"""Evaluating learners against scikit-learn and mlxtend: the same fits, and what stands around them."""

from collections.abc import Iterator

import numpy as np
from sklearn.model_selection import LeaveOneOut, RepeatedStratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from bench.cases import case
from bench.timing import CHOSEN, Figure, seconds, versus

FIVE = ["accuracy", "f1", "roc_auc", "neg_log_loss", "neg_brier_score"]
TEN = [*FIVE, "average_precision", "precision", "recall", "balanced_accuracy", "matthews_corrcoef"]
OURS = {"neg_log_loss": "log_loss", "neg_brier_score": "brier_score", "matthews_corrcoef": "mcc"}


def learnable(n: int, features: int = 20) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.3).astype(np.int64)
    x = rng.normal(size=(n, features))
    x[:, :5] += 0.5 * y[:, None]
    return x, y


class Slow(GaussianNB):
    """Naive Bayes that takes 10 ms to fit."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> "Slow":
        import time

        start = time.perf_counter()
        super().fit(X, y)
        while time.perf_counter() < start + 0.010:
            pass
        return self


@case
def evaluating() -> Iterator[Figure]:
    x, y = learnable(1000)
    splitter = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    for scorers, wanted in ((FIVE, "0.95×"), (TEN, "1×")):
        names = [OURS.get(name, name) for name in scorers]

        def ours(names: list[str] = names) -> None:
            assert ca.evaluate(Slow(), x, y, protocol=splitter, measures=names).estimates.num_rows

        def theirs(scorers: list[str] = scorers) -> None:
            cross_validate(Slow(), x, y, cv=splitter, scoring=scorers)

        work = f"100 fits of 10 ms, {len(scorers)} measures, with training, baseline"
        peer = "cross_validate, no training scores"
        yield versus(work, ours, peer, theirs, wanted)


@case
def leaving_one_out() -> Iterator[Figure]:
    x, y = learnable(2000)
    yield versus(
        "leave-one-out, 2,000 rows, naive Bayes",
        lambda: ca.evaluate(GaussianNB(), x, y, protocol="loo", measures=["accuracy"])["accuracy"],
        "cross_validate(cv=LeaveOneOut())",
        lambda: cross_validate(GaussianNB(), x, y, cv=LeaveOneOut(), scoring="accuracy"),
        "1×",
        runs=3,
    )


@case
def two_workers() -> Iterator[Figure]:
    if CHOSEN[-1] == "cpu":
        print("two workers: SKIPPED, because --clock cpu sees no worker")
        return
    x, y = learnable(5000)
    tree = DecisionTreeClassifier(random_state=0)

    def run(n_jobs: int) -> None:
        ca.evaluate(tree, x, y, protocol="10x10", n_jobs=n_jobs)

    yield versus(
        "10x10 of a tree, 5,000 rows, two workers",
        lambda: run(2),
        "one worker",
        lambda: run(1),
        "1.8×",
        runs=3,
    )


@case
def plus632() -> Iterator[Figure]:
    from mlxtend.evaluate import bootstrap_point632_score

    times = []
    for n in (2000, 20_000):
        x, y = learnable(n)

        def ours(x: np.ndarray = x, y: np.ndarray = y) -> None:
            assert ca.evaluate(GaussianNB(), x, y, protocol="632+:10", measures=["accuracy"])[
                "accuracy"
            ].value

        if n == 2000:
            yield versus(
                "632+:10 of naive Bayes, 2,000 rows",
                ours,
                "mlxtend bootstrap_point632_score",
                lambda x=x, y=y: bootstrap_point632_score(
                    GaussianNB(), x, y, n_splits=10, method=".632+", random_seed=0
                ),
                "2×",
                runs=3,
            )
        ours()
        times.append(min(seconds(ours) for _ in range(5)))
    note = "ten times the rows; linear is 10, and less where the fits' own overhead is left behind"
    yield Figure("632+:10 at 20,000 rows over 2,000", "–", times[1] / times[0], None, "times", "≤ 10", note)
