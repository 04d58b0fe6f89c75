"""Every sentence of a gate, and of several comparisons together, against the numbers it is about."""

from itertools import combinations_with_replacement, product
from math import ceil, inf, nan

import pytest
from scipy.stats import norm
from scipy.stats import t as student

from classay.comparison.comparison import (
    Comparison,
    Multiplicity,
    SignificanceTest,
    UnitsTested,
    finding,
)
from classay.comparison.findings_differences import (
    MAX_MEASURES,
    _of_pairs,
    _other_measures,
    difference_sentence,
    number_of_cases,
)
from classay.comparison.findings_gates import findings_on_gate, findings_on_rule
from classay.comparison.gate_rules import apply_rule
from classay.inference.estimate import Estimate
from classay.inference.requirements import Verdict

ENDS = (-0.3, -0.05, -0.02, 0.0, 0.02, 0.05, 0.3)
GRID = [ends for ends in combinations_with_replacement(ENDS, 2) if ends[0] < ends[1]]
RULES = [
    *product(("non-inferior", "equivalent"), (0.02, 0.1)),
    *product(("not-worse", "superior"), (None, 0.02, 0.1)),
]
TITLES = {"roc_auc": ("ROC AUC", 1), "log_loss": ("log-loss", -1), "recall": ("recall", 1)}
CASES = 200


def compared(low, high, measure="roc_auc", **more):
    """The interval is that of a gain: of a measure of which less is better it is turned."""
    sign = TITLES[measure][1]
    ends = sorted((sign * low, sign * high))
    effect = Estimate(sign * (low + high) / 2, *ends, 0.95, "DeLong")
    sample = UnitsTested(CASES, "test cases")
    values = (0.5 + effect.value, 0.5)
    return Comparison(
        ("new", "old"),
        measure,
        effect,
        0.3,
        "z, DeLong",
        "test cases",
        **({"sample": sample, "values": values} | more),
    )


def text_of(measure, value, decimals=3):
    """A difference as sentences write it: shares in percentage points."""
    sign = TITLES[measure][1]
    if measure == "recall":
        return f"{100 * value:.1f} percentage points".replace("-0.0 ", "0.0 ")
    return f"{sign * value:.{decimals}f}".replace("-0.000", "0.000")


def where_it_passes(rule, low, high, names, interval):
    """The sentence of a rule that passes."""
    title, m = names
    at = f"at a margin of {m} {interval}."
    if rule == "equivalent":
        return f"new and old are equivalent in {title} {at}"
    if rule == "superior":
        return (
            f"new is superior to old in {title}{f' by more than the margin of {m}' if m else ''} {interval}."
        )
    if rule == "non-inferior":
        start = "superior to old in {}, and so non-inferior" if low > 0 else "non-inferior to old in {}"
        return f"new is {start.format(title)} {at}"
    text = f"new has no detected loss{f' beyond the margin of {m}' if m else ''} in {title} compared with old"
    if low > 0:
        return f"new is better than old in {title} {interval}."
    more = f" A loss of up to {-low:.3f} is compatible with the data, and a small sample can pass this rule."
    return f"{text} {interval}.{more if low < 0 else ''}"


def where_it_fails(rule, low, high, names, interval):
    """The sentence of a rule that fails."""
    title, m = names
    beyond = f" by more than the margin of {m}" if m else ""
    if rule == "equivalent":
        return f"new and old differ in {title}{beyond} {interval}."
    if rule == "superior" and high >= 0:
        return f"new is not superior to old in {title}{beyond} {interval}."
    return f"new is worse than old in {title}{beyond if rule != 'superior' else ''} {interval}."


def where_it_is_open(rule, low, high, names, interval):
    """The sentence of a rule of which neither side is shown."""
    title, m = names
    loss = {
        "non-inferior": f"a loss of {m} or more",
        "not-worse": f"a loss of more than {m}" if m else "a loss",
        "superior": f"a gain of {m} or less" if m else "a difference of 0 or less",
        "equivalent": f"a difference of {m} or more",
    }[rule]
    who = f"The comparison of new with old in {title} is inconclusive, because"
    return f"{who} {loss} is compatible with the data {interval}."


SENTENCE = {Verdict.PASS: where_it_passes, Verdict.FAIL: where_it_fails, Verdict.UNDECIDED: where_it_is_open}
WORD = {Verdict.PASS: "PASS", Verdict.FAIL: "FAIL", Verdict.UNDECIDED: "INCONCLUSIVE"}


