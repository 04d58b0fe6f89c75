"""What matplotlib draws is what a curve or a matrix holds: places, widths, colours, names, in every kind."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from classay.curves.curve import Curve
from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.report.document import AxisScale, Matrix
from classay.report.document import Figure as Drawn
from classay.report.pictures.curve_pictures import draw, pictures, thin
from classay.report.pictures.diagrams import plot_matrix
from classay.report.pictures.picture import COLOURS, SERIES, look_of, named_places, round_numbers
from classay.report.pictures.plots import CURVE, DASHES, REFERENCE, REFERENCE_DASHES, broken, plot

X, Y = np.array([0.0, 0.2, 0.5, 1.0]), np.array([0.0, 0.6, 0.7, 1.0])
INK, QUIET, PAPER, ACCENT, ALARM = (
    COLOURS["light"][name] for name in ("ink", "quiet", "paper", "accent", "alarm")
)


def curve(**changes):
    about = {"name": "roc", "title": "ROC", "x": X, "y": Y, "x_title": "here", "y_title": "there"}
    return Curve(**(about | changes))


def drawn(ax, gid=CURVE):
    return [line for line in ax.get_lines() if line.get_gid() == gid]


def places(line):
    return [*map(tuple, line.get_xydata().tolist())]


@pytest.mark.parametrize(
    ("kind", "style"),
    [("line", "default"), ("steps", "steps-post"), ("steps_back", "steps-pre"), ("points", "default")],
)
def test_a_line_goes_through_the_points_of_its_curve(kind, style):
    ax = plot(curve(kind=kind), Figure().subplots())
    (line,) = drawn(ax)
    first = 1 if kind == "steps_back" else 0  # whose height holds back to the axis
    assert places(line)[-len(X) + first :] == [*zip(X, Y, strict=True)][first:]
    assert (line.get_drawstyle(), to_hex(line.get_color())) == (style, SERIES["light"][0])
    assert line.get_marker() == ("o" if kind == "points" else "")
    assert (line.get_linestyle() == "None") == (kind == "points")
    assert (ax.get_title("left"), ax.get_xlabel(), ax.get_ylabel()) == ("ROC", "here", "there")
    (diagonal,) = drawn(ax, REFERENCE)
    assert places(diagonal) == [(0, 0), (1, 1)]
    assert diagonal.get_label() == look_of("roc").diagonal
    assert ax.get_xlim() == pytest.approx((-0.01, 1.01))
    assert ax.get_ylim() == pytest.approx((-0.01, 1.01))


def test_a_point_with_no_neighbour_has_a_mark_of_its_own():
    y = np.array([0.1, np.nan, 0.5, 1.0])
    (line,) = drawn(plot(curve(y=y), Figure().subplots()))
    assert (line.get_marker(), line.get_markevery()) == ("o", [0])
    (line,) = drawn(plot(curve(), Figure().subplots()))
    assert (line.get_marker(), line.get_markevery()) == ("", None)


def test_bars_stand_on_their_edges():
    about = {
        "name": "scores",
        "x": np.array([0, 0.5]),
        "y": np.array([2.0, 1.0]),
        "kind": "bars",
        "width": 0.5,
    }
    ax = plot([curve(**about, series="a"), curve(**about, series="b")], Figure().subplots())
    for container, colour in zip(ax.containers, SERIES["light"], strict=False):
        assert [(bar.get_x(), bar.get_height(), bar.get_width()) for bar in container] == [
            (0, 2, 0.5),
            (0.5, 1, 0.5),
        ]
        assert {to_hex(bar.get_facecolor()) for bar in container} == {colour}
        assert {bar.get_gid() for bar in container} == {CURVE}


def test_limits_are_filled_in_the_colour_of_their_curve():
    ax = plot(
        [curve(series="a"), curve(low=Y - 0.1, high=Y + 0.1, band="95% band", series="b")],
        Figure().subplots(),
    )
    (fill,) = ax.collections
    start = np.r_[Y[1], Y[1:]] if kind == "steps_back" else Y  # the first step holds back to the axis
    corners = {
        "line": [],
        "steps": zip(X[1:], Y[:-1], strict=True),
        "steps_back": zip(X[:-1], Y[1:], strict=True),
    }
    wanted = sorted([*zip(X, start, strict=True), *corners[kind]])
    assert sorted(upper) == [pytest.approx(point) for point in wanted]
    assert picture.note == "Band: 95% band."
    assert area.name == "95% band"


@pytest.mark.parametrize(
    ("error", "words"), [(0, ""), (1e-13, ""), (0.0123, "(maximum vertical error 0.012).")]
)
def test_what_a_simplified_curve_may_be_off_is_told(error, words):
    (picture,) = pictures([curve(), curve(series="b", error=error)])
    assert picture.note.endswith(words)
    assert bool(picture.note) == bool(words)


def test_equal_references_are_one_and_others_have_dashes_of_their_own():
    chance = curve(kind="reference", series="chance", y=Y / 2)
    other = replace(chance, y=Y / 3)
    (picture,) = pictures([curve(), chance, replace(chance), other, replace(chance, series="fit")])
    found = the_marks(picture, -1)
    assert [(marks.name, marks.y.tolist()) for marks in found] == [
        *(("chance", (Y / 2).tolist()), ("chance", (Y / 3).tolist()), ("fit", (Y / 2).tolist()))
    ]
    assert len({marks.dash for marks in found[:2]}) == 2


def test_a_place_on_an_axis_of_things_is_named():
    names = ("mon", "tue", "wed")
    (picture,) = pictures([curve(name="over_time", x=np.array([1.0, 2, 3]), y=Y[:3], x_names=names)])
    assert picture.x.ticks == ((1, "mon"), (2, "tue"), (3, "wed"))
    assert picture.x.limits == pytest.approx((0.92, 3.08))


def test_thin_curves_have_no_legend_and_one_colour():
    folds = [curve(series=f"fold {k}", y=Y ** (k + 1)) for k in range(3)]
    picture = thin(Drawn(tuple(folds), "Folds of a tree"))
    assert [marks.y.tolist() for marks in the_marks(picture, 0)] == [each.y.tolist() for each in folds]
    assert all(marks.is_thin for marks in the_marks(picture, 0))
    assert (picture.legend, picture.title) == ((), "Folds of a tree")
    assert picture.note == "Curves of the first 3 folds. Scores of different folds are not comparable."
