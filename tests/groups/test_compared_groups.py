"""Groups at once: each estimate is the one that the group has by itself, whoever its cases are."""

import numpy as np
import pytest

import classay as ca
from classay.assessment.main_measures import of_probabilities, resting_on, too_few
from classay.groups.compared_groups import SubgroupSet
from classay.groups.criteria import CRITERIA
from classay.inference import groups_at_once
from classay.measures import MEASURES, get

NAMES = (*dict.fromkeys(name for each in CRITERIA for name in each.measures), "prevalence")


def rows(kind, n=1500, groups=17, seed=0):
    rng = np.random.default_rng(seed)
    group = np.minimum(rng.geometric(0.25, n) - 1, groups - 1)
    y = rng.integers(0, 2, n)
    p = 1 / (1 + np.exp(1 - 2 * y - rng.normal(size=n)))
    y[group == 3], y[group == 5], p[group == 4] = 0, 1, 0.5
    if kind == "ties":
        p = p.round(1)
    if kind == "single":
        p = p.astype(np.float32)
    if kind == "certain":
        p = np.where(rng.random(n) < 0.2, (p > 0.5) * 1.0, p)
        p[group == 6] = y[group == 6]
    if kind == "apart":
        p[group == 2] = np.where(y[group == 2], 0.9, 0.1) + rng.random((group == 2).sum()) / 100
    if kind == "beyond":
        p = 5 * p
    return y, p, group


def same(ours, theirs):
    assert (ours.level, ours.method, ours.reason) == (theirs.level, theirs.method, theirs.reason)
    wanted = [theirs.value, theirs.low, theirs.high]
    assert [ours.value, ours.low, ours.high] == pytest.approx(wanted, rel=1e-11, abs=1e-13, nan_ok=True)


@pytest.mark.parametrize("kind", ["plain", "ties", "single", "certain", "apart", "beyond"])
def test_groups_at_once_are_those_that_each_has_by_itself(kind, monkeypatch):
    monkeypatch.setattr(groups_at_once, "PART", 300)
    y, p, group = rows(kind)
    s = ca.assess_by(y, p, by=group, threshold=0.4)
    g = SubgroupSet(s.groups, s.overall)
    for name in NAMES:
        if kind == "beyond" and of_probabilities(name):
            continue
        for level in (0.95, 0.999):
            found = g.estimates(get(name), level)
            for label, part in s.groups.items():
                same(found[label], part.changed(level=level).estimate(name))
        for label, why in g.why_not(get(name)).items():
            own = s[label].estimate(name)
            few = too_few(get(name), s[label], "")
            none = "" if own.has_interval else f"no CI: {own.reason}"
            assert why == ((own.reason or "undefined") if own.is_undefined else few or none)


def test_every_share_of_labels_is_the_same_at_once():
    y, p, group = rows("ties")
    s = ca.assess_by(y, y_pred=(p > 0.3).astype(int), by=group, positive=1)
    g = SubgroupSet(s.groups, s.overall)
    for name in (each.name for each in MEASURES.values() if each.needs in ("counts", "margins")):
        for label, found in g.estimates(get(name)).items():
            same(found, s[label].estimate(name))


def test_they_are_made_at_once_where_cases_are_alike_and_one_by_one_elsewhere(monkeypatch):
    y, p, group = rows("plain")
    taken = []
    monkeypatch.setattr(SubgroupSet, "_alone", lambda self, label, measure, level: taken.append(label))
    for options, alone in (
        ({}, [5]),
        ({"weight": p + 1}, [*range(17)]),
        ({"interval": "Wald"}, [*range(17)]),
    ):
        s = ca.assess_by(y, p, by=group, **options)
        taken.clear()
        SubgroupSet(s.groups, s.overall).estimates(get("false_positive_rate"))
        assert taken == [each for each in alone if each in s.groups]


@pytest.mark.parametrize("others", [1.0, 4.0, 20.0])
@pytest.mark.parametrize(
    ("measure", "of"), [("recall", 1), ("specificity", 0), ("mean_probability_of_positives", 1)]
)
def test_the_weight_of_other_cases_does_not_take_from_those_a_measure_rests_on(measure, of, others):
    n = 400
    group, y = np.repeat(["a", "b"], n), np.tile(np.arange(n) < 38, 2).astype(int)
    score = np.clip(np.random.default_rng(3).normal(0.4 + 0.2 * y, 0.2), 0, 1)
    plain, weighted = (
        ca.assess_by(y, score, by=group, weight=np.where(y == of, 1.0, by)) for by in (1.0, others)
    )
    for label in "ab":
        cases = resting_on(get(measure), weighted[label])
        assert cases == pytest.approx((group == label)[y == of].sum())
    one, other = plain.disparity(measure).estimate, weighted.disparity(measure).estimate
    assert (other.value, other.low, other.high) == pytest.approx((one.value, one.low, one.high), rel=0.01)
