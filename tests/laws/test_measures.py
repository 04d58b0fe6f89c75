"""Laws of every measure of one assessment, value and interval, whatever way its rows were drawn."""

from itertools import pairwise

import numpy as np
import pytest
from law_rows import (
    CLASSES,
    DRAWN,
    FEW,
    KINDS,
    MANY,
    NONE,
    at,
    differing,
    estimates,
    own_estimates,
    rows_of,
    violations,
)
from scipy.stats import norm

import classay as ca
from classay.measures import FAMILIES, get
from samples import class_rows

every = pytest.mark.parametrize("kind", KINDS, ids=" ".join)
sizes = pytest.mark.parametrize(
    ("seed", "n"),
    [(0, FEW), *(pytest.param(seed, n, marks=pytest.mark.slow) for seed in range(1, 6) for n in (FEW, MANY))],
)
SCALES = (1e-150, 1e150)
LEVELS = (0.5, 0.95, 0.99)


def test_laws_are_of_all_families():
    """Of two classes or of several; those of wings have laws of their own."""
    seen = {name.partition("(")[0] for kind in KINDS[:: len(DRAWN)] for name in own_estimates(kind)}
    own = {
        name for name, each in FAMILIES.items() if not each.build.__module__.startswith("classay.measures.")
    }
    assert {*FAMILIES} - seen == own | {"top_k_accuracy"}  # of which those for 2, 3 and 5 are registered


@every
@sizes
def test_order_of_rows(kind, seed, n):
    rows = rows_of(*kind, seed, n)
    found = estimates(at(rows, np.random.default_rng(seed + 1).permutation(n)))
    assert violations("order of rows", kind, differing(found, own_estimates(kind, seed, n)), seed) == NONE


@pytest.mark.parametrize("kind", [each for each in KINDS if each[0] == "several"], ids=" ".join)
@sizes
def test_order_of_classes(kind, seed, n):
    """Of measures that know no order of classes and name none, on scores without ties, which that order would break."""
    rows = rows_of(*kind, seed, n) | {"y_score": class_rows(np.random.default_rng(seed), n, k=4)[1]}
    order = np.array([2, 0, 3, 1])  # class c is now called order[c]
    moved = rows | {"y_true": order[rows["y_true"]], "y_score": rows["y_score"][:, np.argsort(order)]}
    found, wanted = estimates(moved, labels=range(4)), estimates(rows, labels=range(4))
    free = {name for name in found if not get(name).needs_order and "labels" not in get(name).parameters}
    assert violations("order of classes", kind, differing(found, wanted) & free, seed) == NONE


@pytest.mark.parametrize("kind", [each for each in KINDS if "weighted" in each[1]], ids=" ".join)
@sizes
def test_scale_of_weights(kind, seed, n):
    rows, wanted = rows_of(*kind, seed, n), own_estimates(kind, seed, n)
    for scale in SCALES:
        found = estimates(rows | {"weight": scale * rows["weight"]})
        assert violations("scale of weights", kind, differing(found, wanted), seed) == NONE, scale


@pytest.mark.parametrize("kind", [("two", "alike"), ("several", "alike")], ids=" ".join)
@sizes
def test_equal_weights_are_none(kind, seed, n):
    """Of values: intervals of weighted rows are others by design."""
    rows = rows_of(*kind, seed, n)
    found = estimates(rows | {"weight": np.full(n, 0.1)})
    differ = differing(found, own_estimates(kind, seed, n), 1e-11, ("value",))
    assert violations("equal weights", kind, differ, seed) == NONE


@pytest.mark.parametrize("kind", [each for each in KINDS if each[1] != "frequencies"], ids=" ".join)
@sizes
def test_rows_of_weight_zero_are_absent(kind, seed, n):
    rows = rows_of(*kind, seed, n)
    rows.setdefault("weight", np.ones(n))
    doubled = at(rows, np.repeat(np.arange(n), 2))
    doubled["weight"] = np.where(np.arange(2 * n) % 2, 0.0, doubled["weight"])
    assert violations("weight zero", kind, differing(estimates(doubled), estimates(rows)), seed) == NONE


@pytest.mark.parametrize("drawn", ["weight", "frequency"])
def test_rows_of_weight_zero_declare_their_class(drawn):
    """A class that only rows of weight zero hold is one of the labels, with no case: distances of classes count it."""
    truth, called, times = [2, 1, 1, 1, 0], [2, 1, 4, 3, 0], np.array([2, 1, 2, 0, 2])
    found = ca.assess(truth, y_pred=called, **{drawn: times}).estimates()
    kept = times > 0
    wanted = ca.assess(
        np.array(truth)[kept], y_pred=np.array(called)[kept], labels=range(5), **{drawn: times[kept]}
    ).estimates()
    assert violations("class of weight zero", ("several", drawn), differing(found, wanted)) == NONE


