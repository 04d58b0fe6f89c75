"""The work that is measured, by name."""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn import metrics as sk

import classay as ca
from bench.timing import Figure, alone, versus
from classay.inference.bootstrap import bootstrapping
from classay.inference.draws import seed_of
from classay.measures import roc_auc
from classay.tables import ConfusionMatrix, ScoreTable

CASES: dict[str, Callable[[], Iterator[Figure]]] = {}


def case(make: Callable[[], Iterator[Figure]]) -> Callable[[], Iterator[Figure]]:
    CASES[make.__name__] = make
    return make


def binary(n: int, dtype: str = "f8", seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A truth with 30% positives and a score that is the logistic of a normal one."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(np.int64)
    return y, (1 / (1 + np.exp(-(rng.normal(size=n) + 1.5 * y - 1)))).astype(dtype)


@case
def confusion() -> Iterator[Figure]:
    rng = np.random.default_rng(0)
    n, peer = 10_000_000, "sklearn.metrics.confusion_matrix"
    y = rng.integers(0, 10, n)
    p = np.where(rng.random(n) < 0.7, y, rng.integers(0, 10, n))
    count = ConfusionMatrix.from_labels
    yield versus(
        "confusion matrix, 10 classes, 1e7 int64",
        lambda: count(y, p),
        peer,
        lambda: sk.confusion_matrix(y, p),
        "30×",
        runs=5,
        peer_runs=3,
    )
    names = np.array(["ash", "birch", "cedar", "elm", "fir", "hazel", "juniper", "larch", "maple", "oak"])
    objects = names.astype(object)
    yo, po = objects[y], objects[p]
    peer_call = lambda: sk.confusion_matrix(yo, po)  # noqa: E731
    yield versus("… NumPy object strings", lambda: count(yo, po), peer, peer_call, "20×", runs=3, peer_runs=1)
    yu, pu = names[y], names[p]
    yield versus(
        "… NumPy fixed-width strings",
        lambda: count(yu, pu),
        peer,
        lambda: sk.confusion_matrix(yu, pu),
        "30×",
        runs=3,
        peer_runs=1,
    )
    note = "the peer gets the object array, its conversion not counted"
    ya, pa_ = pa.array(yo), pa.array(po)
    yield versus(
        "… Arrow strings", lambda: count(ya, pa_), peer, peer_call, "100×", runs=3, peer_runs=1, note=note
    )
    yd, pd = ya.dictionary_encode(), pa_.dictionary_encode()
    yield versus(
        "… Arrow dictionaries", lambda: count(yd, pd), peer, peer_call, "100×", runs=3, peer_runs=1, note=note
    )


@case
def auc() -> Iterator[Figure]:
    for n, dtype, wanted in (
        (10**6, "f8", "22×"),
        (10**6, "f4", "27×"),
        (10**7, "f8", "38×"),
        (10**7, "f4", "50×"),
    ):
        y, s = binary(n, dtype)
        positive = y == 1
        call = lambda s=s, positive=positive: roc_auc(ScoreTable.from_rows(s, positive))  # noqa: E731
        work = f"exact AUC, {n:.0e} {dtype}".replace("e+0", "e")
        yield versus(
            work, call, "sklearn roc_auc_score", lambda y=y, s=s: sk.roc_auc_score(y, s), wanted, peer_runs=3
        )
        yield versus(
            work,
            call,
            "numpy.sort of the scores",
            lambda s=s: np.sort(s),
            "0.4× (at most 2.5 sorts)",
        )


def everything(y: np.ndarray, s: np.ndarray, w: np.ndarray | None = None) -> None:
    """What scikit-learn says of scores, without intervals."""
    sk.roc_auc_score(y, s, sample_weight=w)
    sk.average_precision_score(y, s, sample_weight=w)
    sk.log_loss(y, s, sample_weight=w)
    sk.brier_score_loss(y, s, sample_weight=w)
    sk.classification_report(y, s >= 0.5, sample_weight=w)


FIRST_NEEDS = ("counts", "margins", "matrix")
OF_SCORES = (
    "roc_auc",
    "gini",
    "average_precision",
    "kolmogorov_smirnov",
    "partial_roc_auc",
    "standardized_partial_roc_auc",
    "log_loss",
    "log_loss_skill",
    "brier_score",
    "brier_skill",
)
"""Ranking and proper scores: with all measures of labels, more than what scikit-learn is asked for beside them."""


def wanted(a: ca.Assessment) -> list[str]:
    return [*(each.name for each in a.applicable() if each.needs in FIRST_NEEDS), *OF_SCORES]


def of_labels_and_scores(y: np.ndarray, s: np.ndarray, **how: np.ndarray) -> None:
    a = ca.assess(y, s, **how)
    a.estimates(wanted(a))


@case
def assess() -> Iterator[Figure]:
    y, s = binary(10**7)
    peer = "sklearn: AUC + AP + log-loss + Brier + report"
    yield versus(
        "assess 1e7 scores: labels, ranking, proper scores",
        lambda: of_labels_and_scores(y, s),
        peer,
        lambda: everything(y, s),
        "25×",
        runs=3,
        peer_runs=1,
    )
    yield versus(
        "… and calibration, hull, H-measure, AURC",
        lambda: ca.assess(y, s).estimates(),
        peer,
        lambda: everything(y, s),
        "15×",
        runs=3,
        peer_runs=1,
    )
    w = np.random.default_rng(1).random(10**7)
    yield versus(
        "… with float weights",
        lambda: of_labels_and_scores(y, s, weight=w),
        peer,
        lambda: everything(y, s, w),
        "5×",
        runs=3,
        peer_runs=1,
    )


FRESH_CALL = """
import numpy as np, time
rng = np.random.default_rng(0)
y = (rng.random(1000) < 0.3).astype(int); s = rng.random(1000)
start = time.perf_counter()
import classay
classay.assess(y, s).estimates()
print(time.perf_counter() - start)
"""

MEMORY = """
import resource, numpy as np, classay
from bench.cases import binary
y, s = binary({n})
warm = classay.assess(*binary(200_000)).estimates()  # code compiled and loaded, not counted
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
open("/proc/self/clear_refs", "w").write("5")  # forget the peak of making the inputs
held = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
classay.assess(y, s).estimates()
high = [line for line in open("/proc/self/status") if line.startswith("VmHWM")][0]
print(int(high.split()[1]) * 1024 - held)
"""


@case
def small() -> Iterator[Figure]:
    y, s = binary(1000)
    yield alone("assess 1,000 rows, second call", lambda: ca.assess(y, s).estimates(), "0.020 s", runs=21)
    firsts = sorted(float(_python(FRESH_CALL)) for _ in range(5))
    yield Figure("assess 1,000 rows, first call in a fresh process", "–", firsts[2], None, "s", "0.400 s")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "predictions.csv"
        file.write_text("y,p\n" + "".join(f"{a},{b}\n" for a, b in zip(y, s, strict=True)))
        command = [sys.executable, "-m", "classay", "assess", str(file), "--truth", "y", "--score", "p"]
        run = lambda: subprocess.run(command, check=True, capture_output=True)  # noqa: E731
        yield alone("the command on 1,000 rows, warm cache", run, "1.000 s", runs=5)


@case
def memory() -> Iterator[Figure]:
    n = 10**7
    used = float(_python(MEMORY.format(n=n)))
    yield Figure(
        "memory of assess, 1e7 rows, beyond its inputs", "–", used / n, None, "bytes/row", "40 bytes/row"
    )


def _python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def bootstrap_replicates(
    table: Any, statistics: Any, *, replicates: int = 2000, seed: int = 0, threads: int | None = None
) -> Any:
    """The statistics of every resample of a bootstrap, `[statistic, replicate]`, which `assess` sums up at once."""
    values, number = np.empty((len(statistics), replicates)), seed_of(seed)
    for places, sample in bootstrapping._samples(table, statistics):
        values[places] = sample.replicates(replicates, bootstrapping._stream(number), threads)
    return values
