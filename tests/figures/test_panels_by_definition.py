"""Figures: panels and widths as they are written, curves and numbers of cases from their definitions, and places."""

import re
import sys
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import classay as ca
from classay.assessment.roc_space import ALWAYS, NEVER
from classay.errors import InputError
from classay.figures import results_in_figures
from classay.figures.commands import FigureOptions
from classay.figures.results_in_figures import (
    COLUMNS,
    DASHES,
    LETTERS,
    MOST_TOGETHER,
    STYLES,
    TICKS,
    Panel,
    drawn_as,
    format_of,
    names_of,
    panels_at_command,
    panels_of,
    panels_of_several,
    width_of,
    words_of,
)
from classay.inference.estimate import bracketed
from classay.report.document import Diagram, Document, Section
from classay.report.pictures import plots
from classay.report.pictures.picture import COLOURS
from command import call
from sample_results import assessed, patients


@pytest.mark.parametrize(
    ("written", "names", "width"),
    [
        (None, [], 89.0),
        (":90mm", [], 90.0),
        (": two columns", [], 183.0),
        ("roc", ["roc"], 89.0),
        ("roc:90mm", ["roc"], 90.0),
        ("roc + cost:two columns", ["roc", "cost"], 183.0),
        ("roc:hull+cost:9cm", ["roc:hull", "cost"], 90.0),
        ("roc:noband:3.5in", ["roc:noband"], 88.9),
        ("roc:3.5in:noband:hull", ["roc:noband:hull"], 88.9),
        ("roc:noband:hull", ["roc:noband:hull"], 89.0),
        ("roc:one column", ["roc"], 89.0),
    ],
)
def test_panels_and_a_width_are_read_as_they_are_written(written, names, width):
    assert FigureOptions("f.svg", written)._plan() == (names, pytest.approx(width))


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("roc:90mm:80mm", "--panels has the widths 90mm and 80mm. Name one width, such as :90mm."),
        ("roc:one column:80mm", "--panels has the widths one column and 80mm."),
        ("roc:90mm+cost", "Panel 'roc' has no option '90mm'. Use noband or hull, or set the width with"),
        ("roc:bands+cost", "Panel 'roc' has no option 'bands'."),
        ("roc:39mm", "width must be 'one column', 'two columns' or a length from 40 to 400 mm"),
        (":39mm", "width must be"),
        (":", "width must be"),
        ("", "panels must be names of curves joined by +, as in 'roc+calibration'."),
        ("roc+:90mm", "panels must be names"),
        ("+".join(["roc"] * 17), "A figure has at most 16 panels, but 17 are named. Name fewer panels."),
    ],
)
def test_panels_that_cannot_be_read_are_refused(written, says):
    with pytest.raises(InputError, match=re.escape(says)):
        FigureOptions("f.svg", written).refuse()


