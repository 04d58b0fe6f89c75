"""Figures: sizes in millimeters, letters, dashes, numbers below, the curves of the page, and what cannot be drawn."""

import logging
import pickle
import re
import warnings
from dataclasses import replace
from importlib.metadata import version

import numpy as np
import pytest
from PIL import Image

import classay as ca
from classay.errors import InputError
from classay.figures.results_in_figures import (
    DASHES,
    STYLES,
    TICKS,
    Panel,
    drawn_as,
    names_of,
    panels_of,
    width_of,
)
from classay.inference.estimate import bracketed
from classay.report.document import Figures
from classay.report.door import with_pictures
from command import call, refusal
from sample_results import assessed, patients

PANELS = "roc+calibration+net_benefit"


@pytest.mark.parametrize(
    ("width", "millimeters"), [("90mm", 90), ("9 cm", 90), ("3.5in", 88.9), ("two columns", 183)]
)
@pytest.mark.filterwarnings("ignore:The font")
def test_a_figure_is_as_wide_as_it_is_told(tmp_path, width, millimeters):
    path = tmp_path / "f.svg"
    assessed().figure("roc", path, width=width)
    points = float(re.search(r'width="([\d.]+)pt"', path.read_text(encoding="utf-8"))[1])
    assert points == pytest.approx(millimeters / 25.4 * 72, abs=0.01)


@pytest.mark.parametrize("ending", ["pdf", "svg", "png", "eps", "tiff"])
def test_every_format_is_written_with_letters_or_300_pixels_an_inch(tmp_path, ending, caplog):
    caplog.set_level(logging.INFO, "matplotlib.backends.backend_ps")
    begins = {"pdf": b"%PDF", "svg": b"<?xml", "png": b"\x89PNG", "eps": b"%!PS", "tiff": b"II*"}
    path = tmp_path / f"f.{ending}"
    assessed().figure("roc", path, width="90mm", font="DejaVu Sans")
    written = path.read_bytes()
    assert written.startswith(begins[ending])
    assert logging.getLogger("matplotlib.backends.backend_ps").level == logging.INFO  # as before
    assert not [one for one in caplog.records if "transparen" in one.getMessage()]
    if ending in ("png", "tiff"):
        with Image.open(path) as image:
            assert image.width == pytest.approx(90 / 25.4 * 300, abs=1)
            assert image.info["dpi"][0] == pytest.approx(300, abs=0.1)
    fonts = {"pdf": (b"/CIDFontType2", b"/Type3"), "eps": (b"/FontType 42", b"/FontType 3")}
    if ending in fonts:  # letters of a font, no outlines
        is_old = ending == "eps" and version("matplotlib").startswith("3.8.")  # it has its signs as outlines
        assert (fonts[ending][0] in written, fonts[ending][1] in written) == (True, is_old)
    assert (b"/Creator (classay)" in written) == (ending == "pdf")


def axes_of(panels, monkeypatch, style="bmj", width=183.0):
    """The axes that are drawn."""
    from matplotlib.figure import Figure

    kept = []
    monkeypatch.setattr(Figure, "savefig", lambda self, *_, **__: kept.append(self))
    drawn_as(panels, "svg", width, "DejaVu Sans", STYLES[style])
    return kept[0].axes


def test_panels_have_letters_and_lines_differ_by_dashes(monkeypatch):
    rows = patients()
    other = ca.assess(rows["truth"], rows["old"], positive="sick")
    panels = panels_of(assessed(), PANELS, {"old": other})
    axes = axes_of(panels, monkeypatch, "nature")
    assert [ax.get_title(loc="left") for ax in axes] == ["a", "b", "c"]
    for ax in axes:
        curves = [line for line in ax.get_lines() if line.get_gid() == "classay curve"]
        assert len({str(line._unscaled_dash_pattern) for line in curves}) == len(curves) == 2
        texts = [text.get_text().split("\n") for text in ax.get_legend().get_texts()][:2]
        assert [name for name, *_ in texts] == ["this model", "old"]
        areas = [f"AUC {bracketed(a['roc_auc'])}" for a in (assessed(), other)]
        assert [area for _, *area in texts] == ([[area] for area in areas] if ax is axes[0] else [[], []])
    assert len({*map(str, DASHES)}) == len(DASHES)


