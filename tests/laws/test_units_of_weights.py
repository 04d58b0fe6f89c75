"""The unit of sampling weights changes nothing: every door and measure, with all weights times .001, 1 and 1000."""

import numpy as np
import pytest

import classay as ca

N = 40
RESAMPLED = [
    "partial_roc_auc", "standardized_partial_roc_auc", "max_f1", "ks", "aurc", "spiegelhalter_z", "ece", "ece_null",
    "debiased_squared_calibration_error", "maximum_calibration_error", "integrated_calibration_index",
    "median_calibration_error", "calibration_error_90",
]  # fmt: skip
"""Measures that are compared by resampling, in which sums of squared weights matter or ties of rounding do."""


def rows(seed=3):
    rng = np.random.default_rng(seed)
    truth = (np.arange(N) % 5 < 2).astype(int)
    score, other = (np.round(0.1 + 0.6 * rng.random(N) + gap * truth, 2) for gap in (0.2, 0.1))
    return {
        "truth": truth, "score": score, "other": other, "weight": rng.gamma(2.0, size=N),
        "cluster": rng.integers(0, 14, N), "group": np.where(rng.random(N) < 0.5, "a", "b"),
    }  # fmt: skip


def assessed(r, weight, **how):
    return ca.assess(r["truth"], r["score"], weight=weight, **how)


def compared(r, weight, measures=None, **how):
    models = {"one": r["score"], "two": r["other"]}
    return ca.compare(y_true=r["truth"], models=models, measures=measures, weight=weight, **how)


def scanned(r, weight, **how):
    columns = {"y": r["truth"], "s": r["score"], "w": weight}
    return ca.scan(columns, truth="y", score="s", weight="w", **how)


IN_THE_UNIT = ("class_totals", "advice", "counts", "matrix", "called", "total")
"""What is told in the unit of the weights."""
CURVES = ("roc", "precision_recall", "calibration", "cost", "gain")
DOORS = {
    "assess": lambda r, w: assessed(r, w).estimates(),
    "clusters": lambda r, w: assessed(r, w, cluster=r["cluster"]).estimates(),
    "scan": lambda r, w: scanned(r, w).estimates(),
    "bins": lambda r, w: scanned(r, w, bits=3).estimates(),
    "merged": lambda r, w: (
        ca.assess(r["truth"][:20], r["score"][:20], weight=w[:20])
        + ca.assess(r["truth"][20:], r["score"][20:], weight=w[20:])
    ).estimates(),
    "groups": lambda r, w: ca.assess_by(r["truth"], r["score"], by=r["group"], weight=w).to_dict(),
    "decide": lambda r, w: assessed(r, w).threshold(cost=ca.Costs(fp=1, fn=3)).to_dict(),
    "decide by demand": lambda r, w: (
        assessed(r, w).threshold(where="recall >= 0.8", maximize="precision").to_dict()
    ),
    "compare": lambda r, w: compared(r, w).to_dict(),
    "compare clusters": lambda r, w: compared(r, w, cluster=r["cluster"]).to_dict(),
    "curves": lambda r, w: {name: frame_of(getattr(assessed(r, w), name)) for name in CURVES},
    "bands": lambda r, w: band_of(assessed(r, w).roc.band("bootstrap")),
}


def frame_of(curve):
    return {name: np.asarray(column).tolist() for name, column in curve.frame().to_pydict().items()}


def band_of(band):
    return {name: np.asarray(getattr(band, name)).tolist() for name in ("low", "high")}


def flat(found, at=""):
    """The values of a result by where they are."""
    if isinstance(found, ca.Estimate):
        found = {
            part: getattr(found, part) for part in ("value", "low", "high", "method", "reason", "certain")
        }
    if isinstance(found, dict):
        return {k: v for name, each in found.items() for k, v in flat(each, f"{at}.{name}").items()}
    if isinstance(found, (list, tuple)):
        return {k: v for i, each in enumerate(found) for k, v in flat(each, f"{at}[{i}]").items()}
    return {at: found}


def differing(mine, others):
    mine, others = flat(mine), flat(others)
    assert mine.keys() == others.keys()
    apart = {at: (mine[at], others[at]) for at in mine if not same(mine[at], others[at])}
    return {at: pair for at, pair in apart.items() if not any(word in at for word in IN_THE_UNIT)}


def same(a, b):
    if isinstance(a, float) and isinstance(b, (int, float)):
        return bool(np.isclose(a, b, rtol=1e-7, atol=1e-9, equal_nan=True))
    return a == b


@pytest.mark.parametrize("unit", [0.001, 1000])
@pytest.mark.parametrize("door", DOORS)
def test_of_every_door(door, unit):
    r = rows()
    assert differing(DOORS[door](r, r["weight"]), DOORS[door](r, r["weight"] * unit)) == {}


@pytest.mark.parametrize("unit", [0.001, 1000])
@pytest.mark.parametrize("clustered", [False, True])
def test_of_measures_that_are_resampled(unit, clustered):
    r = rows()
    how = {"cluster": r["cluster"]} if clustered else {}
    mine, others = (compared(r, r["weight"] * each, RESAMPLED, **how).to_dict() for each in (1, unit))
    assert differing(mine, others) == {}
