"""Two classifiers' labels on the same cases: McNemar and its intervals, and any other measure; B-4, B-5, B-7."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

import classay as ca
from classay.comparison.cases.difference import clustered_mcnemar, cochran_q, independent, mcnemar
from classay.comparison.cases.label_measures import (
    ClusterRows,
    LabelPair,
    bootstrap_differences,
    compare_labels,
    influence_difference,
    paired_counts,
    posterior_differences,
)
from classay.comparison.comparisons import one_sided
from classay.errors import InputError, MergeError
from classay.inference.paired_shares import connor_cases
from classay.inference.proportions import (
    agresti_caffo,
    bonett_price,
    miettinen_nurminen,
    newcombe_independent,
    newcombe_paired,
    tango,
)
from classay.inference.significance import MCNEMAR
from classay.measures import MEASURES, get
from classay.measures.matrices import ACCURACIES
from classay.tables import PairedCounts, PairedTable

ORACLES = json.loads((Path(__file__).parents[1] / "oracles" / "statistics.json").read_text())
TABLES = {
    "paired_53_16_8_9": (53, 16, 8, 9),
    "paired_1_1_7_12": (1, 1, 7, 12),  # Bentur et al., published in Newcombe 1998
    "paired_59_6_16_80": (59, 6, 16, 80),  # Cavo et al., published in Fagerland et al. 2014
}
PAIRED8 = np.array([[[126, 3], [6, 5]], [[8, 4], [8, 40]]])  # B-7, [true, first, second]
INTERVALS = {"tango": tango, "newcombe": newcombe_paired, "bonett_price": bonett_price}


@pytest.mark.parametrize("key", TABLES)
def test_paired_proportions_oracles(key):
    expected, counts = ORACLES[key], PairedCounts(*TABLES[key])
    for name, interval in INTERVALS.items():
        assert interval(counts) == pytest.approx(expected[name], abs=1e-9), name
    b, c = counts.first, counts.second
    for name, test in (("exact", "exact"), ("midp", "mid-P"), ("p", "asymptotic")):
        assert float(MCNEMAR[test](b, c)) == pytest.approx(expected[f"mcnemar_{name}"], abs=1e-12)
    assert float(MCNEMAR["continuity-corrected"](b, c)) == pytest.approx(expected["mcnemar_cc_p"], abs=1e-12)
    found = mcnemar(counts)
    assert found.effect.value == pytest.approx(expected["diff"], abs=1e-12)
    assert (found.effect.low, found.effect.high) == pytest.approx(expected["tango"], abs=1e-9)
    assert found.p == pytest.approx(expected["mcnemar_midp"], abs=1e-12)


@given(*[st.integers(0, 40)] * 4)
@settings(max_examples=60, deadline=None)
def test_paired_proportions_laws(a, b, c, d):
    from statsmodels.stats.contingency_tables import mcnemar as peer_mcnemar

    counts, turned = PairedCounts(a, b, c, d), PairedCounts(a, c, b, d)
    n = a + b + c + d
    if n == 0:
        assert np.isnan(tango(counts)).all()
        return
    for interval in (tango, bonett_price, newcombe_paired):
        low, high = interval(counts)
        assert -1 <= low <= high <= 1
        assert interval(turned) == pytest.approx((-high, -low), abs=1e-9)
    low, high = tango(counts)
    assert low - 1e-12 <= (b - c) / n <= high + 1e-12
    for name, test in MCNEMAR.items():
        assert 0 <= float(test(b, c)) <= 1, name
        assert float(test(b, c)) == pytest.approx(float(test(c, b)), abs=1e-12)
    assert float(MCNEMAR["exact"](b, c)) == pytest.approx(peer_mcnemar([[a, b], [c, d]], exact=True).pvalue)
    assert float(MCNEMAR["mid-P"](b, c)) <= float(MCNEMAR["exact"](b, c)) + 1e-12


def test_tango_solves_its_equation():
    """At its limits the score statistic is ± z, with the likelihood maximised numerically."""
    a, b, c, d = 20, 7, 3, 10
    n, z = a + b + c + d, stats.norm.ppf(0.975)

    def statistic(delta):
        def loss(q):  # P(only second right) = q, P(only first) = q + delta
            return -(b * np.log(q + delta) + c * np.log(q) + (a + d) * np.log(1 - 2 * q - delta))

        ends = max(0, -delta) + 1e-12, (1 - delta) / 2 - 1e-12
        q = optimize.minimize_scalar(loss, bounds=ends, method="bounded", options={"xatol": 1e-14}).x
        return (b - c - n * delta) / np.sqrt(n * (2 * q + delta - delta**2))

    low, high = tango(PairedCounts(a, b, c, d))
    assert statistic(low) == pytest.approx(z, abs=1e-5)
    assert statistic(high) == pytest.approx(-z, abs=1e-5)


def test_independent_proportions_oracles():
    expected, data = ORACLES["diff_indep_56_70_48_80"], (56, 70, 48, 80)
    assert newcombe_independent(*data) == pytest.approx(expected["newcomb"], abs=1e-9)
    assert agresti_caffo(*data) == pytest.approx(expected["agresti-caffo"], abs=1e-9)
    # Newcombe 1998, Statistics in Medicine 17:873, table II, case (a), method 6
    assert miettinen_nurminen(*data) == pytest.approx((0.0528, 0.3382), abs=5e-5)
    found = independent((56, 48), (70, 80))
    assert found.p == pytest.approx(stats.chi2_contingency([[56, 14], [48, 32]], correction=False).pvalue)


@pytest.mark.parametrize("data", [(56, 70, 48, 80), (5, 10, 3, 12), (9, 9, 4, 11), (0, 7, 5, 9)])
def test_miettinen_nurminen_solves_its_equation(data):
    x1, n1, x2, n2 = data
    n, z = n1 + n2, stats.norm.ppf(0.975)

    def statistic(delta):
        def loss(p):
            terms = [(x1, p + delta), (n1 - x1, 1 - p - delta), (x2, p), (n2 - x2, 1 - p)]
            return -sum(x * np.log(q) for x, q in terms if x)

        ends = max(0, -delta) + 1e-13, min(1, 1 - delta) - 1e-13
        p = optimize.minimize_scalar(loss, bounds=ends, method="bounded", options={"xatol": 1e-14}).x
        variance = ((p + delta) * (1 - p - delta) / n1 + p * (1 - p) / n2) * n / (n - 1)
        return (x1 / n1 - x2 / n2 - delta) / np.sqrt(variance)

    low, high = miettinen_nurminen(*data)
    assert statistic(low) == pytest.approx(z, abs=1e-4)
    assert statistic(high) == pytest.approx(-z, abs=1e-4)


def test_cochran_q():
    from statsmodels.stats.contingency_tables import cochrans_q

    x = np.array(ORACLES["cochranQ"]["X"])
    found = cochran_q(x)
    assert found.statistic == pytest.approx(ORACLES["cochranQ"]["Q"], abs=1e-12)
    assert found.p == pytest.approx(ORACLES["cochranQ"]["p"], abs=1e-12)
    peer = cochrans_q(x)
    assert (found.statistic, found.p) == pytest.approx((peer.statistic, peer.pvalue))
    assert cochran_q(np.ones((5, 3))).p == 1
    two = cochran_q(x[:, :2])  # two classifiers: McNemar
    b, c = (x[:, 0] > x[:, 1]).sum(), (x[:, 0] < x[:, 1]).sum()
    assert two.p == pytest.approx(float(MCNEMAR["asymptotic"](b, c)))


def test_clustered_mcnemar_of_single_cases_is_nearly_mcnemar():
    rng = np.random.default_rng(0)
    first, second = rng.random(200) < 0.8, rng.random(200) < 0.7
    n = 200
    found = clustered_mcnemar(first, second, np.arange(n))
    b, c = (first & ~second).sum(), (~first & second).sum()
    assert found.statistic == pytest.approx((b - c) ** 2 / (b + c) * (n - 1) / n)


def test_delta_oracle():
    expected, pair = ORACLES["paired8"], LabelPair(PairedTable(PAIRED8, (0, 1)), 1)
    z = stats.norm.ppf(0.975)
    for name, key in (("f1", "dF1"), ("matthews_correlation", "dMCC"), ("accuracy", "dacc")):
        found = compare_labels(pair, get(name), method="delta")
        value, se = expected[key]
        se *= np.sqrt(
            PAIRED8.sum() / (PAIRED8.sum() - 1)
        )  # the oracle has the variance of the cells as they are
        assert found.effect.value == pytest.approx(value, abs=1e-12)
        assert (found.effect.high - found.effect.low) / 2 == pytest.approx(z * se, abs=1e-9)
        assert found.p == pytest.approx(2 * stats.norm.sf(abs(value) / se), abs=1e-9)


def test_bootstrap_of_cells_is_that_of_rows():
    expected, pair = ORACLES["paired8"]["boot_sd_400k"], LabelPair(PairedTable(PAIRED8, (0, 1)), 1)
    for name, key in (("f1", "F1"), ("matthews_correlation", "MCC"), ("accuracy", "acc")):
        draws = bootstrap_differences(pair, get(name), replicates=100_000)
        assert draws.std() == pytest.approx(expected[key], rel=0.01)


def test_one_proportion_means_mcnemar_within_the_class():
    pair = LabelPair(PairedTable(PAIRED8, (0, 1)), 1)
    found = compare_labels(pair, get("recall"))
    assert (found.method, found.n, found.units) == ("McNemar, mid-P", 60, "positive cases")
    assert found.p == pytest.approx(float(MCNEMAR["mid-P"](8, 4)))
    assert found.values == pytest.approx((48 / 60, 44 / 60))
    found = compare_labels(pair, get("specificity"))
    assert found.p == pytest.approx(float(MCNEMAR["mid-P"](3, 6)))
    rate = compare_labels(pair, get("false_positive_rate"))
    assert rate.effect.value == pytest.approx(-found.effect.value)
    assert (rate.effect.low, rate.effect.high) == pytest.approx((-found.effect.high, -found.effect.low))
    assert compare_labels(pair, get("accuracy")).p == pytest.approx(float(MCNEMAR["mid-P"](11, 10)))


def test_which_measures_are_proportions_of_the_same_cases():
    pair = LabelPair(PairedTable(PAIRED8, (0, 1)), 1)
    found = {
        each.name
        for each in MEASURES.values()
        if each.needs in ("counts", "margins", "matrix") and paired_counts(pair, each) is not None
    }
    rates = {"recall", "specificity", "false_positive_rate", "false_negative_rate"}
    assert found == rates | {"accuracy", "error_rate", "prevalence", "predicted_prevalence", *ACCURACIES}


def test_identical_classifiers():
    rows = np.random.default_rng(0).integers(0, 2, (2, 100))
    pair = LabelPair(PairedTable.from_labels(rows[0], rows[1], rows[1]), 1)
    for name in ("accuracy", "recall", "f1", "matthews_correlation", "macro_f1"):
        for method in (None, "delta", "bootstrap"):
            found = compare_labels(pair, get(name), method=method)
            assert (found.effect.value, found.p) == (0, 1), (name, method)
            assert found.effect.low < 0 < found.effect.high or "shows no variation" in found.effect.reason
    assert "No difference" in compare_labels(pair, get("f1")).sentence


def test_a_perfect_classifier():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    other = np.where(rng.random(200) < 0.8, y, 1 - y)
    pair = LabelPair(PairedTable.from_labels(y, y, other), 1)
    for name in ("accuracy", "recall", "precision", "f1", "matthews_correlation"):
        found = compare_labels(pair, get(name), ("perfect", "other"))
        assert found.effect.value > 0
        assert found.p < 0.001
        assert "perfect is better than other" in found.sentence
        assert found.effect.high <= 1 or name == "matthews_correlation"


def test_undefined_says_whose_and_why():
    pair = LabelPair(PairedTable.from_labels([1, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 0]), 1)
    found = compare_labels(pair, get("precision"), ("a", "b"))
    assert found.effect.is_undefined
    assert np.isnan(found.p)
    assert found.reason.startswith("b has no value (")
    with pytest.raises(InputError, match="roc_auc is not a threshold measure, so it needs scores instead"):
        compare_labels(pair, get("roc_auc"))
    with pytest.raises(InputError, match="recall needs one class, but none is set"):
        compare_labels(LabelPair(pair.table), get("recall"))


def rows_of(table):
    cells = np.argwhere(np.ones(table.shape, bool))
    return np.repeat(cells, table.ravel(), axis=0).T


def test_weights_of_one_and_clusters_of_one_case_give_the_delta_method():
    y, a, b = rows_of(PAIRED8)
    n = y.size
    plain = LabelPair(PairedTable(PAIRED8, (0, 1)), 1)
    weighted = LabelPair(PairedTable.from_codes(y, a, b, (0, 1), weight=np.full(n, 2.5)), 1)
    clustered = LabelPair(plain.table, 1, ClusterRows((y * 2 + a) * 2 + b, np.arange(n)))
    for name in ("f1", "matthews_correlation", "accuracy", "balanced_accuracy", "quadratic_kappa"):
        measure = get(name)
        plain_z = compare_labels(plain, measure, method="delta").statistic
        assert compare_labels(weighted, measure).statistic == pytest.approx(plain_z, rel=1e-9)
        of_clusters = compare_labels(clustered, measure)
        assert of_clusters.statistic == pytest.approx(plain_z, rel=1e-2)  # each class has its own n / (n - 1)
        each = influence_difference(clustered, measure).ravel()[clustered.rows.cell]
        squares, fourths = (each**2).sum(), (each**4).sum()  # Satterthwaite: few cases tell the two apart
        degrees = [2 * squares**2 / (fourths - squares**2 / n) - 1, n - 1]
        if name != "accuracy":  # nor do few of a class
            parts = [(each[y == true] ** 2).sum() for true in (0, 1)]
            degrees.append(squares**2 / sum(v**2 / ((y == true).sum() - 1) for true, v in enumerate(parts)))
        assert of_clusters.df == pytest.approx(min(degrees), rel=1e-9)
        assert compare_labels(weighted, measure).df == pytest.approx(min(degrees), rel=1e-9)


def test_clusters_by_brute_force():
    """Accuracy in clusters: the jackknife of the difference, whose ratio estimator has the degrees of freedom."""
    rng = np.random.default_rng(1)
    y, a, b = rng.integers(0, 2, (3, 90))
    cluster = rng.integers(0, 12, 90)
    cluster = np.unique(cluster, return_inverse=True)[1]
    pair = LabelPair(PairedTable.from_codes(y, a, b, (0, 1)), 1, ClusterRows((y * 2 + a) * 2 + b, cluster))
    found = compare_labels(pair, get("accuracy"))
    d = (a == y) * 1.0 - (b == y)
    sums = [sum(d[cluster == i] - d.mean()) for i in range(12)]
    variance = 12 / 11 * sum(s * s for s in sums) / 90**2
    without = np.array([d[cluster != i].mean() for i in range(12)])
    assert found.statistic == pytest.approx(d.mean() / np.sqrt(11 / 12 * ((without - d.mean()) ** 2).sum()))
    sizes = np.bincount(cluster)
    alike = sizes.sum() ** 2 / (sizes**2).sum()  # of 12 clusters of unequal size
    assert found.df == pytest.approx(
        min(
            alike, 2 * variance**2 / (sum((s / 90) ** 4 for s in sums) * (12 / 11) ** 2 - variance**2 / alike)
        )
        - 1,
        rel=0.02,
    )
    assert found.p == pytest.approx(2 * stats.t.sf(abs(found.statistic), found.df))
    one = LabelPair(pair.table, 1, ClusterRows((y * 2 + a) * 2 + b, np.zeros(90, int)))
    assert compare_labels(one, get("accuracy")).reason == "one cluster shows no variation"


def test_influence_of_the_difference_by_moving_counts():
    """The derivative of each measure's difference by each joint cell, numerically."""
    from classay.comparison.cases.label_measures import values_of

    rng = np.random.default_rng(0)
    table = rng.integers(5, 40, (3, 3, 3)).astype(float)
    for name in ("accuracy", "macro_f1", "cohen_kappa", "quadratic_kappa", "balanced_accuracy"):
        measure, pair = get(name), LabelPair(PairedTable(table, (1, 2, 3)))
        slopes = influence_difference(pair, measure)
        for cell in product(range(3), repeat=3):
            more, less = table.copy(), table.copy()
            more[cell] += 1e-4
            less[cell] -= 1e-4
            up, down = (
                np.subtract(*values_of(LabelPair(PairedTable(each, (1, 2, 3))), measure))
                for each in (more, less)
            )
            assert slopes[cell] == pytest.approx((up - down) / 2e-4, abs=1e-7), (name, cell)


