"""Gaps, ratios, new groups and segments from their definitions, by loops over all pairs, groups and values."""

from dataclasses import replace
from itertools import combinations, permutations
from math import exp, inf, log

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

import classay as ca
from classay.assessment.group_labels import Group
from classay.errors import InputError
from classay.groups.extremes import (
    corrected_gap,
    found_by_power,
    largest_gap,
    least_ratio,
    level_of,
    pooled_difference,
    pooled_ratio,
    quantile_of_pairs,
)
from classay.groups.new_group import (
    NewGroup,
    confidence_of_new,
    moments_of_log_counts,
    random_effects,
    reml,
)
from classay.groups.segments import (
    HYPERGEOMETRIC,
    Segment,
    SegmentColumns,
    Segments,
    columns_of,
    find_segments,
)
from classay.inference.estimate import Estimate
from classay.inference.proportions import wilson


def rates(counts, level):
    return [Estimate(x / n, *map(float, wilson(x, n, level)), level, "Wilson") for x, n in counts]


def drawn(seed):
    """Counts of three to seven groups, some alike."""
    rng = np.random.default_rng(seed)
    n = rng.integers(10, 60, int(rng.integers(3, 8)))
    return list(zip(rng.binomial(n, 0.4 + 0.3 * rng.random(n.size)).tolist(), n.tolist(), strict=True))


