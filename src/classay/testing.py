"""Gates in tests: assertions that fail with the sentence a person needs.

from classay.testing import assert_gate, assert_requirements

def test_release(new, old):
    assert_requirements(new, "recall.low >= 0.9 and precision > 0.5")
    assert_gate(comparison, "non-inferior", margin=0.01)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from classay.assessment.assessment import Assessment
from classay.assessment.perspectives import PrevalenceAdjusted
from classay.assessment.required import InParts, known, outcomes_of
from classay.comparison.comparison import Comparison
from classay.comparison.comparisons import gate
from classay.decision.costs import Costs
from classay.errors import InputError
from classay.inference.requirements import Verdict, parse
from classay.kinds import Rule


def assert_requirements(
    assessment: Assessment | InParts | PrevalenceAdjusted,
    *texts: str,
    cost: Costs | Mapping[str, float | str] | None = None,
) -> None:
    """Fail unless the estimates of an assessment meet every requirement.

    An undefined estimate fails too.

    Parameters
    ----------
    assessment : Assessment, GroupAssessments or PrevalenceAdjusted
        The estimates. With groups (`assess_by`), `recall[region=north] >= 0.9` applies to one group,
        `recall[region=*] >= 0.9` to every group, and `recall >= 0.9` to all cases. For another prevalence
        pass `a.at_prevalence(0.01)`.
    *texts : str
        Requirements.
    cost : Costs or mapping, optional
        What errors cost. Requirements may then name `expected_cost` (per case), `total_cost`,
        `normalised_expected_cost`, `saving_over_none`, `saving_over_all`, `total_saving_over_none` and
        `total_saving_over_all`.

    Raises
    ------
    AssertionError
        If a requirement is not met.
    InputError
        If there is no requirement.

    Examples
    --------
    >>> from classay import assess
    >>> assert_requirements(assess([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1]), "recall >= 0.9")
    >>> assert_requirements(assess([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1]), "recall.low >= 0.9")
    Traceback (most recent call last):
    AssertionError: FAIL: recall.low >= 0.9 (lower limit 0.342; recall 1.000, 95% CI 0.342 to 1.000)
    """
    __tracebackhide__ = True
    if not texts:
        raise InputError("No requirement is set. Pass one, such as 'recall.low >= 0.9'.")
    costs = None if cost is None else Costs.of(cost)
    demands = [each for text in texts for each in parse(text)]
    columns = assessment.columns if isinstance(assessment, InParts) else ()
    known(demands, costs, columns)
    outcomes = outcomes_of(demands, assessment, costs)
    wrong = [str(each) for each in outcomes if each.verdict is not Verdict.PASS]
    if wrong:
        raise AssertionError("\n".join(wrong))


def assert_gate(
    comparison: Comparison | Iterable[Comparison],
    rule: Rule,
    margin: float | None = None,
    *,
    inconclusive: Literal["fail", "pass"] = "fail",
) -> None:
    """Fail unless a comparison, new model first, passes a rule of `gate`.

    Parameters
    ----------
    comparison : Comparison or iterable of Comparison
        The comparison of two models.
    rule : {"non-inferior", "not-worse", "superior", "equivalent"}
        What the interval of the difference must show.
    margin : float, optional
        Largest acceptable difference, above 0 and prespecified.
    inconclusive : {"fail", "pass"}, default "fail"
        What an inconclusive verdict does.

    Raises
    ------
    AssertionError
        If the gate fails.
    """
    __tracebackhide__ = True
    found = gate(comparison, rule, margin)
    if not (found.passed or (inconclusive == "pass" and found.verdict is Verdict.UNDECIDED)):
        raise AssertionError(str(found))
