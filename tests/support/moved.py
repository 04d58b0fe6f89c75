"""The threshold of a page as a test moves it: what to do in the page, what is read there, and what it should be."""

import numpy as np
import pytest

RATES = (
    *("recall", "specificity", "precision", "negative_predictive_value"),
    *("accuracy", "f1", "matthews_correlation"),
)
PROBE = """<script>
addEventListener('error', e => (window.faults ||= []).push(e.message));
addEventListener('load', () => setTimeout(() => {
  const set = (id, value, kind) => {
    const field = document.getElementById(id);
    if (!field) return;
    field.value = value;
    field.dispatchEvent(new Event(kind, {bubbles: true}));
  };
  const read = () => {
    const data = document.getElementById('data'), rings = {};
    const pictures = data ? JSON.parse(data.textContent) : [];
    document.querySelectorAll('figure[data-name]').forEach(figure => {
      const mark = figure.querySelector('svg.plot .mark'), ring = figure.querySelector('.mark .ring');
      if (!ring || mark.style.display === 'none') return;
      const picture = pictures[+figure.dataset.place];
      const back = (side, v) => side[0] + (v - side[2]) / (side[3] - side[2]) * (side[1] - side[0]);
      const at = name => +ring.getAttribute(name);
      rings[figure.dataset.name] = [back(picture.x, at('cx')), back(picture.y, at('cy'))];
    });
    const all = (name, value) => Object.fromEntries(
      [...document.querySelectorAll('[data-' + name + ']')].map(e => [e.dataset[name], value(e)]));
    return {
      rates: all('rate', e => e.querySelector('b').textContent),
      intervals: all('rate', e => e.querySelector('.interval')?.textContent ?? ''),
      counts: all('count', e => e.textContent),
      said: document.getElementById('slider').getAttribute('aria-valuetext'),
      slider: +document.getElementById('slider').value,
      dashed: [...document.querySelectorAll('.again')].filter(e => e.style.display !== 'none').length,
      costs: all('cost', e => e.value),
      exactly: document.getElementById('exactly').value,
      rings,
    };
  };
  const seen = [read()];
  for (const step of STEPS) {
    if ('press' in step) document.getElementById(step.press).click();
    else if ('slide' in step) set('slider', step.slide, 'input');
    for (const id of ['cost-fp', 'cost-fn', 'cost-tp', 'prevalence']) if (id in step) set(id, step[id], 'input');
    if ('at' in step) set('exactly', step.at, 'change');
    seen.push(read());
  }
  parent.postMessage(JSON.stringify({
    name: window.name, seen, faults: window.faults || [],
    thinned: [...document.querySelectorAll('p.scripted')].map(e => e.textContent).join(),
  }), '*');
}, 300));
</script>"""


def rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.3
    return truth, 1 / (1 + np.exp(0.5 - 1.5 * truth - rng.normal(size=n)))


def number(text):
    return np.nan if text == "not defined" else float(text.replace(",", ""))


def same(shown, found, size=0.00051):
    """Whether a text is a number, as exact as three decimals are."""
    expected = found if isinstance(found, float) else found.value
    return number(shown) == pytest.approx(expected, abs=size, nan_ok=True)


def same_counts(shown, a):
    """Whether the cells of the page are those of the matrix."""
    tp, fp, fn, tn = a.confusion_matrix.one_vs_rest(a.positive)
    expected = {"tp": tp, "fp": fp, "fn": fn, "tn": tn, "called": tp + fp, "not-called": fn + tn}
    size = 0 if a.kind_of_weight == "none" else 0.051
    return all(number(shown[name]) == pytest.approx(each, abs=size, rel=0) for name, each in expected.items())