@pytest.mark.parametrize("correlated", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_the_largest_gap_by_all_pairs(seed, correlated):
    counts = drawn(seed)
    plain, strict = rates(counts, 0.95), rates(counts, 0.99)
    k = len(counts)
    matrix = np.random.default_rng(seed).uniform(-0.5, 0.5, (k, k))
    matrix = (matrix + matrix.T) / 2 if correlated else np.zeros((k, k))
    found = largest_gap(strict, plain, matrix if correlated else None)

    def mover(a, b, r, sign):
        first, second = (
            (a.high - a.value, b.value - b.low) if sign > 0 else (a.value - a.low, b.high - b.value)
        )
        return a.value - b.value + sign * np.sqrt(first**2 + second**2 - 2 * r * first * second)

    pairs = [*permutations(range(k), 2)]
    lower = {(i, j): mover(strict[i], strict[j], matrix[i, j], -1) for i, j in pairs}
    upper = [mover(plain[i], plain[j], matrix[i, j], 1) for i, j in pairs]
    values = [one.value for one in plain]
    assert found.value == pytest.approx(max(values) - min(values))
    assert values[found.top] - values[found.bottom] == pytest.approx(found.value)
    assert found.low == pytest.approx(min(max(0.0, *lower.values()), found.value))
    assert found.high == pytest.approx(max(*upper, found.value))
    assert (found.surest is None) == (max(lower.values()) <= 0)
    if found.surest is not None:
        assert lower[found.surest] == pytest.approx(max(lower.values()))


@pytest.mark.parametrize("seed", range(6))
def test_the_least_ratio_by_all_pairs(seed):
    counts = drawn(seed)
    plain, strict = rates(counts, 0.95), rates(counts, 0.99)

    def mover_r(a, b, end):
        """The limits of a ratio recovered from those of both (Donner & Zou 2012, equation 9)."""
        p, q = a.value, b.value
        x, y = (a.low, b.high) if end == 0 else (a.high, b.low)
        root = np.sqrt((p * q) ** 2 - x * y * (2 * p - x) * (2 * q - y))
        return (p * q - root) / (y * (2 * q - y)) if end == 0 else (p * q + root) / (y * (2 * q - y))

    pairs = [*permutations(range(len(counts)), 2)]
    found = least_ratio(strict, plain)
    values = [one.value for one in plain]
    assert found.value == pytest.approx(min(values) / max(values))
    assert found.low == pytest.approx(min(*(mover_r(plain[i], plain[j], 0) for i, j in pairs), found.value))
    upper = {(j, i): mover_r(strict[i], strict[j], 1) for i, j in pairs}
    assert found.high == pytest.approx(max(min(1.0, *upper.values()), found.value))
    assert (found.surest is None) == (min(upper.values()) >= 1)
    if found.surest is not None:
        assert upper[found.surest] == pytest.approx(min(upper.values()))


def test_quantiles_of_pairs():
    for g, level in ((2, 0.9), (3, 0.95), (6, 0.8)):
        share = (1 + level) / 2
        wanted = stats.studentized_range.ppf(share, g, inf) / 2**0.5
        assert quantile_of_pairs(g, level) == pytest.approx(wanted if g > 2 else stats.norm.ppf(share))
        both = stats.studentized_range.ppf(share**0.5, g, inf) / 2**0.5
        assert quantile_of_pairs(g, level, families=2) == pytest.approx(both)
        apart = stats.norm.ppf(1 - (1 - level) / 2 / (2 * g * (g - 1)))
        assert quantile_of_pairs(g, level, families=2, are_dependent=True) == pytest.approx(apart)
        assert level_of(stats.norm.ppf(share)) == pytest.approx(level)


@pytest.mark.parametrize("seed", range(6))
def test_a_gap_without_chance_by_hand(seed):
    estimates = rates(drawn(seed), 0.9)
    gap = largest_gap(estimates, estimates)
    z = stats.norm.ppf(0.95)
    y = np.array([one.value for one in estimates])
    v = np.array([(one.high - one.low) / 2 / z for one in estimates]) ** 2
    w = 1 / v
    q = (w * (y - (w * y).sum() / w.sum()) ** 2).sum()
    between = max(0.0, (q - (len(y) - 1)) / (w.sum() - (w**2).sum() / w.sum()))
    center = (y / (between + v)).sum() / (1 / (between + v)).sum()
    shrunk = center + np.sqrt(between / (between + v)) * (y - center)
    wanted = min(max(float(np.ptp(shrunk)), gap.low), gap.value)
    assert corrected_gap(gap, estimates) == pytest.approx(wanted)
    assert corrected_gap(gap, estimates[:2]) is None
    power = (1.7 + stats.norm.ppf(0.8)) * np.sqrt(np.sort(v)[-2:].sum())
    assert found_by_power(1.7, estimates) == pytest.approx(power)


@pytest.mark.parametrize("seed", range(4))
def test_rates_over_strata_by_hand(seed):
    rng = np.random.default_rng(seed)
    n, m = rng.integers(0, 30, (2, 5)).astype(float)
    x, y = rng.binomial(n.astype(int), 0.6).astype(float), rng.binomial(m.astype(int), 0.4).astype(float)
    top = weight = p = q = above = below = squares = 0.0
    for a, i, b, j in zip(x, n, y, m, strict=True):
        if not (i and j):
            continue
        total = i + j
        top += (a * j - b * i) / total
        weight += i * j / total
        p += (i**2 * b - j**2 * a + i * j * (j - i) / 2) / total**2
        q += (a * (j - b) + b * (i - a)) / (2 * total)
        above, below = above + a * j / total, below + b * i / total
        squares += (i * j * (a + b) - a * b * total) / total**2
    d, error = pooled_difference(x, n, y, m)
    assert (d, error) == pytest.approx((top / weight, np.sqrt(max(0, top / weight * p + q)) / weight))
    ratio, spread = pooled_ratio(x, n, y, m)
    assert (ratio, spread) == pytest.approx((above / below, np.sqrt(squares / (above * below))))


@pytest.mark.parametrize("seed", range(4))
def test_a_sample_of_groups_by_hand(seed):
    """Restricted likelihood maximized, Hartung and Knapp's error, and a mixture over chi-squared quantiles."""
    rng = np.random.default_rng(seed)
    y, v = rng.normal(0, 1, 6), rng.uniform(0.1, 0.6, 6)

    def minus_likelihood(t):
        w = 1 / (v + t)
        mean = (w * y).sum() / w.sum()
        return 0.5 * (np.log(v + t).sum() + np.log(w.sum()) + (w * (y - mean) ** 2).sum())

    best = optimize.minimize_scalar(
        minus_likelihood, bounds=(0, 20), method="bounded", options={"xatol": 1e-10}
    )
    tau2 = reml(y, v)
    assert tau2 == pytest.approx(best.x if minus_likelihood(0) > best.fun else 0.0, abs=1e-5)
    mean, se, again = random_effects(y, v)
    w = 1 / (v + tau2)
    assert again == pytest.approx(tau2)
    assert mean == pytest.approx((w * y).sum() / w.sum())
    assert se == pytest.approx(np.sqrt((w * (y - mean) ** 2).sum() / 5 / w.sum()))

    def q(t):
        w = 1 / (v + t)
        return (w * (y - (w * y).sum() / w.sum()) ** 2).sum()

    parts = []
    for square in stats.chi2.ppf((np.arange(400) + 0.5) / 400, 5):
        t = 0.0 if q(0) <= square else optimize.brentq(lambda t, square=square: q(t) - square, 0, 1e6)
        w = 1 / (v + t)
        parts.append(((w * y).sum() / w.sum(), np.sqrt(t + 1 / w.sum())))
    means, spreads = np.array(parts).T
    low, high = confidence_of_new(y, v, 0.9)
    for at, share in ((low, 0.05), (high, 0.95)):
        assert stats.norm.cdf((at - means) / spreads).mean() == pytest.approx(share, abs=1e-6)
    assert reml(np.full(4, 0.3), np.full(4, 0.2)) == 0


@pytest.mark.parametrize("expected", [0.5, 5.0, 60.0])
def test_moments_of_logarithms_of_counts(expected):
    counts = np.arange(400)
    chance = stats.poisson.pmf(counts, expected)
    mean = (chance * np.log(counts + 0.5)).sum()
    found = [float(one[0]) for one in moments_of_log_counts(np.array([expected]))]
    variance = (chance * np.log(counts + 0.5) ** 2).sum() - mean**2
    step = 1e-4 * expected
    later = (stats.poisson.pmf(counts, expected + step) * np.log(counts + 0.5)).sum()
    assert found == pytest.approx([mean, variance, (later - mean) / step * expected], rel=1e-3)
    large = [float(one[0]) for one in moments_of_log_counts(np.array([1000.0]))]
    assert large == pytest.approx([log(1000), 1 / 1000, 1.0])


PREDICTED = Estimate(0.8, 0.6, 0.9, 0.9, "confidence distribution of the variance")
MEAN = Estimate(0.8, 0.75, 0.85, 0.9, "REML, Hartung-Knapp")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {},
            "If these 7 groups are a sample of many, ROC AUC in a new group is 0.600 to 0.900 (90% prediction interval)"
            ". The mean over groups is 0.800 (90% CI 0.750 to 0.850).",
        ),
        (
            {"pseudo_case": ("a", "b"), "left_out": ("c",)},
            "If these 7 groups are a sample of many, ROC AUC in a new group is 0.600 to 0.900 (90% prediction interval)"
            ". The mean over groups is 0.800 (90% CI 0.750 to 0.850). One pseudo-case was added to groups with few "
            "cases of a class or no overlap: 'a' and 'b'. Groups without a value: 'c'.",
        ),
        (
            {"prediction": Estimate.bare(0.8, "why"), "left_out": ("c",)},
            "There is no prediction interval of ROC AUC: why. Groups without a value: 'c'.",
        ),
    ],
)
def test_a_new_group_in_words(change, words):
    found = NewGroup("roc_auc", MEAN, PREDICTED, 0.1, 7, median_rarer_class=3.0)
    assert replace(found, **change).sentence == words


