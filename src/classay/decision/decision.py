"""Decision: the threshold that a rule chooses, its effects, its uncertainty, and the changes that would move it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf, isclose, isfinite, isinf, isnan
from typing import TYPE_CHECKING, Any

from classay.curves.curve import even, outwards
from classay.decision.expected_cost import PREDICTIONS, ExpectedCost, times
from classay.decision.rules import Rule
from classay.errors import InputError, MissingExtraError
from classay.inference.estimate import Estimate, format_estimate, level_text, number
from classay.inference.phrasing import short_title
from classay.inference.requirements import Requirement
from classay.kinds import TypedFields
from classay.renamed import former
from classay.shown import Reportable
from classay.tables import ConfusionMatrix
from classay.tables.sums import rounded_difference
from classay.texts import amount, quote
from classay.warned import Warned

if TYPE_CHECKING:
    from classay.curves.curve import Curve
    from classay.curves.display import OperatingPoints

OUT_OF_BAG = "out-of-bag"
BINOMIAL = "binomial test"
"""In the name of the method of a threshold whose interval includes what a test does not reject as best."""
LESS_OPTIMISM = "optimism-corrected"
TRIVIAL = ("nobody", "everybody")
"""Whom a rule calls positive that looks at no score."""
OF_THE_RULE = "those on these cases, because no score was used"
"""How the value of calling nobody, or everybody, is found: nothing was chosen that could flatter it."""


@dataclass(frozen=True)
class Kept:
    """A condition of the rule: its measure on the cases it was chosen on, and on new ones, and whether it holds there.

    `probability` is how surely new cases meet it at this threshold: a normal probability on the measure's scale.
    """

    requirement: Requirement
    apparent: Estimate
    expected: Estimate
    probability: float
    honest = former("Kept.honest", "expected")


@dataclass(frozen=True)
class Change:
    """Another cost, prevalence or capacity, and the threshold that would be best then.

    `here` is the objective of the threshold decided for, `there` that of the best one; NaN where a condition or the
    capacity would no longer allow the threshold decided for.
    """

    what: str
    threshold: float
    here: float
    there: float


@dataclass(frozen=True, eq=False)
class ThresholdOutcome(TypedFields):
    """What a threshold brings: the objective of the rule, the main measures, and what it costs, if it has a cost."""

    objective: Estimate
    measures: Mapping[str, Estimate]
    cost: ExpectedCost | None = None


@dataclass(frozen=True, eq=False)
class DecidedCases(TypedFields):
    """The cases that a threshold was chosen on: `observed` is the share of the positive class among them.

    `prevalence` is the one to decide for, None for that of the cases; `model` is whose scores they have.
    """

    labels: tuple[Any, ...]
    positive: Any
    cases: float
    observed: float
    prevalence: float | None = None
    model: str = ""


@dataclass(frozen=True, eq=False)
class Conditions(TypedFields):
    """What becomes of the conditions of the rule, and which of calling nobody and everybody they allow."""

    kept: tuple[Kept, ...] = ()
    allowed: tuple[str, ...] = TRIVIAL


@dataclass(frozen=True, eq=False)
class OtherThresholds(TypedFields):
    """What else could be decided: the objective by threshold, the counts at each, and how thresholds are written."""

    curves: tuple[Curve, ...] = ()
    points: OperatingPoints | None = None
    texts: Mapping[float, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Decision(Reportable):
    """Threshold chosen by a rule.

    A case is positive if its score is at or above the threshold. Values of the parts are attributes of the
    decision too.

    Attributes
    ----------
    rule : Rule
        The rule.
    decided_on : DecidedCases
        The cases it was chosen on, with `labels`, `positive`, `cases`, `observed`, `prevalence` and
        `model`.
    threshold : Estimate
        The threshold. It is infinite if predicting no one positive is best. It is -infinite if predicting
        everyone positive is best, new cases with lower scores included.
    matrix : ConfusionMatrix
        Predicted against true labels on these cases.
    objective : str
        What the rule optimizes.
    here : ThresholdOutcome
        Performance on the selection data, which is optimistic, with `objective`, `measures` and `cost`.
    expected : ThresholdOutcome
        Expected performance on new cases, with `objective`, `measures` and `cost`.
    how_expected : str
        Method of the expected performance.
    as_good : tuple of float or None
        Ends of the range of thresholds that do not differ significantly from this one.
    conditions : Conditions
        Conditions of the rule, with `kept` and `allowed`.
    changes : tuple of Change
        Thresholds for other costs or another prevalence.
    others : OtherThresholds
        Performance at other thresholds, with `curves`, `points` and `texts`.
    level : float
        Confidence level of the intervals.
    seed : int
        Start of all random numbers.
    notes : tuple of str
        Remarks for the reader.
    of_columns : tuple of Warned
        Warnings on columns that may have been misread.

    Notes
    -----
    Values on new cases are those of held-out cases, or are optimism-corrected. The correction subtracts how
    much better resamples are on their own cases than on all cases, at the thresholds chosen on their own.
    Each measure is corrected separately, so they need not add up. Only a function of the objective, such as
    F1 of the Jaccard index, follows from it. An infinite measure takes the value of the out-of-bag cases. It
    is NaN if most resamples have no such threshold.

    References
    ----------
    Efron 1983, JASA 78:316.

    Examples
    --------
    >>> import classay as ca
    >>> a = ca.assess([1, 0, 1, 0, 0] * 40, [(7 * i % 100 + 25 * (i % 5 == 0)) / 125 for i in range(200)])
    >>> d = a.threshold(cost=ca.Costs(fp=1, fn=5))
    >>> d.threshold.value, d.cost.per_case.value
    (0.032, 0.57)
    """

    rule: Rule
    decided_on: DecidedCases
    threshold: Estimate
    matrix: ConfusionMatrix
    objective: str
    here: ThresholdOutcome
    expected: ThresholdOutcome
    how_expected: str
    as_good: tuple[float, float] | None
    conditions: Conditions
    changes: tuple[Change, ...]
    others: OtherThresholds = field(default_factory=OtherThresholds, repr=False)
    level: float = 0.95
    seed: int = 0
    notes: tuple[str, ...] = ()
    of_columns: tuple[Warned, ...] = ()

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings that a reader must know before acting.

        They concern the columns, as in an assessment, and the decision.
        """
        known = {warning.text for warning in self.of_columns}
        return (*self.of_columns, *(Warned("decision", note) for note in self.notes if note not in known))

    @property
    def labels(self) -> tuple[Any, ...]:
        """Two classes."""
        return self.decided_on.labels

    @property
    def positive(self) -> Any:
        """Class that the threshold predicts."""
        return self.decided_on.positive

    @property
    def cases(self) -> float:
        """Number of cases that the threshold was chosen on."""
        return self.decided_on.cases

    @property
    def observed(self) -> float:
        """Share of the positive class among these cases."""
        return self.decided_on.observed

    @property
    def prevalence(self) -> float | None:
        """Prevalence to decide for, or None for that of the cases."""
        return self.decided_on.prevalence

    @property
    def model(self) -> str:
        """Name of the model, or empty."""
        return self.decided_on.model

    @property
    def apparent(self) -> Estimate:
        """Objective on the selection data, which is optimistic."""
        return self.here.objective

    @property
    def measures(self) -> Mapping[str, Estimate]:
        """Main measures at the threshold."""
        return self.here.measures

    @property
    def cost(self) -> ExpectedCost | None:
        """Cost of the threshold on these cases, if the rule has a cost."""
        return self.here.cost

    @property
    def kept(self) -> tuple[Kept, ...]:
        """Conditions of the rule, on these cases and on new cases."""
        return self.conditions.kept

    @property
    def allowed(self) -> tuple[str, ...]:
        """Trivial rules that the conditions and the capacity allow."""
        return self.conditions.allowed

    @property
    def curves(self) -> tuple[Curve, ...]:
        """Objective by threshold."""
        return self.others.curves

    @property
    def points(self) -> OperatingPoints | None:
        """Counts at other thresholds, for the slider of a page."""
        return self.others.points

    @property
    def texts(self) -> Mapping[float, str]:
        """Texts of the thresholds."""
        return self.others.texts

    def texts_of(self, *thresholds: float) -> tuple[str, ...]:
        """Write thresholds with enough digits to predict the same cases positive.

        All have the same number of decimals.
        """
        return even(*(self.texts.get(threshold, repr(threshold)) for threshold in thresholds))

    @property
    def calls_nobody(self) -> bool:
        """Whether predicting no one positive is best."""
        return self.threshold.value == inf

    @property
    def calls_everybody(self) -> bool:
        """Whether predicting everyone positive is best."""
        return self.threshold.value == -inf

    @property
    def called(self) -> float:
        """Number (or weight) of predicted positives."""
        return float(sum(self.matrix.one_vs_rest(self.positive)[:2]))

    @property
    def advice(self) -> tuple[str, ...]:
        """Advice in three sentences, action, effect and uncertainty."""
        return self._what(), self._brings(), self._sure()

    def _what(self) -> str:
        so = _called(self.positive)
        if self.calls_nobody:
            if self.rule.is_capacity_alone:
                return f"Predict no case as {so} (more than {self.rule.capacity} share the highest score)."
            return f"Predict no case as {so} ({self.rule.text})."
        if self.calls_everybody:
            return f"Predict every case as {so} at any score ({self.rule.text})."
        (at,) = self.texts_of(self.threshold.value)
        there = "" if self.prevalence is None else f" at a prevalence of {100 * self.prevalence:.4g}%"
        return f"Predict {so} at scores of {at} or higher, in {self.share_called} ({self.rule.text}{there})."

    @property
    def share_called(self) -> str:
        """Number of predicted positives, or their share of sampling weights."""
        total = float(self.matrix.total)
        if isclose(total, self.cases, rel_tol=1e-9):
            return f"{amount(self.called)} of {amount(total)} cases"
        return f"{100 * self.called / total:.3g}% of the weight"

    def _brings(self) -> str:
        name, per_case = ("cost", " per case") if self.rule.cost is not None else (self.objective, "")
        if self.expected.objective.is_undefined:
            return (
                f"The expected {name} on new cases cannot be estimated ({self.expected.objective.reason}). On these "
                f"cases, the {name} is {format_estimate(self.apparent, per_case)}."
            )
        chosen = f", compared with {number(self.apparent.value)} on the cases used to choose the threshold"
        expected = f"The expected {name} on new cases is {format_estimate(self.expected.objective, per_case)}"
        expected += "." if self.uses_no_score else f"{chosen}."
        known = self.savings
        if not known:
            return expected
        rival, saved = min(known.items(), key=lambda pair: pair[1].value)
        if saved.value <= 0:
            return f"{expected} {self._lost(rival, saved)}."
        where = " on these cases" if self.expected.cost is None else ""
        size = format_estimate(saved, " per case")
        if saved.has_interval and saved.low <= 0:
            compared = f"No saving{where} was detected compared with {PREDICTIONS[rival]}"
            return f"{expected} {compared}: the difference is {size}."
        compared = f"Compared with {PREDICTIONS[rival]}, this rule saves {size}{where}"
        return f"{expected} {compared}{self._in_period(saved)}."

    def _lost(self, rival: str, saved: Estimate) -> str:
        """Return what a trivial rule costs that costs no more than the threshold."""
        cost = self.cost if self.expected.cost is None else self.expected.cost
        assert cost is not None
        what = PREDICTIONS[rival]
        costs = f"{what[:1].upper()}{what[1:]} costs {number(cost.per_case.value + saved.value)} per case"
        if saved.value == 0:
            return f"{costs}, the same cost"
        less = Estimate(-saved.value, -saved.high, -saved.low, saved.level, saved.method, saved.reason)
        chance = ". No difference was detected" if saved.has_interval and saved.high >= 0 else ""
        return f"{costs}, {format_estimate(less)} less{chance}"

    def _in_period(self, saved: Estimate) -> str:
        """Return a saving per case as one per period of a capacity; empty without periods."""
        if self.rule.periods is None:
            return ""
        in_period = format_estimate(times(saved, self.cases / self.rule.periods), f" per {self.rule.period}")
        return f", or {in_period}"

    @property
    def savings(self) -> dict[str, Estimate]:
        """Savings per new case over the allowed trivial rules.

        The rule that is chosen is omitted.
        """
        cost = self.cost if self.expected.cost is None else self.expected.cost
        if cost is None:
            return {}
        savings = {} if self.calls_nobody else {"nobody": cost.saving_over_none}
        savings |= {} if self.calls_everybody else {"everybody": cost.saving_over_all}
        return {
            name: saving
            for name, saving in savings.items()
            if name in self.allowed and not saving.is_undefined
        }

    @property
    def rivals(self) -> tuple[str, ...]:
        """Allowed trivial rules that differ from the decision by no more than chance.

        A rule that costs significantly less is not among them.
        """
        savings = {name: saving for name, saving in self.savings.items() if saving.has_interval}
        return tuple(name for name, saving in savings.items() if saving.low <= 0 <= saving.high)

    def _sure(self) -> str:
        if self.kept:
            worst = min(self.kept, key=lambda demand: (not isnan(demand.probability), demand.probability))
            return self._holds(worst)
        if self.as_good is not None:
            low, high = self.texts_of(*self.as_good)
            others = " or ".join(PREDICTIONS[rival] for rival in self.rivals)
            too = f" On new cases, {others} does not differ detectably either." if others else ""
            if self.as_good[0] != self.as_good[1]:
                return f"Thresholds from {low} to {high} do not differ detectably from the chosen threshold.{too}"
            if isinf(self.threshold.value):
                return f"A threshold of {low} does not differ detectably from the chosen threshold.{too}"
            too = f" On new cases, however, {others} does not differ detectably." if others else ""
            return f"The adjacent thresholds are detectably worse.{too}"
        if self.threshold.has_interval:
            low, high = outwards(
                self.texts_of(self.threshold.value)[0], self.threshold.low, self.threshold.high
            )
            return f"The {level_text(self.threshold.level)} of the threshold is {low} to {high}."
        return f"The variation of the threshold cannot be estimated: {self.threshold.reason}."

    def _holds(self, kept: Kept) -> str:
        """Check whether new cases meet a condition."""
        if isnan(kept.probability):
            return f"Whether {kept.requirement} holds on new cases cannot be estimated."
        if kept.expected.low == kept.expected.high:
            whom = "every case is" if self.calls_everybody else "no case is"
            return f"The condition {kept.requirement} holds on new cases, because {whom} predicted positive."
        return (
            f"The true {short_title(kept.requirement.name)} meets {kept.requirement} with a probability of about "
            f"{100 * kept.probability:.0f}% (normal approximation; expected value {format_estimate(kept.expected)})."
        )

    @property
    def uses_no_score(self) -> bool:
        """Whether the values also hold for new cases, because no score is used.

        Everyone or no one is predicted positive.
        """
        return self.how_expected == OF_THE_RULE

    @property
    def is_resampled(self) -> bool:
        """Whether the expected value comes from resamples, not from held-out cases."""
        return self.how_expected.startswith(LESS_OPTIMISM)

    is_out_of_bag = former("Decision.is_out_of_bag", "is_resampled")
    honest = former("Decision.honest", "expected.objective")
    honest_measures = former("Decision.honest_measures", "expected.measures")
    honest_cost = former("Decision.honest_cost", "expected.cost")
    how_honest = former("Decision.how_honest", "how_expected")

    def apply(self, estimator: Any) -> Any:
        """Return a classifier with this threshold, as a FixedThresholdClassifier.

        Parameters
        ----------
        estimator : estimator
            A classifier of scikit-learn's kind, with the scores that the threshold was chosen on. An
            unfitted one must be fitted afterwards.

        Returns
        -------
        FixedThresholdClassifier
            The classifier of scikit-learn.
        """
        try:
            from sklearn.model_selection import FixedThresholdClassifier
        except ImportError:
            raise MissingExtraError("applying a threshold to an estimator", "train") from None
        if not isfinite(self.threshold.value):
            whom = "nobody" if self.calls_nobody else "everybody"
            raise InputError(f"{PREDICTIONS[whom].capitalize()} is best and needs no threshold.")
        return FixedThresholdClassifier(
            estimator, threshold=self.threshold.value, pos_label=self.positive, response_method="auto"
        )

    def __repr__(self) -> str:
        (at,) = self.texts_of(self.threshold.value)
        return f"Decision(threshold {at}, {self.rule.text}; print it for the advice)"


