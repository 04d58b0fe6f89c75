"""The gate: whether one model may take the place of another, by a rule fixed beforehand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import isnan
from typing import Literal, cast, get_args

from classay.comparison.comparison import Comparison
from classay.comparison.references import cite
from classay.comparison.wording import direction_of
from classay.errors import InputError, nearest
from classay.inference.estimate import Estimate, number
from classay.inference.requirements import Outcome, Verdict, check
from classay.kinds import checked, shown
from classay.shown import Shown

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
        """Pass, fail, or undecided where there is no interval, or where the draws of the interval do not settle it."""
        return Verdict.UNDECIDED if self.unsettled else self.outcome.verdict

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
        from classay.comparison.gate_sentences import SENTENCES

        return SENTENCES[self.rule](self)

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
        return "worse" if self.difference.high < -(self.margin or 0) else "open"

    def __str__(self) -> str:
        return f"{self.verdict.value.upper()} ({self.rule}): {self.sentence}"


@checked
def gate(comparison: Comparison | Iterable[Comparison], rule: Rule, margin: float | None = None) -> Gate:
    """Hold a rule against a comparison of two models, the first the new one, the second the old.

    Comparisons that are one are taken as it.

    - "non-inferior": passes when the new model is shown to be worse by less than the margin, that is when the low end
      of the interval of its difference (turned so that more is better) is above -margin. A small test fails it.
    - "not-worse": fails only when the new model is shown to be worse, when the high end is below 0. A small test
      passes it easily, which the sentence says with the loss that remains possible.
    - "superior": passes when the new model is shown to be better, by more than the margin if there is one.
    - "equivalent": passes when the interval lies within ± margin (two one-sided tests, TOST). A small test fails it.

    The interval's level decides: at 0.95 each rule errs at most with chance 0.025, as far as the interval covers;
    equivalence is usually claimed at 0.05, by the interval of level 0.90 (`interval_level`). It is undecided where
    there is no interval. Raises InputError for an unknown rule, a margin that is missing, not positive or of no use,
    or a measure that is neither better higher nor lower.

    >>> effect = Estimate(0.002, -0.004, 0.008, level=0.95, method="DeLong")
    >>> found = Comparison(("new", "old"), "roc_auc", effect, 0.51, method="z, DeLong", random="test cases")
    >>> print(gate(found, "non-inferior", 0.01))
    PASS (non-inferior): In ROC AUC new is not worse than old by 0.01 or more, the margin given beforehand: ...
    >>> gate(found, "superior").verdict
    <Verdict.FAIL: 'fail'>
    """
    check_rule(rule, margin)
    comparison = _one(comparison)
    if comparison.rule == "equivalent" and rule != "equivalent":
        raise InputError(
            f"the comparison was made for the rule 'equivalent', whose interval has the level "
            f"{number((_turned(comparison).level or 0) * 100)} %: compare again for the rule {rule!r}."
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


def _one(found: Comparison | Iterable[Comparison]) -> Comparison:
    """The comparison itself, or the only one of several."""
    if isinstance(found, Comparison):
        return found
    if not isinstance(found, Iterable):
        raise InputError(
            f"a gate is for a comparison, and {shown(found)} is none: pass what `compare` returns."
        )
    several = list(found)
    if not all(isinstance(each, Comparison) for each in several):
        raise InputError("a gate is for one comparison: pass what `compare` returns.")
    if len(several) != 1:
        raise InputError(
            f"a gate is for one comparison, and {len(several)} are given: pass one, such as "
            f"found[{several[0].measure if several else 'roc_auc'!r}]."
        )
    return several[0]


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


def by_rule(comparison: Comparison, rule: Rule, margin: float | None) -> Comparison:
    """The comparison read by a rule: its interval decides, and no p-value of no difference stands beside it.

    Raises InputError as `gate` does.
    """
    effect, reference = comparison.effect, comparison.reference
    if rule == "equivalent" and reference:
        reference = f"{reference}; {cite('schuirmann1987')}"
    has_interval = effect is not None and effect.has_interval
    why = None if effect is None else effect.reason
    made = replace(
        comparison,
        method=(effect.method if effect is not None and has_interval else None) or comparison.method,
        reference=reference,
        rule=rule,
        margin=margin,
        p=float("nan"),
        p_adjusted=None,
        adjustment=None,
        reason=BY_INTERVAL if has_interval else comparison.reason or why,
        statistic=None,
        df=None,
        needed=None,
    )
    gate(made, rule, margin)
    return made


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