@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
@settings(max_examples=25, deadline=None)
def test_paired_table_laws(seed, k):
    rng = np.random.default_rng(seed)
    labels = tuple("abcd"[:k])
    y, a, b = rng.integers(0, k, (3, 60))
    times = rng.integers(0, 4, 60)
    whole = PairedTable.from_codes(y, a, b, labels)
    parts = [PairedTable.from_codes(y[s], a[s], b[s], labels) for s in (slice(0, 25), slice(25, 60))]
    assert np.array_equal((parts[0] + parts[1]).counts, whole.counts)
    repeated = PairedTable.from_codes(*(np.repeat(each, times) for each in (y, a, b)), labels)
    assert np.array_equal(PairedTable.from_codes(y, a, b, labels, frequency=times).counts, repeated.counts)
    assert np.array_equal(whole.swapped().first.counts, whole.second.counts)
    for t, i, j in product(range(k), repeat=3):
        assert whole.counts[t, i, j] == ((y == t) & (a == i) & (b == j)).sum()
    assert np.array_equal(whole.first.counts[:, 0], np.bincount(a[y == 0], minlength=k))
    right, other = a == y, b == y
    parts = (right & other, right & ~other, ~right & other, ~right & ~other)
    assert tuple(whole.agreement(np.eye(len(whole.labels), dtype=bool))) == tuple(
        each.sum() for each in parts
    )
    rest = whole.one_vs_rest("a", "not a")
    assert rest.counts[1, 1, 0] == ((y == 0) & (a == 0) & (b != 0)).sum()
    weighted = PairedTable.from_codes(y, a, b, labels, weight=times * 0.5)
    assert weighted.counts == pytest.approx(repeated.counts * 0.5)
    assert weighted.squares.sum() == pytest.approx((times * 0.5) @ (times * 0.5))
    with pytest.raises(MergeError):
        weighted + whole


