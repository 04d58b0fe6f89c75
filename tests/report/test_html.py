import json
import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from itertools import chain

import numpy as np
import pytest

import classay as ca
from classay.assessment.remembered import MAIN
from classay.curves.curve import PAGE, Curve
from classay.measures import MEASURES, get
from classay.report import door, words
from classay.report.document import (
    Bar,
    Column,
    Document,
    EstimateCell,
    Figure,
    Figures,
    Label,
    Listing,
    Matrix,
    MethodCell,
    Prose,
    Section,
    Table,
    Words,
)
from classay.report.door import with_pictures
from classay.report.html import as_page, definition, style
from classay.report.results.assessments import document_of
from classay.report.results.assessments import with_pictures as with_pictures_of_all
from classay.texts import clean
from pages import Page, squeezed
from sample_documents import DOCUMENTS, HOSTILE, binary_document, multiclass_document
from sample_results import RESULTS
from wing_samples import of_wings

NARROW = ("proportion by every method", "comparison of two models", *chain(*of_wings("NARROW")))


@pytest.fixture(params=DOCUMENTS)
def document(request: pytest.FixtureRequest) -> Document:
    return DOCUMENTS[request.param]


def without_figures(document: Document) -> Document:
    kept = tuple(each for each in document.sections if not isinstance(each.parts[0], Figures))
    return replace(document, sections=kept)


def test_a_page_is_one_closed_file(document):
    html = as_page(document)
    page = Page(html)
    names = [tag for tag, _ in page.tags]
    assert [names.count(name) for name in ("html", "head", "body", "main", "h1")] == [1] * 5
    assert not {"link", "img", "iframe"} & {*names}
    assert not any(
        attribute in attributes for _, attributes in page.tags for attribute in ("src", "srcset", "onload")
    )
    assert "@import" not in html.split("</style>")[0]
    assert "url(" not in html.split("</style>")[0]
    assert any(attributes.get("name") == "viewport" for _, attributes in page.tags)
    assert html.rstrip().endswith("</html>")
    html.encode("utf-8")


def test_html_shows_everything(document):
    page = Page(as_page(document)).text.replace(" ", "")
    for table in document.tables:
        for row in table.rows:
            label, found = row[0], row[1]
            assert isinstance(label, Label)
            if isinstance(found, EstimateCell):
                shown = f"{clean(label.text)} {words.value(found.estimate)} {words.interval(found.estimate)}"
                assert squeezed(shown).replace(" ", "") in page
                assert squeezed(words.remark(found.estimate)).replace(" ", "") in page
    parts = [part for section in document.sections for part in section.parts]
    listed = [text for part in parts if isinstance(part, Listing) for _, text in part.items]
    prose = [part.text for part in parts if isinstance(part, Prose)]
    listed = [re.sub(r"[;,]? ?`--html [^`]*`[^;,]*", "", text).rstrip(".") for text in listed]
    for text in [*document.verdict, *listed, *prose]:
        assert squeezed(clean(text)).replace("`", "").replace(" ", "") in page


@pytest.mark.parametrize("name", [*DOCUMENTS, *NARROW])
def test_what_loses_its_heads_in_a_narrow_window_needs_none_or_says_them_in_each_cell(name):
    """Counts beside values have no other name; of one value, its interval, its picture and its method each is plain."""
    made = DOCUMENTS[name] if name in DOCUMENTS else door.document(RESULTS[name]())
    for table in made.tables:
        if "measures" in style(table, is_beside=False):
            assert {column.kind for column in table.columns} <= {Label, EstimateCell, Bar, MethodCell}
            assert sum(column.kind is EstimateCell for column in table.columns) == 1


def test_html_draws_an_interval_for_each_unit_measure():
    tags = Page(as_page(binary_document())).tags
    dots = [attributes["cx"] for tag, attributes in tags if tag == "circle"]
    bars = [
        cell
        for table in binary_document().tables
        for row in table.rows
        for cell in row
        if isinstance(cell, Bar)
    ]
    assert dots == [f"{100 * each.at:.2f}%" for each in bars]
    assert len(dots) == 9  # of the 17, those whose range is from 0 to 1 and that have an interval


