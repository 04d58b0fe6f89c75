"""Every number, sentence and warning of an agreement of raters, again from the cases by their definitions."""

from itertools import combinations
from math import exp, log, nan, sqrt

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.inference.labels.smooth import degrees_of_squares
from classay.raters.agreement import TITLES
from classay.raters.intervals import value_with_random
from classay.raters.results import as_dict, document_of
from classay.report.document import AxisScale

SEEDS = range(32)
FISHER = "influence function, Fisher z"


class Cases:
    """Ratings by category of each case, what a pair of ratings counts, and how many such cases there are."""

    def __init__(self, rows, pair, times):
        self.rows, self.pair, self.times = (
            np.array(rows, float),
            np.array(pair, float),
            np.array(times, float),
        )

    def twice(self):
        kept = self.pair > 0
        return Cases(self.rows[kept], self.pair[kept], self.times[kept])

    def changed(self, at, step):
        times = self.times.copy()
        times[at] += step
        return Cases(self.rows, self.pair, times)

    def more(self, row, pair):
        return Cases([*self.rows, row], [*self.pair, pair], [*self.times, 1.0])

    def shares(self):
        return (self.rows / self.rows.sum(1, keepdims=True) * self.times[:, None]).sum(0) / self.times.sum()

    def further(self):
        """How many ratings one more case has: the most, or where one case has far more than usual, the mean."""
        twice = self.twice()
        sizes = twice.rows.sum(1)
        mean = (sizes * twice.times).sum() / twice.times.sum()
        return sizes.max() if sizes.max() <= 2 * mean else max(2, round(mean))

    def random(self):
        m = self.further()
        return self.more(m * self.shares(), 1 / m)

    def unanimous(self):
        totals = (self.rows * self.times[:, None]).sum(0)
        rarest = min((c for c in range(totals.size) if totals[c] > 0), key=lambda c: (totals[c], c))
        m = self.further()
        return self.more([m if c == rarest else 0 for c in range(totals.size)], 1 / (m - 1))


def agreement_of(cases, weights):
    """Of each case, the mean weight of two of its ratings; a pair of a random case may be one rating twice."""
    apart = np.einsum("ic,id,cd->i", cases.rows, cases.rows, 1 - weights)
    return np.where(cases.pair > 0, 1 - cases.pair * apart / cases.rows.sum(1), 0.0)


def by_chance(name, shares, weights):
    k = shares.size
    if name in ("fleiss_kappa", "scott_pi"):
        return (shares**2).sum()
    if name == "brennan_prediger":
        return 1 / k
    return weights.sum() / k / (k - 1) * (shares * (1 - shares)).sum()


def corrected(name, cases, weights):
    if len(weights) < 2 and name not in ("fleiss_kappa", "scott_pi"):
        return nan
    mean = (agreement_of(cases, weights) * cases.times).sum() / cases.times[cases.pair > 0].sum()
    chance = by_chance(name, cases.shares(), weights)
    return nan if chance >= 1 - 1e-15 else (mean - chance) / (1 - chance)


def alpha(name, cases, values):
    totals = (cases.rows * cases.times[:, None]).sum(0)
    n = totals.sum()
    if name == "ordinal_alpha":
        values = totals.cumsum() - totals / 2
    apart = (
        1.0 - np.eye(totals.size) if name == "krippendorff_alpha" else np.subtract.outer(values, values) ** 2
    )
    within = (np.einsum("ic,id,cd->i", cases.rows, cases.rows, apart) * cases.pair * cases.times).sum()
    between = totals @ apart @ totals
    return 1 - (n - 1) * within / between if between > 1e-9 * n * n else nan


def value_and_moves(name, cases, values, weights):
    """The value, and how far each case moves it: by leaving it out of alpha, as a derivative of the others."""
    number = cases.times.sum()
    if name.endswith("alpha"):
        cases = cases.twice()
        number = cases.times.sum()
        without = np.array([alpha(name, cases.changed(at, -1), values) for at in range(len(cases.rows))])
        without = np.where(np.isnan(without), 1.0, without)
        mean = (without * cases.times).sum() / number
        return alpha(name, cases, values), (number - 1) / number * (mean - without), cases.times
    moves = [
        (
            corrected(name, cases.changed(at, 1e-5), weights)
            - corrected(name, cases.changed(at, -1e-5), weights)
        )
        / 2e-5
        for at in range(len(cases.rows))
    ]
    return corrected(name, cases, weights), np.array(moves), cases.times


