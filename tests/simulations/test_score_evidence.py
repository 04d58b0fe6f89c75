"""What intervals of scores and tests over folds cover where they once did not, and the page of evidence in small.

Each setting is one that an earlier default failed; the Monte-Carlo error stands with each limit.
"""

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from bench.honesty.__main__ import main
from bench.honesty.fold_intervals import EXPECTED, cells_of
from bench.honesty.folds import LEARNERS, claims
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
from bench.honesty.makers import class_rows, clusters_of_cases
from bench.honesty.populations import Population
from bench.honesty.reasons import CAUTIOUS, FEW_HITS, FEW_POSITIVES, NO_CLUSTERS, WIDE, reason
from bench.honesty.run import Cell, run, stored
from bench.honesty.settings import SETTINGS
from bench.honesty.ways import OURS, WAYS
from scipy.stats import norm
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.inference.intervals import estimate
from classay.measures import MEASURES
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


# -- the page in small -----------------------------------------------------------------------------


def test_the_page_is_written_and_resumed(tmp_path, capsys):
    store, page = tmp_path / "cells.jsonl", tmp_path / "page.md"
    given = ["--samples", "2", "--store", str(store), "--page", str(page), "--group", "Sampling weights"]
    main(given)
    assert "Sampling weights" in capsys.readouterr().out
    kept, text = store.read_text(), page.read_text()
    main(given)
    assert store.read_text() == kept
    assert page.read_text() == text
    assert "## Sampling weights" in text
    for way in WAYS:
        if way.unlike:
            assert way.name in text
    for cells in stored(store).values():
        assert all(0 <= cell.below + cell.above <= 1 and cell.samples == 2 for cell in cells)


@pytest.mark.slow
@pytest.mark.parametrize("group", dict.fromkeys(each.group for each in SETTINGS))
def test_defaults_hold_in_small(group):
    """40 samples a setting: over all settings and measures a group has at least 1,000, with an error of 1 point."""
    cells = [each for each in run(40, None, (group,)) if each.way == OURS and each.rarer >= 10]
    covered = np.mean([each.coverage for each in cells])
    assert covered >= 0.935, group
    for each in cells:
        assert each.coverage >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / 40), each


def test_the_page_that_is_kept_names_its_settings():
    page = (Path(__file__).parents[2] / "docs/evidence/README.md").read_text()
    for setting in SETTINGS:
        assert f"| {setting.name} |" in page, setting


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
    """Logit-DeLong 87 to 92 %, Newcombe's method 5 90 % at unequal spreads. 1,500 samples: error 0.6 points."""
    shift, positive = norm.ppf(auc) * np.sqrt(1 + spread**2), np.arange(p + n) < p
    scale = np.where(positive, spread, 1.0)

    def draw(rng):
        table = ScoreTable.from_rows(rng.normal(size=p + n) * scale + shift * positive, positive)
        return {"auc": estimate(MEASURES["roc_auc"], table)}

    found, below, above = covered("auc", draw, auc, 1500)
    assert found >= 0.935 - 0.012
    assert max(below, above) < 0.04 + 0.01


@pytest.mark.slow
@pytest.mark.parametrize("name", ["brier_score", "log_loss"])
@pytest.mark.parametrize(
    ("n", "population"),
    [
        (400, Population(0.02, 2.0)),
        (100, Population(0.1, 1.5)),
        (60, Population(0.3, 3.0)),
        (1000, Population(0.02, 3.5)),
    ],
    ids=str,
)
def test_losses(name, n, population):
    """Student's t 84 to 93 %, all misses above. 1,200 samples: error 0.6 points, of a side 0.6."""

    def draw(rng):
        while True:
            truth, score = population.rows(rng, n)
            if 2 <= truth.sum() <= n - 2:
                return ca.assess(truth, score)

    p, pos, neg = population.grid
    truth = {
        "log_loss": -(pos * np.log(p) + neg * np.log1p(-p)).sum(),
        "brier_score": (pos * (1 - p) ** 2 + neg * p**2).sum(),
    }
    found, below, above = covered(name, draw, truth[name], 1200)
    assert found >= 0.935 - 0.012
    assert max(below, above) < 0.04 + 0.012


