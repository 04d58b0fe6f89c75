"""Every kind of page in Chromium, narrow and wide: no column a letter wide, nothing over the edge, no error.

Skipped, with a word, where there is no Chromium.
"""

import json
import re
import shutil
import subprocess
from functools import cache
from html import unescape

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from learners import noise
from sample_results import RESULTS

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: no page was looked at")

PROBE = """<script>
addEventListener('error', e => (window.faults ||= []).push(e.message));
addEventListener('securitypolicyviolation', e => (window.faults ||= []).push(e.violatedDirective));
console.error = console.warn = text => (window.faults ||= []).push(String(text));
addEventListener('load', () => setTimeout(() => {
  const seen = e => e.getClientRects().length > 0;
  const lines = e => {
    const range = document.createRange();
    range.selectNodeContents(e);
    return new Set([...range.getClientRects()].map(r => Math.round(r.bottom / 4))).size;
  };
  const data = document.getElementById('data');
  const said = figure => {
    const plot = figure.querySelector('svg.plot'), box = plot.getBoundingClientRect();
    const picture = JSON.parse(data.textContent)[+figure.dataset.place], scale = box.width / picture.size[0];
    const marks = picture.marks[0], k = Math.floor(marks.x.length / 2);
    const at = (side, v) => (side[2] + (v - side[0]) / (side[1] - side[0]) * (side[3] - side[2])) * scale;
    plot.dispatchEvent(new PointerEvent('pointermove', {
      clientX: box.left + at(picture.x, marks.x[k]), clientY: box.top + at(picture.y, marks.y[k]),
    }));
    const told = figure.querySelector('.told');
    return told.hidden ? '' : told.textContent;
  };
  const cells = [...document.querySelectorAll('td, th')].filter(seen).filter(e => !e.querySelector('svg, div'));
  const scrolls = e => e && (getComputedStyle(e).overflowX !== 'visible' || scrolls(e.parentElement));
  const beyond = [...document.querySelectorAll('main *')].filter(seen)
    .filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !scrolls(e.parentElement));
  parent.postMessage(JSON.stringify({
    name: window.name,
    width: innerWidth,
    scrolls: document.documentElement.scrollWidth,
    tall: cells.filter(e => lines(e) > 8).map(e => e.textContent.trim().slice(0, 60)),
    beyond: beyond.map(e => e.tagName + ' ' + e.className + ' ' + e.textContent.trim().slice(0, 40)),
    faults: window.faults || [],
    requests: performance.getEntriesByType('resource').map(e => e.name),
    cells: cells.length,
    pointed: [...document.querySelectorAll('figure[data-place]')].filter(seen).map(said),
  }), '*');
}, 300));
</script>"""


LISTEN = """
addEventListener('message', e => {
  const place = document.createElement('pre');
  place.textContent = e.data;
  document.body.append(place);
});
"""


@cache
def rows():
    """Truth of 240 cases, two scores, groups and clusters."""
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 2, 240)
    scores = {
        "gradient boosting, tuned": 1 / (1 + np.exp(-(2 * truth - 1 + rng.normal(0, 1.2, 240)))),
        "logistic regression": 1 / (1 + np.exp(-(2 * truth - 1 + rng.normal(0, 1.6, 240)))),
    }
    return truth, scores, np.where(rng.random(240) < 0.3, "St. Mary's Hospital, emergency ward", "other")


def assessment():
    truth, scores, _ = rows()
    return ca.assess(truth, scores["logistic regression"])