def error_of(moves, times):
    number = times.sum()
    squares, fourths = (moves**2 * times).sum(), (moves**4 * times).sum()
    return sqrt(squares * number / (number - 1)), degrees_of_squares(squares, fourths, number)


def on_fishers_scale(value, half):
    u, width = log((1 + value) / (1 - value)), 2 / (1 - value**2) * half
    return [2 / (1 + exp(-end)) - 1 for end in (u - width, u + width)]


def normal_limits(name, cases, values, weights, level):
    value, moves, times = value_and_moves(name, cases, values, weights)
    return on_fishers_scale(
        min(value, 1 - 1e-12), stats.norm.ppf((1 + level) / 2) * error_of(moves, times)[0]
    )


def wilson_of(share, n, level):
    z2 = stats.norm.ppf((1 + level) / 2) ** 2
    low, high = sorted(np.roots([1 + z2 / n, -(2 * share + z2 / n), share * share]).real)
    return (0.0 if share == 0 else low), (1.0 if share == 1 else high)


def estimated(name, cases, values, weights, level):
    """(value, low, high, method or reason)."""
    args = values, weights
    value, moves, times = value_and_moves(name, cases, *args)
    if np.isnan(value):
        return nan, None, None, "all ratings are of one category"
    linear = not (name.endswith("alpha") or name in ("fleiss_kappa", "scott_pi"))
    twice = cases.twice()
    if linear:
        chance = by_chance(name, cases.shares(), weights)
        lowest = -chance / (1 - chance)
        agree = agreement_of(twice, np.eye(len(weights)))
        is_share = bool(((agree < 1e-12) | (agree > 1 - 1e-12)).all())
        if value >= 1 - 1e-12 or value <= lowest + 1e-12 or (is_share and name == "brennan_prediger"):
            share = min(max((value - lowest) / (1 - lowest), 0), 1)
            ends = wilson_of(share, twice.times.sum(), level)
            return value, *(lowest + (1 - lowest) * end for end in ends), "Wilson"
    elif value >= 1 - 1e-12:
        counted = twice if name.endswith("alpha") else cases
        low = normal_limits(name, counted.random(), *args, level)[0]
        if name.endswith("pi") or name.endswith("kappa"):
            low = min(low, normal_limits("krippendorff_alpha", twice.random(), *args, level)[0])
        return 1.0, low, 1.0, f"{FISHER}, one randomly rated case added"
    if times.sum() < 2 or (np.abs(moves) < 1e-9).all():
        return value, None, None, "the cases show no variation"
    if abs(value) >= 1 - 1e-12:
        return value, None, None, "the value is at the boundary of its range"
    error, degrees = error_of(moves, times)
    low, high = on_fishers_scale(value, stats.t.ppf((1 + level) / 2, degrees) * error)
    if linear:
        return value, low, high, FISHER
    counted = twice if name.endswith("alpha") else cases
    high = max(high, normal_limits(name, counted.unanimous(), *args, level)[1])
    return value, low, high, f"{FISHER}, one unanimous case of the rarest category added"


SPECIAL = {
    27: ([[0, 1], [1, 0], [0, 1], [1, 0], [0, 1]], 2, "ordinal"),  # who never agree
    28: ([[0, 0], [0, 0], [0, 0]], 1, "interval"),  # one category
    29: ([[0, 0], [3, 3], [0, 1], [3, 3], [0, 0], [3, 2]] * 10, 4, "interval"),  # no large disagreement
    30: ([[0, 0], [3, 3], [0, 1], [3, 3], [0, 0], [3, 2]] * 10, 4, "ordinal"),
    31: ([[0, 1, 2], [1, 2, 0], [2, 0, 1]], 3, "nominal"),
}


