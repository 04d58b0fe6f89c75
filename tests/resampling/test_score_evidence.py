"""What intervals of scores and tests over folds cover where they once did not, and the page of evidence in small.

Each setting is one that an earlier default failed; the Monte-Carlo error stands with each limit.
"""

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from bench.honesty.__main__ import main
from bench.honesty.cells import OURS, TEST, Cell, too_wide
from bench.honesty.curves import holds_whole
from bench.honesty.folds import EXPECTED, of_intervals, of_tests
from bench.honesty.learners import (
    INSIDE,
    PAIRS,
    TREES,
    bayle_error,
    cases,
    conservative_error,
    forest,
    halves,
    lasso_weights,
    logistic,
    nearest,
    tree,
)
from bench.honesty.page import (
    END,
    FAMILIES,
    LEANING,
    MISSED,
    START,
    UNSURE,
    Counts,
    mark,
    marked,
    plain,
    table,
)
from bench.honesty.populations import Population
from bench.honesty.rows import Sample, class_rows, ends_of, ordered
from bench.honesty.run import Asked, Store
from bench.honesty.settings import (
    CLASS_SCORES,
    CLASSES_TOO,
    ERRORS,
    OF_COUNTS,
    OF_MATRIX,
    PARTS,
    SCORES,
    SETTINGS,
    UNLIKE,
)
from scipy.stats import norm
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.curves.curve import Curve
from classay.inference.intervals import estimate
from classay.inference.methods import ON_REQUEST, TABLES, of_type
from classay.measures import MEASURES, get
from classay.tables import ScoreTable

# -- laws, quick -----------------------------------------------------------------------------------


def scored(seed=0, n=120, share=0.4):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < share
    return truth, rng.normal(size=n) + truth


@pytest.mark.parametrize("seed", range(5))
def test_ks_has_the_interval_of_negated_scores(seed):
    truth, score = scored(seed)
    one, other = (ca.assess(truth, each)["kolmogorov_smirnov"] for each in (score, -score))
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-9)


