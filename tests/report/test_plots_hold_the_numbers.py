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
    corners = {tuple(np.round(point, 9)) for point in fill.get_paths()[0].vertices}
    assert {(x, round(y + d, 9)) for x, y in zip(X, Y, strict=True) for d in (-0.1, 0.1)} <= corners
    assert to_hex(fill.get_facecolor()[0]) == SERIES["light"][1]
    assert fill.get_label() == "95% band"


def test_curves_on_the_same_axes_have_colours_and_then_dashes_of_their_own():
    ax = Figure().subplots()
    for k in range(10):
        assert plot(curve(series=f"m{k}"), ax) is ax
    lines = drawn(ax)
    assert [to_hex(line.get_color()) for line in lines] == [*SERIES["light"], *SERIES["light"][:2]]
    assert [line._unscaled_dash_pattern for line in lines[7:9]] != [lines[0]._unscaled_dash_pattern] * 2
    assert len({*DASHES}) == 3
    assert len(drawn(ax, REFERENCE)) == 1
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == [*(f"m{k}" for k in range(10)), look_of("roc").diagonal]


def references(ax):
    return {line.get_label(): places(line) for line in drawn(ax, REFERENCE)}


def test_what_curves_are_compared_with_is_drawn_once_or_named_by_its_owner():
    def with_reference(series, y):
        return [curve(series=series), curve(kind="reference", series="chance", y=y)]

    ax = Figure().subplots()
    plot(with_reference("a", Y / 2), ax)
    assert references(ax) == {"chance": [*zip(X, Y / 2, strict=True)]}
    plot(with_reference("b", Y / 2), ax)
    assert [*references(ax)] == ["chance"]
    plot(with_reference("c", Y / 3), ax)
    assert references(ax) == {
        "chance, a": [*zip(X, Y / 2, strict=True)],
        "chance, c": [*zip(X, Y / 3, strict=True)],
    }
    plot(with_reference("d", Y / 4), ax)
    assert [*references(ax)] == ["chance, a", "chance, c", "chance, d"]
    dashes = [line._unscaled_dash_pattern for line in drawn(ax, REFERENCE)]
    assert len({str(each) for each in dashes}) == len(REFERENCE_DASHES)


def test_a_cross_lies_on_its_curve_which_is_faint():
    cross = curve(kind="cross", series="a", x=X[1:3], y=Y[1:3])
    ax = plot([curve(series="a"), cross, curve(series="b")], Figure().subplots())
    faint, upon, other = drawn_or_all(ax)
    assert (faint.get_alpha(), faint.get_label()) == (0.5, "_a")
    assert (places(upon), upon.get_label(), upon.get_gid()) == (
        [*zip(X[1:3], Y[1:3], strict=True)],
        "a",
        CURVE,
    )
    assert to_hex(upon.get_color()) == to_hex(faint.get_color()) == SERIES["light"][0]
    assert to_hex(other.get_color()) == SERIES["light"][1]


def drawn_or_all(ax):
    return [line for line in ax.get_lines() if line.get_gid() != REFERENCE]


def test_a_legend_names_two_or_more_and_lies_below_from_four_on():
    few = plot([curve(series="a"), curve(series="b")], Figure().subplots()).get_legend()
    assert [text.get_text() for text in few.get_texts()] == ["a", "b", look_of("roc").diagonal]
    assert few._ncols == 1
    many = plot([curve(series=name) for name in "abc"], Figure().subplots()).get_legend()
    assert many._ncols == 2
    long = plot([curve(series=name * 29) for name in "abc"], Figure().subplots()).get_legend()
    assert long._ncols == 1
    alone = plot(curve(name="score_histogram"), Figure().subplots())
    assert (alone.get_legend(), drawn(alone, REFERENCE)) == (None, [])


@pytest.mark.parametrize(
    ("label", "letters", "lines"),
    [
        ("abc", 3, ["abc"]),
        ("ab c", 3, ["ab", "c"]),
        ("ab cd, AUC 0.8", 9, ["ab cd", "AUC 0.8"]),
        ("x, AUC 1", 8, ["x, AUC 1"]),
    ],
)
def test_a_long_name_is_broken_between_words(label, letters, lines):
    assert broken(label, letters).split("\n") == lines


@pytest.mark.parametrize(("curves", "names"), [([], "none"), ([curve(), curve(name="det")], "det, roc")])
def test_curves_of_other_names_are_no_picture(curves, names):
    with pytest.raises(InputError, match=f"curves of one name, but these are {names}. Draw them separately."):
        plot(curves, Figure().subplots())


COUNTS = {
    "two classes": [[50, 3], [7, 40]],
    "three classes": [[9, 0, 1], [2, 5, 0], [0, 0, 0]],
    "seven classes": (np.arange(49).reshape(7, 7) % 5 * 3).tolist(),
}


