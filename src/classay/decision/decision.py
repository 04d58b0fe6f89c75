"""Decision: the threshold that a rule chooses, what it does, how sure that is, and what would change it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import isfinite, isinf, isnan
from typing import TYPE_CHECKING, Any

from classay.decision.expected_cost import ExpectedCost
from classay.decision.rules import Rule
from classay.errors import InputError, MissingExtraError
from classay.inference.estimate import Estimate, apart, number, said
from classay.inference.requirements import Requirement
from classay.shown import Shown
from classay.tables import ConfusionMatrix
from classay.texts import amount

if TYPE_CHECKING:
    from classay.curves.curve import Curve
    from classay.curves.operating import OperatingPoints


@dataclass(frozen=True)
class Kept:
    """A condition of the rule: its measure on the cases it was chosen on, and on new ones, and whether it holds there.

    `probability` is how surely new cases meet it at this threshold: a normal probability on the measure's scale.
    """

    requirement: Requirement
    apparent: Estimate
    honest: Estimate
    probability: float


@dataclass(frozen=True)
class Change:
    """What else might be so, and the threshold that would be best then.

    `here` is the objective of the threshold decided for, `there` that of the best one.
    """

    what: str
    threshold: float
    here: float
    there: float


@dataclass(frozen=True, eq=False)
class Decision(Shown):
    """A threshold chosen by a rule: positive when score >= threshold.

    `threshold` is an `Estimate`, infinite where calling nobody positive is best; `matrix` is what it does to the cases.
    `apparent` is the objective there on the cases it was chosen on, which flatters it; `honest` what to expect of
    it on new cases, by `how_honest`. `as_good` are the lowest and the highest threshold that chance does not tell
    from it. `kept` are the conditions of the rule, `changes` what other costs or another prevalence would choose.
    `measures` are the main measures at the threshold, `cost` what it costs, if it has a cost. `points` are the counts
    at other thresholds, which a page lets its reader move.

    >>> import classay as ca
    >>> a = ca.assess([1, 0, 1, 0, 0] * 40, [(7 * i % 100 + 25 * (i % 5 == 0)) / 125 for i in range(200)])
    >>> d = a.threshold(cost=ca.Costs(fp=1, fn=5))
    >>> d.threshold.value, d.cost.per_case.value
    (0.032, 0.57)
    """

    rule: Rule
    labels: tuple[Any, ...]
    positive: Any
    threshold: Estimate
    matrix: ConfusionMatrix
    objective: str
    apparent: Estimate
    honest: Estimate
    how_honest: str
    as_good: tuple[float, float] | None
    kept: tuple[Kept, ...]
    changes: tuple[Change, ...]
    measures: dict[str, Estimate]
    cost: ExpectedCost | None
    cases: float
    prevalence: float | None = None
    observed: float = float("nan")
    level: float = 0.95
    seed: int = 0
    notes: tuple[str, ...] = ()
    curves: tuple[Curve, ...] = field(default=())
    points: OperatingPoints | None = field(default=None, repr=False)

    @property
    def calls_nobody(self) -> bool:
        """Whether calling nobody positive is best."""
        return isinf(self.threshold.value)

    @property
    def called(self) -> float:
        """Cases (or weight) called positive."""
        return float(sum(self.matrix.one_vs_rest(self.positive)[:2]))

    @property
    def advice(self) -> tuple[str, ...]:
        """The advice in three sentences: what to do, what it brings, and how sure that is."""
        return self._what(), self._brings(), self._sure()

    def _what(self) -> str:
        total = float(self.matrix.total)
        share = f"{amount(self.called)} of {amount(total)} cases" if total else "no case"
        if self.calls_nobody:
            return f"Call no case {self.positive!r}: that is {self.rule.text}."
        at = number_of(self.threshold.value)
        if self.called == total:
            return f"Call every case {self.positive!r} (score at least {at}): that is {self.rule.text}."
        return (
            f"Call a case {self.positive!r} when its score is at least {at}: that is {self.rule.text}, and calls "
            f"{share} so."
        )

    def _brings(self) -> str:
        found = self.honest if not self.honest.is_undefined else self.apparent
        chosen = (
            ""
            if self.honest.is_undefined
            else f", {number(self.apparent.value)} on the cases it was chosen on"
        )
        what = "a case to cost" if self.rule.cost is not None else self.objective
        expected = f"On new cases expect {what} {said(found)}{chosen}"
        if self.cost is None or self.calls_nobody:
            return expected + "."
        rivals = {"nobody": self.cost.saving_over_none, "everybody": self.cost.saving_over_all}
        rival, saved = min(rivals.items(), key=lambda each: each[1].value)
        beside = self.cost.per_case.value + saved.value
        if not self.honest.is_undefined and self.honest.value >= beside:
            return f"{expected}; calling {rival} costs {number(beside)}, and on new cases perhaps no more."
        verb = "saves" if saved.value >= 0 else "loses"
        is_sure = saved.has_interval and saved.low * saved.high > 0
        low, high = sorted((abs(saved.low), abs(saved.high)))
        size, least, most = apart(abs(saved.value), low, high)
        interval = (
            f" [{least}, {most}]" if is_sure else ", which chance may explain" if saved.has_interval else ""
        )
        where = "on these cases" if self.honest.is_undefined else "there"
        return f"{expected}; {where} it {verb} {size} a case{interval} against calling {rival}."

    def _sure(self) -> str:
        if self.kept:
            worst = min(self.kept, key=lambda each: (not isnan(each.probability), each.probability))
            if isnan(worst.probability):
                return f"Whether {worst.requirement} holds for new cases cannot be told."
            return (
                f"New cases meet {worst.requirement} with a probability of {100 * worst.probability:.0f} %: expect "
                f"{said(worst.honest)}."
            )
        if self.as_good is not None:
            low, high = numbers_of(*self.as_good)
            return (
                f"Thresholds from {low} to {high} are as good within chance."
                if self.as_good[0] != self.as_good[1]
                else "No other threshold is as good within chance."
            )
        if self.threshold.has_interval:
            low, high = numbers_of(self.threshold.low, self.threshold.high)
            return f"In other samples of as many cases this threshold lies between {low} and {high}."
        return f"How far the threshold varies cannot be told: {self.threshold.reason}."

    def apply(self, estimator: Any) -> Any:
        """A fitted or unfitted classifier with this threshold, as scikit-learn's FixedThresholdClassifier.

        It is to be fitted unless `estimator` is; the scores must be those that the threshold was chosen on.
        """
        try:
            from sklearn.model_selection import FixedThresholdClassifier
        except ImportError:
            raise MissingExtraError("applying a threshold to an estimator", "train") from None
        if not isfinite(self.threshold.value):
            raise InputError("calling nobody positive is best: there is no threshold to apply.")
        return FixedThresholdClassifier(
            estimator, threshold=self.threshold.value, pos_label=self.positive, response_method="auto"
        )

    def __repr__(self) -> str:
        return f"Decision(threshold {number_of(self.threshold.value)}, {self.rule.text}; print it for the advice)"


def number_of(threshold: float) -> str:
    """A threshold with as many digits as tell it from its neighbours in practice."""
    if isinf(threshold):
        return "infinite"
    return f"{threshold:.4g}"


def numbers_of(*thresholds: float) -> tuple[str, ...]:
    """Thresholds that stand together, with as many decimals as the one that needs most.

    >>> numbers_of(0.8069, 0.9), numbers_of(2.0, 3.0), numbers_of(float("inf"), 0.25)
    (('0.8069', '0.9000'), ('2', '3'), ('infinite', '0.25'))
    """
    texts = tuple(map(number_of, thresholds))
    if any("e" in text for text, each in zip(texts, thresholds, strict=True) if isfinite(each)):
        return texts
    decimals = max(len(text.partition(".")[2]) for text in texts)
    return tuple(
        f"{each:.{decimals}f}" if isfinite(each) else text
        for each, text in zip(thresholds, texts, strict=True)
    )


def shifted(apparent: Estimate, value: float, bounds: tuple[float, float], how: str) -> Estimate:
    """An apparent estimate moved to an honest value: its optimism taken off, all of which is uncertain.

    The interval is that of a threshold given beforehand, moved with the value, and as much wider as the move.
    """
    if isnan(value) or apparent.is_undefined:
        return Estimate.undefined(apparent.reason or "no resample gives it a value")
    if not apparent.has_interval:
        return replace(Estimate.bare(value, apparent.reason or ""))
    if not (isfinite(apparent.value) and isfinite(value)):
        return Estimate.bare(value, "an interval about what is infinite cannot be moved")
    move = value - apparent.value
    below, above = apparent.value - apparent.low, apparent.high - apparent.value
    low, high = value - (below**2 + move**2) ** 0.5, value + (above**2 + move**2) ** 0.5
    low, high = max(low, bounds[0]), min(high, bounds[1])
    return Estimate(value, min(low, value), max(high, value), apparent.level, f"{how}; {apparent.method}")
