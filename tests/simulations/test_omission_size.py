"""How often omissions that chance decides are taken for one-sided, and how often one-sided ones are found.

python tests/simulations/test_omission_size.py [RUNS]    # prints the tables of docs/evidence/comparisons.md
"""

import sys

import numpy as np
import pytest

from classay.comparison.omissions import ONE_SIDED_AT, omissions_of

RUNS = 400
BY_CHANCE = [(cases, rate) for cases in (60, 300, 1000) for rate in (0.02, 0.1, 0.3)]
ONE_SIDED = {
    "new leaves out 10%, old none": ((0.1, 0.1), 0.0, 0.95),
    "new 10%, old 2%": ((0.1, 0.1), 0.02, 0.9),
    "both 10%, new three times as often where old is wrong": ((0.071, 0.214), 0.1, 0.5),
    "both 20%, new three times as often where old is wrong": ((0.143, 0.429), 0.2, 0.85),
}


def share_flagged(cases, of_new, of_old, runs=RUNS, seed=0):
    """How often omissions are called one-sided; `of_new` are the chances where old is right and where it is wrong."""
    rng, flagged = np.random.default_rng(seed), 0
    for _ in range(runs):
        easy = rng.random(cases) < 0.5
        right = {name: rng.random(cases) < np.where(easy, 0.95, 0.65) for name in ("new", "old")}
        gone = {
            "new": rng.random(cases) < np.where(right["old"], *of_new),
            "old": rng.random(cases) < of_old,
        }
        found = omissions_of(("new", "old"), gone, right)
        flagged += found is not None and found.is_one_sided
    return flagged / runs


@pytest.mark.parametrize(("cases", "rate"), BY_CHANCE)
def test_chance_is_seldom_taken_for_more(cases, rate):
    share = share_flagged(cases, (rate, rate), rate)
    assert share <= ONE_SIDED_AT + 3 * np.sqrt(ONE_SIDED_AT * (1 - ONE_SIDED_AT) / RUNS)


@pytest.mark.parametrize("what", ONE_SIDED)
def test_what_is_one_sided_is_found(what):
    of_new, of_old, least = ONE_SIDED[what]
    assert share_flagged(300, of_new, of_old) >= least


if __name__ == "__main__":
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    for cases, rate in BY_CHANCE:
        print(f"{cases} cases, both leave out {rate:g}: {share_flagged(cases, (rate, rate), rate, runs):.3f}")
    for what, (of_new, of_old, _) in ONE_SIDED.items():
        print(f"300 cases, {what}: {share_flagged(300, of_new, of_old, runs):.3f}")
