"""Draws of a multinomial distribution from tables: their total, moments and law, next to NumPy's."""

import tracemalloc

import numpy as np
import pytest
from scipy import stats

from classay.inference.bootstrap.multinomial import Tables, add_singly, multinomial_draws, poisson_numbers

CELLS = {
    "even": np.full(1000, 120),
    "uneven": np.concatenate([[40_000, 0, 30_000, 1, 2], np.repeat([1, 9, 90, 290], 250)]),
}


def drawn(counts, replicates=2000, seed=0):
    found = np.concatenate([*multinomial_draws(counts, np.random.default_rng(seed), replicates, 300)])
    assert found.shape == (replicates, counts.size)
    return found


@pytest.mark.parametrize("cells", CELLS)
def test_every_draw_has_all_cases(cells):
    found = drawn(CELLS[cells])
    assert (found.sum(1) == CELLS[cells].sum()).all()
    assert (found[:, CELLS[cells] == 0] == 0).all()


@pytest.mark.parametrize("cells", CELLS)
def test_mean_variance_and_covariance(cells):
    counts = CELLS[cells]
    n, found = counts.sum(), drawn(counts)
    held = counts > 0
    variance = (counts * (1 - counts / n))[held]
    off = (found - counts)[:, held]
    assert np.abs(off.mean(0) / np.sqrt(variance / 2000)).max() < 5
    assert (off**2).mean(0) / variance == pytest.approx(np.ones(held.sum()), abs=0.3)
    assert ((off**2) / variance).mean() == pytest.approx(1, abs=0.01)
    # any two parts of the cells take from each other
    half = off[:, ::2].sum(1)
    share = counts[held][::2].sum() / n
    assert (half**2).mean() == pytest.approx(n * share * (1 - share), rel=0.12)


@pytest.mark.parametrize("cell", [0, 3, 600, 1000])
def test_each_cell_is_binomial(cell):
    counts = CELLS["uneven"]
    found, n = drawn(counts, 4000)[:, cell], counts.sum()
    law = stats.binom(n, counts[cell] / n)
    edges = np.unique(law.ppf([0.1, 0.3, 0.5, 0.7, 0.9]))
    expected = np.diff(np.concatenate([[0], law.cdf(edges), [1]])) * found.size
    seen = np.bincount(np.searchsorted(edges, found), minlength=expected.size)
    held = expected > 0
    assert stats.chisquare(seen[held], expected[held]).pvalue > 1e-4


def test_totals_above_all_cases_are_drawn_anew(monkeypatch):
    """Without a margin half of all Poisson totals exceed n."""
    monkeypatch.setattr("classay.inference.bootstrap.multinomial.MARGIN", 0)
    counts = CELLS["even"]
    found = Tables.of(counts, poisson_numbers, add_singly).draw(np.random.default_rng(0), 500)
    assert (found.sum(1) == counts.sum()).all()
    assert ((found - counts) ** 2 / counts).mean() == pytest.approx(1, abs=0.02)


def test_numba_changes_no_draw():
    """The compiled loops and their twins make the same of one stream."""
    counts = CELLS["uneven"]
    plain, compiled = (
        Tables.of(counts, numbers, add).draw(np.random.default_rng(3), 40)
        for numbers, add in (
            (poisson_numbers.twin, add_singly.twin),
            (poisson_numbers.compiled, add_singly.compiled),
        )
    )
    np.testing.assert_array_equal(plain, compiled)


def test_one_full_cell_takes_no_memory():
    """Many scores of 0: tables as wide as that of the fullest cell would fill a gigabyte."""
    counts = np.append(np.full(1999, 50), 800_000)
    tracemalloc.start()
    found = next(multinomial_draws(counts, np.random.default_rng(0), 20, 20))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (found.sum(1) == counts.sum()).all()
    assert most < 100 * 8 * counts.size * 20
