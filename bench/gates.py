"""The gate of two saved assessments, without their rows."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import classay as ca
from bench.cases import binary, case
from bench.timing import Figure, alone
from classay.assessment.restoring import load_block_values
from classay.comparison.cases.compare_assessments import compare_saved
from classay.comparison.comparisons import gate


@case
def saved_gate() -> Iterator[Figure]:
    n, models = 10**7, ("new", "old")
    ids = np.random.default_rng(1).permutation(n)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{name}.classay" for name in models]
        y, common = binary(n)
        for seed, path in enumerate(paths, 1):
            score = (common + np.random.default_rng(seed).random(n)) / 2
            made = ca.assess(y, score, id=ids)
            save = alone("save an assessment with ids, n=1e7", lambda a=made, to=path: a.save(to), "", runs=1)
            if seed == 1:
                yield save

        def decide() -> None:
            values = [load_block_values(path) for path in paths]
            gate(compare_saved(*values, "roc_auc", models), "non-inferior", 0.01)

        yield alone("gate of two saved assessments, n=1e7", decide, "≤ 1 s")
        call = [sys.executable, "-m", "classay", "gate", *map(str, paths), "--measure", "roc_auc"]
        call += ["--rule", "non-inferior", "--margin", "0.01"]
        yield alone("… the command", lambda: subprocess.run(call, check=False, capture_output=True), "≤ 1 s")