def test_the_options_name_their_file_and_refuse_panels_without_a_figure(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert FigureOptions().refuse() == []
    assert FigureOptions("f.svg", "roc").refuse() == ["f.svg"]
    with pytest.raises(InputError, match=r"^--panels needs --figure\. Add --figure, such as fig1\.pdf\."):
        FigureOptions(None, "roc").refuse()
    with pytest.raises(InputError, match="A figure must end in"):
        FigureOptions("f.jpg").refuse()
    assert FigureOptions().contents(SimpleNamespace(pages=None)) == {}
    with pytest.raises(InputError, match=r"This result has no pictures\. Remove --figure\."):
        FigureOptions("f.svg").contents(SimpleNamespace(pages=None))
    with pytest.raises(ca.FileError):
        FigureOptions("no folder/f.svg").refuse()


@pytest.mark.parametrize(
    ("text", "millimeters"),
    [
        ("40mm", 40),
        ("400mm", 400),
        ("4 cm", 40),
        ("40.00cm", 400),
        ("15.7in", 398.78),
        (" 90.5 mm ", 90.5),
        *COLUMNS.items(),
    ],
)
def test_a_width_is_in_millimeters(text, millimeters):
    assert width_of(text) == pytest.approx(millimeters)


@pytest.mark.parametrize(
    "text", ["39.99mm", "400.01mm", "1.57in", "15.75in", "3.9cm", "90 m", "9.cm", 90, None]
)
def test_a_width_out_of_bounds_is_refused(text):
    with pytest.raises(InputError, match=re.escape(f"such as '90mm' or '3.5in', but is {text!r}.")):
        width_of(text)


def test_names_words_and_endings_are_taken_apart():
    assert names_of(" roc :hull+ cost ") == ["roc :hull", "cost"]
    assert words_of("roc : hull: noband") == ("roc", {"hull", "noband"})
    assert len(names_of("+".join(["roc"] * 16))) == 16
    assert [format_of(f"a.b.{name}") for name in ("PDF", "svg", "Png", "eps", "tiff")] == [
        *("pdf", "svg", "png", "eps", "tiff")
    ]
    for path in ("a.jpg", "svg", "a", ".svg", "a.svg.gz", "a.tif"):
        with pytest.raises(
            InputError, match=r"must end in \.pdf, \.svg, \.png, \.eps or \.tiff, but the file is"
        ):
            format_of(path)


def test_a_style_is_one_of_two(tmp_path):
    with pytest.raises(InputError, match="style"):
        assessed().figure("roc", tmp_path / "f.svg", style="lancet")
    with pytest.raises(InputError, match="width"):  # before anything is drawn
        assessed().figure("rock", tmp_path / "f.svg", width="1mm")


def scored(seed, n=60, groups=3):
    """Truth, scores with ties, some at the ticks, and groups."""
    rng = np.random.default_rng(seed)
    y = np.resize([0, 1], n)
    p = np.clip(rng.choice([*TICKS, 1.0, 0.1, 0.3, 0.62, 0.9], n) + 0.25 * y * rng.integers(0, 2, n), 0, 1)
    return y, p, np.resize(np.arange(groups), n)


@pytest.mark.parametrize("seed", range(3))
def test_numbers_below_a_decision_curve_are_the_cases_at_or_above_each_threshold(seed):
    y, p, _ = scored(seed)
    weight = np.random.default_rng(seed).integers(1, 4, y.size)
    a = ca.assess(y, p)
    ((label, numbers),) = panels_of(a, "net_benefit", {})[0].at_risk
    assert (label, numbers) == ("", tuple(int((p >= tick).sum()) for tick in TICKS))
    ((_, weighted),) = panels_of(ca.assess(y, p, weight=weight), "net_benefit", {})[0].at_risk
    assert weighted == tuple(round(float(weight[p >= tick].sum())) for tick in TICKS)
    other = ca.assess(y, p[::-1])
    both = panels_of(a, "net_benefit", {"other": other})[0].at_risk
    assert both == (
        ("this model", numbers),
        ("other", tuple(int((p[::-1] >= tick).sum()) for tick in TICKS)),
    )
    for name in ("roc", "calibration"):
        assert panels_of(a, name, {})[0].at_risk == () == panels_of(a, name, {"other": other})[0].at_risk


def upper_hull(points):
    """The vertices of the upper convex hull, by all pairs: those that no line between two others is above."""
    return {
        (x, y)
        for x, y in points
        if not any(
            a < x < c and b + (d - b) * (x - a) / (c - a) >= y - 1e-12 for a, b in points for c, d in points
        )
        and not any(a == x and b > y for a, b in points)
    }


@pytest.mark.parametrize("seed", range(5))
def test_a_hull_has_the_curve_below_it_and_its_corners_on_it(seed):
    y, p, _ = scored(seed)
    (panel,) = panels_of(ca.assess(y, p), "roc:hull", {})
    curve, *_, hull = panel.curves[0]
    assert (hull.kind, hull.series) == ("reference", "convex hull")
    places = {(float((p[y == 0] >= t).mean()), float((p[y == 1] >= t).mean())) for t in [*p.tolist(), np.inf]}
    assert {(round(x, 9), round(y, 9)) for x, y in zip(hull.x, hull.y, strict=True)} >= {
        (round(x, 9), round(y, 9)) for x, y in upper_hull(places)
    }
    assert (np.interp(curve.x, hull.x, hull.y) >= np.asarray(curve.y) - 1e-9).all()
    plain = panels_of(ca.assess(y, p), "roc", {})[0]
    assert len(plain.curves[0]) == len(panel.curves[0]) - 1


def test_hulls_are_of_each_shared_curve():
    y, p, by = scored(1)
    a, b = ca.assess(y, p), ca.assess(y, p[::-1])
    (both,) = panels_of(a, "roc:hull", {"b": b})
    for curves, one in zip(both.curves, (a, b), strict=True):
        alone = panels_of(one, "roc:hull", {})[0].curves[0][-1]
        assert (curves[-1].kind, curves[-1].x.tolist()) == ("reference", alone.x.tolist())
    with pytest.raises(InputError, match="Only ROC curves of scores have a hull"):
        panels_of(a, "net_benefit:hull", {"b": b})
    space = ca.roc_space({"one": ca.assess(y, y_pred=by == 0), "two": ca.assess(y, y_pred=by == 1)})
    with pytest.raises(InputError, match="Only ROC curves of scores have a hull"):
        panels_of(space, "roc:hull", {})


@pytest.mark.parametrize("name", ["roc", "calibration", "net_benefit"])
def test_without_a_band_only_the_band_is_gone(name):
    a = assessed()
    (plain,), (bare,) = panels_of(a, name, {}), panels_of(a, f"{name}:noband", {})
    kept = [curve for curve in plain.curves[0] if curve.kind != "band"]
    assert [(curve.kind, curve.series, curve.y.tolist()) for curve in bare.curves[0]] == [
        (curve.kind, curve.series, curve.y.tolist()) for curve in kept
    ]
    assert all((curve.low, curve.high, curve.band) == (None, None, "") for curve in bare.curves[0])
    assert any(curve.low is not None or curve.kind == "band" for curve in plain.curves[0])
    assert bare.at_risk == plain.at_risk


def test_shared_curves_are_named_by_their_areas_where_the_assessment_is_there():
    y, p, _ = scored(2)
    a, b = ca.assess(y, p), ca.assess(y, p[::-1])
    for name, measure in (("roc", "roc_auc"), ("precision_recall", "average_precision")):
        (panel,) = panels_of(a, name, {"b": b})
        for (first, *rest), one, label in zip(panel.curves, (a, b), ("this model", "b"), strict=True):
            assert first.series == label
            assert first.label.startswith(f"{label}, A")
            assert bracketed(one[measure]) in first.label
            assert not any(curve.kind == "band" or curve.below for curve in (first, *rest))
    (panel,) = panels_of(a, "calibration", {"b": b})
    assert [curves[0].label for curves in panel.curves] == ["", ""]
    models = ca.compare({"a": p, "b": p[::-1]}, y, measures=["roc_auc"])
    (of_scores,) = panels_of(models, "roc", {})
    assert [curves[0].series for curves in of_scores.curves] == ["a", "b"]


@pytest.mark.parametrize("number", [1, MOST_TOGETHER, MOST_TOGETHER + 1])
def test_a_panel_shows_sixteen_models_at_most(number):
    y, p, _ = scored(4)
    several = dict.fromkeys(map(str, range(number)), ca.assess(y, p))
    if number > MOST_TOGETHER:
        with pytest.raises(
            InputError, match=rf"at most {MOST_TOGETHER} groups or models, but has {number}\."
        ):
            panels_of_several(several, ["roc"])
    else:
        (panel,) = panels_of_several(several, ["roc"])
        assert len(panel.curves) == number
    assert panels_of_several({}, ["roc"]) == []
    assert panels_of_several({**several, "other": 1}, ["roc"]) == []


def no_page():
    raise AssertionError("the page is not needed")


@pytest.mark.wings("groups")
@pytest.mark.parametrize(
    ("groups", "shared"), [(1, None), (2, 2), (MOST_TOGETHER, MOST_TOGETHER), (MOST_TOGETHER + 1, None)]
)
def test_a_command_shows_groups_in_one_panel_where_they_fit_else_all_cases(groups, shared):
    y, p, _ = scored(5, 20 * groups)
    s = ca.assess_by(y, p, by=np.repeat(np.arange(groups), 20))
    whole = ca.assess(y, p)
    for names in ([], ["roc"]):
        (panel,) = panels_at_command([whole, s], names, no_page)
        assert panel.curves[0][0].name == "roc"
        if shared is None:
            assert len(panel.curves) == 1
            assert np.array_equal(panel.curves[0][0].x, panels_of(whole, "roc", {})[0].curves[0][0].x)
        else:
            assert [curves[0].series for curves in panel.curves] == [str(k) for k in range(groups)]
    assert len(panels_at_command([whole], ["roc", "cost"], no_page)) == 2
    assert len(panels_at_command([whole], [], no_page)[0].curves) == 1


@pytest.mark.wings("groups")
def test_a_command_of_groups_without_scores_of_two_classes_shows_all_cases():
    y, p, _ = scored(6)
    labels = ca.assess(y, y_pred=p > 0.5)
    s = ca.assess_by(y, y_pred=p > 0.5, by=np.resize(["u", "v"], y.size))
    for names in ([], ["roc"]):
        (panel,) = panels_at_command([labels, s], names, no_page)
        (wanted,) = panels_of(labels, "roc", {})
        for curve, other in zip(panel.curves[0], wanted.curves[0], strict=True):
            assert (curve.kind, np.array_equal(curve.x, other.x, equal_nan=True)) == (other.kind, True)
    with pytest.raises(InputError, match=r"'u' has no scores of two classes\. A shared figure needs"):
        panels_of(s, "roc", {})
    with pytest.raises(InputError, match=r"Only ROC curves of scores have a hull"):
        panels_of(labels, "roc:hull", {})
    with pytest.raises(InputError, match=r"This result has no net_benefit panel\. Panels: roc\."):
        panels_of(labels, "net_benefit", {})
    with pytest.raises(
        InputError, match=r"This result has no pictures\. A figure needs scores of two classes"
    ):
        panels_at_command([object()], [], lambda: Document("no pictures"))
    three = ca.assess(np.resize(["a", "b", "c"], 60), np.random.default_rng(0).dirichlet([1] * 3, 60))
    with pytest.raises(InputError, match=r"This result has no net_benefit panel\. Panels: "):
        panels_of(three, "net_benefit", {})
    with pytest.raises(InputError, match="'three' has no scores of two classes"):
        panels_of(ca.assess(y, p), "roc", {"three": three})


def test_a_page_gives_its_first_picture_or_the_one_that_is_named():
    def drawing(ax, width):
        ax.set_axis_off()
        ax.set_xlim(0, 4)
        ax.set_ylim(0, 1)

    parts = (
        Diagram("<svg/>", (("a", "1", ""),), "", ("name", "rank"), name="ranks", draw=drawing),
        Diagram("<svg/>", (("a", "1", ""),), "", ("name", "rank"), name="other"),
    )
    page = Document("page", sections=(Section("s", parts),))
    for names in ([], ["ranks"]):
        (panel,) = panels_at_command([object()], names, lambda: page)
        assert (panel.diagram, panel.curves) == (drawing, ())
    with pytest.raises(InputError, match=r"Panel 'other' is unknown\. Panels: ranks\."):
        panels_at_command([object()], ["other"], lambda: page)
    with pytest.raises(InputError, match=r"This result has no roc panel\. Panels: ranks\."):
        panels_at_command([object()], ["roc"], lambda: page)
    figure = figure_of([Panel(diagram=drawing)], 100.0)
    assert figure.get_size_inches() == pytest.approx([100 / 25.4, 100 / 25.4 / 4])


def figure_of(panels, width, style="bmj", monkeypatch=None):
    """The figure that is drawn, before it is written."""
    kept = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Figure, "savefig", lambda self, *_, **__: kept.append(self))
        drawn_as(panels, "svg", width, "DejaVu Sans", STYLES[style])
    return kept[0]


