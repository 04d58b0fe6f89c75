"""Ranking by sorting finds what ranking by places finds, for scores of both widths, weights and absent scores."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import average_precision_score, roc_auc_score

import classay as ca
from classay.columns.labels import Labels
from classay.compiled import compiled_at_once
from classay.multilabel import tag_ranking as tag_ranking_module
from classay.multilabel.tag_ranking import pooled, ranked, tag_ranking
from classay.multilabel.tag_scores import MultilabelScores
from near import same_to_rounding


def entries(rng, rows, columns, levels):
    score = rng.random((rows, columns)) ** 6
    if levels:
        score = np.round(score * levels - levels // 2)  # with ties, and both signs
    return score, rng.random((rows, columns)) < 0.05 + 0.3 * (score > np.median(score))


@pytest.mark.covering(1)
@pytest.mark.parametrize("levels", [0, 1, 5, 1000])
@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("in_rows", [False, True])
def test_sorting_equals_places(levels, kind, weighted, in_rows):
    rng = np.random.default_rng(levels)
    score, true = entries(rng, 500, 7, levels)
    score, rows = score.astype(kind), np.repeat(np.arange(500), 7)
    weight = rng.integers(0, 3, 500) / 2 if weighted else None
    each = None if weight is None else weight[rows]
    own = np.empty((2, score.size))
    plain = ranked(score.ravel(), true.ravel(), each, 12.5, *own)
    with compiled_at_once():
        found, sums = pooled(score.ravel(), true.ravel(), None if in_rows else rows, weight, 12.5, 500)
    padded = [
        np.append(values, last)
        for values, last in (
            (true.ravel(), False),
            (score.ravel(), 0),
            (np.ones(3500) if each is None else each, 12.5),
        )
    ]
    assert found.auc == pytest.approx(roc_auc_score(*padded[:2], sample_weight=padded[2]), abs=1e-12)
    assert found.ap == pytest.approx(average_precision_score(*padded[:2], sample_weight=padded[2]), abs=1e-12)
    for name in ("auc", "ap", "positives", "negatives"):
        assert getattr(found, name) == pytest.approx(getattr(plain, name), rel=1e-12)
    assert found.rest == pytest.approx(plain.rest, rel=1e-9, abs=1e-15)
    np.testing.assert_allclose(sums, own.reshape(2, 500, 7).sum(2).T, rtol=1e-9, atol=1e-14)


def rare(rng, size):
    true = rng.random(size) < 0.004
    return true, 1 / (1 + np.exp(-(1.5 * rng.normal(size=size) + 2 * true - 4)))


def calibrated(rng, size):
    score = rng.random(size) ** 6
    return rng.random(size) < score, score


def apart(rng, size):
    true = rng.random(size) < 0.05
    return true, rng.normal(size=size) + 4 * true


def backwards(rng, size):
    true = rng.random(size) < 0.7
    return true, rng.random(size) - 0.5 * true


@pytest.mark.parametrize("population", [rare, calibrated, apart, backwards])
@pytest.mark.parametrize("sparse", [False, True])
def test_intervals_from_groups_are_those_of_all_scores(monkeypatch, population, sparse):
    """They move by less than 1e-6 of their half-width, with half as many groups too, and values by nothing."""
    monkeypatch.setattr(tag_ranking_module, "AND_PER_ROOT", tag_ranking_module.AND_PER_ROOT / 2)
    rng = np.random.default_rng(5)
    cases = rng.normal(size=(20_000, 1)) if population is apart else 0.0
    true, score = population(rng, (20_000, 12))
    score = score + 0.5 * cases  # so that tags of one case go together
    if sparse:
        score = csr_array(score * (true | (rng.random(score.shape) < 0.3)))
    found, names = [], ("micro_roc_auc", "micro_average_precision")
    for sort in (tag_ranking_module.sorted_run, lambda *_: None):
        monkeypatch.setattr(tag_ranking_module, "sorted_run", sort)
        with compiled_at_once():
            found.append(ca.assess(true, score, threshold=0.5).estimates(names))
    for name in names:
        same_to_rounding(*(each[name] for each in found), name)


def test_one_class_alone_has_no_area():
    rows = np.repeat(np.arange(9), 2)
    with compiled_at_once():
        found, sums = pooled(np.ones(18), np.zeros(18, bool), rows, None, 0.0, 9)
    assert np.isnan(found.auc)
    assert np.isnan(sums).all()


@pytest.mark.parametrize("sparse", [False, True])
def test_a_table_is_ranked_alike_by_loops(sparse):
    score, true = entries(np.random.default_rng(1), 400, 6, 20)
    truth = csr_array(true.astype(np.int8))
    plain, fast = (
        MultilabelScores(Labels.of(range(6)), truth, csr_array(score) if sparse else score.astype(kind))
        for kind in ("f8", "f4")
    )
    here = tag_ranking(plain)
    of_auc, of_ap = here.micro.of_auc, here.micro.of_ap
    with compiled_at_once():
        there = tag_ranking(fast)
        np.testing.assert_allclose(there.aucs, here.aucs, rtol=1e-12)
        np.testing.assert_allclose(there.of_aps, here.of_aps, rtol=1e-9, atol=1e-15)
        both = [each.toarray() if sparse else each for each in (there.influences, here.influences)]
        np.testing.assert_allclose(*both, rtol=1e-9, atol=1e-15)
        np.testing.assert_allclose(there.micro.of_auc, of_auc, rtol=1e-9, atol=1e-15)
        np.testing.assert_allclose(there.micro.of_ap, of_ap, rtol=1e-9, atol=1e-15)
