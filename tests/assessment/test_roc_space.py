"""Classifiers without scores in ROC space: points, the polygon through them, the hull, and costs."""

import json
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from jsonschema import Draft202012Validator
from matplotlib.figure import Figure
from scipy.spatial import ConvexHull
from sklearn.metrics import auc, roc_auc_score, roc_curve

import classay as ca
from classay.assessment.remembered import pictured
from classay.errors import InputError
from classay.report.pictures.curve_pictures import pictures
from classay.report.pictures.svg import svg
from command import call, file_with

mpl.use("agg")
SCHEMA = Path(__file__).parents[2] / "docs" / "comparison.schema.json"
RNG = np.random.default_rng(0)
Y = (RNG.random(300) < 0.3).astype(int)


def labels(tpr, fpr, seed=0):
    drawn = np.random.default_rng(seed).random(Y.size)
    return np.where(Y == 1, drawn < tpr, drawn < fpr).astype(int)


SAID = {
    "strict": labels(0.5, 0.03, 1),
    "lax": labels(0.9, 0.4, 2),
    "middle": labels(0.75, 0.12, 3),
    "odd": labels(0.55, 0.35, 4),
}


def space(said=None, y=Y, **how):
    return ca.roc_space({name: ca.assess(y, y_pred=each, **how) for name, each in (said or SAID).items()})


@pytest.mark.parametrize("name", SAID)
def test_the_area_of_one_point_is_that_of_its_labels(name):
    a = ca.assess(Y, y_pred=SAID[name])
    (point,) = a.roc.points
    fpr, tpr, _ = roc_curve(Y, SAID[name])
    assert point.polygon.x == pytest.approx(fpr)
    assert point.polygon.y == pytest.approx(tpr)
    assert point.auc.value == pytest.approx(auc(fpr, tpr)) == pytest.approx(roc_auc_score(Y, SAID[name]))
    assert point.auc.value == a["balanced_accuracy"].value
    assert (point.recall, point.false_positive_rate) == (
        a.estimate("recall"),
        a.estimate("false_positive_rate"),
    )
    assert a.to_dict()["curves"]["roc"]["y"] == pytest.approx(tpr)


def test_the_hull_is_that_of_scipy():
    found = space()
    points = np.array(
        [[0, 0], [1, 1], [1, 0], *((p.false_positive_rate.value, p.recall.value) for p in found.points)]
    )
    corners = {found.names[at - 3] for at in ConvexHull(points).vertices if at > 2}
    assert {*found.hull} == corners == {"strict", "middle", "lax"}
    assert found.never_best == ("odd",)
    assert found.hull == ("strict", "middle", "lax")


@pytest.mark.parametrize("fn", [0.01, 0.3, 1, 3, 10, 100])
def test_the_cheapest_is_that_of_the_expected_cost(fn):
    found, costs = space(), ca.Costs(fp=1, fn=fn)
    cost = {
        name: (((said == 1) & (Y == 0)) + fn * ((said == 0) & (Y == 1))).mean() for name, said in SAID.items()
    }
    cost |= {"never positive": fn * Y.mean(), "always positive": 1 - Y.mean()}
    least = min(cost.values())
    assert found.cheapest(costs) == tuple(name for name, each in cost.items() if each <= least + 1e-12)
    for point in found.points:
        assert (point.best_from <= fn <= point.best_to) == (point.name in found.cheapest(costs))


def test_costs_of_right_decisions_shift_the_slope():
    found = space()
    assert found.slope(ca.Costs(fp=3, fn=4, tn=1, tp=-2)) == pytest.approx(found.slope(ca.Costs(fp=2, fn=6)))
    assert found.slope(ca.Costs(fp=1)) == np.inf
    assert found.cheapest(ca.Costs(fp=1)) == ("never positive",)
    assert found.cheapest(ca.Costs(fn=1)) == ("always positive",)


