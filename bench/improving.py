"""Taking the loss of a learner apart, and improving it: the same fits as peers make, and what stands around them."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from bench.cases import case
from bench.resampling import learnable
from bench.timing import CHOSEN, CLOCKS, Figure, seconds, versus
from classay.resampling import fitting
from classay.resampling.fitting import Step

ROUNDS = 200
PROTOCOL = "10x10"


@case
def decompose() -> Iterator[Figure]:
    try:
        from mlxtend.evaluate import bias_variance_decomp
    except ImportError:
        print("decompose: SKIPPED, because mlxtend, its peer, is not installed: pip install mlxtend")
        return
    x, y = learnable(1500)
    train, test, y_train, y_test = train_test_split(x, y, test_size=1 / 3, random_state=0, stratify=y)
    tree = DecisionTreeClassifier(random_state=0)
    for loss, theirs in (("0-1", "0-1_loss"), ("squared", "mse")):

        def ours(n_jobs: int, loss: str = loss) -> None:
            d = ca.decompose(
                tree, train, y_train, test=(test, y_test), rounds=ROUNDS, loss=loss, n_jobs=n_jobs
            )
            assert d["variance"].value > 0

        def mlxtend(loss: str = theirs) -> None:
            bias_variance_decomp(
                tree, train, y_train, test, y_test, loss=loss, num_rounds=ROUNDS, random_seed=0
            )

        for jobs, wanted in ((1, "1×"), (2, "1.8×")):
            if jobs > 1 and CHOSEN[-1] == "cpu":
                print(f"decompose, {loss} loss, {jobs} workers: SKIPPED, because --clock cpu sees no worker")
                continue
            yield versus(
                f"decompose, {ROUNDS} rounds of a tree, {loss} loss, {jobs} worker{'s' if jobs > 1 else ''}",
                lambda jobs=jobs, ours=ours: ours(jobs),
                "mlxtend bias_variance_decomp",
                mlxtend,
                wanted,
                runs=3,
                peer_runs=3,
            )


@case
def improve() -> Iterator[Figure]:
    """All that improve does, against the seconds that it spends in fit, predict and predict_proba.

    Fits are timed by the clock in use: CPU seconds of the whole beside wall seconds of the fits would tell nothing.
    """
    tree = DecisionTreeClassifier(random_state=0)
    x, y, name = credit()
    spent, fitted = 0.0, 0

    def count(step: Step) -> None:
        nonlocal spent, fitted
        if not step.last.kept:
            result = step.last.result
            spent += result.fit_seconds + result.score_seconds
            fitted += 1

    clock = SimpleNamespace(perf_counter=CLOCKS[CHOSEN[-1]])
    with TemporaryDirectory() as folder, patch.object(fitting, "time", clock):
        how = {"protocol": PROTOCOL, "rounds": ROUNDS // 2, "store": f"{folder}/runs.db", "progress": count}
        total = seconds(lambda: ca.improve(tree, x, y, **how).document())
        work = f"improve, a tree, {name}, {PROTOCOL}, {fitted:,} fits"
        yield Figure(work, "the fits it makes", total, spent, "s", "0.83× (1.2 × the fits)")
        fitted = 0
        again = seconds(lambda: ca.improve(tree, x, y, **how).document())
        assert fitted == 0, "a finished fit is fitted again"
        yield Figure(
            "the same again from its store, without a fit", "the first time", again, total, "s", "more"
        )


def credit() -> tuple[np.ndarray, np.ndarray, str]:
    """German credit, where its file lies beside the repository; or as many rows."""
    for folder in Path(__file__).resolve().parents:
        path = folder / "shared" / "data" / "german_credit.csv"
        if path.exists():
            rows = pd.read_csv(path)
            y = (rows.pop("Class") == "Bad").to_numpy(int)
            return rows.to_numpy(float), y, "German credit"
    x, y = learnable(1000)
    return x, y, "1,000 × 20, as German credit is not here"
