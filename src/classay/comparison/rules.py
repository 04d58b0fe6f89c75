"""The rules of a gate, fixed beforehand: what each asks of the interval of a difference, and what was decided."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan
from typing import TYPE_CHECKING, Literal, cast, get_args

from classay.comparison.claim import direction_of
from classay.comparison.gate_sentences import sentence_of
from classay.errors import InputError, nearest
from classay.inference.estimate import Estimate, number
from classay.inference.requirements import Outcome, Verdict, check
from classay.shown import Shown
from classay.texts import clean

if TYPE_CHECKING:
    from classay.comparison.comparison import Comparison

Rule = Literal["non-inferior", "not-worse", "superior", "equivalent"]
DIFFERENCE = "difference"
BY_INTERVAL = "the interval decides the rule"
_HOLDS = {
    "non-inferior": "non-inferior",
    "not-worse": "not shown worse",
    "superior": "better",
    "equivalent": "equivalent",
}


SETTLED = 2.0
"""Monte-Carlo standard errors between a drawn end and the edge of a rule from which the verdict stands."""


@dataclass(frozen=True)
class Gate(Shown):
    """A rule held against a comparison of a new model with an old one.

    `difference` is the effect turned so that more is better for the new model; `outcome` the condition on it that
    the rule is, with the verdict; `margin` is None for a rule without one.
    """

    rule: Rule
    margin: float | None
    comparison: Comparison
    difference: Estimate
    outcome: Outcome

    @property
    def verdict(self) -> Verdict:
        """Pass, fail, or undecided: without an interval, where its draws do not settle it, or where omissions are
        one-sided."""
        return Verdict.UNDECIDED if self.unsettled or self.is_one_sided else self.outcome.verdict

    @property
    def is_one_sided(self) -> bool:
        """Whether it would pass on the answered cases alone, and the unanswered ones favour one of the models.

        It stands where it also passes with every unanswered case counted as wrong for the model that left it out.
        """
        found = self.comparison.omissions
        if found is None or self.outcome.verdict is not Verdict.PASS or not found.is_one_sided:
            return False
        return not self.passes_at_worst

    @property
    def passes_at_worst(self) -> bool:
        """Whether the rule passes with every unanswered case counted as wrong."""
        found = self.comparison.omissions
        if found is None or found.worst is None:
            return False
        worst = replace(self.comparison, effect=found.worst, omissions=None, noise=None)
        return held(worst, self.rule, self.margin).outcome.verdict is Verdict.PASS

    @property
    def unsettled(self) -> str:
        """Why other draws might give another verdict, of an interval that was drawn; empty where they hardly could.

        An end that decides is within two Monte-Carlo standard errors of the edge of the rule.
        """
        if self.comparison.noise is None or self.outcome.verdict is Verdict.UNDECIDED:
            return ""
        low, high = self.comparison.noise[:: direction_of(self.comparison)]
        near = [
            (end, error, edge)
            for end, error, edge in self._edges(low, high)
            if abs(end - edge) <= SETTLED * error
        ]
        if not near or (self.outcome.verdict is Verdict.FAIL and self._fails_elsewhere(low, high)):
            return ""
        end, error, edge = near[0]
        return (
            f"the end of the interval that decides, {number(end)}, has a Monte-Carlo standard error of "
            f"{number(error)}, and the edge of the rule is {number(edge)}: other draws may decide otherwise"
        )

    def _edges(self, low: float, high: float) -> list[tuple[float, float, float]]:
        """The ends that decide the rule, with their Monte-Carlo errors and the edges they are held against."""
        margin = self.margin or 0.0
        below = (self.difference.low, low, margin if self.rule == "superior" else -margin)
        above = (self.difference.high, high, 0.0 if self.rule == "not-worse" else margin)
        return {"not-worse": [above], "equivalent": [below, above]}.get(self.rule, [below])

    def _fails_elsewhere(self, low: float, high: float) -> bool:
        """Whether another end fails the rule whatever the draws, as may be of equivalence."""
        (end, error, edge), *more = self._edges(low, high)
        beyond = [edge - end > SETTLED * error] if self.rule == "equivalent" else []
        return any([*beyond, *(end - edge > SETTLED * error for end, error, edge in more)])

    @property
    def passed(self) -> bool:
        """Whether the gate opens; what cannot be told does not open it."""
        return self.verdict is Verdict.PASS

    @property
    def sentence(self) -> str:
        """The verdict in plain words, with what it does not say."""
        return sentence_of(self)

    @property
    def condition(self) -> str:
        """What the rule demands of the difference, as a requirement is written."""
        if self.rule == "equivalent":
            return f"{DIFFERENCE}.low > {-(self.margin or 0)!r} and {DIFFERENCE}.high < {self.margin!r}"
        return str(self.outcome.requirement)

    @property
    def finding(self) -> str:
        """What is shown, in a word: the rule where it holds, the contrary where that is shown, else "open"."""
        if self.verdict is not Verdict.FAIL:
            return _HOLDS[self.rule] if self.passed else "open"
        if self.rule == "equivalent":
            beyond = max(self.difference.low, -self.difference.high) > (self.margin or 0)
            return "differ" if beyond else "open"
        # of a superior model the margin is asked of the better side: worse is worse without it
        edge = 0.0 if self.rule == "superior" else -(self.margin or 0)
        return "worse" if self.difference.high < edge else "open"

    def __str__(self) -> str:
        return clean(f"{self.verdict.value.upper()} ({self.rule}): {self.sentence}")


def held(comparison: Comparison, rule: Rule, margin: float | None = None) -> Gate:
    """A rule held against a comparison of two models; `gate` says what each rule asks. Raises InputError as it does."""
    check_rule(rule, margin)
    margin = None if margin is None else float(margin)
    if comparison.rule == "equivalent" and rule != "equivalent":
        raise InputError(
            f"the comparison was made for the rule 'equivalent', whose interval has the level "
            f"{number((_turned(comparison).level or 0) * 100)} %: compare again for the rule {rule!r}."
        )
    if comparison.alternative != "two-sided":
        raise InputError(
            f"the comparison is one-sided ({comparison.alternative!r}), and a rule reads both ends of its interval: "
            "compare again without alternative=."
        )
    if len(comparison.models) != 2:
        raise InputError(f"a gate is for two models, and {len(comparison.models)} were compared.")
    turned = _turned(comparison)
    condition = {
        "non-inferior": f"{DIFFERENCE}.low > {-(margin or 0)!r}",
        "not-worse": f"{DIFFERENCE}.high >= 0",
        "superior": f"{DIFFERENCE}.low > {margin or 0.0!r}",
        "equivalent": f"{DIFFERENCE}.low > {-(margin or 0)!r} and {DIFFERENCE}.high < {margin or 0!r}",
    }[rule]
    outcomes = check(condition, lambda _: turned)
    worst = Verdict.of(each.verdict for each in outcomes)
    decisive = next(each for each in outcomes if each.verdict is worst)
    return Gate(rule, margin, comparison, turned, decisive)


def interval_level(rule: Rule | None, level: float) -> float:
    """The level of the interval by which a rule is claimed at a level: 2 · level - 1 for equivalence, else the same.

    Two one-sided tests at 1 - level are the two-sided interval of level 2 · level - 1 (Schuirmann 1987). Raises
    InputError for equivalence at a level of 0.5 or less.

    >>> round(interval_level("equivalent", 0.95), 2), interval_level("superior", 0.95)
    (0.9, 0.95)
    """
    if rule == "equivalent" and level <= 0.5:
        raise InputError(f"level is {level!r}: equivalence is claimed at a level above 0.5, such as 0.95.")
    return 2 * level - 1 if rule == "equivalent" else level


def check_rule(rule: str | None, margin: float | None) -> None:
    """Refuse an unknown rule, or a margin that is missing, of no use, or without a rule. Raises InputError."""
    if rule is None:
        if margin is not None:
            raise InputError(
                "a margin belongs to a rule: pass rule= (--rule) too, 'equivalent', 'non-inferior' or 'superior'."
            )
        return
    rules = get_args(Rule)
    if rule not in rules:
        raise InputError(
            f"the rule {rule!r} is not known{nearest(str(rule), rules) or '.'} Pass one of {', '.join(rules)}."
        )
    _check_margin(cast(Rule, rule), margin)


def _check_margin(rule: Rule, margin: float | None) -> None:
    if margin is not None and not 0 < margin < float("inf"):
        raise InputError(
            f"margin is {margin!r}: pass a positive number, the loss that would still be acceptable."
        )
    if rule in ("non-inferior", "equivalent") and margin is None:
        what = "loss" if rule == "non-inferior" else "difference"
        raise InputError(
            f"the rule {rule!r} needs a margin, the {what} that would still be acceptable, fixed beforehand: pass "
            "margin= (--margin), such as 0.01."
        )
    if rule == "not-worse" and margin is not None:
        raise InputError("the rule 'not-worse' takes no margin: leave it out, or use 'non-inferior'.")


def _turned(comparison: Comparison) -> Estimate:
    """The effect with more better for the first model."""
    turn = direction_of(comparison)
    if turn == 0:
        raise InputError(
            f"{comparison.measure} is no measure of which more or less is better: gate on one that is."
        )
    effect = comparison.effect
    if effect is None or isnan(effect.value):
        return Estimate.undefined(comparison.reason or "there is no difference to judge")
    if turn == 1:
        return effect
    return Estimate(-effect.value, -effect.high, -effect.low, effect.level, effect.method, effect.reason)
