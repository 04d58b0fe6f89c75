"""The rules of a gate, fixed beforehand: the condition of each on the interval of a difference, and its verdict."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import InitVar, dataclass, replace
from functools import partial
from math import inf, isinf, isnan
from typing import TYPE_CHECKING, Literal, cast, get_args
from warnings import warn

from classay.comparison.claims import direction_of
from classay.comparison.gate_sentences import sentence_of
from classay.errors import InputError, nearest
from classay.inference.estimate import Estimate, number
from classay.inference.requirements import (
    Operator,
    Outcome,
    Requirement,
    Verdict,
    range_of,
    refuse_whole_range,
)
from classay.kinds import Rule
from classay.shown import Reportable
from classay.texts import clean, hint
from classay.warned import Warned

if TYPE_CHECKING:
    from classay.comparison.comparison import Comparison

LEFT_OUT, UNMATCHED, NO_ANSWERS, THRESHOLD = "left out", "unmatched", "no answer", "threshold"
"""Names of facts: rows that were not compared, cases that not every model has, cases without an answer that count as
wrong, and where scores become labels."""
GONE = (LEFT_OUT, UNMATCHED, NO_ANSWERS)
DIFFERENCE = "difference"
BY_INTERVAL = "the rule is decided by the CI"
_HOLDS = {
    "non-inferior": "non-inferior",
    "not-worse": "not shown worse",
    "superior": "better",
    "equivalent": "equivalent",
}


@dataclass(frozen=True)
class Conditions:
    """What a rule demands of the difference, new - old with more better.

    It passes where all of `passes` hold, fails where one of `fails` does, and is inconclusive between.

    >>> rule = conditions("non-inferior", 0.01)
    >>> print(*rule.passes, *rule.fails)
    difference.low > -0.01 difference.high < -0.01
    """

    passes: tuple[Requirement, ...]
    fails: tuple[Requirement, ...]

    def verdict(self, passes_by: Estimate, fails_by: Estimate | None = None) -> Verdict:
        """Return the verdict by an interval; `fails_by` is a wider one by which it fails, as of groups held at once.

        >>> rule = conditions("non-inferior", 0.01)
        >>> [rule.verdict(Estimate(0, low, high)).value for low, high in [(-.005, .02), (-.02, .02), (-.05, -.02)]]
        ['pass', 'cannot tell', 'fail']
        """
        fails_by = passes_by if fails_by is None else fails_by
        if not (passes_by.has_interval and fails_by.has_interval):
            return Verdict.UNDECIDED
        if any(_holds(demand, fails_by) for demand in self.fails):
            return Verdict.FAIL
        # where not failing is all that is demanded, the interval by which it fails decides both
        by = fails_by if all(demand.part == "high" for demand in self.passes) else passes_by
        return Verdict.PASS if all(_holds(demand, by) for demand in self.passes) else Verdict.UNDECIDED


def _holds(demand: Requirement, effect: Estimate) -> bool:
    return demand.met_by(float(getattr(effect, demand.part)))


def conditions(rule: Rule, margin: float | None = None, *, over_time: bool = False) -> Conditions:
    """The one table of the rules, for all cases and for groups, with d = new - old, more better, and the margin m.

    "non-inferior" passes where low > -m, fails where high < -m; "not-worse" fails where high < -m and passes
    otherwise (of a period held against the earlier ones only where low >= -m); "superior" passes where low > m, fails
    where high < m; "equivalent" passes where -m < low and high < m, fails where high < -m or low > m.
    """
    m = 0.0 if margin is None else float(margin)

    def of(part: Literal["low", "high"], operator: Operator, bound: float) -> Requirement:
        return Requirement(DIFFERENCE, part, operator, bound + 0.0)

    worse = of("high", "<", -m)
    if rule == "non-inferior":
        return Conditions((of("low", ">", -m),), (worse,))
    if rule == "not-worse":
        return Conditions((of("low" if over_time else "high", ">=", -m),), (worse,))
    if rule == "superior":
        return Conditions((of("low", ">", m),), (of("high", "<", m),))
    return Conditions((of("low", ">", -m), of("high", "<", m)), (worse, of("low", ">", m)))


SETTLED = 2.0
"""Monte-Carlo standard errors between a drawn end and the edge of a rule from which the verdict stands."""


def alpha_of(gate: Gate) -> float:
    """Return the one-sided p from which on a rule is decided: half of what its interval leaves out."""
    return (1 - (gate.difference.level or 0.95)) / 2


@dataclass(frozen=True)
class Gate(Reportable):
    """Rule held against a comparison of a new model with an old one.

    The rule fails if its contrary is shown, and is inconclusive otherwise (`conditions`).

    Attributes
    ----------
    rule : str
        The rule.
    margin : float or None
        Margin of the rule, or None for a rule without one.
    comparison : Comparison
        The comparison.
    difference : Estimate
        The effect, turned so that more is better for the new model.
    outcome : Outcome
        The condition of the rule on the difference, with the verdict.
    open_cannot_tell : bool, optional
        Deprecated, without effect. Every gate works so.
    facts : tuple of (str, str)
        Facts on rows that were not compared, and on the threshold.
    warnings : tuple of Warned
        Codes and texts, as of the comparisons.
    over_time : bool
        Whether a period is compared with the earlier ones.
    """

    rule: Rule
    margin: float | None
    comparison: Comparison
    difference: Estimate
    outcome: Outcome
    open_cannot_tell: InitVar[bool | None] = None
    facts: tuple[tuple[str, str], ...] = ()
    warnings: tuple[Warned, ...] = ()
    over_time: bool = False

    def __post_init__(self, open_cannot_tell: bool | None) -> None:
        super().__post_init__()
        if open_cannot_tell is not None:
            warn(
                "open_cannot_tell is deprecated and has no effect. Remove it.",
                DeprecationWarning,
                stacklevel=3,
            )

    @property
    def left_out(self) -> dict[str, str]:
        """Facts on rows that were excluded or lack a prediction, by name."""
        return {name: text for name, text in self.facts if name in GONE}

    @property
    def tested_groups(self) -> tuple[tuple[str, Verdict, str], ...]:
        """Name, verdict and reason of each tested group; none without groups."""
        return ()

    @property
    def verdict(self) -> Verdict:
        """Verdict of the rule, pass, fail or inconclusive.

        It is inconclusive if the interval shows neither the rule nor its contrary, is missing, or varies
        too much with its resamples. One-sided omissions make it inconclusive too.
        """
        return Verdict.UNDECIDED if self.unsettled or self.is_one_sided else self.outcome.verdict

    @property
    def conditions(self) -> Conditions:
        """Conditions under which the rule passes or fails."""
        return conditions(self.rule, self.margin, over_time=self.over_time)

    @property
    def is_open(self) -> bool:
        """Whether the interval shows neither the rule nor its contrary."""
        return self.outcome.verdict is Verdict.UNDECIDED and self.difference.has_interval

    @property
    def is_one_sided(self) -> bool:
        """Whether missing predictions may favor one of the models.

        The rule passes on the answered cases only. If it also passes with every unanswered case counted as
        incorrect for the model that left it out, the verdict stays.
        """
        omissions = self.comparison.omissions
        if omissions is None or self.outcome.verdict is not Verdict.PASS:
            return False
        if not (omissions.is_one_sided or omissions.is_untested):
            return False
        return not self.passes_at_worst

    @property
    def passes_at_worst(self) -> bool:
        """Whether the rule passes with every unanswered case counted as incorrect."""
        omissions = self.comparison.omissions
        if omissions is None or omissions.worst is None:
            return False
        worst = replace(self.comparison, effect=omissions.worst, omissions=None, noise=None)
        gate = apply_rule(worst, self.rule, self.margin, over_time=self.over_time)
        return gate.outcome.verdict is Verdict.PASS

    @property
    def unsettled(self) -> str:
        """Reason why other resamples might give another verdict, or empty.

        An end that decides is within two Monte-Carlo standard errors of the edge of the rule.
        """
        if self.comparison.noise is None or self.outcome.verdict is Verdict.UNDECIDED:
            return ""
        errors = dict(
            zip(("low", "high"), self.comparison.noise[:: direction_of(self.comparison)], strict=True)
        )
        is_fail = self.outcome.verdict is Verdict.FAIL
        demands = self.conditions.fails if is_fail else self.conditions.passes
        met = [need for need in demands if _holds(need, self.difference)]
        near = [need for need in met if abs(self._end(need) - need.bound) <= SETTLED * errors[need.part]]
        if not near or (is_fail and len(near) < len(met)):
            return ""
        return (
            f"the deciding limit, {number(self._end(near[0]))}, has a Monte Carlo standard error of "
            f"{number(errors[near[0].part])} and is close to the bound of the rule, {number(near[0].bound)}"
        )

    def _end(self, demand: Requirement) -> float:
        return float(getattr(self.difference, demand.part))

    @property
    def passed(self) -> bool:
        """Whether the gate passes. An inconclusive rule does not pass."""
        return self.verdict is Verdict.PASS

    @property
    def sentence(self) -> str:
        """Verdict in a sentence, with what it does not show."""
        return sentence_of(self)

    @property
    def condition(self) -> str:
        """Condition of the difference to pass, in the grammar of requirements."""
        return " and ".join(map(_exactly, self.conditions.passes))

    @property
    def condition_of_failure(self) -> str:
        """Conditions of failure, in the grammar of requirements.

        One of them is enough. Between both the rule is inconclusive.
        """
        return " or ".join(map(_exactly, self.conditions.fails))

    @property
    def finding(self) -> str:
        """What is shown, the rule, its contrary, or "open"."""
        if self.verdict is not Verdict.FAIL:
            return _HOLDS[self.rule] if self.passed else "open"
        if self.rule == "equivalent":
            return "differ"
        # of a superior model the margin is asked of the better side: worse is worse without it
        return "worse" if self.difference.high < 0 else "not better"

    @property
    def p(self) -> float:
        """One-sided p-value of the rule.

        The rule holds if it is at most half of 1 - level. "not-worse" fails there, because it demands only
        that no loss is shown.

        Notes
        -----
        The p-value is read off the interval. At level 1 - 2 p, an end would lie on the edge of the rule.
        Half the width is taken to grow with the level like that of a t or normal interval. So the p-value
        never disagrees with the verdict. It is NaN without an interval.
        """
        effect = self.difference
        if not effect.has_interval:
            return float("nan")
        margin, df = self.margin or 0.0, _degrees(self.comparison)
        of_low = partial(_tail, effect.value, effect.low, level=effect.level or 0.95, df=df)
        of_high = partial(_tail, -effect.value, -effect.high, level=effect.level or 0.95, df=df)
        if self.rule == "equivalent":
            return max(of_low(-margin), of_high(-margin))
        return (
            of_high(margin)
            if self.rule == "not-worse"
            else of_low(margin if self.rule == "superior" else -margin)
        )

    @property
    def against(self) -> str:
        """Hypothesis of the p-value, in words."""
        margin = f"{self.margin or 0:g}"
        return {
            "non-inferior": f"a loss of {margin} or more",
            "superior": f"a gain of {margin} or less" if self.margin else "no gain",
            "equivalent": f"a difference of {margin} or more",
            "not-worse": f"a loss of {margin} or less" if self.margin else "no loss",
        }[self.rule]

    def __str__(self) -> str:
        return clean(" ".join(self.document().verdict))


def _exactly(demand: Requirement) -> str:
    """Return a condition with all digits of its bound."""
    return f"{demand.name}.{demand.part} {demand.operator} {demand.bound!r}"


def _degrees(test: Comparison) -> float:
    """Return the degrees of freedom of the interval, where it is one by t."""
    is_t = test.effect is not None and re.search(r"\bt\b", f"{test.effect.method} {test.method}")
    return test.df if is_t and test.df else inf


def _tail(value: float, end: float, edge: float, *, level: float, df: float) -> float:
    """Return the p at which the lower end of an interval would lie on an edge.

    >>> round(_tail(0.02, 0.0, 0.0, level=0.95, df=inf), 4), round(_tail(0.02, 0.0, 0.04, level=0.95, df=9.0), 4)
    (0.025, 0.975)
    """
    from scipy.special import stdtr, stdtrit

    if not value > end or isinf(end):
        return float(edge >= value) if end == value else 1.0
    return float(stdtr(df, -stdtrit(df, 0.5 + level / 2) * (value - edge) / (value - end)))


def facts_of_gate(facts: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return those of the facts of a comparison that a gate tells too."""
    return tuple(fact for fact in facts if fact[0] in (*GONE, THRESHOLD))


