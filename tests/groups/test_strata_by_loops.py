"""Groups within strata: gaps over strata by loops over pairs of groups, who is left out and why, and pools."""

from itertools import permutations

import numpy as np
import pytest

import classay as ca
from classay.errors import InputError
from classay.groups.extremes import pooled_difference, pooled_ratio, quantile_of_pairs
from classay.groups.strata import names_of
from classay.inference.proportions import normal_quantile

RNG = np.random.default_rng(8)
N = 1800
SITE = RNG.choice([*"abc"], N)
AGE = RNG.choice(["old", "young"], N)
SEX = RNG.choice(["f", "m"], N)
Y = np.ones(N, int)
Y[::3] = 0
CALLED = np.where(RNG.random(N) < 0.55 + 0.15 * (SITE == "a") + 0.1 * (AGE == "old"), Y, 1 - Y)
COLUMNS = {"y": Y, "c": CALLED, "site": SITE, "age": AGE, "sex": SEX}


def assessed(rows=slice(None), **more):
    return ca.assess_by(
        {k: v[rows] for k, v in COLUMNS.items()}, truth="y", prediction="c", by=["site", "age", "sex"], **more
    )


def counts(control, sites="abc"):
    """Positives called, and positives, of each site in each stratum."""
    strata = sorted({*zip(*(COLUMNS[name] for name in control), strict=True)})
    shape = len(sites), len(strata)
    x, n = np.zeros(shape), np.zeros(shape)
    for i, site in enumerate(sites):
        for j, values in enumerate(strata):
            rows = (site == SITE) & (Y == 1)
            for name, value in zip(control, values, strict=True):
                rows &= COLUMNS[name] == value
            x[i, j], n[i, j] = CALLED[rows].sum(), rows.sum()
    return x, n


def test_the_gap_within_strata_is_that_of_the_pair_that_is_farthest_apart():
    x, n = counts(["age", "sex"])
    found = assessed().disparity("recall", control=["age", "sex"])
    gaps = {(i, j): pooled_difference(x[i], n[i], x[j], n[j]) for i, j in permutations(range(3), 2)}
    top = max(gaps, key=lambda pair: gaps[pair][0])
    strict, plain = quantile_of_pairs(3, 0.95, are_dependent=True), normal_quantile(0.95)
    assert (found.top, found.bottom, found.groups) == ("abc"[top[0]], "abc"[top[1]], 3)
    assert found.estimate.value == pytest.approx(gaps[top][0])
    assert found.estimate.low == pytest.approx(max(0, *(d - strict * e for d, e in gaps.values())))
    assert found.estimate.high == pytest.approx(max(d + plain * e for d, e in gaps.values()))
    assert found.control == ("age", "sex")
    assert found.estimate.method == "Mantel-Haenszel, Sato, lower end of all pairs"
    ratio = assessed().disparity_ratio("recall", control=["age", "sex"])
    ratios = {(i, j): pooled_ratio(x[i], n[i], x[j], n[j]) for i, j in permutations(range(3), 2)}
    least = min(ratios, key=lambda pair: ratios[pair][0])
    assert ratio.estimate.value == pytest.approx(ratios[least][0])
    assert (ratio.bottom, ratio.top) == ("abc"[least[0]], "abc"[least[1]])
    assert ratio.estimate.low == pytest.approx(min(r * np.exp(-plain * s) for r, s in ratios.values()))
    assert ratio.estimate.high == pytest.approx(min(1, *(r * np.exp(strict * s) for r, s in ratios.values())))
    assert ratio.estimate.method == "Mantel-Haenszel, Greenland & Robins, upper end of all pairs"
    both = assessed().disparity("recall", control="age")
    assert {both.top.columns, both.bottom.columns} == {("site", "sex")}
    assert both.groups == 6


def only(site, number):
    """All rows but those of a site, of which some positives are kept."""
    mine = np.flatnonzero((site == SITE) & (Y == 1))
    return np.sort(np.r_[np.flatnonzero(site != SITE), mine[:number]])


@pytest.mark.parametrize(("number", "is_left"), [(9, True), (10, False)])
def test_groups_with_too_few_cases_are_left_out(number, is_left):
    found = assessed(only("c", number)).disparity("recall", control=["age", "sex"])
    assert [label for label, _ in found.left_out] == ["c"] * is_left
    assert found.groups == 3 - is_left
    assert found.estimate.has_interval


def test_groups_that_share_no_stratum_have_a_reason():
    apart = np.flatnonzero(np.where(SITE == "a", AGE == "old", AGE == "young"))
    found = assessed(apart).disparity("recall", control=["age", "sex"])
    assert dict(found.left_out) == {"a": "no stratum has cases of it and of another group"}
    assert found.groups == 2
    two = np.flatnonzero(np.where(SITE == "a", AGE == "old", (SITE == "b") & (AGE == "young")))
    none = assessed(two).disparity("recall", control=["age", "sex"])
    assert none.estimate.reason == "no stratum has cases of two groups"
    assert none.control == ("age", "sex")
    assert {label for label, _ in none.left_out} == {"a", "b"}
    one = np.flatnonzero(SITE == "a")
    assert "there is one group" in assessed(one).disparity("recall", control=["age", "sex"]).estimate.reason


def test_small_groups_are_pooled_over_all_strata():
    small = np.sort(
        np.r_[np.flatnonzero(SITE == "a"), np.flatnonzero(SITE == "b")[:60], np.flatnonzero(SITE == "c")[:70]]
    )
    found = assessed(small, pool=100).criteria(control=["age", "sex"])
    assert [*dict(found.pooled.small)] == ["b", "c"]
    assert dict(found.pooled.small) == {"b": 60, "c": 70}
    gap = assessed(small, pool=100).disparity("recall", control=["age", "sex"])
    assert {gap.top, gap.bottom} == {"a", "the rest (2 groups)"}
    merged = {**COLUMNS, "site": np.where(SITE == "a", "a", "rest")}
    by_hand = ca.assess_by(
        {k: v[small] for k, v in merged.items()}, truth="y", prediction="c", by=["site", "age", "sex"]
    ).disparity("recall", control=["age", "sex"])
    assert gap.estimate == by_hand.estimate


@pytest.mark.parametrize(
    ("control", "words"),
    [
        ("town", "It is town, and by= has site, age and sex."),
        (["site", "age", "sex"], "control must name some, but not all, of the columns of by="),
        (
            {"age": 1},
            "control must be the names of the columns to keep fixed, such as control='age', but is dict",
        ),
        ([1], "control must be the names of the columns"),
    ],
)
def test_columns_that_cannot_be_held_fixed(control, words):
    with pytest.raises(InputError) as refused:
        assessed().disparity("recall", control=control)
    assert words in str(refused.value)


def test_what_is_no_rate_or_drawn_unequally():
    with pytest.raises(InputError, match="within strata needs a rate, such as recall or accuracy"):
        assessed().disparity("mcc", control="age")
    weighted = assessed(weight=np.linspace(0.5, 2, N)).disparity("recall", control=["age", "sex"])
    assert weighted.control == ("age", "sex")
    assert weighted.estimate.reason == "within strata, it needs independent, equally weighted cases"
    assert names_of("age") == names_of(["age"]) == ("age",)
    criteria = assessed().criteria(control="age")
    assert criteria.control == ("age",)
    assert {judged.criterion.name for judged in criteria} == {
        *(
            "demographic_parity",
            "equal_opportunity",
            "equalised_odds",
            "predictive_parity",
            "accuracy_equality",
        )
    }
