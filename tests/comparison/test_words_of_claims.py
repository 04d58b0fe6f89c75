"""The words of a comparison against its numbers: which model, higher or lower, detected or not, and how large."""

from itertools import product

import numpy as np
import pytest

import classay as ca
from classay.comparison.claims import claim
from classay.comparison.comparison import (
    Comparison,
    Criterion,
    Multiplicity,
    SignificanceTest,
    UnitsTested,
    ahead,
    finding,
    finding_text,
    more_cases,
)
from classay.comparison.findings_differences import difference_sentence
from classay.inference.estimate import Estimate

TITLES = {
    "roc_auc": ("ROC AUC", 1),
    "log_loss": ("log-loss", -1),
    "log_loss_uncertainty": ("log-loss uncertainty", 0),
}
EFFECTS = [
    (0.123, 0.012, 0.234),
    (-0.123, -0.234, -0.012),
    (0.1, -0.2, 0.4),
    (-0.1, -0.4, 0.2),
    (0.0, -0.1, 0.1),
]
P_VALUES = [(0.001, None), (0.05, None), (0.0501, None), (0.001, 0.2), (0.001, 0.04), (0.2, 0.6)]


def compared(measure, effect, p=0.5, p_adjusted=None, alternative="two-sided", side=None, level=0.95):
    value, low, high = effect
    return Comparison(
        ("new", "old"),
        measure,
        Estimate(value, low, high, level=level, method="Newcombe"),
        p,
        "McNemar",
        "test cases",
        values=(0.5 + value, 0.5),
        test=SignificanceTest(side=side, alternative=alternative),
        multiplicity=Multiplicity() if p_adjusted is None else Multiplicity(p_adjusted, "Holm", 6),
    )


def sign(number):
    return (number > 0) - (number < 0)


def name_of(measure):
    return TITLES[measure][0]


def winner(measure, side):
    """The model that a detected difference of this sign favours; the one with the higher value if none is better."""
    return None if not side else ("new", "old")[side * (TITLES[measure][1] or 1) < 0]


@pytest.mark.parametrize("measure", TITLES)
@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.parametrize(("p", "p_adjusted"), P_VALUES)
def test_a_claim_is_what_p_and_the_sign_of_the_effect_say(measure, effect, p, p_adjusted):
    for side in (None, 1, -1, 0):
        one = compared(measure, effect, p, p_adjusted, side=side)
        tested = sign(effect[0]) if side is None else side
        decisive = p if p_adjusted is None else p_adjusted
        against = tested * sign(effect[0]) < 0
        shown, alone = (each <= 0.05 and not against for each in (decisive, p))
        found = claim(one)
        assert found.shown == shown
        assert found.side == (tested if shown else 0)
        assert found.contradicted == (decisive <= 0.05 and against)
        assert (found.alone is not None) == (alone and not shown)
        if found.alone is not None:
            assert (found.alone.shown, found.alone.side) == (True, tested)
        excludes = effect[1] > 0 or effect[2] < 0
        if found.contradicted or (p <= 0.05) == excludes:
            assert found.caveat == ""
        else:
            words = "excludes 0 although" if excludes else "includes 0 although"
            assert words in found.caveat
            assert ("is above 0.05" if excludes else "is not above 0.05") in found.caveat
            assert ("the unadjusted p is" in found.caveat) == (p_adjusted is not None)
        first = winner(measure, found.side)
        better = TITLES[measure][1] != 0
        assert ahead(one) == first
        if first is None:
            assert finding(one) == ("differ" if shown else "open")
            assert finding_text(one) == ("different" if shown else "inconclusive")
        else:
            assert finding(one) == f"{first} {'better' if better else 'higher'}"
            lower = " lower (better)" if TITLES[measure][1] < 0 else " higher"
            assert finding_text(one) == first + lower