def test_another_order_other_names_and_frequencies_change_nothing():
    found = space()
    turned = space(dict(reversed(SAID.items())))
    assert (turned.hull, turned.never_best) == (found.hull, found.never_best)
    text = space(
        {name: np.where(said == 1, "yes", "no") for name, said in SAID.items()},
        np.where(Y == 1, "yes", "no"),
        positive="yes",
    )
    assert text.frame().to_pandas().equals(found.frame().to_pandas())
    twice = space({name: np.tile(said, 2) for name, said in SAID.items()}, np.tile(Y, 2))
    often = space(frequency=np.full(Y.size, 2))
    assert twice.frame().to_pandas().equals(often.frame().to_pandas())
    assert [point.best_from for point in twice.points[:3]] == [point.best_from for point in found.points[:3]]


def test_the_swapped_classifier_stands_across_the_centre():
    a, b = ca.assess(Y, y_pred=SAID["lax"]).roc.points[0], ca.assess(Y, y_pred=1 - SAID["lax"]).roc.points[0]
    assert b.recall.value == pytest.approx(1 - a.recall.value)
    assert b.auc.value == pytest.approx(1 - a.auc.value)
    assert not b.is_ever_best


def test_who_calls_nobody_and_a_copy_are_best_too():
    found = space(SAID | {"copy": SAID["strict"], "nobody": 0 * Y, "everybody": 0 * Y + 1})
    assert {"strict", "copy", "nobody", "everybody"} <= {*found.hull}
    assert found["nobody"].best_from == 0
    assert found["everybody"].best_to == np.inf


def test_who_calls_more_for_nothing_is_never_best():
    """Two find every positive; the one with more false positives was told to be cheapest at infinite costs."""
    assert space({"few": [1] * 3 + [0] * 2, "more": [1] * 4 + [0]}, [1, 1, 0, 0, 0]).never_best == ("more",)
    mirrored = space({"few": [1, 1, 0, 0, 0], "less": [1, 0, 0, 0, 0]}, [1, 1, 1, 0, 0])
    assert mirrored.never_best == ("less",)