@pytest.mark.parametrize("measure", TITLES)
@pytest.mark.parametrize(("rule", "margin"), RULES)
def test_the_verdict_of_a_gate_in_words(rule, margin, measure):
    title = TITLES[measure][0]
    m = "" if margin is None else f"{margin:g}"
    names = title.replace("recall", "recall (sensitivity)"), m
    for low, high in GRID:
        gate = apply_rule(compared(low, high, measure), rule, margin)
        effect = gate.comparison.effect
        value, *ends = (f"{end:.3f}" if end else "0" for end in (effect.value, effect.low, effect.high))
        interval = f"(difference {value}, 95% CI {' to '.join(ends)})"
        wanted = SENTENCE[gate.verdict](rule, low, high, names, interval)
        assert gate.sentence.startswith(wanted), (low, high)
        assert gate.sentence == wanted or gate.is_open
        holds = {"not-worse": "not shown worse", "superior": "better"}.get(rule, rule)
        against = "differ" if rule == "equivalent" else "worse" if high < 0 else "not better"
        found = {Verdict.PASS: holds, Verdict.FAIL: against, Verdict.UNDECIDED: "open"}
        assert gate.finding == found[gate.verdict]


@pytest.mark.parametrize("measure", TITLES)
@pytest.mark.parametrize(("rule", "margin"), RULES)
def test_the_first_finding_of_a_gate_has_its_word_and_its_margin(rule, margin, measure):
    title = TITLES[measure][0]
    in_short = f"{100 * (margin or 0):g} percentage points" if measure == "recall" else f"{margin or 0:g}"
    for low, high in GRID:
        gate = apply_rule(compared(low, high, measure), rule, margin)
        first = findings_on_gate(gate)[0]
        assert first.sentence.startswith(f"{WORD[gate.verdict]}: ")
        assert (first.next_step == "Use more cases.") == (gate.verdict is Verdict.UNDECIDED)
        is_plainly_worse = gate.verdict is Verdict.FAIL and rule == "superior" and high < 0
        assert (f"margin of {in_short}" in first.sentence) == (margin is not None and not is_plainly_worse)
        assert ("one-sided test of" in first.sentence) == (gate.passed and rule != "not-worse")
        if gate.verdict is Verdict.FAIL and rule == "superior":
            assert (
                f"new is {'worse than' if high < 0 else 'not superior to'} old in {title}" in first.sentence
            )


@pytest.mark.parametrize("measure", TITLES)
@pytest.mark.parametrize(("rule", "margin"), RULES)
def test_what_follows_from_a_verdict(rule, margin, measure):
    m = margin or 0.0
    edges = {"non-inferior": [-m], "not-worse": [-m], "superior": [m], "equivalent": [-m, m]}[rule]
    for low, high in GRID:
        gate = apply_rule(compared(low, high, measure), rule, margin)
        said = {one.code: one.sentence for one in findings_on_rule(gate)}
        more = said.get("gate_consequence")
        if gate.verdict is Verdict.UNDECIDED:
            inside = [text_of(measure, edge) for edge in edges if low <= edge <= high]
            assert more == (f"The 95% CI includes {' and '.join(inside)}." if inside else None)
        elif gate.passed and rule == "non-inferior" and high < 0:
            assert more == "new is worse than old, but the loss is within the margin."
        elif gate.passed and rule in ("non-inferior", "not-worse") and low > 0:
            assert more == "new is also superior (the CI excludes 0)."
        elif gate.passed and rule == "not-worse" and low < 0:
            loss = f"{-100 * low:.1f} percentage points" if measure == "recall" else f"{-low:.3f}"
            assert more == (
                f"A loss of up to {loss} is compatible with the data, and a small sample can pass this rule."
            )
        else:
            assert more is None
        wanted = (
            needed(gate, low, high, m) if gate.is_open and rule in ("non-inferior", "not-worse") else None
        )
        assert said.get("gate_more_cases") == wanted


def needed(gate, low, high, margin, df=inf, units="test cases"):
    """n ((z + z of the power) se / room)² + n z² / 2 (df + 1), where the end of the interval is at z se."""
    room = (low + high) / 2 + margin
    if room <= 0:
        return None
    z = norm.ppf(0.975)
    quantile = z if df == inf else student.ppf(0.975, df)
    se = (high - low) / 2 / quantile
    number = CASES * (((z + norm.ppf(0.8)) * se / room) ** 2 + z * z / (2 * (df + 1)))
    end = "needed to pass with 80% power if the true difference equals the observed one"
    if number >= 1e6 * CASES:
        return None
    if units == "folds":
        times = number / CASES
        many = f"{times:,.0f}" if times >= 10 else f"{times:.1f}"
        return (
            f"About {many} times as many cases are {end}. More folds of the same cases do not replace them."
        )
    size = 10 ** max(0, len(str(int(number))) - 2)
    return f"About {ceil(number / size) * size:,} test cases are {end}."


