"""PracticalOdds: how probable it is that one is practically better, the other, or neither."""

from __future__ import annotations

from dataclasses import dataclass

from classay.comparison.comparison import Comparison
from classay.inference.estimate import Estimate
from classay.texts import clean

NO_P = "a posterior has no p-value"


@dataclass(frozen=True)
class PracticalOdds:
    """The result of a Bayesian comparison: probabilities that add up to one.

    `first` is the probability that the effect, the first model less the second, is above `rope`; `second` that it is
    below -`rope`; `rope` differences and smaller ones were called equal in practice beforehand, with probability
    `equal`. `effect` is the centre of the posterior with its credible interval. `random` says what varies.

    >>> effect = Estimate(0.02, -0.01, 0.05, level=0.95, method="correlated t posterior")
    >>> PracticalOdds(("new", "old"), "accuracy", effect, 0.01, 0.74, 0.24, 0.02, "correlated t", "training sets")
    PracticalOdds(accuracy of new less old: P(> 0.01) = 0.74, P(within) = 0.24, P(< -0.01) = 0.02, correlated t)
    """

    models: tuple[str, str]
    measure: str
    effect: Estimate
    rope: float
    first: float
    equal: float
    second: float
    method: str
    random: str
    reference: str = ""

    def comparison(self, n: float, units: str, better: int | None = None) -> Comparison:
        """The same as a `Comparison` of so many units; `better` as there."""
        return Comparison(
            self.models,
            self.measure,
            self.effect,
            float("nan"),
            self.method,
            self.random,
            reference=self.reference,
            n=n,
            units=units,
            reason=NO_P,
            odds=self,
            better=better,
            level=self.effect.level,
        )

    def __repr__(self) -> str:
        return clean(
            f"PracticalOdds({self.measure} of {' less '.join(self.models)}: P(> {self.rope:g}) = {self.first:.2g}, "
            f"P(within) = {self.equal:.2g}, P(< {-self.rope:g}) = {self.second:.2g}, {self.method})"
        )