@pytest.mark.parametrize("share", [None, "true", "predicted", "all"])
@pytest.mark.parametrize("name", COUNTS)
def test_a_matrix_is_as_dark_as_its_shares_and_holds_its_numbers(name, share):
    cells = np.array(COUNTS[name], float)
    k = len(cells)
    labels = tuple("abcdefg"[:k])
    ax = plot_matrix(Matrix(labels, tuple(map(tuple, cells))), share, Figure().subplots())
    total = {"predicted": cells.sum(1, keepdims=True), "all": cells.sum()}.get(
        share or "", cells.sum(0, keepdims=True)
    )
    with np.errstate(invalid="ignore"):
        shares = cells / total
    dark = np.sqrt(np.nan_to_num(shares) / (np.nanmax(shares) if share == "all" else 1))
    (image,) = ax.get_images()
    for i, j in np.ndindex(cells.shape):
        wanted = 1 - dark[i, j] * (1 - np.array(to_rgb(ACCENT if i == j else ALARM)))
        assert np.asarray(image.get_array())[i, j] == pytest.approx(wanted)
    texts = {text.get_position(): text for text in ax.texts if text.get_va() == "center"}
    hidden = {(j, i) for i, j in np.ndindex(cells.shape) if cells[i, j] == 0 and k > 6}
    assert {*texts} == {(j, i) for i, j in np.ndindex(cells.shape)} - hidden
    for (j, i), text in texts.items():
        in_words = "–" if np.isnan(shares[i, j]) else f"{100 * shares[i, j]:.1f}"
        assert text.get_text() == (f"{cells[i, j]:.0f}" if share is None else in_words)
        assert to_hex(text.get_color()) == (PAPER if dark[i, j] > 0.7 else INK)
    assert [each.get_text() for each in ax.get_xticklabels()] == [*labels]
    assert [each.get_text() for each in ax.get_yticklabels()] == [*labels]
    (note,) = [text for text in ax.texts if text.get_va() == "top"]
    of = {"predicted": "share of the predicted class", "all": "share of all cases"}.get(
        share, "share of the true class"
    )
    assert note.get_text().endswith(f"darker: larger {of}")
    assert ("\n" in note.get_text()) == (k <= 6)
    assert to_hex(note.get_color()) == QUIET


def test_the_other_classes_together_are_neither_right_nor_wrong():
    matrix = Matrix(tuple("abcdef"), tuple(map(tuple, np.ones((6, 6)))))
    few = matrix.within(3)
    assert few.rest
    ax = plot_matrix(few, "all", Figure().subplots())
    (image,) = ax.get_images()
    k = len(few.counts[0])
    shown = np.asarray(image.get_array())
    cells = np.array(few.counts)
    dark = np.sqrt(cells / cells.max())
    grey = 1 - dark[k - 1, k - 1] * (1 - np.array(to_rgb(QUIET)))
    assert shown[k - 1, k - 1] == pytest.approx(grey)
    assert shown[0, 0] == pytest.approx(1 - dark[0, 0] * (1 - np.array(to_rgb(ACCENT))))
    (note,) = [text.get_text() for text in ax.texts if text.get_va() == "top"]
    assert f"the {k - 1} of 6 classes in the most errors; the others together, grey" in note


@pytest.mark.parametrize(
    ("names", "rotation"), [(("a", "b"), 0), (("a" * 15,) * 4, 0), (("a" * 16,) * 4, 90)]
)
def test_names_that_are_too_long_for_their_cells_are_turned(names, rotation):
    matrix = Matrix(
        tuple(f"{name[:-1]}{k}" for k, name in enumerate(names)), tuple(map(tuple, np.eye(len(names))))
    )
    ax = plot_matrix(matrix, None, Figure().subplots())
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {rotation}
    assert {label.get_rotation() for label in ax.get_yticklabels()} == {0}


@pytest.mark.parametrize("count", range(1, 15))
def test_names_below_an_axis_are_at_most_four_at_equal_steps(count):
    names = [f"n{k}" for k in range(count)]
    found = named_places(names)
    steps = {b[0] - a[0] for a, b in pairwise(found)}
    assert 1 <= len(found) <= 4
    assert len(steps) <= 1
    assert found[0] == (1, "n0")
    assert all(name == f"n{place - 1:.0f}" for place, name in found)
    assert count > 4 or len(found) == count


@pytest.mark.parametrize("seed", range(40))
def test_round_numbers_are_multiples_of_one_step_within_their_ends(seed):
    rng = np.random.default_rng(seed)
    low, high = np.sort(rng.normal(size=2) * 10.0 ** rng.integers(-4, 5))
    most = int(rng.integers(4, 9))
    found = round_numbers(low, high, most)
    steps = np.diff(found)
    assert 1 <= len(found) <= most
    assert low - 1e-6 * (high - low) <= found[0] <= found[-1] <= high + 1e-6 * (high - low)
    assert len(found) == 1 or np.allclose(steps, steps[0])
    if len(found) > 1:
        leading = float(f"{steps[0]:e}".partition("e")[0])
        assert min(abs(leading - each) for each in (1, 2, 5, 10)) < 1e-6
        assert np.allclose(np.array(found) / steps[0], np.round(np.array(found) / steps[0]), atol=1e-6)
        assert (high - low) / steps[0] >= most / 2.5 - 1 or len(found) >= 2  # no coarser than it must be