@pytest.mark.parametrize(("low", "high"), [(-0.05, 0.1), (-0.05, 0.04), (-0.02, 0.02), (-0.3, 0.26)])
@pytest.mark.parametrize("units", ["test cases", "folds"])
def test_how_many_cases_pass_is_by_students_t_where_the_interval_is(low, high, units):
    one = compared(low, high).changed(test=SignificanceTest(df=12.0), sample=UnitsTested(CASES, units))
    gate = apply_rule(one, "non-inferior", 0.01)
    said = {each.code: each.sentence for each in findings_on_rule(gate)}
    df = inf if units == "folds" else 12.0
    assert said.get("gate_more_cases") == needed(gate, low, high, 0.01, df, units)
    unknown = apply_rule(one.changed(sample=UnitsTested(None, units)), "non-inferior", 0.01)
    assert "gate_more_cases" not in {each.code for each in findings_on_rule(unknown)}


@pytest.mark.parametrize("measure", TITLES)
@pytest.mark.parametrize(
    ("low", "high", "rule", "noise", "is_told"),
    [
        (-0.01, 0.2, "non-inferior", (0.005, 0.0), True),
        (-0.01, 0.2, "non-inferior", (0.0049, 9.0), False),
        (-0.3, -0.03, "non-inferior", (9.0, 0.005), True),
        (-0.3, -0.03, "non-inferior", (9.0, 0.0049), False),
        (-0.3, 0.01, "equivalent", (9.0, 9.0), False),
        (-0.01, 0.01, "equivalent", (0.0, 0.005), True),
        (-0.01, 0.01, "equivalent", (0.0, 0.0), False),
    ],
)
def test_an_end_near_the_edge_is_not_sure_where_resamples_give_it(low, high, rule, noise, is_told, measure):
    """Within two Monte Carlo standard errors; of a measure of which less is better the ends change sides."""
    noise = noise if TITLES[measure][1] > 0 else noise[::-1]
    one = compared(low, high, measure).changed(noise=noise)
    gate = apply_rule(one, rule, 0.02)
    decided = gate.outcome.verdict
    assert bool(gate.unsettled) == is_told
    assert gate.verdict is (Verdict.UNDECIDED if is_told else decided)
    if is_told:
        assert "the resampling error is too large: the deciding limit, " in gate.sentence
        assert gate.sentence.startswith("The comparison of new with old in ")
        assert {each.code for each in findings_on_rule(gate)} == {"gate_inconclusive"}


def test_without_an_interval_the_reason_is_given():
    one = compared(-0.1, 0.1).changed(effect=Estimate.bare(0.1, "one case"))
    gate = apply_rule(one, "not-worse")
    assert gate.sentence == (
        "The comparison of new with old in ROC AUC is inconclusive, because it has no CI: one case."
    )
    assert [each.next_step for each in findings_on_rule(gate)] == [""]


# -- several comparisons together ------------------------------------------------------------------


def shown_by(measure, value, p, models=("new", "old"), **more):
    effect = None if value is None else Estimate(value, value - 0.05, value + 0.05, 0.95, "DeLong")
    values = (0.5 + (value or 0), 0.5)
    sample = UnitsTested(CASES, "test cases")
    return Comparison(
        models, measure, effect, p, "z, DeLong", "test cases", sample=sample, values=values, **more
    )


OTHERS = {
    "accuracy": "accuracy",
    "f1": "F1",
    "recall": "recall",
    "log_loss": "log-loss",
    "brier_score": "Brier score",
    "specificity": "specificity",
    "precision": "precision",
    "npv": "negative predictive value",
}


