"""Measures of class scores that are found in one pass over each class equal those of its tables, one by one."""

from dataclasses import replace

import numpy as np
import pytest

import classay as ca
from classay.compiled import COMPILE_FROM
from classay.inference.scores import mean_aucs
from classay.measures import MEASURES, expected_calibration_error, roc_auc
from classay.measures.class_pairs import ranked_pairs
from classay.tables import ClassScoreTable
from classay.tables.cases import CaseValues

KINDS = ("counts", "weights", "ties", "float32", "a rare class")


def made(kind, n, k):
    """Rows of class scores; as many as the kernels are compiled for where n·k is large."""
    rng = np.random.default_rng(11)
    true = rng.integers(0, k - 1 if kind == "a rare class" else k, n).astype(np.int8)  # as labels are coded
    if kind == "a rare class":
        true[:3] = k - 1
    logits = rng.normal(size=(n, k))
    logits[np.arange(n), true] += 1.5
    scores = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    scores = scores.round(1) if kind == "ties" else scores.astype(np.float32 if kind == "float32" else float)
    weight = {"weight": rng.random(n)} if kind == "weights" else {}
    return ClassScoreTable.from_rows(scores, true, tuple(range(k)), **weight), scores, true


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "k"), [(300, 4), (COMPILE_FROM // 20 + 1, 20)])
def test_means_over_pairs_and_classes_by_their_tables(kind, n, k):
    table, _, _ = made(kind, n, k)
    pairs = {(i, j): table.one_vs_one(i, j) for i in range(k) for j in range(k) if i != j}
    aucs = {pair: float(roc_auc(each)) for pair, each in pairs.items()}
    sizes = {pair: float(each.n_positive + each.n_negative) for pair, each in pairs.items()}
    rests = [table.one_vs_rest(i) for i in range(k)]
    against_rest = [float(roc_auc(each)) for each in rests]
    found = ranked_pairs(table).aucs
    for pair, auc in aucs.items():
        assert found[pair] == pytest.approx(auc, rel=1e-12)
    for name, wanted in {
        "hand_till_auc": np.mean([*aucs.values()]),
        "weighted_one_vs_one_roc_auc": np.average([*aucs.values()], weights=[*sizes.values()]),
        "macro_roc_auc": np.mean(against_rest),
        "weighted_roc_auc": np.average(against_rest, weights=[float(each.n_positive) for each in rests]),
    }.items():
        assert float(ca.measures.get(name)(table)) == pytest.approx(wanted, rel=1e-12), name
    if kind != "ties":  # rounded scores are no probabilities
        wanted = np.mean([float(expected_calibration_error(each)) for each in rests])
        assert float(MEASURES["classwise_calibration_error"](table)) == pytest.approx(wanted, rel=1e-12)
    # of an earlier file, which has the sorted scores of each class alone
    runs = replace(table, rows=None, kept=table.sorted_scores())
    for name in ("macro_roc_auc", "classwise_calibration_error"):
        measure = MEASURES[name]
        assert float(measure(runs)) == pytest.approx(float(measure(table)), rel=1e-12, nan_ok=True)
        assert measure.why_undefined(runs) == measure.why_undefined(table)


def placed_rows(kind, n, k):
    """Class scores of cases that tie, weigh, repeat, or are infinite; of k classes the last may have no case."""
    rng = np.random.default_rng(5)
    true = rng.integers(0, k - (kind == "an empty class"), n).astype(np.int8)  # as labels are coded
    scores = rng.normal(size=(n, k)) + 1.2 * np.eye(k)[true]
    weights = {
        "weights": {"weight": rng.gamma(2, size=n)},
        "frequencies": {"frequency": rng.integers(1, 5, n)},
    }
    if kind == "crowded":
        scores = np.where(rng.random((n, k)) < 0.01, -1e300, 0.5 + scores / 1e12)
    if kind == "ties":
        scores = np.where(rng.random((n, k)) < 0.1, np.copysign(np.inf, scores), scores.round(1))
    if kind == "repeated":
        scores, true = np.repeat(scores[: n // 2], 2, axis=0), np.repeat(true[: n // 2], 2)
    return scores, true, weights.get(kind, {})


PLACED = ("plain", "ties", "crowded", "weights", "frequencies", "repeated", "an empty class")


@pytest.mark.parametrize("kind", PLACED)
@pytest.mark.parametrize(("n", "k"), [(90, 3), (COMPILE_FROM // 6 + 2, 6)])
def test_placed_cases_are_those_of_sorted_scores(kind, n, k):
    """What cases say without a sort of each class's scores equals what the sorted scores say, entry by entry."""
    scores, true, weight = placed_rows(kind, n, k)
    table = ClassScoreTable.from_rows(scores, true, tuple(range(k)), **weight)
    kept = table.sorted_scores()
    pairs, wanted = (ranked_pairs(each) for each in (table, ClassScoreTable(table.labels, None, kept)))
    if kind not in ("weights", "an empty class"):
        np.testing.assert_array_equal(pairs.above, wanted.above)
    np.testing.assert_allclose(pairs.aucs, wanted.aucs, rtol=1e-12)
    means, sums = mean_aucs.MeanAucs.of(table), np.zeros((true.size, len(mean_aucs.AUCS)))
    for own in np.flatnonzero(means.totals):
        run = kept.runs[own]
        means.of_class(run, own, scores.size).add(kept.cases.entry.T[own], kept.cases.true, sums, scores.size)
    found = mean_aucs.influences(table.rows, means)
    np.testing.assert_allclose(found.T, sums, rtol=1e-9, atol=1e-12 * np.abs(sums).max())


@pytest.mark.parametrize("kind", PLACED[:-1])
def test_the_order_of_rows_and_the_way_to_them_change_no_bit(kind):
    """Rows in another order, those of two tables added, and those read from sorted scores are the same table."""
    scores, true, weight = placed_rows(kind, 400, 4)
    at = np.random.default_rng(1).permutation(true.size)

    def table(rows):
        each = {name: values[rows] for name, values in weight.items()}
        return ClassScoreTable.from_rows(scores[rows], true[rows], (0, 1, 2, 3), **each)

    whole, cut = table(np.arange(true.size)), true.size // 3
    others = (
        table(at),
        table(at[:cut]) + table(at[cut:]),
        ClassScoreTable.of_runs(whole.labels, whole.sorted_scores()),
    )
    for other in others:
        for name in mean_aucs.AUCS:
            measure = ca.measures.get(name)
            value = float(measure(whole))
            assert float(measure(other)) == value
            found = [mean_aucs.mean_auc(measure, each, value, None, 0.95) for each in (whole, other)]
            assert found[0] == found[1]


@pytest.mark.parametrize("weighted", [False, True])
def test_a_perfect_ranking_is_exactly_one(weighted):
    true = np.repeat(np.arange(3), 7)
    weight = {"weight": np.random.default_rng(1).random(21)} if weighted else {}
    table = ClassScoreTable.from_rows(np.eye(3)[true], true, (0, 1, 2), **weight)
    for name in mean_aucs.AUCS:
        assert float(ca.measures.get(name)(table)) == 1.0, name


def test_the_number_of_threads_changes_no_bit(monkeypatch):
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("CLASSAY_THREADS", threads)
        table, _, _ = made("ties", COMPILE_FROM // 5, 7)
        found.append(
            [mean_aucs.mean_auc(ca.measures.get(name), table, 0.7, None, 0.95) for name in mean_aucs.AUCS]
        )
    assert found[0] == found[1]


@pytest.mark.parametrize("kind", KINDS)
def test_what_each_case_shows(kind):
    _, scores, true = made(kind, COMPILE_FROM // 4 + 1, 4)
    values = CaseValues.of(scores, true)
    own = scores[np.arange(true.size), true]
    ahead = np.arange(4) < true[:, None]
    np.testing.assert_array_equal(
        values.rank, ((scores > own[:, None]) | ((scores == own[:, None]) & ahead)).sum(1)
    )
    np.testing.assert_array_equal(values.best, scores.argmax(1))
    np.testing.assert_array_equal(values.top, scores.max(1))
    np.testing.assert_array_equal(values.tied, (np.sort(scores, 1)[:, -1:] == scores).sum(1) > 1)
    if not values.improper.any():
        losses = ((scores.astype(float) - np.eye(4)[true]) ** 2).sum(1)
        np.testing.assert_allclose(values.brier, losses, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(values.log_loss, -np.log(own.astype(float)), rtol=1e-12)
