"""What two models left out, counted case by case: McNemar's and Fisher's tests, Holm's method, and every sentence."""

from math import isnan, nan

import numpy as np
import pytest
from scipy.stats import binomtest, fisher_exact

from classay.comparison.omissions import ONE_SIDED_AT, Omissions, omissions_of, omissions_of_saved
from classay.inference.estimate import p_equation, p_text

MODELS = ("new", "old")


def rows(seed, n=80):
    rng = np.random.default_rng(seed)
    gone = {name: rng.random(n) < share for name, share in zip(MODELS, (0.3, 0.1), strict=True)}
    right = {name: rng.random(n) < np.where(gone["new"], 0.3, 0.8) for name in MODELS}
    return gone, right, rng.integers(1, 4, n), rng.integers(0, 12, n)


def mcnemar(first, second):
    return binomtest(int(first), int(first + second)).pvalue if first + second else 1.0


def fisher(gone, answered, right, times):
    cells = ((gone, right), (gone, ~right), (~gone, right), (~gone, ~right))
    a, b, c, d = (times[answered & out & hit].sum() for out, hit in cells)
    if not (gone & answered).any():
        return nan, False
    return fisher_exact([[a, b], [c, d]]).pvalue, bool(a / (a + b) < c / (c + d))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("unmatched", [(0, 0), (3, 0), (1, 4)])
def test_omissions_are_counted_and_tested_case_by_case(seed, counted, unmatched):
    gone, right, times, cluster = rows(seed)
    weight = times if counted else np.ones(80, int)
    frequency = times if counted else None
    found = omissions_of(MODELS, gone, right, frequency, unmatched=unmatched)
    new, old = gone["new"], gone["old"]
    omitted = tuple(int(weight[out].sum()) + more for out, more in zip((new, old), unmatched, strict=True))
    alone = int(weight[new & ~old].sum()) + unmatched[0], int(weight[old & ~new].sum()) + unmatched[1]
    assert (found.models, found.omitted, found.alone) == (MODELS, omitted, alone)
    assert (found.cases, found.units) == (weight.sum() + sum(unmatched), "cases")
    assert found.p_unequal == pytest.approx(mcnemar(*alone))
    hard = fisher(new, ~old, right["old"], weight), fisher(old, ~new, right["new"], weight)
    assert found.p_hard == pytest.approx([p for p, _ in hard])
    assert found.harder == tuple(harder for _, harder in hard)
    unknown = omissions_of(MODELS, gone, {"new": right["new"]}, frequency, unmatched=unmatched)
    assert isnan(unknown.p_hard[0])
    assert unknown.p_hard[1] == pytest.approx(hard[1][0])
    in_clusters = omissions_of(MODELS, gone, right, frequency, cluster, unmatched)
    net = [
        (weight[cluster == c] * (new[cluster == c].astype(int) - old[cluster == c])).sum() for c in range(12)
    ]
    of_clusters = mcnemar(sum(one > 0 for one in net), sum(one < 0 for one in net))
    assert in_clusters.p_unequal == pytest.approx(mcnemar(*alone) if any(unmatched) else of_clusters)
    assert in_clusters.units == ("cases" if any(unmatched) else "clusters")
    assert all(map(isnan, in_clusters.p_hard))
    assert (in_clusters.omitted, in_clusters.alone, in_clusters.cases) == (omitted, alone, found.cases)


def test_where_all_is_answered_there_are_no_omissions():
    none = {name: np.zeros(5, bool) for name in MODELS}
    assert omissions_of(MODELS, none, {}) is None
    assert omissions_of(MODELS, none, {}, unmatched=(0, 1)).omitted == (0, 1)
    both = {name: np.arange(5) == 1 for name in MODELS}
    alike = omissions_of(MODELS, both, {name: np.ones(5, bool) for name in MODELS})
    assert (alike.omitted, alike.alone, alike.p_unequal) == ((1, 1), (0, 0), 1.0)
    assert all(map(isnan, alike.p_hard))


