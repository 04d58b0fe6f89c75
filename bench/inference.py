"""Bootstrap, DeLong and CORP, each from what a user holds: rows, or the table that was made of them once."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy import stats
from sklearn import metrics as sk
from sklearn.isotonic import IsotonicRegression

from bench.cases import binary, bootstrap_replicates, case
from bench.timing import Figure, alone, peer_of, seconds, versus, without_peer
from classay.curves.of_scores import fit_of
from classay.inference.intervals import estimate
from classay.inference.scores.calibration import consistency_band
from classay.measures import accuracy, average_precision, get, matthews_correlation, roc_auc
from classay.tables import ConfusionMatrix, ScoreTable


def by_scipy(statistics: list, data: tuple, replicates: int, timed: int) -> float:
    """Seconds that scipy.stats.bootstrap takes for so many replicates, scaled from the few that are timed."""

    def run() -> None:
        for statistic in statistics:
            stats.bootstrap(
                data, statistic, n_resamples=timed, method="percentile", paired=True, vectorized=False, rng=0
            )

    return seconds(run) * replicates / timed


def scaled(
    work: str, ours: partial, statistics: list, data: tuple, replicates: int, timed: int, wanted: str
) -> Figure:
    mine = alone(work, ours, wanted, runs=5).ours
    note = f"the peer timed for {timed} replicates of each and scaled to {replicates:,}"
    theirs = by_scipy(statistics, data, replicates, timed)
    return Figure(work, "scipy.stats.bootstrap over scikit-learn", mine, theirs, "s", wanted, note)


@case
def bootstrap_labels() -> Iterator[Figure]:
    ours = [get("macro_f1"), matthews_correlation, accuracy]
    theirs = [
        lambda t, p: sk.f1_score(t, p, average="macro"),
        sk.matthews_corrcoef,
        sk.accuracy_score,
    ]
    rng = np.random.default_rng(0)
    for classes, wanted in ((2, "300,000×"), (10, "30,000×")):
        for n in (10**4, 10**6):
            y = rng.integers(0, classes, n)
            p = np.where(rng.random(n) < 0.8, y, rng.integers(0, classes, n))
            matrix = ConfusionMatrix.from_labels(y, p)
            call = partial(bootstrap_replicates, matrix, ours, replicates=10_000)
            work = f"10,000 bootstraps of macro-F1, MCC, accuracy, k={classes}, n={n:.0e}".replace("e+0", "e")
            if n == 10**6:
                yield scaled(work, call, theirs, (y, p), 10_000, 3, wanted)
            else:
                yield alone(work, call, "as long as with n=1e6")


@case
def bootstrap_scores() -> Iterator[Figure]:
    for n, timed, wanted in ((10**4, 100, "200×"), (10**5, 20, "300×"), (10**6, 3, "350×")):
        y, s = binary(n)
        table = ScoreTable.from_rows(s, y == 1)
        call = partial(bootstrap_replicates, table, [roc_auc, average_precision], replicates=1000)
        work = f"1,000 bootstraps of AUC and AP together, n={n:.0e}".replace("e+0", "e")
        yield scaled(work, call, [sk.roc_auc_score, sk.average_precision_score], (y, s), 1000, timed, wanted)


@case
def delong() -> Iterator[Figure]:
    y, s = binary(10**6)
    work, peer = "AUC with its DeLong interval, n=1e6, from rows", "confidenceinterval.roc_auc_score"
    ours = lambda: estimate(roc_auc, ScoreTable.from_rows(s, y == 1))  # noqa: E731
    theirs = peer_of("confidenceinterval")
    if theirs is None:
        yield without_peer(work, ours, peer, "20×")
        return
    yield versus(work, ours, peer, lambda: theirs.roc_auc_score(y, s), "20×", peer_runs=3)


@case
def corp() -> Iterator[Figure]:
    y, s = binary(10**6)
    table = ScoreTable.from_rows(s, y == 1)
    peer = lambda: IsotonicRegression(y_min=0, y_max=1).fit(s, y)  # noqa: E731
    yield versus(
        "CORP, the isotonic fit from rows, n=1e6",
        lambda: fit_of(ScoreTable.from_rows(s, y == 1)),
        "sklearn.isotonic.IsotonicRegression",
        peer,
        "1×",
    )
    yield versus(
        "… its consistency band, at most 20 fits",
        lambda: consistency_band(table),
        "sklearn.isotonic.IsotonicRegression",
        peer,
        "0.05×",
        runs=3,
    )
