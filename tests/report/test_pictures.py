import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from classay.curves.curve import Curve
from classay.report.pictures.curves import pictures, script_json
from classay.report.pictures.picture import Axis, Marks, Picture, round_numbers
from classay.report.pictures.svg import pointed, svg, swatches
from sample_documents import HOSTILE, sample_curves


def test_curves_of_one_name_share_a_picture():
    roc, histogram = pictures(sample_curves())
    assert [marks.form for marks in histogram.marks] == ["bars", "bars"]
    assert histogram.legend == ("benign", "malignant")
    assert [marks.rank for marks in roc.marks] == [0, -1]
    assert roc.marks[0].texts[0] == "above every score"
    assert roc.legend == ()


def test_a_given_reference_replaces_the_diagonal():
    ends = np.array([0.0, 1.0])
    reference = Curve("roc", "ROC", ends, 1 - ends, "x", "y", kind="reference", series="other")
    steps = Curve("roc", "ROC", ends, ends, "x", "y", kind="steps", error=0.0005)
    (picture,) = pictures([reference, steps])
    found = [(marks.rank, marks.form, marks.y.tolist()) for marks in picture.marks]
    assert found == [(0, "steps", [0.0, 1.0]), (-1, "line", [1.0, 0.0])]
    assert "at most 0.0005 off" in picture.note


def test_script_json_has_no_way_out_and_no_nan():
    text = script_json(["</script>", "<!--", "a & b", "\u2028"])
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == ["</script>", "<!--", "a & b", "\u2028"]
    points = np.array([np.nan, np.inf, 0.123456789])
    (picture,) = pictures([Curve("c", "c", points, points, "x", "y")])
    assert pointed(picture)["marks"][0]["x"] == [None, None, 0.123457]


def test_a_band_is_one_outline_under_its_curve():
    ends = np.array([0.0, 1.0])
    curve = Curve("calibration", "C", ends, ends, "x", "y", low=ends - 0.1, high=ends + 0.1, band="90 % band")
    (picture,) = pictures([curve])
    line, *_, band = picture.marks
    assert (band.x.tolist(), band.y.tolist()) == ([0.0, 1.0, 1.0, 0.0], [0.1, 1.1, 0.9, -0.1])
    assert band.rank == line.rank == 0
    assert picture.note == "Band: 90 % band."
    drawn = svg(picture)
    assert drawn.index('class="area"') < drawn.index('class="line"')
    (picture,) = pictures([replace(curve, low=None, high=None, band="no band: why", error=0.0003)])
    assert len(picture.marks) == 2  # the curve and its diagonal
    assert picture.note == "No band: why. Drawn with fewer points; at most 0.0003 off vertically."


def numbers_back(picture):
    """The points of the first path of a picture, in numbers of its axes."""
    sides = pointed(picture)
    path = re.search(r'class="line" d="([^"]+)"', svg(picture)).group(1)
    at = np.array([float(each) for each in re.findall(r"-?[0-9.]+", path)]).reshape(-1, 2)

    def back(places, low, high, start, end):
        return low + (places - start) / (end - start) * (high - low)

    return np.stack([back(at[:, 0], *sides["x"]), back(at[:, 1], *sides["y"])], 1)


@pytest.mark.parametrize("form", ["line", "steps", "steps_back"])
@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e9])
def test_a_path_stands_where_its_numbers_are(form, scale):
    x, y = np.array([0.0, 2.0, 3.0, 7.0]) * scale, np.array([1.0, -4.0, 2.0, 2.5]) * scale
    picture = Picture("t", (Marks(form, x, y, said="{x}"),))
    corners = numbers_back(picture) if form == "line" else None
    if corners is not None:
        assert corners == pytest.approx(np.stack([x, y], 1), abs=0.005 * 7 * scale)
    turns = re.search(r'd="([^"]+)"', svg(picture).split('class="line" ')[1]).group(1)
    assert (
        re.sub(r"[-0-9. ]+", "", turns) == {"line": "MLLL", "steps": "MHVHVHV", "steps_back": "MVHVHVH"}[form]
    )


def test_a_gap_interrupts_the_line():
    x = np.arange(5.0)
    picture = Picture("t", (Marks("line", x, np.array([0, 1, np.nan, 1, 0.0])),))
    assert re.sub(r"[-0-9. ]+", "", re.search(r'class="line" d="([^"]+)"', svg(picture)).group(1)) == "MLML"


@pytest.mark.parametrize("rows", [(), HOSTILE])
def test_hostile_names_are_texts(rows):
    marks = [
        Marks("dots", np.arange(2.0), np.arange(2.0), name, k, said=name) for k, name in enumerate(HOSTILE)
    ]
    picture = Picture(HOSTILE[0], tuple(marks), Axis(HOSTILE[0]), Axis(HOSTILE[2]), legend=HOSTILE, rows=rows)
    root = ElementTree.fromstring(svg(picture))
    assert {each.tag for each in root.iter()} <= {"svg", "g", "path", "text", "circle"}
    assert len(swatches(picture)) == len(HOSTILE)
    json.dumps(pointed(picture), allow_nan=False)


@pytest.mark.parametrize(
    "values", [[], [np.nan], [3.0], [0.0, 0.0], [-1e300, 1e300], [1e-300, 2e-300], [1, np.inf]]
)
@pytest.mark.parametrize("form", ["line", "steps", "dots", "specks", "diamonds", "bars", "area"])
def test_any_numbers_can_be_drawn(form, values):
    each = np.array(values, float)
    drawn = svg(Picture("t", (Marks(form, each, each, width=0.1 if form == "bars" else 0.0),)))
    assert "nan" not in drawn
    assert "inf" not in drawn
    ElementTree.fromstring(drawn)


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-0.3, 0.31), (1e-9, 3e-9), (12, 8e7), (0.5, 0.5)])
def test_round_numbers_lie_inside(low, high):
    found = round_numbers(low, high, 6)
    assert len(found) <= 6
    assert found == sorted(found)
    assert low <= found[0] <= found[-1] <= high or low == high
