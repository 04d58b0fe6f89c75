"""Draws of many cells: exact totals, moments and laws; and the resampled areas next to those of resampled rows."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from classay.inference.bootstrap import sampling
from classay.inference.bootstrap.draw_kernels import BITS, draw_cells
from classay.inference.bootstrap.sampling import CellCounts, CellDraws
from classay.inference.bootstrap.score_samples import of_table
from classay.measures import average_precision, kolmogorov_smirnov, log_loss, roc_auc
from classay.tables import ConfusionMatrix, ScoreTable
from resamples import bootstrap_replicates

UNEVEN = np.concatenate([[3000, 1, 511, 512, 1], np.tile([1, 1, 1, 2, 5, 40], 300), [700, 90]])
CELLS = {"even": np.ones(2500, int), "uneven": UNEVEN}


def drawn(counts, replicates=2000, seed=0):
    cells = CellCounts.of(counts)
    rng = np.random.default_rng(seed)
    keys = rng.integers(0, 2**64, replicates, dtype=np.uint64)
    return cells.draw(keys, cells.totals(rng, replicates), draw_cells.compiled).astype(np.int64)


@pytest.mark.parametrize("cells", CELLS)
@pytest.mark.parametrize("margin", [sampling.MARGIN, 0.0])
def test_totals_mean_variance_and_covariance(cells, margin, monkeypatch):
    """Without a margin half of all totals are drawn anew."""
    monkeypatch.setattr(sampling, "MARGIN", margin)
    counts = CELLS[cells]
    n, found = counts.sum(), drawn(counts)
    assert (found.sum(1) == n).all()
    off, variance = found - counts, counts * (1 - counts / n)
    assert np.abs(off.mean(0) / np.sqrt(variance / 2000)).max() < 5
    # of a variance, whose own follows from the kurtosis of a binomial number
    spread = np.sqrt((2 + 1 / variance) / 2000)
    assert np.abs(((off**2).mean(0) / variance - 1) / spread).max() < 6.5
    assert ((off**2) / variance).mean() == pytest.approx(1, abs=0.005)
    # any two parts of the cells take from each other: alternate ones, and a run of neighbours
    for part in (slice(None, None, 2), slice(100, 900)):
        share = counts[part].sum() / n
        assert (off[:, part].sum(1) ** 2).mean() == pytest.approx(n * share * (1 - share), rel=0.15)


@pytest.mark.parametrize("cell", [0, 1, 2, 3, 8, 9, 10, 1805])
def test_each_cell_is_binomial(cell):
    found, n = drawn(UNEVEN, 4000)[:, cell], UNEVEN.sum()
    law = stats.binom(n, UNEVEN[cell] / n)
    edges = np.unique(law.ppf([0.1, 0.3, 0.5, 0.7, 0.9, 0.99]))
    expected = np.diff(np.concatenate([[0], law.cdf(edges), [1]])) * found.size
    seen = np.bincount(np.searchsorted(edges, found), minlength=expected.size)
    held = expected > 0
    assert stats.chisquare(seen[held], expected[held]).pvalue > 1e-4


def test_tables_and_what_they_leave_over_make_the_poisson_law():
    """No chance is rounded to places: places over all of them, and the rest as it is drawn, add up to the law."""
    cells = CellCounts.of(UNEVEN)
    small = UNEVEN[UNEVEN < sampling.LARGE].sum()
    mean = 1 - sampling.MARGIN * np.sqrt(2 / small)
    held = np.unique(UNEVEN[(UNEVEN > 1) & (UNEVEN < sampling.LARGE)]) - 1
    size = 1 << BITS
    first = np.bincount(np.searchsorted(cells.single, np.arange(1 << 16), side="right")) / (1 << 16)
    tables = [(first[:-1], first[-1], 1)]
    for row, cases in zip(cells.tables.reshape(-1, size), held, strict=True):
        tables.append((np.bincount(row[row >= 0]) / size, (row < 0).mean(), cases))
    for (filled, left, cases), least, chances in zip(tables, cells.least, cells.left_over, strict=True):
        law = np.zeros(2000)
        law[: filled.size] += filled
        law[least : least + chances.size] += left * np.diff(chances, prepend=0)
        np.testing.assert_allclose(law, stats.poisson.pmf(np.arange(2000), cases * mean), rtol=0, atol=1e-13)


def test_cells_without_a_case_are_never_drawn():
    counts = np.zeros(3 * UNEVEN.size, int)
    counts[::3] = UNEVEN
    drawn_among, drawn_alone = (
        np.concatenate([each() for each in CellDraws(each).plan(60, np.random.default_rng(3))])
        for each in (counts, UNEVEN)
    )
    assert (drawn_among[:, ::3] == drawn_alone).all()
    assert (drawn_among.sum(1) == UNEVEN.sum()).all()


def test_several_blocks_are_one_draw(monkeypatch):
    monkeypatch.setattr(sampling, "BLOCK", 3000 + sampling.LARGE)
    cells = CellCounts.of(UNEVEN)
    assert cells.edges.size > 5
    found = drawn(UNEVEN)
    off, n = found - UNEVEN, UNEVEN.sum()
    assert (off.sum(1) == 0).all()
    for first, last in pairwise(cells.edges):
        share = UNEVEN[first:last].sum() / n
        assert (off[:, first:last].sum(1) ** 2).mean() == pytest.approx(n * share * (1 - share), rel=0.15)


def scored(n=7000, ties=None):
    rng = np.random.default_rng(1)
    positive = rng.random(n) < 0.4
    score = 1 / (1 + np.exp(-rng.normal(size=n) - positive))
    return (np.round(score * ties) / ties if ties else score), positive


@pytest.mark.parametrize("ties", [None, 20_000])
def test_areas_are_distributed_as_those_of_resampled_rows(ties):
    score, positive = scored(ties=ties)
    whole, measures = ScoreTable.from_rows(score, positive), [roc_auc, average_precision, kolmogorov_smirnov]
    sample = of_table(whole, measures)
    assert isinstance(sample.draws, CellDraws)
    assert sample.value() == pytest.approx([each(whole) for each in measures], rel=1e-12)
    found = bootstrap_replicates(whole, measures, replicates=800)
    rng = np.random.default_rng(2)
    picks = (rng.integers(0, score.size, score.size) for _ in range(100))
    plain = [ScoreTable.from_rows(score[at], positive[at]) for at in picks]
    for each, measure in zip(found, measures, strict=True):
        assert stats.ks_2samp(each, [measure(one) for one in plain]).pvalue > 1e-3


def test_threads_and_company_change_nothing():
    whole = ScoreTable.from_rows(*scored())
    once, twice = (
        bootstrap_replicates(whole, [roc_auc, average_precision], replicates=400, threads=threads)
        for threads in (1, 3)
    )
    assert np.array_equal(once, twice)
    more = bootstrap_replicates(whole, [log_loss, average_precision, roc_auc], replicates=400)
    assert np.array_equal(more[1:], once[::-1])


def test_a_matrix_of_many_cells_takes_its_draws_as_they_are():
    """Narrow counts are widened before margins are added and multiplied."""
    k = 60
    matrix = ConfusionMatrix.from_array(
        np.full((k, k), 30) + 500 * np.eye(k, dtype=int), tuple(range(k)), rows="true"
    )
    share = lambda m: m.counts.sum((-1, -2))  # noqa: E731
    assert (bootstrap_replicates(matrix, [share], replicates=100) == matrix.counts.sum()).all()