def test_auc_of_one_has_an_interval_however_cases_were_drawn():
    truth = np.arange(40) >= 25
    weight = np.random.default_rng(0).uniform(0.5, 3, 40)
    plain = ca.assess(truth, np.arange(40.0))["roc_auc"]
    equal = ca.assess(truth, np.arange(40.0), weight=np.full(40, 2.5))["roc_auc"]
    uneven = ca.assess(truth, np.arange(40.0), weight=weight)["roc_auc"]
    clustered = ca.assess(truth, np.arange(40.0), cluster=np.arange(40) // 2)["roc_auc"]
    assert plain.low == pytest.approx(equal.low, rel=1e-9)
    for found in (uneven, clustered):
        assert found.value == pytest.approx(found.high, abs=1e-12) == 1
        assert 0.7 < found.low < plain.low
        assert "Newcombe-5" in found.method


@pytest.mark.parametrize("method", ["logit-DeLong", "DeLong", "Newcombe-5", "delong"])
def test_other_methods_of_the_auc_are_had_by_name(method):
    truth, score = scored()
    found = ca.assess(truth, score, interval=method)
    assert found["roc_auc"].method.casefold() == method.casefold()
    assert found["gini"].low == pytest.approx(2 * found["roc_auc"].low - 1)


def test_mean_aucs_of_many_rows_are_those_of_clusters_of_one():
    """The cases of a table are kept, so its interval is that of its rows, whatever the order and the chunks."""
    truth, p = class_rows(np.random.default_rng(1), 1500, (0.5, 0.3, 0.2), 1.2)
    whole, rows = ca.assess(truth, p), ca.assess(truth, p, cluster=np.arange(truth.size))
    for name in ("hand_till_auc", "macro_roc_auc", "weighted_roc_auc"):
        width = [found.high - found.low for found in (whole[name], rows[name])]
        assert width[0] == pytest.approx(width[1], rel=0.01)
        parts = [ca.assess(truth[at], p[at], labels=(0, 1, 2)) for at in (slice(900, None), slice(0, 900))]
        assert (parts[0] + parts[1])[name] == whole[name]


def test_quantiles_of_calibration_errors_have_an_interval_at_every_level():
    """Sums that cancel in every cluster once left none at some levels."""
    truth = np.array([0, 1, 1, 0, 1, 0, 0, 1, 1])
    score = np.array([0.5, 0.5, 0.98, 0.02, 0.5, 0.5, 0.02, 0.98, 0.98])
    for level in (0.5, 0.8, 0.95, 0.999):
        a = ca.assess(truth, score, cluster=np.arange(9) % 3, level=level)
        for name in ("median_calibration_error", "calibration_error_90", "integrated_calibration_index"):
            assert a[name].has_interval, (level, name, a[name].reason)


# -- the evidence in small --------------------------------------------------------------------------

ROOT = Path(__file__).parents[2]


def test_a_run_is_resumed_and_its_pages_are_written(tmp_path, capsys):
    """A killed run goes on; what is done is not done again; text around what is made is kept."""
    store, pages = tmp_path / "cells.jsonl", tmp_path / "pages"
    pages.mkdir()
    (pages / "groups.md").write_text("# Groups\n\nBefore.\n\n" + START + "outdated" + END + "\n\nAfter.\n")
    given = ["--samples", "4", "--most", "6", "--store", str(store), "--pages", str(pages), "--jobs", "1"]
    main([*given, "--family", "groups"])
    lines = store.read_text().splitlines(keepends=True)
    first = {key: each.cells for key, each in Store.opened(store).batches.items()}
    written = {each.name: each.read_text() for each in pages.iterdir()}
    assert {*written} == {"groups.md", "groups.svg", "README.md"}
    text = written["groups.md"]
    assert text.startswith("# Groups\n\nBefore.")
    assert text.rstrip().endswith("After.")
    assert "outdated" not in text
    store.write_text("".join(lines[:2]) + lines[2][:40])
    capsys.readouterr()
    main([*given, "--family", "groups"])
    assert capsys.readouterr().out.count(", batch ") == len(lines) - 2

    second = Store.opened(store).batches
    assert {key: each.cells for key, each in second.items()} == first
    assert {each.name: each.read_text() for each in pages.iterdir() if each.name != "README.md"} == {
        name: each for name, each in written.items() if name != "README.md"
    }


def test_heads_of_pages_are_read_as_they_were_written():
    """The first page sums them."""
    several = {
        "classay": Counts(1300, 1200, 70, 3, 4, 5, (2000, 6000)),
        "Wald": Counts(20, 9, 2, 11, 0, 0, (0, 0)),
    }
    for name, each in several.items():
        assert Counts.read(each.row(name, is_ours=name == "classay")) == (name, each)
    total = several["classay"] + several["Wald"]
    assert (total.cells, total.lean, total.unsure, total.samples) == (1320, 72, 93, (2000, 6000))


def test_samples_of_rows_are_counted_as_assess_counts_them():
    """The tables below the public door have the intervals of the door."""
    rng, population = np.random.default_rng(3), Population(0.3, 1.5)
    truth, score = population.rows(rng, 90)
    weight, cluster = rng.gamma(2, size=90), np.arange(90) // 3
    y, p = class_rows(rng, 90, (0.5, 0.3, 0.2), 1.2)
    for more in ({}, {"weight": weight}, {"cluster": cluster}):
        one = ca.assess(truth, score, threshold=0.3, **more)
        for name, found in Sample(truth, score, 0.3, **more).estimates(UNLIKE).items():
            assert ends_of(found) == pytest.approx(ends_of(one[name]), rel=1e-9, nan_ok=True), name
        several = ca.assess(y, p, labels=(0, 1, 2), ordered=True, **more)
        for name, found in Sample(y, p, labels=ordered(3), **more).estimates(CLASSES_TOO).items():
            assert ends_of(found) == pytest.approx(ends_of(several[name]), rel=1e-9, nan_ok=True), name


def test_tables_drawn_at_once_have_the_intervals_of_each():
    setting = next(each for each in SETTINGS if each.group == "Two classes: small")
    names = tuple(setting.truths())
    whole = setting.simulate(np.random.default_rng(0), 6, Asked(names, "ours"))
    drawn = [name for name in names if (name, OURS) in whole]
    assert len(drawn) > len(names) / 3  # shares are enumerated, not drawn
    for name in drawn:
        alone = setting.simulate(np.random.default_rng(0), 6, Asked((name,), "ours"))
        assert np.array_equal(alone[name, OURS], whole[name, OURS], equal_nan=True), name


def test_every_default_interval_has_a_cell():
    """Of every registered measure with a default interval of independent cases; mirrors and doubles aside.

    Several labels a case have no page of evidence yet.
    """
    lists = (OF_COUNTS, OF_MATRIX, SCORES, ERRORS, PARTS, CLASS_SCORES)
    asked = {get(name).name for names in lists for name in names}
    doubles = {"gini", "single_point_auc", "macro_recall", "micro_precision", "micro_recall", "micro_f1"}
    doubles |= {"weighted_recall", "top_3_accuracy", "top_5_accuracy"}
    for measure in MEASURES.values():
        if measure.needs in ("tags", "tag_scores"):
            continue
        tables = TABLES[measure.needs]
        has_one = any(
            method.when is not ON_REQUEST for table in tables for method in of_type(measure, table, "alike")
        )
        if has_one and measure.complement is None and measure.name not in doubles:
            assert measure.name in asked, measure.name


def test_the_promise_is_what_it_was():
    """93.5%, from ten cases; of tests 4% on a side too; within two errors is unsure; near goes both ways."""
    cell = Cell("f", "g", "s", 10.0, "m", OURS, 2000, 2000, 65, 65, 400.0)
    assert cell.holds
    assert cell.is_near
    assert not replace(cell, ended_below=66).holds
    assert not replace(cell, ended_below=66).surely_misses
    assert replace(cell, ended_below=66).is_near
    assert replace(cell, ended_below=100).surely_misses
    assert not replace(cell, ended_below=0, started_above=0).is_near
    assert not replace(cell, rarer=9.9).is_promised
    narrow = replace(cell, way="other", widths=350.0)
    assert too_wide(cell, [narrow])
    assert not too_wide(cell, [replace(narrow, ended_below=200)])
    assert not too_wide(cell, [replace(narrow, ended_below=0, started_above=81)])
    assert not too_wide(replace(cell, measure="m" + TEST), [narrow])


@pytest.mark.parametrize("turned", [False, True])
def test_misses_on_one_side_make_an_interval_lean_and_a_test_fail(turned):
    """The sides can be swapped; a verdict names one, a two-sided level does not."""
    one, both = (81, 0)[:: -1 if turned else 1], (40, 40)
    cell = Cell("f", "g", "s", 10.0, "m", OURS, 2000, 2000, *one, 400.0)
    test = replace(cell, measure="m" + TEST)
    assert cell.holds
    assert cell.leans
    assert not cell.surely_misses
    assert not test.holds
    assert test.is_near
    assert not test.leans
    assert replace(test, samples=20000, intervals=20000, ended_below=1000, started_above=0).surely_misses
    for each in (cell, test):
        even = replace(each, ended_below=both[0], started_above=both[1])
        assert even.holds
        assert not even.leans
        assert replace(each, sides=1).holds
        assert not replace(each, sides=1).leans


def test_every_mark_has_its_reason():
    """A cell that misses, leans, or is unsure is named below its table and on the first page."""
    cell = Cell("scores", "g", "s", 10.0, "area_under_prg", OURS, 2000, 2000, 100, 100, 400.0)
    cells = [
        replace(cell, setting=f"s{i}", ended_below=x, started_above=0)
        for i, x in enumerate((40, 100, 140, 300))
    ]
    signs = ["", LEANING, UNSURE, MISSED]
    assert [mark(each, []) for each in cells] == signs
    assert [found for found, _, _ in marked(cells)] == signs[1:]
    assert [line[2] for line in table(cells) if line.startswith("* ")] == signs[1:]


def test_bands_are_held_against_the_whole_curve():
    """At upright pieces both heights count."""
    x, y = np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.5, 1.0])
    wide = Curve("c", "a band", x, y, "x", "y", low=np.array([0.0, 0.4, 1.0]), high=np.array([0.1, 0.6, 1.0]))
    assert holds_whole(wide, x, y)
    assert not holds_whole(replace(wide, high=np.array([0.1, 0.45, 1.0])), x, y)
    assert not holds_whole(replace(wide, low=np.array([0.0, 0.55, 1.0])), x, y)