def test_one_panel_has_no_letter_and_the_histogram_stands_below_calibration(monkeypatch):
    (ax,) = axes_of(panels_of(assessed(), "calibration", {}), monkeypatch)
    assert ax.get_title(loc="left") == ""
    (strip,) = ax.child_axes
    assert {text.get_text() for text in strip.texts} >= {"sick", "well"}
    heights = [abs(bar.get_height()) for bar in strip.patches]
    assert sum(heights) == pytest.approx(2)  # each class has all of its cases


def test_a_panel_of_one_name_has_no_legend(monkeypatch):
    ((first, *_),) = panels_of(assessed(), "roc", {})[0].curves
    alone = Panel(curves=((replace(first, name="of one", low=None, high=None, band=""),),))
    (ax,) = axes_of([alone], monkeypatch)
    assert ax.get_legend() is None
    assert [line.get_gid() for line in ax.get_lines()].count("classay curve") == 1


def test_a_decision_curve_has_its_band_both_references_and_numbers_of_cases(monkeypatch):
    a = assessed()
    (ax,) = axes_of(panels_of(a, "net_benefit", {}), monkeypatch)
    names = {text.get_text().replace("\n", " ") for text in ax.get_legend().get_texts()}
    assert {"act on all", "act on none"} <= names
    assert "pointwise 95% band" in names
    score = patients()["new"]
    numbers = {text.get_position()[0]: text.get_text() for text in ax.texts if text.get_text().isdecimal()}
    assert numbers == {at: str(np.sum(score >= at)) for at in TICKS}


def test_the_curves_are_those_of_the_page():
    a = assessed()
    page = {
        curve.name: curve
        for section in with_pictures(a).sections
        for part in section.parts
        if isinstance(part, Figures)
        for figure in (*part.shown, *part.folded)
        for curve in figure.curves[:1]
    }
    for name, panel in zip(
        ("roc", "calibration", "cost"), panels_of(a, "roc+calibration+cost", {}), strict=True
    ):
        ((curve, *_),) = panel.curves
        assert np.array_equal(curve.x, page[name].x)
        assert np.array_equal(curve.y, page[name].y)


@pytest.mark.wings("groups")
def test_groups_share_panels():
    rows = patients()
    s = ca.assess_by(rows["truth"], rows["new"], by=rows["site"], positive="sick")
    roc, benefit = panels_of(s, "roc+net_benefit", {})
    assert len(roc.curves) == len(s)
    assert {curves[0].series for curves in roc.curves} == {"north", "south"}
    assert sum(numbers[0] for _, numbers in benefit.at_risk) == 160


@pytest.mark.parametrize("name", ["roc", "calibration", "net_benefit"])
def test_compared_models_have_the_curves_of_their_assessments(name):
    rows = patients()
    models = {"new": rows["new"], "old": rows["old"]}
    (panel,) = panels_of(ca.compare(models, rows["truth"], positive="sick", measures=["roc_auc"]), name, {})
    alone = {model: ca.assess(rows["truth"], score, positive="sick") for model, score in models.items()}
    assert [curves[0].series for curves in panel.curves] == [*models]
    (wanted,) = panels_of(alone["new"], name, {"old": alone["old"]})
    for (curve, *_), (other, *_) in zip(panel.curves, wanted.curves, strict=True):
        assert np.array_equal(curve.x, other.x)
        assert np.array_equal(curve.y, other.y)
    assert panels_of(ca.compare_unpaired(alone, ["roc_auc"]), name, {})[0].at_risk == panel.at_risk


@pytest.mark.wings("groups")
@pytest.mark.parametrize("kind", ["models", "groups", "one"])
def test_others_are_beside_all_that_a_result_shows(kind):
    rows = patients()
    y, new = rows["truth"], rows["new"]
    alone = ca.assess(y, new, positive="sick")
    results = {
        "models": lambda: ca.compare({"new": new, "old": rows["old"]}, y, positive="sick"),
        "groups": lambda: ca.assess_by(y, new, by=rows["site"], positive="sick"),
        "one": lambda: alone,
    }
    result = results[kind]()
    shown = {"models": ["new", "old"], "groups": ["north", "south"], "one": ["this model"]}[kind]
    (panel,) = panels_of(result, "net_benefit", {"third": alone})
    assert {name for name, _ in panel.at_risk} == {*shown, "third"}


