"""The decisions that an assessment can be asked for: a threshold, and what the labels cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from classay.kinds import checked
from classay.measures import Measure

if TYPE_CHECKING:  # an assessment of which nobody asks a decision does not load them
    from classay.assessment.assessment import Assessment
    from classay.decision.costs import Costs
    from classay.decision.decision import Decision
    from classay.decision.expected_cost import ExpectedCost


class Deciding:
    """What gives an assessment its decisions; InputError where it has no scores, or no labels."""

    @checked
    def threshold(
        self,
        *,
        cost: Costs | Mapping[str, Any] | None = None,
        where: str | None = None,
        maximize: str | Measure | None = None,
        minimize: str | Measure | None = None,
        top: float | None = None,
        per: Any = None,
        prevalence: float | None = None,
        held_back: Assessment | None = None,
    ) -> Decision:
        """The best threshold by a rule, exact over every distinct score, with what it does and how sure that is.

        The objective is the least expected `cost`, or a measure of counts to `maximize` or `minimize` ("youden",
        "f_beta(2)", "net_benefit(0.1)", "corner_distance", "rate_gap" for the equal error rate); `where` are conditions
        in the grammar of requirements, "precision >= 0.9 and fpr <= 0.01"; `top` is how many cases may be called
        positive, in all, or on average in each period of `per`: the number of periods that the cases came in, or a
        column that says the period of each. At another `prevalence` the scores of each class stay. What to expect on
        new cases is found out-of-bag, or on the cases `held_back`. Raises InputError where no threshold meets the
        conditions.

        >>> from classay import Costs, assess
        >>> a = assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
        >>> a.threshold(cost=Costs(fp=1, fn=5)).threshold.value
        0.2
        >>> a.threshold(where="precision >= 0.7", maximize="recall").threshold.value
        0.6
        """
        from classay.assessment.decisions.deciding import threshold
        from classay.decision.rules import Rule, periods_in

        rule = Rule.of(cost, where, maximize, minimize, top, periods_in(per, top))
        return threshold(cast("Assessment", self), rule, prevalence=prevalence, held_back=held_back)

    @checked
    def expected_cost(
        self, cost: Costs | Mapping[str, Any], *, prevalence: float | None = None
    ) -> ExpectedCost:
        """What the labels cost: a case, in all, normalised, and less than calling nobody or everybody positive.

        Raises InputError without labels, or for amounts that the rows were not assessed with.

        >>> from classay import Costs, assess
        >>> a = assess([1] * 10 + [0] * 90, y_pred=[1] * 6 + [0] * 4 + [1] + [0] * 89)
        >>> a.expected_cost(Costs(fp=1, fn=5)).normalised
        Estimate(0.150 [0.059, 0.291] 95 %, Jeffreys posterior, 2,000 draws)
        """
        from classay.assessment.decisions.deciding import cost_of
        from classay.decision.costs import Costs

        return cost_of(cast("Assessment", self), Costs.of(cost), prevalence)