@pytest.mark.parametrize(
    ("measure", "median", "prediction", "is_told"),
    [
        ("observed_expected_ratio", 15.5, PREDICTED, True),
        ("observed_expected_ratio", 16, PREDICTED, False),
        ("roc_auc", 3, PREDICTED, False),
        ("observed_expected_ratio", 3, replace(PREDICTED, method="REML, Hartung-Knapp"), False),
        ("observed_expected_ratio", 3, Estimate.bare(0.8, "why"), False),
    ],
)
def test_few_cases_of_a_class_are_told(measure, median, prediction, is_told):
    found = NewGroup(measure, MEAN, prediction, 0.1, 7, median_rarer_class=median)
    assert any(note.startswith(f"The median group has {median:g} cases") for note in found.notes) is is_told


def test_intervals_of_new_groups():
    rng = np.random.default_rng(2)
    group = np.repeat(np.arange(8), 60)
    y = rng.integers(0, 2, group.size)
    p = np.clip(0.3 + 0.3 * y + 0.02 * group + rng.normal(0, 0.2, group.size), 0.01, 0.99)
    s = ca.assess_by(y, p, by=[f"g{k}" for k in group], level=0.9)
    for method in ("confidence distribution", "Hartung-Knapp"):
        found = s.prediction_interval("roc_auc", method=method)
        assert (found.groups, found.mean.level, found.prediction.level) == (8, 0.9, 0.9)
        center = log(found.mean.value / (1 - found.mean.value))
        t = stats.t.ppf(0.95, 7)
        ends = [log(end / (1 - end)) for end in (found.mean.low, found.mean.high)]
        se = (ends[1] - center) / t
        assert ends[0] == pytest.approx(center - t * se)
        if method == "Hartung-Knapp":
            half = t * np.sqrt(found.tau**2 + se**2)
            assert found.prediction.high == pytest.approx(1 / (1 + exp(-center - half)))
            assert found.prediction.low == pytest.approx(1 / (1 + exp(-center + half)))
    assert s.prediction_interval().measure == "roc_auc"
    with pytest.raises(InputError, match="accuracy has no prediction interval of a new group"):
        s.prediction_interval("accuracy")
    few = ca.assess_by(y[:240], p[:240], by=[f"g{k}" for k in group[:240]]).prediction_interval()
    assert few.prediction.reason == "it needs 5 groups with a value, but there are 4"
    assert few.mean.has_interval
    one = ca.assess_by(y[:60], p[:60], by=["g"] * 60).prediction_interval()
    assert (one.mean.reason, one.groups) == ("1 of 1 groups has a value", 1)
    shared = ca.assess_by(
        y, p, by=[f"g{k}" for k in group], cluster=np.arange(480) % 60
    ).prediction_interval()
    assert shared.prediction.reason == "clusters have rows in several groups"


