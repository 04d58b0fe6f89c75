"""What a process that has just begun takes: `python -m bench cold`, beside scikit-learn's and NumPy alone.

Each figure is one new process, from its first import of the library to the estimates, data in memory. Loops are not
compiled yet (an empty folder for them), lie compiled on disk, or can be kept nowhere, as for a service user whose
site-packages are read-only: there a file stands where the folder would be made. Python's own bytecode is kept always.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.cases import case
from bench.timing import CHOSEN, Figure

ROOT = Path(__file__).parents[1]

CHILD = """
import sys
from time import perf_counter as wall, process_time as cpu
import numpy as np
work, n, clock, by = sys.argv[1], int(sys.argv[2]), {{"wall": wall, "cpu": cpu}}[sys.argv[3]], sys.argv[4]
rng = np.random.default_rng(0)
if work == "classes":
    y, z = rng.integers(0, 12, n), rng.normal(size=(n, 12))
    z[np.arange(n), y] += 1.5
    s = np.exp(z) / np.exp(z).sum(1, keepdims=True)
else:
    y = (rng.random(n) < .3).astype(int)
    s = 1 / (1 + np.exp(-(rng.normal(size=n) + 1.5 * y - 1)))
part = rng.integers(0, {{"clusters": 4000, "groups": 150}}.get(work, 1), n)

def ours():
    import classay as ca
    if work == "groups":
        ca.assess_by(y, s, by=part).frame("recall", "roc_auc", "accuracy")
    else:
        ca.assess(y, s, **{{"cluster": part}} if work == "clusters" else {{}}).estimates()

def theirs():
    from sklearn import metrics as sk
    if work == "classes":
        sk.roc_auc_score(y, s, multi_class="ovr"), sk.roc_auc_score(y, s, multi_class="ovo")
        sk.log_loss(y, s), sk.classification_report(y, s.argmax(1))
    else:
        sk.roc_auc_score(y, s), sk.average_precision_score(y, s), sk.log_loss(y, s), sk.brier_score_loss(y, s)
        sk.classification_report(y, s >= .5)

for _ in range(2):
    start = clock()
    {{"ours": ours, "theirs": theirs}}[by]()
    print(clock() - start)
"""

SIZES = {
    "binary": (1000, 10**5, 10**6),
    "classes": (1000, 60_000, 400_000),
    "clusters": (10**6,),
    "groups": (10**6,),
}
NAMES = {
    "binary": "two classes",
    "classes": "12 classes",
    "clusters": "4,000 clusters",
    "groups": "150 groups, three measures",
}


@dataclass(frozen=True)
class Places:
    """A copy of classay in `folder` whose loops are kept beside it, or nowhere, and bytecode apart from both."""

    folder: Path

    @classmethod
    def made(cls, folder: Path) -> "Places":
        for name in ("open", "shut"):
            shutil.copytree(
                ROOT / "src/classay", folder / name / "classay", ignore=shutil.ignore_patterns("__pycache__")
            )
        for room in [folder / "shut/classay", *(folder / "shut/classay").rglob("*/")]:
            (room / "__pycache__").touch()
        return cls(folder)

    def seconds(
        self, work: str, n: int, *, by: str = "ours", kept: bool = True, numba: bool = True
    ) -> list[float]:
        """Of the first call and the second, in one new process."""
        command = "-c", CHILD.format(), work, str(n), CHOSEN[-1], by
        return [float(line) for line in self.run(*command, kept=kept, numba=numba).split()]

    def run(self, *command: str, kept: bool = True, numba: bool = True) -> str:
        """What Python prints."""
        surroundings = os.environ | {
            "PYTHONPATH": str(self.folder / ("open" if kept else "shut")),
            "PYTHONPYCACHEPREFIX": str(self.folder / "bytecode"),
            "XDG_CACHE_HOME": os.devnull,
            "CLASSAY_NUMBA": "1" if numba else "0",
        }
        for name in ("NUMBA_CACHE_DIR", "PYTHONDONTWRITEBYTECODE"):
            surroundings.pop(name, None)
        done = subprocess.run(
            [sys.executable, *command], env=surroundings, check=True, capture_output=True, text=True
        )
        return done.stdout

    def forget(self) -> None:
        """No loop is kept any more."""
        for folder in (self.folder / "open").rglob("__pycache__"):
            shutil.rmtree(folder)


@case
def cold() -> Iterator[Figure]:
    """A first call where loops were never compiled, are kept, and cannot be kept; then a second call."""
    with tempfile.TemporaryDirectory() as folder:
        places = Places.made(Path(folder))
        for kept in (True, False):  # bytecode, of Numba too
            places.seconds("binary", 10**6, kept=kept)
            places.run("-c", "import numba; numba.njit(lambda: 0)()", kept=kept)
        for work in ("binary", "classes"):
            places.seconds(work, 1000, by="theirs")
        for work, sizes in SIZES.items():
            for n in sizes:
                name, sk, numpy = (
                    f"{NAMES[work]}, n={n:,}",
                    "sklearn, a new process",
                    "classay on NumPy only",
                )
                alone = places.seconds(work, n, numba=False)[0]
                theirs, again = (
                    places.seconds(work, n, by="theirs") if work in ("binary", "classes") else (None, None)
                )
                places.forget()
                first = places.seconds(work, n)
                kept = places.seconds(work, n)
                extra = f"{first[0] - kept[1]:.2f} s over warm; wanted 2"
                yield Figure(f"never compiled: {name}", numpy, first[0], alone, "s", extra)
                yield Figure(f"compiled before: {name}", sk, kept[0], theirs, "s", "")
                yield Figure(
                    f"kept nowhere: {name}", numpy, places.seconds(work, n, kept=False)[0], alone, "s", "1×"
                )
                yield Figure(f"second call: {name}", "sklearn, its second", kept[1], again, "s", "")
