"""Resamples of thresholds: each a sum of whole clusters, or of cases whose amounts vary as those drawn with them."""

import numpy as np
import pytest

import classay as ca
from classay.decision.cuts import Groups, SumTable, resamples, threshold_at, threshold_of

RNG = np.random.default_rng(8)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("with_amount", [False, True])
def test_a_resample_of_clusters_is_a_sum_of_whole_clusters(weighted, with_amount):
    """Each cluster as often as it was drawn, and those left out once."""
    n, clusters = 60, 3
    y, p = RNG.random(n) < 0.5, RNG.random(n).round(1)
    weight, amount = RNG.integers(1, 5, n) * 1.0, RNG.gamma(2.0, 3.0, n)
    cluster = np.arange(n) % clusters
    more = {"weight": weight} if weighted else {}
    more |= {"amounts": {"amount": amount}} if with_amount else {}
    a = ca.assess(y, p, cluster=cluster, **more)
    scores = np.unique(p)[::-1]
    z = np.stack([np.ones(n), amount] if with_amount else [np.ones(n)]) * (weight if weighted else 1)
    alone = np.array(
        [
            [
                [[z_[(p == s) & (y == of) & (cluster == c)].sum() for s in scores] for z_ in z]
                for of in (True, False)
            ]
            for c in range(clusters)
        ]
    )
    cases = a.scored_cases
    groups = Groups.of(cases.table, 2)
    assert groups.lowest.tolist() == scores.tolist()
    draws, seen, solve = 0, set(), np.linalg.pinv(alone.reshape(clusters, -1))
    for inside, outside in resamples(cases, groups, a.coded.amounts):
        drawn, left = (np.stack([sums.positive, sums.negative], 1) for sums in (inside, outside))
        times = drawn.reshape(len(drawn), -1) @ solve
        np.testing.assert_allclose(times, times.round(), atol=1e-9)
        times = times.round()
        assert times.min() >= 0
        assert (times.sum(1) == clusters).all()
        np.testing.assert_allclose(drawn, np.tensordot(times, alone, 1), atol=1e-9)
        np.testing.assert_allclose(left, np.tensordot(times == 0, alone, 1), atol=1e-9)
        seen |= {*map(tuple, times.tolist())}
        draws += len(drawn)
    assert draws == 1000
    assert len(seen) == 10  # of three clusters: 3 alone, 6 twice and once, 1 of each


@pytest.mark.parametrize("weighted", [False, True])
def test_cases_drawn_are_as_many_and_their_amounts_vary_as_those_of_cases(weighted):
    n = 400
    y, p, amount = RNG.random(n) < 0.5, RNG.integers(0, 3, n) / 3, RNG.gamma(1.0, 5.0, n)
    weight = RNG.uniform(0.5, 2, n) if weighted else np.ones(n)
    a = ca.assess(y, p, amounts={"amount": amount}, **({"weight": weight} if weighted else {}))
    cases = a.scored_cases
    groups = Groups.of(cases.table, 1)
    drawn, left = ([], [])
    for inside, outside in resamples(cases, groups):
        drawn.append(np.stack([inside.positive, inside.negative], 1))
        left.append(np.stack([outside.positive, outside.negative], 1))
    drawn, left = np.concatenate(drawn), np.concatenate(left)
    assert len(drawn) == 1000
    scores = np.unique(p)[::-1]
    cells = [(of, k, (y == of) & (p == s)) for of in (True, False) for k, s in enumerate(scores)]
    number = {}
    for of, k, rows in cells:
        w, at = weight[rows], (0 if of else 1, slice(None), k)
        number[of, k] = cases_ = round(w.sum() ** 2 / (w**2).sum())
        times = drawn[(slice(None), *at)][:, 0] * cases_ / w.sum()
        assert times == pytest.approx(times.round(), abs=1e-6)
        missed = left[(slice(None), *at)][:, 0]
        wanted = w.sum() * (1 - 1 / cases_) ** times
        assert missed == pytest.approx(wanted)
        mean = (w * amount[rows]).sum()
        amounts = drawn[(slice(None), *at)][:, 1]
        assert amounts.mean() == pytest.approx(mean, rel=0.05)
        of_mean = amounts - times * mean / cases_
        spread = (
            np.sqrt(
                times.mean()
                * (
                    (w**2 * amount[rows] ** 2).sum() / (w**2).sum() * (w.sum() / cases_) ** 2
                    - (mean / cases_) ** 2
                )
            )
            if not weighted
            else None
        )
        if spread is not None:
            assert of_mean.std() == pytest.approx(spread, rel=0.1)
        missing = left[(slice(None), *at)][:, 1] - missed * mean / w.sum()
        assert missing == pytest.approx(-np.exp(-1) * of_mean)
    if not weighted:
        assert drawn[:, :, 0].sum((1, 2)) == pytest.approx(n)


def test_neighbors_are_grouped_where_scores_are_many_and_a_cut_ends_a_group():
    n = 5000
    y, p = RNG.random(n) < 0.3, RNG.random(n)
    a = ca.assess(y, p)
    table = a.scores
    for cut in (0, 1, 777, n - 1, n):
        groups = Groups.of(table, cut)
        assert 900 <= groups.starts.size <= 2100
        ends = np.append(groups.starts[1:], n)
        assert cut in {0, *ends.tolist()}
        assert groups.lowest.tolist() == [table.thresholds[end - 1] for end in ends]
        sums = SumTable.of(table)
        grouped = groups.grouped(sums)
        for whole, part in ((sums.positive, grouped.positive), (sums.negative, grouped.negative)):
            assert part.cumsum(-1).tolist() == whole.cumsum(-1)[:, ends - 1].tolist()
        shares = [part[0] / part[0].sum() for part in (grouped.positive, grouped.negative)]
        assert max(share.max() for share in shares) <= 2 / 1000 + 1 / sums.positive.sum()
    few = Groups.of(ca.assess(y[:1000], p[:1000]).scores, 0)
    assert few.starts.tolist() == list(range(1000))
    many = Groups.of(ca.assess(y[:1001], p[:1001]).scores, 0)
    assert many.starts.size < 1001


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 6])
def test_the_threshold_of_the_first_cases_is_the_score_of_the_last_of_them(k):
    y, p = [1, 0, 1, 0, 1, 0], [0.9, 0.7, 0.7, 0.4, 0.2, 0.2]
    table = ca.assess(y, p).scores
    assert threshold_at(table, k) == p[k - 1]
    assert threshold_at(table, 99) == 0.2
    scores = table.thresholds
    assert [threshold_of(scores, cut) for cut in range(5)] == [np.inf, 0.9, 0.7, 0.4, -np.inf]