@pytest.mark.parametrize("classes", ["two", "several"])
@pytest.mark.parametrize("drawn", ["alike", "clustered"])
@sizes
def test_frequencies_repeat_rows(classes, drawn, seed, n):
    rows, times = rows_of(classes, drawn, seed, n), np.random.default_rng(seed).integers(0, 4, n)
    labels = {"labels": range(4)} if classes == "several" else {}
    found = estimates(rows | {"frequency": times}, **labels)
    wanted = estimates(at(rows, np.repeat(np.arange(n), times)), **labels)
    assert violations("frequencies", (classes, drawn), differing(found, wanted), seed) == NONE


@every
@sizes
def test_values_lie_in_their_intervals(kind, seed, n):
    found = own_estimates(kind, seed, n)
    outside = {
        name for name, each in found.items() if each.has_interval and not each.low <= each.value <= each.high
    }
    beyond = {
        name
        for name, each in found.items()
        if each.has_interval and not get(name).bounds[0] <= each.low <= each.high <= get(name).bounds[1]
    }
    assert violations("low <= value <= high", kind, outside | beyond, seed) == NONE


@every
@sizes
def test_wider_levels_are_wider(kind, seed, n):
    rows = rows_of(*kind, seed, n)
    found = [
        own_estimates(kind, seed, n) if level == 0.95 else estimates(rows, level=level) for level in LEVELS
    ]
    narrower = set()
    for inner, outer in pairwise(found):
        narrower |= {
            name
            for name, each in inner.items()
            if each.has_interval
            and not (outer[name].low <= each.low + 1e-12 and each.high <= outer[name].high + 1e-12)
        }
    assert violations("wider levels", kind, narrower, seed) == NONE


def mirrored(rows):
    """The same rows with the other class as the positive one: its score is one minus the score."""
    return rows | {"y_score": 1 - rows["y_score"], "positive": 0}


SWAPPED = {
    "precision": "negative_predictive_value",
    "negative_predictive_value": "precision",
    "recall": "specificity",
    "specificity": "recall",
    "false_positive_rate": "false_negative_rate",
    "false_negative_rate": "false_positive_rate",
    "false_discovery_rate": "false_omission_rate",
    "false_omission_rate": "false_discovery_rate",
}
SYMMETRIC = [
    *("accuracy", "error_rate", "balanced_accuracy", "informedness", "markedness", "matthews_correlation"),
    *("cohen_kappa", "diagnostic_odds_ratio", "roc_auc", "gini", "kolmogorov_smirnov", "hull_auc"),
    *(
        "log_loss",
        "brier_score",
        "log_loss_skill",
        "brier_skill",
        "calibration_slope",
        "smooth_calibration_error",
    ),
    *("brier_miscalibration", "brier_discrimination", "brier_uncertainty", "macro_recall", "macro_precision"),
    *("macro_f1", "cumulative_calibration_range", "integrated_calibration_index", "area_under_risk_coverage"),
]


@pytest.mark.parametrize("kind", [each for each in KINDS if each[0] == "two"], ids=" ".join)
@sizes
def test_labels_swapped(kind, seed, n):
    rows = rows_of(*kind, seed, n)
    found, wanted = estimates(mirrored(rows)), own_estimates(kind, seed, n)
    pairs = {name: name for name in SYMMETRIC if name in wanted} | SWAPPED
    assert len(pairs) > 25
    wrong = differing({a: found[b] for a, b in pairs.items()}, wanted)
    assert violations("labels swapped", kind, wrong, seed) == NONE


@pytest.mark.parametrize("kind", [each for each in KINDS if each[0] == "two"], ids=" ".join)
@sizes
def test_scores_negated(kind, seed, n):
    """AUC becomes 1 - AUC, Gini its negative, with their intervals; the greatest distance stays."""
    rows = rows_of(*kind, seed, n)
    plus, minus = ca.assess(**rows), ca.assess(**rows | {"y_score": -rows["y_score"]})
    wrong = set()
    for name, turned in (("roc_auc", 1.0), ("gini", 0.0), ("kolmogorov_smirnov", None)):
        a, b = plus[name], minus[name]
        mine = [a.value, a.low, a.high]
        others = (
            [b.value, b.low, b.high] if turned is None else [turned - x for x in (b.value, b.high, b.low)]
        )
        if not np.allclose(mine, others, rtol=1e-9, atol=1e-9, equal_nan=True):
            wrong.add(name)
    assert violations("scores negated", kind, wrong, seed) == NONE


@every
def test_saved_and_loaded_are_the_same_bytes(kind, tmp_path):
    a = ca.assess(**rows_of(*kind))
    a.save(tmp_path / "first.classay")
    b = ca.load(tmp_path / "first.classay")
    b.save(tmp_path / "second.classay")
    assert (tmp_path / "first.classay").read_bytes() == (tmp_path / "second.classay").read_bytes()
    assert differing(b.estimates(), a.estimates(), 0.0) == set()


def counted(tp, fp, fn, tn):
    """An assessment of so many cases of each of the four kinds."""
    cells = np.array([tp, fp, fn, tn])
    return ca.assess(np.repeat([1, 0, 1, 0], cells), y_pred=np.repeat([1, 1, 0, 0], cells))


