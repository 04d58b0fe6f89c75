"""The page of a gate against its numbers: rule, margin, direction, p-value and its limit."""

import re
from itertools import product

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student_t

import classay as ca
from classay.comparison.comparison import Comparison, ahead, finding_text
from classay.comparison.comparisons import by_rule, gate
from classay.inference.estimate import Estimate
from classay.report.document import PValue

MEASURES = {"roc_auc": ("ROC AUC", 1), "log_loss": ("log-loss", -1)}
RULES = [
    (rule, margin)
    for rule in ("non-inferior", "not-worse", "superior", "equivalent")
    for margin in (None, 0.02)
    if margin or rule in ("not-worse", "superior")
]
ENDS = [
    (-0.05, -0.03, -0.01),
    (-0.015, 0.001, 0.019),
    (-0.01, 0.03, 0.06),
    (0.021, 0.03, 0.05),
    (-0.03, -0.025, -0.021),
]


def compared(ends, measure="roc_auc", method="DeLong", df=None, level=0.95):
    low, value, high = ends
    effect = Estimate(value, low, high, level, method)
    return Comparison(
        ("new", "old"), measure, effect, 0.3, "z", "test cases", values=(0.8 + value, 0.8)
    ).changed(n=400, df=df)


@pytest.mark.parametrize(("rule", "margin"), RULES)
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(
    ("method", "df"), [("DeLong", None), ("paired t", 7.0), ("DeLong", 7.0), ("paired t", None)]
)
def test_the_p_value_of_a_rule_is_that_at_which_its_interval_meets_the_edge(
    rule, margin, measure, method, df
):
    """Of a normal interval, or of Student's t; losses with their sign reversed. It never disagrees with the verdict."""
    direction = MEASURES[measure][1]
    law = student_t(df) if method == "paired t" and df else norm
    for ends, level in product(ENDS, (0.9, 0.95)):
        made = gate(compared(ends, measure, method, df, level), rule, margin)
        low, value, high = ends if direction > 0 else sorted(-end for end in ends)
        quantile, m = law.ppf((1 + level) / 2), margin or 0

        def of_low(edge, value=value, low=low, quantile=quantile):
            return law.sf(quantile * (value - edge) / (value - low))

        def of_high(edge, value=value, high=high, quantile=quantile):
            return law.sf(quantile * (edge - value) / (high - value))

        wanted = {
            "non-inferior": of_low(-m),
            "superior": of_low(m),
            "equivalent": max(of_low(-m), of_high(m)),
            "not-worse": of_high(-m),
        }[rule]
        assert made.p == pytest.approx(wanted, rel=1e-9)
        decides = made.p <= (1 - level) / 2
        assert decides == (made.verdict.value == "fail" if rule == "not-worse" else made.passed)


@pytest.mark.parametrize(("rule", "margin"), RULES)
@pytest.mark.parametrize("measure", MEASURES)
def test_the_page_of_a_gate_names_the_better_side_the_margin_and_the_limit_of_p(rule, margin, measure):
    title, direction = MEASURES[measure]
    for ends in ENDS:
        made = gate(compared(ends, measure), rule, margin)
        document = made.document()
        (table,) = document.tables
        better = "Higher" if direction > 0 else "Lower"
        assert f". {better} {title} is better. " in table.foot
        assert ("Bars are reversed, so better values are to the right." in table.legend) == (direction < 0)
        has_edges = rule != "not-worse" and margin is not None
        assert ("Dashed line: margin." in table.legend) == has_edges
        edges = {"non-inferior": {-1}, "superior": {1}, "equivalent": {-1, 1}}.get(rule, set())
        assert ({*table.scale.edges}, table.scale.margin) == (edges, margin or 0)
        assert f"{rule}, margin 0.02, " in document.title if margin else "margin" not in document.title
        assert document.title.endswith("new compared with old")
        assert document.sections[0].title == "new minus old"
        acts = "fails" if rule == "not-worse" else "passes"
        assert f"The rule {acts} at p of 0.025 or less." in table.foot
        assert table.foot.endswith("z; 400 cases.")
        (p,) = [cell for cell in table.rows[0] if isinstance(cell, PValue)]
        assert (p.value, p.alpha) == (made.p, pytest.approx(0.025))
        hypothesis = re.search("p tests the null hypothesis of (.*?), from the interval", table.foot)[1]
        lost = "gain" if rule == "superior" else "difference" if rule == "equivalent" else "loss"
        size = f"a {lost} of 0.02 or {'more' if rule in ('non-inferior', 'equivalent') else 'less'}"
        assert hypothesis == (size if margin else f"no {lost}")
        assert made.to_dict()["verdict"] == made.verdict.value
        assert made.to_dict()["effect"]["value"] == ends[1]


@pytest.mark.parametrize("direction", [1, -1])
def test_the_page_of_the_best_model_has_its_two_values(direction):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 90)
    scores = {name: np.clip(0.3 * y + 0.7 * rng.random(90), 0.01, 0.99) for name in "abcd"}
    measure = "roc_auc" if direction > 0 else "log_loss"
    best = ca.best_of(scores, y, measure, seed=3, level=0.9)
    values = {name: ca.assess(y, score)[measure].value for name, score in scores.items()}
    chosen = max(values, key=lambda name: direction * values[name])
    assert best.model == chosen
    assert best.observed.value == pytest.approx(values[chosen])
    (section,) = [each for each in best.document().sections if each.title.endswith(f"of {chosen}")]
    rows = section.parts[0].rows
    assert [row[0].text for row in rows] == ["observed (optimistic)", "expected on new cases"]
    assert [row[1].estimate for row in rows] == [best.observed, best.corrected]
    facts = dict(best.document().facts)
    assert (facts["best"], facts["confidence level"], facts["seed"]) == (chosen, "90%", "3")
    assert best.corrected.value * direction <= best.observed.value * direction + 1e-12


@pytest.mark.parametrize(("rule", "margin"), RULES)
def test_a_table_names_what_a_rule_found(rule, margin):
    holds = {"non-inferior": "non-inferior", "superior": "superior", "equivalent": "equivalent"}
    for ends in ENDS:
        one = compared(ends)
        made, read = gate(one, rule, margin), by_rule(one, rule, margin)
        if made.verdict.value == "cannot tell":
            wanted = "inconclusive"
        elif made.passed:
            wanted = holds.get(rule, "no loss detected")
        elif rule == "equivalent":
            wanted = "different"
        else:
            wanted = "worse" if ends[2] < 0 else "not superior"
        assert finding_text(read) == wanted
        assert ahead(read) is None
        assert read.sentence == made.sentence
