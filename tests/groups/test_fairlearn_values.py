"""What fairlearn's user guide prints, aggregate by aggregate; and its definitions, on data of many kinds."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk

import classay as ca

GUIDE = json.loads((Path(__file__).parents[1] / "oracles" / "fairlearn.json").read_text(encoding="utf-8"))
NAMES = ("recall", "false_positive_rate", "predicted_prevalence")
TIMES = 20
"""Each case of the guide stands for so many, which changes no value: groups of fewer than ten are not compared."""


def near(value):
    return pytest.approx(value, abs=5.1e-7)


def of_guide(by=None, times=TIMES):
    y, called = GUIDE["y_true"], GUIDE["y_pred"]
    return ca.assess_by(y, y_pred=called, by=by or GUIDE["groups"], positive=1, frequency=[times] * len(y))


def to_overall(g, name):
    return [(each[name].value, g.overall[name].value) for each in g.groups.values()]


@pytest.mark.parametrize("name", NAMES)
def test_every_aggregate_of_the_guide(name):
    g = of_guide()
    gap, ratio = g.disparity(name), g.disparity_ratio(name)
    assert g.overall[name].value == near(GUIDE["overall"][name])
    for label, values in GUIDE["by_group"].items():
        assert g[label][name].value == near(values[name])
    assert gap.estimate.value == near(GUIDE["difference"][name])
    assert ratio.estimate.value == near(GUIDE["ratio"][name])
    assert g[gap.bottom][name].value == near(GUIDE["group_min"][name])
    assert g[gap.top][name].value == near(GUIDE["group_max"][name])
    pairs = to_overall(g, name)
    assert max(abs(own - whole) for own, whole in pairs) == near(GUIDE["difference_to_overall"][name])
    ratios = [min(own / whole, whole / own) if own else 0.0 for own, whole in pairs]
    assert min(ratios) == near(GUIDE["ratio_to_overall"][name])


@pytest.mark.parametrize("name", NAMES)
def test_a_difference_to_all_is_that_to_the_others_times_their_share(name):
    """Of shares of cases, so that it has an interval too: of recall, of the positives."""
    g = of_guide()
    of = {"recall": (1,), "false_positive_rate": (0,), "predicted_prevalence": (0, 1)}[name]
    size = {label: sum(part.class_totals[k] for k in of) for label, part in g.groups.items()}
    scaled = [(each.difference, 1 - size[each.group] / sum(size.values())) for each in g.compare(name)]
    pairs = to_overall(g, name)
    assert [by * each.value for each, by in scaled] == pytest.approx([own - whole for own, whole in pairs])
    assert max(abs(by * each.value) for each, by in scaled) == near(GUIDE["difference_to_overall"][name])


def test_the_named_metrics_of_the_guide():
    g = of_guide()
    assert g.disparity("selection_rate").estimate.value == near(GUIDE["demographic_parity_difference"])
    assert g.disparity_ratio("selection_rate").estimate.value == near(GUIDE["demographic_parity_ratio"])
    assert g.equalised_odds_gap.estimate.value == near(GUIDE["equalized_odds_difference"])
    assert g.equalised_odds_ratio.estimate.value == near(GUIDE["equalized_odds_ratio"])
    for name, value in GUIDE.items():
        if name.endswith(("_difference", "_ratio")) and isinstance(value, float):
            assert g.estimate(name).value == near(value)  # its names are known, in demands too
    assert g.estimate("equal_opportunity_difference") == g.disparity("recall").estimate
    assert g.estimate("equal_opportunity_ratio") == g.disparity_ratio("recall").estimate
    assert g.criteria()["equalized_odds"].gap == g.equalised_odds_gap
    few = of_guide(times=1).disparity("recall")
    assert few.estimate.is_undefined
    assert "fewer than 10 cases to rate" in few.estimate.reason


def test_intersections_and_control_columns_of_the_guide():
    frame = pd.DataFrame({"y": GUIDE["y_true"], "called": GUIDE["y_pred"], "one": GUIDE["groups"]})
    frame["two"] = GUIDE["second"]
    g = ca.assess_by(frame, truth="y", prediction="called", by=["one", "two"], positive=1)
    for name, values in GUIDE["intersections"].items():
        for label, value in values.items():
            found = g.estimate(f"{name}[one={label[0]}, two={label[-1]}]").value
            assert found == near(value) or (np.isnan(found) and value == 0)  # scikit-learn's 0 for 0 / 0
    of = GUIDE["control"]
    columns = {"y": of["y_true"], "called": of["y_pred"], "held": [*of["control"]], "group": [*of["groups"]]}
    rows = pd.DataFrame(columns)
    for stratum, own in rows.groupby("held"):
        held = ca.assess_by(own, truth="y", prediction="called", by="group", positive=1)
        assert held.overall["accuracy"].value == near(of["overall"][stratum])
        values = {label: held[label]["accuracy"].value for label in held}
        assert values == {label: near(value) for label, value in of["by_group"][stratum].items()}
        assert max(values.values()) == near(of["group_max"][stratum])
        assert max(values.values()) - min(values.values()) == near(of["difference"][stratum])


def called_share(y, called, **options):
    return np.average(called, weights=options.get("sample_weight"))


METRICS = {
    "predicted_prevalence": called_share,
    "recall": sk.recall_score,
    "false_positive_rate": lambda y, called, **options: sk.recall_score(1 - y, called, **options),
    "precision": sk.precision_score,
    "accuracy": sk.accuracy_score,
    "f1": sk.f1_score,
}


@pytest.mark.covering(1)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_its_definitions_on_scikit_learns_metrics(seed, weighted):
    """The largest and the smallest value over groups, their difference and ratio; both odds."""
    rng = np.random.default_rng(seed)
    y, called, group = rng.integers(0, 2, 900), rng.integers(0, 2, 900), rng.integers(0, 5, 900)
    called = np.where(rng.random(900) < 0.1 * group, y, called)
    weight = rng.exponential(size=900) if weighted else None
    g = ca.assess_by(y, y_pred=called, by=group, positive=1, weight=weight)
    gaps, ratios = {}, {}
    for name, metric in METRICS.items():
        values = []
        for label in range(5):
            own = group == label
            options = {} if weight is None else {"sample_weight": weight[own]}
            values.append(metric(y[own], called[own], **options))
        gaps[name], ratios[name] = max(values) - min(values), min(values) / max(values)
        assert g.disparity(name).estimate.value == pytest.approx(gaps[name])
        assert g.disparity_ratio(name).estimate.value == pytest.approx(ratios[name])
        assert g[g.disparity(name).top][name].value == pytest.approx(max(values))
        assert g[g.disparity(name).bottom][name].value == pytest.approx(min(values))
    odds = ("recall", "false_positive_rate")
    assert g.equalised_odds_gap.estimate.value == pytest.approx(max(gaps[name] for name in odds))
    assert g.equalised_odds_ratio.estimate.value == pytest.approx(min(ratios[name] for name in odds))
    mean = np.mean([g.disparity(name).estimate.value for name in odds])  # agg="mean"
    assert mean == pytest.approx(np.mean([gaps[name] for name in odds]))


def test_its_arguments_are_told_by_their_names_here():
    for theirs, ours in (
        ("sensitive_features", "by"),
        ("sample_weight", "weight"),
        ("pos_label", "positive"),
    ):
        with pytest.raises(TypeError, match=f"{theirs}'. The name here is '{ours}'"):
            ca.assess_by([0, 1], [0.2, 0.8], by=[1, 2], **{theirs: [1, 2]})
