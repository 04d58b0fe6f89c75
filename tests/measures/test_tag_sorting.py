"""Ranking by sorting finds what ranking by places finds."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import average_precision_score, roc_auc_score

from classay.columns.labels import Labels
from classay.compiled import compiled_at_once
from classay.measures.tag_ranking import is_sortable, ranked, ranked_by_sorting, tag_ranking
from classay.tables.tag_scores import TagScores


def entries(rng, rows, columns, levels):
    score = (rng.random((rows, columns)) ** 6).astype(np.float32)
    if levels:
        score = np.round(score * levels - levels // 2).astype(np.float32)  # with ties, and both signs
    return score, rng.random((rows, columns)) < 0.05 + 0.3 * (score > np.median(score))


@pytest.mark.parametrize("columns", [1, 7])
@pytest.mark.parametrize("levels", [0, 1, 5, 1000])
@pytest.mark.parametrize("threads", [1, 2])
def test_sorting_equals_places(columns, levels, threads):
    rng = np.random.default_rng(levels)
    score, true = entries(rng, 3000, columns, levels)
    plain, sums = ranked(score, true, np.ones(3000))
    found, fast = ranked_by_sorting(score, true, threads)
    assert found.auc == pytest.approx(roc_auc_score(true.ravel(), score.ravel()), abs=1e-12)
    assert found.ap == pytest.approx(average_precision_score(true.ravel(), score.ravel()), abs=1e-12)
    for name in ("auc", "ap", "positives", "negatives"):
        assert getattr(found, name) == pytest.approx(getattr(plain, name), rel=1e-12)
    np.testing.assert_allclose(fast, sums, rtol=1e-9, atol=1e-15)


def test_one_class_alone_has_no_area():
    found, sums = ranked_by_sorting(np.ones((9, 2), np.float32), np.zeros((9, 2), bool))
    assert np.isnan(found.auc)
    assert np.isnan(sums).all()


def test_a_table_is_ranked_alike_both_ways():
    score, true = entries(np.random.default_rng(1), 400, 6, 20)
    narrow, wide = (
        TagScores(Labels.of(range(6)), csr_array(true.astype(np.int8)), score.astype(kind))
        for kind in ("f4", "f8")
    )
    assert is_sortable(narrow)
    assert not is_sortable(wide)
    with compiled_at_once():
        here, there = tag_ranking(narrow), tag_ranking(wide)
        np.testing.assert_allclose(here.aucs, there.aucs, rtol=1e-12)
        np.testing.assert_allclose(here.of_aps, there.of_aps, rtol=1e-9, atol=1e-15)
        np.testing.assert_allclose(here.influences, there.influences, rtol=1e-9, atol=1e-15)
        np.testing.assert_allclose(here.micro.of_auc, there.micro.of_auc, rtol=1e-9, atol=1e-15)
        np.testing.assert_allclose(here.micro.of_ap, there.micro.of_ap, rtol=1e-9, atol=1e-15)