def test_html_escapes_labels():
    curves = tuple(
        Curve("roc", label, np.array([0.0, 1.0]), np.array([0.0, 1.0]), label, label, series=label)
        for label in HOSTILE
    )
    document = multiclass_document(labels=HOSTILE)
    drawn = Section("Curves", (Figures((Figure(curves),)),))
    html = as_page(replace(document, title=HOSTILE[0], sections=(drawn, *document.sections)))
    page = Page(html)
    assert [tag for tag, _ in page.tags].count("script") == 2
    assert html.count("</script") == 2
    assert "<!--" not in html
    assert not any("alert(1)" in script for script in page.scripts if "</script" in script)
    assert "<script>alert(1)</script>" in page.text
    assert "{{ 7 * 7 }} & 'quotes\"" in page.text
    assert json.loads(page.scripts[0])[0]["marks"][0]["said"].startswith(HOSTILE[0])


def test_scripts_are_there_for_curves_only():
    without = as_page(without_figures(binary_document()))
    assert "<script" not in without
    assert len(without) < 50_000
    assert len(as_page(binary_document())) < 100_000


def test_backticks_become_code():
    document = binary_document()
    assert "<code>--threshold</code>" in as_page(document)
    lonely = Document("T", sections=(Section("S", (Prose("one ` only"),)),))
    assert "one ` only" in as_page(lonely)


def assessed(n=400, **how):
    rng = np.random.default_rng(0)
    score = rng.random(n)
    return ca.assess((rng.random(n) < score).astype(int), score, **how)


