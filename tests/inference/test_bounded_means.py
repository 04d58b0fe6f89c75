"""Means of graded values between bounds: one pseudo-case added at the farther bound; its laws (statistics-3b, A5)."""

import json
from pathlib import Path

import numpy as np
import pytest

from classay.inference.bounded_means import FARTHER_BOUND, mean_between
from classay.inference.design import Design

ORACLE = json.loads((Path(__file__).parents[1] / "oracles" / "unequal_clusters.json").read_text())["A5"]
GRADES = np.repeat([1, 0.75, 0.5, 0.0], [34, 3, 2, 1])


def ends_of(values, bounds=(0.0, 1.0), **how):
    design = Design.of_rows(values.size, **how)
    weight = design.places.weight
    influence = (values - np.average(values, weights=weight)) / weight.sum()
    found = mean_between(values, bounds, design, design.spread(influence, degrees="units"), 0.95)
    return np.array(found[:2]), found[2]


def test_the_end_towards_the_farther_bound_has_one_more_case_there():
    ends, method = ends_of(GRADES)
    assert ends == pytest.approx([ORACLE["low_with_one_more_0"], ORACLE["wilson"][1]], abs=1e-9)
    assert method == f"Wilson, {FARTHER_BOUND}"
    assert ends_of(1 - GRADES)[0] == pytest.approx(1 - ends[::-1], abs=1e-12)
    assert ends_of(5 * GRADES - 2, (-2.0, 3.0))[0] == pytest.approx(5 * ends - 2, abs=1e-12)
    assert ends_of(GRADES[::-1])[0] == pytest.approx(ends, abs=1e-12)


def test_values_of_0_and_1_have_the_interval_of_labels():
    assert FARTHER_BOUND not in ends_of(np.repeat([0.0, 1.0], [3, 37]))[1]


def test_frequencies_are_repeated_rows_and_clusters_of_one_case_hardly_matter():
    times = 1 + np.arange(40) % 3
    repeated = ends_of(np.repeat(GRADES, times))[0]
    assert ends_of(GRADES, frequency=times)[0] == pytest.approx(repeated, abs=1e-12)
    cluster = np.arange(40) // 4
    doubled = ends_of(np.repeat(GRADES, times), cluster=np.repeat(cluster, times))[0]
    assert ends_of(GRADES, frequency=times, cluster=cluster)[0] == pytest.approx(doubled, abs=1e-12)
    many = np.tile(GRADES, 20)
    assert ends_of(many, cluster=np.arange(800))[0] == pytest.approx(ends_of(many)[0], abs=1e-3)


@pytest.mark.parametrize("cluster", [None, np.arange(40) // 4])
def test_the_unit_of_weights_changes_nothing(cluster):
    weight, how = 1.0 + np.arange(40) % 4, {} if cluster is None else {"cluster": cluster}
    one, two = (ends_of(GRADES, weight=by * weight, **how)[0] for by in (1, 2))
    assert two == pytest.approx(one, rel=1e-12)
    assert one[0] < ends_of(GRADES)[0][0]  # unequal cases say less


def test_clusters_of_unlike_cases_say_as_much_as_their_cases():
    """One more case then counts as one of the cases, not as one of the clusters; clusters of copies are one case."""
    rng = np.random.default_rng(5)
    values, cluster = rng.choice([1.0, 0.95], 800, p=[0.8, 0.2]), np.arange(800) // 20
    mean, (alone, _), (low, _) = values.mean(), ends_of(values)[0], ends_of(values, cluster=cluster)[0]
    assert mean - low == pytest.approx(mean - alone, rel=0.3)
    few = values[::20]
    copied = ends_of(np.repeat(few, 20), cluster=cluster)[0]
    assert copied == pytest.approx(ends_of(few)[0], abs=0.01)