def drawn(seed):
    """Ratings with gaps, few or many cases, even and rare labels, raters who agree always, often or never."""
    if seed in SPECIAL:
        label, k, scale = SPECIAL[seed]
        return np.array(label, float), k, scale, 0.95
    rng = np.random.default_rng(seed)
    cases, raters, k = (
        int(rng.integers(2, 12 if seed > 22 else 40)),
        int(rng.integers(2, 5)),
        int(rng.integers(2, 5)),
    )
    shares = rng.dirichlet(np.full(k, [0.3, 3][seed % 2]))
    true = rng.choice(k, (cases, 1), p=shares)
    other = rng.choice(k, (cases, raters), p=shares)
    label = np.where(
        rng.random((cases, raters)) < (0.7, 1.0, 0.4, 0.9)[1 if seed > 19 else seed // 2 % 4], true, other
    ).astype(float)
    label[rng.random((cases, raters)) < (0.0, 0.25)[seed // 8 % 2]] = np.nan
    if seed % 9 == 8:  # one case with far more ratings than the others
        wide = np.full((cases, 8), np.nan)
        wide[:, :raters] = label
        wide[0] = rng.choice(k, 8)
        label = wide
    label[:2, :2] = [[0, 1], [0, 0]] if seed < 12 else true[:2]
    scale = ("nominal", "ordinal", "interval")[seed % 3]
    return label, k, scale, (0.95, 0.8)[seed // 3 % 2]


@pytest.fixture(scope="module", params=SEEDS)
def agreed(request):
    label, k, scale, level = drawn(request.param)
    values = np.array([0, 1, 3, 10])[:k]  # of an interval scale
    given = label.copy()
    if scale == "interval":
        there = ~np.isnan(label)
        given[there] = values[label[there].astype(int)]
    labels = None if scale == "interval" else range(k)
    a = ca.rater_agreement(given, scale=scale, labels=labels, level=level)
    if scale == "interval":  # only numbers that occur are categories
        occurring = np.unique(label[~np.isnan(label)]).astype(int)
        values = values[occurring]
        label = np.where(np.isnan(label), np.nan, np.searchsorted(occurring, np.nan_to_num(label)))
        k = occurring.size
    rows = np.array([[(row == c).sum() for c in range(k)] for row in label])
    sizes = rows.sum(1)
    cases = Cases(
        rows[sizes > 0], [1 / (m - 1) if m > 1 else 0 for m in sizes[sizes > 0]], np.ones((sizes > 0).sum())
    )
    values = values.astype(float) if scale == "interval" else np.arange(k, dtype=float)
    return a, label, cases, values


def weights_of(name, values):
    power = {"gwet_ac2_linear": 1, "gwet_ac2_quadratic": 2}.get(name)
    if power is None or values.size < 2:
        return np.eye(values.size)
    return 1 - (np.abs(np.subtract.outer(values, values)) / np.ptp(values)) ** power


def test_all_coefficients_with_their_limits(agreed):
    a, _, cases, values = agreed
    names = {"krippendorff_alpha", "gwet_ac1", "brennan_prediger"}
    names |= {"scott_pi"} if len(a.raters) == 2 else {"fleiss_kappa"}
    ordered = {"ordinal_alpha", "gwet_ac2_linear", "gwet_ac2_quadratic"}
    names |= {"nominal": set(), "ordinal": ordered, "interval": ordered | {"interval_alpha"}}[a.scale]
    assert {*a.estimates} == names | {"pairwise_agreement", "not_unanimous", "tied_majority"}
    for name in names:
        found = a[name]
        value, low, high, text = estimated(name, cases, values, weights_of(name, values), a.level)
        if np.isnan(value):
            assert (found.is_undefined, found.reason) == (True, text), name
            continue
        assert found.value == pytest.approx(value, abs=1e-9), name
        if low is None:
            assert (found.has_interval, found.reason) == (False, text), name
            continue
        assert (found.low, found.high) == pytest.approx((low, high), abs=2e-5), name
        assert (found.method, found.level) == (text, a.level)


def test_shares_of_cases(agreed):
    a, label, cases, _ = agreed
    twice = cases.twice()
    n, level = twice.times.sum(), a.level
    most = twice.rows.max(1)
    hits = {
        "not_unanimous": (most < twice.rows.sum(1)).sum(),
        "tied_majority": ((twice.rows == most[:, None]).sum(1) > 1).sum(),
    }
    for name, x in hits.items():
        assert (a[name].value, a[name].method) == (x / n, "Wilson")
        assert (a[name].low, a[name].high) == pytest.approx(wilson_of(x / n, n, level), abs=1e-12)
    pairwise, linear, k = a["pairwise_agreement"], a["brennan_prediger"], len(a.labels)
    together = [
        np.mean([x == y for x, y in combinations(row[~np.isnan(row)], 2)])
        for row in label
        if (~np.isnan(row)).sum() > 1
    ]
    assert pairwise.value == pytest.approx(np.mean(together))
    if linear.has_interval:
        ends = [1 / k + (1 - 1 / k) * end for end in (linear.low, linear.high)]
        assert (pairwise.low, pairwise.high) == pytest.approx((max(ends[0], 0), ends[1]))
        assert (pairwise.method, pairwise.level) == (linear.method, level)
    else:
        assert not pairwise.has_interval
        assert pairwise.reason == linear.reason
    assert (a.n_cases, a.table.n_single) == (n, (cases.pair == 0).sum())
    assert a.table.n_ratings == twice.rows.sum()
    assert a.n_unlabeled == np.isnan(label).all(1).sum()
    assert [*a.category_totals.values()] == twice.rows.sum(0).tolist()


def test_pairs_of_raters_and_of_labels(agreed):
    a, label, cases, _ = agreed
    expected = []
    for i, j in combinations(range(len(a.raters)), 2):
        both = ~np.isnan(label[:, i]) & ~np.isnan(label[:, j])
        if both.any():
            equal = (label[both, i] == label[both, j]).sum()
            expected.append(
                (equal / both.sum(), -both.sum(), a.raters[i], a.raters[j], label[both, i], label[both, j])
            )
    expected.sort(key=lambda row: row[:2])
    assert a.n_pairs == len(a.pairs) == len(expected)
    for pair, (share, size, first, second, left, right) in zip(a.pairs, expected, strict=True):
        assert (pair.first, pair.second, pair.cases) == (first, second, -size)
        assert pair.agreement.value == share
        assert (pair.agreement.low, pair.agreement.high) == pytest.approx(
            wilson_of(share, -size, a.level), abs=1e-12
        )
        given = np.unique([left, right])
        chance = sum((left == c).mean() * (right == c).mean() for c in given)
        if given.size < 2:
            assert pair.kappa.reason == "all ratings are of one category"
        else:
            assert pair.kappa.value == pytest.approx((share - chance) / (1 - chance), abs=1e-12)
            assert not pair.kappa.has_interval or pair.kappa.level == a.level
    twice, differing = cases.twice(), []
    for c, d in combinations(range(len(a.labels)), 2):
        times = (2 * twice.rows[:, c] * twice.rows[:, d] * twice.pair).sum()
        if times:
            differing.append((-times, c, d))
    differing.sort(key=lambda row: (round(row[0], 9), *row[1:]))
    found = [(pair.first, pair.second) for pair in a.confusions]
    assert found == [(a.labels[c], a.labels[d]) for _, c, d in differing]
    assert [pair.ratings for pair in a.confusions] == pytest.approx([-row[0] for row in differing])


def test_sentences_and_warnings(agreed):
    a, label, cases, values = agreed
    texts = [warning.text for warning in a.warnings]
    single, twice = int((cases.pair == 0).sum()), cases.twice()
    n, totals = int(twice.times.sum()), twice.rows.sum(0)
    expected = []
    if single:
        start = "1 case has" if single == 1 else f"{single} cases have"
        which = "this case" if single == 1 else "these cases"
        expected.append(f"{start} one rating. Only the category shares of AC1 and Fleiss' kappa use {which}.")
    if n < 30:
        number = "is only 1 case" if n == 1 else f"are only {n} cases"
        expected.append(f"There {number}. Agreement of few cases varies widely.")
    rare = [label_ for label_, total in zip(a.labels, totals, strict=True) if 0 < total < 5]
    if rare and (totals > 0).sum() > 1:
        expected.append(
            f"{len(rare)} of {len(a.labels)} categories {'has' if len(rare) == 1 else 'have'} fewer than 5 ratings, "
            f"such as {rare[0]}. Few ratings determine alpha and kappa."
        )
    lowered = {}
    for name in a.estimates:
        if (
            name in ("ordinal_alpha", "interval_alpha", "gwet_ac2_linear", "gwet_ac2_quadratic")
            and a[name].has_interval
        ):
            counted = twice if name.endswith("alpha") else cases
            moved = value_and_moves(name, counted.random(), values, weights_of(name, values))[0]
            if a[name].value < 1 and moved < (a[name].value + a[name].low) / 2:
                lowered[name] = moved
    if lowered:
        name = min(lowered, key=lambda name: lowered[name] - a[name].value)
        start = f"One pseudo-case with random ratings would lower {TITLES[name]} from "
        assert texts[-1].startswith(start)
        shown = texts[-1].removeprefix(start).split(". The sample")[0].split(" to ")
        assert [float(number) for number in shown] == pytest.approx([a[name].value, lowered[name]], abs=6e-3)
        texts = texts[:-1]
    assert texts == expected
    first, second = a.sentences
    main = a["krippendorff_alpha" if a.scale == "nominal" else f"{a.scale}_alpha"]
    title = {"nominal": "Krippendorff's alpha", "ordinal": "Krippendorff's ordinal alpha"}.get(
        a.scale, "Krippendorff's interval alpha"
    )
    assert first.startswith(f"{title} is {'not defined' if main.is_undefined else ''}")
    apart = int((twice.rows.max(1) < twice.rows.sum(1)).sum())
    assert second == f"The raters disagree in {apart} of {n} cases."
    facts = dict(a.facts)
    full = (~np.isnan(label))[(~np.isnan(label)).sum(1) > 1].all()
    assert facts["ratings"] == f"{int(twice.rows.sum())}, {'all' if full else 'with gaps'}"
    assert facts["cases"] == str(n)
    assert facts["raters"].startswith(f"{len(a.raters)}: rater 1, ")
    assert facts["categories"].startswith(f"{len(a.labels)}: {a.labels[0]}")
    blank = int(np.isnan(label).all(1).sum())
    assert facts.get("excluded") == (f"{blank} without a label" if blank else None)


def test_the_document_and_the_json_have_the_same_numbers(agreed):
    a, *_ = agreed
    found = as_dict(a)
    assert [found[key] for key in ("cases", "single", "ratings", "n_pairs")] == [
        a.n_cases,
        a.table.n_single,
        a.table.n_ratings,
        a.n_pairs,
    ]
    for name, estimate in a.estimates.items():
        assert found["measures"][name].get("value") == (None if estimate.is_undefined else estimate.value)
    sections = {section.title: section for section in document_of(a).sections}
    assert ("Pairs of raters" in sections) == bool(a.pairs)
    assert ("Categories that raters confuse" in sections) == bool(a.confusions)
    tables = [sections[title].parts[0] for title in ("Coefficients of agreement", "Shares")]
    assert [table.scale for table in tables] == [AxisScale(-1.0, 1.0, zero=0.0), AxisScale()]
    rows = [row for table in tables for row in table.rows]
    shown = [row[0].text for row in rows]
    assert shown == [TITLES[name] for name in a.estimates]
    for row, name in zip(rows, a.estimates, strict=True):
        assert (row[2] is None) == (not a[name].has_interval)
        if row[2] is not None:
            assert (row[2].low, row[2].at, row[2].high) == (a[name].low, a[name].value, a[name].high)


def test_a_part_added_and_a_file_give_the_same(agreed, tmp_path):
    a, *_ = agreed
    a.save(tmp_path / "a")
    assert as_dict(ca.load(tmp_path / "a")) == as_dict(a)
    both = a + a
    assert (both.n_cases, both.n_unlabeled, both.raters, both.labels) == (
        2 * a.n_cases,
        2 * a.n_unlabeled,
        a.raters,
        a.labels,
    )
    assert both["pairwise_agreement"].value == pytest.approx(a["pairwise_agreement"].value)
    with pytest.raises(TypeError):
        a + 1
    with pytest.raises(TypeError):
        a.table + 1


def test_a_further_case_has_as_many_ratings_as_most_cases_where_one_has_many():
    """The mean of seven cases of two raters and one of five is 2.4: two raters."""
    few = {"a": [1, 2, 3, 1, 2, 3, 2, 1], "b": [1, 2, 3, 2, 2, 3, 1, 1]}
    more = {name: [None] * 7 + [label] for name, label in (("c", 2), ("d", 1), ("e", 1))}
    table, of = ca.rater_agreement(few | more, scale="ordinal")._function("ordinal_alpha")
    assert value_with_random(table, of) == of(table.with_random(2)).value
