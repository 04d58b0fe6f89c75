"""Approximations held against what they approximate, worked out by brute force on small random inputs."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import beta, friedmanchisquare, kstwobign, norm
from scipy.stats import t as student_t

import classay as ca
from classay.assessment.assessment_warnings import TINY, warnings
from classay.assessment.class_views import _with_corners
from classay.assessment.merging import BlockValues
from classay.comparison.cases.compare_assessments import compare_saved
from classay.comparison.cases.difference import PairedCounts, mcnemar
from classay.curves.curve import Curve
from classay.decision.cut_points import halfway
from classay.decision.cuts import Groups
from classay.inference.design import Design
from classay.inference.labels.delta import BIASED, bias_of_weights
from classay.inference.labels.spreads import _of_parts
from classay.inference.prevalence import from_counts
from classay.inference.scores.optimism import BRIDGE, _apart
from classay.measures import MEASURES
from classay.measures.probability_bins import equal_width_bins
from classay.measures.proper_parts import binned_murphy, murphy_decomposition
from classay.resampling import results_of_progress as progress
from classay.resampling.folds import spread_of_folds
from classay.resampling.models import _downsampled, _synthesised, _upsampled
from classay.resampling.rank_tests import Results, friedman, skillings_mack
from classay.tables import ConfusionMatrix, ScoreTable
from classay.tables.class_scores import ClassRows


@pytest.mark.parametrize("name", BIASED)
def test_the_bias_of_a_weighted_mean_is_half_the_second_derivatives(name):
    cells = np.random.default_rng(1).integers(3, 40, (4, 4)).astype(float)
    measure, step = MEASURES[name], 1e-2
    value = lambda moved: float(measure(ConfusionMatrix(moved, (0, 1, 2, 3))))  # noqa: E731
    wanted = 0.0
    for at in np.ndindex(cells.shape):
        more, less = cells.copy(), cells.copy()
        more[at] += step
        less[at] -= step
        wanted += cells[at] / 2 * (value(more) - 2 * value(cells) + value(less)) / step**2
    matrix = ConfusionMatrix(cells.astype(int), (0, 1, 2, 3))
    assert bias_of_weights(measure, matrix, Design(matrix)) == pytest.approx(wanted, rel=1e-3)


NAMES = ["R10", "R2", "b", "A 3", "R1"]


@pytest.mark.parametrize("wrong", [1, 3, 8])
def test_a_cost_of_one_error_is_a_share_with_jeffreys_prior(wrong):
    """Of 29 cases; each cell beside the one that costs has its part of the prior: a half of each of two classes."""
    y, called = (np.repeat(each, [11, wrong, 1, 17 - wrong]) for each in ([0, 0, 1, 1], [0, 1, 0, 1]))
    found = ca.assess(y, y_pred=called).expected_cost({"fp": 1, "fn": 0}).per_case
    assert found.value == pytest.approx(wrong / 29)
    limits = beta.ppf([0.025, 0.975], wrong + 0.5, 29 - wrong + 1.5)
    assert [found.low, found.high] == pytest.approx(limits, rel=0.15)


def test_nothing_has_no_difference():
    found = mcnemar(PairedCounts(0, 0, 0, 0))
    assert np.isnan(found.effect.value)
    assert found.effect.reason == "there are no cases"


def test_cuts_lie_in_the_middle_and_reach_the_upper_only():
    rng = np.random.default_rng(4)
    low = np.concatenate([rng.normal(size=300) * 10.0 ** rng.integers(-280, 300, 300), [-1e308, -3.0, 0.0]])
    high = low + np.abs(low) * rng.choice([0.5, 1e-15, 1e-16, 3.0], low.size) + [*[0.0] * 302, 1e-3]
    low, high = low[low < high], high[low < high]
    cuts = halfway(low, high)
    assert ((low < cuts) & (cuts <= high)).all()
    for each in zip(low.tolist(), high.tolist(), cuts.tolist(), strict=True):
        one, other, cut = map(Fraction, each)
        assert cut == other or abs(cut - (one + other) / 2) <= max(abs(one), abs(other)) / 2**52


@pytest.mark.parametrize("cell", range(4))
def test_a_swap_of_labels_turns_sensitivity_into_specificity(cell):
    """Of each kind: flagged or not, ill or well, with many verified cases and with few."""
    for few in (4, 5):
        cells = [40, 40, 40, 40]
        cells[cell] = few
        ill, well, missed, cleared = cells
        found = from_counts((100, ill + well, ill), (300, missed + cleared, missed))
        turned = from_counts((300, missed + cleared, cleared), (100, ill + well, well))
        for one, other in ((found.sensitivity, turned.specificity), (found.specificity, turned.sensitivity)):
            assert one.value == pytest.approx(other.value, rel=1e-12)
            assert [one.low, one.high] == pytest.approx([other.low, other.high], rel=1e-12)
        share = (ill / (ill + well) * 100 + missed / (missed + cleared) * 300) / 400
        assert found.prevalence.value == pytest.approx(share)


def test_square_and_add_is_the_distance_of_two_vectors():
    rng = np.random.default_rng(6)
    for one, other in rng.normal(size=(20, 2, 3)):
        a, b = np.linalg.norm(one), np.linalg.norm(other)
        assert _apart(a, b, one @ other / (a * b)) == pytest.approx(np.linalg.norm(one - other))


def test_tests_of_all_models_are_scipys_and_say_whose_they_are():
    rng = np.random.default_rng(8)
    for k, n in ((3, 8), (4, 6), (6, 15)):
        values = rng.integers(0, 5, (n, k)).astype(float)
        results = Results(tuple("abcdef"[:k]), tuple(range(n)), values)
        chi2, p = friedmanchisquare(*values.T)
        one, other = friedman(results), skillings_mack(results)
        assert one.statistic == pytest.approx((n - 1) * chi2 / (n * (k - 1) - chi2))
        assert [other.statistic, other.p, other.df] == pytest.approx([chi2, p, k - 1])
        turned = replace(results, values=-values[::-1], better=-1)
        assert [friedman(turned).p, skillings_mack(turned).p] == pytest.approx([one.p, other.p])
        for level in (values * 0, np.where(np.arange(k) == 0, np.nan, values * 0)):
            alike = replace(results, values=level)
            for test, whose in ((skillings_mack, "Skillings"), (friedman, "Friedman")):
                if test is friedman and alike.missing:
                    continue
                found = test(alike)
                assert whose in found.reference
                if not alike.missing:
                    assert (found.p, found.statistic) == (1, 0)
                else:  # nothing is known of the first model
                    assert np.isnan(found.p)


def test_the_jackknife_of_blocks_is_t_or_refused_as_it_says():
    """With fewer than 16 blocks, 8 degrees of freedom or 30 cases called positive there is no interval."""
    rng = np.random.default_rng(9)
    seen = set()
    for _ in range(400):
        g = int(rng.integers(15, 18)) if rng.random() < 0.3 else int(rng.integers(16, 65))
        cases = np.zeros(64, int)
        cases[rng.permutation(64)[:g]] = 9
        apart = rng.standard_t(3, 64) * 1e-3
        called = int(rng.integers(28, 33)) if rng.random() < 0.3 else 90
        whole = {"precision": 0.5, "predicted_prevalence": called / cases.sum()}
        first = BlockValues((0, 1), 1, 0.9, cases, cases, whole, {"precision": 0.5 + apart})
        second = replace(first, without={"precision": np.full(64, 0.5)})
        used = apart[cases > 0]
        squares = (used - used.mean()) ** 2
        variance = (g - 1) / g * squares.sum()
        degrees = min(g - 1, 2 * squares.sum() ** 2 / (squares @ squares - squares.sum() ** 2 / g))
        why = {"blocks": g < 16, "few": degrees < 8, "called": called < 30}
        found = compare_saved(first, second, "precision")
        edges = {("edge", 7.2 < degrees < 8), ("over", 8 < degrees < 8.8)}
        seen |= set(why.items()) | edges
        assert (found.reason is None) == (not any(why.values())), (g, degrees, called)
        if found.reason is None:
            half = student_t.ppf(0.95, degrees) * variance**0.5
            assert [found.effect.low, found.effect.high] == pytest.approx([-half, half])
    assert len(seen) == 10


SCORES_ALL = [each for each in MEASURES.values() if each.needs == "scores"]


@pytest.mark.parametrize("measure", SCORES_ALL, ids=lambda each: each.name)
def test_of_signals_a_measure_is_of_ranks_or_nothing(measure):
    rng = np.random.default_rng(10)
    score, y = rng.integers(1, 20, 60) / 20, rng.random(60) < 0.4
    one, other = (float(measure(ScoreTable.from_rows(each, y))) for each in (score, 3 * score - 1))
    assert np.isnan(other) or other == pytest.approx(one)


def test_parts_of_the_brier_score_by_brute_force():
    rng = np.random.default_rng(11)
    score, y = rng.integers(0, 100, 80) / 100 + 0.005, rng.random(80) < 0.4
    table = ScoreTable.from_rows(score, y)
    at = np.minimum((score * 5).astype(int), 4)
    o, f = (np.bincount(at, each)[at] / np.bincount(at)[at] for each in (y, score))
    wanted = [
        np.mean((f - o) ** 2),
        np.mean((o - y.mean()) ** 2),
        y.mean() * (1 - y.mean()),
        np.mean((score - f) ** 2),
        2 * np.mean((score - f) * (y - o)),
    ]
    found = binned_murphy(table, equal_width_bins(table, bins=5))
    assert [float(each) for each in found] == pytest.approx(wanted)
    rel, res, unc, within, both = murphy_decomposition(table)
    assert rel - res + unc == pytest.approx(np.mean((score - y) ** 2))
    assert [within, both] == pytest.approx([0, 0], abs=1e-12)
    signals = ScoreTable.from_rows(3 * score - 1, y)
    assert np.isnan([*murphy_decomposition(signals)]).all()


@pytest.mark.parametrize("how", ["cluster", "weight", ""])
def test_a_comparison_says_how_many_it_is_of(how):
    rng = np.random.default_rng(12)
    y, one, other = rng.integers(0, 2, 60), rng.random(60), rng.random(60)
    rows = {"cluster": rng.integers(0, 23, 60)} if how == "cluster" else {}
    rows |= {"weight": rng.random(60) + 0.5} if how == "weight" else {}
    found = ca.compare({"a": one, "b": other}, y, **rows)
    facts = dict(found.facts)
    assert facts.get("clusters") == (str(np.unique(rows["cluster"]).size) if how == "cluster" else None)


@pytest.mark.parametrize("kind", ["steps", "steps_back"])
def test_steps_drawn_as_a_line_are_the_same_function(kind):
    rng = np.random.default_rng(13)
    x, y = np.sort(rng.random(9)), rng.random(9)
    line = _with_corners(Curve("cost", "Cost", x, y, "x", "y", kind=kind))
    for i in range(8):
        between = np.interp(x[i] * 0.3 + x[i + 1] * 0.7, line.x, line.y)
        assert between == pytest.approx(y[i] if kind == "steps" else y[i + 1])
    assert (line.x[[0, -1]] == x[[0, -1]]).all()
    assert line.kind == "line"


@pytest.mark.parametrize("few", [2, 3, 5, 6, 7, 9])
def test_every_balance_makes_classes_equal_from_two_cases_on(few):
    pytest.importorskip("imblearn")
    rng = np.random.default_rng(14)
    y = np.repeat([0, 1], [20, few])
    X = rng.normal(size=(y.size, 2)) + y[:, None]
    made, labels = _synthesised(X, y, np.bincount(y), np.random.RandomState(0))
    assert np.bincount(labels).tolist() == [20, 20]
    own = X[y == 1]
    new = made[y.size :]
    assert ((own.min(0) <= new) & (new <= own.max(0))).all()  # between cases of the class
    for of, wanted in ((_upsampled, 20), (_downsampled, few)):
        rows = of(y, np.bincount(y), np.random.RandomState(0))
        assert np.bincount(y[rows]).tolist() == [wanted, wanted]


def test_progress_is_told_now_and_then(monkeypatch):
    clock, said = [0.0], []
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(progress, "_say", said.append)
    lines = progress._Lines({"a": 100, "b": 100})
    for done in range(1, 201):
        clock[0] += progress.EVERY / 4
        lines.advance("a", f"{done}")
    assert len(said) == 1 + 50
    for k, text in enumerate(said[1:], 1):
        assert text.startswith(f"{4 * k} of 200 fits, ")
        assert text.endswith(f"; a {4 * k}")


@pytest.mark.parametrize("few", [1, TINY - 1, TINY, TINY + 1])
@pytest.mark.parametrize("how", ["", "frequency", "weight"])
def test_a_class_of_few_cases_is_told_of(few, how):
    y = np.repeat([0, 1], [3 * TINY, few])
    rows = {"frequency": {how: np.ones(y.size, int)}, "weight": {how: 1 + np.arange(y.size) / 999}, "": {}}[
        how
    ]
    codes = {each.code for each in warnings(ca.assess(y, y_pred=np.arange(y.size) % 2, **rows))}
    assert ("tiny_class" in codes) == (few < TINY and how != "weight")


def test_the_mean_of_the_largest_distance_of_a_bridge():
    """E max |B| = sqrt(pi / 2) ln 2, of Kolmogorov's distribution."""
    assert pytest.approx((np.pi / 2) ** 0.5 * np.log(2), abs=1e-6) == BRIDGE
    assert pytest.approx(kstwobign.mean(), abs=1e-6) == BRIDGE


