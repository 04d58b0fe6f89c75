"""Variances of cells by their definition: design effects of clusters, and the variance of a difference."""

import numpy as np
import pytest

from classay.judge.cells import Cells, Units
from classay.judge.kappas import kappa
from classay.judge.pairs import of_grades, of_yes_no
from classay.measures import get

IS_CALLED = np.array([False, True, True])


def drawn(seed, grades, cells=3):
    """Cases with a cell, a human grade (-1 without one), a cluster, a weight and whether they are of a group."""
    rng = np.random.default_rng(seed)
    n = 90
    cluster = rng.integers(0, 15, n)
    cell = (cluster + rng.integers(0, 2, n)) % cells
    human = (cluster // 2 + cell + (rng.random(n) < 0.4)) % grades
    return cell, np.where(rng.random(n) < 0.7, human, -1), cluster, rng.choice([1.0, 2.0], n), cluster > 4


def cells_of(cell, human, cluster, weight, group, grades):
    """All cases as the first part, and those of a group as the second."""
    shape = (2, cell.max() + 1, grades)
    sizes, counts, weights, squares = np.zeros(shape[:2]), *np.zeros((3, *shape))
    part, of_units, of_labels = [], [], []
    for k, inside in enumerate((np.ones(cell.size, bool), group)):
        for unit in np.unique(cluster[inside]):
            part.append(k)
            of_units.append(np.zeros(shape[1]))
            of_labels.append(np.zeros(shape[1:]))
            for i in np.flatnonzero(inside & (cluster == unit)):
                sizes[k, cell[i]] += 1
                of_units[-1][cell[i]] += 1
                if human[i] >= 0:
                    counts[k, cell[i], human[i]] += 1
                    weights[k, cell[i], human[i]] += weight[i]
                    squares[k, cell[i], human[i]] += weight[i] ** 2
                    of_labels[-1][cell[i], human[i]] += weight[i]
    units = Units.of_all(np.array(part), np.array(of_units), np.array(of_labels))
    return Cells(sizes, counts, weights, squares, units)


def table(cell, human, of_size, of_label, grades):
    """Corrected numbers of cases by cell and human grade: the size of a cell, shared as its labels are."""
    found = np.zeros((cell.max() + 1, grades))
    for k in range(len(found)):
        of = [of_label[(cell == k) & (human == grade)].sum() for grade in range(grades)]
        found[k] = of_size[cell == k].sum() * np.array(of) / sum(of)
    return found / found.sum()


def share(values):
    return lambda joint: float((joint @ values).sum())


def called(name):
    def value(joint):
        fp, tp = joint[IS_CALLED].sum(0)
        tn, fn = joint[~IS_CALLED].sum(0)
        chance = (tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)
        found = {
            "recall": tp / (tp + fn),
            "precision": tp / (tp + fp),
            "f1": 2 * tp / (2 * tp + fp + fn),
            "cohen_kappa": (tp + tn - chance) / (1 - chance),
        }
        return float(found[name])

    return value


def agreement_beyond_chance(joint):
    agreed, chance = np.trace(joint), joint.sum(1) @ joint.sum(0)
    return float((agreed - chance) / (1 - chance))


def effect(value, cell, human, cluster, weight, grades, finite):
    """Variance of what each cluster adds, as a multiple of that of what each case adds; both by small changes."""
    added, step = np.zeros(cell.size), 1e-5
    for i in range(cell.size):
        for sign in (-1, 1):
            more = np.ones(cell.size)
            more[i] += sign * step
            of_size = np.ones(cell.size) if finite else more
            added[i] += sign * value(table(cell, human, of_size, weight * more, grades)) / (2 * step)
    sums = np.array([added[cluster == unit].sum() for unit in np.unique(cluster)])
    return max(sums.size / (sums.size - 1) * (sums**2).sum() / (added**2).sum(), 1.0)


MEASURES = {
    "share": (2, share(np.array([0.0, 1.0]))),
    "mean": (3, share(np.array([0.0, 0.3, 1.0]))),
    "kappa": (3, agreement_beyond_chance),
    **{name: (2, called(name)) for name in ("recall", "precision", "f1", "cohen_kappa")},
}


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("finite", [False, True])
def test_clusters_have_the_variance_of_what_each_adds(name, finite):
    grades, value = MEASURES[name]
    for seed in (4, 10):
        cell, human, cluster, weight, group = drawn(seed, grades)
        cells = cells_of(cell, human, cluster, weight, group, grades)
        if name == "kappa":
            found = kappa(cells, np.eye(3, dtype=bool), is_finite=finite)
        elif name in ("share", "mean"):
            values = np.array([0.0, 1.0]) if name == "share" else np.array([0.0, 0.3, 1.0])
            found = cells.mean(values, is_finite=finite)
        else:
            found = cells.of_calls(get(name), IS_CALLED, is_finite=finite)
        for k, inside in enumerate((np.ones(cell.size, bool), group)):
            some = [column[inside] for column in (cell, human, cluster, weight)]
            ones = np.ones(inside.sum())
            assert found.value[k] == pytest.approx(value(table(*some[:2], ones, some[3], grades)))
            assert found.wider[k] == pytest.approx(effect(value, *some, grades, finite), rel=1e-5)
            assert found.degrees[k] == len(np.unique(some[2][some[1] >= 0])) - 1


@pytest.mark.parametrize("finite", [False, True])
@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("clusters", [False, True])
def test_a_difference_has_the_variance_of_its_cells(finite, graded, clusters):
    """Near the difference, limits are its standard error away: that of the labels in cells and of their sizes."""
    gaps, z = np.array([-1.0, 0.0, 1.0]), 1e-4
    for seed in (4, 10):
        cell, human, cluster, _, group = drawn(seed, 3)
        ones = np.ones(cell.size)
        cells = cells_of(cell, human, cluster, ones, group, 3)
        if not clusters:
            cells = Cells(cells.sizes, cells.counts, cells.weights, cells.squares)
        found = of_grades(cells, gaps, is_finite=finite) if graded else of_yes_no(cells, is_finite=finite)
        low, high = found.limits(np.full(2, z))
        for k, inside in enumerate((np.ones(cell.size, bool), group)):
            some = [column[inside] for column in (cell, human, cluster)]
            joint = table(*some[:2], ones[inside], ones[inside], 3)
            mean = float((joint @ gaps).sum())
            variance = 0.0
            for h, row in enumerate(joint):
                size, labels = (some[0] == h).sum(), ((some[0] == h) & (some[1] >= 0)).sum()
                centre = row @ gaps / row.sum()
                spread = row @ gaps**2 / row.sum() - centre**2
                if graded:
                    spread *= labels / (labels - 1)
                drawn_of = labels * (size - 1) / (size - labels) if finite and size > labels else labels
                assert size > labels
                variance += row.sum() ** 2 * spread / drawn_of
                variance += 0 if finite else row.sum() * (centre - mean) ** 2 / some[0].size
            if clusters:
                variance *= effect(share(gaps), *some, ones[inside], 3, finite)
            wanted = np.sqrt(variance)
            assert found.value[k] == pytest.approx(mean)
            assert ((found.value[k] - low[k]) / z, (high[k] - found.value[k]) / z) == pytest.approx(
                (wanted, wanted), rel=0.01
            )
