"""How cost grows: each work at three sizes, next to its peer, and the exponent of its growth.

The exponent is the slope of log seconds on log size, of class scores at a fixed number of scores on log classes. On a
busy machine, `--clock cpu` measures what grows as the work does; what two cores share then counts twice.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from sklearn import metrics as sk

import classay as ca
from bench.cases import binary, bootstrap_replicates, case, everything
from bench.inference import by_scipy
from bench.timing import Figure, seconds
from classay.measures import average_precision, roc_auc
from classay.tables import ConfusionMatrix, ScoreTable

Call = Callable[[], Any]
ROWS, CLASSES = "n^1.1", "k^1.2"
GROUPS_TIMED = 2
"""For so many of the groups the peer's calls are timed."""


@dataclass(frozen=True)
class Row:
    """A work at several sizes: `make` gives ours and the peer's call, or None, for a size.

    `sizes` are what it grows with, named by `letter`; `wanted` is the ratio asked for at the last of them, `growth` the
    exponent that it should not exceed; `whole` says how many times the peer's call the whole work is, at a size.
    """

    work: str
    sizes: Sequence[int]
    make: Callable[[int], tuple[Call, Call | None]]
    peer: str
    wanted: str
    growth: str = ROWS
    letter: str = "n"
    whole: Callable[[int], float] = lambda size: 1.0

    def figures(self) -> Iterator[Figure]:
        """A figure for each size, and one for the exponent."""
        taken = []
        for size in self.sizes:
            ours, theirs = self.make(size)
            ours()  # compiles
            mine = min(seconds(ours) for _ in range(2))
            other = None if theirs is None else seconds(theirs) * self.whole(size)
            taken.append(mine)
            yield Figure(f"{self.work}, {self.letter}={size:,}", self.peer, mine, other, "s", self.wanted)
        slope = exponent(self.sizes, taken)
        yield Figure(f"… exponent of growth in {self.letter}", "–", slope, None, "", f"at most {self.growth}")