def test_a_page_runs_its_own_script_and_no_other():
    html = as_page(with_pictures(assessed()))
    policy = next(
        attributes["content"]
        for tag, attributes in Page(html).tags
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    script = html.rpartition("<script>")[2].partition("</script>")[0]
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none'")
    assert "connect-src" not in policy
    bare = as_page(Document("Nothing", sections=(Section("S", (Prose("p"),)),)))
    assert "script-src 'none'" in bare


def test_the_page_does_not_grow_with_the_rows():
    few, many = (len(as_page(with_pictures(assessed(n)))) for n in (5_000, 40_000))
    assert many < 1.2 * few
    assert many < 1_500_000


def test_every_name_of_a_measure_opens_its_definition():
    html = as_page(with_pictures(assessed()))
    tags = Page(html).tags
    targets = [a["popovertarget"] for tag, a in tags if tag == "button" and "popovertarget" in a]
    known = {a["id"] for tag, a in tags if "popover" in a}
    assert {*targets} == known
    names = {cell.name for table in with_pictures(assessed()).tables for cell in table.column(Label)} - {""}
    assert len(known) >= len(names) > 15
    text = Page(html).text
    for name in names:
        assert definition(name)["reference"] in text
        assert squeezed(definition(name)["undefined"]) in text
    assert definition("recall_at_the_readers_specificity") is None


def test_every_measure_can_be_explained():
    for name in MEASURES:
        found = definition(name)
        assert found["name"] == name
        assert all(found.values()), name
        assert found["meaning"].endswith("."), name
        assert not found["meaning"].startswith(found["title"]), name


def test_what_a_terminal_hides_is_folded():
    a = assessed()
    html = as_page(with_pictures_of_all(document_of(a, detail="all"), a))
    shown, *folded = html.split('<details class="more">')
    assert len(folded) >= 2
    for part in folded:
        assert re.match(r"\s*<summary>\d+ more measures</summary>", part)
    assert ">Accuracy</button>" in shown + "".join(part.partition("</details>")[2] for part in folded)
    assert len(Page(html).text) > len(Page(as_page(with_pictures(a))).text)


@pytest.mark.parametrize(("many", "of_page"), [(2, range(55, 70)), (4, range(40, 60))])
def test_a_page_leaves_out_what_follows_from_another_measure(many, of_page):
    """Of two classes: averages over both, and 1 minus another; text, page, `--all` and JSON hold ever more."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, many, 200)
    scores = rng.dirichlet(np.ones(many), 200) + np.eye(many)[truth]
    scores /= scores.sum(1, keepdims=True)
    a = ca.assess(truth, scores[:, 1] if many == 2 else scores)
    names = {}
    for detail in ("main", "page", "all"):
        tables = document_of(a, detail=detail).tables
        names[detail] = {cell.name for table in tables for cell in table.column(Label)} & {*MEASURES}
    assert names["main"] < names["page"] <= names["all"] == {*a.to_dict()["measures"]}
    assert len(names["page"]) in of_page
    left = {get(each) for each in names["all"] - names["page"]}
    assert all(
        each.complement or each.name.startswith(("macro_", "weighted_", "micro_", "single_")) for each in left
    )


def test_a_page_shows_main_pictures_and_folds_the_others(tmp_path):
    html = as_page(with_pictures(assessed()))
    page = Page(html)
    data = json.loads(page.scripts[0])
    assert len(data) == len(PAGE)
    shown, *folded = html.split("<details")
    of_pictures = [each.split("</details>")[0].count('<svg class="plot') for each in folded]
    assert shown.count('<svg class="plot') == len(MAIN)
    assert [each for each in of_pictures if each] == [len(PAGE) - len(MAIN)]
    # beside the main measures, those that do not follow from them
    assert all(
        any(f">{MEASURES[name].title}<" in each for each in folded)
        for name in ("gini", "smooth_calibration_error", "f2")
    )
    assert data[0]["marks"][0]["texts"][0] == "above every score"
    legends = [each.split("</ul>")[0] for each in html.split('<ul class="legend">')[1:]]
    names = [re.findall("</span>(.*?)</li>", each) for each in legends]
    assert names[0] == ["threshold 0.5"]
    beside = re.findall(r'class="tag [^"]*"[^>]*>(.*?)</text>', html)
    assert "no skill" in beside
    assert "convex hull" not in beside
    assert {"act on all", "act on none"} <= {*beside, *(name for each in names for name in each)}
    assert ["all or nothing", "this threshold, all costs", "threshold 0.5"] in names
    assert len(html) < 400_000
    assessed().report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == html


def test_words_that_begin_with_a_digit_are_no_numbers():
    rows = tuple(
        (Label("a"), Words(text), Words(number)) for text, number in (("25 to 34", "12"), ("9 of 10", "< 3"))
    )
    table = Table((Column("", Label), Column("age", Words), Column("cases", Words)), rows)
    html = as_page(Document("Ages", sections=(Section("Ages", (table,)),)))
    ages, cases = (re.findall(f'<td data-head="{head}" class="([^"]*)"', html) for head in ("age", "cases"))
    assert not any("n" in each.split() for each in ages)
    assert all("n" in each.split() for each in cases)


def test_long_facts_are_folded_where_there_are_several():
    """A page leads with what was found; one long fact stays, and a printed page unfolds all."""
    short, long, more = ("cases", "9"), ("protocol", "p" * 70), ("estimated", "e" * 70)
    one, several = (
        as_page(replace(binary_document(), facts=facts)) for facts in ((short, long), (short, long, more))
    )
    assert "protocol, estimated" not in one
    shown, folded = several.split('<details class="more"><summary>protocol, estimated</summary>')
    assert "<dd>9</dd>" in shown
    assert long[1] not in shown
    assert long[1] in folded
    assert more[1] in folded
    assert "beforeprint" in several


def test_the_name_of_a_file_may_break_behind_its_signs_in_a_title():
    title = "Assessment of p on <predictions>_of_all_regions.parquet"
    page = as_page(Document(title))
    assert "&lt;predictions&gt;_of_<wbr>all_<wbr>regions.<wbr>parquet</h1>" in page
    assert "wbr" not in as_page(Document("Assessment of a_b.csv"))


def test_a_decisions_tiles_are_of_new_cases_where_these_are_expected(tmp_path):
    """And stay where a reader moves the threshold; those of the cases that it was chosen on are below, and say so."""
    rng = np.random.default_rng(1)
    truth = np.arange(200) % 2
    d = ca.assess(truth, truth + rng.normal(0, 1.5, 200)).threshold(maximize="f1")
    d.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    (tiles,) = re.findall(r'<dl class="tiles">.*?</dl>', page, re.DOTALL)
    for name in ("recall", "specificity", "precision"):
        assert f"<b>{words.value(d.expected.measures[name])}</b>" in tiles
    assert tiles.count("on new cases") == 3
    assert "data-rate" not in tiles
    (beside,) = re.findall(r'<dl class="beside-matrix">.*?</dl>', page, re.DOTALL)
    assert all(f'data-rate="{name}"' in beside for name in d.measures)
    assert beside.count("on these cases") == len(d.measures)


def test_long_counts_of_many_classes_are_in_thousands_on_a_narrow_screen():
    labels = tuple(f"class {k}" for k in range(12))
    counts = tuple(tuple(12_041.0 if i == j else 365.0 for j in range(12)) for i in range(12))
    page = as_page(Document("T", sections=(Section("S", (Matrix(labels, counts),)),)))
    assert '<span class="long">12,041</span><span class="brief">12k</span>' in page
    assert "k: thousand cases" in page
    few = as_page(Document("T", sections=(Section("S", (Matrix(labels[:2], ((9e4, 2.0), (3.0, 8e4))),)),)))
    assert 'class="brief"' not in few
    assert ">90,000<" in few