@pytest.mark.parametrize(
    ("width", "number", "columns"),
    [(89.0, 1, 1), (109.0, 2, 1), (110.0, 2, 2), (183.0, 2, 2), (183.0, 5, 3), (220.0, 4, 4), (40.0, 3, 1)],
)
def test_panels_stand_beside_each_other_where_each_has_55_millimeters(width, number, columns):
    figure = figure_of(panels_of(assessed(), "+".join(["roc"] * number), {}), width)
    wide, high = figure.get_size_inches()
    assert wide == pytest.approx(width / 25.4)
    spans = [ax.get_subplotspec() for ax in figure.axes]
    assert [(span.rowspan.start, span.colspan.start) for span in spans] == [
        divmod(k, columns) for k in range(number)
    ]
    letters = [ax.get_title(loc="left") for ax in figure.axes]
    assert letters == ([""] if number == 1 else [*"ABCDEFGHIJKLMNOP"[:number]])
    rows = -(-number // columns)
    assert high > rows * (wide / columns) * 0.92  # room for names below each


@pytest.mark.parametrize("style", STYLES)
def test_letters_and_texts_have_the_sizes_of_their_style(style):
    figure = figure_of(panels_of(assessed(), "roc+net_benefit", {}), 183.0, style)
    look = {"bmj": (9, 7.5, "AB"), "nature": (8, 6.5, "ab")}[style]
    for ax, letter in zip(figure.axes, look[2], strict=True):
        title = ax.title if ax.get_title(loc="left") == "" else ax._left_title
        assert (title.get_text(), title.get_fontsize(), title.get_fontweight()) == (letter, look[0], "bold")
        assert {text.get_fontsize() for text in (*ax.get_legend().get_texts(), *ax.get_xticklabels())} == {
            look[1]
        }
        assert {text.get_fontsize() for text in ax.texts} <= {look[1]}
        assert ax.title.get_fontsize() == look[1]


def test_lines_differ_by_dashes_and_references_are_thin():
    y, p, _ = scored(7)
    rng = np.random.default_rng(0)
    others = {f"m{k}": ca.assess(y, np.clip(p + 0.3 * rng.normal(size=y.size), 0, 1)) for k in range(5)}
    (panel,) = panels_of(ca.assess(y, p), "roc", others)
    (ax,) = figure_of([panel], 89.0).axes
    curves = [line for line in ax.get_lines() if line.get_gid() == plots.CURVE and len(line.get_xdata()) > 1]
    assert len(curves) == 6
    dashes = [str(line._unscaled_dash_pattern) for line in curves]
    assert len({*dashes}) == len(DASHES)
    assert dashes[0] == dashes[len(DASHES)]
    assert {line.get_linewidth() for line in curves} == {1.4}
    rest = [line for line in ax.get_lines() if line not in curves]
    assert rest
    assert {line.get_linewidth() for line in rest} == {0.7}
    marks = [line for line in rest if line.get_gid() == plots.CURVE]
    assert all(line.get_linestyle() != "None" for line in rest if line not in marks)
    assert {line.get_markersize() for line in ax.get_lines()} == {4}
    (ax,) = figure_of(panels_of(assessed(), "roc", {}), 89.0).axes
    (mark,) = [one for one in ax.get_lines() if one.get_gid() == plots.CURVE and len(one.get_xdata()) == 1]
    assert (mark.get_linestyle(), mark.get_linewidth(), mark.get_markersize()) == ("None", 0.7, 4)


def test_numbers_stand_below_their_thresholds_a_line_for_each_model():
    y = np.resize([0, 1], 2400)
    p = np.linspace(0, 1, y.size)
    long = "a name that has more letters than there is room for"
    panels = panels_of(ca.assess(y, p), "net_benefit", {long: ca.assess(y, p**2)})
    figure = figure_of(panels, 89.0)
    (ax,) = figure.axes
    figure.draw_without_rendering()
    texts = {text.get_text(): text for text in ax.texts}
    height = {name: text.get_window_extent().y1 for name, text in texts.items()}
    short = next(name for name in texts if name.endswith("…"))
    assert long.startswith(short.removesuffix("…").strip())
    assert len(short) <= LETTERS
    assert height["Cases at or above"] > height["this model"] > height[short]
    for name, score in (("this model", p), (short, p**2)):
        beside = [
            (text.get_position()[0], text.get_text())
            for text in ax.texts
            if abs(text.get_window_extent().y1 - height[name]) < 2 and text.get_text() != name
        ]
        assert sorted(beside) == [(tick, f"{(score >= tick).sum():,}") for tick in TICKS]
    assert ax.get_xticks().tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert ax.get_legend().get_window_extent().y1 <= height[short]


@pytest.mark.parametrize(
    ("panels", "width"),
    [("roc", 89.0), ("calibration", 89.0), ("net_benefit", 89.0), ("calibration+net_benefit+roc", 183.0)],
)
def test_nothing_below_a_box_overlaps_or_leaves_the_figure(panels, width):
    figure = figure_of(panels_of(assessed(), panels, {}), width)
    figure.draw_without_rendering()
    inside = figure.bbox
    for ax in figure.axes:
        legend = ax.get_legend().get_window_extent()
        labels = [text.get_window_extent() for text in (*ax.get_xticklabels(), ax.xaxis.label, *ax.texts)]
        boxes = [one for one in labels if one.width and ax.bbox.x0 - 1 <= one.x0]
        assert all(legend.y1 <= box.y0 + 2 for box in boxes), panels
        for strip in ax.child_axes:
            assert legend.y1 <= strip.get_window_extent().y0 + 2
            assert strip.get_window_extent().y1 <= min(box.y0 for box in boxes) + 2
        assert legend.y0 >= inside.y0 - 1
        names = [text.get_window_extent() for text in ax.get_legend().get_texts()]
        assert all(a.y0 >= b.y1 - 1 or a.x1 <= b.x0 for a, b in pairwise(names))


@pytest.mark.parametrize(("letters", "columns"), [(12, 2), (13, 1)])
def test_short_names_stand_beside_each_other(letters, columns):
    y, p, _ = scored(8)
    curves = panels_of_several({"a": ca.assess(y, p), "b": ca.assess(y, p[::-1])}, ["calibration"])[0].curves
    named = [replace(first, series=name, label=name) for (first, *_), name in zip(curves, "ab", strict=True)]
    named[1] = replace(named[1], label="b" * letters)
    figure = figure_of([Panel(tuple((replace(one, name="of two"),) for one in named))], 89.0)
    legend = figure.axes[0].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b" * letters]
    figure.draw_without_rendering()
    first, second = (text.get_window_extent() for text in legend.get_texts())
    assert (first.x1 < second.x0) == (columns == 2)
    assert (first.y0 >= second.y1) == (columns == 1)


def test_the_same_figure_is_written_the_same(tmp_path):
    for name in ("a", "b"):
        assessed().figure("roc+cost", tmp_path / f"{name}.svg", font="DejaVu Sans")
    one, other = ((tmp_path / f"{name}.svg").read_text(encoding="utf-8") for name in ("a", "b"))
    date = re.compile("<dc:date>.*?</dc:date>")
    assert date.sub("", one) == date.sub("", other)


@pytest.mark.parametrize(
    ("known", "used"),
    [
        (("DejaVu Sans", "Liberation Sans"), "Liberation Sans"),
        (("DejaVu Sans",), "DejaVu Sans"),
        ((), "DejaVu Sans"),
    ],
)
def test_the_first_font_that_is_installed_takes_the_place_of_one_that_is_not(known, used, monkeypatch):
    from matplotlib import font_manager

    fonts = [SimpleNamespace(name=name) for name in (*known, "Mine")]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", fonts)
    with pytest.warns(UserWarning, match=rf"The font 'Arial' is not installed\. The figure uses {used}\."):
        assert results_in_figures._font("Arial") == used
    assert results_in_figures._font("Mine") == "Mine"


@pytest.mark.parametrize("seed", range(4))
def test_a_tree_joins_its_groups_at_their_rates(seed):
    rng = np.random.default_rng(seed)
    names = ["ape", "bee", "cat", "dog", "$x$", "a name that is longer than there is room for in a picture"][
        : 3 + seed
    ]
    y, said = rng.choice(names, 200), rng.choice(names, 200)
    said = np.where(rng.random(200) < 0.6, y, said)
    tree = ca.assess(y, y_pred=said).confusion_tree()
    ax = tree.plot(Figure().subplots())
    leaves = tree.joins[-1].labels
    for tick, leaf in zip(ax.get_yticklabels(), leaves, strict=True):
        text = tick.get_text()
        assert text == leaf or (text.endswith("…") and leaf.startswith(text[:-1].strip()))
    assert ax.get_yticks().tolist() == [*range(len(leaves))]
    assert ax.get_ylim() == (len(leaves) - 0.5, -0.5)
    most = max(join.rate for join in tree.joins)
    place = {frozenset([leaf]): (float(k), most) for k, leaf in enumerate(leaves)}
    assert len(ax.get_lines()) == len(tree.joins)
    for line, join in zip(ax.get_lines(), tree.joins, strict=True):
        parts = sorted(
            (place.pop(group) for group in [*place] if group <= {*join.labels}), key=lambda one: one[0]
        )
        (low, near), (high, far) = parts
        assert line.get_xdata() == pytest.approx([near, join.rate, join.rate, far])
        assert line.get_ydata() == pytest.approx([low, low, high, high])
        place[frozenset(join.labels)] = (low + high) / 2, join.rate
    own = tree.plot()
    assert own.figure.get_size_inches() == pytest.approx([6.4, 1.2 + 0.3 * len(leaves)])
    from matplotlib import pyplot

    pyplot.close(own.figure)


def cost_of(place, costs, prevalence):
    x, y = place
    return costs.get("fp", 0) * x * (1 - prevalence) + costs.get("fn", 0) * (1 - y) * prevalence


@pytest.mark.parametrize(
    "costs",
    [
        {"fp": 1, "fn": 1},
        {"fp": 1, "fn": 3},
        {"fp": 9, "fn": 1},
        {"fp": 1, "fn": 0},
        {"fp": 0, "fn": 1},
        {"fp": 1, "fn": 99},
    ],
)
def test_lines_of_equal_cost_go_through_their_points_and_the_boldest_costs_least(costs):
    y = [1] * 5 + [0] * 5
    counts = {"strict": (2, 0), "lax": (4, 2), "odd": (2, 2)}
    labels = {name: [1] * k + [0] * (5 - k) + [1] * j + [0] * (5 - j) for name, (k, j) in counts.items()}
    space = ca.roc_space({name: ca.assess(y, y_pred=y_pred) for name, y_pred in labels.items()})
    ax = space.plot(Figure().subplots(), costs=ca.Costs(**costs))
    places = {name: (j / 5, k / 5) for name, (k, j) in counts.items()}
    every = places | {NEVER: (0.0, 0.0), ALWAYS: (1.0, 1.0)}
    priced = {name: cost_of(place, costs, 0.5) for name, place in every.items()}
    best = [name for name, cost in priced.items() if cost == pytest.approx(min(priced.values()))]
    lines = {line.get_label(): line for line in ax.get_lines() if "equal cost" in line.get_label()}
    lead = f"equal cost, lowest: {', '.join(best)}"
    wanted = {lead: best[0]} | {f"_equal cost of {name}": name for name in places if name not in best}
    assert lines.keys() == wanted.keys()
    for label, name in wanted.items():
        line = lines[label]
        ends = [*zip(line.get_xdata(), line.get_ydata(), strict=True)]
        assert [cost_of(end, costs, 0.5) for end in ends] == pytest.approx([priced[name]] * 2)
        (x0, y0), (x1, y1), (x, y) = *ends, every[name]
        assert (x1 - x0) * (y - y0) == pytest.approx((x - x0) * (y1 - y0))
        look = (1.5, plots.INK) if label == lead else (0.6, plots.QUIET)
        assert (line.get_linewidth(), line.get_color(), line.get_gid()) == (*look, plots.REFERENCE)
    assert ax.get_xlim() == ax.get_ylim() == pytest.approx((-0.01, 1.01))
    named = [text.get_text().replace("\n", " ") for text in ax.get_legend().get_texts()]
    assert any(name.startswith("equal cost, lowest") for name in named)
    assert not any("equal cost of" in name for name in named)
    plain = space.plot(Figure().subplots())
    assert not any("equal cost" in line.get_label() for line in plain.get_lines())


@pytest.mark.filterwarnings("ignore:The font")
@pytest.mark.parametrize("words", [(), ("--by", "site"), ("--panels", "roc:hull+calibration:two columns")])
def test_the_command_draws_what_python_draws(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = patients()
    lines = zip(rows["truth"], rows["new"], rows["site"], strict=True)
    (tmp_path / "p.csv").write_text("\n".join(["y,p,site", *(f"{y},{p},{site}" for y, p, site in lines)]))
    seen = []
    monkeypatch.setattr(
        results_in_figures, "drawn_as", lambda panels, *rest: seen.append((panels, *rest)) or b"drawn"
    )
    done = call(
        "assess", "p.csv", "--truth", "y", "--score", "p", "--positive", "sick", "--figure", "f.png", *words
    )
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "f.png").read_bytes() == b"drawn"
    ((panels, *rest),) = seen
    assert rest == ["png", 183.0 if "two columns" in " ".join(words) else 89.0, "Arial", STYLES["bmj"]]
    if "--by" in words:
        assert [curves[0].series for curves in panels[0].curves] == ["north", "south"]
    else:
        wanted = panels_of(assessed(), words[1].rpartition(":")[0] if words else "roc", {})
        for panel, other in zip(panels, wanted, strict=True):
            assert [(c.kind, c.series, c.y.tolist()) for c in panel.curves[0]] == [
                (c.kind, c.series, c.y.tolist()) for c in other.curves[0]
            ]


def test_the_colour_of_a_letter_is_that_of_ink():
    figure = figure_of(panels_of(assessed(), "roc+cost", {}), 183.0)
    assert {to_hex(ax._left_title.get_color()) for ax in figure.axes} == {to_hex(COLOURS["light"]["ink"])}


def test_what_is_drawn_needs_matplotlib(monkeypatch):
    y, said = (np.resize([*names], 30) for names in ("abc", "abca"))
    tree = ca.assess(y, y_pred=said).confusion_tree()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ca.MissingExtraError, match=r"Drawing a tree needs .*classay\[plot\]"):
        tree.plot()
    with pytest.raises(ca.MissingExtraError, match=r"Drawing a figure needs .*classay\[plot\]"):
        FigureOptions("f.svg").refuse()
    with pytest.raises(ca.MissingExtraError, match=r"Drawing a figure needs .*classay\[plot\]"):
        drawn_as([], "svg", 89.0, "Arial", STYLES["bmj"])