def apply_rule(
    comparison: Comparison, rule: Rule, margin: float | None = None, *, over_time: bool = False
) -> Gate:
    """Apply a rule to a comparison of two models; `conditions` says what each demands. Raises as `gate` does.

    `over_time` is for a comparison of a period with the earlier ones, whose rule "not-worse" has to be shown.
    """
    check_rule(rule, margin)
    margin = None if margin is None else float(margin)
    measure = comparison.measure
    refuse_whole_range("margin", margin, measure, *range_of(measure, comparison.values))
    if comparison.rule == "equivalent" and rule != "equivalent":
        raise InputError(
            f"The comparison was made for rule 'equivalent', with a CI of level "
            f"{number((_turned(comparison).level or 0) * 100)}%. Compare again with rule {rule!r}."
        )
    if comparison.alternative != "two-sided":
        raise InputError(
            f"The comparison is one-sided ({comparison.alternative!r}), but a rule needs both limits of the CI. "
            "Compare again without alternative=."
        )
    if len(comparison.models) != 2:
        raise InputError(f"A gate needs two models, but {len(comparison.models)} were compared.")
    turned = _turned(comparison)
    rule_conditions = conditions(rule, margin, over_time=over_time)
    verdict = rule_conditions.verdict(turned)
    demands = rule_conditions.fails if verdict is Verdict.FAIL else rule_conditions.passes
    # of several conditions the one that decides: which holds of those to fail, which does not of those to pass
    decisive = next((one for one in demands if _holds(one, turned) == (verdict is Verdict.FAIL)), demands[0])
    outcome = Outcome(decisive, turned, verdict)
    return Gate(rule, margin, comparison, turned, outcome, over_time=over_time)


