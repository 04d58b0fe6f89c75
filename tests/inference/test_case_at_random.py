"""Agreement and rank correlation of a good classifier: the limit towards chance has a pseudo-case added."""

import numpy as np
import pytest

from classay.inference.intervals import estimate
from classay.inference.labels.smooth import AGREEMENT, ASSOCIATION, _normal_limits
from classay.measures import get, ordinal
from classay.tables import ConfusionMatrix

FEW_FAR = [[60, 0, 0], [0, 25, 0], [1, 0, 14]]
FOUR = [[20, 5, 1, 0], [4, 30, 8, 1], [1, 6, 25, 4], [0, 1, 3, 11]]
LOWS = [  # rows true; the normal lower limit with the case, by NumPy from the formulas of Brown & Benedetti 1977
    (FEW_FAR, "kendall_tau_b", 0.801059918377),
    (FEW_FAR, "somers_d", 0.760566046073),
    (FOUR, "kendall_tau_b", 0.618074959261),
    (FOUR, "somers_d", 0.617854650462),
]
LABELS = (*AGREEMENT[:3],)


def table(rows):
    return ConfusionMatrix(np.array(rows, float).T, tuple(range(len(rows))))


def measure_of(name):
    return get(name) if name in LABELS else getattr(ordinal, name)()


@pytest.mark.parametrize(("rows", "name", "low"), LOWS)
def test_the_limit_with_the_case(rows, name, low):
    counts = table(rows).counts
    more = ConfusionMatrix(
        counts + np.outer(counts.sum(1), counts.sum(0)) / counts.sum() ** 2, table(rows).labels
    )
    assert _normal_limits(measure_of(name), more, 0.95)[1][0] == pytest.approx(low, abs=1e-11)
    assert estimate(measure_of(name), table(rows)).low <= low + 1e-11


@pytest.mark.parametrize("name", [*ASSOCIATION, *LABELS])
def test_no_error_of_a_sample_is_taken_for_none(name):
    """Two far errors in one of 400 samples of 60: the interval is no narrower than one with the case."""
    found = estimate(measure_of(name), table([[29, 0, 0], [1, 17, 0], [0, 0, 13]]))
    assert found.low < 0.9
    assert "one random case added" in found.method


def test_calls_against_the_order_mirror():
    along, against = table(FOUR), ConfusionMatrix(table(FOUR).counts[::-1].copy(), (0, 1, 2, 3))
    for name in ("kendall_tau_b", "somers_d"):
        here, there = (estimate(measure_of(name), each) for each in (along, against))
        assert [-there.high, -there.low] == pytest.approx([here.low, here.high], abs=1e-12)


def test_chance_agreement_is_not_moved():
    """Of margins that are independent, the case at random has the shares of the table."""
    counts = np.outer([30, 20, 10], [12, 24, 24]) / 60.0
    found = estimate(get("cohen_kappa"), ConfusionMatrix(counts, (0, 1, 2)))
    assert found.value == pytest.approx(0, abs=1e-12)
    assert -found.low == pytest.approx(found.high, abs=1e-2)


def far(classes):
    """Shares `[true, predicted]` of a classifier that errs by the whole range in 1% of the cases and nowhere else."""
    shares = np.diag(np.linspace(3, 1, classes))
    shares *= 0.99 / shares.sum()
    shares[0, -1] = shares[-1, 0] = 0.005
    return shares


@pytest.mark.slow
@pytest.mark.parametrize("classes", [3, 5])
@pytest.mark.parametrize("n", [60, 150])
def test_few_far_errors_are_covered(classes, n):
    """500 samples: the delta method alone held 69 to 94%."""
    shares, rng = far(classes), np.random.default_rng(classes * n)
    names = ("kendall_tau_b", "somers_d", "cohen_kappa", "quadratic_kappa")
    whole = ConfusionMatrix(shares.T * 1e6, tuple(range(classes)))
    true = [estimate(measure_of(name), whole).value for name in names]
    held = np.zeros(4)
    for counts in rng.multinomial(n, shares.ravel(), 500):
        found = [estimate(measure_of(name), table(counts.reshape(classes, classes))) for name in names]
        held += [each.low <= value <= each.high for each, value in zip(found, true, strict=True)]
    assert (held / 500 > 0.94).all()