@pytest.mark.parametrize("measure", TITLES)
@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.parametrize(("p", "p_adjusted"), P_VALUES)
def test_a_sentence_names_the_better_model_and_the_size_of_the_difference(measure, effect, p, p_adjusted):
    value, low, high = effect
    one = compared(measure, effect, p, p_adjusted)
    text, title = one.sentence, name_of(measure)
    decisive = p if p_adjusted is None else p_adjusted
    verb = "is better than" if TITLES[measure][1] else "has a higher value than"
    first = winner(measure, sign(value))
    other = "old" if first == "new" else "new"
    if p <= 0.05:
        which = "better" if TITLES[measure][1] else "higher"
        size = f"{abs(value):.3f}"
        if low * high > 0:
            size += f" (95% CI {min(abs(low), abs(high)):.3f} to {max(abs(low), abs(high)):.3f})"
        wanted = f"{first} {verb} {other} in {title} by {size}."
        if value == 0:
            wanted = f"new and old differ in {title}, but the test does not determine which is {which}."
        assert wanted in text
        assert text.startswith("Without adjustment: ") == (decisive > 0.05)
        assert ("After adjustment for 6 tests, no difference was detected (p = 0.20, Holm)." in text) == (
            decisive > 0.05
        )
    else:
        start = f"No difference in {title} was detected between new and old: "
        assert text.startswith(
            f"{start}differences from {low:.3f} to {high:.3f} are compatible with the data (95% CI)."
        )


@pytest.mark.parametrize("measure", TITLES)
@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_a_one_sided_test_has_one_limit_and_one_direction(measure, alternative):
    title, higher = name_of(measure), {"greater": "higher", "less": "lower"}[alternative]
    for effect, p in product(EFFECTS[:4], (0.01, 0.3)):
        value, low, high = effect
        one = compared(measure, effect, p, alternative=alternative)
        if p > 0.05:
            end = f"{low:.3f} or more" if alternative == "greater" else f"{high:.3f} or less"
            assert one.sentence.startswith(
                f"The one-sided test did not detect a {higher} {title} for new than for old: differences of {end}"
            )
            assert f"differences of {end} are" in difference_sentence(one, 1000)
        else:
            word, end = ("lower", low) if alternative == "greater" else ("upper", high)
            assert f"difference {value:.3f}, 95% {word} limit {end:.3f}; p = 0.010)" in difference_sentence(
                one, 1000
            )
            limit = f"(95% confidence limit {min(abs(low), abs(high)):.3f})"
            assert (limit in one.sentence) == (low * high > 0)
        turned = compared(measure, effect, p, alternative=alternative, side=-sign(value))
        if p <= 0.05:
            which = "better" if TITLES[measure][1] else "higher"
            assert turned.sentence == (
                f"The one-sided test detected a {higher} {title} for new than for old (p = 0.010), but the estimate "
                f"({value:.3f}) has the other sign, so which is {which} is not determined."
            )
            assert difference_sentence(turned, 1000) == turned.sentence


@pytest.mark.parametrize("measure", TITLES)
@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.parametrize(("p", "p_adjusted"), P_VALUES)
def test_a_headline_says_higher_of_the_higher_value(measure, effect, p, p_adjusted):
    value, low, high = effect
    text = difference_sentence(compared(measure, effect, p, p_adjusted), 1000)
    title, direction = TITLES[measure]
    decisive = p if p_adjusted is None else p_adjusted
    values = f"{0.5 + value:.3f} versus 0.500"
    kind = "" if p_adjusted is None else "unadjusted "
    size = f"difference {value:.3f}, {kind}95% CI {low:.3f} to {high:.3f}"
    family = "" if p_adjusted is None else ", adjusted for 6 tests"
    if decisive <= 0.05 and value:
        note = " (lower is better)" if direction < 0 else ""
        start = f"{title[0].upper()}{title[1:]}{note} is {'higher' if value > 0 else 'lower'} for new than for old"
        assert text.startswith(f"{start}: {values} ({size}; p = ")
        assert text.endswith(f"{family}).")
    elif decisive <= 0.05:
        assert "the test does not determine which" in text
    elif p <= 0.05:
        start = f"No difference in {title} was detected between new and old after adjustment: {values}"
        assert text.startswith(f"{start} ({size}; p = 0.20{family}; unadjusted p = 0.0010).")
    else:
        start = f"No difference in {title} was detected between new ({0.5 + value:.3f}) and old (0.500)"
        possible = (
            f"differences from {low:.3f} to {high:.3f} are compatible with the data ({kind}95% CI; p = "
        )
        assert text.startswith(f"{start}: {possible}")
        assert text.endswith(f"{family}).")


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_a_claim_has_the_level_of_its_criterion_or_of_its_interval(level):
    for factor, shown in ((1.0, True), (1.001, False)):
        p = round((1 - level) * factor, 9)
        assert claim(compared("roc_auc", EFFECTS[0], p, level=level)).shown == shown
        of_criterion = compared("roc_auc", EFFECTS[0], p).changed(level=level)
        assert of_criterion.claimed_at == level
        assert claim(of_criterion).shown == shown
    assert compared("roc_auc", EFFECTS[0]).changed(effect=None).claimed_at == 0.95


