"""Decisions: the threshold of least cost, chosen on the cases, and what its intervals cover."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import classay as ca
from bench.honesty.cells import OURS
from bench.honesty.decided import GRADED, POPULATIONS, Population
from bench.honesty.rows import ends_of
from bench.honesty.run import Asked, Found, Setting


@cache
def truth_of(name: str) -> Any:
    """What gives the true cost of thresholds, and the best one."""
    return POPULATIONS[name].truth()


def words(population: Population) -> str:
    """A population in words."""
    found = f"n = {population.cases:,}, {population.prevalence:g} positive"
    if population.costs.names:
        found += ", a miss costs its amount"
    elif population.costs.fn != 5:
        found += f", a miss costs {population.costs.fn:g}"
    found += f", scores rounded to {population.levels} levels a unit" if population.levels else ""
    found += f", {population.values} values" if population.values else ""
    found += f", {population.far:.0%} score like the other class" if population.far else ""
    return found + (f", clusters of {population.cluster}" if population.cluster > 1 else "")


def of_decision(name: str) -> Setting:
    """Ends less the truth, which goes with the threshold chosen; samples that call nobody are left out."""
    population = POPULATIONS[name]

    def simulate(rng: np.random.Generator, samples: int, asked: Asked) -> Found:
        cost, best = truth_of(name)
        found: Found = {}
        for place in range(samples):
            y, score, amount, cluster = population.draw(rng)
            more: dict[str, Any] = {"amounts": {"amount": amount}} if population.costs.names else {}
            if population.cluster > 1:
                more["cluster"] = cluster
            d = ca.assess(y, score, **more).threshold(cost=population.costs)
            if d.calls_nobody:
                continue
            true = cost(d.threshold.value)
            none, everybody = cost(np.inf) - true, cost(-np.inf) - true
            for measure, way, ends, truth in (
                ("cost of the threshold chosen", OURS, d.expected.objective, true),
                ("cost of the threshold chosen", "cost on the cases that chose it", d.apparent, true),
                ("the best threshold", OURS, d.threshold, best),
                ("saving over calling nobody", OURS, d.expected.cost.saving_over_none, none),
                ("saving over calling everybody", OURS, d.expected.cost.saving_over_all, everybody),
            ):
                if (measure, way) not in found:
                    found[measure, way] = np.full((samples, 2), np.nan)
                found[measure, way][place] = np.array(ends_of(ends)) - truth
        return found

    rarer = population.cases * population.prevalence
    return Setting("decisions", "Thresholds of least cost", words(population), rarer, simulate)


@cache
def cost_of_cuts(name: str) -> Any:
    """What gives the true cost of cut points."""
    return GRADED[name].truth()


def of_cut_points(name: str) -> Setting:
    """Ends of the cost expected of new cases, less the true one of the cut points chosen."""
    population = GRADED[name]
    labels = list(range(len(population.shares)))
    costs = ca.Costs.from_array(population.steps, labels, rows="true")

    def simulate(rng: np.random.Generator, samples: int, asked: Asked) -> Found:
        ends = np.full((samples, 2), np.nan)
        for place in range(samples):
            true, score = population.draw(rng)
            found = ca.cut_points(score, true, labels, cost=costs)
            ends[place] = np.array(ends_of(found.expected)) - cost_of_cuts(name)(found.cuts)
        return {("cost of the cut points chosen", OURS): ends}

    rarer = population.cases * min(population.shares) / sum(population.shares)
    return Setting("decisions", "Cut points", f"n = {population.cases}, {name}", rarer, simulate)
