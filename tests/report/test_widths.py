"""Figures of a paper: whatever the names, the legend lies within the axes, and each model has its AUC."""

from functools import cache

import matplotlib as mpl
import numpy as np
import pytest

import classay as ca

mpl.use("Agg")
from matplotlib import pyplot

NAMES = {
    "short": ("a", "b"),
    "markers": ("CA-125 (U/ml)", "HE4 (pmol/L)"),
    "long": ("gradient boosting with calibrated probabilities, 2026", "logistic regression (all features)"),
    "one word": ("x" * 40, "y" * 40),
}


def comparison(names):
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    return y, {name: np.clip(0.4 + 0.2 * y + rng.normal(0, 0.2, 200), 0, 1) for name in names}


@cache
def compared(names):
    """What is drawn, found once for all widths: the comparison, and each model by itself."""
    y, scores = comparison(NAMES[names])
    return ca.compare(scores, y), [ca.assess(y, each) for each in scores.values()]


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def inside(ax):
    ax.figure.canvas.draw()
    legend, axes = ax.get_legend().get_window_extent(), ax.get_window_extent()
    return legend.x0 >= axes.x0 - 1 and legend.x1 <= axes.x1 + 1


@pytest.mark.parametrize("width", ["one column", "two columns", "screen"])
@pytest.mark.parametrize("names", NAMES)
def test_the_legend_lies_within_the_axes(names, width):
    found, (one, other) = compared(names)
    assert inside(found.roc.plot(width=width))
    ax = one.roc.plot(width=width, label=NAMES[names][0])
    assert inside(other.roc.plot(ax, label=NAMES[names][1]))


def test_the_curves_of_a_comparison_are_those_of_each_model_with_its_auc():
    y, scores = comparison(("new", "old"))
    found = ca.compare(scores, y)
    drawn = found.roc.plot().get_legend_handles_labels()[1]
    for name, score in scores.items():
        alone = ca.assess(y, score)
        assert any(each.startswith(f"{name}, AUC {alone['roc_auc'].value:.3f}") for each in drawn)
        assert np.interp(0.3, found.roc[name].x, found.roc[name].y) == pytest.approx(
            np.interp(0.3, alone.roc.curve.x, alone.roc.curve.y), abs=0.01
        )
    assert set(found.roc.curves) == {"new", "old"}


def test_without_scores_there_are_no_curves():
    y = np.arange(40) % 2
    found = ca.compare(y_true=y, y_pred={"a": y, "b": 1 - y})
    assert [point.name for point in found.roc.points] == ["a", "b"]


@pytest.mark.parametrize(("width", "inches"), [("one column", 3.5), ("two columns", 7.2)])
def test_new_axes_are_as_wide_as_asked(width, inches):
    y, scores = comparison(("new", "old"))
    found = ca.compare(scores, y)
    for ax in (found.plot(width=width), found.roc.plot(width=width)):
        assert ax.figure.get_size_inches()[0] == pytest.approx(inches)
    with pytest.raises(ca.InputError, match=r"but is 'one colum'. Did you mean 'one column'"):
        found.plot(width="one colum")