@pytest.mark.parametrize(
    "share", ["recall", "precision", "jaccard", "specificity", "negative_predictive_value"]
)
def test_the_parts_of_a_share_are_counts_of_one_against_the_rest(share):
    rng = np.random.default_rng(16)
    cells = rng.integers(0, 5, (3, 4, 4))  # clusters, predicted, true
    hits = cells.diagonal(axis1=1, axis2=2).T
    counted, rest = _of_parts(share, hits, cells.sum(2).T - hits, cells.sum(1).T - hits)
    for cluster, label in np.ndindex(3, 4):
        own = np.arange(4) == label
        tp, fp, fn, tn = (cells[cluster][np.ix_(a, b)].sum() for a in (own, ~own) for b in (own, ~own))
        wanted = {
            "recall": (tp, fn),
            "precision": (tp, fp),
            "jaccard": (tp, fp + fn),
            "specificity": (tn, fp),
            "negative_predictive_value": (tn, fn),
        }[share]
        assert (counted[label, cluster], rest[label, cluster]) == wanted


@pytest.mark.parametrize("cut", [-1, 0, 3, 17, 99])
def test_few_scores_are_resampled_each_by_itself(cut):
    rng = np.random.default_rng(17)
    table = ScoreTable.from_rows(rng.permutation(18) / 18, np.arange(18) % 2 == 0)
    groups = Groups.of(table, cut)
    assert groups.starts.tolist() == [*range(18)]
    assert groups.lowest.tolist() == table.scores.tolist()


