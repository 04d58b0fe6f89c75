"""From an assessment to decisions: what its labels cost, and which threshold a rule chooses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.answers import of_labels
from classay.assessment import views
from classay.assessment.flow import missing_in
from classay.columns.numbers import counted
from classay.decision.choosing import Chosen, decide
from classay.decision.costs import Costs
from classay.decision.decision import Decision
from classay.decision.expected_cost import ExpectedCost, Moments, expected_cost
from classay.decision.rules import Rule
from classay.errors import InputError
from classay.inference.bootstrap.score_samples import ScoredCases
from classay.inference.estimate import Estimate
from classay.measures import get
from classay.tables import ConfusionMatrix, ScoreTable
from classay.tables.rows import CodedRows
from classay.texts import hint

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment


def threshold(
    a: Assessment,
    rule: Rule,
    *,
    prevalence: float | None = None,
    held_back: Assessment | None = None,
) -> Decision:
    """The decision of a rule on the cases of an assessment."""
    cases = decidable(a)
    table = cases.table
    if rule.cost is not None:
        rule = replace(rule, cost=rule.cost.of_two(table.labels))
    coefficients = None if rule.cost is None else rule.cost.array(table.labels, _names(table))
    amounts = None if a.coded is None else a.coded.amounts
    chosen = Chosen(rule, cases, coefficients, prevalence, amounts)
    other = None if held_back is None else AtThreshold(_like(a, held_back), prevalence)
    made = replace(decide(chosen, AtThreshold(a, prevalence), other), model=a.model)
    return replace(made, notes=(*made.notes, left_out)) if (left_out := left_out_of(a)) else made


def left_out_of(a: Assessment) -> str:
    """How many cases are left out, and why; empty where there are none."""
    return f"left out for {missing_in(a)}: {counted(a.dropped)}" if a.dropped else ""


def decidable(a: Assessment) -> ScoredCases:
    """The cases with their scores. Raises InputError where no threshold can be chosen on them."""
    if a.no_answer is not None and a.unanswered:
        remedy = hint("unanswered='drop'", "--unanswered drop")
        raise InputError(
            f"a threshold is about scores, and {counted(a.unanswered)} without an answer count as wrong at each: "
            f"assess with {remedy} to leave them out, and keep in mind what they cost."
        )
    cases = a.scored_cases
    table = cases.table
    if not table.n_positive or not table.n_negative:
        raise InputError(
            f"all cases are {'positive' if table.n_positive else 'negative'}: a threshold needs both classes."
        )
    infinite = int(np.isinf(table.scores).sum())
    if infinite:
        raise InputError(
            f"{infinite} of the distinct scores {'is' if infinite == 1 else 'are'} infinite, and no threshold is "
            "beyond them: put a finite score there."
        )
    return cases


@dataclass(frozen=True, eq=False)
class AtThreshold:
    """Reads the estimates of an assessment at any threshold, and at a prevalence if one is given."""

    assessment: Assessment
    prevalence: float | None = None

    def matrix(self, threshold: float) -> ConfusionMatrix:
        """The confusion matrix there."""
        return _scores(self.assessment).at(threshold)

    def estimate(self, name: str, threshold: float) -> Estimate:
        """A measure of labels there."""
        there, measure = self.assessment.at(threshold), replace(get(name), threshold=None)
        return there[measure] if self.prevalence is None else there.at_prevalence(self.prevalence)[measure]

    def cost(self, rule: Rule, threshold: float) -> ExpectedCost:
        """What it costs."""
        assert rule.cost is not None
        return cost_of(self.assessment.at(threshold), rule.cost, self.prevalence)


def cost_of(a: Assessment, costs: Costs, prevalence: float | None = None) -> ExpectedCost:
    """What the labels of an assessment cost. Raises InputError without labels, or amounts that rows do not carry."""
    matrix = a.confusion_matrix
    if matrix is None:
        raise InputError("there are no labels whose cost could be told: pass a threshold, or at(threshold).")
    labels = a.labels
    if of_labels(matrix.labels) != matrix.labels:
        raise InputError(
            f"{counted(a.unanswered)} without an answer count as wrong, and what that costs among several classes is "
            "not known: leave them out."
        )
    if a.positive is not None:
        labels = tuple(sorted(a.labels, key=lambda label: label == a.positive))
        matrix = matrix.restrict(labels)
    elif prevalence is not None:
        raise InputError("a prevalence is of one class, and there are several: leave it out.")
    coded: dict[str, Any] = {}
    if a.coded is not None:
        place = np.array([labels.index(label) for label in a.labels])
        coded = {"predicted": place[views.predicted_codes(a, a.coded)], "true": place[a.coded.true]}
    costs = costs.of_two(labels)
    matrix, rows = _of_amounts(matrix, a.coded, costs)
    amounts = matrix.amounts
    return expected_cost(
        Moments.of(matrix, rows, **coded, always=views.one_decision(a)),
        costs,
        labels,
        () if amounts is None else amounts.names,
        cases=a.n,
        prevalence=prevalence,
        level=a.level,
        seed=a.seed,
    )


def _of_amounts(
    matrix: ConfusionMatrix, rows: CodedRows | None, costs: Costs
) -> tuple[ConfusionMatrix, CodedRows | None]:
    """The matrix and the rows without amounts where nothing costs any: draws are then of the cells alone."""
    if costs.names:
        return matrix, rows
    return replace(matrix, amounts=None), None if rows is None else replace(rows, amounts=None)


def _names(table: ScoreTable) -> tuple[str, ...]:
    return () if table.amounts is None else table.amounts.names


def _scores(a: Assessment) -> ScoreTable:
    assert a.scores is not None
    return a.scores


def _like(a: Assessment, other: Any) -> Assessment:
    """The cases held back, refused where they are of other classes."""
    if type(other) is not type(a) and not hasattr(other, "scored_cases"):
        raise InputError("held_back is no assessment: assess the cases held back, and pass that.")
    if other.scores is None or other.scores.labels != _scores(a).labels:
        raise InputError("the cases held back have other classes, or no scores: assess them alike.")
    found: Assessment = other
    return found
