"""What periods of time add to `laws/test_units_of_weights.py`."""

import numpy as np
import pytest

import classay as ca
from laws.test_units_of_weights import N, compared, differing, rows
from wing_samples import of_wings


def assessed(r, weight, **how):
    return ca.assess(r["truth"], r["score"], weight=weight, **how)


def of_classes(r, weight, **how):
    return ca.assess(r["several"], r["of_several"][0], weight=weight, **how)


def compared_classes(r, weight, **how):
    one, two = r["of_several"]
    return ca.compare({"one": one, "two": two}, r["several"], weight=weight, **how)


def compared_tags(r, weight, **how):
    one, two = r["of_tags"]
    return ca.compare({"one": one, "two": two}, r["tags"], weight=weight, **how)


def over_time(truth, score, weight):
    days = np.repeat([f"2026-03-{day:02}" for day in range(1, 7)], -(-N // 6))[:N]
    return ca.assess_over_time(truth, score, time=days, weight=weight, measures=["accuracy"]).to_dict()


def of_slices(r, weight, **how):
    by = ca.assess_by(r["truth"], r["score"], by=r["group"], weight=weight, **how)
    return [
        (each.p, each.difference) for each in by.compare("accuracy", "roc_auc", "log_loss", "brier_score")
    ]


CURVES = ("roc", "precision_recall", "calibration", "cost", "gain")

DOORS = {
    "assess": lambda r, w: assessed(r, w).estimates(),
    "clusters": lambda r, w: assessed(r, w, cluster=r["cluster"]).estimates(),
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
    "classes": lambda r, w: of_classes(r, w).estimates(),
    "classes in clusters": lambda r, w: of_classes(r, w, cluster=r["cluster"]).estimates(),
    "compare classes": lambda r, w: compared_classes(r, w).to_dict(),
    "compare classes in clusters": lambda r, w: compared_classes(r, w, cluster=r["clusters"]).to_dict(),
    "labels": lambda r, w: ca.assess(r["several"], y_pred=r["of_several"][0].argmax(1), weight=w).estimates(),
    "tags": lambda r, w: ca.assess(r["tags"], r["of_tags"][0], weight=w).estimates(),
    "tags in clusters": lambda r, w: ca.assess(
        r["tags"], r["of_tags"][0], weight=w, cluster=r["clusters"]
    ).estimates(),
    "tags without an error": lambda r, w: ca.assess(r["tags"], r["tags"] * 0.9, weight=w).estimates(),
    "tags without an error in clusters": lambda r, w: ca.assess(
        r["tags"], r["tags"] * 0.9, weight=w, cluster=r["cluster"]
    ).estimates(),
    "compare tags": lambda r, w: compared_tags(r, w).to_dict(),
    "compare tags in clusters": lambda r, w: compared_tags(r, w, cluster=r["clusters"]).to_dict(),
    "an order": lambda r, w: of_classes(r, w, ordered=True, labels=[0, 1, 2]).estimates(),
    "slices": of_slices,
    "slices in clusters": lambda r, w: of_slices(r, w, cluster=r["clusters"]),
    "trends": lambda r, w: ca.assess_by(r["truth"], r["score"], by=np.arange(N) // 10, weight=w).to_dict(),
    "over time": lambda r, w: over_time(r["truth"], r["score"], w),
    "classes over time": lambda r, w: over_time(r["several"], r["of_several"][0], w),
    "max-t": lambda r, w: compared(r, w, ["log_loss"], method="max-t", control="two").to_dict(),
    "best": lambda r, w: ca.best_of(
        {"one": r["score"], "two": r["other"]}, r["truth"], "log_loss", weight=w
    ).to_dict(),
    "prevalence": lambda r, w: assessed(r, w).at_prevalence(0.2).estimates(),
    "amounts": lambda r, w: vars(
        assessed(r, w, amounts={"a": 10 * r["score"]}).expected_cost(ca.Costs(fp=1, fn="a"))
    ),
    "curves": lambda r, w: {name: frame_of(getattr(assessed(r, w), name)) for name in CURVES},
    "bands": lambda r, w: band_of(assessed(r, w).roc.band("bootstrap")),
}
for added in of_wings("DOORS_OF_WEIGHTS"):
    DOORS |= added


def frame_of(curve):
    return {name: np.asarray(column).tolist() for name, column in curve.frame().to_pydict().items()}


def band_of(band):
    return {name: np.asarray(getattr(band, name)).tolist() for name in ("low", "high")}


@pytest.mark.covering(1)
@pytest.mark.parametrize("unit", [0.001, 1000])
@pytest.mark.parametrize("door", DOORS)
def test_of_every_door(door, unit):
    r = rows()
    assert differing(DOORS[door](r, r["weight"]), DOORS[door](r, r["weight"] * unit)) == {}
