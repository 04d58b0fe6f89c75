"""A sample of a validation, for the sweeps over all kinds of results and options."""

from pathlib import Path

import numpy as np

import classay as ca
from classay.shown import Reportable
from sample_results import result

GRADES = np.array(["A", "B", "C", "D"])


def sample(n: int, seed: int, shift: float = 0.0) -> dict[str, list[object]]:
    """Predicted rates, grades and labels of cases."""
    rng = np.random.default_rng(seed)
    x = rng.normal(shift, 1, n)
    rate = np.round(1 / (1 + np.exp(2 - x)), 6)
    label = np.where(rng.random(n) < 1 / (1 + np.exp(2 - x - shift)), "bad", "good")
    code = np.searchsorted([0.06, 0.12, 0.24], rate)
    moved = np.clip(code + rng.choice([-1, 0, 1], n, p=[0.03, 0.94, 0.03]), 0, 3)
    columns = {
        "y": label,
        "p": rate,
        "grade": GRADES[code],
        "final": GRADES[moved],
        "region": rng.choice(["north", "south"], n),
        "month": rng.choice(["2026-01", "2026-02", "2026-03"], n),
        "bureau": np.round(x + rng.normal(size=n), 4),
    }
    return {name: column.tolist() for name, column in columns.items()}


NOW, DEVELOPMENT = sample(600, 1, 0.4), sample(900, 2)
NAMED = {"truth": "y", "score": "p", "positive": "bad"}
FURTHER = {
    "by": "region",
    "time": "month",
    "per": "month",
    "grade": "grade",
    "final": "final",
    "benchmark": "bureau",
}


@result
def validation() -> Reportable:
    return ca.validate(NOW, DEVELOPMENT, **NAMED, **FURTHER)


TITLED_OTHERWISE = {"validation": "a model against its development sample"}
ROWS = ("banks_now.csv", "--truth", "y", "--score", "p", "--positive", "bad")
AGAINST = ("--development", "banks_dev.csv")
GRADED = (*ROWS, *AGAINST, "--grade", "grade")
USED = {
    "assess": {
        "--development": (ROWS, AGAINST),
        "--grade": ((*ROWS, *AGAINST), ("--grade", "grade")),
        "--final": (GRADED, ("--final", "final")),
        "--benchmark": ((*ROWS, *AGAINST), ("--benchmark", "bureau")),
    },
}
NO_TRUTH_NEEDED = ("--grade", "--final", "--benchmark")  # which need a development sample first


def write_inputs() -> None:
    """The files that calls of `classay assess --development` read."""
    for name, columns in (("banks_now.csv", NOW), ("banks_dev.csv", DEVELOPMENT)):
        rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
        Path(name).write_text("\n".join([",".join(columns), *rows]) + "\n")
