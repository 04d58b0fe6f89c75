import json
from dataclasses import replace

import numpy as np

from classay.curves.curve import Curve
from classay.report.pictures.curves import pictures, script_json
from sample_documents import sample_curves


def test_curves_of_one_name_share_a_picture():
    roc, histogram = pictures(sample_curves())
    assert [trace["type"] for trace in histogram["traces"]] == ["bar", "bar"]
    assert histogram["legend"] == ["benign", "malignant"]
    assert [trace["rank"] for trace in roc["traces"]] == [0, -1]
    assert roc["traces"][0]["text"][0] == "above every score"
    assert roc["legend"] == []


def test_a_given_reference_replaces_the_diagonal():
    ends = np.array([0.0, 1.0])
    reference = Curve("roc", "ROC", ends, 1 - ends, "x", "y", kind="reference", series="other")
    steps = Curve("roc", "ROC", ends, ends, "x", "y", kind="steps", error=0.0005)
    (picture,) = pictures([reference, steps])
    assert [(trace["rank"], trace["y"]) for trace in picture["traces"]] == [(0, [0.0, 1.0]), (-1, [1.0, 0.0])]
    assert picture["traces"][0]["line"] == {"shape": "hv"}
    assert "at most 0.0005 off" in picture["note"]


def test_script_json_has_no_way_out_and_no_nan():
    text = script_json(["</script>", "<!--", "a & b", "\u2028"])
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == ["</script>", "<!--", "a & b", "\u2028"]
    points = np.array([np.nan, np.inf, 0.123456789])
    (picture,) = pictures([Curve("c", "c", points, points, "x", "y")])
    assert picture["traces"][0]["x"] == [None, None, 0.123457]


def test_a_band_is_one_outline_under_its_curve():
    ends = np.array([0.0, 1.0])
    curve = Curve("calibration", "C", ends, ends, "x", "y", low=ends - 0.1, high=ends + 0.1, band="90 % band")
    (picture,) = pictures([curve])
    line, *_, band = picture["traces"]
    assert (band["x"], band["y"]) == ([0.0, 1.0, 1.0, 0.0], [0.1, 1.1, 0.9, -0.1])
    assert band["rank"] == line["rank"] == 0
    assert picture["note"] == "Band: 90 % band."
    (picture,) = pictures([replace(curve, low=None, high=None, band="no band: why", error=0.0003)])
    assert len(picture["traces"]) == 2  # the curve and its diagonal
    assert picture["note"] == "No band: why. Drawn with fewer points; at most 0.0003 off vertically."
