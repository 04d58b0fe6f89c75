"""Every sentence of a decision against its numbers: savings of both signs, conditions, ranges, and who is called."""

from dataclasses import replace
from itertools import product
from math import inf, nan

import numpy as np
import pytest

import classay as ca
from classay.assessment.findings_decision import findings_on_decision
from classay.decision.decision import Conditions, Kept, OtherThresholds
from classay.decision.rules import Rule
from classay.inference.estimate import Estimate, format_estimate
from classay.inference.requirements import Requirement

Y = np.arange(60) % 3 == 0
P = np.clip(0.3 + 0.3 * Y + 0.15 * np.sin(np.arange(60)), 0, 1).round(1)
COST = ca.assess(Y, P).threshold(cost=ca.Costs(fp=1, fn=3))
SAVED = {
    "saves": Estimate(0.25, 0.125, 0.375, 0.95, "draws"),
    "may save": Estimate(0.25, -0.125, 0.375, 0.95, "draws"),
    "just may save": Estimate(0.25, 0.0, 0.375, 0.95, "draws"),
    "bare": Estimate.bare(0.25, "no spread"),
    "none": Estimate.bare(0.0, "no spread"),
    "may lose": Estimate(-0.25, -0.375, 0.125, 0.95, "draws"),
    "loses": Estimate(-0.25, -0.375, -0.125, 0.95, "draws"),
    "loses for sure": Estimate.bare(-0.25, "no spread"),
}
WHO = {"nobody": "predicting no case positive", "everybody": "predicting every case positive"}


def finding(d, *codes):
    """The sentence of the finding of one of these codes; None without one."""
    said = {each.code: each for each in findings_on_decision(d)}
    return next((said[code].sentence for code in codes if code in said), None)


def with_savings(over_none, over_all, **more):
    cost = replace(COST.expected.cost, saving_over_none=over_none, saving_over_all=over_all)
    return replace(COST, expected=replace(COST.expected, cost=cost), **more)


@pytest.mark.parametrize("name", SAVED)
@pytest.mark.parametrize("rival", WHO)
@pytest.mark.parametrize("allowed", [("nobody", "everybody"), ("nobody",), ("everybody",), ()])
def test_a_saving_is_over_the_better_of_the_trivial_rules_that_are_allowed(name, rival, allowed):
    saved, much = SAVED[name], Estimate(0.5, 0.4, 0.6, 0.95, "draws")
    pair = (saved, much) if rival == "nobody" else (much, saved)
    d = with_savings(*pair, conditions=Conditions((), allowed))
    over = dict(zip(WHO, pair, strict=True))
    assert d.savings == {whom: over[whom] for whom in WHO if whom in allowed}
    open_ = {"may save", "just may save", "may lose"}
    assert d.rivals == ((rival,) if rival in allowed and name in open_ else ())
    text, brings = finding(d, "saving", "no_saving"), d.advice[1]
    value = format_estimate(d.expected.objective, " per case")
    assert brings.startswith(f"The expected cost on new cases is {value}, compared with")
    rest = brings.partition("used to choose the threshold.")[2].strip()
    if not allowed:
        assert (text, rest) == (None, "")
        return
    if rival not in allowed:
        (rival,), saved, name = allowed, much, "saves"
    who = WHO[rival]
    size = format_estimate(saved, " per case")
    if name in open_:
        wanted = f"No saving was detected compared with {who}: the difference is {size}."
        assert text == wanted
    else:
        verb, more = ("costs", " more") if saved.value < 0 else ("saves", "")
        amount = replace(saved, value=abs(saved.value))
        if saved.has_interval:
            amount = replace(
                amount, low=min(abs(saved.low), abs(saved.high)), high=max(abs(saved.low), abs(saved.high))
            )
        amount = format_estimate(amount, f"{more} per case")
        wanted = f"Compared with {who}, this rule {verb} {amount}."
        assert text == wanted
    if saved.value > 0:
        assert rest == wanted
        return
    its_cost = format_estimate(Estimate.bare(d.expected.cost.per_case.value + saved.value, ""))
    start = f"{who[0].upper()}{who[1:]} costs {its_cost} per case"
    if saved.value == 0:
        assert rest == f"{start}, the same cost."
        return
    less = format_estimate(replace(saved, value=0.25, low=-saved.high, high=-saved.low))
    end = "" if name != "may lose" else " No difference was detected."
    assert rest == f"{start}, {less} less.{end}"