def test_others_are_refused_where_a_result_has_no_curve_of_scores(tmp_path):
    scores = {"a": np.arange(12), "b": np.arange(12)[::-1]}
    without = pickle.loads(pickle.dumps(ca.compare(scores, np.tile([0, 0, 1], 4))))
    with pytest.raises(ca.InputError, match=r"keeps no scores of two classes.*Remove others="):
        without.figure("roc", tmp_path / "f.pdf", others={"old": assessed()})


def _compared_unpaired(models, y, measures):
    return ca.compare_unpaired({name: ca.assess(y, score) for name, score in models.items()}, measures)


@pytest.mark.parametrize("compare", [ca.compare, _compared_unpaired])
def test_a_pickle_of_a_comparison_holds_no_scores_of_cases(compare):
    y = np.tile([0, 1], 2_000)
    scores = np.linspace(0, 1, y.size)
    sizes = []
    for n in (400, y.size):
        compared = compare({"a": scores[:n], "b": scores[:n] ** 2}, y[:n], measures=["roc_auc"])
        panels_of(compared, "net_benefit", {})
        again = pickle.loads(pickle.dumps(compared))
        assert again == compared
        sizes.append(len(pickle.dumps(compared)))
    assert sizes[1] < 2 * sizes[0]


def test_infinite_scores_of_missing_predictions_are_named(tmp_path):
    rows = patients()
    new = np.where(np.arange(rows["truth"].size) < 3, np.nan, rows["new"])
    compared = ca.compare({"a": new, "b": rows["old"]}, rows["truth"], positive="sick", unanswered="wrong")
    with pytest.raises(ca.InputError, match="some scores are infinite, such as those of missing predictions"):
        compared.figure("net_benefit", tmp_path / "f.pdf")


def test_more_groups_than_a_panel_shows_are_refused():
    y = np.tile([0, 1], 100)
    s = ca.assess_by(y, np.linspace(0, 1, 200), by=np.repeat(np.arange(20), 10))
    with pytest.raises(ca.InputError, match="A panel shows at most 16 groups or models, but has 20"):
        panels_of(s, "roc", {})


@pytest.mark.parametrize("width", ["0mm", "39.9mm", "401mm", "-90mm", "90", "wide", "1e9mm", "nanmm", ""])
def test_widths_that_cannot_be_drawn_are_refused(width):
    with pytest.raises(
        ca.InputError, match="width must be 'one column', 'two columns' or a length from 40 to 400 mm"
    ):
        width_of(width)


@pytest.mark.parametrize("panels", ["", "roc+", "+", "roc++cost"])
def test_panels_need_names(panels):
    with pytest.raises(ca.InputError, match="panels must be names of curves joined by"):
        names_of(panels)


def test_what_has_no_curve_is_refused(tmp_path):
    rows = patients()
    a = assessed()
    with pytest.raises(ca.InputError, match=r"Panel 'rock' is unknown\. Panels: .*Did you mean 'roc'"):
        a.figure("rock", tmp_path / "f.pdf")
    labels = ca.assess([0, 1, 2] * 5, y_pred=[0, 1, 1] * 5)
    with pytest.raises(ca.InputError, match="This result has no pictures"):
        labels.figure("roc", tmp_path / "f.pdf")
    with pytest.raises(ca.InputError, match=r"no calibration panel \(some scores are outside \[0, 1\]"):
        ca.assess(rows["truth"], 10 * rows["new"], positive="sick").figure("calibration", tmp_path / "f.pdf")
    with pytest.raises(ca.InputError, match="'labels' has no scores of two classes"):
        a.figure("roc", tmp_path / "f.pdf", others={"labels": labels})
    with pytest.raises(ca.InputError, match="others must be assessments by name"):
        a.figure("roc", tmp_path / "f.pdf", others={"old": rows["old"]})
    with pytest.raises(ca.InputError, match=r"A figure must end in \.pdf, \.svg"):
        a.figure("roc", tmp_path / "f.jpg")
    assert not [*tmp_path.iterdir()]


def test_a_font_that_is_not_installed_is_named(tmp_path):
    with pytest.warns(UserWarning, match="The font 'No Such Font' is not installed. The figure uses"):
        assessed().figure("roc", tmp_path / "f.png", font="No Such Font")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assessed().figure("roc", tmp_path / "f.png", font="DejaVu Sans")


