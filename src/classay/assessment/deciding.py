"""Decisions of an assessment: its thresholds, the classes that it confuses, and what its decisions cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast, overload

from classay.errors import InputError
from classay.kinds import checked
from classay.measures.registry import Measure
from classay.wings import way

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment
    from classay.assessment.class_views import ClassThresholds
    from classay.assessment.confusion_tree import ConfusionTree
    from classay.assessment.row_arguments import RuleArguments
    from classay.curves.curve import Curve
    from classay.decision.costs import Costs
    from classay.decision.decision import Decision
    from classay.decision.expected_cost import ExpectedCost


class Deciding:
    """Decisions of an assessment.

    Each raises InputError if there are no scores, or no labels.
    """

    @overload
    def threshold(self, *, guarantee: str, maximize: str | Measure | None = None) -> Any: ...
    @overload
    def threshold(self, *, guarantee: None = None, **rule: Unpack[RuleArguments]) -> Decision: ...
    @checked
    def threshold(
        self,
        *,
        cost: Costs | Mapping[str, float | str] | None = None,
        where: str | None = None,
        maximize: str | Measure | None = None,
        minimize: str | Measure | None = None,
        top: float | None = None,
        per: Any = None,
        prevalence: float | None = None,
        held_back: Assessment | None = None,
        guarantee: str | None = None,
    ) -> Any:
        """Choose the best threshold by a rule, exact over every distinct score.

        The objective is the least expected `cost`, or a measure to `maximize` or `minimize`.

        Parameters
        ----------
        cost : Costs or mapping, optional
            What errors cost, such as `Costs(fp=1, fn=5)` or `{"fp": 1, "fn": 5}`. With the price of a review,
            `{"fp": 1, "fn": 5, "review": 0.5}`, there are two thresholds, and cases between are reviewed.
        where : str, optional
            Conditions in the grammar of requirements, "precision >= 0.9 and fpr <= 0.01".
        maximize, minimize : str or Measure, optional
            A threshold measure, such as "youden", "f_beta(2)", "net_benefit(0.1)", "corner_distance", or
            "rate_gap" for the equal error rate.
        top : float, optional
            Number of cases that may be predicted positive, in all, or on average in each period of `per`.
        per : int or array-like, optional
            Number of periods that the cases came in, or a column with the period of each case.
        prevalence : float, optional
            Prevalence to decide for. The scores of each class stay the same.
        held_back : Assessment, optional
            Assessment of held-out cases, on which the expected performance is estimated. Without it, the
            performance is corrected for optimism.
        guarantee : str, optional
            A limit that holds on new cases with the probability of the confidence level, such as
            "precision >= 0.9" or "error_rate <= 0.05". The lowest such threshold maximizes recall and coverage.

        Returns
        -------
        Decision, Guarantee or Review
            The threshold, its effect on these cases, and its expected performance on new cases.
            With `guarantee`, the threshold, the guaranteed coverage and the limit of the risk.

        Raises
        ------
        InputError
            If no threshold meets the conditions.
            If `guarantee` is combined with other arguments than `maximize`, or the price of a review with others.
            If there are no scores.

        Examples
        --------
        >>> from classay import Costs, assess
        >>> a = assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
        >>> a.threshold(cost=Costs(fp=1, fn=5)).threshold.value
        0.2
        >>> a.threshold(where="precision >= 0.7", maximize="recall").threshold.value
        0.6
        """
        from classay.assessment.perspectives import threshold
        from classay.decision.rules import Rule, periods_in

        if guarantee is not None:
            others = (cost, where, minimize, top, per, prevalence, held_back)
            if any(other is not None for other in others):
                raise InputError(
                    "guarantee= can be combined with maximize= only. Remove the other arguments."
                )
            return way("threshold.guarantee")(self, guarantee, maximize)
        if isinstance(cost, Mapping) and "review" in cost:
            others = (where, maximize, minimize, top, per, prevalence, held_back)  # type: ignore[assignment]
            return way("threshold.review")(self, cost, others)
        rule = Rule.of(cost, where, maximize, minimize, top, periods_in(per, top))
        return threshold(cast("Assessment", self), rule, prevalence=prevalence, held_back=held_back)

    def class_thresholds(self, **rule: Unpack[RuleArguments]) -> ClassThresholds:
        """Choose the threshold of each class against all others, by one rule.

        Parameters
        ----------
        **rule
            The arguments of `threshold`.

        Returns
        -------
        ClassThresholds
            One decision for each class.

        Raises
        ------
        InputError
            If there are two classes.
            If there are no scores of several classes.
            If no class has a threshold.

        Examples
        --------
        >>> from classay import assess
        >>> a = assess(["a", "b", "c"] * 20, [[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.3, 0.3, 0.4]] * 20)
        >>> {label: decision.threshold.value for label, decision in a.class_thresholds(maximize="f1").decisions.items()}
        {'a': 0.6, 'b': 0.7, 'c': 0.4}
        """
        from classay.assessment.assessment_warnings import column_warnings
        from classay.assessment.class_views import class_thresholds

        a = cast("Assessment", self)
        return replace(class_thresholds(a, **rule), warnings=column_warnings(a))

    def class_curves(self, name: Literal["roc", "precision_recall"] = "roc") -> tuple[Curve, ...]:
        """Return the curve of each class against all others in one picture.

        The worst class comes first. Of more than 12 classes, the rest is gray. `ca.plot(a.class_curves())`
        draws the curves.

        Parameters
        ----------
        name : {"roc", "precision_recall"}, default "roc"
            Kind of the curves.

        Returns
        -------
        tuple of Curve
            One curve for each class.

        Raises
        ------
        InputError
            If there are no scores of several classes.
        """
        from classay.assessment.class_views import class_curves

        return class_curves(cast("Assessment", self), name)

    def confusion_tree(self) -> ConfusionTree:
        """Build the tree in which classes join, the most confused first.

        Raises
        ------
        InputError
            If there are fewer than three classes.
        """
        from classay.assessment.confusion_tree import confusion_tree

        a = cast("Assessment", self)
        matrix = a.confusion_matrix
        if matrix is None:
            raise InputError("Confusions need predicted labels, but there are none.")
        return replace(confusion_tree(matrix), model=a.model)

    @checked
    def expected_cost(
        self, cost: Costs | Mapping[str, float | str], *, prevalence: float | None = None
    ) -> ExpectedCost:
        """Estimate the cost of the predicted labels.

        Parameters
        ----------
        cost : Costs or mapping, optional
            What errors cost, such as `Costs(fp=1, fn=5)` or `{"fp": 1, "fn": 5}`.
        prevalence : float, optional
            Prevalence to compute the cost for. The default is that of the cases.

        Returns
        -------
        ExpectedCost
            The cost per case, in all, normalized, and the savings over predicting no one or everyone
            positive.

        Raises
        ------
        InputError
            If there are no predicted labels.
            If the cost depends on amounts that the rows were not assessed with.

        Examples
        --------
        >>> from classay import Costs, assess
        >>> a = assess([1] * 10 + [0] * 90, y_pred=[1] * 6 + [0] * 4 + [1] + [0] * 89)
        >>> a.expected_cost(Costs(fp=1, fn=5)).normalised
        Estimate(0.150 [0.059, 0.291] 95%, Dirichlet posterior, Jeffreys prior, 2,000 draws)
        """
        from classay.assessment.perspectives import cost_of
        from classay.decision.costs import Costs

        return cost_of(cast("Assessment", self), Costs.of(cost), prevalence)
