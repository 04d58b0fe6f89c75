"""Populations whose best threshold, or cut points, and true costs are known, for simulations of decisions."""

from dataclasses import dataclass

import numpy as np

from classay.decision.costs import Costs

LARGE = 1_000_000
FIVE_TO_ONE = Costs(fp=1, fn=5)


@dataclass(frozen=True)
class Population:
    """Normal scores of two classes, in levels if any, in clusters of some size, and a cost of each error.

    Of a share `far` of the cases the score is that of the other class. With `values` the scores are so many whole
    numbers, as a judge gives.
    """

    prevalence: float
    cases: int
    apart: float = 1.5
    levels: int = 0
    cluster: int = 1
    costs: Costs = FIVE_TO_ONE
    far: float = 0.0
    values: int = 0

    def draw(self, rng, cases=None):
        """Truth, score, amount and cluster of cases."""
        n = cases or self.cases
        groups = -(-n // self.cluster)
        of = np.repeat(np.arange(groups), self.cluster)[:n]
        shared = rng.normal(size=groups)[of] if self.cluster > 1 else 0.0
        own = rng.normal(size=n)
        level = np.sqrt(0.5) * shared + np.sqrt(0.5) * own if self.cluster > 1 else own
        y = rng.random(n) < self.prevalence
        score = level + self.apart * (y ^ (rng.random(n) < self.far) if self.far else y)
        if self.values:
            score = np.clip(np.round(score + (self.values - 1 - self.apart) / 2), 0, self.values - 1)
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
    "five": Population(0.35, 150, values=5),
    "far": Population(0.3, 150, apart=3.5, far=0.02),
}


@dataclass(frozen=True)
class Graded:
    """Normal scores that rise with the class, to multiples of `unit` if any; each step, or its square, costs 1.

    Of a share `far` of the cases the score is that of the class at the same distance from the other end.
    """

    shares: tuple[float, ...]
    cases: int
    spread: float = 0.9
    unit: float = 0.0
    power: int = 1
    far: float = 0.0

    @property
    def steps(self):
        """What each pair of classes costs."""
        k = len(self.shares)
        return np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(float) ** self.power

    def draw(self, rng, cases=None):
        """Class and score of cases."""
        n, k = cases or self.cases, len(self.shares)
        true = rng.choice(k, n, p=np.array(self.shares) / sum(self.shares))
        placed = np.where(rng.random(n) < self.far, k - 1 - true, true)
        score = placed + self.spread * rng.normal(size=n)
        return true, np.round(score / self.unit) * self.unit if self.unit else score

    def truth(self):
        """What gives the true cost of cut points."""
        true, score = self.draw(np.random.default_rng(99), LARGE)
        k = len(self.shares)
        order = [np.sort(score[true == c]) for c in range(k)]

        def cost(cuts):
            reached = [[0, *np.searchsorted(one, cuts, side="left"), one.size] for one in order]
            return sum((np.diff(at) * self.steps[c]).sum() for c, at in enumerate(reached)) / LARGE

        return cost


GRADED = {
    "4 classes": Graded((0.4, 0.3, 0.2, 0.1), 200),
    "4 classes, whole numbers": Graded((0.4, 0.3, 0.2, 0.1), 200, unit=1.0),
    "3 equal classes, 2% far off": Graded((1, 1, 1), 200, spread=0.3, far=0.02),
    "5 equal classes, squared steps": Graded((1,) * 5, 60, spread=1.0, power=2),
}