def test_paired_table_joins_labels_and_refuses_too_many():
    one = PairedTable.from_labels(["a", "b"], ["a", "a"], ["b", "b"])
    other = PairedTable.from_labels(["c", "b"], ["c", "c"], ["b", "c"])
    both = one + other
    assert both.labels == ("a", "b", "c")
    assert both.total == 4
    assert both.counts[2, 2, 1] == 1
    with pytest.raises(InputError, match="Two classifiers can be compared on at most 200 classes, but"):
        PairedTable.from_codes(*np.zeros((3, 1), int), tuple(range(201)))
    with pytest.raises(InputError, match="2 rows, but the second has 1"):
        PairedTable.from_labels([0, 1], [0, 1], [0])
    with pytest.raises(InputError, match="the first has missing values in 1 row"):
        PairedTable.from_labels([0, 1], [0, None], [0, 1])


@pytest.mark.parametrize("method", ["bootstrap", "posterior"])
def test_the_order_of_the_classifiers_mirrors_the_answer(method):
    cells = np.array([[[20, 3], [6, 5]], [[8, 4], [9, 30]]])
    one, other = (
        compare_labels(LabelPair(PairedTable(each, (0, 1)), 1), get("f1"), method=method)
        for each in (cells, cells.swapaxes(1, 2))
    )
    assert one.effect.low == pytest.approx(-other.effect.high, abs=1e-12)
    assert one.effect.high == pytest.approx(-other.effect.low, abs=1e-12)
    assert one.p == other.p