@pytest.mark.parametrize(
    ("omitted", "alone", "p"), [((80, 0), (80, 0), nan), ((2, 5), (0, 3), nan), ((4, 4), (0, 0), 1.0)]
)
def test_saved_omissions_are_those_of_which_nobody_knows_the_cases(omitted, alone, p):
    found = omissions_of_saved(MODELS, 120, omitted)
    assert (found.omitted, found.alone, found.cases) == (omitted, alone, 120 + max(omitted))
    assert found.p_unequal == pytest.approx(p, nan_ok=True)
    assert found.is_untested == isnan(p)
    assert found.is_one_sided is False
    start = f"new has no prediction for {omitted[0]} and old for {omitted[1]} of {found.cases} cases."
    assert found.sentence.startswith(start)
    assert ("cannot be tested. Compare the rows, or assess both" in found.sentence) == isnan(p)
    assert omissions_of_saved(MODELS, 120, (0, 0)) is None


P_VALUES = [0.001, 0.0166, 0.0167, 0.02, 0.024, 0.026, 0.049, 0.05, 0.4, 1.0, nan]


def holm(p_values):
    """Each p times the number of those that are as large; no less than those before it; at most 1."""
    known = sorted((p, k) for k, p in enumerate(p_values) if not isnan(p))
    adjusted, least = [nan] * len(p_values), 0.0
    for rank, (p, k) in enumerate(known):
        least = max(least, min(1.0, (len(known) - rank) * p))
        adjusted[k] = least
    return adjusted


@pytest.mark.parametrize("unequal", [p for p in P_VALUES if not isnan(p)])
@pytest.mark.parametrize(
    "hard", [(nan, nan), (0.0166, nan), (0.02, 0.4), (0.4, 0.024), (1.0, 1.0), (0.001, 0.002)]
)
@pytest.mark.parametrize(("alone", "units"), [((9, 2), "cases"), ((2, 9), "clusters")])
def test_what_is_not_random_is_told_by_the_adjusted_p_values(unequal, hard, alone, units):
    harder = (True, False)
    found = Omissions(
        MODELS, 1200, (10, 1150), alone, unequal, hard, harder, units=units, names=("grade", "essays")
    )
    adjusted = holm([unequal, *hard])
    assert found.adjusted == pytest.approx(adjusted, nan_ok=True)
    clauses = []
    if adjusted[0] < ONE_SIDED_AT:
        which = "new" if alone[0] > alone[1] else "old"
        by = "" if units == "cases" else ", by clusters"
        clauses.append(f"{which} has more of them (exact McNemar{by}, {p_equation(adjusted[0])})")
    for k, (other, one, often) in enumerate((("old", "new", "less"), ("new", "old", "more"))):
        if adjusted[1 + k] < ONE_SIDED_AT:
            p = p_equation(adjusted[1 + k])
            clauses.append(f"{other} is {often} often correct on those of {one} (Fisher's exact test, {p})")
    start = "new has no grade for 10 and old for 1,150 of 1,200 essays. These essays are excluded."
    if clauses:
        by_case = any(p < ONE_SIDED_AT for p in adjusted[1:])
        text = f"The missing grades {'are not random' if by_case else 'differ between the models'}: "
        text += clauses[0] if len(clauses) == 1 else f"{', '.join(clauses[:-1])} and {clauses[-1]}"
        if len(clauses) > 1 and ";" in found.sentence:  # clauses with commas of their own
            text = text.replace(clauses[-2] + " and", f"{clauses[-2]}; and").replace("), ", "); ")
    else:
        least = p_text(min(p for p in adjusted if not isnan(p)))
        text = f"No bias of the exclusion was detected (smallest p after Holm's adjustment: {least})"
    assert found.sentence == f"{start} {text}"
    assert found.is_one_sided == bool(clauses)
    assert not found.is_untested