@pytest.mark.slow
@pytest.mark.parametrize("family", dict.fromkeys(each.family for each in SETTINGS))
def test_defaults_hold_in_small(family):
    """40 samples a setting: the mean coverage of a family is not shown to be below the promise, by two errors."""
    own = [replace(each, most=min(40, each.samples(40))) for each in SETTINGS if each.family == family]
    cells = [cell for each in own for cell in each.cells(0, 40, Asked(ways="ours"))]
    ours = [each for each in cells if each.way == OURS and each.is_promised]
    error = np.sqrt(0.95 * 0.05 / sum(each.intervals for each in ours))
    assert np.mean([each.coverage for each in ours]) >= 0.935 - 2 * error, family
    for each in ours:
        assert each.coverage >= 0.95 - 5 * np.sqrt(0.95 * 0.05 / each.intervals), each


def test_the_pages_that_are_kept_name_all_settings_and_reasons():
    folder = ROOT / "docs" / "evidence"
    text = {family: (folder / f"{family}.md").read_text() for family in FAMILIES}
    for setting in SETTINGS:
        assert f"{plain(setting.name)} |" in text[setting.family], setting.key
    whole = (folder / "README.md").read_text()
    for family in FAMILIES:
        assert f"({family}.md)" in whole
        assert f"({family}.svg)" in text[family]