@pytest.mark.parametrize(("low", "high"), [(0.8, 0.9), (0.9, 0.95), (0.95, 0.99)])
def test_a_higher_level_needs_more_cases(low, high):
    found = [mcnemar(PairedCounts(50, 16, 8, 26), level=level).needed for level in (low, high)]
    assert found[1] > found[0]
    assert found[0] == pytest.approx(connor_cases(0.16, 0.08, level=low))


@pytest.mark.parametrize(("b", "c"), [(1, 1), (8, 1), (1, 8), (5, 5), (0, 4), (0, 0), (30, 20)])
@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_sided_mcnemar_is_the_binomial_test(b, c, alternative):
    found = mcnemar(PairedCounts(20, b, c, 20), test="exact", level=0.9)
    wanted = stats.binomtest(b, b + c, 0.5, alternative=alternative).pvalue if b + c else 1.0
    assert one_sided(found, alternative, 0.95).p == pytest.approx(wanted)


@pytest.mark.parametrize("test", MCNEMAR)
def test_one_sided_p_values_of_both_sides(test):
    """Models that change places change the sides; near the middle both are half or more of a test in steps."""
    for b, c in product(range(7), range(7)):
        one, other = (mcnemar(PairedCounts(9, *each, 9), test=test, level=0.9) for each in ((b, c), (c, b)))
        p = [one_sided(one, side, 0.95).p for side in ("greater", "less")]
        assert p == pytest.approx([one_sided(other, side, 0.95).p for side in ("less", "greater")])
        assert sum(p) >= 1 - 1e-12
        if b != c and abs(b - c) > 1:
            assert min(p) == pytest.approx(one.p / 2)


