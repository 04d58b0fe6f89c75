"""The budget of a page: what was asked is seen before a reader tires, however much there is to show.

Before something is unfolded, no page is higher than `MOST`; on paper everything stands.
Skipped where there is no browser.
"""

import pytest

from engines import ENGINES
from large_pages import PAGES
from shared import made_once
from wing_samples import of_wings

MOST = {1280: 4000, 390: 6000}
LARGEST = 1_500_000
"""Bytes of a page."""
PROBE = """<script>
addEventListener('load', () => setTimeout(() => {
  const height = () => document.documentElement.scrollHeight, folded = height();
  const closed = () => document.querySelectorAll('details:not([open])').length, before = closed();
  dispatchEvent(new Event('beforeprint'));
  const boxes = [...document.querySelectorAll('figure')].map(e => e.getBoundingClientRect()).filter(r => r.width);
  const over = boxes.flatMap((a, i) => boxes.slice(i + 1).filter(b =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2));
  const narrowest = Math.min(999, ...boxes.map(r => r.width));
  const printed = closed(), whole = height();
  const scrolled = [...document.querySelectorAll('.box')].filter(e => e.getClientRects().length &&
    !e.querySelector('.matrix, .square') && e.scrollWidth > e.clientWidth + 1)
    .map(e => e.textContent.trim().slice(0, 60));
  dispatchEvent(new Event('afterprint'));
  parent.postMessage(JSON.stringify({
    name: window.name, height: folded, wide: document.documentElement.scrollWidth, over: over.length,
    narrowest, before, printed, scrolled, after: closed(),
    whole, first: (document.querySelector('main section:not(.verdict):not(.warnings) h2') || {}).textContent,
  }), '*');
}, 200));
</script>"""
FIRST = {
    "decision": "Cost per case over the threshold",
    "gate": "model 2 minus model 1",
    "models_14": "Measures",
    "saved_1000": "Over time",
}
"""What leads a page on which something was asked."""
for own in of_wings("LED_BY"):
    FIRST |= own


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    return made_once(
        tmp_path_factory, "large_pages", lambda: {name: make(folder) for name, make in PAGES.items()}
    )


@pytest.fixture(scope="module", params=ENGINES)
def seen(request, made, tmp_path_factory):
    pages = {(name, width): html for name, html in made.items() for width in MOST}
    folder = tmp_path_factory.mktemp("looked")
    name = f"heights_{request.param.__name__}"
    return made_once(tmp_path_factory, name, lambda: request.param(pages, folder, PROBE))


@pytest.mark.parametrize("width", MOST)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_keeps_to_its_height(name, width, seen):
    found = seen[name, str(width)]
    assert found["height"] <= MOST[width]
    assert found["wide"] <= width
    assert width < 1280 or found["scrolled"] == [], "tables of which a reader has to move a part into sight"


@pytest.mark.parametrize("width", MOST)
@pytest.mark.parametrize("name", PAGES)
def test_pictures_stand_beside_each_other_and_can_be_read(name, width, seen):
    found = seen[name, str(width)]
    assert found["over"] == 0
    assert found["narrowest"] >= 150


@pytest.mark.parametrize("name", PAGES)
def test_paper_has_all_that_is_folded(name, seen):
    found = seen[name, "1280"]
    assert found["printed"] == 0
    assert found["after"] == found["before"]
    assert found["whole"] >= found["height"]


@pytest.mark.parametrize("name", FIRST)
def test_what_was_asked_leads(name, seen):
    assert seen[name, "1280"]["first"] == FIRST[name]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_no_larger_than_allowed(name, made):
    assert len(made[name].encode()) <= LARGEST
