"""Calibration errors of several classes, recomputed case by case: scores on edges of bins, and weights."""

import numpy as np
import pytest

from classay import measures
from classay.measures.calibration_errors import bin_sums, standard_class_bins
from classay.tables import CaseTable, ClassScoreTable

LABELS = ("a", "b", "c")


def rows(n, seed=0, dtype=np.float64):
    """Probabilities of which many lie on an edge of 15 bins, with their classes and weights."""
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(15, [0.2, 0.3, 0.5], n)
    scores = counts / 15
    loose = rng.random(n) < 0.5
    scores[loose] = rng.dirichlet([1, 1, 1], n)[loose]
    true = np.array([rng.choice(3, p=one / one.sum()) for one in scores])
    return scores.astype(dtype), true, rng.integers(1, 5, n) / 4


def bin_of(score, bins, dtype, closed="right"):
    """The first bin whose upper edge, rounded to the precision of the scores, is not below the score."""
    edges = [dtype(k / bins) for k in range(bins + 1)]
    if closed == "right":
        return next(k for k in range(bins) if score <= edges[k + 1])
    return next(k for k in reversed(range(bins)) if score >= edges[k])


def gaps(score, positive, weight, bins, closed="right"):
    """Sum over bins of |positives - probabilities| over all weight."""
    excess = np.zeros(bins)
    for one, is_positive, w in zip(score, positive, weight, strict=True):
        excess[bin_of(one, bins, score.dtype.type, closed)] += w * (is_positive - float(one))
    return np.abs(excess).sum() / weight.sum()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("bins", "closed"), [(15, "right"), (15, "left"), (4, "right"), (5, "left"), (1, "right")]
)
def test_errors_class_by_class_and_of_the_top_label_are_means_of_gaps(dtype, weighted, bins, closed):
    scores, true, weight = rows(120, dtype=dtype)
    w = weight if weighted else np.ones(120)
    more = {"weight": weight} if weighted else {}
    table = ClassScoreTable.from_rows(scores, true, LABELS, **more)
    how = {"bins": bins, "closed": closed}
    wanted = np.mean([gaps(scores[:, k], true == k, w, bins, closed) for k in range(3)])
    assert measures.classwise_calibration_error(table, **how) == pytest.approx(
        wanted, rel=1e-5 if dtype == np.float32 else 1e-9
    )
    cases = CaseTable.from_rows(scores, true, LABELS, **more)
    top = scores.max(1)
    right = scores.argmax(1) == true
    assert measures.top_label_calibration_error(cases, **how) == pytest.approx(
        gaps(top, right, w, bins, closed), rel=1e-5
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [1, 2, 1023, 1024, 1025, 2100])
def test_both_ways_to_fill_bins_give_the_sums_of_their_cases(n, weighted):
    scores, true, weight = rows(n, 1)
    order = np.argsort(true, kind="stable")
    scores, true, weight = scores[order], true[order], weight[order]
    w = weight if weighted else None
    edges = np.concatenate([[-np.inf], np.arange(1, 15) / 15, [np.inf]])
    for k in range(3):
        start, end = np.searchsorted(true, [k, k + 1])
        at = np.array([bin_of(one, 15, np.float64) for one in scores[:, k]])
        cases = weight if weighted else np.ones(n)
        parts = cases, cases * (true == k), cases * scores[:, k], cases**2
        wanted = [[part[at == b].sum() for b in range(15)] for part in parts]
        for way in (bin_sums.twin, bin_sums.compiled):
            np.testing.assert_allclose(
                way(np.ascontiguousarray(scores[:, k]), w, int(start), int(end), edges), wanted, atol=1e-9
            )


@pytest.mark.parametrize("weighted", [False, True])
def test_bins_of_a_class_are_those_of_its_rows_and_of_its_table(weighted):
    """With rows and without, such as of saved scores: weight, positives, probabilities, effective cases."""
    scores, true, weight = rows(300, 2)
    more = {"weight": weight} if weighted else {}
    table = ClassScoreTable.from_rows(scores, true, LABELS, **more)
    cases = weight if weighted else np.ones(300)
    for k, bins in enumerate(standard_class_bins(table)):
        at = np.array([bin_of(one, 15, np.float64) for one in scores[:, k]])
        for b in range(15):
            inside = at == b
            assert bins.weight[b] == pytest.approx(cases[inside].sum())
            assert bins.positives[b] == pytest.approx(cases[inside & (true == k)].sum())
            assert bins.expected[b] == pytest.approx((cases * scores[:, k])[inside].sum())
            squares = (cases[inside] ** 2).sum()
            assert bins.effective[b] == pytest.approx(cases[inside].sum() ** 2 / squares if squares else 0)


@pytest.mark.parametrize("value", [-0.001, 1.001])
@pytest.mark.parametrize("at", [0, 7, 19])
def test_scores_outside_0_and_1_have_no_calibration_error(value, at):
    scores, true, _ = rows(20, 3)
    assert np.isfinite(measures.classwise_calibration_error(ClassScoreTable.from_rows(scores, true, LABELS)))
    scores[at, 1] = value
    table = ClassScoreTable.from_rows(scores, true, LABELS)
    assert np.isnan(measures.classwise_calibration_error(table))
    assert np.isnan(measures.classwise_calibration_error(table, bins=4))
    assert np.isnan(measures.top_label_calibration_error(CaseTable.from_rows(scores, true, LABELS)))
