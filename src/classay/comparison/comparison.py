"""Comparison: what a test of two or more classifiers found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from classay.comparison.wording import sentence_of
from classay.inference.estimate import Estimate
from classay.inference.words import p_equation
from classay.shown import Shown
from classay.texts import clean

if TYPE_CHECKING:
    from classay.comparison.cases.panel.omissions import Omissions
    from classay.comparison.practical_odds import PracticalOdds
    from classay.comparison.rules import Rule

TEST_CASES = "test cases"
Alternative = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True)
class Comparison(Shown):
    """The result of one test: effect with its interval, statistic, p-value, and what they are about.

    `models` are the names of those compared, in the order of the difference: the effect is the first less the
    second; `values` are their own values of the measure, in this order. A test of more than two has no effect
    (None), or none that is one number. `measure` is the canonical name of what is compared; `method` names the
    test and `reference` its source; `random` says what varies: test cases, training sets, data sets. `p` is
    two-sided unless the method says otherwise, NaN when there is no test, with the `reason`; `p_adjusted` is set
    by `adjusted`, with the name of the adjustment, for a `family` of so many tests.
    `statistic` has `df` degrees of freedom where it has any.
    `n` counts the units of the test: cases, discordant pairs, folds, data sets, as `units` says; `needed` is the
    number of them at which an effect as large as that observed would be shown with a power of 80 %.

    With a `rule` and the `margin` given beforehand, the interval is read by this rule, as a gate does. A posterior has
    `odds` and no p-value. `better` is 1 where more of the effect is better and -1 where less is, None where the
    measure says so.

    `level` is that of the claim, None where the interval says it; `claimed_at` is either. `side` is the sign of what
    was tested, 0 where the test names no side, None where it is the sign of the effect. `alternative` is "greater" or
    "less" of a one-sided test. `note` says why test and interval need not agree. `noise` are the Monte-Carlo standard
    errors of both ends of an interval that was drawn. `tails` are the one-sided p-values, "greater" and "less",
    where they are not half of `p` and the rest: those of distributions in steps. `omissions` are the cases that the two
    models did not answer, where they were left out.

    >>> effect = Estimate(0.02, -0.01, 0.05, level=0.95, method="Tango")
    >>> found = Comparison(("new", "old"), "accuracy", effect, 0.19, method="McNemar, mid-P", random="test cases")
    >>> found
    Comparison(accuracy of new less old: 0.020 [-0.010, 0.050] 95 %, Tango; p = 0.19, McNemar, mid-P)
    >>> print(found.sentence[:63])
    The data do not show which of new and old is better in accuracy
    """

    models: tuple[str, ...]
    measure: str
    effect: Estimate | None
    p: float
    method: str
    random: str
    statistic: float | None = None
    reference: str = ""
    n: float | None = None
    units: str = "cases"
    reason: str | None = None
    p_adjusted: float | None = None
    adjustment: str | None = None
    values: tuple[float, ...] = ()
    df: float | None = None
    needed: float | None = None
    rule: Rule | None = None
    margin: float | None = None
    odds: PracticalOdds | None = None
    better: int | None = None
    level: float | None = None
    side: int | None = None
    alternative: Alternative = "two-sided"
    note: str = ""
    noise: tuple[float, float] | None = None
    tails: tuple[float, float] | None = None
    family: int | None = None
    omissions: Omissions | None = None

    @property
    def claimed_at(self) -> float:
        """The level at which something is claimed: that of the comparison, or of its interval; 0.95 without both."""
        if self.level is not None:
            return self.level
        return (None if self.effect is None else self.effect.level) or 0.95

    def adjusted(self, p: float, adjustment: str, family: int | None = None) -> Comparison:
        """The same comparison with its p-value adjusted for the tests that belong to its family."""
        return replace(self, p_adjusted=p, adjustment=adjustment, family=family)

    @property
    def sentence(self) -> str:
        """What the test found, in one or two plain sentences; never that there is no difference."""
        return sentence_of(self)

    def __str__(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        who = " less ".join(self.models) if len(self.models) == 2 else ", ".join(self.models)
        effect = "" if self.effect is None else f": {str(self.effect)[len('Estimate(') : -1]}"
        if self.odds is not None:
            return repr(self.odds)
        p = p_equation(self.p)
        if self.p_adjusted is not None:
            p = f"{p_equation(self.p_adjusted)} ({self.adjustment})"
        return clean(f"Comparison({self.measure} of {who}{effect}; {p}, {self.method})")
