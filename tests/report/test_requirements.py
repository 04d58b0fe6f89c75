"""What was demanded, in documents: the heading names what decided, and every demand stands beside its estimate."""

from itertools import product

import pytest

from classay.comparison.comparison import Comparison
from classay.comparison.comparisons import gate
from classay.inference.estimate import Estimate
from classay.inference.requirements import Verdict, check, outcome, parse
from classay.report.document import Document
from classay.report.paper import as_markdown
from classay.report.results.compared import document_of_gate
from classay.report.results.parts import STATUS, with_requirements

OF_RULE = {
    Verdict.PASS: Estimate(0.02, -0.005, 0.045, 0.95, "t"),
    Verdict.FAIL: Estimate(-0.05, -0.06, -0.04, 0.95, "t"),
    Verdict.UNDECIDED: Estimate.bare(0.02, "no spread"),
}
OF_DEMAND = {
    Verdict.PASS: Estimate(0.95, 0.93, 0.97, 0.95, "Wilson"),
    Verdict.FAIL: Estimate(0.834, 0.811, 0.856, 0.95, "Wilson"),
    Verdict.UNDECIDED: Estimate.undefined("never predicted"),
}
DEMANDS = ("recall.low >= 0.9", "precision > 0.9")


@pytest.mark.parametrize("verdicts", [*product(Verdict, repeat=3)], ids=str)
def test_the_heading_names_what_decided_and_the_rest_as_it_came_out(verdicts):
    of_rule, *of_demands = verdicts
    found = Comparison(("new", "old"), "roc_auc", OF_RULE[of_rule], 0.2, "t", "test cases")
    outcomes = [
        outcome(parse(text)[0], OF_DEMAND[each]) for text, each in zip(DEMANDS, of_demands, strict=True)
    ]
    document = document_of_gate(gate(found, "non-inferior", 0.01), outcomes)
    worst = Verdict.of(verdicts)
    assert document.status == STATUS[worst]
    decisive, _, others = document.title.partition(" (")
    names = ("non-inferior, margin 0.01", *DEMANDS)
    decided = "; ".join(name for name, each in zip(names, verdicts, strict=True) if each is worst)
    assert decisive == (decided if others else f"{decided}, new compared with old")
    for name, each in zip(names, verdicts, strict=True):
        assert (f"{name}: {STATUS[each].lower()}" in others) == (each is not worst)
    # what did not pass is the first that is said
    assert worst is Verdict.PASS or document.verdict[0].startswith(of_rule.word.upper()) == (of_rule is worst)


def test_a_requirement_stands_beside_its_estimate():
    outcomes = check("recall.low >= 0.83 and precision > 0.5", lambda _: OF_DEMAND[Verdict.FAIL])
    made = with_requirements(Document("Assessment of a.csv", (), ("All is well.",), ()), outcomes)
    text = as_markdown(made).replace("\\", "")
    assert text.startswith(
        "### ❌ Failed: recall.low >= 0.83 (precision > 0.5: passed), in the assessment of a.csv\n"
    )
    assert "| recall.low >= 0.83 | 0.834 (0.811 to 0.856) | 0.811 | failed |" in text
    assert "| precision > 0.5 | 0.834 (0.811 to 0.856) | 0.834 | passed |" in text
    assert made.verdict == (
        "The requirement recall.low >= 0.83 is not met (lower limit 0.811; recall 0.834, 95% CI 0.811 to 0.856).",
        "All is well.",
    )


def test_the_number_that_decides_is_told_from_the_bound():
    found = check("recall >= 0.83", lambda _: Estimate(0.82996, 0.8, 0.86, 0.95, "Wilson"))[0]
    assert str(found) == "FAIL: recall >= 0.83 (value 0.82996, 95% CI 0.800 to 0.860)"
