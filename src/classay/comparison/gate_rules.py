"""The rules of a gate, fixed beforehand: the condition of each on the interval of a difference, and its verdict.

A `Claim` says what a comparison shows, at which level, and why its interval or its estimate may say something else.
Every text that names a better model asks here, so that sentences, findings, matrices and diagrams agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import InitVar, dataclass, replace
from functools import partial
from math import ceil, inf, isfinite, isinf, isnan
from typing import TYPE_CHECKING, Literal, cast, get_args
from warnings import warn

from classay.errors import InputError, nearest
from classay.inference.estimate import Estimate, direction, number, parts, title
from classay.inference.proportions import normal_quantile
from classay.inference.requirements import (
    Operator,
    Outcome,
    Requirement,
    Verdict,
    range_of,
    refuse_whole_range,
)
from classay.shown import Reportable
from classay.texts import clean
from classay.warned import Warned

if TYPE_CHECKING:
    from classay.comparison.comparison import Comparison

LEFT_OUT, UNMATCHED, NO_ANSWERS, THRESHOLD = "left out", "unmatched", "no answer", "threshold"
"""Names of facts: rows that were not compared, cases that not every model has, cases without an answer that count as
wrong, and where scores become labels."""
GONE = (LEFT_OUT, UNMATCHED, NO_ANSWERS)
POWER = 0.8


def cases_needed(n: float, delta: float, se: float, level: float) -> float | None:
    """Units at which a difference as large as this has a power of 80%: n ((z_α/2 + z_β) se / Δ)².

    >>> round(cases_needed(100, 0.02, 0.02, 0.95))
    785
    """
    from scipy.special import ndtri

    if delta == 0 or not isfinite(delta):
        return None
    cases = n * ((normal_quantile(level) + float(ndtri(POWER))) * se / delta) ** 2
    return cases if isfinite(cases) else None


@dataclass(frozen=True)
class Claim:
    """What a test shows at its level.

    `shown` says whether the models are shown to differ; `side` is 1 where the first has the higher value, -1 where the
    second has, and 0 where none is named. `contradicted` says that the estimate lies on the other side of 0 than what
    was tested, which leaves the finding open. `alone` is what the comparison shows if no other were made, where the
    other comparisons of its family leave it open. `caveat` says why the interval disagrees with the test of this
    comparison alone, and is empty where they agree.
    """

    shown: bool
    side: int = 0
    contradicted: bool = False
    caveat: str = ""
    alone: Claim | None = None


def claim(comparison: Comparison) -> Claim:
    """The claim of a comparison that has a p-value; nothing is shown without one.

    The adjusted p-value decides, if there is one, against 1 - level. The side is that of what was tested: where effects
    tie, an estimate of 0 names nobody.
    """
    alpha = (1 - comparison.claimed_at) * (1 + 1e-9)  # 1 - 0.9 is a little less than 0.1
    alone = _by(comparison, comparison.p, alpha)
    if comparison.p_adjusted is None:
        return alone
    adjusted = _by(comparison, comparison.p_adjusted, alpha)
    return replace(adjusted, alone=alone) if alone.shown and not adjusted.shown else adjusted


def _by(comparison: Comparison, p: float, alpha: float) -> Claim:
    """The claim by a p-value, that of the comparison alone or the adjusted one."""
    if isnan(p):
        return Claim(shown=False)
    side = _side(comparison)
    shown = p <= alpha
    if shown and comparison.effect is not None and comparison.effect.value * side < 0:
        return Claim(shown=False, contradicted=True)
    return Claim(shown, side if shown else 0, caveat=_caveat(comparison, alpha))


def direction_of(comparison: Comparison) -> int:
    """The direction of what is compared: as the comparison says, or as its measure does."""
    return direction(comparison.measure) if comparison.better is None else comparison.better


def _side(comparison: Comparison) -> int:
    """The sign of what was tested: by default that of the effect."""
    if comparison.side is not None:
        return comparison.side
    value = 0.0 if comparison.effect is None else comparison.effect.value
    return (value > 0) - (value < 0)


def _caveat(comparison: Comparison, alpha: float) -> str:
    effect = comparison.effect
    if effect is None or not effect.has_interval:
        return ""
    leaves_out_0 = effect.low > 0 or effect.high < 0
    if (comparison.p <= alpha) == leaves_out_0:
        return ""
    does, lies = ("excludes", "above") if leaves_out_0 else ("includes", "not above")
    p = "p" if comparison.p_adjusted is None else "the unadjusted p"
    why = comparison.note or f"they come from two methods, {effect.method} and {comparison.method}"
    return f"The interval {does} 0 although {p} is {lies} {alpha:.3g}: {why}."


WITH_POWER = "would show it with a power of 80% if the difference is as large as here"


def _start(gate: Gate) -> str:
    return f"In {title(gate.comparison.measure)} {gate.comparison.models[0]}"


def _interval(gate: Gate) -> str:
    """The effect as it is, first minus second, with its interval."""
    effect = gate.comparison.effect
    assert effect is not None
    level = f"{100 * (effect.level or 0):g}% interval"
    value, low, high = parts(effect)
    return f"difference {value} ({level} {low} to {high})"


def _undecided(gate: Gate) -> str:
    if gate.unsettled:
        return (
            f"{_start(gate)} and {gate.comparison.models[1]} are too close to the edge of the rule {gate.rule!r} for "
            f"these draws: {gate.unsettled} ({_interval(gate)})."
        )
    why = gate.difference.reason or gate.comparison.reason or "there is no interval"
    return f"{_start(gate)} and {gate.comparison.models[1]} cannot be told apart or together: {why}."


def _non_inferior(gate: Gate) -> str:
    old, margin = gate.comparison.models[1], f"{gate.margin:g}"
    if gate.verdict is Verdict.UNDECIDED:
        return _undecided(gate)
    if gate.passed:
        if gate.difference.low > 0:
            return f"{_start(gate)} is not worse than {old}, it is better: {_interval(gate)}."
        if gate.difference.value >= 0:
            return (
                f"{_start(gate)} is not worse than {old} by {margin} or more, the margin given beforehand: "
                f"{_interval(gate)}."
            )
        return (
            f"{_start(gate)} is worse than {old} by less than {margin}, the margin given beforehand, if at all: "
            f"{_interval(gate)}."
        )
    return f"{_start(gate)} is worse than {old} by more than {margin}: {_interval(gate)}."


def _inconclusive(gate: Gate) -> str:
    """That the interval shows neither what the rule demands nor the contrary."""
    new, old = gate.comparison.models
    margin, beforehand = f"{gate.margin or 0:g}", ", the margin given beforehand"
    why = {
        "non-inferior": f"{new} may be worse by {margin} or more{beforehand}",
        "not-worse": f"{new} may be worse by more than {margin}{beforehand}"
        if gate.margin
        else f"{new} may be worse",
        "superior": f"{new} may be better by {margin} or less{beforehand}"
        if gate.margin
        else f"{new} may not be better",
        "equivalent": f"the models may differ by {margin} or more{beforehand}",
    }[gate.rule]
    more = cases_that_settle(gate) if gate.rule in ("non-inferior", "not-worse") else ""
    return (
        f"The comparison of {new} with {old} in {title(gate.comparison.measure)} is inconclusive, because {why}: "
        f"{_interval(gate)}.{more}"
    )


def _not_worse(gate: Gate) -> str:
    old = gate.comparison.models[1]
    if gate.verdict is Verdict.UNDECIDED:
        return _undecided(gate)
    if not gate.passed:
        by = "" if gate.margin is None else f" by more than {gate.margin:g}"
        return f"{_start(gate)} is worse than {old}{by}: {_interval(gate)}."
    loss = -gate.difference.low
    if loss < 0:
        return f"{_start(gate)} is not worse than {old}, it is better: {_interval(gate)}."
    if loss == 0:
        return f"{_start(gate)} is not shown to be worse than {old}: {_interval(gate)}."
    by = "" if gate.margin is None else f" by more than {gate.margin:g}"
    return (
        f"{_start(gate)} is not shown to be worse than {old}{by}: {_interval(gate)}. That does not prove that "
        f"{gate.comparison.models[0]} is as good. A small test can pass this rule, and a loss of {number(loss)} "
        "remains possible."
    )


def _superior(gate: Gate) -> str:
    old = gate.comparison.models[1]
    by = "" if gate.margin is None else f" by more than {gate.margin:g}"
    if gate.verdict is Verdict.UNDECIDED:
        return _undecided(gate)
    if gate.passed:
        return f"{_start(gate)} is better than {old}{by}: {_interval(gate)}."
    if gate.difference.high < 0:
        return f"{_start(gate)} is worse than {old}: {_interval(gate)}."
    return f"{_start(gate)} is not better than {old}{by}: {_interval(gate)}."


def _equivalent(gate: Gate) -> str:
    new, old = gate.comparison.models
    margin = f"{gate.margin:g}"
    start = f"In {title(gate.comparison.measure)} {new} and {old}"
    if gate.verdict is Verdict.UNDECIDED:
        return _undecided(gate)
    if gate.passed:
        return f"{start} are equivalent within {margin}, the margin given beforehand: {_interval(gate)}."
    return f"{start} differ by more than {margin}, the margin given beforehand: {_interval(gate)}."


SENTENCES = {
    "non-inferior": _non_inferior,
    "not-worse": _not_worse,
    "superior": _superior,
    "equivalent": _equivalent,
}


def sentence_of(gate: Gate) -> str:
    """The verdict in plain words; it names the cases without an answer, and their effect on the verdict."""
    omissions = gate.comparison.omissions
    if omissions is None:
        return _inconclusive(gate) if gate.is_open else SENTENCES[gate.rule](gate)
    if gate.is_one_sided:
        worst = _worst_of_omissions(gate)
        return (
            f"{_start(gate)} passes the rule {gate.rule!r} against {gate.comparison.models[1]} on the cases that both "
            f"answered alone: {_interval(gate)}. That cannot be trusted: {omissions.sentence}."
            + (f"{worst}, which does not pass." if worst else "")
        )
    sentence = _inconclusive(gate) if gate.is_open else SENTENCES[gate.rule](gate)
    return f"{sentence} {omissions_text(gate)}"


def omissions_text(gate: Gate) -> str:
    """How many cases were left out for want of an answer, and the difference if these count as wrong; or nothing."""
    omissions = gate.comparison.omissions
    if omissions is None:
        return ""
    worst = _worst_of_omissions(gate)
    more = ", which passes too." if gate.passed and gate.passes_at_worst else "."
    return f"{omissions.sentence}." + (f"{worst}{more}" if worst else "")


def _worst_of_omissions(gate: Gate) -> str:
    omissions = gate.comparison.omissions
    if omissions is None or omissions.worst is None or not omissions.worst.has_interval:
        return ""
    value, low, high = parts(omissions.worst)
    return f" Counted as wrong, they make it {value} ({low} to {high})"


MOST_TIMES = 1e6
"""How many times the cases at hand are worth naming: beyond that no test of this difference is in reach."""


def cases_that_settle(gate: Gate) -> str:
    """Units at which this difference passes with a power of 80%: n (z_α + z_β)² se² / (difference + margin)²."""
    effect, n = gate.difference, gate.comparison.n
    room = effect.value + (gate.margin or 0)
    if n is None or room <= 0:
        return ""
    z, of_power = normal_quantile(effect.level or 0.95), normal_quantile(2 * POWER - 1)
    times = ((effect.value - effect.low) * (1 + of_power / z) / room) ** 2
    if not times < MOST_TIMES:
        return ""
    if gate.comparison.units == "folds":
        many = f"{times:,.{0 if times >= 10 else 1}f} times as many cases"
        return f" About {many} {WITH_POWER}; more folds of these would not."
    wanted = n * times
    size = 10 ** max(0, len(str(int(wanted))) - 2)
    return f" About {ceil(wanted / size) * size:,} {gate.comparison.units} {WITH_POWER}."


Rule = Literal["non-inferior", "not-worse", "superior", "equivalent"]
DIFFERENCE = "difference"
BY_INTERVAL = "the interval decides the rule"
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
        """The verdict by an interval; `fails_by` is a wider one by which it fails, as of groups held at once.

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
            f"the end of the interval that decides, {number(self._end(near[0]))}, has a Monte-Carlo standard error of "
            f"{number(errors[near[0].part])}, and the edge of the rule is {number(near[0].bound)}: other draws may "
            "decide otherwise"
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
    """A condition with all digits of its bound."""
    return f"{demand.name}.{demand.part} {demand.operator} {demand.bound!r}"


