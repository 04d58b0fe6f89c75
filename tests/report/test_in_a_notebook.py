"""Cards in an executed notebook that nbconvert shows in JupyterLab's own style: no neighbour is touched.

Skipped, with a word, where there is no nbconvert (`pip install -e '.[docs]'`) or no Chromium.
"""

import importlib.util
import os

import pytest

from browser import CHROMIUM, DARK, looked_at
from contrast import LEAST, OF_TEXT
from wing_samples import of_wings

MISSING = [name for name in ("nbconvert", "nbclient", "ipykernel") if importlib.util.find_spec(name) is None]
pytestmark = [
    pytest.mark.skipif(
        bool(MISSING), reason=f"NOT LOOKED AT: {', '.join(MISSING)} not installed (pip install -e '.[docs]')"
    ),
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: no notebook was looked at"),
]
MADE = """
import numpy as np
import pandas as pd
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
import classay as ca

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 300)
new, old = (1 / (1 + np.exp(-(2 * y - 1 + rng.normal(0, noise, 300)))) for noise in (1.2, 1.6))
X = np.c_[new, old]
a = ca.assess(y, new)
"""
SHOWN = {
    "estimate": "a['roc_auc']",
    "assessment": "a",
    "classes": "ca.assess(np.array(['ape', 'bee', 'cat'])[y + (new > 0.8)], "
    "{'ape': 0.6 - 0.6 * new, 'bee': 0.4 + 0 * new, 'cat': 0.6 * new})",
    "comparison": "ca.compare({'new': new, 'old': old}, y)",
    "decision": "a.threshold(cost=ca.Costs(fp=1, fn=5))",
}
for own in of_wings("NOTEBOOK_CELLS"):
    SHOWN |= own
OWN = "# Mine\n\nSome *text*, and a table:\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"
FRAME = "pd.DataFrame({'a': [1, 2], 'b': ['x', 'y']})"
FORM = """
from IPython.display import HTML
HTML('<form><label><input type=radio name=tab checked>a</label></form><h5 class=tile>h</h5>')
"""
THEMES = {"light": (), "dark": DARK}
PROBE = (
    f"<script>const LEAST = {LEAST}; {OF_TEXT}"
    """
addEventListener('load', () => setTimeout(() => {
  const cards = [...document.querySelectorAll('.classay-card')];
  const own = e => !e.closest('.classay-card') && !e.querySelector('.classay-card');
  const others = [...document.querySelectorAll('body *')].filter(e => own(e) && !e.closest('script, style, head'));
  const sized = /^(block|inline|perspective|transform)|width|height/;
  const told = () => others.map(e => {
    const s = getComputedStyle(e), box = e.getBoundingClientRect();
    return [e.tagName, ...[...s].filter(p => !sized.test(p)).map(p => p + s.getPropertyValue(p)),
      box.left, box.width].join(';');
  });
  const words = cards.flatMap(c => [...c.querySelectorAll('*')]).filter(e => e.getClientRects().length &&
    [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) && !e.closest('style, svg'));
  const faint = words.filter(e => contrast(e) < LEAST).map(e => e.tagName + ' ' + e.textContent.trim().slice(0, 40));
  const beyond = cards.flatMap(c => [...c.querySelectorAll('*')]).filter(e => e.getClientRects().length &&
    e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + ' ' + e.className);
  const seen = cards.map(c => [...c.querySelectorAll('.tabs section')].map(s => s.getClientRects().length > 0));
  const heights = cards.map(c => c.getBoundingClientRect().height);
  const after = told();
  cards.forEach(c => c.remove());
  const before = told();
  parent.postMessage(JSON.stringify({
    name: window.name, cards: cards.length, words: words.length, faint, beyond, seen, heights,
    compared: after.length, touched: after.filter((each, k) => each !== before[k]).map(e => e.slice(0, 60)),
  }), '*');
}, 500));
</script>"""
)


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """Executed by a kernel: headings, text, a frame of pandas and forms of the reader's own between the cards."""
    import nbformat
    from nbclient import NotebookClient

    make = nbformat.v4
    made = make.new_notebook(cells=[make.new_code_cell(MADE)])
    for code in ["0", *SHOWN.values()]:
        made.cells += [make.new_code_cell(code), make.new_markdown_cell(OWN)]
        made.cells += map(make.new_code_cell, (FRAME, FORM))
    NotebookClient(made, kernel_name="python3", timeout=300).execute(
        cwd=str(tmp_path_factory.mktemp("notebook")), env=dict(os.environ)
    )
    return made


@pytest.mark.parametrize("theme", THEMES)
def test_cards_in_a_notebook_touch_nobody(notebook, theme, tmp_path):
    from nbconvert import HTMLExporter

    exporter = HTMLExporter(template_name="lab", theme=theme)
    exporter.mathjax_url = exporter.require_js_url = exporter.jquery_url = ""
    html, _ = exporter.from_notebook_node(notebook)
    pages = {("notebook", width): html for width in (700, 1280)}
    for (_, width), seen in looked_at(pages, tmp_path, PROBE, THEMES[theme]).items():
        assert seen["cards"] == len(SHOWN), width
        assert seen["compared"] > 100
        assert seen["touched"] == []
        assert seen["words"] > 100
        assert seen["faint"] == []
        assert seen["beyond"] == []
        assert all(height > 30 for height in seen["heights"])
        assert all(sum(tabs) <= 1 for tabs in seen["seen"]), "one tab of each card is open"
        assert sum(map(sum, seen["seen"])) >= len(SHOWN) - 1
