"""Costs that nobody named, thresholds as they are written, and savings on new cases."""

import re

import numpy as np
import pytest

import classay as ca
from classay.curves.curve import even, written
from classay.decision.cuts import Groups, resamples
from classay.inference.bootstrap.score_samples import ScoredCases
from classay.inference.estimate import Estimate
from classay.tables import ScoreTable
from classay.texts import as_sentence
from command import refusal


def rows(seed, n=300, decimals=None):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    score = 1 / (1 + np.exp(1 - 2 * y - rng.normal(size=n)))
    return y, score if decimals is None else score.round(decimals)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"fn": 5}, "the costs of false positives (fp) are not set, so 0 is used"),
        ({"fp": 1, "tp": -3}, "the costs of false negatives (fn) are not set, so 0 is used"),
        ({"fp": 0, "fn": 5}, ""),
        ({"fp": 1, "fn": 5}, ""),
    ],
)
def test_a_cost_that_nobody_named_is_said_to_be_0(given, said):
    costs = ca.Costs(**given)
    assert costs.unnamed == ca.Costs.of(given).unnamed == said
    assert eval(repr(costs), {"Costs": ca.Costs}) == costs
    d = ca.assess(*rows(0)).threshold(cost=costs)
    y, score = rows(0)
    many = ca.cost_curves({"one": score, "other": score**2}, y, cost=costs)
    for found in (d, many):
        for text in (str(found), found.to_markdown(), found.to_latex()):
            assert " ".join(text.split()).count("are not set, so 0 is used") == bool(said)
        assert (as_sentence(said) in found.to_dict()["notes"]) == bool(said)


def test_entries_that_nobody_named_are_0_in_the_contract():
    d = ca.assess(*rows(0)).threshold(cost=ca.Costs(fn=5))
    assert d.to_dict()["costs"]["entries"] == {"fp": 0, "fn": 5, "tp": 0, "tn": 0}


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(20))
def test_the_threshold_as_written_calls_the_same_cases(seed, kind):
    rng = np.random.default_rng(seed)
    scores = np.unique((rng.random(50) * 10.0 ** rng.integers(-6, 7)).astype(kind))[::-1]
    near = np.unique(np.concatenate([scores, np.nextafter(scores[::5], kind(-np.inf))]))[::-1]
    for values in (scores, near):
        for each in values:
            text = written(values, float(each))
            np.testing.assert_array_equal(values >= kind(text), values >= each)


def test_texts_side_by_side_keep_their_digits():
    assert even("0.1395", "0.16", "infinite") == ("0.1395", "0.1600", "infinite")
    assert even("1e-05", "0.16") == ("1e-05", "0.16")


@pytest.mark.parametrize("seed", range(3))
def test_every_threshold_of_a_decision_gives_its_matrix_as_written(seed):
    y, score = rows(seed)
    a = ca.assess(y, score)
    d = a.threshold(cost=ca.Costs(fp=1, fn=5))
    (text,) = d.texts_of(d.threshold.value)
    assert a.at(float(text)).confusion_matrix.counts.tolist() == d.matrix.counts.tolist()
    assert f"at scores of {text} or higher" in d.advice[0]
    for each in (*d.as_good, *(change.threshold for change in d.changes)):
        called = int((score >= float(d.texts_of(each)[0])).sum())
        assert called == int((score >= each).sum())
    table = a.gain_table(10)
    assert [(score >= float(each.text)).sum() for each in table.parts] == [
        (score >= each.threshold).sum() for each in table.parts
    ]


@pytest.mark.parametrize("seed", range(3))
def test_savings_on_new_cases_lose_the_optimism_of_the_cost(seed):
    a = ca.assess(*rows(seed))
    d = a.threshold(cost=ca.Costs(fp=1, fn=3))
    move = d.expected.objective.value - d.apparent.value
    assert d.expected.cost.per_case == d.expected.objective
    for name in ("saving_over_none", "saving_over_all"):
        honest, apparent = getattr(d.expected.cost, name), getattr(d.cost, name)
        assert honest.value == pytest.approx(apparent.value - move)
        assert honest.high - honest.low >= apparent.high - apparent.low - 1e-12
    assert d.expected.cost.total.value == pytest.approx(300 * d.expected.objective.value)
    held = a.threshold(cost=ca.Costs(fp=1, fn=3), held_back=ca.assess(*rows(9)))
    there = ca.assess(*rows(9)).at(held.threshold.value).expected_cost(ca.Costs(fp=1, fn=3))
    assert held.expected.cost.saving_over_all == there.saving_over_all


@pytest.mark.parametrize("fn", [1, 2, 4, 8, 30])
@pytest.mark.parametrize("seed", range(3))
def test_what_chance_may_explain_is_said_once_for_saving_and_range(seed, fn):
    d = ca.assess(*rows(seed, 80)).threshold(cost=ca.Costs(fp=1, fn=fn))
    _, brings, sure = d.advice
    for rival in ("nobody", "everybody"):
        what = {"nobody": "predicting no case positive", "everybody": "predicting every case positive"}[rival]
        if f"No saving was detected compared with {what}" in brings:
            assert what in sure


def test_a_frame_holds_what_would_change_as_numbers():
    found = ca.assess(*rows(0)).threshold(cost=ca.Costs(fp=1, fn=3)).frame().to_pylist()
    changed = [each for each in found if each["section"] == "If costs or prevalence change"]
    assert changed
    assert all(isinstance(each["value"], float) and each["value"] == each["value"] for each in changed)
    assert Estimate(0.5).row["value"] == 0.5