def test_a_curve_keeps_what_is_drawn_beside_it():
    beside = curve(kind="reference", series="fit", y=Y**2)
    ax = plot(replace(curve(series="a"), beside=(beside,)), Figure().subplots())
    assert references(ax) == {"fit": [*zip(X, Y**2, strict=True)]}


# --- intervals below each other, and pictures of pages


ROWS = [
    ("a", Estimate(0.5, 0.4, 0.7, 0.95, "Wilson")),
    ("b", Estimate(0.2, reason="no interval")),
    ("c" * 40, Estimate(-0.1, -0.3, 0.2, 0.95, "Wald")),
]


@pytest.mark.parametrize("zero", [None, 0.0, 0.5])
def test_intervals_stand_below_each_other_around_their_values(zero):
    ax = draw(ROWS, "Recall", AxisScale(zero=zero), Figure().subplots())
    lines = [line for line in ax.get_lines() if line.get_marker() == "None" and line.get_linestyle() == "-"]
    dots = [line for line in ax.get_lines() if line.get_marker() == "o"]
    assert [places(line) for line in dots] == [[(each.value, k)] for k, (_, each) in enumerate(ROWS)]
    limits = [[(each.low, k), (each.high, k)] for k, (_, each) in enumerate(ROWS) if each.has_interval]
    assert [places(line) for line in lines] == limits
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", f"{'c' * 29}…"]
    assert ax.get_ylim()[0] > len(ROWS) - 1 > 0 > ax.get_ylim()[1]  # the first on top
    assert ax.get_title("left") == "Recall"
    middle = [line.get_xdata()[0] for line in ax.get_lines() if line not in (*lines, *dots)]
    assert middle == ([] if zero is None else [zero])


def the_marks(picture, rank):
    return [marks for marks in picture.marks if marks.rank == rank]


@pytest.mark.parametrize("kind", ["line", "steps", "points"])
def test_marks_of_a_page_are_the_points_of_their_curves(kind):
    curves = [curve(kind=kind, series="a"), curve(kind=kind, series="b", y=Y**2)]
    (picture,) = pictures(curves)
    for rank, each in enumerate(curves):
        (marks,) = the_marks(picture, rank)
        assert (marks.x.tolist(), marks.y.tolist()) == (each.x.tolist(), each.y.tolist())
        assert marks.name == each.series
        assert marks.said == f"{each.series}\nhere {{x}}\nthere {{y}}"
        assert marks.texts == ()
    (diagonal,) = the_marks(picture, -1)
    assert (diagonal.x.tolist(), diagonal.y.tolist(), diagonal.said) == ([0, 1], [0, 1], "")
    assert (picture.legend, picture.title, picture.name, picture.is_square) == (
        ("a", "b"),
        "ROC",
        "roc",
        True,
    )
    assert (picture.x.title, picture.y.title, picture.x.limits) == ("here", "there", (-0.01, 1.01))
    (alone,) = pictures(curves[:1])
    assert (alone.legend, the_marks(alone, 0)[0].said) == ((), "here {x}\nthere {y}")
    assert [one.name for one in pictures([curve(), curve(name="lift"), curve(series="b")])] == ["roc", "lift"]


def test_a_threshold_is_told_at_each_point():
    thresholds = np.array([np.inf, 0.123456, np.nan, -np.inf])
    (picture,) = pictures([curve(threshold=thresholds)])
    (marks,) = the_marks(picture, 0)
    assert marks.said == "here {x}\nthere {y}\n{text}"
    assert marks.texts == ("above every score", 0.1235, None, "every score")
    (same,) = pictures([curve(threshold=X)])  # the axis says it
    assert the_marks(same, 0)[0].texts == ()


@pytest.mark.parametrize("kind", ["line", "steps", "steps_back"])
def test_a_band_goes_along_its_upper_side_and_back_along_the_lower(kind):
    (picture,) = pictures([curve(name="lift", kind=kind, low=Y - 0.1, high=Y + 0.2, band="95% band")])
    (area,) = [marks for marks in picture.marks if marks.form == "area"]
    half = area.x.size // 2
    assert area.x[:half].tolist() == area.x[half:][::-1].tolist()
    assert area.y[:half] - area.y[half:][::-1] == pytest.approx(np.full(half, 0.3))
    upper = [*zip(area.x[:half].tolist(), (area.y[:half] - 0.2).tolist(), strict=True)]
    start = np.r_[Y[1], Y[1:]] if kind == "steps_back" else Y  # the first step holds back to the axis
    corners = {"line": [], "steps": zip(X[1:], Y[:-1], strict=True)}
    corners["steps_back"] = zip(X[:-1], Y[1:], strict=True)
    wanted = sorted([*zip(X, start, strict=True), *corners[kind]])
    assert [each[0] for each in sorted(upper)] == [each[0] for each in wanted]
    assert sorted(y for _, y in upper) == pytest.approx(sorted(y for _, y in wanted))
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