def interval_level(rule: Rule | None, level: float) -> float:
    """The level of the interval by which a rule is claimed at a level: 2 · level - 1 for equivalence, else the same.

    Two one-sided tests at 1 - level are the two-sided interval of level 2 · level - 1 (Schuirmann 1987). Raises
    InputError for equivalence at a level of 0.5 or less.

    >>> round(interval_level("equivalent", 0.95), 2), interval_level("superior", 0.95)
    (0.9, 0.95)
    """
    if rule == "equivalent" and level <= 0.5:
        raise InputError(
            f"level must be above 0.5 for rule 'equivalent', but is {level!r}. Use 0.95, for example."
        )
    return 2 * level - 1 if rule == "equivalent" else level


def check_rule(rule: str | None, margin: float | None) -> None:
    """Refuse an unknown rule, or a margin that is missing, of no use, or without a rule. Raises InputError."""
    if rule is None:
        if margin is not None:
            raise InputError(
                f"A margin has no effect without a rule. Name one with {hint('rule=', '--rule')}: "
                f"{', '.join(get_args(Rule))}."
            )
        return
    rules = get_args(Rule)
    if rule not in rules:
        raise InputError(
            f"Unknown rule {rule!r}. Rules: {', '.join(rules)}{nearest(str(rule), rules) or '.'}"
        )
    _check_margin(cast(Rule, rule), margin)