def test_rows_of_class_scores_without_weights_count_one_beside_those_with():
    rng = np.random.default_rng(18)
    scores, true, weight = rng.random((9, 3)), rng.integers(0, 3, 9), rng.random(9) + 1
    parts = ClassRows.of(scores[:4], true[:4], None), ClassRows.of(scores[4:], true[4:], weight[4:])
    for one, other in (parts, parts[::-1]):
        both = np.where(np.arange(9) < 4, 1, weight)
        assert (one + other).totals == pytest.approx(np.bincount(true, both, 3))


@pytest.mark.parametrize("size", [2, 5, 10])
def test_intervals_of_folds_are_those_of_textbooks(size):
    values = np.random.default_rng(size).random(size)
    found = spread_of_folds(values, 1 / (size - 1), 0.9)
    mean, sd = values.mean(), values.std(ddof=1)
    corrected = student_t.ppf(0.95, size - 1) * sd * (1 / size + 1 / (size - 1)) ** 0.5
    for one, half in (
        (found.naive_t, student_t.ppf(0.95, size - 1) * sd / size**0.5),
        (found.naive_z, norm.ppf(0.95) * sd / size**0.5),
        (found.textbook_t, student_t.ppf(0.95, size - 1) * values.std() / size**0.5),
    ):
        assert [one.value, one.low, one.high] == pytest.approx([mean, mean - half, mean + half])
    assert found.factor == pytest.approx(corrected / (found.naive_t.high - mean))
