"""Coverage of the default intervals of several labels a case, and the size of the tests between two models.

`python tests/simulations/test_tag_coverage.py` prints the tables of docs/evidence/tags.md. The tags of a case vary
together, by a normal factor that all share; scores are logistic. One tag of the hard setting is rare, one is told
without error, and one is never called. Samples on which a measure is undefined are left out, and counted.
"""

import sys
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import expit, ndtri

import classay as ca
from classay.inference.proportions import clopper_pearson

SHARED = 0.7
"""Weight of the shared factor, by which tags of a case correlate by a third."""
LABELS = (
    "micro_f1",
    "macro_f1",
    "weighted_f1",
    "micro_precision",
    "micro_recall",
    "macro_recall",
    "samples_f1",
)
LABELS = (*LABELS, "samples_precision", "samples_recall", "samples_jaccard", "exact_match", "hamming_loss")
SCORES = ("micro_roc_auc", "macro_roc_auc", "micro_average_precision", "macro_average_precision")
RANKS = ("label_ranking_average_precision", "ranking_loss", "coverage_error", "one_error")
MEASURES = (*LABELS, *SCORES, *RANKS)
COMPARED = ("micro_f1", "macro_f1", "samples_f1", "exact_match", "hamming_loss", "macro_roc_auc")
COMPARED = (*COMPARED, "micro_average_precision", "label_ranking_average_precision")


@dataclass(frozen=True)
class Setting:
    """How often each tag is true, and how well scores tell it: the shift of true tags, infinite if without error."""

    name: str
    shares: tuple[float, ...]
    shift: tuple[float, ...]
    never_called: int | None = None

    def truth(self, rng, n):
        """Which tags are true, `(n, tags)`, and the factor that those of a case share."""
        shared = rng.normal(size=(n, 1))
        latent = SHARED * shared + rng.normal(size=(n, len(self.shares)))
        return latent < np.sqrt(1 + SHARED**2) * ndtri(np.array(self.shares)), shared

    def scores(self, rng, truth, shared):
        """Scores in [0, 1] of every tag."""
        shift = np.where(np.isinf(self.shift), 0, self.shift)
        found = expit(np.where(truth, shift, 0) - shift / 2 - 0.5 * shared + rng.normal(size=truth.shape))
        found = np.where(np.isinf(self.shift), 0.25 + 0.5 * truth, found)
        if self.never_called is not None:
            found[:, self.never_called] *= 0.49
        return found


EASY = Setting("easy: six tags, 10 to 50%", (0.5, 0.4, 0.3, 0.25, 0.15, 0.1), (2.5,) * 6)
HARD = Setting(
    "hard: eight tags, one of 3%, one perfect, one never called",
    (0.4, 0.3, 0.2, 0.1, 0.05, 0.03, 0.2, 0.15),
    (1.5, 1.5, 1.5, 1.5, 2.0, 2.0, np.inf, 1.5),
    never_called=7,
)


def truths(setting, cases=1_000_000):
    """The values of measures in a sample so large that they are those of the population."""
    rng = np.random.default_rng(1)
    truth, shared = setting.truth(rng, cases)
    a = ca.assess(truth.astype(int), setting.scores(rng, truth, shared), threshold=0.5)
    return {name: each.value for name, each in a.estimates(MEASURES).items()}


def coverage(setting, n, runs, seed=0):
    """Of each measure the intervals that hold the truth, those that lie above and below, and the defined ones."""
    known, rng = truths(setting), np.random.default_rng([seed, n])
    held = {name: np.zeros(4) for name in MEASURES}
    for _ in range(runs):
        truth, shared = setting.truth(rng, n)
        a = ca.assess(truth.astype(int), setting.scores(rng, truth, shared), threshold=0.5)
        for name, each in a.estimates(MEASURES).items():
            if each.has_interval:
                value = known[name]
                held[name] += [each.low <= value <= each.high, each.high < value, each.low > value, 1]
    return held


def size(setting, n, runs, seed=0):
    """Of each measure how often two models of the same worth are told apart at 5%, and the defined tests."""
    rng = np.random.default_rng([seed, n, 7])
    found = {name: np.zeros(2) for name in COMPARED}
    for _ in range(runs):
        truth, shared = setting.truth(rng, n)
        models = {name: setting.scores(rng, truth, shared) for name in ("first", "second")}
        for one in ca.compare(models, truth.astype(int), measures=COMPARED, threshold=0.5):
            if one.p == one.p:
                found[one.measure] += [one.p <= 0.05, 1]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("setting", [EASY, HARD], ids=["easy", "hard"])
@pytest.mark.parametrize("n", [50, 200, 1000])
def test_intervals_hold(setting, n):
    runs = 150
    for name, (hits, _, _, defined) in coverage(setting, n, runs).items():
        if defined >= runs / 3:
            _, high = clopper_pearson(hits, defined, 0.998)
            assert high >= (0.93 if n >= 200 else 0.92), (name, hits / defined)


@pytest.mark.slow
@pytest.mark.parametrize("setting", [EASY, HARD], ids=["easy", "hard"])
@pytest.mark.parametrize("n", [50, 500])
def test_equal_models_are_seldom_told_apart(setting, n):
    runs = 150
    for name, (told, defined) in size(setting, n, runs).items():
        if defined >= runs / 3:
            low, _ = clopper_pearson(told, defined, 0.998)
            assert low <= 0.07, (name, told / defined)


def main(runs):
    for setting in (EASY, HARD):
        print(f"## {setting.name[0].upper()}{setting.name[1:]}\n", flush=True)
        sizes = (50, 200, 1000, 5000)
        held = {n: coverage(setting, n, runs if n < 5000 else runs // 3) for n in sizes}
        print(
            "| measure | " + " | ".join(f"n = {n:,}" for n in sizes) + " |\n| --- |" + " --- |" * len(sizes)
        )
        for name in MEASURES:
            cells = []
            for n in sizes:
                hits, below, above, defined = held[n][name]
                share = "–" if not defined else f"{100 * hits / defined:.1f}"
                sides = "" if not defined else f" ({100 * below / defined:.1f} / {100 * above / defined:.1f})"
                ran = runs if n < 5000 else runs // 3
                cells.append(share + sides + (f", {100 * defined / ran:.0f}%" if defined < ran else ""))
            print(f"| `{name}` | " + " | ".join(cells) + " |")
        told = {n: size(setting, n, runs) for n in (50, 200, 1000)}
        print(
            "\n| test of | " + " | ".join(f"n = {n:,}" for n in told) + " |\n| --- |" + " --- |" * len(told)
        )
        for name in COMPARED:
            cells = [
                "–"
                if not found[name][1]
                else f"{100 * found[name][0] / found[name][1]:.1f}"
                + (f", {100 * found[name][1] / runs:.0f}%" if found[name][1] < runs else "")
                for found in told.values()
            ]
            print(f"| `{name}` | " + " | ".join(cells) + " |", flush=True)
        print()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