@pytest.mark.parametrize(
    ("rule", "said", "not_said"),
    [
        (
            {"cost": ca.Costs(fp=1, fn=5)},
            "The costs are 1 per false positive, 5 per false negative.",
            "not set",
        ),
        (
            {"cost": ca.Costs(fn=5, tp=-0.5)},
            "The costs of false positives (fp) are not set",
            "carries its own",
        ),
        ({"cost": ca.Costs(fp=3, fn="0.5*amount")}, "Every case has its own amount.", "not set"),
        (
            {"where": "precision >= 0.5", "maximize": "recall"},
            "The probability that the true precision meets precision >= 0.5 is about",
            "Elkan",
        ),
        ({"top": 40}, "The rule is the 40 highest scores.", "Elkan"),
    ],
)
def test_the_methods_of_a_decision_are_sentences(rule, said, not_said):
    y, score = rows(1)
    a = ca.assess(y, score, amounts={"amount": 1 + np.arange(300) % 5})
    d = a.threshold(**rule)
    text, _, references = d.methods_text().partition("\n\nReferences: ")
    assert said in text
    assert not_said not in text + references
    assert f"at least {d.texts_of(d.threshold.value)[0]} are predicted True." in text
    assert "corrects the optimism" in text
    assert "Efron 1983" in references
    assert ("Elkan 2001" in references) == ("cost" in rule)
    assert not re.search(r"\.\.|  |nan|None", text)
    held = a.threshold(**rule, held_back=ca.assess(*rows(2), amounts={"amount": np.ones(300)}))
    assert "is the value on held-out cases" in held.methods_text()
    assert "Efron 1983" not in held.methods_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--cost fn=5 fp=1", "Repeat --cost for each cost, as in --cost fp=1"),
        ("--cost FN=5", "--cost 'FN=5' is not valid. Did you mean fn=5"),
    ],
)
def test_costs_written_otherwise_are_told_how(tmp_path, words, said):
    (tmp_path / "p.csv").write_text("y,p\n1,0.9\n0,0.1\n")
    assert said in refusal("decide", tmp_path / "p.csv", "--truth", "y", "--score", "p", *words.split())


def test_of_each_group_as_many_are_left_out_as_are_expected():
    """c (1 - 1/c)^d of c cases alike of which d were drawn: no case is left out of a group of one that was drawn."""
    table = ScoreTable(np.array([0.9, 0.6, 0.3]), np.array([1, 2, 7]), np.array([3, 1, 40]))
    cases = ScoredCases(table)
    held = np.stack([table.positives, table.negatives])
    for inside, outside in resamples(cases, Groups.of(table, 0)):
        drawn, left = (np.stack([each.positive[:, 0], each.negative[:, 0]], 1) for each in (inside, outside))
        np.testing.assert_allclose(left, held * (1 - 1 / held) ** drawn, rtol=1e-12)


@pytest.mark.parametrize("unit", [1.0, 0.1, 0.7, 1 / 3])
def test_calling_everybody_costs_as_much_as_nobody_in_any_unit(unit):
    """12 positives missed at 2 cost as much as 8 negatives acted on at 3."""
    d = ca.assess([1] * 12 + [0] * 8, [0.3, 0.6] * 10).threshold(cost=ca.Costs(fp=3 * unit, fn=2 * unit))
    assert d.calls_nobody
    assert d.expected.cost.saving_over_all.value == 0
    assert ", the same cost" in d.advice[1]


@pytest.mark.parametrize("rule", [{"cost": ca.Costs(fp=1, fn=5)}, {"maximize": "f1"}])
def test_an_interval_on_new_cases_holds_the_one_on_these(rule):
    """Also of scores of five values; the objective is worse by the mean optimism of resamples, as recall is."""
    rng = np.random.default_rng(6)
    y = rng.random(120) < 0.35
    score = np.clip(np.round(rng.normal(size=120) + 1.2 * y + 1.5), 0, 4)
    d = ca.assess(y, score, positive=True).threshold(**rule)
    pairs = [
        (d.expected.objective, d.apparent),
        *((d.expected.measures[name], d.measures[name]) for name in d.measures),
    ]
    for expected, apparent in pairs:
        assert expected.method == f"optimism-corrected; {apparent.method}"
        assert expected.low <= apparent.low < apparent.high <= expected.high
    worse = []
    for _ in range(600):
        drawn = rng.integers(0, 120, 120)
        by_value = [np.bincount(score[rows].astype(int), y[rows], 5) for rows in (drawn, slice(None))]
        counts = [np.bincount(score[rows].astype(int), minlength=5) for rows in (drawn, slice(None))]
        found = []
        for positives, cases in zip(by_value, counts, strict=True):
            tp, called = (np.append(each[::-1].cumsum()[::-1], 0) for each in (positives, cases))
            fp, fn = called - tp, positives.sum() - tp
            found.append((fp + 5 * fn) / 120 if "cost" in rule else 2 * tp / (2 * tp + fp + fn))
        best = found[0].argmin() if "cost" in rule else found[0].argmax()
        worse.append(found[1][best] - found[0][best])
    assert d.expected.objective.value - d.apparent.value == pytest.approx(np.mean(worse), abs=0.012)