@pytest.mark.parametrize(("b", "c"), [(6, 16), (16, 6), (1, 7), (3, 3), (0, 5), (0, 0), (4, 5)])
def test_the_statistic_of_mcnemar_is_that_of_statsmodels(b, c):
    from statsmodels.stats.contingency_tables import mcnemar as peer_mcnemar

    for name, how in {
        "asymptotic": {"exact": False, "correction": False},
        "continuity-corrected": {"exact": False},
        "exact": {},
    }.items():
        found = mcnemar(PairedCounts(50, b, c, 20), test=name)
        wanted = peer_mcnemar([[50, b], [c, 20]], **how) if b + c else None
        if wanted is None:
            assert (found.statistic, found.p) == (0, 1)
        elif name == "continuity-corrected" and b == c:  # statsmodels lets (|b - c| - 1)² rise again below 1
            assert found.statistic == 0
        else:
            assert (found.statistic, found.p) == pytest.approx((wanted.statistic, wanted.pvalue))


@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize(("first", "second"), [(4, 0), (6, 1), (9, 4)])
def test_posterior_of_few_cases_apart_is_mid_p_whatever_the_number_of_classes(classes, first, second):
    """One case for either side: P(Beta(b + 1, c + 1) < 1/2) is McNemar's mid-P. One case shared by all cells gave p of
    .004 for 4 : 0, and a type I error of 9%."""
    cells = np.zeros((classes,) * 3, int)
    cells[np.arange(classes), np.arange(classes), np.arange(classes)] = 30
    for k in range(first):
        cells[k % classes, k % classes, (k + 1) % classes] += 1
    for k in range(second):
        cells[k % classes, (k + 1) % classes, k % classes] += 1
    pair = LabelPair(PairedTable(cells, tuple(range(classes))), 1 if classes == 2 else None)
    found = compare_labels(pair, get("accuracy"), method="posterior")
    wanted = stats.binom.cdf(second - 1, first + second, 0.5) * 2 + stats.binom.pmf(
        second, first + second, 0.5
    )
    assert found.p == pytest.approx(wanted, abs=4 * 2 * np.sqrt(wanted / 2 / 2000) + 0.002)