def _check_margin(rule: Rule, margin: float | None) -> None:
    if margin is not None and not 0 < margin < float("inf"):
        raise InputError(f"margin must be a positive number, the largest acceptable loss, but is {margin!r}.")
    if rule in ("non-inferior", "equivalent") and margin is None:
        what = "loss" if rule == "non-inferior" else "difference"
        raise InputError(
            f"Rule {rule!r} needs a margin: the largest acceptable {what}, set before you see the data. "
            f"{hint('Pass margin=0.01', 'Use --margin 0.01')}, for example."
        )


def _turned(comparison: Comparison) -> Estimate:
    """Return the effect with more better for the first model."""
    turn = direction_of(comparison)
    if turn == 0:
        raise InputError(
            f"Neither higher nor lower values of {comparison.measure} are better. Use another measure for the gate."
        )
    effect = comparison.effect
    if effect is None or isnan(effect.value):
        return Estimate.undefined(comparison.reason or "the difference is not defined")
    return effect if turn == 1 else turned_over(effect)


def turned_over(effect: Estimate) -> Estimate:
    """Return the same difference with the other model first: its negative.

    >>> turned_over(Estimate(0.2, 0.1, 0.4, 0.95, "t"))
    Estimate(-0.200 [-0.400, -0.100] 95%, t)
    """
    return Estimate(-effect.value, -effect.high, -effect.low, effect.level, effect.method, effect.reason)
