"""Thresholds by cost: against scoring every threshold, and against the curves that a bootstrap would draw."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
from sklearn import metrics as sk

import classay as ca
from bench.cases import binary, case
from bench.timing import Figure, alone, versus
from classay.decision import cuts
from classay.decision.cuts import SumTable, least_cost_cut

COSTS = ca.Costs(fp=1, fn=5)
RESAMPLES = 2000
"""Resampled thresholds of one decision here, twice as many as it has by itself."""
TRIED = 1000
"""Thresholds that the peer scores; its time is that of all of them, in proportion."""


def least_cost(a: ca.Assessment) -> int:
    """The cut of least cost, given the table of the scores."""
    assert a.scores is not None
    return least_cost_cut(SumTable.of(a.scores), COSTS.array(a.scores.labels))


def cost_at(y: np.ndarray, score: np.ndarray, threshold: float) -> float:
    """What a scorer of scikit-learn computes at one threshold, as TunedThresholdClassifierCV asks for each."""
    (_, fp), (fn, _) = sk.confusion_matrix(y, score >= threshold)
    return -(fp + 5 * fn) / len(y)


@case
def thresholds() -> Iterator[Figure]:
    y, score = binary(10**7)
    a = ca.assess(y, score)
    yield alone("exact least-cost threshold given the table, n=1e7", lambda: least_cost(a), "≤ 0.1 s")
    y, score = binary(10**5)
    a = ca.assess(y, score)
    tried = np.unique(score)[:: 10**5 // TRIED][:TRIED]
    figure = versus(
        "exact least-cost threshold, n=1e5, every score",
        lambda: least_cost(ca.assess(y, score)),
        f"a confusion matrix a threshold, {TRIED:,} of them, × {10**5 // TRIED}",
        lambda: [cost_at(y, score, each) for each in tried],
        "1000×",
        runs=3,
        peer_runs=1,
    )
    assert figure.theirs is not None
    yield Figure(
        figure.work, figure.peer, figure.ours, figure.theirs * 10**5 / TRIED, figure.unit, figure.wanted
    )
    with mock.patch.object(cuts, "REPLICATES", RESAMPLES):
        yield versus(
            f"decision with {RESAMPLES:,} resampled thresholds, n=1e5",
            lambda: a.threshold(cost=COSTS),
            "20 × sklearn.metrics.roc_curve",
            lambda: [sk.roc_curve(y, score) for _ in range(20)],
            "1×",
            runs=3,
        )


@case
def decide_file() -> Iterator[Figure]:
    n = 10**6
    y, score = binary(n)
    amount = np.random.default_rng(1).lognormal(3, 1, n).round(2)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "payments.csv"
        pacsv.write_csv(pa.table({"y": y, "p": score, "amount": amount}), file)
        call = [sys.executable, "-m", "classay", "decide", str(file), "--truth", "y", "--score", "p"]
        call += ["--cost", "fp=3", "--cost", "fn=amount"]
        # the first run compiles the modules, as installing does, also where the environment forbids that
        environment = {name: each for name, each in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = folder
        yield alone(
            "classay decide, 1e6 rows of CSV with amounts",
            lambda: subprocess.run(call, check=True, capture_output=True, env=environment),
            "≤ 3 s",
            runs=5,
        )
