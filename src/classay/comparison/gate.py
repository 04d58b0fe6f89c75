"""The gate: whether one model may take the place of another, by a rule fixed beforehand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from classay.comparison.comparison import Comparison
from classay.comparison.references import cite
from classay.comparison.rules import BY_INTERVAL, Gate, Rule, check_rule, held
from classay.errors import InputError
from classay.kinds import checked, shown


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
    a one-sided comparison, whose interval has one end only, or a measure that is neither better higher nor lower.

    >>> from classay.inference.estimate import Estimate
    >>> effect = Estimate(0.002, -0.004, 0.008, level=0.95, method="DeLong")
    >>> found = Comparison(("new", "old"), "roc_auc", effect, 0.51, method="z, DeLong", random="test cases")
    >>> print(gate(found, "non-inferior", 0.01))
    PASS (non-inferior): In ROC AUC new is not worse than old by 0.01 or more, the margin given beforehand: ...
    >>> gate(found, "superior").verdict
    <Verdict.FAIL: 'fail'>
    """
    check_rule(rule, margin)
    return held(_one(comparison), rule, margin)


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
    held(made, rule, margin)
    return made


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