@pytest.mark.parametrize("name", ["saves", "loses", "may save"])
@pytest.mark.parametrize("periods", [None, 1, 30])
def test_a_saving_is_told_by_period_and_of_the_cases_it_is_of(name, periods):
    saved, much = SAVED[name], Estimate(0.5, 0.4, 0.6, 0.95, "draws")
    rule = replace(COST.rule, top=20.0, periods=periods, period="day")
    d = with_savings(saved, much, rule=rule)
    text = finding(d, "saving", "no_saving")
    cases = 1 if periods is None else 60 / periods
    ends = sorted((abs(saved.low) * cases, abs(saved.high) * cases))
    by_day = format_estimate(Estimate(abs(saved.value) * cases, *ends, 0.95, "draws"), " per day")
    assert text.endswith(f", or {by_day}.") == (periods is not None and name != "may save")
    assert (f"or {by_day}" in d.advice[1]) == (periods is not None and name == "saves")
    assert ("per day" in d.advice[1]) == (periods is not None and name == "saves")
    on_these = replace(d, expected=replace(d.expected, cost=None), here=replace(d.here, cost=d.expected.cost))
    assert " on the cases used to choose it" not in text
    assert " on the cases used to choose it" in finding(on_these, "saving", "no_saving")
    assert (" on these cases" in on_these.advice[1]) == (name != "loses")
    no_score = replace(on_these, how_expected="those on these cases, because no score was used")
    assert " on the cases used to choose it" not in finding(no_score, "saving", "no_saving")
    bare = replace(d, here=replace(d.here, cost=None), expected=replace(d.expected, cost=None))
    assert finding(bare, "saving", "no_saving") is None


CERTAIN, LIKELY, UNSURE = (
    Estimate(1.0, 1.0, 1.0, 0.95, "certain"),
    Estimate(0.8, 0.72, 0.9, 0.95, "Wilson"),
    Estimate.bare(0.8, "no spread"),
)
DEMANDS = [Requirement("recall", "value", ">=", 0.7), Requirement("precision", "value", ">=", 0.9)]


def kept(*chances):
    return tuple(
        Kept(demand, LIKELY, expected, chance)
        for demand, (expected, chance) in zip(DEMANDS, chances, strict=False)
    )


@pytest.mark.parametrize(
    ("chances", "told", "rank"),
    [
        ([(LIKELY, 0.9)], 0, 2.5),
        ([(LIKELY, 0.95)], 0, 3.5),
        ([(LIKELY, 0.9), (LIKELY, 0.4)], 1, 2.5),
        ([(LIKELY, 0.4), (LIKELY, 0.9)], 0, 2.5),
        ([(LIKELY, 0.99), (UNSURE, nan)], 1, 2.5),
        ([(UNSURE, nan), (LIKELY, 0.2)], 0, 2.5),
        ([(CERTAIN, 1.0)], 0, 3.5),
        ([(UNSURE, 0.97)], 0, 3.5),
    ],
)
@pytest.mark.parametrize("everybody", [False, True])
def test_the_condition_that_holds_least_surely_is_told(chances, told, rank, everybody):
    """One of which nobody knows comes before all others."""
    d = replace(COST, conditions=Conditions(kept(*chances)))
    if everybody:
        d = replace(d, threshold=Estimate.bare(-inf, "best"))
    demand, (expected, chance) = DEMANDS[told], chances[told]
    name = demand.name
    if np.isnan(chance):
        wanted = brief = f"Whether {demand} holds on new cases cannot be estimated."
    elif expected.low == expected.high:
        whom = "every case is" if everybody else "no case is"
        wanted = brief = f"The condition {demand} holds on new cases, because {whom} predicted positive."
    else:
        start = f"The true {name} meets {demand} with a probability of about {100 * chance:.0f}%"
        ends = ", 95% CI 72% to 90%" if expected is LIKELY else ""
        brief = f"{start} (normal approximation; expected {name} 80%{ends})."
        wanted = f"{start} (normal approximation; expected value {format_estimate(expected)})."
    found = {each.code: each for each in findings_on_decision(d)}["condition"]
    assert (found.sentence, found.rank) == (brief, rank)
    assert found.evidence["condition"] == str(demand)
    assert found.evidence["probability"] == (None if np.isnan(chance) else chance)
    assert d.advice[2] == wanted


RANGES = {"none": None, "one": (0.4, 0.4), "some": (0.3, 0.6)}


