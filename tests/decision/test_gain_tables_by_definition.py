"""Gain tables recomputed case by case: parts with ties, captured amounts with their resamples, and their rows."""

from math import inf

import numpy as np
import pytest
from scipy.stats import norm

import classay as ca
from classay.decision.cuts import Groups, gain_at, resamples, telling_shares, threshold_at

N = 60
RNG = np.random.default_rng(4)
Y = np.arange(N) % 3 == 0
P = (0.3 * Y + 0.7 * RNG.random(N)).round(1)
AMOUNT, WEIGHT, CLUSTER = RNG.gamma(2.0, 5.0, N), RNG.integers(1, 4, N) / 2, np.arange(N) // 2
COLUMNS = {"alike": {}, "weights": {"weight": WEIGHT}, "clusters": {"cluster": CLUSTER}}
SHARES = np.array([0.05, 0.1, 0.3, 0.5, 0.9, 1.0])


def captured(counts, amounts, share):
    """What the first cases hold of all amounts, where the last score is taken in proportion."""
    left, held, total = share * counts.sum(), 0.0, amounts.cumsum()[-1]
    for count, amount in zip(counts, amounts, strict=True):
        if count <= left:
            held, left = held + amount, left - count
        else:
            return (held + (amount * left / count if count else 0)) / total
    return held / total


@pytest.mark.parametrize("columns", COLUMNS)
def test_captured_amounts_are_those_of_the_highest_scores_in_each_resample(columns):
    a = ca.assess(
        Y, P, amounts={"other": AMOUNT[::-1], "amount": AMOUNT}, level=0.9, seed=2, **COLUMNS[columns]
    )
    cases, w = a.scored_cases, COLUMNS[columns].get("weight", np.ones(N))
    scores = np.unique(P)[::-1]
    counts = np.array([w[score == P].sum() for score in scores])
    amounts = np.array([(w * AMOUNT)[(score == P) & Y].sum() for score in scores])
    rows = None if a.coded is None else a.coded.amounts
    drawn = []
    for inside, _ in resamples(cases, Groups.of(cases.table, 0), rows):
        both = inside.positive[:, 0] + inside.negative[:, 0]
        of_each = zip(both, inside.positive[:, 2], strict=True)
        drawn += [[captured(*one, share) for share in SHARES] for one in of_each]
    drawn, z = np.array(drawn), norm.ppf(0.95)
    found = gain_at(cases, SHARES, "amount", rows)
    assert found.amount == "amount"
    before = above = 0.0
    for k, part in enumerate(found.parts):
        value = captured(counts, amounts, SHARES[k])
        assert part.captured.value == pytest.approx(value)
        assert part.k == pytest.approx(SHARES[k] * N)
        inner = drawn[:, k][(drawn[:, k] > 0) & (drawn[:, k] < 1)]
        if value > 1 - 1e-12:
            assert part.captured.reason == "the share is 1 in every resample"
        elif len(inner) < 0.9 * len(drawn):
            assert part.captured.reason == "the share is 0 or 1 in many resamples"
        else:
            half = z * np.std(np.log(inner / (1 - inner)))
            ends = [1 / (1 + np.exp(-(np.log(value / (1 - value)) + side * half))) for side in (-1, 1)]
            assert (part.captured.low, part.captured.high) == pytest.approx(ends, rel=1e-6)
            assert (part.captured.method, part.captured.level) == ("logit, resampled cases", 0.9)
        hits = captured(counts, np.array([w[(score == P) & Y].sum() for score in scores]), SHARES[k])
        assert part.recall.value == pytest.approx(hits)
        in_part = (hits - before) * w[Y].sum() / (w.sum() * (SHARES[k] - above))
        assert part.in_part == pytest.approx(in_part)
        assert part.precision.value == pytest.approx(hits * w[Y].sum() / (SHARES[k] * w.sum()))
        assert part.lift.value == pytest.approx(hits / SHARES[k])
        called = np.cumsum(counts) >= SHARES[k] * w.sum() * (1 - 1e-9)
        assert part.threshold == scores[called.argmax()] == threshold_at(cases.table, SHARES[k] * w.sum())
        before, above = hits, SHARES[k]
    for row, part in zip(found.frame().to_pylist(), found.parts, strict=True):
        assert (row["k"], row["share"], row["threshold"], row["in_part"]) == (
            part.k,
            part.share,
            part.threshold,
            part.in_part,
        )
        for name in ("precision", "recall", "lift", "captured"):
            one = getattr(part, name)
            told = row[name], row[f"{name}_low"], row[f"{name}_high"]
            assert told == pytest.approx((one.value, one.low, one.high), nan_ok=True)


@pytest.mark.parametrize("n", [5, 10, 11, 200, 1000])
@pytest.mark.parametrize("positives", [1, 20, 99, 100, 400])
@pytest.mark.parametrize("top", [None, 0.5, 1, 3, 100, 999, inf])
def test_rows_are_tenths_or_steps_of_1_2_and_5_around_the_share_of_rare_positives(n, positives, top):
    if positives >= n:
        return
    cases = ca.assess(np.arange(n) < positives, -np.arange(n) / n).scored_cases
    rate = positives / n
    parts = min(10, n)
    wanted = [k / parts for k in range(1, parts + 1)]
    if rate < 0.1:
        steps = [digit / 10**power for power in range(12, 0, -1) for digit in (1, 2, 5)]
        wanted = [
            step
            for step in steps
            if 0.4 * rate * (1 - 1e-9) <= step <= 100 * rate * (1 + 1e-9) and step * n >= 1 - 1e-9
        ] + [1.0]
    names = {}
    if top is not None and 1 <= top < n:
        names = {top / n: "capacity"}
        wanted = sorted([*(one for one in wanted if abs(one * n - top) > 1e-6), top / n])
    shares, found = telling_shares(cases, top)
    assert shares == pytest.approx(wanted)
    assert found == names