@pytest.mark.filterwarnings("default:The font")
def test_figures_are_written_beside_other_outputs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = patients()
    lines = [f"{y},{p}" for y, p in zip(rows["truth"], rows["new"], strict=True)]
    (tmp_path / "p.csv").write_text("\n".join(["y,p", *lines]) + "\n")
    assess = ("assess", "p.csv", "--truth", "y", "--score", "p", "--positive", "sick")
    assert "Two outputs have the same file name" in refusal(*assess, "--html", "a.svg", "--figure", "a.svg")
    assert [file.name for file in tmp_path.iterdir()] == ["p.csv"]
    done = call(*assess, "--html", "a.html", "--figure", "a.svg")
    assert done.exit_code == 0
    assert {file.name for file in tmp_path.iterdir()} == {"p.csv", "a.html", "a.svg"}
    assert "wrote a.html" in done.stderr
    assert "wrote a.svg" in done.stderr
    assert "UserWarning" not in done.stderr


@pytest.mark.filterwarnings("default:The font")
def test_the_command_names_a_font_that_is_not_installed_in_one_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("classay.figures.results_in_figures._font", _without_font)
    (tmp_path / "p.csv").write_text("y,p\n" + "1,0.8\n0,0.3\n1,0.4\n0,0.6\n" * 10, encoding="utf-8")
    done = call("assess", "p.csv", "--truth", "y", "--score", "p", "--figure", "f.pdf")
    assert done.exit_code == 0
    assert done.stderr.splitlines() == ["classay: The font is not installed.", "wrote f.pdf"]


def _without_font(name):
    warnings.warn("The font is not installed.", stacklevel=2)
    return "DejaVu Sans"


@pytest.fixture
def _rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    p = rng.random(60).round(3)
    rows = zip((rng.random(60) < p).astype(int), p, strict=True)
    (tmp_path / "rows.csv").write_text("\n".join(["y,p", *(f"{y},{x}" for y, x in rows)]))


def run(*arguments):
    done = call("assess", "rows.csv", "--truth", "y", "--score", "p", *arguments)
    return done.exit_code, done.stderr


@pytest.mark.filterwarnings("default:The font")
@pytest.mark.usefixtures("_rows")
def test_the_command_says_one_line_for_each_warning_and_file(tmp_path):
    code, said = run("--figure", "f.eps", "--html", "p.html")
    assert code == 0
    assert all(line.startswith(("classay: ", "wrote ")) for line in said.splitlines()), said
    assert {one.name for one in tmp_path.iterdir()} == {"rows.csv", "f.eps", "p.html"}


@pytest.mark.usefixtures("_rows")
@pytest.mark.parametrize(
    "arguments",
    [
        ("--figure", "p.svg", "--html", "p.svg"),
        ("--figure", "f.svg", "--panels", ""),
        ("--figure", "f.svg", "--panels", "roc:1mm", "--html", "p.html"),
        ("--figure", "f.jpg", "--html", "p.html"),
    ],
)
def test_a_figure_that_no_result_has_is_refused_before_the_work(tmp_path, arguments):
    code, said = run(*arguments)
    assert (code, len(said.splitlines())) == (2, 1)
    assert [one.name for one in tmp_path.iterdir()] == ["rows.csv"]


@pytest.mark.usefixtures("_rows")
@pytest.mark.parametrize("panel", ["rock", "ranks", "roc+nope"])
def test_a_panel_that_this_result_lacks_leaves_the_other_outputs(tmp_path, panel):
    done = call(
        *("assess", "rows.csv", "--truth", "y", "--score", "p", "--html", "p.html", "--save", "a"),
        *("--figure", "f.svg", "--panels", panel),
    )
    assert done.exit_code == 2
    assert "ROC AUC" in done.stdout
    wrote, refused = done.stderr.splitlines()[:-1], done.stderr.splitlines()[-1]
    assert wrote == ["wrote a.classay", "wrote p.html"]
    assert "is unknown. Panels: roc, " in refused
    assert {one.name for one in tmp_path.iterdir()} == {"rows.csv", "p.html", "a.classay"}


def results_of_every_door():
    """Results whose pages have pictures, and a panel that each lacks, with the reason."""
    rows = patients()
    y, new, old = (rows[name] for name in ("truth", "new", "old"))
    improper = r"\(some scores are outside \[0, 1\], but the curve needs probabilities\)"
    yield "scores", ca.assess(y, 10 * new, positive="sick"), "calibration", improper
    by = ca.assess_by(y, 10 * new, by=rows["site"], positive="sick")
    yield "groups", by, "calibration", improper
    models = ca.compare({"new": 10 * new, "old": old}, y, positive="sick", measures=["roc_auc"])
    yield "models", models, "calibration", improper
    values = {name: {f"d{k}": k + shift for k in range(8)} for name, shift in (("a", 1), ("b", 2), ("c", 4))}
    rows = [(data, model, value) for model, of in values.items() for data, value in of.items()]
    frame = dict(zip(("data", "model", "auc"), map(list, zip(*rows, strict=True)), strict=True))
    yield "ranks", ca.compare_datasets(frame, dataset="data", model="model", value="auc"), "roc", ""


