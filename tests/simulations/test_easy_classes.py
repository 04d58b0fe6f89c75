"""Intervals of losses and skills of several classes that a classifier tells apart well: docs/evidence/methods.md.

python tests/simulations/test_easy_classes.py [RUNS]    # prints the coverage of each, in percent
"""

import sys
from dataclasses import replace

import numpy as np
import pytest

from classay.inference.scores.linearised import mean_of_losses
from classay.inference.scores.several_classes import mean_of_cases, skill_of_cases
from classay.measures import get
from classay.tables import CaseTable
from classay.tables.rows import CodedRows

MEASURES = {
    "log_loss": mean_of_losses,
    "multiclass_brier_score": mean_of_losses,
    "log_loss_skill": skill_of_cases,
    "multiclass_brier_skill": skill_of_cases,
}
SETTINGS = {  # distance of the classes, their shares, how much too sure the scores are, cases
    "3 classes, .995 right": (3.9, [1 / 3] * 3, 1, 200),
    ".5, .3, .2, .990 right": (3.6, [0.5, 0.3, 0.2], 1, 300),
    "4 classes, .993 right": (4.0, [0.25] * 4, 1, 500),
    ".9, .07, .03, .999 right": (4.2, [0.9, 0.07, 0.03], 1, 200),
    ".96, .03, .01, .999 right": (3.9, [0.96, 0.03, 0.01], 1, 500),
    "5 classes, .995 right": (4.2, [0.2] * 5, 1, 1000),
    "3 classes, overconfident, .994 right": (3.9, [1 / 3] * 3, 2, 500),
    "3 classes, .63 right": (1.0, [1 / 3] * 3, 1, 200),
    "4 classes, .54 right": (0.8, [0.4, 0.3, 0.2, 0.1], 1, 200),
}


HOWS = ("alike", "weights", "clusters")
"""Weights go with nothing, from a gamma distribution; clusters are of five cases of one class, correlated by 0.36."""
SIZE = 5


def drawn(rng, n, apart, shares, sure, how="alike"):
    """Probabilities of cases whose classes lie so far apart, each on an axis of its own, and their classes."""
    k = len(shares)
    if how == "clusters":
        of = np.arange(n) // SIZE
        y = rng.choice(k, n // SIZE, p=shares)[of]
        x = 0.6 * rng.normal(size=(n // SIZE, k))[of] + 0.8 * rng.normal(size=(n, k))
    else:
        y = rng.choice(k, n, p=shares)
        x = rng.normal(size=(n, k))
    x[np.arange(n), y] += apart
    odds = sure * apart * x + np.log(shares)
    p = np.exp(odds - odds.max(1, keepdims=True))
    return p / p.sum(1, keepdims=True), y


def coverage(setting, runs, how="alike", seed=0):
    """Of each measure the coverage in percent without (not of clusters) and with one more case."""
    apart, shares, sure, n = SETTINGS[setting]
    rng, labels = np.random.default_rng([seed, *setting.encode()]), tuple(range(len(shares)))
    large = CaseTable.from_rows(*drawn(rng, 300_000, apart, shares, sure), labels)
    truth = {name: float(get(name)(large)) for name in MEASURES}
    held = {name: [[], []] for name in MEASURES}
    for _ in range(runs):
        p, y = drawn(rng, n, apart, shares, sure, how)
        weight = rng.gamma(2.0, size=n) if how == "weights" else None
        table, rows = CaseTable.from_rows(p, y, labels, weight=weight), None
        if how == "clusters":
            rows = CodedRows(tuple(range(n // SIZE)), labels, np.arange(n) // SIZE, y, None, p)
        without = replace(table, sums=replace(table.sums, log_loss_tail=None, brier_tail=None))
        for name, method in MEASURES.items():
            value = float(get(name)(table))
            if not np.isfinite(value):
                continue
            by = mean_of_cases if how != "alike" and method is mean_of_losses else method
            for each, into in zip((without, table), held[name], strict=True):
                found = by(get(name), each, value, rows, 0.95)
                into.append(not isinstance(found, str) and found[0] <= truth[name] <= found[1])
    return {name: tuple(100 * np.mean(each) for each in both) for name, both in held.items()}


@pytest.mark.slow
@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_losses_of_easy_classes(setting, how):
    """1,000 samples: Monte-Carlo error 0.7 points. Overconfident scores have a log-loss without an upper bound."""
    for name, (_, now) in coverage(setting, 1000, how).items():
        assert now >= (90.5 if "overconfident" in setting and "log" in name else 92), name


if __name__ == "__main__":
    for how in HOWS:
        for each in SETTINGS:
            found = coverage(each, int(sys.argv[1]) if len(sys.argv) > 1 else 2000, how)
            print(
                how, each, {name: f"{was:.1f} -> {now:.1f}" for name, (was, now) in found.items()}, flush=True
            )