def _degrees(test: Comparison) -> float:
    """The degrees of freedom of the interval, where it is one by t."""
    is_t = test.effect is not None and re.search(r"\bt\b", f"{test.effect.method} {test.method}")
    return test.df if is_t and test.df else inf


def _tail(value: float, end: float, edge: float, *, level: float, df: float) -> float:
    """The p at which the lower end of an interval would lie on an edge.

    >>> round(_tail(0.02, 0.0, 0.0, level=0.95, df=inf), 4), round(_tail(0.02, 0.0, 0.04, level=0.95, df=9.0), 4)
    (0.025, 0.975)
    """
    from scipy.special import stdtr, stdtrit

    if not value > end or isinf(end):
        return float(edge >= value) if end == value else 1.0
    return float(stdtr(df, -stdtrit(df, 0.5 + level / 2) * (value - edge) / (value - end)))


def facts_of_gate(facts: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Those of the facts of a comparison that a gate tells too."""
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
            f"the comparison was made for the rule 'equivalent', whose interval has the level "
            f"{number((_turned(comparison).level or 0) * 100)}%: compare again for the rule {rule!r}."
        )
    if comparison.alternative != "two-sided":
        raise InputError(
            f"the comparison is one-sided ({comparison.alternative!r}), and a rule reads both ends of its interval: "
            "compare again without alternative=."
        )
    if len(comparison.models) != 2:
        raise InputError(f"a gate is for two models, and {len(comparison.models)} were compared.")
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
    return effect if turn == 1 else turned_over(effect)


def turned_over(effect: Estimate) -> Estimate:
    """The same difference with the other model first: its negative.

    >>> turned_over(Estimate(0.2, 0.1, 0.4, 0.95, "t"))
    Estimate(-0.200 [-0.400, -0.100] 95%, t)
    """
    return Estimate(-effect.value, -effect.high, -effect.low, effect.level, effect.method, effect.reason)