@pytest.mark.parametrize(
    ("needed", "units", "words"),
    [
        (None, "test cases", None),
        (100, "test cases", None),
        (101, "test cases", "about 1 more test cases are needed to detect it with 80% power"),
        (870, "test cases", "about 770 more test cases are"),
        (1871, "test cases", "about 1,800 more test cases are"),
        (100.2, "test cases", "about 1 more test cases are"),
        (150, "folds", "about 1.5 times as many cases are needed to detect it with 80% power"),
        (990, "folds", "about 9.9 times as many cases are"),
        (1000, "folds", "about 10 times as many cases are"),
    ],
)
def test_more_cases_are_those_that_are_lacking(needed, units, words):
    one = compared("roc_auc", EFFECTS[2]).changed(sample=UnitsTested(100, units, needed))
    text = more_cases(one)
    assert (text == "") == (words is None)
    if words is None:
        return
    assert words in text
    assert ("More folds of the same cases do not replace them." in text) == (units == "folds")
    for family, alone in ((1, False), (6, True)):
        adjusted = more_cases(one.adjusted(0.9, "Holm", family))
        assert ("(without adjustment of p)" in adjusted) == alone
    assert more_cases(one.changed(p=0.01).adjusted(0.9, "Holm", 6)) == ""  # shown alone: nobody knows
    assert more_cases(one.changed(sample=UnitsTested(None, units, needed))) == ""


@pytest.mark.parametrize("direction", [1, -1, None])
def test_the_direction_of_a_comparison_is_its_own_or_that_of_its_measure(direction):
    one = compared("roc_auc", EFFECTS[0], 0.001).changed(criterion=Criterion(better=direction))
    assert ahead(one) == ("old" if direction == -1 else "new")
    assert f"{ahead(one)} is better than" in one.sentence


@pytest.mark.parametrize("level", [0.8, 0.99])
def test_every_test_claims_at_the_level_that_was_asked_for(level):
    rng = np.random.default_rng(2)
    y, models = rng.integers(0, 2, 60), {name: rng.random(60).round(2) for name in "abc"}
    measures = ["roc_auc", "brier_score", "recall", "f1", "accuracy"]
    found = ca.compare(models, y, measures=measures, level=level)
    assert {one.claimed_at for one in (*found, *found.overall)} == {level}
    assert {one.effect.level for one in found} == {level}
    assert len(found.overall) > 0


@pytest.mark.parametrize("kind", ["scores", "predicted labels", "values"])
def test_models_that_are_equal_in_every_case_are_named_once(kind):
    """Whatever the gate or the groups; other thresholds of equal scores make other models."""
    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 2, 80), rng.random(80)
    answers = score if kind == "values" else (score > 0.5) * 1 if kind == "predicted labels" else score
    models = {"new": answers, "same": answers.copy(), "old": 1 - answers}
    by = np.arange(80) % 2
    compared = [
        ca.compare_values(each, bounds=(0, 1), **how)
        if kind == "values"
        else ca.compare(None, y, y_pred=each, **how)
        if kind == "predicted labels"
        else ca.compare(each, y, **how)
        for each in (models, {name: models[name] for name in ("old", "new")})
        for how in ({}, {"by": by})
    ]
    texts = [[text for code, text in one.warnings if code == "equal_models"] for one in compared]
    said = f"new and same have equal {kind} in all 80 cases."
    assert texts == [[said], [said], [], []]
    if kind == "scores":
        cuts = {"new": 0.4, "same": 0.6}
        one = ca.compare({name: models[name] for name in cuts}, y, threshold=cuts)
        assert "equal_models" not in {code for code, _ in one.warnings}
        gate = ca.gate(
            ca.compare({name: models[name] for name in cuts}, y, measures=["auc"]), "non-inferior", 0.1
        )
        assert [text for code, text in gate.warnings if code == "equal_models"] == [said]