# -- rows that were short --------------------------------------------------------------------------


def covered(name, draw, truth, samples, seed=0):
    """Coverage, and the shares of samples that end below and start above the truth."""
    rng = np.random.default_rng(seed)
    found = [draw(rng)[name] for _ in range(samples)]
    low, high = (np.array([getattr(each, end) for each in found]) for end in ("low", "high"))
    below, above = float((high < truth).mean()), float((low > truth).mean())
    return 1 - below - above, below, above


@pytest.mark.slow
@pytest.mark.parametrize(
    ("p", "n", "auc", "spread"),
    [
        (15, 300, 0.9, 1.0),
        (15, 300, 0.85, 1.6),
        (40, 400, 0.96, 1.0),
        (100, 1000, 0.99, 1.0),
        (60, 60, 0.99, 1.0),
    ],
)
def test_auc(p, n, auc, spread):
    """Logit-DeLong 87 to 92%, Newcombe's method 5 90% at unequal spreads. 1,500 samples: error 0.6 points."""
    shift, positive = norm.ppf(auc) * np.sqrt(1 + spread**2), np.arange(p + n) < p
    scale = np.where(positive, spread, 1.0)

    def draw(rng):
        table = ScoreTable.from_rows(rng.normal(size=p + n) * scale + shift * positive, positive)
        return {"auc": estimate(MEASURES["roc_auc"], table)}

    found, below, above = covered("auc", draw, auc, 1500)
    assert found >= 0.935 - 0.012
    assert max(below, above) < 0.04 + 0.01


RARE = (0.2375,) * 4 + (0.05,)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "shares", "level", "most"),
    [(120, (0.7, 0.2, 0.1), 0.95, 0.985), (1000, (0.1,) * 10, 0.95, 0.985), (100, RARE, 0.8, 0.93)],
)
def test_mean_aucs_are_no_bound(n, shares, level, most):
    """A bound over classes covered 98 to 100%, a model of few cases 87 to 92 at .8. Error 1 to 1.8 points."""
    truth, p = class_rows(np.random.default_rng(9), 300_000, shares, 1.0)
    whole = ca.assess(truth, p)

    def draw(rng):
        while True:
            truth, p = class_rows(rng, n, shares, 1.0)
            if np.bincount(truth, minlength=len(shares)).min() > 1:
                return ca.assess(truth, p, level=level)

    for name in ("hand_till_auc", "macro_roc_auc"):
        found = covered(name, draw, whole[name].value, 500)[0]
        assert level - 0.03 <= found <= most, name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("learner", "n", "naive"),
    [("logistic regression", 100, 0.7), ("1 nearest neighbour", 100, 0.6), ("decision tree", 300, 0.6)],
)
def test_intervals_over_folds(learner, n, naive):
    """Of the accuracy expected of models of so many cases; 200 data sets: error 1.5 points. Stable or not.

    Nadeau and Bengio's own covered 91% for nearest neighbours, the naive t over repeated folds half. Of trees the
    intervals are 1.6 times as wide as the nested ones, which docs/evaluate.md states.
    """
    setting = of_intervals(learner, n, 200)
    found = {each.way: each for each in setting.cells(0, 200, Asked()) if each.measure == EXPECTED}
    assert found["classay"].coverage >= 0.95 - 0.046
    assert found["classay: 10-fold"].coverage >= 0.95 - 0.046
    assert found["naive t, 10×10"].coverage < naive
    nested = next(each for way, each in found.items() if way.startswith("nested"))
    assert found["classay"].width < (1.8 if learner == "decision tree" else 1.2) * nested.width