@pytest.mark.slow
@pytest.mark.parametrize(("clusters", "share"), [(100, 0.06), (100, 0.15)])
def test_clusters_of_one_truth(clusters, share):
    """With a degree of freedom for every cluster 87 to 90 %. 400 samples: error 1.1 points, of a side 1."""
    names = ("recall", "roc_auc", "balanced_accuracy")
    setting = clusters_of_cases("", names, clusters, 5, Population(share, 1.5), 1.0)
    truths = setting.truths()

    def draw(rng):
        while (sample := setting.draw(rng)) is None:
            pass
        return sample.assess(0.95)

    for name in names:
        found, below, above = covered(name, draw, truths[name], 400)
        assert found >= 0.935 - 0.033, name
        assert max(below, above) < 0.04 + 0.03, name


@pytest.mark.slow
@pytest.mark.parametrize(("n", "shares"), [(120, (0.7, 0.2, 0.1)), (1000, (0.1,) * 10)])
def test_mean_aucs_are_no_bound(n, shares):
    """A bound over classes covered 98 to 100 %. 500 samples: error 1 point."""
    truth, p = class_rows(np.random.default_rng(9), 300_000, shares, 1.0)
    whole = ca.assess(truth, p)

    def draw(rng):
        while True:
            truth, p = class_rows(rng, n, shares, 1.0)
            if np.bincount(truth, minlength=len(shares)).min() > 1:
                return ca.assess(truth, p)

    for name in ("hand_till_auc", "macro_roc_auc"):
        found = covered(name, draw, whole[name].value, 500)[0]
        assert 0.92 <= found <= 0.985, name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("learner", "n", "naive"),
    [("logistic regression", 100, 0.7), ("1 nearest neighbour", 100, 0.6), ("decision tree", 300, 0.6)],
)
def test_intervals_over_folds(learner, n, naive):
    """Of the accuracy expected of models of so many cases; 200 data sets: error 1.5 points. Stable or not.

    Nadeau and Bengio's own covered 91 % for nearest neighbours, the naive t over repeated folds half. Of trees the
    intervals are 1.6 times as wide as the nested ones, which docs/evaluate.md states.
    """
    found = {each.way: each for each in cells_of(learner, n, 200) if each.measure == EXPECTED}
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


def test_a_reason_explains_what_is_marked():
    """A cell that is too wide is not explained by what makes one too short, nor one with weights by cases alike."""
    cell = Cell(
        "g", "0.9 to 0.3 kept of 400", 40.0, "balanced_accuracy", "classay", 0.8, 200, 200, 1, 5, 24.0
    )
    assert reason(cell, wide=True) == NO_CLUSTERS
    assert reason(cell, wide=False) == FEW_POSITIVES
    alike = replace(cell, setting="n = 400, 0.03 positive")
    assert reason(alike, wide=False) == FEW_HITS
    assert reason(replace(alike, measure="max_f1"), wide=True) == f"{WIDE}; {CAUTIOUS}"
    assert reason(replace(alike, setting="stump, n = 100"), wide=False) != reason(alike, wide=False)


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
    "learner", ["1 nearest neighbour, n = 100", "stump, n = 60", "nearest centroid, n = 100"]
)
def test_repeated_folds_show_unstable_learners(learner):
    """Nadeau and Bengio's t claims 11 and 22 % for the first two. 400 data sets: error 1.1 points."""
    rng, (accuracy, n) = np.random.default_rng(0), LEARNERS[learner]
    found = [claims(rng, accuracy, n) for _ in range(400)]
    assert np.mean([each["classay: corrected t, 10×10"] for each in found]) <= 0.065 + 0.025
    if not learner.startswith("nearest centroid"):
        assert np.mean([each["Nadeau–Bengio t, 10×10"] for each in found]) >= 0.08