def exponent(sizes: Sequence[int], taken: Sequence[float]) -> float:
    """The slope of log seconds on log size by least squares.

    >>> round(exponent([10, 100, 1000], [1, 2, 4]), 4)
    0.301
    """
    x, y = np.log(sizes), np.log(taken)
    return float(((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum())


def class_rows(n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """A truth of k classes and their probabilities, which favour it."""
    rng = np.random.default_rng(0)
    y, z = rng.integers(0, k, n), rng.normal(size=(n, k))
    y[:k] = np.arange(k)
    z[np.arange(n), y] += 1.5
    np.exp(z, out=z)
    return y, z / z.sum(1, keepdims=True)


def several(y: np.ndarray, p: np.ndarray, averages: Sequence[str]) -> None:
    """What scikit-learn says of class scores, without intervals."""
    for average in averages:
        sk.roc_auc_score(y, p, multi_class=average)
    sk.log_loss(y, p)
    sk.classification_report(y, p.argmax(1), zero_division=0)


def _by_rows(n: int) -> tuple[Call, Call]:
    y, p = class_rows(n, 10)
    return lambda: ca.assess(y, p).estimates(), lambda: several(y, p, ("ovr", "ovo"))


def _by_classes(k: int) -> tuple[Call, Call | None]:
    y, p = class_rows(5_000_000 // k, k)
    peer = None if k > 100 else lambda: several(y, p, ("ovr",))
    return lambda: ca.assess(y, p).estimates(), peer


def _hand_till(k: int) -> tuple[Call, Call | None]:
    y, p = class_rows(5_000_000 // k, k)
    a = ca.assess(y, p)

    def ours() -> None:
        table = a.class_scores  # a copy, of which nothing is known yet
        ca.measures.hand_till_auc(replace(table, rows=replace(table.rows)))

    return ours, None if k > 10 else lambda: sk.roc_auc_score(y, p, multi_class="ovo")


def _per_class(k: int) -> tuple[Call, Call]:
    y, p = class_rows(2_000_000 // k, k)

    def theirs() -> None:
        several(y, p, ("ovr",))
        for c in range(k):
            sk.roc_auc_score(y == c, p[:, c])

    return lambda: ca.assess(y, p).class_estimates(), theirs


def _tags(n: int, tags: int = 100) -> tuple[Call, Call]:
    """Several labels a case, some ten of a hundred of them true."""
    rng = np.random.default_rng(0)
    s = rng.random((n, tags), dtype=np.float32) ** 6
    y = rng.random((n, tags), dtype=np.float32) < 0.01 + 0.6 * s

    def theirs() -> None:
        for average in ("macro", "micro"):
            sk.roc_auc_score(y, s, average=average)
            sk.average_precision_score(y, s, average=average)

    return lambda: ca.assess(y, s).estimates(), theirs


def _sparse_tags(n: int, tags: int = 5000) -> tuple[Call, None]:
    """Twenty scores a case; all others are absent, and 0."""
    rng = np.random.default_rng(0)
    places = rng.integers(0, n, 20 * n), rng.integers(0, tags, 20 * n)
    s = coo_array((rng.random(20 * n) ** 2 / 2 + 1e-3, places), (n, tags)).tocsr()
    s.data = np.minimum(s.data, 1)  # of a place that came twice
    y = s.copy()
    y.data = (rng.random(s.nnz) < s.data).astype(np.int8)
    y.eliminate_zeros()
    return lambda: ca.assess(y, s).estimates(), None


def _groups(groups: int, n: int = 1_000_000) -> tuple[Call, Call]:
    (y, s), by = binary(n), np.random.default_rng(1).integers(0, groups, n)

    def theirs() -> None:
        for group in range(GROUPS_TIMED):
            own = by == group
            for rows in (own, ~own):
                sk.recall_score(y[rows], s[rows] >= 0.5)
                sk.roc_auc_score(y[rows], s[rows])

    return lambda: ca.assess_by(y, s, by=by).frame("recall", "roc_auc"), theirs


def _criteria(n: int, groups: int = 1000) -> tuple[Call, Call]:
    """Every criterion of equal treatment, of groups that are assessed already."""
    (y, s), by = binary(n), np.random.default_rng(1).integers(0, groups, n)
    g = ca.assess_by(y, s, by=by)

    def theirs() -> None:
        for group in range(GROUPS_TIMED):
            own = by == group
            truth, score = y[own], s[own]
            called = score >= 0.5
            for metric in (sk.recall_score, sk.precision_score, sk.accuracy_score):
                metric(truth, called)
            sk.recall_score(truth, called, pos_label=0)
            sk.roc_auc_score(truth, score)

    return lambda: replace(g).criteria(), theirs  # a copy, of which nothing is known yet


def _days(days: int, n: int = 100_000) -> tuple[Call, None]:
    """Days of as many rows each, which have come already."""
    parts = {day: binary(n, "f4", day) for day in range(days)}
    return lambda: ca.trends_over({day: ca.assess(*each) for day, each in parts.items()}, period="day"), None


def _objects(n: int) -> tuple[Call, Call]:
    """Strings as a file's reader makes them: each row has an object of its own."""
    rng = np.random.default_rng(0)
    names = ["ash", "birch", "cedar", "elm", "fir", "hazel", "juniper", "larch", "maple", "oak"]
    y = rng.integers(0, 10, n)
    p = np.where(rng.random(n) < 0.7, y, rng.integers(0, 10, n))
    truth, predicted = (
        np.array([names[code][:1] + names[code][1:] for code in codes], object) for codes in (y, p)
    )
    return lambda: ConfusionMatrix.from_labels(truth, predicted), lambda: sk.confusion_matrix(
        truth, predicted
    )


def _defaults(n: int) -> tuple[Call, Call]:
    y, s = binary(n)
    return lambda: ca.assess(y, s).estimates(), lambda: everything(y, s)


def _clusters(clusters: int) -> tuple[Call, None]:
    (y, s), cluster = binary(1_000_000), np.random.default_rng(1).integers(0, clusters, 1_000_000)
    return lambda: ca.assess(y, s, cluster=cluster).estimates(), None


def _auc(n: int) -> tuple[Call, Call]:
    y, s = binary(n)
    positive = y == 1
    return lambda: roc_auc(ScoreTable.from_rows(s, positive)), lambda: np.sort(s)


def _save(n: int) -> tuple[Call, None]:
    y, s = binary(n)
    a, folder = ca.assess(y, s, id=np.arange(n)), tempfile.TemporaryDirectory()
    return lambda folder=folder: a.save(Path(folder.name) / "a.classay"), None


def _command(n: int) -> tuple[Call, Call]:
    folder = tempfile.TemporaryDirectory()
    file, y_and_s = Path(folder.name) / "rows.parquet", binary(n)
    pd.DataFrame(dict(zip("yp", y_and_s, strict=True))).to_parquet(file)
    outputs = ["--json", str(file.with_suffix(".json")), "--html", str(file.with_suffix(".html"))]
    command = [sys.executable, "-m", "classay", "assess", str(file), "--truth", "y", "--score", "p", *outputs]

    def theirs(folder: Any = folder) -> None:
        rows = pd.read_parquet(file)
        everything(rows["y"].to_numpy(), rows["p"].to_numpy())

    return lambda folder=folder: subprocess.run(command, check=True, capture_output=True), theirs


GROWTH = (
    Row(
        "class scores, 10 classes",
        (10**5, 316_228, 10**6),
        _by_rows,
        "sklearn: ovr + ovo + log-loss + report",
        "12×",
    ),
    Row(
        "class scores, 5e6 of them",
        (10, 100, 1000),
        _by_classes,
        "sklearn: ovr + log-loss + report",
        "8×",
        CLASSES,
        "k",
    ),
    Row("Hand–Till AUC, 5e6 scores", (10, 100, 1000), _hand_till, "sklearn: ovo", "1 s", CLASSES, "k"),
    Row(
        "assess and every class, 2e6 scores",
        (10, 63, 400),
        _per_class,
        "sklearn: ovr + log-loss + report + AUC of each",
        "1×",
        CLASSES,
        "k",
    ),
    Row(
        "every default, 100 tags",
        (10**5, 316_228, 10**6),
        _tags,
        "sklearn: AUC and AP, macro and micro",
        "6 s",
    ),
    Row("every default, 5,000 sparse tags", (10**4, 31_623, 10**5), _sparse_tags, "–", "10 s"),
    Row(
        "assess_by, n=1e6",
        (200, 1000, 5000),
        _groups,
        "sklearn: two calls a group and rest",
        "1 s",
        "g^1.1",
        "g",
        lambda groups: groups / GROUPS_TIMED,
    ),
    Row(
        "all criteria of 1,000 groups",
        (10**5, 10**6, 10**7),
        _criteria,
        "sklearn: five calls a group, no interval",
        "5 s",
        whole=lambda n: 1000 / GROUPS_TIMED,
    ),
    Row("trends over days of 1e5 float32 scores", (23, 92, 365), _days, "–", "20 s", "d^1.1", "d"),
    Row("distinct object strings", (10**5, 316_228, 10**6), _objects, "sklearn: confusion_matrix", "20×"),
    Row("every default, two classes", (10**5, 10**6, 10**7), _defaults, "sklearn: five calls", "40×"),
    Row("every default, n=1e6 in clusters", (500, 5000, 50_000), _clusters, "–", "1.5 s", "c^1.1", "c"),
    Row("exact AUC", (10**5, 10**6, 10**7), _auc, "numpy.sort of the scores", "1×"),
    Row("save, with ids", (10**5, 10**6, 10**7), _save, "–", "2 s"),
    Row(
        "the command, Parquet to JSON and HTML",
        (10**5, 10**6, 10**7),
        _command,
        "pandas and the five calls",
        "2.5 s",
    ),
)


@case
def growth() -> Iterator[Figure]:
    for row in GROWTH:
        yield from row.figures()
    yield from _bootstraps()
    yield from _page()


def _page() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        ca.assess(*binary(10**5)).report(page)
        yield Figure("the HTML page, n=100,000", "–", page.stat().st_size / 1e6, None, "MB", "1.5 MB")


def _bootstraps() -> Iterator[Figure]:
    """Of 1,000 replicates; the peer's few are scaled."""
    sizes, taken = (10**4, 10**5, 10**6), []
    for n, timed in zip(sizes, (30, 10, 2), strict=True):
        y, s = binary(n)
        table = ScoreTable.from_rows(s, y == 1)
        run = lambda table=table: bootstrap_replicates(table, [roc_auc, average_precision], replicates=1000)  # noqa: E731
        run()
        taken.append(seconds(run))
        theirs = by_scipy([sk.roc_auc_score, sk.average_precision_score], (y, s), 1000, timed)
        work = f"1,000 bootstraps of AUC and AP, n={n:,}"
        yield Figure(work, "scipy.stats.bootstrap over scikit-learn", taken[-1], theirs, "s", "1,000×")
    yield Figure("… exponent of growth in n", "–", exponent(sizes, taken), None, "", f"at most {ROWS}")