def _called(label: Any) -> str:
    """Return what a case is called, in words: a class with a name by its name, the numbers and truths by "positive".

    >>> _called("bad"), _called(1), _called(True)
    ("'bad'", 'positive (1)', 'positive (True)')
    """
    return quote(label) if isinstance(label, str) else f"positive ({quote(label)})"


def shifted(apparent: Estimate, value: float, bounds: tuple[float, float], how: str) -> Estimate:
    """Return an apparent estimate moved to an honest value: its optimism taken off, all of which is uncertain.

    The interval is that of a threshold given beforehand, moved with the value and as much wider as the move, together
    with the one that was not moved: where scores are few, other samples choose the same threshold or one far off.
    """
    if isnan(value) or apparent.is_undefined:
        return Estimate.undefined(apparent.reason or "the value is not defined in any resample")
    if not apparent.has_interval:
        return replace(Estimate.bare(value, apparent.reason or ""))
    if not (isfinite(apparent.value) and isfinite(value)):
        return Estimate.bare(value, "the value is infinite")
    move = value - apparent.value
    below, above = apparent.value - apparent.low, apparent.high - apparent.value
    low, high = value - (below**2 + move**2) ** 0.5, value + (above**2 + move**2) ** 0.5
    low, high = max(min(low, apparent.low), bounds[0]), min(max(high, apparent.high), bounds[1])
    return Estimate(value, min(low, value), max(high, value), apparent.level, f"{how}; {apparent.method}")


def honestly(cost: ExpectedCost, per_case: Estimate, *, cases: float) -> ExpectedCost:
    """Return what the cases at hand cost, moved by the optimism of an honest cost of a case.

    Calling nobody or everybody was not chosen, so what that costs flatters nothing: the savings lose what a case costs
    more than it seemed to.
    """
    if per_case.is_undefined:
        undefined = Estimate.undefined(per_case.reason or "")
        return ExpectedCost(
            cost.costs, undefined, undefined, undefined, undefined, undefined, cost.prevalence, cases=cases
        )
    move = per_case.value - cost.per_case.value
    ratio = per_case.value / cost.per_case.value if cost.per_case.value else float("nan")

    def honest(saving: Estimate) -> Estimate:
        return shifted(saving, float(rounded_difference(saving.value, move)), (-inf, inf), LESS_OPTIMISM)

    return ExpectedCost(
        cost.costs,
        per_case,
        times(per_case, cases),
        shifted(cost.normalised, cost.normalised.value * ratio, cost.bounds[1], LESS_OPTIMISM),
        honest(cost.saving_over_none),
        honest(cost.saving_over_all),
        cost.prevalence,
        cost.bounds,
        cases,
    )