@pytest.mark.parametrize("range_", RANGES)
@pytest.mark.parametrize("threshold", ["interval", "tested", "bare", "nobody"])
@pytest.mark.parametrize("rivals", [(), ("nobody",), ("nobody", "everybody")])
def test_the_range_of_thresholds_is_told_with_the_rules_that_do_as_well(range_, threshold, rivals):
    value = {
        "interval": Estimate(0.4, 0.3, 0.5, 0.95, "bootstrap percentile, 1,000 resamples"),
        "tested": Estimate(0.4, 0.3, 0.5, 0.95, "bootstrap percentile and binomial test, 1,000 resamples"),
        "bare": Estimate.bare(0.4, "every resample chooses the same threshold"),
        "nobody": Estimate.bare(inf, "no score is best"),
    }[threshold]
    may, sure = SAVED["may save"], Estimate(0.5, 0.4, 0.6, 0.95, "draws")
    texts = {0.3: "0.3", 0.4: "0.4", 0.5: "0.5", 0.6: "0.6"}
    pair = (may if whom in rivals else sure for whom in WHO)
    d = with_savings(*pair, threshold=value, as_good=RANGES[range_], others=OtherThresholds(texts=texts))
    rivals = tuple(whom for whom in rivals if threshold != "nobody" or whom != "nobody")
    assert d.rivals == rivals
    others = " or ".join(WHO[whom] for whom in rivals)
    too = f" On new cases, {others} does not differ detectably either." if others else ""
    however = f" On new cases, however, {others} does not differ detectably." if others else ""
    sure_text, said = d.advice[2], finding(d, "other_thresholds")
    if range_ == "some":
        assert (
            sure_text
            == f"Thresholds from 0.3 to 0.6 do not differ detectably from the chosen threshold.{too}"
        )
        assert said == (
            "Thresholds from 0.3 to 0.6 do not differ detectably in expected cost from the chosen threshold."
        )
        return
    assert said is None
    if range_ == "one":
        wanted = (
            f"A threshold of 0.4 does not differ detectably from the chosen threshold.{too}"
            if threshold == "nobody"
            else f"The adjacent thresholds are detectably worse.{however}"
        )
    elif value.has_interval:
        wanted = "The 95% CI of the threshold is 0.3 to 0.5."
    else:
        wanted = f"The variation of the threshold cannot be estimated: {value.reason}."
    assert sure_text == wanted
    first = finding(d, "threshold")
    assert ("The 95% CI of the threshold is 0.3 to 0.5." in first) == (threshold == "tested")
    of_resamples = "In 95% of resamples, the chosen threshold is within 0.3 to 0.5."
    assert (of_resamples in first) == (threshold == "interval")


@pytest.mark.parametrize("value", [inf, -inf, 0.4])
@pytest.mark.parametrize(
    ("rule", "prevalence"), [*product([{"cost": {"fp": 1, "fn": 3}}, {"top": 20}], [None, 0.125])]
)
def test_the_first_sentence_says_whom_to_predict_positive(value, rule, prevalence):
    d = replace(
        COST,
        rule=Rule.of(**rule),
        threshold=Estimate.bare(value, "why"),
        decided_on=replace(COST.decided_on, prevalence=prevalence),
    )
    at = "" if prevalence is None else " at a prevalence of 12.5%"
    why = d.rule.text
    if value == inf and "top" in rule:
        why = "more than 20 share the highest score"
    (what, so), found = (("class True", "positive (True)"), finding(d, "threshold"))
    if value == 0.4:
        called = int((COST.threshold.value <= P).sum())
        share = f"{called} of 60 cases"
        assert d.share_called == share
        assert d.advice[0] == f"Predict {so} at scores of 0.4 or higher, in {share} ({d.rule.text}{at})."
        assert found == f"Predict {what} at scores of 0.4 or higher, in {share} ({d.rule.text}{at})."
        assert (d.calls_nobody, d.calls_everybody) == (False, False)
    else:
        who = "no case" if value > 0 else "every case"
        end = "" if value > 0 else " at any score"
        assert d.advice[0] == f"Predict {who} as {so}{end} ({why})."
        assert found == f"Predict {who} as {what}{end} ({why}{at})."
        assert (d.calls_nobody, d.calls_everybody) == (value > 0, value < 0)


def test_an_expected_value_that_is_not_known_is_not_given():
    gone = replace(COST, expected=replace(COST.expected, objective=Estimate.undefined("why not")))
    assert finding(gone, "expected_on_new_cases") == (
        "The expected cost on new cases cannot be estimated (why not)."
    )
    assert gone.advice[1] == (
        "The expected cost on new cases cannot be estimated (why not). On these cases, the cost is "
        f"{format_estimate(COST.apparent, ' per case')}."
    )
    by_measure = ca.assess(Y, P).threshold(maximize="recall", where="precision >= 0.5")
    expected = replace(by_measure.expected, objective=LIKELY)
    for uses_no_score, cases in ((False, 60), (True, 250)):
        d = replace(by_measure, expected=expected, decided_on=replace(by_measure.decided_on, cases=cases))
        if uses_no_score:
            d = replace(d, how_expected="those on these cases, because no score was used")
        digits = "80% (95% CI 72% to 90%)" if cases == 60 else "80.0% (95% CI 72.0% to 90.0%)"
        assert finding(d, "expected_on_new_cases") == f"The expected recall on new cases is {digits}."
        text = f"The expected {d.objective} on new cases is {format_estimate(LIKELY)}"
        here = format_estimate(Estimate.bare(d.apparent.value, ""))
        more = "." if uses_no_score else f", compared with {here} on the cases used to choose the threshold."
        assert d.advice[1] == text + more
    weighted = ca.assess(Y, P, weight=1 + np.arange(60) % 2).threshold(cost=ca.Costs(fp=1, fn=3))
    share = (1 + np.arange(60) % 2)[weighted.threshold.value <= P].sum() / 90
    assert weighted.share_called == f"{100 * share:.3g}% of the weight"


def test_no_estimator_has_a_threshold_that_calls_all_alike():
    pytest.importorskip("sklearn")
    for value, whom in ((inf, "no"), (-inf, "every")):
        d = replace(COST, threshold=Estimate.bare(value, "why"))
        with pytest.raises(
            ca.InputError, match=f"Predicting {whom} case positive is best and needs no threshold"
        ):
            d.apply(None)