@pytest.mark.slow
def test_the_quick_learners_are_those_of_scikit_learn():
    """The trees agree as often as two of scikit-learn that break ties between features in their own order."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(300) % 2)
    new = np.arange(3000) % 2
    x, others = cases(rng, y), cases(rng, new)
    among = (np.arange(3300) < 300)[None]
    both = np.concatenate([x, others]), np.concatenate([y, new])

    def said(learner):
        right = learner(*both, among, ~among)[0, 300:]
        return np.where(right, new, 1 - new)

    assert (said(logistic) == LogisticRegression(tol=1e-9).fit(x, y).predict(others)).all()
    for k in (1, 5):
        assert (said(nearest(k)) == KNeighborsClassifier(k).fit(x, y).predict(others)).all()
    for own, theirs in ((tree, DecisionTreeClassifier()), (forest, RandomForestClassifier(TREES, n_jobs=1))):
        fitted = [theirs.set_params(random_state=seed).fit(x, y).predict(others) for seed in range(4)]
        alike = [(one == other).mean() for one, other in combinations(fitted, 2)]
        assert min((said(own) == each).mean() for each in fitted) > min(alike) - 0.03


@pytest.mark.slow
@pytest.mark.parametrize("n", [90, 900])
def test_the_lasso_is_at_its_optimum(n):
    """The slope of the log-likelihood is the penalty where a weight is not 0, less where it is, and 0 of the first."""
    rng = np.random.default_rng(n)
    y = rng.permutation(np.arange(n) % 2).astype(float)
    rows = np.column_stack([np.ones(n), cases(rng, y), rng.normal(size=(n, 4))])  # four tell nothing
    penalty = np.sqrt(n)
    found = lasso_weights(rows, y, penalty)
    slope = rows.T @ (y - 1 / (1 + np.exp(-rows @ found)))
    assert slope[0] == pytest.approx(0, abs=1e-6)
    held = found[1:] != 0
    assert 0 < held.sum() < held.size
    assert slope[1:][held] == pytest.approx(penalty * np.sign(found[1:][held]), rel=1e-7)
    assert (abs(slope[1:][~held]) < penalty).all()


def test_errors_over_folds_are_those_of_their_formulas():
    """Written out: the mean of the folds' variances over n; half the mean square between halves."""
    test = np.array([[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]], bool)
    losses = np.array([[0, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]])
    assert bayle_error(losses, test) == pytest.approx(np.sqrt((1 / 3 + 0) / 2 / 6))
    values = np.zeros((PAIRS, 2, INSIDE))
    values[0, 0], values[1, 1] = 0.2, 0.4
    assert conservative_error(values) == pytest.approx(np.sqrt((0.04 + 0.16) / PAIRS / 2))
    train, tested = halves(np.random.default_rng(0), 41, 4)
    assert (tested.sum(1) == 4).all()
    assert not (train & tested).any()
    cut = (train | tested).reshape(PAIRS, 2, INSIDE, 41)
    assert (cut == cut[:, :, :1]).all()
    assert (cut[:, 0, 0] ^ cut[:, 1, 0]).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("learner", "n"), [("1 nearest neighbour", 100), ("stump", 60), ("nearest centroid", 100)]
)
def test_repeated_folds_show_unstable_learners(learner, n):
    """Nadeau and Bengio's t claims 11 and 22% for the first two. 400 data sets: error 1.1 points."""
    found = {each.way: each for each in of_tests(learner, n, 400).cells(0, 400, Asked())}
    assert 1 - found[OURS].coverage <= 0.065 + 0.025
    if learner != "nearest centroid":
        assert 1 - found["Nadeau–Bengio t, 10×10"].coverage >= 0.08
