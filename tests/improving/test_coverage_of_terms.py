"""How often the intervals of the terms hold the true terms: two normal classes, bias and noise known by integration.

`python tests/improving/test_coverage_of_terms.py` makes the table of docs/evidence/learners.md.
"""

import numpy as np
import pytest
from scipy.special import expit

from classay.improving.decomposition import LossTerms
from classay.improving.loss_parts import DECOMPOSITIONS
from improving import two_gaussians as gaussians
from improving.rounds import table_of_rounds

SIZE, SHIFT = 20, 0.5
SETTINGS = ((200, 200), (200, 2000), (10, 500), (20, 100), (20, 30), (500, 30))
"""Rounds and test rows: enough of both, few rounds, few rows."""
LOWEST = {"bias": 89.0, "unbiased_variance": 87.0}
"""Least coverage in percent at nominal 95, of settings with few rounds or few rows; of the other terms 88."""


def table_of(rounds, rows, rng):
    """Rows and rounds drawn anew, and the table of what the models say."""
    x = rng.normal(2.0 * rng.integers(0, 2, rows) - 1)
    gaps, borders = gaussians.drawn(rounds, SIZE, SHIFT, rng)
    one = expit(gaps[:, None] * (x - borders[:, None]))
    return table_of_rounds(
        (one > 0.5).astype(int), gaussians.posterior(x[:, None]), 2, np.stack([1 - one, one], -1)
    )


def coverage(rounds, rows, repeats, seed=0):
    """Percent of intervals that hold the true term, by decomposition and term, and the mean error in its own s.e."""
    rng = np.random.default_rng([seed, rounds, rows])
    true = gaussians.true_terms(SIZE, SHIFT)
    hits, values = {}, {}
    for _ in range(repeats):
        table = table_of(rounds, rows, rng)
        for name, scheme in DECOMPOSITIONS.items():
            terms = LossTerms(table, scheme, 0.95, noise_known=True)
            for part, wanted in true[name].items():
                found = terms.estimate(part)
                hits.setdefault((name, part), []).append(found.low <= wanted <= found.high)
                values.setdefault((name, part), []).append(found.value - wanted)
    return {key: 100 * np.mean(each) for key, each in hits.items()}, {
        key: np.mean(each) / (np.std(each) / repeats**0.5) for key, each in values.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize(("rounds", "rows"), SETTINGS)
def test_coverage(rounds, rows):
    """Within 3.5 Monte-Carlo errors of the floors of docs/evidence/learners.md, and no term off by more than 4."""
    repeats = 400
    shares, off = coverage(rounds, rows, repeats)
    enough = min(rounds, rows) >= 200
    for (scheme, part), share in shares.items():
        least = 93.0 if enough else LOWEST.get(part, 88.0)
        error = 100 * (least / 100 * (1 - least / 100) / repeats) ** 0.5
        assert share > least - 3.5 * error, (scheme, part, share)
    assert max(map(abs, off.values())) < 4.5


def main():
    for rounds, rows in SETTINGS:
        shares, _ = coverage(rounds, rows, 1000, seed=1)
        for name in DECOMPOSITIONS:
            found = ", ".join(
                f"{part} {share:.1f}" for (which, part), share in shares.items() if which == name
            )
            print(f"{rounds} rounds, {rows} rows, {name}: {found}")


if __name__ == "__main__":
    main()