@pytest.mark.parametrize("models", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_segments_by_loops(seed, models):
    """Every value and pair of values of ten cases or more, but not all; tails, Holm, limits by definition."""
    rng = np.random.default_rng(seed)
    n = 90
    codes = {"u": rng.integers(-1, 3, n), "w": rng.integers(0, 2, n), "x": rng.integers(0, 4, n)}
    labels = {"u": tuple("abc"), "w": tuple("de"), "x": tuple("fghi")}
    right = {name: rng.random(n) < 0.7 for name in ("one", "two")[:models]}
    times = rng.integers(0, 3, n) if seed % 2 else np.ones(n, int)
    found = find_segments(
        SegmentColumns(codes, labels), right, frequency=times if seed % 2 else None, level=0.9
    )
    first = right["one"]
    against = ~first if models == 1 else ~first & right["two"]
    favour = np.zeros(n, bool) if models == 1 else first & ~right["two"]
    total = int(times.sum())
    sets = {}
    for names in [*((name,) for name in codes), *combinations(codes, 2)]:
        for values in np.ndindex(*(len(labels[name]) for name in names)):
            rows = np.all([codes[name] == value for name, value in zip(names, values, strict=True)], axis=0)
            singles = [codes[name] == value for name, value in zip(names, values, strict=True)]
            if len(names) == 2 and any(times[one].sum() == times[rows].sum() for one in singles):
                continue
            text = tuple(labels[name][value] for name, value in zip(names, values, strict=True))
            sets[names, text] = rows
    sizes = {key: int(times[rows].sum()) for key, rows in sets.items()}
    assert found.small == sum(0 < size < 10 for size in sizes.values())
    tests = {}
    for key, rows in sets.items():
        if not 10 <= sizes[key] < total:
            continue
        c, b = int(times[rows & against].sum()), int(times[rows & favour].sum())
        if models == 1:
            p = stats.hypergeom.sf(c - 1, total, int(times[against].sum()), sizes[key])
            value = 1 - c / sizes[key]
        else:
            p = stats.binom.sf(c - 1, b + c, 0.5) if b + c else 1.0
            value = (b - c) / sizes[key]
        tests[key] = p, value
    assert found.listed == len(tests)
    p_sorted = sorted(p for p, _ in tests.values())
    assert [one.p for one in found.segments] == pytest.approx(p_sorted[:50])
    holm, so_far = [], 0.0
    for k, p in enumerate(p_sorted):
        so_far = max(so_far, min(1.0, (len(p_sorted) - k) * p))
        holm.append(so_far)
    assert [one.p_adjusted for one in found.segments] == pytest.approx(holm[:50])
    for one in found.segments:
        key = one.group.columns, tuple(one.group)
        assert (one.p, one.value.value, one.cases) == pytest.approx((*tests[key], sizes[key]))
        rest = ~sets[key]
        wrong, for_it = (times[rest & side].sum() / times[rest].sum() for side in (against, favour))
        assert one.elsewhere == pytest.approx(1 - wrong if models == 1 else for_it - wrong)
        if models == 1:
            k = round((1 - one.value.value) * one.cases)
            alpha = 0.1 / len(tests)
            upper = 1.0 if k == 0 else stats.beta.ppf(1 - alpha, one.cases - k + 1, k)
            assert one.value.high == pytest.approx(upper)
        else:
            assert (one.value.high <= 0) == (one.p_adjusted <= 0.1 or one.value.high == 0)
    share = times[against].sum() / total
    assert found.overall == pytest.approx(1 - share if models == 1 else times[favour].sum() / total - share)


def made(rows, models=(), **more):
    each = tuple(Segment(*row, min(1.0, 4 * row[-1])) for row in rows)
    return Segments("accuracy", models, ("plan", "age"), 4, each, 0.8, 100, HYPERGEOMETRIC, **more)


def row(name, value, high, p):
    return Group(["plan"], [name]), 20, Estimate(value, -1.0, high, 0.95, "m"), 0.9, p


def test_segments_in_words():
    worst, other = row("a", 0.5, 0.7, 0.001), row("b", 0.6, 0.8, 0.01)
    found = made([worst])
    rates_ = "accuracy 50.0% in 20 cases (95% upper confidence limit 70.0%; p = 0.0040, adjusted for 4 subgroups), "
    rates_ += "compared with 90.0% in the other cases"
    said = found.sentence.replace("50%", "50.0%").replace("70%", "70.0%").replace("90%", "90.0%")
    assert said == f"The accuracy is lower in plan=a: {rates_}."
    assert made([worst, other]).sentence.endswith(" The same was detected in 1 more subgroup.")
    assert made([worst, other, other]).sentence.endswith(" The same was detected in 2 more subgroups.")
    assert len(made([worst, row("c", 0.7, 0.9, 0.2)]).shown) == 1
    none = made([row("a", 0.5, 0.7, 0.2)])
    assert none.shown == ()
    assert none.sentence.startswith(
        "No subgroup with lower accuracy was detected among 4 subgroups of 'plan' and 'age'. The smallest p value is "
        "for plan=a: accuracy 50"
    )
    two = made([row("a", -0.2, -0.1, 0.001)], ("new", "old"))
    assert two.sentence.startswith("new is worse than old in plan=a: difference in accuracy ")
    open_ = made([row("a", -0.2, 0.1, 0.2)], ("new", "old")).sentence
    assert open_.startswith("No subgroup in which new is worse than old was detected among 4 subgroups")
    empty = made([])
    assert empty.sentence == "No subgroup of 'plan' and 'age' has at least 10 cases, so nothing was tested."
    assert empty.worst is None
    assert made([], left_out=(("id", "an ID"),)).unsearched == "Not searched: 'id' (an ID)."
    assert empty.unsearched == ""
    assert made([worst], level=0.999).shown == ()
    assert replace(empty, columns=tuple("abcdefg")).sentence.startswith("No subgroup of 7 columns has")


def test_columns_that_make_no_segments():
    n = 120
    frame = pd.DataFrame(
        {
            "y": np.arange(n) % 2,
            "id": [f"c{k}" for k in range(n)],
            "many": np.arange(n) % 51,
            "fifty": np.arange(n) % 50,
            "one": ["x"] * n,
            "two": np.arange(n) % 3,
        }
    )
    found = columns_of(frame, {"y"})
    assert [*found.codes] == ["fifty", "two"]
    assert dict(found.left_out) == {"id": "an ID", "many": "51 values", "one": "one value"}
    with pytest.raises(
        InputError, match=r"There is no column to search \(id \(an ID\) and one \(one value\)\)"
    ):
        columns_of(frame[["y", "id", "one"]], {"y"})
    right = dict.fromkeys("abc", np.ones(n, bool))
    with pytest.raises(InputError, match="needs one or two models, but there are 3"):
        find_segments(found, right)