def test_weights_and_clusters_have_their_own_intervals():
    plain, weighted, clustered = (
        space(**how)["strict"].recall
        for how in ({}, {"weight": np.full(Y.size, 0.5)}, {"cluster": np.arange(Y.size) // 5})
    )
    assert plain.value == weighted.value == clustered.value
    assert plain.method != clustered.method


@pytest.mark.wings("figures")
def test_it_is_drawn_with_lines_of_equal_cost():
    for costs in (None, ca.Costs(fp=1, fn=3), ca.Costs(fp=1)):
        ax = space().plot(Figure().subplots(), costs=costs)
        named = [line.get_label() for line in ax.get_lines()]
        assert "convex hull" in named
        assert any(label.startswith("equal cost") for label in named) == (costs is not None)
    ax = ca.assess(Y, y_pred=SAID["lax"]).plot(Figure().subplots())
    assert ca.assess(Y, y_pred=SAID["lax"]).roc.of("lax").plot(Figure().subplots()).get_xlabel() == (
        "false positive rate"
    )


def test_a_comparison_of_labels_has_its_roc_space():
    c = ca.compare(y_true=Y, y_pred=SAID, measures=["accuracy"])
    assert c.roc.never_best == ("odd",)
    assert c.roc["lax"].recall == ca.assess(Y, y_pred=SAID["lax"]).estimate("recall")
    assert "odd never has the lowest cost" in str(c)
    found = c.to_dict()
    Draft202012Validator(json.loads(SCHEMA.read_text("utf-8"))).validate(found)
    assert found["roc_space"]["hull"] == ["strict", "middle", "lax"]
    scored = ca.compare({name: each * 0.5 for name, each in SAID.items()}, Y, measures=["roc_auc"])
    assert scored.to_dict()["roc_space"] is None


def test_the_command_shows_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "\n".join(",".join(map(str, row)) for row in zip(Y, *SAID.values(), strict=True))
    file = file_with(f"y,{','.join(SAID)}\n{rows}")
    done = call("compare", file, "--truth", "y", "--predictions", ",".join(SAID))
    assert "ROC space" in done.stdout
    assert "odd never has the lowest cost" in done.stdout


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (lambda: ca.roc_space({}), "No model was passed"),
        (lambda: ca.roc_space([ca.assess([0, 1], y_pred=[0, 1])]), "roc_space needs a mapping from names to"),
        (lambda: ca.roc_space({"a": 1}), "roc_space needs a mapping from names to"),
        (lambda: ca.assess([1, 1], y_pred=[1, 0], labels=[0, 1]).roc, "all cases of model are positive"),
        (
            lambda: ca.assess([0, 0], y_pred=[1, 0], labels=[0, 1]).roc,
            "ROC space needs both classes, but all cases",
        ),
        (lambda: ca.assess(list("abc"), y_pred=list("abc")).roc, "one_vs_rest"),
        (lambda: ca.roc_space({"a": ca.assess(list("abc"), y_pred=list("abc"))}), "there are several"),
        (lambda: ca.roc_space({"a": ca.assess([0, 1], [-3.0, 3.0])}), "a has scores but no predicted labels"),
        (
            lambda: ca.roc_space(
                {each: ca.assess(["a", "b"], y_pred=["a", "b"], positive=each) for each in "ab"}
            ),
            "same positive=",
        ),
        (lambda: space().slope(ca.Costs(fp=1, fn="amount")), "ROC space needs costs per case, but these"),
        (lambda: space().cheapest(ca.Costs(fp=-1, fn=1)), "An error must cost more than a correct"),
        (lambda: space()["none"], "Unknown model 'none'"),
        (lambda: space().of("x"), "There are 4 models"),
    ],
)
def test_bad_input_is_told(asked, said):
    with pytest.raises(InputError, match=said):
        asked()


def test_each_point_has_its_two_intervals_in_the_picture_and_on_the_page():
    found = space()
    crosses = [each for each in found.curves if each.kind == "cross"]
    for each, point in zip(crosses, found.points, strict=True):
        x, y = point.false_positive_rate, point.recall
        assert each.series == point.name
        assert (np.nanmin(each.x), np.nanmax(each.x)) == (x.low, x.high)
        assert (np.nanmin(each.y), np.nanmax(each.y)) == (y.low, y.high)
    (picture,) = pictures(found.curves)
    assert svg(picture).count('<circle class="dot"') == len(found.points)
    (alone, *_), _ = pictured(ca.assess(Y, y_pred=SAID["lax"]))
    assert [each.kind for each in alone] == ["line", "cross", "reference"]


def test_lines_of_equal_cost_are_where_the_cheapest_touch_the_hull():
    """A page of a comparison with costs says who is cheapest, and draws the line; no point lies above it."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 300)
    said = {f"m{k}": np.where(rng.random(300) < 0.5 + 0.1 * k, y, 1 - y) for k in range(4)}
    for costs in (ca.Costs(fp=1, fn=0.1), ca.Costs(fp=1, fn=1), ca.Costs(fp=1, fn=3), ca.Costs(fp=0, fn=1)):
        found = ca.compare(y_true=y, y_pred=said, measures=[costs])
        space = found.space
        assert space.costs == costs
        best = space.cheapest(costs)
        assert found.to_dict()["roc_space"]["cheapest"] == list(best)
        assert "the lowest cost on these cases" in found.to_markdown()
        line = space.curves[-1]
        slope = space.slope(costs)
        gains = [p.recall.value - slope * p.false_positive_rate.value for p in space.points]
        assert max(*gains, 0.0, 1 - slope) == pytest.approx(line.y[0] - slope * line.x[0])
    assert ca.compare(y_true=y, y_pred=said, measures=["f1"]).space.costs is None