@pytest.mark.parametrize(("first", "second"), [(4, 0), (1, 1), (3, 1)])
def test_of_two_classes_each_cell_has_half_a_case_before_any_is_seen(first, second):
    """The shares are Dirichlet(n + 1/2): the mean difference is (b - c) / (n + 4), with the variance of its terms."""
    cells = np.zeros((2, 2, 2), int)
    cells[0, 0, 1], cells[1, 0, 1] = first, second
    pair = LabelPair(PairedTable(cells, (0, 1)), 1)
    draws = posterior_differences(pair, get("accuracy"), draws=20_000, seed=3)
    n = first + second + 4
    mean = (first - second) / n
    variance = ((first + second + 2) / n - mean**2) / (n + 1)
    assert abs(draws.mean() - mean) < 4 * np.sqrt(variance / draws.size)
    assert draws.var() == pytest.approx(variance, rel=0.05)


@pytest.mark.parametrize(("apart", "method"), [(29, "posterior"), (30, "delta")])
def test_few_cases_that_tell_two_models_apart_are_drawn_from(apart, method):
    """Every cell of both has cases enough: only how many are labelled differently decides."""
    cells = np.array([[[200, apart // 2], [apart - apart // 2, 60]], [[60, 0], [0, 200]]])
    assert compare_labels(LabelPair(PairedTable(cells, (0, 1)), 1), get("f1")).effect.method == method


def test_a_rare_class_of_several_is_drawn_from():
    cells = np.zeros((3, 3, 3), int)
    for true, cases in enumerate((300, 200, 19)):
        cells[true, true, true] = cases - 15
        cells[true, true, (true + 1) % 3] = 8
        cells[true, (true + 1) % 3, true] = 7
    pair = LabelPair(PairedTable(cells, (0, 1, 2)), None)
    assert compare_labels(pair, get("macro_f1")).effect.method == "posterior"
    cells[2, 2, 2] += 1
    assert compare_labels(pair, get("macro_f1")).effect.method == "delta"


@pytest.mark.parametrize(
    ("method", "test", "interval"),
    [
        ("mid-p", "mid-P", "Tango"),
        ("exact", "exact", "Tango"),
        ("asymptotic", "asymptotic", "Tango"),
        ("continuity-corrected", "continuity-corrected", "Tango"),
        ("newcombe", "mid-P", "Newcombe"),
        ("bonett-price", "mid-P", "Bonett-Price"),
    ],
)
def test_a_method_by_name_is_its_test_and_its_interval(method, test, interval):
    truth = np.ones(60, int)
    first, second = truth.copy(), truth.copy()
    first[:4], second[4:15], first[50:], second[50:] = 0, 0, 0, 0
    one = ca.compare(y_true=truth, y_pred={"a": first, "b": second}, measures=["accuracy"], method=method)[0]
    tail, at = stats.binom.cdf(4, 15, 0.5), stats.binom.pmf(4, 15, 0.5)
    wanted = {
        "exact": 2 * tail,
        "mid-P": 2 * tail - at,
        "asymptotic": stats.chi2.sf(7**2 / 15, 1),
        "continuity-corrected": stats.chi2.sf(6**2 / 15, 1),
    }
    assert one.p == pytest.approx(wanted[test])
    direct = mcnemar(PairedCounts(35, 11, 4, 10), ("a", "b"), test=test, interval=interval)
    assert (one.p, one.effect.low, one.effect.high) == (direct.p, direct.effect.low, direct.effect.high)