def clustered():
    truth, scores, _ = rows()
    return ca.assess(truth, scores["logistic regression"], cluster=np.arange(240) // 4)


def classes():
    rng = np.random.default_rng(1)
    truth = rng.choice(["owl", "barn swallow", "great crested grebe", "kite"], 200)
    names = np.unique(truth)
    scores = rng.dirichlet(np.ones(4), 200) + 1.5 * (truth[:, None] == names)
    return ca.assess(truth, dict(zip(names, (scores / scores.sum(1, keepdims=True)).T, strict=True)))


def slices():
    truth, scores, ward = rows()
    return ca.assess_by(truth, scores["logistic regression"], by=ward)


def comparison():
    truth, scores, _ = rows()
    return ca.compare(scores, truth)


def gate():
    return ca.gate(comparison()["roc_auc"], "non-inferior", margin=0.05)


@cache
def evaluation():
    X, y = noise()
    return ca.evaluate({"tree": DecisionTreeClassifier(random_state=0), "naive Bayes": GaussianNB()}, X, y)


def learners():
    return ca.compare(evaluation())


def decision():
    truth, scores, _ = rows()
    amount = np.arange(240) % 40 + 1.0
    a = ca.assess(truth, scores["logistic regression"], amounts={"amount": amount})
    return a.threshold(cost=ca.Costs(fp=3, fn="amount"), where="recall >= 0.5")


def cost_curves():
    truth, scores, _ = rows()
    return ca.cost_curves(scores, truth, cost=ca.Costs(fp=1, fn=3))


def balanced():
    X, y = noise(shares=(0.8, 0.2))
    return ca.evaluate({"naive Bayes": GaussianNB()}, X, y, protocol="2x5", balance="upsample")


def decomposition():
    return ca.decompose(DecisionTreeClassifier(random_state=0), *noise(), rounds=20)


def path():
    tree = DecisionTreeClassifier(random_state=0)
    return ca.decompose_over(tree, *noise(), parameter="max_depth", values=[1, 2, 4, None], rounds=10)


def curve():
    return ca.learning_curve(GaussianNB(), *noise(), protocol="5x5")


def improvement():
    X, y = noise(200, features=3)
    labels = np.where(X[:, 0] + 0.3 * y > 0, "great crested grebe", "kite")
    learner = DecisionTreeClassifier(random_state=0)
    how = {"rounds": 10, "protocol": "5x5", "positive": "kite"}
    return ca.improve(learner, X, labels, remedies=["bagging", "regularisation"], **how)


def ensemble():
    X, y = noise(300)
    return ca.ensembles.AdaBoost(n_estimators=20, random_state=0).fit(X[::2], y[::2]).assess(X[1::2], y[1::2])


WIDTHS = (390, 768, 1280)
DRAWN = {
    *("assessment", "clustered", "classes", "comparison", "evaluation"),
    *("path", "curve", "improvement", "ensemble"),
    *("decision", "cost_curves", "balanced"),
}
"""Pages with pictures that answer a pointer."""
PAGES = {
    each.__name__: each
    for each in (
        *(assessment, clustered, classes, slices, comparison, gate, evaluation, learners),
        *(decomposition, path, curve, improvement, ensemble),
        *(decision, cost_curves, balanced),
    )
}
SAMPLES = {name.replace(" ", "-"): make for name, make in RESULTS.items()}
"""One of every kind of result, as the snapshots have them."""
FRAMES = 40
"""Pages that are looked at in one window."""


def page_of(shown, folder):
    """The page that `report` writes."""
    shown.report(folder / "report.html")
    return (folder / "report.html").read_text(encoding="utf-8")


def looked_at(pages, folder, probe=PROBE):
    """What the probe saw of each page, by its name and width: frames of one window, which may be narrow.

    It stands before the page's policy for scripts, which therefore does not bind it.
    """
    found = {}
    for chosen in batched(pages.items(), FRAMES):
        found |= looked_at_once(dict(chosen), folder, probe)
    return found


def batched(items, size):
    items = list(items)
    return [items[k : k + size] for k in range(0, len(items), size)]


def looked_at_once(pages, folder, probe):
    frames = []
    for (name, width), html in pages.items():
        (folder / f"{name}-{width}.html").write_text(
            html.replace("<head>", f"<head>{probe}"), encoding="utf-8"
        )
        frames.append(
            f'<iframe name="{name} {width}" src="{name}-{width}.html" width="{width}" height="900"></iframe>'
        )
    window = folder / "window.html"
    window.write_text(f"<body><script>{LISTEN}</script>{''.join(frames)}</body>", encoding="utf-8")
    done = subprocess.run(
        [
            *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
            *(f"--user-data-dir={folder / 'profile'}", "--window-size=1400,1000", "--dump-dom"),
            *("--virtual-time-budget=60000", window.as_uri()),
        ],
        capture_output=True,
        check=True,
        timeout=300,
    )
    found = [
        json.loads(unescape(each)) for each in re.findall("<pre>(.*?)</pre>", done.stdout.decode(), re.DOTALL)
    ]
    return {tuple(each["name"].split()): each for each in found}


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    made = {name: page_of(make(), folder) for name, make in (PAGES | SAMPLES).items()}
    return looked_at({(name, width): page for name, page in made.items() for width in WIDTHS}, folder)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", [*PAGES, *SAMPLES])
def test_every_page_can_be_read(name, width, seen):
    found = seen[name, str(width)]
    assert (found["width"], found["cells"] > 5) == (width, True)
    assert (found["faults"], found["tall"], found["beyond"], found["requests"]) == ([], [], [], [])
    assert found["scrolls"] <= width
    assert bool(found["pointed"]) == (name in DRAWN) or name in SAMPLES
    assert all(found["pointed"])


def test_a_column_one_letter_wide_is_seen(tmp_path):
    table = "<table><tr><td style='width:1px;overflow-wrap:anywhere'>unreadable</td><td>x</td></tr></table>"
    page = f"<html><head></head><body><main>{table}<p style='width: 500px'>far</p></main></body></html>"
    [found] = looked_at({("page", 390): page}, tmp_path).values()
    assert found["tall"] == ["unreadable"]
    assert [each.split()[0] for each in found["beyond"]] == ["P"]
