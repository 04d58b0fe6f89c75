import json
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from io import BytesIO, StringIO, TextIOWrapper

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console

import classay as ca
from classay.assessment.charts import KINDS
from classay.curves.curve import Curve
from classay.inference.consistency import consistency_band
from classay.inference.estimate import Estimate
from classay.report import wording
from classay.report.build import report_of
from classay.report.curves import MAIN, curves_of
from classay.report.html import as_html
from classay.report.json import as_json
from classay.report.pictures import pictures, script_json
from classay.report.report import ClassRow, Group, Report, Row
from classay.report.terminal import as_text, print_report
from sample_report import HOSTILE, binary_report, estimate, multiclass_report

REPORTS = {
    "binary": binary_report(),
    "3 classes": multiclass_report(3),
    "12 classes": multiclass_report(12),
    "30 classes": multiclass_report(30),
    "hostile": multiclass_report(labels=HOSTILE),
    "empty": Report("Nothing", (), (), None, (), (), (), "", ()),
}


@pytest.fixture(params=REPORTS)
def report(request: pytest.FixtureRequest) -> Report:
    return REPORTS[request.param]


class Page(HTMLParser):
    """The tags and the visible text of a page, as a browser would see them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.scripts: list[str] = []
        self._inside = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag):
        self._inside = ""

    def handle_data(self, data):
        if self._inside == "script":
            self.scripts.append(data)
        elif self._inside != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return squeezed(" ".join(self.texts))


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def rows_of(report: Report) -> list[Row]:
    return [row for group in report.groups for row in group.rows]


# --- text


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "ascii", "cp1252", "cp437"])
@pytest.mark.parametrize("width", [60, 80, 120])
def test_text_keeps_to_width_and_encoding(report, width, encoding):
    text = as_text(report, width, encoding)
    text.encode(encoding)
    assert max(map(cell_len, text.splitlines())) <= width
    assert all(line == line.rstrip() for line in text.splitlines())
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_text_shows_every_estimate(report, width):
    text = as_text(report, width)
    lines, joined = text.splitlines(), squeezed(text)
    for row in rows_of(report):
        assert wording.value(row.estimate) in joined
        # an interval stays whole, on the line of its value
        if row.estimate.has_interval:
            both = f"{wording.value(row.estimate)}  {wording.interval(row.estimate)}"
            assert any(both in line for line in lines)
    for heading in (group.title for group in report.groups):
        assert f"\n{heading}\n" in text


def test_text_shows_reasons_verdict_warnings_and_steps():
    report = binary_report()
    text = squeezed(as_text(report, 120))
    for part in (
        *report.verdict,
        *(warning for _, warning in report.warnings),
        *report.next_steps,
        report.random,
    ):
        assert squeezed(part).replace(" ", "") in text.replace("┃", "").replace(" ", "")
    assert "undefined nothing is predicted negative, so there is nothing to divide by" in text
    assert "0.909 no interval: no valid method yet" in text
    assert text.count("warning:") == 2
    parts = ["rows", report.verdict[0][:30], "Confusion matrix", "Ranking", "At the threshold", "Classes"]
    places = [text.index(part) for part in [*parts, "What is random", "Warnings", "Next"]]
    assert places == sorted(places)


def test_matrix_names_its_axes_and_sums():
    lines = as_text(binary_report(), 80).splitlines()
    start = lines.index("Confusion matrix")
    assert [line.split() for line in lines[start + 1 : start + 6]] == [
        ["true"],
        ["predicted", "benign", "malignant", "total"],
        ["benign", "177", "4", "181"],
        ["malignant", "2", "102", "104"],
        ["total", "179", "106", "285"],
    ]


def test_many_classes_are_cut_to_the_worst():
    text = as_text(multiclass_report(30), 100)
    assert "30 by 30: too large to read here" in text
    assert "The 10 of 30 classes with the lowest F1" in squeezed(text)
    table = wording.class_table(multiclass_report(30))
    kept = [row.estimates["f1"].value for row in table.rows]
    assert kept == sorted(row.estimates["f1"].value for row in multiclass_report(30).classes)[:10]


def test_undefined_classes_do_not_crowd_out_the_worst():
    rows = [ClassRow(str(k), 5, {"f1": estimate(0.5 + k / 100)}) for k in range(25)]
    rows[0] = ClassRow("0", 0, {"f1": Estimate.undefined("never true, never predicted")})
    table = wording.class_table(replace(REPORTS["empty"], classes=tuple(rows)))
    assert [row.label for row in table.rows] == [str(k) for k in range(1, 11)]


def test_narrow_window_keeps_the_column_classes_are_chosen_by():
    text = as_text(multiclass_report(30), 60)
    heads = next(line for line in text.splitlines() if line.startswith("  class "))
    assert heads.split()[-1] == "F1"
    assert "A wider window shows more columns." in text


def test_labels_are_literal_and_short():
    text = as_text(multiclass_report(labels=HOSTILE), 120)
    matrix = text[text.index("Confusion matrix") :]
    for shown in (
        "<script>alert(1)</script>",
        "[bold]x[/bold]",
        "two\\nlines",
        "\\x1b[31mred\\x1b[0m",
        "🦊🦊",
        "…",
    ):
        assert shown in matrix
    assert "x" * 40 not in matrix


def test_ascii_labels_are_cut_between_characters():
    text = as_text(multiclass_report(labels=("日" * 60, "b")), 80, "ascii")
    assert re.search(r"^  (\\u65e5)+\.\.\. ", text, re.MULTILINE)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_console_of_a_poor_encoding(report, encoding):
    file = TextIOWrapper(BytesIO(), encoding=encoding)
    print_report(report, Console(file=file, width=80))
    file.flush()
    assert report.title in file.buffer.getvalue().decode(encoding)


def test_colour_only_where_there_is_a_terminal(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    file = StringIO()
    print_report(binary_report(), Console(file=file, width=120, force_terminal=True, color_system="256"))
    assert "⚠" in file.getvalue()
    assert "●" in file.getvalue()
    assert "\x1b[38;5;31m" in file.getvalue().replace("1;38", "38")
    monkeypatch.setenv("NO_COLOR", "1")
    file = StringIO()
    print_report(binary_report(), Console(file=file, width=120, force_terminal=True, color_system="256"))
    assert "38;5" not in file.getvalue()
    assert "●" not in file.getvalue()
    assert "warning:" in file.getvalue()
    file = StringIO()
    print_report(binary_report(), Console(file=file, width=120))
    assert file.getvalue() == as_text(binary_report(), 120, "utf-8")


def test_only_unit_measures_are_drawn():
    inside = estimate(0.5)
    assert wording.is_drawable(Row("a", "a", inside, (0, 1)))
    assert not wording.is_drawable(Row("a", "a", inside, (-1, 1)))
    assert not wording.is_drawable(Row("a", "a", inside))
    assert not wording.is_drawable(Row("a", "a", Estimate.bare(0.5, "none"), (0, 1)))


# --- HTML


def test_html_is_one_closed_page(report):
    html = as_html(report)
    page = Page(html)
    names = [tag for tag, _ in page.tags]
    assert [names.count(name) for name in ("html", "head", "body", "main", "h1")] == [1] * 5
    assert "link" not in names
    assert "img" not in names
    assert "iframe" not in names
    assert not any(
        attribute in attributes for _, attributes in page.tags for attribute in ("src", "srcset", "onload")
    )
    assert "@import" not in html.split("</style>")[0]
    assert "url(" not in html.split("</style>")[0]
    assert any(attributes.get("name") == "viewport" for _, attributes in page.tags)
    assert html.rstrip().endswith("</html>")
    html.encode("utf-8")


def test_html_shows_everything(report):
    page = Page(as_html(report)).text
    for row in rows_of(report):
        shown = f"{row.title} {wording.value(row.estimate)}"
        assert f"{shown} {wording.interval(row.estimate)}".strip() in page
        assert squeezed(wording.remark(row.estimate)) in page
    texts = [*report.verdict, report.random, *(text for _, text in report.warnings), *report.next_steps]
    for text in texts:
        assert squeezed(wording.clean(text)).replace("`", "").replace(" ", "") in page.replace(" ", "")


def test_html_draws_an_interval_for_each_unit_measure():
    tags = Page(as_html(binary_report())).tags
    dots = [attributes["cx"] for tag, attributes in tags if tag == "circle"]
    drawable = [row for row in rows_of(binary_report()) if wording.is_drawable(row)]
    assert dots == [f"{100 * row.estimate.value:.2f}%" for row in drawable]


def test_html_escapes_labels():
    curves = tuple(
        Curve("roc", label, np.array([0.0, 1.0]), np.array([0.0, 1.0]), label, label, series=label)
        for label in HOSTILE
    )
    html = as_html(replace(multiclass_report(labels=HOSTILE), title=HOSTILE[0], curves=curves))
    page = Page(html)
    assert [tag for tag, _ in page.tags].count("script") == 3
    assert html.count("</script") == 3
    assert "<!--" not in html
    assert not any("alert(1)" in script for script in page.scripts if "</script" in script)
    assert "<script>alert(1)</script>" in page.text
    assert "{{ 7 * 7 }} & 'quotes\"" in page.text
    data = next(script for script in page.scripts if script.startswith('{"pictures"'))
    assert json.loads(data)["pictures"][0]["legend"][0] == HOSTILE[0]


def test_plotly_is_embedded_once_and_only_for_curves():
    without = as_html(replace(binary_report(), curves=()))
    assert "<script" not in without
    assert len(without) < 40_000
    assert as_html(binary_report()).count("plotly.js v") <= 2


def test_backticks_become_code():
    page = as_html(binary_report())
    assert "<code>--threshold</code>" in page
    assert "one ` only" in as_html(replace(binary_report(), random="one ` only", curves=()))


# --- pictures


def test_curves_of_one_name_share_a_picture():
    roc, histogram = pictures(binary_report().curves)
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


# --- of assessments


def assessed(n=400, **how):
    rng = np.random.default_rng(0)
    score = rng.random(n)
    return ca.assess((rng.random(n) < score).astype(int), score, **how)


def test_calibration_has_a_group_and_a_curve_with_its_band():
    a = assessed(level=0.9, seed=3)
    made = a.report()
    assert [group.title for group in made.groups][:3] == ["Ranking", "Probability", "Calibration"]
    names = [row.name for row in made.groups[2].rows]
    assert names[-2:] == ["expected_calibration_error", "expected_calibration_error_null"]
    assert [*dict.fromkeys(curve.name for curve in made.curves)] == [*MAIN]
    assert [*dict.fromkeys(curve.name for curve in made.more_curves)] == [
        each for each in KINDS if each not in MAIN
    ]
    (curve,) = (each for each in made.curves if each.name == "calibration")
    band = consistency_band(a.scores, level=0.9, seed=3)
    for part in ("x", "y", "low", "high"):
        assert (getattr(curve, part) == getattr(band, part)).all()
    assert curve.band == band.band
    everything = {row.name for group in report_of(a, detail="all").groups for row in group.rows}
    assert everything == {measure.name for measure in a.applicable()}


def test_curves_are_of_what_is_there():
    clustered = assessed(cluster=np.arange(400) % 40)
    curve = curves_of(clustered)["calibration"]
    assert curve.low is None
    assert "rows of a cluster depend on each other" in curve.band
    (roc, hull) = (each for each in clustered.report().curves if each.name == "roc")
    assert "rows of a cluster are not" in roc.band
    assert hull.series == "convex hull"
    weighted = assessed(weight=np.ones(400))
    assert "sampling weights" in next(each for each in weighted.report().curves if each.name == "roc").band
    by_order = ["roc", "precision_recall", "cumulative_gain", "lift", "cost"]
    by_order_too = ["precision_recall_gain", "det", "ks_positive", "ks_negative"]
    histograms = ["histogram_positive", "histogram_negative"]
    of_probabilities = ["calibration", "net_benefit", "brier", "risk_coverage"]
    assert {*curves_of(weighted)} == {*by_order, *by_order_too, *histograms, *of_probabilities}
    scores = 5 * np.linspace(-1, 1, 20)
    logits = ca.assess(scores > 0.7, scores)
    assert {*curves_of(logits)} == {*by_order, *by_order_too, *histograms}
    assert "Calibration" not in [group.title for group in logits.report().groups]
    alone = ca.assess([0, 0], [0.2, 0.3], labels=(0, 1))
    assert {*curves_of(alone)} == {*histograms, *of_probabilities}
    assert alone.report().curves
    assert curves_of(ca.assess([0, 1], y_pred=[0, 1])) == {}
    tied = curves_of(ca.assess([0, 1, 1], [0.5] * 3))
    assert (tied["roc"].x.size, tied["calibration"].x.size) == (2, 1)


def test_json_holds_the_curves():
    a = assessed(n=30_000)
    found = json.loads(as_json(a))["curves"]
    drawn = curves_of(a)
    assert [*found] == [*drawn]
    for name, parts in found.items():
        lists = [part for part in parts.values() if isinstance(part, list)]
        assert {len(part) for part in lists} == {drawn[name].x.size}
        assert parts["x"] == drawn[name].x.tolist()
        assert 0 <= parts["error"] <= 0.0005 * max(1, *(each or 0 for each in parts["y"]))
        assert parts["x_title"]
    assert found["roc"]["threshold"][0] == "Infinity"
    assert found["roc"]["band"] is None
    assert found["roc"]["kind"] == "line"
    assert found["precision_recall"]["kind"] == "steps_back"
    assert found["calibration"]["threshold"] is None
    assert found["calibration"]["band"].startswith("95 % pointwise consistency band")
    assert found["roc"]["error"] > 0
    classes = ca.assess([0, 1, 2], [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
    assert [*classes.to_dict()["curves"]] == ["top_label_calibration"]


def test_a_page_shows_main_pictures_and_folds_the_others():
    html = as_html(assessed().report())
    page = Page(html)
    data = json.loads(next(script for script in page.scripts if script.startswith('{"pictures"')))
    titles = [picture["title"] for picture in data["pictures"]]
    assert len(titles) == len(KINDS)
    assert [tag for tag, _ in page.tags].count("details") == 1
    main, more = html.split("<details", 1)
    assert main.count('<div class="picture') - main.count('<div class="pictures') == len(MAIN)
    assert more.split("</details>")[0].count('id="picture-') == len(KINDS) - len(MAIN)
    roc = data["pictures"][0]
    assert roc["legend"] == ["ROC curve", "convex hull"]
    assert [trace.get("fill") for trace in roc["traces"]] == [None, None, None, "toself"]
    assert roc["traces"][0]["text"][0] == "above every score"
    assert data["pictures"][titles.index("Decision curve")]["legend"][1:] == ["act on all", "act on none"]
    assert data["pictures"][titles.index("Cost curve")]["legend"][1:] == ["all or nothing"]
    assert len(html) - len(as_html(replace(binary_report(), curves=binary_report().curves[:1]))) < 1_000_000


# --- words


def test_cleaning_leaves_no_control_and_no_markup_behind():
    for label in HOSTILE:
        cleaned = wording.clean(label)
        cleaned.encode("utf-8")
        assert cleaned.isprintable() or cleaned == label
    assert unescape(wording.clean("a\u202eb")) == "a\\u202eb"


def test_interval_title_names_a_common_level():
    group = Group("g", (Row("a", "a", estimate(0.5)), Row("b", "b", Estimate.undefined("x"))))
    assert wording.interval_title([group]) == "95 % interval"
    other = Group("h", (Row("c", "c", replace(estimate(0.5), level=0.9)),))
    assert wording.interval_title([group, other]) == "interval"
