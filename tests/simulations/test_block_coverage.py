"""How often the delete-a-block jackknife of saved assessments holds the true difference.

    python tests/simulations/test_block_coverage.py

makes the tables of docs/evidence/comparisons.md. Two models' scores are normal, shifted for the positive class by
different amounts and correlated given the class; cases may come in clusters that share a part of their scores. With
several classes, each model sees every class's mean through noise, a share of it common to both.
"""

import sys
from functools import cache

import numpy as np
import pytest

import classay as ca
from classay.assessment import assessing
from classay.assessment.merging import BlockValues
from classay.comparison.cases.compare_assessments import compare_saved
from classay.measures import get

pytestmark = pytest.mark.slow
NAMES = (
    "accuracy", "recall", "precision", "f1", "matthews_correlation", "roc_auc", "average_precision",
    "brier_score", "log_loss", "kolmogorov_smirnov", "max_f1",
)  # fmt: skip
#            cases, positive, correlation, shifts,   of clusters, cluster size
SETTINGS = (
    (200, 0.3, 0.6, (1.5, 1.5), 0, 1),
    (200, 0.3, 0.6, (1.5, 1.0), 0, 1),
    (200, 0.3, 0.9, (2.5, 2.2), 0, 1),
    (1000, 0.03, 0.6, (2.0, 1.5), 0, 1),
    (1000, 0.3, 0.95, (1.5, 1.3), 0, 1),
    (4000, 0.01, 0.8, (2.5, 2.0), 0, 1),
    (4000, 0.3, 0.6, (1.5, 1.4), 0, 1),
    (1000, 0.3, 0.6, (1.5, 1.0), 0.3, 5),
)


def draw(rng, n, share, r, shifts, of_clusters, size):
    y = rng.random(n) < share
    group = np.arange(n) // size
    common = np.sqrt(of_clusters) * rng.normal(size=(group[-1] + 1, 1))[group]
    own = np.sqrt(r) * rng.normal(size=(n, 1)) + np.sqrt(1 - r) * rng.normal(size=(n, 2))
    z = common + np.sqrt(1 - of_clusters) * own + np.outer(y, shifts)
    d = np.array(shifts)
    return y, 1 / (1 + np.exp(-(d * z - d * d / 2 + np.log(share / (1 - share))))), group


@cache
def truths(setting):
    """The true differences, from a million cases."""
    y, s, _ = draw(np.random.default_rng(9), 1_000_000, *setting[1:])
    a, b = (ca.assess(y, s[:, j]) for j in (0, 1))
    found = {}
    for name in NAMES:
        measure = get(name)
        found[name] = float(measure(a.table(measure)) - measure(b.table(measure)))
    return found


def simulate(setting, blocks, samples, seed=0):
    """For each measure: share of intervals that hold the truth, mean width, and share of samples without one."""
    rng = np.random.default_rng([seed, blocks])

    def pairs():
        for _ in range(samples):
            y, s, group = draw(rng, *setting)
            if y.sum() >= 3:
                by = {"id": rng.integers(0, 2**62, y.size)} if setting[-1] == 1 else {"cluster": group}
                yield [ca.assess(y, s[:, j], labels=[False, True], **by) for j in (0, 1)]

    return held_by(pairs(), truths(setting), blocks)


def held_by(pairs, true, blocks):
    """Of pairs of assessments: share of intervals that hold the truth, mean width, and share of pairs without one."""
    held, widths = {name: [] for name in true}, {name: [] for name in true}
    of_hash = assessing.block_of
    assessing.block_of = lambda hashes: of_hash(hashes) % np.uint8(blocks)
    try:
        for pair in pairs:
            a, b = (BlockValues.of(each, true) for each in pair)
            for name in true:
                effect = compare_saved(a, b, name).effect
                if effect is None or not effect.has_interval:
                    widths[name].append(np.nan)
                    continue
                widths[name].append(effect.high - effect.low)
                held[name].append(effect.low <= true[name] <= effect.high)
    finally:
        assessing.block_of = of_hash
    return {
        name: (np.mean(held[name] or [np.nan]), np.nanmean([*widths[name], 0]), np.isnan(widths[name]).mean())
        for name in true
    }


