"""Averages over tags with one case all incorrect, and areas of one ranking of all pairs with one case at random."""

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm

import classay as ca
from classay.inference.intervals import SampledTable
from classay.measures import get
from classay.multilabel.tag_measures import of_tags
from classay.multilabel.tag_ranking import add_case_at_random

AVERAGES = (
    "micro_f1",
    "macro_f1",
    "weighted_f1",
    "macro_jaccard",
    "macro_f2",
    "weighted_f0_5",
    "hamming_loss",
)
AREAS = ("micro_roc_auc", "micro_average_precision")
SHARES = (0.5, 0.4, 0.4, 0.3, 0.3, 0.2)


def cases(seed=0, n=80, wrong=0.0):
    """The true tags of cases and their scores, some cases all wrong."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(n, 1)) + rng.normal(size=(n, len(SHARES))) < np.sqrt(2) * norm.ppf(SHARES)
    called = np.where(rng.random(truth.shape) < 0.03, ~truth, truth)
    called = np.where(rng.random((n, 1)) < wrong, ~truth, called)
    return truth.astype(int), expit(np.where(called, 2.0, -2.0) + rng.normal(size=truth.shape) * 0.8)


def ends(found):
    return [found.value, found.low, found.high]


def assessed(truth, scores, **how):
    return ca.assess(truth, scores, threshold=0.5, **how)


def test_micro_f1_with_the_case_by_hand():
    """The normal lower limit on the logit scale of the value and the variance with the case, from every row."""
    truth, scores = cases(3)
    called = (scores >= 0.5).astype(int)
    n = len(truth)
    tp, fp, fn = ((a * b).sum(1) for a, b in ((truth, called), (1 - truth, called), (truth, 1 - called)))
    total = 2 * tp.sum() + fp.sum() + fn.sum()
    value = 2 * tp.sum() / total
    u = (2 * tp - value * (2 * tp + fp + fn)) / total
    of_tags = called.sum(0) + truth.sum(0)  # a tag is wrong once in the case, also where more than n
    added = -value * np.minimum(of_tags / n, 1).sum() / total
    moved, squares = value + added * n / (n + 1), (u @ u + added**2) * n / (n + 1)
    half = norm.ppf(0.975) * np.sqrt(squares) / (moved * (1 - moved))
    found = assessed(truth, scores)["micro_f1"]
    assert found.value == pytest.approx(value)
    assert found.low == pytest.approx(expit(logit(moved) - half), abs=1e-12)
    assert found.method == "influence function, t, logit, one incorrect case added"


def test_the_case_at_random_by_brute_force():
    """The sum over tags and cases of what an entry adds, with the AUC of every pair."""
    truth, scores = cases(4, n=40)
    scores = scores.round(1)
    table = assessed(truth, scores).table(get("micro_roc_auc"))
    plus, minus = scores[truth == 1], scores[truth == 0]
    auc = ((plus[:, None] > minus) + 0.5 * (plus[:, None] == minus)).mean()
    added = 0.0
    for score, share in zip(scores.T, truth.mean(0), strict=True):
        below = ((minus < score[:, None]) + 0.5 * (minus == score[:, None])).mean(1)
        above = ((plus > score[:, None]) + 0.5 * (plus == score[:, None])).mean(1)
        added += (share * (below - auc) / plus.size + (1 - share) * (above - auc) / minus.size).mean()
    assert add_case_at_random(table)[0] == pytest.approx(added, abs=1e-12)


@pytest.mark.parametrize("name", [*AVERAGES, *AREAS])
class TestLaws:
    """Of averages and areas alike."""

    def test_the_method_names_the_case(self, name):
        a = assessed(*cases(1))
        found = a[name]
        assert found.method.endswith("one random case added" if name in AREAS else "one incorrect case added")
        assert found.low < found.value < found.high

    def test_tags_in_another_order(self, name):
        truth, scores = cases(2)
        order = [3, 0, 5, 1, 4, 2]
        once, again = (assessed(truth[:, at], scores[:, at])[name] for at in (slice(None), order))
        assert ends(again) == pytest.approx(ends(once), abs=1e-12)

    def test_weights_doubled_and_frequencies(self, name):
        truth, scores = cases(5)
        weight = np.random.default_rng(1).uniform(0.5, 2.0, len(truth))
        once, twice = (assessed(truth, scores, weight=by * weight)[name] for by in (1, 2))
        assert ends(once) == pytest.approx(ends(twice), abs=1e-9)
        times = 1 + np.arange(len(truth)) % 3
        repeated = assessed(np.repeat(truth, times, 0), np.repeat(scores, times, 0))[name]
        assert ends(assessed(truth, scores, frequency=times)[name]) == pytest.approx(ends(repeated), abs=1e-9)

    def test_clusters_of_copies_are_as_many_cases(self, name):
        truth, scores = cases(6)
        plain = assessed(truth, scores)[name]
        cluster = np.repeat(np.arange(len(truth)), 3)
        copies = assessed(np.repeat(truth, 3, 0), np.repeat(scores, 3, 0), cluster=cluster)[name]
        assert ends(copies) == pytest.approx(ends(plain), abs=0.02)

    def test_saved(self, name, tmp_path):
        a = assessed(*cases(7))
        a.save(tmp_path / "a.classay")
        assert ends(ca.load(tmp_path / "a.classay")[name]) == pytest.approx(ends(a[name]), abs=1e-12)


def test_precision_and_recall_keep_their_intervals():
    """They count one kind of error, and hold without the case."""
    a = assessed(*cases(1))
    for name in ("micro_precision", "micro_recall", "macro_recall", "weighted_recall", "macro_precision"):
        assert "wrong" not in a[name].method, name


def test_from_a_thousand_cases_on_areas_are_as_they_were():
    truth, scores = cases(8, n=1000)
    assert assessed(truth, scores)["micro_roc_auc"].method == "influence function, t, logit"


@pytest.mark.slow
@pytest.mark.parametrize("n", [60, 150])
def test_errors_that_come_together_are_covered(n):
    """1,000 samples of which 1% of the cases are all wrong: without the case 84 to 93%."""
    names = ("micro_f1", "macro_f1", "weighted_f1", "weighted_jaccard", "macro_f2", "hamming_loss")
    measures = [of_tags(get(name)) for name in names]
    truth, scores = cases(99, n=400_000, wrong=0.01)
    true = [assessed(truth, scores)[name].value for name in names]
    held = np.zeros(len(names))
    for seed in range(1000):
        table = assessed(*cases(seed, n=n, wrong=0.01)).table(measures[0])
        drawn = SampledTable(table, "alike")
        found = drawn.estimates(measures, 0.95)
        held += [each.low <= value <= each.high for each, value in zip(found, true, strict=True)]
    assert (held / 1000 > 0.93).all(), dict(zip(names, held / 1000, strict=True))


def test_a_case_all_wrong_is_wrong_once_in_each_tag_also_where_nearly_all_cases_have_it():
    """It has a Hamming loss of 1 and not of 1.8, as tags of nine cases in ten would add up to."""
    truth = np.ones((60, 4), int)
    truth[:6] = 0
    called = truth.copy()
    called[10, 0] = 1 - called[10, 0]
    called[3, 1] = 1 - called[3, 1]
    found = ca.assess(truth, y_pred=called, task="tags")["hamming_loss"]
    share = 2 / 240
    losses = np.r_[np.full(2, 0.25), np.zeros(58), 1.0]
    value, n = losses.mean(), 61
    assert found.value == pytest.approx(share)
    moved = share + (1 - share) / n
    se = np.sqrt((((losses[:60] - share) ** 2).sum() + (1 - share) ** 2) / 60**2 * 60 / n)
    assert moved == pytest.approx(value)
    assert found.high == pytest.approx(expit(logit(moved) + norm.ppf(0.975) * se / (moved * (1 - moved))))