@pytest.mark.parametrize("cell", range(4))
def test_no_jump_where_a_cell_grows(cell):
    """One more case of 200 in a cell of 2 to 9 moves no limit by more than a third of the interval."""
    made = []
    for few in range(2, 10):
        cells = [45, 15, 20, 120]
        cells[cell] = few
        made.append(counted(*cells).estimates())
    jumping = set()
    for before, after in pairwise(made):
        for name, each in before.items():
            if not (each.has_interval and after[name].has_interval and np.isfinite(each.high)):
                continue
            scale = np.log if get(name).bounds == (0, np.inf) else np.asarray
            with np.errstate(divide="ignore"):
                low, high, low2, high2 = scale([each.low, each.high, after[name].low, after[name].high])
            ratio = (high2 - low2) / (high - low)
            if not 2 / 3 < ratio < 3 / 2:
                jumping.add(name)
    assert violations("no jump", ("two", f"cell {cell}"), jumping) == NONE


@pytest.mark.parametrize("name", ["roc_auc", "gini", "average_precision", "kolmogorov_smirnov", "max_f1"])
def test_no_jump_where_cases_of_scores_grow_in_number(name):
    """Normal scores at their quantiles: one more positive and three more negatives hardly narrow an interval."""
    widths = []
    for n in range(10, 40, 1 if name == "roc_auc" else 2):
        positive, negative = ((np.arange(k) + 0.5) / k for k in (n, 3 * n))
        s = np.concatenate([norm.ppf(positive) + 1.5, norm.ppf(negative)])
        found = ca.assess(np.repeat([1, 0], [n, 3 * n]), s)[name]
        widths.append(found.high - found.low)
    ratios = np.divide(widths[1:], widths[:-1])
    assert (ratios > 0.85).all()
    assert (ratios < 1.02).all()


@pytest.mark.parametrize("classes", CLASSES)
def test_clusters_whose_rows_come_twice_say_as_much(classes):
    """What rows of a cluster share tells nothing new: limits move by less than a tenth of the interval."""
    rows = rows_of(classes, "clustered", seed=3, n=90)
    once, twice = estimates(rows), estimates(at(rows, np.repeat(np.arange(90), 2)))
    moved = {}
    for name, one in once.items():
        other = twice[name]
        assert one.has_interval == other.has_interval, name
        if one.has_interval:
            off = max(abs(one.low - other.low), abs(one.high - other.high))
            moved[name] = off / max(one.high - one.low, 1e-9)
    assert {name: each for name, each in moved.items() if each > 0.1} == {}


# -- copies -------------------------------------------------------------------------------------------------------


def copied(kind, n, m=3):
    """Cases alone, and each of them copied into a cluster of its own."""
    rng = np.random.default_rng(n)
    if kind == "scores":
        y = rng.random(n) < 0.4
        given = {"y_score": np.clip(0.4 + 0.3 * (y - 0.4) + rng.normal(0, 0.2, n), 0.02, 0.98)}
    else:
        y = rng.integers(0, 3, n)
        hit = np.where(rng.random(n) < 0.6, y, rng.integers(0, 3, n))
        scores = 0.5 * rng.dirichlet([1, 1, 1], n) + 0.5 * np.eye(3)[hit]
        given = {"y_pred": hit} if kind == "labels" else {"y_score": scores}
    labels = {} if kind == "scores" else {"labels": [0, 1, 2]}
    alone = ca.assess(y, **given, **labels)
    repeated = {name: np.repeat(each, m, axis=0) for name, each in given.items()}
    return alone, ca.assess(np.repeat(y, m), **repeated, cluster=np.arange(n * m) // m, **labels)


@pytest.mark.parametrize("kind", ["scores", "class scores", "labels"])
def test_copies_of_cases_know_what_the_cases_do(kind):
    """In bins of few cases too, where a cluster that shows no spread is no proof that there is none."""
    alone, together = copied(kind, 150)
    compared = 0
    for measure in alone.applicable():
        one, other = alone[measure], together[measure]
        if one.has_interval and other.has_interval and 0 < one.high - one.low < np.inf:
            wider = (other.high - other.low) / (one.high - one.low)
            assert 0.82 < wider < 1.3, (measure.name, one, other)
            compared += 1
    assert compared > 20


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("drawn", ["alike", "weighted", "clustered"])
def test_at_a_level_next_to_0_an_interval_of_labels_is_its_value(drawn, seed):
    """Whatever is added, turned, or without a sign: but for a bias, which is small beside the standard error."""
    rng = np.random.default_rng(seed)
    y = (rng.random(60) < 0.5).astype(int)
    called = np.where(rng.random(60) < 0.7, y, 1 - y)
    given = {"weighted": {"weight": rng.uniform(0.5, 2, 60)}, "clustered": {"cluster": np.arange(60) // 3}}
    narrow, wide = (ca.assess(y, y_pred=called, level=level, **given.get(drawn, {})) for level in (1e-5, 0.5))
    for measure in [*narrow.applicable(), get("rate_gap"), get("corner_distance")]:
        one, other = narrow[measure], wide[measure]
        is_maximum = measure.name == "baseline_accuracy"  # too large on average
        if one.has_interval and "draws" not in one.method and other.high > other.low and not is_maximum:
            assert one.high - one.low <= 0.1 * (other.high - other.low), (measure.name, one, other)