NAMES_OF_CLASSES = ("accuracy", "log_loss", "log_loss_skill", "multiclass_brier_score", "top_2_accuracy")
#                       cases, classes, noise of each model, share of it in common
SETTINGS_OF_CLASSES = ((300, 5, (1.0, 1.2), 0.6), (1000, 20, (0.7, 0.75), 0.9), (4000, 5, (1.0, 1.0), 0.6))


def draw_classes(rng, n, k, noise, common):
    y = rng.permutation(np.arange(n) % k)
    shared, found = rng.normal(size=(n, k)), []
    for each in noise:
        own = np.sqrt(common) * shared + np.sqrt(1 - common) * rng.normal(size=(n, k))
        seen = (np.eye(k)[y] + each * own) / each**2
        p = np.exp(seen - seen.max(1, keepdims=True))
        found.append(p / p.sum(1, keepdims=True))
    return y, *found


def simulate_classes(setting, blocks, samples, seed=0):
    rng, many = np.random.default_rng([seed, blocks]), 400_000
    y, *p = draw_classes(np.random.default_rng(9), many, *setting[1:])
    a, b = (ca.assess(y, each) for each in p)
    value = {name: [float(get(name)(each.table(get(name)))) for each in (a, b)] for name in NAMES_OF_CLASSES}

    def pairs():
        for _ in range(samples):
            y, *p = draw_classes(rng, *setting)
            ids = rng.integers(0, 2**62, y.size)
            yield [ca.assess(y, each, id=ids) for each in p]

    return held_by(pairs(), {name: first - second for name, (first, second) in value.items()}, blocks)


@pytest.mark.parametrize("setting", SETTINGS)
def test_coverage_at_64_blocks(setting):
    samples = 300
    for name, (covered, _, without) in simulate(setting, 64, samples).items():
        if without < 0.5:
            assert covered > 0.90 - 2 * np.sqrt(0.09 / samples), name


@pytest.mark.parametrize("setting", SETTINGS_OF_CLASSES)
def test_coverage_of_several_classes(setting):
    samples = 300
    for name, (covered, _, without) in simulate_classes(setting, 64, samples).items():
        assert without < 0.5
        assert covered > 0.95 - 3 * np.sqrt(0.05 * 0.95 / samples), name


def table(samples):
    for blocks in (64, 16):
        print(
            f"\n**{blocks} blocks**, in percent at nominal 95; in brackets the share of samples without an interval\n"
        )
        print("| measure |", " | ".join(map(head, SETTINGS)), "|\n|", "--- |" * (1 + len(SETTINGS)))
        found = [simulate(setting, blocks, samples) for setting in SETTINGS]
        for name in NAMES:
            cells = [f"{100 * each[name][0]:.1f} ({100 * each[name][2]:.0f})" for each in found]
            print(f"| `{name}` |", " | ".join(cells), "|", flush=True)


def table_of_classes(samples):
    heads = [f"n={n}, {k} classes, noise {a}/{b}, r={r}" for n, k, (a, b), r in SETTINGS_OF_CLASSES]
    print("| measure, 64 blocks |", " | ".join(heads), "|\n|", "--- |" * (1 + len(heads)))
    found = [simulate_classes(setting, 64, samples) for setting in SETTINGS_OF_CLASSES]
    for name in NAMES_OF_CLASSES:
        cells = [f"{100 * each[name][0]:.1f} ({100 * each[name][2]:.0f})" for each in found]
        print(f"| `{name}` |", " | ".join(cells), "|", flush=True)


def head(setting):
    n, share, r, shifts, _, size = setting
    return f"n={n}, {share:.0%}, r={r}, {shifts[0]}/{shifts[1]}" + (
        "" if size == 1 else f", clusters of {size}"
    )


if __name__ == "__main__":
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    table(samples)
    table_of_classes(samples)