def listed(names):
    if len(names) > MAX_MEASURES:
        names = [*names[: MAX_MEASURES - 1], f"{len(names) - MAX_MEASURES + 1} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


@pytest.mark.parametrize("lead", ["higher", "lower", "open"])
@pytest.mark.parametrize(
    "found",
    [
        {},
        {"accuracy": "higher"},
        {"accuracy": "higher", "f1": "higher", "recall": "lower"},
        {"log_loss": "lower", "accuracy": "higher"},
        {"log_loss": "higher", "brier_score": "higher", "recall": "open"},
        {"log_loss": "lower", "brier_score": "higher", "accuracy": "lower", "f1": "none"},
        {"accuracy": "open", "log_loss": "open"},
        {"accuracy": "none", "f1": "none"},
        dict.fromkeys(["accuracy", "f1", "recall", "specificity", "precision", "npv"], "open"),
        dict.fromkeys(["accuracy", "f1", "recall", "specificity", "precision", "npv", "log_loss"], "higher"),
        dict.fromkeys(OTHERS, "open"),
    ],
)
def test_other_measures_are_told_by_what_was_found(lead, found):
    signs = {"higher": (0.1, 0.001), "lower": (-0.1, 0.001), "open": (0.02, 0.5), "none": (None, nan)}
    first = shown_by("roc_auc", *signs[lead])
    others = [shown_by(measure, *signs[word]) for measure, word in found.items()]
    said = [*_other_measures(first, others)]
    if not found:
        assert said == []
        return
    clauses = []
    for word in ("higher", "lower"):
        for turned in (False, True):
            names = [
                OTHERS[m]
                for m, w in found.items()
                if w == word and (m in ("log_loss", "brier_score")) == turned
            ]
            if names:
                also = "also " if word == lead and not turned else ""
                meaning = (" (better)" if word == "lower" else " (worse)") if turned else ""
                verb = "is" if len(names) == 1 else "are"
                clauses.append(f"{listed(names)} {verb} {also}{word}{meaning} for new")
    for word, said_as in (("open", "inconclusive"), ("none", "not comparable")):
        some = sorted(
            (m for m, w in found.items() if w == word), key=lambda m: m in ("log_loss", "brier_score")
        )
        names = [OTHERS[m] + (" (lower is better)" if m in ("log_loss", "brier_score") else "") for m in some]
        if names:
            verb = "is" if len(names) == 1 else "are"
            start = f"the comparison{'' if len(names) == 1 else 's'} of " if word == "open" else ""
            clauses.append(f"{start}{listed(names)} {verb} {said_as}")
    (one,) = said
    assert one.sentence == " ".join(f"{clause[0].upper()}{clause[1:]}." for clause in clauses)
    assert (one.code, one.rank) == ("other_measures", 5)


PAIRS = [("a", "b"), ("a", "c"), ("b", "c")]


@pytest.mark.parametrize("detected", range(4))
@pytest.mark.parametrize("further", [(), (False,), (True,), (True, False, False), (True, True)])
def test_pairs_that_differ_have_a_sentence_and_the_others_are_counted(detected, further):
    p_values = [0.001 if k < detected else 0.25 + k / 100 for k in range(3)]
    lead = [
        shown_by("roc_auc", 0.1, p, pair).changed(multiplicity=Multiplicity(min(1.0, 3 * p), "Holm", 3))
        for p, pair in zip(p_values, PAIRS, strict=True)
    ]
    others = [shown_by("accuracy", 0.1, 0.001 if is_shown else 0.5) for is_shown in further]
    assert [finding(one) != "open" for one in lead] == [k < detected for k in range(3)]
    said = [*_of_pairs(lead, others, 3, CASES)]
    first = [one for one in said if one.code != "other_comparisons"]
    rest = [one.sentence for one in said if one.code == "other_comparisons"]
    if detected:
        assert [one.code for one in first] == [f"model_difference_{k + 1}" for k in range(min(2, detected))]
        assert [one.rank for one in first] == [1 + k for k in range(min(2, detected))]
        assert [one.sentence for one in first] == [
            difference_sentence(one, CASES) for one in lead[:2][:detected]
        ]
        count, number = max(0, detected - 2) + sum(further), 3 - min(2, detected) + len(further)
    else:
        (one,) = first
        assert one.sentence == (
            "No difference in ROC AUC was detected between any two of 3 models (smallest p after adjustment: 0.75)."
        )
        assert one.evidence == {"measure": "roc_auc", "pairs": 3, "p": 0.75}
        count, number = sum(further), len(further)
    if number == 0:
        assert rest == []
    elif number == 1:
        assert rest == [f"The other comparison is {'conclusive' if count else 'inconclusive'}."]
    elif count == number:
        assert rest == [f"A difference was detected in all {number} other comparisons."]
    else:
        assert rest == [f"A difference was detected in {count or 'none'} of the other {number} comparisons."]


def test_decimals_are_those_of_the_cases_that_were_compared():
    cases, folds = (UnitsTested(n, units) for n, units in ((120, "test cases"), (10, "folds")))
    one, two = (
        shown_by("recall", 0.1, 0.5).changed(sample=cases),
        shown_by("recall", 0.1, 0.5).changed(sample=folds),
    )
    assert number_of_cases([one, two]) == 120
    assert number_of_cases([one.changed(sample=UnitsTested(80, "cases")), one]) == 120
    assert number_of_cases([two]) == number_of_cases([one.changed(sample=UnitsTested(None, "cases"))]) == 1000
