"""Operating points: what stands in the page's table is what the scores' table says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classay.curves.curve import entry
from classay.curves.display import MARKED, OperatingPoints, marks
from classay.tables import ScoreTable

SCORES = st.lists(st.integers(0, 8), min_size=1, max_size=40)


def table_of(scores, truth, dtype=np.float64, weight=None):
    return ScoreTable.from_rows(np.asarray(scores, dtype), np.asarray(truth, bool), weight=weight)


@given(SCORES, st.data(), st.sampled_from([np.float32, np.float64]))
def test_every_point_is_the_matrix_of_its_threshold(scores, data, dtype):
    truth = data.draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)))
    cutoff = data.draw(st.sampled_from([-1.0, 0.1, 0.35, 0.4, 0.8, 2.0]))
    table = table_of(np.asarray(scores) / 10, truth, dtype)
    points = OperatingPoints.of(table, cutoff)
    assert points.threshold[points.chosen] == pytest.approx(cutoff)
    assert (np.diff(points.threshold) < 0).all()
    assert not points.are_thinned
    for t, tp, fp in zip(points.threshold, points.tp, points.fp, strict=True):
        expected = table.at(t).one_vs_rest(True)
        assert (tp, fp) == expected[:2]
    tp, fp, fn, tn = table.at(cutoff).one_vs_rest(True)
    assert (points.tp[points.chosen], points.fp[points.chosen]) == (tp, fp)
    assert (points.positives, points.negatives) == (tp + fn, fp + tn)


@pytest.mark.parametrize("share", [0.5, 0.001])
@pytest.mark.parametrize("weighted", [False, True])
def test_of_many_thresholds_few_are_kept_and_no_rate_jumps(share, weighted):
    rng = np.random.default_rng(0)
    truth = rng.random(100_000) < share
    weight = rng.uniform(0.1, 3, truth.size) if weighted else None
    table = table_of(rng.normal(size=truth.size) + truth, truth, weight=weight)
    points = OperatingPoints.of(table, 0.7)
    assert points.are_thinned
    assert points.threshold.size <= 2002
    assert (points.threshold[1], points.threshold[-1]) != (0.7, 0.7)
    for t, tp, fp in zip(points.threshold[::50], points.tp[::50], points.fp[::50], strict=True):
        expected = table.at(t).one_vs_rest(True)
        assert (tp, fp) == pytest.approx(expected[:2])
    for counts, total, each in (
        (points.tp, points.positives, table.positives),
        (points.fp, points.negatives, table.negatives),
    ):
        assert np.diff(counts).max() <= total / 500 + each.max()
    chosen = table.at(0.7).one_vs_rest(True)
    assert (points.tp[points.chosen], points.fp[points.chosen]) == pytest.approx(chosen[:2])


def test_the_page_does_not_grow_with_the_rows():
    rng = np.random.default_rng(0)
    sizes = [
        OperatingPoints.of(table_of(rng.random(n), rng.random(n) < 0.4), 0.5).threshold.size
        for n in (5_000, 200_000)
    ]
    assert sizes[1] < 1.5 * sizes[0]


@pytest.mark.parametrize("name", MARKED)
@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.55])
def test_a_mark_lies_on_its_curve(name, threshold):
    rng = np.random.default_rng(1)
    truth = rng.random(200) < 0.4
    table = table_of(np.round(np.clip(0.3 * truth + 0.7 * rng.random(200), 0, 1), 2), truth)
    place, *line = marks([name], table, threshold)[name]
    assert (place.kind, place.series) == ("mark", f"threshold {threshold:g}")
    if name == "cost":  # the envelope is below every single threshold
        assert place.y[0] >= np.interp(place.x[0], *_of(entry(name).curves(table)[0]))
        assert np.interp(place.x, line[0].x, line[0].y) == pytest.approx(place.y)
        return
    at = table.scores[table.scores >= threshold][-1]
    curve = entry(name).curves(table)[0]
    near = np.argmin(np.abs(curve.threshold - (threshold if name == "net_benefit" else at)))
    if name == "net_benefit" and threshold == 0.55:
        near = 55
    assert (place.x[0], place.y[0]) == pytest.approx((curve.x[near], curve.y[near]))


def _of(curve):
    return curve.x, curve.y


@pytest.mark.parametrize(
    ("name", "threshold"), [("net_benefit", 1.0), ("precision_recall", 2.0), ("lift", 2.0)]
)
def test_where_a_threshold_has_no_place_nothing_is_marked(name, threshold):
    assert marks([name], table_of([0.9, 0.4, 0.2], [True, False, True]), threshold) == {name: ()}
