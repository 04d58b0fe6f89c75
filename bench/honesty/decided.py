"""Populations whose best threshold and true costs are known, for simulations of decisions."""

from dataclasses import dataclass

import numpy as np

from classay.decision.costs import Costs

LARGE = 1_000_000
FIVE_TO_ONE = Costs(fp=1, fn=5)


@dataclass(frozen=True)
class Population:
    """Normal scores of two classes, in levels if any, in clusters of some size, and a cost of each error."""

    prevalence: float
    cases: int
    apart: float = 1.5
    levels: int = 0
    cluster: int = 1
    costs: Costs = FIVE_TO_ONE

    def draw(self, rng, cases=None):
        """Truth, score, amount and cluster of cases."""
        n = cases or self.cases
        groups = -(-n // self.cluster)
        of = np.repeat(np.arange(groups), self.cluster)[:n]
        shared = rng.normal(size=groups)[of] if self.cluster > 1 else 0.0
        own = rng.normal(size=n)
        level = np.sqrt(0.5) * shared + np.sqrt(0.5) * own if self.cluster > 1 else own
        y = rng.random(n) < self.prevalence
        score = level + self.apart * y
        if self.levels:
            score = np.clip(np.round(score * self.levels) / self.levels, -3, 5)
        amount = np.round(rng.lognormal(1.0, 0.7, n), 2)
        return y, score, amount, of

    def truth(self):
        """What gives the true cost of thresholds, and the best one."""
        y, score, amount, _ = self.draw(np.random.default_rng(99), LARGE)
        order = np.argsort(-score, kind="stable")
        fn = amount if self.costs.names else np.full(y.size, float(self.costs.fn))
        change = np.where(y[order], -fn[order], float(self.costs.fp))
        upto = np.concatenate([[0.0], np.cumsum(change)])
        base = fn[y].sum()
        ordered = score[order]

        def cost(threshold):
            return (base + upto[np.searchsorted(-ordered, -threshold, side="right")]) / LARGE

        grid = np.quantile(score, np.linspace(0.001, 0.9999, 2000))
        smooth = np.array([cost(t) for t in grid])
        return cost, float(grid[smooth.argmin()])


POPULATIONS = {
    "common": Population(0.3, 400),
    "rare": Population(0.02, 2000),
    "very_rare": Population(0.003, 5000, apart=2.5, costs=Costs(fp=1, fn=50)),
    "ties": Population(0.3, 400, levels=3),
    "clusters": Population(0.3, 400, cluster=5),
    "amounts": Population(0.1, 1000, costs=Costs(fp=1, fn="amount")),
}