@pytest.mark.wings("groups", "resampling")
@pytest.mark.filterwarnings("ignore:The font")
@pytest.mark.parametrize("door", ["scores", "groups", "models", "ranks"])
def test_a_lacking_panel_is_refused_with_its_reason_and_every_named_panel_is_drawn(tmp_path, door):
    result, panel, reason = next(rest for name, *rest in results_of_every_door() if name == door)
    with pytest.raises(
        ca.InputError, match=rf"This result has no {panel} panel ?{reason}\. Panels: "
    ) as refused:
        result.figure(panel, tmp_path / "f.svg")
    named = re.split(", | and ", str(refused.value).rpartition("Panels: ")[2].rstrip("."))
    assert panel not in named
    for k, name in enumerate(named):
        result.figure(name, tmp_path / f"{name}.svg", width=("one column", "two columns")[k % 2])
    assert {one.stem for one in tmp_path.iterdir()} == {*named}


@pytest.mark.parametrize(
    "wrong", [{"panels": None}, {"panels": ["roc"]}, {"others": [1]}, {"others": {"old": 1}}, {"width": 0}]
)
def test_arguments_of_another_type_are_refused(tmp_path, wrong):
    arguments = {"panels": "roc", "path": tmp_path / "f.svg"} | wrong
    with pytest.raises(InputError):
        assessed().figure(**arguments)


def names_in(panel, monkeypatch):
    (ax,) = axes_of([panel], monkeypatch)
    return [text.get_text().replace("\n", " ") for text in ax.get_legend().get_texts()]


def test_a_roc_curve_is_named_by_its_area_and_has_the_mark_of_its_threshold(monkeypatch):
    a = assessed()
    area, mark = f"AUC {bracketed(a['roc_auc'])}", "threshold 0.5"
    band = "simultaneous 95% band"
    panels = panels_of(a, "roc+roc:noband+roc:hull+roc:hull:noband", {})
    names = [names_in(panel, monkeypatch) for panel in panels]
    assert names[0] == [area, mark, band, "no skill"]
    assert names[1] == [area, mark, "no skill"]
    assert {*names[2]} == {*names[0], "convex hull"}
    assert {*names[3]} == {*names[1], "convex hull"}


@pytest.mark.parametrize("panel", ["roc", "calibration", "net_benefit"])
def test_no_panel_has_a_band_that_is_not_wanted(panel, monkeypatch):
    from matplotlib.collections import PolyCollection

    for words, count in (("", 1), (":noband", 0)):
        (ax,) = axes_of(panels_of(assessed(), f"{panel}{words}", {}), monkeypatch)
        assert len([one for one in ax.collections if isinstance(one, PolyCollection)]) == count


@pytest.mark.parametrize(
    ("panels", "said"),
    [
        ("roc:nobands", "Panel 'roc' has no option 'nobands'. Use noband or hull"),
        ("roc:", "Panel 'roc' has no option ''"),
        ("calibration:hull", "Only ROC curves of scores have a hull. Remove ':hull'."),
    ],
)
def test_words_of_panels_are_refused_in_words(tmp_path, panels, said):
    with pytest.raises(InputError, match=re.escape(said)):
        assessed().figure(panels, tmp_path / "f.svg")


@pytest.mark.usefixtures("_rows")
@pytest.mark.parametrize(
    "panels", ["roc:noband", "roc:90mm:noband", "roc:hull+roc:noband:two columns", ":90mm"]
)
@pytest.mark.filterwarnings("ignore:The font")
def test_words_and_a_width_stand_behind_panels(panels):
    assert run("--figure", "f.svg", "--panels", panels)[0] == 0


@pytest.mark.usefixtures("_rows")
def test_two_widths_are_refused():
    code, said = run("--figure", "f.svg", "--panels", "roc:90mm:80mm")
    assert (code, "has the widths 90mm and 80mm. Name one width" in said) == (2, True)
