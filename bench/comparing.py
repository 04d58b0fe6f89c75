"""Models compared: DeLong, and the paired bootstrap of labels and of scores."""

from collections.abc import Iterator
from functools import partial
from itertools import combinations

import numpy as np
from scipy import stats
from sklearn import metrics as sk

import classay as ca
from bench.cases import binary, case
from bench.timing import Figure, alone, peer_of, seconds, versus, without_peer
from classay.comparison.cases.aucs import aucs_of, compare_aucs
from classay.comparison.cases.label_measures import LabelPair, bootstrap_differences
from classay.comparison.cases.score_measures import PanelScores, compare_scores
from classay.inference.bootstrap.score_samples import of_models
from classay.inference.draws import stream
from classay.measures import average_precision, f1, roc_auc
from classay.tables import PairedTable


def delong_by_pairs(scores: dict[str, np.ndarray], positive: np.ndarray) -> None:
    """Every pair on its own, as libraries do: mid-ranks by SciPy, O(n log n)."""
    p, n = int(positive.sum()), int((~positive).sum())

    def placements(score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        ranks = stats.rankdata(score)
        own, other = stats.rankdata(score[positive]), stats.rankdata(score[~positive])
        return (ranks[positive] - own) / n, 1 - (ranks[~positive] - other) / p

    for a, b in combinations(scores, 2):
        parts = [placements(scores[a]), placements(scores[b])]
        spread = np.cov([each[0] for each in parts]) / p + np.cov([each[1] for each in parts]) / n
        apart = parts[0][0].mean() - parts[1][0].mean()
        2 * stats.norm.sf(abs(apart) / np.sqrt(spread[0, 0] + spread[1, 1] - 2 * spread[0, 1]))


def models(n: int, count: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(0)
    y = rng.random(n) < 0.3
    shared = rng.normal(size=n)
    return y, {
        f"model {i}": 1 / (1 + np.exp(-(shared + rng.normal(size=n) + (1 + i / 20) * y)))
        for i in range(count)
    }


@case
def compare_delong() -> Iterator[Figure]:
    y, scores = models(10**5, 10)
    ours = lambda: compare_aucs(aucs_of(scores, y))  # noqa: E731
    work = "paired DeLong of 10 models, all 45 pairs, n=1e5"
    peer = "pair by pair, mid-ranks by SciPy"
    yield versus(work, ours, peer, lambda: delong_by_pairs(scores, y), "20×", runs=5, peer_runs=1)
    three = {name: scores[name] for name in list(scores)[:3]}
    yield versus(
        "compare 3 models from rows, AUC, n=1e5",
        lambda: ca.compare(three, y, measures=["roc_auc"]),
        peer,
        lambda: delong_by_pairs(three, y),
        "0.2 s",
        runs=5,
        peer_runs=1,
    )
    theirs = peer_of("confidenceinterval")
    if theirs is None:
        yield without_peer(work, ours, "confidenceinterval's DeLong, two a pair", "20×")
        return
    one = partial(theirs.roc_auc_score, y.astype(int), scores["model 0"])
    mine = alone(work, ours, "20×").ours
    yield Figure(
        work,
        "confidenceinterval's DeLong, two a pair",
        mine,
        90 * seconds(one),
        "s",
        "20×",
        "it has no test of a pair: its variance of one AUC, timed once and taken 90 times",
    )


@case
def compare_bootstrap() -> Iterator[Figure]:
    y, s = binary(10**6)
    _, other = binary(10**6, seed=1)
    table = PairedTable.from_codes(y, (s >= 0.5).astype(np.int64), (other >= 0.5).astype(np.int64), (0, 1))
    pair = LabelPair(table, 1)
    work = "10,000 paired bootstraps of ΔF1, n=1e6, after counting"
    mine = alone(work, lambda: bootstrap_differences(pair, f1, replicates=10_000), "0.1 s", runs=5).ours
    rng = np.random.default_rng(0)
    first, second = s >= 0.5, other >= 0.5

    def rows() -> None:
        at = rng.integers(0, y.size, y.size)
        sk.f1_score(y[at], first[at]) - sk.f1_score(y[at], second[at])

    note = "the peer timed for 3 replicates and scaled to 10,000"
    theirs = sum(seconds(rows) for _ in range(3)) / 3 * 10_000
    yield Figure(work, "rows resampled, scikit-learn", mine, theirs, "s", "0.1 s, 10,000×", note)

    y, scores = models(10**5, 2)
    work = "1,000 paired bootstraps of ΔAUC and ΔAP, n=1e5, from rows"
    measures = [roc_auc, average_precision]

    def ours() -> None:
        of_models(list(scores.values()), y, measures).replicates(1000, stream(0, "bench"), None)

    mine = alone(work, ours, "100×", runs=5).ours

    def resampled() -> None:
        at = rng.integers(0, y.size, y.size)
        for score in scores.values():
            sk.roc_auc_score(y[at], score[at])
            sk.average_precision_score(y[at], score[at])

    note = "the peer timed for 10 replicates and scaled to 1,000"
    theirs = sum(seconds(resampled) for _ in range(10)) / 10 * 1000
    yield Figure(work, "rows resampled, scikit-learn", mine, theirs, "s", "100×", note)
    cases = PanelScores(scores, y)
    yield alone(
        "… with tables, intervals and p-values, 2,000 replicates",
        lambda: compare_scores(cases, measures),
        "–",
        runs=3,
    )
